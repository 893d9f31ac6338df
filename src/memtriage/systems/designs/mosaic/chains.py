"""Chains of entries: each takes up what the one before left open."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from memtriage.systems.designs.mosaic.kept import Parts, Postings
from memtriage.systems.designs.mosaic.statements import Stems
from memtriage.systems.designs.mosaic.statements import stems as words_of
from memtriage.systems.designs.mosaic.text_index import Scores, WordIndex

Flags = NDArray[np.bool_]

HOPS, BEAM, FAN = 4, 40, 6
WEAKEST_LINK = 0.3
"""How much of what an entry leaves open the next one has to take up."""
RETURN = 0.7
"""What it counts that a chain comes back to words of the question."""
GATE = 0.25
"""How well the best first link has to fit for a question to be about a chain."""
APART = 0.25
"""How far apart, in shares of their lengths, what two entries share has to stand: at the end of one, where the other
begins."""
COMMON = 120
"""Entries that may hold a word for it to lead anywhere."""


@dataclass(frozen=True, slots=True)
class Chains:
    """The entries of the best chains in order, and how clearly the question is about a chain."""

    order: tuple[int, ...]
    strength: float


@dataclass(frozen=True, slots=True)
class _Path:
    entries: tuple[int, ...]
    covered: Stems
    open: Stems
    worth: float


def chains(
    asked: Stems,
    base: Scores,
    words: WordIndex,
    links: Flags,
    places: Sequence[dict[str, float]],
    strangers: Callable[[int], Stems],
    gate: float = GATE,
) -> Chains:
    """The best chains from a question; none where nothing that it leads to is taken up by something else.

    `links` says which entries may be links of a chain.
    `places` are, by entry, how far into it each word first stands.
    `strangers` says of whom an entry tells that the question doesn't ask about: a chain only leads there by their name.
    """
    leads = _Leads(words, links)
    starts: dict[int, float] = {}
    for stem in sorted(asked):  # sums of fractions depend on their order
        rarity, entries = leads[stem]
        for entry in entries:
            if not strangers(entry):
                starts[entry] = starts.get(entry, 0.0) + rarity
    if not starts:
        return Chains((), 0.0)
    high = max(starts.values())
    first = sorted(starts, key=lambda entry: -(starts[entry] + 0.5 * high * float(base[entry])))[:BEAM]
    front = [
        _Path((entry,), held & asked, held - asked, starts[entry])
        for entry in first
        if (held := frozenset(words.bags[entry])) is not None
    ]
    every = list(front)
    strength = 0.0
    for hop in range(HOPS):
        grown = []
        for path in front:
            for entry, shared, link in _next(path, leads, strangers):
                if hop == 0:
                    mass = words.mass(path.open) + words.mass(words.bags[entry]) - shared
                    if _leads(places[path.entries[0]], places[entry], path.open):
                        strength = max(strength, starts[path.entries[0]] / high * shared / mass)
                if link >= WEAKEST_LINK:
                    held = frozenset(words.bags[entry])
                    more = (held & asked) - path.covered
                    worth = path.worth * link**0.5 + RETURN * words.mass(more) * link
                    grown.append(_Path((*path.entries, entry), path.covered | more, held - path.open - asked, worth))
        if strength < gate:
            return Chains((), strength)
        front = sorted(grown, key=lambda path: -path.worth)[: 3 * BEAM]
        every += front
    order = dict.fromkeys(entry for path in sorted(every, key=lambda path: -path.worth) for entry in path.entries)
    return Chains(tuple(order), strength)


SHARED_BY = 60
"""Entries that may hold a name for it to lead anywhere."""
CLEARER = 0.05
"""How much more of a question a chain has to cover than its best link alone."""
LIKE, STEP = 0.5, 0.04
"""What it counts that links are like the question, and what each further one costs."""


class Names:
    """Which entries hold a name, and which names an entry holds."""

    def __init__(self, of_entry: Sequence[list[str]], parts: Parts | None = None) -> None:
        self.of_entry = of_entry
        self.holding = Postings("names", parts)

    def add(self, names: list[str], entry: int) -> None:
        """Take in the names of the next entry."""
        for name in names:
            self.holding.add(name, entry)

    def chains(self, query: list[str], asked: Stems, like: Scores, words: WordIndex, links: Flags) -> Chains:
        """Chains of entries from a name in the question, each going on from a name in the one before.

        The best ones cover most of the question. None where one entry covers as much.
        """
        started = [name for name in query if name in self.holding]
        wanted = asked - {stem for name in started for stem in words_of(name)}
        mass = words.mass(wanted)
        if not started or not mass:
            return Chains((), 0.0)

        def worth(path: _Path) -> float:
            likeness = sum(float(like[entry]) for entry in path.entries) / len(path.entries)
            return words.mass(path.covered) / mass + LIKE * likeness - STEP * len(path.entries)

        front = [
            _Path((entry,), wanted & words.bags[entry].keys(), frozenset(started), 0.0)
            for name in started
            for entry in self.holding.numbers(name, SHARED_BY)
            if links[entry]
        ]
        every = list(front)
        for _ in range(HOPS - 1):
            grown = {
                (*path.entries, entry): _Path(
                    (*path.entries, entry),
                    path.covered | (wanted & words.bags[entry].keys()),
                    path.open | {name},
                    0.0,
                )
                for path in front
                for name in self.of_entry[path.entries[-1]]
                if name not in path.open and self.holding.count(name) <= SHARED_BY
                for entry in self.holding.numbers(name)
                if links[entry] and entry not in path.entries
            }
            front = sorted(grown.values(), key=worth, reverse=True)[: 2 * BEAM]
            every += front
        alone = max((words.mass(path.covered) for path in every if len(path.entries) == 1), default=0.0)
        best = max((words.mass(path.covered) for path in every), default=0.0)
        if (best - alone) / mass < CLEARER:
            return Chains((), 0.0)
        order = dict.fromkeys(entry for path in sorted(every, key=worth, reverse=True) for entry in path.entries)
        return Chains(tuple(order), 1.0)


class _Leads(dict[str, tuple[float, Sequence[int]]]):
    """How much a stem tells, and the links it leads to: none where it is common."""

    def __init__(self, words: WordIndex, links: Flags) -> None:
        super().__init__()
        self.words, self.links = words, links

    def __missing__(self, stem: str) -> tuple[float, Sequence[int]]:
        held = self.words.holding(stem) if self.words.count(stem) <= COMMON else ()
        self[stem] = found = self.words.rarity(stem), [entry for entry in held if self.links[entry]]
        return found


def _next(path: _Path, leads: _Leads, strangers: Callable[[int], Stems]) -> list[tuple[int, float, float]]:
    """The entries that take up most of what a path leaves open: how much, and which share of it."""
    taken: dict[int, float] = {}
    mass = 0.0
    for stem in sorted(path.open):
        rarity, entries = leads[stem]
        mass += rarity
        for entry in entries:
            taken[entry] = taken.get(entry, 0.0) + rarity
    for entry in path.entries:
        taken.pop(entry, None)
    led = (each for each in taken.items() if strangers(each[0]) <= path.open)
    best = nsmallest(FAN, ((-shared, entry) for entry, shared in led))
    return [(entry, -shared, -shared / mass) for shared, entry in best]


def _leads(one: dict[str, float], other: dict[str, float], open: Stems) -> bool:
    """Whether one entry ends with what the other begins with, rather than the two saying the same."""
    shared = [stem for stem in open if stem in other]
    return bool(shared) and abs(math.fsum(one[stem] - other[stem] for stem in shared)) / len(shared) > APART
