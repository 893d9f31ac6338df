"""A cache of what is worked out per text and shared by all stores: its vector.

The same sessions stand in the histories of many questions, and every question has a store of its own. What is kept
here is bounded in bytes; what was not used for the longest time goes first.

Where stores of a run are filled in many processes, a `Shelf` has the vectors of all of them that take a model long.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memtriage.models.embedders import Embedder, MiniLMEmbedder, SentenceTransformerEmbedder, WordLlamaEmbedder

MOST_BYTES = 128 << 20
MOST_COSTLY = 1 << 30
"""Bytes of vectors that a model takes milliseconds for: some 600,000 texts of one that runs on a processor."""

_ENTRY = 200
"""Bytes that an entry takes beside its value: two objects' headers, its key, its place in the order."""


class TextCache:
    """Results by text, each worked out once, within so many bytes; safe to use from several threads."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = most
        self.bytes = 0
        self._values: OrderedDict[int, bytes] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def each(self, kind: str, texts: Sequence[str], make: Callable[[list[str]], Iterable[bytes]]) -> list[bytes]:
        """What `make` gives for each text, asked only for those that it hasn't been asked for under this kind."""
        # Python's own hash, 64 bits with a secret: a text that comes as the same object has it ready, and the chance
        # that any two of a million texts share it is 1 in 30 million.
        keys = [hash((kind, text)) for text in texts]
        found = self._cached(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            new = dict(zip(missing, make(list(missing.values())), strict=True))
            self._add(new)
            found |= new
        return [found[key] for key in keys]

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self.bytes = 0

    def _cached(self, keys: Sequence[int]) -> dict[int, bytes]:
        found = {}
        with self._lock:
            for key in keys:
                value = self._values.get(key)
                if value is not None:
                    self._values.move_to_end(key)
                    found[key] = value
        return found

    def _add(self, new: dict[int, bytes]) -> None:
        with self._lock:
            for key, value in new.items():
                if key not in self._values:  # another thread may have been as fast
                    self._values[key] = value
                    self.bytes += len(value) + _ENTRY
            while self.bytes > self.most:
                _, value = self._values.popitem(last=False)
                self.bytes -= len(value) + _ENTRY


class Shelf(Protocol):
    """Vectors by key that processes of a run share; it may lose some, and fails nobody."""

    def find(self, keys: Sequence[bytes]) -> Sequence[bytes | None]: ...

    def add(self, new: Mapping[bytes, bytes]) -> None: ...


CACHE = TextCache()
COSTLY = TextCache(MOST_COSTLY)
_shelves: list[Shelf] = []


@contextmanager
def shared_on(shelf: Shelf) -> Iterator[None]:
    """Share vectors with other processes on this shelf, until the block ends."""
    _shelves.append(shelf)
    try:
        yield
    finally:
        _shelves.pop()


def shares_vectors(embedder: Embedder) -> bool:
    """Whether a text's vector is kept for all stores and systems of this process.

    So it is for those that come with this project and compute here. What goes to an endpoint is cached by its client,
    and somebody's own embedder may give what it likes.
    """
    return type(embedder) in (WordLlamaEmbedder, SentenceTransformerEmbedder, MiniLMEmbedder)


def cache_kind(embedder: Embedder) -> str:
    """The name under which an embedder's vectors are kept: that of its weights, where several may share its own."""
    way = getattr(embedder, "preset", None)
    return f"vector/{getattr(embedder, 'weights', embedder.name)}/{way.name if way else ''}"


def rows(embedder: Embedder, texts: Sequence[str], make: Callable[[list[str]], NDArray[np.float32]]) -> list[bytes]:
    """Each text's vector as bytes; `make` is asked for those that this embedder hasn't had yet."""

    def made(new: list[str]) -> list[bytes]:
        return [row.tobytes() for row in make(new)]

    if not isinstance(embedder, SentenceTransformerEmbedder):
        return CACHE.each(cache_kind(embedder), texts, made)
    if not _shelves:
        return COSTLY.each(cache_kind(embedder), texts, made)
    shelf, name = _shelves[-1], f"{embedder.place}\0{embedder.preset.name}\0"
    return COSTLY.each(cache_kind(embedder), texts, lambda new: _shelved(shelf, name, new, made))


def _shelved(shelf: Shelf, name: str, texts: list[str], make: Callable[[list[str]], list[bytes]]) -> list[bytes]:
    """The vectors of texts from a shelf, or made and put there for others."""
    keys = [blake2b((name + text).encode(errors="surrogatepass"), digest_size=16).digest() for text in texts]
    vectors = dict(zip(keys, shelf.find(keys), strict=True))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if vectors[key] is None}
    if missing:
        new = dict(zip(missing, make(list(missing.values())), strict=True))
        shelf.add(new)
        vectors |= new
    return [vector for key in keys if (vector := vectors[key]) is not None]
