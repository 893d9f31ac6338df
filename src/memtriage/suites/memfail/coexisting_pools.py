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

# Situations that fit every category; {topic} says what they are about, and a mention is asked for.
SITUATIONS: tuple[str, ...] = (
    "I'm filling in a long questionnaire about {topic} [for a magazine|for a university study|to join a club]",
    "I'm putting together a page about {topic} [for my website|for a family album|for an online profile]",
    "I'm giving a short talk about {topic} [at work|at the library|at my club] and want it to be personal",
    "A podcaster is interviewing me about {topic} [tomorrow|on Thursday|over breakfast]",
    "I lost my notes on {topic} [in a move|when my phone died|on a train] and I'm writing them again from scratch",
    "A friend and I are comparing notes on {topic} [over coffee|on a long walk] and it's my turn to talk",
    "I'm writing an article about {topic} [for the local paper|for my blog|for a newsletter] from my own point of view",
    "My new roommate asked me about {topic} [on the first evening|over dinner] and I want to give a proper answer",
    "I'm preparing a [short video|slide show|one-page guide] on {topic} that should sound like me",
    "My uncle wants to talk about {topic} [on our drive north|at the family lunch] and I need to gather my thoughts",
    "A researcher is surveying people about {topic} [by phone|at the mall|online] and I said I'd take part",
    "My pen pal in [Norway|Chile|Japan] asked about {topic} in her last letter and I'm writing back [tonight|today]",
    "The [office newsletter|alumni magazine|village paper] has a column on {topic} and wants a paragraph from me",
    "My granddaughter is doing a school project on {topic} and has to interview me [on Sunday|over video]",
    "I'm recording a message about {topic} for [a time capsule|my future self|my grandchildren]",
    "My friends are holding a quiz about me [at my birthday|on Saturday] with a whole round on {topic}",
    "I'm joining an online group about {topic} and have to introduce myself [tonight|by Friday]",
    "We got talking about {topic} [at dinner|in the car|at work] and everyone wants to hear from me next",
    "I'm updating my profile on [a dating site|a community site] and there's a box about {topic} to fill in",
    "A new colleague wants to get to know me [over lunch|on the train] and keeps asking about {topic}",
)

# Requests that fit those situations; {noun} is a plural noun of the category.
MENTIONS: tuple[str, ...] = (
    "which {noun} should I mention?",
    "what {noun} should I talk about?",
    "which {noun} should I name?",
    "what {noun} should I be sure to bring up?",
    "which {noun} should I say I like?",
    "which {noun} should I not leave out?",
    "what {noun} should I tell people I love?",
    "which {noun} should I list?",
    "what {noun} would be true to me?",
    "which {noun} are worth a mention?",
)

# Requests that fit every situation of a category's own.
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

# A lead says what the question is about where nothing else in it does.
LEADS: tuple[str, ...] = (
    "when it comes to {topic}, ",
    "as for {topic}, ",
    "on the subject of {topic}, ",
    "knowing me and {topic}, ",
    "remembering what I've told you about {topic}, ",
    "given what I've told you about {topic}, ",
    "going by what I've said about {topic}, ",
    "from what you know about me and {topic}, ",
)

TAILS: tuple[str, ...] = (
    " to cover everything I like about {topic}",
    " if you go by what I've said about {topic}",
    " with what I like about {topic} in mind",
    ", knowing me and {topic}",
)

JOINERS: tuple[str, ...] = (". ", ". ", ". ", "; ", " — ", ", so ")
