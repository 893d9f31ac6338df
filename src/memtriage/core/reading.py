"""How a model reads retrieved memories: directly or by taking notes first, as plain text or as JSON, with dates or not.

The four readings are those of the LongMemEval paper. A system may ask for one; a run may set one for all systems that
don't. Whether memories are shown with their dates is the suite's to say; `dates` or `nodates`, alone or after a `+` as
in `con+nodates`, says otherwise.
"""

from __future__ import annotations

from typing import Literal, get_args

from memtriage.core.errors import BadInput, unknown

Reading = Literal["direct", "con", "direct-json", "con-json"]
"""With `con` (chain of note) the model takes notes on each memory first; `-json` shows memories as JSON, not text."""

READINGS: tuple[Reading, ...] = get_args(Reading)

_DATES = {"dates": True, "nodates": False}


def reading_of(text: object, where: str = "--reading") -> Reading | None:
    """The reading that a text names; None (the usual prompt) if it names none.

    >>> reading_of("con-json"), reading_of("con+nodates"), reading_of("dates")
    ('con-json', 'con', None)
    """
    return _parts(text, where)[0]


def dates_of(text: object, where: str = "--reading") -> bool | None:
    """Whether a text wants memories to be shown with their dates; None if it doesn't say.

    >>> dates_of("dates"), dates_of("con+nodates"), dates_of("con-json")
    (True, False, None)
    """
    return _parts(text, where)[1]


def _parts(text: object, where: str) -> tuple[Reading | None, bool | None]:
    chosen: Reading | None = None
    dates: bool | None = None
    for part in str(text or "").split("+") if text else ():
        named = next((reading for reading in READINGS if part == reading), None)
        if named is None and part not in _DATES:
            raise BadInput(f"{where}: {unknown('reading', part, (*READINGS, *_DATES))}")
        if (chosen if named else dates) is not None:
            raise BadInput(f"{where}: {text!r} names two readings; one may be followed by +dates or +nodates")
        chosen, dates = (named, dates) if named else (chosen, _DATES[part])
    return chosen, dates
