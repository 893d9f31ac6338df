"""The view `show --by measure`: measures of rankings and of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_text
from memtriage.core.errors import BadInput
from memtriage.report.terminal.tables import plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.measures import MeasureRow, measure_rows
from memtriage.tables.sheets import ANSWERS_NOTE, RANKINGS_NOTE, Figure, MeasureSheet, answer_sheets, ranking_sheets


def _measures(source: Source) -> Sequence[MeasureRow]:
    rows = measure_rows(source.verdicts())
    if not rows:
        raise BadInput(
            "--by measure needs questions that name the turns to be found, as suite longmemeval has them, or answers "
            "that words grade, as suite memoryagentbench has them"
        )
    return rows


def _draw(source: Source, console: Console) -> None:
    rows = _measures(source)
    answers, rankings = answer_sheets(rows), ranking_sheets(rows)
    for sheet in (*answers, *rankings):
        console.print(plain(sheet.title, "bold"))
        console.print(_grid(sheet))
        for line in sheet.asides:
            console.print(plain(f"  {line}"))
        if answers and sheet is answers[-1]:
            console.print(ANSWERS_NOTE, style="dim")
    if rankings:
        console.print(f"{RANKINGS_NOTE} --json and --csv have every k and Recall_any.", style="dim")


def _grid(sheet: MeasureSheet) -> Table:
    """A line per system under each task; narrow enough for a terminal of 80 columns."""
    with_k = any(line.k is not None for _, lines in sheet.tasks for line in lines)
    grid = Table(box=None, padding=(0, 1) if with_k else (0, 1, 0, 0), pad_edge=with_k, header_style="bold")
    grid.add_column("task, system", overflow="fold")
    names = sheet.measures if with_k else (name.replace("@", "\n@") for name in sheet.measures)
    for heading in (*(("k",) if with_k else ()), "n", *names):
        grid.add_column(heading, justify="right", no_wrap=True)
    for task, lines in sheet.tasks:
        grid.add_row(plain(task, "bold"))
        for line in lines:
            k = (k_text(line.k or 0),) if with_k else ()
            grid.add_row(plain(f"  {line.system}"), *k, f"{line.n:,}", *map(_cell, line.figures))
    return grid


def _cell(figure: Figure | None) -> Text:
    return Text("–") if figure is None else Text.assemble(f"{figure} ", (figure.interval, "dim"))


VIEWS = (
    View(
        "measure",
        "recall and NDCG of the rankings, measures of the answers, and what was left out",
        _draw,
        "measures",
        lambda source: [asdict(row) for row in _measures(source)],
        version=2,
    ),
)
