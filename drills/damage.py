"""Run directories and caches in which something was changed: the same result as before, or a clear refusal."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from drills.command import Ended, Home
from drills.engine import Broke, Case, Part
from drills.models import Models, price_file
from drills.results import VIEWS, findings, same
from memtriage.core.errors import MemtriageError
from memtriage.host.sealed import BrokenSeal, open_document, seal_document

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from damage import edit_lines, nonsense
from damage_cache import damages

RUN = ("--suite", "memfail/coexisting", "--suite", "memfail/long-hop", "--rows", "4", "--k", "3,6", "-q")
KINDS = {
    "judged": ("--system", "bm25", "--system", "facts"),
    "by words": ("--system", "bm25", "--system", "dense"),
}


def prepare(shared: Path) -> None:
    """Finished runs, what they found, and for each a twin with another seed to swap files with."""
    for name, systems in KINDS.items():
        home = Home(shared / name, MEMTRIAGE_PRICES=price_file(shared))
        with Models() as server:
            roles = server.options("answer", "judge", "internal") if name == "judged" else ()
            home.run("run", *RUN, *systems, *roles, "--out", "run").clean(0)
            home.run("run", *RUN, *systems, *roles, "--seed", "5", "--out", "twin").clean(0)
            home.run("run", *RUN, *systems, *roles, "--out", "other").clean(0)
        calm = {"found": findings(home), "compared": _compared(home).out}
        (shared / f"{name}.json").write_text(json.dumps(calm))


def files_of(run: Path) -> list[Path]:
    """Every file of a run that is read again."""
    return sorted(file for file in run.rglob("*") if file.is_file() and file.name not in (".lock", "report.html"))


# ---------------------------------------------------------------------- what is done to a file

_VALUE = re.compile(r'":\s*(-?\d+(?:\.\d+)?|true|false|null|"[^"\\]{1,60}")')
_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def one_character(file: Path, rng: random.Random, twin: Path) -> None:
    """A letter or digit becomes another one."""
    text = file.read_text()
    at = rng.choice([match.start() for match in re.finditer(r"[A-Za-z0-9]", text)])
    other = rng.choice(_CHARACTERS.replace(text[at], ""))
    file.write_text(text[:at] + other + text[at + 1 :])


def one_value(file: Path, rng: random.Random, twin: Path) -> None:
    """A value of a JSON line or document becomes another one of its kind; the rest stays as it is."""
    text = file.read_text()
    found = list(_VALUE.finditer(text))
    if not found:
        return one_character(file, rng, twin)
    match = rng.choice(found)
    value = match[1]
    others = {"true": "false", "false": "true", "null": "0"}
    if value in others:
        new = others[value]
    elif value.startswith('"'):
        new = '"' + "".join(rng.sample(value[1:-1], len(value) - 2)) + 'x"'
    else:
        new = str(int(float(value)) + rng.choice((-1, 1, 1000)))
    file.write_text(text[: match.start(1)] + new + text[match.end(1) :])
    return None


def cut(file: Path, rng: random.Random, twin: Path) -> None:
    """Cut off at a random place."""
    content = file.read_bytes()
    file.write_bytes(content[: rng.randrange(len(content))])


def cut_at_a_line(file: Path, rng: random.Random, twin: Path) -> None:
    """Cut off between two lines."""
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[: rng.randrange(len(lines))]))


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Callable[[Path, random.Random, Path], None]:
    def changed(file: Path, rng: random.Random, twin: Path) -> None:
        lines = file.read_bytes().splitlines(keepends=True)
        change(lines, rng)
        file.write_bytes(b"".join(lines))

    changed.__name__ = change.__name__
    return changed


@_lines
def line_removed(lines: list[bytes], rng: random.Random) -> None:
    del lines[rng.randrange(len(lines))]


@_lines
def line_doubled(lines: list[bytes], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    lines.insert(at, lines[at])


@_lines
def lines_swapped(lines: list[bytes], rng: random.Random) -> None:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


@_lines
def lines_shuffled(lines: list[bytes], rng: random.Random) -> None:
    rng.shuffle(lines)


def zeroed(file: Path, rng: random.Random, twin: Path) -> None:
    """A block of zeros, as a crash of the machine leaves it."""
    content = bytearray(file.read_bytes())
    at = rng.randrange(len(content))
    size = min(rng.choice((1, 16, 512, 4096)), len(content) - at)
    content[at : at + size] = bytes(size)
    file.write_bytes(content)


def of_the_twin(file: Path, rng: random.Random, twin: Path) -> None:
    """The file of another run in its place."""
    if twin.exists():
        shutil.copyfile(twin, file)
    else:
        missing(file, rng, twin)


def line_of_the_twin(file: Path, rng: random.Random, twin: Path) -> None:
    """A line of another run in the place of one of its own."""
    lines = file.read_bytes().splitlines(keepends=True)
    others = twin.read_bytes().splitlines(keepends=True) if twin.exists() else [b"{}\n"]
    lines[rng.randrange(len(lines))] = rng.choice(others)
    file.write_bytes(b"".join(lines))


def missing(file: Path, rng: random.Random, twin: Path) -> None:
    """Not there at all."""
    file.unlink()


def emptied(file: Path, rng: random.Random, twin: Path) -> None:
    """There, with nothing in it."""
    file.write_bytes(b"")


def sealed_again(file: Path, rng: random.Random, twin: Path) -> None:
    """A value is changed by somebody who knows how lines and documents are sealed."""
    try:
        if file.suffix == ".jsonl":
            edit_lines(file, lambda records: _another(rng.choice(records), rng))
        else:
            document = open_document(file.read_bytes())
            _another(document, rng)
            file.write_bytes(seal_document(document))
    except (BrokenSeal, MemtriageError):  # it has no seal of its own
        one_value(file, rng, twin)


def _another(record: Any, rng: random.Random) -> None:
    """Another number, word or yes somewhere in a record."""
    places = [(record, name) for name in record]
    values = []
    while places:
        holder, name = places.pop()
        value = holder[name]
        if isinstance(value, dict):
            places += [(value, below) for below in value]
        elif isinstance(value, list):
            places += [(value, below) for below in range(len(value))]
        elif isinstance(value, bool | int | float | str):
            values.append((holder, name))
    holder, name = rng.choice(values)
    value = holder[name]
    holder[name] = not value if isinstance(value, bool) else value + "x" if isinstance(value, str) else value + 1


CHANGES = (
    *(one_character, one_value, sealed_again) * 3,
    cut,
    cut_at_a_line,
    line_removed,
    line_doubled,
    lines_swapped,
    lines_shuffled,
    zeroed,
    of_the_twin,
    line_of_the_twin,
    missing,
    emptied,
)


# ---------------------------------------------------------------------- what memtriage makes of it


def damaged_run(case: Case) -> None:
    """One file of a finished run is changed; then everything that reads a run is tried."""
    name = list(KINDS)[case.number % len(KINDS)]
    calm = json.loads((case.shared / f"{name}.json").read_text())
    shutil.copytree(case.shared / name, case.folder, dirs_exist_ok=True)
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    run = case.folder / "run"
    file = case.rng.choice(files_of(run))
    change = case.rng.choice(CHANGES)
    within = str(file.relative_to(run))
    before = file.read_bytes()
    change(file, case.rng, case.folder / "twin" / within)
    (case.folder / "damage.txt").write_text(f"{change.__name__} in {within}\n")
    if file.exists() and file.read_bytes() == before:
        return
    case.counts[f"in {re.sub(r'[0-9]+', 'N', within)}"] += 1
    what = f"{change.__name__} in {within}"
    told = home.run("verify", "run").clean(0, 1)
    if told.code == 0:
        raise Broke(f"verify found nothing: {what}")
    unfinished = within == "seal.json" and "is not finished" in told.err  # it is what says that a run is finished
    if not unfinished and Path(within).name not in told.out + told.err:
        raise Broke(f"verify does not name the file: {what}: {told.out[-500:]}{told.err[-500:]}")
    _same_or_refused(home, calm, what)
    resumed = home.run("resume", "run", "-q").clean(0, 1)
    if resumed.code == 0:
        same_after(home, calm, f"after resume: {what}")
        home.run("verify", "run").clean(0)
        case.counts["mended by resume"] += 1
    else:
        _refused(resumed, what)


def _same_or_refused(home: Home, calm: dict[str, Any], what: str) -> None:
    shown = {name: home.run("show", "run", *VIEWS[name], "--json").clean(0, 1) for name in ("table", "probes")}
    compared = _compared(home)
    page = home.run("report", "run").clean(0, 1)
    same_after(home, calm, what, views=[name for name, ended in shown.items() if ended.code == 0])
    if compared.code == 0 and compared.out != calm["compared"]:
        raise Broke(f"compare says something else: {what}")
    for ended in (*shown.values(), compared, page):
        if ended.code:
            _refused(ended, what)


def same_after(
    home: Home, calm: dict[str, Any], what: str, run: str = "run", views: Iterable[str] = ("table", "probes")
) -> None:
    """The run shows what it always did."""
    try:
        same(findings(home, run, views), calm["found"])
    except Broke as broke:
        raise Broke(f"{what}: {broke}") from None


def _compared(home: Home) -> Ended:
    return home.run("compare", "run", "other", "--json").clean(0, 1)


def _refused(ended: Ended, what: str) -> None:
    lines = ended.err.strip().splitlines()
    if not lines or "error:" not in ended.err:
        raise Broke(f"refused without a word: {what}: {ended.err} {ended.out[-300:]}")


def nonsense_in_a_run(case: Case) -> None:
    """One record of a finished run is made nonsense, and everything is sealed anew; no command ends in a traceback."""
    name = list(KINDS)[case.number % len(KINDS)]
    shutil.copytree(case.shared / name, case.folder, dirs_exist_ok=True)
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    where = nonsense(case.folder / "run", case.rng)
    (case.folder / "damage.txt").write_text(f"nonsense in {where}\n")
    commands = ("show", "--json"), ("explain", "--failed", "--json"), ("audit", "--agreement"), ("report",), ("verify",)
    for command, *options in commands:
        ended = home.run(command, "run", *options).clean(0, 1)
        if ended.code:
            _refused(ended, f"{command}: nonsense in {where}")
            case.counts["refused"] += 1


# ---------------------------------------------------------------------- caches


def damaged_cache(case: Case) -> None:
    """Values in the call cache are changed; the same run again asks for what was lost and finds the same."""
    home = Home(case.folder, MEMTRIAGE_PRICES=price_file(case.folder))
    with Models(latency=0, idempotent=False) as server:
        run = (
            "run",
            "--suite",
            "memfail/coexisting",
            "--rows",
            "3",
            "--k",
            "3",
            "-q",
            "--no-report",
            *KINDS["judged"],
            *server.options("answer", "judge", "internal"),
        )
        home.run(*run, "--out", "run").clean(0)
        calm, asked = {"found": findings(home, views=("table", "probes"))}, server.answered()
        what = _spoil(case.folder / "cache.db", case.rng)
        (case.folder / "damage.txt").write_text(what + "\n")
        home.run(*run, "--out", "again").clean(0)
        same_after(home, calm, what, "again")
        case.counts["calls"] += asked
        case.counts["asked again"] += server.answered() - asked


def _spoil(file: Path, rng: random.Random) -> str:
    """Change the cache; says how."""
    if rng.random() < 0.25:
        content = bytearray(file.read_bytes())
        at, size = rng.randrange(len(content)), rng.choice((1, 100, 4096))
        content[at : at + size] = rng.randbytes(min(size, len(content) - at))
        file.write_bytes(content)
        return f"{size} bytes at {at}"
    if rng.random() < 0.4:
        name, damage = rng.choice(list(damages().items()))
        damage(file, rng)
        return name
    with closing(sqlite3.connect(file)) as cache, cache:
        columns = [row[1] for row in cache.execute("pragma table_info(replies)")]
        keys = [key for (key,) in cache.execute("select key from replies order by key")]
        column, key = rng.choice(columns), rng.choice(keys)
        value: Any = rng.choice((None, "", "x", -1, 2**62, 1e308, b"\xff\xfe", "{", "[[[[", "a different reply"))
        if rng.random() < 0.5:  # that of another row
            [value] = cache.execute(f"select {column} from replies where key = ?", (rng.choice(keys),)).fetchone()
        with suppress(sqlite3.IntegrityError):
            cache.execute(f"update replies set {column} = ? where key = ?", (value, key))
        return f"{column} of {key} = {value!r}"


PARTS = (
    Part("damage", "run directories in which one file was changed", 500, damaged_run, prepare=prepare),
    Part("nonsense", "run directories with nonsense that was sealed anew", 200, nonsense_in_a_run, prepare=prepare),
    Part("caches", "call caches in which something was changed", 200, damaged_cache),
)
