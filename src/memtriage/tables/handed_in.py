"""The lines of a score of answers that were given elsewhere: accuracy per group, their mean, and all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from memtriage.core.handed_in import Mark
from memtriage.core.verdict import Verdict
from memtriage.tables.table import Tally


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a score: how many of so many answers are right, and what that allows one to say.

    `kind` tells groups of questions from what is worked out over them. `open` were not settled: `low` and `high` reach
    from the interval with all of them wrong to that with all of them right. `errors` are in none of the numbers.
    """

    name: str
    kind: Literal["group", "mean", "all"]
    n: int
    right: int
    open: int
    errors: int
    accuracy: float | None
    low: float
    high: float


def lines_of(marks: Sequence[Mark], groups: Mapping[str, Sequence[Mark]]) -> list[Line]:
    """Accuracy per group; then the mean over groups, all, and the questions to which the answer is not known."""
    lines = [_line(name, "group", found) for name, found in groups.items() if found]
    abstained = [mark for mark in marks if mark.given.probe.scoring == "abstain"]
    return [*lines, _mean(lines), _line("overall", "all", marks), _line("abstention", "group", abstained)]


def _line(name: str, kind: Literal["group", "all"], marks: Sequence[Mark]) -> Line:
    tally = Tally()
    for mark in marks:
        tally.add(_verdict(mark), mark.given.probe.id)
    counts = tally.verdicts
    return Line(
        name=name,
        kind=kind,
        n=len(marks),
        right=counts["correct"],
        open=counts["uncertain"],
        errors=counts["error"],
        accuracy=tally.success,
        low=tally.interval.low,
        high=tally.interval.high,
    )


def _verdict(mark: Mark) -> Verdict:
    if mark.error is not None:
        return "error"
    return "uncertain" if mark.right is None else "correct" if mark.right else "reasoning_error"


def _mean(groups: Sequence[Line]) -> Line:
    """The mean of the groups' accuracies. These are independent: the distances to their bounds are squared and added.

    With answers that are not settled, it reaches from the lower bound with all of them wrong to the upper one with all
    of them right.
    """
    n, right, open, errors = (sum(getattr(line, name) for line in groups) for name in ("n", "right", "open", "errors"))
    graded = [(line, line.n - line.errors) for line in groups if line.n > line.errors]
    known = [line.accuracy for line in groups if line.accuracy is not None]
    worst = [(line.right / of, line.right / of - line.low) for line, of in graded]
    best = [((line.right + line.open) / of, line.high - (line.right + line.open) / of) for line, of in graded]
    return Line(
        name="task-averaged",
        kind="mean",
        n=n,
        right=right,
        open=open,
        errors=errors,
        accuracy=fmean(known) if known else None,
        low=max(0.0, fmean(p for p, _ in worst) - math.hypot(*(d for _, d in worst)) / len(worst)) if worst else 0.0,
        high=min(1.0, fmean(p for p, _ in best) + math.hypot(*(d for _, d in best)) / len(best)) if best else 1.0,
    )
