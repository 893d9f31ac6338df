"""The command `diagnose`: stage verdicts for traces that another harness recorded."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Concurrency,
    DryRun,
    JudgeModel,
    MaxCost,
    MaxErrors,
    NoCache,
    PaperExact,
    Patience,
    Quiet,
    app,
    bar,
    command,
    interruptible,
    limits_of,
    open_console,
    say,
    say_reasons,
)
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput

if TYPE_CHECKING:
    from memtriage.config import Limits
    from memtriage.diagnose.imported_traces import ImportedTraces, Loader

"""How many reasons for errors are listed; the verdicts have all of them."""


@command(app)
def diagnose(
    traces: Annotated[Path, typer.Argument(help="JSON lines that another harness recorded; see docs/traces.md.")],
    data: Annotated[
        Path | None, typer.Option(help="The traces are about episodes in this file or folder; see docs/traces.md.")
    ] = None,
    suite: Annotated[str, typer.Option(help="With --data: the suite of the episodes.")] = "meme",
    judge: JudgeModel = None,
    out: Annotated[Path | None, typer.Option(help="Directory for verdicts.jsonl, report.html and cost.json.")] = None,
    by: Annotated[str, typer.Option(help="task, system, k, probe, fact, stage, outcome, measure, or a tag.")] = "task",
    verdict: Annotated[str | None, typer.Option(help="With --by probe or fact: only this verdict.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="With --by probe or fact: how many lines.")] = 50,
    paper_exact: PaperExact = False,
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Diagnose traces that another harness recorded, by words or with a judge."""
    from memtriage.diagnose.imported_traces import diagnose_file
    from memtriage.diagnose.published_stores import load_published
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.show import show

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    load = None if data is None else partial(load_published, suite=suite, data=data)
    if judge is None and (dry_run or paper_exact):
        raise BadInput(f"{'--dry-run' if dry_run else '--paper-exact'} is about a judge; name one with --judge")
    if judge is not None and dry_run:
        from memtriage.pipeline.imported_traces import estimate_file

        estimate = estimate_file(traces, judge, paper_exact=paper_exact, limits=limits, load=load)
        commands.estimate(estimate, as_json, open_console())
        return
    if judge is None:
        found = diagnose_file(traces, load)
    else:
        found = _judged(traces, judge, paper_exact, limits, out, quiet or as_json, load)
    show(found, open_console(), by, verdict, limit, "json" if as_json else "table")
    if out is not None:
        _write(found, traces, out)
    if found.cost and not as_json:
        commands.cost(found.cost, open_console(), quiet)
    _finish(found)


def _judged(
    traces: Path,
    judge: str,
    paper_exact: bool,
    limits: Limits,
    out: Path | None,
    quiet: bool,
    load: Loader | None,
) -> ImportedTraces:
    from memtriage.pipeline.imported_traces import judge_file

    with bar("judging", None, quiet) as step:
        return interruptible(
            lambda: judge_file(traces, judge, paper_exact=paper_exact, limits=limits, bill=out, done=step, load=load)
        )


def _write(found: ImportedTraces, traces: Path, out: Path) -> None:
    from memtriage.pipeline.bill import COST
    from memtriage.record.verdicts import VERDICTS, write_verdicts
    from memtriage.report.html.traces import write_page

    write_verdicts(out, found.verdicts, found.stores)
    written = [out / VERDICTS, write_page(found, traces, out)]
    if found.cost and found.cost["roles"]:
        written.append(out / COST)
    for path in written:
        typer.echo(f"wrote {path}", err=True)


def _finish(found: ImportedTraces) -> None:
    """Print notes and errors; end with 1 if something could not be diagnosed."""
    from memtriage.pipeline.models import model_notices
    from memtriage.pipeline.run import error_reasons

    for who, notices in model_notices(found.cost).items():
        for notice in notices:
            say(f"note: {who}: {notice}")
    if found.stopped:
        why = found.stopped.removeprefix("stopped ")
        say(f"stopped: {why}; what was judged is in the cache, and the same command goes on")
        raise typer.Exit(FAILED)
    reasons = error_reasons(found.verdicts)
    if reasons:
        say(f"error: {reasons.total()} probes could not be diagnosed")
        say_reasons(reasons)
        raise typer.Exit(FAILED)
