"""The commands `sweep` and `optimize`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AnswerModel,
    AsCsv,
    AsJson,
    CacheFile,
    CantTell,
    Concurrency,
    ContextTokens,
    Data,
    DryRun,
    Embed,
    Internal,
    Jobs,
    JudgeModel,
    Ks,
    Looks,
    MaxCost,
    MaxErrors,
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
    Seed,
    SuiteOption,
    Suites,
    SweepMeasures,
    app,
    command,
    command_line,
    interruptible,
    joined,
    limits_of,
    open_console,
    parse_ks,
    say,
)
from memtriage.cli.suite_options import SuiteCommand, flags, named_options, suite_options
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput


@command(app, cls=SuiteCommand)
def sweep(
    context: typer.Context,
    suite: Suites = ["memfail"],  # noqa: B006
    system: Annotated[list[str] | None, typer.Option(help="As for run; may be repeated.")] = None,
    k: Ks = None,
    context_tokens: ContextTokens = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="What to vary: internal, embed, answer, judge, seed, rows or data, an option of the suite, or an "
            "argument of systems, with its values: filler=none,32k,128k. Several make a grid."
        ),
    ] = None,
    ceiling: Annotated[
        bool, typer.Option("--ceiling", help="Also run gold-facts, full-context and none, as upper and lower bounds.")
    ] = False,
    seed: Seed = 42,
    rows: Rows = None,
    data: Data = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs (default: named by what is varied).")] = None,
    option: SuiteOption = None,
    answer: AnswerModel = None,
    judge: JudgeModel = None,
    internal: Internal = None,
    embed: Embed = None,
    repeats: RepeatsText = "1",
    reading: ReadingName = None,
    paper_exact: PaperExact = False,
    cant_tell: CantTell = False,
    retry_errors: RetryErrors = False,
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    jobs: Jobs = None,
    on: OnCluster = "",
    needs: NeedsText = "",
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    looks: Looks = 64,
    measure: SweepMeasures = None,
    quiet: Quiet = False,
    csv: AsCsv = False,
    as_json: AsJson = False,
) -> None:
    """Run a grid of runs and print one table; the same command continues a stopped sweep."""
    from memtriage import api, studies
    from memtriage.report.terminal.studies import SweepProgress, show_estimates, show_sweep

    if csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    varied, fixed = split_flags(flags(context))
    settings: dict[str, Any] = {
        "suite": suite,
        "k": parse_ks(k),
        "context_tokens": joined(context_tokens),
        "vary": merge_vary(parse_vary(vary or []), varied),
        "ceiling": ceiling,
        "seed": seed,
        "rows": rows,
        "data": data,
        "out": out,
        "options": (named_options(option or ()) | fixed) or None,
        "answer": answer,
        "judge": judge,
        "internal": internal,
        "embed": embed,
        "repeats": repeats,
        "reading": reading,
        "paper_exact": paper_exact,
        "cant_tell": cant_tell,
        "looks": looks,
        "limits": limits_of(
            *(concurrency, max_cost, max_errors, cache, no_cache, parallel),
            patience=patience,
            pass_env=pass_env,
            on=on,
            jobs=jobs,
            needs=needs,
        ),
        "command": command_line(),
    }
    if dry_run:
        with SweepProgress(quiet or as_json or csv) as watcher:
            found, total = interruptible(lambda: studies.dry_run(*(system or ()), **settings, watcher=watcher))
        show_estimates(found, total, as_json, open_console())
        return
    with SweepProgress(quiet or as_json or csv) as watcher:
        done = interruptible(lambda: api.sweep(*(system or ()), **settings, retry_errors=retry_errors, watcher=watcher))
    show_sweep(
        done,
        "csv" if csv else "json" if as_json else "table",
        open_console(),
        (joined(measure) or "").split(",") if measure else (),
    )
    if not quiet and not csv and not as_json:
        typer.echo(f"\nruns: {done.path}")
    _finish(done)


@command(app, cls=SuiteCommand)
def optimize(
    context: typer.Context,
    system: Annotated[str, typer.Option(help="The system whose prompts are tuned: facts, notes, mdfile, …")],
    optimizer_model: Annotated[
        str, typer.Option(help="The model that proposes prompts: openai/gpt-5, http://host/v1#model.")
    ],
    suite: Suites = ["meme"],  # noqa: B006
    k: Annotated[list[str] | None, typer.Option(help="As for run.", show_default="10")] = None,
    train: Annotated[int, typer.Option(min=1, help="Episodes to tune on.")] = 10,
    test: Annotated[int, typer.Option(min=1, help="Other episodes to score on.")] = 10,
    optimizer: Annotated[
        str,
        typer.Option(help="copro (rewrites prompts) or simba (only appends advice and examples, as in MEME's paper)."),
    ] = "copro",
    breadth: Annotated[
        int, typer.Option(min=2, help="Proposals per round, including the current prompt; simba: candidates.")
    ] = 4,
    depth: Annotated[int, typer.Option(min=1, help="Rounds of proposals; simba: steps.")] = 2,
    batch: Annotated[int, typer.Option(min=1, help="simba: how many training episodes each step looks at.")] = 4,
    seed: Seed = 42,
    rows: Rows = None,
    data: Data = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs (default: named by suite and system).")] = None,
    option: SuiteOption = None,
    answer: AnswerModel = None,
    judge: JudgeModel = None,
    internal: Internal = None,
    embed: Embed = None,
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
    """Tune a system's prompts with DSPy on some episodes, and score them before and after on others."""
    from memtriage.report.terminal.progress import RunProgress
    from memtriage.report.terminal.studies import show_optimized
    from memtriage.studies.optimize import optimize as tune
    from memtriage.studies.optimize_dspy import DspySearch

    limits = limits_of(
        concurrency, max_cost, max_errors, cache, no_cache, parallel, patience=patience, pass_env=pass_env
    )
    search = DspySearch(
        optimizer_model, optimizer=optimizer, breadth=breadth, depth=depth, batch=batch, seed=seed, limits=limits
    )
    settings: dict[str, Any] = {
        "suite": suite,
        "k": parse_ks(k) or (10,),
        "train": train,
        "test": test,
        "seed": seed,
        "rows": rows,
        "data": data,
        "options": suite_options(context, option),
        "answer": answer,
        "judge": judge,
        "internal": internal,
        "embed": embed,
        "out": out,
    }
    with RunProgress(quiet or as_json) as watcher:
        found = interruptible(lambda: tune(system, search=search, **settings, limits=limits, watcher=watcher))
    show_optimized(found, as_json, open_console())
    if not quiet and not as_json:
        typer.echo(f"\nprompts: {found.prompts_file}")
    if found.stopped:
        say(f"stopped: {found.stopped.removeprefix('budget: ')}; what was done is kept, and the same command goes on")
        raise typer.Exit(FAILED)
    if errors := found.before.errors + found.after.errors:
        say(f"error: {errors} held-out probes could not be graded because something raised")
        raise typer.Exit(FAILED)


def parse_vary(texts: Iterable[str]) -> dict[str, list[str]]:
    """Parse `--vary`: names with their values."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"--vary {text!r}: write what varies and its values, as in seed=1,2,3")
        if name.strip() in found:
            raise BadInput(f"--vary {name.strip()} is given twice; write all its values into one")
        found[name.strip()] = values.split(",")
    return found


def split_flags(given: Mapping[str, str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Split suite options given as flags into those with several values and those with one.

    >>> split_flags({"chunk": "512,4096", "length": "6k"})
    ({'option.chunk': ['512', '4096']}, {'length': '6k'})
    """
    varied = {name: [part.strip() for part in text.split(",")] for name, text in given.items()}
    several = {f"option.{name}": values for name, values in varied.items() if len(values) > 1}
    return several, {name: values[0] for name, values in varied.items() if len(values) == 1}


def merge_vary(vary: dict[str, list[str]], varied: dict[str, list[str]]) -> dict[str, list[str]]:
    """Merge `--vary` with suite options given as flags; an option in both is refused."""
    bare = {name.removeprefix("option.") for name in vary}
    for name in (name.removeprefix("option.") for name in varied):
        if name in bare:
            raise BadInput(f"--vary {name} and --{name} say the same thing twice; leave one of the two out")
    return {**vary, **varied}


def _finish(done: Any) -> None:
    if done.stopped:
        say(f"stopped: {done.stopped.removeprefix('budget: ')}; what was done is kept, and the same command goes on")
        raise typer.Exit(FAILED)
    if errors := done.errors:
        say(f"error: {errors} probes could not be graded because something raised; `memtriage show` on a run says why")
        raise typer.Exit(FAILED)
