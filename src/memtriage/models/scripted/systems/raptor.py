"""What raptor asks its model, answered by rule: a summary is the opening sentence of each text, as far as it fits."""

from __future__ import annotations

from memtriage.models.scripted.prompt_parts import Data, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/raptor/prompts.py`; None for any other request."""
    found = task_data(request, ("raptor_summary",))
    return _summary(found[1]) if found else None


def _summary(data: Data) -> Data:
    openings = [next(iter(sentences(str(each["text"]))), "") for each in data.get("texts") or []]
    words = " ".join(dict.fromkeys(openings)).split()
    return {"summary": " ".join(words[: int(data.get("words") or 75)])}
