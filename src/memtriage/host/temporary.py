"""Temporary folders that don't outlive memtriage: what a killed one left behind, the next one removes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from memtriage.host.files import open_inside

_PREFIX = "memtriage-"
_MARK = ".in-use"
"""A file in each folder, locked for as long as its process lives; a folder without it is none of ours."""


class TemporaryFolder:
    """A new folder for this process. It goes when it is removed, or with the next memtriage if this one is killed."""

    def __init__(self, name: str = "") -> None:
        clear_abandoned()
        self.path, self._mark = _made(f"{_PREFIX}{name}")

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._mark.close()

    def keep(self, *names: str) -> None:
        """Remove everything but these files, which stay for somebody to read."""
        for each in self.path.iterdir():
            if each.name not in names:
                shutil.rmtree(each, ignore_errors=True) if each.is_dir() else each.unlink(missing_ok=True)
        self._mark.close()

    def forget(self) -> None:
        """In a fork: leave the folder to the process that made it."""
        self._mark.close()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def clear_abandoned() -> None:
    """Remove the temporary folders of processes that were killed; those of living ones are kept."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for each in found:
            if each.name.startswith(_PREFIX):
                with suppress(OSError):  # it is in use, has no mark, or somebody else is removing it
                    _remove_abandoned(Path(each.path))


def _made(prefix: str) -> tuple[Path, BinaryIO]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
        mark = open_inside(path, _MARK, "a")
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken = not os.fstat(mark.fileno()).st_nlink
        except BlockingIOError:
            taken = True
        except OSError:  # not every file system has locks
            taken = False
        if not taken:
            return path, mark
        mark.close()  # taken for an abandoned one before it was locked


def _remove_abandoned(path: Path) -> None:
    if path.is_symlink() or path.lstat().st_uid != os.geteuid():
        return
    with open_inside(path, _MARK, "r") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
