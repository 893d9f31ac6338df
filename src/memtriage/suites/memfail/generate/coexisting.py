"""Coexisting-Facts: preferences of one kind, each in a statement of its own, and a question that needs all of them.

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
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from memtriage.core.errors import BadInput
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records, table, values
from memtriage.suites.memfail.paper import PACKAGE, PREFERENCES, categories
from memtriage.suites.memfail.rows import CoexistingRow

OWN_SHARE = 0.8  # of the statements use the category's own words ("I snack on ...")
QUALITY_SHARE = 0.15  # of the reasons could be given for anything of the kind
OPEN_SITUATION_SHARE = 0.1  # of the situations could be anybody's
OWN_REQUEST_SHARE = 0.1  # of the questions end in a request written for the category
FIRST_NOUN_SHARE = 0.8
WISH_SHARE = 0.15  # of the situations that can go on with a wish do
RELEASED_COUNTS = {2: 26, 3: 31, 4: 20, 5: 23}  # rows by number of preferences, in table 2
SHORTEST_QUESTION, LONGEST_QUESTION = 15, 35  # words
RECENT = 400  # questions of a category that a new one is compared with
TOO_ALIKE = 0.65  # Jaccard of words; deduplication cuts at 0.7
MANY = 12  # questions of a category, after which it is asked about in rarer ways, too
NEW_ATTEMPTS, MOST_ATTEMPTS = 40, 400  # after the first number a near copy is accepted
_JOINERS = (". ", ". ", ". ", "; ")
_MAY_REPEAT = frozenset("the and for with when that from because than into they them what".split())
_DOUBLED = re.compile(r"(?<![\w-])(\w+) \1\b", re.IGNORECASE)  # "what I put on on nights out"
_GAP = re.compile(r"\{[\w:]+\}")
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|our)\b", re.IGNORECASE)
_AGREEING = {
    "is": ("is", "are"),
    "has": ("has", "have"),
    "s": ("", "s"),
    "es": ("s", ""),
    "its": ("its", "their"),
    "ees": ("es", "e"),
    "ies": ("ies", "y"),
    "they": ("it", "they"),
    "They": ("It", "They"),
    "them": ("it", "them"),
}
"""Words that go with one thing and with several."""


@dataclass(frozen=True)
class Preference:
    """One thing somebody may like, when they want it and what it does for them.

    Its form is `a` for "a fedora", `plural` for "tacos", `mass` for "sushi", `the` for "the cello" and `the plural` for
    "the Highlands". A bare adjective needs a noun in a sentence: "Thai" is said as "Thai food".
    """

    name: str
    form: str
    occasions: tuple[str, ...]
    points: tuple[str, ...]
    noun: str = ""

    @cached_property
    def plural(self) -> bool:
        return self.form.endswith("plural")

    @cached_property
    def phrase(self) -> str:
        return f"{self.name} {self.noun}" if self.noun else self.name

    @cached_property
    def as_one(self) -> str:
        if self.form == "a":
            return f"{_article(self.phrase)} {self.phrase}"
        return f"the {self.phrase}" if self.form.startswith("the") else self.phrase

    @cached_property
    def as_kind(self) -> str:
        """The plural where simply adding -s makes one, since the name must stay spelled out."""
        if self.form == "a" and not self.phrase.endswith(("y", "ch", "sh", "s", "x", "z")):
            return f"{self.phrase}s"
        return self.as_one

    def __format__(self, word: str) -> str:
        """The thing itself, or a word that agrees with it."""
        return _AGREEING[word][self.plural] if word else self.as_one


class Category(NamedTuple):
    """One preference category: its preferences, and the scenarios in which all of them matter.

    `frames` are written for the category, so that its verbs and nouns sit where people put them ("On ferry rides,
    I carry {thing}."). Things wished for rather than had are spoken of in the category's own frames only.
    """

    name: str
    nouns: tuple[str, ...]
    frames: tuple[str, ...]
    situations: tuple[str, ...]
    requests: tuple[str, ...]
    preferences: tuple[Preference, ...]
    own_frames: bool


@cache
def category_of(name: str) -> Category:
    """A category with its words."""
    record = records(PACKAGE, categories()[name])[name]
    return Category(
        name=name,
        nouns=items(record["nouns"]),
        frames=items(record["frames"]),
        situations=items(record["situations"]),
        requests=items(record["requests"]),
        preferences=tuple(
            Preference(name, form, values(occasions), values(points), *noun)
            for name, form, occasions, points, *noun in table(record["preferences"])
        ),
        own_frames=record.get("own_frames", False),
    )


@cache
def _frames() -> tuple[str, ...]:
    """Statements that fit every category."""
    return items(records(PACKAGE, "coexisting/shared")["frames"])


@cache
def _asking(key: str) -> tuple[str, ...]:
    """Situations, wishes and requests that fit every category."""
    return items(records(PACKAGE, "coexisting/shared")["asking"][key])


def generate(seed: int, like_released: bool = False) -> Iterator[CoexistingRow]:
    """Endless rows; every block of 100 holds each category once, in an order the seed decides.

    A row has two to five preferences, each as likely; `like_released`, as often as in the released rows.

    >>> rows = generate(seed=1)
    >>> next(rows).ground_truth_answer.count(",") >= 1
    True
    """
    rng = random.Random(f"coexisting:{seed}")
    lately: deque[frozenset[str]] = deque(maxlen=len(categories()))
    askers = [_Questions(name, lately) for name in categories()]
    while True:
        for asker in rng.sample(askers, len(askers)):
            if like_released:
                count = rng.choices(tuple(RELEASED_COUNTS), tuple(RELEASED_COUNTS.values()))[0]
            else:
                count = rng.randint(*PREFERENCES)
            yield _row(rng, asker, count)


def _row(rng: random.Random, asker: _Questions, count: int) -> CoexistingRow:
    category = category_of(asker.category)
    chosen = _choose(rng, category, count)
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
        if not any(_mentions_any(name, [other for other in names if other != name]) for name in names):
            return chosen


def _facts(rng: random.Random, category: Category, chosen: list[Preference]) -> tuple[str, ...]:
    """One statement per preference; within a row no frame is used twice."""
    used: list[str] = []
    facts: list[str] = []
    for preference in chosen:
        others = [other.name for other in chosen if other is not preference]
        frame, fact = _statement(rng, category, preference, used, others, facts)
        used.append(frame)
        facts.append(fact)
    return tuple(facts)


def _statement(
    rng: random.Random,
    category: Category,
    preference: Preference,
    used: list[str],
    others: list[str],
    told: list[str],
) -> tuple[str, str]:
    for _ in range(MOST_ATTEMPTS):
        frame = _frame(rng, category)
        occasion, point = rng.choice(preference.occasions), _point(rng, category, preference)
        charm = draw(rng.choice(_of_group("charms", category.name)), rng)
        noun = _noun(rng, category)
        fact = _fill(draw(frame, rng), preference, occasion, point, charm, noun)
        stands_alone = _FIRST_PERSON.search(fact) and not _mentions_any(fact, others)
        endings = [" ".join(text.split()[-3:]) for text in (fact, *told)]
        named = _nouns_and_verbs(preference.phrase)
        said_twice = ("{charm}" in frame and _nouns_and_verbs(charm) & named) or (
            "{noun}" in frame and _nouns_and_verbs(noun) & named
        )
        reads_well = not (_DOUBLED.search(fact) or said_twice or _echoes(frame, preference, occasion, point))
        if stands_alone and reads_well and frame not in used and endings[0] not in endings[1:]:
            return frame, fact
    raise BadInput(f"no frame of {category.name!r} fits {preference.name!r}; add frames")


def _point(rng: random.Random, category: Category, preference: Preference) -> str:
    if category.own_frames or rng.random() >= QUALITY_SHARE:
        return rng.choice(preference.points)
    return draw(rng.choice(_of_group("qualities", category.name)), rng).format(thing=preference)


@cache
def _of_group(key: str, category: str) -> tuple[str, ...]:
    """What can be said of anything in the group that a category belongs to."""
    shared = records(PACKAGE, "coexisting/shared")
    named = {name: group for group, names in shared["groups"].items() for name in items(names)}
    return items(shared[key][named.get(category, categories()[category].rpartition("/")[2])])


def _frame(rng: random.Random, category: Category) -> str:
    own = category.own_frames or rng.random() < OWN_SHARE
    return rng.choice(category.frames if own else _frames())


def _noun(rng: random.Random, category: Category) -> str:
    """What the category is called: mostly by its first name, so that statements and questions meet now and then."""
    return category.nouns[0] if rng.random() < FIRST_NOUN_SHARE else rng.choice(category.nouns)


def _fill(frame: str, preference: Preference, occasion: str, point: str, charm: str, noun: str) -> str:
    return frame.format(
        charm=charm,
        noun=noun,
        thing=preference,
        Thing=_upper_first(preference.as_one),
        things=preference.as_kind,
        occasion=occasion,
        Occasion=_upper_first(occasion),
        point=point,
    )


def _echoes(frame: str, preference: Preference, occasion: str, point: str) -> bool:
    """Whether a word of one part is repeated in another ("A rose garden is my favorite garden"), which people avoid."""
    fragments = (occasion if "{occasion}" in frame.lower() else "", point if "{point}" in frame else "")
    parts = [_nouns_and_verbs(part) for part in (frame, preference.phrase, *fragments)]
    return len(frozenset().union(*parts)) < sum(map(len, parts))


@lru_cache(maxsize=20_000)
def _nouns_and_verbs(text: str) -> frozenset[str]:
    words = re.findall(r"[a-zà-ÿ]{3,}", _GAP.sub(" ", text).lower())
    return frozenset(word.removesuffix("s") for word in words if word not in _MAY_REPEAT)


def _article(phrase: str) -> str:
    return "an" if re.match(r"(?i)[aeio]|u(?!ni|ku|s)|herb\b|hour", phrase) else "a"


@dataclass(slots=True)
class _Questions:
    """Asks about one category without repeating itself: pairs wait in a deck, near copies are put back."""

    category: str
    lately: deque[frozenset[str]]
    """The last questions about any category."""
    deck: list[tuple[str, str]] = field(default_factory=list)
    recent: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=RECENT))

    def ask(self, rng: random.Random, names: tuple[str, ...]) -> str:
        """A situation and a request that name none of the preferences."""
        for attempt in range(MOST_ATTEMPTS):
            question = self._compose(rng, *self._draw(rng))
            words = frozenset(re.findall(r"[\w'-]+", question.lower()))
            length_fits = SHORTEST_QUESTION <= len(question.split()) <= LONGEST_QUESTION
            fits = length_fits and _FIRST_PERSON.search(question) and not _mentions_any(question, names)
            if fits and (
                attempt > NEW_ATTEMPTS or all(_jaccard(words, old) < TOO_ALIKE for old in (*self.recent, *self.lately))
            ):
                self.recent.append(words)
                self.lately.append(words)
                return question
        raise BadInput(f"no question for {self.category!r} avoids naming {', '.join(names)}; add situations")

    def _draw(self, rng: random.Random) -> tuple[str, str]:
        if not self.deck:
            category = category_of(self.category)
            situations = rng.sample(category.situations, len(category.situations))
            own, shared = category.requests, _asking("requests")
            for place in range(len(situations)):
                if rng.random() < self._share(OPEN_SITUATION_SHARE):
                    situations[place] = rng.choice(_asking("situations"))
            self.deck = [
                (s, rng.choice(own if rng.random() < self._share(OWN_REQUEST_SHARE) else shared)) for s in situations
            ]
        return self.deck.pop()

    def _share(self, usual: float) -> float:
        """A share as it usually is; once there have been many questions, all ways of asking are needed."""
        return usual if len(self.recent) < MANY else 0.5

    def _compose(self, rng: random.Random, situation: str, request: str) -> str:
        category = category_of(self.category)
        told = draw(situation, rng).replace("{noun}", _noun(rng, category))
        if (
            told.startswith(("I'm ", "I am ", "We're "))
            and " and " not in told
            and rng.random() < self._share(WISH_SHARE)
        ):
            told = f"{told} {draw(rng.choice(_asking('wishes')), rng)}"
        asked = draw(request, rng).replace("{noun}", _noun(rng, category))
        joiner = rng.choice(_JOINERS)
        return told + joiner + (_upper_first(asked) if joiner == ". " else asked)


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)


def _mentions_any(text: str, names: list[str] | tuple[str, ...]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in names)


def _upper_first(text: str) -> str:
    return text[0].upper() + text[1:]
