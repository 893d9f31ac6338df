"""The table of a sweep: success, accuracy and cost per task, system, k and varied values.

Runs that differ only in their seed are repeats: they share a row, with the mean and the standard deviation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from memtriage.core.amount import K, k_order
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.paired import trivial_rate
from memtriage.tables.table import Tally, cluster_of

SEED = "seed"
Values = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep: its varied values, the table's names for its systems, and its results.

    `fresh` means that another seed brings other episodes, so that the probes of two runs are independent.
    """

    name: str
    values: Values
    systems: Mapping[str, str]
    verdicts: Callable[[], Iterable[ProbeVerdict]]
    stores: Callable[[], Iterable[StoreSummary]]
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One task, system and k under certain values. `success` is the share of the probes asked that passed every stage,
    `accuracy` the share of right answers where they were judged; over several runs, the mean, with its `sd`.

    The intervals are 95 %, take all probes of all runs together, and reach from all errors and all that is uncertain
    failed to all of it right. `dollars` and `calls` are what models inside the
    system and the answering model took per episode, for all questions at every k; dollars are None where unknown.
    `trivial` is the share of questions, of those asked before and after a change, that were right after it without the
    answer having been known before; None where there are no such questions.
    """

    task: str
    system: str
    k: K
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


def sweep_rows(runs: Iterable[SweepRun], axes: Mapping[str, Sequence[str]]) -> list[SweepRow]:
    """The table over all runs; tasks and systems in order of appearance, values as they were given.

    Only counts are kept, so that many runs fit into memory.
    """
    return _Table(axes).fill(runs)


def sweep_row_json(row: SweepRow) -> dict[str, Any]:
    """A row as a flat record, floats rounded to six digits; a varied value has its axis's name."""
    names = [name for name in SweepRow.__dataclass_fields__ if name != "values"]
    record = {name: getattr(row, name) for name in names[:4]}
    varied = {f"vary_{name}" if name in names else name: value for name, value in row.values}
    record |= varied | {name: getattr(row, name) for name in names[4:]}
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in record.items()}


_Key = tuple[str, str, K, str, Values]


@dataclass(slots=True)
class _Cell:
    """The counts behind one row."""

    success: Tally = field(default_factory=Tally)
    right: Tally = field(default_factory=Tally)
    per_run: dict[str, tuple[Tally, Tally]] = field(default_factory=dict)
    episodes: set[tuple[str, str, str]] = field(default_factory=set)
    pairs: Counter[str] = field(default_factory=Counter)

    def add(self, run: SweepRun, verdict: ProbeVerdict) -> None:
        cluster: Hashable = (run.name if run.fresh else "", cluster_of(verdict))
        tallies = self.per_run.setdefault(run.name, (Tally(), Tally()))
        for tally in (self.success, tallies[0]):
            tally.add(verdict.verdict, cluster)
        failed = verdict.verdict == "error" and verdict.right is None and verdict.depth == "full"
        if verdict.right is not None or failed:
            for tally in (self.right, tallies[1]):
                tally.add("error" if failed else "correct" if verdict.right else "reasoning_error", cluster)
        if "pair" in verdict.tags:
            self.pairs[verdict.tags["pair"]] += 1
        self.episodes.add((run.name, verdict.system, verdict.episode))


class _Table:
    def __init__(self, axes: Mapping[str, Sequence[str]]) -> None:
        self._axes = axes
        self._cells: dict[_Key, _Cell] = {}
        self._usages: dict[tuple[str, str, str], list[Usage]] = {}
        self._seen: dict[tuple[str, str], int] = {}

    def fill(self, runs: Iterable[SweepRun]) -> list[SweepRow]:
        for run in runs:
            values = tuple(pair for pair in run.values if pair[0] != SEED)
            for verdict in at_graded_depth(self._noted(run)):
                system = run.systems.get(verdict.system, verdict.system)
                key = (verdict.task, system, verdict.k, verdict.depth, values)
                self._cells.setdefault(key, _Cell()).add(run, verdict)
            for store in run.stores():
                place = (run.name, store.system, store.episode)
                self._usages.setdefault(place, []).append(_usage(store))
        return [self._row(key, self._cells[key]) for key in sorted(self._cells, key=self._place)]

    def _noted(self, run: SweepRun) -> Iterator[ProbeVerdict]:
        for verdict in run.verdicts():
            for name in (("task", verdict.task), ("system", run.systems.get(verdict.system, verdict.system))):
                self._seen.setdefault(name, len(self._seen))
            yield verdict

    def _place(self, key: _Key) -> tuple[Any, ...]:
        task, system, k, depth, values = key
        order = [self._axes[name].index(value) if value in self._axes.get(name, ()) else -1 for name, value in values]
        return (self._seen["task", task], self._seen["system", system], k_order(k), depth, order)

    def _row(self, key: _Key, cell: _Cell) -> SweepRow:
        calls, dollars = self._cost(cell)
        judged = cell.right.success is not None
        return SweepRow(
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
        usages = [usage for place in cell.episodes for usage in self._usages.get(place, ())]
        if not usages:
            return 0.0, 0.0
        whole = sum(usages, Usage())
        return whole.calls / len(usages), None if whole.dollars is None else whole.dollars / len(usages)


def _usage(store: StoreSummary) -> Usage:
    parts = (store.ingest_usage, store.retrieve_usage, store.answer_usage)
    return sum((part for part in parts if part is not None), Usage())


def _successes(tallies: Iterable[Tally]) -> list[float]:
    return [tally.success for tally in tallies if tally.success is not None]


def _mean(tallies: Iterable[Tally]) -> float | None:
    values = _successes(tallies)
    return fmean(values) if values else None


def _sd(tallies: Iterable[Tally]) -> float | None:
    values = _successes(tallies)
    return stdev(values) if len(values) > 1 else None
