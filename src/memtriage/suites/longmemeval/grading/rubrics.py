"""What a judge is asked about LongMemEval's answers: the meanings of the paper's checks, in words of our own.

Each is about an answer and the gold answer alone, so that accuracy is measured whatever was retrieved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtriage.core.rubric import GENERIC, GoldStage, Rubric

_STATES = (
    "Does the answer hold what `gold` says? Other words, a longer answer and an equal amount in other units count, and "
    "so does an answer that lays out every step from which `gold` follows without naming it. False if it has only a "
    "part of what `gold` asks for, says something else, or says that it doesn't know."
)


def _rubric(last: GoldStage, reasoning: str) -> Rubric:
    return replace(GENERIC, last=last, every_answer=True, reasoning=reasoning)


_ANSWER = _rubric("answer", _STATES)
_TIMING = _rubric(
    "timing",
    _STATES
    + " Where the question asks how many days, weeks, months or the like lie between things, a number that is one too "
    "high or one too low is right as well: whether the first or last day counts is a matter of taste.",
)
_UPDATE = _rubric(
    "update",
    "What is asked for changed over time, and `gold` is what it came to. Does the answer give `gold` as the way "
    "things are now? Other words are fine, and so is telling how it was before, as long as it is clear that "
    "`gold` is the answer. False if it gives the earlier state as the answer, leaves open which of them holds, or "
    "says that it doesn't know.",
)
_PREFERENCE = _rubric(
    "preference",
    "The question asks for advice, and `gold` describes what advice would suit this user, given what they told "
    "earlier. Does the answer draw on that personal background, and rightly? It need not meet every point of "
    "`gold`. False if it would suit anybody as well, if it gets the user's background wrong, or if it goes "
    "against what they like.",
)
_UNTOLD = _rubric(
    "untold",
    "The question can't be answered from what was told; `gold` says what is missing. Does the answer recognise "
    "that? True if it says that it was not told this, that it doesn't know, or that only something else, however "
    "near, was told. False if it answers as if it knew, or takes the question's wrong assumption for granted.",
)

RUBRICS: Mapping[str, Rubric] = {
    "longmemeval/single-session-user": _ANSWER,
    "longmemeval/single-session-assistant": _ANSWER,
    "longmemeval/single-session-preference": _PREFERENCE,
    "longmemeval/multi-session": _ANSWER,
    "longmemeval/knowledge-update": _UPDATE,
    "longmemeval/temporal-reasoning": _TIMING,
    "longmemeval/abstention": _UNTOLD,
}
"""The rubrics by question type."""
