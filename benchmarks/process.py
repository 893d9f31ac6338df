"""What the boundary between processes costs: a memory that does nothing, called across it and called directly.

    python benchmarks/process.py               # 5,000 calls of each kind
    python benchmarks/process.py --calls 500

The limit is 2 ms a call at the median, for a conversation and a list of memories of common size.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memtriage.core.episode import Session, Turn
from memtriage.core.memory import Memory
from memtriage.systems.remote.process import Process
from memtriage.systems.remote.running import close_all

LIMIT_MS = 2.0
TURNS = 6
K = 10
TEXT = "On Tuesday she moved the green kettle from the pantry to the shelf above the stove, next to the blue cups."
MEMORIES = [Memory(f"m{n}", f"{n} {TEXT}", "2026-03-02T09:00:00", (f"s/{n}",), 0.5) for n in range(K)]

SIDE = f"""
from memtriage_adapter import Memory, serve
MEMORIES = [Memory(f"m{{n}}", f"{{n}} {TEXT}", "2026-03-02T09:00:00", (f"s/{{n}}",), 0.5) for n in range({K})]
class Idle:
    def store_conversation(self, conversation): pass
    def retrieve_memories(self, query, conversation, k): return MEMORIES
serve(Idle)
"""


class Idle:
    """The same, here."""

    def store_conversation(self, conversation: Session) -> None:
        pass

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return MEMORIES


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of the boundary between processes, per call.")
    parser.add_argument("--calls", type=int, default=5_000)
    calls = parser.parse_args().calls
    session = Session("s", tuple(Turn("user", TEXT, f"s/{n}") for n in range(TURNS)), "2026-03-02T09:00:00")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "idle.py"
        script.write_text(SIDE)
        began = time.perf_counter()
        across = Process([sys.executable, str(script)])
        print(f"start of a process: {1000 * (time.perf_counter() - began):.0f} ms\n")
        print(f"{'call':10} {'median':>9} {'p95':>9} {'direct':>10} {'ratio':>9}")
        slow = False
        for name, call in _calls(session).items():
            here = _times(lambda call=call: call(Idle()), calls)  # type: ignore[misc]
            there = _times(lambda call=call: call(across), calls)  # type: ignore[misc]
            median = statistics.median(there)
            ninety_five = statistics.quantiles(there, n=20)[-1]
            direct = statistics.median(here)
            print(f"{name:10} {median:6.3f} ms {ninety_five:6.3f} ms {direct:7.4f} ms {median / direct:8.0f}x")
            slow |= median > LIMIT_MS
        close_all()
    print(f"\nlimit at the median: {LIMIT_MS:g} ms, {'missed' if slow else 'kept'}")
    sys.exit(slow)


def _calls(session: Session) -> dict[str, Callable[[Idle | Process], object]]:
    return {
        "store": lambda memory: memory.store_conversation(session),
        "retrieve": lambda memory: memory.retrieve_memories("Where is the green kettle?", session, K),
    }


def _times(call: Callable[[], object], calls: int) -> list[float]:
    """Milliseconds of each call, after some to warm up."""
    for _ in range(calls // 10):
        call()
    spent = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        spent.append(1000 * (time.perf_counter() - began))
    return spent


if __name__ == "__main__":
    main()
