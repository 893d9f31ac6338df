"""Atomic facts that are added, updated and deleted: the design of Mem0's paper."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.models.embedders import Embedder, Vectors
from memtriage.systems.designs.design import Design, distinct
from memtriage.systems.designs.prompts import facts_in, operations_on
from memtriage.systems.designs.replies import line, number, records, sources
from memtriage.systems.designs.rules import extraction
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import cut, whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts
from memtriage.text.words import NEGATIONS, words

_TAKES_BACK = frozenset("longer anymor stop quit".split())
_BESIDE = 2
"""How many words a sentence that takes another one back may have beside that one's."""


@dataclass(slots=True)
class Change:
    """What a session does to the store, worked out before anything is touched."""

    count: int
    put: dict[str, Memory] = field(default_factory=dict)
    drop: set[str] = field(default_factory=set)
    stated: dict[Hashable, str] = field(default_factory=dict)
    """The texts stated so far in the session, by `sameness`, and the facts that state them; for decisions by rule."""

    def add(self, fact: Memory) -> Memory:
        self.count += 1
        added = self.put[f"f{self.count}"] = replace(fact, id=f"f{self.count}")
        return added

    def write(self, fact: Memory, exactly: bool) -> None:
        before = self.put.get(fact.id)
        if before is not None:
            self.stated.pop(sameness(before.text, exactly), None)
        self.put[fact.id] = fact
        self.stated[sameness(fact.text, exactly)] = fact.id

    def touches(self, id: str) -> bool:
        return id in self.put or id in self.drop


class Facts(Design):
    """Keeps single facts, and lets each new one be added, update an old one, delete it, or be dropped as known.

    Summarise: the internal model lists the facts of a session, each able to stand alone.
    Store: for each new fact the nearest stored ones are looked up; the model is shown both, numbered, and decides
    the operations. One call decides for all facts of a session, where Mem0's paper asks for each; a session whose
    facts meet an empty store needs no decision. Left out of the paper's design: the rolling summary beside the facts.
    Retrieve: cosine between the question and the facts.

    With `summarise=verbatim` every turn is a fact as it stands, and one that is there already, word for word, is not
    kept twice. With `summarise=rules` every sentence is one; the same words again are none, a sentence that takes
    another one back (`I no longer play the cello`) updates it, and everything else is added: a rule can't tell a
    newer value from a second one, so both are kept.
    """

    name = "facts"
    asks = ("fact_list", "fact_operations")
    traits = Traits(
        family="structure-rag",
        architecture="summarise: facts extracted by a model (or verbatim, or by rule); "
        "store: flat list, add/update/delete/none decided by the model on the nearest facts; retrieve: cosine",
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        near: int = 10,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, repeat, prompts)
        self.near = whole("near", near)
        self._vectors = VectorStore(self.embedder)
        self.reset()

    def store_conversation(self, conversation: Session) -> None:
        new = self._facts(conversation)
        change = self._decide(new, self._vectors.embed([fact.text for fact in new]))
        vectors = self._vectors.embed([fact.text for fact in change.put.values()])
        self._apply(change, vectors)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        found = self._vectors.nearest(self._vectors.embed_query(query), whole("k", k))
        return [replace(self._kept[id], score=score) for id, score in found]

    def get_all_memories(self) -> list[Memory]:
        return list(self._kept.values())

    def reset(self) -> None:
        self._vectors.clear()
        self._kept: dict[str, Memory] = {}
        self._count = 0

    # Summarise

    def _facts(self, session: Session) -> list[Memory]:
        """The facts of a session; their ids don't count yet."""
        turns = spoken(session)
        if not turns:
            return []
        if self.summarise == "verbatim":
            return cut(session, self.granularity)
        if self.summarise == "rules":
            return [
                Memory("", sentence.text, session.timestamp, (sentence.turn,))
                for sentence in extraction.named_sentences(session)
            ]
        reply = self._ask(facts_in(turns, session.timestamp))
        found = {line(record, "text"): sources(record, turns) for record in records(reply, "facts")}
        return [Memory("", text, session.timestamp, turn_ids) for text, turn_ids in found.items() if text]

    # Store

    def _decide(self, new: Sequence[Memory], vectors: Vectors) -> Change:
        near = [[self._kept[id] for id, _ in self._vectors.nearest(vector, self.near)] for vector in vectors]
        change = Change(self._count)
        if self.summarise != "model":
            for fact, stored in zip(new, near, strict=True):
                self._decide_by_rule(change, fact, stored)
            return change
        shown = list({memory.id: memory for each in near for memory in each}.values())
        operations = self._operations(new, shown) if shown else []
        for n, fact in enumerate(new, 1):
            carry_out(change, fact, [each for each in operations if each.get("new") == n], shown)
        return change

    def _operations(self, new: Sequence[Memory], shown: Sequence[Memory]) -> list[Mapping[str, Any]]:
        ask = operations_on([fact.text for fact in new], [memory.text for memory in shown])
        return list(records(self._ask(ask), "operations"))

    def _decide_by_rule(self, change: Change, fact: Memory, stored: Sequence[Memory]) -> None:
        exactly = self.summarise == "verbatim"
        held = [change.put.get(memory.id, memory) for memory in stored]
        same = change.stated.get(sameness(fact.text, exactly))
        for old in held if same is None else [change.put[same]]:
            if sameness(old.text, exactly) == sameness(fact.text, exactly):
                change.write(replace(old, sources=distinct(old.sources, fact.sources)), exactly)
                return
        if not exactly and denies(fact.text):
            for old in [*held, *change.put.values()]:
                if takes_back(fact.text, old.text):
                    change.write(_updated(old, fact, fact.text), exactly)
                    return
        change.write(change.add(fact), exactly)

    def _apply(self, change: Change, vectors: Vectors) -> None:
        """Nothing here can fail, so that a session is stored as a whole."""
        for id in change.drop:
            del self._kept[id]
            self._vectors.drop(id)
        self._kept.update(change.put)
        self._vectors.put(list(change.put), vectors)
        self._count = change.count

    # Disk

    def _settings(self) -> dict[str, str | int | float]:
        return {**super()._settings(), "near": self.near}

    def _state(self) -> dict[str, Any]:
        return {
            "made": self._count,
            "order": self._vectors.ids,
            "facts": [asdict(memory) for memory in self._kept.values()],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        kept = [Memory(**{**record, "sources": texts(record["sources"])}) for record in state["facts"]]
        by_id = {memory.id: memory for memory in kept}
        order = texts(state["order"])
        count, vectors = int(state["made"]), self._vectors.embed([by_id[id].text for id in order])
        self.reset()
        self._count, self._kept = count, by_id
        self._vectors.put(order, vectors)


def carry_out(change: Change, fact: Memory, operations: Sequence[Mapping[str, Any]], shown: Sequence[Memory]) -> None:
    """Do what a model decided for one fact.

    A stored fact is touched once per session. A decision that is missing, or names a fact that was not shown or is
    taken already, adds the new fact: nothing that was extracted is lost for it.
    """
    settled = wanted = written = False
    for record in operations:
        operation, target = record.get("operation"), number(record, "stored", len(shown))
        old = shown[target - 1] if target is not None and not change.touches(shown[target - 1].id) else None
        if operation == "none":
            settled = True
        elif operation == "delete" and old is not None:
            change.drop.add(old.id)
            settled = True
        elif operation == "update" and old is not None and not written:
            change.put[old.id] = _updated(old, fact, line(record, "text") or fact.text)
            written = True
        else:
            wanted = True
    if not written and (wanted or not settled):
        change.add(fact)


def sameness(text: str, exactly: bool) -> Hashable:
    """A key that two texts share if they say the same, by every letter or by their words.

    >>> sameness("Noor plays the cello!", exactly=False) == sameness("Noor plays the cello.", exactly=False)
    True
    """
    known = words(text)
    return text if exactly or not known.stems else known


def denies(text: str) -> bool:
    """Whether a sentence says that something is not so, or no longer."""
    found = words(text)
    return bool(NEGATIONS & set(found.polarity) or _TAKES_BACK & set(found.stems))


def takes_back(new: str, old: str) -> bool:
    """Whether a sentence says that all an older one says is no longer so.

    >>> takes_back("I no longer play the cello.", "I play the cello.")
    True
    """
    now, before = set(words(new).stems), set(words(old).stems)
    if not denies(new) or denies(old) or len(before) < 2:
        return False
    return before <= now and len(now - before - _TAKES_BACK) <= _BESIDE


def deniable(new: str) -> Iterator[frozenset[str]]:
    """The stems of every sentence that `takes_back` would find taken back by this one.

    So few that they can be looked up, however many sentences there are to be held against it.

    >>> frozenset(words("I play the cello.").stems) in deniable("I no longer play the cello.")
    True
    """
    if denies(new):
        rest = sorted(set(words(new).stems) - _TAKES_BACK)  # a sentence with one of those denies something itself
        for left_out in range(min(_BESIDE, len(rest) - 2) + 1):
            for out in combinations(rest, left_out):
                yield frozenset(rest).difference(out)


def _updated(old: Memory, fact: Memory, text: str) -> Memory:
    """A stored fact, updated by a newer one."""
    return replace(old, text=text, created_at=fact.created_at, sources=distinct(old.sources, fact.sources))
