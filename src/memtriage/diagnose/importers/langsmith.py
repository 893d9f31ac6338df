"""Runs that LangSmith exports: JSON lines, a list, or what its API returns; children inside their parents, or flat."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.steps import Kind, Step, questions
from memtriage.diagnose.importers.times import seconds
from memtriage.diagnose.importers.values import read_values
from memtriage.diagnose.trace_format import Record

_KINDS: dict[str, Kind] = {"llm": "model", "retriever": "search", "tool": "tool"}
_LISTS = ("runs", "items", "data")


def fits(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return "run_type" in value or any(
        isinstance(value.get(key), list) and value[key] and fits(value[key][0]) for key in _LISTS
    )


def records(path: Path, searching: Collection[str], system: str, notes: list[str]) -> list[Record]:
    """The traces of a file."""
    steps = [step for where, value in read_values(path) for step in _steps(value, where, None, None)]
    roots = {step.trace: step.name for step in steps if step.parent is None}
    if missing := len({step.trace for step in steps} - set(roots)):
        notes.append(f"{missing} traces are without their root run; export whole traces to be sure of their answers")
    return list(questions(path, steps, searching, system, notes))


def _steps(value: Any, where: str, parent: str | None, trace: str | None) -> Iterator[Step]:
    if not isinstance(value, Mapping):
        raise BadInput(f"{where}: it is no run of LangSmith (an object with id and run_type)")
    for key in _LISTS:
        if "run_type" not in value and isinstance(value.get(key), list):
            for n, run in enumerate(value[key], start=1):
                yield from _steps(run, f"{where}, run {n}", None, None)
            return
    id, kind = value.get("id"), value.get("run_type")
    if not isinstance(id, str) or not isinstance(kind, str):
        raise BadInput(f"{where}: it has no id or no run_type; export whole runs of LangSmith")
    place = f"{where}, run {id}"
    named = value.get("parent_run_id")
    above = named if isinstance(named, str) and named else parent
    whole = str(value.get("trace_id") or trace or id)
    start = seconds(value.get("start_time"), place)
    if start is None:
        raise BadInput(f"{place}: it has no start_time; export whole runs of LangSmith")
    yield Step(
        where=place,
        trace=whole,
        id=id,
        parent=above,
        kind=_KINDS.get(kind.lower(), "other"),
        name=str(value.get("name") or ""),
        start=start,
        end=seconds(value.get("end_time"), place),
        asked=value.get("inputs"),
        answered=value.get("outputs"),
        error=str(value["error"]) if value.get("error") else None,
        system=str(value.get("session_name") or ""),
    )
    children = value.get("child_runs")
    for n, child in enumerate(children if isinstance(children, list) else (), start=1):
        yield from _steps(child, f"{place}, child {n}", id, whole)
