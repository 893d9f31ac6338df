"""Does a class fit? A short rehearsal of the three functions, told in plain words."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Literal

from memtriage.episode import Session, Turn
from memtriage.errors import MemtriageError
from memtriage.memory import OPTIONAL, Adapted, Memory, declares
from memtriage.plugins import SystemSpec

Outcome = Literal["ok", "warning", "problem"]

_SAID = (
    "Marta keeps her spare key under the blue flowerpot by the cellar door.",
    "On Thursdays Marta plays bass in a wedding band.",
    "Marta sold her red bicycle to a neighbour in March.",
)
_WITHOUT = {
    "get_all_memories": "without it the storage and summary stages are n/a: a loss can't be told from a miss",
    "reset": "without it a fresh instance is made for every episode",
    "settle": "fine if storing is done when store_conversation returns",
    "answer": "only needed if the system is to answer itself",
    "save": "without save and load, a killed run stores an unfinished episode again",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what was seen."""

    outcome: Outcome
    what: str
    seen: str


def check(spec: SystemSpec) -> Iterator[Check]:
    """Rehearse a system on three tiny conversations."""
    try:
        system = spec.build()
    except MemtriageError as error:
        yield Check("problem", "can be built", str(error))
        return
    try:
        yield Check("ok", "has the functions", ", ".join(sorted(system.capabilities)))
        yield from _missing(system)
        yield from _rehearsed(system)
    finally:
        system.close()


def _missing(system: Adapted) -> Iterator[Check]:
    for name in OPTIONAL:
        if name not in system.capabilities and name in _WITHOUT:
            outcome: Outcome = "warning" if name == "get_all_memories" else "ok"
            yield Check(outcome, f"has no {name}", _WITHOUT[name])
    if any(inspect.iscoroutinefunction(getattr(system.system, name, None)) for name in system.capabilities):
        yield Check("ok", "is async", "its coroutines run on one event loop per store")


def _rehearsed(system: Adapted) -> Iterator[Check]:
    try:
        for number, text in enumerate(_SAID):
            id = f"check{number}"
            system.store_conversation(Session(id, (Turn("user", text, f"{id}/0"),), "2026-01-05T09:00:00+00:00"))
        system.settle()
    except Exception as error:
        yield Check("problem", "stores", f"store_conversation raised {type(error).__name__}: {error}")
        return
    yield Check("ok", "stores", f"{len(_SAID)} conversations")
    question = "Where does Marta keep her spare key?"
    before = yield from _seen(system)
    yield from _retrieved(system, question)
    if before is not None:
        after = yield from _seen(system)
        if after is None:
            return
        same = [m.text for m in before] == [m.text for m in after]
        told = "asking does not change the store" if same else "asking changed the store: questions must not write"
        yield Check("ok" if same else "problem", "asking leaves the store alone", told)


def _seen(system: Adapted) -> Generator[Check, None, list[Memory] | None]:
    """What the store shows of itself; gives the memories back to the caller."""
    if "get_all_memories" not in system.capabilities:
        return None
    try:
        memories: list[Memory] = system.get_all_memories()
    except Exception as error:
        yield Check("problem", "shows its store", f"get_all_memories raised {type(error).__name__}: {error}")
        return None
    if not memories and not declares(system.system, "keeps_nothing"):
        yield Check("problem", "shows its store", "the store is empty; storing in the background needs a settle()")
    else:
        yield Check("ok", "shows its store", f"{len(memories)} memories, e.g. {_first(memories)}")
    return memories


def _retrieved(system: Adapted, question: str) -> Iterator[Check]:
    conversation = Session("check-query", (Turn("user", question, "check-query/0"),))
    for k in (1, 3):
        try:
            memories = system.retrieve_memories(question, conversation, k)
        except Exception as error:
            yield Check("problem", f"retrieves at k={k}", f"retrieve_memories raised {type(error).__name__}: {error}")
            return
        told = f"{len(memories)} memories, e.g. {_first(memories)}"
        if len(memories) > k and not declares(system.system, "ignores_k"):
            yield Check("warning", f"retrieves at k={k}", f"{told}; more than k, only the first {k} will count")
        else:
            yield Check("ok", f"retrieves at k={k}", told)


def _first(memories: list[Memory]) -> str:
    if not memories:
        return "nothing"
    text = memories[0].text
    return repr(text if len(text) <= 70 else text[:67] + "...")
