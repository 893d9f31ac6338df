"""Lexical and semantic retrieval together, by reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memtriage.core.memory import Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.retrieval.bm25 import LexicalIndex
from memtriage.systems.retrieval.dense import VectorIndex, shared_embedder
from memtriage.systems.retrieval.ranked import RankedMemory
from memtriage.systems.retrieval.units import Scores, Settings, newest_first, number


class Hybrid(RankedMemory):
    """Ranks what was said by words and by meaning, and fuses the two rankings (RRF)."""

    traits = Traits(
        family="embedding-rag",
        architecture=(
            "summarise: verbatim; store: inverted index and embedding matrix; retrieve: reciprocal rank fusion"
        ),
        ranks_all=True,
    )

    def __init__(
        self,
        granularity: str | int = "turn",
        embedder: str | Embedder = "wordllama",
        c: str | float = 60,
        roles: str = "all",
    ) -> None:
        super().__init__(granularity, roles)
        self._c = number("c", c, 0)
        self._semantic = VectorIndex(shared_embedder(embedder))
        self._indexes = (LexicalIndex(k1=1.5, b=0.75, stemmer=""), self._semantic)

    def _combined(self, scores: Sequence[Scores]) -> Scores:
        return sum((reciprocal_ranks(each, self._c) for each in scores), start=np.zeros(len(self.units)))

    def _settings(self) -> Settings:
        return {"system": "hybrid", "embedder": self._semantic.embedder.name, "c": self._c}


def reciprocal_ranks(scores: Scores, c: float) -> Scores:
    """1 / (c + rank) for every position, ranks from 1; nothing where the score is zero or less.

    >>> reciprocal_ranks(np.array([0.0, 5.0, 7.0]), 0).tolist()
    [0.0, 0.5, 1.0]
    """
    ranks = np.empty(len(scores))
    ranks[newest_first(scores)] = np.arange(1, len(scores) + 1)
    return np.where(scores > 0, 1 / (c + ranks), 0.0)
