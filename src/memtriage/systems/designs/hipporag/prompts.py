"""What hipporag asks its internal model, and the JSON objects it must reply with.

A rule of ours and one block of data, as for the other architectures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.models.json_shapes import NUMBER, NUMBERS, TEXT, TEXTS, object_of, objects_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

RULES: Mapping[str, str] = {
    "hippo_entities": (
        "You list the entities of passages for an index. `passages` are parts of one conversation or text. Give for "
        "each, by its number, the `entities` in it: people, places, organisations, works, things, dates and numbers "
        "that somebody could ask for, and the habits, moods, conditions and events that a sentence is about. Take the "
        "shortest wording of the passage that tells which one is meant, without articles; leave out pronouns and "
        "whoever speaks. An empty list is fine."
    ),
    "hippo_triples": (
        "You turn passages into triples for a knowledge graph. `passages` are parts of one conversation or text, each "
        "with the `entities` that were found in it. Give every statement as a triple: `passage` is the number of its "
        "passage, `subject` and `object` are what is related, `relation` is a short verb phrase between them, negation "
        "included. Each triple should hold at least one of the passage's entities, spelled as listed, better two. Put "
        "names in place of pronouns; whoever speaks as user is `the user`. What leads to what is a triple, too: the "
        "cause is its subject and the effect its object, each without the person. Add nothing that was not said."
    ),
    "hippo_filter": (
        "Somebody asks `question`. `triples` were found by similarity of wording alone. Give in `relevant` the numbers "
        "of those that bear on the question: what it names, or a step on the way to what it asks for, even if the "
        "answer itself is not in them. Several steps may be needed, so the first step counts as much as the last. "
        "Triples that merely use the same words are left out. An empty list is fine."
    ),
}
"""What the model is told to do, by the question's name; `prompts` may bring other words for it."""


def entities_in(passages: Sequence[str]) -> Ask:
    """What each passage speaks of."""
    return _ask("hippo_entities", "extract", {"passages": _numbered("passage", passages)})


def triples_in(passages: Sequence[str], entities: Sequence[Sequence[str]]) -> Ask:
    """What each passage says of these entities."""
    listed = _numbered("passage", passages)
    shown = [{**each, "entities": list(found)} for each, found in zip(listed, entities, strict=True)]
    return _ask("hippo_triples", "extract", {"passages": shown})


def relevant_to(question: str, triples: Sequence[str]) -> Ask:
    """Which triples a question is about."""
    return _ask("hippo_filter", "query", {"question": question, "triples": _numbered("number", triples)})


def _numbered(key: str, texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{key: n, "text": text} for n, text in enumerate(texts, 1)]


def _ask(task: str, stage: str, data: Mapping[str, Any]) -> Ask:
    messages = (Message("system", RULES[task]), Message("user", prompt_data({"task": task, **data})))
    return Ask(stage, messages, SCHEMAS[task], task)


_REPLIES: Mapping[str, Mapping[str, Any]] = {
    "hippo_entities": {"passages": objects_of(passage=NUMBER, entities=TEXTS)},
    "hippo_triples": {"triples": objects_of(passage=NUMBER, subject=TEXT, relation=TEXT, object=TEXT)},
    "hippo_filter": {"relevant": NUMBERS},
}
SCHEMAS: Mapping[str, Schema] = {name: Schema(name, object_of(**reply)) for name, reply in _REPLIES.items()}
