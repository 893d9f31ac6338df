"""How often the gate errs, on made-up runs whose truth is known.

A probe of the baseline is right in 60 of 100 cases; then some of what was right is lost, and some of what was wrong is
won. Rows of four probes share their fate in 70 of 100 cases. Nothing changed on the whole: how often is anything called
worse? The drop is exactly as large as is allowed: how often does it pass? A real drop: how often is it found?

    python benchmarks/gate.py --times 2000
"""

from __future__ import annotations

import argparse
from random import Random

from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.record.results import EpisodeMark, Results
from memtriage.tables.gate import Gate, gate

RIGHT = 0.6


def probes(random: Random, tasks: int, n: int, lose: float, win: float, size: int) -> list[list[ProbeVerdict]]:
    """A baseline and a new run."""
    runs: list[list[ProbeVerdict]] = [[], []]
    for task in range(tasks):
        for row in range(n // size):
            shared = random.random(), random.random()
            for place in range(size):
                own = [fate if size > 1 and random.random() < 0.7 else random.random() for fate in shared]
                before = own[0] < RIGHT
                now = own[1] >= lose if before else own[1] < win
                for run, right in zip(runs, (before, now), strict=True):
                    verdict: Verdict = "correct" if right else "not_retrieved"
                    where = ("made-up", f"made-up/{task}", "memory", f"e{task}", f"{row}-{place}", 5, "memory")
                    run.append(ProbeVerdict(*where, verdict, "", "", (), cluster=str(row)))  # type: ignore[arg-type]
    return runs


def gated(random: Random, tasks: int, n: int, lose: float, win: float, size: int, max_drop: float) -> Gate:
    marks = {f"e{task}": EpisodeMark("made-up", f"made-up/{task}", "") for task in range(tasks)}
    before, now = (
        Results("", "", "", (), 0, None, {}, (5,), ("memory",), {}, {}, {}, marks, (), lambda run=run: run)
        for run in probes(random, tasks, n, lose, win, size)
    )
    return gate(now, before, max_drop=max_drop)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=2000)
    times = parser.parse_args().times
    for size in (1, 4):
        for told, finding, settings in (
            ("alike, 1 task of 100: worse", "worse", (1, 100, 0.1, 0.15, size, 3)),
            ("alike, 5 tasks of 100: any worse", "worse", (5, 100, 0.1, 0.15, size, 3)),
            ("a drop of 10 points, 10 allowed, 1 task of 200: not worse", "not_worse", (1, 200, 0.25, 0.125, size, 10)),
            ("a drop of 20 points, 3 allowed, 1 task of 100: worse", "worse", (1, 100, 0.3833, 0.075, size, 3)),
        ):
            random = Random(77)
            found = sum(gated(random, *settings).finding == finding for _ in range(times))
            print(f"rows of {size}: {told} {100 * found / times:.1f} %", flush=True)


if __name__ == "__main__":
    main()
