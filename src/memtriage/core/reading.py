"""How a model reads what was retrieved: straight away or by taking notes first, as plain text or as JSON.

These are the reading strategies that the LongMemEval paper compares. A system may ask for one, and so may a run for all
systems that don't.
"""

from __future__ import annotations

from typing import Literal, get_args

from memtriage.core.errors import BadInput, unknown

Reading = Literal["direct", "con", "direct-json", "con-json"]
"""`con` (chain of note) takes notes on each memory before it answers; `-json` shows memories as JSON, else as text."""

READINGS: tuple[Reading, ...] = get_args(Reading)


def reading_of(text: object, where: str = "--reading") -> Reading | None:
    """The reading that a text names; none is the usual prompt.

    >>> reading_of("con-json")
    'con-json'
    """
    if text is None or text == "":
        return None
    for reading in READINGS:
        if text == reading:
            return reading
    raise BadInput(f"{where}: {unknown('reading', str(text), READINGS)}")
