"""Who fills which store when: several at a time where a system allows it, one after another where it doesn't.

Within one store everything happens in order. A store that is lost on the way is begun again, once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from memtriage.core.episode import Session
from memtriage.core.errors import MemtriageError, StoreLost
from memtriage.core.memory import Memory
from memtriage.record.directory import RunReader, RunWriter
from memtriage.runner.store_life import Build, Settings, Stopped, Store, StoreLife, Watcher, said, steps
from memtriage.systems.adapted import Adapted, adapt


def execute(
    reader: RunReader,
    writer: RunWriter,
    systems: Mapping[str, Build],
    settings: Settings,
    watcher: Watcher,
    parallel: int = 1,
    hang_up: Callable[[], None] = lambda: None,
) -> None:
    """Do what the manifest asks for and the journal doesn't hold yet, up to `parallel` stores at a time.

    When the run is ended from outside, `hang_up` breaks what systems are waiting for.
    """
    begun: set[str] = set()
    with _Crew(parallel, hang_up) as crew:
        for episode in reader.episodes():
            for label, build in systems.items():
                if reader.done((label, episode.id)):
                    watcher.step(steps(len(episode.sessions), len(episode.probes), settings))
                    continue
                store = Store(build, (label, episode.id), episode, reader, writer, settings, watcher, crew.stop)
                crew.take(store, first=label not in begun)
                begun.add(label)


class _Crew:
    """Fills stores: those of systems that allow it beside each other, all others one after another right here."""

    def __init__(self, hands: int, hang_up: Callable[[], None]) -> None:
        self.stop = threading.Event()
        self._hang_up = hang_up
        self._pool = ThreadPoolExecutor(hands, thread_name_prefix="store") if hands > 1 else None
        self._free = threading.Semaphore(hands)
        self._problem: BaseException | None = None

    def take(self, store: Store, first: bool) -> None:
        """Begin a store as soon as a hand is free; what ended the run in another thread is raised here.

        A system that can't be built at all is the user's to mend; one that could be, before, has broken down.
        """
        self._free.acquire()
        if self._problem is not None:
            raise self._problem
        try:
            system = store.build()
        except MemtriageError as error:
            self._free.release()
            if first:
                raise
            _broken(store, f"it could not be begun: {said(error)}")
            return
        if self._pool is not None and system.traits.parallel:
            self._pool.submit(self._apart, store, system)
            return
        try:
            _live(store, system)
        finally:
            self._free.release()

    def _apart(self, store: Store, system: Adapted) -> None:
        try:
            if self.stop.is_set():
                system.close()
            else:
                _live(store, system)
        except Stopped:
            pass  # it was told to
        except BaseException as error:
            self._problem = self._problem or error
        finally:
            self._free.release()

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if error is not None:
            self.stop.set()
            self._hang_up()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=error is not None)
        if error is None and self._problem is not None:
            raise self._problem


def _live(store: Store, system: Adapted) -> None:
    """The whole history. A store that is lost on the way is begun again, once, from its first session."""
    store.watcher.unit(*store.unit)
    history = StoreLife(store, system)
    try:
        history.live()
        return
    except StoreLost as lost:
        if store.stop.is_set():
            raise Stopped from lost
        told = said(lost)
    finally:
        history.close()
    try:
        history = StoreLife(store, store.build(), lost=told)
    except MemtriageError as error:
        _broken(store, f"{told}; and it could not be begun again: {said(error)}")
        return
    try:
        history.live()
    finally:
        history.close()


def _broken(store: Store, why: str) -> None:
    """Record that there was no store to fill or ask."""
    store.watcher.unit(*store.unit)
    StoreLife(store, adapt(_Absent()), broken=why).live()


class _Absent:
    """Stands where a system could not be begun; it is never called."""

    def store_conversation(self, conversation: Session) -> None:
        raise StoreLost("there is no store")

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        raise StoreLost("there is no store")
