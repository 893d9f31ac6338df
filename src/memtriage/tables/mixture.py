"""What several memories would be worth together: the best one, the best one for each task, and any of them.

Whoever picks the best of several by their results and then reports these results flatters the pick. So the rows of
each task are split into two halves; who is best is decided on one and scored on the other, and the other way round.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from memtriage.core.amount import K, k_order
from memtriage.core.errors import BadRun
from memtriage.core.verdict import FAILURES, ProbeVerdict, Verdict
from memtriage.registry import unscored
from memtriage.tables.depth import OPEN, at_graded_depth
from memtriage.tables.pairs import AskedProbes, ComparedCell, Pairs, ProbeKey, note
from memtriage.tables.standings import REFERENCES
from memtriage.tables.table import MERGED, FactRow, Tally

Way = Literal["alone", "best", "mixture", "any"]
"""Each memory alone; the best one over all tasks; the best one for each task; right if any of them is."""


@dataclass(frozen=True, slots=True)
class MixedRow(FactRow):
    """One way of using several memories on a task, or on all. `system` is who was chosen, on each half if they differ.

    All ways of a task are counted on the same probes: those that every memory was asked and could be asked.
    """

    way: Way


@dataclass(frozen=True, slots=True)
class Mixtures:
    """All ways at every k; `gains` pairs the best single memory (A) with the mixture (B), probe by probe."""

    rows: tuple[MixedRow, ...]
    gains: tuple[ComparedCell, ...]


def mixtures(probes: Iterable[ProbeVerdict]) -> Mixtures:
    """The worth of memories together, from verdicts on the same probes, per k and depth.

    Floor and ceilings are left out. A mixture is what a perfect router would reach that knows the task, not a memory
    that was run.
    """
    asked: dict[tuple[K, str], dict[str, AskedProbes]] = {}
    questions: dict[ProbeKey, str] = {}
    for probe in at_graded_depth(probes):
        if probe.system in REFERENCES or unscored(probe.task):
            continue
        key = note(asked.setdefault((probe.k, probe.depth), {}).setdefault(probe.system, {}), probe)
        if questions.setdefault(key, probe.question) != probe.question:
            raise BadRun(f"probe {probe.probe!r} of {probe.task} is not the same question everywhere; {_ALIKE}")
    rows: list[MixedRow] = []
    gains: list[ComparedCell] = []
    for k, depth in sorted(asked, key=lambda cell: (k_order(cell[0]), cell[1])):
        if (found := _Cell.of(asked[k, depth])) is not None:
            rows += found.rows(k, depth)
            gains += found.gains(k, depth)
    if not rows:
        raise BadRun(f"a mixture takes at least two memories that were asked the same at the same k; {_ALIKE}")
    return Mixtures(tuple(rows), tuple(gains))


_ALIKE = "use runs of the same suite, seed, rows and depth, or one run of several systems"


@dataclass(frozen=True, slots=True)
class _Cell:
    """The verdicts of several systems on the same probes, at one k."""

    verdicts: Mapping[str, Mapping[ProbeKey, Verdict]]
    clusters: Mapping[ProbeKey, Hashable]
    best: Mapping[ProbeKey, str]
    chosen: Mapping[ProbeKey, str]

    @classmethod
    def of(cls, asked: Mapping[str, AskedProbes]) -> _Cell | None:
        """None if fewer than two systems share a probe."""
        first = next(iter(asked.values()))
        common = [key for key in first if all(key in each and each[key][1] != "n/a" for each in asked.values())]
        if len(asked) < 2 or not common:
            return None
        verdicts = {system: {key: each[key][1] for key in common} for system, each in asked.items()}
        clusters = {key: first[key][0] for key in common}
        best: dict[ProbeKey, str] = {}
        chosen: dict[ProbeKey, str] = {}
        for held_out, seen in _halves(clusters):
            overall = _means(verdicts, seen)
            for task, keys in _by_task(held_out).items():
                own = _means(verdicts, [key for key in seen if key[:2] == task])
                winner = max(overall, key=lambda system: overall[system])
                expert = max(overall, key=lambda system: (own.get(system, 0.0), overall[system]))
                best |= dict.fromkeys(keys, winner)
                chosen |= dict.fromkeys(keys, expert)
        return cls(verdicts, clusters, best, chosen)

    def rows(self, k: K, depth: str) -> Iterator[MixedRow]:
        """Every way, for each task and, where there are several, for all of them."""
        for (suite, task), keys in self._tasks().items():
            ways: list[tuple[Way, str, Callable[[ProbeKey], Verdict]]] = [
                *(("alone", system, found.__getitem__) for system, found in self.verdicts.items()),
                ("best", most_chosen(self.best, keys), lambda key: self.verdicts[self.best[key]][key]),
                ("mixture", most_chosen(self.chosen, keys), lambda key: self.verdicts[self.chosen[key]][key]),
                ("any", MERGED, self._any),
            ]
            for way, system, verdict in ways:
                tally = Tally()
                for key in keys:
                    tally.add(verdict(key), self.clusters[key])
                yield MixedRow(suite, task, system, k, depth, **tally.columns(), way=way)

    def gains(self, k: K, depth: str) -> Iterator[ComparedCell]:
        for (suite, task), keys in self._tasks().items():
            pairs = Pairs()
            for key in keys:
                best, chosen = self.verdicts[self.best[key]][key], self.verdicts[self.chosen[key]][key]
                pairs.add(self.clusters[key], best, chosen)
            yield ComparedCell(suite, task, "best", "mixture", k, depth, **pairs.columns())

    def _tasks(self) -> dict[tuple[str, str], list[ProbeKey]]:
        tasks = _by_task(self.clusters)
        return tasks | ({(MERGED, MERGED): list(self.clusters)} if len(tasks) > 1 else {})

    def _any(self, key: ProbeKey) -> Verdict:
        return right_if_any(verdicts[key] for verdicts in self.verdicts.values())


def right_if_any(verdicts: Iterable[Verdict]) -> Verdict:
    """Right if any is; open if that is possible; otherwise the furthest that any came."""
    ranks: list[Verdict] = [*FAILURES, *reversed(OPEN), "correct"]
    return max(verdicts, key=ranks.index)


def _halves(clusters: Mapping[ProbeKey, Hashable]) -> Iterator[tuple[list[ProbeKey], list[ProbeKey]]]:
    """Each half of the probes, with the other one; probes of one row stay together, and every task is split in half."""
    half: dict[Hashable, int] = {}
    for keys in _by_task(clusters).values():
        mixed = sorted(dict.fromkeys(clusters[key] for key in keys), key=digest)
        half |= {cluster: place % 2 for place, cluster in enumerate(mixed)}
    for side in (0, 1):
        yield (
            [key for key, cluster in clusters.items() if half[cluster] == side],
            [key for key, cluster in clusters.items() if half[cluster] != side],
        )


def digest(cluster: Hashable) -> str:
    return hashlib.sha256(repr(cluster).encode()).hexdigest()


def _by_task(keys: Iterable[ProbeKey]) -> dict[tuple[str, str], list[ProbeKey]]:
    tasks = defaultdict[tuple[str, str], list[ProbeKey]](list)
    for key in keys:
        tasks[key[:2]].append(key)
    return dict(tasks)


def _means(verdicts: Mapping[str, Mapping[ProbeKey, Verdict]], keys: Sequence[ProbeKey]) -> dict[str, float]:
    """The mean success of each system over the tasks of these probes, each task counting alike."""
    tasks = _by_task(keys).values()
    return {
        system: fmean(fmean(found[key] == "correct" for key in each) for each in tasks) if tasks else 0.0
        for system, found in verdicts.items()
    }


def most_chosen(chosen: Mapping[ProbeKey, str], keys: Sequence[ProbeKey]) -> str:
    """Who was chosen for these probes, the one with more of them first."""
    names = [chosen[key] for key in keys]
    return " / ".join(sorted(dict.fromkeys(names), key=lambda name: -names.count(name)))
