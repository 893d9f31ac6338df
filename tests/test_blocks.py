"""Stores that have sessions in common: each session is worked on once, and no store notices."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.memory import Memory
from memtriage.systems.retrieval import blocks, text_cache
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.hybrid import Hybrid
from memtriage.systems.retrieval.units import Granularity, cut

NOW = Session("now", ())
TURNS = (Turn("user", "green tea", "c_1"),)
RETRIEVERS: list[Callable[..., Any]] = [BM25, Dense, Hybrid]
WORDS = "the of cat cats, sleeps sleeping. radiator Lisbon naïve 2024\n\n tea! Honey? \ud800 日本語".split(" ")

texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """Nothing kept from other tests."""
    text_cache.CACHE.clear()
    blocks.BLOCKS.clear()
    yield
    text_cache.CACHE.clear()
    blocks.BLOCKS.clear()


def talk(id: str, *said: str) -> Session:
    """A talk in which the user begins."""
    turns = (Turn(("user", "assistant")[i % 2], text, f"{id}_{i + 1}") for i, text in enumerate(said))
    return Session(id, tuple(turns), "2023-01-01T00:00")


def anew(session: Session) -> Session:
    """The same talk as another object, of which nothing can be known."""
    return replace(session, turns=(*session.turns,))


def doubled(said: list[str]) -> blocks.Packed:
    return packed([2 * text.encode() for text in said])


def packed(data: list[bytes]) -> blocks.Packed:
    return blocks.Packed(b"".join(data), array("i", map(len, data)).tobytes())


pools = st.lists(st.lists(texts, max_size=4), min_size=1, max_size=5).map(
    lambda chats: [talk(f"c{i}", *said) for i, said in enumerate(chats)]
)


@settings(max_examples=60, deadline=None)
@given(
    pool=pools,
    drawn=st.lists(st.lists(st.integers(0, 4), max_size=5), min_size=2, max_size=4),
    query=texts,
    granularity=st.sampled_from(["turn", "session", "sentence", "paragraph", "chunk:5"]),
    roles=st.sampled_from(["all", "user"]),
    build=st.sampled_from(RETRIEVERS),
)
def test_stores_that_have_sessions_in_common_rank_as_if_they_had_none(
    pool: list[Session], drawn: list[list[int]], query: str, granularity: str, roles: str, build: Callable[..., Any]
) -> None:
    for number, places in enumerate(drawn):
        chats = [pool[place % len(pool)] for place in places]
        history = [replace(chat, timestamp=f"2023-{number + 1:02}-{day + 1:02}") for day, chat in enumerate(chats)]
        system, alone = (build(granularity=granularity, roles=roles) for _ in range(2))
        for session in history:
            system.store_conversation(session)
            alone.store_conversation(anew(session))
            if number % 2:
                assert system.get_all_memories() == alone.get_all_memories()
        k = 1 + len(alone.get_all_memories())
        assert system.retrieve_memories(query, NOW, k) == alone.retrieve_memories(query, NOW, k)
        assert system.get_all_memories() == alone.get_all_memories()
        assert {memory.created_at for memory in system.get_all_memories()} <= {one.timestamp for one in history}


@pytest.mark.parametrize("build", RETRIEVERS)
def test_a_memory_has_the_date_of_its_own_store(build: Callable[..., Any]) -> None:
    chat = talk("c", "green tea", "with honey")
    for date in ("2023-05-30T10:00", "2024-02-29T11:00", None):
        system = build()
        system.store_conversation(replace(chat, timestamp=date))
        assert [memory.created_at for memory in system.retrieve_memories("tea", NOW, 2)] == [date, date]
        assert [memory.created_at for memory in system.get_all_memories()] == [date, date]


def test_a_memory_that_is_handed_out_is_whole() -> None:
    system = BM25()
    for date in ("2023-01-01", "2023-01-02"):
        system.store_conversation(Session("c", TURNS, date))
    assert system.get_all_memories() == [
        Memory("c_1", "green tea", "2023-01-01", ("c_1",)),
        Memory("c_1", "green tea", "2023-01-02", ("c_1",)),
    ]
    first, second = system.retrieve_memories("coffee", NOW, 2)
    assert first == Memory("c_1", "green tea", "2023-01-02", ("c_1",), 0.0)
    assert (hash(second), repr(second)) == (hash(replace(second)), repr(replace(second)))


def test_a_session_that_recurs_is_kept_as_it_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    ids: list[str] = []

    def counted(session: Session, granularity: Granularity) -> list[Memory]:
        ids.append(session.id)
        return cut(session, granularity)

    monkeypatch.setattr(blocks, "cut", counted)
    chat = talk("c", "green tea", "with honey")
    for date in ("2023-01-01", "2023-01-02"):
        for build in RETRIEVERS:
            build(granularity="sentence").store_conversation(replace(chat, timestamp=date))
    assert ids == ["c", "c"]  # from the second time on
    for _ in range(3):
        BM25(granularity="paragraph").store_conversation(chat)
        BM25(granularity="sentence", roles="user").store_conversation(chat)
        BM25(granularity="sentence").store_conversation(replace(chat, id="another"))
    assert ids == ["c", "c"] + 2 * ["c", "c", "another"]
    BM25(granularity="sentence").store_conversation(anew(chat))
    assert len(ids) == 9


def test_turns_that_may_change_are_looked_at_every_time() -> None:
    turns: Any = [Turn("user", "green tea", "c_1")]
    for said in (["green tea"], ["green tea", "black tea"]):
        system = BM25()
        system.store_conversation(Session("c", turns))
        assert [memory.text for memory in system.get_all_memories()] == said
        turns.append(Turn("user", "black tea", "c_2"))


def test_turns_come_and_go_and_none_is_taken_for_another() -> None:
    kept = blocks.Blocks(most=20_000)
    for number in range(300):  # where one was in memory, a later one may be
        session = talk("c", f"{number} " * 500)
        for _ in range(2):  # kept from the second time on
            block = kept.of(session, Granularity("turn"), "all", "turn/all")
            assert block.texts[0].startswith(f"{number} ")
        assert kept.bytes <= kept.most
    assert 0 < len(kept) < 20


def test_blocks_stay_within_their_bytes_and_the_longest_unused_goes_first() -> None:
    kept = blocks.Blocks(most=12_000)
    sessions = [talk(f"c{i}", "x" * 1000) for i in range(4)]

    def block(i: int) -> blocks.Block:
        return kept.of(sessions[i], Granularity("turn"), "all", "turn/all")

    for i in range(4):
        block(i)
    assert len(kept) == 0  # none has come twice
    first = [block(i) for i in range(4)]
    assert len(kept) == 4
    block(0)
    kept.packed(first, "kind", lambda said: packed([b"y" * 500 for _ in said]))  # what is worked out counts too
    assert kept.bytes <= kept.most
    assert len(kept) < 4
    assert block(0) is first[0]
    assert block(1) is not first[1]
    assert [each.data for each in kept.packed(first, "kind", doubled)] == [b"y" * 500] * 4


def test_a_session_that_is_too_large_to_keep_is_stored_all_the_same() -> None:
    kept = blocks.Blocks(most=100)
    block = kept.of(talk("c", "x" * 1000), Granularity("turn"), "all", "turn/all")
    assert [each.data for each in kept.packed([block], "kind", doubled)] == [b"x" * 2000]
    assert (len(kept), kept.bytes) == (0, 0)


@pytest.mark.parametrize("build", RETRIEVERS)
def test_only_what_the_user_said_is_kept_where_asked_for(build: Callable[..., Any], tmp_path: Path) -> None:
    system, whole = build(roles="user"), build(roles="user", granularity="session")
    for each in (system, whole):
        each.store_conversation(talk("c", "green tea", "a long answer about tea", "with honey"))
        each.store_conversation(Session("d", (Turn("assistant", "tea for nobody", "d_1"),)))
    assert [(m.id, m.text) for m in system.get_all_memories()] == [("c_1", "green tea"), ("c_3", "with honey")]
    (both,) = whole.get_all_memories()
    assert (both.id, both.text, both.sources) == ("c", "user: green tea\nuser: with honey", ("c_1", "c_3"))
    system.save(tmp_path)
    with pytest.raises(BadInput, match="same settings"):
        build().load(tmp_path)
    again = build(roles="user")
    again.load(tmp_path)
    assert again.retrieve_memories("tea", NOW, 2) == system.retrieve_memories("tea", NOW, 2)
    with pytest.raises(BadInput, match="unknown roles 'users'"):
        build(roles="users")


@pytest.mark.parametrize("build", RETRIEVERS)
def test_a_store_goes_on_where_it_was_saved(build: Callable[..., Any], tmp_path: Path) -> None:
    told = [talk(f"c{i}", "green tea", "no tea", f"{i} cups", "naïve\r\u2028\ud800 tea") for i in range(3)]
    chats = [replace(chat, timestamp=f"2023-01-0{i + 1}") for i, chat in enumerate(told)]
    system, again = build(), build()
    for chat in chats[:2]:
        system.store_conversation(chat)
    system.save(tmp_path)
    again.store_conversation(chats[2])
    again.load(tmp_path)
    for each in (system, again):
        each.retrieve_memories("tea", NOW, 1)
        each.store_conversation(chats[2])
    assert again.get_all_memories() == system.get_all_memories()
    assert again.retrieve_memories("cups of tea", NOW, 9) == system.retrieve_memories("cups of tea", NOW, 9)


@pytest.mark.parametrize("build", RETRIEVERS)
def test_the_same_question_again_sees_what_came_in_between(build: Callable[..., Any]) -> None:
    system = build()
    system.store_conversation(talk("c", "green tea"))
    assert [memory.id for memory in system.retrieve_memories("green tea", NOW, 3)] == ["c_1"]
    system.store_conversation(talk("d", "green tea"))
    assert [memory.id for memory in system.retrieve_memories("green tea", NOW, 3)] == ["d_1", "c_1"]
    system.reset()
    assert system.retrieve_memories("green tea", NOW, 3) == []
