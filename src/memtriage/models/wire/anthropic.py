"""Anthropic's Messages API.

Its OpenAI-compatible endpoint ignores response_format and caches nothing. Here a schema becomes a tool that the model
has to call, which every Claude can do; the arguments of the call are the reply.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memtriage.models.wire.parts import (
    calls_in,
    completion,
    in_words,
    limit_in,
    merged,
    schema_asked,
    stops_in,
    system_and_turns,
    text_of,
    tools_in,
)

VERSION = "2023-06-01"
DEFAULT_LIMIT = 8192
"""A limit on the reply is required. This is as much as every Claude since 3.5 can write."""

_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "max"}
_FINISH = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


class AnthropicFormat:
    """Messages as Anthropic takes them."""

    def path(self, model: str) -> str:
        return "/messages"

    def request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        system, turns = system_and_turns(body)
        messages = merged([_turn(turn) for turn in turns], "content")
        if words := in_words(body):
            messages[-1]["content"].append({"type": "text", "text": words})
        sent: dict[str, Any] = {
            "model": body["model"],
            "max_tokens": limit_in(body) or DEFAULT_LIMIT,
            "messages": messages,
        }
        if system:
            sent["system"] = system
        if body.get("temperature") is not None:
            sent["temperature"] = min(body["temperature"], 1)
        if body.get("top_p") is not None:
            sent["top_p"] = body["top_p"]
        if stops := stops_in(body):
            sent["stop_sequences"] = stops
        if effort := _EFFORTS.get(body.get("reasoning_effort") or ""):
            sent["output_config"] = {"effort": effort}
        return sent | _tools(body)

    def reply(self, native: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
        blocks = native["content"]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        calls = [(block["id"], block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
        finish = _FINISH.get(native.get("stop_reason") or "", "stop")
        wanted = schema_asked(asked)
        if wanted is not None and calls:
            text, calls, finish = json.dumps(calls[0][2]), [], "stop" if finish == "tool_calls" else finish
        usage = native["usage"]
        cached, written = usage.get("cache_read_input_tokens") or 0, usage.get("cache_creation_input_tokens") or 0
        return completion(
            id=str(native.get("id", "")),
            model=str(native.get("model", "")),
            text=text,
            calls=calls,
            finish=finish,
            read=usage["input_tokens"] + cached + written,
            said=usage["output_tokens"],
            cached=cached,
            written=written,
        )


def _turn(message: Mapping[str, Any]) -> dict[str, Any]:
    text = text_of(message.get("content"))
    if message.get("role") == "tool":
        result = {"type": "tool_result", "tool_use_id": message.get("tool_call_id", ""), "content": text}
        return {"role": "user", "content": [result]}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    if message.get("role") != "assistant":
        return {"role": "user", "content": blocks}
    calls = ({"type": "tool_use", "id": id, "name": name, "input": given} for id, name, given in calls_in(message))
    return {"role": "assistant", "content": [*blocks, *calls]}


def _tools(body: Mapping[str, Any]) -> dict[str, Any]:
    wanted = schema_asked(body)
    if wanted is not None:
        name, schema = wanted
        tool = {"name": name, "description": "Gives the reply.", "input_schema": schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}
    tools = [
        {
            "name": tool["name"],
            **({"description": tool["description"]} if tool.get("description") else {}),
            "input_schema": tool.get("parameters") or {"type": "object", "properties": {}},
        }
        for tool in tools_in(body)
    ]
    if not tools:
        return {}
    choice = _choice(body.get("tool_choice"))
    if body.get("parallel_tool_calls") is False and choice["type"] != "none":
        choice["disable_parallel_tool_use"] = True
    return {"tools": tools, "tool_choice": choice}


def _choice(choice: Any) -> dict[str, Any]:
    if isinstance(choice, Mapping):
        return {"type": "tool", "name": choice["function"]["name"]}
    return {"type": {"required": "any", "none": "none"}.get(choice, "auto")}
