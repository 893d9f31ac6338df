"""The view `show --by repeats`: mean and spread over repeats, and where the spread comes from."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from memtriage.core.amount import k_text
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.view import Source, View
from memtriage.tables.variance import spreads


def _draw(source: Source, console: Console) -> None:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for column in ("task", "system", "k", "repeats", "mean", "SD", "storing", "answering", "judging"):
        grid.add_column(column, justify="left" if column in ("task", "system") else "right", overflow="fold")
    for spread in spreads(source.verdicts()):
        sds = (spread.sd, spread.ingest_sd, spread.answer_sd, spread.judge_sd)
        grid.add_row(
            terminal.plain(spread.task),
            terminal.plain(spread.system),
            k_text(spread.k),
            str(spread.repeats),
            terminal.percent(spread.mean),
            *("–" if sd is None else f"{100 * sd:.1f}" for sd in sds),
        )
    console.print(grid)
    console.print("Standard deviations in points; a source that was not repeated has none.", style="dim")


VIEWS = (
    View(
        "repeats",
        "mean and spread over repeats, and what storing, answering and judging add to it",
        _draw,
        "repeats",
        lambda source: [asdict(spread) for spread in spreads(source.verdicts())],
        version=2,
    ),
)
