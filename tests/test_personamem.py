"""PersonaMem: files of both versions, questions in their places, where things were told, choices and free replies."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from splintr import Tokenizer

import memtriage
from conftest import Cli
from memtriage.core.episode import Episode, Probe, Session
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.models.scripted import ContentReader, StubServer, content
from memtriage.suites.kit.tables import csv_rows, literal
from memtriage.suites.personamem.suite import SUITE
from memtriage.suites.personamem.version_1 import TYPES
from test_memfail_pull import Site, site  # noqa: F401  (a fixture)

PERSONA = {"role": "system", "content": "Current user persona: Name: Ines Duarte. Ines repairs clocks in Porto."}
CONTEXT = [
    PERSONA,
    {"role": "user", "content": "User: I joined a choir in March. Singing alto with them calms me before work."},
    {"role": "assistant", "content": "Assistant: How lovely that singing alto calms you."},
    {"role": "user", "content": "User: Could you explain how a metronome keeps time?"},
    {"role": "assistant", "content": "Assistant: A pendulum with a weight swings evenly."},
    PERSONA,
    {"role": "user", "content": "User: I gave up spicy food because my stomach hurt after the curry in Faro."},
    {"role": "assistant", "content": "Assistant: Mild dishes will be kinder to you."},
    {"role": "user", "content": "User: What goes into a caldo verde?"},
    {"role": "assistant", "content": "Assistant: Kale, potatoes and a little sausage."},
]
CHOICES = [
    "(a) As singing alto in your choir calms you, hum a part on the way.",
    "(b) As you play the cello, take it along.",
    "(c) Drums would do you good.",
    "(d) Have you ever tried yoga?",
]
DISHES = ["(a) A fiery vindaloo.", "(b) A mild bacalhau, as spicy curry hurt your stomach in Faro."]
COLUMNS = (
    *("persona_id", "question_id", "question_type", "topic", "context_length_in_tokens", "context_length_in_letters"),
    *("distance_to_ref_in_blocks", "distance_to_ref_in_tokens", "num_irrelevant_tokens"),
    *("distance_to_ref_proportion_in_context", "user_question_or_message", "correct_answer", "all_options"),
    *("shared_context_id", "end_index_in_shared_context"),
)
TOKENS = Tokenizer.from_pretrained("o200k_base")


def tokens(messages: Sequence[Mapping[str, str]]) -> int:
    return sum(len(TOKENS.encode_ordinary(message["content"])) for message in messages)


def row(id: str, type: str, text: str, end: int, told: int, options: list[str], **other: object) -> dict[str, object]:
    """A row as the released script counts: tokens up to the question and with it, and those since it was told."""
    question = len(TOKENS.encode_ordinary(text))
    return {
        **dict.fromkeys(COLUMNS, ""),
        **{"persona_id": 3, "question_id": id, "question_type": type, "topic": "therapy"},
        "context_length_in_tokens": tokens(CONTEXT[:end]) + question,
        "distance_to_ref_in_tokens": tokens(CONTEXT[:end]) - tokens(CONTEXT[:told]) + question,
        **{"distance_to_ref_in_blocks": 2, "user_question_or_message": text, "correct_answer": "(a)"},
        **{"all_options": str(options), "shared_context_id": "c0ffee", "end_index_in_shared_context": end},
        **other,
    }


CALM = "I'm nervous before a big repair. What might calm me?"
DINNER = "What should I cook tonight?"
ROWS = [
    row("q-calm", "recalling_facts_mentioned_by_the_user", CALM, 8, 1, CHOICES),
    row("q-dinner", "provide_preference_aligned_recommendations", DINNER, 9, 6, DISHES, correct_answer="(b)"),
    row("q-early", "generalizing_to_new_scenarios", CALM, 4, 1, CHOICES, all_options=json.dumps(CHOICES)),
    row("q-track", "track_full_preference_updates", "How did my taste change?", 9, 6, DISHES),
    row("q-essay", "recall_user_shared_facts", "Please go on.", 9, 5, DISHES, topic="writing"),
    row("q-wrong", "revisit_reasons_behind_preference_updates", DINNER, 9, 6, DISHES, distance_to_ref_in_tokens=77),
]


def write_table(path: Path, rows: Sequence[Mapping[str, object]], columns: Sequence[str] = COLUMNS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_v1(folder: Path, rows: Sequence[Mapping[str, object]] = ROWS, size: str = "32k", *more: str) -> Path:
    write_table(folder / f"questions_{size}.csv", rows)
    lines = [json.dumps({"unasked": CONTEXT}), *more, json.dumps({"c0ffee": CONTEXT})]
    (folder / f"shared_contexts_{size}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def load(path: Path, task: str = "v1", rows: int | None = None, **options: str) -> tuple[list[Episode], dict[str, Any]]:
    (one,) = SUITE.select(task)
    loaded = one.load(Request(data=path, rows=rows, options=options))
    return list(loaded.episodes), dict(loaded.provenance)


def probes(path: Path, task: str = "v1", **options: str) -> dict[str, Probe]:
    return {probe.id: probe for episode in load(path, task, **options)[0] for probe in episode.probes}


@pytest.fixture
def v1(tmp_path: Path) -> Path:
    return write_v1(tmp_path / "v1")


# ------------------------------------------------------------------ version 1


def test_sessions_begin_with_a_persona_and_are_cut_where_something_is_asked(v1: Path) -> None:
    (episode,), about = load(v1)
    assert (episode.id, episode.task) == ("c0ffee", "personamem/v1")
    assert [[turn.id for turn in session.turns] for session in episode.sessions] == [
        ["m0", "m1", "m2", "m3"],
        ["m4"],
        ["m5", "m6", "m7"],
        ["m8"],
        ["m9"],
    ]
    assert [turn.role for turn in episode.sessions[0].turns] == ["system", "user", "assistant", "user"]
    ends = {session.id: int(session.turns[-1].id[1:]) + 1 for session in episode.sessions}
    asked = {probe.id: ends[probe.after or ""] for probe in episode.probes}
    assert asked == {"q-calm": 8, "q-dinner": 9, "q-early": 4, "q-track": 9, "q-essay": 9, "q-wrong": 9}
    assert (about["rows"], about["questions"], about["with_facts"], about["problems"]) == (1, 6, 3, [])


def test_choices_lose_their_letters_and_types_their_other_names(v1: Path) -> None:
    asked = probes(v1)
    calm, dinner = asked["q-calm"], asked["q-dinner"]
    assert (calm.scoring, calm.correct_choice, dinner.correct_choice) == ("choice", "A", "B")
    assert calm.choices == tuple(option[4:] for option in CHOICES)
    assert calm.gold == calm.choices[0]
    assert {probe.tags["type"] for probe in asked.values()} <= set(TYPES)
    assert (calm.tags["type"], asked["q-track"].tags["type"]) == (
        "recall_user_shared_facts",
        "track_full_preference_evolution",
    )
    assert calm.tags["sessions_ago"] == "02"
    assert len({probe.instruction for probe in asked.values()}) == 1, "the type of a question must not show"
    assert asked["q-early"].choices == calm.choices, "a list in JSON's notation or in Python's"


def test_where_a_preference_was_told_follows_from_the_tokens(v1: Path) -> None:
    (episode,), _ = load(v1)
    asked = {probe.id: probe for probe in episode.probes}
    assert {id: probe.targets for id, probe in asked.items()} == {
        "q-calm": ("m1",),
        "q-dinner": ("m6",),
        "q-early": ("m1",),
        "q-track": (),  # needs all that was told, and the file points to its beginning
        "q-essay": (),  # the file points to the beginning of the session
        "q-wrong": (),  # no message begins there
    }
    (needed,) = asked["q-calm"].sufficient
    fact = episode.fact(needed[0])
    assert fact.turns == ("m1",)
    assert any("Singing alto" in sentence for sentence in fact.evidence)
    assert asked["q-wrong"].sufficient == ()


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30), st.data())
def test_a_place_is_found_from_its_tokens_alone(lengths: list[int], data: st.DataObject) -> None:
    from itertools import accumulate

    from memtriage.suites.personamem.history import Question
    from memtriage.suites.personamem.version_1 import located

    before = list(accumulate(lengths, initial=0))
    end = data.draw(st.integers(1, len(lengths)))
    told = data.draw(st.integers(0, end - 1))
    asked = Question("q", "Hi", ("a", "b"), 0, end, tags={"type": "recall_user_shared_facts"})
    about = {
        "user_question_or_message": "Hi",
        "context_length_in_tokens": str(before[end] + 1),
        "distance_to_ref_in_tokens": str(before[end] + 1 - before[told]),
    }
    found = located(asked, about, before).evidence
    if lengths[told]:
        assert found == (told,)
    wrong = located(asked, {**about, "context_length_in_tokens": str(before[end] + 2)}, before)
    assert wrong.evidence == (), "counted with another vocabulary"


def test_the_ceiling_is_one_the_floor_nothing_and_tables_go_by_type(cli: Cli, v1: Path) -> None:
    cli("run", "--suite", "personamem", "--data", str(v1), "--system", "oracle", "--system", "none", "--out", "r", "-q")
    verdicts = {(v.system, v.probe): v.verdict for v in memtriage.load("r").verdicts()}
    known = ("q-calm", "q-dinner", "q-early")
    assert {verdicts["oracle", id] for id in known} == {"correct"}
    assert {verdicts["none", id] for id in known} == {"not_stored"}
    assert {verdicts["oracle", id] for id in ("q-track", "q-essay", "q-wrong")} == {"n/a"}
    told = cli("show", "r", "--by", "type").out
    assert "recall_user_shared_facts" in told
    assert "provide_preference_aligned_recommendations" in told


class Everything:
    """Brings back all that was told so far."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def store_conversation(self, conversation: Session) -> None:
        self.told += [turn.text for turn in conversation.turns]

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
        return self.told

    def get_all_memories(self) -> list[str]:
        return self.told


def test_a_question_is_asked_before_what_comes_later_is_told(v1: Path, tmp_path: Path) -> None:
    with StubServer(ContentReader()) as server:
        answer = f"{server.url}#reader"
        memtriage.run({"all": Everything}, suite="personamem", data=v1, k=50, answer=answer, out=tmp_path / "r")
        asked = [str(request.body["messages"][-1]["content"]) for request in server.requests]
    early = [text for text in asked if CALM in text and "curry in Faro" not in text]
    late = [text for text in asked if CALM in text and "curry in Faro" in text]
    assert (len(early), len(late)) == (1, 1)
    assert all("Kale, potatoes" not in text for text in asked), "it was said after the last question"


def test_planted_faults_are_found_where_they_were_planted(cli: Cli, v1: Path, v2: Path) -> None:
    for suite, data in (("personamem", v1), ("personamem/v2", v2)):
        told = cli("calibrate", "--suite", suite, "--data", str(data), "--style", "none").out
        assert "Cohen's κ 1.000" in told
        assert "false alarms 0.0 %" in told


def test_personas_may_be_left_out(v1: Path) -> None:
    (episode,), _ = load(v1, persona="no")
    assert all(turn.role != "system" for session in episode.sessions for turn in session.turns)
    assert len(episode.probes) == 6
    (only,), _ = load(write_v1(v1, [row("q", "suggest_new_ideas", CALM, 1, 0, CHOICES), ROWS[0]]), persona="no")
    assert [probe.id for probe in only.probes] == ["q-calm"], "nothing was said before the other one"


def test_free_replies_are_graded_by_a_judge(cli: Cli, v1: Path) -> None:
    with StubServer(content) as server:
        models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
        run = ("run", "--suite", "personamem", "--data", str(v1), "--system", "oracle", "--out", "r", "-q")
        cli(*run, "--answers", "free", *models)
        asked = [json.dumps(request.body) for request in server.requests]
    verdicts = list(memtriage.load("r").verdicts())
    assert {v.depth for v in verdicts} >= {"full"}
    assert any("suits this user" in text and "how_to_answer" in text for text in asked)
    assert any("would suit just anybody" in text for text in asked)
    assert not any("recall_user_shared_facts" in text for text in asked), "the type of a question must not show"


BAD: list[tuple[dict[str, object], str]] = [
    ({"all_options": "__import__('os').getcwd()"}, "all_options can't be read"),
    ({"all_options": "'just a text'"}, "all_options is no list of replies"),
    ({"all_options": "['(a) x']"}, "all_options is no list of replies"),
    ({"all_options": "['(a) x', '(b) x']"}, "two of its options are the same"),
    ({"correct_answer": "(f)"}, "the correct answer '(f)' is not one of its options"),
    ({"end_index_in_shared_context": "soon"}, "end_index_in_shared_context is 'soon', no number"),
    ({"end_index_in_shared_context": "0"}, "asked before anything was said"),
    ({"user_question_or_message": " "}, "it has no user_question_or_message"),
    ({"question_id": ""}, "it has no question_id"),
    ({"question_id": "q-dinner"}, "'q-dinner' stands in the file twice"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_bad_row_is_named_and_the_others_are_asked(change: dict[str, object], message: str, tmp_path: Path) -> None:
    episodes, about = load(write_v1(tmp_path, [ROWS[1], {**ROWS[0], **change}]))
    assert [probe.id for probe in episodes[0].probes] == ["q-dinner"]
    (problem,) = about["problems"]
    assert f"{tmp_path / 'questions_32k.csv'}, row 2" in problem
    assert message in problem
    assert problem.endswith("it was left out")


def test_an_end_beyond_the_history_is_cut_as_the_released_script_cuts_it(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "end_index_in_shared_context": -1}, {**ROWS[1], "end_index_in_shared_context": 99}]
    (episode,), about = load(write_v1(tmp_path, rows))
    last = {session.id: session.turns[-1].id for session in episode.sessions}
    assert [last[probe.after or ""] for probe in episode.probes] == ["m8", "m9"]
    assert ["asked after message -1" in about["problems"][0], "asked after message 99" in about["problems"][1]]


def test_broken_histories_are_named(tmp_path: Path) -> None:
    other = {**ROWS[0], "question_id": "x", "shared_context_id": "gone"}
    empty = {**ROWS[0], "question_id": "y", "shared_context_id": "empty"}
    write_v1(tmp_path, [*ROWS, other, empty], "32k", "{", "[1]", json.dumps({"empty": []}))
    episodes, about = load(tmp_path)
    assert len(episodes) == 1
    found = "\n".join(about["problems"])
    for part in ("line 2 is no JSON", "line 3 is no object", "'empty' is no list of messages", "no history 'gone'"):
        assert part in found
    with pytest.raises(BadInput, match="no history 'gone'"):
        load(write_v1(tmp_path / "b", [other]))


def test_a_folder_says_what_it_lacks_and_sizes_are_chosen(cli: Cli, v1: Path) -> None:
    run = ("run", "--suite", "personamem", "--system", "none", "--out", "r")
    assert "memtriage data pull personamem" in cli(*run, code=1).err
    assert "memtriage data pull personamem" in cli("data", "generate", "personamem", "--out", "d", code=1).err
    Path("empty").mkdir()
    for data in ("nowhere", "empty"):
        assert "memtriage data pull personamem" in cli(*run, "--data", data, code=1).err
    assert "questions_128k.csv is missing" in cli(*run, "--data", str(v1), "--size", "128k", code=1).err
    for option in ("--size=2M", "--answers=fre", "--persona=maybe"):
        assert cli(*run, "--data", str(v1), option, code=1).err
    assert "--suite personamem/v1" in cli(*run[:2], "personamem/v2", *run[3:], "--data", str(v1), code=1).err
    write_v1(v1, ROWS[:1], "1M")
    assert len(probes(v1)) == 6
    assert len(probes(v1, size="1m")) == len(probes(v1 / "questions_1M.csv")) == 1


# ------------------------------------------------------------------ version 2

TEA = "I always brew oolong in my clay pot, and bags feel like cheating. Could you proofread this note?"
COFFEE = "Since June I can't stand oolong any more, so matcha it is, whisked by hand. Translate this, please."
CHAT = [
    {"role": "system", "content": "You are an AI assistant helping a user with the following persona: {}"},
    {"role": "user", "content": TEA},
    {"role": "assistant", "content": "Of course."},
    {"role": "user", "content": [{"type": "text", "text": "Look at this."}, {"type": "image_url"}]},
    {"role": "assistant", "content": "A fine pot."},
    {"role": "user", "content": COFFEE},
    {"role": "assistant", "content": "Here you are."},
]
V2_COLUMNS = (
    *("persona_id", "chat_history_32k_link", "chat_history_128k_link", "user_query", "correct_answer"),
    *("incorrect_answers", "topic_query", "preference", "conversation_scenario", "pref_type"),
    *("related_conversation_snippet", "who", "updated", "prev_pref", "sensitive_info"),
)
LINK = "data/chat_history_32k/chat_history_250101_101010_persona7.json"


def v2_row(query: str, preference: str, snippet: list[dict[str, Any]], **other: object) -> dict[str, object]:
    return {
        **{"persona_id": 7, "chat_history_32k_link": LINK, "user_query": str({"role": "user", "content": query})},
        **{"correct_answer": f"Right: {query}", "incorrect_answers": json.dumps(["One.", "Two.", "Three."])},
        **{"topic_query": "Food", "preference": preference, "conversation_scenario": "translation"},
        **{"pref_type": "neutral_pref", "related_conversation_snippet": json.dumps(snippet), "who": "self"},
        **{"updated": "False", "prev_pref": "", "sensitive_info": "False"},
        **other,
    }


V2_ROWS = [
    v2_row("What shall I drink?", "Prefers oolong brewed in a clay pot", CHAT[1:3]),
    v2_row(
        "And now?",
        "Prefers matcha whisked by hand",
        CHAT[5:],
        updated="True",
        prev_pref="Prefers oolong brewed in a clay pot",
    ),
    v2_row("Gift ideas?", "Do not remember the clay pot", CHAT[1:3], pref_type="ask_to_forget"),
    v2_row("Fill in this form?", "Account number 11-22", [], sensitive_info="True"),
]


def write_v2(folder: Path, rows: Sequence[Mapping[str, object]] = V2_ROWS) -> Path:
    write_table(folder / "benchmark" / "text" / "benchmark.csv", rows, V2_COLUMNS)
    (folder / LINK).parent.mkdir(parents=True, exist_ok=True)
    (folder / LINK).write_text(json.dumps({"metadata": {"persona_id": 7}, "chat_history": CHAT}))
    return folder


@pytest.fixture
def v2(tmp_path: Path) -> Path:
    return write_v2(tmp_path / "v2")


def test_version_2_is_cut_into_sessions_and_asked_at_the_end(v2: Path) -> None:
    (episode,), about = load(v2, "v2", session_messages="2")
    assert [[turn.id for turn in session.turns] for session in episode.sessions] == [
        ["m0", "m1", "m2"],
        ["m3", "m4"],
        ["m5", "m6"],
    ]
    assert episode.sessions[1].turns[0].text == "Look at this. [shares a picture]"
    assert {probe.after for probe in episode.probes} == {episode.sessions[-1].id}
    assert (about["questions"], about["with_facts"], about["problems"]) == (4, 2, [])
    assert [probe.id for probe in episode.probes] == ["p7/r1", "p7/r2", "p7/r3", "p7/r4"]
    assert len(load(v2, "v2")[0][0].sessions) == 1


def test_a_preference_is_known_by_what_was_said_or_by_what_it_comes_to(v2: Path) -> None:
    (episode,), _ = load(v2, "v2")
    tea, matcha, forget, private = episode.probes
    said, follows = (episode.fact(id) for (id,) in tea.sufficient)
    assert (said.turns, said.settled, follows.settled) == (("m1",), False, True)
    assert said.evidence[0].startswith("I always brew oolong")
    assert (follows.text, follows.details) == (
        "Prefers oolong brewed in a clay pot",
        ("oolong brewed in a clay pot",),
    )
    assert [(old.fact, old.voided_by) for old in matcha.outdated] == [(said.id, matcha.sufficient[0])]
    assert forget.sufficient == private.sufficient == forget.targets == ()
    assert tea.tags["type"] == "neutral_pref"
    assert private.tags["sensitive"] == "True"


def test_right_replies_stand_anywhere_and_always_in_the_same_place(v2: Path, tmp_path: Path) -> None:
    asked = probes(v2, "v2")
    assert asked == probes(v2, "v2")
    assert all(probe.choices["ABCD".index(probe.correct_choice)] == probe.gold for probe in asked.values())
    many = probes(write_v2(tmp_path / "many", V2_ROWS * 20), "v2")
    letters = [probe.correct_choice for probe in many.values()]
    assert all(letters.count(letter) >= 8 for letter in "ABCD")


def test_a_memory_that_wrote_the_preference_down_has_it(v2: Path, tmp_path: Path) -> None:
    class Profile:
        """Keeps what things come to, in words that nobody said."""

        def __init__(self) -> None:
            self.kept: list[str] = []

        def store_conversation(self, conversation: Any) -> None:
            self.kept = ["The user prefers matcha whisked by hand."]

        def retrieve_memories(self, query: str, conversation: Any, k: int) -> list[str]:
            return self.kept[:k]

        def get_all_memories(self) -> list[str]:
            return self.kept

    run = memtriage.run({"profile": Profile}, "oracle", "none", suite="personamem/v2", data=v2, k=5, out=tmp_path / "r")
    verdicts = {(v.system, v.probe): v.verdict for v in run.verdicts()}
    assert verdicts["profile", "p7/r2"] == "correct"
    assert verdicts["profile", "p7/r1"] == "not_stored"
    assert [verdicts["oracle", f"p7/r{n}"] for n in (1, 2, 3, 4)] == ["correct", "correct", "n/a", "n/a"]
    assert [verdicts["none", f"p7/r{n}"] for n in (1, 2)] == ["not_stored", "not_stored"]


def test_what_is_to_be_kept_back_is_judged_so(v2: Path) -> None:
    asked = probes(v2, "v2", answers="free")
    assert "judged_as" not in asked["p7/r1"].tags
    assert "Prefers oolong" in asked["p7/r1"].gold
    for id in ("p7/r3", "p7/r4"):
        assert "must not be used" in SUITE.rubrics[asked[id].tags["judged_as"]].reasoning
    assert "clay pot" in asked["p7/r3"].gold


def test_links_stay_in_the_folder(v2: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps(CHAT))
    (v2 / "data" / "out.json").symlink_to(tmp_path / "secret.json")
    bad = ["../secret.json", str(tmp_path / "secret.json"), "data\\..\\x.json", "data/x.txt", "", "data/out.json"]
    write_v2(v2, [*({**V2_ROWS[0], "chat_history_32k_link": link} for link in bad), V2_ROWS[0]])
    episodes, about = load(v2, "v2")
    assert [len(episode.probes) for episode in episodes] == [1]
    assert len(about["problems"]) == len(bad)
    assert "leads out of" in about["problems"][-1]


V2_BAD: list[tuple[dict[str, object], str]] = [
    ({"incorrect_answers": ""}, "incorrect_answers can't be read"),
    ({"incorrect_answers": "[]"}, "it takes a correct answer and at least one other"),
    ({"correct_answer": ""}, "it has no correct_answer"),
    ({"user_query": "{'role': 'user'}"}, "it has no user_query"),
]


@pytest.mark.parametrize(("change", "message"), V2_BAD)
def test_a_bad_row_of_version_2_is_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    episodes, about = load(write_v2(tmp_path, [{**V2_ROWS[0], **change}, V2_ROWS[1]]), "v2")
    assert [probe.id for probe in episodes[0].probes] == ["p7/r2"]
    assert message in about["problems"][0]


# ------------------------------------------------------------------ files


def test_tables_name_what_is_wrong_with_them(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    problems: list[str] = []
    table.write_text('a,b\n1,2\n3\n"4",5\n')
    assert [(n, dict(r)) for n, r in csv_rows(table, ("a",), problems.append)] == [
        (1, {"a": "1", "b": "2"}),
        (3, {"a": "4", "b": "5"}),
    ]
    assert problems == [f"{table}, row 2: 1 cells under 2 columns; it was left out"]
    for held, message in (("", "no column 'a'"), ("a,a\n", "'a' twice"), ('a\n"x\n', "broken CSV")):
        table.write_text(held)
        with pytest.raises(BadInput, match=message):
            list(csv_rows(table, ("a",), problems.append))
    for text in ("(" * 5000, "open('x')", "", "{1: }"):
        with pytest.raises(BadInput):
            literal(text)


def test_validate_and_stats_read_both_versions(cli: Cli, v1: Path, v2: Path) -> None:
    assert "1 row, ok" in cli("data", "validate", str(v1), "--suite", "personamem").out
    assert "1 row, ok" in cli("data", "validate", str(v2), "--suite", "personamem").out
    write_v1(v1, [{**ROWS[0], "correct_answer": "?"}])
    assert "is not one of its options" in cli("data", "validate", str(v1), "--suite", "personamem", code=1).out
    found = cli("data", "stats", "personamem/v2", "--data", str(v2)).out
    assert "neutral_pref" in found


def test_files_are_pulled_checked_and_noted(cli: Cli, site: Site, v1: Path, v2: Path) -> None:  # noqa: F811
    first, second = (f"/datasets/bowen-upenn/PersonaMem-{version}/resolve/main" for version in ("v1", "v2"))
    for name in ("questions_32k.csv", "shared_contexts_32k.jsonl"):
        site.files[f"{first}/{name}"] = (v1 / name).read_bytes()
    for name in ("benchmark/text/benchmark.csv", LINK):
        site.files[f"{second}/{name}"] = (v2 / name).read_bytes()
    pull = ("data", "pull", "personamem", "--endpoint", site.url, "-q")
    cli(*pull, "--out", "d")
    cli(*pull, "--out", "d", "--split", "v2-32k")
    notes = {note["path"]: note for note in json.loads(Path("d/pull.json").read_text())["files"]}
    assert notes["questions_32k.csv"]["questions"] == 6
    assert notes["shared_contexts_32k.jsonl"]["histories"] == 2
    assert notes[LINK]["messages"] == len(CHAT)
    assert not Path("d/.incoming").exists()
    assert (len(probes(Path("d"))), len(probes(Path("d"), "v2"))) == (6, 4)
    site.files[f"{first}/questions_32k.csv"] = b"<html>"
    assert "is not a file of PersonaMem" in cli(*pull, "--out", "e", code=1).err


def test_hostile_texts_reach_neither_terminal_nor_page(cli: Cli, tmp_path: Path) -> None:
    evil = "\x1b[31m<script>alert(1)</script>"
    rows = [{**ROWS[0], "question_type": evil, "topic": evil, "persona_id": evil}, {**ROWS[1], "correct_answer": evil}]
    write_v1(tmp_path / "v1", rows)
    told = cli("run", "--suite", "personamem", "--data", str(tmp_path / "v1"), "--system", "bm25", "--out", "r")
    assert "\x1b" not in told.out + told.err
    assert "<script>alert(1)" not in Path("r/report.html").read_text()
