"""Numbered facts as a world: what each sentence says, which of them hold, and which of them answer a question.

Only the text is read, the same way for released contexts and for generated ones, so this can prove the gold answers of
generated questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from memtriage.core.errors import BadInput
from memtriage.suites.kit.words import items, records
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Passage, Query
from memtriage.suites.memoryagentbench.kinds import Kind

_LINE = re.compile(r"^(\d+)\. (.*\S)[ \t]*$", re.MULTILINE)
_HOPS = 4
_WORD = re.compile(r"[^\W\d_]+")
_QUESTION_WORDS = frozenset(
    """what which who whom whose where in on of the a an is was are did does do to from for with that as at by and name
    named current person place located it its he she they their has have had hold held known also there this
    s""".split()
)


@dataclass(frozen=True)
class Relation:
    """A relation: the sentence that states it, and the beginnings of words that a question names it by.

    `cues` is a list of alternatives; each is a set of word beginnings that must all be there.
    """

    name: str
    states: str
    cues: tuple[tuple[str, ...], ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Reads subject and object out of a sentence."""
        parts = re.split(r"\{(subject|object)\}", self.states)
        grouped = [f"(?P<{part}>.+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
        return re.compile("".join(grouped))

    def sentence(self, subject: str, object: str) -> str:
        """The sentence that states it of two things."""
        return self.states.format(subject=subject, object=object)


@cache
def relations() -> Mapping[str, Relation]:
    """All relations by name, in the order in which sentences are tried for them."""
    known = records(PACKAGE, "facts/relations").items()
    return {name: Relation(name, r["states"], tuple(tuple(c.split()) for c in items(r["cues"]))) for name, r in known}


@cache
def _cues() -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for relation in relations().values() for cue in relation.cues for c in cue))


@dataclass(frozen=True, slots=True)
class Stated:
    """One numbered sentence: its line, where that begins, and what it says."""

    number: int
    start: int
    line: str
    relation: Relation
    subject: str
    object: str

    @property
    def id(self) -> str:
        """What the passage of this fact is called."""
        return f"fact/{self.number}"


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
        fact = _stated(int(found[1]), found.start(), found[0].rstrip(), found[2])
        if fact is None:
            unread.append(found[0].rstrip())
        else:
            stated.append(fact)
    if not stated and not unread:
        raise BadInput(f"{where}: no line begins with a serial number, as in '12. The capital of … is ….'")
    if unread:
        raise BadInput(f"{where}: {len(unread)} facts can't be read, the first: {unread[0]!r}")
    return World(tuple(stated))


def _stated(number: int, start: int, line: str, sentence: str) -> Stated | None:
    bare = sentence.removesuffix(".")
    for relation in relations().values():
        if found := relation.pattern.fullmatch(bare):
            return Stated(number, start, line, relation, found["subject"], found["object"])
    return None


def derive(world: World, question: str) -> list[Chain]:
    """The chains of facts that answer a question best, by the relations it speaks of; several where it is ambiguous.

    A chain fits if the question has a separate word for each of its facts. The best ones leave the fewest of the
    question's words unexplained; of these, the shortest.
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
            break  # a shorter name inside a longer one is not what the question is about
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
    return sum(word.startswith(_cues()) for word in free)


def _found(cue: tuple[str, ...], words: list[str]) -> list[str] | None:
    found = [next((word for word in words if word.startswith(part)), None) for part in cue]
    return None if None in found else [word for word in found if word is not None]


# ------------------------------------------------------------------ contexts


def query(id: str, text: str, golds: tuple[str, ...], chain: Chain, world: World) -> Query:
    """A question that a chain of facts answers: the newest fact of every hop is needed; what it replaced, outdated."""
    outdated = tuple((old.id, (fact.id,)) for fact in chain.facts for old in world.outdated(fact))
    needed = tuple(dict.fromkeys(fact.id for fact in chain.facts))
    tags = {"hop": str(len(chain.facts)), "changed": str(sum(bool(world.outdated(f)) for f in chain.facts))}
    return Query(id, text, golds, "contains", (needed,), outdated, tags=tags)


def fact_context(
    id: str, kind: Kind, source: str, text: str, world: World, queries: Sequence[Query], tags: Mapping[str, str]
) -> Context:
    """A context of numbered facts; a passage is the line of a fact, its number included."""
    named = {id for q in queries for ids in (*q.needed, *((o, *v) for o, v in q.outdated)) for id in ids}
    passages = tuple(
        Passage(fact.id, fact.line, fact.start, (fact.subject, fact.object))
        for fact in world.stated
        if fact.id in named
    )
    return Context(id, kind, source, text, passages, tuple(queries), tags)


def released_context(
    id: str,
    kind: Kind,
    source: str,
    text: str,
    asked: Iterable[tuple[str, str, tuple[str, ...]]],
    tags: Mapping[str, str],
) -> Context:
    """A released context with its questions (id, words, gold answers): which facts each needs is worked out.

    A question whose gold answer doesn't follow from the facts is tagged `gold=disputed`; one whose facts can't be found
    needs nothing that a store could be examined for.
    """
    world = read(text, f"{source}, context {id}")
    return fact_context(id, kind, source, text, world, [_released_query(world, *each) for each in asked], tags)


def _released_query(world: World, id: str, words: str, golds: tuple[str, ...]) -> Query:
    chains = derive(world, words)
    right = [chain for chain in chains if chain.answer in golds]
    if not chains:
        return Query(id, words, golds, "contains", tags={"gold": "underivable"})
    found = query(id, words, golds, (right or chains)[0], world)
    return found if right else replace(found, tags={**found.tags, "gold": "disputed"})
