"""Grade answers from another harness: with a judge, or without one by words where that is enough."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memtriage.config import Grading, Limits, model_label
from memtriage.core.chat import FATAL, ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Mark, Scorer
from memtriage.core.suite import Suite
from memtriage.diagnose.answers import AnswerGrader
from memtriage.host.files import write_whole
from memtriage.pipeline.dry_run import estimate_judging
from memtriage.pipeline.models import check_models, open_models
from memtriage.tables.handed_in import ScoreLine, lines_of

if TYPE_CHECKING:
    from memtriage.pipeline.estimate import Estimate

Errata = Literal["on", "off", "both"]
Golds = Literal["released", "corrected"]
"""Which gold answers a score uses: those of the data file, or those with known mistakes corrected."""

SCHEMA = "memtriage.score/1"
WORDS = "words"
"""The grader's name where no judge graded."""

_FATAL = frozenset({*FATAL, "budget"})
_NOT_ASKED = "not asked, as grading stopped before"


@dataclass(frozen=True, slots=True)
class Scored:
    """A graded sheet: its marks and score lines for each set of gold answers, and what it cost."""

    suite: str
    sheet: AnswerSheet
    judge: str
    marks: Mapping[Golds, tuple[Mark, ...]]
    lines: Mapping[Golds, tuple[ScoreLine, ...]]
    stopped: str | None = None
    cost: Mapping[str, Any] | None = None

    @property
    def errors(self) -> int:
        """How many answers could not be graded because of an error."""
        return len(self.failed)

    @property
    def failed(self) -> tuple[Mark, ...]:
        """The marks with errors, under any of the gold answers, without duplicates."""
        marks = (mark for found in self.marks.values() for mark in found if mark.error is not None)
        return tuple({mark.given: mark for mark in marks}.values())

    @property
    def open(self) -> int:
        """How many answers words alone could not settle, under the gold answers that leave the most open."""
        return max(sum(mark.right is None and mark.error is None for mark in found) for found in self.marks.values())


def score(
    suite: Suite,
    sheet: AnswerSheet,
    *,
    judge: str | None = None,
    errata: Errata = "both",
    limits: Limits | None = None,
    done: Callable[[], None] = lambda: None,
) -> Scored:
    """Grade a sheet. Without a judge, answers that words can't settle stay open and widen the intervals."""
    wanted = _variants(sheet, errata)
    stopped = cost = None
    if judge is None:
        found = {given: _by_words(suite, given) for given in _distinct(wanted)}
    else:
        grading, limits = Grading(judge=judge), limits or Limits()
        check_models(grading, limits)
        with open_models(grading, limits) as models:
            assert models.judge is not None  # one was named
            found = models.runner.run(_judged(suite, _distinct(wanted), models.judge, 4 * limits.concurrency, done))
            stopped, cost = models.ledger.stopped, models.ledger.snapshot()
    marks = {golds: tuple(found[given] for given in givens) for golds, givens in wanted.items()}
    scorer = _scorer(suite)
    lines = {golds: tuple(lines_of(found, scorer.groups(found))) for golds, found in marks.items()}
    why = stopped or next((m.error for m in found.values() if m.error and m.error.partition(":")[0] in _FATAL), None)
    return Scored(suite.name, sheet, model_label(judge or ""), marks, lines, why, cost)


def estimate_score(suite: Suite, sheet: AnswerSheet, judge: str, errata: Errata, limits: Limits) -> Estimate:
    """Estimate what grading a sheet would cost; nothing is asked."""

    def work(model: ChatModel) -> Awaitable[object]:
        return _judged(suite, _distinct(_variants(sheet, errata)), model, 1, lambda: None)

    return estimate_judging(judge, work, limits)


def _scorer(suite: Suite) -> Scorer:
    if suite.scorer is None:
        raise BadInput(f"suite {suite.name} can't score answers that were given elsewhere")
    return suite.scorer


def _variants(sheet: AnswerSheet, errata: Errata) -> dict[Golds, tuple[GivenAnswer, ...]]:
    """The answers to grade for each set of gold answers; one set only if there is nothing to correct."""
    corrected = tuple(
        GivenAnswer(sheet.corrected.get(given.probe.id, given.probe), given.answer) for given in sheet.given
    )
    both: dict[Golds, tuple[GivenAnswer, ...]] = {"released": sheet.given, "corrected": corrected}
    if errata == "both":
        return both if corrected != sheet.given else {"released": sheet.given}
    golds: Golds = "corrected" if errata == "on" else "released"
    return {golds: both[golds]}


def _distinct(wanted: Mapping[Golds, Sequence[GivenAnswer]]) -> list[GivenAnswer]:
    """All answers to grade; one that is the same under both golds is graded once."""
    return list(dict.fromkeys(given for givens in wanted.values() for given in givens))


def _by_words(suite: Suite, given: GivenAnswer) -> Mark:
    grade = AnswerGrader((given.probe,)).by_scoring(given.probe, given.answer)
    settled = (grade.right, grade.why) if grade else _scorer(suite).by_words(given.probe, given.answer)
    if settled is None:
        return Mark(given, None, "words", "words alone don't settle it")
    return Mark(given, settled[0], "words", settled[1])


async def _judged(
    suite: Suite, givens: Sequence[GivenAnswer], model: ChatModel, limit: int, done: Callable[[], None]
) -> dict[GivenAnswer, Mark]:
    """Grade answers with a judge. An error that every further call would share ends the work."""
    from memtriage.core.rubric import GENERIC
    from memtriage.diagnose.answers import last_stage
    from memtriage.diagnose.judge.prompts import Case
    from memtriage.diagnose.judge.staged import Judge, Unjudged

    judge = Judge(model)
    found: dict[GivenAnswer, Mark] = {}
    queue = iter(givens)
    stopped_early = False

    async def work() -> None:
        nonlocal stopped_early
        for given in queue:
            if stopped_early:
                return
            rules = suite.rubrics.get(given.probe.task, GENERIC)
            stage = last_stage(rules, given.probe)
            if stage is None:
                found[given] = _by_words(suite, given)
                continue
            case = Case((), (), given.probe.text, given.probe.gold, given.answer)
            [outcome] = await judge.grade_answers(stage, [case], rules)
            if isinstance(outcome, Unjudged):
                found[given] = Mark(given, None, "judge", "", outcome.why)
                stopped_early = stopped_early or outcome.why.partition(":")[0] in _FATAL
            else:
                found[given] = Mark(given, outcome.verdict, "judge", outcome.why)
            done()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(max(1, limit)):
            tasks.create_task(work())
    return {given: found.get(given) or Mark(given, None, "judge", "", _NOT_ASKED) for given in givens}


# ------------------------------------------------------------------ what is written


def log_name(answers: Path, scored: Scored) -> str:
    """The name of the log beside a file of answers, as in the official script; each judge has its own."""
    by = scored.judge or WORDS
    return f"{answers.name}.eval-results-{re.sub(r'[^A-Za-z0-9._-]+', '-', by).strip('-.') or 'judge'}"


def write_log(path: Path, suite: Suite, scored: Scored) -> Path:
    """Write the settled answers in the format of the suite's own tools, graded by the first set of golds."""
    marks = next(iter(scored.marks.values()))
    write_whole(path, (_json_line(record) for record in _scorer(suite).log(marks, _judged_by(scored))))
    return path


def _judged_by(scored: Scored) -> str:
    """The judge's model, as the suite's own tools name it."""
    from memtriage.models.spec import ModelSpec

    return ModelSpec.parse(scored.judge).model if scored.judge else WORDS


def _json_line(record: Mapping[str, object]) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def score_json(scored: Scored) -> dict[str, Any]:
    """A score as JSON in a stable schema."""
    sheet = scored.sheet
    return {
        "schema": SCHEMA,
        "suite": scored.suite,
        "judge": scored.judge or None,
        "graded_by": "judge" if scored.judge else WORDS,
        "answers": len(sheet.given),
        "missing": list(sheet.missing),
        "unknown": list(sheet.strangers),
        "problems": list(sheet.problems),
        "errors": scored.errors,
        "open": scored.open,
        "errata": {"version": sheet.errata, "corrected": sorted(_corrected(scored))},
        "stopped": scored.stopped,
        "scores": {golds: [_line_json(line) for line in lines] for golds, lines in scored.lines.items()},
        "answers_graded": [
            {"gold": golds, **_mark_json(mark)}
            for golds, marks in scored.marks.items()
            for mark in marks
            if golds == next(iter(scored.marks)) or mark.given.probe.id in sheet.corrected
        ],
    }


def _corrected(scored: Scored) -> Iterator[str]:
    """The answered questions whose gold answer was corrected."""
    return (given.probe.id for given in scored.sheet.given if given.probe.id in scored.sheet.corrected)


def _line_json(line: ScoreLine) -> dict[str, Any]:
    rounded = None if line.accuracy is None else round(line.accuracy, 6)
    counts = {"n": line.n, "right": line.right, "open": line.open, "errors": line.errors}
    return {"name": line.name, "kind": line.kind, **counts, "accuracy": rounded, "low": line.low, "high": line.high}


def _mark_json(mark: Mark) -> dict[str, Any]:
    found = {"question_id": mark.given.probe.id, "task": mark.given.probe.task, "right": mark.right}
    return {**found, "by": mark.by, "why": mark.why, "error": mark.error}
