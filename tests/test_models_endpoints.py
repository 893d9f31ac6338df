"""Endpoints as real ones behave: strict, forgetful, stingy, or with a format of their own; none makes a call fail."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import openai
import pytest
from pydantic import BaseModel

import strict_servers as strict
from memtriage import api
from memtriage.config import Limits
from memtriage.core.chat import Call, Message, ModelError, Reply, Schema, Tokens
from memtriage.core.errors import BadInput
from memtriage.models.cache import Cache
from memtriage.models.client import Client
from memtriage.models.endpoint import TIMEOUT, TIMEOUT_HERE
from memtriage.models.ledger import Ledger
from memtriage.models.openai_format import assembled, usage_in
from memtriage.models.prices import price
from memtriage.models.request import Capabilities
from memtriage.models.scripted import Reply as Said
from memtriage.models.scripted import Request, StubServer, content
from memtriage.models.spec import ModelSpec
from memtriage.models.structured import description
from memtriage.models.system_models import SystemModels
from model_server import Answer, ModelServer, says
from strict_servers import KEY, StrictServer

T = TypeVar("T")

VERDICT = Schema(
    "verdict",
    {
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}, "reason": {"type": "string"}},
        "required": ["verdict", "reason"],
    },
)
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
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
    for name in ("MEMTRIAGE_PRICES", "AWS_REGION", "AWS_DEFAULT_REGION", "OPENAI_API_VERSION", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def reach(monkeypatch: pytest.MonkeyPatch) -> Callable[[StrictServer], str]:
    """How a user names the model of a server, once the variables are set that lead there."""

    def spec(server: StrictServer) -> str:
        if isinstance(server, strict.Anthropic | strict.Gemini | strict.Bedrock):
            address, key = server.variables
            monkeypatch.setenv(address, server.root)
            monkeypatch.setenv(key, KEY)
        return server.spec

    return spec


Reach = Callable[[StrictServer], str]


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def question(text: str = "Where is the kettle?", schema: Schema | None = None, **more: Any) -> Call:
    return Call("answer", "answer", (Message("system", "Be brief."), Message("user", text)), schema, **more)


def ask(spec: str, *calls: Call, **options: Any) -> list[Reply | ModelError]:
    """What comes of these calls, made at once by one client."""

    async def work() -> list[Any]:
        async with Client(spec, **{"backoff": 0.001, **options}) as client:
            return await asyncio.gather(*(client.ask(call) for call in calls), return_exceptions=True)

    found = run(work())
    for each in found:
        if isinstance(each, BaseException) and not isinstance(each, ModelError):
            raise each
    return found


def judge(request: Request) -> str:
    """Says yes in whatever format was asked for."""
    return json.dumps({"verdict": "yes", "reason": "seen"}) if request.schema is not None else "in the pantry"


# ---------------------------------------------------------------------- a response_format that is ignored


def test_an_endpoint_that_ignores_the_format_is_told_the_schema_for_good() -> None:
    calls = [question(f"Is kettle {n} stored?", VERDICT) for n in range(36)]
    with strict.IgnoresFormat(judge) as server:

        async def work() -> list[Reply]:
            async with Client(server.spec, backoff=0.001) as client:
                found = [await client.ask(call) for call in calls]
                assert len(client.notes) == 1
                assert "takes a response_format and ignores it" in client.notes[0]
                return found

        replies = run(work())
    assert [reply.data for reply in replies] == [{"verdict": "yes", "reason": "seen"}] * 36
    # Twice it took another try to learn it; then every prompt tells the schema.
    assert server.count == 38
    assert all(strict.tells_schema(body) for body in server.bodies[4:])


def test_one_bad_reply_among_good_ones_changes_nothing_for_the_others() -> None:
    bad = iter([3, 25])
    wrong = next(bad)

    def decide(number: int, body: Mapping[str, Any]) -> Any:
        return says("prose" if number == wrong else json.dumps({"verdict": "yes", "reason": "seen"}))

    with ModelServer(decide) as server:
        replies = ask(server.spec, *(question(f"Is kettle {n} stored?", VERDICT) for n in range(30)), ceiling=1)
    assert all(isinstance(reply, Reply) for reply in replies)
    assert [strict.tells_schema(body) for body in server.bodies].count(True) == 1


def test_a_library_gets_its_json_from_an_endpoint_that_ignores_the_format(tmp_path: Path) -> None:
    def facts(request: Request) -> str:
        return json.dumps({"facts": [request.last_user.partition("\n")[0]]})

    with (
        strict.IgnoresFormat(facts) as server,
        SystemModels(cache=None) as models,
        models.gate(internal=server.spec) as gate,
        openai.OpenAI(base_url=gate.url, api_key=gate.token, max_retries=0) as library,
    ):
        for n in range(20):
            messages: Any = [{"role": "user", "content": f"Ann has {n} cats."}]
            reply = library.chat.completions.parse(model="any", messages=messages, response_format=Facts)
            assert reply.choices[0].message.parsed == Facts(facts=[f"Ann has {n} cats."])
        assert gate.troubles() == []
    assert server.count == 22


def test_a_reply_of_another_shape_is_asked_for_again_and_in_the_end_left_to_the_library() -> None:
    with (
        ModelServer(lambda *_: says('{"memories": []}')) as server,
        SystemModels(cache=None) as models,
        models.gate(internal=server.spec) as gate,
        openai.OpenAI(base_url=gate.url, api_key=gate.token, max_retries=0) as library,
    ):
        wanted: Any = {"type": "json_schema", "json_schema": {"name": "facts", "schema": Facts.model_json_schema()}}
        messages: Any = [{"role": "user", "content": "Ann has a cat."}]
        reply = library.chat.completions.create(model="any", messages=messages, response_format=wanted)
        assert reply.choices[0].message.content == '{"memories": []}'
        assert gate.troubles() == []
    assert [strict.tells_schema(body) for body in server.bodies] == [False, True, True]


def test_groqs_own_check_of_the_reply_is_tried_again() -> None:
    with strict.Groq(judge) as server:
        replies = ask(server.spec, *(question(f"Is kettle {n} stored?", VERDICT) for n in range(20)))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert server.rejected


# ---------------------------------------------------------------------- prompts that are cut


def test_a_prompt_that_was_cut_is_an_error_with_the_remedy_and_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    long = "the violin of Marta is in the attic " * 500
    with strict.CutsPrompts(judge, window=2048) as server:
        found = ask(server.spec, question("short"), *(question(f"{n} {long}") for n in range(5)))
    assert isinstance(found[0], Reply)
    for each in found[1:]:
        assert isinstance(each, ModelError)
        assert each.trouble == "context"
        assert "read only 2048 of about 4" in str(each)
        assert "OLLAMA_CONTEXT_LENGTH" in str(each)
    assert [record.message for record in caplog.records if "cuts prompts" in record.message] != []
    assert len([record for record in caplog.records if "cuts prompts" in record.message]) == 1


def test_a_window_that_cuts_only_the_ends_is_found_by_the_number_that_comes_again() -> None:
    """2,100 tokens in a window of 2,048 are not fewer than the words; three prompts that end at 2,048 are a window."""
    texts = ["the violin of Marta is in the attic " * 260 + "and so on " * n for n in range(6)]
    with strict.CutsPrompts(judge, window=2048) as server:
        found = ask(server.spec, *(question(text) for text in texts), ceiling=1)
    assert [isinstance(each, ModelError) for each in found] == [False, False, True, True, True, True]


SAMPLES = (
    "Marta keeps the violin in the attic, next to her grandmother's sewing machine. " * 40,
    "玛尔塔把小提琴放在阁楼里，旁边是她祖母的缝纫机。" * 60,
    "मार्टा अपना वायलिन अटारी में, अपनी दादी की सिलाई मशीन के पास रखती है। " * 40,
    "Марта держит скрипку на чердаке, рядом со швейной машинкой бабушки. " * 40,
    '{"id": "m1", "text": "Marta keeps the violin in the attic.", "session": 12}\n' * 40,
    "https://example.org/a/b?c=d def f(x): return x[1:-1] + 3.14159\n" * 40,
)


@pytest.mark.parametrize("text", SAMPLES)
def test_another_tokenizer_never_looks_like_a_cut(text: str) -> None:
    """One token a word between blanks is the least that a tokenizer makes; three quarters of that still pass."""
    capabilities = Capabilities.expected(ModelSpec.parse("ollama/any"))
    words, counted = len(text.split()), len(text)
    for tokens in range(max(256, words), counted, 7):
        assert capabilities.cut_prompt([text], tokens, counted) is None
    assert capabilities.cut_prompt([text], max(1, int(words * 0.76)), counted) is None
    assert capabilities.notes == []


def test_who_reports_next_to_nothing_does_not_count_and_cuts_nothing() -> None:
    with ModelServer(lambda *_: says("fine")) as server:  # it says 11 tokens, whatever the prompt
        assert isinstance(ask(server.spec, question("word " * 3000))[0], Reply)


# ---------------------------------------------------------------------- what it took


def test_thoughts_that_are_counted_apart_are_paid_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text('{"strict-1": {"input": 2, "cached": 0.5, "output": 10}}')
    ledger = Ledger(max_cost="1")
    with strict.XAI(lambda _: "in the pantry") as server:
        (reply,) = ask(server.spec, question(), ledger=ledger)
    assert isinstance(reply, Reply)
    total = ledger.snapshot()["total"]
    read, half = total["input_tokens"], total["cached_input_tokens"]
    assert half == read // 2
    assert (total["output_tokens"], total["reasoning_tokens"]) == (3 + 320, 320)
    # By hand: fresh input at 2, cached at 0.50, everything written at 10 dollars per million.
    dollars = Decimal(2 * (read - half) + 10 * 323) / 1_000_000 + Decimal("0.5") * half / 1_000_000
    assert ledger.spent == dollars


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}, Tokens(9, 2)),
        (
            {"prompt_tokens": 9, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}},
            Tokens(9, 5, reasoning=3),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 18}, Tokens(9, 9, reasoning=7)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}, Tokens(9, 2, cached=4)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "total_tokens": 111,
                "prompt_tokens_details": {"cached_tokens": 100},
            },
            Tokens(109, 2, cached=100),
        ),
        (
            {"input_tokens": 8, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 5}},
            Tokens(8, 1, cached=5),
        ),
        ({"prompt_tokens": 9}, None),
        ({"prompt_tokens": True, "completion_tokens": 1}, None),
    ],
)
def test_usage_is_read_in_every_form(usage: Mapping[str, Any], expected: Tokens | None) -> None:
    assert usage_in({"usage": usage}) == expected


def test_cached_input_has_its_own_price() -> None:
    spec = ModelSpec.parse("openai/gpt-4.1-mini")
    whole, half = price(spec, Tokens(1000, 100)), price(spec, Tokens(1000, 100, cached=500))
    # 0.40 and 1.60 dollars per million; cached input is a quarter of it.
    assert (whole, half) == (Decimal("0.00056"), Decimal("0.00041"))


# ---------------------------------------------------------------------- what one learns, the others know


def test_a_parameter_that_is_refused_is_refused_a_few_times_only() -> None:
    calls = [question(f"Is kettle {n} stored?", VERDICT, max_tokens=300, temperature=0) for n in range(100)]
    with StrictServer(judge, reasoning=True) as server:
        replies = ask(server.spec, *calls)
    assert all(isinstance(reply, Reply) for reply in replies)
    # Four calls are sent at once at first, and there are two things to learn.
    assert len(server.rejected) <= 8


def test_a_judge_is_asked_at_temperature_zero_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    with StrictServer(judge) as server, Cache(tmp_path / "calls.sqlite") as cache:
        ask(server.spec, question(temperature=0), cache=cache)
        ask(f"{server.spec}?temperature=0.7", question(temperature=0), cache=cache)
        ask(server.spec, question(), cache=cache)
    assert [body.get("temperature") for body in server.bodies] == [0, 0.7, None]


# ---------------------------------------------------------------------- addresses, headers, fields, time


def test_azure_is_asked_in_its_own_way() -> None:
    with strict.Azure(judge) as server:
        (reply,) = ask(server.spec, question("Is it stored?", VERDICT))
        assert isinstance(reply, Reply), reply
        assert ModelSpec.parse(server.spec).label == server.spec


def test_azure_by_name_needs_its_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with pytest.raises(BadInput, match="AZURE_OPENAI_ENDPOINT"):
        Client("azure/gpt-4o")
    with strict.Azure(judge) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1"))
        assert ModelSpec.parse("azure/mine").base_url == f"{server.url.removesuffix('/v1')}/openai/v1"
        monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
        assert isinstance(ask("azure/mine", question())[0], Reply)


def test_fields_and_headers_of_the_users_own_are_sent_and_secrets_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "t0ken-from-the-environment")
    settings = (
        "?extra.enable_thinking=false&extra.chat_template_kwargs.deep=[1,2]&extra.top_k=40&extra.note=a%26b"
        "&header.X-Title=s3cret-title&header.X-Token=$MY_TOKEN"
    )
    with ModelServer(lambda *_: says("fine")) as server:
        spec = ModelSpec.parse(server.spec.replace("/v1#", "/v1?code=hush-hush#") + settings)
        assert isinstance(ask(spec, question())[0], Reply)  # type: ignore[arg-type]
    sent = server.bodies[0]
    assert (sent["enable_thinking"], sent["chat_template_kwargs"], sent["top_k"], sent["note"]) == (
        False,
        {"deep": [1, 2]},
        40,
        "a&b",
    )
    assert (server.headers[0]["x-title"], server.headers[0]["x-token"]) == (
        "s3cret-title",
        "t0ken-from-the-environment",
    )
    assert server.paths == ["/v1/chat/completions?code=hush-hush"]
    shown = spec.label + repr(spec) + spec.endpoint + str(spec)
    assert "s3cret" not in shown
    assert "hush" not in shown
    assert "header.X-Title=***&header.X-Token=$MY_TOKEN" in spec.label
    assert "extra.note=a%26b" in spec.label
    again = ModelSpec.parse(spec.label)
    assert again.hides_something
    assert again.settings.extra == spec.settings.extra


def test_a_run_never_writes_a_header_down(tmp_path: Path) -> None:
    with StrictServer() as server:
        spec = f"{server.spec}?header.X-Token=s3cret-value"
        found = api.run(
            "bm25",
            suite="memfail/coexisting",
            rows=2,
            k=[5],
            answer=spec,
            out=tmp_path / "run",
            limits=Limits(cache=tmp_path / "c.db"),
        )
        assert found.errors == 0
        assert all(headers["x-token"] == "s3cret-value" for headers in server.headers)
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or b"s3cret" not in path.read_bytes()
    with pytest.raises(BadInput, match="not kept on disk"):
        api.resume(tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("openai/m?extra.=1", "extra.NAME=value"),
        ("openai/m?extra.a=1&extra.a=2", "each name once"),
        ("openai/m?extra.a=1&extra.a.b=2", "each name once"),
        ("openai/m?header.X-A=a%0Ab", "header.NAME=value"),
        ("http://host/v1?extra.a=1#m", "behind the model"),
    ],
)
def test_fields_that_cannot_be_sent_are_explained(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        ModelSpec.parse(text)
    assert told in str(caught.value)


def test_a_variable_that_is_not_set_is_told() -> None:
    with pytest.raises(BadInput, match="the variable NOT_THERE is not set"):
        Client("http://127.0.0.1:9/v1#m?header.X-A=$NOT_THERE")


def test_a_model_has_the_time_to_think() -> None:
    async def seconds(spec: str) -> float:
        async with Client(spec) as client:
            return client.endpoint.timeout

    assert run(seconds("http://127.0.0.1:9/v1#m")) == TIMEOUT_HERE == 1800
    assert run(seconds("http://192.0.2.1:9/v1#m")) == TIMEOUT == 600
    assert run(seconds("http://127.0.0.1:9/v1#m?timeout=5")) == 5


def test_the_http_library_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), ModelServer(lambda *_: says("fine")) as server:
        ask(server.spec, *(question(str(n)) for n in range(5)))
    assert [record.name for record in caplog.records] == []


# ---------------------------------------------------------------------- streams


def test_an_endpoint_that_only_streams_is_asked_for_a_stream() -> None:
    with strict.OnlyStreams(judge) as server:
        replies = ask(server.spec, *(question(f"Is kettle {n} stored?", VERDICT) for n in range(20)))
    assert [reply.data for reply in replies if isinstance(reply, Reply)] == [{"verdict": "yes", "reason": "seen"}] * 20
    assert len(server.rejected) <= 4


def test_calls_of_tools_are_put_together_from_a_stream() -> None:
    pieces: Sequence[Mapping[str, Any]] = (
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "keep", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"fact": '}},
        {"index": 0, "function": {"arguments": '"tea"}'}},
    )
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in (*chunks, end))
    (call,) = assembled(events, "here")["choices"][0]["message"]["tool_calls"]
    assert call == {"id": "c1", "type": "function", "function": {"name": "keep", "arguments": '{"fact": "tea"}'}}
    for broken in (events[: len(events) // 2], "data: {", "data: 1\n"):
        with pytest.raises(ModelError, match="stream"):
            assembled(broken, "here")


# ---------------------------------------------------------------------- formats of their own

NATIVE = (strict.Anthropic, strict.Gemini, strict.Bedrock)


@pytest.mark.parametrize("kind", NATIVE)
def test_a_provider_with_a_format_of_its_own_answers_and_says_what_it_took(kind: Any, reach: Reach) -> None:
    ledger = Ledger()
    with kind(judge) as server:
        replies = ask(
            f"{reach(server)}?top_p=0.5&max_tokens=200",
            question(),
            question("Is it stored?", VERDICT),
            ledger=ledger,
        )
    assert server.rejected == []
    plain, judged = (reply for reply in replies if isinstance(reply, Reply))
    assert (plain.text, judged.data) == ("in the pantry", {"verdict": "yes", "reason": "seen"})
    total = ledger.snapshot()["total"]
    told = [server.answer(0, server.openai(body), server.reply(server.openai(body))).body for body in server.bodies]
    read, cached, said = (sum(column) for column in zip(*map(_taken, told), strict=True))
    assert (total["input_tokens"], total["cached_input_tokens"], total["output_tokens"]) == (read, cached, said)


def _taken(body: Mapping[str, Any]) -> tuple[int, int, int]:
    """Prompt, cached and written tokens by each provider's own words."""
    if "usageMetadata" in body:
        usage = body["usageMetadata"]
        said = usage["candidatesTokenCount"] + usage["thoughtsTokenCount"]
        return usage["promptTokenCount"], usage["cachedContentTokenCount"], said
    usage = body["usage"]
    if "inputTokens" in usage:
        return (
            usage["inputTokens"] + usage["cacheReadInputTokens"],
            usage["cacheReadInputTokens"],
            usage["outputTokens"],
        )
    cached = usage["cache_read_input_tokens"]
    return usage["input_tokens"] + cached, cached, usage["output_tokens"]


@pytest.mark.parametrize("kind", NATIVE)
def test_a_limit_on_calls_is_waited_out(kind: Any, reach: Reach) -> None:
    with kind(judge, busy=3) as server:
        (reply,) = ask(reach(server), question())
    assert isinstance(reply, Reply), reply
    assert server.count == 5  # three that were refused, a tiny one that was not, and the call again


@pytest.mark.parametrize("kind", NATIVE)
def test_a_library_can_use_its_tools_with_any_provider(kind: Any, reach: Reach) -> None:
    def script(request: Request) -> Said | str:
        if "kept" in request.messages[-1][1]:
            return "It is kept."
        return Said(tools=(("keep", {"fact": "tea"}),))

    with (
        kind(script) as server,
        SystemModels(cache=None) as models,
        models.gate(internal=reach(server)) as gate,
        openai.OpenAI(base_url=gate.url, api_key=gate.token, max_retries=0) as library,
    ):
        messages: list[Any] = [{"role": "system", "content": "Keep facts."}, {"role": "user", "content": "I like tea."}]
        tools: Any = [TOOL]
        first = library.chat.completions.create(model="any", messages=messages, tools=tools, seed=1, user="ann")
        (call,) = first.choices[0].message.tool_calls or ()
        assert first.choices[0].finish_reason == "tool_calls"
        assert (call.function.name, json.loads(call.function.arguments)) == ("keep", {"fact": "tea"})  # type: ignore[union-attr]
        messages += [first.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "kept"}]
        stream = library.chat.completions.create(model="any", messages=messages, tools=tools, stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices) == "It is kept."
        forced = library.chat.completions.create(
            model="any", messages=messages[:2], tools=tools, tool_choice="required"
        )
        assert forced.choices[0].message.tool_calls
        assert gate.troubles() == []
    assert server.rejected == []


@pytest.mark.parametrize("server", [strict.Anthropic(judge, thinks=True), strict.Bedrock(judge, tools=False)])
def test_a_model_that_cannot_be_forced_to_call_a_tool_is_told_the_schema(server: Any, reach: Reach) -> None:
    calls = [question(f"Is kettle {n} stored?", VERDICT, temperature=0) for n in range(12)]
    with server:
        replies = ask(reach(server), *calls)
    assert [reply.data for reply in replies if isinstance(reply, Reply)] == [{"verdict": "yes", "reason": "seen"}] * 12
    assert len(server.rejected) <= 8


@pytest.mark.parametrize("kind", NATIVE)
def test_a_key_that_is_wrong_stops_everything_and_is_not_shown(
    kind: Any, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kind(judge) as server:
        spec = reach(server)
        monkeypatch.setenv(server.variables[1], "wrong-key-98765")
        (found,) = ask(spec, question())
    assert isinstance(found, ModelError)
    assert found.trouble == "auth"
    assert "wrong-key" not in str(found)


def test_bedrock_requests_are_signed_where_there_is_no_key(monkeypatch: pytest.MonkeyPatch, reach: Reach) -> None:
    auth = pytest.importorskip("botocore.auth")
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    with strict.Bedrock(judge) as server:
        spec = reach(server)
        monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        (reply,) = ask(spec, question())
    assert isinstance(reply, Reply), reply
    headers = server.headers[0]
    # The server's own reckoning, from the path and the bytes as they arrived.
    body = server.raw[0]
    seen = AWSRequest("POST", server.root + server.paths[0], {"Content-Type": "application/json"}, body)
    seen.context["timestamp"] = headers["x-amz-date"]
    seen.headers["X-Amz-Date"] = headers["x-amz-date"]
    secret = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    signer = auth.SigV4Auth(secret, "bedrock", "eu-central-1")
    signature = signer.signature(signer.string_to_sign(seen, signer.canonical_request(seen)), seen)
    assert headers["authorization"].endswith(f"Signature={signature}")


def test_bedrock_without_key_and_without_botocore_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setattr("memtriage.models.keys.find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"AWS_BEARER_TOKEN_BEDROCK.*\.\[bedrock\]"):
        Client("bedrock/amazon.nova-lite-v1:0")


@pytest.mark.parametrize(
    ("spec", "dollars"),
    [
        ("anthropic/claude-haiku-4-5", "0.0015"),  # 1 and 5 dollars per million
        ("gemini/gemini-2.5-flash", "0.00055"),  # 0.30 and 2.50
        ("bedrock/amazon.nova-lite-v1:0", "0.000084"),  # 0.06 and 0.24
        ("azure/gpt-4.1-mini", "0.00056"),
    ],
)
def test_every_provider_has_prices(spec: str, dollars: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    assert price(ModelSpec.parse(spec), Tokens(1000, 100)) == Decimal(dollars)


@pytest.mark.parametrize("spec", ["anthropic/claude-haiku-4-5", "bedrock/amazon.nova-lite-v1:0"])
def test_a_provider_without_embeddings_says_so(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)
    with SystemModels(cache=None) as models, pytest.raises(ModelError, match="has no embeddings; name another model"):
        models.embedder(spec)


def test_geminis_embeddings_come_from_its_compatible_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.6, 0.8]}]}
    with ModelServer(lambda *_: Answer(vectors)) as server, SystemModels(cache=None) as models:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url.removesuffix("/v1"))
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        assert models.embedder("gemini/gemini-embedding-001").dimensions == 2
    assert server.paths == ["/v1beta/openai/embeddings"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


# ---------------------------------------------------------------------- whole runs

EVERY: dict[str, Callable[[], StrictServer]] = {
    "OpenAI": StrictServer,
    "OpenAI, reasoning": lambda: StrictServer(reasoning=True),
    "ignores response_format": strict.IgnoresFormat,
    "a window of 32k": lambda: strict.CutsPrompts(window=32768),
    "Azure": strict.Azure,
    "only streams": strict.OnlyStreams,
    "Groq": strict.Groq,
    "xAI": strict.XAI,
    "Anthropic": strict.Anthropic,
    "Anthropic, thinking": lambda: strict.Anthropic(thinks=True),
    "Gemini": lambda: strict.Gemini(busy=2),
    "Bedrock": lambda: strict.Bedrock(busy=2),
    "Bedrock, without tools": lambda: strict.Bedrock(tools=False),
}


def full_depth(spec: str, place: Path) -> api.Run:
    return api.run(
        "bm25",
        suite="memfail/coexisting",
        rows=18,
        k=[5],
        answer=spec,
        judge=spec,
        paper_exact=True,
        out=place / "run",
        limits=Limits(cache=place / "calls.sqlite"),
    )


def verdicts(found: api.Run) -> list[tuple[str, ...]]:
    return [(probe["system"], probe["probe"], probe["verdict"]) for probe in found.probes]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, ...]]:
    """The verdicts of the same run with an endpoint that takes everything."""
    with StubServer(content) as server:
        return verdicts(full_depth(f"{server.url}#any", tmp_path_factory.mktemp("plain")))


@pytest.mark.parametrize("name", EVERY)
def test_a_full_run_of_200_calls_has_no_error(name: str, reach: Reach, tmp_path: Path, expected: list[Any]) -> None:
    with EVERY[name]() as server:
        found = full_depth(reach(server), tmp_path)
    assert found.cost
    assert found.cost["total"]["calls"] >= 200
    assert found.cost["total"]["errors"] == {}
    assert found.errors == 0
    assert verdicts(found) == expected


def test_the_words_for_a_schema_are_those_the_servers_look_for() -> None:
    assert "JSON schema:\n" in description({})
