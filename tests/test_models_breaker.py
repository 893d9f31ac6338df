"""Endpoints that fail: who waits, for how long, and when work stops. Time is counted, not waited for."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.chat import Call, Message, ModelError, Reply
from memtriage.models.breaker import Breaker, spoken
from memtriage.models.client import Client
from memtriage.models.endpoint import Endpoint
from memtriage.models.failures import Failure, HttpAnswer, status_failure
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import Limiter, retry_after
from memtriage.models.scripted import Reply as StubReply
from memtriage.models.scripted import Request, StubServer
from model_server import says
from virtual_time import run_virtually

URL = "http://models.example/v1"
PROBE = "Say ok."
FINE = json.dumps(says("fine").body)


@dataclass(frozen=True)
class Does:
    """What the endpoint does with a request: after so many seconds, it sends a status or refuses to connect."""

    status: int | Literal["refused"] = 200
    after: float = 1.0
    retry_after: str | None = None


WORKS = Does()
HANGS = Does(after=1e9)
REFUSES = Does("refused", 0.0)
Script = Callable[[float, str], Does]


class Simulated(Endpoint):
    """An endpoint that acts by a script; everything above the wire is real."""

    script: Script
    sent: list[tuple[float, str]]

    async def _post(self, path: Any, body: dict[str, Any], key: Any, seconds: float) -> HttpAnswer:
        now, prompt = asyncio.get_running_loop().time(), body["messages"][-1]["content"]
        self.sent.append((now, prompt))
        does = self.script(now, prompt)
        try:
            async with asyncio.timeout(seconds):
                await asyncio.sleep(does.after)
        except TimeoutError:
            raise Failure("timeout", f"{self.url} did not answer within {seconds:g} s", again=True) from None
        if does.status == "refused":
            raise Failure("connection", f"no connection to {self.url}", again=True)
        if does.status != 200:
            raise status_failure(HttpAnswer(does.status, "{}", retry_after(does.retry_after)), "m", self.url)
        return HttpAnswer(200, FINE)


class SimulatedClient(Client):
    endpoint: Simulated

    def _open(self, **settings: Any) -> Endpoint:
        return Simulated(self.spec, **settings)


@dataclass
class Outcome:
    """What became of the calls, and what it took."""

    troubles: Counter[str]
    messages: set[str]
    seconds: float
    sent: list[tuple[float, str]]
    told: list[str]
    ledger: Ledger

    @property
    def answered(self) -> int:
        return self.troubles["answered"]

    @property
    def probes(self) -> int:
        return sum(prompt == PROBE for _, prompt in self.sent)


def simulate(script: Script, calls: int = 100, *, at_once: int = 100, patience: float = 300.0) -> Outcome:
    """Ask an endpoint so many questions, at most `at_once` under way."""
    told: list[str] = []
    sent: list[tuple[float, str]] = []
    ledger = Ledger()

    async def work() -> list[Reply | ModelError]:
        loop = asyncio.get_running_loop()
        breaker = Breaker(patience, lambda text, _: told.append(text))
        async with SimulatedClient(
            f"{URL}#m", limiter=Limiter(clock=loop.time), breaker=breaker, ledger=ledger
        ) as client:
            client.endpoint.script, client.endpoint.sent = script, sent
            free = asyncio.Semaphore(at_once)

            async def ask(number: int) -> Reply | ModelError:
                async with free:
                    try:
                        return await client.ask(Call("answer", "answer", (Message("user", f"question {number}"),)))
                    except ModelError as error:
                        return error

            return await asyncio.gather(*(ask(number) for number in range(calls)))

    results, seconds = run_virtually(work())
    troubles = Counter(each.trouble if isinstance(each, ModelError) else "answered" for each in results)
    messages = {str(each) for each in results if isinstance(each, ModelError)}
    return Outcome(troubles, messages, seconds, sent, told, ledger)


def until(seconds: float, first: Does, then: Does = WORKS) -> Script:
    return lambda now, _: first if now < seconds else then


# Endpoints that never recover.


@pytest.mark.parametrize("at_once", [1, 100])
def test_a_hanging_endpoint_ends_within_two_timeouts_and_not_in_twenty_hours(at_once: int) -> None:
    found = simulate(lambda *_: HANGS, at_once=at_once)
    assert found.troubles == {"outage": 100}
    assert found.seconds <= 2 * 600
    assert len(found.sent) <= 6  # four at once, and two tiny ones
    (message,) = found.messages
    assert message.startswith(f"{URL} has answered nothing for 5 min: ")
    assert "did not answer within" in message
    assert "check that it is running" in message


def test_one_that_hangs_after_some_calls_keeps_what_it_answered() -> None:
    found = simulate(until(3, WORKS, HANGS))
    assert found.troubles == {"answered": 28, "outage": 72}  # 4, 8 and 16
    assert found.seconds <= 3 + 2 * 600


def test_one_that_trickles_hangs() -> None:
    assert simulate(lambda *_: Does(after=601)).troubles == {"outage": 100}


@pytest.mark.parametrize("at_once", [1, 100])
@pytest.mark.parametrize("broken", [Does(500, 0.1), Does(503), Does(429, 0.1), Does(429, 0.1, "20"), REFUSES])
def test_one_that_goes_down_for_good_ends_everything_once(broken: Does, at_once: int) -> None:
    found = simulate(until(3, WORKS, broken), at_once=at_once)
    answered = 3 if at_once == 1 else 28
    assert found.troubles == {"answered": answered, "outage": 100 - answered}
    assert 300 <= found.seconds <= 3 + 300 + 40
    during = [prompt for now, prompt in found.sent if now >= 3]
    assert len(during) <= 110  # those under way, three times at most, and the probes; not six for each question
    assert found.ledger.errors == 0
    assert found.ledger.stopped in found.messages
    assert found.ledger.outage


def test_one_that_was_never_there_is_given_up_in_seconds() -> None:
    found = simulate(lambda *_: REFUSES)
    assert found.troubles == {"outage": 100}
    assert found.seconds < 15


def test_the_user_says_how_long_to_wait() -> None:
    found = simulate(lambda *_: Does(500), patience=3600)
    assert 3600 <= found.seconds <= 3640
    assert "nothing for 60 min" in found.messages.pop()


def test_a_model_that_only_manages_tiny_requests_is_told_apart() -> None:
    found = simulate(lambda _, prompt: WORKS if prompt == PROBE else HANGS)
    assert set(found.troubles) == {"timeout", "outage"}
    assert found.troubles["timeout"] == 4
    assert any(
        "answers a short request" in text and "add ?timeout=3600 to the model's name" in text for text in found.messages
    )


# Endpoints that come back.


@pytest.mark.parametrize("at_once", [1, 100])
@pytest.mark.parametrize(
    "broken", [Does(500, 0.1), Does(503), Does(429, 0.1), Does(429, 0.1, "20"), Does(429, 0.1, "soon")]
)
def test_a_minute_of_trouble_costs_no_answer(broken: Does, at_once: int) -> None:
    found = simulate(until(60, broken), at_once=at_once)
    assert found.troubles == {"answered": 100}
    assert found.seconds <= 60 + 40 + 100
    assert len([now for now, _ in found.sent if now < 60]) <= 40


def test_one_that_is_gone_for_a_minute_is_waited_for_and_the_user_told() -> None:
    found = simulate(lambda now, _: REFUSES if 3 <= now < 63 else WORKS)
    assert found.troubles == {"answered": 100}
    assert f"waiting for {URL}: 4 s" in found.told
    assert any("does not answer" in text and "waiting up to 5 min" in text for text in found.told)
    assert f"{URL} answers again" in found.told


def test_a_constant_429_slows_the_whole_run_and_not_each_call_by_itself() -> None:
    found = simulate(until(30, Does(429, 0.1)), 200)
    assert found.troubles == {"answered": 200}
    refused = [now for now, _ in found.sent if now < 30]
    assert len(refused) <= 20
    # After the first refusals, whatever is sent comes in few waves, each later than the one before.
    waves = sorted({round(now, 1) for now in refused if now > 0.5})
    gaps = [later - before for before, later in pairwise(waves)]
    assert max(gaps) > 3


# What is one call's own trouble.


@pytest.mark.parametrize("at_once", [1, 100])
@pytest.mark.parametrize(("own", "trouble"), [(Does(500), "server"), (HANGS, "timeout"), (Does(429), "rate_limit")])
def test_one_prompt_that_fails_stops_no_other(own: Does, trouble: str, at_once: int) -> None:
    found = simulate(lambda _, prompt: own if prompt == "question 7" else WORKS, at_once=at_once)
    assert found.troubles == {"answered": 99, trouble: 1}
    assert not found.ledger.outage


def test_a_prompt_that_brings_the_server_down_is_given_up() -> None:
    crashed = [float("-inf")]

    def script(now: float, prompt: str) -> Does:
        if prompt == "question 7":
            crashed[0] = now
        return REFUSES if now < crashed[0] + 20 else WORKS

    found = simulate(script, 20)
    assert found.troubles == {"answered": 19, "connection": 1}


def test_a_whole_row_of_such_prompts_ends_too() -> None:
    found = simulate(lambda _, prompt: WORKS if prompt in (PROBE, "question 99") else Does(500), at_once=8)
    assert found.troubles == {"answered": 1, "server": 99}


@pytest.mark.parametrize("at_once", [1, 100])
def test_a_slow_endpoint_that_works_is_never_probed(at_once: int) -> None:
    found = simulate(lambda *_: Does(after=599), 40, at_once=at_once)
    assert found.troubles == {"answered": 40}
    assert found.probes == 0


class OneAtATime:
    """Works on one request after the other, even on those that nobody waits for any more."""

    def __init__(self, seconds: Callable[[str], float]) -> None:
        self._seconds, self._free = seconds, 0.0

    def waits(self, now: float, prompt: str) -> float:
        """How long a request takes until it is answered."""
        self._free = max(now, self._free) + self._seconds(prompt)
        return self._free - now


def test_a_server_that_answers_one_after_the_other_is_not_given_up_while_it_works() -> None:
    long = {"question 1": 1500.0}  # once
    busy = OneAtATime(lambda prompt: long.pop(prompt, 1.0 if prompt == PROBE else 400.0))
    found = simulate(lambda now, prompt: Does(after=busy.waits(now, prompt)), 4, at_once=1)
    assert found.troubles == {"answered": 4}
    # After 600 s without an answer it gets twice one and a half times the 400 s that it took for the first one.
    assert [now for now, prompt in found.sent if prompt == PROBE] == [1002, 1606]
    assert any("waiting up to 20 min" in text for text in found.told)


@pytest.mark.parametrize(("gone", "timeouts", "minutes"), [(HANGS, 1, 20), (REFUSES, 0, 5)], ids=["hangs", "refuses"])
def test_a_slow_server_that_is_gone_is_given_up_all_the_same(gone: Does, timeouts: int, minutes: int) -> None:
    found = simulate(until(800, Does(after=400), gone), 4, at_once=1)
    assert found.troubles == {"answered": 2, "outage": 2}
    assert found.seconds == pytest.approx(800 + timeouts * 600 + minutes * 60, abs=40)
    assert all(f"has answered nothing for {minutes} min" in text for text in found.messages)


def test_a_real_server_that_is_busy_with_a_long_call_is_waited_for() -> None:
    took = {"slow": 0.3, "long": 0.7}
    busy = OneAtATime(lambda text: took.pop(text, 0.0))

    def script(request: Request) -> StubReply:
        return StubReply("fine", latency=busy.waits(time.monotonic(), request.last_user))

    async def work() -> None:
        breaker = Breaker(0.1)
        async with Client(f"{server.url}#m", breaker=breaker, timeout=0.5, backoff=0.001) as client:
            for text in ("slow", "long"):
                reply = await client.ask(Call("answer", "answer", (Message("user", text),)))
                assert reply.text == "fine"

    with StubServer(script) as server:
        asyncio.run(work())
        assert [request.body["messages"][-1]["content"] for request in server.requests] == [
            "slow", "long", PROBE, "long"
        ]  # fmt: skip


def test_a_probe_is_on_the_bill() -> None:
    found = simulate(until(60, Does(500)), 1)
    total = found.ledger.snapshot()["total"]
    assert found.probes > 1
    assert (total["calls"], total["input_tokens"]) == (1, 22)  # the call, and the probe that was answered


# What Retry-After may say.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1e9", "for more than a year"),
        ("1e308", "for more than a year"),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "for more than a year"),
        ("7200", "until 2"),
    ],
)
def test_an_endpoint_that_wants_to_be_left_alone_for_long_stops_the_run_once(text: str, words: str) -> None:
    found = simulate(lambda *_: Does(429, 0.1, text))
    assert found.troubles == {"outage": 100}
    (message,) = found.messages
    assert f"takes no calls {words}" in message
    assert message.endswith("resume the run then")
    assert len(found.sent) <= 5
    assert found.seconds < 10


@pytest.mark.parametrize(
    "text", ["-5", "-1e308", "nan", "inf", "-inf", "1e9999", "soon", "", "Mon, 01 Jan 0001", "0x10"]
)
def test_a_retry_after_that_says_nothing_is_none(text: str) -> None:
    found = simulate(until(5, Does(429, 0.1, text)))
    assert found.troubles == {"answered": 100}
    assert found.seconds < 200


def test_a_long_retry_after_for_one_call_only_is_that_calls_error() -> None:
    found = simulate(lambda _, prompt: Does(429, 0.1, "1e9") if prompt == "question 3" else WORKS)
    assert found.troubles == {"answered": 99, "rate_limit": 1}


def test_patience_is_for_retry_after_as_well() -> None:
    script = lambda now, _: Does(429, 0.1, "1800") if now < 1800 else WORKS  # noqa: E731
    assert simulate(script, patience=3600).troubles == {"answered": 100}
    assert simulate(script, patience=60).troubles == {"outage": 100}


# Anything may happen.

TROUBLES = st.sampled_from([Does(500, 0.1), Does(503), Does(429, 0.1), Does(429, 0.1, "3"), Does(502, 2), HANGS])


@settings(max_examples=60, deadline=None)
@given(
    # Up for longer than the longest pause, so that no recovery is slept through.
    st.lists(st.tuples(st.floats(40, 100), st.floats(1, 90), TROUBLES), min_size=1, max_size=5),
    st.sampled_from([1, 8, 100]),
    st.booleans(),
)
def test_whatever_the_outages_all_is_answered_or_everything_stops(
    outages: list[tuple[float, float, Does]], at_once: int, for_good: bool
) -> None:
    phases: list[tuple[float, Does]] = []
    clock = 0.0
    for up, down, trouble in outages:
        phases += [(clock + up, WORKS), (clock + up + down, trouble)]
        clock += up + down

    def script(now: float, _: str) -> Does:
        after = outages[-1][2] if for_good else WORKS
        return next((does for end, does in phases if now < end), after)

    found = simulate(script, 150, at_once=at_once)
    assert set(found.troubles) <= {"answered", "outage"}
    if not for_good:
        assert found.troubles["outage"] == 0
    # Each outage costs its own length, a timeout where it hangs, and the pause after it; each answer a second.
    assert found.seconds <= clock + 150 + len(outages) * (600 + 330) + 900 + 100
    assert max(Counter(prompt for _, prompt in found.sent if prompt != PROBE).values()) <= 16


def test_times_are_spoken() -> None:
    assert [spoken(seconds) for seconds in (45, 90, 300, 3600, 7200)] == ["45 s", "90 s", "5 min", "60 min", "2 h"]
