"""Models that are asked from another process: replies, errors and bills are as if they had been asked there."""

from __future__ import annotations

import pickle
from collections.abc import Awaitable, Iterator
from concurrent.futures import Future
from pathlib import Path

import openai
import pytest

from memtriage.core.chat import CallHeld, Message, ModelError
from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.models.bill import asking_for
from memtriage.models.borrowed import BorrowedModels, Loan, Request, lend
from memtriage.models.cache import Cache
from memtriage.models.failures import GaveUp
from memtriage.models.held import DueCalls
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import StubServer, echo
from memtriage.models.system_models import SystemModels

STORE = ("facts", "episode-1")


def through(models: SystemModels) -> BorrowedModels:
    """Borrowed models whose requests and loans travel as bytes, as between processes."""
    import asyncio

    def send(request: Request) -> Awaitable[Loan]:
        asked: Future[Loan] = models.begin(lend(models, pickle.loads(pickle.dumps(request))))
        return _travelled(asyncio.wrap_future(asked))

    return BorrowedModels(send)


async def _travelled(loan: Awaitable[Loan]) -> Loan:
    found: Loan = pickle.loads(pickle.dumps(await loan))
    return found


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(echo) as found:
        yield found


@pytest.fixture
def lender(tmp_path: Path) -> Iterator[SystemModels]:
    with Cache(tmp_path / "calls.sqlite") as cache, SystemModels(cache=cache) as found:
        yield found


@pytest.fixture
def borrowed(lender: SystemModels) -> Iterator[BorrowedModels]:
    with through(lender) as found:
        yield found


def test_a_writer_is_answered_and_charged_to_its_store(
    server: StubServer, lender: SystemModels, borrowed: BorrowedModels
) -> None:
    with asking_for(STORE):
        writer = borrowed.writer(f"{server.url}#small")
    assert writer.name == f"{server.url}#small"
    first, again = (writer.ask([Message("user", "Where is the kettle?")], stage="extract") for _ in range(2))
    assert first.text == again.text
    assert (first.cached, again.cached) == (False, True), "one cache"
    assert len(server.requests) == 1
    assert writer.usage.calls == writer.usage.cached == 1
    paid = Usage(1, 0, 0, writer.usage.input_tokens, writer.usage.output_tokens, writer.usage.dollars)
    assert lender.paid_for(STORE) == borrowed.paid_for(STORE) == paid
    assert borrowed.paid_for(("facts", "another")) == Usage()


def test_a_library_reaches_the_models_through_a_gate(server: StubServer, borrowed: BorrowedModels) -> None:
    with asking_for(STORE):
        gate = borrowed.gate(internal=f"{server.url}#small", embed=f"{server.url}#vectors")
    told = gate.models()
    assert told["embed"]["dimensions"] > 0
    client = openai.OpenAI(base_url=told["internal"]["base_url"], api_key=told["internal"]["api_key"], max_retries=0)
    with client:
        reply = client.chat.completions.create(model="x", messages=[{"role": "user", "content": "the kettle"}])
        assert reply.choices[0].message.content
        vectors = client.embeddings.create(model="x", input=["the kettle", "the lamp"])
        assert len(vectors.data[1].embedding) == told["embed"]["dimensions"]
    assert (gate.usage.calls, gate.usage.cached) == (2, 1), "a reply, vectors, and their size, which was known"
    assert borrowed.paid_for(STORE).calls == 3


def test_an_embedder_brings_the_same_vectors(
    server: StubServer, lender: SystemModels, borrowed: BorrowedModels
) -> None:
    name = f"{server.url}#vectors"
    near, far = lender.embedder(name), borrowed.embedder(name)
    assert (far.embed(["a kettle", "a lamp"]) == near.embed(["a kettle", "a lamp"])).all()
    assert far.dimensions == near.dimensions


def test_errors_come_back_as_they_were(lender: SystemModels, borrowed: BorrowedModels) -> None:
    for text in ("", "offline", "no/such/provider/model?"):
        with pytest.raises(BadInput) as near:
            lender.writer(text)
        with pytest.raises(BadInput) as far:
            borrowed.writer(text)
        assert str(near.value) == str(far.value)


def test_a_budget_and_a_held_call_stop_those_who_borrow(server: StubServer, tmp_path: Path) -> None:
    spent = Ledger(max_errors=1)
    spent.give_up("nobody answers")
    with SystemModels(cache=None, ledger=spent) as models, through(models) as borrowed:
        with pytest.raises(ModelError, match="nobody answers") as caught:
            borrowed.writer(f"{server.url}#small").ask([Message("user", "?")], stage="extract")
        assert caught.value.trouble == "outage"
    with Cache(tmp_path / "held.sqlite") as cache, SystemModels(cache=cache, due=DueCalls(True)) as models:
        with through(models) as borrowed:
            with pytest.raises(CallHeld):
                borrowed.writer(f"{server.url}#small").ask([Message("user", "?")], stage="extract")
            with pytest.raises(BadInput, match="answered by file"):
                borrowed.gate(internal=f"{server.url}#small")
        assert len(models.due.calls) == 1
    assert not server.requests


def test_what_was_a_secret_does_not_travel(lender: SystemModels) -> None:
    with through(lender) as borrowed:
        writer = borrowed.writer("http://user:hunter2222@127.0.0.1:9/v1#m?header.X-Token=abcdefgh12345678")
    described = borrowed.described("chat", "http://user:hunter2222@127.0.0.1:9/v1#m?header.X-Token=abcdefgh12345678")
    assert b"hunter2222" not in pickle.dumps(described)
    assert b"abcdefgh12345678" not in pickle.dumps(described)
    assert "hunter2222" not in writer.name


def test_a_call_that_was_given_up_keeps_all_it_has_on_its_way() -> None:
    error = pickle.loads(pickle.dumps(GaveUp("server", "it broke", None, {"choices": []})))
    assert (error.trouble, str(error), error.reply) == ("server", "it broke", {"choices": []})
