"""The grid of a sweep: its axes, its cells, and the systems that each cell runs.

A system is only varied along the axes that apply to it: bm25 has no internal model, so a sweep over internal models
runs it once.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal

from memtriage import registry
from memtriage.config import embedder_label, model_label
from memtriage.core.errors import BadInput, unknown
from memtriage.registry import SystemSpec

AxisKind = Literal["setting", "option", "argument"]

SETTINGS = ("internal", "embed", "answer", "judge", "seed", "rows", "data")
"""Settings of a run that can be varied, besides the options of the suite and the arguments of systems."""

CELLS = 1000
"""The largest grid allowed; a larger one is probably a mistake."""

NOT_VARIED = "base"
"""The folder of systems to which no axis applies."""

_NUMBERS = ("seed", "rows")
_MODEL_ARGUMENTS = {"internal": "internal", "embed": "embedder"}
_FOLDER_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that varies. `values` are the names in tables and files; `given` may hold a password in a URL."""

    name: str
    kind: AxisKind
    values: tuple[str, ...]
    given: tuple[str, ...] = field(repr=False)

    def applies(self, spec: SystemSpec) -> bool:
        """Whether it applies to a system."""
        if self.kind == "argument":
            return takes(spec, self.name)
        return self.name not in _MODEL_ARGUMENTS or takes(spec, _MODEL_ARGUMENTS[self.name])

    def typed(self, value: str) -> object:
        """A value in the type that a run takes."""
        given = self.given[self.values.index(value)]
        return int(given) if self.kind == "setting" and self.name in _NUMBERS else given


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a sweep: its folder, its values on the axes, and its systems by their names in tables."""

    folder: str
    values: Mapping[str, str]
    systems: Mapping[str, SystemSpec]
    settings: Mapping[str, Any] = field(repr=False)


def axes(
    vary: Mapping[str, Sequence[object]], suites: Iterable[str], specs: Sequence[SystemSpec], fixed: Mapping[str, Any]
) -> tuple[Axis, ...]:
    """The axes of a sweep, each with at least two values."""
    suites = tuple(suites)
    if "seed" in vary and (file := next(filter(None, map(registry.suite_file, suites)), None)) is not None:
        raise BadInput(f"{file} is the same for every seed; vary something else, or repeat with --repeats")
    options = sorted({option for name in suites for task in registry.tasks(name)[1] for option in task.options})
    found = tuple(_axis(name, values, options, specs) for name, values in vary.items())
    for axis in found:
        _check_axis(axis, specs, fixed)
    runs = math.prod(len(axis.values) for axis in found)
    if runs > CELLS:
        sizes = " x ".join(f"{len(axis.values)} {axis.name}" for axis in found)
        raise BadInput(f"{sizes} is a grid of {runs:,} cells, more than {CELLS:,}; vary less at a time")
    return found


def cells(axes: Sequence[Axis], specs: Sequence[SystemSpec], fixed: Mapping[str, Any]) -> tuple[Cell, ...]:
    """All cells of the sweep; the last axis varies fastest."""
    groups: dict[tuple[Axis, ...], list[SystemSpec]] = {}
    for spec in specs:
        groups.setdefault(tuple(axis for axis in axes if axis.applies(spec)), []).append(spec)
    grid = [
        _cell(group, values, members, fixed)
        for group, members in groups.items()
        for values in product(*(axis.values for axis in group))
    ]
    if len(grid) > CELLS:
        raise BadInput(f"the grid has {len(grid):,} cells, more than {CELLS:,}; vary less at a time")
    return tuple(_with_distinct_folders(grid))


def takes(spec: SystemSpec, argument: str) -> bool:
    """Whether a system's constructor takes an argument of this name."""
    try:
        return argument in inspect.signature(spec.factory).parameters
    except (TypeError, ValueError):
        return False


def _axis(name: str, values: Sequence[object], options: Sequence[str], specs: Sequence[SystemSpec]) -> Axis:
    kind, bare = _kind(name.strip(), options, specs)
    given = tuple(str(value).strip() for value in values)
    if len(given) < 2:
        raise BadInput(f"--vary {name}={','.join(given)}: one value is nothing to compare; give two at least")
    if any(not value for value in given):
        raise BadInput(f"--vary {name}: a value is empty; write {name}=A,B")
    labels = tuple(_label(kind, bare, value) for value in given)
    twice = next((value for value in labels if labels.count(value) > 1), None)
    if twice is not None:
        raise BadInput(f"--vary {name}: {twice!r} is named twice")
    return Axis(bare, kind, labels, given)


def _kind(name: str, options: Sequence[str], specs: Sequence[SystemSpec]) -> tuple[AxisKind, str]:
    """What kind of axis a name means; `option.X` and `system.X` resolve a name that suite and system both have."""
    if name in ("k", "ks"):
        raise BadInput("k is no axis: every run asks at every k; name them with --k 5,10,20")
    if name in SETTINGS:
        return "setting", name
    where, dot, bare = name.rpartition(".")
    arguments = sorted({each for spec in specs for each in _arguments(spec)})
    if dot and where in ("option", "system") and bare in (options if where == "option" else arguments):
        return ("option" if where == "option" else "argument"), bare
    if where == "option":
        raise BadInput(unknown("option of the suite", bare, options))
    if name in options and name in arguments:
        raise BadInput(
            f"--vary {name}: both the suite and a system have one; write option.{name} or system.{name} for it"
        )
    if name in options or name in arguments:
        return ("option" if name in options else "argument"), name
    raise BadInput(unknown("--vary", name, [*SETTINGS, *options, *arguments]))


def _arguments(spec: SystemSpec) -> list[str]:
    try:
        parameters = inspect.signature(spec.factory).parameters.values()
    except (TypeError, ValueError):
        return []
    named = (p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
    return [name for name in named if name not in ("internal", "embedder", "repeat") and _try_argument(spec, name, "x")]


def _label(kind: AxisKind, name: str, value: str) -> str:
    if kind != "setting":
        return value
    if name in _NUMBERS:
        if not re.fullmatch(r"\d+", value) or (name == "rows" and int(value) < 1):
            raise BadInput(f"--vary {name}={value}: give whole numbers, as in {name}=1,2,3")
        return str(int(value))
    if name == "embed":
        return embedder_label(value)
    return model_label(value) if name in ("internal", "answer", "judge") else value


def _check_axis(axis: Axis, specs: Sequence[SystemSpec], fixed: Mapping[str, Any]) -> None:
    """Refuse an axis that is also fixed, or that applies to no system."""
    fixed_value = fixed.get(axis.name) if axis.kind == "setting" and axis.name != "seed" else None
    fixed_value = (fixed.get("options") or {}).get(axis.name) if axis.kind == "option" else fixed_value
    if fixed_value is not None:
        raise BadInput(f"{axis.name} is varied and also fixed to {fixed_value!s}; leave one of the two out")
    argument = _MODEL_ARGUMENTS.get(axis.name, axis.name)
    spec = next((spec for spec in specs if axis.kind != "option" and argument in spec.arguments), None)
    if spec is not None:
        raise BadInput(
            f"{axis.name} is varied, but system {spec.label!r} has a value of its own; leave one of them out"
        )
    if not any(axis.applies(spec) for spec in specs):
        raise BadInput(f"--vary {axis.name}: none of the systems takes it")


def _cell(
    group: Sequence[Axis], values: Sequence[str], members: Sequence[SystemSpec], fixed: Mapping[str, Any]
) -> Cell:
    chosen = dict(zip((axis.name for axis in group), values, strict=True))
    settings = {name: value for name, value in fixed.items() if _applies(name, members)}
    options = dict(settings.get("options") or {})
    systems = {spec.label: spec for spec in members}
    for axis in group:
        value = axis.typed(chosen[axis.name])
        if axis.kind == "option":
            options[axis.name] = str(value)
        elif axis.kind == "setting":
            settings[axis.name] = value
        else:
            systems = {name: _with_argument(spec, axis.name, str(value)) for name, spec in systems.items()}
    return Cell(_folder(chosen), chosen, systems, {**settings, "options": options})


def _applies(setting: str, members: Sequence[SystemSpec]) -> bool:
    """Whether a setting applies to any of these systems; a run refuses a model that no system takes."""
    return setting not in _MODEL_ARGUMENTS or any(takes(spec, _MODEL_ARGUMENTS[setting]) for spec in members)


def _with_argument(spec: SystemSpec, argument: str, value: str) -> SystemSpec:
    """The system with one more argument, under a name that the command line understands."""
    found = _try_argument(spec, argument, value)
    if found is None:
        raise BadInput(f"system {spec.label!r} can't be given {argument}={value}")
    return found


def _try_argument(spec: SystemSpec, argument: str, value: str) -> SystemSpec | None:
    """The system with one more argument; None if its name can't carry arguments."""
    text = f"{spec.label}{',' if spec.arguments else ':'}{argument}={value}"
    more = replace(spec, label=text, arguments={**spec.arguments, argument: value})
    try:
        found = registry.system(text)
    except BadInput:
        return more  # an object or class of a Python caller, which has no name on the command line
    return more if found.arguments.get(argument) == value else None


def _folder(values: Mapping[str, str]) -> str:
    """The name of a run's folder, made from its values.

    >>> _folder({"filler": "32k", "internal": "openai/gpt-5"})
    'filler=32k,internal=openai-gpt-5'
    """
    parts = (f"{name}={re.sub(r'[^A-Za-z0-9._]+', '-', value).strip('-') or 'x'}" for name, value in values.items())
    name = ",".join(parts) or NOT_VARIED
    return name if len(name) <= _FOLDER_LENGTH else f"{name[:_FOLDER_LENGTH]}-{_hash(values)}"


def _with_distinct_folders(grid: Sequence[Cell]) -> Iterator[Cell]:
    """Add a hash where values differ only in characters that a folder name can't hold."""
    names = [cell.folder for cell in grid]
    for cell in grid:
        same = names.count(cell.folder) > 1
        yield replace(cell, folder=f"{cell.folder}-{_hash(cell.values)}") if same else cell


def _hash(values: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:8]
