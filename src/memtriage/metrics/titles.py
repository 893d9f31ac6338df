"""Lists of recommended titles: read out of an answer, matched with the titles that exist, and counted against gold.

A title in an answer stands for the existing one that is nearest by edit distance, as in MemoryAgentBench's own script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

CUTOFFS = (1, 5, 10)
NEAR = 0.2
"""Where nobody knows which titles exist, two are the same if no more than this share of their letters differs."""

_NUMBERED = re.compile(r"^\s*(?:\(?\d+\s*[.):、]\s*[-–—]?|\d+\s*[-–—]|[-–—•*])\s*")
_ASIDE = re.compile(r"\([^()]*\)")
_FIRST = re.compile(r"(?<![\d.])1\s*[.)](?!\d)")
_DECORATION = '*_`"“” \t,;'


def listed(answer: str) -> list[str]:
    """The titles that an answer lists, in order: one to a line from the first number on, else between commas.

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
    """The titles that exist; which of them one is nearest to.

    >>> Titles(["Tin Harbour", "The Owl"]).nearest("tin harbor")
    'Tin Harbour'
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(dict.fromkeys(known))
        self._small = [title.lower() for title in self._known]
        self._found = {small: title for title, small in reversed(list(zip(self._known, self._small, strict=True)))}

    def nearest(self, title: str) -> str | None:
        """The existing title with the smallest edit distance, but for case; of equals the first. None without any."""
        small = title.lower()
        if small not in self._found and self._known:
            _, _, place = process.extractOne(small, self._small, scorer=Levenshtein.distance)
            self._found[small] = self._known[place]
        return self._found.get(small)


def recall(named: Sequence[str], golds: Sequence[str], k: int) -> float:
    """The share of the gold titles among the first k that were named."""
    return sum(gold in named[:k] for gold in golds) / len(golds) if golds else 0.0


def matched(answer: str, golds: Sequence[str], known: Titles | None = None) -> list[str]:
    """The titles that an answer lists, each as the existing one it stands for.

    Without a list of those that exist, a title that is almost a gold one stands for that.
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
