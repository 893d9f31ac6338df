"""Lists that grow at their end and are never copied for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import overload


class Growing(Sequence[str]):
    """Strings in the order they came, none twice. `with_all` makes a longer one and leaves this one as it is.

    The longer one shares what it has with this one, so a thousand steps to a list of a thousand cost no more than the
    list. Only a second list that goes on from the same place is a copy.

    >>> one = Growing(["a", "b"])
    >>> two = one.with_all(["b", "c"])
    >>> list(one), list(two), one == ("a", "b")
    (['a', 'b'], ['a', 'b', 'c'], True)
    """

    __slots__ = ("_length", "_places")

    def __init__(self, items: Iterable[str] = ()) -> None:
        self._places: dict[str, int] = {}
        self._length = 0
        self._add(items)

    def with_all(self, items: Iterable[str]) -> Growing:
        """This list, and behind it those of the items that it doesn't have yet."""
        new = [each for each in items if each not in self]
        if not new:
            return self
        if not self or len(self._places) > self._length:  # another list has gone on from here
            return Growing([*self, *new])
        grown = Growing()
        grown._places = self._places
        grown._add(new)
        return grown

    def _add(self, items: Iterable[str]) -> None:
        for each in items:
            self._places.setdefault(each, len(self._places))
        self._length = len(self._places)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(islice(self._places, self._length)))  # it may grow meanwhile

    def __contains__(self, item: object) -> bool:
        return self._places.get(item, self._length) < self._length  # type: ignore[call-overload, no-any-return]

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Growing | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Growing({list(self)})"
