"""Studies: many runs that differ in one thing or a few, and one table over all of them.

>>> found = sweep("bm25", "dense", suite="meme", k=[5, 20], vary={"filler": ["none", "32k"]})  # doctest: +SKIP
>>> pandas.DataFrame(found.table())  # doctest: +SKIP
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memtriage import registry
from memtriage.config import DEFAULT_SYSTEMS, Limits, RunConfig
from memtriage.core.errors import BadInput, BadRun, unknown
from memtriage.host.files import failure_reason, write_whole
from memtriage.pipeline.dry_run import dry_run as estimate_config
from memtriage.pipeline.estimate import Estimate
from memtriage.pipeline.models import check_models, spent
from memtriage.pipeline.run import Run, finished_run, refuse_other_settings, run_or_resume
from memtriage.runner import plan as planning
from memtriage.runner.store_runner import Watcher
from memtriage.studies import grid
from memtriage.studies.grid import Axis, Cell
from memtriage.tables.sweep import Row, Source, row_json, rows

FILE = "sweep.json"
SCHEMA = "memtriage.sweep/1"

CEILING = ("gold-facts", "full-context", "none")
"""Systems that say how much is left to a memory: the ceilings and the floor."""

_SETTINGS = tuple(name for name in inspect.signature(RunConfig.of).parameters if name not in ("systems", "answers"))


class SweepWatcher(Watcher):
    """Hears of cells beside what a run tells; this one does nothing with it."""

    def cells(self, weights: Sequence[int]) -> None:
        """So many runs are to be made; a weight is the number of a run's systems."""

    def cell(self, number: int, name: str) -> None:
        """A run is begun, or continued."""


@dataclass(frozen=True, slots=True)
class Part:
    """One cell as `sweep.json` keeps it: its folder, its values, and its systems' names there and in the table."""

    folder: str
    values: Mapping[str, str]
    systems: Mapping[str, str]


class Sweep:
    """A sweep as it is on disk: what it varies, its runs, its table."""

    def __init__(self, path: Path, stopped: str | None = None) -> None:
        self.path = path
        self.stopped = stopped
        record = _record(path)
        try:
            self.axes: dict[str, list[str]] = record["axes"]
            self.suites: list[str] = record["suites"]
            self.parts = [Part(part["folder"], part["values"], part["systems"]) for part in record["cells"]]
        except (KeyError, TypeError) as error:
            raise BadRun(f"{path / FILE} is damaged: it lacks {error}") from error

    def runs(self) -> Iterator[tuple[Part, Run]]:
        """The runs that are finished."""
        for part in self.parts:
            run = finished_run(self.path / part.folder)
            if run is not None:
                yield part, run

    @property
    def left(self) -> list[str]:
        """The folders of runs that are not there yet, or not finished."""
        done = {part.folder for part, _ in self.runs()}
        return [part.folder for part in self.parts if part.folder not in done]

    def rows(self) -> list[Row]:
        """The table: one row per task, system, k and varied values; seeds are repeats of one row."""
        return rows((_source(part, run, self.axes) for part, run in self.runs()), self.axes)

    def table(self) -> list[dict[str, Any]]:
        """The table as records, ready for pandas."""
        return [row_json(row) for row in self.rows()]

    @property
    def errors(self) -> int:
        """How many probes could not be graded because something raised."""
        return sum(row.errors for row in self.rows())


def sweep(
    *systems: object,
    vary: Mapping[str, Sequence[object]] | None = None,
    ceiling: bool = False,
    out: str | Path | None = None,
    retry_errors: bool = False,
    watcher: Watcher | None = None,
    **settings: Any,
) -> Sweep:
    """Run a grid: every combination of the varied values is an ordinary run below one folder.

    `vary` names settings of `memtriage.run` (internal, embed, answer, judge, seed, rows, data), options of the suite,
    or constructor arguments of systems. Everything else is as in `memtriage.run`. The same sweep again continues:
    finished runs are skipped, and one that was made with other settings is refused. `ceiling` adds the systems
    gold-facts, full-context and none. `max_cost` of the limits is for all runs together.
    """
    plan = _plan(systems, vary or {}, ceiling, settings)
    path = Path(out) if out is not None else default_path(plan.suites, [axis.name for axis in plan.axes])
    _same_axes(path, plan)
    todo = [(cell, config) for cell, config in plan.runs() if not _done(path / cell.folder, config)]
    for cell, config in todo:
        _can_begin(cell, config)
    _write(path, plan)
    watcher = watcher or Watcher()
    if isinstance(watcher, SweepWatcher):
        watcher.cells([len(cell.systems) for cell, _ in todo])
    stopped = None
    limits = plan.limits
    for number, (cell, config) in enumerate(todo):
        if isinstance(watcher, SweepWatcher):
            watcher.cell(number, cell.folder)
        before = spent(path / cell.folder)
        run = run_or_resume(path / cell.folder, replace(config, limits=limits), watcher, retry_errors)
        limits = limits.after_spending(spent(run.path) - before)
        if run.stopped:
            stopped = run.stopped
            break
    found = Sweep(path, stopped)
    _write(path, plan, found.table())
    return found


def dry_run(
    *systems: object,
    vary: Mapping[str, Sequence[object]] | None = None,
    ceiling: bool = False,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
    **settings: Any,
) -> tuple[list[tuple[str, Estimate]], Estimate]:
    """What a sweep would take of its models: an estimate for each run that is not finished, and their sum."""
    plan = _plan(systems, vary or {}, ceiling, settings)
    path = Path(out) if out is not None else default_path(plan.suites, [axis.name for axis in plan.axes])
    _same_axes(path, plan)
    todo = [(cell, config) for cell, config in plan.runs() if not _done(path / cell.folder, config)]
    if isinstance(watcher, SweepWatcher):
        watcher.cells([len(cell.systems) for cell, _ in todo])
    found: list[tuple[str, Estimate]] = []
    for number, (cell, config) in enumerate(todo):
        if isinstance(watcher, SweepWatcher):
            watcher.cell(number, cell.folder)
        found.append((cell.folder, estimate_config(config, watcher)))
    stages: dict[tuple[str, str, str], Any] = {}
    for _, estimate in found:
        for stage in estimate.stages:
            key = (stage.role, stage.stage, stage.model)
            before = stages.get(key)
            more = {"low": before.low + stage.low, "high": before.high + stage.high} if before else {}
            stages[key] = replace(stage, **more)
    assumptions = dict.fromkeys(line for _, estimate in found for line in estimate.assumptions)
    return found, Estimate(tuple(stages.values()), tuple(assumptions))


def load(path: str | Path) -> Sweep:
    """A sweep that was made before, however far it came."""
    return Sweep(Path(path))


def is_sweep(path: str | Path) -> bool:
    """Whether a folder holds a sweep rather than a run."""
    return (Path(path) / FILE).is_file()


def default_path(suites: Sequence[str], varied: Sequence[str]) -> Path:
    """Where a sweep goes that is given no place: named by what it is about, so that the same one finds it again."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(["sweep", *suites, *varied]).lower()).strip("-")
    return Path("runs") / name


# ------------------------------------------------------------------ the plan


@dataclass(frozen=True, slots=True)
class _Plan:
    suites: tuple[str, ...]
    axes: tuple[Axis, ...]
    cells: tuple[Cell, ...]
    limits: Limits
    command: str | None

    def runs(self) -> Iterator[tuple[Cell, RunConfig]]:
        """Each cell with the run that it stands for."""
        for cell in self.cells:
            systems = cell.systems.values()
            yield cell, RunConfig.of(*systems, **cell.settings, limits=self.limits, command=self.command)


def _plan(
    systems: Sequence[object], vary: Mapping[str, Sequence[object]], ceiling: bool, settings: Mapping[str, Any]
) -> _Plan:
    strange = next((name for name in settings if name not in _SETTINGS), None)
    if strange is not None:
        raise BadInput(unknown("setting of a sweep", strange, _SETTINGS))
    given = {name: value for name, value in settings.items() if value is not None}
    limits, command = given.pop("limits", Limits()), given.pop("command", None)
    named = list(registry.system_specs(systems or DEFAULT_SYSTEMS))
    if ceiling:
        labels = {spec.label for spec in named}
        named += [registry.system(name) for name in CEILING if name not in labels]
    fixed = RunConfig.of(*named, **given)
    planning.refuse_unused_models(fixed.models, named)
    axes = grid.axes(vary, fixed.suites, named, given)
    each = {**given, "suite": fixed.suites, "k": fixed.ks, "seed": fixed.request.seed}
    return _Plan(fixed.suites, axes, grid.cells(axes, named, each), limits, command)


def _can_begin(cell: Cell, config: RunConfig) -> None:
    """Find now what would end the sweep hours later: a missing key, a library not installed, an odd argument."""
    check_models(config.grading, config.limits, config.models["internal"])
    planning.refuse_unready_systems(config.systems, config.models)
    for spec in config.systems:
        if spec.label not in cell.systems:  # its arguments are varied
            registry.with_models(spec, config.models).build().close()


def _done(folder: Path, config: RunConfig) -> bool:
    """Whether nothing is left to do for a run; one with errors is gone over again."""
    if not (folder / "run.json").exists():
        return False
    refuse_other_settings(folder, config)
    run = finished_run(folder)
    return run is not None and not run.errors


# ------------------------------------------------------------------ the disk


def _record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads((path / FILE).read_bytes())
    except (OSError, ValueError) as error:
        raise BadRun(f"{path} holds no sweep: {FILE} can't be read ({error})") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise BadRun(f"{path / FILE} is not of the schema {SCHEMA}; run the sweep again")
    return record


def _same_axes(path: Path, plan: _Plan) -> None:
    """More values may be added to a sweep, but no axis: the folders would mean something else."""
    if (path / "run.json").exists():
        raise BadRun(f"{path} holds a single run; choose another --out for the sweep")
    if not (path / FILE).exists():
        return
    before, now = list(_record(path)["axes"]), [axis.name for axis in plan.axes]
    if before != now:
        told = (", ".join(names) or "nothing but k" for names in (before, now))
        raise BadRun("{} holds a sweep over {}, and this one is over {}; choose another --out".format(path, *told))


def _write(path: Path, plan: _Plan, rows: Sequence[Mapping[str, Any]] = ()) -> None:
    record = {
        "schema": SCHEMA,
        "suites": list(plan.suites),
        "axes": {axis.name: list(axis.values) for axis in plan.axes},
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
        path.mkdir(parents=True, exist_ok=True)
        write_whole(path / FILE, (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise BadRun(f"{path / FILE} can't be written: {failure_reason(error)}") from error


def _source(part: Part, run: Run, axes: Iterable[str]) -> Source:
    values = tuple((axis, part.values.get(axis, "")) for axis in axes)
    return Source(part.folder, values, part.systems, run.verdicts, run.stores, run.manifest.get("data") is None)
