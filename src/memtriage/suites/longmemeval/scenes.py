"""The pools of this suite read into records: what can be told, how, and how it can be asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.ontology import ATTRIBUTES


@dataclass(frozen=True, slots=True)
class Slot:
    """One fact about a user that can change; the templates hold `{v}`."""

    attribute: str
    name: str
    values: str
    tells: tuple[str, ...]
    now: str
    ask: str
    ask_former: str
    answer: str
    swap: tuple[str, str] | None

    @property
    def key(self) -> str:
        """What telling it speaks about."""
        return f"{self.attribute}#{self.name}"


@dataclass(frozen=True, slots=True)
class Topic:
    """What a chat on an attribute is about, what one can ask advice on, and the slots."""

    attribute: str
    about: str
    aspects: tuple[str, ...]
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something done on a day: as told, and in other words as asked after `I` and after `did I`."""

    attribute: str
    number: int
    told: str
    asked: str
    base: str

    @property
    def key(self) -> str:
        """What telling it speaks about."""
        return f"{self.attribute}#event{self.number}"


@dataclass(frozen=True, slots=True)
class Collection:
    """Things of a kind with a figure each; `asks` by `count`, `sum`, `diff`, `most`, `when`."""

    attribute: str
    items: tuple[str, ...]
    unit: str
    figures: range
    tells: tuple[str, ...]
    asks: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Link:
    """Two figures told apart and joined by an operation."""

    attributes: tuple[str, str]
    values: tuple[str, str]
    tells: tuple[str, str]
    ask: str
    op: str
    unit: str


@dataclass(frozen=True, slots=True)
class Taste:
    """A preference, the advice asked for later, and what a personal answer uses; the templates hold `{x}`."""

    attribute: str
    number: int
    values: str
    tell: str
    ask: str
    rubric: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list the assistant can give: the names in it come from a pool, and something is said of each."""

    attribute: str
    number: int
    pool: str
    request: str
    title: str
    one: str
    said: tuple[str, ...]


@cache
def topics() -> Mapping[str, Topic]:
    """The topics by attribute: all 164 of them."""
    from memtriage.suites.longmemeval import (
        scenes_leisure_pools,
        scenes_living_pools,
        scenes_owned_pools,
        scenes_people_pools,
    )

    pools = (scenes_people_pools, scenes_living_pools, scenes_leisure_pools, scenes_owned_pools)
    found = {topic.attribute: topic for pool in pools for topic in map(_topic, _blocks(pool.TEXT))}
    return {attribute: found[attribute] for attribute in ATTRIBUTES}


@cache
def slots() -> tuple[Slot, ...]:
    """Every slot of every attribute."""
    return tuple(slot for topic in topics().values() for slot in topic.slots)


@cache
def events() -> tuple[Event, ...]:
    """Every event."""
    from memtriage.suites.longmemeval.events_pools import TEXT

    return tuple(
        Event(head, number, *(line[2:] for line in lines)) for number, (head, lines) in enumerate(_blocks(TEXT))
    )


@cache
def collections() -> tuple[Collection, ...]:
    """Every kind of thing that can be counted and summed."""
    from memtriage.suites.longmemeval.collections_pools import TEXT

    return tuple(_collection(head, lines) for head, lines in _blocks(TEXT))


@cache
def links() -> tuple[Link, ...]:
    """Every pair of figures that a question joins."""
    from memtriage.suites.longmemeval.links_pools import TEXT

    return tuple(_link(head, lines) for head, lines in _blocks(TEXT))


@cache
def tastes() -> tuple[Taste, ...]:
    """Every preference."""
    from memtriage.suites.longmemeval.preferences_pools import TEXT

    return tuple(
        Taste(head, number, lines[0].removeprefix("x: "), *(line[2:] for line in lines[1:]))
        for number, (head, lines) in enumerate(_blocks(TEXT))
    )


@cache
def listings() -> tuple[Listing, ...]:
    """Every list the assistant can give."""
    from memtriage.suites.longmemeval.lists_pools import TEXT

    return tuple(_listing(number, head, lines) for number, (head, lines) in enumerate(_blocks(TEXT)))


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """The blocks of a pool: the line after `#`, checked to begin with attributes, and the lines below it."""
    for block in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        head, *lines = filter(None, block.splitlines())
        for attribute in head.partition(" | ")[0].split("; "):
            if attribute not in ATTRIBUTES:
                raise BadInput(f"a pool of LongMemEval speaks of {attribute!r}, which is none of the attributes")
        yield head, lines


def _topic(block: tuple[str, list[str]]) -> Topic:
    attribute, _, about = block[0].partition(" | ")
    aspects, *rest = block[1]
    starts = [n for n, line in enumerate(rest) if re.match(r"\w+: ", line)] + [len(rest)]
    found = (_slot(attribute, rest[start:end]) for start, end in pairwise(starts))
    return Topic(attribute, about, tuple(aspects[2:].split("; ")), tuple(found))


def _slot(attribute: str, lines: list[str]) -> Slot:
    name, _, values = lines[0].partition(": ")
    by: dict[str, list[str]] = {}
    for line in lines[1:]:
        by.setdefault(line[0], []).append(line[2:])
    told, _, untold = by.get("~", [""])[0].partition(" > ")
    return Slot(
        attribute,
        name,
        values,
        tells=tuple(by[">"]),
        now=by.get("!", [""])[0],
        ask=by["?"][0],
        ask_former=by.get("<", [""])[0],
        answer=by.get("=", ["{v}"])[0],
        swap=(told, untold) if untold else None,
    )


def _collection(attribute: str, lines: list[str]) -> Collection:
    items, figures, *rest = lines
    _, unit, low, high, step = figures.split()
    asks = dict(line.split(" ", 1) for line in rest if not line.startswith("> "))
    tells = tuple(line[2:] for line in rest if line.startswith("> "))
    return Collection(
        attribute, tuple(items[2:].split("; ")), unit, range(int(low), int(high) + 1, int(step)), tells, asks
    )


def _link(head: str, lines: list[str]) -> Link:
    first, second = head.split("; ")
    a, b, tell_a, tell_b, ask, op = (line[2:] for line in lines)
    name, _, unit = op.strip().partition(" ")
    return Link((first, second), (a, b), (tell_a, tell_b), ask, name, unit)


def _listing(number: int, head: str, lines: list[str]) -> Listing:
    attribute, _, pool = head.partition(" | ")
    request, title, one, *said = lines
    joined = " ".join(line[2:] for line in said)
    parts = tuple(part.strip() for part in joined.split(";"))
    return Listing(attribute, number, pool, request[2:], title[2:], one.removeprefix("one "), parts)
