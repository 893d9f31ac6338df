"""Print the score of answers from another harness."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from memtriage.report.terminal import tables as terminal
from memtriage.studies.score_answers import Golds, Scored
from memtriage.tables.handed_in import ScoreLine

_TITLES: dict[Golds, str] = {"released": "gold answers as released", "corrected": "gold answers with errata"}
_NAMED = 10


def print_scored(scored: Scored, console: Console) -> None:
    """Print the score under each set of gold answers, and what was left out of it."""
    by = f"judged by {scored.judge}" if scored.judge else "graded by words alone"
    corrected = [given.probe.id for given in scored.sheet.given if given.probe.id in scored.sheet.corrected]
    for golds, lines in scored.lines.items():
        more = f" {scored.sheet.errata}: {_ids(corrected)}" if golds == "corrected" else ""
        console.print(terminal.plain(f"{scored.suite}, {by}, {_TITLES[golds]}{more}", "bold"))
        console.print(_table(lines))
    if not scored.judge and scored.open:
        console.print(
            terminal.plain(
                f"{scored.open} of {len(scored.sheet.given)} answers are open: words alone don't settle them. "
                "Accuracy is that of the others; the intervals reach from all open ones wrong to all of them right. "
                "--judge MODEL grades them.",
                "dim",
            )
        )
    if scored.sheet.missing:
        heading = f"questions without an answer ({len(scored.sheet.missing)}, in none of the numbers): "
        console.print(terminal.plain(heading + _ids(scored.sheet.missing), "dim"))
    if scored.sheet.strangers:
        heading = f"answers to questions that the data doesn't have ({len(scored.sheet.strangers)}): "
        console.print(terminal.plain(heading + _ids(scored.sheet.strangers), "dim"))


def _table(lines: Sequence[ScoreLine]) -> Table:
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for column in ("", "answers", "right", "open", "errors", "accuracy", "95 %"):
        grid.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for line in lines:
        known = "–" if line.accuracy is None else f"{line.accuracy:.1%}"
        counts = (line.n, line.right, line.open, line.errors)
        style = None if line.kind == "group" else "bold"
        grid.add_row(line.name, *map(str, counts), known, f"{line.low:.1%}–{line.high:.1%}", style=style)
    return grid


def _ids(ids: Sequence[str]) -> str:
    named = ", ".join(ids[:_NAMED])
    return named if len(ids) <= _NAMED else f"{named} and {len(ids) - _NAMED} more (all with --json)"
