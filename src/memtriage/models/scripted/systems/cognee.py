"""Cognee's requests: every sentence of a user becomes an edge from the user to a node, and the summary of its chunk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memtriage.models.scripted.prompt_parts import last_words, user_sentences
from memtriage.models.scripted.replies import Request

_TITLE = re.compile(r'"title": "(\w+)"')


def reply(request: Request) -> object | None:
    """What Cognee gets for a graph and for a summary; None for any other shape."""
    system = next((text for role, text in request.messages if role == "system"), "")
    shape = request.schema_name or next(iter(_TITLE.findall(system)[::-1]), None)
    texts = user_sentences(request.last_user)
    match shape:
        case "KnowledgeGraph":
            return _graph(texts)
        case "SummarizedContent":
            summary = " ".join(texts) or request.last_user
            return {"summary": summary, "description": summary}
    return None


def _graph(texts: list[str]) -> Mapping[str, Any]:
    user = {"id": "user", "name": "user", "type": "person", "description": "The user speaks."}
    nodes = [user] if texts else []
    nodes += [{"id": _name(each), "name": _name(each), "type": "thing", "description": each} for each in texts]
    edges = [
        {
            "source_node_id": "user",
            "target_node_id": _name(each),
            "relationship_name": "said",
            "description": each,
            "edge_text": each,
        }
        for each in texts
    ]
    return {"nodes": nodes, "edges": edges}


def _name(sentence: str) -> str:
    return last_words(sentence).lower() or sentence
