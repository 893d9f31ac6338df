"""The file format for traces recorded by another tool (docs/traces.md): its lines, and what is said of wrong ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memtriage.core.episode import Scoring
from memtriage.core.errors import BadInput, unknown
from memtriage.host.inputs import BadJson, input_lines, loads
from memtriage.suites.kit.dates import parse_date

_MOST_PROBLEMS = 20
_DOCS = "see docs/traces.md"


def _iso(text: str) -> str:
    found = parse_date(text)
    if found is None:
        raise ValueError(f"{text!r} can't be read as a date; write it as 2026-03-31 or 2026-03-31T09:30")
    return found


def _letter(text: str) -> str:
    letter = text.strip(" ().").upper()
    if letter and (len(letter) > 1 or letter not in ascii_uppercase):
        raise ValueError(f"{text!r} is not a letter; name the right one of the choices, which are A, B, C, …")
    return letter


TEXT = BeforeValidator(lambda value: {"text": value} if isinstance(value, str) else value)
"""Lets a plain string stand for an object that only has a text."""

_TALK = BeforeValidator(lambda value: {"turns": [value]} if isinstance(value, str) else value)

Number = Annotated[float, AfterValidator(lambda value: value if isfinite(value) else None)]
"""A number; NaN and infinity, which Python writes into JSON, say nothing."""

Date = Annotated[str, AfterValidator(_iso)]
Letter = Annotated[str, AfterValidator(_letter)]


class Strict(BaseModel):
    """Part of a line, in which unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class MemoryLine(Strict):
    text: str
    id: str | None = None
    score: Number | None = None
    date: Date | None = None


class FactLine(Strict):
    text: str = Field(min_length=1)
    id: str | None = None
    details: list[str] = []
    evidence: list[str] = []
    subject: str = ""
    split: bool = False
    settled: bool = False
    turns: list[str] = []


class OutdatedLine(Strict):
    fact: str
    voided_by: list[str] = []


class TurnLine(Strict):
    text: str
    role: str = "user"
    id: str | None = None
    date: Date | None = None


class ConversationLine(Strict):
    turns: list[Annotated[TurnLine, TEXT]] = Field(min_length=1)
    id: str | None = Field(default=None, min_length=1)
    date: Date | None = None


class SnapshotLine(Strict):
    """The memories of a store after a conversation."""

    after: str = Field(min_length=1)
    memories: list[Annotated[MemoryLine, TEXT]]


class StoreLine(Strict):
    """The memories of a store, with a name so that traces can share it; with `snapshots`, at several times."""

    store: str = Field(min_length=1)
    memories: list[Annotated[MemoryLine, TEXT]] | None = None
    snapshots: list[SnapshotLine] | None = Field(default=None, min_length=1)
    conversations: list[Annotated[ConversationLine, _TALK]] = []

    @cached_property
    def told(self) -> frozenset[str]:
        """The ids of its conversations and turns."""
        return _told(self.conversations)

    @property
    def looks(self) -> list[SnapshotLine]:
        """The store at each time it was looked at."""
        return self.snapshots or [SnapshotLine(after="end", memories=self.memories or [])]


class TraceLine(Strict):
    """One question as another tool asked it."""

    probe: str
    question: str
    facts: list[Annotated[FactLine, TEXT]]
    retrieved: list[Annotated[MemoryLine, TEXT]]
    sufficient: list[list[str]] | None = None
    outdated: list[OutdatedLine] = []
    store: str | None = None
    after: str | None = None
    all_memories: list[Annotated[MemoryLine, TEXT]] | None = None
    conversations: list[Annotated[ConversationLine, _TALK]] = []
    gold: str = ""
    golds: list[str] = []
    scoring: Scoring | None = None
    answer: str | None = None
    right: bool | None = None
    choices: list[str] = []
    correct_choice: Letter = ""
    asked_at: Date | None = None
    system: str = "system"
    task: str = "traces"
    k: int | None = Field(default=None, ge=1)
    seconds: Number | None = None
    error: str | None = None
    tags: dict[str, str] = {}

    @property
    def at_k(self) -> int:
        """How many memories were asked for; where the file doesn't say, as many as came back."""
        return self.k or max(1, len(self.retrieved))

    @property
    def fact_ids(self) -> list[str]:
        return [fact.id or str(n) for n, fact in enumerate(self.facts, start=1)]

    @property
    def needed(self) -> list[list[str]]:
        """The sets of facts any one of which is enough: by default, one with all facts that are not outdated."""
        if self.sufficient:
            return self.sufficient
        old = {outdated.fact for outdated in self.outdated}
        current = [id for id in self.fact_ids if id not in old]
        return [current] if current else []

    @property
    def scored_by(self) -> Scoring:
        return self.scoring or ("choice" if self.correct_choice else "free")


@dataclass(slots=True)
class StoreTraces:
    """The traces of one system that share a store; None if the store is unknown."""

    system: str
    task: str
    store: StoreLine | None
    lines: list[TraceLine] = field(default_factory=list)


_PARTS: dict[str, type[BaseModel]] = {
    "facts": FactLine,
    "outdated": OutdatedLine,
    "retrieved": MemoryLine,
    "all_memories": MemoryLine,
    "memories": MemoryLine,
    "snapshots": SnapshotLine,
    "conversations": ConversationLine,
    "turns": TurnLine,
}
"""What the lists of a line hold, to name the keys that exist where one doesn't."""


Record = tuple[str, Any]
"""A line as a JSON value, and where it stands: the file and its line, span or question."""


def read_traces(path: Path, judged: bool = False) -> list[StoreTraces]:
    """The traces of a file by store. With `judged`, free answers must come with what they are compared with."""
    return grouped(path, _records(path), judged)


def grouped(path: Path, records: Iterable[Record], judged: bool = False) -> list[StoreTraces]:
    """Traces by store, from lines of this format that a file holds, or that an importer made of it."""
    stores: dict[str, StoreLine] = {}
    groups: dict[tuple[str, str, str], StoreTraces] = {}
    seen: set[tuple[str, str, str, int]] = set()
    problems: list[str] = []
    for where, record in records:
        line, wrong = _parsed(record)
        if isinstance(line, StoreLine):
            if line.store in stores:
                wrong.append(f"store {line.store!r} is defined twice; give each its own name")
            stores[line.store] = line
            wrong += _wrong_in_store(line)
        elif line is not None:
            wrong += _wrong_in_trace(line, stores, judged)
            key = (line.system, line.task, line.probe, line.at_k)
            if key in seen:
                wrong.append(
                    f"probe {line.probe!r} of {line.system!r} occurs twice at the same k; give each question its own id"
                )
            seen.add(key)
            if not wrong:
                store = stores[line.store] if line.store is not None else _inline_store(line)
                name = (line.system, line.task, store.store if store else "")
                groups.setdefault(name, StoreTraces(line.system, line.task, store)).lines.append(line)
        problems += [f"{where}: {problem}" for problem in wrong]
    if problems:
        more = f"\n… and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise BadInput("\n".join(problems[:_MOST_PROBLEMS]) + more)
    if not groups:
        raise BadInput(f"{path} holds no traces; the format is described in docs/traces.md")
    return list(groups.values())


def names_in(conversations: Sequence[ConversationLine]) -> Iterator[tuple[str, list[str]]]:
    """The id of each conversation, and those of its turns; where the file gives none, c1 and c1/1 and so on."""
    for n, talk in enumerate(conversations, start=1):
        id = talk.id or f"c{n}"
        yield id, [turn.id or f"{id}/{i}" for i, turn in enumerate(talk.turns, start=1)]


def _told(conversations: Sequence[ConversationLine]) -> frozenset[str]:
    return frozenset(name for id, turns in names_in(conversations) for name in (id, *turns))


# ------------------------------------------------------------------ reading


def _records(path: Path) -> Iterator[Record]:
    for number, raw in input_lines(path):
        where = f"{path}, line {number}"
        try:
            yield where, loads(raw.decode().strip(), infinite=True)
        except UnicodeDecodeError as error:
            raise BadInput(f"{where}: not UTF-8 ({error.reason}); save the file as UTF-8") from error
        except BadJson as error:
            yield where, error


def _parsed(record: Any) -> tuple[StoreLine | TraceLine | None, list[str]]:
    """A line, or what is wrong with it."""
    if isinstance(record, BadJson):
        return None, [f"not JSON: {record}; write one object per line"]
    if not isinstance(record, dict):
        return None, [f"a line must be a JSON object ({_DOCS})"]
    is_store = record.keys() & {"memories", "snapshots"} and not record.keys() & {"probe", "question"}
    kind = StoreLine if is_store else TraceLine
    try:
        return kind.model_validate(record), []
    except ValidationError as error:
        return None, [_field_problem(kind, each) for each in error.errors(include_url=False)]


def _field_problem(kind: type[BaseModel], error: Any) -> str:
    """What is wrong with one field, where it stands, and what could stand there."""
    where = ".".join(str(part) for part in error["loc"])
    match error["type"]:
        case "missing":
            return f"{where} is missing ({_DOCS})"
        case "extra_forbidden":
            holders = [part for part in error["loc"][:-1] if isinstance(part, str)]
            known = (_PARTS.get(holders[-1], kind) if holders else kind).model_fields
            return f"{where}: {unknown('key', str(error['loc'][-1]), known)}"
        case "model_type":
            return f"{where}: must be a text or an object ({_DOCS})"
        case "value_error":
            return f"{where}: {error['ctx']['error']}"
    shown = repr(error["input"])
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    return f"{where}: {error['msg'][0].lower()}{error['msg'][1:]}, not {shown} ({_DOCS})"


def _inline_store(line: TraceLine) -> StoreLine | None:
    """The store that a trace brings along; traces with the same one share it."""
    if line.all_memories is None:
        return None
    content = "\0".join([*(memory.text for memory in line.all_memories), "", *map(repr, line.conversations)])
    name = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
    return StoreLine(store=name, memories=line.all_memories, conversations=line.conversations)


# ------------------------------------------------------------------ what doesn't fit together


def _wrong_in_store(line: StoreLine) -> Iterator[str]:
    if (line.memories is None) == (line.snapshots is None):
        yield "give either memories or snapshots: the store at the end, or after several conversations"
    yield from _wrong_names(line.conversations)
    told = [id for id, _ in names_in(line.conversations)]
    looked = [snapshot.after for snapshot in line.snapshots or ()]
    if twice := _repeated(looked):
        yield f"two snapshots are after {twice!r}; keep one of them"
    if told and (stray := next((id for id in looked if id not in told), None)):
        yield f"a snapshot is after {stray!r}, which is no conversation (they are {_few(told)})"
    elif told and looked != sorted(looked, key=told.index):
        yield "snapshots must stand in the order of the conversations"


def _wrong_in_trace(line: TraceLine, stores: dict[str, StoreLine], judged: bool) -> Iterator[str]:
    yield from _wrong_place(line, stores)
    yield from _wrong_facts(line, stores)
    yield from _wrong_scoring(line, judged)


def _wrong_place(line: TraceLine, stores: dict[str, StoreLine]) -> Iterator[str]:
    if line.store is not None and line.all_memories is not None:
        yield "store and all_memories are both given; keep one of them"
    if line.store is not None and line.conversations:
        yield f"conversations belong on the line of store {line.store!r}"
    yield from _wrong_names(line.conversations)
    if line.store is not None and line.store not in stores:
        yield f"store {line.store!r} is not defined on a line before this one"
    elif line.after is not None:
        store = stores.get(line.store or "")
        looked = [snapshot.after for snapshot in store.snapshots or ()] if store else []
        if not looked:
            yield "after goes with a store that has snapshots; leave it out, or give the store snapshots"
        elif line.after not in looked:
            yield f"after {line.after!r}: the store has no snapshot after it (they are after {_few(looked)})"


def _wrong_names(conversations: Sequence[ConversationLine]) -> Iterator[str]:
    names = list(names_in(conversations))
    if twice := _repeated([id for id, _ in names]):
        yield f"two conversations have the id {twice!r}"
    elif twice := _repeated([turn for _, turns in names for turn in turns]):
        yield f"two turns have the id {twice!r}"


def _wrong_facts(line: TraceLine, stores: dict[str, StoreLine]) -> Iterator[str]:
    ids = line.fact_ids
    if twice := _repeated(ids):
        yield f"two facts have the id {twice!r}"
    if any(not fact.text.strip() for fact in line.facts):
        yield "a fact has no text"
    if line.sufficient is not None and not all(line.sufficient):
        yield "sufficient has an empty set; leave it out where every fact is needed"
    named = [("sufficient", id) for needed in line.sufficient or () for id in needed]
    named += [("outdated", id) for old in line.outdated for id in (old.fact, *old.voided_by)]
    if stray := next(((key, id) for key, id in named if id not in ids), None):
        yield f"{stray[0]} names fact {stray[1]!r}, unknown here (the facts are {_few(ids)})"
    elif not line.needed and line.facts and line.scored_by != "abstain":
        yield 'every fact is outdated; name what is true now, or set scoring to "abstain" if nothing is'
    elif not line.facts and line.scored_by != "abstain" and line.answer is None and line.right is None:
        yield "facts is empty, and there is no answer to grade; name the facts that the question needs"
    store = stores.get(line.store or "")
    told = store.told if store else _told(line.conversations)
    if lost := next((turn for fact in line.facts for turn in fact.turns if turn not in told), None):
        yield f"a fact names turn {lost!r}, which is in none of the conversations"


def _wrong_scoring(line: TraceLine, judged: bool) -> Iterator[str]:
    scoring, count = line.scored_by, len(line.choices)
    if scoring == "choice" and not line.correct_choice:
        yield 'scoring "choice" needs correct_choice, the letter of the right one'
    if line.correct_choice and scoring != "choice":
        yield f'correct_choice goes with scoring "choice", not {scoring!r}; keep one of them'
    if scoring == "choice" and count > len(ascii_uppercase):
        yield f"there are {count} choices and {len(ascii_uppercase)} letters; leave some out"
    elif line.correct_choice and line.choices and ascii_uppercase.index(line.correct_choice) >= count:
        yield f"correct_choice {line.correct_choice!r} is none of the {count} choices"
    if scoring in ("contains", "exact", "titles") and not line.gold and not line.golds:
        yield f'scoring "{scoring}" compares with gold (or golds); give one'
    if scoring == "points" and not line.golds:
        yield 'scoring "points" needs golds, the points that a right answer makes'
    if scoring == "nuggets" and not line.golds:
        yield 'scoring "nuggets" needs golds, what a right answer holds or does, one by one'
    if (
        judged
        and line.answer is not None
        and line.right is None
        and scoring == "free"
        and not (line.gold or line.golds)
    ):
        yield "a judge compares the answer with gold; give it, or leave the answer out"


def _repeated(ids: Sequence[str]) -> str | None:
    """The first id that occurs twice."""
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            return id
        seen.add(id)
    return None


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
