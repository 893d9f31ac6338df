"""The output of commands other than `show`: comparisons, bills, estimates, calibrations, suites, checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from rich.console import Console, JustifyMethod
from rich.table import Table

from memtriage.core.suite import Cell, Checked, DataTable, Suite, cell_text
from memtriage.pipeline.size import RunSize
from memtriage.report.terminal import tables as terminal
from memtriage.report.terminal.calibration import memories_json, print_memories, print_rewritten, rewritten_json
from memtriage.report.terminal.machine_readable import print_json
from memtriage.runner.check import Check
from memtriage.tables.pairs import Comparison
from memtriage.text.words import counted
from memtriage.validate.calibrate import Calibration
from memtriage.validate.planted_faults import LeftOut


def compare(found: Comparison, limit: int, as_json: bool, console: Console) -> None:
    """Print how two runs differ, probe by probe."""
    if as_json:
        record = asdict(found)
        del record["names"]
        print_json({"schema": "memtriage.comparison/2", **record})
        return
    terminal.print_comparison(found, console, found.names, limit)
    if found.judged_otherwise:
        tasks = ", ".join(found.judged_otherwise)
        told = f"The judges of A and B were asked in different words ({tasks}), which alone may matter;"
        console.print(terminal.plain(f"{told} grade one of them again: memtriage judge RUN --judge MODEL", "yellow"))


def cost(spent: Mapping[str, Any], console: Console, quiet: bool) -> None:
    """Print the bill of models: by role and stage, or in one line."""
    total = spent["total"]
    if not quiet:
        grid = Table(box=None, padding=(0, 1), header_style="bold")
        for column in ("role", "stage", "calls", "cached", "retries", "errors", "tokens in", "out", "dollars"):
            grid.add_column(column, justify="left" if column in ("role", "stage") else "right")
        for role, stages in spent["roles"].items():
            for stage, account in stages.items():
                grid.add_row(terminal.plain(role), terminal.plain(stage), *_account(account))
        console.print(grid)
    dated = f"prices of {spent['prices']['date']}"
    failed = sum(total["errors"].values())
    calls = f"{total['calls']:,} ({total['cached']:,} from the cache{f', {failed:,} failed' if failed else ''})"
    told = f"model calls: {calls}, {_dollars(total)} ({dated})"
    console.print(terminal.plain(told))
    if under_way := spent.get("under_way"):
        calls = under_way["calls"]
        replies = "1 reply was" if calls == 1 else f"{calls:,} replies were"
        why = "the run was stopped, the call timed out or its connection broke"
        console.print(f"{replies} lost ({why}), and may have cost {_dollars(under_way)} more", highlight=False)


def _account(account: Mapping[str, Any]) -> list[str]:
    counts = (account["calls"], account["cached"], account["retries"], sum(account["errors"].values()))
    tokens = (account["input_tokens"], account["output_tokens"])
    return [*(f"{n:,}" for n in counts), *(f"{n:,}" for n in tokens), _dollars(account)]


def _dollars(account: Mapping[str, Any]) -> str:
    known = f"${account['dollars']:.4f}"
    if not account["price_unknown"]:
        return known
    return f"{known} + unknown" if account["dollars"] else "unknown"


def estimate(found: Any, as_json: bool, console: Console) -> None:
    """Print the estimate of a run."""
    rows = found.rows()
    if as_json:
        print_json({"schema": "memtriage.estimate/1", "rows": rows, "assumptions": list(found.assumptions)})
        return
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    for column in rows[0] if rows else ("nothing to ask",):
        grid.add_column(column.replace("_", " "), justify="left" if column in ("role", "stage", "model") else "right")
    for row in rows:
        grid.add_row(*(terminal.plain(_cell(value)) for value in row.values()))
    console.print(grid)
    for assumption in found.assumptions:
        console.print(terminal.plain(assumption, "dim"))


def size_text(found: RunSize, systems: int, ks: int) -> str:
    """What a very large run takes, in a sentence or two."""
    asked = f"{found.tasks:,} task{'s' * (found.tasks > 1)}, {found.questions:,} questions, {systems} systems, {ks} k"
    taken = f"at least {time_text(found.seconds)} and {disk_text(found.bytes)} of disk"
    text = f"this run ({asked}) takes {taken}, where {disk_text(found.free_bytes)} are free; measured on a few rows"
    if found.unknown:
        text += f". What {', '.join(found.unknown)} take by themselves was not measured"
    return text


def time_text(seconds: float) -> str:
    """A long time in its largest unit.

    >>> time_text(7200), time_text(40 * 86_400), time_text(1e11)
    ('2 hours', '40 days', '3,169 years')
    """
    units = (("years", 365.25 * 86_400), ("days", 86_400), ("hours", 3600), ("minutes", 60))
    name, size = next(((name, size) for name, size in units if seconds >= 2 * size), ("seconds", 1))
    return f"{seconds / size:,.0f} {name}"


def disk_text(count: int) -> str:
    """A number of bytes in its largest unit.

    >>> disk_text(3_500_000), disk_text(12_000_000_000), disk_text(7 * 10**15)
    ('4 MB', '12 GB', '7,000 TB')
    """
    name, size = next(((name, size) for name, size in (("TB", 1e12), ("GB", 1e9)) if count >= size), ("MB", 1e6))
    return f"{count / size:,.0f} {name}"


def _cell(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, tuple):
        low, high = (_cell(part) for part in value)
        return low if low == high else f"{low} – {high}"
    if isinstance(value, Decimal):
        return f"${value:.4f}"
    return f"{value:,.4f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def calibration(result: Calibration, console: Console) -> None:
    """Print a detector's confusion matrix, kappa and error rates; then how it does on rewritten memories."""
    terminal.print_confusion(result.confusion, console, result.unfaulted)
    for line in left_out(result):
        console.print(line, highlight=False)
    if result.rewritten is not None:
        console.print()
        print_rewritten(result.rewritten, console)
    if result.memories is not None:
        console.print()
        print_memories(result.memories, console)


def left_out(result: Calibration) -> list[str]:
    """How many facts were not tested, and why."""
    counts = Counter[LeftOut]()
    for (why, _), n in result.left_out.items():
        counts[why] += n
    reasons: dict[LeftOut, str] = {
        "cut apart": "the memory's way of storing takes them apart, so nobody could say that they were kept",
        "never said": "they only follow from what was said, so no memory has to hold them",
    }
    return [f"{counts[why]} facts are left out: {reason}" for why, reason in reasons.items() if counts[why]]


def calibration_json(result: Calibration) -> dict[str, Any]:
    """The calibration as JSON in a stable schema."""
    rewritten = result.rewritten
    return {
        "schema": "memtriage.calibration/1",
        "confusion": [{"planned": p, "found": f, "n": n} for (p, f), n in sorted(result.confusion.items())],
        "planted": result.planted,
        "attributed": result.attributed,
        "attribution": [round(result.attribution.low, 6), round(result.attribution.high, 6)],
        "clean": result.clean,
        "false_alarms": result.false_alarms,
        "alarm": [round(result.alarm.low, 6), round(result.alarm.high, 6)],
        "kappa": round(result.kappa, 6),
        "left_out": [{"why": why, "found": found, "n": n} for (why, found), n in sorted(result.left_out.items())],
        "rewritten": None if rewritten is None else rewritten_json(rewritten),
        "memories": None if result.memories is None else memories_json(result.memories),
    }


def suites(found: Sequence[Suite], as_json: bool, console: Console) -> None:
    """List suites and their tasks."""
    if as_json:
        print_json([_suite_json(suite) for suite in found])
        return
    for suite in found:
        console.print(terminal.plain(suite.name, "bold") + terminal.plain(f"  {suite.title}"))
        console.print(terminal.plain(f"  {suite.paper}; {suite.licence}"))
        grid = Table(box=None, show_header=False, padding=(0, 2))
        for task in suite.tasks:
            grid.add_row(terminal.plain(task.name), f"{task.rows} rows", terminal.plain(task.summary))
        console.print(grid)


def _suite_json(suite: Suite) -> dict[str, Any]:
    tasks = [{"name": t.name, "rows": t.rows, "summary": t.summary, "options": dict(t.options)} for t in suite.tasks]
    about = {"name": suite.name, "title": suite.title, "paper": suite.paper, "licence": suite.licence}
    return {**about, "version": suite.version, "tasks": tasks}


def checks(system: str, results: Sequence[Check], as_json: bool, console: Console) -> None:
    """Print the results of `check`, and the verdict in one line."""
    if as_json:
        print_json({"system": system, "checks": [asdict(result) for result in results]})
        return
    marks = {"ok": "[green]ok[/green]", "warning": "[yellow]note[/yellow]", "problem": "[red]problem[/red]"}
    grid = Table(box=None, show_header=False, padding=(0, 2))
    for result in results:
        grid.add_row(marks[result.outcome], terminal.plain(result.what), terminal.plain(result.seen))
    console.print(grid)
    problems = sum(result.outcome == "problem" for result in results)
    verdict = f"{system} does not fit yet: {counted(problems, 'problem')}" if problems else f"{system} fits"
    console.print(terminal.plain(verdict, "bold"))


def validation(checked: Sequence[Checked], limit: int, console: Console) -> None:
    """Print which files are valid, and the problems of those that are not."""
    for file in checked:
        errors = [p for p in file.problems if p.is_error]
        warnings = len(file.problems) - len(errors)
        state = f"{counted(len(errors), 'error')}, {counted(warnings, 'warning')}" if file.problems else "ok"
        console.print(
            terminal.plain(f"{file.task}: {counted(file.rows, 'row')}, {state}  ({file.path})"), soft_wrap=True
        )
        for problem in sorted(file.problems, key=lambda p: not p.is_error)[:limit]:
            console.print(terminal.plain(f"  {problem.message}"), soft_wrap=True)
        if len(file.problems) > limit:
            console.print(f"  … and {len(file.problems) - limit} more")


def data_tables(suite: Suite, tables: Sequence[DataTable], as_json: bool, console: Console) -> None:
    """Print the tables about a suite's data."""
    if as_json:
        print_json({"schema": "memtriage.data/1", "suite": suite.name, "tables": [_table_json(t) for t in tables]})
        return
    for table in tables:
        title = terminal.plain(table.title)
        grid = Table(title=title, box=None, padding=(0, 2, 0, 0), header_style="bold", title_justify="left")
        for number, column in enumerate(table.columns):
            numbers = any(not isinstance(_first(row[number]), str) for row in table.rows)
            justify: JustifyMethod = "right" if numbers else "left"
            grid.add_column(terminal.plain(column), justify=justify, no_wrap=numbers, overflow="fold")
        for row in table.rows:
            grid.add_row(*(terminal.plain(cell_text(cell)) for cell in row))
        console.print(grid)


def _table_json(table: DataTable) -> dict[str, Any]:
    return {"title": table.title, "rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows]}


def _first(cell: Cell | tuple[Cell, ...]) -> Cell:
    return cell[0] if isinstance(cell, tuple) else cell
