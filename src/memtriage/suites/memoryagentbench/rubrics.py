"""What a judge is asked about answers that words can't grade: summaries, and questions about chats.

A summary is judged as the paper does, in words of our own: which points it makes, which of its sentences hold, and
whether it can be read. Questions about chats are LongMemEval's, and so is their judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtriage.core.rubric import GENERIC, Rubric
from memtriage.suites.longmemeval.grading.rubrics import RUBRICS as CHATS

ABSTENTION = "abstention"
CHAT_TYPES: tuple[str, ...] = tuple(task.removeprefix("longmemeval/") for task in CHATS)
"""The types of questions about chats; each has a rubric of its own, which a probe names by its tag."""

_POINTS = replace(
    GENERIC,
    last="points",
    every_answer=True,
    reasoning=(
        "`sentences` are a summary of a story, sentence by sentence; `values` are points that a good one makes, and "
        "`gold`, where given, is a summary by somebody who knows the story. Decide three things, each by itself. "
        "Which of the values does the summary make? Other words count, and so does a point spread over several "
        "sentences, as long as nothing that matters in it is missing or turned round. Which of the sentences are "
        "supported: is all that they tell of the story in `gold` or in the values, or does it follow from them? One "
        "that adds, swaps or invents a happening, or is about themes and style, is not. Is the summary fluent: whole "
        "sentences that hang together and don't repeat themselves? A last sentence that breaks off is no fault."
    ),
)

RUBRICS: Mapping[str, Rubric] = {
    "memoryagentbench/longmemeval": CHATS["longmemeval/single-session-user"],
    "memoryagentbench/summarization": _POINTS,
}
"""The rubrics by task; a question about chats of a known type is judged as LongMemEval judges that type."""
