"""What a judge is asked about MEME's questions: the meanings of the paper's answer checks, in words of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtriage.core.rubric import GENERIC, Rubric

_EVOLVING = replace(
    GENERIC,
    storage=(
        "Do these memories speak of the fact at all, be it in other words, shortened, changed or wrong in places? "
        "Parts of it in several memories count together. Whether it is whole and right is asked later. False only if "
        "none is about it. What would follow if something happened is not the same as what is: a memory of such a rule "
        "holds a fact only if the fact is that rule, even where another memory tells that it happened. A memory that "
        "gives only another value, from earlier or later, tells another fact."
    ),
    retrieval=(
        "These memories were brought back for `question`. Can the fact be read from them, in whatever words, with "
        "every one of `details`? A rule about what would follow if something happened is no statement that it is so "
        "unless the fact is that rule, and a value from earlier is none about now."
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
    "meme/before": _BEFORE,
    "meme/exact-recall": _VERBATIM,
    "meme/aggregation": _PARTS,
    "meme/tracking": _HISTORY,
    "meme/deletion": _DELETION,
    "meme/cascade": _CASCADE,
    "meme/absence": _ABSENCE,
}
"""The rubrics by what is asked for."""
