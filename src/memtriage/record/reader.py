"""Read a run directory.

run.json         everything needed to repeat the run
episodes/        the questions and their gold facts
sessions.jsonl   the conversations: each distinct session once
journal.jsonl    append-only: every store, trace and answer, flushed as it happens
memories.jsonl   append-only: each distinct memory once, by content key
verdicts.jsonl   one line per probe, system and k (rewritten by every diagnosis)
stores.jsonl     one line per store: size, tokens, times
seal.json        what the run had come to when it was finished: the hashes of all these files

Files of lines that are large when a run is finished are packed, and end with .zst (`record/lines.py`).
Everything is checked when it is read: each record by its seal, a finished run's files by seal.json.
"""

from __future__ import annotations

import json
import math
import re
import threading
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import Any, TypeVar

from pydantic import TypeAdapter

from memtriage.core.amount import K
from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadRun
from memtriage.core.trace import Answer, History, Ingest, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.host import origin
from memtriage.host.shell import shell_word
from memtriage.record.content_key import has_key
from memtriage.record.encoded import Encoded
from memtriage.record.episodes import EpisodeReader
from memtriage.record.files import FILES, PACKED, SESSIONS, Damaged, FileSeal
from memtriage.record.journal import damaged, lines, record_at, records
from memtriage.record.kept_memories import KeptMemories
from memtriage.record.lines import Lines
from memtriage.record.manifest import Unit, read_manifest, store_names
from memtriage.record.memory_places import MemoryPlaces
from memtriage.record.notes import Failure, failure_notes, merged_notices
from memtriage.record.same_lists import List, list_in
from memtriage.record.seal import SEAL, RunSeal, read_seal, write_seal
from memtriage.record.verdicts import VERDICTS, parsed, read_stores, read_verdicts, write_verdicts

_INGEST = TypeAdapter(Ingest)
_SNAPSHOT = TypeAdapter(Snapshot)
_TRACE = TypeAdapter(Trace)
_ANSWER = TypeAdapter(Answer)

_CACHED_BYTES = 64 << 20
"""A verdicts file up to this size is kept in memory once it has been read."""
_PACKED_BY = 10
"""About how much smaller a file is when it is packed."""

_BEYOND = re.compile(r"k=(\d+) is more than the memories in the store; all of them count$")
"""A note that is much alike for every system and k."""

_KEY = re.compile(rb'\{"key":"([^"\\]*)"')
"""How the line of a memory begins; only its key is needed, and the rest is read when the memory is."""

_OF_ONE = re.compile(r"(storing session|asking probe) \S+ (raised|hid an error)")
"""A note on one session or question, as older runs have them."""

T = TypeVar("T")

Question = tuple[str, K]
"""A question to a store: probe id and k."""

QuestionKey = tuple[str, K, int]
"""One question to an answering model: probe id, k and repeat."""


class _UnknownName(ValueError):
    """A record about something that the run does not have."""


@dataclass(frozen=True, slots=True)
class _AnswerPlace:
    """Where an answer is in the journal, and whether it is an error."""

    start: int
    failed: bool


class _Traces:
    """Where the traces of a store are, by probe and k; packed once the store is done, as a run may have many stores."""

    def __init__(self) -> None:
        self._by_question: dict[Question, int] | None = {}
        self._questions = b""
        self._places: Collection[int] = ()
        self._probes = 0

    def to_change(self) -> dict[Question, int]:
        """The places by question, in the order in which the questions were first asked; no longer packed."""
        if self._by_question is None:
            self._by_question = dict(self.items())
        return self._by_question

    def items(self) -> Iterable[tuple[Question, int]]:
        if self._by_question is not None:
            return self._by_question.items()
        return zip(map(tuple, json.loads(self._questions)), self._places, strict=True)

    def places(self) -> Collection[int]:
        return self._places if self._by_question is None else self._by_question.values()

    @property
    def probes(self) -> int:
        """How many probes were asked, at whatever k."""
        return self._probes if self._by_question is None else len({probe for probe, _ in self._by_question})

    def pack(self) -> None:
        if self._by_question is not None:
            self._probes, self._places = self.probes, array("Q", self._by_question.values())
            self._questions = json.dumps(list(self._by_question), separators=(",", ":")).encode()
            self._by_question = None


@dataclass(slots=True)
class _StoreIndex:
    """Where the journal's records about one store are."""

    traces: _Traces = field(default_factory=_Traces)
    ingests: list[int] = field(default_factory=list)
    snapshots: list[int] = field(default_factory=list)
    failed: dict[Question, str] = field(default_factory=dict)
    not_stored: dict[str, str] = field(default_factory=dict)
    returned_none: set[tuple[str, K]] = field(default_factory=set)
    looks: set[str] = field(default_factory=set)
    spoiled: bool = False
    done: bool = False
    notes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    answers: dict[tuple[str, K], dict[tuple[str, int], _AnswerPlace]] = field(default_factory=dict)

    def forget_errors(self) -> None:
        """Treat what ended in an error as not done; a store that lost a session is filled again from the start."""
        if self.spoiled:
            self.ingests, self.not_stored = [], {}
            self.traces.to_change().clear()
        for question in self.failed:
            self.traces.to_change().pop(question, None)
        self.done = self.done and not self.spoiled and not self.failed


class RunReader:
    """A run directory, open for reading. Memories and traces stay on disk; only their positions are kept.

    Each file is opened when it is first needed and scanned once. When a `RunWriter` closes, its reader learns what was
    written, so one reader serves a run from start to report.
    """

    def __init__(self, path: Path, forget_errors: bool = False, sealed: bool = True) -> None:
        """Open a run; if it is not `sealed`, without a look at its seal, as one that is not finished."""
        self.path = path
        self.manifest = read_manifest(path)
        self.seal = read_seal(path) if sealed else None
        """What the run was finished with; None if it is not finished."""
        if self.seal is not None:
            self.seal.refuse_other_sizes(path, "whole", "appended")
            self.seal.refuse_other(path, "run.json")
        self._forget_errors = forget_errors
        self._store_names = {
            n: (label, i) for label, names in store_names(self.manifest).items() for i, n in enumerate(names)
        }
        self._journal: Lines | None = None
        self._memories: Lines | None = None
        self._last_list: tuple[Unit, int, List] | None = None
        self._right_keys: set[str] = set()
        self._kept = KeptMemories(self.memory)
        self._journal_lock = threading.Lock()
        self._episodes = EpisodeReader(path, self.manifest["episodes"])
        self._began: dict[str, Any] | None = None
        self._verdicts: tuple[ProbeVerdict, ...] | None = None
        self._stores: list[StoreSummary] | None = None
        self._written: Mapping[str, FileSeal] = {}

    @cached_property
    def _units(self) -> dict[Unit, _StoreIndex]:
        """Where the journal's records about each store are."""
        units: dict[Unit, _StoreIndex] = {}
        for start, record in self._records("journal.jsonl", ("kind",)):
            if record["kind"] == "begin":
                self._began = self._began or record.get("manifest")
            else:
                self._index(units, start, record)
        for index in units.values() if self._forget_errors else ():
            index.forget_errors()
        return units

    @cached_property
    def _memory_at(self) -> MemoryPlaces:
        """Where each memory is in memories.jsonl, by content key."""
        places = MemoryPlaces()
        path = self.path / "memories.jsonl"
        for start, line in lines(path, self.seal.files if self.seal else None):
            if (found := _KEY.match(line)) is None:
                raise damaged(path, start, "it lacks 'key'" if b'"key":' not in line else "its 'key' is no text")
            places[found[1].decode()] = start
        return places

    def check_records(self) -> None:
        """Check every record for what it says: names that lead nowhere, keys that don't fit, values that can't be."""
        for unit, index in self._units.items():
            self._refuse_unknown_probes(unit, self._episodes.probes(unit[1]))
            self._refuse_unknown_memories(key for step in self.history(unit).snapshots for key in step.added)
            for trace in self.traces(unit):
                self._refuse_unknown_memories([*(found.key for found in trace.retrieved), *trace.ranking])
            for place in (place for given in index.answers.values() for place in given.values()):
                self._parsed(_ANSWER, place.start)
        for key in self._memory_at:
            self._memory(key)

    def _refuse_unknown_memories(self, keys: Iterable[str]) -> None:
        for key in keys:
            if not self.has_memory(key):
                raise Damaged(self.path / "memories.jsonl", f"memory {key!r} is missing")

    def index(self) -> None:
        """Read all that a run rests on through, which checks it, before anything more is made of it."""
        _ = self._units, self._memory_at
        if self.seal is not None:
            for name in (SESSIONS, SESSIONS + PACKED):
                if name in self.seal.files:
                    self.seal.refuse_other(self.path, name)

    def refuse_any_other(self) -> None:
        """Refuse a finished run if any of its files is not what it was finished with; nothing is parsed for that."""
        if self.seal is not None:
            self.seal.refuse_any_other(self.path)
        self._episodes.refuse_other()

    @property
    def grew(self) -> bool:
        """Whether anything was recorded since the run was sealed."""
        sealed = self.seal.files if self.seal else {}
        there = (name for name, kind in FILES.items() if kind == "appended" and (self.path / name).exists())
        return any((self.path / name).stat().st_size != (sealed[name].bytes if name in sealed else 0) for name in there)

    @property
    def original_manifest(self) -> dict[str, Any] | None:
        """The manifest as it was when the run began; None before anything is stored."""
        _ = self._units
        return self._began

    @cached_property
    def made_here(self) -> bool:
        """Whether this user began the run on this machine; if not, it is only read, and starts nothing."""
        return origin.made_here(self.manifest)

    def _records(self, file: str, needed: Collection[str]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records of a file with their places, each with the text that it needs to be known by."""
        path = self.path / file
        for start, record in records(path, self.seal.files if self.seal else None):
            lacking = next((key for key in needed if key not in record), None)
            if lacking is not None:
                raise damaged(path, start, f"it lacks {lacking!r}")
            odd = next((key for key in needed if not isinstance(record[key], str)), None)
            if odd is not None:
                raise damaged(path, start, f"its {odd!r} is no text")
            yield start, record

    def _index(self, units: dict[Unit, _StoreIndex], start: int, record: Mapping[str, Any]) -> None:
        try:
            self._index_record(units, start, record)
        except _UnknownName as error:
            raise damaged(self.path / "journal.jsonl", start, error) from error
        except (KeyError, TypeError, AttributeError) as error:
            raise damaged(self.path / "journal.jsonl", start, f"it lacks {error}") from error

    def _index_record(self, units: dict[Unit, _StoreIndex], start: int, record: Mapping[str, Any]) -> None:
        unit = (record["system"], record["episode"])
        if unit[0] not in self._store_names or not self._episodes.has(unit[1]):
            raise _UnknownName(f"run.json has no {unit[0]!r} on {unit[1]!r}")
        index = units.get(unit) or units.setdefault(unit, _StoreIndex())
        match record["kind"]:
            case "ingest":
                index.ingests.append(start)
                index.not_stored = dict(record["data"]["failed"])
                index.spoiled = bool(record["data"]["error"] or index.not_stored)
            case "snapshot":
                _refuse_unknown_snapshot(record["data"]["base"], index)
                index.looks.add(record["data"]["id"])
                index.snapshots.append(start)
            case "trace":
                _refuse_unknown_snapshot(record["data"].get("snapshot"), index)
                asked = (record["data"]["probe"], record["data"]["k"])
                index.traces.to_change()[asked] = start  # asked again after an error: the last one counts
                index.failed.pop(asked, None)
                if error := record["data"]["error"]:
                    index.failed[asked] = intern(str(error))
                (index.returned_none.add if record["data"].get("returned_none") else index.returned_none.discard)(asked)
                index.answers.pop(asked, None)  # they answered from an earlier retrieval
            case "answer":
                data = record["data"]
                given = index.answers.setdefault((data["probe"], data["k"]), {})
                given[data["model"], data["repeat"]] = _AnswerPlace(start, bool(data["error"]))
            case "done":
                index.done = True
                index.traces.pack()
                index.notes = tuple(record["data"]["notes"])
                index.notices = tuple(record["data"].get("notices", ()))
            case kind:
                raise _UnknownName(f"nothing is called {kind!r}")

    def add_written(self, journal: Iterable[tuple[int, Mapping[str, Any]]], memories: Mapping[str, int]) -> None:
        """Index what a writer has written, as if it had been read from the files."""
        for start, record in journal:
            if record["kind"] == "begin":
                self._began = record["manifest"]
            else:
                self._index(self._units, start, record)
        self._memory_at.update(memories)

    @property
    def units(self) -> list[Unit]:
        """The stores in the journal, in the manifest's order of episodes."""
        place = {entry["id"]: number for number, entry in enumerate(self.manifest["episodes"])}
        systems = {recorded["label"]: number for number, recorded in enumerate(self.manifest["systems"])}
        last = len(place) + len(systems)
        return sorted(self._units, key=lambda unit: (place.get(unit[1], last), systems.get(unit[0], last)))

    def system_and_repeat(self, name: str) -> tuple[str, int]:
        """A store's system, and which of its repeats it is, counted from 0; `name` is the store's in the journal."""
        return self._store_names.get(name, (name, 0))

    @property
    def notices(self) -> dict[str, tuple[str, ...]]:
        """What every report must say about a system, by its label."""
        given: dict[str, Counter[str]] = {}
        none: Counter[str] = Counter()
        asked: Counter[str] = Counter()
        for system, episode in self.units:
            index = self._units[system, episode]
            given.setdefault(system, Counter()).update(index.notices)
            none[system] += len({probe for probe, _ in index.returned_none})
            asked[system] += index.traces.probes
        found = {system: merged_notices(notices) for system, notices in given.items()}
        for system in +none:
            found[system].append(
                f"retrieve_memories returned None for {none[system]:,} of {asked[system]:,} questions, "
                "which counts as nothing found; return [] if that is meant"
            )
        return {system: tuple(notices) for system, notices in found.items() if notices}

    @property
    def notes(self) -> list[str]:
        """The notes on stores; one that several stores share, or several sessions or questions, is listed once."""
        episodes_by_note: dict[tuple[str, str], list[str]] = {}
        beyond: list[tuple[str, str, str]] = []
        for (system, episode), index in self._units.items():
            for note in index.notes:
                if _OF_ONE.match(note):
                    continue  # the journal has it too
                if found := _BEYOND.match(note):
                    beyond.append((system, episode, found[1]))
                    continue
                episodes_by_note.setdefault((system, note), []).append(episode)
        notes = [f"{system} on {_several(ids)}: {note}" for (system, note), ids in episodes_by_note.items()]
        return [*notes, *_beyond_note(beyond), *failure_notes(self._failures())]

    def _failures(self) -> Iterator[Failure]:
        for (system, episode), index in self._units.items():
            for session, told in index.not_stored.items():
                what = told.removeprefix("it ") if told.startswith("it hid an error") else f"raised {told}"
                yield Failure(system, episode, "storing", "session", session, what)
            for (probe, _), told in index.failed.items():
                if told.startswith(
                    ("asking raised ", "asking hid ")
                ):  # an error of this question, and not of the whole store
                    yield Failure(system, episode, "asking", "question", probe, told.removeprefix("asking "))

    @property
    def problems(self) -> list[str]:
        """Problems with the data that did not stop the run."""
        tasks = self.manifest["tasks"].values()
        return [str(problem) for task in tasks for problem in task.get("problems") or ()]

    def asked(self, unit: Unit) -> Collection[tuple[str, K]]:
        """The probes and k that a store has been asked."""
        return [question for question, _ in self._units[unit].traces.items()] if unit in self._units else ()

    def done(self, unit: Unit) -> bool:
        """Whether nothing is left to do for a store."""
        return unit in self._units and self._units[unit].done

    def history(self, unit: Unit) -> History:
        """A store's history; if it was filled again after a kill, with the snapshots of every attempt."""
        index = self._units[unit]
        if index.ingests:
            ingest = self._parsed(_INGEST, index.ingests[-1])
        else:
            ingest = Ingest(sessions=0, seconds=0.0, error="the run was interrupted before anything was stored")
        snapshots = [self._parsed(_SNAPSHOT, at) for at in index.snapshots]
        return History(ingest, tuple({snapshot.id: snapshot for snapshot in snapshots}.values()))

    def stored(self, unit: Unit) -> bool:
        """Whether storing was finished, so that only questions are left."""
        return unit in self._units and bool(self._units[unit].ingests)

    def traces(self, unit: Unit) -> Iterator[Trace]:
        """The traces of a store, read one by one from disk."""
        for at in self._units[unit].traces.places():
            yield self._trace(unit, at)

    def refuse_unknown_probes(self, unit: Unit, episode: Episode) -> None:
        """Refuse a store that was asked what its episode does not ask."""
        self._refuse_unknown_probes(unit, episode.probes)

    def _refuse_unknown_probes(self, unit: Unit, asked: Iterable[Probe]) -> None:
        probes = {probe.id for probe in asked}
        for (probe, _), at in self._units[unit].traces.items():
            if probe not in probes:
                raise damaged(self.path / "journal.jsonl", at, f"{unit[1]} has no question {probe!r}")

    def answers(self, unit: Unit, model: str) -> dict[QuestionKey, Answer]:
        """A model's answers to the questions asked of a store, errors included."""
        return {
            (probe, k, repeat): self._parsed(_ANSWER, place.start)
            for (probe, k), given in self._answers(unit).items()
            for (by, repeat), place in given.items()
            if by == model
        }

    def answered(self, unit: Unit, model: str) -> set[QuestionKey]:
        """The questions that a model has answered without an error."""
        return {
            (probe, k, repeat)
            for (probe, k), given in self._answers(unit).items()
            for (by, repeat), place in given.items()
            if by == model and not place.failed
        }

    def answered_by(self) -> list[str]:
        """The models that answered in this run, in the order in which they first did."""
        places = [
            (place.start, by)
            for index in self._units.values()
            for given in index.answers.values()
            for (by, _), place in given.items()
        ]
        return list(dict.fromkeys(by for _, by in sorted(places)))

    def texts(self, keys: Collection[str]) -> Mapping[str, str]:
        """The texts of memories by content key."""
        return {key: self._kept(key)[0] for key in keys}

    def text_and_date(self, key: str) -> tuple[str, str]:
        """The text of a memory, and when it was created; empty if its system does not say."""
        return self._kept(key)

    def memory(self, key: str) -> dict[str, Any]:
        """One memory as it was recorded."""
        record = self._memory(key, key not in self._right_keys)
        self._right_keys.add(key)
        return record

    def _memory(self, key: str, check: bool = True) -> dict[str, Any]:
        """One memory; a `check` tells whether its key is that of its content."""
        if key not in self._memory_at:
            raise Damaged(self.path / "memories.jsonl", f"memory {key!r} is missing")
        if self._memories is None:
            self._memories = Lines(self.path / "memories.jsonl")
        record = record_at(self._memories, self._memory_at[key])
        if check and not has_key(record, key):
            raise damaged(self._memories.path, self._memory_at[key], "its key is not that of its content")
        return record

    def has_memory(self, key: str) -> bool:
        return key in self._memory_at

    def episodes(self) -> Iterator[Episode]:
        """The episodes, one at a time."""
        yield from self._episodes

    def episode(self, id: str) -> Episode:
        """One episode, checked against the hash in the manifest."""
        return self._episodes.read(id)

    def episode_digest(self, id: str) -> str:
        """A hash of what an episode tells and asks, the same in every run on the same data."""
        return self._episodes.digest(id)

    def verdicts(self, keep: bool = True) -> Iterator[ProbeVerdict]:
        """The verdicts of the last diagnosis; a small file is read once and kept if wanted, a large one streamed."""
        seal = self.finished()
        if keep and self._verdicts is None and _plain_size(seal, VERDICTS) <= _CACHED_BYTES:
            self._verdicts = tuple(read_verdicts(self.path, seal))
        return iter(self._verdicts) if self._verdicts is not None else read_verdicts(self.path, seal)

    def write_verdicts(self, verdicts: Iterable[ProbeVerdict | Encoded], stores: Iterable[StoreSummary]) -> None:
        """Replace the verdicts of the run, all at once; `finish` is to follow."""
        self._verdicts = self._stores = self.seal = None
        self._written = write_verdicts(self.path, verdicts, stores)

    def finish(self, grading: Mapping[str, Any], new: str = "") -> None:
        """Seal the run, as the last step of all; `grading` made its verdicts.

        If it was sealed just before, and only one file is `new`, the others are not hashed again.
        """
        self.close()  # files may be packed
        counted = {name: file for name, file in self.seal.files.items() if name != new} if new and self.seal else {}
        self.seal = write_seal(self.path, grading, counted or self._written)

    def stores(self) -> list[StoreSummary]:
        """One summary per store."""
        if self._stores is None:
            self._stores = list(read_stores(self.path, self.finished()))
        return list(self._stores)

    def close(self) -> None:
        self._kept.clear()
        for file in (self._journal, self._memories):
            if file is not None:
                file.close()
        self._journal = self._memories = None
        self._episodes.close()

    def __enter__(self) -> RunReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answers(self, unit: Unit) -> Mapping[tuple[str, K], Mapping[tuple[str, int], _AnswerPlace]]:
        return self._units[unit].answers if unit in self._units else {}

    def finished(self) -> RunSeal:
        """The seal of a finished run; one that is not finished is refused."""
        if self.seal is None:
            raise BadRun(
                f"{self.path} is not finished: it has no {SEAL}; "
                f"finish it with: memtriage resume {shell_word(self.path)}"
            )
        if self._verdicts is None or self._stores is None:  # others may have graded the run since it was opened
            self.seal = read_seal(self.path) or self.seal
        self.seal.refuse_other_sizes(self.path, "result")
        return self.seal

    def _trace(self, unit: Unit, start: int) -> Trace:
        data = self._record(start)["data"]
        place = data.get("retrieved")
        if type(place) is int:
            data["retrieved"] = self._list_at(unit, place, start)
        return parsed(_TRACE, data, self.path / "journal.jsonl", start)

    def _list_at(self, unit: Unit, place: int, start: int) -> List:
        """The memories that came back in an earlier trace of a store, which a later one names."""
        known = self._last_list
        if known is not None and known[:2] == (unit, place):
            return known[2]
        try:
            if not place < start:
                raise ValueError("the list that it names is not before it")
            record = self._record(place)
            if (record.get("system"), record.get("episode")) != unit or record["kind"] != "trace":
                raise ValueError("the list that it names is not one of this store")
            found = list_in(record["data"])
        except Damaged as error:
            raise damaged(self.path / "journal.jsonl", start, "no record starts where its list should be") from error
        except ValueError as error:
            raise damaged(self.path / "journal.jsonl", start, error) from error
        self._last_list = (unit, place, found)
        return found

    def _parsed(self, kind: TypeAdapter[T], start: int) -> T:
        """What the journal's record at this byte is about."""
        return parsed(kind, self._record(start)["data"], self.path / "journal.jsonl", start)

    def _record(self, start: int) -> dict[str, Any]:
        with self._journal_lock:
            if self._journal is None:
                self._journal = Lines(self.path / "journal.jsonl")
            return record_at(self._journal, start)


def _plain_size(seal: RunSeal, name: str) -> float:
    """About how large a file is when it isn't packed; endless if there is none."""
    plain, packed = seal.files.get(name), seal.files.get(name + PACKED)
    return plain.bytes if plain else _PACKED_BY * packed.bytes if packed else math.inf


def _refuse_unknown_snapshot(id: str | None, index: _StoreIndex) -> None:
    if id and id not in index.looks:
        raise _UnknownName(f"there is no snapshot {id!r} before it")


def _beyond_note(found: list[tuple[str, str, str]]) -> Iterator[str]:
    """One note on every k that is more than a store holds, from the system, episode and k of each."""
    if found:
        systems, episodes, ks = (list(dict.fromkeys(part)) for part in zip(*found, strict=True))
        ks.sort(key=int)
        which = f"k={ks[0]} is" if len(ks) == 1 else f"k={', '.join(ks[:-1])} and {ks[-1]} are"
        yield (
            f"{', '.join(systems)} on {_several(episodes)}: {which} more than the memories in the store; "
            "all of them count"
        )


def _several(episodes: list[str]) -> str:
    return episodes[0] if len(episodes) == 1 else f"{episodes[0]} and {len(episodes) - 1} more"
