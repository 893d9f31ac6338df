"""The files of a diagnosis: verdicts.jsonl and stores.jsonl, replaced whole by every diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.record.journal import damaged, first_problem, records, replace_file, sealed_lines
from memtriage.record.seal import FileSeal, LineSeal, RunSeal, remove_seal

T = TypeVar("T")

VERDICTS, STORES = "verdicts.jsonl", "stores.jsonl"

_VERDICT = TypeAdapter(ProbeVerdict)
_STORE = TypeAdapter(StoreSummary)


def write_verdicts(
    path: Path, verdicts: Iterable[ProbeVerdict], stores: Iterable[StoreSummary]
) -> Mapping[str, FileSeal]:
    """Write the verdicts and store summaries of a diagnosis into a directory, replacing old ones; returns their seals.

    From then on the run is not finished, until it is sealed again.
    """
    seals = {VERDICTS: LineSeal(), STORES: LineSeal()}
    lines = sealed_lines(_VERDICT.dump_json(verdict) + b"\n" for verdict in verdicts)
    replace_file(path / VERDICTS, _unsealing(path, seals[VERDICTS].over(lines)))
    lines = sealed_lines(_STORE.dump_json(store) + b"\n" for store in stores)
    replace_file(path / STORES, seals[STORES].over(lines))
    return {name: seal.file() for name, seal in seals.items()}


def _unsealing(path: Path, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same lines; after the last one, and before they take the place of others, the run's seal is removed."""
    yield from lines
    remove_seal(path)


def read_verdicts(path: Path, seal: RunSeal) -> Iterator[ProbeVerdict]:
    """The verdicts of a finished run, one by one."""
    return _read(_VERDICT, path / VERDICTS, seal)


def read_stores(path: Path, seal: RunSeal) -> Iterator[StoreSummary]:
    """The store summaries of a finished run, one by one."""
    return _read(_STORE, path / STORES, seal)


def _read(kind: TypeAdapter[T], file: Path, seal: RunSeal) -> Iterator[T]:
    sealed = seal.files[file.name]
    for start, record in records(file, sealed.bytes, sealed.sha256):
        yield parsed(kind, record, file, start)


def parsed(kind: TypeAdapter[T], record: Mapping[str, Any], path: Path, start: int) -> T:
    """A record as what it stands for; Damaged if it doesn't stand for one."""
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        raise damaged(path, start, first_problem(error)) from error
