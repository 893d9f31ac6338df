"""An exhibit in words and figures, as the terminal and the page show it."""

from __future__ import annotations

from typing import Any

from memtriage.studies.exhibits import Exhibit, Runs
from memtriage.studies.papers import papers
from memtriage.studies.reproduce import Reproduced, TableRow, Told
from memtriage.tables.values import Unit, Value, unit

SCHEMA = "memtriage.exhibit/1"

NONE = "–"


def is_percent(exhibit: Exhibit) -> bool:
    """Whether the paper prints its shares as percentages."""
    return isinstance(exhibit.source, Runs) and exhibit.source.percent


def row_label(row: TableRow) -> str:
    """A row's name in the paper, with the system that was run for it."""
    named = row.own is None or not row.system or row.label.startswith(row.system)
    return row.label if named else f"{row.label} ({row.system})"


def heading(exhibit: Exhibit) -> str:
    """What an exhibit is and where it was printed."""
    return f"{exhibit.title} ({citation(exhibit)})"


def citation(exhibit: Exhibit) -> str:
    """Where an exhibit was printed."""
    paper = papers()[exhibit.paper]
    return f"{paper.title}, {paper.cite}, {exhibit.id.partition('/')[2].replace('-', ' ')}"


def exhibit_json(found: Reproduced) -> dict[str, Any]:
    """An exhibit as plain JSON values."""
    exhibit = found.exhibit
    return {
        "schema": SCHEMA,
        "id": exhibit.id,
        "title": exhibit.title,
        "cite": papers()[exhibit.paper].cite,
        "columns": [
            {"group": column.group, "label": column.label, "number": column.number, "unit": unit(column.number)}
            for column in found.columns
        ],
        "rows": [
            {
                "label": row.label,
                "group": row.group,
                "system": row.system,
                "paper": row.printed,
                "here": None if row.own is None else [value and value._asdict() for value in row.own],
            }
            for row in found.rows
        ],
        "notes": list(found.notes),
        "left_out": dict(found.left_out),
        "runs": [str(path) for path in found.runs],
    }


def told_json(told: Told) -> dict[str, Any]:
    """An exhibit without runs as plain JSON values."""
    exhibit = told.exhibit
    return {
        "schema": SCHEMA,
        "id": exhibit.id,
        "title": exhibit.title,
        "cite": papers()[exhibit.paper].cite,
        "columns": list(told.columns),
        "here": [list(line) for line in told.here],
        "paper": [list(line) for line in told.printed],
        "notes": list(told.notes),
    }


def number_text(value: float | None, of: Unit, percent: bool) -> str:
    """A number as the paper prints such numbers.

    >>> number_text(0.425, "share", False), number_text(0.425, "share", True), number_text(66, "tokens", False)
    ('0.42', '42.5', '66')
    """
    if value is None:
        return NONE
    if of == "share":
        return f"{100 * value:.1f}" if percent else f"{value:.2f}"
    if of == "dollars":
        return f"${value:.2f}"
    if of == "seconds":
        return f"{value:.2f}" if value < 10 else f"{value:.0f}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def interval_text(value: Value | None, of: Unit, percent: bool) -> str:
    """The interval of a number, as short as it can be read."""
    if value is None or value.low is None or value.high is None:
        return ""
    low, high = (number_text(end, of, percent) for end in (value.low, value.high))
    return f"{low}–{high}".replace("0.", ".") if of == "share" and not percent else f"{low}–{high}"


def printed_text(value: float | None, of: Unit, percent: bool) -> str:
    """A number of the paper; in a table of percentages it is printed as one."""
    return number_text(value / 100 if percent and of == "share" and value is not None else value, of, percent)
