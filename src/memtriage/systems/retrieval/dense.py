"""Semantic retrieval: every unit as a vector, ranked by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory, Traits
from memtriage.models.current import embedder
from memtriage.models.embedders import Embedder, Vectors, WordLlamaEmbedder, normalised, query_vector
from memtriage.systems.retrieval.blocks import BLOCKS, Block, Packed
from memtriage.systems.retrieval.ranked import RankedMemory
from memtriage.systems.retrieval.text_cache import cache_kind, rows, shares_vectors
from memtriage.systems.retrieval.units import Scores, Settings

_BATCH = 1024


class VectorIndex:
    """Cosines of texts that only ever grow in number; the matrix doubles when it is full.

    For an embedder whose `similarity` is "dot" they are inner products.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._unit_length = getattr(embedder, "similarity", "cosine") != "dot"
        self._matrix = self._rows(0)
        self._count = 0
        self._blocks = 0

    def catch_up(self, memories: Sequence[Memory]) -> None:
        """Embed the memories that came since the last time, in batches."""
        self._make_room(len(memories))
        for start in range(self._count, len(memories), _BATCH):
            texts = [memory.text for memory in memories[start : start + _BATCH]]
            self._matrix[start : start + len(texts)] = self._embed(texts)
            self._count = start + len(texts)

    def catch_up_with(self, blocks: Sequence[Block]) -> None:
        """Embed the blocks that came since the last time; of an index that gets its texts in blocks alone."""
        new = blocks[self._blocks :]
        if not new:
            return
        if shares_vectors(self.embedder):
            packed = BLOCKS.packed(new, cache_kind(self.embedder), self._packed)
            self._append(self._unpacked([piece.data for piece in packed]))
        else:
            self.catch_up([memory for block in blocks for memory in block.dated(None)])
        self._blocks = len(blocks)

    def scores(self, query: str) -> Scores:
        """One cosine per text."""
        vector = self._embed_query(query)
        # Row by row rather than a matrix product, whose last bit depends on where a row stands: equal texts must tie.
        scores: Scores = np.vecdot(self._matrix[: self._count], vector)
        return scores

    def clear(self) -> None:
        self._matrix = self._rows(0)
        self._count = self._blocks = 0

    def save(self, path: Path) -> None:
        np.save(path / "embeddings.npy", self._matrix[: self._count], allow_pickle=False)

    def load(self, path: Path, expected: int, blocks: int) -> None:
        """Read back what `save` wrote for so many texts, which came in so many blocks."""
        file = path / "embeddings.npy"
        try:
            matrix = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise BadInput(f"{file} can't be read: {error}") from error
        if matrix.shape != (expected, self.embedder.dimensions) or matrix.dtype != np.float32:
            raise BadInput(
                f"{file} holds {matrix.shape} {matrix.dtype}, not {(expected, self.embedder.dimensions)} float32"
            )
        self._matrix, self._count, self._blocks = matrix, expected, blocks

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not shares_vectors(self.embedder):
            return self._embed_anew(texts)
        return self._unpacked(rows(self.embedder, texts, self._embed_anew))

    def _embed_query(self, query: str) -> Vectors:
        if not hasattr(self.embedder, "embed_query"):
            return self._embed([query]).reshape(-1)
        return self._checked(query_vector(self.embedder, query)[None], 1).reshape(-1)

    def _packed(self, texts: Sequence[str]) -> Packed:
        starts = range(0, len(texts), _BATCH)
        each = [row for start in starts for row in rows(self.embedder, texts[start : start + _BATCH], self._embed_anew)]
        return Packed(b"".join(each), np.array([len(row) for row in each], dtype=np.int32).tobytes())

    def _unpacked(self, data: Sequence[bytes]) -> Vectors:
        return np.frombuffer(b"".join(data), dtype=np.float32).reshape(-1, self.embedder.dimensions)

    def _append(self, vectors: Vectors) -> None:
        end = self._count + len(vectors)
        if not self._count:
            self._matrix = vectors  # as they are: most stores are filled once
        elif len(vectors):
            self._make_room(end)
            self._matrix[self._count : end] = vectors
        self._count = end

    def _embed_anew(self, texts: Sequence[str]) -> Vectors:
        return self._checked(np.asarray(self.embedder.embed(texts), dtype=np.float32), len(texts))

    def _checked(self, vectors: Vectors, texts: int) -> Vectors:
        wanted = (texts, self.embedder.dimensions)
        if vectors.shape != wanted or not np.isfinite(vectors).all():
            raise BadSystem(
                f"embedder {self.embedder.name!r} returned an array of shape {vectors.shape}"
                f"{'' if vectors.shape != wanted else ' with numbers that are not finite'}; "
                f"for {texts} texts it must be {wanted}, all finite"
            )
        return normalised(vectors) if self._unit_length else vectors

    def _make_room(self, rows: int) -> None:
        if rows > len(self._matrix):
            grown = self._rows(max(rows, 2 * len(self._matrix)))
            grown[: self._count] = self._matrix[: self._count]
            self._matrix = grown

    def _rows(self, count: int) -> Vectors:
        return np.empty((count, self.embedder.dimensions), dtype=np.float32)


class Dense(RankedMemory):
    """Ranks what was said by how close its meaning is to the question (cosine of embeddings)."""

    traits = Traits(
        family="embedding-rag",
        architecture="summarise: verbatim; store: embedding matrix; retrieve: cosine, ties newest first",
        ranks_all=True,
    )

    def __init__(
        self, granularity: str | int = "turn", embedder: str | Embedder = "wordllama", roles: str = "all"
    ) -> None:
        super().__init__(granularity, roles)
        self._index = VectorIndex(shared_embedder(embedder))
        self._indexes = (self._index,)

    def _settings(self) -> Settings:
        return {"system": "dense", "embedder": self._index.embedder.name}


_known: dict[str, Embedder] = {}


def shared_embedder(choice: str | Embedder) -> Embedder:
    """An embedder by its name, or one that is there already."""
    if not isinstance(choice, str):
        return choice
    shared = _known.get(choice) or embedder(choice)
    if choice == WordLlamaEmbedder.name:  # looking it up takes longer than a store takes to be filled
        _known[choice] = shared
    return shared
