"""The commands `show`, `report`, `compare`, `mix` and `suites`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli import completion
from memtriage.cli.app import (
    FAILED,
    AsCsv,
    AsJson,
    RunPath,
    SweepMeasures,
    app,
    command,
    joined,
    open_console,
    pair_of,
    parse_one_k,
    say,
)
from memtriage.cli.help import HelpCommand
from memtriage.core.errors import BadInput, MemtriageError

if TYPE_CHECKING:
    from memtriage.core.suite import Suite
    from memtriage.report.terminal.machine_readable import Form


class ViewCommand(HelpCommand):
    """A command whose help lists the views of a run."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        from memtriage.report.terminal.show import VIEWS

        super().format_options(ctx, formatter)
        with formatter.section("Values of --by, besides tags such as hop or N"):
            formatter.write_dl([(view.by, view.what) for view in VIEWS.values()])


@command(app, cls=ViewCommand)
def show(
    path: RunPath,
    by: Annotated[
        str, typer.Option(help="Which table to print; see the list below.", autocompletion=completion.views)
    ] = "task",
    latency: Annotated[
        bool, typer.Option("--latency", help="Seconds to build a store and to ask it, and its peak memory.")
    ] = False,
    verdict: Annotated[
        str | None, typer.Option(help="With --by probe or fact: only this verdict.", autocompletion=completion.verdicts)
    ] = None,
    system: Annotated[str | None, typer.Option(help="With --by probe or fact: only this system.")] = None,
    k: Annotated[str | None, typer.Option(help="With --by probe or fact: only this k: 5, native or 500t.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="With --by probe or fact: how many lines.")] = 50,
    measure: SweepMeasures = None,
    csv: AsCsv = False,
    as_json: AsJson = False,
) -> None:
    """Print the tables of a run, down to probes and facts, or the table of a sweep."""
    from memtriage import api, studies
    from memtriage.report.terminal.show import show as show_run
    from memtriage.report.terminal.studies import show_folder

    if csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    if latency and by not in ("task", "latency"):
        raise BadInput(f"--latency and --by {by} are two tables; ask for one at a time")
    by = "latency" if latency else by
    form: Form = "csv" if csv else "json" if as_json else "table"
    if studies.is_sweep(path):
        if by != "task" or verdict is not None or system is not None or k is not None:
            raise BadInput(f"{path} holds a sweep, which has one table; open one of its runs: {path}/…")
        show_folder(path, form, open_console(), (joined(measure) or "").split(",") if measure else ())
        return
    if measure:
        raise BadInput(f"--measure chooses columns of a sweep; {path} is a single run: show {path} --by measure")
    show_run(api.load(path), open_console(), by, verdict, limit, form, system, parse_one_k(k))


@command(app)
def report(path: RunPath, out: Annotated[Path | None, typer.Option(help="Where to write it.")] = None) -> None:
    """Write the HTML report of a run."""
    from memtriage import api

    typer.echo(str(api.load(path).report(out)))


@command(app)
def compare(
    a: RunPath,
    b: Annotated[Path, typer.Argument(help="Another, or the same with --systems.", autocompletion=completion.runs)],
    systems: Annotated[
        str | None, typer.Option(help="Pair one system of A with one of B: bm25,dense (default: same names).")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many differing probes to list.")] = 20,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit with 1 if B is worse on any task; see `memtriage gate`.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two runs probe by probe: McNemar's exact test, and the probes that differ."""
    from memtriage import api
    from memtriage.report.gate_text import sentence, where
    from memtriage.report.terminal import commands

    pair = pair_of(systems)
    commands.compare(api.compare(a, b, pair), limit, as_json, open_console())
    if fail_if_worse:
        found = api.gate(b, a, max_drop=0, systems=pair, shared=True)
        for cell in found.cells:
            if cell.finding == "worse":
                say(f"error: B is worse: {where(cell)}: {sentence(cell, found)}")
        if found.failed:
            raise typer.Exit(FAILED)


@command(app)
def mix(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Runs of several memories on the same data, or one of several.", autocompletion=completion.runs
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Say what several memories would be worth together: the best one, the best for each task, any of them."""
    from memtriage import api
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.report.terminal.mixture import mixtures_json, print_mixtures

    found = api.mix(*runs)
    if as_json:
        print_json(mixtures_json(found))
    else:
        print_mixtures(found, open_console())


@command(app)
def suites(as_json: AsJson = False) -> None:
    """List the suites and their tasks."""
    from memtriage import registry
    from memtriage.report.terminal import commands

    found: list[Suite] = []
    for name in sorted(registry.registered(registry.SUITES)):
        try:
            found.append(registry.suite(name))
        except MemtriageError as error:  # a plug-in that can't be loaded must not hide the others
            say(f"note: {error}")
    commands.suites(found, as_json, open_console())
