"""Evidence sessions: each statement of an episode word for word in a user's turn, with small talk around it.

The small talk names no value of the episode, except that the assistant sometimes repeats the one just told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TypeVar

from memtriage.suites.kit.filler.chats import Talk
from memtriage.suites.kit.filler.topics import domain_key
from memtriage.suites.kit.localized import spoken_in
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records
from memtriage.suites.meme.domains import graph_of
from memtriage.suites.meme.generate.conflicts import GoldWords
from memtriage.suites.meme.graph import PACKAGE, frame
from memtriage.suites.meme.skeleton import Skeleton, Statement, StatementKind
from memtriage.suites.meme.transcript import EvidenceSession, session_of
from memtriage.text.sentences import sentences

Pair = tuple[str, str]
"""A question that goes with a statement, and the answer to it."""

_Choice = TypeVar("_Choice", str, Pair)

_PLAIN: tuple[StatementKind, ...] = ("fact", "dependency", "filler")
_ECHOED: tuple[StatementKind, ...] = ("fact", "filler", "update")
_NO_PAIR: Pair = ("", "")
_STOPS = (".", "!", "?", "…", '."', '!"', '?"', ".”", ".'")

_GREETED, _LEAD, _ASKS, _REMARKS, _ECHO, _FAREWELL = 0.35, 0.75, 0.65, 0.7, 0.15, 0.6
"""How often the assistant greets first, a statement has a lead, a question follows it, a remark does where no question
does, the assistant repeats the value, and a chat ends with a farewell."""
_ON_TOPIC = 0.85
"""How often a question is about the topic of the statement."""


def phrases(name: str, *keys: str) -> tuple[str, ...]:
    """The phrases for one place in a chat; where they are grouped, those of the first key that exists."""
    return _phrases(spoken_in(PACKAGE), name, *keys)


@cache
def _phrases(folder: str, name: str, *keys: str) -> tuple[str, ...]:
    found = records(PACKAGE, f"{folder}chat")[name]
    text = found if isinstance(found, str) else next(found[key] for key in keys if key in found)
    return items(text)


def slots() -> dict[str, tuple[str, ...]]:
    """What fills the gaps of phrases."""
    return _slots(spoken_in(PACKAGE))


@cache
def _slots(folder: str) -> dict[str, tuple[str, ...]]:
    return {name: items(text) for name, text in records(PACKAGE, f"{folder}chat")["slots"].items()}


def small_talk(domain: str = "", entity: str = "") -> tuple[Pair, ...]:
    """Questions about the topic of an entity, with their answers; for a domain without topics, those for any."""
    return _small_talk(spoken_in(PACKAGE), domain, entity)


@cache
def _small_talk(folder: str, domain: str, entity: str) -> tuple[Pair, ...]:
    found = records(PACKAGE, f"{folder}small_talk")
    if domain not in found:
        return _pairs(found["any"])
    topics = {one.name: one.topic or one.category for one in graph_of(domain).entities}
    return _pairs(found[domain][topics.get(entity, "Miscellaneous")])


def _pairs(text: str) -> tuple[Pair, ...]:
    lines = items(text)
    return tuple(zip(lines[::2], lines[1::2], strict=True))


def evidence_sessions(
    skeleton: Skeleton, seed: int, ids: Sequence[str], times: Sequence[str]
) -> tuple[EvidenceSession, ...]:
    """The evidence sessions of an episode, with these ids at these times."""
    writer = _ChatWriter(Random(f"chats:{skeleton.id}:{seed}"), domain_key(skeleton.domain), GoldWords.of(skeleton))
    sessions: list[EvidenceSession] = []
    first = 0
    for statements, id, time in zip(skeleton.sessions, ids, times, strict=True):
        sessions.append(_session(writer, statements, first, id, time))
        first += len(statements)
    return tuple(sessions)


def _session(writer: _ChatWriter, statements: Sequence[Statement], first: int, id: str, time: str) -> EvidenceSession:
    talk = list(writer.opening())
    turns: dict[int, str] = {}
    for number, statement in enumerate(statements, start=first):
        turns[number] = f"{id}/{len(talk)}"
        talk.extend(writer.exchange(statement))
    talk.extend(writer.ending())
    return EvidenceSession(session_of(id, tuple(talk), time), turns)


@dataclass(slots=True)
class _ChatWriter:
    """Deals phrases from their pools, every one before any comes again, and none that touches the episode's facts."""

    rng: Random
    domain: str
    gold: GoldWords
    left: dict[tuple[object, ...], list[int]] = field(default_factory=dict)

    def opening(self) -> Iterator[tuple[str, str]]:
        if self.rng.random() < _GREETED:
            yield from self._spoken("assistant", phrases("greetings"))
        elif hello := self._deal(phrases("hellos")):
            yield "user", hello
            yield "assistant", self._deal(phrases("hello_replies")) or frame("yes")

    def ending(self) -> Iterator[tuple[str, str]]:
        if self.rng.random() < _FAREWELL and (goodbye := self._deal(phrases("farewells"))):
            yield "user", goodbye
            yield from self._spoken("assistant", phrases("farewell_replies"))

    def exchange(self, statement: Statement) -> Talk:
        """The turn that says a statement, and the reply to it."""
        question, answer = self._question(statement)
        kind, rng = statement.kind, self.rng
        remark = "" if question or rng.random() > _REMARKS else self._deal(phrases("remarks", kind, "fact"))
        lead = self._deal(phrases("leads", kind, self.domain, "any")) if rng.random() < _LEAD else ""
        message = _message(lead, statement.text, question or remark)
        ending = answer or self._deal(phrases("short_offers" if kind in ("exact", "delete") else "offers"))
        return ("user", message), ("assistant", " ".join(filter(None, (self._ack(statement), ending))) or frame("okay"))

    def _question(self, statement: Statement) -> Pair:
        """A question on the topic with its answer; only a plain fact is followed by one."""
        if statement.kind not in _PLAIN or self.rng.random() > _ASKS:
            return _NO_PAIR
        on_topic = small_talk(self.domain, statement.entity)
        if self.rng.random() >= _ON_TOPIC:
            return self._deal_pair(small_talk())
        question, answer = self._deal_pair(on_topic)
        return (self._asked(question), self._answered(answer)) if question else _NO_PAIR

    def _ack(self, statement: Statement) -> str:
        if self._may_echo(statement) and self.rng.random() < _ECHO:
            return self._deal(phrases("echoes"), value="{value}").format(value=statement.value.rstrip("."))
        return self._deal(phrases("acknowledgements", statement.kind, "fact"))

    def _may_echo(self, statement: Statement) -> bool:
        value = statement.value
        return statement.kind in _ECHOED and len(value.split()) < 7 and self.gold.stands_alone(value)

    def _spoken(self, role: str, pool: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        text = self._deal(pool)
        if text:
            yield role, text

    def _deal(self, pool: tuple[str, ...], **known: str) -> str:
        drawn = (draw(text, self.rng, slots(), known) for text in self._dealt(pool))
        return next((text for text in drawn if self.gold.allows(text)), "")

    def _deal_pair(self, pool: tuple[Pair, ...]) -> Pair:
        return next((pair for pair in self._dealt(pool) if self.gold.allows(" ".join(pair))), _NO_PAIR)

    def _asked(self, question: str) -> str:
        """A question on the side, brought up in one of many ways."""
        ways = phrases("asides", "asking")
        return self._deal(ways, question=_uncapped(question), question_c=question) or question

    def _answered(self, answer: str) -> str:
        """The answer to it, its first and its last sentence put in one of many ways."""
        first, *between = sentences(answer)
        opened = self._deal(phrases("asides", "answering"), first=_uncapped(first), first_c=first) or first
        if not between or not between[-1].endswith("."):
            return " ".join((opened, *between))
        last = self._deal(phrases("asides", "closing"), last=between[-1].removesuffix(".")) or between[-1]
        return " ".join((opened, *between[:-1], last))

    def _dealt(self, pool: tuple[_Choice, ...]) -> Iterator[_Choice]:
        """As many entries as the pool has, from a shuffled deck that is renewed when it is used up."""
        for _ in pool:
            left = self.left.setdefault(pool, [])
            if not left:
                left.extend(self.rng.sample(range(len(pool)), len(pool)))
            yield pool[left.pop()]


def _uncapped(text: str) -> str:
    """A sentence for the middle of another one.

    >>> _uncapped("How so?"), _uncapped("I'd wait.")
    ('how so?', "I'd wait.")
    """
    first = text.partition(" ")[0]
    keeps = first == "I" or first.startswith(("I'", "I’")) or first[1:] != first[1:].lower()
    return text if keeps else text[:1].lower() + text[1:]


def _message(lead: str, text: str, tail: str) -> str:
    """Lead, statement and tail, with blank lines between them where their sentences would run together."""
    stopped = text if text.endswith(_STOPS) else f"{text}."
    parts = [part for part in (lead, stopped, tail) if part]
    message = " ".join(parts)
    apart = [sentence for part in parts for sentence in sentences(part)]
    return message if "\n" not in text and sentences(message) == apart else "\n\n".join(parts)
