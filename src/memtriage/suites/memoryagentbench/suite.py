"""The MemoryAgentBench suite: four competencies, each tested on one long context that comes in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from memtriage.core.episode import Episode
from memtriage.core.suite import DataTable, Loaded, Request, Suite, Task
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.options import switch_of
from memtriage.suites.memoryagentbench import context_files
from memtriage.suites.memoryagentbench.context import VERSION
from memtriage.suites.memoryagentbench.data import NAME, MemoryAgentBenchFiles, kind_of
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate.plan import MAKERS, OPTIONS, Plan, counted
from memtriage.suites.memoryagentbench.grading import ANSWER_MEASURES, OfficialScores
from memtriage.suites.memoryagentbench.kinds import KINDS, SPECS, Kind
from memtriage.suites.memoryagentbench.paper_prompts import acknowledged, demonstrated
from memtriage.suites.memoryagentbench.rubrics import RUBRICS
from memtriage.suites.memoryagentbench.statistics import statistics


def load(kind: Kind, request: Request) -> Loaded:
    """The episodes of a kind, one context at a time, and where they come from."""
    plan = Plan.of(kind, request.rows, request.options)
    loaded = _load(kind, request, plan)
    episodes = loaded.episodes
    if switch_of(plan.own, "acknowledge"):
        episodes = (acknowledged(episode, kind) for episode in episodes)
    if switch_of(plan.own, "demonstrations"):
        episodes = (demonstrated(episode) for episode in episodes)
    return replace(loaded, episodes=episodes)


def _load(kind: Kind, request: Request, plan: Plan) -> Loaded:
    if request.data is None:
        record = {"suite_version": VERSION, "source": "generated", "seed": request.seed, **plan.provenance()}
        return Loaded((episode(context, plan.chunk) for context in counted(plan, request.seed, record)), record)
    if (path := context_files.find(request.data, kind)) is not None:
        record = {"suite_version": VERSION, "source": "files", "file": str(path)}
        record |= {"sha256": sha256(path), "chunk": plan.chunk or SPECS[kind].chunk}
        return Loaded(_from_file(path, kind, plan.chunk, request.rows), record)
    from memtriage.suites.memoryagentbench.released.load import load as released

    return released(kind, request, plan.chunk)


def _from_file(path: Path, kind: Kind, chunk: int | None, rows: int | None) -> Iterator[Episode]:
    left = rows
    for context in context_files.read(path):
        if context.kind != kind or left == 0:
            continue
        queries = context.queries[:left]
        left = None if left is None else left - len(queries)
        yield episode(replace(context, queries=queries), chunk)


def _statistics(tasks: Sequence[str], request: Request) -> Iterator[DataTable]:
    return statistics(load, [kind_of(task) for task in tasks], request)


def _task(kind: Kind) -> Task:
    summary = f"{SPECS[kind].competency}: {SPECS[kind].summary}"
    return Task(f"{NAME}/{kind}", summary, MAKERS[kind].rows, partial(load, kind), OPTIONS)


SUITE = Suite(
    name=NAME,
    title="MemoryAgentBench: what an agent finds, learns, understands and lets go of in one long context",
    paper="arXiv:2507.05257",
    licence="MIT (released data and code); generated contexts are yours",
    version=VERSION,
    tasks=tuple(_task(kind) for kind in KINDS),
    data=MemoryAgentBenchFiles(),
    rubrics=RUBRICS,
    dated=False,
    scorer=OfficialScores(),
    statistics=_statistics,
    groups={f"{NAME}/{kind}": SPECS[kind].competency for kind in KINDS},
    answer_measures={f"{NAME}/{kind}": measures for kind, measures in ANSWER_MEASURES.items()},
)
