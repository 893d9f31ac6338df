"""The command `memories`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Concurrency,
    MaxCost,
    MaxErrors,
    NoCache,
    Patience,
    RunPath,
    app,
    command,
    limits_of,
    open_console,
    say,
    say_reasons,
)
from memtriage.cli.judged import judged
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import chosen

if TYPE_CHECKING:
    from collections import Counter


@command(app)
def memories(
    path: RunPath,
    judge: Annotated[str | None, typer.Option(help="A model to ask about memories of which words can't tell.")] = None,
    system: Annotated[str | None, typer.Option(help="Only this system.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many single memories to list.")] = 20,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Say what stores made up: each invented memory beside what was said, and pairs that can't both hold."""
    from memtriage import api
    from memtriage.diagnose.false_memories import judge_run, memory_checks
    from memtriage.diagnose.judge.memories import MemoryJudge
    from memtriage.report.terminal import false_memories as page
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.tables.false_memories import false_memories

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    with api.load(path).reader as reader:
        if system is not None:
            system = chosen("--system", system, (recorded["label"] for recorded in reader.manifest["systems"]))
        errors: Counter[str] | None = None
        if judge is None:
            checks = [check for check in memory_checks(reader) if system in (None, check.system)]
        else:
            checks, errors = judged(judge, limits, MemoryJudge, lambda asked: judge_run(reader, asked, system))
    rows = false_memories(checks)
    if as_json:
        found = {"rows": [page.table_record(row) for row in rows], "findings": [*page.finding_records(checks)]}
        print_json({"schema": "memtriage.memories/1", **found})
    else:
        console = open_console()
        page.print_table(rows, console)
        page.print_findings(checks, console, limit)
    if errors:
        say(f"error: {errors.total():,} memories could not be judged, and stay uncertain")
        say_reasons(errors)
        raise typer.Exit(FAILED)
