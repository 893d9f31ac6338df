"""What mosaic asks its model: what sentences say and do, and an answer from what came back.

Sentences and memories stand in one block of data only, as JSON; `task` in it names the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.models.json_shapes import NUMBER, NUMBERS, TEXT, TEXTS, object_of, objects_of, one_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

Data = Mapping[str, Any]

KINDS = ("state", "rule", "tie", "change", "retraction", "forget", "plan")

RULES: Mapping[str, str] = {
    "statement_list": (
        "You keep the index of somebody's memory; the sentences themselves are kept word for word. `said` are the "
        "user's sentences by day, each with its number `n`; `earlier` are some that were said before; `known` are "
        "nouns in use. List the sentences of `said` that tell something which may be asked for later. Leave out "
        "greetings, small talk and bare questions. Give for each:\n"
        "n: its number.\n"
        "kind: state (how something is), rule (what will be if something else changes), tie (how something is because "
        "of something else), change (something is no longer as it was), retraction (it was never so), forget (a wish "
        "that something be forgotten), plan.\n"
        "subject: `user`, or the name of whoever or whatever else it is about.\n"
        "category: a short noun for what it is one of, as one would ask for it: drink, hobby, employer, work location. "
        "All things of a kind have the same noun, and so have all values of one thing and the rules about it. Take one "
        "of `known` where it fits.\n"
        "value: what it is, in the words of the sentence; what it will be, for a rule.\n"
        "date: YYYY-MM-DD, if it takes place on another day than it was said; else empty.\n"
        "hangs_on: the categories of what it depends on, whether it says so or not. A gym near the office hangs on "
        "`work location`, a rule on its condition. Empty for what stands by itself.\n"
        "changes: the numbers of sentences before it, in `earlier` or `said`, that it replaces, takes back, or no "
        "longer lets stand, because their reason is gone or their condition has come true, even if in other words. "
        "What can be true side by side, such as a second hobby, changes nothing."
    ),
    "mosaic_answer": (
        "`query` is a question of the user, asked at `asked_at`, and `memories` are what they once said, with the day, "
        "why each was brought, and in `voided_by` the number of a later one that makes it doubtful or replaces it. "
        "Answer from these alone, in as few words as will do. Where a value was replaced, give the new one. Where its "
        "reason is gone, give what a rule says it would become; if there is no such rule, say what it was and that it "
        "is uncertain now, and why. What was to be forgotten is not told. If the memories don't tell, say that you "
        "don't know. `form`, where it is not empty, says in which form and at what length to answer, and goes before "
        "this."
    ),
}
"""What the model is told to do, by the question's name; systems may be given other words for it."""

_STATEMENTS = objects_of(
    n=NUMBER,
    kind=one_of(*KINDS),
    subject=TEXT,
    category=TEXT,
    value=TEXT,
    date=TEXT,
    hangs_on=TEXTS,
    changes=NUMBERS,
)
SCHEMAS: Mapping[str, Schema] = {
    "statement_list": Schema("statement_list", object_of(statements=_STATEMENTS)),
    "mosaic_answer": Schema("mosaic_answer", object_of(answer=TEXT)),
}


def statement_list(earlier: Sequence[Data], known: Sequence[str], said: Sequence[Data]) -> Ask:
    """What sentences say, and what they do to earlier ones."""
    return _ask("statement_list", "extract", {"earlier": list(earlier), "known": list(known), "said": list(said)})


def mosaic_answer(query: str, asked_at: str, form: str, memories: Sequence[Data]) -> Ask:
    """An answer from what came back, with the reasons."""
    asked = {"query": query, "asked_at": asked_at, "form": form}
    return _ask("mosaic_answer", "answer", {**asked, "memories": list(memories)})


def _ask(task: str, stage: str, data: Data) -> Ask:
    messages = (Message("system", RULES[task]), Message("user", prompt_data({"task": task, **data})))
    return Ask(stage, messages, SCHEMAS[task], task)
