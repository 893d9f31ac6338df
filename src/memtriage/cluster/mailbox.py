"""The mailbox between the stores on a Ray cluster and the run: an actor, and so a process, light to start."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from memtriage.cluster.reports import News  # here, so that it is loaded before the first news come

if TYPE_CHECKING:
    from memtriage.models.borrowed import Loan, Request


class Mailbox:
    """Keeps what stores ask and tell until the run comes for it."""

    def __init__(self) -> None:
        self._asked: list[tuple[int, Request]] = []
        self._news: list[News] = []
        self._replies: dict[int, asyncio.Future[Loan]] = {}
        self._numbers = count()
        self._awaited = asyncio.Event()

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
