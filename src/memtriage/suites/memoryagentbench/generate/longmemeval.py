"""LongMemEval (S*): the chat histories of many questions, merged by date into one long dialogue.

Questions, evidence and other chats come from the LongMemEval generator. What one question's chats tell never bears on
another question: that is checked in both directions, by topic and by words, and no other chat bears on any of them.

>>> context = next(contexts(12_000, 3, seed=1, options={}))
>>> len(context.queries), context.text[:11]
(3, 'Session on ')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import islice
from random import Random

from memtriage.core.errors import BadInput
from memtriage.core.rubric import JUDGED_AS
from memtriage.suites.kit.options import count_of
from memtriage.suites.longmemeval.public import (
    ABSTENTION,
    STYLES,
    Chat,
    ChatIndex,
    ChatOnDay,
    ChatPool,
    DatedChat,
    Evidence,
    Gold,
    Message,
    Outline,
    Statement,
    build_history,
    draw_outline,
    evidence_chats,
    type_mixture,
)
from memtriage.suites.memoryagentbench.context import Context, Passage, Query, length_label
from memtriage.text.tokens import count_tokens

SOURCE = "longmemeval_s*"
CONTEXTS = 1
"""Dialogues, where nothing else is asked for; the paper has five."""

_DRAWN, _TOLD = 100, 8
"""How many questions of a type are drawn, and of how many of these the chats are written, before one is left out."""
_LEAST = 900
"""Tokens that an evidence chat has at the least, or nearly so."""
_STYLES = (STYLES[0], STYLES[1], STYLES[2], STYLES[2])
"""Which kinds of other chats take turns: the paper's quarter, quarter and half."""
_TYPICAL = 1_500
"""Tokens of a chat, somewhat below the mean; the pool is sized by it."""
_NEAR_THE_END = 5_000
"""With so many tokens left or less, chats are chosen, and cut short, to fit."""
_CANDIDATES = 12
_SPOKEN_FROM_TODAY = re.compile(r"\b(?:yesterday|ago|this past|last)\b", re.IGNORECASE)
_NEEDS_DATES = ("between", "ago", "when")
"""Questions for which the order of chats is not enough."""


@dataclass(slots=True)
class _Asked:
    """A question that fits the others, with the chats that tell what it rests on."""

    id: str
    seed: Outline
    gold: Gold
    chats: list[Chat]
    evidence: list[Evidence]
    heard: list[ChatIndex]
    others: list[Chat] = field(default_factory=list)
    asked_at: str = ""

    @property
    def stated(self) -> list[tuple[Statement, Evidence]]:
        """What the answer rests on, and where it was said."""
        return list(zip((one for one in self.seed.statements if not one.distractor), self.evidence, strict=True))


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """Dialogues of about so many tokens, each with at most so many questions; `contexts=5` makes five of them."""
    label = length_label(length)
    for number in range(1, (count_of(options, "contexts") or CONTEXTS) + 1):
        rng = Random(f"memoryagentbench:history:{seed}:{length}:{number}")
        id = f"longmemeval_s_{label}_{seed}_{number}"
        asked, used = _chosen(id, length, rows, rng)
        if rows and not asked:
            raise BadInput(f"no question's chats fit into {length} tokens; ask for a longer context, such as 12k")
        _fill(asked, length - used, ChatPool(rng.randrange(10**9), max(200, 3 * length // _TYPICAL)), rng)
        yield _merged(id, asked, rng, {"length": label})


# ------------------------------------------------------------------ questions that don't bear on each other


def _chosen(id: str, length: int, rows: int, rng: Random) -> tuple[list[_Asked], int]:
    """As many questions as are asked for and fit, in the paper's mixture of types, and their chats' tokens."""
    chosen: list[_Asked] = []
    room = length
    types = type_mixture(rows, rng.randrange(10**9))
    for type, abstention in (*types, *types):  # the second time in place of those that could not be asked
        if len(chosen) == rows:
            break
        drawn = (draw_outline(type, rng, None, abstention) for _ in range(_DRAWN))
        apart = (seed for seed in drawn if len(seed.statements) * _LEAST <= room and _topics_apart(seed, chosen))
        for seed in islice(apart, _TOLD):
            one = _made(f"{id}/q{len(chosen)}", seed, rng)
            size = sum(map(_size, one.chats))
            if size <= room and not any(_bear_on_each_other(one, other) for other in chosen):
                chosen.append(one)
                room -= size
                break
    return chosen, length - room


def _topics_apart(seed: Outline, chosen: Sequence[_Asked]) -> bool:
    """Whether a question speaks of nothing that others speak of; seen before its chats are written, to save time."""
    silent = ChatIndex.of(Chat("", ()), seed.keys)
    return not any(other.gold.conflict(silent) for other in chosen)


def _made(id: str, seed: Outline, rng: Random) -> _Asked:
    chats, evidence = evidence_chats(seed, f"{rng.randrange(16**8):08x}", rng)
    heard = [ChatIndex.of(chat, statement.keys) for chat, statement in zip(chats, seed.statements, strict=True)]
    return _Asked(id, seed, Gold.of(seed), chats, evidence, heard)


def _bear_on_each_other(one: _Asked, other: _Asked) -> bool:
    return (
        one.seed.text == other.seed.text
        or any(one.gold.conflict(heard) for heard in other.heard)
        or any(other.gold.conflict(heard) for heard in one.heard)
    )


# ------------------------------------------------------------------ other chats


def _fill(asked: Sequence[_Asked], room: int, pool: ChatPool, rng: Random) -> None:
    """Give the questions' histories other chats in turn, until the room is used up."""
    drawn = _others([one.gold for one in asked], pool, rng)
    turn = 0
    while asked and room > 0:
        wanted = 1 if room > _NEAR_THE_END else _CANDIDATES
        found = [chat for chat, _ in zip(drawn, range(wanted), strict=False)]
        if not found:
            raise BadInput("there are too few chats that no question rests on; ask for a shorter context")
        fitting = [(size, chat) for whole in found for chat, size in _cuts(whole, room)]
        if not fitting:
            return
        size, chat = max(fitting, key=lambda sized: sized[0]) if wanted > 1 else fitting[-1]
        asked[turn % len(asked)].others.append(chat)
        room -= size
        turn += 1


def _others(golds: Sequence[Gold], pool: ChatPool, rng: Random) -> Iterator[Chat]:
    """Chats of the pool, none twice, that bear on none of the questions."""
    left = {style: rng.sample(range(pool.count(style)), pool.count(style)) for style in STYLES}
    while any(left.values()):
        for style in _STYLES:
            while left[style]:
                pooled = pool.chat(style, left[style].pop())
                if not any(gold.conflict(pooled.index) for gold in golds):
                    yield pooled.chat
                    break


def _cuts(chat: Chat, room: int) -> Iterator[tuple[Chat, int]]:
    """A chat, if there is room for it, and otherwise its beginnings that end with an answer and do fit."""
    size = _size(chat)
    if size <= room:
        yield chat, size
        return
    for end in range(2, len(chat.messages), 2):
        cut = replace(chat, messages=chat.messages[:end])
        size = _size(cut)
        if size > room:
            return
        yield cut, size


# ------------------------------------------------------------------ the dialogue


def _merged(id: str, asked: Sequence[_Asked], rng: Random, tags: Mapping[str, str]) -> Context:
    """All histories in one, in the order of their dates."""
    held: list[DatedChat] = []
    for one in asked:
        placed = [ChatOnDay(chat, said.days_before) for chat, said in zip(one.chats, one.seed.statements, strict=True)]
        day = date.fromisoformat(one.seed.asked_on) if one.seed.asked_on else None
        history, one.asked_at = build_history(placed, one.others, one.seed.ordered, day, rng)
        held += history
    held.sort(key=lambda dated: dated.at)  # a question's own chats all have times of their own
    written = [_written(dated.chat, dated.at) for dated in held]
    places: dict[str, tuple[int, DatedChat]] = {}
    place = 0
    for dated, text in zip(held, written, strict=True):
        places[dated.chat.id] = (place, dated)
        place += len(text)
    passages = [passage for one in asked if not one.seed.abstention for passage in _passages(one, places)]
    queries = tuple(_query(one) for one in asked)
    return Context(id, "longmemeval", SOURCE, "".join(written).rstrip(), tuple(passages), queries, tags)


def _written(chat: Chat, at: str) -> str:
    return f"{_heading(at)}{_spoken(chat.messages)}\n"


def _heading(at: str) -> str:
    return f"Session on {datetime.fromisoformat(at):%Y/%m/%d (%a) %H:%M}\n"


def _spoken(messages: Sequence[Message]) -> str:
    return "".join(f"{message.role}: {message.text}\n" for message in messages)


def _size(chat: Chat) -> int:
    """The tokens that a chat takes with its heading."""
    return count_tokens(_written(chat, "2023-05-20T02:21"))


def _passages(one: _Asked, places: Mapping[str, tuple[int, DatedChat]]) -> Iterator[Passage]:
    """Where the evidence of a question stands: what was said, and the date of the chat where that is needed."""
    for number, (statement, evidence) in enumerate(one.stated):
        start, dated = places[evidence.chat]
        heading = _heading(dated.at)
        before = heading + _spoken(dated.chat.messages[: evidence.message])
        message = dated.chat.messages[evidence.message]
        inside = len(f"{message.role}: ") + message.text.index(statement.text)
        yield Passage(_said(one, number), statement.text, start + len(before) + inside, evidence.details)
        if _dated(one.seed, statement):
            yield Passage(_date(one, number), heading.rstrip(), start, (heading.split()[2],))


def _query(one: _Asked) -> Query:
    seed = one.seed
    type = ABSTENTION if seed.abstention else seed.type
    tags = {"type": type, JUDGED_AS: f"longmemeval/{type}", "sessions": str(len(one.evidence)), **seed.tags}
    if seed.abstention:
        return Query(one.id, seed.text, (seed.answer,), "abstain", asked_at=one.asked_at, tags=tags)
    needed: list[str] = []
    old: list[str] = []
    for number, (statement, _) in enumerate(one.stated):
        (old if statement.outdated else needed).append(_said(one, number))
        needed += [_date(one, number)] if _dated(seed, statement) else []
    outdated = tuple((passage, tuple(needed)) for passage in old)
    return Query(
        one.id, seed.text, (seed.answer,), "free", (tuple(needed),), outdated, asked_at=one.asked_at, tags=tags
    )


def _dated(seed: Outline, statement: Statement) -> bool:
    """Whether the answer can't be told without the date of the chat: it is what counts, or `yesterday` hangs on it."""
    if seed.tags.get("time") == "metadata":
        return seed.tags.get("op") in _NEEDS_DATES
    return seed.tags.get("time") == "explicit" and bool(_SPOKEN_FROM_TODAY.search(statement.details[-1]))


def _said(one: _Asked, number: int) -> str:
    return f"{one.id}/e{number}"


def _date(one: _Asked, number: int) -> str:
    return f"{one.id}/d{number}"
