"""The one way to a model: cache, limiter, HTTP with retries, a reply that fits its schema, and the bill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from memtriage.core.chat import FINGERPRINT, Call, ModelError, Reply, Tokens
from memtriage.models.cache import Cache, Entry, call_key
from memtriage.models.endpoint import BACKOFF, MAX_RETRIES, Endpoint
from memtriage.models.failures import Failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.in_flight import Flights
from memtriage.models.ledger import Ledger
from memtriage.models.limiter import CEILING, Limiter
from memtriage.models.prices import price
from memtriage.models.request import Accepted
from memtriage.models.spec import ModelSpec
from memtriage.models.structured import parse, without_thoughts
from memtriage.text.words import well_formed

# What a reply is taken to be long, for money set aside, where the call puts no limit to it.
_USUAL_OUTPUT = 600
_MORE_ROOM = 4
_LEAST_ROOM = 1024
_THINKING_ROOM = 4096
_DOUBTS = 3
_SCRIPTED = " (scripted)"


class Client:
    """A chat model behind an OpenAI-compatible endpoint; one client belongs to one event loop.

    >>> async def hello(model: str) -> str:
    ...     async with Client(model) as client:
    ...         return (await client.ask(Call("answer", "answer", (Message("user", "Say hello."),)))).text
    """

    def __init__(
        self,
        spec: ModelSpec | str,
        *,
        cache: Cache | None = None,
        limiter: Limiter | None = None,
        ceiling: int = CEILING,
        ledger: Ledger | None = None,
        max_retries: int = MAX_RETRIES,
        timeout: float | None = None,
        backoff: float = BACKOFF,
        seed: int = 0,
    ) -> None:
        self.spec = ModelSpec.parse(spec) if isinstance(spec, str) else spec
        self.cache = cache
        self.ledger = ledger or Ledger()
        self.limiter = limiter or Limiter(ceiling)
        self._endpoint = Endpoint(
            self.spec,
            limiter=self.limiter,
            ledger=self.ledger,
            max_retries=max_retries,
            timeout=timeout,
            backoff=backoff,
            seed=seed,
        )
        self.ledger.admit(self.spec)
        self._accepted = Accepted.at_first(self.spec)
        self._flights: Flights[Reply] = Flights()

    @property
    def name(self) -> str:
        """The model as tables and files name it, without any key."""
        return self.spec.label

    @property
    def notes(self) -> list[str]:
        """What the endpoint would not take, and was asked without."""
        return list(self._accepted.notes)

    async def ask(self, call: Call) -> Reply:
        """The model's reply, from the cache where the same was asked before. Errors are not kept."""
        key = call_key(self.spec, call)
        if self.cache is not None and (entry := self.cache.get(key)) is not None:
            self.ledger.hit(call.role, call.stage)
            return self._noted(call, _reply(entry, cached=True))
        reply, shared = await self._flights.join(key, lambda: self._settle(call, key))
        if not shared:
            return reply
        self.ledger.hit(call.role, call.stage)
        return replace(reply, cached=True)

    async def aclose(self) -> None:
        """Close the connections; the cache stays open for others."""
        await self._endpoint.aclose()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Client({self.name!r})"

    async def _settle(self, call: Call, key: str) -> Reply:
        mark = IdempotencyKey(key, self.cache)
        try:
            async with self.ledger.reserved(_estimate(self.spec, self.ledger, call)):
                entry = await self._endpoint.persist(_Attempt(self, call, mark), call.role, call.stage)
        except ModelError as error:
            mark.failed()
            self.ledger.failed(call.role, call.stage, error.trouble)
            raise
        self.ledger.answered(call.role, call.stage)
        if self.cache is not None:
            self.cache.put(key, entry)
        return self._noted(call, _reply(entry, cached=False))

    def _noted(self, call: Call, reply: Reply) -> Reply:
        if reply.scripted:
            self.ledger.scripted.add(call.role)
        return reply


class _Attempt:
    """One try after the other at one call, each knowing what went wrong before."""

    def __init__(self, client: Client, call: Call, mark: IdempotencyKey) -> None:
        self._client = client
        self._call = call
        self._mark = mark
        self._max_tokens = _room(client.spec, call)
        self._widened = False
        self._doubts = 0

    async def __call__(self, again: bool) -> Entry:
        while True:
            accepted, endpoint = self._client._accepted, self._client._endpoint
            body = accepted.body(self._call, max_tokens=self._max_tokens, doubted=self._doubts > 0)
            try:
                sent = await endpoint.send("/chat/completions", body, self._mark, again=again)
            except Failure as failure:
                if failure.trouble not in _REPHRASABLE or failure.answer is None:
                    raise
                if not accepted.learn(body, failure.answer):
                    raise
                again = True
                continue
            try:
                return self._read(sent.body, sent.seconds)
            except _CutOff as cut:
                self._widened = again = True
                self._widen(thinking=cut.thinking)
                self._client.ledger.retried(self._call.role, self._call.stage)

    def _read(self, body: Mapping[str, Any], seconds: float) -> Entry:
        choice = _choice(body, self._client._endpoint.url)
        message = choice["message"]
        text = _content(message)
        tokens = _tokens(body, self._call, text)
        self._client.ledger.spend(self._call.role, self._call.stage, self._client.spec, tokens)
        self._refuse_if_refused(choice, message)
        cut = choice.get("finish_reason") == "length"
        if cut and (self._call.schema is not None or not text.strip()):
            self._cut_off(thinking=not text.strip())
        if not without_thoughts(text):
            raise Failure("empty", f"{self._client.name} sent an empty answer", again=True)
        data = self._parsed(text)
        if data is None:
            text = without_thoughts(text)
        return Entry(text, tokens.input, tokens.output, seconds, _said_by(body), data)

    def _parsed(self, text: str) -> dict[str, Any] | None:
        if self._call.schema is None:
            return None
        accepted = self._client._accepted
        try:
            # A missing end may hide missing words: asking again is better, as long as that can help.
            data = parse(text, self._call.schema.json, close=self._doubts >= _DOUBTS)
        except ModelError as error:
            self._doubts += 1
            accepted.doubts += 1
            raise Failure("malformed", f"{self._client.name}: {error}", again=True) from None
        accepted.proven = accepted.proven or (accepted.mode == "schema" and not self._doubts)
        return data

    def _refuse_if_refused(self, choice: Mapping[str, Any], message: Mapping[str, Any]) -> None:
        words = message.get("refusal")
        if words:
            raise Failure("refusal", f"{self._client.name} refused: {words}", again=True)
        if choice.get("finish_reason") == "content_filter":
            raise Failure("refusal", f"{self._client.name}: a content filter stopped the answer", again=False)

    def _cut_off(self, *, thinking: bool) -> None:
        if not self._widened:
            raise _CutOff(thinking)
        words = f"{self._client.name}: the answer was cut off at {self._max_tokens} tokens, twice"
        raise Failure("malformed", words, again=False)

    def _widen(self, *, thinking: bool) -> None:
        self._max_tokens = max(_LEAST_ROOM, _MORE_ROOM * (self._max_tokens or 0))
        if thinking:
            # All of it went into thinking, and so it would the next time: this model needs more from the start.
            self._max_tokens = max(self._max_tokens, _THINKING_ROOM)
            self._client._accepted.allow(self._max_tokens)


class _CutOff(Exception):
    """A reply that ran into its token limit, perhaps before it said a word."""

    def __init__(self, thinking: bool) -> None:
        self.thinking = thinking


_REPHRASABLE = ("bad_request", "server", "not_a_model_server", "unknown_model")


def _reply(entry: Entry, *, cached: bool) -> Reply:
    tokens = Tokens(entry.input, entry.output)
    return Reply(entry.text, tokens, entry.seconds, cached, entry.data, entry.model.endswith(_SCRIPTED))


def _said_by(body: Mapping[str, Any]) -> str:
    """The name under which the endpoint says it answered; the scripted server's is marked, also in the cache."""
    scripted = body.get("system_fingerprint") == FINGERPRINT
    return str(body.get("model") or "") + (_SCRIPTED if scripted else "")


def _choice(body: Mapping[str, Any], url: str) -> Mapping[str, Any]:
    choices = body["choices"]
    if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        raise Failure("malformed", f"{url} sent a reply without a message", again=True)
    return choices[0]


def _content(message: Mapping[str, Any]) -> str:
    """The message's text, which some endpoints send in parts."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return well_formed(content) if isinstance(content, str) else ""


def _tokens(body: Mapping[str, Any], call: Call, text: str) -> Tokens:
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    given = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if isinstance(given[0], int) and isinstance(given[1], int):
        return Tokens(max(0, given[0]), max(0, given[1]))
    from memtriage.text.tokens import count_tokens

    return Tokens(_prompt_tokens(call), count_tokens(text))


def _prompt_tokens(call: Call) -> int:
    """About how many tokens a prompt has, with the few that every message adds."""
    from memtriage.text.tokens import count_tokens

    return sum(count_tokens(message.content) + 4 for message in call.messages)


def _room(spec: ModelSpec, call: Call) -> int | None:
    """The longest reply that is asked for; what the user says of the model goes before what the caller needs."""
    return spec.settings.max_tokens or call.max_tokens


def _estimate(spec: ModelSpec, ledger: Ledger, call: Call) -> Decimal:
    if ledger.max_cost is None:
        return Decimal(0)
    output = _room(spec, call) or _USUAL_OUTPUT
    return price(spec, Tokens(_prompt_tokens(call), output)) or Decimal(0)
