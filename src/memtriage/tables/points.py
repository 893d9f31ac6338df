"""HaluMem's measures of a run: what each system kept of its sessions, what it changed, and how its answers failed.

A share is told as its bounds as long as anything is open: with all of that wrong, and with all of it right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memtriage.core.amount import K
from memtriage.core.point_check import MemoryScore, PointCheck, PointFinding
from memtriage.metrics.statistics import clustered

OUTCOMES = ("correct", "hallucinated", "omitted", "other", "changed", "open")
"""What becomes of an update. By words, a wrong or partial one is `changed`: which of the two, only a judge says."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of `n`: `hits` are certain, `open` ones may be hits too.

    The 95 % interval goes from the lower end without the open ones to the upper end with them; what belongs to one user
    is not independent, which widens it.
    """

    hits: int
    open: int
    n: int
    low: float | None
    high: float | None

    @property
    def least(self) -> float | None:
        return self.hits / self.n if self.n else None

    @property
    def most(self) -> float | None:
        return (self.hits + self.open) / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of `n` scores between 0 and 1, from its least to its most; None without any."""

    least: float | None
    most: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How updates or answers turned out, and the share of correct ones."""

    counts: Mapping[str, int] = field(hash=False)
    correct: Share


@dataclass(frozen=True, slots=True)
class Points:
    """One system on one task.

    `recall` counts the wanted points that are whole; `weighted` half points too, each by its importance. `resistance`
    counts the unwanted ones of which nothing was kept. `accuracy` is how much of what was kept was said, `target` the
    same of memories about something that should be kept, `f1` made of it and of recall: both need a judge. `kinds` has
    the wanted points and updates that are right, by type; `answers` are by k.
    """

    suite: str
    task: str
    system: str
    stores: int
    na: int
    errors: int
    recall: Share
    weighted: Mean
    resistance: Share
    accuracy: Mean
    target: Mean
    f1: float | None
    updates: Outcomes
    kinds: Mapping[str, Share] = field(hash=False)
    answers: Mapping[K, Outcomes] = field(hash=False)


_Found = list[tuple[str, PointFinding]]
"""Findings, each with the user it is about."""

_Hit = bool | None
"""Whether something is a hit; None where that is open."""


def points(checks: Iterable[PointCheck]) -> list[Points]:
    """A row for each task and system, in the order of the run."""
    found: dict[tuple[str, str, str], list[PointCheck]] = {}
    for check in checks:
        found.setdefault((check.suite, check.task, check.system), []).append(check)
    return [_row(*about, group) for about, group in found.items()]


def _row(suite: str, task: str, system: str, checks: list[PointCheck]) -> Points:
    found = [(check.episode, one) for check in checks for one in check.points]
    updates = [(check.episode, one) for check in checks for one in check.updates]
    memories = [one for check in checks for one in check.memories]
    wanted = [(user, one) for user, one in found if one.point.wanted]
    recall = _scored(wanted, 2)
    asked = all(one.target is not None for one in memories)  # of some alone, it would be that of an odd selection
    target = _accuracy([one for one in memories if one.target]) if asked else Mean(None, None, 0)
    return Points(
        suite,
        task,
        system,
        stores=len(checks),
        na=sum(bool(check.na and not check.error) for check in checks),
        errors=sum(bool(check.error) for check in checks),
        recall=recall,
        weighted=_weighted([one for _, one in wanted]),
        resistance=_scored([(user, one) for user, one in found if not one.point.wanted], 0),
        accuracy=_accuracy(memories),
        target=target,
        f1=_f1(target, recall),
        updates=_outcomes([(user, _update(one)) for user, one in updates]),
        kinds=_kinds([*wanted, *updates]),
        answers=_answers(checks),
    )


def _share(hits: Iterable[tuple[str, _Hit]]) -> Share:
    """The share of hits, each with its user."""
    listed = list(hits)
    if not listed:
        return Share(0, 0, 0, None, None)
    certain, open = sum(hit is True for _, hit in listed), sum(hit is None for _, hit in listed)
    low = clustered((user, hit is True) for user, hit in listed).low
    return Share(certain, open, len(listed), low, clustered((user, hit is not False) for user, hit in listed).high)


def _scored(found: _Found, score: int) -> Share:
    """The share of points with a score; it is open where that is possible, but not certain."""

    def hit(one: PointFinding) -> _Hit:
        possible = one.low <= score <= one.high
        return None if possible and one.open else possible

    return _share((user, hit(one)) for user, one in found)


def _weighted(found: list[PointFinding]) -> Mean:
    total = sum(one.point.importance for one in found)
    if not total:
        return Mean(None, None, len(found))
    least, most = (
        sum(score * one.point.importance for score, one in zip(scores, found, strict=True)) / 2 / total
        for scores in ([one.low for one in found], [one.high for one in found])
    )
    return Mean(least, most, len(found))


def _accuracy(found: list[MemoryScore]) -> Mean:
    if not found:
        return Mean(None, None, 0)
    least, most = (sum(scores) / 2 / len(found) for scores in zip(*((m.low, m.high) for m in found), strict=True))
    return Mean(least, most, len(found))


def _f1(target: Mean, recall: Share) -> float | None:
    """The harmonic mean of target accuracy and recall, once nothing is open."""
    precision, found = target.least, recall.least
    if precision is None or found is None or target.least != target.most or recall.open:
        return None
    return 2 * precision * found / (precision + found) if precision + found else 0.0


def _update(update: PointFinding) -> str:
    if update.outcome is not None:
        return update.outcome
    if update.high < 2:
        return "changed" if update.high else "omitted"
    return "open" if update.open else "correct"


def _outcomes(found: Iterable[tuple[str, str]]) -> Outcomes:
    """What updates or answers came to, each with its user."""
    listed = list(found)
    correct = _share((user, None if outcome == "open" else outcome == "correct") for user, outcome in listed)
    return Outcomes(Counter(outcome for _, outcome in listed), correct)


def _answers(checks: Iterable[PointCheck]) -> dict[K, Outcomes]:
    by_k: dict[K, list[tuple[str, str]]] = {}
    for check in checks:
        for answer in check.answers:
            by_k.setdefault(answer.k, []).append((check.episode, answer.outcome or "open"))
    return {k: _outcomes(found) for k, found in by_k.items()}


def _kinds(found: _Found) -> dict[str, Share]:
    by_kind: dict[str, _Found] = {}
    for user, one in found:
        by_kind.setdefault(one.point.kind, []).append((user, one))
    return {kind: _scored(group, 2) for kind, group in sorted(by_kind.items())}
