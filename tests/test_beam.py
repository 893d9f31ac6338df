"""BEAM: chats of any length drawn by seed, released ones read as a stream, ten abilities, and scores by nuggets."""

from __future__ import annotations

import json
import math
import re
import tracemalloc
from collections.abc import Iterator
from datetime import datetime
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scipy.stats import kendalltau

import memtriage
from conftest import Cli
from memtriage.core.episode import Episode, Fact, Probe, Session, Streamed, Turn
from memtriage.core.errors import BadInput
from memtriage.core.rubric import NUGGET_RULES
from memtriage.core.suite import Request
from memtriage.diagnose.judge.prompts import Case, Ruling, prompt, rulings
from memtriage.metrics.order import ordering, tau_b
from memtriage.models.scripted import StubServer
from memtriage.models.scripted.judge import content, decide
from memtriage.suites.beam.generate.chat import GeneratedChat
from memtriage.suites.beam.question import ABILITIES, INSTRUCTION, task_of
from memtriage.suites.beam.reading import literal
from memtriage.suites.beam.suite import SUITE, load
from memtriage.suites.kit import json_stream
from memtriage.suites.kit.shortcuts import guessable
from memtriage.text.sentences import sentences
from memtriage.text.tokens import count_tokens
from test_memfail_pull import Site, site  # noqa: F401  (a fixture)

SMALL = 12_000


def chat(number: int = 0, tokens: int = SMALL, seed: int = 42) -> GeneratedChat:
    return GeneratedChat(seed, number, tokens)


def user_turns(sessions: Any) -> list[str]:
    return [turn.text for session in sessions for turn in session.turns if turn.role == "user"]


# ------------------------------------------------------------------ generated chats


@pytest.mark.parametrize("tokens", [SMALL, 60_000, 250_000])
def test_a_chat_is_as_long_as_was_asked_for_and_the_same_each_time(tokens: int) -> None:
    made = chat(tokens=tokens)
    sessions = list(made.episode().sessions)
    said = sum(count_tokens(turn.text) for session in sessions for turn in session.turns)
    assert tokens <= said * 1.01
    assert said <= tokens + 6_000  # the last session may go beyond it
    assert sessions == list(chat(tokens=tokens).episode().sessions)
    dates = [session.timestamp or "" for session in sessions]
    assert dates == sorted(dates)
    assert all(8 <= datetime.fromisoformat(date).hour < 22 for date in dates)


def test_fewer_rows_are_the_first_of_more_and_seeds_differ() -> None:
    def ids(rows: int, seed: int = 7) -> list[list[str]]:
        loaded = load(Request(seed=seed, rows=rows, options={"tokens": "12k"}))
        return [[session.id for session in episode.sessions] for episode in loaded.episodes]

    assert ids(3)[:2] == ids(2)
    assert ids(1, 8) != ids(1)


def test_all_abilities_are_asked_twice_and_nothing_tells_which_is_which() -> None:
    episode = chat().episode()
    assert [probe.tags["ability"] for probe in episode.probes] == [ability for ability in ABILITIES for _ in range(2)]
    assert {probe.task for probe in episode.probes} == {task_of(ability) for ability in ABILITIES}
    assert {probe.instruction for probe in episode.probes} == {INSTRUCTION}
    # ids of sessions don't say which of them tell what is asked
    assert {len(session.id) for session in episode.sessions} == {12}
    told = {fact.turns[0].rpartition("_")[0] for fact in episode.facts}
    assert told < {session.id for session in episode.sessions}


def test_a_question_told_once_changed_or_never_is_worded_alike() -> None:
    forms: dict[str, set[str]] = {}
    for number in range(40):
        made = chat(number)
        for question in made.plan.questions:
            form = question.text
            for project in made.plan.projects:
                form = form.replace(str(project), "X")
            forms.setdefault(question.ability, set()).add(form)
    assert len(forms["abstention"]) == 7
    assert forms["abstention"] == forms["information_extraction"] == forms["knowledge_update"]


def test_evidence_is_a_sentence_of_its_turn_word_for_word() -> None:
    for number in range(5):
        episode = chat(number).episode()
        turns = {turn.id: turn for session in episode.sessions for turn in session.turns}
        for fact in episode.facts:
            (id,) = fact.turns
            assert turns[id].role == "user"
            assert fact.text in sentences(turns[id].text)
            assert all(detail in fact.text for detail in fact.details)
            assert fact.subject in fact.text


# What the test knows of how things are told, apart from the words that the generator draws from.
TOLD = {
    "What is the budget for {}?": r"(?=.*(?:budget|to spend)).*\$[\d,]+",
    "Who keeps the accounts of {}?": r"accounts|keeps",
    "Where will the launch of {} be?": r"launch of .*(?: in | is )the [A-Z]|booked the|which is the [A-Z]",
    "How many helpers does {} have?": r"\d+ helpers",
    "Which firm does the printing for {}?": r" & ",
    "When does the team of {} meet each week?": r"day at \d+:\d\d",
    "What is the number of the storeroom of {}?": r"\b[A-H]-\d{3}\b",
}


def about(turns: list[str], project: str) -> list[str]:
    return [turn for turn in turns if project.lower() in turn.lower()]


def money(text: str) -> int:
    return int(re.findall(r"\$([\d,]+)", text)[-1].replace(",", ""))


@pytest.mark.parametrize("number", range(8))
def test_golds_follow_from_what_is_said(number: int) -> None:
    """Every gold answer worked out a second time, from the text alone."""
    made = chat(number, 40_000)
    turns = user_turns(made.episode().sessions)
    projects = [str(project) for project in made.plan.projects]
    for question in made.plan.questions:
        named = sorted((p for p in projects if p in question.text), key=question.text.index)
        if question.ability in ("information_extraction", "knowledge_update", "abstention"):
            (project,) = named
            pattern = TOLD[question.text.replace(project, "{}")]
            telling = [turn for turn in about(turns, project) if re.search(pattern, turn)]
            (count,) = {"information_extraction": [1], "knowledge_update": [2], "abstention": [0]}[question.ability]
            assert len(telling) == count, (question, telling)
            if telling:
                value = question.nuggets[0].removeprefix("It is ").removesuffix(".")
                assert value in telling[-1]
                assert not any(value in turn for turn in telling[:-1])
        elif question.ability == "temporal_reasoning":
            (project,) = named
            first, last = re.findall(r"the ([a-z ]+?) (?:and|of)\b", question.text)
            days = []
            for day in (first, last):
                told = [t for t in about(turns, project) if f"the {day} of" in t.lower()]
                (date,) = re.findall(r"\d+ [A-Z][a-z]+ 2026", " ".join(told))
                days.append(datetime.strptime(date, "%d %B %Y"))
            assert f"There are {(days[1] - days[0]).days} days between them." == question.nuggets[0]
        elif question.ability == "event_ordering":
            told = [turn for turn in about(turns, named[0]) if "setback" in turn]
            assert len(told) == len(question.nuggets) >= 4
            assert all(nugget[1:] in turn for nugget, turn in zip(question.nuggets, told, strict=True))
        elif question.ability == "summarization":
            told = [t for t in about(turns, named[0]) if re.search(r"step forward|this week|Good news", t)]
            whats = [nugget.removeprefix("The user ").removesuffix(".") for nugget in question.nuggets]
            assert len(told) == len(whats) >= 4
            assert all(what in turn for what, turn in zip(whats, told, strict=True))
        elif question.ability == "contradiction_resolution":
            (did,) = re.findall(r"that the user (.*) for the", question.nuggets[1])
            done = question.text.removeprefix("Have I ever ").partition(" for the ")[0]
            yes, no = (
                next(n for n, t in enumerate(turns) if named[0] in t and what in t) for what in (did, "never " + done)
            )
            assert yes < no
        elif question.text.startswith("How much"):
            budgets = [[t for t in about(turns, p) if re.search(TOLD["What is the budget for {}?"], t)] for p in named]
            assert all(len(one) == 1 for one in budgets)
            assert f"${sum(money(one[0]) for one in budgets):,}" in question.gold
        elif question.ability == "multi_session_reasoning":
            person = re.findall(r"does (.*) keep", question.text)[0]
            keeps = {p for p in projects for turn in about(turns, p) if person in turn}
            assert keeps == {nugget.removeprefix("It names ").removesuffix(".") for nugget in question.nuggets}


def test_other_projects_say_the_same_things_and_contradict_none() -> None:
    made = chat(tokens=400_000)
    turns = user_turns(made.episode().sessions)
    budgets = [turn for turn in turns if re.search(TOLD["What is the budget for {}?"], turn)]
    ours = {str(project) for project in made.plan.projects}
    others = [turn for turn in budgets if not any(project.lower() in turn.lower() for project in ours)]
    assert len(others) > 5
    names = {project.name for project in made.plan.projects}
    assert not any(re.search(rf"\bthe {name} ", turn) for turn in others for name in names)


def test_nothing_answers_without_a_memory() -> None:
    probes = [probe for number in range(30) for probe in chat(number).episode().probes]
    assert guessable(probes) == []


def test_a_long_chat_takes_no_more_memory_than_a_short_one() -> None:
    def peak(tokens: int) -> int:
        made = chat(tokens=tokens)
        tracemalloc.start()
        try:
            for _ in made.episode().sessions:
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(SMALL)  # words are read once
    assert peak(300_000) < peak(60_000) + 150_000  # all that is said would be a megabyte more


def test_sizes_and_lengths_are_options() -> None:
    def tokens(**options: str) -> object:
        return load(Request(rows=1, options=options)).provenance["tokens"]

    assert (tokens(), tokens(tokens="1m"), tokens(size="10m")) == (128_000, 1_000_000, 10_000_000)
    for options, why in (
        ({"tokens": "a lot"}, "whole number"),
        ({"size": "2M"}, "size"),
        ({"size": "1M", "tokens": "1m"}, "leave one of them out"),
        ({"length": "1m"}, "length"),
    ):
        with pytest.raises(BadInput, match=why):
            load(Request(options=options))
    with pytest.raises(BadInput, match="generated chats"):
        load(Request(data=Path(), options={"tokens": "1m"}))


def test_files_that_were_generated_hold_the_same_chat(cli: Cli, tmp_path: Path) -> None:
    cli("data", "generate", "beam", "--rows", "2", "--tokens", "12k", "--seed", "5", "--out", "made", "-q")
    assert "2 rows, ok" in cli("data", "validate", "made", "--suite", "beam").out
    read = list(load(Request(data=Path("made"))).episodes)
    for number, found in enumerate(read):
        meant = chat(number, seed=5).episode()
        assert user_turns(found.sessions) == user_turns(meant.sessions)
        assert [s.timestamp for s in found.sessions] == [(s.timestamp or "")[:10] for s in meant.sessions]
        for one, two in zip(found.probes, meant.probes, strict=True):
            assert (one.text, one.gold, one.golds, one.task) == (two.text, two.gold, two.golds, two.task)
            assert (len(one.outdated), one.needed) == (len(two.outdated), two.needed)
        turns = {turn.id: turn.text for session in found.sessions for turn in session.turns}
        assert all(fact.text in turns[fact.turns[0]] for fact in found.facts)


# ------------------------------------------------------------------ released chats


def message(id: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "id": id, "content": text, **more}


FIRST = [
    message(
        0, "user", "I built a kayak from cedar. ->-> 1,1", question_type="main_question", time_anchor="March-03-2024"
    ),
    message(1, "assistant", "Cedar is light. Paddle with care."),
    message(2, "user", 'Is {cedar} "oily"? \\ Yes?', question_type="followup_question"),
    message(3, "assistant", "A little."),
    message(4, "user", "The kayak is 4.2 metres long.->-> 1,N/A", question_type="main_question"),
    message(5, "assistant", "That is a fine length."),
]
SECOND = [
    message(6, "user", "My kayak is 5.1 metres long now.", question_type="main_question", time_anchor="April-09-2024"),
    message(7, "assistant", "Noted."),
    message(8, "user", "I have never built a boat. ->-> 2,1", question_type="main_question"),
    message(9, "assistant", "I see."),
]
ASKED: dict[str, Any] = {
    "abstention": [
        {"question": "What did the cedar cost?", "ideal_response": "Nothing was said.", "rubric": ["no information"]}
    ],
    "contradiction_resolution": [
        {
            "question": "Have I built a boat?",
            "ideal_answer": "You said you built a kayak, and that you have never built a boat.",
            "source_chat_ids": {"first_statement": [0], "second_statement": [8]},
            "rubric": ["contradictory", "You said you built a kayak", "You never built a boat", "which is correct?"],
        }
    ],
    "event_ordering": [
        {
            "question": "In which order?",
            "answer": "Kayak, length",
            "source_chat_ids": [[0], 4],
            "rubric": ["Kayak", "Length"],
        }
    ],
    "knowledge_update": [
        {
            "question": "How long is my kayak?",
            "answer": "5.1 metres",
            "difficulty": "easy",
            "update_type": "length",
            "source_chat_ids": {"original_info": [4], "updated_info": [6]},
            "rubric": ["LLM response should state: 5.1 metres"],
        }
    ],
    "summarization": [
        {"question": "Sum it up.", "ideal_summary": "A kayak.", "rubric": ["a kayak"], "source_chat_ids": [77]}
    ],
}


def write_chat(folder: Path, nested: Any, asked: Any = None, name: str = "chat.json") -> Path:
    (folder / "probing_questions").mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(nested, indent=4))
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(asked or ASKED))
    return folder


def batches(*chats: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"batch_number": n, "time_anchor": None, "turns": [chat]} for n, chat in enumerate(chats, start=1)]


def read(path: Path, **options: str) -> tuple[list[Episode], dict[str, Any]]:
    loaded = load(Request(data=path, options=options))
    return list(loaded.episodes), dict(loaded.provenance)


def test_a_released_chat_becomes_one_store_with_its_questions(tmp_path: Path) -> None:
    write_chat(tmp_path / "chats" / "100K" / "3", batches(FIRST, SECOND))
    (episode,), about = read(tmp_path / "chats")
    assert episode.id == "100K/3"
    assert [(s.id, s.timestamp, len(s.turns)) for s in episode.sessions] == [
        ("c0", "2024-03-03", 4),
        ("c4", "2024-03-03", 2),
        ("c6", "2024-04-09", 2),
        ("c8", "2024-04-09", 2),
    ]
    assert user_turns(episode.sessions)[:3] == [
        "I built a kayak from cedar.",
        'Is {cedar} "oily"? \\ Yes?',
        "The kayak is 4.2 metres long.",
    ]
    probes = {probe.task.partition("/")[2]: probe for probe in episode.probes}
    facts = {fact.id: fact for fact in episode.facts}
    assert (probes["abstention"].scoring, probes["abstention"].sufficient) == ("abstain", ())
    assert [facts[id].text for id in probes["contradiction-resolution"].needed] == [
        "I built a kayak from cedar.",
        "I have never built a boat.",
    ]
    update = probes["knowledge-update"]
    assert [facts[id].text for id in update.needed] == ["My kayak is 5.1 metres long now."]
    assert [facts[old.fact].turns for old in update.outdated] == [("4",)]
    assert (update.golds, update.targets) == (("LLM response should state: 5.1 metres",), ("6",))
    assert update.tags == {"ability": "knowledge_update", "difficulty": "easy", "type": "length"}
    assert probes["event-ordering"].targets == ("0", "4")
    assert probes["summarization"].sufficient == ()
    (problem,) = about["problems"]
    assert "summarization 1: it cites message 77, which is not in the chat" in problem


def test_chats_come_by_size_and_the_shortened_one_is_asked_about(tmp_path: Path) -> None:
    for size, number in (("1M", 1), ("100K", 10), ("100K", 2)):
        write_chat(tmp_path / size / str(number), batches(FIRST, SECOND))
    write_chat(tmp_path / "1M" / "1", batches(FIRST), name="chat_trunecated.json")
    found, about = read(tmp_path)
    assert [episode.id for episode in found] == ["100K/2", "100K/10", "1M/1"]
    assert len(found[2].sessions) == 2
    assert any("chat_trunecated" in file for file in about["files"])
    assert [episode.id for episode in read(tmp_path, size="1m")[0]] == ["1M/1"]


def test_the_largest_chats_nest_plans_and_count_on(tmp_path: Path) -> None:
    again = [{**one, "id": one["id"] - 6} for one in SECOND]
    write_chat(tmp_path / "10M" / "1", [{"plan-1": batches(FIRST)}, {"plan-2": batches(again)}])
    (episode,), _ = read(tmp_path)
    assert [session.id for session in episode.sessions] == ["c0", "c4", "c6", "c8"]


@pytest.mark.parametrize("written", [json.dumps(ASKED), repr(ASKED)])
@pytest.mark.parametrize("plans", [False, True])
def test_parquet_rows_are_read_as_data(tmp_path: Path, written: str, plans: bool) -> None:
    keys = ("role", "id", "content", "question_type", "time_anchor")
    one, two = ([{key: m.get(key) for key in keys} for m in chat] for chat in (FIRST, SECOND))
    nested: Any = [{"plan-1": [one], "plan-2": None}, {"plan-1": None, "plan-2": [two]}] if plans else [one, two]
    rows = [
        {"conversation_id": "7", "chat": nested, "probing_questions": written},
        {"conversation_id": "8", "chat": nested, "probing_questions": "__import__('os').getcwd()"},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "500K-00000-of-00001.parquet")
    (episode,), about = read(tmp_path)
    assert (episode.id, len(episode.sessions), len(episode.probes)) == ("500K/7", 4, 5)
    assert "row 2: its questions are neither JSON nor a Python literal" in " ".join(about["problems"])


def test_what_is_no_literal_is_never_run(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    for text in (f"open({str(victim)!r}, 'w')", "[" * 100_000, "{'a': 1", "x" * 5_000_000, "{**{}}"):
        with pytest.raises(BadInput):
            literal(text, "row 1")
    assert not victim.exists()
    assert literal("{'a': ['b', None]}", "row 1") == {"a": ["b", None]}


@pytest.mark.parametrize(
    ("chat", "asked", "why"),
    [
        ("[{", None, "ends in the middle"),
        ("[]]}", None, "never opened"),
        ("hello", None, "no JSON list"),
        ('[{"role": "robot", "id": 1, "content": "x"}]', None, "the role 'robot'"),
        ('[{"role": "user", "id": "x", "content": "x"}]', None, "the id 'x'"),
        ('[{"role": "user", "id": 1, "content": "x" "y"}]', None, "is no JSON"),
        (json.dumps(batches(FIRST)), [1], "no object with lists"),
        (json.dumps(batches(FIRST)), {"abstention": [{"question": "Why?"}], "humour": []}, "no rubric"),
    ],
)
def test_a_broken_chat_is_reported_and_the_others_run(tmp_path: Path, chat: str, asked: Any, why: str) -> None:
    write_chat(tmp_path / "1", batches(FIRST, SECOND))
    bad = write_chat(tmp_path / "2", [], asked)
    (bad / "chat.json").write_text(chat)
    found, about = read(tmp_path)
    assert [episode.id for episode in found] == ["1"]
    assert why in " ".join(about["problems"])
    with pytest.raises(BadInput, match=re.escape(why)):
        read(bad)


def test_a_path_without_chats_says_what_to_do(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BadInput, match="data pull beam"):
            read(path)


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.text(max_size=12) | st.integers() | st.none(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=12,
    ).filter(lambda value: isinstance(value, list | dict)),
    st.integers(1, 40),
    st.booleans(),
)
def test_messages_are_found_however_they_are_nested_and_cut(value: Any, block: int, plain: bool) -> None:
    def innermost(value: Any) -> Iterator[dict[str, Any]]:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        inside = [found for part in parts for found in innermost(part)]
        yield from inside or ([value] if isinstance(value, dict) else [])

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "chat.json"
        path.write_text(json.dumps(value, ensure_ascii=plain, indent=1), encoding="utf-8")
        patch.setattr(json_stream, "_BLOCK", block)
        assert list(json_stream.innermost_objects(path)) == list(innermost(value))


def test_released_files_are_pulled_by_size(cli: Cli, site: Site, tmp_path: Path) -> None:  # noqa: F811
    row = {"conversation_id": "1", "chat": [FIRST, SECOND], "probing_questions": json.dumps(ASKED)}
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "served")
    served = (tmp_path / "served").read_bytes()
    site.files["/datasets/Mohammadta/BEAM/resolve/main/data/100K-00000-of-00001.parquet"] = served
    site.files["/datasets/Mohammadta/BEAM-10M/resolve/main/data/10M-00000-of-00001.parquet"] = b"<html>"
    cli("data", "pull", "beam", "--endpoint", site.url, "--out", "d", "-q")
    note = json.loads(Path("d/pull.json").read_text())["files"][0]
    assert (note["path"], note["chats"], note["questions"]) == ("100K.parquet", 1, 5)
    assert [episode.id for episode in read(Path("d"))[0]] == ["100K/1"]
    failed = cli("data", "pull", "beam", "--split", "10M", "--endpoint", site.url, "--out", "e", "-q", code=1)
    assert "is not a file of BEAM" in failed.err


# ------------------------------------------------------------------ nuggets


def judged(stage: Any, reply: dict[str, Any], nuggets: tuple[str, ...] = ("b", "c", "a")) -> Ruling | None:
    asked = prompt(stage, "rule", [Case((), (), "Which?", "gold", "an answer", nuggets)])
    data = json.loads(asked.call.messages[1].content.removeprefix("<<<DATA\n").removesuffix("\nDATA>>>"))
    assert [one["text"] for one in data["nuggets"]] == sorted(nuggets)  # their order gives nothing away
    assert "gold" not in data
    [found] = rulings(asked, {"reason": "so", **reply})
    return found


def scored(*scores: float) -> dict[str, Any]:
    return {"scores": [{"id": f"n{n}", "score": score} for n, score in enumerate(scores, start=1)]}


def test_an_answer_is_worth_the_mean_of_its_nuggets() -> None:
    found = judged("nuggets", scored(1, 0.5, 1))
    assert found is not None
    assert (found.verdict, found.credit) == (True, pytest.approx(5 / 6))
    assert found.measures == {"Nuggets": found.credit}
    half = judged("nuggets", scored(1, 0.5, 0))
    assert half is not None
    assert (half.verdict, half.credit) == (False, 0.5)


@pytest.mark.parametrize(
    "reply",
    [
        scored(1, 1),
        scored(1, 1, 0.7),
        {"scores": [*scored(1, 1, 1)["scores"], {"id": "n1", "score": 0}]},
        {"scores": []},
    ],
)
def test_a_reply_without_a_score_for_every_nugget_is_none(reply: dict[str, Any]) -> None:
    assert judged("nuggets", reply) is None


def test_an_order_is_measured_beside_the_nuggets() -> None:
    # the right order is b, c, a: n2, n3, n1
    right = judged("ordering", {**scored(1, 1, 1), "order": ["n2", "n3", "n1"], "others": 0})
    turned = judged("ordering", {**scored(1, 1, 1), "order": ["n1", "n3", "n2"], "others": 0})
    assert right is not None
    assert turned is not None
    assert right.measures == {"Nuggets": 1, "Tau_norm": 1, "Ordering": 1}
    assert (right.verdict, turned.verdict, turned.credit) == (True, False, 1)
    assert turned.measures["Tau_norm"] == 0
    # b and a found, then two others. Ranks of b, c, a, x, y: 1 2 3 6 6 and 1 6 2 3 4. Of ten pairs one is tied on the
    # left; b before all (4 agree), c after all (3 disagree), a before x and y (2 agree): 3 / sqrt(9 * 10)
    found = judged("ordering", {**scored(1, 1, 0), "order": ["n2", "n1", "n9", "n2"], "others": 2})
    assert found is not None
    norm = (3 / math.sqrt(90) + 1) / 2
    assert found.measures["Tau_norm"] == pytest.approx(norm)
    assert found.measures["Ordering"] == pytest.approx(norm * (2 * 2 / (4 + 3)))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9))
def test_tau_b_is_kendalls(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    expected = kendalltau(first, second, variant="b").statistic
    assert tau_b(first, second) == (0 if math.isnan(expected) else pytest.approx(expected))
    assert tau_b(first, second) == pytest.approx(tau_b(second, first))


def test_one_thing_is_in_order_and_nothing_is_not() -> None:
    assert ordering(("a",), ("a",)) == {"Tau_norm": 1, "Ordering": 1}
    assert ordering(("z",), ("a", "b"), 3) == {"Tau_norm": 0, "Ordering": 0}


def test_the_scripted_judge_finds_gold_answers_right() -> None:
    for number in range(4):
        for probe in chat(number).episode().probes:
            ordered = probe.task == "beam/event-ordering"
            nuggets = [{"id": f"n{n}", "text": text} for n, text in enumerate(probe.golds)]
            data = {"stage": "ordering" if ordered else "nuggets", "nuggets": nuggets, "question": probe.text}
            good = decide({**data, "answer": probe.gold})
            assert good.scores is not None
            assert sum(good.scores.values()) >= len(nuggets) / 2, (probe.gold, probe.golds)
            if ordered:
                assert (list(good.found or ()), good.others) == ([one["id"] for one in nuggets], 0)
            bad = decide({**data, "answer": "Bananas are yellow."})
            assert bad.scores is not None
            assert not any(bad.scores.values())


def test_a_whole_run_is_judged_by_nuggets_and_no_prompt_names_an_ability(tmp_path: Path) -> None:
    with StubServer(content) as server:
        model = f"{server.url}#m"
        run = memtriage.run(
            "oracle",
            suite="beam",
            rows=1,
            options={"tokens": "12k"},
            k=10,
            answer=model,
            judge=model,
            out=tmp_path / "run",
            progress=False,
        )
        prompts = [json.dumps(request.body["messages"]) for request in server.requests]
    asked = [text for text in prompts if "You answer one question" in text]
    assert len(asked) == 20
    names = {name for ability in ABILITIES for name in (ability, ability.replace("_", "-"), ability.replace("_", " "))}
    names |= {"beam", "rubric", "nugget", "ability", "category"}
    assert not [name for name in names for text in asked if name in text.lower()]
    judges = [text for text in prompts if "You check one stage" in text]
    assert any(json.dumps(NUGGET_RULES["ordering"])[1:-1] in text for text in judges)
    verdicts = {verdict.probe: verdict for verdict in run.verdicts()}
    assert len(verdicts) == 20
    assert all(verdict.depth == "full" and "Nuggets" in verdict.measures for verdict in verdicts.values())
    assert sum("Tau_norm" in verdict.measures for verdict in verdicts.values()) == 2
    first = next(verdict for verdict in verdicts.values() if verdict.task == "beam/abstention")
    assert (first.verdict, first.credit) == ("correct", 1.0)  # the oracle has nothing, and says so


def test_nuggets_are_scored_in_data_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    Path("mine.yaml").write_text(
        """
memtriage: 1
sessions:
  - turns: [{user: "My boat is red."}]
questions:
  - {question: "Which colour is my boat?", scoring: nuggets, golds: ["It is red.", "It is a boat."]}
  - {question: "Who steers?", scoring: nuggets}
"""
    )
    failed = cli("data", "validate", "mine.yaml", code=1)
    assert "scoring 'nuggets' needs golds" in failed.out + failed.err
    Path("mine.yaml").write_text(Path("mine.yaml").read_text().partition('  - {question: "Who')[0])
    with StubServer(content) as server:
        model = f"{server.url}#m"
        settings = {"k": 1, "answer": model, "judge": model, "out": tmp_path / "run", "progress": False}
        (verdict,) = memtriage.run("full-context", suite="mine.yaml", **settings).verdicts()
    assert (verdict.right, verdict.measures["Nuggets"]) == (True, 1.0)


# ------------------------------------------------------------------ streamed sessions


def streamed(*ids: str) -> Streamed:
    return Streamed(lambda: (Session(f"s{n}", (Turn("user", "x", id),)) for n, id in enumerate(ids)))


def test_streamed_sessions_are_a_sequence() -> None:
    told = streamed("a", "b", "c")
    whole = tuple(told)
    assert (len(told), told[0], told[-1], told[1:], told[::-1]) == (3, whole[0], whole[2], whole[1:], whole[::-1])
    assert told == streamed("a", "b", "c")
    assert told != streamed("a", "b")
    assert told == whole
    assert hash(told) == hash(streamed("a", "b", "c"))
    for index in (3, -4):
        with pytest.raises(IndexError):
            told[index]


def test_streamed_sessions_are_checked_like_others() -> None:
    fact = Fact("f", "x", ("z",), ("x",))
    for sessions, facts, why in (
        (streamed("z", "z"), (fact,), "turn id 'z' occurs twice"),
        (Streamed(lambda: [Session("s", ()), Session("s", ())]), (), "session id 's' occurs twice"),
        (streamed("a"), (fact,), "names turn 'z'"),
    ):
        with pytest.raises(BadInput, match=why):
            Episode("e", "t", sessions, facts, ())
    Episode("e", "t", streamed("z"), (fact,), (Probe("p", "?", "x", (("f",),), targets=("z",)),))


def test_the_suite_says_what_it_is() -> None:
    assert SUITE.paper == "arXiv:2510.27246"
    assert {task_of(ability) for ability in ABILITIES} < set(SUITE.rubrics)
    assert all(a != b for a, b in combinations(ABILITIES, 2))
