"""What runs on the nodes of a Ray cluster: tasks that fill stores.

A task fills and asks one store, or several quick ones, and brings back everything that the run has to record of them.
On its way it tells the mailbox how far it is, and through the mailbox it asks the run for replies of models.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any

from memtriage.cluster.local_scheduler import may_leave
from memtriage.cluster.mailbox import SharedShelf
from memtriage.cluster.reports import Reports
from memtriage.cluster.shipping import Shipped, unpacked
from memtriage.cluster.store_task import Outcome, StoreTask, fill, load
from memtriage.core.episode import Episode
from memtriage.core.errors import MemtriageError
from memtriage.host.collector import collect_seldom
from memtriage.host.environment import passing
from memtriage.host.masks import remember
from memtriage.models.borrowed import BorrowedModels, Loan, Request
from memtriage.models.current import use_models
from memtriage.systems.remote import running
from memtriage.systems.retrieval.text_cache import shared_on


def run_stores(tasks: Sequence[tuple[StoreTask, int]], mailbox: Any, *episodes: Episode) -> list[Outcome]:
    """Fill and ask stores in this process, one after the other; each comes with the place of its episode."""
    import ray

    first, _ = tasks[0]
    worker = _worker_of(first.run, mailbox)
    node = ray.get_runtime_context().get_node_id()
    sent: set[str] = set()
    outcomes = []
    for task, place in tasks:
        # One of them tells where they all are.
        reports = Reports(task.unit, task.attempt, mailbox.tell.remote, node if task is first else "")
        with _with_variables(task), use_models(worker.models), shared_on(worker.shelf):
            build = partial(unpacked, task.system)
            outcome = fill(task, episodes[place], build, reports, worker.tokens, sent)
        outcomes.append(replace(outcome, notes=tuple(reports.notes)))  # some may still be in the mailbox
    return outcomes


def check_node(systems: Sequence[Shipped], wanted: Mapping[str, str]) -> list[str]:
    """What is wrong with this node: another version of something, or a system that can't start here.

    The process that finds nothing loads what the stores of these systems need, as it may be the first to fill one.
    """
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
    if not problems:
        collect_seldom()
        load([shipped for shipped in systems if may_leave(unpacked(shipped))])  # others may share what they begin with
    return problems


def versions() -> dict[str, str]:
    """What has to be the same on all nodes."""
    return {"memtriage": version("memtriage"), "Python": ".".join(platform.python_version_tuple()[:2])}


@dataclass(frozen=True, slots=True)
class _Worker:
    """What this process keeps between the stores of a run."""

    run: str
    models: BorrowedModels
    shelf: SharedShelf
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

        collect_seldom()
        _current[:] = [_Worker(run, BorrowedModels(send), SharedShelf(mailbox), {})]
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
