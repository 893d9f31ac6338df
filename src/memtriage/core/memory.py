"""Memories, and the interface of a memory system."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a system declares about itself, as in `traits = Traits(ranks_all=True)`.

    Set it on the class (or whatever else builds the system); an instance may have its own.
    """

    family: str = ""
    """Its kind of memory, as tables group it: long-context, simple-rag, embedding-rag, structure-rag or agentic."""
    architecture: str = ""
    """How it works: `summarise: …; store: …; retrieve: …`."""
    needs: tuple[str, ...] = ()
    """What it requires: `internal` (a chat model), `embed` (an embedding model), `address`, `source`."""
    reading: str = ""
    """How the answering model reads its memories: one of `READINGS`; empty leaves it to the run."""
    parallel: bool = False
    """Several of its stores may be filled at the same time."""
    ignores_k: bool = False
    """It returns as many memories as it likes, whatever k is, and all of them count."""
    keeps_nothing: bool = False
    """Its store is empty on purpose, which is otherwise an error."""
    sees_gold: bool = False
    """Its `reveal(episode)` is called before storing. Only for upper bounds and planted faults."""
    ranks_all: bool = False
    """At any k it returns the top of one ranking of all it holds, and a large k costs no more than a small one."""
    takes_large_pieces: bool = False
    """It is given an episode in larger pieces, if the episode has them."""


@runtime_checkable
class MemorySystem(Protocol):
    """The three functions of the MemFail paper, under the names used there.

    A system may also offer `reset()`, `settle()` (wait for background work), `answer(query, memories)`, `save(path)`
    and `load(path)`; `usage()` (of its own models so far), `notices()` (to show in every report on it), `troubles()`
    (errors it swallowed since the last call), `peak_bytes()` (the most memory its own process used) and `close()`. A
    constructor that takes `internal`, `embedder` or `repeat` is given the run's models and the number of the
    repetition. Everything else is declared in `traits`.
    """

    def store_conversation(self, conversation: Session) -> Any: ...

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any: ...

    def get_all_memories(self) -> Any: ...
