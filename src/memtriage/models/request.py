"""The body of a chat request, adapted to what an endpoint has shown it accepts."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtriage.core.chat import Call
from memtriage.models.failures import HttpAnswer
from memtriage.models.keys import sends_secrets_in_the_clear
from memtriage.models.spec import JsonMode, ModelSpec
from memtriage.models.structured import description, strict_form
from memtriage.text.words import well_formed

log = logging.getLogger(__name__)

_MODES: tuple[JsonMode, ...] = ("schema", "object", "none")
_DROPPABLE = ("temperature", "top_p", "seed", "reasoning_effort")
# What libraries send as well, and can do without.
_LIBRARY_PARAMETERS = ("frequency_penalty", "presence_penalty", "parallel_tool_calls", "store", "user")
_LIMITS = ("max_tokens", "max_completion_tokens")
_REJECTED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|not permitted|not allowed"
    r"|deprecated|invalid|only the default|too large|no such|cannot both",
    re.IGNORECASE,
)
# A request that any endpoint would reject is not put another way: the error is for whoever wrote it.
_WRONG = re.compile(r"invalid[_ ](?:json[_ ])?schema|must contain the word", re.IGNORECASE)
_FORMAT = re.compile(
    r"response[_ ]format|json[_ ]?schema|json[_ ]object|structured output|json mode|grammar|tool_?choice|tool use"
    r"|response_?mime",
    re.IGNORECASE,
)
_STREAM = re.compile(
    r"only supports? stream|stream(?:ing)? (?:mode|is required)|must be streamed|streaming is required"
    r"|set .{0,3}stream.{0,3} to true",
    re.IGNORECASE,
)
# The same parameter under the names that providers' own formats have for it.
_SPELLINGS = {"top_p": "top_p|topP", "reasoning_effort": r"reasoning_effort|effort|thinking\w*"}
# Some servers call an unknown kind of response_format an internal error.
_STATUSES = (400, 404, 422, 500, 501)
# An endpoint ignores the format if more than this share of replies, and more than one, are not as it says.
_IGNORED_SHARE = 0.1
# No tokenizer makes less than one token of a word between blanks, but for a few that join words; these come to 0.87
# tokens a word on prose. Where fewer are reported than this share of the words, some were not read.
_LEAST_TOKENS_A_WORD = 0.75
# Windows are set in such steps. Several prompts that fill the same one, and none that goes beyond it, were cut there.
_WINDOW_STEP = 256
# No window is smaller: who reports less doesn't count, or counts only what was not read before.
_LEAST_WINDOW = 256
_FILLED_ALIKE = 3


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
    ignores_format: bool = False
    only_streams: bool = False
    notes: list[str] = field(default_factory=list)
    _fitting: int = 0
    _unfitting: int = 0
    _windows: set[int] = field(default_factory=set)
    _longest: int = 0
    _filled: set[int] = field(default_factory=set)

    @classmethod
    def expected(cls, spec: ModelSpec) -> Capabilities:
        """The best guess before anything was sent."""
        own = spec.provider == "openai" and spec.base_url == "https://api.openai.com/v1"
        found = cls(spec, spec.settings.json, "max_completion_tokens" if own else "max_tokens")
        if spec.wire in ("anthropic", "bedrock") and spec.settings.seed is not None:
            found.dropped.add("seed")
            found.notes.append(f"{spec.name} takes no seed={spec.settings.seed}; it was left out")
        if sends_secrets_in_the_clear(spec):
            found.notes.append(f"{spec.name} is asked over plain http: others on the way can read its key; use https")
        return found

    def body(self, call: Call, *, max_tokens: int | None, was_malformed: bool = False) -> dict[str, Any]:
        """The request for a call. `was_malformed`: an earlier reply to it was not JSON."""
        messages = [{"role": each.role, "content": well_formed(each.content)} for each in call.messages]
        body: dict[str, Any] = {"model": self.spec.model, "messages": messages}
        for name in _DROPPABLE:
            value = getattr(self.spec.settings, name)
            if name == "temperature" and value is None:
                value = call.temperature
            if value is not None and name not in self.dropped:
                body[name] = value
        if max_tokens is not None and self.limit_name is not None:
            body[self.limit_name] = max(max_tokens, self.least_tokens)
        if call.schema is not None:
            self._bind(body, call.schema.name, call.schema.json, was_malformed=was_malformed)
        return body | self._streaming()

    def adapted(self, body: Mapping[str, Any], *, was_malformed: bool = False) -> dict[str, Any]:
        """A library's request, changed only where the endpoint would reject it, or ignore what it asks for."""
        fit = {name: value for name, value in body.items() if name not in self.dropped}
        limit = next((body[name] for name in _LIMITS if name in self.dropped and name in body), None)
        if limit is not None and self.limit_name is not None:
            fit.setdefault(self.limit_name, limit)
        if self.loosens(body):
            _describe_format(fit, bound="object" if self.mode == "object" else None)
        elif format_kind(body) == "schema" and (self.ignores_format or was_malformed):
            _describe_format(fit, bound="schema")
        return fit | self._streaming()

    def _streaming(self) -> dict[str, Any]:
        return {"stream": True, "stream_options": {"include_usage": True}} if self.only_streams else {}

    def loosens(self, body: Mapping[str, Any]) -> bool:
        """Whether a library's request binds the reply to more than the endpoint can be bound to."""
        kind = format_kind(body)
        return kind is not None and _MODES.index(self.mode) > _MODES.index(kind)

    def learn(self, sent: Mapping[str, Any], answer: HttpAnswer) -> bool:
        """Whether a rejected request can be put another way, which the next one will be."""
        text = answer.text
        if answer.status not in _STATUSES or _WRONG.search(text):
            return False
        if _STREAM.search(text) and not sent.get("stream"):
            self.only_streams = True
            return True
        rejected = answer.status < 500 or not self._fitting
        if rejected and (kind := format_kind(sent)) is not None and _FORMAT.search(text):
            self._weaken(kind)
            return True
        if answer.status >= 500 or not _REJECTED.search(text):
            return False
        return self._rename_limit(sent, text) or self._drop(sent, text)

    def saw_bound_reply(self, *, fits: bool) -> None:
        """Count a reply that only its response_format bound to a schema; the prompt did not speak of it."""
        self._fitting += fits
        self._unfitting += not fits
        bad, all_replies = self._unfitting, self._unfitting + self._fitting
        if not self.ignores_format and bad > 1 and bad > _IGNORED_SHARE * all_replies:
            self.ignores_format = True
            words = f"{self.spec.name} takes a response_format and ignores it; the schema is put in the prompt as well"
            self.notes.append(words)

    def cut_prompt(self, texts: Iterable[str], reported: int, counted: int) -> str | None:
        """What to say where the endpoint read only a part of a prompt, as `reported` shows; None where it read it all.

        Tokenizers differ, so a smaller number proves little. Two things do: fewer tokens than the prompt has words, and
        several prompts, all longer by our count, that end at the same round number which none exceeds.
        """
        filled = self._fills_window(reported, counted)
        if not _LEAST_WINDOW <= reported < counted:
            return None
        if filled or reported < _LEAST_TOKENS_A_WORD * sum(len(text.split()) for text in texts):
            self._windows.add(reported)
        if reported not in self._windows:
            return None
        remedy = "serve it with a larger window (Ollama: OLLAMA_CONTEXT_LENGTH=32768, or num_ctx in a Modelfile)"
        told = f"{self.spec.name} cuts prompts without saying so"
        if not any(note.startswith(told) for note in self.notes):
            self.notes.append(f"{told}: it read {reported} of about {counted} tokens; {remedy}")
            log.warning(self.notes[-1])
        return f"{self.spec.name} read only {reported} of about {counted} tokens of the prompt; {remedy}"

    def _fills_window(self, reported: int, counted: int) -> bool:
        if reported > self._longest:
            self._longest = reported
            self._filled.clear()
        if reported != self._longest or reported < _LEAST_WINDOW or (reported + 1) % _WINDOW_STEP > 1:
            return False
        self._filled.add(counted)
        return len(self._filled) >= _FILLED_ALIKE

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
        if self.describes_schema(was_malformed=was_malformed):
            last = body["messages"][-1]
            last["content"] = f"{last['content']}\n\n{description(schema)}"

    def describes_schema(self, *, was_malformed: bool) -> bool:
        """Whether the prompt says the schema: where the endpoint can't be bound to it, or doesn't keep to it."""
        return self.mode != "schema" or self.ignores_format or was_malformed

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
            name
            for name in (*_DROPPABLE, *_LIBRARY_PARAMETERS)
            if name in sent and re.search(rf"\b(?:{_SPELLINGS.get(name, name)})\b", text)
        ]
        for name in named:
            if name not in self.dropped:
                self.dropped.add(name)
                self.notes.append(f"{self.spec.name} takes no {name}={sent[name]}; it was left out")
        return bool(named)


def _describe_format(body: dict[str, Any], *, bound: JsonMode | None) -> None:
    """Ask for an object in the prompt, and bind the endpoint to no more than it can be bound to."""
    asked = body["response_format"]
    if bound is None:
        del body["response_format"]
    elif bound == "object":
        body["response_format"] = {"type": "json_object"}
    if asked["type"] != "json_schema":
        return
    words = description(asked["json_schema"].get("schema") or {})
    *before, last = body["messages"]
    content = last.get("content")
    longer = [*content, {"type": "text", "text": words}] if isinstance(content, list) else f"{content or ''}\n\n{words}"
    body["messages"] = [*before, {**last, "content": longer}]
