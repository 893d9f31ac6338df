"""Write a run directory: laid out once, then appended to."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from pydantic import TypeAdapter

from memtriage.core.episode import Episode
from memtriage.core.errors import BadRun
from memtriage.core.memory import Memory
from memtriage.core.trace import Answer, Ingest, Snapshot, Trace
from memtriage.host import origin
from memtriage.host.files import open_inside, write_inside
from memtriage.host.masks import mask_json
from memtriage.host.sealed import seal_document
from memtriage.host.shell import shell_word
from memtriage.record.content_key import content_key
from memtriage.record.encoded import Encoded, Encoder, Places, encoded_done, encoded_ingest, encoded_snapshot
from memtriage.record.episodes import write_episodes
from memtriage.record.files import SETTINGS
from memtriage.record.journal import Log, json_line, replace_file
from memtriage.record.manifest import FORMAT, LOCK, Unit, claim
from memtriage.record.reader import RunReader
from memtriage.text.tokens import count_tokens

_ANSWER = TypeAdapter(Answer)


class RunWriter:
    """Appends to a run directory, from any number of threads. The caller must `hold` the run."""

    def __init__(self, path: Path, known: RunReader) -> None:
        self.path = path
        self._journal = Log(path / "journal.jsonl")
        self._memories = Log(path / "memories.jsonl")
        self._reader = known
        self._appended: list[tuple[int, Mapping[str, Any]]] = []
        self._written: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._lists: dict[Unit, tuple[Encoder, Places]] = {}
        self._lock = threading.Lock()
        if known.original_manifest is None:
            begin = {"kind": "begin", "manifest": known.manifest}
            self._appended.append((self._journal.append(json_line(begin)), begin))

    def memory(self, memory: Memory) -> str:
        """Record a memory unless it is known, and return its content key."""
        key = content_key(memory)
        self.known_memory(key, memory.id, memory.text, memory.created_at, memory.sources)
        return key

    def known_memory(self, key: str, id: str, text: str, created_at: str | None, sources: Iterable[str]) -> None:
        """Record a memory whose key is known, unless it was recorded before."""
        with self._lock:
            if key not in self._written and not self._reader.has_memory(key):
                record = {"key": key, "id": id, "text": text, "created_at": created_at, "sources": list(sources)}
                self._written[key] = self._memories.append(json_line(record))

    def tokens(self, key: str, text: str) -> int:
        """The tokens of a memory, counted once for all stores."""
        known = self._tokens.get(key)
        if known is None:
            known = self._tokens[key] = count_tokens(text)
        return known

    def snapshot(self, unit: Unit, snapshot: Snapshot) -> None:
        self.encoded("snapshot", unit, *encoded_snapshot(snapshot))

    def ingest(self, unit: Unit, ingest: Ingest) -> None:
        self.encoded("ingest", unit, *encoded_ingest(ingest))

    def trace(self, unit: Unit, trace: Trace) -> None:
        encoder, _ = self._lists.setdefault(unit, (Encoder(), Places()))
        self.encoded_trace(unit, encoder.trace(trace))

    def encoded_trace(self, unit: Unit, trace: Encoded) -> None:
        """Record a trace that was encoded where its store is filled."""
        _, places = self._lists.setdefault(unit, (Encoder(), Places()))
        places.wrote(trace, self.encoded("trace", unit, places.line(trace), trace.indexed))

    def answer(self, unit: Unit, answer: Answer) -> None:
        asked = {"probe": answer.probe, "k": answer.k, "repeat": answer.repeat}
        self.encoded("answer", unit, _ANSWER.dump_json(answer), {**asked, "model": answer.model, "error": answer.error})

    def done(self, unit: Unit, notes: Collection[str], notices: Collection[str] = ()) -> None:
        self.encoded("done", unit, *encoded_done(notes, notices))

    def encoded(self, kind: str, unit: Unit, data: bytes, indexed: Mapping[str, Any]) -> int:
        """Write one record, and return its place; `indexed` is the part of its data that a reader's index needs."""
        if kind == "done":
            self._lists.pop(unit, None)
        record = {"kind": kind, "system": unit[0], "episode": unit[1]}
        head = json_line(record).removesuffix(b"}\n")
        with self._lock:
            start = self._journal.append(head + b',"data":' + data + b"}\n")
            self._appended.append((start, {**record, "data": indexed}))
        return start

    def close(self) -> None:
        """Close the files, and let the reader know what was written."""
        self._journal.close()
        self._memories.close()
        self._reader.add_written(self._appended, self._written)
        self._appended, self._written = [], {}

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def copy(path: Path, out: Path, without: Collection[str]) -> BinaryIO:
    """Copy a run without the files of these names and without its saved stores; the copy is locked for this process.

    The manifest comes last, so that a manifest means the copy is complete.
    """
    _refuse_filled(out)
    lock = claim(out)
    try:
        _refuse_filled(out)  # by a process that held it until now
        names = [found.name for found in path.iterdir() if not found.is_dir() and found.name != LOCK]
        names += [f"episodes/{file.name}" for file in (path / "episodes").iterdir()]
        for name in sorted(set(names) - set(without), key=lambda name: (name == "run.json", name)):
            with open_inside(path, name, "r") as file:
                write_inside(out, name, iter(partial(file.read, 1 << 20), b""), masked=False)
    except BaseException:
        lock.close()
        raise
    return lock


def _refuse_filled(out: Path) -> None:
    if out.exists() and any(found.name != LOCK for found in out.iterdir()):
        raise BadRun(f"{out} is not empty; choose another --out")


def create(path: Path, manifest: Mapping[str, Any], episodes: Iterable[Episode], settings: str = "") -> None:
    """Create a run directory: episodes first, the manifest last, so that a manifest means it is complete.

    `settings` are those of `memtriage run -c`, which repeat the run.

    The caller must `claim` it where others may want it too. Episodes are read one by one. `manifest["tasks"]` is read
    afterwards, as it may be filled on the way.
    """
    if (path / "run.json").exists():
        raise BadRun(
            f"{path} already holds a run; "
            f"continue it with `memtriage resume {shell_word(path)}` or choose another --out"
        )
    fresh = not path.exists() or all(found.name == LOCK for found in path.iterdir())
    try:
        entries = write_episodes(path, episodes)
    except BaseException:
        if fresh:  # a run that can't begin leaves nothing behind
            shutil.rmtree(path, ignore_errors=True)
        raise
    if settings:
        replace_file(path / SETTINGS, settings.encode())
    tasks = {name: dict(task) for name, task in (manifest["tasks"] or {}).items()}
    whole = {"format": FORMAT, **manifest, "tasks": tasks, "episodes": entries}
    replace_file(path / "run.json", seal_document(origin.marked(mask_json(whole))))
