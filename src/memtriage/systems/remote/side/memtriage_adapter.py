"""Offer a memory to memtriage from a process of its own: this one file, the standard library and nothing else.

    from memtriage_adapter import serve

    class MyMemory:
        def store_conversation(self, conversation): ...          # conversation.id, .timestamp, .turns
        def retrieve_memories(self, query, conversation, k): ... # texts, dicts with a text, or Memory objects
        def get_all_memories(self): ...

    serve(MyMemory)

memtriage puts this file on the path of every process it starts. One instance is made per store: memtriage names
each store with a scope, and two scopes never share anything. What a library prints goes to stderr, not into the
protocol. Functions may be async; settle, save(path), load(path) and close are called where they are there. A memory
that answers questions itself has answer(query, memories), or answer(question) if it looks for itself. One whose prompts
may be tuned has prompts(), a mapping from names to texts, and set_prompts(mapping).
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import math
import os
import re
import shutil
import signal
import sys
import sysconfig
import tempfile
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO

PROTOCOL = 1
_FUNCTIONS = {"store": "store_conversation", "retrieve": "retrieve_memories", "all": "get_all_memories"}
_FUNCTIONS |= {name: name for name in ("answer", "settle", "save", "load", "prompts", "set_prompts")}
_troubles: deque[str] = deque()
_notices: deque[str] = deque()
_PYTHON = sysconfig.get_path("stdlib") + os.sep
_HERE = os.path.abspath(__file__)
_OURS = _HERE.removesuffix(os.path.join("systems", "remote", "side", "memtriage_adapter.py"))  # or a copy of this file


@dataclass(frozen=True)
class Turn:
    role: str
    text: str
    id: str


@dataclass(frozen=True)
class Session:
    id: str
    turns: list[Turn]
    timestamp: str | None = None


@dataclass(frozen=True)
class Memory:
    id: str
    text: str
    created_at: str | None = None
    sources: tuple[str, ...] = ()
    score: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Question:
    """A question to be answered. `choices` stand in the text too; `instruction` says in which form to answer."""

    text: str
    session: Session
    k: int
    choices: tuple[str, ...] = ()
    instruction: str = ""

    @property
    def how(self) -> str:
        """How to answer: the day it is, and the form that is asked for; empty if there is nothing to say."""
        day = f"The question is asked on {self.session.timestamp}." if self.session.timestamp else ""
        letter = "Answer with the letter of one option, and nothing else." if self.choices else ""
        return " ".join(part for part in (day, self.instruction, letter) if part)

    @property
    def whole(self) -> str:
        """The question and how to answer it as one text, for libraries that take no more than that."""
        return f"{self.text}\n\n{self.how}" if self.how else self.text


@dataclass(frozen=True)
class Answered:
    """An answer and the memories it was made from; None if the library can't tell.

    `usage` is what models took that the library reached by itself: `{"calls": 1, "input_tokens": 900,
    "output_tokens": 20, "dollars": 0.01}`. Those of the Settings are counted anyway.
    """

    text: str
    memories: Any = None
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Model:
    """An OpenAI-compatible endpoint that memtriage offers; what goes through it is counted and paid for there."""

    base_url: str
    api_key: str
    model: str
    dimensions: int | None = None
    provider: str | None = None
    """Whose endpoint it is, if that is `openai` itself; libraries have ways that only it understands."""


@dataclass(frozen=True)
class Settings:
    """What a store is made with: its scope, a folder of its own, the options a user gave, the models of the run.

    The folder is made for the store and removed with it.
    """

    scope: str
    home: Path
    options: Mapping[str, str] = field(default_factory=dict)
    internal: Model | None = None
    embed: Model | None = None


class Refused(Exception):
    """What the user has to mend, said in one line: a missing option, a wrong version, a size that doesn't fit."""


@dataclass(frozen=True)
class Info:
    """What an adapter says of itself: the library's version, and what every report has to say about it."""

    version: str = ""
    notices: tuple[str, ...] = ()


def trouble(text: str) -> None:
    """Tell memtriage of an error that the library swallowed; it is counted and shown with the call under way."""
    _troubles.append(str(text))


def notice(text: str) -> None:
    """Tell memtriage something that every report on this store has to say; the same text is said once."""
    _notices.append(str(text))


class LoggedTroubles(logging.Handler):
    """Turns a library's logged errors into troubles: `logging.getLogger("lib").addHandler(LoggedTroubles())`."""

    def __init__(self, level: int = logging.ERROR) -> None:
        super().__init__(level)

    def emit(self, record: logging.LogRecord) -> None:
        trouble(f"{record.name}: {record.getMessage()}"[:5000])


def serve(
    make: Callable[..., Any],
    *,
    name: str = "",
    options: Mapping[str, str] | None = None,
    prepare: Callable[[Settings], Info] | None = None,
) -> None:
    """Answer memtriage until it hangs up. `make` is called once per scope, with the Settings if it asks for one.

    `options` are the names (with a line of help) that a user may set; `prepare` runs once, before any store is made.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    requests, replies = _take_stdio()
    with asyncio.Runner() as loop:
        adapter = _Adapter(make, name or getattr(make, "__name__", "adapter"), options, prepare, loop)
        try:
            try:
                for line in requests:
                    reply, last = adapter.reply(line)
                    replies.write(json.dumps(reply) + "\n")
                    replies.flush()
                    if last:
                        break
            finally:  # nothing may interrupt the closing of stores
                for number in (signal.SIGTERM, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
        except (_Leave, BrokenPipeError):  # memtriage is gone, or wants this process gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())
        adapter.close()


class _Leave(BaseException):
    """The process was asked to end; no library may take this for an error of its own."""


def _leave(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise _Leave


def _take_stdio() -> tuple[BinaryIO, TextIO]:
    """The two ends of the protocol, out of reach of libraries that print or read, and of the processes they start."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies


class _Adapter:
    """The stores of one process, by scope."""

    def __init__(
        self,
        make: Callable[..., Any],
        name: str,
        options: Mapping[str, str] | None,
        prepare: Callable[[Settings], Info] | None,
        loop: asyncio.Runner,
    ) -> None:
        self.make, self.name, self.options, self.prepare, self.loop = make, name, options, prepare, loop
        self.settings: Settings | None = None
        self.stores: dict[str, Any] = {}

    def reply(self, line: bytes) -> tuple[dict[str, Any], bool]:
        """The answer to one line, and whether it is the last. What a library raises belongs to this call alone."""
        reply: dict[str, Any] = {"id": None}
        do = None
        try:
            request = json.loads(line)
            reply["id"], do = request["id"], request["do"]
            reply["ok"] = self.do(do, request)
        except Refused as problem:
            reply["error"] = {"kind": "refused", "message": str(problem)}
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            logging.getLogger(__name__).exception("%s raised", do or "reading a request")
            reply["error"] = {"kind": type(error).__name__, "message": str(error), "at": place_of(error)}
        if troubles := [_troubles.popleft() for _ in range(len(_troubles))]:
            reply["troubles"] = troubles
        if notices := list(dict.fromkeys(_notices.popleft() for _ in range(len(_notices)))):
            reply["notices"] = notices
        return reply, do == "bye"

    def do(self, do: str, request: Mapping[str, Any]) -> Any:
        match do:
            case "hello":
                return self.hello(request)
            case "store":
                return self.call(request, do, _session(request["session"]))
            case "retrieve":
                found = self.call(request, do, request["query"], _session(request["session"]), request["k"])
                if found is None:
                    notice("retrieve_memories returned None, which counts as nothing found; return [] if that is meant")
                return {"memories": _plain(found)}
            case "answer":
                return self.answer(request)
            case "all":
                return {"memories": _plain(self.call(request, do))}
            case "settle":
                return self.call(request, do) if hasattr(self.store(request["scope"]), do) else None
            case "save" | "load":
                return self.call(request, do, Path(request["path"]))
            case "prompts":
                return {"prompts": {str(name): str(text) for name, text in self.call(request, do).items()}}
            case "set_prompts":
                return self.call(request, do, dict(request["prompts"]))
            case "reset":
                return self.drop(request["scope"])
            case "bye":
                return None
        raise Refused(f"unknown request {do!r}; this side speaks protocol {PROTOCOL}")

    def hello(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if (theirs := request.get("protocol", PROTOCOL)) != PROTOCOL:
            raise Refused(f"{self.name} speaks protocol {PROTOCOL}, not {theirs!r}")
        given = dict(request.get("options") or {})
        if self.options is not None and (unknown := sorted(set(given) - set(self.options))):
            known = ", ".join(f"{key} ({help})" for key, help in self.options.items()) or "none"
            raise Refused(f"{self.name} has no option {unknown[0]!r}; its options: {known}")
        if not request.get("home"):
            self.spare = tempfile.TemporaryDirectory(prefix="memtriage-")  # removed with this process
        home = Path(request.get("home") or self.spare.name)
        models = {role: Model(**model) for role, model in (request.get("models") or {}).items() if model}
        self.settings = Settings("", home, given, models.get("internal"), models.get("embed"))
        info = self.prepare(self.settings) if self.prepare else Info()
        reply = {"protocol": PROTOCOL, "name": self.name, "version": str(info.version)}
        return reply | {"notices": list(map(str, info.notices)), "capabilities": self.capabilities()}

    def capabilities(self) -> list[str]:
        """What the stores can do: told by the class, by what a function says it returns, or by a store made to see."""
        kind = self.make if inspect.isclass(self.make) else getattr(self.make, "__annotations__", {}).get("return")
        kind = getattr(self.make, "__globals__", {}).get(kind) if isinstance(kind, str) else kind
        shown = kind if inspect.isclass(kind) else self.store("trial")
        have = [do for do, function in _FUNCTIONS.items() if callable(getattr(shown, function, None))]
        self.drop("trial")
        return have

    def store(self, scope: str) -> Any:
        if self.settings is None:
            raise Refused("the first request is hello")
        if scope not in self.stores:
            if not re.fullmatch(r"[\w-][\w.:-]{0,99}", scope):  # it names a folder
                raise Refused(f"a scope is made of letters, digits and -_.: only, not {scope[:100]!r}")
            settings = replace(self.settings, scope=scope, home=self.settings.home / scope)
            settings.home.mkdir(parents=True, exist_ok=True)
            first = next(iter(inspect.signature(self.make).parameters.values()), None)
            asks = first is not None and (first.default is first.empty or first.name == "settings")
            self.stores[scope] = self.awaited(self.make(settings) if asks else self.make())
        return self.stores[scope]

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """An answer of the store, from what it finds itself, or from what it is handed: what it would retrieve."""
        session, k = _session(request["session"]), request["k"]
        choices, instruction = tuple(request.get("choices") or ()), request.get("instruction") or ""
        arguments: tuple[Any, ...] = (Question(request["query"], session, k, choices, instruction),)
        handed = None
        if _takes_two(self.store(request["scope"]).answer):
            handed = _listed(self.call(request, "retrieve", request["query"], session, k))[:k]
            arguments = (request["query"], handed)
        returned = self.call(request, "answer", *arguments)
        if isinstance(returned, Mapping):
            returned = Answered(returned.get("text", ""), returned.get("memories", handed), returned.get("usage"))
        if not isinstance(returned, Answered):
            returned = Answered(returned, handed)
        if not isinstance(returned.text, str):
            raise TypeError(f"an answer is a text or an Answered, not a {type(returned.text).__name__}")
        memories = None if returned.memories is None else _plain(returned.memories)
        return {"text": returned.text, "memories": memories, "usage": returned.usage and dict(returned.usage)}

    def call(self, request: Mapping[str, Any], do: str, *arguments: Any) -> Any:
        returned = self.awaited(getattr(self.store(request["scope"]), _FUNCTIONS[do])(*arguments))
        return returned if do in ("retrieve", "all", "answer", "prompts") else None

    def drop(self, scope: str) -> None:
        store = self.stores.pop(scope, None)
        try:
            if callable(close := getattr(store, "close", None)):
                self.awaited(close())
        finally:
            if store is not None and self.settings is not None:
                shutil.rmtree(self.settings.home / scope, ignore_errors=True)

    def close(self) -> None:
        for scope in list(self.stores):
            try:
                self.drop(scope)
            except Exception:
                logging.getLogger(__name__).exception("closing a store raised")

    def awaited(self, result: Any) -> Any:
        """What a call came to: waited for if it is async, to the end if it yields one thing after the other."""

        async def wait() -> Any:
            return await result

        async def collect() -> list[Any]:
            return [each async for each in result]

        result = self.loop.run(wait()) if inspect.isawaitable(result) else result
        if inspect.isasyncgen(result):
            return self.loop.run(collect())
        return list(result) if inspect.isgenerator(result) else result


def place_of(error: BaseException) -> str:
    """Where in a memory's own code an error was raised, as in `my_memory.py:12 in store_conversation`; "" if nowhere.

    That is the last place outside of Python, memtriage and what is installed. A memory that is installed itself has
    its place in the package that was called first. Folders are left out, since messages may be published.
    """
    walked = traceback.walk_tb(error.__traceback__)
    place = place_among([(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in walked])
    return place or (place_of(error.__cause__) if error.__cause__ else "")


def place_among(frames: list[tuple[str, int, str]]) -> str:
    """The place among calls, each with its file, line and name, the innermost last."""
    found = [(_installed(file), file, line, name) for file, line, name in frames if not _skipped(file)]
    own = [each for each in found if not each[0]] or [
        e for e in found if e[0].split("/")[0] == found[0][0].split("/")[0]
    ]
    if not own:
        return ""
    installed, file, line, name = own[-1]
    return f"{installed or os.path.basename(file)}:{line} in {name}"


def _installed(file: str) -> str:
    """The path of an installed file below its folder of packages; "" for any other file."""
    below = re.search(r"[/\\](?:site|dist)-packages[/\\](.+)", file)
    return below[1].replace("\\", "/") if below else ""


def _skipped(file: str) -> bool:
    return file.startswith((_OURS, "<frozen ")) or (file.startswith(_PYTHON) and not _installed(file))


def _takes_two(answer: Callable[..., Any]) -> bool:
    """Whether it is answer(query, memories), rather than answer(question)."""
    try:
        inspect.signature(answer).bind(None, None)
    except TypeError:
        return False
    return True


def _session(raw: Mapping[str, Any]) -> Session:
    return Session(raw["id"], [Turn(t["role"], t["text"], t["id"]) for t in raw["turns"]], raw.get("timestamp"))


def _listed(memories: Any) -> list[Any]:
    if isinstance(memories, Mapping) and "results" in memories:
        memories = memories["results"]
    if isinstance(memories, str | bytes | Mapping):
        raise TypeError(f"memories are a list, not a {type(memories).__name__}")
    return list(memories or ())


def _plain(memories: Any) -> list[Any]:
    """Memories as JSON carries them, from texts, dicts or this file's Memory."""
    return [m if isinstance(m, str) else _fields(vars(m) if isinstance(m, Memory) else m) for m in _listed(memories)]


def _fields(memory: Any) -> dict[str, Any]:
    texts = [memory.get(key) for key in ("text", "memory", "content")] if isinstance(memory, Mapping) else []
    text = next((text for text in texts if isinstance(text, str)), None)
    if text is None:
        raise TypeError(f"a memory is a text, a Memory, or a dict with a text, not this {type(memory).__name__}")
    at, id = memory.get("created_at") or memory.get("timestamp"), memory.get("id")
    at = at.isoformat() if hasattr(at, "isoformat") else at and str(at)
    sources = [str(source) for source in memory.get("sources") or ()]
    id = None if id is None else str(id)
    why = {"why": str(memory["why"])} if memory.get("why") else {}
    return {"id": id, "text": text, "created_at": at, "sources": sources, "score": _number(memory.get("score")), **why}


def _number(score: Any) -> float | None:
    """A score as JSON has it, also from the number types of array libraries: it knows no NaN and no infinity."""
    try:
        return float(score) if math.isfinite(float(score)) else None
    except (TypeError, ValueError):
        return None
