"""What memorag and self-rag have in common: passages word for word, their index, and how both are saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from memtriage.core.chat import ModelError
from memtriage.core.errors import BadSystem
from memtriage.core.memory import Memory
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.chat_memory import one_of
from memtriage.systems.designs.design import Design
from memtriage.systems.designs.prompts import Ask
from memtriage.systems.designs.rag.prompts import RULES
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.hybrid import Hybrid
from memtriage.systems.retrieval.ranked import RankedMemory

SEARCHES = ("dense", "bm25", "hybrid")
_FOLDER = "passages"
_UNREADABLE = ("malformed", "empty", "refusal")


class PassageMemory(Design):
    """A memory of passages, with a model that guides the search in them.

    Several threads may ask at once: only the search itself goes one by one, calls to the model don't wait for it.
    """

    rules = RULES
    without_model: ClassVar[str]
    """What it can do without a model, for the message to those who name none."""

    def __init__(
        self,
        internal: str,
        embedder: str | Embedder,
        summarise: str,
        granularity: str | int,
        search: str,
        repeat: int,
        prompts: str,
    ) -> None:
        if summarise == "model" and not internal:
            raise BadSystem(
                f"{self.name} is guided by a model and has none; name one with --internal. {self.without_model}"
            )
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        self.search = one_of("search", search, SEARCHES)
        self._passages = self._no_passages()
        self._lock = Lock()
        self._told: Counter[str] = Counter()

    def get_all_memories(self) -> list[Memory]:
        return self._passages.get_all_memories()

    def notices(self) -> list[str]:
        """What every report about this system has to say, and how often something out of the ordinary happened."""
        return [*super().notices(), *(f"{what}: {times}" for what, times in sorted(self._told.items()))]

    def save(self, path: Path) -> None:
        """Write everything kept into a directory: passages with their index in a folder, the rest as JSON."""
        super().save(path)
        self._passages.save(path / _FOLDER)

    def load(self, path: Path) -> None:
        """Read back what `save` wrote; other settings than these are refused, and then nothing changes."""
        passages = self._no_passages()
        passages.load(path / _FOLDER)
        super().load(path)
        self._passages = passages

    def _no_passages(self) -> RankedMemory:
        size = str(self.granularity)
        if self.search == "bm25":
            return BM25(size)
        return Hybrid(size, self.embedder) if self.search == "hybrid" else Dense(size, self.embedder)

    def _asked(self, ask: Ask) -> Mapping[str, Any] | None:
        """The model's reply while it searches; None if it can't be read, so that the search goes on without it."""
        try:
            return self._ask(ask)
        except ModelError as error:
            if error.trouble not in _UNREADABLE:
                raise
            self._tell("replies of the model that could not be read")
            return None

    def _tell(self, what: str) -> None:
        """Have every report say how often this happened."""
        with self._lock:
            self._told[what] += 1

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "search": self.search}
