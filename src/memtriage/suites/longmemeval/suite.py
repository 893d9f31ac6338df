"""The LongMemEval suite: questions about long, timestamped histories of chats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import DataTable, Loaded, Request, Suite, Task
from memtriage.suites.kit.datasets import Hashing
from memtriage.suites.kit.options import refuse_unknown
from memtriage.suites.longmemeval import errata
from memtriage.suites.longmemeval.data import LongMemEvalFiles
from memtriage.suites.longmemeval.episodes import SUITE as NAME
from memtriage.suites.longmemeval.episodes import episode
from memtriage.suites.longmemeval.generate.questions import ROWS, generate_questions
from memtriage.suites.longmemeval.grading.hypotheses import Hypotheses
from memtriage.suites.longmemeval.grading.rubrics import RUBRICS
from memtriage.suites.longmemeval.options import OPTIONS as GENERATION_OPTIONS
from memtriage.suites.longmemeval.options import SIZES, HistoryPlan, Size
from memtriage.suites.longmemeval.released import files
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.reading import QuestionReader
from memtriage.text.language import in_language

VERSION = "3"

OPTIONS = {**GENERATION_OPTIONS, "errata": "correct known wrong gold answers of released files: on (default) or off"}

_SUMMARIES = {
    "s": "histories of about 115,000 tokens, some 50 sessions",
    "m": "histories of about 500 sessions, 1.5 million tokens",
    "oracle": "the evidence sessions alone",
}


def load(size: Size, request: Request) -> Loaded:
    """The episodes of a size, one at a time, and where they come from; of files more is known once they are read."""
    refuse_unknown(request.options, OPTIONS, f"suite {NAME}")
    correct = request.options.get("errata", "on")
    if correct not in ("on", "off"):
        raise BadInput(unknown("way to use errata", correct, ("on", "off")))
    if request.data is not None:
        return _from_file(size, request, request.data, errata.load() if correct == "on" else None)
    return _generated(size, request)


def _generated(size: Size, request: Request) -> Loaded:
    rows = ROWS if request.rows is None else request.rows
    options = {name: value for name, value in request.options.items() if name in GENERATION_OPTIONS}
    plan = HistoryPlan.of(size, options)
    provenance = {
        "source": "generated",
        "seed": request.seed,
        "rows": rows,
        **plan.provenance(),
    }
    questions = generate_questions(size, rows, request.seed, options)
    episodes = (replace(episode(question, size), language=plan.language) for question in questions)
    return Loaded(in_language(plan.language, episodes), {"suite_version": VERSION, **provenance})


def _from_file(size: Size, request: Request, data: Path, corrections: errata.Errata | None) -> Loaded:
    source = files.find(data, size)
    refused = sorted(name for name in request.options if name in GENERATION_OPTIONS)
    if refused:
        raise BadInput(f"{source.path} brings its own histories; leave out the option {', '.join(refused)}")
    provenance: dict[str, object] = {
        "suite_version": VERSION,
        "source": "files",
        "file": str(source.path),
        "size": source.size,
        "sha256": None,
        "rows": 0,
        "errata": corrections.version if corrections else "off",
    }
    return Loaded(_read(source, request.rows, corrections, provenance), provenance)


def _read(
    source: files.QuestionFile, rows: int | None, corrections: errata.Errata | None, provenance: dict[str, Any]
) -> Iterator[Episode]:
    """The episodes of a file; what is only known at the end is put into `provenance`."""
    complaints = Complaints(source.path)
    reader = QuestionReader(complaints)
    hashing = Hashing(source.path)
    types: dict[str, int] = {}
    corrected: list[str] = []
    number = 0
    for number, entry in files.Entries(source.path, complaints.of_file, chats=True):
        question = reader.question(number, entry)
        if question is None:
            continue
        try:
            one = episode(question, source.size, corrections)
        except BadInput as error:
            complaints.add("left out", question.id, f"{error}; it was left out")
            continue
        task = one.probes[0].task.removeprefix(f"{NAME}/")
        types[task] = types.get(task, 0) + 1
        corrected += [question.id] if "errata" in one.probes[0].tags else []
        yield one
        if sum(types.values()) == rows:
            break
    provenance["sha256"], provenance["bytes"] = hashing.result()
    provenance |= {"entries_read": number, "rows": sum(types.values())}
    provenance |= {
        "types": types,
        "corrected": corrected,
        "trouble": complaints.counts(),
        "problems": complaints.lines(),
    }
    if not types:
        raise BadInput("\n".join(complaints.lines()[:10]) or f"{source.path} holds no questions")


def statistics(sizes: Sequence[str], request: Request) -> Iterator[DataTable]:
    """The paper's table 1 and figure 5 for these questions."""
    from memtriage.suites.longmemeval.statistics import tables

    for size in sizes:
        yield from tables(size, request, lambda name, of: load(next(s for s in SIZES if s == name), of))


SUITE = Suite(
    name=NAME,
    title="LongMemEval: what is found again in months of chats, put together, updated and placed in time",
    paper="arXiv:2410.10813",
    licence="MIT (released data and code); generated questions are yours",
    version=VERSION,
    tasks=tuple(
        Task(f"{NAME}/{size}", _SUMMARIES[size], ROWS, partial(load, size), OPTIONS, extra=size != "s")
        for size in SIZES
    ),
    data=LongMemEvalFiles(),
    rubrics=RUBRICS,
    scorer=Hypotheses(),
    statistics=statistics,
)
