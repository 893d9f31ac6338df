"""What came back for a question: how many memories and tokens each system brought at each k."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtriage.core.amount import K, k_order
from memtriage.core.verdict import ProbeVerdict
from memtriage.registry import unscored
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.table import MERGED, REFERENCES, Tally, cluster_of

_Key = tuple[str, str, K, str]
"""Task, system, k, depth."""


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One system at one k, in one task or in `all`: means over the `n` questions that were asked without an error.

    `least_*` and `most_*` are those of single questions; for `empty` of them nothing came back. Memories and tokens are
    None if nothing is known. `success` is that of the table, pooled where the task is `all`.
    """

    task: str
    system: str
    k: K
    depth: str
    n: int
    items: float | None
    least_items: int
    most_items: int
    tokens: float | None
    least_tokens: int
    most_tokens: int
    empty: int
    success: float | None
    low: float
    high: float


class _Cell:
    def __init__(self) -> None:
        self.tally = Tally()
        self.items: list[int] = []
        self.tokens: list[int] = []

    def add(self, probe: ProbeVerdict) -> None:
        self.tally.add(probe.verdict, cluster_of(probe))
        if probe.verdict != "error" and probe.error is None and probe.context_tokens is not None:
            self.items.append(probe.k_returned)
            self.tokens.append(probe.context_tokens)

    def row(self, key: _Key) -> ContextRow:
        n, (low, high) = len(self.items), self.tally.interval
        return ContextRow(
            *key,
            n=n,
            items=sum(self.items) / n if n else None,
            least_items=min(self.items, default=0),
            most_items=max(self.items, default=0),
            tokens=sum(self.tokens) / n if n else None,
            least_tokens=min(self.tokens, default=0),
            most_tokens=max(self.tokens, default=0),
            empty=self.items.count(0),
            success=self.tally.success,
            low=low,
            high=high,
        )


def context_rows(probes: Iterable[ProbeVerdict]) -> list[ContextRow]:
    """A row per task, system and k, and, where there are several tasks, over all of them first."""
    cells: dict[_Key, _Cell] = {}
    places: dict[str, int] = {}
    for probe in at_graded_depth(probes):
        for name in (f"task {probe.task}", f"system {probe.system}"):
            places.setdefault(name, len(places))
        cells.setdefault((probe.task, probe.system, probe.k, probe.depth), _Cell()).add(probe)
        if not unscored(probe.task):
            cells.setdefault((MERGED, probe.system, probe.k, probe.depth), _Cell()).add(probe)
    if len({task for task, *_ in cells}) == 2:  # a single task, and all of them
        cells = {key: cell for key, cell in cells.items() if key[0] != MERGED}
    places[f"task {MERGED}"] = -1

    def place(key: _Key) -> tuple[int, tuple[int, int], bool, int, str]:
        return places[f"task {key[0]}"], k_order(key[2]), key[1] in REFERENCES, places[f"system {key[1]}"], key[3]

    return [cells[key].row(key) for key in sorted(cells, key=place)]
