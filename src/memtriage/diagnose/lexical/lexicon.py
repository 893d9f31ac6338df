"""What words mean to each other: which say the same, rule each other out, turn a statement, or say little.

The lists are data files in `words/`. A word is known by its form: its stem, or that of the first word of its group.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from memtriage.text.tokens import encoded
from memtriage.text.words import stem

_LOG_OF_RAREST = 11.5
"""The logarithm of the size of the tokenizer's vocabulary, 100,000."""


def word_form(word: str) -> str:
    """The form that stands for a word and all that say the same.

    >>> word_form("purchased"), word_form("bought")
    ('buy', 'buy')
    """
    return _groups().get(word) or _groups().get(stem(word), stem(word))


@cache
def phrases() -> Mapping[tuple[str, ...], str]:
    """The forms of phrases, by the stems of their words."""
    found: dict[tuple[str, ...], str] = {}
    for group in _lines("same.txt"):
        for word in group:
            if "_" in word:
                found.setdefault(_stems(word), _head(group))
    for listed in _lists("marks.toml").values():
        for word in listed:
            if "_" in word:
                found.setdefault(_stems(word), word)
    return found


@cache
def mark_kinds(form: str) -> tuple[str, ...]:
    """The kinds of marks that a word or form is: `not` is a negation."""
    return tuple(kind for kind, forms in _mark_forms().items() if form in forms)


@cache
def kin() -> frozenset[str]:
    """The stems of the words for people near somebody."""
    return frozenset(map(stem, _lists("marks.toml")["kin"]))


def rivals(form: str) -> frozenset[str]:
    """The forms that rule this one out.

    >>> sorted(rivals("summer"))
    ['autumn', 'spring', 'winter']
    """
    return _rivals().get(form, frozenset())


@cache
def small_words(name: str) -> frozenset[str]:
    """One of the lists of words that carry little meaning of their own."""
    return frozenset(_lists("small.toml")[name])


@cache
def rarity(word: str) -> float:
    """How rare a word is, from 0 to 1: its rank in the vocabulary of a tokenizer, or 1 if it isn't there."""
    ids = encoded(f" {word.lower()}")
    return min(1.0, math.log(ids[0] + 1) / _LOG_OF_RAREST) if len(ids) == 1 else 1.0


def in_a_group(word: str) -> bool:
    """Whether a word says the same as others that we know of."""
    return stem(word) in _groups()


@cache
def _groups() -> Mapping[str, str]:
    """The form of each word that says the same as others, by word and by stem."""
    found: dict[str, str] = {}
    for group in _lines("same.txt"):
        for word in group:
            if "_" not in word:
                found.setdefault(word, _head(group))
                found.setdefault(stem(word) if word[0].isalpha() else word, _head(group))
    return found


@cache
def _rivals() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _lines("apart.txt"):
        forms = frozenset(word if "_" in word else word_form(word) for word in line)
        for form in forms:
            found[form] = found.get(form, frozenset()) | (forms - {form})
    return found


@cache
def _mark_forms() -> Mapping[str, frozenset[str]]:
    """The forms of each kind of mark: words as written, and the forms of their groups."""
    return {
        kind: frozenset(form for word in listed for form in (word, _groups().get(word, word)))
        for kind, listed in _lists("marks.toml").items()
    }


def _head(group: tuple[str, ...]) -> str:
    word = group[0]
    return word if "_" in word or not word[0].isalpha() else stem(word)


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(map(stem, phrase.split("_")))


@cache
def _lines(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in _text(name).splitlines() if line.strip() and not line.startswith("#"))


@cache
def _lists(name: str) -> Mapping[str, tuple[str, ...]]:
    # Tuples, not sets: where two phrases have the same stems, the first in the file stands for both.
    return {key: tuple(listed.split()) for key, listed in tomllib.loads(_text(name)).items()}


def _text(name: str) -> str:
    return files("memtriage.diagnose.lexical").joinpath("words", name).read_text("utf-8")
