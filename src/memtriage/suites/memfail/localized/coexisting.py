"""Coexisting-Facts in other languages: several likings of one kind, and a question that needs all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from memtriage.suites.kit.draw import Deck
from memtriage.suites.kit.localized import grammar, lines
from memtriage.suites.kit.words import items, table, values
from memtriage.suites.memfail.generate.coexisting import RELEASED_COUNTS
from memtriage.suites.memfail.paper import PACKAGE, PREFERENCES
from memtriage.suites.memfail.rows import CoexistingRow


def generate(code: str, seed: int, like_released: bool = False) -> Iterator[CoexistingRow]:
    """Rows without end; each category comes once before any comes again."""
    rng = Random(f"{code}:coexisting:{seed}")
    authors = [
        _Author(record, lines(PACKAGE, code, "coexisting", "requests"))
        for record in grammar(PACKAGE, code, "coexisting")["categories"]
    ]
    while True:
        for author in rng.sample(authors, len(authors)):
            if like_released:
                count = rng.choices(tuple(RELEASED_COUNTS), tuple(RELEASED_COUNTS.values()))[0]
            else:
                count = rng.randint(*PREFERENCES)
            yield author.row(rng, count)


class _Author:
    """Writes the rows of one category: no situation with the same request before every other."""

    def __init__(self, record: Mapping[str, Any], requests: tuple[str, ...]) -> None:
        self._name = record["name"]
        self._things = [(thing, values(statements)) for thing, statements in table(record["things"])]
        self._told = {thing: Deck(statements) for thing, statements in self._things}
        self._questions = Deck([f"{told} {asked}" for told in items(record["situations"]) for asked in requests])

    def row(self, rng: Random, count: int) -> CoexistingRow:
        names = tuple(thing for thing, _ in rng.sample(self._things, count))
        return CoexistingRow(
            preference_category=self._name,
            preferences=names,
            preference_facts=tuple(rng.choice(self._told[name]) for name in names),
            question=rng.choice(self._questions),
            ground_truth_answer=", ".join(names),
        )
