"""The human check: people label a blinded sample of traces, and their labels are compared with judge and detector.

audit.jsonl in the run directory is append-only. It holds the sampled traces, and every label with labeller, time and
duration. Labels stay valid when the run is judged again; a trace that is asked again becomes a new one.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from memtriage.core.amount import K
from memtriage.core.episode import Fact, Probe
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.trace import Trace
from memtriage.core.verdict import SETTLED, Depth, ProbeVerdict, Verdict
from memtriage.diagnose.memory_index import MemoryIndex, MemorySet
from memtriage.diagnose.store import StoreDiagnosis
from memtriage.metrics.statistics import Interval, kappa, wilson
from memtriage.record.counted import CountedLog, counted_records
from memtriage.record.journal import damaged, json_line
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader
from memtriage.text.language import speaking
from memtriage.text.words import well_formed

Label = Literal["correct", "not_stored", "summary_error", "not_retrieved", "reasoning_error", "unsure"]

FILE = "audit.jsonl"
SAMPLE = 100

STORED = 12
"""How many stored memories are shown; those that verdicts cite always are."""

RETRIEVED = 30
"""How many retrieved memories are shown: if there are more, those nearest to the facts."""


@dataclass(frozen=True, slots=True)
class AuditMemory:
    """A memory as a person sees it; it has the same label wherever it is shown."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One trace without any hint of its verdict or of the system.

    `store_size` is None if the store can't be seen; `answer` is None if there is none.
    """

    id: str
    task: str
    question: str
    gold: str
    abstain: bool
    facts: tuple[Fact, ...]
    stored: tuple[AuditMemory, ...]
    store_size: int | None
    retrieved: tuple[AuditMemory, ...]
    k_returned: int
    answer: str | None


@dataclass(frozen=True, slots=True)
class Labelled:
    """A person's label for one item."""

    item: str
    label: Label
    labeller: str
    time: str
    seconds: float
    note: str = ""


class Rater(NamedTuple):
    """A person, judge or detector that gives verdicts."""

    kind: Literal["person", "judge", "lexical"]
    name: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on the items that both decided; `undecided` counts those that at least one could not decide."""

    first: Rater
    second: Rater
    confusion: Mapping[tuple[Verdict, Verdict], int]
    undecided: int

    @property
    def n(self) -> int:
        return sum(self.confusion.values())

    @property
    def agreed(self) -> int:
        return sum(n for (one, two), n in self.confusion.items() if one == two)

    @property
    def interval(self) -> Interval:
        return wilson(self.agreed, self.n)

    @property
    def kappa(self) -> float:
        return kappa(pair for pair, n in self.confusion.items() for _ in range(n))


_LABELLED = TypeAdapter(Labelled)


class _TraceKey(NamedTuple):
    """Identifies the trace of an item; each repeat of its answer counts as a trace."""

    system: str
    ingest_repeat: int
    episode: str
    probe: str
    k: K
    answered_by: str
    repeat: int

    @classmethod
    def of(cls, v: ProbeVerdict) -> _TraceKey:
        return cls(v.system, v.ingest_repeat, v.episode, v.probe, v.k, v.answered_by, v.repeat)

    @property
    def unit(self) -> Unit:
        """The store in the journal, where repeats of storing are numbered from 2."""
        return (f"{self.system} #{self.ingest_repeat + 1}" if self.ingest_repeat else self.system), self.episode


# ------------------------------------------------------------------ the sample


def sample(reader: RunReader, n: int = SAMPLE, seed: int = 42) -> list[AuditItem]:
    """Blinded traces of a run, spread evenly over verdicts and tasks, and over questions within them."""
    return _items(reader, _drawn(reader, n, seed))


class Audit:
    """A human check of a run: its items, and the labels given so far.

    >>> audit = Audit(RunReader(Path("runs/a")), n=100)  # doctest: +SKIP
    >>> audit.record(Labelled(audit.items[0].id, "correct", "ada", "2026-01-05T09:00:00", 12.5))  # doctest: +SKIP
    """

    def __init__(self, reader: RunReader, n: int = SAMPLE, seed: int = 42) -> None:
        if n < 1:
            raise BadInput(f"a sample of {n} traces is none; give --sample 1 or more")
        self._reader = reader
        path = reader.path / FILE
        recorded = _recorded_sample(path, n, seed)
        ids = _drawn(reader, n, seed) if recorded is None else recorded
        self.items: tuple[AuditItem, ...] = tuple(_items(reader, ids))
        self.gone = len(ids) - len(self.items)
        """How many of the sampled traces were asked or answered again since then."""
        if not self.items:
            raise BadRun(f"{reader.path} holds no verdicts that a person could check")
        self._log = CountedLog(path)
        if recorded is None:
            self._log.append(json_line({"kind": "sample", "n": n, "seed": seed, "items": ids}))

    def labels(self, labeller: str) -> dict[str, Labelled]:
        """The last label that this person gave to each item."""
        return {one.item: one for one in read_labels(self._reader.path) if one.labeller == labeller}

    def record(self, labelled: Labelled) -> None:
        """Write one label at once; a second one for the same item replaces the first."""
        self._log.append(json_line({"kind": "label", **asdict(labelled)}))

    def find(self, item: str, text: str, most: int = 10) -> list[str]:
        """Memories of an item's store with all these words, so that a person can check that a fact is not stored."""
        wanted = text.lower().split()
        for _, verdict in _verdicts_of(self._reader, [item]):
            unit = _TraceKey.of(verdict).unit
            key = (verdict.probe, verdict.k)
            trace = next(trace for trace in self._reader.traces(unit) if (trace.probe, trace.k) == key)
            texts = self._reader.texts(self._reader.history(unit).held_at(trace.snapshot)).values()
            return [text for text in texts if all(word in text.lower() for word in wanted)][:most]
        return []

    def agreement(self) -> list[Agreement]:
        """How far people, judge and detector agree on the items labelled so far."""
        return agreement(self._reader)

    def close(self) -> None:
        self._log.close()

    def __enter__(self) -> Audit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_labels(path: Path) -> list[Labelled]:
    """The labels in a run directory: the last one of each person for each item, in the order of the first."""
    last: dict[tuple[str, str], Labelled] = {}
    for start, record in counted_records(path / FILE):
        if record.get("kind") == "label":
            try:
                one = _LABELLED.validate_python({k: v for k, v in record.items() if k != "kind"})
            except ValidationError as error:
                raise damaged(path / FILE, start, error.errors()[0]["msg"].lower()) from error
            last[one.item, one.labeller] = one
    return list(last.values())


def _recorded_sample(path: Path, n: int, seed: int) -> list[str] | None:
    """The sample that was recorded for this size and seed, as drawing again could give a different one."""
    for start, record in counted_records(path):
        if record.get("kind") == "sample" and (record.get("n"), record.get("seed")) == (n, seed):
            items = record.get("items")
            if not isinstance(items, list) or not all(isinstance(id, str) for id in items):
                raise damaged(path, start, "a sample without items")
            return items
    return None


def _drawn(reader: RunReader, n: int, seed: int) -> list[str]:
    """The ids of the sampled traces, in the order in which they are shown."""
    strata: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    for verdict in reader.verdicts():
        if verdict.verdict not in ("error", "n/a") and verdict.judge_repeat == 0:
            stratum = strata.setdefault((verdict.verdict, verdict.task), {})
            stratum[_id(verdict)] = (verdict.episode, verdict.probe)
    rng = random.Random(f"audit:{seed}")
    piles = [rng.sample(sorted(strata[name].items()), len(strata[name])) for name in sorted(strata)]
    rng.shuffle(piles)
    asked: set[tuple[str, str]] = set()
    drawn: list[str] = []
    while len(drawn) < n and any(piles):
        for pile in piles:
            if pile and len(drawn) < n:
                at = next((i for i, (_, question) in enumerate(pile) if question not in asked), 0)
                id, question = pile.pop(at)
                asked.add(question)
                drawn.append(id)
    rng.shuffle(drawn)
    return drawn


def _id(verdict: ProbeVerdict) -> str:
    """An opaque id of a trace that changes if its retrieved memories or its answer do."""
    parts = [*_TraceKey.of(verdict), [r.key for r in verdict.retrieved], verdict.answer]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def _verdicts_of(reader: RunReader, wanted: Collection[str]) -> Iterator[tuple[str, ProbeVerdict]]:
    """The verdicts on these traces; the first if a judge graded them several times."""
    ids = set(wanted)
    for verdict in reader.verdicts():
        if verdict.judge_repeat == 0 and (id := _id(verdict)) in ids:
            yield id, verdict


def _items(reader: RunReader, wanted: Sequence[str]) -> list[AuditItem]:
    by_unit: dict[Unit, list[tuple[str, ProbeVerdict]]] = {}
    for id, verdict in _verdicts_of(reader, wanted):
        by_unit.setdefault(_TraceKey.of(verdict).unit, []).append((id, verdict))
    items: dict[str, AuditItem] = {}
    for unit, found in by_unit.items():
        items |= _Blinder(reader, unit).items(found)
    return [items[id] for id in wanted if id in items]


class _Blinder:
    """Turns the traces of one store into items with all that a person needs to judge, and nothing else."""

    def __init__(self, reader: RunReader, unit: Unit) -> None:
        self._reader = reader
        self._history = reader.history(unit)
        self._episode = reader.episode(unit[1])
        self._traces = {(trace.probe, trace.k): trace for trace in reader.traces(unit)}
        self._memories = MemoryIndex()

    def items(self, found: Iterable[tuple[str, ProbeVerdict]]) -> dict[str, AuditItem]:
        probes = {probe.id: probe for probe in self._episode.probes}
        return {id: self._item(id, verdict, probes[verdict.probe]) for id, verdict in found}

    def _item(self, id: str, verdict: ProbeVerdict, probe: Probe) -> AuditItem:
        facts = tuple(self._episode.fact(id) for id in probe.needed)
        hidden = self._history.ingest.blind is not None
        held = () if hidden else self._history.held_at(self._traces[verdict.probe, verdict.k].snapshot)
        retrieved = tuple(dict.fromkeys(r.key for r in verdict.retrieved))
        self._memories.put(self._reader.texts([key for key in (*held, *retrieved) if key not in self._memories]))
        witnesses = [key for fact in verdict.facts for key in fact.witness]
        stored = self._nearest(facts, held, [key for key in witnesses if key in set(held)], STORED)
        shown = set(self._nearest(facts, retrieved, [], RETRIEVED))
        labels: dict[str, AuditMemory] = {}
        for key in (*stored, *(key for key in retrieved if key in shown)):
            text = self._memories.memory(self._memories.number(key)).text
            labels.setdefault(key, AuditMemory(f"m{len(labels) + 1}", text))
        return AuditItem(
            id=id,
            task=verdict.task,
            question=verdict.question,
            gold=verdict.gold,
            abstain=probe.scoring == "abstain",
            facts=facts,
            stored=tuple(labels[key] for key in stored),
            store_size=None if hidden else len(held),
            retrieved=tuple(labels[key] for key in retrieved if key in shown),
            k_returned=len(retrieved),
            answer=verdict.answer,
        )

    def _nearest(self, facts: Sequence[Fact], keys: Sequence[str], always: Sequence[str], most: int) -> list[str]:
        """The memories nearest to the facts, nearest first, so that nothing shows which of them a verdict cites."""
        if len(keys) > most:
            store = MemorySet(self._memories, tuple(keys))
            near = [store.near(fact, most) for fact in facts]
            ranked = [shown.key for rank in range(most) for each in near for shown in each[rank : rank + 1]]
            chosen = dict.fromkeys((*always, *(ranked or keys)))
            keys = [key for n, key in enumerate(chosen) if n < max(most, len(set(always)))]
        weights = [self._memories.by_words(fact) for fact in facts]
        return sorted(keys, key=lambda key: -max((float(w[self._memories.number(key)]) for w in weights), default=0.0))


# ------------------------------------------------------------------ agreement


class _Opinion(NamedTuple):
    """A rater's verdict on an item, and whether it includes the answer: words can't grade free answers."""

    verdict: str
    depth: Depth


def agreement(reader: RunReader) -> list[Agreement]:
    """Each person against the judge, against the lexical detector, and against every other person."""
    labels = read_labels(reader.path)
    people: dict[Rater, dict[str, _Opinion]] = {}
    for one in labels:
        people.setdefault(Rater("person", one.labeller), {})[one.item] = _Opinion(one.label, "full")
    machines = _machines(reader, {one.item for one in labels})
    pairs = [(person, machine) for machine in machines for person in people] + list(combinations(people, 2))
    calls = people | machines
    return [_compared(one, two, calls[one], calls[two]) for one, two in pairs]


def _compared(one: Rater, two: Rater, first: Mapping[str, _Opinion], second: Mapping[str, _Opinion]) -> Agreement:
    confusion: Counter[tuple[Verdict, Verdict]] = Counter()
    undecided = 0
    for item in first.keys() & second.keys():
        a, b = first[item], second[item]
        if a.verdict in SETTLED and b.verdict in SETTLED:
            depth: Depth = "memory" if "memory" in (a.depth, b.depth) else "full"
            confusion[_at_depth(a.verdict, depth), _at_depth(b.verdict, depth)] += 1
        else:
            undecided += 1
    return Agreement(one, two, confusion, undecided)


def _at_depth(verdict: str, depth: Depth) -> Verdict:
    """A verdict at this depth: without the answer, a reasoning error counts as correct."""
    limited: Verdict = "correct" if depth == "memory" and verdict == "reasoning_error" else verdict  # type: ignore[assignment]
    return limited


def _machines(reader: RunReader, wanted: Collection[str]) -> dict[Rater, dict[str, _Opinion]]:
    """The verdicts of judges and of the lexical detector on these items; the detector runs again, as it is free."""
    judges: dict[Rater, dict[str, _Opinion]] = {}
    by_unit: dict[Unit, list[tuple[str, ProbeVerdict]]] = {}
    for id, verdict in _verdicts_of(reader, wanted):
        if verdict.judged_by:
            judges.setdefault(Rater("judge", verdict.judged_by), {})[id] = _Opinion(verdict.verdict, verdict.depth)
        by_unit.setdefault(_TraceKey.of(verdict).unit, []).append((id, verdict))
    lexical: dict[str, _Opinion] = {}
    for unit, found in by_unit.items():
        lexical |= _by_words(reader, unit, found)
    return {**judges, Rater("lexical", "lexical detector"): lexical}


def _by_words(reader: RunReader, unit: Unit, found: Iterable[tuple[str, ProbeVerdict]]) -> dict[str, _Opinion]:
    episode = reader.episode(unit[1])
    diagnosis: StoreDiagnosis | None = None
    traces: dict[tuple[str, K], Trace] = {(trace.probe, trace.k): trace for trace in reader.traces(unit)}
    calls: dict[str, _Opinion] = {}
    for id, verdict in found:
        trace = replace(traces[verdict.probe, verdict.k], answer=verdict.answer)
        with speaking(episode.language):
            diagnosis = diagnosis or StoreDiagnosis(
                episode, reader.history(unit), reader.texts, verdict.suite, verdict.system
            )
            [lexical] = diagnosis.by_words(trace)
        calls[id] = _Opinion(lexical.verdict, lexical.depth)
    return calls


def labeller_name(text: str) -> str:
    """A person's name, cleaned up to be recorded."""
    name = " ".join(well_formed(text).split())
    if not name:
        raise BadInput("a label needs to say who gave it; give --labeller a name")
    return name[:80]
