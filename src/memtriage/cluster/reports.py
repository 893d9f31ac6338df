"""How far a store in another process is, told to the run now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

from memtriage.cluster.store_task import News, StoreTask
from memtriage.runner.watcher import Watcher

TELL = 0.5
"""Seconds between two reports on how far a store is."""


class Reports(Watcher):
    """Tells the run how far a store is, now and then."""

    def __init__(self, task: StoreTask, tell: Callable[[News], object], node: str = "") -> None:
        self._task, self._send = task, tell
        self._steps, self._told = 0, time.monotonic()
        if node:
            self._tell(node=node)

    def step(self, steps: int = 1) -> None:
        self._steps += steps
        if time.monotonic() - self._told >= TELL:
            self._tell(self._steps)
            self._steps, self._told = 0, time.monotonic()

    def note(self, text: str) -> None:
        self._tell(notes=(text,))

    def _tell(self, steps: int = 0, notes: tuple[str, ...] = (), node: str = "") -> None:
        self._send(News(self._task.unit, self._task.attempt, steps, notes, node))
