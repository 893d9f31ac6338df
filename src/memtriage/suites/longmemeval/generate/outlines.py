"""The seven types of questions, each with its evidence statements and a gold answer worked out from their values.

>>> from random import Random
>>> seed = draw_outline("multi-session", Random(3), set())
>>> seed.type, len(seed.statements) > 1
('multi-session', True)
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.generate.facts import assistant_seed, preference_seed, update_seed, user_seed
from memtriage.suites.longmemeval.generate.sums import several_seed
from memtriage.suites.longmemeval.generate.times import time_seed
from memtriage.suites.longmemeval.outline import Outline
from memtriage.suites.longmemeval.question import PER_500, TYPES

_MAKERS: dict[str, Callable[[Random, set[str], bool], Outline]] = {
    "single-session-user": user_seed,
    "single-session-assistant": assistant_seed,
    "single-session-preference": preference_seed,
    "multi-session": several_seed,
    "knowledge-update": update_seed,
    "temporal-reasoning": time_seed,
}


def draw_outline(type: str, rng: Random, used: set[str] | None = None, abstention: bool = False) -> Outline:
    """A new question of a type; `used` remembers what has been asked, so that it comes again only when all has."""
    if type not in _MAKERS:
        raise BadInput(f"unknown question type {type!r}; there are {', '.join(TYPES)}")
    if abstention and (type, True) not in PER_500:
        raise BadInput(f"there are no false premises for {type}")
    return _MAKERS[type](rng, set() if used is None else used, abstention)
