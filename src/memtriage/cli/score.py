"""The commands `score`, which grades answers from another harness, and `agree`, which tests who grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Concurrency,
    DryRun,
    MaxCost,
    MaxErrors,
    NoCache,
    Patience,
    Quiet,
    app,
    bar,
    command,
    limits_of,
    open_console,
    parse_one_k,
    say,
    say_reasons,
)
from memtriage.core.amount import K
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput, unknown

if TYPE_CHECKING:
    from memtriage.core.handed_in import AnswerSheet
    from memtriage.core.suite import Suite
    from memtriage.studies.score_answers import Errata, Scored

_PROBLEMS = 20


@command(app)
def score(
    suite: Annotated[str, typer.Argument(help="The suite: locomo, longmemeval, memoryagentbench or talk.")],
    answers: Annotated[
        Path,
        typer.Argument(help="Ids and answers as JSON lines, a JSON list or a table of two columns; or a run."),
    ],
    data: Annotated[Path | None, typer.Option(help="The data with the questions; a run directory has its own.")] = None,
    system: Annotated[str | None, typer.Option(help="Of a run directory: whose answers.")] = None,
    k: Annotated[
        str | None, typer.Option(help="Of a run directory: the answers at which k: 5, native, or 500t for 500 tokens.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="A model that grades; without one, words alone grade what they can.")
    ] = None,
    errata: Annotated[str, typer.Option(help="Correct known mistakes in gold answers: on, off or both.")] = "both",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the log and score.json (default: beside ANSWERS).")
    ] = None,
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
    """Grade answers by a suite's official rules: from another harness, such as a hypothesis file, or from a run."""
    from memtriage.studies import score_answers as scoring

    chosen = _suite(suite)
    golds = _parse_errata(errata)
    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    sheet = _read(chosen, answers, data, system, parse_one_k(k))
    _print_problems(sheet.problems)
    if not sheet.given:
        raise BadInput(f"none of the answers in {answers} is to a question of {data or 'the run'}")
    if dry_run:
        if judge is None:
            raise BadInput("--dry-run says what a judge would take; name one with --judge")
        from memtriage.report.terminal import commands

        commands.estimate(scoring.estimate_score(chosen, sheet, judge, golds, limits), as_json, open_console())
        return
    with bar("grading", len(sheet.given), quiet or as_json or judge is None) as step:
        found = scoring.score(chosen, sheet, judge=judge, errata=golds, limits=limits, done=step)
    name = "-".join(map(str, (answers.resolve().name, *(part for part in (system, k) if part is not None))))
    written = [scoring.write_log((out or answers.parent) / scoring.log_name(name, found), chosen, found)]
    _print(found, out, written, quiet, as_json)
    _finish(found)


@command(app)
def agree(
    suite: Annotated[str, typer.Argument(help="The suite: locomo, longmemeval, memoryagentbench or talk.")],
    labelled: Annotated[
        Path, typer.Argument(help="JSON lines with question_id, hypothesis, label (true or false) and perhaps model.")
    ],
    data: Annotated[Path, typer.Option(help="The data with the questions.")],
    judge: Annotated[
        list[str] | None, typer.Option(help="A model that grades; repeat it to compare judges. Without one, words do.")
    ] = None,
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
    """Test judges on answers that people labelled: how far they agree, by type of question, and with each other."""
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.agreement import print_agreement
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.studies import judge_agreement as agreement
    from memtriage.studies.score_answers import estimate_score

    chosen, judges = _suite(suite), list(dict.fromkeys(judge or ()))
    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    sheet = agreement.read_labelled(chosen, labelled, data)
    _print_problems(sheet.problems)
    if not sheet.labelled:
        raise BadInput(f"{labelled} holds no labelled answer to a question of {data}")
    given = agreement.answer_sheet(sheet)
    if dry_run:
        if not judges:
            raise BadInput("--dry-run says what judges would take; name one with --judge")
        for name in judges:
            commands.estimate(estimate_score(chosen, given, name, "off", limits), as_json, open_console())
        return
    with bar("grading", len(given.given) * max(1, len(judges)), quiet or as_json or not judges) as step:
        found = agreement.agree(chosen, sheet, judges, limits=limits, done=step)
    if as_json:
        print_json(agreement.agreement_json(found))
    else:
        print_agreement(found, open_console())
        for scored in found.scored.values():
            if scored.cost and scored.cost["roles"]:
                commands.cost(scored.cost, open_console(), quiet)
    for scored in found.scored.values():
        _say_failures(scored)
    if sheet.problems:
        say(f"error: {len(sheet.problems)} problems in the files, named above; the rest was compared")
    if found.stopped or found.errors or sheet.problems:
        raise typer.Exit(FAILED)


def _print(found: Scored, out: Path | None, written: list[Path], quiet: bool, as_json: bool) -> None:
    from memtriage.host.files import write_whole
    from memtriage.report.terminal import commands
    from memtriage.report.terminal.handed_in import print_scored
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.studies.score_answers import score_json

    text = json.dumps(score_json(found), indent=2, ensure_ascii=False)
    if out is not None:
        write_whole(out / "score.json", (text + "\n").encode("utf-8", "replace"))
        written.append(out / "score.json")
    if as_json:
        print_json(score_json(found))
        return
    print_scored(found, open_console())
    if found.cost and found.cost["roles"]:
        commands.cost(found.cost, open_console(), quiet)
    for path in () if quiet else written:
        say(f"wrote {path}")


def _finish(found: Scored) -> None:
    _say_failures(found)
    if found.sheet.problems:
        say(f"error: {len(found.sheet.problems)} problems in the files, named above; the rest was graded")
    if found.open:
        say(f"incomplete: {found.open} of {len(found.sheet.given)} answers are undecided; --judge MODEL grades them")
    if found.stopped or found.errors or found.sheet.problems or found.open:
        raise typer.Exit(FAILED)


def _say_failures(found: Scored) -> None:
    from collections import Counter

    if found.stopped:
        why = found.stopped.removeprefix("budget: ").removeprefix("stopped ")
        say(f"stopped: {why}; what was graded is in the cache, and the same command goes on")
    if found.errors:
        say(f"error: {found.errors} answers could not be graded")
        say_reasons(Counter(mark.error for mark in found.failed))


def _read(suite: Suite, answers: Path, data: Path | None, system: str | None, k: K | None) -> AnswerSheet:
    """The answers of a file or a run, with their questions."""
    from memtriage.studies.score_answers import read_run

    if (answers / "run.json").is_file():
        if data is not None:
            raise BadInput(f"{answers} is a run, which has its own questions; leave out --data")
        return read_run(suite, answers, system, k)
    if system is not None or k is not None:
        raise BadInput(f"--system and --k choose among the answers of a run, and {answers} is none")
    if data is None:
        raise BadInput(
            f"give the questions that {answers} answers with --data, or a run directory in place of the file"
        )
    assert suite.scorer is not None  # _suite refuses others
    return suite.scorer.read(answers, data)


def _print_problems(problems: tuple[str, ...]) -> None:
    for problem in problems[:_PROBLEMS]:
        say(f"error: {problem}")
    if len(problems) > _PROBLEMS:
        say(f"error: and {len(problems) - _PROBLEMS} more")


def _suite(name: str) -> Suite:
    """The suite of this name, if it can grade answers."""
    from memtriage import registry

    suite = registry.suite(name)
    if suite.scorer is None:
        raise BadInput(f"suite {name} has no format for answers that were given elsewhere; put systems to the test")
    return suite


def _parse_errata(text: str) -> Errata:
    from memtriage.studies.score_answers import Errata

    for known in get_args(Errata):
        if text == known:
            chosen: Errata = known
            return chosen
    raise BadInput(unknown("--errata", text, get_args(Errata)))
