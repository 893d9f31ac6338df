"""Grades answers given with an empty memory, and counts the right ones by task.

Letters and words grade what they can, a judge the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memtriage.core.chat import FATAL, ChatModel
from memtriage.core.episode import Episode, Probe
from memtriage.core.rubric import Rubric, Stage
from memtriage.diagnose.answers import AnswerGrader
from memtriage.diagnose.judge.prompts import Case
from memtriage.diagnose.judge.staged import Judge, Outcome, Unjudged
from memtriage.metrics.statistics import clustered

_FATAL = frozenset({*FATAL, "budget"})
_DECLINES = "to decline is the right answer, which an empty memory can't get wrong"
_NOT_ASKED = "not judged, as judging stopped before"


@dataclass(frozen=True, slots=True)
class LeakProbe:
    """One question as it was answered with an empty memory.

    `right` is None if it was not graded, which `why` or `error` explains; `options` is how many answers there were to
    choose from, 0 if it is a free answer. With `declining`, the right answer is to decline, which is no leak.
    """

    task: str
    episode: str
    probe: str
    question: str
    gold: str
    options: int
    cluster: str = ""
    answer: str | None = None
    right: bool | None = None
    by: Literal["letter", "words", "judge", ""] = ""
    why: str = ""
    error: str | None = None
    declining: bool = False

    @property
    def flagged(self) -> bool:
        """Whether it was answered correctly without any memory."""
        return self.right is True and not self.declining


@dataclass(frozen=True, slots=True)
class LeakRow:
    """One task: the `share` of `graded` questions that were answered correctly, with its 95 % interval.

    The interval is Wilson's, widened if questions share a cluster. `chance` is the share that guessing would give, None
    if a graded question has no options. `open` questions were not graded, `errors` not answered or not judged, and
    `declining` left out, as the right answer is to decline.
    """

    task: str
    questions: int
    graded: int
    flagged: int
    share: float | None
    low: float
    high: float
    chance: float | None
    open: int
    errors: int
    declining: int


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer that only a judge can grade, and its place among all answers."""

    place: int
    stage: Stage
    case: Case
    rules: Rubric


def graded_by_words(answered: Iterable[tuple[Episode, Probe, LeakProbe]]) -> tuple[list[LeakProbe], list[OpenAnswer]]:
    """All questions, graded if letters or words can, and the answers left to a judge."""
    found: list[LeakProbe] = []
    waiting: list[OpenAnswer] = []
    grader, graded_episode = AnswerGrader(()), ""
    for episode, probe, asked in answered:
        if graded_episode != episode.id:
            grader, graded_episode = AnswerGrader.of(episode), episode.id
        if asked.declining:
            asked = replace(asked, why=_DECLINES)
        elif asked.error is None:
            answer = asked.answer or ""
            grade, stage = grader.by_rule(probe, answer), grader.stage(probe)
            if grade is not None:
                asked = replace(asked, right=grade.right, by=grade.by, why="" if grade.by == "letter" else grade.why)
            elif stage is not None:
                needed = probe.sufficient[0] if probe.sufficient else ()
                case = grader.case(probe, answer, tuple(episode.fact(id) for id in needed))
                waiting.append(OpenAnswer(len(found), stage, case, grader.rules(probe)))
        found.append(asked)
    return found, waiting


async def judged(waiting: Sequence[OpenAnswer], model: ChatModel, limit: int) -> dict[int, Outcome]:
    """A judge's outcomes by place. Stops at an error that every further call would meet."""
    judge = Judge(model)
    groups = iter(_groups(waiting))
    found: dict[int, Outcome] = {}
    stopped = False

    async def work() -> None:
        nonlocal stopped
        for group in groups:
            if stopped:
                return
            outcomes = await judge.grade_answers(group[0].stage, [one.case for one in group], group[0].rules)
            found.update(zip((one.place for one in group), outcomes, strict=True))
            stopped = stopped or any(isinstance(o, Unjudged) and o.why.partition(":")[0] in _FATAL for o in outcomes)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(max(1, limit)):
            tasks.create_task(work())
    return found


def _groups(waiting: Sequence[OpenAnswer]) -> list[list[OpenAnswer]]:
    """Answers that may share a call: of the same stage and rules, and at most `batch` of them."""
    alike: dict[tuple[Stage, Rubric], list[OpenAnswer]] = {}
    for one in waiting:
        alike.setdefault((one.stage, one.rules), []).append(one)
    return [
        group[start : start + rules.batch]
        for (_, rules), group in alike.items()
        for start in range(0, len(group), rules.batch)
    ]


def with_outcomes(
    found: Sequence[LeakProbe], waiting: Sequence[OpenAnswer], outcomes: Mapping[int, Outcome]
) -> list[LeakProbe]:
    """The questions with a judge's outcomes; an error if it was not asked or failed."""
    graded = list(found)
    for one in waiting:
        outcome = outcomes.get(one.place)
        asked = found[one.place]
        if outcome is None or isinstance(outcome, Unjudged):
            why = _NOT_ASKED if outcome is None else f"the answer could not be judged: {outcome.why}"
            graded[one.place] = replace(asked, error=why)
        else:
            graded[one.place] = replace(asked, right=outcome.verdict, by="judge", why=outcome.why)
    return graded


def leak_row(task: str, asked: Sequence[LeakProbe]) -> LeakRow:
    """How much of a task was answered correctly without any memory."""
    graded = [each for each in asked if each.right is not None and not each.declining]
    flagged = sum(each.flagged for each in graded)
    low, high = clustered((each.cluster or (each.episode, each.probe), each.flagged) for each in graded)
    options = [each.options for each in graded]
    errors = sum(each.error is not None for each in asked)
    declining = sum(each.declining and each.error is None for each in asked)
    return LeakRow(
        task=task,
        questions=len(asked),
        graded=len(graded),
        flagged=flagged,
        share=flagged / len(graded) if graded else None,
        low=low,
        high=high,
        chance=sum(1 / n for n in options) / len(options) if options and all(n > 1 for n in options) else None,
        open=len(asked) - len(graded) - errors - declining,
        errors=errors,
        declining=declining,
    )
