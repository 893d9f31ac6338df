"""The command `leaks`: find questions that need no memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Concurrency,
    Data,
    DryRun,
    JudgeModel,
    MaxCost,
    MaxErrors,
    NoCache,
    Patience,
    Quiet,
    ReadingName,
    RetryErrors,
    Rows,
    SuiteOption,
    app,
    command,
    command_line,
    interruptible,
    limits_of,
    open_console,
    say,
    say_reasons,
)
from memtriage.cli.suite_options import SuiteCommand, suite_options
from memtriage.core.chat import PATIENCE

if TYPE_CHECKING:
    from memtriage.validate.leak_run import Leaks


@command(app, cls=SuiteCommand)
def leaks(
    context: typer.Context,
    suite: Annotated[list[str], typer.Argument(help="A suite, one of its tasks (memfail/long-hop), or my.yaml.")],
    answer: Annotated[str, typer.Option(help="The model to ask: openai/gpt-5-mini, http://host/v1#model.")],
    judge: JudgeModel = None,
    seed: Annotated[int, typer.Option(help="Seed of generated rows.")] = 42,
    rows: Rows = None,
    data: Data = None,
    option: SuiteOption = None,
    reading: ReadingName = None,
    out: Annotated[
        Path | None, typer.Option(help="File for the ids of flagged questions (default: leaks.tsv in the run).")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="Run directory (default: below runs/, named by suite and model).")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many flagged questions to list.")] = 20,
    retry_errors: RetryErrors = False,
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
    """Flag the questions that a model answers right with an empty memory."""
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.progress import RunProgress
    from memtriage.validate import leak_run

    settings: dict[str, Any] = {
        "answer": answer,
        "judge": judge,
        "seed": seed,
        "rows": rows,
        "data": data,
        "options": suite_options(context, option),
        "reading": reading,
        "limits": limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience),
    }
    if dry_run:
        with RunProgress(quiet or as_json) as watcher:
            estimate = interruptible(lambda: leak_run.dry_run(suite, **settings, watcher=watcher))
        commands.estimate(estimate, as_json, open_console())
        return
    run_settings: dict[str, Any] = {"out": run, "retry_errors": retry_errors, "command": command_line()}
    with RunProgress(quiet or as_json) as watcher:
        found = interruptible(lambda: leak_run.leaks(suite, **settings, **run_settings, watcher=watcher))
    _print(found, out, limit, quiet, as_json)


def _print(found: Leaks, out: Path | None, limit: int, quiet: bool, as_json: bool) -> None:
    from memtriage.host.files import write_whole
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.leaks import show_leaks, summary
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.validate.leak_run import IDS, ids_text, leaks_json

    ids = out or found.path / IDS
    ids.parent.mkdir(parents=True, exist_ok=True)
    write_whole(ids, ids_text(found).encode("utf-8", "replace"))
    if as_json:
        print_json({**leaks_json(found), "ids": str(ids)})
        say(summary(found))
    else:
        show_leaks(found, limit, open_console())
        if found.cost:
            commands.cost(found.cost, open_console(), quiet)
    if not quiet:
        say(f"run: {found.path}; ids of what was flagged: {ids}")
    if found.stopped:
        say(f"stopped: {found.stopped.removeprefix('budget: ')}; what was done is kept, and the same command goes on")
    if found.errors:
        say(f"error: {found.errors} questions could not be answered or judged")
        say_reasons(Counter(each.error for each in found.asked if each.error))
    if found.stopped or found.errors:
        raise typer.Exit(FAILED)
