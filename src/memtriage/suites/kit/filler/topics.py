"""The topics of filler chats: families of subjects, with aspects to ask about and points to answer with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records, table

_FILES = ("home", "world", "code")
_DOMAINS = {"personal-life": ("home", "world"), "software-project": ("code",)}
_GAP = re.compile(r"\{[a-z]+\}")
_SMALL_WORD = re.compile(r"(?<![\w\\])[a-z]{3,}(?!\w)")


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing to ask about a subject: ways to ask, code to show, points of the answer."""

    asks: tuple[str, ...]
    points: tuple[str, ...]
    code: str

    @classmethod
    def of(cls, record: Mapping[str, str]) -> Aspect:
        """The aspect that a record of the words describes."""
        return cls(items(record["asks"]), items(record["points"]), record.get("code", "").removesuffix("\n"))


@dataclass(frozen=True, slots=True)
class Family:
    """Subjects that the same questions can be asked about; the first gap is for the subject's name."""

    name: str
    gaps: tuple[str, ...]
    subjects: tuple[tuple[str, ...], ...]
    aspects: tuple[Aspect, ...]

    @classmethod
    def of(cls, name: str, record: Mapping[str, Any]) -> Family:
        """The family that a record of the words describes."""
        gaps, *subjects = map(tuple, table(record["subjects"]))
        return cls(name, gaps, tuple(subjects), tuple(map(Aspect.of, record["aspects"])))

    def values(self, subject: int, rng: Random) -> dict[str, str]:
        """What fills the gaps with this subject."""
        names = {gap: rng.choice(pool) for gap, pool in _names().items()}
        own = (draw(value, rng, known=names) for value in self.subjects[subject])
        return names | dict(zip(self.gaps, own, strict=True))


@cache
def families(domain: str) -> tuple[Family, ...]:
    """The families for a domain; one that is not known gets those about the world at large.

    >>> [len(families(name)) >= 9 for name in ("personal-life", "software-project", "anything")]
    [True, True, True]
    """
    files = _DOMAINS.get(domain_key(domain), ("world",))
    return tuple(Family.of(name, record) for file in files for name, record in _records(file).items())


@cache
def topics(domain: str) -> tuple[tuple[Family, int], ...]:
    """Every subject of every family of a domain."""
    return tuple((family, subject) for family in families(domain) for subject in range(len(family.subjects)))


@cache
def phrases(kind: str) -> tuple[str, ...]:
    """What people and assistants say around questions and answers, such as `openers`."""
    return items(_records("phrases")[kind])


def domain_key(domain: str) -> str:
    """A domain's name as it is looked up: personal_life is personal-life."""
    return domain.strip().lower().replace("_", "-").replace(" ", "-")


def has_gap(template: str) -> bool:
    """Whether a template says something else of every subject."""
    return _GAP.search(template) is not None


@cache
def common_words() -> frozenset[str]:
    """Words that the topics use in small letters: none of them is a name."""
    texts = (_GAP.sub("", text) for file in _FILES for text in _texts(_records(file)))
    return frozenset(word for text in texts for word in _SMALL_WORD.findall(text))


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """What any family may fill the gaps of its code with."""
    return {gap: items(text) for gap, text in _records("phrases")["names"].items()}


def _texts(families: Mapping[str, Any]) -> Iterator[str]:
    for name, family in families.items():
        yield name
        yield family["subjects"]
        for aspect in family["aspects"]:
            yield from aspect.values()


def _records(file: str) -> dict[str, Any]:
    return records(__package__, file)
