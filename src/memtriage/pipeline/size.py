"""What a very large run would take, before it starts: measured on a few rows, and carried on from there.

Storing takes time and room in proportion to the rows. Asking may take them in proportion to their square, as every
question may bring back the whole store. Two small runs tell the two apart.
"""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from memtriage import registry
from memtriage.config import Grading, Limits, RunConfig
from memtriage.core.amount import NATIVE
from memtriage.core.errors import BadInput, MemtriageError
from memtriage.host.temporary import TemporaryFolder
from memtriage.pipeline.run import run
from memtriage.pipeline.trust import is_harmless
from memtriage.registry import SystemSpec
from memtriage.text.tokens import tokens_in

_MANY_TIMES = 5
"""A run of up to this many times the rows of the paper begins without an estimate."""

_MANY_MEMORIES = 10_000
"""So does one that asks for up to this many memories."""

_SIZES = {"filler": (1_000_000, 8_000), "length": (2_000_000, 32_000), "tokens": (2_000_000, 32_000)}
"""Options of suites that are a number of tokens: from where on one is large, and its size in the sample."""

_SAMPLES = (8, 24)
_SAMPLES_OF_LARGE = (2, 4)


@dataclass(frozen=True, slots=True)
class RunSize:
    """What a run is expected to take at least. `unknown` are systems that were not measured.

    They ask models, or are code of others.
    """

    tasks: int
    questions: int
    seconds: float
    bytes: int
    free_bytes: int
    unknown: tuple[str, ...]

    @property
    def is_large(self) -> bool:
        """Whether nobody would start it by accident: an hour, ten gigabytes, or half of what the disk has left."""
        return self.seconds > 3600 or self.bytes > 10e9 or self.bytes > self.free_bytes / 2


def expected_size(config: RunConfig, out: Path) -> RunSize | None:
    """What a run would take; None if it is no larger than usual, or can't be measured on fewer rows."""
    request = config.request
    if request.data is not None or any(registry.suite_file(name) for name in config.suites):
        return None
    tasks = {task.name: task for name in config.suites for task in registry.tasks(name)[1]}
    shrunk, times = _shrunk(request.options)
    many = request.rows is not None and any(request.rows > _MANY_TIMES * task.rows for task in tasks.values())
    wide = any(isinstance(k, int) and k > _MANY_MEMORIES for k in config.ks)
    if not many and not wide and not shrunk:
        return None
    measured = tuple(spec for spec in config.systems if _asks_no_model(spec))
    sample = replace(
        config,
        systems=measured or (registry.system("none"),),
        ks=tuple(k for k in config.ks if k != NATIVE) or (10,),
        request=replace(request, paper_exact=False, options=_without_models(request.options) | shrunk),
        own_answers=False,
        grading=Grading(),
        internal="",
        embed="",
        limits=Limits(use_cache=False, stores=config.limits.stores, jobs=1),
    )
    first, second = _SAMPLES_OF_LARGE if shrunk else _SAMPLES
    try:
        _measured(sample, 1)  # loads what is loaded once
        small, large = _measured(sample, first), _measured(sample, second)
    except MemtriageError:
        return None  # the run itself says what is wrong
    rows = sum(request.rows or task.rows for task in tasks.values()) / len(tasks)
    return RunSize(
        len(tasks),
        round(large.questions / second * rows),
        times * _carried_on(first, small.seconds, second, large.seconds, rows),
        round(times * _carried_on(first, small.bytes, second, large.bytes, rows)),
        shutil.disk_usage(_existing(out)).free,
        tuple(spec.label for spec in config.systems if spec not in measured),
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    seconds: float
    bytes: int
    questions: int


def _measured(config: RunConfig, rows: int) -> _Measured:
    with TemporaryFolder() as folder:
        begun = perf_counter()
        done = run(replace(config, request=replace(config.request, rows=rows)), folder / "run")
        seconds = perf_counter() - begun
        sizes = (os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(done.path) for name in names)
        questions = sum(int(episode["probes"]) for episode in done.manifest["episodes"])
        return _Measured(seconds, sum(sizes), questions)


def _carried_on(first: int, small: float, second: int, large: float, rows: float) -> float:
    """The value at `rows` of a·n + b·n² through two points; neither part is negative.

    >>> _carried_on(10, 30, 20, 80, 100)  # n + 0.2·n²
    2100.0
    """
    square = max(0.0, (large / second - small / first) / (second - first))
    linear = max(0.0, large / second - square * second)
    return linear * rows + square * rows * rows


def _shrunk(options: Mapping[str, str]) -> tuple[dict[str, str], float]:
    """Large options at the size of the sample, and how many times larger they really are."""
    shrunk, times = {}, 1.0
    for name, (large, small) in _SIZES.items():
        try:
            tokens = tokens_in(options[name]) if name in options else 0
        except BadInput:
            continue
        if tokens > large:
            shrunk[name] = str(small)
            times *= tokens / small
    return shrunk, times


def _without_models(options: Mapping[str, str]) -> dict[str, str]:
    """The options without MemFail's, which has a model reply to what is stored."""
    return {name: value for name, value in options.items() if name != "replies"}


def _asks_no_model(spec: SystemSpec) -> bool:
    return is_harmless(spec.label) and "internal" not in inspect.signature(spec.factory).parameters


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.absolute().parents) if each.exists())
