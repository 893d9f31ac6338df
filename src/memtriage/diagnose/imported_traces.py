"""Stage verdicts for traces recorded by another tool, in the JSON-lines format of docs/traces.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.run import AskingTotals, summary
from memtriage.diagnose.store import diagnose
from memtriage.text.tokens import count_tokens
from memtriage.text.words import well_formed

_MOST_PROBLEMS = 20


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MemoryLine(_Strict):
    text: str
    id: str | None = None
    score: float | None = None


class FactLine(_Strict):
    text: str = Field(min_length=1)
    id: str | None = None
    details: list[str] = []
    evidence: list[str] = []
    subject: str = ""
    split: bool = False


class StoreLine(_Strict):
    """The memories of a store, with a name so that traces can share it."""

    store: str
    memories: list[str | MemoryLine]
    conversations: list[str] = []


class TraceLine(_Strict):
    """One question as another tool asked it."""

    probe: str
    question: str
    facts: list[FactLine] = Field(min_length=1)
    retrieved: list[str | MemoryLine]
    sufficient: list[list[str]] | None = None
    store: str | None = None
    all_memories: list[str | MemoryLine] | None = None
    conversations: list[str] = []
    gold: str = ""
    answer: str | None = None
    choices: list[str] = []
    correct_choice: str = ""
    system: str = "system"
    task: str = "traces"
    k: int | None = Field(default=None, ge=1)
    seconds: float | None = None
    error: str | None = None
    tags: dict[str, str] = {}


@dataclass(slots=True)
class _Group:
    """The traces of one system that share a store."""

    system: str
    task: str
    store: StoreLine | None
    lines: list[TraceLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ImportedTraces:
    """Verdicts on imported traces, and the texts of their memories by content key."""

    verdicts: tuple[ProbeVerdict, ...]
    stores: tuple[StoreSummary, ...]
    texts: Mapping[str, str]


def diagnose_file(path: Path) -> ImportedTraces:
    """Stage verdicts for every trace in a JSON-lines file."""
    verdicts: list[ProbeVerdict] = []
    stores: list[StoreSummary] = []
    texts: dict[str, str] = {}
    for number, group in enumerate(_groups(path), start=1):
        episode, history, traces = _converted(group, f"{group.task}#{number}", texts)
        suite = group.task.partition("/")[0]
        verdicts += diagnose(episode, history, traces, lambda keys: {k: texts[k] for k in keys}, suite, group.system)
        asking = AskingTotals()
        asking.queries = len(group.lines)
        stores.append(summary(episode, group.system, history, asking))
    return ImportedTraces(tuple(verdicts), tuple(stores), texts)


def _groups(path: Path) -> list[_Group]:
    stores: dict[str, StoreLine] = {}
    groups: dict[tuple[str, str, str], _Group] = {}
    problems: list[str] = []
    seen: set[tuple[str, str, str, int]] = set()
    for number, raw in _lines(path):
        try:
            line = _parsed(raw)
        except ValueError as error:
            problems.append(f"{path}, line {number}: {_error_text(error)}")
            continue
        if isinstance(line, StoreLine):
            if line.store in stores:
                problems.append(f"{path}, line {number}: store {line.store!r} is defined twice; give each its own name")
            stores[line.store] = line
            continue
        wrong = _contradiction(line)
        if wrong:
            problems.append(f"{path}, line {number}: {wrong}")
            continue
        key = (line.system, line.task, line.probe, line.k or max(1, len(line.retrieved)))
        if key in seen:
            problems.append(
                f"{path}, line {number}: probe {line.probe!r} of {line.system!r} occurs twice at the same k"
            )
            continue
        seen.add(key)
        if line.store is not None and line.store not in stores:
            problems.append(f"{path}, line {number}: store {line.store!r} is not defined on a line before this one")
            continue
        store = stores[line.store] if line.store is not None else _inline_store(line)
        group = groups.setdefault(
            (line.system, line.task, store.store if store else ""), _Group(line.system, line.task, store)
        )
        group.lines.append(line)
    if problems:
        more = f"\n… and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise BadInput("\n".join(problems[:_MOST_PROBLEMS]) + more)
    if not groups:
        raise BadInput(f"{path} holds no traces; the format is described in docs/traces.md")
    return list(groups.values())


def _contradiction(line: TraceLine) -> str | None:
    """What is inconsistent within a trace, if anything."""
    if line.store is not None and line.all_memories is not None:
        return "store and all_memories are both given; keep one of them"
    if line.store is not None and line.conversations:
        return f"conversations belong on the line of store {line.store!r}"
    ids = [fact.id or str(i) for i, fact in enumerate(line.facts, start=1)]
    twice = next((id for i, id in enumerate(ids) if id in ids[:i]), None)
    if twice is not None:
        return f"two facts have the id {twice!r}"
    if any(not fact.text.strip() for fact in line.facts):
        return "a fact has no text"
    if line.sufficient is not None and not all(line.sufficient):
        return "sufficient has an empty set; leave it out where every fact is needed"
    stray = next((id for needed in line.sufficient or () for id in needed if id not in ids), None)
    return None if stray is None else f"sufficient names fact {stray!r}, unknown here (the facts are {', '.join(ids)})"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                except UnicodeDecodeError as error:
                    raise BadInput(
                        f"{path}, line {number}: not UTF-8 ({error.reason}); save the file as UTF-8"
                    ) from error
                if text:
                    yield number, text
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror or error}") from error


def _parsed(raw: str) -> StoreLine | TraceLine:
    try:
        record: Any = json.loads(raw)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(record, dict):
        raise ValueError("a line must be a JSON object")
    return StoreLine.model_validate(record) if "memories" in record else TraceLine.model_validate(record)


def _error_text(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg'].lower()} (see docs/traces.md)"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    return str(error)


def _inline_store(line: TraceLine) -> StoreLine | None:
    if line.all_memories is None:
        return None
    content = "\0".join([*(_memory(m).text for m in line.all_memories), "", *line.conversations])
    name = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
    return StoreLine(store=name, memories=line.all_memories, conversations=line.conversations)


def _memory(memory: str | MemoryLine) -> MemoryLine:
    return MemoryLine(text=memory) if isinstance(memory, str) else memory


def _key(memory: str | MemoryLine, texts: dict[str, str]) -> str:
    parsed = _memory(memory)
    text = well_formed(parsed.text)
    key = hashlib.sha256(f"{parsed.id or ''}\0{text}".encode()).hexdigest()[:20]
    texts[key] = text
    return key


def _converted(group: _Group, id: str, texts: dict[str, str]) -> tuple[Episode, History, list[Trace]]:
    facts: dict[str, Fact] = {}
    probes: dict[str, Probe] = {}
    traces: list[Trace] = []
    for line in group.lines:
        needed = _facts(line)
        facts |= {fact.id: fact for fact in needed}
        probes.setdefault(line.probe, _probe(line, needed))
        traces.append(_trace(line, texts))
    chats = group.store.conversations if group.store else [text for line in group.lines for text in line.conversations]
    sessions = tuple(Session(f"c{i}", (Turn("user", text, f"c{i}/0"),)) for i, text in enumerate(dict.fromkeys(chats)))
    episode = Episode(id, group.task, sessions, tuple(facts.values()), tuple(probes.values()))
    if group.store is None:
        return episode, History(Ingest(len(sessions), 0.0, blind="the trace has no all_memories")), traces
    keys = tuple(dict.fromkeys(_key(m, texts) for m in group.store.memories))
    tokens = sum(count_tokens(texts[key]) for key in keys)
    return (
        episode,
        History(Ingest(len(sessions), 0.0, len(keys), tokens), (Snapshot("end", "end", None, keys),)),
        traces,
    )


def _facts(line: TraceLine) -> list[Fact]:
    return [
        Fact(
            id=f"{line.probe}/{fact.id or i}",
            text=fact.text,
            turns=(),
            details=tuple(fact.details) or (fact.text,),
            evidence=tuple(fact.evidence),
            subject=fact.subject,
            split=fact.split,
        )
        for i, fact in enumerate(line.facts, start=1)
    ]


def _probe(line: TraceLine, facts: Sequence[Fact]) -> Probe:
    sets = [[f"{line.probe}/{id}" for id in ids] for ids in line.sufficient or []] or [[fact.id for fact in facts]]
    return Probe(
        id=line.probe,
        text=line.question,
        gold=line.gold,
        sufficient=tuple(map(tuple, sets)),
        scoring="choice" if line.correct_choice else "free",
        choices=tuple(line.choices),
        correct_choice=line.correct_choice,
        tags=line.tags,
    )


def _trace(line: TraceLine, texts: dict[str, str]) -> Trace:
    keys = [_key(m, texts) for m in line.retrieved]
    retrieved = tuple(Retrieved(key, i + 1, _memory(line.retrieved[i]).score) for i, key in enumerate(keys))
    tokens = sum(count_tokens(texts[key]) for key in keys)
    k = line.k or max(1, len(keys))
    return Trace(line.probe, k, None, retrieved, tokens, line.seconds, line.answer, line.error)
