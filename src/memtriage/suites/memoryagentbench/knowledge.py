"""Numbered facts as a world: what each sentence says, which of them hold, and what follows for a question.

This reads the text alone. It knows nothing of how a context was made, so that it can prove its gold answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.relations import RELATIONS, Relation

_LINE = re.compile(r"^(\d+)\. (.*\S)[ \t]*$", re.MULTILINE)
_HOPS = 4
_WORD = re.compile(r"[^\W\d_]+")
_QUESTION_WORDS = frozenset(
    """what which who whom whose where in on of the a an is was are did does do to from for with that as at by and name
    named current person place located it its he she they their has have had hold held known also there this
    s""".split()
)


@dataclass(frozen=True, slots=True)
class Stated:
    """One numbered sentence: its line, where that begins, and what it says."""

    number: int
    start: int
    line: str
    relation: Relation
    subject: str
    object: str


@dataclass(frozen=True, slots=True)
class Chain:
    """Facts that lead from a thing that a question names to its answer."""

    facts: tuple[Stated, ...]

    @property
    def answer(self) -> str:
        return self.facts[-1].object


@dataclass
class World:
    """What numbered facts say: all of them, and the newest of each subject and relation."""

    stated: tuple[Stated, ...]
    newest: dict[tuple[str, str], Stated] = field(default_factory=dict)
    older: dict[tuple[str, str], list[Stated]] = field(default_factory=dict)
    about: dict[str, list[Stated]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for fact in sorted(self.stated, key=lambda fact: fact.number):
            key = (fact.subject, fact.relation.name)
            if key in self.newest:
                self.older.setdefault(key, []).append(self.newest[key])
            self.newest[key] = fact
        for fact in self.newest.values():
            self.about.setdefault(fact.subject, []).append(fact)

    def outdated(self, fact: Stated) -> list[Stated]:
        """What was said earlier about the same, with another outcome."""
        before = self.older.get((fact.subject, fact.relation.name), ())
        return [old for old in before if old.object != fact.object]

    def chains(self, subject: str, hops: int = _HOPS) -> Iterator[Chain]:
        """Every way to go on from a thing along the facts that hold."""
        ways: list[tuple[Stated, ...]] = [(fact,) for fact in self.about.get(subject, ())]
        while ways:
            yield from map(Chain, ways)
            ways = [
                (*way, fact)
                for way in ways
                if len(way) < hops
                for fact in self.about.get(way[-1].object, ())
                if all(fact.subject != before.subject for before in way)
            ]


def read(text: str, where: str) -> World:
    """The facts of a context; lines without a number, or that say nothing known, are refused with their place."""
    stated: list[Stated] = []
    unread: list[str] = []
    for found in _LINE.finditer(text):
        said = _said(int(found[1]), found.start(), found[0].rstrip(), found[2])
        if isinstance(said, Stated):
            stated.append(said)
        else:
            unread.append(said)
    if not stated and not unread:
        raise BadInput(f"{where}: no line begins with a serial number, as in '12. The capital of … is ….'")
    if unread:
        raise BadInput(f"{where}: {len(unread)} facts can't be read, the first: {unread[0]!r}")
    return World(tuple(stated))


def _said(number: int, start: int, line: str, sentence: str) -> Stated | str:
    bare = sentence.removesuffix(".")
    for relation in RELATIONS:
        if found := relation.pattern.fullmatch(bare):
            return Stated(number, start, line, relation, found["s"], found["o"])
    return line


def derive(world: World, question: str) -> list[Chain]:
    """The chains of facts that answer a question best, by the relations it speaks of; several where it is ambiguous.

    A chain fits if every fact of it is named by a word of its own in the question; of those that do, the ones that
    leave the fewest of the question's words unexplained, then the shortest.
    """
    anchors = _anchors(world, question)
    scored: list[tuple[tuple[int, int], Chain]] = []
    for anchor in anchors:
        asked = _content(question.replace(anchor, " "))
        for chain in world.chains(anchor):
            left = _unexplained(chain, asked)
            if left is not None:
                scored.append(((left, len(chain.facts)), chain))
        if scored:
            break  # a shorter anchor inside a longer one is no anchor
    best = min((score for score, _ in scored), default=None)
    return [chain for score, chain in scored if score == best]


def _anchors(world: World, question: str) -> list[str]:
    """The things of the world that a question names, the longest name first."""
    named = (subject for subject in world.about if subject in question)
    whole = (s for s in named if re.search(rf"(?<!\w){re.escape(s)}(?!\w)", question))
    return sorted(whole, key=len, reverse=True)


def _content(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORD.findall(text)) if word not in _QUESTION_WORDS]


def _unexplained(chain: Chain, asked: list[str]) -> int | None:
    """How many words of a question no relation of a chain accounts for; None where a relation goes unnamed.

    Relations are matched from the end of the chain on, which is what a question begins with.
    """
    free = list(asked)
    for fact in reversed(chain.facts):
        used = next((words for cue in fact.relation.cues if (words := _found(cue, free)) is not None), None)
        if used is None:
            return None
        for word in used:
            free.remove(word)
    return sum(any(word.startswith(c) for r in RELATIONS for cue in r.cues for c in cue) for word in free)


def _found(cue: tuple[str, ...], words: list[str]) -> list[str] | None:
    found = [next((word for word in words if word.startswith(part)), None) for part in cue]
    return None if None in found else [word for word in found if word is not None]
