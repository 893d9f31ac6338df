"""The gold facts of released entries: what each marked message tells, or the likeliest of a session without marks."""

from __future__ import annotations

from memtriage.suites.kit.evidence import Sought, likeliest, said_first, told_by
from memtriage.suites.longmemeval.question import Chat, Evidence, Question
from memtriage.text.words import words

_ASSISTANT = "single-session-assistant"


def find_evidence(question: Question) -> tuple[Evidence, ...]:
    """What each marked message tells.

    What the assistant said is evidence in a question about it, and in a chat where nothing else is marked.
    """
    found = []
    for dated in question.history:
        messages = dated.chat.messages
        marked = [n for n, message in enumerate(messages) if message.has_answer and words(message.text).stems]
        if question.type != _ASSISTANT:
            marked = [marked[n] for n in said_first([messages[n][:2] for n in marked])]
        found += [_evidence(question, dated.chat, number) for number in marked]
    return tuple(found)


def likeliest_evidence(question: Question, chat: Chat) -> Evidence:
    """The message of an evidence session without marks that most likely tells it."""
    side = "assistant" if question.type == _ASSISTANT else "user"
    all_numbers = range(len(chat.messages))
    own = [n for n in all_numbers if chat.messages[n].role == side and words(chat.messages[n].text).stems]
    numbers = own or all_numbers
    best = numbers[likeliest([chat.messages[n].text for n in numbers], _asked(question))]
    return _evidence(question, chat, best)


def _evidence(question: Question, chat: Chat, number: int) -> Evidence:
    return Evidence(chat.id, number, *told_by(chat.messages[number].text, _asked(question)))


def _asked(question: Question) -> Sought:
    return Sought(
        question.text,
        question.answer,
        timed=question.type == "temporal-reasoning",
        rubric=question.type == "single-session-preference",
    )
