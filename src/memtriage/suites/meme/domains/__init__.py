"""The worlds of MEME: one knowledge graph each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.meme.graph import Graph

DOMAINS = ("personal-life", "software-project", "expedition")
PUBLISHED = DOMAINS[:2]
"""The domains of the paper; the others are this project's own."""


@cache
def graph_of(domain: str) -> Graph:
    """The graph of a domain; a name with underscores, as released files write it, is understood too.

    >>> len(graph_of("personal_life").entities)
    39
    """
    name = domain.replace("_", "-")
    if name not in DOMAINS:
        raise BadInput(unknown("domain", domain, DOMAINS))
    graph: Graph = import_module(f"{__name__}.{name.replace('-', '_')}").GRAPH
    return graph
