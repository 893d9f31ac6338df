"""The chats that histories are filled with: one pool for all questions, each chat written when it is first needed.

>>> pool = ChatPool(seed=42, size=40)
>>> pool.chat("talk", 3).chat is pool.chat("talk", 3).chat, sum(map(pool.count, STYLES))
(True, 40)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Literal, get_args

from memtriage.suites.kit.localized import spoken_in
from memtriage.suites.longmemeval.attributes import PACKAGE, attributes
from memtriage.suites.longmemeval.conflicts import ChatIndex, Gold
from memtriage.suites.longmemeval.generate.chats import distractor_chat
from memtriage.suites.longmemeval.generate.filler import filler_chat
from memtriage.suites.longmemeval.generate.people import person
from memtriage.suites.longmemeval.localized import chats as localized_chats
from memtriage.suites.longmemeval.options import MIXTURE, S_CHAT_TOKENS
from memtriage.suites.longmemeval.question import Chat
from memtriage.text.tokens import count_tokens

Style = Literal["talk", "task", "simulated"]
STYLES: tuple[Style, ...] = get_args(Style)
"""The paper's three sources: two kinds of public chats, and simulated ones about other attributes."""


@dataclass(slots=True)
class PooledChat:
    """A chat of the pool, and an index of what it speaks about."""

    chat: Chat
    index: ChatIndex
    _tokens: int | None = None

    @property
    def tokens(self) -> int:
        """Its size in tokens, counted when first asked for."""
        if self._tokens is None:
            self._tokens = tokens_of(self.chat)
        return self._tokens


class ChatPool:
    """So many chats in the shares of a mixture; which chat has which number depends on the seed alone."""

    def __init__(
        self, seed: int, size: int, mixture: tuple[int, int, int] = MIXTURE, median: int = S_CHAT_TOKENS
    ) -> None:
        self._seed = seed
        self._code = spoken_in(PACKAGE).rstrip("/")
        self._median = median
        self._user = person(seed)
        self._attributes = Random(f"longmemeval:attributes:{seed}").sample(attributes(), len(attributes()))
        shares = dict(zip(STYLES, mixture, strict=True))
        self._chats: dict[Style, list[PooledChat | None]] = {
            style: [None] * -(-size * share // 100) for style, share in shares.items()
        }

    def count(self, style: Style) -> int:
        """How many chats of a style there are."""
        return len(self._chats[style])

    def chat(self, style: Style, number: int) -> PooledChat:
        """One chat; always the same object for the same number."""
        chats = self._chats[style]
        found = chats[number]
        if found is None:
            found = chats[number] = self._create(style, number)
        return found

    def draw(self, style: Style, gold: Gold, rng: Random) -> Iterator[PooledChat]:
        """The chats of a style in random order, none twice, without those that conflict with a question."""
        numbers = list(range(self.count(style)))
        for place in range(len(numbers)):
            other = rng.randrange(place, len(numbers))
            numbers[place], numbers[other] = numbers[other], numbers[place]
            pooled = self.chat(style, numbers[place])
            if gold.conflict(pooled.index) is None:
                yield pooled

    def _create(self, style: Style, number: int) -> PooledChat:
        if style == "simulated" and self._code:
            chat, keys = localized_chats.distractor_chat(self._code, self._seed, number)
        elif style == "simulated":
            chat, keys = self._simulated(number)
        else:
            chat, keys = filler_chat(style, self._seed, number, self._median), frozenset[str]()
        return PooledChat(chat, ChatIndex.of(chat, keys))

    def _simulated(self, number: int) -> tuple[Chat, frozenset[str]]:
        """A chat in which the user speaks of some attribute: always the same user, who never contradicts themselves."""
        rng = Random(f"longmemeval:simulated:{self._seed}:{number}")
        name = blake2b(f"simulated:{self._seed}:{number}".encode(), digest_size=5).hexdigest()
        return distractor_chat(
            self._attributes[number % len(self._attributes)], self._user, rng, f"{name}_{number % 4 + 1}"
        )


def tokens_of(chat: Chat) -> int:
    """How many tokens the messages of a chat have."""
    return count_tokens("\n".join(message.text for message in chat.messages))
