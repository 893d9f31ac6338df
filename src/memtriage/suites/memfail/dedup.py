"""Drop MemFail rows that say nearly the same as an earlier one, with the paper's thresholds and keys.

Two texts are compared as sets of lower-case words (single words rather than longer shingles: the texts compared
are as short as a sentence of six words, where one changed word would break every shingle around it). MinHash LSH
finds the candidates; their exact Jaccard similarity decides, so no row is lost to a collision of hashes.

>>> deduplicate(rows, "coexisting").kept                  # doctest: +SKIP
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memtriage.core.errors import BadInput
from memtriage.suites.memfail.released.columns import layout_of
from memtriage.suites.memfail.rows import Row

R = TypeVar("R", bound=Row)

THRESHOLD = {
    "conditional-easy": 0.8,
    "conditional-hard": 0.8,
    "coexisting": 0.7,
    "persona": 0.7,
    "long-hop": 0.7,
}
"""The Jaccard similarity from which on two texts count as the same."""

KEY = {
    "conditional-easy": "essay",
    "conditional-hard": "essay",
    "coexisting": "question",
    "persona": "essay",
    "long-hop": "each fact",
}
"""What is compared; a Long-Hop chain goes as a whole when any one of its facts collides."""

_SEED = 42
_HASHES = 400
_MISSED = 1e-6  # the chance, at the threshold itself, that a pair is no candidate
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Removed(Generic[R]):
    """A row that was dropped, the row kept in its place, and how alike they are."""

    row: R
    kept: R
    similarity: float


@dataclass(frozen=True, slots=True)
class Deduplicated(Generic[R]):
    """The rows that stay, in their order, and those that went."""

    kept: tuple[R, ...]
    removed: tuple[Removed[R], ...]


def deduplicate(rows: Sequence[R], dataset: str, threshold: float | None = None) -> Deduplicated[R]:
    """Keep the first of every group of near duplicates; a row is compared with kept rows only."""
    layout_of(dataset)  # says so where nobody knows the dataset
    limit = THRESHOLD[dataset] if threshold is None else threshold
    if not 0 < limit <= 1:
        raise BadInput(f"a deduplication threshold is above 0 and at most 1, not {limit}")
    groups = [[word_set(text) for text in _TEXTS[dataset](row)] for row in rows]
    seen = _KeptTexts(limit, groups)
    kept: list[R] = []
    removed: list[Removed[R]] = []
    for number, row in enumerate(rows):
        collision = seen.collision(number)
        if collision is None:
            seen.keep(number)
            kept.append(row)
        else:
            other, similarity = collision
            removed.append(Removed(row, rows[other], similarity))
    return Deduplicated(tuple(kept), tuple(removed))


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as they are compared.

    >>> sorted(word_set("Tea, green TEA!"))
    ['green', 'tea']
    """
    return frozenset(_WORD.findall(text.lower())) or frozenset({text.strip()})


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Words in common over words in all."""
    return len(first & second) / len(first | second)


class _KeptTexts:
    """The texts of the rows kept so far, found again by likeness.

    Rows are numbered, and so are texts over all rows; `row_of` leads from one to the other.
    """

    def __init__(self, threshold: float, groups: Sequence[Sequence[frozenset[str]]]) -> None:
        from rensa import RMinHash, RMinHashLSH

        self._threshold = threshold
        self._row_of = [row for row, group in enumerate(groups) for _ in group]
        self._texts_of: list[list[int]] = [[] for _ in groups]
        for text, row in enumerate(self._row_of):
            self._texts_of[row].append(text)
        texts = [text for group in groups for text in group]
        self._bits = _as_bits(texts)
        self._sizes = [len(text) for text in texts]
        per_band, bands = _bands(threshold)
        self._hashes = RMinHash.from_token_sets([list(text) for text in texts], num_perm=per_band * bands, seed=_SEED)
        self._index = RMinHashLSH(threshold=threshold, num_perm=per_band * bands, num_bands=bands)

    def keep(self, row: int) -> None:
        for text in self._texts_of[row]:
            self._index.insert(text, self._hashes[text])

    def collision(self, row: int) -> tuple[int, float] | None:
        """A kept row that this one repeats, and how closely."""
        bits, sizes = self._bits, self._sizes
        for text in self._texts_of[row]:
            own_bits, size = bits[text], sizes[text]
            for other in sorted(self._index.query(self._hashes[text])):
                common = (own_bits & bits[other]).bit_count()
                similarity = common / (size + sizes[other] - common)
                if similarity >= self._threshold:
                    return self._row_of[other], similarity
        return None


def _as_bits(texts: Sequence[frozenset[str]]) -> list[int]:
    """Each set as one integer, a bit per word: the intersection of two is one `&`, ten times faster than with sets."""
    number: dict[str, int] = {}
    bits = []
    for text in texts:
        value = 0
        for word in text:
            value |= 1 << number.setdefault(word, len(number))
        bits.append(value)
    return bits


def _bands(threshold: float) -> tuple[int, int]:
    """Hashes per band, and bands: as selective as can be without missing pairs at the threshold."""
    for per_band in range(10, 1, -1):
        bands = _HASHES // per_band
        if (1 - threshold**per_band) ** bands < _MISSED:
            return per_band, bands
    return 1, _HASHES


_TEXTS: dict[str, Callable[[Any], tuple[str, ...]]] = {
    "conditional-easy": lambda row: (row.essay,),
    "conditional-hard": lambda row: (row.essay,),
    "coexisting": lambda row: (row.question,),
    "persona": lambda row: (row.essay,),
    "long-hop": lambda row: row.facts,
}
