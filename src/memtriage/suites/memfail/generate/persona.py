"""Persona-Retrieval: essays full of one person's quirks, with questions about that person or about somebody else.

>>> row = next(generate(seed=7))
>>> len(row.questions), row.entity in row.essay
(3, True)
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from random import Random
from typing import Any, NamedTuple

from memtriage.suites.kit.draw import Deck, decks
from memtriage.suites.kit.templates import marked
from memtriage.suites.kit.words import items, lists, records, table, values
from memtriage.suites.memfail.cast import Cast, is_woman
from memtriage.suites.memfail.paper import PACKAGE, QUESTIONS, flavors
from memtriage.suites.memfail.released.rules import stems_of, tells, trait_words
from memtriage.suites.memfail.rows import PersonaQuestion, PersonaRow

_ABOUT_WORK = 0.88
"""How many of the questions are shaped after what the person is known for."""
_WORK_TRAITS, _HOME_TRAITS = (4, 4, 4, 5), (1,)
_SENTENCES = (10, 11, 11)
_RELEASED_SENTENCES = (8, 9, 9, 9, 10, 10, 11)
_RELEASED_MISLEADING = 0.523
_SAME_NAMES = 0.36
"""How many people have a name that came before, in the released rows."""
_SHARED_FIRST_NAMES = 0.5
"""How many people have a first name that came before: without any, every question would be found by the name alone."""
_INDIRECT = 0.65
_DOES = re.compile(
    r"(What|Which|How|Where|When)\b([^,;]*?) does \{person\} ((?:always |usually |still )?)(\w+)\b([^,;]*\?)"
)
"""A question that can be asked in other words: "What does she use" becomes "what she uses"."""
_THIRD = {"have": "has", "do": "does", "go": "goes", "not": ""}
_DOUBLED = re.compile(r"\b(\w+) \1\b")
_PERSON = re.compile(r"\{(he|him|his)\}")
_SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
_HE = {"he": "he", "him": "him", "his": "his", "himself": "himself"}


class Trait(NamedTuple):
    """One idiosyncratic fact: how the essay says it, and how one asks for it, each question with its answer.

    Two traits that share a topic never stand in one essay: they could contradict each other.
    """

    says: tuple[str, ...]
    asks: Mapping[str, str]
    topics: frozenset[str]
    slots: Mapping[str, tuple[str, ...]]


class Flavor(NamedTuple):
    """A way of life: sentences that open an essay, the traits that go with it, and sentences without one."""

    opens: tuple[str, ...]
    scenes: tuple[str, ...]
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


class _Fresh:
    """Words to choose from, those first that were used least so far; only what is noted counts as used."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._used: Counter[str] = Counter()

    def first(self, options: Iterable[str], of: str = "") -> list[str]:
        """The options, those used least first; `of` sets apart what is used for different things."""
        return sorted(options, key=lambda option: (self._used[f"{of}:{option}"], self._rng.random()))

    def traits(self, pool: Sequence[Trait]) -> list[Trait]:
        """The traits, those told least first."""
        by_name = {trait.says[0]: trait for trait in pool}
        return [by_name[name] for name in self.first(by_name, "trait")]

    def line(self, trait: Trait) -> _Line:
        """A trait in words that were used least."""
        slots = {name: self.first(options, trait.says[0] + name)[0] for name, options in trait.slots.items()}
        return _Line(self.first(trait.says)[0], trait, slots)

    def note(self, line: _Line) -> None:
        """Count a line's words as used."""
        self.note_ask(line.pattern)
        if line.trait is not None:
            name = line.trait.says[0]
            self._used.update([f"trait:{name}", *(f"{name}{slot}:{value}" for slot, value in line.slots.items())])

    def note_ask(self, ask: str) -> None:
        """Count a question as used."""
        self._used[f":{ask}"] += 1


@cache
def _flavor(name: str) -> Flavor:
    record = records(PACKAGE, flavors()[name])
    return Flavor(
        opens=items(record["opens"]),
        scenes=items(record["scenes"]),
        traits=tuple(map(_trait, record["traits"])),
        avoids=frozenset(record.get("avoids", "").split()),
    )


def _trait(record: Mapping[str, Any]) -> Trait:
    slots = {key: values(line) for key, line in record.items() if key not in ("says", "asks", "answer", "topics")}
    asks = {ask: own[0] if own else record["answer"] for ask, *own in table(record["asks"])}
    return Trait(items(record["says"]), asks, frozenset(record.get("topics", "").split()), slots)


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
    indirect = decks(lists(PACKAGE, "persona/clauses"))["indirect"]
    fresh = _Fresh(rng)
    told = _Told()
    while True:
        person = cast.person()
        flavor = _flavor(person.flavor)
        if not flavor.avoids.isdisjoint(person.namesakes.asked):
            continue
        essay, facts = _essay(rng, person.name, flavor, person.namesakes.asked, fresh, rng.choice(lengths))
        probed = _probed(rng, flavor, facts, person.namesakes.told)
        if len(probed) < QUESTIONS:
            continue
        questions = _questions(rng, person.name, probed, cast.strangers(QUESTIONS), fresh, indirect, misleading)
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
    rng: Random, entity: str, flavor: Flavor, taken: Set[str], fresh: _Fresh, length: int
) -> tuple[str, list[_Fact]]:
    """An essay with every critical detail in it exactly once, and nothing about the topics that are taken."""
    while True:
        plan = _plan(rng, flavor, taken, fresh, length)
        for line in plan:
            fresh.note(line)
        sentences, facts = _written(rng, entity, plan)
        essay = " ".join(sentences)
        told_once = all(essay.count(detail) == 1 for fact in facts for detail in fact.details)
        if told_once and not _DOUBLED.search(essay):
            return essay, facts


def _plan(rng: Random, flavor: Flavor, taken: Set[str], fresh: _Fresh, length: int) -> list[_Line]:
    """So many lines: an opening, then a trait of the flavour, and more of these, of the person's own, and scenes."""
    used_topics = set(taken)
    work = _without_clash(fresh.traits(flavor.traits), rng.choice(_WORK_TRAITS), used_topics)
    used_topics |= flavor.avoids
    home = _without_clash(fresh.traits(_general_traits()), rng.choice(_HOME_TRAITS), used_topics)
    rng.shuffle(work)
    first, *others = map(fresh.line, [*work, *home])
    scenes = fresh.first(flavor.scenes)[: length - 1 - len(work) - len(home)]
    body = [*others, *(_Line(scene, None, {}) for scene in scenes)]
    rng.shuffle(body)
    return [_Line(fresh.first(flavor.opens)[0], None, {}), first, *body]


def _without_clash(pool: Iterable[Trait], count: int, used_topics: set[str]) -> list[Trait]:
    """The first traits of the pool, no two of them on one topic, and none on a topic that is used."""
    chosen: list[Trait] = []
    for trait in pool:
        if len(chosen) == count:
            break
        if used_topics.isdisjoint(trait.topics):
            used_topics |= trait.topics
            chosen.append(trait)
    return chosen


def _written(rng: Random, entity: str, plan: Sequence[_Line]) -> tuple[list[str], list[_Fact]]:
    """The sentences of a plan, and the traits they tell."""
    sentences: list[str] = []
    facts: list[_Fact] = []
    pronouns = 0  # mentions in a row that were only "she" or "he"
    in_mind = False  # whether the person was spoken of just now, so that a pronoun is clear
    for line in plan:
        named = not in_mind or pronouns == 2 or (pronouns == 1 and rng.random() < 0.3)
        sentence, details = marked(_sentence(line, entity, named))
        sentences.append(sentence)
        if line.trait is not None:
            facts.append(_Fact(line.trait, line.slots, sentence, details))
        if _PERSON.search(line.pattern):
            pronouns = 0 if named else pronouns + 1
            in_mind = True
        else:
            in_mind = "{full_name}" in line.pattern or (in_mind and line.trait is not None)
    return sentences, facts


def _sentence(line: _Line, entity: str, named: bool) -> str:
    """One line in words, its details still in brackets."""
    pattern = line.pattern
    if named and "{full_name}" not in pattern:
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
    probed: Sequence[_Fact],
    strangers: Sequence[str],
    fresh: _Fresh,
    indirect: Deck,
    misleading: float,
) -> tuple[PersonaQuestion, ...]:
    """A question after each fact, about the entity or about a stranger."""
    found = []
    for fact, stranger in zip(probed, strangers, strict=True):
        ask = fresh.first(fact.trait.asks)[0]
        fresh.note_ask(ask)
        about = stranger if rng.random() < misleading else None
        found.append(_question(entity, fact, about, ask, _turned(rng, ask, indirect)))
    return tuple(found)


def _turned(rng: Random, ask: str, indirect: Deck) -> str:
    """A question as it stands, or by way of another one."""
    turned = _DOES.fullmatch(ask)
    if turned is None or rng.random() >= _INDIRECT:
        return ask
    word, what, adverb, verb, rest = turned.groups()
    third = _third_person(verb)
    return f"{rng.choice(indirect)} {word.lower()}{what} {{person}} {adverb}{third}{rest}" if third else ask


def _third_person(verb: str) -> str:
    """A verb as it goes with she or he; nothing for what is no verb.

    >>> [_third_person(verb) for verb in ("use", "carry", "play", "teach", "have", "not")]
    ['uses', 'carries', 'plays', 'teaches', 'has', '']
    """
    if verb in _THIRD:
        return _THIRD[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x")) else f"{verb}s"


def _probed(rng: Random, flavor: Flavor, facts: Sequence[_Fact], told: Set[str]) -> list[_Fact]:
    """The facts that the questions are shaped after, none of them on a topic that namesakes were told about.

    Most are about the work, where there is a choice; fewer than wanted if namesakes leave too few.
    """
    shuffled = [fact for fact in rng.sample(facts, len(facts)) if told.isdisjoint(fact.trait.topics)]
    work = [fact for fact in shuffled if fact.trait in flavor.traits]
    home = [fact for fact in shuffled if fact.trait not in flavor.traits]
    wanted = min(QUESTIONS, len(shuffled))
    return [work.pop() if work and (not home or rng.random() < _ABOUT_WORK) else home.pop() for _ in range(wanted)]


def _question(entity: str, fact: _Fact, stranger: str | None, ask: str, wording: str) -> PersonaQuestion:
    """A question with those details of its fact that the answer needs."""
    about = stranger or entity
    answer = _answer(entity, fact, ask)
    return PersonaQuestion(
        text=_capital(wording.format(person=about, **_pronouns(about))),
        is_misleading=stranger is not None,
        distractor=stranger,
        ground_truth_answer=f"I don't have information about {stranger}." if stranger else answer,
        evidence=(fact.sentence,),
        details=tuple(detail for detail in fact.details if detail.lower() in answer.lower()),
    )


def _answer(entity: str, fact: _Fact, ask: str) -> str:
    answer = fact.trait.asks[ask]
    answer = _capital(answer.format(first_name=entity.split()[0], **_pronouns(entity), **fact.slots))
    return answer.replace("m..", "m.")  # "at 6 a.m." ends a sentence
