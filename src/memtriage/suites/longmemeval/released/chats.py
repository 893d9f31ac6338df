"""Sessions in the usual form, as chats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Literal

import msgspec

from memtriage.suites.longmemeval.question import Chat
from memtriage.text.words import well_formed

SIDES = ("user", "assistant")
_BOTH = frozenset(SIDES)
_role, _content = itemgetter("role"), itemgetter("content")


class UsualMessage(msgspec.Struct, gc=False):
    """A message about which there is nothing to say, if it isn't empty."""

    role: Literal["user", "assistant"]
    content: str
    has_answer: bool = False


_roles, _contents, _marks = map(attrgetter, UsualMessage.__struct_fields__)


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


def plain_chats(ids: Sequence[str], sessions: Sequence[Sequence[UsualMessage]]) -> list[Chat] | None:
    """The chats of sessions of usual messages; None where anything is empty.

    All messages are gone through at once, as most of the time would go into going from session to session.
    """
    messages = [message for session in sessions for message in session]
    texts = list(map(_contents, messages))
    if len(ids) != len(sessions) or not (all(sessions) and all(map(str.strip, texts))):
        return None
    roles, marks = list(map(_roles, messages)), list(map(_marks, messages))
    chats = []
    end = 0
    for id, session in zip(ids, sessions, strict=True):
        start, end = end, end + len(session)
        marked = [n for n, mark in enumerate(marks[start:end]) if mark] if True in marks[start:end] else ()
        chats.append(Chat.of_texts(id, roles[start:end], texts[start:end], marked))
    return chats


def _is_well_formed(text: str) -> bool:
    return text.isascii() or well_formed(text) == text


def marked(turn: Mapping[str, Any]) -> bool:
    """Whether a message is marked as evidence."""
    return turn.get("has_answer") in (True, 1, "true")
