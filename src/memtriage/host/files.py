"""Open the files of a folder without being led out of it, write files whole or not at all, and explain failed writes.

A run directory may come from anywhere. So its files are opened through `open_inside`, `read_inside` and `write_inside`:
plain files only, in plain folders only. A link, a FIFO, a device or a name with `..` raises `NotPlain`. The directory
itself may be reached through a link.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal

from memtriage.core.errors import BadRun
from memtriage.host.masks import mask_bytes

_FLAGS = {"r": os.O_RDONLY, "a": os.O_RDWR | os.O_APPEND | os.O_CREAT, "w": os.O_RDWR | os.O_CREAT}
_PYTHON_MODES = {"r": "rb", "a": "a+b", "w": "w+b"}


class NotPlain(BadRun, OSError):
    """Something stands in the place of a plain file or folder; `strerror` says what."""

    def __init__(self, path: Path, what: str) -> None:
        OSError.__init__(self, errno.ELOOP, what, str(path))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def open_inside(root: Path, name: str, mode: Literal["r", "a", "w"]) -> BinaryIO:
    """Open a plain file in a folder or below it, to read, to append or to write anew.

    Files and folders that are made on the way are the user's alone. FileNotFoundError where there is nothing to read.
    """
    path = root / name
    with _folder_of(root, name, make=mode != "r") as (folder, last):
        with _named(path):
            found = _found(folder, last)
        if found is not None:
            _refuse(found, path, written=mode != "r")  # before it is opened, which a device may act upon
        # Without O_NONBLOCK, a FIFO put there meanwhile would wait for somebody at its other end.
        flags = _FLAGS[mode] | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with _named(path):
            opened = os.open(last, flags, 0o600, dir_fd=folder)
    try:
        _refuse(os.fstat(opened), path, written=mode != "r")
        if found is None:
            os.fchmod(opened, 0o600)  # whatever the umask
        os.set_blocking(opened, True)
        if mode == "w":
            os.ftruncate(opened, 0)
        return os.fdopen(opened, _PYTHON_MODES[mode])  # type: ignore[return-value]
    except BaseException:
        os.close(opened)
        raise


def read_inside(root: Path, name: str) -> bytes:
    """The content of a plain file in a folder or below it."""
    with open_inside(root, name, "r") as file:
        return file.read()


def write_inside(root: Path, name: str, parts: bytes | Iterable[bytes], masked: bool = True) -> None:
    """Write a file in a folder or below it, whole or not at all, for the user alone; as it is if not `masked`."""
    with _folder_of(root, name, make=True) as (folder, _):
        _write(folder, root / name, parts, mode=0o600, masked=masked)


def write_whole(path: Path, parts: bytes | Iterable[bytes]) -> None:
    """Write to a temporary file and move it into place; on any failure nothing is left behind.

    For files that a user named, or means to share: who may read them is for the umask to say.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _write(folder, path, parts, mode=None)
    finally:
        os.close(folder)


def make_private(folder: Path) -> bool:
    """Make a folder for the user alone; False if it was there before, and is left as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return False
    folder.chmod(0o700)  # whatever the umask
    return True


def refuse_odd(root: Path, *below: str) -> None:
    """Raise `NotPlain` for anything in a folder, or in folders below it, that is neither a plain file nor a folder."""
    for place in ("", *(f"{name}/" for name in below)):
        with suppress(FileNotFoundError), _folder_of(root, f"{place}.", make=False) as (folder, _):
            for name in sorted(os.listdir(folder)):
                found = _found(folder, name)
                if found is not None and not stat.S_ISDIR(found.st_mode):
                    _refuse(found, root / place / name, written=False)


def clear_leftovers(root: Path, *below: str) -> None:
    """Remove what killed processes left half written in a folder and in folders below it; files at work are kept."""
    for place in ("", *(f"{name}/" for name in below)):
        with suppress(OSError), _folder_of(root, f"{place}.", make=False) as (folder, _):
            for name in os.listdir(folder):
                if name.startswith(".") and name.endswith(".part"):
                    with suppress(OSError):
                        _remove_unless_locked(folder, name)


def _remove_unless_locked(folder: int, name: str) -> None:
    file = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
        os.unlink(name, dir_fd=folder)
    finally:
        os.close(file)


def _write(folder: int, path: Path, parts: bytes | Iterable[bytes], mode: int | None, masked: bool = True) -> None:
    with _named(path):
        part, opened = _new_part(folder, path.name, mode)
    try:
        with os.fdopen(opened, "wb") as file:
            for content in (parts,) if isinstance(parts, bytes) else parts:
                file.write(mask_bytes(content) if masked else content)
            file.flush()
            os.fsync(file.fileno())
            with _named(path):
                os.replace(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        raise


def _new_part(folder: int, name: str, mode: int | None) -> tuple[str, int]:
    """A new file to write to. It is locked for as long as it is open, which tells that its writer lives."""
    while True:
        part = f".{name}.{uuid.uuid4().hex[:12]}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        opened = os.open(part, flags, 0o666 if mode is None else mode, dir_fd=folder)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken = not os.fstat(opened).st_nlink
        except BlockingIOError:
            taken = True
        except OSError:  # not every file system has locks
            taken = False
        if not taken:
            if mode is not None:
                os.fchmod(opened, mode)  # whatever the umask
            return part, opened
        os.close(opened)  # taken for a leftover before it was locked


@contextmanager
def _folder_of(root: Path, name: str, make: bool) -> Iterator[tuple[int, str]]:
    """The open folder that a name inside another leads to, and the name's last part."""
    *parents, last = name.split("/")
    if {"", ".."} & {*parents, last} or "\0" in name:
        raise NotPlain(root / name, f"the name {name!r} leads out of its folder")
    if make:
        make_private(root)
    opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        place = root
        for parent in parents:
            place = place / parent
            opened, above = _below(opened, parent, place, make), opened
            os.close(above)
        yield opened, last
    finally:
        os.close(opened)


def _below(folder: int, name: str, place: Path, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
            os.chmod(name, 0o700, dir_fd=folder)  # whatever the umask
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise NotPlain(place, "it is a link, not a plain folder; put the folder itself there") from None
        raise


def _found(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _refuse(found: os.stat_result, path: Path, written: bool) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise NotPlain(path, "it is a link, not a plain file; put the file itself there")
    if not stat.S_ISREG(found.st_mode):
        raise NotPlain(path, "it is not a plain file; remove it")
    if written and found.st_nlink > 1:
        raise NotPlain(
            path, "it has a second name elsewhere (a hard link), which would change as well; copy the folder"
        )


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have errors name the whole path instead of a name inside an open folder."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def failure_reason(error: OSError) -> str:
    """Why a write failed, and what the user can do about it."""
    if isinstance(error, NotPlain):
        return str(error.strerror)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"no room left ({error.strerror}); free some space or choose another folder"
    return f"{error.strerror or error}; choose a folder you may write to"
