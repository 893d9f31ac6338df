"""Recall of recommended titles: read from an answer, matched with the known titles, and compared with the gold ones.

A title in an answer counts as the nearest known title by edit distance, as in MemoryAgentBench's own script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

CUTOFFS = (1, 5, 10)
NEAR = 0.2
"""Without a list of known titles, two titles are the same if at most this share of their letters differs."""

_NUMBERED = re.compile(r"^\s*(?:\(?\d+\s*[.):、]\s*[-–—]?|\d+\s*[-–—]|[-–—•*])\s*")
_ASIDE = re.compile(r"\([^()]*\)")
_FIRST = re.compile(r"(?<![\d.])1\s*[.)](?!\d)")
_DECORATION = '*_`"“” \t,;'


def listed(answer: str) -> list[str]:
    """The titles that an answer lists, in order: one per line from the first number on, else between commas.

    >>> listed("Gladly!\\n1. **The Owl** (1984)\\n2) Tin Harbour - a classic\\n")
    ['The Owl', 'Tin Harbour - a classic']
    >>> listed("The Owl, Tin Harbour")
    ['The Owl', 'Tin Harbour']
    """
    first = _FIRST.search(answer)
    lines = answer[first.end() :] if first else answer.replace(",", "\n")
    titles = (_cleaned(line) for line in lines.split("\n"))
    return [title for title in titles if title]


def _cleaned(line: str) -> str:
    bare = _NUMBERED.sub("", _ASIDE.sub("", line), count=1)
    return " ".join(bare.strip(_DECORATION).split())


class Titles:
    """The known titles, to look up the one nearest to a given title.

    >>> Titles(["Tin Harbour", "The Owl"]).nearest("tin harbor")
    'Tin Harbour'
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(dict.fromkeys(known))
        self._lower = [title.lower() for title in self._known]
        self._by_lower = {lower: title for title, lower in reversed(list(zip(self._known, self._lower, strict=True)))}

    def nearest(self, title: str) -> str | None:
        """The known title with the smallest edit distance, ignoring case; the first of ties. None if there are none."""
        lower = title.lower()
        if lower not in self._by_lower and self._known:
            _, _, place = process.extractOne(lower, self._lower, scorer=Levenshtein.distance)
            self._by_lower[lower] = self._known[place]
        return self._by_lower.get(lower)


def recall(named: Sequence[str], golds: Sequence[str], k: int) -> float:
    """The share of the gold titles that are among the first k named."""
    return sum(gold in named[:k] for gold in golds) / len(golds) if golds else 0.0


def matched(answer: str, golds: Sequence[str], known: Titles | None = None) -> list[str]:
    """The titles that an answer lists, each replaced by the known title nearest to it.

    Without known titles, a title that is almost a gold title counts as that one.
    """
    named = listed(answer)[: max(CUTOFFS)]
    if known is not None:
        return [found for title in named if (found := known.nearest(title)) is not None]
    near = _titles(tuple(golds))
    return [_if_near(title, near.nearest(title)) for title in named]


@lru_cache(maxsize=256)
def _titles(known: tuple[str, ...]) -> Titles:
    return Titles(known)


def _if_near(title: str, gold: str | None) -> str:
    if gold is None or Levenshtein.distance(title.lower(), gold.lower()) > NEAR * max(len(title), len(gold)):
        return title
    return gold


def recalls(answer: str, golds: Sequence[str], known: Titles | None = None) -> dict[str, float]:
    """Recall@1, @5 and @10 of the titles that an answer lists.

    >>> recalls("1. Tin Harbor\\n2. The Owl", ["The Owl"], Titles(["The Owl", "Tin Harbour"]))
    {'Recall@1': 0.0, 'Recall@5': 1.0, 'Recall@10': 1.0}
    """
    named = matched(answer, golds, known)
    return {f"Recall@{k}": recall(named, golds, k) for k in CUTOFFS}
