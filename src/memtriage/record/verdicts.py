"""The files of a diagnosis: verdicts.jsonl and stores.jsonl, replaced whole by every diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.record.journal import damaged, records, replace_file, sealed_lines

T = TypeVar("T")

VERDICTS, STORES = "verdicts.jsonl", "stores.jsonl"

_VERDICT = TypeAdapter(ProbeVerdict)
_STORE = TypeAdapter(StoreSummary)


def write_verdicts(path: Path, verdicts: Iterable[ProbeVerdict], stores: Iterable[StoreSummary]) -> list[Path]:
    """Write the verdicts and store summaries of a diagnosis into a directory, replacing old ones."""
    files = [path / VERDICTS, path / STORES]
    replace_file(files[0], sealed_lines(_VERDICT.dump_json(verdict) + b"\n" for verdict in verdicts))
    replace_file(files[1], sealed_lines(_STORE.dump_json(store) + b"\n" for store in stores))
    return files


def read_verdicts(path: Path) -> Iterator[ProbeVerdict]:
    """The verdicts in a directory, one by one."""
    return _read(_VERDICT, path / VERDICTS)


def read_stores(path: Path) -> Iterator[StoreSummary]:
    """The store summaries in a directory, one by one."""
    return _read(_STORE, path / STORES)


def _read(kind: TypeAdapter[T], file: Path) -> Iterator[T]:
    for start, record in records(file):
        yield _parsed(kind, record, file, start)


def _parsed(kind: TypeAdapter[T], record: Mapping[str, Any], path: Path, start: int) -> T:
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
        raise damaged(path, start, why) from error
