"""What several memories would be worth together: the view `mixture` of `show`, and the command `mix`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_text
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.view import View
from memtriage.studies.tune import Tuned, TunedRow
from memtriage.tables.mixture import MixedRow, Mixtures, Way, mixtures
from memtriage.tables.pairs import ComparedCell

_WAYS: Mapping[Way, str] = {
    "alone": "alone",
    "best": "best single",
    "mixture": "best per task",
    "any": "any of them",
}


def print_mixtures(found: Mixtures, console: Console) -> None:
    """Print every way of using the memories, and what the mixture gains over the best single one."""
    for k, depth in dict.fromkeys((row.k, row.depth) for row in found.rows):
        grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
        for heading in ("task", "way", "memory"):
            grid.add_column(heading, overflow="fold")
        for heading in ("n", "success", "95 %"):
            grid.add_column(heading, justify="right", no_wrap=True)
        task = ""
        for row in (row for row in found.rows if (row.k, row.depth) == (k, depth)):
            grid.add_row(
                terminal.plain(row.task if row.task != task else ""), *_cells(row, _WAYS[row.way], row.way != "alone")
            )
            task = row.task
        console.print(Text.assemble((f"k = {k_text(k)}", "bold"), (f"   depth {depth}", "dim")))
        console.print(grid)
        last = [cell for cell in found.gains if (cell.k, cell.depth) == (k, depth)][-1]
        terminal.say(console, _gain(last, "The best memory for each task", "the best single one"))
        console.print()
    console.print(
        terminal.plain(
            "Best single and best per task are chosen on one half of each task's rows and scored on the other, both "
            "ways round. Best per task is what a router would reach that knows the task; any of them is the upper "
            "bound of every router. Neither is a memory that was run.",
            "dim",
        )
    )


_TUNED: Mapping[str, str] = {
    "alone": "alone",
    "fused": "fused",
    "best": "best single",
    "routed": "by plan",
    "any": "any of them",
}


def print_tuned(found: Tuned, console: Console) -> None:
    """Print what a plan is worth on questions it did not see, beside the members."""
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("task", "way", "memory"):
        grid.add_column(heading, overflow="fold")
    for heading in ("n", "success", "95 %", "memories"):
        grid.add_column(heading, justify="right", no_wrap=True)
    task = ""
    for row in found.rows:
        cells = _cells(row, _TUNED[row.way], bold=row.way == "routed")
        grid.add_row(terminal.plain(row.task if row.task != task else ""), *cells, f"{row.size:.1f}")
        task = row.task
    console.print(Text.assemble((f"k = {found.plan.k}", "bold"), (f"   depth {found.gain.depth}", "dim")))
    console.print(grid)
    terminal.say(console, _gain(found.gain, "The plan", "the best single memory"))
    console.print(
        terminal.plain(
            "Best single and by plan are chosen on four fifths of the rows and scored on the rest, five times over. "
            "Any of them is the upper bound of every router.",
            "dim",
        )
    )


def mixtures_json(found: Mixtures) -> dict[str, Any]:
    """The rows and the gains as JSON in a stable schema."""
    rows, gains = ([asdict(each) for each in part] for part in (found.rows, found.gains))
    return {"schema": "memtriage.mixture/1", "rows": rows, "gains": gains}


def _cells(row: MixedRow | TunedRow, way: str, bold: bool) -> list[Text]:
    system = "" if row.way in ("any", "fused") else row.system
    style = "bold" if bold else ""
    shares = (terminal.percent(row.success), f"{100 * row.low:.1f}–{100 * row.high:.1f}")
    return [Text(way, style), terminal.plain(system), *(Text(cell) for cell in (f"{row.asked:,}", *shares))]


def _gain(cell: ComparedCell, mixture: str, single: str) -> str:
    if cell.difference is None:
        return "Nothing to compare: every pair is uncertain."
    by = f"{100 * cell.difference:+.1f} points ({100 * cell.low:+.1f} to {100 * cell.high:+.1f}), p = {cell.p:.2g}"
    match cell.better:
        case "B":
            return f"{mixture} does better than {single}: {by}."
        case "A":
            return f"{mixture} does worse than {single}: {by}."
    return f"{mixture} can't be told apart from {single}: {by}."


VIEWS = (
    View(
        "mixture",
        "what the memories would be worth together: the best one, the best for each task, any of them",
        lambda source, console: print_mixtures(mixtures(source.verdicts()), console),
        "mixture",
        lambda source: [asdict(row) for row in mixtures(source.verdicts()).rows],
        as_json=lambda source: mixtures_json(mixtures(source.verdicts())),
    ),
)
