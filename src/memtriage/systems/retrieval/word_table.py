"""The table that turns the words of texts into numbers, worked with on the bytes of all texts at once.

`_compiled.pyx` is the same compiled, and stands in for it where it could be built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import SystemRandom

import numpy as np
from numpy.typing import NDArray

from memtriage.text.words import well_formed

Numbers = NDArray[np.int32]
Places = NDArray[np.intp]
Keys = NDArray[np.uint64]

NONE = -1
"""The number of what is no word to be kept."""

_BATCH = 1 << 17
"""Characters that are read at once: what is worked on then stays in the processor's cache."""

_LONGEST = 16
_EMPTY = np.iinfo(np.int32).min
_INSIDE = bytes(byte > 127 or chr(byte).isalnum() or byte == ord("_") for byte in range(256))
"""Which bytes are inside words: of those that are not ASCII all, as only their text tells."""

_FIRST = np.array([(1 << 8 * length) - 1 for length in range(9)], dtype=np.uint64)
"""Which bits of eight bytes belong to a word of so many."""

_LOWER = np.uint64(0x2020202020202020)
"""Set in ASCII letters, these bits make them lower case, and leave digits as they are."""


class WordTable:
    """Reads texts as numbers of words.

    `learn` is asked once for each new word of up to sixteen ASCII letters, in lower case. `learn_odd` is asked each
    time for a run of letters that is longer or has others, as UTF-8, which may be several words or none.
    """

    def __init__(self, learn: Callable[[str], int], learn_odd: Callable[[bytes], Sequence[int]]) -> None:
        self._learn, self._learn_odd = learn, learn_odd
        self._known = _KnownWords()

    def read(self, texts: Sequence[str]) -> tuple[bytes, bytes]:
        """The numbers of the words of all texts end to end, and how many each text has; both as int32."""
        read = [self._read(batch) for batch in _batches(texts)]
        return b"".join([numbers.tobytes() for numbers, _ in read]), b"".join([counts.tobytes() for _, counts in read])

    def _read(self, texts: Sequence[str]) -> tuple[Numbers, Numbers]:
        data, ends = _bytes(texts)
        starts, lengths = _runs(data)
        keys = self._known.keys(data, starts, lengths)
        numbers = self._known.find(keys)
        ends = starts.searchsorted(ends)
        new = np.flatnonzero(numbers == _EMPTY)
        if len(new):
            runs = [
                data[at : at + n].lower() for at, n in zip(starts[new].tolist(), lengths[new].tolist(), strict=True)
            ]
            several = self._learn_all(dict(zip(new.tolist(), runs, strict=True)), keys, numbers)
            if several:
                numbers, ends = _with_several(numbers, ends, several)
        held = np.flatnonzero(numbers >= 0)
        return numbers.take(held), np.diff(held.searchsorted(ends), prepend=0).astype(np.int32)

    def _learn_all(self, new: Mapping[int, bytes], keys: Keys, numbers: Numbers) -> dict[int, Sequence[int]]:
        """Put in the numbers of new runs of letters by their places; returns those that are several words."""
        words: dict[bytes, int] = {}
        several: dict[int, Sequence[int]] = {}
        for place, run in new.items():
            if len(run) <= _LONGEST and run.isascii():
                first = words.setdefault(run, place)
                numbers[place] = self._learn(run.decode()) if first == place else numbers[first]
            else:
                found = self._learn_odd(run)
                numbers[place] = found[0] if found else NONE
                if len(found) > 1:
                    several[place] = found
        if words:
            places = list(words.values())
            self._known.add(keys[places], numbers[places])
        return several


class _KnownWords:
    """Numbers by words of up to sixteen bytes; a hash table that is searched for many words at once.

    A word of up to eight bytes is its own key. The key of a longer one is a hash with a secret, of 64 bits: the chance
    that any two of a million words share a key is 1 in 30 million.
    """

    def __init__(self) -> None:
        # Nobody who writes a file can know which words would come to lie in one place.
        self._factors = [np.uint64(SystemRandom().getrandbits(64) | 1) for _ in range(4)]
        self._count = 0
        self._make(1 << 14)
        letters = bytes(byte for byte in range(128) if _INSIDE[byte] and not chr(byte).isupper())
        keys = np.frombuffer(letters, dtype=np.uint8) | (_LOWER & _FIRST[1])
        self.add(keys, np.full(len(letters), NONE, dtype=np.int32))

    def keys(self, data: bytes, starts: Places, lengths: Places) -> Keys:
        """The key of each run of letters, in lower case; of those that are too long that of no word.

        At least sixteen bytes must follow where the last one starts.
        """
        from_each = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
        keys = from_each[starts]  # `take` would copy all of what overlaps
        keys |= _LOWER
        keys &= _FIRST.take(lengths, mode="clip")
        long = np.flatnonzero(lengths > 8)
        if len(long):
            sizes = lengths.take(long)
            rest = (from_each[starts.take(long) + 8] | _LOWER) & _FIRST.take(sizes - 8, mode="clip")
            mixed = keys.take(long) ^ self._mixed(rest)
            mixed[sizes > _LONGEST] = 0
            keys[long] = mixed
        return keys

    def find(self, keys: Keys) -> Numbers:
        """The numbers of words; those that are not known are `_EMPTY`."""
        slots = self._slots(keys)
        numbers = self._numbers.take(slots)
        other = np.flatnonzero(self._keys.take(slots) != keys)
        while len(other := other[numbers[other] != _EMPTY]):  # another word is there: look at the next place
            slots[other] = following = (slots[other] + 1) & self._last
            numbers[other] = self._numbers[following]
            other = other[self._keys[following] != keys[other]]
        return numbers

    def add(self, keys: Keys, numbers: Numbers) -> None:
        """Add words that are not known yet."""
        self._count += len(numbers)
        if 3 * self._count > self._last:
            known = np.flatnonzero(self._numbers != _EMPTY)
            before = self._keys[known], self._numbers[known]
            self._make(1 << (6 * self._count).bit_length())
            self._put(*before)
        self._put(keys, numbers)

    def _make(self, size: int) -> None:
        self._keys = np.zeros(size, dtype=np.uint64)
        self._numbers = np.full(size, _EMPTY, dtype=np.int32)
        self._last = size - 1
        self._shift = np.uint64(64 - self._last.bit_length())

    def _put(self, keys: Keys, numbers: Numbers) -> None:
        slots = self._slots(keys)
        left = np.arange(len(keys))
        while len(left):
            free = left[self._numbers[slots[left]] == _EMPTY]
            self._keys[slots[free]] = keys[free]  # of several with one place, the last one gets it
            self._numbers[slots[free]] = numbers[free]
            left = left[self._keys[slots[left]] != keys[left]]
            slots[left] = (slots[left] + 1) & self._last

    def _slots(self, keys: Keys) -> Places:
        hashes = keys * self._factors[0]
        hashes >>= self._shift
        return hashes.view(np.intp)

    def _mixed(self, rest: Keys) -> Keys:
        """Each integer so changed that every bit of it bears on every bit."""
        for factor in self._factors[1:]:
            rest = rest * factor
            rest ^= rest >> np.uint64(32)
        return rest


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    if texts and sum(map(len, texts)) < _BATCH:  # as those of most stores
        yield texts
        return
    start = size = 0
    for end, text in enumerate(texts, 1):
        size += len(text)
        if size >= _BATCH or end == len(texts):
            yield texts[start:end]
            start, size = end, 0


def _bytes(texts: Sequence[str]) -> tuple[bytes, Places]:
    """Texts end to end, apart from each other, and where what is behind each begins; ASCII in whatever case."""
    plain = list(map(str.isascii, texts))
    if not all(plain):
        texts = [text if ascii else well_formed(text).lower() for text, ascii in zip(texts, plain, strict=True)]
    each = list(map(str.encode, texts))
    sizes = np.array(list(map(len, each)), dtype=np.intp)
    return b"\n".join([b"", *each, bytes(_LONGEST)]), (sizes + 1).cumsum() + 1


def _runs(data: bytes) -> tuple[Places, Places]:
    """Where each run of letters begins, and its length."""
    inside = np.frombuffer(data.translate(_INSIDE), dtype=np.uint8)
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    befores = edges[::2]
    return befores + 1, edges[1::2] - befores


def _with_several(numbers: Numbers, ends: Places, several: Mapping[int, Sequence[int]]) -> tuple[Numbers, Places]:
    """Numbers and ends of texts with those runs put in, by their places, that are several words."""
    widths = np.ones(len(numbers), dtype=np.intp)
    widths[list(several)] = list(map(len, several.values()))
    places = np.concatenate([[0], np.cumsum(widths)])
    numbers = numbers.repeat(widths)
    for place, each in several.items():
        numbers[places[place] : places[place + 1]] = each
    return numbers, places[ends]
