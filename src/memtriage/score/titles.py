"""Lists of recommended titles: read out of an answer, matched with the titles that exist, and counted against gold.

A title in an answer stands for the existing one that is nearest by edit distance, as in MemoryAgentBench's own script.
"""

from __future__ import annotations

import re
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


def title_of(name: str) -> str:
    """The title that the name of an entity holds, the last part of its address.

    >>> title_of("<http://example.org/resource/Tin_Harbour_(1984_film)>")
    'Tin Harbour'
    """
    last = name.rsplit("/", 1)[-1].translate(str.maketrans("_->", "   "))
    return " ".join(_ASIDE.sub("", last).split())


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
        counts, letters = self._bags
        least = _at_least(_bag(small, letters), counts)
        closest, found = len(small) + max(map(len, self._small)) + 1, 0
        for n in least.argsort(kind="stable").tolist():
            if least[n] > closest:
                break
            away = distance(small, self._small[n])
            if (away, n) < (closest, found):
                closest, found = away, n
        return self._known[found]

    @cached_property
    def _bags(self) -> tuple[Any, dict[str, int]]:
        """How often each title has which letter."""
        import numpy as np

        letters: dict[str, int] = {}
        for title in self._small:
            for letter in title:
                letters.setdefault(letter, len(letters))
        counts = np.zeros((len(self._small), len(letters) + 1), dtype=np.int16)
        for row, title in enumerate(self._small):
            np.add.at(counts[row], [letters[letter] for letter in title], 1)
        return counts, letters


def _bag(text: str, letters: dict[str, int]) -> Any:
    import numpy as np

    counts = np.zeros(len(letters) + 1, dtype=np.int16)
    np.add.at(counts, [letters.get(letter, len(letters)) for letter in text], 1)
    return counts


def _at_least(bag: Any, counts: Any) -> Any:
    """What the distances can't be smaller than: each step brings in or takes away at most one letter."""
    import numpy as np

    differ = bag - counts
    return np.maximum(np.maximum(differ, 0).sum(axis=1), np.maximum(-differ, 0).sum(axis=1))


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
