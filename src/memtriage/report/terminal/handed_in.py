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
        which = f", {_TITLES[golds]}{more}" if scored.sheet.errata else ""
        console.print(terminal.plain(f"{scored.suite}, {by}{which}", "bold"))
        console.print(_table(lines))
    if not scored.complete:
        console.print(terminal.plain(_incomplete(scored), "bold"))
    if scored.sheet.missing:
        heading = f"questions without an answer ({len(scored.sheet.missing)}, in none of the numbers): "
        console.print(terminal.plain(heading + _ids(scored.sheet.missing), "dim"))
    if scored.sheet.strangers:
        heading = f"answers to questions that the data doesn't have ({len(scored.sheet.strangers)}): "
        console.print(terminal.plain(heading + _ids(scored.sheet.strangers), "dim"))


def _incomplete(scored: Scored) -> str:
    """Why there is no score yet, what it can still be, and how to get it."""
    total = next(line for line in reversed(scored.lines[next(iter(scored.lines))]) if line.kind == "all")
    why = "words alone can't decide them" if scored.open else "grading them failed"
    how = "fix what failed, and give the same command again" if scored.judge else "--judge MODEL grades them"
    return (
        f"INCOMPLETE: {total.undecided} of {total.n} answers are undecided: {why}. This is no score yet: it is "
        f"{100 * total.worst:.1f} % with all of them wrong and {100 * total.best:.1f} % with all of them right, and "
        f"{100 * total.low:.1f} to {100 * total.high:.1f} % with the sampling error (95 %). To complete it: {how}."
    )


def _table(lines: Sequence[ScoreLine]) -> Table:
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    metrics = ("metric",) if any(line.metric != "accuracy" for line in lines) else ()
    for column in ("", *metrics, "n", "right", "open", "score", "95 %"):
        grid.add_column(column, justify="left" if column in ("", "metric") else "right", no_wrap=True)
    for line in lines:
        metric = (line.metric,) if metrics else ()
        counts = (str(line.n), f"{line.right:.4g}", str(line.undecided))
        style = None if line.kind == "group" else "bold"
        interval = f"{100 * line.low:.1f}–{100 * line.high:.1f}"
        grid.add_row(terminal.plain(line.name), *metric, *counts, _score(line), interval, style=style)
    return grid


def _score(line: ScoreLine) -> str:
    if not line.n:
        return "–"
    if line.accuracy is not None:
        return f"{100 * line.accuracy:.1f} %"
    return f"{100 * line.worst:.1f}…{100 * line.best:.1f} %"


def _ids(ids: Sequence[str]) -> str:
    named = ", ".join(ids[:_NAMED])
    return named if len(ids) <= _NAMED else f"{named} and {len(ids) - _NAMED} more (all with --json)"
