"""Entities and typed relations, read around the entities of a question: a knowledge graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.facts import deniable, denies, takes_back
from memtriage.systems.designs.prompts import conflicts_of, relations_in
from memtriage.systems.designs.replies import line, records, sources
from memtriage.systems.designs.replies import number as number_of
from memtriage.systems.designs.rules import extraction
from memtriage.systems.designs.rules.dates import day
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import cut, number, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts
from memtriage.text.words import words

_ADVERBS = 2
_ATTRIBUTE = re.compile(r"(?:current|favou?rite) (\S+(?: \S+)?) (?:is|are)")
_SPEAKER = frozenset(("user", "the user", "i", "me", "myself", "we", "us", "speaker", "the speaker"))
_SHOWN = 30
_SEEDS, _CLOSE = 3, 0.6


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation as it was read: names, not yet entities."""

    subject: str
    relation: str
    object: str
    text: str
    sources: tuple[str, ...]
    types: tuple[str, str] = ("", "")
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: the name it was first known by, its type where one was given, and other names for it."""

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge between entities, and the sentence it came from. `others` are further entities in the sentence."""

    id: str
    subject: str
    relation: str
    object: str
    text: str
    others: tuple[str, ...] = ()
    created_at: str | None = None
    sources: tuple[str, ...] = ()
    ended: bool = False
    ended_at: str | None = None

    @property
    def said(self) -> str:
        """The sentence, with a word on it if it no longer holds."""
        if not self.ended:
            return self.text
        return f"{self.text} (Ended{f' on {day(self.ended_at) or self.ended_at}' if self.ended_at else ''}.)"

    @property
    def ends(self) -> tuple[str, ...]:
        return distinct([self.subject, self.object], self.others)


@dataclass(slots=True)
class Names:
    """Which entity a name stands for. A name is what is left of it without articles, endings and case."""

    by_key: dict[tuple[str, ...], str] = field(default_factory=dict)
    by_word: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    by_rarest: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    """Each name under its word that was rarest when it came; a text that holds the name has that word too."""

    def learn(self, name: str, id: str) -> None:
        key = key_of(name)
        if key in self.by_key:
            return
        self.by_key[key] = id
        self.by_rarest.setdefault(self._rarest(key), set()).add(key)
        for word in key:
            self.by_word.setdefault(word, set()).add(key)

    def find(self, name: str) -> str | None:
        """The entity of this name, or the only one whose name holds it (or is held by it) as a whole."""
        key = key_of(name)
        if key in self.by_key:
            return self.by_key[key]
        longer = (other for other in self.by_word.get(self._rarest(key), ()) if _part_of(key, other, name))
        shorter = (other for other in self._within(key) if _part_of(other, key, name))
        ids = {self.by_key[other] for other in (*longer, *shorter)}
        return ids.pop() if len(ids) == 1 else None

    def named_in(self, text: str) -> list[str]:
        """The entities whose every word is in a text, and those that its proper names stand for."""
        asked = self._within(words(text).stems)
        found = {self.by_key[key] for key in asked} | {self.find(name) for name in extraction.names(text)}
        return sorted(id for id in found if id is not None)

    def _within(self, stems: Iterable[str]) -> list[tuple[str, ...]]:
        """The names whose every word is among these."""
        held = set(stems)
        return [key for word in sorted(held) for key in self.by_rarest.get(word, ()) if held.issuperset(key)]

    def _rarest(self, key: tuple[str, ...]) -> str:
        return min(key, key=lambda word: len(self.by_word.get(word, ())))


class Graph(Design):
    """Keeps who is related to what, with the sentence that said so, and reads around what a question names.

    Summarise: the internal model lists the relations of a session: subject, relation, object, their types, and the
    sentence that states it in full.
    Store: names become entities: the same name, a longer or shorter form of it, or one whose embedding is nearer than
    `same`. A relation is an edge between two of them; the same one said again in the same words is kept once. The model
    is then shown the new relations and up to `near` stored ones of each subject, and says which of these no longer
    hold: they are ended on the day of the session, and stay as ended.
    Retrieve: entities that the question names, else up to three whose names are close to it, are the seeds; relations
    within `hops` edges of a seed come first, ranked by cosine with a bonus that halves with every hop. What is missing
    to k is filled by cosine alone, and then by ended relations. The speaker (`I`) is never a seed: everything is around
    them.

    With `summarise=verbatim` every turn is kept as it stands, and tied to the names in it. With `summarise=rules`
    subject, relation and object are found by patterns, sentence by sentence; a relation ends by a newer value of what
    has one value at a time (`rules/words/single_valued.txt`), or by a sentence that takes it back.
    """

    name = "graph"
    asks = ("relation_list", "relation_conflicts")
    traits = Traits(
        family="structure-rag",
        architecture="summarise: relations extracted by a model (or verbatim, or by rule); "
        "store: knowledge graph of entities and typed relations, contradicted ones ended; "
        "retrieve: subgraph around the question's entities, ranked by cosine, then cosine alone",
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        hops: int = 2,
        same: float = 0.9,
        bonus: float = 0.5,
        near: int = 10,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        self.hops, self.same, self.bonus = whole("hops", hops), number("same", same, 0, 1), number("bonus", bonus, 0, 2)
        self.near = whole("near", near, least=0)
        self._texts = VectorStore(self.embedder)
        self._nodes = VectorStore(self.embedder)
        self.reset()

    def reset(self) -> None:
        self._texts.clear()
        self._nodes.clear()
        self.entities: dict[str, Entity] = {}
        self.relations: dict[str, Relation] = {}
        self._at: dict[str, list[str]] = {}  # entity -> its relations
        self._names = Names()
        self._spoken: dict[tuple[str, str, str, str], str] = {}
        self._single: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # entity and what has one value -> relations
        self._by_stems: dict[frozenset[str], list[str]] = {}  # what may be taken back, by all that it says

    def store_conversation(self, conversation: Session) -> None:
        stated = self._stated(conversation)
        vectors = self._texts.embed([each.text for each in stated])
        names = distinct(*((each.subject, each.object, *each.names) for each in stated))
        name_vectors = dict(zip(names, self._nodes.embed(names), strict=True))
        ended = self._contradicted(stated, vectors, name_vectors) if self.summarise == "model" else ()
        # Nothing from here on can fail, so that a session is stored as a whole.
        ids = {name: self._entity(name, name_vectors[name], _type(name, stated)) for name in names}
        for id in ended:
            self._end(id, conversation.timestamp)
        for each, vector in zip(stated, vectors, strict=True):
            if self.summarise == "rules":
                for id in self._excluded(each, ids):
                    self._end(id, conversation.timestamp)
            self._relate(each, ids, vector, conversation.timestamp)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        vector = self._texts.embed_query(query)
        distance = self._around(self._seeds(query, vector))
        scores = {
            id: score + (self.bonus / 2 ** distance[id] if id in distance else 0.0)
            for id, score in self._texts.ranked(vector)
        }
        order = sorted(scores, key=lambda id: (self.relations[id].ended, id not in distance, -scores[id]))
        return [replace(self._memory(self.relations[id]), score=scores[id]) for id in order[: whole("k", k)]]

    def get_all_memories(self) -> list[Memory]:
        return [self._memory(relation) for relation in self.relations.values()]

    # Summarise

    def _stated(self, session: Session) -> list[StatedRelation]:
        if self.summarise == "verbatim":
            return [_tied(unit, extraction.names(unit.text)) for unit in cut(session, self.granularity)]
        if self.summarise == "rules":
            return [_by_pattern(each) for each in extraction.named_sentences(session)]
        turns = spoken(session)
        if not turns:
            return []
        vector = self._nodes.embed([session.text])[0]
        known = [self.entities[id].name for id, _ in self._nodes.nearest(vector, _SHOWN)]
        reply = self._ask(relations_in(turns, session.timestamp, known))
        return [stated for record in records(reply, "relations") if (stated := _read(record, sources(record, turns)))]

    # Store

    def _entity(self, name: str, vector: Vectors, type: str) -> str:
        """The id of the entity that this name stands for; a new entity if it is unknown."""
        id = self._known(name, vector)
        if id is None:
            id = f"e{len(self.entities) + 1}"
            self.entities[id] = Entity(id, name, type)
            self._nodes.put([id], vector[None])
        elif key_of(name) != key_of(self.entities[id].name):
            entity = self.entities[id]
            self.entities[id] = replace(entity, aliases=distinct(entity.aliases, [name]))
        self._names.learn(name, id)
        return id

    def _known(self, name: str, vector: Vectors) -> str | None:
        id = self._names.find(name)
        if id is None and not _is_name(name):
            id = next((near for near, _ in self._nodes.nearest(vector, 1, self.same)), None)
        return id

    def _contradicted(
        self, stated: Sequence[StatedRelation], vectors: Vectors, names: Mapping[str, Vectors]
    ) -> list[str]:
        """The relations that no longer hold because of new ones, as the model sees it."""
        shown: dict[str, None] = {}
        for each, vector in zip(stated, vectors, strict=True):
            subject = self._known(each.subject, names[each.subject])
            about = (id for id, _ in self._texts.ranked(vector) if self._holds(id, subject, each.text))
            shown |= dict.fromkeys(islice(about, self.near if subject is not None else 0))
        ids = list(shown)
        if not ids:
            return []
        ask = conflicts_of([each.text for each in stated], [self.relations[id].text for id in ids])
        pairs = [
            (place, number_of(record, "new", len(stated)))
            for record in records(self._ask(ask), "ended")
            if (place := number_of(record, "stored", len(ids))) is not None
        ]
        return [ids[place - 1] for place, new in pairs if new is not None]

    def _excluded(self, stated: StatedRelation, ids: Mapping[str, str]) -> list[str]:
        """The relations that can't hold beside a new one, by rule."""
        subject, kind = ids[stated.subject], kind_of(stated.relation, stated.object)
        rivals = self._single.get((subject, kind), ()) if kind is not None else ()
        excluded = [id for id in rivals if self.relations[id].object != ids[stated.object]]
        if denies(stated.text):
            excluded += self._taken_back(stated, {ids[name] for name in (stated.subject, stated.object, *stated.names)})
        return [id for id in distinct(excluded) if self._holds(id, None, stated.text)]

    def _taken_back(self, stated: StatedRelation, named: set[str]) -> list[str]:
        """The relations of these entities that a new one takes back: looked up, or held against it if they are few."""
        many, stems = sum(len(self._at.get(entity, ())) for entity in named), len(words(stated.text).stems)
        if many < stems * stems // 2:
            near = {id for entity in named for id in self._at.get(entity, ())}
            return [id for id in near if takes_back(stated.text, self.relations[id].text)]
        said = (id for held in deniable(stated.text) for id in self._by_stems.get(held, ()))
        return [id for id in said if not named.isdisjoint(self.relations[id].ends)]

    def _holds(self, id: str, subject: str | None, said: str) -> bool:
        """Whether a stored relation still holds, is of this subject, and says something else than a new one."""
        old = self.relations[id]
        return not old.ended and subject in (None, old.subject) and old.text != said

    def _end(self, id: str, when: str | None) -> None:
        old, now = self.relations[id], day(when)
        began = day(old.created_at)
        if now is None or began is None or now >= began:  # what was said of an earlier time ends nothing
            self.relations[id] = replace(old, ended=True, ended_at=when)

    def _relate(self, stated: StatedRelation, ids: Mapping[str, str], vector: Vectors, when: str | None) -> None:
        subject, object = ids[stated.subject], ids[stated.object]
        before = self._spoken.get((subject, stated.relation, object, stated.text))
        if before is not None and not self.relations[before].ended:
            old = self.relations[before]
            self.relations[before] = replace(old, sources=distinct(old.sources, stated.sources))
            return
        others = distinct([ids[name] for name in stated.names])
        id = f"r{len(self.relations) + 1}"
        self._keep(Relation(id, subject, stated.relation, object, stated.text, others, when, stated.sources))
        self._texts.put([id], vector[None])

    def _keep(self, relation: Relation) -> None:
        self.relations[relation.id] = relation
        self._spoken[relation.subject, relation.relation, relation.object, relation.text] = relation.id
        for end in relation.ends:
            self._at.setdefault(end, []).append(relation.id)
        if self.summarise != "rules":
            return
        if kind := kind_of(relation.relation, self.entities[relation.object].name):
            self._single.setdefault((relation.subject, kind), []).append(relation.id)
        if not denies(relation.text):
            self._by_stems.setdefault(frozenset(words(relation.text).stems), []).append(relation.id)

    # Retrieve

    def _seeds(self, query: str, vector: Vectors) -> list[str]:
        named = [id for id in self._names.named_in(query) if not _is_speaker(self.entities[id].name)]
        near = self._nodes.nearest(vector, _SEEDS, _CLOSE)
        return named or [id for id, _ in near if not _is_speaker(self.entities[id].name)]

    def _around(self, seeds: Iterable[str]) -> dict[str, int]:
        """The relations within reach of the seeds, each with its distance; the speaker is no way through."""
        distance: dict[str, int] = {}
        front, seen = set(seeds), set(seeds)
        for hop in range(self.hops):
            edges = {id for entity in front for id in self._at.get(entity, ()) if id not in distance}
            distance.update(dict.fromkeys(sorted(edges), hop))
            ends = {end for id in edges for end in self.relations[id].ends} - seen
            front = {end for end in ends if not _is_speaker(self.entities[end].name)}
            seen |= front
        return distance

    def _memory(self, relation: Relation) -> Memory:
        return Memory(relation.id, relation.said, relation.created_at, relation.sources)

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "hops": self.hops, "same": self.same, "bonus": self.bonus, "near": self.near}

    def _state(self) -> dict[str, Any]:
        return {
            "entities": [asdict(entity) for entity in self.entities.values()],
            "relations": [asdict(relation) for relation in self.relations.values()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        entities = [Entity(**{**record, "aliases": texts(record["aliases"])}) for record in state["entities"]]
        lists = ("others", "sources")
        relations = [
            Relation(**{**record, **{key: texts(record[key]) for key in lists}}) for record in state["relations"]
        ]
        known = {entity.id for entity in entities}
        if unknown := next((end for each in relations for end in each.ends if end not in known), None):
            raise ValueError(f"a relation names entity {unknown!r}, which is not there")
        nodes = self._nodes.embed([entity.name for entity in entities])
        vectors = self._texts.embed([relation.text for relation in relations])
        self.reset()
        self.entities = {entity.id: entity for entity in entities}
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                self._names.learn(name, entity.id)
        for relation in relations:
            self._keep(relation)
        self._nodes.put([entity.id for entity in entities], nodes)
        self._texts.put([relation.id for relation in relations], vectors)


def key_of(name: str) -> tuple[str, ...]:
    """What is left of a name without articles, endings and case; the one who speaks is always the same.

    >>> key_of("The icy Sundays") == key_of("icy Sunday")
    True
    """
    if _is_speaker(name):
        return ("user",)
    return words(name).stems or (" ".join(name.lower().split()),)


def kind_of(relation: str, object: str) -> tuple[str, ...] | None:
    """What a relation is about, if that has one value at a time; None if several may hold side by side.

    >>> kind_of("now lives", "in Oslo") == kind_of("moved", "to Graz")
    True
    >>> kind_of("likes", "tea") is None
    True
    """
    said = f"{relation} {object}".lower().split()
    for kind, phrase in _single_valued():
        for start in range(min(_ADVERBS, len(said)) + 1):
            if said[start : start + len(phrase)] == phrase:
                return (kind,)
    found = _ATTRIBUTE.fullmatch(relation.strip().lower())
    return ("attribute", *words(found[1]).stems) if found and words(found[1]).stems else None


@cache
def _single_valued() -> list[tuple[str, list[str]]]:
    """What has one value at a time, and the words by which it is said."""
    lines = (Path(__file__).parent / "rules" / "words" / "single_valued.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(":") for line in lines if line and not line.startswith("#"))
    return [(kind.strip(), phrase.split()) for kind, phrase in pairs]


def _is_speaker(name: str) -> bool:
    return " ".join(name.lower().split()) in _SPEAKER


def _is_name(name: str) -> bool:
    """Whether it is a proper name; two of these are never merged for having similar vectors."""
    return all(part[:1].isupper() or part[:1].isdigit() for part in name.split())


def _part_of(part: Sequence[str], whole: Sequence[str], name: str) -> bool:
    """Whether a key is enough of a name: one word of a proper name, two of a phrase."""
    return len(part) >= (1 if _is_name(name) else 2) and set(part) <= set(whole)


def _tied(unit: Memory, names: Sequence[str]) -> StatedRelation:
    """A text as it stands, between the first two names in it."""
    first = names[0] if names else extraction.SPEAKER
    other = names[1] if len(names) > 1 else first
    return StatedRelation(first, "mentioned with", other, unit.text, unit.sources, names=tuple(names))


def _by_pattern(stated: extraction.NamedSentence) -> StatedRelation:
    found = extraction.triple(stated.text, stated.names)
    return StatedRelation(found.subject, found.relation, found.object, stated.text, (stated.turn,), names=stated.names)


def _read(record: Mapping[str, Any], turn_ids: tuple[str, ...]) -> StatedRelation | None:
    """A relation of the model's; None where a part of it is missing."""
    subject, relation, object = line(record, "subject"), line(record, "relation"), line(record, "object")
    if not (subject and relation and object):
        return None
    text = line(record, "fact") or f"{subject} {relation} {object}"
    return StatedRelation(
        subject, relation, object, text, turn_ids, (line(record, "subject_type"), line(record, "object_type"))
    )


def _type(name: str, stated: Iterable[StatedRelation]) -> str:
    """The first type that a name was given."""
    pairs = ((each.subject, each.types[0]) if each.subject == name else (each.object, each.types[1]) for each in stated)
    return next((type for named, type in pairs if named == name and type), "")
