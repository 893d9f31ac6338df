"""Runs that are killed at random moments and resumed until they are done, and runs that ask the same at once."""

from __future__ import annotations

import json
import signal
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from drills.command import Ended, Home, wait_until
from drills.engine import Broke, Case, Part
from drills.models import Models, price_file
from drills.results import findings, same

ROOT = Path(__file__).parents[1]
KILLS = 5
"""How often each run is killed, at most."""
ROWS = (
    "--suite",
    "memfail/coexisting",
    "--suite",
    "memfail/long-hop",
    "--rows",
    "5",
    "--k",
    "3,6",
    "-q",
    "--no-report",
)
SYSTEMS = {
    "written by a model": ("--system", "bm25", "--system", "facts"),
    "in a process": (
        "--system",
        "bm25",
        "--system",
        f"proc:{sys.executable} {ROOT / 'examples' / 'process_adapter.py'}",
    ),
    "notes": ("--system", "notes", "--system", "dense"),
}


def arguments(name: str, server: Models, out: str = "run") -> tuple[str, ...]:
    """The command for one of these sets of systems."""
    roles = ("answer", "judge") if name == "in a process" else ("answer", "judge", "internal")
    return ("run", *ROWS, *SYSTEMS[name], *server.options(*roles), "--out", out)


def prepare(shared: Path) -> None:
    """The same runs, undisturbed: what they find, how many calls they take, and what these cost."""
    for name in SYSTEMS:
        home = Home(shared / name, MEMTRIAGE_PRICES=price_file(shared))
        with Models() as server:
            home.run(*arguments(name, server)).clean(0)
            calm = {"found": findings(home), "calls": server.answered(), "dollars": str(server.dollars())}
            calm["asked"] = server.asked()
        (shared / f"{name}.json").write_text(json.dumps(calm))


def bill(home: Home, run: str = "run") -> dict[str, Any]:
    """The bill of a run."""
    found: dict[str, Any] = json.loads((home.path / run / "cost.json").read_text())
    return found


def killed_again_and_again(case: Case) -> None:
    """Killed up to five times, each time resumed; some runs have a limit on cost, some a forgetful server."""
    name = list(SYSTEMS)[case.number % len(SYSTEMS)]
    calm = json.loads((case.shared / f"{name}.json").read_text())
    idempotent = case.number % 4 != 3
    share = case.rng.uniform(0.3, 0.9) if case.number % 3 == 2 else None
    limit = (Decimal(calm["dollars"]) * Decimal(str(share))).quantize(Decimal("0.000001")) if share else None
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    with Models(latency=0.02, idempotent=idempotent) as server:
        options = ("--max-cost", str(limit)) if limit else ()
        ended = _with_kills(case, home, server, (*arguments(name, server), *options), int(calm["calls"]))
        if limit is not None:
            if server.dollars() > limit:
                raise Broke(f"answers for ${server.dollars()} came in, the limit was ${limit}")
            ended.clean(1)
            case.counts["runs stopped at their limit"] += 1
            ended = home.run("resume", "run", "-q", "--no-report", "--max-cost", str(Decimal(calm["dollars"]) * 2))
        ended.clean(0)
        same(findings(home), calm["found"])
        _exact_bill(server, home, calm, idempotent)
    _nothing_left(home)
    home.run("verify", "run").clean(0)
    case.counts["calls answered"] += server.answered()


def _with_kills(case: Case, home: Home, server: Models, command: tuple[str, ...], calls: int) -> Ended:
    """Kill the command, and each that resumes it, after random numbers of calls; how the last one ended."""
    moments = sorted(case.rng.randrange(0, calls) for _ in range(KILLS))
    for moment in moments:
        running = home.start(*command)
        wait_until(lambda running=running, moment=moment: server.answered() >= moment or not running.running, 120)
        time.sleep(case.rng.uniform(0, 0.1))
        number = case.rng.choices((signal.SIGKILL, signal.SIGINT, signal.SIGTERM), (8, 1, 1))[0]
        running.kill(number)
        ended = running.ended().clean()
        if ended.code >= 0 and ended.code != 130:
            return ended
        case.counts["kills" if number == signal.SIGKILL else "interruptions"] += 1
        if (home.path / "run" / "run.json").exists():
            command = ("resume", "run", "-q", "--no-report")
    return home.run(*command)


def _exact_bill(server: Models, home: Home, calm: dict[str, Any], idempotent: bool) -> None:
    """The bill has every answered call once; what was under way at a kill and not asked again is told beside it."""
    found = bill(home)
    calls, under_way = found["total"]["calls"], found.get("under_way", {"calls": 0})["calls"]
    answered = server.answered()
    told = f"{answered} calls were answered, {calls} are on the bill, {under_way} are told as lost"
    if not idempotent:
        if not calls <= answered <= calls + under_way:
            raise Broke(told)
        return
    never_again = set(server.asked()) - set(calm["asked"])
    if server.twice() or answered - calls != len(never_again) or len(never_again) > under_way:
        raise Broke(
            f"{told}, {len(never_again)} of these are none of the undisturbed run's, {server.twice()} came twice"
        )
    if calls != calm["calls"]:
        raise Broke(f"{told}, {calm['calls']} are the undisturbed run's")
    billed = Decimal(str(found["total"]["dollars"]))
    if not never_again and abs(billed - server.dollars()) > Decimal("0.00001"):
        raise Broke(f"answers for ${server.dollars()} came in, the bill says ${billed}")


def _nothing_left(home: Home) -> None:
    parts = [str(file) for file in home.path.rglob("*.part*")]
    temporary = [str(file) for file in home.temporary.iterdir()]
    if parts or temporary:
        raise Broke(f"left behind: {', '.join(parts + temporary)}")
    if not wait_until(lambda: not home.processes(), 10):
        raise Broke(f"still running: {home.processes()}")


def at_once(case: Case) -> None:
    """Eight identical runs that share a cache pay for one."""
    calm = json.loads((case.shared / "written by a model.json").read_text())
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    with Models(latency=0.05) as server:
        names = [f"run{number}" for number in range(8)]
        running = [home.start(*arguments("written by a model", server, out)) for out in names]
        for one in running:
            one.ended(280).clean(0)
        if server.answered() != calm["calls"]:
            raise Broke(f"{server.answered()} calls were paid for, one run takes {calm['calls']}")
        for out in names:
            same(findings(home, out), calm["found"])
        case.counts["calls answered"] += server.answered()


PARTS = (
    Part("kills", "full-depth runs killed up to five times and resumed", 36, killed_again_and_again, prepare=prepare),
    Part("together", "eight identical runs at once", 4, at_once, prepare=prepare, workers=1),
)
