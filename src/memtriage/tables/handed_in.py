"""The score of answers from another harness: what they earn on average, and how far that can be known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from memtriage.core.handed_in import ScoreGroup
from memtriage.metrics.statistics import Part, mean_of_parts, wilson


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score: the mean of what answers earn, with a confidence interval.

    `right` is the sum of what they earn. `open` answers are undecided, and so are those that could not be graded
    (`errors`): with any of them there is no accuracy, only what it would be with all of these wrong (`worst`) or right
    (`best`). `low` and `high` reach beyond that by the 95 % interval of sampling.
    """

    name: str
    kind: Literal["group", "mean", "all"]
    metric: str
    n: int
    right: float
    open: int
    errors: int
    worst: float
    best: float
    low: float
    high: float

    @property
    def accuracy(self) -> float | None:
        """The mean of what the answers earn; None if there are none, or some are undecided."""
        return self.worst if self.n and not self.undecided else None

    @property
    def undecided(self) -> int:
        """How many answers are open or could not be graded."""
        return self.open + self.errors


def lines_of(groups: Iterable[ScoreGroup]) -> list[ScoreLine]:
    """The lines of a score."""
    return [_mean(group) if group.of else _line(group) for group in groups]


def _line(group: ScoreGroup) -> ScoreLine:
    """The mean of some marks, and Wilson's interval; where answers earn a part, that interval is on the safe side."""
    n, right = len(group.marks), sum(mark.credit for mark in group.marks if mark.credit is not None)
    errors = sum(mark.error is not None for mark in group.marks)
    open = sum(mark.credit is None for mark in group.marks) - errors
    most = right + open + errors
    return ScoreLine(
        name=group.name,
        kind=group.kind,
        metric=group.metric,
        n=n,
        right=right,
        open=open,
        errors=errors,
        worst=right / n if n else 0.0,
        best=most / n if n else 1.0,
        low=wilson(right, n).low,
        high=wilson(min(most, n), n).high,
    )


def _mean(group: ScoreGroup) -> ScoreLine:
    """The mean of lines."""
    parts = [line for line in lines_of(group.of) if line.n]
    mean, (low, high) = mean_of_parts([Part(line.worst, line.best, line.low, line.high) for line in parts])
    return ScoreLine(
        name=group.name,
        kind=group.kind,
        metric=group.metric,
        n=sum(line.n for line in parts),
        right=sum(line.right for line in parts),
        open=sum(line.open for line in parts),
        errors=sum(line.errors for line in parts),
        worst=mean or 0.0,
        best=fmean(line.best for line in parts) if parts else 1.0,
        low=low,
        high=high,
    )
