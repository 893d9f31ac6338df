"""Generated chats that tell nothing about the user, by topic.

>>> filler = generate_filler("software-project", topic=3, variant=5)
>>> SHORTEST <= filler.tokens <= LONGEST, filler.turns[0][0]
(True, 'user')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from memtriage.suites.kit.filler.topics import Family, families, folder, has_gap, phrases, topics
from memtriage.suites.kit.templates import draw
from memtriage.text.tokens import count_tokens

Talk = tuple[tuple[str, str], ...]
"""The turns of a chat, as pairs of role and text."""

SHORTEST, LONGEST = 500, 5_000
"""How many tokens a generated filler has."""

VARIANTS = 64
"""How many fillers there are on each topic."""

_CHARACTERS = 4.4
"""Roughly how many characters make a token."""

_FEWEST = 3
"""With fewer points left, a question isn't asked."""


@dataclass(frozen=True, slots=True)
class Filler:
    """A chat as pairs of role and text, with its size."""

    turns: Talk
    tokens: int

    @classmethod
    def of(cls, turns: Talk) -> Filler:
        """A filler whose tokens are counted now, once."""
        return cls(turns, count_tokens("\n".join(text for _, text in turns)))


def draw_fillers(domain: str, rng: Random) -> Iterator[Filler]:
    """Generated fillers in random order, none twice; every topic has its turn before one comes again."""
    count = len(topics(domain))
    variants = [rng.sample(range(VARIANTS), VARIANTS) for _ in range(count)]
    for turn in range(VARIANTS):
        for topic in _mixed(domain, rng):
            yield generate_filler(domain, topic, variants[topic][turn])


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


def generate_filler(domain: str, topic: int, variant: int) -> Filler:
    """One generated filler; the same numbers give the same chat. It is kept, as chats come back in other episodes."""
    return _kept_filler(domain, topic, variant, folder())


@lru_cache(maxsize=1 << 13)
def _kept_filler(domain: str, topic: int, variant: int, _: str) -> Filler:
    return write_filler(domain, topic, variant)


def write_filler(domain: str, topic: int, variant: int) -> Filler:
    """The same, and not kept: for conversations of any length, in which no chat comes back."""
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
            greeting = rng.choice(phrases("links" if number else "openers"))
            yield "user", f"{greeting} {ask}".strip()
            yield "assistant", answer
            self.size += len(ask) + len(answer)
            if self.size > wanted:
                break
        if rng.random() < 0.5:
            yield "user", rng.choice(phrases("recap_requests"))
            yield "assistant", self._recap()
        if rng.random() < 0.6:
            yield "user", rng.choice(phrases("thanks"))
            yield "assistant", rng.choice(phrases("welcomes"))

    def _exchanges(self, family: Family, subject: int) -> Iterator[tuple[str, str]]:
        """Some aspects of the subject, some of its neighbours, then the same in another family."""
        more = [other for other in families(self.domain) if other.name != family.name]
        for place, one in enumerate([family, *self.rng.sample(more, len(more))]):
            first = subject if place == 0 else self.rng.randrange(len(one.subjects))
            neighbours = [number for number in range(len(one.subjects)) if number != first]
            for number in (first, *self.rng.sample(neighbours, self.rng.choice((0, 1, 2)))):
                turn = "same_for" if number != first else "switches" if place else ""
                yield from self._about(one, number, turn)

    def _about(self, family: Family, subject: int, turn: str) -> Iterator[tuple[str, str]]:
        values = family.values(subject, self.rng)
        for aspect in self.rng.sample(family.aspects, self.rng.randint(2, len(family.aspects))):
            fresh = [point for point in aspect.points if point not in self.spent]
            if len(fresh) < _FEWEST:
                continue
            ask = draw(self.rng.choice(aspect.asks), self.rng, known=values)
            if turn:
                other = family.subjects[subject][0]
                ask, turn = f"{self.rng.choice(phrases(turn)).format(other=other)} {ask}", ""
            yield ask, self._answer(fresh, aspect.code, values)

    def _answer(self, fresh: Sequence[str], code: str, values: Mapping[str, str]) -> str:
        rng = self.rng
        chosen = sorted(rng.sample(range(len(fresh)), rng.randint(min(4, len(fresh)), len(fresh))))
        self.spent.update(fresh[number] for number in chosen if not has_gap(fresh[number]))
        points = [_capital(draw(fresh[number], rng, known=values)) for number in chosen]
        self.points.extend(points)
        shown = draw(code, rng, known=values)
        lead = rng.choice(phrases("leads"))
        parts = (lead, shown and f"```\n{shown}\n```", _listed(points, rng), rng.choice(phrases("closings")))
        return "\n\n".join(filter(None, parts))

    def _recap(self) -> str:
        count = min(len(self.points), self.rng.randint(4, 7))
        kept = sorted(self.rng.sample(range(len(self.points)), count))
        return "\n".join([self.rng.choice(phrases("recap_leads")), *(f"- {self.points[number]}" for number in kept)])


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _listed(points: Sequence[str], rng: Random) -> str:
    """Points as prose, as a list, or numbered."""
    style = rng.choice(("prose", "prose", "bullets", "numbers"))
    if style == "prose":
        return " ".join(points)
    marks = [f"{number}." if style == "numbers" else "-" for number in range(1, len(points) + 1)]
    return "\n".join(f"{mark} {point}" for mark, point in zip(marks, points, strict=True))
