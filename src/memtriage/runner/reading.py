"""How memories are shown to the answering model: in which order, and with which dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtriage.core.episode import Episode, Probe
from memtriage.core.reading import Reading, dates_of, reading_of
from memtriage.record.manifest import store_names

NOTES_LIMIT = 800
"""The token limit of notes and answer together, as in the paper."""


def takes_notes(reading: Reading | None) -> bool:
    """Whether the model writes notes before its answer."""
    return reading in ("con", "con-json")


def in_plain_text(reading: Reading | None) -> bool:
    """Whether memories are shown as text rather than as JSON."""
    return reading in ("direct", "con")


def readings(manifest: Mapping[str, Any], default: Reading | None = None) -> dict[str, Reading | None]:
    """How the memories of each store of a run are read: as its system asks, or else the run's default."""
    names = store_names(manifest)
    return {
        name: reading_of(recorded.get("reading"), f"system {recorded['label']!r}") or default
        for recorded in manifest["systems"] or ()
        for name in names[recorded["label"]]
    }


class DatesShown:
    """Which memories of a run are shown with their dates: by suite, unless a system or the run says otherwise."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        names = store_names(manifest)
        run = dates_of((manifest.get("grading") or {}).get("reading"))
        self._tasks: Mapping[str, bool] = manifest.get("dates") or {}
        self._stores: dict[str, bool | None] = {}
        for recorded in manifest["systems"] or ():
            own = dates_of(recorded.get("reading"), f"system {recorded['label']!r}")
            self._stores |= dict.fromkeys(names[recorded["label"]], run if own is None else own)

    def until(self, store: str, episode: Episode, probe: Probe) -> str | None:
        """The latest date that a memory is shown with for this question; None if none is.

        That is the day on which it is asked or, if nobody knows it, that of the newest session told by then: a library
        may date memories by its own clock, which says nothing about the conversation.
        """
        chosen = self._stores.get(store)
        if not (self._tasks.get(episode.task, probe.asked_at is not None) if chosen is None else chosen):
            return None
        return probe.asked_at or _newest(episode, probe.after)


def _newest(episode: Episode, after: str | None) -> str | None:
    """The date of the newest session up to this one."""
    newest: tuple[datetime, str] | None = None
    for session in episode.sessions:
        if session.timestamp and (at := parse_time(session.timestamp)):
            newest = max(newest or (at, session.timestamp), (at, session.timestamp))
        if session.id == after:
            break
    return newest and newest[1]


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """One memory as it is shown: its content key, its text and, where useful, its date."""

    key: str
    text: str
    date: str | None = None


def arrange(
    memories: Sequence[tuple[str, str]],
    reading: Reading | None,
    dates: Mapping[str, str | None] | None = None,
    until: str | None = None,
) -> list[ShownMemory]:
    """The memories (key and text each) as they are shown: by time with a reading, otherwise in the given order.

    Dates are shown up to `until`, and none at all without it. Undated memories come last.
    """
    latest = parse_time(until)
    times = {key: parse_time((dates or {}).get(key)) for key, _ in memories}
    if reading is not None:
        memories = sorted(memories, key=lambda memory: times[memory[0]] or datetime.max)
    items = []
    for key, text in memories:
        at = times[key]
        shown = latest is not None and at is not None and at <= latest
        items.append(ShownMemory(key, text, day_text(at) if shown and at is not None else None))
    return items


def parse_time(text: object) -> datetime | None:
    """An ISO 8601 time, to the minute and without its zone; None for anything else.

    >>> parse_time("2023-05-30T23:40:00Z")
    datetime.datetime(2023, 5, 30, 23, 40)
    """
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at and at.replace(second=0, microsecond=0, tzinfo=None)


def day_text(at: datetime) -> str:
    """A time for the prompt, with the day of the week.

    >>> day_text(datetime(2023, 5, 30, 23, 40))
    '2023-05-30 (Tue) 23:40'
    """
    return f"{at:%Y-%m-%d} ({_DAYS[at.weekday()]}) {at:%H:%M}"


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""Spelled out, so that a prompt is the same in every locale."""
