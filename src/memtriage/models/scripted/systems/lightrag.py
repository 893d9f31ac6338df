"""LightRAG's requests: every sentence of a user becomes a relation from the user to the sentence's last words."""

from __future__ import annotations

import json
import re

from memtriage.models.scripted.prompt_parts import last_words, user_sentences
from memtriage.models.scripted.replies import Request

_INPUT = re.compile(r"---Input Text---\n```\n(.*?)\n```\n", re.DOTALL)
_QUERY = re.compile(r"^User Query: (.*?)\n\n---Output---", re.MULTILINE | re.DOTALL)
_DESCRIPTIONS = re.compile(r"Description List:\s*```\n(.*?)\n```", re.DOTALL)
_DELIMITER, _DONE = "<|#|>", "<|COMPLETE|>"


def reply(request: Request) -> object | None:
    """What LightRAG gets for extraction, for a second look, for merging descriptions and for a query's keywords."""
    prompt = request.last_user
    if "high_level_keywords" in prompt and (asked := _QUERY.search(prompt)):
        return {"high_level_keywords": [asked[1]], "low_level_keywords": [asked[1]]}
    if described := _DESCRIPTIONS.search(prompt):
        return "\n".join(_description(line) for line in described[1].splitlines())
    if "Knowledge Graph Specialist" not in request.text:
        return None
    conversation = _INPUT.search(prompt)
    found = user_sentences(conversation[1]) if conversation else []
    return _objects(found) if "JSON" in request.text else _rows(found)


def _rows(texts: list[str]) -> str:
    rows = [("entity", "User", "Person", "The user speaks.")] if texts else []
    rows += [("entity", _name(sentence), "Concept", sentence) for sentence in texts]
    relations = [("relation", "User", _name(sentence), "said", sentence) for sentence in texts]
    return "\n".join([*map(_DELIMITER.join, rows), *map(_DELIMITER.join, relations), _DONE])


def _objects(texts: list[str]) -> dict[str, object]:
    user = [{"name": "User", "type": "Person", "description": "The user speaks."}] if texts else []
    return {
        "entities": user + [{"name": _name(each), "type": "Concept", "description": each} for each in texts],
        "relationships": [
            {"source": "User", "target": _name(each), "keywords": "said", "description": each} for each in texts
        ],
    }


def _name(sentence: str) -> str:
    return last_words(sentence).title() or sentence


def _description(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    return str(next(iter(value.values()), "")) if isinstance(value, dict) else str(value)
