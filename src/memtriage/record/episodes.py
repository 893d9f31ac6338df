"""The episodes of a run on disk. Many episodes share sessions, so each distinct session is written once.

episodes/0001.json    facts, probes, and for each session its place in sessions.jsonl and its timestamp; a large one
                      is packed, and ends with .zst
sessions.jsonl        id and turns of each distinct session, a line each
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter

from memtriage.core.episode import Episode, Fact, Point, Probe, Session, Streamed, Turn
from memtriage.core.errors import BadInput
from memtriage.host.files import NotPlain, open_inside, read_inside, write_inside
from memtriage.record.files import PACKED, SESSIONS, Damaged
from memtriage.record.journal import write_failed
from memtriage.record.lines import Lines, pack_bytes, unpack_bytes

_CACHE_BYTES = 128_000_000
"""About how many bytes of sessions a reader keeps in memory."""

_TURN_BYTES = 500
"""About what a turn takes in memory beside its text."""

_LARGE = 256 << 10
"""An episode's file up to this size stays plain."""


@dataclass(frozen=True, slots=True)
class _SessionPlace:
    """Where an episode's session is stored: its line's first byte, a prefix of that line's hash, and its timestamp."""

    at: int
    sha256: str
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class _EpisodeFile:
    """An episode as its file stores it."""

    id: str
    task: str
    sessions: tuple[_SessionPlace, ...]
    facts: tuple[Point | Fact, ...]
    probes: tuple[Probe, ...]
    coarse: tuple[_SessionPlace, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class _SessionLine:
    """A session as a line of sessions.jsonl stores it: without its time."""

    id: str
    turns: tuple[Turn, ...]


_EPISODE_FILE = TypeAdapter(_EpisodeFile)
_SESSION_LINE = TypeAdapter(_SessionLine)


def write_episodes(path: Path, episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    """Write episodes one by one into a run directory; returns their entries for the manifest."""
    entries: list[dict[str, Any]] = []
    seen: set[str] = set()
    try:
        with open_inside(path, SESSIONS, "w") as file:
            writer = _SessionWriter(file)
            for number, episode in enumerate(episodes, start=1):
                if episode.id in seen:
                    raise BadInput(f"episode {episode.id!r} occurs twice")
                seen.add(episode.id)
                entries.append(_entry(path, f"{number:04}.json", episode, writer))
    except OSError as error:
        raise write_failed(path / SESSIONS, error) from error
    return entries


def _entry(path: Path, file: str, episode: Episode, writer: _SessionWriter) -> dict[str, Any]:
    streamed = isinstance(episode.sessions, Streamed)  # what is made anew each time is never the same object again
    places = tuple(writer.put(session, keep=not streamed) for session in episode.sessions)
    coarse = tuple(map(writer.put, episode.coarse))
    stored = _EpisodeFile(episode.id, episode.task, places, episode.facts, episode.probes, coarse, episode.language)
    raw = _EPISODE_FILE.dump_json(stored, exclude={"language"} if episode.language == "en" else None)
    if len(raw) > _LARGE:
        raw, file = pack_bytes(raw), file + PACKED
    write_inside(path, f"episodes/{file}", raw, masked=False)
    counts = {"sessions": len(episode.sessions), "facts": len(episode.facts), "probes": len(episode.probes)}
    return {
        "id": episode.id,
        "task": episode.task,
        "file": file,
        "sha256": hashlib.sha256(raw).hexdigest(),
        **counts,
    }


class _SessionWriter:
    """Writes each distinct session once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0
        self._places: dict[bytes, int] = {}
        self._by_turns: dict[tuple[str, int], tuple[Sequence[Turn], int, str]] = {}

    def put(self, session: Session, keep: bool = True) -> _SessionPlace:
        known = self._by_turns.get((session.id, id(session.turns)))
        if known is not None:  # the same object again; `_by_turns` keeps it alive, so its id stays unique
            return _SessionPlace(known[1], known[2], session.timestamp)
        raw = _SESSION_LINE.dump_json(_SessionLine(session.id, tuple(session.turns))) + b"\n"
        digest = hashlib.sha256(raw).digest()
        at = self._places.get(digest)
        if at is None:
            at = self._places[digest] = self._end
            self._file.write(raw)
            self._end += len(raw)
        if len(self._by_turns) >= 50_000:
            self._by_turns.clear()
        if keep:
            self._by_turns[session.id, id(session.turns)] = (session.turns, at, _short(digest))
        return _SessionPlace(at, _short(digest), session.timestamp)


def _short(digest: bytes) -> str:
    return digest.hex()[:32]


class EpisodeReader:
    """Reads the episodes of a run; episodes that share a session share its turns in memory."""

    def __init__(self, path: Path, entries: Iterable[Mapping[str, Any]]) -> None:
        self._path = path
        self._entries = {entry["id"]: entry for entry in entries}
        self._file: Lines | None = None
        self._cache: OrderedDict[int, tuple[_SessionLine, str, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Episode]:
        return (self.read(id) for id in self._entries)

    def has(self, id: str) -> bool:
        return id in self._entries

    def read(self, id: str) -> Episode:
        """One episode, checked against the hash in the manifest."""
        stored = self._stored(id)
        try:
            with self._lock:
                sessions = tuple(map(self._session, stored.sessions))
                coarse = tuple(map(self._session, stored.coarse))
            return Episode(stored.id, stored.task, sessions, stored.facts, stored.probes, coarse, stored.language)
        except (ValueError, BadInput) as error:
            raise self._damaged(id, error) from error

    def probes(self, id: str) -> tuple[Probe, ...]:
        """What an episode asks; no session is read for it."""
        return self._stored(id).probes

    def digest(self, id: str) -> str:
        """A hash of what an episode tells and asks, wherever in which run it stands; no session is read for it."""
        stored = self._stored(id)
        sessions, coarse = (
            tuple(replace(place, at=0) for place in places) for places in (stored.sessions, stored.coarse)
        )
        # without defaults, so that a field which later versions add changes nothing where it isn't used
        content = _EPISODE_FILE.dump_json(replace(stored, sessions=sessions, coarse=coarse), exclude_defaults=True)
        return hashlib.sha256(content).hexdigest()

    def refuse_other(self) -> None:
        """Refuse files that don't have their hash in the manifest."""
        for id in self._entries:
            self._raw(id)

    def _raw(self, id: str) -> bytes:
        entry = self._entries[id]
        path = self._path / "episodes" / entry["file"]
        try:
            raw = read_inside(self._path, f"episodes/{entry['file']}")
        except NotPlain:
            raise
        except OSError as error:
            raise Damaged(path, f"it can't be read: {error.strerror}") from error
        if hashlib.sha256(raw).hexdigest() != entry["sha256"]:
            raise _changed(path)
        return raw

    def _stored(self, id: str) -> _EpisodeFile:
        entry, raw = self._entries[id], self._raw(id)
        try:
            stored = _EPISODE_FILE.validate_json(unpack_bytes(raw) if entry["file"].endswith(PACKED) else raw)
            if (stored.id, len(stored.sessions), len(stored.probes)) != (id, entry["sessions"], entry["probes"]):
                raise ValueError("it is another episode than run.json says")
        except (ValueError, BadInput) as error:
            raise self._damaged(id, error) from error
        return stored

    def _damaged(self, id: str, error: Exception) -> Damaged:
        return Damaged(self._path / "episodes" / self._entries[id]["file"], " ".join(str(error).split()))

    def _session(self, place: _SessionPlace) -> Session:
        cached = self._cache.get(place.at)
        if cached is None:
            cached = self._fetch(place.at)
        else:
            self._cache.move_to_end(place.at)
        line, sha, _ = cached
        if sha != place.sha256:
            raise _changed(self._path / SESSIONS)
        return Session(line.id, line.turns, place.timestamp)

    def _fetch(self, at: int) -> tuple[_SessionLine, str, int]:
        path = self._path / SESSIONS
        try:
            if self._file is None:
                self._file = Lines(path)
            raw = self._file.at(at)
        except NotPlain:
            raise
        except ValueError as error:
            raise _changed(path) from error
        except OSError as error:
            raise Damaged(path, f"it can't be read: {error.strerror}") from error
        sha = _short(hashlib.sha256(raw).digest())
        try:
            line = _SESSION_LINE.validate_json(raw)
        except ValueError as error:
            raise _changed(path) from error
        cached = (line, sha, len(raw) + _TURN_BYTES * len(line.turns))
        self._cache[at] = cached
        self._bytes += cached[2]
        while self._bytes > _CACHE_BYTES and len(self._cache) > 1:
            self._bytes -= self._cache.popitem(last=False)[1][2]
        return cached

    def close(self) -> None:
        self._cache.clear()
        self._bytes = 0
        if self._file is not None:
            self._file.close()
            self._file = None


def _changed(path: Path) -> Damaged:
    return Damaged(path, "it was changed after the run began")
