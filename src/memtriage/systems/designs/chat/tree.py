"""The shape of a tree that grows at its right edge: leaves in a row, and a node over every so many neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Place(NamedTuple):
    """A node by its level (leaves are 0) and its place in it."""

    level: int
    number: int

    def __str__(self) -> str:
        return f"{self.level}/{self.number}"


@dataclass(frozen=True, slots=True)
class Shape:
    """A tree over `count` leaves, at most `width` children to a node. It needs no links: places follow from numbers.

    >>> Shape(20, 4).root, Shape(20, 4).children(Place(2, 1))
    (Place(level=3, number=0), [Place(level=1, number=4)])
    """

    count: int
    width: int

    @property
    def root(self) -> Place:
        level, size = 1, self.size(1)
        while size > 1:
            level, size = level + 1, self.size(level + 1)
        return Place(level, 0)

    def size(self, level: int) -> int:
        """How many nodes a level has."""
        return -(-self.count // self._below(level))

    def _below(self, level: int) -> int:
        """How many leaves a full node has below it."""
        return int(self.width**level)

    def children(self, place: Place) -> list[Place]:
        last = min((place.number + 1) * self.width, self.size(place.level - 1))
        return [Place(place.level - 1, n) for n in range(place.number * self.width, last)]

    def leaves(self, place: Place) -> range:
        """The leaves below a node, by their numbers."""
        held = self._below(place.level)
        return range(place.number * held, min((place.number + 1) * held, self.count))

    def full(self, place: Place) -> bool:
        """Whether nothing will ever be added below a node."""
        return (place.number + 1) * self._below(place.level) <= self.count

    def levels_above(self, leaf: int) -> Iterator[list[Place]]:
        """Level by level, the inner nodes over a leaf and all that come after it."""
        if not self.count:
            return
        for level in range(1, self.root.level + 1):
            yield [Place(level, n) for n in range(leaf // self._below(level), self.size(level))]

    def above(self, leaf: int) -> Iterator[Place]:
        """The inner nodes over a leaf and all that come after it."""
        for level in self.levels_above(leaf):
            yield from level

    def edge(self) -> Iterator[Place]:
        """The last node of every inner level, from the leaves to the root: where the tree grows."""
        if self.count:
            yield from (Place(level, self.size(level) - 1) for level in range(1, self.root.level + 1))

    def down(self, place: Place) -> Place:
        """The first node from here down at which there is something to choose."""
        while place.level > 1 and len(below := self.children(place)) == 1:
            place = below[0]
        return place

    def up(self, place: Place) -> Place:
        """The first node above at which there is something to choose; the root is its own."""
        while place != self.root:
            place = Place(place.level + 1, place.number // self.width)
            if len(self.children(place)) > 1:
                break
        return place

    def path_to(self, place: Place) -> list[Place]:
        """The nodes from the root down to this one."""
        found = [place]
        while found[-1] != self.root:
            found.append(Place(found[-1].level + 1, found[-1].number // self.width))
        return found[::-1]
