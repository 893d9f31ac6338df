"""Run coroutines from plain code, also where an event loop is running already, as in every notebook."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")


class LoopRunner:
    """Runs coroutines one after the other in one event loop, like `asyncio.Runner`.

    Python allows one running loop per thread. Where there is one already, this loop runs in a thread beside it, and an
    interrupt cancels what runs there.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._task: asyncio.Task[Any] | None = None

    def __enter__(self) -> LoopRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, coro: Coroutine[Any, Any, T]) -> T:
        """The result of the coroutine."""
        return self._call(lambda: self._runner.run(self._noted(coro)))

    def close(self) -> None:
        """Close the loop."""
        self._call(self._runner.close)

    def _call(self, function: Callable[[], T]) -> T:
        if not _loop_runs_here():
            return function()
        result: Future[T] = Future()
        context = copy_context()

        def work() -> None:
            try:
                result.set_result(context.run(function))
            except BaseException as error:
                result.set_exception(error)

        thread = threading.Thread(target=work, name="memtriage-loop", daemon=True)
        try:
            thread.start()
            while not result.done():  # an interrupt just before an endless wait would not end it
                wait([result], timeout=0.5)
            return result.result()
        except BaseException:  # also that of a time limit; an error of the coroutine itself is its end
            self._end(result, thread)
            raise

    def _end(self, result: Future[Any], thread: threading.Thread) -> None:
        """Cancel what runs in the thread, and wait for its end; the interrupt may have come before it ran at all."""
        cancelled = None
        for turn in count():
            if result.done() or (turn > 20 and thread.ident is None):
                return
            if (task := self._task) is not None and task is not cancelled:
                cancelled = task
                with suppress(RuntimeError):  # its loop has just closed
                    task.get_loop().call_soon_threadsafe(task.cancel)
            wait([result], timeout=0.05)

    async def _noted(self, coro: Coroutine[Any, Any, T]) -> T:
        self._task = asyncio.current_task()
        try:
            return await coro
        finally:
            self._task = None


def _loop_runs_here() -> bool:
    """Whether this thread runs an event loop.

    Asked apart from what is done about it: an error raised while another is handled would name that one as its cause.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def run_async(coro: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, in an event loop of its own.

    >>> run_async(asyncio.sleep(0, "done"))
    'done'
    """
    with LoopRunner() as runner:
        return runner.run(coro)


async def beside(work: Coroutine[Any, Any, T], other: Coroutine[Any, Any, None]) -> T:
    """The result of some work; while it waits, something else is done, which ends with it, done or not.

    What goes wrong with the other is not raised: it is left for whoever does it when it is due.

    >>> run_async(beside(asyncio.sleep(0, "done"), asyncio.sleep(60)))
    'done'
    """
    task = asyncio.create_task(other)
    try:
        return await work
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
