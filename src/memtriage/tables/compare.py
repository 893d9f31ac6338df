"""Compare two runs, or two systems, on the same probes: which is right more often, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

from memtriage.core.amount import K, k_order
from memtriage.core.errors import BadRun, unknown
from memtriage.core.verdict import FAILURES, ProbeVerdict, Verdict
from memtriage.metrics.statistics import detectable_difference, effective_pairs, mcnemar, paired_difference
from memtriage.registry import unscored
from memtriage.tables.depth import OPEN, GradedTasks, at_graded_depth
from memtriage.tables.table import MERGED, cluster_of, first_why

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


def compare(a: Iterable[ProbeVerdict], b: Iterable[ProbeVerdict], pair: tuple[str, str] | None = None) -> Comparison:
    """Pair up the probes of two sides and count the outcomes.

    Systems are paired by name. With `pair=("bm25", "dense")`, A's bm25 is paired with B's dense; if
    each side has a single system, these two are paired whatever their names. A probe is paired with
    the same probe of the same episode, at the same k and depth.
    """
    side_a, side_b = _sides(a, b)
    partner = partners({key.system for key in side_a}, {key.system for key in side_b}, pair)
    if pair:
        side_a = {key: seen for key, seen in side_a.items() if key.system == pair[0]}
        side_b = {key: seen for key, seen in side_b.items() if key.system == pair[1]}
    matches = _matches(side_a, side_b, partner)
    if not (pair_count := sum(found.b is not None for found in matches)):
        raise BadRun(_why_no_pairs(side_a, side_b))
    cells: dict[CellKey, Pairs] = {}
    flips: dict[CellKey, list[Flip]] = {}
    for found in matches:
        if found.b is not None:
            pairs = cells.setdefault(found.cell, Pairs())
            if pairs.add(found.a.cluster, found.a.verdict, found.b.verdict) and (flip := found.flip) is not None:
                flips.setdefault(found.cell, []).append(flip)
    keys = in_order(cells)
    return Comparison(
        cells=tuple(ComparedCell(*key, **cells[key].columns()) for key in keys),
        flips=tuple(flip for key in keys for flip in flips.get(key, ())),
        only_a=len(side_a) - pair_count,
        only_b=len(side_b) - pair_count,
    )


def match(a: Iterable[ProbeVerdict], b: Iterable[ProbeVerdict], partner: Mapping[str, str]) -> tuple[list[Match], int]:
    """Every probe of A with the same probe of B, asked of the partner of its system; and how many only B was asked."""
    side_a, side_b = _sides(a, b)
    matches = _matches(side_a, side_b, partner)
    return matches, len(side_b) - sum(found.b is not None for found in matches)


def _matches(a: _Side, b: _Side, partner: Mapping[str, str]) -> list[Match]:
    found = []
    for key, seen in a.items():
        other = partner.get(key.system)
        twin = None if other is None else b.get(key._replace(system=other))
        cell = CellKey(key.suite, key.task, key.system, other or key.system, key.k, key.depth)
        found.append(Match(cell, key.episode, key.probe, seen, twin))
    return found


def judged_otherwise(a: Iterable[ProbeVerdict], b: Iterable[ProbeVerdict]) -> list[str]:
    """The tasks that a judge graded on both sides, but with differently worded prompts."""
    asked_a, asked_b = ({(v.task, v.prompts) for v in side if v.judged_by} for side in (a, b))
    both = {task for task, _ in asked_a} & {task for task, _ in asked_b}
    return sorted({task for task, _ in asked_a ^ asked_b if task in both})


ProbeKey = tuple[str, str, str, str, tuple[int, int, int]]
"""What a probe shares with the same probe asked of another system."""

AskedProbes = dict[ProbeKey, tuple[Hashable, Verdict]]
"""The cluster and the verdict of each probe that a system was asked."""


def differences(probes: Iterable[ProbeVerdict]) -> list[ComparedCell]:
    """Every two systems of one run, paired probe by probe, per task, k and depth.

    Where there are several tasks, the pairs of all of them follow, pooled.
    """
    cells: dict[tuple[str, str, K, str], dict[str, AskedProbes]] = {}
    pooled: dict[tuple[str, str, K, str], dict[str, AskedProbes]] = {}
    for probe in at_graded_depth(probes):
        cell = cells.setdefault((probe.suite, probe.task, probe.k, probe.depth), {})
        note(cell.setdefault(probe.system, {}), probe)
        if not unscored(probe.task):
            whole = pooled.setdefault((MERGED, MERGED, probe.k, probe.depth), {})
            note(whole.setdefault(probe.system, {}), probe)
    if len({key[:2] for key in cells}) > 1:
        cells |= pooled
    return [
        ComparedCell(suite, task, a, b, k, depth, **pair_up(cell[a], cell[b]).columns())
        for (suite, task, k, depth), cell in cells.items()
        for a, b in combinations(cell, 2)
    ]


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


class _Key(NamedTuple):
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


_Side = dict[_Key, ProbeOutcome]


class Pairs:
    """Counts the pairs of one cell: a probe's verdicts on both sides, and its cluster."""

    def __init__(self) -> None:
        self._verdicts: list[tuple[Hashable, Verdict, Verdict]] = []
        self._excluded: Counter[str] = Counter()

    def add(self, cluster: Hashable, a: Verdict, b: Verdict) -> bool:
        """Count a pair; whether it is one of those compared."""
        reason = _exclusion(a, b)
        if reason:
            self._excluded[reason] += 1
        if "n/a" not in (a, b):
            self._verdicts.append((cluster, a, b))
        return reason is None

    def columns(self) -> dict[str, Any]:
        """The columns of `ComparedCell` that are counted."""
        pairs = [(cluster, a, b) for cluster, a, b in self._verdicts if "uncertain" not in (a, b)]
        outcomes = [(cluster, a == "correct", b == "correct") for cluster, a, b in pairs]
        counts = Counter((right_a, right_b) for _, right_a, right_b in outcomes)
        found = paired_difference(outcomes)
        least, most = (paired_difference(self._decided(for_b)) for for_b in (False, True))
        discordance = (counts[True, False] + counts[False, True]) / len(pairs) if pairs else 0.0
        return {
            "n": len(pairs),
            "both_right": counts[True, True],
            "both_wrong": counts[False, False],
            "only_a_right": counts[True, False],
            "only_b_right": counts[False, True],
            "errors_a": sum(a == "error" for _, a, _ in pairs),
            "errors_b": sum(b == "error" for _, _, b in pairs),
            "difference": found.value if found else None,
            "low": found.interval.low if found else -1.0,
            "high": found.interval.high if found else 1.0,
            "p": mcnemar(counts[True, False], counts[False, True]),
            "least": least.value if least else None,
            "most": most.value if most else None,
            "better": self._better(outcomes),
            "detectable": detectable_difference(effective_pairs(outcomes), discordance),
            "excluded": dict(sorted(self._excluded.items())),
        }

    def _decided(self, for_b: bool) -> list[tuple[Hashable, bool, bool]]:
        """All pairs, what is open being right on one side and wrong on the other."""
        right_a = ("correct",) if for_b else ("correct", *OPEN)
        right_b = ("correct", *OPEN) if for_b else ("correct",)
        return [(cluster, a in right_a, b in right_b) for cluster, a, b in self._verdicts]

    def _better(self, outcomes: Outcomes) -> Literal["A", "B", ""]:
        ways = {_clear_side(each) for each in (outcomes, self._decided(for_b=False), self._decided(for_b=True))}
        return ways.pop() if len(ways) == 1 else ""


def _clear_side(outcomes: Outcomes) -> Literal["A", "B", ""]:
    """The side that is right more often, if chance can't explain it."""
    difference = paired_difference(outcomes)
    lost, won = (sum(one > two for _, one, two in outcomes), sum(two > one for _, one, two in outcomes))
    if difference is None or mcnemar(lost, won) >= LEVEL or difference.interval.low <= 0 <= difference.interval.high:
        return ""
    return "B" if difference.value > 0 else "A"


def _sides(a: Iterable[ProbeVerdict], b: Iterable[ProbeVerdict]) -> tuple[_Side, _Side]:
    sides: tuple[_Side, _Side] = ({}, {})
    tasks = GradedTasks()
    waiting: list[tuple[_Side, str, ProbeVerdict]] = []
    for side, name, probes in zip(sides, "AB", (a, b), strict=True):
        for probe in probes:
            if tasks.waits(probe):
                waiting.append((side, name, probe))
            else:
                _put(side, name, probe)
    for side, name, error in waiting:
        for probe in tasks.settled(error):
            _put(side, name, probe)
    return sides


def _put(side: _Side, name: str, probe: ProbeVerdict) -> None:
    repeats = (probe.ingest_repeat, probe.repeat, probe.judge_repeat)
    key = _Key(probe.suite, probe.task, probe.system, probe.k, probe.depth, probe.episode, probe.probe, repeats)
    if key in side:
        raise BadRun(
            f"side {name} has probe {probe.probe!r} of episode {probe.episode!r} twice "
            f"({probe.task}, {probe.system}, k={probe.k}); compare one run per side"
        )
    why = first_why(probe) if probe.verdict in (*FAILURES, "error") else ""
    side[key] = ProbeOutcome(probe.verdict, probe.question, why, cluster_of(probe))


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


def _why_no_pairs(a: Mapping[_Key, ProbeOutcome], b: Mapping[_Key, ProbeOutcome]) -> str:
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
