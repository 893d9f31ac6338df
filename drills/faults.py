"""Endpoints that fail three times in ten, in fourteen ways, and endpoints that never recover."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from drills.command import Home, wait_until
from drills.engine import Broke, Case, Part
from drills.kills import ROWS, SYSTEMS, bill, prepare
from drills.models import Models, price_file
from drills.proxy import KINDS as TRANSPORT
from drills.proxy import BreakingProxy
from drills.results import findings, same
from memtriage.models.scripted import Faults
from memtriage.models.scripted.faults import KINDS, FaultKind

PATIENCE = ("--patience", "10s")
BOUND = 60
"""How many seconds a run may take to give up, with that patience and two seconds for each reply."""
NAME = "written by a model"
PROBE = "Say ok."
"""What a run asks to see whether the endpoint is back."""


def command(url: str, settings: str = "", out: str = "run") -> tuple[str, ...]:
    """A run whose three models are at this address."""
    roles = {"--answer": "reader", "--judge": "judge", "--internal": "memory"}
    models = [part for role, model in roles.items() for part in (role, f"{url}#{model}{settings}")]
    return ("run", *ROWS, *SYSTEMS[NAME], *models, "--out", out)


def three_in_ten(case: Case) -> None:
    """30 % of all requests fail, each way as often; the verdicts are those of a good endpoint."""
    calm = json.loads((case.shared / f"{NAME}.json").read_text())
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    within = 0.3 * len(KINDS) / (len(KINDS) + len(TRANSPORT))
    with Models(latency=0.005, idempotent=bool(case.number % 2)) as server:
        server.faults = Faults(retry_after=0.05).rate(within, case.rng.randrange(10**6), at_most=3)
        with BreakingProxy(server.port, 0.3 - within, case.rng.randrange(10**6)) as proxy:
            home.run(*command(proxy.url, "?timeout=2"), seconds=280).clean(0)
            same(findings(home), calm["found"])
            _bill_has_all(server, home)
            case.counts["requests"] += server.count()
            case.counts["faults"] += server.count() - server.answered() + sum(proxy.broken.values())


def _bill_has_all(server: Models, home: Home) -> None:
    """The bill has every good answer; of a server that ignores keys, what it doesn't have is told as lost."""
    found = bill(home)
    calls, lost = found["total"]["calls"], found.get("under_way", {"calls": 0})["calls"]
    answered = server.count(lambda seen: seen.ok and seen.body["messages"][-1]["content"] != PROBE)
    if not calls <= answered <= calls + (0 if server.idempotent else lost):
        raise Broke(f"{answered} calls were answered, {calls} are on the bill, {lost} are told as lost")


@dataclass(frozen=True)
class Outage:
    """What an endpoint does from the `after`-th request on, for good."""

    kind: FaultKind
    after: int


OUTAGES = [Outage(kind, after) for after in (0, 20) for kind in ("timeout", "429", "500", "503", "reset", "truncated")]


def never_again(case: Case) -> None:
    """The run ends in bounded time, says so in a line or two, and goes on once the endpoint is back."""
    calm = json.loads((case.shared / f"{NAME}.json").read_text())
    outage = OUTAGES[case.number % len(OUTAGES)]
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    with Models(latency=0.005) as server:
        began = time.monotonic()
        if not outage.after:
            server.faults = Faults(retry_after=0.2).rate(1.0, 0, [outage.kind])
        running = home.start(*command(server.url, "?timeout=2"), *PATIENCE)
        if outage.after:
            wait_until(lambda: server.count() >= outage.after or not running.running, 60)
            server.faults = Faults(retry_after=0.2).rate(1.0, 0, [outage.kind])
        ended = running.ended(BOUND).clean(1)
        if len(ended.err.strip().splitlines()) > 6:
            raise Broke(f"an outage takes {len(ended.err.splitlines())} lines: {ended.err[:1000]}")
        case.counts["seconds until they stopped, in all"] += round(time.monotonic() - began)
        server.faults = Faults()
        home.run("resume", "run", "-q", "--no-report").clean(0)
        same(findings(home), calm["found"])


PARTS = (
    Part("faults", "runs in which 30 % of requests fail, in 14 ways", 20, three_in_ten, prepare=prepare),
    Part("outages", "endpoints that never recover", len(OUTAGES), never_again, prepare=prepare),
)
