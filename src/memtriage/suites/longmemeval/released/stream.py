"""A file read on as needed: bytes, and the JSON values that begin among them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from io import RawIOBase
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.host.inputs import open_input

_DECODER = json.JSONDecoder()
_BLOCK = 1 << 18
_LARGEST = 1 << 29  # characters; an entry of the M files has about 6 million
_TORN = 16
"""How near to the end of what was looked at an error must be to come from there being more."""


class BrokenJson(Exception):
    """What is no JSON value: why, up to which byte it is one, and whether it only breaks off at the end of the file."""

    def __init__(self, why: str, at: int, cut: bool) -> None:
        super().__init__(why)
        self.why, self.at, self.cut = why, at, cut


class JsonStream:
    """The bytes of a file, some at a time: those from `at` to `end` of `held` are read and not yet left behind.

    They are UTF-8: others are replaced, and complained about. Places in `held` are the same until `skip` is called.
    """

    def __init__(self, path: Path, complain: Callable[[str], None]) -> None:
        self.path = path
        self.bytes = 0
        self.held = bytearray()
        self.at = 0
        self.end = 0
        self._complain = complain
        self._repairing: codecs.IncrementalDecoder | None = None
        self._file: RawIOBase | None = None

    def skip(self, to: int) -> None:
        """Drop the bytes before a place."""
        self.at = to
        if 2 * to > len(self.held):  # by halves, so that moving the rest costs less than reading it did
            with memoryview(self.held) as view:
                view[: self.end - to] = view[to : self.end]
            self.at, self.end = 0, self.end - to

    def reach(self, end: int) -> bool:
        """Whether there are bytes up to a place; read on where there may be."""
        while self.end < end:
            if not self._grow(max(_BLOCK, end - self.end)):
                return False
        return True

    def more(self) -> bool:
        """Read on, twice as far where much is waiting, so that what must be tried again stays cheap."""
        return self._grow(max(_BLOCK, self.end - self.at))

    def _grow(self, room: int) -> bool:
        """Read on by so many bytes."""
        if len(self.held) < self.end + room:  # the space is used again and again: new one takes longer than reading
            self.held.extend(bytes(self.end + room - len(self.held)))
        begin = not self.bytes
        count = self._read(self.end, room)
        if begin and self.held.startswith(codecs.BOM_UTF8):
            self.at = len(codecs.BOM_UTF8)
        if self._repairing is None:
            self.end += count
        else:
            self._put(self.end, self._repairing.decode(self.held[self.end : self.end + count]))
        return bool(count)

    def value(self, at: int, window: int, opening: str = "") -> tuple[Any, int]:
        """The JSON value that begins at a place, and where it ends; so much is looked at first, and more as needed.

        `opening` stands for the first byte, where given.
        """
        while True:
            text = opening + self._characters(at, window)[len(opening) :]
            try:
                found, end = _DECODER.raw_decode(text)
            except (ValueError, RecursionError) as error:
                unfinished = _unfinished(error, text)
                if unfinished and (at + window < self.end or self.more()):
                    window = 4 * window
                    continue
                raise _broken(error, text, at, unfinished) from error
            return found, at + _length(text, end)

    def close(self) -> None:
        """Close the file; reading on opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self, place: int, size: int) -> int:
        """Read up to so many bytes to a place, and return how many there were."""
        with memoryview(self.held) as held:
            try:
                if self._file is None:
                    self._file = open_input(self.path).detach()
                    self._file.seek(self.bytes)
                count = self._file.readinto(held[place : place + size]) or 0
            except OSError as error:
                raise BadInput(f"{self.path} can't be read: {error.strerror or error}") from error
        self.bytes += count
        return count

    def _characters(self, at: int, count: int) -> str:
        """So many bytes as text; a character that is cut at the end is left out."""
        try:
            return codecs.utf_8_decode(self.held[at : min(at + count, self.end)], "strict", False)[0]
        except UnicodeDecodeError as error:
            place = self.bytes - (self.end - at) + error.start
            self._complain(f"bytes near {place} are not UTF-8, and were replaced")
            self._repairing = codecs.getincrementaldecoder("utf-8")("replace")
            self._put(at, self._repairing.decode(self.held[at : self.end]))
            return self._characters(at, count)

    def _put(self, place: int, text: str) -> None:
        """Let the bytes from a place on be those of a text."""
        mended = text.encode()
        self.held[place:] = mended
        self.end = place + len(mended)


def _unfinished(error: Exception, text: str) -> bool:
    """Whether an error can come from the value going on where the text ends."""
    if not isinstance(error, json.JSONDecodeError) or len(text) > _LARGEST:
        return False
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) - _TORN


def _broken(error: Exception, text: str, at: int, cut: bool) -> BrokenJson:
    if isinstance(error, json.JSONDecodeError):
        return BrokenJson(error.msg, at + _length(text, error.pos), cut)
    return BrokenJson(str(error) or type(error).__name__, at, cut)


def _length(text: str, end: int) -> int:
    """How many bytes the beginning of a text takes."""
    return end if text.isascii() else len(text[:end].encode())
