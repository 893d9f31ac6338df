"""What all commands share: the application, common options, error handling and messages."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from decimal import Decimal
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, ParamSpec, TypeVar

import typer

from memtriage.cli import completion
from memtriage.cli.help import HelpCommand, HelpGroup
from memtriage.core.amount import K, parse_k
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput, MemtriageError

if TYPE_CHECKING:
    from rich.console import Console

    from memtriage.config import Limits

P = ParamSpec("P")
T = TypeVar("T")


FAILED = 1
INTERRUPTED = 130
EXIT_CODES = {
    0: "done",
    FAILED: "bad input, a run with errors, a damaged run or a gate that failed; the last lines say which",
    2: "wrong usage: an unknown command, option or value",
    INTERRUPTED: "interrupted; what was done is kept",
}


class Commands(HelpGroup):
    """All commands, by the heading that help lists them under."""

    groups: ClassVar = {
        "Run": ("run", "resume", "judge", "batch", "diagnose"),
        "Look": ("show", "view", "report", "explain", "memories", "points", "compare", "mix", "export"),
        "Trust": ("verify", "gate", "calibrate", "audit", "agree", "leaks"),
        "Data": ("suites", "data", "score"),
        "Systems": ("systems", "check", "chat", "serve-mosaic", "serve-stub"),
        "Studies": ("sweep", "reproduce", "optimize", "tune"),
    }


app = typer.Typer(
    name="memtriage",
    cls=Commands,
    help="Find out where an LLM memory system fails: never stored, mangled, not retrieved, or misread.",
    no_args_is_help=True,
    epilog="Exit codes: " + "; ".join(f"{code} {meaning.partition(';')[0]}" for code, meaning in EXIT_CODES.items()),
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

WHAT = "What to test"
AMOUNT = "How much"
MODELS = "Models"
LIMITS = "Limits and cost"
OUTPUT = "Output"

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.", rich_help_panel=OUTPUT)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON in the documented schema.", rich_help_panel=OUTPUT)]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.", rich_help_panel=OUTPUT)]
RunPath = Annotated[Path, typer.Argument(help="A run directory.", autocompletion=completion.runs)]
Suites = Annotated[
    list[str],
    typer.Option(
        help="A suite, one of its tasks (memfail/long-hop), or your own file: my.yaml.",
        rich_help_panel=WHAT,
        autocompletion=completion.suites,
    ),
]
Systems = Annotated[
    list[str] | None,
    typer.Option(
        help="A name, file.py:Class or module:Class, with arguments: bm25:granularity=sentence.",
        rich_help_panel=WHAT,
        autocompletion=completion.systems,
    ),
]
Ks = Annotated[
    list[str] | None,
    typer.Option(
        help="How many memories to retrieve; several with commas. native: as many as a system gives its own users."
        "  [default: 5,10,20]",
        rich_help_panel=AMOUNT,
    ),
]
ContextTokens = Annotated[
    list[str] | None,
    typer.Option(
        help="Compare at equal context: each system fills this many tokens (500,1000) with its memories.",
        rich_help_panel=AMOUNT,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of generated rows and of all random orders.", rich_help_panel=AMOUNT)]
Rows = Annotated[
    int | None,
    typer.Option(
        "--rows", "--questions", min=1, help="Rows per task (default: as in the paper).", rich_help_panel=AMOUNT
    ),
]
Data = Annotated[
    Path | None, typer.Option(help="Use these released files instead of generated rows.", rich_help_panel=WHAT)
]
SuiteOption = Annotated[
    list[str] | None, typer.Option(help="An option of the suite: facts_per_conversation=3.", rich_help_panel=WHAT)
]
AnswerModel = Annotated[
    str | None,
    typer.Option(
        help="A model that answers from what was retrieved: openai/gpt-5-mini, http://host/v1#model.",
        rich_help_panel=MODELS,
    ),
]
JudgeModel = Annotated[
    str | None,
    typer.Option(
        help="A model that grades answers, and verdicts that words alone can't settle.", rich_help_panel=MODELS
    ),
]
Internal = Annotated[
    str | None, typer.Option(help="The model for systems that write memories with one.", rich_help_panel=MODELS)
]
Embed = Annotated[
    str | None,
    typer.Option(help="The embedding model for systems that use one (default: offline).", rich_help_panel=MODELS),
]
NamedSystems = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        help="A system of the run, named again: for a run from elsewhere, or after its code changed.",
        rich_help_panel=WHAT,
    ),
]
NamedModel = Annotated[
    str | None,
    typer.Option(
        help="The run's own model, named again: for a run from elsewhere, or with its password.", rich_help_panel=MODELS
    ),
]
RepeatsText = Annotated[
    str, typer.Option(help="Answers per question, or ingest=2,answer=3,judge=2.", rich_help_panel=AMOUNT)
]
ReadingName = Annotated[
    str | None,
    typer.Option(
        help="How the answering model reads: direct, con (notes first), direct-json or con-json; +nodates.",
        rich_help_panel=MODELS,
    ),
]
PaperExact = Annotated[
    bool,
    typer.Option(
        "--paper-exact",
        help="Ask the judge every stage of every fact, with the whole store each time.",
        rich_help_panel=MODELS,
    ),
]
CantTell = Annotated[
    bool,
    typer.Option(
        "--cant-tell", help="Let the model answer a lettered question with: can't tell.", rich_help_panel=MODELS
    ),
]
SweepMeasures = Annotated[
    list[str] | None,
    typer.Option(
        help="For a sweep: print these measures instead of success, e.g. recall_all@5,NDCG_any@5.",
        rich_help_panel=OUTPUT,
    ),
]
Looks = Annotated[
    int,
    typer.Option(
        min=0, help="How often to list a store while it fills, to date what it loses.", rich_help_panel=AMOUNT
    ),
]
RetryErrors = Annotated[bool, typer.Option(help="Also retry what ended in an error.", rich_help_panel=LIMITS)]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Estimate calls, tokens and dollars; ask no model.", rich_help_panel=LIMITS)
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        min=0, help="Stop before the whole run costs more dollars; resuming keeps the limit.", rich_help_panel=LIMITS
    ),
]
MaxErrors = Annotated[
    int | None, typer.Option(min=1, help="Stop cleanly after this many failed model calls.", rich_help_panel=LIMITS)
]
CallTimeout = Annotated[
    float | None,
    typer.Option(
        "--call-timeout",
        "--store-timeout",
        parser=lambda text: seconds_of(text),
        metavar="TIME",
        show_default=False,
        help="Give up on a memory that takes longer to store a session or to answer a question.  [default: 10m]",
        rich_help_panel=LIMITS,
    ),
]
Patience = Annotated[
    float,
    typer.Option(
        parser=lambda text: seconds_of(text),
        metavar="TIME",
        show_default=False,
        help="Wait this long for an endpoint that answers nothing, then stop cleanly: 30s, 10m, 1h.  [default: 5m]",
        rich_help_panel=LIMITS,
    ),
]
Concurrency = Annotated[
    int, typer.Option(min=1, help="Make at most this many model calls at once.", rich_help_panel=LIMITS)
]
Parallel = Annotated[
    int,
    typer.Option(min=1, help="Fill at most this many stores at once, where systems allow it.", rich_help_panel=LIMITS),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        help="Fill the stores of memtriage's own systems in this many processes (default: one for each processor, if "
        "the run is large enough).",
        rich_help_panel=LIMITS,
    ),
]
OnCluster = Annotated[
    str,
    typer.Option(
        "--on",
        help="Fill stores on a cluster: ray (one on this machine), ray:auto (the one that runs here), ray:HOST:PORT "
        "or ray://HOST:PORT.",
        metavar="WHERE",
        rich_help_panel=LIMITS,
    ),
]
NeedsText = Annotated[
    str,
    typer.Option(
        "--needs",
        help="What a store needs of a node of the cluster: cpus=2,gpus=0.5,memory=8GB.",
        rich_help_panel=LIMITS,
    ),
]
CacheFile = Annotated[
    Path | None,
    typer.Option("--cache", help="Cache of model calls (default: in your cache folder).", rich_help_panel=LIMITS),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Don't use the cache of model calls.", rich_help_panel=LIMITS)
]
Batch = Annotated[
    bool | None,
    typer.Option(
        "--batch/--no-batch",
        help="Send answers and judgings through the provider's batches: half the price, hours instead of minutes.",
        rich_help_panel=LIMITS,
    ),
]
Hold = Annotated[
    bool,
    typer.Option(
        "--hold", help="Ask no model: stop where calls are due, for `memtriage batch export`.", rich_help_panel=LIMITS
    ),
]
PassEnv = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-env",
        help="An environment variable that processes of systems may see; may be repeated.",
        rich_help_panel=LIMITS,
    ),
]
WriteReport = Annotated[bool, typer.Option(help="Write report.html into the run directory.", rich_help_panel=OUTPUT)]


def command(
    target: typer.Typer, name: str | None = None, **settings: Any
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Register a command that reports errors as one message and a non-zero exit code, without a traceback."""

    def register(function: Callable[P, None]) -> Callable[P, None]:
        @target.command(name, **{"cls": HelpCommand, **settings})
        @wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                function(*args, **kwargs)
                sys.stdout.flush()
            except MemtriageError as error:
                say(f"error: {error}")
                raise typer.Exit(FAILED) from error
            except BrokenPipeError:
                # whoever reads the pipe, such as `head`, has quit; what is left must not fail again at the end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(0) from None
            except OSError as error:
                say(f"error: {error}")
                raise typer.Exit(FAILED) from error

        return guarded

    return register


def say(message: str) -> None:
    """Print a message to standard error, with control characters made visible."""
    from memtriage.report.terminal.tables import visible

    for line in message.split("\n"):
        typer.echo(visible(line), err=True)


def say_reasons(reasons: Counter[str] | Counter[str | None], limit: int | None = 3) -> None:
    """Print the most frequent reasons for errors, with counts."""
    for reason, times in reasons.most_common(limit):
        say(f"  {times} x {reason}")


def interruptible(work: Callable[[], T], hint: Callable[[], str] = lambda: ", and the same command goes on") -> T:
    """Run some work; on Ctrl-C, say how to continue. What systems print goes to standard error."""
    try:
        with redirect_stdout(sys.stderr):
            return work()
    except KeyboardInterrupt:
        say(f"interrupted; what was done is kept{hint()}")
        raise typer.Exit(INTERRUPTED) from None


def command_line() -> str:
    """The command line as it was typed."""
    return shlex.join(["memtriage", *sys.argv[1:]])


def parse_ks(texts: list[str] | None) -> list[K] | None:
    """The values of `--k 5,10 --k native`."""
    if texts is None:
        return None
    found = [parse_one_k(part) for text in texts for part in text.split(",") if part.strip()]
    return [k for k in found if k is not None]


def parse_one_k(text: str | None) -> K | None:
    """The value of a `--k` that takes one: 5, native, or 500t for 500 tokens."""
    if text is not None and parse_k(text) is None:
        raise BadInput(f"--k {text!r} is not a list of whole numbers (or native); write it as 5,10,20 or 5,native")
    return None if text is None else parse_k(text)


def joined(texts: list[str] | None) -> str | None:
    """A list that may be given with commas and by repeating its option."""
    return ",".join(texts) if texts else None


def pair_of(systems: str | None) -> tuple[str, str] | None:
    """The two systems of `--systems bm25,dense`."""
    if systems is None:
        return None
    left, comma, right = systems.partition(",")
    if not comma or not left or not right:
        raise BadInput(f"--systems {systems!r}: name two, as in bm25,dense")
    return left, right


def limits_of(
    concurrency: int,
    max_cost: float | None,
    max_errors: int | None,
    cache: Path | None,
    no_cache: bool,
    parallel: int = 4,
    hold: bool = False,
    batch: bool | None = None,
    patience: float = PATIENCE,
    pass_env: Sequence[str] | None = None,
    call_timeout: float | None = None,
    on: str = "",
    needs: str = "",
    jobs: int | None = None,
) -> Limits:
    """The limits from the options of a command."""
    from memtriage.config import Limits, Needs

    if needs and not on:
        raise BadInput(f"--needs {needs} is what stores need of a cluster; name one with --on")
    dollars = None if max_cost is None else Decimal(str(max_cost))
    variables = tuple(pass_env or ())
    return Limits(
        *(concurrency, dollars, max_errors, cache, not no_cache, parallel, hold, batch, patience, variables),
        call_timeout=call_timeout,
        on=on,
        needs=Needs.parse(needs),
        jobs=jobs,
    )


def seconds_of(text: str | float) -> float:
    """A time such as 30s, 10m or 1h in seconds.

    >>> seconds_of("10m"), seconds_of("1.5h"), seconds_of("45")
    (600.0, 5400.0, 45.0)
    """
    found = re.fullmatch(r"(\d{1,6}(?:\.\d+)?) *(s|m|min|h)?", str(text).strip())
    seconds = float(found[1]) * {"h": 3600, "m": 60, "min": 60}.get(found[2], 1) if found else 0.0
    if seconds <= 0:
        raise typer.BadParameter(f"{text!r} is not a length of time; write 30s, 10m or 1h")
    return seconds


def open_console(stderr: bool = False) -> Console:
    """The terminal to print tables on."""
    from rich.console import Console

    return Console(soft_wrap=False, stderr=stderr)


def bar(what: str, total: int | None, quiet: bool) -> Any:
    """A progress bar on standard error."""
    from memtriage.report.terminal import progress

    return progress.bar(what, total, quiet)
