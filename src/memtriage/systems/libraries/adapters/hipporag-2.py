"""HippoRAG 2, a knowledge graph over passages searched by personalised PageRank (hipporag), in files of its own.

summarise: the model lists the named entities of a passage, and then its triples; passages are kept as they are.
store: passages, phrases and triples with vectors (parquet), and a graph of phrases and passages (igraph).
retrieve: the triples nearest to the query, filtered by the model; personalised PageRank from their phrases and, weakly,
from all passages; where no triple is left, passages by cosine.

What this adapter does for the library's ways:
- It imports vllm, transformers, gritlm, litellm and boto3 for models that are not used here. Stand-ins take their
  place; whatever is called in one of them says so. torch, which compares phrases, is the real one.
- Importing it starts a process for a cache that nobody uses; here that is a plain dictionary.
- A passage whose extraction fails is indexed without triples, and only a warning is logged. Here it is an error of the
  session, and nothing of that session is stored.
- Each `index` adds the triples of all passages to the graph once more, so that early passages weigh more. Here the
  graph is built anew from what was extracted, when a store is settled; no model is asked for that.
- After a retrieval, newly indexed passages would not be found until it is told to prepare again; here it is told.
- Replies of the model are evaluated as Python code. Here they are read as JSON, or as a literal of Python.
- A failed embedding of a large batch opens a debugger. Here it is an error.
- A filter that fails leaves no triples, so that the query is answered by cosine; here it is told as a trouble.
- A kept triple with the lowest score of all stops a search (an assertion); here the score is a tiny one instead of 0.
- It keeps its own cache of replies and waits between its own retries; memtriage does both.
"""

import ast
import importlib
import importlib.abc
import importlib.machinery
import json
import logging
import multiprocessing
import os
import shutil
import sys
import types
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4

from memtriage_adapter import Info, LoggedTroubles, Memory, Model, Refused, Session, Settings, serve, trouble

OPTIONS = {
    "passage": "what one passage holds: turn (default) or session",
    "linking_top_k": "triples looked at for a query, and phrases a walk may start from, 5 unless told",
    "synonymy": "cosine from which two phrases are joined, 0.8 unless told",
    "passage_node_weight": "how much passages count as starts of the walk, 0.05 unless told",
    "damping": "probability that the walk goes on, 0.5 unless told",
}
NUMBERS = {"linking_top_k": int, "synonymy": float, "passage_node_weight": float, "damping": float}
PASSAGES = ("turn", "session")
ABSENT = ("vllm", "transformers", "gritlm", "litellm", "boto3", "botocore")
SAVED, FILES = "hipporag.json", "files"
TINY = 1e-9


# ------------------------------------------------------------------ modules that are only imported


class StandIn(types.ModuleType):
    """A module that is not here: importing from it works, and using what was imported is an error that names it."""

    __path__ = ()  # so that parts of it can be imported

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        class Missing(Exception):
            def __init__(self, *arguments: object, **named: object) -> None:
                raise RuntimeError(f"hipporag-2 runs without {self.__module__}; it can't use {name}")

        Missing.__name__, Missing.__module__ = name, self.__name__
        return Missing


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds stand-ins for the modules that are left out, whatever parts of them are imported."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        return importlib.machinery.ModuleSpec(name, self) if name.partition(".")[0] in ABSENT else None

    def create_module(self, spec: Any) -> types.ModuleType:
        return StandIn(spec.name)

    def exec_module(self, module: types.ModuleType) -> None: ...


class InProcess:
    """What the library wants of a manager of shared objects, without a process."""

    def dict(self) -> dict[Any, Any]:
        return {}


def imported() -> types.ModuleType:
    """The library's main module, with what is described above in place."""
    sys.meta_path.append(StandIns())
    manager, multiprocessing.Manager = multiprocessing.Manager, InProcess
    try:
        main = importlib.import_module("hipporag.HippoRAG")
    finally:
        multiprocessing.Manager = manager
    for name in ("HippoRAG", "rerank", "information_extraction.openie_openai"):
        vars(importlib.import_module(f"hipporag.{name}"))["eval"] = value_of
    return main


def value_of(text: str) -> Any:
    """A value that is written as JSON or as a literal of Python."""
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


# ------------------------------------------------------------------ the store


@dataclass
class Origin:
    """Where a passage came from."""

    id: str
    at: str | None
    turns: list[str]


class HippoRag2Memory:
    """One folder of the library's files."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.home / uuid4().hex
        self.origins: dict[str, Origin] = {}
        self.indexed = 0
        self._rag: Any = None

    def store_conversation(self, conversation: Session) -> None:
        rag, new = self.rag(), passages(conversation, self.settings.options.get("passage", "turn"))
        chunks = {
            rag_module().compute_mdhash_id(text, "chunk-"): {"content": text}
            for text in new
            if text not in self.origins
        }
        if chunks:
            known, _ = rag.load_existing_openie([])
            entities, triples = rag.openie.batch_openie(chunks)
            for found in (*entities.values(), *triples.values()):
                if "error" in found.metadata:
                    raise RuntimeError(f"HippoRAG could not take in a passage: {found.metadata['error']}")
            rag.save_openie_results(rag.merge_openie_results(known, chunks, entities, triples))
        for text, origin in new.items():
            before = self.origins.get(text)
            self.origins[text] = origin if before is None else Origin(before.id, origin.at, before.turns + origin.turns)

    def settle(self) -> None:
        """Index what has come, with a new graph of everything; the model is not asked again."""
        if self.indexed == len(self.origins):
            return
        rag = self.rag()
        rag.graph = rag_module().ig.Graph(directed=rag.global_config.is_directed_graph)
        rag.index(list(self.origins))
        rag.ready_to_retrieve = False
        self.indexed = len(self.origins)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        if not self.origins or k < 1:
            return []
        self.settle()
        (found,) = self.rag().retrieve([query], num_to_retrieve=k)
        return [self.memory(text, float(score)) for text, score in zip(found.docs, found.doc_scores, strict=True)]

    def get_all_memories(self) -> list[Memory]:
        return [self.memory(text) for text in self.origins]

    def save(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        kept = {text: asdict(origin) for text, origin in self.origins.items()}
        (path / SAVED).write_text(json.dumps(kept), "utf-8")
        shutil.rmtree(path / FILES, ignore_errors=True)
        self.rag()
        shutil.copytree(self.folder, path / FILES, ignore=shutil.ignore_patterns("*.pickle"))

    def load(self, path: Path) -> None:
        if not (path / SAVED).is_file():
            raise Refused(f"{path} holds no saved hipporag-2 store")
        kept = json.loads((path / SAVED).read_text("utf-8"))
        shutil.rmtree(self.folder, ignore_errors=True)
        self._rag, self.indexed, self.folder = None, 0, self.settings.home / uuid4().hex
        shutil.copytree(path / FILES, self.folder)
        self.origins = {text: Origin(**origin) for text, origin in kept.items()}

    def close(self) -> None:
        shutil.rmtree(self.settings.home, ignore_errors=True)

    def memory(self, text: str, score: float | None = None) -> Memory:
        origin = self.origins[text]
        return Memory(origin.id, text, origin.at, tuple(origin.turns), score)

    def rag(self) -> Any:
        if self._rag is None:
            self._rag = opened(self.settings, self.folder)
        return self._rag


def passages(session: Session, what: str) -> dict[str, Origin]:
    """The passages of a session; the same text is one passage."""
    turns = [turn for turn in session.turns if turn.text.strip()]
    if what == "session":
        text = "\n".join(f"{turn.role}: {turn.text}" for turn in turns)
        return {text: Origin(session.id, session.timestamp, [turn.id for turn in turns])} if turns else {}
    found: dict[str, Origin] = {}
    for turn in turns:
        found.setdefault(turn.text, Origin(turn.id, session.timestamp, [])).turns.append(turn.id)
    return found


# ------------------------------------------------------------------ opening the library


def rag_module() -> Any:
    """The module of the library's class, whose name the package gives to the class itself."""
    return importlib.import_module("hipporag.HippoRAG")


def opened(settings: Settings, folder: Path) -> Any:
    """The library on a folder, with the models of the run."""
    from openai import OpenAI

    main, options = rag_module(), settings.options
    internal, embed = settings.internal, settings.embed
    assert internal is not None
    assert embed is not None
    config = main.BaseConfig(
        save_dir=str(folder),
        llm_name=internal.model,
        llm_base_url=internal.base_url,
        embedding_model_name="text-embedding",  # chooses the class; the model's name is set below
        embedding_base_url=embed.base_url,
        force_index_from_scratch=True,  # reads no pickle; the graph is built from what was extracted
        save_openie=True,
        linking_top_k=int(options.get("linking_top_k", 5)),
        synonymy_edge_sim_threshold=float(options.get("synonymy", 0.8)),
        passage_node_weight=float(options.get("passage_node_weight", 0.05)),
        damping=float(options.get("damping", 0.5)),
    )
    rag = main.HippoRAG(global_config=config)
    rag.llm_model.openai_client = client(OpenAI, internal)
    rag.embedding_model.client = client(OpenAI, embed)
    rag.embedding_model.embedding_model_name = embed.model
    return rag


def client(make: Any, model: Model) -> Any:
    return make(base_url=model.base_url, api_key=model.api_key, max_retries=0, timeout=600)


def mended(main: Any) -> None:
    """What the library does in other ways than its own; see above."""
    llm = importlib.import_module("hipporag.llm.openai_gpt").CacheOpenAI
    plain = llm.infer.__wrapped__.__wrapped__  # without the cache, and without the retries
    llm.infer = lambda self, *arguments, **named: (*plain(self, *arguments, **named), False)

    embedding = importlib.import_module("hipporag.embedding_model.OpenAI").OpenAIEmbeddingModel
    embedding.batch_encode = batch_encode

    scores = main.HippoRAG.get_fact_scores
    main.HippoRAG.get_fact_scores = lambda self, query: main.np.maximum(scores(self, query), TINY)

    filtering = main.DSPyFilter.llm_call
    parsing = main.DSPyFilter.parse_filter

    def asked(self: Any, question: str, facts: str) -> Any:
        try:
            return filtering(self, question, facts)
        except Exception as error:
            trouble(f"hipporag: the triples could not be filtered: {error}")
            raise

    def parsed(self: Any, response: str) -> Any:
        if "[[ ## fact_after_filter ## ]]" not in response:
            trouble("hipporag: the model's reply to the filter holds no triples in the form asked for")
        return parsing(self, response)

    main.DSPyFilter.llm_call, main.DSPyFilter.parse_filter = asked, parsed


def batch_encode(self: Any, texts: str | Sequence[str], **named: Any) -> Any:
    """Unit vectors of texts, in batches of the library's size."""
    np, listed = rag_module().np, [texts] if isinstance(texts, str) else list(texts)
    size = self.global_config.embedding_batch_size
    vectors = np.concatenate([self.encode(listed[start : start + size]) for start in range(0, len(listed), size)])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def prepare(settings: Settings) -> Info:
    if settings.internal is None:
        raise Refused("hipporag-2 extracts triples with a chat model; name one with --internal")
    if settings.embed is None:
        raise Refused("hipporag-2 searches with an embedding model; name one with --embed")
    for name, number in NUMBERS.items():
        try:
            number(settings.options.get(name, 1))
        except ValueError:
            raise Refused(f"{name}={settings.options[name]}: it is a number") from None
    if settings.options.get("passage", "turn") not in PASSAGES:
        raise Refused(f"passage={settings.options['passage']}: it is {' or '.join(PASSAGES)}")
    os.environ.setdefault("OPENAI_API_KEY", "unused")  # clients are made before they get the run's models
    mended(imported())
    logging.getLogger("hipporag").addHandler(LoggedTroubles(logging.ERROR))
    return Info(version("hipporag"))


if __name__ == "__main__":
    serve(HippoRag2Memory, name="hipporag-2", options=OPTIONS, prepare=prepare)
