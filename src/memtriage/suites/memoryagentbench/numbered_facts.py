"""Numbered facts as a world: what each sentence says, and which of them hold.

Only the text is read, the same way for released contexts and for generated ones, so this can prove the gold answers of
generated questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from memtriage.core.errors import BadInput
from memtriage.suites.memoryagentbench.relations import Reading, Relation, as_released, readings, relations

_LINE = re.compile(r"^(\d+)\. (.*\S)[ \t]*$", re.MULTILINE)
HOPS = 4
"""How many facts a question goes over at most."""


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

    @cached_property
    def coined(self) -> frozenset[str]:
        """The words for relations that the lexicon lacks."""
        others = {fact.relation for fact in self.stated if fact.relation.name not in relations()}
        return frozenset(part for relation in others for cue in relation.cues for part in cue)

    def outdated(self, fact: Stated) -> list[Stated]:
        """What was said earlier about the same, with another outcome."""
        before = self.older.get((fact.subject, fact.relation.name), ())
        return [old for old in before if old.object != fact.object]


def read(text: str, where: str) -> World:
    """The facts of a context; lines without a number, or that say nothing known, are refused with their place."""
    lines = [(int(found[1]), found.start(), found[0].rstrip(), found[2]) for found in _LINE.finditer(text)]
    if not lines:
        raise BadInput(f"{where}: no line begins with a serial number, as in '12. The capital of … is ….'")
    options = [_readings(sentence.removesuffix(".")) for _, _, _, sentence in lines]
    if unread := [line for (_, _, line, _), read in zip(lines, options, strict=True) if not read]:
        raise BadInput(f"{where}: {len(unread)} facts can't be read, the first: {unread[0]!r}")
    types = _types(read[0] for read in options if len(read) == 1)
    picked = (max(read, key=lambda reading: _fit(reading, types)) for read in options)
    return World(
        tuple(
            Stated(number, start, line, reading.relation, reading.subject, reading.object)
            for (number, start, line, _), reading in zip(lines, picked, strict=True)
        )
    )


def _readings(sentence: str) -> list[Reading]:
    exact = as_released(sentence)
    return [exact] if exact else readings(sentence)


def _types(settled: Iterable[Reading]) -> Counter[tuple[str, str]]:
    """How often each thing is of a type, by the facts that can be read in one way only."""
    seen: Counter[tuple[str, str]] = Counter()
    for reading in settled:
        for name, types in ((reading.subject, reading.relation.starts), (reading.object, reading.relation.ends)):
            for type in types:
                seen[name, type] += 1 / len(types)  # type: ignore[assignment]
    return seen


def _fit(reading: Reading, types: Counter[tuple[str, str]]) -> float:
    """How well a reading goes with what its two things are."""
    return max((types[reading.subject, type] for type in reading.relation.starts), default=0) + max(
        (types[reading.object, type] for type in reading.relation.ends), default=0
    )
