"""What the adapter makes of a stranger's object."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadSystem
from memtriage.core.memory import Memory, MemorySystem, Traits
from memtriage.systems.adapted import adapt, capabilities, misfit, traits_of
from memtriage.systems.baselines.simple import Echo

ASKED = Session("q", (Turn("user", "?", "q/0"),))


class Gives:
    """Brings back whatever it was made with."""

    def __init__(self, found: object) -> None:
        self.found = found

    def store_conversation(self, conversation: Session) -> None:
        pass

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        return self.found


def brought(found: object) -> list[Memory]:
    return adapt(Gives(found)).retrieve_memories("?", ASKED, 3)


def test_traits_come_from_one_object_or_from_plain_attributes_of_the_right_type() -> None:
    class Declared(Gives):
        traits = Traits(family="agentic", ranks_all=True)

    class Plain(Declared):
        parallel, sees_gold, family, needs, ranks_all = True, 1, "simple-rag", ["embed"], False

    assert traits_of(Declared) == adapt(Declared(None)).traits == Traits(family="agentic", ranks_all=True)
    assert traits_of(Plain) == traits_of(Plain(None)) == Traits(family="simple-rag", parallel=True)
    assert traits_of(Gives) == traits_of(Mock()) == traits_of(object()) == Traits()


def test_strings_dicts_and_memories_become_memories() -> None:
    strings = brought(["a", "b", "a"])
    assert [m.text for m in strings] == ["a", "b", "a"]
    assert strings[0].id == strings[2].id != strings[1].id
    assert brought([{"memory": "a", "id": 7, "timestamp": 5, "score": 0.5}]) == [Memory("7", "a", "5", (), 0.5)]
    assert brought([{"content": "a"}])[0].text == "a"
    assert brought((Memory("1", "a"),)) == [Memory("1", "a")]
    assert brought(None) == []


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_becomes_one_that_can_be_written(id: str, text: str) -> None:
    (memory,) = brought([Memory(id, text, text, (text,))])
    for part in (memory.id, memory.text, memory.created_at or "", *memory.sources):
        part.encode()
    assert len(memory.text) == len(text)


@pytest.mark.parametrize("found", [3, "text", b"x", {"a": 1}, {"results": "no"}, {"results": 5}, {"a"}])
def test_what_is_no_list_is_refused(found: object) -> None:
    with pytest.raises(BadSystem, match=r"Gives\.retrieve_memories returned a"):
        brought(found)


@pytest.mark.parametrize("item", [3, None, {}, {"text": 3}, ["nested"], Memory("1", 5)])  # type: ignore[arg-type]
def test_an_item_that_is_no_memory_is_named_by_its_place(item: object) -> None:
    with pytest.raises(BadSystem, match="at position 1"):
        brought(["fine", item])


def test_a_class_without_the_functions_is_told_which() -> None:
    class Half:
        def store_conversation(self, conversation: Session) -> None: ...

    assert "retrieve_memories" in (misfit(Half()) or "")
    assert "store_conversation" in (misfit(object()) or "")
    with pytest.raises(BadSystem, match="Half has no retrieve_memories"):
        adapt(Half())


def test_a_function_that_takes_other_arguments_is_told_which() -> None:
    class Wrong:
        def store_conversation(self) -> None: ...

        def retrieve_memories(self, query: str) -> None: ...

    assert "store_conversation(conversation)" in (misfit(Wrong()) or "")


def test_the_built_in_ones_are_memory_systems() -> None:
    assert isinstance(Echo(), MemorySystem)
    assert {"store_conversation", "retrieve_memories", "get_all_memories", "reset"} <= capabilities(Echo())
    assert adapt(adapt(Echo())).name == "Echo"


def test_coroutines_share_one_loop_and_keep_their_background_tasks() -> None:
    class Background:
        def __init__(self) -> None:
            self.kept: list[str] = []
            self.tasks: list[asyncio.Task[None]] = []

        async def store_conversation(self, conversation: Session) -> None:
            self.tasks.append(asyncio.create_task(self.write(conversation.text)))

        async def write(self, text: str) -> None:
            await asyncio.sleep(0)
            self.kept.append(text)

        async def settle(self) -> None:
            await asyncio.gather(*self.tasks)

        async def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
            return self.kept[:k]

    system = adapt(Background())
    system.store_conversation(Session("s", (Turn("user", "hello", "s/0"),)))
    system.settle()
    assert [m.text for m in system.retrieve_memories("?", ASKED, 1)] == ["hello"]
    system.close()
