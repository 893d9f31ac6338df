"""What lme asks its model, answered by rule from the DATA block.

Every sentence of an item is a fact, its longer words are its keyphrases, and its first sentence is an event of the
day on which it was said. Nothing is understood, and no question is taken to name a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memtriage.models.scripted.prompt_parts import Data, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences
from memtriage.text.words import words

_KEYPHRASES = 12


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/lme/prompts.py`; None for any other request."""
    found = task_data(request, {*_TASKS, "lme_time_range"})
    if found is None:
        return None
    task, data = found
    if task == "lme_time_range":
        return {"start": "", "end": ""}
    field, extract = _TASKS[task]
    return {
        "items": [{"item": each["item"], field: extract(_sentences(each), data)} for each in data.get("items") or []]
    }


def _sentences(item: Data) -> list[str]:
    return [sentence for message in item.get("messages") or [] for sentence in sentences(str(message))]


def _keyphrases(texts: list[str], _: Data) -> list[str]:
    found = dict.fromkeys(word for text in texts for word in words(text).stems if len(word) > 3)
    return list(found)[:_KEYPHRASES]


def _events(texts: list[str], data: Data) -> list[Data]:
    """The opening sentence, on the day it was said."""
    day = str(data.get("said_at") or "")[:10].replace("/", "-")
    return [{"date": day, "event": texts[0]}] if texts and day else []


_TASKS: Mapping[str, tuple[str, Callable[[list[str], Data], object]]] = {
    "lme_summary": ("summary", lambda said, _: " ".join(said[:2])),
    "lme_keyphrase": ("keyphrases", _keyphrases),
    "lme_fact": ("facts", lambda said, _: said),
    "lme_events": ("events", _events),
}
