"""DocQA: questions about many documents on a made-up world, each answered by a few sentences of them.

Every document is about one person, town, river, work, firm, school, landmark or event, and names others that have
documents of their own. Each fact stands once in the whole context. People share first names and surnames, and titles
are alike, so that half of a name finds the wrong document too.

>>> context = next(contexts(6_000, 20, seed=1, options={}, kind="mh-docqa"))
>>> len(context.queries), {len(needed) for query in context.queries for needed in query.needed}
(20, {2})
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from memtriage.core.errors import BadInput
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, lists, records
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Passage, Query, length_label
from memtriage.suites.memoryagentbench.generate.names import new_name
from memtriage.text.tokens import count_tokens

DocKind = Literal["sh-docqa", "mh-docqa"]
Subject = Literal["person", "town", "river", "work", "firm", "school", "landmark", "event"]

SHARES: Mapping[Subject, float] = {
    "person": 0.34,
    "town": 0.13,
    "river": 0.05,
    "work": 0.16,
    "firm": 0.11,
    "school": 0.05,
    "landmark": 0.09,
    "event": 0.07,
}
"""Which part of the documents is about what."""

WITH_ARTICLE: frozenset[str] = frozenset({"river", "landmark", "event"})
"""Subjects that are spoken of with `the` before their name."""

_SHORTEST = 3_000
_PER_DOCUMENT = 150
"""Tokens, somewhat below the mean, so that the world has more things than there is room for."""
_FACTS = (4, 6)
_REMARKS = (2, 4)
_LAST = 40
"""How many documents are tried for the room that is left at the end."""
_TRIES = 400
"""After so many failures in a row to find another question, there are no more."""

_NUMBER = re.compile(r"\d[\d,]*")
_BETWEEN = "d l m n r s t k v".split()
"""Consonants that stand between two syllables."""
_SAME_NAME = 3
"""How many people share a surname, on average."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Something that documents tell of a subject; words/docqa/relations.toml explains the fields."""

    name: str
    about: Subject
    value: str
    told: tuple[str, ...]
    asks: tuple[str, ...]
    via: str = ""
    same: str = ""
    compare: tuple[Mapping[str, str], ...] = field(default=(), hash=False)


@cache
def relations() -> Mapping[str, Relation]:
    """All relations by name, in the order of their file."""
    found = {}
    for name, record in records(PACKAGE, "docqa/relations").items():
        found[name] = Relation(name, **{**record, "told": items(record["told"]), "asks": items(record["asks"])})
    return found


@dataclass(slots=True, eq=False)
class _Thing:
    """Something that a document can be about, with its values by relation."""

    kind: Subject
    name: str
    values: dict[str, _Thing | str] = field(default_factory=dict)

    @property
    def with_article(self) -> str:
        return f"the {self.name}" if self.kind in WITH_ARTICLE else self.name


@dataclass(frozen=True, slots=True, eq=False)
class _Fact:
    """A fact where it stands in the text."""

    thing: _Thing
    relation: Relation
    value: _Thing | str
    text: str
    start: int

    @property
    def shown(self) -> str:
        return _name(self.value)


@dataclass(frozen=True, slots=True)
class _Question:
    """A question with its answers and the facts it needs."""

    text: str
    golds: tuple[str, ...]
    facts: tuple[_Fact, ...]
    op: str


def contexts(
    length: int, rows: int, seed: int, options: Mapping[str, str], kind: DocKind = "sh-docqa"
) -> Iterator[Context]:
    """One context of about so many tokens, with at most so many questions about one document (sh) or two (mh)."""
    if length < _SHORTEST:
        raise BadInput(f"documents for {kind} take at least {_SHORTEST} tokens, not {length}; ask for a longer context")
    rng = random.Random(f"docqa/{seed}/{length}")
    text, facts = _documents(_World(length // _PER_DOCUMENT + 12, rng).things, length, rng)
    label = length_label(length)
    source = f"{kind.replace('-', '_')}_{label}"
    id = f"{source}_{seed}"
    questions = list(_Questioner(facts, random.Random(f"docqa/{kind}/{seed}/{length}")).questions(kind, rows))
    needed = dict.fromkeys(fact for question in questions for fact in question.facts)
    ids = {fact: f"{id}/p{number}" for number, fact in enumerate(needed)}
    passages = (Passage(ids[fact], fact.text, fact.start, (fact.thing.name, fact.shown)) for fact in needed)
    queries = (_query(f"{id}/q{number}", question, ids) for number, question in enumerate(questions))
    yield Context(id, kind, source, text, tuple(passages), tuple(queries), {"length": label})


def _query(id: str, question: _Question, ids: Mapping[_Fact, str]) -> Query:
    needed = tuple(ids[fact] for fact in question.facts)
    tags = {"hop": str(len({fact.thing.name for fact in question.facts})), "op": question.op}
    return Query(id, question.text, question.golds, "contains", (needed,), tags=tags)


# ------------------------------------------------------------------ the world


class _World:
    """A made-up world: so many things, each with its values."""

    def __init__(self, size: int, rng: random.Random) -> None:
        self._rng = rng
        self._parts, self._words = lists(PACKAGE, "names"), lists(PACKAGE, "docqa/values")
        self._given: set[str] = set()
        self._by_kind: dict[Subject, list[_Thing]] = {kind: [] for kind in SHARES}
        counts = {kind: max(4, round(size * share)) for kind, share in SHARES.items()}
        self._surnames = [
            self._new(lambda: self._stem("surname_endings")) for _ in range(2 + counts["person"] // _SAME_NAME)
        ]
        self._first = [
            self._new(lambda: self._stem("first_name_endings")) for _ in range(6 + counts["person"] // _SAME_NAME)
        ]
        self._hills = [f"{self._new(self._stem)} Hills" for _ in range(3 + counts["river"] // 3)]
        self._scenes = [self._new(lambda: self._stem("city_endings")) for _ in range(3 + counts["work"] // 4)]
        for kind, count in counts.items():
            self._by_kind[kind] = [_Thing(kind, self._named(kind)) for _ in range(count)]
        self.things = [thing for things in self._by_kind.values() for thing in things]
        for thing in self._by_kind["person"]:
            thing.values["born-year"] = str(rng.randint(1740, 1960))
        for thing in self.things:
            self._settle(thing)
        rng.shuffle(self.things)

    def _named(self, kind: Subject) -> str:
        one, words, nouns = self._rng.choice, self._words, self._parts["book_nouns"]
        makers: Mapping[Subject, Callable[[], str]] = {
            "person": lambda: f"{one(self._first)} {one(self._surnames)}",
            "town": lambda: self._stem("city_endings"),
            "river": lambda: f"River {self._stem()}",
            "work": lambda: one(words["titles"]).format(noun=one(nouns), place=one(self._scenes)),
            "firm": lambda: f"{self._stem()} {one(words['firm_kinds'])}",
            "school": lambda: f"{self._stem()} {one(words['school_kinds'])}",
            "landmark": lambda: f"{self._stem()} {one(words['landmark_kinds'])}",
            "event": lambda: f"{self._stem()} {one(words['event_kinds'])}",
        }
        return self._new(makers[kind])

    def _new(self, make: Callable[[], str]) -> str:
        """A name that was not given before."""
        return new_name(make, self._given)

    def _stem(self, endings: str = "codas") -> str:
        """A name of two or three syllables that can be spoken."""
        one, parts = self._rng.choice, self._parts
        stem = one(parts["onsets"]) + one(parts["vowels"])
        if endings == "codas" or self._rng.random() < 0.6:
            stem += one(_BETWEEN) + one(parts["vowels"][:5])
        ending = one(parts[endings])
        joint = "" if endings == "codas" else one(_BETWEEN)
        return (stem + joint + ending).capitalize()

    def _settle(self, thing: _Thing) -> None:
        """Give a thing its values: nobody is younger than their pupils, or than their works."""
        for relation in relations().values():
            if relation.about == thing.kind and relation.name not in thing.values:
                value = self._value(thing, relation)
                if value is not None:
                    thing.values[relation.name] = value

    def _value(self, thing: _Thing, relation: Relation) -> _Thing | str | None:
        rng = self._rng
        match relation.value:
            case "year":
                return str(self._year(thing))
            case "people":
                return f"{rng.randint(9, 890) * 100 + rng.randrange(100):,}"
            case "kilometres":
                return f"{rng.randint(19, 940)} kilometres"
            case "metres":
                return f"{rng.randint(14, 190)} metres"
            case "hills":
                return rng.choice(self._hills)
            case "person" if thing.kind == "person":
                return self._elder(thing)
            case "person" | "town" | "river" | "work" | "firm" | "school" | "landmark" | "event" as kind:
                return rng.choice(self._by_kind[kind])
            case pool:
                return rng.choice(self._words[pool])

    def _year(self, thing: _Thing) -> int:
        maker = next((v for v in thing.values.values() if isinstance(v, _Thing) and v.kind == "person"), None)
        if maker is not None and thing.kind in ("work", "firm", "landmark", "event"):
            return int(str(maker.values["born-year"])) + self._rng.randint(21, 58)
        low, high = {"town": (1090, 1640), "school": (1580, 1730)}.get(thing.kind, (1770, 2010))
        return self._rng.randint(low, high)

    def _elder(self, thing: _Thing) -> _Thing | None:
        born = int(str(thing.values["born-year"]))
        for other in self._rng.choices(self._by_kind["person"], k=6):
            if 15 <= born - int(str(other.values["born-year"])) <= 60:
                return other
        return None


def _name(value: _Thing | str) -> str:
    return value if isinstance(value, str) else value.name


def _with_article(value: _Thing | str) -> str:
    return value if isinstance(value, str) else value.with_article


# ------------------------------------------------------------------ the documents


def _documents(things: Sequence[_Thing], length: int, rng: random.Random) -> tuple[str, list[_Fact]]:
    """Documents in a row, as many as the length holds, and what they tell."""
    parts: list[str] = []
    facts: list[_Fact] = []
    place = used = 0
    tried = 0
    for thing in things:
        body, sentences = _document(thing, rng)
        heading = f"Document {len(parts) + 1}: {thing.name}\n"
        document = f"{heading}{body}\n\n"
        size = count_tokens(document)
        if used + size > length + length // 100:
            tried += 1
            if tried > _LAST or length - used < length // 100:
                break
            continue
        parts.append(document)
        facts += (_Fact(thing, r, thing.values[r.name], s, place + len(heading) + at) for r, s, at in sentences)
        place += len(document)
        used += size
    return "".join(parts).rstrip(), facts


def _document(thing: _Thing, rng: random.Random) -> tuple[str, list[tuple[Relation, str, int]]]:
    """The text about a thing, and where in it each fact is told."""
    first, *rest = (relation for name, relation in relations().items() if name in thing.values)
    count = min(len(rest), rng.randint(*_FACTS) - 1)
    facts = [(relation, _sentence(thing, relation, rng)) for relation in (first, *rng.sample(rest, count))]
    remarks = [(None, remark) for remark in _remarks(thing.kind, rng)]
    after: list[tuple[Relation | None, str]] = [*facts[1:], *remarks]
    rng.shuffle(after)
    body = ""
    stated: list[tuple[Relation, str, int]] = []
    for relation, sentence in (facts[0], *after):
        body += " " if body else ""
        if relation is not None:
            stated.append((relation, sentence, len(body)))
        body += sentence
    return body, stated


def _sentence(thing: _Thing, relation: Relation, rng: random.Random) -> str:
    value = _with_article(thing.values[relation.name])
    article = "an" if value[0] in "aeiou" else "a"
    return _capitalised(
        rng.choice(relation.told).format(subject=thing.with_article, value=value, a_value=f"{article} {value}")
    )


def _remarks(kind: Subject, rng: random.Random) -> Iterator[str]:
    remarks = lists(PACKAGE, "docqa/remarks")
    pool = remarks[kind] + remarks["any"]
    for remark in rng.sample(pool, rng.randint(*_REMARKS)):
        yield draw(remark, rng, lists(PACKAGE, "docqa/remark_phrases")).replace("a odd", "an odd")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


# ------------------------------------------------------------------ the questions


class _Questioner:
    """Questions about what documents tell, no two alike."""

    def __init__(self, facts: Sequence[_Fact], rng: random.Random) -> None:
        self._rng = rng
        self._facts = facts
        self._answer_is_yes = True
        self._about: dict[_Thing, dict[str, _Fact]] = {}
        self._by_relation: dict[str, list[_Fact]] = {}
        self._alike: dict[tuple[str, str], list[_Fact]] = {}
        for fact in facts:
            self._about.setdefault(fact.thing, {})[fact.relation.name] = fact
            self._by_relation.setdefault(fact.relation.name, []).append(fact)
            self._alike.setdefault((fact.relation.name, fact.shown), []).append(fact)

    def questions(self, kind: DocKind, rows: int) -> Iterator[_Question]:
        """So many questions, or as many as can be asked."""
        single = (self._named, self._named, self._described)
        double = (self._bridge, self._bridge, self._bridge, self._compare_numbers, self._bridge, self._compare_values)
        makers = single if kind == "sh-docqa" else double
        seen: set[str] = set()
        number = failed = 0
        while number < rows and failed < _TRIES:
            # When nothing new is found for a while, the other kinds of questions have their turn.
            question = makers[(number + (failed // 20)) % len(makers)](self._rng.choice(self._facts))
            if question is None or question.text in seen:
                failed += 1
                continue
            seen.add(question.text)
            number, failed = number + 1, 0
            yield question

    def _named(self, fact: _Fact) -> _Question | None:
        return _Question(self._ask(fact, fact.thing.with_article), _golds(fact.value), (fact,), "named")

    def _described(self, fact: _Fact) -> _Question | None:
        """Asked of something that is not named, but described by two other facts of its document."""
        about = self._about[fact.thing]
        fitting = [
            form
            for form in records(PACKAGE, "docqa/descriptions")["descriptions"]
            if form["about"] == fact.thing.kind
            and fact.relation.name not in form["relations"]
            and all(name in about for name in form["relations"])
            and self._only(fact.thing, form)
        ]
        if not fitting:
            return None
        form = self._rng.choice(fitting)
        hints = [about[name] for name in form["relations"]]
        first, second = (_with_article(hint.value) for hint in hints)
        subject = form["text"].format(first=first, second=second)
        return _Question(self._ask(fact, subject), _golds(fact.value), (*hints, fact), "described")

    def _only(self, thing: _Thing, form: Mapping[str, Any]) -> bool:
        first, second = (
            {fact.thing for fact in self._alike[name, self._about[thing][name].shown]} for name in form["relations"]
        )
        return first & second == {thing}

    def _bridge(self, fact: _Fact) -> _Question | None:
        """From one document to a thing it names, and on to a fact of that thing's document."""
        if not fact.relation.via or not isinstance(fact.value, _Thing):
            return None
        further = [on for on in self._about.get(fact.value, {}).values() if on.value is not fact.thing]
        if not further:
            return None
        on = self._rng.choice(further)
        words = self._ask(on, fact.relation.via.format(subject=fact.thing.with_article))
        return _Question(words, _golds(on.value), (fact, on), "bridge")

    def _compare_numbers(self, fact: _Fact) -> _Question | None:
        other = self._rng.choice(self._by_relation[fact.relation.name])
        if not fact.relation.compare or _alike_names(fact, other) or _number(fact) == _number(other):
            return None
        form = self._rng.choice(fact.relation.compare)
        right = (min if form["answer"] == "lower" else max)((fact, other), key=_number)
        text = _capitalised(form["asks"].format(a=fact.thing.with_article, b=other.thing.with_article))
        return _Question(text, _golds(right.thing), (fact, other), "compare")

    def _compare_values(self, fact: _Fact) -> _Question | None:
        """Whether two have something in common; yes and no take turns."""
        alike = self._alike[fact.relation.name, fact.shown]
        other = self._rng.choice(alike if self._answer_is_yes else self._by_relation[fact.relation.name])
        if not fact.relation.same or _alike_names(fact, other) or (fact.shown == other.shown) != self._answer_is_yes:
            return None
        self._answer_is_yes = not self._answer_is_yes
        text = fact.relation.same.format(a=fact.thing.with_article, b=other.thing.with_article)
        return _Question(text, ("yes" if fact.shown == other.shown else "no",), (fact, other), "same")

    def _ask(self, fact: _Fact, subject: str) -> str:
        return _capitalised(self._rng.choice(fact.relation.asks).format(subject=subject))


def _golds(value: _Thing | str) -> tuple[str, ...]:
    """A value as answers name it: of a river, its name alone will do."""
    name = _name(value)
    short = name.removeprefix("River ") if isinstance(value, _Thing) and value.kind == "river" else name
    return tuple(dict.fromkeys((name, short)))


def _alike_names(fact: _Fact, other: _Fact) -> bool:
    """Whether one thing's name is part of the other's, or both are the same thing."""
    return fact.thing.name in other.thing.name or other.thing.name in fact.thing.name


def _number(fact: _Fact) -> int:
    found = _NUMBER.search(fact.shown)
    return int(found[0].replace(",", "")) if found else 0
