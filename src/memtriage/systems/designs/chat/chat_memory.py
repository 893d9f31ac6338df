"""What the chat memories of LongMemEval's table have in common: their prompts, and which moment is now."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.conversation import day_number, latest
from memtriage.systems.designs.chat.prompts import RULES
from memtriage.systems.designs.design import Design
from memtriage.systems.retrieval.vector_store import VectorStore


class ChatMemory(Design, ABC):
    """A written memory with prompts of its own, vectors beside it, and a clock: the newest session's time."""

    rules = RULES

    def __init__(
        self,
        internal: str,
        embedder: str | Embedder,
        summarise: str,
        repeat: int,
        prompts: str,
        granularity: str | int = "turn",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        self._vectors = VectorStore(self.embedder)
        self._now: int | None = None

    def _moment(self, conversation: Session) -> int | None:
        """When a question is asked, as a day's number: its own time, or else that of the newest session."""
        asked = day_number(conversation.timestamp)
        return self._now if asked is None else asked

    def _after(self, conversation: Session) -> int | None:
        """The time after a session; it never goes back."""
        return latest(self._now, day_number(conversation.timestamp))


def on_or_off(name: str, value: object) -> bool:
    """An argument that is on or off, as a bool or as a word."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in _SWITCH:
        return _SWITCH[text]
    raise BadInput(unknown(name, str(value), ("on", "off")))


def one_of(name: str, value: object, known: tuple[str, ...]) -> str:
    """An argument that is one of a few words."""
    if str(value) not in known:
        raise BadInput(unknown(name, str(value), known))
    return str(value)


def day_or_none(value: object) -> int | None:
    """A saved day's number."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a day's number")
    return value


_SWITCH: Mapping[str, bool] = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
