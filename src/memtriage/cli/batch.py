"""The command group `batch`: write a run's due calls to a file, and import the replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    NamedModel,
    NamedSystems,
    Parallel,
    PassEnv,
    Quiet,
    RunPath,
    WriteReport,
    app,
    command,
    command_line,
    interruptible,
    limits_of,
    say,
)
from memtriage.cli.help import HelpGroup
from memtriage.cli.run import finish, progress, resume_hint, say_waiting, waiting_record
from memtriage.core.errors import BadInput, unknown
from memtriage.host.shell import shell_word

if TYPE_CHECKING:
    from memtriage.models.reply_files import Format
    from memtriage.pipeline.trust import Named

batch_app = typer.Typer(
    cls=HelpGroup,
    help="Answer a run's model calls by file: write those that are due, import the replies, go on.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(batch_app, name="batch")

_PROBLEMS = 20
"""How many bad lines are listed."""


@command(batch_app)
def export(
    path: RunPath,
    out: Annotated[Path | None, typer.Option(help="The file to write (default: calls.jsonl in the run).")] = None,
    form: Annotated[str, typer.Option("--format", help="openai, anthropic or plain.")] = "openai",
    system: NamedSystems = None,
    embed: NamedModel = None,
    parallel: Parallel = 4,
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the calls that a run waits for, one JSON object per line; no model is asked."""
    from memtriage.pipeline import batch

    limits, file = limits_of(32, None, None, cache, False, parallel, pass_env=pass_env), out or path / "calls.jsonl"
    with progress(quiet or as_json) as watcher:
        waiting = interruptible(
            lambda: batch.export_calls(path, file, _format(form), limits, watcher, _named(system, embed)),
            lambda: resume_hint(watcher),
        )
    if as_json:
        typer.echo(json.dumps({**waiting_record(waiting), "file": str(file) if waiting else None}))
    elif waiting is None:
        say(f"nothing is due: the run is finished; see it with: memtriage show {shell_word(path)}")
    else:
        say_waiting(
            path,
            waiting,
            f"they are in {file}; import the replies with: memtriage batch import {shell_word(path)} FILE",
        )


@command(batch_app, "import")
def import_(
    path: RunPath,
    replies: Annotated[
        Path, typer.Argument(help="Replies as OpenAI's or Anthropic's batches give them, or with custom_id and reply.")
    ],
    system: NamedSystems = None,
    embed: NamedModel = None,
    parallel: Parallel = 4,
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    report: WriteReport = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Import replies and go on, to the end of the run or to the calls that are due next; no model is asked."""
    from memtriage import api
    from memtriage.pipeline import batch

    limits = limits_of(32, None, None, cache, False, parallel, pass_env=pass_env)
    found = batch.import_replies(path, replies, limits)
    known = f", {found.known} were known" if found.known else ""
    say(f"{found.taken} replies taken{known}, {found.missing} due calls without one")
    for problem in found.problems[:_PROBLEMS]:
        say(f"error: {problem}")
    if len(found.problems) > _PROBLEMS:
        say(f"error: and {len(found.problems) - _PROBLEMS} more bad lines")
    if not found.taken and found.missing:
        raise typer.Exit(FAILED)
    with progress(quiet or as_json) as watcher:
        result = interruptible(
            lambda: batch.go_on(path, limits, watcher, _named(system, embed)), lambda: resume_hint(watcher)
        )
    finish(api.Run(result.path, result.stopped, result.reader), report, quiet, as_json)
    if found.problems:
        raise typer.Exit(FAILED)


def _named(systems: list[str] | None, embed: str | None) -> Named:
    from memtriage.pipeline.trust import Named
    from memtriage.registry import system_specs

    return Named(system_specs(systems or ()), embed=embed or "", command=command_line())


def _format(name: str) -> Format:
    if name not in ("openai", "anthropic", "plain"):
        raise BadInput(unknown("--format", name, ["openai", "anthropic", "plain"]))
    return name  # type: ignore[return-value]
