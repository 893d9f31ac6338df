"""The table of a sweep: success, accuracy, measures and cost per task, system, k and varied values.

Runs that differ only in their seed are repeats: they share a row, with the mean and the standard deviation. Where a
suite has several tasks, rows over all of them follow: all probes together, and the mean of the tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any, Literal, NamedTuple, get_args

from memtriage.core.amount import K, k_order
from memtriage.core.errors import BadInput, unknown
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.metrics.statistics import Part, mean_of_parts
from memtriage.registry import unscored
from memtriage.tables.depth import OPEN, at_graded_depth
from memtriage.tables.measures import ALL_TASKS, MeasureRow, MeasureTally
from memtriage.tables.paired import trivial_rate
from memtriage.tables.table import Tally, cluster_of

SEED = "seed"
CREDIT = "credit"
"""The measure of what answers earn, in part or whole; without answers, of the facts that went through."""

Over = Literal["task", "pooled", "mean of tasks"]
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
class SweepMeasure:
    """A measure over the `n` questions of a row that it is taken of; over several runs, the mean of theirs, with its
    `sd`. An error counts as 0, and the interval reaches up to where it would be 1.
    """

    mean: float
    low: float
    high: float
    n: int
    sd: float | None = None
    errors: int = 0


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One task, system and k under certain values. `success` is the share of the probes asked that passed every stage,
    `accuracy` the share of right answers where they were judged; over several runs, the mean, with its `sd`.

    The intervals are 95 %, take all probes of all runs together, and reach from all errors and all that is uncertain
    failed to all of it right. `dollars` and `calls` are what models inside the
    system and the answering model took per episode, for all questions at every k; dollars are None where unknown.
    `trivial` is the share of questions, of those asked before and after a change, that were right after it without the
    answer having been known before; None where there are no such questions.

    `over` says what a row of the task `SUITE/all` is: the probes of all tasks pooled, or the mean of tasks, each
    counting alike; tasks that are no score of their own are in neither. `items` and `context_tokens` are the mean
    number of memories and of tokens that came back for a question. `measures` are those of rankings, at the depth in
    their names whatever k is, of answers, and `credit`.
    """

    task: str
    system: str
    k: K
    depth: str
    values: Values
    over: Over
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
    items: float | None = None
    context_tokens: float | None = None
    measures: Mapping[str, SweepMeasure] = field(default_factory=dict)


def sweep_rows(runs: Iterable[SweepRun], axes: Mapping[str, Sequence[str]]) -> list[SweepRow]:
    """The table over all runs; tasks and systems in order of appearance, values as they were given.

    Only counts are kept, and the measures of the runs of one row, so that many runs fit into memory.
    """
    repeats: dict[Values, list[SweepRun]] = {}
    for run in runs:
        repeats.setdefault(tuple(pair for pair in run.values if pair[0] != SEED), []).append(run)
    order, rows = _Order(axes), []
    for values, same in repeats.items():
        whole = _Repeats(values)
        for run in same:
            whole.add(run, order)
        rows += list(whole.rows())
    return sorted(rows, key=order.place)


def sweep_row_json(row: SweepRow) -> dict[str, Any]:
    """A row as plain JSON values, floats rounded to six digits; a varied value has its axis's name."""
    names = [name for name in SweepRow.__dataclass_fields__ if name not in ("values", "measures")]
    record = {name: getattr(row, name) for name in names[:4]}
    varied = {f"vary_{name}" if name in names else name: value for name, value in row.values}
    record |= varied | {name: getattr(row, name) for name in names[4:]}
    measures = {name: _rounded(_fields(measure)) for name, measure in row.measures.items()}
    return {**_rounded(record), "measures": measures}


def sweep_row_flat(row: SweepRow) -> dict[str, Any]:
    """A row as one flat record: `SubEM` is a mean, `SubEM low` and `SubEM high` are the ends of its interval."""
    record = sweep_row_json(row)
    for measure, found in record.pop("measures").items():
        record |= {measure if name == "mean" else f"{measure} {name}": value for name, value in found.items()}
    return record


def measures_named(rows: Iterable[SweepRow], names: Iterable[str]) -> list[str]:
    """The measures of a table that are meant: `recall_all@5` is that of sessions and that of turns."""
    known = list(dict.fromkeys(name for row in rows for name in row.measures))
    if not known:
        raise BadInput("none of these runs has a measure: --measure needs rankings or graded answers")
    found: dict[str, None] = {}
    for name in names:
        wanted = name.strip().lower()
        meant = [one for one in known if wanted in (one.lower(), one.lower().rpartition("/")[2])]
        if not meant:
            raise BadInput(unknown("measure of these runs", name.strip(), known))
        found |= dict.fromkeys(meant)
    return list(found)


def _fields(measure: SweepMeasure) -> dict[str, Any]:
    return {name: getattr(measure, name) for name in SweepMeasure.__dataclass_fields__}


def _rounded(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in record.items()}


class _Key(NamedTuple):
    task: str
    system: str
    k: K
    depth: str
    values: Values


_Place = tuple[str, str, K]
"""Task, system and k."""


@dataclass(slots=True)
class _Cell:
    """The counts behind one row."""

    success: Tally = field(default_factory=Tally)
    right: Tally = field(default_factory=Tally)
    per_run: dict[str, tuple[Tally, Tally]] = field(default_factory=dict)
    episodes: set[tuple[str, str, str]] = field(default_factory=set)
    pairs: Counter[str] = field(default_factory=Counter)
    items: int = 0
    tokens: int = 0
    brought: int = 0

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
        if verdict.verdict != "error" and verdict.error is None and verdict.context_tokens is not None:
            self.items += verdict.k_returned
            self.tokens += verdict.context_tokens
            self.brought += 1


class _Repeats:
    """The runs with the same values: one, or one for each seed."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._cells: dict[_Key, _Cell] = {}
        self._pooled: dict[_Key, _Cell] = {}
        self._parts: dict[_Key, dict[_Key, None]] = {}
        self._usages: dict[tuple[str, str, str], list[Usage]] = {}
        self._measures = MeasureTally()
        self._measures_per_run: dict[str, MeasureTally] = {}

    def add(self, run: SweepRun, order: _Order) -> None:
        measures = self._measures_per_run.setdefault(run.name, MeasureTally())
        for verdict in at_graded_depth(order.seen(run)):
            system = run.systems.get(verdict.system, verdict.system)
            key = _Key(verdict.task, system, verdict.k, verdict.depth, self._values)
            self._cells.setdefault(key, _Cell()).add(run, verdict)
            if not unscored(verdict.task):
                whole = key._replace(task=_all_tasks(verdict.suite))
                self._pooled.setdefault(whole, _Cell()).add(run, verdict)
                self._parts.setdefault(whole, {})[key] = None
            told = _told_apart(run, verdict, system)
            self._measures.add(told)
            measures.add(told)
        for store in run.stores():
            self._usages.setdefault((run.name, store.system, store.episode), []).append(_usage(store))

    def rows(self) -> Iterator[SweepRow]:
        measured = self._measured()
        rows = {key: self._row(key, "task", cell, measured) for key, cell in self._cells.items()}
        yield from rows.values()
        for key, parts in self._parts.items():
            if len(parts) > 1:
                pooled = self._row(key, "pooled", self._pooled[key], measured)
                yield pooled
                yield self._mean(pooled, [(self._cells[part], rows[part]) for part in parts])

    def _row(
        self, key: _Key, over: Over, cell: _Cell, measured: Mapping[_Place, Mapping[str, SweepMeasure]]
    ) -> SweepRow:
        calls, dollars = self._cost(cell)
        judged = cell.right.success is not None
        rankings, answers = (measured.get((key.task, key.system, k), {}) for k in (0, key.k))
        return SweepRow(
            *key,
            over=over,
            runs=len(cell.per_run),
            n=cell.success.verdicts.total(),
            uncertain=cell.success.verdicts["uncertain"],
            errors=cell.success.verdicts["error"],
            success=_mean(cell.per_run.values(), 0),
            low=cell.success.interval.low,
            high=cell.success.interval.high,
            sd=_sd(success.success for success, _ in cell.per_run.values()),
            accuracy=_mean(cell.per_run.values(), 1),
            accuracy_low=cell.right.interval.low if judged else None,
            accuracy_high=cell.right.interval.high if judged else None,
            accuracy_sd=_sd(right.success for _, right in cell.per_run.values()),
            calls=calls,
            dollars=dollars,
            trivial=trivial_rate(cell.pairs),
            items=cell.items / cell.brought if cell.brought else None,
            context_tokens=cell.tokens / cell.brought if cell.brought else None,
            measures={**rankings, **answers},
        )

    def _mean(self, pooled: SweepRow, parts: Sequence[tuple[_Cell, SweepRow]]) -> SweepRow:
        """The mean of tasks; what it costs is that of all of them."""
        cells = [cell for cell, _ in parts]
        success = [_part(cell.success) for cell in cells if cell.success.asked]
        accuracy = [_part(cell.right) for cell in cells if cell.right.asked]
        per_run = [[cell.per_run[run] for cell in cells if run in cell.per_run] for run in self._measures_per_run]
        successes, rights = ([_mean(tallies, place) for tallies in per_run] for place in (0, 1))
        names = dict.fromkeys(name for _, row in parts for name in row.measures)
        (_, (low, high)), (_, right) = mean_of_parts(success), mean_of_parts(accuracy)
        return replace(
            pooled,
            over="mean of tasks",
            success=_mean_known(successes),
            low=low,
            high=high,
            sd=_sd(successes),
            accuracy=_mean_known(rights),
            accuracy_low=right.low if accuracy else None,
            accuracy_high=right.high if accuracy else None,
            accuracy_sd=_sd(rights),
            trivial=_mean_known(row.trivial for _, row in parts),
            items=_mean_known(row.items for _, row in parts),
            context_tokens=_mean_known(row.context_tokens for _, row in parts),
            measures={
                name: _mean_measure([row.measures[name] for _, row in parts if name in row.measures]) for name in names
            },
        )

    def _measured(self) -> dict[_Place, dict[str, SweepMeasure]]:
        """The measures by task, system and k, which is 0 for rankings."""
        means: dict[tuple[_Place, str], list[float]] = {}
        for tally in self._measures_per_run.values():
            for place, row in _measure_rows(tally):
                if row.mean is not None:
                    means.setdefault((place, row.measure), []).append(row.mean)
        found: dict[_Place, dict[str, SweepMeasure]] = {}
        for place, row in _measure_rows(self._measures):
            if own := means.get((place, row.measure)):
                measure = SweepMeasure(fmean(own), row.low, row.high, row.n, _sd(own), row.error)
                found.setdefault(place, {})[row.measure] = measure
        return found

    def _cost(self, cell: _Cell) -> tuple[float, float | None]:
        usages = [usage for place in cell.episodes for usage in self._usages.get(place, ())]
        if not usages:
            return 0.0, 0.0
        whole = sum(usages, Usage())
        return whole.calls / len(usages), None if whole.dollars is None else whole.dollars / len(usages)


class _Order:
    """The order of rows: tasks and systems as they appear, rows over all tasks last, values as they were given."""

    def __init__(self, axes: Mapping[str, Sequence[str]]) -> None:
        self._axes = axes
        self._seen: dict[tuple[str, str], int] = {}

    def seen(self, run: SweepRun) -> Iterator[ProbeVerdict]:
        """The verdicts of a run, noted on the way."""
        for verdict in run.verdicts():
            system = run.systems.get(verdict.system, verdict.system)
            for name in (("task", verdict.task), ("task", _all_tasks(verdict.suite)), ("system", system)):
                self._seen.setdefault(name, len(self._seen))
            yield verdict

    def place(self, row: SweepRow) -> tuple[Any, ...]:
        values = [
            self._axes[axis].index(value) if value in self._axes.get(axis, ()) else -1 for axis, value in row.values
        ]
        seen = self._seen["task", row.task], get_args(Over).index(row.over), self._seen["system", row.system]
        return (row.over != "task", *seen, k_order(row.k), row.depth, values)


def _all_tasks(suite: str) -> str:
    return f"{suite}/{ALL_TASKS}"


def _told_apart(run: SweepRun, verdict: ProbeVerdict, system: str) -> ProbeVerdict:
    """The verdict as one of many runs: its question is another one in each, its cluster only where data is fresh."""
    own = verdict.cluster or f"{verdict.episode}/{verdict.probe}"
    asked = verdict.verdict != "n/a" or verdict.right is not None
    credit = {CREDIT: verdict.credit} if verdict.credit is not None and asked else {}
    return replace(
        verdict,
        system=system,
        episode=f"{run.name}/{verdict.episode}",
        cluster=f"{run.name}/{own}" if run.fresh else own,
        measures={**verdict.measures, **credit},
    )


def _measure_rows(tally: MeasureTally) -> Iterator[tuple[_Place, MeasureRow]]:
    for row in (*tally.rows(), *tally.pooled_answers()):
        task = _all_tasks(row.suite) if row.task == ALL_TASKS else row.task
        yield (task, row.system, row.k), row


def _usage(store: StoreSummary) -> Usage:
    parts = (store.ingest_usage, store.retrieve_usage, store.answer_usage)
    return sum((part for part in parts if part is not None), Usage())


def _part(tally: Tally) -> Part:
    right, open = tally.verdicts["correct"], sum(tally.verdicts[verdict] for verdict in OPEN)
    return Part(right / tally.asked, (right + open) / tally.asked, *tally.interval)


def _mean_measure(parts: Sequence[SweepMeasure]) -> SweepMeasure:
    """The mean of the tasks that have the measure; the spread of their means over runs is not known here."""
    _, (low, high) = mean_of_parts([Part(one.mean, one.mean + one.errors / one.n, one.low, one.high) for one in parts])
    n, errors = (sum(getattr(one, name) for one in parts) for name in ("n", "errors"))
    return SweepMeasure(fmean(one.mean for one in parts), low, high, n, errors=errors)


def _mean(runs: Iterable[tuple[Tally, Tally]], place: int) -> float | None:
    return _mean_known(tallies[place].success for tallies in runs)


def _mean_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _sd(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return stdev(known) if len(known) > 1 else None
