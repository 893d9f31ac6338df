"""Linked notes that evolve: the design of A-MEM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.prompts import links_of, notes_on
from memtriage.systems.designs.replies import line, lines, records
from memtriage.systems.designs.replies import number as shown_number
from memtriage.systems.designs.rules import extraction
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import cut, newest_first, number, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts


@dataclass(frozen=True, slots=True)
class Note:
    """What was said, what it is about, and the ids of the notes it is linked with."""

    id: str
    content: str
    context: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    created_at: str | None = None
    sources: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The note as it is read, and as it is embedded."""
        parts = [self.content]
        if self.context:
            parts.append(f"Context: {self.context}")
        if self.keywords:
            parts.append(f"Keywords: {', '.join(self.keywords)}")
        if self.tags:
            parts.append(f"Tags: {', '.join(self.tags)}")
        return "\n".join(parts)

    @property
    def card(self) -> dict[str, Any]:
        """The note as the model sees it."""
        return {"content": self.content, "context": self.context, "tags": list(self.tags)}


@dataclass(slots=True)
class NoteDraft:
    """The notes that a session writes or rewrites, worked out before anything is touched."""

    stored: Mapping[str, Note]
    put: dict[str, Note] = field(default_factory=dict)

    def now(self, id: str) -> Note:
        return self.put.get(id) or self.stored[id]

    def link(self, one: str, other: str) -> None:
        for here, there in ((one, other), (other, one)):
            note = self.now(here)
            self.put[here] = replace(note, links=distinct(note.links, [there]))


class Notes(Design):
    """Keeps what was said as notes with a context, keywords and tags; near notes are linked and change each other.

    Summarise: the internal model describes each turn; the turn's own words stay as the note's content.
    Store: each new note's nearest neighbours are looked up; the model is shown both, numbered, decides which belong
    together, and may rewrite the context and tags of older notes. One call does it for all notes of a session, where
    A-MEM asks for each.
    Retrieve: cosine between the question and the notes with all that is written on them; of the k, the share `linked`
    is left to notes that the best ones are linked with.

    With `summarise=verbatim` a note is the bare turn, linked with its neighbours from a cosine of `alike` on. With
    `summarise=rules` it is a sentence with its most frequent words as keywords and its names as tags; a keyword that
    a note shares with a neighbour becomes a tag of both.
    """

    name = "notes"
    asks = ("note_list", "note_links")
    traits = Traits(
        family="structure-rag",
        architecture="summarise: turns described by a model (or verbatim, or by rule); "
        "store: notes linked with their nearest, which evolve; retrieve: cosine, and links of the best within k",
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        near: int = 5,
        alike: float = 0.5,
        linked: float = 0.3,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        self.near, self.alike, self.linked = (
            whole("near", near),
            number("alike", alike, -1, 1),
            number("linked", linked, 0, 1),
        )
        self._vectors = VectorStore(self.embedder)
        self.reset()

    def store_conversation(self, conversation: Session) -> None:
        new = self._notes(conversation)
        draft = self._linked(new, self._vectors.embed([note.text for note in new]))
        changed = [note for note in draft.put.values() if not self._unchanged(note)]
        vectors = self._vectors.embed([note.text for note in changed])
        self._kept.update(draft.put)
        self._vectors.put([note.id for note in changed], vectors)
        self._count += len(new)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        ranked = dict(self._vectors.ranked(self._vectors.embed_query(query)))
        found = within(list(ranked), {id: self._kept[id].links for id in ranked}, whole("k", k), self.linked)
        return [replace(_memory(self._kept[id]), score=ranked[id]) for id in found]

    def get_all_memories(self) -> list[Memory]:
        return [_memory(note) for note in self._kept.values()]

    def reset(self) -> None:
        self._vectors.clear()
        self._kept: dict[str, Note] = {}
        self._count = 0

    # Summarise

    def _notes(self, session: Session) -> list[Note]:
        if self.summarise == "verbatim":
            found = [
                Note("", unit.text, created_at=unit.created_at, sources=unit.sources)
                for unit in cut(session, self.granularity)
            ]
        elif self.summarise == "rules":
            found = [
                Note(
                    "",
                    sentence.text,
                    "",
                    extraction.keywords(sentence.text),
                    sentence.names,
                    (),
                    session.timestamp,
                    (sentence.turn,),
                )
                for sentence in extraction.named_sentences(session)
            ]
        else:
            found = self._described(session)
        return [replace(note, id=f"n{self._count + n}") for n, note in enumerate(found, 1)]

    def _described(self, session: Session) -> list[Note]:
        """A note for every turn, also for one that the model leaves out."""
        turns = spoken(session)
        if not turns:
            return []
        notes = [Note("", turn.text, created_at=session.timestamp, sources=(turn.id,)) for turn in turns]
        for record in records(self._ask(notes_on(turns, session.timestamp)), "notes"):
            n = shown_number(record, "turn", len(turns))
            if n is not None and not notes[n - 1].context:
                written = {
                    "context": line(record, "context"),
                    "keywords": lines(record, "keywords"),
                    "tags": lines(record, "tags"),
                }
                notes[n - 1] = replace(notes[n - 1], **written)  # type: ignore[arg-type]
        return notes

    # Store

    def _linked(self, new: Sequence[Note], vectors: Vectors) -> NoteDraft:
        """The new notes, linked, and the older ones as they are after them."""
        draft = NoteDraft(self._kept, {note.id: note for note in new})
        near = {note.id: self._vectors.nearest(vector, self.near) for note, vector in zip(new, vectors, strict=True)}
        if self.summarise == "model":
            self._link_by_model(draft, new, list(dict.fromkeys(id for each in near.values() for id, _ in each)))
            return draft
        for n, note in enumerate(new):
            scores = np.vecdot(vectors[:n], vectors[n])
            beside = [(new[i].id, float(scores[i])) for i in newest_first(scores)[: self.near]]
            best = sorted([*near[note.id], *beside], key=lambda each: -each[1])[: self.near]
            self._link_by_rule(draft, note.id, [id for id, score in best if score >= self.alike])
        return draft

    def _link_by_model(self, draft: NoteDraft, new: Sequence[Note], shown: Sequence[str]) -> None:
        if not shown:
            return
        reply = self._ask(links_of(_cards(new), _cards([self._kept[id] for id in shown])))
        for record in records(reply, "links"):
            one, other = shown_number(record, "new", len(new)), shown_number(record, "stored", len(shown))
            if one is not None and other is not None:
                draft.link(new[one - 1].id, shown[other - 1])
        rewritten: set[int] = set()
        for record in records(reply, "updates"):
            n = shown_number(record, "stored", len(shown))
            if n is None or n in rewritten:
                continue
            rewritten.add(n)
            _evolve(draft, shown[n - 1], line(record, "context"), lines(record, "tags"), new)

    def _link_by_rule(self, draft: NoteDraft, id: str, neighbours: Sequence[str]) -> None:
        for other in neighbours:
            draft.link(id, other)
            shared = [word for word in draft.now(id).keywords if word in draft.now(other).keywords]
            for each in (id, other):
                note = draft.now(each)
                draft.put[each] = replace(note, tags=distinct(note.tags, shared))

    def _unchanged(self, note: Note) -> bool:
        return note.id in self._kept and self._kept[note.id].text == note.text

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "near": self.near, "alike": self.alike, "linked": self.linked}

    def _state(self) -> dict[str, Any]:
        return {
            "made": self._count,
            "order": self._vectors.ids,
            "notes": [asdict(note) for note in self._kept.values()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        lists = ("keywords", "tags", "links", "sources")
        kept = [Note(**{**record, **{key: texts(record[key]) for key in lists}}) for record in state["notes"]]
        by_id = {note.id: note for note in kept}
        order = texts(state["order"])
        count, vectors = int(state["made"]), self._vectors.embed([by_id[id].text for id in order])
        self.reset()
        self._count, self._kept = count, by_id
        self._vectors.put(order, vectors)


def within(ranked: Sequence[str], links: Mapping[str, Sequence[str]], k: int, share: float) -> list[str]:
    """The best k, of which up to a share may be there by a link from the others; what links don't use goes to rank.

    >>> within(["a", "b", "c", "d"], {"a": ["d"], "b": [], "c": [], "d": ["a"]}, 3, 0.4)
    ['a', 'b', 'd']
    """
    direct = list(ranked[: max(1, k - int(k * share))])
    place = {id: n for n, id in enumerate(ranked)}
    reached = {there for id in direct for there in links[id] if there in place} - set(direct)
    rest = sorted(reached, key=place.__getitem__) + [id for id in ranked if id not in reached]
    return list(dict.fromkeys([*direct, *rest]))[:k]


def _evolve(draft: NoteDraft, id: str, context: str, tags: tuple[str, ...], new: Sequence[Note]) -> None:
    """An older note in the light of new ones; it then rests on what those say, too. Nothing is blanked."""
    note = draft.now(id)
    changed = replace(note, context=context or note.context, tags=tags or note.tags)
    if changed != note:
        partners = [each for each in new if each.id in note.links] or new
        draft.put[id] = replace(changed, sources=distinct(note.sources, *(each.sources for each in partners)))


def _cards(notes: Sequence[Note]) -> list[dict[str, Any]]:
    return [{"number": n, **note.card} for n, note in enumerate(notes, 1)]


def _memory(note: Note) -> Memory:
    return Memory(note.id, note.text, note.created_at, note.sources)
