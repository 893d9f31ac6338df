"""Offer a memory to memtriage from a process of its own: this one file, the standard library and nothing else.

    from memtriage_adapter import serve

    class MyMemory:
        def store_conversation(self, conversation): ...          # conversation.id, .timestamp, .turns
        def retrieve_memories(self, query, conversation, k): ... # texts, dicts with a text, or Memory objects
        def get_all_memories(self): ...

    serve(MyMemory)

memtriage puts this file on the path of every process it starts. One instance is made per store: memtriage names
each store with a scope, and two scopes never share anything. What a library prints goes to stderr, not into the
protocol. Functions may be async; settle, save(path), load(path) and close are called where they are there.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROTOCOL = 1
_FUNCTIONS = {
    "store": "store_conversation",
    "retrieve": "retrieve_memories",
    "all": "get_all_memories",
    "settle": "settle",
    "save": "save",
    "load": "load",
}
_troubles: list[str] = []


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


@dataclass(frozen=True)
class Model:
    """An OpenAI-compatible endpoint that memtriage offers; what goes through it is counted and paid for there."""

    base_url: str
    api_key: str
    model: str
    dimensions: int | None = None


@dataclass(frozen=True)
class Settings:
    """What a store is made with: its scope, a folder of its own, the options a user gave, the models of the run."""

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
    _troubles.append(text)


class LoggedTroubles(logging.Handler):
    """Turns a library's logged errors into troubles: `logging.getLogger("lib").addHandler(LoggedTroubles())`."""

    def __init__(self, level: int = logging.ERROR) -> None:
        super().__init__(level)

    def emit(self, record: logging.LogRecord) -> None:
        trouble(f"{record.name}: {record.getMessage()}"[:500])


def serve(
    make: Callable[..., Any],
    *,
    name: str = "",
    options: Mapping[str, str] | None = None,
    prepare: Callable[[Settings], Info] | None = None,
) -> None:
    """Answer memtriage until it hangs up. `make` is called once per scope, with the Settings if it takes an argument.

    `options` are the names (with a line of help) that a user may set; `prepare` runs once, before any store is made.
    """
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no message
    sys.stdout = sys.stderr
    with asyncio.Runner() as loop:
        side = _Side(make, name or getattr(make, "__name__", "adapter"), options, prepare, loop)
        for line in sys.stdin.buffer:
            request = json.loads(line)
            reply = {"id": request.get("id"), **side.answer(request)}
            if _troubles:
                reply["troubles"] = _troubles[:]
                _troubles.clear()
            wire.write(json.dumps(reply, ensure_ascii=True, default=str) + "\n")
            wire.flush()
            if request.get("do") == "bye":
                break
        side.close()


class _Side:
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
        self.settings = Settings("", Path())
        self.stores: dict[str, Any] = {}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {"ok": self.do(request)}
        except Refused as problem:
            return {"error": {"kind": "refused", "message": str(problem)}}
        except (Exception, SystemExit) as error:  # whatever a library raises belongs to this call alone
            logging.getLogger(__name__).exception("%s raised", request.get("do"))
            return {"error": {"kind": type(error).__name__, "message": str(error)}}

    def do(self, request: Mapping[str, Any]) -> Any:
        match request["do"]:
            case "hello":
                return self.hello(request)
            case "store":
                return self.call(request, "store", _session(request["session"]))
            case "retrieve":
                query, session, k = request["query"], _session(request["session"]), request["k"]
                return {"memories": _plain(self.call(request, "retrieve", query, session, k))}
            case "all":
                return {"memories": _plain(self.call(request, "all"))}
            case "settle":
                return self.call(request, "settle") if self.has(request, "settle") else None
            case "save" | "load" as what:
                return self.call(request, what, Path(request["path"]))
            case "reset":
                return self.drop(request["scope"])
            case "bye":
                return None
            case other:
                raise Refused(f"unknown request {other!r}; this side speaks protocol {PROTOCOL}")

    def hello(self, request: Mapping[str, Any]) -> dict[str, Any]:
        given = dict(request.get("options") or {})
        if self.options is not None and (strange := sorted(set(given) - set(self.options))):
            known = ", ".join(f"{key} ({told})" for key, told in self.options.items()) or "none"
            raise Refused(f"{self.name} has no option {strange[0]!r}; its options: {known}")
        models = {role: Model(**model) for role, model in (request.get("models") or {}).items() if model}
        self.settings = Settings(
            "", Path(request.get("home") or "."), given, models.get("internal"), models.get("embed")
        )
        info = self.prepare(self.settings) if self.prepare else Info()
        have = [do for do, function in _FUNCTIONS.items() if callable(getattr(self.make, function, None))]
        returns = getattr(self.make, "__annotations__", {}).get("return")
        if not inspect.isclass(self.make) and not have:  # a function: its stores tell, or it says what it returns
            have = [do for do, f in _FUNCTIONS.items() if returns is None or callable(getattr(returns, f, None))]
        return {
            "protocol": PROTOCOL,
            "name": self.name,
            "version": info.version,
            "notices": list(info.notices),
            "capabilities": have,
        }

    def store(self, scope: str) -> Any:
        if scope not in self.stores:
            home = self.settings.home / scope
            home.mkdir(parents=True, exist_ok=True)
            takes = inspect.signature(self.make).parameters
            made = Settings(scope, home, self.settings.options, self.settings.internal, self.settings.embed)
            self.stores[scope] = self.awaited(self.make(made) if takes else self.make())
        return self.stores[scope]

    def has(self, request: Mapping[str, Any], do: str) -> bool:
        return callable(getattr(self.store(request["scope"]), _FUNCTIONS[do], None))

    def call(self, request: Mapping[str, Any], do: str, *arguments: Any) -> Any:
        function = getattr(self.store(request["scope"]), _FUNCTIONS[do])
        returned = self.awaited(function(*arguments))
        return returned if do in ("retrieve", "all") else None

    def drop(self, scope: str) -> None:
        store = self.stores.pop(scope, None)
        if callable(getattr(store, "close", None)):
            self.awaited(store.close())

    def close(self) -> None:
        for scope in list(self.stores):
            self.drop(scope)

    def awaited(self, result: Any) -> Any:
        async def wait() -> Any:
            return await result

        return self.loop.run(wait()) if inspect.isawaitable(result) else result


def _session(raw: Mapping[str, Any]) -> Session:
    return Session(raw["id"], [Turn(t["role"], t["text"], t["id"]) for t in raw["turns"]], raw.get("timestamp"))


def _plain(memories: Any) -> list[Any]:
    """Memories as JSON carries them: texts, dicts, or this file's Memory."""
    if isinstance(memories, Mapping) and "results" in memories:
        memories = memories["results"]
    return [vars(m) if isinstance(m, Memory) else m for m in memories or ()]
