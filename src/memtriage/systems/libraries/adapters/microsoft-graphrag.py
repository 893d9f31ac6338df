"""GraphRAG, Microsoft's own package (graphrag), with its tables in parquet files and its vectors in LanceDB.

summarise: the model extracts entities and relations with descriptions from every chunk, takes a second look, and joins
the descriptions of each. store: a graph, its communities in several levels (Leiden), a report on each by the model,
vectors of entities, chunks and reports. retrieve: `local` takes the entities nearest to the query, and with them their
relations, chunks and reports; `global` has the model draw points from all reports; `drift` has it answer questions
that follow from the nearest reports.

What this adapter does for the library's ways:
- A session is one document: a line with its timestamp (the library knows no time) and a line "role: text" per turn.
- An index is made of many documents at once, so sessions wait until a store is settled, or asked. Documents that come
  later are added as `graphrag update` does it.
- A pipeline that fails returns as if nothing were wrong; here it is an error, and what was there before stays.
- A batch of documents in which the model found no entity or no relation fails as a whole. It is told as a trouble, and
  waits for the next one.
- A local search is asked for its context alone, a global and a drift search for what they hand to their last call: only
  `answer` writes one. k counts each kind of the local context; see `k=shared`.
- Errors that the library only logs are told as troubles.
"""

import json
import logging
import os
import random
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

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
    "search": "local (default), global or drift: which of the library's searches is asked",
    "kinds": "what counts as a memory: units+relations+entities+reports (default) or some of them",
    "k": "lane (default): k of each kind; shared: k of them together",
    "update": "incremental (default): new sessions as graphrag update adds them; rebuild: everything is indexed anew",
    "level": "community level that is searched (default 2, the library's)",
    "chunk_tokens": "size of a chunk (default 1200, the library's)",
    "overlap": "tokens that chunks share (default 100, the library's)",
    "gleaning": "second looks at a chunk by the model (default 1, the library's)",
    "entity_types": "what is extracted (default organization+person+geo+event, the library's)",
    "cluster_size": "largest community that is not divided (default 10, the library's)",
    "whole_graph": "false (default, the library's): only the largest connected part of the graph has communities, and "
    "is found; true: all of it",
    "followups": "questions of a round of drift search (default 20, the library's)",
    "depth": "rounds of drift search (default 3, the library's)",
    "folds": "parts in which drift search reads the nearest reports (default 5, the library's)",
    "concurrency": "model calls at once (default 25, the library's)",
}
CHOICES = {
    "search": ("local", "global", "drift"),
    "k": ("lane", "shared"),
    "update": ("incremental", "rebuild"),
    "whole_graph": ("false", "true"),
}
NUMBERS = (
    *("level", "chunk_tokens", "overlap", "gleaning", "cluster_size"),
    *("followups", "depth", "folds", "concurrency"),
)
KINDS = ("units", "relations", "entities", "reports")
TABLES = ("entities", "relationships", "text_units", "communities", "community_reports")
INDEX = ("output", "lancedb")
LEVEL = 2
"""The library's own, of its command line."""
SAVED = "graphrag.json"
UNLIMITED = 10_000_000
NOTHING_FOUND = "No entities detected", "No relationships detected"
STYLE = "multiple paragraphs"
LANES = "k counts text units, relations, entities and reports each, as the library has numbers of its own for them"
CITED = re.compile(r"\[Data:[^\]]*?Reports \(([^)]*)\)")


@dataclass(frozen=True)
class Origin:
    """A session as it was told."""

    turns: list[Turn]
    at: str | None


class GraphRagMemory:
    """One index."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.options = settings.options
        self.kinds = kinds_in(self.options.get("kinds", "+".join(KINDS)))
        self.search = self.options.get("search", "local")
        self.level = int(self.options.get("level", LEVEL))
        self.sessions: dict[str, Origin] = {}
        self.waiting: list[str] = []
        self._index: Index | None = None

    def store_conversation(self, conversation: Session) -> None:
        turns = [turn for turn in conversation.turns if turn.text.strip()]
        if turns:
            name = f"session-{len(self.sessions) + 1}"
            self.sessions[name] = Origin(turns, conversation.timestamp)
            self.waiting.append(name)

    async def settle(self) -> None:
        """Index what was told since the last time."""
        if not self.waiting:
            return
        indexed = (self.settings.home / "output" / "entities.parquet").is_file()
        update = indexed and self.options.get("update") != "rebuild"
        self._index = None
        try:
            await self.build(self.waiting if update else list(self.sessions), update)
        except NothingFound as nothing:
            trouble(f"graphrag: {nothing} Sessions that wait for the next ones: {len(self.waiting)}")
        else:
            self.waiting = []

    async def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        await self.settle()
        index = await self.index()
        if index is None or not query.strip() or (k is not None and k < 1):
            return []
        if self.search == "global":
            return (await self.points(index, query))[:k]
        if self.search == "drift":
            return (await self.drifted(index, query))[0][:k]
        memories = index.memories(index.local_context(query, k), k)
        return memories[:k] if self.options.get("k") == "shared" else memories

    async def answer(self, question: Question) -> Answered:
        """The library's own answer; how to answer is what it calls the type of the response."""
        await self.settle()
        index = await self.index()
        if index is None:
            return Answered("I am sorry but I am unable to answer this question given the provided data.", [])
        style = question.how or STYLE
        if self.search == "drift":
            memories, text = await self.drifted(index, question.text, style)
        else:
            engine = index.engine(self.search, style)
            result = await engine.search(question.text)
            text = result.response
            found = [response.response for response in getattr(result, "map_responses", ())]
            memories = index.rated(found) if self.search == "global" else index.memories(result.context_data, None)
        if not str(text).strip():
            raise RuntimeError("GraphRAG gave no answer; what went wrong is among the troubles")
        return Answered(str(text), memories)

    async def get_all_memories(self) -> list[Memory]:
        index = await self.index()
        return [] if index is None else [memory for kind in KINDS for memory in index.listed(kind).values()]

    async def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        kept = {"waiting": self.waiting, "sessions": {name: asdict(each) for name, each in self.sessions.items()}}
        (path / SAVED).write_text(json.dumps(kept), "utf-8")
        copied(self.settings.home, path, (*INDEX, "cache"))

    async def load(self, path: Path) -> None:
        if not (path / SAVED).is_file():
            raise Refused(f"{path} holds no saved microsoft-graphrag store")
        kept = json.loads((path / SAVED).read_text("utf-8"))
        copied(path, self.settings.home, (*INDEX, "cache"))
        self._index = None
        self.waiting = list(kept["waiting"])
        self.sessions = {
            name: Origin([Turn(**turn) for turn in each["turns"]], each["at"])
            for name, each in kept["sessions"].items()
        }

    # -------------------------------------------------------------- indexing

    async def build(self, names: Iterable[str], update: bool) -> None:
        """Run the library's pipeline over these sessions."""
        import pandas as pd
        from graphrag.api import build_index

        rows = [
            {"id": name, "title": name, "text": written(self.sessions[name]), "human_readable_id": n}
            for n, name in enumerate(names)
        ]
        documents = pd.DataFrame(rows)
        documents["creation_date"], documents["raw_data"] = "", None
        home = self.settings.home
        copied(home, home / "before", INDEX)
        if not update:
            for folder in INDEX:
                shutil.rmtree(home / folder, ignore_errors=True)
        results = await build_index(configured(self.settings), is_update_run=update, input_documents=documents)
        failed = next((result for result in results if result.error is not None), None)
        if failed is not None:
            copied(home / "before", home, INDEX)
        for folder in ("before", "update"):  # the latter is named by the second, and never read again
            shutil.rmtree(home / folder, ignore_errors=True)
        if failed is None:
            return
        if any(text in str(failed.error) for text in NOTHING_FOUND):
            raise NothingFound(str(failed.error))
        raise RuntimeError(f"GraphRAG could not index: {failed.workflow}: {failed.error}")

    async def index(self) -> "Index | None":
        if self._index is None and (self.settings.home / "output" / "entities.parquet").is_file():
            self._index = await opened(self)
        return self._index

    # -------------------------------------------------------------- searches that a model takes part in

    async def points(self, index: "Index", query: str) -> list[Memory]:
        """The points that the model drew from all reports, as the library would hand them to its last call."""
        engine = index.engine("global", STYLE)
        context = await engine.context_builder.build_context(query=query, **engine.context_builder_params)
        found = []
        for batch in context.context_chunks:
            mapped = engine._map_response_single_batch(
                context_data=batch, query=query, max_length=engine.map_max_length, **engine.map_llm_params
            )
            found.append((await mapped).response)
        return index.rated(found)

    async def drifted(self, index: "Index", query: str, style: str = "") -> tuple[list[Memory], str]:
        """The answers to all questions of a drift search, the best first; with a style, also what they come to."""
        if not index.reports_at_level:
            return [], "There are no reports."
        engine = index.engine("drift", style or STYLE)
        result = await engine.search(query, reduce=bool(style))
        state, _, _ = engine.query_state.serialize(include_context=True)
        return index.answers(state["nodes"]), str(result.response) if style else ""


class NothingFound(Exception):
    """The model found no entity or no relation in any of the documents."""


# ------------------------------------------------------------------ what was indexed


@dataclass
class Index:
    """The tables of an index, as memories and as the library's searches take them."""

    settings: Settings
    kinds: set[str]
    level: int
    sessions: Mapping[str, Origin]
    tables: Mapping[str, Any]

    def __post_init__(self) -> None:
        self.units = {str(row["id"]): row for row in self.rows("text_units")}
        self.members = {str(row["community"]): row for row in self.rows("communities")}
        self._engines: dict[str, Any] = {}
        self._listed: dict[str, dict[str, Memory]] = {}

    def rows(self, table: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.tables[table].to_dict("records")
        return found

    # -------------------------------------------------------------- as memories

    def listed(self, kind: str) -> dict[str, Memory]:
        """All memories of a kind, by the short ids that the library's contexts name."""
        if kind not in self._listed:
            self._listed[kind] = dict(getattr(self, f"_{kind}")()) if kind in self.kinds else {}
        return self._listed[kind]

    def _units(self) -> Iterable[tuple[str, Memory]]:
        for id, row in self.units.items():
            yield str(row["human_readable_id"]), self.told(id, str(row["text"]), [id])

    def _entities(self) -> Iterable[tuple[str, Memory]]:
        for row in self.rows("entities"):
            text = f"{row['title']}: {row['description']}"
            yield str(row["human_readable_id"]), self.told(f"entity:{row['title']}", text, row["text_unit_ids"])

    def _relations(self) -> Iterable[tuple[str, Memory]]:
        for row in self.rows("relationships"):
            name = f"{row['source']} - {row['target']}"
            text = f"{name}: {row['description']}"
            yield str(row["human_readable_id"]), self.told(f"relation:{name}", text, row["text_unit_ids"])

    def _reports(self) -> Iterable[tuple[str, Memory]]:
        for row in self.rows("community_reports"):
            community = str(row["community"])
            units = self.members[community]["text_unit_ids"] if community in self.members else ()
            yield community, self.told(f"report:{community}", str(row["full_content"]), units)

    def told(self, id: str, text: str, units: Iterable[Any], score: float | None = None) -> Memory:
        """A memory with the turns and the time of the text units that it comes from."""
        known = [self.units[str(unit)] for unit in units if str(unit) in self.units]
        turns, at = [], []
        for row in known:
            origin = self.sessions.get(str(row["document_id"]), Origin([], None))
            turns += spoken(str(row["text"]), origin.turns)
            at += [origin.at] if origin.at else []
        return Memory(id, text, max(at, default=None), tuple(dict.fromkeys(turns)), score)

    def memories(self, context: Mapping[str, Any], k: int | None) -> list[Memory]:
        """The records of a local context, one of each kind in turn."""
        names = {"units": "sources", "relations": "relationships", "entities": "entities", "reports": "reports"}
        lists = []
        for kind in KINDS:
            table = context.get(names[kind])
            ids = [str(id) for id in table["id"]] if table is not None and "id" in table else []
            lists.append([self.listed(kind)[id] for id in ids if id in self.listed(kind)][:k])
        return [memory for memory in chain.from_iterable(zip_longest(*lists)) if memory is not None]

    def rated(self, batches: Iterable[Any]) -> list[Memory]:
        """The points of a global search, the highest rated first; those rated 0 are none."""
        points = [point for batch in batches if isinstance(batch, list) for point in batch]
        found = []
        for point in sorted(points, key=lambda point: -int(point["score"])):
            text = str(point["answer"])
            if int(point["score"]) > 0 and text.strip():
                units = self.cited(text)
                found.append(self.told(f"point:{len(found) + 1}", text, units, float(point["score"])))
        return found

    def cited(self, text: str) -> list[str]:
        """The text units behind the reports that a text cites; of all of them where it cites none."""
        named = [id.strip() for group in CITED.findall(text) for id in group.split(",")]
        reports = [id for id in named if id in self.members] or list(self.members)
        return list(dict.fromkeys(unit for id in reports for unit in self.members[id]["text_unit_ids"]))

    def answers(self, nodes: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """The answers within a drift search, the highest rated first."""
        done = [node for node in nodes if node.get("answer")]
        found = []
        for node in sorted(done, key=lambda node: -score_of(node)):
            context = (node.get("metadata") or {}).get("context_data") or {}
            sources = context.get("sources")
            short = {str(row["human_readable_id"]): id for id, row in self.units.items()}
            read = [short[str(id)] for id in sources["id"]] if sources is not None and "id" in sources else []
            text = str(node["answer"])
            found.append(self.told(f"answer:{len(found) + 1}", text, read or self.cited(text), score_of(node)))
        return found

    # -------------------------------------------------------------- the library's searches

    @property
    def reports_at_level(self) -> list[Any]:
        from graphrag.query.indexer_adapters import read_indexer_reports

        return read_indexer_reports(self.tables["community_reports"], self.tables["communities"].copy(), self.level)

    def local_context(self, query: str, k: int | None) -> Mapping[str, Any]:
        """The records that local search would hand to the model; no model is asked."""
        engine = self.engine("local", STYLE)
        more = {"top_k_mapped_entities": k, "top_k_relationships": k, "max_context_tokens": UNLIMITED} if k else {}
        built = engine.context_builder.build_context(query=query, **{**engine.context_builder_params, **more})
        records: Mapping[str, Any] = built.context_records
        return records

    def engine(self, search: str, style: str) -> Any:
        """The library's engine for a search; those for answers and for drift are made for each question."""
        from graphrag.config.embeddings import community_full_content_embedding, entity_description_embedding
        from graphrag.query import factory, indexer_adapters
        from graphrag.utils.api import get_embedding_store

        if style == STYLE and search in self._engines:
            return self._engines[search]
        config, level = configured(self.settings), self.level
        communities, reports = self.tables["communities"].copy(), self.reports_at_level
        entities = indexer_adapters.read_indexer_entities(self.tables["entities"], communities, level)
        if search == "global":
            made = factory.get_global_search_engine(
                config,
                reports=reports,
                entities=entities,
                communities=indexer_adapters.read_indexer_communities(communities, self.tables["community_reports"]),
                response_type=style,
            )
        else:
            around = {
                "reports": reports,
                "text_units": indexer_adapters.read_indexer_text_units(self.tables["text_units"]),
                "entities": entities,
                "relationships": indexer_adapters.read_indexer_relationships(self.tables["relationships"]),
                "description_embedding_store": get_embedding_store(config.vector_store, entity_description_embedding),
            }
            if search == "local":
                made = factory.get_local_search_engine(config, covariates={}, response_type=style, **around)
            else:
                vectors = get_embedding_store(config.vector_store, community_full_content_embedding)
                indexer_adapters.read_indexer_report_embeddings(reports, vectors)
                made = factory.get_drift_search_engine(config, response_type=style, **around)
        if style == STYLE and search != "drift":  # a drift search remembers its questions
            self._engines[search] = made
        return made


async def opened(memory: GraphRagMemory) -> Index:
    """The tables as the last pipeline left them."""
    from graphrag.data_model.data_reader import DataReader
    from graphrag_storage import create_storage
    from graphrag_storage.tables.table_provider_factory import create_table_provider

    config = configured(memory.settings)
    reader = DataReader(create_table_provider(config.table_provider, create_storage(config.output_storage)))
    tables = {name: await getattr(reader, name)() for name in TABLES}
    return Index(memory.settings, memory.kinds, memory.level, memory.sessions, tables)


def configured(settings: Settings) -> Any:
    """The library's settings for a store: its folders, the run's models, the user's options."""
    from graphrag.config.models.graph_rag_config import GraphRagConfig

    options, home = settings.options, settings.home.resolve()
    number = {name: int(options[name]) for name in NUMBERS if name in options}
    graph = named(number, max_gleanings="gleaning")
    if "entity_types" in options:
        graph["entity_types"] = list(filter(None, re.split(r"[+,\s]+", options["entity_types"])))
    clusters = named(number, max_cluster_size="cluster_size")
    return GraphRagConfig.model_validate(
        {
            "completion_models": {"default_completion_model": model(settings.internal)},
            "embedding_models": {"default_embedding_model": model(settings.embed)},
            **named(number, concurrent_requests="concurrency"),
            "input_storage": {"base_dir": str(home / "input")},
            "output_storage": {"base_dir": str(home / "output")},
            "update_output_storage": {"base_dir": str(home / "update")},
            "cache": {"type": "json", "storage": {"type": "file", "base_dir": str(home / "cache")}},
            "reporting": {"type": "file", "base_dir": str(home / "logs")},
            "vector_store": {
                "type": "lancedb",
                "db_uri": str(home / "lancedb"),
                "vector_size": size_of(settings.embed),
            },
            "chunking": {"encoding_model": "o200k_base", **named(number, size="chunk_tokens", overlap="overlap")},
            "extract_graph": graph,
            "cluster_graph": {**clusters, "use_lcc": options.get("whole_graph") != "true"},
            "drift_search": named(number, drift_k_followups="followups", n_depth="depth", primer_folds="folds"),
        }
    )


def named(numbers: Mapping[str, int], **names: str) -> dict[str, Any]:
    """The options that were given, under the library's names for them."""
    return {theirs: numbers[ours] for theirs, ours in names.items() if ours in numbers}


def model(found: Model | None) -> dict[str, Any]:
    assert found is not None
    return {
        "model_provider": "openai",
        "model": found.model,
        "api_base": found.base_url,
        "api_key": found.api_key,
    }


_sizes: dict[str, int] = {}


def size_of(embed: Model | None) -> int:
    """How many numbers the model's vectors have; the library would take 3072 for granted."""
    assert embed is not None
    if embed.dimensions:
        return embed.dimensions
    if embed.model not in _sizes:
        body = json.dumps({"model": embed.model, "input": ["how many numbers?"]}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {embed.api_key}"}
        with urlopen(Request(f"{embed.base_url.rstrip('/')}/embeddings", body, headers), timeout=120) as answer:
            _sizes[embed.model] = len(json.load(answer)["data"][0]["embedding"])
    return _sizes[embed.model]


# ------------------------------------------------------------------ small things


def written(origin: Origin) -> str:
    lines = [f"Conversation of {origin.at}"] if origin.at else []
    return "\n".join([*lines, *(f"{turn.role}: {turn.text}" for turn in origin.turns)])


def spoken(chunk: str, turns: Iterable[Turn]) -> list[str]:
    """The turns that stand in a chunk, whole or in part."""
    here = [turn.id for turn in turns if any(line in chunk for line in turn.text.splitlines() if line.strip())]
    whole = [turn.id for turn in turns if chunk in turn.text or turn.text in chunk]
    return list(dict.fromkeys(here + whole)) or [turn.id for turn in turns]


def score_of(node: Mapping[str, Any]) -> float:
    """How well an answer is rated; one that isn't comes last."""
    score = node.get("score")
    return float(score) if isinstance(score, int | float) and score > float("-inf") else -1.0


def copied(source: Path, target: Path, folders: Iterable[str]) -> None:
    """Copy folders from one place to another, instead of those that are there."""
    for folder in folders:
        shutil.rmtree(target / folder, ignore_errors=True)
        if (source / folder).exists():
            shutil.copytree(source / folder, target / folder)


def kinds_in(listed: str) -> set[str]:
    kinds = set(filter(None, re.split(r"[+,\s]+", listed)))
    if not kinds or not kinds <= set(KINDS):
        raise Refused(f"kinds={listed}: name one or more of {', '.join(KINDS)}, joined by +")
    return kinds


class SameDraw:
    """Stands in for the module `secrets` where drift search draws a report: the same one each time."""

    @staticmethod
    def choice(reports: list[Any]) -> Any:
        return random.Random(0).choice(reports)


def prepare(settings: Settings) -> Info:
    if settings.internal is None:
        raise Refused("microsoft-graphrag extracts a graph with a chat model; name one with --internal")
    if settings.embed is None:
        raise Refused("microsoft-graphrag searches with an embedding model; name one with --embed")
    for name, known in CHOICES.items():
        if settings.options.get(name, known[0]) not in known:
            raise Refused(f"{name}={settings.options[name]}: it is {' or '.join(known)}")
    for name in NUMBERS:
        if not settings.options.get(name, "1").isdigit():
            raise Refused(f"{name}={settings.options[name]}: it is a number")
    kinds_in(settings.options.get("kinds", "+".join(KINDS)))
    litellm = find_spec("litellm")
    assert litellm is not None
    vocabulary = Path(litellm.origin or "").parent / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(vocabulary)
    from graphrag.query.structured_search.drift_search import primer

    primer.secrets = SameDraw
    logging.getLogger().addHandler(LoggedTroubles(logging.ERROR))
    lanes = settings.options.get("k") != "shared" and settings.options.get("search", "local") == "local"
    return Info(version("graphrag"), (LANES,) if lanes else ())


if __name__ == "__main__":
    serve(GraphRagMemory, name="microsoft-graphrag", options=OPTIONS, prepare=prepare)
