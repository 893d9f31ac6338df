"""The texts of memories that were read last: the same ones come back for many questions."""

from __future__ import annotations

from collections.abc import Callable

MOST = 4 << 20
"""How many characters are kept; beyond, all are let go."""


class KeptTexts:
    """Texts by content key, each read when it is first asked for."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self._texts: dict[str, str] = {}
        self._size = 0

    def __call__(self, key: str) -> str:
        text = self._texts.get(key)
        if text is None:
            text = self._read(key)
            self._size += len(text)
            if self._size > MOST:
                self.clear()
            self._texts[key] = text
        return text

    def clear(self) -> None:
        self._texts.clear()
        self._size = 0
