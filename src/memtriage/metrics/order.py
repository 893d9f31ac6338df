"""How far two orders agree: Kendall's tau-b, and the score of a list that should come in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations


def tau_b(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b of two rankings of the same things, from -1 (reversed) to 1; ties on one side count for neither.

    Where one ranking ties everything there is no order to agree with, and the result is 0.

    >>> tau_b([1, 2, 3], [1, 2, 3]), tau_b([1, 2, 3], [3, 2, 1]), tau_b([1, 2], [5, 5])
    (1.0, -1.0, 0.0)
    >>> round(tau_b([1, 2, 3, 4], [1, 2, 3, 3]), 4)  # 5 pairs agree: 5 / sqrt(6 * 5)
    0.9129
    """
    if len(first) != len(second):
        raise ValueError("the two rankings are of different length")
    agreement = untied_first = untied_second = 0
    for (a, b), (c, d) in combinations(zip(first, second, strict=True), 2):
        x, y = (a > c) - (a < c), (b > d) - (b < d)
        agreement += x * y
        untied_first += x != 0
        untied_second += y != 0
    if not untied_first or not untied_second:
        return 0.0
    return agreement / math.sqrt(untied_first * untied_second)


def ordering(found: Sequence[str], wanted: Sequence[str], others: int = 0) -> Mapping[str, float]:
    """How a list of what was found, and so many other items, compares with what was wanted in this order.

    `Tau_norm` is their tau-b moved to the range from 0 (reversed) to 1, as BEAM reports it, and `Ordering` the same
    times the F1 of the items. What is wanted and not found comes after everything, all in one place; other items come
    after what was found. Where nothing was found, both are 0.

    >>> ordering(("a", "b", "c"), ("a", "b", "c")), ordering((), ("a", "b"))
    ({'Tau_norm': 1.0, 'Ordering': 1.0}, {'Tau_norm': 0.0, 'Ordering': 0.0})
    >>> round(ordering(("a", "c", "b"), ("a", "b", "c"))["Tau_norm"], 4)  # two pairs agree, one doesn't: tau-b is 1/3
    0.6667
    """
    named = list(dict.fromkeys(item for item in found if item in wanted))
    if not named:
        return {"Tau_norm": 0.0, "Ordering": 0.0}
    last = len(wanted) + others + 1
    places = {item: place for place, item in enumerate(named, start=1)}
    listed = [places.get(item, last) for item in wanted] + [len(named) + n for n in range(1, others + 1)]
    norm = (tau_b([*range(1, len(wanted) + 1), *[last] * others], listed) + 1) / 2
    if len(wanted) == 1 and not others:
        norm = 1.0  # one thing by itself is in order
    f1 = 2 * len(named) / (len(named) + others + len(wanted))
    return {"Tau_norm": norm, "Ordering": f1 * norm}
