"""Write the index page of reproduced tables: every one of them, what was found here beside what the paper printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.files import failure_reason, write_whole
from memtriage.report.exhibit_text import citation, interval_text, is_percent, number_text, printed_text, row_label
from memtriage.studies.exhibits import Exhibit
from memtriage.studies.reproduce import Reproduced, TableRow, Told
from memtriage.tables.values import unit


def write_exhibits(path: Path, shown: Iterable[Reproduced | Told]) -> None:
    """Write the page; it opens from disk, runs no script and loads nothing."""
    from jinja2 import Environment, StrictUndefined

    here = files("memtriage.report.html")
    template = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(
        here.joinpath("exhibits.html").read_text("utf-8")
    )
    exhibits = [_filled(one) if isinstance(one, Reproduced) else _told(one) for one in shown]
    page = template.render(css=here.joinpath("exhibits.css").read_text("utf-8"), exhibits=exhibits)
    try:
        write_whole(path, page.encode("utf-8", "replace"))
    except OSError as error:
        raise BadInput(f"{path} can't be written: {failure_reason(error)}") from error


def _filled(found: Reproduced) -> dict[str, Any]:
    left_out = [f"Not run: {system}: {why}" for system, why in found.left_out.items()]
    return {
        **_about(found.exhibit),
        "columns": [{"group": column.group, "label": column.label} for column in found.columns],
        "rows": [
            {"label": row_label(row), "group": row.group, "cells": list(_cells(found, row))} for row in found.rows
        ],
        "notes": [*found.notes, *left_out],
    }


def _told(told: Told) -> dict[str, Any]:
    def line(of: str, cells: tuple[str, ...]) -> dict[str, Any]:
        shown = [{"here": text, "interval": "", "paper": ""} for text in cells[1:]]
        return {"label": cells[0], "group": of if told.printed else "", "cells": shown}

    rows = [line("Here", cells) for cells in told.here] + [line("Paper", cells) for cells in told.printed]
    columns = [{"group": "", "label": label} for label in told.columns[1:]]
    return {**_about(told.exhibit), "columns": columns, "rows": rows, "notes": list(told.notes)}


def _about(exhibit: Exhibit) -> dict[str, Any]:
    anchor = exhibit.id.replace("/", "-")
    return {"id": exhibit.id, "anchor": anchor, "title": exhibit.title, "cite": citation(exhibit)}


def _cells(found: Reproduced, row: TableRow) -> Iterator[dict[str, str]]:
    percent = is_percent(found.exhibit)
    for place, column in enumerate(found.columns):
        of = unit(column.number)
        own = row.own[place] if row.own else None
        printed = row.printed[place] if row.printed else None
        yield {
            "here": number_text(own.mean, of, percent) if own else "",
            "interval": interval_text(own, of, percent),
            "paper": "" if printed is None else printed_text(printed, of, percent),
        }
