"""A run is a directory: manifest, episodes, journal, memories, verdicts. This is its one reader and writer.

run.json         everything needed to repeat it
episodes/        what was asked, with the gold facts
sessions.jsonl   what was said: each distinct session once
journal.jsonl    append-only: every store's life, every trace and every answer, flushed as it happens
memories.jsonl   append-only: each distinct memory once, by content key
verdicts.jsonl   one line per probe, system and k (made anew by every diagnosis)
stores.jsonl     one line per store: size, tokens, times
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError

from memtriage.core.episode import Episode
from memtriage.core.errors import BadRun
from memtriage.core.memory import Memory
from memtriage.core.trace import Answer, History, Ingest, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.host.files import write_whole
from memtriage.record.episodes import EpisodeReader, write_episodes
from memtriage.record.journal import Log, damaged, full, line, record_at, records
from memtriage.text.tokens import count_tokens

T = TypeVar("T")

FORMAT = "memtriage.run/2"
_MANIFEST = frozenset(
    "memtriage created command suites seed ks answers looks systems tasks episodes".split()
)  # what readers and resuming rely on

_INGEST = TypeAdapter(Ingest)
_SNAPSHOT = TypeAdapter(Snapshot)
_TRACE = TypeAdapter(Trace)
_ANSWER = TypeAdapter(Answer)
_VERDICT = TypeAdapter(ProbeVerdict)
_STORE = TypeAdapter(StoreSummary)

_KEPT_BYTES = 64 << 20
"""Verdicts of no more bytes than this are kept in memory once they are read."""

Unit = tuple[str, str]
"""One store: a system's label and an episode's id."""

Asked = tuple[str, int, int]
"""One question to an answering model: the probe's id, k and the repeat."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an answer stands in the journal, and whether it is an error."""

    start: int
    failed: bool


@dataclass(slots=True)
class _Seen:
    """Where the journal speaks of one unit."""

    ingests: list[int]
    snapshots: list[int]
    traces: dict[tuple[str, int], int]
    failed: set[tuple[str, int]]
    spoiled: bool = False
    done: bool = False
    notes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    answers: dict[tuple[str, int], dict[tuple[str, int], _Place]] = field(default_factory=dict)

    def forget_errors(self) -> None:
        """Take what ended in an error as not done; a store that lost a session is filled and asked anew."""
        if self.spoiled:
            self.ingests, self.traces = [], {}
        for asked in self.failed:
            self.traces.pop(asked, None)
        self.done = self.done and not self.spoiled and not self.failed


def storings(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """The journal's names for the storings of each system: its label, then `bm25 #2` and so on where it is repeated."""
    grading = manifest.get("grading")
    times = grading["repeats"]["ingest"] if grading else 1
    labels = [system["label"] for system in manifest["systems"] or ()]
    return {label: [label if n == 0 else f"{label} #{n + 1}" for n in range(times)] for label in labels}


def content_key(memory: Memory) -> str:
    """The key of a memory's content; the same id with the same text from the same turns is the same memory.

    When it was made is not part of it: the same session may be held on other days in other episodes.
    """
    content = "\0".join((memory.id, memory.text, *memory.sources)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:20]


class RunReader:
    """A run directory, open for reading. Memories and traces stay on disk; only their places are kept.

    Each file is opened when it is first needed and gone through once. What a `RunWriter` of this reader has written is
    known to it as soon as the writer is closed, so one reader serves a run from its beginning to its report.
    """

    def __init__(self, path: Path, forget_errors: bool = False) -> None:
        self.path = path
        self.manifest = _manifest(path)
        self._forget_errors = forget_errors
        self._storings = {
            n: (label, i) for label, names in storings(self.manifest).items() for i, n in enumerate(names)
        }
        self._journal: BinaryIO | None = None
        self._memories: BinaryIO | None = None
        self._reading = threading.Lock()
        self._episodes = EpisodeReader(path, self.manifest["episodes"] or ())
        self._began: dict[str, Any] | None = None
        self._verdicts: tuple[ProbeVerdict, ...] | None = None
        self._stores: list[StoreSummary] | None = None

    @cached_property
    def _units(self) -> dict[Unit, _Seen]:
        """Where the journal speaks of each store."""
        units: dict[Unit, _Seen] = {}
        for start, record in self._records("journal.jsonl", ("kind",)):
            if record["kind"] == "begin":
                self._began = self._began or record.get("manifest")
            else:
                self._note(units, start, record)
        for seen in units.values() if self._forget_errors else ():
            seen.forget_errors()
        return units

    @cached_property
    def _memory_at(self) -> dict[str, int]:
        """Where each memory stands, by its content key."""
        return {record["key"]: start for start, record in self._records("memories.jsonl", ("key",))}

    @property
    def began(self) -> dict[str, Any] | None:
        """The manifest as it was when the run began; None where nothing was stored yet."""
        _ = self._units
        return self._began

    def _records(self, file: str, needed: Collection[str]) -> Iterator[tuple[int, dict[str, Any]]]:
        path = self.path / file
        for start, record in records(path):
            lacking = next((key for key in needed if key not in record), None)
            if lacking is not None:
                raise damaged(path, start, f"it lacks {lacking!r}")
            yield start, record

    def _note(self, units: dict[Unit, _Seen], start: int, record: Mapping[str, Any]) -> None:
        try:
            self._noted(units, start, record)
        except (KeyError, TypeError) as error:
            raise damaged(self.path / "journal.jsonl", start, f"it lacks {error}") from error

    def _noted(self, units: dict[Unit, _Seen], start: int, record: Mapping[str, Any]) -> None:
        seen = units.setdefault((record["system"], record["episode"]), _Seen([], [], {}, set()))
        match record["kind"]:
            case "ingest":
                seen.ingests.append(start)
                seen.spoiled = bool(record["data"]["error"] or record["data"]["failed"])
            case "snapshot":
                seen.snapshots.append(start)
            case "trace":
                asked = (record["data"]["probe"], record["data"]["k"])
                seen.traces[asked] = start  # asked again after an error: the last time counts
                (seen.failed.add if record["data"]["error"] else seen.failed.discard)(asked)
                seen.answers.pop(asked, None)  # they were given from what an earlier time brought back
            case "answer":
                data = record["data"]
                given = seen.answers.setdefault((data["probe"], data["k"]), {})
                given[data["model"], data["repeat"]] = _Place(start, bool(data["error"]))
            case "done":
                seen.done = True
                seen.notes = tuple(record["data"]["notes"])
                seen.notices = tuple(record["data"].get("notices", ()))

    def take_in(self, journal: Iterable[tuple[int, Mapping[str, Any]]], memories: Mapping[str, int]) -> None:
        """Learn what a writer wrote, each with the place where it starts, as if it had been read from the files."""
        for start, record in journal:
            if record["kind"] == "begin":
                self._began = record["manifest"]
            else:
                self._note(self._units, start, record)
        self._memory_at.update(memories)

    @property
    def units(self) -> list[Unit]:
        """The stores the journal knows, episode by episode as the manifest lists them."""
        place = {entry["id"]: number for number, entry in enumerate(self.manifest["episodes"])}
        systems = {recorded["label"]: number for number, recorded in enumerate(self.manifest["systems"] or ())}
        last = len(place) + len(systems)
        return sorted(self._units, key=lambda unit: (place.get(unit[1], last), systems.get(unit[0], last)))

    def storing(self, name: str) -> tuple[str, int]:
        """The system behind a store's name in the journal, and which of its repeated storings this is, from 0."""
        return self._storings.get(name, (name, 0))

    @property
    def notices(self) -> dict[str, tuple[str, ...]]:
        """What every report has to say about a system, by its label."""
        said: dict[str, dict[str, None]] = {}
        for system, episode in self.units:
            said.setdefault(system, {}).update(dict.fromkeys(self._units[system, episode].notices))
        return {system: tuple(notices) for system, notices in said.items() if notices}

    @property
    def notes(self) -> list[str]:
        """What the stores' lives left to be said; the same of many stores is said once."""
        said: dict[tuple[str, str], list[str]] = {}
        for (system, episode), seen in self._units.items():
            for note in seen.notes:
                said.setdefault((system, note), []).append(episode)
        return [f"{system} on {_several(episodes)}: {note}" for (system, note), episodes in said.items()]

    @property
    def problems(self) -> list[str]:
        """What was wrong with the data, as far as the run could do without it."""
        told = (self.manifest["tasks"] or {}).values()
        return [str(problem) for task in told for problem in task.get("problems") or ()]

    def asked(self, unit: Unit) -> Collection[tuple[str, int]]:
        """The probes and k that were asked of a store already."""
        return self._units[unit].traces.keys() if unit in self._units else ()

    def done(self, unit: Unit) -> bool:
        """Whether nothing is left to do for a store."""
        return unit in self._units and self._units[unit].done

    def history(self, unit: Unit) -> History:
        """A store's life; where it was stored again after a kill, with the snapshots of every time."""
        seen = self._units[unit]
        if seen.ingests:
            ingest = _INGEST.validate_python(self._journal_at(seen.ingests[-1]))
        else:
            ingest = Ingest(sessions=0, seconds=0.0, error="the run was interrupted before anything was stored")
        snapshots = [_SNAPSHOT.validate_python(self._journal_at(at)) for at in seen.snapshots]
        return History(ingest, tuple({snapshot.id: snapshot for snapshot in snapshots}.values()))

    def stored(self, unit: Unit) -> bool:
        """Whether storing was finished, so that only questions are left."""
        return unit in self._units and bool(self._units[unit].ingests)

    def traces(self, unit: Unit) -> Iterator[Trace]:
        """What was asked of a store, one by one from disk."""
        for at in self._units[unit].traces.values():
            yield _TRACE.validate_python(self._journal_at(at))

    def answers(self, unit: Unit, model: str) -> dict[Asked, Answer]:
        """What a model answered to the questions asked of a store, by probe, k and repeat; errors among them."""
        return {
            (probe, k, repeat): _ANSWER.validate_python(self._journal_at(place.start))
            for (probe, k), given in self._answers(unit).items()
            for (by, repeat), place in given.items()
            if by == model
        }

    def answered(self, unit: Unit, model: str) -> set[Asked]:
        """The questions that a model has answered already; those that ended in an error are not among them."""
        return {
            (probe, k, repeat)
            for (probe, k), given in self._answers(unit).items()
            for (by, repeat), place in given.items()
            if by == model and not place.failed
        }

    def answered_by(self) -> list[str]:
        """The models that answered in this run, in the order in which they began."""
        places = [
            (place.start, by)
            for seen in self._units.values()
            for given in seen.answers.values()
            for (by, _), place in given.items()
        ]
        return list(dict.fromkeys(by for _, by in sorted(places)))

    def texts(self, keys: Collection[str]) -> Mapping[str, str]:
        """The texts of memories by content key."""
        return {key: self.memory(key)["text"] for key in keys}

    def memory(self, key: str) -> dict[str, Any]:
        """One memory as it was recorded."""
        if self._memories is None:
            self._memories = (self.path / "memories.jsonl").open("rb")
        if key not in self._memory_at:
            raise BadRun(f"{self.path}: memory {key} is missing from memories.jsonl; the run can't be read")
        return record_at(self._memories, self._memory_at[key])

    def knows(self, key: str) -> bool:
        return key in self._memory_at

    def episodes(self) -> Iterator[Episode]:
        """The episodes, one at a time."""
        yield from self._episodes

    def episode(self, id: str) -> Episode:
        """One episode, checked against the hash the manifest holds."""
        return self._episodes.read(id)

    def verdicts(self) -> Iterator[ProbeVerdict]:
        """The verdicts of the last diagnosis: one by one from disk, or where they are few, read once and kept."""
        path = self.path / "verdicts.jsonl"
        if not path.exists():
            raise BadRun(f"{self.path} holds no verdicts yet; finish it with: memtriage resume {self.path}")
        if self._verdicts is None and path.stat().st_size <= _KEPT_BYTES:
            self._verdicts = tuple(_verdicts(path))
        return iter(self._verdicts) if self._verdicts is not None else _verdicts(path)

    def write_verdicts(self, verdicts: Iterable[ProbeVerdict], stores: Iterable[StoreSummary]) -> None:
        """Replace the verdicts of the run, all at once."""
        self._verdicts = self._stores = None
        write_verdicts(self.path, verdicts, stores)

    def stores(self) -> list[StoreSummary]:
        """One summary per store."""
        if self._stores is None:
            path = self.path / "stores.jsonl"
            self._stores = [_read(_STORE, record, path, start) for start, record in records(path)]
        return list(self._stores)

    def close(self) -> None:
        for file in (self._journal, self._memories):
            if file is not None:
                file.close()
        self._journal = self._memories = None
        self._episodes.close()

    def __enter__(self) -> RunReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answers(self, unit: Unit) -> Mapping[tuple[str, int], Mapping[tuple[str, int], _Place]]:
        return self._units[unit].answers if unit in self._units else {}

    def _journal_at(self, start: int) -> Any:
        with self._reading:
            if self._journal is None:
                self._journal = (self.path / "journal.jsonl").open("rb")
            return record_at(self._journal, start)["data"]


def _several(episodes: list[str]) -> str:
    return episodes[0] if len(episodes) == 1 else f"{episodes[0]} and {len(episodes) - 1} more"


class RunWriter:
    """The append-only half of a run directory, for any number of threads. Whoever writes must `hold` it."""

    def __init__(self, path: Path, known: RunReader) -> None:
        self.path = path
        self._journal = Log(path / "journal.jsonl")
        self._memories = Log(path / "memories.jsonl")
        self._known = known
        self._noted: list[tuple[int, Mapping[str, Any]]] = []
        self._written: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._lock = threading.Lock()
        if known.began is None:
            begin = {"kind": "begin", "manifest": known.manifest}
            self._noted.append((self._journal.append(line(begin)), begin))

    def memory(self, memory: Memory) -> str:
        """Record a memory once, and give its content key."""
        key = content_key(memory)
        with self._lock:
            if key not in self._written and not self._known.knows(key):
                record = {"key": key, "id": memory.id, "text": memory.text, "created_at": memory.created_at}
                self._written[key] = self._memories.append(line({**record, "sources": list(memory.sources)}))
        return key

    def tokens(self, key: str, text: str) -> int:
        """The tokens of a memory, counted once for all stores."""
        known = self._tokens.get(key)
        if known is None:
            known = self._tokens[key] = count_tokens(text)
        return known

    def snapshot(self, unit: Unit, snapshot: Snapshot) -> None:
        self._append("snapshot", unit, _SNAPSHOT.dump_json(snapshot), {})

    def ingest(self, unit: Unit, ingest: Ingest) -> None:
        self._append("ingest", unit, _INGEST.dump_json(ingest), {"error": ingest.error, "failed": bool(ingest.failed)})

    def trace(self, unit: Unit, trace: Trace) -> None:
        noted = {"probe": trace.probe, "k": trace.k, "error": trace.error}
        self._append("trace", unit, _TRACE.dump_json(trace), noted)

    def answer(self, unit: Unit, answer: Answer) -> None:
        asked = {"probe": answer.probe, "k": answer.k, "repeat": answer.repeat}
        self._append("answer", unit, _ANSWER.dump_json(answer), {**asked, "model": answer.model, "error": answer.error})

    def done(self, unit: Unit, notes: Collection[str], notices: Collection[str] = ()) -> None:
        data = {"notes": list(notes), "notices": list(notices)}
        self._append("done", unit, json.dumps(data).encode(), data)

    def _append(self, kind: str, unit: Unit, data: bytes, noted: Mapping[str, Any]) -> None:
        """Write one record; `noted` is what a reader has to know of it without reading it."""
        record = {"kind": kind, "system": unit[0], "episode": unit[1]}
        head = line(record).removesuffix(b"}\n")
        with self._lock:
            start = self._journal.append(head + b',"data":' + data + b"}\n")
            self._noted.append((start, {**record, "data": noted}))

    def close(self) -> None:
        """Close the files, and let the reader know what was written."""
        self._journal.close()
        self._memories.close()
        self._known.take_in(self._noted, self._written)
        self._noted, self._written = [], {}

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def create(path: Path, manifest: Mapping[str, Any], episodes: Iterable[Episode]) -> None:
    """Lay out a new run directory: episodes first, the manifest last, so that a manifest means it is whole.

    Episodes are taken one by one. What is known of their tasks is read only afterwards: it may be found out on the way.
    """
    if (path / "run.json").exists():
        raise BadRun(f"{path} already holds a run; continue it with `memtriage resume {path}` or choose another --out")
    fresh = not path.exists() or not any(path.iterdir())
    try:
        entries = write_episodes(path, episodes)
    except BaseException:
        if fresh:  # a run that can't begin leaves nothing behind
            shutil.rmtree(path, ignore_errors=True)
        raise
    tasks = {name: dict(told) for name, told in (manifest["tasks"] or {}).items()}
    whole = {"format": FORMAT, **manifest, "tasks": tasks, "episodes": entries}
    _write(path / "run.json", (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())


def write_verdicts(path: Path, verdicts: Iterable[ProbeVerdict], stores: Iterable[StoreSummary]) -> list[Path]:
    """Write the verdicts and store summaries of a diagnosis into a directory, replacing those that are there."""
    files = [path / "verdicts.jsonl", path / "stores.jsonl"]
    _write(files[0], (_VERDICT.dump_json(verdict) + b"\n" for verdict in verdicts))
    _write(files[1], (_STORE.dump_json(store) + b"\n" for store in stores))
    return files


def _verdicts(path: Path) -> Iterator[ProbeVerdict]:
    return (_read(_VERDICT, record, path, start) for start, record in records(path))


def _write(path: Path, parts: bytes | Iterable[bytes]) -> None:
    try:
        write_whole(path, parts)
    except OSError as error:
        raise full(path, error) from error


def _manifest(path: Path) -> dict[str, Any]:
    file = path / "run.json"
    if not file.is_file():
        raise BadRun(f"{path} is not a run directory: it has no run.json")
    try:
        manifest: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise BadRun(f"{file} can't be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format", "no format") if isinstance(manifest, dict) else "no manifest"
        raise BadRun(
            f"{file} is of another version ({found}; this memtriage reads {FORMAT}); "
            "use the memtriage that made it, or run again"
        )
    missing = sorted(_MANIFEST - manifest.keys())
    if missing:
        raise BadRun(f"{file} lacks {', '.join(missing)}; put it back, or run again")
    return manifest


def _read(kind: TypeAdapter[T], record: Mapping[str, Any], path: Path, start: int) -> T:
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
        raise damaged(path, start, why) from error


def hold(path: Path) -> BinaryIO:
    """Hold a run for this process alone until what this gives is closed."""
    _manifest(path)
    try:
        file = (path / ".lock").open("wb")
    except OSError as error:
        raise full(path / ".lock", error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise BadRun(f"{path} is in use by another memtriage; wait for it, or stop it") from error
    return file
