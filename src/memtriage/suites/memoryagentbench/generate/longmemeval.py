"""LongMemEval (S*): the chat histories of many questions, merged by date into one long dialogue.

Questions, evidence and other chats come from the LongMemEval generator. No chat of one question conflicts with another
question (checked both ways, by topic and by words), and no other chat conflicts with any of them.

>>> context = next(contexts(20_000, 3, seed=1, options={}))
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
from memtriage.suites.memoryagentbench.generate.plan import shares
from memtriage.text.tokens import count_tokens

SOURCE = "longmemeval_s*"
_DRAWN, _WRITTEN = 100, 8
"""How many questions of a type are drawn, and for how many of them chats are written, before giving up."""
_LEAST = 900
"""About the fewest tokens of a chat with evidence."""
_STYLES = (STYLES[0], STYLES[1], STYLES[2], STYLES[2])
"""The styles of other chats in turn: a quarter, a quarter and a half, as in the paper."""
_TYPICAL = 1_500
"""Tokens of a chat, somewhat below the mean; the pool is sized by it."""
_NEAR_THE_END = 5_000
"""With so many tokens left or less, chats are chosen, and cut short, to fit."""
_CANDIDATES = 12
_COUNTS_FROM_TODAY = re.compile(r"\b(?:yesterday|ago|this past|last)\b", re.IGNORECASE)
_NEEDS_DATES = ("between", "ago", "when")
"""Questions for which the order of chats is not enough."""


@dataclass(slots=True)
class _Question:
    """A question, the chats with its evidence, and other chats of its history."""

    id: str
    outline: Outline
    gold: Gold
    chats: list[Chat]
    evidence: list[Evidence]
    indexes: list[ChatIndex]
    others: list[Chat] = field(default_factory=list)
    asked_at: str = ""

    @property
    def stated(self) -> list[tuple[Statement, Evidence]]:
        """The statements that the answer needs, and where they stand."""
        needed = (statement for statement in self.outline.statements if not statement.distractor)
        return list(zip(needed, self.evidence, strict=True))


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """Dialogues of about so many tokens, with so many questions in all, as far as they fit."""
    label = length_label(length)
    for number, share in enumerate(shares("longmemeval", rows, options), 1):
        rng = Random(f"memoryagentbench:history:{seed}:{length}:{number}")
        id = f"longmemeval_s_{label}_{seed}_{number}"
        questions, used = _choose(id, length, share, rng)
        if share and not questions:
            raise BadInput(f"no question's chats fit into {length} tokens; ask for a longer context, such as 12k")
        _fill(questions, length - used, ChatPool(rng.randrange(10**9), max(200, 3 * length // _TYPICAL)), rng)
        yield _dialogue(id, questions, rng, {"length": label})


# ------------------------------------------------------------------ questions that don't conflict


def _choose(id: str, length: int, rows: int, rng: Random) -> tuple[list[_Question], int]:
    """As many questions as are asked for and fit, in the paper's mixture of types, and their chats' tokens."""
    chosen: list[_Question] = []
    room = length
    types = type_mixture(rows, rng.randrange(10**9))
    for type, abstention in (*types, *types):  # the second time for those that could not be asked
        if len(chosen) == rows:
            break
        drawn = (draw_outline(type, rng, None, abstention) for _ in range(_DRAWN))
        apart = (each for each in drawn if len(each.statements) * _LEAST <= room and _topics_apart(each, chosen))
        for outline in islice(apart, _WRITTEN):
            question = _with_chats(f"{id}/q{len(chosen)}", outline, rng)
            size = sum(map(_size, question.chats))
            if size <= room and not any(_conflict(question, other) for other in chosen):
                chosen.append(question)
                room -= size
                break
    return chosen, length - room


def _topics_apart(outline: Outline, chosen: Sequence[_Question]) -> bool:
    """Whether a question has topics of its own; checked before its chats are written, to save time."""
    silent = ChatIndex.of(Chat("", ()), outline.keys)
    return not any(other.gold.conflict(silent) for other in chosen)


def _with_chats(id: str, outline: Outline, rng: Random) -> _Question:
    chats, evidence = evidence_chats(outline, f"{rng.randrange(16**8):08x}", rng)
    indexes = [ChatIndex.of(chat, statement.keys) for chat, statement in zip(chats, outline.statements, strict=True)]
    return _Question(id, outline, Gold.of(outline), chats, evidence, indexes)


def _conflict(question: _Question, other: _Question) -> bool:
    return (
        question.outline.text == other.outline.text
        or any(question.gold.conflict(index) for index in other.indexes)
        or any(other.gold.conflict(index) for index in question.indexes)
    )


# ------------------------------------------------------------------ other chats


def _fill(questions: Sequence[_Question], room: int, pool: ChatPool, rng: Random) -> None:
    """Give the questions' histories other chats in turn, until the room is used up."""
    drawn = _others([question.gold for question in questions], pool, rng)
    turn = 0
    while questions and room > 0:
        wanted = 1 if room > _NEAR_THE_END else _CANDIDATES
        found = [chat for chat, _ in zip(drawn, range(wanted), strict=False)]
        if not found:
            raise BadInput("there are too few chats that no question rests on; ask for a shorter context")
        fitting = [(size, chat) for whole in found for chat, size in _cuts(whole, room)]
        if not fitting:
            return
        size, chat = max(fitting, key=lambda sized: sized[0]) if wanted > 1 else fitting[-1]
        questions[turn % len(questions)].others.append(chat)
        room -= size
        turn += 1


def _others(golds: Sequence[Gold], pool: ChatPool, rng: Random) -> Iterator[Chat]:
    """Chats of the pool, none twice, that conflict with none of the questions."""
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


def _dialogue(id: str, questions: Sequence[_Question], rng: Random, tags: Mapping[str, str]) -> Context:
    """All histories in one, in the order of their dates."""
    held: list[DatedChat] = []
    for question in questions:
        outline = question.outline
        stated = zip(question.chats, outline.statements, strict=True)
        placed = [ChatOnDay(chat, statement.days_before) for chat, statement in stated]
        day = date.fromisoformat(outline.asked_on) if outline.asked_on else None
        history, question.asked_at = build_history(placed, question.others, outline.ordered, day, rng)
        held += history
    held.sort(key=lambda dated: dated.at)  # a question's own chats all have times of their own
    written = [_chat_text(dated.chat, dated.at) for dated in held]
    places: dict[str, tuple[int, DatedChat]] = {}
    place = 0
    for dated, text in zip(held, written, strict=True):
        places[dated.chat.id] = (place, dated)
        place += len(text)
    answerable = (question for question in questions if not question.outline.abstention)
    passages = [passage for question in answerable for passage in _passages(question, places)]
    queries = tuple(_query(question) for question in questions)
    return Context(id, "longmemeval", SOURCE, "".join(written).rstrip(), tuple(passages), queries, tags)


def _chat_text(chat: Chat, at: str) -> str:
    return f"{_heading(at)}{_message_lines(chat.messages)}\n"


def _heading(at: str) -> str:
    return f"Session on {datetime.fromisoformat(at):%Y/%m/%d (%a) %H:%M}\n"


def _message_lines(messages: Sequence[Message]) -> str:
    return "".join(f"{message.role}: {message.text}\n" for message in messages)


def _size(chat: Chat) -> int:
    """The tokens that a chat takes with its heading."""
    return count_tokens(_chat_text(chat, "2023-05-20T02:21"))


def _passages(question: _Question, places: Mapping[str, tuple[int, DatedChat]]) -> Iterator[Passage]:
    """Where the evidence of a question stands: what was said, and the date of the chat where that is needed."""
    for number, (statement, evidence) in enumerate(question.stated):
        start, dated = places[evidence.chat]
        heading = _heading(dated.at)
        before = heading + _message_lines(dated.chat.messages[: evidence.message])
        message = dated.chat.messages[evidence.message]
        inside = len(f"{message.role}: ") + message.text.index(statement.text)
        yield Passage(_statement_id(question, number), statement.text, start + len(before) + inside, evidence.details)
        if _needs_date(question.outline, statement):
            yield Passage(_date_id(question, number), heading.rstrip(), start, (heading.split()[2],))


def _query(question: _Question) -> Query:
    outline = question.outline
    type = ABSTENTION if outline.abstention else outline.type
    tags = {"type": type, JUDGED_AS: f"longmemeval/{type}", "sessions": str(len(question.evidence)), **outline.tags}
    if outline.abstention:
        return Query(question.id, outline.text, (outline.answer,), "abstain", asked_at=question.asked_at, tags=tags)
    needed: list[str] = []
    old: list[str] = []
    for number, (statement, _) in enumerate(question.stated):
        (old if statement.outdated else needed).append(_statement_id(question, number))
        needed += [_date_id(question, number)] if _needs_date(outline, statement) else []
    outdated = tuple((passage, tuple(needed)) for passage in old)
    return Query(
        question.id,
        outline.text,
        (outline.answer,),
        "free",
        (tuple(needed),),
        outdated,
        asked_at=question.asked_at,
        tags=tags,
    )


def _needs_date(outline: Outline, statement: Statement) -> bool:
    """Whether the answer takes the date of the chat: it is asked for, or the statement counts from it (`yesterday`)."""
    if outline.tags.get("time") == "metadata":
        return outline.tags.get("op") in _NEEDS_DATES
    return outline.tags.get("time") == "explicit" and bool(_COUNTS_FROM_TODAY.search(statement.details[-1]))


def _statement_id(question: _Question, number: int) -> str:
    return f"{question.id}/e{number}"


def _date_id(question: _Question, number: int) -> str:
    return f"{question.id}/d{number}"
