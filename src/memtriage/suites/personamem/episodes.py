"""From a history to an episode: a store that hears its sessions, with each question asked in its place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase
from typing import Literal

from memtriage.core.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.core.rubric import JUDGED_AS
from memtriage.suites.kit.evidence import Sought, likeliest, told_by
from memtriage.suites.kit.phrases import TRIM
from memtriage.suites.personamem.history import PERSONA, SUITE, History, Question
from memtriage.text.words import words

Version = Literal["v1", "v2"]
Answers = Literal["choice", "free"]
ANSWERS: tuple[Answers, ...] = ("choice", "free")

WITHHELD = f"{SUITE}/withheld"
"""The rubric of replies that must not use what is known of the user."""

CHOOSE = (
    "Each option is a reply to what the user says. Pick the one that suits this user best, by what is remembered of "
    "them."
)
REPLY = "Reply to what the user says in a few sentences, as suits this user by what is remembered of them."

_LABEL = re.compile(r"(?:User|Assistant|Patient|Therapist)\s*:\s*")
"""Who speaks, as contents of version 1 begin."""

_ATTITUDE = re.compile(r"(?:strongly )?(?:likes?|loves?|enjoys?|prefers?|dislikes?|hates?|avoids?)\s+(?:to\s+)?", re.I)

_Told = tuple[str, tuple[str, ...], tuple[str, ...]]
"""What makes a fact: its turn, sentences and details. Questions that need the same one share it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How histories become episodes."""

    version: Version
    answers: Answers = "choice"
    persona: bool = True

    def episode(self, history: History) -> Episode:
        """The episode of a history."""
        sessions = list(self._sessions(history))
        ends = [end for end, _ in sessions]
        facts = _Facts(history)
        asked: list[Probe] = []
        for question in history.questions:
            told = bisect_right(ends, question.end)
            if told:  # nothing is, where only a persona came before and is left out
                asked.append(self._probe(history, question, sessions[told - 1][1].id, facts))
        told_sessions = tuple(session for _, session in sessions)
        return Episode(history.id, f"{SUITE}/{self.version}", told_sessions, tuple(facts.all.values()), tuple(asked))

    def _sessions(self, history: History) -> Iterator[tuple[int, Session]]:
        """The sessions, each with the number of messages up to its end; what is cut for a question is told in parts."""
        cuts = sorted({0, *history.starts, len(history.messages)})
        for number, (start, end) in enumerate(pairwise(cuts)):
            turns = tuple(
                Turn(role, text, turn_id(n))
                for n, (role, text) in enumerate(history.messages[start:end], start)
                if text.strip() and (self.persona or role != PERSONA)
            )
            if turns:
                yield end, Session(f"s{number}", turns)

    def _probe(self, history: History, question: Question, after: str, facts: _Facts) -> Probe:
        choice = self.answers == "choice"
        withheld = {} if choice or not question.withheld else {JUDGED_AS: WITHHELD}
        return Probe(
            id=question.id,
            text=question.text,
            gold=question.gold if choice or not question.preference else _what_suits(question),
            sufficient=facts.sufficient(question),
            scoring="choice" if choice else "free",
            choices=question.options if choice else (),
            correct_choice=ascii_uppercase[question.right] if choice else "",
            after=after,
            cluster=history.id,
            tags={**question.tags, **withheld},
            outdated=facts.outdated(question),
            targets=() if question.withheld else tuple(turn_id(n) for n in question.evidence),
            instruction=CHOOSE if choice else REPLY,
        )


def _what_suits(question: Question) -> str:
    """What a judge holds a free reply against: the preference, and a reply that suits it."""
    return f"What is known of the user: {question.preference} A reply that suits: {question.gold}"


def turn_id(message: int) -> str:
    """The id of a message: its place in the history, from 0."""
    return f"m{message}"


class _Facts:
    """What the questions about a history need: what was said, and what it comes to."""

    def __init__(self, history: History) -> None:
        self.all: dict[str, Fact] = {}
        self._history = history
        self._same: dict[_Told, str] = {}
        self._by_preference = {q.preference: q for q in history.questions if q.preference and q.evidence}

    def sufficient(self, question: Question) -> tuple[tuple[str, ...], ...]:
        """The sets of facts that are enough: what was said, or the preference that follows from it."""
        if question.withheld or not (said := self._said(question)):
            return ()
        follows = self._follows(question)
        return ((said,), (follows,)) if follows else ((said,),)

    def outdated(self, question: Question) -> tuple[Outdated, ...]:
        """The preference that this one took the place of, if the history has it."""
        before = self._by_preference.get(question.replaces)
        if question.withheld or before is None or before.withheld or before is question:
            return ()
        old, new = self._said(before), self._said(question)
        return (Outdated(old, (new,)),) if old and new and old != new else ()

    def _said(self, question: Question) -> str:
        """The fact that was told; empty where nobody knows where."""
        texts = [_LABEL.sub("", self._history.messages[n].text, count=1) for n in question.evidence]
        if not any(words(text).stems for text in texts):
            return ""
        wanted = Sought(question.text, question.sought, rubric=True)
        best = likeliest(texts, wanted)
        turn = turn_id(question.evidence[best])
        fact = told_by(texts[best], wanted).fact(f"{question.id}/{turn}", turn)
        id = self._same.setdefault((turn, fact.evidence, fact.details), fact.id)
        self.all.setdefault(id, fact)
        return id

    def _follows(self, question: Question) -> str:
        """The fact that a preference is, where a memory may state it in words that nobody said."""
        detail = _ATTITUDE.sub("", question.preference, count=1).strip(TRIM)
        if not words(detail).stems:
            return ""
        id = f"preference/{question.preference}"
        self.all.setdefault(id, Fact(id, question.preference, (), (detail,), settled=True))
        return id
