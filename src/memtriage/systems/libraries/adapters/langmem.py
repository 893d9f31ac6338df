"""LangMem as memtriage's memory: its memory store manager over LangGraph's store, in LangMem's own environment.

summarise: a model records, patches and removes memories by tool calls, with the nearest existing ones before it;
store: LangGraph's in-memory store, each memory embedded as a whole record;
retrieve: cosine similarity.

What this adapter does for the library's ways:
- `search` stops at 10: here k means k, and listing turns the pages to the end;
- the manager's synchronous half loses failed writes without a word: the asynchronous one is used;
- the store stamps memories with the clock of the run: they get the session's time, and a system message tells the
  model what it was;
- LangChain's embeddings would fetch a tokenizer, and the store compares vectors of any length: here texts are sent as
  they are, and a wrong length is refused;
- an endpoint that fails while memories are updated is asked again until a recursion limit, and the error names that
  limit only: the limit is lower here, and the error names the endpoint's;
- tool calls that can't be read or don't fit the schema are dropped: they are told as troubles.
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memtriage_adapter import Info, LoggedTroubles, Memory, Refused, Session, Settings, Turn, serve, trouble

OPTIONS = {
    "instructions": "what the model is told about forming memories; by default LangMem's own text",
    "query_limit": "existing memories the model sees per session (5); below 4 it sees none, and every 4 widen the "
    "look back",
    "query_model": "true: the internal model writes the queries for existing memories; false (the default): the "
    "last messages are the query",
    "max_steps": "rounds of forming and consolidating memories per session (1)",
    "inserts": "true (the default): new memories may be made; false: existing ones are only changed",
    "deletes": "true: the model may remove memories; false (LangMem's default): it may not",
    "fields": "what of a memory is embedded: a path such as content.content; by default the whole record as JSON",
    "temperature": "of the model; by default the endpoint's own",
    "max_tokens": "of one reply; by default the endpoint's own",
}
STEPS = 12
"""Steps of one extraction; a reply that has to be mended twice, the most LangMem tries, takes 8."""
PAGE = 500


def prepare(settings: Settings) -> Info:
    """Check what the user gave; nothing is traced or sent elsewhere."""
    if settings.internal is None:
        raise Refused("langmem needs a model that forms memories: name one with --internal")
    if settings.embed is None:
        raise Refused("langmem needs an embedding model: name one with --embed")
    _Options(settings.options)
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
        os.environ[name] = "false"
    logging.getLogger("extraction").addHandler(LoggedTroubles(logging.WARNING))  # trustcall's name for itself
    import langchain_openai  # noqa: F401  the slow imports belong to the start, not to the first store
    import langmem  # noqa: F401

    return Info(version("langmem"))


class _Options:
    """The options as their types, checked once."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._options = given
        self.instructions = given.get("instructions") or None
        self.query_limit = self._whole("query_limit") or 5
        self.query_model = self._flag("query_model", False)
        self.max_steps = self._whole("max_steps") or 1
        self.inserts = self._flag("inserts", True)
        self.deletes = self._flag("deletes", False)
        self.fields = [given["fields"]] if given.get("fields") else None
        chat = {"temperature": self._number("temperature", 0, 2), "max_tokens": self._whole("max_tokens")}
        self.chat = {key: value for key, value in chat.items() if value is not None}

    def _flag(self, name: str, default: bool) -> bool:
        value = str(self._options.get(name, default)).lower()
        if value not in ("true", "false"):
            raise Refused(f"langmem: {name} is true or false, not {value!r}")
        return value == "true"

    def _number(self, name: str, low: float, high: float) -> float | None:
        value = self._options.get(name)
        try:
            number = None if value is None else float(value)
        except ValueError:
            number = math.nan
        if number is not None and not low <= number <= high:
            raise Refused(f"langmem: {name} is a number from {low} to {high}, not {value!r}")
        return number

    def _whole(self, name: str) -> int | None:
        number = self._number(name, 1, 1e9)
        return None if number is None else int(number)


class LangMem:
    """One store and its manager; the scope is the namespace."""

    def __init__(self, settings: Settings) -> None:
        from langgraph.store.memory import InMemoryStore
        from langmem import create_memory_store_manager

        options = _Options(settings.options)
        self.namespace = ("memories", settings.scope)
        self.config = {"configurable": {"scope": settings.scope}, "recursion_limit": STEPS}
        self.max_steps = options.max_steps
        self.watch = _watch()
        model = _chat(settings, options, self.watch)
        fields = {"fields": options.fields} if options.fields else {}
        self.size = settings.embed.dimensions if settings.embed else None
        self.store = InMemoryStore(index={"dims": self.size, "embed": _embeddings(settings), **fields})
        self.manager = create_memory_store_manager(
            model,
            store=self.store,
            namespace=("memories", "{scope}"),
            enable_inserts=options.inserts,
            enable_deletes=options.deletes,
            query_model=model if options.query_model else None,
            query_limit=options.query_limit,
            **({"instructions": options.instructions} if options.instructions else {}),
        )

    async def store_conversation(self, conversation: Session) -> None:
        self.watch.begin()
        messages = _messages(conversation)
        try:
            written = await self.manager.ainvoke(
                {"messages": messages, "max_steps": self.max_steps}, config=dict(self.config)
            )
        except Refused:
            raise
        except Exception as error:
            raise RuntimeError(f"{error}{self.watch.cause()}") from error
        self.watch.tell()
        self._order_and_date([put["key"] for put in written], conversation.timestamp)

    async def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        if k < 1:
            return []
        return [_memory(item) for item in await self.store.asearch(self.namespace, query=query, limit=k)]

    async def get_all_memories(self) -> list[Memory]:
        found: list[Memory] = []
        while page := await self.store.asearch(self.namespace, limit=PAGE, offset=len(found)):
            found += map(_memory, page)
        return found

    def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        vectors = self.store._vectors[self.namespace]
        kept = [{**item.dict(), "vectors": vectors.get(key, {})} for key, item in self._items().items()]
        (path / "langmem.json").write_text(json.dumps(kept), "utf-8")

    def load(self, path: Path) -> None:
        from langgraph.store.base import Item

        try:
            kept = json.loads((path / "langmem.json").read_text("utf-8"))
        except OSError as error:
            raise Refused(f"{path} holds no saved LangMem store") from error
        for vector in (vector for item in kept for vector in item["vectors"].values()):
            _fits(vector, self.size, "the saved store")
        items, vectors = self._items(), self.store._vectors[self.namespace]
        items.clear()
        vectors.clear()
        for item in kept:
            vectors[item["key"]] = item.pop("vectors")
            items[item["key"]] = Item(**{**item, "namespace": self.namespace})

    def _items(self) -> dict[str, Any]:
        """The store's own dictionary; it promises not to rename it, and has no other way to bring items back."""
        items: dict[str, Any] = self.store._data[self.namespace]
        return items

    def _order_and_date(self, keys: Sequence[str], timestamp: str | None) -> None:
        """Memories as the model gave them, not as their vectors came in; dated by the session, not by the run."""
        items, when = self._items(), _time(timestamp)
        for key in keys:
            items[key] = items.pop(key)
            if when is not None:
                items[key].created_at = items[key].updated_at = when


def _messages(conversation: Session) -> list[dict[str, str]]:
    messages = [_message(turn) for turn in conversation.turns if turn.text.strip()]
    if not conversation.timestamp:
        return messages
    return [{"role": "system", "content": f"This conversation took place at {conversation.timestamp}."}, *messages]


def _message(turn: Turn) -> dict[str, str]:
    if turn.role in ("user", "assistant", "system"):
        return {"role": turn.role, "content": turn.text}
    return {"role": "user", "content": f"{turn.role}: {turn.text}"}  # LangChain knows no other speakers


def _time(timestamp: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(timestamp) if timestamp else None
    except ValueError:
        return None  # the model is told it in its own form; the store keeps the clock of the run


def _memory(item: Any) -> Memory:
    content = item.value.get("content")
    text = content.get("content") if isinstance(content, dict) else content
    if not isinstance(text, str):
        text = json.dumps(item.value, ensure_ascii=False)
    return Memory(item.key, text, item.created_at.isoformat(), score=getattr(item, "score", None))


# ------------------------------------------------------------ the models of the run


def _chat(settings: Settings, options: _Options, watch: Any) -> Any:
    from langchain_openai import ChatOpenAI

    internal = settings.internal
    assert internal is not None
    return ChatOpenAI(
        model=internal.model,
        base_url=internal.base_url,
        api_key=internal.api_key,
        use_responses_api=False,
        callbacks=[watch],
        **options.chat,
    )


def _embeddings(settings: Settings) -> Any:
    from langchain_openai import OpenAIEmbeddings

    embed = settings.embed
    assert embed is not None
    size, whose = embed.dimensions, f"the embedding model {embed.model!r}"

    class Checked(OpenAIEmbeddings):  # type: ignore[misc]
        """Embeddings whose length is what the store was made for."""

        async def aembed_documents(self, texts: list[str], *rest: Any, **more: Any) -> list[list[float]]:
            vectors: list[list[float]] = await super().aembed_documents(texts, *rest, **more)
            for vector in vectors:
                _fits(vector, size, whose)
            return vectors

    # Without the check of lengths no tokenizer is fetched, and the endpoint gets texts rather than numbers.
    return Checked(model=embed.model, base_url=embed.base_url, api_key=embed.api_key, check_embedding_ctx_length=False)


def _fits(vector: Sequence[float], size: int | None, whose: str) -> None:
    if size is not None and len(vector) != size:
        raise Refused(
            f"{whose} gives vectors of {len(vector)} numbers, but the store was made for {size}; "
            "give --embed the size that the endpoint really has"
        )


def _watch() -> Any:
    from langchain_core.callbacks import AsyncCallbackHandler

    class Watch(AsyncCallbackHandler):  # type: ignore[misc]
        """Notes what goes wrong between LangMem and its model, for LangMem goes on from most of it."""

        def __init__(self) -> None:
            self.seen: list[str] = []

        def begin(self) -> None:
            self.seen.clear()

        def tell(self) -> None:
            for problem in self.seen:
                trouble(problem)

        def cause(self) -> str:
            return f"; the model: {self.seen[-1]}" if self.seen else ""

        async def on_llm_error(self, error: BaseException, **rest: Any) -> None:
            self.seen.append(f"{type(error).__name__}: {error}"[:500])

        async def on_llm_end(self, response: Any, **rest: Any) -> None:
            for generation in (generation for some in response.generations for generation in some):
                self.seen += _flaws(generation.message)

    return Watch()


def _flaws(message: Any) -> list[str]:
    """What is wrong with a reply of which LangMem keeps less than the model meant."""
    flaws = [
        f"a call of {call.get('name')} can't be read and was dropped: {call.get('error')}"[:300]
        for call in message.invalid_tool_calls
    ]
    if message.response_metadata.get("finish_reason") == "length":
        flaws.append("the reply was cut off at its token limit; raise it with langmem:max_tokens=…")
    if refusal := message.additional_kwargs.get("refusal"):
        flaws.append(f"the model refused: {refusal}"[:300])
    return flaws


if __name__ == "__main__":
    serve(LangMem, name="langmem", options=OPTIONS, prepare=prepare)
