"""A question's history: its evidence chats, shuffled among others, each with a time.

>>> from memtriage.suites.longmemeval.question import Chat
>>> from random import Random
>>> evidence = [ChatOnDay(Chat("answer_1", ()), 9), ChatOnDay(Chat("answer_2", ()), 2)]
>>> history, asked_at = build_history(evidence, [Chat("talk_1", ()), Chat("talk_2", ())], False, None, Random(5))
>>> [dated.chat.id for dated in history if dated.chat.id.startswith("answer")], history[-1].at < asked_at
(['answer_1', 'answer_2'], True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from random import Random

from memtriage.suites.longmemeval.generate.timestamps import resolve, room
from memtriage.suites.longmemeval.question import Chat, DatedChat


@dataclass(frozen=True, slots=True)
class ChatOnDay:
    """An evidence chat, and how many days before the question's it was held (None: any day will do)."""

    chat: Chat
    days_before: int | None


def build_history(
    evidence: Sequence[ChatOnDay], fillers: Sequence[Chat], ordered: bool, asked_on: date | None, rng: Random
) -> tuple[tuple[DatedChat, ...], str]:
    """All chats in the order and at the times they were held, and when the question is asked.

    Evidence that is `ordered` comes in the order given; otherwise only the days of those that have one decide.
    """
    others: list[Chat] = list(fillers)
    rng.shuffle(others)
    own = _in_order(evidence, ordered, rng)
    places = _spread(own, len(others), rng)
    chats: list[ChatOnDay] = []
    rest = iter(others)
    for one, before in zip(own, places, strict=True):
        chats += [ChatOnDay(next(rest), None) for _ in range(before)]
        chats.append(one)
    chats += [ChatOnDay(chat, None) for chat in rest]
    times, asked = resolve([chat.days_before for chat in chats], asked_on, rng)
    history = tuple(DatedChat(_minute(time), one.chat) for one, time in zip(chats, times, strict=True))
    return history, _minute(asked)


def _in_order(evidence: Sequence[ChatOnDay], ordered: bool, rng: Random) -> list[ChatOnDay]:
    """The evidence in the order in which it is told: shuffled, then those that must swap places do."""
    if ordered:
        return list(evidence)
    shuffled = list(evidence)
    rng.shuffle(shuffled)
    days = iter(
        sorted((one for one in shuffled if one.days_before is not None), key=lambda one: -(one.days_before or 0))
    )
    return [one if one.days_before is None else next(days) for one in shuffled]


def _spread(evidence: Sequence[ChatOnDay], others: int, rng: Random) -> list[int]:
    """How many other chats come before each evidence chat, and after the one before it.

    Every way to mix the two is equally likely, as after a shuffle; but where evidence stands so close in time that the
    chats between would not find a minute each, those that are too many move to the front.
    """
    spots = sorted(rng.sample(range(others + len(evidence)), len(evidence)))
    gaps = [spot - before - 1 for before, spot in pairwise((-1, *spots, others + len(evidence)))]
    known = [(place, one.days_before) for place, one in enumerate(evidence) if one.days_before is not None]
    for (first, earlier), (second, later) in pairwise([*known, (len(evidence), 0)]):
        limit = room(earlier, later)
        between = sum(gaps[first + 1 : second + 1])
        if between > limit:
            gaps[first + 1 : second + 1] = [gap * limit // between for gap in gaps[first + 1 : second + 1]]
    gaps[0] += others - sum(gaps)
    return gaps[:-1]


def _minute(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")
