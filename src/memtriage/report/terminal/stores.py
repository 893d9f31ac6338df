"""The view `show --by store`: what each system stored of each episode, and how long it took."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.answers import flat_store
from memtriage.report.terminal.machine_readable import csv_text
from memtriage.report.terminal.view import Source, View


def _draw(source: Source, console: Console) -> None:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for column in ("task", "system", "sessions", "memories", "tokens", "ingest s", "ms/query"):
        named = column in ("task", "system")
        grid.add_column(column, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    for store in source.stores():
        per_question = 1000 * store.query_seconds / store.queries if store.queries else None
        numbers = (store.sessions, store.memories, store.tokens)
        grid.add_row(
            terminal.plain(store.task),
            terminal.plain(store.system),
            *("–" if number is None else f"{number:,}" for number in numbers),
            f"{store.ingest_seconds:.3f}",
            "–" if per_question is None else f"{per_question:.2f}",
        )
    console.print(grid)


VIEWS = (
    View(
        "store",
        "what each system kept of each episode, and how long storing and asking took",
        _draw,
        "stores",
        lambda source: [asdict(store) for store in source.stores()],
        as_csv=lambda source: csv_text(flat_store(store) for store in source.stores()),
    ),
)
