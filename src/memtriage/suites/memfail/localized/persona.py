"""Persona-Retrieval in other languages: essays about named people, and questions of which half are about strangers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import Deck
from memtriage.suites.kit.localized import capital, filled, grammar, lines
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import values
from memtriage.suites.memfail.localized.people import Person, full_names
from memtriage.suites.memfail.paper import PACKAGE, QUESTIONS
from memtriage.suites.memfail.rows import PersonaQuestion, PersonaRow

TRAITS = (6, 8)
SCENES = (3, 4)
MISLEADING = 0.5
TRIES = 60  # at values that nobody has


@dataclass(frozen=True, slots=True)
class _Told:
    """A trait of somebody, as it was told."""

    trait: Mapping[str, Any]
    drawn: Mapping[str, str]
    sentence: str
    details: tuple[str, ...]


def generate(code: str, seed: int) -> Iterator[PersonaRow]:
    """Rows without end; no two people have the same name, and nobody asked about by mistake has an essay."""
    rng = Random(f"{code}:persona:{seed}")
    data = grammar(PACKAGE, code, "persona")
    people, others = full_names(code, rng)
    jobs = Deck(lines(PACKAGE, code, "persona", "jobs"))
    openings = Deck(lines(PACKAGE, code, "persona", "openings"))
    scenes = lines(PACKAGE, code, "persona", "scenes")
    articles = values(data["with_article"].replace(" | ", " / "))
    unknown = grammar(PACKAGE, code, "shared")["unknown"]
    women = grammar(PACKAGE, code, "shared")["pronouns"]["f"]
    used: set[tuple[str, ...]] = set()
    told_of: dict[str, set[str]] = {}
    while True:
        person = next(people)
        sex = person.pronouns == women
        job = rng.choice(jobs).split(" | ")[sex]
        gaps = {**person.gaps, "job": job, "job_with": articles[sex].format(job=job)}
        known = told_of.setdefault(person.name.split()[0], set())
        traits = _fresh(data["traits"], known, rng)
        known.update(trait["topic"] for trait in traits)
        told = [_tell(trait, person, rng, used, named=n % 3 == 0) for n, trait in enumerate(traits)]
        around = [_spoken(scene, person, named=False) for scene in rng.sample(scenes, rng.randint(*SCENES))]
        body = [one.sentence for one in told[1:]] + around
        rng.shuffle(body)
        essay = " ".join([filled(rng.choice(openings), gaps), told[0].sentence, *body])
        asked = rng.sample(told, QUESTIONS)
        strangers = [next(others) if rng.random() < MISLEADING else None for _ in asked]
        yield PersonaRow(person.name, essay, tuple(_questions(person, asked, strangers, unknown)))


def _fresh(traits: Sequence[Mapping[str, Any]], told: set[str], rng: Random) -> list[Mapping[str, Any]]:
    """Traits on topics that nobody of the same first name was told about, as a first name may be all that is said."""
    left = [trait for trait in traits if trait["topic"] not in told]
    if len(left) < TRAITS[0]:
        raise BadInput("nobody is left who can be told apart from the others; ask for fewer persona rows")
    return rng.sample(left, min(len(left), rng.randint(*TRAITS)))


def _tell(trait: Mapping[str, Any], person: Person, rng: Random, used: set[tuple[str, ...]], named: bool) -> _Told:
    """A trait with values that nobody else has, while there are any left."""
    for _ in range(TRIES):
        drawn = {key: rng.choice(values(trait[key])) for key in ("x", "y") if key in trait}
        if (trait["topic"], *drawn.values()) not in used:
            break
    used.add((trait["topic"], *drawn.values()))
    sentence, details = marked(_spoken(trait["text"], person, named, drawn))
    return _Told(trait, drawn, sentence, details)


def _spoken(template: str, person: Person, named: bool, drawn: Mapping[str, str] | None = None) -> str:
    """A sentence about somebody, with the first name or a pronoun where either may stand."""
    first = person.name.split()[0]
    either = {key: person.pronouns[key] for key in ("er", "ihn", "ihm") if key in person.pronouns}
    gaps = {**person.gaps, **(drawn or {}), "wer": first if named else person.pronouns.get("er", first)}
    gaps |= {f"{key}_oder_namen": first if named else pronoun for key, pronoun in either.items()}
    return capital(filled(template, gaps))


def _questions(
    person: Person, asked: Sequence[_Told], strangers: Sequence[Person | None], unknown: str
) -> Iterator[PersonaQuestion]:
    for one, stranger in zip(asked, strangers, strict=True):
        about = stranger or person
        answer = capital(filled(one.trait["answer"], {**person.gaps, **one.drawn}))
        yield PersonaQuestion(
            text=filled(one.trait["ask"], {**about.gaps, "person": about.name}),
            is_misleading=stranger is not None,
            distractor=stranger.name if stranger else None,
            ground_truth_answer=filled(unknown, {"person": stranger.name}) if stranger else answer,
            evidence=(one.sentence,),
            details=one.details,
        )
