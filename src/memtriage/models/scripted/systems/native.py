"""What memtriage's own architectures ask their model, answered by rule from the DATA block.

Every sentence becomes a fact, a relation or an event; nothing is understood. A fact updates a stored one with the same
subject and verb, and deletes one that it takes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data, turn_sentences
from memtriage.models.scripted.replies import Request
from memtriage.text.words import words


def reply(request: Request) -> Mapping[str, Any] | None:
    """The answer to a question of `systems/designs/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1]) if found else None


def _fact_list(data: Data) -> Data:
    return {"facts": [{"text": text, "turns": [turn]} for turn, text in turn_sentences(data)]}


def _fact_operations(data: Data) -> Data:
    operations = []
    used: set[int] = set()
    for number, text in _listed(data, "new"):
        operation, stored = _operation(text, [each for each in _listed(data, "stored") if each[0] not in used])
        used |= {stored} - {0}
        kept = text if operation == "update" else ""
        operations.append({"new": number, "operation": operation, "stored": stored, "text": kept})
    return {"operations": operations}


def _operation(text: str, stored: Sequence[tuple[int, str]]) -> tuple[str, int]:
    """The same words again are none; taking something back deletes it; the same subject and verb is an update."""
    now = words(text)
    for number, old in stored:
        if words(old) == now:
            return "none", number
    for number, old in stored:
        before = words(old)
        if "no" in now.polarity and set(before.stems) <= set(now.stems) - {"longer"}:
            return "delete", number
    for number, old in stored:
        before = words(old)
        if len(now.stems) > 2 and before.stems[:2] == now.stems[:2] and before.polarity == now.polarity:
            return "update", number
    return "add", 0


def _note_list(data: Data) -> Data:
    notes = []
    for turn, text in _turns(data):
        keywords = _keywords(text)
        notes.append(
            {"turn": turn, "context": f"About {', '.join(keywords[:3])}.", "keywords": keywords, "tags": keywords[:1]}
        )
    return {"notes": notes}


def _note_links(data: Data) -> Data:
    """Notes that share a longer word are linked; a stored one takes on the new one's tag."""
    links, updates = [], []
    for stored, card in _cards(data, "stored"):
        own_keywords = set(_keywords(str(card.get("content"))))
        partners = [n for n, new in _cards(data, "new") if own_keywords & set(_keywords(str(new.get("content"))))]
        links += [{"new": n, "stored": stored} for n in partners]
        if partners:
            tags = [*(card.get("tags") or []), "linked"]
            updates.append({"stored": stored, "context": str(card.get("context")), "tags": list(dict.fromkeys(tags))})
    return {"links": links, "updates": updates}


def _relation_list(data: Data) -> Data:
    found = []
    for turn, text in turn_sentences(data):
        parts = text.rstrip(".!?").split()
        subject, relation, object = parts[0], " ".join(parts[1:2]) or "says", " ".join(parts[2:]) or parts[0]
        kinds = {"subject_type": "entity", "object_type": "entity"}
        found.append(
            {"subject": subject, "relation": relation, "object": object, **kinds, "fact": text, "turns": [turn]}
        )
    return {"relations": found}


def _relation_conflicts(data: Data) -> Data:
    """A stored relation ends by one that takes it back."""
    pairs = ((n, *_operation(text, list(_listed(data, "stored")))) for n, text in _listed(data, "new"))
    return {"ended": [{"new": n, "stored": stored} for n, operation, stored in pairs if operation == "delete"]}


def _event_list(data: Data) -> Data:
    """An event for each sentence, related to every earlier one that shares a longer word with it."""
    events = []
    for turn, text in turn_sentences(data):
        own_keywords = set(_keywords(text))
        related = [n for n, old in _listed(data, "earlier", "event") if own_keywords & set(_keywords(old))]
        relations = [{"kind": "same matter", "event": n} for n in related]
        who = [word.strip(".,!?") for word in text.split()[:1] if word[:1].isupper() and len(word) > 1]
        events.append({"when": "", "who": who, "what": text, "details": [], "relations": relations, "turns": [turn]})
    return {"events": events}


def _event_consolidation(data: Data) -> Data:
    """Events with the same words are one; those that open with the same two words are summed up."""
    same: dict[object, list[tuple[int, str]]] = {}
    alike: dict[object, list[tuple[int, str]]] = {}
    for number, text in _listed(data, "events", "event"):
        same.setdefault(words(text), []).append((number, text))
        alike.setdefault(words(text).stems[:2], []).append((number, text))
    merges = [
        {"events": [n for n, _ in group], "when": "", "who": [], "what": group[0][1], "details": []}
        for group in same.values()
        if len(group) > 1
    ]
    summaries = [
        {"events": [n for n, _ in group], "text": "Together: " + " ".join(text for _, text in group)}
        for group in alike.values()
        if len({text for _, text in group}) > 1
    ]
    return {"merges": merges, "summaries": summaries}


_TASKS: Mapping[str, Callable[[Data], Data]] = {
    "fact_list": _fact_list,
    "fact_operations": _fact_operations,
    "note_list": _note_list,
    "note_links": _note_links,
    "relation_list": _relation_list,
    "relation_conflicts": _relation_conflicts,
    "event_list": _event_list,
    "event_consolidation": _event_consolidation,
}


def _turns(data: Data) -> Iterator[tuple[int, str]]:
    return _listed(data, "turns", "turn")


def _listed(data: Data, key: str, number: str = "number") -> Iterator[tuple[int, str]]:
    for each in data.get(key) or []:
        yield int(each[number]), str(each["text"])


def _cards(data: Data, key: str) -> Iterator[tuple[int, Data]]:
    for each in data.get(key) or []:
        yield int(each["number"]), each


def _keywords(text: str) -> list[str]:
    return longer_words(text)[:6]
