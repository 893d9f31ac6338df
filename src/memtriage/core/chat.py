"""What is asked of a chat model and what comes back: the words every role shares.

A role is who asks: `answer` (the test-taker), `judge`, `internal` (inside a memory system), `embed`. A
stage is what for (`answer`, `storage`, `summary`, …); usage is kept for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from memtriage.core.errors import MemtriageError

Role = Literal["internal", "answer", "judge", "embed"]

Trouble = Literal[
    "timeout",
    "rate_limit",
    "server",
    "connection",
    "malformed",
    "refusal",
    "empty",
    "context",
    "auth",
    "unknown_model",
    "not_a_model_server",
    "bad_request",
    "budget",
]
"""What went wrong with a call, after every retry that could help."""

FATAL: frozenset[Trouble] = frozenset({"auth", "unknown_model", "not_a_model_server"})
"""Troubles that every further call would run into as well."""


FINGERPRINT = "stub"
"""What tells a scripted reply from a model's."""

SCRIPTED = "its model is the scripted server: this run proves plumbing, not quality"
"""What every report says of a system whose model was the scripted one."""


class ModelError(MemtriageError):
    """A call that could not be answered; the message never holds a key."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble

    def fresh(self) -> ModelError:
        """The same error, for another place to raise it."""
        return ModelError(self.trouble, str(self))


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON object a reply must be: a name and a JSON schema."""

    name: str
    json: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model. `repeat` tells independent repetitions of the same question apart."""

    role: Role
    stage: str
    messages: tuple[Message, ...]
    schema: Schema | None = None
    max_tokens: int | None = None
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call took. A reply from the cache costs nothing, but still says what it took when it was made."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `data` is the parsed object where a schema was asked for.

    A `scripted` reply came from the scripted server: it proves plumbing, not quality.
    """

    text: str
    tokens: Tokens
    seconds: float
    cached: bool
    data: Mapping[str, Any] | None = None
    scripted: bool = False


class ChatModel(Protocol):
    """Anything that answers calls; it raises ModelError where it can't."""

    @property
    def name(self) -> str:
        """The model as tables and files name it, without any key."""

    async def ask(self, call: Call) -> Reply: ...
