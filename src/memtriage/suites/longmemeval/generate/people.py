"""Users with backgrounds: everything a person can tell of themselves, the same whenever they tell it.

>>> one = person(7)
>>> one.value(topics()["owned/cars"].facts[0]) == person(7).value(topics()["owned/cars"].facts[0])
True
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from memtriage.suites.longmemeval.generate.catalogue import UserFact, collections, events, topics
from memtriage.suites.longmemeval.generate.values import amount, capitalized, fill_names, name_pools


@dataclass(frozen=True, slots=True)
class PersonalFact:
    """Something a person can let slip: a sentence (it may lack its capital), and the key of what it speaks about."""

    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Person:
    """A user; the background follows from the number."""

    number: int
    name: str

    def value(self, fact: UserFact) -> str:
        """What holds for this person."""
        return fact.values.draw(self._rng(fact.key))

    def facts(self, attribute: str) -> tuple[PersonalFact, ...]:
        """What this person can tell about an attribute."""
        return (*self._states(attribute), *self._events(attribute), *self._things(attribute))

    def background(self, attribute: str) -> str:
        """All of it as one paragraph."""
        return " ".join(capitalized(fact.text) for fact in self.facts(attribute))

    def _states(self, attribute: str) -> tuple[PersonalFact, ...]:
        return tuple(
            PersonalFact(self._rng(fact.key, "tell").choice(fact.tells).format(value=self.value(fact)), fact.key)
            for fact in topics()[attribute].facts
        )

    def _events(self, attribute: str) -> tuple[PersonalFact, ...]:
        own = (event for event in events() if event.attribute == attribute)
        return tuple(
            PersonalFact(f"I {fill_names(event.told, self._rng(event.key))} a while back.", event.key) for event in own
        )

    def _things(self, attribute: str) -> tuple[PersonalFact, ...]:
        things: list[PersonalFact] = []
        for found in collections():
            if found.attribute == attribute:
                rng = self._rng(attribute, "things")
                figure = amount(rng.choice(found.figures), found.unit)
                text = rng.choice(found.tells).format(item=rng.choice(found.items), figure=figure)
                things.append(PersonalFact(text, f"{attribute}#things"))
        return tuple(things)

    def _rng(self, *of: str) -> Random:
        return Random(f"longmemeval:person:{self.number}:{':'.join(of)}")


def person(number: int) -> Person:
    """The user of a number."""
    rng = Random(f"longmemeval:person:{number}")
    return Person(number, f"{rng.choice(name_pools()['name'])} {rng.choice(name_pools()['surname'])}")
