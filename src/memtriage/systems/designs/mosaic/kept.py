"""What a memory keeps, in memory or in a database behind it: read when it is needed, written in parts.

Whatever came since the last part was written is held in memory alone; a database has the entries themselves, so that
it can be worked out again.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Row = tuple[str, bytes, int, bytes | None]
"""A part to write: its kind, its key, its number, and what is in it; None takes it away."""
MOST_CACHED = 20_000_000
"""Numbers read from a database that are held in memory at once."""
MOST_READ = 100_000
"""Values read from a database that are held in memory, of each kind."""
LATEST = 512
"""How many of the latest of a long list are read, where no more are asked for."""
LONGEST_KEY = 200
K = TypeVar("K", int, str, tuple[str, ...])
V = TypeVar("V")
T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


class Parts(Protocol):
    """The side of a database that keeps what was worked out, in parts."""

    def read(self, kind: str, key: bytes) -> list[tuple[int, bytes]]: ...
    def read_latest(self, kind: str, key: bytes, size: int) -> list[bytes]: ...
    def size(self, kind: str, key: bytes) -> int: ...


def key_of(key: str | int | tuple[str, ...]) -> bytes:
    """A key as bytes that any database can index, whatever is in it."""
    if isinstance(key, int):
        return key.to_bytes(8, "big")
    text = key if isinstance(key, str) else "\0".join(key)
    data = text.encode("utf-8", "surrogatepass")
    return data if len(data) <= LONGEST_KEY else data[:LONGEST_KEY] + hashlib.sha256(data).digest()


class Recent(Generic[H, T]):
    """Values that were looked at lately, by key; where there are many, those that nobody asked for since are let go."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._young: dict[H, T] = {}
        self._old: dict[H, T] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: H) -> T | None:
        """The value of a key, if it is still held."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found)
        return found

    def put(self, key: H, value: T) -> None:
        if len(self._young) >= self._most // 2:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def drop(self, key: H) -> None:
        """Forget what is held of a key."""
        self._young.pop(key, None)
        self._old.pop(key, None)


class Column:
    """A number for each entry, sentence or statement, in an array that grows."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._values: Array = np.zeros(64, dtype=dtype)
        self._count = 0
        self._written = 0
        self._changed: list[int] = []

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> Any:
        if not 0 <= place < self._count:
            raise IndexError(place)
        return self._values[place].item()

    def __setitem__(self, place: int, value: float) -> None:
        self._values[place] = value
        if place < self._written:
            self._changed.append(place)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.view.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.view, dtype=dtype, copy=copy)

    @property
    def view(self) -> Array:
        """All values, without a copy."""
        return self._values[: self._count]

    def run(self, value: int) -> range:
        """Where a value stands, in a column whose values only grow."""
        # Of the column's own type: of another one, all of it would be converted first.
        return range(*np.searchsorted(self.view, np.array([value, value + 1], dtype=self._values.dtype)).tolist())

    def append(self, value: float) -> None:
        self._make_room(1)
        self._values[self._count] = value
        self._count += 1

    def extend(self, values: Sequence[float] | Array) -> None:
        self._make_room(len(values))
        self._values[self._count : self._count + len(values)] = values
        self._count += len(values)

    def take(self, parts: Iterable[bytes]) -> None:
        """Take in what a database has of it."""
        self._values = np.frombuffer(bytearray().join(parts), dtype=self._values.dtype)
        self._count = self._written = len(self._values)

    def unwritten(self) -> bytes:
        """What came since it was written; from now on it counts as written."""
        data = self._values[self._written : self._count].tobytes()
        self._written = self._count
        return data

    def rewritten(self, name: str, read: Callable[[str, bytes], list[tuple[int, bytes]]]) -> Iterator[Row]:
        """The parts in which something changed that was written before, as they are to be now."""
        start = 0
        for part, data in read("columns", key_of(name)) if self._changed else ():
            stop = start + len(data) // self._values.itemsize
            if any(start <= place < stop for place in self._changed):
                yield "columns", key_of(name), part, self._values[start:stop].tobytes()
            start = stop
        self._changed = []

    def _make_room(self, more: int) -> None:
        if self._count + more > len(self._values):
            grown = np.zeros(max(64, self._count + more, 2 * len(self._values)), dtype=self._values.dtype)
            grown[: self._count] = self.view
            self._values = grown


class Postings:
    """Which entries or statements have a word, in order, and where asked for, how often."""

    def __init__(self, kind: str, parts: Parts | None = None, counted: bool = False) -> None:
        self.kind, self._parts, self._counted = kind, parts, counted
        self._width = 6 if counted else 4
        self._new: dict[str, tuple[array[int], array[int]]] = {}
        self._read: dict[str, tuple[Array, Array]] = {}
        self._cached = 0
        self._tails: Recent[str, Array] = Recent(MOST_READ)
        self._sizes: dict[str, int] = {}

    def add(self, key: str, number: int, times: int = 1) -> None:
        held = self._new.get(key)
        if held is None:
            held = self._new[key] = (array("i"), array("H"))
        held[0].append(number)
        if self._counted:
            held[1].append(min(times, 0xFFFF))

    def count(self, key: str) -> int:
        """How many have a word; the list itself isn't read for it."""
        held = self._new.get(key)
        return self._size(key) + (len(held[0]) if held else 0)

    def __contains__(self, key: str) -> bool:
        return key in self._new or self._size(key) > 0

    def numbers(self, key: str, last: int | None = None) -> list[int]:
        """Those that have a word, oldest first; only so many of the latest, if told."""
        if last is not None:
            latest: list[int] = self.latest(key, last).tolist()
            return latest
        held = self._new.get(key)
        found: list[int] = [*self._base(key)[0].tolist(), *(held[0] if held else ())]
        return found

    def latest(self, key: str, count: int) -> Array:
        """So many of the latest that have a word, oldest first; of a long list no more is read."""
        held = self._new.get(key)
        # A copy: an array that grows can't be looked at through a window.
        new = np.array(held[0][-count:], dtype=np.int32) if held else _NONE
        if len(new) >= count or not self._size(key):
            return new
        old = self._tail(key, count - len(new))
        return np.concatenate((old, new)) if len(new) else old

    def _tail(self, key: str, count: int) -> Array:
        if key in self._read or self._parts is None or count > LATEST or self._size(key) <= LATEST:
            return self._base(key)[0][-count:]
        held = self._tails.get(key)
        if held is None:
            parts = self._parts.read_latest(self.kind, key_of(key), LATEST * self._width)
            held = np.concatenate([self._unpacked(data)[0] for data in parts])
            self._tails.put(key, held)
        return held[-count:]

    def arrays(self, key: str) -> tuple[Array, Array]:
        """Those that have a word, oldest first, and how often."""
        held = self._new.get(key)
        numbers, times = self._base(key)
        if held is None:
            return numbers, times
        # Copies: an array that grows can't be looked at through a window.
        new = np.array(held[0], dtype=np.int32), np.array(held[1], dtype=np.uint16)
        return (np.concatenate((numbers, new[0])), np.concatenate((times, new[1]))) if len(numbers) else new

    def among(self, key: str, some: Array) -> NDArray[np.bool_]:
        """Which of some numbers have a word, without a copy of its list."""
        found = _within(some, self._base(key)[0])
        if held := self._new.get(key):  # the window is gone before the list grows again
            found |= _within(some, np.frombuffer(held[0], dtype=np.int32))
        return found

    def remove(self, key: str, number: int) -> Iterator[Row]:
        """Take one out of a list; what changes in the database is told."""
        self._sizes.pop(key, None)
        self._cached -= len(self._read.pop(key, (_NONE, _NONE))[0])
        self._tails.drop(key)
        if held := self._new.get(key):
            left = [n for n, each in enumerate(held[0]) if each != number]
            if left:
                times = array("H", (held[1][n] for n in left)) if self._counted else array("H")
                self._new[key] = (array("i", (held[0][n] for n in left)), times)
            else:
                del self._new[key]
        for part, data in self._parts.read(self.kind, key_of(key)) if self._parts else ():
            numbers, times_held = self._unpacked(data)
            if (keep := numbers != number).all():
                continue
            kept = numbers[keep].tobytes() + times_held[keep].tobytes() if self._counted else numbers[keep].tobytes()
            yield self.kind, key_of(key), part, kept or None

    def unwritten(self, part: int) -> Iterator[Row]:
        """What came since it was written, as a part of that number; from now on it counts as written."""
        for key, (numbers, times) in self._new.items():
            if key in self._sizes:
                self._sizes[key] += len(numbers)
            self._tails.drop(key)
            if key in self._read:  # who adds goes on looking at it
                self._read[key] = self.arrays(key)
                self._cached += len(numbers)
            yield self.kind, key_of(key), part, numbers.tobytes() + times.tobytes()
        self._new = {}

    def _size(self, key: str) -> int:
        if self._parts is None:
            return 0
        known = self._sizes.get(key)
        if known is None:
            known = self._sizes[key] = self._parts.size(self.kind, key_of(key)) // self._width
        return known

    def _base(self, key: str) -> tuple[Array, Array]:
        if not self._size(key) or self._parts is None:
            return _NONE, _NO_TIMES
        held = self._read.get(key)
        if held is None:
            read = [self._unpacked(data) for _, data in self._parts.read(self.kind, key_of(key))]
            held = np.concatenate([each[0] for each in read]), np.concatenate([each[1] for each in read])
            if self._cached > MOST_CACHED:
                self._read, self._cached = {}, 0
            self._read[key] = held
            self._cached += len(held[0])
        return held

    def _unpacked(self, data: bytes) -> tuple[Array, Array]:
        count = len(data) // self._width
        return np.frombuffer(data, np.int32, count), np.frombuffer(data, np.uint16, offset=4 * count)


_NONE, _NO_TIMES = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint16)


def _within(some: Array, every: Array) -> NDArray[np.bool_]:
    """Which of some numbers are among others, which are in order."""
    if not len(every):
        return np.zeros(len(some), dtype=bool)
    found: NDArray[np.bool_] = every[np.minimum(np.searchsorted(every, some), len(every) - 1)] == some
    return found


class Links(Generic[K, V]):
    """What belongs to a statement, a form or a session: one value by key."""

    def __init__(
        self,
        kind: str,
        parts: Parts | None = None,
        packed: Callable[[V], Any] = lambda value: value,
        unpacked: Callable[[Any], V] = lambda value: value,
    ) -> None:
        self.kind, self._parts = kind, parts
        self._packed, self._unpacked = packed, unpacked
        self._held: dict[K, V | None] = {}
        self._changed: dict[K, None] = {}
        self._read: Recent[K, tuple[V | None]] = Recent(MOST_READ)

    def get(self, key: K) -> V | None:
        """The value of a key, if it has one."""
        if key in self._held or self._parts is None:
            return self._held.get(key)
        known = self._read.get(key)
        if known is None:
            read = self._parts.read(self.kind, key_of(key))
            known = (self._unpacked(json.loads(read[0][1])) if read else None,)
            self._read.put(key, known)
        return known[0]

    def __contains__(self, key: K) -> bool:
        return self.get(key) is not None

    def __getitem__(self, key: K) -> V:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __setitem__(self, key: K, value: V) -> None:
        self._held[key] = value
        self._changed[key] = None

    def pop(self, key: K) -> V | None:
        """Take a key away, and return what it had."""
        found = self.get(key)
        if found is not None:
            self._held[key] = None
            self._changed[key] = None
        return found

    def unwritten(self) -> Iterator[Row]:
        """What changed since it was written; from now on it counts as written."""
        for key in self._changed:
            value = self._held[key]
            yield (
                self.kind,
                key_of(key),
                0,
                None if value is None else json.dumps(self._packed(value)).encode(),
            )
        self._changed = {}
        if self._parts is not None:
            for key, value in self._held.items():
                self._read.put(key, (value,))
            self._held = {}


class Derived(Sequence[T]):
    """What follows from an entry, worked out when it is looked at."""

    MOST = 50_000

    def __init__(self, count: Callable[[], int], make: Callable[[int], T]) -> None:
        self._count, self._make = count, make
        self._held: Recent[int, T] = Recent(self.MOST)

    def __len__(self) -> int:
        return self._count()

    def __getitem__(self, place: int) -> T:  # type: ignore[override]
        held = self._held.get(place)
        if held is None:
            if not 0 <= place < self._count():
                raise IndexError(place)
            held = self._make(place)
            self._held.put(place, held)
        return held

    def put(self, place: int, value: T) -> None:
        """Hold what is known of an entry already."""
        self._held.put(place, value)

    def drop(self, place: int) -> None:
        """Forget what was worked out of an entry."""
        self._held.drop(place)
