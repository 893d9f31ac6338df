"""The seven types of questions, each with its evidence statements and a gold answer worked out from their values.

>>> from random import Random
>>> seed = draw_outline("multi-session", Random(3), set())
>>> seed.type, len(seed.statements) > 1
('multi-session', True)
>>> [type for type, abstention in type_mixture(500)].count("single-session-user")
70
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.ask_facts import assistant_seed, preference_seed, update_seed, user_seed
from memtriage.suites.longmemeval.ask_sums import several_seed
from memtriage.suites.longmemeval.ask_times import time_seed
from memtriage.suites.longmemeval.outline import Outline
from memtriage.suites.longmemeval.question import TYPES, QuestionType

PER_500: dict[tuple[QuestionType, bool], int] = {
    ("single-session-user", False): 64,
    ("single-session-user", True): 6,
    ("single-session-assistant", False): 56,
    ("single-session-preference", False): 30,
    ("multi-session", False): 121,
    ("multi-session", True): 12,
    ("knowledge-update", False): 72,
    ("knowledge-update", True): 6,
    ("temporal-reasoning", False): 127,
    ("temporal-reasoning", True): 6,
}
"""How many questions of each type the paper's 500 hold, without and with a false premise."""

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


def type_mixture(n: int, seed: int = 0) -> list[tuple[QuestionType, bool]]:
    """So many types, each with whether its premise is false, in the paper's proportions and in mixed order."""
    if n < 0:
        raise BadInput(f"the number of questions can't be negative: {n}")
    exact = {kind: n * share / 500 for kind, share in PER_500.items()}
    counts = {kind: int(share) for kind, share in exact.items()}
    most_missing = sorted(PER_500, key=lambda kind: counts[kind] - exact[kind])
    for kind in most_missing[: n - sum(counts.values())]:
        counts[kind] += 1
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    Random(f"longmemeval:mixture:{seed}").shuffle(kinds)
    return kinds
