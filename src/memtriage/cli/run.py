"""The commands `run`, `resume` and `judge`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from memtriage.cli.app import (
    FAILED,
    LIMITS,
    MODELS,
    OUTPUT,
    AsJson,
    Batch,
    CacheFile,
    CallTimeout,
    CantTell,
    Concurrency,
    ContextTokens,
    Data,
    DryRun,
    Embed,
    Hold,
    Internal,
    Jobs,
    JudgeModel,
    Ks,
    Looks,
    MaxCost,
    MaxErrors,
    NamedModel,
    NamedSystems,
    NeedsText,
    NoCache,
    OnCluster,
    PaperExact,
    Parallel,
    PassEnv,
    Patience,
    Quiet,
    ReadingName,
    RepeatsText,
    RetryErrors,
    Rows,
    RunPath,
    Seed,
    SuiteOption,
    Suites,
    Systems,
    WriteReport,
    app,
    command,
    command_line,
    interruptible,
    joined,
    limits_of,
    open_console,
    parse_ks,
    say,
    say_reasons,
)
from memtriage.cli.settings_file import ConfigFile, from_file
from memtriage.cli.suite_options import SuiteCommand, suite_options
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput, unknown
from memtriage.host.shell import shell_word

if TYPE_CHECKING:
    from memtriage.api import Run
    from memtriage.config import RunConfig
    from memtriage.models.held import Waiting

_PROBLEMS = 5
"""How many problems of the data are listed; the manifest has all of them."""


@command(app, cls=SuiteCommand)
def run(
    context: typer.Context,
    config: ConfigFile = None,
    suite: Suites = ["memfail"],  # noqa: B006
    system: Systems = None,
    k: Ks = None,
    context_tokens: ContextTokens = None,
    seed: Seed = 42,
    rows: Rows = None,
    data: Data = None,
    option: SuiteOption = None,
    answer: Annotated[
        str | None,
        typer.Option(
            help="A model that answers from what was retrieved: openai/gpt-5-mini, http://host/v1#model, "
            "local/smollm2; or 'system' to let systems answer themselves.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    judge: JudgeModel = None,
    internal: Internal = None,
    embed: Embed = None,
    repeats: RepeatsText = "1",
    reading: ReadingName = None,
    paper_exact: PaperExact = False,
    cant_tell: CantTell = False,
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    call_timeout: CallTimeout = None,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    jobs: Jobs = None,
    on: OnCluster = "",
    needs: NeedsText = "",
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    hold: Hold = False,
    batch: Batch = None,
    looks: Looks = 64,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Start a very large run without asking.", rich_help_panel=LIMITS)
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Run directory (default: a new one below runs/).", rich_help_panel=OUTPUT)
    ] = None,
    report: WriteReport = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Test memory systems, and show at which stage they lose facts."""
    from memtriage import api
    from memtriage.config import RunConfig
    from memtriage.report.terminal import commands

    if answer and "/" not in answer and answer not in ("system", "offline"):
        raise BadInput(unknown("--answer", answer, ["system"]) + "; a model is named as in openai/gpt-5-mini")
    if config is not None:
        _say_what_starts(context, config)
    settings: dict[str, Any] = {
        "suite": suite,
        "k": parse_ks(k),
        "context_tokens": joined(context_tokens),
        "seed": seed,
        "rows": rows,
        "data": data,
        "options": suite_options(context, option),
        "answers": answer == "system",
        "looks": looks,
        "answer": None if answer == "system" else answer,
        "judge": judge,
        "internal": internal,
        "embed": embed,
        "repeats": repeats,
        "reading": reading,
        "paper_exact": paper_exact,
        "cant_tell": cant_tell,
        "limits": limits_of(
            *(concurrency, max_cost, max_errors, cache, no_cache, parallel, hold, batch, patience, pass_env),
            *(call_timeout, on, needs, jobs),
        ),
        "command": command_line(),
    }
    if not yes:
        _ask_if_large(RunConfig.of(*(system or ()), **settings), out or Path("runs"))
    if dry_run:
        with progress(quiet or as_json) as watcher:
            estimate = api.dry_run(*(system or ()), **settings, watcher=watcher)
        commands.estimate(estimate, as_json, open_console())
        return
    with progress(quiet or as_json) as watcher:
        result = interruptible(
            lambda: api.run(*(system or ()), **settings, out=out, watcher=watcher), lambda: resume_hint(watcher)
        )
    finish(result, report, quiet, as_json)


def _ask_if_large(config: RunConfig, out: Path) -> None:
    """Say what a very large run would take before anything of it is made, and ask whether to start it."""
    from memtriage.pipeline.size import expected_size
    from memtriage.report.terminal.commands import size_text

    found = expected_size(config, out)
    if found is None or not found.is_large:
        return
    say(size_text(found, len(config.systems), len(config.ks)))
    if not sys.stdin.isatty():
        raise BadInput("nothing was started; ask for less, or add --yes to start it all the same")
    if not typer.confirm("start it?", err=True):
        raise typer.Exit(FAILED)


def _say_what_starts(context: typer.Context, config: Path) -> None:
    """Say which programs, files with code and models a settings file names; passing it is the user's own act."""
    from memtriage.pipeline.trust import startable

    given = {name: value for name, value in context.params.items() if value and from_file(context, name)}
    roles = ("answer", "judge", "internal", "embed")
    models: dict[str, str] = {role: given[role] for role in roles if given.get(role, "system") != "system"}
    if parts := startable(given.get("system", ()), models, given.get("pass_env", ())):
        say(f"{config} says to\n" + "\n".join(f"  {part.effect}" for part in parts))


@command(app)
def resume(
    path: RunPath,
    system: NamedSystems = None,
    answer: NamedModel = None,
    judge: NamedModel = None,
    internal: NamedModel = None,
    embed: NamedModel = None,
    retry_errors: RetryErrors = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    call_timeout: CallTimeout = None,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    jobs: Jobs = None,
    on: OnCluster = "",
    needs: NeedsText = "",
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    hold: Hold = False,
    batch: Batch = None,
    report: WriteReport = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Continue a stopped run; nothing is stored or asked twice. One from elsewhere starts only what is named again."""
    from memtriage import api

    limits = limits_of(
        *(concurrency, max_cost, max_errors, cache, no_cache, parallel, hold, batch, patience, pass_env),
        *(call_timeout, on, needs, jobs),
    )
    with progress(quiet or as_json) as watcher:
        result = interruptible(
            lambda: api.resume(
                path,
                *(system or ()),
                answer=answer or "",
                judge=judge or "",
                internal=internal or "",
                embed=embed or "",
                retry_errors=retry_errors,
                limits=limits,
                watcher=watcher,
                command=command_line(),
            ),
            lambda: resume_hint(watcher),
        )
    finish(result, report, quiet, as_json)


@command(app)
def judge(
    path: RunPath,
    judge: Annotated[str, typer.Option(help="The model that grades.")],
    answer: Annotated[
        str | None, typer.Option(help="A model that answers first, from what the run retrieved; for runs without one.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often to grade everything.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Grade a copy in this folder, to compare the two gradings.")] = None,
    paper_exact: PaperExact = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    hold: Hold = False,
    batch: Batch = None,
    report: WriteReport = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Grade a run again with another judge, or for the first time; nothing is stored or retrieved again."""
    from memtriage import api

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, hold=hold, batch=batch, patience=patience)
    with progress(quiet or as_json) as watcher:
        result = interruptible(
            lambda: api.judge(
                path,
                judge,
                answer=answer or "",
                paper_exact=paper_exact,
                repeats=repeats,
                out=out,
                limits=limits,
                watcher=watcher,
            ),
            lambda: resume_hint(watcher),
        )
    finish(result, report, quiet, as_json)


def resume_hint(watcher: Any) -> str:
    return f"; continue with: memtriage resume {shell_word(watcher.path)}" if watcher.path else ""


def progress(quiet: bool) -> Any:
    from memtriage.report.terminal.progress import RunProgress

    return RunProgress(quiet)


def say_waiting(path: Path, waiting: Waiting, next_step: str) -> None:
    """Say which calls a run waits for, and what to do about it."""
    stages = Counter(f"{each.call.role} ({each.call.stage})" for each in waiting.calls)
    due = f"{len(waiting.calls)} {'call is' if len(waiting.calls) == 1 else 'calls are'} due"
    say(f"{due} in round {waiting.round}: {_listed(stages)}")
    if waiting.rounds_left > 1:
        say(f"about {waiting.rounds_left} rounds until the stores are filled, then answers and judgings")
    say(next_step)


def waiting_record(waiting: Waiting | None) -> dict[str, Any]:
    """What a run waits for, as JSON."""
    if waiting is None:
        return {"due": 0, "round": None, "rounds_left": 0, "stages": {}}
    stages = Counter(f"{each.call.role}/{each.call.stage}" for each in waiting.calls)
    counts = {"due": len(waiting.calls), "round": waiting.round, "rounds_left": waiting.rounds_left}
    return {**counts, "stages": dict(sorted(stages.items()))}


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def say_stopped(result: Run) -> NoReturn:
    """Say why a run stopped, and how it goes on."""
    why = (result.stopped or "").removeprefix("budget: ").removeprefix("stopped ")
    # The limit is that of the whole run: going on takes a higher one.
    more = " --max-cost DOLLARS" if "the limit of $" in why else ""
    say(f"stopped: {why}; what was done is kept, and `memtriage resume {shell_word(result.path)}{more}` goes on")
    raise typer.Exit(FAILED)


def finish(result: Run, report: bool, quiet: bool, as_json: bool) -> None:
    """Print the table, write the report, and print notes and errors."""
    from memtriage.report.terminal import commands, ending
    from memtriage.report.terminal.show import show

    if (waiting := result.waiting) is not None:
        say_waiting(
            result.path, waiting, f"write them to a file with: memtriage batch export {shell_word(result.path)}"
        )
        if as_json:
            typer.echo(json.dumps(waiting_record(waiting)))
        return
    if result.stopped and result.unfinished:
        say_stopped(result)
    console = open_console()
    steps = [] if as_json else ending.print_ending(result, console)
    if as_json:
        show(result, console, form="json")
    page = result.report(again=False) if report else None
    if not quiet and not as_json:
        typer.echo(f"\nrun:    {result.path}" + (f"\nreport: {page}" if page else ""))
        if find_spec("starlette") and find_spec("uvicorn"):  # the extra `view`
            typer.echo(f"view:   memtriage view {shell_word(result.path)}")
    for system, notices in result.notices.items():
        for notice in notices:
            say(f"note: {system}: {notice}")
    for note in result.notes:
        say(f"note: {note}")
    for problem in result.problems[:_PROBLEMS]:
        say(f"data: {problem}")
    if len(result.problems) > _PROBLEMS:
        say(f"data: and {len(result.problems) - _PROBLEMS} more, all of them in {result.path / 'run.json'}")
    if not quiet:
        ending.print_next(steps, console)
    if result.cost and not as_json:
        commands.cost(result.cost, open_console(), quiet)
    if result.stopped:
        say_stopped(result)
    reasons = result.reasons
    if reasons:
        say(f"error: {reasons.total()} probes could not be graded because something raised")
        say_reasons(reasons)
        raise typer.Exit(FAILED)
