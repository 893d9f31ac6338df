"""What seals cost: the share of a run's CPU time that goes into sealing and checking what it keeps.

Each round is the demo, `memtriage run` as it is, in a process of its own, and then `memtriage show` of its result.
Every call that seals or checks a line, hashes a file or holds a memory against its key is timed, less what timing
takes. Both times are those of one process, so that other work on the machine disturbs them alike.

    python benchmarks/record.py --rounds 5
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

SEALING = (
    "memtriage.record.journal.seal_line",
    "memtriage.record.journal.check_line",
    "memtriage.record.journal.hash_of",
    "memtriage.record.seal._seal_of",
    "memtriage.record.seal.LineSeal._add",
    "memtriage.record.reader.has_key",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if options.command:
        print(json.dumps(timed(options.command)))
        return
    found: dict[str, list[dict[str, float]]] = {"run": [], "show": []}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            for command in (["run", "--out", "a", "-q"], ["show", "a"]):
                process = [sys.executable, str(Path(__file__).resolve()), "--", *command]
                done = subprocess.run(process, cwd=folder, check=True, stdout=subprocess.PIPE)
                found[command[0]].append(json.loads(done.stdout))
    for name, rounds in found.items():
        shares = [each["sealing"] / (each["cpu"] - each["sealing"]) for each in rounds]
        cpu, calls = (statistics.median(each[key] for each in rounds) for key in ("cpu", "calls"))
        told = f"{statistics.median(shares):.1%} ({min(shares):.1%} to {max(shares):.1%}) on top of the rest"
        print(f"memtriage {name}: {cpu:.1f} s of CPU, {calls:,.0f} calls that seal or check: {told}")


def timed(command: list[str]) -> dict[str, float]:
    """The CPU seconds of a command, and how many of them went into seals."""
    spent, calls = 0.0, 0

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal spent, calls
            began = time.thread_time()
            try:
                return function(*arguments)
            finally:
                spent += time.thread_time() - began
                calls += 1

        return call

    nothing = watched(lambda *arguments: None)
    for _ in range(20_000):
        nothing(b"", 0)
    timing = spent / calls
    spent, calls = 0.0, 0
    with contextlib.ExitStack() as stack:
        for name in SEALING:
            stack.enter_context(patch(name, watched(resolve_name(name))))
        stack.enter_context(patch.object(sys, "argv", ["memtriage", *command]))
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        stack.enter_context(contextlib.suppress(SystemExit))
        from memtriage.cli.main import main as memtriage

        memtriage()
    return {"cpu": time.process_time() - calls * 2 * timing, "sealing": spent - calls * timing, "calls": calls}


if __name__ == "__main__":
    main()
