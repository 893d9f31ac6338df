"""Questions about documents: a few sentences that matter, among many documents about a made-up world.

Every document is about one person, town, river, work, firm, school, landmark or event, and tells several things of it
and of others that have documents of their own. Each thing is told once in the whole context. Names are shared between
people, and titles are alike, so that a name's half finds the wrong document too.

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
"""Tokens, somewhat below the mean: more of the world is made than is told."""
_FACTS = (4, 6)
_REMARKS = (2, 4)
_LAST = 40
"""How many documents are tried for the room that is left at the end."""
_TRIES = 400
"""After so many questions in a row that could not be asked, there are no more."""

_NUMBER = re.compile(r"\d[\d,]*")
_BETWEEN = "d l m n r s t k v".split()
"""Consonants that stand between two syllables."""
_SAME_NAME = 3
"""How many people share a surname, on average."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing that is told of a subject; what the fields mean stands in its file, docqa/relations.toml."""

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
    """Something with a document: what holds for it, by relation."""

    kind: Subject
    name: str
    values: dict[str, _Thing | str] = field(default_factory=dict)

    @property
    def spoken(self) -> str:
        return f"the {self.name}" if self.kind in WITH_ARTICLE else self.name


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
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
class _Asked:
    """A question with its answers and the facts it needs."""

    text: str
    golds: tuple[str, ...]
    facts: tuple[_Told, ...]
    op: str


def contexts(
    length: int, rows: int, seed: int, options: Mapping[str, str], kind: DocKind = "sh-docqa"
) -> Iterator[Context]:
    """One context of about so many tokens, with at most so many questions about one document (sh) or two (mh)."""
    if length < _SHORTEST:
        raise BadInput(f"documents for {kind} take at least {_SHORTEST} tokens, not {length}; ask for a longer context")
    rng = random.Random(f"docqa/{seed}/{length}")
    text, told = _written(_World(length // _PER_DOCUMENT + 12, rng).things, length, rng)
    label = length_label(length)
    source = f"{kind.replace('-', '_')}_{label}"
    id = f"{source}_{seed}"
    asked = list(_Asking(told, random.Random(f"docqa/{kind}/{seed}/{length}")).questions(kind, rows))
    needed = dict.fromkeys(fact for one in asked for fact in one.facts)
    ids = {fact: f"{id}/p{number}" for number, fact in enumerate(needed)}
    passages = (Passage(ids[fact], fact.text, fact.start, (fact.thing.name, fact.shown)) for fact in needed)
    queries = (_query(f"{id}/q{number}", one, ids) for number, one in enumerate(asked))
    yield Context(id, kind, source, text, tuple(passages), tuple(queries), {"length": label})


def _query(id: str, one: _Asked, ids: Mapping[_Told, str]) -> Query:
    documents = len({fact.thing.name for fact in one.facts})
    needed = tuple(ids[fact] for fact in one.facts)
    return Query(id, one.text, one.golds, "contains", (needed,), tags={"hop": str(documents), "op": one.op})


# ------------------------------------------------------------------ the world


class _World:
    """So many things, each with values for what can be told of it."""

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
        """Give a thing its values: nobody is younger than their pupils, or than what they made."""
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


def _spoken(value: _Thing | str) -> str:
    return value if isinstance(value, str) else value.spoken


# ------------------------------------------------------------------ the documents


def _written(things: Sequence[_Thing], length: int, rng: random.Random) -> tuple[str, list[_Told]]:
    """Documents in a row, as many as the length holds, and what they tell."""
    parts: list[str] = []
    told: list[_Told] = []
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
        told += (_Told(thing, r, thing.values[r.name], s, place + len(heading) + at) for r, s, at in sentences)
        place += len(document)
        used += size
    return "".join(parts).rstrip(), told


def _document(thing: _Thing, rng: random.Random) -> tuple[str, list[tuple[Relation, str, int]]]:
    """The text about a thing, and where in it each fact is told."""
    first, *rest = (relation for name, relation in relations().items() if name in thing.values)
    count = min(len(rest), rng.randint(*_FACTS) - 1)
    facts = [(relation, _sentence(thing, relation, rng)) for relation in (first, *rng.sample(rest, count))]
    remarks = [(None, remark) for remark in _remarks(thing.kind, rng)]
    after: list[tuple[Relation | None, str]] = [*facts[1:], *remarks]
    rng.shuffle(after)
    body = ""
    told: list[tuple[Relation, str, int]] = []
    for relation, sentence in (facts[0], *after):
        body += " " if body else ""
        if relation is not None:
            told.append((relation, sentence, len(body)))
        body += sentence
    return body, told


def _sentence(thing: _Thing, relation: Relation, rng: random.Random) -> str:
    value = _spoken(thing.values[relation.name])
    article = "an" if value[0] in "aeiou" else "a"
    return _capital(rng.choice(relation.told).format(subject=thing.spoken, value=value, a_value=f"{article} {value}"))


def _remarks(kind: Subject, rng: random.Random) -> Iterator[str]:
    remarks = lists(PACKAGE, "docqa/remarks")
    pool = remarks[kind] + remarks["any"]
    for remark in rng.sample(pool, rng.randint(*_REMARKS)):
        yield draw(remark, rng, lists(PACKAGE, "docqa/remark_phrases")).replace("a odd", "an odd")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ------------------------------------------------------------------ the questions


class _Asking:
    """Questions about what documents tell, no two alike."""

    def __init__(self, told: Sequence[_Told], rng: random.Random) -> None:
        self._rng = rng
        self._told = told
        self._yes = True
        self._about: dict[_Thing, dict[str, _Told]] = {}
        self._with: dict[str, list[_Told]] = {}
        self._alike: dict[tuple[str, str], list[_Told]] = {}
        for fact in told:
            self._about.setdefault(fact.thing, {})[fact.relation.name] = fact
            self._with.setdefault(fact.relation.name, []).append(fact)
            self._alike.setdefault((fact.relation.name, fact.shown), []).append(fact)

    def questions(self, kind: DocKind, rows: int) -> Iterator[_Asked]:
        """So many questions, or as many as can be asked."""
        single = (self._named, self._named, self._described)
        double = (self._bridge, self._bridge, self._bridge, self._compared, self._bridge, self._same)
        makers = single if kind == "sh-docqa" else double
        seen: set[str] = set()
        number = failed = 0
        while number < rows and failed < _TRIES:
            # After a while of nothing new, whatever can still be asked will do.
            asked = makers[(number + (failed // 20)) % len(makers)](self._rng.choice(self._told))
            if asked is None or asked.text in seen:
                failed += 1
                continue
            seen.add(asked.text)
            number, failed = number + 1, 0
            yield asked

    def _named(self, fact: _Told) -> _Asked | None:
        return _Asked(self._ask(fact, fact.thing.spoken), _golds(fact.value), (fact,), "named")

    def _described(self, fact: _Told) -> _Asked | None:
        """Asked of something that is not named, but told by two other facts of its document."""
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
        first, second = (_spoken(hint.value) for hint in hints)
        subject = form["text"].format(first=first, second=second)
        return _Asked(self._ask(fact, subject), _golds(fact.value), (*hints, fact), "described")

    def _only(self, thing: _Thing, form: Mapping[str, Any]) -> bool:
        one, two = (
            {fact.thing for fact in self._alike[name, self._about[thing][name].shown]} for name in form["relations"]
        )
        return one & two == {thing}

    def _bridge(self, fact: _Told) -> _Asked | None:
        """From one document to a thing it names, and on to what that one's document tells."""
        if not fact.relation.via or not isinstance(fact.value, _Thing):
            return None
        further = [on for on in self._about.get(fact.value, {}).values() if on.value is not fact.thing]
        if not further:
            return None
        on = self._rng.choice(further)
        words = self._ask(on, fact.relation.via.format(subject=fact.thing.spoken))
        return _Asked(words, _golds(on.value), (fact, on), "bridge")

    def _compared(self, fact: _Told) -> _Asked | None:
        other = self._rng.choice(self._with[fact.relation.name])
        if not fact.relation.compare or _confusing(fact, other) or _number(fact) == _number(other):
            return None
        form = self._rng.choice(fact.relation.compare)
        right = (min if form["answer"] == "lower" else max)((fact, other), key=_number)
        text = _capital(form["asks"].format(a=fact.thing.spoken, b=other.thing.spoken))
        return _Asked(text, _golds(right.thing), (fact, other), "compare")

    def _same(self, fact: _Told) -> _Asked | None:
        """Whether two have something in common; yes and no take turns."""
        alike = self._alike[fact.relation.name, fact.shown]
        other = self._rng.choice(alike if self._yes else self._with[fact.relation.name])
        if not fact.relation.same or _confusing(fact, other) or (fact.shown == other.shown) != self._yes:
            return None
        self._yes = not self._yes
        text = fact.relation.same.format(a=fact.thing.spoken, b=other.thing.spoken)
        return _Asked(text, ("yes" if fact.shown == other.shown else "no",), (fact, other), "same")

    def _ask(self, fact: _Told, subject: str) -> str:
        return _capital(self._rng.choice(fact.relation.asks).format(subject=subject))


def _golds(value: _Thing | str) -> tuple[str, ...]:
    """A value as answers name it: of a river, its name alone will do."""
    name = _name(value)
    short = name.removeprefix("River ") if isinstance(value, _Thing) and value.kind == "river" else name
    return tuple(dict.fromkeys((name, short)))


def _confusing(one: _Told, other: _Told) -> bool:
    """Whether two can't be told apart by their names, or are the same."""
    return one.thing.name in other.thing.name or other.thing.name in one.thing.name


def _number(fact: _Told) -> int:
    found = _NUMBER.search(fact.shown)
    return int(found[0].replace(",", "")) if found else 0
