"""Suites: named lists of tasks that yield episodes."""

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
    """Which data a run wants: generated rows by seed, or released files below `data`.

    With `paper_exact`, conversations are laid out as the paper's own harness does, where that is something else.
    """

    seed: int = 42
    rows: int | None = None
    data: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    paper_exact: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """The episodes of one task and their origin, which the run records.

    With `replies`, the run's answering model replies to what users say, and the replies are stored with it: it is the
    instruction that the model gets.
    """

    episodes: Iterable[Episode]
    provenance: Mapping[str, object]
    replies: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of episode: its full name, what it tests, and how to load its episodes.

    An `extra` task goes beyond the suite's paper and only runs if it is asked for by name.
    """

    name: str
    summary: str
    rows: int
    load: Callable[[Request], Loaded]
    options: Mapping[str, str] = field(default_factory=dict)
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that rows of a data file break: an error, or only a warning."""

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
"""Reports progress: what is being worked on, and how much of it is done (0 to 1)."""


class DataTools(Protocol):
    """What a suite can do with data files: generate, check and download them."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        """Write generated rows for the tasks, with a record of how they were made; `options` are those of the tasks."""

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
        """Download the released files, with revision and hashes; the option `split` says which, if several exist.

        `max_minutes` and `accept_changed` (yes) are given if the user set them.
        """


AnswerMeasure = Callable[[str, Sequence[str]], float]
"""A measure of an answer against the gold answers."""

Cell = str | int | float | None
"""A value in a table: words, a number, or None where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table about a suite's data, with the rows and columns that its paper prints.

    A cell may hold several values, for groups that share a row; they are printed as in 26/31/20/23.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell | tuple[Cell, ...], ...], ...]


def cell_text(cell: Cell | tuple[Cell, ...]) -> str:
    """A cell as tables show it.

    >>> cell_text((26, 31)), cell_text(12.4), cell_text(0.523), cell_text(1200), cell_text(None)
    ('26/31', '12', '0.52', '1,200', '–')
    """
    if isinstance(cell, tuple):
        return "/".join(cell_text(value) for value in cell)
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 10 else f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


Statistics = Callable[[Sequence[str], Request], Iterable[DataTable]]
"""Counts the data of some tasks (named without the suite), generated or released, for the tables of the paper."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark: a list of tasks with its paper, licence and version.

    `rubrics` are by full task name, also that of a probe's own task. `scorer` grades answers from elsewhere.
    `answer_measures` are extra measures of answers that are graded by words, by task and name.
    `unscored` are tasks of probes that are only asked for the sake of others and get no score of their own.
    `dated` says that its sessions have dates of their own, with which memories are shown; else dates only keep order.
    `statistics` makes the tables that its paper prints about the data.
    `axes` places tasks in a grid of two axes, such as MEME's entities and time.
    `groups` puts tasks into groups that the paper averages first, such as MemoryAgentBench's competencies.
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
    dated: bool = True
    statistics: Statistics | None = None
    axes: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)
    groups: Mapping[str, str] = field(default_factory=dict, hash=False)

    def select(self, task: str | None) -> tuple[Task, ...]:
        """The tasks of the suite's paper, or only the one with this name (without the suite's prefix)."""
        if task is None:
            return tuple(t for t in self.tasks if not t.extra)
        chosen = tuple(t for t in self.tasks if t.name == f"{self.name}/{task}")
        if not chosen:
            known = [t.name.removeprefix(f"{self.name}/") for t in self.tasks]
            raise BadInput(unknown(f"task of suite {self.name}", task, known))
        return chosen
