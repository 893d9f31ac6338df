"""Tables of measures for reading, shared by the terminal and the HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtriage.core.amount import K
from memtriage.metrics.retrieval import LEVELS, Level, Measure, Metric
from memtriage.tables.measures import ALL_TASKS, LeftOut, MeasureRow

HEADLINE: tuple[tuple[Metric, int], ...] = (("Recall_all", 5), ("NDCG_any", 5), ("Recall_all", 10), ("NDCG_any", 10))
"""The ranking measures that are shown at each level; JSON and CSV have all of them."""

RANKINGS_NOTE = (
    "Percent with 95 % intervals, over n questions. Recall_all: all of the evidence is among the first k (sessions, or "
    "turns of the user); NDCG_any: how early it comes. An error counts as 0, and its interval reaches up to 100."
)
ANSWERS_NOTE = (
    "Percent with 95 % intervals, over n questions; an error counts as 0, with an interval that reaches up to 100 for "
    "it, and * stands where fewer count."
)

_REASONS: dict[LeftOut, str] = {
    "abstention": "skipped: abstention, there is nothing to find",
    "no_user_target": "skipped: only the assistant said it, so that no turn of the user is a target",
    "no_sources": "n/a: a memory that was ranked does not say which turns it comes from",
    "error": "errors, which count as 0",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean and its interval; `fewer` means that it is over fewer questions than its line says."""

    mean: float
    low: float
    high: float
    fewer: bool

    def __str__(self) -> str:
        mean = "100" if self.mean == 1 else f"{100 * self.mean:.1f}"
        return f"{mean}{'*' if self.fewer else ''}"

    @property
    def interval(self) -> str:
        return f"{100 * self.low:.0f}–{100 * self.high:.0f}"


@dataclass(frozen=True, slots=True)
class SheetLine:
    """The figures of one system; None where nothing was measured. `k` is None for rankings."""

    system: str
    k: K | None
    n: int
    figures: tuple[Figure | None, ...]


@dataclass(frozen=True, slots=True)
class MeasureSheet:
    """A table: its measures, and for each task a line per system. `asides` say what was left out of the means."""

    title: str
    measures: tuple[str, ...]
    tasks: tuple[tuple[str, tuple[SheetLine, ...]], ...]
    asides: tuple[str, ...] = ()


def ranking_sheets(rows: Sequence[MeasureRow]) -> list[MeasureSheet]:
    """The ranking measures: one sheet per suite and level."""
    rows = [row for row in rows if not row.k]
    sheets = []
    for suite in dict.fromkeys(row.suite for row in rows):
        own = [row for row in rows if row.suite == suite]
        for level in LEVELS:
            asides = tuple(_left_out(own)) if level == LEVELS[-1] else ()
            names = tuple(f"{kind}@{k}" for kind, k in HEADLINE)
            sheets.append(MeasureSheet(f"{suite}, {level} level", names, tuple(_ranked(own, level)), asides))
    return sheets


def answer_sheets(rows: Sequence[MeasureRow]) -> list[MeasureSheet]:
    """The answer measures: one sheet for all tasks with the same measures."""
    by_task: dict[tuple[str, str], list[MeasureRow]] = {}
    for row in (row for row in rows if row.k):
        by_task.setdefault((row.suite, row.task), []).append(row)
    alike: dict[tuple[str, tuple[str, ...]], list[MeasureRow]] = {}
    for (suite, _), own in by_task.items():
        alike.setdefault((suite, tuple(dict.fromkeys(row.measure for row in own))), []).extend(own)
    return [
        MeasureSheet(f"{suite}, what came back and what was answered", names, tuple(_answered(own, names)))
        for (suite, names), own in alike.items()
    ]


def _ranked(rows: Sequence[MeasureRow], level: Level) -> Iterator[tuple[str, tuple[SheetLine, ...]]]:
    cells = {(row.task, row.system, row.measure): row for row in rows}
    for task in dict.fromkeys(row.task for row in rows if row.n or row.task == ALL_TASKS):
        systems = dict.fromkeys(row.system for row in rows if row.task == task)
        measured = {s: [cells[task, s, str(Measure(level, kind, k))] for kind, k in HEADLINE] for s in systems}
        yield _task_heading(rows, task), tuple(_line(system, None, found) for system, found in measured.items())


def _answered(rows: Sequence[MeasureRow], names: Sequence[str]) -> Iterator[tuple[str, tuple[SheetLine, ...]]]:
    cells = {(row.task, row.system, row.k, row.measure): row for row in rows}
    for task in dict.fromkeys(row.task for row in rows):
        asked = dict.fromkeys((row.system, row.k) for row in rows if row.task == task)
        lines = (_line(system, k, [cells.get((task, system, k, name)) for name in names]) for system, k in asked)
        yield _task_heading(rows, task), tuple(lines)


def _task_heading(rows: Sequence[MeasureRow], task: str) -> str:
    return "all questions, pooled" if task == ALL_TASKS else task.removeprefix(f"{rows[0].suite}/")


def _line(system: str, k: K | None, found: Sequence[MeasureRow | None]) -> SheetLine:
    most = max(row.n for row in found if row is not None)
    return SheetLine(system, k, most, tuple(_figure(row, most) for row in found))


def _figure(row: MeasureRow | None, most: int) -> Figure | None:
    return None if row is None or row.mean is None else Figure(row.mean, row.low, row.high, row.n < most)


def _left_out(rows: Sequence[MeasureRow]) -> Iterator[str]:
    """What was left out of the means and why; systems are named if it differs between them."""
    systems_by_line: dict[str, list[str]] = {}
    overall = [row for row in rows if row.task == ALL_TASKS]
    systems = list(dict.fromkeys(row.system for row in overall))
    for system in systems:
        for line in _left_out_of_system([row for row in overall if row.system == system]):
            systems_by_line.setdefault(line, []).append(system)
    for line, named in systems_by_line.items():
        yield line if named == systems else f"{', '.join(named)}: {line}"


def _left_out_of_system(rows: Sequence[MeasureRow]) -> Iterator[str]:
    for reason, text in _REASONS.items():
        if count := getattr(rows[0], reason):
            yield f"{count:,} of {rows[0].questions:,} {text}"
    if any(row.sessions_only for row in rows):
        yield "n/a by turns: memories stand for several turns of the user"
    if shallow := [row for row in rows if row.too_shallow]:
        first = min(shallow, key=lambda row: Measure.parse(row.measure).k)
        most = max(row.too_shallow for row in shallow)
        yield f"* not ranked deep enough from {first.measure} on, at most {most:,} questions; ask with a larger --k"
