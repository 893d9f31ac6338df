"""The memory itself: add, search, get_all, forget and history, without anything of memtriage's runner."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.mosaic.chains import Names
from memtriage.systems.designs.mosaic.checks import checked, moment, number, text
from memtriage.systems.designs.mosaic.database import Database
from memtriage.systems.designs.mosaic.dependencies import DependencyGraph
from memtriage.systems.designs.mosaic.earlier import earlier
from memtriage.systems.designs.mosaic.kept import Column, Derived, Links, Postings, Row, key_of
from memtriage.systems.designs.mosaic.records import Entry, Record, Records, packed, unpacked
from memtriage.systems.designs.mosaic.search import LONGEST_LINK, QUIET, Ranking, Store, Why, ranked
from memtriage.systems.designs.mosaic.statements import Extractor, Kind, Statement, names, statements, stems
from memtriage.systems.designs.mosaic.text_index import SentenceVectors, WordIndex
from memtriage.systems.designs.rules.dates import day
from memtriage.systems.retrieval.dense import shared_embedder
from memtriage.text.tokens import count_tokens

__all__ = ["Entry", "Event", "Hit", "MosaicMemory"]

PARTS = ("words", "vectors", "chains", "relatives", "dependencies", "sessions", "times")
"""Parts of the search that can be switched off, to see what each is worth."""
WORKED_OUT_AGAIN, AT_THE_END, IN_A_BATCH = 500, 50, 20_000
"""How many entries a database may hold without what follows from them: whoever opens it works that out again."""


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


Annotate = Callable[[Sequence[Entry], list[list[Statement]]], list[list[Statement]]]
"""What adds to the statements of new entries what a model says of them."""


class MosaicMemory:
    """Keeps what was said word for word, and what hangs on what; finds it without a model.

    >>> memory = MosaicMemory()
    >>> _ = memory.add("My gym is Baths Hall, because of my job; if my job changes, so will this.", id="gym")
    >>> _ = memory.add("I have a new job as a baker.", id="job")
    >>> [(hit.entry.id, hit.why) for hit in memory.search("Where is my gym?", k=2)]
    [('job', 'dependency'), ('gym', 'seed')]

    This one lives in memory; `MosaicMemory.open` keeps it in a file or in PostgreSQL.
    """

    _records: Records
    _unwritten: int
    _vectors: SentenceVectors
    _last: tuple[tuple[str, str | None], Ranking] | None  # one question is asked at several k

    def __init__(
        self,
        embedder: str | Embedder = "wordllama",
        without: Iterable[str] = (),
        extractor: Extractor = statements,
        annotate: Annotate | None = None,
    ) -> None:
        self.embedder = shared_embedder(embedder)
        self.without = frozenset(without)
        for part in self.without:
            if part not in PARTS:
                raise BadInput(unknown("part of mosaic", part, PARTS))
        self._extract, self.annotate = extractor, annotate
        self._database: Database | None = None
        self._lock = threading.RLock()
        self._in_batch = 0
        self._part, self._version = 0, -1
        self._dropped = False
        self._begin()

    @classmethod
    def open(
        cls,
        where: str | Path,
        *,
        user: str = "",
        embedder: str | Embedder | None = None,
        without: Iterable[str] = (),
        extractor: Extractor = statements,
        annotate: Annotate | None = None,
        wait: float = 10.0,
    ) -> MosaicMemory:
        """The memory in a file, which is made if there is none, or at an address such as postgresql://host/name.

        One file or database has a memory for each `user`. Without an `embedder` it is the one it was filled with, at
        first wordllama. Who writes waits so many seconds for others to finish.
        """
        text(user, "user", blank=True)
        database = _database(where, wait)
        try:
            first = shared_embedder(embedder or "wordllama")
            state = database.user(user, {"embedder": first.name, "dimensions": first.dimensions})
            known = state["embedder"] if embedder is None else first
            memory = cls(known, without, extractor, annotate)
            mine = memory.embedder
            if (mine.name, mine.dimensions) != (state["embedder"], state["dimensions"]):
                raise BadInput(
                    f"{database.where} was filled with the embedder {state['embedder']!r} of "
                    f"{state['dimensions']} dimensions, not {mine.name!r} of {mine.dimensions}; open it with that one"
                )
            memory._database = database
            with database.reading():
                memory._load()
        except BaseException:
            database.close()
            raise
        return memory

    def close(self) -> None:
        """Let go of the file or the connection; a memory in memory has nothing to let go of."""
        if self._database is None:
            return
        try:
            if self._unwritten > AT_THE_END:
                with self._writing():
                    self._touched = True
                    self._write_parts()
        finally:
            self._database.close()

    def __enter__(self) -> MosaicMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._reading():
            return len(self._records) - int(self._gone.view.sum())

    def add(
        self, text: str, *, id: str = "", role: str = "user", session: str = "", at: str | date | datetime | None = None
    ) -> str:
        """Keep something that was said, and return its id. In a database it is safe when this returns.

        `role` is `user` or `assistant`. An id that is taken is refused; left out, it is one that is free. A long
        numbered list is kept as its items, and its id stands for all of them.
        """
        return self.add_all([Entry(id, text, role, session, moment(at))])[0]

    def add_all(self, entries: Sequence[Entry]) -> list[str]:
        """Keep several things that were said, in order, and return their ids: all of them, or none if something fails.

        An entry without an id gets one.
        """
        return self.keep([checked(entry) for entry in entries])

    def keep(self, entries: Sequence[Entry]) -> list[str]:
        """Keep entries as they are: their times may name no day, and those that are blank are left out."""
        pieces = [(n, piece) for n, entry in enumerate(entries) if entry.text.strip() for piece in _pieces(entry)]
        read = [self._extract(piece.text) if piece.role != "assistant" else [] for _, piece in pieces]
        with self._writing():
            start = len(self._records)
            ids = self._named(entries, start)
            named = [replace(piece, id=ids[n] + piece.id.removeprefix(entries[n].id)) for n, piece in pieces]
            self._refuse_known(named, ids)
            if self.annotate is not None:
                read = self.annotate(named, read)
            vectors = self._vectors.embedded([each.indexed for said in read for each in said if each.leading])
            self._touched = True
            row = 0
            for piece, said in zip(named, read, strict=True):
                count = sum(each.leading for each in said)
                self._put(Record(piece, tuple(said)), vectors[row : row + count])
                row += count
            if self._database is not None:
                self._append(start, vectors)
        return ids

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Several calls that a database takes as one: all of it is safe when the block ends, or none of it.

        It is much faster for many entries. Others who want to write to this memory wait meanwhile.
        """
        with self._writing():
            before = self._records.held() if self._database is None and not self._in_batch else None
            self._in_batch += 1
            try:
                yield
            except BaseException:
                if before is not None:
                    self._put_back(before)
                raise
            finally:
                self._in_batch -= 1
            if self._database is not None and not self._in_batch and self._unwritten > WORKED_OUT_AGAIN:
                self._write_parts()

    def search(
        self, query: str, k: int = 10, *, at: str | date | datetime | None = None, tokens: int | None = None
    ) -> list[Hit]:
        """The k entries that bear most on a question, or as many of them as fit into so many tokens.

        `at` is when it is asked, for questions about last week. No more than the 2,000 best are put in order; in a
        store of more than 100,000 sentences, the 1,000 best.
        """
        text(query, "query", blank=True)
        number(k, "k", 1)
        if tokens is not None:
            number(tokens, "tokens", 0)
        at = moment(at)
        with self._reading():
            return self._found(query, k, at, tokens) if len(self._records) > self._gone.view.sum() else []

    def _found(self, query: str, k: int, at: str | None, tokens: int | None) -> list[Hit]:
        if self._last is None or self._last[0] != (query, at):
            self._last = (query, at), ranked(self._store, query, day(at), self.without)
        found = self._last[1]
        hits: list[Hit] = []
        for place in found.order:
            if self._gone[place]:
                continue
            entry = self._records[place].entry
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

    def get(self, id: str) -> Entry | None:
        """The entry of an id, with all its items if it was a long list; None if there is none."""
        with self._reading():
            found = [self._records[place].entry for place in self._places_of(id)]
            return replace(found[0], id=id, text="\n".join(entry.text for entry in found)) if found else None

    def get_all(self) -> list[Entry]:
        """Everything kept, oldest first."""
        with self._reading():
            return [record.entry for record in self._records.all() if not record.gone]

    def page(self, start: int, count: int) -> list[Entry]:
        """So many entries from a number on, oldest first; nothing else is read."""
        with self._reading():
            places = np.flatnonzero(self._gone.view == 0)[start : start + count]
            return [self._records[place].entry for place in places.tolist()]

    def of_session(self, session: str) -> list[Entry]:
        """What was said in a session, oldest first; nothing else is read."""
        with self._reading():
            number = self._sessions.get(session) if session else None
            if number is None:
                return []
            places = np.flatnonzero((self._words.session_of.view == number) & (self._gone.view == 0))
            return [self._records[place].entry for place in places.tolist()]

    def forget(self, id: str) -> bool:
        """Drop an entry for good, with its items and what it did to others; False if there is none of that id.

        A database has nothing of it left: not in its indexes, and not in pages that are no longer used.
        """
        with self._writing():
            places = self._places_of(id)
            if not places:
                return False
            self._touched = True
            if self._database is not None:
                self._write_parts()
            for place in places:
                self._forget(place)
            self._dropped = True
        return True

    def history(self, id: str) -> list[Event]:
        """What later entries did to this one, oldest first: changed what it hangs on, replaced or voided it."""
        with self._reading():
            places = self._places_of(id)
            if not places:
                raise BadInput(f"mosaic holds no entry {id!r}; get_all() lists what it holds")
            graph = self._graph
            found: dict[tuple[int, str], None] = {}
            for number in (number for place in places for number in graph.of_entry(place)):
                if change := graph.changed.get(number):
                    found[graph.entry_of[change.report], "changed"] = None
                if (later := graph.replaced_by.get(number)) is not None:
                    found[graph.entry_of[later], "replaced"] = None
                if (request := graph.voided_by.get(number)) is not None:
                    found[graph.entry_of[request], "voided"] = None
            return [Event(kind, self._records[by].entry) for by, kind in sorted(found) if not self._gone[by]]

    def kinds(self, id: str) -> list[Kind]:
        """What the statements of an entry do."""
        with self._reading():
            return [each.kind for place in self._places_of(id) for each in self._records[place].said]

    def statements(self, id: str) -> list[tuple[int, Statement]]:
        """The statements of an entry with their numbers; none if there is no such entry."""
        with self._reading():
            numbers = [number for place in self._places_of(id) for number in self._graph.of_entry(place)]
            return [(number, self._graph.statements[number]) for number in numbers]

    def earlier(self, said: Sequence[Statement], count: int) -> list[tuple[str, Statement]]:
        """The statements that new ones most likely have to do with, oldest first: where each is kept, and itself."""
        with self._reading():
            graph = self._graph
            found = []
            for number in earlier(self._store, said, count):
                place = graph.entry_of[number]
                within = number - graph.of_entry(place).start
                found.append((f"{self._records[place].entry.id}:{within}", graph.statements[number]))
            return found

    @property
    def statement_count(self) -> int:
        """How many statements there are, which is the number of the next one."""
        with self._reading():
            return len(self._graph.entry_of)

    def users(self) -> list[str]:
        """Everybody who has a memory in the same file or database."""
        return [] if self._database is None else self._database.users()

    def clear(self) -> None:
        """Drop everything of this user, and their name; whoever adds something to this memory is listed again."""
        with self._writing():
            if self._database is not None:
                self._touched = True
                self._database.clear()
                known = self._database.state()
                self._database.put_state({name: known[name] for name in ("embedder", "dimensions")})
                self._version = self._database.version()
            self._begin()
            self._dropped = True

    # What is held

    def _begin(self) -> None:
        """Hold nothing."""
        database = self._database
        self._last = None
        self._touched = False
        self._unwritten = 0
        self._next = 0
        self._places: dict[str, int] = {}
        self._items: dict[str, set[int]] = {}
        self._records = records = Records(database)
        self._gone = Column(np.uint8)
        self._sessions: Links[str, int] = Links("sessions", database)
        self._words = WordIndex(lambda place: _stems(records[place]), database)
        self._vectors = SentenceVectors(self.embedder, database.vectors if database else None)
        self._graph = DependencyGraph(self._words, lambda place: records[place].said, database)
        count = self._words.__len__
        self._days: Derived[date | None] = Derived(count, lambda place: day(records.entry(place).at))
        self._names: Derived[list[str]] = Derived(count, lambda place: _names(records[place]))
        self._placed: Derived[dict[str, float]] = Derived(count, lambda place: _placed(records[place]))
        self._store = Store(
            Derived(count, lambda place: records.entry(place).text),
            records.look_ahead,
            self._days,
            Column(np.uint8),
            self._placed,
            self._words,
            self._vectors,
            Column(np.float32),
            Column(np.int32),
            self._graph,
            Names(self._names, database),
        )

    @property
    def _columns(self) -> dict[str, Column]:
        """What is kept by entry, by sentence and by statement."""
        store = self._store
        return {
            "gone": self._gone,
            "stated": store.stated,
            "lengths": self._words.lengths,
            "session_of": self._words.session_of,
            "owner": self._vectors.owner,
            "weights": store.weights,
            **{f"sketch{n}": column for n, column in enumerate(self._vectors.sketches)},
            "rows": store.rows,
            **self._graph.columns,
        }

    @property
    def _postings(self) -> tuple[Postings, ...]:
        return self._words.postings, self._store.names.holding, *self._graph.postings

    @property
    def _links(self) -> tuple[Links[Any, Any], ...]:
        return self._sessions, *self._graph.links

    def _place_of(self, id: str) -> int | None:
        return self._places.get(id) if self._database is None else self._database.place_of(id)

    def _places_of(self, id: str) -> list[int]:
        """Where an entry is: one place, or those of its items if it was a long list."""
        text(id, "id", blank=True)
        place = self._place_of(id)
        if place is not None:
            return [place]
        if self._database is None:
            return sorted(self._items.get(id, ()))
        places = self._database.places_under(f"{id}#")
        return [each for each in places if _listed_in(self._records[each].entry.id) == id]

    def _id(self, place: int | None) -> str | None:
        return None if place is None or self._gone[place] else self._records[place].entry.id

    def _named(self, entries: Sequence[Entry], start: int) -> list[str]:
        """The ids of new entries; whoever has none gets the next one that is free."""
        taken = {entry.id for entry in entries}
        next_one = max(start, self._next)
        ids = []
        for entry in entries:
            id = entry.id
            while not id:
                id, next_one = f"m{next_one}", next_one + 1
                if id in taken or self._places_of(id):
                    id = ""
            ids.append(id)
        if not all(entry.id for entry in entries):
            self._next = next_one
        return ids

    def _refuse_known(self, pieces: Sequence[Entry], ids: Iterable[str]) -> None:
        for id in dict.fromkeys((*ids, *(piece.id for piece in pieces))):
            if self._place_of(id) is not None if _LISTED.search(id) else self._places_of(id):
                raise BadInput(f"mosaic holds an entry {id!r} already; forget it first, or choose another id")
        if len({piece.id for piece in pieces}) < len(pieces):
            twice = next(piece.id for n, piece in enumerate(pieces) if piece.id in {each.id for each in pieces[:n]})
            raise BadInput(f"two new entries have the id {twice!r}; choose another one for one of them")

    def _put(self, record: Record, vectors: Vectors) -> None:
        """Take in the next entry."""
        entry, place, store = record.entry, len(self._records), self._store
        self._records.append(record)
        if self._database is None and not record.gone:
            self._places[entry.id] = place
            if list_id := _listed_in(entry.id):
                self._items.setdefault(list_id, set()).add(place)
        for each in record.said:
            store.rows.append(len(store.weights) if each.leading else -1)
            if each.leading:
                store.weights.append(0.0 if record.gone else QUIET if each.quiet else 1.0)
        self._vectors.add([place] * len(vectors), vectors)
        self._words.add(_stems(record), self._session(entry))
        self._gone.append(record.gone)
        store.stated.append(any(each.leading and not each.quiet for each in record.said) and not record.gone)
        store.names.add(self._names[place], place)
        for each in record.said:
            self._graph.add(each, place)
        self._unwritten += 1

    def _put_back(self, records: Sequence[Record]) -> None:
        """Hold these records again, and nothing else; their vectors are worked out anew."""
        self._begin()
        for record in records:
            said = [each.indexed for each in record.said if each.leading]
            vectors = self._vectors.embedded(said)
            self._put(record, np.zeros_like(vectors) if record.gone else vectors)

    def _session(self, entry: Entry) -> int:
        """The number of an entry's session; one without a session is a session of its own."""
        known = self._sessions.get(entry.session) if entry.session else None
        if known is None:
            known = self._words.sessions
            if entry.session:
                self._sessions[entry.session] = known
        return known

    def _forget(self, place: int) -> None:
        """Take everything of an entry out of what is held, and out of the database."""
        record, store = self._records[place], self._store
        rows: list[Row] = []
        for stem in self._words.bags[place]:
            rows += self._words.postings.remove(stem, place)
        for name in self._names[place]:
            rows += store.names.holding.remove(name, place)
        rows += self._graph.forget(place)
        sentences = self._vectors.of_entry(place)
        self._vectors.empty(place)
        self._words.empty(place)
        store.stated[place], self._gone[place] = False, True
        for row in sentences:
            store.weights[row] = 0.0
        for derived in (self._days, self._names, self._placed, store.texts):
            if isinstance(derived, Derived):
                derived.drop(place)
        self._places.pop(record.entry.id, None)
        if items := self._items.get(_listed_in(record.entry.id)):
            items.discard(place)
        self._records.overwrite(place, record.forgotten())
        mine = self._words.session_of.view == self._words.session_of[place]
        if record.entry.session and self._gone.view[mine].all():
            self._sessions.pop(record.entry.session)
        if self._database is not None:
            empty = self._vectors.embedder.dimensions * len(sentences) * 4
            self._database.overwrite(place, packed(record.forgotten()), bytes(empty))
            for link in self._links:
                rows += link.unwritten()
            for name, column in self._columns.items():
                rows += column.rewritten(name, self._database.read)
            self._database.write(rows)
            self._put_state()

    # The database

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Look at what is there now, whoever wrote it."""
        with self._lock:
            if self._database is None or self._in_batch:
                yield
                return
            with self._database.reading():
                self._catch_up()
                yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Change what is there now; if that fails, what is held is read again."""
        with self._lock:
            self._last = None
            if self._database is None or self._in_batch:
                yield
                return
            self._touched = False
            try:
                with self._database.writing():
                    self._catch_up()
                    yield
            except BaseException:
                if self._touched:
                    self._begin()
                    self._version = -1
                raise
            finally:
                dropped, self._dropped = self._dropped, False
            if dropped:
                self._database.really_gone()

    def _catch_up(self) -> None:
        """Take in what others wrote."""
        assert self._database is not None
        if self._database.version() != self._version:
            self._load()
        elif self._database.count() > len(self._records):
            self._take(len(self._records))

    def _load(self) -> None:
        """Read what is needed of the parts, and work out what follows from entries that came after them."""
        assert self._database is not None
        self._begin()
        self._database.changed()
        self._version = self._database.version()
        state = self._database.state()
        self._part = state.get("part", 0)
        for name, column in self._columns.items():
            column.take(data for _, data in self._database.read("columns", key_of(name)))
        self._words.taken()
        self._records.taken(len(self._gone))
        if "sum" in state:
            self._vectors.taken(state["sum"], state["centre"])
        self._take(len(self._records))
        self._touched = False

    def _take(self, start: int) -> None:
        assert self._database is not None
        self._last = None
        records = [unpacked(text) for text in self._database.records(start)]
        vectors = dict(self._database.vectors(start=start))
        for n, record in enumerate(records):
            data = vectors.get(start + n, b"")
            self._put(record, np.frombuffer(data, dtype=np.float32).reshape(-1, self.embedder.dimensions))

    def _append(self, start: int, vectors: Vectors) -> None:
        """Write the entries that came last."""
        assert self._database is not None
        row, rows = 0, []
        for place in range(start, len(self._records)):
            record = self._records[place]
            count = sum(each.leading for each in record.said)
            rows.append((record.entry.id, packed(record), vectors[row : row + count].tobytes()))
            row += count
        self._database.append(start, rows)
        if self._unwritten > (IN_A_BATCH if self._in_batch else WORKED_OUT_AGAIN):
            self._write_parts()

    def _write_parts(self) -> None:
        """Write what follows from the entries that came since the last part."""
        assert self._database is not None
        if not self._unwritten:
            return
        self._part += 1
        self._vectors.sketch()
        rows: list[Row] = []
        for name, column in self._columns.items():
            rows += column.rewritten(name, self._database.read)
            rows.append(("columns", key_of(name), self._part, column.unwritten()))
        for postings in self._postings:
            rows += postings.unwritten(self._part)
        for link in self._links:
            rows += link.unwritten()
        self._database.write(rows)
        self._records.written()
        self._vectors.written()
        self._unwritten = 0
        self._put_state()

    def _put_state(self) -> None:
        assert self._database is not None
        self._database.put_state(
            {
                "embedder": self.embedder.name,
                "dimensions": self.embedder.dimensions,
                "part": self._part,
                "sum": self._vectors.sum.tolist(),
                "centre": self._vectors.centre.tolist(),
            }
        )
        self._version = self._database.version()


def _database(where: str | Path, wait: float) -> Database:
    # Imported here: a memory that lives in memory needs neither.
    if not isinstance(where, str | Path):
        raise BadInput("a memory is opened by the path of a file, or by an address such as postgresql://host/name")
    scheme, found, _ = str(where).partition("://")
    if found and scheme not in ("postgresql", "postgres"):
        raise BadInput(f"mosaic keeps nothing at {scheme}:// addresses; give a file, or postgresql://host/name")
    if found and isinstance(where, str):
        from memtriage.systems.designs.mosaic.postgres import Postgres

        return Postgres(str(where), wait)
    from memtriage.systems.designs.mosaic.sqlite_file import SqliteFile

    return SqliteFile(Path(where).expanduser(), wait)


def _stems(record: Record) -> tuple[str, ...]:
    """The stems by which an entry is found: those of its words, and of what a model calls it."""
    told = [each.told.category for each in record.said if each.told]
    return (*stems(record.entry.text), *(stem for category in told for stem in stems(category)))


def _names(record: Record) -> list[str]:
    return names(record.entry.text) if len(_stems(record)) <= LONGEST_LINK else []


def _placed(record: Record) -> dict[str, float]:
    """How far into an entry each word first stands."""
    words = _stems(record)
    return {word: n / len(words) for n, word in reversed(list(enumerate(words)))}


_LISTED = re.compile(r"#\d+$")
"""How the id of an item of a list ends."""


def _listed_in(id: str) -> str:
    """The id of the list whose item has this id; empty if it is none."""
    return id[: found.start()] if (found := _LISTED.search(id)) else ""


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
        yield replace(entry, id=f"{entry.id}#{n}", text=line)
