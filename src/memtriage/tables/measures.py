"""Measures over many questions: means with intervals, and what was left out and why.

Rankings are measured once per question, at the largest k; the cutoff is part of the measure's name. Answers, and
anything else that depends on what was retrieved, are measured at every k.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import ProbeVerdict
from memtriage.metrics.ranking import GAP_TAG
from memtriage.metrics.retrieval import ALL, Measure
from memtriage.metrics.statistics import CONFIDENCE, Interval, clustered, t_value, wilson
from memtriage.tables.table import REFERENCES, cluster_of

ALL_TASKS = "all"
"""The task name of the rows over all questions."""

LeftOut = Literal["abstention", "no_user_target", "no_sources", "sessions_only", "too_shallow", "error"]
"""Why a question is not measured. All but errors are left out of the mean.

`abstention`: there is nothing to find. `no_user_target`: only the assistant said what is asked for. `no_sources`: a
memory does not say which turns it comes from. `sessions_only`: the system keeps memories over several of the user's
turns, which can't be measured by turns. `too_shallow`: the ranking was not recorded so far down. `error`: it failed.
"""
REASONS: tuple[LeftOut, ...] = get_args(LeftOut)

_GAPS: dict[str, LeftOut] = {
    "no user-side target": "no_user_target",
    "no sources": "no_sources",
}
_SESSIONS_ONLY = "sessions only"
_RANKING_MEASURES = frozenset(map(str, ALL))


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One measure of one system over the questions of a task, or over all questions.

    Of `questions`, `n` are in the mean; the others are counted by the reason they are not. An `error` is in the mean as
    0, and the interval reaches up to where it would be 1. `mean` is None if there is nothing to measure. `k` is 0 for
    measures of rankings.
    """

    suite: str
    task: str
    system: str
    measure: str
    questions: int
    n: int
    mean: float | None
    low: float
    high: float
    abstention: int = 0
    no_user_target: int = 0
    no_sources: int = 0
    sessions_only: int = 0
    too_shallow: int = 0
    error: int = 0
    k: K = 0


@dataclass(frozen=True, slots=True)
class _Question:
    """One question to one store, at the largest k."""

    task: str
    k: K
    cluster: Hashable
    measures: Mapping[str, float]
    left_out: LeftOut | None
    sessions_only: bool


@dataclass(slots=True)
class _SystemQuestions:
    """The questions to one system, each once, however often it was answered or judged."""

    asked: dict[tuple[str, str, int], _Question] = field(default_factory=dict)

    def add(self, verdict: ProbeVerdict) -> None:
        key = (verdict.episode, verdict.probe, verdict.ingest_repeat)
        before = self.asked.get(key)
        found = _question(verdict)
        if before is None or (k_order(found.k), bool(found.measures)) > (k_order(before.k), bool(before.measures)):
            self.asked[key] = found

    @property
    def measured(self) -> bool:
        """Whether the questions have rankings to measure."""
        return any(one.measures or one.left_out in _GAPS.values() for one in self.asked.values())


@dataclass(slots=True)
class _AnswerMeasures:
    """The answer measures of one task, system and k."""

    values: dict[str, list[tuple[Hashable, float]]] = field(default_factory=dict)
    questions: int = 0
    errors: list[Hashable] = field(default_factory=list)

    def add(self, verdict: ProbeVerdict) -> None:
        self.questions += 1
        measures = {name: value for name, value in verdict.measures.items() if name not in _RANKING_MEASURES}
        for name, value in measures.items():
            self.values.setdefault(name, []).append((cluster_of(verdict), value))
        if verdict.verdict == "error" and not measures:
            self.errors.append(cluster_of(verdict))


class MeasureTally:
    """The measures of verdicts that come one by one."""

    def __init__(self) -> None:
        self._systems: dict[tuple[str, str], _SystemQuestions] = {}
        self._tasks: dict[str, dict[str, None]] = {}
        self._answered: dict[tuple[str, str, str, K], _AnswerMeasures] = {}

    def add(self, verdict: ProbeVerdict) -> None:
        self._systems.setdefault((verdict.suite, verdict.system), _SystemQuestions()).add(verdict)
        self._tasks.setdefault(verdict.suite, {})[verdict.task] = None
        key = (verdict.suite, verdict.task, verdict.system, verdict.k)
        self._answered.setdefault(key, _AnswerMeasures()).add(verdict)

    def rows(self) -> list[MeasureRow]:
        """One row per measure and system, as `measure_rows` has them."""
        names = _answer_names(self._answered)
        keys = sorted(self._answered, key=lambda key: key[2] in REFERENCES)
        answers = [row for key in keys for row in _answer_rows(*key, self._answered[key], names[key[:2]])]
        systems = dict(sorted(self._systems.items(), key=lambda found: found[0][1] in REFERENCES))
        return _ranking_rows(systems, self._tasks) + answers

    def pooled_answers(self) -> list[MeasureRow]:
        """The measures of answers over the questions of all tasks that have them."""
        names = _answer_names(self._answered)
        pooled: dict[tuple[str, str, K, str], _AnswerMeasures] = {}
        for (suite, task, system, k), found in self._answered.items():
            for name in names[suite, task]:
                whole = pooled.setdefault((suite, system, k, name), _AnswerMeasures())
                whole.values.setdefault(name, []).extend(found.values.get(name, ()))
                whole.questions += found.questions
                whole.errors += found.errors
        return [
            row
            for (suite, system, k, name), whole in pooled.items()
            for row in _answer_rows(suite, ALL_TASKS, system, k, whole, [name])
        ]


def measure_rows(verdicts: Iterable[ProbeVerdict]) -> list[MeasureRow]:
    """One row per measure and system, for each task and over all of them; no rows if nothing was measured.

    Tasks and systems come in order of appearance, floor and ceilings after the other systems, the row over all tasks
    last. Measures of answers follow those of rankings, per task and k; they are not averaged over tasks.
    """
    tally = MeasureTally()
    for verdict in verdicts:
        tally.add(verdict)
    return tally.rows()


def _ranking_rows(
    systems: Mapping[tuple[str, str], _SystemQuestions], tasks: Mapping[str, Mapping[str, None]]
) -> list[MeasureRow]:
    measured = {suite for (suite, _), questions in systems.items() if questions.measured}
    return [
        row
        for suite in tasks
        for task in (*tasks[suite], ALL_TASKS)
        for (of, system), questions in systems.items()
        if of == suite and suite in measured
        for row in _rows(suite, task, system, questions)
    ]


def _answer_names(
    answered: Mapping[tuple[str, str, str, K], _AnswerMeasures],
) -> dict[tuple[str, str], dict[str, None]]:
    """The measures of each suite's tasks, whichever system has them."""
    names: dict[tuple[str, str], dict[str, None]] = {}
    for (suite, task, _, _), found in answered.items():
        names.setdefault((suite, task), {}).update(dict.fromkeys(found.values))
    return names


def _answer_rows(
    suite: str, task: str, system: str, k: K, found: _AnswerMeasures, names: Iterable[str]
) -> Iterator[MeasureRow]:
    for name in names:
        values = found.values.get(name, [])
        if values or found.errors:
            n, mean, low, high = _mean(values, found.errors)
            errors = len(found.errors)
            yield MeasureRow(suite, task, system, name, found.questions, n, mean, low, high, error=errors, k=k)


def _mean(
    values: Sequence[tuple[Hashable, float]], errors: Sequence[Hashable]
) -> tuple[int, float | None, float, float]:
    """How many values there are with the errors, their mean and its interval."""
    worst = [*values, *((cluster, 0.0) for cluster in errors)]
    best = [*values, *((cluster, 1.0) for cluster in errors)]
    mean = math.fsum(value for _, value in worst) / len(worst) if worst else None
    return len(worst), mean, mean_interval(worst).low, mean_interval(best).high


def _question(verdict: ProbeVerdict) -> _Question:
    gap = verdict.tags.get(GAP_TAG, "")
    left_out: LeftOut | None = None
    measures = {name: value for name, value in verdict.measures.items() if name in _RANKING_MEASURES}
    if not measures:
        left_out = _GAPS.get(gap) or ("error" if verdict.verdict == "error" else "too_shallow")
        # Abstention questions have no evidence to find, so there is nothing to rank.
        if verdict.task.rpartition("/")[2] == "abstention":
            left_out = "abstention"
    return _Question(verdict.task, verdict.k, cluster_of(verdict), measures, left_out, gap == _SESSIONS_ONLY)


def _rows(suite: str, task: str, system: str, questions: _SystemQuestions) -> list[MeasureRow]:
    # Questions that only got memories of single turns would be a biased selection, so none is measured by turns.
    sessions_only = any(one.sessions_only for one in questions.asked.values())
    members = [one for one in questions.asked.values() if task in (ALL_TASKS, one.task)]
    if not members:
        return []
    return [_row(suite, task, system, measure, members, sessions_only) for measure in ALL]


def _row(
    suite: str, task: str, system: str, measure: Measure, asked: Sequence[_Question], sessions_only: bool
) -> MeasureRow:
    name = str(measure)
    values: list[tuple[Hashable, float]] = []
    errors = [one.cluster for one in asked if one.left_out == "error"]
    counts: Counter[LeftOut] = Counter()
    for one in asked:
        if one.left_out is not None:
            counts[one.left_out] += 1
        elif sessions_only and measure.level == "turn":
            counts["sessions_only"] += 1
        elif name not in one.measures:
            counts["too_shallow"] += 1
        else:
            values.append((one.cluster, one.measures[name]))
    if sessions_only and measure.level == "turn":  # then there is no mean for errors to be part of
        errors = []
    n, mean, low, high = _mean(values, errors)
    return MeasureRow(
        suite, task, system, name, len(asked), n, mean, low, high, **{why: counts[why] for why in REASONS}
    )


def mean_interval(values: Sequence[tuple[Hashable, float]], confidence: float = CONFIDENCE) -> Interval:
    """The confidence interval of a mean of values from 0 to 1; values in the same cluster are not independent.

    Proportions (only 0 and 1) get Wilson's interval, other values Student's t on the clusters' sums. If all clusters
    are the same, their spread says nothing, and the mean is treated as a proportion of the clusters.

    >>> mean_interval([("a", 1.0), ("b", 0.0)]) == wilson(1, 2)
    True
    """
    if all(value in (0.0, 1.0) for _, value in values):
        return clustered(((cluster, value == 1.0) for cluster, value in values), confidence)
    sums: dict[Hashable, tuple[int, float]] = {}
    for cluster, value in values:
        n, total = sums.get(cluster, (0, 0.0))
        sums[cluster] = (n + 1, total + value)
    n, groups = len(values), len(sums)
    mean = math.fsum(value for _, value in values) / n
    squares = math.fsum((total - size * mean) ** 2 for size, total in sums.values())
    if groups == 1 or squares < 1e-18:
        return wilson(mean * groups, groups, confidence)
    half = t_value(groups - 1, confidence) * math.sqrt(groups / (groups - 1) * squares) / n
    return Interval(max(mean - half, 0.0), min(mean + half, 1.0))
