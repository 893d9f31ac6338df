"""Read the files that a user names: plain ones only, of a size that can be meant, and JSON without surprises.

Data files come from anywhere. What can't be read is a `BadInput` with one sentence, and `loads` knows one kind of
failure alone, `BadJson`, however a text fails to be JSON.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput

LARGEST = 1 << 30
"""The most bytes of a file that is read as a whole, or of a line."""

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (lambda mode: True, "a device"),
)
_OTHER_ENCODINGS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class BadJson(ValueError):
    """A text that is no JSON, or no JSON that can be meant; `unfinished` if it may be the beginning of some."""

    def __init__(self, why: str, unfinished: bool = False) -> None:
        super().__init__(why)
        self.unfinished = unfinished


def open_input(path: Path) -> BufferedReader:
    """Open a file that a user named; a folder, a pipe or a device, which may never end, is refused."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would wait for its other end
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        raise BadInput(f"{path} can't be read: {getattr(error, 'strerror', None) or error}") from error
    mode = os.fstat(opened).st_mode
    if not stat.S_ISREG(mode):
        os.close(opened)
        what = next(name for fits, name in _KINDS if fits(mode))
        raise BadInput(f"{path} can't be read: it is {what}, not a plain file; save its content to a file")
    return os.fdopen(opened, "rb")


def read_input(path: Path) -> bytes:
    """The bytes of a file that a user named."""
    with open_input(path) as file:
        try:
            content = _read(file) if os.fstat(file.fileno()).st_size <= LARGEST else None
        except OSError as error:
            raise BadInput(f"{path} can't be read: {error.strerror or error}") from error
    if content is None or len(content) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST >> 20} MB, too large for such a file; is it the right one?")
    return content


def _read(file: BufferedReader) -> bytes:
    """What a file holds, up to a little more than the largest; piece by piece, as `read` sets aside all it may need."""
    content = bytearray()
    while len(content) <= LARGEST and (piece := file.read(1 << 20)):
        content += piece
    return bytes(content)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file that a user named, with or without a byte order mark."""
    return decoded(read_input(path), str(path))


def input_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that a user named, with their numbers from 1; blank ones are left out."""
    with open_input(path) as file:
        number = 0
        while line := _line(path, file):
            number += 1
            if number == 1:
                refuse_encoding(line, str(path))
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield number, line


def decoded(content: bytes, where: str) -> str:
    """UTF-8 as text; anything else is refused with the place of the byte."""
    refuse_encoding(content, where)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start + len(content) - len(error.object)  # utf-8-sig counts from behind the mark
        line = content.count(b"\n", 0, at) + 1
        raise BadInput(f"{where}, line {line}: byte {at} is not UTF-8; save the file as UTF-8") from error


def refuse_encoding(content: bytes, where: str) -> None:
    """Refuse what begins as text in another encoding does."""
    for mark, name in _OTHER_ENCODINGS.items():
        if content.startswith(mark):
            raise BadInput(f"{where} is {name}, not UTF-8; save it as UTF-8")


def loads(text: str | bytes, *, infinite: bool = False, parse_float: Callable[[str], Any] | None = None) -> Any:
    """The value of a JSON text; BadJson where it has none, is nested without end, or has a name twice in one object.

    Half of a character, which JSON can spell but no file can hold, becomes a question mark. NaN and numbers beyond
    all bounds are refused, unless `infinite`.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    memtriage.host.inputs.BadJson: the name 'a' stands twice in one object
    """
    with _as_bad_json():
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return _whole_characters(_decoder(infinite, parse_float).decode(text), text)


def load_at(text: str, at: int = 0) -> tuple[Any, int]:
    """The JSON value that begins at a place of a text, as `loads` reads it, and where it ends."""
    with _as_bad_json():
        value, end = _decoder().raw_decode(text, at)
        return _whole_characters(value, text[at:end]), end


@contextmanager
def _as_bad_json() -> Iterator[None]:
    try:
        yield
    except BadJson:
        raise
    except RecursionError:
        raise BadJson("it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise BadJson(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadJson(str(error), unfinished=True) from None
    except ValueError:  # Python's limit on digits
        raise BadJson("it has a number with thousands of digits") from None


@cache
def _decoder(infinite: bool = False, parse_float: Callable[[str], Any] | None = None) -> json.JSONDecoder:
    if infinite:
        return json.JSONDecoder(object_pairs_hook=_object, parse_float=parse_float)
    return json.JSONDecoder(object_pairs_hook=_object, parse_float=parse_float or _finite, parse_constant=_no_constant)


def _whole_characters(value: Any, text: str) -> Any:
    """The value of a JSON text with a question mark for every half of a character."""
    if "\\u" not in text:
        return value
    plain = json.dumps(value, ensure_ascii=False, default=str)
    try:
        plain.encode()
    except UnicodeEncodeError:
        return json.loads(plain.encode("utf-8", "replace"))
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise BadJson(f"the name {twice!r} stands twice in one object")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadJson(f"the number {text[:40]} is beyond all bounds")
    return number


def _no_constant(name: str) -> float:
    raise BadJson(f"{name} is no JSON value")


def _line(path: Path, file: BufferedReader) -> bytes:
    try:
        line = file.readline(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror or error}") from error
    if len(line) > LARGEST:
        raise BadInput(f"{path} has a line of more than {LARGEST >> 20} MB; check that it is the right file")
    return line
