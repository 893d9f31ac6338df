"""A-MEM as a memory system: notes that a model describes, links and rewrites as new ones arrive.

summarise: each turn is a note, kept word for word; a model adds context, keywords and tags; store: Chroma, one folder
per scope, and a second call per note in which the model may link it and rewrite the context and tags of its five
nearest neighbours; retrieve: the k notes whose text with context, keywords and tags lies nearest.

What this adapter does for the library's ways:
- It embeds with a local model from a hub. Here the run's embedding endpoint takes that place, so that every system in
  a comparison sees with the same eyes; `embedding_folder=PATH` names a local sentence-transformers folder instead.
- Every instance calls its Chroma collection `memories`. Each scope has a folder of its own, closed before it goes.
- `search` gives neither content nor similarity, and counts as an access what it reads. Here the library's retriever is
  asked, contents are read as they are stored, and a distance d between unit vectors becomes the cosine 1 - d / 2.
- Reading a note turns texts that look like numbers or lists into such. Contents are taken from Chroma as written.
- A model error leaves a note without description, a failed update of a neighbour deletes it. What the library prints
  or logs of this is told as a trouble; a note that is gone is an error.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import math
import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memtriage_adapter import Info, LoggedTroubles, Memory, Model, Refused, Session, Settings, serve, trouble

TESTED = "0.2.6"
OPTIONS = {
    "note": "what one note holds: turn (default) or session",
    "cache_size": "notes that the library keeps in memory, 1000 unless told",
    "embedding_folder": "a local sentence-transformers folder, used instead of the run's embedding model",
}
_TIME = "%Y%m%d%H%M"
_BATCH = 1000


class AMem:
    """One scope's A-MEM, with a Chroma folder of its own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.unit = _choice(settings, "note", ("turn", "session"))
        self.sources: dict[str, list[str]] = {}
        self.memory: Any = None
        self._open()

    def store_conversation(self, conversation: Session) -> None:
        when = _stamp(conversation.timestamp)
        for content, turns in _notes(conversation, self.unit):
            self.sources[self.memory.add_note(content, time=when)] = turns
        self._miss_none()

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        if self._collection.count() == 0:
            return []
        found = self.memory.retriever.search(query, k)
        notes = self._notes(found["ids"][0])
        nearest = zip(found["ids"][0], found["distances"][0], strict=True)
        return [self._as_memory(key, notes[key], 1 - distance / 2) for key, distance in nearest][:k]

    def get_all_memories(self) -> list[Memory]:
        notes = self._notes()
        stored = [key for key in self.sources if key in notes]
        others = [key for key in notes if key not in self.sources]
        return [self._as_memory(key, notes[key]) for key in stored + others]

    def save(self, path: Path) -> None:
        import numpy

        path.mkdir(parents=True, exist_ok=True)
        kept = self._collection.get(include=["metadatas", "documents", "embeddings"])
        state = {"sources": self.sources, **{part: kept[part] for part in ("ids", "metadatas", "documents")}}
        (path / "notes.json").write_text(json.dumps(state))
        numpy.save(path / "vectors.npy", numpy.asarray(kept["embeddings"], dtype=numpy.float32))

    def load(self, path: Path) -> None:
        import numpy

        state = json.loads((path / "notes.json").read_text())
        vectors = numpy.load(path / "vectors.npy")
        self._let_go()
        self._open()
        self.sources = state["sources"]
        for start in range(0, len(state["ids"]), _BATCH):
            part = slice(start, start + _BATCH)
            self._collection.add(
                ids=state["ids"][part],
                embeddings=vectors[part],
                metadatas=state["metadatas"][part],
                documents=state["documents"][part],
            )

    def close(self) -> None:
        self._let_go()
        shutil.rmtree(self.settings.home, ignore_errors=True)

    @property
    def _collection(self) -> Any:
        return self.memory.retriever.collection

    def _open(self) -> None:
        import openai
        from agentic_memory.memory_system import AgenticMemorySystem

        model = self.settings.internal
        if model is None:
            raise Refused("a-mem needs a chat model; name one with --internal")
        self.memory = AgenticMemorySystem(
            model_name=self.settings.options.get("embedding_folder", ""),
            llm_backend="openai",
            llm_model=model.model,
            api_key=model.api_key,
            storage_path=str(self.settings.home / "chroma"),
            cache_size=_number(self.settings, "cache_size", 1000),
        )
        self.memory.llm_controller.llm.client = openai.OpenAI(base_url=model.base_url, api_key=model.api_key)

    def _let_go(self) -> None:
        folder = self.memory.retriever.persist_directory
        self.memory.retriever.client.close()  # else Chroma would go on with the folder's old files
        self.memory = None
        shutil.rmtree(folder, ignore_errors=True)

    def _notes(self, ids: list[str] | None = None) -> dict[str, dict[str, str]]:
        """Notes as Chroma holds them now, after every rewriting."""
        if ids == []:
            return {}
        kept = self._collection.get(ids=ids, include=["metadatas"])
        return dict(zip(kept["ids"], kept["metadatas"], strict=True))

    def _miss_none(self) -> None:
        there = set(self._collection.get(include=[])["ids"])
        missing = [key for key in self.sources if key not in there]
        if missing:
            raise RuntimeError(
                f"a-mem lost {len(missing)} notes while it rewrote neighbours, the first one is {missing[0]}"
            )

    def _as_memory(self, key: str, note: dict[str, str], score: float | None = None) -> Memory:
        return Memory(key, _text(note), _written(note["timestamp"]), tuple(self.sources.get(key, ())), score)


def prepare(settings: Settings) -> Info:
    """Check what was given, put the run's embedding model in its place, and listen to what the library swallows."""
    if settings.internal is None:
        raise Refused("a-mem needs a chat model; name one with --internal")
    folder = settings.options.get("embedding_folder")
    if folder and not Path(folder).is_dir():
        raise Refused(f"a-mem:embedding_folder={folder} is no folder with a sentence-transformers model")
    if not folder and settings.embed is None:
        raise Refused(
            "a-mem needs an embedding model; name one with --embed, "
            "or a local sentence-transformers folder with a-mem:embedding_folder=PATH"
        )
    _choice(settings, "note", ("turn", "session"))
    _number(settings, "cache_size", 1000)
    from agentic_memory import memory_system, retrievers

    if not folder and settings.embed is not None:
        endpoint = _embeddings(settings.embed)
        retrievers.SentenceTransformerEmbeddingFunction = lambda model_name: endpoint
    for module in (memory_system, retrievers):
        module.print = _print
    logging.getLogger("agentic_memory").addHandler(LoggedTroubles())
    version = importlib.metadata.version("a-mem")
    notices = [f"A-MEM searches with its own embedding model ({folder}), not with the run's"] if folder else []
    if version != TESTED:
        notices.append(f"a-mem {version} is not the tested version {TESTED}")
    return Info(version, tuple(notices))


def _embeddings(model: Model) -> Any:
    """The run's embedding endpoint, in the shape in which Chroma wants one."""
    import openai
    from chromadb import Documents, EmbeddingFunction

    client = openai.OpenAI(base_url=model.base_url, api_key=model.api_key)

    class Endpoint(EmbeddingFunction[Documents]):  # type: ignore[misc]
        def __init__(self) -> None:
            """Chroma wants to see one."""

        def __call__(self, input: Documents) -> Any:
            texts = [text or " " for text in input]
            reply = client.embeddings.create(model=model.model, input=texts, encoding_format="float")
            return [unit(each.embedding) for each in sorted(reply.data, key=lambda each: each.index)]

        @staticmethod
        def name() -> str:
            return "memtriage-endpoint"

        def get_config(self) -> dict[str, Any]:
            return {}

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> Any:
            return Endpoint()

    return Endpoint()


def unit(vector: Sequence[float]) -> list[float]:
    """The vector at length one, as the library's own embedding model gives it."""
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else list(vector)


def _notes(conversation: Session, unit: str) -> Iterator[tuple[str, list[str]]]:
    """What becomes a note: its content, and the turns it is made of."""
    lines = [(f"{turn.role}: {turn.text}", turn.id) for turn in conversation.turns if turn.text.strip()]
    if unit == "turn":
        yield from ((content, [turn]) for content, turn in lines)
    elif lines:
        yield "\n".join(content for content, _ in lines), [turn for _, turn in lines]


def _text(note: dict[str, str]) -> str:
    """A note as the library shows it to a model: its content, then the description, as it is now."""
    keywords, tags = json.loads(note["keywords"]), json.loads(note["tags"])
    lines = [
        note["content"],
        f"time: {_written(note['timestamp']) or note['timestamp']}",
        f"context: {note['context']}" if note["context"] not in ("", "General") else "",
        f"keywords: {', '.join(map(str, keywords))}" if keywords else "",
        f"tags: {', '.join(map(str, tags))}" if tags else "",
    ]
    return "\n".join(line for line in lines if line)


def _stamp(timestamp: str | None) -> str | None:
    """A session's time as A-MEM writes it."""
    try:
        return datetime.fromisoformat(timestamp).strftime(_TIME) if timestamp else None
    except ValueError:
        return timestamp


def _written(stamp: str) -> str | None:
    try:
        return datetime.strptime(stamp, _TIME).isoformat(timespec="minutes")
    except ValueError:
        return None


def _print(*printed: object, **_: object) -> None:
    """Report what the library prints: these are errors that it ignores."""
    text = " ".join(map(str, printed))
    trouble(f"a-mem: {text}"[:500])
    print(text)


def _number(settings: Settings, name: str, otherwise: int) -> int:
    given = settings.options.get(name)
    if given is None:
        return otherwise
    if not given.isdigit() or int(given) < 1:
        raise Refused(f"a-mem:{name} must be a whole number from 1 on, not {given!r}")
    return int(given)


def _choice(settings: Settings, name: str, choices: tuple[str, ...]) -> str:
    given = settings.options.get(name, choices[0])
    if given not in choices:
        raise Refused(f"a-mem:{name} must be {' or '.join(choices)}, not {given!r}")
    return given


if __name__ == "__main__":
    serve(AMem, name="a-mem", options=OPTIONS, prepare=prepare)
