"""Cognee, a knowledge graph beside vectors (cognee), in its embedded stores: SQLite, LanceDB and Ladybug.

summarise: the text is cut into chunks; for each a model writes a summary and extracts entities and relations. store:
chunks, summaries, entities and relations as a graph with vectors, a pair of databases per dataset. retrieve: chunks,
and the relations around the entities nearest to the query (the library's hybrid search); its answer only where the
system is to answer itself.

What this adapter does for the library's ways:
- A session is one text: a first line with its timestamp and a line "role: text" per turn; it is added and cognified at
  once. A text that looks like a path or an address would be opened; the first line keeps any session from looking so.
- Every scope is a dataset. The library's access control, which gives every dataset databases of its own, stays on: it
  is what keeps scopes apart.
- A search returns one text for a model to read; the adapter takes the single chunks and relations that it is made of.
  Each lane of the hybrid search (chunks, relations around entities, relations by themselves) stops at five unless told
  otherwise; here it is k. With `k=shared` they are taken in turn until there are k in all. Asked without a k, it is
  what the library hands its own model.
- Edges that only wire the graph together (a chunk belongs to a document, an entity is of a type) are no memories; an
  edge from a chunk to an entity it mentions repeats the entity's description and counts as the entity.
- A .env file anywhere above the working directory would override every setting; an empty one is named instead.
- The tokenizer's vocabulary is taken from litellm's package instead of the network; telemetry is off.
"""

import json
import logging
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

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
)

OPTIONS = {
    "search": "hybrid (default), graph, chunks or summaries: the library's search type",
    "kinds": "what counts as a memory: chunks+relations+entities+summaries (default) or some of them",
    "k": "lane (default): k of each lane of the hybrid search, k triplets of graph; shared: k memories in all",
    "chunk_tokens": "size of a chunk (default: the library's, from the model's limits)",
    "prompt": "custom instructions for the extraction of the graph",
    "summaries": "llm (default) or from_extraction: how summaries are made",
    "retry_seconds": "how long a failing model call is tried again, at least (default 240, the library's)",
}
CHOICES = {
    "search": ("hybrid", "graph", "chunks", "summaries"),
    "k": ("lane", "shared"),
    "summaries": ("llm", "from_extraction"),
}
KINDS = ("chunks", "relations", "entities", "summaries")
LANES = "k counts each lane of its search, as the library's own numbers do"
MENTION = "contains"
WIRING = {"is_part_of", "made_from", "is_a", MENTION}


@dataclass(frozen=True)
class Origin:
    """A session as it was stored."""

    turns: list[Turn]
    at: str | None


class CogneeMemory:
    """One dataset."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.options = settings.options
        self.kinds = kinds_in(self.options.get("kinds", "+".join(KINDS)))
        self.name = f"memtriage_{uuid4().hex}"
        self.dataset: Any = None
        self.sessions: dict[str, Origin] = {}
        self.known: dict[str, Memory] = {}

    async def store_conversation(self, conversation: Session) -> None:
        turns = [turn for turn in conversation.turns if turn.text.strip()]
        if not turns:
            return
        import cognee

        added = await cognee.add(written(conversation.timestamp, turns), dataset_name=self.name)
        self.dataset = added.dataset_id
        new = [each["data_id"] for each in added.data_ingestion_info or () if str(each["data_id"]) not in self.sessions]
        self.sessions |= {str(id): Origin(turns, conversation.timestamp) for id in new}
        try:
            await cognee.cognify(
                datasets=[self.name],
                chunk_size=int(self.options["chunk_tokens"]) if "chunk_tokens" in self.options else None,
                custom_prompt=self.options.get("prompt"),
                summary_method=self.options.get("summaries"),
            )
        except Exception:
            for id in new:  # else the next session would fail with it, or bring it in late
                await cognee.forget(data_id=id, dataset_id=self.dataset)
                del self.sessions[str(id)]
            raise
        self.known = self.read(*await self.graph())

    async def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        if self.dataset is None or not query.strip() or (k is not None and k < 1):
            return []
        memories = self.found(await self.search(query, k, only_context=True), k)
        return memories[:k] if self.options.get("k") == "shared" else memories

    async def answer(self, question: Question) -> Answered:
        """The library's own answer; how to answer goes apart from what is looked up, behind its own instructions."""
        if self.dataset is None:
            return Answered("Nothing is known yet.", [])
        from cognee.infrastructure.llm.prompts import read_query_prompt

        search = self.options.get("search", "hybrid")
        if search not in ANSWERING:
            raise Refused(f"cognee: search={search} finds and does not answer; take {' or '.join(ANSWERING)}")
        own = f"{read_query_prompt(INSTRUCTIONS)}\n{question.how}" if question.how else None
        found = await self.search(question.text, question.k, system_prompt=own)
        said = [each.get("text_result") or "" for each in found]
        texts = [text if isinstance(text, str) else "\n".join(map(str, text)) for text in said]
        return Answered("\n".join(texts), self.found(found, question.k))

    async def search(self, query: str, k: int | None, **more: Any) -> list[Any]:
        """What the library's search brings, told apart by where it was found."""
        import cognee

        search = self.options.get("search", "hybrid")
        asked: dict[str, Any] = {} if k is None else {"top_k": k}
        if search == "hybrid" and k is not None:
            asked["retriever_specific_config"] = {"chunks_top_k": k, "entities_top_k": k, "facts_top_k": k}
        return await cognee.search(
            query,
            query_type=cognee.SearchType[TYPES[search]],
            dataset_ids=[self.dataset],
            verbose=True,
            **asked,
            **more,
        )

    def found(self, results: Iterable[Mapping[str, Any]], k: int | None) -> list[Memory]:
        """What a search found as memories, chunks and relations in turn."""
        search = self.options.get("search", "hybrid")
        lanes_found = [lane for each in results if (got := each.get("objects_result")) for lane in READERS[search](got)]
        most = k if search == "hybrid" else None  # a triplet of graph is up to three memories
        chunks, *relations = [self.memories(lane)[:most] for lane in lanes_found] or [[]]
        in_turn = chain.from_iterable(zip_longest(chunks, chain.from_iterable(relations)))
        return list({memory.id: memory for memory in in_turn if memory is not None}.values())

    async def get_all_memories(self) -> list[Memory]:
        return list({memory.id: memory for memory in self.known.values()}.values())

    async def close(self) -> None:
        if self.dataset is not None:
            import cognee

            await cognee.forget(dataset_id=self.dataset)
            self.dataset, self.known = None, {}
        shutil.rmtree(self.settings.home, ignore_errors=True)

    # -------------------------------------------------------------- the dataset's graph

    async def graph(self) -> tuple[list[Any], list[Any]]:
        from cognee.context_global_variables import set_database_global_context_variables
        from cognee.infrastructure.databases.graph import get_graph_engine
        from cognee.modules.users.methods import get_default_user

        user = await get_default_user()
        async with set_database_global_context_variables(self.dataset, user.id):
            engine = await get_graph_engine()
            nodes, edges = await engine.get_graph_data()
        return list(nodes), list(edges)

    def read(self, nodes: Iterable[Any], edges: Iterable[Any]) -> dict[str, Memory]:
        """Everything in the graph that says something, by the ids that a search uses."""
        edges = list(edges)
        graph = Provenance(edges, self.sessions)
        stated = [self.node(str(id), properties, graph) for id, properties in nodes]
        stated += [self.edge(*each, graph) for each in edges]
        known = {memory.id: memory for memory in stated if memory is not None}
        mentions = {edge_id(*each): known.get(str(each[1])) for each in edges if each[2] == MENTION}
        return known | {id: memory for id, memory in mentions.items() if memory is not None}

    def node(self, id: str, properties: Mapping[str, Any], graph: "Provenance") -> Memory | None:
        text = str(properties.get("text") or "")
        match properties.get("type"):
            case "DocumentChunk" if "chunks" in self.kinds:
                return graph.memory(id, text, graph.of_chunk(id), text)
            case "TextSummary" if "summaries" in self.kinds:
                return graph.memory(id, text, graph.of_summary(id))
            case "Entity" if "entities" in self.kinds:
                named = [str(properties.get(part) or "") for part in ("name", "description")]
                return graph.memory(id, ": ".join(filter(None, named)), graph.of_entity(id))
        return None

    def edge(
        self, source: Any, target: Any, relation: str, properties: Mapping[str, Any], graph: "Provenance"
    ) -> Memory | None:
        text = str(properties.get("edge_text") or "")
        if "relations" not in self.kinds or relation in WIRING or not text:
            return None
        return graph.memory(
            edge_id(source, target, relation, properties), text, graph.of_edge(str(source), str(target))
        )

    def memories(self, lane: Iterable["Hit"]) -> list[Memory]:
        """What a search found as memories, each once, without the edges that only wire the graph together."""
        by_text = {memory.text: memory for memory in self.known.values()}
        found: dict[str, Memory] = {}
        for hit in lane:
            memory = self.known.get(hit.id) or by_text.get(hit.text)
            if memory is not None:
                found.setdefault(memory.id, replace(memory, score=hit.score))
        return list(found.values())


class Provenance:
    """Which sessions a part of the graph comes from, read off the edges that wire it together."""

    def __init__(self, edges: Iterable[Any], sessions: Mapping[str, Origin]) -> None:
        self.sessions = sessions
        self.documents: dict[str, list[str]] = {}
        self.chunks: dict[str, list[str]] = {}
        self.entities: dict[str, list[str]] = {}
        for source, target, relation, _ in edges:
            match relation:
                case "is_part_of":
                    self.documents.setdefault(str(source), []).append(str(target))
                case "made_from":
                    self.chunks.setdefault(str(source), []).append(str(target))
                case _ if relation == MENTION:
                    self.entities.setdefault(str(target), []).append(str(source))

    def of_chunk(self, id: str) -> list[str]:
        return self.documents.get(id, [])

    def of_summary(self, id: str) -> list[str]:
        return self.joined(self.chunks.get(id, []))

    def of_entity(self, id: str) -> list[str]:
        return self.joined(self.entities.get(id, []))

    def of_edge(self, source: str, target: str) -> list[str]:
        """The documents of the chunks that name both ends."""
        both = [chunk for chunk in self.entities.get(source, []) if chunk in self.entities.get(target, [])]
        return self.joined(both)

    def joined(self, chunks: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(document for chunk in chunks for document in self.of_chunk(chunk)))

    def memory(self, id: str, text: str, documents: Iterable[str], within: str = "") -> Memory:
        origins = [self.sessions[document] for document in documents if document in self.sessions]
        turns = [turn for each in origins for turn in each.turns]
        here = [turn for turn in turns if turn.text in within] if within else []
        sources = tuple(dict.fromkeys(turn.id for turn in here or turns))
        return Memory(id, text, max((each.at for each in origins if each.at), default=None), sources)


# ------------------------------------------------------------------ what a search found, lane by lane


@dataclass(frozen=True)
class Hit:
    id: str
    text: str = ""
    score: float | None = None


def of_list(scored: Iterable[Any]) -> list[list[Hit]]:
    """Chunks or summaries; the library's score is a distance."""
    return [[Hit(str(each.id), score=1.0 - float(each.score)) for each in scored]]


def of_hybrid(lanes: Mapping[str, Any]) -> list[list[Hit]]:
    """Chunks, the relations of the entities found, and relations found by themselves."""
    edges = [edge for entity in lanes.get("entities") or () for edge in entity.get("edges") or ()]
    relations = [Hit(str(edge.get("edge_object_id")), str(edge.get("text") or "")) for edge in edges]
    facts = [Hit(str(fact.get("id")), str(fact.get("text") or "")) for fact in lanes.get("facts") or ()]
    return [*of_list(lanes.get("chunks") or ()), relations, facts]


def of_graph(edges: Iterable[Any]) -> list[list[Hit]]:
    """Relations, and before each the texts at its ends, which the reader is shown too."""
    found: list[Hit] = []
    for edge in edges:
        ends = [node for node in (edge.node1, edge.node2) if (node.attributes or {}).get("type") in TEXTS]
        found += [Hit(str(node.id)) for node in ends]
        found.append(Hit(str(edge.attributes.get("edge_object_id")), str(edge.attributes.get("edge_text") or "")))
    return [found]


def edge_id(source: Any, target: Any, relation: str, properties: Mapping[str, Any]) -> str:
    return str(properties.get("edge_object_id") or f"{source} {relation} {target}")


TEXTS = ("DocumentChunk", "TextSummary")
ANSWERING = ("hybrid", "graph")
"""The searches that end with an answer."""
INSTRUCTIONS = "answer_simple_question.txt"
"""The library's own, where a search is given none."""
TYPES = {"hybrid": "HYBRID_COMPLETION", "graph": "GRAPH_COMPLETION", "chunks": "CHUNKS", "summaries": "SUMMARIES"}
READERS = {"hybrid": of_hybrid, "graph": of_graph, "chunks": of_list, "summaries": of_list}


# ------------------------------------------------------------------ small things


def written(timestamp: str | None, turns: Iterable[Turn]) -> str:
    first = f"Conversation of {timestamp}" if timestamp else "Conversation"
    return "\n".join([first, *(f"{turn.role}: {turn.text}" for turn in turns)])


def kinds_in(listed: str) -> set[str]:
    kinds = set(filter(None, re.split(r"[+,\s]+", listed)))
    if not kinds or not kinds <= set(KINDS):
        raise Refused(f"kinds={listed}: name one or more of {', '.join(KINDS)}, joined by +")
    return kinds


def checked(settings: Settings) -> None:
    if settings.internal is None:
        raise Refused("cognee extracts a graph with a chat model; name one with --internal")
    if settings.embed is None:
        raise Refused("cognee searches with an embedding model; name one with --embed")
    for name, known in CHOICES.items():
        if settings.options.get(name, known[0]) not in known:
            raise Refused(f"{name}={settings.options[name]}: it is {' or '.join(known)}")
    for name in ("chunk_tokens", "retry_seconds"):
        if not settings.options.get(name, "1").isdigit():
            raise Refused(f"{name}={settings.options[name]}: it is a number")
    kinds_in(settings.options.get("kinds", "+".join(KINDS)))


def environment(settings: Settings) -> dict[str, str]:
    """The library reads its settings from the environment, once, when it is imported."""
    internal, embed, home = settings.internal, settings.embed, settings.home.resolve() / ".cognee"
    assert internal is not None
    assert embed is not None
    home.mkdir(parents=True, exist_ok=True)
    (home / "empty.env").touch()
    litellm = find_spec("litellm")
    vocabulary = Path(litellm.origin or "").parent / "litellm_core_utils" / "tokenizers" if litellm else home
    return {
        "COGNEE_ENV_FILE": str(home / "empty.env"),
        "SYSTEM_ROOT_DIRECTORY": str(home / "system"),
        "DATA_ROOT_DIRECTORY": str(home / "data"),
        "CACHE_ROOT_DIRECTORY": str(home / "cache"),
        "COGNEE_LOGS_DIR": str(home / "logs"),
        "COGNEE_REPOS_DIR": str(home / "repos"),
        "LLM_PROVIDER": "openai",
        "LLM_MODEL": f"openai/{internal.model}",
        "LLM_ENDPOINT": internal.base_url,
        "LLM_API_KEY": internal.api_key,
        "EMBEDDING_PROVIDER": "openai_compatible",
        "EMBEDDING_MODEL": embed.model,
        "EMBEDDING_ENDPOINT": embed.base_url,
        "EMBEDDING_API_KEY": embed.api_key,
        "EMBEDDING_DIMENSIONS": str(embed.dimensions or measured(embed)),
        "TIKTOKEN_CACHE_DIR": str(vocabulary),
        "ENABLE_BACKEND_ACCESS_CONTROL": "true",
        "COGNEE_SKIP_CONNECTION_TEST": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "TELEMETRY_DISABLED": "1",
        "HF_HUB_OFFLINE": "1",
        "LOG_LEVEL": "ERROR",
    }


def measured(embed: Model) -> int:
    """How many numbers the model's vectors have; the library would take 3072 for granted."""
    body = json.dumps({"model": embed.model, "input": ["how many numbers?"]}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {embed.api_key}"}
    with urlopen(Request(f"{embed.base_url.rstrip('/')}/embeddings", body, headers), timeout=120) as answer:
        return len(json.load(answer)["data"][0]["embedding"])


def prepare(settings: Settings) -> Info:
    checked(settings)
    os.environ.update(environment(settings))
    from cognee.infrastructure.llm import retry_config
    from tenacity import stop_after_attempt, stop_after_delay

    if "retry_seconds" in settings.options:  # read by the model clients when they are imported, with the first call
        least = stop_after_delay(int(settings.options["retry_seconds"]))
        retry_config.llm_retry_stop_condition = stop_after_attempt(retry_config.LLM_MIN_RETRY_ATTEMPTS) & least
    logging.getLogger().addHandler(LoggedTroubles(logging.ERROR))
    return Info(version("cognee"), () if settings.options.get("k") == "shared" else (LANES,))


if __name__ == "__main__":
    serve(CogneeMemory, name="cognee", options=OPTIONS, prepare=prepare)
