"""Made-up names of people, places and things, each given once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from memtriage.suites.memoryagentbench.world_pools import (
    BOOK_FRAMES,
    BOOK_NOUNS,
    CITY_ENDINGS,
    CLUB_KINDS,
    CODAS,
    COMPANY_KINDS,
    CONTINENTS,
    COUNTRY_ENDINGS,
    FIELDS,
    FIRST_ENDINGS,
    GENRES,
    LAST_ENDINGS,
    ONSETS,
    ORDER_ENDINGS,
    POSITIONS,
    SPORT_ENDINGS,
    VOWELS,
)

Thing = Literal[
    "person",
    "city",
    "country",
    "company",
    "club",
    "order",
    "sport",
    "book",
    "language",
    "continent",
    "position",
    "field",
    "genre",
]

_SHARES: Mapping[Thing, float] = {
    "person": 0.08,
    "city": 0.045,
    "country": 0.02,
    "company": 0.03,
    "club": 0.03,
    "order": 0.012,
    "sport": 0.012,
    "book": 0.04,
    "language": 0.012,
}
"""How many things of a kind there are for each fact of a world."""


class Names:
    """Gives names, none of them twice."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._given: set[str] = set()

    def things(self, facts: int) -> dict[Thing, list[str]]:
        """The things of a world with about so many facts."""
        makers: Mapping[Thing, Callable[[], str]] = {
            "person": self._person,
            "city": lambda: self._stem() + self._one(CITY_ENDINGS),
            "country": lambda: self._stem() + self._one(COUNTRY_ENDINGS),
            "company": lambda: f"{self._stem()}{self._coda()} {self._one(COMPANY_KINDS)}",
            "club": lambda: f"{self._stem()}{self._one(CITY_ENDINGS)} {self._one(CLUB_KINDS)}",
            "order": lambda: f"{self._stem()}{self._coda()}{self._one(ORDER_ENDINGS)}",
            "sport": lambda: (self._stem() + self._one(SPORT_ENDINGS)).lower(),
            "book": self._book,
            "language": lambda: self._stem() + self._coda() + "ish",
        }
        made = {kind: [self.new(maker) for _ in range(self._count(kind, facts))] for kind, maker in makers.items()}
        fixed: Mapping[Thing, Iterable[str]] = {
            "continent": CONTINENTS,
            "position": POSITIONS,
            "field": FIELDS,
            "genre": GENRES,
        }
        return {**made, **{kind: list(names) for kind, names in fixed.items()}}

    def new(self, make: Callable[[], str]) -> str:
        """A name that was not given before."""
        return new_name(make, self._given)

    def _count(self, kind: Thing, facts: int) -> int:
        return max(4, round(_SHARES[kind] * facts))

    def _person(self) -> str:
        return f"{self._stem()}{self._one(FIRST_ENDINGS)} {self._stem()}{self._one(LAST_ENDINGS)}"

    def _book(self) -> str:
        return self._one(BOOK_FRAMES).format(self._one(BOOK_NOUNS), self._stem() + self._one(CITY_ENDINGS))

    def _stem(self) -> str:
        syllable = self._one(ONSETS) + self._one(VOWELS) + (self._coda() if self._rng.random() < 0.6 else "")
        more = self._one(ONSETS) + self._one(VOWELS) if self._rng.random() < 0.35 else ""
        return (syllable + more).capitalize()

    def _coda(self) -> str:
        return self._one(CODAS)

    def _one(self, among: Iterable[str]) -> str:
        return self._rng.choice(among)  # type: ignore[arg-type]


def new_name(make: Callable[[], str], given: set[str]) -> str:
    """A name that was not given before; from now on it was."""
    while (name := make()) in given:
        pass
    given.add(name)
    return name
