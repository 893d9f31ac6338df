"""From a conversation to episodes: one store that hears both people, or one for each of them.

Both people are users, and every turn begins with who says it. In stores of their own, each person is the user and the
other one the assistant; a question is asked in the store of the person that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.suites.kit.evidence import Sought, told_by
from memtriage.suites.locomo.conversation import ADVERSARIAL, Conversation, Question, Said
from memtriage.suites.locomo.errata import Errata
from memtriage.text.sentences import sentences
from memtriage.text.words import words

SUITE = "locomo"
INSTRUCTION = (
    "Answer in a short phrase, with exact words of the conversation where possible. Work out dates from the date of "
    "the conversation. If the conversation doesn't say, answer: Not mentioned."
)
"""What the answering model is told with every question: the same for all, as the kind of a question is no input."""

_PLEASANT = frozenset(
    words(
        """absolutely amazing appreciate aw awesome bummer bye congrats cool definitely excited fantastic good great
        haha hear hello hey hi incredible lovely nice oh ok okay sounds super sure thank thanks thing totally wonderful
        woohoo wow ya yay yeah yep yes yess yup"""
    ).stems
)
"""A sentence with nothing but these and names is no evidence."""

_Told = tuple[str, tuple[str, ...], tuple[str, ...]]
"""What makes a fact: its turn, sentences and details. Questions that need the same one share it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How conversations become episodes."""

    captions: bool = True
    per_speaker: bool = False
    errata: Errata | None = None
    suite: str = SUITE
    mended: bool = True
    """Whether known mistakes are mended, or only tagged."""

    def questions(self, talk: Conversation) -> dict[str, Question]:
        """What is asked about a conversation, by id, with mistakes mended or tagged."""
        asked = {talk.question_id(one): one for one in talk.questions}
        if self.errata is None:
            return asked
        if not self.mended:
            return {id: self.errata.marked(id, one) for id, one in asked.items()}
        return {id: right for id, one in asked.items() if (right := self.errata.applied(id, one)) is not None}

    def episodes(self, talk: Conversation) -> Iterator[Episode]:
        """The episodes of a conversation."""
        questions = self.questions(talk)
        if not self.per_speaker:
            yield self._episode(talk, talk.id, "", questions)
            return
        for speaker in talk.speakers:
            if own := {id: one for id, one in questions.items() if asked_of(talk, one) == speaker}:
                yield self._episode(talk, f"{talk.id}/{speaker}", speaker, own)

    def _episode(self, talk: Conversation, id: str, user: str, questions: Mapping[str, Question]) -> Episode:
        sessions = tuple(
            Session(
                sitting.id,
                tuple(self._turn(said, user) for said in sitting.said),
                sitting.at,
            )
            for sitting in talk.sittings
        )
        facts: dict[_Told, Fact] = {}
        probes = [self._probe(talk, id, one, facts) for id, one in questions.items()]
        return Episode(id, f"{self.suite}/qa", sessions, tuple(facts.values()), tuple(probes))

    def _turn(self, said: Said, user: str) -> Turn:
        role = "user" if user in ("", said.speaker) else "assistant"
        return Turn(role, self.text(said), said.id)

    def text(self, said: Said) -> str:
        """A turn as it is told: who says what, and the photo that is shared with it."""
        shared = f"[shares {said.caption}]" if said.caption and self.captions else ""
        return f"{said.speaker}: " + (" ".join(part for part in (said.text, shared) if part) or "[shares a photo]")

    def _telling(self, said: Said, talk: Conversation) -> str:
        """A turn without the greetings and thanks that it begins with, in which no evidence is to be looked for."""
        names = {*talk.speakers, *words(" ".join(talk.speakers)).stems}

        def tells(stem: str) -> bool:
            return stem not in _PLEASANT and not any(name.lower().startswith(stem) for name in names)  # Mel is Melanie

        text = self.text(said)
        first = next((each for each in sentences(text) if any(map(tells, words(each).stems))), text)
        return text[max(0, text.find(first)) :]

    def _probe(self, talk: Conversation, id: str, question: Question, facts: dict[_Told, Fact]) -> Probe:
        needed = [] if question.category == ADVERSARIAL else list(self.facts(talk, question))
        same = [facts.setdefault((fact.turns[0], fact.evidence, fact.details), fact) for fact in needed]
        ids = tuple(fact.id for fact in same)
        probe = probe_alone(id, question, self.suite)
        return replace(probe, sufficient=(ids,) if ids else (), targets=question.evidence, cluster=talk.id)

    def facts(self, talk: Conversation, question: Question) -> Iterator[Fact]:
        """What each turn of the evidence tells: the sentences that matter there, and their details."""
        wanted = set(question.evidence)
        asked = Sought(question.text, question.answer, timed=question.kind == "temporal")
        for said in (said for sitting in talk.sittings for said in sitting.said if said.id in wanted):
            telling = self._telling(said, talk)
            if words(telling).stems:
                fact = told_by(telling, asked).fact(f"q{question.index}/{said.id}", said.id)
                speaker = "" if fact.text.startswith(f"{said.speaker}: ") else f"{said.speaker}: "
                yield replace(fact, text=speaker + fact.text)


def asked_of(talk: Conversation, question: Question) -> str:
    """Whose store a question goes to: the only person it names, else who says its first evidence, else the first."""
    named = [speaker for speaker in talk.speakers if speaker.lower() in question.text.lower()]
    if len(named) == 1:
        return named[0]
    speakers = {said.id: said.speaker for sitting in talk.sittings for said in sitting.said}
    return speakers[question.evidence[0]] if question.evidence else talk.speakers[0]


def probe_alone(id: str, question: Question, suite: str = SUITE) -> Probe:
    """A question without the conversation: what grading needs to know."""
    return Probe(
        id=id,
        text=question.text,
        gold=question.answer or "Not mentioned",
        sufficient=(),
        scoring="abstain" if question.category == ADVERSARIAL else "free",
        tags={
            "category": str(question.category),
            "sessions": str(len({turn.partition(":")[0] for turn in question.evidence})),
            **question.tags,
        },
        task=f"{suite}/{question.kind}",
        instruction=INSTRUCTION,
    )
