"""Personalised PageRank on an undirected weighted graph that grows."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

Vector = NDArray[np.float64]
Edge = tuple[int, int, float]

_CLOSE = 1e-9
_MOST_STEPS = 1000


class Links:
    """Edges between nodes that are numbered from 0, as a matrix of steps that is only made anew when some came.

    >>> links = Links()
    >>> links.join([(0, 1, 1.0), (1, 2, 1.0)])
    >>> links.pagerank(np.array([1.0, 0.0, 0.0]), damping=0.5).round(4).tolist()
    [0.5833, 0.3333, 0.0833]
    """

    def __init__(self) -> None:
        self._from, self._to, self._weights = array("q"), array("q"), array("d")
        self._steps: Any = None
        self._stuck: NDArray[np.intp] = np.zeros(0, dtype=np.intp)

    def __len__(self) -> int:
        return len(self._from)

    def join(self, edges: Iterable[Edge]) -> None:
        """Add edges; the weights of those between the same two nodes add up."""
        for one, other, weight in edges:
            self._from.append(one)
            self._to.append(other)
            self._weights.append(weight)
        self._steps = None

    def pagerank(self, restart: Vector, damping: float) -> Vector:
        """How often a walk is at each node that goes on with probability `damping`, and else starts again.

        `restart` says how likely it starts at each node; it need not add up to 1. From a node without edges the walk
        starts again, too.
        """
        steps = self._matrix(len(restart))
        start = restart / restart.sum()
        rank: Vector = start
        for _ in range(_MOST_STEPS):
            moved: Vector = steps @ rank
            lost = 1 - damping * (1 - rank[self._stuck].sum())
            following: Vector = damping * moved + lost * start
            if np.abs(following - rank).sum() < _CLOSE:
                return following
            rank = following
        return rank

    def _matrix(self, nodes: int) -> Any:
        """Where a walk goes from each node (a column), in proportion to the edges' weights."""
        if self._steps is None or self._steps.shape[0] != nodes:
            from scipy.sparse import coo_array  # type: ignore[import-untyped]

            one = np.frombuffer(self._from, dtype=np.int64) if self._from else np.zeros(0, dtype=np.int64)
            other = np.frombuffer(self._to, dtype=np.int64) if self._to else np.zeros(0, dtype=np.int64)
            weights = np.frombuffer(self._weights) if self._weights else np.zeros(0)
            ends = (np.concatenate([one, other]), np.concatenate([other, one]))
            both = coo_array((np.concatenate([weights, weights]), ends), shape=(nodes, nodes)).tocsr()
            leaving = np.asarray(both.sum(axis=0)).reshape(-1)
            self._stuck = np.flatnonzero(leaving == 0)
            both.data /= leaving[both.indices]
            self._steps = both
        return self._steps
