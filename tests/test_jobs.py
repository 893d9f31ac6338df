"""Runs whose stores are filled by several processes come to the same files as runs in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import memtriage
from conftest import Place
from memtriage import registry
from memtriage.api import Run
from memtriage.cluster import local_pool, local_scheduler
from memtriage.cluster.local_pool import Pool
from memtriage.cluster.local_scheduler import LocalScheduler, may_leave
from memtriage.config import Limits
from memtriage.core.errors import BadRun
from memtriage.models.scripted import StubServer
from memtriage.pipeline import where
from memtriage.registry import SystemSpec
from memtriage.runner.store_runner import Build
from memtriage.runner.watcher import Watcher
from same_files import assert_same

ONE, TWO = Limits(stores=1, jobs=1), Limits(stores=1, jobs=2)
SYSTEMS = ("bm25", "dense", "mosaic", "full-context")
SETTINGS: dict[str, Any] = {"suite": "memfail", "rows": 10, "k": [2, 5], "progress": False}


class Steps(Watcher):
    """Counts what it is told; interrupts at a step, as Ctrl-C would."""

    def __init__(self, interrupt_at: int | None = None) -> None:
        self.notes: list[str] = []
        self.steps = self.total = 0
        self._at = interrupt_at

    def begin(self, path: Path, steps: int) -> None:
        self.total = steps

    def step(self, steps: int = 1) -> None:
        self.steps += steps
        if self._at is not None and self.steps >= self._at:
            self._at = None
            raise KeyboardInterrupt

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[Pool]:
    """The pools that a test starts."""
    started: list[Pool] = []
    begin = Pool.__init__

    def noted(pool: Pool, *arguments: Any) -> None:
        started.append(pool)
        begin(pool, *arguments)

    monkeypatch.setattr(Pool, "__init__", noted)
    return started


def ended(pools: list[Pool]) -> bool:
    """Whether no worker is left: what comes from each was read to its end."""
    return all(line.back.closed for pool in pools for line in pool.lines)


def test_two_processes_come_to_the_same_files_as_one(place: Place, pools: list[Pool]) -> None:
    one, two = Steps(), Steps()
    here = memtriage.run(*SYSTEMS, out="here", repeats="ingest=2", limits=ONE, watcher=one, **SETTINGS)
    assert not pools
    there = memtriage.run(*SYSTEMS, out="there", repeats="ingest=2", limits=TWO, watcher=two, **SETTINGS)
    assert len(pools) == 1
    assert len(pools[0].lines) == 2
    assert here.errors == there.errors == 0
    assert len(here.stores()) == 5 * len(SYSTEMS) * 2
    assert_same(here.path, there.path)
    assert two.steps == two.total == one.total
    assert ended(pools), "no worker outlives its run"


def test_stores_that_were_filled_elsewhere_are_answered_and_judged_here(place: Place) -> None:
    with StubServer("content") as server:
        models = {"answer": f"{server.url}#stub", "judge": f"{server.url}#stub"}
        settings = {**SETTINGS, **models, "rows": 5}
        here, there = (
            memtriage.run(
                "bm25",
                "full-context",
                out=f"run{jobs}",
                limits=Limits(jobs=jobs, cache=place.path / f"{jobs}.db"),  # each its own; equal calls count once
                **settings,
            )
            for jobs in (1, 2)
        )
    assert here.errors == there.errors == 0
    verdicts = [[(v.system, v.probe, v.k, v.verdict, v.right) for v in run.verdicts()] for run in (here, there)]
    assert verdicts[0] == verdicts[1]
    assert here.cost is not None
    assert there.cost is not None
    assert here.cost["total"]["calls"] == there.cost["total"]["calls"] > 0


def test_a_worker_that_dies_is_replaced_and_leaves_no_trace(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    here = memtriage.run("bm25", "dense", out="here", limits=ONE, **SETTINGS)
    give, killed = LocalScheduler._give, []

    def kill_the_first(scheduler: LocalScheduler, worker: Any) -> None:
        give(scheduler, worker)
        if not killed and worker.heard and worker.store is not None:
            killed.append(worker)
            worker.line.close()  # as if it were gone

    monkeypatch.setattr(LocalScheduler, "_give", kill_the_first)
    told = Steps()
    there = memtriage.run("bm25", "dense", out="there", limits=TWO, watcher=told, **SETTINGS)
    assert killed
    assert [note for note in told.notes if "its worker was lost" in note and "it is begun again" in note]
    assert told.steps == told.total, "what was lost is counted once"
    assert_same(here.path, there.path)


def test_workers_that_never_begin_are_one_sentence(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_pool, "_START", "raise SystemExit(3)")
    with pytest.raises(BadRun, match="--jobs 1"):
        memtriage.run("bm25", out="run", limits=TWO, **SETTINGS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing interrupted."""
    return memtriage.run(*SYSTEMS, out=tmp_path_factory.mktemp("whole") / "run", limits=ONE, **SETTINGS)


@pytest.mark.parametrize(("first", "then"), [(TWO, ONE), (ONE, TWO), (TWO, TWO)])
def test_an_interrupted_run_goes_on_in_one_process_and_in_two(
    whole: Run, place: Place, pools: list[Pool], first: Limits, then: Limits
) -> None:
    with pytest.raises(KeyboardInterrupt):
        memtriage.run(*SYSTEMS, out="run", limits=first, watcher=Steps(interrupt_at=120), **SETTINGS)
    assert ended(pools)
    run = memtriage.resume("run", limits=then, progress=False)
    found = [[(v.system, v.probe, v.k, v.verdict, v.retrieved) for v in each.verdicts()] for each in (whole, run)]
    assert found[0] == found[1]


def test_only_our_own_systems_without_a_model_leave_this_process(place: Place) -> None:
    place.write("mine.py", "from memtriage.systems.baselines.simple import Echo\n\n\nclass Mine(Echo):\n    pass\n")
    from memtriage.systems.retrieval.bm25 import BM25

    assert all(
        may_leave(Build(registry.system(name))) for name in (*SYSTEMS, "none", "oracle", "bm25:granularity=round")
    )
    for name in ("mine.py:Mine", "dense:embedder=openai/text-embedding-3-small", "facts:internal=openai/gpt-4.1-mini"):
        assert not may_leave(Build(registry.system(name))), name
    assert not may_leave(Build(SystemSpec("bm25", BM25))), "an object that was made in Python"


def test_a_small_run_starts_no_process(place: Place, monkeypatch: pytest.MonkeyPatch, pools: list[Pool]) -> None:
    monkeypatch.setattr(where, "processors", lambda: 2)
    memtriage.run("bm25", "dense", out="small", **{**SETTINGS, "rows": 5})
    assert not pools
    monkeypatch.setattr(local_scheduler, "WORTH", 100)
    memtriage.run("bm25", "dense", out="large", **{**SETTINGS, "rows": 5})
    assert len(pools) == 1
