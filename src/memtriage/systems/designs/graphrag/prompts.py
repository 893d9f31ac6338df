"""What graphrag asks its model, and the JSON objects it must reply with.

Texts, descriptions, reports and questions stand in one block of data only, as JSON; `task` in it names the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.core.episode import Turn
from memtriage.models.json_shapes import NUMBER, NUMBERS, TEXT, TEXTS, object_of, objects_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

_ALONE = (
    "Write so that somebody who never saw the text understands it: names instead of pronouns (`the user` for the one "
    "who speaks as user, unless a name is known), dates instead of words like yesterday, reckoned from `said_at`. "
    "Leave numbers, names, conditions, exceptions, negations and degrees as they were said, and add nothing."
)

RULES: Mapping[str, str] = {
    "graphrag_extract": (
        "You build a knowledge graph. `passages` is a text in numbered pieces, said or written at `said_at`. List in "
        "`entities` everybody and everything that it tells something about (people, animals, places, organisations, "
        "things, events, habits, conditions, ideas): `name` is the shortest one that tells which is meant even outside "
        "the text, `type` its kind in one word, `description` all that the text says of it. List in `relations` every "
        "two entities that it relates to each other: `source` and `target` are names as in `entities`, `description` "
        "says in full how they are related, with conditions and causes, and `strength` how closely, from 1 to 10. "
        f"{_ALONE} `passages` are the numbers of the pieces it comes from. Greetings and small talk give nothing."
    ),
    "graphrag_descriptions": (
        "You tidy a knowledge graph. Each of `items` is an entity, or a pair of them, with what was said of it at "
        "different times, oldest first. Give for each, by its `number`, one text of at most `words` words in place of "
        "all of these. Keep every name, number, condition and negation that still holds. Where they contradict each "
        "other, the newer one holds; say what it was before."
    ),
    "graphrag_report": (
        "You write reports on groups of entities that belong together, for readers who see nothing else of them. "
        "`entities` are the group, `relations` what connects them, by number. `parts`, where there are any, are "
        "reports on smaller groups within it, in place of what these hold. Give a `title` with the main names in it, a "
        "`summary` of the whole in a few sentences, and up to ten `findings`: `text` is one point in one to three "
        "sentences, with names, numbers, conditions and dates as they stand, and `relations` the numbers of the "
        "relations it rests on. Write only what is shown."
    ),
    "graphrag_points": (
        "You look through reports for what helps to answer `query`, asked at `asked_at`. Give in `points` what "
        "`reports` say that matters for it: `text` is one point that is understood by itself, with names, numbers and "
        "conditions as they stand; `rating` is how much it helps, from 0 (not at all) to 100 (it is the answer); "
        "`reports` are the numbers of the reports it comes from. If nothing helps, give an empty list. Do not answer "
        "the question, and add nothing of your own."
    ),
    "graphrag_questions": (
        "You plan how to look up `query`, asked at `asked_at`, in a knowledge graph. `reports` are the accounts of its "
        "parts that are nearest to the query, `asked` the questions that were looked up so far, `found` what that "
        "brought. Give in `questions` what to look up next: at most `most` short questions, the most useful first, "
        "each understood by itself and about names or things that the query, the reports or the findings mention. "
        "Give none if what was found is enough. Do not answer the query."
    ),
}
"""What the model is told to do, by the question's name; systems may be given other words for it."""


def graph_of(passages: Sequence[Turn], said_at: str | None) -> Ask:
    """The entities of a text and how they are related."""
    listed = [{"passage": n, "role": turn.role, "text": turn.text} for n, turn in enumerate(passages, 1)]
    return _ask("graphrag_extract", "extract", {"said_at": said_at or "", "passages": listed})


def descriptions_of(items: Sequence[tuple[str, Sequence[str]]], words: int) -> Ask:
    """One description in place of many, for each of several entities or relations."""
    listed = [{"number": n, "name": name, "descriptions": list(said)} for n, (name, said) in enumerate(items, 1)]
    return _ask("graphrag_descriptions", "summarise", {"words": words, "items": listed})


def report_on(shown: Mapping[str, Any]) -> Ask:
    """What a community of entities is about."""
    return _ask("graphrag_report", "report", shown)


def points_in(query: str, asked_at: str | None, reports: Sequence[str]) -> Ask:
    """What reports say that helps with a question."""
    return _ask("graphrag_points", "map", {"query": query, "asked_at": asked_at or "", "reports": _numbered(reports)})


def questions_after(
    query: str, asked_at: str | None, reports: Sequence[str], asked: Sequence[str], found: Sequence[str], most: int
) -> Ask:
    """What to look up next."""
    data = {"query": query, "asked_at": asked_at or "", "reports": _numbered(reports), "asked": list(asked)}
    return _ask("graphrag_questions", "follow up", {**data, "found": list(found), "most": most})


def _ask(task: str, stage: str, data: Mapping[str, Any]) -> Ask:
    messages = (Message("system", RULES[task]), Message("user", prompt_data({"task": task, **data})))
    return Ask(stage, messages, SCHEMAS[task], task)


def _numbered(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"number": n, "text": text} for n, text in enumerate(texts, 1)]


# ------------------------------------------------------------------ the replies


_REPLIES: Mapping[str, Mapping[str, Any]] = {
    "graphrag_extract": {
        "entities": objects_of(name=TEXT, type=TEXT, description=TEXT, passages=NUMBERS),
        "relations": objects_of(source=TEXT, target=TEXT, description=TEXT, strength=NUMBER, passages=NUMBERS),
    },
    "graphrag_descriptions": {"descriptions": objects_of(number=NUMBER, text=TEXT)},
    "graphrag_report": {"title": TEXT, "summary": TEXT, "findings": objects_of(text=TEXT, relations=NUMBERS)},
    "graphrag_points": {"points": objects_of(text=TEXT, rating=NUMBER, reports=NUMBERS)},
    "graphrag_questions": {"questions": TEXTS},
}
SCHEMAS: Mapping[str, Schema] = {name: Schema(name, object_of(**reply)) for name, reply in _REPLIES.items()}
