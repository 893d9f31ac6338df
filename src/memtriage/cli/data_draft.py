"""The command `data draft`: a model proposes questions about chats, a person decides."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtriage.cli.app import (
    CacheFile,
    Concurrency,
    MaxCost,
    NoCache,
    Quiet,
    command,
    limits_of,
    open_console,
    say,
)
from memtriage.cli.data import Redact, RedactWord, data_app, redactor_of, say_redacted
from memtriage.core.errors import BadInput
from memtriage.host.shell import shell_word

if TYPE_CHECKING:
    from memtriage.config import Limits
    from memtriage.suites.own.drafting import Draft, Proposal


@command(data_app)
def draft(
    path: Annotated[Path, typer.Argument(help="Chats: a suite file, or logs with --from.")],
    model: Annotated[str, typer.Option(help="The model that proposes: openai/gpt-5-mini, http://host/v1#model.")],
    out: Annotated[Path, typer.Option(help="The suite file to write: my.yaml, my.json or my.jsonl.")],
    source: Annotated[
        str | None, typer.Option("--from", help="The format of the logs: sharegpt, openai, langchain, …")
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help="How many questions to propose.")] = 20,
    yes: Annotated[bool, typer.Option("--yes", help="Accept all proposals that pass the checks.")] = False,
    redact: Redact = False,
    redact_word: RedactWord = None,
    max_cost: MaxCost = None,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> None:
    """Have a model propose questions and facts from chats; accept, edit or reject each in the terminal."""
    from memtriage.suites.kit.datasets import write_file
    from memtriage.suites.own.drafting import read_chats
    from memtriage.suites.own.suite import suite_name
    from memtriage.suites.own.writing import refuse_existing, written

    refuse_existing(out)
    stores = read_chats(path, source)
    redactor = redactor_of(redact, redact_word)
    if redactor is not None:
        stores = redactor.stores(stores)
        say_redacted(redactor)
    proposed = _proposed(stores, questions, model, limits_of(concurrency, max_cost, None, cache, no_cache), quiet)
    for problem, count in proposed.problems.most_common(10):
        say(f"turned down: {count} x {problem}")
    if not proposed.proposals:
        raise BadInput(
            f"{model} proposed no question that passes the checks; try another model, or write them yourself"
        )
    accepted = proposed.proposals if yes else list(_reviewed(proposed))
    if not accepted:
        raise BadInput("no question was accepted, so nothing was written")
    write_file(out, written(out, proposed.file(suite_name(out), accepted)))
    typer.echo(f"{out}: {len(accepted)} of {len(proposed.proposals)} proposed questions")
    typer.echo(f"check it with: memtriage data validate {shell_word(out)}")
    typer.echo(f"use it with:   memtriage run --suite {shell_word(out)}")


def _proposed(stores: Sequence[dict[str, object]], wanted: int, model: str, limits: Limits, quiet: bool) -> Draft:
    """Ask the model, and print the bill."""
    from memtriage.config import Grading
    from memtriage.pipeline.models import open_models
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.progress import fraction_bar
    from memtriage.suites.own import drafting

    with fraction_bar("drafting", quiet) as step, open_models(Grading(answer=model), limits) as models:
        assert models.answer is not None  # as it was named
        try:
            return models.runner.run(drafting.draft(stores, wanted, models.answer, step))
        finally:  # what was turned down was paid for, too
            commands.cost(models.ledger.snapshot(), open_console(stderr=True), quiet=True)


def _reviewed(proposed: Draft) -> Iterator[Proposal]:
    """The proposals that a person accepts, some of them edited."""
    from memtriage.suites.own.drafting import flaws

    number, total = 0, len(proposed.proposals)
    while number < total:
        proposal = proposed.proposals[number]
        _show(proposal, number + 1, total)
        match (_answer("accept, edit, reject or quit (a/e/r/q)> ") or "q").lower()[:1]:
            case "a":
                yield proposal
                number += 1
            case "r":
                number += 1
            case "q":
                return
            case "e":
                question = _answer("question (empty: as it is)> ") or proposal.question
                answer = proposal.answer
                if not proposal.declined:
                    answer = _answer("answer (empty: as it is)> ") or proposal.answer
                edited = proposal.edited(question, answer)
                problems = list(flaws(edited, proposed.stores[proposal.store]))
                for problem in problems:
                    say(f"  {problem}")
                if not problems:
                    yield edited
                    number += 1


def _show(proposal: Proposal, number: int, total: int) -> None:
    say(f"\n{number} of {total}  {proposal.kind}")
    say(f"  question: {proposal.question}")
    say(f"  answer:   {'(to be declined)' if proposal.declined else proposal.answer}")
    for fact, label in [(f, "because") for f in proposal.facts] + [(f, "before") for f in proposal.old]:
        say(f"  {label}:  {fact['evidence']}  [{' | '.join(fact['details'])}]  (session {fact['session']})")


def _answer(prompt: str) -> str:
    """A line that was typed; empty at the end of input."""
    typer.echo(prompt, err=True, nl=False)
    return sys.stdin.readline().strip()
