"""The file of what stores made up, memory_checks.jsonl: a line per store, made from the journal by every diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import TypeAdapter

from memtriage.core.memory_check import MemoryCheck
from memtriage.record.files import MEMORY_CHECKS
from memtriage.record.journal import records, replace_file, sealed_lines
from memtriage.record.seal import RunSeal
from memtriage.record.verdicts import parsed

_CHECK = TypeAdapter(MemoryCheck)


def write_memory_checks(path: Path, checks: Iterable[MemoryCheck]) -> None:
    """Write the checks of a run that is not sealed yet, replacing old ones."""
    replace_file(path / MEMORY_CHECKS, sealed_lines(_CHECK.dump_json(check) + b"\n" for check in checks))


def read_memory_checks(path: Path, seal: RunSeal) -> Iterator[MemoryCheck]:
    """The checks of a finished run, one store at a time; Damaged if they are not those that it was sealed with."""
    file = path / MEMORY_CHECKS
    for start, record in records(file, seal.files):
        yield parsed(_CHECK, record, file, start)
