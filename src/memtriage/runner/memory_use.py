"""How much memory a store takes, looked at after sessions and questions.

A store in this process is seen by what the process grew while it was filled and asked: its own data, what its code
loaded on first use, and the little that the run itself keeps. One in a process of its own tells that process's peak.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from memtriage.host.process_memory import resident

_here: set[Footprint] = set()
"""Stores of this process that are alive now: of two at a time, nobody can say which of them took what."""
_changing = threading.Lock()

PAUSE = 0.005
"""Seconds between two glances: where sessions fly by, looking after each would cost more than storing it."""


class Footprint:
    """The most memory that one store was seen to take, in bytes, while the `with` lasts.

    A system that is not in this process has a `peak_bytes()` that says so itself; None where it can't be known.
    """

    def __init__(self, system: object) -> None:
        elsewhere = getattr(system, "peak_bytes", None)
        self._elsewhere: Callable[[], Any] | None = elsewhere if callable(elsewhere) else None
        self._before: int | None = None
        self._shared = False
        self._told = -1
        self._looked = 0.0
        self.peak: int | None = None

    def __enter__(self) -> Footprint:
        if self._elsewhere is None:
            with _changing:
                _here.add(self)
                for each in _here if len(_here) > 1 else ():
                    each._shared = True
            self._before = resident()
        return self

    def __exit__(self, *_: object) -> None:
        with _changing:
            _here.discard(self)

    def look(self) -> int | None:
        """See how much it takes now; the most so far, or None."""
        self._looked = time.monotonic()
        seen = self._grown() if self._elsewhere is None else self._asked(self._elsewhere)
        if isinstance(seen, int):
            self.peak = max(seen, self.peak or 0)
        elif self._shared:
            self.peak = None
        return self.peak

    def glance(self) -> int | None:
        """The most so far, after another look unless the last one was a moment ago."""
        return self.peak if time.monotonic() - self._looked < PAUSE else self.look()

    def risen(self) -> int | None:
        """The most so far where that is more than when this was last asked; else None."""
        peak = self.look() if self._told < 0 else self.glance()
        if peak is None or peak <= self._told:
            return None
        self._told = peak
        return peak

    @staticmethod
    def _asked(peak_bytes: Callable[[], Any]) -> Any:
        try:
            return peak_bytes()
        except Exception:  # a stranger's code may raise anything; a store that can't be measured is none that failed
            return None

    def _grown(self) -> int | None:
        if self._shared or self._before is None:
            return None
        now = resident()
        return None if now is None else max(0, now - self._before)
