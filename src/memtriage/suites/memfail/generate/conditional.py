"""Conditional-Facts: an essay about somebody who does one thing under one condition only.

`generate(seed, variant)` yields rows without end and without any model. The Easy essay says the rule
in one sentence; the Hard essay spreads it over three that are not neighbors. Both variants of a seed
tell of the same entities, behaviors and conditions and ask about the same scenes, row by row, in words of their own.

>>> easy, hard = next(generate(7, "easy")), next(generate(7, "hard"))
>>> (easy.entity, easy.condition, easy.question_context) == (hard.entity, hard.condition, hard.question_context)
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

from memtriage.suites.kit.draw import Deck, deck, decks
from memtriage.suites.kit.templates import draw, marked
from memtriage.suites.kit.words import items, records, table, values
from memtriage.suites.memfail.paper import PACKAGE, condition_types, pet_condition_types
from memtriage.suites.memfail.rows import ConditionalRow, EntityCategory

Variant = Literal["easy", "hard"]

PET_SHARE = 0.7  # of the rows whose condition type suits pets: about a fifth of all rows
COMMON_SHARE = 0.5  # of the acts of persons and characters could be anybody's
PERSON_SHARE = 0.55  # of the rows that are not about pets

# How many sentences an essay has, with weights that bring its mean length near the released essays'.
EASY_LENGTHS = ((5, 6, 7, 8), (1, 12, 12, 1))
HARD_LENGTHS = ((8, 9, 10), (10, 4, 1))
TAIL_SHARE = 0.9  # of the conditions in hard essays go on a little
YES_OF_100 = {"easy": 32, "hard": 49}
"""How many of the released 100 questions are answered with yes."""

WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
).split()
PRONOUNS = {
    "m": {"he": "he", "him": "him", "his": "his", "himself": "himself"},
    "f": {"he": "she", "him": "her", "his": "her", "himself": "herself"},
}
_CONDITIONAL = re.compile(r"\b(only|unless|except when|whenever|if)\b", re.IGNORECASE)
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
    scene: str
    context: str
    who: str
    whom: str
    met: bool
    reason: str


def generate(seed: int, variant: Variant, like_released: bool = False) -> Iterator[ConditionalRow]:
    """Yield Conditional-Facts rows without end; the same seed and variant always give the same rows.

    Half of the questions are answered with yes; `like_released`, as many as in the released rows.
    """
    yes = YES_OF_100[variant] if like_released else 50
    grammars = {kind: decks(_grammar(variant, kind)) for kind in ("two_legged", "pet", "rule")}
    for index, spec in enumerate(_specs(seed, yes)):
        rng = Random(f"conditional-{variant}:{seed}:{index}")
        writer = _Writer(rng, spec, grammars)
        essay, evidence, details = _easy(spec, rng, writer) if variant == "easy" else _hard(spec, rng, writer)
        asked = {"ctx": spec.scene, "who": spec.who, "whom": spec.whom, "reason": spec.reason}
        yield ConditionalRow(
            entity=spec.words["name"],
            entity_category=spec.category,
            behavior=spec.words["third"],
            condition_type=spec.kind,
            condition=spec.condition,
            essay=essay,
            question=writer.rule("questions", asked),
            question_context=spec.context,
            condition_met="yes" if spec.met else "no",
            ground_truth_answer=writer.rule("yes_answers" if spec.met else "no_answers", asked),
            evidence=evidence,
            details=details,
        )


# Specs


def _specs(seed: int, yes: int) -> Iterator[_Spec]:
    rng = Random(f"conditional:{seed}")
    kinds = deck(rng, condition_types())
    outcomes = deck(rng, (True, False) if yes == 50 else (True,) * yes + (False,) * (100 - yes))
    names = {category: _names(rng, category) for category in CATEGORIES}
    acts = {category: deck(rng, _behaviors(category)) for category in (*CATEGORIES, "common")}
    conditions: dict[tuple[EntityCategory, str], Iterator[Condition]] = {}
    while True:
        kind, met = next(kinds), next(outcomes)
        category = _category(rng, kind)
        condition = next(conditions.setdefault((category, kind), deck(rng, _conditions(category, kind))))
        name, gender = next(names[category])
        act = next(acts["common" if category != "pet" and rng.random() < COMMON_SHARE else category])
        yield _spec(rng, category, condition, act, name, gender, met)


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
        phrase, (trigger,) = marked(_contracted(condition.condition).format_map(words | drawn))
        if trigger.casefold() not in act_in_words:
            break
    words |= drawn | {"cond": phrase, "link": condition.link.format_map(words | drawn)}
    template = _contracted(condition.scenes[met])
    scene, (context,) = marked(template.format_map(words))
    who, whom = (pronouns["he"], pronouns["him"]) if "{name}" in template else (name, name)
    reason = condition.reasons[met].format_map(words)
    species = act.species or rng.choice(("dog", "cat"))
    return _Spec(
        words,
        category,
        species,
        condition.kind,
        condition.scattered,
        phrase,
        trigger,
        scene,
        context,
        who,
        whom,
        met,
        reason,
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


def _easy(spec: _Spec, rng: Random, writer: _Writer) -> Essay:
    while True:
        rule = writer.rule("rules")
        count = rng.choices(*EASY_LENGTHS)[0]
        before = 1 if count == 5 else rng.choice((1, 2, 2))
        after = rng.choices((["afters"], []), (3, 2))[0]
        rest = rng.sample(("outsides", "friends", "seconds"), 3)
        ends = ["closings"] if rng.random() < 0.8 else []
        kinds = [*after, *rest[: count - 1 - before - len(after) - len(ends)], *ends]
        while len(kinds) < count - 1 - before:
            kinds.insert(-1, "seconds")
        sentences = ["openings", *["seconds"] * (before - 1)]
        essay = " ".join([*map(writer.surrounding, sentences), rule, *map(writer.surrounding, kinds)])
        if _occur_once(essay, (spec.trigger,)) and not _CONDITIONAL.search(essay.replace(rule, "")):
            return essay, (rule,), (spec.trigger,)


def _hard(spec: _Spec, rng: Random, writer: _Writer) -> Essay:
    while True:
        act, link = writer.rule("behaviors"), writer.rule("links")
        told = rng.choice(spec.scattered).format_map(spec.words)
        if rng.random() < TAIL_SHARE:
            told = f"{told[:-1]}, {writer.rule('condition_tails', capital=False)}."
        condition, (trigger,) = marked(told)
        first, second = rng.sample((act, condition), 2)
        what = spec.words["object"]
        details = (what, trigger) if first == act else (trigger, what)
        count = rng.choices(*HARD_LENGTHS)[0]
        kinds = ["openings", *["fillers"] * (count - 4)]
        if rng.random() < 0.6:
            kinds[-1] = "closings"
        others = list(map(writer.surrounding, kinds))
        places = _apart(rng, count)
        rule, rest = dict(zip(places, (first, second, link), strict=True)), iter(others)
        essay = " ".join(rule[i] if i in rule else next(rest) for i in range(count))
        if _occur_once(essay, details) and not _CONDITIONAL.search(" ".join((act, link, *others))):
            return essay, (first, second, link), details


def _apart(rng: Random, count: int) -> list[int]:
    """Three places after the opening sentence, no two of them neighbors."""
    packed = sorted(rng.sample(range(1, count - 2), 3))
    return [place + gap for gap, place in enumerate(packed)]


class _Writer:
    """Writes the sentences of one row, with words that the rows before it have not used lately."""

    def __init__(self, rng: Random, spec: _Spec, grammars: Mapping[str, dict[str, Deck]]) -> None:
        self._rng = rng
        self._words = {**spec.words, "breed": rng.choice(_breeds(spec.species))}
        self._surrounding = grammars["pet" if spec.category == "pet" else "two_legged"]
        self._rule = grammars["rule"]

    def surrounding(self, kind: str) -> str:
        """A sentence around the rule."""
        return self._drawn(kind, self._surrounding, {})

    def rule(self, kind: str, words: Mapping[str, str] | None = None, capital: bool = True) -> str:
        """A sentence of the rule, the question or the answer, or a part of one."""
        return self._drawn(kind, self._rule, words or {}, capital)

    def _drawn(self, kind: str, grammar: Mapping[str, Deck], more: Mapping[str, str], capital: bool = True) -> str:
        words = {**self._words, **more}
        raised = {key.capitalize(): _capital(words[key]) for key in ("link", "tag")}
        text = draw(self._rng.choice(grammar[kind]), self._rng, grammar, {**words, **raised})
        return _capital(text) if capital else text


def _occur_once(essay: str, details: Sequence[str]) -> bool:
    return all(essay.casefold().count(detail.casefold()) == 1 for detail in details)


# Words


@cache
def _grammar(variant: Variant, kind: str) -> dict[str, tuple[str, ...]]:
    """The sentences of a variant and the phrases they are made of: around the rule, or the rule itself."""
    return {key: items(text) for key, text in records(PACKAGE, f"conditional/{variant}")[kind].items()}


@cache
def _behaviors(category: str) -> tuple[Behavior, ...]:
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
def _breeds(species: str) -> tuple[str, ...]:
    return items(records(PACKAGE, "conditional/pet")[f"{species}s"])


def _names(rng: Random, category: EntityCategory) -> Iterator[tuple[str, str]]:
    """Names with their gender; a name comes back only in another form, until the forms run out."""
    seen: set[str] = set()
    people = rng.sample(_given_names(category), len(_given_names(category)))
    turn = 0
    while True:
        for position, (given, gender) in enumerate(people):
            forms = _name_forms(category, gender)
            plain = turn == 0 and (category != "character" or position % 8 > 0)
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
    return tuple(f"{title} {{}}" for title in titles) + tuple(f"{{}} of {home}" for home in values(record["realms"]))


# Text


def _contracted(template: str) -> str:
    """A template as people say it: "it's", "he's".

    >>> _contracted("when {he} is tired and it is [late]")
    "when {he}'s tired and it's [late]"
    """
    return re.sub(r"(\b[Ii]t|\{[Hh]e\}) is\b", r"\1's", template)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
