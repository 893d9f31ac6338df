"""Chats in another language: questions about the world, and among them what a user lets slip."""

from __future__ import annotations

from hashlib import blake2b
from random import Random

from memtriage.suites.kit.filler.chats import VARIANTS, Talk, generate_filler
from memtriage.suites.kit.filler.topics import topics
from memtriage.suites.kit.localized import filled
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import items, values
from memtriage.suites.longmemeval.localized.outlines import words_of
from memtriage.suites.longmemeval.outline import Statement
from memtriage.suites.longmemeval.question import Chat, Message

_DOMAIN = "personal-life"


def evidence_chat(statement: Statement, chat_id: str, rng: Random) -> tuple[Chat, int]:
    """A chat in which a statement is made, and the index of the message that makes it."""
    talk = _talk(rng)
    place = 2 * rng.randrange(len(talk) // 2)
    messages = [Message(role, text) for role, text in talk]
    if statement.role == "assistant":
        told = [Message("user", statement.prompt), Message("assistant", statement.body, has_answer=True)]
        messages[place:place] = told
        return Chat(chat_id, tuple(messages)), place + 1
    asked = messages[place].text
    both = (statement.text, asked) if rng.random() < 0.5 else (asked, statement.text)
    messages[place] = Message("user", " ".join(both), has_answer=True)
    return Chat(chat_id, tuple(messages)), place


def distractor_chat(code: str, seed: int, number: int) -> tuple[Chat, frozenset[str]]:
    """A chat in which the user tells a fact of their own, always the same one of a kind, and its key."""
    words = words_of(code)
    record = words["single"][number % len(words["single"])]
    value = Random(f"{code}:person:{seed}:{record['key']}").choice(values(record["values"]))
    rng = Random(f"{code}:simulated:{seed}:{number}")
    tell = marked(filled(record["tell"], {"v": value}))[0]
    told = Statement(record["key"], filled(rng.choice(items(words["asides"])), {"fact": tell}), (), frozenset())
    name = blake2b(f"{code}:simulated:{seed}:{number}".encode(), digest_size=5).hexdigest()
    chat, _ = evidence_chat(told, f"{name}_{number % 4 + 1}", rng)
    unmarked = tuple(message._replace(has_answer=False) for message in chat.messages)
    return Chat(chat.id, unmarked), frozenset({record["key"]})


def _talk(rng: Random) -> Talk:
    """Questions and answers about the world, in pairs."""
    turns = generate_filler(_DOMAIN, rng.randrange(len(topics(_DOMAIN))), rng.randrange(VARIANTS)).turns
    return turns[: 2 * (len(turns) // 2)]
