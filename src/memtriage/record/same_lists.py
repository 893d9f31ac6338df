"""Long lists of retrieved memories, written once: a line with the same list names the line that has it.

A system that brings back its whole store does so for every question, so a list that is that of an earlier trace of the
store, or of an earlier verdict on it, is written as the byte at which that line starts: `"retrieved":8123`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memtriage.core.trace import Retrieved

MANY = 20
"""Shorter lists are written out."""

_LISTS = TypeAdapter(tuple[Retrieved, ...])
_END = re.compile(rb',"retrieved":(\d{1,18}),"seal":"[0-9a-f]{8}"\}\n\Z')
_END_LENGTH = 60

List = tuple[Retrieved, ...]


class WrittenList:
    """The long list that was written last, and where."""

    def __init__(self) -> None:
        self._list: List = ()
        self._start = 0

    def place_of(self, retrieved: List) -> int | None:
        """The line that has this list already; None if the list is short, or another one."""
        return self._start if len(retrieved) >= MANY and retrieved == self._list else None

    def wrote(self, retrieved: List, start: int) -> None:
        """Note a list that was written out in the line that starts here."""
        if len(retrieved) >= MANY:
            self._list, self._start = retrieved, start


def with_place(line: bytes, place: int) -> bytes:
    """A JSON object without its list, `}` last, with the place of that list in its stead."""
    return b'%s,"retrieved":%d}' % (line[:-1], place)


def place_in(line: bytes) -> tuple[bytes, int] | None:
    """A sealed line without its place of a list, and that place; None if its list is its own."""
    found = _END.search(line, max(len(line) - _END_LENGTH, 0))
    return (line[: found.start()] + b"}", int(found[1])) if found else None


def list_in(content: Mapping[str, Any]) -> List:
    """The list of a line that has one of its own; ValueError if it has none."""
    found = content.get("retrieved")
    if not isinstance(found, list | tuple):
        raise ValueError("the line that it names has no list of memories")
    try:
        return _LISTS.validate_python(found)
    except ValidationError as error:
        raise ValueError(f"the list of memories that it names can't be read: {error.errors()[0]['msg']}") from error
