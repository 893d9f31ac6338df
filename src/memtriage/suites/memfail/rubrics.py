"""What a judge is asked about MemFail's tasks: the meanings of the paper's staged grading, in words of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtriage.core.rubric import GENERIC, Rubric

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

RUBRICS: Mapping[str, Rubric] = {
    "memfail/conditional-easy": _EASY,
    "memfail/conditional-hard": _HARD,
    "memfail/coexisting": _COEXISTING,
    "memfail/persona": _PERSONA,
    "memfail/long-hop": _LONG_HOP,
}
"""The rubrics by task."""
