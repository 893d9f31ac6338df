"""Keys that point to values: pools of texts to search in, and the ranks of the values they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from memtriage.core.memory import Memory
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.rules.dates import Span
from memtriage.systems.retrieval.bm25 import LexicalIndex
from memtriage.systems.retrieval.dense import VectorIndex
from memtriage.systems.retrieval.hybrid import reciprocal_ranks
from memtriage.systems.retrieval.ranked import Index
from memtriage.systems.retrieval.units import Scores

Retriever = Literal["bm25", "dense", "hybrid"]
RETRIEVERS: tuple[Retriever, ...] = get_args(Retriever)
_C = 60.0
_NO_KEY = -2.0  # below any cosine, and any score by words


@dataclass(frozen=True, slots=True)
class KeyedItem:
    """A value with the keys that lead to it, by pool, and the days it is about."""

    memory: Memory
    keys: Mapping[str, tuple[str, ...]]
    spans: tuple[Span, ...] = ()

    def within(self, range: Span, slack: int) -> bool:
        """Whether it is about a day of the range, give or take; what has no date is not known to be outside.

        A long span (last year) only counts where as much is asked for: it would be in every range.
        """
        telling = [span for span in self.spans if span.days <= max(range.days, _LONGEST)]
        return not self.spans or any(span.touches(range, slack) for span in telling)


_LONGEST = 31


class Pool:
    """One kind of key of all values, under one or two indices."""

    def __init__(self, name: str, retriever: Retriever, embedder: Embedder | None) -> None:
        self.name = name
        self._indices: list[Index] = []
        if retriever != "dense":
            self._indices.append(LexicalIndex(1.5, 0.75, "english"))
        if embedder is not None:
            self._indices.append(VectorIndex(embedder))
        self._keys: list[Memory] = []
        self._owners: list[int] = []
        self._seen = 0

    def catch_up(self, items: Sequence[KeyedItem]) -> None:
        """Take in the keys of the items that came since the last time."""
        for owner, item in enumerate(items[self._seen :], self._seen):
            for text in item.keys.get(self.name, ()):
                self._keys.append(Memory(item.memory.id, text))
                self._owners.append(owner)
        self._seen = len(items)
        for index in self._indices:
            index.catch_up(self._keys)

    def scores(self, query: str) -> list[Scores]:
        """For each index one score per item: that of its best key."""
        found = []
        owners = np.asarray(self._owners, dtype=np.intp)
        for index in self._indices:
            best = np.full(self._seen, _NO_KEY)
            if len(owners):
                np.maximum.at(best, owners, index.scores(query).astype(float))
            found.append(best)
        return found

    def clear(self) -> None:
        for index in self._indices:
            index.clear()
        self._keys, self._owners, self._seen = [], [], 0


def merged(rankings: Sequence[Scores]) -> Scores:
    """Several rankings of the same items as one: by the sum of their reciprocal ranks; a single one stays as it is."""
    if len(rankings) == 1:
        return rankings[0]
    fused: Scores = np.sum([reciprocal_ranks(scores, _C) for scores in rankings], axis=0)
    return fused
