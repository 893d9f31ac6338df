"""Histories compiled around evidence: other chats are drawn from a pool shared by all questions.

Only references to the pool's chats are kept, so that five hundred histories of five hundred chats take no more room
than the pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import repeat
from math import gcd
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.conflicts import Gold
from memtriage.suites.longmemeval.generate.history import ChatOnDay, build_history
from memtriage.suites.longmemeval.generate.pool import STYLES, ChatPool, Style, tokens_of
from memtriage.suites.longmemeval.options import M_CHAT_TOKENS, S_CHAT_TOKENS, HistoryPlan
from memtriage.suites.longmemeval.outline import Outline
from memtriage.suites.longmemeval.question import Chat, Evidence, Question


class Haystacks:
    """Gives questions their histories, all of one plan and with chats of one pool."""

    def __init__(self, plan: HistoryPlan, seed: int) -> None:
        self.plan = plan
        self.pool = ChatPool(seed, plan.pool, plan.mixture, M_CHAT_TOKENS if plan.size == "m" else S_CHAT_TOKENS)
        self._seed = seed

    def question(self, id: str, outline: Outline, chats: Sequence[Chat], evidence: Sequence[Evidence]) -> Question:
        """A question with its history; `chats` tell its statements, one each."""
        rng = Random(f"longmemeval:history:{self._seed}:{id}")
        others = self._others(id, Gold.of(outline), chats, rng)
        stated = list(zip(chats, outline.statements, strict=True))
        evidence_only = self.plan.size == "oracle"
        own = [ChatOnDay(chat, one.days_before) for chat, one in stated if not (evidence_only and one.distractor)]
        asked_on = date.fromisoformat(outline.asked_on) if outline.asked_on else None
        history, asked_at = build_history(own, others, outline.ordered, asked_on, rng)
        return Question(
            id=id,
            type=outline.type,
            text=outline.text,
            answer=outline.answer,
            asked_at=asked_at,
            history=history,
            answer_chats=tuple(chat.id for chat, one in stated if not one.distractor),
            evidence=() if outline.abstention else tuple(evidence),
            tags=outline.tags,
        )

    def _others(self, id: str, gold: Gold, own: Sequence[Chat], rng: Random) -> list[Chat]:
        """Chats in the shares of the mixture that say nothing about the question, up to the plan's length."""
        sessions = None if self.plan.sessions is None else max(0, self.plan.sessions - len(own))
        room = None if self.plan.tokens is None else self.plan.tokens - sum(map(tokens_of, own))
        drawn = {style: self.pool.draw(style, gold, rng) for style in STYLES}
        others: list[Chat] = []
        for style in self._styles(rng):
            if sessions is not None and len(others) >= sessions:
                break
            pooled = next(drawn[style], None)
            if pooled is None:
                raise BadInput(
                    f"question {id}: after {len(others)} chats the pool of {self.plan.pool} has no {style} chat left "
                    f"that fits it; ask for a larger one (pool={2 * self.plan.pool}), or for shorter histories"
                )
            if room is not None:
                room -= pooled.tokens
                if room < 0:
                    break
            others.append(pooled.chat)
        return others

    def _styles(self, rng: Random) -> Iterator[Style]:
        """Which kind of chat comes next: in small batches of the mixture, so that any length has about its shares."""
        unit = gcd(*self.plan.mixture)
        batch = [
            style
            for style, share in zip(STYLES, self.plan.mixture, strict=True)
            for style in repeat(style, share // unit)
        ]
        while True:
            rng.shuffle(batch)
            yield from tuple(batch)
