"""Questions written in the schema of the official files, so that code for those can read them.

One more key, `memtriage`, says where the evidence is, word for word; other readers ignore it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from memtriage.suites.kit.dates import official_date
from memtriage.suites.longmemeval.question import Chat, Question


def encode_questions(questions: Iterable[Question]) -> Iterator[bytes]:
    """A file of questions, a piece at a time: a JSON list with one line for each."""
    opening = b"[\n"
    for question in questions:
        yield opening
        yield from encode_question(question)
        opening = b",\n"
    yield b"\n]\n" if opening == b",\n" else b"[]\n"


def encode_question(question: Question) -> Iterator[bytes]:
    """One question as a JSON object, in pieces. A chat that stands in many histories is encoded once."""
    head = {
        "question_id": question.id,
        "question_type": question.type,
        "question": question.text,
        "answer": question.answer,
        "question_date": official_date(question.asked_at),
        "haystack_dates": [official_date(dated.at) for dated in question.history],
        "haystack_session_ids": [dated.chat.id for dated in question.history],
    }
    tail = {
        "answer_session_ids": list(question.answer_chats),
        "memtriage": {
            "evidence": [
                {
                    "chat": evidence.chat,
                    "message": evidence.message,
                    "texts": list(evidence.texts),
                    "details": list(evidence.details),
                    "outdated": evidence.outdated,
                }
                for evidence in question.evidence
            ],
            "tags": dict(question.tags),
        },
    }
    yield _json(head)[:-1] + b', "haystack_sessions": ['
    for place, dated in enumerate(question.history):
        yield (b", " if place else b"") + _encoded(dated.chat)
    yield b"], " + _json(tail)[1:]


@lru_cache(maxsize=1 << 13)
def _encoded(chat: Chat) -> bytes:
    return _json(
        [
            {"role": message.role, "content": message.text} | ({"has_answer": True} if message.has_answer else {})
            for message in chat.messages
        ]
    )


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()
