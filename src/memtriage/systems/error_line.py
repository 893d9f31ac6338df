"""An error of a memory system in one line, with the place in the system's own code where it was raised."""

from __future__ import annotations

from memtriage.host.masks import mask
from memtriage.systems.remote.side.memtriage_adapter import place_of
from memtriage.text.words import well_formed


def error_line(error: BaseException) -> str:
    """An error in one line: `KeyError: 0, at my_memory.py:12 in retrieve_memories`."""
    text = mask(well_formed(" ".join(str(error).split())))  # before it is cut: half a key is not known as one
    line = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    place = mask(well_formed(place_of(error)))
    return f"{line}, at {place}" if place and place not in line else line
