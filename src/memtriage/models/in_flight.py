"""Calls under way that several may wait for: who asks the same meanwhile joins, and it is paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from memtriage.core.chat import ModelError
from memtriage.core.errors import MemtriageError
from memtriage.models.ledger import tally_failure

T = TypeVar("T")


class Flights(Generic[T]):
    """The calls under way, by what was asked."""

    def __init__(self) -> None:
        self._by_key: dict[str, _Flight[T]] = {}

    async def join(self, key: str, call: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, bool]:
        """The outcome of the call under this key, and whether it was somebody else's, begun before."""
        flight = self._by_key.get(key)
        if flight is None or flight.called_off:
            return await self._start(key, call).land(), False
        try:
            return await flight.land(), True
        except ModelError as error:
            tally_failure(error.trouble)
            raise

    def _start(self, key: str, call: Callable[[], Coroutine[Any, Any, T]]) -> _Flight[T]:
        flight = _Flight(asyncio.ensure_future(call()))
        self._by_key[key] = flight

        def landed(_: object) -> None:
            if self._by_key.get(key) is flight:
                del self._by_key[key]

        flight.task.add_done_callback(landed)
        return flight


class _Flight(Generic[T]):
    """One call; it is called off when the last of those who wait for it leaves."""

    def __init__(self, task: asyncio.Future[T]) -> None:
        self.task = task
        self.called_off = False
        self._waiting = 0

    async def land(self) -> T:
        self._waiting += 1
        try:
            return await asyncio.shield(self.task)
        except MemtriageError as error:
            # Each waiter gets an error of its own: one raised in several places tangles its traceback.
            raise _copy(error) from error
        finally:
            self._waiting -= 1
            if not self._waiting and not self.task.done():
                self.called_off = True
                self.task.cancel()


def _copy(error: MemtriageError) -> MemtriageError:
    return error.fresh() if isinstance(error, ModelError) else type(error)(*error.args)
