"""What words alone settle of an answer: a text kept word for word, a history told in order.

They only settle what is beyond doubt; the rest is for a judge, and None.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

_QUOTES: dict[int, str | None] = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›′″ʼ"))

_TURNED = re.compile(
    r"""\b(?:before|previous(?:ly)?|prior|preced\w+|former(?:ly)?|earlier|after|follow\w*|replac\w+|supersed\w+|instead
        |latest|newest|recent(?:ly)?|last|reverse\w*|backwards?|until|since|not?|never|without|or
        |(?:do|did|does|is|was|are|were|have|has|had|ca|wo|could|would|should)nt)\b""",
    re.VERBOSE,
)
"""Words with which a list may run backwards in time, or take back what it names."""

_FORWARD = re.compile(r"\b(?:from )?(?:the )?(?:earliest|oldest|first) to (?:the )?(?:latest|newest|last)\b")
_CURRENT = re.compile(r"\b(?:now|current\w*|today|present\w*)\b")


def normal(text: str) -> str:
    """A text without what doesn't count: case, quotation marks, how it is spaced.

    >>> normal("“Keep  the\\nKettle” on")
    'keep the kettle on'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES).split())


def verbatim(gold: str, answer: str) -> bool:
    """Whether an answer holds a text word for word.

    >>> verbatim("Mind the gap.", 'You said: "mind the gap."')
    True
    """
    return bool(normal(gold)) and normal(gold) in normal(answer)


def in_order(values: Sequence[str], answer: str) -> bool | None:
    """Whether an answer tells a history in order: True or False where words settle it, else None.

    It is right where it names each value once, one after the other, with no word that could turn time around.

    >>> in_order(("blue", "green"), "First blue, then green.")
    True
    >>> in_order(("blue", "green"), "Green, and blue before that.") is None
    True
    """
    said = normal(answer)
    if not said or not values:
        return False
    places = [_places(value, said) for value in values]
    starts = [found[0].start() for found in places if len(found) == 1]
    if len(starts) < len(values) or starts != sorted(starts) or _overlap(places):
        return None
    head, rest = said[: starts[0]], _without(values, said)
    turned = _TURNED.search(_FORWARD.sub(" ", rest)) or _CURRENT.search(head)
    return None if turned else True


def _places(value: str, said: str) -> list[re.Match[str]]:
    wanted = normal(value)
    return list(re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", said)) if wanted else []


def _overlap(places: Sequence[Sequence[re.Match[str]]]) -> bool:
    spans = [found[0].span() for found in places]
    return any(end > start for (_, end), (start, _) in pairwise(spans))


def _without(values: Sequence[str], said: str) -> str:
    """The answer without the values: what they say themselves turns nothing around."""
    for value in sorted(values, key=len, reverse=True):
        said = said.replace(normal(value), "#")
    return said


def credit_for(found: Sequence[str], values: Sequence[str], *, in_order: bool) -> float:
    """The share of the values that an answer has; with `in_order`, of those that stand in the right order.

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
    """The length of the longest run of items, not necessarily next to each other, that both have in this order."""
    row = [0] * (len(b) + 1)
    for item in a:
        before = row
        row = [0]
        for n, other in enumerate(b, start=1):
            row.append(before[n - 1] + 1 if item == other else max(before[n], row[-1]))
    return row[-1]
