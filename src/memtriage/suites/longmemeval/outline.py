"""A question before it has a history: its words, its gold answer, and what has to be said in which chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtriage.suites.longmemeval.question import QuestionType
from memtriage.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class Statement:
    """One evidence statement: what a single message of a single chat has to say.

    `text` is one or more whole sentences; `details` are phrases of it. `days_before` counts the days from the chat to
    the question's day (None: any day will do). `keys` name what it speaks about, as `attribute` or `attribute#slot`: no
    other chat of the same history may speak about any of them. `values` are the values told, for a check by words.
    A `distractor` is like the evidence but of another time: it is in the history, and answers nothing.
    What the assistant says stands in `body`, the whole message, in reply to `prompt`; both are empty for the user's.
    """

    attribute: str
    text: str
    details: tuple[str, ...]
    keys: frozenset[str]
    values: tuple[str, ...] = ()
    role: str = "user"
    days_before: int | None = None
    outdated: bool = False
    distractor: bool = False
    prompt: str = ""
    body: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences it consists of."""
        return tuple(sentences(self.text))


@dataclass(frozen=True, slots=True)
class Outline:
    """A question with its gold answer and evidence statements, one per chat.

    `ordered`: the chats must be held in the order of the statements (those with days have them in that order too).
    `asked_on` is the question's day (ISO) where dates in the statements fix it, else None: any day.
    Abstention: `untold` are the phrases nothing in the history may tell; the statements tell something close by.
    `tags` hold `op`, how the answer follows from the statements, and for questions about time `time` and `unit`.
    """

    id_hint: str
    type: QuestionType
    text: str
    answer: str
    statements: tuple[Statement, ...]
    abstention: bool = False
    ordered: bool = False
    asked_on: str | None = None
    untold: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes it is about, each once."""
        return tuple(dict.fromkeys(statement.attribute for statement in self.statements))

    @property
    def keys(self) -> frozenset[str]:
        """All that the rest of the history must not speak about."""
        return frozenset().union(*(statement.keys for statement in self.statements))
