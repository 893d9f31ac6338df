"""Google's generateContent.

Its OpenAI-compatible endpoint leaves thoughts and cached tokens out of what it says it took; this says both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

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

_SETTINGS = {
    "temperature": "temperature",
    "top_p": "topP",
    "seed": "seed",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
}
# Gemini 2 is given a number of tokens to think with, later ones a level.
_BUDGETS = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576}
_LEVELS = {"none": "minimal", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}
_FILTERED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY")
# A call of a tool has to come back with the signature that it came with; it travels behind the call's id.
_SIGNED = "|"


class GeminiFormat:
    """Contents as Gemini takes them."""

    def path(self, model: str) -> str:
        return f"/models/{quote(model.removeprefix('models/'), safe='')}:generateContent"

    def request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        system, turns = system_and_turns(body)
        names = {id: name for turn in turns for id, name, _ in calls_in(turn)}
        contents = merged([_turn(turn, names) for turn in turns], "parts")
        if words := in_words(body):
            contents[-1]["parts"].append({"text": words})
        sent: dict[str, Any] = {"contents": contents}
        if system:
            sent["systemInstruction"] = {"parts": [{"text": system}]}
        if config := _config(body):
            sent["generationConfig"] = config
        return sent | _tools(body)

    def reply(self, native: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
        usage = native["usageMetadata"]
        first: Mapping[str, Any] = (native.get("candidates") or [{"finishReason": "SAFETY"}])[0]
        parts = (first.get("content") or {}).get("parts") or []
        text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
        calls = [
            (_signed(f"call_{number}", part), part["functionCall"]["name"], part["functionCall"].get("args") or {})
            for number, part in enumerate(parts)
            if "functionCall" in part
        ]
        reason = first.get("finishReason")
        finish = "length" if reason == "MAX_TOKENS" else "content_filter" if reason in _FILTERED else "stop"
        thought = usage.get("thoughtsTokenCount") or 0
        return completion(
            id=str(native.get("responseId", "")),
            model=str(native.get("modelVersion", "")),
            text=text,
            calls=calls,
            finish="tool_calls" if calls and finish == "stop" else finish,
            read=usage["promptTokenCount"] + (usage.get("toolUsePromptTokenCount") or 0),
            said=(usage.get("candidatesTokenCount") or 0) + thought,
            cached=usage.get("cachedContentTokenCount") or 0,
            thought=thought,
        )


def _turn(message: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    text = text_of(message.get("content"))
    if message.get("role") == "tool":
        name = names.get(str(message.get("tool_call_id")), "tool")
        return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"result": text}}}]}
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    if message.get("role") != "assistant":
        return {"role": "user", "parts": parts}
    for id, name, given in calls_in(message):
        call: dict[str, Any] = {"functionCall": {"name": name, "args": given}}
        if signature := id.partition(_SIGNED)[2]:
            call["thoughtSignature"] = signature
        parts.append(call)
    return {"role": "model", "parts": parts}


def _signed(id: str, part: Mapping[str, Any]) -> str:
    return id + (_SIGNED + part["thoughtSignature"] if part.get("thoughtSignature") else "")


def _config(body: Mapping[str, Any]) -> dict[str, Any]:
    config = {there: body[here] for here, there in _SETTINGS.items() if body.get(here) is not None}
    if limit := limit_in(body):
        config["maxOutputTokens"] = limit
    if stops := stops_in(body):
        config["stopSequences"] = stops
    effort = body.get("reasoning_effort")
    if effort in _BUDGETS:
        older = "gemini-2" in str(body["model"])
        config["thinkingConfig"] = {"thinkingBudget": _BUDGETS[effort]} if older else {"thinkingLevel": _LEVELS[effort]}
    if (wanted := schema_asked(body)) is not None:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": wanted[1]}
    elif (body.get("response_format") or {}).get("type") == "json_object" and not body.get("tools"):
        config["responseMimeType"] = "application/json"
    return config


def _tools(body: Mapping[str, Any]) -> dict[str, Any]:
    declared = [
        {
            "name": tool["name"],
            **({"description": tool["description"]} if tool.get("description") else {}),
            **({"parametersJsonSchema": tool["parameters"]} if tool.get("parameters") else {}),
        }
        for tool in tools_in(body)
    ]
    if not declared:
        return {}
    choice = body.get("tool_choice")
    calling: dict[str, Any] = {"mode": {"required": "ANY", "none": "NONE"}.get(str(choice), "AUTO")}
    if isinstance(choice, Mapping):
        calling = {"mode": "ANY", "allowedFunctionNames": [choice["function"]["name"]]}
    return {"tools": [{"functionDeclarations": declared}], "toolConfig": {"functionCallingConfig": calling}}
