"""Lexical retrieval: BM25 over stemmed words, with bm25s and PyStemmer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memtriage.episode import Session
from memtriage.errors import BadInput, unknown
from memtriage.memory import Memory
from memtriage.systems.units import Granularity, Scores, Settings, Shelf, number, whole
from memtriage.words import well_formed


class LexicalIndex:
    """BM25 scores of texts that only ever grow in number.

    bm25s can't add to an index, so texts are tokenised as they come and the index is built once,
    when it is asked after something came.
    """

    def __init__(self, k1: float, b: float, stemmer: str) -> None:
        self._k1, self._b = k1, b
        self._tokenizer = _tokenizer(stemmer)
        self._documents: list[list[int]] = []
        self._bm25: Any = None

    def catch_up(self, memories: Sequence[Memory]) -> None:
        """Take in the memories that came since the last time."""
        new = [well_formed(memory.text) for memory in memories[len(self._documents) :]]
        if not new:
            return
        self._documents += self._tokenizer.tokenize(new, update_vocab=True, show_progress=False, allow_empty=False)
        self._bm25 = self._build()

    def scores(self, query: str) -> Scores:
        """One score per text; zero where it shares no word with the query."""
        words = self._words(query)
        if self._bm25 is None or not words:
            return np.zeros(len(self._documents), dtype=np.float32)
        scores: Scores = self._bm25.get_scores_from_ids(words)
        return scores

    def clear(self) -> None:
        self._tokenizer.reset_vocab()
        self._documents = []
        self._bm25 = None

    def _words(self, query: str) -> list[int]:
        words: list[int] = self._tokenizer.tokenize(
            [well_formed(query)], update_vocab=False, show_progress=False, allow_empty=False
        )[0]
        return words

    def _build(self) -> Any:
        import bm25s

        vocabulary = self._tokenizer.get_vocab_dict()
        if not vocabulary:  # nothing but stop words so far
            return None
        bm25 = bm25s.BM25(k1=self._k1, b=self._b, backend="numpy", csc_backend="numpy")
        bm25.index((self._documents, vocabulary), create_empty_token=False, show_progress=False)
        return bm25


class BM25:
    """Ranks what was said by the words it shares with the question (BM25 over stems)."""

    family = "simple-rag"
    architecture = "summarise: verbatim; store: inverted index; retrieve: BM25 over stems, filled up to k newest first"

    def __init__(
        self,
        granularity: str | int = "turn",
        k1: str | float = 1.5,
        b: str | float = 0.75,
        stemmer: str = "english",
    ) -> None:
        self.shelf = Shelf(Granularity.parse(granularity))
        self._k1, self._b, self._stemmer = number("k1", k1, 0), number("b", b, 0, 1), stemmer
        self._index = LexicalIndex(self._k1, self._b, stemmer)

    def store_conversation(self, conversation: Session) -> None:
        self.shelf.put(conversation)

    def settle(self) -> None:
        """Build the index over everything stored so far."""
        self._index.catch_up(self.shelf.memories)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        self.settle()
        return self.shelf.best(self._index.scores(query), whole("k", k))

    def get_all_memories(self) -> list[Memory]:
        return list(self.shelf.memories)

    def reset(self) -> None:
        self.shelf.memories.clear()
        self._index.clear()

    def save(self, path: Path) -> None:
        self.shelf.save(path, self._settings())

    def load(self, path: Path) -> None:
        self.shelf.load(path, self._settings())
        self._index.clear()

    def _settings(self) -> Settings:
        return {"system": "bm25", "k1": self._k1, "b": self._b, "stemmer": self._stemmer}


def _tokenizer(stemmer: str) -> Any:
    """Words of two letters and more, without English stop words, stemmed in the language asked for."""
    import bm25s.tokenization
    import Stemmer

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every index it builds
    if stemmer != "none" and stemmer not in Stemmer.algorithms():
        raise BadInput(unknown("stemmer", stemmer, [*Stemmer.algorithms(), "none"]))
    stem = None if stemmer == "none" else Stemmer.Stemmer(stemmer)
    return bm25s.tokenization.Tokenizer(stopwords="english", stemmer=stem)
