"""How far a store in another process is, told to the run now and then.

Little is imported here: the mailbox of a cluster, which passes it on, is a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtriage.runner.watcher import Watcher

if TYPE_CHECKING:
    from memtriage.record.manifest import Unit

TELL = 0.5
"""Seconds between two reports on how far a store is."""


@dataclass(frozen=True, slots=True)
class News:
    """How far a store is: steps since the last news, notes for the user, and where it is."""

    unit: Unit
    attempt: int
    steps: int = 0
    notes: tuple[str, ...] = ()
    node: str = ""


class Reports(Watcher):
    """Tells the run how far a store is, now and then; `node` is told at once, so that a lost one can be avoided."""

    def __init__(self, unit: Unit, attempt: int, tell: Callable[[News], object], node: str = "") -> None:
        self._unit, self._attempt, self._send = unit, attempt, tell
        self._steps, self._told = 0, time.monotonic()
        self.notes: list[str] = []
        """All notes so far."""
        if node:
            self._tell(node=node)

    def step(self, steps: int = 1) -> None:
        self._steps += steps
        if time.monotonic() - self._told >= TELL:
            self._tell(self._steps)
            self._steps, self._told = 0, time.monotonic()

    def note(self, text: str) -> None:
        self.notes.append(text)
        self._tell(notes=(text,))

    def _tell(self, steps: int = 0, notes: tuple[str, ...] = (), node: str = "") -> None:
        self._send(News(self._unit, self._attempt, steps, notes, node))
