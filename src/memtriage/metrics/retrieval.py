"""How well a ranking brings what a question needs: LongMemEval's recall_any, recall_all and ndcg_any.

A ranking is walked once, for all k. What makes these measures their own:

- the discount of rank r is 1 / log2(r), so that the second rank counts as much as the first;
- at session level a ranking of turns is folded: k grows until k different sessions were seen, and the gain is still
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
"""Something ranked: the user's turns that it holds (none where only others spoke), and the sessions it comes from."""

_Place = tuple[Iterable[Hashable], int]
"""What stands at a rank: the ids that it brings, and how many relevant things it is the first to bring."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a ranking, written as it is named in files and tables.

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
        """The measure that a name says."""
        level, _, rest = name.partition("/")
        kind, _, k = rest.partition("@")
        for known_level in LEVELS:
            for known_kind in METRICS:
                if (level, kind) == (known_level, known_kind) and k.isascii() and k.isdigit() and int(k) > 0:
                    return cls(known_level, known_kind, int(k))
        raise BadInput(unknown("measure", name, [str(measure) for measure in ALL]))


ALL = tuple(Measure(level, kind, k) for level in LEVELS for k in KS for kind in METRICS)
"""The measures that are taken, in the order in which they are listed."""


class ValuesAtK(NamedTuple):
    """A ranking's measures at one k: whether any of the gold came, whether all of it did, and how early."""

    recall_any: float
    recall_all: float
    ndcg_any: float


def turn_values(
    ranking: Iterable[T], gold: Collection[T], ks: Iterable[int] = KS, depth: float = math.inf
) -> dict[int, ValuesAtK]:
    """The measures of ranked ids against the gold ones, by k.

    An id that comes again takes up its rank, but only its first counts. A k beyond the ranking's end is left out unless
    it is within `depth`: up to there, a ranking that ends has nothing more to bring.

    >>> turn_values(["b", "a", "c"], {"a"}, ks=[1, 3])[3]
    ValuesAtK(recall_any=1.0, recall_all=1.0, ndcg_any=1.0)
    """
    wanted = set(gold)
    left = set(wanted)
    places = (((id,), _first((id,), left) if id in left else 0) for id in ranking)
    return _walk(places, wanted, len(wanted), ks, depth, fold=False)


def session_values(
    ranking: Iterable[Item[T, S]],
    gold: Mapping[T, S],
    ks: Iterable[int] = KS,
    depth: float = math.inf,
    by_session: bool = False,
) -> dict[int, ValuesAtK]:
    """The measures of a ranking at session level, by k: how many different sessions were seen.

    `gold` gives each gold turn's session. Every gold turn is a gain of its own, unless things are ranked that hold more
    than a turn: `by_session`, every session with gold is one. Something from several sessions counts for each.

    >>> ranking = [(["a1"], ["a"]), (["a2"], ["a"]), (["b1"], ["b"])]
    >>> session_values(ranking, {"b1": "b"}, ks=[2])[2].recall_all
    1.0
    """
    sessions = {(session, True) for session in gold.values()}
    left: set[Hashable] = set(sessions) if by_session else set(gold)

    def places() -> Iterator[_Place]:
        for turns, of in ranking:
            hits = [turn for turn in turns if turn in gold]
            if not hits:
                yield ((session, False) for session in of), 0
                continue
            evident = {gold[turn] for turn in hits}
            found = [(session, session in evident) for session in of]
            yield found, _first(found if by_session else hits, left)

    return _walk(places(), sessions, len(left), ks, depth, fold=True)


def _first(found: Iterable[Hashable], left: set[Any]) -> int:
    """How many of these were still to be found; now they are."""
    new = left.intersection(found)
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
    """The measures of what stands at each rank, by k: a number of ranks or, with `fold`, of different ids seen.

    A rank that brings several ids may gain more than 1; ndcg stops at 1 then.
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
    """The gain of a ranking that begins with so many relevant things, added up as the ranking's own is."""
    total = 0.0
    for rank in range(1, relevant + 1):
        total += _discount(rank)
    return total


def by_name(level: Level, values: Mapping[int, ValuesAtK]) -> dict[str, float]:
    """Measures by their names, such as `turn/Recall_all@5`."""
    return {str(Measure(level, kind, k)): v for k, at in values.items() for kind, v in zip(METRICS, at, strict=True)}
