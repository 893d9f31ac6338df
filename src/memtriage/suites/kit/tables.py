"""Released tables: the rows of a CSV file, one at a time, and cells that hold lists in JSON's or Python's notation."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, loads, read_text

_CELL = 2**31 - 1
"""csv refuses cells beyond 128 KiB by default; this is the most every platform takes."""

Row = Mapping[str, str]


def csv_rows(path: Path, needed: Collection[str], complain: Callable[[str], None]) -> Iterator[tuple[int, Row]]:
    """The rows of a CSV file with their numbers from 1, by column; a row with too few cells or too many is named.

    The columns `needed` must be there; others may be.
    """
    csv.field_size_limit(_CELL)
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    number = 0
    try:
        header = next(reader, [])
        if missing := [repr(name) for name in needed if name not in header]:
            raise BadInput(f"{path} has no column {', '.join(missing)}; is it the right file?")
        if twice := sorted({name for name in header if header.count(name) > 1}):
            raise BadInput(f"{path} has the column {twice[0]!r} twice")
        for cells in reader:
            if not cells:
                continue
            number += 1
            if len(cells) == len(header):
                yield number, dict(zip(header, cells, strict=True))
            else:
                complain(f"{path}, row {number}: {len(cells)} cells under {len(header)} columns; it was left out")
    except csv.Error as error:
        raise BadInput(f"{path}, row {number + 1}: broken CSV ({error}); a quote may be open") from error


def literal(text: str) -> Any:
    """The value of a cell in JSON's or Python's notation; BadInput where it is neither. Nothing in it is run.

    >>> literal('["a", "b"]'), literal("{'role': 'user'}")
    (['a', 'b'], {'role': 'user'})
    """
    try:
        return loads(text)
    except BadJson:
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise BadInput("it is neither JSON nor a list or dictionary of Python's") from error
