"""The anchors of Long-Hop chains: drawn from the words there are, and written in the form a sentence needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Literal, NamedTuple

from memtriage.suites.kit.words import items, records, table, values, word_list
from memtriage.suites.memfail.paper import PACKAGE

FOOD_KINDS = frozenset({"hot_food", "sweet_food", "snack"})
DRINK_KINDS = frozenset({"coffee", "soft_drink"})
OWNED_KINDS = frozenset({"cozy_object", "keepsake", "new_gear"})

EFFECT_SHARE = 0.8
"""How many of the acts in a chain are written as the effect of what comes before."""

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


class Topic(NamedTuple):
    """A field of daily life: which moods lead into it, which it leaves behind, what tends to follow."""

    suits: Sequence[str]
    causes: Sequence[str]
    follows: Sequence[str]
    related: Sequence[str]
    tails: tuple[str, ...]
    acts: tuple[tuple[str, str, str], ...]
    """Verb, describing word and object."""
    everyday: tuple[str, ...]


class ThingKind(NamedTuple):
    """A kind of thing: what it does to people, what it leads to, and how one speaks of it."""

    topic: str
    noun: str
    liked: bool
    when: str
    tones: Sequence[str]
    leads: Sequence[str]
    wants: Sequence[str]
    tails: tuple[str, ...]
    things: tuple[tuple[str, bool], ...]
    """What it is called, and whether that is a plural."""


class Mood(NamedTuple):
    """Moods too close to stand beside each other in one question."""

    unpleasant: bool
    feel: tuple[str, ...]
    in_a_mood: tuple[str, ...]
    """Those one can be "in", as in "a reflective mood"."""
    obvious_fields: frozenset[str]
    """Fields of life in which such a mood would be the obvious guess."""
    about: tuple[str, ...]
    of_what: tuple[str, ...]


@cache
def topics() -> Mapping[str, Topic]:
    """What people do, by field of life."""
    return {
        name: Topic(
            suits=record["suits"].split(),
            causes=record["causes"].split(),
            follows=record["follows"].split(),
            related=record["related"].split(),
            tails=values(record["tails"]),
            acts=tuple(
                (verb, describing, thing)
                for verb, describings, things in table(record["groups"])
                for describing in values(describings)
                for thing in values(things)
            ),
            everyday=items(record["everyday"]),
        )
        for name, record in records(PACKAGE, "long_hop/acts").items()
    }


@cache
def thing_kinds() -> Mapping[str, ThingKind]:
    """What people like, dread or live with, by kind."""
    return {
        name: ThingKind(
            topic=record["topic"],
            noun=record["noun"],
            liked=not record.get("disliked", False),
            when=record["when"],
            tones=record["tones"].split(),
            leads=record["leads"].split(),
            wants=record.get("wants", "").split(),
            tails=values(record["tails"]),
            things=(*_things(record, "plural"), *_things(record, "singular")),
        )
        for name, record in records(PACKAGE, "long_hop/things").items()
    }


def _things(record: Mapping[str, Any], number: str) -> tuple[tuple[str, bool], ...]:
    return tuple(
        (f"{describing} {noun}", number == "plural")
        for describings, nouns in table(record.get(number, ""))
        for describing in values(describings)
        for noun in values(nouns)
    )


@cache
def moods() -> Mapping[str, Mood]:
    """What people feel, by cluster."""
    return {
        name: Mood(
            unpleasant=record.get("unpleasant", False),
            feel=values(record["feel"]),
            in_a_mood=values(record["in_a_mood"]),
            obvious_fields=frozenset(record["obvious_fields"].split()),
            about=values(record["about"]) if "about" in record else (),
            of_what=values(record["of_what"]) if "of_what" in record else (),
        )
        for name, record in records(PACKAGE, "long_hop/moods")["clusters"].items()
    }


@cache
def effects(kind: str, field: str) -> tuple[Concept, ...]:
    """What a thing of this kind, a mood of this cluster or an act of this field leads to."""
    group = {"thing": "things", "act": "fields"}.get(kind, "moods")
    return tuple(
        Concept("act", topic, text, text, effect=True)
        for text, topic in table(records(PACKAGE, "long_hop/effects")[group][field])
    )


@cache
def _shared(key: str) -> tuple[str, ...]:
    """Degrees of feeling, words for a mood, and occasions."""
    return values(records(PACKAGE, "long_hop/moods")[key])


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

    def __format__(self, verb: str) -> str:
        """The subject, or a verb that agrees with it."""
        if not verb:
            return self.subject
        return third_person(verb) if self.name else "am" if verb == "be" else verb


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
    effect: bool = False
    """Whether it was drawn as what something else leads to, so that only further effects follow."""

    @property
    def topics(self) -> frozenset[str]:
        """The fields of life it belongs to or calls to mind."""
        if self.kind == "thing":
            return _with_related(thing_kinds()[self.field].topic)
        if self.kind == "act":
            return _with_related(self.field)
        return frozenset()


@cache
def _with_related(topic: str) -> frozenset[str]:
    near = {name for name, other in topics().items() if topic in other.related}
    own = topics()[topic].related if topic in topics() else ()
    return frozenset({topic, *near, *own})


@cache
def stem(word: str) -> str:
    """A rough stem, enough to see that 'baking' and 'bakes' are the same word."""
    for ending in ("ing", "ies", "es", "s", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if word.endswith(("e", "y")) and len(word) > 3:  # so that "stays" and "stay" agree
        word = word[:-1]
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
    return text.endswith(_shared("occasions"))


@cache
def modifier_words() -> frozenset[str]:
    """The words that modifiers bring into many anchors."""
    phrases = (
        *(_shared(key) for key in ("occasions", "pleasant_degrees", "unpleasant_degrees")),
        *(topic.tails for topic in topics().values()),
        *(kind.tails for kind in thing_kinds().values()),
        *(mood.of_what for mood in moods().values()),
    )
    return frozenset(word for each in phrases for phrase in each for word in re.findall(r"\w+", phrase.lower()))


def with_article(phrase: str) -> str:
    """The indefinite article that goes before a phrase."""
    return "an" if phrase[0].lower() in "aeiou" else "a"


@cache
def gerund(verb: str) -> str:
    """The -ing form of a verb phrase."""
    head, _, rest = verb.partition(" ")
    if head in _irregular_gerunds():
        form = _irregular_gerunds()[head]
    elif head.endswith("e") and not head.endswith("ee"):
        form = head[:-1] + "ing"
    else:
        form = head + "ing"
    return f"{form} {rest}".strip()


@cache
def _irregular_gerunds() -> dict[str, str]:
    return dict(line.split() for line in word_list(PACKAGE, "long_hop/gerunds"))


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


def draw_thing(rng: Random, kind: str, *, modified: bool) -> Concept:
    """A thing of the given kind, with a place or an occasion where `modified`."""
    bare, plural = rng.choice(thing_kinds()[kind].things)
    full = _extend(rng, bare, thing_kinds()[kind].tails, kind not in _UNTIMED) if modified else bare
    return Concept("thing", kind, bare, full, plural)


def draw_act(rng: Random, topic: str, *, modified: bool) -> Concept:
    """Something to do from the given topic, with company, place or manner where `modified`."""
    verb, adjective, noun = rng.choice(topics()[topic].acts)
    full = f"{verb} {adjective} {noun}"
    if modified:
        return Concept("act", topic, f"{verb} {noun}", _extend(rng, full, topics()[topic].tails))
    short = rng.random() < 0.45 and not adjective.startswith(_NEEDED)
    return Concept("act", topic, f"{verb} {noun}", f"{verb} {noun}" if short else full)


def draw_everyday_act(rng: Random, topic: str) -> Concept:
    """An ordinary chore or pastime of the given topic, the kind that ends a chain or misleads in an option."""
    text = rng.choice(topics()[topic].everyday)
    return Concept("act", topic, text, text)


def draw_mood(rng: Random, cluster: str, *, modified: bool) -> Concept:
    """A mood of the given cluster: 'restless', 'oddly restless', 'anxious about small mistakes'."""
    mood = moods()[cluster]
    adjective = rng.choice(mood.feel)
    if not modified:
        return Concept("feel", cluster, adjective, adjective)
    if mood.about and rng.random() < 0.5:
        adjective = rng.choice(mood.about)
        return Concept("feel", cluster, adjective.split()[0], f"{adjective} {rng.choice(mood.of_what)}")
    degree = rng.choice(_shared("unpleasant_degrees" if mood.unpleasant else "pleasant_degrees"))
    return Concept("feel", cluster, adjective, f"{degree} {adjective}")


def draw_mood_noun(rng: Random, cluster: str, *, varied: bool) -> Concept:
    """A mood as a noun: 'reflective mood', or with another noun where `varied`."""
    adjective = rng.choice(moods()[cluster].in_a_mood)
    noun = rng.choice(_shared("nouns")) if varied else "mood"
    return Concept("mood", cluster, adjective, f"{adjective} {noun}")


def _extend(rng: Random, bare: str, tails: tuple[str, ...], timed: bool = True) -> str:
    # Two occasions in one phrase would contradict each other.
    pool = _shared("occasions") if timed and not _CALENDAR.search(bare) and rng.random() < 0.4 else tails
    tail = rng.choice(pool)
    return bare if content_stems(tail) & content_stems(bare) else f"{bare} {tail}"
