"""The body of a chat request, adapted to what an endpoint has shown it accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtriage.core.chat import Call
from memtriage.models.failures import HttpAnswer
from memtriage.models.spec import JsonMode, ModelSpec
from memtriage.models.structured import description, strict_form
from memtriage.text.words import well_formed

_MODES: tuple[JsonMode, ...] = ("schema", "object", "none")
_DROPPABLE = ("temperature", "top_p", "seed", "reasoning_effort")
# What libraries send as well, and can do without.
_LIBRARY_PARAMETERS = ("frequency_penalty", "presence_penalty", "parallel_tool_calls", "store", "user")
_LIMITS = ("max_tokens", "max_completion_tokens")
_REJECTED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|not permitted|not allowed"
    r"|deprecated|invalid|only the default|too large|no such",
    re.IGNORECASE,
)
# A request that any endpoint would reject is not put another way: the error is for whoever wrote it.
_WRONG = re.compile(r"invalid[_ ](?:json[_ ])?schema|must contain the word", re.IGNORECASE)
_FORMAT = re.compile(r"response[_ ]format|json[_ ]schema|json[_ ]object|structured output|json mode|grammar", re.I)
# Some servers call an unknown kind of response_format an internal error.
_STATUSES = (400, 404, 422, 500, 501)
_MANY_MALFORMED = 3


def format_kind(body: Mapping[str, Any]) -> JsonMode | None:
    """What a chat request binds its reply to: a schema, an object, or nothing."""
    asked = body.get("response_format")
    if not isinstance(asked, Mapping):
        return None
    if asked.get("type") == "json_schema":
        return "schema" if isinstance(asked.get("json_schema"), Mapping) else None
    return "object" if asked.get("type") == "json_object" else None


@dataclass(slots=True)
class Capabilities:
    """What an endpoint accepts, learned from what it rejected. `notes` tells the user."""

    spec: ModelSpec
    mode: JsonMode = "schema"
    limit_name: str | None = "max_tokens"
    least_tokens: int = 0
    dropped: set[str] = field(default_factory=set)
    schema_works: bool = False
    malformed: int = 0
    notes: list[str] = field(default_factory=list)

    @classmethod
    def expected(cls, spec: ModelSpec) -> Capabilities:
        """The best guess before anything was sent."""
        own = spec.provider == "openai" and spec.base_url == "https://api.openai.com/v1"
        return cls(spec, spec.settings.json, "max_completion_tokens" if own else "max_tokens")

    def body(self, call: Call, *, max_tokens: int | None, was_malformed: bool = False) -> dict[str, Any]:
        """The request for a call. `was_malformed`: an earlier reply to it was not JSON."""
        messages = [{"role": each.role, "content": well_formed(each.content)} for each in call.messages]
        body: dict[str, Any] = {"model": self.spec.model, "messages": messages}
        for name in _DROPPABLE:
            value = getattr(self.spec.settings, name)
            if value is not None and name not in self.dropped:
                body[name] = value
        if max_tokens is not None and self.limit_name is not None:
            body[self.limit_name] = max(max_tokens, self.least_tokens)
        if call.schema is not None:
            self._bind(body, call.schema.name, call.schema.json, was_malformed=was_malformed)
        return body

    def adapted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A library's request, changed only where the endpoint would reject it."""
        fit = {name: value for name, value in body.items() if name not in self.dropped}
        limit = next((body[name] for name in _LIMITS if name in self.dropped and name in body), None)
        if limit is not None and self.limit_name is not None:
            fit.setdefault(self.limit_name, limit)
        if self.loosens(body):
            _describe_format(fit, bound=self.mode == "object")
        return fit

    def loosens(self, body: Mapping[str, Any]) -> bool:
        """Whether a library's request binds the reply to more than the endpoint can be bound to."""
        kind = format_kind(body)
        return kind is not None and _MODES.index(self.mode) > _MODES.index(kind)

    def learn(self, sent: Mapping[str, Any], answer: HttpAnswer) -> bool:
        """Whether a rejected request can be put another way, which the next one will be."""
        text = answer.text
        if answer.status not in _STATUSES or _WRONG.search(text):
            return False
        rejected = answer.status < 500 or not self.schema_works
        if rejected and (kind := format_kind(sent)) is not None and _FORMAT.search(text):
            self._weaken(kind)
            return True
        if answer.status >= 500 or not _REJECTED.search(text):
            return False
        return self._rename_limit(sent, text) or self._drop(sent, text)

    def allow(self, tokens: int) -> None:
        """Give every reply at least this much room from now on."""
        if tokens > self.least_tokens:
            self.least_tokens = tokens
            self.notes.append(f"{self.spec.name} thinks before it answers; replies may take up to {tokens} tokens")

    def _bind(self, body: dict[str, Any], name: str, schema: Mapping[str, Any], *, was_malformed: bool) -> None:
        closed, strict = strict_form(schema)
        if self.mode == "schema":
            json_schema = {"name": name, "schema": closed, "strict": strict}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        elif self.mode == "object":
            body["response_format"] = {"type": "json_object"}
        # Some endpoints accept the schema and ignore it; then the prompt has to say it as well.
        ignored = not self.schema_works and (was_malformed or self.malformed >= _MANY_MALFORMED)
        if self.mode != "schema" or ignored:
            last = body["messages"][-1]
            last["content"] = f"{last['content']}\n\n{description(schema)}"

    def _weaken(self, kind: JsonMode) -> None:
        weaker = _MODES[_MODES.index(kind) + 1]
        if _MODES.index(weaker) > _MODES.index(self.mode):
            self.mode = weaker
            name = f"json_{kind}"
            self.notes.append(f"{self.spec.name} takes no response_format {name}; the schema is put in the prompt")

    def _rename_limit(self, sent: Mapping[str, Any], text: str) -> bool:
        for name, other in (("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")):
            if name not in sent or not re.search(rf"\b{name}\b", text):
                continue
            if self.limit_name == name:
                tried = other in self.dropped or "too large" in text
                self.limit_name = None if tried else other
                if tried:
                    self.notes.append(f"{self.spec.name} takes no {name}; replies are not limited")
            self.dropped.add(name)  # a library may use the other name from the start
            return True
        return False

    def _drop(self, sent: Mapping[str, Any], text: str) -> bool:
        named = [
            name for name in (*_DROPPABLE, *_LIBRARY_PARAMETERS) if name in sent and re.search(rf"\b{name}\b", text)
        ]
        for name in named:
            if name not in self.dropped:
                self.dropped.add(name)
                self.notes.append(f"{self.spec.name} takes no {name}={sent[name]}; it was left out")
        return bool(named)


def _describe_format(body: dict[str, Any], *, bound: bool) -> None:
    """Ask for an object in the prompt, where the request would bind the endpoint to it."""
    asked = body.pop("response_format")
    if bound:
        body["response_format"] = {"type": "json_object"}
    if asked["type"] != "json_schema":
        return
    words = description(asked["json_schema"].get("schema") or {})
    *before, last = body["messages"]
    content = last.get("content")
    longer = [*content, {"type": "text", "text": words}] if isinstance(content, list) else f"{content or ''}\n\n{words}"
    body["messages"] = [*before, {**last, "content": longer}]
