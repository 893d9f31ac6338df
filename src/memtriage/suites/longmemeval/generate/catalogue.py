"""What users and assistants can tell, how they tell it, and how it can be asked about: the suite's words as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from memtriage.suites.kit.words import items, lists, records
from memtriage.suites.longmemeval.attributes import PACKAGE, groups
from memtriage.suites.longmemeval.generate.values import Values, number_range


@dataclass(frozen=True, slots=True)
class UserFact:
    """One fact about a user that can change; the templates hold `{value}`."""

    attribute: str
    name: str
    values: Values
    tells: tuple[str, ...]
    update: str
    ask: str
    ask_former: str
    answer: str
    swap: tuple[str, str] | None

    @classmethod
    def of(cls, attribute: str, name: str, record: Mapping[str, Any]) -> UserFact:
        """The fact that a record of the words describes."""
        return cls(
            attribute,
            name,
            Values.of(record),
            items(record["tell"]),
            record.get("update", ""),
            record["ask"],
            record.get("ask_former", ""),
            record.get("answer", "{value}"),
            next(iter(record.get("swap", {}).items()), None),
        )

    @property
    def key(self) -> str:
        """What telling it speaks about."""
        return f"{self.attribute}#{self.name}"


@dataclass(frozen=True, slots=True)
class Topic:
    """What a chat on an attribute is about, what one can ask advice on, and the facts that may be told."""

    attribute: str
    about: str
    aspects: tuple[str, ...]
    facts: tuple[UserFact, ...]

    @classmethod
    def of(cls, attribute: str, record: Mapping[str, Any]) -> Topic:
        """The topic that a record of the words describes."""
        facts = tuple(UserFact.of(attribute, name, fact) for name, fact in record["facts"].items())
        return cls(attribute, record["about"], items(record["aspects"]), facts)


@dataclass(frozen=True, slots=True)
class Event:
    """Something done on a day: as told, and in other words as asked after `I` and after `did I`."""

    attribute: str
    number: int
    told: str
    asked: str
    base: str

    @property
    def key(self) -> str:
        """What telling it speaks about."""
        return f"{self.attribute}#event{self.number}"


@dataclass(frozen=True, slots=True)
class Collection:
    """Things of a kind with a figure each; `asks` by `count`, `sum`, `diff`, `most`, `when`."""

    attribute: str
    items: tuple[str, ...]
    unit: str
    figures: range
    tells: tuple[str, ...]
    asks: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Link:
    """Two figures told apart and joined by an operation."""

    attributes: tuple[str, str]
    values: tuple[Values, Values]
    tells: tuple[str, str]
    ask: str
    op: str
    unit: str


@dataclass(frozen=True, slots=True)
class Preference:
    """A taste, the advice asked for later, and what a personal answer uses; the templates hold `{value}`."""

    attribute: str
    number: int
    values: Values
    tell: str
    ask: str
    rubric: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list the assistant can give: `names` says which pool its entries come from, `remarks` what is said of them."""

    attribute: str
    number: int
    names: str
    request: str
    title: str
    one: str
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rota:
    """A rota the assistant can draw up: what was asked for, what it is called, and the two jobs of a day."""

    attribute: str
    request: str
    title: str
    jobs: tuple[str, str]


@cache
def topics() -> Mapping[str, Topic]:
    """The topics by attribute: all 164 of them."""
    found: dict[str, Topic] = {}
    for group, of_group in groups().items():
        words = records(PACKAGE, f"topics/{group}")
        for name in items(of_group["names"]):
            attribute = f"{group}/{name}"
            found[attribute] = Topic.of(attribute, words[name])
    return found


@cache
def user_facts() -> tuple[UserFact, ...]:
    """Every fact of every attribute."""
    return tuple(fact for topic in topics().values() for fact in topic.facts)


@cache
def events() -> tuple[Event, ...]:
    """Every event."""
    listed = [(attribute, one) for attribute, some in records(PACKAGE, "events").items() for one in some]
    return tuple(Event(attribute, number, **one) for number, (attribute, one) in enumerate(listed))


@cache
def collections() -> tuple[Collection, ...]:
    """Every kind of thing that can be counted and summed."""
    return tuple(
        Collection(
            attribute,
            items(one["items"]),
            one["unit"],
            number_range(one["figures"]),
            items(one["tells"]),
            {op: one[op] for op in ("count", "sum", "diff", "most", "when")},
        )
        for attribute, one in records(PACKAGE, "collections").items()
    )


@cache
def links() -> tuple[Link, ...]:
    """Every pair of figures that a question joins."""
    return tuple(
        Link(
            (one["attributes"][0], one["attributes"][1]),
            (Values.of(one["a"]), Values.of(one["b"])),
            (one["tell_a"], one["tell_b"]),
            one["ask"],
            one["op"],
            one.get("unit", ""),
        )
        for one in records(PACKAGE, "links")["links"]
    )


@cache
def preferences() -> tuple[Preference, ...]:
    """Every preference."""
    return tuple(
        Preference(attribute, number, Values.of(one), one["tell"], one["ask"], one["rubric"])
        for number, (attribute, one) in enumerate(records(PACKAGE, "preferences").items())
    )


@cache
def listings() -> tuple[Listing, ...]:
    """Every list the assistant can give."""
    return tuple(
        Listing(attribute, number, one["name"], one["request"], one["title"], one["one"], items(one["remarks"]))
        for number, (attribute, one) in enumerate(records(PACKAGE, "lists").items())
    )


@cache
def rotas() -> tuple[Rota, ...]:
    """Every rota the assistant can draw up."""
    return tuple(
        Rota(attribute, one["request"], one["title"], (one["jobs"][0], one["jobs"][1]))
        for attribute, one in records(PACKAGE, "rotas").items()
    )


def phrases(kind: str) -> tuple[str, ...]:
    """The ways to ask or tell something, such as `between`."""
    return lists(PACKAGE, "questions")[kind]
