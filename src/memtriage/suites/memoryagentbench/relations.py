"""How facts are worded: relations with the sentences that state them and the words by which questions speak of them.

The sentences of the released contexts are read by the same patterns as the generated ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Relation:
    """One relation: the sentence that states it, and the beginnings of words that a question names it by.

    `cues` is a list of alternatives; each is a set of word beginnings that must all be there.
    """

    name: str
    states: str
    cues: tuple[tuple[str, ...], ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Reads subject and object out of a sentence."""
        parts = re.split(r"\{([so])\}", self.states)
        grouped = [f"(?P<{part}>.+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
        return re.compile("".join(grouped))

    def sentence(self, subject: str, object: str) -> str:
        """The sentence that states it of two things."""
        return self.states.format(s=subject, o=object)


def _relation(name: str, states: str, *cues: str) -> Relation:
    return Relation(name, states, tuple(tuple(cue.split()) for cue in cues))


RELATIONS: tuple[Relation, ...] = (
    _relation(
        "sport-origin", "{s} was created in the country of {o}", "countr", "origin", "birthplace", "come", "creat"
    ),
    _relation("birthplace", "{s} was born in the city of {o}", "born", "birth"),
    _relation("deathplace", "{s} died in the city of {o}", "die", "death", "pass away"),
    _relation("workplace", "{s} worked in the city of {o}", "work", "location work"),
    _relation("foundation-place", "{s} was founded in the city of {o}", "found", "establish"),
    _relation("continent", "{s} is located in the continent of {o}", "continent"),
    _relation("citizenship", "{s} is a citizen of {o}", "citizen", "nationalit", "countr", "come from"),
    _relation("spouse", "{s} is married to {o}", "spouse", "married", "partner", "wife", "husband", "wed"),
    _relation("founder", "{s} was founded by {o}", "founder", "founded", "establish"),
    _relation("performer", "{s} was performed by {o}", "perform", "sing", "sung"),
    _relation("developer", "{s} was developed by {o}", "develop"),
    _relation("creator", "{s} was created by {o}", "creat"),
    _relation("language-written", "{s} was written in the language of {o}", "written", "language"),
    _relation("religion", "{s} is affiliated with the religion of {o}", "religio", "faith", "affiliat", "belie"),
    _relation("sport", "{s} is associated with the sport of {o}", "sport"),
    _relation("employer", "{s} is employed by {o}", "employ"),
    _relation("famous", "{s} is famous for {o}", "famous", "known for", "notable"),
    _relation("speaks", "{s} speaks the language of {o}", "speak", "language"),
    _relation("position", "{s} plays the position of {o}", "position", "play"),
    _relation("field", "{s} works in the field of {o}", "field", "job", "occupation", "profession", "work"),
    _relation("child", "{s}'s child is {o}", "child", "son", "daughter"),
    _relation("capital", "The capital of {s} is {o}", "capital"),
    _relation("author", "The author of {s} is {o}", "author", "wrote", "writer"),
    _relation("university", "The univeristy where {s} was educated is {o}", "educat", "universit", "stud", "school"),
    _relation("ceo", "The chief executive officer of {s} is {o}", "chief executive", "ceo"),
    _relation("headquarters", "The headquarters of {s} is located in the city of {o}", "headquarter"),
    _relation("language", "The official language of {s} is {o}", "language"),
    _relation("manager", "The director of {s} is {o}", "director", "manager"),
    _relation("head-of-government", "The name of the current head of the {s} government is {o}", "head government"),
    _relation("head-of-state", "The name of the current head of state in {s} is {o}", "head state"),
    _relation("prime-minister", "The Prime Minister of {s} is {o}", "prime minister", "head government"),
    _relation("chairperson", "The chairperson of {s} is {o}", "chair"),
    _relation("producer", "The company that produced {s} is {o}", "produc", "manufactur", "made"),
    _relation("broadcaster", "The origianl broadcaster of {s} is {o}", "broadcast", "network"),
    _relation("genre", "The type of music that {s} plays is {o}", "music", "genre"),
)
