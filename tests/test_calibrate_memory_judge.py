"""Judges of false memories on planted inventions: a real client over HTTP, and judges of known character behind it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memtriage import registry
from memtriage.cli.main import app
from memtriage.core.episode import Episode
from memtriage.core.suite import Request
from memtriage.diagnose.lexical.said import Said
from memtriage.diagnose.lexical.support import support
from memtriage.metrics.statistics import wilson
from memtriage.models.client import Client
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.report.terminal.audit import warnings
from memtriage.report.terminal.calibration import memory_judge_json
from memtriage.validate.calibrate_judge import JudgeCalibration, calibrate_judge
from memtriage.validate.calibrate_memory_judge import KINDS, JudgedMemory, MemoryJudgeCalibration
from memtriage.validate.planted_inventions import PlantedMemory, inventions
from memtriage.validate.planted_memories import tellings
from memtriage.validate.planted_rewritings import Told

SEED = 3


@cache
def episode(seed: int = 1) -> Episode:
    [task] = registry.tasks("memfail/persona")[1]
    [found] = task.load(Request(seed, 12)).episodes
    return found


@cache
def strangers() -> tuple[Told, ...]:
    return tuple(told for _, told in tellings(episode(2)))


def judge_by(decide: Callable[[str], str | None]) -> Callable[[Any], Any]:
    """A judge that rules by the text of a memory; None is no ruling."""

    def script(request: Any) -> Any:
        data = data_block(request)
        assert data is not None
        ruled = {one["id"]: decide(one["text"]) for one in data["memories"]}
        return {
            "results": [{"id": id, "reason": "so", "words": [], "state": state} for id, state in ruled.items() if state]
        }

    return script


def put_to_test(script: Callable[[Any], Any], memories: int = 4) -> tuple[JudgeCalibration, list[Any]]:
    async def asked(url: str) -> JudgeCalibration:
        async with Client(f"{url}#judge", backoff=0.001, max_retries=0) as client:
            planting = {"memories": memories, "strangers": lambda _: strangers(), "parts": ("memories",)}
            return await calibrate_judge([episode()], client, seed=SEED, **planting)

    with StubServer(script) as server:
        result = asyncio.run(asked(server.url))
        blocks = [json.loads(request.body["messages"][-1]["content"][8:-8]) for request in server.requests]
    return result, blocks


def invented_texts() -> set[str]:
    return {one.text for one in inventions(episode(), strangers(), "mixed", SEED)}


def test_a_judge_that_knows_is_right_about_everything() -> None:
    invented = invented_texts()
    result, asked = put_to_test(judge_by(lambda text: "invented" if text in invented else "supported"))
    found = result.memories
    assert found is not None
    assert set(found.kinds) == set(KINDS)
    assert (found.wrong, found.committed, found.kappa) == (0, found.n, 1.0)
    assert found.risk == wilson(0, found.n)
    assert all(found.of(kind).n <= 4 for kind in found.kinds)
    assert found.said.n + found.invented.n == found.n == sum(len(block["memories"]) for block in asked)
    assert len(asked) == -(-found.n // 8)
    assert warnings(result) == []


def test_a_judge_that_believes_everything_passes_every_invention() -> None:
    result, _ = put_to_test(judge_by(lambda _: "supported"))
    found = result.memories
    assert found is not None
    assert (found.said.wrong, found.invented.wrong) == (0, found.invented.n)
    assert found.kappa == pytest.approx(0.0)
    assert any("On memories its κ is below 0.6" in warning for warning in warnings(result))


def test_unclear_costs_coverage_and_is_never_wrong() -> None:
    result, _ = put_to_test(judge_by(lambda _: "unclear"))
    found = result.memories
    assert found is not None
    assert (found.committed, found.wrong, found.errors) == (0, 0, 0)
    assert found.coverage == wilson(0, found.n)
    assert memory_judge_json(found)["kappa"] is None


def test_what_it_said_nothing_of_is_an_error_and_in_no_share() -> None:
    invented = invented_texts()
    result, _ = put_to_test(judge_by(lambda text: "invented" if text in invented else None))
    found = result.memories
    assert found is not None
    assert found.errors == result.errors == len([one for one in found.outcomes if not one.planted.invented])
    assert found.n == found.invented.n == found.committed
    assert found.wrong == 0


def test_of_half_of_each_kind_words_cannot_tell_if_there_are_so_many() -> None:
    result, _ = put_to_test(judge_by(lambda _: "unclear"), memories=6)
    found = result.memories
    assert found is not None
    said = Said(episode().sessions)
    planted = {one.text: one for one in inventions(episode(), strangers(), "mixed", SEED)}.values()
    left = Counter(one.kind for one in planted if support(one.text, said).state == "uncertain")
    assert max(left.values()) >= 3
    assert all(found.of(kind).open.n >= min(3, n) for kind, n in left.items())
    assert found.of("verbatim").open.n == 0


def test_the_judge_sees_nothing_but_memories_and_what_was_said() -> None:
    _, asked = put_to_test(judge_by(lambda _: "unclear"))
    said = "\n".join(turn.text for session in episode().sessions for turn in session.turns)
    for memory in (one for block in asked for one in block["memories"]):
        assert set(memory) == {"id", "text", "said"}
        for turn in memory["said"]:
            assert set(turn) == {"by", "day", "text"}
            assert all(part.strip() in said for part in turn["text"].split("[…]"))
    texts = [one["text"] for block in asked for one in block["memories"]]
    assert len(set(texts)) == len(texts)


def test_whoever_he_is_is_named() -> None:
    _, asked = put_to_test(judge_by(lambda _: "unclear"), memories=8)
    turns = [turn["text"] for block in asked for one in block["memories"] for turn in one["said"]]
    assert turns
    assert all(any(name in turn for name in _first_names()) for turn in turns)


def _first_names() -> set[str]:
    return {fact.subject.split()[0] for fact in episode().facts if fact.subject}


def outcome(kind: str, found: Any, open: bool, times: int) -> list[JudgedMemory]:
    return [JudgedMemory(PlantedMemory("text", kind, kind != "verbatim"), open, found)] * times


def test_shares_are_those_worked_out_by_hand() -> None:
    found = MemoryJudgeCalibration(
        (
            *outcome("verbatim", "supported", False, 7),
            *outcome("verbatim", "invented", False, 1),
            *outcome("verbatim", "error", False, 2),
            *outcome("wrong_name", "invented", True, 5),
            *outcome("wrong_name", "supported", False, 3),
            *outcome("wrong_name", "uncertain", True, 4),
        )
    )
    assert (found.n, found.committed, found.wrong, found.errors) == (20, 16, 4, 2)
    assert found.coverage == wilson(16, 20)
    assert found.risk == wilson(4, 16)
    assert (found.said.wrong, found.invented.wrong) == (1, 3)
    assert (found.open.n, found.open.committed, found.open.wrong) == (9, 5, 0)
    # Of 16, 12 agree; by chance (8·10 + 8·6) / 256 = 0.5.
    assert found.kappa == pytest.approx((0.75 - 0.5) / 0.5)


# ------------------------------------------------------------------ the command


def calibrate(*options: str) -> Any:
    return CliRunner().invoke(app, ["calibrate", "--suite", "memfail/persona", "--rows", "5", "-q", *options])


def test_the_command_measures_the_judge_by_itself(tmp_path: Path) -> None:
    with StubServer(ContentJudge()) as server:
        options = ["--judge", f"{server.url}#judge", "--part", "memories", "--cache", str(tmp_path / "cache.db")]
        result = calibrate(*options, "--memories", "3", "--json")
        assert result.exit_code == 0, result.output
        calls = len(server.requests)
        shown = calibrate(*options, "--memories", "3")
        assert len(server.requests) == calls  # from the cache
    found = json.loads(result.stdout)["memories"]
    planted = {row["kind"]: row for row in found["planted"]}
    assert planted["verbatim"]["supported"] == planted["verbatim"]["n"] == 3
    assert planted["wrong_name"]["invented"] == planted["wrong_name"]["n"]
    assert found["wrong"] == len(found["wrong_memories"])
    assert found["n"] == sum(row["n"] for row in found["planted"])
    assert calls <= 6
    assert "Planted memories, judged by" in shown.output
    assert "Planted faults" not in shown.output
    assert "Planted answers" not in shown.output


def test_every_part_is_measured_unless_one_is_named(tmp_path: Path) -> None:
    with StubServer(ContentJudge()) as server:
        cache = str(tmp_path / "cache.db")
        judge = ["--judge", f"{server.url}#judge", "--per-kind", "1", "--memories", "1", "--cache", cache]
        result = calibrate(*judge, "--style", "none")
    assert result.exit_code == 0, result.output
    for part in ("Planted faults", "Planted answers", "Planted memories"):
        assert part in result.output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--part", "memories"), "--part goes with --judge"),
        (("--judge", "openai/x", "--part", "memory"), "did you mean 'memories'?"),
        (("--rewritten", "--judge", "openai/x", "--part", "memories"), "not with --rewritten"),
    ],
)
def test_a_part_that_does_not_fit_is_refused(options: tuple[str, ...], told: str) -> None:
    result = calibrate(*options)
    assert result.exit_code != 0
    assert told in " ".join(result.output.split())
