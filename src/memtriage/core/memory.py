"""What a memory is, and what a memory system offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from memtriage.core.episode import Session


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing a system keeps. `sources` are the ids of the turns it came from, where known."""

    id: str
    text: str
    created_at: str | None = None
    sources: tuple[str, ...] = ()
    score: float | None = None


@runtime_checkable
class MemorySystem(Protocol):
    """The three functions of the MemFail paper, under those names.

    A system may also offer `reset()`, `settle()` (wait for background work), `answer(query,
    memories)`, `save(path)` and `load(path)`; `usage()` (what its own models took so far), `notices()`
    (what every report about it has to say), `troubles()` (errors it swallowed since it was last asked)
    and `close()`. With `parallel = True` it says that several stores may be filled at the same time.
    """

    def store_conversation(self, conversation: Session) -> Any: ...

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any: ...

    def get_all_memories(self) -> Any: ...
