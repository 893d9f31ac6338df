"""The rows of MemFail's five datasets, as the released CSV files lay them out.

Generated rows carry two things more than released ones: `evidence`, the sentences of the essay that
state the fact, word for word, and `details`, the phrases in those sentences that must survive. For
released rows both are empty here and found by alignment later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DATASETS = ("conditional-easy", "conditional-hard", "coexisting", "persona", "long-hop")

LETTERS = ("A", "B", "C", "D", "E")
"""The options of a Long-Hop question."""

EntityCategory = Literal["person", "pet", "character"]


@dataclass(frozen=True, slots=True)
class ConditionalRow:
    """An essay about an entity that does something under one condition only."""

    entity: str
    entity_category: str
    behavior: str
    condition_type: str
    condition: str
    essay: str
    question: str
    question_context: str
    condition_met: str
    ground_truth_answer: str
    evidence: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoexistingRow:
    """Several preferences of one kind that don't exclude each other."""

    preference_category: str
    preferences: tuple[str, ...]
    preference_facts: tuple[str, ...]
    question: str
    ground_truth_answer: str


@dataclass(frozen=True, slots=True)
class PersonaQuestion:
    """A question about the essay's person, or a misleading one about somebody else."""

    text: str
    is_misleading: bool
    distractor: str | None
    ground_truth_answer: str
    evidence: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonaRow:
    """An essay about a named person, and three questions."""

    entity: str
    essay: str
    questions: tuple[PersonaQuestion, ...]


@dataclass(frozen=True, slots=True)
class LongHopRow:
    """A chain of K+1 facts over K+2 anchors, and a five-way question from its head to its end.

    `graded_question` carries the lettered options below the question, as it is asked.
    """

    id: str
    hop_count: int
    facts: tuple[str, ...]
    chain: tuple[str, ...]
    graded_question: str
    ground_truth_answer: str
    choices: tuple[str, ...]
    correct_choice: str


Row = ConditionalRow | CoexistingRow | PersonaRow | LongHopRow
