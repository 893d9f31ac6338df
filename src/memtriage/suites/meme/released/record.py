"""Generated episodes in the schema of the released ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtriage.core.episode import Session
from memtriage.suites.kit.dates import official_date
from memtriage.suites.meme.released.reader import TAGS
from memtriage.suites.meme.skeleton import Question, Skeleton, Statement, TaskType
from memtriage.suites.meme.transcript import Transcript
from memtriage.text.tokens import count_tokens

_TAG_OF: Mapping[TaskType, str] = {task: tag for tag, task in TAGS.items()}
_LETTERS: Mapping[TaskType, str] = {
    "cascade": "A",
    "absence": "B",
    "deletion": "E",
    "aggregation": "F",
    "exact-recall": "G",
    "tracking": "H",
}
"""The letters that released files mark an entity's task with; the root is C."""

_BEFORE: tuple[TaskType, ...] = ("exact-recall", "deletion", "cascade", "absence")


RULES = "rules"
"""Who worded a session that no model could write."""


def record_of(skeleton: Skeleton, transcript: Transcript, filler: str, worded_by: Sequence[str] = ()) -> dict[str, Any]:
    """An episode as an object of a released file; `filler` is the level that was asked for.

    `worded_by` says who worded each evidence session, where a model was asked to.
    """
    places = [number for number, session in enumerate(transcript.sessions) if session.id in transcript.evidence]
    evidence = sum(_tokens(transcript.sessions[place]) for place in places)
    before = max(0, places[-1] - 1)
    return {
        "episode_id": skeleton.id,
        "domain": skeleton.domain.replace("-", "_"),
        "root": skeleton.root,
        "root_change": {"before": skeleton.change[0], "after": skeleton.change[1]},
        "chain_entities": list(dict.fromkeys((skeleton.root, *(link.target for link in skeleton.links)))),
        "filler_entities": [s.entity for s in skeleton.statements() if s.kind == "filler"],
        "entities": _entities(skeleton),
        "has_2hop": any(link.hop > 1 for link in skeleton.links),
        "dependency_edges_used": [
            {"source": link.source, "target": link.target, "hop": link.hop, "pattern": link.pattern}
            | ({"is_2hop_middle": True} if link.middle else {})
            for link in skeleton.links
        ],
        "tasks": [_task(question) for question in skeleton.questions],
        "filler": filler,
        "total_sessions": len(transcript.sessions),
        "evidence_sessions": len(places),
        "filler_sessions": len(transcript.sessions) - len(places),
        "total_tokens": evidence + transcript.filler_tokens,
        "evidence_tokens": evidence,
        "filler_tokens": transcript.filler_tokens,
        "evidence_session_indices": places,
        "sessions": list(_sessions(skeleton, transcript, worded_by)),
        "before_questions": {
            "timestamp": official_date(transcript.sessions[before].timestamp),
            "position_after_session": before,
            "questions": [_asked(question, "before") for question in skeleton.questions if question.type in _BEFORE],
        },
        "after_questions": {
            "timestamp": official_date(transcript.sessions[-1].timestamp),
            "position_after_session": len(transcript.sessions) - 1,
            "questions": [_asked(question, "after") for question in skeleton.questions],
        },
    }


def _entities(skeleton: Skeleton) -> dict[str, dict[str, Any]]:
    """Every entity with its values before and after, and its part in the episode."""
    first: dict[str, str] = {}
    for statement in skeleton.statements():
        if statement.kind not in ("rule", "change", "delete"):
            first.setdefault(statement.entity, statement.value)
    found: dict[str, dict[str, Any]] = {
        name: {"before": first.get(name), "after": None, "task": None} for name in (*skeleton.entities, *first)
    }
    for statement in skeleton.statements():
        if statement.kind == "rule":
            found[statement.entity]["after"] = statement.value
        elif statement.kind == "filler":
            found[statement.entity]["task"] = "filler"
    for question in skeleton.questions:
        for target in question.targets:
            found[target] |= _part(question)
    found[skeleton.root] |= {"before": skeleton.change[0], "after": skeleton.change[1], "task": "C"}
    return found


def _part(question: Question) -> dict[str, Any]:
    part: dict[str, Any] = {"task": _LETTERS[question.type]}
    if question.hop:
        part |= {"cascade_source": question.source, "hop": question.hop}
    if question.type == "deletion":
        part["after"] = "deleted"
    if question.type == "tracking":
        part |= {"after": question.values[-1], "history": list(question.values)}
    return part


def _task(question: Question) -> dict[str, Any]:
    return {
        "type": _TAG_OF[question.type],
        **({"hop": question.hop, "cascade_source": question.source} if question.hop else {}),
        "target_entities": list(question.targets),
        "entity_values": _values(question, "after"),
        "question_template": question.text,
        "gold_answer": question.gold,
        "notes": "",
    }


def _asked(question: Question, moment: str) -> dict[str, Any]:
    gold = question.before or question.gold if moment == "before" else question.gold
    return {
        "task_type": _TAG_OF[question.type],
        "entity": list(question.targets),
        "entity_values": _values(question, moment),
        "question": question.text,
        ("expected_answer" if moment == "before" else "gold_answer"): gold,
        **({"hop": question.hop} if question.hop else {}),
    }


def _values(question: Question, moment: str) -> dict[str, Any]:
    (first, *_) = question.targets
    if question.type == "tracking":
        return {first: list(question.values)}
    if question.type == "aggregation":
        return dict(zip(question.targets, question.values, strict=True))
    known = question.before and (moment == "before" or not question.values)
    return {first: question.before if known else question.values[0]}


def _sessions(skeleton: Skeleton, transcript: Transcript, worded_by: Sequence[str]) -> Iterator[dict[str, Any]]:
    statements = skeleton.statements()
    authors = dict(zip(transcript.evidence, worded_by, strict=False))
    facts_of: dict[str, list[dict[str, Any]]] = {}
    for number, turn in sorted(transcript.turns.items()):
        home, _, place = turn.rpartition("/")
        facts = facts_of.setdefault(home, [])
        facts.append(_gold_fact(statements[number], len(facts) + 1, int(place)))
    for session in transcript.sessions:
        evidence = session.id in transcript.evidence
        yield {
            "session_id": session.id,
            "type": "evidence" if evidence else "filler",
            **({"evidence_type": _part_name(transcript, session)} if evidence else {}),
            **({"worded_by": authors[session.id]} if session.id in authors else {}),
            "conversation": [{"role": turn.role, "content": turn.text} for turn in session.turns],
            **({"gold_facts": facts_of.get(session.id, [])} if evidence else {}),
            "timestamp": official_date(session.timestamp),
        }


def _part_name(transcript: Transcript, session: Session) -> str:
    place = transcript.evidence.index(session.id) + 1
    return "Change+Delete Event" if place == len(transcript.evidence) else f"Fact Introduction (Part {place})"


def _gold_fact(statement: Statement, id: int, turn: int) -> dict[str, Any]:
    flags: dict[str, Any] = {}
    match statement.kind:
        case "dependency" | "rule":
            flags = {"has_dependency": True, "dependency_source": statement.source}
            flags |= {"is_if_then": True} if statement.kind == "rule" else {}
        case "exact":
            flags = {"is_exact": True}
        case "filler":
            flags = {"is_filler": True}
        case "change":
            flags = {"type": "root_change"}
        case "delete":
            flags = {"type": "delete"}
    if statement.step:
        flags |= {"is_multiple_update": True, "history_index": statement.step - 1}
    return {
        "fact_id": id,
        "entity": statement.entity,
        "value": statement.value,
        "original_seed": statement.text,
        "fact_text": statement.text,
        "conveyed_in_turn": turn,
        "conveyed": True,
        **flags,
    }


def _tokens(session: Session) -> int:
    return count_tokens("\n".join(turn.text for turn in session.turns))
