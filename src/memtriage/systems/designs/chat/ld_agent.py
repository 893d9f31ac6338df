"""Summaries of what happened and facts about who spoke, found by nouns, meaning and age: the design of LD-Agent."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.chat_memory import ChatMemory, day_or_none
from memtriage.systems.designs.chat.conversation import day_number, gist, latest, people_statements, topics
from memtriage.systems.designs.chat.prompts import ld_session
from memtriage.systems.designs.design import distinct
from memtriage.systems.designs.facts import sameness
from memtriage.systems.designs.replies import line, records, sources
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import cut, number, whole
from memtriage.systems.saved_state import texts

EntryKind = Literal["event", "fact"]

_BY_RULE = 3


def overlap(asked: frozenset[str], held: frozenset[str]) -> float:
    """The share of nouns that two texts have in common, seen from either side and averaged.

    >>> overlap(frozenset({"kayak", "lake"}), frozenset({"lake", "house", "summer", "boat"}))
    0.375
    """
    if not asked or not held:
        return 0.0
    shared = len(asked & held)
    return (shared / len(asked) + shared / len(held)) / 2


def decayed(days: float, decay: float) -> float:
    """What a memory counts for after so many days, of which `decay` make it e times less."""
    return math.exp(-max(days, 0.0) / decay)


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened in a session, or something that is true of somebody."""

    id: str
    kind: EntryKind
    text: str
    created_at: str | None = None
    seen: int | None = None
    sources: tuple[str, ...] = ()


@dataclass(slots=True)
class EntryDraft:
    """The entries that a session writes, worked out before anything is touched."""

    count: int
    put: dict[str, Entry] = field(default_factory=dict)
    known: dict[Hashable, str] = field(default_factory=dict)


class LDAgent(ChatMemory):
    """Keeps a summary of each session and the facts it shows of those who spoke, and none of the words themselves.

    Summarise: one call per session writes the summary (event memory) and lists facts about user and assistant
    (persona memory).
    Store: two lists with their times; a fact that says the same words again is kept once, as of its latest day.
    Retrieve: the nouns of the question are the query. An entry counts for the cosine between question and entry plus
    the overlap of their nouns, both multiplied by exp(-t/`decay`), where t are the days between the entry and the
    question. Entries whose cosine is below `threshold` are not brought; 0 brings all. The newest `personas` facts (by
    default all) are shown with every question, beside k, and the rest is ranked with the summaries.

    With `summarise=rules` a summary is the most telling sentences of a session, and facts are what people state in it;
    what the assistant said is lost unless a summary has it. With `summarise=verbatim` every turn is a fact as it
    stands, so that retrieval can be looked at alone.
    """

    name = "ld-agent"
    asks = ("ld_session",)
    traits = Traits(
        family="structure-rag",
        architecture=(
            "summarise: a session summary and facts about the speakers by a model (or by rule, or turns verbatim), "
            "no raw text kept; "
            "store: event list and fact list with times; "
            "retrieve: summaries by cosine plus overlap of the question's nouns, times a decay with age; facts always"
        ),
        ranks_all=True,
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        threshold: float = 0.0,
        decay: float = 116.0,
        personas: str | int = "all",
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, repeat, prompts, granularity)
        self.threshold, self.decay = number("threshold", threshold, 0, 1), number("decay", decay, 1e-6)
        self.personas = None if str(personas) == "all" else whole("personas", personas, least=0)
        self.reset()

    def reset(self) -> None:
        self._vectors.clear()
        self._kept: dict[str, Entry] = {}
        self._topics: dict[str, frozenset[str]] = {}
        self._known: dict[Hashable, str] = {}  # what facts say, and the fact that says it
        self._count = 0
        self._now = None

    def store_conversation(self, conversation: Session) -> None:
        draft = self._draft(conversation)
        new = [id for id in draft.put if id not in self._kept]
        vectors = self._vectors.embed([draft.put[id].text for id in new])
        # Nothing from here on can fail, so that a session is stored as a whole.
        self._kept |= draft.put
        self._topics |= {id: topics(draft.put[id].text) for id in new}
        self._known |= draft.known
        self._vectors.put(new, vectors)
        self._count, self._now = draft.count, self._after(conversation)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most, now, asked = whole("k", k), self._moment(conversation), topics(query)
        ranked, shown = self._vectors.ranked(self._vectors.embed_query(query)), set(self._personas())
        found = [
            (id, self._score(id, cosine, asked, now)) for id, cosine in ranked if self._near(cosine) and id not in shown
        ]
        found.sort(key=lambda each: -each[1])  # among equals, the higher cosine stays first
        return [replace(_memory(self._kept[id]), score=score) for id, score in found[:most]]

    def always_shown(self) -> list[Memory]:
        """The facts about those who spoke, which the original puts into every prompt."""
        return [_memory(self._kept[id]) for id in self._personas()]

    def get_all_memories(self) -> list[Memory]:
        return [_memory(entry) for entry in self._kept.values()]

    # Summarise

    def _draft(self, session: Session) -> EntryDraft:
        draft, turns = EntryDraft(self._count), spoken(session)
        if not turns:
            return draft
        if self.summarise == "verbatim":
            for unit in cut(session, self.granularity):
                self._add(draft, "fact", unit.text, unit.sources, session)
        elif self.summarise == "rules":
            summary = gist(turns, _BY_RULE)
            self._add(
                draft, "event", " ".join(each.text for each in summary), distinct(e.turn for e in summary), session
            )
            for statement in people_statements(turns):
                self._add(draft, "fact", statement.text, (statement.turn,), session)
        else:
            reply = self._ask(ld_session(turns, session.timestamp))
            self._add(draft, "event", line(reply, "summary"), sources(reply, turns), session)
            for record in records(reply, "facts"):
                self._add(draft, "fact", _with_owner(record), sources(record, turns), session)
        return draft

    # Store

    def _add(self, draft: EntryDraft, kind: EntryKind, text: str, turn_ids: tuple[str, ...], session: Session) -> None:
        if not text:
            return
        seen = self._now if (today := day_number(session.timestamp)) is None else today
        key = sameness(text, exactly=self.summarise == "verbatim")
        known_id = draft.known.get(key) or self._known.get(key) if kind == "fact" else None
        if known_id is not None:
            old = draft.put.get(known_id) or self._kept[known_id]
            newer = session.timestamp or old.created_at
            draft.put[known_id] = replace(
                old, created_at=newer, seen=latest(old.seen, seen), sources=distinct(old.sources, turn_ids)
            )
            return
        draft.count += 1
        id = f"{kind[0]}{draft.count}"
        draft.put[id] = Entry(id, kind, text, session.timestamp, seen, turn_ids)
        if kind == "fact":
            draft.known[key] = id

    # Retrieve

    def _near(self, cosine: float) -> bool:
        return not self.threshold or cosine >= self.threshold

    def _score(self, id: str, cosine: float, asked: frozenset[str], now: int | None) -> float:
        seen = self._kept[id].seen
        age = now - seen if now is not None and seen is not None else 0
        return decayed(age, self.decay) * (max(cosine, 0.0) + overlap(asked, self._topics[id]))

    def _personas(self) -> list[str]:
        """The ids of the facts that are always shown; turns that are kept as they stand are none."""
        if self.summarise == "verbatim" or self.personas == 0:
            return []
        facts = [id for id, entry in self._kept.items() if entry.kind == "fact"]
        return facts if self.personas is None else facts[-self.personas :]

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "threshold": self.threshold, "decay": self.decay}

    def _state(self) -> dict[str, Any]:
        return {
            "made": self._count,
            "now": self._now,
            "order": self._vectors.ids,
            "entries": [asdict(entry) for entry in self._kept.values()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        kept = {record["id"]: _entry(record) for record in state["entries"]}
        order, now, count = texts(state["order"]), day_or_none(state["now"]), int(state["made"])
        vectors = self._vectors.embed([kept[id].text for id in order])
        found = {id: topics(entry.text) for id, entry in kept.items()}
        exactly = self.summarise == "verbatim"
        known = {sameness(entry.text, exactly): id for id, entry in kept.items() if entry.kind == "fact"}
        self.reset()
        self._count, self._now, self._kept, self._topics, self._known = count, now, kept, found, known
        self._vectors.put(order, vectors)


def _with_owner(record: Mapping[str, Any]) -> str:
    """A fact, with `The assistant:` in front if it is about the assistant and doesn't say so."""
    text = line(record, "text")
    unmarked = record.get("about") == "assistant" and "assistant" not in text.lower()
    return f"The assistant: {text}" if text and unmarked else text


def _entry(record: Mapping[str, Any]) -> Entry:
    return Entry(**{**record, "sources": texts(record["sources"]), "seen": day_or_none(record["seen"])})


def _memory(entry: Entry) -> Memory:
    return Memory(entry.id, entry.text, entry.created_at, entry.sources)
