"""How much of its stores each system made up: invented memories and contradicting pairs, by task and over all tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memtriage.core.memory_check import MemoryCheck
from memtriage.metrics.statistics import wilson
from memtriage.tables.table import MERGED


@dataclass(frozen=True, slots=True)
class FalseMemories:
    """One system on one task.

    `memories` are those of its stores that could be listed and filled without an error. The share of invented ones is
    `share`, with its 95 % interval; `uncertain` ones are not among them, though some may be invented too. `pairs` are
    contradicting ones. `na` and `errors` count the stores that are left out.
    """

    suite: str
    task: str
    system: str
    stores: int
    na: int
    errors: int
    memories: int
    supported: int
    invented: int
    uncertain: int
    pairs: int

    @property
    def share(self) -> float | None:
        return self.invented / self.memories if self.memories else None

    @property
    def low(self) -> float | None:
        return wilson(self.invented, self.memories).low if self.memories else None

    @property
    def high(self) -> float | None:
        return wilson(self.invented, self.memories).high if self.memories else None


def false_memories(checks: Iterable[MemoryCheck]) -> list[FalseMemories]:
    """One row per task and system in the order of the run, then one per system over all tasks if there are several."""
    counts: dict[tuple[str, str], _Counts] = {}
    for check in checks:
        counts.setdefault((check.task, check.system), _Counts(check.suite)).add(check)
    if len({task for task, _ in counts}) > 1:
        merged: dict[tuple[str, str], _Counts] = {}
        for (_, system), one in counts.items():
            merged.setdefault((MERGED, system), _Counts("")).join(one)
        counts |= merged
    return [one.row(task, system) for (task, system), one in counts.items()]


@dataclass(slots=True)
class _Counts:
    suite: str
    stores: int = 0
    na: int = 0
    errors: int = 0
    numbers: list[int] = field(default_factory=lambda: [0] * 5)

    def add(self, check: MemoryCheck) -> None:
        self.stores += 1
        if check.error:
            self.errors += 1
        elif check.memories is None:
            self.na += 1
        else:
            found = (check.memories, check.supported, check.invented, check.uncertain, check.contradicting)
            self._plus(found)

    def join(self, other: _Counts) -> None:
        self.stores += other.stores
        self.na += other.na
        self.errors += other.errors
        self._plus(other.numbers)

    def _plus(self, numbers: Iterable[int]) -> None:
        self.numbers = [one + more for one, more in zip(self.numbers, numbers, strict=True)]

    def row(self, task: str, system: str) -> FalseMemories:
        return FalseMemories(self.suite, task, system, self.stores, self.na, self.errors, *self.numbers)
