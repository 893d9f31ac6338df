"""One chat of BEAM's lengths: processor time and peak memory, for 128k tokens to 2m, or to 10m with --whole.

python benchmarks/beam.py [--whole]

Each line is a process of its own. `generate` writes a chat in the released layout, `load` reads it from there and
writes it into a run directory as every run does, questions and all, and `store` is a whole run with bm25 on the same
files. The first two should need about the same memory at any length; a store holds what it was told, and grows with it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SIZES = ("128k", "512k", "1m", "2m")
STEPS = ("generate", "load", "store")


def step(name: str, tokens: str, folder: Path) -> None:
    """One step in this process; prints its processor time and its peak memory, and those of having imported it all."""
    from memtriage import api
    from memtriage.core.suite import Request
    from memtriage.record.episodes import write_episodes
    from memtriage.suites.beam.data import BEAMFiles
    from memtriage.suites.beam.suite import load

    before = resource.getrusage(resource.RUSAGE_SELF)
    if name == "generate":
        BEAMFiles().generate(["chat"], 1, 42, folder / "chats", lambda *_: None, {"tokens": tokens})
    elif name == "load":
        (folder / "record" / "episodes").mkdir(parents=True)
        write_episodes(folder / "record", load(Request(data=folder / "chats")).episodes)
    else:
        api.run("bm25", suite="beam", k=10, data=folder / "chats", out=folder / "run", progress=False)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{seconds:.3f} {after.ru_maxrss / 1024:.0f} {before.ru_maxrss / 1024:.0f}")


def main(sizes: tuple[str, ...]) -> None:
    print("tokens    step       seconds   peak MB   of which before it began")
    for tokens in sizes:
        with TemporaryDirectory() as folder:
            for name in STEPS:
                command = [sys.executable, __file__, name, tokens, folder]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                seconds, peak, before = done.stdout.split()[-3:]
                print(f"{tokens:<9} {name:<9} {float(seconds):>8.1f} {peak:>9} {before:>9}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in STEPS:
        step(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    else:
        main((*SIZES, "10m") if "--whole" in sys.argv else SIZES)
