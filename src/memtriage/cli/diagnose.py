"""The command `diagnose`: stage verdicts for traces that another harness recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli import completion
from memtriage.cli.app import (
    AMOUNT,
    FAILED,
    OUTPUT,
    WHAT,
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
    command,
    interruptible,
    limits_of,
    open_console,
    parse_ks,
    say,
    say_reasons,
)
from memtriage.core.amount import K
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput

if TYPE_CHECKING:
    from memtriage.api import Diagnosis


@command(app)
def diagnose(
    traces: Annotated[
        Path, typer.Argument(help="What another harness or a tracing tool recorded; see docs/traces.md.")
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="The file's format: traces, otel, langsmith, langfuse, mem0, memorybench or longmemeval"
            " (default: told by its content).",
            rich_help_panel=WHAT,
            autocompletion=completion.trace_formats,
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="What right answers need: gold lines, your suite file, LoCoMo's or LongMemEval's data.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(help="With longmemeval and mem0: the file of answers or of judged scores.", rich_help_panel=WHAT),
    ] = None,
    searches: Annotated[
        list[str] | None,
        typer.Option(
            help="With telemetry: a tool or step that searches the memory, where none is marked as a retriever.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="Whose memory it was, where the file doesn't say.", rich_help_panel=WHAT)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The traces are about episodes in this file or folder; see docs/traces.md.", rich_help_panel=WHAT
        ),
    ] = None,
    suite: Annotated[str, typer.Option(help="With --data: the suite of the episodes.", rich_help_panel=WHAT)] = "meme",
    k: Annotated[
        list[str] | None,
        typer.Option(
            help="With longmemeval: how many of its ranking count; several with commas.  [default: 5,10]",
            rich_help_panel=AMOUNT,
        ),
    ] = None,
    judge: JudgeModel = None,
    gold_template: Annotated[
        Path | None,
        typer.Option(help="Only write a file for --gold with the questions, to be filled in.", rich_help_panel=OUTPUT),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Directory for verdicts.jsonl, report.html and cost.json.")] = None,
    by: Annotated[
        str, typer.Option(help="task, system, k, probe, fact, stage, outcome, measure, memories, invented, or a tag.")
    ] = "task",
    verdict: Annotated[
        str | None, typer.Option(help="With --by probe or fact: only this verdict.", autocompletion=completion.verdicts)
    ] = None,
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
    from memtriage import api
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.progress import RunProgress
    from memtriage.report.terminal.show import show

    class Watching(RunProgress):
        def note(self, text: str) -> None:
            say(f"note: {text}")

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    reading: api.TraceOptions = {
        "format": source,
        "gold": gold,
        "answers": answers,
        "searches": searches or (),
        "k": _whole(parse_ks(k)),
        "system": system,
        "data": data,
        "suite": suite,
    }
    with Watching(quiet or as_json) as watcher:
        if gold_template is not None:
            say(f"wrote {api.gold_template(traces, gold_template, watcher=watcher, **reading)}")
            return
        if judge is None and dry_run:
            raise BadInput("--dry-run is about a judge; name one with --judge")
        if judge is not None and dry_run:
            estimate = api.estimate_diagnosis(
                traces, judge, paper_exact=paper_exact, limits=limits, watcher=watcher, **reading
            )
            commands.estimate(estimate, as_json, open_console())
            return
        found = interruptible(
            lambda: api.diagnose(
                traces, judge=judge, paper_exact=paper_exact, out=out, limits=limits, watcher=watcher, **reading
            )
        )
    show(found, open_console(), by, verdict, limit, "json" if as_json else "table")
    for path in found.written:
        typer.echo(f"wrote {path}", err=True)
    if found.cost and not as_json:
        commands.cost(found.cost, open_console(), quiet)
    _finish(found)


def _whole(ks: list[K] | None) -> tuple[int, ...]:
    wrong = [k for k in ks or () if not isinstance(k, int) or k < 1]
    if wrong:
        raise BadInput(f"--k {wrong[0]} is no number from 1 on; a ranking is cut after so many")
    return tuple(k for k in ks or () if isinstance(k, int))


def _finish(found: Diagnosis) -> None:
    """Print notes and errors; end with 1 if something could not be diagnosed."""
    from memtriage.pipeline.models import model_notices

    for who, notices in model_notices(found.cost).items():
        for notice in notices:
            say(f"note: {who}: {notice}")
    if found.stopped:
        why = found.stopped.removeprefix("stopped ")
        say(f"stopped: {why}; what was judged is in the cache, and the same command goes on")
        raise typer.Exit(FAILED)
    if reasons := found.reasons:
        say(f"error: {reasons.total()} probes could not be diagnosed")
        say_reasons(reasons)
        raise typer.Exit(FAILED)
