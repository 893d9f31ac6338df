"""Questions with histories, made without a model: the same for the same seed, one at a time.

>>> question = next(generate_questions("oracle", 1, 42, {}))
>>> len(question.history) == len(question.answer_chats)
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from random import Random

from memtriage.suites.kit.localized import spoken_in
from memtriage.suites.longmemeval.attributes import PACKAGE
from memtriage.suites.longmemeval.generate.chats import evidence_chat
from memtriage.suites.longmemeval.generate.haystack import Haystacks
from memtriage.suites.longmemeval.generate.outlines import draw_outline
from memtriage.suites.longmemeval.localized import chats as localized_chats
from memtriage.suites.longmemeval.localized import outlines as localized_outlines
from memtriage.suites.longmemeval.options import HistoryPlan
from memtriage.suites.longmemeval.outline import Outline
from memtriage.suites.longmemeval.question import Chat, Evidence, Question, type_mixture

ROWS = 500
"""Questions, as in the paper."""


def generate_questions(size: str, rows: int | None, seed: int, options: Mapping[str, str]) -> Iterator[Question]:
    """So many questions with histories of a size; the evidence is the same in all sizes."""
    haystacks = Haystacks(HistoryPlan.of(size, options), seed)
    for number, outline in enumerate(generate_outlines(ROWS if rows is None else rows, seed)):
        id = _id(seed, number, outline.abstention)
        chats, evidence = evidence_chats(outline, id, Random(f"longmemeval:told:{seed}:{number}"))
        yield haystacks.question(id, outline, chats, evidence)


def generate_outlines(rows: int, seed: int) -> Iterator[Outline]:
    """The outlines of so many questions, in the paper's mixture of types."""
    used: set[str] = set()
    code = spoken_in(PACKAGE).rstrip("/")
    for number, (type, abstention) in enumerate(type_mixture(rows, seed)):
        rng = Random(f"longmemeval:ask:{seed}:{number}")
        if code:
            yield localized_outlines.draw_outline(code, type, rng, used, abstention)
        else:
            yield draw_outline(type, rng, used, abstention)


def evidence_chats(outline: Outline, id: str, rng: Random) -> tuple[list[Chat], list[Evidence]]:
    """The chats that tell a question's statements, and where its evidence stands in them."""
    chats: list[Chat] = []
    evidence: list[Evidence] = []
    for number, statement in enumerate(outline.statements, start=1):
        chat_id = f"{'beside' if statement.distractor else 'answer'}_{id}_{number}"
        write = localized_chats.evidence_chat if spoken_in(PACKAGE) else evidence_chat
        chat, message = write(statement, chat_id, rng)
        if statement.distractor:
            chats.append(Chat(chat.id, tuple(each._replace(has_answer=False) for each in chat.messages)))
            continue
        chats.append(chat)
        evidence.append(Evidence(chat.id, message, statement.texts, statement.details, statement.outdated))
    return chats, evidence


def _id(seed: int, number: int, abstention: bool) -> str:
    """The id of a question, as the official ones look: those whose premise is false end with `_abs`."""
    name = blake2b(f"question:{seed}:{number}".encode(), digest_size=4).hexdigest()
    return f"{name}_abs" if abstention else name
