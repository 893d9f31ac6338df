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
    noun: str
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
    "{Occ}, my first choice is {x}.",
    "I have a soft spot for {g}, most of all {occ}.",
    "I love {x} most {occ}.",
    "{Occ}, there's nothing I like better than {x}.",
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
