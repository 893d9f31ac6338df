"""What runs on the nodes of a Ray cluster: stores, each in a task, and the mailbox between them and the run.

A task fills and asks one store and brings back everything that the run has to record of it. On its way it tells the
mailbox how far it is, and through the mailbox it asks the run for replies of models.
"""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from typing import Any

from memtriage.cluster.reports import Reports
from memtriage.cluster.shipping import Shipped, unpacked
from memtriage.cluster.store_task import News, Outcome, StoreTask, fill
from memtriage.core.episode import Episode
from memtriage.core.errors import MemtriageError
from memtriage.host.environment import passing
from memtriage.host.masks import remember
from memtriage.models.borrowed import BorrowedModels, Loan, Request
from memtriage.models.current import use_models
from memtriage.systems.remote import running


class Mailbox:
    """An actor between the stores and the run: it keeps what stores ask and tell until the run comes for it."""

    def __init__(self) -> None:
        self._asked: list[tuple[int, Request]] = []
        self._news: list[News] = []
        self._replies: dict[int, asyncio.Future[Loan]] = {}
        self._numbers = count()
        self._filled = asyncio.Event()

    async def ask(self, request: Request) -> Loan:
        """What the run's models say."""
        number = next(self._numbers)
        self._replies[number] = asyncio.get_running_loop().create_future()
        self._asked.append((number, request))
        self._filled.set()
        try:
            return await self._replies[number]
        finally:
            del self._replies[number]

    async def tell(self, news: News) -> None:
        """Tell the run how far a store is."""
        self._news.append(news)
        self._filled.set()

    async def take(self, seconds: float) -> tuple[list[tuple[int, Request]], list[News]]:
        """For the run: everything that came, as soon as something is there, or nothing after so many seconds."""
        try:
            await asyncio.wait_for(self._filled.wait(), seconds)
        except TimeoutError:
            return [], []
        self._filled.clear()
        asked, news = self._asked, self._news
        self._asked, self._news = [], []
        return asked, news

    async def reply(self, number: int, loan: Loan) -> None:
        """For the run: what came of something that was asked."""
        waiting = self._replies.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(loan)


def run_task(task: StoreTask, episode: Episode, mailbox: Any) -> Outcome:
    """Fill and ask a store in this process."""
    import ray

    worker = _worker_of(task.run, mailbox)
    reports = Reports(task, mailbox.tell.remote, ray.get_runtime_context().get_node_id())
    with _with_variables(task), use_models(worker.models):
        return fill(task, episode, lambda: unpacked(task.system), reports, worker.tokens)


def check_node(systems: Sequence[Shipped], wanted: Mapping[str, str]) -> list[str]:
    """What is wrong with this node: another version of something, or a system that can't start here."""
    found = versions()
    problems = [
        f"it has {name} {found.get(name, 'missing')}, and the run {number}"
        for name, number in wanted.items()
        if found.get(name) != number
    ]
    for shipped in () if problems else systems:
        try:
            spec = unpacked(shipped).spec
            if callable(refuse := getattr(spec.factory, "refuse", None)):
                refuse(spec.arguments)
        except MemtriageError as error:
            problems.append(str(error))
    return problems


def versions() -> dict[str, str]:
    """What has to be the same on all nodes."""
    return {"memtriage": version("memtriage"), "Python": ".".join(platform.python_version_tuple()[:2])}


@dataclass(frozen=True, slots=True)
class _Worker:
    """What this process keeps between the stores of a run."""

    run: str
    models: BorrowedModels
    tokens: dict[str, int]


_current: list[_Worker] = []


def _worker_of(run: str, mailbox: Any) -> _Worker:
    if not _current or _current[0].run != run:
        for before in _current:  # of another run
            running.close_all()
            before.models.close()

        def send(request: Request) -> Awaitable[Loan]:
            reply: Awaitable[Loan] = mailbox.ask.remote(request)
            return reply

        _current[:] = [_Worker(run, BorrowedModels(send), {})]
    return _current[0]


@contextmanager
def _with_variables(task: StoreTask) -> Iterator[None]:
    """Have the environment variables that the user passes on, while a store is filled."""
    for secret in task.secrets:
        remember(secret)
    before = {name: os.environ.get(name) for name in task.environment}
    os.environ.update(task.environment)
    try:
        with passing(task.environment):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
