"""Conditional-Facts in other languages: the rule in one sentence, or spread over three that are not neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, NamedTuple

from memtriage.suites.kit.draw import Deck, deck
from memtriage.suites.kit.localized import capital, filled, grammar, lines
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import values
from memtriage.suites.memfail.localized.people import Person, first_names
from memtriage.suites.memfail.paper import PACKAGE
from memtriage.suites.memfail.rows import ConditionalRow

Variant = Literal["easy", "hard"]

PETS_OF_TEN = 2
EASY_LENGTHS, HARD_LENGTHS = (5, 6, 7), (8, 9)
YES_OF_100 = {"easy": 32, "hard": 49}


class Act(NamedTuple):
    """An act in the three forms that sentences need; what matters is in brackets."""

    verb: str
    rest: str
    final: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the Easy and the Hard row of one index share."""

    who: Person
    pet: bool
    act: Act
    kind: Mapping[str, Any]
    value: str
    offer: str
    met: bool

    @property
    def gaps(self) -> dict[str, str]:
        told = {**self.who.gaps, **self.act._asdict(), "v": self.value, "o": self.offer}
        return told | {"clause": filled(self.kind["clause"], told), "scene": filled(self.kind["scene"], told)}


def generate(code: str, seed: int, variant: Variant, like_released: bool = False) -> Iterator[ConditionalRow]:
    """Rows without end; the same seed and variant always give the same rows."""
    words = {key: lines(PACKAGE, code, "conditional", key) for key in _LISTS}
    decks = {key: Deck(cards) for key, cards in words.items()}
    told = Random(f"{code}:conditional-{variant}:{seed}")
    yes = YES_OF_100[variant] if like_released else 50
    for plan in _plans(code, seed, yes):
        yield _row(plan, variant, decks, told)


_LISTS = ("rules", "habits", "ties", "questions", "yes", "no", "openings", "fillers", "pet_openings", "pet_fillers")


def _plans(code: str, seed: int, yes: int) -> Iterator[_Plan]:
    rng = Random(f"{code}:conditional:{seed}")
    people, pets = first_names(code, rng), first_names(code, rng, "pets_")
    acts = deck(rng, _acts(code, "acts"))
    pet_acts = deck(rng, _acts(code, "pet_acts"))
    kinds: list[Mapping[str, Any]] = grammar(PACKAGE, code, "conditional")["conditions"]
    any_kind, pet_kinds = deck(rng, kinds), deck(rng, [kind for kind in kinds if kind.get("pets")])
    answers = deck(rng, [True] * yes + [False] * (100 - yes))
    species = deck(rng, [True] * PETS_OF_TEN + [False] * (10 - PETS_OF_TEN))
    while True:
        pet, met = next(species), next(answers)
        kind = next(pet_kinds if pet else any_kind)
        value, offer = _value(kind, met, rng)
        yield _Plan(next(pets if pet else people), pet, next(pet_acts if pet else acts), kind, value, offer, met)


def _acts(code: str, key: str) -> list[Act]:
    return [Act(*line.split(" | ")) for line in lines(PACKAGE, code, "conditional", key)]


def _value(kind: Mapping[str, Any], met: bool, rng: Random) -> tuple[str, str]:
    """What a condition names, and what a question offers, which meets it or not."""
    if "numbers" in kind:
        number = int(rng.choice(kind["numbers"].split()))
        return str(number), str(number + int(rng.choice(kind["met" if met else "missed"].split())))
    cases = values(kind["cases"]) if " / " in kind["cases"] else tuple(kind["cases"].split())
    chosen = rng.choice(cases)
    return chosen, chosen if met else rng.choice([case for case in cases if case != chosen])


def _row(plan: _Plan, variant: Variant, decks: Mapping[str, Deck], rng: Random) -> ConditionalRow:
    gaps = plan.gaps
    plain = {key: marked(text)[0] for key, text in gaps.items()}
    kind = "pet_" if plan.pet else ""
    if variant == "easy":
        # Only the condition is marked: what is done is found by its words.
        told = [filled(rng.choice(decks["rules"]), plain | {"clause": gaps["clause"]})]
    else:
        habit = filled(rng.choice(decks["habits"]), gaps)
        tie = filled(rng.choice(decks["ties"]), {**plain, "link": plan.kind["link"]})
        told = [habit, filled(plan.kind["scattered"], gaps), tie]
    read = [marked(capital(sentence)) for sentence in told]
    others = rng.choice(EASY_LENGTHS if variant == "easy" else HARD_LENGTHS) - len(read) - 1
    around = [filled(rng.choice(decks[f"{kind}fillers"]), plain) for _ in range(others)]
    opening = filled(rng.choice(decks[f"{kind}openings"]), plain)
    essay = [opening, *_spread(around, [sentence for sentence, _ in read], rng)]
    return ConditionalRow(
        entity=plan.who.name,
        entity_category="pet" if plan.pet else "person",
        behavior=f"{plain['verb']} {plain['rest']}",
        condition_type=plan.kind["type"],
        condition=plain["clause"],
        essay=" ".join(essay),
        question=filled(rng.choice(decks["questions"]), plain),
        question_context=plain["scene"],
        condition_met="yes" if plan.met else "no",
        ground_truth_answer=filled(rng.choice(decks["yes" if plan.met else "no"]), plain),
        evidence=tuple(sentence for sentence, _ in read),
        details=tuple(detail for _, details in read for detail in details),
    )


def _spread(around: list[str], told: list[str], rng: Random) -> list[str]:
    """The sentences with those that tell the rule put in, in order, and never side by side."""
    places = sorted(rng.sample(range(1, len(around) + 1), len(told)), reverse=True)
    essay = list(around)
    for place, sentence in zip(places, reversed(told), strict=True):
        essay.insert(place, sentence)
    return essay
