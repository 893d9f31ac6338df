"""Where each memory of a run is in its file, by content key: a dict for millions of keys in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, MutableMapping

_KEY = 20
"""The letters of a content key; a key of any other length, which no run of ours has, is kept beside the others."""

_SLOTS = 1 << 10


class MemoryPlaces(MutableMapping[str, int]):
    """Places by key, in the order in which the keys came, but for odd ones, which come last.

    Keys stand one after the other in a row of bytes. Which of them it may be is found by their hashes: each slot has
    the number of a key, counted from 1, and a key whose slot is taken stands in the next free one.
    """

    def __init__(self) -> None:
        self._keys = bytearray()
        self._places = array("Q")
        self._slots = array("I", bytes(4 * _SLOTS))
        self._others: dict[str, int] = {}

    def __getitem__(self, key: str) -> int:
        letters = key.encode("utf-8", "surrogatepass")
        if len(letters) != _KEY:
            return self._others[key]
        number = self._slots[self._slot(key, letters)]
        if not number:
            raise KeyError(key)
        return self._places[number - 1]

    def __setitem__(self, key: str, place: int) -> None:
        letters = key.encode("utf-8", "surrogatepass")
        if len(letters) != _KEY:
            self._others[key] = place
            return
        slot = self._slot(key, letters)
        if number := self._slots[slot]:
            self._places[number - 1] = place
            return
        self._keys += letters
        self._places.append(place)
        self._slots[slot] = len(self._places)
        if 2 * len(self._places) > len(self._slots):
            self._widen()

    def __delitem__(self, key: str) -> None:
        raise TypeError("a run forgets no memory")

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self._keys), _KEY):
            yield self._keys[start : start + _KEY].decode("utf-8", "surrogatepass")
        yield from self._others

    def __len__(self) -> int:
        return len(self._places) + len(self._others)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        letters = key.encode("utf-8", "surrogatepass")
        return key in self._others if len(letters) != _KEY else bool(self._slots[self._slot(key, letters)])

    def _slot(self, key: str, letters: bytes) -> int:
        """The slot of a key, or the free one in which it is to stand."""
        slots, keys = self._slots, self._keys
        last = len(slots) - 1
        slot = hash(key) & last
        while (number := slots[slot]) and not keys.startswith(letters, (number - 1) * _KEY):
            slot = (slot + 1) & last
        return slot

    def _widen(self) -> None:
        """Twice as many slots, so that at most half of them are taken."""
        self._slots = array("I", bytes(8 * len(self._slots)))
        for number, key in enumerate(self, start=1):
            if number > len(self._places):
                break
            self._slots[self._slot(key, key.encode("utf-8", "surrogatepass"))] = number
