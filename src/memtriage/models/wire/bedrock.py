"""Amazon Bedrock's Converse API, and the signature that its requests carry where there is no key.

As with Anthropic's own API, a schema becomes a tool that the model has to call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from memtriage.core.errors import BadInput
from memtriage.host.masks import remember
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

_FINISH = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
}


class BedrockFormat:
    """Messages as Converse takes them."""

    def path(self, model: str) -> str:
        return f"/model/{quote(model, safe='')}/converse"

    def request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        system, turns = system_and_turns(body)
        messages = merged([_turn(turn) for turn in turns], "content")
        if words := in_words(body):
            messages[-1]["content"].append({"text": words})
        sent: dict[str, Any] = {"messages": messages}
        if system:
            sent["system"] = [{"text": system}]
        settings = {
            "maxTokens": limit_in(body),
            "temperature": body.get("temperature"),
            "topP": body.get("top_p"),
            "stopSequences": stops_in(body) or None,
        }
        if given := {name: value for name, value in settings.items() if value is not None}:
            sent["inferenceConfig"] = given
        return sent | _tools(body)

    def reply(self, native: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
        blocks = native["output"]["message"]["content"]
        text = "".join(block["text"] for block in blocks if "text" in block)
        used = [block["toolUse"] for block in blocks if "toolUse" in block]
        calls = [(use["toolUseId"], use["name"], use["input"]) for use in used]
        finish = _FINISH.get(native.get("stopReason") or "", "stop")
        if schema_asked(asked) is not None and calls:
            text, calls, finish = json.dumps(calls[0][2]), [], "stop" if finish == "tool_calls" else finish
        usage = native["usage"]
        cached, written = usage.get("cacheReadInputTokens") or 0, usage.get("cacheWriteInputTokens") or 0
        return completion(
            id="",
            model=str(asked["model"]),
            text=text,
            calls=calls,
            finish=finish,
            read=usage["inputTokens"] + cached + written,
            said=usage["outputTokens"],
            cached=cached,
            written=written,
        )


class Signer:
    """Signs requests with the user's AWS credentials, wherever AWS's own tools would find them."""

    def __init__(self, url: str) -> None:
        from botocore.session import Session

        session = Session()
        self._credentials = session.get_credentials()
        if self._credentials is None:
            raise BadInput("no AWS credentials were found; set AWS_BEARER_TOKEN_BEDROCK, or run `aws configure`")
        secrets = self._credentials.get_frozen_credentials()
        remember(secrets.secret_key or "")
        remember(secrets.token or "")
        host = (urlsplit(url).hostname or "").split(".")
        named = host[1] if host[0].startswith("bedrock-runtime") and len(host) > 2 else None
        self._region = named or session.get_config_variable("region") or "us-east-1"

    def headers(self, url: str, content: bytes) -> dict[str, str]:
        """The headers that sign a request."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        request = AWSRequest("POST", url, {"Content-Type": "application/json"}, content)
        SigV4Auth(self._credentials.get_frozen_credentials(), "bedrock", self._region).add_auth(request)
        return dict(request.headers.items())


def _turn(message: Mapping[str, Any]) -> dict[str, Any]:
    text = text_of(message.get("content"))
    if message.get("role") == "tool":
        result = {"toolUseId": message.get("tool_call_id", ""), "content": [{"text": text or "(nothing)"}]}
        return {"role": "user", "content": [{"toolResult": result}]}
    blocks: list[dict[str, Any]] = [{"text": text}] if text.strip() else []
    if message.get("role") != "assistant":
        return {"role": "user", "content": blocks}
    calls = ({"toolUse": {"toolUseId": id, "name": name, "input": given}} for id, name, given in calls_in(message))
    return {"role": "assistant", "content": [*blocks, *calls]}


def _tools(body: Mapping[str, Any]) -> dict[str, Any]:
    wanted = schema_asked(body)
    if wanted is not None:
        name, schema = wanted
        tool = {"toolSpec": {"name": name, "description": "Gives the reply.", "inputSchema": {"json": schema}}}
        return {"toolConfig": {"tools": [tool], "toolChoice": {"tool": {"name": name}}}}
    tools = [
        {
            "toolSpec": {
                "name": tool["name"],
                **({"description": tool["description"]} if tool.get("description") else {}),
                "inputSchema": {"json": tool.get("parameters") or {"type": "object", "properties": {}}},
            }
        }
        for tool in tools_in(body)
    ]
    choice = body.get("tool_choice")
    if not tools or choice == "none":
        return {}
    chosen: dict[str, Any] = {}
    if isinstance(choice, Mapping):
        chosen = {"toolChoice": {"tool": {"name": choice["function"]["name"]}}}
    elif choice == "required":
        chosen = {"toolChoice": {"any": {}}}
    return {"toolConfig": {"tools": tools, **chosen}}
