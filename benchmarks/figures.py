"""The figures the documentation quotes, each as a ratio against its limit, measured in this very run.

python benchmarks/figures.py                       # everything
python benchmarks/figures.py speed hardness        # only these
python benchmarks/figures.py --data path/to/memfail
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from memtriage import registry as plugins
from memtriage.core.suite import Request

DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data" / "memfail"
SYSTEMS = ("bm25", "dense", "hybrid")
KS = (5, 10, 20)


def line(what: str, value: float, limit: float, unit: str, more: bool = False) -> None:
    """One figure: the value, its limit, and their ratio (a ratio of 1 or less is within the limit)."""
    ratio = limit / value if more and value else value / limit if limit else 0.0
    kept = "ok" if (value >= limit if more else value <= limit) else "OVER"
    print(f"  {what:<58}{value:>9.2f} {unit:<4} limit {limit:g} {unit:<4} ratio {ratio:5.2f}  {kept}")


def speed(data: Path) -> None:
    """How long the command line takes to start, and a whole triage of the released files."""
    print("speed")
    line("memtriage --help (best of 5)", best_of(5, [sys.executable, "-m", "memtriage", "--help"]), 0.4, "s")
    line("import memtriage (best of 5)", best_of(5, [sys.executable, "-c", "import memtriage"]), 0.4, "s")
    if not data.is_dir():
        print(f"  (no released files at {data}: triage not timed)")
        return
    from memtriage import api

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        api.run(*SYSTEMS, suite="memfail", data=data, k=KS, out=Path(folder) / "run")
        line("released files, 3 systems, k 5 10 20, run and diagnosed", time.perf_counter() - began, 10, "s")


def best_of(times: int, command: list[str]) -> float:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - began

    return min(once() for _ in range(times))


def calibration(data: Path) -> None:
    """Planted faults on a verbatim memory, generated and released rows, several seeds."""
    from memtriage.validate.calibrate import calibrate

    print("calibration")
    for source, where in (("generated", None), ("released", data)):
        if where is not None and not where.is_dir():
            print(f"  (no released files at {where})")
            continue
        episodes = [e for task in plugins.suite("memfail").tasks for e in task.load(Request(data=where)).episodes]
        found = [calibrate(episodes, seed=seed) for seed in range(3)]
        planted, clean = sum(c.planted for c in found), sum(c.clean for c in found)
        attributed = 100 * sum(c.attributed for c in found) / planted
        alarms = 100 * sum(c.false_alarms for c in found) / clean
        line(f"{source}: planted faults given to their stage (of {planted})", attributed, 99, "%", more=True)
        line(f"{source}: false alarms without faults (of {clean})", alarms, 1, "%")


def generators(data: Path) -> None:
    """10,000 rows of each dataset: time, validity, near duplicates."""
    from memtriage.suites.memfail.dedup import deduplicate
    from memtriage.suites.memfail.generate.rows import stream
    from memtriage.suites.memfail.released.validate import errors, validate
    from memtriage.suites.memfail.rows import DATASETS

    print("generators, 10,000 rows each")
    for dataset in DATASETS:
        began = time.perf_counter()
        rows = list(islice(stream(dataset, 42, 10_000), 10_000))
        line(f"{dataset}: made", time.perf_counter() - began, 60, "s")
        line(f"{dataset}: rows that break a rule", len(errors(validate(rows, dataset, "generated"))), 0, "")
        line(f"{dataset}: near duplicates", 100 * len(deduplicate(rows, dataset).removed) / len(rows), 1, "%")


def hardness(data: Path) -> None:
    """Success on generated rows against the released half of the same size, for bm25 and dense."""
    from memtriage.suites.memfail.released.files import find_files, read_rows
    from memtriage.suites.memfail.rows import DATASETS

    print("hardness: success in %, generated (mean and spread of 10 seeds) against released, same size")
    if not data.is_dir():
        print(f"  (no released files at {data})")
        return
    print(f"  {'dataset':<18}{'system':<8}" + "".join(f"{f'k={k}':>26}" for k in KS))
    for dataset in DATASETS:
        size = len(read_rows(find_files(data, (dataset,))[dataset], dataset))
        released = success(dataset, Request(data=data))
        generated = [success(dataset, Request(seed=seed, rows=size)) for seed in range(42, 52)]
        for system in ("bm25", "dense"):
            cells = [cell([g[system, k] for g in generated], released[system, k]) for k in KS]
            print(f"  {dataset:<18}{system:<8}" + "".join(f"{c:>26}" for c in cells))


def cell(generated: list[float], released: float) -> str:
    mean = statistics.fmean(generated)
    worst = max(abs(value - released) for value in generated)
    return f"{mean:.0f}±{statistics.stdev(generated):.0f} vs {released:.0f} (off ≤{worst:.0f})"


def success(dataset: str, request: Request) -> dict[tuple[str, int], float]:
    from memtriage import api

    with tempfile.TemporaryDirectory() as folder:
        run = api.run(
            "bm25",
            "dense",
            suite=f"memfail/{dataset}",
            seed=request.seed,
            rows=request.rows,
            data=request.data,
            k=KS,
            out=Path(folder) / "run",
            looks=1,
            paper_exact=True,  # so that persona's misleading questions count, by the fact that they resemble
        )
        return {(row.system, row.k): 100 * (row.success or 0.0) for row in run.rows()}


SECTIONS: dict[str, Callable[[Path], None]] = {
    "speed": speed,
    "calibration": calibration,
    "generators": generators,
    "hardness": hardness,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="the released MemFail files")
    chosen = parser.parse_args()
    for name in chosen.sections or SECTIONS:
        SECTIONS[name](chosen.data)
