"""LongMemEval's measures of a ranking: recall_any, recall_all and ndcg_any.

A ranking is walked once, for all k. These measures differ from the usual ones:

- the discount of rank r is 1 / log2(r), so that the second rank counts as much as the first;
- at session level a ranking of turns is folded: k counts the different sessions seen so far, while the gain is still
  that of the turns. A session's evidence and its other turns count as two different sessions;
- with nothing to find, recall_any and ndcg_any are 0 and recall_all is 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from memtriage.core.errors import BadInput, unknown

Level = Literal["session", "turn"]
LEVELS: tuple[Level, ...] = get_args(Level)
Metric = Literal["Recall_any", "Recall_all", "NDCG_any"]
METRICS: tuple[Metric, ...] = get_args(Metric)
KS = (1, 3, 5, 10, 30, 50)

T = TypeVar("T", bound=Hashable)
S = TypeVar("S", bound=Hashable)

Item = tuple[Collection[T], Collection[S]]
"""A ranked item: its user turns (there may be none), and the sessions it comes from."""

_Place = tuple[Iterable[Hashable], int]
"""One rank: its ids, and how many relevant things appear there for the first time."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a ranking; `str` gives its name in files and tables.

    >>> str(Measure("session", "Recall_all", 5))
    'session/Recall_all@5'
    >>> Measure.parse("turn/NDCG_any@10")
    Measure(level='turn', kind='NDCG_any', k=10)
    """

    level: Level
    kind: Metric
    k: int

    def __str__(self) -> str:
        return f"{self.level}/{self.kind}@{self.k}"

    @classmethod
    def parse(cls, name: str) -> Measure:
        """The measure with this name."""
        level, _, rest = name.partition("/")
        kind, _, k = rest.partition("@")
        for known_level in LEVELS:
            for known_kind in METRICS:
                if (level, kind) == (known_level, known_kind) and k.isascii() and k.isdigit() and int(k) > 0:
                    return cls(known_level, known_kind, int(k))
        raise BadInput(unknown("measure", name, [str(measure) for measure in ALL]))


ALL = tuple(Measure(level, kind, k) for level in LEVELS for k in KS for kind in METRICS)
"""All measures, in the order in which they are listed."""


class ValuesAtK(NamedTuple):
    """A ranking's measures at one k: whether it has any of the gold, all of it, and how early."""

    recall_any: float
    recall_all: float
    ndcg_any: float


def turn_values(
    ranking: Iterable[T], gold: Collection[T], ks: Iterable[int] = KS, depth: float = math.inf
) -> dict[int, ValuesAtK]:
    """The measures of ranked ids against the gold ones, by k.

    A repeated id takes up a rank, but only counts once. A k beyond the end of the ranking is left out unless it is
    within `depth`: up to there, the ranking is known to be complete.

    >>> turn_values(["b", "a", "c"], {"a"}, ks=[1, 3])[3]
    ValuesAtK(recall_any=1.0, recall_all=1.0, ndcg_any=1.0)
    """
    wanted = set(gold)
    left = set(wanted)
    places = (((id,), _take((id,), left) if id in left else 0) for id in ranking)
    return _walk(places, wanted, len(wanted), ks, depth, fold=False)


def session_values(
    ranking: Iterable[Item[T, S]],
    gold: Mapping[T, S],
    ks: Iterable[int] = KS,
    depth: float = math.inf,
    by_session: bool = False,
) -> dict[int, ValuesAtK]:
    """The measures of a ranking at session level, by k: the number of different sessions seen.

    `gold` gives each gold turn's session. Every gold turn is a gain; with `by_session`, for items that span several
    turns, every session with gold is one. An item from several sessions counts for each.

    >>> ranking = [(["a1"], ["a"]), (["a2"], ["a"]), (["b1"], ["b"])]
    >>> session_values(ranking, {"b1": "b"}, ks=[2])[2].recall_all
    1.0
    """
    sessions = {(session, True) for session in gold.values()}
    left: set[Hashable] = set(sessions) if by_session else set(gold)

    def places() -> Iterator[_Place]:
        for turns, own_sessions in ranking:
            hits = [turn for turn in turns if turn in gold]
            if not hits:
                yield ((session, False) for session in own_sessions), 0
                continue
            with_gold = {gold[turn] for turn in hits}
            ids = [(session, session in with_gold) for session in own_sessions]
            yield ids, _take(ids if by_session else hits, left)

    return _walk(places(), sessions, len(left), ks, depth, fold=True)


def _take(ids: Iterable[Hashable], left: set[Any]) -> int:
    """Remove these ids from those left to find, and count them."""
    new = left.intersection(ids)
    left -= new
    return len(new)


def _walk(
    places: Iterable[_Place],
    gold: Collection[Hashable],
    relevant: int,
    ks: Iterable[int],
    depth: float,
    fold: bool,
) -> dict[int, ValuesAtK]:
    """The measures by k: the number of ranks or, with `fold`, of different ids seen.

    A rank with several ids may gain more than 1, so ndcg is capped at 1.
    """
    left = sorted(set(ks), reverse=True)
    if left and left[-1] < 1:
        raise BadInput(f"measures are taken at k of at least 1, not at {left[-1]}")
    values: dict[int, ValuesAtK] = {}
    seen: set[Hashable] = set()
    found, dcg = 0, 0.0
    for rank, (ids, gain) in enumerate(places, start=1):
        for id in ids:
            if id not in seen:
                seen.add(id)
                found += id in gold
        if gain:
            dcg += gain * _discount(rank)
        reached = len(seen) if fold else rank
        while left and left[-1] <= reached:
            values[left.pop()] = _values(found, len(gold), dcg, min(relevant, rank))
        if not left:
            break
    for k in (k for k in reversed(left) if k <= depth):
        values[k] = _values(found, len(gold), dcg, relevant if fold else min(relevant, k))
    return values


def _values(found: int, gold: int, dcg: float, relevant: int) -> ValuesAtK:
    ideal = _ideal(relevant)
    return ValuesAtK(float(found > 0), float(found == gold), min(dcg / ideal, 1.0) if ideal else 0.0)


@lru_cache(maxsize=4096)
def _discount(rank: int) -> float:
    return 1.0 if rank == 1 else 1 / math.log2(rank)


@lru_cache(maxsize=4096)
def _ideal(relevant: int) -> float:
    """The DCG of a ranking that begins with so many relevant things, added up in the same order."""
    total = 0.0
    for rank in range(1, relevant + 1):
        total += _discount(rank)
    return total


def by_name(level: Level, values: Mapping[int, ValuesAtK]) -> dict[str, float]:
    """Measures by their names, such as `turn/Recall_all@5`."""
    return {str(Measure(level, kind, k)): v for k, at in values.items() for kind, v in zip(METRICS, at, strict=True)}
