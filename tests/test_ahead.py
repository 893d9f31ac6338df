"""What a run does while it waits for models: words are settled ahead, and several stores are judged at once."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import memtriage
from memtriage.core.chat import Call, ModelError, Reply, Tokens
from memtriage.core.episode import Probe
from memtriage.core.trace import Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose import run as diagnosis
from memtriage.diagnose.run import DiagnosisSettings, RunDiagnosis
from memtriage.diagnose.stages import StageFinder
from memtriage.host.event_loop import beside
from memtriage.models.scripted import StubServer
from memtriage.record.encoded import Encoded
from memtriage.record.manifest import hold
from memtriage.record.reader import RunReader
from memtriage.record.writer import RunWriter
from memtriage.registry import system
from memtriage.runner import answers
from memtriage.runner.answer_prompts import answer_call
from memtriage.runner.watcher import Watcher

STORES = 12


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve stores of one conversation, stored and asked."""
    made = tmp_path_factory.mktemp("ahead") / "run"
    systems = {f"bm25-{number}": system("bm25").build for number in range(STORES)}
    memtriage.run(systems, suite="memfail/long-hop", rows=3, k=[2, 4], seed=5, out=made)
    return made


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often words were asked about each question."""
    found: Counter[str] = Counter()
    verdict = StageFinder.verdict

    def counted(self: StageFinder, probe: Probe, trace: Trace, suite: str, system: str) -> ProbeVerdict:
        found[f"{system} {probe.id} {trace.k}"] += 1
        return verdict(self, probe, trace, suite, system)

    monkeypatch.setattr(StageFinder, "verdict", counted)
    return found


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine any step may take long."""
    monkeypatch.setattr(diagnosis, "_LONG_STEP", float("inf"))


def settled(path: Path) -> list[ProbeVerdict | Encoded]:
    """The verdicts of a run by words, found ahead as far as that goes."""
    with RunReader(path) as reader:
        found = RunDiagnosis(reader)
        asyncio.run(found.settle_ahead())
        return list(found.verdicts())


def plain(path: Path) -> list[ProbeVerdict | Encoded]:
    with RunReader(path) as reader:
        return list(RunDiagnosis(reader).verdicts())


def test_what_was_settled_ahead_is_not_looked_for_again(path: Path, looked: Counter[str]) -> None:
    ahead = settled(path)
    assert set(looked.values()) == {1}
    assert len(looked) == len(ahead)
    assert ahead == plain(path)


@pytest.mark.parametrize(("limit", "value"), [("_AHEAD", 60), ("_LONG_STEP", -1.0)])
def test_work_ahead_ends_at_its_limits_and_the_rest_is_found_when_it_is_due(
    path: Path, looked: Counter[str], monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    wanted = plain(path)
    looked.clear()
    monkeypatch.setattr(diagnosis, limit, value)
    assert settled(path) == wanted
    assert set(looked.values()) == {1, 2}, "a store that was begun is begun again"
    assert sum(n == 2 for n in looked.values()) <= len(wanted) / STORES


class Seen(Watcher):
    """Notes how much words had said when the last answer had come."""

    def __init__(self, looked: Counter[str]) -> None:
        self._looked = looked
        self.said_ahead = 0

    def diagnosing(self) -> None:
        self.said_ahead = self._looked.total()


def test_words_are_settled_while_answers_are_on_their_way(tmp_path: Path, looked: Counter[str]) -> None:
    limits = memtriage.Limits(use_cache=False)
    watcher = Seen(looked)
    with StubServer("content", latency=0.1) as server:
        models = {"answer": f"{server.url}#stub", "judge": f"{server.url}#stub", "limits": limits}
        run = memtriage.run("bm25", suite="memfail/long-hop", rows=6, k=[2, 4], out=tmp_path, watcher=watcher, **models)
    assert run.errors == 0
    assert 0 < watcher.said_ahead <= len(list(run.verdicts()))


def test_the_first_call_goes_out_before_the_last_question_is_prepared(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = 0
    when_first_sent = 0

    def counted(*given: Any, **how: Any) -> Any:
        nonlocal prepared
        prepared += 1
        return answer_call(*given, **how)

    class Late:
        """A model whose calls leave after a few passes of the event loop, as over HTTP."""

        name = "late"

        async def ask(self, call: Call) -> Reply:
            nonlocal when_first_sent
            for _ in range(5):
                await asyncio.sleep(0)
            when_first_sent = when_first_sent or prepared
            return Reply("An answer", Tokens(1, 1), 0.0, False)

    monkeypatch.setattr(answers, "answer_call", counted)
    run = Path(shutil.copytree(path, tmp_path / "run"))
    with hold(run), RunReader(run) as reader, RunWriter(run, reader) as writer:
        summary = asyncio.run(answers.answer_run(reader, writer, Late()))
    assert summary.answered == prepared == len(plain(path))
    assert when_first_sent < prepared / 3


class Slow:
    """A judge that takes a moment, fails, and notes how many asked at once."""

    name = "slow"

    def __init__(self) -> None:
        self.peak = self.now = 0

    async def ask(self, call: Call) -> Reply:
        self.now += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(0.05)
        self.now -= 1
        raise ModelError("auth", "no key")


def test_small_stores_are_judged_side_by_side_and_of_large_ones_only_four(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def peak() -> int:
        judge = Slow()
        with RunReader(path) as reader:
            found = list(RunDiagnosis(reader, DiagnosisSettings(judge=judge, paper_exact=True)).verdicts())
        assert len(found) == len(plain(path))
        assert [each.system for each in found if isinstance(each, ProbeVerdict)] == [
            each.system for each in plain(path) if isinstance(each, ProbeVerdict)
        ]
        return judge.peak

    small = peak()
    monkeypatch.setattr(diagnosis, "_SMALL", 1)
    assert small == peak() * STORES / 4


def test_what_is_done_beside_work_ends_with_it_and_raises_nothing() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("endless")

    async def broken() -> None:
        raise ValueError("damaged")

    async def work(result: str) -> str:
        await asyncio.sleep(0.01)
        if result == "fails":
            raise KeyError(result)
        return result

    assert asyncio.run(beside(work("done"), endless())) == "done"
    assert asyncio.run(beside(work("done"), broken())) == "done"
    with pytest.raises(KeyError, match="fails"):
        asyncio.run(beside(work("fails"), endless()))
    assert ended == ["endless", "endless"]
