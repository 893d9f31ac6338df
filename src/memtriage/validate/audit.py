"""The human check: people label a blinded sample of traces, and their labels are set against judge and detector.

audit.jsonl in the run directory is append-only: which traces were sampled, and every label with who gave it, when and
how long it took. Labels stay valid when the run is judged again; a trace that was asked again is another trace.
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

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.trace import Trace
from memtriage.core.verdict import SETTLED, Depth, ProbeVerdict, Verdict
from memtriage.diagnose.memory_index import MemoryIndex, MemorySet
from memtriage.diagnose.store import StoreDiagnosis
from memtriage.metrics.statistics import Interval, kappa, wilson
from memtriage.record.directory import RunReader, Unit
from memtriage.record.journal import Log, damaged, json_line, records
from memtriage.text.words import well_formed

Label = Literal["correct", "not_stored", "summary_error", "not_retrieved", "reasoning_error", "unsure"]

FILE = "audit.jsonl"
SAMPLE = 100

STORED = 12
"""How many stored memories are shown, at least those that verdicts rest on."""

RETRIEVED = 30
"""How many retrieved memories are shown; of more, those nearest to the facts."""


@dataclass(frozen=True, slots=True)
class AuditMemory:
    """A memory as a person sees it; the same one bears the same label wherever it is shown."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One trace without any hint of what was made of it, or of the system behind it.

    `store_size` is None where the store can't be seen; `answer` is None where nobody answered.
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
    """What a person found of one item."""

    item: str
    label: Label
    labeller: str
    time: str
    seconds: float
    note: str = ""


class Rater(NamedTuple):
    """Somebody or something that gives verdicts."""

    kind: Literal["person", "judge", "lexical"]
    name: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on the items that both decided; `undecided` are those on which either could not say."""

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
    """Which trace an item is about; the answer of a repeat is a trace of its own here."""

    system: str
    ingest_repeat: int
    episode: str
    probe: str
    k: int
    answered_by: str
    repeat: int

    @classmethod
    def of(cls, v: ProbeVerdict) -> _TraceKey:
        return cls(v.system, v.ingest_repeat, v.episode, v.probe, v.k, v.answered_by, v.repeat)

    @property
    def unit(self) -> Unit:
        """The store in the journal, which numbers repeats of storing from 2 on."""
        return (f"{self.system} #{self.ingest_repeat + 1}" if self.ingest_repeat else self.system), self.episode


# ------------------------------------------------------------------ the sample


def sample(reader: RunReader, n: int = SAMPLE, seed: int = 42) -> list[AuditItem]:
    """Blinded traces of a run: as evenly as possible over verdicts and tasks, and over questions within them."""
    return _items(reader, _drawn(reader, n, seed))


class Audit:
    """A human check of a run: its items, and the labels that people have given so far.

    >>> audit = Audit(RunReader(Path("runs/a")), n=100)  # doctest: +SKIP
    >>> audit.record(Labelled(audit.items[0].id, "correct", "ada", "2026-01-05T09:00:00", 12.5))  # doctest: +SKIP
    """

    def __init__(self, reader: RunReader, n: int = SAMPLE, seed: int = 42) -> None:
        if n < 1:
            raise BadInput(f"a sample of {n} traces is none; give --sample 1 or more")
        self._reader = reader
        path = reader.path / FILE
        wanted = _recorded(path, n, seed)
        fresh = wanted is None
        if wanted is None:
            wanted = _drawn(reader, n, seed)
        self.items: tuple[AuditItem, ...] = tuple(_items(reader, wanted))
        self.gone = len(wanted) - len(self.items)
        """How many of the sampled traces were asked or answered again since, and are no longer there."""
        if not self.items:
            raise BadRun(f"{reader.path} holds no verdicts that a person could check")
        self._log = Log(path)
        if fresh:
            self._log.append(json_line({"kind": "sample", "n": n, "seed": seed, "items": wanted}))

    def labels(self, labeller: str) -> dict[str, Labelled]:
        """The last label that this person gave to each item."""
        return {one.item: one for one in read_labels(self._reader.path) if one.labeller == labeller}

    def record(self, labelled: Labelled) -> None:
        """Write one label down, at once; a second one for the same item takes the place of the first."""
        self._log.append(json_line({"kind": "label", **asdict(labelled)}))

    def find(self, item: str, text: str, most: int = 10) -> list[str]:
        """Memories of an item's store that hold all these words, so that nobody has to take `not stored` on trust."""
        wanted = text.lower().split()
        for _, verdict in _found(self._reader, [item]):
            unit = _TraceKey.of(verdict).unit
            asked = (verdict.probe, verdict.k)
            trace = next(trace for trace in self._reader.traces(unit) if (trace.probe, trace.k) == asked)
            texts = self._reader.texts(self._reader.history(unit).held_at(trace.snapshot)).values()
            return [text for text in texts if all(word in text.lower() for word in wanted)][:most]
        return []

    def agreement(self) -> list[Agreement]:
        """How far people, judge and detector agree on what has been labelled so far."""
        return agreement(self._reader)

    def close(self) -> None:
        self._log.close()

    def __enter__(self) -> Audit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_labels(path: Path) -> list[Labelled]:
    """The labels in a run directory: for each item and person the last one, in the order of the first."""
    last: dict[tuple[str, str], Labelled] = {}
    for start, record in records(path / FILE):
        if record.get("kind") == "label":
            try:
                one = _LABELLED.validate_python({k: v for k, v in record.items() if k != "kind"})
            except ValidationError as error:
                raise damaged(path / FILE, start, error.errors()[0]["msg"].lower()) from error
            last[one.item, one.labeller] = one
    return list(last.values())


def _recorded(path: Path, n: int, seed: int) -> list[str] | None:
    """The sample that was drawn before with this size and seed; drawing again could give another by now."""
    for start, record in records(path):
        if record.get("kind") == "sample" and (record.get("n"), record.get("seed")) == (n, seed):
            items = record.get("items")
            if not isinstance(items, list) or not all(isinstance(id, str) for id in items):
                raise damaged(path, start, "a sample without items")
            return items
    return None


def _drawn(reader: RunReader, n: int, seed: int) -> list[str]:
    """The ids of sampled traces, in the order in which they are shown."""
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
    """A name for a trace that tells nothing, and changes when what it brought back or answered does."""
    parts = [*_TraceKey.of(verdict), [r.key for r in verdict.retrieved], verdict.answer]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def _found(reader: RunReader, wanted: Collection[str]) -> Iterator[tuple[str, ProbeVerdict]]:
    """The verdicts on these traces; where a judge graded them several times, the first."""
    ids = set(wanted)
    for verdict in reader.verdicts():
        if verdict.judge_repeat == 0 and (id := _id(verdict)) in ids:
            yield id, verdict


def _items(reader: RunReader, wanted: Sequence[str]) -> list[AuditItem]:
    by_unit: dict[Unit, list[tuple[str, ProbeVerdict]]] = {}
    for id, verdict in _found(reader, wanted):
        by_unit.setdefault(_TraceKey.of(verdict).unit, []).append((id, verdict))
    items: dict[str, AuditItem] = {}
    for unit, found in by_unit.items():
        items |= _Blinder(reader, unit).items(found)
    return [items[id] for id in wanted if id in items]


class _Blinder:
    """Turns the traces of one store into items: everything a person needs to judge, and nothing else."""

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
        facts = _needed(self._episode, probe)
        blind = self._history.ingest.blind is not None
        held = () if blind else self._history.held_at(self._traces[verdict.probe, verdict.k].snapshot)
        brought = tuple(dict.fromkeys(r.key for r in verdict.retrieved))
        self._memories.put(self._reader.texts([key for key in (*held, *brought) if key not in self._memories]))
        witnesses = [key for fact in verdict.facts for key in fact.witness]
        stored = self._nearest(facts, held, [key for key in witnesses if key in set(held)], STORED)
        shown = set(self._nearest(facts, brought, [], RETRIEVED))
        labels: dict[str, AuditMemory] = {}
        for key in (*stored, *(key for key in brought if key in shown)):
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
            store_size=None if blind else len(held),
            retrieved=tuple(labels[key] for key in brought if key in shown),
            k_returned=len(brought),
            answer=verdict.answer,
        )

    def _nearest(self, facts: Sequence[Fact], keys: Sequence[str], always: Sequence[str], most: int) -> list[str]:
        """The memories nearest to the facts, by nearness alone, so that nothing shows which of them a verdict cited."""
        if len(keys) > most:
            store = MemorySet(self._memories, tuple(keys))
            near = [store.near(fact, most) for fact in facts]
            ranked = [shown.key for rank in range(most) for each in near for shown in each[rank : rank + 1]]
            chosen = dict.fromkeys((*always, *(ranked or keys)))
            keys = [key for n, key in enumerate(chosen) if n < max(most, len(set(always)))]
        weights = [self._memories.by_words(fact) for fact in facts]
        return sorted(keys, key=lambda key: -max((float(w[self._memories.number(key)]) for w in weights), default=0.0))


def _needed(episode: Episode, probe: Probe) -> tuple[Fact, ...]:
    facts = {fact.id: fact for fact in episode.facts}
    return tuple(facts[id] for id in dict.fromkeys(id for ids in probe.sufficient for id in ids))


# ------------------------------------------------------------------ agreement


class _Opinion(NamedTuple):
    """What a rater says of an item, and how deep it looked: words alone don't grade a free answer."""

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
            confusion[_upto(a.verdict, depth), _upto(b.verdict, depth)] += 1
        else:
            undecided += 1
    return Agreement(one, two, confusion, undecided)


def _upto(verdict: str, depth: Depth) -> Verdict:
    """A verdict as far as the shallower of two raters looked: what was misread afterwards had been retrieved."""
    found: Verdict = "correct" if depth == "memory" and verdict == "reasoning_error" else verdict  # type: ignore[assignment]
    return found


def _machines(reader: RunReader, wanted: Collection[str]) -> dict[Rater, dict[str, _Opinion]]:
    """What judges and the lexical detector say of these items; the detector is asked anew, it costs nothing."""
    judges: dict[Rater, dict[str, _Opinion]] = {}
    by_unit: dict[Unit, list[tuple[str, ProbeVerdict]]] = {}
    for id, verdict in _found(reader, wanted):
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
    traces: dict[tuple[str, int], Trace] = {(trace.probe, trace.k): trace for trace in reader.traces(unit)}
    calls: dict[str, _Opinion] = {}
    for id, verdict in found:
        trace = replace(traces[verdict.probe, verdict.k], answer=verdict.answer)
        diagnosis = diagnosis or StoreDiagnosis(
            episode, reader.history(unit), reader.texts, verdict.suite, verdict.system
        )
        [lexical] = diagnosis.by_words(trace)
        calls[id] = _Opinion(lexical.verdict, lexical.depth)
    return calls


def labeller_name(text: str) -> str:
    """A person's name as it is recorded."""
    name = " ".join(well_formed(text).split())
    if not name:
        raise BadInput("a label needs to say who gave it; give --labeller a name")
    return name[:80]
