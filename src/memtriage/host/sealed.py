"""Seals: a check at the end of whatever is read back, so that no change to it goes unnoticed.

A sealed line is one JSON object whose last field, "seal", is a checksum of the rest and of the byte at which the line
starts in its file: a line that was changed, moved, doubled or taken out doesn't fit. It is a CRC, as lines are many and
a hash would take three times as long; whole files have hashes. A sealed document is a JSON file whose last field is a
hash of the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from zlib import crc32

from memtriage.host.masks import mask_json, mask_line

_TAIL = b',"seal":"%08x"}\n'
_ONLY = _TAIL[1:]  # of an object with nothing else in it
_LENGTH = len(_TAIL % 0)
_WORD = 0xFFFFFFFF
_PAGE_MARK = b"<!-- seal: %s -->\n"
_PAGE_OF = b"<!-- run: %s -->\n"


CRLF = "its line ends were changed to CRLF, as git and mail programs may do"
"""What is wrong with a file that has such line ends; memtriage writes none, and in JSON they are spelled out."""


class BrokenSeal(ValueError):
    """What was read is not what was written."""


def seal_line(line: bytes, start: int) -> bytes:
    """A line of JSON, an object with its newline, with its seal; `start` is its first byte in the file.

    >>> seal_line(b'{"a":1}\\n', 0)
    b'{"a":1,"seal":"74e8a346"}\\n'
    """
    line = mask_line(line)  # whatever is kept has no key in it
    tail = _TAIL if line != b"{}\n" else _ONLY
    return b"".join((memoryview(line)[:-2], tail % crc32(line, start & _WORD)))  # lines are many, and copied once


def open_line(sealed: bytes, start: int) -> bytes:
    """The line without its seal; BrokenSeal if it was changed, moved or never sealed."""
    return sealed[: check_line(sealed, start)] + b"}\n"


def check_line(sealed: bytes, start: int) -> int:
    """Check a line's seal, as `open_line` does; returns where what it seals ends."""
    end, tail = len(sealed) - _LENGTH, _TAIL
    if end == 0:
        end, tail = 1, _ONLY
    if end > 0 and sealed[end:] == tail % crc32(b"}\n", crc32(sealed[:end], start & _WORD)):
        return end
    raise BrokenSeal("its seal does not fit" if b'"seal":"' in sealed[-_LENGTH:] else "it has no seal")


def seal_document(content: Mapping[str, Any]) -> bytes:
    """A JSON file with its seal, laid out for people to read."""
    return _document(mask_json(dict(content)))


def open_document(raw: bytes) -> dict[str, Any]:
    """The content of a sealed JSON file; BrokenSeal if it was changed or never sealed."""
    if b"\r\n" in raw:
        raise BrokenSeal(CRLF)
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


def seal_page(page: bytes, of: str = "") -> bytes:
    """A page of HTML with its seal, a comment at its end, and the digest of the run that it is a page `of`."""
    if of:
        page += _PAGE_OF % of.encode()
    return page + _PAGE_MARK % hashlib.sha256(page).hexdigest().encode()


def is_page_of(sealed: bytes, of: str) -> bool:
    """Whether a page is the one that was sealed, and was made of the run with this digest."""
    return page_is_whole(sealed) and sealed[: -len(_PAGE_MARK % bytes(64))].endswith(_PAGE_OF % of.encode())


def page_is_whole(sealed: bytes) -> bool:
    """Whether a page is the one that was sealed."""
    return seal_page(sealed[: -len(_PAGE_MARK % bytes(64))]) == sealed


def _document_hash(content: Mapping[str, Any]) -> str:
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
