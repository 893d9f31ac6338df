"""The page's section on what stores made up: a table, and single memories beside what was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from memtriage.core.memory_check import MemoryCheck, MemoryFinding
from memtriage.report.headline import interval, percent
from memtriage.report.html.page import visible
from memtriage.tables.false_memories import FalseMemories, false_memories
from memtriage.tables.table import MERGED

_SHOWN = 40
"""How many findings the page lists."""


def made_up(checks: Iterable[MemoryCheck]) -> dict[str, Any] | None:
    """What the section shows; None if every memory of every store was said. Checks are read once, one by one."""
    listed: list[dict[str, str]] = []
    total = 0

    def listing() -> Iterator[MemoryCheck]:
        nonlocal total
        for check in checks:
            total += len(check.findings)
            listed.extend(_finding(check, one) for one in check.findings[: _SHOWN - len(listed)])
            yield check

    rows = false_memories(listing())
    if not any(row.invented or row.pairs or row.uncertain for row in rows):
        return None
    tasks = dict.fromkeys(row.task for row in rows)
    tables = [
        ("all tasks" if task == MERGED else visible(task), [_line(row) for row in rows if row.task == task])
        for task in tasks
    ]
    return {"tables": tables, "findings": listed, "more": total - len(listed)}


def _line(row: FalseMemories) -> dict[str, Any]:
    return {
        "system": visible(row.system),
        "counts": [f"{n:,}" if row.memories else "–" for n in (row.memories, row.invented, row.uncertain, row.pairs)],
        "share": percent(row.share),
        "interval": "" if row.low is None or row.high is None else interval(row.low, row.high),
        "left_out": [row.na, row.errors],
    }


def _finding(check: MemoryCheck, one: MemoryFinding) -> dict[str, str]:
    place = ", ".join(part for part in (one.session, one.turn) if part)
    return {
        "where": visible(f"{check.system} on {check.episode}"),
        "kind": one.kind,
        "text": visible(one.text),
        "other": visible(one.other_text),
        "why": visible(f"{one.why}: {', '.join(one.words)}" if one.words else one.why),
        "nearest": visible(f"{one.nearest} ({place})" if place and one.nearest else one.nearest),
    }
