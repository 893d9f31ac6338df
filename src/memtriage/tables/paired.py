"""Questions asked before and after a change, counted as pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import ProbeVerdict

_Key = tuple[str, str, str, K, str]
"""Suite, task, system, k, filler."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The outcomes of the pairs of one task, system, k and level of filler.

    `trivial_rate` is the share of settled pairs that were right after the change without being known before; a score
    that only looks at the end would count them as success. It is None if all pairs are open.
    """

    suite: str
    task: str
    system: str
    k: K
    filler: str
    n: int
    credited: int
    knew_but_failed: int
    never_knew: int
    trivial: int
    open: int
    trivial_rate: float | None


def paired(probes: Iterable[ProbeVerdict]) -> list[Paired]:
    """The counts per task, system, k and filler, in order of appearance, k ascending."""
    cells: dict[_Key, Counter[str]] = {}
    for probe in probes:
        if "pair" in probe.tags:
            key = (probe.suite, probe.task, probe.system, probe.k, probe.tags.get("filler", ""))
            cells.setdefault(key, Counter())[probe.tags["pair"]] += 1
    tasks, systems = (list(dict.fromkeys(key[place] for key in cells)) for place in (1, 2))
    ordered = sorted(cells, key=lambda key: (tasks.index(key[1]), systems.index(key[2]), k_order(key[3])))
    return [_row(key, cells[key]) for key in ordered]


def trivial_rate(counts: Counter[str]) -> float | None:
    """The share of settled pairs that were right after the change without being known before."""
    settled = counts.total() - counts["open"]
    return counts["trivial"] / settled if settled else None


def _row(key: _Key, counts: Counter[str]) -> Paired:
    return Paired(
        *key,
        n=counts.total(),
        credited=counts["credited"],
        knew_but_failed=counts["knew_but_failed"],
        never_knew=counts["never_knew"],
        trivial=counts["trivial"],
        open=counts["open"],
        trivial_rate=trivial_rate(counts),
    )
