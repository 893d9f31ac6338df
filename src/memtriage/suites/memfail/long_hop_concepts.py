"""The anchors of Long-Hop chains: drawn from the pools, and written in the form a sentence needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal

from memtriage.suites.memfail.long_hop_act_pools import ACT_TOPICS, GERUNDS
from memtriage.suites.memfail.long_hop_pools import (
    ABOUT,
    BAD_CLUSTERS,
    DEGREES,
    MOOD_FIELDS,
    MOOD_NOUNS,
    MOODS,
    MOODS_TO_BE_IN,
    OCCASIONS,
)
from memtriage.suites.memfail.long_hop_thing_pools import THING_KINDS

FOOD_KINDS = frozenset({"hot_food", "sweet_food", "snack"})
DRINK_KINDS = frozenset({"coffee", "soft_drink"})
OWNED_KINDS = frozenset({"cozy_object", "keepsake", "new_gear"})

# Words that carry no topic of their own and may stand in several anchors or options of a chain.
_LIGHT = frozenset(
    "a an the my his her i me to in on at of for with by from and up out off down over into after before feel feels "
    "feeling mood frame mind state headspace some few more new old little bit early quick short simple".split()
)
# Belongings are always there, and weather names its own season.
_UNTIMED = OWNED_KINDS | {"gray_weather", "fair_weather"}
_CALENDAR = re.compile(
    r"spring|summer|autumn|winter|snow|frost|icy|day|week|month|season|annual|quarter|holiday|August|October|school|crisp"
)
# Describing words that a phrase can't do without.
_NEEDED = ("{my}", "the ", "under", "behind")
_TIMES = ("morning", "dawn", "sunrise", "afternoon", "lunch", "evening", "night", "midnight", "sunset", "dusk")


@dataclass(frozen=True, slots=True)
class Voice:
    """Who a chain is about: the speaker, or one named person."""

    name: str | None
    he: str = "I"
    him: str = "me"
    his: str = "my"
    himself: str = "myself"

    @property
    def subject(self) -> str:
        return self.name or "I"

    @property
    def object(self) -> str:
        return self.name or "me"


SPEAKER = Voice(None)


@dataclass(frozen=True, slots=True)
class Concept:
    """One anchor before it is put into words.

    `bare` is the concept without its modifiers, `full` with them; two concepts with the same `full` are the same.
    """

    kind: Literal["thing", "act", "feel", "mood"]
    field: str
    bare: str
    full: str
    plural: bool = False

    @property
    def topics(self) -> frozenset[str]:
        """The fields of life it belongs to or calls to mind."""
        if self.kind == "thing":
            return _with_related(THING_KINDS[self.field].topic)
        if self.kind == "act":
            return _with_related(self.field)
        return frozenset()


@cache
def _with_related(topic: str) -> frozenset[str]:
    near = {name for name, other in ACT_TOPICS.items() if topic in other.related.split()}
    own = ACT_TOPICS[topic].related.split() if topic in ACT_TOPICS else []
    return frozenset({topic, *near, *own})


@cache
def mood_fields(cluster: str) -> frozenset[str]:
    """Fields of life in which a mood of this cluster would be the obvious guess."""
    return frozenset(MOOD_FIELDS[cluster].split())


@cache
def stem(word: str) -> str:
    """A rough stem, enough to see that 'baking' and 'bakes' are the same word."""
    for ending in ("ing", "ies", "es", "s", "ed", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@cache
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words in a text that carry its meaning."""
    words = re.findall(r"[\w'-]+", text.lower().replace("{my}", " "))
    parts = {part for word in words for part in word.split("-")}
    return frozenset(stem(part.removesuffix("'s")) for part in parts if part not in _LIGHT)


@cache
def time_of_day(text: str) -> str | None:
    """The time of day a text names, if any."""
    return next((time for time in _TIMES if time in text), None)


def has_occasion(text: str) -> bool:
    """Whether a text ends in one of the occasions that fit almost anything."""
    return text.endswith(OCCASIONS)


# Words that modifiers bring into many anchors.
MODIFIER_WORDS = frozenset(
    word
    for phrases in (
        OCCASIONS,
        *DEGREES.values(),
        *(topic.tails for topic in ACT_TOPICS.values()),
        *(kind.tails for kind in THING_KINDS.values()),
        *(objects for _, objects in ABOUT.values()),
    )
    for phrase in phrases
    for word in re.findall(r"\w+", phrase.lower())
)


def with_article(phrase: str) -> str:
    """The indefinite article that goes before a phrase."""
    return "an" if phrase[0].lower() in "aeiou" else "a"


@cache
def gerund(verb: str) -> str:
    """The -ing form of a verb phrase."""
    head, _, rest = verb.partition(" ")
    if head in GERUNDS:
        form = GERUNDS[head]
    elif head.endswith("e") and not head.endswith("ee"):
        form = head[:-1] + "ing"
    else:
        form = head + "ing"
    return f"{form} {rest}".strip()


@cache
def third_person(verb: str) -> str:
    """The third person singular of a verb phrase."""
    head, _, rest = verb.partition(" ")
    irregular = {"be": "is", "have": "has"}
    if head in irregular:
        form = irregular[head]
    elif head.endswith("y") and head[-2] not in "aeiou":
        form = head[:-1] + "ies"
    elif head.endswith(("s", "x", "z", "ch", "sh", "o")):
        form = head + "es"
    else:
        form = head + "s"
    return f"{form} {rest}".strip()


def write(concept: Concept, form: str, voice: Voice) -> str:
    """The anchor's literal text: what stands, word for word, in the sentences it borders."""
    text = concept.full.replace("{my}", voice.his)
    if concept.kind == "feel":
        if form == "adjective":
            return text
        text = "feel " + text
    if form in ("finite", "feel_finite") and voice.name:
        return third_person(text)
    return gerund(text) if form == "gerund" else text


@cache
def _things(kind: str) -> tuple[tuple[str, bool], ...]:
    pool = THING_KINDS[kind]
    groups = [(group, True) for group in pool.plural] + [(group, False) for group in pool.singular]
    return tuple(
        (f"{adjective} {noun}", plural)
        for (adjectives, nouns), plural in groups
        for adjective in adjectives.split("|")
        for noun in nouns.split("|")
    )


@cache
def _acts(topic: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (verb, adjective, noun)
        for verb, adjectives, nouns in ACT_TOPICS[topic].groups
        for adjective in adjectives.split("|")
        for noun in nouns.split("|")
    )


def draw_thing(rng: Random, kind: str, *, modified: bool) -> Concept:
    """A thing of the given kind, with a place or an occasion where `modified`."""
    bare, plural = rng.choice(_things(kind))
    return Concept(
        "thing", kind, bare, _extend(rng, bare, THING_KINDS[kind].tails, modified, kind not in _UNTIMED), plural
    )


def draw_act(rng: Random, topic: str, *, modified: bool) -> Concept:
    """Something to do from the given topic, with company, place or manner where `modified`."""
    verb, adjective, noun = rng.choice(_acts(topic))
    full = f"{verb} {adjective} {noun}"
    if modified:
        return Concept("act", topic, f"{verb} {noun}", _extend(rng, full, ACT_TOPICS[topic].tails, modified))
    short = rng.random() < 0.45 and not adjective.startswith(_NEEDED)
    return Concept("act", topic, f"{verb} {noun}", f"{verb} {noun}" if short else full)


def draw_everyday_act(rng: Random, topic: str) -> Concept:
    """An ordinary chore or pastime of the given topic, the kind that ends a chain or misleads in an option."""
    text = rng.choice(ACT_TOPICS[topic].everyday)
    return Concept("act", topic, text, text)


def draw_mood(rng: Random, cluster: str, *, modified: bool) -> Concept:
    """A mood of the given cluster: 'restless', 'oddly restless', 'anxious about small mistakes'."""
    adjective = rng.choice(MOODS[cluster])
    if not modified:
        return Concept("feel", cluster, adjective, adjective)
    if cluster in ABOUT and rng.random() < 0.5:
        adjectives, objects = ABOUT[cluster]
        adjective = rng.choice(adjectives)
        return Concept("feel", cluster, adjective.split()[0], f"{adjective} {rng.choice(objects)}")
    degree = rng.choice(DEGREES["bad" if cluster in BAD_CLUSTERS else "good"])
    return Concept("feel", cluster, adjective, f"{degree} {adjective}")


def draw_mood_noun(rng: Random, cluster: str, *, varied: bool) -> Concept:
    """A mood as a noun: 'reflective mood', or with another noun where `varied`."""
    adjective = rng.choice(MOODS_TO_BE_IN[cluster])
    noun = rng.choice(MOOD_NOUNS) if varied else "mood"
    return Concept("mood", cluster, adjective, f"{adjective} {noun}")


def _extend(rng: Random, bare: str, tails: tuple[str, ...], modified: bool, timed: bool = True) -> str:
    if not modified:
        return bare
    # Two occasions in one phrase would contradict each other.
    pool = OCCASIONS if timed and not _CALENDAR.search(bare) and rng.random() < 0.4 else tails
    tail = rng.choice(pool)
    return bare if content_stems(tail) & content_stems(bare) else f"{bare} {tail}"
