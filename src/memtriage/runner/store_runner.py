"""Fill one store with an episode, ask it every question, and record everything.

The sessions are stored in order; after each, the probes that are due are asked at every k. Asking
never writes to the store. An error is recorded for the session or the probe where it happened; the
rest goes on.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from memtriage.config import LOOKS
from memtriage.core.amount import NATIVE, K
from memtriage.core.chat import CallHeld
from memtriage.core.episode import Episode, Probe, Session, Turn
from memtriage.core.errors import StoreLost, TookTooLong
from memtriage.core.memory import Memory, Question
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace, Usage
from memtriage.models.current import models_in_use
from memtriage.record.manifest import Unit
from memtriage.record.reader import RunReader
from memtriage.registry import SystemSpec
from memtriage.runner import saved_stores
from memtriage.runner.amounts import Found, has_native, retrieve
from memtriage.runner.fresh_store import leftover, outside
from memtriage.runner.memory_use import Footprint
from memtriage.runner.watcher import Watcher
from memtriage.systems.adapted import Adapted
from memtriage.systems.error_line import error_line, error_text
from memtriage.text.words import counted

GIVE_UP = 5
"""After this many failed sessions in a row, a store counts as broken."""

MEASURED = 50
"""The deepest rank, in sessions, that retrieval measures use."""


@dataclass(frozen=True, slots=True)
class Build:
    """Builds the stores of a system, each with what the run itself has to say about it."""

    spec: SystemSpec
    notice: str = ""

    def __call__(self) -> Adapted:
        system = self.spec.build()
        system.notice = self.notice
        return system


class StoreLog(Protocol):
    """Takes what happens to a store: a `RunWriter`, or on another machine what brings it to one."""

    @property
    def path(self) -> Path | None:
        """The run's folder, in which filled stores can be saved; None if they can't."""

    def memory(self, memory: Memory) -> str: ...

    def tokens(self, key: str, text: str) -> int: ...

    def snapshot(self, unit: Unit, snapshot: Snapshot) -> None: ...

    def ingest(self, unit: Unit, ingest: Ingest) -> None: ...

    def trace(self, unit: Unit, trace: Trace) -> None: ...

    def done(self, unit: Unit, notes: Collection[str], notices: Collection[str] = ()) -> None: ...


@dataclass(frozen=True, slots=True)
class Before:
    """What a run has of a store before it is filled, and how many others there are of its system."""

    run: object = None
    """Which run it is."""
    episodes: int = 1
    asked: frozenset[tuple[str, K]] = frozenset()
    told: tuple[Usage, ...] = ()
    """What was recorded of models for what was asked."""
    history: History | None = None
    """What is known of a store that was filled."""

    @classmethod
    def of(cls, reader: RunReader, unit: Unit) -> Before:
        asked = frozenset(reader.asked(unit))
        return cls(
            reader.manifest.get("origin"),
            len(reader.manifest["episodes"]),
            asked,
            tuple(trace.usage for trace in reader.traces(unit) if trace.usage is not None) if asked else (),
            reader.history(unit) if reader.stored(unit) else None,
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run's stores: the values of k, whether systems answer, how often to look while they fill.

    `call_timeout` is how many seconds a call may take; None leaves it to the system.
    """

    ks: tuple[K, ...]
    answers: bool = False
    looks: int = LOOKS
    call_timeout: float | None = None


def steps(sessions: int, probes: int, settings: Settings) -> int:
    """How many steps a store takes: one per session and per question."""
    return sessions + probes * len(settings.ks)


@dataclass(frozen=True, slots=True)
class StoreJob:
    """One store to fill and ask, and everything needed for that."""

    build: Callable[[], Adapted]
    unit: Unit
    episode: Episode
    before: Before
    writer: StoreLog
    settings: Settings
    watcher: Watcher
    stop: threading.Event = field(default_factory=threading.Event)
    hung: Counter[str] = field(default_factory=Counter)
    """How many stores of each system were given up because a call took too long."""


class Stopped(Exception):
    """The run is being stopped; a later one continues this store."""


class StoreRunner:
    """Fills and asks one store (a system in an episode), and records every step."""

    def __init__(self, job: StoreJob, system: Adapted, lost: str | None = None, broken: str | None = None) -> None:
        self._build = job.build
        self._system = system
        self._system.limit_calls(job.settings.call_timeout)
        self._lost_before = lost
        self._unit = job.unit
        self._episode = job.episode
        large = job.episode.coarse and system.traits.takes_large_pieces
        self._sessions = job.episode.coarse if large else job.episode.sessions
        self._before = job.before
        self._writer = job.writer
        self._settings = job.settings
        self._watcher = job.watcher
        self._stop = job.stop
        self._hung = job.hung
        self._seconds = 0.0
        self._failures_in_a_row = 0
        self._failed: dict[str, str] = {}
        self._unlistable = None if "get_all_memories" in self._system.capabilities else "it has no get_all_memories"
        self._error = broken
        self._held: dict[str, int] = {}  # content key -> tokens
        self._keys: dict[Memory, str] = {}  # the content keys of what was listed last
        self._snapshot: str | None = None
        self._notes: dict[str, None] = {}
        self._notices: dict[str, None] = {}
        self._found: tuple[str, Sequence[Memory]] = ("", ())  # for the last question whose answer didn't tell
        self._shown: tuple[list[Memory], tuple[Retrieved, ...], int] = ([], (), 0)  # what was shown last, as recorded
        self._unsettled: list[str] = []  # sessions stored since the system last settled
        self._steps = 0
        self._usage_before = Usage()
        self._unrecorded = Usage()  # what was paid for this store, and lost with a killed process
        self._footprint = Footprint(system.system)
        self._storing_usage: Usage | None = None  # up to the last questions asked between sessions

    def run(self) -> None:
        """Fill and ask the store, or do what a killed run left."""
        try:
            with self._footprint:
                self._run()
        except (StoreLost, CallHeld) as stop:
            self._watcher.step(-self._steps)  # all of them have to be done again
            if isinstance(stop, CallHeld):
                stop.rounds = self._rounds_left()
            raise

    def _run(self) -> None:
        if self._lost_before is not None:
            self._note(f"the store was lost ({self._lost_before}) and was filled again from the first session")
        due = self._due()
        last = self._sessions[-1].id if self._sessions else ""
        loaded = self._load_saved()
        self._unrecorded = self._paid_before(loaded)
        if loaded:
            self._step(len(self._sessions))
        else:
            self._fill(due, last)
        self._ask_all(due.get(last, ()))
        self._look_into_another()
        self._writer.done(self._unit, tuple(self._notes), (*self._system.notices(), *self._notices))
        if self._saved_at is not None:
            shutil.rmtree(self._saved_at, ignore_errors=True)

    def _fill(self, due: Mapping[str, Sequence[Probe]], last: str) -> None:
        self._refuse_filled()
        self._reveal()
        looks = self._look_places()
        for number, session in enumerate(self._sessions, start=1):
            if self._error is None:
                self._store(session)
            self._step()
            if session.id in due or session.id == last:
                self._settle_and_look(session.id)
            elif number in looks:
                self._look(session.id)
            if session.id in due and session.id != last:
                self._storing_usage = self._total_storing_usage()  # else the first question would be charged
                self._ask_all(due[session.id])
        self._check_filled()
        self._record_ingest()
        self._save()

    def _refuse_filled(self) -> None:
        """Refuse a fresh store that is not empty: it would be asked about what another store was told."""
        if self._error is not None:
            return
        try:
            self._error = leftover(self._system)
        except StoreLost as lost:
            self._handle_lost(lost)
        except TookTooLong as late:
            self._give_up("looking into the store", late)
            return
        except Exception:  # some can't list what they have not begun; a later look tells what is wrong
            self._go_on()
        self._system.troubles()  # of an empty store, and so of no session
        if self._error is not None:
            self._note(self._error)

    def _look_into_another(self) -> None:
        """Note if another fresh store would not be empty, where there is no other store that would tell.

        Another is only made if something outside of this instance, in this process, holds what it was told. By then
        all questions are asked, as making it might change what is shared.
        """
        if self._before.episodes > 1 or type(self._system.system).__module__.startswith("memtriage."):
            return
        if self._error is not None or not self._keys or not outside(self._system, list(self._keys)):
            return
        try:
            other = self._build()
            try:
                if other.system is not self._system.system and (found := leftover(other)):
                    self._note(found)
            finally:
                other.close()
        except Exception as error:  # this store is none the worse for it
            self._go_on()
            self._note(f"making another store raised {error_line(error)}")

    def _rounds_left(self) -> int:
        """About how many more replies the store needs, if every session takes as many as those before it."""
        used = self._system.usage() or Usage()
        calls, done = used.calls + used.cached, min(self._steps, len(self._sessions) - 1)
        return max(1, -(-(calls + 1) * len(self._sessions) // (done + 1)) - calls)

    def _reveal(self) -> None:
        """Show the gold facts to systems that may see them: the upper bounds of a comparison."""
        if self._system.traits.sees_gold:
            self._system.system.reveal(self._episode)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Close the system. Everything is recorded by then, so a failure is only noted."""
        try:
            self._system.close()
        except Exception as error:
            self._watcher.note(f"{self._unit[0]} on {self._unit[1]}: closing the store raised {error_line(error)}")

    def _due(self) -> dict[str, list[Probe]]:
        """The probes, by the session after which they are asked."""
        last = self._sessions[-1].id if self._sessions else ""
        due: dict[str, list[Probe]] = {}
        for probe in self._episode.probes:
            due.setdefault(probe.after or last, []).append(probe)
        return due

    def _look_places(self) -> set[int]:
        """The numbers of the sessions after which the store is listed, so that later losses can be seen and dated.

        They are evenly spaced. What is told where has no say in it: gold must not decide when a system is called.
        """
        sessions, looks = len(self._sessions), self._settings.looks
        if self._unlistable is not None or self._system.traits.listing_writes:
            return set()
        return {sessions * i // looks for i in range(1, looks + 1)}

    def _store(self, session: Session) -> None:
        began = time.perf_counter()
        self._unsettled.append(session.id)
        try:
            self._system.store_conversation(session)
            self._failures_in_a_row = 0
        except StoreLost as lost:
            self._handle_lost(lost)
        except TookTooLong as late:
            self._give_up("storing", late)
            return
        except Exception as error:
            self._seconds += time.perf_counter() - began
            self._record_failure(session, error)
            return
        self._seconds += time.perf_counter() - began
        self._footprint.measure_if_due()
        if hidden := self._hidden_errors([session.id]):
            self._tell(f"storing session {session.id} hid an error: {hidden}")

    def _record_failure(self, session: Session, error: Exception) -> None:
        """Record what storing a session raised, with the first underlying error, such as an endpoint's."""
        self._go_on()
        cause = next(iter(self._system.troubles()), "")
        is_new = cause and (cause.partition(": ")[2] or cause) not in str(error)
        message = error_line(error) + (f" ({cause[:300]})" if is_new else "")
        self._failures_in_a_row += 1
        self._failed[session.id] = message
        self._tell(f"storing session {session.id} raised {message}")
        if self._failures_in_a_row >= GIVE_UP:
            self._error = f"gave up after {GIVE_UP} sessions in a row raised, the last: {message}"

    def _give_up(self, what: str, late: TookTooLong) -> None:
        """Count a store as broken from which a call doesn't come back; the next one would not either."""
        self._go_on()
        self._hung[self._unit[0]] += 1
        self._error = (
            f"{what} {late}, so the store was given up; if it only needs more time, allow it with --call-timeout, "
            "and try again with resume --retry-errors"
        )
        self._note(self._error)

    def _handle_lost(self, lost: StoreLost) -> None:
        """Have a lost store filled again; the second time, it counts as broken."""
        self._go_on()  # the run may have interrupted it, which is not an error
        if self._lost_before is None:
            raise lost
        self._error = f"the store was lost twice; first: {self._lost_before}; then: {error_text(lost)}"
        self._note(self._error)

    def _hidden_errors(self, sessions: Sequence[str] = ()) -> str | None:
        """Errors that the system swallowed; their sessions don't count as facts that it failed to store."""
        troubles = Counter(self._system.troubles())
        if not troubles:
            return None
        self._go_on()
        first = next(iter(troubles))
        message = f"{first[:300]}" + (f" (and {troubles.total() - 1} more)" if troubles.total() > 1 else "")
        for session in sessions:
            self._failed.setdefault(session, f"it hid an error: {message}")
        return message

    def _settle_and_look(self, session: str) -> None:
        """Before questions: have the system finish its work, then record what the store holds."""
        if self._error is not None:
            return
        began = time.perf_counter()
        try:
            self._system.settle()
            self._seconds += time.perf_counter() - began
            if (hidden := self._hidden_errors(self._unsettled)) and not self._unsettled:
                self._note(f"settling hid an error: {hidden}")
            memories = self._system.get_all_memories() if self._unlistable is None else []
        except StoreLost as lost:
            self._handle_lost(lost)
            return
        except TookTooLong as late:
            self._give_up("looking into the store", late)
            return
        except Exception as error:
            self._go_on()
            self._error = f"looking into the store raised {error_line(error)}"
            self._note(self._error)
            return
        self._unsettled.clear()
        if self._unlistable is None:
            self._record_snapshot(session, memories)

    def _look(self, session: str) -> None:
        """While the store fills: record what it lists, and leave the system as it is.

        Nothing is settled, since that would make a system work in smaller pieces than its users see, and be paid for.
        What still waits in a buffer is not listed yet. Such a look only dates losses, and the run can do without it.
        """
        if self._error is not None:
            return
        try:
            memories = self._system.get_all_memories()
        except StoreLost as lost:
            self._handle_lost(lost)
            return
        except TookTooLong as late:
            self._give_up("looking into the store", late)
            return
        except Exception as error:
            self._go_on()
            self._note(f"looking into the store while it filled raised {error_line(error)}")
            return
        if hidden := self._hidden_errors():
            self._note(f"looking into the store hid an error: {hidden}")
        self._record_snapshot(session, memories)

    def _record_snapshot(self, session: str, memories: Sequence[Memory]) -> None:
        self._keys = {memory: self._keys.get(memory) or self._writer.memory(memory) for memory in memories}
        held = {key: memory for memory, key in self._keys.items()}
        added = [key for key in held if key not in self._held]
        removed = [key for key in self._held if key not in held]
        self._held = {key: self._count(key, memory.text) for key, memory in held.items()}
        content = hashlib.sha256("\n".join([session, self._snapshot or "", *added, "-", *removed]).encode())
        snapshot = Snapshot(content.hexdigest()[:16], session, self._snapshot, tuple(added), tuple(removed))
        self._writer.snapshot(self._unit, snapshot)
        self._snapshot = snapshot.id

    def _check_filled(self) -> None:
        self._go_on()
        empty = self._unlistable is None and not self._held and self._sessions
        if empty and self._error is None and not self._system.traits.keeps_nothing:
            why = "if it stores in the background, give it a settle() that waits"
            if self._system.returned_none["get_all_memories"]:
                why = "get_all_memories returned None: does it end without a return?"
            if self._failed:
                first = next(iter(self._failed.values()))
                why = f"{len(self._failed)} of them failed to be stored, the first: {first}"
            self._error = f"the store is empty after {counted(len(self._sessions), 'session')}; {why}"
            self._note(self._error)

    def _record_ingest(self) -> None:
        known = self._unlistable is None and self._error is None
        ingest = Ingest(
            sessions=len(self._sessions),
            seconds=round(self._seconds, 6),
            memories=len(self._held) if known else None,
            tokens=sum(self._held.values()) if known else None,
            blind=self._unlistable,
            error=self._error,
            failed=self._failed,
            notes=tuple(self._notes),
            usage=self._total_storing_usage(),
            peak_bytes=self._footprint.measure(),
            gpu_bytes=self._footprint.gpu(),
        )
        self._writer.ingest(self._unit, ingest)

    def _ask_all(self, probes: Sequence[Probe]) -> None:
        native = self._error is not None or has_native(self._system.traits)
        if NATIVE in self._settings.ks and not native:
            self._note("it has no amount of its own, so it is not asked at k = native")
        held: CallHeld | None = None
        for probe in probes:
            for k in self._settings.ks:
                if (probe.id, k) not in self._before.asked and (k != NATIVE or native):
                    try:
                        trace = self._ask(probe, k)
                    except CallHeld as waits:
                        held = waits  # asking never writes, so the calls of other questions are due as well
                    else:
                        self._go_on()
                        if held is None:  # traces stay in order
                            peak = self._footprint.new_peak()
                            self._writer.trace(self._unit, trace if peak is None else replace(trace, peak_bytes=peak))
                self._step()
        if held is not None:
            raise held

    def _go_on(self) -> None:
        """Break off if the run is being stopped: what fails then, or seems to go well, is not worth recording."""
        if self._stop.is_set():
            raise Stopped

    def _step(self, steps: int = 1) -> None:
        self._go_on()
        self._steps += steps
        self._watcher.step(steps)

    def _usage(self) -> Usage | None:
        """What the system's own models took since the last call."""
        total = self._system.usage()
        if total is None:
            return None
        used, self._usage_before = total - self._usage_before + self._unrecorded, total
        self._unrecorded = Usage()
        return used

    def _paid_before(self, loaded: bool) -> Usage:
        """What this store's models were paid for already, of which no record will tell that stands in the end."""
        models = models_in_use()
        if models is None:
            return Usage()
        told = [self._system.usage(), *self._before.told]
        if loaded and self._before.history is not None:
            told.append(self._before.history.ingest.usage)
        paid = models.paid_for(self._unit)
        lost = sum((-each for each in told if each is not None), paid)
        # These replies come again, now from the cache; they count once, as those that were paid for.
        return Usage(
            *(lost.calls, -lost.calls, 0, lost.input_tokens, lost.output_tokens, lost.dollars),
            *(-lost.input_tokens, -lost.output_tokens, None if lost.dollars is None else -lost.dollars),
        )

    def _total_storing_usage(self) -> Usage | None:
        """What the system's own models took to store all sessions so far."""
        used = self._usage()
        return used if self._storing_usage is None else self._storing_usage + (used or Usage())

    def _ask(self, probe: Probe, k: K) -> Trace:
        if self._error is not None:
            return Trace(probe.id, k, error=self._error)
        conversation = Session(f"query-{probe.id}", (Turn("user", probe.text, f"query-{probe.id}/0"),), probe.asked_at)
        answer: str | None = None
        always: Sequence[Memory] = ()
        none = self._system.returned_none["retrieve_memories"]
        began = time.perf_counter()
        try:
            if self._settings.answers and self._system.looks_for_itself and isinstance(k, int):
                answer, found = self._own_answer(probe, conversation, k)
                seconds = time.perf_counter() - began
            else:
                brought = self._retrieve(probe, conversation, k)
                found, always, seconds = brought.memories, brought.always, brought.seconds
                if self._settings.answers:
                    answer = self._system.answer(probe.text, [*always, *found])
            ranking = self._ranking(probe, conversation, k, found)
        except StoreLost as lost:
            self._handle_lost(lost)
            return Trace(probe.id, k, self._snapshot, error=self._error)
        except TookTooLong as late:
            self._give_up("asking", late)
            return Trace(probe.id, k, self._snapshot, error=self._error)
        except Exception as error:
            self._go_on()
            self._tell(f"asking probe {probe.id} raised {error_line(error)}")
            return Trace(probe.id, k, self._snapshot, error=f"asking raised {error_line(error)}", usage=self._usage())
        if hidden := self._hidden_errors():
            self._tell(f"asking probe {probe.id} hid an error: {hidden}")
            return Trace(probe.id, k, self._snapshot, error=f"asking hid an error: {hidden}", usage=self._usage())
        retrieved, tokens = self._recorded(always, found)
        return Trace(
            probe.id,
            k,
            self._snapshot,
            retrieved,
            tokens,
            round(seconds, 6),
            answer,
            usage=self._usage(),
            ranking=tuple(map(self._writer.memory, ranking[0])),
            ranked_all=ranking[1],
            returned_none=self._system.returned_none["retrieve_memories"] > none,
        )

    def _recorded(self, always: Sequence[Memory], found: Sequence[Memory]) -> tuple[tuple[Retrieved, ...], int]:
        """What came back as it is recorded, and its tokens; a whole store comes back for every question."""
        shown = [*always, *found]
        if not always and self._shown[0] == shown:
            return self._shown[1:]
        keys = [self._writer.memory(memory) for memory in shown]
        ranks = [*(0 for _ in always), *range(1, len(found) + 1)]
        retrieved = tuple(
            Retrieved(key, rank, memory.score, memory.created_at, memory.why)
            for key, rank, memory in zip(keys, ranks, shown, strict=True)
        )
        tokens = sum(self._count(key, memory.text) for key, memory in zip(keys, shown, strict=True))
        self._shown = ([] if always else shown, retrieved, tokens)
        return retrieved, tokens

    def _own_answer(self, probe: Probe, conversation: Session, k: int) -> tuple[str, Sequence[Memory]]:
        """The answer of a system that looks for itself, and what it was made from.

        All that it was made from counts, also beyond k: a cut would call missing what the answer had.
        """
        choices = probe.choices if probe.lettered else ()
        answered = self._system.answer_alone(Question(probe.text, conversation, k, choices, probe.instruction))
        if answered.memories is not None:
            if len(answered.memories) > k and not self._system.traits.ignores_k:
                self._note(f"answered from more than k={k} memories; all of them count")
            return answered.text, answered.memories
        most = self._settings.ks[-1]
        self._notices[
            "its answers don't tell what they were made from: "
            f"what its search brings at k={most}, the largest k of the run, counts as retrieved for them"
        ] = None
        if self._found[0] != probe.id:
            found = self._retrieve(probe, conversation, most)
            self._found = (probe.id, [*found.always, *found.memories])
        return answered.text, self._found[1]

    def _retrieve(self, probe: Probe, conversation: Session, k: K) -> Found:
        """What comes back for a question, and how long that took."""
        found = retrieve(self._system, probe.text, conversation, k, self._size, len(self._held))
        if found.note:
            self._note(found.note)
        return found

    def _ranking(
        self, probe: Probe, conversation: Session, k: K, shown: Sequence[Memory]
    ) -> tuple[Sequence[Memory], bool]:
        """The ranking to measure, at the largest k, and whether it is complete.

        A system that ranks everything at no cost is asked for more than k."""
        if not probe.targets or k != self._settings.ks[-1]:
            return (), False
        if not self._system.traits.ranks_all:
            return shown, len(shown) >= len(self._held) > 0
        least = k if isinstance(k, int) else len(shown)
        deep, there = max(least, 4 * MEASURED), max(least, len(self._held))
        while True:  # go deeper only if the best memories come from few sessions
            ranked = self._system.retrieve_memories(probe.text, conversation, min(deep, there))
            seen = self._measured_depth(ranked)
            if seen is not None or deep >= there:
                return ranked[: max(least, seen or len(ranked))], True
            deep *= 4

    def _measured_depth(self, ranked: Sequence[Memory]) -> int | None:
        """The rank by which enough sessions are covered for measuring; None if there are too few."""
        seen: set[str] = set()
        for place, memory in enumerate(ranked, start=1):
            seen.update(self._session_of.get(turn, turn) for turn in memory.sources)
            if len(seen) >= MEASURED:
                return place
        return None

    @cached_property
    def _session_of(self) -> dict[str, str]:
        return {turn.id: session.id for session in self._sessions for turn in session.turns}

    def _size(self, memory: Memory) -> int:
        return self._count(self._writer.memory(memory), memory.text)

    def _count(self, key: str, text: str) -> int:
        return self._writer.tokens(key, text)

    @property
    def _saved_at(self) -> Path | None:
        return None if self._writer.path is None else saved_stores.place_of(self._writer.path, self._unit)

    @property
    def _identity(self) -> dict[str, object]:
        """Which store this is, of which run."""
        return {"run": self._before.run, "system": self._unit[0], "episode": self._unit[1]}

    def _save(self) -> None:
        """Save the filled store, so that a killed run can go on without storing again."""
        place = self._saved_at
        if place is not None and self._error is None and {"save", "load"} <= self._system.capabilities:
            try:
                saved_stores.save(self._system, place, self._identity)
            except Exception as error:
                self._note(f"saving the store raised {error_line(error)}; after a kill it will be stored again")

    def _load_saved(self) -> bool:
        """Load the store that an earlier, killed run saved; returns whether that worked."""
        history, place = self._before.history, self._saved_at
        if history is None or place is None or not place.is_dir() or "load" not in self._system.capabilities:
            return False
        try:
            self._reveal()
            saved_stores.load(self._system, place, self._identity)
        except Exception as error:
            self._note(f"loading the saved store raised {error_line(error)}; it is stored again")
            self._system.close()
            self._system = self._build()
            self._system.limit_calls(self._settings.call_timeout)
            return False
        self._snapshot = history.snapshots[-1].id if history.snapshots else None
        self._error, self._failed = history.ingest.error, dict(history.ingest.failed)
        self._notes = dict.fromkeys(history.ingest.notes)
        for snapshot in history.snapshots:
            self._held |= dict.fromkeys(snapshot.added, 0)
            for key in snapshot.removed:
                self._held.pop(key, None)
        return True

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes[text] = None
            self._tell(text)

    def _tell(self, text: str) -> None:
        """Tell whoever follows the run; reports are told by the journal, which has every error."""
        self._watcher.note(f"{self._unit[0]} on {self._unit[1]}: {text}")
