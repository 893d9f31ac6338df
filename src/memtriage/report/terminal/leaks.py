"""The output of `leaks`: which questions a model answered right with an empty memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from memtriage.report.terminal.tables import percent, plain
from memtriage.validate.leak_run import Leaks
from memtriage.validate.leaks import LeakProbe, LeakRow

NONE = "–"
_LONGEST = 200
"""The most characters of a question or an answer that are printed."""


def show_leaks(found: Leaks, limit: int, console: Console) -> None:
    """Print the table, then the questions that were answered right."""
    rows = found.rows()
    console.print(_grid(rows))
    console.print(plain(summary(found), "bold"))
    for line in _caption(rows):
        console.print(plain(line, "dim"))
    if found.flagged:
        console.print(_questions(found.flagged[:limit]))
    if len(found.flagged) > limit:
        console.print(f"… and {len(found.flagged) - limit} more", style="dim")


def summary(found: Leaks) -> str:
    """The result in one line, with what guessing would get right."""
    rows = found.rows()
    graded = sum(row.graded for row in rows)
    flagged = len(found.flagged)
    result = f"{flagged:,} of {graded:,} questions were answered rightly with an empty memory"
    guessed = [row for row in rows if row.chance is not None]
    if not guessed:
        return result
    right, among = sum(row.flagged for row in guessed), sum(row.graded for row in guessed)
    lucky = sum((row.chance or 0) * row.graded for row in guessed)
    return (
        f"{result}; {right:,} of them among {among:,} with options to choose from, of which guessing gets {lucky:.1f}"
    )


def _grid(rows: Sequence[LeakRow]) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    counted = [name for name in ("declining", "open", "errors") if any(getattr(row, name) for row in rows)]
    grid.add_column("task", overflow="fold")
    for heading in ("questions", "graded", "right", "share", "95 %", "by chance", *counted):
        grid.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        interval = f"{100 * row.low:.1f}–{100 * row.high:.1f}" if row.graded else NONE
        grid.add_row(
            plain(row.task),
            *(f"{n:,}" for n in (row.questions, row.graded, row.flagged)),
            percent(row.share),
            interval,
            percent(row.chance),
            *(f"{getattr(row, name):,}" for name in counted),
        )
    return grid


def _caption(rows: Sequence[LeakRow]) -> Iterator[str]:
    yield "Share of the graded with its 95 % interval (Wilson, wider where questions share a cluster)."
    if any(row.chance is not None for row in rows):
        yield "By chance: what guessing among the options would get right; a question that is right may be luck."
    if any(row.declining for row in rows):
        yield "Declining: the right answer is that nothing is known, so that they are left out."
    if any(row.open for row in rows):
        yield "Open: words alone don't settle the answer; name a model with --judge."


def _questions(asked: Sequence[LeakProbe]) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in ("probe", "question", "gold", "answer"):
        grid.add_column(heading, overflow="fold", ratio={"probe": 2, "question": 5}.get(heading, 3))
    for each in asked:
        texts = (each.question, each.gold, each.answer or "")
        grid.add_row(plain(each.probe), *(plain(_cut(text)) for text in texts))
    return grid


def _cut(text: str) -> str:
    """A text cut to fit a table; `--json` has all of it.

    >>> _cut("x" * 500) == "x" * 199 + "…", _cut("Who?")
    (True, 'Who?')
    """
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
