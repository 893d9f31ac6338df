"""Which memories are worth showing to a judge: those near a fact by word or by meaning, and pages of all the rest.

Recall comes first. Whatever is not found among the nearest is looked for page by page before it counts as missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from math import log

import numpy as np
from numpy.typing import NDArray

from memtriage.core.episode import Fact
from memtriage.diagnose.judge.prompts import Shown
from memtriage.models.embedders import Vectors, WordLlamaEmbedder
from memtriage.text.tokens import count_tokens
from memtriage.text.words import words

PAGE = 6_000
"""How many tokens of memories are shown at once, at most; a single memory may be longer."""

_LABEL = 12
"""About how many tokens a memory's label and quotes take."""

_DETAIL = 2.0
"""How much more a word of a critical detail counts than another word of the fact."""


class Shelf:
    """Every memory of one store's life, indexed once, however many snapshots and facts ask for it."""

    def __init__(self) -> None:
        self._shown: list[Shown] = []
        self._number: dict[str, int] = {}
        self._using: dict[str, list[int]] = {}
        self._vectors: Vectors = np.zeros((0, WordLlamaEmbedder.dimensions), dtype=np.float32)
        self._tokens: dict[int, int] = {}

    def put(self, texts: Mapping[str, str]) -> None:
        """Take in memories by content key; those that are known stay as they are."""
        for key, text in texts.items():
            if key not in self._number:
                number = self._number[key] = len(self._shown)
                self._shown.append(Shown(key, text))
                for stem in set(words(text).stems):
                    self._using.setdefault(stem, []).append(number)

    def __contains__(self, key: str) -> bool:
        return key in self._number

    def number(self, key: str) -> int:
        return self._number[key]

    def memory(self, number: int) -> Shown:
        return self._shown[number]

    def tokens(self, number: int) -> int:
        """How many tokens a memory takes in a prompt."""
        if number not in self._tokens:
            self._tokens[number] = count_tokens(self._shown[number].text) + _LABEL
        return self._tokens[number]

    def by_words(self, fact: Fact) -> NDArray[np.float64]:
        """For every memory, the weight of the fact's words that it uses; words few memories use weigh more."""
        weights = dict.fromkeys(words(" ".join((fact.text, *fact.evidence, fact.subject))).stems, 1.0)
        weights |= dict.fromkeys((stem for detail in fact.details for stem in words(detail).stems), _DETAIL)
        scores = np.zeros(len(self._shown))
        for stem, weight in sorted(weights.items()):
            using = self._using.get(stem, [])
            scores[using] += weight * log(1 + len(self._shown) / (1 + len(using)))
        return scores

    def by_meaning(self, fact: Fact) -> NDArray[np.float64]:
        """For every memory, how near it is to the fact or to one of its details."""
        embedder = WordLlamaEmbedder()
        new = [shown.text for shown in self._shown[len(self._vectors) :]]
        if new:
            self._vectors = np.concatenate([self._vectors, embedder.embed(new)])
        sought = embedder.embed([fact.text, *(f"{fact.subject} {detail}".strip() for detail in fact.details)])
        # Rounded, so that the order of near ties doesn't depend on how a processor adds up.
        nearness: NDArray[np.float64] = np.round((self._vectors @ sought.T).max(axis=1).astype(np.float64), 4)
        return nearness


@dataclass(frozen=True)
class Store:
    """Some of a shelf's memories: those a store held at a moment, or those that were brought back."""

    shelf: Shelf
    keys: tuple[str, ...]

    @cached_property
    def _numbers(self) -> NDArray[np.intp]:
        return np.array([self.shelf.number(key) for key in dict.fromkeys(self.keys)], dtype=np.intp)

    def all(self) -> tuple[Shown, ...]:
        """Every memory, in the store's order."""
        return tuple(self.shelf.memory(int(n)) for n in self._numbers)

    @cached_property
    def tokens(self) -> int:
        """How many tokens all of it takes in a prompt."""
        return sum(self.shelf.tokens(int(n)) for n in self._numbers)

    def near(self, fact: Fact, most: int, budget: int = PAGE) -> tuple[Shown, ...]:
        """The memories nearest to a fact, taking turns between word and meaning; at least one, whatever its size."""
        if len(self._numbers) <= most and self.tokens <= budget:
            return self.all()
        return next(self._packed(islice(self._ranked(fact), most), budget), ())

    def pages(self, without: Collection[str] = (), budget: int = PAGE) -> list[tuple[Shown, ...]]:
        """All memories but these, in the store's order, in pages of so many tokens."""
        rest = (int(n) for n in self._numbers if self.shelf.memory(int(n)).key not in without)
        return list(self._packed(rest, budget))

    def _ranked(self, fact: Fact) -> Iterator[int]:
        by_words, by_meaning = self.shelf.by_words(fact)[self._numbers], self.shelf.by_meaning(fact)[self._numbers]
        worded = [n for n in np.argsort(-by_words, kind="stable") if by_words[n] > 0]
        meant = np.argsort(-by_meaning, kind="stable")
        turns = (n for pair in zip_longest(worded, meant) for n in pair if n is not None)
        return (int(self._numbers[n]) for n in dict.fromkeys(turns))

    def _packed(self, numbers: Iterable[int], budget: int) -> Iterator[tuple[Shown, ...]]:
        page: list[Shown] = []
        size = 0
        for number in numbers:
            tokens = self.shelf.tokens(number)
            if page and size + tokens > budget:
                yield tuple(page)
                page, size = [], 0
            page.append(self.shelf.memory(number))
            size += tokens
        if page:
            yield tuple(page)
