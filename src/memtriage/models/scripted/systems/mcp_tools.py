"""What a model that uses an MCP server's tools is asked, answered by rule: everything is kept, and words are looked up.

The reference knowledge-graph server gets an entity for every name or topic; any other server gets each sentence of the
user's through the tool that takes a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data
from memtriage.models.scripted.replies import Reply, Request
from memtriage.text.sentences import sentences
from memtriage.text.words import words

_TASKS = ("mcp_keeping", "mcp_reading", "mcp_answering")
_ADDING = re.compile(r"(?:^|_)(?:add|store|save|remember|create|write)")
_SEARCHING = re.compile(r"(?:^|_)(?:search|find|recall|query|retrieve)")
_MOST_SEARCHES = 6
_REST = "misc"

Calls = list[tuple[str, Mapping[str, Any]]]


def reply(request: Request) -> Any:
    """The calls of the next round, or a last word; None for any other request."""
    found = task_data(request, _TASKS)
    if found is None:
        return None
    task, data = found
    told = [text for role, text in request.messages if role == "tool"]
    calls = _keeping(request, data, told) if task == "mcp_keeping" else _reading(request, data, told)
    if calls:
        return Reply(tools=tuple(calls))
    return _answer(data, told) if task == "mcp_answering" else "Done."


def _keeping(request: Request, data: Data, told: Sequence[str]) -> Calls:
    topics = _topics(data)
    if "create_entities" in request.tools:
        if not told:
            return [("open_nodes", {"names": list(topics)})] if topics else []
        return _graph_changes(topics, told[0]) if len(told) == 1 else []
    tool, argument = _taking_text(request, _ADDING)
    return [(tool, {argument: text}) for texts in topics.values() for text in texts] if tool and not told else []


def _graph_changes(topics: Mapping[str, Sequence[str]], opened: str) -> Calls:
    """New topics become entities, known ones get more observations."""
    known = {str(entity.get("name")) for entity in _entities(opened)}
    new = [
        {"name": name, "entityType": "topic", "observations": list(texts)}
        for name, texts in topics.items()
        if name not in known
    ]
    more = [{"entityName": name, "contents": list(texts)} for name, texts in topics.items() if name in known]
    calls: Calls = [("create_entities", {"entities": new})] if new else []
    return calls + ([("add_observations", {"observations": more})] if more else [])


def _reading(request: Request, data: Data, told: Sequence[str]) -> Calls:
    """A search for each telling word of the question, names first, then the longest."""
    tool, argument = _taking_text(request, _SEARCHING)
    if told or not tool:
        return []
    spoken = _telling(str(data["query"]))
    names = [word for word in spoken if word[0].isupper()]
    ordered = dict.fromkeys([*names, *sorted(spoken, key=len, reverse=True)])
    return [(tool, {argument: word}) for word in list(ordered)[:_MOST_SEARCHES]]


def _answer(data: Data, told: Sequence[str]) -> str:
    """The text among those found that shares the most words with the question."""
    asked = set(longer_words(str(data["query"])))
    texts = [text for each in told for text in _texts(each)]
    best = max(texts, key=lambda text: len(asked & set(longer_words(text))), default="")
    return best or "I don't have that information."


def _taking_text(request: Request, named: re.Pattern[str]) -> tuple[str, str]:
    """The first tool of such a name, and its first argument that is a text; two empty texts where there is none."""
    for name, schema in request.tools.items():
        if named.search(name):
            for argument, kind in (schema.get("properties") or {}).items():
                if isinstance(kind, Mapping) and kind.get("type") == "string":
                    return name, argument
    return "", ""


def _telling(sentence: str) -> list[str]:
    """The words of a sentence that something can be found by: names, and longer words that mean something."""
    spoken = re.findall(r"[\w'-]+", sentence)
    return [word for word in spoken if longer_words(word) or (word[0].isupper() and words(word).stems)]


def _topics(data: Data) -> dict[str, list[str]]:
    """Every sentence of the user's, each once, by the name it begins with or else its first telling word."""
    topics: dict[str, list[str]] = {}
    for turn in data.get("turns") or ():
        for sentence in sentences(str(turn["text"])) if turn.get("role") != "assistant" else ():
            told = _telling(sentence)
            topic = next((word for word in told if word[0].isupper()), (told or [_REST])[0])
            if sentence not in topics.setdefault(topic, []):
                topics[topic].append(sentence)
    return topics


def _entities(text: str) -> list[Mapping[str, Any]]:
    try:
        listed = json.loads(text).get("entities")
    except (ValueError, AttributeError):
        return []
    return [each for each in listed or () if isinstance(each, Mapping)]


def _texts(text: str) -> Iterator[str]:
    """Every text inside what a tool returned."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    yield from _leaves(value)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
