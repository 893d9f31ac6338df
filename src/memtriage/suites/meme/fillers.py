"""Chats that have nothing to do with an episode: generated ones, or a pool of one's own.

>>> filler = generated("software-project", topic=3, variant=5)
>>> SHORTEST <= filler.tokens <= LONGEST, filler.turns[0][0]
(True, 'user')
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.suites.meme.conflicts import Talk
from memtriage.suites.meme.filler_talk_pools import (
    CLOSINGS,
    LEADS,
    LINKS,
    OPENERS,
    RECAP_LEADS,
    RECAPS,
    SWITCHES,
    THANKS,
    TURNS,
    WELCOMES,
)
from memtriage.suites.meme.filler_topics import Family, families, filled, topics
from memtriage.text.tokens import count_tokens

SHORTEST, LONGEST = 500, 5_000
"""How many tokens a generated filler has."""

VARIANTS = 64
"""How many fillers there are on each topic."""

_CHARACTERS = 4.4
"""Roughly how many characters make a token."""

_FEWEST = 3
"""With fewer points left, a question isn't asked."""

_ROLES = ("user", "assistant", "system")


@dataclass(frozen=True, slots=True)
class Filler:
    """A chat as pairs of role and text, with its size."""

    turns: Talk
    tokens: int

    @classmethod
    def of(cls, turns: Talk) -> Filler:
        """A filler whose tokens are counted now, once."""
        return cls(turns, count_tokens("\n".join(text for _, text in turns)))


def draw(domain: str, rng: Random) -> Iterator[Filler]:
    """Generated fillers in random order, none twice; every topic has its turn before one comes again."""
    count = len(topics(domain))
    variants = [rng.sample(range(VARIANTS), VARIANTS) for _ in range(count)]
    for turn in range(VARIANTS):
        for topic in _mixed(domain, rng):
            yield generated(domain, topic, variants[topic][turn])


def _mixed(domain: str, rng: Random) -> list[int]:
    """All topics in random order, such that the families take turns."""
    groups: dict[str, list[int]] = {}
    for number, (family, _) in enumerate(topics(domain)):
        groups.setdefault(family.name, []).append(number)
    order: list[int] = []
    queues = [rng.sample(group, len(group)) for group in groups.values()]
    while queues := [queue for queue in queues if queue]:
        rng.shuffle(queues)
        order.extend(queue.pop() for queue in queues)
    return order


@lru_cache(maxsize=1 << 13)
def generated(domain: str, topic: int, variant: int) -> Filler:
    """One generated filler; the same numbers give the same chat."""
    family, subject = topics(domain)[topic]
    rng = Random(f"filler:{domain}:{family.name}:{subject}:{variant}")
    while True:
        filler = Filler.of(tuple(_Chat(domain, rng).turns(family, subject)))
        if SHORTEST <= filler.tokens <= LONGEST:
            return filler


@dataclass(slots=True)
class _Chat:
    """A chat under way: what it has said, so that nothing is said twice."""

    domain: str
    rng: Random
    points: list[str] = field(default_factory=list)
    spent: set[str] = field(default_factory=set)
    size: int = 0

    def turns(self, family: Family, subject: int) -> Iterator[tuple[str, str]]:
        """Questions and answers up to a length of its own, then perhaps a summary and a goodbye."""
        rng = self.rng
        wanted = rng.choice((1, 1.5, 2, 2.5, 3, 4)) * rng.uniform(550, 900) * _CHARACTERS
        for number, (ask, answer) in enumerate(self._exchanges(family, subject)):
            greeting = rng.choice(LINKS if number else OPENERS)
            yield "user", f"{greeting} {ask}".strip()
            yield "assistant", answer
            self.size += len(ask) + len(answer)
            if self.size > wanted:
                break
        if rng.random() < 0.5:
            yield "user", rng.choice(RECAPS)
            yield "assistant", self._recap()
        if rng.random() < 0.6:
            yield "user", rng.choice(THANKS)
            yield "assistant", rng.choice(WELCOMES)

    def _exchanges(self, family: Family, subject: int) -> Iterator[tuple[str, str]]:
        """Some aspects of the subject, some of its neighbours, then the same in another family."""
        more = [other for other in families(self.domain) if other.name != family.name]
        for place, one in enumerate([family, *self.rng.sample(more, len(more))]):
            first = subject if place == 0 else self.rng.randrange(len(one.subjects))
            neighbours = [number for number in range(len(one.subjects)) if number != first]
            for number in (first, *self.rng.sample(neighbours, self.rng.choice((0, 1, 2)))):
                turn = "" if number == first and not place else SWITCHES if number == first else TURNS
                yield from self._about(one, number, turn)

    def _about(self, family: Family, subject: int, turn: Sequence[str]) -> Iterator[tuple[str, str]]:
        slots = family.filling(subject, self.rng)
        for aspect in self.rng.sample(family.aspects, self.rng.randint(2, len(family.aspects))):
            fresh = [point for point in aspect.points if point not in self.spent]
            if len(fresh) < _FEWEST:
                continue
            ask = filled(self.rng.choice(aspect.asks), slots, self.rng)
            if turn:
                ask, turn = f"{self.rng.choice(turn).format(other=family.subjects[subject][0])} {ask}", ""
            yield ask, self._answer(fresh, aspect.code, slots)

    def _answer(self, fresh: Sequence[str], code: Sequence[str], slots: Mapping[str, str]) -> str:
        rng = self.rng
        chosen = sorted(rng.sample(range(len(fresh)), rng.randint(min(4, len(fresh)), len(fresh))))
        self.spent.update(fresh[number] for number in chosen if "$" not in fresh[number])
        points = [_capital(filled(fresh[number], slots, rng)) for number in chosen]
        self.points.extend(points)
        shown = "\n".join(filled(line, slots, rng) for line in code)
        parts = (rng.choice(LEADS), shown and f"```\n{shown}\n```", _listed(points, rng), rng.choice(CLOSINGS))
        return "\n\n".join(filter(None, parts))

    def _recap(self) -> str:
        count = min(len(self.points), self.rng.randint(4, 7))
        kept = sorted(self.rng.sample(range(len(self.points)), count))
        return "\n".join([self.rng.choice(RECAP_LEADS), *(f"- {self.points[number]}" for number in kept)])


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _listed(points: Sequence[str], rng: Random) -> str:
    """Points as prose, as a list, or numbered."""
    style = rng.choice(("prose", "prose", "bullets", "numbers"))
    if style == "prose":
        return " ".join(points)
    marks = [f"{number}." if style == "numbers" else "-" for number in range(1, len(points) + 1)]
    return "\n".join(f"{mark} {point}" for mark, point in zip(marks, points, strict=True))


def read_pool(path: Path) -> tuple[Filler, ...]:
    """The fillers of a file: a JSON list of sessions, each a list of {role, content}; or one session per line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: the filler pool can't be read ({error}); give a UTF-8 file") from None
    talks = dict.fromkeys(_talk(row, f"{path}: {where}") for where, row in _rows(text, path))
    if not talks:
        raise BadInput(f"{path}: the filler pool holds no session; give a list of sessions of {{role, content}}")
    return tuple(Filler.of(talk) for talk in talks)


def _rows(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Each session with where it stands: numbered rows of a list, or numbered lines."""
    try:
        whole = json.loads(text)
    except ValueError:
        yield from _lines(text, path)
        return
    if not isinstance(whole, list):
        raise BadInput(f"{path}: a filler pool is a list of sessions, not {type(whole).__name__}")
    if whole and all(isinstance(entry, dict) for entry in whole):
        whole = [whole]  # a file of lines with a single one: it is the session itself
    yield from ((f"session {number}", row) for number, row in enumerate(whole, start=1))


def _lines(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path}: line {number} is not JSON ({error}); write one session per line") from None


def _talk(row: Any, where: str) -> Talk:
    if not isinstance(row, list) or not row:
        raise BadInput(f"{where}: a session is a list of {{role, content}} with at least one turn")
    return tuple(_turn(turn, f"{where}, turn {number}") for number, turn in enumerate(row, start=1))


def _turn(turn: Any, where: str) -> tuple[str, str]:
    if not isinstance(turn, dict) or not {"role", "content"} <= turn.keys():
        raise BadInput(f"{where}: a turn needs role and content")
    role, content = turn["role"], turn["content"]
    if role not in _ROLES:
        raise BadInput(f"{where}: role {role!r} is none of {', '.join(_ROLES)}")
    if not isinstance(content, str) or not content.strip():
        raise BadInput(f"{where}: content must be a text that isn't empty")
    return role, content
