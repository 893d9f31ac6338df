"""Persona-Retrieval: essays full of one person's quirks, with questions about that person or about somebody else.

>>> row = next(generate(seed=7))
>>> len(row.questions), row.entity in row.essay
(3, True)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache
from random import Random
from typing import Any, NamedTuple

from memtriage.suites.kit.draw import Deck, decks
from memtriage.suites.kit.templates import draw, marked
from memtriage.suites.kit.words import items, lists, records, values
from memtriage.suites.memfail.cast import Cast, is_woman
from memtriage.suites.memfail.paper import PACKAGE, QUESTIONS, flavors
from memtriage.suites.memfail.released.rules import stems_of, tells, trait_words
from memtriage.suites.memfail.rows import PersonaQuestion, PersonaRow

# Most questions are shaped after what the person is known for, and many say what brings the asker to it.
_ABOUT_WORK = 0.88
_WITH_LEAD = 0.12
_WITH_TAIL = 0.97
"""How many of the sentences with a trait go on with a clause that tells something else."""
_WORK_TRAITS, _HOME_TRAITS = (4, 4, 5), (2, 2, 3)
_SENTENCES = (10, 10, 10, 11)
_RELEASED_SENTENCES = (8, 9, 9, 9, 10, 10, 11)
_RELEASED_MISLEADING = 0.523
_SAME_NAMES = 0.36
"""How many people have a name that came before, in the released rows."""
_LONG = 23  # words
_SHARED_FIRST_NAMES = 0.7
"""How many people have a first name that came before: without any, every question would be found by the name alone."""
_INDIRECT, _QUESTION_LEAD = 0.6, 0.3
_ASKS = ("What ", "Which ", "How ", "Where ", "When ", "Is ", "Does ", "Should ")
_TURNED = re.compile(r"(What|Which|How|Where|When)\b([^,;]*?) (should|would|could|can|will) (I|\{person\}) ([^,;]*\?)")
"""A question that can be asked in other words: "What should I bring" becomes "what I should bring"."""
_DOUBLED = re.compile(r"\b(\w+) \1\b")
_PERSON = re.compile(r"\{(he|him|his)\}")
_SHE = {"he": "she", "him": "her", "his": "her"}
_HE = {"he": "he", "him": "him", "his": "his"}


class Trait(NamedTuple):
    """One idiosyncratic fact: how the essay says it, how one asks for it, and the answer.

    Two traits that share a topic never stand in one essay: they could contradict each other.
    """

    says: tuple[str, ...]
    asks: tuple[str, ...]
    answer: str
    topics: frozenset[str]
    slots: Mapping[str, tuple[str, ...]]


class Flavor(NamedTuple):
    """A way of life: sentences that open an essay, the traits that go with it, and what brings one to ask."""

    opens: tuple[str, ...]
    leads: tuple[str, ...]
    traits: tuple[Trait, ...]
    avoids: frozenset[str]


class _Line(NamedTuple):
    """A sentence still to be written: its pattern, and the trait it tells, if any, with its slots filled."""

    pattern: str
    trait: Trait | None
    slots: Mapping[str, str]


class _Fact(NamedTuple):
    """A trait as it is worded in the essay."""

    trait: Trait
    slots: Mapping[str, str]
    sentence: str
    details: tuple[str, ...]


@cache
def _flavor(name: str) -> Flavor:
    record = records(PACKAGE, flavors()[name])
    return Flavor(
        opens=items(record["opens"]),
        leads=items(record["leads"]),
        traits=tuple(map(_trait, record["traits"])),
        avoids=frozenset(record.get("avoids", "").split()),
    )


def _trait(record: Mapping[str, Any]) -> Trait:
    slots = {key: values(line) for key, line in record.items() if key not in ("says", "asks", "answer", "topics")}
    topics = frozenset(record.get("topics", "").split())
    return Trait(items(record["says"]), items(record["asks"]), record["answer"], topics, slots)


@cache
def _general_traits() -> tuple[Trait, ...]:
    return tuple(map(_trait, records(PACKAGE, "persona/shared")["traits"]))


def generate(seed: int, like_released: bool = False) -> Iterator[PersonaRow]:
    """Persona-Retrieval rows for one store, as many as there are people; flavours come back, as in the released data.

    Nobody has a name twice, and what is asked about one person is told of nobody else with the same first name.
    `like_released`, names come back with other lives, essays are shorter, and a few more questions mislead.
    """
    rng = Random(f"persona:{seed}")
    cast = Cast(rng, _SAME_NAMES, same_surname=True) if like_released else Cast(rng, _SHARED_FIRST_NAMES)
    lengths = _RELEASED_SENTENCES if like_released else _SENTENCES
    misleading = _RELEASED_MISLEADING if like_released else 0.5
    clauses = decks(lists(PACKAGE, "persona/clauses"))
    told = _Told()
    while True:
        person = cast.person()
        flavor = _flavor(person.flavor)
        if not flavor.avoids.isdisjoint(person.namesakes.asked):
            continue
        essay, facts = _essay(rng, person.name, flavor, person.namesakes.asked, clauses, rng.choice(lengths))
        probed = _probed(rng, flavor, facts, person.namesakes.told)
        if len(probed) < QUESTIONS:
            continue
        questions = _questions(rng, person.name, flavor, probed, cast.strangers(QUESTIONS), clauses, misleading)
        row = PersonaRow(person.name, essay, questions)
        if not told.takes(row):
            continue
        person.namesakes.told.update(flavor.avoids, *(fact.trait.topics for fact in facts))
        person.namesakes.asked.update(*(fact.trait.topics for fact in probed))
        yield row


class _Told:
    """What was told and asked of those who share a first name: clauses that fit anybody may say too much of one."""

    def __init__(self) -> None:
        self._essays: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        self._traits: dict[str, list[frozenset[str]]] = defaultdict(list)

    def takes(self, row: PersonaRow) -> bool:
        """Whether nothing that is asked about one is told of another; then the row is remembered."""
        name, told = row.entity.split()[0], (row.essay, stems_of(row.essay))
        asked = [trait for question in row.questions for trait in trait_words(row, question)]
        if any(tells(*essay, asked) for essay in self._essays[name]) or tells(*told, self._traits[name]):
            return False
        self._essays[name].append(told)
        self._traits[name] += asked
        return True


def _essay(
    rng: Random, entity: str, flavor: Flavor, taken: Set[str], clauses: Mapping[str, Deck], length: int
) -> tuple[str, list[_Fact]]:
    """An essay with every critical detail in it exactly once, and nothing about the topics that are taken."""
    while True:
        sentences, facts = _written(rng, entity, _plan(rng, flavor, taken, clauses, length))
        essay = " ".join(sentences)
        told_once = all(essay.count(detail) == 1 for fact in facts for detail in fact.details)
        if told_once and not _DOUBLED.search(essay):
            return essay, facts


def _plan(rng: Random, flavor: Flavor, taken: Set[str], clauses: Mapping[str, Deck], length: int) -> list[_Line]:
    """So many lines: an opening, traits of the flavour and of the person, and a little filler."""
    work, home = _traits(rng, flavor, taken)
    work_lines = [_trait_line(rng, trait, clauses) for trait in work]
    home_lines = [_trait_line(rng, trait, clauses) for trait in home]
    ends = ["endings"] if rng.random() < 0.5 else []
    fillers = ["fillers"] * (length - 1 - len(work) - len(home) - len(ends))
    added = [_Line(draw(rng.choice(clauses[kind]), rng, clauses), None, {}) for kind in (*fillers, *ends)]
    body = [*work_lines[1:], *home_lines, *added[: len(fillers)]]
    rng.shuffle(body)
    opening = _Line(_going_on(rng, rng.choice(flavor.opens), clauses), None, {})
    return [opening, work_lines[0], *body, *added[len(fillers) :]]


def _going_on(rng: Random, sentence: str, clauses: Mapping[str, Deck]) -> str:
    """A sentence, most often with a clause at its end that suits its shape; a long one stays as it is."""
    if rng.random() >= _WITH_TAIL or ";" in sentence or "—" in sentence or len(sentence.split()) > _LONG:
        return sentence
    joined = sentence.count(",") > 1 or " and " in sentence or ", so" in sentence
    kind = "short_tails" if joined else "own_tails" if sentence.startswith("{he}") else "tails"
    tail = draw(rng.choice(clauses[kind]), rng, clauses)
    return f"{sentence.removesuffix('.')}{' ' if tail[0].isalpha() else ''}{tail}."


def _traits(rng: Random, flavor: Flavor, taken: Set[str]) -> tuple[list[Trait], list[Trait]]:
    """Traits of the flavour and general ones, no two of them on one topic, and none on a topic that is taken."""
    used_topics = set(taken)
    work = _without_clash(rng, flavor.traits, rng.choice(_WORK_TRAITS), used_topics)
    used_topics |= flavor.avoids
    home = _without_clash(rng, _general_traits(), rng.choice(_HOME_TRAITS), used_topics)
    return work, home


def _without_clash(rng: Random, pool: Sequence[Trait], count: int, used_topics: set[str]) -> list[Trait]:
    chosen: list[Trait] = []
    for trait in rng.sample(pool, len(pool)):
        if len(chosen) == count:
            break
        if used_topics.isdisjoint(trait.topics):
            used_topics |= trait.topics
            chosen.append(trait)
    return chosen


def _trait_line(rng: Random, trait: Trait, clauses: Mapping[str, Deck]) -> _Line:
    slots = {name: rng.choice(options) for name, options in trait.slots.items()}
    return _Line(_going_on(rng, rng.choice(trait.says), clauses), trait, slots)


def _written(rng: Random, entity: str, plan: Sequence[_Line]) -> tuple[list[str], list[_Fact]]:
    """The sentences of a plan, and the traits they tell."""
    sentences: list[str] = []
    facts: list[_Fact] = []
    pronouns = 0  # mentions in a row that were only "she" or "he"
    in_mind = False  # whether the person was spoken of just now, so that a pronoun is clear
    for line in plan:
        named = not in_mind or pronouns == 2 or rng.random() < 0.3
        sentence, details = marked(_sentence(rng, line, entity, named))
        sentences.append(sentence)
        if line.trait is not None:
            facts.append(_Fact(line.trait, line.slots, sentence, details))
        if _PERSON.search(line.pattern):
            pronouns = 0 if named else pronouns + 1
            in_mind = True
        else:
            in_mind = "{full_name}" in line.pattern or (in_mind and line.trait is not None)
    return sentences, facts


def _sentence(rng: Random, line: _Line, entity: str, named: bool) -> str:
    """One line in words, its details still in brackets."""
    pattern = draw(line.pattern, rng) if "|" in line.pattern else line.pattern
    if named:
        pattern = _PERSON.sub(_by_name(entity), pattern, count=1)
    return _capital(pattern.format(full_name=entity, **_pronouns(entity), **line.slots))


def _by_name(entity: str) -> Callable[[re.Match[str]], str]:
    first = entity.split()[0]
    return lambda found: f"{first}'s" if found[1] == "his" else first


def _pronouns(name: str) -> dict[str, str]:
    return _SHE if is_woman(name) else _HE


def _capital(text: str) -> str:
    """The text with its first letter capital, even behind an opening bracket."""
    start = 1 if text.startswith("[") else 0
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


def _questions(
    rng: Random,
    entity: str,
    flavor: Flavor,
    probed: Sequence[_Fact],
    strangers: Sequence[str],
    clauses: Mapping[str, Deck],
    misleading: float,
) -> tuple[PersonaQuestion, ...]:
    """A question after each fact, about the entity or about a stranger."""
    leads = rng.sample(flavor.leads, QUESTIONS)
    return tuple(
        _question(
            entity,
            fact,
            stranger=stranger if rng.random() < misleading else None,
            ask=_asked(rng, rng.choice(fact.trait.asks), clauses),
            lead=lead if fact.trait in flavor.traits and rng.random() < _WITH_LEAD else "",
        )
        for fact, stranger, lead in zip(probed, strangers, leads, strict=True)
    )


def _asked(rng: Random, ask: str, clauses: Mapping[str, Deck]) -> str:
    """A question as it stands, by way of another one, or after a few words that lead to it."""
    turned = _TURNED.fullmatch(ask)
    if turned and rng.random() < _INDIRECT:
        word, what, verb, who, rest = turned.groups()
        return f"{rng.choice(clauses['indirect'])} {word.lower()}{what} {who} {verb} {rest}"
    if ask.startswith(_ASKS) and rng.random() < _QUESTION_LEAD:
        return f"{draw(rng.choice(clauses['question_leads']), rng, clauses)} {ask[0].lower()}{ask[1:]}"
    return ask


def _probed(rng: Random, flavor: Flavor, facts: Sequence[_Fact], told: Set[str]) -> list[_Fact]:
    """The facts that the questions are shaped after, none of them on a topic that namesakes were told about.

    Most are about the work, where there is a choice; fewer than wanted if namesakes leave too few.
    """
    shuffled = [fact for fact in rng.sample(facts, len(facts)) if told.isdisjoint(fact.trait.topics)]
    work = [fact for fact in shuffled if fact.trait in flavor.traits]
    home = [fact for fact in shuffled if fact.trait not in flavor.traits]
    wanted = min(QUESTIONS, len(shuffled))
    return [work.pop() if work and (not home or rng.random() < _ABOUT_WORK) else home.pop() for _ in range(wanted)]


def _question(entity: str, fact: _Fact, stranger: str | None, ask: str, lead: str) -> PersonaQuestion:
    about = stranger or entity
    asked = _capital(ask.format(person=about, **_pronouns(about)))
    if lead and not asked.startswith(("I ", "I'", "My ")):  # those say themselves what they come from
        asked = f"{lead} {asked}"
    return PersonaQuestion(
        text=asked,
        is_misleading=stranger is not None,
        distractor=stranger,
        ground_truth_answer=f"I don't have information about {stranger}." if stranger else _answer(entity, fact),
        evidence=(fact.sentence,),
        details=fact.details,
    )


def _answer(entity: str, fact: _Fact) -> str:
    first_name = entity.split()[0]
    return _capital(fact.trait.answer.format(first_name=first_name, **_pronouns(entity), **fact.slots))
