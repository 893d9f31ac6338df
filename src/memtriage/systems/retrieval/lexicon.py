"""The words of texts as numbers, one per stem and the same in every store.

Words have two letters and more; stop words have no number. What a word is comes from bm25s. Texts are read by a table
of the words that were met, compiled where it could be; only what is new, long, or has other than ASCII letters is
looked at by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from threading import Lock
from typing import Any

import numpy as np

from memtriage.core.errors import BadInput, unknown
from memtriage.systems.retrieval.word_table import NONE, Numbers
from memtriage.text.language import spoken
from memtriage.text.words import well_formed

try:
    from memtriage.systems.retrieval._compiled import WordTable
except ImportError:  # without a compiler, nothing of it was built
    from memtriage.systems.retrieval.word_table import WordTable  # type: ignore[assignment]

MOST_WORDS = 1_000_000


class Lexicon:
    """Numbers for words; safe to use from several threads."""

    _serials = count()

    def __init__(self, stemmer: str, stop_words: str = "english") -> None:
        tokenizer = _tokenizer(stemmer, stop_words)
        self._split, self._stem = tokenizer.splitter, tokenizer.stemmer or str
        self._of_stem: dict[str, int] = {}
        self._of_word: dict[str, int] = dict.fromkeys(tokenizer.stopwords, NONE)
        self._of_run: dict[bytes, tuple[int, ...]] = {}
        self._table = WordTable(self._number, self._of_odd)
        self._lock = Lock()
        self.kind = f"words/{next(self._serials)}"
        """The name under which the words of texts are kept."""

    def __len__(self) -> int:
        """How many stems there are; every number is below it."""
        return len(self._of_stem)

    @property
    def full(self) -> bool:
        """Whether so many words are known that new stores had better begin anew."""
        return len(self._of_word) + len(self._of_run) > MOST_WORDS

    def numbers(self, text: str) -> Numbers:
        """The words of a text in order, by their numbers; for short texts."""
        with self._lock:
            return np.array(self._numbers(well_formed(text).lower()), dtype=np.int32)

    def read(self, texts: Sequence[str]) -> tuple[Numbers, Numbers]:
        """The words of texts end to end, by their numbers, and how many each text has."""
        with self._lock:
            numbers, counts = self._table.read(texts)
        return np.frombuffer(numbers, dtype=np.int32), np.frombuffer(counts, dtype=np.int32)

    def _of_odd(self, run: bytes) -> tuple[int, ...]:
        """The numbers of a run that is long or has other than ASCII letters, and may be several words or none."""
        known = self._of_run.get(run)
        if known is None:
            known = self._of_run[run] = tuple(self._numbers(run.decode()))
        return known

    def _numbers(self, text: str) -> list[int]:
        return [number for word in self._split(text) if (number := self._number(word)) != NONE]

    def _number(self, word: str) -> int:
        number = self._of_word.get(word)
        if number is None:
            number = self._of_word[word] = self._of_stem.setdefault(self._stem(word), len(self._of_stem))
        return number


_lexicons: dict[tuple[str, str], Lexicon] = {}
_choosing = Lock()


def lexicon(stemmer: str = "") -> Lexicon:
    """The lexicon for a stemmer's language, or else for the language spoken; a full one stays with its stores."""
    language = None if stemmer else spoken()
    key = (stemmer or "english", "english") if language is None else (language.stemmer, language.stop_words)
    with _choosing:
        known = _lexicons.get(key)
        if known is None or known.full:
            known = _lexicons[key] = Lexicon(*key)
        return known


def _tokenizer(stemmer: str, stop_words: str) -> Any:
    """Words of two letters and more, without the stop words of a language, stemmed in the language asked for."""
    import bm25s.tokenization
    import Stemmer

    if stemmer != "none" and stemmer not in Stemmer.algorithms():
        raise BadInput(unknown("stemmer", stemmer, [*Stemmer.algorithms(), "none"]))
    stem = None if stemmer == "none" else Stemmer.Stemmer(stemmer, 0)  # each word comes once
    return bm25s.tokenization.Tokenizer(stopwords=stop_words, stemmer=stem)
