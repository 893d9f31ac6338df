"""Commands to try one memory system by hand: is it served fairly, and what does it make of what it is told?"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Embed,
    Internal,
    MaxCost,
    NoCache,
    app,
    command,
    limits_of,
    open_console,
    say,
)
from memtriage.core.errors import MemtriageError

if TYPE_CHECKING:
    from memtriage.core.memory import Memory
    from memtriage.registry import SystemSpec
    from memtriage.systems.adapted import Adapted

System = Annotated[str, typer.Argument(help="A name, file.py:Class, module:Class, proc:…, mcp:… or http:….")]


@command(app)
def check(
    system: System,
    internal: Internal = None,
    embed: Embed = None,
    sessions: Annotated[int, typer.Option(min=3, help="How many small conversations it is told.")] = 24,
    max_cost: MaxCost = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Does a system fit, and is it served fairly? A report in plain words, in a few minutes."""
    from memtriage.report.terminal import commands
    from memtriage.runner.check import check as rehearse

    with _models(max_cost, cache, no_cache), redirect_stdout(sys.stderr):
        results = list(rehearse(_named(system, internal, embed), sessions))
    commands.checks(system, results, as_json, open_console())
    if any(result.outcome == "problem" for result in results):
        raise typer.Exit(FAILED)


@command(app)
def chat(
    system: Annotated[str, typer.Option(help="The memory to talk to.")] = "bm25",
    answer: Annotated[str | None, typer.Option(help="A model that answers from what is brought back.")] = None,
    internal: Internal = None,
    embed: Embed = None,
    k: Annotated[int, typer.Option(min=1, help="How many memories to bring back.")] = 5,
    max_cost: MaxCost = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Talk to a memory, and watch what it brings back and keeps, turn by turn."""
    from memtriage.report.terminal import conversation as page
    from memtriage.runner.conversation import MemoryChat

    console = open_console()
    with _models(max_cost, cache, no_cache), _answering(answer, max_cost, cache, no_cache) as answering:
        with redirect_stdout(sys.stderr):
            built = _named(system, internal, embed).build()
        try:
            told = _noted(system, built)
            talk = MemoryChat(built, k, answering)
            for said in _lines(f"{system}: say something; an empty line or Ctrl-D ends it"):
                try:
                    with redirect_stdout(sys.stderr):
                        exchange = talk.say(said)
                except MemtriageError as error:
                    say(f"error: {error}")
                    continue
                except Exception as error:  # a stranger's code may raise anything; the talk goes on
                    say(f"error: {type(error).__name__}: {error}")
                    continue
                if as_json:
                    typer.echo(json.dumps(page.exchange_json(exchange), ensure_ascii=False))
                else:
                    page.print_exchange(exchange, console)
            _noted(system, built, told)
        finally:
            built.close()


def _noted(system: str, built: Adapted, told: Collection[str] = ()) -> tuple[str, ...]:
    """Say what has to be said of a system and wasn't yet; that its model is a scripted one shows when it was asked."""
    notices = built.notices()
    for notice in notices:
        if notice not in told:
            say(f"note: {system}: {notice}")
    return notices


def _named(text: str, internal: str | None, embed: str | None) -> SystemSpec:
    """The system with its models, refused where it takes none of that kind."""
    from memtriage import registry
    from memtriage.config import embedder_label, model_label
    from memtriage.runner import plan

    spec = registry.system(text)
    models = {"internal": model_label(internal or ""), "embedder": embedder_label(embed or "")}
    plan.refuse_unused_models(models, [spec])
    return registry.with_models(spec, models)


@contextmanager
def _models(max_cost: float | None, cache: Any, no_cache: bool) -> Iterator[None]:
    """Models for the inside of a system, and an end to its processes."""
    from memtriage.pipeline.models import open_system_models
    from memtriage.systems.remote import running

    with open_system_models(limits_of(32, max_cost, None, cache, no_cache)):
        try:
            yield
        finally:
            running.close_all()


@contextmanager
def _answering(
    model: str | None, max_cost: float | None, cache: Any, no_cache: bool
) -> Iterator[Callable[[str, Sequence[Memory]], str] | None]:
    from memtriage.config import Grading
    from memtriage.core.episode import Probe
    from memtriage.pipeline.models import open_models
    from memtriage.runner.answer_prompts import answer_call, read_answer

    if not model:
        yield None
        return
    with open_models(Grading(answer=model), limits_of(1, max_cost, None, cache, no_cache)) as models:
        client = models.answer
        if client is None:
            yield None
            return

        def answer(said: str, memories: Sequence[Memory]) -> str:
            probe = Probe("chat", said, "", ())
            call, labels = answer_call(probe, [(memory.id, memory.text) for memory in memories])
            return read_answer(probe, models.runner.run(client.ask(call)), labels)[0]

        yield answer


def _lines(invitation: str) -> Iterator[str]:
    """What is typed, or piped in, line by line."""
    if sys.stdin.isatty():
        say(invitation)
    while True:
        if sys.stdin.isatty():
            typer.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line.strip():
            return
        yield line.strip()
