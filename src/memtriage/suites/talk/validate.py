"""What conversations must keep to: evidence that says the answer, dates in order, and nothing that can be guessed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from memtriage.core.errors import BadInput
from memtriage.suites.kit.shortcuts import Quiz, common_questions, guessable, shortcuts
from memtriage.suites.locomo.conversation import ADVERSARIAL, Conversation, Question
from memtriage.suites.locomo.reading import remarks
from memtriage.suites.talk.layout import TalkLayout, missing, turns
from memtriage.suites.talk.questions import Asked
from memtriage.text.words import words

DUPLICATES = 0.02
"""The share of turns that may stand in another conversation too."""

_PRONOUN = re.compile(r"\b(?:he|she|his|her|him|himself|herself)\b")
_SMALL = frozenset(words("a an the in at on by of through his her their it its he she they to").stems)


def problems(talks: Sequence[Conversation]) -> Iterator[tuple[str, bool]]:
    """What is wrong with conversations, each with whether it is an error; then what only all of them can show."""
    layout = TalkLayout()
    probes = []
    for talk in talks:
        yield from ((remark, False) for remark in remarks(talk, talk.questions))
        for question in talk.questions:
            yield from ((f"question {talk.question_id(question)}: {text}", True) for text in _wrong(talk, question))
        try:
            probes += [probe for episode in layout.episodes(talk) for probe in episode.probes]
        except BadInput as error:
            yield str(error), True
    share = duplicates(talks)
    if share > DUPLICATES:
        yield f"{share:.1%} of the turns stand in another conversation too; {DUPLICATES:.0%} are meant", False
    yield from ((problem.message, problem.is_error) for problem in guessable(probes))
    yield from ((f"answers: {found} [shortcut]", False) for found in shortcuts(quizzes(talks)))


def duplicates(talks: Sequence[Conversation]) -> float:
    """The share of turns whose text stands in another conversation, too."""
    texts = [{said.text for said in turns(talk).values()} for talk in talks]
    counts = Counter(text for each in texts for text in each)
    return sum(counts[text] > 1 for each in texts for text in each) / max(1, sum(map(len, texts)))


def quizzes(talks: Sequence[Conversation]) -> list[Quiz]:
    """Questions that several conversations ask, with all of their answers to choose from."""
    asked: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row, talk in enumerate(talks, start=1):
        for question in talk.questions:
            if question.category != ADVERSARIAL and question.kind != "temporal":  # a date is no one of a few
                answer = _PRONOUN.sub("they", _nameless(question.answer, talk))
                asked[_PRONOUN.sub("they", _nameless(question.text, talk))].append((row, answer))
    return common_questions(asked)


def _nameless(text: str, talk: Conversation) -> str:
    for name in talk.speakers:
        text = text.replace(name, "X")
    return text


def _wrong(talk: Conversation, question: Question) -> Iterator[str]:
    if not isinstance(question, Asked):
        return
    said = turns(talk)
    for phrase in missing(question, said, TalkLayout()):
        yield f"its evidence does not say {phrase!r}"
    if question.category == ADVERSARIAL:
        if question.told:
            yield "it can't be answered, but says what answers it"
        return
    if not question.evidence:
        yield "it has no evidence"
    if question.kind in ("single-hop", "multi-hop"):
        heard = " ".join(TalkLayout().text(said[turn]) for turn in question.evidence)
        lacking = [word for word in words(question.answer).stems if word not in _SMALL | set(words(heard).stems)]
        if lacking:
            yield f"its evidence does not say the answer {question.answer!r} ({', '.join(lacking)})"
