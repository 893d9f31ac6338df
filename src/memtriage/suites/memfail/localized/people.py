"""People of a language: names that don't come twice, and how they are spoken of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.localized import grammar
from memtriage.suites.memfail.paper import PACKAGE

STRANGERS = 40
"""How many first names are kept for strangers, so that nothing told of anybody could be meant for one."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a name, and what fills the gaps that stand for them."""

    name: str
    pronouns: Mapping[str, str]

    @property
    def gaps(self) -> dict[str, str]:
        return {**self.pronouns, "name": self.name}


def first_names(code: str, rng: Random, kind: str = "") -> Iterator[Person]:
    """People with a first name each; when all names were given, they come with surnames. `kind`: `pets_`."""
    shared = grammar(PACKAGE, code, "shared")
    people = [Person(name, shared["pronouns"][sex]) for sex in "mf" for name in shared["names"][kind + sex].split()]
    rng.shuffle(people)
    yield from people
    known = {person.name: person for person in people}
    for full in _full_names(code, rng, list(known)):
        yield Person(full, known[full.split()[0]].pronouns)
    raise _nobody_left()


def full_names(code: str, rng: Random) -> tuple[Iterator[Person], Iterator[Person]]:
    """People with a first name and a surname each, and strangers, whose first names nobody else has.

    All first names of the people come once before any comes again, with another surname.
    """
    shared = grammar(PACKAGE, code, "shared")
    sexes = {name: shared["pronouns"][sex] for sex in "mf" for name in shared["names"][sex].split()}
    mixed = rng.sample(list(sexes), len(sexes))
    surnames = rng.sample(shared["names"]["surnames"].split(), len(shared["names"]["surnames"].split()))

    def named(first: Sequence[str]) -> Iterator[Person]:
        for turn in range(len(surnames)):
            for place, name in enumerate(first):
                yield Person(f"{name} {surnames[(place + turn) % len(surnames)]}", sexes[name])
        raise _nobody_left()

    return named(mixed[STRANGERS:]), named(mixed[:STRANGERS])


def _full_names(code: str, rng: Random, first: list[str]) -> Iterator[str]:
    both = list(product(first, grammar(PACKAGE, code, "shared")["names"]["surnames"].split()))
    rng.shuffle(both)
    return (f"{name} {surname}" for name, surname in both)


def _nobody_left() -> BadInput:
    return BadInput("nobody is left who can be told apart from the others; ask for fewer rows")
