"""The memories of a session, worked out once for all the stores that hold it.

Every question of a long benchmark has a store of its own, and their histories have most sessions in common: the same
turns (one tuple), under other dates. Such a session is cut, read and embedded once; a store only points at what came
of it. What is kept is bounded in bytes; what was not used for the longest time goes first.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import groupby, repeat
from operator import attrgetter
from pathlib import Path
from sys import getsizeof
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memtriage.core.episode import Session, Turn, Turns
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Memory
from memtriage.systems.retrieval.units import Granularity, Scores, Settings, UnitStore, cut, newest_first, turn_name

try:
    from memtriage.systems.retrieval._compiled import said
except ImportError:  # without a compiler, nothing of it was built
    said = None  # type: ignore[assignment]

MOST_BYTES = 128 << 20
ROLES = ("all", "user")

_MOST_IDS = 1 << 20
"""So many ids of sessions are remembered."""

_FIXED = (tuple, Turns)

_ENTRY = 300
"""Bytes that a memory takes beside its text: itself, its id, its sources, and its place in lists."""

Make = Callable[[list[str]], "Packed"]
Key = tuple[int, str, str]
Row = tuple[str, str, tuple[str, ...]]
"""Id, text and sources of a memory."""


class Packed(NamedTuple):
    """Data about each of some texts, end to end, and how many bytes each has (as the bytes of an int32 array)."""

    data: bytes
    sizes: bytes


class Block:
    """A session's memories, without a date, and by kind what was worked out about their texts.

    It holds on to the turns: as long as it is there, no other turns can be where these are in memory. Where a memory
    is a turn or a session, it is only built when somebody wants to see it.
    """

    __slots__ = ("_memories", "_places", "_session", "_whole", "packed", "texts", "turns")

    def __init__(self, session: Session, granularity: Granularity, roles: str) -> None:
        self.turns = session.turns
        self.packed: dict[str, Packed] = {}
        self._session = session.id
        self._whole = granularity.kind == "session"
        self._places: Sequence[int] = ()
        self._memories: Sequence[Memory] = ()
        if self._whole or granularity.kind == "turn":
            self._places, self.texts = _said(session.turns, roles)
            if self._whole and self.texts:
                self.texts = [_joined(session.turns, self._places, self.texts, roles)]
        else:
            self._memories = cut(_spoken(session, roles), granularity)
            self.texts = [memory.text for memory in self._memories]

    @classmethod
    def of(cls, memories: Sequence[Memory]) -> Block:
        """A block of memories that were cut before."""
        block = cls(Session("", ()), Granularity("session"), "all")
        block._memories, block.texts = memories, [memory.text for memory in memories]
        return block

    def __len__(self) -> int:
        return len(self.texts)

    def row(self, place: int) -> Row:
        """One of its memories, but for its date."""
        if self._memories:
            memory = self._memories[place]
            return memory.id, memory.text, memory.sources
        turns, places = self.turns, self._places
        if self._whole:
            return self._session, self.texts[place], tuple(_ids(turns, places))
        id = turns.id(places[place]) if type(turns) is Turns else turns[places[place]].id
        return (id if id.startswith(self._session) else turn_name(self._session, id)), self.texts[place], (id,)

    def dated(self, date: str | None) -> list[Memory]:
        """The memories as of a session with this date."""
        rows = list(map(self.row, range(len(self.texts))))
        return _memories(rows, repeat(date), repeat(None))


class _Parts:
    """What was made for all texts of some blocks, and where each block's part of it is."""

    def __init__(self, made: Packed, blocks: Sequence[Block]) -> None:
        self._made = made
        self._places = dict(zip(blocks, range(len(blocks)), strict=True))
        texts = np.cumsum([0, *map(len, blocks)], dtype=np.intp)
        data = np.cumsum(np.frombuffer(b"\0\0\0\0" + made.sizes, dtype=np.int32), dtype=np.intp)
        self._texts, self._data = texts.tolist(), data[texts].tolist()

    def of(self, blocks: Sequence[Block]) -> Iterator[Packed]:
        """The parts of these blocks, as few as there can be."""
        first = behind = self._places[blocks[0]]
        for place in map(self._places.__getitem__, blocks):
            if place != behind:  # as where a block stands there twice
                yield self._between(first, behind)
                first = behind = place
            behind += 1
        yield self._between(first, behind)

    def _between(self, first: int, behind: int) -> Packed:
        data, texts = self._data, self._texts
        return Packed(
            self._made.data[data[first] : data[behind]], self._made.sizes[4 * texts[first] : 4 * texts[behind]]
        )


class Blocks:
    """The blocks that were used lately, within so many bytes; safe to use from several threads.

    Only those of sessions that came before as the same turns are kept: where hardly any does, keeping them all would
    take more time than it saves.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = most
        self.bytes = 0
        self._came: dict[tuple[str, str], int] = {}
        self._known: OrderedDict[Key, Block] = OrderedDict()
        self._weights: dict[Block, int] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known)

    def of(self, session: Session, granularity: Granularity, roles: str, variant: str) -> Block:
        """The block of a session; `variant` names the granularity and the roles."""
        name = session.id, variant
        key = id(session.turns), *name
        if self._came.get(name) != key[0]:
            if len(self._came) >= _MOST_IDS:
                self._came.clear()
            self._came[name] = key[0]
            return Block(session, granularity, roles)
        block = self._known.get(key)
        if block is not None:
            self._used(key)
            return block
        block = Block(session, granularity, roles)
        if type(session.turns) in _FIXED:  # anything else may change behind its address
            self._keep(key, block)
        return block

    def packed(self, blocks: Sequence[Block], kind: str, make: Make) -> list[Packed]:
        """What `make` gives for the texts of these blocks, in order; it is asked for those of which it isn't known.

        What is new and won't be asked for again comes in pieces of many blocks.
        """
        new = [block for block in dict.fromkeys(blocks) if kind not in block.packed]
        if not new:
            return [block.packed[kind] for block in blocks]
        made = make([text for block in new for text in block.texts])
        kept = [block for block in new if block in self._weights]
        alone = len(new) == len(blocks)
        if alone and not kept:
            return [made]
        parts = _Parts(made, new)
        for block in kept:
            self._add(block, kind, next(parts.of([block])))
        if alone:
            return [made]
        pieces: list[Packed] = []
        for known, group in groupby(blocks, key=lambda block: kind in block.packed):
            together = list(group)
            pieces += [block.packed[kind] for block in together] if known else parts.of(together)
        return pieces

    def clear(self) -> None:
        with self._lock:
            self._came.clear()
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
        turns = block.turns
        size = turns.size if type(turns) is Turns else sum([len(turn.text) for turn in turns])
        weight = 2 * size + _ENTRY * (1 + len(block))
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
        return sum([len(block.texts) for block in self.blocks])

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
            self._ends = np.cumsum([len(block.texts) for block in self.blocks], dtype=np.intp)
        which = np.searchsorted(self._ends, order, side="right")
        of_block = which.tolist()
        places = (order - self._ends[which]).tolist()  # from the end of each block
        rows = [self.blocks[i].row(place) for i, place in zip(of_block, places, strict=True)]
        return _memories(rows, [self._dates[i] for i in of_block], scores[order].tolist())

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
        of_a_date = [(date, list(group)) for date, group in groupby(memories, key=attrgetter("created_at"))]
        self.blocks = [Block.of(group) for _, group in of_a_date]
        self._dates = [date for date, _ in of_a_date]
        self._ends = None
        self._memories, self._blocks_listed = [], 0

    def _stamp(self, settings: Settings) -> Settings:
        return settings if self.roles == "all" else {**settings, "roles": self.roles}


_new = object.__new__
_PUT = [getattr(Memory, field.name).__set__ for field in fields(Memory)]


def _memories(rows: Sequence[Row], dates: Iterable[str | None], scores: Iterable[float | None]) -> list[Memory]:
    """Memories. A ranking may hold everything, and one field of all at a time takes a third of what a frozen class
    takes to set its own fields."""
    memories = list(map(_new, repeat(Memory, len(rows))))
    ids, texts, sources = zip(*rows, strict=True) if rows else ((), (), ())
    for put, values in zip(_PUT, (ids, texts, dates, sources, scores, repeat("")), strict=True):
        deque(map(put, memories, values), maxlen=0)  # as quick as a loop in C
    return memories


def _said(turns: Sequence[Turn], roles: str) -> tuple[Sequence[int], list[str]]:
    """Where the turns are that these roles said, and what they say; turns without text are left out."""
    if said is not None and roles != "all" and type(turns) is Turns and type(turns.roles) is list:
        return said(turns.roles, turns.texts, roles)
    texts = _texts(turns)
    places: Sequence[int] = range(len(texts))
    if roles != "all":
        said_by = turns.roles if type(turns) is Turns else [turn.role for turn in turns]
        places = [place for place, role in enumerate(said_by) if role == roles]
        texts = [texts[place] for place in places]
    if not all(texts) or any(map(str.isspace, texts)):
        kept = [n for n, text in enumerate(texts) if text and not text.isspace()]
        places, texts = [places[n] for n in kept], [texts[n] for n in kept]
    return places, list(texts)


def _joined(turns: Sequence[Turn], places: Sequence[int], texts: Sequence[str], roles: str) -> str:
    """The text of a session of these turns alone, as `Session.text` gives it."""
    if len(texts) == 1:
        return texts[0]
    if roles != "all":
        return f"{roles}: " + f"\n{roles}: ".join(texts)
    said_by = turns.roles if type(turns) is Turns else [turn.role for turn in turns]
    return "\n".join([f"{said_by[place]}: {text}" for place, text in zip(places, texts, strict=True)])


def _texts(turns: Sequence[Turn]) -> Sequence[str]:
    return turns.texts if type(turns) is Turns else [turn.text for turn in turns]


def _ids(turns: Sequence[Turn], places: Sequence[int]) -> list[str]:
    return turns.ids(places) if type(turns) is Turns else [turns[place].id for place in places]


def _spoken(session: Session, roles: str) -> Session:
    """The part of a session that these roles said."""
    if roles == "all":
        return session
    return Session(session.id, tuple([turn for turn in session.turns if turn.role == roles]), session.timestamp)
