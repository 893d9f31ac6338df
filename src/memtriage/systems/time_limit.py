"""Give up on a call of a memory that doesn't come back.

In the main thread the call is interrupted where it hangs. No other thread can be interrupted, so there it runs in a
thread beside, which is left alone if it doesn't end. Both can say in which line of the memory's code it was.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from types import FrameType
from typing import Any, TypeVar

from memtriage.core.errors import TookTooLong
from memtriage.systems.remote.side.memtriage_adapter import place_among, place_of

T = TypeVar("T")

TIMEOUT = 600.0
"""How many seconds a call may take by default, also in a process of its own."""

_AGAIN = 1.0
"""How many seconds later it is interrupted again, if it swallowed that."""


class TimeLimit:
    """How long one call of a system may take. All its calls outside of the main thread run in one thread."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._beside: _Beside | None = None

    def call(self, function: Callable[[], T]) -> T:
        """What a function returns, or `TookTooLong`."""
        if threading.current_thread() is threading.main_thread():
            return _interrupted(function, self.seconds)
        if self._beside is None:
            self._beside = _Beside()
        return self._beside.call(function, self.seconds)

    @property
    def is_stuck(self) -> bool:
        """Whether a call is still under way in the thread beside, though it was given up."""
        return self._beside is not None and self._beside.is_stuck

    def close(self) -> None:
        """Let the thread end, after the call that it may be in."""
        if self._beside is not None:
            self._beside.end()


class _TimeIsUp(BaseException):
    """Raised inside a call; no error to Python, so that `except Exception` doesn't swallow it."""


def _interrupted(function: Callable[[], T], seconds: float) -> T:
    """Call a function, and raise in the midst of it when the time is up."""
    running = True

    def ring(number: int, frame: FrameType | None) -> None:
        if running:
            raise _TimeIsUp

    began = time.monotonic()
    handler = signal.signal(signal.SIGALRM, ring)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        return function()
    except _TimeIsUp as up:
        raise _too_long(seconds, place_of(up)) from None
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
        if left:  # somebody else's alarm
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - began)), interval)


class _Beside:
    """A thread for the calls of one store. It doesn't keep the process alive."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self._thread.start()
        self.is_stuck = False

    def call(self, function: Callable[[], T], seconds: float) -> T:
        called: Future[T] = Future()
        context = copy_context()
        self._calls.put((called, lambda: context.run(function)))
        ended = threading.Event()
        called.add_done_callback(lambda _: ended.set())
        if not ended.wait(seconds):
            self.is_stuck = True
            raise _too_long(seconds, self._place())
        return called.result()

    def end(self) -> None:
        self._calls.put(None)

    def _place(self) -> str:
        frame = sys._current_frames().get(self._thread.ident or 0)
        stack = [(each.f_code.co_filename, line, each.f_code.co_name) for each, line in traceback.walk_stack(frame)]
        return place_among(stack[::-1])

    def _work(self) -> None:
        while (given := self._calls.get()) is not None:
            called, function = given
            try:
                called.set_result(function())
            except BaseException as error:
                called.set_exception(error)
            del given, called, function  # or the last result is kept until the next call


def _too_long(seconds: float, place: str) -> TookTooLong:
    return TookTooLong(f"took longer than {seconds:g} s" + (f", at {place}" if place else ""))
