"""Lists of recommended titles: read out of an answer, matched with the titles that exist, and counted against gold.

A title in an answer stands for the existing one that is nearest by edit distance, as in MemoryAgentBench's own script.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

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


def distance(a: str, b: str) -> int:
    """How many letters have to be put in, taken out or changed to make one text of the other.

    All of a row of the table is worked out at once, as bits of a number (Myers 1999).

    >>> distance("kitten", "sitting")
    3
    """
    if len(a) < len(b):
        a, b = b, a
    if not b:
        return len(a)
    where: dict[str, int] = {}
    for place, letter in enumerate(a):
        where[letter] = where.get(letter, 0) | 1 << place
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, score = every, 0, len(a)
    for letter in b:
        same = where.get(letter, 0)
        zero = (((same & up) + up) ^ up) | same | down
        more, less = down | (every & ~(zero | up)), up & zero
        score += bool(more & last) - bool(less & last)
        more = (more << 1 | 1) & every
        up = (less << 1 & every) | (every & ~(zero | more))
        down = more & zero
    return score


class Titles:
    """The titles that exist; which of them one is nearest to.

    >>> Titles(["Tin Harbour", "The Owl"]).nearest("tin harbor")
    'Tin Harbour'
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(dict.fromkeys(known))
        self._small = [title.lower() for title in self._known]
        self._exact = {title: n for n, title in reversed(list(enumerate(self._small)))}
        self._found: dict[str, str | None] = {}

    def nearest(self, title: str) -> str | None:
        """The existing title with the smallest edit distance, but for case; of equals the first. None without any."""
        small = title.lower()
        if small not in self._found:
            n = self._exact.get(small)
            self._found[small] = self._known[n] if n is not None else self._searched(small)
        return self._found[small]

    def _searched(self, small: str) -> str | None:
        if not self._known:
            return None
        least = self._at_least(small)
        bound, closest, found = int(least.min()), len(small) + int(self._lengths.max()), 0
        while bound <= closest:
            for n in (least == bound).nonzero()[0].tolist():
                away = distance(small, self._small[n])
                if (away, n) < (closest, found):
                    closest, found = away, n
            bound += 1
        return self._known[found]

    def _at_least(self, small: str) -> Any:
        """What the distances can't be smaller than: a letter that is not in both has to be brought in or changed."""
        import numpy as np

        shared = np.zeros(len(self._small), dtype=np.int32)
        for letter, times in Counter(small).items():
            if letter in self._times:
                shared += np.minimum(self._times[letter], times)
        return np.maximum(self._lengths, len(small)) - shared

    @cached_property
    def _lengths(self) -> Any:
        import numpy as np

        return np.array([len(title) for title in self._small], dtype=np.int32)

    @cached_property
    def _times(self) -> dict[str, Any]:
        """How often each letter stands in each title."""
        import numpy as np

        times: dict[str, Any] = {}
        for n, title in enumerate(self._small):
            for letter, count in Counter(title).items():
                if letter not in times:
                    times[letter] = np.zeros(len(self._small), dtype=np.int32)
                times[letter][n] = count
        return times


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
    if gold is None or distance(title.lower(), gold.lower()) > NEAR * max(len(title), len(gold)):
        return title
    return gold


def recalls(answer: str, golds: Sequence[str], known: Titles | None = None) -> dict[str, float]:
    """Recall@1, @5 and @10 of the titles that an answer lists.

    >>> recalls("1. Tin Harbor\\n2. The Owl", ["The Owl"], Titles(["The Owl", "Tin Harbour"]))
    {'Recall@1': 0.0, 'Recall@5': 1.0, 'Recall@10': 1.0}
    """
    named = matched(answer, golds, known)
    return {f"Recall@{k}": recall(named, golds, k) for k in CUTOFFS}
