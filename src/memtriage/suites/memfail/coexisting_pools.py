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
    "{X} {is} {a_item} I look forward to {occ}.",
    "For {a_item} {occ}, I turn to {x}.",
    "{Occ}, I want {a_item}, and that means {x}.",
    "As {a_item}, {x} {is} just what I need {occ}.",
    "I love {g} as {a_item}, especially {occ}.",
    "{G} {gis} {a_item} I'm fond of, particularly {occ}.",
    "{Occ}, I go for {x} as {a_item}.",
    "I count on {x} as {a_item} {occ}.",
    "I like {x} as {a_item} {occ}.",
    "{Occ}, I think of {x} as the perfect {item}.",
)

NAMED_POINT_FRAMES: tuple[str, ...] = (
    "{X} {is} the {item} I love because {they} {pt}.",
    "{X} {is} my favorite {item} because {they} {pt}.",
    "One {item} I love is {x}, since {they} {pt}.",
    "I see {x} as the perfect {item}, as {they} {pt}.",
    "As {a_item}, {x} {pt}.",
    "For {a_item}, I turn to {x} because {they} {pt}.",
    "{X} {pt}, and that's why I love {them} as {a_item}.",
    "I enjoy {x} as {a_item}; {they} {pt}.",
    "What makes {x} such a good {item} is that {they} {pt}.",
    "I rate {x} highly as {a_item}, because {they} {pt}.",
    "{X} {is} a wonderful {item}: {they} {pt}.",
    "I've found {x} to be a great {item}, since {they} {pt}.",
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

# Situations that fit every category; {topic} says what they are about.
SITUATIONS: tuple[str, ...] = (
    "I'm filling in a long questionnaire about {topic} [for a magazine|for a university study|to join a club]",
    "I'm putting together a page about {topic} [for my website|for a family album|for an online profile]",
    "I'm giving a short talk about {topic} [at work|at the library|at my club] and want it to be personal",
    "Somebody at work wants my recommendations on {topic} [by Friday|before the holidays|for a friend]",
    "I'm stuck in a rut with {topic} and want to go back to what I love [this week|from now on|this season]",
    "A podcaster is interviewing me about {topic} [tomorrow|on Thursday|over breakfast]",
    "My sister has become curious about {topic} and wants to try things my way [this summer|for a month]",
    "I'm drawing up a plan for {topic} that will last [all winter|until summer|ten weeks]",
    "I'm setting up an app that gives tips on {topic} [tonight|on my new phone|before a trip]",
    "I lost my notes on {topic} [in a move|when my phone died|on a train] and I'm starting the list again",
    "I'm rethinking {topic} [this month|after a hard year] and want to build on what has always worked for me",
    "A friend and I are comparing notes on {topic} [over coffee|on a long walk] and it's my turn to talk",
    "A coach is helping me with {topic} [over six weeks|on Tuesdays] and wants to start from what I love",
    "I'm writing an article about {topic} [for the local paper|for my blog|for a newsletter] from my own point of view",
    "I'd like to spend [this spring|next month|the coming season] getting the best out of {topic}",
    "My new roommate asked me about {topic} [on the first evening|over dinner] and I want to give a proper answer",
    "I've started a board of ideas about {topic} [on my wall|on my phone|in my notebook] and it's still blank",
    "I'm preparing a [short video|slide show|one-page guide] on {topic} that should sound like me",
    "A quiz about {topic} [in the Sunday paper|on a dating site] wants to know where my heart lies",
    "I'm telling my [daughter|new colleagues|neighbors] about my life with {topic} [tonight|on Sunday]",
    "My uncle wants to talk about {topic} [on our drive north|at the family lunch] and I need to gather my thoughts",
    "I have a free [evening|afternoon|day] to sort out everything to do with {topic} [this week|before I travel]",
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
    "going by my habits with {topic}, ",
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
