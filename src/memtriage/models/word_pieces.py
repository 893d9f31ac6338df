"""The tokens of texts by a tokenizer of wordllama's kind, each word being cut into its pieces only once.

Such a tokenizer (BPE in which a blank is a letter that pieces can only begin with) never joins what stands before a
blank with what follows it. So a text's tokens are those of its words, one after the other; looking them up takes a
sixth of the time of cutting every text anew.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from itertools import chain, pairwise, repeat
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLANK = "▁"
_MOST_WORDS = 200_000
_MOST_TOKENS = 8 * _MOST_WORDS
_AT_ONCE = 256
"""New words that are cut at once."""

_LONGEST = 64
"""Longer words are cut every time they come: they hardly recur."""

_CHUNK = re.compile(f"{BLANK}+[^{BLANK}]*")


class WordPieces:
    """The tokens of texts; what is remembered of words is bounded. Safe to use from several threads."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._special = tuple(token.content for token in tokenizer.get_added_tokens_decoder().values())
        self._lock = Lock()
        self._forget()

    def ids(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """The tokens of each text."""
        words = self._split(texts)
        ends = np.cumsum([0, *map(len, words)])
        with self._lock:
            tokens, token_ends = self._looked_up(list(chain.from_iterable(words)))
        return [tokens[start:end] for start, end in pairwise(token_ends[ends].tolist())]

    def _forget(self) -> None:
        self._numbers: dict[str, int] = {}
        self._tokens = array("q")  # of all words, end to end
        self._ends = array("q", [0])

    def _split(self, texts: Sequence[str]) -> list[list[str]]:
        """For each text, texts whose tokens, one after the other, are those of the whole."""
        joined = "\n".join(texts)
        if any(token in joined for token in self._special):
            return [[text] if any(token in text for token in self._special) else _words(text) for text in texts]
        return [_words(text) for text in texts]

    def _looked_up(self, words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The tokens of words end to end, and how many there are before each word and after the last."""
        if len(self._numbers) > _MOST_WORDS or len(self._tokens) > _MOST_TOKENS:
            self._forget()
        numbers = np.fromiter(map(self._numbers.get, words, repeat(-1)), dtype=np.intp, count=len(words))
        places = np.flatnonzero(numbers < 0)
        unknown = [words[place] for place in places.tolist()]
        self._learn(list(dict.fromkeys(unknown)))
        numbers[places] = [self._numbers[word] for word in unknown]
        known_ends = np.frombuffer(self._ends, dtype=np.int64)
        starts = known_ends.take(numbers)
        sizes = known_ends.take(numbers + 1) - starts
        ends = np.concatenate([[0], np.cumsum(sizes)])
        token_places = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes)
        for word in unknown:
            if len(word) > _LONGEST:
                self._numbers.pop(word, None)
        return np.frombuffer(self._tokens, dtype=np.int64).take(token_places), ends

    def _learn(self, new: list[str]) -> None:
        for start in range(0, len(new), _AT_ONCE):
            words = new[start : start + _AT_ONCE]
            for word, ids in zip(words, self._cut_together(words) or self._cut_apart(words), strict=True):
                self._tokens.extend(ids)
                self._numbers[word] = len(self._ends) - 1
                self._ends.append(len(self._tokens))

    def _cut_together(self, words: list[str]) -> list[list[int]] | None:
        """The tokens of words, cut as one text in a third of the time; None where there is a blank or special token.

        The first token of each word begins with the blank before it, and no other one does.
        """
        joined = " ".join(words)
        if not all(words) or BLANK in joined or any(token in joined for token in self._special):
            return None
        cut = self._tokenizer.encode(joined, add_special_tokens=False)
        ids: list[int] = cut.ids
        begins = [place for place, token in enumerate(cut.tokens) if token.startswith(BLANK)]
        if len(begins) != len(words):
            return None
        return [ids[begin:end] for begin, end in pairwise([*begins, len(ids)])]

    def _cut_apart(self, words: list[str]) -> list[list[int]]:
        # "" is a blank at the end; of nothing the tokenizer makes nothing.
        cut = self._tokenizer.encode_batch(words, add_special_tokens=False)
        blank = [self._tokenizer.token_to_id(BLANK)]
        return [each.ids if word else blank for word, each in zip(words, cut, strict=True)]


def _words(text: str) -> list[str]:
    """Texts whose tokens, one after the other, are those of the whole, which has no special ones."""
    if not text:
        return []
    if text[0] != " " and "  " not in text and BLANK not in text:
        return text.split(" ")
    # Several blanks may be one piece; the tokenizer itself puts the first one before each.
    return [chunk[1:] for chunk in _CHUNK.findall(f"{BLANK}{text.replace(' ', BLANK)}")]
