"""Pairs of outcomes on the same probes: what is kept of them, how they are counted, and what a comparison comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple

from memtriage.core.amount import K, k_order
from memtriage.core.errors import BadRun, unknown
from memtriage.core.verdict import FAILURES, ProbeVerdict, Verdict
from memtriage.metrics.statistics import (
    PairCounts,
    counted_difference,
    counted_effective_pairs,
    detectable_difference,
    mcnemar,
    pairs_in_all,
)
from memtriage.tables.clusters import ClusterCounts
from memtriage.tables.depth import OPEN
from memtriage.tables.table import cluster_of, first_why

APART: tuple[Verdict, ...] = ("n/a", "uncertain")
"""Verdicts for which a pair is left out on both sides; the first that applies is the reason."""

LEVEL = 0.05
"""The p below which a difference is not put down to chance."""

Outcomes = Sequence[tuple[Hashable, bool, bool]]
"""Pairs of outcomes: cluster, A right, B right."""


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One task at one k: how often each side was right on the probes that both were asked.

    An error is no success of the side that raised it (`errors_a`, `errors_b`). A pair in which a verdict is uncertain
    or n/a is left out on both sides; `excluded` counts them by reason. `difference` is B's success minus A's, with its
    95 % interval (Newcombe's for paired proportions, widened where probes share a cluster); None without a pair. `p` is
    McNemar's exact two-sided p; it takes pairs as independent.

    `least` and `most` are the difference if everything uncertain and every error were decided in favour of A, or of B.
    `better` is the side that is right more often whichever way these are decided: p below 0.05 and an interval clear of
    0 each time; "" if the two can't be told apart. `detectable` is the smallest difference that these pairs can be
    expected to show, going by how many of them only one side got right (5 % level, 80 % power).
    """

    suite: str
    task: str
    system_a: str
    system_b: str
    k: K
    depth: str
    n: int
    both_right: int
    both_wrong: int
    only_a_right: int
    only_b_right: int
    errors_a: int
    errors_b: int
    difference: float | None
    low: float
    high: float
    p: float
    least: float | None
    most: float | None
    better: Literal["A", "B", ""]
    detectable: float
    excluded: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Flip:
    """A probe that one side got right and the other wrong; `why` is the wrong side's reason."""

    suite: str
    task: str
    system_a: str
    system_b: str
    k: K
    depth: str
    episode: str
    probe: str
    question: str
    verdict_a: Verdict
    verdict_b: Verdict
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """All cells and flips, and how many probes only one side was asked.

    `judged_otherwise` names the tasks whose judges were asked in other words; `names` are what the sides are called.
    """

    cells: tuple[ComparedCell, ...]
    flips: tuple[Flip, ...]
    only_a: int
    only_b: int
    judged_otherwise: tuple[str, ...] = ()
    names: tuple[str, str] = ("A", "B")

    @property
    def paired(self) -> int:
        """Probes that both sides were asked, whether or not both settled them."""
        return sum(cell.n + sum(cell.excluded.values()) for cell in self.cells)


ProbeKey = tuple[str, str, str, str, tuple[int, int, int]]
"""What a probe shares with the same probe asked of another system."""

AskedProbes = dict[ProbeKey, tuple[Hashable, Verdict]]
"""The cluster and the verdict of each probe that a system was asked."""


def note(asked: AskedProbes, probe: ProbeVerdict) -> ProbeKey:
    """Keep of a probe what pairing takes, and give its key."""
    repeats = (probe.ingest_repeat, probe.repeat, probe.judge_repeat)
    key = (probe.suite, probe.task, probe.episode, probe.probe, repeats)
    asked[key] = (cluster_of(probe), probe.verdict)
    return key


def pair_up(a: AskedProbes, b: AskedProbes) -> Pairs:
    """The probes that two systems were both asked."""
    pairs = Pairs()
    for key, (cluster, verdict) in a.items():
        if key in b:
            pairs.add(cluster, verdict, b[key][1])
    return pairs


class AskedKey(NamedTuple):
    """Which probe was asked of which system, and how."""

    suite: str
    task: str
    system: str
    k: K
    depth: str
    episode: str
    probe: str
    repeats: tuple[int, int, int]


class CellKey(NamedTuple):
    """What the pairs of one cell share."""

    suite: str
    task: str
    system_a: str
    system_b: str
    k: K
    depth: str


class ProbeOutcome(NamedTuple):
    """What a comparison keeps of a probe, so that two large runs fit into memory."""

    verdict: Verdict
    question: str
    why: str
    cluster: Hashable


class Match(NamedTuple):
    """A probe of A, and what B has of it; None if B was not asked."""

    cell: CellKey
    episode: str
    probe: str
    a: ProbeOutcome
    b: ProbeOutcome | None

    @property
    def flip(self) -> Flip | None:
        """The flip, if one side is right and the other is not."""
        if self.b is None or (self.a.verdict == "correct") == (self.b.verdict == "correct"):
            return None
        why = self.b.why if self.a.verdict == "correct" else self.a.why
        question = self.a.question or self.b.question  # a baseline has no questions
        return Flip(*self.cell, self.episode, self.probe, question, self.a.verdict, self.b.verdict, why)


_KINDS = ("correct", "uncertain", "error", "failed")
"""What pairs tell apart of a verdict; whatever else it says, it failed."""

_BOTH = tuple(product(_KINDS, _KINDS))

_NUMBER = {kinds: number for number, kinds in enumerate(_BOTH)}


class Pairs:
    """Counts the pairs of one cell: a probe's verdicts on both sides, and its cluster."""

    def __init__(self) -> None:
        self._counts = ClusterCounts(len(_BOTH))
        self._excluded: Counter[str] = Counter()

    def add(self, cluster: Hashable, a: Verdict, b: Verdict) -> bool:
        """Count a pair; whether it is one of those compared."""
        reason = _exclusion(a, b)
        if reason:
            self._excluded[reason] += 1
        if "n/a" not in (a, b):
            self._counts.add(cluster, _NUMBER[_kind(a), _kind(b)])
        return reason is None

    def columns(self) -> dict[str, Any]:
        """The columns of `ComparedCell` that are counted."""
        alike = self._counts.alike()
        settled = _decided(alike, without="uncertain")
        both_right, only_a, only_b, both_wrong = pairs_in_all(settled)
        n = both_right + only_a + only_b + both_wrong
        found = counted_difference(settled)
        for_a, for_b = _decided(alike, right_a=("correct", *OPEN)), _decided(alike, right_b=("correct", *OPEN))
        least, most = counted_difference(for_a), counted_difference(for_b)
        sides = {_clear_side(each) for each in (settled, for_a, for_b)}
        return {
            "n": n,
            "both_right": both_right,
            "both_wrong": both_wrong,
            "only_a_right": only_a,
            "only_b_right": only_b,
            "errors_a": _count(alike, lambda a, b: a == "error" and b != "uncertain"),
            "errors_b": _count(alike, lambda a, b: b == "error" and a != "uncertain"),
            "difference": found.value if found else None,
            "low": found.interval.low if found else -1.0,
            "high": found.interval.high if found else 1.0,
            "p": mcnemar(only_a, only_b),
            "least": least.value if least else None,
            "most": most.value if most else None,
            "better": sides.pop() if len(sides) == 1 else "",
            "detectable": detectable_difference(counted_effective_pairs(settled), (only_a + only_b) / n if n else 0.0),
            "excluded": dict(sorted(self._excluded.items())),
        }


def _kind(verdict: Verdict) -> str:
    return verdict if verdict in _KINDS else "failed"


def _decided(
    alike: Mapping[tuple[int, ...], int],
    right_a: Collection[str] = ("correct",),
    right_b: Collection[str] = ("correct",),
    without: str = "",
) -> PairCounts:
    """The pairs of each cluster by who is right, these kinds being right on each side; those with one left out."""
    places = [
        None if without in kinds else 2 * (kinds[0] not in right_a) + (kinds[1] not in right_b) for kinds in _BOTH
    ]
    found: Counter[tuple[int, int, int, int]] = Counter()
    for counts, times in alike.items():
        pairs = [0, 0, 0, 0]
        for place, count in zip(places, counts, strict=True):
            if place is not None:
                pairs[place] += count
        if any(pairs):
            both, only_a, only_b, neither = pairs
            found[both, only_a, only_b, neither] += times
    return found


def _count(alike: Mapping[tuple[int, ...], int], wanted: Callable[[str, str], bool]) -> int:
    numbers = [_NUMBER[kinds] for kinds in _BOTH if wanted(*kinds)]
    return sum(counts[number] * times for counts, times in alike.items() for number in numbers)


def _clear_side(pairs: PairCounts) -> Literal["A", "B", ""]:
    """The side that is right more often, if chance can't explain it."""
    difference = counted_difference(pairs)
    _, lost, won, _ = pairs_in_all(pairs)
    if difference is None or mcnemar(lost, won) >= LEVEL or difference.interval.low <= 0 <= difference.interval.high:
        return ""
    return "B" if difference.value > 0 else "A"


def key_of(probe: ProbeVerdict) -> AskedKey:
    """The key under which a side has a probe."""
    repeats = (probe.ingest_repeat, probe.repeat, probe.judge_repeat)
    return AskedKey(probe.suite, probe.task, probe.system, probe.k, probe.depth, probe.episode, probe.probe, repeats)


def twice(name: str, probe: ProbeVerdict) -> BadRun:
    """The error for a side that has a probe twice."""
    return BadRun(
        f"side {name} has probe {probe.probe!r} of episode {probe.episode!r} twice "
        f"({probe.task}, {probe.system}, k={probe.k}); compare one run per side"
    )


def outcome_of(probe: ProbeVerdict) -> ProbeOutcome:
    """What a comparison keeps of a probe."""
    why = first_why(probe) if probe.verdict in (*FAILURES, "error") else ""
    return ProbeOutcome(probe.verdict, probe.question, why, cluster_of(probe))


def cell_key(key: AskedKey, other: str) -> CellKey:
    """The cell of a probe of A that is paired with another system of B."""
    return CellKey(key.suite, key.task, key.system, other, key.k, key.depth)


def partners(
    a: set[str], b: set[str], pair: tuple[str, str] | None, sides: tuple[str, str] = ("side A", "side B")
) -> dict[str, str]:
    """The system of B with which each system of A is paired."""
    if pair:
        for name, known, side in zip(pair, (a, b), sides, strict=True):
            if name not in known:
                raise BadRun(f"{side}: {unknown('system', name, known)}")
        return {pair[0]: pair[1]}
    if len(a) == 1 and len(b) == 1:
        return {next(iter(a)): next(iter(b))}
    return {name: name for name in a & b}


def _exclusion(a: Verdict, b: Verdict) -> str | None:
    for verdict in APART:
        sides = [side for side, own in (("A", a), ("B", b)) if own == verdict]
        if sides:
            return f"{verdict} in {' and '.join(sides)}"
    return None


def in_order(cells: Collection[CellKey]) -> list[CellKey]:
    """The keys of cells sorted: tasks and systems in order of appearance, then k ascending."""
    seen: dict[tuple[str, ...], int] = {}
    for key in cells:
        for name in (("suite", key.suite), ("task", key.task), ("systems", key.system_a, key.system_b)):
            seen.setdefault(name, len(seen))

    def place(key: CellKey) -> tuple[int, int, int, tuple[int, int], str]:
        systems = seen["systems", key.system_a, key.system_b]
        return (seen["suite", key.suite], seen["task", key.task], systems, k_order(key.k), key.depth)

    return sorted(cells, key=place)
