"""What the chat memories of LongMemEval's table have in common: their prompts, and which moment is now."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.chat.conversation import day_number, latest
from memtriage.systems.designs.chat.prompts import RULES
from memtriage.systems.designs.design import Written
from memtriage.systems.designs.prompts import digest, worded
from memtriage.systems.retrieval.units import newest_first
from memtriage.systems.retrieval.vector_store import VectorShelf


class NearShelf(VectorShelf):
    """A shelf that is asked for a few nearest vectors far more often than for all: it sorts no more than those."""

    def nearest(self, vector: Vectors, most: int, at_least: float = -2.0) -> list[tuple[str, float]]:
        scores = np.vecdot(self._matrix[: self._count], vector)
        looked = max(most, 1)
        while True:
            rows = newest_first(scores, looked)
            found = [(id, float(scores[row])) for row in rows if (id := self._ids[row]) is not None]
            if len(found) >= most or looked >= len(scores):
                return [(id, score) for id, score in found[:most] if score >= at_least]
            looked *= 4  # some rows are of dropped vectors


class ChatMemory(Written, ABC):
    """A written memory with prompts of its own, vectors beside it, and a clock: the newest session's time."""

    asks: ClassVar[tuple[str, ...]] = ()
    questions: ClassVar[tuple[str, ...]]
    """The questions that are put to the model, by their names in `RULES`."""

    def __init__(
        self,
        internal: str,
        embedder: str | Embedder,
        summarise: str,
        repeat: int,
        prompts: str,
        granularity: str | int = "turn",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat)
        self.prompts = worded(self.name, self._usual(), prompts)
        self._shelf = NearShelf(self.embedder)
        self._now: int | None = None

    def _usual(self) -> dict[str, str]:
        return {question: RULES[question] for question in self.questions}

    def _settings(self) -> dict[str, str | int | float]:
        shared = {key: value for key, value in super()._settings().items() if key != "prompts"}
        return shared if self.prompts == self._usual() else {**shared, "prompts": digest(self.prompts)}

    def _moment(self, conversation: Session) -> int | None:
        """When a question is asked, as a day's number: its own time, or else that of the newest session."""
        asked = day_number(conversation.timestamp)
        return self._now if asked is None else asked

    def _after(self, conversation: Session) -> int | None:
        """The clock as a session leaves it; it never goes back."""
        return latest(self._now, day_number(conversation.timestamp))


def switched(name: str, value: object) -> bool:
    """An argument that is on or off, wherever it was typed."""
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
