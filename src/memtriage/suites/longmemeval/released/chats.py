"""Sessions in the usual form, as chats."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from memtriage.suites.longmemeval.question import Chat
from memtriage.text.words import well_formed

SIDES = ("user", "assistant")
_BOTH = frozenset(SIDES)
_role, _content = itemgetter("role"), itemgetter("content")


def plain_chat(id: str, session: list[Any]) -> Chat | None:
    """The chat of a session about which there is nothing to say; None of any other.

    Nearly all are such, and going through all their messages with what is built in takes less than half of the time.
    """
    try:
        roles, texts = list(map(_role, session)), list(map(_content, session))
        usual = texts and _BOTH.issuperset(roles) and all(map(str.strip, texts))
    except (TypeError, KeyError):
        return None
    if not usual or not (all(map(str.isascii, texts)) or all(map(_is_well_formed, texts))):
        return None
    marks = () if set(map(len, session)) == {2} else [n for n, turn in enumerate(session) if marked(turn)]
    return Chat.of_texts(id, roles, texts, marks)


def _is_well_formed(text: str) -> bool:
    return text.isascii() or well_formed(text) == text


def marked(turn: Mapping[str, Any]) -> bool:
    """Whether a message is marked as evidence."""
    return turn.get("has_answer") in (True, 1, "true")
