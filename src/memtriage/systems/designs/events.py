"""Events with when, who, what and details, consolidated every few sessions: the design of StructMem."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.facts import sameness
from memtriage.systems.designs.layered import Layered
from memtriage.systems.designs.notes import within
from memtriage.systems.designs.prompts import consolidation_of, events_in
from memtriage.systems.designs.replies import line, lines, numbers, records, sources
from memtriage.systems.designs.replies import number as shown_number
from memtriage.systems.designs.rules import extraction
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import cut, number, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts

_AT_ONCE = 40
_BESIDE = 3
"""How many of the nearest stored events are looked at for each new one; it may be among them itself."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened or is so. `relations` are (kind, id of another event); a summary has `parts`."""

    id: str
    what: str
    when: str = ""
    who: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()
    created_at: str | None = None
    sources: tuple[str, ...] = ()
    plain: bool = False
    """Kept word for word: it reads as it was said, and when and who serve retrieval only."""

    @property
    def text(self) -> str:
        """The event as it is read, and as it is embedded."""
        if self.plain:
            return self.what
        unsaid = [name for name in self.who if name.lower() not in self.what.lower()]
        head = ", ".join([*([self.when] if self.when and self.when not in self.what else []), *unsaid])
        body = f"{head}: {self.what}" if head else self.what
        return f"{body} ({'; '.join(self.details)})" if self.details else body

    @property
    def linked(self) -> tuple[str, ...]:
        return distinct([id for _, id in self.relations], self.parts)


@dataclass(slots=True)
class EventDraft:
    """The events as a session leaves them, worked out before anything is touched."""

    events: Layered[Event]
    count: int
    linking: Mapping[str, Collection[str]]
    """By event, those kept that have ever been linked with it."""
    changed: dict[str, None] = field(default_factory=dict)
    links: dict[str, set[str]] = field(default_factory=dict)
    """What the session adds to `linking`."""

    def add(self, event: Event) -> Event:
        self.count += 1
        added = replace(event, id=f"v{self.count}")
        self.put(added)
        return added

    def put(self, event: Event) -> None:
        self.events[event.id] = event
        self.changed[event.id] = None
        for other in event.linked:
            self.links.setdefault(other, set()).add(event.id)

    def merge(self, parts: Sequence[Event], into: Event) -> Event:
        """One event in the place of several; relations to them become relations to it."""
        replaced = {part.id for part in parts}
        relations = tuple(dict.fromkeys(r for part in parts for r in part.relations if r[1] not in replaced))
        merged = self.add(replace(into, relations=relations, sources=distinct(*(part.sources for part in parts))))
        for id in replaced:
            del self.events[id]
            self.changed.pop(id, None)
        near = {other for id in replaced for other in (*self.linking.get(id, ()), *self.links.get(id, ()))}
        for id in sorted(near, key=_place):  # the order in which they came
            if id in self.events and replaced & set((event := self.events[id]).linked):
                self.put(_redirected(event, replaced, merged.id))
        return merged


class Events(Design):
    """Keeps events with when, who, what and details, relates them, and every few sessions merges and sums them up.

    Summarise: the internal model lists the events of a session, and how each is related to earlier ones it is shown.
    Store: events are kept with their relations. Every `every` sessions the model is shown the events since the last
    time with their nearest older ones; it joins reports of the same event, which are then replaced, and writes
    summaries over several events, which are kept beside them.
    Retrieve: cosine between the question and events and summaries; of the k, the share `linked` is left to events
    that the best ones are related to or sum up.

    With `summarise=verbatim` an event is a turn as it stands, and consolidation joins turns that are equal to the
    letter. With `summarise=rules` it is a sentence with its time and names; consolidation joins sentences with the
    same words, and relates those of one session that follow each other about the same name. Rules write no summaries.
    """

    name = "struct"
    asks = ("event_list", "event_consolidation")
    traits = Traits(
        family="structure-rag",
        architecture="summarise: events (when, who, what, details) extracted by a model (or verbatim, or by rule); "
        "store: related events, consolidated every few sessions; "
        "retrieve: cosine, and related events of the best within k",
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        every: int = 5,
        near: int = 10,
        linked: float = 0.3,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        self.every, self.near, self.linked = whole("every", every), whole("near", near), number("linked", linked, 0, 1)
        self._vectors = VectorStore(self.embedder)
        self.reset()

    def reset(self) -> None:
        self._vectors.clear()
        self._kept: dict[str, Event] = {}
        self._count = 0
        self._sessions = 0
        self._fresh: tuple[str, ...] = ()  # events since the last consolidation
        self._linking: dict[str, set[str]] = {}
        self._same: dict[Hashable, str] = {}  # by what they say, the events that were joined by equality

    def store_conversation(self, conversation: Session) -> None:
        draft = EventDraft(Layered(self._kept), self._count, self._linking)
        new = [draft.add(event) for event in self._events(conversation)]
        if self.summarise == "rules":
            _relate_by_name(draft, new)
        fresh = (*self._fresh, *(event.id for event in new))
        due = (self._sessions + 1) % self.every == 0
        same = self._consolidate(draft, fresh) if due else {}
        changed = [id for id in draft.changed if self._rewritten(draft.events[id])]
        vectors = self._vectors.embed([draft.events[id].text for id in changed])
        # Nothing from here on can fail, so that a session is stored as a whole.
        for id in draft.events.deleted:
            self._vectors.drop(id)
        self._vectors.put(changed, vectors)
        draft.events.keep()
        for id, others in draft.links.items():
            self._linking.setdefault(id, set()).update(others)
        self._same |= same
        self._count = draft.count
        self._sessions += 1
        self._fresh = () if due else fresh

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        ranked = dict(self._vectors.ranked(self._vectors.embed_query(query)))
        found = within(list(ranked), {id: self._kept[id].linked for id in ranked}, whole("k", k), self.linked)
        return [replace(_memory(self._kept[id]), score=ranked[id]) for id in found]

    def get_all_memories(self) -> list[Memory]:
        return [_memory(event) for event in self._kept.values()]

    # Summarise

    def _events(self, session: Session) -> list[Event]:
        """The events of a session; their ids don't count yet."""
        if self.summarise == "verbatim":
            return [
                _plain(u.text, extraction.names(u.text), session, u.sources) for u in cut(session, self.granularity)
            ]
        if self.summarise == "rules":
            return [
                _plain(sentence.text, sentence.names, session, (sentence.turn,))
                for sentence in extraction.named_sentences(session)
            ]
        turns = spoken(session)
        if not turns:
            return []
        near = self._vectors.nearest(self._vectors.embed([session.text])[0], self.near)
        earlier = [self._kept[id] for id, _ in near]
        reply = self._ask(events_in(turns, session.timestamp, [event.text for event in earlier]))
        found = []
        for record in records(reply, "events"):
            event = replace(_read(record), created_at=session.timestamp, sources=sources(record, turns))
            related = [
                (line(relation, "kind") or "related to", earlier[n - 1].id)
                for relation in records(record, "relations")
                if (n := shown_number(relation, "event", len(earlier))) is not None
            ]
            if event.what:
                found.append(replace(event, relations=tuple(dict.fromkeys(related))))
        return found

    # Store: consolidation

    def _consolidate(self, draft: EventDraft, fresh: Sequence[str]) -> dict[Hashable, str]:
        """Join what is the same; by rule, what now stands for each text is given back."""
        if self.summarise != "model":
            return self._join_equals(draft, fresh)
        self._consolidate_by_model(draft, fresh)
        return {}

    def _consolidate_by_model(self, draft: EventDraft, fresh: Sequence[str]) -> None:
        shown = self._gathered(draft, fresh)
        if len(shown) < 2:
            return
        reply = self._ask(consolidation_of([event.text for event in shown]))
        now: dict[int, Event] = dict(enumerate(shown, 1))
        merged: set[int] = set()
        for record in records(reply, "merges"):
            chosen = [n for n in numbers(record, "events", len(shown)) if n not in merged]
            into = _read(record)
            if len(chosen) < 2 or not into.what:
                continue
            merged |= set(chosen)
            whole = draft.merge(
                [draft.events[now[n].id] for n in chosen], replace(into, created_at=shown[max(chosen) - 1].created_at)
            )
            now |= dict.fromkeys(chosen, whole)
        for record in records(reply, "summaries"):
            parts = list({now[n].id: now[n] for n in numbers(record, "events", len(shown))}.values())
            text = line(record, "text")
            if len(parts) > 1 and text:
                draft.add(_summary(text, [draft.events[part.id] for part in parts]))

    def _gathered(self, draft: EventDraft, fresh: Sequence[str]) -> list[Event]:
        """The events since the last time and the older ones nearest to them, so many as fit one question."""
        new = [draft.events[id] for id in fresh if id in draft.events][-_AT_ONCE:]
        vectors = self._vectors.embed([event.text for event in new])
        near = {id for vector in vectors for id, _ in self._vectors.nearest(vector, _BESIDE) if id in draft.events}
        room = max(0, _AT_ONCE - len(new))
        older = [id for id in sorted(near, key=_place) if id not in fresh and not draft.events[id].parts]
        return [draft.events[id] for id in older[:room]] + new

    def _join_equals(self, draft: EventDraft, fresh: Sequence[str]) -> dict[Hashable, str]:
        """Join events with those before them that say the same; older ones were joined when they were fresh."""
        same: dict[Hashable, str] = {}
        for id in fresh:
            key = self._sameness(draft.events[id])
            if (before := same.get(key) or self._same.get(key)) is not None:
                older, newer = draft.events[before], draft.events[id]
                id = draft.merge([older, newer], replace(newer, who=distinct(older.who, newer.who))).id
            same[key] = id
        return same

    def _sameness(self, event: Event) -> Hashable:
        return sameness(event.what, exactly=self.summarise == "verbatim")

    def _rewritten(self, event: Event) -> bool:
        return event.id not in self._kept or self._kept[event.id].text != event.text

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "every": self.every, "near": self.near, "linked": self.linked}

    def _state(self) -> dict[str, Any]:
        return {
            "made": self._count,
            "sessions": self._sessions,
            "fresh": list(self._fresh),
            "order": self._vectors.ids,
            "events": [asdict(event) for event in self._kept.values()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        events = {record["id"]: _event(record) for record in state["events"]}
        order, fresh = texts(state["order"]), texts(state["fresh"])
        count, sessions = int(state["made"]), int(state["sessions"])
        vectors = self._vectors.embed([events[id].text for id in order])
        self.reset()
        self._kept, self._count, self._sessions, self._fresh = events, count, sessions, fresh
        for event in events.values():
            for other in event.linked:
                self._linking.setdefault(other, set()).add(event.id)
        if self.summarise != "model":
            waiting = set(fresh)
            for event in events.values():
                if event.id not in waiting:
                    self._same.setdefault(self._sameness(event), event.id)
        self._vectors.put(order, vectors)


def _plain(text: str, names: tuple[str, ...], session: Session, turn_ids: tuple[str, ...]) -> Event:
    who = names or ((extraction.SPEAKER,) if extraction.first_person(text) else ())
    return Event("", text, extraction.times(text), who, created_at=session.timestamp, sources=turn_ids, plain=True)


def _read(record: Mapping[str, Any]) -> Event:
    """An event of the model's."""
    return Event("", line(record, "what"), line(record, "when"), lines(record, "who"), lines(record, "details"))


def _summary(text: str, parts: Sequence[Event]) -> Event:
    turn_ids = distinct(*(part.sources for part in parts))
    ids = tuple(part.id for part in parts)
    return Event("", text, parts=ids, created_at=parts[-1].created_at, sources=turn_ids, plain=True)


def _relate_by_name(draft: EventDraft, new: Sequence[Event]) -> None:
    """Each event follows the one before it in its session that is about one of the same names."""
    latest: dict[str, str] = {}
    for event in new:
        before = next((latest[name] for name in event.who if name in latest and name != extraction.SPEAKER), None)
        if before is not None:
            draft.put(replace(event, relations=(("follows", before),)))
        latest |= dict.fromkeys(event.who, event.id)


def _redirected(event: Event, replaced: set[str], to: str) -> Event:
    relations = tuple(dict.fromkeys((kind, to if id in replaced else id) for kind, id in event.relations))
    parts = distinct([to if id in replaced else id for id in event.parts])
    return replace(event, relations=relations, parts=parts)


def _event(record: Mapping[str, Any]) -> Event:
    lists = {key: texts(record[key]) for key in ("who", "details", "parts", "sources")}
    relations = tuple((str(kind), str(id)) for kind, id in record["relations"])
    return Event(**{**record, **lists, "relations": relations})


def _place(id: str) -> int:
    """The place of an event among all that ever were, by its id."""
    return int(id[1:])


def _memory(event: Event) -> Memory:
    return Memory(event.id, event.text, event.created_at, event.sources)
