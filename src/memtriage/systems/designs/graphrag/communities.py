"""Communities of a graph in several levels: groups that hold together, and groups within those that are large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from memtriage.core.errors import BadSystem, install_extra


@dataclass(frozen=True, slots=True)
class Community:
    """Nodes that belong together. Level 0 are the largest groups; `leaf` tells that it was not divided further."""

    level: int
    members: tuple[str, ...]
    leaf: bool


def need_networkx(system: str) -> None:
    """Say what to install if the package that finds communities is missing."""
    if find_spec("networkx") is None:
        raise BadSystem(f"{system} finds communities with networkx; install it with: {install_extra('structure')}")


def communities(edges: Mapping[tuple[str, str], float], size: int, seed: int = 0) -> list[Community]:
    """Communities by Louvain's method, each larger than `size` divided again, until nothing more comes apart.

    Each comes before those inside it. Nodes without an edge are in none.

    >>> triangles = {("a", "b"): 1.0, ("b", "c"): 1.0, ("a", "c"): 1.0, ("d", "e"): 1.0}
    >>> [community.members for community in communities(triangles, 10)]
    [('a', 'b', 'c'), ('d', 'e')]
    """
    import networkx as nx

    if not edges:
        return []
    # As numbers, since the order of texts in a set differs from process to process, and with it the groups.
    names = list(dict.fromkeys(node for edge in edges for node in edge))
    number = {name: n for n, name in enumerate(names)}
    graph = nx.Graph()
    graph.add_nodes_from(range(len(names)))
    graph.add_weighted_edges_from((number[one], number[other], weight) for (one, other), weight in edges.items())
    found: list[Community] = []

    def divide(nodes: Sequence[int], level: int) -> None:
        part = nx.Graph()
        part.add_nodes_from(nodes)
        part.add_weighted_edges_from(
            (one, other, data["weight"]) for one, other, data in graph.edges(nodes, data=True) if other in part
        )
        groups = sorted(sorted(group) for group in nx.community.louvain_communities(part, seed=seed))
        if level and len(groups) == 1:
            return
        if level:
            found[-1] = Community(level - 1, found[-1].members, leaf=False)
        for group in groups:
            found.append(Community(level, tuple(names[n] for n in group), leaf=True))
            if len(group) > size:
                divide(group, level + 1)

    divide(range(len(names)), 0)
    return found
