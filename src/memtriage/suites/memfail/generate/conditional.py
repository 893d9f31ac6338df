"""Conditional-Facts: an essay about somebody who does one thing under one condition only.

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
from typing import Any, Literal, NamedTuple

from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import items, lists, records, table, values
from memtriage.suites.memfail.paper import PACKAGE, condition_types, pet_condition_types
from memtriage.suites.memfail.rows import ConditionalRow, EntityCategory

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
CATEGORIES: tuple[EntityCategory, ...] = ("person", "character", "pet")


class Behavior(NamedTuple):
    """An idiosyncratic act in the inflections sentences need, and a short noun that refers back to it."""

    base: str
    third: str
    gerund: str
    object: str
    noun: str
    species: str = ""


class Threshold(NamedTuple):
    """A number to choose; `met_by` and `missed_by` are the distances at which a question's offer stands from it."""

    numbers: Sequence[float]
    met_by: Sequence[float]
    missed_by: Sequence[float]
    span: float
    clock: bool
    """Whether the numbers are hours of the day."""


class Choices(NamedTuple):
    """One of several things; a question that misses the condition offers another of them."""

    values: tuple[str, ...]


class Cases(NamedTuple):
    """Values with their own offers: (value, offer that meets it, offer that misses it)."""

    values: Sequence[Sequence[str]]


Variants = Threshold | Choices | Cases


class Condition(NamedTuple):
    """A condition with its value left open: how it reads as a rule, scattered over an essay, and put as a question."""

    kind: str
    variants: Variants
    condition: str
    scattered: tuple[str, ...]
    link: str
    scenes: tuple[str, str]
    """What a question describes where the condition is missed, and where it is met."""
    reasons: tuple[str, str]
    """Why it is missed, and why it is met."""


@dataclass(frozen=True, slots=True)
class _Spec:
    """What the Easy and the Hard row of one index share."""

    words: Mapping[str, str]
    category: EntityCategory
    species: str
    kind: str
    scattered: tuple[str, ...]
    condition: str
    trigger: str
    question: str
    context: str
    met: bool
    answer: str


def generate(seed: int, variant: Variant) -> Iterator[ConditionalRow]:
    """Yield Conditional-Facts rows without end; the same seed and variant always give the same rows."""
    for index, spec in enumerate(_specs(seed)):
        rng = Random(f"conditional-{variant}:{seed}:{index}")
        essay, evidence, details = _easy(spec, rng) if variant == "easy" else _hard(spec, rng)
        yield ConditionalRow(
            entity=spec.words["name"],
            entity_category=spec.category,
            behavior=spec.words["third"],
            condition_type=spec.kind,
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
    kinds = deck(rng, condition_types())
    outcomes = deck(rng, (True, False))
    names = {category: _names(rng, category) for category in CATEGORIES}
    acts = {category: deck(rng, _behaviors(category)) for category in CATEGORIES}
    conditions: dict[tuple[EntityCategory, str], Iterator[Condition]] = {}
    while True:
        kind, met = next(kinds), next(outcomes)
        category = _category(rng, kind)
        condition = next(conditions.setdefault((category, kind), deck(rng, _conditions(category, kind))))
        name, gender = next(names[category])
        yield _spec(rng, category, condition, next(acts[category]), name, gender, met)


def _category(rng: Random, kind: str) -> EntityCategory:
    if kind in pet_condition_types() and rng.random() < PET_SHARE:
        return "pet"
    return "person" if rng.random() < PERSON_SHARE else "character"


def _spec(
    rng: Random, category: EntityCategory, condition: Condition, act: Behavior, name: str, gender: str, met: bool
) -> _Spec:
    pronouns = PRONOUNS[gender]
    words = pronouns | {word.capitalize(): form.capitalize() for word, form in pronouns.items()}
    what = act.object.format_map(words)
    words |= {"name": name, "base": f"{act.base} {what}", "third": f"{act.third} {what}"}
    words |= {"gerund": f"{act.gerund} {what}", "object": what, "tag": act.noun}
    act_in_words = f"{name} {words['base']} {act.noun}".casefold()
    while True:
        drawn = {key: value.format_map(words) for key, value in _values(rng, condition.variants, met).items()}
        phrase, (trigger,) = marked(condition.condition.format_map(words | drawn))
        if trigger.casefold() not in act_in_words:
            break
    words |= drawn | {"cond": phrase, "link": condition.link.format_map(words | drawn)}
    template = condition.scenes[met]
    scene, (context,) = marked(template.format_map(words))
    who, whom = (pronouns["he"], pronouns["him"]) if "{name}" in template else (name, name)
    question = rng.choice(_shared("questions")).format_map(words | {"ctx": scene, "who": who, "whom": whom})
    reason = condition.reasons[met].format_map(words)
    answer = rng.choice(_shared("yes_answers" if met else "no_answers")).format_map(words | {"reason": reason})
    species = act.species or rng.choice(("dog", "cat"))
    return _Spec(
        words,
        category,
        species,
        condition.kind,
        condition.scattered,
        phrase,
        trigger,
        question,
        context,
        met,
        answer,
    )


def _values(rng: Random, variants: Variants, met: bool) -> dict[str, str]:
    """A value and what the question offers, as words for the templates."""
    match variants:
        case Choices(choices):
            value = rng.choice(choices)
            return {"value": value, "offered": value if met else rng.choice([c for c in choices if c != value])}
        case Cases(cases):
            value, good, bad = rng.choice(cases)
            return {"value": value, "offered": good if met else bad}
        case Threshold(numbers, met_by, missed_by, span, clock):
            number = rng.choice(numbers)
            offer = number + rng.choice(met_by if met else missed_by)
            write = _clock if clock else str
            plain = {"value": write(number), "until": write(number + span), "offered": write(offer)}
            return plain | {"value_in_words": _in_words(number), "offered_in_words": _in_words(offer)}


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


def _in_words(number: float) -> str:
    return WORDS[int(number)] if number in range(len(WORDS)) else str(number)


# Essays

Essay = tuple[str, tuple[str, ...], tuple[str, ...]]
"""An essay, the sentences in it that state the rule, and the words of those that must survive."""


def _easy(spec: _Spec, rng: Random) -> Essay:
    rule = _sentence(rng.choice(_shared("easy_rules")), spec.words)
    count = rng.choices(*EASY_LENGTHS)[0]
    for others in _surroundings(spec, rng, count - 1):
        place = rng.randrange(1, count - 1)
        essay = " ".join([*others[:place], rule, *others[place:]])
        if _occur_once(essay, (spec.trigger,)):
            return essay, (rule,), (spec.trigger,)
    raise AssertionError("unreachable: surroundings are endless")


def _hard(spec: _Spec, rng: Random) -> Essay:
    act = _sentence(rng.choice(_shared("hard_behaviors")), spec.words)
    condition, (trigger,) = marked(rng.choice(spec.scattered).format_map(spec.words))
    link = _sentence(rng.choice(_shared("hard_links")), spec.words)
    first, second = rng.sample((act, condition), 2)
    what = spec.words["object"]
    details = (what, trigger) if first == act else (trigger, what)
    count = rng.choices(*HARD_LENGTHS)[0]
    for others in _surroundings(spec, rng, count - 3):
        places = _apart(rng, count)
        rule, rest = dict(zip(places, (first, second, link), strict=True)), iter(others)
        essay = " ".join(rule[i] if i in rule else next(rest) for i in range(count))
        if _occur_once(essay, details):
            return essay, (first, second, link), details
    raise AssertionError("unreachable: surroundings are endless")


def _apart(rng: Random, count: int) -> list[int]:
    """Three places after the opening sentence, no two of them neighbors."""
    packed = sorted(rng.sample(range(1, count - 2), 3))
    return [place + gap for gap, place in enumerate(packed)]


def _surroundings(spec: _Spec, rng: Random, count: int) -> Iterator[list[str]]:
    """An opening and sentences of different topics around the rule, as often as asked for."""
    openings, topics = _sentences(spec.category)
    middle = [topic for topic in topics if topic != "closing"]
    while True:
        slots = _SlotFiller(spec, rng)
        chosen = rng.sample(middle, min(count - 1, len(middle)))
        if len(chosen) < count - 1 or rng.random() < 0.4:
            chosen = [*chosen[: count - 2], "closing"]
        sentences = [rng.choice(openings), *(rng.choice(topics[topic]) for topic in chosen)]
        yield [slots.fill(sentence) for sentence in sentences]


class _SlotFiller:
    """Fills the slots of one essay's sentences, each time with a value the essay has not used yet."""

    def __init__(self, spec: _Spec, rng: Random) -> None:
        self._words = spec.words
        self._rng = rng
        self._breed = rng.choice(_breeds(spec.species))
        self._pools: dict[str, Iterator[str]] = {}

    def fill(self, template: str) -> str:
        names = {name.casefold() for name in re.findall(r"{(\w+)}", template)}
        filled = {key: self._next(key) for key in sorted(names & _slots().keys())}
        raised = {key.capitalize(): value for key, value in filled.items()}
        return template.format_map({**self._words, **filled, **raised, "breed": self._breed})

    def _next(self, key: str) -> str:
        if key not in self._pools:
            name = self._words["name"]
            self._pools[key] = deck(self._rng, [value for value in _slots()[key] if value not in name])
        return next(self._pools[key])


def _occur_once(essay: str, details: Sequence[str]) -> bool:
    return all(essay.casefold().count(detail.casefold()) == 1 for detail in details)


# Words


def _shared(key: str) -> tuple[str, ...]:
    """The sentences that carry rules, questions and answers."""
    return lists(PACKAGE, "conditional/shared")[key]


@cache
def _behaviors(category: EntityCategory) -> tuple[Behavior, ...]:
    return tuple(Behavior(*cells) for cells in table(records(PACKAGE, "conditional/behaviors")[category]))


@cache
def _conditions(category: EntityCategory, kind: str) -> tuple[Condition, ...]:
    files = ("pet_surroundings",) if category == "pet" else ("surroundings", "inner_states", "company_and_tasks")
    found = [record for file in files for record in records(PACKAGE, f"conditional/{file}").get(kind, ())]
    return tuple(_condition(kind, record) for record in found if record.get("only", category) == category)


def _condition(kind: str, record: Mapping[str, Any]) -> Condition:
    variants: Variants
    if "choices" in record:
        variants = Choices(items(record["choices"]))
    elif "cases" in record:
        variants = Cases(table(record["cases"]))
    else:
        numbers = record.get("numbers") or record["hours"]
        variants = Threshold(numbers, record["met_by"], record["missed_by"], record.get("span", 0), "hours" in record)
    return Condition(
        kind,
        variants,
        record["condition"],
        items(record["scattered"]),
        record["link"],
        (record.get("missed_scene", record["scene"]), record["scene"]),
        (record["missed"], record["met"]),
    )


@cache
def _sentences(category: EntityCategory) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """What opens an essay, and what else may be told, by topic."""
    record = records(PACKAGE, f"conditional/{category}")
    return items(record["openings"]), {topic: items(text) for topic, text in record["topics"].items()}


@cache
def _breeds(species: str) -> tuple[str, ...]:
    return items(records(PACKAGE, "conditional/pet")[f"{species}s"])


@cache
def _slots() -> dict[str, tuple[str, ...]]:
    return {key: values(line) for key, line in records(PACKAGE, "conditional/slots").items()}


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
    record = records(PACKAGE, f"conditional/{category}")
    if category == "pet":
        return tuple((name, "") for name in record["names"].split())
    return tuple((name, "f") for name in record["women"].split()) + tuple((name, "m") for name in record["men"].split())


@cache
def _name_forms(category: EntityCategory, gender: str) -> tuple[str, ...]:
    """Patterns that turn a given name into a further name, the likeliest ones first."""
    record = records(PACKAGE, f"conditional/{category}")
    if category == "person":
        return tuple(f"{{}} {surname}" for surname in values(record["surnames"]))
    if category == "pet":
        return tuple(f"{honor} {{}}" for honor in record["honors"].split())
    titles = record["titles_of_women" if gender == "f" else "titles_of_men"].split()
    return tuple(f"{title} {{}}" for title in titles) + tuple(f"{{}} of {home}" for home in _slots()["realm"])


# Text


def _sentence(template: str, words: Mapping[str, str]) -> str:
    """Fill a frame whose first words may be a phrase that stands in lower case elsewhere."""
    raised = {key.capitalize(): _capital(words[key]) for key in ("link", "tag")}
    return _capital(template.format_map({**words, **raised}))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
