"""The relations of numbered facts: what kinds of things each holds between, and the words that speak of it.

A relation is told by many sentences ("The author of A is B", "B wrote A", "A was penned by B") and named by many words.
Both are put together from one lexicon (`words/facts/relations.toml`): nouns, verbs, and phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from memtriage.suites.kit.words import items, lists, records, values
from memtriage.suites.memoryagentbench.context import PACKAGE

Cue = tuple[str, ...]
"""Beginnings of words that must all be there."""

_OPEN = re.compile(r"The (?P<noun>[\w-]+(?: [\w-]+){0,3}?) (?:of|for|in|at) (?P<subject>.+) is (?P<object>.+)")
_HOLDER = re.compile(r"The (?P<subject>.+) is (?P<object>.+)")
_RELATIVE = re.compile(
    r"The (?P<what>[a-z ]+?) (?:who|that|which|where|(?:in|at|on|for|to|by|with|from|of) wh(?:ich|om)) "
    r"(?P<clause>.+) (?:is|was) (?P<object>.+)"
)
_LINKS = ("in", "at", "for", "from", "of", "by", "to", "with")
_NO_NAME = tuple(f"{word} " for word in (*_LINKS, "is", "was", "as", "on"))
"""What no name begins with."""
_WHOLE = 3
"""A part of a cue that is no longer than this is a whole word."""


def means(word: str, part: str) -> bool:
    """Whether a part of a cue stands for a word.

    >>> means("writer", "writ"), means("sonata", "son"), means("son", "son")
    (True, False, True)
    """
    return word == part or (len(part) > _WHOLE and word.startswith(part))


@dataclass(frozen=True)
class Relation:
    """A relation between a subject and an object.

    `states` is the sentence of the released contexts. A cue names this relation; a hint may name another one as well.
    `starts` and `ends` are the types of subjects and objects; none of them: any.
    """

    name: str
    states: str
    starts: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    cues: tuple[Cue, ...] = ()
    hints: tuple[Cue, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Reads subject and object out of a sentence of the released contexts."""
        parts = re.split(r"\{(subject|object)\}", self.states)
        grouped = [f"(?P<{part}>.+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
        return re.compile("".join(grouped))

    @cached_property
    def strong(self) -> frozenset[str]:
        """The words that name it all alone."""
        return frozenset(cue[0] for cue in self.cues if len(cue) == 1)

    @cached_property
    def weak(self) -> frozenset[str]:
        """The words that go with those, or hint at it."""
        return frozenset(part for cue in (*self.cues, *self.hints) for part in cue) - self.strong

    def sentence(self, subject: str, object: str) -> str:
        """The sentence that states it of two things."""
        return self.states.format(subject=subject, object=object)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence may say: a relation, its subject and its object; `literal` is how much of it are fixed words."""

    relation: Relation
    subject: str
    object: str
    literal: int


@dataclass(frozen=True, slots=True)
class _Frame:
    """A sentence form: fixed words before, between and after two names."""

    relation: Relation
    before: str
    between: str
    after: str
    object_first: bool

    def read(self, sentence: str) -> Reading | None:
        inner = sentence[len(self.before) : len(sentence) - len(self.after)]
        left, found, right = inner.partition(self.between)
        if not (found and left and right) or any(name.startswith(_NO_NAME) for name in (left, right)):
            return None
        subject, object = (right, left) if self.object_first else (left, right)
        literal = len(self.before) + len(self.between) + len(self.after)
        bare, stripped = _bare(object, self.relation)
        return Reading(self.relation, subject, bare, literal + stripped)


@cache
def relations() -> Mapping[str, Relation]:
    """All relations of the lexicon by name, in the order in which sentences are tried for them."""
    return {name: _relation(name, entry) for name, entry in records(PACKAGE, "facts/relations").items()}


def _relation(name: str, entry: Mapping[str, str]) -> Relation:
    cues, hints = (tuple(tuple(line.split()) for line in items(entry[key])) for key in ("cues", "hints"))
    return Relation(
        name, entry["states"], frozenset(entry["from"].split()), frozenset(entry["to"].split()), cues, hints
    )


@cache
def type_words() -> Mapping[str, tuple[str, ...]]:
    """The words by which questions speak of a thing of a type."""
    return lists(PACKAGE, "facts/types")


@cache
def as_released(sentence: str) -> Reading | None:
    """What a sentence says that is worded as in the released contexts."""
    for relation in relations().values():
        if relation.name != "office-holder" and (found := relation.pattern.fullmatch(sentence)):
            return Reading(relation, found["subject"], found["object"], len(relation.states))
    return None


def readings(sentence: str) -> list[Reading]:
    """What a sentence in other words may say, by the most specific wording; several where names decide."""
    found = _framed_readings(sentence)
    if turned := _RELATIVE.fullmatch(sentence):  # "The place where A was founded is B": A was founded in B
        clause, object = turned["clause"], turned["object"]
        straight = [f"{object} {clause}", f"{clause} {object}", *(f"{clause} {each} {object}" for each in _LINKS)]
        named = [reading for each in straight for reading in _framed_readings(each)]
        found = [reading for reading in named if turned["what"] in _called(reading.relation)] or named or found
    if found:
        most = max(reading.literal for reading in found)
        return list({(r.relation.name, r.subject): r for r in found if r.literal == most}.values())
    if noun := _OPEN.fullmatch(sentence):
        return [Reading(_open(noun["noun"].lower()), noun["subject"], noun["object"], 0)]
    if held := _HOLDER.fullmatch(sentence):
        return [Reading(relations()["office-holder"], held["subject"], held["object"], 0)]
    return []


@cache
def _called(relation: Relation) -> frozenset[str]:
    """What the objects of a relation are called."""
    return frozenset(word for type in relation.ends for word in type_words()[type])


def _framed_readings(sentence: str) -> list[Reading]:
    return [
        reading
        for frame in _frames()
        if frame.between in sentence and sentence.startswith(frame.before) and sentence.endswith(frame.after)
        if (reading := frame.read(sentence)) is not None
    ]


@cache
def _open(noun: str) -> Relation:
    """A relation that the lexicon lacks, by the noun that names it; the cues of one with the same noun hint at it."""
    same = [each for each in relations().values() if noun in _nouns(each.name)]
    hints = tuple(cue for each in same for cue in each.cues)
    return Relation(noun, f"The {noun} of {{subject}} is {{object}}", cues=(tuple(noun.split()),), hints=hints)


def _nouns(name: str) -> Sequence[str]:
    return _values(records(PACKAGE, "facts/relations")[name], "nouns")


def _values(entry: Mapping[str, str], key: str) -> tuple[str, ...]:
    return values(entry[key]) if key in entry else ()


@cache
def _frames() -> tuple[_Frame, ...]:
    """Every sentence form that the lexicon makes."""
    return tuple(frame for relation in relations().values() for frame in _frames_of(relation))


def _frames_of(relation: Relation) -> Iterator[_Frame]:
    entry = records(PACKAGE, "facts/relations")[relation.name]
    for noun in _nouns(relation.name):
        for of in ("of", "in", "at", "for"):
            yield _Frame(relation, f"The {noun} {of} ", " is ", "", False)
            yield _Frame(relation, "", f" is the {noun} {of} ", "", True)
        yield _Frame(relation, "", f"'s {noun} is ", "", False)
        for article in ("its", "their", "a", "an", "the"):
            yield _Frame(relation, "", " has ", f" as {article} {noun}", False)
    for deed in _values(entry, "deeds"):
        participle, *verbs = deed.split(", ")
        for be in ("was", "is", "has been"):
            yield _Frame(relation, "", f" {be} {participle} by ", "", False)
        for verb in (participle, *verbs):
            yield _Frame(relation, "", f" {verb} ", "", True)
    for frame in items(entry.get("frames", "")):
        yield _framed(relation, frame if "{" in frame else f"{{subject}} {frame} {{object}}")


def _framed(relation: Relation, sentence: str) -> _Frame:
    before, first, between, _, after = re.split(r"\{(subject|object)\}", sentence)
    return _Frame(relation, before, between, after, first == "object")


def _bare(object: str, relation: Relation) -> tuple[str, int]:
    """An object without "the city of" and the like, and how many letters that were."""
    for type in relation.ends:
        for article in ("the ", ""):
            if object.startswith(decor := f"{article}{type} of "):
                return object[len(decor) :], len(decor)
    return object, 0
