"""The floor and the ceilings of every comparison: nothing, the newest, and everything that fits."""

from __future__ import annotations

import difflib
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput
from memtriage.core.memory import Memory, Traits
from memtriage.models.spec import PROVIDERS
from memtriage.models.windows import Window, known_models, window_of
from memtriage.systems.retrieval.units import Granularity, UnitStore, whole
from memtriage.text.tokens import count_tokens, tail, tokens_in

_USUAL = "128k"
_AROUND = 20
"""Tokens that the id, the date and the quotes of a memory take where a model is shown it."""


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
    """Keeps everything that fits a model's window, oldest out first, and brings back all of it, whatever k is.

    `window` is a number of tokens, or the name of a model that can read so many; without one, it is that of the model
    that answers, where it is known, and otherwise 128k. `reserve` of them stay free: none of a number, and of a model's
    window as many as question and answer need.
    """

    traits = Traits(
        family="long-context",
        architecture=(
            "summarise: verbatim; store: window of tokens, first in first out; retrieve: everything, oldest first"
        ),
        ignores_k=True,
    )

    def __init__(
        self,
        window: str | int | None = None,
        granularity: str | int = "turn",
        reserve: str | int | None = None,
        answer_model: str = "",
    ) -> None:
        self._read_by = _read_by(window, answer_model)
        self._around = _AROUND if self._read_by else 0
        whole_window = self._read_by.tokens if self._read_by else tokens_in(_USUAL if window is None else window)
        spare = self._read_by.reserve if self._read_by else 0
        if reserve is not None:
            spare = 0 if str(reserve).strip() == "0" else tokens_in(reserve, "reserve")
        if spare >= whole_window:
            raise BadInput(f"reserve={spare} leaves nothing of a window of {whole_window} tokens")
        self.window = whole_window - spare
        self.units = UnitStore(Granularity.parse(granularity))
        self._sizes: deque[int] = deque()
        self._used = 0

    def notices(self) -> list[str]:
        """What every report about this system has to say: whose window it fills, if it is a model's."""
        if self._read_by is None:
            return []
        model, tokens = self._read_by.model, self._read_by.tokens
        return [f"the newest {self.window:,} tokens are kept, as the window of {model} is {tokens:,}"]

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
        sizes = [count_tokens(memory.text) + self._around for memory in new]
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
        self.units.memories[-1] = replace(last, text=tail(last.text, max(1, self.window - self._around)))
        self._used = self._sizes[-1] = count_tokens(self.units.memories[-1].text) + self._around

    def _settings(self) -> dict[str, str | int | float]:
        return {"system": "full-context", "window": self.window}


def _read_by(window: str | int | None, answer_model: str) -> Window | None:
    """The window of the model that is named, or else of the one that answers; None if a number is given or usual."""
    if window is None:
        return window_of(answer_model) if answer_model.partition("/")[0] in PROVIDERS else None
    name = str(window).strip()
    if isinstance(window, bool) or not re.match(r"[A-Za-z]", name):
        return None
    found = window_of(name)
    if found is None:
        near = difflib.get_close_matches(name.lower(), known_models(), n=1)
        raise BadInput(
            f"window must be a number of tokens such as 32k, 128k or 1m, or a model whose window is known; "
            f"{name!r} is not one" + (f", did you mean {near[0]!r}?" if near else "")
        )
    return found
