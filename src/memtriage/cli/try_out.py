"""The commands `check` and `chat`, to try one memory system by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli import completion
from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    CallTimeout,
    Embed,
    Internal,
    MaxCost,
    NoCache,
    PassEnv,
    app,
    command,
    limits_of,
    open_console,
    say,
)
from memtriage.core.errors import MemtriageError

if TYPE_CHECKING:
    from memtriage.core.memory import Memory
    from memtriage.systems.adapted import Adapted

System = Annotated[
    str,
    typer.Argument(
        help="A name, file.py:Class, module:Class, proc:…, mcp:… or http:….", autocompletion=completion.systems
    ),
]


@command(app)
def check(
    system: System,
    internal: Internal = None,
    embed: Embed = None,
    sessions: Annotated[int, typer.Option(min=3, help="How many small conversations to store.")] = 24,
    call_timeout: CallTimeout = None,
    max_cost: MaxCost = None,
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Check in a few minutes whether a system works with memtriage."""
    from memtriage import api
    from memtriage.report.terminal import commands

    limits = limits_of(32, max_cost, None, cache, no_cache, pass_env=pass_env, call_timeout=call_timeout)
    with redirect_stdout(sys.stderr):
        found = api.check(system, internal=internal, embed=embed, sessions=sessions, limits=limits)
    commands.checks(system, found.checks, as_json, open_console())
    if not found.fits:
        raise typer.Exit(FAILED)


@command(app)
def chat(
    system: Annotated[str, typer.Option(help="The memory to talk to.", autocompletion=completion.systems)] = "bm25",
    answer: Annotated[str | None, typer.Option(help="A model that answers from the retrieved memories.")] = None,
    internal: Internal = None,
    embed: Embed = None,
    k: Annotated[int, typer.Option(min=1, help="How many memories to retrieve.")] = 5,
    max_cost: MaxCost = None,
    pass_env: PassEnv = None,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Chat with a memory, and see what it retrieves and stores, turn by turn."""
    from memtriage.pipeline.one_system import models_open, system_with_models
    from memtriage.report.terminal import conversation as page
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.runner.conversation import MemoryChat

    console = open_console()
    with (
        models_open(limits_of(32, max_cost, None, cache, no_cache, pass_env=pass_env)),
        _open_answerer(answer, max_cost, cache, no_cache) as answerer,
    ):
        with redirect_stdout(sys.stderr):
            built = system_with_models(system, internal, embed).build()
        try:
            printed = _print_notices(system, built)
            session = MemoryChat(built, k, answerer)
            for message in _read_lines(f"{system}: say something; an empty line or Ctrl-D ends it"):
                try:
                    with redirect_stdout(sys.stderr):
                        exchange = session.say(message)
                except MemtriageError as error:
                    say(f"error: {error}")
                    continue
                except Exception as error:  # other people's code may raise anything; the chat goes on
                    say(f"error: {type(error).__name__}: {error}")
                    continue
                if as_json:
                    print_json(page.exchange_json(exchange), indent=None)
                else:
                    page.print_exchange(exchange, console)
            _print_notices(system, built, printed)
        finally:
            built.close()


def _print_notices(system: str, built: Adapted, printed: Collection[str] = ()) -> tuple[str, ...]:
    """Print the notices of a system that were not printed yet; some only come up once its model was asked."""
    notices = built.notices()
    for notice in notices:
        if notice not in printed:
            say(f"note: {system}: {notice}")
    return notices


@contextmanager
def _open_answerer(
    model: str | None, max_cost: float | None, cache: Any, no_cache: bool
) -> Iterator[Callable[[str, Sequence[Memory]], str] | None]:
    from datetime import UTC, datetime

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

        def answer(message: str, memories: Sequence[Memory]) -> str:
            probe = Probe("chat", message, "", ())
            shown, dates = [(memory.id, memory.text) for memory in memories], {m.id: m.created_at for m in memories}
            call, labels = answer_call(probe, shown, dates=dates, until=datetime.now(UTC).isoformat())
            return read_answer(probe, models.runner.run(client.ask(call)), labels)[0]

        yield answer


def _read_lines(prompt: str) -> Iterator[str]:
    """The lines that are typed or piped in."""
    if sys.stdin.isatty():
        say(prompt)
    while True:
        if sys.stdin.isatty():
            typer.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line.strip():
            return
        yield line.strip()
