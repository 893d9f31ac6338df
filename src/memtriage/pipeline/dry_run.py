"""Estimate the model usage of a run before it starts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from memtriage.config import Grading, Limits, Repeats, RunConfig
from memtriage.core.chat import ChatModel, Tokens
from memtriage.core.episode import Episode
from memtriage.core.reading import reading_of
from memtriage.host.event_loop import run_async
from memtriage.host.temporary import TemporaryFolder
from memtriage.models.batch_client import PRICE_SHARE
from memtriage.models.prices import price
from memtriage.models.spec import ModelSpec
from memtriage.pipeline.estimate import CountingModel, Estimate, StageEstimate, bounds, estimate, estimate_work
from memtriage.pipeline.models import model_specs, open_cache
from memtriage.pipeline.rehearsal import stand_ins
from memtriage.pipeline.run import run
from memtriage.runner.replies import with_replies
from memtriage.runner.watcher import Watcher


def dry_run(config: RunConfig, watcher: Watcher | None = None) -> Estimate:
    """Estimate the model calls, tokens and dollars of a run. Storing and retrieving, which are free, really happen.

    Where systems write or embed with a model, a scripted one stands in for it, and its calls are counted.
    """
    free = Grading(repeats=Repeats(ingest=config.grading.repeats.ingest))
    with (
        TemporaryFolder() as folder,
        stand_ins(internal=config.internal, embed=config.embed) as stand_in,
    ):
        path = folder / "run"
        limits = replace(config.limits, use_cache=False, max_cost=None)
        names = stand_in.names
        rehearsed = replace(config, grading=free, limits=limits, internal=names["internal"], embed=names["embed"])
        with open_cache(config.limits, existing=True) as cache:
            answer = model_specs(config.grading).get("answer")
            replying = CountingModel(answer, cache=cache) if answer else None

            def reply(episode: Episode, instruction: str) -> Episode:
                assert replying is not None
                return run_async(with_replies(episode, instruction, replying))

            run(rehearsed, path, watcher, reply if replying else None)
        estimated = estimate_run(path, config.grading, config.limits, stand_in.stages(path))
    replies = bounds(replying.spec, [replying], price) if replying else []
    return replace(estimated, stages=(*replies, *estimated.stages))


def estimate_run(path: Path, grading: Grading, limits: Limits, inside: Sequence[StageEstimate] = ()) -> Estimate:
    """Estimate answering and judging a run, and add what its systems use inside; nothing is asked."""
    specs = model_specs(grading)
    with open_cache(limits, existing=True) as cache:
        estimated = run_async(
            estimate(
                path,
                answer=specs.get("answer"),
                judge=specs.get("judge"),
                repeats=grading.repeats.answer,
                paper_exact=grading.paper_exact,
                cache=cache,
                reading=reading_of(grading.reading),
                cant_tell=grading.cant_tell,
                price=_batch_price if limits.batch else price,
            )
        )
    if not inside:
        return estimated
    note = "what systems ask inside was counted with the scripted model in the place of the real one"
    return replace(estimated, stages=(*inside, *estimated.stages), assumptions=(note, *estimated.assumptions))


def _batch_price(spec: ModelSpec, tokens: Tokens) -> Decimal | None:
    dollars = price(spec, tokens)
    return None if dollars is None else dollars * PRICE_SHARE


def estimate_judging(
    judge: str, work: Callable[[ChatModel], Awaitable[object]], limits: Limits, staged: bool = False
) -> Estimate:
    """Estimate some grading by a judge; nothing is asked, and what is in the cache is free.

    With `staged`, what the judge is asked depends on what it says.
    """
    with open_cache(limits, existing=True) as cache:
        return run_async(estimate_work(ModelSpec.parse(judge), work, staged=staged, cache=cache))
