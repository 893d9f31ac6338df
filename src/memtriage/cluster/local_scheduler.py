"""A run whose stores are filled by several processes of this machine, so that all of its processors have work.

Only stores of memtriage's own systems without a model go there: they keep everything in their process and wait for
nobody. Everything else stays with the run, and so does whatever is written.
"""

from __future__ import annotations

import pickle
import queue
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memtriage.cluster.in_order import Store, StoresInOrder, Times
from memtriage.cluster.local_pool import Line, Pool
from memtriage.cluster.local_worker import Asked
from memtriage.cluster.reports import News
from memtriage.cluster.shipping import Shipped, ship
from memtriage.cluster.store_task import Outcome, StoreTask
from memtriage.core.errors import BadRun
from memtriage.models.spec import names_endpoint
from memtriage.record.manifest import Unit
from memtriage.runner.scheduler import StoreScheduler
from memtriage.runner.store_runner import Build, StoreJob

WORTH = 4_000
"""Sessions and questions from which on processes are worth their start: about three seconds of work."""

_OWN = re.compile(r"memtriage\.systems\.(baselines|retrieval|designs)\.")
"""Systems that keep everything in their own process."""

_QUICK = 10.0
"""Seconds up to which stores are quick, so that some may be begun out of turn: little is lost if the run is killed."""
_AHEAD = 8
"""How many quick stores, for each process, are looked over for the one that will take longest."""


def may_leave(build: Build) -> bool:
    """Whether a system's stores can be filled in another process: it is ours, named by a text, and asks no model."""
    spec = build.spec
    own = bool(spec.text) and _OWN.match(getattr(spec.factory, "__module__", "") or "") is not None
    models = [value for name, value in spec.arguments.items() if value and name in ("internal", "embedder")]
    return own and not models and not any(names_endpoint(str(value)) for value in spec.arguments.values())


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, and the store that it is filling."""

    line: Line
    store: Store | None = None
    began: float = 0.0
    episode: str = ""
    heard: bool = False
    gone: bool = False


class LocalScheduler(StoresInOrder):
    """Runs stores in processes of this machine; a `Scheduler`."""

    def __init__(
        self,
        pool: Pool,
        systems: Mapping[str, Build],
        interrupt: Callable[[], None],
        stop: threading.Event,
        named: Callable[[Unit], tuple[str, int] | None] = lambda _: None,
        paper_exact: bool = False,
    ) -> None:
        super().__init__(stop, named, paper_exact)
        self._pools = [pool]
        self._count = len(pool.lines)
        self._interrupt = interrupt
        self._shipped: dict[str, Shipped] = {name: ship(build) for name, build in systems.items()}
        self._here = StoreScheduler(1, interrupt, stop)
        self._run = secrets.token_hex(8)
        self._first: set[str] = set()
        self._times = {name: Times() for name in systems}
        self._workers: list[_Worker] = []
        self._came: queue.SimpleQueue[tuple[Store | None, object]] = queue.SimpleQueue()

    def __enter__(self) -> LocalScheduler:
        self._pools[0].used = True
        for line in self._pools[0].lines:
            self._hire(line)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        try:
            while error is None and self._stores and not self.stop.is_set():
                self._advance()
        except BaseException:
            self._break_off()
            raise
        if error is not None or self._stores:
            self._break_off()
        else:
            self._dismiss()

    def start(self, job: StoreJob, first: bool) -> None:
        if job.before.asked or job.before.history is not None:  # half done by a run before, and perhaps saved
            while self._stores and not self.stop.is_set():
                self._advance()
            self._here.start(job, first)
            return
        if first:
            self._first.add(job.unit[0])
        self._taken_in(job, job.episode)
        with self._lock:
            idle = [worker for worker in self._workers if worker.store is None and not worker.gone]
        for worker in idle:
            self._give(worker)
        while not self.stop.is_set() and len(self._stores) >= self._room():
            self._advance()
        while not self._came.empty():
            self._advance()

    def _room(self) -> int:
        """How many stores may be waiting or under way: a few more if they are quick."""
        return self._count * (_AHEAD if self._quick() else 1) + 1

    def _quick(self) -> bool:
        done = sum(times.stores for times in self._times.values())
        return sum(times.seconds for times in self._times.values()) <= _QUICK * max(1, done)

    def _hire(self, line: Line) -> _Worker:
        worker = _Worker(line)
        self._workers.append(worker)
        threading.Thread(target=self._heed, args=(worker,), name="memtriage-worker", daemon=True).start()
        return worker

    def _heed(self, worker: _Worker) -> None:
        try:
            self._listen(worker)
        except Exception as error:  # the run would wait for this worker forever
            self._came.put((None, error))

    def _give(self, worker: _Worker) -> None:
        """Hand a worker the next store: of those that wait, one of the system that took longest so far."""
        with self._lock:
            waiting = [store for store in self._stores if store.task is None and store.outcome is None]
            if not waiting or worker.store is not None or worker.gone:
                return
            some = waiting[: self._count * _AHEAD] if self._quick() else waiting[:1]
            store = max(some, key=lambda store: self._times[store.job.unit[0]].mean)
            store.task, worker.store, worker.began = worker, store, time.monotonic()
            job, new = store.job, worker.episode != store.job.unit[1]
            worker.episode = job.unit[1]
        task = StoreTask(
            *(self._run, self._shipped[job.unit[0]], job.unit, job.before, job.settings, store.attempt),
            named=self._named(job.unit),
            paper_exact=self._paper_exact,
        )
        asked: Asked = (task, store.episode if new else None)
        worker.line.say(asked)

    def _listen(self, worker: _Worker) -> None:
        """Take what a worker says until it is gone; its next store is given to it from here, so that it never waits."""
        while True:
            try:
                said = pickle.load(worker.line.back)
            except Exception:  # it ended, perhaps in the middle of a word
                break
            worker.heard = True
            if isinstance(said, News):
                self._hear([said])
                continue
            with self._lock:
                store, worker.store = worker.store, None
                if store is not None:
                    self._times[store.job.unit[0]].add(time.monotonic() - worker.began)
            self._came.put((store, said))
            self._give(worker)
        with self._lock:
            worker.gone, store = True, worker.store
        self._came.put((store, _Gone(worker)))

    def _advance(self) -> None:
        """Take what came, and write what is due; waits a moment for something to come."""
        try:
            store, said = self._came.get(timeout=0.2)
        except queue.Empty:
            return
        if isinstance(said, BaseException):
            raise said
        if isinstance(said, _Gone):
            self._replace(said.worker, store)
        elif store is not None:
            assert isinstance(said, Outcome)
            self._ended(store, said)
        self._write_due()

    def _replace(self, gone: _Worker, store: Store | None) -> None:
        """Go on with another process in the place of one that is gone."""
        if not gone.heard:
            raise BadRun("a worker process ended before it did anything; --jobs 1 does without such processes")
        self._workers.remove(gone)
        if store is not None:
            store.task = None
            self._lose(store, "its process ended")
        self._pools.append(Pool(1))
        self._give(self._hire(self._pools[-1].lines[0]))

    def _write(self, store: Store, outcome: Outcome) -> None:
        if outcome.broken is not None and not store.lost and store.job.unit[0] in self._first:
            store.job.build().close()  # raises what the user has to fix
        self._first.discard(store.job.unit[0])
        super()._write(store, outcome)

    def _dismiss(self) -> None:
        for pool in self._pools:
            pool.close()

    def _break_off(self) -> None:
        self.stop.set()
        self._dismiss()
        self._interrupt()


@dataclass(frozen=True, slots=True)
class _Gone:
    """Says that a worker ended."""

    worker: _Worker
