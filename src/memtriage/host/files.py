"""Files that are either as before or complete, and what to say when a disk won't take them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, parts: bytes | Iterable[bytes]) -> None:
    """Write a file beside its place and put it there in one step; on any failure nothing is left behind."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            for content in (parts,) if isinstance(parts, bytes) else parts:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def why(error: OSError) -> str:
    """The reason of a failed write, in words that say what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"no room left ({error.strerror}); free some space or choose another folder"
    return f"{error.strerror or error}; choose a folder you may write to"
