"""Decide when each store is filled: several at a time where a system allows it, otherwise one by one.

Within one store everything happens in order. A store that is lost on the way is started again, once.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from memtriage.core.chat import CallHeld
from memtriage.core.episode import Session
from memtriage.core.errors import MemtriageError, StoreLost
from memtriage.core.memory import Memory
from memtriage.models.bill import asking_for
from memtriage.record.reader import RunReader
from memtriage.record.writer import RunWriter
from memtriage.runner.store_runner import Before, Build, Settings, Stopped, StoreJob, StoreRunner, steps
from memtriage.runner.watcher import Watcher
from memtriage.systems.adapted import Adapted, adapt
from memtriage.systems.error_line import error_text
from memtriage.text.language import speaking

HUNG = 2
"""After this many stores in which a call took too long, no other of that system is tried: each would cost as much."""


class Scheduler(Protocol):
    """Runs stores somewhere: in this process, or on a cluster. Leaving its block waits for those under way.

    Setting `stop` leaves the stores that are under way for a later run.
    """

    stop: threading.Event
    rounds: int
    """About how many replies, one after the other, stores still wait for."""
    hung: Counter[str]
    """How many stores of each system were given up because a call took too long."""

    def start(self, job: StoreJob, first: bool) -> None:
        """Start a store as soon as there is room for it. An error that ended the run elsewhere is raised here.

        If a system's `first` store can't be built, the user has to fix it; a later one is recorded as broken.
        """

    def __enter__(self) -> Scheduler: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None: ...


def execute(
    reader: RunReader,
    writer: RunWriter,
    systems: Mapping[str, Build],
    settings: Settings,
    watcher: Watcher,
    on: Scheduler,
) -> int:
    """Fill and ask all stores that the journal doesn't have yet.

    Returns about how many replies, one after the other, stores still wait for; 0 if all are done.
    """
    started: set[str] = set()
    with on as scheduler:
        for episode in reader.episodes():
            for label, build in systems.items():
                if scheduler.stop.is_set():
                    return 0
                if reader.done((label, episode.id)):
                    watcher.step(steps(len(episode.sessions), len(episode.probes), settings))
                    continue
                unit = (label, episode.id)
                before = Before.of(reader, unit)
                job = StoreJob(build, unit, episode, before, writer, settings, watcher, scheduler.stop, scheduler.hung)
                scheduler.start(job, first=label not in started)
                started.add(label)
    return scheduler.rounds


class StoreScheduler:
    """Runs stores in this process: in worker threads if their system allows it, otherwise one by one in this thread.

    When the run is stopped from outside, `interrupt` ends whatever the systems are waiting for.
    """

    def __init__(self, workers: int, interrupt: Callable[[], None], stop: threading.Event | None = None) -> None:
        self.stop = stop or threading.Event()
        self.rounds = 0
        self.hung: Counter[str] = Counter()
        self._interrupt = interrupt
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="store") if workers > 1 else None
        self._free = threading.Semaphore(workers)
        self._problem: BaseException | None = None

    def start(self, job: StoreJob, first: bool) -> None:
        self._free.acquire()
        if self._problem is not None:
            raise self._problem
        if self.hung[job.unit[0]] >= HUNG:
            self._free.release()
            record_broken(job, not_tried(job.unit[0]))
            return
        try:
            with asking_for(job.unit):
                system = job.build()
        except MemtriageError as error:
            self._free.release()
            if self.stop.is_set():
                return
            if first:
                raise
            record_broken(job, f"it could not be begun: {error_text(error)}")
            return
        if self._pool is not None and system.traits.parallel:
            self._pool.submit(self._run_in_thread, job, system)
            return
        try:
            run_store(job, system)
        except Stopped:
            pass  # a later run continues it
        except CallHeld as held:
            self._wait(held)
        finally:
            self._free.release()

    def _run_in_thread(self, job: StoreJob, system: Adapted) -> None:
        try:
            if self.stop.is_set():
                system.close()
            else:
                run_store(job, system)
        except Stopped:
            pass  # it was asked to stop
        except CallHeld as held:
            self._wait(held)
        except BaseException as error:
            self._problem = self._problem or error
        finally:
            self._free.release()

    def _wait(self, held: CallHeld) -> None:
        """Leave a store that waits for a reply; the others go on."""
        self.rounds = max(self.rounds, held.rounds)

    def __enter__(self) -> StoreScheduler:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if error is not None:
            self._break_off()
            return
        try:
            if self._pool is not None:
                self._pool.shutdown()
        except BaseException:  # Ctrl-C while the last stores are waited for
            self._break_off()
            raise
        if self._problem is not None:
            raise self._problem

    def _break_off(self) -> None:
        self.stop.set()
        self._interrupt()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def not_tried(system: str) -> str:
    """Why no other store of a system is tried."""
    return f"it was not tried, as {HUNG} stores of {system} were given up because a call took too long"


def run_store(job: StoreJob, system: Adapted) -> None:
    """Fill and ask a store, on its own account."""
    with asking_for(job.unit), speaking(job.episode.language):
        _fill_and_ask(job, system)


def _fill_and_ask(job: StoreJob, system: Adapted) -> None:
    """Fill and ask a store. If it is lost on the way, start it again, once, from its first session."""
    job.watcher.unit(*job.unit)
    runner = StoreRunner(job, system)
    try:
        runner.run()
        return
    except StoreLost as lost:
        if job.stop.is_set():
            raise Stopped from lost
        reason = error_text(lost)
    finally:
        runner.close()
    try:
        runner = StoreRunner(job, job.build(), lost=reason)
    except MemtriageError as error:
        if job.stop.is_set():
            raise Stopped from error
        record_broken(job, f"{reason}; and it could not be begun again: {error_text(error)}")
        return
    try:
        runner.run()
    finally:
        runner.close()


def record_broken(job: StoreJob, why: str) -> None:
    """Record that there was no store to fill or ask."""
    job.watcher.unit(*job.unit)
    StoreRunner(job, adapt(_MissingSystem()), broken=why).run()


class _MissingSystem:
    """Stands in for a system that could not be built; it is never called."""

    def store_conversation(self, conversation: Session) -> None:
        raise StoreLost("there is no store")

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        raise StoreLost("there is no store")
