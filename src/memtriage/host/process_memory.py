"""How much memory processes take, as the kernel tells it below /proc; None where it doesn't."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def resident() -> int | None:
    """The bytes of this process that are in memory now."""
    try:
        with open(_PROC / "self" / "statm", "rb", buffering=0) as file:
            return int(file.read(128).split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return None


def peak_of(pid: int) -> int | None:
    """The most bytes that a process and each of those it started, as far as they still run, ever had in memory.

    Their peaks are added up, though they need not have come at the same time.
    """
    peaks = [peak for each in _tree(pid) if (peak := _peak(each)) is not None]
    return sum(peaks) if peaks else None


def forget_peak(pid: int) -> None:
    """Have the peaks of a process and of those it started begin anew, where the kernel lets us."""
    for each in _tree(pid):
        with suppress(OSError):
            (_PROC / str(each) / "clear_refs").write_bytes(b"5")


def _peak(pid: int) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in (_PROC / str(pid) / "status").read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def _tree(pid: int) -> Iterator[int]:
    """A process and all that came from it."""
    yield pid
    with suppress(OSError, ValueError):
        for thread in os.listdir(_PROC / str(pid) / "task"):
            for child in (_PROC / str(pid) / "task" / thread / "children").read_bytes().split():
                yield from _tree(int(child))
