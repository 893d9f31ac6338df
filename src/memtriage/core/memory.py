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


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a system declares about itself, as in `traits = Traits(ranks_all=True)`.

    It stands on the class (or whatever else builds the system); an instance may have its own.
    """

    family: str = ""
    """Its kind of memory, as tables group it: long-context, simple-rag, embedding-rag, structure-rag or agentic."""
    architecture: str = ""
    """How it works: `summarise: …; store: …; retrieve: …`."""
    needs: tuple[str, ...] = ()
    """What it can't do without: `internal` (a chat model), `embed` (an embedding model), `address`, `source`."""
    reading: str = ""
    """How the answering model is to be shown its memories: direct, json, con, con-json; empty leaves it to the run."""
    parallel: bool = False
    """Several of its stores may be filled at the same time."""
    ignores_k: bool = False
    """It returns what it sees fit, whatever k is, and all of it counts."""
    keeps_nothing: bool = False
    """Its store is empty on purpose, which is otherwise an error."""
    sees_gold: bool = False
    """Its `reveal(episode)` is called before storing. For upper bounds and planted faults alone."""
    ranks_all: bool = False
    """What it returns at any k is the start of one ranking of all it holds, and all of it costs no more than a part."""
    takes_large_pieces: bool = False
    """It is given an episode in its larger pieces, where the episode has them."""


@runtime_checkable
class MemorySystem(Protocol):
    """The three functions of the MemFail paper, under those names.

    A system may also offer `reset()`, `settle()` (wait for background work), `answer(query, memories)`, `save(path)`
    and `load(path)`; `usage()` (what its own models took so far), `notices()` (what every report about it has to say),
    `troubles()` (errors it swallowed since it was last asked), `peak_bytes()` (the most memory that its own process
    took) and `close()`. A constructor that takes `internal`, `embedder` or `repeat` is given the run's models and the
    number of the repetition. What else there is to say about a system, it declares in `traits`.
    """

    def store_conversation(self, conversation: Session) -> Any: ...

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any: ...

    def get_all_memories(self) -> Any: ...
