"""Diagnose traces recorded by another tool with a judge, or estimate what that would cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from memtriage.config import Grading, Limits
from memtriage.core.chat import ChatModel
from memtriage.diagnose.imported_traces import ImportedTraces, Loader, imported, judge_traces, load_stores
from memtriage.pipeline.bill import limits_of_run
from memtriage.pipeline.dry_run import estimate_judging
from memtriage.pipeline.estimate import Estimate
from memtriage.pipeline.models import check_models, open_models


def judge_file(
    path: Path,
    judge: str,
    *,
    paper_exact: bool = False,
    limits: Limits | None = None,
    bill: Path | None = None,
    done: Callable[[], None] = lambda: None,
    load: Loader | None = None,
) -> ImportedTraces:
    """Stage verdicts for every trace in a JSON-lines file; a judge decides what words can't, and grades answers.

    What was asked before is in the cache: the same again costs nothing, and goes on where it was stopped. With `bill`,
    what it costs is added to the bill in that folder.
    """
    grading, limits = Grading(judge=judge, paper_exact=paper_exact), limits or Limits()
    stores = load(path) if load else load_stores(path, judged=True)
    check_models(grading, limits if bill is None else limits_of_run(bill, limits))
    with open_models(grading, limits, bill=bill) as models:
        assert models.judge is not None  # one was named
        verdicts = models.runner.run(judge_traces(stores, models.judge, paper_exact, done))
        ledger = models.ledger
        return replace(imported(stores, verdicts), cost=ledger.snapshot(), stopped=ledger.stopped)


def estimate_file(
    path: Path, judge: str, *, paper_exact: bool = False, limits: Limits | None = None, load: Loader | None = None
) -> Estimate:
    """Estimate what judging the traces of a file would cost; nothing is asked."""
    stores = load(path) if load else load_stores(path, judged=True)

    def work(model: ChatModel) -> Awaitable[object]:
        return judge_traces(stores, model, paper_exact)

    return estimate_judging(judge, work, limits or Limits(), staged=True)
