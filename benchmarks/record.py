"""What seals cost: the same run with and without them, one after the other, in turn.

Timed are a run with its page, as `memtriage run` makes it, and reading its table back, both in CPU seconds. Without
seals, lines are written and read as they are, no file is hashed, and no memory is held against its key. The fastest
round of each is compared, which other work on the machine disturbs least; beside it stand the quartiles over pairs of
rounds.

    python benchmarks/record.py --rounds 15
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO
from unittest.mock import patch

import memtriage
from memtriage.record.seal import FileSeal

SYSTEMS = ("none", "bm25", "dense", "hybrid", "full-context", "oracle")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rows", type=int, default=50)
    options = parser.parse_args()
    took: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        timed("warm", options.rows)
        for number in range(options.rounds):
            for way in sorted(took, reverse=bool(number % 2)):
                with ExitStack() as stack:
                    if way == "without":
                        stack.enter_context(without_seals())
                    took[way].append(timed(f"{way}-{number}", options.rows))
        size = sum(file.stat().st_size for file in Path("with-0").iterdir() if file.is_file())
    print(f"{options.rounds} rounds of {size / 1e6:.1f} MB")
    for place, what in enumerate(("a run with its page", "reading its table back")):
        sealed, plain = ([each[place] for each in took[way]] for way in ("with", "without"))
        low, _, high = statistics.quantiles([a / b - 1 for a, b in zip(sealed, plain, strict=True)], n=4)
        best = f"{min(sealed):.3f} s with seals, {min(plain):.3f} s without"
        print(f"{what}: {best}: {min(sealed) / min(plain) - 1:+.1%} (pairs: {low:+.1%} to {high:+.1%})")


def timed(name: str, rows: int) -> tuple[float, float]:
    """The CPU seconds of a run, and of reading its table back."""
    began = time.process_time()
    memtriage.run(*SYSTEMS, suite="memfail", rows=rows, out=name).report()
    made = time.process_time()
    memtriage.load(name).table()
    return made - began, time.process_time() - made


@contextmanager
def without_seals() -> Iterator[None]:
    """Everything as it is, only that nothing is sealed or hashed."""
    with (
        patch("memtriage.record.journal.seal_line", lambda line, start: line[:-2] + b',"seal":""}\n'),
        patch("memtriage.record.journal.check_line", lambda line, start: 0),
        patch("memtriage.record.journal.hashlib", SimpleNamespace(sha256=_NoHash)),
        patch("memtriage.record.seal._seal_of", _size_only),
        patch("memtriage.record.reader.has_key", lambda record, key: True),
    ):
        yield


class _NoHash:
    """Hashes nothing, and says so."""

    def __init__(self, content: bytes = b"") -> None: ...

    def update(self, content: bytes) -> None: ...

    def hexdigest(self) -> str:
        return ""


def _size_only(file: BinaryIO, name: str, size: int | None = None) -> FileSeal:
    return FileSeal(0, os.fstat(file.fileno()).st_size, "")


if __name__ == "__main__":
    main()
