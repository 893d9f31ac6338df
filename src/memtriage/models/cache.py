"""Every finished call, kept by what was asked: asking the same again costs nothing, in this run or the next.

One SQLite file. A key is a hash over everything that can change a reply; neither prompts nor API keys are kept. Each
reply carries a seal over all that is kept of it: one that was damaged is never used, but asked for again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from memtriage.core.chat import Call
from memtriage.core.errors import BadInput
from memtriage.host.files import make_private
from memtriage.host.masks import mask, mask_json
from memtriage.models.claims import has_ended
from memtriage.models.spec import ModelSpec
from memtriage.text.words import well_formed

log = logging.getLogger(__name__)

T = TypeVar("T")

SCRIPTED_MARK = " (scripted)"
"""What the name of a model ends with where the scripted server answered in its place."""

_VERSION = 2
_COLUMNS = """
    key text primary key, text text not null, data text, input integer not null, output integer not null,
    seconds real not null, made_at real not null, model text not null"""
_REPLIES = f"create table replies ({_COLUMNS}, seal text not null) without rowid"
_CLAIMS = "create table claims (key text primary key, who text not null, until real not null) without rowid"
_OLD = f"create table calls ({_COLUMNS}\n) without rowid"
"""How earlier versions kept replies, without a seal."""

_MOST = (1 << 63) - 1
"""The largest number that fits into a column."""

_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY_MS = 30_000


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One finished call. `model` is the name under which the endpoint says it answered."""

    text: str
    input: int
    output: int
    seconds: float
    model: str = ""
    data: Mapping[str, Any] | None = None
    made_at: float = 0.0


class Found(NamedTuple):
    """Replies by their keys, and how many others were damaged; these are removed."""

    entries: dict[str, CacheEntry]
    damaged: int


@dataclass(frozen=True, slots=True)
class Size:
    """How much a cache holds."""

    entries: int
    bytes: int


def default_path() -> Path:
    """Where calls are kept unless a path is given: MEMTRIAGE_CACHE, or the user's cache folder."""
    if own := os.environ.get("MEMTRIAGE_CACHE", "").strip():
        return Path(own).expanduser()
    root = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(root) if root else Path.home() / ".cache") / "memtriage" / "calls.sqlite"


def call_key(spec: ModelSpec, call: Call) -> str:
    """The name under which a call's reply is kept. Who asks, and what for, is not part of it."""
    return _digest(
        {
            "what": "chat",
            "endpoint": spec.endpoint,
            "model": spec.model,
            "settings": spec.settings.given(),
            "messages": [[message.role, message.content] for message in call.messages],
            "schema": None if call.schema is None else [call.schema.name, call.schema.json],
            "max_tokens": call.max_tokens,
            "repeat": call.repeat,
        }
        | ({} if call.temperature is None else {"temperature": call.temperature})
    )


def embedding_key(spec: ModelSpec, text: str, more: Mapping[str, Any] | None = None) -> str:
    """The name under which a text's vector is kept; `more` is what else was asked for, such as dimensions."""
    asked = {"what": "embedding", "endpoint": spec.endpoint, "model": spec.model, "text": text}
    return _digest(asked | ({"more": more} if more else {}))


def relay_key(spec: ModelSpec, path: str, body: Mapping[str, Any], repeat: int = 0) -> str:
    """The name under which the reply to a library's request is kept: everything the request says counts."""
    return _digest(
        {
            "what": path,
            "endpoint": spec.endpoint,
            "model": spec.model,
            "settings": spec.settings.given(),
            "body": body,
            "repeat": repeat,
        }
    )


class Cache:
    """Finished calls in one file, for any number of threads and processes. Nothing is opened until it is used."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self.notes: list[str] = []
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._lock = threading.RLock()

    def get(self, key: str) -> CacheEntry | None:
        """The reply kept under a key."""
        return self.get_all([key]).get(key)

    def get_all(self, keys: Sequence[str]) -> dict[str, CacheEntry]:
        """The replies kept under several keys; keys without one are left out."""
        return self.look_up(keys).entries

    def look_up(self, keys: Sequence[str]) -> Found:
        """The replies kept under several keys; damaged ones are removed, and counted."""
        entries: dict[str, CacheEntry] = {}
        damaged = 0
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            for row in self._attempt(partial(_rows, keys=part)):
                if (entry := _entry(row)) is not None and row[0] in part:  # a torn index finds other rows
                    entries[row[0]] = entry
                else:
                    damaged += 1
        if damaged:
            removed = self._attempt(lambda connection: _remove_damaged(connection, keys))
            self._start_over(surely=not removed)
            replies = "1 damaged reply" if damaged == 1 else f"{damaged} damaged replies"
            log.warning(f"found {replies} in the call cache {self.path}; asking for them again")
        return Found(entries, damaged)

    def put(self, key: str, entry: CacheEntry) -> None:
        """Keep a reply. Once this returns, killing the process no longer loses it."""
        self.put_all({key: entry})

    def put_all(self, entries: Mapping[str, CacheEntry]) -> None:
        """Keep several replies in one step."""
        now = time.time()
        rows = [_row(key, entry, now) for key, entry in entries.items()]
        self._attempt(lambda connection: _insert(connection, rows))

    def claim(self, keys: Sequence[str], who: str, until: float) -> bool:
        """Claim some calls, all or none; False while somebody else has one of them."""
        if self._attempt(lambda connection: _is_claimed(connection, keys)):
            return False
        return self._attempt(lambda connection: _claim(connection, keys, who, until))

    def renew(self, who: str, until: float) -> None:
        """Let somebody's claims last longer."""
        self._run("update claims set until = ? where who = ?", [until, who])

    def release(self, who: str) -> None:
        """End somebody's claims."""
        self._run("delete from claims where who = ?", [who])

    def forget(self, keys: Iterable[str] | None = None) -> int:
        """Drop the replies under some keys, or all of them; says how many there were."""
        if keys is None:
            (count,) = self._run("select count(*) from replies")[0]
            self._run("delete from replies")
            self._run("vacuum")
            return int(count)
        before = self.size().entries
        for key in keys:
            self._run("delete from replies where key = ?", [key])
        return before - self.size().entries

    def size(self) -> Size:
        """How many replies are kept, and how much disk they take."""
        if not self.path.exists():
            return Size(0, 0)
        (count,) = self._run("select count(*) from replies")[0]
        return Size(int(count), sum(file.stat().st_size for file in _files(self.path) if file.exists()))

    def close(self) -> None:
        """Close the file; using the cache again opens it again."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._attempt(lambda connection: connection.execute(statement, values).fetchall())

    def _attempt(self, step: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                try:
                    return step(self._open())
                except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                    if not _is_broken(error):
                        raise
                    self._start_over()
                    return step(self._open())
            except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
                raise BadInput(
                    f"the call cache {self.path} can't be used ({error}); free some space, move it away, or name "
                    "another file with MEMTRIAGE_CACHE"
                ) from error

    def _open(self) -> sqlite3.Connection:
        # A connection must not be carried over a fork: the child opens its own.
        if self._connection is None or self._pid != os.getpid():
            self._connection = _connect(self.path)
            self._pid = os.getpid()
        return self._connection

    def _start_over(self, surely: bool = False) -> None:
        """Move a damaged file aside and keep what is whole in it, unless it is sound, or another process did so."""
        with self._lock, _file_lock(self.path):
            self.close()
            if not surely and not _is_damaged(self.path):
                return
            aside = _free_name(self.path)
            for file in _files(self.path):
                if file.exists():
                    file.replace(aside.with_name(aside.name + file.name[len(self.path.name) :]))
            with closing(_connect(self.path)) as connection:
                _insert(connection, _whole_rows(aside))
        note = f"the call cache {self.path} was damaged; it was moved to {aside.name}, and what was whole in it is kept"
        self.notes.append(note)
        log.warning(note)


def _connect(path: Path) -> sqlite3.Connection:
    # Replies can quote what users said: the file is for its owner only, and so is a folder made for it.
    make_private(path.parent)
    # Only a new file may be opened beside SQLite: closing it drops this process's locks on it, all connections' alike,
    # and whoever then takes itself for the last one to leave would remove the log that others are writing.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=_BUSY_MS / 1000)
    try:
        connection.execute(f"pragma busy_timeout = {_BUSY_MS}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.text_factory = _decoded
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or make sure that they are ours. The replies of an earlier version are taken over, once."""
    if _version(connection) == _VERSION and _is_ours(connection):
        return
    with connection:
        connection.execute("begin immediate")
        version = _version(connection)
        if version > _VERSION:
            raise BadInput(
                f"the call cache {path} is of a newer memtriage; update memtriage, or name another file with "
                "MEMTRIAGE_CACHE"
            )
        if _is_ours(connection) and version == _VERSION:  # another process was faster
            return
        if _definitions(connection, "replies", "claims"):
            raise _OtherTables("its tables are not those of a call cache")
        connection.execute(_REPLIES)
        connection.execute(_CLAIMS)
        if version == 0 and _definitions(connection, "calls") == [_words(_OLD)]:
            rows = connection.execute("select * from calls")
            _put_rows(connection, (_row(row[0], entry) for row in rows if (entry := _plain_entry(row)) is not None))
            connection.execute("drop table calls")
        connection.execute(f"pragma user_version = {_VERSION}")


class _OtherTables(sqlite3.DatabaseError):
    """The file is a database, but not a call cache."""


def _decoded(raw: bytes) -> str:
    """Any text of a file, which may be damaged: one that isn't UTF-8 must not stop a whole query."""
    return raw.decode("utf-8", "surrogateescape")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


def _is_ours(connection: sqlite3.Connection) -> bool:
    """Whether there are our tables, and nothing that does more with them, such as a trigger."""
    return _definitions(connection, "replies", "claims") == sorted([_words(_REPLIES), _words(_CLAIMS)])


def _definitions(connection: sqlite3.Connection, *names: str) -> list[str]:
    marks = ",".join("?" * len(names))
    wanted = f"select sql from sqlite_master where lower(tbl_name) in ({marks}) or lower(name) in ({marks})"
    return sorted(_words(str(sql)) for (sql,) in connection.execute(wanted, [*names, *names]))


def _words(sql: str) -> str:
    return " ".join(sql.lower().split())


def _rows(connection: sqlite3.Connection, keys: Sequence[str]) -> list[Any]:
    marks = ",".join("?" * len(keys))
    return connection.execute(f"select * from replies where key in ({marks})", keys).fetchall()


def _insert(connection: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    with connection:
        connection.execute("begin immediate")
        _put_rows(connection, rows)


def _put_rows(connection: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    connection.executemany("insert or replace into replies values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _whole_rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of a damaged file whose seals fit, as far as it can be read."""
    with (
        suppress(sqlite3.Error, UnicodeDecodeError),
        closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection,
    ):
        connection.text_factory = _decoded
        if _words(_REPLIES) in _definitions(connection, "replies"):
            yield from (row for row in connection.execute("select * from replies") if _entry(row) is not None)


def _remove_damaged(connection: sqlite3.Connection, keys: Sequence[str]) -> bool:
    """Remove the damaged replies among some; False if one of them can't be found by its key any more."""

    def is_damaged(key: str) -> bool:
        return any(_entry(row) is None or row[0] != key for row in _rows(connection, [key]))

    with connection:
        connection.execute("begin immediate")
        damaged = [key for key in keys if is_damaged(key)]  # another process may have put a good one there
        for key in damaged:
            connection.execute("delete from replies where key = ?", [key])
        return not any(map(is_damaged, damaged))


def _is_claimed(connection: sqlite3.Connection, keys: Sequence[str]) -> bool:
    found = connection.execute(
        "select who, until from claims where key in (select value from json_each(?))", [json.dumps(list(keys))]
    )
    return any(not _has_ended(who, until) for who, until in found.fetchall())


def _claim(connection: sqlite3.Connection, keys: Sequence[str], who: str, until: float) -> bool:
    with connection:
        connection.execute("begin immediate")
        if _is_claimed(connection, keys):
            return False
        connection.execute("delete from claims where until < ?", [time.time()])
        connection.executemany("insert or replace into claims values (?, ?, ?)", [(key, who, until) for key in keys])
    return True


def _has_ended(who: Any, until: Any) -> bool:
    return not isinstance(who, str) or not isinstance(until, float) or has_ended(who, until)


def _is_broken(error: Exception) -> bool:
    if isinstance(error, _OtherTables | UnicodeDecodeError):  # the latter comes of a message that quotes the file
        return True
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _BROKEN


def _is_damaged(path: Path) -> bool:
    try:
        connection = _connect(path)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return _is_broken(error)
    try:
        return bool(connection.execute("pragma quick_check(1)").fetchone()[0] != "ok")
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return _is_broken(error)
    finally:
        connection.close()


def _files(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(path.name + ending) for ending in ("", "-wal", "-shm"))


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """One process at a time, where the system has file locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.with_name(path.name + ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            raise BadInput(
                f"the call cache {path} is damaged, and can't be locked to mend it ({error.strerror}); "
                "name a file on another disk with MEMTRIAGE_CACHE"
            ) from error
        yield


def _digest(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), default=dict)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _row(key: str, entry: CacheEntry, now: float = 0.0) -> tuple[Any, ...]:
    """What is kept of an entry, with its seal."""
    entry = _without_keys(entry)
    values = (
        key,
        well_formed(entry.text),
        None if entry.data is None else json.dumps(entry.data, default=dict),
        min(entry.input, _MOST),
        min(entry.output, _MOST),
        float(entry.seconds),
        float(entry.made_at or now),
        well_formed(entry.model),
    )
    return (*values, _seal(values))


def _entry(row: Sequence[Any]) -> CacheEntry | None:
    """The entry in a row, or None for one that was damaged."""
    *values, seal = row
    try:
        return _plain_entry(values) if _seal(values) == seal else None
    except TypeError:  # bytes where a text should be
        return None


def _plain_entry(values: Sequence[Any]) -> CacheEntry | None:
    """The entry in a row without its seal; None if its values are not of their types."""
    if not all(isinstance(value, kind) for value, kind in zip(values, _TYPES, strict=True)):
        return None
    _, text, data, tokens_in, tokens_out, seconds, made_at, model = values
    try:
        parsed = None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        return None
    return _without_keys(CacheEntry(text, tokens_in, tokens_out, seconds, model, parsed, made_at))


_TYPES = (str, str, str | None, int, int, float, float, str)


def _seal(values: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:32]


def _without_keys(entry: CacheEntry) -> CacheEntry:
    """The entry with every key masked; one that was written before the key was known may hold it."""
    text, model, data = mask(entry.text), mask(entry.model), mask_json(entry.data)
    if text is entry.text and model is entry.model and data is entry.data:
        return entry
    return replace(entry, text=text, model=model, data=data)
