"""How large the tables of the papers are, and about what they cost, without running anything.

`papers/sizes.json` has the size of every trial, measured on generated data by `tools/exhibit_sizes.py`. `--dry-run`
works out the cost for the systems and models at hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TypedDict

from memtriage.core.amount import K, token_budget
from memtriage.core.chat import Tokens
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec
from memtriage.studies.exhibits import Exhibit, Runs, Trial
from memtriage.studies.papers import exhibits

PRICED_AT = "openai/gpt-4.1-mini"
"""The model that answers and judges in the estimates."""

_INSTRUCTIONS = 300
_ANSWER = 80
_JUDGED = Tokens(600, 60)
_NONE = "–"


class Size(TypedDict):
    """What a trial stores and asks in one cell of its grid, for each system."""

    episodes: int
    turns: int
    tokens: int
    questions: int


@cache
def _sizes() -> dict[str, Size]:
    text = files("memtriage.studies.papers").joinpath("sizes.json").read_text("utf-8")
    found: dict[str, Size] = json.loads(text)
    return found


def sizes() -> Iterator[tuple[Exhibit, str, str, str]]:
    """Every exhibit with what it needs, its size and its estimated cost, in words."""
    for exhibit in exhibits().values():
        if isinstance(exhibit.source, Runs):
            yield exhibit, exhibit.needs, _size_text(exhibit.source), _cost_text(exhibit.source)
        else:
            yield exhibit, exhibit.needs, _NONE, _NONE


def _size_text(source: Runs) -> str:
    found = [(trial, _sizes()[trial.id]) for trial in source.trials if trial.id in _sizes()]
    if not found:
        return _NONE
    questions = sum(size["questions"] * _cells(trial) * len(trial.k) for trial, size in found)
    tokens = sum(size["tokens"] * _cells(trial) for trial, size in found)
    return f"{questions:,} questions, {_short(tokens)} tokens"


def _cost_text(source: Runs) -> str:
    known = [_dollars(trial, _sizes()[trial.id]) for trial in source.trials if trial.id in _sizes()]
    dollars = sum((one for one in known if one is not None), Decimal(0))
    return f"${dollars:.2f} a system" if known and None not in known else _NONE


def _dollars(trial: Trial, size: Size) -> Decimal | None:
    """What answering and judging all questions of a trial costs, for one system."""
    spec = ModelSpec.parse(PRICED_AT)
    whole = Decimal(0)
    for k in trial.k:
        read = price(spec, Tokens(_INSTRUCTIONS + _context(k, size), _ANSWER))
        judged = price(spec, _JUDGED)
        if read is None or judged is None:
            return None
        whole += size["questions"] * _cells(trial) * (read + judged)
    return whole


def _context(k: K, size: Size) -> int:
    """About how many tokens come back for a question, turn by turn."""
    most = size["tokens"] // max(1, size["episodes"])
    if isinstance(k, int):
        return min(most, k * size["tokens"] // max(1, size["turns"]))
    return min(most, token_budget(k) or most)


def _cells(trial: Trial) -> int:
    return math.prod(len(values) for values in trial.vary.values())


def _short(number: int) -> str:
    """A large number in short.

    >>> _short(3_540_000), _short(81_000), _short(950)
    ('3.5M', '81k', '950')
    """
    if number >= 1e6:
        return f"{number / 1e6:.1f}M" if number < 1e7 else f"{number / 1e6:.0f}M"
    return f"{number / 1e3:.0f}k" if number >= 1e3 else str(number)
