"""Hypothesis files: read in any of their forms, matched with the questions, graded by words or by a judge, scored."""

from __future__ import annotations

import csv
import io
import json
import random
import runpy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT, Cli, Place, shared_data
from memtriage.config import Limits
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Mark
from memtriage.core.suite import Suite
from memtriage.metrics.statistics import wilson
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.models.scripted import Reply as Said
from memtriage.models.scripted import Request as Asked
from memtriage.models.scripted.data_block import data_block
from memtriage.studies import score_answers as scoring
from memtriage.suites.kit.answer_files import read_answers
from memtriage.suites.longmemeval import errata
from memtriage.suites.longmemeval.grading.by_words import settled
from memtriage.suites.longmemeval.grading.hypotheses import Hypotheses, references
from memtriage.suites.longmemeval.grading.rubrics import RUBRICS
from memtriage.suites.longmemeval.question import ABSTENTION, TYPES
from memtriage.tables.handed_in import lines_of
from memtriage.text.words import tokens

answer_rules: Any = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "answer_rules.py")))

SUITE = Suite("longmemeval", "", "", "", "1", (), rubrics=RUBRICS, scorer=Hypotheses())
REGISTERED = """
from memtriage.suites.longmemeval.grading.hypotheses import Hypotheses
from memtriage.suites.longmemeval.grading.rubrics import RUBRICS
from memtriage.core.suite import Suite

SUITE = Suite("handed", "", "", "", "1", (), rubrics=RUBRICS, scorer=Hypotheses())
"""
QUESTIONS: list[dict[str, Any]] = [
    {"question_id": "u1", "question_type": "single-session-user", "question": "Where do I row?", "answer": "in Ely"},
    {
        "question_id": "u2_abs",
        "question_type": "single-session-user",
        "question": "Where do I ski?",
        "answer": "Untold.",
    },
    {"question_id": "m1", "question_type": "multi-session", "question": "How many kettles have I?", "answer": 4},
    {
        "question_id": "t1",
        "question_type": "temporal-reasoning",
        "question": "How many days was it?",
        "answer": "18 days",
    },
    {"question_id": "k1", "question_type": "knowledge-update", "question": "What is my locker?", "answer": "locker 31"},
    {
        "question_id": "p1",
        "question_type": "single-session-preference",
        "question": "Any tips for dinner?",
        "answer": "The user would prefer quick vegetarian dishes.",
    },
]
SAYS = {"u1": "You row in Ely.", "u2_abs": "You never mentioned that.", "m1": "You have five kettles.", "t1": "19 days"}
SAYS |= {"k1": "It was locker 12, then locker 31.", "p1": "Try a quick vegetarian curry."}
HISTORY = [[{"role": "user", "content": "I row in Ely.", "has_answer": True}]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return questions(tmp_path / "data.json", QUESTIONS)


def questions(path: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text(json.dumps([{**entry, "haystack_sessions": HISTORY} for entry in entries]))
    return path


def lines(path: Path, says: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps({"question_id": id, "hypothesis": a}) + "\n" for id, a in says.items()))
    return path


def as_list(path: Path, says: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps([{"question_id": id, "hypothesis": a} for id, a in says.items()], indent=1))
    return path


def as_table(path: Path, says: Mapping[str, Any]) -> Path:
    text = io.StringIO()
    csv.writer(text).writerows([("question_id", "hypothesis"), *says.items()])
    path.write_text(text.getvalue())
    return path


# ------------------------------------------------------------------ reading files


@pytest.mark.parametrize(("name", "write"), [("h.jsonl", lines), ("h.json", as_list), ("h.csv", as_table)])
@given(st.dictionaries(st.from_regex(r"[a-z0-9_]{1,12}", fullmatch=True), st.text(max_size=60), min_size=1, max_size=6))
@settings(max_examples=40)
def test_all_three_forms_tell_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    write: Callable[[Path, Mapping[str, Any]], Path],
    says: dict[str, str],
) -> None:
    says = {id: " ".join(text.split()) for id, text in says.items()}
    path = write(tmp_path_factory.getbasetemp() / name, says)
    problems: list[str] = []
    assert {id: text for _, id, text in read_answers(path, problems.append)} == says
    assert problems == []


def test_a_table_typed_by_hand_may_have_no_heading_and_answers_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "typed.csv"
    path.write_text('\ufeffu1,"You row in Ely,\nI think."\n\nm1,5\nt1,too,many\nk1\n')
    problems: list[str] = []
    assert list(read_answers(path, problems.append)) == [
        (f"{path}:1", "u1", "You row in Ely,\nI think."),
        (f"{path}:4", "m1", "5"),
    ]
    assert [problem.split(" ")[0] for problem in problems] == [f"{path}:5", f"{path}:6"]


@pytest.mark.parametrize("heading", ["question_id;hypothesis\n", '"question_id";"hypothesis"\n', ""])
def test_a_spreadsheet_may_part_its_columns_by_semicolons(tmp_path: Path, heading: str) -> None:
    path = tmp_path / "typed.csv"
    path.write_text(heading + 'u1;You row in Ely, I think.\nm1;"5; or so"\n')
    problems: list[str] = []
    told = {id: text for _, id, text in read_answers(path, problems.append)}
    assert told == {"u1": "You row in Ely, I think.", "m1": "5; or so"}
    assert problems == []


def test_wrong_lines_are_named_with_their_number_and_the_rest_is_read(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "h.jsonl"
    wrong = ["{", "[]", '{"hypothesis": "x"}', '{"question_id": "m1"}', '{"question_id": "u1", "hypothesis": "again"}']
    path.write_text(
        "\n".join([json.dumps({"question_id": "u1", "hypothesis": "first"}), *wrong, "", '{"question_id":'])
    )
    sheet = Hypotheses().read(path, data)
    assert [(given.probe.id, given.answer) for given in sheet.given] == [("u1", "first")]
    assert [problem.split(" ")[0].rstrip(":") for problem in sheet.problems] == [
        f"{path}:{n}" for n in (2, 3, 4, 5, 6, 8)
    ]
    assert "at " + f"{path}:1" in sheet.problems[4]


def test_a_list_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text('[\n{"question_id": "u1", "hypothesis": "x"},\n{"question_id": "m1", "hypo')
    problems: list[str] = []
    assert [id for _, id, _ in read_answers(path, problems.append)] == ["u1"]
    assert problems[0].startswith(f"{path}:3")


def test_missing_and_unknown_ids_are_counted_apart(tmp_path: Path, data: Path) -> None:
    sheet = Hypotheses().read(lines(tmp_path / "h.jsonl", {"u1": "Ely", "zz": "?"}), data)
    assert sheet.missing == ("u2_abs", "m1", "t1", "k1", "p1")
    assert sheet.strangers == ("zz",)
    assert sheet.problems == ()


def test_broken_questions_are_named_and_histories_are_not_kept(tmp_path: Path) -> None:
    broken = [{"question_id": "x"}, {"question_id": "y", "question_type": "odd", "question": "?", "answer": "!"}]
    path = questions(tmp_path / "d.json", [*QUESTIONS, *broken])
    problems: list[str] = []
    found = {probe.id: probe for probe in references(path, problems.append)}
    assert set(found) == {entry["question_id"] for entry in QUESTIONS}
    assert found["m1"].gold == "4"
    assert (found["u2_abs"].scoring, found["u2_abs"].task) == ("abstain", "longmemeval/abstention")
    assert found["u2_abs"].tags == {"type": "single-session-user"}
    assert ["question x lacks" in problems[0], "'odd'" in problems[1]] == [True, True]


def test_nothing_to_compare_with_is_refused(tmp_path: Path, data: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    with pytest.raises(BadInput, match="holds no answers"):
        Hypotheses().read(empty, data)
    with pytest.raises(BadInput, match="holds no questions"):
        Hypotheses().read(lines(tmp_path / "h.jsonl", SAYS), questions(tmp_path / "none.json", []))
    with pytest.raises(BadInput, match="can't be read"):
        Hypotheses().read(tmp_path / "gone.jsonl", data)


# ------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("type", "question", "gold", "answer", "right"),
    [
        ("single-session-user", "What is my dog called?", "Max", "", False),
        ("single-session-user", "What is my dog called?", "Max", "Max.", True),
        ("single-session-user", "What is my dog called?", "Max", "Your dog is called Max.", True),
        ("single-session-user", "What is my dog called?", "Max", "Your dog is not called Max.", None),
        ("single-session-user", "What is my dog called?", "Max", "Max or Rex.", None),
        ("single-session-user", "What is my dog called?", "Max", "Rex.", None),
        ("single-session-user", "What is my dog called?", "Max", "You have not mentioned a dog.", False),
        ("single-session-user", "What is my dog called?", "Max", "You have not mentioned it, but I guess Rex.", None),
        (
            "single-session-user",
            "Did I take the train or the bus last?",
            "the train",
            "The bus, after the train.",
            None,
        ),
        ("single-session-user", "When do I get up?", "6:30 pm", "18:30", None),
        ("single-session-user", "When do I get up?", "2 AM", "2", None),
        ("multi-session", "How many kettles have I?", "4", "You have four kettles.", True),
        ("multi-session", "How many kettles have I?", "4", "You have 5 kettles.", False),
        ("multi-session", "How many kettles have I?", "4", "You have more than 4 kettles.", None),
        ("multi-session", "How many kettles have I?", "4", "4 or 5 kettles", None),
        ("multi-session", "How many pots in a day?", "4", "4 days", None),
        ("multi-session", "What did it cost in all?", "$1,250", "It cost 1250 in all.", True),
        ("multi-session", "How many days was I away?", "7 days", "8 days", False),
        ("temporal-reasoning", "How many days was I away?", "7 days", "8 days", True),
        (
            "temporal-reasoning",
            "How many days was I away?",
            "7 days. 8 days (with the last) is also acceptable.",
            "9",
            None,
        ),
        (
            "temporal-reasoning",
            "How many days was I away?",
            "7 days. 8 days (with the last) is also acceptable.",
            "10",
            False,
        ),
        ("temporal-reasoning", "How many days was I away?", "7 days", "9 days", False),
        ("temporal-reasoning", "How many days was I away?", "7 days", "One week", None),
        ("temporal-reasoning", "At which gate was I first?", "7", "8", False),
        ("knowledge-update", "Where do I row?", "Harrow", "Ely before, and now Harrow", None),
        ("single-session-preference", "Any tips?", "They like tea.", "They like tea.", None),
        (ABSTENTION, "How old is my cat?", "You told of no cat.", "You did not mention a cat.", True),
        (ABSTENTION, "How old is my cat?", "You told of no cat.", "I don't know how old it is, maybe 3.", None),
        (ABSTENTION, "How old is my cat?", "You told of no cat.", "Your cat is 3.", None),
    ],
)
def test_words_settle_only_what_is_beyond_doubt(
    type: str, question: str, gold: str, answer: str, right: bool | None
) -> None:
    found = settled(type, question, gold, answer)
    assert (found and found[0]) is right


@pytest.mark.parametrize(
    ("type", "question", "gold", "answer", "right"),
    [
        # a number is exact: only a count of days, weeks or months may be one off
        ("temporal-reasoning", "In which year did I move?", "2022", "2021", False),
        ("temporal-reasoning", "In which year did I move?", "2022", "You moved in 2021.", False),
        ("temporal-reasoning", "How many years did I live there?", "4", "5 years", None),
        ("temporal-reasoning", "How many books per month did I read?", "4", "5 books", False),
        ("temporal-reasoning", "How long was I away?", "7 days", "8 days", None),
        ("temporal-reasoning", "On which day did I leave?", "5 May", "6 May", None),
        ("single-session-user", "What is my locker?", "locker 31", "locker 12", False),
        ("multi-session", "How many of my 5 books did I read?", "3", "You read 5 books.", None),
        ("multi-session", "How many did I see?", "123", "1,2,3", None),
        ("multi-session", "How many did I see?", "200", "two hundred", None),
        ("multi-session", "How many did I see?", "4", "4.5", None),
        # it belongs to its noun
        ("single-session-user", "Which pets do I have?", "Two cats and a dog", "A cat and two dogs", None),
        ("single-session-user", "Which pets do I have?", "Two cats and a dog", "You have two cats and a dog.", True),
        ("multi-session", "How many cats do I have beside my dogs?", "4", "You have 4 dogs.", None),
        ("multi-session", "How many cats do I have beside my dogs?", "4", "You have 4 cats.", True),
        ("multi-session", "How many people sat in my row?", "4", "Row 4", None),
        ("multi-session", "What is my age, and that of my two cats?", "4", "4 cats", None),
        ("multi-session", "How many more days did I need?", "4", "You need more than 4 days.", None),
        # units and signs
        ("multi-session", "What did it cost?", "$5", "€5", None),
        ("multi-session", "How much was left?", "1/2", "1-2", None),
        ("single-session-user", "Which language do I learn?", "C++", "C#", None),
        ("single-session-user", "When do I get up?", "7:30 am", "7:30 pm", None),
        ("single-session-user", "How far do I run?", "5 miles", "5", None),
        ("single-session-user", "How far do I run?", "5 miles", "5 km", None),
        # order and role of words
        ("single-session-user", "Who did my dog chase?", "Tom", "Your dog chased Tom.", True),
        ("single-session-user", "Who did my dog chase?", "Tom", "Tom chased your dog.", None),
        ("single-session-user", "Who did my dog chase?", "Tom", "Your dog was chased by Tom.", None),
        ("single-session-user", "What did I order after the soup?", "steak", "After steak you ordered soup.", None),
        ("single-session-user", "What is my dog called?", "Max", "Her dog is called Max.", None),
        ("single-session-user", "What is my sister's dog called?", "Max", "Your dog is called Max.", None),
        ("single-session-user", "How does Jon feel about it?", "excited", "He feels excited about it.", True),
        # negation and doubt
        ("single-session-user", "Which colour do I not like?", "red", "You like red.", None),
        ("single-session-user", "Which colour do I not like?", "red", "You do not like red.", True),
        ("single-session-user", "When did I stop smoking?", "in May", "You smoked in May.", None),
        ("single-session-user", "What is my dog called?", "Max", "It might be called Max.", None),
        ("single-session-user", "What is my dog called?", "Max", "Is your dog called Max?", None),
        # lists
        ("single-session-user", "What do I drink besides tea?", "coffee", "Tea and coffee.", None),
        ("single-session-user", "What do I drink besides tea?", "coffee", "Tea, coffee", None),
        ("single-session-user", "What do I drink?", "tea, coffee", "You drink tea.", None),
        ("single-session-user", "What do I drink?", "tea, coffee", "You drink tea, coffee.", True),
        ("single-session-user", "What do I drink?", "tea, coffee", "tea, coffee, milk", None),
        # dates
        ("single-session-user", "When did I go?", "13 August 2023", "August 13th, 2023.", True),
        ("single-session-user", "When did I go?", "13 August 2023", "On August 14, 2023", None),
        ("single-session-user", "When did I go?", "5/7", "7/5", None),
        # a refusal is about what was asked, and nothing else
        (ABSTENTION, "Where does Tom live?", "You told nothing of Tom.", "You did not mention where Tom lives.", True),
        (ABSTENTION, "Where does Tom live?", "You told nothing of Tom.", "You did not mention where Anna lives.", None),
        (ABSTENTION, "Where does Tom live?", "You told nothing.", "You did not mention Tom, only Anna.", None),
        (ABSTENTION, "Where does Tom live now?", "Untold.", "You did not mention it and you live with Tom.", None),
        ("single-session-user", "Where does Tom live?", "in Ely", "You did not mention where Anna lives.", None),
        ("single-session-user", "Where does Tom live?", "in Ely", "You did not mention where Tom lives.", False),
    ],
)
def test_what_only_looks_like_the_gold_answer_is_never_right(
    type: str, question: str, gold: str, answer: str, right: bool | None
) -> None:
    found = settled(type, question, gold, answer)
    assert (found and found[0]) is right


@pytest.mark.parametrize("name", ["mem0_longmemeval_judged.json", "hindsight_locomo.json"])
def test_words_agree_with_the_judges_of_real_answers(name: str) -> None:
    """Of what words settle nothing is called right that a judge called wrong, and next to nothing the other way."""
    rows = list(answer_rules.READERS[name](shared_data(f"traces/{name}")))
    found = answer_rules.measured(settled, rows)
    assert found.wrongly_right == 0
    assert found.agreed == found.settled
    assert found.settled > found.answers / 5  # or there would be no use in words


def test_wrong_answers_planted_in_real_questions_are_never_called_right() -> None:
    rows = [row for name, read in answer_rules.READERS.items() for row in read(shared_data(f"traces/{name}"))]
    made = answer_rules.planted(rows)
    assert {name: answer_rules.measured(settled, wrong).wrongly_right for name, wrong in made.items()} == dict.fromkeys(
        made, 0
    )
    assert sum(map(len, made.values())) > 3_000


def test_words_never_call_a_gold_answer_wrong_nor_another_ones_right() -> None:
    """On released questions: gold against itself, and against the gold answers of other questions."""
    path = shared_data("longmemeval/evidence_turns_250.json")
    rows = [
        (e["question_id"], e["question_type"], e["question"], str(e["answer"])) for e in json.loads(path.read_text())
    ]
    chance = random.Random(5)
    right = 0
    for id, type, question, gold in rows:
        kind = ABSTENTION if id.endswith("_abs") else type
        itself = settled(kind, question, gold, gold)
        assert itself is None or itself[0]
        right += itself is not None
        for _, _, _, other in chance.sample(rows, 20):
            found = settled(kind, question, gold, other)
            if found is not None and found[0] and kind != ABSTENTION and tokens(other) != tokens(gold):
                assert any(token[0].isdigit() for token in tokens(gold))  # only numbers may come near each other
                assert tokens(other)[0][0].isdigit()
    assert right > 180  # or there would be no use in words


# ------------------------------------------------------------------ scores


def score_of(sheet: AnswerSheet, **options: Any) -> scoring.Scored:
    return scoring.score(SUITE, sheet, limits=Limits(use_cache=False), **options)


def test_without_a_judge_the_open_ones_widen_the_intervals(tmp_path: Path, data: Path) -> None:
    found = score_of(Hypotheses().read(lines(tmp_path / "h.jsonl", SAYS), data))
    by = {line.name: line for line in found.lines["released"]}
    assert (found.judge, found.open, found.errors) == ("", 2, 0)  # the update and the preference
    assert {name: (line.n, line.right, line.open) for name, line in by.items()} == {
        "single-session-user": (2, 2, 0),
        "single-session-preference": (1, 0, 1),
        "multi-session": (1, 0, 0),
        "knowledge-update": (1, 0, 1),
        "temporal-reasoning": (1, 1, 0),
        "task-averaged": (6, 3, 2),
        "overall": (6, 3, 2),
        "abstention": (1, 1, 0),
    }
    assert by["overall"].accuracy is None  # 3 of the 4 that are settled would pass for 75 %
    assert (by["overall"].worst, by["overall"].best) == (3 / 6, 5 / 6)
    assert (by["overall"].low, by["overall"].high) == (wilson(3, 6).low, wilson(5, 6).high)
    assert (by["single-session-user"].accuracy, by["knowledge-update"].accuracy) == (1, None)
    assert by["task-averaged"].accuracy is None
    assert (by["task-averaged"].worst, by["task-averaged"].best) == pytest.approx(((1 + 1) / 5, (1 + 1 + 1 + 1) / 5))
    assert not found.complete


def verdict_by(right: Mapping[str, bool]) -> Callable[[Asked], Any]:
    """A judge that knows which answers are right."""

    def script(request: Asked) -> Any:
        data = data_block(request)
        assert data is not None
        return {"reason": "so", "witness": [], "verdict": right[data["answer"]]}

    return script


def official(log: Path, data: Path) -> dict[str, float]:
    """What the official script prints, worked out anew from its definition."""
    types = {entry["question_id"]: entry["question_type"] for entry in json.loads(data.read_text())}
    labels: dict[str, list[int]] = {}
    abstained = []
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        right = int(entry["autoeval_label"]["label"])
        labels.setdefault(types[entry["question_id"]], []).append(right)
        abstained += [right] if "_abs" in entry["question_id"] else []
    means = {type: sum(found) / len(found) for type, found in labels.items()}
    flat = [right for found in labels.values() for right in found]
    over = {"task-averaged": sum(means.values()) / len(means), "overall": sum(flat) / len(flat)}
    return {**means, **over, "abstention": sum(abstained) / len(abstained)}


@given(st.lists(st.tuples(st.sampled_from(TYPES), st.booleans(), st.booleans()), min_size=1, max_size=40))
@settings(max_examples=60)
def test_scores_are_those_of_the_official_script(
    tmp_path_factory: pytest.TempPathFactory, answered: list[tuple[str, bool, bool]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    entries = [
        {"question_id": f"q{n}{'_abs' * gone}", "question_type": type, "question": "?", "answer": "!"}
        for n, (type, gone, _) in enumerate([*answered, ("multi-session", True, True)])
    ]
    data = questions(folder / "official.json", entries)
    probes = {probe.id: probe for probe in references(data, pytest.fail)}
    rights = [right for _, _, right in answered] + [True]
    marks = tuple(
        Mark(GivenAnswer(p, "x"), right, "judge", "") for p, right in zip(probes.values(), rights, strict=True)
    )
    found = lines_of(Hypotheses().groups(marks))
    scored = scoring.Scored("longmemeval", AnswerSheet(()), "openai/gpt-4o-2024-08-06", {"released": marks}, {})
    log = scoring.write_log(folder / "log", SUITE, scored)
    assert {json.loads(line)["autoeval_label"]["model"] for line in log.read_text().splitlines()} == {
        "gpt-4o-2024-08-06"
    }
    assert {line.name: line.accuracy for line in found} == pytest.approx(official(log, data))
    assert all(line.accuracy is not None and line.low <= line.accuracy <= line.high for line in found)


def test_a_judge_grades_every_answer_by_its_type(tmp_path: Path, data: Path) -> None:
    right = {answer: id != "m1" for id, answer in SAYS.items()}
    sheet = Hypotheses().read(lines(tmp_path / "h.jsonl", SAYS), data)
    with StubServer(verdict_by(right)) as server:
        found = score_of(sheet, judge=f"{server.url}#judge")
        asked = [r.body["messages"][0]["content"] for r in server.requests]
    assert (found.open, found.errors, found.stopped) == (0, 0, None)
    assert {line.name: line.accuracy for line in found.lines["released"]}["overall"] == 5 / 6
    assert len(asked) == 6
    for type in ("temporal-reasoning", "knowledge-update", "abstention", "single-session-preference", "multi-session"):
        assert sum(RUBRICS[f"longmemeval/{type}"].reasoning in text for text in asked) >= 1


def test_errors_of_the_judge_are_no_wrong_answers(tmp_path: Path, data: Path) -> None:
    def script(request: Asked) -> Any:
        block = data_block(request)
        assert block is not None
        return Said("no", status=400) if block["question"] == "How many days was it?" else ContentJudge()(request)

    sheet = Hypotheses().read(lines(tmp_path / "h.jsonl", SAYS), data)
    with StubServer(script) as server:
        found = score_of(sheet, judge=f"{server.url}#judge")
    by = {line.name: line for line in found.lines["released"]}
    assert found.errors == 1
    assert (by["temporal-reasoning"].errors, by["temporal-reasoning"].accuracy) == (1, None)
    assert (by["overall"].errors, by["overall"].accuracy) == (1, None)
    assert by["overall"].best - by["overall"].worst == pytest.approx(1 / 6)


def test_a_refused_key_stops_the_grading_at_once(tmp_path: Path) -> None:
    entries = [{**QUESTIONS[0], "question_id": f"q{n}"} for n in range(300)]
    data = questions(tmp_path / "d.json", entries)
    sheet = Hypotheses().read(lines(tmp_path / "h.jsonl", {f"q{n}": str(n) for n in range(300)}), data)
    with StubServer(lambda request: Said("who are you?", status=401)) as server:
        found = scoring.score(SUITE, sheet, judge=f"{server.url}#judge", limits=Limits(concurrency=2, use_cache=False))
        assert len(server.requests) < 50
    assert found.errors == 300
    assert found.stopped is not None
    assert found.stopped.startswith("auth")


# ------------------------------------------------------------------ errata


def wrong_gold(tmp_path: Path) -> tuple[Path, str]:
    """A question whose released gold answer is in the errata."""
    known = next(iter(errata.load().entries.values()))
    entry = {"question_id": known.question_id, "question_type": "temporal-reasoning", "question": "How many weeks?"}
    return questions(tmp_path / "d.json", [{**entry, "answer": known.was}]), known.gold


def of_wrong_gold(tmp_path: Path) -> tuple[AnswerSheet, str]:
    """An answer to it, and the right gold answer."""
    data, gold = wrong_gold(tmp_path)
    id = json.loads(data.read_text())[0]["question_id"]
    return Hypotheses().read(lines(tmp_path / "h.jsonl", {id: "mine"}), data), gold


@pytest.mark.parametrize(
    ("choice", "golds"), [("on", {"corrected"}), ("off", {"released"}), ("both", {"released", "corrected"})]
)
def test_scores_with_and_without_errata(tmp_path: Path, choice: Any, golds: set[str]) -> None:
    sheet, gold = of_wrong_gold(tmp_path)

    def script(request: Asked) -> Any:
        block = data_block(request)
        assert block is not None
        return {"reason": "so", "witness": [], "verdict": block["gold"] == gold}

    with StubServer(script) as server:
        found = score_of(sheet, judge=f"{server.url}#judge", errata=choice)
        assert len(server.requests) == len(golds)
    assert set(found.marks) == golds
    assert [marks[0].right for marks in found.marks.values()] == [name == "corrected" for name in found.marks]


def test_what_goes_wrong_by_the_corrected_gold_answer_alone_is_told_too(tmp_path: Path) -> None:
    sheet, gold = of_wrong_gold(tmp_path)

    def script(request: Asked) -> Any:
        block = data_block(request)
        assert block is not None
        return Said("no", status=400) if block["gold"] == gold else {"reason": "", "witness": [], "verdict": True}

    with StubServer(script) as server:
        found = score_of(sheet, judge=f"{server.url}#judge")
    assert (found.errors, len(found.failed)) == (1, 1)


def test_a_gold_answer_that_was_mended_at_its_source_is_left_alone(tmp_path: Path) -> None:
    data, _ = wrong_gold(tmp_path)
    [entry] = json.loads(data.read_text())
    mended = questions(tmp_path / "mended.json", [{**entry, "answer": "something else"}])
    sheet = Hypotheses().read(lines(tmp_path / "h.jsonl", {entry["question_id"]: "mine"}), mended)
    assert sheet.corrected == {}
    assert set(score_of(sheet).lines) == {"released"}


# ------------------------------------------------------------------ the command


@pytest.fixture
def handed(place: Place) -> Place:
    place.write("handed_suite.py", REGISTERED)
    info = place.path / "handed-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: handed\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[memtriage.suites]\nhanded = handed_suite:SUITE\n")
    questions(place.path / "data.json", QUESTIONS)
    lines(place.path / "h.jsonl", SAYS)
    return place


SCORE = ("score", "handed", "h.jsonl", "--data", "data.json")


def test_the_command_without_a_judge(handed: Place, cli: Cli) -> None:
    told = cli(*SCORE, code=1)
    assert "graded by words alone" in told.out
    words = " ".join(told.out.split())
    assert "INCOMPLETE: 2 of 6 answers are undecided" in words
    assert "50.0 % with all of them wrong and 83.3 % with all of them right" in words
    assert "--judge MODEL" in told.err
    [overall] = [line for line in told.out.splitlines() if line.startswith("overall")]
    assert overall.split() == ["overall", "6", "3", "2", "50.0…83.3", "%", "18.8–97.0"]
    log = [json.loads(line) for line in (handed.path / "h.jsonl.eval-results-words").read_text().splitlines()]
    assert {entry["question_id"]: entry["autoeval_label"] for entry in log} == {
        id: {"model": "words", "label": id != "m1"} for id in ("u1", "u2_abs", "m1", "t1")
    }
    found = json.loads(cli(*SCORE, "--json", code=1).out)
    assert (found["schema"], found["complete"], found["open"]) == (scoring.SCHEMA, False, 2)
    assert [row["accuracy"] for row in found["scores"]["released"] if row["kind"] != "group"] == [None, None]
    assert [row["name"] for row in found["scores"]["released"]][-3:] == ["task-averaged", "overall", "abstention"]


def test_the_command_with_a_judge_resumes_from_its_cache(handed: Place, cli: Cli) -> None:
    with StubServer(ContentJudge()) as server:
        judge = ("--judge", f"{server.url}#gpt-4o-2024-08-06", "--cache", "c.sqlite")
        priced = cli(*SCORE, *judge, "--dry-run", "--json")
        assert json.loads(priced.out)["rows"][-1]["calls"] == [6, 6]
        assert not server.requests
        cli(*SCORE, *judge, "--out", "graded")
        asked = len(server.requests)
        again = json.loads(cli(*SCORE, *judge, "--json").out)
        assert len(server.requests) == asked == 6
        assert json.loads(cli(*SCORE, *judge, "--dry-run", "--json").out)["rows"][-1]["calls"] == [0, 0]
    assert again["errors"] == again["open"] == 0
    (log,) = handed.path.joinpath("graded").glob("h.jsonl.eval-results-*")
    assert {json.loads(line)["autoeval_label"]["model"] for line in log.read_text().splitlines()} == {
        "gpt-4o-2024-08-06"
    }
    assert json.loads((handed.path / "graded" / "score.json").read_text())["scores"] == again["scores"]


def test_problems_and_faults_end_in_a_message_and_a_non_zero_exit(handed: Place, cli: Cli) -> None:
    with (handed.path / "h.jsonl").open("a") as file:
        file.write("not json\n")
    told = cli(*SCORE, code=1)
    assert "h.jsonl:7" in told.err
    assert "overall" in told.out  # the rest was graded
    lines(handed.path / "h.jsonl", SAYS)
    with StubServer(lambda request: Said("no", status=400)) as server:
        told = cli(*SCORE, "--judge", f"{server.url}#judge", "--no-cache", code=1)
    assert "could not be graded" in told.err
    assert "did you mean 'both'" in cli(*SCORE, "--errata", "bot", code=1).err
    assert "no format for answers" in cli("score", "memfail", "h.jsonl", "--data", "data.json", code=1).err
    assert "none of the answers" in cli(*_with(handed, {"zz": "?"}), code=1).err
    assert "--judge" in cli(*SCORE, "--dry-run", code=1).err


def _with(place: Place, says: Mapping[str, str]) -> tuple[str, ...]:
    lines(place.path / "other.jsonl", says)
    return ("score", "handed", "other.jsonl", "--data", "data.json")


def test_ids_and_answers_may_have_other_names_but_data_are_no_answers(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": "u1", "answer": "in Ely"}, {"question_id": "m1", "output": 4}]))
    sheet = Hypotheses().read(path, data)
    assert [(given.probe.id, given.answer) for given in sheet.given] == [("u1", "in Ely"), ("m1", "4")]
    sheet = Hypotheses().read(data, data)  # gold answers would be graded against themselves
    assert (sheet.given, len(sheet.problems)) == ((), len(QUESTIONS))
    assert all("gold answer, as data files do; give a file of answers" in problem for problem in sheet.problems)


def test_the_answers_of_a_run_are_scored_as_those_of_a_file(place: Place, cli: Cli) -> None:
    with StubServer(lambda request: "Seventeen green lampshades") as server:
        run = ("run", "--suite", "longmemeval/oracle", "--rows", "5", "--system", "bm25", "--k", "2", "--out", "run")
        cli(*run, "--answer", f"{server.url}#reader", "--cache", "c.db", "-q")
    found = json.loads(cli("score", "longmemeval", "run", "--json", code=1).out)
    assert (found["answers"], found["missing"], found["problems"], found["complete"]) == (5, [], [], False)
    assert found["scores"]["released"][-2]["n"] == 5
