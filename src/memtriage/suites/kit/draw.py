"""Drawing from pools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar, overload

T = TypeVar("T")


def deck(rng: Random, cards: Sequence[T]) -> Iterator[T]:
    """Every card in a shuffled order, then all again in another: even shares in any number of draws."""
    while cards:
        yield from rng.sample(cards, len(cards))


class Deck(Sequence[str]):
    """Cards to choose from with `Random.choice`, which takes the card away; when few are left, all others come back.

    >>> deck = Deck(["a", "b", "c"])
    >>> sorted(Random(1).choice(deck) for _ in range(3))
    ['a', 'b', 'c']
    """

    def __init__(self, cards: Sequence[str]) -> None:
        self._cards = cards
        self._left = list(cards)

    def __len__(self) -> int:
        return len(self._left)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return self._left[index]
        card = self._left.pop(index)
        if not self._left:
            self._left = [other for other in self._cards if other != card] or [card]
        return card


def decks(lists: Mapping[str, Sequence[str]]) -> dict[str, Deck]:
    """Lists as decks, for templates whose words shall not come again soon."""
    return {name: Deck(cards) for name, cards in lists.items()}
