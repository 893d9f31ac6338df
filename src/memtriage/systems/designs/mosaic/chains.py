"""Chains of entries: each takes up what the one before left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memtriage.systems.designs.mosaic.statements import Stems
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
COMMON = 400
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


def chains(asked: Stems, base: Scores, words: WordIndex, links: Flags, places: Sequence[dict[str, float]]) -> Chains:
    """The best chains from a question; none where nothing that it leads to is taken up by something else.

    `links` says which entries may be links of a chain.
    `places` are, by entry, how far into it each word first stands.
    """
    rarity = {stem: words.rarity(stem) for stem in asked}
    starts: Counter[int] = Counter()
    for stem in asked:
        for entry in _led_to(words, stem):
            if links[entry]:
                starts[entry] += rarity[stem]  # type: ignore[assignment]
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
            for entry, shared, link in _next(path, words, links):
                if hop == 0:
                    mass = words.mass(path.open) + words.mass(words.bags[entry]) - shared
                    if _leads(places[path.entries[0]], places[entry], path.open):
                        strength = max(strength, starts[path.entries[0]] / high * shared / mass)
                if link >= WEAKEST_LINK:
                    held = frozenset(words.bags[entry])
                    more = (held & asked) - path.covered
                    worth = path.worth * link**0.5 + RETURN * words.mass(more) * link
                    grown.append(_Path((*path.entries, entry), path.covered | more, held - path.open - asked, worth))
        if strength < GATE:
            return Chains((), strength)
        front = sorted(grown, key=lambda path: -path.worth)[: 3 * BEAM]
        every += front
    order = dict.fromkeys(entry for path in sorted(every, key=lambda path: -path.worth) for entry in path.entries)
    return Chains(tuple(order), strength)


def _next(path: _Path, words: WordIndex, links: Flags) -> list[tuple[int, float, float]]:
    """The entries that take up most of what a path leaves open: how much, and which share of it."""
    taken: dict[int, float] = {}
    mass = 0.0
    for stem in path.open:
        rarity = words.rarity(stem)
        mass += rarity
        for entry in _led_to(words, stem):
            taken[entry] = taken.get(entry, 0.0) + rarity
    best = sorted((-shared, entry) for entry, shared in taken.items() if entry not in path.entries and links[entry])
    return [(entry, -shared, -shared / mass) for shared, entry in best[:FAN]]


def _led_to(words: WordIndex, stem: str) -> Sequence[int]:
    held = words.holding(stem)
    return held if len(held) <= COMMON else ()


def _leads(one: dict[str, float], other: dict[str, float], open: Stems) -> bool:
    """Whether one entry ends with what the other begins with, rather than the two saying the same."""
    shared = [stem for stem in open if stem in other]
    return bool(shared) and abs(sum(one[stem] - other[stem] for stem in shared)) / len(shared) > APART
