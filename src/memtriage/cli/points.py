"""The command `points`."""

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
def points(
    path: RunPath,
    judge: Annotated[str | None, typer.Option(help="A model to ask about what words can't settle.")] = None,
    system: Annotated[str | None, typer.Option(help="Only this system.")] = None,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Say what was kept of each session, what became of updates, and how answers failed: HaluMem's measures."""
    from memtriage import api
    from memtriage.diagnose.judge.points import PointJudge
    from memtriage.diagnose.points import check_points, judge_points
    from memtriage.report.terminal import points as page
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.tables.points import points as rows_of

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    with api.load(path).reader as reader:
        if system is not None:
            system = chosen("--system", system, (recorded["label"] for recorded in reader.manifest["systems"]))
        errors: Counter[str] | None = None
        if judge is None:
            checks = list(check_points(reader, system))
        else:
            checks, errors = judged(judge, limits, PointJudge, lambda asked: judge_points(reader, asked, system))
    rows = page.known(rows_of(checks))
    if as_json:
        print_json(page.as_json(rows))
    else:
        page.print_points(rows, open_console())
    if errors:
        say(f"error: {errors.total():,} points, memories or answers could not be judged, and stay open")
        say_reasons(errors)
        raise typer.Exit(FAILED)
