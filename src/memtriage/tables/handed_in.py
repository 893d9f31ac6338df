"""The score of answers from another harness: accuracy per group, their mean, and overall."""

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
class ScoreLine:
    """One line of a score: how many answers are right, with a confidence interval.

    `kind` tells a group of questions from a mean or a total over them. `open` answers were not settled: `low` is the
    lower bound with all of them wrong, `high` the upper bound with all of them right. `errors` count nowhere else.
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


def lines_of(marks: Sequence[Mark], groups: Mapping[str, Sequence[Mark]]) -> list[ScoreLine]:
    """Accuracy per group, then the mean over groups, the overall accuracy, and that on abstention questions."""
    lines = [_line(name, "group", own) for name, own in groups.items() if own]
    abstained = [mark for mark in marks if mark.given.probe.scoring == "abstain"]
    return [*lines, _mean(lines), _line("overall", "all", marks), _line("abstention", "group", abstained)]


def _line(name: str, kind: Literal["group", "all"], marks: Sequence[Mark]) -> ScoreLine:
    tally = Tally()
    for mark in marks:
        tally.add(_verdict(mark), mark.given.probe.id)
    counts = tally.verdicts
    return ScoreLine(
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


def _mean(groups: Sequence[ScoreLine]) -> ScoreLine:
    """The mean of the groups' accuracies. Groups are independent, so the squares of their half-widths are added.

    With open answers, the interval reaches from the lower bound with all of them wrong to the upper bound with all of
    them right.
    """
    n, right, open, errors = (sum(getattr(line, name) for line in groups) for name in ("n", "right", "open", "errors"))
    graded = [(line, line.n - line.errors) for line in groups if line.n > line.errors]
    known = [line.accuracy for line in groups if line.accuracy is not None]
    worst = [(line.right / of, line.right / of - line.low) for line, of in graded]
    best = [((line.right + line.open) / of, line.high - (line.right + line.open) / of) for line, of in graded]
    return ScoreLine(
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
