"""The models of memory systems, over real HTTP: shared by threads, counted apart, paid for once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest

import memtriage
from memtriage.config import Limits
from memtriage.core.chat import Message, ModelError, Schema
from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.models.cache import Cache
from memtriage.models.current import current_models, use_models
from memtriage.models.embedders import WordLlamaEmbedder
from memtriage.models.endpoint_embedder import EndpointEmbedder
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import Faults, Reply, StubServer, content, echo
from memtriage.models.system_models import SystemModels, Writer
from memtriage.pipeline.models import open_system_models

T = TypeVar("T")

FACTS = Schema("facts", {"type": "object", "properties": {"facts": {"type": "array"}}, "required": ["facts"]})


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "default.sqlite"))
    monkeypatch.delenv("MEMTRIAGE_PRICES", raising=False)
    monkeypatch.delenv("MEMTRIAGE_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(echo) as found:
        yield found


@pytest.fixture
def models(tmp_path: Path) -> Iterator[SystemModels]:
    with Cache(tmp_path / "calls.sqlite") as cache, SystemModels(cache=cache) as found:
        yield found


class Watched(SystemModels):
    """Counts the calls that have begun on the event loop: whoever asks the same from then on joins them."""

    def __init__(self, cache: Cache | None) -> None:
        super().__init__(cache=cache)
        self.begun = threading.Semaphore(0)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        async def counted() -> T:
            self.begun.release()
            return await work

        return super().run(counted())

    def wait_for(self, calls: int) -> None:
        for _ in range(calls):
            assert self.begun.acquire(timeout=60)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with Cache(tmp_path / "calls.sqlite") as cache, Watched(cache) as found:
        yield found


def reply_to(writer: Writer, text: str, **more: Any) -> str:
    return writer.ask([Message("user", text)], stage="extract", **more).text


# ---------------------------------------------------------------------- writers


def test_threads_share_a_model_and_each_writer_counts_its_own(server: StubServer, models: SystemModels) -> None:
    writers = [models.writer(f"{server.url}#small") for _ in range(4)]

    def work(number: int) -> list[str]:
        return [reply_to(writers[number], f"writer {number} line {line}") for line in range(number + 1)]

    with ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(work, range(4)))
    assert replies == [[f"writer {n} line {line}" for line in range(n + 1)] for n in range(4)]
    assert [writer.usage.calls for writer in writers] == [1, 2, 3, 4]
    account = models.ledger.snapshot()["roles"]["internal"]["extract"]
    assert account["calls"] == server.count() == 10
    total = sum((writer.usage for writer in writers), Usage())
    assert (total.input_tokens, total.output_tokens) == (account["input_tokens"], account["output_tokens"])
    assert total.input_tokens > 0


def test_the_same_question_is_paid_for_once(server: StubServer, watched: Watched) -> None:
    writers = [watched.writer(f"{server.url}#small") for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        with server.held():
            asked = [threads.submit(reply_to, writer, "once") for writer in writers]
            watched.wait_for(6)
        assert [each.result() for each in asked] == ["once"] * 6
    assert server.count() == 1
    assert Counter((w.usage.calls, w.usage.cached) for w in writers) == {(1, 0): 1, (0, 1): 5}
    later = watched.writer(f"{server.url}#small")
    assert reply_to(later, "once") == "once"
    [first] = [writer.usage for writer in writers if writer.usage.calls]
    taken = {"cached_input": first.input_tokens, "cached_output": first.output_tokens}
    assert later.usage == Usage(calls=0, cached=1, **taken)
    assert server.count() == 1


def test_repeated_work_is_asked_again(server: StubServer, models: SystemModels) -> None:
    for repeat in (0, 1, 1):
        reply_to(models.writer(f"{server.url}#small", repeat=repeat), "chance")
    assert server.count() == 2


def test_a_schema_gives_data(server: StubServer, models: SystemModels) -> None:
    server.script = lambda _: {"facts": ["Odo rows"]}
    reply = models.writer(f"{server.url}#small").ask([Message("user", "?")], stage="extract", schema=FACTS)
    assert reply.data == {"facts": ["Odo rows"]}


def test_an_error_reaches_everybody_who_waits_and_is_counted_for_each(server: StubServer, watched: Watched) -> None:
    server.script = lambda _: Reply("the prompt can't be taken", status=400)
    writers = [watched.writer(f"{server.url}#small") for _ in range(3)]

    def work(writer: Writer) -> str:
        with pytest.raises(ModelError, match="can't be taken") as caught:
            reply_to(writer, "no")
        return caught.value.trouble

    with ThreadPoolExecutor(3) as threads:
        with server.held():
            asked = [threads.submit(work, writer) for writer in writers]
            watched.wait_for(3)
        assert [each.result() for each in asked] == ["bad_request"] * 3
    assert server.count() == 1
    assert [writer.usage for writer in writers] == [Usage(errors=1)] * 3
    assert watched.ledger.errors == 1


@pytest.mark.parametrize("spec", ["", " ", "offline"])
def test_no_model_is_told_with_the_option_that_names_one(models: SystemModels, spec: str) -> None:
    with pytest.raises(BadInput, match="--internal"):
        models.writer(spec)


def test_dollars_are_known_or_none(server: StubServer, models: SystemModels, monkeypatch: pytest.MonkeyPatch) -> None:
    # 0.0.0.0 leads to this machine as well, but doesn't look like it: a stranger's model without a price.
    url = server.url.replace("127.0.0.1", "0.0.0.0")
    elsewhere = models.writer(f"{url}#dear?header.Host=127.0.0.1:{server.port}")
    reply_to(elsewhere, "hello")
    assert elsewhere.usage.dollars is None
    Path("own.json").write_text(json.dumps({"dear": {"input": 1_000_000, "output": 0}}))
    monkeypatch.setenv("MEMTRIAGE_PRICES", "own.json")
    priced = models.writer(f"{server.url}#dear")
    reply_to(priced, "hello")
    assert priced.usage.dollars == priced.usage.input_tokens > 0


def test_the_limit_on_cost_holds_over_all_threads(server: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own.json").write_text(json.dumps({"dear": {"input": 100_000, "output": 100_000}}))
    monkeypatch.setenv("MEMTRIAGE_PRICES", "own.json")
    ledger = Ledger(max_cost=Decimal(10))
    with SystemModels(cache=None, ledger=ledger) as models:
        writer = models.writer(f"{server.url}#dear?max_tokens=3")

        def work(number: int) -> str:
            try:
                return reply_to(writer, f"line {number}")
            except ModelError as error:
                return error.trouble

        with ThreadPoolExecutor(8) as threads:
            outcomes = Counter(threads.map(work, range(40)))
    assert outcomes["budget"] > 20
    assert 0 < ledger.spent <= 10
    assert writer.usage.dollars == float(ledger.spent)
    assert writer.usage.errors == outcomes["budget"]


def test_all_ways_to_an_endpoint_share_one_limit(server: StubServer) -> None:
    with SystemModels(cache=None, concurrency=2) as models:
        writers = [models.writer(f"{server.url}#{name}") for name in ("a", "b")]
        embedder = models.embedder(f"{server.url}#vectors")

        def work(number: int) -> None:
            reply_to(writers[number % 2], f"line {number}")
            embedder.embed([f"text {number}"])

        with ThreadPoolExecutor(8) as threads:
            before = server.count()
            with server.held():
                asked = [threads.submit(work, number) for number in range(16)]
                assert server.wait_for(before + 2)
            for each in asked:
                each.result()
    assert server.count(ok=True) >= 32
    assert server.peak == 2


def test_closing_breaks_off_what_is_under_way(server: StubServer) -> None:
    server.faults = Faults().rate(1.0, 0, ["timeout"])
    models = SystemModels(cache=None)
    writer = models.writer(f"{server.url}#small")
    outcome: list[BaseException] = []

    def work() -> None:
        try:
            reply_to(writer, "never answered")
        except ModelError as error:
            outcome.append(error)

    waiting = threading.Thread(target=work)
    waiting.start()
    assert server.wait_for(1)
    models.close()
    waiting.join(60)
    assert not waiting.is_alive()
    assert "broken off" in str(outcome[0])
    with pytest.raises(RuntimeError, match="closed"):
        reply_to(writer, "too late")
    models.close()


# ---------------------------------------------------------------------- local models

RUNTIME = """
from types import SimpleNamespace

def get_device_info():
    return []

class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    def __init__(self, parameters):
        open({started!r}, "a").write("started\\n")
        self.listening_address = {address!r}
"""


def test_a_local_model_is_started_once(
    server: StubServer, models: SystemModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime is a stand-in whose model is the scripted server; the process around it is the real one."""
    started, model = tmp_path / "started.txt", tmp_path / "tiny.gguf"
    model.write_bytes(b"GGUF" + bytes(64))
    source = RUNTIME.format(started=str(started), address=server.url.removesuffix("/v1"))
    (tmp_path / "xllamacpp.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    for settings in ("", "?temperature=0", "?seed=7"):
        assert reply_to(models.writer(f"local/{model}{settings}"), f"hello {settings}") == f"hello {settings}".strip()
    with models.gate(internal=f"local/{model}") as gate:
        assert gate.models()["internal"]["model"] == str(model)
    assert started.read_text() == "started\n"
    with pytest.raises(BadInput, match="was started without parallel=8; say it wherever it is named"):
        models.writer(f"local/{model}?parallel=8")
    with pytest.raises(BadInput, match="local models only chat"):
        models.embedder(f"local/{model}")


# ---------------------------------------------------------------------- embedders


def test_every_text_is_paid_for_once_whoever_embeds_it(server: StubServer, watched: Watched) -> None:
    texts = [f"text number {n}" for n in range(40)]
    embedders = [watched.embedder(f"{server.url}#vectors") for _ in range(4)]
    watched.wait_for(4)  # each asks for the dimensions
    with ThreadPoolExecutor(4) as threads:
        with server.held():
            asked = [threads.submit(one.embed, texts) for one in embedders]
            watched.wait_for(4)
        found = [each.result() for each in asked]
    assert all((each == found[0]).all() for each in found)
    texts_sent = Counter(text for seen in server.requests for text in seen.body["input"])
    assert set(texts_sent) == {*texts, "dimensions"}
    assert set(texts_sent.values()) == {1}
    account = watched.ledger.snapshot()["roles"]["embed"]["embed"]
    usages = [one.usage for one in embedders if isinstance(one, EndpointEmbedder)]
    assert sum(usage.input_tokens for usage in usages) == account["input_tokens"] > 0
    assert sum(usage.calls for usage in usages) == server.count()


def test_an_offline_embedder_is_what_it_always_was(models: SystemModels) -> None:
    ours = models.embedder("wordllama").embed(["a violin"])
    assert (ours == WordLlamaEmbedder().embed(["a violin"])).all()
    assert models.ledger.snapshot()["roles"] == {}


# ---------------------------------------------------------------------- the current one


def test_serving_is_seen_by_all_threads_and_ends_with_its_block(tmp_path: Path) -> None:
    usual = current_models()
    assert current_models() is usual
    assert usual.cache is not None
    assert usual.cache.path == tmp_path / "default.sqlite"
    with SystemModels(cache=None) as outer, SystemModels(cache=None) as inner:
        with use_models(outer):
            with use_models(inner), ThreadPoolExecutor(1) as thread:
                assert thread.submit(current_models).result() is current_models() is inner
            assert current_models() is outer
        assert current_models() is usual


def test_a_forked_process_has_models_of_its_own(server: StubServer, models: SystemModels) -> None:
    with use_models(models):
        reply_to(current_models().writer(f"{server.url}#small"), "in the parent")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                own = current_models()
                text = reply_to(own.writer(f"{server.url}#small"), "in the child") if own is not models else "the same"
                own.close()
                os.write(write, text.encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(write)
        assert os.read(read, 100) == b"in the child"
        os.close(read)
        assert reply_to(current_models().writer(f"{server.url}#small"), "and on") == "and on"


def test_the_default_one_lets_a_process_end(server: StubServer) -> None:
    code = (
        "import sys; from memtriage.models.current import current_models; from memtriage.core.chat import Message; "
        "print(current_models().writer(sys.argv[1]).ask([Message('user', 'bye')], stage='x').text)"
    )
    run = [sys.executable, "-W", "error::ResourceWarning", "-c", code, f"{server.url}#small"]
    ended = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "bye\n", "")


def test_nothing_heavy_is_loaded_before_a_model_is_asked_for() -> None:
    code = (
        "import sys, memtriage.models.system_models; "
        "sys.exit(any(m in sys.modules for m in ('openai', 'genai_prices', 'memtriage.models.gateway.server')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_systems_take_is_on_the_bill_of_their_run(server: StubServer, tmp_path: Path) -> None:
    cache = tmp_path / "calls.sqlite"
    run = memtriage.run(
        "dense",
        embed=f"{server.url}#vectors",
        suite="memfail/long-hop",
        rows=3,
        k=[3],
        out=tmp_path / "run",
        limits=Limits(cache=cache),
    )
    assert run.cost is not None
    account = run.cost["roles"]["embed"]["embed"]
    assert account["calls"] == server.count() > 0
    kept = Cache(cache)
    assert kept.size().entries > 10
    kept.close()


def test_a_run_has_one_limit_on_cost_for_those_inside_and_those_who_grade(
    server: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {"dear": {"input": 10_000, "output": 0}, "reader": {"input": 1_000, "output": 1_000}}
    Path("own.json").write_text(json.dumps(prices))
    monkeypatch.setenv("MEMTRIAGE_PRICES", "own.json")
    limits = Limits(max_cost=Decimal(7), cache=tmp_path / "own.sqlite")
    server.script = content
    with open_system_models(limits):
        run = memtriage.run(
            "dense",
            embed=f"{server.url}#dear",
            answer=f"{server.url}#reader",
            suite="memfail/long-hop",
            rows=6,
            k=[3],
            out=tmp_path / "run",
            limits=limits,
        )
    assert run.cost is not None
    assert run.stopped is not None
    assert run.cost["roles"]["embed"]["embed"]["dollars"] > 4
    assert run.cost["total"]["dollars"] <= 7
    assert run.cost["roles"]["answer"]["answer"]["calls"] < 6, "all of them would fit, if embedding were free"
    assert not (tmp_path / "default.sqlite").exists()
