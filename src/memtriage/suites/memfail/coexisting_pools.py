"""Kinds of words and the sentence frames shared by all Coexisting-Facts categories (data only).

Brackets in situations and requests hold alternatives: `[on Saturday|next week]` is one or the other.

Frames are filled with
    x, X   the preference as one thing ("a fedora", "sushi", "tacos"), X at the start of a sentence
    g, G   the preference as a kind ("fedoras"); is, has, gis: the verb that goes with x and with g
    occ    when it is wanted ("on frosty dog walks"), Occ at the start of a sentence
    pt     what it does for the speaker, as a predicate ("hides my bed head")
    they, They, them   the pronoun for x
    item, a_item   what the preference is, in words of the category ("piece of headwear"), plain and with a or an
    v      a verb of the category ("wear")
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
    """One preference category: its preferences, and the scenarios in which all of them matter."""

    name: str
    noun: str
    items: tuple[str, ...]
    topics: tuple[str, ...]
    verbs: tuple[str, ...]
    situations: tuple[str, ...]
    requests: tuple[str, ...]
    preferences: tuple[Preference, ...]
    occasion_frames: tuple[str, ...] = ()


OCCASION_FRAMES: tuple[str, ...] = (
    "{X} {is} my go-to {occ}.",
    "{Occ}, I turn to {x}.",
    "I always {v} {x} {occ}.",
    "{Occ}, nothing beats {x} for me.",
    "I'm a big fan of {g}, especially {occ}.",
    "{X} {is} what I want {occ}.",
    "{Occ}, I usually {v} {x}.",
    "My choice {occ} is {x}.",
    "I tend to {v} {g} {occ}.",
    "If you ask me, there's nothing like {x} {occ}.",
    "I find {g} perfect {occ}.",
    "I have a soft spot for {g}, most of all {occ}.",
    "{Occ}, my first thought is {x}.",
    "{G} {gis} among my favorites, particularly {occ}.",
    "I look forward to {x} {occ}.",
    "{Occ}, I like to {v} {x}.",
    "I count on {x} {occ}.",
    "{Occ}, it has to be {x} for me.",
    "I gladly {v} {x} {occ}.",
    "{X} {is} hard for me to resist {occ}.",
)

NAMED_OCCASION_FRAMES: tuple[str, ...] = (
    "{X} {is} my go-to {item} {occ}.",
    "{X} {is} my favorite {item} {occ}.",
    "{Occ}, my favorite {item} is {x}.",
    "{Occ}, {x} {is} the {item} for me.",
    "My preferred {item} {occ} is {x}.",
    "{X} {is} the {item} I want {occ}.",
    "The {item} I like best {occ} is {x}.",
    "I can't think of a better {item} than {x} {occ}.",
    "{X} {is} always my {item} {occ}.",
    "For {a_item} {occ}, I turn to {x}.",
    "{Occ}, I want {a_item}, and that means {x}.",
    "As {a_item}, {x} {is} just what I need {occ}.",
    "I love {g} as {a_item}, especially {occ}.",
    "{G} {gis} {a_item} I'm fond of, particularly {occ}.",
    "{Occ}, I go for {x} as my {item}.",
    "I count on {x} as my {item} {occ}.",
    "I like {x} as {a_item} {occ}.",
    "{Occ}, the {item} on my mind is {x}.",
)

NAMED_POINT_FRAMES: tuple[str, ...] = (
    "{X} {is} the {item} I love because {they} {pt}.",
    "{X} {is} my favorite {item} because {they} {pt}.",
    "A favorite {item} of mine is {x}, since {they} {pt}.",
    "I see {x} as the perfect {item}, as {they} {pt}.",
    "As {a_item}, {x} {pt}.",
    "For {a_item}, I turn to {x} because {they} {pt}.",
    "{X} {pt}, and that's why {they} {is} a favorite {item} of mine.",
    "I enjoy {x} as {a_item}; {they} {pt}.",
    "What makes {x} such a good {item} is that {they} {pt}.",
    "I rate {x} highly as {a_item}, because {they} {pt}.",
    "{X} {is} a wonderful {item}: {they} {pt}.",
    "I've found a great {item} in {x}, since {they} {pt}.",
)

POINT_FRAMES: tuple[str, ...] = (
    "{X} {pt}.",
    "{X} {pt}, so I keep coming back to {them}.",
    "I love {x} because {they} {pt}.",
    "I'm drawn to {x} because {they} {pt}.",
    "What I like about {x} is that {they} {pt}.",
    "I enjoy {x}, since {they} {pt}.",
    "{X} {is} a favorite of mine because {they} {pt}.",
    "I often {v} {x} because {they} {pt}.",
    "I'll always have time for {x}. {They} {pt}.",
    "{X} {has} long been a favorite of mine; {they} {pt}.",
    "The best thing about {x} is that {they} {pt}.",
    "{X} {pt}, and I wouldn't want to miss {them}.",
)

OCCASION_AND_POINT_FRAMES: tuple[str, ...] = (
    "{Occ}, I turn to {x} because {they} {pt}.",
    "{X} {is} my pick {occ}. {They} {pt}.",
    "I love {x} {occ}; {they} {pt}.",
    "{Occ}, {x} {is} just right for me. {They} {pt}.",
    "I like {x} best {occ}. {They} {pt}.",
)

# Requests that fit every situation; {noun} is the category's plural or mass noun.
REQUESTS: tuple[str, ...] = (
    "what {noun} should I go with?",
    "what {noun} would suit me best?",
    "what {noun} should I have in mind?",
    "what {noun} should be part of it?",
    "what {noun} should I make sure to include?",
    "what {noun} would you line up for me?",
    "what {noun} should I consider?",
    "what {noun} would be the right mix for me?",
    "what {noun} would be right for me?",
    "what {noun} would you suggest for me?",
    "what {noun} should I choose?",
    "what {noun} would fit me?",
    "what {noun} should I be thinking about?",
    "what {noun} could I be happy with?",
    "what {noun} would you name for me?",
    "what {noun} should I not leave out?",
)

# A lead names what the question is about in words that differ from the category's noun.
LEADS: tuple[str, ...] = (
    "when it comes to {topic}, ",
    "knowing my taste in {topic}, ",
    "given what I like in {topic}, ",
    "as for {topic}, ",
    "in terms of {topic}, ",
    "thinking of {topic}, ",
    "with my love of {topic}, ",
    "seeing how I feel about {topic}, ",
    "on the subject of {topic}, ",
    "going by my habits in {topic}, ",
)

TAILS: tuple[str, ...] = (
    " to cover everything I like in {topic}",
    " to do justice to my taste in {topic}",
    " to keep my {noun} varied",
    " to reflect all I enjoy about {topic}",
    " for a good mix of {noun}",
    " to make the most of my love of {topic}",
)

JOINERS: tuple[str, ...] = (". ", ". ", ". ", "; ", " — ", ", so ")
