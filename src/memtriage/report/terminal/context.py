"""The view of `show` on what came back: memories and tokens per system and k, beside success."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from memtriage.core.amount import k_text
from memtriage.report.terminal.tables import percent, plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.context import ContextRow, context_rows
from memtriage.tables.table import MERGED

NONE = "–"


def _draw(source: Source, console: Console) -> None:
    rows = context_rows(source.verdicts())
    for task in dict.fromkeys(row.task for row in rows):
        console.print(plain("all tasks" if task == MERGED else task, "bold"))
        console.print(_grid([row for row in rows if row.task == task]))
    console.print(
        plain(
            "Memories and tokens that came back for a question: mean, and the least to the most. k = native: what a "
            "system hands its own users; tok: as many of its memories, in its order, as fit that many tokens.",
            "dim",
        )
    )


def _grid(rows: list[ContextRow]) -> Table:
    empty = any(row.empty for row in rows)
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for heading in (
        "k",
        "system",
        "n",
        "memories",
        "",
        "tokens",
        "",
        *(("nothing",) if empty else ()),
        "success",
        "95 %",
    ):
        named = heading == "system"
        grid.add_column(
            heading,
            justify="left" if named else "right",
            overflow="fold",
            no_wrap=not named,
            min_width=12 if named else None,
        )
    for row in rows:
        grid.add_row(
            k_text(row.k),
            plain(row.system),
            f"{row.n:,}",
            NONE if row.items is None else f"{row.items:,.1f}",
            f"{row.least_items:,}–{row.most_items:,}" if row.n else NONE,
            NONE if row.tokens is None else f"{row.tokens:,.0f}",
            f"{row.least_tokens:,}–{row.most_tokens:,}" if row.n else NONE,
            *((f"{row.empty:,}",) if empty else ()),
            percent(row.success),
            f"{100 * row.low:.1f}–{100 * row.high:.1f}",
        )
    return grid


def _records(source: Source) -> Iterator[dict[str, Any]]:
    for row in context_rows(source.verdicts()):
        values = asdict(row).items()
        yield {name: round(value, 6) if isinstance(value, float) else value for name, value in values}


VIEWS = (
    View("context", "memories and tokens that came back for a question, per system and k", _draw, "context", _records),
)
