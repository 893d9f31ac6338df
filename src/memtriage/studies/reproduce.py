"""Fill in the tables and figures of the papers for any systems, beside what the papers printed.

>>> table = reproduce("meme/table-2", "bm25", scale="0.1")  # doctest: +SKIP
>>> [(row.label, row.own) for row in table.rows]  # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from memtriage import registry
from memtriage.config import Limits
from memtriage.core.amount import k_order, k_text, parse_k
from memtriage.core.errors import BadInput, MemtriageError
from memtriage.core.suite import Request, cell_text
from memtriage.pipeline.bill import spent
from memtriage.pipeline.estimate import Estimate
from memtriage.registry import SystemSpec
from memtriage.runner import plan as planning
from memtriage.runner.watcher import Watcher
from memtriage.studies import grid
from memtriage.studies.exhibits import (
    MODELS,
    Column,
    Elsewhere,
    Exhibit,
    Listing,
    NotHere,
    Printed,
    Runs,
    Statistics,
    Trial,
)
from memtriage.studies.papers import find
from memtriage.studies.sweep import Sweep, sweep
from memtriage.studies.sweep import dry_run as estimate_sweep
from memtriage.tables.standings import REFERENCES
from memtriage.tables.values import Sample, Value, mean_of, samples, value

SMALL = "small"
_SMALL_SHARE = 0.02
FOLDER = Path("runs") / "reproduce"

Axes = tuple[tuple[str, str], ...]
"""Values on the axes of a trial, by name."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: the paper's numbers, the numbers found here, or both. `system` is what was run."""

    label: str
    group: str
    printed: tuple[float | None, ...] | None
    own: tuple[Value | None, ...] | None
    system: str = ""
    average: bool = False


@dataclass(frozen=True, slots=True)
class Reproduced:
    """An exhibit, filled in. `left_out` are counterparts of the paper's systems that could not run, and why."""

    exhibit: Exhibit
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...]
    left_out: Mapping[str, str]
    runs: tuple[Path, ...]
    errors: int = 0
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose: systems (none: the paper's counterparts), models by role, size, data and limits.

    `data` holds the released files of a paper, or a folder for each paper, named by its suite. Of several models of
    one role, a table that takes only one gets the first; if it is the `only` one asked for, it refuses them.
    """

    systems: tuple[object, ...] = ()
    models: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scale: str = "1"
    seed: int = 42
    data: Path | None = None
    out: Path = FOLDER
    limits: Limits = field(default_factory=Limits)
    command: str | None = None
    only: bool = True

    def data_of(self, suite: str) -> Path | None:
        """The released files of a suite, if there are any."""
        folder = None if self.data is None else self.data / suite.partition("/")[0]
        return folder if folder is not None and folder.is_dir() else self.data


def reproduce(id: str, *systems: object, watcher: Watcher | None = None, **choices: Any) -> Reproduced:
    """Run what an exhibit needs, or continue it, and fill it in. `choices` are those of `Choices`.

    A model is given as `models={"answer": ["openai/gpt-5-mini"], "judge": ["openai/gpt-5-mini"]}`.
    """
    exhibit = find(id)
    return fill_in(exhibit, runs_of(exhibit), Choices(systems=systems, **choices), watcher)


def runs_of(exhibit: Exhibit) -> Runs:
    """The runs behind an exhibit; refuses one that has none."""
    if not isinstance(exhibit.source, Runs):
        raise BadInput(f"{exhibit.id} needs no runs")
    return exhibit.source


def fill_in(exhibit: Exhibit, source: Runs, choices: Choices, watcher: Watcher | None = None) -> Reproduced:
    """Run the trials of an exhibit and work out its rows."""
    done: dict[str, Sweep] = {}
    left_out: dict[str, str] = {}
    by_rule: dict[str, None] = {}
    for trial in source.trials:
        systems, unready = _ready_systems(trial, choices)
        left_out |= unready
        by_rule |= dict.fromkeys(_without_model(systems, choices))
        if systems:
            done[trial.id] = sweep(*systems, **_settings(trial, systems, choices), watcher=watcher)
            if done[trial.id].stopped:
                break
    found = {id: _settled(one) for id, one in done.items()}
    return Reproduced(
        exhibit,
        source.columns,
        tuple(_rows(source, found)),
        tuple(_notes(exhibit, choices, list(by_rule))),
        left_out,
        tuple(one.path for one in done.values()),
        sum(one.errors for one in done.values()),
        next((one.stopped for one in done.values() if one.stopped), None),
    )


@dataclass(frozen=True, slots=True)
class Told:
    """An exhibit without runs: lines found here and the paper's, both with these columns; or only a note."""

    exhibit: Exhibit
    columns: tuple[str, ...] = ()
    here: tuple[tuple[str, ...], ...] = ()
    printed: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def tell(exhibit: Exhibit, choices: Choices) -> Told:
    """Work out an exhibit that needs no runs."""
    match exhibit.source:
        case Listing() as source:
            return Told(exhibit, source.columns, source.lines, notes=exhibit.differs)
        case Statistics() as source:
            return _count(exhibit, source, choices)
        case Elsewhere() as source:
            return Told(exhibit, notes=(source.why, source.command, *exhibit.differs))
        case NotHere() as source:
            return Told(exhibit, notes=(source.why, *exhibit.differs))
    raise BadInput(f"{exhibit.id} comes from runs")


def _count(exhibit: Exhibit, source: Statistics, choices: Choices) -> Told:
    """Count the suite's data: the user's files, or generated rows."""
    suite, tasks = registry.tasks(source.suite)
    if suite.statistics is None:
        raise BadInput(f"suite {suite.name} has no tables about its data")
    data = choices.data_of(source.suite)
    rows = None if data else _share_of(source.rows, choices.scale)
    request = Request(choices.seed, rows, data, {} if data else source.options)
    tables = suite.statistics([task.name.removeprefix(f"{suite.name}/") for task in tasks], request)
    table = next((table for table in tables if table.title == source.table), None)
    if table is None:
        raise BadInput(f"{exhibit.id}: suite {suite.name} counts nothing under the title {source.table!r}")
    lines = tuple(tuple(map(cell_text, row)) for row in table.rows)
    return Told(exhibit, table.columns, lines, source.printed, tuple(_data_notes(exhibit, choices)))


def estimate(exhibit: Exhibit, choices: Choices, watcher: Watcher | None = None) -> list[tuple[str, Estimate]]:
    """What each trial of an exhibit would ask its models, without asking any."""
    found = []
    for trial in runs_of(exhibit).trials:
        systems, _ = _ready_systems(trial, choices)
        if systems:
            settings = _settings(trial, systems, choices)
            found.append((trial.id, estimate_sweep(*systems, **settings, watcher=watcher)[1]))
    return found


# ------------------------------------------------------------------ what is run


def _ready_systems(trial: Trial, choices: Choices) -> tuple[list[object], dict[str, str]]:
    """The systems that the user named, or else those of the trial that can run here; the others with the reason."""
    if choices.systems:
        return list(choices.systems), {}
    models = {role: given[0] for role, given in choices.models.items() if given and role in ("internal", "embed")}
    ready: list[object] = []
    left_out: dict[str, str] = {}
    for name in trial.systems:
        spec = registry.system(name)
        try:
            arguments = {"internal": models.get("internal", ""), "embedder": models.get("embed", "")}
            planning.refuse_unready_systems([spec], arguments)
            registry.with_models(spec, arguments).build().close()
        except MemtriageError as error:
            left_out[name] = str(error).split("\n")[0]
        else:
            ready.append(name)
    return ready, left_out


def _without_model(systems: Sequence[object], choices: Choices) -> list[str]:
    """The systems that would write with a model if there were one."""
    specs = [] if choices.models.get("internal") else registry.system_specs(systems)
    return [spec.label for spec in specs if grid.takes(spec, "internal") and "internal" not in spec.arguments]


def _settings(trial: Trial, systems: Sequence[object], choices: Choices) -> dict[str, Any]:
    """The arguments of the sweep that is the trial."""
    sized = scaled(trial, choices.scale)
    specs = registry.system_specs(systems)
    vary: dict[str, Sequence[object]] = dict(sized.vary)
    settings: dict[str, Any] = {**sized.settings, "options": dict(sized.options)}
    for role in MODELS:
        given = [model for model in choices.models.get(role, ()) if model]
        if role in trial.models and len(given) > 1 and _takes(specs, role):
            vary[role] = given
        elif len(given) > 1 and choices.only:
            raise BadInput(f"{trial.id} takes one --{role}; {len(given)} were given")
        elif given and _takes(specs, role):
            settings[role] = given[0]
    for name in [name for name, values in vary.items() if len(values) == 1]:  # one value is nothing to vary
        settings["options"][name.removeprefix("option.")] = vary.pop(name)[0]
    if not settings.get("answer"):
        settings.pop("reading", None)
    fixed: dict[str, Any] = {"rows": sized.rows, "k": sized.k, "seed": choices.seed, "suite": sized.suite}
    fixed["data"] = choices.data_of(sized.suite[0])
    settings = {**fixed, **settings, "vary": {name: list(values) for name, values in vary.items()}}
    out = choices.out / re.sub(r"[^a-z0-9.]+", "-", trial.id) / _digest(settings, specs)
    limits = choices.limits
    if limits.max_cost is not None:
        limits = limits.after_spending(_spent_beside(out, choices.out))
    return {**settings, "out": out, "limits": limits, "command": choices.command}


def _spent_beside(sweep: Path, out: Path) -> Decimal:
    """What all other runs below a folder cost: a limit is for all tables together."""
    runs = (place.parent for place in out.glob("*/*/*/run.json") if place.parent.parent != sweep)
    return sum(map(spent, runs), Decimal(0))


def _takes(specs: Iterable[SystemSpec], role: str) -> bool:
    """Whether a model of this role makes a difference to any of the systems."""
    argument = {"internal": "internal", "embed": "embedder"}.get(role)
    return argument is None or any(grid.takes(spec, argument) for spec in specs)


def scaled(trial: Trial, scale: str) -> Trial:
    """The trial at another size: a share of its rows, or its small form.

    >>> scaled(Trial("x/main", ("x",), ("bm25",), rows=50), "0.1").rows
    5
    """
    sized = replace(trial, rows=_share_of(trial.rows, scale))
    return replace(sized, **trial.small) if scale == SMALL else sized


def _share_of(rows: int | None, scale: str) -> int | None:
    """So many rows at this scale, at least one."""
    try:
        share = _SMALL_SHARE if scale == SMALL else float(scale)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise BadInput(f"--scale {scale}: give a share of the paper's size, such as 0.1, or small")
    return None if rows is None else max(1, round(rows * share))


def _digest(settings: Mapping[str, Any], specs: Sequence[SystemSpec]) -> str:
    """A short name for these settings, so that the same command finds its runs again and another one has its own."""
    text = json.dumps([{**settings, "systems": [spec.label for spec in specs]}], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


# ------------------------------------------------------------------ what came of it


@dataclass(slots=True)
class _Settled:
    """The samples of a finished trial, by system and by the values on its axes."""

    axes: Mapping[str, Sequence[str]]
    samples: dict[tuple[str, Axes], Sample] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for system, _ in self.samples))

    def ks(self, system: str) -> list[str]:
        found = {v.k for (of, _), sample in self.samples.items() if of == system for v in sample.verdicts}
        return [k_text(k) for k in sorted(found, key=k_order)]

    def sample(self, system: str, at: Mapping[str, str]) -> Sample:
        """All that is known of a system at some values; axes that don't apply to it are not asked for."""
        parts = [
            sample
            for (of, values), sample in self.samples.items()
            if of == system and all(dict(values).get(axis, wanted) == wanted for axis, wanted in at.items())
        ]
        return Sample([v for part in parts for v in part.verdicts], [s for part in parts for s in part.stores])


def _settled(done: Sweep) -> _Settled:
    found = _Settled(done.axes)
    for cell, run in done.runs():
        for system, sample in samples(run.verdicts(), run.stores()).items():
            found.samples[cell.systems.get(system, system), tuple(cell.values.items())] = sample
    return found


def _rows(source: Runs, found: Mapping[str, _Settled]) -> list[TableRow]:
    """The paper's rows in its order, each with what was found for its counterpart; then the other systems."""
    own = {key: _numbers(source, found, *key) for key in _keys(source, found)}
    own = {key: numbers for key, numbers in own.items() if any(number is not None for number in numbers)}
    own = {key: _over_first(source, numbers, key[0], own) for key, numbers in own.items()}
    rows = []
    for printed in source.printed:
        if not printed.average:
            key = next((key for key in own if _is(printed, *key)), None)
            system = key[0] if key else printed.system
            numbers = own.pop(key) if key else None
            rows.append(TableRow(printed.label, printed.group, printed.numbers, numbers, system))
    group = "Not in the paper" if source.printed else ""
    rows += [TableRow(_label(*key), group, None, numbers, key[0]) for key, numbers in own.items()]
    if source.average:
        rows.append(_average(source, rows))
    return rows


def _over_first(
    source: Runs, numbers: tuple[Value | None, ...], system: str, own: Mapping[tuple[str, Axes], Sequence[Value | None]]
) -> tuple[Value | None, ...]:
    """A row with its multiples of the system's first row."""
    first = next(row for (of, _), row in own.items() if of == system)
    found = list(numbers)
    names = [_name(column) for column in source.columns]
    for place, column in enumerate(source.columns):
        if column.over_first:
            this, base = (row[names.index(column.over_first)] for row in (numbers, first))
            found[place] = Value(this.mean / base.mean, n=this.n) if this and base and base.mean else None
    return tuple(found)


def _label(system: str, at: Axes) -> str:
    """The name of a row that the paper doesn't have.

    >>> _label("bm25", (("k", "5"), ("internal", "openai/gpt-5")))
    'bm25, k = 5, openai/gpt-5'
    """
    return ", ".join((system, *(f"k = {value}" if axis == "k" else value for axis, value in at if value)))


def _keys(source: Runs, found: Mapping[str, _Settled]) -> list[tuple[str, Axes]]:
    """Every own row: a system at each value on the row axes."""
    keys: dict[tuple[str, Axes], None] = {}
    for settled in found.values():
        for system in settled.systems:
            values = [_axis_values(settled, system, axis) for axis in source.row_axes]
            keys |= {(system, tuple(zip(source.row_axes, at, strict=True))): None for at in product(*values)}
    return list(keys)


def _axis_values(settled: _Settled, system: str, axis: str) -> list[str]:
    if axis == "k":
        return settled.ks(system)
    used = {dict(values).get(axis, "") for of, values in settled.samples if of == system}
    return [value for value in settled.axes.get(axis, ()) if value in used] or [""]


def _numbers(source: Runs, found: Mapping[str, _Settled], system: str, at: Axes) -> tuple[Value | None, ...]:
    by_label: dict[str, Value | None] = {}
    for column in source.columns:
        if column.over_first:
            by_label[_name(column)] = None
            continue
        if column.mean_of:
            by_label[_name(column)] = mean_of([by_label[label] for label in column.mean_of])
            continue
        settled = found.get(column.trial or source.trials[0].id)
        here = {**dict(at), **column.where}
        k = column.k if column.k is not None else parse_k(here.pop("k", "").replace(",", "").replace("tok", "tokens"))
        here.pop("k", None)
        sample = settled.sample(system, here).only(column.tasks, k, column.tags) if settled else Sample()
        by_label[_name(column)] = value(column.number, sample) if sample.verdicts else None
    return tuple(by_label.values())


def _name(column: Column) -> str:
    return f"{column.group}/{column.label}" if column.group else column.label


def _average(source: Runs, rows: Sequence[TableRow]) -> TableRow:
    """The mean over the systems found here; floor and ceilings are not among them."""
    own = [row.own for row in rows if row.own is not None and row.system not in REFERENCES]
    columns = list(zip(*own, strict=True))
    printed = next((row.numbers for row in source.printed if row.average), None)
    means = tuple(_without_interval(mean_of(column)) for column in columns) if own else None
    return TableRow(source.average, "", printed, means, average=True)


def _without_interval(found: Value | None) -> Value | None:
    """The number alone: systems were asked the same questions, so that their spread says little of their mean."""
    return found and Value(found.mean, n=found.n)


def _is(printed: Printed, system: str, at: Axes) -> bool:
    """Whether a row found here is the counterpart of a printed one."""
    found = dict(at)
    return printed.system == system and all(_same(found.get(axis, ""), value) for axis, value in printed.at.items())


def _same(found: str, printed: str) -> bool:
    """Whether a value is the one that the paper names: a model's provider may be left out.

    >>> _same("openai/gpt-4.1-mini", "gpt-4.1-mini"), _same("10", "10"), _same("gpt-5", "gpt-5-mini")
    (True, True, False)
    """
    return printed.lower() in (found.lower(), found.lower().rpartition("/")[2], found.lower().rpartition("#")[2])


def _notes(exhibit: Exhibit, choices: Choices, by_rule: Sequence[str]) -> Iterable[str]:
    if by_rule:
        yield f"Without --internal, these wrote their memories by rule or word for word: {', '.join(by_rule)}."
    yield from _grading_note(choices)
    yield from _data_notes(exhibit, choices)


def _grading_note(choices: Choices) -> Iterable[str]:
    if not choices.models.get("answer"):
        yield (
            "No model answered: a question counts where all it needs was stored, intact and retrieved. "
            "The paper counts right answers; name --answer and --judge for those."
        )
    elif not choices.models.get("judge"):
        yield "No model judged the answers: what words can't settle is uncertain. Name --judge."


def _data_notes(exhibit: Exhibit, choices: Choices) -> Iterable[str]:
    if choices.data is None:
        yield "The data are generated; the paper's are read with --data."
    if choices.scale != "1":
        yield f"Made at --scale {choices.scale}, not at the paper's size."
    yield from exhibit.differs
