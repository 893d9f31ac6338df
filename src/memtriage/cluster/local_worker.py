"""What runs in a worker process on this machine: one store after the other, as the run hands them over.

Tasks come through one pipe, and news and outcomes go back through another, all pickled by memtriage itself. If the run
is gone, or closes the pipe, a worker ends at once, in the middle of a store.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from memtriage.cluster.reports import Reports
from memtriage.cluster.shipping import Shipped, unpacked
from memtriage.cluster.store_task import Outcome, StoreTask, fill, load
from memtriage.core.episode import Episode
from memtriage.host.collector import collect_seldom

Asked = tuple[StoreTask, Episode | None]
"""A store to fill, and its episode unless it is that of the store before."""


def main(pipes: Sequence[tuple[int, int]]) -> None:
    """Work here, or in a fork for each pair of pipes, which share what is loaded before."""
    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group, and the run says what is to be done
    if not pipes:
        replies = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # whatever a system prints must not come between the replies
        load(_first(sys.stdin.buffer))
        work(sys.stdin.buffer, replies)
        return
    os.dup2(2, 1)
    load(_first(sys.stdin.buffer))
    children = [_forked(each, pipes) for each in pipes]
    for ends in pipes:
        _close(ends)
    for child in children:
        os.waitpid(child, 0)


def _forked(mine: tuple[int, int], pipes: Sequence[tuple[int, int]]) -> int:
    child = os.fork()
    if child:
        return child
    for ends in pipes:
        if ends != mine:
            _close(ends)
    try:
        work(os.fdopen(mine[0], "rb"), os.fdopen(mine[1], "wb"))
    finally:
        os._exit(0)


def _close(ends: tuple[int, int]) -> None:
    for end in ends:
        with suppress(OSError):  # closed before
            os.close(end)


def _first(stream: BinaryIO) -> Collection[Shipped]:
    """The systems that will be built here."""
    try:
        systems: Collection[Shipped] = pickle.load(stream)
    except (EOFError, OSError):
        os._exit(1)
    return systems


def work(tasks: BinaryIO, replies: BinaryIO) -> None:
    """Fill stores until the line is closed."""
    asked: queue.SimpleQueue[Asked] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks, asked), daemon=True).start()
    episode: Episode | None = None
    tokens: dict[str, int] = {}
    while True:
        task, given = asked.get()
        episode = given or episode
        assert episode is not None
        _send(replies, _filled(task, episode, replies, tokens))


def _filled(task: StoreTask, episode: Episode, replies: BinaryIO, tokens: dict[str, int]) -> Outcome | BaseException:
    reports = Reports(task.unit, task.attempt, lambda news: _send(replies, news))
    try:
        return fill(task, episode, lambda: unpacked(task.system), reports, tokens, set())
    except Exception as error:  # the run raises it as if it had happened there
        return error


def _listen(stream: BinaryIO, asked: queue.SimpleQueue[Asked]) -> None:
    while True:
        try:
            asked.put(pickle.load(stream))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)  # nobody wants what this process would still find out


def _send(replies: BinaryIO, message: Any) -> None:
    try:
        replies.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        replies.flush()
    except OSError:
        os._exit(0)
