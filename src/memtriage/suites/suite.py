"""What a suite is: a named list of tasks, each of which yields episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memtriage.episode import Episode
from memtriage.errors import BadInput, unknown


@dataclass(frozen=True, slots=True)
class Request:
    """Which data a run wants: generated rows by seed, or released files below `data`."""

    seed: int = 42
    rows: int | None = None
    data: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The episodes of one task, and where they come from (recorded in the run)."""

    episodes: Iterable[Episode]
    provenance: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of episode: its full name, what it stresses, and how its episodes are made."""

    name: str
    summary: str
    rows: int
    load: Callable[[Request], Loaded]
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark: a list of tasks with its paper, licence and version."""

    name: str
    title: str
    paper: str
    licence: str
    version: str
    tasks: tuple[Task, ...]

    def select(self, task: str | None) -> tuple[Task, ...]:
        """All tasks, or the one named without the suite's prefix."""
        if task is None:
            return self.tasks
        chosen = tuple(t for t in self.tasks if t.name == f"{self.name}/{task}")
        if not chosen:
            known = [t.name.removeprefix(f"{self.name}/") for t in self.tasks]
            raise BadInput(unknown(f"task of suite {self.name}", task, known))
        return chosen
