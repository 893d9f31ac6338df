"""Measures laid out for reading, the same for terminal and page: which lines there are, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtriage.metrics.retrieval import LEVELS, Level, Measure, Metric
from memtriage.tables.measures import ALL_TASKS, LeftOut, MeasureRow

HEADLINE: tuple[tuple[Metric, int], ...] = (("Recall_all", 5), ("NDCG_any", 5), ("Recall_all", 10), ("NDCG_any", 10))
"""The measures of rankings that are shown, at each level; JSON and CSV have all of them."""

RANKINGS_NOTE = (
    "Percent with 95 % intervals, over n questions. Recall_all: all of the evidence is among the first k (sessions, or "
    "turns of the user); NDCG_any: how early it comes."
)
ANSWERS_NOTE = "Percent with 95 % intervals, over n questions; an error is in no mean, and * stands where fewer count."

_WHY: dict[LeftOut, str] = {
    "abstention": "skipped: abstention, there is nothing to find",
    "no_user_target": "skipped: only the assistant said it, so that no turn of the user is a target",
    "no_sources": "n/a: a memory that was ranked does not say which turns it comes from",
    "error": "errors",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean and its interval; `fewer` where fewer questions count than its line says."""

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
class Line:
    """What was measured of one system, at some k where it is about answers; None where nothing was."""

    system: str
    k: int | None
    n: int
    figures: tuple[Figure | None, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its measures, and under each task a line for each system. `asides` say what is in no mean, and why."""

    title: str
    measures: tuple[str, ...]
    tasks: tuple[tuple[str, tuple[Line, ...]], ...]
    asides: tuple[str, ...] = ()


def ranking_sheets(rows: Sequence[MeasureRow]) -> list[Sheet]:
    """How early rankings bring what questions need: a sheet for each suite and level."""
    rows = [row for row in rows if not row.k]
    sheets = []
    for suite in dict.fromkeys(row.suite for row in rows):
        own = [row for row in rows if row.suite == suite]
        for level in LEVELS:
            asides = tuple(_left_out(own)) if level == LEVELS[-1] else ()
            names = tuple(f"{kind}@{k}" for kind, k in HEADLINE)
            sheets.append(Sheet(f"{suite}, {level} level", names, tuple(_ranked(own, level)), asides))
    return sheets


def answer_sheets(rows: Sequence[MeasureRow]) -> list[Sheet]:
    """What words say of answers: a sheet for the tasks that have the same measures."""
    by_task: dict[tuple[str, str], list[MeasureRow]] = {}
    for row in (row for row in rows if row.k):
        by_task.setdefault((row.suite, row.task), []).append(row)
    alike: dict[tuple[str, tuple[str, ...]], list[MeasureRow]] = {}
    for (suite, _), own in by_task.items():
        alike.setdefault((suite, tuple(dict.fromkeys(row.measure for row in own))), []).extend(own)
    return [
        Sheet(f"{suite}, what came back and what was answered", names, tuple(_answered(own, names)))
        for (suite, names), own in alike.items()
    ]


def _ranked(rows: Sequence[MeasureRow], level: Level) -> Iterator[tuple[str, tuple[Line, ...]]]:
    cells = {(row.task, row.system, row.measure): row for row in rows}
    for task in dict.fromkeys(row.task for row in rows if row.n or row.task == ALL_TASKS):
        systems = dict.fromkeys(row.system for row in rows if row.task == task)
        measured = {s: [cells[task, s, str(Measure(level, kind, k))] for kind, k in HEADLINE] for s in systems}
        yield _task(rows, task), tuple(_line(system, None, found) for system, found in measured.items())


def _answered(rows: Sequence[MeasureRow], names: Sequence[str]) -> Iterator[tuple[str, tuple[Line, ...]]]:
    cells = {(row.task, row.system, row.k, row.measure): row for row in rows}
    for task in dict.fromkeys(row.task for row in rows):
        asked = dict.fromkeys((row.system, row.k) for row in rows if row.task == task)
        lines = (_line(system, k, [cells.get((task, system, k, name)) for name in names]) for system, k in asked)
        yield _task(rows, task), tuple(lines)


def _task(rows: Sequence[MeasureRow], task: str) -> str:
    return task.removeprefix(f"{rows[0].suite}/")


def _line(system: str, k: int | None, found: Sequence[MeasureRow | None]) -> Line:
    most = max(row.n for row in found if row is not None)
    return Line(system, k, most, tuple(_figure(row, most) for row in found))


def _figure(row: MeasureRow | None, most: int) -> Figure | None:
    return None if row is None or row.mean is None else Figure(row.mean, row.low, row.high, row.n < most)


def _left_out(rows: Sequence[MeasureRow]) -> Iterator[str]:
    """What is not in the means and why; systems are named where it is not the same for all."""
    told: dict[str, list[str]] = {}
    overall = [row for row in rows if row.task == ALL_TASKS]
    systems = list(dict.fromkeys(row.system for row in overall))
    for system in systems:
        for line in _of_system([row for row in overall if row.system == system]):
            told.setdefault(line, []).append(system)
    for line, of in told.items():
        yield line if of == systems else f"{', '.join(of)}: {line}"


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
