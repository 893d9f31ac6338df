"""What the paper lays down for every row: conditions, preference categories, ways of life, and chain lengths."""

from __future__ import annotations

from functools import cache

from memtriage.suites.kit.words import items, records

PACKAGE = "memtriage.suites.memfail"
"""Where the suite's words are found."""

PREFERENCES = (2, 5)
"""The fewest and the most preferences of a Coexisting-Facts row."""

QUESTIONS = 3
"""How many questions a Persona-Retrieval row has."""

HOPS = {1: 31, 2: 32, 3: 29}
"""How many chains of each number of hops the paper's dataset has."""


@cache
def condition_types() -> tuple[str, ...]:
    """The 32 kinds of circumstance that a conditional fact may depend on."""
    return items(records(PACKAGE, "paper")["condition_types"])


@cache
def pet_condition_types() -> tuple[str, ...]:
    """Those that can be observed in a pet."""
    return items(records(PACKAGE, "paper")["pet_condition_types"])


@cache
def categories() -> dict[str, str]:
    """The 100 preference categories of table 4, and the file that has the words of each."""
    return {
        name: f"coexisting/{file}"
        for file, names in records(PACKAGE, "paper")["categories"].items()
        for name in items(names)
    }


@cache
def flavors() -> dict[str, str]:
    """The thirty ways of life that essays are built around, and the file that has the words of each."""
    return {flavor: f"persona/{file}" for file, flavor in records(PACKAGE, "paper")["flavors"].items()}


def chain_lengths(rows: int) -> dict[int, int]:
    """How many of so many chains have each number of hops, in the paper's proportions.

    >>> chain_lengths(92), chain_lengths(4)
    ({1: 31, 2: 32, 3: 29}, {1: 1, 2: 2, 3: 1})
    """
    total = sum(HOPS.values())
    shares = {hops: rows * count // total for hops, count in HOPS.items()}
    nearest = sorted(HOPS, key=lambda hops: rows * HOPS[hops] % total, reverse=True)
    for hops in nearest[: rows - sum(shares.values())]:
        shares[hops] += 1
    return shares
