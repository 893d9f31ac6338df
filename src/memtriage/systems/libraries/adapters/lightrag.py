"""LightRAG, retrieval over a knowledge graph and the text it was made from (lightrag-hku), in files of its own.

summarise: the model extracts entities and relations with descriptions from every chunk, and joins descriptions that
pile up. store: chunks of the text, entities and relations, each with a vector, the latter two also as a graph.
retrieve: the model takes keywords from the query; entities and relations near them and chunks near the query.

What this adapter does for the library's ways:
- A session is one document: a line with its timestamp (the library knows no time) and a line "role: text" per turn.
- A document that fails is only marked as failed; here it is an error, and what there is of it is deleted.
- All stores of a process share their tables in memory by workspace, whatever their folders are. Every store has a
  workspace that was never used before, also after a reset.
- The context for a query is three lists: chunks, relations, entities. k counts each of them, as the library's own
  numbers do; with `k=shared` they are taken in turn until there are k in all. Asked without a k, it is what the library
  hands its own model: its numbers, its limits of tokens and its least similarity.
- Vectors below a similarity of 0.2 are left out by default; here k memories are k memories (`threshold=0.2`).
- The default tokenizer is downloaded; here it is one whose vocabulary is in its package.
- Answers to queries are cached in the store; here they are not: a query writes nothing.
- Errors that the library only logs are told as troubles.
"""

import json
import logging
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any
from uuid import uuid4

import bpe_openai
from lightrag import LightRAG, QueryParam
from lightrag.base import DocStatus
from lightrag.constants import DEFAULT_COSINE_THRESHOLD, GRAPH_FIELD_SEP
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.prompt import PROMPTS
from lightrag.utils import EmbeddingFunc, Tokenizer
from memtriage_adapter import (
    Answered,
    Info,
    LoggedTroubles,
    Memory,
    Model,
    Question,
    Refused,
    Session,
    Settings,
    Turn,
    serve,
    trouble,
)

OPTIONS = {
    "mode": "mix (default), naive, local, global or hybrid: how a query is answered",
    "kinds": "what counts as a memory: chunks+relations+entities (default) or some of them",
    "k": "lane (default): k chunks, k relations and k entities; shared: k of them together",
    "threshold": "least similarity, -1 to 1, of what is found (default: none; the library's is 0.2)",
    "chunk_tokens": "size of a chunk (default 1200, the library's)",
    "overlap": "tokens that chunks share (default 100, the library's)",
    "gleaning": "second looks at a chunk by the model (default 1, the library's)",
    "json": "false (default) or true: extraction in JSON instead of lines",
    "language": "of what is extracted (default: the library's)",
    "concurrency": "model calls at once (default 4, the library's)",
}
CHOICES = {
    "mode": ("mix", "naive", "local", "global", "hybrid"),
    "k": ("lane", "shared"),
    "json": ("false", "true"),
}
NUMBERS = {"chunk_tokens": int, "overlap": int, "gleaning": int, "concurrency": int, "threshold": float}
KINDS = ("chunks", "relations", "entities")
SAVED, FILES = "lightrag.json", "files"
ANY_SIMILARITY = -1.0
LANES = "k counts chunks, relations and entities each, as the library's own numbers do"


@dataclass(frozen=True)
class Origin:
    """Which turns a chunk holds, and when they were said."""

    turns: list[str]
    at: str | None


class LightRagMemory:
    """One workspace."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.options = settings.options
        self.kinds = kinds_in(self.options.get("kinds", "+".join(KINDS)))
        self.chunks: dict[str, Origin] = {}
        self.stored = 0
        self.workspace = uuid4().hex
        self._rag: LightRAG | None = None

    async def store_conversation(self, conversation: Session) -> None:
        turns = [turn for turn in conversation.turns if turn.text.strip()]
        if not turns:
            return
        rag = await self.rag()
        self.stored += 1
        name = f"session-{self.stored}"
        await rag.ainsert(written(conversation.timestamp, turns), ids=[name], file_paths=[f"{name}.txt"])
        document = await rag.doc_status.get_by_id(name)
        if document is None:  # the same text was stored before; the library keeps it once
            return
        if DocStatus(document["status"]) != DocStatus.PROCESSED:
            await rag.adelete_by_doc_id(name)  # else a part of it could be found
            raise RuntimeError(f"LightRAG could not take in a session: {document.get('error_msg')}")
        for id in document["chunks_list"]:
            text = (await rag.text_chunks.get_by_id(id) or {}).get("content", "")
            self.chunks[id] = Origin(spoken(text, turns), conversation.timestamp)

    async def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        if not self.stored or (k is not None and k < 1):
            return []
        rag, param = await self.asked(k)
        found = await rag.aquery_data(query, replace(param, only_need_context=True))
        if failed(found):
            trouble(f"lightrag: {found.get('message')}")
        memories = self.found(found, k)
        return memories[:k] if self.options.get("k") == "shared" else memories

    async def answer(self, question: Question) -> Answered:
        """The library's own answer; how to answer goes apart from what is looked up, as its user prompt."""
        if not self.stored:
            return Answered(PROMPTS["fail_response"], [])
        rag, param = await self.asked(question.k)
        found = await rag.aquery_llm(question.text, replace(param, user_prompt=question.how or None, stream=False))
        if failed(found):
            raise RuntimeError(f"LightRAG could not answer: {found.get('message')}")
        return Answered(str(found["llm_response"]["content"]), self.found(found, None))

    async def asked(self, k: int | None) -> tuple[LightRAG, QueryParam]:
        """The library, set to bring k of each kind or its own amount, and what it is to be asked with."""
        rag = await self.rag()
        least = float(self.options.get("threshold", DEFAULT_COSINE_THRESHOLD if k is None else ANY_SIMILARITY))
        for vectors in (rag.entities_vdb, rag.relationships_vdb, rag.chunks_vdb):
            vectors.cosine_better_than_threshold = least
        most = {} if k is None else {"top_k": k, "chunk_top_k": k}
        return rag, QueryParam(mode=self.options.get("mode", "mix"), enable_rerank=False, **most)

    def found(self, result: Mapping[str, Any], k: int | None) -> list[Memory]:
        """What a query found, one of each kind in turn."""
        data = result.get("data") or {}
        lists = {
            "chunks": [self.chunk(each["chunk_id"], each["content"]) for each in data.get("chunks", [])],
            "relations": [self.relation(each) for each in data.get("relationships", [])],
            "entities": [self.entity(each) for each in data.get("entities", [])],
        }
        in_turn = chain.from_iterable(zip_longest(*(lists[kind][:k] for kind in KINDS if kind in self.kinds)))
        return [memory for memory in in_turn if memory is not None]

    async def get_all_memories(self) -> list[Memory]:
        if not self.stored:
            return []
        rag = await self.rag()
        memories: list[Memory] = []
        if "chunks" in self.kinds:
            for chunk in await rag.text_chunks.get_by_ids(list(self.chunks)):
                memories.append(self.chunk(chunk["_id"], chunk["content"]))
        if "relations" in self.kinds:
            edges = await rag.chunk_entity_relation_graph.get_all_edges()
            memories += [self.relation({**each, "src_id": each["source"], "tgt_id": each["target"]}) for each in edges]
        if "entities" in self.kinds:
            nodes = await rag.chunk_entity_relation_graph.get_all_nodes()
            memories += [self.entity({**each, "entity_name": each["id"]}) for each in nodes]
        return memories

    async def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        kept = {"stored": self.stored, "chunks": {id: asdict(origin) for id, origin in self.chunks.items()}}
        (path / SAVED).write_text(json.dumps(kept), "utf-8")
        shutil.rmtree(path / FILES, ignore_errors=True)
        shutil.copytree(self.folder, path / FILES) if self.folder.exists() else (path / FILES).mkdir()

    async def load(self, path: Path) -> None:
        if not (path / SAVED).is_file():
            raise Refused(f"{path} holds no saved lightrag store")
        kept = json.loads((path / SAVED).read_text("utf-8"))
        await self.forget()
        shutil.copytree(path / FILES, self.folder)
        self.stored = kept["stored"]
        self.chunks = {id: Origin(**origin) for id, origin in kept["chunks"].items()}

    async def close(self) -> None:
        await self.forget()
        shutil.rmtree(self.settings.home, ignore_errors=True)

    # -------------------------------------------------------------- the workspace

    @property
    def folder(self) -> Path:
        return self.settings.home / self.workspace

    async def rag(self) -> LightRAG:
        if self._rag is None:
            self._rag = await opened(self.settings, self.workspace)
            await self._rag.initialize_storages()
        return self._rag

    async def forget(self) -> None:
        """Drop everything, from the files and from the tables that all stores share; go on in a new workspace."""
        if self._rag is not None:
            for storage in tables(self._rag):
                await storage.drop()
            await self._rag.finalize_storages()
            shutil.rmtree(self.folder, ignore_errors=True)
        self._rag, self.workspace, self.stored, self.chunks = None, uuid4().hex, 0, {}

    # -------------------------------------------------------------- as memories

    def chunk(self, id: str, text: str) -> Memory:
        origin = self.chunks.get(id, Origin([], None))
        return Memory(id, text, origin.at, tuple(origin.turns))

    def relation(self, edge: Mapping[str, Any]) -> Memory:
        name = " - ".join(sorted((str(edge["src_id"]), str(edge["tgt_id"]))))  # relations have no direction here
        return self.described(name, f"relation:{name}", edge)

    def entity(self, node: Mapping[str, Any]) -> Memory:
        return self.described(str(node["entity_name"]), f"entity:{node['entity_name']}", node)

    def described(self, name: str, id: str, what: Mapping[str, Any]) -> Memory:
        chunks = [self.chunks[chunk] for chunk in parts(what.get("source_id")) if chunk in self.chunks]
        turns = tuple(dict.fromkeys(turn for origin in chunks for turn in origin.turns))
        text = f"{name}: {chr(10).join(parts(what.get('description')))}"
        return Memory(id, text, max((origin.at for origin in chunks if origin.at), default=None), turns)


# ------------------------------------------------------------------ opening a workspace


def failed(result: Mapping[str, Any]) -> bool:
    """Whether a query failed, rather than found nothing."""
    return result.get("status") == "failure" and (result.get("metadata") or {}).get("failure_reason") != "no_results"


async def opened(settings: Settings, workspace: str) -> LightRAG:
    options, internal, embed = settings.options, settings.internal, settings.embed
    assert internal is not None
    assert embed is not None
    given: dict[str, Any] = {
        "chunk_token_size": options.get("chunk_tokens"),
        "chunk_overlap_token_size": options.get("overlap"),
        "entity_extract_max_gleaning": options.get("gleaning"),
        "llm_model_max_async": options.get("concurrency"),
    }
    return LightRAG(
        working_dir=str(settings.home),
        workspace=workspace,
        llm_model_func=partial(complete, internal),
        llm_model_name=internal.model,
        embedding_func=await embedding(embed),
        tokenizer=Tokenizer("o200k_base", Offline()),
        vector_db_storage_cls_kwargs={"cosine_better_than_threshold": float(options.get("threshold", ANY_SIMILARITY))},
        enable_llm_cache=False,
        entity_extraction_use_json=options.get("json") == "true",
        addon_params={"language": options["language"]} if "language" in options else None,
        **{name: int(value) for name, value in given.items() if value is not None},
    )


async def complete(
    model: Model, prompt: str, system_prompt: str | None = None, history_messages: Any = None, **more: Any
) -> Any:
    """The library's own client at the endpoint that memtriage offers."""
    return await openai_complete_if_cache(
        model.model,
        prompt,
        system_prompt,
        history_messages or [],
        base_url=model.base_url,
        api_key=model.api_key,
        **more,
    )


async def embedding(model: Model) -> EmbeddingFunc:
    embed = partial(openai_embed.func, model=model.model, base_url=model.base_url, api_key=model.api_key)
    size = model.dimensions or len((await embed(["how many numbers?"]))[0])
    return EmbeddingFunc(embedding_dim=size, func=embed, model_name=model.model)


class Offline:
    """OpenAI's o200k tokens from a vocabulary inside a package; one for all threads."""

    encoding = bpe_openai.get_encoding("o200k_base")

    def encode(self, content: str) -> list[int]:
        return list(self.encoding.encode(content))

    def decode(self, tokens: list[int]) -> str:
        return self.encoding.decode(tokens) or ""

    def __deepcopy__(self, memo: object) -> "Offline":
        return self


def tables(rag: LightRAG) -> list[Any]:
    return [
        rag.text_chunks,
        rag.full_docs,
        rag.full_entities,
        rag.full_relations,
        rag.entity_chunks,
        rag.relation_chunks,
        rag.entities_vdb,
        rag.relationships_vdb,
        rag.chunks_vdb,
        rag.chunk_entity_relation_graph,
        rag.llm_response_cache,
        rag.doc_status,
    ]


# ------------------------------------------------------------------ small things


def written(timestamp: str | None, turns: Iterable[Turn]) -> str:
    lines = [f"Conversation of {timestamp}"] if timestamp else []
    return "\n".join([*lines, *(f"{turn.role}: {turn.text}" for turn in turns)])


def spoken(chunk: str, turns: Iterable[Turn]) -> list[str]:
    """The turns that stand in a chunk, whole or in part."""
    here = [turn.id for turn in turns if any(line in chunk for line in turn.text.splitlines() if line.strip())]
    whole = [turn.id for turn in turns if chunk in turn.text or turn.text in chunk]
    return list(dict.fromkeys(here + whole)) or [turn.id for turn in turns]


def parts(joined: object) -> list[str]:
    return [part for part in str(joined or "").split(GRAPH_FIELD_SEP) if part]


def kinds_in(listed: str) -> set[str]:
    kinds = set(filter(None, re.split(r"[+,\s]+", listed)))
    if not kinds or not kinds <= set(KINDS):
        raise Refused(f"kinds={listed}: name one or more of {', '.join(KINDS)}, joined by +")
    return kinds


def prepare(settings: Settings) -> Info:
    if settings.internal is None:
        raise Refused("lightrag extracts a graph with a chat model; name one with --internal")
    if settings.embed is None:
        raise Refused("lightrag searches with an embedding model; name one with --embed")
    for name, known in CHOICES.items():
        if settings.options.get(name, known[0]) not in known:
            raise Refused(f"{name}={settings.options[name]}: it is {' or '.join(known)}")
    for name, number in NUMBERS.items():
        try:
            number(settings.options.get(name, 0))
        except ValueError:
            raise Refused(f"{name}={settings.options[name]}: it is a number") from None
    kinds_in(settings.options.get("kinds", "+".join(KINDS)))
    logging.getLogger("lightrag").addHandler(LoggedTroubles(logging.WARNING))
    one_list = settings.options.get("k") == "shared" or settings.options.get("mode") == "naive"
    return Info(version("lightrag-hku"), () if one_list else (LANES,))


if __name__ == "__main__":
    serve(LightRagMemory, name="lightrag", options=OPTIONS, prepare=prepare)
