"""The topics of filler chats: families of subjects, with aspects to ask about and points to answer with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from memtriage.suites.kit.localized import spoken_in
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records, table
from memtriage.text.language import Language, spoken

_FILES = ("home", "world", "code")
_DOMAINS = {"personal-life": ("home", "world"), "software-project": ("code",)}
_GAP = re.compile(r"\{[a-z]+\}")
_WORD = re.compile(r"[^\W\d_]{3,}")
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


def families(domain: str) -> tuple[Family, ...]:
    """The families for a domain; one that is not known gets those about the world at large.

    >>> [len(families(name)) >= 9 for name in ("personal-life", "software-project", "anything")]
    [True, True, True]
    """
    return _families(domain, folder())


@cache
def _families(domain: str, folder: str) -> tuple[Family, ...]:
    # Languages other than English have the world at large for all domains.
    files = ("world",) if folder else _DOMAINS.get(domain_key(domain), ("world",))
    return tuple(
        Family.of(name, record) for file in files for name, record in records(__package__, f"{folder}{file}").items()
    )


def topics(domain: str) -> tuple[tuple[Family, int], ...]:
    """Every subject of every family of a domain."""
    return _topics(domain, folder())


@cache
def _topics(domain: str, folder: str) -> tuple[tuple[Family, int], ...]:
    known = _families(domain, folder)
    return tuple((family, subject) for family in known for subject in range(len(family.subjects)))


def phrases(kind: str) -> tuple[str, ...]:
    """What people and assistants say around questions and answers, such as `openers`."""
    return _phrases(kind, folder())


@cache
def _phrases(kind: str, folder: str) -> tuple[str, ...]:
    return items(records(__package__, f"{folder}phrases")[kind])


def folder() -> str:
    """Where the words of the language spoken are: nothing for English."""
    return spoken_in(__package__)


def domain_key(domain: str) -> str:
    """A domain's name as it is looked up: personal_life is personal-life."""
    return domain.strip().lower().replace("_", "-").replace(" ", "-")


def has_gap(template: str) -> bool:
    """Whether a template says something else of every subject."""
    return _GAP.search(template) is not None


def common_words() -> frozenset[str]:
    """Words that the topics use in small letters: none of them is a name."""
    language = spoken()
    return _english_words() if language is None or not folder() else _other_words(language, folder())


@cache
def _other_words(language: Language, folder: str) -> frozenset[str]:
    """The same in another language, with the small words that its file has."""
    texts = (_GAP.sub("", text) for text in _texts(records(__package__, f"{folder}world")))
    return language.small_words.union(word for text in texts for word in _WORD.findall(text) if word.islower())


@cache
def _english_words() -> frozenset[str]:
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
