"""Which of several memories to trust with a question, told by what they bring back.

A plan is fitted to questions of which it is known who brought back what was needed. It looks at nothing but the
question and the memories that came back, so it needs no model and knows no task.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from memtriage.core.errors import BadInput
from memtriage.host.inputs import read_text
from memtriage.text.words import is_number, words

FUSED = "fused"
"""The choice of no single member: all of them, fused."""

_PENALTY = 4.0
"""How strongly weights are drawn to zero; few questions must not make a bold plan."""

_GIVE = 0.01
"""The chance of success that fewer memories may cost."""

_STEPS = 50

Floats = NDArray[np.float64]


@checked(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class Choice:
    """A member, or all of them fused, and how many memories to take; its weights tell how likely these suffice."""

    name: str
    size: int
    bias: float
    weights: tuple[float, ...]


@checked(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class Plan:
    """Whom to choose, and how much to take. `means` and `spreads` put what is looked at on one scale."""

    members: tuple[str, ...]
    k: int
    means: tuple[float, ...]
    spreads: tuple[float, ...]
    choices: tuple[Choice, ...]
    schema: Literal["memtriage.plan/1"] = "memtriage.plan/1"

    @classmethod
    def fit(
        cls, members: Sequence[str], seen: Sequence[Sequence[float]], right: Mapping[tuple[str, int], Floats]
    ) -> Self:
        """The plan for questions with these looks; `right` says of each choice and size on which ones it sufficed."""
        looks = np.asarray(seen, dtype=np.float64)
        means, spreads = looks.mean(axis=0), looks.std(axis=0)
        spreads[spreads < 1e-9] = 1.0
        scaled = (looks - means) / spreads
        fitted = {choice: _logistic(scaled, outcome) for choice, outcome in right.items()}
        choices = tuple(Choice(*choice, bias, tuple(weights.tolist())) for choice, (bias, weights) in fitted.items())
        k = max(size for _, size in right)
        return cls(tuple(members), k, tuple(means.tolist()), tuple(spreads.tolist()), choices)

    def choose(self, looks: Sequence[float], k: int | None = None) -> Choice:
        """The fewest memories that suffice about as likely as any, out of k; of equals, the likelier."""
        scaled = (np.asarray(looks) - np.asarray(self.means)) / np.asarray(self.spreads)
        open = [choice for choice in self.choices if k is None or choice.size <= k] or self._smallest()
        likely = [_likely(choice.bias + scaled @ np.asarray(choice.weights)) for choice in open]
        enough = max(likely) - _GIVE
        return min(
            (choice for choice, chance in zip(open, likely, strict=True) if chance >= enough),
            key=lambda choice: (choice.size, -likely[open.index(choice)]),
        )

    def _smallest(self) -> list[Choice]:
        least = min(choice.size for choice in self.choices)
        return [choice for choice in self.choices if choice.size == least]

    @property
    def digest(self) -> str:
        """What the plan says, in short."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Plan:
        """A plan from a file that `memtriage tune` wrote."""
        try:
            plan = _PLAN.validate_json(read_text(path))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise BadInput(f"{path} is no plan of `memtriage tune`: {where}: {first['msg']}; tune again") from None
        looks = len(looked_at("", [()] * len(plan.members)))
        if len(plan.means) != looks or any(len(part) != looks for part in plan._vectors()):
            raise BadInput(f"{path} was made by another version of memtriage; tune again")
        numbers = (*plan.means, *plan.spreads, *(n for each in plan.choices for n in (each.bias, *each.weights)))
        if not plan.choices or plan.k < 1 or not all(map(math.isfinite, numbers)) or min(plan.spreads) <= 0:
            raise BadInput(f"{path} holds numbers that no plan has; tune again")
        strangers = {each.name for each in plan.choices} - {*plan.members, FUSED}
        if strangers or any(each.size < 1 for each in plan.choices):
            raise BadInput(f"{path} chooses what its members don't have; tune again")
        return plan

    def _vectors(self) -> list[tuple[float, ...]]:
        return [self.spreads, *(choice.weights for choice in self.choices)]


_PLAN = TypeAdapter(Plan)


def refuse_to_replace(path: Path) -> None:
    """Refuse a place for a plan where there is something else."""
    if path.exists():
        try:
            Plan.read(path)
        except BadInput as error:
            raise BadInput(f"{path} is there already and is no plan; name another --plan") from error


def looked_at(question: str, brought: Sequence[Sequence[str]]) -> list[float]:
    """What a plan looks at: how the question's words are covered by what each member brought, and how far they agree.

    >>> [round(each, 2) for each in looked_at("Where is the red key?", [["The key is blue."], ["The red key hangs."]])]
    [0.69, 0.0, 0.5, 0.5, 1.1, 1.0, 1.0, 1.0, 1.39, 1.0, 0.0]
    """
    asked = set(words(question).stems)
    values = [math.log1p(len(asked)), float(any(map(is_number, asked)))]
    for texts in brought:
        stems = [frozenset(words(text).stems) for text in texts]
        every = frozenset().union(*stems)
        total = sum(map(len, stems))
        values += [
            _share(asked & stems[0], asked) if stems else 0.0,
            _share(asked & every, asked),
            math.log1p(total / len(stems)) if stems else 0.0,
            len(every) / total if total else 0.0,
        ]
    values += [_share(set(one) & set(two), set(one) | set(two)) for one, two in combinations(brought, 2)]
    return values


def _share(part: set[str] | frozenset[str], whole: set[str]) -> float:
    return len(part) / len(whole) if whole else 0.0


def _likely(score: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(score, -30, 30)))


def _logistic(scaled: Floats, outcome: Floats) -> tuple[float, Floats]:
    """Logistic regression with a penalty on the weights, not on the bias, by Newton's method."""
    design = np.hstack([np.ones((len(scaled), 1)), scaled])
    penalty = np.full(design.shape[1], _PENALTY)
    penalty[0] = 1e-3  # where everybody is right, the bias must still end somewhere
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        likely = _likely(design @ weights)
        slope = design.T @ (outcome - likely) - penalty * weights
        curve = (design.T * (likely * (1 - likely))) @ design + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return float(weights[0]), weights[1:]
