"""Generated LongMemEval histories: sizes, mixture, order, times, and a proof by brute force that nothing conflicts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtriage import registry
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.suites.longmemeval.conflicts import ChatIndex, Gold, subject_of
from memtriage.suites.longmemeval.data import LongMemEvalFiles
from memtriage.suites.longmemeval.generate.filler import LONGEST, STYLES, filler_chat
from memtriage.suites.longmemeval.generate.haystack import Haystacks
from memtriage.suites.longmemeval.generate.history import ChatOnDay, build_history
from memtriage.suites.longmemeval.generate.questions import generate_outlines, generate_questions
from memtriage.suites.longmemeval.generate.timestamps import resolve
from memtriage.suites.longmemeval.options import M_CHAT_TOKENS, S_CHAT_TOKENS, HistoryPlan
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.question import TYPES, Chat, Message, Question
from memtriage.suites.longmemeval.released import files
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.reading import QuestionReader
from memtriage.suites.longmemeval.released.writing import encode_questions
from memtriage.text.sentences import sentences
from memtriage.text.tokens import count_tokens
from memtriage.text.words import vague_stems, words

SEED = 11
ROWS = 60
POOL = {"pool": "260"}
"""Fewer chats than usual, which recur the more."""


@cache
def questions() -> tuple[Question, ...]:
    return tuple(generate_questions("s", ROWS, SEED, POOL))


def tokens(chat: Chat) -> int:
    return sum(count_tokens(message.text) for message in chat.messages)


def others(question: Question) -> list[Chat]:
    """The chats that have nothing to do with a question."""
    own = {*question.answer_chats, *distractors(question)}
    return [dated.chat for dated in question.history if dated.chat.id not in own]


def distractors(question: Question) -> list[str]:
    """The chats that tell the like of the evidence, of another time."""
    return [dated.chat.id for dated in question.history if dated.chat.id.startswith("beside_")]


def style(chat: Chat) -> str:
    return chat.id.partition("_")[0] if chat.id.startswith(("talk_", "task_")) else "simulated"


# --- fillers -------------------------------------------------------------------------------------------


@given(st.sampled_from(STYLES), st.integers(0, 10**6), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_filler_alternates_has_no_gaps_and_tells_nothing_of_the_user(name: str, seed: int, number: int) -> None:
    chat = filler_chat(name, seed, number)  # type: ignore[arg-type]
    assert chat == filler_chat(name, seed, number)  # type: ignore[arg-type]
    assert [message.role for message in chat.messages] == ["user", "assistant"] * (len(chat.messages) // 2)
    assert len(chat.messages) >= 2
    assert chat.id.startswith(f"{name}_")
    assert "answer" not in chat.id
    for message in chat.messages:
        assert message.text.strip()
        assert not re.search(r"\{([a-z]+|\d+\.\.\d+|[^{}]*\|[^{}]*)\}", message.text), "a gap was left open"
        assert not message.has_answer
    asked = " ".join(message.text for message in chat.messages if message.role == "user")
    assert not re.search(r"\b(I (had|bought|own|live|work|went|started)|my (own|new|wife|husband|job|house))\b", asked)
    assert not re.search(r"(?<!Can )\bI have (?!a question|some time|been wondering)", asked)


@pytest.mark.parametrize(("median", "mean"), [(S_CHAT_TOKENS, 1_500), (M_CHAT_TOKENS, 3_000)])
def test_fillers_have_the_sizes_of_real_chats(median: int, mean: int) -> None:
    for name in STYLES:
        sizes = sorted(tokens(filler_chat(name, SEED, number, median)) for number in range(80))
        assert 0.8 * mean < sum(sizes) / len(sizes) < 1.2 * mean
        assert sizes[0] < 500
        assert 2 * mean - 1_000 < sizes[-1] < 1.5 * LONGEST
        assert 0.75 * median < sizes[len(sizes) // 2] < 1.25 * median


@pytest.mark.parametrize(("size", "mean"), [("s", 115_000 / 50), ("m", 1_500_000 / 500)])
def test_chats_are_as_long_as_the_papers_histories_are(size: str, mean: float) -> None:
    """S has some 50 chats in 115,000 tokens, M 500 in about 1.5 million; drawn in the shares of a history."""
    pool = Haystacks(HistoryPlan.of(size, {}), SEED).pool
    drawn = [
        pool.chat(style, number).tokens for style in ("talk", "task", "simulated", "simulated") for number in range(40)
    ]
    assert 0.88 * mean < sum(drawn) / len(drawn) < 1.12 * mean


def test_simulated_chats_are_laid_out_like_the_released_ones() -> None:
    """Twelve turns; a user who writes a sentence or a few, and an assistant who writes some ten times as much."""
    pool = Haystacks(HistoryPlan.of("s", {}), SEED).pool
    chats = [pool.chat("simulated", number).chat for number in range(40)]
    assert {len(chat.messages) for chat in chats} == {12}
    by_role = {
        role: [count_tokens(m.text) for chat in chats for m in chat.messages if m.role == role]
        for role in ("user", "assistant")
    }
    assert 25 < sum(by_role["user"]) / len(by_role["user"]) < 60
    assert 380 < sum(by_role["assistant"]) / len(by_role["assistant"]) < 520
    said = Counter(
        s for chat in chats for m in chat.messages if m.role == "user" for s in sentences(m.text) if len(s) > 40
    )
    assert sum(count for count in said.values() if count > 1) < 0.05 * said.total(), "requests are rarely the same"


def test_no_two_fillers_are_the_same() -> None:
    chats = [filler_chat(name, SEED, number) for name in STYLES for number in range(200)]
    assert len({chat.id for chat in chats}) == len({chat.messages for chat in chats}) == len(chats)


# --- times ---------------------------------------------------------------------------------------------

DAYS = st.lists(st.none() | st.integers(0, 400), max_size=80).map(
    lambda days: _descending(days),
)


def _descending(days: list[int | None]) -> list[int | None]:
    known = iter(sorted((day for day in days if day is not None), reverse=True))
    return [None if day is None else next(known) for day in days]


@given(DAYS, st.none() | st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers())
@example([0] * 40 + [None] * 40, None, 1)
@example([], None, 1)
@settings(max_examples=150, deadline=None)
def test_times_ascend_strictly_keep_the_days_and_the_question_comes_last(
    days: list[int | None], asked_on: date | None, seed: int
) -> None:
    times, asked = resolve(days, asked_on, Random(seed))
    assert len(times) == len(days)
    assert all(earlier < later for earlier, later in pairwise([*times, asked]))
    assert all(time.second == time.microsecond == 0 for time in times)
    assert asked_on is None or asked.date() == asked_on
    for day, time in zip(days, times, strict=True):
        assert day is None or (asked.date() - time.date()).days == day


@given(st.integers(1, 600), st.integers())
@settings(max_examples=40, deadline=None)
def test_without_anchors_a_history_lies_in_may_2023(count: int, seed: int) -> None:
    times, asked = resolve([None] * count, None, Random(seed))
    assert {(time.year, time.month) for time in (*times, asked)} == {(2023, 5)}
    if count > 200:
        assert len({time.date() for time in times}) > 14, "spread over the month"


def test_more_chats_than_there_are_minutes_are_refused() -> None:
    with pytest.raises(BadInput, match="no minute left"):
        resolve([3, *[None] * 1500, 3], None, Random(1))


@given(
    st.lists(st.none() | st.integers(0, 90), min_size=1, max_size=6),
    st.integers(0, 900),
    st.booleans(),
    st.integers(),
)
@settings(max_examples=80, deadline=None)
def test_a_history_holds_every_chat_once_and_its_evidence_in_order(
    days: list[int | None], count: int, ordered: bool, seed: int
) -> None:
    days = _descending(days) if ordered else days
    told = [ChatOnDay(Chat(f"answer_{number}", ()), day) for number, day in enumerate(days)]
    rest = [Chat(f"talk_{number}", ()) for number in range(count)]
    history, asked_at = build_history(told, rest, ordered, None, Random(seed))
    ids = [dated.chat.id for dated in history]
    assert Counter(ids) == Counter(chat.id for chat in (*(one.chat for one in told), *rest))
    assert all(earlier.at < later.at for earlier, later in pairwise(history))
    assert history[-1].at < asked_at
    times = {dated.chat.id: datetime.fromisoformat(dated.at) for dated in history}
    asked = datetime.fromisoformat(asked_at)
    for one in told:
        assert one.days_before is None or (asked.date() - times[one.chat.id].date()).days == one.days_before
    if ordered:
        assert [id for id in ids if id.startswith("answer")] == [one.chat.id for one in told]


def test_evidence_can_stand_anywhere_in_a_history() -> None:
    rest = [Chat(f"talk_{number}", ()) for number in range(9)]
    places = Counter(
        [
            dated.chat.id
            for dated in build_history([ChatOnDay(Chat("answer", ()), None)], rest, False, None, Random(seed))[0]
        ].index("answer")
        for seed in range(1000)
    )
    assert set(places) == set(range(10))
    assert min(places.values()) > 60


# --- conflicts -----------------------------------------------------------------------------------------


def _outline(question: str, answer: str, *statements: Statement, **more: object) -> Outline:
    return Outline("q", "single-session-user", question, answer, statements, **more)  # type: ignore[arg-type]


def _index(text: str, *keys: str) -> ChatIndex:
    return ChatIndex.of(Chat("c", (Message("user", "Hello there."), Message("assistant", text))), keys)


def test_a_chat_conflicts_by_its_keys_or_by_its_words() -> None:
    told = Statement(
        "owned/cars", "I got a Morvane Coupe for 9,500.", ("Morvane Coupe", "9,500"), frozenset({"owned/cars#model"})
    )
    gold = Gold.of(_outline("Which car did I buy?", "a Morvane Coupe", told))
    assert gold.conflict(_index("Nothing.", "owned/cars#model")) == "topic"
    assert gold.conflict(_index("Nothing.", "owned/cars")) == "topic", "an attribute covers its slots"
    assert gold.conflict(_index("Nothing.", "owned/cars#colour")) is None
    assert gold.conflict(_index("Nothing.", "owned/bikes")) is None
    assert gold.conflict(_index("The Morvane is a fine car, as a coupe.")) == "words"
    assert gold.conflict(_index("A car for 9,500 is a bargain.")) == "words"
    assert gold.conflict(_index("There are cars.\nThe Morvane Coupe has four seats.")) is None
    assert gold.conflict(_index("My car is a coupe.")) is None


def test_what_must_not_be_told_conflicts_wherever_it_stands() -> None:
    told = Statement("owned/pet", "My cat is called Pim.", ("Pim",), frozenset({"owned/pet"}))
    gold = Gold.of(_outline("What is my hamster called?", "never told", told, abstention=True, untold=("hamster",)))
    assert gold.conflict(_index("Hamsters sleep by day.")) == "words"
    assert gold.conflict(_index("It was never told.")) is None, "that answer is no information"


def _overlap(own: str, other: str) -> bool:
    return own == other or own.split("#")[0] == other or other.split("#")[0] == own


def _content(text: str) -> set[str]:
    """An independent way to the same words: through the whole text's tokens."""
    return {stem for part in re.split(r"[\W_]+", text) for stem in words(part).stems}


def test_no_filler_of_a_seeded_set_tells_of_a_question_by_brute_force() -> None:
    """Every sentence of every filler against every phrase of the gold, by other code than the generator's."""
    haystacks = Haystacks(HistoryPlan.of("s", POOL), SEED)
    keys = {}
    for number in range(haystacks.pool.count("simulated")):
        pooled = haystacks.pool.chat("simulated", number)
        keys[pooled.chat.id] = pooled.index.keys
    said = cache(lambda chat: [_content(one) for m in chat.messages for one in sentences(m.text)])
    checked = 0
    for question, seed in zip(questions(), generate_outlines(ROWS, SEED), strict=True):
        subject = set(subject_of(seed.text))
        phrases = [_content(text) - vague_stems() for one in seed.statements for text in (*one.details, *one.values)]
        untold = [_content(text) for text in seed.untold]
        for chat in others(question):
            assert not any(_overlap(own, key) for own in seed.keys for key in keys.get(chat.id, ()))
            for sentence in said(chat):
                checked += 1
                assert not any(phrase and phrase <= sentence for phrase in untold), (question.id, chat.id)
                for phrase in phrases:
                    if phrase and len(phrase) < 8 and phrase <= sentence:
                        assert not (subject - phrase) & sentence, (question.id, chat.id, phrase)
    assert checked > 100_000


@pytest.mark.parametrize("seed", [6, 7])
def test_enough_of_a_pool_fits_every_question_for_histories_of_500_sessions(seed: int) -> None:
    """Half of a history are simulated chats, so that a pool of 2,000 must have 250 that bear on no question."""
    pool = Haystacks(HistoryPlan.of("m", {"pool": "200"}), seed).pool
    indexes = [pool.chat("simulated", number).index for number in range(pool.count("simulated"))]
    for outline in generate_outlines(500, seed):
        gold = Gold.of(outline)
        assert sum(gold.conflict(one) is None for one in indexes) > len(indexes) / 2, outline.text


# --- whole data sets -----------------------------------------------------------------------------------


def test_histories_of_the_s_size_have_about_115k_tokens_in_the_papers_mixture() -> None:
    shares: Counter[str] = Counter()
    for question in questions()[:20]:
        total = sum(tokens(dated.chat) for dated in question.history)
        assert 105_000 < total <= 116_000
        assert 35 < len(question.history) < 75
        mine = Counter(style(chat) for chat in others(question))
        assert abs(mine["simulated"] - mine.total() / 2) <= 2
        assert abs(mine["talk"] - mine["task"]) <= 2
        shares += mine
    for name, share in (("talk", 0.25), ("task", 0.25), ("simulated", 0.5)):
        assert abs(shares[name] / shares.total() - share) < 0.02


def test_every_question_has_its_evidence_once_marked_and_word_for_word() -> None:
    for question in questions():
        ids = [dated.chat.id for dated in question.history]
        assert len(ids) == len(set(ids))
        assert set(question.answer_chats) <= set(ids)
        assert {id for id in ids if "answer" in id} == set(question.answer_chats)
        chats = {dated.chat.id: dated.chat for dated in question.history}
        for evidence in question.evidence:
            message = chats[evidence.chat].messages[evidence.message]
            assert message.has_answer
            assert all(text in message.text for text in evidence.texts)
            told = " ".join(evidence.texts).lower()
            assert all(detail.lower() in told for detail in evidence.details)
        unmarked = (dated.chat for dated in question.history if dated.chat.id not in question.answer_chats)
        assert not any(message.has_answer for chat in unmarked for message in chat.messages)
        assert question.abstention or {one.chat for one in question.evidence} == set(question.answer_chats)
        assert not (question.abstention and question.evidence)


def test_chats_and_question_are_in_strict_order_of_time() -> None:
    for question in questions():
        times = [dated.at for dated in question.history]
        assert all(earlier < later for earlier, later in pairwise([*times, question.asked_at]))


def test_what_must_come_in_order_does_and_days_are_kept() -> None:
    seen: Counter[str] = Counter()
    for question, seed in zip(questions(), generate_outlines(ROWS, SEED), strict=True):
        times = {dated.chat.id: datetime.fromisoformat(dated.at) for dated in question.history}
        held = sorted(times[id] for id in (*question.answer_chats, *distractors(question)))
        asked = datetime.fromisoformat(question.asked_at)
        if seed.ordered:
            seen["ordered"] += 1
            told = [times[id] for id in question.answer_chats]
            assert told == sorted(told)
        in_order = held if seed.ordered else [times[id] for id in question.answer_chats]
        for statement, time in zip(seed.statements, in_order, strict=True):
            if statement.days_before is not None:
                seen["dated"] += 1
                assert (asked.date() - time.date()).days == statement.days_before
        if seed.asked_on:
            assert question.asked_at.startswith(seed.asked_on)
    assert seen["ordered"] > 2
    assert seen["dated"] > 2


def test_all_seven_types_are_there() -> None:
    assert {question.type for question in questions()} == set(TYPES)
    assert any(question.abstention for question in questions())
    assert len({question.id for question in questions()}) == ROWS


def test_the_same_seed_gives_the_same_and_another_seed_another_set() -> None:
    again = tuple(generate_questions("s", 6, SEED, {"sessions": "20", "pool": "80"}))
    assert again == tuple(generate_questions("s", 6, SEED, {"sessions": "20", "pool": "80"}))
    assert {q.text for q in generate_questions("oracle", 6, SEED + 1, {})} != {q.text for q in again}
    assert {q.id for q in generate_questions("oracle", 6, SEED + 1, {})}.isdisjoint(q.id for q in again)


def test_chats_recur_across_questions_as_the_same_objects() -> None:
    seen: dict[str, Chat] = {}
    recurred = 0
    for question in questions():
        for chat in others(question):
            recurred += chat.id in seen
            assert seen.setdefault(chat.id, chat) is chat
    assert recurred > 300


@pytest.mark.parametrize("size", ["s", "m"])
def test_a_size_may_be_given_in_sessions(size: str) -> None:
    for question in generate_questions(size, 4, SEED, {"sessions": "30", "pool": "150"}):
        assert len(question.history) == 30


def test_m_has_500_sessions_of_the_same_questions() -> None:
    large = list(generate_questions("m", 2, SEED, {"pool": "640"}))
    assert [len(question.history) for question in large] == [500] * 2
    small = list(generate_questions("oracle", 2, SEED, {}))
    assert [question.text for question in small] == [question.text for question in large]
    for question, evidence in zip(large, small, strict=True):
        chats = {dated.chat.id: dated.chat for dated in question.history}
        assert all(chats[dated.chat.id] == dated.chat for dated in evidence.history)
        assert {dated.chat.id for dated in evidence.history} == set(question.answer_chats)


def test_other_mixtures_and_token_limits() -> None:
    for question in generate_questions("s", 3, SEED, {"tokens": "20k", "mixture": "0/100/0"}):
        assert {style(chat) for chat in others(question)} == {"task"}
        assert sum(tokens(dated.chat) for dated in question.history) <= 20_400


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"sesions": "3"}, "sessions"),
        ({"sessions": "many"}, "not 'many'"),
        ({"tokens": "0"}, "not '0'"),
        ({"mixture": "50/50"}, "three shares"),
        ({"mixture": "50/50/50"}, "150"),
        ({"pool": "40", "sessions": "100"}, "pool"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Mapping[str, str], problem: str) -> None:
    with pytest.raises(BadInput, match=re.escape(problem)):
        list(generate_questions("s", 1, SEED, options))


def test_oracle_takes_no_length_and_sizes_are_known() -> None:
    with pytest.raises(BadInput, match="evidence alone"):
        list(generate_questions("oracle", 1, SEED, {"sessions": "10"}))
    with pytest.raises(BadInput, match="xl"):
        list(generate_questions("xl", 1, SEED, {}))


# --- files ---------------------------------------------------------------------------------------------


def _read(path: Path) -> list[Question]:
    complaints = Complaints(path)
    reader = QuestionReader(complaints)
    found = [reader.question(number, entry) for number, entry in files.Entries(path, complaints.of_file)]
    assert complaints.lines() == []
    return [question for question in found if question is not None]


@pytest.mark.parametrize("size", ["s", "oracle"])
def test_what_is_written_reads_back_the_same(tmp_path: Path, size: str) -> None:
    options = {"sessions": "12", "pool": "80"} if size == "s" else {}
    path, config = LongMemEvalFiles().generate([size], 30, SEED, tmp_path, lambda name, share: None, options)
    assert path.name == f"longmemeval_{size}_generated.json"
    expected = list(generate_questions(size, 30, SEED, options))
    assert _read(path) == expected
    told = json.loads(config.read_text())
    assert told["questions"] == 30
    assert told["seed"] == SEED
    assert told["sha256"]
    entries = json.loads(path.read_text())
    assert list(entries[0])[:8] == [
        "question_id",
        "question_type",
        "question",
        "answer",
        "question_date",
        "haystack_dates",
        "haystack_session_ids",
        "haystack_sessions",
    ]
    assert b"".join(encode_questions(expected)) == path.read_bytes()
    (checked,) = LongMemEvalFiles().validate(tmp_path)
    assert (checked.rows, checked.task, checked.path) == (30, f"longmemeval/{size}", path)
    assert [problem.message for problem in checked.problems] == []


def test_validation_names_what_is_wrong(tmp_path: Path) -> None:
    path, _ = LongMemEvalFiles().generate(
        ["s"], 12, SEED, tmp_path, lambda name, share: None, {"sessions": "8", "pool": "60"}
    )
    entries = json.loads(path.read_text())
    plain = [entry for entry in entries if not entry["question_id"].endswith("_abs")]
    first, second, third, fourth = plain[:4]
    first["question_date"] = first["haystack_dates"][0]
    del second["question"]
    third["answer_session_ids"].append("answer_gone")
    place = fourth["haystack_session_ids"].index(fourth["answer_session_ids"][0])
    for message in fourth["haystack_sessions"][place]:
        message.pop("has_answer", None)
    path.write_text(json.dumps(plain))
    (checked,) = LongMemEvalFiles().validate(path)
    errors = [problem.message for problem in checked.problems if problem.is_error]
    for entry, what in (
        (first, "order of time"),
        (second, "no question"),
        (third, "answer_gone"),
        (fourth, "has_answer"),
    ):
        assert any(repr(entry["question_id"]) in line and what in line for line in errors), what
    path.write_text(path.read_text()[:2000])
    (torn,) = LongMemEvalFiles().validate(path)
    assert any(problem.is_error for problem in torn.problems)
    with pytest.raises(BadInput, match="no file of questions"):
        list(LongMemEvalFiles().validate(tmp_path / "elsewhere"))


def test_the_statistics_count_every_question_and_its_evidence(tmp_path: Path) -> None:
    said = [
        {"role": role, "content": f"{role} {n}", **({"has_answer": n == 4} if role == "user" else {})}
        for n in range(6)
        for role in ("user", "assistant")
    ]
    entry = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Where do I row?",
        "answer": "in Ely",
        "question_date": "2023/05/30 (Tue) 21:40",
        "haystack_dates": ["2023/05/20 (Sat) 10:00", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["answer_1", "talk_1"],
        "haystack_sessions": [said, [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]],
        "answer_session_ids": ["answer_1"],
    }
    (tmp_path / "longmemeval_s.json").write_text(json.dumps([entry]))
    suite, _ = registry.tasks("longmemeval/s")
    assert suite.statistics is not None
    lengths, kinds = suite.statistics(["s"], Request(data=tmp_path / "longmemeval_s.json"))
    assert lengths.rows[0][2] == 2
    assert [row[:3] for row in kinds.rows] == [
        ("type of question", "single-session-user", 1),
        ("sessions with evidence", "1", 1),
        ("place of the evidence in its session", "last third", 1),
    ]
    (generated,) = suite.statistics(["oracle"], Request(rows=20))
    assert sum(int(str(row[2])) for row in generated.rows if row[0] == "type of question") == 20
