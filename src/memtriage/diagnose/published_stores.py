"""Stores that somebody published beside a suite's episodes: the suite brings facts and questions, a file the stores.

A line `{"store": …, "episode": …, "system": …, "snapshots": […]}` is one system's store for one episode, a line
`{"store": …, "question": …, "retrieved": […], "answer": …}` a question that was asked of it (docs/traces.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from memtriage import registry
from memtriage.core.amount import K
from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import Request
from memtriage.core.trace import Retrieved, Trace
from memtriage.diagnose.imported_traces import ImportedStore, history_of, live_in, memory_key
from memtriage.diagnose.trace_format import TEXT, MemoryLine, Number, SnapshotLine, StoreLine, Strict, TraceLine
from memtriage.host.inputs import BadJson, input_lines, loads
from memtriage.text.tokens import count_tokens

_MOST_PROBLEMS = 20


class PublishedStore(Strict):
    """One system's store for one episode, after some of its sessions."""

    store: str = Field(min_length=1)
    episode: str = Field(min_length=1)
    system: str = Field(min_length=1)
    snapshots: list[SnapshotLine] = Field(min_length=1)


class PublishedQuestion(Strict):
    """A question of the episode, named by its id or its words, as it was asked of a store."""

    store: str
    probe: str = ""
    question: str = ""
    moment: str = ""
    retrieved: list[Annotated[MemoryLine, TEXT]]
    answer: str | None = None
    right: bool | None = None
    k: int | None = Field(default=None, ge=1)
    seconds: Number | None = None
    error: str | None = None

    @property
    def at_k(self) -> int:
        return self.k or max(1, len(self.retrieved))


@dataclass(slots=True)
class _Asked:
    """A store with what was asked of it."""

    line: PublishedStore
    episode: Episode
    questions: list[tuple[PublishedQuestion, Probe]] = field(default_factory=list)


def load_published(path: Path, suite: str, data: Path) -> list[ImportedStore]:
    """The stores of a file, about episodes of a suite's data files."""
    episodes = _episodes(suite, data)
    stores: dict[str, _Asked] = {}
    problems: list[str] = []
    for number, raw in input_lines(path):
        problems += (f"{path}, line {number}: {problem}" for problem in _read(raw, stores, episodes))
    if problems:
        more = f"\n… and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise BadInput("\n".join(problems[:_MOST_PROBLEMS]) + more)
    if not any(store.questions for store in stores.values()):
        raise BadInput(f"{path} holds no questions; docs/traces.md describes the lines")
    texts: dict[str, str] = {}
    return [_converted(store, texts) for store in stores.values() if store.questions]


def _episodes(suite: str, data: Path) -> dict[str, Episode]:
    _, tasks = registry.tasks(suite)
    found = {episode.id: episode for task in tasks for episode in task.load(Request(data=data)).episodes}
    if not found:
        raise BadInput(f"{data} holds no episodes of suite {suite}")
    return found


def _read(raw: bytes, stores: dict[str, _Asked], episodes: Mapping[str, Episode]) -> Iterator[str]:
    """Take in one line; says what is wrong with it."""
    try:
        record: Any = loads(raw.decode(), infinite=True)
        if not isinstance(record, dict):
            raise BadJson("a line is one JSON object")
        kind = PublishedStore if "snapshots" in record else PublishedQuestion
        line = kind.model_validate(record)
    except (BadJson, UnicodeDecodeError) as error:
        yield f"not JSON: {error}; write one object per line"
    except ValidationError as error:
        for each in error.errors(include_url=False):
            yield f"{'.'.join(map(str, each['loc']))}: {each['msg'].lower()} (see docs/traces.md)"
    else:
        yield from _take(line, stores, episodes)


def _take(
    line: PublishedStore | PublishedQuestion, stores: dict[str, _Asked], episodes: Mapping[str, Episode]
) -> Iterator[str]:
    if isinstance(line, PublishedStore):
        if line.store in stores:
            yield f"store {line.store!r} is defined twice; give each its own name"
        elif line.episode not in episodes:
            yield unknown("episode", line.episode, episodes)
        else:
            yield from _wrong_looks(line, episodes[line.episode])
            stores[line.store] = _Asked(line, episodes[line.episode])
        return
    if line.store not in stores:
        yield f"store {line.store!r} is not defined on a line before this one"
        return
    store = stores[line.store]
    found = list(_named(line, store.episode.probes))
    if len(found) != 1:
        yield _not_one(line, store.episode, len(found))
    elif any(probe is found[0] and other.at_k == line.at_k for other, probe in store.questions):
        yield f"{found[0].id} is asked twice of store {line.store!r} at the same k"
    else:
        store.questions.append((line, found[0]))


def _wrong_looks(line: PublishedStore, episode: Episode) -> Iterator[str]:
    told = [session.id for session in episode.sessions]
    looked = [look.after for look in line.snapshots]
    for stray in (id for id in looked if id not in told):
        yield f"a snapshot is after {stray!r}, which is no session of episode {episode.id!r} ({told[0]} to {told[-1]})"
        return
    if looked != sorted(dict.fromkeys(looked), key=told.index):
        yield "snapshots must stand in the order of the sessions, each once"


def _named(line: PublishedQuestion, probes: Sequence[Probe]) -> Iterator[Probe]:
    for probe in probes:
        moment = probe.tags.get("moment", line.moment)
        if probe.id == line.probe or (
            not line.probe and _plain(probe.text) == _plain(line.question) and moment == (line.moment or "after")
        ):
            yield probe


def _not_one(line: PublishedQuestion, episode: Episode, found: int) -> str:
    if line.probe:
        return unknown(f"question of episode {episode.id!r}", line.probe, [probe.id for probe in episode.probes])
    what = f"{found} questions" if found else "no question"
    return f"episode {episode.id!r} has {what} in these words: {line.question!r}; name it by its id, as probe"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _converted(store: _Asked, texts: dict[str, str]) -> ImportedStore:
    asked = {probe.id: probe for _, probe in store.questions}
    # What was not asked before the change can't be held against what was asked after it.
    probes = [replace(probe, given=probe.given if probe.given in asked else "") for probe in asked.values()]
    episode = replace(store.episode, probes=tuple(probes))
    line = StoreLine(store=store.line.store, snapshots=store.line.snapshots)
    history = history_of(line, len(store.episode.sessions), texts)
    traces = tuple(_trace(line, probe, store, texts) for line, probe in store.questions)
    graded: dict[tuple[str, K], TraceLine] = {
        (probe.id, line.at_k): TraceLine(
            probe=probe.id,
            question=probe.text,
            facts=[],
            retrieved=[],
            answer=line.answer,
            right=line.right,
            scoring=probe.scoring,
        )
        for line, probe in store.questions
        if line.right is not None
    }
    return ImportedStore(store.line.system, episode, history, traces, graded, texts, live_in(line, texts))


def _trace(line: PublishedQuestion, probe: Probe, store: _Asked, texts: dict[str, str]) -> Trace:
    retrieved = tuple(
        Retrieved(memory_key(memory, texts), rank, memory.score, memory.date)
        for rank, memory in enumerate(line.retrieved, start=1)
    )
    tokens = sum(count_tokens(texts[each.key]) for each in retrieved)
    answer = line.answer if line.right is None else None  # it is graded already
    snapshot = _last_look(store, probe)
    return Trace(probe.id, line.at_k, snapshot, retrieved, tokens, line.seconds, answer, line.error)


def _last_look(store: _Asked, probe: Probe) -> str:
    """The last time that the store was looked at before a question was asked, or else the first."""
    told = [session.id for session in store.episode.sessions]
    until = told.index(probe.after) if probe.after is not None else len(told)
    looked = [look.after for look in store.line.snapshots]
    before = [id for id in looked if told.index(id) <= until]
    return before[-1] if before else looked[0]
