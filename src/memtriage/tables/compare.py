"""Compare two runs, or two systems, on the same probes: which is right more often, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memtriage.core.errors import BadRun, unknown
from memtriage.core.verdict import FAILURES, ProbeVerdict, Verdict
from memtriage.metrics.statistics import mcnemar, paired_difference
from memtriage.tables.table import cluster_of, first_why

UNSETTLED: tuple[Verdict, ...] = ("error", "n/a", "uncertain")
"""Verdicts that are neither right nor wrong; the first that applies is the reason to leave a pair out."""


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One task at one k: how often each side was right on the probes that both settled.

    `difference` is B's success minus A's, with its 95 % interval (Newcombe's for paired proportions,
    widened where probes share a cluster); None where no pair is settled. `p` is McNemar's exact
    two-sided p; it takes pairs as independent. `excluded` counts pairs left out, by reason.
    """

    suite: str
    task: str
    system_a: str
    system_b: str
    k: int
    depth: str
    n: int
    both_right: int
    both_wrong: int
    only_a_right: int
    only_b_right: int
    difference: float | None
    low: float
    high: float
    p: float
    excluded: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Flip:
    """A probe that one side got right and the other wrong; `why` is the wrong side's reason."""

    suite: str
    task: str
    system_a: str
    system_b: str
    k: int
    depth: str
    episode: str
    probe: str
    question: str
    verdict_a: Verdict
    verdict_b: Verdict
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """All cells and flips, and how many probes only one side was asked."""

    cells: tuple[ComparedCell, ...]
    flips: tuple[Flip, ...]
    only_a: int
    only_b: int

    @property
    def paired(self) -> int:
        """Probes that both sides were asked, whether or not both settled them."""
        return sum(cell.n + sum(cell.excluded.values()) for cell in self.cells)


def compare(a: Iterable[ProbeVerdict], b: Iterable[ProbeVerdict], pair: tuple[str, str] | None = None) -> Comparison:
    """Pair up the probes of two sides and count the outcomes.

    Systems are paired by name. With `pair=("bm25", "dense")`, A's bm25 is paired with B's dense; if
    each side has a single system, these two are paired whatever their names. A probe is paired with
    the same probe of the same episode, at the same k and depth.
    """
    side_a, side_b = _side(a, "A"), _side(b, "B")
    partner = _partners({key.system for key in side_a}, {key.system for key in side_b}, pair)
    if pair:
        side_a = {key: seen for key, seen in side_a.items() if key.system == pair[0]}
        side_b = {key: seen for key, seen in side_b.items() if key.system == pair[1]}
    cells: dict[_CellKey, _Pairs] = {}
    pair_count = 0
    for key, seen in side_a.items():
        other = partner.get(key.system)
        match = side_b.get(key._replace(system=other)) if other is not None else None
        if other is None or match is None:
            continue
        pair_count += 1
        cell = _CellKey(key.suite, key.task, key.system, other, key.k, key.depth)
        cells.setdefault(cell, _Pairs(cell)).add(key, seen, match)
    if not pair_count:
        raise BadRun(_why_no_pairs(side_a, side_b))
    pairs = sorted(cells.values(), key=_sort_key(cells))
    return Comparison(
        cells=tuple(each.cell() for each in pairs),
        flips=tuple(flip for each in pairs for flip in each.flips),
        only_a=len(side_a) - pair_count,
        only_b=len(side_b) - pair_count,
    )


def judged_otherwise(a: Iterable[ProbeVerdict], b: Iterable[ProbeVerdict]) -> list[str]:
    """The tasks that a judge graded on both sides, but with differently worded prompts."""
    asked_a, asked_b = ({(v.task, v.prompts) for v in side if v.judged_by} for side in (a, b))
    both = {task for task, _ in asked_a} & {task for task, _ in asked_b}
    return sorted({task for task, _ in asked_a ^ asked_b if task in both})


class _Key(NamedTuple):
    suite: str
    task: str
    system: str
    k: int
    depth: str
    episode: str
    probe: str
    repeats: tuple[int, int, int]


class _CellKey(NamedTuple):
    suite: str
    task: str
    system_a: str
    system_b: str
    k: int
    depth: str


class _ProbeOutcome(NamedTuple):
    """What a comparison keeps of a probe, so that two large runs fit into memory."""

    verdict: Verdict
    question: str
    why: str
    cluster: Hashable


class _Pairs:
    """Counts the pairs of one cell."""

    def __init__(self, key: _CellKey) -> None:
        self.key = key
        self.outcomes: list[tuple[Hashable, bool, bool]] = []
        self.excluded: Counter[str] = Counter()
        self.flips: list[Flip] = []

    def add(self, key: _Key, a: _ProbeOutcome, b: _ProbeOutcome) -> None:
        reason = _exclusion(a.verdict, b.verdict)
        if reason:
            self.excluded[reason] += 1
            return
        right_a, right_b = a.verdict == "correct", b.verdict == "correct"
        self.outcomes.append((a.cluster, right_a, right_b))
        if right_a != right_b:
            why = b.why if right_a else a.why
            self.flips.append(Flip(*self.key, key.episode, key.probe, a.question, a.verdict, b.verdict, why))

    def cell(self) -> ComparedCell:
        counts = Counter((right_a, right_b) for _, right_a, right_b in self.outcomes)
        difference = paired_difference(self.outcomes)
        return ComparedCell(
            *self.key,
            n=len(self.outcomes),
            both_right=counts[True, True],
            both_wrong=counts[False, False],
            only_a_right=counts[True, False],
            only_b_right=counts[False, True],
            difference=difference.value if difference else None,
            low=difference.interval.low if difference else -1.0,
            high=difference.interval.high if difference else 1.0,
            p=mcnemar(counts[True, False], counts[False, True]),
            excluded=dict(sorted(self.excluded.items())),
        )


def _side(probes: Iterable[ProbeVerdict], name: str) -> dict[_Key, _ProbeOutcome]:
    side: dict[_Key, _ProbeOutcome] = {}
    for probe in probes:
        repeats = (probe.ingest_repeat, probe.repeat, probe.judge_repeat)
        key = _Key(probe.suite, probe.task, probe.system, probe.k, probe.depth, probe.episode, probe.probe, repeats)
        if key in side:
            raise BadRun(
                f"side {name} has probe {probe.probe!r} of episode {probe.episode!r} twice "
                f"({probe.task}, {probe.system}, k={probe.k}); compare one run per side"
            )
        why = first_why(probe) if probe.verdict in FAILURES else ""
        side[key] = _ProbeOutcome(probe.verdict, probe.question, why, cluster_of(probe))
    return side


def _partners(a: set[str], b: set[str], pair: tuple[str, str] | None) -> dict[str, str]:
    """The system of B with which each system of A is paired."""
    if pair:
        for name, known, side in ((pair[0], a, "A"), (pair[1], b, "B")):
            if name not in known:
                raise BadRun(f"side {side}: {unknown('system', name, known)}")
        return {pair[0]: pair[1]}
    if len(a) == 1 and len(b) == 1:
        return {next(iter(a)): next(iter(b))}
    return {name: name for name in a & b}


def _exclusion(a: Verdict, b: Verdict) -> str | None:
    for verdict in UNSETTLED:
        sides = [side for side, own in (("A", a), ("B", b)) if own == verdict]
        if sides:
            return f"{verdict} in {' and '.join(sides)}"
    return None


def _sort_key(cells: Iterable[_CellKey]) -> Callable[[_Pairs], tuple[int, int, int, int, str]]:
    """A sort key: tasks and systems in order of appearance, then k ascending."""
    seen: dict[tuple[str, ...], int] = {}
    for key in cells:
        for name in (("suite", key.suite), ("task", key.task), ("systems", key.system_a, key.system_b)):
            seen.setdefault(name, len(seen))

    def place(pairs: _Pairs) -> tuple[int, int, int, int, str]:
        key = pairs.key
        systems = seen["systems", key.system_a, key.system_b]
        return (seen["suite", key.suite], seen["task", key.task], systems, key.k, key.depth)

    return place


def _why_no_pairs(a: Mapping[_Key, _ProbeOutcome], b: Mapping[_Key, _ProbeOutcome]) -> str:
    """Why no probes could be paired: the first thing in which the sides differ, and what to do."""
    if not a or not b:
        return f"side {'B' if a else 'A'} has no graded probes to compare; grade the run first"
    hints = {
        "suite": "compare runs of the same suite",
        "task": "run the same tasks on both",
        "k": "run both with a common k",
        "depth": "success means something else at each depth; grade both alike",
        "system": "name two systems to pair, one of each side",
    }
    for field, hint in hints.items():
        ours, theirs = ({str(getattr(key, field)) for key in side} for side in (a, b))
        if not ours & theirs and not (field == "system" and len(ours) == len(theirs) == 1):
            return (
                f"nothing to compare: {field} is {', '.join(sorted(ours))} in A "
                f"but {', '.join(sorted(theirs))} in B; {hint}"
            )
    return "nothing to compare: the two sides share no probe; run both on the same episodes (same suite, seed and size)"
