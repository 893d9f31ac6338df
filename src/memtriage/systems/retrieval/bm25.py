"""Lexical retrieval: BM25 over stemmed words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memtriage.core.memory import Memory, Traits
from memtriage.systems.retrieval.blocks import BLOCKS, Block, Packed
from memtriage.systems.retrieval.lexicon import Lexicon, lexicon
from memtriage.systems.retrieval.ranked import RankedMemory
from memtriage.systems.retrieval.units import Scores, Settings, number
from memtriage.systems.retrieval.word_table import Numbers
from memtriage.text.language import spoken

try:
    from memtriage.systems.retrieval._compiled import bm25_scores
except ImportError:  # without a compiler, nothing of it was built
    bm25_scores = None  # type: ignore[assignment]

_PATIENCE = 8
"""Questions to the same texts before postings of every word pay: sorting all words costs as much as reading them so
often."""


_FEW = 64
"""Words of which each is worked on by itself, without looking for those that are alike."""


@dataclass(frozen=True, slots=True)
class Postings:
    """By word: the texts that hold it, and what it adds to their score. `words` rise; `starts` has one more."""

    words: NDArray[np.int64]
    starts: NDArray[np.intp]
    texts: NDArray[np.int64]
    weights: NDArray[np.float32]

    def scores(self, query: Numbers, count: int) -> Scores:
        """One score per text; a word that is asked for twice counts twice."""
        scores = np.zeros(count, dtype=np.float32)
        places = np.searchsorted(self.words, query)
        known = places < len(self.words)
        known[known] = self.words[places[known]] == query[known]
        places = places[known]
        for start, end in zip(self.starts[places].tolist(), self.starts[places + 1].tolist(), strict=True):
            scores[self.texts[start:end]] += self.weights[start:end]
        return scores


class Corpus:
    """The words of a number of texts, laid out end to end."""

    def __init__(self, pieces: Sequence[Packed]) -> None:
        self._words: Numbers = np.frombuffer(b"".join([piece.data for piece in pieces]), dtype=np.int32)
        sizes = np.frombuffer(b"".join([piece.sizes for piece in pieces]), dtype=np.int32)
        self._counts: Numbers = sizes // np.int32(self._words.itemsize)

    def __len__(self) -> int:
        return len(self._counts)

    def scores(self, query: Numbers, k1: float, b: float, words: int) -> Scores:
        """One score per text for a query of words out of so many; all words are read through for its own."""
        if bm25_scores is None:
            return self.postings(k1, b, query, words).scores(query, len(self))
        return np.frombuffer(bm25_scores(self._words, self._counts, query.tolist(), k1, b), dtype=np.float32)

    def postings(self, k1: float, b: float, only: Numbers | None = None, words: int = 0) -> Postings:
        """Postings of every word, or of a few out of so many; with Lucene's weights, as in bm25s."""
        numbers, where = self._everything() if only is None else self._occurrences(only, words)
        pairs = numbers.astype(np.int64) << 32 | where
        pairs.sort()
        first = _runs(pairs)
        pairs, times = pairs[first[:-1]], first[1:] - first[:-1]
        held, texts = pairs >> 32, pairs & 0xFFFFFFFF
        starts = _runs(held)
        frequencies = starts[1:] - starts[:-1]
        rarity = np.repeat(self._rarity(frequencies), frequencies)
        length = k1 * ((1 - b) + b * self._counts / self._counts.mean())
        weights = (rarity * (times / (length[texts] + times))).astype(np.float32)
        return Postings(held[starts[:-1]], starts, texts, weights)

    def _everything(self) -> tuple[Numbers, NDArray[np.intp]]:
        """Every word in order, and the text it stands in."""
        return self._words, np.repeat(np.arange(len(self)), self._counts)

    def _occurrences(self, only: Numbers, words: int) -> tuple[Numbers, NDArray[np.intp]]:
        """The same for a few words."""
        wanted = np.zeros(words, dtype=bool)
        wanted[only] = True
        places = np.flatnonzero(wanted.take(self._words))  # a third of what indexing takes
        return self._words[places], np.searchsorted(np.cumsum(self._counts, dtype=np.int64), places, side="right")

    def _rarity(self, frequencies: NDArray[np.intp]) -> NDArray[np.float32]:
        """How much a word tells that so many of the texts hold."""
        known, which = np.unique(frequencies, return_inverse=True) if len(frequencies) > _FEW else (frequencies, None)
        each = [math.log(1 + (len(self) - n + 0.5) / (n + 0.5)) for n in known.tolist()]
        rarity = np.array(each, dtype=np.float32)
        return rarity if which is None else rarity[which]


def _runs(values: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where each run of equal values begins, and where the last one ends; in a third of the time of `np.diff`."""
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate(([0], changes, [len(values)])) if len(values) else np.zeros(1, dtype=np.intp)


class LexicalIndex:
    """BM25 scores of texts that only ever grow in number.

    Most stores are asked once, so nothing is built beforehand: a query reads through the words of all texts for its
    own. A store that is asked again and again gets postings of every word.
    """

    def __init__(self, k1: float, b: float, stemmer: str) -> None:
        self._k1, self._b, self._stemmer = k1, b, stemmer
        self._known: Lexicon | None = lexicon(stemmer) if stemmer else None  # else that of what is stored first
        self._pieces: list[Packed] = []
        self._texts = self._blocks = 0
        self._corpus: Corpus | None = None
        self._all: Postings | None = None
        self._asked = 0
        self._last: tuple[str, Scores] | None = None  # one question is asked at several k

    @property
    def _lexicon(self) -> Lexicon:
        if self._known is None:
            self._known = lexicon(self._stemmer)
        return self._known

    def catch_up(self, memories: Sequence[Memory]) -> None:
        """Take in the memories that came since the last time."""
        new = [memory.text for memory in memories[self._texts :]]
        if new:
            self._take([self._packed(new)], len(new))

    def catch_up_with(self, blocks: Sequence[Block]) -> None:
        """Take in the blocks that came since the last time; of an index that gets its texts in blocks alone."""
        new = blocks[self._blocks :]
        if new:
            pieces = BLOCKS.packed(new, self._lexicon.kind, self._packed)
            self._take(pieces, sum([len(block) for block in new]))
            self._blocks = len(blocks)

    def scores(self, query: str) -> Scores:
        """One score per text; zero where it shares no word with the query. Don't change them: they may come again."""
        if self._last is None or self._last[0] != query:
            self._last = query, self._scores(query)
        return self._last[1]

    def clear(self) -> None:
        self._known = None
        self._pieces = []
        self._texts = self._blocks = 0
        self._changed()

    def save(self, path: Path) -> None:
        """Nothing: the words of the texts are read again."""

    def load(self, path: Path, expected: int, blocks: int) -> None:
        self.clear()

    def _packed(self, texts: Sequence[str]) -> Packed:
        numbers, counts = self._lexicon.read(texts)
        return Packed(numbers.tobytes(), (counts * numbers.itemsize).tobytes())

    def _take(self, pieces: Sequence[Packed], texts: int) -> None:
        self._pieces += pieces
        self._texts += texts
        self._changed()

    def _scores(self, query: str) -> Scores:
        words = self._lexicon.numbers(query)
        if not len(words) or not any(piece.data for piece in self._pieces):
            return np.zeros(self._texts, dtype=np.float32)
        if self._all is None:
            if self._corpus is None:
                self._corpus = Corpus(self._pieces)
            self._asked += 1
            if self._asked <= _PATIENCE:
                return self._corpus.scores(words, self._k1, self._b, len(self._lexicon))
            self._all = self._corpus.postings(self._k1, self._b)
            self._corpus = None
        return self._all.scores(words, self._texts)

    def _changed(self) -> None:
        self._corpus = self._all = self._last = None
        self._asked = 0


class BM25(RankedMemory):
    """Ranks what was said by the words it shares with the question (BM25 over stems)."""

    traits = Traits(
        family="simple-rag",
        architecture=(
            "summarise: verbatim; store: inverted index; retrieve: BM25 over stems, filled up to k newest first"
        ),
        ranks_all=True,
    )

    def __init__(
        self,
        granularity: str | int = "turn",
        k1: str | float = 1.5,
        b: str | float = 0.75,
        stemmer: str = "",
        roles: str = "all",
    ) -> None:
        super().__init__(granularity, roles)
        self._k1, self._b, self._stemmer = number("k1", k1, 0), number("b", b, 0, 1), stemmer
        self._indexes = (LexicalIndex(self._k1, self._b, stemmer),)

    def _settings(self) -> Settings:
        return {"system": "bm25", "k1": self._k1, "b": self._b, "stemmer": self._stemmer or _own_stemmer()}


def _own_stemmer() -> str:
    """The stemmer of the language spoken."""
    language = spoken()
    return "english" if language is None else language.stemmer
