"""The memories that were read last: the same ones come back for many questions, and stand in many stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 16 << 20
"""How many characters are kept; beyond, all are let go."""


class KeptMemories:
    """Texts and dates of memories by content key, each read when it is first asked for."""

    def __init__(self, read: Callable[[str], Mapping[str, Any]]) -> None:
        self._read = read
        self._kept: dict[str, tuple[str, str]] = {}
        self._size = 0

    def __call__(self, key: str) -> tuple[str, str]:
        """The text of a memory and when it was created, which may be empty."""
        found = self._kept.get(key)
        if found is None:
            record = self._read(key)
            found = str(record["text"]), record["created_at"] or ""
            self._size += len(found[0])
            if self._size > MOST:
                self.clear()
            self._kept[key] = found
        return found

    def clear(self) -> None:
        self._kept.clear()
        self._size = 0
