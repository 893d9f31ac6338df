"""Coexisting-Facts: several preferences of one kind, told apart, and a question that needs all of them.

>>> row = next(generate(seed=7))
>>> len(row.preferences) == len(row.preference_facts)
True
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

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
    NAMED_OCCASION_FRAMES,
    NAMED_POINT_FRAMES,
    OCCASION_AND_POINT_FRAMES,
    OCCASION_FRAMES,
    POINT_FRAMES,
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
NAMED_SHARE = 0.95  # of the statements say what the preference is ("my go-to snack"), as people do
LEAD_SHARE = 0.8  # of the questions say what they are about before they ask
SHORTEST_QUESTION, LONGEST_QUESTION = 15, 35  # words
_CHOICE = re.compile(r"\[([^\]]*)\]")
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself)\b")


def generate(seed: int) -> Iterator[CoexistingRow]:
    """Endless rows; every block of 100 holds each category once, in an order the seed decides.

    >>> rows = generate(seed=1)
    >>> next(rows).ground_truth_answer.count(",") >= 1
    True
    """
    rng = random.Random(f"coexisting:{seed}")
    decks: dict[str, list[tuple[str, str]]] = {category.name: [] for category in _POOLS}
    while True:
        for category in rng.sample(_POOLS, len(_POOLS)):
            yield _row(rng, category, decks[category.name])


def _row(rng: random.Random, category: Category, deck: list[tuple[str, str]]) -> CoexistingRow:
    chosen = _choose(rng, category, rng.randint(FEWEST, MOST))
    names = tuple(preference.name for preference in chosen)
    return CoexistingRow(
        preference_category=category.name,
        preferences=names,
        preference_facts=_facts(rng, category, chosen),
        question=_question(rng, category, deck, names),
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
    used: set[str] = set()
    facts = []
    for preference in chosen:
        others = [other.name for other in chosen if other is not preference]
        while True:
            frame = _frame(rng, category)
            fact = _fill(rng, frame, category, preference)
            if frame not in used and not _names_any(fact, others) and _FIRST_PERSON.search(fact):
                break
        used.add(frame)
        facts.append(fact)
    return tuple(facts)


def _frame(rng: random.Random, category: Category) -> str:
    named = rng.random() < NAMED_SHARE
    points = NAMED_POINT_FRAMES if named else POINT_FRAMES
    if category.occasion_frames:  # wished for rather than used, so the shared frames about occasions don't fit
        return rng.choice(rng.choice((category.occasion_frames, points)))
    occasions = NAMED_OCCASION_FRAMES if named else OCCASION_FRAMES
    (frames,) = rng.choices((occasions, points, OCCASION_AND_POINT_FRAMES), weights=(52, 42, 0 if named else 15))
    return rng.choice(frames)


def _fill(rng: random.Random, frame: str, category: Category, preference: Preference) -> str:
    one, many = _as_one(preference), _as_kind(preference)
    plural = preference.kind in ("p", "tp")
    they = "they" if plural else "it"
    occasion = rng.choice(preference.occasions)
    item = rng.choice(category.items)
    return frame.format(
        x=one,
        X=_upper_first(one),
        g=many,
        G=_upper_first(many),
        **{"is": "are" if plural else "is"},
        has="have" if plural else "has",
        gis="are" if plural or many != one else "is",
        occ=occasion,
        Occ=_upper_first(occasion),
        pt=rng.choice(preference.points),
        they=they,
        They=_upper_first(they),
        them="them" if plural else "it",
        item=item,
        a_item=f"{_article(item)} {item}",
        v=rng.choice(category.verbs),
    )


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


def _question(rng: random.Random, category: Category, deck: list[tuple[str, str]], names: tuple[str, ...]) -> str:
    """A situation and a request; the deck keeps a category from repeating a pair before all were used."""
    skipped: list[tuple[str, str]] = []
    while True:
        if not deck:
            deck.extend((s, r) for s in category.situations for r in (*category.requests, *REQUESTS))
            rng.shuffle(deck)
        situation, request = deck.pop()
        for _ in range(8):
            question = _compose(rng, category, situation, request)
            fits = SHORTEST_QUESTION <= len(question.split()) <= LONGEST_QUESTION
            if fits and not _names_any(question, names):
                deck.extend(skipped)
                return question
        skipped.append((situation, request))


def _compose(rng: random.Random, category: Category, situation: str, request: str) -> str:
    asked = _spin(rng, request)
    if rng.random() < LEAD_SHARE or " should I " not in asked:
        asked = rng.choice(LEADS) + asked
    else:
        asked = asked.removesuffix("?") + rng.choice(TAILS) + "?"
    asked = asked.replace("{noun}", category.noun).replace("{topic}", rng.choice(category.topics))
    joiner = rng.choice(JOINERS)
    return _spin(rng, situation) + joiner + (_upper_first(asked) if joiner == ". " else asked)


def _spin(rng: random.Random, text: str) -> str:
    """Replaces each `[this|that]` by one of its alternatives."""
    return _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)


def _names_any(text: str, names: list[str] | tuple[str, ...]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in names)


def _upper_first(text: str) -> str:
    return text[0].upper() + text[1:]
