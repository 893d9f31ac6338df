"""What passages say, as a graph: phrases and passages, joined by triples, by what a passage holds, and by likeness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from memtriage.models.embedders import Vectors
from memtriage.systems.designs.graph import key_of
from memtriage.systems.designs.hipporag.pagerank import Edge, Links, Vector
from memtriage.systems.designs.rules.extraction import SPEAKER

_SPEAKER = key_of(SPEAKER)
_BLOCK = 1024

Key = tuple[str, ...]
"""What a phrase is known by: its words without articles, endings and case."""
Stated = tuple[str, str, str]
"""A triple as it was read: subject, relation, object."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a passage."""

    entities: tuple[str, ...] = ()
    triples: tuple[Stated, ...] = ()

    @property
    def phrases(self) -> Iterator[tuple[Key, str]]:
        """Every phrase with its key, in order; the speaker isn't one."""
        for name in (*self.entities, *(end for subject, _, object in self.triples for end in (subject, object))):
            if (key := key_of(name)) != _SPEAKER:
                yield key, name


class PhraseGraph:
    """Phrases and passages, each numbered as they came, and how they are joined.

    Phrases are alike whose vectors have a cosine of at least `same`.
    """

    def __init__(self, same: float) -> None:
        self.same = same
        self.readings: list[Reading] = []
        self.triples: list[Stated] = []
        self.ends: list[tuple[int, ...]] = []
        """The phrases of each triple; the speaker is none, so there may be one."""
        self.holders: list[set[int]] = []
        """The passages that hold each phrase."""
        self.keys: list[Key] = []
        self.alike: list[Edge] = []
        self._phrase_of: dict[Key, int] = {}
        self._triple_of: dict[Stated, int] = {}
        self._vectors: list[Vectors] = []
        self._compared = 0
        self._links: Links | None = None

    def new_phrases(self, readings: Iterable[Reading]) -> dict[Key, str]:
        """The phrases that aren't here yet, by key, as they are said first."""
        found: dict[Key, str] = {}
        for reading in readings:
            for key, name in reading.phrases:
                if key not in self._phrase_of:
                    found.setdefault(key, name)
        return found

    def new_triples(self, readings: Iterable[Reading]) -> list[Stated]:
        """The triples that aren't here yet."""
        every = dict.fromkeys(stated for reading in readings for stated in reading.triples)
        return [stated for stated in every if stated not in self._triple_of]

    def add(self, readings: Sequence[Reading], vectors: Vectors) -> None:
        """Take in passages by what was read in them, with the vectors of their new phrases."""
        for key in self.new_phrases(readings):
            self._phrase_of[key] = len(self.keys)
            self.keys.append(key)
            self.holders.append(set())
        for passage, reading in enumerate(readings, len(self.readings)):
            for key, _ in reading.phrases:
                self.holders[self._phrase_of[key]].add(passage)
        for stated in self.new_triples(readings):
            self._triple_of[stated] = len(self.triples)
            self.triples.append(stated)
            self.ends.append(self._phrases_of(stated))
        self.readings += readings
        if len(vectors):
            self._vectors.append(vectors)
        self._links = None

    def walk(self, starts: Vector, damping: float) -> Vector:
        """How often a walk from phrases and passages (in this order) is at each passage."""
        return self._joined().pagerank(starts, damping)[len(self.keys) :]

    def compare(self) -> None:
        """Join the phrases that came since the last time with all that are like them; a block at a time."""
        if not self._vectors:
            return
        every = np.concatenate(self._vectors)
        for start in range(self._compared, len(every), _BLOCK):
            block = every[start : start + _BLOCK]
            near = block @ every[: start + len(block)].T >= self.same
            for row, other in zip(*(place.tolist() for place in np.nonzero(near)), strict=True):
                if other < start + row:
                    self.alike.append((start + row, other, float(np.vecdot(block[row], every[other]))))
        self._vectors, self._compared = [every], len(every)

    def _joined(self) -> Links:
        if self._links is None:
            self.compare()
            links, phrases = Links(), len(self.keys)
            said = (self.ends[self._triple_of[stated]] for reading in self.readings for stated in reading.triples)
            links.join((one, other, 1.0) for ends in said for one, other in combinations(ends, 2))
            for phrase, held in enumerate(self.holders):
                links.join((phrase, phrases + passage, 1.0) for passage in sorted(held))
            links.join(self.alike)
            self._links = links
        return self._links

    def _phrases_of(self, stated: Stated) -> tuple[int, ...]:
        keys = dict.fromkeys((key_of(stated[0]), key_of(stated[2])))
        return tuple(self._phrase_of[key] for key in keys if key != _SPEAKER)
