"""What `show --by measure` prints: how early rankings bring what questions need, and what words say of answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memtriage.diagnose.verdict import ProbeVerdict
from memtriage.errors import BadInput
from memtriage.report.flat import Form, print_rows
from memtriage.report.terminal import plain
from memtriage.score.measures import ALL_TASKS, LeftOut, MeasureRow, measure_rows
from memtriage.score.retrieval import LEVELS, Kind, Level, Measure

HEADLINE: tuple[tuple[Kind, int], ...] = (("Recall_all", 5), ("NDCG_any", 5), ("Recall_all", 10), ("NDCG_any", 10))
"""The measures that the table shows, at each level; JSON and CSV have all of them."""

_WHY: dict[LeftOut, str] = {
    "abstention": "skipped: abstention, there is nothing to find",
    "no_user_target": "skipped: only the assistant said it, so that no turn of the user is a target",
    "no_sources": "n/a: a memory that was ranked does not say which turns it comes from",
    "error": "errors",
}


def show_measures(verdicts: Iterable[ProbeVerdict], form: Form, console: Console) -> None:
    """Per task and system: recall and NDCG of the rankings, measures of the answers, and what was left out."""
    every = measure_rows(verdicts)
    if not every:
        raise BadInput(
            "--by measure needs questions that name the turns to be found, as suite longmemeval has them, or answers "
            "that words grade, as suite memoryagentbench has them"
        )
    if form != "table":
        print_rows("measures", [asdict(row) for row in every], form)
        return
    show_answers([row for row in every if row.k], console)
    rows = [row for row in every if not row.k]
    if not rows:
        return
    for suite in dict.fromkeys(row.suite for row in rows):
        own = [row for row in rows if row.suite == suite]
        for level in LEVELS:
            console.print(plain(f"{suite}, {level} level", "bold"))
            console.print(_grid(own, level))
        for line in _left_out(own):
            console.print(plain(line))
    console.print(
        "Percent with 95 % intervals, over n questions. Recall_all: all of the evidence is among the first k "
        "(sessions, or turns of the user); NDCG_any: how early it comes. --json and --csv have every k and Recall_any.",
        style="dim",
    )


def show_answers(rows: Sequence[MeasureRow], console: Console) -> None:
    """Measures of answers: a table for the tasks that have the same ones, with a line for each system and k."""
    by_task: dict[tuple[str, str], list[MeasureRow]] = {}
    for row in rows:
        by_task.setdefault((row.suite, row.task), []).append(row)
    alike: dict[tuple[str, tuple[str, ...]], list[MeasureRow]] = {}
    for (suite, _), own in by_task.items():
        alike.setdefault((suite, tuple(dict.fromkeys(row.measure for row in own))), []).extend(own)
    for (suite, names), own in alike.items():
        console.print(plain(f"{suite}, what came back and what was answered", "bold"))
        console.print(_answer_grid(own, names))
    if rows:
        console.print("Percent with 95 % intervals, over n questions; an error is in no mean.", style="dim")


def _answer_grid(rows: Sequence[MeasureRow], names: Sequence[str]) -> Table:
    grid = Table(box=None, padding=(0, 1), header_style="bold")
    grid.add_column("task, system", overflow="fold")
    for heading in ("k", "n", *names):
        grid.add_column(heading, justify="right", no_wrap=True)
    cells = {(row.task, row.system, row.k, row.measure): row for row in rows}
    for task in dict.fromkeys(row.task for row in rows):
        grid.add_row(plain(task.removeprefix(f"{rows[0].suite}/"), "bold"))
        for system, k in dict.fromkeys((row.system, row.k) for row in rows if row.task == task):
            shown = [cells.get((task, system, k, name)) for name in names]
            most = max(row.n for row in shown if row is not None)
            values = (Text("–") if row is None else _cell(row, most) for row in shown)
            grid.add_row(plain(f"  {system}"), str(k), f"{most:,}", *values)
    return grid


def _grid(rows: Sequence[MeasureRow], level: Level) -> Table:
    """A line for each system under each task that was measured; narrow, so that a terminal of 80 has room for names."""
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("task, system", overflow="fold")
    for heading in ("n", *(f"{kind}\n@{k}" for kind, k in HEADLINE)):
        grid.add_column(heading, justify="right", no_wrap=True)
    cells = {(row.task, row.system, row.measure): row for row in rows}
    measured = [row for row in rows if row.n or row.task == ALL_TASKS]
    for task in dict.fromkeys(row.task for row in measured):
        grid.add_row(plain(task.removeprefix(f"{rows[0].suite}/"), "bold"))
        for system in dict.fromkeys(row.system for row in rows if row.task == task):
            shown = [cells[task, system, str(Measure(level, kind, k))] for kind, k in HEADLINE]
            most = max(row.n for row in shown)
            grid.add_row(plain(f"  {system}"), f"{most:,}", *(_cell(row, most) for row in shown))
    return grid


def _cell(row: MeasureRow, most: int) -> Text:
    """A mean and its interval; a star where fewer questions count than the line says."""
    if row.mean is None:
        return Text("–")
    star = "*" if row.n < most else ""
    mean = "100" if row.mean == 1 else f"{100 * row.mean:.1f}"
    return Text.assemble(f"{mean}{star} ", (f"{100 * row.low:.0f}–{100 * row.high:.0f}", "dim"))


def _left_out(rows: Sequence[MeasureRow]) -> Iterator[str]:
    """What is not in the means and why; systems are named where it is not the same for all."""
    told: dict[str, list[str]] = {}
    overall = [row for row in rows if row.task == ALL_TASKS]
    systems = list(dict.fromkeys(row.system for row in overall))
    for system in systems:
        for line in _of_system([row for row in overall if row.system == system]):
            told.setdefault(line, []).append(system)
    for line, of in told.items():
        yield f"  {line}" if of == systems else f"  {', '.join(of)}: {line}"


def _of_system(rows: Sequence[MeasureRow]) -> Iterator[str]:
    for why, told in _WHY.items():
        if count := getattr(rows[0], why):
            yield f"{count:,} of {rows[0].questions:,} {told}"
    if any(row.sessions_only for row in rows):
        yield "n/a by turns: memories stand for several turns of the user"
    if shallow := [row for row in rows if row.too_shallow]:
        first = min(shallow, key=lambda row: Measure.parse(row.measure).k)
        most = max(row.too_shallow for row in shallow)
        yield f"* not ranked deep enough from {first.measure} on, at most {most:,} questions; ask with a larger --k"
