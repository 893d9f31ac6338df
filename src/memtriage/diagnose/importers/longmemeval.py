"""LongMemEval's own harness: the log of `run_retrieval.py`, which ranks all that was indexed, and its answers.

The log brings the whole entry of the data along, so facts, sessions and dates are those of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.diagnose.importers.gold import gold_of
from memtriage.diagnose.importers.values import memory, read_values
from memtriage.diagnose.trace_format import Record
from memtriage.suites.longmemeval.episodes import episode
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.reading import QuestionReader

_PRINTED = (5, 10)
"""What the harness prints its retrieval measures at."""


def fits(value: Any) -> bool:
    return isinstance(value, Mapping) and "question_id" in value and isinstance(value.get("retrieval_results"), Mapping)


def records(path: Path, ks: Sequence[int], system: str, answered: bool, notes: list[str]) -> list[Record]:
    """For each question, a store with all that was indexed and a line for each k."""
    if answered and len(ks) != 1:
        raise BadInput("--answers were given at one k; name it with --k (topk_context of run_generation.py)")
    complaints = Complaints(path)
    reader = QuestionReader(complaints)
    found: list[Record] = []
    for number, (where, entry) in enumerate(read_values(path), start=1):
        if not fits(entry):
            raise BadInput(f"{where}: no retrieval log of LongMemEval (question_id and retrieval_results)")
        question = reader.question(number, entry)
        if question is not None:
            told = episode(question, "s")
            found += _lines(where, told, entry["retrieval_results"], ks or _PRINTED, system or _retriever(path))
    notes += complaints.lines()
    return found


def answers(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of a hypothesis file, or its graded log: each question's id with its answer, and the grade if there is one."""
    for where, row in read_values(path):
        if not isinstance(row, Mapping) or "question_id" not in row or "hypothesis" not in row:
            raise BadInput(f"{where}: it has no question_id or no hypothesis; give what run_generation.py wrote")
        label = row.get("autoeval_label")
        right = label.get("label") if isinstance(label, Mapping) else label
        yield (
            str(row["question_id"]),
            {
                "answer": str(row["hypothesis"]),
                **({"right": right} if isinstance(right, bool) else {}),
            },
        )


def _lines(where: str, told: Any, results: Mapping[str, Any], ks: Sequence[int], system: str) -> Iterator[Record]:
    ranked = results.get("ranked_items")
    if not isinstance(ranked, list):
        raise BadInput(f"{where}: retrieval_results has no ranked_items; give the log of run_retrieval.py")
    memories = []
    for n, item in enumerate(ranked, start=1):
        if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
            raise BadInput(f"{where}, ranked item {n}: it has no text; give the log of run_retrieval.py")
        memories.append(memory({**item, "id": item.get("corpus_id")}, where))
    (probe,) = told.probes
    store = f"longmemeval {probe.id}"
    yield (
        where,
        {
            "store": store,
            "memories": memories,
            "conversations": [
                {
                    "id": session.id,
                    **({"date": session.timestamp} if session.timestamp else {}),
                    "turns": [{"id": turn.id, "role": turn.role, "text": turn.text} for turn in session.turns],
                }
                for session in told.sessions
                if session.turns
            ],
        },
    )
    gold = gold_of(told, probe)
    for k in ks:
        yield where, {"probe": probe.id, "k": k, "store": store, "system": system, "retrieved": memories[:k], **gold}


def _retriever(path: Path) -> str:
    """The retriever that the log's name ends with (`…_retrievallog_turn_flat-bm25`)."""
    _, mark, rest = path.name.partition("_retrievallog_")
    return rest if mark else "longmemeval"
