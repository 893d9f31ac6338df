"""One user's memory in a database: the entries as they came, and what was worked out from them, in parts."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from memtriage.systems.designs.mosaic.kept import LONGEST_KEY, Row, key_of

HIDDEN = b"\0dropped\0"
FORMAT = 1
"""Files of another format can't be read."""
SCHEMA = """
create table mosaic_users (
    number integer primary key, name {bytes} not null unique, version bigint not null, state text not null
);
create table mosaic_entries (
    owner integer not null, place integer not null, id {bytes}, record text not null,
    primary key (owner, place), unique (owner, id)
);
create table mosaic_vectors (owner integer not null, place integer not null, data {bytes} not null,
    primary key (owner, place)
);
create table mosaic_parts (
    owner integer not null, kind text not null, key {bytes} not null, part integer not null, data {bytes} not null,
    primary key (owner, kind, key, part)
){packed};
"""


class Database(ABC):
    """What SQLite and PostgreSQL have in common."""

    where: str
    """The file or the server, as errors name it; without a password."""

    def __init__(self) -> None:
        self._owner = 0
        self._name = b""
        self._name_known = False
        self._inside = False

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def really_gone(self) -> None:
        """Take care that nothing deleted can be read from the disk, as far as the database can do it."""

    @abstractmethod
    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]: ...

    @abstractmethod
    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None: ...

    @abstractmethod
    def _begin(self, writing: bool) -> None: ...

    @abstractmethod
    def _among(self, places: Sequence[int]) -> tuple[str, Any]:
        """The condition that a place is one of several, and its value."""

    def user(self, name: str, state: dict[str, Any]) -> dict[str, Any]:
        """Take up the memory of a user, who is entered with a first state if there is none of that name."""
        key = self._name = key_of(name)
        wanted = "select number, state from mosaic_users where name = ?"
        found = self._all(wanted, (key,))
        if not found:
            with self.writing():
                found = self._all(wanted, (key,)) or self._all(wanted, (_hidden(key),))  # another may have been faster
                if not found:
                    ((number,),) = self._all("select coalesce(max(number), 0) + 1 from mosaic_users")
                    self._all("insert into mosaic_users values (?, ?, 0, ?)", (number, key, json.dumps(state)))
                    found = [(number, json.dumps(state))]
        self._owner = found[0][0]
        known: dict[str, Any] = json.loads(found[0][1])
        return known

    def users(self) -> list[str]:
        """Everybody who has a memory in here."""
        found = self._all("select name from mosaic_users order by number")
        names = [bytes(name) for (name,) in found]
        return [name.decode("utf-8", "replace") for name in names if not name.startswith(HIDDEN)]

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One look at the database: what others write meanwhile is not seen."""
        with self._transaction(False):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One change, which is there as a whole or not at all; nobody else changes this memory meanwhile."""
        with self._transaction(True):
            yield

    @contextmanager
    def _transaction(self, writing: bool) -> Iterator[None]:
        if self._inside:
            yield
            return
        self._begin(writing)
        self._inside = True
        try:
            yield
        except BaseException:
            self._inside = False
            self._rollback()
            raise
        self._inside = False
        self._all("commit")

    @abstractmethod
    def _rollback(self) -> None: ...

    # The user's state

    def version(self) -> int:
        """A number that grows whenever something else than the next entry is written."""
        ((version,),) = self._all("select version from mosaic_users where number = ?", (self._owner,))
        return int(version)

    def state(self) -> dict[str, Any]:
        """What is known of the parts."""
        ((state,),) = self._all("select state from mosaic_users where number = ?", (self._owner,))
        known: dict[str, Any] = json.loads(state)
        return known

    def put_state(self, state: dict[str, Any]) -> None:
        """Write what is known of the parts, as the next version."""
        self._all(
            "update mosaic_users set version = version + 1, state = ? where number = ?",
            (json.dumps(state), self._owner),
        )

    # Entries

    def count(self) -> int:
        """How many entries there are, forgotten ones among them."""
        ((last,),) = self._all("select max(place) from mosaic_entries where owner = ?", (self._owner,))
        return 0 if last is None else int(last) + 1

    def place_of(self, id: str) -> int | None:
        """The place of an entry."""
        found = self._all("select place from mosaic_entries where owner = ? and id = ?", (self._owner, key_of(id)))
        return found[0][0] if found else None

    def places_under(self, start: str) -> list[int]:
        """The places of entries whose ids begin so; of very long ids, of some others too."""
        low = start.encode("utf-8", "surrogatepass")[:LONGEST_KEY]
        found = self._all(
            "select place from mosaic_entries where owner = ? and id >= ? and id < ? order by place",
            (self._owner, low, low[:-1] + bytes([low[-1] + 1])),
        )
        return [place for (place,) in found]

    def append(self, start: int, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Write the next entries: their ids, their records, and the vectors of their sentences."""
        if not self._name_known:
            self._show_name()
        self._many(
            "insert into mosaic_entries values (?, ?, ?, ?)",
            [(self._owner, start + n, key_of(id), record) for n, (id, record, _) in enumerate(entries)],
        )
        self._many(
            "insert into mosaic_vectors values (?, ?, ?)",
            [(self._owner, start + n, data) for n, (_, _, data) in enumerate(entries) if data],
        )

    def overwrite(self, place: int, record: str, vectors: bytes) -> None:
        """Put something else in the place of an entry, without its id."""
        where = (self._owner, place)
        self._all("update mosaic_entries set id = null, record = ? where owner = ? and place = ?", (record, *where))
        self._all("update mosaic_vectors set data = ? where owner = ? and place = ?", (vectors, *where))

    def record(self, place: int) -> str:
        """The record of an entry."""
        found = self._all("select record from mosaic_entries where owner = ? and place = ?", (self._owner, place))
        return str(found[0][0])

    def records_at(self, places: Sequence[int]) -> list[tuple[int, str]]:
        """The records of some entries, by place."""
        condition, value = self._among(places)
        sql = "select place, record from mosaic_entries where owner = ? and "
        return [(place, str(record)) for place, record in self._all(sql + condition, (self._owner, value))]

    def records(self, start: int = 0) -> list[str]:
        """The records of all entries from a place on."""
        found = self._all(
            "select record from mosaic_entries where owner = ? and place >= ? order by place", (self._owner, start)
        )
        return [record for (record,) in found]

    def vectors(self, places: Sequence[int] | None = None, start: int = 0) -> list[tuple[int, bytes]]:
        """The vectors of some entries, or of all from a place on in order."""
        sql = "select place, data from mosaic_vectors where owner = ? and "
        if places is None:
            return [(p, bytes(d)) for p, d in self._all(sql + "place >= ? order by place", (self._owner, start))]
        condition, value = self._among(places)
        return [(p, bytes(d)) for p, d in self._all(sql + condition, (self._owner, value))]

    # Parts

    def read(self, kind: str, key: bytes) -> list[tuple[int, bytes]]:
        """The parts of a list, a column or a link, in order."""
        found = self._all(
            "select part, data from mosaic_parts where owner = ? and kind = ? and key = ? order by part",
            (self._owner, kind, key),
        )
        return [(part, bytes(data)) for part, data in found]

    def read_latest(self, kind: str, key: bytes, size: int) -> list[bytes]:
        """The last parts of a list, in order: as many as have so many bytes together, or all."""
        most = 4
        while True:
            found = self._all(
                "select data from mosaic_parts where owner = ? and kind = ? and key = ? order by part desc limit ?",
                (self._owner, kind, key, most),
            )
            if len(found) < most or sum(len(data) for (data,) in found) >= size:
                return [bytes(data) for (data,) in reversed(found)]
            most *= 4

    def size(self, kind: str, key: bytes) -> int:
        """How many bytes the parts have together."""
        ((size,),) = self._all(
            "select coalesce(sum(length(data)), 0) from mosaic_parts where owner = ? and kind = ? and key = ?",
            (self._owner, kind, key),
        )
        return int(size)

    def write(self, rows: Iterable[Row]) -> None:
        """Write parts, or take them away."""
        kept: list[tuple[Any, ...]] = []
        dropped: list[tuple[Any, ...]] = []
        for kind, key, part, data in rows:
            if data is None:
                dropped.append((self._owner, kind, key, part))
            else:
                kept.append((self._owner, kind, key, part, data))
        self._many(
            "insert into mosaic_parts values (?, ?, ?, ?, ?) "
            "on conflict (owner, kind, key, part) do update set data = excluded.data",
            sorted(kept),
        )
        self._many("delete from mosaic_parts where owner = ? and kind = ? and key = ? and part = ?", dropped)

    def clear(self) -> None:
        """Drop everything of this user."""
        for table in ("mosaic_entries", "mosaic_vectors", "mosaic_parts"):
            self._all(f"delete from {table} where owner = ?", (self._owner,))
        self._all("update mosaic_users set name = ? where number = ?", (_hidden(self._name), self._owner))
        self._name_known = False

    def changed(self) -> None:
        """Know nothing any longer of what others may have changed."""
        self._name_known = False

    def _show_name(self) -> None:
        """List this user again, if everything of theirs had been dropped."""
        self._all(
            "update mosaic_users set name = ? where number = ? and name <> ?", (self._name, self._owner, self._name)
        )
        self._name_known = True


def _hidden(name: bytes) -> bytes:
    """What stands in the place of the name of a user whose memory was dropped, for those who still have it open."""
    return HIDDEN + hashlib.sha256(name).digest()
