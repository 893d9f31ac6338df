"""Mem0's requests: facts out of new messages, and a score for one memory."""

from __future__ import annotations

import re
from typing import Any

from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences
from memtriage.text.words import tokens

_NEW = re.compile(r"^## New Messages\n(.*?)(?=^## Observation Date$)", re.MULTILINE | re.DOTALL)
_SPEAKER = re.compile(r"^(user|assistant|system): ", re.MULTILINE)
_SCORED = re.compile(r"^Query: (.*?)\n\nDocument: (.*)", re.DOTALL)


def reply(request: Request) -> Any:
    """Every sentence of the user becomes a memory; a document scores the share of the query's words that it has."""
    if request.json_object and (new := _NEW.search(request.last_user)):
        texts = dict.fromkeys(sentence for text in _user_messages(new[1]) for sentence in sentences(text))
        return {"memory": [{"id": str(n), "text": text, "attributed_to": "user"} for n, text in enumerate(texts)]}
    if "relevance" in request.text and (asked := _SCORED.match(request.last_user)):
        wanted, present = set(tokens(asked[1])), set(tokens(asked[2]))
        return f"{len(wanted & present) / max(1, len(wanted)):.2f}"
    return None


def _user_messages(messages: str) -> list[str]:
    """What the user says in lines that begin with the speaker; a message may have many lines."""
    parts = _SPEAKER.split(messages)
    return [text for speaker, text in zip(parts[1::2], parts[2::2], strict=True) if speaker == "user"]
