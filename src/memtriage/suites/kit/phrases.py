"""Phrases of gold information as they stand in what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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


def holding(phrases: Iterable[str], among: Iterable[str]) -> Iterator[str]:
    """The sentences that hold these phrases, as few as do, in their order.

    >>> list(holding(["Kyoto", "in May"], ["I'm off!", "It's Kyoto this time.", "We fly to Kyoto in May."]))
    ['We fly to Kyoto in May.']
    """
    known = list(among)
    left = {phrase.lower() for phrase in phrases}
    chosen: set[int] = set()
    while left:
        place, best = max(enumerate(known), key=lambda each: sum(phrase in each[1].lower() for phrase in left))
        held = {phrase for phrase in left if phrase in best.lower()}
        if not held:
            break
        left -= held
        chosen.add(place)
    yield from (known[place] for place in sorted(chosen))


def as_said(phrase: str, text: str) -> str:
    """A phrase with the capitals it has in a text."""
    start = text.lower().find(phrase.lower())
    return text[start : start + len(phrase)] if start >= 0 else phrase
