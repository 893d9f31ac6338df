"""Official scores of MemoryAgentBench: a metric for each task, means as in the paper, from files and from runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import GivenAnswer, Mark
from memtriage.core.rubric import JUDGED_AS
from memtriage.metrics.statistics import wilson
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.models.scripted import Request as Asked
from memtriage.suites.memoryagentbench import context_files
from memtriage.suites.memoryagentbench.context import Context, Query
from memtriage.suites.memoryagentbench.grading import OfficialScores
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind
from memtriage.tables.handed_in import ScoreLine, lines_of
from test_mab_released import record, write

TITLES = ("Tin Harbour", "The Owl", "Salt", "Ember")


def context(kind: Kind, source: str, *golds: tuple[str, ...], **tags: str) -> Context:
    queries = tuple(
        Query(f"{source}/q{n}", f"What of {n}?", each, SPECS[kind].scoring, tags=tags) for n, each in enumerate(golds)
    )
    titles = TITLES if kind == "recommendation" else ()
    return Context(source, kind, source, "A text.", (), queries, titles=titles)


WORDS = [
    context("sh-docqa", "ruler_qa1_197K", ("Lake Orrin",), ("1612", "the year 1612")),
    context("eventqa", "eventqa_full", ("Mara left.",), ("Otto slept.",)),
    context("eventqa", "eventqa_65536", ("Mara left.",)),
    context("icl", "icl_a", ("43",), ("7",)),
    context("icl", "icl_b", ("5",)),
    context("recommendation", "recsys_redial_full", ("Tin Harbour", "Salt")),
    context("detective", "detective_qa", ("B. The gardener",)),
    context("factconsolidation-sh", "factconsolidation_sh_262k", ("Rome",)),
]
SAYS = {
    "ruler_qa1_197K/q0": "I guess.\nAnswer: lake orrin",
    "ruler_qa1_197K/q1": "1613",
    "eventqa_full/q0": "The next event:\nMara left.",  # officially only the first line counts
    "eventqa_full/q1": "Otto slept.",
    "eventqa_65536/q0": "Mara left.",
    "icl_a/q0": "label: 43",  # officially a label is taken literally
    "icl_a/q1": "7",
    "icl_b/q0": "5",
    "recsys_redial_full/q0": "1. Tin Harbor\n2. The Owl",
    "detective_qa/q0": "B. The gardener",
    "factconsolidation_sh_262k/q0": "It is Rome.",
}
SCORE = ("score", "memoryagentbench", "a.jsonl", "--data", "d")


def put(folder: Path, contexts: list[Context], says: Mapping[str, str]) -> None:
    (folder / "d").mkdir(exist_ok=True)
    for kind in {each.kind for each in contexts}:
        own = [each for each in contexts if each.kind == kind]
        (folder / "d" / context_files.file_name(kind)).write_bytes(b"".join(context_files.lines(own)))
    (folder / "a.jsonl").write_text("".join(json.dumps({"id": id, "answer": a}) + "\n" for id, a in says.items()))


def scores(folder: Path) -> dict[str, ScoreLine]:
    """The lines of the score of a file, by name."""
    scorer = OfficialScores()
    sheet = scorer.read(folder / "a.jsonl", folder / "d")
    assert sheet.problems == sheet.strangers == ()
    marks = []
    for given in sheet.given:
        graded = scorer.by_words(given.probe, given.answer)
        marks.append(Mark(given, graded and graded.credit, "words", ""))
    return {line.name.strip(): line for line in lines_of(scorer.groups(marks))}


def test_each_task_has_its_metric_and_means_are_those_of_the_papers_table(tmp_path: Path) -> None:
    put(tmp_path, WORDS, SAYS)
    by = scores(tmp_path)
    assert {name: (line.metric, line.accuracy) for name, line in by.items()} == {
        "sh-docqa": ("SubEM", 1 / 2),
        "eventqa_full": ("SubEM", 1 / 2),
        "eventqa_65536": ("SubEM", 1.0),
        "eventqa": ("SubEM", 1 / 2),  # the paper's table has the full novels alone
        "accurate-retrieval (2/4)": ("mean", 1 / 2),
        "icl_a": ("EM", 1 / 2),
        "icl_b": ("EM", 1.0),
        "icl": ("EM", 3 / 4),  # of the sub-datasets, not of the questions
        "recommendation": ("Recall@5", 1 / 2),
        "test-time-learning": ("mean", 5 / 8),
        "detective": ("EM", 1.0),
        "long-range-understanding (1/2)": ("mean", 1.0),
        "factconsolidation-sh": ("SubEM", 1.0),
        "selective-forgetting (1/2)": ("mean", 1.0),
        "overall": ("mean", (1 / 2 + 5 / 8 + 1 + 1) / 4),
    }
    assert (by["icl_a"].low, by["icl_a"].high) == tuple(wilson(1, 2))
    assert (by["recommendation"].low, by["recommendation"].high) == tuple(wilson(0.5, 1))
    narrow, wide = by["overall"], by["test-time-learning"]
    assert narrow.low < 25 / 32 < narrow.high
    assert narrow.high - narrow.low < wide.high - wide.low  # the mean of four is surer than one of them


def test_the_means_are_those_that_the_paper_prints() -> None:
    """GPT-4o in table 2: averages 58.1, 50.0, 54.9 and 32.5, overall 48.8."""
    columns = {"sh-docqa": 72.0, "mh-docqa": 51.0, "longmemeval": 32.0, "eventqa": 77.2, "icl": 87.6}
    columns |= {"recommendation": 12.3, "summarization": 32.2, "detective": 77.5}
    columns |= {"factconsolidation-sh": 60.0, "factconsolidation-mh": 5.0}
    probes = {
        kind: Probe(kind, "?", "", (), task=f"memoryagentbench/{kind}", tags={"source": kind}) for kind in columns
    }
    marks = [Mark(GivenAnswer(probes[kind], ""), credit, "words", "") for kind, credit in columns.items()]
    means = {group.name: group for group in OfficialScores().groups(marks) if group.kind != "group"}

    def mean(group: Any) -> float:
        parts = [mean(each) for each in group.of] or [mark.credit for mark in group.marks]
        return sum(parts) / len(parts)

    assert {name: mean(group) for name, group in means.items()} == {
        "accurate-retrieval": pytest.approx(58.1, abs=0.051),
        "test-time-learning": pytest.approx(50.0, abs=0.051),
        "long-range-understanding": pytest.approx(54.9, abs=0.051),
        "selective-forgetting": pytest.approx(32.5, abs=0.051),
        "overall": pytest.approx(48.8, abs=0.051),
    }


def test_the_command_prints_the_score_and_writes_the_official_fields(place: Place, cli: Cli) -> None:
    put(place.path, WORDS, SAYS)
    told = cli(*SCORE)
    [overall] = [line for line in told.out.splitlines() if line.startswith("overall")]
    assert overall.split()[:4] == ["overall", "mean", "10", "6.5"]
    assert overall.split()[4:7] == ["0", "78.1", "%"]
    log = [json.loads(line) for line in (place.path / "a.jsonl.eval-results-words").read_text().splitlines()]
    by = {entry["id"]: entry for entry in log}
    late = by["eventqa_full/q0"]
    assert (late["substring_exact_match"], late["eventqa_recall"], late["source"]) == (0, 1, "eventqa_full")
    assert (by["icl_a/q0"]["exact_match"], by["icl_a/q0"]["EM_flexible"]) == (0, 1)
    assert by["recsys_redial_full/q0"]["recsys_recall@5"] == 0.5
    found = json.loads(cli(*SCORE, "--json").out)
    assert (found["complete"], found["missing"], len(found["answers_graded"])) == (True, [], len(SAYS))


CHAT = {"type": "multi-session", JUDGED_AS: "longmemeval/multi-session"}
JUDGED = [
    Context(
        "lme",
        "longmemeval",
        "longmemeval_s*",
        "A text.",
        (),
        (
            Query("lme/q0", "Where do I row?", ("in Ely",), "free", tags=CHAT),
            Query("lme/q1", "What do I like?", ("rowing at dawn",), "free", tags=CHAT),
        ),
    ),
    context("summarization", "infbench_sum_eng_shots2", ("Mara left Belmar.", "Otto found a boat.")),
]
TOLD = {
    "lme/q0": "You row in Ely.",
    "lme/q1": "Early boats.",
    "infbench_sum_eng_shots2/q0": "Mara left Belmar. Otto danced.",
}


def test_what_the_paper_has_judged_is_incomplete_without_a_judge(place: Place, cli: Cli) -> None:
    put(place.path, [*WORDS, *JUDGED], {**SAYS, **TOLD})
    told = cli(*SCORE, code=1)
    assert "INCOMPLETE: 2 of 13 answers" in " ".join(told.out.split())
    asked: list[str] = []

    def judge(request: Asked) -> Any:
        asked.append(str(request.body["messages"][1]["content"]))
        return ContentJudge()(request)

    with StubServer(judge) as server:
        found = json.loads(cli(*SCORE, "--judge", f"{server.url}#judge", "--no-cache", "--json").out)
    assert len(asked) == 3  # the official rules need no judge for the rest
    by = {row["name"].strip(): row for row in found["scores"]["released"]}
    graded = {row["question_id"]: row for row in found["answers_graded"]}
    summed = graded["infbench_sum_eng_shots2/q0"]
    assert summed["credit"] == pytest.approx(summed["measures"]["Points_F1"], abs=1e-6)
    assert by["summarization"]["accuracy"] == summed["credit"]
    assert by["longmemeval"]["metric"] == "judge"
    assert found["complete"]


def test_released_files_and_the_results_of_the_official_harness(tmp_path: Path) -> None:
    rows = [
        record("factconsolidation_sh_6k", "0. A is in B.", ["Where is A?"], [["B"]], qa_pair_ids=["p1"]),
        record("factconsolidation_sh_6k", "0. C is in D.", ["Where is C?"], [["D"]], qa_pair_ids=["p2"]),
        record("factconsolidation_mh_6k", "0. C is in D.", ["Where is C?"], [["D"]], qa_pair_ids=["p3"]),
        record("somebody_elses", "Text.", ["?"], [["!"]], qa_pair_ids=["p4"]),
    ]
    write(tmp_path / "d" / "Conflict_Resolution.parquet", rows)
    results = {
        "averaged_metrics": {},
        "data": [{"output": "In B.", "answer": ["B"], "query": "Where is A?", "qa_pair_id": "p1"}],
    }
    (tmp_path / "r.json").write_text(json.dumps(results, indent=4))
    sheet = OfficialScores().read(tmp_path / "r.json", tmp_path / "d")
    [given] = sheet.given
    assert (given.answer, given.probe.id, given.probe.golds) == ("In B.", "factconsolidation_sh_6k_1/q0", ("B",))
    assert sheet.missing == ("factconsolidation_sh_6k_2/q0",)  # the other task was not answered at all
    graded = OfficialScores().by_words(given.probe, given.answer)
    assert graded is not None
    assert graded.credit == 1


def test_films_are_found_among_all_that_exist(tmp_path: Path) -> None:
    rows = [record("recsys_redial_full", "Talks.", ["A film?", "Another?"], [["1"], ["2", "3"]])]
    write(tmp_path / "d" / "Test_Time_Learning.parquet", rows)
    (tmp_path / "a.json").write_text(
        json.dumps([{"id": "recsys_redial_full_1/q1", "answer": "1. Tin Harbor\n2. Sald"}])
    )
    with pytest.raises(BadInput, match=r"put entity2id\.json, which has their titles, beside the file"):
        OfficialScores().read(tmp_path / "a.json", tmp_path / "d")
    (tmp_path / "d" / "entity2id.json").write_text(json.dumps({"Low_Tide": 1, "Tin_Harbour": 2, "Salt": 3}))
    [given] = OfficialScores().read(tmp_path / "a.json", tmp_path / "d").given
    graded = OfficialScores().by_words(given.probe, given.answer)
    assert graded is not None
    assert graded.measures == {"Recall@1": 0.5, "Recall@5": 1.0, "Recall@10": 1.0}


def test_what_is_wrong_with_files_is_named_with_a_remedy(place: Place, cli: Cli) -> None:
    put(place.path, WORDS, {"icl_a/q0": "43", "nobody": "?"})
    assert "nobody" in cli(*SCORE).out  # an id that the data doesn't have
    same = [
        context("sh-docqa", "ruler_qa1_1", ("A",), qa_pair_id="x"),
        context("mh-docqa", "ruler_qa2_1", ("B",), qa_pair_id="x"),
    ]
    put(place.path, same, {"x": "A", "ruler_qa1_1/q0": "A"})
    told = cli(*SCORE, code=1).err
    assert "x names ruler_qa1_1/q0 and ruler_qa2_1/q0; give one of these as the id" in told
    (place.path / "gold.json").write_text(json.dumps([{"id": "icl_a/q0", "question": "?", "answer": "43"}]))
    told = cli("score", "memoryagentbench", "gold.json", "--data", "d", code=1).err
    assert "gold.json:1: icl_a/q0 has a question and its gold answer" in told
    told = cli("score", "memoryagentbench", "a.jsonl", code=1).err
    assert "give the questions that a.jsonl answers with --data" in told
    assert "a.jsonl is none" in cli(*SCORE, "--system", "bm25", code=1).err
    (place.path / "empty").mkdir()
    assert "has no released file" in cli("score", "memoryagentbench", "a.jsonl", "--data", "empty", code=1).err


def test_the_answers_of_a_run_are_scored_from_its_own_record(place: Place, cli: Cli) -> None:
    with StubServer(lambda request: "Answer: nothing of the kind") as server:
        run = ("run", "--suite", "memoryagentbench/sh-docqa", "--rows", "4", "--length", "6k", "--k", "2,5")
        cli(*run, "--system", "bm25", "--answer", f"{server.url}#reader", "--cache", "c.db", "--out", "run", "-q")
        told = cli("score", "memoryagentbench", "run", code=1)
        assert "choose one of: --system bm25 --k 2, --system bm25 --k 5" in told.err
        found = json.loads(cli("score", "memoryagentbench", "run", "--k", "5", "--json").out)
    [line] = [row for row in found["scores"]["released"] if row["name"] == "sh-docqa"]
    assert (line["n"], line["accuracy"], found["complete"]) == (4, 0.0, True)
    assert (place.path / "run-5.eval-results-words").is_file()
    assert "is a run of memoryagentbench/sh-docqa, not of longmemeval" in cli("score", "longmemeval", "run", code=1).err
    assert "leave out --data" in cli("score", "memoryagentbench", "run", "--data", "d", code=1).err
