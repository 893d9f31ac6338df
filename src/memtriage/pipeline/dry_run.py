"""What a run would take of its models, found out before it begins."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from memtriage.config import Grading, Limits, Repeats, RunConfig
from memtriage.core.chat import ChatModel
from memtriage.core.reading import reading_of
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.estimate import Estimate, StageEstimate, estimate, estimate_work
from memtriage.pipeline.models import model_specs, open_cache
from memtriage.pipeline.rehearsal import stand_ins
from memtriage.pipeline.run import run
from memtriage.runner.store_runner import Watcher


def dry_run(config: RunConfig, watcher: Watcher | None = None) -> Estimate:
    """What a run would take of its models: calls, tokens, dollars. Storing and retrieving, which are free, are done.

    Where systems write or embed with a model, the scripted one stands in for it, and what it is asked is counted.
    """
    free = Grading(repeats=Repeats(ingest=config.grading.repeats.ingest))
    with (
        tempfile.TemporaryDirectory(prefix="memtriage-") as folder,
        stand_ins(internal=config.internal, embed=config.embed) as stand_in,
    ):
        path = Path(folder) / "run"
        limits = replace(config.limits, use_cache=False, max_cost=None)
        inner = stand_in.named
        rehearsed = replace(config, grading=free, limits=limits, internal=inner["internal"], embed=inner["embed"])
        run(rehearsed, path, watcher)
        return estimate_run(path, config.grading, config.limits, stand_in.stages(path))


def estimate_run(path: Path, grading: Grading, limits: Limits, inside: Sequence[StageEstimate] = ()) -> Estimate:
    """What answering and judging a run would take, beside what its systems take inside; nothing is asked."""
    specs = model_specs(grading)
    with open_cache(limits, existing=True) as cache:
        found = asyncio.run(
            estimate(
                path,
                answer=specs.get("answer"),
                judge=specs.get("judge"),
                repeats=grading.repeats.answer,
                paper_exact=grading.paper_exact,
                cache=cache,
                reading=reading_of(grading.reading),
            )
        )
    if not inside:
        return found
    note = "what systems ask inside was counted with the scripted model in the place of the real one"
    return replace(found, stages=(*inside, *found.stages), assumptions=(note, *found.assumptions))


def estimate_judging(judge: str, work: Callable[[ChatModel], Awaitable[object]], limits: Limits) -> Estimate:
    """What some grading would take of its judge; nothing is asked, and what is in the cache is free."""
    with open_cache(limits, existing=True) as cache:
        return asyncio.run(estimate_work(ModelSpec.parse(judge), work, cache=cache))
