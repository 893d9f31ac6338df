"""What raptor asks its model, and the JSON object it must reply with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.models.json_shapes import TEXT, object_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

RULES: Mapping[str, str] = {
    "raptor_summary": (
        "You write the inner nodes of a tree of summaries. `texts` are passages that belong together by what they are "
        "about, in the order in which they were written, each with the time it is from in `said_at`, if known; some "
        "of them are summaries themselves. Give in `summary` one text of at most `words` words that keeps as much of "
        "what they say as fits: who did what, when, where and why, names, figures, conditions, and what changed. "
        "Write so that somebody who never saw the passages understands it: names instead of pronouns, dates instead "
        "of words like yesterday. Where passages contradict each other, say what the later one says. Add nothing."
    ),
}


def summary_of(texts: Sequence[tuple[str, str | None]], words: int) -> Ask:
    """What several passages say together; each comes with its time."""
    listed = [{"said_at": said_at or "", "text": text} for text, said_at in texts]
    data: dict[str, Any] = {"task": "raptor_summary", "words": words, "texts": listed}
    messages = (Message("system", RULES["raptor_summary"]), Message("user", prompt_data(data)))
    return Ask("summarise", messages, SCHEMA, "raptor_summary")


SCHEMA = Schema("raptor_summary", object_of(summary=TEXT))
