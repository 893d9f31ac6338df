"""Memories, and the interface of a memory system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from memtriage.core.episode import Session


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing a system keeps. `sources` are the ids of the turns it came from, where known.

    `why` is a short text on why it came back for a question; reports show it.
    """

    id: str
    text: str
    created_at: str | None = None
    sources: tuple[str, ...] = ()
    score: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a system answers itself, from what it finds by itself.

    `session` contains it as it is asked, with its date. `choices` are lettered A, B, C, …; they stand in the text too.
    `instruction` says in which form to answer, and is no part of what is to be looked up. `k` is how many memories
    others answer from.
    """

    text: str
    session: Session
    k: int
    choices: tuple[str, ...] = ()
    instruction: str = ""

    @property
    def how(self) -> str:
        """How to answer: the day it is, and the form that is asked for; empty if there is nothing to say.

        >>> Question("Tea or coffee?", Session("q", (), "2026-03-02"), 5, instruction="One word.").how
        'The question is asked on 2026-03-02. One word.'
        """
        day = f"The question is asked on {self.session.timestamp}." if self.session.timestamp else ""
        letter = "Answer with the letter of one option, and nothing else." if self.choices else ""
        return " ".join(part for part in (day, self.instruction, letter) if part)

    @property
    def whole(self) -> str:
        """The question and how to answer it as one text, for systems that take no more than that."""
        return f"{self.text}\n\n{self.how}" if self.how else self.text


@dataclass(frozen=True, slots=True)
class Answered:
    """A system's own answer, and the memories it was made from; None if the system can't tell."""

    text: str
    memories: tuple[Memory, ...] | None = None


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
    """How the answering model reads its memories: one of `READINGS`, `dates`, `nodates`; empty leaves it to the run."""
    parallel: bool = False
    """Several of its stores may be filled at the same time."""
    ignores_k: bool = False
    """It returns as many memories as it likes, whatever k is, and all of them count."""
    lanes: int = 1
    """How many lists it returns at once, each of up to k memories (entities, relations, chunks); all of them count."""
    native_k: int = 0
    """The k that its own users get if they name none; `--k native` asks for it. 0: it has no such number."""
    takes_native: bool = False
    """For `--k native` it is called with k=None, and returns what it hands its own model; all of it counts."""
    keeps_nothing: bool = False
    """Its store is empty on purpose, which is otherwise an error."""
    starts_filled: bool = False
    """A fresh store holds something on purpose, which is otherwise an error."""
    sees_gold: bool = False
    """Its `reveal(episode)` is called before storing. Only for upper bounds and planted faults."""
    ranks_all: bool = False
    """At any k it returns the top of one ranking of all it holds, and a large k costs no more than a small one."""
    listing_writes: bool = False
    """Its `get_all_memories` changes the store, by writing what waits; so it is only called before questions."""
    takes_large_pieces: bool = False
    """It is given an episode in larger pieces, if the episode has them."""
    cpus: float = 1.0
    """How many processors a store keeps busy; a cluster (`--on ray`) has no more stores on a node than fit."""
    gpus: float = 0.0
    """How many GPUs a store needs, or which part of one; for a cluster."""
    memory_gb: float = 0.0
    """How many gigabytes of memory a store needs, if a cluster should look out for that."""


@runtime_checkable
class MemorySystem(Protocol):
    """The three functions of the MemFail paper, under the names used there.

    A system may also offer `reset()`, `settle()` (wait for background work), `save(path)` and `load(path)`;
    `always_shown()`, memories that stand before the reader whatever is asked, beside k; an `answer` of its own, as
    `answer(query, memories)` if it answers from the memories that it is handed, or as `answer(question)` if it looks
    for itself, which returns an `Answered`; `usage()` (of its own models so far), `notices()` (to show in every
    report on it), `troubles()` (errors it swallowed since the last call), `peak_bytes()` (the most memory its own
    process used) and `close()`. A constructor that takes `internal`, `embedder`, `answer_model` or `repeat` is given
    the run's models and the number of the repetition. Everything else is declared in `traits`.
    """

    def store_conversation(self, conversation: Session) -> Any: ...

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any: ...

    def get_all_memories(self) -> Any: ...
