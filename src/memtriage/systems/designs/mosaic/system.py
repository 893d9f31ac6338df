"""mosaic as a system under test: a thin layer over the memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems import saved_state
from memtriage.systems.designs.mosaic.memory import Entry, MosaicMemory
from memtriage.systems.retrieval.units import whole


class Mosaic:
    """Keeps what was said and what hangs on what: seeds, chains, relatives and dependencies, without a model.

    Summarise: nothing; turns stay word for word, and their sentences are typed by their form (state, rule, tie, change,
    retraction, request to forget, plan).
    Store: stems, sentence vectors, and a graph of what changes, replaces or voids what, worked out while storing.
    Retrieve: words and meaning give seeds; chains and relatives are followed from them, and what hangs on something
    that has changed comes with the change. `without` leaves parts out, joined by `+`, such as `without=chains+times`.
    """

    name = "mosaic"
    traits = Traits(
        family="structure-rag",
        architecture="summarise: verbatim; store: stems, sentence vectors, a graph of what changes what; "
        "retrieve: hybrid seeds, chains, relatives, dependencies",
        ranks_all=True,
    )

    def __init__(self, embedder: str | Embedder = "wordllama", without: str = "") -> None:
        self.memory = MosaicMemory(embedder, [part for part in str(without).split("+") if part])
        self._sources: dict[str, str] = {}

    def store_conversation(self, conversation: Session) -> None:
        entries = [
            Entry(
                turn.id if turn.id.startswith(conversation.id) else f"{conversation.id}/{turn.id}",
                turn.text,
                turn.role,
                conversation.id,
                conversation.timestamp,
            )
            for turn in conversation.turns
        ]
        self.memory.add_all(entries)
        self._sources |= {entry.id: turn.id for entry, turn in zip(entries, conversation.turns, strict=True)}

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        hits = self.memory.search(query, whole("k", k), at=conversation.timestamp)
        return [self._shown(hit.entry, hit.score) for hit in hits]

    def get_all_memories(self) -> list[Memory]:
        return [self._shown(entry) for entry in self.memory.get_all()]

    def reset(self) -> None:
        self.memory.clear()
        self._sources = {}

    def save(self, path: Path) -> None:
        """Write everything kept into a directory, as JSON."""
        kept = [asdict(entry) for entry in self.memory.get_all()]
        saved_state.write(path, self._settings(), entries=kept, sources=self._sources)

    def load(self, path: Path) -> None:
        """Read back what `save` wrote; other settings than these are refused, and then nothing changes."""
        entries, sources = saved_state.read(path, self._settings(), "entries", "sources")
        fresh = MosaicMemory(self.memory.embedder, self.memory.without)
        with saved_state.damage_reported(path):
            fresh.add_all([_entry(each) for each in entries])
            known = {str(id): str(turn) for id, turn in sources.items()}
        self.memory, self._sources = fresh, known

    def _shown(self, entry: Entry, score: float | None = None) -> Memory:
        source = self._sources.get(entry.id) or self._sources.get(entry.id.rpartition("#")[0], "")
        return Memory(entry.id, entry.text, entry.at, (source,) if source else (), score)

    def _settings(self) -> dict[str, str]:
        return {"system": self.name, "embedder": self.memory.embedder.name}


def _entry(saved: Mapping[str, Any]) -> Entry:
    entry = Entry(**saved)
    if not all(isinstance(part, str) for part in (entry.id, entry.text, entry.role, entry.session)):
        raise ValueError(f"{saved!r} is no entry")
    return entry
