"""Counts tokens and cuts texts by them. The vocabulary comes with the package: nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from memtriage.core.errors import BadInput
from memtriage.text.words import well_formed

if TYPE_CHECKING:
    from splintr import AnyTokenizer

TOKENIZER = "cl100k_base"


def count_tokens(text: str, vocabulary: str = TOKENIZER) -> int:
    """How many tokens a text has, in memtriage's vocabulary or another that comes with the package.

    >>> count_tokens("hello world"), count_tokens("Señorita", "o200k_base")
    (2, 4)
    """
    return len(_tokenizer(vocabulary).encode_ordinary(well_formed(text)))


def count_all(texts: Iterable[str]) -> int:
    """How many tokens several texts have in total."""
    return sum(count_tokens(text) for text in texts)


def chunks(text: str, size: int) -> list[str]:
    """The text in chunks of `size` tokens that join back to it exactly; no character is split.

    >>> chunks("one two three four five", 2)
    ['one two', ' three four', ' five']
    """
    ends = _token_ends(text)
    cuts = sorted({0, *ends[size - 1 :: size], len(text)})
    return [text[start:end] for start, end in pairwise(cuts)]


def tail(text: str, size: int) -> str:
    """The end of a text, at most `size` tokens long, without splitting a character.

    >>> tail("one two three", 1)
    ' three'
    """
    ends = _token_ends(text)
    if len(ends) <= size:
        return text
    # A cut inside a character or a word can make more tokens of the rest; then cut a little later.
    endings = (text[end:] for end in ends[-size - 1 :])
    return next(ending for ending in endings if count_tokens(ending) <= size)


def encoded(text: str) -> list[int]:
    """The token numbers of a short text.

    >>> encoded("hello world")
    [15339, 1917]
    """
    return _tokenizer().encode_ordinary(well_formed(text))


def decoded(tokens: Sequence[int]) -> str:
    """The text of token numbers; ValueError if one doesn't exist.

    >>> decoded([15339, 1917])
    'hello world'
    """
    try:
        return _tokenizer().decode_bytes(list(tokens)).decode("utf-8", "replace")
    except OverflowError:
        raise ValueError("token numbers are between 0 and 2^32") from None


@cache
def _tokenizer(vocabulary: str = TOKENIZER) -> AnyTokenizer:
    from splintr import Tokenizer

    return Tokenizer.from_pretrained(vocabulary)


def _token_ends(text: str) -> list[int]:
    """For every token, the position after the last character that it has a byte of."""
    whole = well_formed(text)
    tokenizer = _tokenizer()
    sizes = (len(tokenizer.decode_token_bytes(token)) for token in tokenizer.encode_ordinary(whole))
    characters = [0, *accumulate(byte & 0xC0 != 0x80 for byte in whole.encode("utf-8"))]
    return [characters[end] for end in accumulate(sizes)]


def tokens_in(amount: str | int, what: str = "window") -> int:
    """A number of tokens as people write it; k is a thousand and m a million.

    >>> tokens_in("128k"), tokens_in("1.4m")
    (128000, 1400000)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([km]?)", str(amount).strip().lower().replace("_", ""))
    tokens = float(found[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[found[2]] if found else 0.0
    if isinstance(amount, bool) or round(tokens) < 1 or abs(tokens - round(tokens)) > 1e-6:
        raise BadInput(f"{what} must be a number of tokens such as 32k, 128k, 1m or 8192, not {amount!r}")
    return round(tokens)
