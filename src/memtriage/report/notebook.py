"""What a notebook shows: the table of a run with its bars, and of other results what a terminal would print.

There is no script in it, and no colour that needs a light or a dark page: a notebook may have either.
"""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from memtriage.core.amount import k_text
from memtriage.core.verdict import KINDS, VerdictKind
from memtriage.report.headline import headline, interval, percent
from memtriage.report.html.page import visible
from memtriage.tables.standings import Standings
from memtriage.tables.table import FactRow, Row

_COLOURS = {
    "correct": "#2aa57f",
    "not_stored": "#dd6229",
    "summary_error": "#dda02c",
    "not_retrieved": "#4486cc",
    "reasoning_error": "#bd73b0",
    "uncertain": "#969ca4",
    "na": "#b9bec4",
    "error": "#6b727b",
}
_ROWS = 150
"""How many rows are shown by task; a notebook keeps all of them in its file."""

_PRINTED = (
    (128, 128, 128),
    (214, 72, 60),
    (42, 165, 127),
    (198, 140, 30),
    (68, 134, 204),
    (176, 98, 162),
    (40, 150, 165),
    (128, 128, 128),
)
_THEME = TerminalTheme((255, 255, 255), (0, 0, 0), [*_PRINTED], [*_PRINTED])
_PAGE = '<pre style="color:inherit;background:none;line-height:1.35;overflow-x:auto">{code}</pre>'


def run_html(found: Standings, rows: Sequence[Row], notes: Sequence[str] = ()) -> str:
    """A run as HTML: its headline, all tasks together, then each task to unfold."""
    from jinja2 import Environment

    tasks = dict.fromkeys((row.suite, row.task) for row in rows)
    blocks = [_block("all tasks, pooled", found.rows)] if len(tasks) > 1 else []
    shown = rows[:_ROWS]
    for suite, task in tasks:
        if own := [row for row in shown if (row.suite, row.task) == (suite, task)]:
            blocks.append(_block(task, own))
    cut = [f"{len(rows) - _ROWS:,} more rows are in run.table()."] if len(rows) > _ROWS else []
    template = files("memtriage.report.html").joinpath("notebook.html").read_text(encoding="utf-8")
    return (
        Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        .from_string(template)
        .render(
            headline=[visible(sentence) for sentence in headline(found) if sentence],
            blocks=blocks,
            kinds=[
                _kind(kind) for kind in KINDS if any(getattr(row, kind.column) for row in rows) and kind.column != "na"
            ],
            notes=[visible(note) for note in (*cut, *notes)],
        )
    )


def text_html(text: str) -> str:
    """A sentence as HTML."""
    return f"<p>{html.escape(visible(text))}</p>"


def printed_html(draw: Callable[[Console], None]) -> str:
    """What is printed on a console, as HTML that keeps its colours."""
    console = Console(record=True, file=io.StringIO(), width=120, force_jupyter=False, force_terminal=True)
    draw(console)
    return console.export_html(theme=_THEME, inline_styles=True, code_format=_PAGE)


def _block(title: str, rows: Sequence[FactRow]) -> dict[str, Any]:
    kinds = [kind for kind in KINDS if any(getattr(row, kind.column) for row in rows)]
    return {
        "title": visible(title),
        "kinds": [_kind(kind) for kind in kinds],
        "lines": [_line(row, kinds) for row in rows],
    }


def _line(row: FactRow, kinds: Sequence[VerdictKind]) -> dict[str, Any]:
    """One row; its bar is about what was asked, as success and its interval are."""
    counts = [(kind, int(getattr(row, kind.column))) for kind in kinds]
    bars, place = [], 0.0
    for kind, count in counts:
        if count and kind.column != "na":
            width = 100 * count / row.asked
            bars.append({"x": f"{place:.2f}", "width": f"{width:.2f}", "colour": _COLOURS[kind.column]})
            place += width
    told = ", ".join(f"{count:,} {kind.label}" for kind, count in counts if count)
    return {
        "system": visible(row.system),
        "k": k_text(row.k),
        "success": percent(row.success),
        "interval": interval(row.low, row.high) if row.asked else "",
        "low": f"{100 * row.low:.2f}",
        "span": f"{100 * (row.high - row.low):.2f}",
        "bars": bars,
        "told": visible(f"{row.system} at k = {k_text(row.k)}: {told}"),
        "counts": [f"{count:,}" for _, count in counts],
        "n": f"{row.n:,}",
    }


def _kind(kind: VerdictKind) -> dict[str, str]:
    own = {"label": kind.label, "title": kind.title, "meaning": kind.meaning}
    return {**own, "colour": _COLOURS[kind.column]}
