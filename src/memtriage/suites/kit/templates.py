"""Sentences with gaps, in one notation for all suites.

- `{name}` is filled with a value and `{name:word}` with a word that agrees with it, as `str.format` does both;
- `{this|that}` is a choice and `{2..9}` a number, both drawn; what is chosen may hold gaps and choices again;
- `[words]` marks the phrase that carries the information.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

_MARK = re.compile(r"([{}|])")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MARKED = re.compile(r"\[([^\[\]]+)\]")
_NONE: Mapping[str, Sequence[str]] = {}


class _Gap(NamedTuple):
    """A gap by what stands in its braces."""

    name: str


_Part = str | _Gap | range | tuple[tuple["_Part", ...], ...]
"""Words, a gap, a number to be drawn, or options to choose from."""


def draw(
    template: str, rng: Random, pools: Mapping[str, Sequence[str]] = _NONE, known: Mapping[str, str] | None = None
) -> str:
    """A template with its choices made, the innermost first and from left to right.

    A gap is filled with what is known by its name, or else with something from the pool of that name, which may hold
    gaps and choices again; any other gap stays.

    >>> draw("{Please|Do} wait {2..2} days for {name} and {pet}.", Random(1), {"pet": ["{a|a} cat"]})
    'Please wait 2 days for {name} and a cat.'
    """
    return _drawn(_parsed(template), rng, pools, known or {})


def _drawn(parts: tuple[_Part, ...], rng: Random, pools: Mapping[str, Sequence[str]], known: Mapping[str, str]) -> str:
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, _Gap):
            text = known.get(part.name)
            if text is None:
                pool = pools.get(part.name)
                text = _drawn(_parsed(rng.choice(pool)), rng, pools, known) if pool else f"{{{part.name}}}"
            out.append(text)
        elif isinstance(part, range):
            out.append(str(rng.choice(part)))
        else:
            out.append(rng.choice([_drawn(option, rng, pools, known) for option in part]))
    return "".join(out)


@lru_cache(maxsize=1 << 14)
def _parsed(template: str) -> tuple[_Part, ...]:
    """The parts of a template."""
    groups: list[list[list[_Part]]] = [[[]]]
    for token in _MARK.split(template):
        if token == "{":
            groups.append([[]])
        elif token == "|" and len(groups) > 1:
            groups[-1].append([])
        elif token == "}" and len(groups) > 1:
            inside = groups.pop()
            groups[-1][-1] += _group(inside)
        elif token:
            groups[-1][-1].append(token)
    if len(groups) > 1:
        raise ValueError(f"a brace is not closed in {template!r}")
    return tuple(groups[0][0])


def _group(options: list[list[_Part]]) -> list[_Part]:
    """What stands between braces."""
    if len(options) > 1:
        return [tuple(map(tuple, options))]
    [inside] = options
    if all(isinstance(part, str) for part in inside):
        text = "".join(map(str, inside))
        numbers = _RANGE.fullmatch(text)
        return [range(int(numbers[1]), int(numbers[2]) + 1) if numbers else _Gap(text)]
    return ["{", *inside, "}"]


def marked(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without its marks, and the phrases that they held.

    >>> marked("He naps when it is [below 4°C] outside.")
    ('He naps when it is below 4°C outside.', ('below 4°C',))
    """
    parts = _MARKED.split(text)
    return "".join(parts), tuple(parts[1::2])
