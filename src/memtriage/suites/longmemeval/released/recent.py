"""What was seen lately, up to so much of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentCache(Generic[K, V]):
    """Values by key, up to a weight in all; the least recently seen go first.

    >>> recent: RecentCache[str, int] = RecentCache(most=10)
    >>> recent.keep("a", 1, weight=6)
    >>> recent.keep("b", 2, weight=6)
    >>> recent.get("a"), recent.get("b"), recent.weight
    (None, 2, 6)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.weight = 0
        self._filling = False  # as long as there is room, it doesn't matter who goes first

    def get(self, key: K) -> V | None:
        """The value of a key, if it was seen lately."""
        found = self._seen.get(key)
        if found is None:
            return None
        if self._filling:
            self._seen.move_to_end(key)
        return found[0]

    def keep(self, key: K, value: V, weight: int) -> None:
        """Remember a value; the latest is remembered however heavy it is."""
        self.weight += weight - self._seen.pop(key, (None, 0))[1]
        self._seen[key] = value, weight
        self._filling = 2 * self.weight > self._most
        while self.weight > self._most and len(self._seen) > 1:
            self.weight -= self._seen.popitem(last=False)[1][1]
