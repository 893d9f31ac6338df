"""Outcomes counted within their clusters, in little memory however many there are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable
from functools import lru_cache

_DIGEST = 16
_ENTRY = _DIGEST + 1


class ClusterCounts:
    """Outcomes of several kinds, counted within clusters: 17 bytes for each, a digest of its cluster and its kind.

    They are kept in parts by the first byte of the digest, so that only a part of the clusters is counted at once.
    """

    def __init__(self, kinds: int) -> None:
        self._kinds = kinds
        self._parts: dict[int, bytearray] = {}

    def add(self, cluster: Hashable, kind: int) -> None:
        """Count an outcome; kinds are numbered from 0."""
        digest = _digest(cluster)
        part = self._parts.get(digest[0] & 63)
        if part is None:
            part = self._parts[digest[0] & 63] = bytearray()
        part += digest
        part.append(kind)

    def alike(self) -> Counter[tuple[int, ...]]:
        """How many clusters have the same number of outcomes of each kind."""
        found: Counter[tuple[int, ...]] = Counter()
        for part in self._parts.values():
            clusters: dict[bytes, list[int]] = {}
            for start in range(0, len(part), _ENTRY):
                digest = bytes(part[start : start + _DIGEST])
                counts = clusters.get(digest)
                if counts is None:
                    counts = clusters[digest] = [0] * self._kinds
                counts[part[start + _DIGEST]] += 1
            found.update(map(tuple, clusters.values()))
        return found


@lru_cache(maxsize=4096)  # the probes of a cluster come one after the other
def _digest(cluster: Hashable) -> bytes:
    return hashlib.blake2b(repr(cluster).encode(), digest_size=_DIGEST).digest()
