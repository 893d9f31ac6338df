"""A generated chat of any length: what it tells on purpose, strewn into chats about the world and other projects.

A chat is made anew whenever somebody goes through it, and only its plan is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from random import Random
from typing import NamedTuple

from memtriage.core.episode import Episode, Fact, Session, Streamed, Turns
from memtriage.core.errors import BadInput, unknown
from memtriage.suites.beam.generate.projects import OWN, PACKAGE, Plan, Told, draw_plan, other_told
from memtriage.suites.beam.question import SUITE, TASK
from memtriage.suites.kit.filler.chats import Filler, Talk, write_filler
from memtriage.suites.kit.filler.topics import topics
from memtriage.suites.kit.options import count_of, refuse_unknown
from memtriage.suites.kit.words import items, records

TOKENS = 128_000
ROWS = 20
"""Chats in a generated dataset, as many as the released one has of its smallest size."""

SIZES = {"100K": 128_000, "500K": 500_000, "1M": 1_000_000, "10M": 10_000_000}
"""How many tokens the released chats of each size have; the authors name the smallest in two ways."""

OPTIONS = {
    "tokens": "how long a generated chat is, such as 128k (default), 1m or 10m",
    "size": "100K, 500K, 1M or 10M: which released chats to use (default: all), or generated ones of that length",
}
_DOMAINS = ("personal-life", "software-project")
_START = datetime(2025, 1, 6, 8)
_DAYS = 330
_OTHERS = 0.35
"""The share of sessions around what is told on purpose that are about other projects."""

_WAKING = 14 * 60
"""Minutes of a day in which people chat."""


class Part(NamedTuple):
    """One session before it has its turns: its id, what is said, when, and what it tells on purpose, if anything."""

    id: str
    talk: Talk
    at: datetime
    told: Told | None

    @property
    def session(self) -> Session:
        roles, texts = zip(*self.talk, strict=True)
        turns = Turns(self.id, range(len(texts)), roles, texts)
        return Session(self.id, turns, self.at.isoformat(timespec="minutes"))


@dataclass(frozen=True)
class GeneratedChat:
    """The chat with this number, of about so many tokens, and its questions."""

    seed: int
    number: int
    tokens: int = TOKENS

    @property
    def id(self) -> str:
        return f"{self.tokens}-{self.seed}-{self.number}"

    @cached_property
    def plan(self) -> Plan:
        return draw_plan(self._key)

    @property
    def _key(self) -> str:
        return f"beam:{self.seed}:{self.number}"

    def parts(self) -> Iterator[Part]:
        """The sessions in order; what is planned comes when as many tokens have been said as its place wants."""
        said = around = 0
        others, filler = self._others(), self._filler()
        pick, planned = Random(f"{self._key}:pick"), iter(self.plan.told)
        waiting: Told | None = next(planned, None)
        told: Told | None
        while waiting is not None or said < self.tokens:
            if waiting is not None and said >= waiting.place * self.tokens:
                part, told = f"told:{waiting.id}", waiting
                chat, waiting = _telling(f"{self._key}:{part}", told), next(planned, None)
            else:
                around += 1
                part, told = f"around:{around}", None
                chat = _telling(f"{self._key}:{part}", next(others)) if pick.random() < _OTHERS else next(filler)
            yield Part(self._session_id(part), chat.turns, self._moment(said), told)
            said += chat.tokens

    def _session_id(self, part: str) -> str:
        """An id that doesn't tell what was planned from what stands around it."""
        return hashlib.sha256(f"{self._key}:{part}".encode()).hexdigest()[:12]

    def _turn_of(self, told: Told) -> str:
        return f"{self._session_id(f'told:{told.id}')}_0"

    def _moment(self, said: int) -> datetime:
        """When a session takes place: by day, and never before an earlier one."""
        day, rest = divmod(min(1.0, said / self.tokens) * _DAYS, 1)
        return _START + timedelta(days=int(day), minutes=int(rest * _WAKING))

    def _others(self) -> Iterator[Told]:
        group = 0
        while True:
            yield from other_told(self._key, group, self.plan.projects)
            group += 1

    def _filler(self) -> Iterator[Filler]:
        """Chats that tell nothing of the user, on every topic before one comes again, and none twice."""
        known = [(domain, topic) for domain in _DOMAINS for topic in range(len(topics(domain)))]
        rng = Random(f"{self._key}:filler")
        variant = rng.randrange(1 << 40)
        while True:
            for domain, topic in rng.sample(known, len(known)):
                yield write_filler(domain, topic, variant)
            variant += 1

    def episode(self) -> Episode:
        """The chat as one store, with all its questions at the end."""
        used = {id for q in self.plan.questions for id in (*q.needed, *(old.fact for old in q.outdated))}
        facts = {
            told.id: Fact(told.id, told.text, (self._turn_of(told),), told.details, subject=told.subject)
            for told in self.plan.told
            if told.id in used
        }
        asked_at = (_START + timedelta(days=_DAYS + 1)).isoformat(timespec="minutes")
        probes = tuple(
            question.probe(f"{self.id}/q{n}", facts, self.id, asked_at)
            for n, question in enumerate(self.plan.questions)
        )
        sessions = Streamed(lambda: (part.session for part in self.parts()))
        return Episode(self.id, TASK, sessions, tuple(facts.values()), probes)


def _telling(key: str, told: Told) -> Filler:
    """A short session in which the user tells one thing, and asks something that goes with it."""
    rng = Random(f"{key}:talk")
    words = records(PACKAGE, "talk")

    def one(name: str) -> str:
        return rng.choice(items(words[name]))

    if told.topic == OWN:
        return Filler.of((("user", _joined(one("own_leads"), told.text)), ("assistant", one("own_heard"))))
    about = words[told.topic]
    points = rng.sample(items(about["points"]), rng.randint(2, 4))
    listed = "\n".join(f"- {point}" for point in points) if rng.random() < 0.5 else " ".join(points)
    talk: Talk = (
        ("user", _joined(one("leads"), told.text, rng.choice(items(about["asks"])))),
        ("assistant", f"{_joined(one('sorry' if told.topic == 'trouble' else 'heard'), one('answers'))}\n\n{listed}"),
    )
    if rng.random() < 0.4:
        talk += (("user", one("thanks")), ("assistant", one("welcomes")))
    return Filler.of(talk)


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def size_of(options: Mapping[str, str]) -> str | None:
    """The size that options name, as the authors write it."""
    size = options.get("size", "").strip().upper()
    if size and size not in SIZES:
        raise BadInput(unknown("size", options["size"], SIZES))
    return size or None


def generated(seed: int, rows: int | None, options: Mapping[str, str]) -> list[GeneratedChat]:
    """The chats that a request asks for; nothing of them is made yet."""
    refuse_unknown(options, OPTIONS, f"suite {SUITE}")
    size, tokens = size_of(options), count_of(options, "tokens", 10_000)  # what is told on purpose takes 8,700
    if size and tokens:
        raise BadInput("size and tokens both say how long generated chats are; leave one of them out")
    length = SIZES[size] if size else tokens or TOKENS
    return [GeneratedChat(seed, number, length) for number in range(ROWS if rows is None else rows)]
