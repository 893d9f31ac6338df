"""Write files whole or not at all, and explain failed writes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, parts: bytes | Iterable[bytes]) -> None:
    """Write to a temporary file and move it into place; on any failure nothing is left behind."""
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


def failure_reason(error: OSError) -> str:
    """Why a write failed, and what the user can do about it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"no room left ({error.strerror}); free some space or choose another folder"
    return f"{error.strerror or error}; choose a folder you may write to"
