"""How much memory a store takes, measured after sessions and questions.

For a store in this process it is how much the process grew while the store was filled and asked: its data, what its
code loaded on first use, and the little that the run itself keeps. For a store in its own process it is that
process's peak.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from memtriage.host.gpu_memory import gpu_bytes
from memtriage.host.process_memory import resident

_active: set[Footprint] = set()
"""The stores of this process that are open now; with two at a time, growth can't be told apart."""
_active_lock = threading.Lock()

PAUSE = 0.005
"""Seconds between two measurements; measuring after every quick session would cost more than storing it."""


class Footprint:
    """The peak memory of one store, in bytes, while the `with` block runs; None where it can't be known.

    A system in another process reports its own peak with `peak_bytes()`, and that of GPUs with `gpu_bytes()`.
    """

    def __init__(self, system: object) -> None:
        self._own_gpu = getattr(system, "gpu_bytes", None)
        own_peak = getattr(system, "peak_bytes", None)
        self._own_peak: Callable[[], Any] | None = own_peak if callable(own_peak) else None
        self._before: int | None = None
        self._shared = False
        self._reported = -1
        self._measured_at = 0.0
        self.peak: int | None = None

    def __enter__(self) -> Footprint:
        if self._own_peak is None:
            with _active_lock:
                _active.add(self)
                for each in _active if len(_active) > 1 else ():
                    each._shared = True
            self._before = resident()
        return self

    def __exit__(self, *_: object) -> None:
        with _active_lock:
            _active.discard(self)

    def measure(self) -> int | None:
        """Measure now; returns the peak so far, or None."""
        self._measured_at = time.monotonic()
        size = self._growth() if self._own_peak is None else self._call(self._own_peak)
        if isinstance(size, int):
            self.peak = max(size, self.peak or 0)
        elif self._shared:
            self.peak = None
        return self.peak

    def measure_if_due(self) -> int | None:
        """The peak so far, measured again unless that was done a moment ago."""
        return self.peak if time.monotonic() - self._measured_at < PAUSE else self.measure()

    def new_peak(self) -> int | None:
        """The peak so far if it rose since the last call of this method; otherwise None."""
        peak = self.measure() if self._reported < 0 else self.measure_if_due()
        if peak is None or peak <= self._reported:
            return None
        self._reported = peak
        return peak

    def gpu(self) -> int | None:
        """The memory of GPUs that the store takes now, or at most; None if there is none, or it can't be told apart."""
        if self._own_peak is None:
            return None if self._shared else gpu_bytes()
        size = self._call(self._own_gpu) if callable(self._own_gpu) else None
        return size if isinstance(size, int) else None

    @staticmethod
    def _call(peak_bytes: Callable[[], Any]) -> Any:
        try:
            return peak_bytes()
        except Exception:  # it may raise anything; a store that can't be measured has not failed
            return None

    def _growth(self) -> int | None:
        if self._shared or self._before is None:
            return None
        now = resident()
        return None if now is None else max(0, now - self._before)
