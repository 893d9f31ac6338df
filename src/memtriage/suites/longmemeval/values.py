"""Values drawn for what users tell: names, prices, times of day, numbers; and numbers in words.

>>> from random import Random
>>> draw("money 20 20 5", Random(0)), draw("clock 6:30 6:30 15", Random(0)), amount(3, "hours")
('$20', '6:30 am', '3 hours')
"""

from __future__ import annotations

import re
from functools import cache
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.names_pools import LISTED, PAIRED

_NUMBER = re.compile(r"\d[\d,]*")
_FIELD = re.compile(r"\{([A-Z]+)\}")
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_LOWERED = frozenset(
    """A Above According After All An As At Back Bathroom Before Dinner Door Everything Fixing For From Give Groceries
    Half Heating If In It It's Last Lately My On One Orders Our Since So Somehow Ten That The There There's These They
    They've This Two Three Watering We We're We've What When Whenever With Yesterday""".split()
)
"""First words that lose their capital behind a lead."""


def draw(spec: str, rng: Random, but: str | None = None) -> str:
    """A value as `spec` says: `a; b; c`, `@POOL`, or a kind of number with its range; never the one to avoid.

    `up` draws from the lower half of its range, or, where there is one to avoid, something larger than that.
    """
    if spec.startswith("@"):
        return _other(name_pool(spec[1:]), rng, but)
    kind, *bounds = spec.split()
    if kind in ("int", "money", "up", "clock") and len(bounds) in (2, 3):
        return _number(kind, bounds, rng, but)
    return _other(tuple(part.strip() for part in spec.split(";")), rng, but)


@cache
def name_pool(name: str) -> tuple[str, ...]:
    """All names of a pool, such as `SHOP`."""
    if name in LISTED:
        return tuple(LISTED[name].split(", "))
    if name in PAIRED:
        first, second = (half.split(", ") for half in PAIRED[name])
        gap = "" if name == "BRAND" else " "
        return tuple(f"{one}{gap}{two}" for one in first for two in second)
    if name == "DOCTOR":
        return tuple(f"Dr. {surname}" for surname in name_pool("SURNAME"))
    if name == "WRITER":
        return tuple(f"{one} {two}" for one in name_pool("NAME")[::3] for two in name_pool("SURNAME")[::2])
    raise BadInput(f"no pool of names is called {name!r}; there are {', '.join(sorted({*LISTED, *PAIRED}))}")


def fill_names(text: str, rng: Random) -> str:
    """The text with every `{POOL}` in it replaced by a name."""
    return _FIELD.sub(lambda found: rng.choice(name_pool(found[1])), text)


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


def word_of(number: int) -> str:
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


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def led(lead: str, text: str) -> str:
    """A sentence behind a lead such as `By the way, `."""
    if not lead:
        return sentence(text)
    first, _, rest = text.partition(" ")
    named = first in ("The", "A", "An") and rest[:1].isupper()  # part of a name: The Copper Kettle
    return lead + (text[:1].lower() + text[1:] if first in _LOWERED and not named else text)


def _singular(unit: str) -> str:
    irregular = {"people": "person", "calories": "calorie", "species": "species", "km": "km", "boxes": "box"}
    return irregular.get(unit, unit.removesuffix("s"))


def _other(pool: tuple[str, ...], rng: Random, but: str | None) -> str:
    return rng.choice([value for value in pool if value != but])


def _number(kind: str, bounds: list[str], rng: Random, but: str | None) -> str:
    if kind == "clock":
        low, high = map(minutes_of, bounds[:2])
        times = [clock(minute) for minute in range(low, high + 1, int(bounds[2]))]
        return _other(tuple(times), rng, but)
    low, high, step = int(bounds[0]), int(bounds[1]), int(bounds[2]) if len(bounds) > 2 else 1
    numbers = range(low, high + 1, step)
    if kind == "up":
        half = len(numbers) // 2 + 1
        numbers = numbers[:half] if but is None else numbers[numbers.index(number_in(but)) + 1 :]
    shown = [amount(number, "$" if kind == "money" else "") for number in numbers]
    return _other(tuple(shown), rng, but)
