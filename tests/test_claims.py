"""Of all processes that share a cache, one sends a call, and the others wait for its reply."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Place
from memtriage.core.chat import Call, Message, ModelError
from memtriage.models import claims
from memtriage.models.cache import Cache
from memtriage.models.claims import LEASE, claimed
from memtriage.models.client import Client
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import Limiter
from memtriage.models.scripted import StubServer, content
from memtriage.pipeline.bill import read_bill
from model_server import Answer, ModelServer, error, prompt, says

ELSEWHERE = "another-machine 1 2 them"


def question(text: str) -> Call:
    return Call("answer", "answer", (Message("user", text),))


def test_identical_runs_at_once_pay_for_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    with StubServer(content, latency=0.02) as server, StubServer("memory", latency=0.02) as memory:
        models = ("--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge")
        system = ("--system", "facts", "--internal", f"{memory.url}#writer", "--rows", "2", "--k", "5", "--no-report")
        run = ("run", "--suite", "memfail/coexisting", *system, *models, "-q", "--out")
        children = [place.start(*run, f"run-{number}") for number in range(3)]
        for child in children:
            child.ended(0)
        together = server.count(ok=True) + memory.count(ok=True)
        bills = [read_bill(place.path / f"run-{number}") for number in range(3)]
        monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "other.db"))
        place.cli(*run, "alone")
        alone = server.count(ok=True) + memory.count(ok=True) - together
    assert together == alone
    assert sum(bill["total"]["calls"] for bill in bills if bill) == alone, "and it is on one bill each"


def ask_both(server: ModelServer, path: Path, *texts: str, ledgers: tuple[Ledger, Ledger]) -> list[Any]:
    """Ask the same in two clients, which know each other by their cache alone."""

    async def work() -> list[Any]:
        with Cache(path) as one, Cache(path) as two:
            clients = [
                Client(server.spec, cache=cache, ledger=ledger, limiter=Limiter(2), backoff=0.001)
                for cache, ledger in zip((one, two), ledgers, strict=True)
            ]
            orders = (texts, texts[::-1])
            asked = [
                client.ask(question(text)) for client, order in zip(clients, orders, strict=True) for text in order
            ]
            found = await asyncio.gather(*asked, return_exceptions=True)
            for client in clients:
                await client.aclose()
            return list(found)

    return asyncio.run(work())


def test_who_waits_pays_nothing_and_holds_nothing_that_others_wait_for(tmp_path: Path) -> None:
    ledgers = Ledger(), Ledger()
    texts = [f"q{number}" for number in range(6)]
    with ModelServer(lambda _, body: says(prompt(body))) as server:
        found = ask_both(server, tmp_path / "c.sqlite", *texts, ledgers=ledgers)
        assert [reply.text for reply in found] == texts + texts[::-1]
        assert Counter(map(prompt, server.bodies)) == Counter(texts)
    totals = [ledger.snapshot()["total"] for ledger in ledgers]
    assert sum(total["calls"] for total in totals) == 6
    assert [total["calls"] + total["cached"] for total in totals] == [6, 6]


def test_a_call_that_fails_gives_its_claim_back(tmp_path: Path) -> None:
    with ModelServer(lambda number, body: says("fine") if number else error(400, "no")) as server:
        found = ask_both(server, tmp_path / "c.sqlite", "q", ledgers=(Ledger(), Ledger()))
        assert sorted(isinstance(each, ModelError) for each in found) == [False, True]
        assert server.count == 2


def embedded(_: int, body: Mapping[str, Any]) -> Answer:
    data = [{"index": n, "embedding": [float(len(text)), 1.0]} for n, text in enumerate(body["input"])]
    return Answer({"data": data, "model": "e", "usage": {"prompt_tokens": 4, "total_tokens": 4}})


def test_batches_that_overlap_ask_for_each_text_once(tmp_path: Path) -> None:
    async def work() -> list[list[list[float]]]:
        with Cache(tmp_path / "c.sqlite") as one, Cache(tmp_path / "c.sqlite") as two:
            async with EmbeddingClient(server.spec, cache=one) as a, EmbeddingClient(server.spec, cache=two) as b:
                return list(await asyncio.gather(a.embed(["a", "bb", "ccc"]), b.embed(["ccc", "dddd", "a"])))

    with ModelServer(embedded) as server:
        first, second = asyncio.run(work())
        assert [vector[0] for vector in first + second] == [1, 2, 3, 3, 4, 1]
        assert sorted(text for body in server.bodies for text in body["input"]) == ["a", "bb", "ccc", "dddd"]


def test_claims_are_for_all_keys_or_none_and_run_out(tmp_path: Path) -> None:
    now = time.time()
    with Cache(tmp_path / "c.sqlite") as one, Cache(tmp_path / "c.sqlite") as other:
        assert one.claim(["a", "b"], ELSEWHERE, now + 30)
        assert not other.claim(["b", "c"], "here 1 2 us", now + 30)
        assert other.claim(["c"], "here 1 2 us", now + 30), "nothing of the refused claim is left"
        one.renew(ELSEWHERE, now - 1)
        assert other.claim(["a", "b"], "here 1 2 us", now + 30)
        other.release("here 1 2 us")
        assert one.claim(["a", "b", "c"], ELSEWHERE, now + 30)


CLAIMING = """
import asyncio, sys
from memtriage.models.cache import Cache
from memtriage.models.claims import claimed

async def main():
    async with claimed(Cache(sys.argv[1]), ["k"]):
        print("mine", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def test_the_claim_of_a_killed_process_is_taken_over_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"

    async def take(cache: Cache) -> None:
        async with asyncio.timeout(LEASE / 4), claimed(cache, ["k"]):
            pass

    with (
        subprocess.Popen([sys.executable, "-c", CLAIMING, str(path)], stdout=subprocess.PIPE, text=True) as process,
        Cache(path) as cache,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "mine\n"
        assert not cache.claim(["k"], "here 1 2 us", time.time() + 30)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        asyncio.run(take(cache))


def test_a_claim_is_renewed_while_its_call_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "LEASE", 0.2)
    monkeypatch.setattr(claims, "_RENEWAL", 0.02)
    begun = time.monotonic()

    async def work() -> bool:
        with Cache(tmp_path / "c.sqlite") as cache:
            async with claimed(cache, ["k"]):
                while time.monotonic() < begun + 0.4:
                    await asyncio.sleep(0.02)
                return cache.claim(["k"], "here 1 2 us", time.time() + 30)

    assert not asyncio.run(work())


def test_an_interrupt_ends_the_wait(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    waiting = threading.Event()
    with StubServer(content) as server:
        run = ("run", "--suite", "memfail/coexisting", "--rows", "4", "--k", "5", "--system", "bm25", "--no-report")
        with server.held():
            first = place.start(*run, "-q", "--answer", f"{server.url}#reader", "--out", "one")
            server.wait_for(4)
            second = place.start(*run, "-q", "--answer", f"{server.url}#reader", "--out", "two")
            while not (place.path / "two" / "journal.jsonl").exists():
                waiting.wait(0.02)
            waiting.wait(0.3)
            second.kill(signal.SIGINT)
            second.ended(130)
            assert len(server.requests) == 4
        first.ended(0)


def test_who_has_a_claim_is_told_by_machine_process_and_its_start() -> None:
    soon = time.time() + 30
    mine = f"{claims._machine()} {os.getpid()}"
    assert not claims.has_ended(f"{mine} {claims._started(os.getpid())} x", soon)
    assert claims.has_ended(f"{mine} 1 x", soon), "the number went to a later process"
    assert not claims.has_ended(ELSEWHERE, soon)
    assert claims.has_ended(ELSEWHERE, soon - 31)
    assert claims.has_ended(ELSEWHERE, soon + 1e9), "nobody claims for that long"
    assert claims.has_ended("nonsense", soon)
