"""A cache of what is worked out per text, shared by all stores: its words as numbers, and its vector.

The same sessions stand in the histories of many questions, and every question has a store of its own. What is kept
here is bounded in bytes; what was not used for the longest time goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedders import Embedder, WordLlamaEmbedder
from memtriage.text.words import well_formed

Numbers = NDArray[np.int32]

MOST_BYTES = 256 << 20
MOST_SPELLINGS = 1_000_000
_BATCH = 256
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


CACHE = TextCache()


class Lexicon:
    """Numbers for words: one per stem, the same in every store.

    Words have two letters and more; English stop words have no number. What a word is comes from bm25s.
    """

    _serials = count()

    def __init__(self, stemmer: str) -> None:
        self._spellings = _Spellings(_tokenizer(stemmer))
        self.kind = f"words/{next(self._serials)}"
        """The name under which the words of texts are kept."""

    def __len__(self) -> int:
        """How many words there are; every number is below it."""
        return len(self._spellings.of_stem)

    @property
    def full(self) -> bool:
        """Whether so many spellings are known that new stores had better begin anew."""
        return len(self._spellings) > MOST_SPELLINGS

    def numbers(self, text: str) -> Numbers:
        """The words of a text in order, by their numbers."""
        found: list[int] = []
        for part in well_formed(text).lower().split():
            number = self._spellings[part]
            if number >= 0:
                found.append(number)
            elif number <= _SEVERAL:
                found += self._spellings.several[_SEVERAL - number]
        return np.array(found, dtype=np.int32)

    def packed(self, texts: Sequence[str]) -> list[bytes]:
        """The words of each text as the bytes of an int32 array; of a text that was seen before, without reading it."""
        return CACHE.each(self.kind, texts, self._read_all)

    def _read_all(self, texts: Sequence[str]) -> Iterator[bytes]:
        for start in range(0, len(texts), _BATCH):
            yield from self._read(texts[start : start + _BATCH])

    def _read(self, texts: Sequence[str]) -> list[bytes]:
        # No word goes across a blank, and splitting there is several times faster than looking for words.
        parts = [well_formed(text).lower().split() for text in texts]
        ends = np.cumsum([len(each) for each in parts])
        spelt = np.fromiter(map(self._spellings.__getitem__, chain.from_iterable(parts)), np.int32, count=int(ends[-1]))
        several = np.flatnonzero(spelt <= _SEVERAL)
        words = [self._spellings.several[_SEVERAL - number] for number in spelt[several].tolist()]
        widths = (spelt != _NONE).astype(np.intp)
        widths[several] = [len(each) for each in words]
        places = np.concatenate([[0], np.cumsum(widths)])
        numbers = np.repeat(spelt, widths)
        for place, each in zip(places[several].tolist(), words, strict=True):
            numbers[place : place + len(each)] = each
        cuts = (places[ends] * numbers.itemsize).tolist()
        data = numbers.tobytes()
        return [data[start:end] for start, end in pairwise([0, *cuts])]


_NONE, _SEVERAL = -1, -2


class _Spellings(dict[str, int]):
    """What stands between blanks, by the word it holds: its number, or a negative one for none or several."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__()
        self.of_stem: dict[str, int] = {}
        self._of_word: dict[str, int] = dict.fromkeys(tokenizer.stopwords, _NONE)
        self.several: list[tuple[int, ...]] = []
        self._split = tokenizer.splitter
        self._stem = tokenizer.stemmer or str
        self._lock = Lock()  # stemmers are not made for several threads

    def __missing__(self, part: str) -> int:
        with self._lock:
            self[part] = number = self._number(part)
        return number

    def _number(self, part: str) -> int:
        numbers = [number for word in self._split(part) if (number := self._of(word)) != _NONE]
        if len(numbers) < 2:
            return numbers[0] if numbers else _NONE
        self.several.append(tuple(numbers))
        return _SEVERAL - (len(self.several) - 1)

    def _of(self, word: str) -> int:
        number = self._of_word.get(word)
        if number is None:
            number = self._of_word[word] = self.of_stem.setdefault(self._stem(word), len(self.of_stem))
        return number


_lexicons: dict[str, Lexicon] = {}
_choosing = Lock()


def lexicon(stemmer: str) -> Lexicon:
    """The lexicon for a stemmer's language; a full one stays with the stores that have it."""
    with _choosing:
        known = _lexicons.get(stemmer)
        if known is None or known.full:
            known = _lexicons[stemmer] = Lexicon(stemmer)
        return known


def depends_on_text_alone(embedder: Embedder) -> bool:
    """Whether a text's vector depends on nothing but the text: not on its batch or on an endpoint.

    A transformer's last bits depend on the texts it was padded with, so that its vectors would tell in what order
    stores were filled; and what goes to an endpoint is counted and cached by its client.
    """
    return type(embedder) is WordLlamaEmbedder


def cache_kind(embedder: Embedder) -> str:
    """The name under which an embedder's vectors are kept."""
    return f"vector/{embedder.name}"


def rows(embedder: Embedder, texts: Sequence[str], make: Callable[[list[str]], NDArray[np.float32]]) -> list[bytes]:
    """Each text's vector as bytes; `make` is asked for those that this embedder hasn't had yet."""
    return CACHE.each(cache_kind(embedder), texts, lambda new: [row.tobytes() for row in make(new)])


def _tokenizer(stemmer: str) -> Any:
    """Words of two letters and more, without English stop words, stemmed in the language asked for."""
    import bm25s.tokenization
    import Stemmer

    if stemmer != "none" and stemmer not in Stemmer.algorithms():
        raise BadInput(unknown("stemmer", stemmer, [*Stemmer.algorithms(), "none"]))
    stem = None if stemmer == "none" else Stemmer.Stemmer(stemmer, 0)  # each word comes once
    return bm25s.tokenization.Tokenizer(stopwords="english", stemmer=stem)
