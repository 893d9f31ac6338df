"""Phrases of gold information as they stand in what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memtriage.text.words import words

_WORD = re.compile(r"\S+")
TRIM = " \t\n.,;:!?—–-\"'“”‘’()"
"""What a phrase is stripped of at its ends."""


def runs(sentence: str, phrase: str, but: Iterable[str] = ()) -> tuple[str, ...]:
    """The runs of words in a sentence that a phrase also uses, as they stand in the sentence.

    >>> runs("Nimbus curls up whenever the temperature falls below 10°C.", "when the temperature drops below 10°C")
    ('temperature', 'below 10°C')
    """
    wanted = set(words(phrase).stems) - {s for text in but for s in words(text).stems}
    found: list[list[re.Match[str]]] = [[]]
    for match in _WORD.finditer(sentence):
        stems = words(match.group()).stems
        if stems and wanted.issuperset(stems):
            found[-1].append(match)
        elif stems or words(match.group()).polarity:
            found.append([])
    spans = [sentence[run[0].start() : run[-1].end()].strip(TRIM) for run in found if run]
    return tuple(dict.fromkeys(spans))
