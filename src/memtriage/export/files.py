"""Write the tables of a run into a folder: Parquet, CSV or JSON lines, row by row and each file whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memtriage.core.errors import BadInput, install_extra
from memtriage.export.tables import Extract, Record, Type
from memtriage.host.files import failure_reason, write_whole
from memtriage.report.terminal.machine_readable import csv_cell

Form = Literal["parquet", "csv", "jsonl"]

_GROUP_ROWS = 8_192
_GROUP_CHARACTERS = 16 << 20
"""A row group of a Parquet file has no more rows, and hardly more text, than this: memory stays the same."""


class Written(NamedTuple):
    """A file that was written, and how many rows it has; None if it is no table."""

    path: Path
    rows: int | None = None


def write_tables(extracts: Iterable[Extract], folder: Path, form: Form, about: Mapping[str, str]) -> list[Written]:
    """Write each table into a file of its own, such as `probes.parquet`; `about` goes into the metadata of Parquet."""
    parts = {"parquet": _parquet, "csv": _csv, "jsonl": _json_lines}[form]
    if form == "parquet":
        arrow()
    written = []
    for extract in extracts:
        path = folder / f"{extract.name}.{form}"
        counted = _Counted(extract)
        try:
            write_whole(path, parts(counted, about))
        except OSError as error:
            raise BadInput(f"{path} can't be written: {failure_reason(error)}; choose another folder") from error
        written.append(Written(path, counted.rows))
    return written


def arrow() -> Any:
    """The module pyarrow; where it is missing, an error that says how to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise BadInput(f"Parquet needs pyarrow; install it with: {install_extra('parquet')}") from error
    return pyarrow


class _Counted:
    """A table whose rows are counted as they pass."""

    def __init__(self, extract: Extract) -> None:
        self.extract = extract
        self.rows = 0

    def __iter__(self) -> Iterator[Record]:
        for row in self.extract.rows():
            self.rows += 1
            yield row


def _json_lines(table: _Counted, _: Mapping[str, str]) -> Iterator[bytes]:
    for row in table:
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _csv(table: _Counted, _: Mapping[str, str]) -> Iterator[bytes]:
    """CSV that no spreadsheet takes for formulas; lists are written as JSON."""
    names = [column.name for column in table.extract.columns]
    yield _csv_line(names)
    for row in table:
        yield _csv_line(
            [json.dumps(row[name], ensure_ascii=False) if isinstance(row[name], list) else row[name] for name in names]
        )


def _csv_line(values: Sequence[object]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([csv_cell(value) for value in values])
    return line.getvalue().encode()


def schema(extract: Extract, about: Mapping[str, str]) -> Any:
    """The Arrow schema of a table, with a description of each column and of the table in its metadata."""
    pa = arrow()
    types: Mapping[Type, Any] = {
        "text": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "texts": pa.list_(pa.string()),
    }
    fields = [
        pa.field(column.name, types[column.type], metadata={"description": column.what}) for column in extract.columns
    ]
    return pa.schema(fields, metadata={"memtriage.table": extract.name, "description": extract.what, **about})


def _parquet(table: _Counted, about: Mapping[str, str]) -> Iterator[bytes]:
    """The bytes of a Parquet file, one row group at a time."""
    import pyarrow.parquet as pq

    pa, layout, sink = arrow(), schema(table.extract, about), _Sink()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), layout, compression="zstd") as writer:
        for group in _groups(table):
            writer.write_table(pa.Table.from_pylist(group, schema=layout))
            yield sink.taken()
    yield sink.taken()


def _groups(rows: Iterable[Record]) -> Iterator[list[Record]]:
    group: list[Record] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(group) >= _GROUP_ROWS or size >= _GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group


class _Sink(io.RawIOBase):
    """A file that hands on what is written to it, and only remembers how much that was."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._position += len(self._parts[-1])
        return len(self._parts[-1])

    def tell(self) -> int:
        return self._position

    def taken(self) -> bytes:
        """What was written since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
