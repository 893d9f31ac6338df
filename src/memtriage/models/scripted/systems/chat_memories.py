"""What memorybank, ld-agent and memwalker ask their model, answered by rule from the DATA block.

Every sentence becomes an event or a fact, a summary is an opening sentence or the longer words of its parts, and a
walk goes to whatever shares the most longer words with the question. Nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data, turn_sentences
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/chat/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1]) if found else None


def _bank_session(data: Data) -> Data:
    """All sentences that the day doesn't have yet; the overview is their longer words, the portrait who says I."""
    new = [(turn, text) for turn, text in turn_sentences(data) if text not in (data.get("day_so_far") or [])]
    topics = list(dict.fromkeys(word for _, text in new for word in longer_words(text)))
    own = [text for _, text in new if text.startswith(("I ", "I'", "My "))]
    return {
        "events": [{"text": text, "turns": [turn]} for turn, text in new],
        "overview": f"So far: {', '.join(topics[:12])}." if topics else "",
        "portrait": " ".join(own[:3]),
    }


def _ld_session(data: Data) -> Data:
    numbered = list(turn_sentences(data))
    facts = [{"about": "user", "text": text, "turns": [turn]} for turn, text in numbered]
    return {
        "summary": " ".join(text for _, text in numbered[:2]),
        "turns": sorted({turn for turn, _ in numbered[:2]}),
        "facts": facts,
    }


def _walk_leaves(data: Data) -> Data:
    listed = data.get("segments") or []
    return {"summaries": [{"number": each["number"], "text": _opening(str(each["text"]))} for each in listed]}


def _walk_nodes(data: Data) -> Data:
    found = []
    for group in data.get("groups") or []:
        topics = dict.fromkeys(word for part in group["parts"] for word in longer_words(str(part)))
        found.append({"number": group["number"], "text": f"About {' '.join(topics)[:400]}"})
    return {"summaries": found}


def _walk_step(data: Data) -> Data:
    """Enters the child that shares the most with the question; where none does, goes back, and stops at the root."""
    asked = set(longer_words(str(data["query"])))
    shared = {
        int(child["number"]): len(asked & set(longer_words(str(child["summary"]))))
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


def _opening(text: str) -> str:
    return next(iter(sentences(text)), text)
