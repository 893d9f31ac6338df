"""The memories of a session, worked out once for all the stores that hold it.

Every question of a long benchmark has a store of its own, and their histories have most sessions in common: the same
turns (one tuple), under other dates. Such a session is cut, read and embedded once; a store only points at what came
of it. What is kept is bounded in bytes; what was not used for the longest time goes first.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from sys import getsizeof
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Memory
from memtriage.systems.retrieval.units import Granularity, Scores, Settings, UnitStore, cut, newest_first

MOST_BYTES = 256 << 20
ROLES = ("all", "user")

_ENTRY = 300
"""Bytes that a memory takes beside its text: itself, its id, its sources, and its place in lists."""

Make = Callable[[list[str]], Iterable[bytes]]
Key = tuple[int, str, str]


class Packed(NamedTuple):
    """Data about each memory of a block, end to end, and how many bytes each has (as the bytes of an int32 array)."""

    data: bytes
    sizes: bytes


@dataclass(eq=False, slots=True)
class Block:
    """A session's memories, dated as it was when it first came, and by kind what was worked out about their texts.

    It holds on to the turns: as long as it is there, no other turns can be where these are in memory.
    """

    turns: tuple[Turn, ...]
    date: str | None
    memories: tuple[Memory, ...]
    packed: dict[str, Packed] = field(default_factory=dict)

    def dated(self, date: str | None) -> Sequence[Memory]:
        """The memories as of a session with this date."""
        if date == self.date:
            return self.memories
        return [_copy_with(memory, date, None) for memory in self.memories]


class Blocks:
    """The blocks that were used lately, within so many bytes; safe to use from several threads."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = most
        self.bytes = 0
        self._known: OrderedDict[Key, Block] = OrderedDict()
        self._weights: dict[Block, int] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known)

    def of(self, session: Session, granularity: Granularity, roles: str, variant: str) -> Block:
        """The block of a session; `variant` names the granularity and the roles."""
        key = id(session.turns), session.id, variant
        block = self._known.get(key)
        if block is not None:
            self._used(key)
            return block
        block = Block(session.turns, session.timestamp, tuple(cut(_spoken(session, roles), granularity)))
        if isinstance(session.turns, tuple):  # anything else may change behind its address
            self._keep(key, block)
        return block

    def packed(self, blocks: Sequence[Block], kind: str, make: Make) -> list[Packed]:
        """What `make` gives for the texts of these blocks; it is asked for those of which this kind isn't known yet."""
        new = [block for block in dict.fromkeys(blocks) if kind not in block.packed]
        if new:
            values = iter(make([memory.text for block in new for memory in block.memories]))
            for block in new:
                self._add(block, kind, packed(list(islice(values, len(block.memories)))))
        return [block.packed[kind] for block in blocks]

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._weights.clear()
            self.bytes = 0

    def _used(self, key: Key) -> None:
        if 2 * self.bytes > self.most:  # as long as there is room, it doesn't matter who goes first
            with self._lock:
                if key in self._known:
                    self._known.move_to_end(key)

    def _keep(self, key: Key, block: Block) -> None:
        # The texts count twice, since those of the memories may be others than those of the turns.
        weight = 2 * sum([len(turn.text) for turn in block.turns]) + _ENTRY * (1 + len(block.memories))
        with self._lock:
            if key not in self._known:  # another thread may have been as fast
                self._known[key] = block
                self._weights[block] = weight
                self._grow(weight)

    def _add(self, block: Block, kind: str, new: Packed) -> None:
        with self._lock:
            known = block.packed.setdefault(kind, new)
            if known is new and block in self._weights:
                weight = sum(map(getsizeof, new))
                self._weights[block] += weight
                self._grow(weight)

    def _grow(self, more: int) -> None:
        self.bytes += more
        while self.bytes > self.most:
            _, block = self._known.popitem(last=False)
            self.bytes -= self._weights.pop(block)


BLOCKS = Blocks()


class BlockStore:
    """Memories in the order in which they came, each built when it is first needed; they can be saved and loaded."""

    def __init__(self, granularity: Granularity, roles: str = "all") -> None:
        if roles not in ROLES:
            raise BadInput(unknown("roles", str(roles), ROLES))
        self.granularity, self.roles = granularity, roles
        self.blocks: list[Block] = []
        self._variant = f"{granularity}/{roles}"
        self._dates: list[str | None] = []  # of this store's sessions
        self._ends: NDArray[np.intp] | None = None  # how many memories there are up to each block's end
        self._memories: list[Memory] = []
        self._blocks_listed = 0

    def __len__(self) -> int:
        return sum(len(block.memories) for block in self.blocks)

    @property
    def memories(self) -> list[Memory]:
        """Everything, oldest first."""
        for block, date in zip(self.blocks[self._blocks_listed :], self._dates[self._blocks_listed :], strict=True):
            self._memories += block.dated(date)
        self._blocks_listed = len(self.blocks)
        return self._memories

    def put(self, session: Session) -> None:
        self.blocks.append(BLOCKS.of(session, self.granularity, self.roles, self._variant))
        self._dates.append(session.timestamp)
        self._ends = None

    def best(self, scores: Scores, k: int) -> list[Memory]:
        """The k memories with the highest scores; among equals, the newest first."""
        order = newest_first(scores, k)
        if self._ends is None:
            self._ends = np.cumsum([len(block.memories) for block in self.blocks], dtype=np.intp)
        which = np.searchsorted(self._ends, order, side="right")
        from_end = order - self._ends[which]
        return [
            _copy_with(self.blocks[i].memories[place], self._dates[i], score)
            for i, place, score in zip(which.tolist(), from_end.tolist(), scores[order].tolist(), strict=True)
        ]

    def clear(self) -> None:
        self._fill([])

    def save(self, path: Path, settings: Settings) -> None:
        """Write the memories, and the settings they were kept under, into a directory."""
        UnitStore(self.granularity, self.memories).save(path, self._stamp(settings))

    def load(self, path: Path, settings: Settings) -> None:
        """Read back what `save` wrote; other settings than these are refused."""
        saved = UnitStore(self.granularity)
        saved.load(path, self._stamp(settings))
        self._fill(saved.memories)

    def _fill(self, memories: list[Memory]) -> None:
        of_a_date = [tuple(group) for _, group in groupby(memories, key=attrgetter("created_at"))]
        self.blocks = [Block((), group[0].created_at, group) for group in of_a_date]
        self._dates = [block.date for block in self.blocks]
        self._ends = None
        self._memories, self._blocks_listed = [], 0

    def _stamp(self, settings: Settings) -> Settings:
        return settings if self.roles == "all" else {**settings, "roles": self.roles}


def packed(pieces: Sequence[bytes]) -> Packed:
    """Pieces of data as one."""
    return Packed(b"".join(pieces), array("i", map(len, pieces)).tobytes())


_new = object.__new__
_set_id, _set_text, _set_date, _set_sources, _set_score = (
    getattr(Memory, name).__set__ for name in ("id", "text", "created_at", "sources", "score")
)


def _copy_with(memory: Memory, date: str | None, score: float | None) -> Memory:
    """A memory with another date and score.

    A ranking may hold everything, and this takes half the time that a frozen class takes to set its own fields, and an
    eighth of what `replace` takes.
    """
    copy = _new(Memory)
    _set_id(copy, memory.id)
    _set_text(copy, memory.text)
    _set_date(copy, date)
    _set_sources(copy, memory.sources)
    _set_score(copy, score)
    return copy


def _spoken(session: Session, roles: str) -> Session:
    """The part of a session that these roles said."""
    if roles == "all":
        return session
    return Session(session.id, tuple([turn for turn in session.turns if turn.role == roles]), session.timestamp)
