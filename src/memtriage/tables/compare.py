"""Compare two runs, or two systems, on the same probes: which is right more often, and where they differ."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from memtriage.core.amount import K
from memtriage.core.errors import BadRun
from memtriage.core.verdict import ProbeVerdict
from memtriage.registry import unscored
from memtriage.tables.depth import GradedTasks, at_graded_depth
from memtriage.tables.pairs import (
    AskedKey,
    AskedProbes,
    CellKey,
    ComparedCell,
    Comparison,
    Flip,
    Match,
    Pairs,
    ProbeOutcome,
    cell_key,
    in_order,
    key_of,
    note,
    outcome_of,
    pair_up,
    partners,
    twice,
)
from memtriage.tables.table import MERGED


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
        found.append(Match(cell_key(key, other or key.system), key.episode, key.probe, seen, twin))
    return found


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


_Side = dict[AskedKey, ProbeOutcome]


class _Once:
    """Tells whether a key came before. Stores come one after the other: of all but the last, only hashes are kept.

    Of a store that came back, they are kept as a set, since it may come back again and again.
    """

    def __init__(self) -> None:
        self._store = ("", "")
        self._keys: set[AskedKey] = set()
        self._hashes: dict[tuple[str, str], array[int] | set[int]] = {}

    def add(self, key: AskedKey) -> bool:
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
        self.waiting: dict[AskedKey, tuple[int, ProbeOutcome]] = {}
        """Probes that the other side has not come to, by the key that they have in A, and their numbers."""
        self._once = _Once()

    def look(self, probe: ProbeVerdict) -> None:
        """Note what a probe tells of its side."""
        self.systems.add(probe.system)
        if probe.judged_by:
            self.judged.add((probe.task, probe.prompts))

    def key(self, probe: ProbeVerdict) -> AskedKey:
        """The key of a probe, which must be new."""
        key = key_of(probe)
        if not self._once.add(key):
            raise twice(self.name, probe)
        return key

    def take(self, key: AskedKey) -> int:
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
        own = (number, outcome_of(probe))
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

    def _meet(self, key: AskedKey, a: tuple[int, ProbeOutcome], b: tuple[int, ProbeOutcome]) -> None:
        number, outcome = a
        other = key.system if self._partner is None else self._partner[key.system]
        found = Match(cell_key(key, other), key.episode, key.probe, outcome, b[1])
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
    key = key_of(probe)
    if key in side:
        raise twice(name, probe)
    side[key] = outcome_of(probe)


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
