"""Stores that other processes fill, in any order, and that the run writes down in the order of one process.

The run alone writes its directory, so that it comes to the same files wherever its stores are filled.
"""

from __future__ import annotations

import pickle
import shutil
import threading
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memtriage.cluster.reports import News
from memtriage.cluster.store_task import Outcome
from memtriage.record.manifest import Unit
from memtriage.record.writer import RunWriter
from memtriage.runner import saved_stores
from memtriage.runner.scheduler import HUNG, not_tried, record_broken
from memtriage.runner.store_runner import StoreJob, steps

if TYPE_CHECKING:
    from memtriage.diagnose.run import DiagnosedStore


@dataclass(slots=True, eq=False)
class Store:
    """A store of the run: not begun yet, under way (`task`), or with an outcome that waits for its turn."""

    job: StoreJob
    episode: Any
    task: Any = None
    attempt: int = 0
    lost: list[str] = field(default_factory=list)
    steps: int = 0
    heard: int = 0
    """How many notes of this attempt were passed on."""
    node: str = ""
    outcome: Outcome | None = None


@dataclass(slots=True)
class Times:
    """How long the stores of a system took."""

    seconds: float = 0.0
    stores: int = 0

    def add(self, seconds: float) -> None:
        self.seconds, self.stores = self.seconds + seconds, self.stores + 1

    @property
    def mean(self) -> float:
        return self.seconds / self.stores if self.stores else float("inf")


class StoresInOrder:
    """What schedulers of other processes share: which stores are under way, and what is written when."""

    def __init__(
        self,
        stop: threading.Event,
        named: Callable[[Unit], tuple[str, int] | None] = lambda _: None,
        paper_exact: bool = False,
    ) -> None:
        """`named` tells the system and the repetition of a store that is to be diagnosed by words as well."""
        self.stop = stop
        self.rounds = 0
        self.hung: Counter[str] = Counter()
        self._named = named
        self._paper_exact = paper_exact
        self._diagnosed: dict[Unit, bytes] = {}
        self._stores: deque[Store] = deque()
        self._times: dict[str, Times] = {}
        self._lock = threading.Lock()

    def made(self, unit: Unit) -> DiagnosedStore | None:
        """What words say of a store that was diagnosed where it was filled."""
        packed = self._diagnosed.pop(unit, None)
        return None if packed is None else pickle.loads(zlib.decompress(packed))

    def _taken_in(self, job: StoreJob, episode: Any) -> None:
        """Take in a store, the last one in their order."""
        store = Store(job, episode)
        job.watcher.unit(*job.unit)
        if self.hung[job.unit[0]] >= HUNG:
            store.outcome = Outcome(broken=not_tried(job.unit[0]))
        with self._lock:  # other threads look through them
            self._stores.append(store)

    def _unfinished(self) -> int:
        return sum(store.outcome is None for store in self._stores)

    def _ended(self, store: Store, outcome: Outcome) -> None:
        store.outcome = outcome
        self.hung[store.job.unit[0]] += outcome.hung
        self.rounds = max(self.rounds, outcome.rounds)

    def _lose(self, store: Store, why: str) -> None:
        """Have a store begun again whose process was lost; the second time it is an error, with both reasons."""
        job = store.job
        with self._lock:
            store.attempt += 1
            job.watcher.step(-store.steps)
            store.steps = store.heard = 0
        store.lost.append(why)
        if len(store.lost) == 1:
            job.watcher.note(f"{job.unit[0]} on {job.unit[1]}: its worker was lost ({why}); it is begun again")
            return
        first, then = store.lost
        store.outcome = Outcome(broken=f"the store was lost twice; first: {first}; then: {then}")

    def _write_due(self) -> None:
        """Write the stores whose turn it is."""
        while self._stores and (outcome := self._stores[0].outcome) is not None:
            with self._lock:  # other threads look through them
                store = self._stores.popleft()
            self._write(store, outcome)

    def _write(self, store: Store, outcome: Outcome) -> None:
        job = store.job
        assert isinstance(job.writer, RunWriter)
        with self._lock:
            store.attempt = -1  # what is still told of it came too late
        for note in outcome.notes[store.heard :]:
            job.watcher.note(note)
        if outcome.broken is not None:
            job.watcher.step(-store.steps)
            record_broken(job, outcome.broken + self._hint(outcome.broken))
            return
        whole = steps(len(job.episode.sessions), len(job.episode.probes), job.settings)
        job.watcher.step((0 if outcome.rounds else whole) - store.steps)
        if outcome.rounds:
            return
        outcome.write(job.unit, job.writer)
        if outcome.diagnosed:
            self._diagnosed[job.unit] = outcome.diagnosed
        shutil.rmtree(saved_stores.place_of(job.writer.path, job.unit), ignore_errors=True)

    def _hint(self, broken: str) -> str:
        """What may help with a store that could not be begun."""
        return ""

    def _hear(self, news: Iterable[News]) -> None:
        """What stores tell of themselves."""
        with self._lock:
            stores = {(store.job.unit, store.attempt): store for store in self._stores}
            for each in news:
                if (store := stores.get((each.unit, each.attempt))) is not None:
                    store.steps += each.steps
                    store.node = each.node or store.node
                    store.job.watcher.step(each.steps)
                    store.heard += len(each.notes)
                    for note in each.notes:
                        store.job.watcher.note(note)
