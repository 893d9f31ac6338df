"""Files of calls and of replies: how OpenAI's and Anthropic's batches write them, and a plain form for anyone else.

A line of calls has a `custom_id`, and so has the line with its reply. A plain reply is
`{"custom_id": "…", "reply": "text, or the object that was asked for"}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from memtriage.core.chat import FINGERPRINT, Call, ModelError, Tokens
from memtriage.host.inputs import BadJson, loads
from memtriage.models.cache import SCRIPTED_MARK, CacheEntry
from memtriage.models.held import DueCall
from memtriage.models.openai_format import usage_in
from memtriage.models.request import Capabilities
from memtriage.models.spec import ModelSpec
from memtriage.models.structured import parse, without_thoughts
from memtriage.models.wire.anthropic import AnthropicFormat
from memtriage.text.tokens import count_tokens
from memtriage.text.words import well_formed

Format = Literal["openai", "anthropic", "plain"]

_BOUND = {"response_format": {"type": "json_schema", "json_schema": {}}}
"""A request whose reply is the input of a tool, if one was used."""


class BadReply(Exception):
    """A line that holds no usable reply; the message says why."""


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """One line of a file of replies, whatever its format."""

    id: str
    text: str
    tokens: Tokens | None = None
    model: str = ""
    cut_off: bool = False


# ------------------------------------------------------------------ calls


def call_line(due: DueCall, form: Format) -> dict[str, Any]:
    """A call as a line of a file in this format."""
    return _FORMS[form](due)


def _openai(due: DueCall) -> dict[str, Any]:
    return {"custom_id": due.id, "method": "POST", "url": "/v1/chat/completions", "body": chat_body(due)}


def chat_body(due: DueCall) -> dict[str, Any]:
    """The request as OpenAI's chat completions have it."""
    spec = ModelSpec.parse(due.model)
    expected = Capabilities.expected(spec)
    if spec.is_by_file:
        expected.limit_name = "max_completion_tokens"  # what OpenAI's own batches take from every model
    return expected.body(due.call, max_tokens=spec.settings.max_tokens or due.call.max_tokens)


def _anthropic(due: DueCall) -> dict[str, Any]:
    return {"custom_id": due.id, "params": AnthropicFormat().request(chat_body(due))}


def _plain(due: DueCall) -> dict[str, Any]:
    call = due.call
    return {
        "custom_id": due.id,
        "model": due.model,
        "role": call.role,
        "stage": call.stage,
        "messages": [{"role": each.role, "content": well_formed(each.content)} for each in call.messages],
        "schema": None if call.schema is None else call.schema.json,
        "max_tokens": call.max_tokens,
    }


_FORMS: Mapping[Format, Callable[[DueCall], dict[str, Any]]] = MappingProxyType(
    {"openai": _openai, "anthropic": _anthropic, "plain": _plain}
)

# ------------------------------------------------------------------ replies


def read_line(line: bytes) -> ReplyLine:
    """The reply in a line of a file; BadReply says what is wrong with it."""
    try:
        record = loads(line)
    except BadJson as error:
        raise BadReply(f"it is not JSON ({error})") from None
    if not isinstance(record, dict) or not isinstance(record.get("custom_id"), str):
        raise BadReply("it is no object with a custom_id")
    for key, reader in (("response", _openai_reply), ("result", _anthropic_reply), ("reply", _plain_reply)):
        if record.get(key) is not None:
            return reader(record["custom_id"], record[key], record)
    if record.get("error"):
        raise BadReply(f"the provider reports an error: {_short(record['error'])}")
    raise BadReply("it has none of response (OpenAI), result (Anthropic) and reply (plain)")


def _openai_reply(id: str, response: Any, record: Mapping[str, Any]) -> ReplyLine:
    body = response.get("body") if isinstance(response, dict) else None
    if record.get("error") or not isinstance(body, dict) or response.get("status_code", 200) != 200:
        raise BadReply(f"the provider reports an error: {_short(record.get('error') or body or response)}")
    return chat_reply(id, body)


def chat_reply(id: str, body: Mapping[str, Any]) -> ReplyLine:
    """The reply in a chat completion."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadReply("its body has no message")
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise BadReply(f"the model refused: {_short(message.get('refusal') or 'a content filter stopped it')}")
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        raise BadReply("its message has no text")
    scripted = body.get("system_fingerprint") == FINGERPRINT
    model = str(body.get("model") or "") + (SCRIPTED_MARK if scripted else "")
    return ReplyLine(id, content, usage_in(body), model, choice.get("finish_reason") == "length")


def _anthropic_reply(id: str, result: Any, record: Mapping[str, Any]) -> ReplyLine:
    message = result.get("message") if isinstance(result, dict) else None
    if not isinstance(message, dict) or result.get("type") != "succeeded":
        raise BadReply(f"the provider reports an error: {_short(result)}")
    try:
        return chat_reply(id, AnthropicFormat().reply(message, _BOUND))
    except (KeyError, TypeError, AttributeError):
        raise BadReply("its message is not as Anthropic's API has it") from None


def _plain_reply(id: str, reply: Any, record: Mapping[str, Any]) -> ReplyLine:
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return ReplyLine(id, text, usage_in({"usage": record}), str(record.get("model") or ""))


def cache_entry(call: Call, reply: ReplyLine) -> CacheEntry:
    """The reply to a call as the cache keeps it; BadReply if it is empty, cut off or not what was asked for."""
    text = well_formed(reply.text)
    bare = without_thoughts(text)
    if not bare:
        raise BadReply("the reply is empty")
    if reply.cut_off and call.schema is not None:
        raise BadReply("the reply was cut off by a limit on tokens")
    data = None
    if call.schema is not None:
        try:
            data = parse(text, call.schema.json, close=False)
        except ModelError as error:
            raise BadReply(f"the reply doesn't fit the schema: {error}") from None
    prompt = sum(count_tokens(message.content) + 4 for message in call.messages)
    tokens = reply.tokens or Tokens(prompt, count_tokens(text))
    return CacheEntry(text if data is not None else bare, tokens.input, tokens.output, 0.0, reply.model, data)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:199]}…"
