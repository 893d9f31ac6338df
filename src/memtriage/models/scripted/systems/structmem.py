"""StructMem's requests: facts and relations from numbered messages, a summary of a time window, an update."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences

_MESSAGE = re.compile(r"^\[[^\]\n]+\] (?P<number>\d+)\.(?P<who>\w+): (?P<said>.*)$")
_HEADING = re.compile(r"^--- Topic \d+ ---$")


def reply(request: Request) -> object | None:
    """Every sentence of the user as a fact, no relations but that someone spoke; records as their own summary."""
    role, opening = request.messages[0]
    if role != "system":
        return None
    if "Relational Memory Extractor" in opening:
        return {"data": [{"source_id": 0, "relation": "The user and the assistant talk to each other."}]}
    if "Personal Information Extractor" in opening and "source_id" in opening:
        return {"data": [{"source_id": number, "fact": fact} for number, fact in _facts(request.last_user)]}
    if "summarization assistant with temporal awareness" in opening:
        records = request.last_user.partition("Conversation Records:")[2].partition("\nRelated Temporal Context")[0]
        return f"In this time: {' '.join(records.split())}"
    if "Candidate memories:" in request.last_user and "Target memory" in request.last_user:
        return {"action": "ignore"}
    return None


def _facts(prompt: str) -> Iterator[tuple[int, str]]:
    for number, who, text in _messages(prompt):
        if who == "User":
            yield from ((number, fact) for fact in sentences(text))


def _messages(prompt: str) -> list[tuple[int, str, str]]:
    """Number, speaker and text; a line that is neither message nor heading goes on with the last message."""
    found: list[tuple[int, str, str]] = []
    for line in prompt.splitlines():
        if message := _MESSAGE.match(line):
            found.append((int(message["number"]), message["who"], message["said"]))
        elif found and not _HEADING.match(line):
            number, who, text = found[-1]
            found[-1] = (number, who, f"{text}\n{line}")
    return found
