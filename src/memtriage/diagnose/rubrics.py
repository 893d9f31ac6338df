"""What a judge is asked at each stage, task by task: plain data, in words a person could grade by.

The meanings follow the staged grading of the MemFail paper and the answer checks of the MEME paper; the wording is
this project's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from memtriage.episode import Probe

Evolving = Literal["before", "verbatim", "parts", "history", "deletion", "cascade", "absence"]
"""Checks of answers about a world that changes; each is about an answer alone, whatever was retrieved for it."""

Stage = Literal["storage", "summary", "retrieval", "reasoning", "coverage", "abstention"] | Evolving
Last = Literal["reasoning", "coverage"] | Evolving

EVOLVING: tuple[Evolving, ...] = get_args(Evolving)


@dataclass(frozen=True, slots=True)
class Rubric:
    """One task's questions to the judge. `batch` is how many verdicts share a call, `last` how free answers are graded.

    A verdict of true always means that the stage was passed. `reasoning` is also what is asked at the stages of
    `Evolving`. With `every_answer`, answers are judged whatever was retrieved for them; else only where everything
    needed was.
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
    last: Last = "reasoning"
    batch: int = 1
    every_answer: bool = False

    @property
    def keeping(self) -> tuple[str, str, int]:
        """What decides on a fact in a store: tasks that agree in this share their verdicts."""
        return (self.storage, self.summary, self.batch)

    def rule(self, stage: Stage) -> str:
        """What the judge is asked at a stage."""
        rule: str = self.reasoning if stage in EVOLVING else getattr(self, stage)
        return rule

    def last_stage(self, probe: Probe) -> Stage | None:
        """The stage that grades an answer to this probe; None where its letter does."""
        if probe.scoring == "choice":
            return None
        return "abstention" if probe.scoring == "abstain" and self.last not in EVOLVING else self.last


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

_EASY = replace(
    GENERIC,
    storage=(
        "The fact is a habit that holds under one condition. Does a memory hold it, the condition included? Other "
        "words and a shortened form count, as long as the meaning is the same. False if no memory speaks of the habit, "
        "or only without any condition."
    ),
    summary=(
        "The habit was found in the store. Could a reader who has only these memories decide, for any given situation, "
        "whether the condition is met? False if the condition is gone, if it became vaguer or a threshold, time, place "
        "or trigger in it changed, or if habit and condition were turned round or muddled."
    ),
    reasoning=(
        "Does the answer apply the rule in `fact` to the situation asked about and come to the same yes or no as "
        "`gold`? A no should name the condition that is not met. False if it speaks of anybody but `subject`."
    ),
)

_HARD = replace(
    _EASY,
    storage=(
        "The fact joins a habit and the condition for it. Is some form of the habit AND some form of the condition "
        "anywhere in these memories? They may stand in different memories, in other words, and even be told of "
        "somebody else or of nobody: to whom they belong is not asked here. False only if one of the two is nowhere."
    ),
    summary=(
        "Habit and condition were found in the store, perhaps in different memories, which is fine. Putting the "
        "memories together, could a reader decide for any given situation whether the rule applies to `subject`? False "
        "if the condition is gone or became vaguer, if a threshold, time, place or trigger in it changed, if the two "
        "were turned round, or if nothing ties both of them to `subject`."
    ),
    retrieval=(
        "These memories were shown when `question` was answered. Can both the habit and its condition, tied to "
        "`subject`, be read from them, from one memory or from several together, in whatever words? False if either of "
        "the two or the tie is missing."
    ),
)

_COEXISTING = replace(
    GENERIC,
    storage=(
        "The fact is one liking among several. Does a memory hold this very one, in whatever words, so that it can be "
        "told which it is? A memory about a neighbouring liking does not count."
    ),
    summary=(
        "The liking was found in the store. Can exactly this one still be named from the memories? False if it was "
        "widened to its whole kind, melted together with others so that it no longer stands out, or replaced."
    ),
    retrieval=(
        "These memories were shown when `question` was answered. Do they hold this very liking, in whatever words, so "
        "that it can be named?"
    ),
    last="coverage",
)

_PERSONA = replace(
    GENERIC,
    storage=(
        "The fact belongs to the person in `subject`. Is it there: the person named, and what is told about them "
        "recoverable from one memory or several, in whatever words?"
    ),
    summary=(
        "The fact was found in the store. Do the memories still tie it to `subject` by name and keep what is peculiar "
        "in it (`details`)? False if the name is gone or another one, or if the particulars were lost or made so "
        "general that they would fit anybody. Others of the same name, or memories about other people beside it, do no "
        "harm; neither does being spread over several memories."
    ),
    retrieval=(
        "These memories were shown when `question` was answered. Is `subject` recognisable in them, and can what the "
        "fact tells be read from them, in whatever words?"
    ),
    reasoning=(
        "Does the answer agree with `gold` and rest on the particulars in `fact`, rather than on what would be true "
        "of people in general?"
    ),
    batch=20,
)

_LONG_HOP = replace(
    GENERIC,
    storage=(
        "The fact is one link of a chain: two things and how they hang together. Does at least one memory hold this "
        "link, with both things and their relation? Other words count, and so does a memory that holds further links."
    ),
    summary=(
        "The link was found in the store. Does a memory name both of its things and say without doubt how, and in "
        "which direction, they hang together? A memory that holds further links is fine while this one can be "
        "read off. False if a thing was renamed or swapped, or the relation changed, weakened or got lost in merging."
    ),
    retrieval=(
        "These memories were shown when `question` was answered. Can this very link, both things and their relation, "
        "be read from them, alone or within a memory that holds further links?"
    ),
)

_EVOLVING = replace(
    GENERIC,
    storage=(
        "Does any memory speak of the fact at all? Other words, a shortened form, or parts of it in several memories "
        "count. Whether its details survived is not asked here. What would follow if something happened is not the "
        "same as what is: a memory of such a rule holds a fact only if the fact is that rule."
    ),
    retrieval=(
        "These memories were shown when `question` was answered. Can the fact, with everything in it that the question "
        "needs, be read from them, in whatever words? A rule about what would follow if something happened is no "
        "statement that it is so, and a value from earlier is none about now."
    ),
    every_answer=True,
)

_BEFORE = replace(
    _EVOLVING,
    last="before",
    reasoning=(
        "Does the answer state what `gold` says, as what holds now? Other words and a longer answer are fine. False if "
        "it names something else instead, leaves open which of several it is, or says that it doesn't know."
    ),
)
_VERBATIM = replace(
    _EVOLVING,
    last="verbatim",
    reasoning="Does the answer hold the text of `gold` word for word?",
)
_PARTS = replace(
    _EVOLVING,
    last="parts",
    reasoning=(
        "The question asks for several things at once, listed as `values`. Which of them does the answer state? Look "
        "at each by itself: other words and a part that leaves no doubt count; a kind, a hint or a denial doesn't."
    ),
)
_HISTORY = replace(
    _EVOLVING,
    last="history",
    reasoning=(
        "The question asks for what something was over time. `values` lists, in no particular order, what it was. "
        "Which of them does the answer state, and in which order does it say they came to be? What counts is the order "
        "in time as the answer tells it, not where in the text a value stands: in 'now B, formerly A', A is first."
    ),
)
_DELETION = replace(
    _EVOLVING,
    last="deletion",
    reasoning=(
        "The one who asks had told `old` and later had it removed. Is the answer free of it? True if it says that this "
        "was removed, is no longer kept or not known, even where it mentions that there once was such an entry. False "
        "if it gives what is in `old`, or anything in its place, as what holds now."
    ),
)
_CASCADE = replace(
    _EVOLVING,
    last="cascade",
    reasoning=(
        "Something changed, and by what had been agreed `gold` now holds instead of `old`. Does the answer state "
        "`gold` as what holds now? Naming `old` as what was before is fine. False if it gives `old` as current, names "
        "both without saying which one holds, says only that it may have changed, or doesn't know."
    ),
)
_ABSENCE = replace(
    _EVOLVING,
    last="absence",
    reasoning=(
        "Something changed on which `old` rested, and what holds instead was never told. Does the answer leave it "
        "open? True if it says that this is not known, may no longer hold or has to be confirmed; naming `old` as what "
        "held before the change is fine then. False if it commits to `old`, or to anything else, as what holds now."
    ),
)

RUBRICS: Mapping[str, Rubric] = {
    "memfail/conditional-easy": _EASY,
    "memfail/conditional-hard": _HARD,
    "memfail/coexisting": _COEXISTING,
    "memfail/persona": _PERSONA,
    "memfail/long-hop": _LONG_HOP,
    "meme/before": _BEFORE,
    "meme/exact-recall": _VERBATIM,
    "meme/aggregation": _PARTS,
    "meme/tracking": _HISTORY,
    "meme/deletion": _DELETION,
    "meme/cascade": _CASCADE,
    "meme/absence": _ABSENCE,
}


def rubric(task: str) -> Rubric:
    """The rubric of a task, by its full name; tasks without their own share a general one.

    >>> rubric("memfail/coexisting").last
    'coverage'
    >>> rubric("yours/anything") is GENERIC
    True
    """
    return RUBRICS.get(task, GENERIC)
