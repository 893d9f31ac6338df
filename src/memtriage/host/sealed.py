"""Seals: a short hash at the end of whatever is read back, so that no change to it goes unnoticed.

A sealed line is one JSON object whose last field, "seal", is a hash of the rest and of the byte at which the line
starts in its file: a line that was changed, moved, doubled or taken out doesn't fit. A sealed document is a JSON file
whose last field is a hash of the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memtriage.host.masks import mask_json, mask_line

_MARK = b'"seal":"'
_HEX = 16
_PAGE_MARK = b"<!-- seal: %s -->\n"
_END = len(_MARK) + _HEX + len(b'"}\n')


class BrokenSeal(ValueError):
    """What was read is not what was written."""


def seal_line(line: bytes, start: int) -> bytes:
    """A line of JSON, an object with its newline, with its seal; `start` is its first byte in the file.

    >>> seal_line(b'{"a":1}\\n', 0)
    b'{"a":1,"seal":"afa7d76f586b0e3c"}\\n'
    """
    line = mask_line(line)  # whatever is kept has no key in it
    body = memoryview(line)[:-2]  # lines may be long, and are many: nothing is copied more than once
    return b"".join((body, b"" if line == b"{}\n" else b",", _MARK, _hash(body, start), b'"}\n'))


def open_line(sealed: bytes, start: int) -> bytes:
    """The line without its seal; BrokenSeal if it was changed, moved or never sealed."""
    return sealed[: check_line(sealed, start)] + b"}\n"


def check_line(sealed: bytes, start: int) -> int:
    """Check a line's seal, as `open_line` does; returns where what it seals ends."""
    cut = len(sealed) - _END
    if cut < 1 or sealed[cut : cut + len(_MARK)] != _MARK or sealed[-3:] != b'"}\n':
        raise BrokenSeal("it has no seal")
    end = cut - 1 if sealed[cut - 1 : cut] == b"," else cut
    if _hash(memoryview(sealed)[:end], start) != sealed[-_HEX - 3 : -3]:
        raise BrokenSeal("its seal does not fit")
    return end


def seal_document(content: Mapping[str, Any]) -> bytes:
    """A JSON file with its seal, laid out for people to read."""
    return _document(mask_json(dict(content)))


def open_document(raw: bytes) -> dict[str, Any]:
    """The content of a sealed JSON file; BrokenSeal if it was changed or never sealed."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BrokenSeal(f"it is not JSON: {error}") from None
    if not isinstance(content, dict) or "seal" not in content:
        raise BrokenSeal("it has no seal")
    if content.pop("seal") != _document_hash(content) or _document(content) != raw:
        raise BrokenSeal("its seal does not fit")
    return content


def _document(content: Mapping[str, Any]) -> bytes:
    whole = {**content, "seal": _document_hash(content)}
    return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()


def seal_page(page: bytes) -> bytes:
    """A page of HTML with its seal, a comment at its end."""
    return page + _PAGE_MARK % hashlib.sha256(page).hexdigest().encode()


def page_is_whole(sealed: bytes) -> bool:
    """Whether a page is the one that was sealed."""
    return seal_page(sealed[: -len(_PAGE_MARK % bytes(64))]) == sealed


def _hash(body: memoryview, start: int) -> bytes:
    """The hash of a line, given up to the brace that ends it."""
    digest = hashlib.sha256(b"%d " % start)
    digest.update(body)
    digest.update(b"}\n")
    return digest.hexdigest()[:_HEX].encode()


def _document_hash(content: Mapping[str, Any]) -> str:
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
