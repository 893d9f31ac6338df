"""From a released chat to an episode: one store, and all its questions with the turns that they rest on."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memtriage.core.episode import Episode, Fact, Outdated, Streamed
from memtriage.core.errors import BadInput
from memtriage.suites.beam.question import TASK, Ability, Question
from memtriage.suites.beam.reading import Asked, Chat
from memtriage.suites.kit.evidence import Sought, said_first, told_by
from memtriage.text.words import words

_ORIGINAL, _UPDATED = "original_info", "updated_info"
_WHOLE: tuple[Ability, ...] = ("event_ordering", "multi_session_reasoning", "summarization")
"""Abilities whose questions are about everything that they cite."""

_RUBRIC = re.compile(r"^LLM response should [a-z]+: |^(?:You|you) (?:said|also said|also mentioned|mentioned)\b")


class Said(NamedTuple):
    """A message that a question cites: its session, when it was, who said it, and the text."""

    session: str
    at: str | None
    role: str
    text: str


def episode(chat: Chat, problems: list[str]) -> Episode:
    """The chat as an episode; what is odd about it is added to `problems`."""
    wanted = {str(id) for asked in chat.asked for id in asked.wanted}
    wanted |= {str(fact.get("chat_id")) for asked in chat.asked for fact in asked.facts}
    said: dict[str, Said] = {}
    at = None
    for session in chat.sessions():
        at = session.timestamp
        for turn in session.turns:
            if turn.id in wanted:
                said[turn.id] = Said(session.id, session.timestamp, turn.role, turn.text)
    facts: dict[str, Fact] = {}
    questions = [_question(asked, said, facts, problems) for asked in chat.asked]
    probes = tuple(one.probe(f"{chat.id}/q{n}", facts, chat.id, at) for n, one in enumerate(questions))
    return Episode(chat.id, TASK, Streamed(chat.sessions), tuple(facts.values()), probes)


def _question(asked: Asked, said: Mapping[str, Said], facts: dict[str, Fact], problems: list[str]) -> Question:
    found = [_exact(asked, row) for row in asked.facts]
    outdated: tuple[Outdated, ...] = ()
    if found:
        old = [fact.id for fact, row in zip(found, asked.facts, strict=True) if row.get("outdated")]
        needed = tuple(fact.id for fact in found if fact.id not in old)
        outdated = tuple(Outdated(id, needed) for id in old)
    else:
        strangers = [id for id in asked.wanted if str(id) not in said]
        if strangers:
            problems.append(f"{asked.where}: it cites message {strangers[0]}, which is not in the chat")
        found = list(_aligned(asked, said))
        needed = tuple(fact.id for fact in found)
        newer = {str(id) for id in asked.sources.get(_UPDATED, ())}
        older = {str(id) for id in asked.sources.get(_ORIGINAL, ())} - newer
        if asked.ability == "knowledge_update" and newer:
            needed = tuple(fact.id for fact in found if fact.turns[0] in newer) or needed
            old = [fact.id for fact in found if fact.turns[0] in older and fact.id not in needed]
            outdated = tuple(Outdated(id, needed) for id in old)
    facts |= {fact.id: fact for fact in found}
    return Question(asked.ability, asked.text, asked.gold, asked.rubric, needed, outdated, asked.tags)


def _exact(asked: Asked, row: Mapping[str, Any]) -> Fact:
    """A fact as a generated file has it."""
    try:
        details = tuple(map(str, row["details"]))
        return Fact(
            str(row["id"]), str(row["text"]), (str(row["chat_id"]),), details, subject=str(row.get("subject", ""))
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{asked.where}: a fact needs id, text, chat_id and details: {error!r}") from error


def _aligned(asked: Asked, said: Mapping[str, Said]) -> Iterator[Fact]:
    """What each message that a question cites tells: the sentences that matter there, and their details.

    Questions cite whole exchanges. A message that has no word of question, answer or rubric in it tells nothing, unless
    nothing else that was cited for the same thing does, or everything counts that was said.
    """
    sought = Sought(
        asked.text,
        _looked_for(asked),
        timed=asked.ability == "temporal_reasoning",
        rubric=asked.ability == "preference_following",
    )
    found = {id: told_by(said[id].text, sought) for id in _evidence(asked, said)}
    wanted = set(words(" ".join((asked.text, asked.gold, asked.rests_on, *asked.rubric))).stems)
    telling = {id for id, told in found.items() if wanted & set(words(" ".join(told.details)).stems)}
    for part in asked.sources.values() if asked.ability not in _WHOLE else ():
        if telling.isdisjoint(map(str, part)):
            telling |= set(map(str, part))
    for id, told in found.items():
        if id in telling or asked.ability in _WHOLE:
            key = zlib.crc32("\n".join((*told.texts, *told.details)).encode())  # questions share what is the same
            yield told.fact(f"{id}:{key:08x}", id)


def _evidence(asked: Asked, said: Mapping[str, Said]) -> Iterator[str]:
    """The cited messages that are evidence, session by session."""
    sessions: dict[str, list[str]] = {}
    for id in map(str, asked.wanted):
        if id in said:
            sessions.setdefault(said[id].session, []).append(id)
    for ids in sessions.values():
        yield from (ids[n] for n in said_first([(said[id].role, said[id].text) for id in ids]))


def _looked_for(asked: Asked) -> str:
    """What the cited messages should say: what was asked for or liked, the two statements, or else the answer."""
    if asked.ability == "contradiction_resolution" and len(asked.rubric) > 2:
        return " ".join(_RUBRIC.sub("", nugget) for nugget in asked.rubric[1:-1])
    return asked.rests_on or asked.gold
