"""OpenAI's response bodies: those that several servers here send, and what clients read in them."""

from __future__ import annotations

import base64
import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memtriage.core.chat import Tokens
from memtriage.models.failures import Failure, error_body, status_failure


def models_body(names: Iterable[str]) -> dict[str, Any]:
    """The list of models."""
    return {"object": "list", "data": [model_body(name) for name in names]}


def model_body(name: str) -> dict[str, Any]:
    """One model."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "memtriage"}


def embeddings_body(model: str, vectors: Sequence[Sequence[float]], tokens: int, *, packed: bool) -> dict[str, Any]:
    """What /embeddings returns; `packed` vectors are base64, as OpenAI's SDK asks for them."""
    data = [
        {"object": "embedding", "index": n, "embedding": packed_vector(vector) if packed else list(vector)}
        for n, vector in enumerate(vectors)
    ]
    return {
        "object": "list",
        "model": model,
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def packed_vector(vector: Iterable[float]) -> str:
    """The vector as 32-bit floats in base64."""
    return base64.b64encode(array("f", vector).tobytes()).decode()


def first_choice(reply: Mapping[str, Any], url: str) -> dict[str, Any]:
    """The first choice of a chat completion; Failure where it has no message."""
    choices = reply["choices"]
    if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        raise Failure("malformed", f"{url} sent a reply without a message", again=True)
    return choices[0]


def assembled(events: str, url: str) -> dict[str, Any]:
    """The chat completion that the events of a stream add up to, for endpoints that only stream."""
    whole: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for line in events.splitlines():
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if not data or data == "[DONE]":
            continue
        try:
            chunk = json.loads(data)
            whole |= {name: value for name, value in chunk.items() if name != "choices" and value is not None}
            for choice in chunk.get("choices") or ():
                _add(choices, choice)
        except (ValueError, AttributeError, KeyError, TypeError):
            raise Failure("malformed", f"{url} sent a stream that is broken", again=True, lost=True) from None
    if (error := error_body(whole)) is not None:
        raise status_failure(error, str(whole.get("model", "the model")), url)
    if not any(choice["finish_reason"] for choice in choices.values()):
        raise Failure("malformed", f"{url} sent a stream that was cut off", again=True, lost=True)
    return {**whole, "object": "chat.completion", "choices": [choices[index] for index in sorted(choices)]}


def _add(choices: dict[int, dict[str, Any]], piece: Mapping[str, Any]) -> None:
    index, delta = piece.get("index", 0), piece.get("delta") or {}
    empty = {"index": index, "message": {"role": "assistant", "content": None}, "finish_reason": None}
    choice = choices.setdefault(index, empty)
    choice["finish_reason"] = piece.get("finish_reason") or choice["finish_reason"]
    message = choice["message"]
    for name in ("content", "refusal", "reasoning_content"):
        if delta.get(name):
            message[name] = (message.get(name) or "") + delta[name]
    for call in delta.get("tool_calls") or ():
        calls = message.setdefault("tool_calls", [])
        while len(calls) <= call["index"]:
            calls.append({"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
        held, given = calls[call["index"]], call.get("function") or {}
        held["id"] = call.get("id") or held["id"]
        held["function"]["name"] = given.get("name") or held["function"]["name"]
        held["function"]["arguments"] += given.get("arguments") or ""


def usage_in(reply: Mapping[str, Any]) -> Tokens | None:
    """What a reply says it took; None where it doesn't.

    >>> usage_in({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 18}})  # xAI, Gemini
    Tokens(input=9, output=9, cached=0, written=0, reasoning=7)
    """
    usage = _object(reply, "usage")
    read, said = _count(usage, "prompt_tokens", "input_tokens"), _count(usage, "completion_tokens", "output_tokens")
    if read is None or said is None:
        return None
    inputs = _object(usage, "prompt_tokens_details") or _object(usage, "input_tokens_details")
    outputs = _object(usage, "completion_tokens_details") or _object(usage, "output_tokens_details")
    cached = _count(inputs, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens") or 0
    written = _count(inputs, "cache_write_tokens", "cache_creation_tokens") or 0
    thought = _count(outputs, "reasoning_tokens") or 0
    apart = max(0, (_count(usage, "total_tokens") or 0) - read - said)
    if apart and apart == cached + written:  # some proxies leave out of the prompt what the cache holds of it
        read += apart
    elif apart:  # some providers count thoughts apart from the answer, and charge for them alike
        said, thought = said + apart, max(thought, apart)
    cached = min(cached, read)
    return Tokens(read, said, cached, min(written, read - cached), min(thought, said))


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _count(counts: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is a number of tokens."""
    found = (token_count(counts.get(name)) for name in names)
    return next((each for each in found if each is not None), None)


def token_count(value: Any) -> int | None:
    """A number of tokens as an endpoint gives it; None if it isn't one, or is more than any reply can take."""
    if not isinstance(value, int) or isinstance(value, bool) or value > _MOST_TOKENS:
        return None
    return max(0, value)


_MOST_TOKENS = 10**9
