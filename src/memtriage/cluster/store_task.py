"""One store as another process fills, asks and, by words, diagnoses it, and what it brings back to the run."""

from __future__ import annotations

import pickle
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any

from memtriage.cluster.shipping import Shipped, unpacked
from memtriage.core.chat import CallHeld
from memtriage.core.episode import Episode
from memtriage.core.errors import MemtriageError
from memtriage.core.memory import Memory
from memtriage.core.trace import History, Ingest, Snapshot, Trace
from memtriage.diagnose.false_memories import check_store
from memtriage.diagnose.run import AskingTotals, DiagnosedStore, in_asked_order, summary
from memtriage.diagnose.store import diagnose
from memtriage.models.bill import asking_for
from memtriage.models.embedders import WordLlamaEmbedder
from memtriage.record.content_key import content_key
from memtriage.record.encoded import Encoder, encoded_done, encoded_ingest, encoded_snapshot
from memtriage.record.manifest import Unit
from memtriage.record.writer import RunWriter
from memtriage.runner.scheduler import run_store
from memtriage.runner.store_runner import Before, Build, Settings, StoreJob
from memtriage.runner.watcher import Watcher
from memtriage.systems.error_line import error_text
from memtriage.text.tokens import count_tokens

Record = tuple[str, tuple[Any, ...]]
"""A record of a store: its kind, and what the run's writer needs for it. Plain values, as those are pickled quickly."""


@dataclass(frozen=True, slots=True)
class StoreTask:
    """One store to fill and ask in another process."""

    run: str
    """A name for the run, of which a worker may have seen others."""
    system: Shipped
    unit: Unit
    before: Before
    settings: Settings
    attempt: int
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables that the user passes on to systems."""
    secrets: Collection[str] = field(default=(), repr=False)
    """Which of their values must not be written down."""
    named: tuple[str, int] | None = None
    """The name of the system and the number of the repetition, if the store is to be diagnosed by words as well."""
    paper_exact: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a store: its records in their order, or why there are none."""

    records: Sequence[Record] = ()
    seconds: float = 0.0
    """How long it took to fill, ask and diagnose it."""
    broken: str | None = None
    """Why it could not be begun."""
    rounds: int = 0
    """About how many replies it still waits for."""
    hung: int = 0
    diagnosed: bytes = b""
    """What words say of it, pickled and packed; empty if that was not asked for."""
    notes: tuple[str, ...] = ()
    """What it noted on its way, of which the run may have heard some already."""

    def write(self, unit: Unit, writer: RunWriter) -> None:
        """Record it all, as if the store had been filled here."""
        for kind, record in self.records:
            match kind:
                case "memory":
                    writer.known_memory(*record)
                case "trace":
                    writer.encoded_trace(unit, *record)
                case _:
                    writer.encoded(kind, unit, *record)


def load(systems: Collection[Shipped]) -> None:
    """Load what stores of these systems need, before the first of them comes."""
    count_tokens("")
    embeds = False
    for shipped in systems:
        with suppress(MemtriageError):  # its stores will say so
            build = unpacked(shipped)
            build().close()
            embeds = embeds or "embedder" in signature(build.spec.factory).parameters
    if embeds:
        WordLlamaEmbedder().load()


def fill(
    task: StoreTask,
    episode: Episode,
    build: Callable[[], Build],
    reports: Watcher,
    tokens: dict[str, int],
    sent: set[str],
) -> Outcome:
    """Fill and ask a store in this process.

    `tokens` are those of texts that were counted before; `sent` are the keys of memories that the outcomes before this
    one bring to the run, in the same piece.
    """
    began = time.monotonic()
    records = StoreRecords(tokens, frozenset(sent))
    hung: Counter[str] = Counter()
    try:
        built = build()
        with asking_for(task.unit):
            system = built()
    except MemtriageError as error:
        return Outcome(broken=f"it could not be begun: {error_text(error)}")
    job = StoreJob(built, task.unit, episode, task.before, records, task.settings, reports, hung=hung)
    try:
        run_store(job, system)
    except CallHeld as held:
        return Outcome(rounds=held.rounds)
    diagnosed = _diagnosed(task, episode, records) if task.named is not None else b""
    sent.update(records.memories)
    return Outcome(records.records, time.monotonic() - began, hung=hung.total(), diagnosed=diagnosed)


def _diagnosed(task: StoreTask, episode: Episode, records: StoreRecords) -> bytes:
    """What words say of a store, from what the run will record of it."""
    assert task.named is not None
    system, repeat = task.named
    memories = records.memories
    history = History(records.ingests[-1], tuple({each.id: each for each in records.snapshots}.values()))
    traces = list({(each.probe, each.k): each for each in records.traces}.values())
    asking, encoder = AskingTotals(), Encoder()
    found = diagnose(
        episode,
        history,
        asking.add(in_asked_order(traces, episode)),
        lambda keys: {key: memories[key].text for key in keys},
        episode.task.partition("/")[0],
        system,
        lambda keys: {key: memories[key].sources for key in keys},
        paper_exact=task.paper_exact,
    )
    verdicts = [encoder.verdict(replace(one, ingest_repeat=repeat) if repeat else one) for one in found]

    def read(key: str) -> tuple[str, str]:
        return memories[key].text, memories[key].created_at or ""

    check = check_store(episode, history, read, system, repeat)
    diagnosed = DiagnosedStore(verdicts, summary(episode, system, history, asking), check)
    return zlib.compress(pickle.dumps(diagnosed), 1)


class StoreRecords:
    """Takes what happens to a store, to be written by the run itself; a `StoreLog`."""

    path: Path | None = None

    def __init__(self, tokens: dict[str, int], sent: Collection[str] = ()) -> None:
        self.records: list[Record] = []
        self.memories: dict[str, Memory] = {}
        self.snapshots: list[Snapshot] = []
        self.ingests: list[Ingest] = []
        self.traces: list[Trace] = []
        self._tokens = tokens
        self._sent = sent
        self._encoder = Encoder()

    def memory(self, memory: Memory) -> str:
        key = content_key(memory)
        if key not in self.memories:
            self.memories[key] = memory
            if key not in self._sent:
                self.records.append(("memory", (key, memory.id, memory.text, memory.created_at, memory.sources)))
        return key

    def tokens(self, key: str, text: str) -> int:
        known = self._tokens.get(key)
        if known is None:
            known = self._tokens[key] = count_tokens(text)
        return known

    def snapshot(self, unit: Unit, snapshot: Snapshot) -> None:
        self.snapshots.append(snapshot)
        self.records.append(("snapshot", encoded_snapshot(snapshot)))

    def ingest(self, unit: Unit, ingest: Ingest) -> None:
        self.ingests.append(ingest)
        self.records.append(("ingest", encoded_ingest(ingest)))

    def trace(self, unit: Unit, trace: Trace) -> None:
        self.traces.append(trace)
        self.records.append(("trace", (self._encoder.trace(trace),)))

    def done(self, unit: Unit, notes: Collection[str], notices: Collection[str] = ()) -> None:
        self.records.append(("done", encoded_done(notes, notices)))
