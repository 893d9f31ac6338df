"""Append-only JSON lines that survive being killed at any moment, and that nobody changes unnoticed.

Each line is sealed, written and flushed as its work finishes. A killed process can leave one unfinished last
line, which is cut off when the file is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError
from pydantic_core import from_json

from memtriage.core.errors import BadRun
from memtriage.host.files import NotPlain, failure_reason, open_inside, write_inside
from memtriage.host.sealed import check_line, seal_line
from memtriage.record.files import Damaged


class Log:
    """One append-only file of JSON lines, open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _open(path)
        self._end = self._file.tell()

    def append(self, line: bytes) -> int:
        """Seal, write and flush one line; returns the byte where it starts."""
        start = self._end
        line = seal_line(line, start)
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise write_failed(self.path, error) from error
        self._end += len(line)
        return start

    def close(self) -> None:
        with suppress(OSError):  # `append` has already reported what could not be written; closing tries it once more
            self._file.close()


def json_line(record: Mapping[str, Any]) -> bytes:
    """A record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def sealed_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines of JSON, sealed as they stand in a file of their own."""
    start = 0
    for line in lines:
        sealed = seal_line(line, start)
        yield sealed
        start += len(sealed)


def records(path: Path, size: int = 0, sha256: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of the complete lines in a log, each with the byte where it starts; Damaged at a broken seal.

    With `sha256`, the first `size` bytes must have that hash. If they do, their lines need no check of their own, and
    if not, that check names the line that was changed.
    """
    try:
        file = open_inside(path.parent, path.name, "r")
    except FileNotFoundError:
        return
    with file:
        whole = not sha256 or _hash_of(file, size) == sha256
        checked = size if sha256 and whole else 0
        file.seek(0)
        start = 0
        for raw in file:
            if not raw.endswith(b"\n"):
                break
            yield start, _opened(path, raw, start, checked)
            start += len(raw)
    if not whole:
        raise Damaged(path, "seal.json has another hash for it")


def _hash_of(file: BinaryIO, size: int) -> str:
    """The hash of the first bytes of a file."""
    digest = hashlib.sha256()
    while size > 0 and (block := file.read(min(size, 1 << 20))):
        digest.update(block)
        size -= len(block)
    return digest.hexdigest()


def record_at(file: BinaryIO, path: Path, start: int) -> dict[str, Any]:
    """The record whose line starts at this byte; Damaged if its seal is broken."""
    file.seek(start)
    return _opened(path, file.readline(), start)


def _opened(path: Path, raw: bytes, start: int, checked: int = 0) -> dict[str, Any]:
    """The record in a line; one that starts before the byte `checked` is known to be as it was written."""
    try:
        if start >= checked:
            check_line(raw, start)
        record: dict[str, Any] = from_json(raw)
    except ValueError as error:
        raise damaged(path, start, error) from error
    del record["seal"]
    return record


def damaged(path: Path, start: int, why: object) -> Damaged:
    """The error for a line that is not the record that was written."""
    try:
        with open_inside(path.parent, path.name, "r") as file:
            line = file.read(start).count(b"\n") + 1
    except OSError:
        return Damaged(path, why, f"the line at byte {start}")
    return Damaged(path, why, f"line {line} (byte {start})")


def first_problem(error: ValidationError) -> str:
    """What is wrong with a record, in one line."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"


def write_failed(path: Path, error: OSError) -> BadRun:
    """The error for a failed write."""
    if isinstance(error, NotPlain):
        return error
    return BadRun(
        f"{path} can't be written: {failure_reason(error)}. Everything before is kept; resume the run afterwards"
    )


def _open(path: Path) -> BinaryIO:
    try:
        file = open_inside(path.parent, path.name, "a")
        _cut_unfinished_line(file)
    except OSError as error:
        raise write_failed(path, error) from error
    return file


def _cut_unfinished_line(file: BinaryIO) -> None:
    end = file.seek(0, os.SEEK_END)
    step = 1 << 16
    keep = end
    while keep:
        start = max(0, keep - step)
        file.seek(start)
        block = file.read(keep - start)
        newline = block.rfind(b"\n")
        if newline >= 0:
            keep = start + newline + 1
            break
        keep = start
    if keep < end:
        file.truncate(keep)
    file.seek(0, os.SEEK_END)


def replace_file(path: Path, parts: bytes | Iterable[bytes]) -> None:
    """Write a file whole, or leave the old one as it is."""
    try:
        write_inside(path.parent, path.name, parts)
    except OSError as error:
        raise write_failed(path, error) from error
