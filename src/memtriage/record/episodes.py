"""The episodes of a run on disk. Sessions recur across episodes, so each distinct one is written once.

episodes/0001.json    facts, probes, and for each session its place in sessions.jsonl and its timestamp
sessions.jsonl        id and turns of each distinct session, a line each
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.errors import BadInput, BadRun
from memtriage.host.files import write_whole
from memtriage.record.journal import full

SESSIONS = "sessions.jsonl"
_HELD = 128_000_000
"""How many bytes of sessions a reader keeps at hand."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A session of an episode: where its line starts, the beginning of that line's hash, and when it was held."""

    at: int
    sha256: str
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class _Laid:
    """An episode as its file holds it."""

    id: str
    task: str
    sessions: tuple[_Place, ...]
    facts: tuple[Fact, ...]
    probes: tuple[Probe, ...]
    coarse: tuple[_Place, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """A session without its time."""

    id: str
    turns: tuple[Turn, ...]


_LAID = TypeAdapter(_Laid)
_SAID = TypeAdapter(_Said)


def write_episodes(path: Path, episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    """Write episodes one by one below a run's directory; gives what its manifest lists of them."""
    entries: list[dict[str, Any]] = []
    seen: set[str] = set()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with (path / SESSIONS).open("wb") as file:
            shelf = _Shelf(file)
            for number, episode in enumerate(episodes, start=1):
                if episode.id in seen:
                    raise BadInput(f"episode {episode.id!r} occurs twice")
                seen.add(episode.id)
                entries.append(_entry(path, f"{number:04}.json", episode, shelf))
    except OSError as error:
        raise full(path / SESSIONS, error) from error
    return entries


def _entry(path: Path, file: str, episode: Episode, shelf: _Shelf) -> dict[str, Any]:
    places = tuple(map(shelf.put, episode.sessions))
    coarse = tuple(map(shelf.put, episode.coarse))
    raw = _LAID.dump_json(_Laid(episode.id, episode.task, places, episode.facts, episode.probes, coarse))
    write_whole(path / "episodes" / file, raw)
    counts = {"sessions": len(episode.sessions), "facts": len(episode.facts), "probes": len(episode.probes)}
    return {
        "id": episode.id,
        "task": episode.task,
        "file": file,
        "sha256": hashlib.sha256(raw).hexdigest(),
        **counts,
    }


class _Shelf:
    """Writes each distinct session once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0
        self._places: dict[bytes, int] = {}
        self._by_turns: dict[tuple[str, int], tuple[tuple[Turn, ...], int, str]] = {}

    def put(self, session: Session) -> _Place:
        known = self._by_turns.get((session.id, id(session.turns)))
        if known is not None:  # the very same turns again; they are held here, so that their address stays theirs
            return _Place(known[1], known[2], session.timestamp)
        raw = _SAID.dump_json(_Said(session.id, session.turns)) + b"\n"
        digest = hashlib.sha256(raw).digest()
        at = self._places.get(digest)
        if at is None:
            at = self._places[digest] = self._end
            self._file.write(raw)
            self._end += len(raw)
        if len(self._by_turns) >= 50_000:
            self._by_turns.clear()
        self._by_turns[session.id, id(session.turns)] = (session.turns, at, _short(digest))
        return _Place(at, _short(digest), session.timestamp)


def _short(digest: bytes) -> str:
    return digest.hex()[:32]


class EpisodeReader:
    """Reads the episodes of a run; sessions that recur are the same turns in memory, too."""

    def __init__(self, path: Path, entries: Iterable[Mapping[str, Any]]) -> None:
        self._path = path
        self._entries = {entry["id"]: entry for entry in entries}
        self._file: BinaryIO | None = None
        self._held: OrderedDict[int, tuple[_Said, str, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Episode]:
        return (self.read(id) for id in self._entries)

    def read(self, id: str) -> Episode:
        """One episode, checked against the hash the manifest holds."""
        entry = self._entries[id]
        path = self._path / "episodes" / entry["file"]
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise BadRun(f"{path}: can't be read: {error.strerror}") from error
        if hashlib.sha256(raw).hexdigest() != entry["sha256"]:
            raise _changed(path)
        laid = _LAID.validate_json(raw)
        with self._lock:
            sessions = tuple(map(self._session, laid.sessions))
            coarse = tuple(map(self._session, laid.coarse))
        return Episode(laid.id, laid.task, sessions, laid.facts, laid.probes, coarse)

    def _session(self, place: _Place) -> Session:
        found = self._held.get(place.at)
        if found is None:
            found = self._fetch(place.at)
        else:
            self._held.move_to_end(place.at)
        said, sha, _ = found
        if sha != place.sha256:
            raise _changed(self._path / SESSIONS)
        return Session(said.id, said.turns, place.timestamp)

    def _fetch(self, at: int) -> tuple[_Said, str, int]:
        path = self._path / SESSIONS
        try:
            if self._file is None:
                self._file = path.open("rb")
            self._file.seek(at)
            raw = self._file.readline()
        except OSError as error:
            raise BadRun(f"{path}: can't be read: {error.strerror}") from error
        sha = _short(hashlib.sha256(raw).digest())
        try:
            found = (_SAID.validate_json(raw), sha, len(raw))
        except ValueError as error:
            raise _changed(path) from error
        self._held[at] = found
        self._bytes += len(raw)
        while self._bytes > _HELD and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1][2]
        return found

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _changed(path: Path) -> BadRun:
    return BadRun(f"{path} was changed after the run began; start a new run instead")
