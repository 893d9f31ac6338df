"""Mem0's requests: facts out of new messages, what to do with them (1.x), and a score for one memory."""

from __future__ import annotations

import ast
import json
import re
from itertools import accumulate
from typing import Any

from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences
from memtriage.text.tokens import count_tokens
from memtriage.text.words import tokens

_NEW = re.compile(r"^## New Messages\n(.*?)(?=^## Observation Date$)", re.MULTILINE | re.DOTALL)
_INPUT = re.compile(r"\AInput:\n(.*)", re.DOTALL)
_SPEAKER = re.compile(r"^(user|assistant|system): ", re.MULTILINE)
_LISTED = re.compile(r"^\s*```\n\s*(\[.*?\])\n\s*```$", re.MULTILINE | re.DOTALL)
_SCORED = re.compile(r"^Query: (.*?)\n\nDocument: (.*)", re.DOTALL)
_FRAME = 10
"""Tokens for the braces and the key around a list."""


def reply(request: Request) -> Any:
    """Every sentence of the user becomes a memory; a document scores the share of the query's words that it has."""
    if request.json_object and (new := _NEW.search(request.last_user)):
        texts = _facts(new[1])
        found = [{"id": str(n), "text": text, "attributed_to": "user"} for n, text in enumerate(texts)]
        return {"memory": _within(request.most_tokens, found)}
    if request.json_object and '"facts"' in request.text and (new := _INPUT.search(request.last_user)):
        return {"facts": _within(request.most_tokens, _facts(new[1]))}
    if request.json_object and "new retrieved facts" in request.last_user:
        return {"memory": _updates(request.last_user)}
    if "relevance" in request.text and (asked := _SCORED.match(request.last_user)):
        wanted, present = set(tokens(asked[1])), set(tokens(asked[2]))
        return f"{len(wanted & present) / max(1, len(wanted)):.2f}"
    return None


def _facts(messages: str) -> list[str]:
    """The user's sentences, in lines that begin with the speaker, each once; a message may have many lines."""
    parts = _SPEAKER.split(messages)
    told = [text for speaker, text in zip(parts[1::2], parts[2::2], strict=True) if speaker == "user"]
    return list(dict.fromkeys(sentence for text in told for sentence in sentences(text)))


def _within(limit: Any, entries: list[Any]) -> list[Any]:
    """As many of the first entries as a reply may hold: Mem0 stores nothing of a reply that is cut off."""
    if not isinstance(limit, int):
        return entries
    sizes = accumulate((count_tokens(json.dumps(entry, ensure_ascii=False)) + 2 for entry in entries), initial=_FRAME)
    return entries[: sum(size <= limit for size in sizes) - 1]


def _updates(prompt: str) -> list[dict[str, str]]:
    """Facts that are not among the memories are added; nothing is updated or deleted."""
    listed = [ast.literal_eval(each) for each in _LISTED.findall(prompt)]
    facts = [fact for each in listed[-1:] for fact in each if isinstance(fact, str)]
    old = {memory["text"]: memory["id"] for each in listed[:-1] for memory in each if isinstance(memory, dict)}
    new = (fact for fact in facts if fact not in old)
    return [
        *({"id": id, "text": text, "event": "NONE"} for text, id in old.items()),
        *({"id": str(len(old) + n), "text": text, "event": "ADD"} for n, text in enumerate(new)),
    ]
