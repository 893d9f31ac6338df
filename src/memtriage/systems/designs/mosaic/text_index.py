"""Entries by their words and their sentences by their meaning. What is added never makes the past be read again."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.retrieval.dense import VectorIndex

Scores = NDArray[np.float32]
Places = NDArray[np.intp]


class WordIndex:
    """Which entries hold a stem, and how often; BM25 over entries and over whole sessions."""

    def __init__(self) -> None:
        self.bags: list[Counter[str]] = []
        self.lengths = array("i")
        self.session_of = array("i")
        self.sessions = 0
        self._holding: dict[str, tuple[array[int], array[int]]] = {}
        self._rarities: dict[str, float] = {}
        self._total = 0

    def __len__(self) -> int:
        return len(self.bags)

    def add(self, stems: Sequence[str], session: int) -> None:
        """Take in the next entry."""
        bag, place = Counter(stems), len(self.bags)
        self._rarities.clear()
        self.bags.append(bag)
        self.lengths.append(len(stems))
        self._total += len(stems)
        self.session_of.append(session)
        self.sessions = max(self.sessions, session + 1)
        for stem, times in bag.items():
            places, counts = self._holding.setdefault(stem, (array("i"), array("i")))
            places.append(place)
            counts.append(times)

    def holding(self, stem: str) -> Sequence[int]:
        """The entries that hold a stem, oldest first."""
        found = self._holding.get(stem)
        return found[0] if found else ()

    def rarity(self, stem: str) -> float:
        """How much a stem tells: BM25's idf."""
        known = self._rarities.get(stem)
        if known is None:
            known = self._rarities[stem] = _rarity(len(self.bags), len(self.holding(stem)))
        return known

    def mass(self, stems: Iterable[str]) -> float:
        """How much several stems tell together."""
        return sum(map(self.rarity, stems))

    def share(self, stems: Iterable[str], among: Iterable[str]) -> float:
        """How much of what some stems tell is told by others too, from 0 to 1."""
        wanted, held = frozenset(stems), frozenset(among)
        whole = self.mass(wanted)
        return self.mass(wanted & held) / whole if whole else 0.0

    def scores(self, asked: Iterable[str]) -> tuple[Scores, Scores]:
        """How well entries and whole sessions fit some stems, each about 0 to 1."""
        count = len(self.bags)
        entries = np.zeros(count, dtype=np.float32)
        sessions = np.zeros(self.sessions, dtype=np.float32)
        if not count:
            return entries, sessions
        session_of = np.frombuffer(self.session_of, dtype=np.int32).copy()
        lengths = np.frombuffer(self.lengths, dtype=np.int32).copy()
        by_session = np.bincount(session_of, lengths, self.sessions)
        norm = 1.2 * (0.4 + 0.6 * lengths / max(1.0, self._total / count))
        session_norm = 1.2 * (0.4 + 0.6 * by_session / max(1.0, self._total / self.sessions))
        most = session_most = 0.0
        for stem in asked:
            held = self._holding.get(stem)
            if held is None:
                most += 0.5 * math.log(1.5 + count)
                session_most += 0.7 * math.log(1.5 + self.sessions)
                continue
            places = np.array(held[0], dtype=np.intp)
            times = np.array(held[1], dtype=np.float32)
            rarity = _rarity(count, len(places))
            most += 0.7 * rarity
            entries[places] += rarity * times / (times + norm[places])
            in_session = np.bincount(session_of[places], times, self.sessions)
            rarity = _rarity(self.sessions, int((in_session > 0).sum()))
            session_most += 0.7 * rarity
            sessions += (rarity * in_session / (in_session + session_norm)).astype(np.float32)
        return entries / (most or 1.0), sessions / (session_most or 1.0)


class SentenceVectors(VectorIndex):
    """Unit vectors of sentences, each belonging to an entry, compared without what all of them have in common."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._unit_length = True
        self.owner = array("i")
        self._sum = np.zeros(embedder.dimensions, dtype=np.float64)

    def __len__(self) -> int:
        return self._count

    def embedded(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts; this may fail, and changes nothing."""
        return self._embed(texts) if texts else self._rows(0)

    def embedded_query(self, text: str) -> Vectors:
        """The unit vector of a question."""
        return self._embed_query(text)

    def add(self, owners: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors of sentences that belong to these entries."""
        self._make_room(self._count + len(owners))
        self._matrix[self._count : self._count + len(owners)] = vectors
        self._count += len(owners)
        self.owner.extend(owners)
        self._sum += vectors.sum(axis=0)

    @property
    def rows(self) -> Vectors:
        """All vectors, oldest first."""
        return self._matrix[: self._count]

    @property
    def owners(self) -> Places:
        """The entry that each vector belongs to."""
        return np.array(self.owner, dtype=np.intp)

    @property
    def mean(self) -> Vectors:
        """What all sentences have in common."""
        return (self._sum / max(1, self._count)).astype(np.float32)

    def likeness(self, vectors: Vectors, only: Places | None = None) -> Vectors:
        """The cosine of sentences with each of some vectors, both taken without the mean of all sentences."""
        mean = self.mean
        rows = self.rows if only is None else self.rows[only]
        wanted = vectors - mean
        wanted /= np.maximum(np.linalg.norm(wanted, axis=-1, keepdims=True), 1e-6)
        products = rows @ np.concatenate([wanted, mean[None]]).T
        lengths = np.sqrt(np.maximum(1 - 2 * products[:, -1] + mean @ mean, 1e-6))
        found: Vectors = (products[:, :-1] - wanted @ mean) / lengths[:, None]
        return found


def _rarity(count: int, holding: int) -> float:
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))
