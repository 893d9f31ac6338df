"""Stage verdicts for traces recorded by another tool, in the JSON-lines format of docs/traces.md."""

from __future__ import annotations

import asyncio
import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from memtriage.core.amount import K
from memtriage.core.chat import ChatModel
from memtriage.core.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.core.memory_check import MemoryCheck
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.answers import Grade, with_grade
from memtriage.diagnose.false_memories import check_memories, said_until, with_findings
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.lexical.contradictions import LiveMemory
from memtriage.diagnose.pairs import Pairs
from memtriage.diagnose.run import AskingTotals, summary
from memtriage.diagnose.store import diagnose, judge_store
from memtriage.diagnose.trace_format import (
    ConversationLine,
    MemoryLine,
    StoreLine,
    StoreTraces,
    TraceLine,
    names_in,
    read_traces,
)
from memtriage.text.tokens import count_tokens

_PARALLEL_STORES = 16
"""How many stores are judged at the same time; many hold a single trace."""


@dataclass(frozen=True, slots=True)
class ImportedTraces:
    """Verdicts on imported traces, and the texts of their memories by content key.

    `checks` say what the stores made up. `cost` is what a judge used, and `stopped` why it was stopped, if it was.
    """

    verdicts: tuple[ProbeVerdict, ...]
    stores: tuple[StoreSummary, ...]
    texts: Mapping[str, str]
    checks: tuple[MemoryCheck, ...] = ()
    cost: Mapping[str, Any] | None = None
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedStore:
    """One store of a file as a run would have recorded it; `graded_lines` bring their grades along.

    `live` are its memories at its end.
    """

    system: str
    episode: Episode
    history: History
    traces: tuple[Trace, ...]
    graded_lines: Mapping[tuple[str, K], TraceLine]
    texts: Mapping[str, str]
    live: tuple[LiveMemory, ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of its diagnosis; pairs are settled after it, as their answers may be graded already."""
        alone = (replace(probe, given="") for probe in self.episode.probes)
        return {
            "episode": replace(self.episode, probes=tuple(alone)),
            "history": self.history,
            "traces": self.traces,
            "texts": lambda keys: {key: self.texts[key] for key in keys},
            "suite": self.episode.task.partition("/")[0],
            "system": self.system,
        }

    def graded(self, verdict: ProbeVerdict, paper_exact: bool = False) -> ProbeVerdict:
        """The verdict with the grade that the file gives its answer, if it does."""
        line = self.graded_lines.get((verdict.probe, verdict.k))
        if line is None or verdict.verdict == "error":
            return verdict
        right = bool(line.right)
        declining = line.scored_by == "abstain" and not line.outdated and not paper_exact
        answered = replace(verdict, answer=line.answer, depth="full", why="" if declining else verdict.why)
        why = f"it was graded as {'right' if right else 'wrong'} before"
        return with_grade(answered, Grade(right, float(right), why, "judge"), declining=declining)

    def settled(self, verdicts: Iterable[ProbeVerdict], paper_exact: bool = False) -> Iterator[ProbeVerdict]:
        """The verdicts with their grades, those before and after a change as pairs."""
        pairs = Pairs(self.episode)
        for verdict in verdicts:
            yield from pairs.add(self.graded(verdict, paper_exact))
        yield from pairs.unpaired()

    @property
    def summary(self) -> StoreSummary:
        asking = AskingTotals()
        asking.queries = len(self.traces)
        return summary(self.episode, self.system, self.history, asking)

    @property
    def memory_check(self) -> MemoryCheck:
        """What it made up, held against the conversations in the file."""
        task = self.episode.task
        check = MemoryCheck(task.partition("/")[0], task, self.system, self.episode.id)
        untold = "" if self.episode.sessions else "the file doesn't have what was said"
        if na := self.history.ingest.blind or untold:
            return replace(check, na=na)
        said = said_until(self.episode, self.history.snapshots[-1].after)
        return with_findings(check, check_memories(self.live, said), self.episode, said)


Loader = Callable[[Path], list[ImportedStore]]
"""Reads the stores of a file."""


def load_stores(path: Path, judged: bool = False) -> list[ImportedStore]:
    """The stores of a file, with their questions; `judged` if a judge will grade the answers."""
    return converted(read_traces(path, judged))


def converted(groups: Iterable[StoreTraces]) -> list[ImportedStore]:
    """Stores with their questions, as a run would have recorded them."""
    texts: dict[str, str] = {}
    return [_converted(group, f"{group.task}#{number}", texts) for number, group in enumerate(groups, start=1)]


def diagnose_file(path: Path, load: Loader | None = None) -> ImportedTraces:
    """Stage verdicts by words for every trace in a JSON-lines file."""
    stores = load(path) if load else load_stores(path)
    found = (verdict for store in stores for verdict in store.settled(diagnose(**store.arguments)))
    return imported(stores, found)


async def judge_traces(
    stores: Sequence[ImportedStore],
    model: ChatModel,
    paper_exact: bool = False,
    done: Callable[[], None] = lambda: None,
) -> list[ProbeVerdict]:
    """The same with a judge for what words can't decide; `done` is called after each verdict."""
    turn = asyncio.Semaphore(_PARALLEL_STORES)

    async def verdicts(store: ImportedStore) -> list[ProbeVerdict]:
        found = []
        async with turn:
            judge = Judge(model, paper_exact=paper_exact)
            async for verdict in judge_store(**store.arguments, answers=(), judge=judge):
                found.append(verdict)
                done()
        return list(store.settled(found, paper_exact))

    return [verdict for found in await asyncio.gather(*map(verdicts, stores)) for verdict in found]


def imported(stores: Sequence[ImportedStore], verdicts: Iterable[ProbeVerdict]) -> ImportedTraces:
    """The verdicts together with what they are about."""
    texts = stores[0].texts if stores else {}
    return ImportedTraces(
        tuple(verdicts),
        tuple(store.summary for store in stores),
        texts,
        tuple(store.memory_check for store in stores),
    )


# ------------------------------------------------------------------ as a run would have recorded it


def _converted(group: StoreTraces, id: str, texts: dict[str, str]) -> ImportedStore:
    told = _Sessions()
    shared = told.add(group.store.conversations) if group.store else {}
    facts: dict[str, Fact] = {}
    probes: dict[str, Probe] = {}
    for line in group.lines:
        turns = shared if group.store else told.add(line.conversations)
        facts |= {fact.id: fact for fact in _facts(line, turns)}
        probes.setdefault(line.probe, _probe(line))
    placed = tuple(told.placed(facts.values()))
    return ImportedStore(
        group.system,
        Episode(id, group.task, tuple(told.sessions), placed, tuple(probes.values())),
        history_of(group.store, told.conversations, texts),
        tuple(_trace(line, texts) for line in group.lines),
        {(line.probe, line.at_k): line for line in group.lines if line.right is not None},
        texts,
        live_in(group.store, texts),
    )


def live_in(store: StoreLine | None, texts: dict[str, str]) -> tuple[LiveMemory, ...]:
    """The memories of a store at its end."""
    held = store.looks[-1].memories if store else ()
    return tuple(LiveMemory(memory_key(memory, texts), memory.text, memory.date or "") for memory in held)


class _Sessions:
    """The sessions of an episode. A conversation that several traces repeat is told once.

    As a session has one date, a conversation whose turns are dated on several days becomes several sessions.
    """

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.conversations = 0
        self._turns: dict[str, tuple[str, ...]] = {}
        self._ids: set[str] = set()

    def add(self, conversations: Sequence[ConversationLine]) -> dict[str, tuple[str, ...]]:
        """Add what is new, and give the ids of the turns that each name in the file stands for."""
        named: dict[str, tuple[str, ...]] = {}
        for talk, (name, turn_names) in zip(conversations, names_in(conversations), strict=True):
            content = repr(talk)
            if content not in self._turns:
                self._turns[content] = self._tell(talk, name)
            turns = self._turns[content]
            named |= {name: turns, **{turn: (id,) for turn, id in zip(turn_names, turns, strict=True)}}
        return named

    def _tell(self, talk: ConversationLine, name: str) -> tuple[str, ...]:
        self.conversations += 1
        own = self._unused(name)
        date = talk.date or next((turn.date for turn in talk.turns if turn.date), None)
        days: list[tuple[str | None, list[Turn]]] = [(date, [])]
        for number, turn in enumerate(talk.turns, start=1):
            date, said = days[-1]
            if turn.date and turn.date[:10] != (date or "")[:10]:
                if not said:
                    days.pop()
                days.append((turn.date, []))
            days[-1][1].append(Turn(turn.role, turn.text, f"{own}/{number}"))
        for n, (date, said) in enumerate(days):
            self.sessions.append(Session(own if n == 0 else self._unused(f"{own}+{n}"), tuple(said), date))
        return tuple(turn.id for _, said in days for turn in said)

    def _unused(self, id: str) -> str:
        """The id, changed if a conversation of another trace has it."""
        while id in self._ids:
            id += "'"
        self._ids.add(id)
        return id

    def placed(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """The facts with the turns that tell them word for word, if turns have dates and the file doesn't say."""
        dated = any(session.timestamp for session in self.sessions)
        search = _Search([turn for session in self.sessions if dated for turn in session.turns])
        for fact in facts:
            found = fact.turns or tuple(dict.fromkeys(id for text in fact.evidence for id in search.turns_with(text)))
            yield replace(fact, turns=found)


class _Search:
    """Finds the turns that hold a text, whatever its case and line breaks; all turns are searched at once."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn.id for turn in turns]
        texts = [_plain(turn.text) + "\n" for turn in turns]
        self._ends = list(accumulate(map(len, texts)))
        self._all = "".join(texts)

    def turns_with(self, text: str) -> Iterator[str]:
        wanted, at = _plain(text), -1
        while wanted and (at := self._all.find(wanted, at + 1)) >= 0:
            place = bisect_right(self._ends, at)
            yield self._ids[place]
            at = self._ends[place] - 1


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _facts(line: TraceLine, turns: Mapping[str, tuple[str, ...]]) -> Iterator[Fact]:
    for id, fact in zip(line.fact_ids, line.facts, strict=True):
        yield Fact(
            id=f"{line.probe}/{id}",
            text=fact.text,
            turns=tuple(dict.fromkeys(turn for name in fact.turns for turn in turns[name])),
            details=tuple(fact.details) or (fact.text,),
            evidence=tuple(fact.evidence),
            subject=fact.subject,
            split=fact.split,
            settled=fact.settled,
        )


def _probe(line: TraceLine) -> Probe:
    golds = line.golds
    if line.scored_by in ("contains", "exact") and golds and line.gold:
        golds = list(dict.fromkeys((line.gold, *golds)))
    return Probe(
        id=line.probe,
        text=line.question,
        gold=line.gold or "; ".join(line.golds),
        sufficient=tuple(tuple(f"{line.probe}/{id}" for id in ids) for ids in line.needed),
        scoring=line.scored_by,
        choices=tuple(line.choices),
        correct_choice=line.correct_choice,
        tags=line.tags,
        outdated=tuple(
            Outdated(f"{line.probe}/{old.fact}", tuple(f"{line.probe}/{id}" for id in old.voided_by))
            for old in line.outdated
        ),
        asked_at=line.asked_at,
        golds=tuple(golds),
    )


def history_of(store: StoreLine | None, conversations: int, texts: dict[str, str]) -> History:
    """The store as snapshots, each as a change from the one before."""
    if store is None:
        return History(Ingest(conversations, 0.0, blind="the trace has no all_memories"))
    snapshots: list[Snapshot] = []
    held: dict[str, None] = {}
    for look in store.looks:
        now = dict.fromkeys(memory_key(memory, texts) for memory in look.memories)
        base = snapshots[-1].id if snapshots else None
        came = tuple(key for key in now if key not in held)
        went = tuple(key for key in held if key not in now)
        snapshots.append(Snapshot(look.after, look.after, base, came, went))
        held = now
    tokens = sum(count_tokens(texts[key]) for key in held)
    return History(Ingest(conversations, 0.0, len(held), tokens), tuple(snapshots))


def _trace(line: TraceLine, texts: dict[str, str]) -> Trace:
    retrieved = tuple(
        Retrieved(memory_key(memory, texts), rank, memory.score, memory.date)
        for rank, memory in enumerate(line.retrieved, start=1)
    )
    tokens = sum(count_tokens(texts[each.key]) for each in retrieved)
    answer = line.answer if line.right is None else None  # it is graded already
    return Trace(line.probe, line.at_k, line.after, retrieved, tokens, line.seconds, answer, line.error)


def memory_key(memory: MemoryLine, texts: dict[str, str]) -> str:
    """The content key of a memory, whose text is noted."""
    key = hashlib.sha256(f"{memory.id or ''}\0{memory.text}".encode()).hexdigest()[:20]
    texts[key] = memory.text
    return key
