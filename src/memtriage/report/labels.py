"""Names cut to the room there is, so that variants of one system can still be told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice

from rich.cells import cell_len

_CUT = "…"
_FROM_FILE = re.compile(r"[^:=]*[./][^:=]*:[^\W\d]")
"""A class with the file or module that it is in: `my_memory.py:MyMemory`."""
_TRIES = 2000
"""How many ways to cut one name are tried."""


def short_labels(names: Iterable[str], most: int) -> dict[str, str]:
    """A label of at most `most` columns for each name; no two are the same, and names that fit are their own labels.

    Variants of one system keep the options in which they differ, a class from a file keeps its own name. Any other
    name that is too long loses its end, unless another name could be cut to the same.

    >>> short_labels(["bm25", "full-context:newest=50", "full-context:newest=500"], 16)
    {'bm25': 'bm25', 'full-context:newest=50': 'full-context:50', 'full-context:newest=500': 'full-context:500'}
    """
    all_names = list(dict.fromkeys(names))
    labels = {name: name for name in all_names if cell_len(name) <= most}
    families: dict[str, list[str]] = {}
    for name in all_names:
        if name not in labels:
            families.setdefault(name.partition(":")[0], []).append(name)
    for family in families.values():
        taken = set(labels.values())
        for found in _attempts(family, all_names, most):
            fresh = set(found.values())
            fit = all(0 < cell_len(label) <= most for label in fresh)
            if fit and len(fresh) == len(family) and not fresh & taken:
                labels |= found
                break
    return {name: labels[name] for name in all_names}


def _attempts(family: Sequence[str], all_names: Sequence[str], most: int) -> Iterator[Mapping[str, str]]:
    """Ways to label systems that differ in their options, the most readable first; the last ones are numbered."""
    options = {name: name.partition(":")[2].split(",") for name in family}
    differing = {name: [o for o in own if any(o not in of for of in options.values())] for name, own in options.items()}
    if all(map(_FROM_FILE.match, family)):
        own_names = {name: name.partition(":")[2] for name in family}
        yield own_names
        yield {name: _start(own, most - 1) + _CUT for name, own in own_names.items()}
    if len(family) > 1:
        yield {name: _joined(name, own) for name, own in differing.items()}
    if len(family) > 1 or "=" in family[0]:
        kept = differing if len(family) > 1 else options
        yield {name: _joined(name, map(_value, own)) for name, own in kept.items()}
    yield {name: _pieces(name, all_names, most) for name in family}
    if len(family) > 1:
        values = [_value(option) for own in differing.values() for option in own]
        for width in range(most - 2, 3, -1):
            short = short_labels(values, width)
            yield {name: _joined(name, (short[_value(option)] for option in own)) for name, own in differing.items()}
    for start in count(2):
        yield {name: _numbered(name, start + place, most) for place, name in enumerate(family)}


def _value(option: str) -> str:
    return option.partition("=")[2] or option


def _joined(name: str, options: Iterable[str]) -> str:
    return f"{name.partition(':')[0]}:{','.join(options) or _CUT}"


def _numbered(name: str, number: int, most: int) -> str:
    return f"{_start(name, most - 1 - len(str(number)))}{_CUT}{number}"


def _pieces(name: str, all_names: Sequence[str], most: int) -> str:
    """Pieces of a name that no other name has, in this order; "" if there are none."""
    others = [other for other in all_names if other != name]
    cuts = islice(_cuts(name, most), _TRIES)
    return next((_CUT.join(cut) for cut in cuts if not any(_fits(cut, other) for other in others)), "")


def _cuts(name: str, most: int) -> Iterator[Sequence[str]]:
    """Its beginning; then with its last words; with words from its middle as well; then with its last characters."""
    head = min(3, most // 3)
    starts = [found.start() for found in re.finditer(r"(?<=[:,=/+ _-])[^:,=/+ _-]", name)]
    ends = [name[start:] for start in reversed(starts) if cell_len(name[start:]) <= most - 1 - head]
    yield _start(name, most - 1), ""
    for end in ends:
        yield _start(name, most - 1 - cell_len(end)), end
    for end in ("", *ends):
        room = most - 2 - cell_len(end)
        for start in starts:
            for width in range(room - head, 0, -1):
                middle = _start(name[start : len(name) - len(end)], width)
                yield _start(name[:start], room - cell_len(middle)), middle, end
    for length in range(1, most - head):
        yield _start(name, most - 1 - cell_len(name[-length:])), name[-length:]


def _start(text: str, room: int) -> str:
    """As much of the beginning of a text as there is room for."""
    kept = text[: max(room, 0)]
    while kept and cell_len(kept) > room:
        kept = kept[:-1]
    return kept


def _fits(pieces: Sequence[str], name: str) -> bool:
    """Whether a label made of these pieces might stand for a name."""
    first, *middle, last = pieces
    if not name.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        at = name.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return name.endswith(last) and len(name) - len(last) >= at
