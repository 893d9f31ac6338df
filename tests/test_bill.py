"""The bill: exact to the call, over kills and resumes, and a limit on cost that holds for all sessions of a run."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage.core.chat import Call, Message, ModelError, Tokens
from memtriage.core.errors import BadRun
from memtriage.models.breaker import Breaker
from memtriage.models.client import Client
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import Reply, Request, StubServer, content
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.bill import keep_bill, read_bill, rebuild_cost, spent
from model_server import NEVER, Answer, ModelServer, error, prompt, says

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
    """What each system's stores paid, as `show` has it, and what they would have without a cache."""
    rows = json.loads(cli("show", run, "--by", "cost", "--json").out)["rows"]
    paid = ("system", "stage", "calls", "input_tokens", "output_tokens", "all_input", "all_output")
    return [(*(row[name] for name in paid), round(row["dollars"], 6), round(row["all_dollars"], 6)) for row in rows]


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


def test_a_run_from_the_cache_says_what_it_would_have_cost_without(cli: Cli, place: Place) -> None:
    prices = {"writer": {"input": 1, "output": 2}, "reader": {"input": 3, "output": 4}}
    place.write("own.json", json.dumps(prices))
    system = ("--system", "bm25", "--system", "facts", "--no-report")
    with StubServer(content) as server, StubServer("memory") as memory:
        models = ("--answer", f"{server.url}#reader", "--internal", f"{memory.url}#writer")
        command = ("run", "--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "-q", *system, *models)
        cli(*command, "--out", "paid")
        cli(*command, "--out", "free")
    paid, free = ({(row["system"], row["stage"]): row for row in costs_of(cli, run)} for run in ("paid", "free"))
    assert paid.keys() == free.keys()
    assert ("bm25", "ingest") not in paid
    for place_, before in paid.items():
        after = free[place_]
        assert (before["dollars"] > 0) == (before["calls"] > 0)
        assert (after["calls"], after["dollars"], after["input_tokens"]) == (0, 0, 0)
        assert after["cached"] == before["calls"] + before["cached"]
        for name in ("all_input", "all_output", "all_dollars", "vs_base"):
            assert after[name] == pytest.approx(before[name])
        price = {"ingest": (1, 2), "retrieve": (1, 2), "answer": (3, 4)}.get(place_[1])
        if price:
            tokens = price[0] * after["all_input"] + price[1] * after["all_output"]
            assert after["all_dollars"] == pytest.approx(tokens / 1e6)
    assert paid["bm25", "all"]["vs_base"] == 1
    stages = [
        paid["facts", stage]["all_dollars"] for stage in ("ingest", "retrieve", "answer") if ("facts", stage) in paid
    ]
    ratio = sum(stages) / paid["bm25", "all"]["all_dollars"]
    assert paid["facts", "all"]["vs_base"] == pytest.approx(ratio)
    assert f"{ratio:.1f}×" in cli("show", "free", "--by", "cost").out


def costs_of(cli: Cli, run: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(cli("show", run, "--by", "cost", "--json").out)["rows"]
    return found


def test_a_server_that_ignores_keys_was_paid_for_the_calls_on_the_bill_and_at_most_those_under_way(
    place: Place,
) -> None:
    with StubServer(content, latency=0.05) as server:
        command = whole(server, "--system", "bm25", "--no-report")
        for after in (2, 4, 7):
            assert killed(place, server, after, *command)
            command = ("resume", "run", "-q", "--no-report")
        seen = place.cli(*command)
        found = bill()
        under_way = found["under_way"]
        assert under_way["calls"] > 0
        assert 0 <= server.count(ok=True) - found["total"]["calls"] <= under_way["calls"]
        assert f"{under_way['calls']} replies were lost (the run was stopped, the call timed out or" in seen.out
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
    for request in ("a", "b"):
        ledger.sending(request, Decimal(2))
        ledger.unanswered(request, lost=True)
    ledger.spend("embed", "embed", MODEL, Tokens(0, 0), request="b")
    ledger.sending("c", Decimal(5))
    with keep_bill(tmp_path, ledger):
        ledger.hit("embed", "embed", MODEL, Tokens(9, 0))
    found = read_bill(tmp_path)
    assert found is not None
    assert (found["total"]["calls"], found["total"]["cached"], found["total"]["dollars"]) == (2, 1, 1.0)
    assert found["under_way"] == {"calls": 3, "dollars": 7.0, "price_unknown": False}
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


# Replies that are lost on their way.


async def ask(spec: str, ledger: Ledger, *texts: str, patience: float = 0.2) -> None:
    """Ask one question after the other, of a model that has no more than tenths of a second."""
    breaker = Breaker(patience)
    async with Client(spec, ledger=ledger, breaker=breaker, timeout=0.2, backoff=0.001, max_retries=1) as client:
        for text in texts:
            await client.ask(Call("answer", "answer", (Message("user", text),), max_tokens=100))


REPLIES = {
    "a timeout": (NEVER, True),
    "a reset": (Answer({}, breaks="reset"), True),
    "half a response": (Answer(says("fine").body, breaks="short"), True),
    "half a reply": (Answer('{"choices": [{"mess'), True),
    "half a stream": (Answer('data: {"choices": [{"delta": {"content": "fi"}}]}\n\n'), True),
    "no reply of a model": (Answer({"choices": "none"}), True),
    "a page": (Answer("<html>busy</html>"), False),
    "a failure": (error(500, "failed"), False),
    "a failure within": (Answer({"error": {"message": "failed", "code": 502}}), False),
    "a timeout of its own": (error(504, "gave up"), False),
    "a limit": (error(429, "slower"), False),
}


@pytest.mark.parametrize("kind", REPLIES)
def test_a_reply_that_was_lost_may_have_been_paid_for_and_an_error_was_not(kind: str) -> None:
    answer, lost = REPLIES[kind]
    ledger = Ledger()
    with ModelServer(lambda number, _: says("fine") if number != 1 else answer) as server:
        asyncio.run(ask(f"{server.url}#m", ledger, "first", "second"))
        assert [prompt(body) for body in server.bodies if prompt(body) != "Say ok."] == ["first", "second", "second"]
    found = ledger.snapshot()
    assert found["total"]["calls"] == 2
    assert ("under_way" in found) == lost
    if lost:
        assert found["under_way"]["calls"] == 1
        # The same request was answered in the end, for 14 tokens; one that was put as another call keeps its estimate.
        again = kind in ("a timeout", "a reset", "half a response")
        assert found["under_way"]["dollars"] == (0.000014 if again else pytest.approx(0.0001, rel=0.2))


def test_a_request_that_never_got_through_was_not_paid_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = listener.getsockname()[1]
    with ModelServer(lambda *_: says("fine")) as server:
        plain = server.url.replace("http:", "https:")
        for url in (f"http://127.0.0.1:{closed}/v1", plain):
            ledger = Ledger()
            with pytest.raises(ModelError, match="no connection"):
                asyncio.run(ask(f"{url}#m", ledger, "first"))
            assert ledger.snapshot()["total"]["errors"] == {"outage": 1}
            assert "under_way" not in ledger.snapshot()


def test_every_request_of_an_endpoint_that_hangs_may_have_been_paid_for() -> None:
    ledger = Ledger()
    with ModelServer(lambda *_: NEVER) as server:
        with pytest.raises(ModelError, match="has answered nothing"):
            asyncio.run(ask(f"{server.url}#m", ledger, "first"))
        assert server.count >= 2, "the call and a probe"
        assert ledger.snapshot()["under_way"]["calls"] == server.count
    assert ledger.spent == 0


def test_lost_replies_count_towards_the_limit_at_once() -> None:
    # Each call may cost a little more than $0.0001: its 100 tokens, and a few of the prompt.
    ledger = Ledger(max_cost="0.0002")
    with ModelServer(lambda number, _: NEVER if number == 0 else says("fine")) as server:
        with pytest.raises(ModelError, match="did not answer"):
            asyncio.run(ask(f"{server.url}#m", ledger, "first"))
        with pytest.raises(ModelError, match=r"stopped at \$0\.0000, and up to \$0\.0001 for replies that were lost"):
            asyncio.run(ask(f"{server.url}#m", ledger, "second", "third"))
        assert [prompt(body) for body in server.bodies] == ["first", "Say ok."]


def test_a_call_that_is_broken_off_may_have_been_paid_for() -> None:
    ledger = Ledger()

    async def work(server: ModelServer) -> None:
        asking = asyncio.create_task(ask(f"{server.url}#m", ledger, "first"))
        await asyncio.to_thread(server.wait_for, 1)
        asking.cancel()
        await asyncio.wait({asking})

    with ModelServer(lambda *_: NEVER) as server:
        asyncio.run(work(server))
        assert ledger.snapshot()["under_way"]["calls"] == 1


def test_a_run_says_what_its_lost_replies_may_have_cost_and_its_bill_has_all_that_was_answered(place: Place) -> None:
    late = iter([False, True])

    def script(request: Request) -> Any:
        return Reply("too late", latency=60) if next(late, False) else content(request)

    with StubServer(script) as server:
        model = f"{server.url}#reader?timeout=1"
        suite = ("run", "--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25")
        seen = place.cli(*suite, "--answer", model, "-q", "--no-report", "--out", "run")
        assert "1 reply was lost (the run was stopped, the call timed out or its connection broke)" in seen.out
        found = bill()
        assert found["under_way"]["calls"] == 1
        assert found["total"]["calls"] == server.count(lambda seen: seen.ok and prompt(seen.body) != "Say ok.")
        place.cli("verify", "run")


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
