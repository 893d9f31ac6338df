"""The mailbox between the stores on a Ray cluster and the run: an actor, and so a process, light to start.

It also has a shelf, on which stores leave for each other what took a model long.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from memtriage.cluster.reports import News  # here, so that it is loaded before the first news come

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memtriage.models.borrowed import Loan, Request

_SHELF = 1 << 30
"""Bytes on the shelf; what comes later has no room there."""


class Mailbox:
    """Keeps what stores ask and tell until the run comes for it."""

    def __init__(self) -> None:
        self._asked: list[tuple[int, Request]] = []
        self._news: list[News] = []
        self._replies: dict[int, asyncio.Future[Loan]] = {}
        self._numbers = count()
        self._awaited = asyncio.Event()
        self._shelf: dict[bytes, bytes] = {}
        self._room = _SHELF

    async def wake(self) -> None:
        """Called early, as an actor's first call takes a third of a second."""

    async def ask(self, request: Request) -> Loan:
        """What the run's models say."""
        number = next(self._numbers)
        self._replies[number] = asyncio.get_running_loop().create_future()
        self._asked.append((number, request))
        self._awaited.set()
        try:
            return await self._replies[number]
        finally:
            del self._replies[number]

    async def tell(self, news: News) -> None:
        """Tell the run how far a store is; it hears of it when it comes the next time."""
        self._news.append(news)

    async def take(self, seconds: float) -> tuple[list[tuple[int, Request]], list[News]]:
        """For the run: everything that came, as soon as something is asked, or after so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._awaited.wait(), seconds)
        self._awaited.clear()
        asked, news = self._asked, self._news
        self._asked, self._news = [], []
        return asked, news

    async def reply(self, number: int, loan: Loan) -> None:
        """For the run: what came of something that was asked."""
        waiting = self._replies.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(loan)

    async def find(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """What lies on the shelf under these keys."""
        return list(map(self._shelf.get, keys))

    async def add(self, new: Mapping[bytes, bytes]) -> None:
        """Lay something on the shelf, as long as there is room."""
        for key, value in new.items():
            if key not in self._shelf and len(value) <= self._room:
                self._shelf[key] = value
                self._room -= len(value)


class SharedShelf:
    """The mailbox's shelf, for the stores of a worker: vectors that others have made need not be made again."""

    def __init__(self, mailbox: Any) -> None:
        self._mailbox = mailbox

    def find(self, keys: Sequence[bytes]) -> Sequence[bytes | None]:
        """What other workers made under these keys."""
        import ray

        try:
            found: Sequence[bytes | None] = ray.get(self._mailbox.find.remote(keys))
        except ray.exceptions.RayError:  # it is lost, and with it the run; who fills a store can do without
            return [None] * len(keys)
        return found

    def add(self, new: Mapping[bytes, bytes]) -> None:
        """Give it to other workers."""
        self._mailbox.add.remote(new)
