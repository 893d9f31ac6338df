"""Every finished call, kept by what was asked: asking the same again costs nothing, in this run or the next.

One SQLite file. A key is a hash over everything that can change a reply; neither prompts nor API keys are kept.
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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from memtriage.core.chat import Call
from memtriage.core.errors import BadInput
from memtriage.models.spec import ModelSpec

log = logging.getLogger(__name__)

T = TypeVar("T")

SCRIPTED_MARK = " (scripted)"
"""What the name of a model ends with where the scripted server answered in its place."""

_TABLE = """
create table if not exists calls (
    key text primary key, text text not null, data text, input integer not null, output integer not null,
    seconds real not null, made_at real not null, model text not null
) without rowid
"""
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
        found: dict[str, CacheEntry] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            for row in self._run(f"select * from calls where key in ({marks})", part):
                if (entry := _entry(row)) is not None:
                    found[row[0]] = entry
        return found

    def put(self, key: str, entry: CacheEntry) -> None:
        """Keep a reply. Once this returns, killing the process no longer loses it."""
        self.put_all({key: entry})

    def put_all(self, entries: Mapping[str, CacheEntry]) -> None:
        """Keep several replies in one step."""
        now = time.time()
        rows = [
            (key, each.text, _json(each.data), each.input, each.output, each.seconds, each.made_at or now, each.model)
            for key, each in entries.items()
        ]
        self._attempt(lambda connection: self._insert(connection, rows))

    def forget(self, keys: Iterable[str] | None = None) -> int:
        """Drop the replies under some keys, or all of them; says how many there were."""
        if keys is None:
            (count,) = self._run("select count(*) from calls")[0]
            self._run("delete from calls")
            self._run("vacuum")
            return int(count)
        before = self.size().entries
        for key in keys:
            self._run("delete from calls where key = ?", [key])
        return before - self.size().entries

    def size(self) -> Size:
        """How many replies are kept, and how much disk they take."""
        if not self.path.exists():
            return Size(0, 0)
        (count,) = self._run("select count(*) from calls")[0]
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

    @staticmethod
    def _insert(connection: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
        with connection:
            connection.execute("begin immediate")
            connection.executemany("insert or replace into calls values (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _attempt(self, step: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                try:
                    return step(self._open())
                except sqlite3.DatabaseError as error:
                    if not _is_broken(error):
                        raise
                    self._start_over()
                    return step(self._open())
            except (sqlite3.Error, OSError) as error:
                raise BadInput(
                    f"the call cache {self.path} can't be used ({error}); free some space, or name another file "
                    "with MEMTRIAGE_CACHE"
                ) from error

    def _open(self) -> sqlite3.Connection:
        # A connection must not be carried over a fork: the child opens its own.
        if self._connection is None or self._pid != os.getpid():
            self._connection = _connect(self.path)
            self._pid = os.getpid()
        return self._connection

    def _start_over(self) -> None:
        """Move a damaged file aside, unless another process has already done so."""
        self.close()
        with _file_lock(self.path):
            if not _is_damaged(self.path):
                return
            aside = _free_name(self.path)
            for file in _files(self.path):
                if file.exists():
                    file.replace(aside.with_name(aside.name + file.name[len(self.path.name) :]))
        note = f"the call cache {self.path} was damaged; it was moved to {aside.name} and a new one begun"
        self.notes.append(note)
        log.warning(note)


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Replies can quote what users said: the file is for its owner only.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=_BUSY_MS / 1000)
    try:
        connection.execute(f"pragma busy_timeout = {_BUSY_MS}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.execute(_TABLE)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_broken(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _BROKEN


def _is_damaged(path: Path) -> bool:
    try:
        connection = _connect(path)
    except sqlite3.DatabaseError as error:
        return _is_broken(error)
    try:
        return bool(connection.execute("pragma quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.DatabaseError as error:
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
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), default=dict)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _json(data: Mapping[str, Any] | None) -> str | None:
    return None if data is None else json.dumps(data, ensure_ascii=False, default=dict)


def _entry(row: tuple[Any, ...]) -> CacheEntry | None:
    """The entry in a row, or None for one that another version wrote otherwise."""
    _, text, data, tokens_in, tokens_out, seconds, made_at, model = row
    try:
        parsed = None if data is None else json.loads(data)
    except ValueError:
        return None
    return CacheEntry(text, tokens_in, tokens_out, seconds, model, parsed, made_at)
