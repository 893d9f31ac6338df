"""What hipporag asks its model, answered by rule from the DATA block.

Every sentence is a triple of its first word, its second one and the rest; its longer words are entities. A triple that
shares a longer word with a question bears on it. Nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/hipporag/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1]) if found else None


def _entities(data: Data) -> Data:
    return {
        "passages": [
            {"passage": each["passage"], "entities": [word for word in _plain_words(each) if len(word) > 3]}
            for each in data.get("passages") or []
        ]
    }


def _triples(data: Data) -> Data:
    found = []
    for each in data.get("passages") or []:
        for sentence in sentences(str(each["text"])):
            subject, relation, object = (*sentence.rstrip(".!?").split(maxsplit=2), "", "")[:3]
            found.append(
                {
                    "passage": each["passage"],
                    "subject": subject,
                    "relation": relation or "says",
                    "object": object or subject,
                }
            )
    return {"triples": found}


def _filter(data: Data) -> Data:
    asked = set(longer_words(str(data.get("question"))))
    shown = data.get("triples") or []
    return {"relevant": [each["number"] for each in shown if asked & set(longer_words(str(each["text"])))]}


def _plain_words(passage: Data) -> list[str]:
    return [word.strip(".,;:!?\"'()") for word in str(passage["text"]).split()]


_TASKS: Mapping[str, Callable[[Data], Data]] = {
    "hippo_entities": _entities,
    "hippo_triples": _triples,
    "hippo_filter": _filter,
}
