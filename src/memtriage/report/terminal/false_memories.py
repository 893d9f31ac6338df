"""The views `show --by memories` and `show --by invented`: what stores made up, counted and one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.core.errors import BadInput
from memtriage.core.memory_check import MemoryCheck, MemoryFinding
from memtriage.diagnose.false_memories import memory_checks
from memtriage.report.labels import short_labels
from memtriage.report.terminal.tables import percent, plain
from memtriage.report.terminal.view import Source, View
from memtriage.tables.false_memories import FalseMemories, false_memories
from memtriage.tables.table import MERGED

CAPTION = (
    "invented: memories that nothing said supports, with the 95 % interval of their share. uncertain: rewritten so "
    "that words alone can't tell. pairs: two memories of one store that can't both hold. Stores that can't be listed, "
    "or raised, are left out. `show --by invented` lists them."
)

_HEADINGS = ("memories", "invented", "share", "95 %", "uncertain", "pairs", "n/a", "errors")
_SHORT = {"memories": "mem.", "invented": "inv.", "uncertain": "unc."}
_COUNTED = 6
"""How many columns there always are; the others only if they count anything."""
_ROOMY = 80
_NARROW = 60
"""Columns that the table takes with a short name and short headings."""


def _checks(source: Source) -> Iterator[MemoryCheck]:
    reader = getattr(source.run, "reader", None)
    found = getattr(source.run, "checks", None) if reader is None else memory_checks(reader)
    if found is None:
        raise BadInput(f"--by {source.by} needs stores that were recorded")
    return (check for check in found if source.system in (None, check.system))


def _draw_table(source: Source, console: Console) -> None:
    print_table(false_memories(_checks(source)), console)


def print_table(rows: Iterable[FalseMemories], console: Console) -> None:
    """Print a line for each system, task by task."""
    found = list(rows)
    for task in dict.fromkeys(row.task for row in found):
        here = [row for row in found if row.task == task]
        cells = [list(_cells(row)) for row in here]
        shown = [n for n in range(len(_HEADINGS)) if n < _COUNTED or any(line[n] != "·" for line in cells)]
        labels = short_labels((row.system for row in here), max(12, console.width - _NARROW + 12))
        grid = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
        grid.add_column("system", no_wrap=True)
        for n in shown:
            grid.add_column(
                _SHORT.get(_HEADINGS[n], _HEADINGS[n]) if console.width < _ROOMY else _HEADINGS[n],
                justify="right",
                no_wrap=True,
            )
        for row, line in zip(here, cells, strict=True):
            grid.add_row(plain(labels[row.system]), *(line[n] for n in shown))
        console.print(plain("all tasks" if task == MERGED else task, "bold"))
        console.print(grid)
    console.print(Text(CAPTION, "dim"))


def _cells(row: FalseMemories) -> Iterator[str]:
    if not row.memories and row.stores == row.na + row.errors:
        yield from ("–",) * _COUNTED
    else:
        yield f"{row.memories:,}"
        yield f"{row.invented:,}"
        yield "–" if row.share is None else percent(row.share)
        yield "–" if row.low is None or row.high is None else f"{100 * row.low:.1f}–{100 * row.high:.1f}"
        yield f"{row.uncertain:,}"
        yield f"{row.pairs:,}"
    yield str(row.na or "·")
    yield str(row.errors or "·")


def _draw_list(source: Source, console: Console) -> None:
    print_findings(_checks(source), console, source.limit)


def print_findings(checks: Iterable[MemoryCheck], console: Console, limit: int) -> None:
    """Print each invented memory with the nearest thing that was said, and contradicting memories side by side."""
    shown = total = 0
    for check in checks:
        for finding in check.findings:
            total += 1
            if shown < limit:
                shown += 1
                console.print(plain(f"{check.system} on {check.episode}", "bold"))
                _print_finding(finding, console)
    if not total:
        console.print("No memory is known to be invented, and no two contradict each other.")
    elif shown < total:
        console.print(plain(f"… and {total - shown:,} more: --limit {total}", "dim"))


def _print_finding(finding: MemoryFinding, console: Console) -> None:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    grid.add_row(f"  {finding.kind}", plain(finding.text))
    if finding.other_text:
        grid.add_row("  and", plain(finding.other_text))
    grid.add_row("  why", plain(f"{finding.why}: {', '.join(finding.words)}" if finding.words else finding.why))
    if finding.nearest:
        place = ", ".join(part for part in (finding.session, finding.turn) if part)
        grid.add_row("  said", plain(f"{finding.nearest} ({place})" if place else finding.nearest))
    console.print(grid)


def table_record(row: FalseMemories) -> dict[str, Any]:
    """A row as JSON."""
    return {**asdict(row), "share": row.share, "low": row.low, "high": row.high}


def finding_records(checks: Iterable[MemoryCheck]) -> Iterator[Mapping[str, Any]]:
    """Every finding with the store that it is about."""
    for check in checks:
        about = {"suite": check.suite, "task": check.task, "system": check.system, "episode": check.episode}
        for finding in check.findings:
            found = {**asdict(finding), "words": list(finding.words)}
            yield {**about, "ingest_repeat": check.ingest_repeat, **found}


VIEWS = (
    View(
        "memories",
        "what stores made up: memories that nothing said supports, and pairs that can't both hold",
        _draw_table,
        "false-memories",
        lambda source: [table_record(row) for row in false_memories(_checks(source))],
    ),
    View(
        "invented",
        "each invented memory with the nearest thing that was said, and contradicting ones side by side",
        _draw_list,
        "invented",
        lambda source: finding_records(_checks(source)),
    ),
)
