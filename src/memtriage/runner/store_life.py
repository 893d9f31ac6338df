"""Ingest once, ask often, record everything.

For each store (a system in an episode) the sessions are stored in order; at every moment at which
probes are due, each is asked at every k. Asking never writes to the store. An error belongs to the
session or the probe where it happened; the rest goes on.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from memtriage.core.episode import Episode, Probe, Session, Turn
from memtriage.core.errors import StoreLost
from memtriage.core.memory import Memory
from memtriage.core.trace import Ingest, Retrieved, Snapshot, Trace, Usage
from memtriage.record.directory import RunReader, RunWriter, Unit
from memtriage.runner.memory_use import Footprint
from memtriage.systems.adapted import Adapted
from memtriage.text.words import well_formed

GIVE_UP = 5
"""After this many sessions in a row that raised, a store counts as broken."""

MEASURED = 50
"""The deepest rank, in sessions, at which retrieval measures look."""

Build = Callable[[], Adapted]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run asks: at which k, whether systems answer themselves, how often stores are looked at."""

    ks: tuple[int, ...]
    answers: bool = False
    looks: int = 8


class Watcher:
    """Hears how far a run is; this one does nothing with it."""

    def laying_out(self, episodes: int) -> None:
        """So many episodes are made or read."""

    def begin(self, path: Path, steps: int) -> None:
        """A run is begun or continued in this directory; so many steps in all."""

    def unit(self, system: str, episode: str) -> None:
        """A store is begun."""

    def step(self, steps: int = 1) -> None:
        """Steps (sessions stored, questions asked) are done."""

    def note(self, text: str) -> None:
        """Something a person should know."""

    def answering(self, model: str) -> None:
        """Everything is retrieved; a model answers from it, a step a question."""

    def diagnosing(self) -> None:
        """Everything is recorded; the diagnosis begins."""


def steps(sessions: int, probes: int, settings: Settings) -> int:
    """How many steps a store takes: its sessions and its questions."""
    return sessions + probes * len(settings.ks)


@dataclass(frozen=True, slots=True)
class Store:
    """One store that is to be filled and asked, and all that this takes."""

    build: Build
    unit: Unit
    episode: Episode
    reader: RunReader
    writer: RunWriter
    settings: Settings
    watcher: Watcher
    stop: threading.Event = field(default_factory=threading.Event)


class Stopped(Exception):
    """The run ends here; what is left of the store is for a later one."""


class StoreLife:
    """One system in one episode: filled, looked at, asked, and every bit of it recorded."""

    def __init__(self, store: Store, system: Adapted, lost: str | None = None, broken: str | None = None) -> None:
        self._build = store.build
        self._system = system
        self._lost = lost
        self._unit = store.unit
        self._episode = store.episode
        large = store.episode.coarse and system.traits.takes_large_pieces
        self._sessions = store.episode.coarse if large else store.episode.sessions
        self._reader = store.reader
        self._writer = store.writer
        self._settings = store.settings
        self._watcher = store.watcher
        self._stop = store.stop
        self._asked = set(store.reader.asked(store.unit))
        self._seconds = 0.0
        self._streak = 0
        self._failed: dict[str, str] = {}
        self._blind = None if "get_all_memories" in self._system.capabilities else "it has no get_all_memories"
        self._error = broken
        self._held: dict[str, int] = {}  # content key -> tokens
        self._snapshot: str | None = None
        self._notes: dict[str, None] = {}
        self._unseen: list[str] = []  # sessions stored since the store was last looked at
        self._steps = 0
        self._took = Usage()
        self._footprint = Footprint(system.system)
        self._stored: Usage | None = None  # what storing took, up to the questions that were asked on the way

    def live(self) -> None:
        """The whole life, or what a killed run left of it."""
        try:
            with self._footprint:
                self._live()
        except StoreLost:
            self._watcher.step(-self._steps)  # all of it lies ahead again
            raise

    def _live(self) -> None:
        if self._lost is not None:
            self._note(f"the store was lost ({self._lost}) and was filled again from the first session")
        due = self._due()
        last = self._sessions[-1].id if self._sessions else ""
        if self._loaded():
            self._step(len(self._sessions))
        else:
            self._fill(due, last)
        self._ask_all(due.get(last, ()))
        self._writer.done(self._unit, tuple(self._notes), self._system.notices())
        shutil.rmtree(self._saved_at, ignore_errors=True)

    def _fill(self, due: Mapping[str, Sequence[Probe]], last: str) -> None:
        self._reveal()
        looks = self._looks()
        for number, session in enumerate(self._sessions, start=1):
            if self._error is None:
                self._store(session)
            self._step()
            needed = session.id in due or session.id == last
            if needed or number in looks:
                self._look(session.id, needed)
            if session.id in due and session.id != last:
                self._stored = self._storing()  # or the first question would be charged with it
                self._ask_all(due[session.id])
        self._check_filled()
        self._record_ingest()
        self._save()

    def _reveal(self) -> None:
        """Show the gold facts to the one kind of system that may see them: the ceiling of a comparison."""
        if self._system.traits.sees_gold:
            self._system.system.reveal(self._episode)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Let go of the system. All is recorded by then: that it can't be closed spoils nothing."""
        try:
            self._system.close()
        except Exception as error:
            self._watcher.note(f"{self._unit[0]} on {self._unit[1]}: closing the store raised {said(error)}")

    def _due(self) -> dict[str, list[Probe]]:
        """The probes by the session after which they are asked."""
        last = self._sessions[-1].id if self._sessions else ""
        due: dict[str, list[Probe]] = {}
        for probe in self._episode.probes:
            due.setdefault(probe.after or last, []).append(probe)
        return due

    def _looks(self) -> set[int]:
        """The sessions after which the store is looked at, so that a later loss can be told and dated.

        They are evenly spaced; where few sessions tell what is asked for, these too: what was lost before the next look
        would pass for never stored.
        """
        sessions, wanted = self._sessions, self._settings.looks
        if not wanted:
            return set()
        gold = {turn for fact in self._episode.facts for turn in fact.turns}
        telling = {n for n, one in enumerate(sessions, start=1) if any(turn.id in gold for turn in one.turns)}
        return {len(sessions) * i // wanted for i in range(1, wanted + 1)} | (
            telling if len(telling) <= wanted else set()
        )

    def _store(self, session: Session) -> None:
        began = time.perf_counter()
        self._unseen.append(session.id)
        try:
            self._system.store_conversation(session)
            self._streak = 0
        except StoreLost as lost:
            self._gone(lost)
        except Exception as error:
            self._seconds += time.perf_counter() - began
            self._raised(session, error)
            return
        self._seconds += time.perf_counter() - began
        self._footprint.glance()
        self._heed(f"storing session {session.id}", [session.id])

    def _raised(self, session: Session, error: Exception) -> None:
        """What a session raised, with the first of the errors behind it, such as an endpoint's."""
        behind = next(iter(self._system.troubles()), "")
        news = behind and (behind.partition(": ")[2] or behind) not in str(error)
        told = said(error) + (f" ({behind[:300]})" if news else "")
        self._streak += 1
        self._failed[session.id] = told
        self._note(f"storing session {session.id} raised {told}")
        if self._streak >= GIVE_UP:
            self._error = f"gave up after {GIVE_UP} sessions in a row raised, the last: {told}"

    def _gone(self, lost: StoreLost) -> None:
        """A store that is lost is filled again, once; the second time it counts as broken."""
        if self._lost is None:
            raise lost
        if self._stop.is_set():  # the run hung up on it; that is no error to be recorded
            raise Stopped from lost
        self._error = f"the store was lost twice; first: {self._lost}; then: {said(lost)}"
        self._note(self._error)

    def _heed(self, what: str, sessions: Sequence[str]) -> str | None:
        """What a system swallowed is an error of the sessions it befell, not a fact that it failed to store."""
        troubles = Counter(self._system.troubles())
        if not troubles:
            return None
        first = next(iter(troubles))
        told = f"{first[:300]}" + (f" (and {troubles.total() - 1} more)" if troubles.total() > 1 else "")
        self._note(f"{what} hid an error: {told}")
        for session in sessions:
            self._failed.setdefault(session, f"it hid an error: {told}")
        return told

    def _look(self, session: str, needed: bool) -> None:
        """Wait for the system to settle, then record what the store holds now.

        A look on the way only dates losses: the run can do without it. One that questions rest on is needed.
        """
        if self._error is not None:
            return
        began = time.perf_counter()
        try:
            self._system.settle()
            self._seconds += time.perf_counter() - began
            self._heed(f"settling after session {session}", self._unseen)
            memories = self._system.get_all_memories() if self._blind is None else []
        except StoreLost as lost:
            self._gone(lost)
            return
        except Exception as error:
            told = f"looking into the store after session {session} raised {said(error)}"
            self._note(told)
            self._error = told if needed else None
            return
        self._unseen.clear()
        if self._blind is None:
            self._record_snapshot(session, memories)

    def _record_snapshot(self, session: str, memories: Sequence[Memory]) -> None:
        held = {self._writer.memory(memory): memory for memory in memories}
        added = [key for key in held if key not in self._held]
        removed = [key for key in self._held if key not in held]
        self._held = {key: self._count(key, memory.text) for key, memory in held.items()}
        content = hashlib.sha256("\n".join([session, self._snapshot or "", *added, "-", *removed]).encode())
        snapshot = Snapshot(content.hexdigest()[:16], session, self._snapshot, tuple(added), tuple(removed))
        self._writer.snapshot(self._unit, snapshot)
        self._snapshot = snapshot.id

    def _check_filled(self) -> None:
        empty = self._blind is None and not self._held and self._sessions
        if empty and self._error is None and not self._system.traits.keeps_nothing:
            self._error = (
                f"the store is empty after {len(self._sessions)} sessions; "
                "if it stores in the background, give it a settle() that waits"
            )
            self._note(self._error)

    def _record_ingest(self) -> None:
        known = self._blind is None and self._error is None
        ingest = Ingest(
            sessions=len(self._sessions),
            seconds=round(self._seconds, 6),
            memories=len(self._held) if known else None,
            tokens=sum(self._held.values()) if known else None,
            blind=self._blind,
            error=self._error,
            failed=self._failed,
            notes=tuple(self._notes),
            usage=self._storing(),
            peak_bytes=self._footprint.look(),
        )
        self._writer.ingest(self._unit, ingest)

    def _ask_all(self, probes: Sequence[Probe]) -> None:
        for probe in probes:
            for k in self._settings.ks:
                if (probe.id, k) not in self._asked:
                    trace = self._ask(probe, k)
                    self._writer.trace(self._unit, replace(trace, peak_bytes=self._footprint.risen()))
                self._step()

    def _step(self, steps: int = 1) -> None:
        if self._stop.is_set():
            raise Stopped
        self._steps += steps
        self._watcher.step(steps)

    def _usage(self) -> Usage | None:
        """What the system's own models took since this was last asked."""
        total = self._system.usage()
        if total is None:
            return None
        taken, self._took = total - self._took, total
        return taken

    def _storing(self) -> Usage | None:
        """What the system's own models took to store all sessions so far."""
        taken = self._usage()
        return taken if self._stored is None else self._stored + (taken or Usage())

    def _ask(self, probe: Probe, k: int) -> Trace:
        if self._error is not None:
            return Trace(probe.id, k, error=self._error)
        conversation = Session(f"query-{probe.id}", (Turn("user", probe.text, f"query-{probe.id}/0"),), probe.asked_at)
        began = time.perf_counter()
        try:
            returned = self._system.retrieve_memories(probe.text, conversation, k)
            seconds = time.perf_counter() - began
            shown = self._cut(returned, k)
            answer = self._system.answer(probe.text, shown) if self._settings.answers else None
            ranking = self._ranking(probe, conversation, k, shown)
        except StoreLost as lost:
            self._gone(lost)
            return Trace(probe.id, k, self._snapshot, error=self._error)
        except Exception as error:
            self._note(f"asking probe {probe.id} raised {said(error)}")
            return Trace(probe.id, k, self._snapshot, error=f"asking raised {said(error)}", usage=self._usage())
        if hidden := self._heed(f"asking probe {probe.id}", ()):
            return Trace(probe.id, k, self._snapshot, error=f"asking hid an error: {hidden}", usage=self._usage())
        keys = [self._writer.memory(memory) for memory in shown]
        retrieved = tuple(Retrieved(key, i + 1, shown[i].score, shown[i].created_at) for i, key in enumerate(keys))
        tokens = sum(self._count(key, memory.text) for key, memory in zip(keys, shown, strict=True))
        took = round(seconds, 6)
        trace = Trace(probe.id, k, self._snapshot, retrieved, tokens, took, answer, usage=self._usage())
        return replace(trace, ranking=tuple(map(self._writer.memory, ranking[0])), ranked_all=ranking[1])

    def _ranking(
        self, probe: Probe, conversation: Session, k: int, shown: Sequence[Memory]
    ) -> tuple[Sequence[Memory], bool]:
        """The ranking that measures are taken of, at the largest k: all of it, where the system can tell at no cost."""
        if not probe.targets or k != self._settings.ks[-1]:
            return (), False
        if not self._system.traits.ranks_all:
            return shown, len(shown) >= len(self._held) > 0
        deep, there = max(k, 4 * MEASURED), max(k, len(self._held))
        while True:  # deeper only where the best come from few sessions
            ranked = self._system.retrieve_memories(probe.text, conversation, min(deep, there))
            seen = self._measured(ranked)
            if seen is not None or deep >= there:
                return ranked[: max(k, seen or len(ranked))], True
            deep *= 4

    def _measured(self, ranked: Sequence[Memory]) -> int | None:
        """How far down a ranking measures look: to where enough sessions were seen; None where it has too few."""
        seen: set[str] = set()
        for place, memory in enumerate(ranked, start=1):
            seen.update(self._session_of.get(turn, turn) for turn in memory.sources)
            if len(seen) >= MEASURED:
                return place
        return None

    @cached_property
    def _session_of(self) -> dict[str, str]:
        return {turn.id: session.id for session in self._sessions for turn in session.turns}

    def _cut(self, memories: Sequence[Memory], k: int) -> Sequence[Memory]:
        """At most k memories count, so that every system is compared at the same k."""
        if self._system.traits.ignores_k:
            return memories
        if len(memories) > k:
            self._note(f"returned more than the k={k} memories asked for; only the first {k} count")
        elif len(memories) < k and self._held and k > len(self._held):
            self._note(f"k={k} is more than the memories in the store; all of them count")
        return memories[:k]

    def _count(self, key: str, text: str) -> int:
        return self._writer.tokens(key, text)

    @property
    def _saved_at(self) -> Path:
        name = hashlib.sha256("\0".join(self._unit).encode()).hexdigest()[:16]
        return self._writer.path / "stores" / name

    def _save(self) -> None:
        """Keep the filled store, so that a killed run asks on without storing again."""
        if self._error is None and {"save", "load"} <= self._system.capabilities:
            part = self._saved_at.with_suffix(".part")  # a kill while saving must not leave half a store to load
            try:
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir(parents=True)
                self._system.save(part)
                shutil.rmtree(self._saved_at, ignore_errors=True)
                part.rename(self._saved_at)
            except Exception as error:
                shutil.rmtree(part, ignore_errors=True)
                self._note(f"saving the store raised {said(error)}; after a kill it will be stored again")

    def _loaded(self) -> bool:
        """Whether a filled store of an earlier, killed attempt could be loaded."""
        if not (self._reader.stored(self._unit) and self._saved_at.is_dir() and "load" in self._system.capabilities):
            return False
        life = self._reader.history(self._unit)
        try:
            self._reveal()
            self._system.load(self._saved_at)
        except Exception as error:
            self._note(f"loading the saved store raised {said(error)}; it is stored again")
            self._system.close()
            self._system = self._build()
            return False
        self._snapshot = life.snapshots[-1].id if life.snapshots else None
        self._error, self._failed = life.ingest.error, dict(life.ingest.failed)
        self._notes = dict.fromkeys(life.ingest.notes)
        for snapshot in life.snapshots:
            self._held |= dict.fromkeys(snapshot.added, 0)
            for key in snapshot.removed:
                self._held.pop(key, None)
        return True

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes[text] = None
            self._watcher.note(f"{self._unit[0]} on {self._unit[1]}: {text}")


def said(error: BaseException) -> str:
    """An error in one line."""
    text = well_formed(" ".join(str(error).split()))
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
