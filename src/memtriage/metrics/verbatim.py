"""Grades by words alone: a text repeated word for word, values named in order.

They only decide what is beyond doubt; None leaves the answer to a judge.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from memtriage.text.words import stem, words

_QUOTES: dict[int, str | None] = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›′″ʼ"))

_REVERSING = re.compile(
    r"""\b(?:before|previous(?:ly)?|prior|preced\w+|former(?:ly)?|earlier|after|follow\w*|replac\w+|supersed\w+|instead
        |latest|newest|recent(?:ly)?|last|reverse\w*|backwards?|until|since|not?|never|without|or
        |(?:do|did|does|is|was|are|were|have|has|had|ca|wo|could|would|should)nt)\b""",
    re.VERBOSE,
)
"""Words that may reverse the order of a list, or negate what it names."""

_FORWARD = re.compile(r"\b(?:from )?(?:the )?(?:earliest|oldest|first) to (?:the )?(?:latest|newest|last)\b")
_CURRENT = re.compile(r"\b(?:now|current\w*|today|present\w*)\b")


_TELLING_ORDER = frozenset(
    stem(word)
    for word in """first second third fourth fifth next later finally earliest oldest latest newest last begin began
    start initially originally change switch become became move go went turn update now current currently today
    present order chronological chronologically history sequence list value time over have had use used own""".split()
)
"""What a list of values in order may say besides them."""


def normal(text: str) -> str:
    """A text without differences that don't count: case, quotation marks and spacing.

    >>> normal("“Keep  the\\nKettle” on")
    'keep the kettle on'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES).split())


def verbatim(gold: str, answer: str) -> bool:
    """Whether an answer contains a text word for word.

    >>> verbatim("Mind the gap.", 'You said: "mind the gap."')
    True
    """
    return bool(normal(gold)) and normal(gold) in normal(answer)


def in_order(values: Sequence[str], answer: str, question: str = "") -> bool | None:
    """Whether an answer names values in order; None if words can't decide.

    True if it names each value once, in this order, with no word that could reverse it or be another value beside
    them: what else it says is the question's or tells the order. False if it is empty.

    >>> in_order(("blue", "green"), "First blue, then green.")
    True
    >>> in_order(("blue", "green"), "Green, and blue before that.") is None
    True
    """
    text = normal(answer)
    if not text or not values:
        return False
    places = [_places(value, text) for value in values]
    starts = [found[0].start() for found in places if len(found) == 1]
    if len(starts) < len(values) or starts != sorted(starts) or _overlap(places):
        return None
    head, rest = text[: starts[0]], _without(values, text)
    reversing = _REVERSING.search(_FORWARD.sub(" ", rest)) or _CURRENT.search(head)
    known = {*_TELLING_ORDER, *words(question).stems, *map(str, range(1, len(values) + 1))}
    return None if reversing or {*words(rest).stems} - known else True


def _places(value: str, text: str) -> list[re.Match[str]]:
    wanted = normal(value)
    return list(re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", text)) if wanted else []


def _overlap(places: Sequence[Sequence[re.Match[str]]]) -> bool:
    spans = [found[0].span() for found in places]
    return any(end > start for (_, end), (start, _) in pairwise(spans))


def _without(values: Sequence[str], text: str) -> str:
    """The answer without the values, whose own words can't reverse the order."""
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(normal(value), "#")
    return text


def credit_for(found: Sequence[str], values: Sequence[str], *, in_order: bool) -> float:
    """The share of the values that an answer has; with `in_order`, only those in the right order count.

    >>> credit_for(("a", "c"), ("a", "b", "c", "d"), in_order=False)
    0.5
    >>> round(credit_for(("c", "a", "b"), ("a", "b", "c"), in_order=True), 2)
    0.67
    """
    if not values:
        return 0.0
    have = longest_common(found, values) if in_order else (Counter(found) & Counter(values)).total()
    return have / len(values)


def longest_common(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for item in a:
        before = row
        row = [0]
        for n, other in enumerate(b, start=1):
            row.append(before[n - 1] + 1 if item == other else max(before[n], row[-1]))
    return row[-1]
