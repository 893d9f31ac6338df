"""Goes through the cases of a part in worker processes, watches the clock, and counts what held."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_FORK = multiprocessing.get_context("fork")


class Broke(Exception):
    """A promise that did not hold; says which."""


@dataclass(frozen=True)
class Case:
    """One case of a part. Whatever it decides by chance it takes from `rng`; what it writes goes into `folder`."""

    part: str
    seed: int
    number: int
    folder: Path
    shared: Path
    """What `prepare` made for all cases of the part."""
    rng: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    """Figures for the summary, added up over all cases."""


@dataclass(frozen=True)
class Part:
    """One row of the summary: `full` cases at full scale, each within `seconds`.

    `prepare` makes once what all cases share. `fits` says why the part can't be done on this machine, or nothing.
    """

    name: str
    what: str
    full: int
    drill: Callable[[Case], None]
    seconds: float = 300
    prepare: Callable[[Path], None] | None = None
    fits: Callable[[], str] = str
    workers: int = 2
    memory: int = 0
    """The most bytes a worker may take, if there is such a promise."""


@dataclass(frozen=True)
class Failure:
    """A case that broke, where its files are, and how to see it again."""

    case: int
    why: str
    kept: str
    repeat: str


@dataclass
class Outcome:
    """What came of a part."""

    part: str
    what: str
    seed: int
    cases: int
    commit: str
    held: int = 0
    broke: list[Failure] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    skipped: str = ""

    def write(self, file: Path) -> None:
        found = {**vars(self), "broke": [vars(one) for one in self.broke]}
        file.write_text(json.dumps(found, indent=1) + "\n")

    @classmethod
    def read(cls, file: Path) -> Outcome:
        found = json.loads(file.read_text())
        broke = [Failure(**one) for one in found.pop("broke")]
        return cls(**{**found, "counts": Counter(found["counts"])}, broke=broke)


def go_through(part: Part, outcome: Outcome, numbers: Sequence[int], at: Path, say: Callable[[str], None]) -> None:
    """Do these cases, and put what came of them into the outcome."""
    began = time.monotonic()
    folder = at / part.name
    shutil.rmtree(folder, ignore_errors=True)
    shared = folder / "shared"
    shared.mkdir(parents=True)
    if part.prepare is not None:
        _prepare(part, shared)
    crew = _Crew(part, outcome.seed, list(numbers), folder)
    told = time.monotonic()
    for number, why, counts in crew.results():
        outcome.counts.update(counts)
        if why:
            outcome.broke.append(_failure(part, outcome.seed, number, why, folder))
            say(f"  {part.name} {number} broke: {why.strip().splitlines()[-1][:300]}")
        else:
            outcome.held += 1
        if time.monotonic() - told > 10:
            told = time.monotonic()
            done = outcome.held + len(outcome.broke)
            say(f"  {part.name}: {done:,} of {len(numbers):,}, {len(outcome.broke)} broke, {told - began:.0f} s")
    outcome.broke.sort(key=lambda one: one.case)
    outcome.seconds = time.monotonic() - began


def _prepare(part: Part, shared: Path) -> None:
    process = _FORK.Process(target=part.prepare, args=(shared,))  # its servers and commands end with it
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{part.name} could not be prepared")


def _failure(part: Part, seed: int, number: int, why: str, folder: Path) -> Failure:
    kept = folder / str(number)
    repeat = f"{Path(sys.executable).name} -m drills {part.name} --seed {seed} --case {number}"
    return Failure(number, why, str(kept) if kept.exists() else "", repeat)


@dataclass
class _Worker:
    process: ForkProcess
    connection: Connection
    number: int | None = None
    since: float = 0.0


class _Crew:
    """Worker processes that are handed one number after another; one that hangs or dies is replaced."""

    def __init__(self, part: Part, seed: int, numbers: list[int], folder: Path) -> None:
        self._part, self._seed, self._folder = part, seed, folder
        self._left = numbers[::-1]
        self._workers = [self._hire() for _ in range(min(part.workers, len(numbers)))]

    def results(self) -> Any:
        """(number, why it broke or nothing, counts) of every case, as they end."""
        try:
            for worker in self._workers:
                self._hand_out(worker)
            while busy := [worker for worker in self._workers if worker.number is not None]:
                wait([worker.connection for worker in busy], timeout=1)
                for worker in busy:
                    if (ended := self._ended(worker)) is not None:
                        yield ended
        finally:
            for worker in self._workers:
                self._dismiss(worker)

    def _ended(self, worker: _Worker) -> tuple[int, str, Counter[str]] | None:
        number = worker.number
        assert number is not None
        why = ""
        try:
            if worker.connection.poll():
                number, why, counts = worker.connection.recv()
                self._hand_out(worker)
                return number, why, counts
        except EOFError:
            worker.process.join()
            why = f"the worker ended with {worker.process.exitcode}"
        if not why and time.monotonic() - worker.since > self._part.seconds:
            why = f"still at it after {self._part.seconds:g} s"
        if not why:
            return None
        self._dismiss(worker)
        self._workers[self._workers.index(worker)] = fresh = self._hire()
        self._hand_out(fresh)
        return number, why, Counter()

    def _hire(self) -> _Worker:
        ours, theirs = _FORK.Pipe()
        process = _FORK.Process(target=_work, args=(self._part, self._seed, self._folder, theirs))
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _hand_out(self, worker: _Worker) -> None:
        worker.number = self._left.pop() if self._left else None
        worker.since = time.monotonic()
        if worker.number is not None:
            worker.connection.send(worker.number)

    def _dismiss(self, worker: _Worker) -> None:
        if worker.number is None:
            worker.connection.send(None)
        elif worker.process.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(worker.process.pid, signal.SIGKILL)  # and all that it started
        worker.process.join()
        worker.connection.close()


def _work(part: Part, seed: int, folder: Path, connection: Connection) -> None:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if part.memory:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (part.memory, part.memory))
    while (number := connection.recv()) is not None:
        case = Case(
            part.name,
            seed,
            number,
            folder / str(number),
            folder / "shared",
            random.Random(f"{seed}:{part.name}:{number}"),
        )
        case.folder.mkdir()
        why = ""
        try:
            part.drill(case)
        except Broke as broke:
            why = str(broke)
        except BaseException:
            why = traceback.format_exc()
        if not why:
            shutil.rmtree(case.folder, ignore_errors=True)
        connection.send((number, why, case.counts))
