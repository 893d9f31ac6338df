"""What mosaic asks its model, answered by rule: each sentence is a state of the kind that its longest word names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data
from memtriage.models.scripted.replies import Request


def reply(request: Request) -> Mapping[str, Any] | None:
    """The answer to a question of `systems/designs/mosaic/prompts.py`; None for any other request."""
    found = task_data(request, ("statement_list", "mosaic_answer"))
    if found is None:
        return None
    return _statements(found[1]) if found[0] == "statement_list" else _answer(found[1])


def _statements(data: Data) -> Data:
    said = [sentence for day in data.get("said") or [] for sentence in day["sentences"]]
    return {
        "statements": [
            {
                **{"n": each["n"], "kind": "state", "subject": "user", "category": max(words, key=len)},
                **{"value": each["text"], "date": "", "hangs_on": [], "changes": []},
            }
            for each in said
            if (words := longer_words(each["text"]))
        ]
    }


def _answer(data: Data) -> Data:
    """The first memory, word for word."""
    memories = data.get("memories") or []
    return {"answer": memories[0]["text"] if memories else "I don't know."}
