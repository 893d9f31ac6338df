"""Calls to chat models and their replies.

A role says who asks: `answer` (the test-taker), `judge`, `internal` (inside a memory system) or `embed`. A stage says
what for (`answer`, `storage`, `summary`, …). Usage is counted by both.
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
    "outage",
]
"""Why a call failed, after all retries."""

FATAL: frozenset[Trouble] = frozenset({"auth", "unknown_model", "not_a_model_server", "outage"})
"""Troubles that would make every further call fail too."""

PATIENCE = 300.0
"""How many seconds an endpoint that answers nothing is waited for, unless the user says otherwise."""

FINGERPRINT = "stub"
"""The `system_fingerprint` that marks a reply as scripted."""

SCRIPTED = "its model is the scripted server: this run proves plumbing, not quality"
"""The note in every report on a system that used the scripted model."""


class ModelError(MemtriageError):
    """A model call that failed; the message never contains an API key."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble

    def fresh(self) -> ModelError:
        """A copy of the error, to be raised somewhere else."""
        return ModelError(self.trouble, str(self))

    def __reduce__(self) -> tuple[Any, ...]:  # to be raised in another process
        return type(self), (self.trouble, str(self))


class CallHeld(BaseException):
    """A store can't go on before the reply to its next call is imported. It is no error that a system may catch.

    `rounds` is about how many replies, one after the other, the store still needs.
    """

    rounds: int = 1


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON schema a reply must match, and its name."""

    name: str
    json: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a model. `repeat` tells repetitions of the same call apart."""

    role: Role
    stage: str
    messages: tuple[Message, ...]
    schema: Schema | None = None
    max_tokens: int | None = None
    repeat: int = 0
    temperature: float | None = None
    """What the caller would like; what the user says of the model goes first, and a model may refuse it."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a call. A cached reply costs nothing, but still gives the tokens of the original call.

    Of the input, `cached` was read from the provider's own cache and `written` into it, at prices of their own; of the
    output, `reasoning` was thought and not said.
    """

    input: int
    output: int
    cached: int = 0
    written: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. `data` is the parsed object if the call had a schema.

    A `scripted` reply came from the scripted server: it proves plumbing, not quality.
    """

    text: str
    tokens: Tokens
    seconds: float
    cached: bool
    data: Mapping[str, Any] | None = None
    scripted: bool = False


class ChatModel(Protocol):
    """Anything that answers calls; it raises ModelError if it can't."""

    @property
    def name(self) -> str:
        """The model's name in tables and files; never contains an API key."""

    async def ask(self, call: Call) -> Reply: ...
