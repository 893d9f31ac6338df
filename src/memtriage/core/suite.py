"""What a suite is: a named list of tasks, each of which yields episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from memtriage.core.chat import ChatModel
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, unknown
from memtriage.core.handed_in import Scorer
from memtriage.core.rubric import Rubric


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
    """One kind of episode: its full name, what it stresses, and how its episodes are made.

    One that is `extra` goes beyond the suite's paper: it is run only where it is asked for by name.
    """

    name: str
    summary: str
    rows: int
    load: Callable[[Request], Loaded]
    options: Mapping[str, str] = field(default_factory=dict)
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that some rows of a data file break; a warning is one that the data may live with."""

    message: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """One data file after validation."""

    task: str
    path: Path
    rows: int
    problems: tuple[Problem, ...]


Step = Callable[[str, float], None]
"""Hears what is being worked on, and how much of it is done (0 to 1)."""


class DataTools(Protocol):
    """What a suite can do with data files: make them, check them, fetch the released ones."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        """Write generated rows for the tasks, and beside them what made them; `options` are those of the tasks."""

    async def write(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        model: ChatModel,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        """The same, written by a model."""

    def validate(self, path: Path) -> Iterator[Checked]:
        """Check the files below a folder, one after the other."""

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        """Download the released files, with their revision and hashes; `split` names which, where there are several."""


AnswerMeasure = Callable[[str, Sequence[str]], float]
"""A measure of an answer against the gold answers."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark: a list of tasks with its paper, licence and version.

    `rubrics` are what a judge is asked, by the full name of a task or of a probe's own task; `scorer` grades answers
    that were given elsewhere. `answer_measures` are further measures of answers that words grade, by task and name.
    `unscored` are tasks of probes that are asked for the sake of others, and are no score of their own.
    """

    name: str
    title: str
    paper: str
    licence: str
    version: str
    tasks: tuple[Task, ...]
    data: DataTools | None = None
    rubrics: Mapping[str, Rubric] = field(default_factory=dict, hash=False)
    scorer: Scorer | None = None
    answer_measures: Mapping[str, Mapping[str, AnswerMeasure]] = field(default_factory=dict, hash=False)
    unscored: frozenset[str] = frozenset()

    def select(self, task: str | None) -> tuple[Task, ...]:
        """The tasks of the suite's paper, or the one named without the suite's prefix."""
        if task is None:
            return tuple(t for t in self.tasks if not t.extra)
        chosen = tuple(t for t in self.tasks if t.name == f"{self.name}/{task}")
        if not chosen:
            known = [t.name.removeprefix(f"{self.name}/") for t in self.tasks]
            raise BadInput(unknown(f"task of suite {self.name}", task, known))
        return chosen
