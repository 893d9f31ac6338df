"""What a judge is asked about MemFail's tasks: the meanings of the paper's staged grading, in words of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtriage.core.rubric import GENERIC, Rubric

_EASY = replace(
    GENERIC,
    storage=(
        "The fact is a habit that holds under one condition. Do these memories speak of the habit at all, be it in "
        "other words, without its condition, with another one, or under a wrong name? Whether the condition is right "
        "is asked later. False only if no memory speaks of this habit."
    ),
    summary=(
        "The habit was found in the store. Are habit and condition still the same, with every one of `details`, so "
        "that a reader who has only these memories could decide, for any given situation, whether the condition is "
        "met? False if the condition is gone, if it became vaguer or a threshold, time, place or trigger in it "
        "changed, if it is no longer the only one though it was told so, if habit and condition were turned round or "
        "muddled, or if they are told of somebody else."
    ),
    retrieval=(
        "These memories were brought back for `question`. Can the habit be read from them with its whole condition, "
        "every one of `details`, in whatever words, and of `subject`?"
    ),
    reasoning=(
        "Does the answer apply the rule in `fact` to the situation asked about and come to the same yes or no as "
        "`gold`? A guarded one (probably not) counts as such. A no should name the condition that is not met. False if "
        "it speaks of anybody but `subject`."
    ),
    paper_storage=(
        "The fact is a habit that holds under one condition. Does a memory hold it, the condition included? Other "
        "words and a shortened form count, as long as the meaning is the same. False if no memory speaks of the habit, "
        "or only without any condition."
    ),
)

_HARD = replace(
    _EASY,
    storage=(
        "The fact joins a habit and the condition for it. Is some form of the habit AND some form of the condition "
        "anywhere in these memories? They may stand in different memories, in other words, and even be told of "
        "somebody else or of nobody: to whom they belong is asked later. False only if one of the two is nowhere."
    ),
    summary=(
        "Habit and condition were found in the store, perhaps in different memories, which is fine. Are they still the "
        "same, with every one of `details`, so that a reader who puts the memories together could decide for any given "
        "situation whether the rule applies to `subject`? False if the condition is gone or became vaguer, if a "
        "threshold, time, place or trigger in it changed, if the two were turned round, or if nothing ties both of "
        "them to `subject`."
    ),
    retrieval=(
        "These memories were brought back for `question`. Can both the habit and its condition, tied to `subject` and "
        "with every one of `details`, be read from them, from one memory or from several together, in whatever words? "
        "False if either of the two or the tie is missing."
    ),
    paper_storage="",
)

_COEXISTING = replace(
    GENERIC,
    storage=(
        "The fact is one liking among several of its kind. Do these memories speak of this very one at all, be it in "
        "other words, weakened, turned round or melted together with others? False if they speak only of neighbouring "
        "likings."
    ),
    summary=(
        "The liking was found in the store. Can exactly this one still be named from the memories, as something liked? "
        "False if it was widened to its whole kind, melted together with others so that it no longer stands out, "
        "replaced, or turned into its opposite."
    ),
    retrieval=(
        "These memories were brought back for `question`. Do they hold this very liking, in whatever words, so that it "
        "can be named?"
    ),
    last="coverage",
    paper_storage=(
        "The fact is one liking among several. Does a memory hold this very one, in whatever words, so that it can be "
        "told which it is? A memory about a neighbouring liking does not count."
    ),
)

_ESSAYS = replace(
    GENERIC,
    storage=(
        "The fact is a whole essay about the person in `subject`. Is it in the store: the person can be told by name, "
        "and what the essay tells of them can be recovered, in other words, shortened, or from several memories "
        "together?"
    ),
    summary=(
        "The essay was found in the store. Do the memories of it keep who it is about and what is memorable in it, so "
        "that questions about this person could be answered from them? False if the name is gone or another one, if "
        "particulars (what the person can't stand, owns, always does, never does, insists on) were lost or became so "
        "general that nobody could tell what was meant, or if what is left would fit anyone of that trade or hobby. "
        "Being spread over several memories or shortened does no harm, nor do memories of others, even of the same "
        "name."
    ),
    retrieval=(
        "These memories were brought back for `question`. Was the essay among them: is `subject` recognisable, and can "
        "what the essay tells be recovered from them, in whatever words? The question may be about somebody else."
    ),
    reasoning=(
        "`fact` is what was told of `subject`. Does the answer agree with `gold`, and does it rest on the particulars "
        "of that essay rather than on what holds for people in general?"
    ),
    abstention=(
        "The question is about somebody of whom nothing was told; `fact` is an essay about another, `subject`. Does "
        "the answer say that it has no information on the one asked about, or ask back? General knowledge is fine. "
        "False if particulars of the essay are given as if they were about the one asked about, or the two are taken "
        "for one."
    ),
    batch=20,
)
"""What the paper's chain asks about persona: about whole essays, not about the one thing a question needs."""

_PERSONA = replace(
    GENERIC,
    storage=(
        "The fact was told of the person in `subject`. Do these memories speak of it at all, be it in other words, "
        "only in part, changed, without the name or plainly under a wrong one? False if they tell nothing of the kind, "
        "or tell the like only of other people."
    ),
    summary=(
        "The fact was found in the store. Is it still the same: tied to `subject` by name, with what is peculiar in "
        "it, every one of `details`? False if the name is gone or another one, or if even one of the particulars was "
        "lost, changed, or made so general that it would fit anybody. Others of the same name, or memories about other "
        "people beside it, do no harm; neither does being spread over several memories."
    ),
    retrieval=(
        "These memories were brought back for `question`. Is `subject` recognisable in them, and can the fact be read "
        "from them with every one of `details`, in whatever words? Look for the fact alone: the question may be about "
        "somebody else."
    ),
    reasoning=(
        "Does the answer agree with `gold`, and does it rest on what `fact` tells of `subject` rather than on what "
        "would be true of people in general? It need not repeat all of it."
    ),
    batch=20,
    paper_storage=(
        "The fact belongs to the person in `subject`. Is it there: the person named, and what is told about them "
        "recoverable from one memory or several, in whatever words?"
    ),
    paper_turns=_ESSAYS,
)

_LONG_HOP = replace(
    GENERIC,
    storage=(
        "The fact is one link of a chain: two things and how they hang together. Do these memories speak of this link "
        "at all: are the two tied together, whatever the words, the relation or the direction, or plainly the same "
        "link with one of them renamed? A memory that holds further links counts; one that holds only neighbouring "
        "links of the chain does not."
    ),
    summary=(
        "The link was found in the store. Is it still the same: does a memory name both of its things (`details`) and "
        "say without doubt how, and in which direction, they hang together? A memory that holds further links is fine "
        "while this one can be read off. False if a thing was renamed or swapped, or the relation changed, weakened or "
        "got lost in merging."
    ),
    retrieval=(
        "These memories were brought back for `question`. Can this very link, both things and their relation, be read "
        "from them, alone or within a memory that holds further links? What else the question needs is not asked here."
    ),
    paper_storage=(
        "The fact is one link of a chain: two things and how they hang together. Does at least one memory hold this "
        "link, with both things and their relation? Other words count, and so does a memory that holds further links."
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
