"""StructMem, the event mode of LightMem, from a source checkout that the user names.

summarise: a model extracts from the turns what is said (facts) and how people relate (relations), each bound to its
message's time; store: Qdrant, entries in one collection and, in another, summaries in which a model joins the entries
of a time window with related ones; retrieve: the k nearest entries and summaries.

What this adapter does for the library's ways:
- It is no package: `source=PATH` names the checkout, whose `src` is put on the path. Pre-compression and topic
  segmentation, which need a model from a hub and torch, are off; every report says so.
- Turns wait in a buffer of 512 tokens, and only a call with a message can flush it. So the newest turn is held back,
  and `settle` hands it over with the order to extract.
- A message counts by pairs of user and assistant. As in the library's own experiment with two speakers, every turn is
  handed over as a user's message under its speaker's name, followed by an empty reply.
- How far summaries have come is one variable for the whole process. It is cleared before each pass, so that a scope
  starts from its own first entry that no summary covers yet.
- Counting tokens would download a vocabulary; one that ships in a package is used. A key for another provider in the
  surroundings would divert its calls; it is not looked at.
- Model errors during extraction and updates are swallowed; they are told as troubles.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import shutil
import sys
import tomllib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memtriage_adapter import Info, LoggedTroubles, Memory, Model, Refused, Session, Settings, serve, trouble

TESTED = "0.1.0"
PINS = "transformers==4.57.1 openai==2.3.0 httpx==0.28.1 qdrant-client==1.15.1 pydantic==2.12.0 numpy==2.2.6 "
PINS += "tiktoken==0.12.0 bpe-openai==0.1.4"
OPTIONS = {
    "source": "the folder of a LightMem checkout (needed)",
    "mode": "event (default): facts and relations, two calls per extraction; flat: facts alone, which is LightMem",
    "summaries": "true or false: join the entries of a time window in a summary, at settle (1 call per window)",
    "time_window": "seconds that one summary covers, 3600 unless told",
    "top_k_seeds": "related entries that a summary may draw on, 15 unless told",
    "update": "true or false (default): at settle let a model rewrite or delete entries that newer ones resemble",
    "max_tokens": "of one reply, 16000 unless told; a reply that is cut off stores nothing",
}
_ENTRIES, _SUMMARIES = "entries", "summaries"
_BATCH = 500


class StructMem:
    """One scope's LightMemory in event mode, with Qdrant folders of its own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.options = _Options(settings)
        self.embedder = _Embeddings(_needed(settings.embed, "an embedding model", "--embed"))
        self.waiting: list[dict[str, str]] = []
        self.memory: Any = None
        self._open()

    def store_conversation(self, conversation: Session) -> None:
        when = _when(conversation.timestamp)
        for turn in conversation.turns:
            if turn.text.strip():
                self._hand_over()
                self.waiting = _pair(turn.role.capitalize(), turn.text, when)

    def settle(self) -> None:
        self._hand_over(flush=True)
        if self.options.summaries:
            self._summarise()
        if self.options.update:
            # One after the other: a local Qdrant is not made for threads.
            self.memory.construct_update_queue_all_entries(max_workers=1)
            self.memory.offline_update_all_entries(max_workers=1)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        vector = self.embedder.embed(query)
        found = [
            _memory(hit["id"], hit["payload"], hit["score"])
            for store in self._stores()
            for hit in store.search(query_vector=vector, limit=k, return_full=True)
        ]
        return sorted(found, key=lambda each: -(each.score or 0.0))[:k]

    def get_all_memories(self) -> list[Memory]:
        kept = [point for store in self._stores() for point in store.get_all(with_vectors=False)]
        return sorted(
            (_memory(point["id"], point["payload"]) for point in kept), key=lambda each: each.created_at or ""
        )

    def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        buffer = self.memory.shortmem_buffer_manager
        state = {
            "waiting": self.waiting,
            "buffer": buffer.buffer,
            "tokens": buffer.token_count,
            "points": [store.get_all() for store in self._stores()],
        }
        (path / "structmem.json").write_text(json.dumps(state, default=str))

    def load(self, path: Path) -> None:
        state = json.loads((path / "structmem.json").read_text())
        buffer = self.memory.shortmem_buffer_manager
        self.waiting, buffer.buffer, buffer.token_count = state["waiting"], state["buffer"], state["tokens"]
        for store, points in zip(self._stores(), state["points"], strict=True):
            store.reset()
            for start in range(0, len(points), _BATCH):
                part = points[start : start + _BATCH]
                store.insert([p["vector"] for p in part], [p["payload"] for p in part], [p["id"] for p in part])

    def close(self) -> None:
        for store in self._stores():
            store.client.close()
        self.memory = None
        shutil.rmtree(self.settings.home, ignore_errors=True)

    def _open(self) -> None:
        from lightmem.memory.lightmem import LightMemory

        model = _needed(self.settings.internal, "a chat model", "--internal")
        manager = {
            "model": model.model,
            "api_key": model.api_key,
            "openai_base_url": model.base_url,
            "max_tokens": self.options.max_tokens,
        }
        self.memory = LightMemory.from_config(
            {
                "pre_compress": False,
                "topic_segment": False,
                "messages_use": "user_only",
                "metadata_generate": True,
                "text_summary": True,
                "extraction_mode": self.options.mode,
                "memory_manager": {"model_name": "openai", "configs": manager},
                "index_strategy": "embedding",
                "retrieve_strategy": "embedding",
                "text_embedder": {"model_name": "openai", "configs": {"api_key": model.api_key}},
                "embedding_retriever": self._qdrant(_ENTRIES),
                "summary_retriever": self._qdrant(_SUMMARIES),
                "update": "offline",
            }
        )
        self.memory.text_embedder = self.embedder
        _watch(self.memory.manager)

    def _qdrant(self, name: str) -> dict[str, Any]:
        configs = {
            "collection_name": name,
            "embedding_model_dims": self.embedder.dimensions,
            "path": str(self.settings.home / name),
            "on_disk": True,
        }
        return {"model_name": "qdrant", "configs": configs}

    def _stores(self) -> tuple[Any, Any]:
        return self.memory.embedding_retriever, self.memory.summary_retriever

    def _hand_over(self, flush: bool = False) -> None:
        if self.waiting:
            messages, self.waiting = self.waiting, []
            self.memory.add_memory(messages=messages, force_segment=flush, force_extract=flush)

    def _summarise(self) -> None:
        import lightmem.memory.lightmem as lightmem

        lightmem.GLOBAL_LAST_SUMMARY_TIME = None
        self.memory.summarize(
            retrieval_scope="global",
            time_window=self.options.time_window,
            top_k_seeds=self.options.top_k_seeds,
            process_all=True,
        )


class _Embeddings:
    """The run's embedding endpoint, as the library calls one."""

    def __init__(self, model: Model) -> None:
        import openai

        self.client = openai.OpenAI(base_url=model.base_url, api_key=model.api_key)
        self.model = model.model
        self.dimensions = model.dimensions or len(self.embed("size"))

    def embed(self, text: str | list[str]) -> Any:
        texts = [text] if isinstance(text, str) else text
        if not texts:
            return []
        reply = self.client.embeddings.create(
            model=self.model, input=[each.replace("\n", " ") or " " for each in texts], encoding_format="float"
        )
        vectors = [each.embedding for each in sorted(reply.data, key=lambda each: each.index)]
        return vectors[0] if isinstance(text, str) else vectors


class _Options:
    """What the user chose, checked."""

    def __init__(self, settings: Settings) -> None:
        given = settings.options
        self.mode = given.get("mode", "event")
        if self.mode not in ("event", "flat"):
            raise Refused(f"structmem:mode must be event or flat, not {self.mode!r}")
        self.summaries = _switch(given.get("summaries", "true"), "summaries")
        self.update = _switch(given.get("update", "false"), "update")
        self.time_window = _number(given.get("time_window", "3600"), "time_window")
        self.top_k_seeds = _number(given.get("top_k_seeds", "15"), "top_k_seeds")
        self.max_tokens = _number(given.get("max_tokens", "16000"), "max_tokens")


def prepare(settings: Settings) -> Info:
    """Find the checkout, import from it what runs without torch, and keep the library from its own ways out."""
    _Options(settings)
    source = _source(settings)
    _needed(settings.internal, "a chat model", "--internal")
    _needed(settings.embed, "an embedding model", "--embed")
    os.environ.pop("OPENROUTER_API_KEY", None)
    sys.path.insert(0, str(source / "src"))
    try:
        _listen()
    except ImportError as error:
        raise Refused(
            f"the environment of structmem lacks what LightMem imports ({error}); pip install {PINS}"
        ) from error
    version = _version(source)
    notices = [
        "StructMem runs without pre-compression and topic segmentation, which need a model from a hub",
    ]
    if not version.startswith(TESTED):
        notices.append(f"LightMem {version} is not the tested version {TESTED}")
    return Info(version, tuple(notices))


def _source(settings: Settings) -> Path:
    given = settings.options.get("source", "").strip()
    if not given:
        raise Refused(
            "structmem is no package: clone github.com/zjunlp/LightMem and name the folder, structmem:source=PATH"
        )
    folder = Path(given).expanduser().absolute()
    needed = folder / "src" / "lightmem" / "memory" / "lightmem.py"
    if not needed.is_file():
        raise Refused(f"structmem:source={given} is no checkout of LightMem: {needed} is missing")
    if "extraction_mode" not in (folder / "src" / "lightmem" / "configs" / "base.py").read_text(encoding="utf-8"):
        raise Refused(
            f"structmem:source={given} is a LightMem without StructMem (no extraction_mode); take a newer one"
        )
    return folder


def _version(source: Path) -> str:
    """The checkout's version and, where it has one, its commit."""
    project = source / "pyproject.toml"
    settings = tomllib.loads(project.read_text(encoding="utf-8")) if project.is_file() else {}
    version = str(settings.get("project", {}).get("version", "unknown"))
    head = source / ".git" / "HEAD"
    commit = head.read_text().strip() if head.is_file() else ""
    if commit.startswith("ref: "):
        ref = source / ".git" / commit[5:]
        commit = ref.read_text().strip() if ref.is_file() else ""
    return f"{version}+{commit[:12]}" if commit else version


def _listen() -> None:
    """Count tokens without a download, and make troubles of the errors that the library prints or logs."""
    import bpe_openai

    names = (
        "memory.lightmem",
        "memory.utils",
        "factory.memory_manager.openai",
        "factory.memory_buffer.short_term_memory",
    )
    modules: list[Any] = [importlib.import_module(f"lightmem.{name}") for name in names]
    tokens = bpe_openai.get_encoding("o200k_base")
    modules[-1].resolve_tokenizer = lambda tokenizer: tokens
    for module in modules[1:3]:
        module.print = _print
    logging.getLogger("LightMemory").addHandler(LoggedTroubles())
    logging.getLogger("lightmem").addHandler(LoggedTroubles())


def _print(*printed: object, **_: object) -> None:
    text = " ".join(map(str, printed))
    if text.startswith(("JSON decoding error", "Error in parallel")):
        trouble(f"structmem: {text}"[:500])
    print(text)


def _watch(manager: Any) -> None:
    """Tell of failed calls, which the library survives, and keep its times from getting lost."""
    generate, extract = manager.generate_response, manager.meta_text_extract

    def telling(*arguments: Any, **named: Any) -> Any:
        try:
            return generate(*arguments, **named)
        except Exception as error:
            trouble(f"structmem: a model call failed: {error}"[:500])
            raise

    def bounded(extract_list: Sequence[Any], *arguments: Any, **named: Any) -> Any:
        results = extract(extract_list, *arguments, **named)
        last = sum(len(segment) for segments in extract_list for segment in segments) // 2 - 1
        for fact in (fact for result in results if result for fact in result["cleaned_result"]):
            _bound(fact, last)
        return results

    manager.generate_response = telling
    manager.meta_text_extract = bounded


def _bound(fact: dict[str, Any], last: int) -> None:
    """A fact from a message that isn't there would have no time, and no summary could ever be made again."""
    if str(fact.get("source_id", 0)).isdigit() and int(fact.get("source_id", 0)) > last:
        trouble(f"structmem: the model named message {fact['source_id']} of {last + 1}; it is dated like the last one")
        fact["source_id"] = last


def _pair(speaker: str, text: str, when: str) -> list[dict[str, str]]:
    who = {"speaker_id": speaker.lower(), "speaker_name": speaker, "time_stamp": when}
    return [{"role": "user", "content": text, **who}, {"role": "assistant", "content": "", **who}]


def _memory(id: Any, payload: dict[str, Any], score: float | None = None) -> Memory:
    """An entry as the library's own retrieval shows it, with time and weekday; a summary as it is."""
    if "summary" in payload:
        return Memory(str(id), str(payload["summary"]), payload["time_range"]["end"], score=score)
    text = f"{payload['time_stamp']} {payload['weekday']} {payload['memory']}"
    return Memory(str(id), text, payload["time_stamp"], score=score)


def _when(timestamp: str | None) -> str:
    """A session's time as the library reads it; what has none happens now, as elsewhere in the library."""
    try:
        moment = datetime.fromisoformat(timestamp) if timestamp else datetime.now()
    except ValueError as error:
        raise Refused(f"structmem can't read the session's time {timestamp!r}; it wants ISO 8601") from error
    return moment.replace(tzinfo=None).isoformat(" ", "seconds")


def _needed(model: Model | None, what: str, option: str) -> Model:
    if model is None:
        raise Refused(f"structmem needs {what}; name one with {option}")
    return model


def _switch(given: str, name: str) -> bool:
    if given.lower() not in ("true", "false"):
        raise Refused(f"structmem:{name} must be true or false, not {given!r}")
    return given.lower() == "true"


def _number(given: str, name: str) -> int:
    if not given.isdigit() or int(given) < 1:
        raise Refused(f"structmem:{name} must be a whole number from 1 on, not {given!r}")
    return int(given)


if __name__ == "__main__":
    serve(StructMem, name="structmem", options=OPTIONS, prepare=prepare)
