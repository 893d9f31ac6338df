"""Reads what a rewritten memory does with a fact: states it, alters it or lacks it, and how sure that is.

The comparison of the two gives some hundred numbers; boosted trees turn them into chances. The trees were grown on
pairs of facts and rewritten memories labelled one by one; `benchmarks/reader.py` grows them again, and tests them on
pairs they never saw.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from memtriage.diagnose.lexical.comparison import Comparison, compare
from memtriage.diagnose.lexical.statement import Statement
from memtriage.text.language import english

Label = Literal["states", "alters", "lacks"]
LABELS: tuple[Label, ...] = get_args(Label)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a memory may do with a fact: the chance of each label, and the comparison they come from."""

    chances: Mapping[Label, float]
    comparison: Comparison

    @property
    def label(self) -> Label:
        """What the memory most likely does."""
        return max(LABELS, key=lambda label: self.chances[label])

    @property
    def confidence(self) -> float:
        """How likely the label is."""
        return self.chances[self.label]


def read(fact: Statement, memory: Statement) -> Reading:
    """What a memory does with a fact."""
    comparison = compare(fact, memory, MEANING)
    chances = _forest().chances([comparison.features])[0]
    return Reading(dict(zip(LABELS, chances.tolist(), strict=True)), comparison)


class WordMeaning:
    """Closeness of meaning by static word vectors."""

    def likeness(self, words: Sequence[str], others: Sequence[str]) -> Sequence[float]:
        """For each word, how close the closest of the others is; there must be others."""
        theirs = np.stack([_vector(english(word.lower())) for word in others])
        return [float(np.clip((theirs @ _vector(english(word.lower()))).max(), 0, 1)) for word in words]

    def closeness(self, text: str, other: str) -> float:
        """How close two texts are."""
        return float(np.clip(_vector(text.lower()) @ _vector(other.lower()), 0, 1))


MEANING = WordMeaning()


@lru_cache(maxsize=1 << 16)
def _vector(text: str) -> NDArray[np.float32]:
    from memtriage.models.embedders import WordLlamaEmbedder, normalised

    found: NDArray[np.float32] = normalised(WordLlamaEmbedder().embed([text]))[0]
    return found


@dataclass(frozen=True, slots=True)
class _Forest:
    """Boosted trees, all nodes in one table: feature, threshold, children and value; a leaf is its own child."""

    names: tuple[str, ...]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    roots: NDArray[np.int32]
    label_of: NDArray[np.int32]
    start: NDArray[np.float32]
    depth: int

    def chances(self, features: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """The chance of each label, a row for each comparison's features."""
        table = np.array([[f[name] for name in self.names] for f in features], dtype=np.float32)
        at = np.broadcast_to(self.roots, (len(table), len(self.roots))).copy()
        rows = np.arange(len(table))[:, None]
        for _ in range(self.depth):
            at = np.where(table[rows, self.feature[at]] <= self.threshold[at], self.left[at], self.right[at])
        scores = np.zeros((len(table), len(LABELS))) + self.start
        for label in range(len(LABELS)):
            scores[:, label] += self.value[at][:, self.label_of == label].sum(axis=1)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
        return shares


def grown_on() -> frozenset[str]:
    """The files of pairs that the trees were grown on, so that nobody takes a result on them for a test."""
    return frozenset(_trees()["grown_on"])


@cache
def _trees() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("memtriage.diagnose.lexical").joinpath("trees.json").read_text("utf-8"))
    return data


@cache
def _forest() -> _Forest:
    data = _trees()
    return _Forest(
        names=tuple(data["features"]),
        feature=np.array(data["feature"], dtype=np.int32),
        threshold=np.array(data["threshold"], dtype=np.float32),
        left=np.array(data["left"], dtype=np.int32),
        right=np.array(data["right"], dtype=np.int32),
        value=np.array(data["value"], dtype=np.float32),
        roots=np.array(data["roots"], dtype=np.int32),
        label_of=np.array(data["label_of"], dtype=np.int32),
        start=np.array(data["start"], dtype=np.float32),
        depth=int(data["depth"]),
    )
