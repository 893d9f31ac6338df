"""How much memory processes use, read from /proc; None where the system has no /proc."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def resident() -> int | None:
    """How many bytes of this process are in memory now."""
    try:
        with open(_PROC / "self" / "statm", "rb", buffering=0) as file:
            return int(file.read(128).split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return None


def peak_of(pid: int) -> int | None:
    """The peak memory of a process and its running children, in bytes.

    The peaks are added up, though they may not have come at the same time.
    """
    peaks = [peak for each in process_tree(pid) if (peak := _peak(each)) is not None]
    return sum(peaks) if peaks else None


def reset_peak(pid: int) -> None:
    """Reset the peaks of a process and its children, where the kernel allows it."""
    for each in process_tree(pid):
        with suppress(OSError):
            (_PROC / str(each) / "clear_refs").write_bytes(b"5")


def _peak(pid: int) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in (_PROC / str(pid) / "status").read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def process_tree(pid: int) -> Iterator[int]:
    """A process and all its descendants."""
    yield pid
    with suppress(OSError, ValueError):
        for thread in os.listdir(_PROC / str(pid) / "task"):
            for child in (_PROC / str(pid) / "task" / thread / "children").read_bytes().split():
                yield from process_tree(int(child))
