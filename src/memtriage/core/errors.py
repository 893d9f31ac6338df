"""Errors a user can act on: what was wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MemtriageError(Exception):
    """A problem with the user's input or environment; printed as one message, never as a traceback."""


class BadInput(MemtriageError):
    """A file, row, column or argument that can't be used as it is."""


class BadSystem(MemtriageError):
    """A memory system that doesn't fit the interface, or returned something that isn't memories."""


class StoreLost(BadSystem):
    """A store that is lost with everything in it: its process died, hung or sent garbage."""


class TookTooLong(BadSystem):
    """A call of a memory system that did not come back in time; nothing more can be asked of its store."""


class BadRun(MemtriageError):
    """A run directory that can't be read, continued or compared."""


def install_extra(extra: str) -> str:
    """The command that installs what an optional part of memtriage needs; there is no package in a registry.

    >>> install_extra("view")
    "pip install '.[view]' in memtriage's checkout"
    """
    return f"pip install '.[{extra}]' in memtriage's checkout"


def chosen(kind: str, name: str, known: Iterable[str]) -> str:
    """The one that a name stands for: itself, or the only class from a file that is called so, as tables shorten it.

    >>> chosen("--system", "Mine", ["bm25", "my_memory.py:Mine"])
    'my_memory.py:Mine'
    """
    names = list(dict.fromkeys(known))
    if name in names:
        return name
    short = [full for full in names if full.endswith(f":{name}")]
    if len(short) != 1:
        raise BadInput(unknown(kind, name, names))
    return short[0]


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The message for an unknown name, with the nearest one that exists.

    >>> unknown("suite", "memfial", ["memfail"])
    "unknown suite 'memfial'; did you mean 'memfail'? (known: memfail)"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown {kind} {name!r}{hint} (known: {', '.join(names) or 'none'})"
