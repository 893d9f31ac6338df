"""Mem0 as memtriage's memory: runs in the environments of `mem0` and `mem0-full` (mem0ai 2.x) and `mem0-1` (1.x).

summarise: one model call per `add` turns the messages into facts (`infer=false` keeps the messages as they are);
store: Qdrant on disk, one folder per store. 2.x only adds; 1.x asks the model once more, and the reply adds, updates
and deletes;
retrieve: cosine similarity; in `mem0-full` with BM25 and, where spaCy's English model is there, boosts for entities.

What this adapter does for the library's ways:
- `search` drops what scores below 0.1 and `get_all` stops at 20 (100 in 1.x): here k means k, and everything is listed;
- `timestamp` is refused by the open source edition, and the prompts name the day of the run as the day of the
  conversation. 2.x has an argument for it in the function that writes the prompt, which `add` leaves out: it is filled
  in. 1.x reads the clock: it reads the session's;
- roles other than user, assistant and system never reach the model: they speak as the user, by name;
- replies that the library reads as "no facts" without a word (cut off, empty, another shape) are told as troubles;
- an OpenRouter key in the environment would redirect every call: it is taken out;
- 1.x opens one folder for its telemetry, even where that is off, and locks it: every store gets its own.
"""

from __future__ import annotations

import datetime
import json
import logging
import math
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from memtriage_adapter import Info, LoggedTroubles, Memory, Refused, Session, Settings, Turn, serve, trouble

OPTIONS = {
    "infer": "true: a model extracts facts (the default); false: every message is kept as it is, no model is asked",
    "batch": "turns handed over per add call; by default the whole session at once",
    "dated": "true: the extraction is told when the session took place (the default); false: it sees the run's day",
    "prompt": "custom instructions for the extraction",
    "threshold": "least similarity, 0 to 1, of a retrieved memory; by default none, so that k memories are k memories",
    "rerank": "true: the internal model scores each retrieved memory, one call each; false by default",
    "temperature": "of the extraction (0.1)",
    "top_p": "of the extraction (0.1)",
    "max_tokens": "of one extraction's reply (2000); a reply that is cut off stores nothing",
    "reasoning_effort": "low, medium or high, for reasoning models",
}
FULL_OPTIONS = {"data": "folder with the data of keyword and entity search; by default what the install fetched"}
ONE_OPTIONS = {
    "prompt": "instructions for the extraction, instead of Mem0's own",
    "update_prompt": "instructions for the updates, instead of Mem0's own",
}
NOT_IN_ONE = ("rerank", "reasoning_effort")
USER = "user"
"""Every store has a folder of its own, so that one user serves them all and a saved store fits into any scope."""
COLLECTION = "mem0"
EVENTS = ("ADD", "UPDATE", "DELETE", "NONE")
ONE = version("mem0ai").startswith("1.")
FULL = find_spec("fastembed") is not None
WITHOUT = (
    "Mem0 runs without {missing}: retrieval is {left}, not its full hybrid of meaning, keywords and entities. {remedy}"
)
REMEDY = "Use mem0-full instead: memtriage systems install mem0-full"
FULL_REMEDY = "Install it anew where its data can be had: memtriage systems install mem0-full --force"


def prepare(settings: Settings) -> Info:
    """Check what the user gave, and say what is missing of Mem0's full configuration."""
    options = _Options(settings.options)
    if settings.embed is None:
        raise Refused("mem0 needs an embedding model: name one with --embed")
    if settings.internal is None and (options.infer or options.rerank):
        raise Refused("mem0 needs a model that extracts facts: name one with --internal, or set infer=false")
    os.environ.pop("OPENROUTER_API_KEY", None)
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(settings.home / "mem0-config")  # else it writes into the user's home
    logging.getLogger("mem0").addHandler(_Swallowed())
    return Info(version("mem0ai"), () if ONE else tuple(_notices(options.data)))


def _notices(data: Path) -> Iterator[str]:
    words, entities = _keywords_work(data / "bm25"), _entities_work(data / "packages")
    missing = [name for name, works in (("keyword search", words), ("entity search", entities)) if not works]
    if missing:
        left = "semantic only" if len(missing) == 2 else "semantic with keywords" if words else "semantic with entities"
        remedy = FULL_REMEDY if FULL else REMEDY
        yield WITHOUT.format(missing=" and ".join(missing), left=left, remedy=remedy)
    if words and (data / "bm25" / "NOTE").is_file():
        yield (data / "bm25" / "NOTE").read_text("utf-8").strip()


def _keywords_work(folder: Path) -> bool:
    """Whether fastembed and the data of its Qdrant/bm25 are there; Mem0 then takes them from this folder."""
    if not FULL or not (folder / "english.txt").is_file():
        return False
    import fastembed

    class Local(fastembed.SparseTextEmbedding):  # type: ignore[misc]
        """Mem0 names no folder, and would ask a hub for what lies here."""

        def __init__(self, model_name: str, **more: Any) -> None:
            super().__init__(model_name, specific_model_path=str(folder), **more)

    fastembed.SparseTextEmbedding = Local
    return True


def _entities_work(packages: Path) -> bool:
    """Whether spaCy and its model are there; where only spaCy is, Mem0 is kept from downloading the model."""
    sys.path.append(str(packages))
    if find_spec("spacy") and find_spec("en_core_web_sm"):
        return True
    from mem0.utils import spacy_models

    spacy_models._load_failed_full = spacy_models._load_failed_lemma = True
    return False


class _Swallowed(LoggedTroubles):
    """Reports errors that Mem0 logs and ignores, except those that are raised, noticed or reported elsewhere."""

    reported = (
        "LLM extraction failed",
        "Error parsing extraction response",
        "fastembed not installed",
        "Failed to load",
        "Resetting",
    )

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        if not record.getMessage().startswith(self.reported):
            super().emit(record)


class _Options:
    """The options as their types, checked once."""

    def __init__(self, given: Any) -> None:
        self._options = given
        self.infer = self._flag("infer", True)
        self.dated = self._flag("dated", True)
        self.rerank = self._flag("rerank", False)
        self.prompt = given.get("prompt") or None
        self.update_prompt = given.get("update_prompt") or None
        self.data = Path(given["data"]) if given.get("data") else Path(sys.prefix).parent / "data"
        if not self.data.is_dir() and given.get("data"):
            raise Refused(f"mem0: data={given['data']} is no folder")
        self.batch = int(self._number("batch", 1, math.inf) or 0)
        # Mem0 takes nothing below 0, and drops what is below; no number is below "not a number".
        threshold = self._number("threshold", 0, 1)
        self.threshold = math.nan if threshold is None else threshold
        self.model = {
            key: value
            for key, value in {
                "temperature": self._number("temperature", 0, 2),
                "top_p": self._number("top_p", 0, 1),
                "max_tokens": self._whole("max_tokens"),
                "reasoning_effort": given.get("reasoning_effort") or None,
            }.items()
            if value is not None
        }

    def _flag(self, name: str, default: bool) -> bool:
        value = str(self._options.get(name, default)).lower()
        if value not in ("true", "false"):
            raise Refused(f"mem0: {name} is true or false, not {value!r}")
        return value == "true"

    def _number(self, name: str, low: float, high: float) -> float | None:
        value = self._options.get(name)
        try:
            number = None if value is None else float(value)
        except ValueError:
            number = math.nan
        if number is not None and not low <= number <= high:
            raise Refused(f"mem0: {name} is a number from {low} to {high}, not {value!r}")
        return number

    def _whole(self, name: str) -> int | None:
        number = self._number(name, 1, math.inf)
        return None if number is None else int(number)


class Mem0:
    """One Mem0 2.x in a folder of its own."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.options = settings, _Options(settings.options)
        self.tuned: dict[str, str] = {}
        self.folder = settings.home / "store"
        shutil.rmtree(self.folder, ignore_errors=True)  # a store that is made is empty
        self._open()

    # ------------------------------------------------------------ the three functions

    def store_conversation(self, conversation: Session) -> None:
        turns = [turn for turn in conversation.turns if turn.text.strip()]
        metadata = {"session": conversation.id}
        self._set_date(conversation.timestamp)
        if conversation.timestamp:
            metadata["created_at"] = conversation.timestamp
        if self.options.infer:
            for part in _parts(turns, self.options.batch):
                self._add([_message(turn) for turn in part], metadata)
            return
        for turn in turns:  # one by one, so that each memory knows the turn it is
            message = {"role": turn.role, "content": turn.text}
            self.memory.add([message], user_id=USER, metadata={**metadata, "turn": turn.id}, infer=False)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return [_memory(item) for item in self._search(query, k)]

    def get_all_memories(self) -> list[Memory]:
        count = self.memory.vector_store.client.count(COLLECTION).count
        if not count:
            return []
        items = self._list(count)
        # Qdrant lists by random ids; by time and text the list is the same in every run.
        return sorted(map(_memory, items), key=lambda memory: (memory.created_at or "", memory.text))

    def _add(self, messages: list[dict[str, str]], metadata: dict[str, str]) -> None:
        self.memory.add(messages, user_id=USER, metadata=metadata, prompt=self.options.prompt)

    def _search(self, query: str, k: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.memory.search(
            query, top_k=k, filters={"user_id": USER}, threshold=self.options.threshold, rerank=self.options.rerank
        )["results"]
        return found

    def _list(self, count: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.memory.get_all(filters={"user_id": USER}, top_k=count)["results"]
        return found

    def _set_date(self, timestamp: str | None) -> None:
        """Let the extraction know the session's day, as a user of Mem0 would have had it: as today."""
        from mem0.configs.prompts import generate_additive_extraction_prompt
        from mem0.memory import main

        dates = {name: _day(timestamp) for name in ("timestamp", "current_date") if timestamp and self.options.dated}
        main.generate_additive_extraction_prompt = partial(generate_additive_extraction_prompt, **dates)
        main.ADDITIVE_EXTRACTION_PROMPT = self.prompts()["extraction"]  # another store of this process has its own

    # ------------------------------------------------------------ the prompts

    def prompts(self) -> dict[str, str]:
        """What the model is told for the extraction."""
        from mem0.configs.prompts import ADDITIVE_EXTRACTION_PROMPT

        return {"extraction": ADDITIVE_EXTRACTION_PROMPT, **self.tuned}

    def set_prompts(self, prompts: dict[str, str]) -> None:
        if unknown := sorted(set(prompts) - set(self.prompts())):
            raise Refused(f"mem0 has no prompt {unknown[0]!r}; its prompts: {', '.join(self.prompts())}")
        self.tuned = dict(prompts)

    # ------------------------------------------------------------ keeping and letting go

    def save(self, path: Path) -> None:
        self._shut()  # what is open is not all on disk
        shutil.copytree(self.folder, path, dirs_exist_ok=True)
        self._open()

    def load(self, path: Path) -> None:
        if not (path / "qdrant").is_dir():
            raise Refused(f"{path} holds no saved Mem0 store")
        self._shut()
        shutil.rmtree(self.folder)
        shutil.copytree(path, self.folder)
        self._open()

    def close(self) -> None:
        self._shut()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _open(self) -> None:
        from mem0 import Memory as Library

        self.folder.mkdir(parents=True, exist_ok=True)
        self.memory = Library.from_config(self._config())
        self._size_fits()
        self._check_vectors()

    def _shut(self) -> None:
        self.memory.close()
        self.memory.vector_store.client.close()

    # ------------------------------------------------------------ how Mem0 is set up

    def _config(self) -> dict[str, Any]:
        embed, options = self.settings.embed, self.options
        assert embed is not None
        # No embedding_dims for the embedder: it would be sent along, and many endpoints refuse it.
        embedder = {"model": embed.model, "openai_base_url": embed.base_url, "api_key": embed.api_key}
        store = {
            "path": str(self.folder / "qdrant"),
            "on_disk": True,
            "collection_name": COLLECTION,
            "embedding_model_dims": embed.dimensions or self._measured(embedder),
        }
        config: dict[str, Any] = {
            "llm": {"provider": "openai", "config": {**self._llm(), **options.model, "response_callback": _extracted}},
            "embedder": {"provider": "openai", "config": embedder},
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(self.folder / "history.db"),
        }
        if options.rerank:
            llm = {"provider": "openai", "config": {**self._llm(), "response_callback": _scored}}
            config["reranker"] = {"provider": "llm_reranker", "config": {"llm": llm}}
        return config

    def _llm(self) -> dict[str, Any]:
        internal = self.settings.internal
        if internal is None:  # infer=false: Mem0 makes a client all the same, and never calls it
            return {"model": "none", "openai_base_url": "http://127.0.0.1:9/v1", "api_key": "none"}
        return {"model": internal.model, "openai_base_url": internal.base_url, "api_key": internal.api_key}

    def _measured(self, embedder: dict[str, Any]) -> int:
        from mem0.utils.factory import EmbedderFactory

        return len(EmbedderFactory.create("openai", embedder, None).embed("How long is a vector?"))

    def _size_fits(self) -> None:
        """A store that was saved with another embedding model can't be searched with this one."""
        size = self.memory.vector_store.client.get_collection(COLLECTION).config.params.vectors.size
        wanted = self.memory.vector_store.embedding_model_dims
        if size != wanted:
            self._shut()
            raise Refused(f"the saved Mem0 store holds vectors of {size} numbers, the embedding model gives {wanted}")

    def _check_vectors(self) -> None:
        """Refuse vectors of another size than the store's; Mem0 would only fail to insert them, one by one."""
        model, size = self.memory.embedding_model, self.memory.vector_store.embedding_model_dims
        embed = model.embed

        def checked(text: str, *rest: Any, **more: Any) -> Any:
            vector = embed(text, *rest, **more)
            if len(vector) != size:
                raise Refused(
                    f"the embedding model {model.config.model!r} gives vectors of {len(vector)} numbers, "
                    f"but the store was made for {size}; give --embed the size that the endpoint really has"
                )
            return vector

        model.embed = checked


class MemOne(Mem0):
    """One Mem0 1.x in a folder of its own: the model updates and deletes what is stored."""

    def _add(self, messages: list[dict[str, str]], metadata: dict[str, str]) -> None:
        self.memory.add(messages, user_id=USER, metadata=metadata)

    def _search(self, query: str, k: int) -> list[dict[str, Any]]:
        threshold = None if math.isnan(self.options.threshold) else self.options.threshold
        found: list[dict[str, Any]] = self.memory.search(query, user_id=USER, limit=k, threshold=threshold)["results"]
        return found

    def _list(self, count: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.memory.get_all(user_id=USER, limit=count)["results"]
        return found

    def prompts(self) -> dict[str, str]:
        """What the model is told for the extraction and for the updates."""
        from mem0.configs import prompts

        return {
            "extraction": self.options.prompt or prompts.USER_MEMORY_EXTRACTION_PROMPT,
            "update": self.options.update_prompt or prompts.DEFAULT_UPDATE_MEMORY_PROMPT,
            **self.tuned,
        }

    def _set_date(self, timestamp: str | None) -> None:
        """Let Mem0 read the session's time from its clock, both for its prompt and for what it stores."""
        from mem0.memory import main

        main.datetime = _Clock(timestamp) if timestamp else datetime.datetime
        told = timestamp and self.options.dated
        prompt = _prompts(timestamp).USER_MEMORY_EXTRACTION_PROMPT if told else None
        self.memory.config.custom_fact_extraction_prompt = self.tuned.get("extraction") or self.options.prompt or prompt
        update = self.tuned.get("update") or self.options.update_prompt
        self.memory.config.custom_update_memory_prompt = update

    def _open(self) -> None:
        import openai
        from mem0.memory import main

        main.mem0_dir = str(self.settings.home / "telemetry")
        super()._open()
        self.memory.embedding_model.config.embedding_dims = openai.omit  # many endpoints refuse to be told a size

    def _shut(self) -> None:
        for store in (self.memory.vector_store, self.memory._telemetry_vector_store):
            store.client.close()
        self.memory.db.close()

    def _config(self) -> dict[str, Any]:
        config = super()._config()
        config["llm"]["config"]["response_callback"] = _decided
        return config | {"custom_update_memory_prompt": self.options.update_prompt}


class _Clock:
    """Stands in for `datetime` where Mem0 1.x reads the time: it is always the session's, in the session's words."""

    def __init__(self, timestamp: str) -> None:
        self.timestamp = timestamp

    def now(self, zone: object = None) -> _Clock:
        return self

    def isoformat(self) -> str:
        return self.timestamp

    def strftime(self, form: str) -> str:
        return _day(self.timestamp)


@cache
def _prompts(timestamp: str) -> Any:
    """Mem0's prompts as they read at this time; the library writes the date into them when it loads them."""
    spec = find_spec("mem0.configs.prompts")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    real = datetime.datetime
    datetime.datetime = _Clock(timestamp)  # type: ignore[assignment,misc]
    try:
        spec.loader.exec_module(module)
    finally:
        datetime.datetime = real  # type: ignore[misc]
    return module


def _day(timestamp: str) -> str:
    """The day of a time, as Mem0 writes days; a time that isn't written by the standard stays as it is."""
    return timestamp[:10] if re.match(r"\d{4}-\d{2}-\d{2}", timestamp) else timestamp


def _parts(turns: Sequence[Turn], size: int) -> Iterator[Sequence[Turn]]:
    size = size or len(turns) or 1
    for start in range(0, len(turns), size):
        yield turns[start : start + size]


def _message(turn: Turn) -> dict[str, str]:
    if turn.role in ("user", "assistant", "system"):
        return {"role": turn.role, "content": turn.text}
    return {"role": "user", "content": f"{turn.role}: {turn.text}"}


def _memory(item: dict[str, Any]) -> Memory:
    turn = (item.get("metadata") or {}).get("turn")
    score = item.get("rerank_score", item.get("score"))
    date = item.get("updated_at") or item.get("created_at")
    return Memory(item["id"], item["memory"], date, (turn,) if turn else (), score)


# ------------------------------------------------------------ replies that Mem0 takes for "no facts"


def _extracted(llm: Any, response: Any, asked: Any) -> None:
    """Tell of a reply from which Mem0 stores nothing, or less than the model meant, without an error."""
    choice = response.choices[0]
    text = (choice.message.content or "").strip()
    if choice.finish_reason == "length":
        trouble(f"the extraction was cut off at max_tokens={llm.config.max_tokens}; raise it with mem0:max_tokens=…")
    elif not text:
        trouble(f"the extraction's reply is empty{_reason(choice.message)}; nothing was stored")
    elif (problem := _misshapen(text)) is not None:
        trouble(f"the extraction's reply {problem}")


def _decided(llm: Any, response: Any, asked: Any) -> None:
    """Tell of a reply of which Mem0 1.x does less than the model meant, without an error; the rest it logs."""
    choice = response.choices[0]
    if choice.finish_reason == "length":
        trouble(f"a reply was cut off at max_tokens={llm.config.max_tokens}; raise it with mem0-1:max_tokens=…")
        return
    try:
        reply = _read(choice.message.content or "")
        decisions = reply.get("memory", ()) if len(asked["messages"]) == 1 else ()
        skipped = [each for each in decisions if not each.get("text") or each.get("event") not in EVENTS]
    except (ValueError, AttributeError):
        return
    if skipped:
        trouble(f"{len(skipped)} updates without a text or a known event were left out, such as {skipped[0]}"[:300])


def _misshapen(text: str) -> str | None:
    try:
        reply = _read(text)
    except ValueError:
        return "is no JSON; nothing was stored"
    if not isinstance(reply, dict) or not isinstance(reply.get("memory"), list):
        return "has no list 'memory'; nothing was stored"
    lost = sum(1 for fact in reply["memory"] if isinstance(fact, dict) and not fact.get("text"))
    return f"has {lost} memories without a text; they were dropped" if lost else None


def _read(text: str) -> Any:
    """A reply as Mem0 reads it."""
    from mem0.memory.utils import extract_json, remove_code_blocks

    bare = remove_code_blocks(text)
    try:
        return json.loads(bare, strict=False)
    except ValueError:
        return json.loads(extract_json(bare), strict=False)


def _scored(llm: Any, response: Any, asked: Any) -> None:
    text = response.choices[0].message.content or ""
    if not any(character.isdigit() for character in text):
        trouble(f"the reranking model gave no score but {text[:80]!r}; Mem0 took it for 0.5")


def _reason(message: Any) -> str:
    refusal = getattr(message, "refusal", None)
    return f" ({refusal})" if refusal else ""


if __name__ == "__main__":
    if ONE:
        known = {name: told for name, told in OPTIONS.items() if name not in NOT_IN_ONE} | ONE_OPTIONS
        serve(MemOne, name="mem0-1", options=known, prepare=prepare)
    else:
        known = OPTIONS | (FULL_OPTIONS if FULL else {})
        serve(Mem0, name="mem0-full" if FULL else "mem0", options=known, prepare=prepare)
