"""The gateway, with the real openai SDK on one side and a real HTTP endpoint on the other."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import openai
import pytest
from pydantic import BaseModel

from memtriage.core.errors import BadInput
from memtriage.models.cache import Cache
from memtriage.models.embedders import WordLlamaEmbedder
from memtriage.models.gateway.server import Gate
from memtriage.models.ledger import Ledger
from memtriage.models.scripted import FaultKind, Faults, Reply, Request, StubServer, echo, extract
from memtriage.models.system_models import SystemModels
from memtriage.text.tokens import encoded
from model_server import Answer, ModelServer, error, says

KEY = "sk-test-0123456789abcdef"
TOOL = {
    "type": "function",
    "function": {
        "name": "keep",
        "description": "Keep a fact.",
        "parameters": {"type": "object", "properties": {"fact": {"type": "string"}}, "required": ["fact"]},
    },
}


class Facts(BaseModel):
    facts: list[str]


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
    monkeypatch.delenv("MEMTRIAGE_PRICES", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(echo) as found:
        yield found


@pytest.fixture
def models(tmp_path: Path) -> Iterator[SystemModels]:
    with Cache(tmp_path / "calls.sqlite") as cache, SystemModels(cache=cache) as found:
        yield found


Connect = Callable[[Gate], openai.OpenAI]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Clients as libraries make them, with the SDK's own retries."""
    made: list[openai.OpenAI] = []

    def client(gate: Gate) -> openai.OpenAI:
        told = gate.models()
        way = told.get("internal") or told["embed"]
        made.append(openai.OpenAI(base_url=way["base_url"], api_key=way["api_key"], max_retries=2, timeout=60))
        return made[-1]

    yield client
    for each in made:
        each.close()


def ask(client: openai.OpenAI, text: str = "Where is the kettle?", **more: Any) -> Any:
    return client.chat.completions.create(model="whatever", messages=[{"role": "user", "content": text}], **more)


def reply_text(client: openai.OpenAI, text: str = "Where is the kettle?", **more: Any) -> Any:
    return ask(client, text, **more).choices[0].message.content


def refused(client: openai.OpenAI, text: str = "Where is the kettle?", **more: Any) -> openai.APIStatusError:
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, text, **more)
    return caught.value


# ---------------------------------------------------------------------- passing on


def test_a_request_is_passed_on_as_it_is_with_the_users_model_and_key(models: SystemModels, connect: Connect) -> None:
    with ModelServer(lambda _, body: says('{"facts": []}')) as endpoint:
        client = connect(models.gate(internal=f"{endpoint.url}#real-model"))
        asked = {
            "messages": [{"role": "system", "content": "Keep."}, {"role": "user", "content": [text_part("Odo rows")]}],
            "temperature": 0.3,
            "max_completion_tokens": 77,
            "tools": [TOOL],
            "tool_choice": "auto",
            "response_format": {"type": "json_schema", "json_schema": {"name": "f", "schema": {"type": "object"}}},
            "stop": ["END"],
            "extra_thing": {"kept": True},
        }
        extra = {"extra_thing": asked["extra_thing"]}
        typed: Any = {name: value for name, value in asked.items() if name != "extra_thing"}
        reply = client.chat.completions.create(model="library-model", **typed, extra_body=extra)
    assert reply.choices[0].message.content == '{"facts": []}'
    assert endpoint.bodies == [{**asked, "model": "real-model"}]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def test_settings_of_the_user_go_before_the_librarys_and_others_stay(models: SystemModels, connect: Connect) -> None:
    with ModelServer(lambda _, body: says("yes")) as endpoint:
        spec = f"{endpoint.spec}?temperature=0&seed=7&reasoning_effort=low&max_tokens=50"
        ask(connect(models.gate(internal=spec)), temperature=0.9, top_p=0.5, max_tokens=2000)
        ask(connect(models.gate(internal=endpoint.spec)), temperature=0.9, top_p=0.5, max_tokens=2000)
    sent = [{name: value for name, value in body.items() if name != "messages"} for body in endpoint.bodies]
    assert sent == [
        {
            "model": "served-model",
            "temperature": 0.0,
            "top_p": 0.5,
            "seed": 7,
            "reasoning_effort": "low",
            "max_tokens": 50,
        },
        {"model": "served-model", "temperature": 0.9, "top_p": 0.5, "max_tokens": 2000},
    ]


def test_sync_and_async_clients_in_many_threads(server: StubServer, models: SystemModels, connect: Connect) -> None:
    gate = models.gate(internal=f"{server.url}#small")
    client = connect(gate)

    async def many(thread: int) -> list[Any]:
        async with openai.AsyncOpenAI(base_url=gate.url, api_key="any", max_retries=0) as other:
            asked = (
                other.chat.completions.create(model="x", messages=[{"role": "user", "content": f"{thread} async {n}"}])
                for n in range(10)
            )
            return [reply.choices[0].message.content for reply in await asyncio.gather(*asked)]

    def work(thread: int) -> list[Any]:
        return [reply_text(client, f"{thread} sync {n}") for n in range(10)] + asyncio.run(many(thread))

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(work, range(4)))
    assert found == [[f"{t} {kind} {n}" for kind in ("sync", "async") for n in range(10)] for t in range(4)]
    assert gate.usage.calls == server.count(ok=True) == 80
    assert gate.usage.input_tokens == models.ledger.snapshot()["roles"]["internal"]["internal"]["input_tokens"] > 0


def test_tools_and_parsed_schemas_work_through_it(server: StubServer, models: SystemModels, connect: Connect) -> None:
    def script(request: Request) -> Any:
        return Reply(tools=(("keep", {"fact": "Odo rows"}),)) if request.tools else {"facts": ["Odo rows"]}

    server.script = script
    client = connect(models.gate(internal=f"{server.url}#small"))
    called = ask(client, tools=[TOOL]).choices[0]
    assert called.finish_reason == "tool_calls"
    assert json.loads(called.message.tool_calls[0].function.arguments) == {"fact": "Odo rows"}
    parsed = client.chat.completions.parse(
        model="x", messages=[{"role": "user", "content": "?"}], response_format=Facts
    )
    assert parsed.choices[0].message.parsed == Facts(facts=["Odo rows"])
    assert client.models.list().data[0].id == "small"
    assert client.models.retrieve("small").id == "small"


def test_half_a_character_does_no_harm(server: StubServer, models: SystemModels) -> None:
    gate = models.gate(internal=f"{server.url}#small")
    body = b'{"model": "x", "messages": [{"role": "user", "content": "broken \\ud83d emoji"}]}'
    status, reply = post(gate, "/chat/completions", body)
    assert status == 200
    assert reply["choices"][0]["message"]["content"].startswith("broken ")


# ---------------------------------------------------------------------- streams


def test_a_stream_says_the_same(server: StubServer, models: SystemModels, connect: Connect) -> None:
    gate = models.gate(internal=f"{server.url}#small")
    client = connect(gate)
    chunks = list(ask(client, "one two three", stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "one two three"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.prompt_tokens > 0
    assert not any(chunk.usage for chunk in ask(client, "one two three", stream=True))
    assert "stream" not in server.requests[-1].body
    assert reply_text(client, "one two three") == "one two three"
    assert server.count(path="/chat/completions") == 1, "whole or as a stream, it is the same question"

    async def streamed() -> str:
        async with openai.AsyncOpenAI(base_url=gate.url, api_key="any") as other:
            messages: Any = [{"role": "user", "content": "one two three"}]
            async with other.chat.completions.stream(model="x", messages=messages) as stream:
                async for _ in stream:
                    pass
                return (await stream.get_final_completion()).choices[0].message.content or ""

    assert asyncio.run(streamed()) == "one two three"


def test_tool_calls_come_as_a_stream(server: StubServer, models: SystemModels, connect: Connect) -> None:
    server.script = lambda _: Reply(tools=(("keep", {"fact": "a"}), ("keep", {"fact": "b"})))
    client = connect(models.gate(internal=f"{server.url}#small"))
    with client.chat.completions.stream(
        model="x",
        messages=[{"role": "user", "content": "?"}],
        tools=[TOOL],  # type: ignore[list-item]
    ) as stream:
        final = stream.get_final_completion().choices[0]
    assert final.finish_reason == "tool_calls"
    assert [json.loads(c.function.arguments)["fact"] for c in final.message.tool_calls or ()] == ["a", "b"]


def test_responses_go_through_whole_and_as_a_stream(server: StubServer, models: SystemModels, connect: Connect) -> None:
    gate = models.gate(internal=f"{server.url}#small?max_tokens=400&reasoning_effort=low")
    client = connect(gate)
    whole = client.responses.create(model="x", input="well then")
    assert whole.output_text == "well then"
    with client.responses.stream(model="x", input="well then") as stream:
        kinds = [event.type for event in stream]
        assert stream.get_final_response().output_text == "well then"
    assert "response.output_text.delta" in kinds
    assert server.count(path="/responses") == 1
    assert server.requests[0].body["max_output_tokens"] == 400
    assert server.requests[0].body["reasoning"] == {"effort": "low"}
    assert gate.usage.calls == gate.usage.cached == 1
    assert gate.usage.output_tokens == 2
    assert gate.scripted


@pytest.mark.usefixtures("no_pauses")
def test_an_endpoint_without_responses_still_chats(models: SystemModels, connect: Connect) -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        return says("here") if "messages" in body else error(404, "Not Found")

    with ModelServer(decide) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        client = connect(gate)
        with pytest.raises(openai.NotFoundError):
            client.responses.create(model="x", input="anyone?")
        assert reply_text(client) == "here"
        [trouble] = gate.troubles()
        assert "404" in trouble


# ---------------------------------------------------------------------- counted, kept, joined


def test_each_gate_counts_its_own_and_the_cache_serves_all(
    server: StubServer, models: SystemModels, connect: Connect
) -> None:
    spec = f"{server.url}#small"
    gates = [models.gate(internal=spec) for _ in range(3)]
    for gate in gates[:2]:
        assert reply_text(connect(gate), "the same") == "the same"
    reply_text(connect(gates[1]), "another")
    assert [(gate.usage.calls, gate.usage.cached) for gate in gates] == [(1, 0), (1, 1), (0, 0)]
    assert gates[0].usage.dollars == 0.0
    assert server.count() == 2
    assert [gate.scripted for gate in gates] == [True, True, False]
    again = models.gate(internal=spec)
    reply_text(connect(again), "the same")
    assert again.scripted, "also where the reply comes from the cache"
    assert reply_text(connect(models.gate(internal=spec, repeat=1)), "the same") == "the same"
    assert server.count() == 3


def test_the_same_request_under_way_is_joined(server: StubServer, models: SystemModels, connect: Connect) -> None:
    gate = models.gate(internal=f"{server.url}#small")
    client = connect(gate)
    with ThreadPoolExecutor(6) as threads:
        with server.held():
            asked = [threads.submit(reply_text, client, "at once") for _ in range(6)]
            assert server.wait_for(1)
        assert {each.result() for each in asked} == {"at once"}
    assert server.count() == 1
    assert (gate.usage.calls, gate.usage.cached) == (1, 5)


def test_a_library_that_hung_up_finds_its_answer_later(
    server: StubServer, models: SystemModels, connect: Connect
) -> None:
    gate = models.gate(internal=f"{server.url}#small")
    where = urlsplit(gate.url)
    body = {"model": "whatever", "messages": [{"role": "user", "content": "slowly"}]}
    with server.held():
        hasty = http.client.HTTPConnection(where.hostname or "", where.port)
        hasty.request("POST", f"{where.path}/chat/completions", json.dumps(body))
        assert server.wait_for(1)
        hasty.close()
    assert reply_text(connect(gate), "slowly") == "slowly"
    assert server.count() == 1


def test_a_real_model_is_not_scripted(models: SystemModels, connect: Connect) -> None:
    with ModelServer(lambda _, body: says("yes")) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        assert reply_text(connect(gate)) == "yes"
    assert not gate.scripted


def test_a_cached_reply_does_not_wait_for_the_endpoint(
    server: StubServer, models: SystemModels, connect: Connect
) -> None:
    client = connect(models.gate(internal=f"{server.url}#small"))
    assert reply_text(client, "once") == "once"
    with server.held():
        assert reply_text(client, "once") == "once"
    assert server.count() == 1


# ---------------------------------------------------------------------- trouble


def test_what_the_endpoint_refuses_reaches_the_library_and_memtriage(models: SystemModels, connect: Connect) -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        return error(400, f"This was flagless nonsense, {KEY}.", code="nonsense")

    with ModelServer(decide) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        problem = refused(connect(gate))
        assert endpoint.count == 1, "neither side tries again"
    assert isinstance(problem, openai.BadRequestError)
    assert problem.code == "nonsense"
    assert "flagless nonsense" in str(problem)
    assert KEY not in str(problem)
    [trouble] = gate.troubles()
    assert trouble.startswith("bad_request: ")
    assert KEY not in trouble
    assert gate.troubles() == []
    assert gate.usage.errors == 1
    assert gate.usage.calls == 0


@pytest.mark.parametrize(
    ("faults", "kind", "status", "trouble"),
    [
        (Faults(key="sk-another-key"), openai.AuthenticationError, 401, "auth"),
        (Faults(models=("other",)), openai.NotFoundError, 404, "unknown_model"),
        (Faults(context=5), openai.BadRequestError, 400, "context"),
    ],
)
def test_the_status_is_the_endpoints(
    server: StubServer, models: SystemModels, connect: Connect, faults: Faults, kind: type, status: int, trouble: str
) -> None:
    server.faults = faults
    gate = models.gate(internal=f"{server.url}#small")
    client = connect(gate)
    for _ in range(2):
        problem = refused(client, "a prompt that is longer than five tokens")
        assert isinstance(problem, kind)
        assert problem.status_code == status
    assert [each.partition(":")[0] for each in gate.troubles()] == [trouble, trouble]
    assert gate.usage.errors == 2


def test_a_limit_on_cost_stops_a_library_too(
    server: StubServer, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("own.json").write_text(json.dumps({"dear": {"input": 100_000, "output": 100_000}}))
    monkeypatch.setenv("MEMTRIAGE_PRICES", "own.json")
    ledger = Ledger(max_cost=Decimal(5))
    with SystemModels(cache=None, ledger=ledger) as models:
        gate = models.gate(internal=f"{server.url}#dear")
        client = connect(gate)
        outcomes = [_status(client, f"line {n}") for n in range(20)]
        assert outcomes[0] == 200
        assert outcomes[-1] == 402
        assert 0 < ledger.spent <= 5
        assert gate.usage.dollars == float(ledger.spent)
        assert {each.partition(":")[0] for each in gate.troubles()} == {"budget"}


def _status(client: openai.OpenAI, text: str) -> int:
    try:
        ask(client, text, max_tokens=4)
    except openai.APIStatusError as problem:
        return problem.status_code
    return 200


PASSING: list[FaultKind] = ["500", "429", "reset", "truncated", "malformed", "empty", "refusal", "html"]


@pytest.mark.usefixtures("no_pauses")
def test_passing_faults_never_reach_the_library(server: StubServer, models: SystemModels, connect: Connect) -> None:
    server.script = extract
    gate = models.gate(internal=f"{server.url}#small")
    client = connect(gate)

    def facts(text: str) -> Any:
        reply = reply_text(client, text, response_format={"type": "json_object"}, extra_body={"mark": text})
        return [fact["text"] for fact in json.loads(reply)["memory"]]

    reply_text(client, "the endpoint is there")
    server.faults = Faults(retry_after=0.01).first(1, PASSING)
    texts = [f"Odo rows on river number {n}." for n in range(len(PASSING))]
    with ThreadPoolExecutor(len(texts)) as threads:
        found = list(threads.map(facts, texts))
    assert found == [[text] for text in texts]
    assert server.count(fault="500") >= len(texts), "each fails with the first kind"
    for kind in PASSING[1:]:
        server.faults = Faults(retry_after=0.01).first(1, [kind])
        assert facts(f"Odo met {kind}.") == [f"Odo met {kind}."]
        assert server.count(fault=kind) == 1
    assert gate.troubles() == []
    assert gate.usage.errors == 0


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (says(""), "empty"),
        (says("no JSON at all"), "malformed"),
        (says(None, refusal="I won't."), "refusal"),
        (says('{"facts": ["cut', finish="length"), "malformed"),
        (says("", finish="length"), "empty"),
    ],
)
def test_a_bad_reply_that_stays_bad_is_the_librarys_and_told(
    models: SystemModels, connect: Connect, answer: Answer, trouble: str
) -> None:
    with ModelServer(lambda _, body: answer) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        client = connect(gate)
        reply = ask(client, response_format={"type": "json_object"})
        asked = endpoint.count
        assert reply.choices[0].finish_reason == answer.body["choices"][0]["finish_reason"]
        assert reply.choices[0].message.content == answer.body["choices"][0]["message"]["content"]
        assert asked == (1 if "length" in json.dumps(answer.body) else 3)
        [told] = gate.troubles()
        assert told.startswith(f"{trouble}: ")
        assert gate.usage.errors == 1
        assert gate.usage.input_tokens == 11 * asked, "bad replies are paid for, too"
        ask(client, response_format={"type": "json_object"})
        assert endpoint.count == 2 * asked, "a bad reply is not kept"


def test_prose_is_nobodys_business(models: SystemModels, connect: Connect) -> None:
    with ModelServer(lambda _, body: says("no JSON at all")) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        assert reply_text(connect(gate)) == "no JSON at all"
        assert endpoint.count == 1
    assert gate.troubles() == []


# ---------------------------------------------------------------------- what endpoints don't take


def test_parameters_an_endpoint_refuses_are_put_another_way(models: SystemModels, connect: Connect) -> None:
    def newer(_: int, body: Mapping[str, Any]) -> Answer:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
            return error(400, words, code="unsupported_parameter")
        if body.get("temperature", 1) != 1:
            words = "Unsupported value: 'temperature' does not support 0.1. Only the default (1) value is supported."
            return error(400, words, code="unsupported_value")
        if "presence_penalty" in body:
            return error(400, "Unsupported parameter: 'presence_penalty' is not supported with this model.")
        return says("fine")

    with ModelServer(newer) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        client = connect(gate)
        assert reply_text(client, temperature=0.1, max_tokens=100, presence_penalty=0.5) == "fine"
        assert endpoint.count == 4
        assert reply_text(client, "more", temperature=0.1, max_tokens=200) == "fine"
        assert endpoint.count == 5, "it is learned once"
        assert endpoint.bodies[-1]["max_completion_tokens"] == 200
    assert gate.troubles() == []
    assert any("temperature" in note for note in models.notes)


@pytest.mark.parametrize(("json_object", "kind"), [(True, "json_object"), (False, None)])
def test_a_schema_an_endpoint_does_not_know_is_asked_for_in_words(
    server: StubServer, models: SystemModels, connect: Connect, json_object: bool, kind: str | None
) -> None:
    server.faults = Faults(json_schema=False, json_object=json_object)
    server.script = lambda _: 'Sure!\n```json\n{"facts": ["Odo rows"]}\n```'
    client = connect(models.gate(internal=f"{server.url}#small"))
    messages: Any = [{"role": "user", "content": "What is said?"}]
    reply = client.chat.completions.parse(model="x", messages=messages, response_format=Facts)
    assert reply.choices[0].message.parsed == Facts(facts=["Odo rows"])
    last = server.requests[-1].body
    assert last.get("response_format", {}).get("type") == kind
    assert last["messages"][0]["content"].startswith("What is said?")
    assert '"facts"' in last["messages"][0]["content"]


def test_a_schema_that_is_wrong_everywhere_is_the_librarys_to_mend(models: SystemModels, connect: Connect) -> None:
    words = "Invalid schema for response_format 'Facts': 'additionalProperties' is required to be supplied."
    with ModelServer(lambda _, body: error(400, words)) as endpoint:
        gate = models.gate(internal=endpoint.spec)
        form = {"type": "json_schema", "json_schema": {"name": "Facts", "schema": {"type": "object"}}}
        assert "additionalProperties" in str(refused(connect(gate), response_format=form))
        assert endpoint.count == 1


# ---------------------------------------------------------------------- embeddings


def test_an_offline_embedder_is_served_in_either_encoding(models: SystemModels, connect: Connect) -> None:
    gate = models.gate(embed="wordllama")
    told = gate.models()
    assert told.keys() == {"embed"}
    assert (told["embed"]["model"], told["embed"]["dimensions"]) == ("wordllama", 256)
    client = connect(gate)
    texts = ["a violin in the attic", "two kettles"]
    expected = WordLlamaEmbedder().embed(texts)
    asked: list[Any] = [{}, {"encoding_format": "float"}, {"encoding_format": "base64"}, {"dimensions": 256}]
    for more in asked:
        reply = client.embeddings.create(model="x", input=texts, **more)
        found = [_floats(each.embedding) for each in sorted(reply.data, key=lambda each: each.index)]
        assert np.allclose(found, expected, atol=1e-6)
    tokens = [encoded(text) for text in texts]
    assert reply.usage.prompt_tokens == sum(map(len, tokens))
    numbers = client.embeddings.create(model="x", input=tokens, encoding_format="float")
    assert np.allclose([each.embedding for each in numbers.data], expected, atol=1e-6)
    assert gate.usage.calls == 0
    assert gate.troubles() == []


def _floats(embedding: Any) -> Any:
    return embedding if isinstance(embedding, list) else np.frombuffer(base64.b64decode(embedding), dtype=np.float32)


def test_a_size_that_does_not_fit_is_refused_with_the_size_that_does(models: SystemModels, connect: Connect) -> None:
    gate = models.gate(embed="wordllama")
    with pytest.raises(openai.BadRequestError, match="vectors of 256 numbers, not 1536"):
        connect(gate).embeddings.create(model="x", input="a", dimensions=1536)
    [trouble] = gate.troubles()
    assert "--embed" in trouble


def test_an_endpoints_vectors_go_through_the_cache(server: StubServer, models: SystemModels, connect: Connect) -> None:
    spec = f"{server.url}#vectors"
    first, second = models.gate(embed=spec), models.gate(embed=spec)
    assert first.models()["embed"]["dimensions"] == 1536
    one = connect(first).embeddings.create(model="x", input=["red boat", "blue boat"], dimensions=1536)
    asked = server.count()
    two = connect(second).embeddings.create(model="x", input=["blue boat", "red boat"])
    assert server.count() == asked
    assert [each.embedding for each in one.data] == [each.embedding for each in reversed(two.data)]
    assert "dimensions" not in server.requests[-1].body, "the size that it has anyway is not asked for"
    assert (first.usage.calls, second.usage.calls) == (1, 0)
    assert second.usage.cached == 2
    assert models.ledger.snapshot()["roles"].keys() == {"embed"}
    short = connect(second).embeddings.create(model="x", input="red boat", dimensions=64)
    assert len(short.data[0].embedding) == 64
    assert len(connect(second).embeddings.create(model="x", input="red boat").data[0].embedding) == 1536


def test_an_embedder_that_raises_is_an_error_of_that_call(
    models: SystemModels, connect: Connect, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    name, dimensions = 'mine', 3\n    def embed(self, texts):\n        raise OSError('no disk')\n"
    )
    gate = models.gate(embed=f"{tmp_path / 'mine.py'}:Mine")
    with pytest.raises(openai.InternalServerError, match="no disk"):
        connect(gate).embeddings.create(model="x", input="a")
    [trouble] = gate.troubles()
    assert "no disk" in trouble
    assert gate.usage.errors == 1


@pytest.mark.parametrize("given", [[], "null", [[1, -2]], [["a"]], [1, None], {"a": 1}, [[10**9]]])
def test_an_input_that_is_no_text_is_refused(models: SystemModels, given: Any) -> None:
    gate = models.gate(embed="wordllama")
    body = json.dumps({"model": "x", "input": None if given == "null" else given}).encode()
    status, reply = post(gate, "/embeddings", body)
    assert status == 400
    assert "input" in reply["error"]["message"]


# ---------------------------------------------------------------------- who may ask, and what


def post(gate: Gate, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
    where = urlsplit(gate.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    try:
        connection.request("POST", where.path + path, body, headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def test_only_who_knows_the_address_gets_through(server: StubServer, models: SystemModels, connect: Connect) -> None:
    gate, other = models.gate(internal=f"{server.url}#small"), models.gate(internal=f"{server.url}#small")
    client = connect(gate)
    stranger = client.with_options(base_url=gate.url.replace(gate.token, "guessed"))
    with pytest.raises(openai.AuthenticationError):
        ask(stranger)
    assert gate.token != other.token
    assert reply_text(client, "before") == "before"
    gate.close()
    with pytest.raises(openai.AuthenticationError):
        ask(client)
    assert reply_text(connect(other), "after") == "after"
    assert server.count() == 2


def test_it_listens_on_the_loopback_address_alone(server: StubServer, models: SystemModels) -> None:
    where = urlsplit(models.gate(internal=f"{server.url}#small").url)
    assert where.hostname == "127.0.0.1"
    with socket.create_connection(("127.0.0.1", where.port or 0), timeout=60):
        pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", where.port or 0), timeout=60)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{not json", "not JSON"),
        (b'{"messages": NaN}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"{}", "messages"),
        (b'{"messages": ["hello"]}', "messages"),
    ],
)
def test_what_is_no_request_is_refused(server: StubServer, models: SystemModels, body: bytes, words: str) -> None:
    gate = models.gate(internal=f"{server.url}#small")
    status, reply = post(gate, "/chat/completions", body)
    assert status == 400
    assert words in reply["error"]["message"]
    assert len(gate.troubles()) == gate.usage.errors == 1
    assert server.count() == 0


def test_a_body_without_end_is_not_read(server: StubServer, models: SystemModels) -> None:
    where = urlsplit(models.gate(internal=f"{server.url}#small").url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=60) as line:
        head = (
            f"POST {where.path}/chat/completions HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: {65 << 20}\r\n\r\n"
        )
        line.sendall(head.encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_what_was_not_named_or_is_not_served_is_told(
    server: StubServer, models: SystemModels, connect: Connect
) -> None:
    chatting, embedding = models.gate(internal=f"{server.url}#small"), models.gate(embed="wordllama")
    with pytest.raises(openai.BadRequestError, match="--embed"):
        connect(chatting).embeddings.create(model="x", input="a")
    assert "--internal" in str(refused(connect(embedding)))
    with pytest.raises(openai.NotFoundError, match="not served"):
        connect(chatting).moderations.create(input="a")
    assert [len(gate.troubles()) for gate in (chatting, embedding)] == [2, 1]
    for spec in ("offline", "nonsense"):
        with pytest.raises(BadInput):
            models.gate(internal=spec)


def test_a_library_is_told_where_the_endpoint_is_openais_own(
    models: SystemModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some libraries have a client of their own for it, and nothing is asked to find out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert models.gate("openai/gpt-4.1-mini").models()["internal"]["provider"] == "openai"
    assert "provider" not in models.gate("http://127.0.0.1:9/v1#gpt-4.1-mini").models()["internal"]
