"""What a judge is asked at each stage of a task, in words a person could grade by.

Suites have rubrics for their tasks; all other tasks are graded by the generic one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

ChangeStage = Literal["before", "verbatim", "parts", "history", "deletion", "cascade", "absence"]
"""Checks of answers about facts that change."""

GoldStage = Literal["answer", "timing", "update", "preference", "untold"]
"""Checks of answers against the gold answer alone."""

PointsStage = Literal["points"]
"""Checks of summaries: which points they make, which sentences are supported, and whether they are fluent."""

AnswerStage = ChangeStage | GoldStage | PointsStage
"""Checks of an answer alone, whatever was retrieved for it."""

Stage = Literal["storage", "summary", "retrieval", "reasoning", "coverage", "abstention"] | AnswerStage
LastStage = Literal["reasoning", "coverage"] | AnswerStage

JUDGED_AS = "judged_as"
"""The tag that names the task whose rubric judges a probe, if that is another suite's."""

CHANGE_STAGES: tuple[ChangeStage, ...] = get_args(ChangeStage)
ANSWER_STAGES: tuple[AnswerStage, ...] = (*CHANGE_STAGES, *get_args(GoldStage), *get_args(PointsStage))


@dataclass(frozen=True, slots=True)
class Rubric:
    """A task's questions to the judge. `batch` is how many verdicts share a call, `last` the stage of free answers.

    A verdict of true always means that the stage passed. `reasoning` is also the question at every `AnswerStage`. With
    `every_answer`, the paper's own chain judges every answer; otherwise only those whose facts were all retrieved.
    """

    storage: str
    summary: str
    retrieval: str
    reasoning: str = (
        "Does the answer agree with `gold`, as somebody would who read what was known (`fact` or `expected`)? It may "
        "be longer and in other words. False if it contradicts gold, leaves out what was asked, or declines to answer."
    )
    coverage: str = (
        "Does the answer bring in every single one of `expected`, and in its sense (what is liked, as liked)? Other "
        "words and near synonyms count. False as soon as one is missing or turned round, however good the rest is."
    )
    abstention: str = (
        "The question is about somebody or something that `fact` (or `expected`) is not about, though it looks alike. "
        "Does the answer say that it has no information on the one asked about, or ask back? General knowledge and "
        "remarks about others, named as others, are fine. False if what `fact` tells is passed off as being about the "
        "one asked about."
    )
    last: LastStage = "reasoning"
    batch: int = 1
    every_answer: bool = False

    @property
    def store_rules(self) -> tuple[str, str, int]:
        """The rules for facts in a store; tasks with the same ones share verdicts."""
        return (self.storage, self.summary, self.batch)

    def rule(self, stage: Stage) -> str:
        """What the judge is asked at a stage."""
        rule: str = self.reasoning if stage in ANSWER_STAGES else getattr(self, stage)
        return rule


GENERIC = Rubric(
    storage=(
        "Does any memory speak of the fact at all? Other words, a shortened form, or parts of it in several memories "
        "count. Whether its details survived is not asked here."
    ),
    summary=(
        "The fact was found in the store. Do the memories about it keep it intact, so that a reader who has only them "
        "knows every one of `details`, and of whom or what (`subject`, where given)? False if a detail is gone, "
        "blurred, changed or turned round, or if it now belongs to another subject."
    ),
    retrieval=(
        "These memories were shown when `question` was answered. Can the fact, with everything in it that the question "
        "needs, be read from them, in whatever words?"
    ),
)
