"""The floor and the ceilings of every comparison: nothing, the newest, and everything that fits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput
from memtriage.core.memory import Memory, Traits
from memtriage.systems.retrieval.units import Granularity, UnitStore, whole
from memtriage.text.tokens import count_tokens, tail, tokens_in


class Nothing:
    """Remembers nothing: the floor."""

    traits = Traits(architecture="summarise: nothing; store: nothing; retrieve: nothing", keeps_nothing=True)

    def store_conversation(self, conversation: Session) -> None:
        """Forget it at once."""

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        whole("k", k)
        return []

    def get_all_memories(self) -> list[Memory]:
        return []

    def reset(self) -> None:
        """There is nothing to forget."""

    def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)

    def load(self, path: Path) -> None:
        if not path.is_dir():
            raise BadInput(f"{path} holds no saved memory system")


class Echo:
    """Keeps every word and brings back the newest k memories, whatever was asked."""

    traits = Traits(family="simple-rag", architecture="summarise: verbatim; store: list; retrieve: newest first")

    def __init__(self, granularity: str | int = "turn") -> None:
        self.units = UnitStore(Granularity.parse(granularity))

    def store_conversation(self, conversation: Session) -> None:
        self.units.put(conversation)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return self.units.memories[: -whole("k", k) - 1 : -1]

    def get_all_memories(self) -> list[Memory]:
        return list(self.units.memories)

    def reset(self) -> None:
        self.units.memories.clear()

    def save(self, path: Path) -> None:
        self.units.save(path, {"system": "echo"})

    def load(self, path: Path) -> None:
        self.units.load(path, {"system": "echo"})


class FullContext:
    """Keeps everything that fits a model's window, oldest out first, and brings back all of it, whatever k is."""

    traits = Traits(
        family="long-context",
        architecture=(
            "summarise: verbatim; store: window of tokens, first in first out; retrieve: everything, oldest first"
        ),
        ignores_k=True,
    )

    def __init__(self, window: str | int = "128k", granularity: str | int = "turn") -> None:
        self.window = tokens_in(window)
        self.units = UnitStore(Granularity.parse(granularity))
        self._sizes: deque[int] = deque()
        self._used = 0

    def store_conversation(self, conversation: Session) -> None:
        known = len(self.units.memories)
        self.units.put(conversation)
        self._evict(self.units.memories[known:])

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        whole("k", k)
        return list(self.units.memories)

    def get_all_memories(self) -> list[Memory]:
        return list(self.units.memories)

    def reset(self) -> None:
        self.units.memories.clear()
        self._sizes.clear()
        self._used = 0

    def save(self, path: Path) -> None:
        self.units.save(path, self._settings())

    def load(self, path: Path) -> None:
        self.units.load(path, self._settings())
        self._sizes.clear()
        self._used = 0
        self._evict(self.units.memories)

    def _evict(self, new: Sequence[Memory]) -> None:
        sizes = [count_tokens(memory.text) for memory in new]
        self._sizes.extend(sizes)
        self._used += sum(sizes)
        count = 0
        while self._used > self.window and len(self._sizes) > 1:
            self._used -= self._sizes.popleft()
            count += 1
        del self.units.memories[:count]
        if self._used > self.window:
            self._cut_last()

    def _cut_last(self) -> None:
        """One memory alone is larger than the window: keep its end, which is what a model would still see."""
        last = self.units.memories[-1]
        self.units.memories[-1] = replace(last, text=tail(last.text, self.window))
        self._used = self._sizes[-1] = count_tokens(self.units.memories[-1].text)

    def _settings(self) -> dict[str, str | int | float]:
        return {"system": "full-context", "window": self.window}
