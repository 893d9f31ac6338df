"""The tables of the papers in the terminal: laid out as in the paper, what was found here above what was printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.report.exhibit_text import (
    exhibit_json,
    heading,
    interval_text,
    is_percent,
    number_text,
    printed_text,
    row_label,
    told_json,
)
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.machine_readable import Form, csv_text, print_json
from memtriage.studies.exhibits import Column, Exhibit
from memtriage.studies.reproduce import Reproduced, TableRow, Told
from memtriage.studies.sizes import PRICED_AT
from memtriage.tables.values import unit

_LABEL = 26
_CELL = 10


def show_exhibits(found: Sequence[Reproduced | Told], form: Form, console: Console) -> None:
    """Print exhibits; as JSON, several of them are a list."""
    if form == "json":
        records = [exhibit_json(one) if isinstance(one, Reproduced) else told_json(one) for one in found]
        print_json(records[0] if len(records) == 1 else records)
        return
    if form == "csv":
        print(csv_text(line for one in found for line in _flat(one)), end="")
        return
    for one in found:
        if isinstance(one, Reproduced):
            _print(one, console)
        else:
            _print_told(one, console)


def _print_told(told: Told, console: Console) -> None:
    console.print(terminal.plain(heading(told.exhibit), "bold"))
    if told.columns:
        grid = Table(box=None, pad_edge=False)
        compared = bool(told.printed)  # else there is one kind of line, and no need to say which
        for label in ("",) * compared + told.columns:
            grid.add_column(terminal.plain(label), overflow="fold")
        for of, line in _lines_of(told):
            grid.add_row(*[Text(of, "dim")] * compared, *map(terminal.plain, line))
        console.print(grid)
    for note in told.notes:
        console.print(terminal.plain(note, "dim"))


def _lines_of(told: Told) -> list[tuple[str, tuple[str, ...]]]:
    return [("here", line) for line in told.here] + [("paper", line) for line in told.printed]


def show_list(rows: Iterable[tuple[Exhibit, str, str, str]], as_json: bool, console: Console) -> None:
    """Print the list of exhibits: each with what it needs, its size and its cost."""
    if as_json:
        names = ("id", "title", "needs", "size", "cost")
        print_json([dict(zip(names, (row[0].id, row[0].title, *row[1:]), strict=True)) for row in rows])
        return
    grid = Table("id", "what it shows", "needs", "size", "cost", box=None, pad_edge=False)
    for exhibit, needs, size, cost in rows:
        grid.add_row(*map(terminal.plain, (exhibit.id, exhibit.title, needs, size, cost)))
    console.print(grid)
    for line in (
        "* questions for which all they need came back; right answers, as in the paper, take --answer and --judge",
        "size: questions asked of each system, and tokens it is told",
        f"cost: about what {PRICED_AT} takes to answer and judge; a model inside a system comes on top (see --dry-run)",
    ):
        console.print(terminal.plain(line, "dim"))


def _print(found: Reproduced, console: Console) -> None:
    console.print(terminal.plain(heading(found.exhibit), "bold"))
    percent = is_percent(found.exhibit)
    for part in _parts(found.columns, console.width):
        console.print(_grid(found, part, percent))
    for line in found.notes:
        console.print(terminal.plain(line, "dim"))
    for system, why in found.left_out.items():
        console.print(terminal.plain(f"not run: {system}: {why}", "dim"))


def _parts(columns: Sequence[Column], width: int) -> Iterator[range]:
    """The columns in as many tables as the terminal is wide for."""
    most = max(1, (width - _LABEL - 8) // _CELL)
    for start in range(0, len(columns), most):
        yield range(start, min(start + most, len(columns)))


def _grid(found: Reproduced, part: range, percent: bool) -> Table:
    grid = Table(box=None, pad_edge=False, show_header=True)
    grid.add_column("", max_width=_LABEL)
    grid.add_column("")
    for place in part:
        column = found.columns[place]
        grid.add_column(Text(f"{column.group}\n{column.label}" if column.group else column.label), justify="right")
    group = ""
    for row in found.rows:
        if row.group and row.group != group:
            grid.add_row(terminal.plain(row.group, "italic"))
        group = row.group
        grid.add_row(*_lines(found, row, part, percent))
    return grid


def _lines(found: Reproduced, row: TableRow, part: range, percent: bool) -> Iterator[Text]:
    """A row's cells: its label, what each line is, and the numbers: here, their intervals, in the paper."""
    numbers = [row.own[place] for place in part] if row.own else []
    with_interval = any(number is not None and number.low is not None for number in numbers)
    here = [] if row.own is None else ["here", "95 %"] if with_interval else ["here"]
    yield terminal.plain(row_label(row))
    yield Text("\n".join([*here, *(["paper"] if row.printed is not None else [])]), "dim")
    for place in part:
        of = unit(found.columns[place].number)
        cell = Text(justify="right")
        if row.own is not None:
            own = row.own[place]
            cell.append(number_text(own.mean if own else None, of, percent), "bold")
            cell.append(f"\n{interval_text(own, of, percent)}" if with_interval else "", "dim")
        if row.printed is not None:
            cell.append("\n" if row.own is not None else "")
            cell.append(printed_text(row.printed[place], of, percent), "dim")
        yield cell


def _flat(found: Reproduced | Told) -> Iterator[dict[str, Any]]:
    """One record per row and column, or per line."""
    if isinstance(found, Told):
        for of, line in _lines_of(found):
            yield {"id": found.exhibit.id, "of": of, **dict(zip(found.columns, line, strict=True))}
        return
    for row in found.rows:
        for place, column in enumerate(found.columns):
            own = row.own[place] if row.own else None
            yield {
                "id": found.exhibit.id,
                "group": row.group,
                "row": row.label,
                "system": row.system,
                "column": f"{column.group} {column.label}".strip(),
                "paper": row.printed[place] if row.printed else None,
                "here": own.mean if own else None,
                "low": own.low if own else None,
                "high": own.high if own else None,
                "n": own.n if own else None,
            }
