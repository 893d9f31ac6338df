"""Output for other programs: JSON and CSV.

Whatever texts hold, neither sends control characters to a terminal, turns the direction of a line, or is taken for a
formula by a spreadsheet.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Form = Literal["table", "csv", "json"]

_NOT_ASCII_OR_CONTROL = re.compile(r"[^ -~\n]")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]")
"""How a cell begins that a spreadsheet works out; full-width signs count as well."""


def is_hidden(character: str) -> bool:
    """Whether a character is not seen but acts: controls, direction marks, halves of characters, odd line ends."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character != "\u200d"


def csv_text(records: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Records as CSV, with a column for every key that any of them has."""
    rows = list(records)
    columns = columns or list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([csv_cell(column) for column in columns])
    writer.writerows([csv_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def csv_cell(value: object) -> object:
    """A value as a cell: numbers as they are, texts without control characters and never as a formula.

    >>> csv_cell(-0.5), csv_cell("-0.5"), csv_cell("=1+1"), csv_cell("a\\x1b[2Jb")
    (-0.5, "'-0.5", "'=1+1", 'a\ufffd[2Jb')
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | dict) else str(value)
    shown = "".join("\ufffd" if is_hidden(one) and one not in "\n\t" else one for one in text.replace("\r\n", "\n"))
    return f"'{shown}" if _FORMULA.match(text) else shown


def json_text(value: Any, indent: int | None = 2) -> str:
    """A value as JSON; what is hidden in its texts is spelled out, as in \\u202e."""
    plain = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    return _NOT_ASCII_OR_CONTROL.sub(lambda found: _spelled(found[0]), plain)


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    print(json_text(value, indent), flush=True)


def _spelled(character: str) -> str:
    if not is_hidden(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")  # two of them where one is not enough
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
