"""A-MEM as a memory system: notes that a model describes, links and rewrites as new ones arrive.

summarise: each turn is a note, kept word for word; a model adds context, keywords and tags; store: Chroma, one folder
per scope, and a second call per note in which the model may link it and rewrite the context and tags of its five
nearest neighbours; retrieve: the k notes whose text with context, keywords and tags lies nearest, and with `links` the
notes that these are linked to.

The package `a-mem` in the registry is another author's fork (github.com/DiaaAj/a-mem-mcp). `source=PATH` runs the code
of the paper's authors from a checkout of github.com/WujiangXu/A-mem, which keeps its notes in memory.

What this adapter does for the library's ways:
- It embeds with a local model from a hub. Here the run's embedding endpoint takes that place, so that every system in
  a comparison sees with the same eyes; `embedding_folder=PATH` names a local sentence-transformers folder instead.
- Every instance calls its Chroma collection `memories`. Each scope has a folder of its own, closed before it goes.
- `search` gives neither content nor similarity, and counts as an access what it reads. Here the library's retriever is
  asked, contents are read as they are stored, and a distance d between unit vectors becomes the cosine 1 - d / 2.
- Reading a note turns texts that look like numbers or lists into such. Contents are taken from Chroma as written.
- A model error leaves a note without description, a failed update of a neighbour deletes it. What the library prints
  or logs of this is told as a trouble; a note that is gone is an error.
- The paper reads each note that it finds together with those that it is linked to, however many. Here a found note
  is followed by its linked ones, and k counts both. The fork's own `search` brings no links, so there it is an option.
- The paper's code calls `re` without importing it, and so would lose every description. Here it finds the module.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import logging
import math
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memtriage_adapter import Info, LoggedTroubles, Memory, Model, Refused, Session, Settings, serve, trouble

TESTED = "0.2.6"
OPTIONS = {
    "source": "the folder of a checkout of the paper's code, github.com/WujiangXu/A-mem, instead of the fork",
    "links": "true or false: bring the notes that a found one is linked to; true with source, else false",
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
        self.links = _switch(settings, "links", bool(_checkout(settings)))
        self.sources: dict[str, list[str]] = {}
        self.memory: Any = None
        self._open()

    def store_conversation(self, conversation: Session) -> None:
        when = _stamp(conversation.timestamp)
        for content, turns in _notes(conversation, self.unit):
            self.sources[self.memory.add_note(content, time=when)] = turns
        self._miss_none()

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        scores = self._nearest(query, k)
        notes = self._notes(list(scores))
        if self.links:
            notes |= self._notes(
                list({link for note in notes.values() for link in json.loads(note["links"])} - set(notes))
            )
        order = with_links(list(scores), {key: json.loads(note["links"]) for key, note in notes.items()}, self.links)
        return [self._as_memory(key, notes[key], scores.get(key)) for key in order if key in notes][:k]

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

    def _nearest(self, query: str, k: int) -> dict[str, float | None]:
        """The ids of the k nearest notes, nearest first, each with its cosine."""
        if self._collection.count() == 0:
            return {}
        found = self.memory.retriever.search(query, k)
        return {key: 1 - d / 2 for key, d in zip(found["ids"][0], found["distances"][0], strict=True)}

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


class PaperAMem(AMem):
    """One scope's A-MEM as the paper's authors ran it: notes and vectors in memory, links by position."""

    def save(self, path: Path) -> None:
        import numpy

        path.mkdir(parents=True, exist_ok=True)
        retriever = self.memory.retriever
        notes = [vars(note) for note in self.memory.memories.values()]
        state = {"sources": self.sources, "notes": notes, "texts": retriever.corpus, "evolved": self.memory.evo_cnt}
        (path / "notes.json").write_text(json.dumps(state))
        if notes:
            numpy.save(path / "vectors.npy", retriever.embeddings)

    def load(self, path: Path) -> None:
        import memory_layer
        import numpy

        state = json.loads((path / "notes.json").read_text())
        self._open()
        self.sources, self.memory.evo_cnt = state["sources"], state["evolved"]
        self.memory.memories = {note["id"]: memory_layer.MemoryNote(**note) for note in state["notes"]}
        if state["notes"]:
            retriever = self.memory.retriever
            retriever.corpus, retriever.embeddings = state["texts"], numpy.load(path / "vectors.npy")
            retriever.document_ids = {text: place for place, text in enumerate(state["texts"])}

    def _open(self) -> None:
        import memory_layer
        import openai

        model = self.settings.internal
        if model is None:
            raise Refused("a-mem needs a chat model; name one with --internal")
        self.memory = memory_layer.AgenticMemorySystem(
            model_name="", llm_backend="openai", llm_model=model.model, api_key=model.api_key
        )
        self.memory.llm_controller.llm.client = openai.OpenAI(base_url=model.base_url, api_key=model.api_key)

    def _let_go(self) -> None:
        self.memory = None

    def _nearest(self, query: str, k: int) -> dict[str, float | None]:
        ids = list(self.memory.memories)
        return {ids[place]: None for place in self.memory.retriever.search(query, k)} if ids else {}

    def _notes(self, ids: list[str] | None = None) -> dict[str, dict[str, str]]:
        """Notes as they are now, shaped as the fork's Chroma holds them, with links by id."""
        kept, order = self.memory.memories, list(self.memory.memories)
        return {key: _plain(kept[key], order) for key in (order if ids is None else ids)}

    def _miss_none(self) -> None:
        """Nothing is rewritten by deleting it first."""


def make(settings: Settings) -> AMem:
    """A store of the fork or, from a checkout, of the paper's code."""
    return PaperAMem(settings) if _checkout(settings) else AMem(settings)


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
    _switch(settings, "links", False)
    notices = [f"A-MEM searches with its own embedding model ({folder}), not with the run's"] if folder else []
    if source := _checkout(settings):
        _prepare_paper(settings, source)
        version = _version(source)
        return Info(version, (f"A-MEM is the paper's code from a checkout ({version}), not the package", *notices))
    from agentic_memory import memory_system, retrievers

    if not folder and settings.embed is not None:
        endpoint = _embeddings(settings.embed)
        retrievers.SentenceTransformerEmbeddingFunction = lambda model_name: endpoint
    for module in (memory_system, retrievers):
        module.print = _print
    logging.getLogger("agentic_memory").addHandler(LoggedTroubles())
    version = importlib.metadata.version("a-mem")
    notices.append(
        "the package a-mem in the registry is another author's fork of A-MEM; "
        "a-mem:source=CHECKOUT runs the code of the paper's authors"
    )
    if version != TESTED:
        notices.append(f"a-mem {version} is not the tested version {TESTED}")
    return Info(version, tuple(notices))


def _prepare_paper(settings: Settings, source: Path) -> None:
    """Import the paper's code, with the run's embedding model, what it forgot to import, and its errors told."""
    sys.path.insert(0, str(source))
    layer: Any = importlib.import_module("memory_layer")
    folder, embed, local = settings.options.get("embedding_folder"), settings.embed, layer.SentenceTransformer
    layer.SentenceTransformer = lambda name: local(folder) if folder or embed is None else _Encoder(embed)
    layer.re = re

    def print_and_report(*printed: object, **_: object) -> None:
        text = " ".join(map(str, printed))
        if text.startswith(("Error", "JSON parsing error")):
            trouble(f"a-mem: {text}"[:500])
        print(text[:500])

    layer.print = print_and_report


class _Encoder:
    """The run's embedding endpoint in the place of a SentenceTransformer."""

    def __init__(self, model: Model) -> None:
        self.embed = _embeddings(model)

    def encode(self, texts: list[str]) -> Any:
        import numpy

        return numpy.array(self.embed(texts), dtype=numpy.float32)


def _checkout(settings: Settings) -> Path | None:
    """The folder that `source` names, if it is one of the paper's code."""
    given = settings.options.get("source", "").strip()
    if not given:
        return None
    folder = Path(given).expanduser().absolute()
    if (folder / "memory_layer.py").is_file():
        return folder
    if (folder / "agentic_memory" / "memory_system.py").is_file():
        raise Refused(
            f"a-mem:source={given} is A-MEM as a library, whose links name positions and are looked up by id, so that "
            "none is ever found; clone github.com/WujiangXu/A-mem, the code behind the paper"
        )
    raise Refused(f"a-mem:source={given} is no checkout of github.com/WujiangXu/A-mem: memory_layer.py is missing")


def _version(source: Path) -> str:
    """The checkout's commit, where it has one; the paper's code has no version."""
    head = source / ".git" / "HEAD"
    commit = head.read_text().strip() if head.is_file() else ""
    if commit.startswith("ref: "):
        ref = source / ".git" / commit[5:]
        commit = ref.read_text().strip() if ref.is_file() else ""
    return f"commit {commit[:12]}" if commit else "unknown commit"


def with_links(found: Sequence[str], links: Mapping[str, Sequence[str]], follow: bool) -> list[str]:
    """Each found note and then those it is linked to, every one once; the paper's order."""
    return list(dict.fromkeys(key for each in found for key in (each, *(links.get(each, ()) if follow else ()))))


def _plain(note: Any, order: list[str]) -> dict[str, str]:
    links = [order[place] for place in note.links if isinstance(place, int) and 0 <= place < len(order)]
    lists = {"keywords": note.keywords, "tags": note.tags, "links": links}
    plain = {"content": note.content, "timestamp": note.timestamp, "context": note.context}
    return plain | {name: json.dumps(each) for name, each in lists.items()}


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


def _switch(settings: Settings, name: str, otherwise: bool) -> bool:
    given = settings.options.get(name, str(otherwise)).lower()
    if given not in ("true", "false"):
        raise Refused(f"a-mem:{name} must be true or false, not {given!r}")
    return given == "true"


def _choice(settings: Settings, name: str, choices: tuple[str, ...]) -> str:
    given = settings.options.get(name, choices[0])
    if given not in choices:
        raise Refused(f"a-mem:{name} must be {' or '.join(choices)}, not {given!r}")
    return given


if __name__ == "__main__":
    serve(make, name="a-mem", options=OPTIONS, prepare=prepare)
