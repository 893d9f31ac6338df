"""A-MEM's two requests: describe a note, and decide what it changes in its neighbours."""

from __future__ import annotations

import re

from memtriage.models.scripted.replies import Request
from memtriage.text.words import words

_ANALYSE = "Content for analysis:"
_NEIGHBOUR = re.compile(r"^\s*memory(?:_id| index):(\S+)\t", re.MULTILINE)


def reply(request: Request) -> object | None:
    """A note's first words as its keywords; the nearest neighbour is linked, and all of them are tagged so."""
    if request.schema_name != "response" or request.schema is None:
        return None
    wanted = request.schema.get("properties", {})
    if set(wanted) == {"keywords", "context", "tags"} and _ANALYSE in request.last_user:
        return _described(request.last_user.partition(_ANALYSE)[2].strip())
    if "new_tags_neighborhood" in wanted:
        return _evolved(_NEIGHBOUR.findall(request.last_user), wanted["suggested_connections"]["items"]["type"])
    return None


def _described(content: str) -> dict[str, object]:
    keywords = list(dict.fromkeys(words(content).stems))[:4]
    return {"keywords": keywords, "context": f"About {' '.join(keywords) or 'nothing'}", "tags": ["said", "new"]}


def _evolved(neighbours: list[str], kind: str) -> dict[str, object]:
    """The fork names its notes by id, the paper's code by number."""
    return {
        "should_evolve": bool(neighbours),
        "actions": ["strengthen", "update_neighbor"],
        "suggested_connections": [int(each) if kind == "integer" else each for each in neighbours[:1]],
        "tags_to_update": ["said", "linked"],
        "new_context_neighborhood": ["Beside a newer note" for _ in neighbours],
        "new_tags_neighborhood": [["said", "neighbour"] for _ in neighbours],
    }
