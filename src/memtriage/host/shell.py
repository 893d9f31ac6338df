"""Words of commands that are printed for a user to paste into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path


def shell_word(text: str | Path) -> str:
    """A text or a path as one word for a shell, without characters that a terminal acts on or hides.

    >>> print(shell_word("proc:touch x"), shell_word("a\\x1b[2Jb"))
    'proc:touch x' $'a\\x1b[2Jb'
    """
    text = str(text)
    if text.isprintable():
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(each if each.isprintable() else _escaped(ord(each)) for each in plain) + "'"


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
