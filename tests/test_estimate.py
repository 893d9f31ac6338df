"""The estimate before a run, held against what a real client then consumed from a real server."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import memtriage
from memtriage.core.chat import Tokens
from memtriage.core.episode import Session
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.store import judge_store
from memtriage.models.cache import Cache
from memtriage.models.client import Client
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import StubServer, content
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.estimate import Amount, Estimate, RehearsedRun, estimate
from memtriage.record.reader import RunReader
from memtriage.record.writer import RunWriter
from memtriage.runner.answers import answer_run
from memtriage.systems.baselines.gold_facts import GoldFacts
from memtriage.systems.baselines.simple import Echo

SUITES = ["memfail/persona", "memfail/long-hop"]
PAID = ModelSpec.parse("openai/gpt-4.1")


class Retold(Echo):
    """Keeps what was said in other words, so that words alone settle little."""

    def store_conversation(self, conversation: Session) -> None:
        known = len(self.units.memories)
        super().store_conversation(conversation)
        for n in range(known, len(self.units.memories)):
            memory = self.units.memories[n]
            words = memory.text.split()
            told = " ".join(words[1::2] + words[::2]) if n % 2 else f"It was said that {memory.text.lower()}"
            self.units.memories[n] = replace(memory, text=told)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("estimate") / "run"
    memtriage.run("bm25", {"told": Retold, "gold-facts": GoldFacts}, suite=SUITES, rows=3, k=[2, 4], seed=5, out=path)
    return path


async def judged(reader: RunReader, judge: Judge, answered_by: str) -> None:
    for unit in reader.units:
        episode, life = reader.episode(unit[1]), reader.history(unit)
        answers = reader.answers(unit, answered_by).values()
        async for _ in judge_store(
            episode, life, reader.traces(unit), answers, reader.texts, "memfail", unit[0], judge
        ):
            pass


def consumed(
    path: Path, server: StubServer, cache: Path, repeats: int = 1, settings: str = "", paper_exact: bool = False
) -> dict[str, Amount]:
    """What a real run takes: answers and verdicts over HTTP, by stage."""
    ledger = Ledger()

    async def both() -> None:
        spec = f"{server.url}#m{settings}"
        kept = Cache(cache)
        async with Client(spec, ledger=ledger, cache=kept, backoff=0.001) as client:
            with RunReader(path) as reader, RunWriter(path, reader) as writer:
                await answer_run(reader, writer, client, repeats=repeats)
            with RunReader(path) as reader:
                await judged(reader, Judge(client, paper_exact=paper_exact), client.name)
        kept.close()

    asyncio.run(both())
    roles = ledger.snapshot()["roles"]
    return {
        stage: Amount(a["calls"], a["input_tokens"]) for by_stage in roles.values() for stage, a in by_stage.items()
    }


def predicted(path: Path, spec: ModelSpec, **options: Any) -> Estimate:
    return asyncio.run(estimate(path, answer=spec, judge=spec, **options))


@pytest.fixture
def fresh(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "run"))


@pytest.mark.parametrize(
    ("repeats", "settings", "paper_exact"), [(1, "", False), (2, "?json=object&temperature=0", False), (1, "", True)]
)
def test_the_estimate_is_what_a_real_run_then_takes(
    fresh: Path, tmp_path: Path, repeats: int, settings: str, paper_exact: bool
) -> None:
    with StubServer(content) as server:
        spec = ModelSpec.parse(f"{server.url}#m{settings}")
        before = predicted(fresh, spec, repeats=repeats, paper_exact=paper_exact)
        took = consumed(fresh, server, tmp_path / "cache.sqlite", repeats, settings, paper_exact)
        assert len(server.requests) == sum(account.calls for account in took.values())
    stages = {stage.stage: stage for stage in before.stages}
    assert {"answer", "storage", "retrieval", "reasoning", "abstention"} <= set(took) <= set(stages)
    answer = stages["answer"]
    assert answer.low == answer.high
    assert answer.low.calls == took["answer"].calls
    assert answer.low.input == pytest.approx(took["answer"].input, rel=0.02)
    for stage, account in took.items():
        assert stages[stage].low.calls <= account.calls <= stages[stage].high.calls
        if stage not in ("reasoning", "abstention"):  # how long the answers in there will be is only assumed
            assert 0.98 * stages[stage].low.input <= account.input <= 1.02 * stages[stage].high.input


def test_a_run_that_holds_its_answers_has_nothing_left_to_ask(fresh: Path, tmp_path: Path) -> None:
    with StubServer(content) as server:
        spec = ModelSpec.parse(f"{server.url}#m")
        consumed(fresh, server, tmp_path / "cache.sqlite")
        cache = Cache(tmp_path / "cache.sqlite")
        after = predicted(fresh, spec, cache=cache)
        cache.close()
        assert after.stages == ()
        assert after.low == after.high == Amount()
        again = predicted(fresh, spec)  # without the cache, verdicts would be paid again, answers not
    assert {stage.role for stage in again.stages} == {"judge"}


def test_an_estimate_writes_nothing(fresh: Path) -> None:
    before = {path: path.read_bytes() for path in fresh.rglob("*") if path.is_file()}
    predicted(fresh, PAID)
    assert {path: path.read_bytes() for path in fresh.rglob("*") if path.is_file()} == before


def test_dollars_follow_the_price(run: Path) -> None:
    def price(spec: ModelSpec, tokens: Tokens) -> Decimal:
        return Decimal(tokens.input) / 1000 + Decimal(tokens.output)

    found = asyncio.run(estimate(run, answer=PAID, price=price))
    (stage,) = found.stages
    assert stage.low.dollars is not None
    expected = Decimal(stage.low.input) / 1000 + stage.low.output
    assert float(stage.low.dollars) == pytest.approx(float(expected), rel=0.01)
    assert found.rows()[-1]["dollars"] == (stage.low.dollars, stage.high.dollars)


def test_an_unknown_price_is_unknown_and_not_nothing(run: Path) -> None:
    nobody = ModelSpec.parse("https://models.example/v1#nobody-knows")
    found = asyncio.run(estimate(run, answer=nobody))
    assert found.low.calls > 0
    assert found.low.dollars is None
    assert [row["dollars"] for row in found.rows()] == [None, None]
    mixed = asyncio.run(estimate(run, answer=nobody, judge=PAID))
    assert mixed.rows()[-1]["dollars"] is None
    assert {row["role"] for row in mixed.rows() if row["dollars"] is not None} == {"judge"}


def test_models_that_think_cost_more_and_the_assumption_is_said(run: Path) -> None:
    plain = asyncio.run(estimate(run, answer=PAID))
    thinks = asyncio.run(estimate(run, answer=ModelSpec.parse("openai/gpt-5-mini")))
    curbed = asyncio.run(estimate(run, answer=ModelSpec.parse("openai/gpt-5-mini?reasoning_effort=none")))
    assert plain.low.output == plain.high.output == curbed.high.output
    assert plain.low.output < thinks.low.output < thinks.high.output
    assert any("gpt-5-mini" in said for said in thinks.assumptions)
    assert not any("thinks" in said for said in plain.assumptions)


def test_repeats_multiply_the_answers(run: Path) -> None:
    once, thrice = (asyncio.run(estimate(run, answer=PAID, repeats=n)).low for n in (1, 3))
    assert (thrice.calls, thrice.input) == (3 * once.calls, 3 * once.input)


def test_rehearsed_answers_are_alike_or_all_different(run: Path) -> None:
    for alike in (True, False):
        with RehearsedRun(run, "m", 2, alike=alike) as rehearsal:
            assert rehearsal.answered_by() == ["m"]
            given = [a for u in rehearsal.units if "persona" in u[1] for a in rehearsal.answers(u, "m").values()]
            assert len(given) == 3 * 2 * 2 * 9
            assert len({a.text for a in given}) == (1 if alike else len(given))
            assert rehearsal.answers(rehearsal.units[0], "other") == {}


def test_without_models_there_is_nothing_to_pay(run: Path) -> None:
    free = asyncio.run(estimate(run))
    assert free.stages == ()
    assert free.rows()[-1]["calls"] == (0, 0)
