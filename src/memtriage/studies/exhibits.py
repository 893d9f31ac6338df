"""What a table or figure of a paper is: which runs bring its numbers, its columns, and what the paper printed.

An exhibit is declared, not programmed. `memtriage.studies.reproduce` runs it and fills it in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtriage.core.amount import K

MODELS = ("internal", "answer", "judge", "embed")
"""Roles for which several models may be named, where an exhibit varies them."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: the suite that follows it, its title, and how it is cited."""

    suite: str
    title: str
    cite: str


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs that bring numbers, at the paper's size: a sweep.

    Exhibits that share a trial share its runs. `systems` run if the user names none: memtriage's counterparts of the
    paper's systems, as far as they can run. `rows` is the paper's number for each task, which `--scale` multiplies.
    `vary` are axes with the paper's values; axes of `models` take the models that the user names. `small` replaces
    settings for `--scale small`: rows, k, options, vary.
    """

    id: str
    suite: tuple[str, ...]
    systems: tuple[str, ...]
    rows: int | None = None
    k: tuple[K, ...] = (10,)
    options: Mapping[str, str] = field(default_factory=dict)
    vary: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    small: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a number (`memtriage.tables.values`) over the questions of some tasks, at one k and one setting.

    `tasks` are pooled; none means all. Without a `k` it is the row's, or the largest. `where` picks values on varied
    axes, `tags` those of questions. With `mean_of`, it is the mean of other columns of the row. With `over_first`, it
    is another column of the row, as a multiple of what that is in the first row of the same system.
    """

    label: str
    number: str = "accuracy"
    tasks: tuple[str, ...] = ()
    k: K | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    trial: str = ""
    mean_of: tuple[str, ...] = ()
    over_first: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Printed:
    """A row as the paper prints it: its label, its numbers by column (None: none), and who it is here.

    `system` is the counterpart in memtriage. `at` are its values on the exhibit's row axes, such as k.
    """

    label: str
    numbers: tuple[float | None, ...]
    system: str = ""
    at: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    average: bool = False


@dataclass(frozen=True, slots=True)
class Runs:
    """An exhibit that comes from runs.

    A row is a system, at each value of `row_axes` (`k`, or an axis of the trial). Several trials may bring columns:
    each column names its trial, or else it is the first. `average` is the label of a last row, the mean of the others.
    """

    trials: tuple[Trial, ...]
    columns: tuple[Column, ...]
    printed: tuple[Printed, ...] = ()
    row_axes: tuple[str, ...] = ()
    average: str = ""
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Statistics:
    """An exhibit about data: the table of this title among those that `memtriage data stats` prints for `suite`.

    `printed` are the paper's lines, with the same columns. `rows` is the paper's number for each task.
    """

    suite: str
    table: str
    printed: tuple[tuple[str, ...], ...] = ()
    rows: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """An exhibit that lists settings or names: the paper's, beside what memtriage has."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An exhibit that another command brings."""

    command: str
    why: str


@dataclass(frozen=True, slots=True)
class NotHere:
    """An exhibit with nothing to reproduce, and why."""

    why: str


_STAGES = ("ingest", "retrieve", "answer", "inference")
_SPENT = frozenset(f"{stage}_{what}" for stage in _STAGES for what in ("dollars", "input", "output")) | {"dollars"}
"""Numbers that there are only with a model inside a system."""

Source = Runs | Statistics | Listing | Elsewhere | NotHere


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of a paper. `id` is `paper/table-2`; `differs` says where the setup here is another."""

    id: str
    title: str
    source: Source
    differs: tuple[str, ...] = ()

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]

    @property
    def needs(self) -> str:
        """What it can't do without, in words: a key, a model that answers, a judge, several models of one role."""
        if not isinstance(self.source, Runs):
            return "another command" if isinstance(self.source, Elsewhere) else "nothing"
        roles = dict.fromkeys(role for trial in self.source.trials for role in trial.models)
        numbers = {column.number for column in self.source.columns if not column.mean_of and not column.over_first}
        needed = [f"several --{role}" for role in roles]
        needed += [f"--{role}" for role in ("answer", "judge") if "right" in numbers and role not in roles]
        needed += ["--internal"] if not needed and numbers <= _SPENT else []
        return ", ".join(needed) or ("no key *" if "accuracy" in numbers else "no key")
