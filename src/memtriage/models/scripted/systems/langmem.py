"""LangMem's requests: memories recorded by tool calls, and queries for the memories that are there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memtriage.models.scripted.replies import Reply, Request
from memtriage.text.sentences import sentences

_SESSION = re.compile(r"<session_([\w-]+)>\n(.*)\n</session_\1>", re.DOTALL)
_CONVERSATION = re.compile(r"<convo>\n(.*)\n</convo>", re.DOTALL)
_SPEAKER = re.compile(r"^=+ (\w+) Message =+\n", re.MULTILINE)


def reply(request: Request) -> Any:
    """Every sentence of the user becomes a memory, unless it stands among the existing ones; each can be a query."""
    if "search_memory" in request.tools and (found := _CONVERSATION.search(request.text)):
        return _calls("search_memory", "query", _user_sentences(found[1]))
    if "Memory" in request.tools and (found := _SESSION.search(request.text)):
        existing = request.messages[0][1]
        return _calls(
            "Memory", "content", [sentence for sentence in _user_sentences(found[2]) if sentence not in existing]
        )
    return None


def _calls(tool: str, argument: str, texts: list[str]) -> Reply:
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = tuple((tool, {argument: text}) for text in texts)
    return Reply(tools=calls) if calls else Reply("There is nothing to record.")


def _user_sentences(conversation: str) -> list[str]:
    """The user's sentences in a conversation as LangChain prints it, each once."""
    parts = _SPEAKER.split(conversation)
    texts = [text for speaker, text in zip(parts[1::2], parts[2::2], strict=True) if speaker == "Human"]
    return list(dict.fromkeys(sentence for text in texts for sentence in sentences(text)))
