"""How the systems of a run stand over all tasks, and which of them can be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Literal

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import ProbeVerdict
from memtriage.metrics.statistics import Part, holm, mean_of_parts
from memtriage.registry import unscored
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.pairs import LEVEL, AskedProbes, ComparedCell, note, pair_up
from memtriage.tables.table import MERGED, FactRow, Row, Tally, cluster_of
from memtriage.tables.table import REFERENCES as REFERENCES

CONTRASTED = 12
"""How many systems are paired with each other, best first."""

_Key = tuple[str, K, str]
"""System, k, depth."""


@dataclass(frozen=True, slots=True)
class Overall(FactRow):
    """One system at one k over all tasks; those that are no score of their own, such as first halves of pairs, are not
    among them.

    `success` is pooled: correct / asked over the probes of all tasks. `mean` is the mean of the tasks' own successes,
    each task counting alike; `mean_low` and `mean_high` are its interval. Tokens are means of tasks too.
    """

    tasks: int
    mean: float | None
    mean_low: float
    mean_high: float
    tokens_per_memory: float | None
    context_tokens: float | None
    items: float | None = None

    @property
    def reference(self) -> bool:
        return self.system in REFERENCES


@dataclass(frozen=True, slots=True)
class Rival:
    """A system next to the one that succeeds most: paired with it (as B), and whether it is worse beyond doubt."""

    row: Overall
    pairs: ComparedCell
    worse: bool


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two ranked systems, paired; A ranks above B.

    `p` is corrected for all the pairs that are looked at (Holm). `apart` says whether they can be told apart even so,
    `alone` whether they could be if nobody had looked at another pair.
    """

    pairs: ComparedCell
    p: float
    alone: bool

    @property
    def apart(self) -> bool:
        return self.alone and self.p < LEVEL


@dataclass(frozen=True, slots=True)
class Standings:
    """Every system at every k over all tasks; `ranked` has each once, at its largest k and the greatest depth, best
    first and floor and ceilings last. `rivals` are those next to the best one; floor and ceilings are none. `errors`
    counts what each of them failed with there. `paired` are the best ones, paired before, if `asked` is not at hand.
    """

    rows: tuple[Overall, ...]
    ranked: tuple[Overall, ...]
    rivals: tuple[Rival, ...]
    asked: Mapping[str, AskedProbes] = field(default_factory=dict, repr=False)
    errors: Mapping[str, Counter[str]] = field(default_factory=dict, repr=False)
    paired: tuple[ComparedCell, ...] = field(default=(), repr=False)

    @property
    def contestants(self) -> tuple[Overall, ...]:
        """The ranked systems that are no floor or ceiling, or all of them if there are no others."""
        return _contestants(self.ranked)

    @property
    def leader(self) -> Overall | None:
        return next(iter(self.contestants), None)

    @property
    def unclear(self) -> tuple[Overall, ...]:
        """The systems that can't be told apart from the leader."""
        return tuple(rival.row for rival in self.rivals if not rival.worse)

    def pairs(self) -> tuple[ComparedCell, ...]:
        """Every two of the best systems, without floor and ceilings: A ranks above B."""
        best = self.contestants[:CONTRASTED]
        return self.paired or tuple(_paired(a, b, self.asked) for a, b in combinations(best, 2))

    def contrasts(self, most: int = CONTRASTED) -> list[Contrast]:
        """Every two of the `most` best systems, and whether they can be told apart."""
        cells = {(cell.system_a, cell.system_b): cell for cell in self.pairs()}
        found = [(a, b, cells[a.system, b.system]) for a, b in combinations(self.contestants[:most], 2)]
        corrected = holm([cell.p for _, _, cell in found])
        return [Contrast(cell, p, _is_worse(b, a, cell)) for (a, b, cell), p in zip(found, corrected, strict=True)]


def standings(probes: Iterable[ProbeVerdict], rows: Sequence[Row]) -> Standings:
    """The standings of a run from its verdicts and from the rows of its table."""
    rows = [row for row in rows if not unscored(row.task)] or rows
    tasks = {(row.suite, row.task) for row in rows}
    depth = "full" if any(row.depth == "full" for row in rows) else "memory"
    last = {row.system: row.k for row in sorted(rows, key=lambda row: k_order(row.k)) if row.depth == depth}
    paired = _to_be_paired(last)
    tallies: dict[_Key, Tally] = {}
    asked: dict[str, AskedProbes] = {}
    errors: dict[str, Counter[str]] = {}
    for probe in at_graded_depth(probes):
        if (probe.suite, probe.task) not in tasks:
            continue
        if probe.depth == depth and probe.k == last.get(probe.system):
            if probe.system in paired:
                note(asked.setdefault(probe.system, {}), probe)
            if probe.error:
                errors.setdefault(probe.system, Counter())[probe.error] += 1
        tally = tallies.setdefault((probe.system, probe.k, probe.depth), Tally())
        tally.add(probe.verdict, cluster_of(probe))
        tally.look(probe.facts)
    keys = dict.fromkeys((row.system, row.k, row.depth) for row in rows)
    found = tuple(_overall(*key, tallies[key], rows) for key in keys if key in tallies)
    ranked = [row for row in found if row.depth == depth and row.k == last.get(row.system)]
    ranked.sort(key=lambda row: (row.reference, row.success is None, -(row.success or 0.0), row.system))
    return Standings(found, tuple(ranked), tuple(_rivals(_contestants(ranked), asked)), asked, errors)


def _to_be_paired(systems: Collection[str]) -> Collection[str]:
    """The systems whose probes are paired: those that are no floor or ceiling, if there are two of them."""
    found = {system for system in systems if system not in REFERENCES} or {*systems}
    return found if len(found) > 1 else ()


def _contestants(ranked: Sequence[Overall]) -> tuple[Overall, ...]:
    return tuple(row for row in ranked if not row.reference) or tuple(ranked)


def _overall(system: str, k: K, depth: str, tally: Tally, table: Sequence[Row]) -> Overall:
    rows = [row for row in table if (row.system, row.k, row.depth) == (system, k, depth)]
    mean, low, high = mean_of_tasks([row for row in rows if row.asked])
    return Overall(
        suite=_only(row.suite for row in rows),
        task=_only(row.task for row in rows),
        system=system,
        k=k,
        depth=depth,
        **tally.columns(),
        tasks=sum(row.asked > 0 for row in rows) or len(rows),
        mean=mean,
        mean_low=low,
        mean_high=high,
        tokens_per_memory=_known_mean(row.tokens_per_memory for row in rows),
        context_tokens=_known_mean(row.context_tokens for row in rows),
        items=_known_mean(row.items for row in rows),
    )


def _only(names: Iterable[str]) -> str:
    found = set(names)
    return found.pop() if len(found) == 1 else MERGED


def _known_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def mean_of_tasks(
    rows: Sequence[Row], measure: Literal["success", "accuracy"] = "success"
) -> tuple[float | None, float, float]:
    """The mean of the tasks' scores and its interval."""
    mean, (low, high) = mean_of_parts(task_parts(rows, measure))
    return mean, low, high


def task_parts(rows: Sequence[Row], measure: Literal["success", "accuracy"] = "success") -> list[Part]:
    """The tasks' scores as parts of a mean."""
    parts = []
    for row in rows:
        if measure == "success":
            open = row.uncertain + row.error
            parts.append(Part(row.correct / row.asked, (row.correct + open) / row.asked, row.low, row.high))
        else:
            worst, failed = row.accuracy or 0.0, row.error / max(row.answered + row.error, 1)
            parts.append(Part(worst, worst + failed, row.accuracy_low, row.accuracy_high))
    return parts


def _rivals(contestants: Sequence[Overall], asked: Mapping[str, AskedProbes]) -> Iterator[Rival]:
    if not contestants:
        return
    leader, *others = contestants
    for row in others:
        cell = _paired(leader, row, asked)
        yield Rival(row, cell, _is_worse(row, leader, cell))


def _paired(a: Overall, b: Overall, asked: Mapping[str, AskedProbes]) -> ComparedCell:
    pairs = pair_up(asked[a.system], asked[b.system])
    return ComparedCell(b.suite, b.task, a.system, b.system, a.k, b.depth, **pairs.columns())


def _is_worse(row: Overall, leader: Overall, cell: ComparedCell) -> bool:
    """Whether a system does worse than the leader beyond doubt.

    The paired test says so if both were asked the same. If not, the intervals have to lie apart as well.
    """
    paired = cell.n + sum(count for reason, count in cell.excluded.items() if not reason.startswith("n/a"))
    apart = row.high < leader.low
    if not paired:
        return apart
    same = paired == row.asked == leader.asked
    return cell.better == "A" and (same or apart)
