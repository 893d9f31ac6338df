"""Results of the evaluation in Mem0's repository (until June 2026): LoCoMo, with the memories of both speakers.

Its judged scores (`evals.py`) are a file of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.values import memory, read_values
from memtriage.diagnose.trace_format import Record

CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial"}
_SPEAKERS = ("speaker_1", "speaker_2")


def fits(value: Any) -> bool:
    return isinstance(value, Mapping) and any(value.values()) and all(map(_is_talk, value.values()))


def _is_talk(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, Mapping) and {"question", "response"} <= set(row) for row in value
    )


def records(path: Path, system: str) -> list[Record]:
    """A line for each question."""
    return [(where, _record(row, where, talk, number, system or "mem0")) for where, talk, number, row in _rows(path)]


def grades(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Of a file of scores: each question with its answer, and the judge's grade."""
    for where, _, _, row in _rows(path):
        score = row.get("llm_score")
        if score not in (0, 1):
            raise BadInput(f"{where}: llm_score is {str(score)[:20]!r}, not 0 or 1; give the output of evals.py")
        yield str(row["question"]), str(row["response"]), {"right": bool(score)}


def _rows(path: Path) -> Iterator[tuple[str, str, int, Mapping[str, Any]]]:
    values = list(read_values(path))
    if len(values) != 1 or not fits(values[0][1]):
        raise BadInput(f"{path}: no results of Mem0's evaluation (conversations, each a list of questions)")
    for talk, rows in values[0][1].items():
        for number, row in enumerate(rows, start=1):
            yield f"{path}, conversation {talk!r}, question {number}", talk, number, row


def _record(row: Mapping[str, Any], where: str, talk: str, number: int, system: str) -> dict[str, Any]:
    retrieved = [one for speaker in _SPEAKERS for one in _memories(row, speaker, where)]
    if "context" in row and not retrieved:  # its comparison with chunks of the chat
        retrieved = [{"text": str(row["context"])}] if str(row["context"]).strip() else []
    category = CATEGORIES.get(str(row.get("category")), "questions")
    times = [row[f"{speaker}_memory_time"] for speaker in _SPEAKERS if f"{speaker}_memory_time" in row]
    times = times or [row[key] for key in ("search_time",) if key in row]
    recorded = "context" in row or any(f"{speaker}_memories" in row for speaker in _SPEAKERS)
    declined = category == "adversarial" or not str(row.get("answer") or "").strip()
    return {
        "probe": f"{talk}/{number}",
        "question": str(row["question"]),
        "system": system,
        "task": f"locomo/{category}",
        "retrieved": retrieved,
        "answer": str(row["response"]),
        **({"scoring": "abstain"} if declined else {"gold": str(row["answer"])}),
        **({} if recorded else {"facts": []}),  # scores alone: nobody knows what came back
        **({"right": bool(row["llm_score"])} if row.get("llm_score") in (0, 1) else {}),
        **({"seconds": sum(times)} if times and all(isinstance(one, int | float) for one in times) else {}),
    }


def _memories(row: Mapping[str, Any], speaker: str, where: str) -> Iterator[dict[str, Any]]:
    for key in (f"{speaker}_memories", f"{speaker}_graph_memories"):
        found = row.get(key)
        if found is None:
            continue
        if not isinstance(found, list):
            raise BadInput(f"{where}: {key} is no list; give the file that run_experiments.py wrote")
        for n, one in enumerate(found, start=1):
            if isinstance(one, Mapping) and "relationship" in one:
                yield {"text": " ".join(str(one.get(part) or "") for part in ("source", "relationship", "target"))}
            else:
                yield memory(one, f"{where}, {key} {n}")
