"""Released episodes with their chats, and the turn that says each gold fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.suites.meme.released.reader import EpisodeReader, Object, objects, questions, seed, text_of
from memtriage.suites.meme.skeleton import Skeleton, Statement
from memtriage.suites.meme.transcript import Transcript
from memtriage.text.sentences import sentences
from memtriage.text.words import well_formed, words

_TIMES = ("%Y/%m/%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M")


@dataclass(frozen=True, slots=True)
class ReleasedEpisode:
    """An episode with its chats, and how much filler it has."""

    skeleton: Skeleton
    transcript: Transcript
    filler: str


def read_episode(record: Object, id: str, file: str) -> ReleasedEpisode:
    """An episode with its chats; each gold fact must be said in a turn."""
    where = f"{file}: episode {id!r}"
    reader = EpisodeReader(record, id, where, questions(record, "before", where), questions(record, "after", where))
    sessions = tuple(_sessions(record, where))
    places = _evidence(record, len(sessions), where)
    statements: list[list[Statement]] = []
    turns: dict[int, str] = {}
    for place in places:
        statements.append([])
        for fact in objects(record["sessions"][place], "gold_facts", f"{where}, session {place}"):
            found = _turn_of(fact, sessions[place])
            statement = reader.statement(fact, f"{where}, session {place}", found[1] if found else "")
            if found:
                turns[len(turns)] = found[0]
                statements[-1].append(statement)
            elif statement.kind != "filler":
                raise BadInput(
                    f"{where}: no turn of session {place} says the gold fact {seed(fact)!r}; "
                    "its session is incomplete or another one"
                )
    skeleton = reader.skeleton(tuple(map(tuple, statements)))
    _check_moment(record, places, where)
    tokens = record.get("filler_tokens")
    size = tokens if isinstance(tokens, int) else 0 if len(places) == len(sessions) else _tokens(sessions, places)
    transcript = Transcript(sessions, tuple(sessions[place].id for place in places), turns, size)
    return ReleasedEpisode(skeleton, transcript, str(record.get("filler") or _level(size)))


def _sessions(record: Object, where: str) -> Iterator[Session]:
    found = objects(record, "sessions", where)
    total = record.get("total_sessions")
    if isinstance(total, int) and total != len(found):
        raise BadInput(f"{where}: it has {len(found)} sessions, but should have {total}; some are missing")
    names = [str(session.get("session_id") or "") for session in found]
    named = all(names) and len(set(names)) == len(names)
    for number, session in enumerate(found):
        talk = objects(session, "conversation", f"{where}, session {number}")
        if not talk:
            raise BadInput(f"{where}: session {number} is empty")
        id = well_formed(names[number]) if named else f"s{number:03d}"
        turns = tuple(
            Turn(
                str(turn.get("role") or "user"), text_of(turn.get("content"), f"{where}, session {number}"), f"{id}/{n}"
            )
            for n, turn in enumerate(talk)
        )
        yield Session(id, turns, _time(session.get("timestamp"), f"{where}, session {number}"))


def _evidence(record: Object, sessions: int, where: str) -> list[int]:
    """The places of the sessions that tell facts."""
    places = record.get("evidence_session_indices")
    if not isinstance(places, list) or len(places) < 2 or not all(type(place) is int for place in places):
        raise BadInput(f"{where}: evidence_session_indices does not say which sessions tell its facts")
    for place in places:
        if not 0 <= place < sessions:
            raise BadInput(f"{where}: its facts are told in session {place}, which is missing ({sessions} are there)")
    wanted = record.get("evidence_sessions")
    if isinstance(wanted, int) and wanted != len(places):
        raise BadInput(f"{where}: {len(places)} sessions tell its facts, but there should be {wanted}")
    return sorted(places)


def _check_moment(record: Object, places: Sequence[int], where: str) -> None:
    """The questions before the change must be asked between the last introduction and the change."""
    block = record.get("before_questions")
    asked = block.get("position_after_session") if isinstance(block, dict) else None
    if isinstance(asked, int) and not places[-2] <= asked < places[-1]:
        raise BadInput(
            f"{where}: its first questions are asked after session {asked}, not between session {places[-2]}, "
            f"which tells the last of its facts, and session {places[-1]}, which tells the change"
        )


def _turn_of(fact: Object, session: Session) -> tuple[str, str] | None:
    """The turn that says a gold fact, and the words in which it does."""
    users = [turn for turn in session.turns if turn.role == "user"]
    for text in (fact.get("original_seed"), fact.get("gold_fact"), fact.get("fact_text")):
        seed = text.strip().rstrip(".") if isinstance(text, str) else ""
        for turn in (*users, *session.turns) if seed else ():
            if seed in turn.text:
                return turn.id, _as_said(str(text), seed, turn.text)
    value = str(fact.get("value") or "")
    place = fact.get("conveyed_in_turn")
    named = [session.turns[place]] if isinstance(place, int) and 0 <= place < len(session.turns) else []
    for turn in (*named, *users):
        text = _carrying(turn.text, value, whole=turn not in named)
        if text:
            return turn.id, text
    return None


def _as_said(text: str, seed: str, turn: str) -> str:
    """The text itself where the turn has its very sentences; else the turn's sentences that it is part of."""
    spoken = sentences(turn)
    if {words(sentence) for sentence in sentences(text)} <= {words(sentence) for sentence in spoken}:
        return text
    start = turn.index(seed)
    found, at = [], 0
    for sentence in spoken:
        at = turn.index(sentence, at)
        if at < start + len(seed) and at + len(sentence) > start:
            found.append(sentence)
        at += len(sentence)
    return " ".join(found)


def _carrying(turn: str, value: str, whole: bool) -> str:
    """The fewest sentences of a turn that carry a value; empty where they don't."""
    wanted = set(words(value).stems)
    spoken = sentences(turn)
    there = wanted & {stem for sentence in spoken for stem in words(sentence).stems}
    if not there or (whole and there != wanted):
        return ""
    chosen: list[str] = []
    while there:
        best = max(spoken, key=lambda sentence: len(there & set(words(sentence).stems)))
        there -= set(words(best).stems)
        chosen.append(best)
    return " ".join(sentence for sentence in spoken if sentence in chosen)


def _tokens(sessions: Sequence[Session], places: Sequence[int]) -> int:
    from memtriage.text.tokens import count_tokens

    return sum(count_tokens(session.text) for place, session in enumerate(sessions) if place not in places)


def _level(tokens: int) -> str:
    """The filler level that a size is nearest to.

    >>> [_level(size) for size in (0, 29_411, 131_000, 700_000)]
    ['none', '32k', '128k', '700k']
    """
    if not tokens:
        return "none"
    near = [name for name, size in (("32k", 32_000), ("128k", 128_000)) if 0.5 <= tokens / size <= 2]
    return near[0] if near else f"{round(tokens / 1000)}k"


def _time(text: object, where: str) -> str | None:
    """A moment as ISO 8601; released files write 2023/05/30 (Tue) 21:40."""
    if text is None or text == "":
        return None
    plain = " ".join(part for part in str(text).split() if not part.startswith("("))
    for form in _TIMES:
        try:
            return datetime.strptime(plain, form).isoformat()
        except ValueError:
            continue
    raise BadInput(f"{where}: {text!r} is no time; write it like 2023/05/30 (Tue) 21:40")
