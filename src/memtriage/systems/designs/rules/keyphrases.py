"""Keyphrases by statistics: noun-like word groups that say what a text is about, weighed by how rare their words are.

A word group is what stands between function words, common verbs and punctuation. How rare a word is, is learned from
the texts stored so far, so that what is said of a text never depends on what comes later.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files

from memtriage.text.words import stem

MOST = 8
LONGEST = 3

_WORD = re.compile(r"[^\W\d_]+(?:['’\-&][^\W_]+)*|\d+(?:[.,:/]\d+)*\w*|[^\w\s]|\n")
_WORDS = files(__package__) / "words"
_BREAKS = frozenset((_WORDS / "phrase_breaks.txt").read_text(encoding="utf-8").split())


class Keyphrases:
    """Keyphrases of texts, by what came before them.

    >>> phrases = Keyphrases()
    >>> phrases.learn("I walk to work.")
    >>> phrases.of("I walk a golden retriever to work.", most=1)
    ('golden retriever',)
    """

    def __init__(self, texts: int = 0, holding: Mapping[str, int] | None = None) -> None:
        self.texts = texts
        self.holding = Counter(holding or {})
        """How many texts hold a word's stem."""

    def learn(self, text: str) -> None:
        """Count a text's words among those that came before."""
        self.texts += 1
        self.holding.update({stem(word) for phrase in word_groups(text) for word in phrase.split()})

    def of(self, text: str, most: int = MOST) -> tuple[str, ...]:
        """The phrases that tell most about a text, the best first; none shares all its words with a better one."""
        counts = Counter(word_groups(text))
        ranked = sorted(
            counts, key=lambda phrase: -self._weight(phrase, counts[phrase])
        )  # among equals, the first said
        covered: set[str] = set()
        kept: list[str] = []
        for phrase in ranked:
            stems = {stem(word) for word in phrase.split()}
            if not stems <= covered:
                kept.append(phrase)
                covered |= stems
        return tuple(kept[:most])

    def _weight(self, phrase: str, count: int) -> float:
        rare = [math.log((self.texts + 2) / (self.holding[stem(word)] + 1)) for word in phrase.split()]
        return count * sum(rare) / math.sqrt(len(rare))


@lru_cache(maxsize=1 << 14)
def word_groups(text: str) -> tuple[str, ...]:
    """The word groups of a text, in lower case, in order; of a long one, the last words, where the noun stands."""
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[str]:
    group: list[str] = []
    for found in _WORD.finditer(text.lower()):
        word = found[0].replace("’", "'").removesuffix("'s")
        if word in _BREAKS or not word[0].isalnum() or (word.isdigit() and len(word) < 3) or len(word) < 2:
            yield from _named(group)
            group = []
        else:
            group.append(word)
    yield from _named(group)


def _named(group: list[str]) -> Iterator[str]:
    if group and not all(word[0].isdigit() for word in group):
        yield " ".join(group[-LONGEST:])
