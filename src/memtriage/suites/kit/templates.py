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

_MARK = re.compile(r"([{}|])")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MARKED = re.compile(r"\[([^\[\]]+)\]")
_NONE: Mapping[str, Sequence[str]] = {}


class _Gap(str):
    """A gap, by the text in its braces."""


_Option = str | tuple["_Part", ...]
_Part = str | _Gap | range | list[_Option]
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
        if type(part) is str:
            out.append(part)
        elif type(part) is _Gap:
            text = known.get(part)
            if text is None:
                text = rng.choice(pools[part]) if part in pools else f"{{{part}}}"
                if "{" in text and part in pools:
                    text = _drawn(_parsed(text), rng, pools, known)
            out.append(text)
        elif type(part) is list:
            out.append(rng.choice([o if isinstance(o, str) else _drawn(o, rng, pools, known) for o in part]))
        else:
            out.append(str(rng.choice(part)))
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
    """The text between braces."""
    if len(options) > 1:
        return [[option[0] if len(option) == 1 and type(option[0]) is str else tuple(option) for option in options]]
    [inside] = options
    if len(inside) == 1 and type(inside[0]) is str:
        numbers = _RANGE.fullmatch(inside[0])
        return [range(int(numbers[1]), int(numbers[2]) + 1) if numbers else _Gap(inside[0])]
    return ["{", *inside, "}"]


def marked(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without its marks, and the phrases that they held.

    >>> marked("He naps when it is [below 4°C] outside.")
    ('He naps when it is below 4°C outside.', ('below 4°C',))
    """
    parts = _MARKED.split(text)
    return "".join(parts), tuple(parts[1::2])
