"""Read parts of a model's reply; whatever is malformed is skipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtriage.core.episode import Turn
from memtriage.text.words import well_formed


def records(data: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The objects that a reply lists under a key; anything else in the list is skipped."""
    listed = data.get(key)
    if isinstance(listed, list):
        yield from (item for item in listed if isinstance(item, Mapping))


def line(record: Mapping[str, Any], key: str) -> str:
    """A text of a reply on one line; empty if it isn't a text."""
    value = record.get(key)
    return " ".join(well_formed(value).split()) if isinstance(value, str) else ""


def lines(record: Mapping[str, Any], key: str, most: int = 12) -> tuple[str, ...]:
    """Short texts of a reply, each once."""
    listed = record.get(key)
    texts = (line({"it": each}, "it") for each in listed) if isinstance(listed, list) else ()
    return tuple(dict.fromkeys(text for text in texts if text))[:most]


def number(record: Mapping[str, Any], key: str, most: int) -> int | None:
    """A number that was shown to the model (from 1 on); None for one it made up."""
    value = record.get(key)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 1 <= value <= most else None  # type: ignore[operator]


def numbers(record: Mapping[str, Any], key: str, most: int) -> tuple[int, ...]:
    """The numbers of a list that were shown to the model, each once."""
    listed = record.get(key)
    found = (number({"it": each}, "it", most) for each in listed) if isinstance(listed, list) else ()
    return tuple(dict.fromkeys(n for n in found if n is not None))


def sources(record: Mapping[str, Any], turns: Sequence[Turn]) -> tuple[str, ...]:
    """The ids of the turns that a reply names; all of the session's where it names none of them."""
    named = numbers(record, "turns", len(turns))
    return tuple(turns[n - 1].id for n in named) or tuple(turn.id for turn in turns)
