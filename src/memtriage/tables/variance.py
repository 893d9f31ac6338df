"""How much repeated storing, answering and judging each add to the spread of a success rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, stdev

from memtriage.core.amount import K
from memtriage.core.verdict import ProbeVerdict
from memtriage.tables.depth import at_graded_depth

CellKey = tuple[str, str, K, str]
"""Task, system, k, depth."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A success rate over its repeats. A standard deviation is None if its source was not repeated."""

    task: str
    system: str
    k: K
    depth: str
    repeats: int
    mean: float
    sd: float | None
    ingest_sd: float | None
    answer_sd: float | None
    judge_sd: float | None


def spreads(verdicts: Iterable[ProbeVerdict]) -> list[Spread]:
    """Mean and standard deviation of each success rate over its repeats, and each source's share in it.

    A source's standard deviation is taken over its own repeats with the others fixed: of judgings of the same answers,
    of answers from the same store (each the mean of its judgings), of stores (each the mean of its answers). A rate is
    correct / asked: errors and what is uncertain are part of it.
    """
    counts: dict[CellKey, dict[tuple[int, int, int], list[int]]] = {}
    for v in at_graded_depth(verdicts):
        if v.verdict == "n/a":
            continue
        cell = counts.setdefault((v.task, v.system, v.k, v.depth), {})
        tally = cell.setdefault((v.ingest_repeat, v.repeat, v.judge_repeat), [0, 0])
        tally[0] += v.verdict == "correct"
        tally[1] += 1
    return [_spread(cell, {at: right / n for at, (right, n) in cells.items()}) for cell, cells in counts.items()]


def _spread(cell: CellKey, rates: dict[tuple[int, int, int], float]) -> Spread:
    judgings = _grouped(rates.items(), 2)
    answers = {at: fmean(group) for at, group in judgings.items()}
    answerings = _grouped(answers.items(), 1)
    stores = {at: fmean(group) for at, group in answerings.items()}
    return Spread(
        *cell,
        repeats=len(rates),
        mean=fmean(rates.values()),
        sd=_sd(list(rates.values())),
        ingest_sd=_sd(list(stores.values())),
        answer_sd=_pooled_sd(answerings.values()),
        judge_sd=_pooled_sd(judgings.values()),
    )


def _grouped(rates: Iterable[tuple[tuple[int, ...], float]], depth: int) -> dict[tuple[int, ...], list[float]]:
    groups: dict[tuple[int, ...], list[float]] = {}
    for at, rate in rates:
        groups.setdefault(at[:depth], []).append(rate)
    return groups


def _pooled_sd(groups: Iterable[list[float]]) -> float | None:
    """The pooled standard deviation within groups."""
    variances = [stdev(group) ** 2 for group in groups if len(group) > 1]
    return fmean(variances) ** 0.5 if variances else None


def _sd(values: list[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None
