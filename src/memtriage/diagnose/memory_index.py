"""An index of memories by words and by meaning, shared by the judge, audits and interventions.

It finds the memories near a fact; all others can be read page by page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from math import log

import numpy as np
from numpy.typing import NDArray

from memtriage.core.episode import Fact
from memtriage.models.embedders import Vectors, WordLlamaEmbedder
from memtriage.text.tokens import count_tokens
from memtriage.text.words import words

PAGE = 6_000
"""The most tokens of memories shown at once; a single memory may be longer."""

_LABEL = 12
"""Roughly the tokens of a memory's label and quotes."""

_DETAIL = 2.0
"""The weight of a word in a critical detail; other words of the fact weigh 1."""


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A memory's content key and its text as shown to a judge or a person."""

    key: str
    text: str


class MemoryIndex:
    """All memories that a store ever held, each indexed once."""

    def __init__(self) -> None:
        self._shown: list[ShownMemory] = []
        self._number: dict[str, int] = {}
        self._using: dict[str, list[int]] = {}
        self._indexed = 0
        self._vectors: Vectors = np.zeros((0, WordLlamaEmbedder.dimensions), dtype=np.float32)
        self._tokens: dict[int, int] = {}

    def put(self, texts: Mapping[str, str]) -> None:
        """Add memories by content key; known ones are left as they are."""
        for key, text in texts.items():
            if key not in self._number:
                self._number[key] = len(self._shown)
                self._shown.append(ShownMemory(key, text))

    def using(self, stem: str) -> Sequence[int]:
        """The numbers of the memories that use a word."""
        for number in range(self._indexed, len(self._shown)):
            for each in set(words(self._shown[number].text).stems):
                self._using.setdefault(each, []).append(number)
        self._indexed = len(self._shown)
        return self._using.get(stem, ())

    def __contains__(self, key: str) -> bool:
        return key in self._number

    def number(self, key: str) -> int:
        return self._number[key]

    def memory(self, number: int) -> ShownMemory:
        return self._shown[number]

    def tokens(self, number: int) -> int:
        """How many tokens a memory takes in a prompt."""
        if number not in self._tokens:
            self._tokens[number] = count_tokens(self._shown[number].text) + _LABEL
        return self._tokens[number]

    def by_words(self, fact: Fact) -> NDArray[np.float64]:
        """For every memory, the weight of the fact's words in it; words that are in few memories weigh more."""
        weights = dict.fromkeys(words(" ".join((fact.text, *fact.evidence, fact.subject))).stems, 1.0)
        weights |= dict.fromkeys((stem for detail in fact.details for stem in words(detail).stems), _DETAIL)
        scores = np.zeros(len(self._shown))
        for stem, weight in sorted(weights.items()):
            using = self.using(stem)
            scores[list(using)] += weight * log(1 + len(self._shown) / (1 + len(using)))
        return scores

    def by_meaning(self, fact: Fact) -> NDArray[np.float64]:
        """For every memory, its similarity to the fact or to the nearest of its details."""
        embedder = WordLlamaEmbedder()
        new = [shown.text for shown in self._shown[len(self._vectors) :]]
        if new:
            self._vectors = np.concatenate([self._vectors, embedder.embed(new)])
        targets = embedder.embed([fact.text, *(f"{fact.subject} {detail}".strip() for detail in fact.details)])
        # Rounded, so that the order of near ties is the same on every processor.
        nearness: NDArray[np.float64] = np.round((self._vectors @ targets.T).max(axis=1).astype(np.float64), 4)
        return nearness


@dataclass(frozen=True)
class MemorySet:
    """Some memories of an index: those in a store at some point, or those retrieved."""

    index: MemoryIndex
    keys: tuple[str, ...]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> MemorySet:
        """A set with its own index, from texts by content key."""
        index = MemoryIndex()
        index.put(texts)
        return cls(index, tuple(texts))

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts by content key, in order."""
        return {shown.key: shown.text for shown in self.all()}

    def sharing(self, stems: Set[str]) -> Iterator[str]:
        """The texts of the memories that use any of these words."""
        found = dict.fromkeys(n for stem in sorted(stems) for n in self._using(stem))
        return (self.index.memory(n).text for n in found)

    def closest(self, stems: Set[str], most: int) -> list[str]:
        """The keys of the memories that use most of these words, rare words counting more than common ones."""
        weights: dict[int, float] = {}
        for stem in sorted(stems):
            using = self._using(stem)
            for number in using:
                weights[number] = weights.get(number, 0.0) + log(1 + len(self._members) / len(using))
        best = sorted(weights, key=lambda number: -weights[number])[:most]
        return [self.index.memory(number).key for number in best]

    def _using(self, stem: str) -> list[int]:
        return [number for number in self.index.using(stem) if number in self._members]

    @cached_property
    def _members(self) -> frozenset[int]:
        return frozenset(int(number) for number in self._numbers)

    @cached_property
    def _numbers(self) -> NDArray[np.intp]:
        return np.array([self.index.number(key) for key in dict.fromkeys(self.keys)], dtype=np.intp)

    def all(self) -> tuple[ShownMemory, ...]:
        """All memories, in order."""
        return tuple(self.index.memory(int(n)) for n in self._numbers)

    @cached_property
    def tokens(self) -> int:
        """How many tokens all memories take in a prompt."""
        return sum(self.index.tokens(int(n)) for n in self._numbers)

    def near(self, fact: Fact, most: int, budget: int = PAGE) -> tuple[ShownMemory, ...]:
        """The memories nearest to a fact, alternating between words and meaning; at least one, whatever its size."""
        if len(self._numbers) <= most and self.tokens <= budget:
            return self.all()
        return next(self._packed(islice(self._ranked(fact), most), budget), ())

    def pages(self, without: Collection[str] = (), budget: int = PAGE) -> list[tuple[ShownMemory, ...]]:
        """All memories except these, in order, in pages of `budget` tokens."""
        rest = (int(n) for n in self._numbers if self.index.memory(int(n)).key not in without)
        return list(self._packed(rest, budget))

    def _ranked(self, fact: Fact) -> Iterator[int]:
        by_words, by_meaning = self.index.by_words(fact)[self._numbers], self.index.by_meaning(fact)[self._numbers]
        best_words = [n for n in np.argsort(-by_words, kind="stable") if by_words[n] > 0]
        best_meaning = np.argsort(-by_meaning, kind="stable")
        alternating = (n for pair in zip_longest(best_words, best_meaning) for n in pair if n is not None)
        return (int(self._numbers[n]) for n in dict.fromkeys(alternating))

    def _packed(self, numbers: Iterable[int], budget: int) -> Iterator[tuple[ShownMemory, ...]]:
        page: list[ShownMemory] = []
        size = 0
        for number in numbers:
            tokens = self.index.tokens(number)
            if page and size + tokens > budget:
                yield tuple(page)
                page, size = [], 0
            page.append(self.index.memory(number))
            size += tokens
        if page:
            yield tuple(page)
