"""Calls under way: an identical call waits for the same reply, which is paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Generic, TypeVar

from memtriage.core.chat import ModelError
from memtriage.core.errors import MemtriageError
from memtriage.models.ledger import tally_failure

T = TypeVar("T")


class InFlight(Generic[T]):
    """The calls under way, by the keys that they will bring."""

    def __init__(self) -> None:
        self._by_key: dict[str, SharedCall[T]] = {}

    def find(self, key: str) -> SharedCall[T] | None:
        """The call under way for a key, if there is one."""
        call = self._by_key.get(key)
        return None if call is None or call.cancelled else call

    def start(self, keys: Sequence[str], work: Coroutine[Any, Any, T]) -> SharedCall[T]:
        """Begin a call that others can join by any of its keys."""
        call = SharedCall(asyncio.ensure_future(work))
        self._by_key |= dict.fromkeys(keys, call)

        def ended(_: object) -> None:
            for key in keys:
                if self._by_key.get(key) is call:
                    del self._by_key[key]

        call.task.add_done_callback(ended)
        return call


class SharedCall(Generic[T]):
    """One call; it is cancelled when the last of those who wait for it has left."""

    def __init__(self, task: asyncio.Future[T]) -> None:
        self.task = task
        self.cancelled = False
        self._waiting = 0

    def reply(self, *, joined: bool) -> Coroutine[Any, Any, T]:
        """Wait for the reply. A failure counts for those who `joined` as well as for the one who began the call."""
        self._waiting += 1  # at once, so that nobody can cancel the call before the wait begins
        return self._reply(joined)

    async def _reply(self, joined: bool) -> T:
        try:
            return await asyncio.shield(self.task)
        except MemtriageError as error:
            if joined and isinstance(error, ModelError):
                tally_failure(error.trouble)
            # Each waiter gets an error of its own: one raised in several places tangles its traceback.
            copy = error.fresh() if isinstance(error, ModelError) else type(error)(*error.args)
            raise copy from error
        finally:
            self._waiting -= 1
            if not self._waiting and not self.task.done():
                self.cancelled = True
                self.task.cancel()
