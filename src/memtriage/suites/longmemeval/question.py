"""One question with its history: what the generator makes, the loader reads and the layout turns into an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from memtriage.core.episode import Turns
from memtriage.core.errors import BadInput

QuestionType = Literal[
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "knowledge-update",
    "temporal-reasoning",
]
TYPES: tuple[QuestionType, ...] = get_args(QuestionType)
ABSTENTION = "abstention"
"""The seventh type: a question of one of the six whose premise is false; its id ends with `_abs`."""


PER_500: dict[tuple[QuestionType, bool], int] = {
    ("single-session-user", False): 64,
    ("single-session-user", True): 6,
    ("single-session-assistant", False): 56,
    ("single-session-preference", False): 30,
    ("multi-session", False): 121,
    ("multi-session", True): 12,
    ("knowledge-update", False): 72,
    ("knowledge-update", True): 6,
    ("temporal-reasoning", False): 127,
    ("temporal-reasoning", True): 6,
}
"""How many questions of each type the paper's 500 hold, without and with a false premise."""


class Message(NamedTuple):
    """One message of a chat; `has_answer` marks those that hold evidence."""

    role: str
    text: str
    has_answer: bool = False


@dataclass(frozen=True)
class Chat:
    """A chat without a date: the same one may stand in many histories.

    What every history makes of it is worked out once, and stays the same object.
    """

    id: str
    messages: tuple[Message, ...]

    @classmethod
    def of_texts(cls, id: str, roles: Sequence[str], texts: Sequence[str], marked: Sequence[int]) -> Chat:
        """A chat of texts, none of them empty, those at some places marked as evidence.

        Its messages are built when somebody looks at them: of most chats, only the turns are used.
        """
        chat = object.__new__(cls)
        fields = vars(chat)
        fields["id"] = id
        fields["turns"] = Turns(id, range(1, len(texts) + 1), roles, texts)
        fields["marked"] = tuple([turn_id(id, n) for n in marked]) if marked else ()
        return chat

    @property
    def texts(self) -> Sequence[str]:
        """What each message says."""
        return [message.text for message in self.messages] if "messages" in vars(self) else self.turns.texts

    @cached_property
    def turns(self) -> Turns:
        """Its turns, numbered as the paper's code numbers them; an empty message has a number, but no turn."""
        told = [(n, role, text) for n, (role, text, _) in enumerate(self.messages, start=1) if text.strip()]
        numbers, roles, texts = zip(*told, strict=True) if told else ((), (), ())
        return Turns(self.id, numbers, roles, texts)

    @cached_property
    def marked(self) -> tuple[str, ...]:
        """The ids of the turns marked as evidence: the file marks both sides, the measures decide which count."""
        numbered = enumerate(self.messages)
        return tuple([turn_id(self.id, n) for n, (_, text, marked) in numbered if marked and text.strip()])

    if not TYPE_CHECKING:

        def __getattr__(self, name):  # of a chat of texts, until its messages are built
            if name != "messages":
                raise AttributeError(f"a chat has no {name!r}")
            built = tuple([Message(turn.role, turn.text, turn.id in self.marked) for turn in self.turns])
            return vars(self).setdefault("messages", built)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one message tells that the question rests on.

    `message` counts from 0. `texts` are the sentences, word for word, that say it; `details` the phrases without which
    it is no longer the same. What is `outdated` no longer held when the question was asked: a memory need not bring it.
    """

    chat: str
    message: int
    texts: tuple[str, ...]
    details: tuple[str, ...]
    outdated: bool = False


class DatedChat(NamedTuple):
    """A chat and when it was held (ISO 8601, to the minute)."""

    at: str
    chat: Chat


@dataclass(frozen=True, slots=True)
class Question:
    """A question, when it is asked, its gold answer (for preferences a rubric), and the history before it.

    `answer_chats` are the ids of the evidence sessions. `tags` say more about it, such as `time=explicit`.
    """

    id: str
    type: QuestionType
    text: str
    answer: str
    asked_at: str
    history: tuple[DatedChat, ...]
    answer_chats: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def abstention(self) -> bool:
        """Whether the right answer is that it was never told."""
        return self.id.endswith("_abs")


def type_mixture(n: int, seed: int = 0) -> list[tuple[QuestionType, bool]]:
    """So many types, each with whether its premise is false, in the paper's proportions and in mixed order.

    >>> [type for type, abstention in type_mixture(500)].count("single-session-user")
    70
    """
    if n < 0:
        raise BadInput(f"the number of questions can't be negative: {n}")
    exact = {kind: n * share / 500 for kind, share in PER_500.items()}
    counts = {kind: int(share) for kind, share in exact.items()}
    most_missing = sorted(PER_500, key=lambda kind: counts[kind] - exact[kind])
    for kind in most_missing[: n - sum(counts.values())]:
        counts[kind] += 1
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    Random(f"longmemeval:mixture:{seed}").shuffle(kinds)
    return kinds


def turn_id(chat: str, message: int) -> str:
    """The id of a message as the paper's code numbers them: from 1 on.

    >>> turn_id("answer_280352e9", 0)
    'answer_280352e9_1'
    """
    return f"{chat}_{message + 1}"
