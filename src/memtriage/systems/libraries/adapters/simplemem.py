"""SimpleMem as a memory system: windows of dialogue, rewritten by a model as sentences that stand on their own.

summarise: a model restates each window of turns as self-contained entries (time, place, persons, topic);
store: LanceDB, one folder per scope; retrieve: a model plans what is needed, writes queries and checks the findings,
each query is answered by the nearest vectors. With `source=PATH`, a checkout of the repository, a keyword search and a
search by persons, places, entities and time join in; the package in the registry is older and calls neither.

What this adapter does for the library's ways:
- Turns wait in a window (40 by default) and are stored nowhere before it is full; `settle` hands over what waits.
- It knows local embedding models only. Here the run's embedding endpoint takes that place, so that every system in
  a comparison sees with the same eyes; `embedding_folder=PATH` names a local sentence-transformers folder instead.
- Its searches run in threads and are joined as they finish, in another order each time. Here they run in turn.
- `retrieve` returns the findings of all its searches, one list after the other, without scores. A cut after k would
  show those of the first query alone, so the lists are interleaved by rank: each search's best, then the second best.
- The checkout asks LanceDB for a Tantivy index, which LanceDB has given up, and makes it from the first window alone.
  Here it takes the native index that it uses in the cloud, which also covers what is added later.
- The checkout would read a `config.py` beside it, keys and all. Here only what memtriage gives counts.
- It prints the errors that it swallows; here they are told as troubles. Its answers are not streamed, so that their
  tokens are counted.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import math
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memtriage_adapter import Info, Memory, Model, Refused, Session, Settings, serve, trouble

TESTED = "0.1.0"
OPTIONS = {
    "source": "the folder of a SimpleMem checkout, whose retrieval adds keywords and metadata to the vectors",
    "window_size": "turns per window, 40 unless told; a smaller one stores sooner and calls the model more often",
    "overlap_size": "with source, turns that a window shares with the one before, 2 unless told",
    "semantic_top_k": "vectors fetched per query, 25 unless told; never fewer than the k asked for",
    "keyword_top_k": "with source, entries that the keyword search adds, 5 unless told",
    "structured_top_k": "with source, entries that the search by metadata adds, 5 unless told",
    "planning": "true or false: let the model plan and write queries (2 calls); false searches the question by vectors",
    "reflection": "true or false: let the model look for what is still missing (1 call or more)",
    "max_reflection_rounds": "how often it may look again, 2 unless told",
    "json_format": "true or false: ask the model for JSON objects by response_format",
    "merge": "how the findings of several searches become k: interleave (default) or append (the library's own list)",
    "embedding_folder": "a local sentence-transformers folder, used instead of the run's embedding model",
}
_FAILED = re.compile(r"\bfail|\berror\b|\bwarning\b", re.IGNORECASE)
_TRIED_AGAIN = re.compile(r"\battempt \d+/\d+", re.IGNORECASE)


class SimpleMem:
    """One scope's SimpleMem, with a LanceDB folder of its own."""

    def __init__(self, settings: Settings) -> None:
        if settings.internal is None:
            raise Refused("simplemem needs a chat model; name one with --internal")
        self.settings = settings
        self.home = settings.home
        self.internal = settings.internal
        self.embedder = _embedder(settings)
        self.merge = _choice(settings, "merge", ("interleave", "append"))
        self.system: Any = None
        self.generation = 0
        self.searches: list[list[str]] = []
        self.scores: dict[str, float] = {}
        self._open()

    def store_conversation(self, conversation: Session) -> None:
        when = _local_time(conversation.timestamp)
        for turn in conversation.turns:
            if turn.text.strip():
                self.system.add_dialogue(turn.role.capitalize(), turn.text, when)

    def settle(self) -> None:
        self.system.finalize()

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        retriever = self.system.hybrid_retriever
        self.searches, self.scores = [], {}
        self.embedder.failed = None
        usual = retriever.semantic_top_k
        retriever.semantic_top_k = max(usual, k or 0)
        try:
            found = {entry.entry_id: entry for entry in retriever.retrieve(query)}
        finally:
            retriever.semantic_top_k = usual
        if not found and self.embedder.failed is not None:
            raise RuntimeError(f"the search failed: {self.embedder.failed}")
        ranked = interleaved(self.searches) if self.merge == "interleave" else list(found)
        return [_memory(found[key], self.scores.get(key)) for key in ranked if key in found][:k]

    def get_all_memories(self) -> list[Memory]:
        return [_memory(entry) for entry in self.system.get_all_memories()]

    def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(path / "lancedb", ignore_errors=True)
        shutil.copytree(self._folder(), path / "lancedb")
        builder = self.system.memory_builder
        state = {
            "waiting": [dialogue.model_dump() for dialogue in builder.dialogue_buffer],
            "previous": [entry.model_dump() for entry in builder.previous_entries],
            "processed": builder.processed_count,
        }
        (path / "window.json").write_text(json.dumps(state))

    def load(self, path: Path) -> None:
        entry = _part(self.settings, "models.memory_entry")
        state = json.loads((path / "window.json").read_text())
        shutil.rmtree(self._folder(), ignore_errors=True)
        self.generation += 1  # an open LanceDB table doesn't notice that its files were changed
        shutil.copytree(path / "lancedb", self._folder())
        self._open()
        builder = self.system.memory_builder
        builder.dialogue_buffer = [entry.Dialogue(**dialogue) for dialogue in state["waiting"]]
        builder.previous_entries = [entry.MemoryEntry(**each) for each in state["previous"]]
        builder.processed_count = state["processed"]

    def close(self) -> None:
        self.system.vector_store.clear()
        self.system = None
        shutil.rmtree(self.home, ignore_errors=True)

    def _folder(self) -> Path:
        return self.home / f"lancedb-{self.generation}"

    def _open(self) -> None:
        system: Any = importlib.import_module(
            "simplemem.text.system" if _checkout(self.settings) else "simplemem.system"
        )
        # The library makes its embedding model itself, without a way to hand one over.
        system.EmbeddingModel = lambda: self.embedder
        self.system = system.SimpleMemSystem(
            api_key=self.internal.api_key,
            model=self.internal.model,
            base_url=self.internal.base_url,
            db_path=str(self._folder()),
        )
        self._watch()

    def _watch(self) -> None:
        """Note each search's ranking and its distances, which the library drops."""
        store, retriever = self.system.vector_store, self.system.hybrid_retriever
        for name in ("_semantic_search", "_keyword_search", "_structured_search"):
            setattr(retriever, name, self._noting_ranks(getattr(retriever, name)))
        if _checkout(self.settings):
            store.backend._is_cloud_storage = True  # only decides which index is made, once the table is open
            nearest = store.backend.semantic_search

            def noting_scores(*arguments: Any, **named: Any) -> Any:
                found = nearest(*arguments, **named)
                self._note_distances((each.entry_id, each.score) for each in found)
                return found

            store.backend.semantic_search = noting_scores
        else:
            as_entries = store._results_to_entries

            def noting_distances(rows: list[dict[str, Any]]) -> Any:
                self._note_distances((row["entry_id"], row["_distance"]) for row in rows if "_distance" in row)
                return as_entries(rows)

            store._results_to_entries = noting_distances

    def _noting_ranks(self, search: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*arguments: Any) -> Any:
            found = search(*arguments)
            self.searches.append([entry.entry_id for entry in found])
            return found

        return noting

    def _note_distances(self, found: Iterable[tuple[str, float]]) -> None:
        for key, distance in found:  # squared, between vectors of unit length
            score = 1 - distance / 2
            self.scores[key] = max(score, self.scores.get(key, score))


class Embeddings:
    """The run's embedding endpoint in the place of the library's local model."""

    def __init__(self, model: Model) -> None:
        import openai

        self.client = openai.OpenAI(base_url=model.base_url, api_key=model.api_key)
        self.model = model.model
        self.failed: Exception | None = None
        self.dimension = model.dimensions or len(self._vectors(["size"])[0])

    def encode(self, texts: str | list[str], is_query: bool = False) -> Any:
        import numpy

        try:
            vectors = self._vectors([texts] if isinstance(texts, str) else texts)
        except Exception as error:  # the library's searches turn any error into an empty result
            self.failed = error
            raise
        if len(vectors[0]) != self.dimension:
            raise Refused(
                f"the embedding model {self.model} gave {len(vectors[0])} numbers, not {self.dimension} as announced; "
                "name its true size with --embed"
            )
        return numpy.array(vectors, dtype=numpy.float32)

    def encode_single(self, text: str, is_query: bool = False) -> Any:
        return self.encode([text], is_query=is_query)[0]

    def encode_query(self, queries: list[str]) -> Any:
        return self.encode(queries, is_query=True)

    def encode_documents(self, documents: list[str]) -> Any:
        return self.encode(documents)

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        reply = self.client.embeddings.create(
            model=self.model, input=[text or " " for text in texts], encoding_format="float"
        )
        return [unit(each.embedding) for each in sorted(reply.data, key=lambda each: each.index)]


def prepare(settings: Settings) -> Info:
    """Check what was given, set what the library keeps for the whole process, and listen to what it prints."""
    if settings.internal is None:
        raise Refused("simplemem needs a chat model; name one with --internal")
    if settings.embed is None and "embedding_folder" not in settings.options:
        raise Refused(
            "simplemem needs an embedding model; name one with --embed, "
            "or a local sentence-transformers folder with simplemem:embedding_folder=PATH"
        )
    _choice(settings, "merge", ("interleave", "append"))
    source = _checkout(settings)
    if source is not None:
        sys.path.insert(0, str(source))
    _configure(
        settings,
        openai_api_key=settings.internal.api_key,
        openai_base_url=settings.internal.base_url,
        llm_model=settings.internal.model,
        embedding_model=settings.options.get("embedding_folder", ""),
        window_size=_number(settings, "window_size", 40),
        overlap_size=_number(settings, "overlap_size", 2, least=0),
        semantic_top_k=_number(settings, "semantic_top_k", 25),
        keyword_top_k=_number(settings, "keyword_top_k", 5),
        structured_top_k=_number(settings, "structured_top_k", 5),
        max_reflection_rounds=_number(settings, "max_reflection_rounds", 2),
        enable_planning=_switch(settings, "planning", True),
        enable_reflection=_switch(settings, "reflection", True),
        use_json_format=_switch(settings, "json_format", False),
        use_streaming=False,
        enable_parallel_processing=False,
        enable_parallel_retrieval=False,
    )
    _listen(settings)
    version = importlib.metadata.version("simplemem") if source is None else _version(source)
    notices = []
    if source is None:
        notices.append(
            "SimpleMem retrieves by vectors alone: the package in the registry has keyword and structured searches, "
            "but retrieve() calls neither; simplemem:source=CHECKOUT has the repository's hybrid search"
        )
    else:
        notices.append(f"SimpleMem {version} from a checkout, not the package {TESTED}")
    if folder := settings.options.get("embedding_folder"):
        notices.append(f"SimpleMem searches with its own embedding model ({folder}), not with the run's")
    if source is None and version != TESTED:
        notices.append(f"simplemem {version} is not the tested version {TESTED}")
    return Info(version, tuple(notices))


def _configure(settings: Settings, **values: Any) -> None:
    """Set what the library keeps for the whole process; what differs between scopes is given to each system instead."""
    if _checkout(settings) is None:
        from simplemem import config

        config.set_config(config.SimpleMemConfig(**values))
        return
    kept = _part(settings, "settings").settings
    kept._user_config = None  # a config.py on the path would come first
    for name, value in values.items():
        setattr(kept, name.upper(), value)


def _checkout(settings: Settings) -> Path | None:
    """The folder that `source` names, if it is one of SimpleMem with the hybrid search."""
    given = settings.options.get("source", "").strip()
    if not given:
        return None
    folder = Path(given).expanduser().absolute()
    needed = folder / "simplemem" / "text" / "system.py", folder / "simplemem" / "core" / "hybrid_retriever.py"
    if missing := [path for path in needed if not path.is_file()]:
        raise Refused(
            f"simplemem:source={given} is no checkout of github.com/aiming-lab/SimpleMem as of 2026: "
            f"{missing[0]} is missing"
        )
    return folder


def _part(settings: Settings, name: str) -> Any:
    """A module of the library, which the checkout keeps in another place than the package."""
    return importlib.import_module(f"simplemem.core.{name}" if _checkout(settings) else f"simplemem.{name}")


def _version(source: Path) -> str:
    """The checkout's version and, where it has one, its commit."""
    found = re.search(
        r'^__version__\s*=\s*["\']([^"\']+)', (source / "simplemem" / "__init__.py").read_text(), re.MULTILINE
    )
    head = source / ".git" / "HEAD"
    commit = head.read_text().strip() if head.is_file() else ""
    if commit.startswith("ref: "):
        ref = source / ".git" / commit[5:]
        commit = ref.read_text().strip() if ref.is_file() else ""
    return "+".join(part for part in (found[1] if found else "unknown", commit[:12]) if part)


def interleaved(lists: Sequence[Sequence[str]]) -> list[str]:
    """The first of each list, then the second of each, every one once."""
    longest = max(map(len, lists), default=0)
    return list(dict.fromkeys(each[rank] for rank in range(longest) for each in lists if rank < len(each)))


def unit(vector: Sequence[float]) -> list[float]:
    """The vector at length one, as the library's own embedding models give it."""
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else list(vector)


def _embedder(settings: Settings) -> Any:
    folder = settings.options.get("embedding_folder")
    if folder:
        if not Path(folder).is_dir():
            raise Refused(f"simplemem:embedding_folder={folder} is no folder with a sentence-transformers model")
        model = _part(settings, "utils.embedding").EmbeddingModel(folder)
        model.failed = None
        return model
    if settings.embed is None:
        raise Refused("simplemem needs an embedding model; name one with --embed")
    return Embeddings(settings.embed)


def _memory(entry: Any, score: float | None = None) -> Memory:
    """An entry as the library shows it to its own reader."""
    lines = [
        entry.lossless_restatement,
        f"Time: {entry.timestamp}" if entry.timestamp else "",
        f"Location: {entry.location}" if entry.location else "",
        f"Persons: {', '.join(entry.persons)}" if entry.persons else "",
        f"Related Entities: {', '.join(entry.entities)}" if entry.entities else "",
        f"Topic: {entry.topic}" if entry.topic else "",
    ]
    return Memory(entry.entry_id, "\n".join(line for line in lines if line), score=score)


def _local_time(timestamp: str | None) -> str | None:
    """A session's time as the library's prompts write it, without an offset."""
    try:
        return datetime.fromisoformat(timestamp).replace(tzinfo=None).isoformat("T", "seconds") if timestamp else None
    except ValueError:
        return timestamp


def _listen(settings: Settings) -> None:
    """Report the errors that the library prints, except those after which it tries again."""
    names = [
        "database.vector_store",
        "utils.llm_client",
        *(["database.vector_store_backend"] * bool(_checkout(settings))),
    ]
    modules: list[Any] = [_part(settings, name) for name in names]
    modules += [importlib.import_module(f"simplemem.core.{name}") for name in ("hybrid_retriever", "memory_builder")]

    def print_and_report(*printed: object, **_: object) -> None:
        text = " ".join(map(str, printed)).strip()
        if _FAILED.search(text) and not _TRIED_AGAIN.search(text):
            trouble(f"simplemem: {text}"[:500])
        print(text)

    for module in modules:
        module.print = print_and_report


def _number(settings: Settings, name: str, otherwise: int, least: int = 1) -> int:
    given = settings.options.get(name)
    if given is None:
        return otherwise
    if not given.isdigit() or int(given) < least:
        raise Refused(f"simplemem:{name} must be a whole number from {least} on, not {given!r}")
    return int(given)


def _switch(settings: Settings, name: str, otherwise: bool) -> bool:
    given = settings.options.get(name)
    if given is None:
        return otherwise
    if given.lower() not in ("true", "false"):
        raise Refused(f"simplemem:{name} must be true or false, not {given!r}")
    return given.lower() == "true"


def _choice(settings: Settings, name: str, choices: tuple[str, ...]) -> str:
    given = settings.options.get(name, choices[0])
    if given not in choices:
        raise Refused(f"simplemem:{name} must be {' or '.join(choices)}, not {given!r}")
    return given


if __name__ == "__main__":
    serve(SimpleMem, name="simplemem", options=OPTIONS, prepare=prepare)
