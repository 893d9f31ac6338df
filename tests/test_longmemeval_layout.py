"""LongMemEval's questions as episodes: what has to be remembered, what is asked, which answers are corrected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from conftest import shared_data
from memtriage.core.episode import Episode, Outdated
from memtriage.core.suite import Request
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.store import diagnose
from memtriage.suites.longmemeval import errata
from memtriage.suites.longmemeval.episodes import episode
from memtriage.suites.longmemeval.question import TYPES, Chat, DatedChat, Evidence, Message, Question, QuestionType
from memtriage.suites.longmemeval.released.align import find_evidence
from memtriage.suites.longmemeval.released.writing import encode_questions
from memtriage.suites.longmemeval.suite import load
from memtriage.text.sentences import sentences
from memtriage.text.words import words
from test_longmemeval_files import entry, save


def question_with(
    text: str,
    answer: str,
    *said: str | tuple[str, str],
    type: QuestionType = "multi-session",
    id: str = "q",
    evidence: tuple[Evidence, ...] | None = None,
) -> Question:
    """A question about messages, each the marked one of a chat of its own; a pair is the user's and the assistant's."""
    chats = []
    for number, one in enumerate(said, start=1):
        pair = (one,) if isinstance(one, str) else one
        messages = tuple(Message(role, m, True) for role, m in zip(("user", "assistant"), pair, strict=False))
        chats.append(Chat(f"answer_{number}", messages))
    history = tuple(DatedChat(f"2023-05-{number:02}T10:00", chat) for number, chat in enumerate(chats, start=1))
    made = Question(id, type, text, answer, "2023-06-01T12:00", history, tuple(chat.id for chat in chats))
    return replace(made, evidence=find_evidence(made) if evidence is None else evidence)


# ------------------------------------------------------------------ what matters in a marked message


def test_the_fact_said_by_the_way_is_found_with_its_figure() -> None:
    made = question_with(
        "How much did I pay for the kayak and the paddle together?",
        "$465",
        "I want to plan a trip down the river. Which months are best? By the way, I paid $380 for the kayak last week.",
        "Can you list stretches for sore shoulders? I use a paddle a lot, and mine cost me $85. Thanks in advance!",
    )
    assert [one.texts for one in made.evidence] == [
        ("By the way, I paid $380 for the kayak last week.",),
        ("I use a paddle a lot, and mine cost me $85.",),
    ]
    assert [one.details for one in made.evidence] == [("$380",), ("$85",)]


def test_the_answer_itself_is_the_detail_where_it_was_said() -> None:
    (one,) = question_with(
        "What is the name of my sister's parrot?",
        "Captain Biscuit",
        "Do parrots like mango? My sister's parrot, Captain Biscuit, stole some. It was funny.",
        type="single-session-user",
    ).evidence
    assert one.texts == ("My sister's parrot, Captain Biscuit, stole some.",)
    assert one.details == ("Captain Biscuit",)


@pytest.mark.parametrize(
    ("question", "answer", "said", "details"),
    [
        ("What is my cat called?", "Milo", "I adopted a cat called Milo.", ("Milo", "cat")),
        ("What is the name of my cat?", "Milo", "My cat's name is Milo and he is shy.", ("Milo", "cat's")),
        ("Where do I work?", "Acme", "I work at Acme.", ("Acme", "work")),
        ("Where was my last trip?", "Oslo", "My last trip was to Rome.", ("last trip", "Rome")),
        ("Do I like tea or coffee?", "coffee", "I like coffee.", ("like coffee",)),
        ("Is my bike still red?", "Yes", "My bike got a fresh coat of red.", ("My bike got a fresh coat of red",)),
    ],
)
def test_the_answer_is_always_a_detail_and_the_question_never_the_only_one(
    question: str, answer: str, said: str, details: tuple[str, ...]
) -> None:
    (one,) = question_with(question, answer, said, type="single-session-user").evidence
    assert set(one.details) == set(details)


def test_a_date_belongs_to_what_is_asked_about_time() -> None:
    (one,) = question_with(
        "Which happened first, the regatta or the recital?",
        "The regatta",
        "Any tips for blisters? I rowed in the regatta on March 4th. My hands hurt.",
        type="temporal-reasoning",
    ).evidence
    assert one.details == ("March 4th", "regatta")


def test_an_answer_spread_over_sentences_takes_all_of_them() -> None:
    (one,) = question_with(
        "Which three spices did you suggest for the stew?",
        "sumac, mace and fenugreek",
        (
            "Which spices fit?",
            "Here are some ideas.\n1. Sumac for tang\n2. Mace for warmth\n3. Fenugreek at the end\nEnjoy!",
        ),
        type="single-session-assistant",
    ).evidence[1:]
    assert one.texts == ("1. Sumac for tang", "2. Mace for warmth", "3. Fenugreek at the end")
    assert {detail.lower() for detail in one.details} == {"sumac", "mace", "fenugreek"}


def test_what_the_assistant_only_took_up_need_not_be_remembered_but_is_a_target() -> None:
    said = ("I took up the bassoon.", "The bassoon, how lovely!")
    told_by_user = question_with("What did I take up?", "the bassoon", said, type="single-session-user")
    assert [one.message for one in told_by_user.evidence] == [0]
    assert episode(told_by_user, "s").probes[0].targets == ("answer_1_1", "answer_1_2")
    told = question_with("What did you call lovely?", "the bassoon", said, type="single-session-assistant")
    assert [one.message for one in told.evidence] == [0, 1]


def test_a_preference_is_told_by_what_the_rubric_shares_with_the_message() -> None:
    (one,) = question_with(
        "Any ideas for the weekend?",
        "The user would prefer suggestions about fermenting vegetables, such as kimchi. They might not like takeaway.",
        "Hello there. I got hooked on fermenting vegetables at home. What is a good jar?",
        type="single-session-preference",
    ).evidence
    assert one.texts == ("I got hooked on fermenting vegetables at home.",)
    assert one.details == ("fermenting vegetables",)


# ------------------------------------------------------------------ episodes


def test_an_episode_has_one_probe_and_the_papers_numbering() -> None:
    chat = Chat(
        "answer_a_1", (Message("user", "Hm?"), Message("assistant", " "), Message("user", "I own a yak.", True))
    )
    made = Question(
        "q7", "multi-session", "What?", "a yak", "2023-06-01T12:00", (DatedChat("2023-05-01T10:00", chat),), ("x",)
    )
    made = replace(made, evidence=find_evidence(made), tags={"time": "explicit"})
    one = episode(made, "m")
    (session,) = one.sessions
    (probe,) = one.probes
    assert (one.id, one.task) == ("q7", "longmemeval/m")
    assert (session.id, session.timestamp) == ("answer_a_1", "2023-05-01T10:00")
    assert [turn.id for turn in session.turns] == ["answer_a_1_1", "answer_a_1_3"]  # an empty message is no turn
    assert (probe.id, probe.task, probe.cluster, probe.scoring) == ("q7", "longmemeval/multi-session", "q7", "free")
    assert (probe.asked_at, probe.targets, probe.sufficient) == (made.asked_at, ("answer_a_1_3",), (("answer_a_1_3",),))
    assert probe.tags == {"type": "multi-session", "sessions": "1", "time": "explicit"}
    (fact,) = one.facts
    assert (fact.id, fact.turns, fact.evidence) == ("answer_a_1_3", ("answer_a_1_3",), ("I own a yak.",))


def test_a_chat_that_recurs_has_the_very_same_turns_in_every_episode() -> None:
    first = question_with("What do I weigh?", "75 kilos", "I weigh 75 kilos.", "I row.")
    other = question_with("What do I weigh?", "75 kilos", "I weigh 75 kilos.", "I ski.", id="r")
    history = (DatedChat("2024-01-01T10:00", first.history[0].chat), other.history[1])
    one, two = episode(first, "s"), episode(replace(other, history=history), "s")
    assert one.sessions[0].turns is two.sessions[0].turns
    assert (one.sessions[0].timestamp, two.sessions[0].timestamp) == ("2023-05-01T10:00", "2024-01-01T10:00")
    assert [turn.text for turn in two.sessions[1].turns] == ["I ski."]
    assert two.probes[0].targets == ("answer_1_1", "answer_2_1")


def test_an_abstention_needs_nothing_and_has_no_targets(tmp_path: Path) -> None:
    loaded = load("s", Request(data=save(tmp_path, entry("q_abs", answer_session_ids=["answer_1", "answer_9"]))))
    (one,) = loaded.episodes
    (probe,) = one.probes
    assert (probe.scoring, probe.sufficient, probe.targets, one.facts) == ("abstain", (), (), ())
    assert probe.task == "longmemeval/abstention"
    assert probe.tags["type"] == "single-session-user"


def test_what_is_outdated_is_not_needed_but_known() -> None:
    told = ("I weigh 80 kilos.", "I weigh 75 kilos now.")
    evidence = tuple(
        Evidence(f"answer_{n}", 0, (text,), (text.split()[2],), outdated=n == 1) for n, text in enumerate(told, start=1)
    )
    (probe,) = episode(question_with("What do I weigh?", "75 kilos", *told, evidence=evidence), "s").probes
    assert probe.sufficient == (("answer_2_1",),)
    assert probe.outdated == (Outdated("answer_1_1", ("answer_2_1",)),)


def test_in_released_files_every_marked_message_is_needed() -> None:
    made = question_with(
        "What did I weigh before?", "80 kilos", "I weigh 80 kilos.", "I weigh 75 kilos.", type="knowledge-update"
    )
    (probe,) = episode(made, "s").probes
    assert (probe.sufficient, probe.outdated) == ((("answer_1_1", "answer_2_1"),), ())


def test_a_question_that_is_written_comes_back_as_it_was(tmp_path: Path) -> None:
    told = ("I weigh 80 kilos.", "I weigh 75 kilos now.")
    evidence = tuple(Evidence(f"answer_{n}", 0, (text,), ("kilos",), n == 1) for n, text in enumerate(told, start=1))
    made = replace(question_with("What do I weigh?", "75 kilos", *told, evidence=evidence), tags={"time": "none"})
    path = tmp_path / "longmemeval_m_generated.json"
    path.write_bytes(b"".join(encode_questions([made])))
    loaded = load("s", Request(data=path))
    assert list(loaded.episodes) == [episode(made, "m")]
    assert loaded.provenance["problems"] == []


# ------------------------------------------------------------------ errata


def test_a_known_wrong_answer_is_corrected_and_the_released_one_kept_beside_it(tmp_path: Path) -> None:
    known = errata.load()
    wrong = next(iter(known.entries.values()))
    path = save(tmp_path, entry(wrong.question_id, answer=wrong.was), entry("q2", answer=wrong.was))
    on, off = (load("s", Request(data=path, options={"errata": way})) for way in ("on", "off"))
    corrected, other = (one.probes[0] for one in on.episodes)
    assert (corrected.gold, corrected.tags["errata"], corrected.tags["gold_released"]) == (
        wrong.gold,
        "corrected",
        wrong.was,
    )
    assert (other.gold, "errata" in other.tags) == (wrong.was, False)
    assert on.provenance["corrected"] == [wrong.question_id]
    assert on.provenance["errata"] == known.version
    assert [one.probes[0].gold for one in off.episodes] == [wrong.was, wrong.was]
    assert off.provenance["errata"] == "off"


def test_an_answer_that_was_mended_at_its_source_is_left_alone() -> None:
    wrong = next(iter(errata.load().entries.values()))
    made = replace(question_with("?", "something else", "I row."), id=wrong.question_id)
    assert errata.load().applied(made) is made


def test_errata_say_why_and_by_whom_and_their_arithmetic_holds() -> None:
    known = errata.load().entries
    assert all(one.was != one.gold and one.why and one.source for one in known.values())
    jog = (date(2023, 4, 10) - date(2023, 1, 19)).days
    assert (jog, jog // 7, round(jog / 7)) == (81, 11, 12)
    assert all(text in known["370a8ff4"].gold for text in ("81 days", "11 weeks", "12 weeks"))
    walk = (date(2023, 3, 7) - date(2023, 2, 21)).days
    assert known["f0853d11"].gold.startswith(f"{walk} days. {walk + 1} days")


# ------------------------------------------------------------------ the released sample


@pytest.fixture(scope="module")
def sample() -> tuple[list[Episode], Mapping[str, object]]:
    path = shared_data("longmemeval/longmemeval_s_sample.json")
    loaded = load("s", Request(data=path))
    return list(loaded.episodes), loaded.provenance


def test_the_sample_is_read_whole(sample: tuple[list[Episode], Mapping[str, object]]) -> None:
    episodes, provenance = sample
    assert [len(one.sessions) for one in episodes] == [53, 39, 41, 3]
    assert [len(one.facts) for one in episodes] == [1, 2, 2, 2]
    assert provenance["rows"] == 4
    assert all(list(one.sessions) == sorted(one.sessions, key=lambda s: str(s.timestamp)) for one in episodes)
    for one in episodes:
        turns = {turn.id: turn.text for session in one.sessions for turn in session.turns}
        for fact in one.facts:
            assert set(fact.evidence) <= set(sentences(turns[fact.turns[0]]))
            said = {stem for text in fact.evidence for stem in words(text).stems}
            assert all(set(words(detail).stems) <= said for detail in fact.details)


def stores(one: Episode) -> Iterator[dict[str, str]]:
    """What memories that keep words as they are hold: by turn, by round, by session."""
    yield {turn.id: turn.text for session in one.sessions for turn in session.turns}
    pairs = ((s.turns[n : n + 2], s) for s in one.sessions for n in range(0, len(s.turns), 2))
    yield {pair[0].id: "\n".join(f"{turn.role}: {turn.text}" for turn in pair) for pair, _ in pairs}
    yield {session.id: session.text for session in one.sessions}


def verdict(one: Episode, store: Mapping[str, str], shown: list[str]) -> ProbeVerdict:
    snapshot = Snapshot("x", one.sessions[-1].id, None, tuple(store))
    history = History(Ingest(len(one.sessions), 0.0), (snapshot,))
    retrieved = tuple(Retrieved(key, rank) for rank, key in enumerate(shown, start=1))
    trace = Trace(one.probes[0].id, len(shown), "x", retrieved)
    (found,) = diagnose(
        one, history, [trace], lambda keys: {key: store[key] for key in keys}, "longmemeval", "verbatim"
    )
    return found


def test_verdicts_on_memories_that_keep_words_are_exact(sample: tuple[list[Episode], Mapping[str, object]]) -> None:
    for one in sample[0][1::2]:  # the smaller ones
        for store in stores(one):
            holding = [key for key, text in store.items() if any(fact.evidence[0] in text for fact in one.facts)]
            assert len(holding) == len(one.facts)
            right = verdict(one, store, holding)
            assert (right.verdict, {fact.verdict for fact in right.facts}) == ("correct", {"correct"})
            others = [key for key in store if key not in holding]
            assert {fact.verdict for fact in verdict(one, store, others[:20]).facts} == {"not_retrieved"}
        turns = next(stores(one))
        without = {key: text for key, text in turns.items() if key not in {fact.id for fact in one.facts}}
        assert {fact.verdict for fact in verdict(one, without, list(without)[:20]).facts} == {"not_stored"}


def test_every_marked_message_of_the_sample_gives_whole_sentences_and_their_details() -> None:
    path = shared_data("longmemeval/evidence_turns_250.json")
    facts = 0
    for row in json.loads(path.read_text(encoding="utf-8")):
        chats = [
            Chat(f"a{n}", tuple(Message(m["role"], m["content"], True) for m in s))
            for n, s in enumerate(row["evidence_sessions"])
        ]
        history = tuple(DatedChat("2023-05-01T10:00", chat) for chat in chats)
        assert row["question_type"] in TYPES
        made = Question("q", row["question_type"], row["question"], str(row["answer"]), "2023-06-01T12:00", history, ())
        by_id = {chat.id: chat for chat in chats}
        for one in find_evidence(made):
            facts += 1
            assert set(one.texts) <= set(sentences(by_id[one.chat].messages[one.message].text))
            said = {stem for text in one.texts for stem in words(text).stems}
            assert one.details
            assert all(set(words(detail).stems) <= said and words(detail).stems for detail in one.details)
    assert facts > 400
