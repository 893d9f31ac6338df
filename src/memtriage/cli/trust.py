"""The commands `explain`, `audit` and `serve-stub`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import (
    AsJson,
    CacheFile,
    Concurrency,
    MaxCost,
    MaxErrors,
    NoCache,
    Patience,
    Quiet,
    RunPath,
    app,
    bar,
    command,
    command_line,
    limits_of,
    open_console,
    parse_one_k,
    say,
)
from memtriage.core.amount import K
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput
from memtriage.host.shell import shell_word

if TYPE_CHECKING:
    from memtriage.config import Grading, Limits
    from memtriage.record.reader import RunReader
    from memtriage.validate.intervention_run import ExplainedProbe


@command(app)
def explain(
    path: RunPath,
    probe: Annotated[list[str] | None, typer.Option(help="The id of a probe; may be repeated.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="All probes that failed.")] = False,
    answer: Annotated[str | None, typer.Option(help="The model to ask again, with other memories.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="A model that grades the new answers (default: the run's own judge).")
    ] = None,
    system: Annotated[str | None, typer.Option(help="Only this system.")] = None,
    k: Annotated[str | None, typer.Option(help="Only this k: 5, native, or 500t for 500 tokens.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many probes.")] = None,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Explain a probe: its facts, what was retrieved, and which repair makes the answer right."""
    from memtriage.config import Grading
    from memtriage.pipeline.trust import judge_of
    from memtriage.record.reader import RunReader
    from memtriage.report.terminal import explain as page
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.validate.intervention_run import Selection, agreement

    if failed == bool(probe):
        raise BadInput("name a probe with --probe ID, or take all that failed with --failed")
    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    with RunReader(path) as reader:
        if answer and not judge:
            judge = judge_of(reader, command_line())
        grading = Grading(answer or "", judge or "")
        chosen = parse_one_k(k)
        total = Selection(reader, probe or None, system, chosen).count
        if probe and not total:
            raise BadInput(
                f"{path} has no probe {', '.join(probe)} there; "
                f"`memtriage show {shell_word(path)} --by probe` lists them"
            )
        with bar("asking again", min(total, limit or total), quiet or as_json or not answer) as step:
            found = _explain(reader, grading, limits, probe, system, chosen, limit, step)
        console = open_console()
        if as_json:
            probes = [page.explained_json(each) for each in found]
            matrix = page.agreement_json(agreement(found)) if answer else None
            print_json({"schema": "memtriage.explained/1", "probes": probes, "agreement": matrix})
        elif probe:
            for each in found:
                page.print_explained(each, reader.texts, console)
        else:
            page.print_failed(found, console)


def _explain(
    reader: RunReader,
    grading: Grading,
    limits: Limits,
    probes: list[str] | None,
    system: str | None,
    k: K | None,
    limit: int | None,
    step: Callable[[], None],
) -> list[ExplainedProbe]:
    from functools import partial

    from memtriage.diagnose.judge.staged import Judge
    from memtriage.pipeline.models import open_models
    from memtriage.validate.intervention_run import JudgeGrader, explain_run

    with open_models(grading, limits) as models:
        grader = partial(JudgeGrader, Judge(models.judge)) if models.judge is not None else None

        async def collect() -> list[ExplainedProbe]:
            found: list[ExplainedProbe] = []
            async for each in explain_run(reader, models.answer, grader, probes, limit, system=system, k=k):
                found.append(each)
                step()
            return found

        return models.runner.run(collect())


@command(app)
def audit(
    path: RunPath,
    sample: Annotated[int, typer.Option(min=1, help="How many traces to label.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 42,
    labeller: Annotated[str | None, typer.Option(help="Whose labels these are (default: your user name).")] = None,
    agreement: Annotated[bool, typer.Option("--agreement", help="Only print the agreement.")] = False,
    as_json: AsJson = False,
) -> None:
    """Label blinded traces by hand, then print the agreement with judge and detector."""
    import getpass
    import sys

    from memtriage.record.reader import RunReader
    from memtriage.report.terminal import audit as page
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.validate.audit import Audit
    from memtriage.validate.audit import agreement as agreed

    with RunReader(path) as reader:
        if not agreement and not as_json:
            with Audit(reader, sample, seed) as opened:
                page.walk(opened, labeller or getpass.getuser(), open_console(), sys.stdin)
        elif as_json:
            print_json(page.agreement_json(agreed(reader)))
        else:
            page.print_agreement(agreed(reader), open_console())


@command(app, "serve-stub")
def serve_stub(
    script: Annotated[
        str, typer.Argument(help="echo, schema, extract, memory, judge, reader, content, or a .json file.")
    ] = "content",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    latency: Annotated[float, typer.Option(min=0, help="Seconds before each answer.")] = 0.0,
    fault_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of requests that fail in some way.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of the faults.")] = 0,
    idempotent: Annotated[
        bool, typer.Option("--idempotent", help="Send a good answer again to the same Idempotency-Key.")
    ] = False,
    token: Annotated[
        str | None, typer.Option(help="Answer only requests with this key; new: make one up and print it.")
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="Print a line per request.")] = False,
) -> None:
    """Serve a scripted OpenAI-compatible endpoint on 127.0.0.1, to try adapters for free."""
    from memtriage.models.scripted import Faults, serve

    faults = Faults().rate(fault_rate, seed) if fault_rate else None
    if token == "new":
        token = secrets.token_urlsafe(18)
        typer.echo(f"key: {token}")
    elif token is not None and not token.strip():
        raise BadInput("--token is empty; give a key, or new")
    shown = say if log else None
    serve(script, port=port, latency=latency, faults=faults, idempotent=idempotent, token=token, log=shown)
