"""Lexical and semantic retrieval together, by reciprocal rank fusion."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.retrieval.blocks import BlockStore
from memtriage.systems.retrieval.bm25 import LexicalIndex
from memtriage.systems.retrieval.dense import VectorIndex, shared_embedder
from memtriage.systems.retrieval.units import Granularity, Scores, Settings, newest_first, number, whole


class Hybrid:
    """Ranks what was said by words and by meaning, and fuses the two rankings (RRF).

    With `roles="user"` it keeps the user's turns alone.
    """

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
        self.units = BlockStore(Granularity.parse(granularity), roles)
        self._c = number("c", c, 0)
        self._lexical = LexicalIndex(k1=1.5, b=0.75, stemmer="english")
        self._semantic = VectorIndex(shared_embedder(embedder))

    def store_conversation(self, conversation: Session) -> None:
        self.units.put(conversation)

    def settle(self) -> None:
        """Index and embed everything stored so far."""
        self._lexical.catch_up_with(self.units.blocks)
        self._semantic.catch_up_with(self.units.blocks)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        self.settle()
        fused = sum(
            (
                reciprocal_ranks(scores, self._c)
                for scores in (self._lexical.scores(query), self._semantic.scores(query))
            ),
            start=np.zeros(len(self.units)),
        )
        return self.units.best(fused, whole("k", k))

    def get_all_memories(self) -> list[Memory]:
        return list(self.units.memories)

    def reset(self) -> None:
        self.units.clear()
        self._lexical.clear()
        self._semantic.clear()

    def save(self, path: Path) -> None:
        self.settle()
        self.units.save(path, self._settings())
        self._semantic.save(path)

    def load(self, path: Path) -> None:
        self.units.load(path, self._settings())
        self._lexical.clear()
        self._semantic.load(path, len(self.units), len(self.units.blocks))

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
