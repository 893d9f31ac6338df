"""Finds questions that a model answers correctly with an empty memory, and that say nothing about memory systems.

A model is asked every question without any memories, in an ordinary run of the system `none`. Its answers are graded by
themselves, whatever was not retrieved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from memtriage.config import Grading, Limits, RunConfig, model_label
from memtriage.core.chat import ChatModel
from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput
from memtriage.core.trace import Answer
from memtriage.host.files import write_inside
from memtriage.host.temporary import TemporaryFolder
from memtriage.pipeline.dry_run import estimate_judging, estimate_run
from memtriage.pipeline.estimate import Estimate
from memtriage.pipeline.models import check_models, open_models
from memtriage.pipeline.run import run as begin
from memtriage.pipeline.run import run_or_resume
from memtriage.record.manifest import hold
from memtriage.record.reader import RunReader
from memtriage.runner.watcher import Watcher
from memtriage.validate.leaks import LeakProbe, LeakRow, graded_by_words, judged, leak_row, with_outcomes

SYSTEM = "none"
FILE = "leaks.json"
IDS = "leaks.tsv"
SCHEMA = "memtriage.leaks/1"

_OPEN = "words alone don't settle it; name a model with --judge"
_DUMMY = "As far as I can tell it was the second of the two, some time in the spring, though I would not swear to it."
"""Replaces answers in estimates."""


@dataclass(frozen=True, slots=True)
class Leaks:
    """A suite's questions as one model answered them with an empty memory, and their run."""

    path: Path
    suites: tuple[str, ...]
    answered_by: str
    judged_by: str
    asked: tuple[LeakProbe, ...]
    stopped: str | None = None
    cost: Mapping[str, Any] | None = None

    @property
    def flagged(self) -> list[LeakProbe]:
        """The questions that were answered correctly."""
        return [each for each in self.asked if each.flagged]

    @property
    def errors(self) -> int:
        """How many could not be answered or judged because of an error."""
        return sum(each.error is not None for each in self.asked)

    def rows(self) -> list[LeakRow]:
        """A row for each task, in the order of the suite."""
        tasks = dict.fromkeys(each.task for each in self.asked)
        return [leak_row(task, [each for each in self.asked if each.task == task]) for task in tasks]


def leaks(
    suite: str | Sequence[str],
    *,
    answer: str,
    judge: str | None = None,
    seed: int = 42,
    rows: int | None = None,
    data: str | Path | None = None,
    options: Mapping[str, str] | None = None,
    reading: str | None = None,
    out: str | Path | None = None,
    retry_errors: bool = False,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
    command: str | None = None,
) -> Leaks:
    """Ask a model every question of a suite with an empty memory, and flag those it answers correctly.

    The run is kept in `out`, by default a folder below `runs/` named after suite and model; the same call continues it.
    Without a judge, only answers with letters and those graded by words are graded.

    >>> found = leaks("memfail/long-hop", answer="openai/gpt-5-mini")  # doctest: +SKIP
    >>> [each.probe for each in found.flagged]  # doctest: +SKIP
    """
    config = _config(suite, answer, seed, rows, data, options, reading, limits, command)
    check_models(Grading(answer, judge or ""), config.limits)
    path = Path(out) if out is not None else default_path(config.suites, answer)
    run = run_or_resume(path, config, watcher, retry_errors)
    with run.reader as reader:
        found, stopped = _graded(reader, model_label(answer), judge, config.limits, run.stopped)
    leaks = Leaks(path, config.suites, model_label(answer), model_label(judge or ""), tuple(found), stopped, run.cost)
    write_inside(path, FILE, (json.dumps(leaks_json(leaks), indent=2, ensure_ascii=False) + "\n").encode())
    return leaks


def dry_run(
    suite: str | Sequence[str],
    *,
    answer: str,
    judge: str | None = None,
    seed: int = 42,
    rows: int | None = None,
    data: str | Path | None = None,
    options: Mapping[str, str] | None = None,
    reading: str | None = None,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> Estimate:
    """An estimate of the model calls and their cost; no model is asked."""
    config = _config(suite, answer, seed, rows, data, options, reading, limits, None)
    free = replace(config.limits, use_cache=False, max_cost=None)
    with TemporaryFolder() as folder:
        path = folder / "run"
        run = begin(replace(config, grading=Grading(), limits=free), path, watcher)
        found = estimate_run(path, config.grading, config.limits)
        if judge is None:
            return found
        with run.reader as reader:
            more = _estimate(reader, judge, config.limits)
    assumptions = dict.fromkeys((*found.assumptions, *more.assumptions))
    return replace(found, stages=(*found.stages, *more.stages), assumptions=tuple(assumptions))


def default_path(suites: Sequence[str], answer: str) -> Path:
    """The default path of the run."""
    name = re.sub(r"[^a-z0-9.]+", "-", "-".join(["leaks", *suites, model_label(answer)]).lower()).strip("-.")
    return Path("runs") / name


def ids_text(found: Leaks) -> str:
    """The flagged questions, one line each: episode and probe."""
    return "".join(f"{each.episode}\t{each.probe}\n" for each in found.flagged)


def leaks_json(found: Leaks) -> dict[str, Any]:
    """The results, in a stable schema."""
    return {
        "schema": SCHEMA,
        "suites": list(found.suites),
        "answered_by": found.answered_by,
        "judged_by": found.judged_by or None,
        "run": str(found.path),
        "questions": len(found.asked),
        "flagged": len(found.flagged),
        "stopped": found.stopped,
        "rows": [asdict(row) for row in found.rows()],
        "probes": [asdict(each) for each in found.flagged],
    }


def _config(
    suite: str | Sequence[str],
    answer: str,
    seed: int,
    rows: int | None,
    data: str | Path | None,
    options: Mapping[str, str] | None,
    reading: str | None,
    limits: Limits | None,
    command: str | None,
) -> RunConfig:
    if not answer:
        raise BadInput("no model to ask; name one with --answer, as in openai/gpt-5-mini")
    asked = {"suite": suite, "seed": seed, "rows": rows, "data": data, "options": options}
    read = {"answer": answer, "reading": reading}
    return RunConfig.of(SYSTEM, **asked, **read, k=1, looks=0, limits=limits, command=command)  # type: ignore[arg-type]


# ------------------------------------------------------------------ grading


def _graded(
    reader: RunReader, model: str, judge: str | None, limits: Limits, stopped: str | None
) -> tuple[list[LeakProbe], str | None]:
    """All questions with their grades, and what stopped the work, if anything; no judge is asked if the run stopped."""
    found, waiting = graded_by_words(_answered(reader, model))
    if judge is None:
        for one in waiting:
            found[one.place] = replace(found[one.place], why=_OPEN)
    if judge is None or not waiting:
        return found, stopped
    if stopped is not None:
        return with_outcomes(found, waiting, {}), stopped
    with hold(reader.path), open_models(Grading(judge=judge), limits, bill=reader.path) as models:
        assert models.judge is not None  # one was named
        outcomes = models.runner.run(judged(waiting, models.judge, 4 * limits.concurrency))
    return with_outcomes(found, waiting, outcomes), models.ledger.stopped


def _answered(reader: RunReader, model: str | None) -> Iterator[tuple[Episode, Probe, LeakProbe]]:
    """All questions of the run with the model's answers; without a model, with a stand-in."""
    for unit in reader.units:
        episode = reader.episode(unit[1])
        answers = {probe: one for (probe, _, _), one in reader.answers(unit, model or "").items()}
        for probe in episode.probes:
            asked = LeakProbe(
                task=probe.task or episode.task,
                episode=episode.id,
                probe=probe.id,
                question=probe.text,
                gold=probe.gold,
                options=len(probe.choices) if probe.scoring != "titles" else 0,
                cluster=probe.cluster,
                declining=probe.scoring == "abstain",
            )
            yield episode, probe, replace(asked, answer=_DUMMY) if model is None else _with_answer(asked, answers)


def _with_answer(asked: LeakProbe, answers: Mapping[str, Answer]) -> LeakProbe:
    answer = answers.get(asked.probe)
    if answer is None:
        return replace(asked, error="it was not answered: the run stopped before")
    if answer.error is not None:
        return replace(asked, error=f"no answer: {answer.error}")
    return replace(asked, answer=answer.text)


def _estimate(reader: RunReader, judge: str, limits: Limits) -> Estimate:
    """The estimate of judging, with a stand-in for every answer."""
    _, waiting = graded_by_words(_answered(reader, None))

    def work(model: ChatModel) -> Awaitable[object]:
        return judged(waiting, model, 1)

    return estimate_judging(judge, work, limits)
