"""Sweeps: many runs that differ in one or a few things, and one table over all of them.

>>> found = sweep("bm25", "dense", suite="meme", k=[5, 20], vary={"filler": ["none", "32k"]})  # doctest: +SKIP
>>> pandas.json_normalize(found.table())  # doctest: +SKIP
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NotRequired

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from memtriage import registry
from memtriage.config import DEFAULT_SYSTEMS, Limits, RunConfig
from memtriage.core.errors import BadInput, BadRun, unknown
from memtriage.host.environment import passing
from memtriage.host.files import failure_reason, read_inside, write_inside
from memtriage.host.sealed import BrokenSeal, open_document, seal_document
from memtriage.pipeline.bill import spent
from memtriage.pipeline.dry_run import dry_run as estimate_config
from memtriage.pipeline.estimate import Estimate
from memtriage.pipeline.models import check_models
from memtriage.pipeline.run import Run, finished_run, refuse_other_settings, run_or_resume
from memtriage.pipeline.where import on_cluster
from memtriage.record.journal import first_problem
from memtriage.record.manifest import claim
from memtriage.runner import plan as planning
from memtriage.runner.watcher import Watcher
from memtriage.studies import grid
from memtriage.studies.grid import Axis, Cell
from memtriage.tables.sweep import SweepRow, SweepRun, sweep_row_json, sweep_rows

FILE = "sweep.json"
SCHEMA = "memtriage.sweep/3"
"""Version 2 had no rows over all tasks and no measures."""

_AGAIN = "delete it and give the command of the sweep again: its finished runs are kept"

CEILING = ("gold-facts", "full-context", "none")
"""Systems that show the best and the worst possible results."""

_SETTINGS = tuple(name for name in inspect.signature(RunConfig.of).parameters if name not in ("systems", "answers"))


class SweepWatcher(Watcher):
    """Follows the cells of a sweep besides the progress of each run; this base class does nothing."""

    def cells(self, weights: Sequence[int]) -> None:
        """There are this many runs to make; a weight is the number of systems in a run."""

    def cell(self, number: int, name: str) -> None:
        """A run is started or continued."""


@dataclass(frozen=True, slots=True)
class SavedCell:
    """One cell as `sweep.json` stores it: its folder, its values, and the table's names for its systems."""

    folder: str
    values: Mapping[str, str]
    systems: Mapping[str, str]


class Sweep:
    """A sweep on disk: its axes, its runs, its table."""

    def __init__(self, path: Path, stopped: str | None = None) -> None:
        self.path = path
        self.stopped = stopped
        record = _record(path)
        self.axes = record["axes"]
        self.suites = record["suites"]
        self.cells = [
            SavedCell(_plain_name(cell["folder"], self.path), cell["values"], cell["systems"])
            for cell in record["cells"]
        ]

    def runs(self) -> Iterator[tuple[SavedCell, Run]]:
        """The finished runs, each with its cell."""
        for cell in self.cells:
            run = finished_run(self.path / cell.folder)
            if run is not None:
                yield cell, run

    @property
    def left(self) -> list[str]:
        """The folders of runs that are missing or unfinished."""
        done = {cell.folder for cell, _ in self.runs()}
        return [cell.folder for cell in self.cells if cell.folder not in done]

    def rows(self) -> list[SweepRow]:
        """The table: one row per task, system, k and values, then over all tasks; seeds share a row."""
        return sweep_rows((_sweep_run(cell, run, self.axes) for cell, run in self.runs()), self.axes)

    def table(self) -> list[dict[str, Any]]:
        """The table as records, ready for `pandas.json_normalize`."""
        return [sweep_row_json(row) for row in self.rows()]

    @property
    def errors(self) -> int:
        """How many probes could not be graded because of an error."""
        return sum(row.errors for row in self.rows() if row.over == "task")


def sweep(
    *systems: object,
    vary: Mapping[str, Sequence[object]] | None = None,
    ceiling: bool = False,
    out: str | Path | None = None,
    retry_errors: bool = False,
    watcher: Watcher | None = None,
    **settings: Any,
) -> Sweep:
    """Run a grid: every combination of the varied values is an ordinary run in one folder.

    `vary` names settings of `memtriage.run` (internal, embed, answer, judge, seed, rows, data), options of the suite,
    or constructor arguments of systems. Everything else is as in `memtriage.run`. Calling it again continues:
    finished runs are skipped, and one that was made with other settings is refused. `ceiling` adds the systems
    gold-facts, full-context and none. `max_cost` of the limits is for all runs together, however often they are
    continued; a call without one keeps the one before.
    """
    plan = _plan(systems, vary or {}, ceiling, out, settings)
    todo = plan.todo()
    with passing(plan.limits.pass_env):
        for cell, config in todo:
            _check_cell(cell, config)
    with on_cluster(plan.limits.on), claim(plan.path):
        _check_axes(plan)  # of a process that held it until now
        _write(plan)
        return _run(plan, todo, watcher or Watcher(), retry_errors)


def _run(plan: _Plan, todo: Sequence[tuple[Cell, RunConfig]], watcher: Watcher, retry_errors: bool) -> Sweep:
    path = plan.path
    if isinstance(watcher, SweepWatcher):
        watcher.cells([len(cell.systems) for cell, _ in todo])
    stopped = None
    for number, (cell, config) in enumerate(todo):
        if isinstance(watcher, SweepWatcher):
            watcher.cell(number, cell.folder)
        others = sum(spent(path / other.folder) for other in plan.cells if other is not cell)
        limits = plan.limits.after_spending(Decimal(others))
        run = run_or_resume(path / cell.folder, replace(config, limits=limits), watcher, retry_errors)
        if run.stopped:
            stopped = run.stopped
            break
    result = Sweep(path, stopped)
    _write(plan, result.table())
    return result


def dry_run(
    *systems: object,
    vary: Mapping[str, Sequence[object]] | None = None,
    ceiling: bool = False,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
    **settings: Any,
) -> tuple[list[tuple[str, Estimate]], Estimate]:
    """Estimate the model usage of a sweep: of each unfinished run, and in total."""
    todo = _plan(systems, vary or {}, ceiling, out, settings).todo()
    if isinstance(watcher, SweepWatcher):
        watcher.cells([len(cell.systems) for cell, _ in todo])
    estimates: list[tuple[str, Estimate]] = []
    for number, (cell, config) in enumerate(todo):
        if isinstance(watcher, SweepWatcher):
            watcher.cell(number, cell.folder)
        estimates.append((cell.folder, estimate_config(config, watcher)))
    stages: dict[tuple[str, str, str], Any] = {}
    for _, estimate in estimates:
        for stage in estimate.stages:
            key = (stage.role, stage.stage, stage.model)
            before = stages.get(key)
            more = {"low": before.low + stage.low, "high": before.high + stage.high} if before else {}
            stages[key] = replace(stage, **more)
    assumptions = dict.fromkeys(line for _, estimate in estimates for line in estimate.assumptions)
    return estimates, Estimate(tuple(stages.values()), tuple(assumptions))


def load(path: str | Path) -> Sweep:
    """Open a sweep, finished or not."""
    return Sweep(Path(path))


def is_sweep(path: str | Path) -> bool:
    """Whether a folder holds a sweep rather than a run."""
    return (Path(path) / FILE).is_file()


def default_path(suites: Sequence[str], varied: Sequence[str]) -> Path:
    """The default folder of a sweep, named by its suites and axes, so that the same sweep finds it again."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(["sweep", *suites, *varied]).lower()).strip("-")
    return Path("runs") / name


# ------------------------------------------------------------------ the plan


@dataclass(frozen=True, slots=True)
class _Plan:
    path: Path
    suites: tuple[str, ...]
    axes: tuple[Axis, ...]
    cells: tuple[Cell, ...]
    limits: Limits
    command: str | None

    def todo(self) -> list[tuple[Cell, RunConfig]]:
        """The cells without a finished run, each with its configuration."""
        _check_axes(self)
        common: dict[str, Any] = {"limits": self.limits, "command": self.command}
        runs = ((cell, RunConfig.of(*cell.systems.values(), **cell.settings, **common)) for cell in self.cells)
        return [(cell, config) for cell, config in runs if not _done(self.path / cell.folder, config)]


def _plan(
    systems: Sequence[object],
    vary: Mapping[str, Sequence[object]],
    ceiling: bool,
    out: str | Path | None,
    settings: Mapping[str, Any],
) -> _Plan:
    unknown_name = next((name for name in settings if name not in _SETTINGS), None)
    if unknown_name is not None:
        raise BadInput(unknown("setting of a sweep", unknown_name, _SETTINGS))
    chosen = {name: value for name, value in settings.items() if value is not None}
    limits, command = chosen.pop("limits", Limits()), chosen.pop("command", None)
    named = list(registry.system_specs(systems or DEFAULT_SYSTEMS))
    if ceiling:
        labels = {spec.label for spec in named}
        named += [registry.system(name) for name in CEILING if name not in labels]
    fixed = RunConfig.of(*named, **chosen)
    planning.refuse_unused_models(fixed.models, named)
    axes = grid.axes(vary, fixed.suites, named, chosen)
    each = {**chosen, "suite": fixed.suites, "k": fixed.ks, "seed": fixed.request.seed}
    path = Path(out) if out is not None else default_path(fixed.suites, [axis.name for axis in axes])
    if limits.max_cost is None and (path / FILE).exists():
        limits = replace(limits, max_cost=_max_cost(path))
    return _Plan(path, fixed.suites, axes, grid.cells(axes, named, each), limits, command)


def _check_cell(cell: Cell, config: RunConfig) -> None:
    """Find problems now that would end the sweep hours later: a missing key, library or argument."""
    check_models(config.grading, config.limits, config.models["internal"])
    planning.refuse_unready_systems(config.systems, config.models)
    for spec in config.systems:
        if spec.label not in cell.systems:  # its arguments are varied
            registry.with_models(spec, config.models).build().close()


def _done(folder: Path, config: RunConfig) -> bool:
    """Whether a run is finished without errors."""
    if not (folder / "run.json").exists():
        return False
    refuse_other_settings(folder, config)
    run = finished_run(folder)
    return run is not None and not run.errors


# ------------------------------------------------------------------ the disk


class _SavedCell(TypedDict):
    folder: str
    values: dict[str, str]
    systems: dict[str, str]


class _SavedSweep(TypedDict):
    """What is read of `sweep.json` again; its rows are for others, and worked out anew from the runs."""

    schema: Literal["memtriage.sweep/2", "memtriage.sweep/3"]
    suites: list[str]
    axes: dict[str, list[str]]
    max_cost: NotRequired[str | None]
    cells: list[_SavedCell]


_SWEEP = TypeAdapter(_SavedSweep)


def _record(path: Path) -> _SavedSweep:
    try:
        return _SWEEP.validate_python(open_document(read_inside(path, FILE)))
    except FileNotFoundError as error:
        raise BadRun(f"{path} holds no sweep: it has no {FILE}") from error
    except ValidationError as error:
        raise BadRun(f"{path / FILE} is damaged ({first_problem(error)}); {_AGAIN}") from error
    except (OSError, BrokenSeal) as error:
        raise BadRun(f"{path / FILE} is damaged ({error}); {_AGAIN}") from error


def _plain_name(folder: object, path: Path) -> str:
    """The name of a run's folder, which never leads out of the sweep's."""
    if not isinstance(folder, str) or "/" in folder or folder in ("", ".", ".."):
        raise BadRun(f"{path / FILE}: {folder!r} is not the name of a folder beside it")
    return folder


def _max_cost(path: Path) -> Decimal | None:
    """The cost limit that a sweep was given before."""
    given = _record(path).get("max_cost")
    try:
        return None if given is None else Decimal(given)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise BadRun(f"{path / FILE} is damaged: {given!r} is not a cost limit") from error


def _check_axes(plan: _Plan) -> None:
    """Refuse a sweep over other axes in the same folder; more values of the same axes are fine."""
    path = plan.path
    if (path / "run.json").exists():
        raise BadRun(f"{path} holds a single run; choose another --out for the sweep")
    if not (path / FILE).exists():
        return
    before, now = list(_record(path)["axes"]), [axis.name for axis in plan.axes]
    if before != now:
        axes = (", ".join(names) or "nothing but k" for names in (before, now))
        raise BadRun("{} holds a sweep over {}, and this one is over {}; choose another --out".format(path, *axes))


def _write(plan: _Plan, rows: Sequence[Mapping[str, Any]] = ()) -> None:
    record = {
        "schema": SCHEMA,
        "suites": list(plan.suites),
        "axes": {axis.name: list(axis.values) for axis in plan.axes},
        "max_cost": None if plan.limits.max_cost is None else str(plan.limits.max_cost),
        "cells": [
            {
                "folder": cell.folder,
                "values": dict(cell.values),
                "systems": {spec.label: name for name, spec in cell.systems.items()},
            }
            for cell in plan.cells
        ],
        "rows": list(rows),
    }
    try:
        write_inside(plan.path, FILE, seal_document(record))
    except OSError as error:
        raise BadRun(f"{plan.path / FILE} can't be written: {failure_reason(error)}") from error


def _sweep_run(cell: SavedCell, run: Run, axes: Iterable[str]) -> SweepRun:
    values = tuple((axis, cell.values.get(axis, "")) for axis in axes)
    return SweepRun(cell.folder, values, cell.systems, run.verdicts, run.stores, run.manifest.get("data") is None)
