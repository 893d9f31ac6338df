"""The views of `show` over all tasks: how the systems stand, and every two of them paired."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_order, k_text
from memtriage.core.verdict import KIND
from memtriage.report.headline import headline
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.view import Source, View
from memtriage.tables.compare import differences
from memtriage.tables.standings import Overall, Standings
from memtriage.tables.table import row_json


def print_headline(found: Standings, console: Console) -> None:
    """Print where the systems lose most, which does best and whether that can be told, at the largest k."""
    if found.ranked:
        ks = " or ".join(map(k_text, sorted({row.k for row in found.ranked}, key=k_order)))
        # A line may break at any space, and 77 and % belong together.
        terminal.say(console, f"At k = {ks}: {headline(found)}".replace("\u00a0%", "%"))


def _standings(source: Source) -> Standings:
    return source.counts().standings


def _draw(source: Source, console: Console) -> None:
    found = _standings(source)
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    headings = ("system", "k", "tasks", "asked", "correct", "pooled", "95 %", "mean of\ntasks", "95 %")
    counted = [name for name in ("uncertain", "error", "na") if any(getattr(row, name) for row in found.rows)]
    for heading in (*headings, *(KIND[name].letter for name in counted)):
        named = heading == "system"
        grid.add_column(heading, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    for row in found.rows:
        grid.add_row(terminal.plain(row.system), *_cells(row), *(f"{getattr(row, name):,}" for name in counted))
    console.print(grid)
    key = "".join(f" {KIND[name].letter} {KIND[name].title}." for name in counted)
    console.print(
        terminal.plain(
            "Pooled: correct / asked over the probes of all tasks. Mean of tasks: each task counts alike. Intervals "
            f"reach from the worst to the best case of errors and what is uncertain.{key}",
            "dim",
        )
    )
    print_headline(found, console)


def _cells(row: Overall) -> list[Text]:
    cells = [k_text(row.k), *(f"{n:,}" for n in (row.tasks, row.asked, row.correct))]
    for share, low, high in ((row.success, row.low, row.high), (row.mean, row.mean_low, row.mean_high)):
        cells += [terminal.percent(share), "–" if share is None else f"{100 * low:.1f}–{100 * high:.1f}"]
    return [Text(cell) for cell in cells]


VIEWS = (
    View(
        "overall",
        "success over all tasks, pooled and as the mean of tasks, and which systems can be told apart",
        _draw,
        "overall",
        lambda source: [row_json(row) for row in _standings(source).rows],
    ),
    View(
        "difference",
        "every two systems, paired probe by probe: by how much they differ, and how much it takes to show",
        lambda source, console: terminal.print_differences(differences(source.verdicts()), console),
        "differences",
        lambda source: [asdict(cell) for cell in differences(source.verdicts())],
    ),
)
