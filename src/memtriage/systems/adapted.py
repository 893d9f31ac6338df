"""Any object with the functions of a memory system, made uniform: synchronous, with `Memory` objects as results.

The functions may be sync or async, and may return or yield `Memory` objects, plain strings or dicts with a text.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from functools import lru_cache
from operator import is_
from pathlib import Path
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.errors import BadSystem, MemtriageError
from memtriage.core.memory import Answered, Memory, Question, Traits
from memtriage.core.trace import Usage
from memtriage.host.event_loop import LoopRunner
from memtriage.host.masks import any_known, mask
from memtriage.systems.error_line import error_line
from memtriage.systems.time_limit import TIMEOUT, TimeLimit
from memtriage.text.words import well_formed

_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd]")

_LONGEST_REASON = 300

REQUIRED = ("store_conversation", "retrieve_memories")
OPTIONAL = ("get_all_memories", "always_shown", "reset", "settle", "answer", "save", "load")


def capabilities(system: object) -> frozenset[str]:
    """The names of the interface's functions that this object has."""
    return frozenset(name for name in REQUIRED + OPTIONAL if callable(getattr(system, name, None)))


def traits_of(system: object) -> Traits:
    """What a system, or whatever builds it, declares: its `traits`, and plain attributes of the same names.

    A plain attribute counts only if it has the type of the trait: a literal True, a text, a tuple.
    """
    declared = getattr(system, "traits", None)
    plain: dict[str, Any] = {}
    for trait in fields(Traits):
        if isinstance(value := getattr(system, trait.name, None), type(trait.default)):
            plain[trait.name] = value
    return replace(declared if isinstance(declared, Traits) else Traits(), **plain)


def misfit(system: object) -> str | None:
    """Why this object can't be used as a memory system, in plain words; None where it can."""
    have = capabilities(system)
    name = type(system).__name__
    missing = [f for f in REQUIRED if f not in have]
    if missing:
        return f"{name} has no {' and no '.join(missing)}; a memory system needs {' and '.join(REQUIRED)}"
    for function, arguments in (("store_conversation", 1), ("retrieve_memories", 3)):
        if not _accepts(getattr(system, function), arguments):
            wanted = {1: "(conversation)", 3: "(query, conversation, k)"}[arguments]
            return f"{name}.{function} can't be called as {function}{wanted}{_place(getattr(system, function))}"
    return None


def adapt(system: object) -> Adapted:
    """Turn any object with the functions into a uniform, synchronous memory system."""
    if isinstance(system, Adapted):
        return system
    return Adapted(system)


class Adapted:
    """A memory system whose calls are synchronous and whose results are `Memory` objects."""

    def __init__(self, system: object) -> None:
        problem = misfit(system)
        if problem:
            raise BadSystem(problem)
        self.system = system
        self.capabilities = capabilities(system)
        self.traits = traits_of(system)
        own = getattr(system, "name", None)  # what runs elsewhere knows its name better than its class does
        self.name = own if isinstance(own, str) and own else type(system).__name__
        self.returned_none: Counter[str] = Counter()
        """How often each function returned None in the place of memories."""
        self.notice = ""  # what the run itself has to say about the system
        self._runner: LoopRunner | None = None
        self._limit: TimeLimit | None = None
        self._gave_key = False
        self._mistakes: dict[str, None] = {}  # of functions that only tell something
        self._listed: dict[Memory, Memory] = {}  # what was listed last, and need not be checked again
        self._same: list[Memory] = []  # the very objects that came last, of which none needed to be put right

    def store_conversation(self, conversation: Session) -> None:
        self._call("store_conversation", conversation)

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        return self._memories("retrieve_memories", self._call("retrieve_memories", query, conversation, k))

    def get_all_memories(self) -> list[Memory]:
        listed = self._memories("get_all_memories", self._call("get_all_memories"), self._listed)
        self._listed = {memory: memory for memory in listed}
        return listed

    def always_shown(self) -> list[Memory]:
        """What it puts before the reader whatever is asked, beside the k memories that are retrieved."""
        if "always_shown" not in self.capabilities:
            return []
        return self._memories("always_shown", self._call("always_shown"))

    @property
    def looks_for_itself(self) -> bool:
        """Whether its answers come from what it finds by itself (`answer(question)`), not from what it is handed."""
        return "answer" in self.capabilities and not _accepts(self.system.answer, 2)  # type: ignore[attr-defined]

    def answer(self, query: str, memories: Sequence[Memory]) -> str:
        """The answer of a system to which memories are handed."""
        return self._answered(self._call("answer", query, memories)).text

    def answer_alone(self, question: Question) -> Answered:
        """The answer of a system that looks for itself, and what it found if it tells."""
        return self._answered(self._call("answer", question))

    def _answered(self, returned: object) -> Answered:
        """An answer from a text, an `Answered`, or a dict with a text and, where known, memories."""
        text: object = returned
        memories: object = None
        if isinstance(returned, Answered):
            text, memories = returned.text, returned.memories
        elif isinstance(returned, Mapping):
            text, memories = returned.get("text"), returned.get("memories")
        if isinstance(text, int | float):
            text = str(text)
        if not isinstance(text, str):
            raise BadSystem(f"{self.name}.answer returned {_described(text)}; return a text or a memtriage.Answered")
        read = None if memories is None else tuple(self._memories("answer", memories))
        return Answered(self._without_keys(well_formed(text)), read)

    def settle(self) -> None:
        if "settle" in self.capabilities:
            self._call("settle")

    def reset(self) -> None:
        self._call("reset")

    def save(self, path: Path) -> None:
        self._call("save", path)

    def load(self, path: Path) -> None:
        self._call("load", path)

    def usage(self) -> Usage | None:
        """What the system's own models took so far; None where it doesn't say."""
        value = self._told("usage")
        return value if isinstance(value, Usage) else None

    def notices(self) -> tuple[str, ...]:
        """What every report about this system has to say."""
        own = tuple(map(mask, _texts(self._told("notices"))))
        told = (f"{self.name} gave a key back; it was masked" if self._gave_key else "", self.notice, *self._mistakes)
        return own + tuple(filter(None, told))

    def troubles(self) -> tuple[str, ...]:
        """The errors that the system swallowed since this was last called."""
        return tuple(map(mask, _texts(self._told("troubles"))))

    def limit_calls(self, seconds: float | None = None) -> None:
        """Give up on a call that takes longer; None stands for 600 seconds, or for what the system's name says.

        What runs elsewhere limits its calls itself. memtriage's own systems wait for nothing but models, which have
        limits of their own.
        """
        if not type(self.system).__module__.startswith("memtriage."):
            self._limit = TimeLimit(TIMEOUT if seconds is None else seconds)
        elif seconds is not None and callable(limit := getattr(self.system, "limit_calls", None)):
            limit(seconds)

    def close(self) -> None:
        """Let go of what the system holds, and of the event loop that async systems ran on."""
        try:
            self._call_if_there("close")
        except MemtriageError:
            raise
        except Exception as error:  # a stranger's code may raise anything
            raise BadSystem(f"{self.name}.close raised {error_line(error)}") from error
        finally:
            if self._runner is not None and not self._is_stuck:
                self._runner.close()
            self._runner = None
            if self._limit is not None:
                self._limit.close()

    def _told(self, function: str) -> Any:
        """What the system tells about itself; reports say if that raises, as its memories are none the worse for it."""
        try:
            return self._call_if_there(function)
        except Exception as error:  # a stranger's code may raise anything
            self._mistakes[f"its {function}() raised {error_line(error)}"] = None
            return None

    def _call_if_there(self, function: str) -> Any:
        there = callable(getattr(self.system, function, None)) and not self._is_stuck
        return self._call(function) if there else None

    @property
    def _is_stuck(self) -> bool:
        """Whether a call is still under way that was given up."""
        return self._limit is not None and self._limit.is_stuck

    def _call(self, function: str, *arguments: object) -> Any:
        try:
            if self._limit is None:
                return self._awaited(function, *arguments)
            return self._limit.call(lambda: self._awaited(function, *arguments))
        except (SystemExit, asyncio.CancelledError) as error:  # not errors to Python, and would end the whole run
            raise BadSystem(f"{self.name}.{function} raised {error_line(error)}") from error

    def _awaited(self, function: str, *arguments: object) -> Any:
        result = getattr(self.system, function)(*arguments)
        if inspect.isawaitable(result):
            result = self._on_loop(_await(result))
        if isinstance(result, AsyncIterator):
            result = self._on_loop(_collect(result))
        # A generator does its work only as it is read, so that is part of the call.
        return list(result) if isinstance(result, Iterator) else result

    def _on_loop(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._runner is None:
            self._runner = LoopRunner()
        return self._runner.run(work)

    def _memories(self, function: str, returned: object, known: Mapping[Memory, Memory] | None = None) -> list[Memory]:
        if returned is None:
            self.returned_none[function] += 1
            return []
        if isinstance(returned, Mapping) and isinstance(returned.get("results"), Iterable):
            returned = returned["results"]
        # a set has no order, and no rank
        if isinstance(returned, str | bytes | Mapping | Set) or not isinstance(returned, Iterable):
            raise BadSystem(
                f"{self.name}.{function} returned {_described(returned)}; return a list of strings or Memory objects"
            )
        where, known = f"{self.name}.{function}", known or {}
        items = list(returned)
        if _are_the_same(items, self._same) and not any_known():  # a whole store comes back for every question
            return items
        memories = [
            _found(item, known) or self._memory_without_keys(_memory(item, i, where)) for i, item in enumerate(items)
        ]
        self._same = memories if _are_the_same(items, memories) else []
        return list(memories)

    def _memory_without_keys(self, memory: Memory) -> Memory:
        if not any_known():
            return memory
        whole = "\n".join((memory.id, memory.text, memory.created_at or "", memory.why, *memory.sources))
        if self._without_keys(whole) is whole:
            return memory
        created = None if memory.created_at is None else mask(memory.created_at)
        sources = tuple(map(mask, memory.sources))
        id, text, why = map(mask, (memory.id, memory.text, memory.why))
        return replace(memory, id=id, text=text, created_at=created, sources=sources, why=why)

    def _without_keys(self, text: str) -> str:
        masked = mask(text)
        self._gave_key = self._gave_key or masked is not text
        return masked


def _texts(value: object) -> tuple[str, ...]:
    return tuple(well_formed(str(each)) for each in value) if isinstance(value, list | tuple) else ()


def _are_the_same(items: Sequence[object], memories: Sequence[Memory]) -> bool:
    """Whether two lists hold the very same objects; memories can't change."""
    return len(items) == len(memories) and all(map(is_, items, memories))


def _found(item: object, known: Mapping[Memory, Memory]) -> Memory | None:
    """The memory among those known that this one equals."""
    try:
        return known.get(item) if isinstance(item, Memory) else None
    except TypeError:  # a list in the place of a tuple, which has no hash
        return None


def _memory(item: object, index: int, where: str) -> Memory:
    memory = _as_memory(item, index, where)
    if _binary(memory.text):
        raise BadSystem(
            f"{where} returned {len(memory.text):,} characters of binary data at position {index}, not a text; "
            "a memory's text is what a reader would be shown"
        )
    return memory


@lru_cache(maxsize=4096)  # the same memories come back for many questions
def _binary(text: str) -> bool:
    """Whether a longer text is no text: more than a tenth of its beginning is control characters or broken bytes."""
    head = text[:2000]
    return len(head) >= 100 and len(_NOT_TEXT.findall(head)) * 10 > len(head)


def _as_memory(item: object, index: int, where: str) -> Memory:
    if isinstance(item, Memory):
        if not isinstance(item.text, str):
            raise BadSystem(f"{where} returned a Memory whose text is {_described(item.text)} at position {index}")
        if _needs_no_repair(item):
            return item
        return Memory(
            id=well_formed(str(item.id)),
            text=well_formed(item.text),
            created_at=_text(item.created_at),
            sources=tuple(well_formed(str(source)) for source in item.sources or ()),
            score=_score(item.score),
            why=_reason(item.why),
        )
    if isinstance(item, str):
        return Memory(id=_id(item), text=well_formed(item))
    if isinstance(item, Mapping):
        text = next((item[key] for key in ("text", "memory", "content") if isinstance(item.get(key), str)), None)
        if text is not None:
            return Memory(
                id=well_formed(str(item.get("id") or _id(text))),
                text=well_formed(text),
                created_at=_text(item.get("created_at") or item.get("timestamp")),
                sources=_texts(item.get("sources")),
                score=_score(item.get("score")),
                why=_reason(item.get("why")),
            )
    raise BadSystem(
        f"{where} returned {_described(item)} at position {index}; "
        "a memory is a string, a memtriage.Memory, or a dict with 'text', 'memory' or 'content'"
    )


def _needs_no_repair(memory: Memory) -> bool:
    """Whether nothing in a memory needs to be put right, as in all but the odd one."""
    created, score = memory.created_at, memory.score
    return (
        type(memory) is Memory
        and type(memory.id) is str
        and memory.id.isascii()
        and memory.text.isascii()
        and (created is None or (type(created) is str and created.isascii()))
        and (score is None or type(score) is float)
        and memory.why == ""
        and type(memory.sources) is tuple
        and all(type(source) is str and source.isascii() for source in memory.sources)
    )


def _id(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text(value: object) -> str | None:
    return None if value is None else well_formed(str(value))


def _score(value: object) -> float | None:
    """A score as a plain number, also from the number types of array libraries."""
    try:
        return None if value is None else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _reason(value: object) -> str:
    """A system's word on why a memory came back, as one short line."""
    return " ".join(well_formed(value).split())[:_LONGEST_REASON] if isinstance(value, str) else ""


def _described(value: object) -> str:
    kind = type(value).__name__
    return "nothing" if value is None else f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _place(function: Callable[..., Any]) -> str:
    """Where a function is written, as in ` (my_memory.py:12)`; "" if that can't be told."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f" ({Path(code.co_filename).name}:{code.co_firstlineno})" if code else ""


def _accepts(function: Callable[..., Any], arguments: int) -> bool:
    try:
        inspect.signature(function).bind(*[None] * arguments)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature: calling it will tell
        return True
    return True


async def _await(awaitable: Any) -> Any:
    return await awaitable


async def _collect(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]
