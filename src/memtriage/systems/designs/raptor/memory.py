"""RAPTOR: chunks of what was said, clustered and summed up again and again, and all of it searched together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors, normalised
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.raptor.clusters import FEW, Group, groups, refuse_without_sklearn
from memtriage.systems.designs.raptor.leaves import leaves
from memtriage.systems.designs.raptor.prompts import RULES, summary_of
from memtriage.systems.designs.replies import line
from memtriage.systems.retrieval.units import Scores, newest_first, number, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts
from memtriage.text.sentences import sentences
from memtriage.text.tokens import chunks, count_tokens, tokens_in

SEARCHES = ("collapsed", "tree")

_AT_ONCE = 8
_WORDS_PER_TOKEN = 0.75


@dataclass(frozen=True, slots=True)
class Node:
    """A chunk, word for word, or the summary of its children. `newest` is the last leaf below it, by number."""

    id: str
    text: str
    created_at: str | None
    sources: tuple[str, ...]
    newest: int
    children: tuple[str, ...] = ()

    @property
    def memory(self) -> Memory:
        return Memory(self.id, self.text, self.created_at, self.sources)


@dataclass(slots=True)
class Tree:
    """Summaries over so many leaves, with their vectors, and the layers, from the leaves up.

    A layer names its nodes by id. One that no cluster took in stands in the next layer as well.
    """

    leaves: int
    layers: list[tuple[str, ...]]
    nodes: dict[str, Node]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes that are to be summed up together, the oldest first, and where they have their centre."""

    id: str
    nodes: tuple[Node, ...]
    centre: Vectors

    @classmethod
    def of(cls, layer: int, nodes: Sequence[Node], vectors: Vectors, group: Group) -> Cluster:
        """The cluster of a group; its id says which nodes are in it, so that it is known again in another tree."""
        members = tuple(sorted((nodes[row] for row in group), key=attrgetter("newest", "id")))
        digest = hashlib.sha256(" ".join(node.id for node in members).encode()).hexdigest()
        centre = normalised(vectors[list(group)].mean(axis=0, keepdims=True))[0]
        return cls(f"s{layer}-{digest[:12]}", members, centre)

    def node(self, text: str, said_by: Sequence[Node] = ()) -> Node:
        """The node over them. Its sources are those of the nodes that its text is from; by default, of all."""
        last = self.nodes[-1]
        sources = distinct(*(node.sources for node in said_by or self.nodes))
        return Node(self.id, text, last.created_at, sources, last.newest, tuple(node.id for node in self.nodes))


class Raptor(Design):
    """Keeps chunks of conversations as the leaves of a tree, whose inner nodes sum up clusters of the nodes below.

    Summarise: chunks are kept word for word; a model sums up each cluster (`summarise=rules`: the sentences nearest to
    its centre; `summarise=verbatim`: nobody does, and there is no tree).
    Store: chunks and their vectors. Before a question the tree is built over all of them, layer by layer: principal
    components, a Gaussian mixture for everything and another one within each cluster, with the number of components
    that has the lowest BIC; a node is in every cluster that it belongs to with a probability above `threshold`. A
    cluster that was there before is not summed up again.
    Retrieve: the nodes of all layers nearest to the question (`search=collapsed`, where k counts nodes), or the nearest
    in the top layer, then among their children, and so on down to the leaves (`search=tree`, k from each layer).
    """

    name = "raptor"
    rules = RULES
    asks = ("raptor_summary",)
    traits = Traits(
        family="structure-rag",
        architecture=(
            "summarise: chunks verbatim, clusters of them summed up by a model (or by rule), layer by layer; "
            "store: tree of summaries over soft clusters, built before questions; "
            "retrieve: cosine over all nodes, or from the top layer down"
        ),
        native_k=20,
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "chunk:100",
        search: str = "collapsed",
        layers: int = 5,
        summary: int | str = 100,
        limit: int | str = 3500,
        threshold: float | str = 0.1,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        if search not in SEARCHES:
            raise BadInput(unknown("search", str(search), SEARCHES))
        if self.summarise != "verbatim":
            refuse_without_sklearn(self.name)
        elif search == "tree":
            raise BadInput("raptor:search=tree goes down a tree of summaries, and summarise=verbatim has none")
        self.search, self.layers = search, whole("layers", layers)
        self.summary, self.limit = tokens_in(summary, "summary"), tokens_in(limit, "limit")
        self.threshold = number("threshold", threshold, 0, 1)
        collapsed = search == "collapsed"
        self.traits = replace(self.traits, ranks_all=collapsed, lanes=1 if collapsed else self.layers + 1)
        self._embed = VectorStore(self.embedder)
        self._stand_ins = 0
        self.reset()

    def reset(self) -> None:
        self._leaves: list[Node] = []
        self._leaf_vectors: list[Vectors] = []  # in the order of the leaves, in blocks
        self._tree = Tree(0, [], {}, self._embed.embed([]))
        self._written: dict[str, Node] = {}  # summaries by their node's id, also of a tree that was not finished

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        empty = f"summaries that the model left empty and a rule wrote: {self._stand_ins}"
        return super().notices() + ([empty] if self._stand_ins else [])

    def store_conversation(self, conversation: Session) -> None:
        new = leaves(conversation, self.granularity)
        if not new:
            return
        vectors = self._embed.embed([leaf.text for leaf in new])
        for place, leaf in enumerate(new, len(self._leaves)):
            self._leaves.append(Node(f"c{place + 1}", leaf.text, leaf.created_at, leaf.sources, place))
        self._leaf_vectors.append(vectors)

    def settle(self) -> None:
        """Build the tree over everything stored, if something came since it was built."""
        if self._tree.leaves < len(self._leaves):
            self._tree = self._grown()
            self._written = dict(self._tree.nodes)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        self.settle()
        if not self._leaves:
            return []
        asked = self._embed.embed_query(query)
        cosines = np.concatenate([np.vecdot(self._leaf_matrix(), asked), np.vecdot(self._tree.vectors, asked)])
        nodes = [*self._leaves, *self._tree.nodes.values()]
        best = newest_first(cosines, most) if self.search == "collapsed" else self._walked(nodes, cosines, most)
        return [replace(nodes[row].memory, score=float(cosines[row])) for row in best]

    def get_all_memories(self) -> list[Memory]:
        return [node.memory for node in (*self._leaves, *self._tree.nodes.values())]

    # Store

    def _grown(self) -> Tree:
        """A new tree. What was summed up for it stays known, even if it is not finished."""
        layer, vectors = list(self._leaves), self._leaf_matrix()
        tree = Tree(len(layer), [tuple(node.id for node in layer)], {}, self._embed.embed([]))
        for height in range(1, self.layers + 1):
            if self.summarise == "verbatim" or len(layer) <= FEW:
                break
            found = groups(vectors, [count_tokens(node.text) for node in layer], self.limit, self.threshold)
            joined = [group for group in found if len(group) > 1]
            taken_in = {row for group in joined for row in group}
            alone = [row for row in range(len(layer)) if row not in taken_in]
            if not joined or len(joined) + len(alone) >= len(layer):
                break
            new = self._summed_up(height, layer, vectors, joined)
            new_vectors = self._embed.embed([node.text for node in new])
            tree.nodes |= {node.id: node for node in new}
            tree.vectors = np.concatenate([tree.vectors, new_vectors])
            layer = [*new, *(layer[row] for row in alone)]
            vectors = np.concatenate([new_vectors, vectors[alone]])
            tree.layers.append(tuple(node.id for node in layer))
        return tree

    def _summed_up(self, height: int, layer: Sequence[Node], vectors: Vectors, joined: Sequence[Group]) -> list[Node]:
        """A node for each group, with a summary by the model or by rule; those that are known are taken over."""
        clusters = [Cluster.of(height, layer, vectors, group) for group in joined]
        new = [cluster for cluster in clusters if cluster.id not in self._written]
        if self.summarise == "rules":
            self._written |= {cluster.id: self._extract(cluster) for cluster in new}
        elif new:
            self._write(new)
        return [self._written[cluster.id] for cluster in clusters]

    def _write(self, clusters: Sequence[Cluster]) -> None:
        """Have the model sum up each cluster; they don't depend on each other, so several are asked at once.

        A failure is raised when all have been asked, so that no summary is paid for twice.
        """
        words = round(self.summary * _WORDS_PER_TOKEN)
        asks = [summary_of([(node.text, node.created_at) for node in each.nodes], words) for each in clusters]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            # each in a copy of this context, which says on whose bill it goes
            waiting = [pool.submit(copy_context().run, self._ask, ask) for ask in asks]
        failures = [failure for future in waiting if (failure := future.exception()) is not None]
        for cluster, future in zip(clusters, waiting, strict=True):
            if future.exception() is None:
                text = line(future.result(), "summary")
                self._stand_ins += not text
                self._written[cluster.id] = cluster.node(text) if text else self._extract(cluster)
        if failures:
            raise failures[0]

    def _extract(self, cluster: Cluster) -> Node:
        """The sentences nearest to the centre that fit into a summary, in the order in which they were said."""
        said = dict.fromkeys(text for node in cluster.nodes for text in sentences(node.text))
        stated = list(said)
        near = self._embed.embed(stated) @ cluster.centre
        room, kept = self.summary, []
        for place in np.argsort(-near, kind="stable"):
            size = count_tokens(stated[place])
            if size <= room:
                kept.append(int(place))
                room -= size
        if not kept:  # even the nearest is too long
            return cluster.node(chunks(stated[int(near.argmax())], self.summary)[0])
        chosen = {stated[place] for place in kept}
        nodes = [node for node in cluster.nodes if chosen & set(sentences(node.text))]
        return cluster.node(" ".join(stated[place] for place in sorted(kept)), nodes)

    # Retrieve

    def _walked(self, nodes: Sequence[Node], cosines: Scores, most: int) -> list[int]:
        """The best of the top layer, then the best of their children, and so on down to the leaves."""
        row_of = {node.id: row for row, node in enumerate(nodes)}
        found: list[int] = []
        open = [row_of[id] for id in self._tree.layers[-1]]
        for below in (*self._tree.layers[-2::-1], ()):
            best = [open[place] for place in newest_first(cosines[open], most)]
            found += best
            stay = set(below)
            under = ([nodes[row].id] if nodes[row].id in stay else nodes[row].children for row in best)
            open = sorted(row_of[id] for id in distinct(*under))
        return list(dict.fromkeys(found))

    def _leaf_matrix(self) -> Vectors:
        if len(self._leaf_vectors) != 1:
            self._leaf_vectors = [np.concatenate([self._embed.embed([]), *self._leaf_vectors])]
        return self._leaf_vectors[0]

    # Disk

    def save(self, path: Path) -> None:
        """Write everything kept into a directory, as JSON, with the tree over it."""
        self.settle()
        super().save(path)

    def _settings(self) -> dict[str, str | int | float]:
        tree = {"layers": self.layers, "summary": self.summary, "limit": self.limit, "threshold": self.threshold}
        return {**super()._settings(), **tree}

    def _state(self) -> dict[str, Any]:
        return {
            "leaves": [asdict(node) for node in self._leaves],
            "nodes": [asdict(node) for node in self._tree.nodes.values()],
            "layers": self._tree.layers,
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        kept = [_node(record) for record in state["leaves"]]
        nodes = {record["id"]: _node(record) for record in state["nodes"]}
        layers = [texts(layer) for layer in state["layers"]]
        known = {*nodes, *(leaf.id for leaf in kept)}
        named = distinct(*layers, *(node.children for node in nodes.values()))
        if not known.issuperset(named) or bool(kept) != bool(layers):
            raise ValueError("the tree is not one over these leaves")
        leaf_vectors = self._embed.embed([leaf.text for leaf in kept])
        vectors = self._embed.embed([node.text for node in nodes.values()])
        self.reset()
        self._leaves, self._leaf_vectors = kept, [leaf_vectors]
        self._tree = Tree(len(kept), layers, nodes, vectors)
        self._written = dict(nodes)


def _node(record: Mapping[str, Any]) -> Node:
    lists = {key: texts(record[key]) for key in ("sources", "children")}
    return Node(**{**record, **lists})
