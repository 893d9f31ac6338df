"""The command `tune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AnswerModel,
    AsJson,
    CacheFile,
    Concurrency,
    Data,
    Embed,
    Internal,
    JudgeModel,
    Ks,
    MaxCost,
    MaxErrors,
    NoCache,
    Parallel,
    PassEnv,
    Patience,
    Quiet,
    RetryErrors,
    Rows,
    Seed,
    SuiteOption,
    app,
    command,
    command_line,
    interruptible,
    limits_of,
    open_console,
    parse_ks,
    say,
)
from memtriage.cli.suite_options import SuiteCommand, suite_options
from memtriage.core.chat import PATIENCE


@command(app, cls=SuiteCommand)
def tune(
    context: typer.Context,
    suite: Annotated[list[str], typer.Argument(help="Suites or tasks to learn from, or files of your own questions.")],
    members: Annotated[
        str, typer.Option(help="The memories to mix, as in bm25,dense,graph:summarise=rules;k1=2 (arguments after ;).")
    ],
    plan: Annotated[Path, typer.Option(help="Where to write the plan.")] = Path("plan.json"),
    k: Ks = None,
    seed: Seed = 42,
    rows: Rows = None,
    data: Data = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run (default: named like the plan).")] = None,
    option: SuiteOption = None,
    answer: AnswerModel = None,
    judge: JudgeModel = None,
    internal: Internal = None,
    embed: Embed = None,
    retry_errors: RetryErrors = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn which of several memories to trust with which question, for `--system mixture:members=…,plan=…`."""
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.report.terminal.mixture import print_tuned
    from memtriage.report.terminal.progress import RunProgress
    from memtriage.studies.tune import tune as learn
    from memtriage.systems.mixing.router import refuse_to_replace

    refuse_to_replace(plan)
    settings: dict[str, Any] = {
        "suite": suite,
        "k": parse_ks(k),
        "seed": seed,
        "rows": rows,
        "data": data,
        "options": suite_options(context, option),
        "answer": answer,
        "judge": judge,
        "internal": internal,
        "embed": embed,
        "limits": limits_of(
            concurrency, max_cost, max_errors, cache, no_cache, parallel, patience=patience, pass_env=pass_env
        ),
        "command": command_line(),
    }
    place = out or Path("runs") / f"tune-{plan.stem}"
    with RunProgress(quiet or as_json) as watcher:
        found = interruptible(lambda: learn(members, place, watcher=watcher, retry_errors=retry_errors, **settings))
    found.plan.write(plan)
    if as_json:
        print_json(found.record())
    else:
        print_tuned(found, open_console())
        if not quiet:
            typer.echo(f"\nplan: {plan}   use it: --system mixture:members={members},plan={plan}\nrun:  {found.run}")
    if found.errors:
        say(f"error: {found.errors} probes could not be graded because something raised; `memtriage show` says why")
        raise typer.Exit(FAILED)
