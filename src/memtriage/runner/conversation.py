"""Chat with a memory system, turn by turn: what it retrieves, what is answered, and what it stores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtriage.core.episode import Session, Turn
from memtriage.core.memory import Memory
from memtriage.core.trace import Usage
from memtriage.systems.adapted import Adapted

AnswerFunction = Callable[[str, Sequence[Memory]], str]
"""Answers a message from the retrieved memories."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message and its effects; `added` and `removed` are None where the store can't be listed."""

    said: str
    retrieved: tuple[Memory, ...]
    answer: str
    added: tuple[Memory, ...] | None
    removed: tuple[Memory, ...] | None
    held: int | None
    retrieve_seconds: float
    store_seconds: float
    usage: Usage | None
    troubles: tuple[str, ...]


class MemoryChat:
    """A chat with one store. Each exchange is stored as its own conversation, after it was answered."""

    def __init__(self, system: Adapted, k: int, answer: AnswerFunction | None = None) -> None:
        self.system = system
        self.k = k
        self._answer = answer
        self._number = 0
        self._held = self._list_memories()

    def say(self, text: str) -> Exchange:
        """Retrieve, answer, store the exchange, and see what changed."""
        before = self.system.usage()
        id = f"chat{self._number}"
        self._number += 1
        message = Turn("user", text, f"{id}/0")
        began = time.perf_counter()
        found = self.system.retrieve_memories(text, Session(id, (message,)), self.k)
        retrieved = tuple(found[: self.k * self.system.traits.lanes])
        asked = time.perf_counter()
        answer = self._answer(text, retrieved) if self._answer else ""
        turns = (message, Turn("assistant", answer, f"{id}/1")) if answer else (message,)
        answered = time.perf_counter()
        self.system.store_conversation(Session(id, turns, datetime.now(UTC).isoformat(timespec="seconds")))
        self.system.settle()
        stored = time.perf_counter()
        held = self._list_memories()
        earlier, self._held = self._held, held
        seen = held is not None and earlier is not None
        usage = self.system.usage()
        return Exchange(
            said=text,
            retrieved=retrieved,
            answer=answer,
            added=_difference(held or (), earlier or ()) if seen else None,
            removed=_difference(earlier or (), held or ()) if seen else None,
            held=None if held is None else len(held),
            retrieve_seconds=asked - began,
            store_seconds=stored - answered,
            usage=usage - before if usage is not None and before is not None else usage,
            troubles=self.system.troubles(),
        )

    def _list_memories(self) -> list[Memory] | None:
        return list(self.system.get_all_memories()) if "get_all_memories" in self.system.capabilities else None


def _difference(memories: Sequence[Memory], others: Sequence[Memory]) -> tuple[Memory, ...]:
    known = {(memory.id, memory.text) for memory in others}
    return tuple(memory for memory in memories if (memory.id, memory.text) not in known)
