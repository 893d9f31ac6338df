"""How memories are laid out for the model that answers; where a reading asks for it, in the order of their time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtriage.core.reading import Reading, reading_of
from memtriage.record.directory import storings

NOTES_ROOM = 800
"""The most tokens that notes and answer may take together, as in the paper."""


def takes_notes(reading: Reading | None) -> bool:
    """Whether notes come before the answer."""
    return reading in ("con", "con-json")


def in_plain_text(reading: Reading | None) -> bool:
    """Whether memories are shown as text rather than as JSON."""
    return reading in ("direct", "con")


def readings(manifest: Mapping[str, Any], default: Reading | None = None) -> dict[str, Reading | None]:
    """How each storing of a run is read: as its system asks for, else as the run does."""
    names = storings(manifest)
    return {
        name: reading_of(recorded.get("reading"), f"system {recorded['label']!r}") or default
        for recorded in manifest["systems"] or ()
        for name in names[recorded["label"]]
    }


@dataclass(frozen=True, slots=True)
class Item:
    """One memory as it is shown: its content key, its text and, where that tells anything, its date."""

    key: str
    text: str
    date: str | None = None


def laid_out(
    memories: Sequence[tuple[str, str]],
    reading: Reading | None,
    dates: Mapping[str, str | None] | None = None,
    asked_at: str | None = None,
) -> list[Item]:
    """The memories (key and text each) as they are shown: by time where a reading asks for it, else as they come.

    A date is shown only beside that of the question, which it is to be compared with, and only where it is no later:
    what a library dates by its own clock has nothing to do with the conversation. Undated memories stand last.
    """
    now = moment(asked_at)
    times = {key: moment((dates or {}).get(key)) for key, _ in memories}
    if reading is not None:
        memories = sorted(memories, key=lambda memory: times[memory[0]] or datetime.max)
    items = []
    for key, text in memories:
        at = times[key]
        shown = now is not None and at is not None and at <= now
        items.append(Item(key, text, day(at) if shown and at is not None else None))
    return items


def moment(text: object) -> datetime | None:
    """A time as ISO 8601 writes it, to the minute, by the clock of its zone; None where it is none.

    >>> moment("2023-05-30T23:40:00Z")
    datetime.datetime(2023, 5, 30, 23, 40)
    """
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at and at.replace(second=0, microsecond=0, tzinfo=None)


def day(at: datetime) -> str:
    """A time as readers see it, the day of the week included.

    >>> day(datetime(2023, 5, 30, 23, 40))
    '2023-05-30 (Tue) 23:40'
    """
    return f"{at:%Y-%m-%d} ({_DAYS[at.weekday()]}) {at:%H:%M}"


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""Spelled out, so that a prompt is the same in every locale."""
