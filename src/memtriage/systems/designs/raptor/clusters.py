"""Which nodes are summed up together: soft clusters by Gaussian mixtures, first of everything, then within each.

scikit-learn does the work; it is not imported before a system that needs it is built.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtriage.core.errors import BadSystem, install_extra
from memtriage.models.embedders import Vectors

Group = tuple[int, ...]
"""Nodes by their rows, in rising order."""

DIMENSIONS = 10
FEW = DIMENSIONS + 1
"""So many nodes, or fewer, are one cluster."""
MOST_COMPONENTS = 50
THRESHOLD = 0.1

_BEST_ONLY = 1.0
_TRIED_FIRST = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32)


def refuse_without_sklearn(system: str) -> None:
    """Refuse a system that clusters where scikit-learn is not installed.

    Importing it takes a second or more, which had better not count as the time of whichever store is filled first.
    """
    try:
        import sklearn.decomposition
        import sklearn.mixture  # noqa: F401
    except ImportError as error:
        raise BadSystem(
            f"{system} clusters with scikit-learn; install it with: {install_extra('structure')}; "
            f"or keep the leaves alone: {system}:summarise=verbatim"
        ) from error


def groups(vectors: Vectors, tokens: Sequence[int], most_tokens: int, threshold: float = THRESHOLD) -> list[Group]:
    """The nodes that are summed up together; a node may be in several groups, and alone in one.

    A group with more tokens than `most_tokens` is clustered again, into as many parts as it takes; what can't be told
    apart is cut into runs of neighbours. Two nodes are never too many.
    """
    found = (
        part
        for cluster in _clusters(vectors, threshold)
        for part in _within_limit(cluster, vectors, tokens, most_tokens)
    )
    return sorted(dict.fromkeys(found))


def soft_clusters(vectors: Vectors, threshold: float = THRESHOLD) -> list[Group]:
    """Clusters by one Gaussian mixture; a row is in all whose probability is above the threshold, and in the best."""
    return _mixed(vectors, threshold, 0)


def _mixed(vectors: Vectors, threshold: float, components: int) -> list[Group]:
    """Clusters by a mixture of so many components; 0 leaves their number to BIC."""
    everything = tuple(range(len(vectors)))
    if (vectors == vectors[0]).all():
        return [everything]
    with _one_thread():
        points = reduced(vectors)
        mixture = _fitted(points, components) if components else best_mixture(points)
        if mixture is None:
            return [everything]
        probabilities = mixture.predict_proba(points)
    member = probabilities > threshold
    member[np.arange(len(points)), probabilities.argmax(axis=1)] = True
    return [tuple(np.flatnonzero(column).tolist()) for column in member.T if column.any()]


def _one_thread() -> AbstractContextManager[object]:
    """On matrices as small as these, threads wait for each other twenty times as long as they work."""
    limits: AbstractContextManager[object] = _threads().limit(limits=1)
    return limits


@cache
def _threads() -> Any:
    import sklearn.mixture  # noqa: F401 (its threads are only found once it is loaded)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def reduced(vectors: Vectors) -> NDArray[np.float64]:
    """The vectors in few dimensions, by principal components."""
    from sklearn.decomposition import PCA

    dimensions = min(DIMENSIONS, len(vectors) - 2, vectors.shape[1])
    found: NDArray[np.float64] = PCA(dimensions, random_state=0).fit_transform(vectors.astype(np.float64))
    return found


def best_mixture(points: NDArray[np.float64]) -> Any:
    """The Gaussian mixture with the lowest BIC; None if nothing is to be told apart.

    Numbers of components are tried at growing distances, then between the neighbours of the best so far. With fewer
    points than it takes to span a component, its likelihood would grow beyond all bounds.
    """
    most = min(MOST_COMPONENTS, len(np.unique(points, axis=0)) // FEW)
    if most < 2:
        return None
    fitted: dict[int, tuple[float, Any]] = {}

    def bic(count: int) -> float:
        if count not in fitted:
            mixture = _fitted(points, count)
            fitted[count] = mixture.bic(points), mixture
        return fitted[count][0]

    rising = 0
    for count in (*(count for count in _TRIED_FIRST if count < most), most):
        best = min(fitted, key=bic, default=count)
        rising = rising + 1 if bic(count) > bic(best) else 0
        if rising == 2:
            break
    while new := [count for count in _between(sorted(fitted), min(fitted, key=bic)) if count not in fitted]:
        for count in new:
            bic(count)
    best = min(fitted, key=bic)
    return fitted[best][1] if best > 1 else None


def _between(tried: Sequence[int], best: int) -> Iterator[int]:
    """The numbers halfway between the best and its neighbours."""
    place = tried.index(best)
    for neighbour in (*tried[max(0, place - 1) : place], *tried[place + 1 : place + 2]):
        yield (best + neighbour) // 2


def _fitted(points: NDArray[np.float64], count: int) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a mixture that is nearly there will do
        # A full covariance has three times the parameters, for which BIC finds hardly any clusters in a few hundred.
        return GaussianMixture(count, covariance_type="diag", random_state=0).fit(points)


def _clusters(vectors: Vectors, threshold: float) -> list[Group]:
    """Clusters within clusters."""
    everything = tuple(range(len(vectors)))
    if len(everything) <= FEW:
        return [everything]
    found: list[Group] = []
    for cluster in soft_clusters(vectors, threshold):
        if len(cluster) <= FEW:
            found.append(cluster)
        else:
            parts = soft_clusters(vectors[list(cluster)], threshold)
            found += [tuple(cluster[row] for row in part) for part in parts]
    return found


def _within_limit(cluster: Group, vectors: Vectors, tokens: Sequence[int], most_tokens: int) -> Iterator[Group]:
    """A cluster, or if it is too large, its parts: none of its nodes is in two of them, as they would multiply."""
    waiting = [cluster]
    while waiting:
        whole = waiting.pop()
        if len(whole) <= 2 or sum(tokens[row] for row in whole) <= most_tokens:
            yield whole
            continue
        parts = _mixed(vectors[list(whole)], _BEST_ONLY, _parts_needed(whole, tokens, most_tokens))
        if len(parts) == 1:
            yield from _runs(whole, tokens, most_tokens)
        else:
            waiting += [tuple(whole[row] for row in part) for part in parts]


def _parts_needed(cluster: Group, tokens: Sequence[int], most_tokens: int) -> int:
    """Into how many parts a cluster has to be split to fit; no more than have two nodes on average."""
    needed = -(-sum(tokens[row] for row in cluster) // most_tokens)
    return min(needed, len(cluster) // 2, MOST_COMPONENTS)


def _runs(cluster: Group, tokens: Sequence[int], most_tokens: int) -> Iterator[Group]:
    """Neighbours that fit together, two at least; the last may be alone."""
    run: list[int] = []
    for row in cluster:
        if len(run) >= 2 and sum(tokens[each] for each in run) + tokens[row] > most_tokens:
            yield tuple(run)
            run = []
        run.append(row)
    yield tuple(run)
