"""Append-only JSON lines that survive being killed at any moment, and that nobody changes unnoticed.

Each line is sealed, written and flushed as its work finishes. A killed process can leave one unfinished last
line, which is cut off when the file is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError
from pydantic_core import from_json

from memtriage.core.errors import BadRun
from memtriage.host.files import NotPlain, failure_reason, open_inside, write_inside
from memtriage.host.sealed import BrokenSeal, check_line, seal_line
from memtriage.record.files import Damaged, FileSeal
from memtriage.record.lines import BadFrame, Lines, appended_at, hash_of


class Log:
    """One append-only file of JSON lines, open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _open(path)
        try:
            packed = appended_at(path, self._file)
            self._end = packed + self._file.seek(0, os.SEEK_END)
        except OSError as error:
            raise write_failed(path, error) from error

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


def records(path: Path, sealed: Mapping[str, FileSeal] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of the complete lines in a log, each with the byte where it starts; Damaged at a broken seal."""
    for start, line in lines(path, sealed):
        yield start, _opened(path, line, start)


def lines(path: Path, sealed: Mapping[str, FileSeal] | None = None) -> Iterator[tuple[int, bytes]]:
    """The complete lines of a log, each with the byte where it starts; Damaged at a broken seal.

    A file that is `sealed` must have that hash. If it does, its lines need no check of their own, and if not, that
    check names the line that was changed.
    """
    try:
        file = Lines(path)
    except FileNotFoundError:
        return
    with file:
        changed: Path | None = None
        for part in file.parts:
            checked, seal = part.start, (sealed or {}).get(part.path.name)
            if seal is not None and hash_of(part.file, seal.bytes) == seal.sha256:
                checked = part.end_of(seal.bytes)
            elif seal is not None:
                changed = changed or part.path
            try:
                for start, line in part.lines():
                    if not line.endswith(b"\n"):
                        break
                    if start >= checked:
                        check_line(line, start)
                    yield start, line
            except BadFrame as broken:
                raise damaged(path, broken.start, broken) from broken
            except BrokenSeal as broken:
                raise damaged(path, start, broken) from broken
    if changed is not None:
        raise Damaged(changed, "seal.json has another hash for it")


def record_at(file: Lines, start: int) -> dict[str, Any]:
    """The record whose line starts at this byte; Damaged if its seal is broken."""
    try:
        line = file.at(start)
        check_line(line, start)
    except ValueError as error:
        raise damaged(file.path, start, error) from error
    return _opened(file.path, line, start)


def _opened(path: Path, line: bytes, start: int) -> dict[str, Any]:
    try:
        record: dict[str, Any] = from_json(line)
    except ValueError as error:
        raise damaged(path, start, error) from error
    del record["seal"]
    return record


def damaged(path: Path, start: int, why: object) -> Damaged:
    """The error for a line that is not the record that was written."""
    try:
        with Lines(path) as file:
            path = file.part_of(start)
            line = 1 + sum(1 for _ in takewhile(lambda found: found[0] < start, file.lines()))
    except (OSError, BadFrame):
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
