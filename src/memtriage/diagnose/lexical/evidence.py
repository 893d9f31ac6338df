"""The sentences that told a fact, and the words of them that can't be missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memtriage.core.episode import Fact
from memtriage.text.language import Language, spoken
from memtriage.text.sentences import sentences
from memtriage.text.words import Words, words

_TITLES = frozenset("captain dr doctor mr mrs ms miss sir lady lord old aunt uncle professor sister brother".split())


@dataclass(frozen=True, slots=True)
class Part:
    """One evidence sentence with its details, and the words (`around`) and negations (`denied`) of all the evidence."""

    sentence: Words
    details: tuple[str, ...]
    wanted: tuple[tuple[str, ...], ...]
    needed: frozenset[str]
    around: frozenset[str]
    denied: frozenset[str]


def subject_stems(subject: str) -> frozenset[str]:
    """The stems of a subject's name, without titles."""
    return frozenset(s for s in words(subject).stems if s not in _TITLES)


def parts(fact: Fact) -> tuple[Part, ...]:
    """The evidence sentences with details. A detail belongs to the first sentence that has it.

    Without details, all of the evidence is one. Details without content words (only, not) are ignored.
    """
    return _parts(fact.evidence, fact.details, spoken())


@lru_cache(maxsize=1 << 12)  # a fact is looked for at every k, in every store
def _parts(said: tuple[str, ...], told: tuple[str, ...], language: Language | None) -> tuple[Part, ...]:
    return tuple(_each_part(said, told))


def _each_part(said: Iterable[str], told: Iterable[str]) -> Iterator[Part]:
    evidence = [words(sentence) for text in said for sentence in sentences(text)]
    around = frozenset(stem for sentence in evidence for stem in sentence.stems)
    denied = frozenset(marker for sentence in evidence for marker in sentence.polarity)
    details = [piece for d in told or said for piece in sentences(d)]
    left = [d for d in dict.fromkeys(details) if words(d).stems]
    for sentence in evidence:
        here = [d for d in left if set(words(d).stems) <= set(sentence.stems)]
        if here:
            left = [d for d in left if d not in here]
            yield _part(sentence, here, around, denied)
    if left or not any(words(d).stems for d in details):
        yield _part(words(" ".join(left)), left, around, denied)


def evidence_of(fact: Fact) -> Iterator[tuple[Words, frozenset[str]]]:
    """The evidence sentences of a fact, each with the words that can't be missing."""
    return ((part.sentence, part.needed) for part in parts(fact))


def _part(sentence: Words, details: Iterable[str], around: frozenset[str], denied: frozenset[str]) -> Part:
    wanted = tuple(words(d).stems for d in details)
    needed = frozenset(stem for stems in wanted for stem in stems)
    return Part(sentence, tuple(details), wanted, needed, around, denied)
