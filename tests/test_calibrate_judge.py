"""Judges on planted faults and planted answers: a real client over HTTP, and judges of known character behind it."""

from __future__ import annotations

import asyncio
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from conftest import shared_data
from memtriage.core.chat import ModelError
from memtriage.core.episode import Episode, Probe
from memtriage.metrics.letters import parse_choice
from memtriage.metrics.statistics import wilson
from memtriage.models.client import Client
from memtriage.models.scripted import ContentJudge, Faults, Reply, Request, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.report.terminal.audit import judge_calibration_json, print_judge_calibration, warnings
from memtriage.suites.memfail.episodes import episode
from memtriage.suites.memfail.generate.rows import stream
from memtriage.suites.memfail.released.files import find_files, read_rows
from memtriage.suites.memfail.rows import DATASETS
from memtriage.text.words import words
from memtriage.validate.calibrate_judge import AnswerCalibration, GradedAnswer, JudgeCalibration, calibrate_judge
from memtriage.validate.planted_answers import RIGHT_KINDS, WRONG_KINDS, AnswerKind, PlantedAnswer, plant_answers

LAST = ("reasoning", "coverage", "abstention")


@cache
def generated(dataset: str, rows: int = 8) -> Episode:
    return episode(list(islice(stream(dataset, 11, rows), rows)), dataset, 11)


def probes_of(whole: Episode) -> dict[str, Probe]:
    return {probe.id: probe for probe in whole.probes}


def put_to_test(server: StubServer, episodes: Sequence[Episode], **options: Any) -> JudgeCalibration:
    async def asked() -> JudgeCalibration:
        async with Client(f"{server.url}#judge", backoff=0.001, max_retries=options.pop("max_retries", 1)) as client:
            return await calibrate_judge(episodes, client, **{"seed": 1, "per_kind": 3, **options})

    return asyncio.run(asked())


def parts(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(data.get("entries") or [data])


def judge_by(decide: Callable[[str, Mapping[str, Any]], bool]) -> Callable[[Request], Any]:
    """A judge that rules by a function of the stage and the case."""

    def script(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        found = [{"reason": "so", "witness": [], "verdict": decide(data["stage"], part)} for part in parts(data)]
        if "entries" not in data:
            return found[0]
        return {"results": [{"id": part["id"], **ruling} for part, ruling in zip(parts(data), found, strict=True)]}

    return script


def all_knowing(episodes: Sequence[Episode], per_kind: int = 3) -> Callable[[Request], Any]:
    """Decides stages by content and knows of every planted answer whether it is right."""
    truth = {
        (probes_of(whole)[a.probe].text, a.text): a.right
        for whole in episodes
        for a in plant_answers(whole, 1, per_kind)
    }
    by_truth = judge_by(lambda _, part: truth[part["question"], part["answer"]])
    by_content = ContentJudge()

    def script(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        return by_truth(request) if data["stage"] in LAST else by_content(request)

    return script


def printed(result: JudgeCalibration, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_judge_calibration(result, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


# ------------------------------------------------------------------ what is planted


@pytest.mark.parametrize("dataset", DATASETS)
def test_planted_answers_are_seeded_and_each_kind_goes_to_questions_of_its_own(dataset: str) -> None:
    whole = generated(dataset, 12)
    planted = plant_answers(whole, 4, 5)
    assert planted == plant_answers(whole, 4, 5)
    assert planted != plant_answers(whole, 5, 5)
    counts = Counter(answer.kind for answer in planted)
    assert max(counts.values()) <= 5
    assert counts["verbatim"] == counts["off-topic"] == 5
    assert len({(a.probe, a.kind) for a in planted}) == len(planted)
    assert all(answer.right == (answer.kind in RIGHT_KINDS) for answer in planted)


def test_every_kind_of_wrong_answer_comes_up() -> None:
    kinds = {a.kind for dataset in DATASETS for a in plant_answers(generated(dataset), 2, 4)}
    assert kinds == {*RIGHT_KINDS, *WRONG_KINDS}


def texts(dataset: str, kind: AnswerKind, seed: int = 3, per_kind: int = 50) -> list[tuple[Probe, str]]:
    whole = generated(dataset, 12)
    return [(probes_of(whole)[a.probe], a.text) for a in plant_answers(whole, seed, per_kind) if a.kind == kind]


def opening(text: str) -> str:
    return text.split()[0].strip("—,.").lower()


@pytest.mark.parametrize("dataset", ["conditional-easy", "conditional-hard"])
def test_the_opposite_of_yes_is_no(dataset: str) -> None:
    for probe, text in texts(dataset, "opposite"):
        assert {opening(probe.gold), opening(text)} == {"yes", "no"}
    for probe, text in texts(dataset, "verbose"):
        verdict = text.rpartition("So, all in all: ")[2]
        assert {opening(probe.gold), opening(verdict)} == {"yes", "no"}
        assert len(text) > 3 * len(probe.gold)


def test_a_wrong_entity_takes_the_place_of_the_right_one() -> None:
    whole = generated("conditional-easy", 12)
    subject = {probe.id: whole.fact(probe.sufficient[0][0]).subject for probe in whole.probes}
    found = texts("conditional-easy", "wrong-entity")
    assert found
    for probe, text in found:
        assert subject[probe.id] not in text
        assert any(name in text for name in subject.values())
        assert opening(text) == opening(probe.gold)


def test_a_partial_list_lacks_one_entry_and_a_swapped_one_has_a_stranger() -> None:
    for probe, text in texts("coexisting", "partial"):
        lacking = [part for part in probe.gold.split(", ") if part not in text]
        assert len(lacking) == 1
    for probe, text in texts("coexisting", "wrong-entity"):
        said = text.replace(" and ", ", ").split(", ")
        assert sum(part not in text for part in probe.gold.split(", ")) == 1
        assert len(set(said) - set(probe.gold.split(", "))) >= 1


def test_where_declining_is_right_no_hedge_is_called_wrong_and_the_essay_is_passed_off() -> None:
    whole = generated("persona", 12)
    assert all(probe.scoring != "abstain" for probe, _ in texts("persona", "vague"))
    passed_off = [(p, text) for p, text in texts("persona", "wrong-entity") if p.scoring == "abstain"]
    assert passed_off
    for probe, text in passed_off:
        fact = whole.fact(probe.sufficient[0][0])
        assert "information" not in text
        stranger = probe.gold.removeprefix("I don't have information about ").rstrip(".")
        assert text.startswith(f"For {stranger} ")
        assert set(words(fact.details[0]).stems) <= set(words(text).stems)
    open_ended = [(p, text) for p, text in texts("persona", "opposite") if p.scoring == "free"]
    declining = [text for probe, text in open_ended if not probe.gold.startswith(("Yes", "No"))]
    assert declining
    assert all(text.startswith("I don't have information about") for text in declining)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), dataset=st.sampled_from(DATASETS))
def test_no_wrong_answer_is_a_gold_answer_and_letters_are_what_they_should_be(seed: int, dataset: str) -> None:
    whole = generated(dataset, 12)
    for answer in plant_answers(whole, seed, 3):
        probe = probes_of(whole)[answer.probe]
        assert answer.text.strip()
        if probe.scoring == "choice":
            assert (parse_choice(answer.text) == probe.correct_choice) is answer.right
        elif not answer.right:
            assert answer.text != probe.gold


@pytest.mark.parametrize("dataset", DATASETS)
def test_released_rows_get_every_kind_too(dataset: str) -> None:
    whole = episode(read_rows(find_files(shared_data("memfail"), (dataset,))[dataset], dataset), dataset, 1)
    counts = Counter(answer.kind for answer in plant_answers(whole, 1, 10))
    assert {"verbatim", "introduced", "reordered", "verbose", "opposite", "off-topic"} <= set(counts)
    assert set(counts.values()) == {10}


# ------------------------------------------------------------------ judges of known character


def test_a_judge_that_knows_makes_no_mistakes() -> None:
    episodes = [generated("conditional-easy"), generated("persona"), generated("coexisting")]
    with StubServer(all_knowing(episodes)) as server:
        result = put_to_test(server, episodes)
    assert result.answers.false_accepts.value == result.answers.false_rejects.value == 0.0
    assert set(result.answers.kinds) == {*RIGHT_KINDS, *WRONG_KINDS}
    assert result.answers.kappa == pytest.approx(1.0)
    assert result.stages.planted > 5
    assert result.stages.attributed == result.stages.planted
    assert result.stages.false_alarms == 0
    assert result.stages.clean == sum(len(p.sufficient[0]) for e in episodes for p in e.probes)
    assert result.errors == 0
    assert warnings(result) == []
    assert "judged by" in printed(result)


def test_a_judge_that_accepts_everything_is_shown_up() -> None:
    with StubServer(judge_by(lambda *_: True)) as server:
        result = put_to_test(server, [generated("conditional-easy")], rate=1.0)
    assert result.answers.false_accepts.value == 1.0
    assert result.answers.false_rejects.value == 0.0
    assert result.answers.kappa == pytest.approx(0.0)
    assert {found for _, found in result.stages.confusion} == {"correct"}
    assert result.stages.attributed == 0
    text = printed(result)
    n = result.answers.false_accepts.n
    assert f"false accepts 100.0 % [{100 * wilson(n, n).low:.1f}–100.0] ({n} of {n})" in text
    assert "It accepted every planted answer, right or wrong" in text
    assert "κ is below 0.6: don't rely on where" in text


def test_a_judge_that_rejects_everything_is_shown_up_as_well() -> None:
    with StubServer(judge_by(lambda *_: False)) as server:
        result = put_to_test(server, [generated("coexisting", 5)])
    assert (result.answers.false_accepts.value, result.answers.false_rejects.value) == (0.0, 1.0)
    assert {found for _, found in result.stages.confusion} == {"not_stored"}
    assert result.stages.false_alarms == result.stages.clean > 0
    assert "It rejected every planted answer" in printed(result)


def test_a_judge_that_compares_words_falls_for_the_wrong_entity_only_where_words_agree() -> None:
    with StubServer(ContentJudge()) as server:
        result = put_to_test(server, [generated("conditional-easy")], per_kind=6)
    kinds = result.answers.kinds
    assert [kinds[kind].mistaken for kind in ("vague", "verbose", "opposite")] == [0, 0, 0]
    assert kinds["wrong-entity"].value == 1.0
    assert result.stages.kappa == pytest.approx(1.0)


def test_a_judge_that_accepts_everything_misses_every_alteration_of_rewritten_memories() -> None:
    whole = generated("conditional-easy", 12)
    with StubServer(judge_by(lambda stage, part: True)) as server:
        found = put_to_test(server, [whole], styles=("mixed",), rate=1.0).stages.rewritten
    assert found is not None
    score = found.score
    assert score.detector.startswith("judge:")
    assert score.strict.coverage == 1.0
    assert score.false_alarms.wrong == 0
    altered = [o for o in score.outcomes if o.expected == "summary_error"]
    assert len(altered) > 3
    assert all(o.wrong for o in altered)


def test_the_judge_decides_what_words_could_have_settled() -> None:
    whole = generated("conditional-easy", 5)
    with StubServer(ContentJudge()) as server:
        put_to_test(server, [whole], rate=0.0, per_kind=1)
        asked = [block(seen.body) for seen in server.requests]
    facts = {part["fact"]["text"] for data in asked if data["stage"] == "storage" for part in parts(data)}
    assert facts == {fact.text for fact in whole.facts}


def block(body: Any) -> dict[str, Any]:
    content = body["messages"][-1]["content"]
    found: dict[str, Any] = json.loads(content.removeprefix("<<<DATA\n").removesuffix("\nDATA>>>"))
    return found


def test_no_two_answers_to_one_question_share_a_call() -> None:
    whole = generated("persona", 4)
    with StubServer(judge_by(lambda *_: True)) as server:
        put_to_test(server, [whole], per_kind=12)
        asked = [block(seen.body) for seen in server.requests]
    batches = [[part["question"] for part in parts(data)] for data in asked if data["stage"] in LAST]
    assert any(len(batch) > 1 for batch in batches)
    assert all(len(set(batch)) == len(batch) for batch in batches)


def test_letters_are_graded_by_rule_and_never_sent_to_a_judge() -> None:
    with StubServer(ContentJudge()) as server:
        result = put_to_test(server, [generated("long-hop")], rate=1.0)
        assert not any(block(seen.body)["stage"] in LAST for seen in server.requests)
    assert result.answers.graded == ()
    assert result.letters.false_accepts.mistaken == result.letters.false_rejects.mistaken == 0
    assert result.letters.false_accepts.n >= 9
    assert result.stages.confusion["reasoning_error", "reasoning_error"] > 0


# ------------------------------------------------------------------ errors


def test_what_could_not_be_judged_is_counted_apart() -> None:
    whole = generated("conditional-easy")
    knowing = all_knowing([whole])

    def fails_on_opposites(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        answers = [entry["answer"] for entry in data.get("entries", [data])] if data["stage"] in LAST else []
        broken = any("this is " in answer for answer in answers)
        return Reply("not this", status=400) if broken else knowing(request)

    with StubServer(fails_on_opposites) as server:
        result = put_to_test(server, [whole], max_retries=0)
    assert result.answers.kinds["opposite"].errors == 3
    assert result.answers.kinds["opposite"].n == 0
    assert result.answers.kinds["opposite"].value is None
    assert result.answers.false_accepts.mistaken == 0
    assert result.errors == result.answers.false_accepts.errors == 6
    assert "6 verdicts could not be had" in printed(result)
    assert result.unjudged == {}


def test_facts_that_could_not_be_judged_leave_the_matrix() -> None:
    whole = generated("conditional-easy", 5)

    def fails_on_summaries(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        return Reply("down", status=500) if data["stage"] == "summary" else ContentJudge()(request)

    with StubServer(fails_on_summaries) as server:
        result = put_to_test(server, [whole], rate=0.0, max_retries=0)
    assert result.stages.confusion == {}
    assert result.stages.clean == 0
    assert sum(result.unjudged.values()) == 2 * len(whole.facts)
    assert judge_calibration_json(result)["stages"]["kappa"] is None
    assert json.loads(json.dumps(judge_calibration_json(result), allow_nan=False))


def test_a_wrong_key_is_one_error_at_once() -> None:
    with StubServer(ContentJudge(), faults=Faults(key="sk-right")) as server:
        with pytest.raises(ModelError) as raised:
            put_to_test(server, [generated("conditional-easy"), generated("persona")])
        assert raised.value.trouble == "auth"
        assert server.count() < 50


# ------------------------------------------------------------------ numbers, by hand


def graded(kind: AnswerKind, accepted: bool | None, times: int) -> list[GradedAnswer]:
    planted = PlantedAnswer("p", "text", kind in RIGHT_KINDS, kind)
    return [GradedAnswer("t/one", planted, "judge", accepted, "timeout: slow" if accepted is None else "")] * times


def test_rates_intervals_and_kappa_are_those_worked_out_by_hand() -> None:
    answers = AnswerCalibration(
        (
            *graded("verbatim", True, 8),
            *graded("verbatim", False, 2),
            *graded("vague", True, 3),
            *graded("vague", False, 7),
            *graded("opposite", None, 4),
        )
    )
    assert (answers.false_accepts.mistaken, answers.false_accepts.n, answers.false_accepts.errors) == (3, 10, 4)
    assert answers.false_rejects.value == 0.2
    assert [round(bound, 4) for bound in answers.false_rejects.interval] == [0.0567, 0.5098]
    # Of 20, 15 agree; by chance (10·11 + 10·9) / 400 = 0.5.
    assert answers.kappa == pytest.approx((0.75 - 0.5) / 0.5)
    assert answers.one_sided is None
    assert answers.kinds["opposite"].interval == (0.0, 1.0)


def test_the_json_form_is_stable() -> None:
    with StubServer(judge_by(lambda *_: True)) as server:
        result = put_to_test(server, [generated("conditional-easy", 5)], per_kind=2)
    form = judge_calibration_json(result)
    assert form["schema"] == "memtriage.judge-calibration/1"
    assert list(form) == ["schema", "judge", "stages", "answers", "letters", "memories", "errors", "warnings"]
    assert form["answers"]["false_accepts"] == {
        "mistaken": 10, "n": 10, "rate": 1.0, "interval": [0.722467, 1.0], "errors": 0,
    }  # fmt: skip
    assert form["answers"]["kinds"]["verbatim"]["right"] is True
    assert list(form["answers"]["tasks"]) == ["memfail/conditional-easy"]
    assert form["judge"] == result.judge
