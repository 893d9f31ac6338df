"""mosaic as a system under test: a thin layer over the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from memtriage.core.chat import ModelError
from memtriage.core.episode import Session
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Answered, Memory, Question, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.design import Design
from memtriage.systems.designs.mosaic.answering import composed
from memtriage.systems.designs.mosaic.extraction import EARLIER, KNOWN, Shown, annotated
from memtriage.systems.designs.mosaic.memory import Entry, Hit, MosaicMemory
from memtriage.systems.designs.mosaic.prompts import RULES, mosaic_answer, statement_list
from memtriage.systems.designs.mosaic.statements import Annotation, Statement
from memtriage.systems.designs.prompts import Ask
from memtriage.systems.designs.replies import line
from memtriage.systems.retrieval.units import whole
from memtriage.systems.saved_state import texts
from memtriage.text.sentences import sentences

_UNREADABLE = ("malformed", "empty", "refusal")


class Mosaic(Design):
    """Keeps what was said and what hangs on what: seeds, chains, relatives and dependencies, with or without a model.

    Summarise: nothing; turns stay word for word, and their sentences are typed (state, rule, tie, change, retraction,
    request to forget, plan): by their form, or by a model (`--internal`), which also says what each is one of, what
    it hangs on and which earlier ones it changes. Sessions wait for their call until they have `batch` sentences.
    Store: stems, sentence vectors, and a graph of what changes, replaces or voids what, worked out while storing.
    Retrieve: words and meaning give seeds; chains and relatives are followed from them, and what hangs on something
    that has changed comes with the change. `without` leaves parts out, joined by `+`, such as `without=chains+times`.

    With `summarise=rules` no model is asked, even if there is one.
    """

    name = "mosaic"
    rules = RULES
    asks = ("statement_list", "mosaic_answer")
    traits = Traits(
        family="structure-rag",
        architecture="summarise: verbatim; store: stems, sentence vectors, a graph of what changes what, "
        "by rule or by a model; retrieve: hybrid seeds, chains, relatives, dependencies",
        ranks_all=True,
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        without: str = "",
        summarise: str = "",
        batch: int = 40,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        if summarise not in ("", "model", "rules"):
            raise BadInput(unknown("summarise step of mosaic", str(summarise), ("model", "rules")))
        super().__init__(internal, embedder, summarise or ("model" if internal else "rules"), "turn", repeat, prompts)
        self.batch = whole("batch", batch)
        self._without = [part for part in str(without).split("+") if part]
        self._waiting: list[Entry] = []
        self.reset()

    def store_conversation(self, conversation: Session) -> None:
        entries = [
            Entry(
                turn.id if turn.id.startswith(conversation.id) else f"{conversation.id}/{turn.id}",
                turn.text,
                turn.role,
                conversation.id,
                conversation.timestamp,
            )
            for turn in conversation.turns
        ]
        sources = {entry.id: turn.id for entry, turn in zip(entries, conversation.turns, strict=True)}
        if self._writer is None:
            self.memory.keep(entries)
        else:
            self._await_call(entries)
        self._sources |= sources

    def settle(self) -> None:
        """Have the model read what waits."""
        if self._waiting:
            self.memory.keep(self._waiting)
            self._waiting = []

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        self.settle()
        return [self._found(hit) for hit in self.memory.search(query, whole("k", k), at=conversation.timestamp)]

    def answer(self, question: Question) -> Answered:
        """An answer from what a search brings, with what voids it: by the model in one call, or by rule."""
        self.settle()
        hits = self.memory.search(question.text, whole("k", question.k), at=question.session.timestamp)
        text = self._written(question, hits) if self._writer is not None else ""
        return Answered(text or composed(self.memory, hits), tuple(map(self._found, hits)))

    def get_all_memories(self) -> list[Memory]:
        return [self._shown(entry) for entry in self.memory.get_all()]

    def notices(self) -> list[str]:
        """What every report about this system has to say, and how often the model said what can't be used."""
        return [*super().notices(), *(f"{what}: {times}" for what, times in sorted(self._faults.items()) if times)]

    def reset(self) -> None:
        annotate = None if self._writer is None else self._annotated
        self.memory = MosaicMemory(self.embedder, self._without, annotate=annotate)
        self._sources: dict[str, str] = {}
        self._waiting = []
        self._told: dict[str, Annotation] = {}
        self._read: dict[str, None] = {}  # the entries that the model has read
        self._faults: Counter[str] = Counter()

    # With a model

    def _await_call(self, entries: Sequence[Entry]) -> None:
        """Put entries with those that wait, and read them all if they are enough for a call."""
        if twice := next((entry.id for entry in entries if entry.id in self._sources), ""):
            raise BadInput(f"mosaic holds an entry {twice!r} already; forget it first, or choose another id")
        before = self._waiting
        self._waiting = [*before, *entries]
        if sum(_sentences(entry) for entry in self._waiting) >= self.batch:
            try:
                self.settle()
            except Exception:
                self._waiting = before
                raise

    def _annotated(self, entries: Sequence[Entry], read: list[list[Statement]]) -> list[list[Statement]]:
        """The statements of new entries with what the model says of them; as they are if it says nothing usable."""
        said = [
            (_place(entry, n), (entry.at or "")[:10], statement.text)
            for entry, statements in zip(entries, read, strict=True)
            for n, statement in enumerate(statements)
        ]
        if not said:
            return read
        shown = Shown(self._candidates(entries, read), said)
        reply = self._readable(statement_list(shown.as_earlier(), self._nouns(), shown.as_said()))
        if reply is None:
            return read
        self._told |= shown.read(reply)
        self._faults += shown.faults
        self._read |= dict.fromkeys(entry.id for entry in entries)
        return self._with_told(entries, read)

    def _written(self, question: Question, hits: Sequence[Hit]) -> str:
        """The model's answer; empty if it can't be read."""
        number = {hit.entry.id: n for n, hit in enumerate(hits, 1)}
        shown = [
            {
                **{"n": n, "text": hit.entry.text, "day": (hit.entry.at or "")[:10], "why": _why(hit)},
                "voided_by": number.get(hit.voided_by or "", 0),
            }
            for n, hit in enumerate(hits, 1)
        ]
        asked_at = question.session.timestamp or ""
        reply = self._readable(mosaic_answer(question.text, asked_at, question.how, shown))
        return line(reply, "answer") if reply else ""

    def _readable(self, ask: Ask) -> Mapping[str, Any] | None:
        """The model's reply; None if it can't be read, which is counted, so that rules do its work."""
        try:
            return self._ask(ask)
        except ModelError as error:
            if error.trouble not in _UNREADABLE:
                raise
            self._faults["replies of the model that could not be read, so that rules did its work"] += 1
            return None

    def _with_told(self, entries: Sequence[Entry], read: list[list[Statement]]) -> list[list[Statement]]:
        """Statements with what a model says of them; what it read and didn't name is small talk."""
        places = [_place(entry, n) for entry, said in zip(entries, read, strict=True) for n in range(len(said))]
        number_of = {place: number for number, place in enumerate(places, self.memory.statement_count)}
        found = []
        for entry, statements in zip(entries, read, strict=True):
            named = [self._told.get(_place(entry, n)) for n in range(len(statements))]
            some, seen = any(named), entry.id in self._read
            found.append(
                [
                    annotated(each, told, self._numbers(told, number_of, entry.id))
                    if told
                    else replace(each, leading=each.leading and not some, quiet=each.quiet or seen)
                    for each, told in zip(statements, named, strict=True)
                ]
            )
        return found

    def _numbers(self, told: Annotation, number_of: Mapping[str, int], own: str) -> list[int]:
        """The numbers of the statements that one changes; what has been forgotten since has none.

        Who asks to forget something says in the same breath what it is, and that is no statement that has to go.
        """
        found = []
        for place in told.changes:
            id, _, n = place.rpartition(":")
            kept = self.memory.statements(id)
            if id == own:
                continue
            if place in number_of:
                found.append(number_of[place])
            elif int(n) < len(kept):
                found.append(kept[int(n)][0])
        return found

    def _candidates(self, entries: Sequence[Entry], read: list[list[Statement]]) -> list[tuple[str, str]]:
        """Earlier statements that new ones may have to do with: their places and texts, oldest first."""
        found = self.memory.earlier([each for said in read for each in said], EARLIER)
        kept = [one for one in found if one[1].told] or found
        return [(place, each.text) for place, each in kept if each.kind != "question"]

    def _nouns(self) -> list[str]:
        """The nouns in use, those first that were used last."""
        found: dict[str, None] = {}
        for told in reversed(self._told.values()):
            found |= dict.fromkeys((told.category, *told.hangs_on))
            if len(found) >= KNOWN:
                break
        return list(found)[:KNOWN]

    # Disk

    def save(self, path: Path) -> None:
        """Write everything kept into a directory, as JSON; what waits is read first."""
        self.settle()
        super().save(path)

    def _settings(self) -> dict[str, str | int | float]:
        kept = super()._settings()
        return {key: kept[key] for key in ("system", "embedder", "summarise", "prompts") if key in kept}

    def _state(self) -> dict[str, Any]:
        told = {place: asdict(each) for place, each in self._told.items()}
        kept = [asdict(entry) for entry in self.memory.get_all()]
        return {"entries": kept, "sources": self._sources, "read": list(self._read), "told": told}

    def _restore(self, state: Mapping[str, Any]) -> None:
        told = {str(place): _annotation(each) for place, each in state["told"].items()}
        seen = dict.fromkeys(texts(state["read"]))
        sources = {str(id): str(turn) for id, turn in state["sources"].items()}
        entries = [_entry(each) for each in state["entries"]]
        fresh = copy(self)
        fresh.reset()
        fresh._told, fresh._read, fresh._sources = told, seen, sources
        fresh.memory.annotate = fresh._with_told
        fresh.memory.keep(entries)
        vars(self).update(vars(fresh))
        self.memory.annotate = None if self._writer is None else self._annotated

    def _found(self, hit: Hit) -> Memory:
        return replace(self._shown(hit.entry), score=hit.score, why=_why(hit))

    def _shown(self, entry: Entry) -> Memory:
        source = self._sources.get(entry.id) or self._sources.get(entry.id.rpartition("#")[0], "")
        return Memory(entry.id, entry.text, entry.at, (source,) if source else ())


def _place(entry: Entry, sentence: int) -> str:
    return f"{entry.id}:{sentence}"


def _sentences(entry: Entry) -> int:
    return 0 if entry.role == "assistant" else len(sentences(entry.text))


def _why(hit: Hit) -> str:
    """Why an entry came back, and what voids it, by the ids of other entries."""
    by = f" of {hit.by}" if hit.by else ""
    return f"{hit.why}{by}; voided by {hit.voided_by}" if hit.voided_by else f"{hit.why}{by}"


def _annotation(saved: Mapping[str, Any]) -> Annotation:
    found = Annotation(**{**saved, "hangs_on": texts(saved["hangs_on"]), "changes": texts(saved["changes"])})
    if not all(isinstance(part, str) for part in (found.category, found.subject, found.value, found.date)):
        raise ValueError(f"{saved!r} is nothing that a model says of a sentence")
    return found


def _entry(saved: Mapping[str, Any]) -> Entry:
    entry = Entry(**saved)
    if not all(isinstance(part, str) for part in (entry.id, entry.text, entry.role, entry.session)):
        raise ValueError(f"{saved!r} is no entry")
    return entry
