"""How systems are saved: what one holds, with the settings it was filled under, as JSON in a directory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput

FILE = "memory.json"
UNREADABLE = (OSError, ValueError, KeyError, TypeError)


def write(path: Path, settings: Mapping[str, object], **kept: Any) -> None:
    """Write what a system holds into a directory, as JSON."""
    path.mkdir(parents=True, exist_ok=True)
    (path / FILE).write_text(json.dumps({"settings": settings, **kept}), encoding="ascii")


def read(path: Path, settings: Mapping[str, object], *parts: str) -> list[Any]:
    """These parts of what `write` wrote; a system with other settings is refused."""
    try:
        record = json.loads((path / FILE).read_text(encoding="ascii"))
        saved, found = record["settings"], [record[part] for part in parts]
    except UNREADABLE as error:
        raise not_saved(path, error) from error
    refuse_other_settings(path, saved, settings)
    return found


def refuse_other_settings(path: Path, saved: object, settings: Mapping[str, object]) -> None:
    """Refuse what was saved under other settings."""
    if saved != settings:
        raise BadInput(f"{path} was saved by {saved}, which is not {settings}; build the system with the same settings")


def not_saved(path: Path, error: Exception) -> BadInput:
    """The error for a directory in which no system was saved."""
    return BadInput(f"{path} holds no saved memory system: {error}")


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Turn errors in reading what was saved into one that says it is damaged."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> BadInput:
    """The error for saved files that are no longer whole."""
    return BadInput(f"{path} is damaged: {type(error).__name__}: {error}")


def texts(value: object) -> tuple[str, ...]:
    """A saved list of texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{value!r} is not a list of texts")
    return tuple(value)
