"""The numbers that papers print, each by its name: accuracy, the share of a failure, a recall, dollars, seconds.

A number is worked out from a sample: the verdicts and stores of one system in one setting.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Literal, NamedTuple

from memtriage.core.amount import K, k_order
from memtriage.core.errors import BadInput, unknown
from memtriage.core.trace import Usage
from memtriage.core.verdict import FAILURES, ProbeVerdict, StoreSummary
from memtriage.metrics.retrieval import ALL
from memtriage.metrics.statistics import Part, mean_of_parts
from memtriage.tables.costs import STAGES, all_dollars, knows_cached
from memtriage.tables.depth import OPEN, at_graded_depth
from memtriage.tables.measures import ALL_TASKS, mean_interval, measure_rows
from memtriage.tables.missed import knew_but_failed, missing
from memtriage.tables.table import Answers, Tally, cluster_of

Unit = Literal["share", "dollars", "seconds", "tokens", "count", "megabytes"]


class Value(NamedTuple):
    """A number, its 95 % interval where it has one, and how many questions or stores it rests on.

    `open` is the share of errors and of what is uncertain: they count as wrong, and might be right.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    open: float = 0.0


@dataclass(slots=True)
class Sample:
    """The verdicts and stores of one system in one setting; verdicts without the memories they rest on."""

    verdicts: list[ProbeVerdict] = field(default_factory=list)
    stores: list[StoreSummary] = field(default_factory=list)

    def only(self, tasks: Sequence[str], k: K | None, tags: Mapping[str, str]) -> Sample:
        """The part about some tasks (none: all), one k (None: the largest) and some tags."""
        found = [
            verdict
            for verdict in self.verdicts
            if (not tasks or verdict.task in tasks) and tags.items() <= verdict.tags.items()
        ]
        largest = max((verdict.k for verdict in found), key=k_order, default=k)
        verdicts = [verdict for verdict in found if verdict.k == (largest if k is None else k)]
        if not tasks and not tags:
            return Sample(verdicts, self.stores)
        episodes = {verdict.episode for verdict in verdicts}
        return Sample(verdicts, [store for store in self.stores if store.episode in episodes])


def samples(verdicts: Iterable[ProbeVerdict], stores: Iterable[StoreSummary]) -> dict[str, Sample]:
    """The sample of each system of a run, errors at the depth of their task."""
    found: dict[str, Sample] = {}
    for verdict in at_graded_depth(verdicts):
        tags = {**verdict.tags, "missed": missing(verdict)} if knew_but_failed(verdict) else verdict.tags
        slim = replace(verdict, facts=(), retrieved=(), question="", gold="", answer=verdict.answer and "", tags=tags)
        found.setdefault(verdict.system, Sample()).verdicts.append(slim)
    for store in stores:
        found.setdefault(store.system, Sample()).stores.append(store)
    return found


def value(name: str, sample: Sample) -> Value | None:
    """The number of this name, or None if the sample has nothing to work it out from."""
    if name in _RANKINGS:
        return _ranking(name, sample)
    if name in _BY_MEMORY:
        return next((found for one in _BY_MEMORY[name] if (found := _ranking(one, sample)) is not None), None)
    if name in _VALUES:
        return _VALUES[name][0](sample)
    return _measure(name, sample)


def mean_of(values: Sequence[Value | None]) -> Value | None:
    """The mean of other numbers, if all of them are known; its interval is that of independent ones."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    n = sum(value.n for value in known)
    parts = [Part(v.mean, v.mean + v.open, v.low, v.high) for v in known if v.low is not None and v.high is not None]
    if len(parts) < len(known):
        return Value(fmean(value.mean for value in known), n=n)
    mean, interval = mean_of_parts(parts)
    return None if mean is None else Value(mean, *interval, n, fmean(value.open for value in known))


def unit(name: str) -> Unit:
    """In what a number is given; a measure of answers or rankings is a share."""
    return _VALUES[name][1] if name in _VALUES else "share"


def refuse_unknown_value(name: str, measures: Iterable[str] = ()) -> None:
    """Refuse a name that is neither a number here nor one of a suite's measures."""
    if name not in _VALUES and name not in _RANKINGS and name not in _BY_MEMORY and name not in measures:
        raise BadInput(unknown("number", name, [*_VALUES, *_RANKINGS, *_BY_MEMORY, *measures]))


def _success(sample: Sample) -> Value | None:
    tally = Tally()
    for verdict in sample.verdicts:
        tally.add(verdict.verdict, cluster_of(verdict))
    if tally.success is None:
        return None
    open = sum(tally.verdicts[verdict] for verdict in OPEN)
    return Value(tally.success, *tally.interval, tally.asked, open / tally.asked)


def _right(sample: Sample) -> Value | None:
    answers = Answers()
    for verdict in sample.verdicts:
        answers.add(verdict)
    found = answers.columns()
    if found["accuracy"] is None:
        return None
    errors = sum(verdict.verdict == "error" and verdict.right is None for verdict in sample.verdicts)
    n = found["answered"] + errors
    return Value(found["accuracy"], found["accuracy_low"], found["accuracy_high"], n, errors / n)


def _accuracy(sample: Sample) -> Value | None:
    """Right answers where they were graded, else the questions whose facts all came back intact."""
    graded = any(verdict.depth == "full" for verdict in sample.verdicts)
    return _right(sample) if graded else _success(sample)


def _share(of: str) -> Callable[[Sample], Value | None]:
    """The share of the questions asked that ended in one verdict."""

    def share(sample: Sample) -> Value | None:
        asked = [verdict for verdict in sample.verdicts if verdict.verdict != "n/a"]
        values = [(cluster_of(verdict), float(verdict.verdict == of)) for verdict in asked]
        return _mean(values) if values else None

    return share


def _tagged(tag: str, of: str, among: Sequence[str]) -> Callable[[Sample], Value | None]:
    """The share of one value of a tag among some of its values."""

    def share(sample: Sample) -> Value | None:
        chosen = [verdict for verdict in sample.verdicts if verdict.tags.get(tag) in among]
        values = [(cluster_of(verdict), float(verdict.tags[tag] == of)) for verdict in chosen]
        return _mean(values) if values else None

    return share


def _mean(values: Sequence[tuple[Hashable, float]]) -> Value:
    return Value(fmean(value for _, value in values), *mean_interval(values), len(values))


def _measure(name: str, sample: Sample) -> Value | None:
    """The mean of a measure of answers; an error counts as 0, and might be 1."""
    values = [(cluster_of(v), v.measures[name]) for v in sample.verdicts if name in v.measures]
    errors = [cluster_of(v) for v in sample.verdicts if v.verdict == "error" and not v.measures]
    if not values:
        return None
    worst = [*values, *((cluster, 0.0) for cluster in errors)]
    best = [*values, *((cluster, 1.0) for cluster in errors)]
    low, high = mean_interval(worst).low, mean_interval(best).high
    return Value(fmean(v for _, v in worst), low, high, len(worst), len(errors) / len(worst))


def _ranking(name: str, sample: Sample) -> Value | None:
    rows = (row for row in measure_rows(sample.verdicts) if row.task == ALL_TASKS and row.measure == name)
    row = next(rows, None)
    return None if row is None or row.mean is None else Value(row.mean, row.low, row.high, row.n)


def _per_store(of: Callable[[StoreSummary], float | None]) -> Callable[[Sample], Value | None]:
    """The mean of something over the stores that have it."""

    def mean(sample: Sample) -> Value | None:
        found = [number for store in sample.stores if store.error is None and (number := of(store)) is not None]
        return Value(fmean(found), n=len(found)) if found else None

    return mean


def _usage(*stages: str) -> Callable[[StoreSummary], Usage | None]:
    def used(store: StoreSummary) -> Usage | None:
        parts = [part for stage in stages if (part := getattr(store, f"{stage}_usage")) is not None]
        return sum(parts, Usage()) if parts else None

    return used


def _dollars(*stages: str) -> Callable[[StoreSummary], float | None]:
    """What models would have cost without the cache: who ran before makes no system cheaper."""
    return lambda store: None if (used := _usage(*stages)(store)) is None else all_dollars(used)


def _tokens(what: Literal["input", "output"], *stages: str) -> Callable[[StoreSummary], float | None]:
    def tokens(store: StoreSummary) -> float | None:
        used = _usage(*stages)(store)
        if used is None or not knows_cached(used):
            return None
        return float(getattr(used, f"{what}_tokens") + getattr(used, f"cached_{what}"))

    return tokens


def _spread(sample: Sample) -> Value | None:
    """The standard deviation of accuracy over the repeats of storing."""
    repeats = sorted({verdict.ingest_repeat for verdict in sample.verdicts})
    each = [_accuracy(Sample([v for v in sample.verdicts if v.ingest_repeat == n])) for n in repeats]
    known = [found.mean for found in each if found is not None]
    return Value(stdev(known), n=len(known)) if len(known) > 1 else None


def _misread(sample: Sample) -> Value | None:
    """The share of failed cases in which all came back; there is none to tell where no model answered."""
    graded = Sample([verdict for verdict in sample.verdicts if verdict.depth == "full"])
    return _tagged("missed", "answering", _MISSED)(graded)


def _cases(sample: Sample) -> Value | None:
    pairs = [verdict for verdict in sample.verdicts if "pair" in verdict.tags]
    return Value(float(sum("missed" in verdict.tags for verdict in pairs)), n=len(pairs)) if pairs else None


def _context(sample: Sample) -> Value | None:
    found = [verdict.context_tokens for verdict in sample.verdicts if verdict.context_tokens is not None]
    return Value(fmean(found), n=len(found)) if found else None


def _question_seconds(store: StoreSummary) -> float | None:
    return store.query_seconds / store.queries if store.queries else None


_RANKINGS = frozenset(map(str, ALL))

_MISSED = ("change", "rule", "both", "answering", "open")
_BY_MEMORY = {f"memory/{m.kind}@{m.k}": (f"turn/{m.kind}@{m.k}", str(m)) for m in ALL if m.level == "session"}
"""Measures of a ranking by turns or, where memories are whole sessions, by sessions: as the LongMemEval paper does."""

_SETTLED_PAIRS = ("credited", "knew_but_failed", "trivial", "never_knew")

_VALUES: dict[str, tuple[Callable[[Sample], Value | None], Unit]] = {
    "accuracy": (_accuracy, "share"),
    "success": (_success, "share"),
    "right": (_right, "share"),
    **{verdict: (_share(verdict), "share") for verdict in ("correct", *FAILURES, "uncertain", "error")},
    "trivial": (_tagged("pair", "trivial", _SETTLED_PAIRS), "share"),
    "printed": (lambda sample: None, "share"),  # a number that only the paper has
    "context_tokens": (_context, "tokens"),
    "memories": (_per_store(lambda store: store.memories), "count"),
    "tokens_per_memory": (
        _per_store(lambda store: store.tokens / store.memories if store.tokens and store.memories else None),
        "tokens",
    ),
    "accuracy_sd": (_spread, "share"),
    "multiple": (lambda sample: None, "count"),  # of another row, which a sample doesn't know
    "failed_cases": (_cases, "count"),
    **{f"missed_{what}": (_tagged("missed", what, _MISSED), "share") for what in _MISSED},
    "missed_answering": (_misread, "share"),
    "dollars": (_per_store(_dollars(*STAGES)), "dollars"),
    "ingest_dollars": (_per_store(_dollars("ingest")), "dollars"),
    "inference_dollars": (_per_store(_dollars("retrieve", "answer")), "dollars"),
    **{f"{stage}_input": (_per_store(_tokens("input", stage)), "tokens") for stage in STAGES},
    **{f"{stage}_output": (_per_store(_tokens("output", stage)), "tokens") for stage in STAGES},
    "inference_input": (_per_store(_tokens("input", "retrieve", "answer")), "tokens"),
    "inference_output": (_per_store(_tokens("output", "retrieve", "answer")), "tokens"),
    "construction_seconds": (_per_store(lambda store: store.ingest_seconds), "seconds"),
    "question_seconds": (_per_store(_question_seconds), "seconds"),
    "peak_megabytes": (
        _per_store(lambda store: None if store.peak_bytes is None else store.peak_bytes / 1e6),
        "megabytes",
    ),
    "gpu_megabytes": (
        _per_store(lambda store: None if store.gpu_bytes is None else store.gpu_bytes / 1e6),
        "megabytes",
    ),
}
