"""A table with changes on top of it, so that a session can be worked out before the store is touched."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TypeVar

V = TypeVar("V")


class Layered(MutableMapping[str, V]):
    """A table as it will be: what is put and deleted here shows below only once it is kept.

    To copy the whole table for each session would take time that grows with the store; this takes as much as there
    are changes. The order is that of a copy: what is changed stays in its place, and what is new comes last.

    >>> below = {"a": 1, "b": 2}
    >>> draft = Layered(below)
    >>> draft["c"], draft["a"] = 3, 9
    >>> del draft["b"]
    >>> dict(draft), below
    ({'a': 9, 'c': 3}, {'a': 1, 'b': 2})
    >>> draft.keep()
    {'a': 9, 'c': 3}
    """

    def __init__(self, below: MutableMapping[str, V]) -> None:
        self._below = below
        self._changed: dict[str, V] = {}  # keys that stand below and were not deleted
        self._new: dict[str, V] = {}
        self.deleted: set[str] = set()
        """Keys that stand below and were deleted; one that was put again afterwards is new as well."""

    @property
    def new(self) -> list[str]:
        """The keys that came."""
        return list(self._new)

    def keep(self) -> MutableMapping[str, V]:
        """Change the table below, and give it back; nothing is left to change then."""
        for key in self.deleted:
            del self._below[key]
        self._below.update(self._changed)
        self._below.update(self._new)
        self._changed, self._new, self.deleted = {}, {}, set()
        return self._below

    def __getitem__(self, key: str) -> V:
        if key in self._new:
            return self._new[key]
        if key in self.deleted:
            raise KeyError(key)
        return self._changed[key] if key in self._changed else self._below[key]

    def __setitem__(self, key: str, value: V) -> None:
        stands = key in self._below and key not in self.deleted
        (self._changed if stands else self._new)[key] = value

    def __delitem__(self, key: str) -> None:
        if key in self._new:
            del self._new[key]
            return
        if key in self.deleted or key not in self._below:
            raise KeyError(key)
        self._changed.pop(key, None)
        self.deleted.add(key)

    def __contains__(self, key: object) -> bool:
        return key in self._new or (key in self._below and key not in self.deleted)

    def __iter__(self) -> Iterator[str]:
        yield from (key for key in self._below if key not in self.deleted)
        yield from self._new

    def __len__(self) -> int:
        return len(self._below) - len(self.deleted) + len(self._new)
