"""From a question with its history to an episode: one life of one store, and one probe at its end."""

from __future__ import annotations

from dataclasses import dataclass

from memtriage.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.suites.longmemeval.errata import Errata
from memtriage.suites.longmemeval.question import ABSTENTION, Chat, Evidence, Question, turn_id
from memtriage.suites.longmemeval.recent import Recent

SUITE = "longmemeval"


def episode(question: Question, size: str, errata: Errata | None = None) -> Episode:
    """The episode of a question, its answer corrected where errata are given.

    Turns are numbered as the paper's code numbers them; an empty message has a number, but no turn.
    """
    if errata is not None:
        question = errata.applied(question)
    laid = [_laid(dated.chat) for dated in question.history]
    targets = () if question.abstention else tuple(id for one in laid for id in one.marked)
    return Episode(
        id=question.id,
        task=f"{SUITE}/{size}",
        sessions=tuple(
            Session(dated.chat.id, one.turns, dated.at) for dated, one in zip(question.history, laid, strict=True)
        ),
        facts=() if question.abstention else tuple(_fact(evidence) for evidence in question.evidence),
        probes=(_probe(question, targets),),
    )


@dataclass(frozen=True, slots=True)
class _Laid:
    """What every history that a chat stands in makes of it: its turns, and the ids of those marked as evidence.

    The file marks turns of both sides; the measures decide which count.
    """

    chat: Chat
    turns: tuple[Turn, ...]
    marked: tuple[str, ...]


_RECENT: Recent[int, _Laid] = Recent(most=1 << 27)
"""By the identity of the chat, which holds as long as it is remembered here; bounded by the length of the texts."""


def _laid(chat: Chat) -> _Laid:
    """The chat laid out; the very same turns each time, so that whoever works on them need do so once."""
    laid = _RECENT.get(id(chat))
    if laid is None:
        said = [(turn_id(chat.id, n), one) for n, one in enumerate(chat.messages) if one.text.strip()]
        laid = _Laid(
            chat,
            turns=tuple(Turn(one.role, one.text, id) for id, one in said),
            marked=tuple(id for id, one in said if one.has_answer),
        )
        _RECENT.keep(id(chat), laid, sum(len(one.text) for one in chat.messages))
    return laid


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
