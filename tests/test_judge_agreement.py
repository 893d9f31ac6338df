"""Judges against people's labels: agreement by type of question, with intervals, and between judges."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage.metrics.statistics import wilson
from memtriage.models.scripted import Request, StubServer
from memtriage.models.scripted.data_block import data_block

QUESTIONS = [
    ("u1", "single-session-user", "Where do I row?", "in Ely"),
    ("u2", "single-session-user", "Where do I fence?", "in Bath"),
    ("u3_abs", "single-session-user", "Where do I ski?", "That was never told."),
    ("m1", "multi-session", "How many kettles have I?", "4"),
]
# Who calls which answer right: (question, answer, label, what the lenient judge says); the strict one likes Bath alone.
LABELLED = [
    ("u1", "You row in Ely.", True, True),
    ("u2", "You fence in Bath.", True, True),
    ("u3_abs", "You ski in Davos.", False, True),
    ("m1", "four of them", True, True),
]


@pytest.fixture(autouse=True)
def _files(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "sk-test-0123456789abcdef")
    fields = ("question_id", "question_type", "question", "answer")
    Path("data.json").write_text(json.dumps([dict(zip(fields, row, strict=True)) for row in QUESTIONS]))
    lines = [{"question_id": id, "hypothesis": said, "label": right} for id, said, right, _ in LABELLED]
    Path("labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def server() -> Iterator[StubServer]:
    def script(request: Request) -> Any:
        block = data_block(request)
        assert block is not None
        assert "label" not in block
        right = request.model == "lenient" or "Bath" in block["answer"]
        return {"reason": "so", "witness": [], "verdict": right}

    with StubServer(script) as served:
        yield served


def rows_of(out: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {
        (row["one"].rpartition("#")[2], row["other"].rpartition("#")[2], row["type"]): row
        for row in json.loads(out)["rows"]
    }


def test_agreement_is_counted_by_type_with_intervals_and_between_judges(cli: Cli, server: StubServer) -> None:
    judges = [part for name in ("lenient", "strict") for part in ("--judge", f"{server.url}#{name}")]
    seen = cli("agree", "longmemeval", "labels.jsonl", "--data", "data.json", *judges, "--json")
    rows = rows_of(seen.out)
    user = rows["lenient", "labels", "single-session-user"]
    assert (user["n"], user["agreed"], user["agreement"]) == (2, 2, 1.0)
    assert (user["low"], user["high"]) == pytest.approx(tuple(wilson(2, 2)), abs=1e-6)
    false_premise = rows["lenient", "labels", "abstention"]
    assert (false_premise["agreed"], false_premise["lenient"], false_premise["strict"]) == (0, 1, 0)
    assert rows["lenient", "labels", "all"]["agreement"] == 0.75
    assert rows["lenient", "labels", "mean of types"]["agreement"] == pytest.approx((1 + 0 + 1) / 3)
    strict = rows["strict", "labels", "all"]
    assert (strict["agreed"], strict["lenient"], strict["strict"]) == (2, 0, 2)
    assert strict["kappa"] == pytest.approx(0.2), "2 of 4 agree where 6 of 16 would by chance: (8 - 6) / (16 - 6)"
    between = rows["lenient", "strict", "all"]
    assert (between["agreed"], between["lenient"], between["kappa"]) == (1, 3, 0.0)


def test_models_stand_apart_and_words_grade_without_a_judge(cli: Cli) -> None:
    lines = [
        {"question_id": "u1", "hypothesis": "in Ely", "label": "yes", "model": "big"},
        {"question_id": "u1", "hypothesis": "in Ely", "label": "no", "model": "small"},
        {"question_id": "m1", "hypothesis": "roughly a handful, give or take", "label": False, "model": "small"},
    ]
    Path("labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = json.loads(cli("agree", "longmemeval", "labels.jsonl", "--data", "data.json", "--json").out)["rows"]
    rows = {(row["model"], row["type"]): row for row in found}
    assert rows["big", "all"]["agreement"] == 1.0
    small = rows["small", "all"]
    assert (small["n"], small["agreed"], small["open"], small["lenient"]) == (2, 0, 1, 1)
    assert small["high"] == pytest.approx(wilson(1, 2).high, abs=1e-6), "what is open might agree"
    assert rows["all", "single-session-user"]["n"] == 2
    shown = cli("agree", "longmemeval", "labels.jsonl", "--data", "data.json").out
    assert "words against the labels" in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question_id": "u1", "hypothesis": "x"}', "the label of question u1 is None; write true or false"),
        ('{"question_id": "u1", "label": true}', "question u1 has no answer"),
        ('{"hypothesis": "x", "label": true}', "has no id"),
        ("[1]", "is no object"),
        ("{", "is no JSON"),
        ('{"question_id": "m1", "hypothesis": "x", "label": true}', "question m1 was labelled before"),
    ],
)
def test_lines_that_cant_be_read_are_named(cli: Cli, line: str, said: str) -> None:
    good = (
        '{"question_id": "m1", "hypothesis": "4", "label": true}\n{"question_id": "zz", "hypothesis": "4", "label": 1}'
    )
    Path("labels.jsonl").write_text(f"{good}\n{line}\n")
    seen = cli("agree", "longmemeval", "labels.jsonl", "--data", "data.json", code=1)
    assert "labels.jsonl:3" in seen.err
    assert said in seen.err
    assert "questions that the data doesn't have (1): zz" in seen.out
