"""The people of a Persona-Retrieval store: no two of one name, and strangers whom no essay is about.

>>> cast = Cast(Random(1), shared=0.5)
>>> len({cast.person().name for _ in range(1000)})
1000
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.words import records
from memtriage.suites.memfail.paper import PACKAGE, flavors

_STRANGERS = 80
"""How many first names are kept for strangers, so that nothing told of anybody could be meant for one."""


@dataclass(slots=True)
class Namesakes:
    """Those who share a first name: each leads another life, and what is asked about one is told of no other.

    `told` are the topics that their essays touch so far, `asked` those that questions ask about.
    """

    first_name: str
    flavors: list[str]
    surnames: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Person:
    """Whom an essay is about, and what that person is known for."""

    name: str
    flavor: str
    namesakes: Namesakes


class Cast:
    """People for the essays and questions of one store; a `shared` part of them have a first name that came before.

    With `same_surname` those have the surname that went with it, too.
    """

    def __init__(self, rng: Random, shared: float = 0.0, same_surname: bool = False) -> None:
        mixed = rng.sample(first_names(), len(first_names()))
        self._rng = rng
        self._shared = shared
        self._same_surname = same_surname
        self._strangers = mixed[:_STRANGERS]
        self._unused = mixed[_STRANGERS:]
        self._used: list[Namesakes] = []
        self._lives: Counter[str] = Counter()
        self._surnames = deck(rng, surnames())

    def person(self) -> Person:
        """Somebody new. When every first name has been through all ways of life, there is nobody left."""
        namesakes = self._namesakes()
        flavor = min(namesakes.flavors, key=lambda flavor: self._lives[flavor])
        self._lives[flavor] += 1
        namesakes.flavors.remove(flavor)
        if not namesakes.flavors:
            self._used.remove(namesakes)
        if self._same_surname and namesakes.surnames:
            return Person(f"{namesakes.first_name} {min(namesakes.surnames)}", flavor, namesakes)
        surname = next(name for name in self._surnames if name not in namesakes.surnames)
        namesakes.surnames.add(surname)
        return Person(f"{namesakes.first_name} {surname}", flavor, namesakes)

    def strangers(self, count: int) -> list[str]:
        """Names that no essay has, each with another first name."""
        return [f"{name} {self._rng.choice(surnames())}" for name in self._rng.sample(self._strangers, count)]

    def _namesakes(self) -> Namesakes:
        if self._unused and (not self._used or self._rng.random() >= self._shared):
            self._used.append(Namesakes(self._unused.pop(), self._rng.sample(list(flavors()), len(flavors()))))
            return self._used[-1]
        if not self._used:
            raise BadInput("nobody is left who can be told apart from the others; ask for at most 10,000 persona rows")
        few = self._rng.sample(self._used, min(3, len(self._used)))
        return min(few, key=lambda namesakes: len(namesakes.surnames))  # or the first names would be half of a store


def is_known(name: str) -> bool:
    """Whether a name is made of a first name and a surname of the suite.

    >>> is_known("Maya Patel"), is_known("Maya"), is_known("Patel Maya")
    (True, False, False)
    """
    first, _, last = name.partition(" ")
    return first in first_names() and last in surnames()


def is_woman(name: str) -> bool:
    """Whether a person is spoken of as she."""
    return name.partition(" ")[0] in _women()


@cache
def _women() -> tuple[str, ...]:
    return tuple(records(PACKAGE, "persona/names")["women"].split())


@cache
def _men() -> tuple[str, ...]:
    return tuple(records(PACKAGE, "persona/names")["men"].split())


def first_names() -> tuple[str, ...]:
    """All first names, each of them a woman's or a man's."""
    return _women() + _men()


@cache
def surnames() -> tuple[str, ...]:
    """All surnames."""
    return tuple(records(PACKAGE, "persona/names")["surnames"].split())
