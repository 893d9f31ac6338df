"""The command `calibrate`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli.app import (
    FAILED,
    AsJson,
    CacheFile,
    Concurrency,
    Data,
    MaxCost,
    MaxErrors,
    NoCache,
    PaperExact,
    Patience,
    Quiet,
    app,
    bar,
    command,
    limits_of,
    open_console,
    say,
    say_reasons,
)
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput, chosen, unknown

if TYPE_CHECKING:
    from memtriage.config import Limits
    from memtriage.core.episode import Episode
    from memtriage.core.suite import Request, Task
    from memtriage.validate.calibrate import Calibration
    from memtriage.validate.calibrate_pairs import Pair, PairsCalibration
    from memtriage.validate.planted_memories import StyleChoice
    from memtriage.validate.planted_rewritings import Told


@command(app)
def calibrate(
    suite: Annotated[list[str], typer.Option(help="Suites or tasks to plant faults in.")] = ["memfail"],  # noqa: B006
    rate: Annotated[float, typer.Option(min=0.01, max=1.0, help="Share of probes that get a fault.")] = 0.5,
    seed: Annotated[int, typer.Option(help="Seed of rows and faults.")] = 42,
    rows: Annotated[int | None, typer.Option(min=1, help="Rows per task; with --rewritten, facts.")] = None,
    data: Data = None,
    granularity: Annotated[str, typer.Option(help="How the perfect memory splits what it stores.")] = "turn",
    style: Annotated[
        list[str] | None,
        typer.Option(
            help="Also plant in memories rewritten like this (default: all styles; mixed for a judge), or none."
        ),
    ] = None,
    rewritten: Annotated[
        bool, typer.Option("--rewritten", help="Test on pairs of a fact and a rewritten memory, labelled one by one.")
    ] = False,
    answers: Annotated[
        Path | None,
        typer.Option(help="With --rewritten: score an outside detector's answers, JSON lines of id, label."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="With --rewritten: write the pairs without their labels, to be answered.")
    ] = None,
    language: Annotated[
        str, typer.Option(help="Language of generated rows, or with --rewritten of the pairs: en, de, zh.")
    ] = "en",
    judge: Annotated[str | None, typer.Option(help="Calibrate this judge instead of the lexical detector.")] = None,
    per_kind: Annotated[int, typer.Option(min=1, help="With --judge: planted answers of each kind per task.")] = 20,
    memories: Annotated[
        int, typer.Option(min=0, help="With --judge: planted false memories, and true ones, of each kind per task.")
    ] = 4,
    part: Annotated[
        list[str] | None,
        typer.Option(help="With --judge: only test faults, answers or memories (default: all)."),
    ] = None,
    paper_exact: PaperExact = False,
    max_cost: MaxCost = None,
    max_errors: MaxErrors = None,
    patience: Patience = PATIENCE,
    concurrency: Concurrency = 32,
    cache: CacheFile = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Measure the diagnosis itself on planted faults or rewritten memories: coverage, risk, confusion, kappa."""
    from memtriage import registry
    from memtriage.core.suite import Request
    from memtriage.validate.calibrate import calibrate as measure
    from memtriage.validate.calibrate_judge import PARTS

    limits = limits_of(concurrency, max_cost, max_errors, cache, no_cache, patience=patience)
    if (answers or export) and not rewritten:
        raise BadInput("--answers and --export go with --rewritten")
    parts = [chosen("--part", name, PARTS) for name in part or PARTS]
    if part and (rewritten or judge is None):
        raise BadInput("--part goes with --judge, and not with --rewritten")
    if rewritten:
        _calibrate_on_pairs(rows, seed, language, answers, export, judge, paper_exact, limits, quiet, as_json)
        return
    if language != "en" and (judge is not None or style):
        raise BadInput(
            "answers are altered and memories rewritten in English alone; leave out --judge and --style, "
            f"or test on pairs that people wrote: --rewritten --language {language}"
        )
    styles = _styles(style, "none" if language != "en" else "all" if judge is None else "mixed")
    request = Request(seed, rows, data, {"language": language} if language != "en" else {})
    tasks = [task for name in suite for task in registry.tasks(name)[1]]
    with bar("planting faults", len(tasks), quiet or as_json) as step:
        episodes = (episode for task in tasks for episode in task.load(request).episodes)
        strangers = _strangers(tasks, replace(request, seed=seed + 1))
        if judge is None:
            known = strangers if language == "en" else None
            result = measure(episodes, rate, seed, granularity, done=step, styles=styles, strangers=known)
        else:
            planting = {"rate": rate, "seed": seed, "per_kind": per_kind, "granularity": granularity, "styles": styles}
            planting |= {"memories": memories, "strangers": strangers, "parts": parts, "paper_exact": paper_exact}
            judged = _calibrate_judge(episodes, judge, limits, planting, step)
    if judge is None:
        _print_calibration(result, as_json)
    else:
        _print_judge_calibration(judged, as_json)


def _strangers(tasks: Sequence[Task], request: Request) -> Callable[[Episode], Sequence[Told]]:
    """Gives the facts of an episode of the same task that was generated with another seed."""
    from memtriage.validate.planted_memories import tellings

    by_name = {task.name: task for task in tasks}

    @once
    def facts(task: str) -> Sequence[Told]:
        other = next(iter(by_name[task].load(request).episodes), None) if task in by_name else None
        return [told for _, told in tellings(other)] if other else []

    return lambda episode: facts(episode.task)


def _calibrate_on_pairs(
    facts: int | None,
    seed: int,
    language: str,
    answers: Path | None,
    export: Path | None,
    judge: str | None,
    paper_exact: bool,
    limits: Limits,
    quiet: bool,
    as_json: bool,
) -> None:
    from memtriage.report.terminal import calibration as page
    from memtriage.report.terminal.machine_readable import print_json
    from memtriage.validate import calibrate_pairs as testing

    if sum(option is not None for option in (answers, export, judge)) > 1:
        raise BadInput("--answers, --export and --judge are three different things to do; give one of them")
    pairs = testing.of_some_facts(testing.shipped_pairs(language), facts, seed)
    if export is not None:
        lines = (json.dumps(question, ensure_ascii=False) + "\n" for question in testing.questions(pairs))
        export.write_text("".join(lines), encoding="utf-8")
        example = json.dumps({"id": pairs[0].id, "label": "states"})
        typer.echo(f"{export}: {len(pairs)} pairs; answer each with a line such as {example}")
        return
    if answers is not None:
        result = testing.score_answers(pairs, answers)
    elif judge is not None:
        result = _judge_pairs(pairs, judge, paper_exact, limits, quiet or as_json)
    else:
        result = testing.calibrate_pairs(pairs)
    if as_json:
        print_json(page.pairs_json(result))
    else:
        page.print_pairs(result, open_console())
    if result.errors:
        say(f"error: {result.scores[0].strict.errors} pairs could not be judged")
        say_reasons(Counter(result.errors), limit=None)
        raise typer.Exit(FAILED)


def _judge_pairs(pairs: list[Pair], judge: str, paper_exact: bool, limits: Limits, quiet: bool) -> PairsCalibration:
    from memtriage.config import Grading
    from memtriage.pipeline.models import open_models
    from memtriage.validate.calibrate_pairs import calibrate_judge_on_pairs

    with open_models(Grading(judge=judge), limits) as models, bar("judging pairs", len(pairs), quiet) as step:
        assert models.judge is not None  # one was named
        return models.runner.run(calibrate_judge_on_pairs(pairs, models.judge, paper_exact=paper_exact, done=step))


def _print_calibration(result: Calibration, as_json: bool) -> None:
    from memtriage.report.terminal import commands

    if as_json:
        typer.echo(json.dumps(commands.calibration_json(result), indent=2))
    else:
        commands.calibration(result, open_console())


def _styles(named: list[str] | None, usual: str) -> Sequence[StyleChoice]:
    """The styles of rewritten memories that were asked for."""
    from memtriage.validate.planted_memories import STYLE_CHOICES
    from memtriage.validate.planted_rewritings import STYLES

    asked = [name for text in named or [usual] for name in text.split(",")]
    for name in asked:
        if name not in (*STYLE_CHOICES, "all", "none"):
            raise BadInput(unknown("style", name, [*STYLE_CHOICES, "all", "none"]))
    if "all" in asked:
        return STYLES
    return [style for style in STYLE_CHOICES if style in asked]


def _calibrate_judge(
    episodes: Iterable[Any], judge: str, limits: Limits, planting: Mapping[str, Any], step: Callable[[], None]
) -> Any:
    from memtriage.config import Grading
    from memtriage.pipeline.models import open_models
    from memtriage.validate.calibrate_judge import calibrate_judge

    with open_models(Grading(judge=judge), limits) as models:
        assert models.judge is not None  # one was named
        return models.runner.run(calibrate_judge(episodes, models.judge, **planting, done=step))


def _print_judge_calibration(result: Any, as_json: bool) -> None:
    from memtriage.report.terminal import audit as page
    from memtriage.report.terminal.machine_readable import print_json

    if as_json:
        print_json(page.judge_calibration_json(result))
    else:
        page.print_judge_calibration(result, open_console())
    if result.errors:
        say(f"error: {result.errors} facts, answers or memories could not be judged")
        raise typer.Exit(FAILED)
