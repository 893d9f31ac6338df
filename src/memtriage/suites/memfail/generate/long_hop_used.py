"""What a Long-Hop dataset has used: anchors that already lead somewhere, and facts that are already stated."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from memtriage.suites.memfail.generate.long_hop_anchors import Concept
from memtriage.suites.memfail.generate.long_hop_sentences import frame_words

# Facts this alike or more (Jaccard over words) never stand in one dataset while the pools last.
MAX_ALIKE = 0.6
STRICTEST = 2


class UsedAnchors:
    """The speaker's anchors so far, kept apart so that one head leads to one end only.

    An anchor that leads somewhere belongs to one chain, and an anchor that ends a chain never leads on in another.
    Strictness says how much of that is asked: 2 asks it of all, 1 of heads and ends alone, 0 asks nothing.
    """

    def __init__(self) -> None:
        self.strictness = STRICTEST
        self._leading: set[str] = set()
        self._ending: set[str] = set()
        self._lowered = 0

    def free_to_lead(self, concept: Concept, strictness: int, *, head: bool) -> bool:
        if strictness == 0:
            return True
        if concept.text in self._ending or (head and concept.text in self._leading):
            return False
        return strictness == 1 or concept.text not in self._leading

    def free_to_end(self, concept: Concept, strictness: int) -> bool:
        return strictness == 0 or concept.text not in self._leading

    def take(self, concepts: list[Concept], strictness: int) -> None:
        """Mark a chain's anchors as used; after a dozen chains that needed less than was asked, ask less at once."""
        *leading, last = concepts
        self._leading.update(concept.text for concept in leading)
        self._ending.add(last.text)
        self._lowered += strictness < self.strictness
        if self._lowered > 12:
            self.strictness, self._lowered = max(1, self.strictness - 1), 0


class UsedFacts:
    """Sentences whose word sets are alike, found through the word pairs that alike sets must share.

    Two sets with a Jaccard similarity of t share at least t of each set, so in any fixed order of words their first
    two shared words both lie among the first n - ceil(t n) + 2 of each.
    """

    def __init__(self) -> None:
        self._by_pair: dict[tuple[str, str], list[frozenset[str]]] = defaultdict(list)
        self._common = frame_words()

    def known(self, sentence: str) -> bool:
        words = words_of(sentence)
        seen = (other for pair in self._pairs(words) for other in self._by_pair.get(pair, ()))
        return any(alike(words, other) for other in seen)

    def add(self, sentence: str) -> None:
        words = words_of(sentence)
        for pair in self._pairs(words):
            self._by_pair[pair].append(words)

    def _pairs(self, words: frozenset[str]) -> Iterator[tuple[str, str]]:
        # Words of frames last and long words first: rare pairs keep the lists short.
        ordered = sorted(words, key=lambda word: (word in self._common, -len(word), word))
        return combinations(ordered[: len(words) - math.ceil(MAX_ALIKE * len(words)) + 2], 2)


def alike(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two sets of words are too much the same for two facts of one dataset."""
    return len(one & two) >= MAX_ALIKE * len(one | two)


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text, without punctuation or case."""
    return frozenset(normal(text).split())


def normal(text: str) -> str:
    """A text in lower case, without punctuation, with single spaces."""
    return " ".join(re.sub(r"[^\w\s]", "", text.lower()).split())
