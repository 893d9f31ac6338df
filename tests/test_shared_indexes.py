"""What stores have in common: each text is read and embedded once, and rankings stay what they were."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import bm25s
import numpy as np
import pytest
import Stemmer
from bm25s.tokenization import Tokenizer
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.memory import Memory
from memtriage.models.embedders import Vectors, WordLlamaEmbedder
from memtriage.systems.adapted import traits_of
from memtriage.systems.retrieval import blocks, lexicon, text_cache
from memtriage.systems.retrieval.bm25 import BM25, LexicalIndex
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.hybrid import Hybrid
from memtriage.systems.retrieval.units import Granularity, UnitStore, newest_first
from memtriage.text.words import well_formed

NOW = Session("now", ())
RETRIEVERS: list[Callable[[], Any]] = [BM25, Dense, Hybrid]
WORDS = (
    "the of and cat cats, (catty) sleeps sleeping. radiator a I Lisbon naïve été 2024 x2 日本語 don't cat-like "
    "lisbon/2024 the-of ΟΔΟΣ ΣΑΣ.Α İstanbul x_y __ e\u0301te \ud800 Sleeping. ABCDEFGH abcdefghi Counterattacking "
    "counterattacking_s internationalizations internationalization Ünternationalizations x\x7fy \x00cat"
).split(" ")
BLANKS = [" ", "\n", "\u00a0", "\u2003", "\u200b", "\x1c", "\x85", ", ", "'", "."]

texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BLANKS)), max_size=9).map(
    lambda parts: "".join(word + blank for word, blank in parts)
)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """Nothing kept from other tests."""
    forget()
    yield
    forget()


def forget() -> None:
    text_cache.CACHE.clear()
    text_cache.COSTLY.clear()
    blocks.BLOCKS.clear()


def talk(*said: str, id: str = "s") -> Session:
    return Session(id, tuple(Turn("user", text, f"{id}/t{i}") for i, text in enumerate(said)))


def memories(said: Sequence[str]) -> list[Memory]:
    return [Memory(str(i), text) for i, text in enumerate(said)]


def by_bm25s(said: Sequence[str], query: str, k1: float, b: float, stemmer: str) -> np.ndarray[Any, Any]:
    """The scores of an index that bm25s builds over these texts alone."""
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    stem = None if stemmer == "none" else Stemmer.Stemmer(stemmer)
    tokenizer = Tokenizer(stopwords="english", stemmer=stem)
    held = tokenizer.tokenize([well_formed(t) for t in said], update_vocab=True, show_progress=False, allow_empty=False)
    words = tokenizer.tokenize([well_formed(query)], update_vocab=False, show_progress=False, allow_empty=False)[0]
    if not words or not any(held):
        return np.zeros(len(said), dtype=np.float32)
    index = bm25s.BM25(k1=k1, b=b, backend="numpy", csc_backend="numpy")
    index.index((held, tokenizer.get_vocab_dict()), create_empty_token=False, show_progress=False)
    scores: np.ndarray[Any, Any] = index.get_scores_from_ids(words)
    return scores


@settings(max_examples=150, deadline=None)
@given(
    grown=st.lists(st.lists(texts, max_size=6), min_size=1, max_size=3),
    queries=st.lists(texts, min_size=1, max_size=14),
    k1=st.sampled_from([0.0, 0.9, 1.5]),
    b=st.sampled_from([0.0, 0.4, 0.75, 1.0]),
    stemmer=st.sampled_from(["english", "none"]),
)
def test_scores_are_those_of_an_index_built_for_these_texts_alone(
    grown: list[list[str]], queries: list[str], k1: float, b: float, stemmer: str
) -> None:
    index = LexicalIndex(k1, b, stemmer)
    said: list[str] = []
    for more in grown:
        said += more
        index.catch_up(memories(said))
        for query in queries:  # few are answered by reading through all words, many from postings
            expected = by_bm25s(said, query, k1, b, stemmer).tolist()
            assert index.scores(query).tolist() == index.scores(query).tolist() == expected


def test_scores_stay_the_same_at_size_however_often_one_asks() -> None:
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 4))) for _ in range(3000)]
    said = [" ".join(rng.choices(words, k=rng.randint(0, 40))) for _ in range(2000)]
    index = LexicalIndex(1.5, 0.75, "english")
    index.catch_up(memories(said))
    query = " ".join(rng.choices(words, k=12))
    expected = by_bm25s(said, query, 1.5, 0.75, "english").tolist()
    for _ in range(20):
        index.scores("something else")  # so that nothing comes from having been asked just now
        assert index.scores(query).tolist() == expected
    assert len(set(expected)) > 10


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]), max_size=60), st.integers(1, 70))
def test_the_first_few_are_the_beginning_of_the_whole_order(values: list[float], most: int) -> None:
    scores = np.array(values, dtype=np.float32)
    whole = sorted(range(len(values)), key=lambda place: (-values[place], -place))
    assert newest_first(scores).tolist() == whole
    assert newest_first(scores, most).tolist() == whole[:most]


@pytest.mark.parametrize("build", RETRIEVERS)
def test_what_comes_at_any_k_is_the_beginning_of_one_ranking(build: Callable[[], Any]) -> None:
    rng = random.Random(1)
    words = "cat dog tea honey radiator cello car parked Lisbon October garden rain the of".split()
    system = build()
    system.store_conversation(talk(*(" ".join(rng.choices(words, k=rng.randint(1, 5))) for _ in range(90))))
    assert traits_of(system).ranks_all
    for query in ("honey in the tea", "a parked car in the rain", ""):
        everything = system.retrieve_memories(query, NOW, 90)
        assert len({memory.id for memory in everything}) == 90
        for k in (1, 3, 10, 22, 23, 89):
            assert system.retrieve_memories(query, NOW, k) == everything[:k]


def test_a_memory_is_brought_with_its_score_and_all_else_unchanged() -> None:
    units = UnitStore(Granularity("turn"))
    units.put(Session("s", (Turn("user", "one", "s/t0"), Turn("user", "two", "s/t1")), "2023-05-30T23:40"))
    assert units.best(np.array([0.5, 2.0], dtype=np.float32), 2) == [
        Memory("s/t1", "two", "2023-05-30T23:40", ("s/t1",), 2.0),
        Memory("s/t0", "one", "2023-05-30T23:40", ("s/t0",), 0.5),
    ]


def test_words_of_a_session_that_recurs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    reads = lexicon.Lexicon.read

    def counted(self: lexicon.Lexicon, texts: Sequence[str]) -> Any:
        read.extend(texts)
        return reads(self, texts)

    monkeypatch.setattr(lexicon.Lexicon, "read", counted)
    found = []
    shared = talk("green tea with honey", "a parked car", id="shared")
    for i in range(4):
        system = BM25()
        system.store_conversation(shared)
        system.store_conversation(talk(f"only here {i}", id=f"s{i}"))
        system.settle()
        found.append(system.retrieve_memories("honey", NOW, 1))
    assert all(each == found[0] for each in found)
    assert [text for text in read if "only" in text] == [f"only here {i}" for i in range(4)]
    assert read.count("green tea with honey") == 2  # that it recurs is known from the second time on


@pytest.mark.parametrize("build", [Dense, Hybrid])
def test_a_text_is_embedded_once_for_all_stores(build: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    embed = WordLlamaEmbedder.embed

    def counted(self: WordLlamaEmbedder, said: Sequence[str]) -> Vectors:
        embedded.extend(said)
        return embed(self, said)

    monkeypatch.setattr(WordLlamaEmbedder, "embed", counted)
    found = []
    for _ in range(3):
        system = build()
        system.store_conversation(talk("green tea with honey", "a parked car", "green tea with honey"))
        found.append(system.retrieve_memories("what do I drink", NOW, 3))
    assert found[0] == found[1] == found[2]
    assert sorted(embedded) == ["a parked car", "green tea with honey", "what do I drink"]


class Mine:
    """An embedder that gives itself the name of another, and counts."""

    name = "wordllama"
    dimensions = 256

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return np.eye(256, dtype=np.float32)[: len(texts)]


def test_somebody_elses_embedder_is_asked_every_time() -> None:
    for _ in range(2):
        Dense().retrieve_memories("x", NOW, 1)
        mine = Mine()
        system = Dense(embedder=mine)
        system.store_conversation(talk("one", "two"))
        system.settle()
        assert mine.asked == 2


def doubled(texts: list[str]) -> list[bytes]:
    return [2 * text.encode() for text in texts]


def test_what_is_kept_stays_within_its_bytes_and_the_longest_unused_goes_first() -> None:
    kept = text_cache.TextCache(most=3 * 2300)  # a value of 2,000 bytes, and what it takes to keep it
    asked: list[str] = []

    def make(texts: list[str]) -> list[bytes]:
        asked.extend(texts)
        return doubled(texts)

    a, b, c, d = ("a" * 1000, "b" * 1000, "c" * 1000, "d" * 1000)
    kept.each("x", [a, b, c], make)
    kept.each("x", [a], make)  # b is now the one that was not used for the longest time
    kept.each("x", [d], make)
    assert kept.bytes <= kept.most
    asked.clear()
    assert kept.each("x", [a, c, d], make) == doubled([a, c, d])
    assert asked == []
    kept.each("x", [b], make)
    assert asked == [b]


def test_what_is_too_large_to_keep_is_made_all_the_same() -> None:
    kept = text_cache.TextCache(most=100)
    assert kept.each("x", ["a" * 1000, "b"], doubled) == doubled(["a" * 1000, "b"])
    assert (len(kept), kept.bytes) == (0, 0)


def test_kinds_do_not_mix() -> None:
    kept = text_cache.TextCache()
    assert kept.each("x", ["text"], lambda texts: [b"1"]) == [b"1"]
    assert kept.each("y", ["text"], lambda texts: [b"2"]) == [b"2"]
    assert kept.each("x", ["text"], lambda texts: [b"3"]) == [b"1"]


def test_a_text_that_can_not_be_made_leaves_nothing_behind() -> None:
    kept = text_cache.TextCache()

    def refuse(texts: list[str]) -> list[bytes]:
        raise BadInput("no")

    with pytest.raises(BadInput):
        kept.each("x", ["text"], refuse)
    assert kept.each("x", ["text"], doubled) == [b"texttext"]


def test_stores_in_several_threads_rank_as_one_alone() -> None:
    rng = random.Random(9)
    words = ["".join(rng.choices("abcdefgh", k=4)) for _ in range(2000)]
    pool = [talk(*(" ".join(rng.choices(words, k=15)) for _ in range(6)), id=f"s{i}") for i in range(60)]
    histories = [rng.sample(pool, 20) for _ in range(24)]
    query = " ".join(words[:10])

    def asked(history: list[Session]) -> list[Memory]:
        system = Hybrid()
        for session in history:
            system.store_conversation(session)
        return system.retrieve_memories(query, NOW, 30)

    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(asked, histories))
    forget()
    assert together == [asked(history) for history in histories]


def test_a_full_lexicon_stays_with_its_stores_and_new_ones_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "_lexicons", {})
    monkeypatch.setattr(lexicon, "MOST_WORDS", 3)
    old = BM25()
    old.store_conversation(talk("one apple", "two pears and many plums"))
    before = old.retrieve_memories("plum", NOW, 2)
    new = BM25()
    new.store_conversation(talk("one apple", "two pears and many plums"))
    assert new.retrieve_memories("plum", NOW, 2) == before
    old.store_conversation(talk("plums", id="later"))
    assert [m.id for m in old.retrieve_memories("plum", NOW, 1)] == ["later/t0"]
    assert lexicon.lexicon("english") is not lexicon.lexicon("none")
    with pytest.raises(BadInput, match="klingon"):
        lexicon.lexicon("klingon")
