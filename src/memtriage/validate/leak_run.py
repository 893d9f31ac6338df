"""Which questions a model answers rightly with an empty memory: these say nothing about any memory system.

Every question is asked of a model that is shown no memories at all, in an ordinary run of the system `none`. Its
answers are graded as those of any run, but each by itself: whatever was not retrieved, a right answer is right.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.chat import ChatModel
from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput
from memtriage.core.trace import Answer
from memtriage.host.files import write_whole
from memtriage.pipeline.grading import Grading, Means, bill, estimate_judging, estimate_run, label, models, ready
from memtriage.record.directory import RunReader
from memtriage.runner.reading import reading_of
from memtriage.runner.store_life import Watcher
from memtriage.studies import study as studies
from memtriage.validate.leaks import Asked, LeakRow, graded_by_words, judged, leak_row, with_outcomes

if TYPE_CHECKING:
    from memtriage.pipeline.estimate import Estimate

SYSTEM = "none"
FILE = "leaks.json"
IDS = "leaks.tsv"
SCHEMA = "memtriage.validate.leak_run/1"

_OPEN = "words alone don't settle it; name a model with --judge"
_LIKELY = "As far as I can tell it was the second of the two, some time in the spring, though I would not swear to it."
"""Stands for an answer where nobody has answered yet."""


@dataclass(frozen=True, slots=True)
class Leaks:
    """A suite's questions as one model answered them with an empty memory, and the run that holds it all."""

    path: Path
    suites: tuple[str, ...]
    answered_by: str
    judged_by: str
    asked: tuple[Asked, ...]
    stopped: str | None = None
    cost: Mapping[str, Any] | None = None

    @property
    def flagged(self) -> list[Asked]:
        """The questions that were answered rightly."""
        return [each for each in self.asked if each.flagged]

    @property
    def errors(self) -> int:
        """How many could not be answered or judged because something went wrong."""
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
    means: Means | None = None,
    watcher: Watcher | None = None,
    command: str | None = None,
) -> Leaks:
    """Ask a model every question of a suite with an empty memory, and flag what it answers rightly.

    The run is kept in `out`, by default in a folder below `runs/` named by suite and model: the same call again goes on
    where it stopped. Without a judge, only lettered answers and those that words grade are graded.

    >>> found = leaks("memfail/long-hop", answer="openai/gpt-5-mini")  # doctest: +SKIP
    >>> [each.probe for each in found.flagged]  # doctest: +SKIP
    """
    suites = (suite,) if isinstance(suite, str) else tuple(suite)
    means = means or Means()
    settings = _settings(suites, answer, seed, rows, data, options, reading)
    ready(Grading(answer, judge or ""), means)
    path = Path(out) if out is not None else default_path(suites, answer)
    before = _spent(path)
    spec = plugins.system(SYSTEM)
    run = studies.made(path, [spec], settings, means, watcher or Watcher(), retry_errors, command)
    if means.max_cost is not None:
        means = replace(means, max_cost=max(Decimal(0), means.max_cost - (_spent(path) - before)))
    with RunReader(path) as reader:
        found, stopped = _graded(path, reader, label(answer), judge, means, run.stopped)
    told = Leaks(path, suites, label(answer), label(judge or ""), tuple(found), stopped, run.cost)
    write_whole(path / FILE, (json.dumps(leaks_json(told), indent=2, ensure_ascii=False) + "\n").encode())
    return told


def dry_run(
    suite: str | Sequence[str], *, answer: str, judge: str | None = None, means: Means | None = None, **wanted: Any
) -> Estimate:
    """What it would take of the models; nothing is asked."""
    suites = (suite,) if isinstance(suite, str) else tuple(suite)
    means = means or Means()
    watcher = wanted.pop("watcher", None)
    for idle in ("out", "retry_errors", "command"):
        wanted.pop(idle, None)
    named = {"seed": 42, "rows": None, "data": None, "options": None, "reading": None} | wanted
    settings = _settings(suites, answer, **named)
    reading = reading_of(settings.pop("reading")) or ""
    settings.pop("answer")
    with tempfile.TemporaryDirectory(prefix="memtriage-") as folder:
        path = Path(folder) / "run"
        api.run(SYSTEM, **settings, out=path, watcher=watcher, means=replace(means, use_cache=False, max_cost=None))
        found = estimate_run(path, Grading(answer, reading=reading), means)
        if judge is None:
            return found
        with RunReader(path) as reader:
            more = _estimate(reader, judge, means)
    told = dict.fromkeys((*found.assumptions, *more.assumptions))
    return replace(found, stages=(*found.stages, *more.stages), assumptions=tuple(told))


def default_path(suites: Sequence[str], answer: str) -> Path:
    """Where the run goes that is given no place."""
    name = re.sub(r"[^a-z0-9.]+", "-", "-".join(["leaks", *suites, label(answer)]).lower()).strip("-.")
    return Path("runs") / name


def ids_text(found: Leaks) -> str:
    """The questions that were flagged, a line each: the episode and the probe."""
    return "".join(f"{each.episode}\t{each.probe}\n" for each in found.flagged)


def leaks_json(found: Leaks) -> dict[str, Any]:
    """What was found, in a stable schema."""
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


def _settings(
    suites: tuple[str, ...],
    answer: str,
    seed: int,
    rows: int | None,
    data: str | Path | None,
    options: Mapping[str, str] | None,
    reading: str | None,
) -> dict[str, Any]:
    if not answer:
        raise BadInput("no model to ask; name one with --answer, as in openai/gpt-5-mini")
    settled = {"suite": suites, "k": (1,), "looks": 0, "repeats": 1, "paper_exact": False, "answer": answer}
    return {**settled, "seed": seed, "rows": rows, "data": data, "options": dict(options or {}), "reading": reading}


# ------------------------------------------------------------------ grading


def _graded(
    path: Path, reader: RunReader, model: str, judge: str | None, means: Means, stopped: str | None
) -> tuple[list[Asked], str | None]:
    """Every question with its grade, and what stopped the work, if anything; no judge is asked after that."""
    found, waiting = graded_by_words(_answered(reader, model))
    if judge is None:
        for one in waiting:
            found[one.place] = replace(found[one.place], why=_OPEN)
    if judge is None or not waiting:
        return found, stopped
    if stopped is not None:
        return with_outcomes(found, waiting, {}), stopped
    with models(Grading(judge=judge), means) as (runner, _, client, ledger):
        assert client is not None  # a judge was named
        outcomes = runner.run(judged(waiting, client, 4 * means.concurrency))
        bill(path, ledger)
    return with_outcomes(found, waiting, outcomes), ledger.stopped


def _answered(reader: RunReader, model: str | None) -> Iterator[tuple[Episode, Probe, Asked]]:
    """Every question of the run with what the model answered; without a model, with a stand-in for an answer."""
    for unit in reader.units:
        episode = reader.episode(unit[1])
        answers = {probe: one for (probe, _, _), one in reader.answers(unit, model or "").items()}
        for probe in episode.probes:
            asked = Asked(
                task=probe.task or episode.task,
                episode=episode.id,
                probe=probe.id,
                question=probe.text,
                gold=probe.gold,
                options=len(probe.choices) if probe.scoring != "titles" else 0,
                cluster=probe.cluster,
                declining=probe.scoring == "abstain",
            )
            yield episode, probe, replace(asked, answer=_LIKELY) if model is None else _told(asked, answers)


def _told(asked: Asked, answers: Mapping[str, Answer]) -> Asked:
    answer = answers.get(asked.probe)
    if answer is None:
        return replace(asked, error="it was not answered: the run stopped before")
    if answer.error is not None:
        return replace(asked, error=f"no answer: {answer.error}")
    return replace(asked, answer=answer.text)


def _estimate(reader: RunReader, judge: str, means: Means) -> Estimate:
    """What judging would take, with a stand-in for every answer."""
    _, waiting = graded_by_words(_answered(reader, None))

    def work(model: ChatModel) -> Awaitable[object]:
        return judged(waiting, model, 1)

    return estimate_judging(judge, work, means)


def _spent(path: Path) -> Decimal:
    file = path / "cost.json"
    return Decimal(str(json.loads(file.read_bytes())["total"]["dollars"])) if file.exists() else Decimal(0)
