"""Scores as papers print them: a line per system, a column per task, the mean of tasks and the mean of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from memtriage.core.amount import K
from memtriage.metrics.statistics import Part, mean_of_parts
from memtriage.registry import axes, group, unscored
from memtriage.tables.standings import REFERENCES, task_parts
from memtriage.tables.table import MERGED, Row

Measure = Literal["accuracy", "success"]


@dataclass(frozen=True, slots=True)
class Score:
    """How a system did on one task at one k.

    `task` is "all" in the mean of tasks, `system` is "all" in the mean of systems; floors and ceilings are not in that.
    With a `group`, it is the mean of a group's tasks, or of those that were asked.
    `low` and `high` are the 95 % interval. The mean of systems has none: they were asked the same, and are no sample.
    """

    suite: str
    system: str
    k: K
    depth: str
    measure: Measure
    task: str
    value: float
    low: float | None = None
    high: float | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class AxisScore:
    """How a system did where tasks have these values on their suite's two axes; "all" is the mean over an axis.

    A cell is the mean of its tasks. What is averaged over an axis is the mean of cells, each counting alike.
    """

    suite: str
    system: str
    k: K
    depth: str
    measure: Measure
    first: str
    second: str
    value: float


def scores(rows: Iterable[Row]) -> list[Score]:
    """Accuracy where all answers were graded, else success: by system and task, then the mean of tasks and of systems.

    Tasks that are no score of their own are left out. Only systems that were asked every task of a block have a mean.
    Where a suite puts its tasks into groups, each has its mean, and the mean of tasks is the mean of the groups.
    """
    blocks: dict[tuple[str, str, K], list[Row]] = {}
    for row in rows:
        if row.asked and not unscored(row.task):
            blocks.setdefault((row.suite, row.depth, row.k), []).append(row)
    return [score for block in blocks.values() for score in _block(block)]


def _block(rows: Sequence[Row]) -> list[Score]:
    measure: Measure = "accuracy" if all(row.accuracy is not None for row in rows) else "success"
    tasks = list(dict.fromkeys(row.task for row in rows))
    found: list[Score] = []
    for system in dict.fromkeys(row.system for row in rows):
        own = {row.task: row for row in rows if row.system == system}
        found += [_score(own[task], measure) for task in tasks if task in own]
        if len(own) == len(tasks):
            found += _means([own[task] for task in tasks], found[-1], measure)
    return found + _mean_of_systems(found)


def _means(rows: Sequence[Row], one: Score, measure: Measure) -> Iterable[Score]:
    """The mean of each group of tasks, if there are any, and the mean of all."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(group(row.task) or "", []).append(row)
    means = {name: _mean(task_parts(own, measure)) for name, own in groups.items()}
    if "" not in means:
        for name, mean in means.items():
            yield replace(one, task=name, group=name, value=mean.worst, low=mean.low, high=mean.high)
    overall = _mean(list(means.values()))
    yield replace(one, task=MERGED, value=overall.worst, low=overall.low, high=overall.high)


def _mean(parts: Sequence[Part]) -> Part:
    """The mean of parts as a part of another mean."""
    mean, (low, high) = mean_of_parts(parts)
    return Part(mean or 0.0, fmean(part.best for part in parts), low, high)


def _score(row: Row, measure: Measure) -> Score:
    value, low, high = (
        (row.accuracy, row.accuracy_low, row.accuracy_high)
        if measure == "accuracy"
        else (row.success, row.low, row.high)
    )
    return Score(row.suite, row.system, row.k, row.depth, measure, row.task, value or 0.0, low, high)


def _mean_of_systems(found: Sequence[Score]) -> list[Score]:
    """The mean of the systems that have a score on every task; none if there is only one."""
    whole = [score for score in found if score.task == MERGED and not is_reference(score.system)]
    if len(whole) < 2:
        return []
    systems = {score.system for score in whole}
    by_task: dict[tuple[str, str], list[float]] = {}
    for score in found:
        if score.system in systems:
            by_task.setdefault((score.task, score.group), []).append(score.value)
    return [
        replace(whole[0], system=MERGED, task=task, group=group, value=fmean(values), low=None, high=None)
        for (task, group), values in by_task.items()
    ]


def is_reference(system: str) -> bool:
    """Whether a label names a floor or a ceiling, with or without arguments."""
    return system.partition(":")[0] in REFERENCES


def axis_scores(found: Iterable[Score]) -> list[AxisScore]:
    """Scores by the two axes that a suite declares for its tasks; empty where it declares none."""
    cells: dict[tuple[str, K, str, str], dict[tuple[str, str], list[Score]]] = {}
    for score in found:
        place = axes(score.task)
        if place is not None:
            own = cells.setdefault((score.suite, score.k, score.depth, score.system), {})
            own.setdefault(place, []).append(score)
    return [axis for own in cells.values() for axis in _axes(own)]


def _axes(own: Mapping[tuple[str, str], Sequence[Score]]) -> Iterable[AxisScore]:
    one = next(iter(own.values()))[0]
    means = {place: fmean(score.value for score in scores) for place, scores in own.items()}
    firsts, seconds = (list(dict.fromkeys(place[axis] for place in means)) for axis in (0, 1))
    for first in (*firsts, MERGED):
        for second in (*seconds, MERGED):
            within = [v for (a, b), v in means.items() if first in (a, MERGED) and second in (b, MERGED)]
            if within and (first, second) != (MERGED, MERGED):
                yield AxisScore(
                    one.suite, one.system, one.k, one.depth, one.measure, first, second, value=fmean(within)
                )
