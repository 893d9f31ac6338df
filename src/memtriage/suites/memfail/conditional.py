"""Conditional-Facts: an entity does something under one condition only, told in an essay.

`generate(seed, variant)` yields rows without end and without any model. The Easy essay says the rule
in one sentence; the Hard essay spreads it over three that are not neighbors. Both variants of a seed
tell of the same entities, behaviors, conditions and questions, row by row.

>>> easy, hard = next(generate(7, "easy")), next(generate(7, "hard"))
>>> (easy.entity, easy.condition, easy.question) == (hard.entity, hard.condition, hard.question)
True
>>> len(easy.evidence), len(hard.evidence)
(1, 3)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal

from memtriage.suites.kit.draw import deck
from memtriage.suites.memfail import conditional_behavior_pools as behaviors
from memtriage.suites.memfail import conditional_human_pools as human
from memtriage.suites.memfail import conditional_life_pools as life
from memtriage.suites.memfail import conditional_pet_pools as pet
from memtriage.suites.memfail import conditional_social_pools as social
from memtriage.suites.memfail.conditional_pools import (
    CONDITION_TYPES,
    EASY_RULES,
    HARD_BEHAVIORS,
    HARD_LINKS,
    NO_ANSWERS,
    PET_CONDITION_TYPES,
    QUESTIONS,
    YES_ANSWERS,
    Behavior,
    Cases,
    Clock,
    Family,
    Num,
    Parameter,
    Pick,
)
from memtriage.suites.memfail.rows import ConditionalRow, EntityCategory

__all__ = ["CONDITION_TYPES", "PET_CONDITION_TYPES", "generate"]

Variant = Literal["easy", "hard"]

PET_SHARE = 0.7  # of the rows whose condition type suits pets: about a fifth of all rows
PERSON_SHARE = 0.55  # of the rows that are not about pets

# How many sentences an essay has, with weights that bring its mean length near the released essays'.
EASY_LENGTHS = ((5, 6, 7, 8), (1, 3, 4, 2))
HARD_LENGTHS = ((8, 9, 10, 11, 12), (1, 3, 4, 3, 1))

WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
).split()
PRONOUNS = {
    "m": {"he": "he", "him": "him", "his": "his", "himself": "himself"},
    "f": {"he": "she", "him": "her", "his": "her", "himself": "herself"},
}
LETTERS: dict[str, EntityCategory] = {"p": "person", "c": "character", "a": "pet"}


@dataclass(frozen=True, slots=True)
class _Spec:
    """What the Easy and the Hard row of one index share."""

    words: Mapping[str, str]
    category: EntityCategory
    species: str
    family: Family
    condition: str
    trigger: str
    question: str
    context: str
    met: bool
    answer: str

    def fill(self, template: str) -> str:
        return _fill(template, self.words)


def generate(seed: int, variant: Variant) -> Iterator[ConditionalRow]:
    """Yield Conditional-Facts rows without end; the same seed and variant always give the same rows."""
    for index, spec in enumerate(_specs(seed)):
        rng = Random(f"conditional-{variant}:{seed}:{index}")
        essay, evidence, details = _easy(spec, rng) if variant == "easy" else _hard(spec, rng)
        yield ConditionalRow(
            entity=spec.words["name"],
            entity_category=spec.category,
            behavior=spec.words["third"],
            condition_type=spec.family.kind,
            condition=spec.condition,
            essay=essay,
            question=spec.question,
            question_context=spec.context,
            condition_met="yes" if spec.met else "no",
            ground_truth_answer=spec.answer,
            evidence=evidence,
            details=details,
        )


# Specs


def _specs(seed: int) -> Iterator[_Spec]:
    rng = Random(f"conditional:{seed}")
    kinds = deck(rng, CONDITION_TYPES)
    outcomes = deck(rng, (True, False))
    names = {category: _names(rng, category) for category in LETTERS.values()}
    acts = {category: deck(rng, _behaviors(category)) for category in LETTERS.values()}
    families: dict[tuple[EntityCategory, str], Iterator[Family]] = {}
    while True:
        kind, met = next(kinds), next(outcomes)
        category = _category(rng, kind)
        family = next(families.setdefault((category, kind), deck(rng, _families(category, kind))))
        name, gender = next(names[category])
        yield _spec(rng, category, family, next(acts[category]), name, gender, met)


def _category(rng: Random, kind: str) -> EntityCategory:
    if kind in PET_CONDITION_TYPES and rng.random() < PET_SHARE:
        return "pet"
    return "person" if rng.random() < PERSON_SHARE else "character"


def _spec(
    rng: Random, category: EntityCategory, family: Family, act: Behavior, name: str, gender: str, met: bool
) -> _Spec:
    pronouns = PRONOUNS[gender]
    words = pronouns | {word.capitalize(): form.capitalize() for word, form in pronouns.items()}
    tail = _fill(act.tail, words)
    words |= {"name": name, "base": f"{act.base} {tail}", "third": f"{act.third} {tail}"}
    words |= {"gerund": f"{act.gerund} {tail}", "tail": tail, "tag": act.tag}
    told = f"{name} {words['base']} {act.tag}".casefold()
    while True:
        values = {key: _fill(value, words) for key, value in _values(rng, family.parameter, met).items()}
        condition, trigger = _marked(_fill(family.condition, words | values))
        if trigger.casefold() not in told:
            break
    words |= values | {"cond": condition, "link": _fill(family.link, words | values)}
    context, reason = (family.met if met else family.fail).split("|")
    scene, short = _marked(_fill(context, words))
    who, whom = (pronouns["he"], pronouns["him"]) if "{name}" in context else (name, name)
    question = _fill(rng.choice(QUESTIONS), words | {"ctx": scene, "who": who, "whom": whom})
    answer = _fill(rng.choice(YES_ANSWERS if met else NO_ANSWERS), words | {"reason": _fill(reason, words)})
    species = act.kinds or rng.choice(("dog", "cat"))
    return _Spec(words, category, species, family, condition, trigger, question, short, met, answer)


def _values(rng: Random, parameter: Parameter, met: bool) -> dict[str, str]:
    """A threshold and the value that the question offers, as words for the templates."""
    match parameter:
        case Pick(values):
            t = rng.choice(values)
            return {"t": t, "v": t if met else rng.choice([value for value in values if value != t])}
        case Cases(cases):
            t, good, bad = rng.choice(cases)
            return {"t": t, "v": good if met else bad}
        case Clock(hours, near, far, gap):
            hour = rng.choice(hours)
            offered = hour + rng.choice(near if met else far)
            return {"t": _clock(hour), "u": _clock(hour + gap), "v": _clock(offered)}
        case Num(numbers, close, away, span):
            number = rng.choice(numbers)
            offer = number + rng.choice(close if met else away)
            plain = {"t": str(number), "u": str(number + span), "v": str(offer)}
            return plain | {"tw": _word(number), "vw": _word(offer)}


def _clock(hour: float) -> str:
    """
    >>> [_clock(hour) for hour in (6.5, 12, 14, 24.25)]
    ['6:30 am', 'noon', '2 pm', '12:15 am']
    """
    minutes = round(hour * 60) % (24 * 60)
    if minutes in (0, 12 * 60):
        return "noon" if minutes else "midnight"
    whole, rest = divmod(minutes, 60)
    return f"{(whole - 1) % 12 + 1}{f':{rest:02}' if rest else ''} {'am' if whole < 12 else 'pm'}"


def _word(number: int) -> str:
    return WORDS[number] if 0 <= number < len(WORDS) else str(number)


# Essays

Told = tuple[str, tuple[str, ...], tuple[str, ...]]


def _easy(spec: _Spec, rng: Random) -> Told:
    rule = _sentence(rng.choice(EASY_RULES), spec.words)
    count = rng.choices(*EASY_LENGTHS)[0]
    for others in _surroundings(spec, rng, count - 1):
        place = rng.randrange(1, count - 1)
        essay = " ".join([*others[:place], rule, *others[place:]])
        if _once(essay, (spec.trigger,)):
            return essay, (rule,), (spec.trigger,)
    raise AssertionError("unreachable: surroundings are endless")


def _hard(spec: _Spec, rng: Random) -> Told:
    act = _sentence(rng.choice(HARD_BEHAVIORS), spec.words)
    condition, trigger = _marked(spec.fill(rng.choice(spec.family.hard.split("||"))))
    link = _sentence(rng.choice(HARD_LINKS), spec.words)
    first, second = rng.sample((act, condition), 2)
    details = (spec.words["tail"], trigger) if first == act else (trigger, spec.words["tail"])
    count = rng.choices(*HARD_LENGTHS)[0]
    for others in _surroundings(spec, rng, count - 3):
        places = _apart(rng, count)
        told, rest = dict(zip(places, (first, second, link), strict=True)), iter(others)
        essay = " ".join(told[i] if i in told else next(rest) for i in range(count))
        if _once(essay, details):
            return essay, (first, second, link), details
    raise AssertionError("unreachable: surroundings are endless")


def _apart(rng: Random, count: int) -> list[int]:
    """Three places after the opening sentence, no two of them neighbors."""
    packed = sorted(rng.sample(range(1, count - 2), 3))
    return [place + gap for gap, place in enumerate(packed)]


def _surroundings(spec: _Spec, rng: Random, count: int) -> Iterator[list[str]]:
    """An opening and sentences of different topics around the rule, as often as asked for."""
    openings, topics = _life(spec.category)
    middle = [topic for topic in topics if topic != "closing"]
    while True:
        slots = _Slots(spec, rng)
        chosen = rng.sample(middle, min(count - 1, len(middle)))
        if len(chosen) < count - 1 or rng.random() < 0.4:
            chosen = [*chosen[: count - 2], "closing"]
        sentences = [rng.choice(openings), *(rng.choice(topics[topic]) for topic in chosen)]
        yield [slots.fill(sentence) for sentence in sentences]


class _Slots:
    """Fills the slots of one essay's sentences, each time with a value the essay has not used yet."""

    def __init__(self, spec: _Spec, rng: Random) -> None:
        self._words = spec.words
        self._rng = rng
        self._breed = rng.choice((pet.DOGS if spec.species == "dog" else pet.CATS).split("|"))
        self._pools: dict[str, Iterator[str]] = {}

    def fill(self, template: str) -> str:
        names = {name.casefold() for name in re.findall(r"{(\w+)}", template)}
        values = {key: self._next(key) for key in sorted(names & _slot_pools().keys())}
        raised = {key.capitalize(): value for key, value in values.items()}
        return _fill(template, {**self._words, **values, **raised, "breed": self._breed})

    def _next(self, key: str) -> str:
        if key not in self._pools:
            name = self._words["name"]
            self._pools[key] = deck(self._rng, [value for value in _slot_pools()[key] if value not in name])
        return next(self._pools[key])


def _once(essay: str, details: Sequence[str]) -> bool:
    return all(essay.casefold().count(detail.casefold()) == 1 for detail in details)


# Pools


@cache
def _behaviors(category: EntityCategory) -> tuple[Behavior, ...]:
    block = {"person": behaviors.PERSON, "character": behaviors.CHARACTER, "pet": pet.BEHAVIORS}[category]
    found = []
    for line in block.strip().splitlines():
        forms, tail, tag, *kinds = line.split("|")
        base, third, gerund = forms.split()
        found.append(Behavior(base, third, gerund, tail, tag, *kinds))
    return tuple(found)


@cache
def _families(category: EntityCategory, kind: str) -> tuple[Family, ...]:
    every = human.FAMILIES + social.FAMILIES + pet.FAMILIES
    suits = {name: letter for letter, name in LETTERS.items()}[category]
    return tuple(family for family in every if family.kind == kind and suits in family.who)


@cache
def _life(category: EntityCategory) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    openings, block = {
        "person": (life.PERSON_OPENINGS, life.PERSON_LIVES),
        "character": (life.CHARACTER_OPENINGS, life.CHARACTER_LIVES),
        "pet": (pet.OPENINGS, pet.LIVES),
    }[category]
    topics = (line.split(": ", 1) for line in block.strip().splitlines())
    return tuple(openings.strip().splitlines()), {topic: tuple(text.split("|")) for topic, text in topics}


@cache
def _slot_pools() -> dict[str, tuple[str, ...]]:
    return {key: tuple(values.split("|")) for key, values in (life.SLOTS | life.TALE_SLOTS).items()}


def _names(rng: Random, category: EntityCategory) -> Iterator[tuple[str, str]]:
    """Names with their gender; a name comes back only in another form, until the forms run out."""
    seen: set[str] = set()
    people = rng.sample(_given_names(category), len(_given_names(category)))
    turn = 0
    while True:
        for position, (given, gender) in enumerate(people):
            forms = _name_forms(category, gender)
            plain = turn == 0 and (category != "character" or position % 2 == 0)
            form = "{}" if plain else forms[(position + turn) % len(forms)]
            name = form.format(given)
            if name not in seen or turn > 2 * len(forms):
                seen.add(name)
                yield name, gender or rng.choice("mf")
        turn += 1


@cache
def _given_names(category: EntityCategory) -> tuple[tuple[str, str], ...]:
    if category == "pet":
        return tuple((name, "") for name in pet.NAMES.split())
    if category == "person":
        women, men = life.PERSON_WOMEN.split(), life.PERSON_MEN.split()
    else:
        women, men = life.CHARACTER_WOMEN.split("|"), life.CHARACTER_MEN.split("|")
    return tuple((name, "f") for name in women) + tuple((name, "m") for name in men)


@cache
def _name_forms(category: EntityCategory, gender: str) -> tuple[str, ...]:
    """Patterns that turn a given name into a further name, the likeliest ones first."""
    if category == "person":
        return tuple(f"{{}} {surname}" for surname in life.SURNAMES.split("|"))
    if category == "pet":
        return tuple(f"{honor} {{}}" for honor in pet.HONORS.split("|"))
    titles = (life.TITLES_WOMEN if gender == "f" else life.TITLES_MEN).strip("|").split("|")
    homes = life.SLOTS["realm"].split("|")
    return tuple(f"{title} {{}}" for title in titles) + tuple(f"{{}} of {home}" for home in homes)


# Text


def _fill(template: str, words: Mapping[str, str]) -> str:
    return template.format_map(words)


def _sentence(template: str, words: Mapping[str, str]) -> str:
    """Fill a frame whose first words may be a phrase that stands in lower case elsewhere."""
    raised = {key.capitalize(): _capital(words[key]) for key in ("link", "tag")}
    return _capital(_fill(template, {**words, **raised}))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _marked(text: str) -> tuple[str, str]:
    """Text without its brackets, and the words that they held.

    >>> _marked("when it is [below 4°C] outside")
    ('when it is below 4°C outside', 'below 4°C')
    """
    inside = re.search(r"\[(.+?)\]", text)
    if inside is None:
        raise AssertionError(f"a template without critical words: {text}")
    return text.replace("[", "").replace("]", ""), inside.group(1)
