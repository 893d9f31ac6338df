"""Detectors and judges on pairs of a fact and a rewritten memory: coverage and risk, never one without the other."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memtriage.core.chat import ModelError
from memtriage.core.errors import BadInput
from memtriage.core.verdict import VERDICTS, ProbeVerdict
from memtriage.diagnose.store import diagnose
from memtriage.models.client import Client
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.report.terminal.calibration import pairs_json, print_pairs
from memtriage.validate.calibrate_pairs import (
    EXPECTED,
    LABELS,
    Pair,
    PairsCalibration,
    baseline,
    calibrate_judge_on_pairs,
    calibrate_pairs,
    of_some_facts,
    parse_pairs,
    questions,
    score_answers,
    shipped_pairs,
)
from memtriage.validate.calibrate_risk import Outcome, Scorecard, risk_of

BEES = "I keep three hives of bees on the roof."
RENT = "My rent is 900 euros a month."
PAIRS = (
    Pair("bees/1", BEES, "The user keeps three hives of bees on the roof.", "states", "third_person"),
    Pair("bees/2", BEES, "The user keeps five hives of bees on the roof.", "alters", "number_changed"),
    Pair("bees/3", BEES, "The user asked what to plant for bees.", "lacks", "question_only"),
    Pair("rent/1", RENT, "rent: 900 euros a month", "states", "profile", said="2026-03-14"),
)


def outcome(expected: Any, found: Any, group: str = "a", confidence: float = 1.0) -> Outcome:
    return Outcome(group, "kind", expected, found, confidence=confidence)


# ------------------------------------------------------------------ coverage and risk


def test_risk_is_the_share_of_wrong_verdicts_among_those_given() -> None:
    found = risk_of(
        [
            outcome("correct", "correct", "a"),
            outcome("correct", "uncertain", "b"),
            outcome("summary_error", "not_stored", "c"),
            outcome("not_stored", "correct", "d"),
            outcome("not_stored", "error", "e"),
        ]
    )
    assert (found.n, found.committed, found.wrong, found.errors) == (4, 3, 2, 1)
    assert (found.coverage, found.risk) == (3 / 4, 2 / 3)


def test_the_wrong_stage_of_a_lost_fact_is_forgiven_where_only_intact_or_not_is_asked() -> None:
    lost = [outcome("summary_error", "not_stored", "a"), outcome("not_stored", "correct", "b")]
    assert risk_of(lost).wrong == 2
    assert risk_of(lost, lenient=True).wrong == 1


def test_without_a_verdict_there_is_no_risk_to_speak_of() -> None:
    found = risk_of([outcome("correct", "uncertain")])
    assert (found.coverage, found.risk, tuple(found.interval)) == (0.0, None, (0.0, 1.0))


def test_the_curve_falls_back_to_what_the_detector_is_surest_of() -> None:
    score = Scorecard(
        "d",
        (
            outcome("correct", "correct", "a", 0.9),
            outcome("correct", "summary_error", "b", 0.5),
            outcome("correct", "correct", "c", 0.5),
            outcome("correct", "uncertain", "d", 0.1),
        ),
    )
    assert [(p.confidence, p.risk.coverage, p.risk.risk) for p in score.curve] == [(0.9, 0.25, 0.0), (0.5, 0.75, 1 / 3)]


@given(st.lists(st.tuples(st.sampled_from(VERDICTS[:3]), st.sampled_from(VERDICTS), st.floats(0, 1)), max_size=80))
def test_every_outcome_is_counted_once_and_the_curve_ends_with_all_verdicts(rows: Sequence[Any]) -> None:
    score = Scorecard("d", tuple(outcome(e, f, str(n), c) for n, (e, f, c) in enumerate(rows)))
    assert sum(score.confusion.values()) == len(rows)
    assert sum(kind.risk.n + kind.risk.errors for kind in score.kinds) == len(rows)
    assert score.lenient.wrong <= score.strict.wrong <= score.strict.committed <= score.strict.n
    covered = [point.risk.committed for point in score.curve]
    assert covered == sorted(set(covered))
    assert not covered or covered[-1] == score.strict.committed


# ------------------------------------------------------------------ pairs


def test_the_pairs_that_come_along_are_well_formed_and_have_every_label() -> None:
    pairs = shipped_pairs()
    assert len(pairs) >= 1000
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert {pair.label for pair in pairs} == set(LABELS)
    assert len({(pair.fact, pair.memory) for pair in pairs}) == len(pairs)
    assert all(pair.label == "states" for pair in pairs if pair.fact == pair.memory)


def test_some_facts_come_with_all_their_pairs_and_by_seed() -> None:
    every = shipped_pairs()
    some = of_some_facts(every, 10, 1)
    facts = {pair.fact for pair in some}
    assert len(facts) == 10
    assert some == [pair for pair in every if pair.fact in facts] == of_some_facts(every, 10, 1)
    assert some != of_some_facts(every, 10, 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 is not a JSON object"),
        ('{"fact": "a", "memory": "b", "label": "maybe", "kind": "k"}', "label 'maybe' is none of states"),
        ('{"fact": "a", "memory": " ", "label": "lacks", "kind": "k"}', "memory must be a text"),
        ('{"fact": "a", "memory": "b", "label": "lacks", "kind": "k", "said": "May"}', "not an ISO date"),
        ('{"fact": "a", "memory": "b", "label": "lacks", "kind": "k", "note": "x"}', "unknown field 'note'"),
        ('{"id": "one", "fact": "a", "memory": "b", "label": "lacks", "kind": "k"}', "id 'one' occurs twice"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str) -> None:
    good = '{"id": "one", "fact": "a", "memory": "b", "label": "states", "kind": "k"}\n'
    with pytest.raises(BadInput, match=message) as raised:
        parse_pairs(good + line, "more.jsonl")
    assert "more.jsonl, line 2" in str(raised.value)


def test_a_detector_sees_each_pair_as_a_run_of_its_own() -> None:
    seen: list[tuple[str | None, list[str], list[str]]] = []

    def watching(episode: Any, history: Any, traces: Any, texts: Any, *more: Any) -> Iterator[ProbeVerdict]:
        asked = list(traces)
        [session] = episode.sessions
        held = texts(history.held_at(None))
        shown = [held[r.key] for trace in asked for r in trace.retrieved]
        seen.append((session.timestamp, [turn.text for turn in session.turns], shown))
        yield from diagnose(episode, history, asked, texts, *more)

    calibrate_pairs(PAIRS, watching)
    assert seen == [(pair.said, [pair.fact], [pair.memory]) for pair in PAIRS]


def test_a_detector_that_always_says_correct_is_found_out() -> None:
    def blithe(*args: Any) -> Iterator[ProbeVerdict]:
        for verdict in diagnose(*args):
            yield replace(verdict, facts=tuple(replace(f, verdict="correct") for f in verdict.facts))

    [score] = calibrate_pairs(PAIRS, blithe).scores
    assert (score.strict.coverage, score.strict.risk) == (1.0, 0.5)
    assert score.false_alarms.wrong == 0
    assert {kind.kind: kind.risk.wrong for kind in score.kinds} == {
        "third_person": 0, "profile": 0, "number_changed": 1, "question_only": 1
    }  # fmt: skip


def test_the_baseline_never_looks_at_other_memories_of_the_same_fact() -> None:
    """Of one fact all copies are called `states`, of the other all are called `alters`: siblings would give it away."""
    same = [Pair(f"a{n}", BEES, BEES, "states", "k") for n in range(9)]
    other = [Pair(f"b{n}", RENT, RENT, "alters", "k") for n in range(9)]
    score = baseline([*same, *other])
    assert (score.strict.coverage, score.strict.risk) == (1.0, 1.0)
    assert baseline(same).strict.coverage == 0.0, "with one fact there is nothing to go by"


def test_the_baseline_stands_beside_every_result() -> None:
    result = calibrate_pairs(of_some_facts(shipped_pairs(), 30, 0))
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_pairs(result, console)
    assert isinstance(console.file, io.StringIO)
    printed = " ".join(console.file.getvalue().split())
    assert "words-only baseline" in printed
    assert "split them by fact" in printed
    found = pairs_json(result)
    assert found["baseline"]["strict"]["coverage"] == 1.0
    for score in (*found["scores"], found["baseline"]):
        for risk in (score["strict"], score["lenient"], *score["kinds"], *score["curve"]):
            assert {"coverage", "risk", "interval", "n"} <= risk.keys()


# ------------------------------------------------------------------ answers from elsewhere


def answered(tmp_path: Path, *lines: dict[str, Any]) -> PairsCalibration:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return score_answers(PAIRS, path)


def test_answers_of_an_outside_detector_are_scored(tmp_path: Path) -> None:
    [score] = answered(
        tmp_path,
        {"id": "bees/1", "label": "states", "confidence": 0.9},
        {"id": "bees/2", "label": "states", "confidence": 0.4},
        {"id": "bees/3", "label": "uncertain"},
    ).scores
    assert (score.strict.coverage, score.strict.risk) == (0.5, 0.5)
    assert [point.risk.risk for point in score.curve] == [0.0, 0.5]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "bees/9", "label": "states"}, "no pair 'bees/9'"),
        ({"id": "bees/1", "label": "yes"}, "'yes' is none of states"),
        ({"id": "bees/1", "label": "states", "confidence": 2}, "from 0 to 1"),
    ],
)
def test_an_answer_that_fits_no_pair_is_named(tmp_path: Path, line: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=f"line 1.*{message}"):
        answered(tmp_path, line)


def test_questions_give_nothing_away() -> None:
    assert list(questions(PAIRS[3:])) == [
        {"id": "rent/1", "fact": RENT, "memory": "rent: 900 euros a month", "said": "2026-03-14"}
    ]


# ------------------------------------------------------------------ judges


def knowing(request: Request) -> Any:
    """A judge that knows the labels."""
    data = data_block(request)
    assert data is not None
    [memory] = {shown["text"] for shown in data["memories"]}
    label = next(pair.label for pair in PAIRS if pair.memory == memory)
    passed = label == "states" or (label == "alters" and data["stage"] == "storage")
    return {"reason": "so", "witness": [], "verdict": passed}


def judged(server: StubServer, pairs: Sequence[Pair] = PAIRS) -> PairsCalibration:
    async def asked() -> PairsCalibration:
        async with Client(f"{server.url}#judge", backoff=0.001, max_retries=1) as client:
            return await calibrate_judge_on_pairs(pairs, client)

    return asyncio.run(asked())


def test_a_judge_is_tested_alone_and_after_the_detector() -> None:
    with StubServer(knowing) as server:
        result = judged(server)
    alone, lexical, both = result.scores
    assert (alone.strict.coverage, alone.strict.risk) == (1.0, 0.0)
    assert {(o.expected, o.found) for o in alone.outcomes} == {(verdict, verdict) for verdict in EXPECTED.values()}
    assert lexical.outcomes == calibrate_pairs(PAIRS).scores[0].outcomes
    settled = [
        first if first.committed else second for first, second in zip(lexical.outcomes, alone.outcomes, strict=True)
    ]
    assert [o.found for o in both.outcomes] == [o.found for o in settled]


def test_what_a_judge_could_not_judge_is_an_error_and_no_wrong_verdict() -> None:
    def silent(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        return "I'd rather not say." if "five" in json.dumps(data["memories"]) else knowing(request)

    with StubServer(silent) as server:
        result = judged(server)
    assert result.scores[0].strict.errors == 1
    assert (result.scores[0].strict.n, result.scores[0].strict.wrong) == (3, 0)
    assert sum(result.errors.values()) == 1


def test_a_model_that_refuses_the_key_ends_the_test() -> None:
    with StubServer(lambda _: Reply("no such key", status=401)) as server, pytest.raises(ModelError) as raised:
        judged(server)
    assert raised.value.trouble == "auth"
