"""The MemoryAgentBench suite: four competencies, each asked of one long context told in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from memtriage.core.episode import Episode
from memtriage.core.suite import Loaded, Request, Suite, Task
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.memoryagentbench import made
from memtriage.suites.memoryagentbench.context import COMPETENCY, KINDS, VERSION, Kind
from memtriage.suites.memoryagentbench.data import NAME, Files
from memtriage.suites.memoryagentbench.generate import MAKERS, OPTIONS, Plan, counted
from memtriage.suites.memoryagentbench.inject import CHUNK
from memtriage.suites.memoryagentbench.layout import episode
from memtriage.suites.memoryagentbench.rubrics import RUBRICS

_SUMMARIES: Mapping[Kind, str] = {
    "sh-docqa": "questions that one document among many answers",
    "mh-docqa": "questions that take two documents among many",
    "longmemeval": "questions about one long history of chats",
    "eventqa": "what a character of a novel does next",
    "icl": "labels learned from examples alone",
    "recommendation": "films for somebody, learned from the talks of others",
    "summarization": "the plot of a whole novel",
    "detective": "who did it, from clues all over the story",
    "factconsolidation-sh": "the newest of conflicting facts",
    "factconsolidation-mh": "chains of the newest of conflicting facts",
}


def load(kind: Kind, request: Request) -> Loaded:
    """The episodes of a kind, one context at a time, and where they come from."""
    plan = Plan.of(kind, request.rows, request.options)
    if request.data is None:
        told = {"suite_version": VERSION, "source": "generated", "seed": request.seed, **plan.provenance()}
        return Loaded((episode(context, plan.chunk) for context in counted(plan, request.seed, told)), told)
    if (path := made.found(request.data, kind)) is not None:
        record: dict[str, Any] = {"suite_version": VERSION, "source": "files", "file": str(path)}
        record |= {"sha256": sha256(path), "chunk": plan.chunk or CHUNK[kind]}
        return Loaded(_made(path, kind, plan.chunk, request.rows), record)
    from memtriage.suites.memoryagentbench.files import load as released

    return released(kind, request, plan.chunk)


def _made(path: Path, kind: Kind, chunk: int | None, rows: int | None) -> Iterator[Episode]:
    left = rows
    for context in made.read(path):
        if context.kind != kind or left == 0:
            continue
        queries = context.queries[:left]
        left = None if left is None else left - len(queries)
        yield episode(replace(context, queries=queries), chunk)


def _task(kind: Kind) -> Task:
    summary = f"{COMPETENCY[kind]}: {_SUMMARIES[kind]}"
    return Task(f"{NAME}/{kind}", summary, MAKERS[kind].rows, partial(load, kind), OPTIONS)


SUITE = Suite(
    name=NAME,
    title="MemoryAgentBench: what an agent finds, learns, understands and lets go of in one long context",
    paper="arXiv:2507.05257",
    licence="MIT (released data and code); generated contexts are yours",
    version=VERSION,
    tasks=tuple(_task(kind) for kind in KINDS),
    data=Files(),
    rubrics=RUBRICS,
)
