"""Grade answers from another harness: with a judge, or without one by words where that is enough."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memtriage.config import Grading, Limits, model_label
from memtriage.core.amount import K, k_order
from memtriage.core.chat import FATAL, ChatModel
from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Mark, Scorer
from memtriage.core.suite import Suite
from memtriage.core.trace import Answer
from memtriage.diagnose.answers import AnswerGrader, grade_of
from memtriage.host.files import write_whole
from memtriage.host.shell import shell_word
from memtriage.pipeline.dry_run import estimate_judging
from memtriage.pipeline.models import check_models, open_models
from memtriage.record.reader import RunReader
from memtriage.tables.handed_in import ScoreLine, lines_of

if TYPE_CHECKING:
    from memtriage.pipeline.estimate import Estimate

Errata = Literal["on", "off", "both"]
Golds = Literal["released", "corrected"]
"""Which gold answers a score uses: those of the data file, or those with known mistakes corrected."""

SCHEMA = "memtriage.score/2"
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
        return max(sum(mark.credit is None and mark.error is None for mark in found) for found in self.marks.values())

    @property
    def complete(self) -> bool:
        """Whether every answer is graded, so that the score is the official one."""
        return not self.open and not self.errors


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
    lines = {golds: tuple(lines_of(scorer.groups(found))) for golds, found in marks.items()}
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
    graded = _scorer(suite).by_words(given.probe, given.answer)
    if graded is None:
        return Mark(given, None, "words", "words alone don't settle it")
    return Mark(given, graded.credit, "words", graded.why, measures=graded.measures)


async def _judged(
    suite: Suite, givens: Sequence[GivenAnswer], model: ChatModel, limit: int, done: Callable[[], None]
) -> dict[GivenAnswer, Mark]:
    """Grade answers with a judge. An error that every further call would share ends the work."""
    from memtriage.diagnose.judge.staged import Judge, Unjudged

    judge = Judge(model)
    grader = AnswerGrader(())
    found: dict[GivenAnswer, Mark] = {}
    queue = iter(givens)
    stopped_early = False

    async def work() -> None:
        nonlocal stopped_early
        for given in queue:
            if stopped_early:
                return
            stage = grader.stage(given.probe)
            if stage is None:
                found[given] = _by_words(suite, given)
                done()
                continue
            case = grader.case(_bare(given.probe), given.answer)
            [outcome] = await judge.grade_answers(stage, [case], grader.rules(given.probe))
            if isinstance(outcome, Unjudged):
                found[given] = Mark(given, None, "judge", "", outcome.why)
                stopped_early = stopped_early or outcome.why.partition(":")[0] in _FATAL
            else:
                grade = grade_of(outcome)
                found[given] = Mark(given, grade.credit, "judge", grade.why, measures=grade.measures)
            done()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(max(1, limit)):
            tasks.create_task(work())
    return {given: found.get(given) or Mark(given, None, "judge", "", _NOT_ASKED) for given in givens}


def _bare(probe: Probe) -> Probe:
    """A question without the facts it needs: the judge of an answer from elsewhere sees the gold answer alone."""
    return replace(probe, sufficient=(), outdated=(), given="")


# ------------------------------------------------------------------ the answers of a run


def read_run(suite: Suite, path: Path, system: str | None = None, k: K | None = None) -> AnswerSheet:
    """The answers of a run directory, of one system at one k, with the questions that the run recorded.

    Where answering was repeated, the first answers are taken. An answer that ended in an error is a problem, named with
    its question.
    """
    with RunReader(path) as run:
        others = [name for name in run.manifest["suites"] if name.partition("/")[0] != suite.name]
        if others:
            raise BadInput(f"{path} is a run of {others[0]}, not of {suite.name}")
        answered = _answered(run)
        of = answered[_chosen(path, answered, system, k)]
        given: list[GivenAnswer] = []
        missing: list[str] = []
        problems: list[str] = []
        for episode in run.episodes():
            titles = tuple(dict.fromkeys(t for p in episode.probes if p.scoring == "titles" for t in p.choices))
            for probe in episode.probes:
                answer = of.get((episode.id, probe.id))
                if answer is None:
                    missing.append(probe.id)
                elif answer.error is not None:
                    why = f"it was not answered: {answer.error}; memtriage resume {shell_word(path)} asks again"
                    problems.append(f"{path}, question {probe.id}: {why}")
                else:
                    choices = titles if probe.scoring == "titles" else probe.choices
                    whole = replace(probe, task=probe.task or episode.task, choices=choices)
                    given.append(GivenAnswer(whole, answer.text))
    corrected = {one.probe.id: right for one in given if (right := _corrected_probe(one.probe)) is not None}
    return AnswerSheet(
        tuple(given),
        tuple(missing),
        problems=tuple(problems),
        corrected=corrected,
        errata="by the run's tags" if corrected else "",
    )


def _corrected_probe(probe: Probe) -> Probe | None:
    """A question as it should have been, if the run recorded what is wrong with it (`mistake`, `gold_corrected`)."""
    match probe.tags.get("mistake"):
        case "void":
            return replace(probe, tags={**probe.tags, "errata": "void"})
        case "gold":
            return replace(probe, gold=probe.tags["gold_corrected"])
        case _:
            return None


def _answered(run: RunReader) -> dict[tuple[str, K], dict[tuple[str, str], Answer]]:
    """The first answers of a run, by system and k, then by episode and probe."""
    found: dict[tuple[str, K], dict[tuple[str, str], Answer]] = {}
    models = run.answered_by()
    for unit in run.units:
        label, repeat = run.system_and_repeat(unit[0])
        for (probe, k, again), answer in run.answers(unit, models[-1]).items() if models and not repeat else ():
            if not again:
                found.setdefault((label, k), {})[unit[1], probe] = answer
        for trace in run.traces(unit) if not models and not repeat else ():
            if trace.answer is not None:
                own = Answer(trace.probe, trace.k, label, text=trace.answer, error=trace.error)
                found.setdefault((label, trace.k), {})[unit[1], trace.probe] = own
    return found


def _chosen(path: Path, answered: Collection[tuple[str, K]], system: str | None, k: K | None) -> tuple[str, K]:
    """The one system and k that are meant."""
    if not answered:
        raise BadInput(f"{path} has no answers; give the run a model that answers: memtriage run … --answer MODEL")
    fitting = [each for each in answered if system in (None, each[0]) and k in (None, each[1])]
    if len(fitting) == 1:
        return fitting[0]
    listed = sorted(answered, key=lambda each: (each[0], k_order(each[1])))
    there = ", ".join(f"--system {label} --k {str(each).replace(' tokens', 't')}" for label, each in listed)
    wanted = "no answers of that system and k" if not fitting else "answers of several systems or k"
    raise BadInput(f"{path} has {wanted}; choose one of: {there}")


# ------------------------------------------------------------------ what is written


def log_name(answers: str, scored: Scored) -> str:
    """The name of the log beside answers of this name, as in the official script; each judge has its own."""
    by = scored.judge or WORDS
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", by).strip("-.") or "judge"
    return f"{answers.replace('/', '-')}.eval-results-{plain}"


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
        "complete": scored.complete,
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
    counts = {"n": line.n, "right": _whole(line.right), "open": line.open, "errors": line.errors}
    bounds = {"worst": round(line.worst, 6), "best": round(line.best, 6), "low": line.low, "high": line.high}
    accuracy = None if line.accuracy is None else round(line.accuracy, 6)
    return {"name": line.name, "kind": line.kind, "metric": line.metric, **counts, "accuracy": accuracy, **bounds}


def _whole(value: float) -> float:
    return int(value) if value == int(value) else round(value, 6)


def _mark_json(mark: Mark) -> dict[str, Any]:
    found = {"question_id": mark.given.probe.id, "task": mark.given.probe.task, "right": mark.right}
    earned = None if mark.credit is None else round(float(mark.credit), 6)
    measures = {"measures": dict(mark.measures)} if mark.measures else {}
    return {**found, "credit": earned, "by": mark.by, "why": mark.why, "error": mark.error, **measures}
