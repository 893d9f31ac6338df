"""What `leaks` prints: how much of each task a model answered with an empty memory, and which questions these are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from memtriage.report.terminal.tables import percent, plain
from memtriage.validate.leak_run import Leaks
from memtriage.validate.leaks import LeakProbe, LeakRow

NONE = "–"
_MOST = 200
"""How much of a question or an answer is printed."""


def show_leaks(found: Leaks, limit: int, console: Console) -> None:
    """Print the table, then the questions that were answered rightly."""
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
    """What was found, in one line, with what guessing would have found."""
    rows = found.rows()
    graded = sum(row.graded for row in rows)
    flagged = len(found.flagged)
    told = f"{flagged:,} of {graded:,} questions were answered rightly with an empty memory"
    guessed = [row for row in rows if row.chance is not None]
    if not guessed:
        return told
    right, among = sum(row.flagged for row in guessed), sum(row.graded for row in guessed)
    luck = sum((row.chance or 0) * row.graded for row in guessed)
    return f"{told}; {right:,} of them among {among:,} with options to choose from, of which guessing gets {luck:.1f}"


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
        grid.add_row(plain(each.probe), *(plain(_brief(text)) for text in texts))
    return grid


def _brief(text: str) -> str:
    """A text short enough for a table; `--json` has all of it.

    >>> _brief("x" * 500) == "x" * 199 + "…", _brief("Who?")
    (True, 'Who?')
    """
    return text if len(text) <= _MOST else f"{text[: _MOST - 1].rstrip()}…"
