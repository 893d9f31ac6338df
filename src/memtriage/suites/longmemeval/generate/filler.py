"""Chats that tell nothing about the user: questions about the world (`talk_…`), and work for an assistant (`task_…`).

They take the place of the public chat logs that the paper mixes in. The same numbers give the same chat.

>>> chat = filler_chat("talk", seed=42, number=7)
>>> chat.id.startswith("talk_"), chat.messages[0].role, chat == filler_chat("talk", seed=42, number=7)
(True, 'user', True)
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from math import log
from random import Random
from typing import Literal, get_args

from memtriage.suites.kit.filler.chats import VARIANTS, generate_filler
from memtriage.suites.kit.filler.topics import folder, phrases, topics
from memtriage.suites.longmemeval.generate import tasks as filler_tasks
from memtriage.suites.longmemeval.options import S_CHAT_TOKENS
from memtriage.suites.longmemeval.question import Chat, Message

Style = Literal["talk", "task"]
STYLES: tuple[Style, ...] = get_args(Style)

SHORTEST, LONGEST = 100, 6_000
"""About how many tokens such a chat has, at the least and at the most."""

_SPREAD = 0.62
_SHORT = 0.12
"""The share of chats that end after a question or two."""

_CHARACTERS = 4.5
"""Roughly how many characters make a token."""

_BRIEF = 600
"""Up to this many tokens one thing is asked at a time."""

_CODING = 0.4
"""The share of programming among the work for an assistant."""


def filler_chat(style: Style, seed: int, number: int, median: int = S_CHAT_TOKENS) -> Chat:
    """One chat of a style; half of those that go on have fewer than `median` tokens."""
    rng = Random(f"longmemeval:{style}:{seed}:{number}")
    size = _size(rng, median)
    name = blake2b(f"{style}:{seed}:{number}".encode(), digest_size=6).hexdigest()
    return Chat(f"{style}_{name}", tuple(_messages(_exchanges(style, rng, size), size)))


def _size(rng: Random, median: int) -> int:
    """How many tokens a chat shall have: some are short, a few are very long."""
    if rng.random() < _SHORT:
        return rng.randint(SHORTEST, _BRIEF)
    return round(min(LONGEST, max(_BRIEF, rng.lognormvariate(log(median), _SPREAD))))


def _exchanges(style: Style, rng: Random, size: int) -> Iterator[tuple[str, str]]:
    if style == "talk" or folder():  # pieces of work are ordered in English alone
        return _topic_exchanges("personal-life", rng, size)
    return (
        _topic_exchanges("software-project", rng, size) if rng.random() < _CODING else filler_tasks.exchanges(rng, size)
    )


def _messages(exchanges: Iterator[tuple[str, str]], size: int) -> Iterator[Message]:
    """Exchanges up to about so many tokens; always at least one."""
    room = size * _CHARACTERS
    for request, reply in exchanges:
        yield Message("user", request)
        yield Message("assistant", reply)
        room -= len(request) + len(reply)
        if room < len(reply) / 2:  # another one would overshoot by more than stopping falls short
            return


def _topic_exchanges(domain: str, rng: Random, size: int) -> Iterator[tuple[str, str]]:
    """Questions and answers, a few at a time, on one topic after the other; only the first has a greeting."""
    known = topics(domain)
    around = {*phrases("recap_requests"), *phrases("thanks")}
    first = True
    while True:
        turns = generate_filler(domain, rng.randrange(len(known)), rng.randrange(VARIANTS)).turns
        pairs = [pair for pair in zip(turns[::2], turns[1::2], strict=True) if pair[0][1] not in around]
        while pairs:
            count = rng.randint(3, 6) if size > _BRIEF else 1
            together, pairs = pairs[:count], pairs[count:]
            requests = [text if first else _without_greeting(text) for (_, text), _ in together]
            yield "\n".join(requests), "\n\n".join(text for _, (_, text) in together)
            first = False


def _without_greeting(request: str) -> str:
    for greeting in filter(None, phrases("openers")):
        if request.startswith(f"{greeting} "):
            return request.removeprefix(greeting).strip()
    return request
