"""Where a released context has what a question needs: looked for by words, as the released files don't say.

A find is only likely to be right, and questions are tagged accordingly. What is not found is left open.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from memtriage.suites.kit.phrases import runs
from memtriage.suites.memoryagentbench.context import Passage
from memtriage.text.sentences import spans
from memtriage.text.words import words

ANSWER_SHARE = 0.5
"""A sentence with the answer is the one meant if it and its neighbours have this share of the question's words."""

EVENT_SHARE = 0.6
"""A stretch tells an event if it has this share of its words."""

_NEIGHBOURS = 2
_STRETCH = 3
_MOST_SENTENCES = 50
_MOST_HITS = 2_000
_MOST_DETAILS = 4
_DOCUMENT = re.compile(r"^Document \d+:", re.MULTILINE)


class SentenceIndex:
    """The sentences of a long text, and which words stand in which."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(spans(text))
        self._starts = [start for start, _ in found]
        self._ends = [end for _, end in found]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The place of the sentences that a stretch of the text touches."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = min(len(self._ends) - 1, bisect_left(self._ends, end))
        return self._starts[first], self._ends[last]

    def answering(self, id: str, question: str, golds: Iterable[str]) -> Passage | None:
        """The sentence that most likely answers a question: it has the answer, and the question's words around it."""
        asked = set(words(question).stems)
        best: tuple[float, int, str] = (0.0, 0, "")
        for gold in dict.fromkeys(gold for gold in golds if words(gold).stems):
            sought = asked - set(words(gold).stems) or asked
            for number, phrase in self._holding(gold):
                share = self._share(sought, self._near(number))
                if share > best[0]:
                    best = (share, number, phrase)
        share, number, phrase = best
        if share < ANSWER_SHARE:
            return None
        return self._passage(id, number, number, question, (phrase,))

    def telling(self, id: str, event: str) -> Passage | None:
        """The few sentences that most likely tell of an event."""
        sought = set(words(event).stems)
        weights: dict[int, float] = {}
        for stem in sought:
            for number in self._postings.get(stem, ()):
                weights[number] = weights.get(number, 0.0) + self._weight(stem)
        likely = sorted(weights, key=lambda number: (-weights[number], number))[:_MOST_SENTENCES]
        stretches = {
            (first, min(first + size, len(self._starts)) - 1)
            for number in likely
            for size in range(1, _STRETCH + 1)
            for first in range(max(0, number - size + 1), number + 1)
        }
        shares = ((self._share(sought, range(a, b + 1)), a - b, -a) for a, b in stretches)
        share, shorter, place = max(shares, default=(0.0, 0, 0))
        if share < EVENT_SHARE:
            return None
        return self._passage(id, -place, -place - shorter, event, ())

    def _passage(self, id: str, first: int, last: int, sought: str, details: Sequence[str]) -> Passage:
        start, end = self._starts[first], self._ends[last]
        runs_found = (run for number in range(first, last + 1) for run in runs(self._sentence(number), sought))
        phrases = tuple(dict.fromkeys((*details, *runs_found)))[:_MOST_DETAILS]
        return Passage(id, self.text[start:end], start, phrases)

    def _holding(self, gold: str) -> Iterator[tuple[int, str]]:
        """The sentences that hold a text as words of their own, with the text as they write it."""
        sought, at = _lowered(" ".join(gold.split())), -1
        for _ in range(_MOST_HITS):
            at = self._lowered.find(sought, at + 1)
            if at < 0:
                return
            end = at + len(sought)
            if self._lowered[at - 1 : at].isalnum() or self._lowered[end : end + 1].isalnum():
                continue
            number = bisect_right(self._starts, at) - 1
            if number >= 0 and end <= self._ends[number]:
                yield number, self.text[at:end]

    @cached_property
    def _lowered(self) -> str:
        return _lowered(self.text)

    def _near(self, number: int) -> range:
        """A sentence with its neighbours in the same document."""
        place = bisect_right(self._documents, self._starts[number])
        first = bisect_left(self._starts, self._documents[place - 1]) if place else 0
        last = bisect_left(self._starts, self._documents[place]) if place < len(self._documents) else len(self._starts)
        return range(max(first, number - _NEIGHBOURS), min(last, number + _NEIGHBOURS + 1))

    def _share(self, sought: set[str], numbers: range) -> float:
        """The share of some words that sentences have, the rare ones counting more."""
        there = {stem for number in numbers for stem in words(self._sentence(number)).stems}
        total = math.fsum(map(self._weight, sought))
        return math.fsum(map(self._weight, sorted(sought & there))) / total if total else 0.0

    def _weight(self, stem: str) -> float:
        return math.log(1 + len(self._starts) / (1 + len(self._postings.get(stem, ()))))

    def _sentence(self, number: int) -> str:
        return self.text[self._starts[number] : self._ends[number]]

    @cached_property
    def _documents(self) -> list[int]:
        return [found.start() for found in _DOCUMENT.finditer(self.text)]

    @cached_property
    def _postings(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number in range(len(self._starts)):
            for stem in set(words(self._sentence(number)).stems):
                found.setdefault(stem, []).append(number)
        return found


def _lowered(text: str) -> str:
    """A text in small letters, each in its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
