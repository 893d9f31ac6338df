"""Lays a fact beside a memory: which units of the two say the same, which are gone and which are new."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from memtriage.diagnose.lexical.lexicon import rarity, small_words, word_form
from memtriage.diagnose.lexical.statement import Statement, Unit
from memtriage.text.language import english
from memtriage.text.words import stem

_LIGHT = 0.4
_EXACT = 2.0
"""The weight of a name, number, date or time."""

_SAME_AMOUNT = 0.015
"""The share by which amounts in other units may differ: 1 mile and 1.6 km."""

_MEASURES = {
    stem(name): name
    for name in """minute hour day week fortnight month year decade kilometre metre centimetre mile foot inch
    kilogram gram litre gigabyte megabyte""".split()
} | {"pound_weight": "pound"}


def weight(unit: Unit) -> float:
    """How much a unit matters: names, numbers and dates most, rare words more than common ones, the user nothing."""
    if unit.form == "1" or unit.form in small_words("light"):
        return _LIGHT
    if unit.kind == "word":
        return 0.6 + 0.8 * rarity(english(unit.surface.lower()))
    return 0.0 if unit.kind == "self" else _EXACT


def total_weight(units: Sequence[Unit]) -> float:
    """How much several units matter together."""
    return sum(map(weight, units))


@dataclass(frozen=True)
class Alignment:
    """A fact and a memory side by side."""

    fact: Statement
    memory: Statement
    pairs: Mapping[int, int]
    """For each unit of the fact that stayed, by its place, the place of the unit that says it in the memory."""

    @cached_property
    def kept(self) -> list[tuple[Unit, Unit]]:
        """The units that stayed, each with the unit of the memory that says the same."""
        return [(self.fact.units[i], self.memory.units[j]) for i, j in self.pairs.items()]

    @cached_property
    def focus(self) -> frozenset[int]:
        """The sentences of the memory that tell something of the fact."""
        return frozenset(theirs.sentence for _, theirs in self.kept)

    @cached_property
    def told(self) -> list[Unit]:
        """The units of the sentences in focus."""
        return [u for u in self.memory.units if u.sentence in self.focus]

    @cached_property
    def gone(self) -> tuple[Unit, ...]:
        """The units of the fact that the memory lacks."""
        return tuple(u for i, u in enumerate(self.fact.units) if i not in self.pairs and u.kind != "self")

    @cached_property
    def new_places(self) -> list[int]:
        """Where in the sentences in focus units stand that the fact doesn't have."""
        used = set(self.pairs.values())
        known = {u.form for u in self.fact.units}
        return [
            j
            for j, u in enumerate(self.memory.units)
            if j not in used and u.sentence in self.focus and u.form not in known and u.kind != "self"
        ]

    @cached_property
    def new(self) -> tuple[Unit, ...]:
        """The units in focus that the fact doesn't have."""
        return tuple(self.memory.units[j] for j in self.new_places)


def align(fact: Statement, memory: Statement) -> Alignment:
    """Pair each unit of a fact with the unit of a memory that says the same, preferring few sentences and one order."""
    places: dict[str, list[int]] = {}
    for j, unit in enumerate(memory.units):
        places.setdefault(unit.form, []).append(j)
    options = [_options(unit, memory, places) for unit in fact.units]
    chosen = _sentences_that_tell(fact, memory, options)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    last = -1
    for i, found in enumerate(options):
        within = [j for j in found if memory.units[j].sentence in chosen]
        free = [j for j in within if j not in taken] or within
        if free:
            last = min(free, key=lambda j: abs(j - last - 1) + (0 if j > last else 3))
            pairs[i] = last
            taken.add(last)
    _pair_equal_amounts(pairs, _amounts(fact), _amounts(memory))
    return Alignment(fact, memory, pairs)


def _options(unit: Unit, memory: Statement, places: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """Where a memory has a unit in any form."""
    if unit.form in places:
        return places[unit.form]
    if unit.dates:
        if all(part in places for part in unit.dates):
            return places[unit.dates[0]]
        # Unresolved in the memory as well: the same weekday, or all words of the phrase.
        words = [word_form(word) for word in unit.form.split("_") if word not in ("the", "a", "an", "in")]
        day = [word for word in unit.form.split("_") if word.endswith("day") and word in places]
        return places[day[0]] if day else places[words[-1]] if all(word in places for word in words) else ()
    if unit.kind == "time":
        same = [j for form, at in places.items() if _same_time(unit.form, form) for j in at]
        return [j for j in same if memory.units[j].kind in ("time", "number")]
    if unit.kind == "number":
        return [j for j in places.get(f"{unit.form}:00", ()) if memory.units[j].kind == "time"]
    if unit.kind in ("word", "name"):
        return [j for form, at in places.items() if _same_word(unit.form, form) for j in at]
    return ()


def _sentences_that_tell(fact: Statement, memory: Statement, options: Sequence[Sequence[int]]) -> set[int]:
    """The sentences of a memory that together hold most of a fact, as few as possible."""
    holds: dict[int, set[int]] = {}
    for i, found in enumerate(options):
        for j in found:
            holds.setdefault(memory.units[j].sentence, set()).add(i)
    chosen: set[int] = set()
    have: set[int] = set()
    while True:
        best, gain = -1, 0.0
        for sentence, held in holds.items():
            more = sum(weight(fact.units[i]) for i in held - have)
            if sentence not in chosen and more > gain:
                best, gain = sentence, more
        if best < 0:
            return chosen
        chosen.add(best)
        have |= holds[best]


def _same_time(time: str, other: str) -> bool:
    """Whether a time and a time or number may be the same: one in 12 hours and one in 24, or without its minutes."""
    hour, _, minute = time.rstrip("?").partition(":")
    other_hour, _, other_minute = other.rstrip("?").partition(":")
    if not other_hour.isdecimal() or len(other_hour) > 9 or minute != (other_minute or "00"):
        return False
    either_half = time.endswith("?") or other.endswith("?") or ":" not in other
    return int(hour) % 12 == int(other_hour) % 12 if either_half else int(hour) == int(other_hour)


def _same_word(stem: str, other: str) -> bool:
    """Whether two stems are forms of one word: represent, representation."""
    size = min(len(stem), len(other))
    return size >= 5 and stem[: max(5, size - 1)] == other[: max(5, size - 1)]


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount in base units, with the places of its number and its unit; `a week` has no number."""

    number: int | None
    unit: int
    dimension: str
    size: float


def _pair_equal_amounts(pairs: dict[int, int], mine: Sequence[_Amount], theirs: Sequence[_Amount]) -> None:
    """Pair amounts that are equal in other units: seven days and a week, 1.5 km and 1,500 m."""
    for amount in mine:
        if amount.unit in pairs and (amount.number is None or amount.number in pairs):
            continue
        for other in theirs:
            if amount.dimension == other.dimension and math.isclose(amount.size, other.size, rel_tol=_SAME_AMOUNT):
                pairs[amount.unit] = other.unit
                if amount.number is not None:
                    pairs[amount.number] = other.unit if other.number is None else other.number


def _amounts(statement: Statement) -> list[_Amount]:
    found = []
    for i, unit in enumerate(statement.units):
        measure = _measure(unit.form) if unit.kind == "word" else None
        if measure:
            numbered = i > 0 and statement.units[i - 1].kind == "number"
            count = float(statement.units[i - 1].form) if numbered else 1.0
            found.append(_Amount(i - 1 if numbered else None, i, measure[0], count * measure[1]))
    return found


@cache
def _measure(form: str) -> tuple[str, float] | None:
    """The dimension of a unit of measure and its size, if the form is one."""
    if form not in _MEASURES:
        return None
    found = _registry().Quantity(1, _MEASURES[form]).to_base_units()
    return str(found.dimensionality), float(found.magnitude)


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()
