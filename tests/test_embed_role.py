"""The embedding role: systems that embed through an endpoint, each text paid for once, on the bill of the run."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import openai
import pytest

import memtriage
from conftest import Cli
from memtriage.core.chat import ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, MemtriageError
from memtriage.models.cache import Cache
from memtriage.models.current import current_models, embedder, use_models
from memtriage.models.embedders import SentenceTransformerEmbedder, _minilm_weights, query_vector
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.embedding_presets import preset_for
from memtriage.models.scripted import StubServer, echo
from memtriage.models.spec import ModelSpec
from memtriage.models.system_models import SystemModels
from memtriage.record.reader import RunReader
from memtriage.systems.designs.chat.ld_agent import LDAgent
from memtriage.systems.designs.chat.memorybank import MemoryBank
from memtriage.systems.designs.chat.memwalker import MemWalker
from memtriage.systems.designs.events import Events
from memtriage.systems.designs.facts import Facts
from memtriage.systems.designs.graph import Graph
from memtriage.systems.designs.hipporag.memory import HippoRAG
from memtriage.systems.designs.lme.memory import LME
from memtriage.systems.designs.memgpt.memory import MemGPT
from memtriage.systems.designs.mosaic.system import Mosaic
from memtriage.systems.designs.notes import Notes
from memtriage.systems.designs.rag.memorag import MemoRAG
from memtriage.systems.designs.rag.self_rag import SelfRAG
from memtriage.systems.designs.raptor.memory import Raptor
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.hybrid import Hybrid
from memtriage.text.tokens import count_all
from model_server import Answer, ModelServer, error


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "calls.sqlite"))


def test_a_run_embeds_through_an_endpoint_and_puts_it_on_the_bill(tmp_path: Path) -> None:
    with StubServer(echo, embedding="wordllama") as server:
        spec = f"{server.url}#embedding"
        arguments = {"suite": "memfail/long-hop", "rows": 6, "k": [3]}
        run = memtriage.run("dense", "bm25", embed=spec, out=tmp_path / "a", **arguments)
        asked = len(server.requests)
        again = memtriage.run(f"dense:embedder={spec}", out=tmp_path / "b", **arguments)
        assert len(server.requests) == asked  # every text was embedded before
    offline = memtriage.run("dense", out=tmp_path / "c", **arguments)
    assert run.errors == 0
    assert run.cost is not None
    assert run.cost["roles"]["embed"]["embed"]["input_tokens"] > 0
    assert run.manifest["models"]["embedder"] == spec

    def verdicts(one: memtriage.Run) -> list[tuple[str, str]]:
        return [(v.probe, v.verdict) for v in one.verdicts() if v.system.startswith("dense")]

    assert verdicts(run) == verdicts(again) == verdicts(offline)  # the stub serves the offline vectors


@pytest.mark.parametrize("use_cache", [True, False])
def test_an_endpoint_gets_each_text_of_a_run_once_and_many_at_a_time(tmp_path: Path, use_cache: bool) -> None:
    """Histories of LongMemEval share sessions, and several systems embed the same turns of them."""
    systems = ("dense", "hybrid", "dense:roles=user", "self-rag:summarise=rules")
    limits = memtriage.Limits(use_cache=use_cache)
    with StubServer(echo, embedding="hash") as server:
        arguments: dict[str, Any] = {"suite": "longmemeval/s", "rows": 2, "k": [3], "limits": limits, "progress": False}
        options = {"sessions": "8", "pool": "12"}
        spec = f"{server.url}#embedding"
        run = memtriage.run(*systems, embed=spec, out=tmp_path / "a", options=options, **arguments)
        batches = [request.body["input"] for request in server.requests if request.path.endswith("/embeddings")]
    assert run.errors == 0
    with closing(RunReader(run.path)) as reader:
        episodes = list(reader.episodes())
    told = [turn.text for one in episodes for session in one.sessions for turn in session.turns]
    times = Counter(text for batch in batches for text in batch)
    assert len(told) > len(set(told)), "some sessions are in several histories"
    assert set(told) <= set(times)
    assert set(times.values()) == {1}
    assert max(map(len, batches)) >= 40, "all that a store is told at once"


# How a model wants to be asked


def vectors_for(body: Mapping[str, Any]) -> Answer:
    """Vectors that point the way of the first letter, so that any text is found by its own."""
    data = [
        {"index": n, "embedding": [float(text[:1] == letter) + 0.01 for letter in "abIqp"]}
        for n, text in enumerate(body["input"])
    ]
    return Answer({"object": "list", "data": data, "usage": {"prompt_tokens": len(data)}})


def sent(server: ModelServer) -> list[str]:
    return [text for body in server.bodies for text in body["input"] if "dimensions" not in text]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with (
        ModelServer(lambda _, body: vectors_for(body)) as served,
        SystemModels(cache=None) as inside,
        use_models(inside),
    ):
        yield served


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        (
            "Qwen/Qwen3-Embedding-0.6B",
            "",
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        ),
        ("nvidia/NV-Embed-v2", "", "Instruct: Given a question, retrieve passages that answer the question\nQuery: "),
        (
            "dunzhang/stella_en_1.5B_v5",
            "",
            "Instruct: Given a web search query, retrieve relevant passages that answer the query.\nQuery: ",
        ),
        (
            "Alibaba-NLP/gte-Qwen2-7B-instruct",
            "",
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
        ),
        ("intfloat/e5-large-v2", "passage: ", "query: "),
        ("BAAI/bge-large-en-v1.5", "", "Represent this sentence for searching relevant passages: "),
        ("nomic-embed-text:latest", "search_document: ", "search_query: "),
        ("facebook/contriever", "", ""),
        ("text-embedding-3-small", "", ""),
        ("intfloat/e5-large-v2?preset=none", "", ""),
        ("some-name?preset=e5", "passage: ", "query: "),
    ],
)
def test_documents_and_queries_arrive_as_the_model_card_has_them(
    server: ModelServer, model: str, document: str, query: str
) -> None:
    memory = Dense(embedder=f"{server.url}#{model}")
    memory.store_conversation(Session("s", (Turn("user", "Odo repairs clocks.", "s/0"),)))
    memory.retrieve_memories("Who repairs clocks?", Session("now", ()), 1)
    texts = sent(server)
    assert f"{document}Odo repairs clocks." in texts
    assert texts[-1] == f"{query}Who repairs clocks?"
    assert all(text.startswith(document) for text in texts[:-1])
    assert {body["model"] for body in server.bodies} == {model.partition("?")[0]}


SYSTEMS = [
    Dense,
    Hybrid,
    Mosaic,
    partial(LME, summarise="rules", key="value"),
    partial(MemGPT, summarise="verbatim"),
    partial(MemoRAG, summarise="verbatim"),
    partial(SelfRAG, summarise="verbatim"),
    partial(Raptor, summarise="verbatim"),
    *(partial(HippoRAG, summarise=mode) for mode in ("verbatim", "rules")),
    *(partial(build, summarise="verbatim") for build in (Facts, Graph, Notes, Events, MemoryBank, LDAgent, MemWalker)),
]


@pytest.mark.parametrize("build", SYSTEMS)
def test_every_system_that_embeds_tells_its_questions_apart(server: ModelServer, build: Any) -> None:
    memory = build(embedder=f"{server.url}#e5-base-v2")
    memory.store_conversation(Session("s", (Turn("user", "Odo repairs clocks.", "s/0"),)))
    memory.retrieve_memories("Who repairs clocks?", Session("now", ()), 1)
    assert "passage: Odo repairs clocks." in sent(server)
    assert [text for text in sent(server) if not text.startswith("passage: ")] == ["query: Who repairs clocks?"]


def test_a_preset_is_known_by_the_name_alone_only_where_that_is_beyond_doubt() -> None:
    names = {
        "qwen3-embedding:4b-q8_0": "qwen3",
        "Qwen3-Embedding-8B-GGUF": "qwen3",
        "multilingual-e5-small": "e5",
        "intfloat/multilingual-e5-large-instruct": "e5-instruct",
        "e5-mistral-7b-instruct": "e5-mistral",
        "models/contriever-msmarco/": "contriever",
        "sentence-transformers/all-MiniLM-L6-v2": "minilm",
        "thenlper/gte-large": "gte",
        "Alibaba-NLP/gte-large-en-v1.5": "gte-v1.5",
        "nvidia/nv-embedqa-e5-v5": "none",
        "my-e5-base-v2-finetuned": "none",
        "bge-reranker-v2-m3": "none",
    }
    assert {model: preset_for(model).name for model in names} == names
    with pytest.raises(BadInput, match="preset='e6' must be one of none, openai, qwen3"):
        ModelSpec.parse("http://x/v1#m?preset=e6")


def test_the_preset_is_recorded_and_two_presets_share_no_vector(tmp_path: Path) -> None:
    with ModelServer(lambda _, body: vectors_for(body)) as served:
        arguments = {"suite": "memfail/long-hop", "rows": 2, "k": [3]}
        run = memtriage.run("dense", embed=f"{served.url}#e5-base-v2", out=tmp_path / "a", **arguments)
        assert run.manifest["models"]["embedder"] == f"{served.url}#e5-base-v2?preset=e5"
        asked = served.count
        plain = memtriage.run("dense", embed=f"{served.url}#e5-base-v2?preset=none", out=tmp_path / "b", **arguments)
        assert plain.manifest["models"]["embedder"].endswith("?preset=none")
        assert served.count > asked
        assert not any("passage: " in text for body in served.bodies[asked:] for text in body["input"])


def test_contriever_is_compared_by_inner_product_and_all_else_by_cosine(server: ModelServer) -> None:
    lengths = {"odo": [3.0, 4.0], "noor": [1.0, 0.0]}
    server.decide = lambda _, body: Answer(
        {"data": [{"embedding": lengths.get(text.lower(), [1.0, 0.0])} for text in body["input"]]}
    )
    found = {}
    for model in ("contriever", "other"):
        memory = Dense(embedder=f"{server.url}#{model}")
        memory.store_conversation(Session("s", (Turn("user", "Odo", "0"), Turn("user", "Noor", "1"))))
        found[model] = [(m.text, round(m.score or 0, 3)) for m in memory.retrieve_memories("?", Session("n", ()), 2)]
    assert found == {"contriever": [("Odo", 3.0), ("Noor", 1.0)], "other": [("Noor", 1.0), ("Odo", 0.6)]}


def test_an_embedder_of_ones_own_may_embed_queries_apart() -> None:
    class Mine:
        name, dimensions = "mine", 2

        def embed(self, texts: Sequence[str]) -> Any:
            return np.asarray([[1.0, 0.0] if "boat" in text else [0.0, 1.0] for text in texts], dtype=np.float32)

        def embed_query(self, query: str) -> Any:
            return np.asarray([0.0, 1.0], dtype=np.float32)

    memory = Dense(embedder=Mine())
    memory.store_conversation(Session("s", (Turn("user", "A red boat.", "0"), Turn("user", "A tree.", "1"))))
    assert [m.text for m in memory.retrieve_memories("Which boat?", Session("n", ()), 1)] == ["A tree."]


def test_a_library_marks_its_queries_by_the_name_it_asks_for(server: ModelServer) -> None:
    gate = current_models().gate(embed=f"{server.url}#e5-base-v2")
    access = gate.models()["embed"]
    with openai.OpenAI(base_url=access["base_url"], api_key=access["api_key"], max_retries=0) as client:
        client.embeddings.create(model=access["model"], input=["a boat"])
        client.embeddings.create(model=access["model"] + "#query", input=["which boat?"])
    assert sent(server) == ["passage: a boat", "query: which boat?"]
    offline = current_models().gate(embed="wordllama").models()["embed"]
    with openai.OpenAI(base_url=offline["base_url"], api_key=offline["api_key"], max_retries=0) as client:
        one, two = (
            client.embeddings.create(model=f"wordllama{mark}", input=["a boat"]).data[0].embedding
            for mark in ("", "#query")
        )
    assert one == pytest.approx(two)


# How much goes into one request


def embed(client: EmbeddingClient, *batches: Sequence[str]) -> list[list[float]]:
    async def work() -> list[list[float]]:
        async with client:
            return [vector for texts in batches for vector in await client.embed(texts)]

    return asyncio.run(work())


def only_so_many(most: int, message: str, status: int = 400) -> Any:
    return lambda _, body: error(status, message) if len(body["input"]) > most else vectors_for(body)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"),
        (400, "Invalid 'input': array too long. Expected an array with maximum length 20, but got length 128."),
        (413, "batch size 128 > maximum allowed batch size 20"),
        (422, "batch size 128 > maximum allowed batch size 20"),
        (400, "Too many inputs in request, split into more batches."),
    ],
)
def test_a_batch_that_is_too_large_is_halved_and_the_size_is_remembered(status: int, message: str) -> None:
    texts = [f"{'ab'[n % 2]} text {n}" for n in range(300)]
    with ModelServer(only_so_many(20, message, status)) as served:
        client = EmbeddingClient(served.spec)
        found = embed(client, texts[:128], texts[128:])
        sizes = [len(body["input"]) for body in served.bodies]
    assert [vector[0] > 0.5 for vector in found] == [text[0] == "a" for text in texts]
    assert sizes[:4] == [128, 64, 32, 16]
    assert all(size <= 16 for size in sizes[4:])
    assert client.ledger.errors == 0
    assert client.ledger.snapshot()["roles"]["embed"]["embed"]["calls"] == len(sizes) - 3


def test_another_error_is_no_reason_to_halve() -> None:
    with ModelServer(lambda *_: error(400, "unknown field 'encoding_format'")) as served:
        with pytest.raises(ModelError, match="encoding_format"):
            embed(EmbeddingClient(served.spec), ["a", "b", "c"])
        assert served.count == 1


def test_a_request_stays_below_the_tokens_that_openai_takes() -> None:
    texts = [f"{n} " + "boat " * 5_000 for n in range(128)]  # over 600,000 tokens in all
    with ModelServer(lambda _, body: vectors_for(body)) as served:
        assert len(embed(EmbeddingClient(served.spec), texts)) == 128
        amounts = [count_all(body["input"]) for body in served.bodies]
    assert len(amounts) == 3
    assert max(amounts) <= 300_000


def test_tokens_per_request_are_halved_where_an_endpoint_takes_fewer() -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        asked = count_all(body["input"])
        if asked > 1_000:
            return error(400, f"Requested {asked} tokens, max 1000 tokens per request", code="max_tokens_per_request")
        return vectors_for(body)

    texts = [f"{n} " + "boat " * 100 for n in range(64)]
    with ModelServer(decide) as served:
        client = EmbeddingClient(served.spec)
        assert len(embed(client, texts)) == 64
        assert client.limits.texts == 128
        assert 500 <= client.limits.tokens <= 1_000


def test_a_text_that_is_too_long_is_cut_by_what_the_endpoint_says_and_counted_in_every_run(tmp_path: Path) -> None:
    limit = 512

    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        longest = max(count_all([text]) for text in body["input"])
        if longest >= limit:
            return error(413, f"`inputs` must have less than {limit} tokens. Given: {longest}")
        return vectors_for(body)

    texts = ["a short one", "b " + "boat " * 2_000, *(f"a text {n}" for n in range(40)), "a " + "tree " * 600]
    with ModelServer(decide) as served, closing(Cache(tmp_path / "c.sqlite")) as cache:
        for _ in range(2):  # the second time from the cache
            client = EmbeddingClient(served.spec, cache=cache)
            found = embed(client, texts)
            assert [vector[0] > 0.5 for vector in found] == [text[0] == "a" for text in texts]
            assert client.ledger.snapshot()["roles"]["embed"]["embed"]["texts_cut"] == 2
            assert client.ledger.errors == 0
        whole = [text for body in served.bodies for text in body["input"] if text.startswith("b boat")]
        assert 480 <= count_all([whole[-1]]) < limit  # no more is lost than has to be


def test_openais_limit_is_kept_before_anything_is_refused() -> None:
    with ModelServer(lambda _, body: vectors_for(body)) as served:
        client = EmbeddingClient(f"{served.url}#text-embedding-3-small")
        embed(client, ["boat " * 9_000, "a boat"])
        assert [count_all([text]) for text in served.bodies[0]["input"]] == [8191, 2]
        assert client.ledger.snapshot()["roles"]["embed"]["embed"]["texts_cut"] == 1


def test_a_run_says_how_many_texts_were_cut(tmp_path: Path) -> None:
    with ModelServer(lambda _, body: vectors_for(body)) as served:
        memory = LongTalk
        memory.spec = f"{served.url}#text-embedding-3-small"
        run = memtriage.run(memory, suite="memfail/long-hop", rows=2, k=[1], out=tmp_path / "a")
    assert run.notices["the embedding model"] == ("1 text was longer than it takes; it got their beginning",)


class LongTalk:
    """Embeds one long text for every session it is told."""

    spec = ""

    def store_conversation(self, conversation: Session) -> None:
        embedder(self.spec).embed(["boat " * 9_000])

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
        return []

    def get_all_memories(self) -> list[str]:
        return []


# Models that run here


def test_minilm_embeds_what_it_is_given_and_a_preset_goes_before_it() -> None:
    pytest.importorskip("sentence_transformers")
    try:
        weights = _minilm_weights()
    except BadInput:
        pytest.skip("the extra [minilm] is not installed")
    plain, as_e5 = (embedder(f"sentence-transformers:{weights}{more}") for more in ("?preset=none", "?preset=e5"))
    assert np.allclose(as_e5.embed(["a boat"]), plain.embed(["passage: a boat"]), atol=1e-5)
    assert np.allclose(query_vector(as_e5, "a boat"), plain.embed(["query: a boat"])[0], atol=1e-5)
    first = embedder(f"sentence-transformers:{weights}?preset=bge")
    query = "Represent this sentence for searching relevant passages: a boat"
    assert float(query_vector(first, "a boat") @ plain.embed([query])[0]) < 0.99  # its first token, not the mean
    near = embedder("minilm").embed(["A boat on a lake.", "A ship at sea.", "Tax law."])
    assert near[0] @ near[1] > near[0] @ near[2]


def test_sentence_transformers_that_can_not_be_had_are_a_clear_error() -> None:
    with pytest.raises(BadInput, match=r"preset 'e6'|sentence-transformers is not installed"):
        embedder("sentence-transformers:intfloat/e5-base-v2?preset=e6")


def test_contriever_and_stella_are_known_by_short_names(stub_transformers: list[tuple[str, dict[str, Any]]]) -> None:
    memory = Dense(embedder="contriever")
    memory.store_conversation(Session("s", (Turn("user", "Odo", "0"), Turn("user", "Noor V", "1"))))
    first, *_ = memory.retrieve_memories("Who?", Session("n", ()), 2)
    assert (first.text, first.score) == ("Noor V", 6 * 4 + 2 * 2), "an inner product of raw vectors"
    (place, how), *texts = stub_transformers
    assert (place, how["trust_remote_code"]) == ("facebook/contriever", False)
    assert [text for text, _ in texts] == ["Odo", "Noor V", "Who?"]
    assert {told["pooling"] for _, told in texts} == {"mean"}

    with pytest.raises(BadInput, match=r"code of its own.*stella_en_1\.5B_v5\?code=trusted, or serve it: http"):
        embedder("stella")
    stub_transformers.clear()
    stella = embedder("stella?code=trusted")
    assert np.allclose(np.linalg.norm(stella.embed(["Odo"]), axis=1), 1)
    query_vector(stella, "Who?")
    (place, how), *texts = stub_transformers
    assert (place, how["trust_remote_code"]) == ("NovaSearch/stella_en_1.5B_v5", True)
    web = "Instruct: Given a web search query, retrieve relevant passages that answer the query.\nQuery: "
    assert [text for text, _ in texts] == ["Odo", f"{web}Who?"]
    query_vector(embedder("stella?preset=none&code=trusted"), "Who?")
    assert stub_transformers[-1][0] == "Who?", "as the LongMemEval paper's own code asks it"


def test_a_model_is_loaded_once_and_each_text_embedded_once_for_all_stores_and_systems(
    tmp_path: Path, stub_transformers: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    embed = SentenceTransformerEmbedder.embed

    def counted(self: SentenceTransformerEmbedder, texts: Sequence[str]) -> Any:
        batches.append(len(texts))
        return embed(self, texts)

    monkeypatch.setattr(SentenceTransformerEmbedder, "embed", counted)
    systems = ["dense", "hybrid", "dense:roles=user"]
    run = memtriage.run(*systems, embed="contriever", suite="memfail/long-hop", rows=4, k=[3], out=tmp_path / "a")
    with closing(RunReader(run.path)) as reader:
        told = {turn.text for one in reader.episodes() for session in one.sessions for turn in session.turns}
    assert len([place for place, how in stub_transformers if "trust_remote_code" in how]) == 1
    times = Counter(text for text, how in stub_transformers if text in told)
    assert set(times) == told
    assert set(times.values()) == {1}
    assert max(batches) == len(told), "all that a store is told at once"


def test_a_gpu_gets_large_batches_and_smaller_ones_where_its_memory_is_full(
    stub_transformers: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    contriever = embedder("contriever")
    model = type(contriever._model)  # type: ignore[attr-defined]
    encode = model.encode

    def full_above_200(self: Any, texts: Sequence[str], batch_size: int, **how: Any) -> Any:
        sizes.append(batch_size)
        if batch_size > 200:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return encode(self, texts, **how)

    monkeypatch.setattr(model, "encode", full_above_200)
    contriever.embed(["Odo"])
    monkeypatch.setattr(model, "device", SimpleNamespace(type="cuda"), raising=False)
    assert contriever.embed(["Odo", "Noor"]).shape == (2, 4)
    assert sizes == [64, 512, 256, 128]
    monkeypatch.setattr(model, "encode", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        contriever.embed(["Odo"])


def test_a_run_names_the_model_behind_a_short_name(
    tmp_path: Path, stub_transformers: list[tuple[str, dict[str, Any]]]
) -> None:
    run = memtriage.run("dense", embed="contriever", suite="memfail/long-hop", rows=2, k=[3], out=tmp_path / "a")
    assert run.manifest["models"]["embedder"] == "sentence-transformers:facebook/contriever"


@pytest.mark.parametrize("name", ["contriever", "stella"])
def test_a_short_name_without_the_library_says_what_to_do(cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    seen = cli(*f"run --suite memfail/long-hop --rows 2 --k 3 --system dense --embed {name} --out x -q".split(), code=1)
    assert "sentence-transformers is not installed; install it with: pip install '.[minilm]'" in seen.err
    assert "http://127.0.0.1:8000/v1#" in seen.err
    assert "did you mean 'stella'" in cli("run", "--system", "dense", "--embed", "stela", "--out", "y", code=1).err


@pytest.mark.usefixtures("no_pauses")
def test_an_embedding_endpoint_that_is_not_there_is_one_clear_error() -> None:
    with pytest.raises(MemtriageError, match=r"127\.0\.0\.1:9"):
        _ = embedder("http://127.0.0.1:9/v1#none").dimensions
