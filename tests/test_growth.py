"""What a memory does for one more session doesn't grow with what it holds: work is counted, not timed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.episode import Session, Turn
from memtriage.registry import system
from memtriage.systems.adapted import Adapted
from memtriage.systems.designs.facts import deniable, denies, takes_back
from memtriage.systems.designs.layered import Layered
from memtriage.text.words import words

PEOPLE = "Ada Bo Cem Dov Eva Fay Gus Hal Ida Jo".split()
THINGS = "cello kettle garden ferry lamp notebook sofa tram violin window".split()


def sessions(first: int, count: int) -> Iterator[Session]:
    """Sessions of four turns each; every one says something new, and takes something back."""
    for n in range(first, first + count):
        person, thing = PEOPLE[n % 10], THINGS[n // 10 % 10]
        said = (
            f"{person} bought the {thing} number {n} in Graz.",
            f"I play the {thing} of {person} on floor {n}.",
            f"I no longer play the {thing} of {person} on floor {n - 7}.",
            f"I never saw {person} with number {n}.",
        )
        at = f"20{20 + n // 336}-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}T09:00:00"
        yield Session(f"s{n}", tuple(Turn("user", text, f"s{n}/t{i}") for i, text in enumerate(said)), at)


def stored(name: str, count: int) -> Adapted:
    memory = system(name).build()
    for session in sessions(0, count):
        memory.store_conversation(session)
    memory.settle()
    return memory


def counted(monkeypatch: pytest.MonkeyPatch, owner: str, seen: Counter[str], size: Callable[..., int]) -> None:
    """Count how much a function is given, wherever it is called from."""
    module, _, name = owner.rpartition(".")
    import importlib

    real = getattr(importlib.import_module(module), name)

    def counting(*arguments: object, **named: object) -> object:
        seen[name] += size(*arguments)
        return real(*arguments, **named)

    monkeypatch.setattr(owner, counting)


def work_of_one_more(monkeypatch: pytest.MonkeyPatch, name: str, owner: str, size: Callable[..., int]) -> list[int]:
    """What ten more sessions take of a function, in a small store and in one that is ten times as large."""
    found = []
    for before in (30, 300):
        memory = stored(name, before)
        seen: Counter[str] = Counter()
        with monkeypatch.context() as patch:
            counted(patch, owner, seen, size)
            for session in sessions(before, 10):
                memory.store_conversation(session)
            memory.settle()
        found.append(sum(seen.values()))
        memory.close()
    return found


PAGES = "memtriage.systems.designs.files.pages"


@pytest.mark.parametrize(
    ("name", "owner", "size"),
    [
        ("mdfile:summarise=verbatim", f"{PAGES}._blocks", len),
        ("wiki:summarise=verbatim", f"{PAGES}._blocks", len),
        ("struct:summarise=rules", "memtriage.systems.designs.events.sameness", lambda *_: 1),
        ("struct:summarise=verbatim", "memtriage.systems.designs.events.sameness", lambda *_: 1),
        ("graph:summarise=rules", "memtriage.systems.designs.facts.denies", lambda *_: 1),
        ("memgpt:summarise=rules", "memtriage.systems.designs.memgpt.agent.lines_of", len),
    ],
    ids=lambda value: value if isinstance(value, str) and ":" in value else "",
)
def test_one_more_session_takes_no_more_work_in_a_large_store(
    monkeypatch: pytest.MonkeyPatch, name: str, owner: str, size: Callable[..., int]
) -> None:
    small, large = work_of_one_more(monkeypatch, name, owner, size)
    assert small > 0
    assert large <= 1.3 * small + 50


@pytest.mark.parametrize("name", ["struct:summarise=rules", "struct:summarise=verbatim", "memgpt:summarise=rules"])
def test_a_session_copies_nothing_of_what_is_kept(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    memory = stored(name, 30)
    walked: list[str] = []
    real = Layered.__iter__

    def walking(self: Layered[object]) -> Iterator[str]:
        for key in real(self):
            walked.append(key)
            yield key

    monkeypatch.setattr(Layered, "__iter__", walking)
    for session in sessions(30, 10):
        memory.store_conversation(session)
    assert walked == []


# What is looked up is what would have been found by looking at everything

_WORDS = st.sampled_from("play cello Graz garden not no longer stop never house green".split())
_SAID = st.lists(_WORDS, min_size=1, max_size=7).map(lambda some: f"I {' '.join(some)}.")


@given(_SAID, st.lists(_SAID, max_size=12))
def test_what_a_sentence_takes_back_can_be_looked_up(new: str, stored: list[str]) -> None:
    held = set(deniable(new))
    for old in stored:
        assert takes_back(new, old) == (not denies(old) and frozenset(words(old).stems) in held)


@given(
    st.dictionaries(st.text("abcd", min_size=1, max_size=2), st.integers(), max_size=6),
    st.lists(st.tuples(st.text("abcd", min_size=1, max_size=2), st.none() | st.integers()), max_size=15),
)
def test_a_layered_table_is_a_copy_until_it_is_kept(
    below: dict[str, int], changes: list[tuple[str, int | None]]
) -> None:
    copy, before = dict(below), dict(below)
    draft = Layered(below)
    for key, value in changes:
        if value is not None:
            draft[key] = copy[key] = value
        elif key in copy:
            del draft[key], copy[key]
        else:
            with pytest.raises(KeyError):
                del draft[key]
        assert list(draft.items()) == list(copy.items())
        assert len(draft) == len(copy)
        assert (key in draft) == (key in copy)
    assert below == before
    assert set(draft.new) == {key for key in copy if key not in before} | (set(copy) & draft.deleted)
    assert list(draft.keep().items()) == list(below.items()) == list(copy.items())
