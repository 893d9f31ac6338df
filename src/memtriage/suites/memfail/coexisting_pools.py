"""Kinds of words and the sentence frames shared by all Coexisting-Facts categories (data only).

Brackets in situations and requests hold alternatives: `[on Saturday|next week]` is one or the other.

Frames are filled with
    x, X   the preference as one thing ("a fedora", "sushi", "tacos"), X at the start of a sentence
    g, G   the preference as a kind ("fedoras"); is, has, gis: the verb that goes with x and with g
    s      the -s that a noun takes where x is plural ("my favorite brain-teaser{s}")
    occ    when it is wanted ("on frosty dog walks"), Occ at the start of a sentence
    pt     what it does for the speaker, as a predicate ("hides my bed head")
    they, They, them   the pronoun for x
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["s", "p", "m", "t", "tp"]
"""Grammar of a preference: s "a fedora", p "tacos", m "sushi", t "the cello", tp "the Highlands"."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One thing somebody may like, when they want it and what it does for them.

    `tail` is the noun that a bare adjective needs in a sentence: "Thai" is said as "Thai food".
    """

    name: str
    kind: Kind
    occasions: tuple[str, ...]
    points: tuple[str, ...]
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    """One preference category: its preferences, and the scenarios in which all of them matter.

    `frames` are written for the category, so that its verbs and nouns sit where people put them ("On ferry rides,
    I carry {x}."). Things wished for rather than had are spoken of in the category's own frames only.
    """

    name: str
    nouns: tuple[str, ...]
    frames: tuple[str, ...]
    topics: tuple[str, ...]
    situations: tuple[str, ...]
    requests: tuple[str, ...]
    preferences: tuple[Preference, ...]
    own_frames_only: bool = False


# Frames that fit every category, without a word of it.
PLAIN_FRAMES: tuple[str, ...] = (
    "{X} {is} my go-to {occ}.",
    "{Occ}, nothing beats {x} for me.",
    "I'm a big fan of {g}, especially {occ}.",
    "{Occ}, I love {x}.",
    "I have a soft spot for {g}, most of all {occ}.",
    "I love {x} most {occ}.",
    "I'm especially fond of {g} {occ}.",
    "I love {x} because {they} {pt}.",
    "What I like about {x} is that {they} {pt}.",
    "{X} {is} a favorite of mine because {they} {pt}.",
    "The best thing about {x}, if you ask me, is that {they} {pt}.",
    "I've always been fond of {x}, since {they} {pt}.",
    "{X} {has} long been a favorite of mine; {they} {pt}.",
    "{Occ}, I love {x}, because {they} {pt}.",
    "I like {x} best {occ}. {They} {pt}.",
)

# Requests that fit every situation; {noun} is a plural noun of the category.
REQUESTS: tuple[str, ...] = (
    "what {noun} should I go with?",
    "what {noun} would suit me best?",
    "what {noun} should I have in mind?",
    "which {noun} should be part of it?",
    "which {noun} should I make sure to include?",
    "what {noun} would you line up for me?",
    "which {noun} should I consider?",
    "which {noun} would be the right mix for me?",
    "what {noun} would be right for me?",
    "what {noun} would you suggest for me?",
    "which {noun} should I choose?",
    "what {noun} would fit my tastes?",
    "what {noun} should I be thinking about?",
    "what {noun} would I be happy with?",
    "which {noun} should I not leave out?",
)

# A lead names what the question is about in other words than the request does.
LEADS: tuple[str, ...] = (
    "when it comes to {topic}, ",
    "in terms of {topic}, ",
    "with {topic} in mind, ",
    "given what I've told you about {topic}, ",
    "going by what I've said about {topic}, ",
    "judging by what I've said about {topic}, ",
    "from what you know about me and {topic}, ",
    "considering what I like about {topic}, ",
)

TAILS: tuple[str, ...] = (
    " to cover everything I like about {topic}",
    " if you go by what I've said about {topic}",
    " with what I like about {topic} in mind",
)

JOINERS: tuple[str, ...] = (". ", ". ", ". ", "; ", " — ", ", so ")
