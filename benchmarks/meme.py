"""MEME's figures, measured in this very run: released skeletons, speed, and where retrieval loses a cascade.

python benchmarks/meme.py                       # everything
python benchmarks/meme.py released shape        # only these
python benchmarks/meme.py --data path/to/skeletons
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from memtriage import api
from memtriage.core.verdict import ProbeVerdict
from memtriage.suites.meme.layout import unanswerable
from memtriage.suites.meme.released import files
from memtriage.suites.meme.released.reader import TAGS
from memtriage.suites.meme.resolve import disputed
from memtriage.suites.meme.skeleton import TASKS
from memtriage.suites.meme.suite import SUITE
from memtriage.tables.missed import missed
from memtriage.tables.table import MERGED

DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data" / "meme"
DOMAINS = ["personal-life", "software-project"]
KS = (5, 10, 20, 40)
EPISODES = 50
"""Per domain."""


def line(what: str, value: float, limit: float, unit: str, more: bool = False) -> None:
    """One figure beside its limit."""
    kept = "ok" if (value >= limit if more else value <= limit) else "OVER"
    print(f"  {what:<66}{value:>9.2f} {unit:<3} limit {limit:g} {unit:<3} {kept}")


def released(data: Path) -> None:
    """GoldWords answers against propagation, task counts, ceilings and floor on the released skeletons."""
    print("released skeletons")
    if not data.is_dir():
        print(f"  (none at {data})")
        return
    asked: Counter[str] = Counter()
    same: Counter[str] = Counter()
    odd = 0
    for entry in (entry for source in files.find(data) for entry in files.read(source)):
        skeleton = entry.skeleton()
        odd += Counter(q.type for q in skeleton.questions) != Counter(TAGS[t["type"]] for t in entry.record["tasks"])
        contested = disputed(skeleton)
        asked.update(question.type for question in skeleton.questions)
        same.update(question.type for question in skeleton.questions if question not in contested)
        for question in contested:
            print(f"  {skeleton.id}: {question.targets[0]} is to be uncertain, yet a rule says what it becomes")
        for left in unanswerable(skeleton):
            print(f"  {left}: never told, so left out")
    for task in TASKS:
        line(
            f"{task}: gold answers that follow (of {asked[task]})", 100 * same[task] / asked[task], 100, "%", more=True
        )
    line("episodes whose task counts differ from the file's", odd, 0, "")
    ceilings(data)


def ceilings(data: Path) -> None:
    """Oracle and full-context on every task, at the smallest k; and none."""
    found: dict[tuple[str, str], list[bool]] = {}
    for verdict in verdicts(["oracle", "full-context", "none"], (5,), data=data, options={"filler": "none"}):
        found.setdefault((verdict.system, verdict.task), []).append(verdict.verdict == "correct")
    for (system, task), right in sorted(found.items()):
        share, wanted = sum(right) / len(right), 0.0 if system == "none" else 1.0
        print(f"  {system:<14}{task:<20}{share:5.2f} of {len(right):<5}{'ok' if share == wanted else 'OFF'}")


def speed(data: Path) -> None:
    """Generation, and the whole suite for two systems."""
    print("speed")
    assert SUITE.data is not None
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        SUITE.data.generate(DOMAINS, EPISODES, 42, Path(folder), lambda what, share: None, {"filler": "32k"})
        line(f"{2 * EPISODES} episodes at 32k generated and written", time.perf_counter() - began, 60, "s")
    began, busy = time.perf_counter(), time.process_time()
    count = sum(1 for _ in verdicts(["bm25", "dense"], KS, rows=EPISODES))
    line(f"bm25 and dense, k 5 10 20 40, run and diagnosed ({count} verdicts)", time.perf_counter() - began, 180, "s")
    print(
        f"  (of which this process was busy {time.process_time() - busy:.0f} s; the rest went to others on the machine)"
    )


def shape(data: Path) -> None:
    """Of the failures of those who knew the old value: which of rule and change event was not brought back."""
    print("cascade and absence, knew but failed: what was missing among the retrieved (the paper's table 17)")
    row("system", "task", "k", "pairs", "failed", "rule missing", "change missing", "both")
    for source, where in (("generated", None), ("released skeletons, chats and fillers of this project", data)):
        if where is not None and not where.is_dir():
            print(f"  (none at {where})")
            continue
        print(f"  {source}")
        for granularity in ("turn", "session"):
            systems = [f"{system}:granularity={granularity}" for system in ("bm25", "dense")]
            table(verdicts(systems, KS, data=where, rows=EPISODES))


def table(found: Iterable[ProbeVerdict]) -> None:
    """One line per system, task and k."""
    for one in missed(found):
        if one.system != MERGED:
            shares = [f"{n} ({n / one.cases:.0%})" if one.cases else "-" for n in (one.rule, one.change, one.both)]
            row(one.system, one.task.removeprefix("meme/"), one.k, one.pairs, one.cases, *shares)


def row(*cells: object) -> None:
    widths = (-28, -10, 3, 7, 8, 14, 16, 12)
    print(
        "  " + "".join(f"{cell!s:<{-w}}" if w < 0 else f"{cell!s:>{w}}" for cell, w in zip(cells, widths, strict=True))
    )


def verdicts(
    systems: list[str],
    ks: tuple[int, ...],
    data: Path | None = None,
    rows: int | None = None,
    options: dict[str, str] | None = None,
) -> Iterable[ProbeVerdict]:
    """The verdicts of one run of the suite."""
    with tempfile.TemporaryDirectory() as folder:
        run = api.run(*systems, suite="meme", k=ks, data=data, rows=rows, options=options, out=Path(folder) / "run")
        yield from run.verdicts()


SECTIONS: dict[str, Callable[[Path], None]] = {"released": released, "speed": speed, "shape": shape}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="the released skeletons")
    chosen = parser.parse_args()
    for name in chosen.sections or SECTIONS:
        SECTIONS[name](chosen.data)
