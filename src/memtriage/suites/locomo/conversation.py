"""A conversation of LoCoMo: two people, their dated sessions, and the questions about them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The kinds of questions by the number that files give them, as the paper's evaluation counts them."""

ADVERSARIAL = 5
IN_TABLE = (4, 1, 2, 3, 5)
"""The order of the paper's tables."""


class Said(NamedTuple):
    """What one of the two says in a turn; `caption` describes the photo shared with it."""

    id: str
    speaker: str
    text: str
    caption: str


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session: its number, when it was (ISO 8601, or None), and what was said."""

    number: int
    at: str | None
    said: tuple[Said, ...]

    @property
    def id(self) -> str:
        return f"session_{self.number}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `index` is its place in the file's list, from 0, and `evidence` the turns that answer it.

    `cited` is the evidence as the file has it, `strangers` what in it names no turn. `tags` say what was corrected.
    """

    index: int
    text: str
    category: int
    answer: str
    evidence: tuple[str, ...]
    cited: str = ""
    strangers: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def kind(self) -> str:
        return CATEGORIES[self.category]

    @property
    def digest(self) -> str:
        """What tells that a question is still the one that somebody wrote about: its text, answer and evidence.

        >>> Question(0, "Who rows?", 4, "Ada", ("D1:1",), "D1:1").digest
        '74dafe5ed05c'
        """
        return hashlib.sha256(f"{self.text}\n{self.answer}\n{self.cited}".encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Two people, what they said to each other, and what is asked about it."""

    id: str
    speakers: tuple[str, str]
    sittings: tuple[Sitting, ...]
    questions: tuple[Question, ...]

    def question_id(self, question: Question) -> str:
        """The id of a question: that of its conversation, and its place in the file."""
        return f"{self.id}/q{question.index}"
