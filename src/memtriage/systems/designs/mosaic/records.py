"""Entries and their statements as they stand in a database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, Protocol

from memtriage.systems.designs.mosaic.kept import Recent
from memtriage.systems.designs.mosaic.statements import Annotation, Statement

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was said, word for word."""

    id: str
    text: str
    role: str = "user"
    session: str = ""
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """An entry and what it says; `gone` if it was forgotten, and then nothing of it is left but its place."""

    entry: Entry
    said: tuple[Statement, ...]
    gone: bool = False

    def forgotten(self) -> Record:
        """What is left when it is forgotten: as many statements as there were, all of them empty."""
        empty = tuple(Statement("", "state", (), frozenset(), leading=each.leading) for each in self.said)
        return Record(Entry("", ""), empty, True)


class Reader(Protocol):
    """The side of a database that keeps entries."""

    def record(self, place: int) -> str: ...
    def records_at(self, places: Sequence[int]) -> list[tuple[int, str]]: ...
    def records(self, start: int = 0) -> list[str]: ...


class Records:
    """Records by place: those that came last in memory, others read when they are needed."""

    MOST = 50_000

    def __init__(self, reader: Reader | None) -> None:
        self._reader = reader
        self._count = 0
        self._new: dict[int, Record] = {}
        self._read: Recent[int, Record] = Recent(self.MOST)
        self._entries: Recent[int, Entry] = Recent(self.MOST)  # of records whose statements nobody asked for

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> Record:
        found = self._new.get(place) or self._read.get(place)
        if found is None:
            if self._reader is None:
                raise IndexError(place)
            found = unpacked(self._reader.record(place))
            self._read.put(place, found)
        return found

    def entry(self, place: int) -> Entry:
        """The entry at a place, without its statements if they aren't in memory."""
        record = self._new.get(place) or self._read.get(place)
        return record.entry if record else self._entries.get(place) or self[place].entry

    def look_ahead(self, places: Sequence[int]) -> None:
        """Read the entries of several places at once, as far as they aren't in memory."""
        if self._reader is None:
            return
        held = (self._new, self._read, self._entries)
        missing = [place for place in places if all(each.get(place) is None for each in held)]
        for place, text in self._reader.records_at(missing) if missing else ():
            self._entries.put(place, unpacked_entry(text))

    def append(self, record: Record) -> None:
        self._new[self._count] = record
        self._count += 1

    def overwrite(self, place: int, record: Record) -> None:
        """Put another record in the place of one."""
        if self._reader is None:
            self._new[place] = record
        else:
            self._entries.drop(place)
            self._read.put(place, record)

    def all(self) -> Iterator[Record]:
        """All records, oldest first."""
        if self._reader is None:
            yield from self._new.values()
        else:
            yield from map(unpacked, self._reader.records())

    def held(self) -> list[Record]:
        """All records of a memory without a database, as they are now."""
        return list(self._new.values())

    def taken(self, count: int) -> None:
        """Begin with so many that are in the database."""
        self._count = count

    def written(self) -> None:
        """Let go of those that needn't be in memory any longer."""
        if self._reader is not None:
            for place, record in self._new.items():
                self._read.put(place, record)
            self._new = {}


def packed(record: Record) -> str:
    """A record as JSON."""
    entry = record.entry
    kept = [[entry.id, entry.text, entry.role, entry.session, entry.at], [_packed(each) for each in record.said]]
    text = json.dumps([*kept, True] if record.gone else kept, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which no database takes as it is
        text = json.dumps(json.loads(text), separators=(",", ":"))
    return text


def unpacked_entry(text: str) -> Entry:
    """The entry alone from the JSON of its record."""
    entry, _ = _DECODER.raw_decode(text, 1)
    return Entry(*entry)


def unpacked(text: str) -> Record:
    """A record from its JSON."""
    entry, said, *gone = json.loads(text)
    return Record(Entry(*entry), tuple(map(_statement, said)), bool(gone))


def _packed(statement: Statement) -> dict[str, Any]:
    """The fields of a statement that are not as usual."""
    kept = {}
    for name, usual in _USUAL.items():
        value = getattr(statement, name)
        if value != usual and not (name == "about" and value == frozenset(statement.stems)):
            kept[name] = _plain(value)
    return kept


def _statement(kept: dict[str, Any]) -> Statement:
    held = {name: _whole(value) for name, value in kept.items()}
    held.setdefault("stems", ())
    return Statement(**{"text": "", "kind": "state", "about": frozenset(held["stems"])} | held)


def _plain(value: object) -> Any:
    if isinstance(value, frozenset):
        return {"set": sorted(map(_plain, value))}
    if isinstance(value, Annotation):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return [_plain(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


def _whole(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], str):  # most often: words, and nothing else
        return tuple(value)
    if isinstance(value, dict):
        if "set" in value:
            return frozenset(_whole(value["set"]))
        return Annotation(**{name: _whole(each) for name, each in value.items()})
    return tuple(map(_whole, value)) if isinstance(value, list) else value


_DECODER = json.JSONDecoder()
_USUAL: dict[str, Any] = {
    **{each.name: None if each.default is MISSING else each.default for each in fields(Statement)},
    "text": "",
    "kind": "state",
    "stems": (),
}
