"""Print how far judges agree with labels, by type of question."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from memtriage.report.terminal import tables as terminal
from memtriage.studies.judge_agreement import LABELS, Agreed, AgreementLine


def print_agreement(found: Agreed, console: Console) -> None:
    """Print a table for each judge against the labels, and for every two judges."""
    for one, other in dict.fromkeys((line.one, line.other) for line in found.lines):
        lines = [line for line in found.lines if (line.one, line.other) == (one, other)]
        against = "the labels" if other == LABELS else other
        console.print(terminal.plain(f"{found.suite}: {one} against {against}", "bold"))
        console.print(_table(lines))
    console.print(
        terminal.plain(
            "agree: of the answers, with a 95 % interval; what was left open is no agreement, but may be one; "
            "lenient: only the first of the two calls it right; strict: only the second does; kappa: Cohen's",
            "dim",
        )
    )
    if found.sheet.strangers:
        heading = f"answers to questions that the data doesn't have ({len(found.sheet.strangers)}): "
        console.print(terminal.plain(heading + ", ".join(found.sheet.strangers[:10]), "dim"))


def _table(lines: Sequence[AgreementLine]) -> Table:
    models = any(line.model for line in lines)
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    headings = (
        "type",
        *(("answers of",) if models else ()),
        "n",
        "agree",
        "95 %",
        "open",
        "lenient",
        "strict",
        "kappa",
    )
    for heading in headings:
        grid.add_column(heading, justify="left" if heading in ("type", "answers of") else "right", overflow="fold")
    for line in lines:
        cells = [line.type, *((line.model,) if models else ()), str(line.n), terminal.percent(line.agreement)]
        cells += [f"{100 * line.low:.0f}–{100 * line.high:.0f}"]
        cells += [str(count) for count in (line.open, line.lenient, line.strict)]
        cells += ["–" if line.kappa is None else f"{line.kappa:.2f}"]
        grid.add_row(*map(terminal.plain, cells), style=None if line.kind == "type" else "bold")
    return grid
