"""Reports and checkpoints of MemoryBench: each question with what the provider found, the answer and its grade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.values import memory, read_values
from memtriage.diagnose.trace_format import Record

_LABELS = {"correct": True, "incorrect": False}


def fits(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {"provider", "benchmark", "runId"} <= set(value)
        and (isinstance(value.get("evaluations"), list) or isinstance(value.get("questions"), Mapping))
    )


def records(path: Path, system: str, notes: list[str]) -> list[Record]:
    """A line for each question that was searched for."""
    values = list(read_values(path))
    if len(values) != 1 or not fits(values[0][1]):
        raise BadInput(f"{path}: no report.json or checkpoint.json of MemoryBench")
    whole = values[0][1]
    rows = list(
        _evaluated(path, whole) if isinstance(whole.get("evaluations"), list) else _checkpointed(path, whole, notes)
    )
    return [(where, _record(row, where, whole, system)) for where, row in rows]


def _evaluated(path: Path, whole: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for n, row in enumerate(whole["evaluations"], start=1):
        where = f"{path}, evaluation {n}"
        if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
            raise BadInput(f"{where}: it has no question; give MemoryBench's report.json as it was written")
        yield where, row


def _checkpointed(path: Path, whole: Mapping[str, Any], notes: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The questions of a checkpoint in the form that a report has them."""
    waiting = 0
    for id, row in whole["questions"].items():
        where = f"{path}, question {id!r}"
        phases = row.get("phases") if isinstance(row, Mapping) else None
        if not isinstance(phases, Mapping) or not isinstance(row.get("question"), str):
            raise BadInput(f"{where}: it has no question or no phases; give MemoryBench's checkpoint.json")
        search, answer, grade = (_phase(phases, name) for name in ("search", "answer", "evaluate"))
        failed = next((str(one["error"]) for one in (search, answer) if one.get("error")), None)
        if search.get("status") != "completed" and failed is None:
            waiting += 1
            continue
        yield (
            where,
            {
                **row,
                "questionId": id,
                "searchResults": search.get("results"),
                "searchDurationMs": search.get("durationMs"),
                "hypothesis": answer.get("hypothesis"),
                "label": grade.get("label"),
                "error": failed,
            },
        )
    if waiting:
        notes.append(f"{waiting} questions were not searched for yet, and were left out")


def _phase(phases: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = phases.get(name)
    return found if isinstance(found, Mapping) else {}


def _record(row: Mapping[str, Any], where: str, whole: Mapping[str, Any], system: str) -> dict[str, Any]:
    results = row.get("searchResults") or []
    if not isinstance(results, list):
        raise BadInput(f"{where}: searchResults is no list")
    took, label = row.get("searchDurationMs"), row.get("label")
    gold, answer = str(row.get("groundTruth") or ""), row.get("hypothesis")
    declined = "_abs" in str(row.get("questionId")) or row.get("questionType") == "adversarial" or not gold.strip()
    record = {
        "probe": str(row.get("questionId") or where),
        "question": row["question"],
        "system": system or str(whole["provider"]),
        "task": f"{whole['benchmark']}/{row.get('questionType') or 'questions'}",
        "retrieved": [_found(one, f"{where}, result {n}") for n, one in enumerate(results, start=1)],
        "asked_at": row.get("questionDate"),
        "gold": gold or None,
        "scoring": "abstain" if declined else None,
        "facts": []
        if row.get("searchResults") is None and not row.get("error")
        else None,  # nobody knows what came back
        "answer": str(answer) if answer is not None else None,
        "right": _LABELS.get(str(label)) if answer is not None else None,
        "seconds": took / 1000 if isinstance(took, int | float) else None,
        "error": row.get("error"),
    }
    return {key: value for key, value in record.items() if value is not None}


def _found(result: Any, where: str) -> dict[str, Any]:
    """One result as the answering model is shown it: Supermemory's with their chunks, Zep's nodes with their names."""
    if isinstance(result, Mapping):
        listed = result.get("chunks")
        chunks = listed if isinstance(listed, list) else [{"content": result.get("chunk")}]
        parts = [result.get("memory"), *(chunk.get("content") for chunk in chunks if isinstance(chunk, Mapping))]
        texts = list(dict.fromkeys(part for part in parts if isinstance(part, str) and part.strip()))
        if result.get("_type") == "node":
            texts = [": ".join(str(result[key]) for key in ("name", "summary") if result.get(key))]
        if texts:
            result = {**result, "text": "\n".join(texts), "memory": None}
    return memory(result, where)
