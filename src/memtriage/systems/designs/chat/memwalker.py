"""A tree of summaries over what was said, walked from its root in search of an answer: the design of MemWalker."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memtriage.core.chat import ModelError
from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.chat_memory import ChatMemory, one_of
from memtriage.systems.designs.chat.conversation import Round, gist, rounds, whole_session
from memtriage.systems.designs.chat.prompts import walk_leaves, walk_nodes, walk_step
from memtriage.systems.designs.chat.tree import Place, Shape
from memtriage.systems.designs.replies import line, number, records
from memtriage.systems.designs.rules import extraction
from memtriage.systems.retrieval.units import whole
from memtriage.systems.saved_state import texts

SEGMENTS = ("round", "session")
TRIES = 3
"""After so many moves in a row that could not be made, the nearest child is entered instead."""

_UNREADABLE = ("malformed", "empty", "refusal")
_BY_RULE = 3
_WORDS = 40
_OPENING = 12
_STAND_IN = 600
_READ = 2_000


@dataclass(frozen=True, slots=True)
class Leaf:
    """A segment of a conversation, word for word, and the summary that stands for it in the tree."""

    id: str
    text: str
    created_at: str | None
    sources: tuple[str, ...]
    summary: str


@dataclass(slots=True)
class Walk:
    """Where a reader stands in the tree, what was read on the way, and what went wrong last."""

    at: Place
    read: list[int] = field(default_factory=list)
    left: set[Place] = field(default_factory=set)
    refused: str = ""
    misses: int = 0


class MemWalker(ChatMemory):
    """Keeps segments of conversations as the leaves of a tree of summaries, and walks it when it is asked.

    Summarise: one call per session sums up its segments (`segment=round` or `session`), whose words are kept.
    Store: every `width` neighbours, in the order of time, have a node above them with a summary of theirs, up to a
    root. A node is summed up for good when it is full; those at the growing edge are summed up anew in `settle`, where
    something came. A new session thus costs a call for its segments, and about one for each level it fills.
    Retrieve: the model stands at the root, is shown the children's summaries, and enters one, goes back, or stops, for
    at most `steps` moves. The segments it enters are brought, in that order, k at most. A move that can't be made is
    told to it; after three in a row the child nearest to the question is entered.

    Without a model, the walk goes on from the node, wherever in the tree, whose summary is nearest to the question
    (best first, by cosine). With `summarise=rules` a segment's summary is its most telling sentences and a node's the
    words that occur below most of its children; with `summarise=verbatim` they are the segment itself, and the opening
    words of the children.
    """

    name = "memwalker"
    asks = ("walk_leaves", "walk_nodes", "walk_step")
    traits = Traits(
        family="structure-rag",
        architecture=(
            "summarise: segments verbatim, summed up by a model (or by rule, or their own words); "
            "store: tree of summaries of so many neighbours each; "
            "retrieve: the model walks it from the root (or best first by cosine)"
        ),
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        segment: str = "round",
        width: int = 8,
        steps: int = 30,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, repeat, prompts)
        self.segment = one_of("segment", segment, SEGMENTS)
        self.width, self.steps = whole("width", width, least=2), whole("steps", steps)
        # a model's walk is not to be made just for the sake of a ranking
        self.traits = replace(self.traits, ranks_all=self._writer is None)
        self._refused = self._cut_short = 0
        self.reset()

    def reset(self) -> None:
        self._vectors.clear()
        self._leaves: list[Leaf] = []
        self._summaries: dict[Place, str] = {}  # the summaries of inner nodes; those at the edge may be missing

    @property
    def shape(self) -> Shape:
        """The tree over the leaves there are now."""
        return Shape(len(self._leaves), self.width)

    def notices(self) -> list[str]:
        """What every report about this system has to say, and how often a walk went wrong."""
        notices = super().notices()
        if self._refused:
            notices.append(f"moves of the model that could not be made: {self._refused}")
        if self._cut_short:
            notices.append(f"walks that ended for want of steps: {self._cut_short}")
        return notices

    def store_conversation(self, conversation: Session) -> None:
        new = self._segments(conversation)
        if not new:
            return
        leaves = [*self._leaves, *new]
        shape = Shape(len(leaves), self.width)
        summaries = self._new_summaries(shape, leaves)
        vectors = self._node_vectors(shape, leaves, summaries)
        # Nothing from here on can fail, so that a session is stored as a whole.
        self._leaves.extend(new)
        for place in shape.above(len(leaves) - len(new)):
            self._summaries.pop(place, None)
        self._summaries |= summaries
        if vectors is not None:
            self._vectors.put(*vectors)

    def settle(self) -> None:
        """Sum up the nodes at the growing edge, from the leaves to the root."""
        if self.summarise == "model":
            self._summaries |= self._edge_summaries()

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        if not self._leaves:
            return []
        if self.summarise == "model":
            return [_memory(self._leaves[n]) for n in self._walked(query, conversation, most)]
        found = self._best_first(dict(self._vectors.ranked(self._vectors.embed_query(query))), most)
        return [replace(_memory(self._leaves[n]), score=score) for n, score in found]

    def get_all_memories(self) -> list[Memory]:
        return [_memory(leaf) for leaf in self._leaves]

    # Summarise

    def _segments(self, session: Session) -> list[Leaf]:
        found = rounds(session) if self.segment == "round" else whole_session(session)
        summaries = self._sum_up_segments(found, session) if found else []
        return [
            Leaf(f"w{len(self._leaves) + n}", each.text, session.timestamp, each.sources, summary)
            for n, (each, summary) in enumerate(zip(found, summaries, strict=True), 1)
        ]

    def _sum_up_segments(self, segments: Sequence[Round], session: Session) -> list[str]:
        if self.summarise == "verbatim":
            return [each.text for each in segments]
        by_rule = [" ".join(sentence.text for sentence in gist(each.turns, _BY_RULE)) or each.text for each in segments]
        if self.summarise == "rules":
            return by_rule
        reply = self._ask(walk_leaves([each.text for each in segments], session.timestamp))
        return _numbered_summaries(reply, by_rule)

    # Store

    def _new_summaries(self, shape: Shape, leaves: Sequence[Leaf]) -> dict[Place, str]:
        """The summaries of the nodes that new leaves fill; without a model, also of those that stay open."""
        summaries: dict[Place, str] = {}
        for level in shape.levels_above(len(self._leaves)):
            by_model = self.summarise == "model"
            places = [place for place in level if not by_model or shape.full(place)]
            groups = [
                [self._summary_of(below, leaves, summaries) for below in shape.children(place)] for place in places
            ]
            summaries |= dict(zip(places, self._sum_up_groups(groups), strict=True))
        return summaries

    def _edge_summaries(self) -> dict[Place, str]:
        """The summaries of the nodes that have none."""
        summaries: dict[Place, str] = {}
        for place in self.shape.edge():
            if place not in self._summaries:
                group = [self._summary_of(below, self._leaves, summaries) for below in self.shape.children(place)]
                summaries[place] = self._sum_up_groups([group])[0]
        return summaries

    def _sum_up_groups(self, groups: Sequence[Sequence[str]]) -> list[str]:
        if self.summarise == "model":
            stand_ins = [_openings(group) for group in groups]
            return _numbered_summaries(self._ask(walk_nodes(groups)), stand_ins) if groups else []
        if self.summarise == "verbatim":
            return [_openings(group) for group in groups]
        return [", ".join(extraction.keywords("\n".join(group), _WORDS)) or _openings(group) for group in groups]

    def _summary_of(self, place: Place, leaves: Sequence[Leaf], summaries: Mapping[Place, str]) -> str:
        """A node's summary; if it has none yet, the first words of its children."""
        if place.level == 0:
            return leaves[place.number].summary
        written = summaries.get(place) or self._summaries.get(place)
        shape = Shape(len(leaves), self.width)
        return written or _openings([self._summary_of(below, leaves, summaries) for below in shape.children(place)])

    def _node_vectors(self, shape: Shape, leaves: Sequence[Leaf], summaries: Mapping[Place, str]) -> Any:
        """Keys and vectors of all new nodes; none if a model walks, because it reads the summaries."""
        if self.summarise == "model":
            return None
        new = [Place(0, n) for n in range(len(self._leaves), len(leaves))] + list(summaries)
        return [str(place) for place in new], self._vectors.embed([self._summary_of(p, leaves, summaries) for p in new])

    # Retrieve

    def _best_first(self, cosines: Mapping[str, float], most: int) -> Iterator[tuple[int, float]]:
        shape = self.shape
        waiting = [(0.0, 0, shape.root)]
        while waiting and most:
            negated, _, place = heapq.heappop(waiting)
            if place.level == 0:
                most -= 1
                yield place.number, -negated
                continue
            for below in shape.children(place):
                heapq.heappush(waiting, (-cosines[str(below)], -below.number, below))  # among equals, the newest

    def _walked(self, query: str, conversation: Session, most: int) -> list[int]:
        walk = Walk(self.shape.down(self.shape.root))
        asked = {"query": query, "asked_at": conversation.timestamp or ""}
        for step in range(self.steps):
            open = self._open(walk)
            while not open and walk.at != self.shape.root:
                walk.at = self.shape.up(walk.at)
                open = self._open(walk)
            if not open or len(walk.read) >= most:
                return walk.read
            if self._step(walk, open, {**asked, "steps_left": self.steps - step}) == "stop":
                return walk.read
        self._cut_short += len(walk.read) < most
        return walk.read

    def _open(self, walk: Walk) -> list[Place]:
        """The children that still hold something unread."""
        held = self.shape.leaves
        return [
            below
            for below in self.shape.children(walk.at)
            if sum(n in held(below) for n in walk.read) < len(held(below))
        ]

    def _step(self, walk: Walk, open: Sequence[Place], asked: Mapping[str, Any]) -> str:
        """One move; if it can't be made, the walk notes why."""
        try:
            reply: Mapping[str, Any] = self._ask(walk_step({**asked, **self._view(walk, open)}))
        except ModelError as error:
            if error.trouble not in _UNREADABLE:
                raise
            reply = {}
        move, chosen = reply.get("move"), number(reply, "child", len(open))
        if move == "stop":
            return "stop"
        if move == "enter" and chosen is not None:
            self._enter(walk, open[chosen - 1])
        elif move == "back" and walk.at != self.shape.root:
            walk.left.add(walk.at)
            walk.at, walk.refused, walk.misses = self.shape.up(walk.at), "", 0
        else:
            self._refuse(walk, open, reply, str(asked["query"]))
        return "go on"

    def _enter(self, walk: Walk, place: Place) -> None:
        if place.level == 0:
            walk.read.append(place.number)
        else:
            walk.at = self.shape.down(place)
        walk.refused, walk.misses = "", 0

    def _refuse(self, walk: Walk, open: Sequence[Place], reply: Mapping[str, Any], query: str) -> None:
        self._refused += 1
        walk.misses += 1
        if walk.misses >= TRIES:
            asked = self._vectors.embed_query(query)
            vectors = self._vectors.embed([self._summary_of(place, self._leaves, {}) for place in open])
            nearest = max(range(len(open)), key=lambda n: (float(vectors[n] @ asked), n))
            self._enter(walk, open[nearest])
        elif reply.get("move") == "back":
            walk.refused = "this is the root: there is nothing above it"
        elif reply.get("move") == "enter":
            walk.refused = f"there is no such child; the numbers are 1 to {len(open)}"
        else:
            walk.refused = "the last reply could not be read"

    def _view(self, walk: Walk, open: Sequence[Place]) -> dict[str, Any]:
        """What the model is shown of the tree."""
        children = [
            {
                "number": n,
                "kind": "branch" if place.level else "segment",
                "when": self._when(place),
                "summary": self._summary_of(place, self._leaves, {}),
                "left": place in walk.left,
            }
            for n, place in enumerate(open, 1)
        ]
        found = [self._leaves[n] for n in walk.read]
        read = [{"when": leaf.created_at or "", "text": leaf.text[:_READ]} for leaf in found]
        way = [self._summary_of(place, self._leaves, {}) for place in self.shape.path_to(walk.at)]
        return {"way": way, "children": children, "read": read, "refused": walk.refused}

    def _when(self, place: Place) -> str:
        held = self.shape.leaves(place)
        first, last = self._leaves[held[0]].created_at or "", self._leaves[held[-1]].created_at or ""
        return first if first == last else f"{first} to {last}"

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "segment": self.segment, "width": self.width}

    def _state(self) -> dict[str, Any]:
        summaries = [[place.level, place.number, text] for place, text in self._summaries.items()]
        return {"leaves": [asdict(leaf) for leaf in self._leaves], "signs": summaries}

    def _restore(self, state: Mapping[str, Any]) -> None:
        leaves = [Leaf(**{**record, "sources": texts(record["sources"])}) for record in state["leaves"]]
        inner_summaries = {Place(int(level), int(index)): str(text) for level, index, text in state["signs"]}
        inner = set(Shape(len(leaves), self.width).above(0))
        if not inner_summaries.keys() <= inner or (self.summarise != "model" and inner_summaries.keys() != inner):
            raise ValueError("the summaries are not those of this tree")
        keys, vectors = [], self._vectors.embed([])
        if self.summarise != "model":
            all_summaries = {**{Place(0, n): leaf.summary for n, leaf in enumerate(leaves)}, **inner_summaries}
            keys, vectors = [str(place) for place in all_summaries], self._vectors.embed(list(all_summaries.values()))
        self.reset()
        self._leaves, self._summaries = leaves, inner_summaries
        self._vectors.put(keys, vectors)


def _numbered_summaries(reply: Mapping[str, Any], stand_ins: Sequence[str]) -> list[str]:
    """The summaries in a reply, by number; where one is missing, its stand-in."""
    found = list(stand_ins)
    for record in records(reply, "summaries"):
        n, text = number(record, "number", len(found)), line(record, "text")
        if n is not None and text:
            found[n - 1] = text
    return found


def _openings(parts: Sequence[str]) -> str:
    """The first words of each part."""
    return " / ".join(" ".join(part.split()[:_OPENING]) for part in parts)[:_STAND_IN]


def _memory(leaf: Leaf) -> Memory:
    return Memory(leaf.id, leaf.text, leaf.created_at, leaf.sources)
