"""Calls that are not sent but held, until their replies are imported from a file.

A held model answers from the cache alone. A call whose reply is not there is due: it is written to `due.json` in the
run directory, and the run stops where it can't go on without it. An imported reply is an entry of the cache, so the
run goes on from there.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from memtriage.core.chat import Call, CallHeld, Message, Reply, Schema, Tokens
from memtriage.core.errors import BadInput, BadRun
from memtriage.host.files import read_inside, write_inside
from memtriage.host.sealed import open_document, seal_document
from memtriage.host.shell import shell_word
from memtriage.models.cache import SCRIPTED_MARK, Cache, call_key
from memtriage.models.ledger import Ledger
from memtriage.models.spec import ModelSpec

T = TypeVar("T")

DUE = "due.json"

_QUIET_PASSES = 200
"""After so many passes of the event loop without a new call, all tasks are taken to be waiting."""


class CallsDue(Exception):
    """Answering or judging can't go on: everything waits for replies that have to be imported."""


@dataclass(frozen=True, slots=True)
class DueCall:
    """A call whose reply has to be imported; `id` is its key in the cache."""

    id: str
    model: str
    call: Call

    def record(self) -> dict[str, Any]:
        """The call as `due.json` has it."""
        return {"id": self.id, "model": self.model, "call": asdict(self.call)}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> DueCall:
        """The call that a record of `due.json` stands for."""
        given = dict(record["call"])
        schema, messages = given.pop("schema"), given.pop("messages")
        bound = None if schema is None else Schema(schema["name"], schema["json"])
        call = Call(**given, messages=tuple(Message(**message) for message in messages), schema=bound)
        return cls(record["id"], record["model"], call)


@dataclass(slots=True)
class DueCalls:
    """The calls that are due, each once, from all threads. With `everything`, models with an endpoint are held too."""

    everything: bool = False
    calls: dict[str, DueCall] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def holds(self, spec: ModelSpec) -> bool:
        """Whether calls to this model are held."""
        return self.everything or spec.is_by_file

    def add(self, call: DueCall) -> None:
        with self._lock:
            self.calls[call.id] = call


class HeldModel:
    """A chat model that answers from the cache; other calls are due.

    A store `stops` at its first due call. Elsewhere a call waits for good: see `HeldRunner`.
    """

    def __init__(self, spec: ModelSpec, due: DueCalls, *, cache: Cache, ledger: Ledger, stops: bool) -> None:
        self.spec = spec
        self.notes: list[str] = []
        self._due = due
        self._cache = cache
        self._ledger = ledger
        self._stops = stops

    @classmethod
    def of(cls, spec: ModelSpec, due: DueCalls, cache: Cache | None, ledger: Ledger, *, stops: bool) -> HeldModel:
        """A held model; BadInput without a cache, as that is where its replies come from."""
        if cache is None:
            raise BadInput(f"the replies of {spec.name} are imported into the cache; leave out --no-cache")
        return cls(spec, due, cache=cache, ledger=ledger, stops=stops)

    @property
    def name(self) -> str:
        """The model as tables and files name it."""
        return self.spec.label

    async def ask(self, call: Call) -> Reply:
        """The imported reply."""
        key = call_key(self.spec, call)
        found = self._cache.look_up([key])
        if found.damaged:
            self._ledger.damaged(call.role, call.stage, found.damaged)
        entry = found.entries.get(key)
        if entry is None:
            self._due.add(DueCall(key, self.spec.label, call))
            await self._wait()
        self._ledger.hit(call.role, call.stage, self.spec, Tokens(entry.input, entry.output))
        scripted = entry.model.endswith(SCRIPTED_MARK)
        if scripted:
            self._ledger.was_scripted(call.role)
        return Reply(entry.text, Tokens(entry.input, entry.output), entry.seconds, True, entry.data, scripted)

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def _wait(self) -> NoReturn:
        if self._stops:
            raise CallHeld
        await asyncio.Event().wait()
        raise AssertionError("nobody sets this event")


class Runs(Protocol):
    """What runs coroutines one after the other in one event loop: a `LoopRunner`."""

    def run(self, coro: Coroutine[Any, Any, T]) -> T: ...


class HeldRunner:
    """Runs coroutines that ask held models; CallsDue as soon as nothing can go on."""

    def __init__(self, runner: Runs, due: DueCalls) -> None:
        self._runner = runner
        self._due = due

    def run(self, coro: Coroutine[Any, Any, T]) -> T:
        """The result of the coroutine, or CallsDue."""
        return self._runner.run(self._until_due(coro))

    async def _until_due(self, coro: Coroutine[Any, Any, T]) -> T:
        work = asyncio.ensure_future(coro)
        try:
            while not work.done():
                await quiet(lambda: len(self._due.calls), work)
                if self._due.calls and not work.done():
                    raise CallsDue
            return work.result()
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


async def quiet(calls: Callable[[], int], work: asyncio.Future[Any] | None = None) -> None:
    """Wait until no task can go on without a reply, or the work is done.

    The loop went round many times by then, and no call came. If one comes later after all, it is of the next round.
    """
    seen, passes = calls(), 0
    while passes < _QUIET_PASSES and not (work is not None and work.done()):
        await asyncio.sleep(0)
        now = calls()
        passes = passes + 1 if now == seen else 0
        seen = now


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a run waits for, as its directory has it: the calls, in which round, and about how many are to come.

    `grading` is that of the run, or of judging it again if `judging_again`.
    """

    calls: tuple[DueCall, ...]
    round: int
    rounds_left: int
    grading: Mapping[str, Any]
    judging_again: bool = False

    @classmethod
    def read(cls, path: Path) -> Waiting | None:
        """What the run in this directory waits for; None if nothing is due."""
        file = path / DUE
        try:
            record = open_document(read_inside(path, DUE))
            calls = tuple(DueCall.of(each) for each in record.pop("calls"))
            waiting = cls(calls, **record)
            if not isinstance(waiting.round, int) or not isinstance(waiting.rounds_left, int):
                raise ValueError("it has no rounds")
            return waiting
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise BadRun(
                f"{file} can't be read ({error!r}); delete it, and `memtriage resume {shell_word(path)}` makes it again"
            ) from error

    def write(self, path: Path) -> None:
        """Keep it in the run directory."""
        record = {
            "round": self.round,
            "rounds_left": self.rounds_left,
            "grading": dict(self.grading),
            "judging_again": self.judging_again,
            "calls": [call.record() for call in self.calls],
        }
        write_inside(path, DUE, seal_document(record))
