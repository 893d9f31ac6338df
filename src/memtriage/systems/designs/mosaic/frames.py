"""What a statement gives a value: two of the same frame are about the same thing, and the later one replaces it."""

from __future__ import annotations

import re

from memtriage.systems.designs.mosaic.statements import MOST_LETTERS, Statement, stems, thing

ABOUT_OTHERS, _ABOUT_SELF = "others", "self"
_LEAD = re.compile(r"^(?:\W*\d+[.)]\s+|[^—–:]{0,40}(?:[—–]|:)\s+)")
_WORD = r"[A-Z0-9#]\S*"
_LINK = r"\b(?:is|are|was|were|by|of|in|at|to|with|for|from|a|an|the)\s+"
_VALUE = re.compile(rf"^(?P<frame>.+?{_LINK}){_WORD}(?:\s+(?:(?:of|the|and|de|von)\s+)?{_WORD})*$")
_PLAIN_VALUE = re.compile(rf"^(?P<frame>.+{_LINK})(?:\S+\s+){{0,3}}\S+$")
_ME = re.compile(r"\bI\b|\b(?:my|me|we|our|us)\b|^(?:My|We|Our)\b")
_LASTS = re.compile(
    r"\b(?:is|are|was|were)\b|\bof\s+(?:the\s+)?$|\b(?:[a-z]+[a-rt-z]s|moved)\s+(?:by|in|at|to|with|for|from)\s+(?:(?:a|an|the)\s+)?$"
)
"""How something begins that lasts until it changes. What somebody once did stays done, whatever they do next."""


def _frame(statement: Statement) -> tuple[str, ...] | None:
    """What a statement says without its value, which ends it; None where it has no such form.

    Others' facts are only known by a name in them. What the speaker says of themselves has to be a report of a change,
    as people have several hobbies.
    """
    text = _LEAD.sub("", statement.text).rstrip(".! ")
    if len(text) > MOST_LETTERS:
        return None
    found = _VALUE.match(text)
    if found and _ME.search(found["frame"]):
        words = stems(found["frame"])
        return (_ABOUT_SELF, *words) if words else None
    found = found or _PLAIN_VALUE.match(text)
    if found is None or _ME.search(text) or not _LASTS.search(found["frame"]):
        return None
    words = stems(found["frame"])
    return (
        (ABOUT_OTHERS, *words) if len(words) > 1 and re.search(r"[A-Z]", found["frame"].removeprefix("The ")) else None
    )


def frame_of(statement: Statement) -> tuple[str, ...] | None:
    """What a statement gives a value, by its form or as a model names it; None where it has no such form."""
    return _frame(statement) if statement.told is None else (_ABOUT_SELF, thing_of(statement))


def thing_of(statement: Statement) -> str:
    """The thing that a statement gives a value, as a model names it; empty where none did."""
    return thing(statement.told.category, statement.told.subject) if statement.told else ""
