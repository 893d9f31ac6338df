"""One table over many runs: success, accuracy and cost per task, system, k and varied values.

Runs that differ in nothing but their seed are repeats of each other: one row, with the mean and the standard deviation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.tables.paired import trivial_rate
from memtriage.tables.table import Tally, cluster_of

SEED = "seed"
Values = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One run: what it stands for, its systems' names there and in the table, and what was found.

    `fresh` says that another seed brings other episodes, so that probes of two runs are independent.
    """

    name: str
    values: Values
    systems: Mapping[str, str]
    verdicts: Callable[[], Iterable[ProbeVerdict]]
    stores: Callable[[], Iterable[StoreSummary]]
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One task, system and k under certain values. `success` is the share of probes whose every stage went well,
    `accuracy` the share of right answers where they were judged; of several runs, the mean, with its `sd`.

    The intervals are 95 % and take all probes of all runs together. `dollars` and `calls` are what models inside the
    system and the answering model took per episode, for all questions at every k; dollars are None where unknown.
    `trivial` is the share of questions, of those asked before and after a change, that were right after it without the
    answer having been known before; None where there are no such questions.
    """

    task: str
    system: str
    k: int
    depth: str
    values: Values
    runs: int
    n: int
    uncertain: int
    errors: int
    success: float | None
    low: float
    high: float
    sd: float | None
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    accuracy_sd: float | None
    calls: float
    dollars: float | None
    trivial: float | None = None


def rows(sources: Iterable[Source], axes: Mapping[str, Sequence[str]]) -> list[Row]:
    """The table over all runs, seeds taken together; tasks and systems as they first appear, values as they were given.

    Only the counts of a run are kept, so that many runs fit.
    """
    return _Table(axes).fill(sources)


def row_json(row: Row) -> dict[str, Any]:
    """A row as a flat record, floats to six digits; a varied value under its axis's name."""
    names = [name for name in Row.__dataclass_fields__ if name != "values"]
    found = {name: getattr(row, name) for name in names[:4]}
    varied = {f"vary_{name}" if name in names else name: value for name, value in row.values}
    found |= varied | {name: getattr(row, name) for name in names[4:]}
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in found.items()}


_Key = tuple[str, str, int, str, Values]


@dataclass(slots=True)
class _Cell:
    """What one row is made of."""

    success: Tally = field(default_factory=Tally)
    right: Tally = field(default_factory=Tally)
    per_run: dict[str, tuple[Tally, Tally]] = field(default_factory=dict)
    episodes: set[tuple[str, str, str]] = field(default_factory=set)
    pairs: Counter[str] = field(default_factory=Counter)

    def add(self, source: Source, verdict: ProbeVerdict) -> None:
        cluster: Hashable = (source.name if source.fresh else "", cluster_of(verdict))
        tallies = self.per_run.setdefault(source.name, (Tally(), Tally()))
        for tally in (self.success, tallies[0]):
            tally.add(verdict.verdict, cluster)
        if verdict.right is not None:
            for tally in (self.right, tallies[1]):
                tally.add("correct" if verdict.right else "reasoning_error", cluster)
        if "pair" in verdict.tags:
            self.pairs[verdict.tags["pair"]] += 1
        self.episodes.add((source.name, verdict.system, verdict.episode))


class _Table:
    def __init__(self, axes: Mapping[str, Sequence[str]]) -> None:
        self._axes = axes
        self._cells: dict[_Key, _Cell] = {}
        self._took: dict[tuple[str, str, str], list[Usage]] = {}
        self._seen: dict[tuple[str, str], int] = {}

    def fill(self, sources: Iterable[Source]) -> list[Row]:
        for source in sources:
            values = tuple(pair for pair in source.values if pair[0] != SEED)
            for verdict in source.verdicts():
                system = source.systems.get(verdict.system, verdict.system)
                for name in (("task", verdict.task), ("system", system)):
                    self._seen.setdefault(name, len(self._seen))
                key = (verdict.task, system, verdict.k, verdict.depth, values)
                self._cells.setdefault(key, _Cell()).add(source, verdict)
            for store in source.stores():
                place = (source.name, store.system, store.episode)
                self._took.setdefault(place, []).append(_usage(store))
        return [self._row(key, self._cells[key]) for key in sorted(self._cells, key=self._place)]

    def _place(self, key: _Key) -> tuple[Any, ...]:
        task, system, k, depth, values = key
        order = [self._axes[name].index(value) if value in self._axes.get(name, ()) else -1 for name, value in values]
        return (self._seen["task", task], self._seen["system", system], k, depth, order)

    def _row(self, key: _Key, cell: _Cell) -> Row:
        calls, dollars = self._cost(cell)
        judged = cell.right.success is not None
        return Row(
            *key,
            runs=len(cell.per_run),
            n=cell.success.verdicts.total(),
            uncertain=cell.success.verdicts["uncertain"],
            errors=cell.success.verdicts["error"],
            success=_mean(success for success, _ in cell.per_run.values()),
            low=cell.success.interval.low,
            high=cell.success.interval.high,
            sd=_sd(success for success, _ in cell.per_run.values()),
            accuracy=_mean(right for _, right in cell.per_run.values()),
            accuracy_low=cell.right.interval.low if judged else None,
            accuracy_high=cell.right.interval.high if judged else None,
            accuracy_sd=_sd(right for _, right in cell.per_run.values()),
            calls=calls,
            dollars=dollars,
            trivial=trivial_rate(cell.pairs),
        )

    def _cost(self, cell: _Cell) -> tuple[float, float | None]:
        took = [usage for place in cell.episodes for usage in self._took.get(place, ())]
        if not took:
            return 0.0, 0.0
        whole = sum(took, Usage())
        return whole.calls / len(took), None if whole.dollars is None else whole.dollars / len(took)


def _usage(store: StoreSummary) -> Usage:
    parts = (store.ingest_usage, store.retrieve_usage, store.answer_usage)
    return sum((part for part in parts if part is not None), Usage())


def _known(tallies: Iterable[Tally]) -> list[float]:
    return [tally.success for tally in tallies if tally.success is not None]


def _mean(tallies: Iterable[Tally]) -> float | None:
    found = _known(tallies)
    return fmean(found) if found else None


def _sd(tallies: Iterable[Tally]) -> float | None:
    found = _known(tallies)
    return stdev(found) if len(found) > 1 else None
