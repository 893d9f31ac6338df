"""Requests that libraries write: passed on as they are, with the user's model and settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memtriage.core.chat import ModelError, Tokens, Trouble
from memtriage.models.cache import CacheEntry, relay_key
from memtriage.models.call import USUAL_OUTPUT, Exchange, MeteredModel
from memtriage.models.endpoint import Sent
from memtriage.models.failures import Failure, GaveUp
from memtriage.models.openai_format import first_choice, usage_in
from memtriage.models.request import Capabilities, format_kind
from memtriage.models.spec import ModelSettings, ModelSpec
from memtriage.models.structured import parse, without_thoughts
from memtriage.text.tokens import count_tokens

RelayPath = Literal["/chat/completions", "/responses"]

# A bad reply is asked for again this often; then it is the library's to deal with, as it would have been.
_SECOND_TRIES = 2
_LIMITS: dict[RelayPath, tuple[str, ...]] = {
    "/chat/completions": ("max_completion_tokens", "max_tokens"),
    "/responses": ("max_output_tokens",),
}


@dataclass(frozen=True, slots=True)
class Relayed:
    """A reply for the library. `problem` says what is wrong with it, where asking again didn't help."""

    body: dict[str, Any]
    problem: ModelError | None = None


class Relay(MeteredModel):
    """One path of one endpoint, for requests that libraries write."""

    path: RelayPath

    async def ask(self, body: Mapping[str, Any], repeat: int = 0) -> Relayed:
        """The reply to a request, whole even where a stream was asked for; ModelError where there is none."""
        request = _with_settings(self.spec, self.path, body)
        key = relay_key(self.spec, self.path, request, repeat)
        exchange = _RelayExchange(self, request, key)
        try:
            entries, _ = await self._entries([key], exchange.role, exchange.stage, lambda _: [exchange])
        except GaveUp as error:
            if error.reply is None:
                raise
            return Relayed(error.reply, error)
        return Relayed(json.loads(entries[key].text))


class ChatRelay(Relay):
    """A relay for chat completions."""

    path = "/chat/completions"


class ResponsesRelay(Relay):
    """A relay for OpenAI's newer /responses."""

    path = "/responses"


class _RelayExchange(Exchange):
    """A library's request, and a check for replies that the endpoint spoilt."""

    role = "internal"
    stage = "internal"
    path: RelayPath
    capabilities: Capabilities

    def __init__(self, relay: Relay, request: dict[str, Any], key: str) -> None:
        self.id, self.keys = key, [key]
        self.path = relay.path
        self.capabilities = relay.capabilities
        self._name, self._url = relay.name, relay.endpoint.url
        self._request = request
        self._bad_replies = 0
        self._malformed = 0
        self._only_bound = False

    def expected(self) -> Tokens:
        limits = (self._request.get(name) for name in _LIMITS[self.path])
        return Tokens(self._prompt_tokens(), next((limit for limit in limits if isinstance(limit, int)), USUAL_OUTPUT))

    def body(self) -> dict[str, Any]:
        malformed = self._malformed > 0
        self._only_bound = format_kind(self._request) == "schema" and not self.capabilities.describes_schema(
            was_malformed=malformed
        )
        return self.capabilities.adapted(self._request, was_malformed=malformed)

    def misfit(self) -> None:
        self._malformed += 1
        if self._only_bound:
            self.capabilities.saw_bound_reply(fits=False)

    def tokens(self, reply: dict[str, Any]) -> Tokens:
        return usage_in(reply) or Tokens(self._prompt_tokens(), _count([reply.get("choices"), reply.get("output")]))

    def read(self, sent: Sent, tokens: Tokens) -> Mapping[str, CacheEntry]:
        said = _texts([self._request.get(name) for name in ("messages", "input", "instructions")])
        if problem := self.capabilities.cut_prompt(said, tokens.input, self._prompt_tokens()):
            raise Failure("context", problem, again=False)
        if self.path == "/chat/completions":
            self._check(sent.body)
        text = json.dumps(sent.body, ensure_ascii=True)
        return {self.id: CacheEntry(text, tokens.input, tokens.output, sent.seconds, str(sent.body.get("model") or ""))}

    def _prompt_tokens(self) -> int:
        parts = ("messages", "input", "instructions", "tools", "response_format")
        return _count([self._request.get(name) for name in parts])

    def _check(self, reply: dict[str, Any]) -> None:
        """Refuse a reply that is empty, refused or not the JSON asked for; whatever else it says is for the library."""
        choice = first_choice(reply, self._url)
        message, cut = choice["message"], choice.get("finish_reason") == "length"
        if message.get("refusal"):
            self._refuse(reply, "refusal", f"{self._name} refused: {message['refusal']}")
        if choice.get("finish_reason") == "content_filter":
            self._refuse(reply, "refusal", f"{self._name}: a content filter stopped the answer", again=False)
        if message.get("tool_calls") or message.get("function_call") or message.get("audio"):
            return
        text = message.get("content")
        if not text or (isinstance(text, str) and not without_thoughts(text)):
            why = ": its tokens ran out before it said a word" if cut else ""
            self._refuse(reply, "empty", f"{self._name} sent an empty answer{why}", again=not cut)
        if format_kind(self._request) is not None and isinstance(text, str):
            self._check_json(reply, message, text, cut=cut)

    def _check_json(self, reply: dict[str, Any], message: dict[str, Any], text: str, *, cut: bool) -> None:
        """Ask again for what is not the JSON asked for. Valid JSON of another shape is the library's in the end."""
        asked = self._request["response_format"].get("json_schema") or {}
        is_json = _is_json(text)
        try:
            found = parse(text, _checkable(asked.get("schema")), close=False)
        except ModelError:
            if not cut:
                self.misfit()
            if is_json and (cut or self._malformed > _SECOND_TRIES):
                return
            why = "was cut off at its token limit" if cut else "is not the JSON asked for"
            words = f"{self._name}: the answer {why} (it begins {' '.join(text[:60].split())!r})"
            self._refuse(reply, "malformed", words, again=not cut)
        else:
            if self._only_bound:
                self.capabilities.saw_bound_reply(fits=is_json)
            elif not is_json:  # asked for in words, it may come with words around it
                message["content"] = json.dumps(found, ensure_ascii=False)

    def _refuse(self, reply: dict[str, Any], trouble: Trouble, words: str, *, again: bool = True) -> None:
        self._bad_replies += 1
        raise Failure(trouble, words, again=again and self._bad_replies <= _SECOND_TRIES, reply=reply)


def _with_settings(spec: ModelSpec, path: RelayPath, body: Mapping[str, Any]) -> dict[str, Any]:
    """The request as it is sent: the user's model, and the user's settings where there are any."""
    request = {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
    return request | {"model": spec.model} | _settings(spec.settings, path, request)


def _settings(settings: ModelSettings, path: RelayPath, body: Mapping[str, Any]) -> dict[str, Any]:
    given = settings.named()
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


def _checkable(schema: Any) -> dict[str, Any]:
    """As much of a library's schema as is sure to be read rightly: which fields the object must have."""
    required = schema.get("required") if isinstance(schema, Mapping) else None
    return {"type": "object", "required": [name for name in required if isinstance(name, str)]} if required else {}


def _count(value: Any) -> int:
    """About how many tokens the texts in a JSON value have."""
    return sum(count_tokens(text) for text in _texts(value))


def _texts(value: Any) -> list[str]:
    """The texts in a JSON value. Pictures and sounds, which are long and no words, are left out."""
    if isinstance(value, str):
        return [] if value.startswith("data:") else [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else []
