"""The whole MemFail loop against a server with latency, as a ratio against the critical-path bound of the same run.

The bound is what no client could beat: the longest chain of calls that wait for each other, plus all calls times
the latency over the concurrency.

    python benchmarks/loop.py                  # 200 ms, 32 at once, released files
    python benchmarks/loop.py --paper-exact    # every stage of every fact to the judge
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memtriage import api
from memtriage.config import Limits
from memtriage.host.collector import collect_seldom

SHARED = Path(os.environ.get("MEMTRIAGE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
DEFAULT_DATA = SHARED / "memfail"
KS = (5, 10, 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--paper-exact", action="store_true")
    chosen = parser.parse_args()
    if not chosen.data.is_dir():
        print(f"no released files at {chosen.data}")
        return
    collect_seldom()  # as the command does
    with tempfile.TemporaryDirectory() as folder:
        measure(chosen, Path(folder))


def measure(chosen: argparse.Namespace, folder: Path) -> None:
    server, url = served(chosen.latency)
    alike = {"paper_exact": chosen.paper_exact, "options": {"replies": "no"}}
    models = {"answer": f"{url}#stub", "judge": f"{url}#stub", **alike}
    limits = Limits(chosen.concurrency, cache=folder / "calls.sqlite")
    try:
        api.run("bm25", suite="memfail/persona", rows=2, k=[2], out=folder / "warm", limits=limits, **models)  # imports
        free = timed(lambda: api.run("bm25", data=chosen.data, k=KS, out=folder / "free"))
        full = timed(lambda: api.run("bm25", data=chosen.data, k=KS, out=folder / "full", limits=limits, **models))
        cost = api.load(folder / "full").cost
        again = timed(lambda: api.run("bm25", data=chosen.data, k=KS, out=folder / "again", limits=limits, **models))
        second = api.load(folder / "again").cost
    finally:
        server.terminate()
        server.wait()
    assert cost is not None
    assert second is not None
    calls = cost["total"]["calls"]
    chain = 5 if chosen.paper_exact else 2  # an answer, then up to four judgings, or just the last one
    bound = chain * chosen.latency + calls * chosen.latency / chosen.concurrency
    print(f"store, retrieve and diagnose by words alone: {free:.2f} s")
    print(f"whole loop: {full:.2f} s, {calls} calls at {1000 * chosen.latency:.0f} ms, {chosen.concurrency} at once")
    print(f"bound: {chain} calls in a row + {calls} x {chosen.latency} / {chosen.concurrency} = {bound:.2f} s")
    kept = "ok" if full <= 1.5 * bound else "OVER"
    print(f"ratio of the whole loop to the bound: {full / bound:.2f} (limit 1.5)  {kept}")
    print(f"the same run again: {again:.2f} s, {second['total']['calls']} calls (limit 0)")


def served(latency: float) -> tuple[subprocess.Popen[str], str]:
    """A scripted server in a process of its own."""
    command = [sys.executable, "-m", "memtriage", "serve-stub", "content", "--port", "0", "--latency", str(latency)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    return server, server.stdout.readline().split()[0]


def timed(work: object) -> float:
    assert callable(work)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
