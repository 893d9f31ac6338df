"""Graphiti's requests: every sentence of a user becomes an edge from the speaker to the sentence's last words.

Its reranker is told that a passage is relevant in so far as it has the query's words.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from memtriage.models.scripted.prompt_parts import last_words, user_sentences
from memtriage.models.scripted.replies import Reply, Request
from memtriage.text.words import tokens

_TITLE = re.compile(r'"title": "(\w+)"')
_SPEAKER = "user"


def reply(request: Request) -> object | None:
    """What Graphiti gets for the shapes it asks for; None for any other shape."""
    if request.body.get("logprobs") and "<PASSAGE>" in request.last_user:
        return _relevance(request.last_user)
    name = request.schema_name or next(iter(_TITLE.findall(request.last_user)[::-1]), None)
    answer = _ANSWERS.get(name or "")
    return answer(request.text) if answer else None


def _relevance(prompt: str) -> Reply:
    passage, query = (set(tokens(_inside(prompt, tag))) for tag in ("PASSAGE", "QUERY"))
    share = len(query & passage) / max(1, len(query))
    return Reply("True" if share > 0.5 else "False", certainty=max(share, 1 - share))


def _inside(prompt: str, tag: str) -> str:
    return prompt.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()


def _entities(prompt: str) -> Mapping[str, Any]:
    texts = user_sentences(_block(prompt, "CURRENT MESSAGE"))
    names = dict.fromkeys([_SPEAKER, *map(_name, texts)]) if texts else {}
    return {"extracted_entities": [{"name": n, "entity_type_id": 0, "episode_indices": [0]} for n in names]}


def _edges(prompt: str) -> Mapping[str, Any]:
    return {
        "edges": [
            {
                "source_entity_name": _SPEAKER,
                "target_entity_name": _name(sentence),
                "relation_type": "SAID",
                "fact": sentence,
                "valid_at": None,
                "invalid_at": None,
                "episode_indices": [0],
            }
            for sentence in user_sentences(_block(prompt, "CURRENT_MESSAGE"))
        ]
    }


def _same_entities(prompt: str) -> Mapping[str, Any]:
    known = {_normalised(each["name"]): each["candidate_id"] for each in _listed(prompt, "EXISTING ENTITIES")}
    new = _listed(prompt, "ENTITIES")
    return {
        "entity_resolutions": [
            {"id": each["id"], "name": each["name"], "duplicate_candidate_id": known.get(_normalised(each["name"]), -1)}
            for each in new
        ]
    }


def _same_facts(prompt: str) -> Mapping[str, Any]:
    new = _normalised(_block(prompt, "NEW FACT"))
    same = [each["idx"] for each in _listed(prompt, "EXISTING FACTS") if _normalised(each["fact"]) == new]
    return {"duplicate_facts": same, "contradicted_facts": []}


def _times(prompt: str) -> Mapping[str, Any]:
    return {"valid_at": _block(prompt, "REFERENCE TIME").strip() or None, "invalid_at": None}


def _summaries(prompt: str) -> Mapping[str, Any]:
    kept = [{"name": each["name"], "summary": each["summary"]} for each in _listed(prompt, "ENTITIES")]
    return {"summaries": [each for each in kept if each["summary"]]}


_ANSWERS: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    "ExtractedEntities": _entities,
    "ExtractedEdges": _edges,
    "NodeResolutions": _same_entities,
    "EdgeDuplicate": _same_facts,
    "EdgeTimestamps": _times,
    "SummarizedEntities": _summaries,
}


def _name(sentence: str) -> str:
    return last_words(sentence) or sentence


def _normalised(text: str) -> str:
    return " ".join(text.lower().split())


def _block(prompt: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n?</{tag}>", prompt, re.DOTALL)
    return found[1] if found else ""


def _listed(prompt: str, tag: str) -> list[Any]:
    """The list of objects in a block, as JSON or as Python prints one."""
    text = _block(prompt, tag)
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError):
            continue
        return value if isinstance(value, list) else []
    return []
