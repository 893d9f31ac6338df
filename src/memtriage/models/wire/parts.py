"""The parts of chat requests and replies that all formats need."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtriage.models.failures import Failure
from memtriage.models.structured import description

ANY_OBJECT = "Reply with one JSON object and nothing else: no prose around it and no code fence."
_TOOL_NAME = re.compile(r"[^\w-]", re.ASCII)


def text_of(content: Any) -> str:
    """The text of a message; Failure where it holds something else."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    if any(not isinstance(part, Mapping) or not isinstance(part.get("text"), str) for part in parts):
        raise Failure("bad_request", "only text can be passed on to this provider, no pictures or sounds", again=False)
    return "\n".join(part["text"] for part in parts)


def system_and_turns(body: Mapping[str, Any]) -> tuple[str, list[Mapping[str, Any]]]:
    """What the system says, in one text, and the other messages. Where there are none, the system's is the user's."""
    said = [text_of(each.get("content")) for each in body["messages"] if each.get("role") in ("system", "developer")]
    turns = [each for each in body["messages"] if each.get("role") not in ("system", "developer")]
    system = "\n\n".join(text for text in said if text.strip())
    return (system, turns) if turns else ("", [{"role": "user", "content": system}])


def schema_asked(body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The name and schema that the reply is bound to, where it can be: not beside tools."""
    asked = body.get("response_format") or {}
    if asked.get("type") != "json_schema" or body.get("tools"):
        return None
    named = asked["json_schema"]
    return tool_name(named.get("name") or "reply"), named.get("schema") or {"type": "object"}


def in_words(body: Mapping[str, Any]) -> str:
    """What the prompt has to say of the format, where the request can't be bound to it."""
    asked = body.get("response_format") or {}
    if asked.get("type") == "json_object":
        return ANY_OBJECT
    if asked.get("type") == "json_schema" and body.get("tools"):
        return description(asked["json_schema"].get("schema") or {})
    return ""


def tools_in(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The functions that the model may call."""
    return [tool["function"] for tool in body.get("tools") or () if isinstance(tool.get("function"), Mapping)]


def tool_name(name: str) -> str:
    """A name that every provider takes for a tool."""
    return _TOOL_NAME.sub("_", name)[:64]


def calls_in(message: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The calls of tools in a message: id, name and arguments."""
    for call in message.get("tool_calls") or ():
        function = call["function"]
        try:
            arguments = json.loads(function.get("arguments") or "{}")
        except ValueError:
            arguments = {}
        yield str(call.get("id", "")), function["name"], arguments if isinstance(arguments, dict) else {}


def limit_in(body: Mapping[str, Any]) -> int | None:
    """The limit on the reply's tokens."""
    return body.get("max_completion_tokens") or body.get("max_tokens")


def stops_in(body: Mapping[str, Any]) -> list[str]:
    """The texts at which the reply ends."""
    stop = body.get("stop") or []
    return [text for text in ([stop] if isinstance(stop, str) else stop) if text.strip()]


def merged(turns: Sequence[dict[str, Any]], parts: str) -> list[dict[str, Any]]:
    """The turns with those of one speaker in a row made one, and empty ones left out."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if found and found[-1]["role"] == turn["role"]:
            found[-1][parts] = [*found[-1][parts], *turn[parts]]
        elif turn[parts]:
            found.append(turn)
    return found


def completion(
    *,
    id: str,
    model: str,
    text: str,
    calls: Sequence[tuple[str, str, Any]],
    finish: str,
    read: int,
    said: int,
    cached: int = 0,
    written: int = 0,
    thought: int = 0,
) -> dict[str, Any]:
    """A chat completion. `read` and `said` are all tokens of the prompt and of the reply, thoughts included."""
    message: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
    if calls:
        message["tool_calls"] = [
            {"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for call, name, arguments in calls
        ]
    return {
        "id": id,
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": said,
            "total_tokens": read + said,
            "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
            "completion_tokens_details": {"reasoning_tokens": thought},
        },
    }
