"""The command `diagnose`: stage verdicts for traces that another harness recorded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    bar,
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
    from memtriage.config import Limits
    from memtriage.diagnose.imported_traces import ImportedTraces, Loader


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
    by: Annotated[str, typer.Option(help="task, system, k, probe, fact, stage, outcome, measure, or a tag.")] = "task",
    verdict: Annotated[str | None, typer.Option(help="With --by probe or fact: only this verdict.")] = None,
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
    from memtriage.diagnose.imported_traces import diagnose_file
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.show import show

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    about = _Beside(source, gold, answers, tuple(searches or ()), _whole(parse_ks(k)), system or "", gold_template)
    load = about.loader(traces, judge is not None) if data is None else about.published(suite, data)
    if gold_template is not None:
        return
    if judge is None and (dry_run or paper_exact):
        raise BadInput(f"{'--dry-run' if dry_run else '--paper-exact'} is about a judge; name one with --judge")
    if judge is not None and dry_run:
        from memtriage.pipeline.imported_traces import estimate_file

        estimate = estimate_file(traces, judge, paper_exact=paper_exact, limits=limits, load=load)
        commands.estimate(estimate, as_json, open_console())
        return
    if judge is None:
        found = diagnose_file(traces, load)
    else:
        found = _judged(traces, judge, paper_exact, limits, out, quiet or as_json, load)
    show(found, open_console(), by, verdict, limit, "json" if as_json else "table")
    if out is not None:
        _write(found, traces, out)
    if found.cost and not as_json:
        commands.cost(found.cost, open_console(), quiet)
    _finish(found)


@dataclass(frozen=True, slots=True)
class _Beside:
    """How a file of another tool is to be read, and what stands beside it."""

    source: str | None
    gold: Path | None
    answers: Path | None
    searches: tuple[str, ...]
    ks: tuple[int, ...]
    system: str
    template: Path | None

    def published(self, suite: str, data: Path) -> Loader:
        """Reads published stores, whose gold is in the suite's own data."""
        from memtriage.diagnose.published_stores import load_published

        self._refuse("--data says what the file is about")
        return partial(load_published, suite=suite, data=data)

    def loader(self, path: Path, judged: bool) -> Loader | None:
        """Reads a file of another tool, and says what is missing in it; None for our own format."""
        from memtriage.diagnose.imported_traces import converted
        from memtriage.diagnose.importers.formats import OWN, Import, gold_template, read_import, recognize
        from memtriage.diagnose.trace_format import grouped
        from memtriage.host.files import write_whole
        from memtriage.suites.own.writing import refuse_existing

        source = self.source or recognize(path)
        if source == OWN:
            self._refuse("a file of trace lines says everything itself", but="--from")
            return None
        found = read_import(path, Import(source, self.gold, self.answers, self.searches, self.ks, self.system))
        if self.source is None:
            say(f"note: read as {source}; --from names another format")
        for note in found.notes:
            say(f"note: {note}")
        if self.template is not None:
            refuse_existing(self.template)
            lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in gold_template(found))
            write_whole(self.template, "".join(lines).encode())
            say(f"wrote {self.template}")
        stores = converted(grouped(path, found.lines, judged)) if self.template is None else []
        return lambda _: stores

    def _refuse(self, why: str, but: str = "") -> None:
        given = {
            "--from": self.source,
            "--gold": self.gold,
            "--answers": self.answers,
            "--searches": self.searches,
            "--k": self.ks,
            "--system": self.system,
            "--gold-template": self.template,
        }
        if option := next((option for option, value in given.items() if value and option != but), None):
            raise BadInput(f"{why}; leave out {option}, or name its format with --from")


def _whole(ks: list[K] | None) -> tuple[int, ...]:
    wrong = [k for k in ks or () if not isinstance(k, int) or k < 1]
    if wrong:
        raise BadInput(f"--k {wrong[0]} is no number from 1 on; a ranking is cut after so many")
    return tuple(k for k in ks or () if isinstance(k, int))


def _judged(
    traces: Path,
    judge: str,
    paper_exact: bool,
    limits: Limits,
    out: Path | None,
    quiet: bool,
    load: Loader | None,
) -> ImportedTraces:
    from memtriage.pipeline.imported_traces import judge_file

    with bar("judging", None, quiet) as step:
        return interruptible(
            lambda: judge_file(traces, judge, paper_exact=paper_exact, limits=limits, bill=out, done=step, load=load)
        )


def _write(found: ImportedTraces, traces: Path, out: Path) -> None:
    from memtriage.pipeline.bill import COST
    from memtriage.record.verdicts import VERDICTS, write_verdicts
    from memtriage.report.html.traces import write_page

    write_verdicts(out, found.verdicts, found.stores)
    written = [out / VERDICTS, write_page(found, traces, out)]
    if found.cost and found.cost["roles"]:
        written.append(out / COST)
    for path in written:
        typer.echo(f"wrote {path}", err=True)


def _finish(found: ImportedTraces) -> None:
    """Print notes and errors; end with 1 if something could not be diagnosed."""
    from memtriage.pipeline.models import model_notices
    from memtriage.pipeline.run import error_reasons

    for who, notices in model_notices(found.cost).items():
        for notice in notices:
            say(f"note: {who}: {notice}")
    if found.stopped:
        why = found.stopped.removeprefix("stopped ")
        say(f"stopped: {why}; what was judged is in the cache, and the same command goes on")
        raise typer.Exit(FAILED)
    reasons = error_reasons(found.verdicts)
    if reasons:
        say(f"error: {reasons.total()} probes could not be diagnosed")
        say_reasons(reasons)
        raise typer.Exit(FAILED)
