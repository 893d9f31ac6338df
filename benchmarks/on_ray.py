"""How much faster two nodes of a Ray cluster are than one, if they come to the same, and what a killed worker costs.

    python benchmarks/on_ray.py                         # 200 questions, about 7 minutes on two idle cores
    python benchmarks/on_ray.py --rows 40 --rounds 1    # a quick look
    python benchmarks/on_ray.py --plot docs/ray.svg     # and the picture of docs/figures.md

Each node is pinned to a core, the run itself to those of its nodes. LongMemEval-S questions are generated and asked of
bm25 and dense. The clock starts with the first store. `stores` stops with the last one, whose verdicts are made where
it was filled (without Ray they come later), `seconds` when the run is sealed and the cluster left; `whole` also has the
data and the start of the cluster. Runs alternate, the median of each kind counts, and all files are compared but for
times. `cpu` are the processor seconds of all processes on that clock; they hold on a busy machine too, and show what is
done twice.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import zstandard

KINDS = {
    "no Ray": "one process on one core, without Ray",
    "one node": "a node on a core",
    "two nodes": "two nodes, each on a core",
    "killed": "two nodes, a worker killed in the middle",
}
TIMES = re.compile(
    rb'"(seconds|ingest_seconds|query_seconds|peak_bytes|created|seal|origin|sha256|digest|bytes)": ?'
    rb'("[^"]*"|[\d.e+-]+|null)'
)


def main() -> None:
    arguments = _arguments()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], arguments.rows, Path(arguments.one[1]))))
        return
    measured: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds):
            for kind in KINDS:
                out = Path(folder) / f"{kind} {number}"
                found = _measured(kind, arguments.rows, out)
                here, there = _files(Path(folder) / "no Ray 0"), _files(out)
                differing = [name for name in {**here, **there} if here.get(name) != there.get(name)]
                assert not differing, f"{kind}: {', '.join(differing)} are not the same"
                measured.setdefault(kind, []).append(found)
    print(f"{arguments.rows} questions of LongMemEval-S, bm25 and dense: all files are equal but for times")
    print(f"{'':10} {'stores':>8} {'× one node':>10} {'seconds':>8} {'× one node':>10} {'whole':>8} {'cpu':>8}")
    one = _medians(measured["one node"])
    for kind, each in measured.items():
        found = _medians(each)
        both = " ".join(f"{found[name]:8.1f} {one[name] / found[name]:10.2f}" for name in ("stores", "seconds"))
        print(f"{kind:10} {both} {found['whole']:8.1f} {found['cpu']:8.1f}   {KINDS[kind]}")
    if arguments.plot:
        curves = {kind: min(each, key=lambda found: found["seconds"])["curve"] for kind, each in measured.items()}
        arguments.plot.write_text(drawn(curves), encoding="utf-8")


def _medians(measured: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The median of each number of some runs."""
    return {name: median(found[name] for found in measured) for name in ("stores", "seconds", "whole", "cpu")}


def _measured(kind: str, rows: int, out: Path) -> dict[str, Any]:
    """Measure one kind of run in a process of its own."""
    command = [sys.executable, __file__, "--rows", str(rows), "--one", kind, str(out)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(kind: str, rows: int, out: Path) -> dict[str, Any]:
    """One run, pinned to its cores."""
    import memtriage
    from memtriage.config import Limits
    from memtriage.host.collector import collect_seldom
    from memtriage.runner.watcher import Watcher

    collect_seldom()  # as the command does
    began = time.perf_counter()
    cores = sorted(os.sched_getaffinity(0))
    own = cores[:1] if kind in ("no Ray", "one node") else cores[:2]
    cluster, on = None, ""
    if kind != "no Ray":
        cluster = _cluster(own)
        on = f"ray:{cluster.address}"
    os.sched_setaffinity(0, own)

    class Curve(Watcher):
        """Writes down when which part was done, and kills a worker at the half of it."""

        def __init__(self) -> None:
            self.began = self.done = self.total = self.cpu = 0.0
            self.points: list[tuple[float, float]] = []
            self.kill = kind == "killed"

        def begin(self, path: Path, steps: int) -> None:
            self.began, self.total, self.cpu = time.perf_counter(), steps, _processor_seconds()

        def diagnosing(self) -> None:  # the last moment at which the workers are there
            self.cpu = _processor_seconds() - self.cpu - time.process_time()

        def step(self, steps: int = 1) -> None:
            self.done += steps
            self.points.append((round(time.perf_counter() - self.began, 2), round(self.done / self.total, 4)))
            if self.kill and self.done > self.total / 2:
                self.kill = False
                os.kill(next(_workers()), signal.SIGKILL)

    curve = Curve()
    settings: dict[str, Any] = {"suite": "longmemeval", "rows": rows, "k": [5, 10], "progress": False}
    memtriage.run("bm25", "dense", out=out, watcher=curve, limits=Limits(on=on, stores=1), command="run", **settings)
    ended, cpu = time.perf_counter(), curve.cpu + time.process_time()
    assert not curve.kill, "no worker was killed"
    if cluster is not None:
        cluster.shutdown()
    step = max(1, len(curve.points) // 200)
    points = [[0, 0], *curve.points[::step]]
    times = {"stores": curve.points[-1][0], "seconds": ended - curve.began, "whole": ended - began}
    return {**times, "cpu": cpu, "curve": points}


def _cluster(cores: list[int]) -> Any:
    """A cluster with a node on each core; what a process starts is pinned as it is."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    os.sched_setaffinity(0, cores[:1])
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for core in cores:
        os.sched_setaffinity(0, {core})
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    return cluster


def _descendants() -> Iterator[tuple[int, list[str]]]:
    """This process and all that came of it, each with the numbers that the kernel has on it."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
    for pid, numbers in found.items():
        at = pid
        while at in found and at != os.getpid():
            at = int(found[at][1])
        if at == os.getpid():
            yield pid, numbers


def _workers() -> Iterator[int]:
    """The processes that fill a store now."""
    for pid, _ in _descendants():
        if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::run_stores"):
            yield pid


def _processor_seconds() -> float:
    """What this process, all that came of it, and those of them that ended have taken of processors."""
    ticks = sum(int(number) for _, numbers in _descendants() for number in numbers[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _files(run: Path) -> dict[str, bytes]:
    """The files of a run, unpacked and without times."""
    found = {}
    for file in sorted(run.rglob("*")):
        if file.is_file() and file.name not in (".lock", "seal.json", "report.html"):
            found[str(file.relative_to(run))] = TIMES.sub(rb'"\1":0', _unpacked(file))
    return found


def _unpacked(file: Path) -> bytes:
    with file.open("rb") as opened:
        if file.suffix != ".zst":
            return opened.read()
        return zstandard.ZstdDecompressor().stream_reader(opened, read_across_frames=True).read()


def drawn(curves: dict[str, list[list[float]]]) -> str:
    """The part that was done, over the seconds, as an SVG."""
    width, height, left, top, right, bottom = 760, 340, 56, 20, 150, 46
    last = max(point[0] for curve in curves.values() for point in curve)
    colours = ("#868e96", "#4c6ef5", "#2b8a3e", "#e8590c")

    def x(seconds: float) -> float:
        return left + seconds / last * (width - left - right)

    def y(share: float) -> float:
        return height - bottom - share * (height - top - bottom)

    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    said = "The part of a run that is done, over the seconds, on one node and on two"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{said}">',
        "<style>text { font: 13px system-ui, sans-serif; fill: #495057 }",
        ".line { fill: none; stroke-width: 2.5 }</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for share in (0, 0.5, 1):
        line = f'x1="{left}" x2="{width - right}" y1="{y(share):.1f}" y2="{y(share):.1f}"'
        parts.append(f'<line {line} stroke="#dee2e6"/>')
        parts.append(f'<text x="{left - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    step = next(each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000) if last / each <= 8)
    for seconds in range(0, int(last) + 1, step):
        parts.append(f'<text x="{x(seconds):.1f}" y="{height - bottom + 20}" text-anchor="middle">{seconds}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">seconds</text>')
    for row, ((kind, curve), colour) in enumerate(zip(curves.items(), colours, strict=True)):
        points = " ".join(f"{x(seconds):.1f},{y(share):.1f}" for seconds, share in curve)
        parts.append(f'<polyline class="line" stroke="{colour}" points="{points}"/>')
        at = top + 18 + 22 * row
        parts.append(f'<rect x="{width - right + 16}" y="{at - 9}" width="14" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{width - right + 38}" y="{at - 2}">{kind}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plot", type=Path, help="where to draw the picture")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
