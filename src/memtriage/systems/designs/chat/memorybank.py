"""Rounds, daily summaries and a portrait that fade unless they are recalled: the design of MemoryBank."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from memtriage.core.episode import Session, Turn
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.chat.chat_memory import ChatMemory, day_or_none, on_or_off
from memtriage.systems.designs.chat.conversation import day_number, gist, latest, rounds, self_statements, subjects
from memtriage.systems.designs.chat.prompts import bank_session
from memtriage.systems.designs.design import distinct
from memtriage.systems.designs.replies import line, records, sources
from memtriage.systems.designs.rules.dates import day
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import number, whole
from memtriage.systems.saved_state import texts

PieceKind = Literal["round", "day", "overview", "portrait"]

EVENTS = 12
"""So many events make one piece of a day's summary; a longer day has several pieces."""

_BY_RULE = 3
_TRAITS = 12
_SUBJECTS = 12
_MOST_SUBJECTS = 4_000


def retention(days: float, strength: int = 1, pace: float = 1.0) -> float:
    """How much of a memory is left after so many days: Ebbinghaus' curve exp(-t/S), with t in units of `pace` days.

    >>> [round(retention(days, strength), 3) for days, strength in ((0, 1), (1, 1), (2, 2), (3, 1))]
    [1.0, 0.368, 0.368, 0.05]
    """
    return math.exp(-max(days, 0.0) / (pace * strength))


@dataclass(frozen=True, slots=True)
class Piece:
    """One memory; `seen` is the day on which it was said or last recalled, and every recall adds one to `strength`."""

    id: str
    kind: PieceKind
    lines: tuple[str, ...]
    created_at: str | None = None
    seen: int | None = None
    strength: int = 1
    sources: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.lines)

    @property
    def lasts(self) -> bool:
        """The overview and the portrait are rewritten, not forgotten."""
        return self.kind in ("overview", "portrait")


@dataclass(slots=True)
class PieceDraft:
    """What a session does to the bank, worked out before anything is touched."""

    count: int
    put: dict[str, Piece] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    subject_counts: Counter[str] = field(default_factory=Counter)

    def add(self, letter: str, piece: Piece) -> Piece:
        self.count += 1
        added = self.put[f"{letter}{self.count}"] = replace(piece, id=f"{letter}{self.count}")
        return added


class MemoryBank(ChatMemory):
    """Keeps every round, a summary of each day, an overview and a portrait; it may forget what nothing recalls.

    Summarise: one call per session gives the events by which the day's summary grows, and the overview and the
    portrait as they stand after it; rounds are kept word for word.
    Store: a flat list. Each new round recalls its `near` nearest older memories from a cosine of `alike` on, as an
    assistant would that looks into its memory before it replies: a recalled memory counts as seen that day, and its
    strength S grows by one, once per session. With `forget=on` what is left of a memory is exp(-t/S), where t is the
    time since it was last seen in units of `pace` days; below `threshold` it is deleted.
    Retrieve: cosine between the question and rounds and summaries. What has faded by the day of the question comes
    behind all the rest. Overview and portrait are shown with every question, beside k. Asking strengthens nothing.
    At k = native it is these two and the `near` nearest others.

    With `summarise=verbatim` there are rounds only. With `summarise=rules` a day's summary is the most telling
    sentences of its sessions, the overview names what was spoken of most, and the portrait is what the user last said
    of themselves.
    """

    name = "memorybank"
    asks = ("bank_session",)
    traits = Traits(
        family="embedding-rag",
        architecture=(
            "summarise: rounds verbatim, daily summaries, overview and portrait by a model (or by rule, or none); "
            "store: flat list, strengthened by what recalls it; with forget=on, what has faded is deleted; "
            "retrieve: cosine, what has faded last; overview and portrait always"
        ),
        ranks_all=True,
        takes_native=True,
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        forget: str | bool = "off",
        threshold: float = 0.05,
        pace: float = 1.0,
        near: int = 3,
        alike: float = 0.5,
        fresh: float = 0.0,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, repeat, prompts)
        self.forget, self.threshold = on_or_off("forget", forget), number("threshold", threshold, 0, 1)
        self.pace = number("pace", pace, 1e-6)
        self.near, self.alike = whole("near", near, least=0), number("alike", alike, -1, 1)
        self.fresh = number("fresh", fresh, 0, 1)
        self.reset()

    def reset(self) -> None:
        self._vectors.clear()
        self._kept: dict[str, Piece] = {}
        self._open: dict[str, str] = {}  # by day, the piece that its summary goes on in
        self._subject_counts: Counter[str] = Counter()  # how often each subject came up; for an overview by rule
        self._count = 0
        self._now = None

    def store_conversation(self, conversation: Session) -> None:
        draft = self._draft(conversation)
        mortal = [piece for piece in draft.put.values() if not piece.lasts]
        vectors = self._vectors.embed([piece.text for piece in mortal])
        recalled = self._recalled(mortal, vectors)
        now = self._after(conversation)
        # Nothing from here on can fail, so that a session is stored as a whole.
        for id in recalled:
            piece = self._kept[id]
            self._kept[id] = replace(piece, seen=latest(piece.seen, now), strength=piece.strength + 1)
        for id, piece in draft.put.items():
            held = self._kept.get(id)
            self._kept[id] = piece if held is None else replace(piece, strength=held.strength)
        self._vectors.put([piece.id for piece in mortal], vectors)
        self._count, self._subject_counts = draft.count, draft.subject_counts
        self._open |= draft.open
        # A day takes as much from all memories: while it lasts, only what is new may have faded before it came.
        self._forget_faded(self._kept if now != self._now else draft.put, now)
        self._now = now

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        most, now = self.near if k is None else whole("k", k), self._moment(conversation)
        found = [(id, self._score(cosine, self._kept[id], now)) for id, cosine in self._ranked(query)]
        if self.fresh:
            found.sort(key=lambda each: -each[1])
        found.sort(key=lambda each: self._faded(self._kept[each[0]], now))
        return [replace(_memory(self._kept[id]), score=score) for id, score in found[:most]]

    def always_shown(self) -> list[Memory]:
        """The overview and the portrait, which the original puts into every prompt."""
        return [_memory(piece) for piece in self._kept.values() if piece.lasts]

    def get_all_memories(self) -> list[Memory]:
        return [_memory(piece) for piece in self._kept.values()]

    def retained(self, id: str, at: str | None = None) -> float:
        """How much of a memory is left at a time, by default that of the newest session."""
        asked = day_number(at)
        return self._retained(self._kept[id], self._now if asked is None else asked)

    # Summarise

    def _draft(self, session: Session) -> PieceDraft:
        draft = PieceDraft(self._count, subject_counts=self._subject_counts)
        today = day_number(session.timestamp)
        seen = self._now if today is None else today
        for each in rounds(session):
            draft.add("r", Piece("", "round", (each.text,), session.timestamp, seen, 1, each.sources))
        turns = spoken(session)
        if turns and self.summarise == "model":
            self._write(draft, session, turns, seen)
        elif turns and self.summarise == "rules":
            self._write_by_rule(draft, session, turns, seen)
        return draft

    def _write(self, draft: PieceDraft, session: Session, turns: tuple[Turn, ...], seen: int | None) -> None:
        held = [self._kept.get(id) for id in ("overview", "portrait")]
        overview, portrait = (piece.text if piece is not None else "" for piece in held)
        so_far = self._so_far(draft, session)
        lines = so_far.lines if so_far is not None else ()
        reply = self._ask(bank_session(turns, session.timestamp, lines, overview, portrait))
        events = [(line(record, "text"), sources(record, turns)) for record in records(reply, "events")]
        self._grow_day(draft, session, [event for event in events if event[0]], seen)
        for kind in ("overview", "portrait"):
            if text := line(reply, kind):
                # Made of everything so far: to name all turns as its sources would say nothing.
                draft.put[kind] = Piece(kind, kind, (text,), session.timestamp, seen)

    def _write_by_rule(self, draft: PieceDraft, session: Session, turns: tuple[Turn, ...], seen: int | None) -> None:
        events = [(each.text, (each.turn,)) for each in gist(turns, _BY_RULE)]
        self._grow_day(draft, session, events, seen)
        draft.subject_counts = subject_counts = _bounded(self._subject_counts + Counter(subjects(turns)))
        if often := [word for word, _ in subject_counts.most_common(_SUBJECTS)]:
            text = f"Spoken of most: {', '.join(often)}."
            draft.put["overview"] = Piece("overview", "overview", (text,), session.timestamp, seen)
        if traits := self_statements(turns):
            before = self._kept.get("portrait") or Piece("portrait", "portrait", ())
            turn_of = dict(zip(before.lines, before.sources, strict=True))  # by rule, each line has its turn
            turn_of |= {each.text: each.turn for each in traits}
            lines, turn_ids = zip(*list(turn_of.items())[-_TRAITS:], strict=True)
            draft.put["portrait"] = Piece("portrait", "portrait", lines, session.timestamp, seen, sources=turn_ids)

    def _so_far(self, draft: PieceDraft, session: Session) -> Piece | None:
        """The piece to which the summary of a session's day is added; None if it is full or forgotten."""
        today = str(day(session.timestamp))
        id = draft.open.get(today) or self._open.get(today, "")
        piece = draft.put.get(id) or self._kept.get(id)
        return piece if piece is not None and len(piece.lines) < EVENTS else None

    def _grow_day(
        self,
        draft: PieceDraft,
        session: Session,
        events: Sequence[tuple[str, tuple[str, ...]]],
        seen: int | None,
    ) -> None:
        for text, turn_ids in events:
            piece = self._so_far(draft, session)
            if piece is None:
                added = draft.add("d", Piece("", "day", (text,), session.timestamp, seen, 1, turn_ids))
                draft.open[str(day(session.timestamp))] = added.id
            elif text not in piece.lines:
                draft.put[piece.id] = replace(
                    piece,
                    lines=(*piece.lines, text),
                    created_at=session.timestamp,
                    seen=latest(piece.seen, seen),
                    sources=distinct(piece.sources, turn_ids),
                )

    # Store

    def _recalled(self, new: Sequence[Piece], vectors: Vectors) -> list[str]:
        """The older memories that the new rounds recall, without repeats."""
        found: dict[str, None] = {}
        if not self.near:
            return []
        for piece, vector in zip(new, vectors, strict=True):
            if piece.kind == "round":
                found |= dict.fromkeys(id for id, _ in self._vectors.nearest(vector, self.near, self.alike))
        return list(found)

    def _forget_faded(self, among: Iterable[str], now: int | None) -> None:
        for id in [id for id in among if self._faded(self._kept[id], now)]:
            del self._kept[id]
            self._vectors.drop(id)
        self._open = {day: id for day, id in self._open.items() if id in self._kept}

    def _retained(self, piece: Piece, now: int | None) -> float:
        if piece.lasts or piece.seen is None or now is None:
            return 1.0  # what has no date does not age
        return retention(now - piece.seen, piece.strength, self.pace)

    def _faded(self, piece: Piece, now: int | None) -> bool:
        return self.forget and self._retained(piece, now) < self.threshold

    # Retrieve

    def _ranked(self, query: str) -> list[tuple[str, float]]:
        return list(self._vectors.ranked(self._vectors.embed_query(query)))

    def _score(self, cosine: float, piece: Piece, now: int | None) -> float:
        return (1 - self.fresh) * cosine + self.fresh * self._retained(piece, now) if self.fresh else cosine

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        own = {"forget": "on" if self.forget else "off", "threshold": self.threshold, "pace": self.pace}
        return {**super()._settings(), **own, "near": self.near, "alike": self.alike, "fresh": self.fresh}

    def _state(self) -> dict[str, Any]:
        return {
            "made": self._count,
            "now": self._now,
            "open": self._open,
            "heard": list(map(list, self._subject_counts.items())),
            "order": self._vectors.ids,
            "pieces": [asdict(piece) for piece in self._kept.values()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        kept = {record["id"]: _piece(record) for record in state["pieces"]}
        order, now = texts(state["order"]), day_or_none(state["now"])
        opened = {str(day): str(id) for day, id in dict(state["open"]).items()}
        subject_counts = Counter({str(word): int(times) for word, times in state["heard"]})
        count, vectors = int(state["made"]), self._vectors.embed([kept[id].text for id in order])
        self.reset()
        self._count, self._now, self._kept, self._open, self._subject_counts = count, now, kept, opened, subject_counts
        self._vectors.put(order, vectors)


def _bounded(counts: Counter[str]) -> Counter[str]:
    """The counts without the rarest words, once there are too many of them."""
    return Counter(dict(counts.most_common(_MOST_SUBJECTS // 2))) if len(counts) > _MOST_SUBJECTS else counts


def _piece(record: Mapping[str, Any]) -> Piece:
    lists = {key: texts(record[key]) for key in ("lines", "sources")}
    return Piece(**{**record, **lists, "seen": day_or_none(record["seen"]), "strength": int(record["strength"])})


def _memory(piece: Piece) -> Memory:
    return Memory(piece.id, piece.text, piece.created_at, distinct(piece.sources))
