"""HippoRAG 2: what passages say as a graph, and passages ranked by personalised PageRank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

import numpy as np

from memtriage.core.episode import Session
from memtriage.core.errors import BadSystem, install_extra
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.hipporag.graph import PhraseGraph, Reading, Stated
from memtriage.systems.designs.hipporag.pagerank import Vector
from memtriage.systems.designs.hipporag.prompts import RULES, entities_in, relevant_to, triples_in
from memtriage.systems.designs.replies import line, lines, numbers, records
from memtriage.systems.designs.replies import number as number_of
from memtriage.systems.designs.rules.extraction import names
from memtriage.systems.designs.rules.triples import triples
from memtriage.systems.retrieval.units import cut, newest_first, number, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts
from memtriage.text.sentences import sentences
from memtriage.text.words import words

_MOST_ENTITIES = 40
_MOST_PARTS = 12


class HippoRAG(Design):
    """Keeps passages, and finds them by a walk over what they say: personalised PageRank on a graph of triples.

    Summarise: the internal model lists the entities of a session's passages, and then their triples (subject,
    relation, object). The passages stay as they were said.
    Store: phrases (subjects, objects, entities) and passages are nodes. A triple joins its two phrases, a passage is
    joined with the phrases in it, and phrases with those whose embeddings are at least `same` alike. A new passage adds
    nodes and edges; nothing is read twice. The speaker (`I`) is no node: everything would be around them.
    Retrieve: of the `linked` triples nearest to the question the model keeps those that bear on it. The walk starts at
    their phrases, at those of few passages more often than at those of many, and at every passage by its cosine
    with the question, `passages` times as often; it goes on with probability `damping`. Passages are ranked by how
    often it is there; where no triple is kept, by cosine.

    With `summarise=rules` triples are found by patterns of English, and a triple is kept if the question holds all
    words of its subject or of its object. With `summarise=verbatim` there are no triples, and passages are ranked by
    cosine.
    """

    name = "hipporag"
    rules = RULES
    asks = tuple(RULES)
    traits = Traits(
        family="structure-rag",
        architecture="summarise: entities and triples extracted by a model (or by rule), passages verbatim; "
        "store: graph of phrases and passages, joined by triples, by what passages hold and by likeness; "
        "retrieve: triples near the question, filtered by a model, then passages by personalised PageRank",
        ranks_all=True,
        native_k=5,
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        same: float = 0.8,
        linked: int = 5,
        passages: float = 0.05,
        damping: float = 0.5,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        if find_spec("scipy") is None:
            raise BadSystem(f"hipporag needs scipy for its walks; install it with: {install_extra('structure')}")
        self.same, self.linked = number("same", same, 0, 1), whole("linked", linked)
        self.passages, self.damping = number("passages", passages, 0, 1), number("damping", damping, 0, 0.99)
        self._passage_vectors = VectorStore(self.embedder)
        self._triple_vectors = VectorStore(self.embedder)
        self.reset()

    def reset(self) -> None:
        self._passage_vectors.clear()
        self._triple_vectors.clear()
        self._passages: list[Memory] = []
        self._graph = PhraseGraph(self.same)

    def store_conversation(self, conversation: Session) -> None:
        passages = cut(conversation, self.granularity)
        readings = self._read([passage.text for passage in passages])
        # Whatever can fail is done before anything is kept, so that a session is stored as a whole.
        self._keep(passages, readings, self._embedded(self._graph, passages, readings))

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        if not self._passages:
            return []
        scores = self._scores(query)
        found = ((self._passages[place], float(scores[place])) for place in newest_first(scores, most).tolist())
        return [Memory(each.id, each.text, each.created_at, each.sources, score) for each, score in found]

    def get_all_memories(self) -> list[Memory]:
        return list(self._passages)

    # Summarise

    def _read(self, passages: Sequence[str]) -> list[Reading]:
        if self.summarise == "verbatim" or not passages:
            return [Reading() for _ in passages]
        if self.summarise == "rules":
            return [_by_pattern(passage) for passage in passages]
        entities: list[tuple[str, ...]] = [() for _ in passages]
        for record in records(self._ask(entities_in(passages)), "passages"):
            if place := number_of(record, "passage", len(passages)):
                entities[place - 1] = distinct(entities[place - 1], lines(record, "entities", _MOST_ENTITIES))
        stated: list[list[Stated]] = [[] for _ in passages]
        for record in records(self._ask(triples_in(passages, entities)), "triples"):
            place = number_of(record, "passage", len(passages))
            triple = line(record, "subject"), line(record, "relation"), line(record, "object")
            if place and all(triple):
                stated[place - 1].append(triple)
        return [Reading(named, tuple(dict.fromkeys(said))) for named, said in zip(entities, stated, strict=True)]

    # Store

    def _embedded(self, graph: PhraseGraph, passages: Sequence[Memory], readings: Sequence[Reading]) -> list[Vectors]:
        """The vectors of passages, and of the triples and phrases in them that a graph doesn't have yet."""
        said = [" ".join(stated) for stated in graph.new_triples(readings)]
        named = list(graph.new_phrases(readings).values())
        return [self._passage_vectors.embed(each) for each in ([passage.text for passage in passages], said, named)]

    def _keep(self, passages: Sequence[Memory], readings: Sequence[Reading], embedded: Sequence[Vectors]) -> None:
        vectors, said, named = embedded
        self._passage_vectors.put([str(len(self._passages) + n) for n in range(len(vectors))], vectors)
        self._triple_vectors.put([str(len(self._graph.triples) + n) for n in range(len(said))], said)
        self._passages += passages
        self._graph.add(readings, named)

    # Retrieve

    def _scores(self, query: str) -> Vector:
        """One number for each passage, the highest for the best."""
        parts = _parts(query) if self._graph.triples else []
        asked = {text: self._passage_vectors.embed_query(text) for text in dict.fromkeys((query.strip(), *parts))}
        cosines = self._passage_vectors.cosines(asked[query.strip()]).astype(np.float64)
        starts = self._starts(query, {part: asked[part] for part in parts})
        if not starts.any():
            return cosines
        return self._graph.walk(np.concatenate([starts, self.passages * _between_0_and_1(cosines)]), self.damping)

    def _starts(self, query: str, parts: Mapping[str, Vectors]) -> Vector:
        """How much each phrase is where a walk begins: the mean of its triples, by the number of its passages."""
        graph = self._graph
        weights, counts = np.zeros(len(graph.keys)), np.zeros(len(graph.keys))
        for triple, score in self._recognised(query, parts).items():
            for phrase in graph.ends[triple]:
                weights[phrase] += max(score, 0.0) / len(graph.holders[phrase])
                counts[phrase] += 1
        return weights / np.maximum(counts, 1)

    def _recognised(self, query: str, parts: Mapping[str, Vectors]) -> dict[int, float]:
        """The triples near a part of a question that bear on it, each with its best cosine."""
        best: dict[int, float] = {}
        for part, vector in parts.items():
            stems = set(words(part).stems)
            for id, cosine in self._triple_vectors.nearest(vector, self.linked):
                if self.summarise == "model" or self._named_in(stems, int(id)):
                    best[int(id)] = max(cosine, best.get(int(id), cosine))
        if self.summarise != "model" or not best:
            return best
        shown = list(best)
        reply = self._ask(relevant_to(query, [" ".join(self._graph.triples[triple]) for triple in shown]))
        return {shown[n - 1]: best[shown[n - 1]] for n in numbers(reply, "relevant", len(shown))}

    def _named_in(self, asked: set[str], triple: int) -> bool:
        return any(asked.issuperset(self._graph.keys[phrase]) for phrase in self._graph.ends[triple])

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        walk = {"same": self.same, "linked": self.linked, "passages": self.passages, "damping": self.damping}
        return {**super()._settings(), **walk}

    def _state(self) -> dict[str, Any]:
        return {
            "passages": [asdict(passage) for passage in self._passages],
            "readings": [asdict(reading) for reading in self._graph.readings],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        passages = [Memory(**{**record, "sources": texts(record["sources"])}) for record in state["passages"]]
        readings = [
            Reading(texts(record["entities"]), tuple(_stated(each) for each in record["triples"]))
            for record in state["readings"]
        ]
        if len(passages) != len(readings):
            raise ValueError(f"{len(passages)} passages, but {len(readings)} readings")
        embedded = self._embedded(PhraseGraph(self.same), passages, readings)
        self.reset()
        self._keep(passages, readings, embedded)


def _by_pattern(passage: str) -> Reading:
    """What patterns find in a passage; names are entities of their own unless a triple has them."""
    named = names(passage)
    found = [each for sentence in sentences(passage) for each in triples(sentence, named)]
    ends = " / ".join(end for each in found for end in (each.subject, each.object))
    stated = dict.fromkeys((each.subject, each.relation, each.object) for each in found)
    return Reading(tuple(name for name in named if name not in ends), tuple(stated))


def _parts(query: str) -> list[str]:
    """The lines of a question, each to be linked by itself: below the question there may be options to choose from."""
    told = [line for each in query.splitlines() if words(line := each.strip()).stems]
    return told if len(told) <= _MOST_PARTS else [*told[: _MOST_PARTS - 1], " ".join(told[_MOST_PARTS - 1 :])]


def _between_0_and_1(values: Vector) -> Vector:
    least, most = values.min(), values.max()
    return (values - least) / (most - least) if most > least else np.ones_like(values)


def _stated(value: object) -> Stated:
    subject, relation, object = texts(value)
    return subject, relation, object
