"""Graphiti, a temporal knowledge graph (graphiti-core), in an embedded Kuzu graph or a server named by address.

summarise: the model finds the entities of an episode and the facts between them, dates each fact, merges what is the
same and ends what a newer fact contradicts. store: entities, facts as edges, and episodes in a graph partition of its
own per scope. retrieve: full-text and vector search over the facts, joined by reciprocal rank, or judged one by one
by the library's cross-encoder.

What this adapter does for the library's ways:
- A session is one episode of type message, "role: text" line by line, dated by the session's timestamp (`per=turn`
  makes every turn one).
- Facts that ended stay in the graph and in its search. They are listed, with the date of their end in the text.
- Edges know their episodes, episodes their turns: sources are turn ids.
- Kuzu's full-text search takes its best hits before it looks at the partition, so that other scopes would crowd out
  one's own: every scope has a file of its own. An open one takes some 80 MB; the least used are closed meanwhile.
- Kuzu's driver lacks an attribute, never builds the full-text indices that search needs, and reserves 8 TB of
  addresses per graph, so that a process can't hold more than fifteen; all three are mended here.
- On Kuzu the library compares a raw cosine with floors meant for one scaled to 0…1, as its other stores have it. It
  is scaled here too, so that the embedded graph finds what a server would.
- With several threads Kuzu returns equal scores in any order; it gets one, so that a query repeats itself.
- To Kuzu's full-text search a question mark is a wildcard, which loses the last word of every question; it is taken
  out of the words, and left in what is embedded.
- The search leaves out what is below the floor even where k is not reached; the adapter fills up to k with the next
  nearest (score 0; `fill=false` leaves the library's answer as it is).
- The embedder cuts every vector to 1024 numbers unless told otherwise; here it keeps them whole.
- The library's default client asks OpenAI's /responses, which few other endpoints have: it is used where the endpoint
  is OpenAI's own, and the library's generic client elsewhere (`client`).
- Errors that the library only logs are told as troubles.
"""

import json
import logging
import os
import re
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memtriage_adapter import Info, LoggedTroubles, Memory, Model, Refused, Session, Settings, serve, trouble

os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
warnings.filterwarnings("ignore", "The Kuzu backend is deprecated", DeprecationWarning)

import kuzu  # noqa: E402
import openai  # noqa: E402
from graphiti_core import Graphiti  # noqa: E402
from graphiti_core.cross_encoder.client import CrossEncoderClient  # noqa: E402
from graphiti_core.cross_encoder.openai_reranker_client import OpenAIRerankerClient  # noqa: E402
from graphiti_core.driver.driver import GraphDriver, GraphProvider  # noqa: E402
from graphiti_core.driver.kuzu.operations import search_ops as kuzu_search  # noqa: E402
from graphiti_core.driver.kuzu_driver import KuzuDriver  # noqa: E402
from graphiti_core.edges import EntityEdge, EpisodicEdge  # noqa: E402
from graphiti_core.embedder.openai import OpenAIEmbedder, OpenAIEmbedderConfig  # noqa: E402
from graphiti_core.errors import GroupsEdgesNotFoundError  # noqa: E402
from graphiti_core.llm_client.config import LLMConfig  # noqa: E402
from graphiti_core.llm_client.openai_client import OpenAIClient  # noqa: E402
from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient  # noqa: E402
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode  # noqa: E402
from graphiti_core.prompts.lib import prompt_library  # noqa: E402
from graphiti_core.search import search_utils  # noqa: E402
from graphiti_core.search.search_config import SearchConfig, SearchResults  # noqa: E402
from graphiti_core.search.search_config_recipes import (  # noqa: E402
    COMBINED_HYBRID_SEARCH_CROSS_ENCODER,
    COMBINED_HYBRID_SEARCH_RRF,
    EDGE_HYBRID_SEARCH_CROSS_ENCODER,
    EDGE_HYBRID_SEARCH_RRF,
    NODE_HYBRID_SEARCH_CROSS_ENCODER,
    NODE_HYBRID_SEARCH_RRF,
)
from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk  # noqa: E402
from graphiti_core.utils.maintenance.graph_data_operations import clear_data  # noqa: E402

OPTIONS = {
    "per": "session (default) or turn: what becomes one episode",
    "search": "edges (default), nodes or combined: what a query looks for",
    "reranker": "rrf (default, as in the library's search) or cross_encoder: the internal model judges each candidate, "
    "one call each; its endpoint has to give log probabilities",
    "list": "what counts as stored: facts+entities (default), also episodes",
    "store": "kuzu (default, embedded), falkordb://host:6379 or neo4j://user@host:7687/database; the password is "
    "read from FALKORDB_PASSWORD or NEO4J_PASSWORD",
    "min_score": "the floor of the vector search, 0 to 1 (default 0.6, the library's)",
    "fill": "true (default) or false: fill up to k with what lies below the floor",
    "dates": "ended (default), all or none: which dates of a fact its text shows",
    "instructions": "the library's custom extraction instructions",
    "client": "auto (default), openai or generic: which of the library's clients asks the model; auto is openai where "
    "the endpoint is OpenAI's own",
    "structured": "json_schema (default) or json_object: how the generic client asks for replies of a shape",
    "temperature": "of the model (default: the library's)",
    "max_tokens": "of one reply (default 16384, the library's)",
    "concurrency": "model calls at once within one episode (default: the library's)",
}
CHOICES = {
    "per": ("session", "turn"),
    "search": ("edges", "nodes", "combined"),
    "reranker": ("rrf", "cross_encoder"),
    "client": ("auto", "openai", "generic"),
    "fill": ("true", "false"),
    "dates": ("ended", "all", "none"),
    "structured": ("json_schema", "json_object"),
}
KINDS = ("facts", "entities", "episodes")
RECIPES = {
    ("edges", "rrf"): EDGE_HYBRID_SEARCH_RRF,
    ("nodes", "rrf"): NODE_HYBRID_SEARCH_RRF,
    ("combined", "rrf"): COMBINED_HYBRID_SEARCH_RRF,
    ("edges", "cross_encoder"): EDGE_HYBRID_SEARCH_CROSS_ENCODER,
    ("nodes", "cross_encoder"): NODE_HYBRID_SEARCH_CROSS_ENCODER,
    ("combined", "cross_encoder"): COMBINED_HYBRID_SEARCH_CROSS_ENCODER,
}
PASSWORDS = {"falkordb": "FALKORDB_PASSWORD", "neo4j": "NEO4J_PASSWORD", "neo4j+s": "NEO4J_PASSWORD"}
POOL, LARGEST, AT_ONCE = 1 << 28, 1 << 34, 8
GRAPH, SAVED = "graph.kuzu", "graphiti.json"


@dataclass(frozen=True)
class Origin:
    """Which turns an episode holds, and when they were said."""

    turns: list[str]
    at: str


class _Blank(dict[str, Any]):
    """Stands in for the data of a prompt: every value is its own name."""

    def __missing__(self, key: str) -> Any:
        return [f"<{key}>"] if key.endswith(("episodes", "nodes")) else f"<{key}>"


class _TunedPrompt:
    """A prompt function of the library, and what was added to it for the store that is at work."""

    def __init__(self, function: Any) -> None:
        self.function, self.added = function, ""
        self.text = "\n\n".join(message.content for message in function(_Blank())).strip()

    def __call__(self, context: Mapping[str, Any]) -> Any:
        messages = self.function(context)
        if self.added:
            messages[-1].content += f"\n\n{self.added}"
        return messages

    def become(self, text: str) -> None:
        """Say what was appended to the library's own text, or all of another one after it."""
        self.added = (text.removeprefix(self.text) if text.startswith(self.text) else text).strip()


def tunable_prompts() -> dict[str, _TunedPrompt]:
    """The prompts that MEME's paper tunes, put in the places from which the library takes them."""
    found: dict[str, _TunedPrompt] = {}
    for group, name in (("extract_nodes", "extract_message"), ("extract_edges", "edge"), ("dedupe_nodes", "nodes")):
        module = import_module(f"graphiti_core.prompts.{group}")
        tuned = _TunedPrompt(getattr(module, name))
        setattr(module, name, tuned)
        getattr(getattr(prompt_library, group), name).func = tuned
        found[f"{group}.{name}"] = tuned
    return found


TUNED = tunable_prompts()


class GraphitiMemory:
    """One partition of a graph."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tuned: dict[str, str] = {}
        self.options = settings.options
        self.group = "memtriage-" + blake2b(str(settings.home.resolve()).encode(), digest_size=12).hexdigest()
        self.episodes: dict[str, Origin] = {}
        self._graph: Graphiti | None = None

    def prompts(self) -> dict[str, str]:
        """The library's prompts with names in the place of data, and with what was added to them."""
        return {**{name: prompt.text for name, prompt in TUNED.items()}, **self.tuned}

    def set_prompts(self, prompts: dict[str, str]) -> None:
        if unknown := sorted(set(prompts) - set(TUNED)):
            raise Refused(f"graphiti has no prompt {unknown[0]!r}; its prompts: {', '.join(TUNED)}")
        self.tuned = dict(prompts)

    async def store_conversation(self, conversation: Session) -> None:
        for name, prompt in TUNED.items():  # another store of this process has its own
            prompt.become(self.tuned.get(name, prompt.text))
        at = moment(conversation.timestamp)
        for name, lines in episodes_of(conversation, self.options.get("per", "session")):
            graph = await self.graph()
            added = await graph.add_episode(
                name=name,
                episode_body="\n".join(f"{turn.role}: {turn.text}" for turn in lines),
                source_description="a conversation of user and assistant",
                reference_time=at,
                source=EpisodeType.message,
                group_id=self.group,
                custom_extraction_instructions=self.options.get("instructions"),
            )
            self.episodes[added.episode.uuid] = Origin([turn.id for turn in lines], at.isoformat())

    async def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        if not query.strip() or k < 1:
            return []
        graph = await self.graph()
        vector = await graph.embedder.create(input_data=[query.replace("\n", " ")])
        floor = float(self.options.get("min_score", 0.6))
        found = self.ranked(await self.searched(query, vector, k, floor), await self.mentions())
        if len(found) < k and self.options.get("fill", "true") == "true":
            have = {memory.id for memory in found}
            below = self.ranked(await self.searched(query, vector, k, -1.0), await self.mentions())
            found += [Memory(m.id, m.text, m.created_at, m.sources, 0.0) for m in below if m.id not in have]
        return found[:k]

    async def get_all_memories(self) -> list[Memory]:
        kinds = kinds_in(self.options.get("list", "facts+entities"))
        mentions = await self.mentions()
        memories = [self.fact(edge) for edge in await self.edges()] if "facts" in kinds else []
        if "entities" in kinds:
            memories += [self.entity(node, mentions) for node in await self.nodes()]
        if "episodes" in kinds:
            driver = (await self.graph()).driver
            memories += map(self.episode, await EpisodicNode.get_by_group_ids(driver, [self.group]))
        return sorted(memories, key=lambda memory: (memory.created_at or "", memory.text))

    async def save(self, path: Path) -> None:
        driver = (await self.graph()).driver
        kept = {
            "told": {uuid: asdict(origin) for uuid, origin in self.episodes.items()},
            "episodes": plain(await EpisodicNode.get_by_group_ids(driver, [self.group])),
            "nodes": plain(await self.nodes(with_embeddings=True)),
            "edges": plain(await self.edges(with_embeddings=True)),
            "mentions": plain(await found(EpisodicEdge.get_by_group_ids(driver, [self.group]))),
        }
        path.mkdir(parents=True, exist_ok=True)
        (path / SAVED).write_text(json.dumps(kept), "utf-8")

    async def load(self, path: Path) -> None:
        if not (path / SAVED).is_file():
            raise Refused(f"{path} holds no saved graphiti store")
        kept = json.loads((path / SAVED).read_text("utf-8"))
        graph = await self.graph()
        await clear_data(graph.driver, [self.group])
        own = {"group_id": self.group}
        await add_nodes_and_edges_bulk(
            graph.driver,
            [EpisodicNode(**each | own) for each in kept["episodes"]],
            [EpisodicEdge(**each | own) for each in kept["mentions"]],
            [EntityNode(**each | own) for each in kept["nodes"]],
            [EntityEdge(**each | own) for each in kept["edges"]],
            graph.embedder,
        )
        self.episodes = {uuid: Origin(**origin) for uuid, origin in kept["told"].items()}

    async def close(self) -> None:
        if self.options.get("store", "kuzu") != "kuzu":
            await clear_data((await self.graph()).driver, [self.group])
        await self.put_away()
        shutil.rmtree(self.settings.home, ignore_errors=True)

    # -------------------------------------------------------------- what the graph holds

    async def graph(self) -> Graphiti:
        """The graph, opened when it is needed; another is put away if too many are open."""
        if self in OPEN:
            OPEN.remove(self)
        OPEN.append(self)
        if self._graph is None:
            if len(OPEN) > AT_ONCE:
                await OPEN[0].put_away()
            self._graph = await opened(self.settings, self.group)
        return self._graph

    async def put_away(self) -> None:
        """Close the graph; what it holds stays where it is."""
        if self in OPEN:
            OPEN.remove(self)
        if self._graph is not None:
            await self._graph.driver.close()
            self._graph = None

    async def edges(self, **how: bool) -> list[EntityEdge]:
        driver = (await self.graph()).driver
        return await found(EntityEdge.get_by_group_ids(driver, [self.group], **how))

    async def nodes(self, **how: bool) -> list[EntityNode]:
        driver = (await self.graph()).driver
        return list(await EntityNode.get_by_group_ids(driver, [self.group], **how))

    async def mentions(self) -> dict[str, list[str]]:
        """The episodes in which an entity came up, by the entity."""
        driver = (await self.graph()).driver
        by_node: dict[str, list[str]] = {}
        for edge in await found(EpisodicEdge.get_by_group_ids(driver, [self.group])):
            by_node.setdefault(edge.target_node_uuid, []).append(edge.source_node_uuid)
        return by_node

    async def searched(self, query: str, vector: list[float], k: int, floor: float) -> SearchResults:
        graph = await self.graph()
        config = recipe(self.options.get("search", "edges"), self.options.get("reranker", "rrf"), k, floor)
        if graph.driver.provider == GraphProvider.KUZU:
            query = re.sub(r"[?*]+", " ", query)  # wildcards to its full-text search: "kettle?" would find no kettle
        return await graph.search_(query, config, group_ids=[self.group], query_vector=vector)

    # -------------------------------------------------------------- as memories

    def ranked(self, results: SearchResults, mentions: Mapping[str, list[str]]) -> list[Memory]:
        """Facts and entities by their score; at the same score facts come first."""
        facts = [self.fact(*each) for each in zip(results.edges, results.edge_reranker_scores, strict=True)]
        nodes = zip(results.nodes, results.node_reranker_scores, strict=True)
        entities = [self.entity(node, mentions, score) for node, score in nodes]
        return sorted(facts + entities, key=lambda memory: -(memory.score or 0.0))

    def fact(self, edge: EntityEdge, score: float | None = None) -> Memory:
        at = edge.valid_at or edge.reference_time or edge.created_at
        text = edge.fact + validity(edge, self.options.get("dates", "ended"))
        return Memory(edge.uuid, text, iso(at), self.turns(edge.episodes), score)

    def entity(self, node: EntityNode, mentions: Mapping[str, list[str]], score: float | None = None) -> Memory:
        episodes = mentions.get(node.uuid, [])
        times = [self.episodes[uuid].at for uuid in episodes if uuid in self.episodes]
        text = f"{node.name}: {node.summary}" if node.summary else node.name
        return Memory(node.uuid, text, max(times, default=iso(node.created_at)), self.turns(episodes), score)

    def episode(self, node: EpisodicNode) -> Memory:
        return Memory(node.uuid, node.content, iso(node.valid_at), self.turns([node.uuid]))

    def turns(self, episodes: Iterable[str]) -> tuple[str, ...]:
        """The turns of these episodes, in the order they were said; the graph lists episodes by their random ids."""
        held = set(episodes)
        return tuple(turn for uuid, origin in self.episodes.items() if uuid in held for turn in origin.turns)


# ------------------------------------------------------------------ opening a graph

OPEN: list[GraphitiMemory] = []
"""The stores whose graphs are open, the one used last at the end."""


async def opened(settings: Settings, group: str) -> Graphiti:
    options, internal, embed = settings.options, settings.internal, settings.embed
    assert internal is not None
    assert embed is not None
    driver = await driver_at(options.get("store", "kuzu"), settings.home, group)
    model = LLMConfig(
        api_key=internal.api_key, base_url=internal.base_url, model=internal.model, small_model=internal.model
    )
    if "temperature" in options:
        model.temperature = float(options["temperature"])
    most = {"max_tokens": int(options["max_tokens"])} if "max_tokens" in options else {}
    embedder = OpenAIEmbedderConfig(
        api_key=embed.api_key,
        base_url=embed.base_url,
        embedding_model=embed.model,
        embedding_dim=embed.dimensions or 1 << 20,
    )
    generic = partial(OpenAIGenericClient, structured_output_mode=options.get("structured", "json_schema"))
    client = OpenAIClient if client_of(settings) == "openai" else generic
    judges = options.get("reranker") == "cross_encoder"
    return Graphiti(
        graph_driver=driver,
        llm_client=client(model, **most),
        embedder=OpenAIEmbedder(embedder),
        cross_encoder=OpenAIRerankerClient(model) if judges else NoReranker(),
        max_coroutines=int(options["concurrency"]) if "concurrency" in options else None,
    )


async def driver_at(store: str, home: Path, group: str) -> GraphDriver:
    if store == "kuzu":
        if not (home / GRAPH).exists():
            shutil.copy(await empty(home.parent), home / GRAPH)
        return Embedded(home / GRAPH)
    try:
        served = server(store, group)
        if served._init_task is not None:
            await served._init_task
    except Exception as error:
        raise Refused(
            f"no graph at {store}: {error}; is the server up, and the password in the environment?"
        ) from error
    return served


async def empty(folder: Path) -> Path:
    """A graph with its indices and nothing in it, to copy from: building them takes most of a second."""
    path = folder / f"empty-{os.getpid()}.kuzu"
    if not path.exists():
        driver = Embedded(path)
        await driver.graph_ops.build_indices_and_constraints(driver)
        await driver.close()
    return path


def server(store: str, group: str) -> GraphDriver:
    at = urlsplit(store)
    password = os.environ.get(PASSWORDS[at.scheme]) or None
    if at.scheme == "falkordb":
        from graphiti_core.driver.falkordb_driver import FalkorDriver

        return FalkorDriver(at.hostname, at.port or 6379, at.username, password, database=group)
    from graphiti_core.driver.neo4j_driver import Neo4jDriver

    address = f"{at.scheme}://{at.hostname}:{at.port or 7687}"
    return Neo4jDriver(address, at.username or "neo4j", password, at.path.strip("/") or "neo4j")


class Embedded(KuzuDriver):
    """A Kuzu graph in a file, with what the driver lacks."""

    def __init__(self, path: Path) -> None:
        unbounded = kuzu.Database
        kuzu.Database = partial(unbounded, buffer_pool_size=POOL, max_db_size=LARGEST, max_num_threads=1)
        try:
            super().__init__(str(path))
        finally:
            kuzu.Database = unbounded
        self._database = "default"

    async def close(self) -> None:
        self.client.close()
        self.db.close()


class NoReranker(CrossEncoderClient):
    """A reranker that is never asked: the library's default would call a model that the user didn't choose."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        return [(passage, 0.0) for passage in passages]


def scaled_cosine(one: str, other: str, provider: GraphProvider) -> str:
    """Kuzu's cosine between 0 and 1, as Neo4j and FalkorDB give it and as the library's floors expect it."""
    return f"((1 + {raw_cosine(one, other, provider)}) / 2)"


raw_cosine = kuzu_search.get_vector_cosine_func_query


# ------------------------------------------------------------------ small things


async def found(asked: Any) -> list[Any]:
    """What a listing found; the library raises where there is nothing yet."""
    try:
        return list(await asked)
    except GroupsEdgesNotFoundError:
        return []


def client_of(settings: Settings) -> str:
    """Which of the library's clients asks the model."""
    chosen = settings.options.get("client", "auto")
    openai_itself = settings.internal is not None and settings.internal.provider == "openai"
    return ("openai" if openai_itself else "generic") if chosen == "auto" else chosen


def recipe(search: str, reranker: str, k: int, floor: float) -> SearchConfig:
    config = RECIPES[search, reranker].model_copy(
        deep=True
    )  # the library's recipes are shared by everyone in the process
    config.limit = k
    config.episode_config = config.community_config = None
    for part in (config.edge_config, config.node_config):
        if part is not None:
            part.sim_min_score = floor
    return config


def episodes_of(session: Session, per: str) -> list[tuple[str, Sequence[Any]]]:
    turns = [turn for turn in session.turns if turn.text.strip()]
    if per == "turn":
        return [(f"{session.id} {turn.id}", [turn]) for turn in turns]
    return [(session.id, turns)] if turns else []


def moment(timestamp: str | None) -> datetime:
    """When a session took place; now where it doesn't say, since the library must date everything."""
    if not timestamp:
        return datetime.now(UTC)
    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        if not (day := re.search(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})\D*(?:(\d{1,2}):(\d{2}))?", timestamp)):
            trouble(f"the timestamp {timestamp!r} can't be read; its session is dated now")
            return datetime.now(UTC)
        year, month, date, hour, minute = (int(part or 0) for part in day.groups())
        at = datetime(year, month, date, hour, minute)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def iso(at: datetime) -> str:
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).isoformat()


def validity(edge: EntityEdge, dates: str) -> str:
    """How long a fact held, as far as it is to be shown."""
    start = edge.valid_at.date() if edge.valid_at and dates == "all" else None
    end = edge.invalid_at.date() if edge.invalid_at and dates != "none" else None
    parts = [f"from {start}" if start else "", f"until {end}" if end else ""]
    return f" ({' '.join(part for part in parts if part)})" if any(parts) else ""


def plain(things: Iterable[Any]) -> list[Any]:
    return [thing.model_dump(mode="json") for thing in things]


def kinds_in(listed: str) -> set[str]:
    kinds = set(filter(None, re.split(r"[+,\s]+", listed)))
    if not kinds or not kinds <= set(KINDS):
        raise Refused(f"list={listed}: name one or more of {', '.join(KINDS)}, joined by +")
    return kinds


def checked(settings: Settings) -> None:
    if settings.internal is None:
        raise Refused("graphiti extracts facts with a chat model; name one with --internal")
    if settings.embed is None:
        raise Refused("graphiti searches with an embedding model; name one with --embed")
    options = settings.options
    for name, known in CHOICES.items():
        if options.get(name, known[0]) not in known:
            raise Refused(f"{name}={options[name]}: it is {' or '.join(known)}")
    for name, number in (("min_score", float), ("temperature", float), ("max_tokens", int), ("concurrency", int)):
        try:
            number(options.get(name, 0))
        except ValueError:
            raise Refused(f"{name}={options[name]}: it is a number") from None
    kinds_in(options.get("list", "facts+entities"))
    checked_store(options.get("store", "kuzu"))
    if "structured" in options and client_of(settings) == "openai":
        raise Refused("structured is for the generic client; add client=generic, or leave it out")


def checked_store(store: str) -> None:
    at = urlsplit(store)
    if store != "kuzu" and (at.scheme not in PASSWORDS or not at.hostname):
        raise Refused("store: kuzu, falkordb://host:port or neo4j://user@host:port/database")
    if at.password is not None:
        raise Refused(f"store: put the password into {PASSWORDS[at.scheme]}, not into the address")


def check_reranker(model: Model) -> None:
    """Ask as the library's reranker will: it ranks by how likely a word was, and fails where nobody tells it."""
    no = "graphiti's cross-encoder ranks by log probabilities, and {why}; leave out reranker=cross_encoder"
    client = openai.OpenAI(base_url=model.base_url, api_key=model.api_key)
    try:
        reply = client.chat.completions.create(
            model=model.model,
            messages=[{"role": "user", "content": 'Respond with "True".'}],
            temperature=0,
            max_tokens=1,
            logprobs=True,
            top_logprobs=2,
        )
    except openai.OpenAIError as error:
        raise Refused(no.format(why=f"{model.model} refuses to be asked for them ({error})")) from error
    told = reply.choices[0].logprobs
    if told is None or not told.content or not told.content[0].top_logprobs:
        raise Refused(no.format(why=f"the endpoint of {model.model} gives none"))


def prepare(settings: Settings) -> Info:
    checked(settings)
    assert settings.internal is not None
    if settings.options.get("reranker") == "cross_encoder":
        check_reranker(settings.internal)
    logging.getLogger("graphiti_core").addHandler(LoggedTroubles(logging.WARNING))
    told = f"graphiti ran with its {client_of(settings)} client"
    if settings.options.get("store", "kuzu") != "kuzu":
        return Info(version("graphiti-core"), (told,))
    kuzu_search.get_vector_cosine_func_query = search_utils.get_vector_cosine_func_query = scaled_cosine
    where = "on the embedded Kuzu graph, which the library has deprecated in favour of Neo4j and FalkorDB"
    return Info(version("graphiti-core"), (f"{told} {where}",))


if __name__ == "__main__":
    serve(GraphitiMemory, name="graphiti", options=OPTIONS, prepare=prepare)
