"""How a question of each kind is to be answered: said to whoever answers, never to a retriever."""

from __future__ import annotations

from collections.abc import Mapping

from memtriage.suites.memoryagentbench.context import Kind, Query

_HOW: Mapping[Kind, str] = {
    "sh-docqa": "Answer with the bare fact asked for, in as few words as it takes.",
    "mh-docqa": (
        "The answer may take several documents. Answer with the bare fact asked for, in as few words as it takes."
    ),
    "longmemeval": "Answer in a short phrase, going by what was said in the earlier chats.",
    "eventqa": "Exactly one of the options is what happens next in the novel. Repeat that option and add nothing.",
    "icl": "Answer with the number of the label that sentences like this one have, and nothing else.",
    "recommendation": (
        "The question is a talk with somebody who looks for a film. Name twenty films that suit them, the best first, "
        "one to a line, each with its number and without any remark."
    ),
    "summarization": (
        "Sum up the whole story in 1,000 to 1,200 words: what happens, to whom, and in which order. Leave out what it "
        "may mean and how it is written."
    ),
    "detective": "Think the case through, then end with the option that is right, repeated word for word.",
    "factconsolidation-sh": (
        "The memories hold numbered facts; where two disagree, the higher number holds, whatever the real world says. "
        "Answer with the bare name or word."
    ),
    "factconsolidation-mh": (
        "The memories hold numbered facts; where two disagree, the higher number holds, whatever the real world says. "
        "Follow the facts from one to the next, then answer with the bare name or word."
    ),
}


def instruction(kind: Kind, query: Query) -> str:
    """How to answer a question, with its options where it has some."""
    options = "".join(f"\n- {option}" for option in query.options)
    return _HOW[kind] + (f"\nThe options:{options}" if options else "")
