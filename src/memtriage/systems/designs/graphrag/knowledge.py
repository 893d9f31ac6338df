"""A graph of entities and relations with descriptions, and the texts they were read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from memtriage.systems.designs.design import distinct
from memtriage.systems.designs.graph import key_of
from memtriage.systems.designs.graphrag.growing import Growing
from memtriage.systems.saved_state import texts

NOTHING = Growing()


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A piece of what was told, word for word: what the model reads at once."""

    id: str
    text: str
    created_at: str | None
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: what was said of it, in which text units, by which turns."""

    id: str
    name: str
    type: str = ""
    descriptions: tuple[str, ...] = ()
    units: Growing = NOTHING
    sources: Growing = NOTHING

    @property
    def text(self) -> str:
        """Its name with all that is known of it; empty where that is nothing."""
        named = f"{self.name} ({self.type})" if self.type else self.name
        return f"{named}: {' '.join(self.descriptions)}" if self.descriptions else ""


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge between two entities, whichever was named first; the weight adds up with every mention."""

    id: str
    source: str
    target: str
    weight: float = 0.0
    descriptions: tuple[str, ...] = ()
    units: Growing = NOTHING
    sources: Growing = NOTHING

    @property
    def text(self) -> str:
        return " ".join(self.descriptions)

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class StatedEntity:
    """An entity as one text speaks of it."""

    name: str
    type: str
    description: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation as one text speaks of it: names, not yet entities."""

    source: str
    target: str
    description: str
    strength: float
    sources: tuple[str, ...]


@dataclass(slots=True)
class KnowledgeGraph:
    """Entities by name, relations by the pair that they connect, and the text units of both."""

    units: dict[str, TextUnit] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    by_name: dict[tuple[str, ...], str] = field(default_factory=dict)
    by_pair: dict[frozenset[str], str] = field(default_factory=dict)
    at: dict[str, list[str]] = field(default_factory=dict)
    """The relations of each entity."""

    def put(self, draft: Draft) -> None:
        """Take over what a draft adds and changes."""
        for relation in draft.relations.values():
            if relation.id not in self.relations:
                for end in relation.ends:
                    self.at.setdefault(end, []).append(relation.id)
        self.units |= draft.units
        self.entities |= draft.entities
        self.relations |= draft.relations
        self.by_name |= draft.by_name
        self.by_pair |= draft.by_pair

    def inside(self, members: Sequence[str]) -> list[Relation]:
        """The relations between these entities, the strongest first."""
        group = set(members)
        ids = distinct(*(self.at.get(member, ()) for member in members))
        found = [self.relations[id] for id in ids if group.issuperset(self.relations[id].ends)]
        return sorted(found, key=lambda relation: -relation.weight)

    def newest(self, units: Sequence[str]) -> str | None:
        """When the last of these text units was told."""
        return self.units[max(units, key=_place)].created_at if units else None

    def state(self) -> dict[str, Any]:
        """All of it, as plain values."""
        return {name: [_plain(each) for each in getattr(self, name).values()] for name in _PARTS}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> KnowledgeGraph:
        """What `state` gave, again; ValueError where parts of it are missing."""
        units, entities, relations = (
            [
                kind(**{**record, **{key: made(texts(record[key])) for key, made in lists.items()}})
                for record in state[name]
            ]
            for name, (kind, lists) in _PARTS.items()
        )
        found = cls()
        draft = Draft(found, *({each.id: each for each in part} for part in (units, entities, relations)))
        draft.by_name = {key_of(entity.name): entity.id for entity in entities}
        draft.by_pair = {frozenset(relation.ends): relation.id for relation in relations}
        for each in (*entities, *relations):
            if missing := next((unit for unit in each.units if unit not in draft.units), None):
                raise ValueError(f"{each.id} comes from text unit {missing!r}, which is not there")
        if lost := next((end for each in relations for end in each.ends if end not in draft.entities), None):
            raise ValueError(f"a relation names entity {lost!r}, which is not there")
        found.put(draft)
        return found


@dataclass(slots=True)
class Draft:
    """What a session adds to a graph and changes in it, before any of that is kept."""

    graph: KnowledgeGraph
    units: dict[str, TextUnit] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    by_name: dict[tuple[str, ...], str] = field(default_factory=dict)
    by_pair: dict[frozenset[str], str] = field(default_factory=dict)

    def add(self, unit: TextUnit, entities: Sequence[StatedEntity], relations: Sequence[StatedRelation]) -> None:
        """Take in what a text unit says."""
        self.units[unit.id] = unit
        for stated in entities:
            self._entity(unit, stated)
        for each in relations:
            ends = [self._entity(unit, StatedEntity(name, "", "", each.sources)) for name in (each.source, each.target)]
            if ends[0] != ends[1]:
                self._relate(unit, ends[0], ends[1], each)

    def describe(self, each: Entity | Relation, descriptions: tuple[str, ...]) -> None:
        """Put these descriptions in the place of those there were."""
        if isinstance(each, Entity):
            self.entities[each.id] = replace(each, descriptions=descriptions)
        else:
            self.relations[each.id] = replace(each, descriptions=descriptions)

    def name_of(self, each: Entity | Relation) -> str:
        """How an entity, or a pair of them, is called."""
        return each.name if isinstance(each, Entity) else " and ".join(self.entities[end].name for end in each.ends)

    def _entity(self, unit: TextUnit, stated: StatedEntity) -> str:
        """The id of the entity of this name, which now knows this too."""
        key = key_of(stated.name)
        id = self.by_name.get(key) or self.graph.by_name.get(key)
        if id is None:
            id = f"e{len(self.graph.by_name) + len(self.by_name) + 1}"
            self.by_name[key] = id
        old = self.entities.get(id) or self.graph.entities.get(id) or Entity(id, stated.name)
        self.entities[id] = replace(
            old,
            type=old.type or stated.type,
            descriptions=distinct(old.descriptions, filter(None, [stated.description])),
            units=old.units.with_all([unit.id]),
            sources=old.sources.with_all(stated.sources),
        )
        return id

    def _relate(self, unit: TextUnit, source: str, target: str, stated: StatedRelation) -> None:
        pair = frozenset((source, target))
        id = self.by_pair.get(pair) or self.graph.by_pair.get(pair)
        if id is None:
            id = f"r{len(self.graph.by_pair) + len(self.by_pair) + 1}"
            self.by_pair[pair] = id
        old = self.relations.get(id) or self.graph.relations.get(id) or Relation(id, source, target)
        self.relations[id] = replace(
            old,
            weight=old.weight + stated.strength,
            descriptions=distinct(old.descriptions, filter(None, [stated.description])),
            units=old.units.with_all([unit.id]),
            sources=old.sources.with_all(stated.sources),
        )


_LISTS = {"descriptions": tuple, "units": Growing, "sources": Growing}
_PARTS: Mapping[str, tuple[Any, Mapping[str, Any]]] = {
    "units": (TextUnit, {"sources": tuple}),
    "entities": (Entity, _LISTS),
    "relations": (Relation, _LISTS),
}


def _plain(each: TextUnit | Entity | Relation) -> dict[str, Any]:
    """Its fields, with lists for what is one."""
    values = {field.name: getattr(each, field.name) for field in fields(each)}
    return {name: list(value) if isinstance(value, tuple | Growing) else value for name, value in values.items()}


def _place(unit: str) -> int:
    """The place of a text unit among all, by its id."""
    return int(unit[1:])
