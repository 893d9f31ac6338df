"""The domains of MEME: one graph of facts each, read from `words/domains/`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.localized import spoken_in
from memtriage.suites.kit.words import items, records
from memtriage.suites.meme.graph import PACKAGE, Constraint, DomainGraph, Edge, Entity, Pattern, Triple

DOMAINS = ("personal-life", "software-project", "expedition")
PUBLISHED = DOMAINS[:2]
"""The domains of the paper; the others are this project's own."""

_LISTS = ("values", "nulls", "updates")


def graph_of(domain: str) -> DomainGraph:
    """The graph of a domain; a name with underscores, as released files write it, is understood too.

    >>> len(graph_of("personal_life").entities)
    39
    """
    name = domain.replace("_", "-")
    if name not in DOMAINS:
        raise BadInput(unknown("domain", domain, DOMAINS))
    return _graph_in(name, spoken_in(PACKAGE))


@cache
def _graph_in(name: str, folder: str) -> DomainGraph:
    try:
        record = records(PACKAGE, f"{folder}domains/{name}")
    except FileNotFoundError:
        raise BadInput(f"the domain {name} has no words in the language {folder.rstrip('/')!r}") from None
    return _graph(name, record, items(records(PACKAGE, f"{folder}frames")["updates"]))


def _graph(name: str, record: Mapping[str, Any], updates: tuple[str, ...]) -> DomainGraph:
    entities = {key: _entity(key, entity, updates) for key, entity in record["entities"].items()}
    patterns = record["patterns"]
    return DomainGraph(
        domain=name,
        entities=tuple(entities.values()),
        edges=tuple(
            Edge(source, target, key)
            for key, pattern in patterns.items()
            for source, targets in pattern["edges"].items()
            for target in targets
        ),
        patterns=tuple(Pattern(key, p["explicit"], p["implicit"], p["bare"]) for key, p in patterns.items()),
        roots=tuple(record["roots"]),
        triples=tuple(Triple(tuple(triple["entities"]), triple["ask"]) for triple in record["triples"]),
        constraints=tuple(_constraint(constraint, entities) for constraint in record["constraints"]),
    )


def _entity(name: str, record: Mapping[str, Any], updates: tuple[str, ...]) -> Entity:
    lists: dict[str, Any] = {"updates": updates} | {key: items(record[key]) for key in _LISTS if key in record}
    return Entity(name, **{**record, **lists})


def _constraint(record: Mapping[str, str], entities: Mapping[str, Entity]) -> Constraint:
    first, second = record["first"], record["second"]
    clashing = items(record["second_values"]) if "second_values" in record else entities[second].usable
    return Constraint(first, frozenset(items(record["first_values"])), second, frozenset(clashing))
