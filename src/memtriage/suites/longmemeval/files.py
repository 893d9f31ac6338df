"""Files of questions: found, and read one entry at a time however large they are.

The official files are JSON lists of up to several gigabytes; JSON lines are read too. Only the entry at hand and a few
megabytes around it are held. The hash of the file is worked out on the way.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from memtriage.errors import BadInput

Size = Literal["s", "m", "oracle"]
SIZES: tuple[Size, ...] = get_args(Size)
"""How much history a question has: about 50 sessions, about 500, or its evidence alone."""

_NAME = re.compile(r"longmemeval_(s|m|oracle)(?![a-z0-9])[\w.-]*", re.IGNORECASE)
_TYPES = ("", ".json", ".jsonl", ".ndjson")
_START = re.compile(r'\{\s*"question_id"\s*:')
_DECODER = json.JSONDecoder()
_BLOCK = 1 << 20
_LARGEST = 1 << 29  # characters; an entry of the M files has about 6 million
_TORN = 16
"""How near to the end of what was read an error must be to come from there being more."""

_SEPARATORS = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Source:
    """A file of questions, and of which size its histories are."""

    path: Path
    size: Size


def find(data: Path, asked: Size) -> Source:
    """The file that a path names: itself, or in a folder the one of the size asked for, the cleaned one first."""
    if not data.exists():
        raise BadInput(f"{data} does not exist; give a file such as longmemeval_{asked}_cleaned.json or its folder")
    if not data.is_dir():
        return Source(data, size_of(data) or asked)
    there = [path for path in sorted(data.iterdir()) if path.is_file() and size_of(path)]
    fitting = [path for path in there if size_of(path) == asked]
    if not fitting:
        others = f"there are {', '.join(path.name for path in there)}; name the task (longmemeval/m) or the file"
        raise BadInput(f"{data} has no longmemeval_{asked}*.json: {others if there else 'nor any other such file'}")
    return Source(min(fitting, key=lambda path: ("cleaned" not in path.name.lower(), len(path.name), path.name)), asked)


def size_of(path: Path) -> Size | None:
    """The size that a file's name tells.

    >>> size_of(Path("longmemeval_s_cleaned.json")), size_of(Path("longmemeval_oracle")), size_of(Path("mine.json"))
    ('s', 'oracle', None)
    """
    found = _NAME.fullmatch(path.name)
    if found is None or path.suffix.lower() not in _TYPES:
        return None
    return next(size for size in SIZES if size == found[1].lower())


class Entries:
    """The entries of one file, in order, each with its number from 1; `complain` hears of what can't be read.

    >>> entries = Entries(Path("longmemeval_s.json"), print)     # doctest: +SKIP
    >>> for number, entry in entries: ...                        # doctest: +SKIP
    >>> entries.sha256()                                         # doctest: +SKIP
    """

    def __init__(self, path: Path, complain: Callable[[str], None]) -> None:
        self.path = path
        self.bytes = 0
        self._complain = complain
        self._hash = hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._usual = 0
        self._ended = False
        self._cut = False
        self._file: BinaryIO | None = None

    def __iter__(self) -> Iterator[tuple[int, object]]:
        try:
            yield from self._entries()
        finally:
            self._close()

    def _entries(self) -> Iterator[tuple[int, object]]:
        opening = self._next()
        if opening not in ("[", "{"):
            what = "is empty" if not opening else "is no JSON list of questions, nor JSON lines"
            raise BadInput(f"{self.path} {what}; give one of LongMemEval's files, or one in their format")
        self._at += opening == "["
        number = 0
        while (following := self._next()) not in ("", "]"):
            number += 1
            if following == "{":
                yield from ((number, entry) for entry in self._decoded(number))
            else:
                self._complain(f"entry {number} is no object, and was skipped")
                self._resume(self._at + 1)
        if opening == "[" and not following and not self._cut:
            self._complain(f"the list is not closed: the file is cut off after entry {number}")

    def sha256(self) -> str:
        """The hash of the whole file; what was not read yet is read for it."""
        while self._block(_BLOCK):
            pass
        self._close()
        return self._hash.hexdigest()

    def _next(self) -> str:
        """The character with which the next entry, or the end, begins."""
        while True:
            found = _SEPARATORS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _decoded(self, number: int) -> Iterator[object]:
        """The entry that begins here, if it is whole."""
        while len(self._text) - self._at < self._usual and self._more():
            pass  # a piece too short would be parsed for nothing
        while True:
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._unfinished(error) and self._more():
                    continue
                self._give_up(number, error)
                return
            self._usual = max(self._usual, (end - self._at) * 5 // 4)
            self._at = end
            yield found
            return

    def _unfinished(self, error: Exception) -> bool:
        """Whether an error can come from the entry going on where what was read so far ends."""
        if not isinstance(error, json.JSONDecodeError) or len(self._text) - self._at > _LARGEST:
            return False
        return error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _TORN

    def _give_up(self, number: int, error: Exception) -> None:
        if self._ended and self._unfinished(error):
            self._complain(f"entry {number} breaks off: the file is cut; the {number - 1} before it are used")
            self._cut = True
            self._at = len(self._text)
            return
        why = error.msg if isinstance(error, json.JSONDecodeError) else str(error) or type(error).__name__
        self._complain(f"entry {number} is no JSON ({why}), and was skipped")
        self._resume(max(self._at + 1, error.pos if isinstance(error, json.JSONDecodeError) else 0))

    def _resume(self, position: int) -> None:
        """Go on with the next entry that can be told by its first field."""
        self._at = position
        while True:
            found = _START.search(self._text, self._at)
            if found is not None:
                self._at = found.start()
                return
            self._at = max(self._at, len(self._text) - len('{ "question_id" :') - _TORN)
            if not self._more():
                self._cut = True
                self._at = len(self._text)
                return

    def _more(self) -> bool:
        """Read on, twice as far where much is waiting, so that what must be tried again stays cheap."""
        while block := self._block(max(_BLOCK, len(self._text) - self._at)):
            if text := self._characters(block):
                self._text = self._text[self._at :] + text
                self._at = 0
                return True
        return False

    def _block(self, size: int) -> bytes:
        try:
            if self._file is None:
                self._file = self.path.open("rb", buffering=0)
                self._file.seek(self.bytes)
            block = self._file.read(size)
        except OSError as error:
            raise BadInput(f"{self.path} can't be read: {error.strerror or error}") from error
        self._ended = not block
        self.bytes += len(block)
        self._hash.update(block)
        return block

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _characters(self, block: bytes) -> str:
        try:
            return self._decoder.decode(block)
        except UnicodeDecodeError as error:
            self._complain(f"bytes near {self.bytes - len(block) + error.start} are not UTF-8, and were replaced")
            waiting = self._decoder.getstate()[0]
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            return self._decoder.decode(waiting + block)
