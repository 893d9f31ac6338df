"""Whole replies as the events of a stream, for clients that asked for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_DONE = b"data: [DONE]\n\n"
_EMPTY: dict[str, dict[str, Any]] = {"message": {"content": []}, "function_call": {"arguments": ""}}


def chat_events(body: Mapping[str, Any], *, usage: bool) -> tuple[bytes, ...]:
    """A chat completion as a stream, with a last chunk that says what it took where that was asked for."""
    chunks = [
        _chunk(body, [{"index": choice.get("index", number), **part}])
        for number, choice in enumerate(body["choices"])
        for part in _parts(choice)
    ]
    if usage:
        chunks.append(_chunk(body, []) | {"usage": body.get("usage")})
    return (*(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), _DONE)


def response_events(body: Mapping[str, Any]) -> tuple[bytes, ...]:
    """What /responses returns, as a stream."""
    begun = {**body, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for number, item in enumerate(body["output"]):
        events += _item_events(item, number)
    ended = body.get("status") if body.get("status") in ("incomplete", "failed") else "completed"
    events.append({"type": f"response.{ended}", "response": body})
    return tuple(
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n".encode()
        for number, event in enumerate(events)
    )


def _chunk(body: Mapping[str, Any], choices: list[dict[str, Any]]) -> dict[str, Any]:
    kept = {name: value for name, value in body.items() if name not in ("choices", "usage")}
    return {"id": "chatcmpl", "created": 0, "model": "", **kept, "object": "chat.completion.chunk", "choices": choices}


def _parts(choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    message = dict(choice.get("message") or {})
    yield {"delta": {"role": message.pop("role", "assistant"), "content": ""}, "finish_reason": None}
    calls = message.pop("tool_calls", None) or ()
    delta = {name: value for name, value in message.items() if value is not None}
    if delta:
        yield {"delta": delta, "finish_reason": None, "logprobs": choice.get("logprobs")}
    if calls:
        numbered = [{"index": number, **call} for number, call in enumerate(calls)]
        yield {"delta": {"tool_calls": numbered}, "finish_reason": None}
    yield {"delta": {}, "finish_reason": choice.get("finish_reason") or "stop"}


def _item_events(item: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    at = {"output_index": number, "item_id": item.get("id", f"item_{number}")}
    empty: dict[str, Any] = _EMPTY.get(str(item.get("type")), {})
    yield {"type": "response.output_item.added", "output_index": number, "item": {**item, **empty}}
    if item.get("type") == "message":
        for place, part in enumerate(item.get("content") or ()):
            yield from _content_events(part, {**at, "content_index": place})
    if item.get("type") == "function_call":
        arguments = item.get("arguments", "")
        yield {"type": "response.function_call_arguments.delta", **at, "delta": arguments}
        yield {"type": "response.function_call_arguments.done", **at, "name": item.get("name"), "arguments": arguments}
    yield {"type": "response.output_item.done", "output_index": number, "item": item}


def _content_events(part: Mapping[str, Any], at: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    field, name = ("refusal", "refusal") if part.get("type") == "refusal" else ("text", "output_text")
    text = part.get(field, "")
    yield {"type": "response.content_part.added", **at, "part": {**part, field: ""}}
    logprobs: dict[str, Any] = {} if field == "refusal" else {"logprobs": []}
    yield {"type": f"response.{name}.delta", **at, "delta": text, **logprobs}
    yield {"type": f"response.{name}.done", **at, field: text, **logprobs}
    yield {"type": "response.content_part.done", **at, "part": part}
