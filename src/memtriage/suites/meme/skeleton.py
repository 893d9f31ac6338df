"""An episode before it is put into chats: what depends on what, what is said when, what is asked, what is right.

Skeletons come from the generator or from released files; chats, fillers and probes are made of both in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

TaskType = Literal["exact-recall", "aggregation", "tracking", "deletion", "cascade", "absence"]
TASKS: tuple[TaskType, ...] = get_args(TaskType)

StatementKind = Literal["fact", "dependency", "rule", "update", "exact", "change", "delete", "filler"]
"""What a statement does: tells a plain fact; tells one together with what it depends on; declares what it will be if
that changes; tells a later value; asks to keep a text word for word; reports the change; takes a fact back; or is only
there as filler."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing the user says. `text` is word for word in a user's turn.

    `source` is the entity that a dependency or a rule is about, `step` the place of a value in its history.
    """

    entity: str
    value: str
    kind: StatementKind
    text: str
    source: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """One question of one task. `before` is the right answer before the change, empty where it is asked only after.

    `values` are what the gold answer is made of, in order: a history, a triple, or the one value.
    """

    type: TaskType
    targets: tuple[str, ...]
    text: str
    gold: str
    values: tuple[str, ...]
    before: str = ""
    hop: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A dependency that the episode uses: `hop` counts from the root, `pattern` says of what kind it is."""

    source: str
    target: str
    hop: int
    pattern: str
    middle: bool = False


@dataclass(frozen=True, slots=True)
class Skeleton:
    """One episode: the root and its change, the links in use, five sessions of statements, and the questions.

    The first four sessions introduce; the last one tells the change and the deletion.
    """

    id: str
    domain: str
    root: str
    change: tuple[str, str]
    links: tuple[Link, ...]
    sessions: tuple[tuple[Statement, ...], ...]
    questions: tuple[Question, ...]
    entities: tuple[str, ...] = field(default=())

    def statements(self) -> tuple[Statement, ...]:
        """Everything that is said, in order."""
        return tuple(statement for session in self.sessions for statement in session)
