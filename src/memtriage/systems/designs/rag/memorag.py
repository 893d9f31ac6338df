"""Notes on everything that was said, from which clues for the search are drawn: the design of MemoRAG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.chat_memory import on_or_off
from memtriage.systems.designs.design import distinct
from memtriage.systems.designs.rag.passages import PassageMemory
from memtriage.systems.designs.rag.prompts import memo_clues, memo_fold, memo_notes
from memtriage.systems.designs.replies import line, lines, numbers, records
from memtriage.systems.designs.rules import extraction, statements
from memtriage.systems.designs.rules.keyphrases import Keyphrases
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.hybrid import reciprocal_ranks
from memtriage.systems.retrieval.units import Scores, number, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts
from memtriage.text.sentences import sentences
from memtriage.text.tokens import chunks, count_tokens, tokens_in
from memtriage.text.words import words

_LEAST_ROOM = 64
_RARE = 3


@dataclass(frozen=True, slots=True)
class Part:
    """A turn, or a stretch of a long one, that the notes don't cover yet."""

    role: str
    text: str
    source: str
    when: str | None
    tokens: int

    @property
    def card(self) -> dict[str, str]:
        """The part as the model sees it."""
        return {"when": self.when or "", "role": self.role, "text": self.text}


@dataclass(frozen=True, slots=True)
class Note:
    """What was noted of some turns."""

    text: str
    sources: tuple[str, ...]
    created_at: str | None
    tokens: int


class MemoRAG(PassageMemory):
    """Keeps passages word for word, and notes on all of them, by which it knows what to search for.

    Summarise: the internal model reads what was said in pieces of `piece` tokens, with its notes so far before it, and
    adds notes of a `ratio`-th of that. What doesn't fill a piece waits for the next session, or for `settle`.
    Store: passages (`granularity`) with their index, and notes of at most `memory` tokens; when they no longer fit, the
    model writes them anew in half of that.
    Retrieve: the model is shown question and notes, and writes a draft answer, sentences that may stand in the text,
    and questions on the way: up to `clues` of them. The question ranks all passages, each clue its best `hits`; ranks
    are fused: each adds 1 / (`c` + rank). k counts passages. Notes are not among them; with `show=on` they stand before
    the reader beside the k, whatever is asked.

    With `summarise=rules` every sentence is a note, and of notes that no longer fit those are kept that hold most of
    what all keep coming back to; a clue is the question with the names and rare words of a note that is near to it.
    With `summarise=verbatim` there are no notes: the question alone ranks the passages.
    """

    name = "memorag"
    asks = ("memo_notes", "memo_fold", "memo_clues")
    without_model = (
        "Without a model, memorag:summarise=rules takes sentences as notes and clues, and memorag:summarise=verbatim "
        "takes none: the question alone is searched for"
    )
    traits = Traits(
        family="structure-rag",
        architecture=(
            "summarise: notes on all that was said, by a model (or sentences by rule, or none); "
            "store: passages verbatim with an index, and notes within a budget of tokens; "
            "retrieve: clues drawn from the notes, each a query of its own, ranks fused"
        ),
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        search: str = "dense",
        piece: str | int = 4096,
        memory: str | int = 8192,
        ratio: float = 8,
        clues: int = 6,
        hits: int = 10,
        c: float = 10,
        show: str | bool = "off",
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, search, repeat, prompts)
        self.piece, self.memory = tokens_in(piece, "piece"), tokens_in(memory, "memory")
        self.ratio = number("ratio", ratio, 1)
        self.clues, self.hits, self.c = whole("clues", clues), whole("hits", hits), number("c", c, 0)
        self.show = on_or_off("show", show)
        # a model's clues are not to be drawn just for the sake of a ranking
        self.traits = replace(self.traits, ranks_all=self._writer is None)
        self._vectors = VectorStore(self.embedder)  # of notes, where rules look for the nearest
        self.reset()

    def reset(self) -> None:
        self._passages.reset()
        self._vectors.clear()
        self._phrases = Keyphrases()
        self.notes: tuple[Note, ...] = ()
        self._waiting: tuple[Part, ...] = ()

    def store_conversation(self, conversation: Session) -> None:
        notes, waiting = self.notes, self._waiting
        if self.summarise != "verbatim":
            waiting = (*waiting, *self._parts(conversation))
        while sum(part.tokens for part in waiting) >= self.piece:
            piece, waiting = self._next(waiting)
            notes = self._with_notes_on(piece, notes)
        self._keep(notes)  # the last that can fail, so that a session is stored as a whole
        self._waiting = waiting
        self._passages.store_conversation(conversation)

    def settle(self) -> None:
        """Note what still waits, and index all passages."""
        while self._waiting:
            piece, waiting = self._next(self._waiting)
            self._keep(self._with_notes_on(piece, self.notes))
            self._waiting = waiting
        self._passages.settle()

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        clues = self._clues(query, conversation)
        with self._lock:
            scores = self._fused([self._passages.scores(each) for each in (query, *clues)])
            return self._passages.units.best(scores, most)

    def get_all_memories(self) -> list[Memory]:
        return [*super().get_all_memories(), *self.always_shown()]

    def always_shown(self) -> list[Memory]:
        """The notes, if they are to stand before the reader."""
        shown = self.notes if self.show else ()
        return [Memory(f"note{n}", note.text, note.created_at, note.sources) for n, note in enumerate(shown, 1)]

    # Summarise

    def _parts(self, session: Session) -> Iterator[Part]:
        for turn in spoken(session):
            for text in chunks(turn.text, self.piece):
                yield Part(turn.role, text, turn.id, session.timestamp, count_tokens(text))

    def _next(self, waiting: Sequence[Part]) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
        """The parts that make up the next piece, and the rest."""
        taken, size = 0, 0
        while taken < len(waiting) and (not taken or size + waiting[taken].tokens <= self.piece):
            size += waiting[taken].tokens
            taken += 1
        return tuple(waiting[:taken]), tuple(waiting[taken:])

    def _with_notes_on(self, piece: Sequence[Part], notes: tuple[Note, ...]) -> tuple[Note, ...]:
        if self.summarise == "rules":
            new = [self._note(text, [part]) for part in piece for text in sentences(part.text)]
        else:
            room = max(_LEAST_ROOM, int(sum(part.tokens for part in piece) / self.ratio))
            ask = memo_notes([part.card for part in piece], [note.text for note in notes], room)
            new = list(self._noted(self._ask(ask), "parts", piece))
        return self._folded((*notes, *new))

    def _noted(self, reply: Mapping[str, Any], key: str, of: Sequence[Part] | Sequence[Note]) -> Iterator[Note]:
        """The notes in a reply; one that doesn't say what it is of, is of everything shown."""
        for record in records(reply, "notes"):
            named = [of[n - 1] for n in numbers(record, key, len(of))] or of
            if text := line(record, "text"):
                yield self._note(text, named)

    def _note(self, text: str, of: Iterable[Part | Note]) -> Note:
        longest = max(1, self.memory // 2)
        size = count_tokens(text)
        if size > longest:
            text, size = chunks(text, longest)[0], longest
        of = tuple(of)
        sources = distinct(*((each.source,) if isinstance(each, Part) else each.sources for each in of))
        last = of[-1]
        return Note(text, sources, last.when if isinstance(last, Part) else last.created_at, size)

    # Store

    def _folded(self, notes: tuple[Note, ...]) -> tuple[Note, ...]:
        """Notes that fit: as they are, or folded into half of the room there is."""
        if _size(notes) <= self.memory:
            return notes
        room = max(1, self.memory // 2)
        if self.summarise == "model":
            reply = self._ask(memo_fold([note.text for note in notes], room))
            notes = tuple(self._noted(reply, "notes", notes)) or notes
            if _size(notes) <= self.memory:
                return notes
            self._tell("times that folded notes were still too long, and were cut by rule")
        return tuple(_weightiest(notes, room))

    def _keep(self, notes: tuple[Note, ...]) -> None:
        if self.summarise == "rules" and notes != self.notes:
            known, listed = set(self._vectors.ids), distinct(note.text for note in notes)
            new = [text for text in listed if text not in known]
            vectors = self._vectors.embed(new)
            for gone in known.difference(listed):
                self._vectors.drop(gone)
            self._vectors.put(new, vectors)
            self._phrases = _learned(listed)
        self.notes = notes

    # Retrieve

    def _clues(self, query: str, conversation: Session) -> tuple[str, ...]:
        """What to search for beside the question itself."""
        if not self.notes:
            return ()
        if self.summarise == "rules":
            return self._clues_by_rule(query)
        asked = {"query": query, "asked_at": conversation.timestamp or ""}
        reply = self._asked(memo_clues(asked, [note.text for note in self.notes], self.clues)) or {}
        found = distinct([line(reply, "draft")], *_in_turn(lines(reply, "spans"), lines(reply, "queries")))
        return tuple(text for text in found if text)[: self.clues]

    def _clues_by_rule(self, query: str) -> tuple[str, ...]:
        """The question with the names and rare words of each note that is near to it and shares a word with it."""
        with self._lock:
            near = self._vectors.nearest(self._vectors.embed_query(query), self.clues)
        asked = set(words(query).stems)
        shared = (text for text, _ in near if asked.intersection(words(text).stems))
        return distinct(" ".join((query, *extraction.names(text), *self._phrases.of(text, _RARE))) for text in shared)

    def _fused(self, rankings: Sequence[Scores]) -> Scores:
        """The first ranking, and the tops of the others, as one."""
        by_question, *by_clues = (reciprocal_ranks(each, self.c) for each in rankings)
        least = 1 / (self.c + self.hits)
        return sum((np.where(each >= least, each, 0.0) for each in by_clues), start=by_question)

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "piece": self.piece, "memory": self.memory, "ratio": self.ratio}

    def _state(self) -> dict[str, Any]:
        return {"notes": [asdict(note) for note in self.notes], "waiting": [asdict(part) for part in self._waiting]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        notes = tuple(Note(**{**record, "sources": texts(record["sources"])}) for record in state["notes"])
        waiting = tuple(Part(**record) for record in state["waiting"])
        read: tuple[Note | Part, ...] = (*notes, *waiting)
        if not all(isinstance(each.text, str) and isinstance(each.tokens, int) for each in read):
            raise ValueError("a note or a part has no text or no size")
        listed = distinct(note.text for note in notes) if self.summarise == "rules" else ()
        vectors = self._vectors.embed(listed)
        self._vectors.clear()
        self._vectors.put(listed, vectors)
        self._phrases = _learned(listed)
        self.notes, self._waiting = notes, waiting


def _learned(texts: Iterable[str]) -> Keyphrases:
    phrases = Keyphrases()
    for text in texts:
        phrases.learn(text)
    return phrases


def _size(notes: Iterable[Note]) -> int:
    return sum(note.tokens for note in notes)


def _weightiest(notes: Sequence[Note], room: int) -> list[Note]:
    """The notes that hold most of what all of them keep coming back to, within so many tokens, in their order."""
    stems = [frozenset(words(note.text).stems) for note in notes]
    often = Counter(stem for each in stems for stem in each)
    kept: list[int] = []
    for n in sorted(range(len(notes)), key=lambda n: -statements.weight(stems[n], often)):
        if notes[n].tokens <= room:
            room -= notes[n].tokens
            kept.append(n)
    return [notes[n] for n in sorted(kept)]


def _in_turn(spans: Sequence[str], queries: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """One of each at a time, for as long as there are any."""
    for n in range(max(len(spans), len(queries))):
        yield (*spans[n : n + 1], *queries[n : n + 1])
