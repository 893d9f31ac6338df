"""What memorybank, ld-agent and memwalker ask their model, answered by rule from the DATA block.

Every sentence becomes an event or a fact, a summary is an opening sentence or the telling words of its parts, and a
walk goes to whatever shares the most telling words with the question. Nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences
from memtriage.text.words import words

Data = Mapping[str, Any]


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/chat/prompts.py`; None for anybody else's."""
    data = data_block(request)
    task = str(data.get("task")) if data is not None else ""
    if data is None or task not in _TASKS or request.schema_name not in (None, task):
        return None
    return _TASKS[task](data)


def _bank_session(data: Data) -> Data:
    """All sentences that the day doesn't have yet; the overview is their telling words, the portrait who says I."""
    said = [(turn, text) for turn, text in _said(data) if text not in (data.get("day_so_far") or [])]
    telling = list(dict.fromkeys(word for _, text in said for word in _telling(text)))
    own = [text for _, text in said if text.startswith(("I ", "I'", "My "))]
    return {
        "events": [{"text": text, "turns": [turn]} for turn, text in said],
        "overview": f"So far: {', '.join(telling[:12])}." if telling else "",
        "portrait": " ".join(own[:3]),
    }


def _ld_session(data: Data) -> Data:
    said = list(_said(data))
    facts = [{"about": "user", "text": text, "turns": [turn]} for turn, text in said]
    return {
        "summary": " ".join(text for _, text in said[:2]),
        "turns": sorted({turn for turn, _ in said[:2]}),
        "facts": facts,
    }


def _walk_leaves(data: Data) -> Data:
    listed = data.get("segments") or []
    return {"summaries": [{"number": each["number"], "text": _opening(str(each["text"]))} for each in listed]}


def _walk_nodes(data: Data) -> Data:
    found = []
    for group in data.get("groups") or []:
        telling = dict.fromkeys(word for part in group["parts"] for word in _telling(str(part)))
        found.append({"number": group["number"], "text": f"About {' '.join(telling)[:400]}"})
    return {"summaries": found}


def _walk_step(data: Data) -> Data:
    """Enters the child that shares the most with the question; where none does, goes back, and stops at the root."""
    asked = set(_telling(str(data["query"])))
    shared = {
        int(child["number"]): len(asked & set(_telling(str(child["summary"]))))
        for child in data.get("children") or []
        if not child["left"]
    }
    best = max(shared, key=lambda number: shared[number], default=0)
    if best and shared[best]:
        return {"reason": "It shares words with the question.", "move": "enter", "child": best}
    at_root = len(data.get("way") or []) < 2
    return {"reason": "Nothing here.", "move": "stop" if at_root else "back", "child": 0}


_TASKS: Mapping[str, Callable[[Data], Data]] = {
    "bank_session": _bank_session,
    "ld_session": _ld_session,
    "walk_leaves": _walk_leaves,
    "walk_nodes": _walk_nodes,
    "walk_step": _walk_step,
}


def _said(data: Data) -> Iterator[tuple[int, str]]:
    """Every sentence with the number of its turn."""
    for each in data.get("turns") or []:
        yield from ((int(each["turn"]), sentence) for sentence in sentences(str(each["text"])))


def _opening(text: str) -> str:
    return next(iter(sentences(text)), text)


def _telling(text: str) -> list[str]:
    """The longer content words, each once."""
    return [stem for stem in dict.fromkeys(words(text).stems) if len(stem) > 3]
