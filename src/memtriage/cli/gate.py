"""The command `gate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import FAILED, AsJson, RunPath, app, command, open_console, pair_of, say
from memtriage.core.errors import BadInput

if TYPE_CHECKING:
    from memtriage.tables.gate import Gate


@command(app)
def gate(
    path: RunPath,
    baseline: Annotated[
        Path | None, typer.Option(help="What to hold it against: a run directory, or a file of --save-baseline.")
    ] = None,
    max_drop: Annotated[float, typer.Option(help="How many points of success a task may lose.")] = 3.0,
    min_success: Annotated[
        list[str] | None,
        typer.Option(help="A success in percent that a task must have: long-hop=80, long-hop@10=80 at one k, all=50."),
    ] = None,
    max_cost_rise: Annotated[
        float | None, typer.Option(help="By how many percent the cost of models may rise.")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="Hold one system against another: OLD,NEW (default: same names).")
    ] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Compare what both have, instead of refusing other data, k or judges.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail as well if there are too few probes to say.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="How many lost probes to list, here and in files.")] = 20,
    save_baseline: Annotated[
        Path | None, typer.Option(help="Write what the run came to into this file, to be committed.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a comment for a pull request.")] = None,
    badge: Annotated[Path | None, typer.Option(help="Write a badge (SVG).")] = None,
    github: Annotated[bool, typer.Option("--github", help="Print annotations for GitHub Actions as well.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hold a run against a baseline; exit with 1 if it is worse, or misses what is wanted of it."""
    from memtriage import api

    if (baseline is None) == (save_baseline is None):
        one = "name what to hold the run against (--baseline RUN or FILE)"
        raise BadInput(f"{one}, or where to save it as a baseline (--save-baseline FILE): one of the two")
    if as_json and github:
        raise BadInput("--json and --github both print to standard output; choose one")
    if save_baseline is not None:
        saved = api.save_baseline(path, save_baseline, tell=lambda text: say(f"warning: {text}"))
        typer.echo(f"baseline: {saved}")
        return
    assert baseline is not None
    found = api.gate(
        path,
        baseline,
        max_drop=max_drop,
        min_success=_floors(min_success or []),
        max_cost_rise=max_cost_rise,
        systems=pair_of(systems),
        shared=shared,
        strict=strict,
    )
    _write(found, limit, junit, markdown, badge)
    _print(found, limit, github, as_json)
    if found.failed:
        raise typer.Exit(FAILED)


def _floors(texts: list[str]) -> dict[str, float]:
    """The floors of `--min-success long-hop=80`."""
    floors: dict[str, float] = {}
    for text in ",".join(texts).split(",") if texts else ():
        task, equals, percent = text.rpartition("=")
        try:
            floors[task.strip()] = float(percent.rstrip(" %"))
        except ValueError:
            equals = ""
        if not equals or not task.strip():
            raise BadInput(f"--min-success {text!r}: write TASK=PERCENT, as in long-hop=80, long-hop@10=80 or all=50")
    return floors


def _write(found: Gate, limit: int, junit: Path | None, markdown: Path | None, badge: Path | None) -> None:
    from memtriage.host.files import failure_reason, write_whole
    from memtriage.report import gate_files

    files = [(junit, gate_files.junit(found, limit)), (markdown, gate_files.markdown(found, limit).encode())]
    for file, content in (*files, (badge, gate_files.badge(found).encode())):
        if file is not None:
            try:
                write_whole(file, content)
            except OSError as error:
                raise BadInput(f"{file} can't be written: {failure_reason(error)}") from error


def _print(found: Gate, limit: int, github: bool, as_json: bool) -> None:
    from memtriage.report.gate_files import gate_json, muting, workflow_commands
    from memtriage.report.terminal.gate import print_gate
    from memtriage.report.terminal.machine_readable import print_json

    if as_json:
        print_json(gate_json(found))
        return
    begin, end = muting()
    if github:
        typer.echo(begin)
    print_gate(found, limit, open_console())
    if github:
        typer.echo(end)
        for line in workflow_commands(found):
            typer.echo(line)
