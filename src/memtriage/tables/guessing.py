"""Right answers to lettered questions without their evidence, against what guessing would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import FAILURES, ProbeVerdict
from memtriage.metrics.letters import says_cant_tell
from memtriage.metrics.statistics import clustered_counts
from memtriage.tables.table import cluster_of

AgainstChance = Literal["above", "below", "as chance", ""]

_WITHOUT_EVIDENCE = tuple(verdict for verdict in FAILURES if verdict != "reasoning_error")

_Key = tuple[str, str, str, K, int]
"""Suite, task, system, k, number of choices."""


@dataclass(frozen=True, slots=True)
class Guessing:
    """One task, system, k and number of choices: the `n` answers without all of their evidence.

    `cant_tell` of them said so; of the other `guessed` ones, `right` were right. `share` is right / guessed, with its
    95 % interval, and `chance` is what picking any letter would give. `against_chance` says whether the interval lies
    above or below that: above, the questions can be answered without the memory, or from a part of what they need.
    """

    suite: str
    task: str
    system: str
    k: K
    choices: int
    n: int
    cant_tell: int
    guessed: int
    right: int
    share: float | None
    low: float
    high: float
    chance: float
    against_chance: AgainstChance


class _Cell:
    """The counts behind one row."""

    def __init__(self) -> None:
        self.cant_tell = 0
        self.clusters: dict[Hashable, tuple[int, int]] = {}

    def add(self, probe: ProbeVerdict) -> None:
        if says_cant_tell(probe.answer or "", ascii_uppercase[: probe.choices]):
            self.cant_tell += 1
            return
        n, right = self.clusters.get(cluster_of(probe), (0, 0))
        self.clusters[cluster_of(probe)] = (n + 1, right + (probe.right is True))

    def row(self, key: _Key) -> Guessing:
        counts = self.clusters.values()
        guessed, right = sum(n for n, _ in counts), sum(right for _, right in counts)
        low, high = clustered_counts(Counter(counts))
        chance = 1 / key[-1]
        against: AgainstChance = "above" if low > chance else "below" if high < chance else "as chance"
        return Guessing(
            *key,
            n=guessed + self.cant_tell,
            cant_tell=self.cant_tell,
            guessed=guessed,
            right=right,
            share=right / guessed if guessed else None,
            low=low,
            high=high,
            chance=chance,
            against_chance=against if guessed else "",
        )


def guessing(probes: Iterable[ProbeVerdict]) -> list[Guessing]:
    """The rows by task, system, k and number of choices; none without graded answers that lack their evidence."""
    cells: dict[_Key, _Cell] = {}
    for probe in probes:
        if probe.choices and probe.right is not None and probe.verdict in _WITHOUT_EVIDENCE:
            key = (probe.suite, probe.task, probe.system, probe.k, probe.choices)
            cells.setdefault(key, _Cell()).add(probe)
    places = {name: place for place, name in enumerate(dict.fromkeys(name for key in cells for name in key[1:3]))}
    ordered = sorted(cells, key=lambda key: (places[key[1]], places[key[2]], k_order(key[3]), key[4]))
    return [cells[key].row(key) for key in ordered]
