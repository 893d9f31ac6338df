"""The memory itself: add, search, get_all, forget and history, without anything of memtriage's runner."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.mosaic.chains import Names
from memtriage.systems.designs.mosaic.dependencies import DependencyGraph
from memtriage.systems.designs.mosaic.search import LONGEST_LINK, QUIET, Store, Why, ranked
from memtriage.systems.designs.mosaic.statements import Extractor, Kind, Statement, names, statements, stems
from memtriage.systems.designs.mosaic.text_index import SentenceVectors, WordIndex
from memtriage.systems.designs.rules.dates import day
from memtriage.systems.retrieval.dense import shared_embedder
from memtriage.text.tokens import count_tokens

PARTS = ("words", "vectors", "chains", "relatives", "dependencies", "sessions", "times")
"""Parts of the search that can be switched off, to see what each is worth."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was said, word for word."""

    id: str
    text: str
    role: str = "user"
    session: str = ""
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that a search found: how well it fits, why it came, through which other one, and what voids it."""

    entry: Entry
    score: float
    why: Why
    by: str | None = None
    voided_by: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """What later happened to an entry: another one changed, replaced or voided it."""

    kind: str
    entry: Entry


class MosaicMemory:
    """Keeps what was said word for word, and what hangs on what; finds it without a model.

    >>> memory = MosaicMemory()
    >>> _ = memory.add("My gym is Baths Hall, because of my job; if my job changes, so will this.", id="gym")
    >>> _ = memory.add("I have a new job as a baker.", id="job")
    >>> [(hit.entry.id, hit.why) for hit in memory.search("Where is my gym?", k=2)]
    [('job', 'dependency'), ('gym', 'seed')]
    """

    def __init__(
        self,
        embedder: str | Embedder = "wordllama",
        without: Iterable[str] = (),
        extractor: Extractor = statements,
    ) -> None:
        self.embedder = shared_embedder(embedder)
        self.without = frozenset(without)
        for part in self.without:
            if part not in PARTS:
                raise BadInput(unknown("part of mosaic", part, PARTS))
        self._extract = extractor
        self.clear()

    def __len__(self) -> int:
        return len(self._entries) - len(self._gone)

    def add(self, text: str, *, id: str = "", role: str = "user", session: str = "", at: str | None = None) -> str:
        """Keep something that was said, and return its id."""
        entry = Entry(id or f"m{len(self._entries)}", text, role, session, at)
        self.add_all([entry])
        return entry.id

    def add_all(self, entries: Sequence[Entry]) -> None:
        """Keep several things that were said, in order: all of them, or none if something fails."""
        pieces = [piece for entry in entries if entry.text.strip() for piece in _pieces(entry)]
        ids = [piece.id for piece in pieces]
        twice = next((id for id in ids if id in self._place_of), None) or _repeated(ids)
        if twice:
            raise BadInput(f"mosaic holds an entry {twice!r} already; forget it first, or choose another id")
        read = [self._extract(piece.text) if piece.role != "assistant" else [] for piece in pieces]
        vectors = self._vectors.embedded([each.text for said in read for each in said if each.leading])
        row = 0
        for piece, said in zip(pieces, read, strict=True):
            leading = [each for each in said if each.leading]
            for each in said:
                self._store.rows.append(len(self._weights) if each.leading else -1)
                if each.leading:
                    self._weights.append(QUIET if each.kind == "question" else 1.0)
            self._vectors.add([len(self._entries)] * len(leading), vectors[row : row + len(leading)])
            row += len(leading)
            self._put(piece, said)

    def search(self, query: str, k: int = 10, *, at: str | None = None, tokens: int | None = None) -> list[Hit]:
        """The k entries that bear most on a question, or as many of them as fit into so many tokens.

        `at` is when it is asked, for questions about last week.
        """
        if not len(self):
            return []
        found = ranked(self._store, query, day(at), self.without)
        hits: list[Hit] = []
        for place in found.order:
            if place in self._gone:
                continue
            entry = self._entries[place]
            if tokens is not None:
                tokens -= count_tokens(entry.text)
                if tokens < 0:
                    break
            why, by = found.why.get(place, ("seed", None))
            voided_by = self._id(found.voided_by.get(place))
            hits.append(Hit(entry, float(found.scores[place]), why, self._id(by), voided_by))
            if len(hits) == k:
                break
        return hits

    def get_all(self) -> list[Entry]:
        """Everything kept, oldest first."""
        return [entry for place, entry in enumerate(self._entries) if place not in self._gone]

    def forget(self, id: str) -> bool:
        """Drop an entry for good; False if there is none of that id."""
        place = self._place_of.pop(id, None)
        if place is None:
            return False
        self._gone.add(place)
        self._entries[place] = Entry(id, "")
        return True

    def history(self, id: str) -> list[Event]:
        """What later entries did to this one, oldest first: changed what it hangs on, replaced or voided it."""
        place = self._place_of.get(id)
        if place is None:
            raise BadInput(f"mosaic holds no entry {id!r}; get_all() lists what it holds")
        graph = self._graph
        found: dict[tuple[int, str], None] = {}
        for number in graph.of_entry.get(place, ()):
            if change := graph.changed.get(number):
                found[graph.entry_of[change.report], "changed"] = None
            if number in graph.replaced_by:
                found[graph.entry_of[graph.replaced_by[number]], "replaced"] = None
            if number in graph.voided_by:
                found[graph.entry_of[graph.voided_by[number]], "voided"] = None
        return [Event(kind, self._entries[by]) for by, kind in sorted(found) if by not in self._gone]

    def kinds(self, id: str) -> list[Kind]:
        """What the statements of an entry do."""
        return [self._graph.statements[number].kind for number in self._graph.of_entry.get(self._place_of[id], ())]

    def clear(self) -> None:
        """Drop everything."""
        self._entries: list[Entry] = []
        self._place_of: dict[str, int] = {}
        self._gone: set[int] = set()
        self._sessions: dict[str, int] = {}
        self._words = WordIndex()
        self._vectors = SentenceVectors(self.embedder)
        self._weights = array("f")
        self._graph = DependencyGraph(self._words)
        self._store = Store([], [], [], [], self._words, self._vectors, self._weights, [], self._graph, Names())

    def _put(self, entry: Entry, said: Sequence[Statement]) -> None:
        place = len(self._entries)
        self._entries.append(entry)
        self._place_of[entry.id] = place
        words = stems(entry.text)
        session = self._sessions.setdefault(entry.session or entry.id, len(self._sessions))
        self._words.add(words, session)
        self._store.texts.append(entry.text)
        self._store.days.append(day(entry.at))
        self._store.stated.append(any(each.kind != "question" for each in said))
        self._store.places.append({word: n / len(words) for n, word in reversed(list(enumerate(words)))})
        self._store.names.add(names(entry.text) if len(words) <= LONGEST_LINK else [])
        for each in said:
            self._graph.add(each, place)

    def _id(self, place: int | None) -> str | None:
        return None if place is None or place in self._gone else self._entries[place].id


_ITEM = re.compile(r"^\s*\d+[.)]\s+\S")
_LONG_LIST = 8


def _pieces(entry: Entry) -> Iterator[Entry]:
    """An entry, or the lines of one that is a long numbered list: each item is a statement of its own."""
    lines = [line.strip() for line in entry.text.splitlines() if line.strip()]
    items = sum(bool(_ITEM.match(line)) for line in lines)
    if entry.role == "assistant" or items < max(_LONG_LIST, 0.8 * len(lines)):
        yield entry
        return
    for n, line in enumerate(lines):
        yield Entry(f"{entry.id}#{n}", line, entry.role, entry.session, entry.at)


def _repeated(ids: Sequence[str]) -> str | None:
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            return id
        seen.add(id)
    return None
