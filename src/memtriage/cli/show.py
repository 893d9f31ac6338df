"""Commands that look at what is there: tables, the page, comparisons, other harnesses' traces, the suites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import FAILED, AsCsv, AsJson, RunPath, app, command, open_console, say
from memtriage.core.errors import BadInput, MemtriageError

if TYPE_CHECKING:
    from memtriage.core.suite import Suite


@command(app)
def show(
    path: RunPath,
    by: Annotated[
        str,
        typer.Option(
            help="task, family, system, k, probe, fact, store, repeats, measure, outcome, pair, cost, latency, or a "
            "tag: hop, N."
        ),
    ] = "task",
    latency: Annotated[
        bool, typer.Option("--latency", help="Seconds to build a store and to ask it, and its peak memory.")
    ] = False,
    verdict: Annotated[str | None, typer.Option(help="With --by probe or fact: only this verdict.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="With --by probe or fact: how many lines.")] = 50,
    csv: AsCsv = False,
    as_json: AsJson = False,
) -> None:
    """Print a run's table again, or open it down to probes and facts; of a sweep's folder, its table."""
    from memtriage import api, studies
    from memtriage.report.terminal import views
    from memtriage.report.terminal.studies import show_folder

    if csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    if latency and by not in ("task", "latency"):
        raise BadInput(f"--latency and --by {by} are two tables; ask for one at a time")
    by = "latency" if latency else by
    form: views.Form = "csv" if csv else "json" if as_json else "table"
    if studies.is_sweep(path):
        if by != "task" or verdict is not None:
            raise BadInput(f"{path} holds a sweep, which has one table; open one of its runs: {path}/…")
        show_folder(path, form, open_console())
        return
    views.show(api.load(path), views.View(by, verdict, limit, form), open_console())


@command(app)
def report(path: RunPath, out: Annotated[Path | None, typer.Option(help="Where to write it.")] = None) -> None:
    """Write a run's HTML report again."""
    from memtriage import api

    typer.echo(str(api.load(path).report(out)))


@command(app)
def compare(
    a: Annotated[Path, typer.Argument(help="A run directory.")],
    b: Annotated[Path, typer.Argument(help="Another, or the same with --systems.")],
    systems: Annotated[
        str | None, typer.Option(help="Pair one system of A with one of B: bm25,dense (default: same names).")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many flips to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Compare two runs probe by probe: exact McNemar, and the probes that flipped."""
    from memtriage import api
    from memtriage.report.terminal import views

    pair = None
    if systems is not None:
        left, comma, right = systems.partition(",")
        if not comma or not left or not right:
            raise BadInput(f"--systems {systems!r}: name two, as in bm25,dense")
        pair = (left, right)
    views.compare(api.load(a), api.load(b), pair, limit, as_json, open_console())


@command(app)
def diagnose(
    traces: Annotated[Path, typer.Argument(help="JSON lines that another harness recorded; see docs/traces.md.")],
    out: Annotated[Path | None, typer.Option(help="Directory for verdicts.jsonl and report.html.")] = None,
    by: Annotated[str, typer.Option(help="task, system, k, probe, fact, or a tag.")] = "task",
    limit: Annotated[int, typer.Option(min=1, help="With --by probe or fact: how many lines.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Stage verdicts for traces that another harness recorded."""
    from memtriage.diagnose.imported_traces import diagnose_file
    from memtriage.record.directory import write_verdicts
    from memtriage.report.html.traces import write_page
    from memtriage.report.terminal import views

    found = diagnose_file(traces)
    views.show(found, views.View(by, None, limit, "json" if as_json else "table"), open_console())
    if out is not None:
        verdicts, _ = write_verdicts(out, found.verdicts, found.stores)
        for path in (verdicts, write_page(found, traces, out)):
            typer.echo(f"wrote {path}", err=True)
    if any(v.verdict == "error" for v in found.verdicts):
        raise typer.Exit(FAILED)


@command(app)
def suites(as_json: AsJson = False) -> None:
    """List the suites and their tasks."""
    from memtriage import registry
    from memtriage.report.terminal import views

    found: list[Suite] = []
    for name in sorted(registry.names(registry.SUITES)):
        try:
            found.append(registry.suite(name))
        except MemtriageError as error:  # a plug-in that can't be loaded does not hide the others
            say(f"note: {error}")
    views.suites(found, as_json, open_console())
