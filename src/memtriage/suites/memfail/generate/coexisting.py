"""Coexisting-Facts: preferences of one kind, each in a statement of its own, and a question that needs all of them.

>>> row = next(generate(seed=7))
>>> len(row.preferences) == len(row.preference_facts)
True
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import Deck
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records, table, values
from memtriage.suites.memfail.paper import PACKAGE, PREFERENCES, categories
from memtriage.suites.memfail.rows import CoexistingRow

OWN_REQUEST_SHARE = 0.4  # of the questions end in a request written for the situation
RELEASED_COUNTS = {2: 26, 3: 31, 4: 20, 5: 23}  # rows by number of preferences, in table 2
SHORTEST_QUESTION, LONGEST_QUESTION = 15, 35  # words
RECENT = 400  # questions of a category that a new one is compared with
TOO_ALIKE = 0.65  # Jaccard of words; deduplication cuts at 0.7
NEW_ATTEMPTS, MOST_ATTEMPTS = 60, 400  # after the first number a near copy is accepted
WISH_SHARE = 0.3  # of the situations go on with a wish that could be anybody's
SHORTEST_SITUATION = 7  # words that say enough without their own wish
MANY = 8  # questions of a category, after which most do
_OWN_WISH = re.compile(r",? and (?:I )?(?:want|would|'d|don't|need)\b|, so ")
_JOINERS = (". ", ". ", ". ", "; ")
_TWICE = re.compile(r"\b(suit|fit|match|prefer)\w*\b.*\b\1", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|our)\b", re.IGNORECASE)


class Preference(NamedTuple):
    """One thing somebody may like, and statements any of which tells of it."""

    name: str
    statements: tuple[str, ...]


class Situation(NamedTuple):
    """What a question begins with, the requests written for it, and whether only those go with it."""

    text: str
    requests: tuple[str, ...]
    only_own: bool


class Category(NamedTuple):
    """One preference category: its preferences, and the situations in which all of them matter."""

    name: str
    noun: str
    fit: str
    """What its things may match: tastes, interests ..."""
    liked: str
    """What the speaker thinks of them: "what I like"."""
    situations: tuple[Situation, ...]
    preferences: tuple[Preference, ...]


@cache
def category_of(name: str) -> Category:
    """A category with its words."""
    file = categories()[name]
    record = records(PACKAGE, file)[name]
    shared = records(PACKAGE, "coexisting/shared")
    group = file.rpartition("/")[2]
    return Category(
        name=name,
        noun=record["noun"],
        fit=record.get("fit", shared["fit"][group]),
        liked=record.get("liked", shared["liked"][group]),
        situations=tuple(
            Situation(text.removeprefix("~ "), values(requests), text.startswith("~ "))
            for text, requests in table(record["situations"])
        ),
        preferences=tuple(Preference(thing, values(statements)) for thing, statements in table(record["preferences"])),
    )


@cache
def _shared(key: str) -> tuple[str, ...]:
    """Requests or wishes that fit every category."""
    return items(records(PACKAGE, "coexisting/shared")[key])


def generate(seed: int, like_released: bool = False) -> Iterator[CoexistingRow]:
    """Endless rows; every block of 100 holds each category once, in an order the seed decides.

    A row has two to five preferences, each as likely; `like_released`, as often as in the released rows.

    >>> rows = generate(seed=1)
    >>> next(rows).ground_truth_answer.count(",") >= 1
    True
    """
    rng = random.Random(f"coexisting:{seed}")
    lately: deque[frozenset[str]] = deque(maxlen=len(categories()))
    authors = [_Author(category_of(name), lately) for name in categories()]
    while True:
        for author in rng.sample(authors, len(authors)):
            if like_released:
                count = rng.choices(tuple(RELEASED_COUNTS), tuple(RELEASED_COUNTS.values()))[0]
            else:
                count = rng.randint(*PREFERENCES)
            yield author.row(rng, count)


@dataclass(slots=True)
class _Author:
    """Writes the rows of one category without repeating itself: statements and situations wait in decks."""

    category: Category
    lately: deque[frozenset[str]]
    """The last questions about any category."""
    statements: dict[str, Deck] = field(default_factory=dict)
    situations: list[Situation] = field(default_factory=list)
    recent: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=RECENT))

    def row(self, rng: random.Random, count: int) -> CoexistingRow:
        chosen = self._choose(rng, count)
        names = tuple(preference.name for preference in chosen)
        facts = tuple(self._state(rng, preference) for preference in chosen)
        return CoexistingRow(
            preference_category=self.category.name,
            preferences=names,
            preference_facts=facts,
            question=self._ask(rng, names),
            ground_truth_answer=", ".join(names),
        )

    def _choose(self, rng: random.Random, count: int) -> list[Preference]:
        """Draws preferences none of which is spelled inside what tells of another."""
        while True:
            chosen = rng.sample(self.category.preferences, count)
            if not any(
                _mentions_any(" ".join(one.statements), [other.name])
                for one in chosen
                for other in chosen
                if one is not other
            ):
                return chosen

    def _state(self, rng: random.Random, preference: Preference) -> str:
        # The last says what kind of thing it is; told twice as often, rows are about as hard to find as released ones.
        told = (*preference.statements, preference.statements[-1])
        deck = self.statements.setdefault(preference.name, Deck(told))
        return draw(rng.choice(deck), rng)

    def _ask(self, rng: random.Random, names: Sequence[str]) -> str:
        """A situation and a request that name none of the preferences."""
        for attempt in range(MOST_ATTEMPTS):
            question = self._compose(rng)
            words = frozenset(re.findall(r"[\w'-]+", question.lower()))
            length_fits = SHORTEST_QUESTION <= len(question.split()) <= LONGEST_QUESTION and not _TWICE.search(question)
            fits = length_fits and _FIRST_PERSON.search(question) and not _mentions_any(question, names)
            if fits and (
                attempt > NEW_ATTEMPTS or all(_jaccard(words, old) < TOO_ALIKE for old in (*self.recent, *self.lately))
            ):
                self.recent.append(words)
                self.lately.append(words)
                return question
        raise BadInput(f"no question for {self.category.name!r} avoids naming {', '.join(names)}; add situations")

    def _compose(self, rng: random.Random) -> str:
        if not self.situations:
            self.situations = rng.sample(self.category.situations, len(self.category.situations))
        situation = self.situations.pop()
        told = situation.text
        wished = None if situation.only_own else _with_wish(told, rng.choice(_shared("wishes")))
        if wished and rng.random() < (WISH_SHARE if len(self.recent) < MANY else 1 - WISH_SHARE):
            # Requests written for a situation may take up its own wish, and a wish is not said twice.
            told = wished
            asked = rng.choice([text for text in _shared("requests") if "{fit}" not in told or "{fit}" not in text])
        else:
            own = situation.only_own or rng.random() < OWN_REQUEST_SHARE
            asked = rng.choice(situation.requests if own else _shared("requests"))
        told, asked = (self._fill(text, rng) for text in (told, asked))
        joiner = rng.choice(_JOINERS)
        return told + joiner + (asked[0].upper() + asked[1:] if joiner == ". " else asked)

    def _fill(self, text: str, rng: random.Random) -> str:
        filled = text.replace("{noun}", self.category.noun).replace("{fit}", self.category.fit)
        return draw(filled.replace("{liked}", self.category.liked), rng)


def _with_wish(situation: str, wish: str) -> str | None:
    """A situation that goes on with another wish than its own, or None where that would be too much."""
    told = _OWN_WISH.split(situation)[0]
    if " and " in told or len(told.split()) < SHORTEST_SITUATION:
        return None
    return f"{told} and {wish}" if told.startswith(("I ", "I'm ", "I've ")) else f"{told} and I {wish}"


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)


def _mentions_any(text: str, names: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in names)
