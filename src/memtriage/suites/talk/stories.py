"""What people can have to tell: stories in which one thing leads to another, traits, lists, and talk about nothing.

They are data files (`words/`). A story has slots, whose values are drawn once; beats, which are told in sessions one
after the other; and questions, each with the beats it rests on. `[marks]` stand around what a beat must tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, NamedTuple

from memtriage.suites.kit.words import items, lists, records, table

PACKAGE = "memtriage.suites.talk"
NAME_SLOTS = {"@name": "", "@he": "he", "@she": "she"}
"""Slots with a first name that nobody else in the conversation has: anybody's, a man's or a woman's."""

KINDS = {"S": "single-hop", "M": "multi-hop", "T": "temporal"}
STORY_FILES = ("stories_body", "stories_home", "stories_work", "stories_people", "stories_free", "details")


class Ask(NamedTuple):
    """A question: its kind, the parts it rests on (`1` a beat, `1m` what is added, `1p` the picture), and its answer.

    `swap` names a slot: with another value of it, the question is about something that nobody said.
    """

    kind: str
    parts: tuple[str, ...]
    text: str
    gold: str
    swap: str = ""


@dataclass(frozen=True, slots=True)
class Beat:
    """One thing that happens and is told: how many sessions after the one before, when, in which mood and words."""

    tell: tuple[str, ...]
    gap: str
    when: str
    mood: str
    lead: tuple[str, ...]
    then: tuple[str, ...]
    picture: tuple[str, ...]
    event: str


@dataclass(frozen=True, slots=True)
class Story:
    """Beats that lead to one another, with what is asked about them; no conversation has two that share an `about`."""

    name: str
    about: frozenset[str]
    slots: Mapping[str, tuple[Mapping[str, str], ...]]
    beats: tuple[Beat, ...]
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Trait:
    """Something that holds of a person or its opposite, and a question whose answer it suggests.

    `sides` are the ways to tell one and the other, `answers` what follows from each, `reasons` why.
    """

    name: str
    about: frozenset[str]
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    asks: tuple[str, ...]
    answers: tuple[str, str]
    reasons: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Listed:
    """Things of one kind that people come to tell of one at a time."""

    name: str
    things: tuple[Mapping[str, str], ...]
    beat: Beat
    one: tuple[str, ...]
    all: tuple[str, ...]
    both: tuple[str, ...]


@cache
def stories() -> tuple[Story, ...]:
    return tuple(_story(name, raw) for file in STORY_FILES for name, raw in records(PACKAGE, file).items())


@cache
def traits() -> tuple[Trait, ...]:
    return tuple(
        Trait(
            name,
            _about(name, raw),
            (items(raw["plus"]), items(raw["minus"])),
            items(raw["asks"]),
            (raw.get("yes", "Yes"), raw.get("no", "No")),
            (raw["because_plus"], raw["because_minus"]),
        )
        for name, raw in records(PACKAGE, "traits").items()
    )


@cache
def listed() -> tuple[Listed, ...]:
    return tuple(
        Listed(name, _values(raw["things"]), _beat(raw), items(raw["one"]), items(raw["all"]), items(raw["both"]))
        for name, raw in records(PACKAGE, "lists").items()
    )


@cache
def small_talk() -> tuple[Beat, ...]:
    return tuple(_beat(raw) for raw in records(PACKAGE, "small_talk")["talk"])


@cache
def phrases() -> Mapping[str, tuple[str, ...]]:
    return lists(PACKAGE, "phrases")


def drawn_slots(story: Story, rng: Random, names: Mapping[str, list[str]]) -> dict[str, str]:
    """A value for each slot, with its further columns as `slot.column`; names are taken off their lists."""
    known: dict[str, str] = {}
    for slot, rows in story.slots.items():
        row = rng.choice(rows)
        if row[""] in NAME_SLOTS:
            row = {"": names[NAME_SLOTS[row[""]] or rng.choice(("he", "she"))].pop()}
        known |= named(slot, row)
    return known


def named(slot: str, row: Mapping[str, str]) -> dict[str, str]:
    """A row of a slot's table by the names that templates have for it.

    >>> named("pet", {"": "a cat", "sound": "purrs"})
    {'pet': 'a cat', 'pet.sound': 'purrs'}
    """
    return {slot + (f".{column}" if column else ""): value for column, value in row.items()}


def _story(name: str, raw: Mapping[str, Any]) -> Story:
    slots = {slot: _values(text) for slot, text in raw.get("slots", {}).items()}
    asks = []
    written = raw.get("asks") or raw["beats"][-1]["asks"]  # a file has them below the last beat
    for cells in table(written):
        kind, parts, text, gold, *swap = cells
        asks.append(Ask(KINDS[kind], tuple(parts.split("+")), text, gold, *swap))
    beats = tuple(_beat(beat) for beat in raw.get("beats", ())) or (_beat(raw),)
    return Story(name, _about(name, raw), slots, beats, tuple(asks))


def _about(name: str, raw: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(raw.get("about", name).split())


def _beat(raw: Mapping[str, Any]) -> Beat:
    tell, lead, then, picture = (items(raw.get(key, "")) for key in ("tell", "lead", "then", "picture"))
    gap, when, mood, event = (raw.get(key, "") for key in ("gap", "when", "mood", "event"))
    return Beat(tell, gap or "1..3", when, mood or "plain", lead, then, picture, event)


def _values(text: str) -> tuple[Mapping[str, str], ...]:
    """The values of a slot: one a line, or a table whose first line names the columns after the first."""
    rows = table(text)
    if len(rows[0]) == 1:
        return tuple({"": row[0]} for row in rows)
    columns = ("", *rows[0][1:])
    return tuple(dict(zip(columns, row, strict=True)) for row in rows[1:])
