"""Made-up names of people, places and things, no two of them alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Literal

from memtriage.suites.kit.words import lists
from memtriage.suites.memoryagentbench.context import PACKAGE

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


class NamePool:
    """Gives names, none of them twice."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._given: set[str] = set()
        self._words = lists(PACKAGE, "names")

    def things(self, facts: int) -> dict[Thing, list[str]]:
        """The things of a world with about so many facts."""
        makers: Mapping[Thing, Callable[[], str]] = {
            "person": lambda: f"{self._stem('first_name_endings')} {self._stem('surname_endings')}",
            "city": lambda: self._stem("city_endings"),
            "country": lambda: self._stem("country_endings"),
            "company": lambda: f"{self._stem('codas')} {self._one('company_kinds')}",
            "club": lambda: f"{self._stem('city_endings')} {self._one('club_kinds')}",
            "order": lambda: self._stem("codas") + self._one("order_endings"),
            "sport": lambda: self._stem("sport_endings").lower(),
            "book": self._book,
            "language": lambda: self._stem("codas") + "ish",
        }
        named = {
            kind: [new_name(maker, self._given) for _ in range(max(4, round(_SHARES[kind] * facts)))]
            for kind, maker in makers.items()
        }
        fixed: tuple[Thing, ...] = ("continent", "position", "field", "genre")
        return {**named, **{kind: list(self._words[f"{kind}s"]) for kind in fixed}}

    def _book(self) -> str:
        return self._one("book_titles").format(noun=self._one("book_nouns"), place=self._stem("city_endings"))

    def _stem(self, ending: str) -> str:
        """One or two syllables and an ending."""
        syllable = self._one("onsets") + self._one("vowels") + (self._one("codas") if self._rng.random() < 0.6 else "")
        more = self._one("onsets") + self._one("vowels") if self._rng.random() < 0.35 else ""
        return (syllable + more).capitalize() + self._one(ending)

    def _one(self, among: str) -> str:
        return self._rng.choice(self._words[among])


def new_name(make: Callable[[], str], given: set[str]) -> str:
    """A name that is not among those given; it is added to them."""
    while (name := make()) in given:
        pass
    given.add(name)
    return name
