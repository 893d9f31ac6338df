"""Persona-Retrieval: essays full of one person's quirks, with questions about that person or about somebody else.

>>> row = next(generate(seed=7))
>>> len(row.questions), row.entity in row.essay
(3, True)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from memtriage.suites.memfail.persona_desk_pools import DESK
from memtriage.suites.memfail.persona_general_pools import ASIDES, ENDINGS, GENERAL
from memtriage.suites.memfail.persona_kitchen_pools import KITCHEN
from memtriage.suites.memfail.persona_lead_pools import LEADS
from memtriage.suites.memfail.persona_living_pools import LIVING
from memtriage.suites.memfail.persona_outdoors_pools import OUTDOORS
from memtriage.suites.memfail.persona_pools import FLAVORS, NAMES, SHE, Flavor, Trait
from memtriage.suites.memfail.persona_stage_pools import STAGE
from memtriage.suites.memfail.persona_workshop_pools import WORKSHOP
from memtriage.suites.memfail.rows import PersonaQuestion, PersonaRow

__all__ = ["FLAVORS", "NAMES", "generate"]

QUESTIONS = 3
# Most questions are shaped after what the person is known for, and many say what brings the asker to it.
_ABOUT_WORK = 0.88
_WITH_LEAD = 0.62
_BY_NAME = {flavor.name: flavor for flavor in (*OUTDOORS, *LIVING, *KITCHEN, *WORKSHOP, *DESK, *STAGE)}
_CHOICE = re.compile(r"<([^<>]*)>")
_PERSON = re.compile(r"\{(S|P|he|him|his)\}")
_DETAIL = re.compile(r"\[([^\[\]]*)\]")
_SHE = {"S": "she", "he": "she", "him": "her", "his": "her", "P": "her"}
_HE = {"S": "he", "he": "he", "him": "him", "his": "his", "P": "his"}


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence still to be written: its pattern, and the trait it tells, if any, with its slots filled."""

    pattern: str
    trait: Trait | None
    slots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Told:
    """A trait as it stands in the essay."""

    trait: Trait
    slots: Mapping[str, str]
    sentence: str
    details: tuple[str, ...]


def generate(seed: int) -> Iterator[PersonaRow]:
    """Endless Persona-Retrieval rows; names and flavours come back, as in the released data."""
    rng = Random(f"persona:{seed}")
    while True:
        entity = rng.choice(NAMES)
        flavor = _BY_NAME[rng.choice(FLAVORS)]
        essay, told = _essay(rng, entity, flavor)
        yield PersonaRow(entity, essay, _questions(rng, entity, flavor, told))


def _essay(rng: Random, entity: str, flavor: Flavor) -> tuple[str, list[_Told]]:
    """An essay in which every critical detail stands exactly once."""
    while True:
        sentences, told = _written(rng, entity, _plan(rng, flavor))
        essay = " ".join(sentences)
        if all(essay.count(detail) == 1 for one in told for detail in one.details):
            return essay, told


def _plan(rng: Random, flavor: Flavor) -> list[_Line]:
    """Twelve to fifteen lines: an opening, traits of the flavour and of the person, and a little air."""
    work, home = _traits(rng, flavor)
    work_lines = [_trait_line(rng, trait) for trait in work]
    home_lines = [_trait_line(rng, trait) for trait in home]
    body = [*work_lines[1:], *home_lines]
    aside: list[_Line] = []
    if rng.random() < 0.5:
        rng.shuffle(body)
    else:
        aside = [_air(rng, ASIDES)]
        body = [*work_lines[1:], *aside, *home_lines]
    head = [_air(rng, flavor.opens), work_lines[0]]
    head.insert(rng.choice((1, 2)), _air(rng, flavor.scenes))
    tail = [] if aside and rng.random() < 0.5 else [_air(rng, ENDINGS)]
    return [*head, *body, *tail]


def _traits(rng: Random, flavor: Flavor) -> tuple[list[Trait], list[Trait]]:
    """Traits of the flavour and general ones, no two of them on one topic."""
    taken: set[str] = set()
    work = _without_clash(rng, flavor.traits, rng.choice((6, 6, 7)), taken)
    taken |= flavor.avoids
    home = _without_clash(rng, GENERAL, rng.choice((3, 3, 4)), taken)
    return work, home


def _without_clash(rng: Random, pool: Sequence[Trait], count: int, taken: set[str]) -> list[Trait]:
    chosen: list[Trait] = []
    for trait in rng.sample(pool, len(pool)):
        if len(chosen) == count:
            break
        if taken.isdisjoint(trait.topics):
            taken |= trait.topics
            chosen.append(trait)
    return chosen


def _trait_line(rng: Random, trait: Trait) -> _Line:
    slots = {name: rng.choice(values) for name, values in trait.slots.items()}
    return _Line(rng.choice(trait.says), trait, slots)


def _air(rng: Random, pool: Sequence[str]) -> _Line:
    return _Line(rng.choice(pool), None, {})


def _written(rng: Random, entity: str, plan: Sequence[_Line]) -> tuple[list[str], list[_Told]]:
    """The sentences of a plan, and the traits they tell."""
    sentences: list[str] = []
    told: list[_Told] = []
    pronouns = 0  # mentions in a row that were only "she" or "he"
    in_mind = False  # whether the person was spoken of just now, so that a pronoun is clear
    for line in plan:
        named = not in_mind or pronouns == 2 or rng.random() < 0.3
        marked = _sentence(rng, line, entity, named)
        details = tuple(_DETAIL.findall(marked))
        sentence = _DETAIL.sub(r"\1", marked)
        sentences.append(sentence)
        if line.trait is not None:
            told.append(_Told(line.trait, line.slots, sentence, details))
        if _PERSON.search(line.pattern):
            pronouns = 0 if named else pronouns + 1
            in_mind = True
        else:
            in_mind = "{F}" in line.pattern or (in_mind and line.trait is not None)
    return sentences, told


def _sentence(rng: Random, line: _Line, entity: str, named: bool) -> str:
    """One line in words, its details still in brackets."""
    pattern = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), line.pattern)
    if named:
        pattern = _PERSON.sub(_by_name(entity), pattern, count=1)
    return _capital(pattern.format(F=entity, **_pronouns(entity), **line.slots))


def _by_name(entity: str) -> Callable[[re.Match[str]], str]:
    first = entity.split()[0]
    return lambda found: f"{first}'s" if found[1] in ("P", "his") else first


def _pronouns(name: str) -> dict[str, str]:
    return _SHE if name in SHE else _HE


def _capital(text: str) -> str:
    """The text with its first letter capital, even behind an opening bracket."""
    start = 1 if text.startswith("[") else 0
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


def _questions(rng: Random, entity: str, flavor: Flavor, told: Sequence[_Told]) -> tuple[PersonaQuestion, ...]:
    """Three questions after different traits, each about the entity or about a stranger, evenly."""
    strangers = rng.sample([name for name in NAMES if name != entity], QUESTIONS)
    leads = rng.sample(LEADS[flavor.name], QUESTIONS)
    probed = _probed(rng, flavor, told)
    return tuple(
        _question(
            entity,
            one,
            stranger=stranger if rng.random() < 0.5 else None,
            ask=rng.choice(one.trait.asks),
            lead=lead if one.trait in flavor.traits and rng.random() < _WITH_LEAD else "",
        )
        for one, stranger, lead in zip(probed, strangers, leads, strict=True)
    )


def _probed(rng: Random, flavor: Flavor, told: Sequence[_Told]) -> list[_Told]:
    """The traits that the questions are shaped after."""
    shuffled = rng.sample(told, len(told))
    work = [one for one in shuffled if one.trait in flavor.traits]
    home = [one for one in shuffled if one.trait not in flavor.traits]
    return [work.pop() if rng.random() < _ABOUT_WORK else home.pop() for _ in range(QUESTIONS)]


def _question(entity: str, told: _Told, stranger: str | None, ask: str, lead: str) -> PersonaQuestion:
    about = stranger or entity
    asked = _capital(ask.format(X=about, **_pronouns(about)))
    if lead and not asked.startswith(("I ", "I'", "My ")):  # those say themselves what they come from
        asked = f"{lead} {asked}"
    return PersonaQuestion(
        text=asked,
        is_misleading=stranger is not None,
        distractor=stranger,
        ground_truth_answer=_abstention(stranger) if stranger else _answer(entity, told),
        evidence=(told.sentence,),
        details=told.details,
    )


def _abstention(stranger: str) -> str:
    return f"I don't have information about {stranger}."


def _answer(entity: str, told: _Told) -> str:
    first = entity.split()[0]
    return _capital(told.trait.answer.format(first=first, **_pronouns(entity), **told.slots))
