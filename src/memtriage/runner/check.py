"""Check whether a memory system works with memtriage, on two small stores.

Every promise that a comparison rests on is tried: everything is stored and listed, k brings k memories, the same
question brings the same memories, a question writes nothing, and stores are isolated from each other.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Literal

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import MemtriageError, TookTooLong
from memtriage.core.memory import Memory, Question
from memtriage.core.trace import Usage
from memtriage.host.temporary import TemporaryFolder
from memtriage.registry import SystemSpec
from memtriage.runner.fresh_store import leftover, shared
from memtriage.systems.adapted import OPTIONAL, Adapted
from memtriage.systems.error_line import error_line
from memtriage.systems.libraries.catalog import ASPECTS
from memtriage.systems.libraries.factory import LibraryFactory
from memtriage.text.words import counted

Outcome = Literal["ok", "warning", "problem"]

SESSIONS = 24
"""More than twenty, where some libraries stop listing by default."""

_NAMES = "Marta Odo Ines Bruno Selma Yusuf Petra Lior Hanne Tomas Aiko Rafe".split()
_THINGS = "flowerpot accordion greenhouse typewriter sailboat telescope beehive kiln".split()
_PLACES = "cellar attic orchard bakery lighthouse harbour library stable".split()
_WITHOUT = {
    "get_all_memories": "without it the storage and summary stages are n/a: a loss can't be told from a miss",
    "reset": "without it a fresh instance is made for every episode",
    "settle": "fine if storing is done when store_conversation returns",
    "answer": "only needed if the system is to answer itself",
    "save": "without save and load, a killed run stores an unfinished episode again",
}

_NONE = "does it end without a return? If nothing is found, return []"


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its outcome."""

    outcome: Outcome
    what: str
    seen: str


@dataclass(frozen=True, slots=True)
class _Talk:
    """A short conversation about who keeps what where, and the words that identify a memory of it."""

    session: Session
    words: tuple[str, ...]
    question: str


def check(spec: SystemSpec, sessions: int = SESSIONS, call_timeout: float | None = None) -> Iterator[Check]:
    """Check a system on two small stores; `call_timeout` is how many seconds a call may take, as in a run."""
    yield from _served(spec)
    with ExitStack() as stack:

        def build() -> Adapted:
            built = spec.build()
            stack.callback(_close, built)
            built.limit_calls(call_timeout)
            return built

        try:
            system = build()
        except MemtriageError as error:
            yield Check("problem", "can be built", str(error))
            return
        yield Check("ok", "has the functions", ", ".join(sorted(system.capabilities)))
        yield from _check_optional(system)
        talks = [_talk(number) for number in range(sessions)]
        try:
            yield from _check_fresh(system)
            yield from _check_one_store(system, talks)
            yield from _check_isolation(build, system, talks)
            yield from _check_saving(build, system)
        except _GiveUp as end:
            yield end.check
        yield from (Check("warning", "says of itself", notice) for notice in system.notices())


class _GiveUp(Exception):
    """Ends the checks, as none of the later ones would mean anything."""

    def __init__(self, what: str, seen: str) -> None:
        super().__init__(seen)
        self.check = Check("problem", what, seen)


def _talk(number: int, offset: int = 0) -> _Talk:
    name = _NAMES[(number + offset) % len(_NAMES)]
    thing = _THINGS[(number + offset) % len(_THINGS)]
    place = _PLACES[(number // len(_THINGS) + number + offset) % len(_PLACES)]
    count = 101 + 3 * number + 500 * offset  # three digits, so that none is part of another
    id = f"check{number}"
    text = f"{name} keeps the {thing} number {count} in the {place}."
    turns = (Turn("user", text, f"{id}/0"), Turn("assistant", "Good to know.", f"{id}/1"))
    when = f"2026-01-{1 + number % 28:02}T09:00:00+00:00"
    return _Talk(Session(id, turns, when), (thing, str(count)), f"Where does {name} keep the {thing} number {count}?")


def _served(spec: SystemSpec) -> Iterator[Check]:
    """How a library is used, and how that differs from what its users do; known before it is started."""
    if not isinstance(spec.factory, LibraryFactory):
        return
    library = spec.factory.library
    yield Check("ok", "version", f"{library.package or library.title} {library.version}".strip())
    yield from (Check("ok", aspect, library.served[aspect]) for aspect in ASPECTS if aspect in library.served)
    yield from (Check("warning", "departs from its users' way", departure) for departure in library.departures)


def _check_optional(system: Adapted) -> Iterator[Check]:
    for name in OPTIONAL:
        if name not in system.capabilities and name in _WITHOUT:
            outcome: Outcome = "warning" if name == "get_all_memories" else "ok"
            yield Check(outcome, f"has no {name}", _WITHOUT[name])
    if any(inspect.iscoroutinefunction(getattr(system.system, name, None)) for name in system.capabilities):
        yield Check("ok", "is async", "its coroutines run on one event loop per store")


def _check_fresh(system: Adapted) -> Iterator[Check]:
    try:
        found = leftover(system)
    except TookTooLong as late:
        raise _GiveUp("a fresh store is empty", _failed("get_all_memories", late)) from late
    except Exception:  # some can't list what they have not begun; the next listing tells what is wrong
        return
    if found:
        yield Check("problem", "a fresh store is empty", found)
    system.troubles()


def _check_one_store(system: Adapted, talks: list[_Talk]) -> Iterator[Check]:
    began = time.perf_counter()
    troubles = _store(system, talks)
    seconds = time.perf_counter() - began
    yield Check("ok", "stores", f"{len(talks)} conversations")
    yield from _check_costs("storing", system.usage(), seconds, len(talks), "conversation")
    listed = _list(system)
    if listed is not None:
        yield from _check_complete(system, talks, listed)
    yield from _check_retrieval(system, talks, listed)
    if "answer" in system.capabilities:
        yield _check_answer(system, talks[0])
    if listed is not None:
        same = [m.text for m in listed] == [m.text for m in _list(system) or ()]
        note = "asking does not change the store" if same else "asking changed the store: questions must not write"
        yield Check("ok" if same else "problem", "asking leaves the store alone", note)
    troubles += system.troubles()
    if troubles:
        yield Check("problem", "hides no errors", f"{len(troubles)} swallowed, the first: {troubles[0][:200]}")


def _store(system: Adapted, talks: list[_Talk]) -> tuple[str, ...]:
    try:
        for one in talks:
            system.store_conversation(one.session)
        system.settle()
    except Exception as error:
        raise _GiveUp("stores", _failed("store_conversation", error)) from error
    return system.troubles()


def _failed(what: str, error: Exception) -> str:
    """That a call failed, and what to do if it only needs more time."""
    if isinstance(error, TookTooLong):
        return f"{what} {error}; if it only needs more time, allow it with --call-timeout"
    return f"{what} raised {error_line(error)}"


def _list(system: Adapted) -> list[Memory] | None:
    if "get_all_memories" not in system.capabilities:
        return None
    try:
        return list(system.get_all_memories())
    except Exception as error:
        raise _GiveUp("shows its store", _failed("get_all_memories", error)) from error


def _check_complete(system: Adapted, talks: list[_Talk], listed: list[Memory]) -> Iterator[Check]:
    """Check that everything is stored after settle, and listed."""
    if system.traits.keeps_nothing:
        yield Check("ok", "shows its store", "it keeps nothing, and says so")
        return
    if not listed:
        raise _GiveUp("shows its store", "the store is empty; storing in the background needs a settle()")
    yield Check("ok", "shows its store", f"{counted(len(listed), 'memory', 'memories')}, e.g. {_first(listed)}")
    text = "\n".join(memory.text for memory in listed).lower()
    lost = [one for one in talks if not all(word in text for word in one.words)]
    kept = len(talks) - len(lost)
    if not lost:
        yield Check("ok", "lists everything it was told", f"all {len(talks)} conversations are found in its store")
    else:
        example = lost[0].session.turns[0].text
        seen = f"{kept} of {len(talks)} conversations are found in its store; missing e.g. {example!r}"
        short = len(listed) in (10, 20, 50, 100) and kept <= len(listed) < len(talks)
        hint = f"; it lists exactly {len(listed)}: does get_all_memories stop at a limit?" if short else ""
        yield Check("problem" if short or not kept else "warning", "lists everything it was told", seen + hint)


def _check_retrieval(system: Adapted, talks: list[_Talk], listed: list[Memory] | None) -> Iterator[Check]:
    query, began = talks[0], time.perf_counter()
    before = system.usage()
    sizes = (1, 5, max(1, len(talks) - 2))
    for k in sizes:
        yield _check_k(system, query, k, listed)
    usage = system.usage()
    used = usage - before if usage is not None and before is not None else None
    yield from _check_costs("asking", used, time.perf_counter() - began, len(sizes), "question")
    again = [[m.text for m in _ask(system, query, 5)] for _ in range(3)]
    stable = all(each == again[0] for each in again)
    note = "the same question brings the same memories" if stable else "the same question brought different memories"
    yield Check("ok" if stable else "warning", "asking is repeatable", note)
    none = system.returned_none["retrieve_memories"]
    found = sum(all(w in "\n".join(m.text for m in _ask(system, one, 5)).lower() for w in one.words) for one in talks)
    if none := system.returned_none["retrieve_memories"] - none:
        seen = f"retrieve_memories returned None for {none} of {counted(len(talks), 'question')}: {_NONE}"
        yield Check("problem", "always returns memories", seen)
    if found or system.traits.keeps_nothing:
        note = f"{found} of {len(talks)} questions at k=5; no demand, only to know"
        yield Check("ok", "finds what it was told", note)
    else:
        note = f"none of {len(talks)} questions found what it was told; does its search take whole questions?"
        yield Check("warning", "finds what it was told", note)


def _check_answer(system: Adapted, query: _Talk) -> Check:
    """Check that it answers a question itself, and tells what the answer was made from."""
    conversation = Session("check-query", (Turn("user", query.question, "check-query/0"),))
    try:
        if system.looks_for_itself:
            answered = system.answer_alone(Question(query.question, conversation, 5))
            text, read = answered.text, answered.memories
        else:
            handed = system.retrieve_memories(query.question, conversation, 5)
            text, read = system.answer(query.question, handed), tuple(handed)
    except Exception as error:
        return Check("problem", "answers", _failed("answer", error))
    if not text.strip():
        return Check("warning", "answers", "with an empty text")
    if read is None:
        told = "it doesn't tell from which memories, so retrieval is taken from its search at the largest k"
    elif system.looks_for_itself:
        told = f"from {counted(len(read), 'memory', 'memories')} that it found itself"
    else:
        told = f"from the {counted(len(read), 'memory', 'memories')} it was handed"
    return Check("ok", "answers", f"{text if len(text) <= 70 else text[:67] + '...'!r}; {told}")


def _check_k(system: Adapted, query: _Talk, k: int, listed: list[Memory] | None) -> Check:
    none = system.returned_none["retrieve_memories"]
    memories = _ask(system, query, k)
    if system.returned_none["retrieve_memories"] > none:
        return Check("problem", f"retrieves at k={k}", f"retrieve_memories returned None: {_NONE}")
    note = f"{counted(len(memories), 'memory', 'memories')}, e.g. {_first(memories)}" if memories else "nothing"
    if system.traits.ignores_k:
        return Check("ok", f"retrieves at k={k}", f"{note}; it brings everything, and says so")
    if len(memories) > (most := k * system.traits.lanes):
        return Check("warning", f"retrieves at k={k}", f"{note}; more than k, only the first {most} will count")
    enough = listed is None or len(listed) >= k
    if len(memories) < k and enough and not system.traits.keeps_nothing:
        held = "" if listed is None else f" of {len(listed)} in the store"
        return Check(
            "warning",
            f"retrieves at k={k}",
            f"{f'only {note}' if memories else note}{held}; at this k it is compared with less than k",
        )
    if listed is not None and (unlisted := [m for m in memories if m.text not in {one.text for one in listed}]):
        return Check("warning", f"retrieves at k={k}", f"{note}; {_first(unlisted)} is not in what it lists")
    return Check("ok", f"retrieves at k={k}", note)


def _ask(system: Adapted, query: _Talk, k: int) -> list[Memory]:
    conversation = Session("check-query", (Turn("user", query.question, "check-query/0"),))
    try:
        return list(system.retrieve_memories(query.question, conversation, k))
    except Exception as error:
        raise _GiveUp(f"retrieves at k={k}", _failed("retrieve_memories", error)) from error


def _check_costs(what: str, usage: Usage | None, seconds: float, times: int, unit: str) -> Iterator[Check]:
    """Report what one session or one question costs."""
    note = f"{1000 * seconds / times:.1f} ms a {unit}"
    if usage is not None:
        calls, tokens = usage.calls + usage.cached, usage.input_tokens + usage.output_tokens
        note += f"; {calls / times:.1f} model calls, {tokens / times:,.0f} tokens"
        if usage.dollars is None:
            note += ", price unknown"
        elif usage.dollars:
            note += f", ${usage.dollars / times:.5f}"
    yield Check("ok", f"{what} takes", note)


def _check_isolation(build: Callable[[], Adapted], system: Adapted, talks: list[_Talk]) -> Iterator[Check]:
    """Check that two stores, filled in turn, share nothing."""
    if "get_all_memories" not in system.capabilities or system.traits.keeps_nothing:
        return
    other = build()
    if other.system is system.system:
        yield Check("ok", "stores are apart", "one instance, reset between episodes")
        return
    theirs = [_talk(number, offset=1) for number in range(2)]
    for one in theirs:
        _store(other, [one])
        _store(system, [_talk(len(talks) + 1)])
    ours, seen = _list(system) or [], _list(other) or []
    leaked = [m for m in seen if any(one.words[1] in m.text for one in talks)]
    leaked += [m for m in ours if any(one.words[1] in m.text for one in theirs)]
    leaked += [m for m in _ask(other, talks[0], 5) if talks[0].words[1] in m.text]
    if leaked:
        note = f"a store knows what only another was told: {_first(leaked)}; {shared(system, leaked)}"
        yield Check("problem", "stores are apart", note)
    else:
        yield Check("ok", "stores are apart", "two stores, filled in turn, know nothing of each other")
    if "reset" in other.capabilities:
        other.reset()
        left, kept = len(_list(other) or []), len(_list(system) or [])
        clean = not left and kept >= len(ours)
        seen_now = f"{counted(left, 'memory', 'memories')} left after it, {kept} of {len(ours)} in the other store"
        yield Check("ok" if clean else "problem", "reset empties one store and no other", seen_now)


def _check_saving(build: Callable[[], Adapted], system: Adapted) -> Iterator[Check]:
    """Check that a saved store loads again."""
    if not {"save", "load", "get_all_memories"} <= system.capabilities:
        return
    with TemporaryFolder() as folder:
        saved = folder / "saved"
        saved.mkdir()
        try:
            system.save(saved)
            again = build()
            again.load(saved)
        except Exception as error:
            yield Check("problem", "saves and loads", _failed("saving or loading", error))
            return
        same = sorted(m.text for m in _list(again) or ()) == sorted(m.text for m in _list(system) or ())
        note = "a saved store comes back whole" if same else "a saved store came back different"
        yield Check("ok" if same else "problem", "saves and loads", note)


def _close(system: Adapted) -> None:
    """Close a system; if that fails, the report must still be shown."""
    with suppress(Exception):
        system.close()


def _first(memories: list[Memory]) -> str:
    if not memories:
        return "nothing"
    text = memories[0].text
    return repr(text if len(text) <= 70 else text[:67] + "...")
