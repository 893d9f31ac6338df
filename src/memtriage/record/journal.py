"""Append-only JSON lines that survive being killed at any moment.

Each line is written and flushed as its work finishes. What a kill can leave behind is one unfinished
last line, which the next opening cuts off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from memtriage.core.errors import BadRun
from memtriage.host.files import why


class Log:
    """One append-only file of JSON lines, open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _open(path)
        self._end = self._file.tell()

    def append(self, line: bytes) -> int:
        """Write one line and hand it to the system; gives the place where it starts."""
        start = self._end
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise full(self.path, error) from error
        self._end += len(line)
        return start

    def close(self) -> None:
        with suppress(OSError):  # what could not be written has been told by `append`; closing tries it once more
            self._file.close()


def line(record: Mapping[str, Any]) -> bytes:
    """A record as one line."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The complete lines of a log, each with the place where it starts."""
    if not path.exists():
        return
    with path.open("rb") as file:
        start = 0
        for raw in file:
            if not raw.endswith(b"\n"):
                return
            try:
                record = json.loads(raw)
            except ValueError as error:
                raise damaged(path, start, error) from error
            if not isinstance(record, dict):
                raise damaged(path, start, "not an object")
            yield start, record
            start += len(raw)


def record_at(file: BinaryIO, start: int) -> dict[str, Any]:
    """The record whose line starts here."""
    file.seek(start)
    found: dict[str, Any] = json.loads(file.readline())
    return found


def damaged(path: Path, start: int, why: object) -> BadRun:
    """What to say of a line that is no record."""
    return BadRun(f"{path}: the line at byte {start} is damaged ({why}); the run can't be read")


def full(path: Path, error: OSError) -> BadRun:
    """What to say when a write failed."""
    return BadRun(f"{path} can't be written: {why(error)}. Everything before is kept; resume the run afterwards")


def _open(path: Path) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
        _cut_unfinished_line(file)
    except OSError as error:
        raise full(path, error) from error
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
