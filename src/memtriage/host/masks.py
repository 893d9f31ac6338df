"""Secrets that must not be written down: once remembered, they are masked in everything that leaves this process.

A key is looked for as it is, and as a server may send it back: in base64, hex or percent-encoded, as escapes, in
capitals, backwards, in two halves, or broken up by spaces, line ends or characters that nobody sees. The freer of these
forms are looked for only if a key is long enough to be no word.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import quote

T = TypeVar("T")

HIDDEN = "[key]"

LEAST = 8
"""Shorter keys may be words, such as `none` or `test`: they are not looked for in what is written."""

_LEAST_OF_LETTERS = 20
"""Nor are longer ones of letters alone, such as `postgres` or `changeme`, unless no word is as long as this."""

_LEAST_LOOSE = 16
_LEAST_HALF = 12
"""Letters and digits that a key, and a half of one, must have to be looked for in pieces."""

GATE = "memtriage-gate-"
"""What the tokens of the gateway begin with: there is one for every store, and they are all known by this."""

_lock = threading.Lock()
_known: set[str] = set()
_needles: tuple[bytes, ...] = ()
_patterns: tuple[re.Pattern[str], ...] = ()

_KEPT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_DROPPED = bytes(set(range(256)) - set(_KEPT))
_ESCAPE = re.compile(rb"\\(?:[nrtbf]|u(?!00[2-7])[0-9a-fA-F]{4})")
"""What JSON writes for characters that can stand between the letters of a key."""


def remember(secret: str) -> None:
    """Take note of a secret, so that it is shown and written nowhere."""
    global _needles, _patterns
    secret = GATE if secret.startswith(GATE) else secret
    with _lock:
        if not secret or secret in _known:
            return
        _known.add(secret)
        longest_first = sorted((key for key in _known if not may_be_a_word(key)), key=len, reverse=True)
        forms = [form for key in longest_first for form in _forms(key)]
        _patterns = tuple(dict.fromkeys(pattern for _, pattern in forms))
        needles = dict.fromkeys(needle for needle, _ in forms)
        # Where a needle is part of another one, looking for the shorter is enough.
        _needles = tuple(each for each in needles if not any(other in each for other in needles if other != each))


def may_be_a_word(key: str) -> bool:
    """Whether a secret may stand in ordinary text as well: messages hide it, and what is written keeps its words."""
    if key == GATE:
        return False
    return len(key) < LEAST or (len(key) < _LEAST_OF_LETTERS and not any(map(str.isdigit, key)))


def any_known() -> bool:
    """Whether there is anything to look for at all; without it, no text needs to be put together for `mask`."""
    return bool(_needles)


def known() -> frozenset[str]:
    """The secrets that were remembered."""
    return frozenset(_known)


def mask(text: str) -> str:
    """The text without any secret; the very same text where there is none in it.

    >>> remember("0123456789abcdefghij")
    >>> mask("it is 0123456789-ABCDE fghij")
    'it is [key]'
    """
    if not _needles or not _may_hold(text.encode("utf-8", "surrogatepass")):
        return text
    for pattern in _patterns:
        text = pattern.sub(HIDDEN, text)
    return text


def mask_json(value: T) -> T:
    """A JSON value without any secret in its texts and names; the very same value where there is none in it."""
    return _masked(value) if _needles else value


def mask_line(line: bytes) -> bytes:
    """A line of JSON without any secret."""
    if not _needles or not _may_hold(line):
        return line
    value = json.loads(line)
    masked = mask_json(value)
    return line if masked is value else json.dumps(masked, separators=(",", ":")).encode() + b"\n"


def mask_bytes(content: bytes) -> bytes:
    """What is written into a file, without any secret, whether it is JSON, another text, or no text at all."""
    if not _needles or not _may_hold(content):
        return content
    try:
        return mask_line(content)
    except (ValueError, RecursionError):
        text = content.decode("utf-8", "surrogateescape")
        return mask(text).encode("utf-8", "surrogateescape")


def _may_hold(content: bytes) -> bool:
    """Whether a secret may be in it: quick, and never wrong about a no."""
    plain = content.translate(None, _DROPPED).lower()
    if any(needle in plain for needle in _needles):
        return True
    if b"\\" not in content:
        return False
    plain = _ESCAPE.sub(b"", content).translate(None, _DROPPED).lower()
    return any(needle in plain for needle in _needles)


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        items = [(mask(name) if isinstance(name, str) else name, _masked(each)) for name, each in value.items()]
        same = all(a is c and b is d for (a, b), (c, d) in zip(items, value.items(), strict=True))
        return value if same else dict(items)
    if isinstance(value, list | tuple):
        if all(isinstance(each, float) for each in value):  # a vector
            return value
        parts = [_masked(each) for each in value]
        return value if all(a is b for a, b in zip(parts, value, strict=True)) else type(value)(parts)
    return value


def _forms(key: str) -> Iterator[tuple[bytes, re.Pattern[str]]]:
    """How a key may be written: as letters and digits alone, for the quick look, and as a pattern."""
    if key == GATE:
        yield _form(key, rf"{GATE}[\w-]*", False)
        return
    letters = _letters(key)
    loose = len(letters) >= _LEAST_LOOSE
    write: Callable[[str], str] = _apart if loose else re.escape
    for code in (key, quote(key, safe=""), *_escaped(key)):
        yield _form(code, write(code if not loose else _letters(code)), loose)
    hexed = key.encode().hex()
    yield _form(hexed, _apart(hexed), True)
    for core in _base64_cores(key.encode()):
        yield _form(core, rf"[\w+/-]{{0,3}}{_in_base64(core)}[\w+/-]{{0,3}}={{0,2}}", False)
    if loose:
        yield _form(letters[::-1], _apart(letters[::-1]), True)
    half = len(letters) // 2
    if half >= _LEAST_HALF:
        for part in (letters[:half], letters[half:]):
            yield _form(part, _apart(part), True)


def _form(code: str, pattern: str, loose: bool) -> tuple[bytes, re.Pattern[str]]:
    return _letters(code).lower().encode(), re.compile(pattern, re.IGNORECASE if loose else 0)


def _escaped(key: str) -> Iterator[str]:
    """A key as escapes: of Python and JSON, and as HTML's entities."""
    yield "".join(f"\\x{ord(each):02x}" for each in key)
    yield "".join(f"\\u{ord(each):04x}" for each in key)
    yield "".join(f"&#{ord(each)};" for each in key)


def _letters(text: str) -> str:
    return "".join(each for each in text if each.isascii() and each.isalnum())


def _apart(letters: str) -> str:
    """Letters and digits with anything else between them."""
    return r"(?:[\W_]|\\[nrtbf]|\\u[0-9a-fA-F]{4})*".join(map(re.escape, letters))


def _base64_cores(key: bytes) -> Iterator[str]:
    """What a key looks like inside base64, by how many bytes stand before it: without the ends, which others shape."""
    for before, skipped in ((0, 0), (1, 2), (2, 3)):
        whole = base64.b64encode(b"\0" * before + key).decode()
        yield whole[skipped : (before + len(key)) * 8 // 6]


def _in_base64(core: str) -> str:
    """Base64 of either alphabet, with line breaks."""
    return r"\s*(?:\\[nr])*".join({"+": "[+-]", "/": "[/_]"}.get(each, each) for each in core)
