"""Chat requests and replies as scripts see them.

A script is a function that takes a `Request` and returns a `Reply`, a text, or an object that is sent as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """One chat request, the same whether it came to /chat/completions or to /responses."""

    path: str
    body: Mapping[str, Any]
    messages: tuple[tuple[str, str], ...]
    schema_name: str | None = None
    schema: Mapping[str, Any] | None = None
    json_object: bool = False

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def tools(self) -> dict[str, Mapping[str, Any]]:
        """The tools that the model may call: name and JSON schema of the arguments."""
        offered = self.body.get("tools")
        found = [tool.get("function", tool) for tool in offered if isinstance(tool, Mapping)] if offered else []
        return {str(tool.get("name")): tool.get("parameters") or {} for tool in found if isinstance(tool, Mapping)}

    @property
    def most_tokens(self) -> Any:
        """How long the reply may be, as it was sent; None if that was not said."""
        limits = (self.body.get(key) for key in ("max_completion_tokens", "max_tokens", "max_output_tokens"))
        return next((limit for limit in limits if limit is not None), None)

    @property
    def text(self) -> str:
        """Everything the prompt says."""
        return "\n".join(text for _, text in self.messages)

    @property
    def last_user(self) -> str:
        """The last thing the user said; the last message where no user speaks."""
        texts = [text for role, text in self.messages if role == "user"]
        return texts[-1] if texts else self.messages[-1][1] if self.messages else ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server says: a text, calls of tools (name, arguments) or a refusal.

    With another status than 200 it is an error with that text. With a `certainty` it gives log probabilities where
    they are asked for: its first word has this probability, and another word the rest.
    """

    text: str = ""
    status: int = 200
    refusal: str | None = None
    latency: float | None = None
    finish_reason: str = "stop"
    tools: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    certainty: float | None = None


Script = Callable[[Request], "Reply | str | Mapping[str, Any] | Sequence[Any]"]


def as_reply(result: object) -> Reply:
    """A script's result as a reply."""
    if isinstance(result, Reply):
        return result
    return Reply(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))


def parse_request(path: str, body: Mapping[str, Any]) -> Request:
    """A request body of either chat endpoint; raises ValueError with what is wrong."""
    if path.endswith("/responses"):
        asked, listed = body.get("text", {}), body.get("input")
        wanted = asked.get("format") if isinstance(asked, Mapping) else None
        messages = [{"role": "user", "content": listed}] if isinstance(listed, str) else listed
        if isinstance(body.get("instructions"), str) and isinstance(messages, list):
            messages = [{"role": "system", "content": body["instructions"]}, *messages]
        nested = wanted
    else:
        wanted, messages = body.get("response_format"), body.get("messages")
        nested = wanted.get("json_schema") if isinstance(wanted, Mapping) else None
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    request = Request(path, body, _messages(messages), json_object=kind == "json_object")
    if kind != "json_schema":
        return request
    if not isinstance(nested, Mapping) or not isinstance(nested.get("schema"), Mapping) or not nested.get("name"):
        raise ValueError("a response format of type json_schema needs a name and a schema")
    return replace(request, schema_name=str(nested["name"]), schema=nested["schema"])


def _messages(messages: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list with at least one message")
    if not all(isinstance(m, Mapping) and isinstance(m.get("role", "user"), str) for m in messages):
        raise ValueError("every message must be an object with a role and a content")
    return tuple((m.get("role", "user"), text_of(m.get("content"))) for m in messages)


def text_of(content: object) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p["text"] for p in parts if isinstance(p, Mapping) and isinstance(p.get("text"), str))
