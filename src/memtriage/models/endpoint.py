"""One endpoint over HTTP: requests wait their turn, and are sent again while that can help."""

from __future__ import annotations

import asyncio
import base64
import json
import random
from asyncio import timeout as time_limit
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, TypeVar

from memtriage.core.chat import FATAL, Role, Trouble
from memtriage.core.errors import BadInput
from memtriage.models.failures import Failure, HttpAnswer, error_body, not_a_model, status_failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.keys import key_for, remember
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import Limiter, retry_after
from memtriage.models.spec import PROVIDERS, ModelSpec

T = TypeVar("T")

ApiPath = Literal["/chat/completions", "/responses", "/embeddings"]

MAX_RETRIES = 5
BACKOFF = 0.5
TIMEOUT = 120.0
_CONNECT_SECONDS = 10.0
_MAX_PAUSE = 30.0
# An endpoint that wants to be left alone for longer than this is not waited for.
_MAX_RETRY_AFTER = 300.0
_REFUSAL_RETRIES = 2
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
        ledger: Ledger,
        max_retries: int,
        timeout: float | None,
        backoff: float,
        seed: int,
    ) -> None:
        if spec.base_url is None:
            raise BadInput(f"model {spec.name!r} has no server to ask; {_remedy(spec)}")
        self.spec = spec
        self.url = spec.base_url
        self.limiter = limiter
        self.ledger = ledger
        self.max_retries = max_retries
        self.timeout = spec.settings.timeout or timeout or TIMEOUT
        self._backoff = backoff
        self._random = random.Random(seed)
        self._key = key_for(spec)
        self._openai: Any = None
        self._answered = False
        self._fatal: Failure | None = None
        remember(spec.userinfo.partition(":")[2])

    async def with_retries(self, attempt: Callable[[bool], Awaitable[T]], role: Role, stage: str) -> T:
        """Run an attempt until it succeeds or trying again can't help; it is told whether it was tried before."""
        failures: Counter[Trouble] = Counter()
        while True:
            if self._fatal is not None:
                raise self._fatal.final()
            try:
                return await attempt(failures.total() > 0)
            except Failure as failure:
                failures[failure.trouble] += 1
                if not self._worth_retrying(failure, failures):
                    self._remember_if_fatal(failure)
                    raise failure.final() from None
                self.ledger.retried(role, stage)
                pause = self._pause(failure, failures.total())
                self._hold_others(failure, pause)
                await asyncio.sleep(pause)

    async def send(self, path: ApiPath, body: dict[str, Any], key: IdempotencyKey, *, again: bool = False) -> Sent:
        """Make one request; Failure says what went wrong."""
        async with self.limiter.slot(again=again) as slot:
            if self._fatal is not None:
                raise self._fatal.final()
            started = perf_counter()
            try:
                answer = await self._post(path, body, key)
                key.answered()
                sent = self._read(path, answer, started)
            except Failure as failure:
                if failure.overrun:
                    slot.limited(failure.wait if (failure.wait or 0) <= _MAX_RETRY_AFTER else None)
                self._hold_others(failure, self._backoff)
                raise
            slot.ok(sent.seconds)
        self._answered = True
        return sent

    async def aclose(self) -> None:
        """Close the connections."""
        if self._openai is not None:
            await self._openai.close()
            self._openai = None

    async def _post(self, path: ApiPath, body: dict[str, Any], key: IdempotencyKey) -> HttpAnswer:
        import openai

        sdk = self._client()
        try:
            # The SDK's timeout runs between bytes; an endpoint that trickles would never reach it.
            async with time_limit(self.timeout):
                # As text: the body may be anything, and a wrong format differs from a broken one.
                options = {"headers": {"Idempotency-Key": key.of(path, body)}}
                text = await sdk.post(path, cast_to=str, body=body, options=options)
                return HttpAnswer(200, text)
        except (openai.APIError, TimeoutError) as error:
            failure = self._failure(error)
        # Raised out here, it does not carry along the SDK's error, which may quote a key.
        raise failure

    def _failure(self, error: Exception) -> Failure:
        import openai

        if isinstance(error, openai.APIStatusError):
            headers = error.response.headers
            wait = retry_after(headers.get("retry-after"), headers.get("retry-after-ms"))
            answer = HttpAnswer(error.status_code, error.response.text, wait)
            return status_failure(answer, self.spec.model, self.url)
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return Failure("timeout", f"{self.url} did not answer within {self.timeout:g} s", again=True)
        return Failure("connection", self._no_connection(error), again=True)

    def _read(self, path: ApiPath, answer: HttpAnswer, started: float) -> Sent:
        seconds = perf_counter() - started
        if answer.is_html:
            raise not_a_model(self.url, "an HTML page")
        try:
            body = json.loads(answer.text)
        except (ValueError, RecursionError):
            if answer.text.lstrip()[:1] in ("{", "[", ""):
                raise Failure("malformed", f"{self.url} sent a broken or cut-off reply", again=True) from None
            raise not_a_model(self.url, "something that is not JSON") from None
        if not isinstance(body, dict):
            raise not_a_model(self.url, "JSON that is not an object")
        if (error := error_body(body)) is not None:
            raise status_failure(error, self.spec.model, self.url)
        if not isinstance(body.get(_FIELDS[path]), list):
            raise not_a_model(self.url, f"JSON without {_FIELDS[path]}")
        return Sent(body, seconds)

    def _client(self) -> Any:
        if self._openai is None:
            import openai

            headers = {}
            if self.spec.userinfo and not self._key:
                headers["Authorization"] = "Basic " + base64.b64encode(self.spec.userinfo.encode()).decode()
            self._openai = openai.AsyncOpenAI(
                api_key=self._key or "none",
                base_url=self.url,
                max_retries=0,
                timeout=openai.Timeout(self.timeout, connect=min(self.timeout, _CONNECT_SECONDS)),
                default_headers=headers,
            )
            if self.spec.provider != "openai":
                # The SDK reads these from the environment; other endpoints have no business with them.
                self._openai.organization = None
                self._openai.project = None
        return self._openai

    def _no_connection(self, error: BaseException) -> str:
        reason: BaseException = error
        while (deeper := reason.__cause__ or reason.__context__) is not None:
            reason = deeper
        hint = "" if self._answered else "; is it running, and is the URL right?"
        return f"no connection to {self.url} ({type(reason).__name__}: {reason}){hint}"

    def _worth_retrying(self, failure: Failure, failures: Counter[Trouble]) -> bool:
        if not failure.again or (failure.wait or 0) > _MAX_RETRY_AFTER:
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
        # An endpoint that only asks for patience gets more of it than one that fails.
        return self.max_retries * 2 if trouble == "rate_limit" else self.max_retries

    def _hold_others(self, failure: Failure, pause: float) -> None:
        """Where the address may be wrong, other calls wait until the first ones know."""
        if failure.trouble in _UNREACHABLE and not self._answered:
            self.limiter.pause(1.5 * pause + 0.01)

    def _remember_if_fatal(self, failure: Failure) -> None:
        never_there = failure.trouble == "connection" and not self._answered
        if failure.trouble in FATAL or never_there:
            self._fatal = failure

    def _pause(self, failure: Failure, failures: int) -> float:
        if failure.trouble in _BAD_REPLIES:
            return max(failure.wait or 0.0, self._backoff * _BAD_REPLY_PAUSE)
        longest = min(_MAX_PAUSE, self._backoff * 2.0 ** (failures - 1))
        return max(failure.wait or 0.0, longest * (0.5 + self._random.random() / 2))


# The model answered, but the reply was no good: waiting longer doesn't make the next one better.
_BAD_REPLIES: tuple[Trouble, ...] = ("malformed", "empty", "refusal")
_BAD_REPLY_PAUSE = 0.1
_UNREACHABLE: tuple[Trouble, ...] = ("connection", "not_a_model_server")
_FIELDS: dict[ApiPath, str] = {"/chat/completions": "choices", "/responses": "output", "/embeddings": "data"}


def _remedy(spec: ModelSpec) -> str:
    if spec.kind == "local":
        return "a local model has to be started first"
    return f"name one, such as {next(iter(PROVIDERS))}/gpt-5-mini"
