"""The files of contexts that this project writes: one context a line, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from memtriage.core.errors import BadInput
from memtriage.host.inputs import input_lines
from memtriage.suites.memoryagentbench.context import Context
from memtriage.suites.memoryagentbench.kinds import Kind

_CONTEXT = TypeAdapter(Context)


def file_name(kind: Kind) -> str:
    """What a file of contexts of a kind is called.

    >>> file_name("eventqa")
    'memoryagentbench_eventqa.jsonl'
    """
    return f"memoryagentbench_{kind}.jsonl"


def lines(contexts: Iterable[Context]) -> Iterator[bytes]:
    """Contexts as the lines of a file."""
    return (_CONTEXT.dump_json(context) + b"\n" for context in contexts)


def find(data: Path, kind: Kind) -> Path | None:
    """The file of contexts of a kind: the one given, or the one in a folder; None if there is none."""
    if data.is_dir():
        return path if (path := data / file_name(kind)).is_file() else None
    return data if data.suffix == ".jsonl" else None


def read(path: Path) -> Iterator[Context]:
    """The contexts of a file, one at a time; a line that holds none is refused with its number."""
    for number, line in input_lines(path):
        yield _context(path, number, line)


def _context(path: Path, number: int, line: bytes) -> Context:
    try:
        return _CONTEXT.validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the line"
        raise BadInput(f"{path}, line {number}: {where}: {first['msg'].lower()}; was the file cut off?") from error
