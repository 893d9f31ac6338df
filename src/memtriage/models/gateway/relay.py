"""Somebody else's requests to a chat model: passed on as they were written, with the user's model and settings.

Retries, limiter, budget, bill and cache are those of every other call. A library that asks the same twice pays once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from memtriage.core.chat import ModelError, Role, Tokens, Trouble
from memtriage.models.cache import Cache, Entry, relay_key
from memtriage.models.endpoint import BACKOFF, MAX_RETRIES, Endpoint
from memtriage.models.failures import Failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.in_flight import Flights
from memtriage.models.ledger import Ledger, tally_failure
from memtriage.models.limiter import Limiter
from memtriage.models.prices import price
from memtriage.models.request import Accepted, format_kind
from memtriage.models.spec import ModelSpec, Settings
from memtriage.models.structured import parse, without_thoughts

RelayPath = Literal["/chat/completions", "/responses"]

# A bad reply is asked for again this often; then it is the library's to deal with, as it would have been.
_SECOND_TRIES = 2
_USUAL_OUTPUT = 600
_REPHRASABLE: tuple[Trouble, ...] = ("bad_request", "server", "not_a_model_server", "unknown_model")
_LIMITS: dict[RelayPath, tuple[str, ...]] = {
    "/chat/completions": ("max_completion_tokens", "max_tokens"),
    "/responses": ("max_output_tokens",),
}


@dataclass(frozen=True, slots=True)
class Relayed:
    """A reply for the one who asked. `problem` says what is wrong with it, where asking again didn't help."""

    body: dict[str, Any]
    cached: bool = False
    problem: ModelError | None = None


class Relay:
    """One path of one endpoint, for requests that others wrote; it belongs to one event loop."""

    def __init__(
        self,
        spec: ModelSpec,
        path: RelayPath,
        *,
        cache: Cache | None,
        limiter: Limiter,
        ledger: Ledger,
        accepted: Accepted | None = None,
        max_retries: int = MAX_RETRIES,
        backoff: float = BACKOFF,
        role: Role = "internal",
        stage: str = "internal",
    ) -> None:
        self.spec = spec
        self.path: RelayPath = path
        self.cache = cache
        self.ledger = ledger
        self.accepted = accepted or Accepted.at_first(spec)
        self.endpoint = Endpoint(
            spec, limiter=limiter, ledger=ledger, max_retries=max_retries, timeout=None, backoff=backoff, seed=0
        )
        ledger.admit(spec)
        self._role: Role = role
        self._stage = stage
        self._flights: Flights[Relayed] = Flights()

    async def ask(self, body: Mapping[str, Any], repeat: int = 0) -> Relayed:
        """The reply to a request, whole even where a stream was asked for; ModelError where there is none."""
        wanted = _wanted(self.spec, self.path, body)
        key = relay_key(self.spec, self.path, wanted, repeat)
        if self.cache is not None and (entry := self.cache.get(key)) is not None:
            self.ledger.hit(self._role, self._stage)
            return Relayed(json.loads(entry.text), cached=True)
        relayed, shared = await self._flights.join(key, lambda: self._settle(wanted, key))
        if not shared:
            return relayed
        if relayed.problem is not None:
            tally_failure(relayed.problem.trouble)
            return relayed
        self.ledger.hit(self._role, self._stage)
        return replace(relayed, cached=True)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.endpoint.aclose()

    async def _settle(self, wanted: dict[str, Any], key: str) -> Relayed:
        mark = IdempotencyKey(key, self.cache)
        attempt = _Attempt(self, wanted, mark)
        try:
            async with self.ledger.reserved(self._estimate(wanted)):
                entry = await self.endpoint.persist(attempt, self._role, self._stage)
        except ModelError as error:
            mark.failed()
            self.ledger.failed(self._role, self._stage, error.trouble)
            if attempt.said is None or error.trouble != attempt.wrong:
                raise
            return Relayed(attempt.said, problem=error)
        self.ledger.answered(self._role, self._stage)
        if self.cache is not None:
            self.cache.put(key, entry)
        return Relayed(json.loads(entry.text))

    def _estimate(self, wanted: Mapping[str, Any]) -> Decimal:
        if self.ledger.max_cost is None:
            return Decimal(0)
        limits = (wanted.get(name) for name in _LIMITS[self.path])
        output = next((limit for limit in limits if isinstance(limit, int)), _USUAL_OUTPUT)
        return price(self.spec, Tokens(_prompt_tokens(wanted), output)) or Decimal(0)


class _Attempt:
    """One try after the other at one request. `said` is the last reply that was `wrong` in some way."""

    def __init__(self, relay: Relay, wanted: dict[str, Any], mark: IdempotencyKey) -> None:
        self._relay = relay
        self._wanted = wanted
        self._mark = mark
        self._bad = 0
        self.said: dict[str, Any] | None = None
        self.wrong: Trouble | None = None

    async def __call__(self, again: bool) -> Entry:
        relay = self._relay
        while True:
            body = relay.accepted.fitted(self._wanted)
            try:
                sent = await relay.endpoint.send(relay.path, body, self._mark, again=again)
                break
            except Failure as failure:
                if failure.trouble not in _REPHRASABLE or failure.answer is None:
                    raise
                if not relay.accepted.learn(body, failure.answer) or relay.accepted.fitted(self._wanted) == body:
                    raise
                again = True
        tokens = _tokens(sent.body, self._wanted)
        relay.ledger.spend(relay._role, relay._stage, relay.spec, tokens)
        if relay.path == "/chat/completions":
            self._check(sent.body)
        text = json.dumps(sent.body, ensure_ascii=True)
        return Entry(text, tokens.input, tokens.output, sent.seconds, str(sent.body.get("model") or ""))

    def _check(self, body: dict[str, Any]) -> None:
        """Refuse a reply that the endpoint spoilt; whatever else a model says is for the library."""
        name = self._relay.spec.label
        choices = body["choices"]
        if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
            raise Failure("malformed", f"{self._relay.endpoint.url} sent a reply without a message", again=True)
        choice, message = choices[0], choices[0]["message"]
        cut = choice.get("finish_reason") == "length"
        if message.get("refusal"):
            self._refuse(body, "refusal", f"{name} refused: {message['refusal']}")
        if choice.get("finish_reason") == "content_filter":
            self._refuse(body, "refusal", f"{name}: a content filter stopped the answer", again=False)
        if message.get("tool_calls") or message.get("function_call") or message.get("audio"):
            return
        text = message.get("content")
        if not text or (isinstance(text, str) and not without_thoughts(text)):
            why = ": its tokens ran out before it said a word" if cut else ""
            self._refuse(body, "empty", f"{name} sent an empty answer{why}", again=not cut)
        if format_kind(self._wanted) is not None and isinstance(text, str):
            self._check_json(body, message, text, cut=cut)

    def _check_json(self, body: dict[str, Any], message: dict[str, Any], text: str, *, cut: bool) -> None:
        accepted = self._relay.accepted
        if _is_json(text):
            accepted.proven = accepted.proven or accepted.mode == "schema"
            return
        try:
            found = parse(text, {}, close=False)
        except ModelError:
            why = "was cut off at its token limit" if cut else "is not the JSON asked for"
            words = f"{self._relay.spec.label}: the answer {why} (it begins {' '.join(text[:60].split())!r})"
            self._refuse(body, "malformed", words, again=not cut)
        else:
            if accepted.loosens(self._wanted):  # only asked for in words, it may come with words around it
                message["content"] = json.dumps(found, ensure_ascii=False)

    def _refuse(self, body: dict[str, Any], trouble: Trouble, words: str, *, again: bool = True) -> None:
        self.said, self.wrong = body, trouble
        self._bad += 1
        raise Failure(trouble, words, again=again and self._bad <= _SECOND_TRIES)


def _wanted(spec: ModelSpec, path: RelayPath, body: Mapping[str, Any]) -> dict[str, Any]:
    """The request as it is sent: the user's model, and the user's settings where there are any."""
    wanted = {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
    return wanted | {"model": spec.model} | _settings(spec.settings, path, wanted)


def _settings(settings: Settings, path: RelayPath, body: Mapping[str, Any]) -> dict[str, Any]:
    given = settings.given()
    given.pop("json", None)
    limit = given.pop("max_tokens", None)
    if path == "/responses":
        given.pop("seed", None)  # there is no such thing there
        effort = given.pop("reasoning_effort", None)
        if effort is not None:
            asked = body.get("reasoning")
            given["reasoning"] = {**(asked if isinstance(asked, Mapping) else {}), "effort": effort}
    if limit is not None:
        names = [name for name in _LIMITS[path] if name in body]
        given |= dict.fromkeys(names or (_LIMITS[path][-1],), limit)
    return given


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _tokens(body: Mapping[str, Any], wanted: Mapping[str, Any]) -> Tokens:
    """What a reply took, as the endpoint says, or else counted."""
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    for names in (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens")):
        given = [counts.get(name) for name in names]
        if all(isinstance(count, int) for count in given):
            return Tokens(max(0, given[0] or 0), max(0, given[1] or 0))
    return Tokens(_prompt_tokens(wanted), _counted([body.get("choices"), body.get("output")]))


def _prompt_tokens(wanted: Mapping[str, Any]) -> int:
    return _counted([wanted.get(name) for name in ("messages", "input", "instructions", "tools", "response_format")])


def _counted(value: Any) -> int:
    """About how many tokens the texts in a JSON value have."""
    from memtriage.text.tokens import count_tokens

    if isinstance(value, str):
        return count_tokens(value)
    if isinstance(value, Mapping):
        return sum(_counted(each) for each in value.values())
    return sum(_counted(each) for each in value) if isinstance(value, list) else 0
