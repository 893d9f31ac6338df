"""Sentences with gaps, in one notation for all suites.

- `{name}` is filled with a value and `{name:word}` with a word that agrees with it, as `str.format` does both;
- `{this|that}` is a choice and `{2..9}` a number, both drawn; what is chosen may hold gaps and choices again;
- `[words]` marks the phrase that carries the information.
"""

from __future__ import annotations

import re
from random import Random

_DRAWN = re.compile(r"\{([^{}|]*(?:\|[^{}|]*)+|\d+\.\.\d+)\}")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MARKED = re.compile(r"\[([^\[\]]+)\]")


def draw(template: str, rng: Random) -> str:
    """A template with its choices made, the innermost first and from left to right; gaps stay.

    >>> draw("{Please|Do} wait {2..2} days for {name}.", Random(1))
    'Please wait 2 days for {name}.'
    """
    while match := _DRAWN.search(template):
        template = template[: match.start()] + _drawn(match[1], rng) + template[match.end() :]
    return template


def _drawn(options: str, rng: Random) -> str:
    if numbers := _RANGE.fullmatch(options):
        return str(rng.randint(int(numbers[1]), int(numbers[2])))
    return rng.choice(options.split("|"))


def marked(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without its marks, and the phrases that they held.

    >>> marked("He naps when it is [below 4°C] outside.")
    ('He naps when it is below 4°C outside.', ('below 4°C',))
    """
    return _MARKED.sub(r"\1", text), tuple(_MARKED.findall(text))
