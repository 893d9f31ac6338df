"""Rulings on single memories by the words of what was said: for the scripted judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtriage.text.words import tokens, words

_HALF = 0.5


def ruled_memories(data: Mapping[str, Any]) -> dict[str, Any]:
    """A ruling on each memory: supported if all its words were said, invented if most were, else unclear.

    >>> said = [{"by": "user", "day": "", "text": "Ada swims in the lake."}]
    >>> [ruling] = ruled_memories({"memories": [{"id": 1, "text": "Ada swims in the river.", "said": said}]})["results"]
    >>> ruling["state"], ruling["words"]
    ('invented', ['river'])
    """
    return {"results": [{"id": memory["id"], **_ruling(memory)} for memory in data["memories"]]}


def _ruling(memory: Mapping[str, Any]) -> dict[str, Any]:
    said = frozenset(words(" ".join(turn["text"] for turn in memory["said"])).stems)
    told = list(dict.fromkeys(tokens(memory["text"])))
    unsaid = [word for word in told if not said.issuperset(words(word).stems)]
    if not unsaid:
        return {"reason": "all of its words were said", "words": [], "state": "supported"}
    if len(unsaid) > _HALF * len(told):
        return {"reason": "hardly any of its words were said", "words": [], "state": "unclear"}
    return {"reason": "most of its words were said, and some were not", "words": unsaid, "state": "invented"}
