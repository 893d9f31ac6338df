"""The main table: one row per task, system and k, with the score and a count of every outcome.

Probes are streamed: a cell only keeps counts per verdict and, for the interval, per cluster.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from memtriage.core.amount import K, k_order
from memtriage.core.errors import BadInput, unknown
from memtriage.core.verdict import KINDS, FactVerdict, ProbeVerdict, StoreSummary, Verdict
from memtriage.metrics.statistics import Interval, clustered_counts
from memtriage.tables.clusters import ClusterCounts
from memtriage.tables.depth import OPEN, at_graded_depth

DIMENSIONS = ("suite", "task", "system", "k", "depth")
MERGED = "all"
"""The value of a dimension in a row that merges several of its values (0 for k)."""

REFERENCES = ("none", "full-context", "oracle", "gold-facts")
"""Floor and ceilings: shown like every system, after the others, and not ranked against them."""

SCHEMA_NAME = "memtriage.table/2"
"""In version 1, `success` and `accuracy` left out errors and what is uncertain."""

IN_STORE = ("not_stored", "summary_error")
"""The columns of what is lost in the store, which are unknown if a store can't be listed."""

_StoreKey = tuple[str, str, str]
"""A store: suite, system and episode. It may be asked probes of several tasks."""


@dataclass(frozen=True, slots=True)
class FactRow:
    """One cell of the table of facts: the counts of `Row`; facts of one probe or cluster widen the interval.

    A `blind` row is of a system whose stores can't be listed, so that nobody knows what they lack: `not_stored` and
    `summary_error` are unknown, though 0 here, and what was never stored is among `not_retrieved`.
    """

    suite: str
    task: str
    system: str
    k: K
    depth: str
    n: int
    correct: int
    not_stored: int
    summary_error: int
    not_retrieved: int
    reasoning_error: int
    uncertain: int
    na: int
    error: int
    success: float | None
    low: float
    high: float
    blind: bool = field(default=False, kw_only=True)

    @property
    def asked(self) -> int:
        """All but what the system can't be asked."""
        return self.n - self.na


@dataclass(frozen=True, slots=True)
class Row(FactRow):
    """One cell of the table: how often a system was right at one k, and where it failed otherwise.

    `n` counts every probe. `success` is correct / asked, asked being n - na; None where nothing was asked. `low` and
    `high` are the 95 % Wilson interval, widened where probes share a cluster. With errors and uncertain probes it
    reaches from the lower bound with all of them failed to the upper bound with all of them right, as both remain
    possible.

    `accuracy` is the share of right answers among the `answered`, the probes whose answer was judged, and the errors,
    which stretch its interval in the same way; it is None if an answer was not judged because something it needed was
    not retrieved, as the rest would be a biased selection. `credit` is the mean credit of the probes, which may be
    partial; an error has none. `items` and `context_tokens` are the mean number of memories and of tokens that came
    back for a question. `right_without_evidence` counts right answers to probes of which a stage failed.
    """

    tokens_per_memory: float | None
    context_tokens: float | None
    answered: int = 0
    accuracy: float | None = None
    accuracy_low: float = 0.0
    accuracy_high: float = 1.0
    credit: float | None = None
    right_without_evidence: int = 0
    items: float | None = None


class Tally:
    """Counts of verdicts, in total and per cluster, for a proportion and its interval."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self._clusters = ClusterCounts(len(_KINDS))
        self._storage: set[str] = set()

    def look(self, facts: Iterable[FactVerdict]) -> None:
        """Note whether it is known what became of these facts in the store."""
        self._storage.update(state for fact in facts if (state := fact.stages.get("storage")))

    def add(self, verdict: Verdict, cluster: Hashable) -> None:
        self.verdicts[verdict] += 1
        if verdict != "n/a":
            self._clusters.add(cluster, _kind(verdict == "correct", verdict in OPEN))

    @property
    def asked(self) -> int:
        """All probes but those that the system can't be asked."""
        return self.verdicts.total() - self.verdicts["n/a"]

    @property
    def success(self) -> float | None:
        return self.verdicts["correct"] / self.asked if self.asked else None

    @property
    def interval(self) -> Interval:
        """The interval of success, from the worst to the best case of errors and uncertain verdicts."""
        return open_interval(_asked(self._clusters))

    def columns(self) -> dict[str, Any]:
        """The columns that `Row` and `FactRow` share."""
        counts = {kind.column: self.verdicts[kind.verdict] for kind in KINDS}
        low, high = self.interval
        blind = self._storage == {"n/a"} and not any(counts[column] for column in IN_STORE)
        return {
            **{"n": self.verdicts.total(), **counts, "success": self.success, "low": low, "high": high},
            "blind": blind,
        }


_KINDS = ("wrong", "right", "open")


def _kind(right: bool, open: bool) -> int:
    return 1 if right else 2 if open else 0


def _asked(clusters: ClusterCounts) -> Counter[tuple[int, int, int]]:
    """How many clusters there are with so many (asked, right, open)."""
    counted = clusters.alike().items()
    return Counter({(wrong + right + open, right, open): times for (wrong, right, open), times in counted})


def open_interval(clusters: Mapping[tuple[int, int, int], int]) -> Interval:
    """The interval of a proportion, what is open being all wrong or all right.

    It takes how many clusters there are with so many (asked, right, open).

    >>> open_interval({(1, 1, 0): 1, (1, 0, 1): 1}).high
    1.0
    """
    worst: Counter[tuple[int, int]] = Counter()
    best: Counter[tuple[int, int]] = Counter()
    for (asked, right, open), times in clusters.items():
        worst[asked, right] += times
        best[asked, right + open] += times
    return Interval(clustered_counts(worst).low, clustered_counts(best).high)


class Answers:
    """Counts of right answers, in total and per cluster, and whether any answer was left unjudged."""

    def __init__(self) -> None:
        self.answered = 0
        self._clusters = ClusterCounts(len(_KINDS))
        self._counts = [0] * len(_KINDS)
        self._incomplete = False
        self._credits = self._credited = 0.0
        self._without_evidence = 0

    def add(self, probe: ProbeVerdict) -> None:
        failed = probe.verdict == "error" and probe.right is None
        credit = 0.0 if failed else probe.credit
        if credit is not None and (probe.verdict != "n/a" or probe.right is not None):
            self._credited += 1
            self._credits += credit
        if probe.right is None and not (failed and probe.depth == "full"):
            self._incomplete |= probe.answer is not None and probe.verdict not in ("n/a", "error")
            return
        self.answered += not failed
        self._without_evidence += probe.right_without_evidence
        kind = _kind(bool(probe.right), failed)
        self._counts[kind] += 1
        self._clusters.add(cluster_of(probe), kind)

    def columns(self) -> dict[str, Any]:
        """The columns of `Row` that are about answers."""
        n, right = sum(self._counts), self._counts[1]
        known = n > 0 and not self._incomplete
        low, high = open_interval(_asked(self._clusters)) if known else (0.0, 1.0)
        return {
            "answered": self.answered,
            "accuracy": right / n if known else None,
            "accuracy_low": low,
            "accuracy_high": high,
            "credit": self._credits / self._credited if self._credited else None,
            "right_without_evidence": self._without_evidence,
        }


def table(probes: Iterable[ProbeVerdict], stores: Iterable[StoreSummary], by: Sequence[str] = DIMENSIONS) -> list[Row]:
    """One row per combination of the dimensions in `by`, in the order in which tasks and systems appear; floor and
    ceilings follow the other systems.

    A dimension left out is merged: it shows its value where there is only one, else "all" (k: 0).
    """
    wrong = [name for name in by if name not in DIMENSIONS]
    if wrong:
        raise BadInput(unknown("column to group by", wrong[0], DIMENSIONS))
    grid = _Grid(lambda probe: tuple(getattr(probe, name) for name in by))
    grid.fill(probes)
    return [row for _, row in grid.rows(_sizes(stores))]


def by_tag(probes: Iterable[ProbeVerdict], stores: Iterable[StoreSummary], tag: str) -> list[tuple[str, Row]]:
    """The table with each row split by the values of a tag, such as N, K or misleading.

    Tasks without the tag are left out. In a task that has it, probes without it have the value "".
    """
    grid = _Grid(lambda probe: (*(getattr(probe, name) for name in DIMENSIONS), probe.tags.get(tag, "")))
    tagged: set[tuple[str, str]] = set()

    def noted() -> Iterator[ProbeVerdict]:
        for probe in probes:
            if tag in probe.tags:
                tagged.add((probe.suite, probe.task))
            yield probe

    grid.fill(noted())
    rows = [(str(key[-1]), row) for key, row in grid.rows(_sizes(stores)) if (row.suite, row.task) in tagged]
    places = {row_key: place for place, row_key in enumerate(dict.fromkeys(_dimensions(row) for _, row in rows))}
    return sorted(rows, key=lambda item: (places[_dimensions(item[1])], natural(item[0])))


def fact_rows(probes: Iterable[ProbeVerdict]) -> list[FactRow]:
    """The table counted by fact: how many of the facts that probes need are lost at each stage."""
    order = _Order()
    cells: dict[tuple[Any, ...], Tally] = {}
    for probe in at_graded_depth(order.seen(probes)):
        tally = cells.setdefault(_dimensions(probe), Tally())
        tally.look(probe.facts)
        for fact in probe.facts:
            tally.add(fact.verdict, cluster_of(probe))
    ordered = sorted(cells, key=order.place)
    return [FactRow(**dict(zip(DIMENSIONS, key, strict=True)), **cells[key].columns()) for key in ordered]


def records(probes: Iterable[ProbeVerdict]) -> Iterator[dict[str, Any]]:
    """One flat record per probe, ready for `pandas.DataFrame(records(probes))`."""
    for probe in probes:
        yield {
            **{name: getattr(probe, name) for name in (*DIMENSIONS, "episode", "probe", "verdict")},
            **{name: getattr(probe, name) for name in ("question", "gold", "answer", "k_returned")},
            **{name: getattr(probe, name) for name in ("context_tokens", "seconds", "error", "cluster")},
            **{name: getattr(probe, name) for name in ("right", "right_without_evidence", "credit")},
            **{f"tag_{name}": value for name, value in probe.tags.items()},
            "facts_needed": len(probe.facts),
            "facts_correct": sum(fact.verdict == "correct" for fact in probe.facts),
            "first_why": first_why(probe),
        }


def fact_records(probes: Iterable[ProbeVerdict]) -> Iterator[dict[str, Any]]:
    """One flat record per fact of each probe, ready for pandas."""
    for probe in probes:
        for fact in probe.facts:
            yield {
                **{name: getattr(probe, name) for name in (*DIMENSIONS, "episode", "probe")},
                **{name: getattr(fact, name) for name in ("fact", "text", "verdict", "why", "detector", "lost")},
                "lost_after": fact.lost_after,
                "witnesses": len(fact.witness),
            }


def first_why(probe: ProbeVerdict) -> str:
    """Why the probe got its verdict: the reason of the fact that decided it; "" if it is correct."""
    if probe.verdict == "error":
        return probe.error or ""
    if probe.why:
        return probe.why
    if probe.verdict == "n/a" and not probe.facts:
        return "which part of what was said it takes to answer is not known, so that no store can be examined for it"
    deciding = (fact for fact in probe.facts if fact.verdict == probe.verdict != "correct")
    failing = (fact for fact in probe.facts if fact.verdict != "correct" and probe.verdict != "correct")
    fact = next(deciding, None) or next(failing, None)
    return fact.why if fact else probe.error or ""


def row_json(row: FactRow) -> dict[str, Any]:
    """A row as plain JSON values, in the order of the columns, floats rounded to six digits; None if unknown."""
    values = {name: getattr(row, name) for name in columns_of(row)} | ({**dict.fromkeys(IN_STORE)} if row.blind else {})
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}


def columns_of(row: FactRow | type[FactRow]) -> list[str]:
    """The names of a row's columns."""
    return [field.name for field in fields(row) if field.name != "blind"]


def table_json(rows: Iterable[Row]) -> dict[str, Any]:
    """The whole table as one JSON document that `SCHEMA` describes."""
    return {"schema": SCHEMA_NAME, "rows": [row_json(row) for row in rows]}


def natural(text: str) -> tuple[tuple[bool, int, str], ...]:
    """A key that sorts N=2 before N=10, and words by their letters."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    return tuple((False, int(p), "") if p.isascii() and p.isdigit() else (True, 0, p) for p in parts)


class _Order:
    """The order of rows: suites, tasks and systems by first appearance, k and depth ascending.

    Floor and ceilings follow the other systems.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Any], int] = {}

    def seen(self, probes: Iterable[ProbeVerdict]) -> Iterator[ProbeVerdict]:
        """The same probes, noted on the way."""
        for probe in probes:
            for name in ("suite", "task", "system"):
                self._seen.setdefault((name, getattr(probe, name)), len(self._seen))
            yield probe

    def place(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        suite, task, system, k, depth = key
        seen = [self._seen.get(name, -1) for name in (("suite", suite), ("task", task), ("system", system))]
        return (*seen[:2], system in REFERENCES, seen[2], k_order(k), depth)


class _Cell:
    """The counts behind one row."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.answers = Answers()
        self.values: list[set[Any]] = [set() for _ in DIMENSIONS]
        self.episodes: set[_StoreKey] = set()
        self.items = self.tokens = self.measured = 0

    def add(self, probe: ProbeVerdict) -> None:
        self.tally.add(probe.verdict, cluster_of(probe))
        self.tally.look(probe.facts)
        self.answers.add(probe)
        for values, value in zip(self.values, _dimensions(probe), strict=True):
            values.add(value)
        self.episodes.add((probe.suite, probe.system, probe.episode))
        if probe.verdict != "error" and probe.error is None and probe.context_tokens is not None:
            self.items += probe.k_returned
            self.tokens += probe.context_tokens
            self.measured += 1

    def dimensions(self) -> tuple[Any, ...]:
        merged = {"k": 0}
        return tuple(
            next(iter(values)) if len(values) == 1 else merged.get(name, MERGED)
            for name, values in zip(DIMENSIONS, self.values, strict=True)
        )

    def row(self, sizes: Mapping[_StoreKey, tuple[int, int]]) -> Row:
        own_sizes = [sizes[episode] for episode in self.episodes if episode in sizes]
        memories, tokens = sum(m for m, _ in own_sizes), sum(t for _, t in own_sizes)
        return Row(
            **dict(zip(DIMENSIONS, self.dimensions(), strict=True)),
            **self.tally.columns(),
            tokens_per_memory=tokens / memories if memories else None,
            context_tokens=self.tokens / self.measured if self.measured else None,
            **self.answers.columns(),
            items=self.items / self.measured if self.measured else None,
        )


class _Grid:
    """The cells of a table by key, filled probe by probe."""

    def __init__(self, key: Callable[[ProbeVerdict], tuple[Any, ...]]) -> None:
        self._key = key
        self._cells: dict[tuple[Any, ...], _Cell] = {}
        self._order = _Order()

    def fill(self, probes: Iterable[ProbeVerdict]) -> None:
        for probe in at_graded_depth(self._order.seen(probes)):
            key = self._key(probe)
            if key not in self._cells:
                self._cells[key] = _Cell()
            self._cells[key].add(probe)

    def rows(self, sizes: Mapping[_StoreKey, tuple[int, int]]) -> list[tuple[tuple[Any, ...], Row]]:
        keyed_rows = [(key, cell.row(sizes)) for key, cell in self._cells.items()]
        return sorted(keyed_rows, key=lambda item: self._order.place(_dimensions(item[1])))


def _sizes(stores: Iterable[StoreSummary]) -> dict[_StoreKey, tuple[int, int]]:
    """Memories and tokens per store; stores that failed or can't be listed are left out."""
    sizes: dict[_StoreKey, tuple[int, int]] = {}
    for store in stores:
        if store.error is None and store.memories is not None and store.tokens is not None:
            key = (store.suite, store.system, store.episode)
            memories, tokens = sizes.get(key, (0, 0))
            sizes[key] = (memories + store.memories, tokens + store.tokens)
    return sizes


def _dimensions(item: ProbeVerdict | Row) -> tuple[Any, ...]:
    return (item.suite, item.task, item.system, item.k, item.depth)


def cluster_of(probe: ProbeVerdict) -> Hashable:
    """The group of probes that are not independent of this one: its cluster, or else its own repeats."""
    if probe.cluster:
        return (probe.suite, probe.task, probe.cluster)
    return (probe.suite, probe.task, probe.episode, probe.probe)


def _schema() -> dict[str, Any]:
    share = {"type": "number", "minimum": 0, "maximum": 1}
    special: dict[str, dict[str, Any]] = {
        **{name: {"type": "string"} for name in ("suite", "task", "system", "depth")},
        **{name: {"type": ["integer", "null"], "minimum": 0} for name in IN_STORE},
        "success": {**share, "type": ["number", "null"]},
        "low": share,
        "high": share,
        "tokens_per_memory": {"type": ["number", "null"], "minimum": 0},
        "context_tokens": {"type": ["number", "null"], "minimum": 0},
        "items": {"type": ["number", "null"], "minimum": 0},
        "k": {"type": ["integer", "string"], "minimum": 0, "pattern": "^(native|[1-9][0-9]* tokens)$"},
        "accuracy": {**share, "type": ["number", "null"]},
        "accuracy_low": share,
        "accuracy_high": share,
        "credit": {**share, "type": ["number", "null"]},
    }
    names = columns_of(Row)
    row = {
        "type": "object",
        "properties": {name: special.get(name, {"type": "integer", "minimum": 0}) for name in names},
        "required": names,
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Where each memory system fails, per task and k",
        "type": "object",
        "properties": {"schema": {"const": SCHEMA_NAME}, "rows": {"type": "array", "items": row}},
        "required": ["schema", "rows"],
    }


SCHEMA: dict[str, Any] = _schema()
"""The JSON Schema of `table_json`."""
