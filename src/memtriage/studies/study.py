"""Studies: many runs that differ in one thing or a few, and one table over all of them.

>>> found = sweep("bm25", "dense", suite="meme", k=[5, 20], vary={"filler": ["none", "32k"]})  # doctest: +SKIP
>>> pandas.DataFrame(found.table())  # doctest: +SKIP
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.errors import BadInput, BadRun, unknown
from memtriage.host.files import why, write_whole
from memtriage.pipeline.grading import Grading, Means, Repeats, embedder_label, label, ready
from memtriage.registry import SystemSpec
from memtriage.runner import plan as planning
from memtriage.runner.reading import reading_of
from memtriage.runner.store_life import Watcher
from memtriage.studies import grid
from memtriage.studies.grid import Axis, Cell
from memtriage.tables.sweep import Row, Source, row_json, rows
from memtriage.text.words import well_formed

FILE = "sweep.json"
SCHEMA = "memtriage.sweep/1"

CEILING = ("gold-facts", "full-context", "none")
"""Systems that say how much is left to a memory: the ceilings and the floor."""

_SETTINGS = (
    "rows", "data", "options", "looks", "answer", "judge", "internal", "embed", "repeats", "reading", "paper_exact"
)  # fmt: skip
_DEFAULTS: Mapping[str, Any] = {"looks": 8, "repeats": 1, "paper_exact": False}


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

    def runs(self) -> Iterator[tuple[Part, api.Run]]:
        """The runs that are finished."""
        for part in self.parts:
            run = _finished(self.path / part.folder)
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

    def show(self) -> None:
        """Print the table."""
        from rich.console import Console

        from memtriage.report.terminal.studies import show_sweep

        show_sweep(self, "table", Console())


def sweep(
    *systems: object,
    suite: str | Sequence[str] = "memfail",
    k: int | Iterable[int] = api.DEFAULT_KS,
    seed: int = 42,
    vary: Mapping[str, Sequence[object]] | None = None,
    ceiling: bool = False,
    out: str | Path | None = None,
    retry_errors: bool = False,
    means: Means | None = None,
    watcher: Watcher | None = None,
    command: str | None = None,
    **settings: Any,
) -> Sweep:
    """Run a grid: every combination of the varied values is an ordinary run below one folder.

    `vary` names settings of `memtriage.run` (internal, embed, answer, judge, seed, rows, data), options of the suite,
    or constructor arguments of systems. Everything else is as in `memtriage.run`. The same sweep again continues:
    finished runs are skipped, and one that was made with other settings is refused. `ceiling` adds the systems
    gold-facts, full-context and none. `max_cost` of the means is for all runs together.
    """
    plan = _plan(systems, suite, k, seed, vary or {}, ceiling, settings)
    path = Path(out) if out is not None else default_path(plan.suites, [axis.name for axis in plan.axes])
    means = means or Means()
    _same_axes(path, plan)
    todo = [cell for cell in plan.cells if not _done(path, cell)]
    _can_begin(todo, means)
    _write(path, plan)
    watcher = watcher or Watcher()
    if isinstance(watcher, SweepWatcher):
        watcher.cells([len(cell.systems) for cell in todo])
    stopped = None
    for number, cell in enumerate(todo):
        if isinstance(watcher, SweepWatcher):
            watcher.cell(number, cell.folder)
        spent = _spent(path / cell.folder)
        run = _made(path / cell.folder, cell, means, watcher, retry_errors, command)
        means = _less(means, _spent(run.path) - spent)
        if run.stopped:
            stopped = run.stopped
            break
    found = Sweep(path, stopped)
    _write(path, plan, found.table())
    return found


def dry_run(*systems: object, watcher: Watcher | None = None, **wanted: Any) -> tuple[list[tuple[str, Any]], Any]:
    """What a sweep would take of its models: an estimate for each run that is not finished, and their sum."""
    from memtriage.pipeline.estimate import Estimate

    out, means = wanted.pop("out", None), wanted.pop("means", None) or Means()
    for idle in ("command", "retry_errors"):
        wanted.pop(idle, None)
    plan = _plan(
        systems,
        wanted.pop("suite", "memfail"),
        wanted.pop("k", api.DEFAULT_KS),
        wanted.pop("seed", 42),
        wanted.pop("vary", None) or {},
        wanted.pop("ceiling", False),
        wanted,
    )
    path = Path(out) if out is not None else default_path(plan.suites, [axis.name for axis in plan.axes])
    _same_axes(path, plan)
    todo = [cell for cell in plan.cells if not _done(path, cell)]
    if isinstance(watcher, SweepWatcher):
        watcher.cells([len(cell.systems) for cell in todo])
    found: list[tuple[str, Any]] = []
    for number, cell in enumerate(todo):
        if isinstance(watcher, SweepWatcher):
            watcher.cell(number, cell.folder)
        estimate = api.dry_run(*cell.systems.values(), **cell.settings, means=means, watcher=watcher)
        found.append((cell.folder, estimate))
    stages: dict[tuple[str, str, str], Any] = {}
    for _, estimate in found:
        for stage in estimate.stages:
            key = (stage.role, stage.stage, stage.model)
            before = stages.get(key)
            more = {"low": before.low + stage.low, "high": before.high + stage.high} if before else {}
            stages[key] = replace(stage, **more)
    told = dict.fromkeys(line for _, estimate in found for line in estimate.assumptions)
    return found, Estimate(tuple(stages.values()), tuple(told))


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


def _plan(
    systems: Sequence[object],
    suite: str | Sequence[str],
    k: int | Iterable[int],
    seed: int,
    vary: Mapping[str, Sequence[object]],
    ceiling: bool,
    settings: Mapping[str, Any],
) -> _Plan:
    strange = next((name for name in settings if name not in _SETTINGS), None)
    if strange is not None:
        raise BadInput(unknown("setting of a sweep", strange, _SETTINGS))
    suites = (suite,) if isinstance(suite, str) else tuple(suite)
    named = list(planning.specs_of(systems or api.DEFAULT_SYSTEMS))
    if ceiling:
        labels = {spec.label for spec in named}
        named += [plugins.system(name) for name in CEILING if name not in labels]
    ks = planning.ks((k,) if isinstance(k, int) else k)
    given = {name: value for name, value in settings.items() if value is not None}
    models = {"internal": label(given.get("internal", "")), "embedder": embedder_label(given.get("embed", ""))}
    planning.used(models, named)
    axes = grid.axes(vary, suites, named, given)
    fixed = {**_DEFAULTS, **given, "suite": suites, "k": ks, "seed": seed}
    return _Plan(suites, axes, grid.cells(axes, named, fixed))


def _can_begin(cells: Sequence[Cell], means: Means) -> None:
    """Find now what would end the sweep hours later: a missing key, a library not installed, an odd argument."""
    for cell in cells:
        wanted = cell.settings
        ready(_grading(wanted), means, label(wanted.get("internal") or ""))
        specs = list(cell.systems.values())
        planning.can_begin(specs, _models(wanted))
        for spec in specs:
            if spec.label not in cell.systems:  # its arguments are varied
                plugins.with_models(spec, _models(wanted)).build().close()


def _grading(wanted: Mapping[str, Any]) -> Grading:
    repeats = Repeats.parse(str(wanted["repeats"]))
    answer, reading = wanted.get("answer") or "", reading_of(wanted.get("reading")) or ""
    if reading and not answer:
        raise BadInput(f"--reading {reading} is how a model reads what came back; name one with --answer")
    return Grading(answer, wanted.get("judge") or "", wanted["paper_exact"], repeats, reading)


def _models(wanted: Mapping[str, Any]) -> dict[str, str]:
    return {
        "internal": label(wanted.get("internal") or ""),
        "embedder": embedder_label(wanted.get("embed") or ""),
    }


# ------------------------------------------------------------------ one run of it


def made(
    path: Path,
    specs: Sequence[SystemSpec],
    settings: Mapping[str, Any],
    means: Means,
    watcher: Watcher,
    retry_errors: bool = False,
    command: str | None = None,
) -> api.Run:
    """A run in this place, begun or continued; a finished one is left as it is, one with other settings refused."""
    if (path / "run.json").exists():
        refuse_other(path, specs, settings)
        finished = _finished(path)
        if finished is not None and not finished.errors:
            return finished
        return api.resume(path, *specs, retry_errors=retry_errors, means=means, watcher=watcher)
    return api.run(*specs, **settings, out=path, means=means, watcher=watcher, command=command)


def _made(path: Path, cell: Cell, means: Means, watcher: Watcher, retry_errors: bool, command: str | None) -> api.Run:
    return made(path, list(cell.systems.values()), cell.settings, means, watcher, retry_errors, command)


def refuse_other(path: Path, specs: Sequence[SystemSpec], settings: Mapping[str, Any]) -> None:
    """Refuse a run that was made with other settings, naming the differences."""
    try:
        manifest = json.loads((path / "run.json").read_bytes())
        before = {key: manifest[key] for key in _wanted(specs, settings)}
        before["systems"] = [system["label"] for system in before["systems"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRun(f"{path / 'run.json'} can't be read ({error}); delete {path}, or choose another --out") from error
    now = _wanted(specs, settings)
    changed = [f"{key}: {before[key]!r} became {now[key]!r}" for key in now if before[key] != now[key]]
    if changed:
        raise BadRun(
            f"{path} was made with other settings ({'; '.join(changed)}); "
            "put them back, delete the folder, or choose another --out"
        )


def _wanted(specs: Sequence[SystemSpec], settings: Mapping[str, Any]) -> dict[str, Any]:
    """A run's settings as its manifest would record them."""
    data = settings.get("data")
    return {
        "suites": list(settings["suite"]),
        "seed": settings["seed"],
        "rows": settings.get("rows"),
        "data": well_formed(str(Path(data))) if data else None,
        "options": dict(settings.get("options") or {}),
        "ks": list(settings["k"]),
        "looks": settings["looks"],
        "systems": [spec.label for spec in specs],
        "grading": _grading(settings).record(),
        "models": _models(settings),
    }


def _done(path: Path, cell: Cell) -> bool:
    """Whether nothing is left to do for a cell; one with errors is gone over again."""
    folder = path / cell.folder
    if not (folder / "run.json").exists():
        return False
    refuse_other(folder, list(cell.systems.values()), cell.settings)
    run = _finished(folder)
    return run is not None and not run.errors


def _finished(path: Path) -> api.Run | None:
    with suppress(BadRun):
        run = api.load(path)
        if not run.unfinished and (path / "verdicts.jsonl").exists():
            return run
    return None


def _spent(path: Path) -> Decimal:
    with suppress(OSError, ValueError, KeyError):
        return Decimal(str(json.loads((path / "cost.json").read_bytes())["total"]["dollars"]))
    return Decimal(0)


def _less(means: Means, spent: Decimal) -> Means:
    return means if means.max_cost is None else replace(means, max_cost=max(Decimal(0), means.max_cost - spent))


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
        raise BadRun(f"{path / FILE} can't be written: {why(error)}") from error


def _source(part: Part, run: api.Run, axes: Iterable[str]) -> Source:
    values = tuple((axis, part.values.get(axis, "")) for axis in axes)
    return Source(part.folder, values, part.systems, run.verdicts, run.stores, run.manifest.get("data") is None)
