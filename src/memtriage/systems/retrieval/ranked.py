"""A memory that keeps what was said word for word and ranks it by one or several indexes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from memtriage.core.episode import Session
from memtriage.core.memory import Memory
from memtriage.systems.retrieval.blocks import Block, BlockStore
from memtriage.systems.retrieval.units import Granularity, Scores, Settings, whole


class Index(Protocol):
    """Scores texts that only ever grow in number; they come as memories or in blocks."""

    def catch_up(self, memories: Sequence[Memory]) -> None: ...

    def catch_up_with(self, blocks: Sequence[Block]) -> None: ...

    def scores(self, query: str) -> Scores: ...

    def clear(self) -> None: ...

    def save(self, path: Path) -> None: ...

    def load(self, path: Path, expected: int, blocks: int) -> None: ...


class RankedMemory(ABC):
    """With `roles="user"` it keeps the user's turns alone, as LongMemEval's own retrieval does."""

    _indexes: Sequence[Index]

    def __init__(self, granularity: str | int, roles: str) -> None:
        self.units = BlockStore(Granularity.parse(granularity), roles)

    def store_conversation(self, conversation: Session) -> None:
        self.units.put(conversation)

    def settle(self) -> None:
        """Index everything stored so far."""
        for index in self._indexes:
            index.catch_up_with(self.units.blocks)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return self.units.best(self.scores(query), whole("k", k))

    def scores(self, query: str) -> Scores:
        """One score per memory, in the order in which they came."""
        self.settle()
        return self._combined([index.scores(query) for index in self._indexes])

    def get_all_memories(self) -> list[Memory]:
        return list(self.units.memories)

    def reset(self) -> None:
        self.units.clear()
        for index in self._indexes:
            index.clear()

    def save(self, path: Path) -> None:
        self.settle()
        self.units.save(path, self._settings())
        for index in self._indexes:
            index.save(path)

    def load(self, path: Path) -> None:
        self.units.load(path, self._settings())
        for index in self._indexes:
            index.load(path, len(self.units), len(self.units.blocks))

    def _combined(self, scores: Sequence[Scores]) -> Scores:
        """One score per text out of those of all indexes."""
        return scores[0]

    @abstractmethod
    def _settings(self) -> Settings: ...
