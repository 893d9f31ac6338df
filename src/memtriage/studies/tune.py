"""Learn, from questions whose facts are known, which of several memories to trust with a question, and how far to go.

The members and their fusion are run on the questions as ordinary systems. A plan is fitted to what came of it. How good
it is, is told by plans that did not see the question: the rows are dealt into folds, and the questions of each fold are
routed by a plan that was fitted to the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from memtriage.config import RunConfig
from memtriage.core.errors import BadInput
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.pipeline.run import Run, run_or_resume
from memtriage.registry import mixture_members, unscored
from memtriage.runner.watcher import Watcher
from memtriage.systems.mixing.router import FUSED, Plan, looked_at
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.mixture import digest, most_chosen, right_if_any
from memtriage.tables.pairs import ComparedCell, Pairs, ProbeKey
from memtriage.tables.pairs import note as kept
from memtriage.tables.table import MERGED, FactRow, Tally

SCHEMA = "memtriage.tune/1"

FOLDS = 5
_FEWEST = 20
"""Rows below which nothing can be learned that would hold elsewhere."""

Way = Literal["alone", "fused", "best", "routed", "any"]
"""Each member alone; all fused; the member that is best elsewhere; the plan's choice; right if any of them is."""


@dataclass(frozen=True, slots=True)
class TunedRow(FactRow):
    """One way of using the members on a task, or on all; `size` is how many memories a question got on average."""

    way: Way
    size: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was learned, how good it is on questions it did not see, and the run it rests on."""

    plan: Plan
    rows: tuple[TunedRow, ...]
    gain: ComparedCell
    """The best single member (A) against the plan (B), on all tasks."""
    run: Path
    errors: int = 0
    """Probes that could not be graded."""

    def record(self) -> dict[str, Any]:
        """All of it as JSON."""
        rows = [asdict(row) for row in self.rows]
        return {"schema": SCHEMA, "plan": asdict(self.plan), "rows": rows, "gain": asdict(self.gain)}


def tune(
    members: str, out: str | Path, *, watcher: Watcher | None = None, retry_errors: bool = False, **settings: Any
) -> Tuned:
    """Run the members on the suite's questions, in `out`, and learn a plan for them at the largest k.

    Members are named as for the system `mixture`; settings are those of a run. The same call continues a run that was
    stopped.
    """
    names = [spec.label for spec in mixture_members(members)]
    config = RunConfig.of(*names, _fusion(names), **settings)
    if any(not isinstance(k, int) for k in config.ks):
        raise BadInput("a plan is learned at a number of memories; give --k numbers")
    done = run_or_resume(Path(out), config, watcher, retry_errors)
    if done.stopped:
        raise BadInput(f"{done.stopped}; the same command continues")
    return learn(done, names)


def learn(run: Run, members: Sequence[str]) -> Tuned:
    """The plan for members of a finished run that has their fusion too."""
    asked = _Asked.of(run, members)
    plan = asked.fitted(asked.keys)
    return Tuned(plan, tuple(asked.rows()), asked.gain(), run.path, run.errors)


def _fusion(members: Sequence[str]) -> str:
    return f"mixture:members={'+'.join(name.replace(',', ';') for name in members)}"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What every choice came to on every question, at every k, and what a plan would have looked at."""

    members: Sequence[str]
    ks: Sequence[int]
    verdicts: Mapping[str, Mapping[int, Mapping[ProbeKey, Verdict]]]
    clusters: Mapping[ProbeKey, Hashable]
    looks: Mapping[ProbeKey, list[float]]
    depth: str

    @classmethod
    def of(cls, run: Run, members: Sequence[str]) -> _Asked:
        choices = {name: name for name in members} | {_fusion(members): FUSED}
        found: dict[str, dict[int, dict[ProbeKey, tuple[Hashable, Verdict]]]] = {}
        brought: dict[ProbeKey, dict[str, list[str]]] = defaultdict(dict)
        questions: dict[ProbeKey, str] = {}
        depth = ""
        with run.reader as reader:
            probes = [probe for probe in at_graded_depth(reader.verdicts()) if _counts(probe, choices)]
            most = max((probe.k for probe in probes if isinstance(probe.k, int)), default=0)
            for probe in probes:
                assert isinstance(probe.k, int)  # as `_counts` has it
                key = kept(found.setdefault(choices[probe.system], {}).setdefault(probe.k, {}), probe)
                questions[key], depth = probe.question, probe.depth
                if probe.k == most and probe.system in members:
                    keys = [each.key for each in probe.retrieved]
                    texts = reader.texts(keys)
                    brought[key][probe.system] = [texts[each] for each in keys]
        if set(found) != {*members, FUSED}:
            raise BadInput(f"{run.path} lacks results of {', '.join(sorted({*members, FUSED} - set(found)))}")
        every = [per_k for each in found.values() for per_k in each.values()]
        clusters = {key: each[0] for key, each in found[FUSED][most].items() if all(key in one for one in every)}
        if len(set(clusters.values())) < _FEWEST:
            raise BadInput(
                f"{len(set(clusters.values()))} rows are too few to learn from; it takes at least {_FEWEST} (--rows)"
            )
        looks = {key: looked_at(questions[key], [brought[key].get(name, []) for name in members]) for key in clusters}
        verdicts = {
            name: {k: {key: each[key][1] for key in clusters} for k, each in per_k.items()}
            for name, per_k in found.items()
        }
        return cls(members, sorted(found[FUSED]), verdicts, clusters, looks, depth)

    @property
    def keys(self) -> list[ProbeKey]:
        return list(self.clusters)

    @property
    def k(self) -> int:
        return self.ks[-1]

    def fitted(self, keys: Sequence[ProbeKey]) -> Plan:
        """A plan that knows these questions."""
        right = {
            (name, k): np.array([found[k][key] == "correct" for key in keys], dtype=np.float64)
            for name, found in self.verdicts.items()
            for k in self.ks
        }
        return Plan.fit(self.members, [self.looks[key] for key in keys], right)

    def rows(self) -> Iterator[TunedRow]:
        """Every way, for each task and, where there are several, for all of them."""
        routed = self._routed()
        best = self._best()
        for (suite, task), keys in self._tasks().items():
            ways: list[tuple[Way, str, Callable[[ProbeKey], tuple[Verdict, int]]]] = [
                *(("alone", name, self._of(name)) for name in self.members),
                ("fused", FUSED, self._of(FUSED)),
                ("best", most_chosen(best, keys), lambda key: (self.verdicts[best[key]][self.k][key], self.k)),
                ("routed", most_chosen({key: choice for key, (choice, _) in routed.items()}, keys), self._by(routed)),
                (
                    "any",
                    MERGED,
                    lambda key: (right_if_any(each[self.k][key] for each in self.verdicts.values()), self.k),
                ),
            ]
            for way, name, outcome in ways:
                tally, sizes = Tally(), 0
                for key in keys:
                    verdict, size = outcome(key)
                    tally.add(verdict, self.clusters[key])
                    sizes += size
                yield TunedRow(
                    suite, task, name, self.k, self.depth, **tally.columns(), way=way, size=sizes / len(keys)
                )

    def gain(self) -> ComparedCell:
        best, routed = self._best(), self._by(self._routed())
        pairs = Pairs()
        for key, cluster in self.clusters.items():
            pairs.add(cluster, self.verdicts[best[key]][self.k][key], routed(key)[0])
        return ComparedCell(MERGED, MERGED, "best", "routed", self.k, self.depth, **pairs.columns())

    def _of(self, name: str) -> Callable[[ProbeKey], tuple[Verdict, int]]:
        return lambda key: (self.verdicts[name][self.k][key], self.k)

    def _by(self, routed: Mapping[ProbeKey, tuple[str, int]]) -> Callable[[ProbeKey], tuple[Verdict, int]]:
        return lambda key: (self.verdicts[routed[key][0]][routed[key][1]][key], routed[key][1])

    def _routed(self) -> dict[ProbeKey, tuple[str, int]]:
        """Whom a plan chooses that did not see the question, and how many memories it takes."""
        chosen: dict[ProbeKey, tuple[str, int]] = {}
        for held_out, seen in self._folds():
            plan = self.fitted(seen)
            for key in held_out:
                choice = plan.choose(self.looks[key])
                chosen[key] = choice.name, choice.size
        return chosen

    def _best(self) -> dict[ProbeKey, str]:
        """The member that does best on the other folds."""
        best: dict[ProbeKey, str] = {}
        for held_out, seen in self._folds():
            success = {name: _success(self.verdicts[name][self.k], seen) for name in self.members}
            best |= dict.fromkeys(held_out, max(success, key=lambda name: success[name]))
        return best

    def _folds(self) -> Iterator[tuple[list[ProbeKey], list[ProbeKey]]]:
        """Each fold and the rest; questions of one row stay together, every task is dealt out evenly."""
        fold: dict[Hashable, int] = {}
        for (_, task), keys in self._tasks().items():
            if task != MERGED:
                dealt = sorted(dict.fromkeys(self.clusters[key] for key in keys), key=digest)
                fold |= {cluster: place % FOLDS for place, cluster in enumerate(dealt)}
        for side in range(FOLDS):
            held_out = [key for key, cluster in self.clusters.items() if fold[cluster] == side]
            if held_out:
                yield held_out, [key for key, cluster in self.clusters.items() if fold[cluster] != side]

    def _tasks(self) -> dict[tuple[str, str], list[ProbeKey]]:
        tasks = defaultdict[tuple[str, str], list[ProbeKey]](list)
        for key in self.clusters:
            tasks[key[:2]].append(key)
        return dict(tasks) | ({(MERGED, MERGED): list(self.clusters)} if len(tasks) > 1 else {})


def _counts(probe: ProbeVerdict, choices: Mapping[str, str]) -> bool:
    return probe.system in choices and isinstance(probe.k, int) and probe.verdict != "n/a" and not unscored(probe.task)


def _success(verdicts: Mapping[ProbeKey, Verdict], keys: Sequence[ProbeKey]) -> float:
    return sum(verdicts[key] == "correct" for key in keys) / len(keys) if keys else 0.0
