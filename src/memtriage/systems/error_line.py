"""An error of a memory system in one line, with the place in the system's own code where it was raised."""

from __future__ import annotations

from memtriage.core.errors import MemtriageError
from memtriage.host.masks import mask
from memtriage.systems.remote.side.memtriage_adapter import place_of
from memtriage.text.words import well_formed


def error_line(error: BaseException) -> str:
    """An error in one line, as it reads after "raised": `KeyError: 0, at my_memory.py:12 in retrieve_memories`."""
    kind = "an error" if isinstance(error, MemtriageError) else type(error).__name__  # our names say nothing to users
    text = _text(error)
    return _placed(f"{kind}: {text}" if text else kind, error)


def error_text(error: MemtriageError) -> str:
    """What an error of ours says, in one line."""
    return _placed(_text(error), error)


def _text(error: BaseException) -> str:
    return mask(well_formed(" ".join(str(error).split())))[:300]  # masked first: half a key is not known as one


def _placed(line: str, error: BaseException) -> str:
    place = mask(well_formed(place_of(error)))
    return f"{line}, at {place}" if place and place not in line else line
