"""Vectors of texts that come, change and go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.retrieval.dense import VectorIndex
from memtriage.systems.retrieval.units import newest_first


class VectorStore(VectorIndex):
    """One vector per id, ranked by cosine; among equals, what was put last comes first."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._unit_length = True  # what is near is told by a cosine, whatever the embedder
        self._ids: list[str | None] = []  # by row; None where a vector was dropped
        self._row_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def ids(self) -> list[str]:
        """The ids, in the order in which their vectors were put."""
        return list(self._row_of)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts. This may fail, and changes nothing; `put` can't fail."""
        return self._embed(texts) if texts else self._rows(0)

    def embed_query(self, query: str) -> Vectors:
        """The unit vector of a question."""
        return self._embed_query(query)

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Keep these vectors; an id that was there already gets its new one."""
        for id in ids:
            self.drop(id)
        self._make_room(self._count + len(ids))
        for id, vector in zip(ids, vectors, strict=True):
            self._matrix[self._count] = vector
            self._row_of[id] = self._count
            self._ids.append(id)
            self._count += 1

    def drop(self, id: str) -> None:
        """Forget a vector, if it is there."""
        row = self._row_of.pop(id, None)
        if row is None:
            return
        self._ids[row] = None
        if self._count > 64 and len(self._row_of) < self._count // 2:
            self._close_gaps()

    def cosines(self, vector: Vectors) -> Vectors:
        """The cosine of every id, in the order of `ids`."""
        scores: Vectors = np.vecdot(self._matrix[: self._count], vector)
        return scores if len(self._row_of) == self._count else scores[list(self._row_of.values())]

    def ranked(self, vector: Vectors) -> Iterator[tuple[str, float]]:
        """Every id with its cosine, the best first."""
        scores = np.vecdot(self._matrix[: self._count], vector)
        for row in newest_first(scores):
            if (id := self._ids[row]) is not None:
                yield id, float(scores[row])

    def nearest(self, vector: Vectors, most: int, at_least: float = -2.0) -> list[tuple[str, float]]:
        """The best ids whose cosine is at least so high; no more are sorted than are looked for."""
        scores = np.vecdot(self._matrix[: self._count], vector)
        looked = max(most, 1)
        while True:
            rows = newest_first(scores, looked)
            found = [(id, float(scores[row])) for row in rows if (id := self._ids[row]) is not None]
            if len(found) >= most or looked >= len(scores):
                return [(id, score) for id, score in found[:most] if score >= at_least]
            looked *= 4  # some rows are of dropped vectors

    def clear(self) -> None:
        super().clear()
        self._ids, self._row_of = [], {}

    def _close_gaps(self) -> None:
        kept = [row for row, id in enumerate(self._ids) if id is not None]
        self._matrix = self._matrix[kept]
        self._ids = [self._ids[row] for row in kept]
        self._row_of = {id: row for row, id in enumerate(self._ids) if id is not None}
        self._count = len(kept)
