"""What a sweep varies: its axes, the cells of their grid, and the systems that each cell runs.

A system stands in the cells of those axes only that mean something to it: bm25 has no internal model, so a sweep over
internal models runs it once.
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

Kind = Literal["setting", "option", "argument"]

SETTINGS = ("internal", "embed", "answer", "judge", "seed", "rows", "data")
"""Settings of a run that can be varied; beside them, options of the suite and arguments of systems."""

CELLS = 1000
"""The largest grid that is not taken for a slip of the pen."""

ALONE = "base"
"""The folder of systems that nothing varied means anything to."""

_NUMBERS = ("seed", "rows")
_TAKEN_AS = {"internal": "internal", "embed": "embedder"}
_FOLDER = 120


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that varies. `values` are as tables and files name them; `given` may hold a password in a URL."""

    name: str
    kind: Kind
    values: tuple[str, ...]
    given: tuple[str, ...] = field(repr=False)

    def applies(self, spec: SystemSpec) -> bool:
        """Whether it means anything to a system."""
        if self.kind == "argument":
            return takes(spec, self.name)
        return self.name not in _TAKEN_AS or takes(spec, _TAKEN_AS[self.name])

    def typed(self, value: str) -> object:
        """A value as a run takes it."""
        given = self.given[self.values.index(value)]
        return int(given) if self.kind == "setting" and self.name in _NUMBERS else given


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a sweep: its folder, the values it stands for, its systems under the names tables give them."""

    folder: str
    values: Mapping[str, str]
    systems: Mapping[str, SystemSpec]
    settings: Mapping[str, Any] = field(repr=False)


def axes(
    vary: Mapping[str, Sequence[object]], suites: Iterable[str], specs: Sequence[SystemSpec], fixed: Mapping[str, Any]
) -> tuple[Axis, ...]:
    """The axes of a sweep, each of a known kind and with two values at least."""
    options = sorted({option for name in suites for task in registry.tasks(name)[1] for option in task.options})
    found = tuple(_axis(name, values, options, specs) for name, values in vary.items())
    for axis in found:
        _unfixed(axis, specs, fixed)
    runs = math.prod(len(axis.values) for axis in found)
    if runs > CELLS:
        sizes = " x ".join(f"{len(axis.values)} {axis.name}" for axis in found)
        raise BadInput(f"{sizes} is a grid of {runs:,} cells, more than {CELLS:,}; vary less at a time")
    return found


def cells(axes: Sequence[Axis], specs: Sequence[SystemSpec], fixed: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Every run of the sweep, the last axis varying fastest."""
    groups: dict[tuple[Axis, ...], list[SystemSpec]] = {}
    for spec in specs:
        groups.setdefault(tuple(axis for axis in axes if axis.applies(spec)), []).append(spec)
    made = [
        _cell(group, values, members, fixed)
        for group, members in groups.items()
        for values in product(*(axis.values for axis in group))
    ]
    if len(made) > CELLS:
        raise BadInput(f"the grid has {len(made):,} cells, more than {CELLS:,}; vary less at a time")
    return tuple(_told_apart(made))


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
    shown = tuple(_shown(kind, bare, value) for value in given)
    twice = next((value for value in shown if shown.count(value) > 1), None)
    if twice is not None:
        raise BadInput(f"--vary {name}: {twice!r} is named twice")
    return Axis(bare, kind, shown, given)


def _kind(name: str, options: Sequence[str], specs: Sequence[SystemSpec]) -> tuple[Kind, str]:
    """What a name stands for; `option.X` is the suite's option X and `system.X` an argument where both have one."""
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
    return [name for name in named if name not in ("internal", "embedder", "repeat") and _named(spec, name, "x")]


def _shown(kind: Kind, name: str, value: str) -> str:
    if kind != "setting":
        return value
    if name in _NUMBERS:
        if not re.fullmatch(r"\d+", value) or (name == "rows" and int(value) < 1):
            raise BadInput(f"--vary {name}={value}: give whole numbers, as in {name}=1,2,3")
        return str(int(value))
    if name == "embed":
        return embedder_label(value)
    return model_label(value) if name in ("internal", "answer", "judge") else value


def _unfixed(axis: Axis, specs: Sequence[SystemSpec], fixed: Mapping[str, Any]) -> None:
    """Refuse what is varied and fixed at the same time, or means nothing to any system."""
    settled = fixed.get(axis.name) if axis.kind == "setting" and axis.name != "seed" else None
    settled = (fixed.get("options") or {}).get(axis.name) if axis.kind == "option" else settled
    if settled is not None:
        raise BadInput(f"{axis.name} is varied and also fixed to {settled!s}; leave one of the two out")
    argument = _TAKEN_AS.get(axis.name, axis.name)
    own = next((spec for spec in specs if axis.kind != "option" and argument in spec.arguments), None)
    if own is not None:
        raise BadInput(f"{axis.name} is varied, but system {own.label!r} has a value of its own; leave one of them out")
    if not any(axis.applies(spec) for spec in specs):
        raise BadInput(f"--vary {axis.name}: none of the systems takes it")


def _cell(
    group: Sequence[Axis], values: Sequence[str], members: Sequence[SystemSpec], fixed: Mapping[str, Any]
) -> Cell:
    chosen = dict(zip((axis.name for axis in group), values, strict=True))
    settings = {name: value for name, value in fixed.items() if _wanted(name, members)}
    options = dict(settings.get("options") or {})
    systems = {spec.label: spec for spec in members}
    for axis in group:
        value = axis.typed(chosen[axis.name])
        if axis.kind == "option":
            options[axis.name] = str(value)
        elif axis.kind == "setting":
            settings[axis.name] = value
        else:
            systems = {name: _with(spec, axis.name, str(value)) for name, spec in systems.items()}
    return Cell(_folder(chosen), chosen, systems, {**settings, "options": options})


def _wanted(setting: str, members: Sequence[SystemSpec]) -> bool:
    """A model for the inside of systems is handed only to those who take one; a run refuses it otherwise."""
    return setting not in _TAKEN_AS or any(takes(spec, _TAKEN_AS[setting]) for spec in members)


def _with(spec: SystemSpec, argument: str, value: str) -> SystemSpec:
    """The system with one more argument, named so that the command line finds it again."""
    found = _named(spec, argument, value)
    if found is None:
        raise BadInput(f"system {spec.label!r} can't be given {argument}={value}")
    return found


def _named(spec: SystemSpec, argument: str, value: str) -> SystemSpec | None:
    """The system with one more argument; None for one that takes none behind its name."""
    text = f"{spec.label}{',' if spec.arguments else ':'}{argument}={value}"
    more = replace(spec, label=text, arguments={**spec.arguments, argument: value})
    try:
        found = registry.system(text)
    except BadInput:
        return more  # an object or class of a Python caller: no text names it, or ever did
    return more if found.arguments.get(argument) == value else None


def _folder(values: Mapping[str, str]) -> str:
    """A folder's name that says what its run stands for.

    >>> _folder({"filler": "32k", "internal": "openai/gpt-5"})
    'filler=32k,internal=openai-gpt-5'
    """
    parts = (f"{name}={re.sub(r'[^A-Za-z0-9._]+', '-', value).strip('-') or 'x'}" for name, value in values.items())
    name = ",".join(parts) or ALONE
    return name if len(name) <= _FOLDER else f"{name[:_FOLDER]}-{_hash(values)}"


def _told_apart(made: Sequence[Cell]) -> Iterator[Cell]:
    """Values that differ only in what a folder's name can't hold get names that differ."""
    names = [cell.folder for cell in made]
    for cell in made:
        same = names.count(cell.folder) > 1
        yield replace(cell, folder=f"{cell.folder}-{_hash(cell.values)}") if same else cell


def _hash(values: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:8]
