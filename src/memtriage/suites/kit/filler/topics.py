"""The topics that fillers are made of: families of subjects, with aspects to ask about and points to answer with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from memtriage.suites.kit.filler.code_pools import CODE, SHARED_NAMES
from memtriage.suites.kit.filler.home_pools import HOME
from memtriage.suites.kit.filler.world_pools import WORLD

_CHOICE = re.compile(r"\[\[([^\[\]]+)\]\]")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_SLOT = re.compile(r"\$([a-z]+)")
_SMALL_WORD = re.compile(r"(?<![\w$\\])[a-z]{3,}(?!\w)")


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing to ask about a subject: ways to ask, code to show, points of the answer."""

    asks: tuple[str, ...]
    points: tuple[str, ...]
    code: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """Subjects that the same questions can be asked about; the first slot names the subject."""

    name: str
    slots: tuple[str, ...]
    subjects: tuple[tuple[str, ...], ...]
    aspects: tuple[Aspect, ...]

    def filling(self, subject: int, rng: Random) -> dict[str, str]:
        """What the slots stand for with this subject."""
        shared = {name: rng.choice(names) for name, names in SHARED_NAMES.items()}
        return shared | dict(zip(self.slots, self.subjects[subject], strict=True))


@cache
def families(domain: str) -> tuple[Family, ...]:
    """The families for a domain; one that is not known gets those about the world at large.

    >>> [len(families(name)) >= 9 for name in ("personal-life", "software-project", "anything")]
    [True, True, True]
    """
    known = {"personal-life": (HOME, WORLD), "software-project": (CODE,)}
    return tuple(family for text in known.get(plain(domain), (WORLD,)) for family in _families(text))


@cache
def topics(domain: str) -> tuple[tuple[Family, int], ...]:
    """Every subject of every family of a domain."""
    return tuple((family, subject) for family in families(domain) for subject in range(len(family.subjects)))


def plain(domain: str) -> str:
    """A domain's name as it is looked up: personal_life is personal-life."""
    return domain.strip().lower().replace("_", "-").replace(" ", "-")


@cache
def everyday() -> frozenset[str]:
    """Words that the topics use in small letters: none of them is a name."""
    return frozenset(word for text in (HOME, WORLD, CODE) for word in _SMALL_WORD.findall(text))


def filled(pattern: str, slots: Mapping[str, str], rng: Random) -> str:
    """A pattern with its slots filled and its choices made.

    >>> filled("[[2..2]] $thing, [[gone|gone]].", {"thing": "cups"}, Random(1))
    '2 cups, gone.'
    """
    for _ in range(2):  # what a slot stands for may hold a slot itself
        pattern = _SLOT.sub(lambda found: slots.get(found[1], found[0]), pattern)
    return _CHOICE.sub(lambda found: _chosen(found[1], rng), pattern)


def _chosen(choice: str, rng: Random) -> str:
    limits = _RANGE.fullmatch(choice)
    return str(rng.randint(int(limits[1]), int(limits[2]))) if limits else rng.choice(choice.split("|"))


def _families(text: str) -> list[Family]:
    whole = text.replace("\n  ", " ")  # an indented line goes on with the one before
    return [_family(part.splitlines()) for part in re.split(r"^= ", whole, flags=re.MULTILINE)[1:]]


def _family(lines: Sequence[str]) -> Family:
    slots = tuple(next(line for line in lines if line.startswith(": "))[2:].split())
    subjects = tuple(tuple(line[2:].split(" | ")) for line in lines if line.startswith("- "))
    return Family(lines[0].strip(), slots, subjects, tuple(_aspects(lines)))


def _aspects(lines: Sequence[str]) -> list[Aspect]:
    found: list[tuple[list[str], list[str], list[str]]] = []
    before = ""
    for line in lines:
        mark, content = line[:1], line[2:]
        if mark == "?" and before != "?":
            found.append(([], [], []))
        if mark in ("?", "*", "|"):
            found[-1]["?*|".index(mark)].append(content)
        before = mark
    return [Aspect(tuple(asks), tuple(points), tuple(code)) for asks, points, code in found]
