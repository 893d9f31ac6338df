"""The anchors of Long-Hop chains: the steps of small stories, and each written in the form a sentence needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from memtriage.suites.kit.words import items, records, values, word_list
from memtriage.suites.memfail.paper import PACKAGE

Kind = Literal["thing", "food", "act", "event", "feel"]
"""What there is, what one craves, what one does, what happens to one, and what one feels."""

_MARKS: Mapping[str, Kind] = {"~": "feel", "!": "event", "=": "food"}
# Words that carry no topic of their own and may stand in several anchors or options of a chain.
_LIGHT = frozenset(
    "a an the my his her i me to in on at of for with by from and up out off down over into after before feel feels "
    "feeling mood some few more new old little bit early quick short simple".split()
)
_PREPOSITION = re.compile(r" (?:of|in|at|by|with|to|for|from|and) ")


class Head(NamedTuple):
    """What a story starts from, and how one speaks of it."""

    attitude: str
    noun: str
    when: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a story: what it may be, and how the one before leads to it."""

    kind: Kind
    texts: tuple[str, ...]
    helped: bool = False
    caused: bool = True
    meanwhile: bool = False


class Story(NamedTuple):
    """Steps that lead from one to the next."""

    head: Head
    steps: tuple[Step, ...]


@cache
def stories() -> tuple[Story, ...]:
    """All stories; their notation is explained in the file that has them."""
    return tuple(_story(line) for line in word_list(PACKAGE, "long_hop/stories"))


def _story(line: str) -> Story:
    first, *cells = line.split(" | ")
    described, _, texts = first.partition(" = ")
    attitude, *words = described.split()
    if attitude in ("do", "act"):
        head, start = Head(attitude, " ".join(words), ""), Step("act", values(texts))
    else:
        head = Head(attitude, " ".join(words[:-1]), words[-1].replace("-", " "))
        start = Step("thing", values(texts))
    return Story(head, (start, *map(_step, cells)))


def _step(cell: str) -> Step:
    marks = cell[: len(cell) - len(cell.lstrip("~!=+,& "))]
    kind: Kind = next((_MARKS[mark] for mark in marks if mark in _MARKS), "act")
    return Step(kind, values(cell[len(marks) :]), helped="+" in marks, caused="," not in marks, meanwhile="&" in marks)


@cache
def feelings(key: str) -> frozenset[str]:
    """The feelings that are `moods` one can be in, or that something has `made` or `left` one."""
    return frozenset(items(records(PACKAGE, "long_hop/feelings")[key]))


@cache
def _verbs(key: str) -> frozenset[str]:
    return frozenset(records(PACKAGE, "long_hop/frames")["verbs"][key].split())


@dataclass(frozen=True, slots=True)
class Voice:
    """Who a chain is about: the speaker, or one named person."""

    name: str | None
    he: str = "I"
    him: str = "me"
    his: str = "my"
    himself: str = "myself"

    @property
    def subject(self) -> str:
        return self.name or "I"

    @property
    def object(self) -> str:
        return self.name or "me"

    def __format__(self, verb: str) -> str:
        """The subject, or a verb that agrees with it."""
        if not verb:
            return self.subject
        return third_person(verb) if self.name else "am" if verb == "be" else verb


SPEAKER = Voice(None)


@dataclass(frozen=True, slots=True)
class Concept:
    """One anchor before it is put into words: a step of a story, said in one of its ways."""

    step: Step
    text: str

    @property
    def kind(self) -> Kind:
        return self.step.kind

    @property
    def lasts(self) -> bool:
        """Whether it is something to do that goes on for a while."""
        return self.kind == "act" and self._is("lasting")

    @property
    def unmade(self) -> bool:
        """Whether it happens without anything making one do it."""
        return self.kind == "event" and self._is("unmade")

    @property
    def happens(self) -> bool:
        """Whether it is nothing that one would be said to do."""
        return self.kind == "event" and self._is("happening")

    def _is(self, key: str) -> bool:
        first, *rest = self.text.split()
        return not _verbs(key).isdisjoint((first, f"{first}_{rest[0]}" if rest else first))

    @property
    def plural(self) -> bool:
        """Whether a thing is several things."""
        word = _PREPOSITION.split(self.text)[0].split()[-1]
        return " and " in self.text or word == "mice" or (word.endswith("s") and not word.endswith(("ss", "'s")))


@cache
def stem(word: str) -> str:
    """A rough stem, enough to see that 'baking' and 'bakes' are the same word."""
    for ending in ("ing", "ies", "es", "s", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if word.endswith(("e", "y")) and len(word) > 3:  # so that "stays" and "stay" agree
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@cache
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words in a text that carry its meaning."""
    words = re.findall(r"[\w'-]+", text.lower().replace("{my}", " ").replace("{myself}", " "))
    parts = {part for word in words for part in word.split("-")}
    return frozenset(stem(part.removesuffix("'s")) for part in parts if part not in _LIGHT)


@cache
def kin(text: str) -> frozenset[int]:
    """The families of near meanings that a text has words of."""
    stems = content_stems(text)
    return frozenset(number for number, family in enumerate(_kinships()) if family & stems)


@cache
def _kinships() -> tuple[frozenset[str], ...]:
    return tuple(content_stems(line) for line in word_list(PACKAGE, "long_hop/kinships"))


def with_article(phrase: str) -> str:
    """The indefinite article that goes before a phrase."""
    return "an" if phrase[0].lower() in "aeiou" else "a"


@cache
def gerund(verb: str) -> str:
    """The -ing form of a verb phrase."""
    head, _, rest = verb.partition(" ")
    if head in _irregular_gerunds():
        form = _irregular_gerunds()[head]
    elif head.endswith("e") and not head.endswith("ee"):
        form = head[:-1] + "ing"
    else:
        form = head + "ing"
    return f"{form} {rest}".strip()


@cache
def _irregular_gerunds() -> dict[str, str]:
    return dict(line.split() for line in word_list(PACKAGE, "long_hop/gerunds"))


@cache
def third_person(verb: str) -> str:
    """The third person singular of a verb phrase."""
    head, _, rest = verb.partition(" ")
    irregular = {"be": "is", "have": "has"}
    if head in irregular:
        form = irregular[head]
    elif head.endswith("y") and head[-2] not in "aeiou":
        form = head[:-1] + "ies"
    elif head.endswith(("s", "x", "z", "ch", "sh", "o")):
        form = head + "es"
    else:
        form = head + "s"
    return f"{form} {rest}".strip()


def write(concept: Concept, form: str, voice: Voice) -> str:
    """The anchor's literal text: what stands, word for word, in the sentences it borders."""
    text = concept.text.replace("{my}", voice.his).replace("{myself}", voice.himself)
    if form == "mood":
        return f"{text} mood"
    if form.startswith("feel"):
        text = f"feel {text}"
    if form in ("finite", "feel_finite") and voice.name:
        return third_person(text)
    return gerund(text) if form == "gerund" else text
