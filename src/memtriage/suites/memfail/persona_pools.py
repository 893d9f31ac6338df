"""Names, and the shapes in which Persona-Retrieval keeps its facts.

How a fact is written: `{slot}` is one of the slot's values, the same in sentence and answer; `[...]` marks a critical
detail in the sentence; `<a|b>` is a free choice of words. `{S} {he} {him} {his} {P}` are the person as subject, object
or possessive: the first of them in a sentence may become the first name, the others stay pronouns. `{first}` is the
first name, `{F}` the full name, and `{X}` in a question whoever it asks about. ` || ` separates whole alternatives.
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

FLAVORS: tuple[str, ...] = (
    "a meticulous indoor gardener with strong opinions about humidity",
    "a lapsed competitive swimmer who now coaches youth weekend meets",
    "a sound engineer obsessed with vintage analog gear",
    "a part-time pastry chef who does math research on the side",
    "a long-distance hiker training for the Pacific Crest Trail",
    "a retired ER nurse who took up woodworking after retirement",
    "a beekeeper-turned-marketing-consultant who still keeps three hives",
    "an amateur astronomer who hates city light pollution",
    "a freelance translator working between Portuguese and Korean",
    "a cybersecurity researcher who collects vintage typewriters",
    "a former competitive figure skater now running a small tea shop",
    "a chef-instructor who teaches knife skills at a community college",
    "an opera singer who is also a part-time auto mechanic",
    "an architect specializing in adaptive reuse of old factories",
    "a wildlife photographer focused on owls in the Pacific Northwest",
    "a high-school chemistry teacher who restores vintage motorcycles",
    "a marathoner with a rare allergy to most stone fruits",
    "a bookbinder who designs board games on weekends",
    "a software engineer who breeds carnivorous plants",
    "a paramedic who plays cello in a community orchestra",
    "a former diplomat now running a pottery studio",
    "a cartographer obsessed with historic shipwrecks",
    "a dog trainer specializing in working breeds",
    "a forensic accountant who writes science fiction novels",
    "a glassblower with severe pollen allergies",
    "a sommelier transitioning to non-alcoholic beverage consulting",
    "a former orchestra conductor who now teaches sailing",
    "a museum conservator focused on 19th-century photographs",
    "a competitive bridge player who works as an actuary",
    "a backcountry ski guide who restores antique furniture in summer",
)
"""The thirty ways of life that essays are built around."""

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
