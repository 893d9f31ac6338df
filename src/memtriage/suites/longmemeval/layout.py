"""From a question with its history to an episode: one life of one store, and one probe at its end."""

from __future__ import annotations

from memtriage.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.suites.longmemeval.errata import Errata
from memtriage.suites.longmemeval.question import ABSTENTION, Dated, Evidence, Question, turn_id

SUITE = "longmemeval"


def episode(question: Question, size: str, errata: Errata | None = None) -> Episode:
    """The episode of a question, its answer corrected where errata are given.

    Turns are numbered as the paper's code numbers them; an empty message has a number, but no turn.
    """
    if errata is not None:
        question = errata.applied(question)
    return Episode(
        id=question.id,
        task=f"{SUITE}/{size}",
        sessions=tuple(_session(dated) for dated in question.history),
        facts=() if question.abstention else tuple(_fact(evidence) for evidence in question.evidence),
        probes=(_probe(question),),
    )


def _session(dated: Dated) -> Session:
    turns = (
        Turn(message.role, message.text, turn_id(dated.chat.id, number))
        for number, message in enumerate(dated.chat.messages)
        if message.text.strip()
    )
    return Session(dated.chat.id, tuple(turns), dated.at)


def _fact(evidence: Evidence) -> Fact:
    turn = _turn(evidence)
    return Fact(
        id=turn,
        text=" ".join(evidence.texts),
        turns=(turn,),
        details=evidence.details,
        evidence=evidence.texts,
        split=len(evidence.texts) > 1,
    )


def _turn(evidence: Evidence) -> str:
    return turn_id(evidence.chat, evidence.message)


def _probe(question: Question) -> Probe:
    evidence = () if question.abstention else question.evidence
    needed = tuple(_turn(one) for one in evidence if not one.outdated)
    old = tuple(_turn(one) for one in evidence if one.outdated)
    return Probe(
        id=question.id,
        text=question.text,
        gold=question.answer,
        sufficient=(needed,) if needed else (),
        scoring="abstain" if question.abstention else "free",
        cluster=question.id,
        tags={"type": question.type, "sessions": str(len(question.answer_chats)), **question.tags},
        task=f"{SUITE}/{ABSTENTION if question.abstention else question.type}",
        outdated=tuple(Outdated(fact, needed) for fact in old),
        asked_at=question.asked_at,
        targets=() if question.abstention else tuple(_marked(question)),
    )


def _marked(question: Question) -> list[str]:
    """The turns that the file marks as evidence, of both sides; the measures decide which count."""
    return [
        turn_id(dated.chat.id, number)
        for dated in question.history
        for number, message in enumerate(dated.chat.messages)
        if message.has_answer and message.text.strip()
    ]
