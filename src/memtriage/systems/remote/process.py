"""A memory system in a process of its own, of any language: `proc:python my_adapter.py`.

summarise, store, retrieve: all three happen in the process; docs/protocol.md describes what is exchanged.
A process is started when it is first needed, serves one store at a time, and is kept for the next store.
"""

from __future__ import annotations

import atexit
import hashlib
import math
import os
import re
import shlex
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput, BadSystem, StoreLost
from memtriage.core.memory import Answered, Memory, Question, Traits
from memtriage.core.trace import Usage
from memtriage.host.environment import child_environment, passed
from memtriage.host.gpu_memory import gpu_bytes
from memtriage.host.process_memory import peak_of, reset_peak
from memtriage.models.keys import remember
from memtriage.systems.remote import running
from memtriage.systems.remote.connection import Connection, ProtocolError, quotable
from memtriage.systems.time_limit import TIMEOUT
from memtriage.text.words import well_formed

PROTOCOL = 1
STARTS = 2
"""After this many starts in a row that failed, nothing is started for a while."""
QUIET = 60.0
"""How many seconds that while is."""
_CLOSING = 60.0
_BYE = 2.0

_REQUIRED = {"store": "store_conversation", "retrieve": "retrieve_memories"}
_OPTIONAL = {"all": "get_all_memories", "answer": "answer", "settle": "settle", "save": "save", "load": "load"}
_OPTIONAL |= {"prompts": "prompts", "set_prompts": "set_prompts"}
_NOTHING: Mapping[str, str] = MappingProxyType({})
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)

Models = Callable[[], Mapping[str, object]]
Key = tuple[object, ...]


class Process:
    """One store in a process that speaks memtriage's protocol.

    What the process can't do (`get_all_memories`, `answer`, `settle`, `save`, `load`) the instance hasn't got either.
    When the process is lost, so is the store: that call and every later one raise `StoreLost`. `close` gives the
    process back for the next store. `models` is asked once for every process that is started. Processes are shared by
    everything with the same command, options, environment and label; end them with `running.close_all` before those
    mean something else, such as models at other addresses.
    """

    traits = Traits(parallel=True)

    def __init__(
        self,
        command: Sequence[str],
        *,
        options: Mapping[str, str] = _NOTHING,
        environment: Mapping[str, str] = _NOTHING,
        models: Models | None = None,
        timeout: float = TIMEOUT,
        home: Path | None = None,
        label: str = "",
    ) -> None:
        if not command:
            raise BadInput("a process needs a command, as in proc:python my_adapter.py")
        self._timeout = _seconds(timeout, "a process")
        name = label or shlex.join(command)

        def start() -> Connection:
            return Connection(command, environment, home, name)

        def hello(connection: Connection) -> Mapping[str, Any]:
            given = _with_secrets_remembered(environment, options, models() if models else {})
            fields: dict[str, object] = {
                "options": dict(options),
                "models": given,
                "home": str(connection.home / "stores"),
            }
            return connection.ask("hello", self._timeout, _hello, protocol=PROTOCOL, **fields)

        given = (tuple(sorted(options.items())), tuple(sorted(environment.items())), passed())
        key = (tuple(command), *given, label, home)
        self._connection = _pool.take(key, start, hello)
        self._key = key
        self._scope = uuid.uuid4().hex
        self._closed = False
        self._reported: Usage | None = None
        self._own_prompts: dict[str, str] = {}
        if (pid := self._connection.pid) is not None:
            reset_peak(pid)  # that of an earlier store
        self.name: str = self._connection.hello["name"] or label
        self.version: str = self._connection.hello["version"]
        for do, function in _OPTIONAL.items():
            if do not in self._connection.hello["capabilities"]:
                setattr(self, function, None)

    def store_conversation(self, conversation: Session) -> None:
        self._ask("store", session=_session(conversation))

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        asked = {"query": well_formed(query), "session": _session(conversation), "k": k}
        return self._memories("retrieve", **asked)

    def get_all_memories(self) -> list[Memory]:
        return self._memories("all")

    def answer(self, question: Question) -> Answered:
        """The process's own answer; models that it reached by itself are counted as it reports them."""
        self._open()
        asked = question_fields(question)
        answered, used = self._connection.ask("answer", self._timeout, _answer, scope=self._scope, **asked)
        if used is not None:
            self._reported = (self._reported or Usage()) + used
        return answered

    def usage(self) -> Usage | None:
        """What the process reported of models that it reached by itself; None if it reported nothing."""
        return self._reported

    def settle(self) -> None:
        """Wait until the process has stored what it was given."""
        self._ask("settle")

    def prompts(self) -> dict[str, str]:
        """The prompts of the process that may be tuned, by name."""
        self._open()
        return self._connection.ask("prompts", self._timeout, _prompts, scope=self._scope)

    def set_prompts(self, prompts: Mapping[str, str]) -> None:
        """Take other prompts; they hold until the end of the store."""
        self._ask("set_prompts", prompts={name: well_formed(text) for name, text in prompts.items()})
        self._own_prompts = dict(prompts)

    def reset(self) -> None:
        """Forget everything but the prompts."""
        self._ask("reset")
        if self._own_prompts:
            self._ask("set_prompts", prompts=self._own_prompts)

    def save(self, path: Path) -> None:
        self._ask("save", path=str(Path(path).resolve()))

    def load(self, path: Path) -> None:
        self._ask("load", path=str(Path(path).resolve()))

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return [*self._connection.hello["notices"], *self._connection.notices]

    def troubles(self) -> list[str]:
        """The errors that the other side reported since this was last called, beside its replies."""
        troubles, self._connection.troubles = self._connection.troubles, []
        return troubles

    def limit_calls(self, seconds: float) -> None:
        """Wait no longer than this for a reply, unless the process was given a time of its own."""
        if self._timeout == TIMEOUT:
            self._timeout = seconds

    def peak_bytes(self) -> int | None:
        """The most memory that the process, with all it started, had since this store was begun; None if unknown."""
        pid = self._connection.pid
        return None if pid is None else peak_of(pid)

    def gpu_bytes(self) -> int | None:
        """What the process, with all it started, has of GPUs; None if that is nothing, or unknown."""
        pid = self._connection.pid
        return None if pid is None else gpu_bytes(pid)

    def close(self) -> None:
        """Forget the store and give the process back; one that can't forget is ended."""
        if self._closed:
            return
        self._closed = True
        try:
            self._connection.ask("reset", min(self._timeout, _CLOSING), _nothing, scope=self._scope)
        except BadSystem:
            _pool.end(self._connection)
        except BaseException:
            _pool.end(self._connection)
            raise
        else:
            _pool.give_back(self._key, self._connection)

    def _ask(self, do: str, **fields: object) -> None:
        self._open()
        self._connection.ask(do, self._timeout, _nothing, scope=self._scope, **fields)

    def _memories(self, do: str, **fields: object) -> list[Memory]:
        self._open()
        return self._connection.ask(do, self._timeout, _memories, scope=self._scope, **fields)

    def _open(self) -> None:
        if self._closed:  # its process may be at work for another store
            raise StoreLost(f"this store of {self._connection.label} was closed")


class _Pool:
    """All processes: those at work, and those that wait for their next store."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._connections: set[Connection] = set()
        self._idle: dict[Key, list[Connection]] = {}
        self._failed: dict[Key, tuple[int, float, str]] = {}

    def take(
        self, key: Key, start: Callable[[], Connection], hello: Callable[[Connection], Mapping[str, Any]]
    ) -> Connection:
        """A process for one store: one that waits, or else a new one."""
        while (connection := self._take_idle(key)) is not None:
            if connection.idle():
                return connection
            self.end(connection)
        self._refuse_after_failures(key)
        try:
            connection = self._started(start, hello)
        except BadSystem as error:
            with self._lock:
                self._failed[key] = (self._failed.get(key, (0, 0.0, ""))[0] + 1, time.monotonic(), str(error))
            raise
        with self._lock:
            self._failed.pop(key, None)
        return connection

    def _take_idle(self, key: Key) -> Connection | None:
        with self._lock:
            idle = self._idle.get(key)
            return idle.pop() if idle else None

    def _refuse_after_failures(self, key: Key) -> None:
        with self._lock:
            failures, when, message = self._failed.get(key, (0, 0.0, ""))
        if failures >= STARTS and time.monotonic() - when < QUIET:
            raise BadSystem(message)

    def _started(self, start: Callable[[], Connection], hello: Callable[[Connection], Mapping[str, Any]]) -> Connection:
        connection = start()
        with self._lock:
            self._connections.add(connection)
        try:
            connection.hello = hello(connection)
        except StoreLost as lost:  # there was no store yet
            self.end(connection)
            raise BadSystem(str(lost)) from None
        except BaseException:
            self.end(connection)
            raise
        return connection

    def give_back(self, key: Key, connection: Connection) -> None:
        """Keep a process whose store is forgotten for the next one."""
        connection.troubles, connection.notices = [], {}
        with self._lock:
            if connection in self._connections:
                self._idle.setdefault(key, []).append(connection)

    def end(self, connection: Connection) -> None:
        """End one process."""
        with self._lock:
            self._connections.discard(connection)
        connection.end()

    def end_all(self) -> None:
        """End all processes, also those that others wait for."""
        with self._lock:
            connections, self._connections = self._connections, set()
            self._idle.clear()
            self._failed.clear()
        polite = {connection for connection in connections if connection.bye()}
        for connection in connections - polite:
            connection.end()
        until = time.monotonic() + _BYE
        for connection in polite:
            connection.end(max(0.0, until - time.monotonic()))

    def forget_all(self) -> None:
        """In a fork: the processes belong to the one that started them."""
        for connection in self._connections:
            connection.forget()
        self._begin()


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.forget_all)
atexit.register(_pool.end_all)
running.add(_pool.end_all)


def from_text(text: str) -> tuple[list[str], dict[str, Any]]:
    """The command that a text names, and the further arguments of `Process`.

    >>> from_text("proc[timeout=60,window=5]:python my_adapter.py")
    (['python', 'my_adapter.py'], {'timeout': 60.0, 'options': {'window': '5'}})
    """
    rest, arguments = prefixed("proc", text)
    return command_of(rest, text), arguments


def prefixed(kind: str, text: str) -> tuple[str, dict[str, Any]]:
    """The text after `KIND:` or `KIND[timeout=60,option=value]:`, and the settings in the brackets."""
    match = re.fullmatch(rf"{kind}(?:\[(.*?)\])?:(.*)", text, re.DOTALL)
    if match is None:
        raise BadInput(f"{text!r} is not a process; write {kind}:COMMAND or {kind}[timeout=60,option=value]:COMMAND")
    options = _options(match[1] or "", text)
    arguments: dict[str, Any] = {}
    if (timeout := options.pop("timeout", None)) is not None:
        arguments["timeout"] = _seconds(timeout, f"system {text!r}")
    if options:
        arguments["options"] = options
    return match[2], arguments


def command_of(words: str, text: str) -> list[str]:
    """A command's words, refused where it is empty or nowhere to be found."""
    try:
        command = [os.path.expanduser(word) if word.startswith("~/") else word for word in shlex.split(words)]
    except ValueError as error:
        raise BadInput(f"system {text!r}: the command can't be read ({error}); check its quotes") from None
    if not command or not command[0]:
        raise BadInput(f"system {text!r} has no command; write proc:COMMAND, as in proc:python my_adapter.py")
    if shutil.which(command[0]) is None:
        where = "is no file that can be run" if os.sep in command[0] else "was not found on PATH"
        raise BadInput(f"system {text!r}: {command[0]!r} {where}")
    return command


def _options(inside: str, text: str) -> dict[str, str]:
    words = shlex.shlex(inside, posix=True)
    words.whitespace, words.whitespace_split, words.commenters = ",", True, ""
    try:
        pairs = [word.partition("=") for word in words]
    except ValueError as error:
        raise BadInput(f"system {text!r}: the brackets can't be read ({error}); check the quotes") from None
    for key, equals, _ in pairs:
        if not equals or not re.fullmatch(r"\s*[\w.-]+\s*", key):
            raise BadInput(f"system {text!r}: {key!r} is not an option; write [name=value,name=value]")
    return {key.strip(): value.strip() for key, _, value in pairs}


def _seconds(timeout: object, whose: str) -> float:
    try:
        seconds = float(timeout)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = math.nan
    if not 0 < seconds <= 1e6:
        raise BadInput(f"{whose}: timeout must be a number of seconds above 0, not {timeout!r}")
    return seconds


def _with_secrets_remembered(
    environment: Mapping[str, str], options: Mapping[str, str], models: Mapping[str, object]
) -> dict[str, object]:
    """The models to say hello with; what is secret among all that a process gets will be shown in no message."""
    settings = [*child_environment().items(), *environment.items(), *options.items()]
    settings += [("key", str(model.get("api_key", ""))) for model in models.values() if isinstance(model, Mapping)]
    for name, value in settings:
        if _SECRET.search(name) and len(value) >= 8:  # a shorter one is also part of words
            remember(value)
    return {role: dict(model) for role, model in models.items() if isinstance(model, Mapping)}


def _session(session: Session) -> dict[str, object]:
    """A session as JSON; half of a surrogate pair is no text in any language but Python."""
    turns = [{"role": well_formed(t.role), "text": well_formed(t.text), "id": well_formed(t.id)} for t in session.turns]
    timestamp = None if session.timestamp is None else well_formed(session.timestamp)
    return {"id": well_formed(session.id), "timestamp": timestamp, "turns": turns}


def question_fields(question: Question) -> dict[str, object]:
    """A question as the protocol has it."""
    return {
        "query": well_formed(question.text),
        "session": _session(question.session),
        "k": question.k,
        "choices": [well_formed(choice) for choice in question.choices],
        "instruction": well_formed(question.instruction),
    }


def reported_usage(raw: object) -> Usage | None:
    """What a reply says that its models took; None if it says nothing, or something else than numbers."""
    if not isinstance(raw, Mapping):
        return None
    counts = [raw.get(name, 0) for name in ("calls", "input_tokens", "output_tokens")]
    dollars = _score(raw.get("dollars"))
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
        return None
    return Usage(calls=counts[0], input_tokens=counts[1], output_tokens=counts[2], dollars=dollars)


def _nothing(_: object) -> None:
    """What a reply that says no more than "done" means."""


def _hello(ok: object) -> Mapping[str, Any]:
    hello = ok if isinstance(ok, dict) else {}
    if hello.get("protocol") != PROTOCOL:
        raise ProtocolError(f"it speaks protocol {quotable(hello.get('protocol'), 20)}, and memtriage {PROTOCOL}")
    capabilities, notices = hello.get("capabilities"), hello.get("notices") or []
    if not isinstance(capabilities, list) or not isinstance(notices, list):
        raise ProtocolError("its hello doesn't list its capabilities")
    if missing := [do for do in _REQUIRED if do not in capabilities]:
        raise ProtocolError(f"it can't {' and '.join(missing)}, which every memory must")
    return {
        "name": quotable(hello.get("name") or "", 100),
        "version": quotable(hello.get("version") or "", 100),
        "notices": [quotable(notice, 500) for notice in notices],
        "capabilities": frozenset(str(each) for each in capabilities),
    }


def _memories(ok: object) -> list[Memory]:
    listed = ok.get("memories") if isinstance(ok, dict) else None
    if not isinstance(listed, list):
        raise ProtocolError("its reply has no list of memories")
    return [_memory(item, index) for index, item in enumerate(listed)]


def _answer(ok: object) -> tuple[Answered, Usage | None]:
    text = ok.get("text") if isinstance(ok, dict) else None
    if not isinstance(ok, dict) or not isinstance(text, str):
        raise ProtocolError("its answer has no text")
    read = None if ok.get("memories") is None else tuple(_memories(ok))
    return Answered(well_formed(text), read), reported_usage(ok.get("usage"))


def _prompts(ok: object) -> dict[str, str]:
    found = ok.get("prompts") if isinstance(ok, dict) else None
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise ProtocolError("its reply has no prompts, which are texts by name")
    return {str(name): well_formed(text) for name, text in found.items()}


def _memory(item: object, index: int) -> Memory:
    raw = {"text": item} if isinstance(item, str) else item
    text = raw.get("text") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(text, str):
        raise ProtocolError(
            f"what it listed at position {index} is no memory, which is a text or an object with a text"
        )
    text, id, at, sources = well_formed(text), raw.get("id"), raw.get("created_at"), raw.get("sources")
    return Memory(
        id=hashlib.sha256(text.encode()).hexdigest()[:16] if id is None else well_formed(str(id)),
        text=text,
        created_at=None if at is None else well_formed(str(at)),
        sources=tuple(well_formed(str(source)) for source in sources) if isinstance(sources, list) else (),
        score=_score(raw.get("score")),
        why=why if isinstance(why := raw.get("why"), str) else "",
    )


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        return None  # neither is NaN, which json reads, nor a number too large to be one
    return float(value)
