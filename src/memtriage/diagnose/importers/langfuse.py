"""Traces and observations that Langfuse exports: from its pages, its API, or its exports to storage."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.steps import Kind, Step, questions
from memtriage.diagnose.importers.times import seconds
from memtriage.diagnose.importers.values import read_values
from memtriage.diagnose.trace_format import Record

_KINDS: dict[str, Kind] = {"generation": "model", "retriever": "search", "tool": "tool"}
_TYPES = frozenset("span generation event agent tool chain retriever evaluator embedding guardrail".split())


def fits(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("data"), list) and value["data"]:
        return fits(value["data"][0])
    return isinstance(value.get("observations"), list) or _is_observation(value)


def _is_observation(value: Mapping[str, Any]) -> bool:
    return bool(_either(value, "traceId", "trace_id")) and str(value.get("type")).lower() in _TYPES


def records(path: Path, searching: Collection[str], system: str, notes: list[str]) -> list[Record]:
    """The traces of a file."""
    steps = [step for where, value in read_values(path) for step in _steps(value, where)]
    return list(questions(path, steps, searching, system, notes))


def _steps(value: Any, where: str) -> Iterator[Step]:
    if not isinstance(value, Mapping):
        raise BadInput(f"{where}: it is no trace and no observation of Langfuse")
    if isinstance(value.get("data"), list):
        for n, one in enumerate(value["data"], start=1):
            yield from _steps(one, f"{where}, entry {n}")
    elif isinstance(value.get("observations"), list):
        trace = value["trace"] if isinstance(value.get("trace"), Mapping) else value
        id = trace.get("id")
        if not isinstance(id, str):
            raise BadInput(f"{where}: the trace has no id; export it again from Langfuse")
        yield Step(
            where=f"{where}, trace {id}",
            trace=id,
            id=f"trace {id}",
            parent=None,
            kind="other",
            name=str(trace.get("name") or ""),
            start=seconds(trace.get("timestamp"), f"{where}, trace {id}") or 0.0,
            asked=trace.get("input"),
            answered=trace.get("output"),
            system=str(trace.get("name") or ""),
        )
        for n, one in enumerate(value["observations"], start=1):
            if not isinstance(one, Mapping):
                raise BadInput(f"{where}, observation {n}: it has only an id; export traces with their observations")
            yield _observation({"traceId": id, **one}, f"{where}, observation {n}", f"trace {id}")
    else:
        yield _observation(value, where, None)


def _observation(value: Mapping[str, Any], where: str, above: str | None) -> Step:
    id, trace = value.get("id"), _either(value, "traceId", "trace_id")
    if not isinstance(id, str) or not isinstance(trace, str):
        raise BadInput(f"{where}: it has no id or no traceId; export it again from Langfuse")
    place = f"{where}, {id}"
    start = seconds(_either(value, "startTime", "start_time"), place)
    if start is None:
        raise BadInput(f"{place}: it has no startTime; export it again from Langfuse")
    failed = value.get("level") == "ERROR"
    return Step(
        where=place,
        trace=trace,
        id=id,
        parent=str(_either(value, "parentObservationId", "parent_observation_id") or "") or above,
        kind=_KINDS.get(str(value.get("type")).lower(), "other"),
        name=str(value.get("name") or ""),
        start=start,
        end=seconds(_either(value, "endTime", "end_time"), place),
        asked=value.get("input"),
        answered=value.get("output"),
        error=str(_either(value, "statusMessage", "status_message") or "it ended with an error") if failed else None,
        system=str(_either(value, "traceName", "trace_name") or ""),
    )


def _either(value: Mapping[str, Any], *keys: str) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)
