"""Commands for data files: generate, validate, pull and count; suite files of your own: new, import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Concurrency,
    MaxCost,
    NoCache,
    Quiet,
    app,
    command,
    limits_of,
    open_console,
    say,
)
from memtriage.cli.help import HelpGroup
from memtriage.cli.suite_options import SuiteCommand, suite_options
from memtriage.core.errors import BadInput
from memtriage.host.shell import shell_word

if TYPE_CHECKING:
    from memtriage.config import Limits
    from memtriage.suites.own.redacting import Redactor

data_app = typer.Typer(
    cls=HelpGroup,
    help="Generate, check and download data files; write your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(data_app, name="data")

Redact = Annotated[
    bool,
    typer.Option("--redact", help="First replace e-mail addresses, numbers and keys; names only with --redact-word."),
]
RedactWord = Annotated[list[str] | None, typer.Option(help="A name or word to replace as well; may be repeated.")]

_NOTES = 10
"""How many notes of an import are printed."""


@command(data_app, cls=SuiteCommand)
def generate(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="A suite or one of its tasks.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write into (default: data/<suite>).")] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", "--episodes", "--questions", min=1, help="Rows, episodes or questions per task."),
    ] = None,
    seed: Annotated[int, typer.Option()] = 42,
    domain: Annotated[str | None, typer.Option(help="One of the suite's tasks, or both (all of its paper).")] = None,
    option: Annotated[list[str] | None, typer.Option(help="An option of the suite: phrasing=implicit.")] = None,
    model: Annotated[str | None, typer.Option(help="Have a model write the rows: openai/gpt-5-mini.")] = None,
    max_cost: MaxCost = None,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> None:
    """Write generated rows in the released layout, with generation_config.json beside them."""
    from memtriage import registry

    chosen, tasks = registry.tasks(suite if domain in (None, "both") else f"{suite}/{domain}")
    options = suite_options(context, option)
    names = [task.name.removeprefix(f"{chosen.name}/") for task in tasks]
    out = out or Path("data") / chosen.name
    limits = limits_of(concurrency, max_cost, None, cache, no_cache)
    with _progress("generating" if model is None else "writing", quiet) as step:
        if model is None:
            written = _data_tools(chosen).generate(names, rows, seed, out, step, options)
        else:
            written = _write_with_model(_data_tools(chosen), names, rows, seed, out, step, model, limits, options)
    for path in written:
        typer.echo(str(path))


@command(data_app)
def validate(
    path: Annotated[Path, typer.Argument(help="A folder or file in the released layout, or a suite file of your own.")],
    suite: Annotated[
        str | None, typer.Option(help="The suite whose rules apply (default: memfail, or those of your own data).")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many problems to print per file.")] = 20,
) -> None:
    """Check data files, generated, released or your own, against the suite's rules."""
    from memtriage import registry
    from memtriage.report.terminal import commands
    from memtriage.suites.kit.pull import altered

    if suite is None and registry.suite_file(str(path)) is not None:
        from memtriage.suites.own.suite import validate_own

        checked = [validate_own(path)]
    else:
        checked = list(_data_tools(registry.suite(suite or "memfail")).validate(path))
    commands.validation(checked, limit, open_console())
    changed = list(altered(path))
    for problem in changed:
        say(f"error: {problem}")
    if changed or any(problem.is_error for file in checked for problem in file.problems):
        raise typer.Exit(FAILED)


@command(data_app)
def new(path: Annotated[Path, typer.Argument(help="The file to write: my.yaml, my.json or my.jsonl.")]) -> None:
    """Write an example of your own data, which runs as it is: conversations, facts and questions to replace."""
    from memtriage.suites.own.example import write_example

    write_example(path)
    typer.echo(
        f"{path}\ncheck it with: memtriage data validate {shell_word(path)}\n"
        f"use it with:   memtriage run --suite {shell_word(path)}"
    )


def redactor_of(redact: bool, words: list[str] | None) -> Redactor | None:
    """What takes personal data out of chats, if that was asked for."""
    from memtriage.suites.own.redacting import Redactor

    return Redactor(tuple(words or ())) if redact or words else None


def say_redacted(redactor: Redactor) -> None:
    found = ", ".join(f"{count} {kind}" for kind, count in sorted(redactor.found.items())) or "nothing"
    say(f"redacted: {found}. Names and what people tell of themselves have no form that can be found: look yourself")


@command(data_app, "import")
def import_(
    path: Annotated[Path, typer.Argument(help="A file in somebody else's format: JSON or JSON lines.")],
    source: Annotated[str, typer.Option("--from", help="longmemeval, locomo, sharegpt, openai or langchain.")],
    out: Annotated[Path, typer.Option(help="The suite file to write: my.yaml, my.json or my.jsonl.")],
    rows: Annotated[int | None, typer.Option(min=1, help="The first entries or conversations only.")] = None,
    redact: Redact = False,
    redact_word: RedactWord = None,
) -> None:
    """Make a suite file from a benchmark or from logs; questions come along where the source has them."""
    from memtriage.suites.own.importing import write_import
    from memtriage.text.words import counted

    redactor = redactor_of(redact, redact_word)
    imported = write_import(path, source, out, rows, redactor)
    if redactor is not None:
        say_redacted(redactor)
    for note in imported.notes[:_NOTES]:
        say(f"note: {note}")
    if len(imported.notes) > _NOTES:
        say(f"note: and {len(imported.notes) - _NOTES} more of this kind")
    stores = imported.values["stores"]
    sessions = sum(len(store["sessions"]) for store in stores)
    parts = (len(stores), "store"), (sessions, "session"), (imported.questions, "question")
    typer.echo(f"{out}: {', '.join(counted(n, what) for n, what in parts)}")
    if imported.questions:
        typer.echo(f"use it with: memtriage run --suite {shell_word(out)}")
    else:
        typer.echo(
            "add questions, each with its gold answer and the facts it needs (docs/own-data.md), or have a model"
        )
        asked = f"{out.stem}-asked{out.suffix}"
        typer.echo(f"propose some: memtriage data draft {shell_word(out)} --model MODEL --out {shell_word(asked)}")


@command(data_app, cls=SuiteCommand)
def stats(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="A suite or one of its tasks, or a suite file of your own.")],
    data: Annotated[Path | None, typer.Option(help="Released files; without it, generated rows are counted.")] = None,
    rows: Annotated[int | None, typer.Option("--rows", "--episodes", "--questions", min=1, help="Per task.")] = None,
    seed: Annotated[int, typer.Option()] = 42,
    option: Annotated[list[str] | None, typer.Option(help="An option of the suite: filler=32k.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tables of the suite's paper that describe its data, for generated or released rows."""
    from memtriage import registry
    from memtriage.core.suite import Request
    from memtriage.report.terminal import commands

    chosen, tasks = registry.tasks(suite)
    if chosen.statistics is None:
        raise BadInput(f"suite {chosen.name} has no tables about its data")
    names = [task.name.removeprefix(f"{chosen.name}/") for task in tasks]
    tables = list(chosen.statistics(names, Request(seed, rows, data, suite_options(context, option))))
    commands.data_tables(chosen, tables, as_json, open_console())


@command(data_app)
def pull(
    suite: Annotated[str, typer.Argument(help="A suite with released files.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write into (default: data/<suite>).")] = None,
    revision: Annotated[str, typer.Option(help="Branch, tag or commit.")] = "main",
    endpoint: Annotated[str | None, typer.Option(help="A mirror (or set MEMTRIAGE_HUB).")] = None,
    split: Annotated[str | None, typer.Option(help="Which of its files, if it has several: s, m, oracle.")] = None,
    max_minutes: Annotated[
        float | None,
        typer.Option(min=0.001, help="Give up after this many minutes (default: 120)."),
    ] = None,
    accept_changed: Annotated[
        bool,
        typer.Option("--accept-changed", help="Replace files that changed at the source since the first pull."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Download a suite's released files, and record their revision and hashes."""
    from memtriage import registry

    options = {
        **({"split": split} if split is not None else {}),
        **({"max_minutes": str(max_minutes)} if max_minutes is not None else {}),
        **({"accept_changed": "yes"} if accept_changed else {}),
    }
    with _progress("downloading", quiet) as step:
        folder = _data_tools(registry.suite(suite)).pull(out or Path("data") / suite, revision, endpoint, step, options)
    typer.echo(f"{folder}\nuse it with: memtriage run --suite {shell_word(suite)} --data {shell_word(folder)}")


def _write_with_model(
    tools: Any,
    tasks: list[str],
    rows: int | None,
    seed: int,
    out: Path,
    step: Any,
    model: str,
    limits: Limits,
    options: dict[str, str],
) -> list[Path]:
    """Have a model write the rows, and print the bill."""
    from memtriage.config import Grading
    from memtriage.pipeline.models import open_models
    from memtriage.report.terminal import commands

    with open_models(Grading(answer=model), limits) as models:
        try:
            written: list[Path] = models.runner.run(tools.write(tasks, rows, seed, out, step, models.answer, options))
        finally:  # what was turned down was paid for, too
            commands.cost(models.ledger.snapshot(), open_console(stderr=True), quiet=True)
    return written


def _data_tools(suite: Any) -> Any:
    if suite.data is None:
        raise BadInput(f"suite {suite.name} has no data files to work with")
    return suite.data


def _progress(what: str, quiet: bool) -> Any:
    from memtriage.report.terminal.progress import fraction_bar

    return fraction_bar(what, quiet)
