"""A log that goes on after its run is sealed; its last line is noted beside it, so that none goes missing unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtriage.host.files import read_inside
from memtriage.host.sealed import BrokenSeal, open_document, seal_document
from memtriage.record.files import Damaged
from memtriage.record.journal import Log, records, replace_file


class CountedLog(Log):
    """An append-only file of JSON lines; a `.json` of the same name says where the last one starts."""

    def append(self, line: bytes) -> int:
        """Seal, write and flush one line, and note it; returns the byte where it starts."""
        start = super().append(line)
        replace_file(_note(self.path), seal_document({"last": start}))
        return start


def counted_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a counted log, as of any other; Damaged if some are missing at its end."""
    last = _last(_note(path))
    seen = -1
    for seen, record in records(path):
        yield seen, record
    if seen < last:
        raise Damaged(path, "records are missing at its end")


def _last(note: Path) -> int:
    try:
        return int(open_document(read_inside(note.parent, note.name))["last"])
    except (FileNotFoundError, NotADirectoryError):
        return -1
    except (BrokenSeal, KeyError, TypeError, ValueError) as error:
        raise Damaged(note, error) from error


def _note(path: Path) -> Path:
    return path.with_suffix(".json")
