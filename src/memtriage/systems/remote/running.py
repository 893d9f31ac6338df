"""What systems have running beside this process, and how to end it; importing this costs nothing."""

from __future__ import annotations

from collections.abc import Callable

_ends: list[Callable[[], None]] = []


def add(end: Callable[[], None]) -> None:
    """Have `close_all` call this."""
    _ends.append(end)


def close_all() -> None:
    """End all processes: a short while to say goodbye, then by force. Calls that other threads wait for are lost."""
    for end in _ends:
        end()
