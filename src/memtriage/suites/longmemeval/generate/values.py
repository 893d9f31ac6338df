"""Values of what users tell: names, prices, times of day, numbers; and numbers in words.

>>> from random import Random
>>> [Values(*one).draw(Random(0)) for one in (("money", "20..20 by 5"), ("time", "6:30..6:30 by 15"))]
['$20', '6:30 am']
>>> amount(3, "hours")
'3 hours'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records
from memtriage.suites.longmemeval.attributes import PACKAGE

_NUMBER = re.compile(r"\d[\d,]*")
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_LOWERED = frozenset(
    """A Above According After All An As At Back Bathroom Before Dinner Door Everything Fixing For From Give Groceries
    Half Heating If In It It's Last Lately My On One Orders Our Since So Somehow Ten That The There There's These They
    They've This Two Three Watering We We're We've What When Whenever With Yesterday""".split()
)
"""First words that lose their capital behind a lead."""
_KINDS = ("values", "name", "number", "money", "rising", "time")


@dataclass(frozen=True, slots=True)
class Values:
    """What a value is drawn from: a list, a pool of names, or a range, as the word files write it."""

    kind: str
    source: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Values:
        """The one of these that a record has."""
        kind = next(kind for kind in _KINDS if kind in record)
        return cls(kind, record[kind])

    def draw(self, rng: Random, but: str | None = None) -> str:
        """A value, never the one to avoid.

        What is rising comes from the lower half of its range, or, where there is one to avoid, from above that.
        """
        pool = _pool(self.kind, self.source)
        if self.kind == "rising":
            pool = pool[: len(pool) // 2 + 1] if but is None else pool[pool.index(but) + 1 :]
        return rng.choice([value for value in pool if value != but])


@cache
def _pool(kind: str, source: str) -> tuple[str, ...]:
    if kind == "values":
        return items(source)
    if kind == "name":
        return name_pools()[source]
    if kind == "time":
        return tuple(map(clock, number_range(source)))
    return tuple(amount(number, "$" if kind == "money" else "") for number in number_range(source))


def number_range(text: str) -> range:
    """A range as the word files write it; times of day are counted in minutes.

    >>> number_range("20..400 by 5"), number_range("7:00..8:30 by 15")
    (range(20, 401, 5), range(420, 511, 15))
    """
    bounds, _, step = text.partition(" by ")
    low, high = (minutes_of(bound) if ":" in bound else int(bound) for bound in bounds.split(".."))
    return range(low, high + 1, int(step or 1))


@cache
def name_pools() -> Mapping[str, tuple[str, ...]]:
    """All pools of names, such as `shop`."""
    words = records(PACKAGE, "names")
    pools = {name: items(text) for name, text in words["whole"].items()}
    for name, halves in words["pairs"].items():
        space = " " if halves.get("space", True) else ""
        pools[name] = tuple(f"{one}{space}{two}" for one in items(halves["first"]) for two in items(halves["second"]))
    pools["doctor"] = tuple(f"Dr. {surname}" for surname in pools["surname"])
    pools["writer"] = tuple(f"{one} {two}" for one in pools["name"][::3] for two in pools["surname"][::2])
    return pools


def fill_names(text: str, rng: Random) -> str:
    """The text with every gap in it filled with a name of its pool."""
    return draw(text, rng, name_pools())


def number_in(text: str) -> int:
    """The first whole number in a text: 1250 for `$1,250`."""
    found = _NUMBER.search(text)
    if not found:
        raise BadInput(f"there is no number in {text!r}")
    return int(found[0].replace(",", ""))


def amount(number: float, unit: str) -> str:
    """A number with its unit: `$40`, `3 hours`, `1 hour`, `2.5 hours`."""
    shown = f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"
    if unit == "$":
        return f"${shown}" if number == int(number) else f"${number:,.2f}"
    if number == 1:
        first, _, rest = unit.partition(" ")
        unit = " ".join(filter(None, (_singular(first), rest)))
    return f"{shown} {unit}".rstrip()


def clock(minutes: int) -> str:
    """A time of day from minutes after midnight: `7:05 pm`."""
    hour, minute = divmod(minutes % (24 * 60), 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}"


def minutes_of(time: str) -> int:
    """Minutes after midnight of a time as `clock` writes it, or in 24 hours."""
    digits, _, half = time.partition(" ")
    hour, minute = map(int, digits.split(":"))
    return (hour % 12 + (12 if half == "pm" else 0) if half else hour) * 60 + minute


def in_words(number: int) -> str:
    """A small number as a word, a larger one in digits."""
    return _WORDS[number] if number < len(_WORDS) else str(number)


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def the(item: str) -> str:
    """A thing spoken of again: `the fern` for `a fern`."""
    first, _, rest = item.partition(" ")
    return f"the {rest}" if first in ("a", "an") else item


def capitalized(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def with_lead(lead: str, text: str) -> str:
    """A sentence behind a lead such as `By the way,`."""
    if not lead:
        return capitalized(text)
    first, _, rest = text.partition(" ")
    named = first in ("The", "A", "An") and rest[:1].isupper()  # part of a name: The Copper Kettle
    return f"{lead} {text[:1].lower() + text[1:] if first in _LOWERED and not named else text}"


def _singular(unit: str) -> str:
    irregular = {"people": "person", "calories": "calorie", "species": "species", "km": "km", "boxes": "box"}
    return irregular.get(unit, unit.removesuffix("s"))
