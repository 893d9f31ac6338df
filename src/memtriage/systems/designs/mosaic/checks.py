"""What may be given to a memory; anything else is refused in one sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any, get_args

from memtriage.core.errors import BadInput
from memtriage.systems.designs.mosaic.records import Entry, Role
from memtriage.systems.designs.rules.dates import day

ROLES: tuple[str, ...] = get_args(Role)


def checked(entry: Entry) -> Entry:
    """An entry as it is kept, with its time as text."""
    if not isinstance(entry, Entry):
        raise BadInput(f"an entry has to be an Entry, not {_kind(entry)}")
    text(entry.text, "text")
    for name in ("id", "session"):
        text(getattr(entry, name), name, blank=True)
    if entry.role not in ROLES:
        raise BadInput(f"role has to be {' or '.join(map(repr, ROLES))}, not {entry.role!r}")
    return replace(entry, at=moment(entry.at))


def text(value: Any, name: str, blank: bool = False) -> str:
    """A text, which has to say something unless told otherwise."""
    if not isinstance(value, str):
        raise BadInput(f"{name} has to be text, not {_kind(value)}")
    if not blank and not value.strip():
        raise BadInput(f"{name} is blank; say something in it")
    return value


def moment(at: Any) -> str | None:
    """A time as text: a date, a datetime, or a text that begins with a day."""
    if isinstance(at, date):  # a datetime is one too
        return at.isoformat()
    if at is None or (isinstance(at, str) and day(at) is not None):
        return at
    shown = repr(at) if isinstance(at, str) else _kind(at)
    raise BadInput(f"at names no day: {shown}; give a date, a datetime, or a text such as 2026-03-01T09:30")


def number(value: Any, name: str, least: int) -> int:
    """A whole number that isn't too small."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        shown = value if isinstance(value, int | float) else _kind(value)
        raise BadInput(f"{name} has to be a whole number from {least} on, not {shown}")
    return value


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
