"""How a model reads retrieved memories: directly or by taking notes first, as plain text or as JSON.

These are the reading strategies of the LongMemEval paper. A system may ask for one; a run may set one for all systems
that don't.
"""

from __future__ import annotations

from typing import Literal, get_args

from memtriage.core.errors import BadInput, unknown

Reading = Literal["direct", "con", "direct-json", "con-json"]
"""With `con` (chain of note) the model takes notes on each memory first; `-json` shows memories as JSON, not text."""

READINGS: tuple[Reading, ...] = get_args(Reading)


def reading_of(text: object, where: str = "--reading") -> Reading | None:
    """The reading that a text names; None (the usual prompt) if it is empty.

    >>> reading_of("con-json")
    'con-json'
    """
    if text is None or text == "":
        return None
    for reading in READINGS:
        if text == reading:
            return reading
    raise BadInput(f"{where}: {unknown('reading', str(text), READINGS)}")
