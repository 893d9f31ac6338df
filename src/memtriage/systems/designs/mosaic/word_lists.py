"""The word lists that typing by form reads, from the files beside this module."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import Stemmer


def read_words(name: str) -> str:
    """A list as it stands in its file."""
    return (files(__package__) / "words" / name).read_text(encoding="utf-8")


def _lines(name: str) -> list[str]:
    text = read_words(name)
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _words(name: str) -> list[str]:
    return [word for line in _lines(name) for word in line.split()]


def _stems(words: list[str]) -> frozenset[str]:
    return frozenset(Stemmer.Stemmer("english").stemWords(words))


FUNCTION_WORDS = frozenset(_words("function_words.txt"))
BEFORE_PLACES = frozenset(_words("before_places.txt"))
"""Behind these, a word with a capital is rather a place or a day than somebody."""
CHANGES = "|".join(_lines("changes.txt"))
CHANGING = "|".join(_lines("changing.txt"))
VERBS_OF_CHANGE = _stems(_words("verbs_of_change.txt"))
ACKNOWLEDGEMENTS = _stems(_words("acknowledgements.txt"))
EVENTS = tuple(
    (_stems(event["events"].split()), _stems(event["changes"].split()))
    for event in tomllib.loads(read_words("events.toml")).values()
)
"""Stems of which any one reports an event, and the stems of what such an event changes."""
