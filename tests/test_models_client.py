"""Everything between a call and its reply, over real HTTP: faults, retries, fallbacks, sharing, money and secrets."""

from __future__ import annotations

import asyncio
import bisect
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Coroutine, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest

from memtriage.core.chat import Call, Message, ModelError, Reply, Schema
from memtriage.core.errors import BadInput
from memtriage.models.breaker import Breaker
from memtriage.models.cache import Cache
from memtriage.models.client import Client
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import Limiter
from memtriage.models.scripted import Reply as StubReply
from memtriage.models.scripted import StubServer
from memtriage.models.spec import ModelSpec
from model_server import NEVER, Answer, ModelServer, error, prompt, says

T = TypeVar("T")

KEY = "sk-test-0123456789abcdef"
VERDICT = Schema(
    "verdict",
    {
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}, "reason": {"type": "string"}},
        "required": ["verdict", "reason"],
    },
)
YES = json.dumps({"verdict": "yes", "reason": "seen"})


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
    monkeypatch.delenv("MEMTRIAGE_PRICES", raising=False)
    monkeypatch.chdir(tmp_path)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def question(text: str = "Where is the kettle?", schema: Schema | None = None, **more: Any) -> Call:
    return Call("answer", "answer", (Message("system", "Be brief."), Message("user", text)), schema, **more)


def ask(server: ModelServer, call: Call | None = None, settings: str = "", **options: Any) -> Reply:
    async def work() -> Reply:
        async with Client(server.spec + settings, **{"backoff": 0.001, **options}) as client:
            return await client.ask(call or question())

    return run(work())


def trouble(server: ModelServer, call: Call | None = None, **options: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(server, call, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def test_nothing_heavy_is_loaded_before_a_request_is_made() -> None:
    code = "import sys, memtriage.models.client; sys.exit(any(m in sys.modules for m in ('openai', 'genai_prices')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# A reply, and what is sent for it.


def test_a_reply_comes_with_what_it_took() -> None:
    with ModelServer(lambda _, body: says("in the pantry")) as server:
        reply = ask(server, question(max_tokens=50), "?temperature=0.5&seed=7&top_p=0.9&reasoning_effort=low")
    assert (reply.text, reply.cached, reply.data) == ("in the pantry", False, None)
    assert (reply.tokens.input, reply.tokens.output) == (11, 3)
    assert reply.seconds > 0
    assert server.paths == ["/v1/chat/completions"]
    assert server.bodies[0] == {
        "model": "served-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is the kettle?"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "reasoning_effort": "low",
        "max_tokens": 50,
    }
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_tokens_are_counted_where_the_endpoint_does_not_say() -> None:
    with ModelServer(lambda *_: says("hello world", usage=False)) as server:
        reply = ask(server)
    assert reply.tokens.output == 2
    assert 6 <= reply.tokens.input <= 20


@pytest.mark.parametrize("tokens", [1 << 63, 10**400, -1 << 63, True])
def test_a_number_of_tokens_that_none_can_be_is_not_taken(tmp_path: Path, tokens: int) -> None:
    body = says("one two three").body
    body["usage"] = {"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": tokens}
    with ModelServer(lambda *_: Answer(body)) as server, Cache(tmp_path / "c.sqlite") as cache:
        reply = ask(server, cache=cache)
        assert 0 <= reply.tokens.output < 10
        assert cache.size().entries == 1


def test_a_password_in_the_url_is_sent_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMTRIAGE_API_KEY")

    async def work(url: str) -> None:
        async with Client(url) as client:
            await client.ask(question())
            assert "s3cret" not in client.name + repr(client)

    with ModelServer(lambda *_: says("ok")) as server:
        run(work(server.spec.replace("http://", "http://ann:s3cret@")))
    assert server.headers[0]["authorization"] == "Basic YW5uOnMzY3JldA=="


def test_thoughts_and_parts_are_taken_out_of_the_text() -> None:
    with ModelServer(lambda *_: says("<think>hm</think> the pantry")) as server:
        assert ask(server).text == "the pantry"
    parts = [{"type": "text", "text": "the "}, {"type": "text", "text": "pantry"}]
    with ModelServer(lambda *_: says(parts)) as server:  # type: ignore[arg-type]
        assert ask(server).text == "the pantry"


@pytest.mark.parametrize("spec", ["offline", "local/smollm2"])
def test_a_model_without_a_server_is_refused(spec: str) -> None:
    with pytest.raises(BadInput, match="no server"):
        Client(spec)


# What can be mended by asking again.

TRANSIENT: dict[str, Answer] = {
    "429": error(429, "slow down", headers={"retry-after": "0.01"}),
    "429 bare": error(429, "slow down"),
    "500": error(500, "oops"),
    "502": Answer("<html>Bad gateway</html>", 502),
    "503": error(503, "overloaded"),
    "529": error(529, "overloaded"),
    "reset": Answer({}, breaks="reset"),
    "cut": Answer(says("x" * 200).body, breaks="short"),
    "broken": Answer('{"choices": [{"message": {"content": "in the pan'),
    "nothing": Answer(""),
    "no message": Answer({"choices": []}),
    "empty": says(""),
    "none": says(None),
    "refusal": says(None, refusal="I can't help with that."),
    "html": Answer("<!doctype html><h1>Hi</h1>"),
    "error in a 200": Answer({"error": {"message": "upstream failed", "code": 502}}),
}


@pytest.mark.parametrize("kind", TRANSIENT)
def test_a_failure_that_passes_is_tried_again(kind: str) -> None:
    ledger = Ledger()
    with ModelServer(lambda n, _: TRANSIENT[kind] if n < 2 else says("fine")) as server:
        assert ask(server, ledger=ledger).text == "fine"
        assert server.count == 3
    assert ledger.snapshot()["total"]["retries"] == 2
    assert ledger.errors == 0


PERSISTENT = [
    ("empty", "empty", "empty answer", 3),
    ("refusal", "refusal", "can't help with that", 3),
    ("html", "not_a_model_server", "is not an OpenAI-compatible endpoint", 3),
    ("reset", "outage", "no connection to http://127.0.0.1", 3),
]


@pytest.mark.parametrize(("kind", "expected", "words", "requests"), PERSISTENT)
def test_a_failure_that_stays_is_named(kind: str, expected: str, words: str, requests: int) -> None:
    ledger = Ledger()
    with ModelServer(lambda *_: TRANSIENT[kind]) as server:
        failure = trouble(server, max_retries=2, ledger=ledger)
        assert server.count == requests
    assert failure.trouble == expected
    assert words in str(failure)
    assert ledger.snapshot()["total"]["errors"] == {expected: 1}


def test_replies_that_are_all_cut_off_are_as_good_as_none() -> None:
    with ModelServer(lambda *_: TRANSIENT["broken"]) as server:
        failure = trouble(server, max_retries=2, breaker=Breaker(0.1))
    assert failure.trouble == "outage"
    assert "sent a broken or cut-off reply" in str(failure)


def test_retry_after_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(Limiter, "pause", lambda _, seconds: pauses.append(seconds))

    def decide(number: int, _: Mapping[str, Any]) -> Answer:
        return error(429, "slow down", headers={"retry-after": "30"}) if number == 0 else says("fine")

    with ModelServer(decide) as server:
        assert ask(server).text == "fine"
    assert set(pauses) == {30.0}


# What can't be mended.


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), "auth"),
        (error(400, "API key not valid. Please pass a valid API key."), "auth"),
        (error(402, "Insufficient Balance"), "auth"),
        (error(403, "no access"), "auth"),
        (error(429, "You exceeded your current quota", code="insufficient_quota"), "auth"),
        (
            error(404, "The model `x` does not exist or you do not have access to it.", code="model_not_found"),
            "unknown_model",
        ),
        (Answer({"object": "error", "message": "The model `x` does not exist.", "code": 404}, 404), "unknown_model"),
        (error(404, "model 'x' not found, try pulling it first"), "unknown_model"),
        (error(400, "x is not a valid model ID"), "unknown_model"),
        (error(400, "Model Not Exist"), "unknown_model"),
        (Answer({"detail": "Not Found"}, 404), "not_a_model_server"),
        (Answer("<html>404</html>", 404), "not_a_model_server"),
        (Answer({"status": "ok"}), "not_a_model_server"),
        (Answer("pong"), "not_a_model_server"),
        (error(400, "max. context: too long", code="context_length_exceeded"), "context"),
        (error(400, "This model's maximum context length is 2048 tokens. However, you requested 3000."), "context"),
        (error(400, "the request exceeds the available context size", type="exceed_context_size_error"), "context"),
        (error(400, "the input length exceeds the context length"), "context"),
        (error(400, "The input token count (9) exceeds the maximum number of tokens allowed (8)"), "context"),
        (Answer("", 413), "context"),
        (error(400, "blocked by the content management policy", code="content_filter"), "refusal"),
        (says("", finish="content_filter"), "refusal"),
        (error(400, "messages must alternate"), "bad_request"),
    ],
)
def test_each_lasting_failure_has_its_word_and_one_clean_line(answer: Answer, expected: str) -> None:
    with ModelServer(lambda *_: answer) as server:
        failure = trouble(server)
    assert failure.trouble == expected
    assert KEY not in str(failure)
    assert len(str(failure)) < 300
    assert server.count == (3 if expected == "not_a_model_server" else 1)


@pytest.mark.parametrize("answer", [error(401, "wrong key"), error(404, "no such model"), Answer("<html>hello</html>")])
def test_after_a_fatal_failure_nothing_more_is_sent(answer: Answer) -> None:
    async def work() -> tuple[set[str], int]:
        async with Client(server.spec, backoff=0.001, ceiling=4) as client:
            failures = await asyncio.gather(*(client.ask(question(str(n))) for n in range(40)), return_exceptions=True)
            sent = server.count
            with pytest.raises(ModelError):
                await client.ask(question("one more"))
            assert server.count == sent
        return {str(failure) for failure in failures}, sent

    with ModelServer(lambda *_: answer) as server:
        messages, sent = run(work())
    assert len(messages) == 1
    assert sent < 40


def test_a_server_that_is_not_there_is_given_up_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    async def work() -> list[BaseException | Reply]:
        async with Client(f"http://127.0.0.1:{port}/v1#m", backoff=0.001, max_retries=1) as client:
            return await asyncio.gather(*(client.ask(question(str(n))) for n in range(20)), return_exceptions=True)

    for failure in run(work()):
        assert isinstance(failure, ModelError)
        assert failure.trouble == "outage"
        assert str(failure).endswith("; check that it is running and that the URL is right")


# Structured output and parameters that some endpoints don't take.


def test_a_schema_is_sent_strictly_and_parsed() -> None:
    with ModelServer(lambda *_: says(YES)) as server:
        reply = ask(server, question(schema=VERDICT))
    assert reply.data == {"verdict": "yes", "reason": "seen"}
    sent = server.bodies[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["strict"] is True
    assert sent["json_schema"]["schema"]["additionalProperties"] is False
    assert prompt(server.bodies[0]) == "Where is the kettle?"


@pytest.mark.parametrize(("taken", "requests"), [("json_object", 2), ("none", 3)])
@pytest.mark.parametrize("status", [400, 422, 500])
def test_without_schemas_the_prompt_says_what_to_reply(taken: str, requests: int, status: int) -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        kind = body.get("response_format", {}).get("type", "none")
        if kind not in (taken, "none"):
            return error(status, f"'response_format' of type '{kind}' is not supported")
        return says(f"Sure:\n```json\n{YES}\n```")

    async def work() -> int:
        async with Client(server.spec, backoff=0.001) as client:
            assert (await client.ask(question("one", VERDICT))).data == json.loads(YES)
            first = server.count
            assert (await client.ask(question("two", VERDICT))).data == json.loads(YES)
            assert server.count == first + 1
            assert any("response_format" in note for note in client.notes)
            return first

    with ModelServer(decide) as server:
        assert run(work()) == requests
    assert '"enum": ["yes", "no"]' in prompt(server.bodies[-1])


def test_a_model_that_answers_in_prose_is_told_the_schema() -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        return says(YES if "JSON schema" in prompt(body) else "I would say yes.")

    with ModelServer(decide) as server:
        assert ask(server, question(schema=VERDICT)).data == json.loads(YES)
        assert server.count == 2
    with ModelServer(lambda *_: says("I would say yes.")) as server:
        failure = trouble(server, question(schema=VERDICT), max_retries=2)
    assert failure.trouble == "malformed"
    assert "no JSON object" in str(failure)


def test_json_mode_can_be_chosen() -> None:
    for mode, expected in (("object", {"type": "json_object"}), ("none", None)):
        with ModelServer(lambda *_: says(YES)) as server:
            assert ask(server, question(schema=VERDICT), f"?json={mode}").data == json.loads(YES)
        assert server.bodies[0].get("response_format") == expected


def test_a_cut_off_object_gets_more_room_once() -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        return says(YES) if body["max_tokens"] >= 1024 else says(YES[:20], finish="length")

    with ModelServer(decide) as server:
        assert ask(server, question(schema=VERDICT, max_tokens=10)).data == json.loads(YES)
        assert [body["max_tokens"] for body in server.bodies] == [10, 1024]
    with ModelServer(lambda *_: says(YES[:20], finish="length")) as server:
        failure = trouble(server, question(schema=VERDICT, max_tokens=10))
        assert server.count == 2
    assert failure.trouble == "malformed"
    assert "cut off" in str(failure)


def test_a_model_that_thinks_its_room_away_gets_more_from_then_on() -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        return says("fine") if body["max_tokens"] >= 2000 else says("", finish="length")

    async def work() -> None:
        async with Client(server.spec) as client:
            assert (await client.ask(question("one", max_tokens=100))).text == "fine"
            assert (await client.ask(question("two", max_tokens=100))).text == "fine"
            assert "thinks" in client.notes[0]

    with ModelServer(decide) as server:
        run(work())
        assert [body["max_tokens"] for body in server.bodies] == [100, 4096, 4096]


def test_the_users_limit_goes_before_the_callers() -> None:
    with ModelServer(lambda *_: says("fine")) as server:
        ask(server, question(max_tokens=5), "?max_tokens=900")
    assert server.bodies[0]["max_tokens"] == 900


def test_text_that_is_not_quite_unicode_passes_both_ways(tmp_path: Path) -> None:
    body = json.dumps(says("SAID").body).replace("SAID", "half \\ud83d and \\u0000")
    with ModelServer(lambda *_: Answer(body)) as server, Cache(tmp_path / "c.sqlite") as cache:
        first = ask(server, question("half \ud83d of it"), cache=cache)
        assert first.text == "half ? and \0"
        assert ask(server, question("half \ud83d of it"), cache=cache).text == first.text
        assert prompt(server.bodies[0]) == "half ? of it"


def test_a_text_that_fills_its_room_is_a_text() -> None:
    with ModelServer(lambda *_: says("in the", finish="length")) as server:
        assert ask(server, question(max_tokens=2)).text == "in the"
        assert server.count == 1


def test_parameters_that_are_rejected_are_left_out_from_then_on() -> None:
    def decide(_: int, body: Mapping[str, Any]) -> Answer:
        if "temperature" in body:
            return error(
                400, "Unsupported value: 'temperature' does not support 0 with this model.", param="temperature"
            )
        if "max_tokens" in body:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "seed" in body:
            return error(422, "seed: Extra inputs are not permitted")
        return says("fine")

    async def work() -> None:
        async with Client(server.spec + "?temperature=0&seed=1&max_tokens=9", backoff=0.001) as client:
            await client.ask(question("one"))
            assert server.count == 4
            await client.ask(question("two"))
            assert server.count == 5
            assert {note.split(" takes no ")[1].split(";")[0] for note in client.notes} == {"temperature=0.0", "seed=1"}

    with ModelServer(decide) as server:
        run(work())
    assert server.bodies[-1]["max_completion_tokens"] == 9


# Sharing, keeping and paying.


def test_identical_calls_under_way_share_one_request() -> None:
    ledger = Ledger()

    async def work() -> list[Reply]:
        async with Client(server.spec, ledger=ledger) as client:
            return await asyncio.gather(*(client.ask(question()) for _ in range(20)))

    with ModelServer(lambda *_: says("fine")) as server:
        replies = run(work())
        assert server.count == 1
    assert Counter(reply.cached for reply in replies) == {False: 1, True: 19}
    total = ledger.snapshot()["total"]
    assert (total["calls"], total["cached"], total["input_tokens"]) == (1, 19, 11)


def test_one_who_leaves_does_not_take_the_others_reply_along() -> None:
    answer = threading.Event()

    async def work() -> None:
        async with Client(server.spec) as client:
            first = asyncio.ensure_future(client.ask(question()))
            second = asyncio.ensure_future(client.ask(question()))
            await asyncio.to_thread(server.wait_for, 1)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            answer.set()
            assert (await second).text == "fine"
            answer.clear()
            third = asyncio.ensure_future(client.ask(question("other")))
            await asyncio.to_thread(server.wait_for, 2)
            third.cancel()
            await asyncio.gather(third, return_exceptions=True)
            answer.set()
            assert (await client.ask(question("other"))).text == "fine"
            assert client.limiter.in_flight == 0

    with ModelServer(lambda *_: says("fine", after=answer)) as server:
        run(work())
        assert server.count == 3


def test_one_who_comes_as_another_leaves_gets_the_reply() -> None:
    answer = threading.Event()

    async def work() -> str:
        async with Client(server.spec) as client:
            first = asyncio.ensure_future(client.ask(question()))
            await asyncio.to_thread(server.wait_for, 1)
            second = asyncio.ensure_future(client.ask(question()))
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            answer.set()
            return (await second).text

    with ModelServer(lambda *_: says("fine", after=answer)) as server:
        assert run(work()) == "fine"
        assert server.count == 1


def test_a_repeat_is_another_call(tmp_path: Path) -> None:
    async def work() -> list[str]:
        with Cache(tmp_path / "c.sqlite") as cache:
            async with Client(server.spec, cache=cache) as client:
                return [(await client.ask(question(repeat=n))).text for n in (0, 1, 0, 1)]

    with ModelServer(lambda number, _: says(f"answer {number}")) as server:
        assert run(work()) == ["answer 0", "answer 1", "answer 0", "answer 1"]


def test_errors_are_not_kept(tmp_path: Path) -> None:
    with (
        ModelServer(lambda number, _: error(400, "not now") if number == 0 else says("fine")) as server,
        Cache(tmp_path / "c.sqlite") as cache,
    ):
        assert trouble(server, cache=cache).trouble == "bad_request"
        assert ask(server, cache=cache).text == "fine"
        assert ask(server, cache=cache).cached


def test_a_budget_stops_cleanly_and_cached_replies_still_come(tmp_path: Path) -> None:
    Path("prices.json").write_text('{"served-model": {"input": 1000, "output": 1000}}')

    async def work(cache: Cache) -> None:
        ledger = Ledger(max_cost="0.50")
        async with Client(server.spec, cache=cache, ledger=ledger) as client:
            calls = [question(str(n), max_tokens=3) for n in range(80)]
            results = await asyncio.gather(*(client.ask(call) for call in calls), return_exceptions=True)
            paid = [call for call, result in zip(calls, results, strict=True) if isinstance(result, Reply)]
            refused = [result for result in results if isinstance(result, ModelError)]
            assert {each.trouble for each in refused} == {"budget"}
            assert len(paid) == server.count
            assert Decimal("0.40") < ledger.spent <= Decimal("0.50")
            assert (await client.ask(paid[0])).cached

    with ModelServer(lambda *_: says("yes")) as server, Cache(tmp_path / "c.sqlite") as cache:
        run(work(cache))


def test_an_unknown_price_with_a_budget_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(BadInput, match="price"):
        Client("https://gateway.example/v1#mystery", ledger=Ledger(max_cost=1))


def test_bad_replies_are_paid_for_too() -> None:
    ledger = Ledger()
    with ModelServer(lambda number, _: says("prose") if number < 2 else says(YES)) as server:
        ask(server, question(schema=VERDICT), ledger=ledger)
    assert ledger.snapshot()["total"]["input_tokens"] == 33


def test_after_too_many_errors_nothing_is_sent() -> None:
    async def work() -> None:
        async with Client(server.spec, ledger=Ledger(max_errors=3)) as client:
            for number in range(6):
                with pytest.raises(ModelError) as caught:
                    await client.ask(question(str(number)))
                assert caught.value.trouble == ("bad_request" if number < 3 else "budget")

    with ModelServer(lambda *_: error(400, "never")) as server:
        run(work())
        assert server.count == 3


def content(text: str) -> str:
    return json.dumps({"verdict": "yes" if len(text) % 2 else "no", "reason": f"because {text}"})


def test_a_thousand_calls_through_every_fault_end_as_without(tmp_path: Path) -> None:
    faults = [
        error(429, "slow down", headers={"retry-after": "0.005"}),
        error(500, "oops"),
        error(503, "overloaded"),
        Answer({}, breaks="reset"),
        Answer(says(YES * 3).body, breaks="short"),
        Answer('{"choices": [{"mess'),
        Answer("<html>hello</html>"),
        says(""),
        says(None, refusal="no"),
        says("I would rather tell a story."),
        says(YES[:25]),
    ]
    dice = random.Random(5)
    drawn = [dice.choice(faults) if dice.random() < 0.3 else None for _ in range(5000)]
    for number in (50, 500, 900):
        drawn[number] = NEVER

    def faulty(number: int, body: Mapping[str, Any]) -> Answer:
        return drawn[number] or says(content(prompt(body).partition("\n")[0]))

    calls = [question(f"thing {number}" + "!" * (number % 3), VERDICT) for number in range(1000)]
    ledger = Ledger()

    async def work(cache: Cache, ledger: Ledger | None) -> list[Reply]:
        async with Client(server.spec, cache=cache, ledger=ledger, timeout=2, backoff=0.001) as client:
            return await asyncio.gather(*(client.ask(call) for call in calls))

    path = tmp_path / "c.sqlite"
    with ModelServer(faulty) as server, Cache(path) as cache:
        replies = run(work(cache, ledger))
        assert [reply.data for reply in replies] == [json.loads(content(call.messages[-1].content)) for call in calls]
        total = ledger.snapshot()["total"]
        assert (total["calls"], total["errors"]) == (1000, {})
        assert 350 < server.count - 1000 <= total["retries"]
        before = server.count
        again = run(work(cache, None))
        assert server.count == before
    assert [reply.data for reply in again] == [reply.data for reply in replies]
    assert all(reply.cached for reply in again)
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_keys_stay_out_of_errors_and_reprs() -> None:
    with ModelServer(lambda _, body: error(400, f"you sent Bearer {KEY} and {KEY}")) as server:
        failure = trouble(server)
    shown: BaseException | None = failure
    while shown is not None:
        assert KEY not in f"{shown!r} {shown}"
        shown = shown.__cause__ or shown.__context__
    client = Client(server.spec)
    assert KEY not in repr(client) + repr(client.spec) + client.name


def test_concurrency_reaches_the_ceiling_in_four_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtriage.models.endpoint.perf_counter", lambda: 0.0)  # every answer is as quick as the last
    ends = [4, 4 + 8, 4 + 8 + 16, 4 + 8 + 16 + 32]
    rounds = [threading.Event() for _ in ends]

    def decide(number: int, _: Mapping[str, Any]) -> Answer:
        return says("fine", after=rounds[min(bisect.bisect_right(ends, number), 3)])

    async def work() -> None:
        async with Client(server.spec) as client:
            asked = asyncio.gather(*(client.ask(question(str(n))) for n in range(160)))
            for end, answer in zip(ends, rounds, strict=True):
                await asyncio.to_thread(server.wait_for, end)
                assert server.count == end
                answer.set()
            await asked

    with ModelServer(decide) as server:
        run(work())
        assert server.peak == 32


PAYING = """
import asyncio, sys
from memtriage.models.cache import Cache
from memtriage.core.chat import Call, Message
from memtriage.models.client import Client

async def main():
    async with Client(sys.argv[1], cache=Cache(sys.argv[2]), ceiling=int(sys.argv[3])) as client:
        async def one(n):
            await client.ask(Call("answer", "answer", (Message("user", f"q{n}"),)))
            print(n, flush=True)
        for n in range(60):
            await one(n)

asyncio.run(main())
"""


def finish(spec: str, path: Path) -> None:
    """Ask here what the other processes were asking."""

    async def work() -> None:
        with Cache(path) as cache:
            async with Client(spec, cache=cache) as client:
                for number in range(60):
                    await client.ask(Call("answer", "answer", (Message("user", f"q{number}"),)))

    run(work())


def test_a_killed_process_pays_only_for_what_was_under_way(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    killed = threading.Event()
    with ModelServer(lambda number, body: says(prompt(body), after=None if number < 25 else killed)) as server:
        command = [sys.executable, "-c", PAYING, server.spec, str(path), "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(25):
                process.stdout.readline()
            server.wait_for(26)
            os.kill(process.pid, signal.SIGKILL)
        killed.set()
        finish(server.spec, path)
        asked = Counter(prompt(body) for body in server.bodies)
        assert asked.pop("q25") == 2, "the call that was under way"
        assert len(asked) == sum(asked.values()) == 59, "no other call is paid for twice"


def test_two_processes_share_what_either_paid_for(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with ModelServer(lambda _, body: says(prompt(body))) as server:
        command = [sys.executable, "-c", PAYING, server.spec, str(path), "4"]
        both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
        assert [process.wait(timeout=60) for process in both] == [0, 0]
        assert server.count == 60
        finish(server.spec, path)
        assert server.count == 60


# Embeddings.


def embedded(_: int, body: Mapping[str, Any]) -> Answer:
    data = [{"index": n, "embedding": [len(text), 0.1, 0.2]} for n, text in enumerate(body["input"])]
    return Answer({"data": data[::-1], "model": "e", "usage": {"prompt_tokens": 4 * len(data), "total_tokens": 4}})


def embed(server: ModelServer, texts: list[str], batch: int = 128, **options: Any) -> list[list[float]]:
    async def work() -> list[list[float]]:
        async with EmbeddingClient(server.spec, **{"backoff": 0.001, **options}) as client:
            client.limits.texts = batch
            return await client.embed(texts)

    return run(work())


def test_embeddings_come_in_order_in_batches_and_once_per_text(tmp_path: Path) -> None:
    ledger = Ledger()
    with ModelServer(embedded) as server, Cache(tmp_path / "c.sqlite") as cache:
        texts = [f"{'a' * n}" for n in range(1, 11)] + ["a", "", "  "]
        first = embed(server, texts, cache=cache, ledger=ledger, batch=4)
        assert [vector[0] for vector in first] == [*range(1, 11), 1, 1, 1]
        assert server.count == 3
        assert sorted(len(body["input"]) for body in server.bodies) == [3, 4, 4]
        assert embed(server, texts[::-1], cache=cache) == first[::-1]
        assert server.count == 3
        embed(server, ["a", "new"], cache=cache)
        assert server.bodies[-1]["input"] == ["new"]
    stage = ledger.snapshot()["roles"]["embed"]["embed"]
    assert (stage["calls"], stage["input_tokens"]) == (3, 44)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer({"data": []}), "malformed"),
        (Answer({"data": [{"index": 0, "embedding": [[0.1], [0.2]]}]}), "malformed"),
        (Answer({"data": [{"index": 0, "embedding": []}]}), "malformed"),
        (Answer({"choices": []}), "not_a_model_server"),
        (error(401, "wrong key"), "auth"),
    ],
)
def test_embeddings_that_are_none_are_refused(answer: Answer, expected: str) -> None:
    with ModelServer(lambda *_: answer) as server, pytest.raises(ModelError) as caught:
        embed(server, ["a"])
    assert caught.value.trouble == expected


def test_embeddings_survive_faults() -> None:
    with ModelServer(lambda number, body: TRANSIENT["500"] if number % 2 else embedded(0, body)) as server:
        assert len(embed(server, ["a", "b", "c"], batch=1)) == 3


def test_a_spec_object_works_as_well_as_a_text() -> None:
    with ModelServer(embedded) as server:
        assert EmbeddingClient(ModelSpec.parse(server.spec)).name == server.spec


# What tells a server that a request was made before.


def marks(server: ModelServer) -> list[str]:
    return [headers["idempotency-key"] for headers in server.headers]


def test_a_request_sent_again_carries_the_same_key_until_an_answer_comes(tmp_path: Path) -> None:
    answers = [error(500, "down"), error(429, "slowly"), says("no JSON"), says(""), error(503, "down"), says(YES)]
    with ModelServer(lambda number, _: answers[number]) as server, Cache(tmp_path / "calls.db") as cache:
        ask(server, question(schema=VERDICT), cache=cache)
    one, two, three, four, five, six = marks(server)
    assert one == two == three
    assert five == six
    assert len({one, four, five}) == 3, "a bad answer is not wanted again"


def test_a_call_that_was_given_up_does_not_ask_for_its_bad_answers_again(tmp_path: Path) -> None:
    with StubServer(lambda _: StubReply(refusal="No."), idempotent=True) as server:
        spec = f"{server.url}#picky"

        async def work() -> str:
            with Cache(tmp_path / "calls.db") as cache:
                async with Client(spec, cache=cache, backoff=0.001) as client:
                    return (await client.ask(question())).text

        with pytest.raises(ModelError, match="refused"):
            run(work())
        server.script = lambda _: "in the pantry"
        assert run(work()) == "in the pantry"
        assert server.count(fault="replayed") == 0


def test_a_request_put_another_way_carries_another_key(tmp_path: Path) -> None:
    def decide(number: int, body: Mapping[str, Any]) -> Answer:
        return error(400, "response_format json_schema is not supported") if number == 0 else says(YES)

    with ModelServer(decide) as server, Cache(tmp_path / "calls.db") as cache:
        ask(server, question(schema=VERDICT), cache=cache)
    assert len(set(marks(server))) == server.count == 2


def test_the_key_follows_from_what_is_asked_and_is_random_without_a_cache(tmp_path: Path) -> None:
    with ModelServer(lambda *_: says("fine")) as server:
        for number, repeat in enumerate((0, 0, 1)):
            with Cache(tmp_path / f"{number}.db") as cache:
                ask(server, question(repeat=repeat), cache=cache)
        ask(server, question("Another?"), cache=cache)
        ask(server)
        ask(server)
    first, again, repeated, another, *random_ones = marks(server)
    assert first == again
    assert len({first, repeated, another, *random_ones}) == 5


def test_embeddings_carry_a_key_as_well(tmp_path: Path) -> None:
    async def embed(cache: Cache, texts: list[str]) -> None:
        async with EmbeddingClient(server.spec, cache=cache, backoff=0.001) as client:
            await client.embed(texts)

    def decide(number: int, body: Mapping[str, Any]) -> Answer:
        data = [{"index": n, "embedding": [1.0, 2.0]} for n, _ in enumerate(body["input"])]
        return error(500, "down") if number == 0 else Answer({"data": data, "usage": {"prompt_tokens": 1}})

    with ModelServer(decide) as server:
        for number, texts in enumerate((["a", "b"], ["a", "b"], ["a"])):
            with Cache(tmp_path / f"{number}.db") as cache:
                run(embed(cache, texts))
    failed, first, again, other = marks(server)
    assert failed == first == again != other
