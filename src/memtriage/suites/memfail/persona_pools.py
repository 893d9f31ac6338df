"""Names, and the shapes in which Persona-Retrieval keeps its facts.

How a fact is written: `{slot}` is one of the slot's values, the same in sentence, question and answer; `[...]` marks
a critical detail in the sentence; `<a|b>` is a free choice of words. `{S}` and `{P}` are the person (subject and
possessive) by first name or pronoun, `{he} {him} {his} {himself}` the pronoun, `{first}` the first name, `{F}` the
full name, and `{X}` in a question whoever it asks about. ` || ` separates whole alternatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SHE = (
    "Ava Thompson|Maya Patel|Zoe Kim|Priya Shah|Sofia Nguyen|Elena Rossi|Amara Okafor|Hana Sato|Nia Williams|"
    "Clara Schmidt|Yuki Tanaka|Imani Johnson|Leila Haddad|Anya Volkov|Mei Zhang"
).split("|")
HE = (
    "Liam Carter|Noah Brooks|Ethan Rivera|Lucas Bennett|Daniel Park|Marcus Lee|Jonas Weber|Theo Laurent|Ravi Iyer|"
    "Diego Alvarez|Sasha Petrov|Felix Andersen|Owen Murphy|Caleb Foster|Tomas Costa"
).split("|")

NAMES: tuple[str, ...] = tuple(name for pair in zip(SHE, HE, strict=True) for name in pair)
"""The thirty people that essays and questions are about."""

ALTERNATIVE = " || "


@dataclass(frozen=True, slots=True)
class Trait:
    """One idiosyncratic fact: how the essay says it, how one asks for it, and the answer.

    Two traits that share a topic never stand in one essay: they could contradict each other.
    """

    says: tuple[str, ...]
    asks: tuple[str, ...]
    answer: str
    topics: frozenset[str] = frozenset()
    slots: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flavor:
    """A way of life: sentences that open and fill an essay, and the traits that go with it."""

    name: str
    opens: tuple[str, ...]
    scenes: tuple[str, ...]
    traits: tuple[Trait, ...]
    avoids: frozenset[str] = frozenset()


def trait(says: str, asks: str, answer: str, topics: str = "", **slots: str) -> Trait:
    """A trait from its written form; slot values are separated by `|`, topics by spaces."""
    return Trait(
        tuple(says.split(ALTERNATIVE)),
        tuple(asks.split(ALTERNATIVE)),
        answer,
        frozenset(topics.split()),
        {name: tuple(values.split("|")) for name, values in slots.items()},
    )


def flavor(name: str, opens: str, scenes: str, *traits: Trait, avoids: str = "") -> Flavor:
    """A flavour from its written form."""
    return Flavor(
        name, tuple(opens.split(ALTERNATIVE)), tuple(scenes.split(ALTERNATIVE)), traits, frozenset(avoids.split())
    )
