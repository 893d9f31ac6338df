"""The seven types of questions, each drawn with its evidence statements and a gold answer worked out from their values.

>>> from random import Random
>>> outline = draw_outline("multi-session", Random(3), set())
>>> outline.type, len(outline.statements) > 1
('multi-session', True)
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.generate.facts import (
    assistant_outline,
    preference_outline,
    update_outline,
    user_outline,
)
from memtriage.suites.longmemeval.generate.sums import multi_session_outline
from memtriage.suites.longmemeval.generate.times import time_outline
from memtriage.suites.longmemeval.outline import Outline
from memtriage.suites.longmemeval.question import PER_500, TYPES

_DRAW_BY_TYPE: dict[str, Callable[[Random, set[str], bool], Outline]] = {
    "single-session-user": user_outline,
    "single-session-assistant": assistant_outline,
    "single-session-preference": preference_outline,
    "multi-session": multi_session_outline,
    "knowledge-update": update_outline,
    "temporal-reasoning": time_outline,
}


def draw_outline(type: str, rng: Random, used: set[str] | None = None, abstention: bool = False) -> Outline:
    """A new question of a type; `used` remembers what has been asked, so that it comes again only when all has."""
    if type not in _DRAW_BY_TYPE:
        raise BadInput(f"unknown question type {type!r}; there are {', '.join(TYPES)}")
    if abstention and (type, True) not in PER_500:
        raise BadInput(f"there are no false premises for {type}")
    return _DRAW_BY_TYPE[type](rng, set() if used is None else used, abstention)
