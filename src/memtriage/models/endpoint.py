"""One endpoint over HTTP: requests wait their turn, and are sent again while that can help."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import random
from asyncio import timeout as time_limit
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, TypeVar

from memtriage.core.chat import FATAL, Role, Tokens, Trouble
from memtriage.core.errors import BadInput
from memtriage.host.masks import mask, mask_json
from memtriage.models.breaker import Breaker
from memtriage.models.failures import Failure, GaveUp, HttpAnswer, error_body, not_a_model, status_failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.keys import key_for, remember, value_of
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import Limiter, retry_after
from memtriage.models.openai_format import assembled, usage_in
from memtriage.models.prices import price
from memtriage.models.spec import PROVIDERS, ModelSpec
from memtriage.models.transport import PROGRESS, Progress, SentElsewhere, Transport, WireTrouble
from memtriage.models.wire.anthropic import VERSION
from memtriage.models.wire.bedrock import Signer
from memtriage.models.wire.format import wire_format

T = TypeVar("T")

ApiPath = Literal["/chat/completions", "/responses", "/embeddings"]

MAX_RETRIES = 5
BACKOFF = 0.5
# A model that thinks takes minutes, and one on a CPU reads a long prompt for longer than that.
TIMEOUT = 600.0
TIMEOUT_HERE = 1800.0
_CONNECT_SECONDS = 10.0
_MAX_PAUSE = 30.0
_REFUSAL_RETRIES = 2
_TIMEOUT_RETRIES = 2
# Nothing has answered yet: someone who mistyped an address should not wait half a minute to learn it.
_FIRST_CONTACT_RETRIES = 3
_TOTAL_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Sent:
    """A body that came back, and how long it took."""

    body: dict[str, Any]
    seconds: float


class Endpoint:
    """Where a model is reached. After a failure that is bound to repeat, every further request fails at once."""

    def __init__(
        self,
        spec: ModelSpec,
        *,
        limiter: Limiter,
        breaker: Breaker,
        ledger: Ledger,
        max_retries: int,
        timeout: float | None,
        backoff: float,
        seed: int,
    ) -> None:
        self._key = key_for(spec)
        if spec.base_url is None:
            raise BadInput(f"model {spec.name!r} has no server to ask; {_remedy(spec)}")
        self.spec = spec
        self.url = spec.base_url
        self.limiter = limiter
        self.breaker = breaker
        self.ledger = ledger
        self.max_retries = max_retries
        self.timeout = spec.settings.timeout or timeout or (TIMEOUT_HERE if spec.on_this_machine else TIMEOUT)
        self._backoff = backoff
        self._random = random.Random(seed)
        self._format = wire_format(spec.wire)
        self._extra = spec.settings.extra_fields()
        self._headers = {name: value_of(text, f"header.{name}") for name, text in spec.settings.headers}
        self._query = {name: value_of(text, f"{name} in the query") for name, text in spec.query}
        self._signer = Signer(self.url) if spec.wire == "bedrock" and not self._key else None
        self.notes: list[str] = []
        """What the user should know of the endpoint."""
        self._openai: Any = None
        self._answered = False
        self._asked_for: tuple[Role, str] = ("internal", "internal")
        self._probed: ApiPath = "/chat/completions"
        self._fatal: Failure | None = None
        remember(spec.userinfo.partition(":")[2])

    async def with_retries(self, attempt: Callable[[bool], Awaitable[T]], role: Role, stage: str) -> T:
        """Run an attempt until it succeeds or trying again can't help; it is told whether it was tried before."""
        failures: Counter[Trouble] = Counter()
        outages = 0
        self._asked_for = role, stage
        while True:
            if self._fatal is not None:
                raise self._fatal.final()
            try:
                return await attempt(failures.total() > 0)
            except Failure as failure:
                failures[failure.trouble] += 1
                away = await self._ready()
                outages += away
                if away and outages <= self.max_retries:  # not this call's trouble, unless it brings about each of them
                    failures = Counter([failure.trouble])
                if not self._worth_retrying(failure, failures):
                    await self._note_lasting(failure)
                    raise failure.final() from None
                self.ledger.retried(role, stage)
                if not away:
                    await self._wait(failure, self._pause(failure, failures.total()))

    async def send(
        self, path: ApiPath, build: Callable[[], dict[str, Any]], key: IdempotencyKey, *, again: bool = False
    ) -> Sent:
        """Make one request; Failure says what went wrong.

        It is built when its turn has come, so that it knows what the endpoint has rejected by then.
        """
        async with self.limiter.slot(again=again) as slot:
            await self._ready()
            if self._fatal is not None:
                raise self._fatal.final()
            self._probed = path
            self._client()  # loading the SDK takes a second, which is not the endpoint's
            started, sent_at = perf_counter(), asyncio.get_running_loop().time()
            try:
                body = build()
                answer = await self._post(path, body, key, self.timeout)
                key.answered()
                sent = self._read(path, body, answer, started)
            except Failure as failure:
                if self._answered or failure.trouble != "connection":  # a first contact that fails is settled sooner
                    self.breaker.failed(failure, sent_at)
                if failure.overrun:
                    slot.limited(failure.wait if (failure.wait or 0) <= self.breaker.patience else None)
                self._hold_others(failure, self._backoff)
                raise
            slot.ok(sent.seconds)
            self.breaker.answered(sent_at)
        self._answered = True
        return sent

    async def aclose(self) -> None:
        """Close the connections."""
        if self._openai is not None:
            await self._openai.close()
            self._openai = None

    async def _post(self, path: ApiPath, body: dict[str, Any], key: IdempotencyKey, seconds: float) -> HttpAnswer:
        import openai

        sdk = self._client()
        place, request = self._written(path, body)
        content = json.dumps(with_extra(request, self._extra)).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": key.of(path, body)}
        headers |= self._authorisation(place, content) | self._headers
        progress = Progress()
        PROGRESS.set(progress)
        try:
            # The SDK's timeout runs between bytes; an endpoint that trickles would never reach it.
            async with time_limit(seconds):
                # As text: the body may be anything, and a wrong format differs from a broken one.
                text = await sdk.post(place, cast_to=str, content=content, options={"headers": headers})
                return HttpAnswer(200, text)
        except (openai.APIError, TimeoutError, WireTrouble) as error:
            failure = self._failure(error, seconds, progress.sent)
        # Raised out here, it does not carry along the SDK's error, which may quote a key.
        raise failure

    def _written(self, path: ApiPath, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Where a request goes, and how it is written there."""
        if self._format is None:
            return path, body
        if path == "/chat/completions":
            return self._format.path(self.spec.model), self._format.request(body)
        if self.spec.wire == "gemini":
            return f"/openai{path}", body
        raise Failure("bad_request", f"{self.spec.provider} has no {path.strip('/')}; name another model", again=False)

    def _authorisation(self, place: str, content: bytes) -> dict[str, Any]:
        """The key, in the header where it is looked for; by itself it goes into `Authorization`."""
        from openai import Omit

        if self._signer is not None:
            return self._signer.headers(self.url + place, content)
        wire = self.spec.wire
        if wire in ("openai", "bedrock") or place.startswith("/openai/") or not self._key:
            return {}
        name = {"azure": "api-key", "anthropic": "x-api-key", "gemini": "x-goog-api-key"}[wire]
        more = {"anthropic-version": VERSION} if wire == "anthropic" else {}
        return {"Authorization": Omit(), name: self._key, **more}

    def _failure(self, error: Exception, seconds: float, sent: bool = False) -> Failure:
        import openai

        if isinstance(error, openai.APIStatusError):
            headers = error.response.headers
            wait = retry_after(headers.get("retry-after"), headers.get("retry-after-ms"))
            answer = HttpAnswer(error.status_code, mask(error.response.text), wait)
            return status_failure(answer, self.spec.model, self.url)
        if isinstance(elsewhere := error.__cause__ or error, SentElsewhere):  # some versions of the SDK wrap it
            return self._sent_elsewhere(elsewhere.place)
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return Failure("timeout", f"{self.url} did not answer within {seconds:g} s", again=True, lost=sent)
        return Failure("connection", self._no_connection(error), again=True, lost=sent)

    def _sent_elsewhere(self, place: str) -> Failure:
        words = f"{self.url} redirects to {place}, which was not followed; if you trust that address, use it instead"
        return Failure("not_a_model_server", words, again=False)

    def _read(self, path: ApiPath, asked: dict[str, Any], answer: HttpAnswer, started: float) -> Sent:
        seconds = perf_counter() - started
        if answer.text.startswith(("data:", "event:", ":")):
            return Sent(self._without_keys(assembled(answer.text, self.url)), seconds)
        if answer.is_html:
            raise not_a_model(self.url, "an HTML page", lost=False)  # no model wrote that
        try:
            body = json.loads(answer.text)
        except (ValueError, RecursionError):
            if answer.text.lstrip()[:1] in ("{", "[", ""):
                words = f"{self.url} sent a broken or cut-off reply"
                raise Failure("malformed", words, again=True, lost=True) from None
            raise not_a_model(self.url, "something that is not JSON") from None
        if not isinstance(body, dict):
            raise not_a_model(self.url, "JSON that is not an object")
        body = self._without_keys(body)
        if (error := error_body(body)) is not None:
            raise status_failure(error, self.spec.model, self.url)
        if self._format is not None and path == "/chat/completions":
            try:
                body = self._format.reply(body, asked)
            except (KeyError, TypeError, AttributeError):
                raise not_a_model(self.url, f"something that is not {self.spec.provider}'s format") from None
        if not isinstance(body.get(_FIELDS[path]), list):
            raise not_a_model(self.url, f"JSON without {_FIELDS[path]}")
        return Sent(body, seconds)

    def _without_keys(self, body: dict[str, Any]) -> dict[str, Any]:
        masked = mask_json(body)
        if masked is not body:
            self._note("sent a key back; it was masked")
        return masked

    def _note(self, words: str) -> None:
        if (note := f"{self.spec.name} {words}") not in self.notes:
            self.notes.append(note)

    def _client(self) -> Any:
        if self._openai is None:
            import openai

            for name in _CHATTY:
                logging.getLogger(name).setLevel(logging.WARNING)
            headers = {}
            if self.spec.userinfo and not self._key:
                headers["Authorization"] = "Basic " + base64.b64encode(self.spec.userinfo.encode()).decode()
            timeout = openai.Timeout(self.timeout, connect=min(self.timeout, _CONNECT_SECONDS))
            self._openai = openai.AsyncOpenAI(
                api_key=self._key or "none",
                base_url=self.url,
                max_retries=0,
                timeout=timeout,
                http_client=Transport(self._note).client(timeout=timeout),
                default_headers=headers,
                default_query=self._query,
            )
            if self.spec.provider != "openai":
                # The SDK reads these from the environment; other endpoints should not get them.
                self._openai.organization = None
                self._openai.project = None
        return self._openai

    def _no_connection(self, error: BaseException) -> str:
        reason: BaseException = error
        while (deeper := reason.__cause__ or reason.__context__) is not None:
            # a name with several addresses fails once at each of them
            reason = deeper.exceptions[0] if isinstance(deeper, BaseExceptionGroup) else deeper
        told = f"{type(reason).__name__}: {reason}"
        if isinstance(reason, ConnectionError) and reason.errno:
            told = os.strerror(reason.errno).lower()  # the system's own words, such as connection refused
        hint = "" if self._answered else "; check that it is running and that the URL is right"
        return f"no connection to {self.url} ({told}){hint}"

    def _worth_retrying(self, failure: Failure, failures: Counter[Trouble]) -> bool:
        if not failure.again or (failure.wait or 0) > self.breaker.patience:
            return False
        if self.ledger.exhausted:  # a bad reply was paid for as well, and so would the next one be
            return False
        # Failing in one way again and again is a reason to stop; failing in several is only bad luck.
        return (
            failures[failure.trouble] <= self._max_retries_after(failure.trouble)
            and failures.total() <= _TOTAL_RETRIES * self.max_retries
        )

    def _max_retries_after(self, trouble: Trouble) -> int:
        """How often a request is sent again after one kind of failure."""
        if trouble == "refusal" or (trouble == "not_a_model_server" and not self._answered):
            # Once may be an accident; a refusal or a wrong address that stays is not worth more.
            return min(_REFUSAL_RETRIES, self.max_retries)
        if trouble == "connection" and not self._answered:
            return min(_FIRST_CONTACT_RETRIES, self.max_retries)
        if trouble == "timeout":
            return min(_TIMEOUT_RETRIES, self.max_retries)
        # An endpoint that only asks for patience gets more of it than one that fails.
        return self.max_retries * 2 if trouble == "rate_limit" else self.max_retries

    def _hold_others(self, failure: Failure, pause: float) -> None:
        """Where the address may be wrong, other calls wait until the first ones know."""
        if failure.trouble in _UNREACHABLE and not self._answered:
            self.limiter.pause(1.5 * pause + 0.01)

    async def _wait(self, failure: Failure, pause: float) -> None:
        """Wait before a request is made again: by itself or, where calls are too many, together with all others."""
        self._hold_others(failure, pause)
        if failure.trouble == "rate_limit" and self.breaker.failing:
            self.limiter.pause(pause)
            self.breaker.tell(f"waiting for {self.url}: {pause:.0f} s", False)
        else:
            await asyncio.sleep(pause)

    async def _ready(self) -> bool:
        """Wait while the endpoint is away; an outage ends everything."""
        try:
            return await self.breaker.ready(self._probe, self.url, self._backoff)
        except GaveUp as outage:
            self.ledger.give_up(str(outage))
            raise

    async def _probe(self) -> None:
        """Make the smallest request there is: what it costs is on the bill, and any answer to it will do.

        It is no repetition of a call, since that may be the very one that the endpoint can't stand. It gets half of the
        time that the endpoint may be silent: one that is lost must not be the last.
        """
        path = self._probed
        seconds = min(self.timeout, self.breaker.silence / 2)
        body, key = {"model": self.spec.model, **_TINY[path]}, IdempotencyKey("", None)
        self.ledger.sending(key.call, price(self.spec, _TINY_TOKENS))
        try:
            answer = await self._post(path, body, key, seconds)
            reply = self._read(path, body, answer, perf_counter()).body
        except asyncio.CancelledError:  # a call was answered meanwhile
            self.ledger.unanswered(key.call, lost=True)
            raise
        except Failure as failure:
            self.ledger.unanswered(key.call, lost=failure.lost)
            raise
        tokens = usage_in(reply) or _TINY_TOKENS
        self.ledger.spend(*self._asked_for, self.spec, tokens, good=False, request=key.call)

    async def _note_lasting(self, failure: Failure) -> None:
        """A call is given up: note whether all others would fail as well."""
        if failure.trouble in FATAL:
            self._fatal = failure
        elif failure.trouble == "connection" and not self._answered:
            self.breaker.give_up(str(failure))
        else:
            self.breaker.call_failed(failure, self.url)
        await self._ready()

    def _pause(self, failure: Failure, failures: int) -> float:
        if failure.trouble in _BAD_REPLIES:
            return max(failure.wait or 0.0, self._backoff * _BAD_REPLY_PAUSE)
        longest = min(_MAX_PAUSE, self._backoff * 2.0 ** (failures - 1))
        return max(failure.wait or 0.0, longest * (0.5 + self._random.random() / 2))


# The model answered, but the reply was no good: waiting longer doesn't make the next one better.
_BAD_REPLIES: tuple[Trouble, ...] = ("malformed", "empty", "refusal")
_BAD_REPLY_PAUSE = 0.1
_UNREACHABLE: tuple[Trouble, ...] = ("connection", "not_a_model_server")
# The libraries below the SDK log a line for every request.
_CHATTY = ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "botocore")
_TINY: dict[ApiPath, dict[str, Any]] = {
    "/chat/completions": {"messages": [{"role": "user", "content": "Say ok."}], "max_tokens": 16},
    "/responses": {"input": "Say ok.", "max_output_tokens": 16},
    "/embeddings": {"input": ["ok"]},
}
_TINY_TOKENS = Tokens(10, 16)
_FIELDS: dict[ApiPath, str] = {"/chat/completions": "choices", "/responses": "output", "/embeddings": "data"}


def with_extra(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The request with the user's own fields, which go before others; objects are merged."""
    merged = dict(body)
    for name, value in extra.items():
        before = merged.get(name)
        both = isinstance(value, Mapping) and isinstance(before, Mapping)
        merged[name] = with_extra(before, value) if both else value  # type: ignore[arg-type]
    return merged


def _remedy(spec: ModelSpec) -> str:
    if spec.kind == "local":
        return "a local model has to be started first"
    return f"name one, such as {next(iter(PROVIDERS))}/gpt-5-mini"
