"""From a question with its history to an episode: one life of one store, and one probe at its end."""

from __future__ import annotations

from memtriage.core.episode import Episode, Fact, Outdated, Probe, Session
from memtriage.suites.longmemeval.errata import Errata
from memtriage.suites.longmemeval.question import ABSTENTION, Evidence, Question, turn_id

SUITE = "longmemeval"


def episode(question: Question, size: str, errata: Errata | None = None) -> Episode:
    """The episode of a question, its answer corrected where errata are given."""
    if errata is not None:
        question = errata.applied(question)
    targets = () if question.abstention else tuple([id for _, chat in question.history for id in chat.marked])
    return Episode(
        id=question.id,
        task=f"{SUITE}/{size}",
        sessions=tuple([Session(chat.id, chat.turns, at) for at, chat in question.history]),
        facts=() if question.abstention else tuple(_fact(evidence) for evidence in question.evidence),
        probes=(_probe(question, targets),),
    )


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


def _probe(question: Question, targets: tuple[str, ...]) -> Probe:
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
        targets=targets,
    )
