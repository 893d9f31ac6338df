"""How much memory of a GPU processes use: what torch counts in this process, or else what nvidia-smi says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress

from memtriage.host.process_memory import process_tree

_ASK = ("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
_PATIENCE = 10.0
_MIB = 1 << 20


def gpu_bytes(pid: int | None = None) -> int | None:
    """The GPU memory of a process and its children (None: this process), in bytes; None if there is none to be seen.

    In this process torch knows the peak. Otherwise it is what is in use now, which libraries seldom give back.
    """
    peak = _torch_peak() if pid is None else None
    return _in_use(pid or os.getpid()) if peak is None else peak


def _torch_peak() -> int | None:
    """The most that torch has allocated, on all devices together; None without torch or CUDA."""
    torch = sys.modules.get("torch")  # whoever uses a GPU has loaded it; loading it here would take seconds
    if torch is None:
        return None
    with suppress(Exception):  # a torch that was built or set up otherwise may raise anything
        if torch.cuda.is_available():
            devices = range(torch.cuda.device_count())
            return sum(int(torch.cuda.max_memory_allocated(device)) for device in devices) or None
    return None


def _in_use(pid: int) -> int | None:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run([tool, *_ASK], capture_output=True, text=True, timeout=_PATIENCE, check=True).stdout
        own = set(process_tree(pid))
        return sum(size for process, size in _listed(told) if process in own) or None
    return None


def _listed(told: str) -> list[tuple[int, int]]:
    """Processes with their memory in bytes, as nvidia-smi lists them.

    >>> _listed("812, 1024\\n900, [N/A]\\n")
    [(812, 1073741824)]
    """
    rows = (line.split(",") for line in told.splitlines())
    cells = ([cell.strip() for cell in row] for row in rows)
    return [(int(c[0]), int(c[1]) * _MIB) for c in cells if len(c) == 2 and c[0].isdigit() and c[1].isdigit()]
