"""The bill: exact to the call, over kills and resumes, and a limit on cost that holds for all sessions of a run."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage.core.chat import Tokens
from memtriage.core.errors import BadRun
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import StubServer, content
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.bill import keep_bill, read_bill, rebuild_cost, spent

MODEL = ModelSpec.parse("vllm/m")


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices that make a dollar a million tokens, and a cache of its own."""
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    prices = {name: {"input": 100, "output": 100} for name in ("reader", "judge", "writer")}
    prices["m"] = {"input": 1, "output": 1}
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", json.dumps(prices))))


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(content, idempotent=True) as found:
        yield found


def whole(server: StubServer, *more: str, out: str = "run") -> tuple[str, ...]:
    models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
    return (*("run", "--suite", "memfail/coexisting", "--rows", "4", "--k", "5,10", "-q", "--out", out), *models, *more)


def answered(*servers: StubServer) -> int:
    return sum(server.count(ok=True) for server in servers)


def killed(place: Place, server: StubServer, after: int, *arguments: str) -> bool:
    """Kill a command as soon as so many requests have arrived; False if it was done before that."""
    child = place.start(*arguments)
    while child.running and not server.wait_for(after, 0.02):
        pass
    child.kill()
    return child.code() == -signal.SIGKILL


def bill(path: str = "run") -> dict[str, Any]:
    found = read_bill(Path(path))
    assert found is not None
    return found


def costs(cli: Cli, run: str) -> list[tuple[Any, ...]]:
    """What each system's stores paid, as `show` has it; what came from the cache is left out."""
    rows = json.loads(cli("show", run, "--by", "cost", "--json").out)["rows"]
    paid = ("system", "stage", "calls", "input_tokens", "output_tokens")
    return [(*(row[name] for name in paid), round(row["dollars"], 6)) for row in rows]


def test_a_run_that_is_killed_again_and_again_pays_and_shows_what_an_undisturbed_one_does(
    cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = ("--system", "facts", "--system", "bm25", "--no-report")
    with StubServer(content) as calm, StubServer("memory") as calm_memory:
        cli(*whole(calm, *system, "--internal", f"{calm_memory.url}#writer", out="calm"))
        calls = answered(calm, calm_memory)
    assert bill("calm")["total"]["calls"] == calls
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "other.db"))
    slow: dict[str, Any] = {"idempotent": True, "latency": 0.005}
    with StubServer(content, **slow) as server, StubServer("memory", **slow) as memory:
        command = whole(server, *system, "--internal", f"{memory.url}#writer")
        for who, share in ((memory, 0.3), (memory, 0.9), (server, 0.2), (server, 0.9)):
            after = int(share * (calm if who is server else calm_memory).count())
            assert killed(place, who, after, *command)
            assert bill()["total"]["calls"] <= answered(server, memory), "before it is resumed, too"
            command = ("resume", "run", "-q", "--no-report")
        place.cli(*command)
        assert answered(server, memory) == calls
        found, expected = bill(), bill("calm")
        assert found["total"]["calls"] == calls
        assert found["total"]["dollars"] == pytest.approx(expected["total"]["dollars"])
        for role, stages in expected["roles"].items():
            assert {stage: found["roles"][role][stage]["calls"] for stage in stages} == {
                stage: account["calls"] for stage, account in stages.items()
            }
        assert costs(cli, "run") == costs(cli, "calm")


def test_a_server_that_ignores_keys_was_paid_for_the_calls_on_the_bill_and_at_most_those_under_way(
    place: Place,
) -> None:
    with StubServer(content, latency=0.05) as server:
        command = whole(server, "--system", "bm25", "--no-report")
        for after in (2, 9, 17):
            assert killed(place, server, after, *command)
            command = ("resume", "run", "-q", "--no-report")
        seen = place.cli(*command)
        found = bill()
        under_way = found["under_way"]
        assert under_way["calls"] > 0
        assert 0 <= server.count(ok=True) - found["total"]["calls"] <= under_way["calls"]
        told = f"{under_way['calls']} calls were under way when the run was stopped, and may have cost $"
        assert told in seen.out
        assert spent(Path("run")) == pytest.approx(Decimal(found["total"]["dollars"] + under_way["dollars"]))


def test_an_interrupted_run_has_its_bill(place: Place, server: StubServer) -> None:
    server.latency = 0.02
    child = place.start(*whole(server, "--system", "bm25", "--no-report"))
    assert server.wait_for(6)
    child.kill(signal.SIGINT)
    child.ended(130)
    written = json.loads(Path("run/cost.json").read_text())
    assert written["total"]["calls"] + written["under_way"]["calls"] >= 6
    assert bill()["total"] == written["total"]
    place.cli("resume", "run", "-q", "--no-report")
    assert bill()["total"]["calls"] == server.count(ok=True)


def test_the_limit_on_cost_stays_with_the_run_until_there_is_a_new_one(cli: Cli, server: StubServer) -> None:
    seen = cli(*whole(server, "--system", "bm25", "--max-cost", "0.2"), code=1)
    assert "memtriage resume run --max-cost" in seen.err
    paid, dollars = server.count(), bill()["total"]["dollars"]
    assert 0 < dollars <= 0.2
    again = cli("resume", "run", "-q", code=1)
    assert "the limit of $0.2" in again.err
    assert server.count() == paid, "nothing more was sent"
    cli("resume", "run", "-q", "--max-cost", "0.3", code=1)
    assert dollars < bill()["total"]["dollars"] <= 0.3, "what was spent before counts"
    cli("judge", "run", "--judge", f"{server.url}#judge", "-q", code=1)
    assert bill()["total"]["dollars"] <= 0.3
    assert bill()["max_cost"] == 0.3
    cli("resume", "run", "-q", "--max-cost", "50")
    assert bill()["total"]["calls"] == server.count(ok=True)


def test_a_limit_is_remembered_by_a_run_that_was_killed_before_it_asked_anything(place: Place) -> None:
    with StubServer(content, latency=30) as silent:
        child = place.start(*whole(silent, "--system", "bm25", "--max-cost", "0.00001"))
        while child.running and not Path("run/bill.jsonl").exists():
            silent.wait_for(1, 0.02)
        child.kill()
        child.code()
        assert "the limit of $0.00001" in place.cli("resume", "run", "-q", code=1).err


def test_a_copy_that_is_judged_again_has_a_bill_of_its_own(cli: Cli, server: StubServer) -> None:
    cli(*whole(server, "--system", "bm25"))
    before = bill()
    cli("judge", "run", "--judge", f"{server.url}#other", "--out", "copy", "-q")
    assert bill() == before
    assert set(bill("copy")["roles"]) == {"judge"}


def test_what_is_counted_before_there_is_a_folder_is_on_its_bill(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.spend("embed", "embed", MODEL, Tokens(1_000_000, 0))
    ledger.note("embed", "it takes 10 texts at once")
    ledger.was_scripted("embed")
    with keep_bill(tmp_path, ledger):
        ledger.hit("embed", "embed")
    found = read_bill(tmp_path)
    assert found is not None
    assert (found["total"]["calls"], found["total"]["cached"], found["total"]["dollars"]) == (1, 1, 1.0)
    assert found["scripted"] == ["embed"]
    assert found["notes"] == {"embed": ["it takes 10 texts at once"]}


def test_requests_without_an_end_may_have_been_paid_for_and_count_towards_the_limit(tmp_path: Path) -> None:
    for _ in range(2):
        ledger = Ledger(max_cost=10)
        with keep_bill(tmp_path, ledger):
            ledger.sending("a", Decimal(3))
            ledger.sending("b", Decimal(1))
            ledger.spend("judge", "storage", MODEL, Tokens(1_000_000, 0), request="b")
    ledger = Ledger()
    with keep_bill(tmp_path, ledger):
        assert ledger.max_cost == 10
        assert not ledger.exhausted
        assert ledger.snapshot()["under_way"] == {"calls": 2, "dollars": 6.0, "price_unknown": False}
        ledger.spend("judge", "storage", MODEL, Tokens(2_500_000, 0), request="c")
        assert ledger.exhausted, "1 + 1 + 2.5 were spent, and up to 6 more"
        # Its reply says what it costs: each time it was sent, that was the most it can have cost.
        ledger.spend("judge", "storage", MODEL, Tokens(1_000_000, 0), request="a")
        assert not ledger.exhausted
    found = read_bill(tmp_path)
    assert found is not None
    assert found["under_way"]["dollars"] == 2.0
    assert found["total"]["dollars"] == 5.5
    assert found["total"]["calls"] == 4


def test_a_reply_that_was_paid_for_but_lost_in_a_kill_is_on_the_bill_once(tmp_path: Path) -> None:
    before = Ledger()
    with keep_bill(tmp_path / "run", before):
        before.sending("a", Decimal(1))
        before.spend("judge", "storage", MODEL, Tokens(1_000_000, 0), request="a")
        shutil.copytree(tmp_path / "run", tmp_path / "killed")
    ledger = Ledger()
    with keep_bill(tmp_path / "killed", ledger):
        ledger.sending("a", Decimal(1))
        ledger.spend("judge", "storage", MODEL, Tokens(1_000_000, 0), request="a")
        ledger.spend("judge", "storage", MODEL, Tokens(1_000_000, 0), request="b")
    found = read_bill(tmp_path / "killed")
    assert found is not None
    assert found["total"]["calls"] == 2
    assert found["under_way"] == {"calls": 1, "dollars": 1.0, "price_unknown": False}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    ledger = Ledger(max_cost=100)
    with keep_bill(tmp_path, ledger):
        for number in range(5):
            ledger.sending(f"r{number}", Decimal(1))
            ledger.spend("answer", "answer", MODEL, Tokens(1_000_000, 0), request=f"r{number}")
    return tmp_path


def test_cost_is_made_again_from_the_bill(kept: Path) -> None:
    before = (kept / "cost.json").read_bytes()
    (kept / "cost.json").unlink()
    assert read_bill(kept) == {key: value for key, value in json.loads(before).items() if key not in _OF_THE_FILE}
    assert rebuild_cost(kept)
    assert (kept / "cost.json").read_bytes() == before


_OF_THE_FILE = ("seal", "bill_bytes")


@pytest.mark.parametrize("damage", ["a cost", "a line", "a line fewer", "no bill", "nonsense"])
def test_a_bill_that_was_changed_is_refused(kept: Path, damage: str) -> None:
    cost, lines = kept / "cost.json", kept / "bill.jsonl"
    whole = lines.read_bytes()
    if damage == "a cost":
        cost.write_text(cost.read_text().replace('"calls": 5', '"calls": 3', 1))
    elif damage == "a line":
        cost.unlink()
        lines.write_bytes(whole.replace(b'"calls":1', b'"calls":0', 1))
    elif damage == "a line fewer":
        lines.write_bytes(whole[: whole[:-1].rindex(b"\n") + 1])
    elif damage == "no bill":
        lines.unlink()
    else:
        from memtriage.record.journal import Log

        log = Log(lines)
        log.append(b'{"role":"answer","stage":["x"],"calls":-1}\n')
        log.close()
    with pytest.raises(BadRun, match=r"cost\.json|bill\.jsonl"):
        read_bill(kept)
    with pytest.raises(BadRun), keep_bill(kept, Ledger()):
        pass
