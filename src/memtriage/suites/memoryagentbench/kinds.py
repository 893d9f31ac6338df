"""The kinds of tasks, and what is particular to each: chunk sizes, answer lengths, and the words around them.

Chunk sizes and answer lengths are the paper's (its tables 13 and 14); the wording is this project's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memtriage.core.episode import Scoring

Competency = Literal["accurate-retrieval", "test-time-learning", "long-range-understanding", "selective-forgetting"]
Kind = Literal[
    "sh-docqa",
    "mh-docqa",
    "longmemeval",
    "eventqa",
    "icl",
    "recommendation",
    "summarization",
    "detective",
    "factconsolidation-sh",
    "factconsolidation-mh",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

SMALL, LARGE = 512, 4096
"""Tokens of a chunk."""


@dataclass(frozen=True, slots=True)
class KindSpec:
    """What is particular to a kind of task.

    `intro` and `purpose` stand before and after every chunk, and `reply` is how an assistant may acknowledge it.
    `instruction` is given to whoever answers a question, never to a retriever. With `whole_blocks`, what stands between
    blank lines is not split between chunks.
    """

    competency: Competency
    summary: str
    scoring: Scoring
    chunk: int
    max_tokens: int
    intro: str
    purpose: str
    instruction: str
    reply: str
    whole_blocks: bool = False


_DOCUMENTS = "Here is a part of the documents I am working through."
_QUESTIONS = "I will come back with questions about it"
_NOVEL = "Here is the next stretch of a novel I am reading."
_FACTS = "Here are numbered facts. Where two of them disagree, the one with the higher number holds."
_NEWEST = "I will ask questions that go by the facts that hold"
_HOLDS = "The memories hold numbered facts; where two disagree, the higher number holds, whatever the real world says. "
_DOCUMENTS_READ = "Noted: I have the documents in mind and will answer what you ask about them."
_NOVEL_READ = "Noted: I have this part of the novel in mind and will answer what you ask about it."
_FACTS_READ = "Noted: I have the facts and their order in mind and will answer what you ask."
_BARE_FACT = "Answer with the bare fact asked for, in as few words as it takes."

SPECS: Mapping[Kind, KindSpec] = {
    "sh-docqa": KindSpec(
        "accurate-retrieval",
        "questions that one document among many answers",
        "contains",
        chunk=SMALL,
        max_tokens=50,
        intro=_DOCUMENTS,
        purpose=_QUESTIONS,
        instruction=_BARE_FACT,
        reply=_DOCUMENTS_READ,
    ),
    "mh-docqa": KindSpec(
        "accurate-retrieval",
        "questions that take two documents among many",
        "contains",
        chunk=SMALL,
        max_tokens=50,
        intro=_DOCUMENTS,
        purpose=_QUESTIONS,
        instruction=f"The answer may take several documents. {_BARE_FACT}",
        reply=_DOCUMENTS_READ,
    ),
    "longmemeval": KindSpec(
        "accurate-retrieval",
        "questions about one long history of chats",
        "free",
        chunk=SMALL,
        max_tokens=100,
        intro="Here is a part of my earlier chats with an assistant.",
        purpose="I will ask about what was said in them",
        instruction="Answer in a short phrase, going by what was said in the earlier chats.",
        reply="Noted: I have your chats in mind and will answer what you ask about them.",
    ),
    "eventqa": KindSpec(
        "accurate-retrieval",
        "what a character of a novel does next",
        "contains",
        chunk=LARGE,
        max_tokens=40,
        intro=_NOVEL,
        purpose="I will ask what happens when",
        instruction=(
            "Exactly one of the options is what happens next in the novel. Repeat that option and add nothing."
        ),
        reply=_NOVEL_READ,
    ),
    "icl": KindSpec(
        "test-time-learning",
        "labels learned from examples alone",
        "exact",
        chunk=LARGE,
        max_tokens=20,
        intro="Here are sentences, each with the number of its label.",
        purpose="I will give you new sentences to label in the same way",
        instruction="Answer with the number of the label that sentences like this one have, and nothing else.",
        reply="Noted: I have the labelled sentences in mind and will label new ones like them.",
        whole_blocks=True,
    ),
    "recommendation": KindSpec(
        "test-time-learning",
        "films for somebody, learned from the talks of others",
        "titles",
        chunk=LARGE,
        max_tokens=300,
        intro="Here are some of the talks that people had with somebody who recommends films.",
        purpose="I will ask you for recommendations",
        instruction=(
            "The question is a talk with somebody who looks for a film. Name twenty films that suit them, the best "
            "first, one to a line, each with its number and without any remark."
        ),
        reply="Noted: I have the talks in mind and will recommend films when you ask.",
        whole_blocks=True,
    ),
    "summarization": KindSpec(
        "long-range-understanding",
        "the plot of a whole novel",
        "points",
        chunk=LARGE,
        max_tokens=1200,
        intro=_NOVEL,
        purpose="I will ask you to sum up the whole story",
        instruction=(
            "Sum up the whole story in 1,000 to 1,200 words: what happens, to whom, and in which order. Leave out what "
            "it may mean and how it is written."
        ),
        reply="Noted: I have this part of the novel in mind and will sum up the story when you ask.",
    ),
    "detective": KindSpec(
        "long-range-understanding",
        "who did it, from clues all over the story",
        "exact",
        chunk=LARGE,
        max_tokens=500,
        intro="Here is the next stretch of a detective story I am reading.",
        purpose="I will ask questions that take the whole story to answer",
        instruction="Think the case through, then end with the option that is right, repeated word for word.",
        reply=_NOVEL_READ,
    ),
    "factconsolidation-sh": KindSpec(
        "selective-forgetting",
        "the newest of conflicting facts",
        "contains",
        chunk=SMALL,
        max_tokens=10,
        intro=_FACTS,
        purpose=_NEWEST,
        instruction=f"{_HOLDS}Answer with the bare name or word.",
        reply=_FACTS_READ,
    ),
    "factconsolidation-mh": KindSpec(
        "selective-forgetting",
        "chains of the newest of conflicting facts",
        "contains",
        chunk=SMALL,
        max_tokens=10,
        intro=_FACTS,
        purpose=_NEWEST,
        instruction=f"{_HOLDS}Follow the facts from one to the next, then answer with the bare name or word.",
        reply=_FACTS_READ,
    ),
}
