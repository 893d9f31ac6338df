"""What a judge is asked at each stage of a task, in words a person could grade by.

Suites have rubrics for their tasks; all other tasks are graded by the generic one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

ChangeStage = Literal["before", "verbatim", "parts", "history", "deletion", "cascade", "absence"]
"""Checks of answers about facts that change."""

GoldStage = Literal["answer", "timing", "update", "preference", "untold"]
"""Checks of answers against the gold answer alone."""

PointsStage = Literal["points"]
"""Checks of summaries: which points they make, which sentences are supported, and whether they are fluent."""

NuggetStage = Literal["nuggets", "ordering"]
"""Checks of answers against a list of what they should hold or do; at `ordering`, the order of the list counts too."""

AnswerStage = ChangeStage | GoldStage | PointsStage | NuggetStage
"""Checks of an answer alone, whatever was retrieved for it."""

Stage = Literal["storage", "summary", "retrieval", "reasoning", "coverage", "abstention"] | AnswerStage
LastStage = Literal["reasoning", "coverage"] | AnswerStage

JUDGED_AS = "judged_as"
"""The tag that names the task whose rubric judges a probe, if that is another suite's."""

CHANGE_STAGES: tuple[ChangeStage, ...] = get_args(ChangeStage)
NUGGET_STAGES: tuple[NuggetStage, ...] = get_args(NuggetStage)
ANSWER_STAGES: tuple[AnswerStage, ...] = (
    *CHANGE_STAGES,
    *get_args(GoldStage),
    *get_args(PointsStage),
    *NUGGET_STAGES,
)

_NUGGETS = (
    "Each of `nuggets` is one thing that a right answer holds or does, or is free of. Score each by itself: 1 if the "
    "answer meets it, 0.5 if it does so in part or with a small mistake, 0 if it doesn't. The sense counts and not the "
    "wording: other words, other ways to write a number or a date, and more than was asked for are fine, and so is any "
    "form unless the nugget is about the form. What a nugget rules out must be absent from an answer that does take "
    "up the question; an answer that doesn't gets 0."
)
NUGGET_RULES: Mapping[NuggetStage, str] = {
    "nuggets": _NUGGETS,
    "ordering": (
        f"{_NUGGETS} The question asks for an order. Scores are about what the answer names, wherever it stands; the "
        "order in which the answer puts things is asked for besides."
    ),
}
"""What a judge is asked about nuggets, whatever the task."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """A task's questions to the judge. `batch` is how many verdicts share a call, `last` the stage of free answers.

    A verdict of true always means that the stage passed. `reasoning` is also the question at every `AnswerStage` but
    those of nuggets, which have rules of their own. With
    `every_answer`, the paper's own chain judges every answer; otherwise only those whose facts were all retrieved.
    `paper_storage` is what that chain asks about storage, if it is something else. With `paper_turns` it judges the
    whole turn that told a fact instead of the fact alone, by these rules.
    """

    storage: str
    summary: str
    retrieval: str
    reasoning: str = (
        "Does the answer come to the same as `gold`? It may be longer and in other words; `fact` or `expected`, where "
        "given, is what it could have rested on. False if it contradicts gold, leaves out what was asked, or declines "
        "to answer."
    )
    coverage: str = (
        "Does the answer bring in every single one of `expected`, and in its sense (what is liked, as liked)? Other "
        "words and near synonyms count, and so does an item named with the occasion it is for. False as soon as one is "
        "missing or turned round, however good the rest is."
    )
    abstention: str = (
        "Nothing was told of the one that the question is about; `fact` or `expected`, where given, was told of "
        "another, though it would fit the question. Does the answer say that it has no information on the one asked "
        "about, or ask back? General knowledge, and remarks about others that are named as others, are fine. False if "
        "it answers as if it knew, above all if it passes off what was told of another."
    )
    last: LastStage = "reasoning"
    batch: int = 1
    every_answer: bool = False
    paper_storage: str = ""
    paper_turns: Rubric | None = None

    @property
    def store_rules(self) -> tuple[str, str, int]:
        """The rules for facts in a store; tasks with the same ones share verdicts."""
        return (self.storage, self.summary, self.batch)

    def rule(self, stage: Stage, *, paper_exact: bool = False) -> str:
        """What the judge is asked at a stage."""
        if paper_exact and stage == "storage" and self.paper_storage:
            return self.paper_storage
        if stage in NUGGET_STAGES:
            return NUGGET_RULES[stage]
        rule: str = self.reasoning if stage in ANSWER_STAGES else getattr(self, stage)
        return rule


GENERIC = Rubric(
    storage=(
        "Do these memories speak of the fact at all, be it in other words, shortened, changed, wrong in places or "
        "under a wrong name? Parts of it in several memories count together. Whether it is whole and right is asked "
        "later. False only if no memory is about it; one about something similar does not count."
    ),
    summary=(
        "The fact was found in the store. Is it still the same, so that a reader who has only these memories knows "
        "every one of `details`, and of whom or what (`subject`, where given)? Other words are fine, and so is a fact "
        "spread over several memories. False if even one detail is gone, blurred, changed or turned round, or if it "
        "now belongs to another subject."
    ),
    retrieval=(
        "These memories were brought back for `question`. Can the fact be read from them, in whatever words, with "
        "every one of `details`? Look for the fact as it was told, of its own subject, whoever or whatever the "
        "question names."
    ),
)
