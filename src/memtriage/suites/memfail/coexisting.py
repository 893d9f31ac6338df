"""Coexisting-Facts: several preferences of one kind, told apart, and a question that needs all of them.

>>> row = next(generate(seed=7))
>>> len(row.preferences) == len(row.preference_facts)
True
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from memtriage.core.errors import BadInput
from memtriage.suites.memfail import (
    coexisting_active_pools,
    coexisting_food_pools,
    coexisting_hobby_pools,
    coexisting_learn_pools,
    coexisting_media_pools,
    coexisting_misc_pools,
    coexisting_social_pools,
    coexisting_style_pools,
    coexisting_wellbeing_pools,
    coexisting_work_pools,
)
from memtriage.suites.memfail.coexisting_pools import (
    JOINERS,
    LEADS,
    PLAIN_FRAMES,
    REQUESTS,
    TAILS,
    Category,
    Preference,
)
from memtriage.suites.memfail.rows import CoexistingRow

_POOLS: tuple[Category, ...] = (
    *coexisting_food_pools.CATEGORIES,
    *coexisting_media_pools.CATEGORIES,
    *coexisting_active_pools.CATEGORIES,
    *coexisting_style_pools.CATEGORIES,
    *coexisting_hobby_pools.CATEGORIES,
    *coexisting_social_pools.CATEGORIES,
    *coexisting_learn_pools.CATEGORIES,
    *coexisting_wellbeing_pools.CATEGORIES,
    *coexisting_work_pools.CATEGORIES,
    *coexisting_misc_pools.CATEGORIES,
)

CATEGORIES: tuple[str, ...] = tuple(category.name for category in _POOLS)
"""The 100 preference categories of the paper's table 4."""

FEWEST, MOST = 2, 5
OWN_SHARE = 0.95  # of the statements use the category's own words ("I snack on ..."), as people do
LEAD_SHARE = 0.8  # of the questions that have to say what they are about do so before they ask
SHORTEST_QUESTION, LONGEST_QUESTION = 15, 35  # words
RECENT = 400  # questions of a category that a new one is compared with
TOO_ALIKE = 0.65  # Jaccard of words; deduplication cuts at 0.7
NEW_ATTEMPTS, MOST_ATTEMPTS = 40, 400  # after the first number a near copy is accepted
_MAY_REPEAT = frozenset("the and for with when that from because than into they them what".split())
_DOUBLED = re.compile(r"(?<![\w-])(\w+) \1\b", re.IGNORECASE)  # "what I put on on nights out"
_SLOT = re.compile(r"\{\w+\}")
_CHOICE = re.compile(r"\[([^\]]*)\]")
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|our)\b", re.IGNORECASE)


def generate(seed: int) -> Iterator[CoexistingRow]:
    """Endless rows; every block of 100 holds each category once, in an order the seed decides.

    >>> rows = generate(seed=1)
    >>> next(rows).ground_truth_answer.count(",") >= 1
    True
    """
    rng = random.Random(f"coexisting:{seed}")
    askers = [_Questions(category) for category in _POOLS]
    while True:
        for asker in rng.sample(askers, len(askers)):
            yield _row(rng, asker)


def _row(rng: random.Random, asker: _Questions) -> CoexistingRow:
    category = asker.category
    chosen = _choose(rng, category, rng.randint(FEWEST, MOST))
    names = tuple(preference.name for preference in chosen)
    return CoexistingRow(
        preference_category=category.name,
        preferences=names,
        preference_facts=_facts(rng, category, chosen),
        question=asker.ask(rng, names),
        ground_truth_answer=", ".join(names),
    )


def _choose(rng: random.Random, category: Category, count: int) -> list[Preference]:
    """Draws preferences none of which is spelled inside another."""
    while True:
        chosen = rng.sample(category.preferences, count)
        names = [preference.name for preference in chosen]
        if not any(_names_any(name, [other for other in names if other != name]) for name in names):
            return chosen


def _facts(rng: random.Random, category: Category, chosen: list[Preference]) -> tuple[str, ...]:
    """One statement per preference; within a row no frame is used twice."""
    used: list[str] = []
    facts = []
    for preference in chosen:
        others = [other.name for other in chosen if other is not preference]
        frame, fact = _statement(rng, category, preference, used, others)
        used.append(frame)
        facts.append(fact)
    return tuple(facts)


def _statement(
    rng: random.Random, category: Category, preference: Preference, used: list[str], others: list[str]
) -> tuple[str, str]:
    for _ in range(MOST_ATTEMPTS):
        frame = _frame(rng, category)
        occasion, point = rng.choice(preference.occasions), rng.choice(preference.points)
        fact = _fill(frame, preference, occasion, point)
        stands_alone = _FIRST_PERSON.search(fact) and not _names_any(fact, others)
        reads_well = not _DOUBLED.search(fact) and not _echoes(frame, preference, occasion, point)
        if stands_alone and reads_well and frame not in used:
            return frame, fact
    raise BadInput(f"no frame of {category.name!r} fits {preference.name!r}; add frames")


def _frame(rng: random.Random, category: Category) -> str:
    own = category.own_frames_only or rng.random() < OWN_SHARE
    return rng.choice(category.frames if own else PLAIN_FRAMES)


def _fill(frame: str, preference: Preference, occasion: str, point: str) -> str:
    one, many = _as_one(preference), _as_kind(preference)
    plural = preference.kind in ("p", "tp")
    they = "they" if plural else "it"
    return frame.format(
        x=one,
        X=_upper_first(one),
        g=many,
        G=_upper_first(many),
        **{"is": "are" if plural else "is"},
        has="have" if plural else "has",
        s="s" if plural else "",
        occ=occasion,
        Occ=_upper_first(occasion),
        pt=point,
        they=they,
        They=_upper_first(they),
        them="them" if plural else "it",
    )


def _echoes(frame: str, preference: Preference, occasion: str, point: str) -> bool:
    """Whether a word of one part comes back in another ("A rose garden is my favorite garden"), which people avoid."""
    said = f"{preference.name} {preference.tail}"
    fragments = (occasion if "{occ}" in frame.lower() else "", point if "{pt}" in frame else "")
    parts = [_nouns_and_verbs(part) for part in (_SLOT.sub(" ", frame), said, *fragments)]
    return len(frozenset().union(*parts)) < sum(map(len, parts))


@lru_cache(maxsize=20_000)
def _nouns_and_verbs(text: str) -> frozenset[str]:
    words = re.findall(r"[a-zà-ÿ]{3,}", text.lower())
    return frozenset(word.removesuffix("s") for word in words if word not in _MAY_REPEAT)


def _as_one(preference: Preference) -> str:
    said = f"{preference.name} {preference.tail}".strip()
    if preference.kind == "s":
        return f"{_article(said)} {said}"
    return f"the {said}" if preference.kind in ("t", "tp") else said


def _as_kind(preference: Preference) -> str:
    """The plural where simply adding -s makes one, since the name must stay spelled out."""
    said = f"{preference.name} {preference.tail}".strip()
    if preference.kind == "s" and not said.endswith(("y", "ch", "sh", "s", "x", "z")):
        return f"{said}s"
    return _as_one(preference)


def _article(said: str) -> str:
    return "an" if re.match(r"(?i)[aeio]|u(?!ni|ku|s)|herb\b|hour", said) else "a"


@dataclass(slots=True)
class _Questions:
    """Asks about one category without repeating itself: pairs wait in a deck, near copies are put back."""

    category: Category
    deck: list[tuple[str, str]] = field(default_factory=list)
    recent: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=RECENT))

    def ask(self, rng: random.Random, names: tuple[str, ...]) -> str:
        """A situation and a request that name none of the preferences."""
        for attempt in range(MOST_ATTEMPTS):
            question = self._compose(rng, *self._draw(rng))
            words = frozenset(re.findall(r"[\w'-]+", question.lower()))
            length_fits = SHORTEST_QUESTION <= len(question.split()) <= LONGEST_QUESTION
            fits = length_fits and _FIRST_PERSON.search(question) and not _names_any(question, names)
            if fits and (attempt > NEW_ATTEMPTS or all(_jaccard(words, old) < TOO_ALIKE for old in self.recent)):
                self.recent.append(words)
                return question
        raise BadInput(f"no question for {self.category.name!r} avoids naming {', '.join(names)}; add situations")

    def _draw(self, rng: random.Random) -> tuple[str, str]:
        if not self.deck:
            requests = (*self.category.requests * 2, *REQUESTS)  # the category's own have variants, so they come twice
            self.deck = [(situation, request) for situation in self.category.situations for request in requests]
            rng.shuffle(self.deck)
        return self.deck.pop()

    def _compose(self, rng: random.Random, situation: str, request: str) -> str:
        asked = _spin(rng, request).replace("{noun}", rng.choice(self.category.nouns))
        others = [t for t in self.category.topics if not _nouns_and_verbs(t) & _nouns_and_verbs(asked)]
        if others:
            asked = _say_about_what(rng, asked)
        joiner = rng.choice(JOINERS)
        question = _spin(rng, situation) + joiner + (_upper_first(asked) if joiner == ". " else asked)
        return question.replace("{topic}", rng.choice(others or self.category.topics))


def _say_about_what(rng: random.Random, asked: str) -> str:
    if rng.random() < LEAD_SHARE or " should I " not in asked or asked.endswith((" to?", " for?", " with?")):
        return rng.choice(LEADS) + asked
    return asked.removesuffix("?") + rng.choice(TAILS) + "?"


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)


def _spin(rng: random.Random, text: str) -> str:
    """Replaces each `[this|that]` by one of its alternatives."""
    return _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)


def _names_any(text: str, names: list[str] | tuple[str, ...]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in names)


def _upper_first(text: str) -> str:
    return text[0].upper() + text[1:]
