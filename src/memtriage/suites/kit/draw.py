"""Drawing from pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def deck(rng: Random, cards: Sequence[T]) -> Iterator[T]:
    """Every card in a shuffled order, then all again in another: even shares in any number of draws."""
    while cards:
        yield from rng.sample(cards, len(cards))
