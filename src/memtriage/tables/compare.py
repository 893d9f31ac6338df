"""Compare two runs, or two systems, on the same probes: which is right more often, and where they differ."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
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
from memtriage.registry import unscored
from memtriage.tables.clusters import ClusterCounts
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


def compare(
    a: Iterable[ProbeVerdict],
    b: Iterable[ProbeVerdict],
    pair: tuple[str, str] | None = None,
    systems: tuple[Collection[str], Collection[str]] | None = None,
) -> Comparison:
    """Pair up the probes of two sides and count the outcomes.

    Systems are paired by name. With `pair=("bm25", "dense")`, A's bm25 is paired with B's dense; if
    each side has a single system, these two are paired whatever their names. A probe is paired with
    the same probe of the same episode, at the same k and depth.

    Both sides are read once and in turn, and only probes that the other side has not come to yet are kept. It helps to
    know the `systems` of both beforehand.
    """
    return _Pairing(a, b, pair, systems).comparison()


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
        found.append(Match(_cell_key(key, other or key.system), key.episode, key.probe, seen, twin))
    return found


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


class _Once:
    """Tells whether a key came before. Stores come one after the other: of all but the last, only hashes are kept.

    Of a store that came back, they are kept as a set, since it may come back again and again.
    """

    def __init__(self) -> None:
        self._store = ("", "")
        self._keys: set[_Key] = set()
        self._hashes: dict[tuple[str, str], array[int] | set[int]] = {}

    def add(self, key: _Key) -> bool:
        """Note a key; False if it was there already."""
        store = (key.system, key.episode)
        if store != self._store:
            if self._keys:
                self._hashes[self._store] = array("q", map(hash, self._keys))
            self._store, self._keys = store, set()
            if isinstance(before := self._hashes.get(store), array):
                self._hashes[store] = set(before)
        before = self._hashes.get(store)
        if isinstance(before, set):
            count = len(before)
            before.add(hash(key))
            return len(before) > count
        count = len(self._keys)
        self._keys.add(key)
        return len(self._keys) > count


class _ReadSide:
    """One side of a comparison, as far as it was read."""

    def __init__(self, name: str, probes: Iterable[ProbeVerdict]) -> None:
        self.name, self.probes = name, iter(probes)
        self.ended = False
        self.systems: set[str] = set()
        self.judged: set[tuple[str, str]] = set()
        """The tasks that a judge graded, with the prompts it was asked with."""
        self.told: dict[str, set[str]] = {field: set() for field in _TELLING}
        self.count = 0
        self.waiting: dict[_Key, tuple[int, ProbeOutcome]] = {}
        """Probes that the other side has not come to, by the key that they have in A, and their numbers."""
        self._once = _Once()

    def look(self, probe: ProbeVerdict) -> None:
        """Note what a probe tells of its side."""
        self.systems.add(probe.system)
        if probe.judged_by:
            self.judged.add((probe.task, probe.prompts))

    def key(self, probe: ProbeVerdict) -> _Key:
        """The key of a probe, which must be new."""
        key = _key(probe)
        if not self._once.add(key):
            raise _twice(self.name, probe)
        return key

    def take(self, key: _Key) -> int:
        """Count a probe that is to be compared; its number."""
        for field, values in self.told.items():
            values.add(str(getattr(key, field)))
        self.count += 1
        return self.count


@dataclass(slots=True)
class _PairedCell:
    """The pairs of one cell, its flips by their number in A, and the number of its first pair."""

    first: int
    pairs: Pairs
    flips: list[tuple[int, Flip]]


class _Pairing:
    """Pairs up two sides that are read in turn, the one with fewer probes waiting first."""

    def __init__(
        self,
        a: Iterable[ProbeVerdict],
        b: Iterable[ProbeVerdict],
        pair: tuple[str, str] | None,
        systems: tuple[Collection[str], Collection[str]] | None,
    ) -> None:
        self._a, self._b = _ReadSide("A", a), _ReadSide("B", b)
        self._pair = pair
        self._partner: Mapping[str, str] | None = None
        if systems:
            self._partner = partners({*systems[0]}, {*systems[1]}, pair)
        elif pair:
            self._partner = {pair[0]: pair[1]}
        self._cells: dict[CellKey, _PairedCell] = {}
        self._count = 0

    def comparison(self) -> Comparison:
        self._read()
        self._meet_others(partners(self._a.systems, self._b.systems, self._pair))
        if not self._count:
            raise BadRun(_why_no_pairs(self._a, self._b))
        cells = dict(sorted(self._cells.items(), key=lambda found: found[1].first))
        keys = in_order(cells)
        return Comparison(
            cells=tuple(ComparedCell(*key, **cells[key].pairs.columns()) for key in keys),
            flips=tuple(flip for key in keys for _, flip in sorted(cells[key].flips, key=lambda flip: flip[0])),
            only_a=self._a.count - self._count,
            only_b=self._b.count - self._count,
            judged_otherwise=tuple(self._judged_otherwise()),
        )

    def _judged_otherwise(self) -> list[str]:
        """The tasks that a judge graded on both sides, but with differently worded prompts."""
        both = {task for task, _ in self._a.judged} & {task for task, _ in self._b.judged}
        return sorted({task for task, _ in self._a.judged ^ self._b.judged if task in both})

    def _read(self) -> None:
        a, b = self._a, self._b
        tasks = GradedTasks()
        late: dict[str, list[ProbeVerdict]] = {a.name: [], b.name: []}
        while not (a.ended and b.ended):
            side = a if b.ended or (not a.ended and len(a.waiting) <= len(b.waiting)) else b
            probe = next(side.probes, None)
            if probe is None:
                side.ended = True
                continue
            side.look(probe)
            if tasks.waits(probe):
                late[side.name].append(replace(probe, facts=(), retrieved=()))  # nothing is counted of these
            else:
                self._add(side, probe)
        for side in (a, b):
            for error in late[side.name]:
                for probe in tasks.settled(error):
                    self._add(side, probe)

    def _add(self, side: _ReadSide, probe: ProbeVerdict) -> None:
        """Pair a probe with its twin, or let it wait for that; it need not if its system has no partner."""
        key = side.key(probe)
        if self._pair and key.system != self._pair[side is self._b]:
            return
        number = side.take(key)
        if self._partner is not None:
            system = self._system_of_a(side, key.system)
            if system is None:
                return
            key = key._replace(system=system)
        other = self._b if side is self._a else self._a
        twin = other.waiting.pop(key, None)
        own = (number, _outcome(probe))
        if twin is None:
            side.waiting[key] = own
        elif side is self._a:
            self._meet(key, own, twin)
        else:
            self._meet(key, twin, own)

    def _system_of_a(self, side: _ReadSide, system: str) -> str | None:
        """The system of A that a system is, or is paired with."""
        assert self._partner is not None
        if side is self._a:
            return system if system in self._partner else None
        return next((one for one, other in self._partner.items() if other == system), None)

    def _meet_others(self, partner: Mapping[str, str]) -> None:
        """Pair what could not be before it was known that each side has a single system."""
        if self._partner is None:
            self._partner = partner
            for own, other in partner.items():
                if own != other:
                    for key, b in self._b.waiting.items():
                        if (a := self._a.waiting.get(key._replace(system=own))) is not None:
                            self._meet(key._replace(system=own), a, b)

    def _meet(self, key: _Key, a: tuple[int, ProbeOutcome], b: tuple[int, ProbeOutcome]) -> None:
        number, outcome = a
        other = key.system if self._partner is None else self._partner[key.system]
        found = Match(_cell_key(key, other), key.episode, key.probe, outcome, b[1])
        self._count += 1
        cell = self._cells.get(found.cell)
        if cell is None:
            cell = self._cells[found.cell] = _PairedCell(number, Pairs(), [])
        cell.first = min(cell.first, number)
        if cell.pairs.add(outcome.cluster, outcome.verdict, b[1].verdict) and (flip := found.flip) is not None:
            cell.flips.append((number, flip))


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
    key = _key(probe)
    if key in side:
        raise _twice(name, probe)
    side[key] = _outcome(probe)


def _key(probe: ProbeVerdict) -> _Key:
    repeats = (probe.ingest_repeat, probe.repeat, probe.judge_repeat)
    return _Key(probe.suite, probe.task, probe.system, probe.k, probe.depth, probe.episode, probe.probe, repeats)


def _twice(name: str, probe: ProbeVerdict) -> BadRun:
    return BadRun(
        f"side {name} has probe {probe.probe!r} of episode {probe.episode!r} twice "
        f"({probe.task}, {probe.system}, k={probe.k}); compare one run per side"
    )


def _outcome(probe: ProbeVerdict) -> ProbeOutcome:
    why = first_why(probe) if probe.verdict in (*FAILURES, "error") else ""
    return ProbeOutcome(probe.verdict, probe.question, why, cluster_of(probe))


def _cell_key(key: _Key, other: str) -> CellKey:
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


_TELLING: Mapping[str, str] = {
    "suite": "compare runs of the same suite",
    "task": "run the same tasks on both",
    "k": "run both with a common k",
    "depth": "success means something else at each depth; grade both alike",
    "system": "name two systems to pair, one of each side",
}
"""In what two sides may differ so that no probes can be paired, and what to do about it."""


def _why_no_pairs(a: _ReadSide, b: _ReadSide) -> str:
    """Why no probes could be paired: the first thing in which the sides differ, and what to do."""
    if not a.count or not b.count:
        return f"side {'B' if a.count else 'A'} has no graded probes to compare; grade the run first"
    for field, hint in _TELLING.items():
        ours, theirs = a.told[field], b.told[field]
        if not ours & theirs and not (field == "system" and len(ours) == len(theirs) == 1):
            return (
                f"nothing to compare: {field} is {', '.join(sorted(ours))} in A "
                f"but {', '.join(sorted(theirs))} in B; {hint}"
            )
    return "nothing to compare: the two sides share no probe; run both on the same episodes (same suite, seed and size)"
