"""Reads parquet files a row at a time, with pyarrow, which is an extra and imported where it is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, install_extra
from memtriage.host.inputs import open_input


def parquet_rows(path: Path, columns: Sequence[str], of: str) -> Iterator[dict[str, Any]]:
    """The named columns of a file's rows, one row in memory at a time; `of` says whose file it should be."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        hint = install_extra("parquet")
        raise BadInput(f"{path.name} is a parquet file, which takes pyarrow; install it with: {hint}") from error
    open_input(path).close()  # a pipe or a device never ends
    try:
        with parquet.ParquetFile(path, memory_map=True, pre_buffer=False) as file:
            if missing := [name for name in columns if name not in file.schema_arrow.names]:
                raise BadInput(f"{path} is no file of {of}: it has no column {', '.join(missing)}")
            for batch in file.iter_batches(batch_size=1, columns=list(columns), use_threads=False):
                yield from batch.to_pylist()
    except (OSError, ValueError, RuntimeError) as error:  # pyarrow's own errors are kinds of these
        raise BadInput(f"{path} can't be read: {error}") from error
