"""The command line: parse, call, print."""

from __future__ import annotations

import io
import shlex
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from memtriage.core.errors import BadInput, MemtriageError, unknown

if TYPE_CHECKING:
    from rich.console import Console

    from memtriage.api import Run

P = ParamSpec("P")

app = typer.Typer(
    name="memtriage",
    help="Find out where an LLM memory system fails: never stored, mangled, not retrieved, or misread.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only what was asked for.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON in the documented schema.")]
RunPath = Annotated[Path, typer.Argument(help="A run directory.")]
JudgeModel = Annotated[
    str | None, typer.Option(help="A model that settles what words alone can't, and grades answers.")
]
PaperExact = Annotated[
    bool, typer.Option("--paper-exact", help="Ask the judge every stage of every fact, with the whole store each time.")
]
MaxCost = Annotated[float | None, typer.Option(min=0, help="Stop cleanly before this many dollars are spent.")]
MaxErrors = Annotated[int | None, typer.Option(min=1, help="Stop cleanly after this many failed model calls.")]
Concurrency = Annotated[int, typer.Option(min=1, help="At most so many model calls at once.")]
Filler = Annotated[str | None, typer.Option(help="Tokens of other talk in suites that have it: none, 32k, 128k.")]
Sessions = Annotated[int | None, typer.Option(min=1, help="Sessions in a history, in suites of long histories.")]
Length = Annotated[str | None, typer.Option(help="Tokens of a context, in suites of long contexts: 6k, 262k.")]
Chunk = Annotated[int | None, typer.Option(min=1, help="Tokens of a chunk, in suites that tell a context in chunks.")]
Parallel = Annotated[int, typer.Option(min=1, help="At most so many stores at once, of systems that allow it.")]
CacheFile = Annotated[
    Path | None, typer.Option("--cache", help="Cache of model calls (default: in your cache folder).")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask even what was asked before.")]

FAILED = 1
INTERRUPTED = 130

_PROBLEMS = 5
"""How many troubles of the data are told; the rest is in the manifest."""

_REASONS = 3
"""How many reasons for errors are told; the rest is in the verdicts."""


def command(target: typer.Typer, name: str | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Register a command whose errors end in one message and a non-zero exit, never in a traceback."""

    def register(function: Callable[P, None]) -> Callable[P, None]:
        @target.command(name)
        @wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                function(*args, **kwargs)
            except MemtriageError as error:
                say(f"error: {error}")
                raise typer.Exit(FAILED) from error
            except BrokenPipeError:
                sys.stderr.close()  # the reader, such as `head`, has seen enough
                raise typer.Exit(0) from None
            except OSError as error:
                say(f"error: {error}")
                raise typer.Exit(FAILED) from error

        return guarded

    return register


@command(app)
def run(
    suite: Annotated[list[str], typer.Option(help="A suite or one of its tasks, e.g. memfail/long-hop.")] = ["memfail"],  # noqa: B006
    system: Annotated[
        list[str] | None,
        typer.Option(help="A name, file.py:Class or module:Class, with arguments: bm25:granularity=sentence."),
    ] = None,
    k: Annotated[str, typer.Option(help="How many memories to retrieve; several with commas.")] = "5,10,20",
    seed: Annotated[int, typer.Option(help="Seed of generated rows and of every order.")] = 42,
    rows: Annotated[
        int | None, typer.Option("--rows", "--questions", min=1, help="Rows per task (default: as in the paper).")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Released files instead of generated rows.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run directory (default: a new one below runs/).")] = None,
    option: Annotated[list[str] | None, typer.Option(help="A suite's option: facts_per_conversation=3.")] = None,
    filler: Filler = None,
    sessions: Sessions = None,
    length: Length = None,
    chunk: Chunk = None,
    answer: Annotated[
        str | None,
        typer.Option(
            help="A model that answers from what was retrieved: openai/gpt-5-mini, http://host/v1#model, "
            "local/smollm2; or 'system' to let systems answer themselves."
        ),
    ] = None,
    judge: JudgeModel = None,
    internal: Annotated[str | None, typer.Option(help="The model inside systems that write memories with one.")] = None,
    embed: Annotated[
        str | None, typer.Option(help="The embedding model of systems that embed (default: offline).")
    ] = None,
    repeats: Annotated[str, typer.Option(help="Answers per question, or ingest=2,answer=3,judge=2.")] = "1",
    reading: Annotated[
        str | None,
        typer.Option(help="How the answering model reads: direct, con (notes first), direct-json or con-json."),
    ] = None,
    paper_exact: PaperExact = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print calls, tokens and dollars; ask no model.")] = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    looks: Annotated[int, typer.Option(min=0, help="How often a store is looked at while it fills.")] = 8,
    report: Annotated[bool, typer.Option(help="Write report.html into the run directory.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Put memory systems to the test and say at which stage they lose which facts."""
    from memtriage import api

    if answer and "/" not in answer and answer not in ("system", "offline"):
        raise BadInput(unknown("--answer", answer, ["system"]) + "; a model is named as in openai/gpt-5-mini")
    wanted: dict[str, Any] = {
        "suite": suite,
        "k": ks_of(k),
        "seed": seed,
        "rows": rows,
        "data": data,
        "options": suite_options(option, filler=filler, sessions=sessions, length=length, chunk=chunk),
        "answers": answer == "system",
        "looks": looks,
        "answer": None if answer == "system" else answer,
        "judge": judge,
        "internal": internal,
        "embed": embed,
        "repeats": repeats,
        "reading": reading,
        "paper_exact": paper_exact,
        "means": means_of(concurrency, max_cost, max_errors, cache, no_cache, parallel),
        "command": shlex.join(["memtriage", *sys.argv[1:]]),
    }
    chosen = system or api.DEFAULT_SYSTEMS
    with _progress(quiet or as_json) as watcher:
        if dry_run:
            estimate = api.dry_run(*chosen, **wanted, watcher=watcher)
        else:
            result = _interruptible(lambda: api.run(*chosen, **wanted, out=out, watcher=watcher), watcher)
    if dry_run:
        _print_estimate(estimate, as_json)
    else:
        _finish(result, report, quiet, as_json)


@command(app)
def resume(
    path: RunPath,
    retry_errors: Annotated[bool, typer.Option(help="Also try again what ended in an error.")] = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    concurrency: Concurrency = 32,
    parallel: Parallel = 4,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    report: Annotated[bool, typer.Option(help="Write report.html into the run directory.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Continue a run that was stopped; nothing is stored or asked twice."""
    from memtriage import api

    means = means_of(concurrency, max_cost, max_errors, cache, no_cache, parallel)
    with _progress(quiet or as_json) as watcher:
        result = _interruptible(
            lambda: api.resume(path, retry_errors=retry_errors, means=means, watcher=watcher), watcher
        )
    _finish(result, report, quiet, as_json)


@command(app)
def judge(
    path: RunPath,
    judge: Annotated[str, typer.Option(help="The model that grades.")],
    repeats: Annotated[int, typer.Option(min=1, help="How often it grades everything.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Grade a copy there, to compare the two gradings.")] = None,
    paper_exact: PaperExact = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    report: Annotated[bool, typer.Option(help="Write report.html into the run directory.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Grade a run again with another judge; nothing is stored or asked again."""
    from memtriage import api

    means = means_of(concurrency, max_cost, max_errors, cache, no_cache)
    with _progress(quiet or as_json) as watcher:
        result = _interruptible(
            lambda: api.judge(
                path, judge, paper_exact=paper_exact, repeats=repeats, out=out, means=means, watcher=watcher
            ),
            watcher,
        )
    _finish(result, report, quiet, as_json)


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
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a run's table again, or open it down to probes and facts; of a sweep's folder, its table."""
    from memtriage import api
    from memtriage.report.terminal import studies as study
    from memtriage.report.terminal import views
    from memtriage.studies import study as studies

    if csv and as_json:
        raise BadInput("--csv and --json exclude each other; choose one")
    if latency and by not in ("task", "latency"):
        raise BadInput(f"--latency and --by {by} are two tables; ask for one at a time")
    by = "latency" if latency else by
    form: views.Form = "csv" if csv else "json" if as_json else "table"
    if studies.is_sweep(path):
        if by != "task" or verdict is not None:
            raise BadInput(f"{path} holds a sweep, which has one table; open one of its runs: {path}/…")
        study.show_folder(path, form, open_console())
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
    from memtriage.report.terminal import views

    found = diagnose_file(traces)
    views.show(found, views.View(by, None, limit, "json" if as_json else "table"), open_console())
    if out is not None:
        for path in views.write_foreign(found, traces, out):
            typer.echo(f"wrote {path}", err=True)
    if any(v.verdict == "error" for v in found.verdicts):
        raise typer.Exit(FAILED)


@command(app)
def suites(as_json: AsJson = False) -> None:
    """List the suites and their tasks."""
    from memtriage import registry as plugins
    from memtriage.report.terminal import views

    found = _usable(sorted(plugins.names(plugins.SUITES)), plugins.suite)
    views.suites(list(found.values()), as_json, open_console())


def main() -> None:
    """The `memtriage` command."""
    # they add their commands to `app`, in this order
    from memtriage.cli import data, leaks, validate, score, study, systems, try_one  # noqa: F401, I001

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a narrow locale or an odd file name is no reason to fail
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does: kept, tidied up, resumable
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None


def ks_of(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise BadInput(f"--k {text!r} is not a list of whole numbers; write it as 5,10,20") from None


def suite_options(pairs: Iterable[str] | None, **named: object) -> dict[str, str]:
    """The options of a suite, those with a name of their own on the command line among them."""
    return options_of(pairs or ()) | {name: str(value) for name, value in named.items() if value is not None}


def options_of(pairs: Iterable[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--option {pair!r}: write name=value")
        options[key.strip()] = value.strip()
    return options


def say(message: str) -> None:
    """A message on standard error; what it quotes from data or systems can't steer the terminal."""
    from memtriage.report.terminal.tables import visible

    for line in message.split("\n"):
        typer.echo(visible(line), err=True)


def _usable(names: Iterable[str], load: Callable[[str], Any]) -> dict[str, Any]:
    """What can be loaded; a plug-in that can't be is told and does not hide the others."""
    found: dict[str, Any] = {}
    for name in names:
        try:
            found[name] = load(name)
        except MemtriageError as error:
            say(f"note: {error}")
    return found


def _interruptible(work: Callable[[], Run], watcher: Any) -> Run:
    try:
        with redirect_stdout(sys.stderr):  # what systems print must not mix with the table or JSON
            return work()
    except KeyboardInterrupt:
        where = f"; continue with: memtriage resume {watcher.path}" if watcher.path else ""
        typer.echo(f"interrupted; what was done is kept{where}", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _finish(result: Run, report: bool, quiet: bool, as_json: bool) -> None:
    from memtriage.report.terminal import views

    views.show(result, views.View(form="json" if as_json else "table"), open_console())
    page = result.report() if report else None
    if not quiet and not as_json:
        typer.echo(f"\nrun:    {result.path}\nreport: {page}" if page else f"\nrun:    {result.path}")
        measured = {name for verdict in result.verdicts() for name in verdict.measures}
        if measured:
            which = "recall and NDCG" if any("/" in name for name in measured) else ", ".join(sorted(measured))
            typer.echo(f"{which}: memtriage show {result.path} --by measure")
    for system, notices in result.notices.items():
        for notice in notices:
            say(f"note: {system}: {notice}")
    for note in result.notes:
        say(f"note: {note}")
    for problem in result.problems[:_PROBLEMS]:
        say(f"data: {problem}")
    if len(result.problems) > _PROBLEMS:
        say(f"data: and {len(result.problems) - _PROBLEMS} more, all of them in {result.path / 'run.json'}")
    if result.cost and not as_json:
        views.cost(result.cost, open_console(), quiet)
    if result.stopped:
        why = result.stopped.removeprefix("budget: ").removeprefix("stopped ")
        say(f"stopped: {why}; what was done is kept, and `memtriage resume {result.path}` goes on")
        raise typer.Exit(FAILED)
    reasons = result.reasons
    if reasons:
        say(f"error: {reasons.total()} probes could not be graded because something raised")
        for reason, probes in reasons.most_common(_REASONS):
            say(f"  {probes} x {reason}")
        raise typer.Exit(FAILED)


def means_of(
    concurrency: int,
    max_cost: float | None,
    max_errors: int | None,
    cache: Path | None,
    no_cache: bool,
    parallel: int = 4,
) -> Any:
    from decimal import Decimal

    from memtriage.pipeline.grading import Means

    limit = None if max_cost is None else Decimal(str(max_cost))
    return Means(concurrency, limit, max_errors, cache, not no_cache, parallel)


def _print_estimate(estimate: Any, as_json: bool) -> None:
    from memtriage.report.terminal import views

    views.estimate(estimate, as_json, open_console())


def open_console(stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(soft_wrap=False, stderr=stderr)


def _progress(quiet: bool) -> Any:
    from memtriage.report.terminal.progress import RunProgress

    return RunProgress(quiet)


def bar(what: str, total: int, quiet: bool) -> Any:
    from memtriage.report.terminal import progress

    return progress.bar(what, total, quiet)
