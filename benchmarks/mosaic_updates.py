"""How many everyday updates mosaic notices, and how many it sees where there are none.

python benchmarks/mosaic_updates.py                # both halves
python benchmarks/mosaic_updates.py seen --show    # and what was missed, or linked without reason

A pair is an earlier and a later sentence. `update` means that the later one overtakes the earlier one; `other` that
both hold. The forms were written with the seen half in view; the unseen half was drawn by chance from the same list
before that, and not looked at. Each pair is told alone and among 60 other turns. `marked`: the search for the question
says that the later one overtook the earlier, and puts it first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtriage.metrics.statistics import wilson
from memtriage.mosaic import MosaicMemory

FOLDER = Path(__file__).parent / "updates"
HALVES = ("seen", "unseen")


@dataclass(frozen=True)
class Pair:
    """Two sentences, what is asked about them, and whether the later one overtakes the earlier."""

    update: bool
    before: str
    after: str
    question: str


@dataclass(frozen=True)
class Result:
    """What became of a pair: linked, the later one first with the earlier marked; and links of any other turn."""

    linked: bool
    marked: bool
    strays: int


def pairs(half: str) -> Iterator[Pair]:
    """The pairs of one half."""
    for line in (FOLDER / f"{half}.txt").read_text(encoding="utf-8").splitlines():
        kind, *parts = line.split(" | ")
        yield Pair(kind == "update", *parts)


def tried(pair: Pair, filler: list[str]) -> Result:
    """Tell a pair to a memory, other turns around it, and look what it made of that."""
    memory = MosaicMemory()
    third = len(filler) // 3
    with memory.batch():
        for n, text in enumerate(filler[:third]):
            memory.add(text, id=f"a{n}")
        memory.add(pair.before, id="before")
        for n, text in enumerate(filler[third:-third] if third else ()):
            memory.add(text, id=f"b{n}")
        memory.add(pair.after, id="after")
        for n, text in enumerate(filler[-third:] if third else ()):
            memory.add(text, id=f"c{n}")
    linked = "after" in {event.entry.id for event in memory.history("before")}
    hits = {hit.entry.id: (n, hit.voided_by) for n, hit in enumerate(memory.search(pair.question, k=len(filler) + 2))}
    marked = hits["after"][0] < hits["before"][0] and hits["before"][1] == "after"
    every = {event.entry.id for entry in memory.get_all() for event in memory.history(entry.id)}
    strays = len([1 for entry in memory.get_all() for _ in memory.history(entry.id)]) - linked
    return Result(linked, marked, strays if every else 0)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halves", nargs="*", default=HALVES, metavar="half", help=", ".join(HALVES))
    parser.add_argument("--show", action="store_true", help="print the pairs that went wrong")
    given = parser.parse_args()
    filler = (FOLDER / "filler.txt").read_text(encoding="utf-8").splitlines()
    for half in given.halves:
        for title, around in (("alone", []), (f"among {len(filler)} turns", filler)):
            started = time.process_time()
            found = [(pair, tried(pair, around)) for pair in pairs(half)]
            took = 1000 * (time.process_time() - started) / (len(found) * (len(around) + 2))
            updates = [result for pair, result in found if pair.update]
            others = [result for pair, result in found if not pair.update]
            print(f"{half}, {title}: {took:.2f} ms a turn, search and history included")
            _line("updates linked", [result.linked for result in updates])
            _line("updates linked, the later first and the earlier marked", [result.marked for result in updates])
            _line("others linked", [result.linked for result in others])
            print(f"  links among other turns: {sum(result.strays for _, result in found)}")
            for pair, result in found if given.show else ():
                if pair.update != result.linked or (pair.update and not result.marked):
                    wrong = "linked" if not pair.update else "missed" if not result.linked else "not marked"
                    print(f"    {wrong}: {pair.before} -> {pair.after}")


def _line(title: str, values: list[bool]) -> None:
    low, high = wilson(sum(values), len(values))
    share = f"{100 * sum(values) / len(values):.1f} ({100 * low:.0f}–{100 * high:.0f})"
    print(f"  {title}: {share}, {sum(values)} of {len(values)}")


if __name__ == "__main__":
    main()
