"""The command `reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AsCsv,
    AsJson,
    CacheFile,
    Concurrency,
    Data,
    DryRun,
    MaxCost,
    MaxErrors,
    NoCache,
    Parallel,
    PassEnv,
    Patience,
    Quiet,
    Seed,
    Systems,
    app,
    command,
    command_line,
    interruptible,
    limits_of,
    open_console,
    say,
)
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput, MemtriageError


def _models(what: str) -> Any:
    return typer.Option(help=f"{what}; may be repeated for a table that compares several.")


@command(app)
def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(help="A table or figure: meme/table-2. Without any, all are listed.")
    ] = None,
    system: Systems = None,
    answer: Annotated[list[str] | None, _models("A model that answers from what was retrieved")] = None,
    judge: Annotated[str | None, typer.Option(help="A model that grades the answers.")] = None,
    internal: Annotated[list[str] | None, _models("A model for systems that write memories with one")] = None,
    embed: Annotated[list[str] | None, _models("An embedding model for systems that use one")] = None,
    scale: Annotated[
        str, typer.Option(help="A share of the paper's size, such as 0.1; or small, to try it out.")
    ] = "1",
    all_: Annotated[bool, typer.Option("--all", help="Every table and figure, and a page with all of them.")] = False,
    seed: Seed = 42,
    data: Data = None,
    out: Annotated[Path, typer.Option(help="Folder of the runs and of the page.")] = Path("runs/reproduce"),
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
    csv: AsCsv = False,
    as_json: AsJson = False,
) -> None:
    """Fill in a table of the papers for your systems, beside the paper's own numbers; without one, list them."""
    from memtriage.studies.papers import exhibits, find
    from memtriage.studies.reproduce import Choices

    if csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    if not ids and not all_:
        from memtriage.report.terminal.exhibits import show_list
        from memtriage.studies.sizes import sizes

        show_list(sizes(), as_json, open_console())
        return
    wanted = list(exhibits().values()) if all_ else [find(id) for id in ids or ()]
    models = {"answer": answer, "judge": [judge] if judge else None, "internal": internal, "embed": embed}
    choices = Choices(
        systems=tuple(system or ()),
        models={role: given for role, given in models.items() if given},
        scale=scale,
        seed=seed,
        data=data,
        out=out,
        limits=limits_of(
            concurrency, max_cost, max_errors, cache, no_cache, parallel, patience=patience, pass_env=pass_env
        ),
        command=command_line(),
        only=len(wanted) == 1,
    )
    if dry_run:
        _estimate(wanted, choices, quiet, as_json)
        return
    _reproduce(wanted, choices, quiet, "csv" if csv else "json" if as_json else "table")


def _estimate(wanted: list[Any], choices: Any, quiet: bool, as_json: bool) -> None:
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.studies import SweepProgress
    from memtriage.studies.exhibits import Runs
    from memtriage.studies.reproduce import estimate

    for exhibit in wanted:
        if not isinstance(exhibit.source, Runs):
            continue
        with SweepProgress(quiet or as_json) as watcher:
            found = interruptible(lambda: estimate(exhibit, choices, watcher))  # noqa: B023
        for trial, one in found:
            if not as_json:
                say(trial)
            commands.estimate(one, as_json, open_console())


def _reproduce(wanted: list[Any], choices: Any, quiet: bool, form: Any) -> None:
    from memtriage.report.html.exhibits import write_exhibits
    from memtriage.report.terminal.exhibits import show_exhibits
    from memtriage.report.terminal.studies import SweepProgress
    from memtriage.studies.exhibits import Runs
    from memtriage.studies.reproduce import Reproduced, Told, fill_in, tell

    shown: list[Reproduced | Told] = []
    found: Reproduced | Told
    failed = errors = 0
    stopped = None
    for exhibit in wanted:
        try:
            if isinstance(exhibit.source, Runs):
                with SweepProgress(quiet or form != "table") as watcher:
                    filled = interruptible(lambda: fill_in(exhibit, exhibit.source, choices, watcher))  # noqa: B023
                errors, stopped, found = errors + filled.errors, filled.stopped, filled
            else:
                found = tell(exhibit, choices)
        except MemtriageError as error:
            if choices.only:
                raise
            failed += 1
            found = Told(exhibit, notes=(f"It could not be made: {error}",))
        if form == "table":
            show_exhibits([found], form, open_console())
        shown.append(found)
        if stopped:
            break
    if form != "table":
        show_exhibits(shown, form, open_console())
    page = choices.out / "index.html"
    write_exhibits(page, shown)
    if not quiet and form == "table":
        typer.echo(f"\npage: {page}")
    if stopped:
        say(f"stopped: {stopped.removeprefix('budget: ')}; what was done is kept, and the same command goes on")
        raise typer.Exit(FAILED)
    if failed:
        say(f"error: {failed} of {len(wanted)} could not be made; the page says why")
    if errors:
        say(f"error: {errors} probes could not be graded because something raised; `memtriage show` on a run says why")
    if errors or failed:
        raise typer.Exit(FAILED)
