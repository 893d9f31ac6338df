"""The memory design of the LongMemEval paper: four control points, each choice selectable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, unknown
from memtriage.core.memory import Memory, Traits
from memtriage.core.reading import reading_of
from memtriage.core.trace import Usage
from memtriage.models.embedders import Embedder
from memtriage.systems import saved_state as saved
from memtriage.systems.designs.lme.extract import KINDS, Extract, Extraction, ExtractKind, user_messages
from memtriage.systems.designs.lme.pools import RETRIEVERS, KeyedItem, Pool, merged
from memtriage.systems.designs.prompts import digest
from memtriage.systems.designs.rules.dates import Span, day
from memtriage.systems.designs.rules.keyphrases import Keyphrases
from memtriage.systems.designs.turns import by_user, spoken, turns_by_round
from memtriage.systems.retrieval.dense import shared_embedder
from memtriage.systems.retrieval.units import newest_first, whole
from memtriage.systems.saved_state import texts
from memtriage.text.words import well_formed

Value = Literal["session", "round", "summary", "facts"]
Query = Literal["question", "time"]
Merge = Literal["key", "rank"]

SLACK = 2
"""Days by which an item may lie outside a time range; the number of the paper's code."""


class LME:
    """Keeps rounds under keys that are expanded with user facts, and prunes by time: LongMemEval's own design.

    Summarise: `value` is what is kept: whole sessions, rounds (a user's turn with its answers), or only what was
    extracted of them, summaries or facts.
    Store: `key` is what is searched: the value's user side, or something extracted (summary, keyphrase, fact, events),
    or both (`value+fact`), merged into one text or, with `merge=rank`, as keys of their own. No key ever holds a word
    of the assistant. Every item is also filed under its session's day and the days of its events.
    Retrieve: by words, by meaning or both; with `query=time`, where the question names a time, items of other days are
    moved behind those of that time. `reading` says how the reader is to be shown the result.

    The internal model extracts; without one, rules do (`summarise=rules`).
    """

    name = "lme"
    traits = Traits(
        family="structure-rag",
        architecture="summarise: rounds (or sessions, summaries, facts); "
        "store: keys expanded with user facts, events filed by day; retrieve: by key, items of the asked time first",
        ranks_all=True,
    )

    def __init__(
        self,
        internal: str = "",
        value: str = "round",
        key: str = "value+fact",
        query: str = "time",
        reading: str = "con-json",
        retriever: str = "dense",
        merge: str = "key",
        embedder: str | Embedder = "wordllama",
        summarise: str = "",
        slack: str | int = SLACK,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        self.value: Value = _chosen("value", value, get_args(Value))
        self.key = _key(key)
        self.query: Query = _chosen("query", query, get_args(Query))
        reading_of(reading, "lme")
        self.merge: Merge = _chosen("merge", merge, get_args(Merge))
        self.retriever = _chosen("retriever", retriever, RETRIEVERS)
        self.slack = whole("slack", slack, least=0)
        self.embedder = shared_embedder(embedder) if self.retriever != "bm25" else None
        self._extraction = Extraction(self.name, internal, summarise, repeat, prompts)
        self.summarise = self._extraction.mode
        self.traits = replace(self.traits, parallel=self._extraction.by_model, reading=reading)
        names = self.key if self.merge == "rank" else ("key",)
        self._pools = [Pool(name, self.retriever, self.embedder) for name in names]
        self._items: list[KeyedItem] = []

    @property
    def prompts(self) -> dict[str, str]:
        """What the model is told, for what this store extracts and asks."""
        names = [f"lme_{kind}" for kind in self._kinds] + ["lme_time_range"] * (self.query == "time")
        return {name: self._extraction.prompts[name] for name in names}

    def set_prompts(self, prompts: Mapping[str, str]) -> None:
        """Take other prompts, before anything is stored."""
        self._extraction.take_prompts(prompts)

    def store_conversation(self, conversation: Session) -> None:
        turns = spoken(conversation)
        units = turns_by_round(conversation) if self.value in ("round", "facts") else [turns] if turns else []
        extracts = self._extraction.of(units, conversation.timestamp, self._kinds)
        for unit, extract in zip(units, extracts, strict=True):
            self._items += self._filed(conversation, unit, extract)
        if "keyphrase" in self._kinds:
            self._extraction.learn(units)

    def settle(self) -> None:
        """Index the keys of everything stored so far."""
        for pool in self._pools:
            pool.catch_up(self._items)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        self.settle()
        if not self._items:
            return []
        scores = merged([each for pool in self._pools for each in pool.scores(query)])
        order = [int(place) for place in newest_first(scores)]
        if self.query == "time":
            order = self._in_time_first(order, self._extraction.time_range(query, conversation.timestamp))
        return [replace(self._items[place].memory, score=float(scores[place])) for place in order[:most]]

    def get_all_memories(self) -> list[Memory]:
        return [item.memory for item in self._items]

    def reset(self) -> None:
        self._extraction.forget()
        self._items = []
        for pool in self._pools:
            pool.clear()

    def usage(self) -> Usage:
        """What the internal model has taken so far."""
        return self._extraction.usage()

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return self._extraction.notices()

    # Store

    @property
    def _kinds(self) -> tuple[ExtractKind, ...]:
        """What has to be extracted for these choices."""
        wanted = {*self.key, {"summary": "summary", "facts": "fact"}.get(self.value, "")}
        if self.query == "time":
            wanted.add("events")
        return tuple(kind for kind in KINDS if kind in wanted)

    def _filed(self, session: Session, unit: Sequence[Turn], extract: Extract) -> Iterator[KeyedItem]:
        """The items that a round or session gives; none where nothing was extracted that could stand for it."""
        at = day(session.timestamp)
        spans = ([Span(at, at)] if at else []) + [event.span for event in extract.events]
        for memory, user_side, own in self._values(session, unit, extract):
            yield KeyedItem(memory, self._keys(user_side, own), tuple(dict.fromkeys(spans)))

    def _values(
        self, session: Session, unit: Sequence[Turn], extract: Extract
    ) -> Iterator[tuple[Memory, str, Extract]]:
        """What is kept, the user's side of it, and what was extracted of it."""
        first = unit[0].id if unit[0].id.startswith(session.id) else f"{session.id}/{unit[0].id}"
        people = tuple(turn.id for turn in unit if by_user(turn))
        match self.value:
            case "session" | "round":
                text = replace(session, turns=tuple(unit)).text
                id = session.id if self.value == "session" else first
                memory = Memory(id, text, session.timestamp, tuple(turn.id for turn in unit))
                yield memory, "\n".join(user_messages(unit)), extract
            case "summary" if extract.summary:
                memory = Memory(f"{session.id}#summary", extract.summary, session.timestamp, people)
                yield memory, extract.summary, extract
            case "facts":
                own_fact = "value" in self.key  # such a value is its own fact
                for n, fact in enumerate(extract.facts):
                    yield (
                        Memory(f"{first}#{n}", fact, session.timestamp, people),
                        fact,
                        replace(extract, facts=() if own_fact else (fact,)),
                    )

    def _keys(self, user_side: str, extract: Extract) -> dict[str, tuple[str, ...]]:
        """The texts by which a value is found, by pool. What was extracted comes before the value."""
        if self.merge == "rank":
            return {
                part: (_shown(user_side) if part == "value" else tuple(_shown(*extract.keys(part))))
                for part in self.key
            }
        extracted = [extract.key(part) for part in self.key if part != "value"]
        parts = [*extracted, user_side] if "value" in self.key else extracted
        return {"key": _shown("\n".join(part for part in parts if part.strip()))}

    # Retrieve

    def _in_time_first(self, order: list[int], range: Span | None) -> list[int]:
        """The items of the time that is asked for before all others; in each part the order stays."""
        if range is None:
            return order
        inside = {place for place in order if self._items[place].within(range, self.slack)}
        return [place for place in order if place in inside] + [place for place in order if place not in inside]

    # Disk

    def save(self, path: Path) -> None:
        """Write everything kept into a directory, as JSON."""
        keyphrases = self._extraction.keyphrases
        state = {
            "items": [_plain(item) for item in self._items],
            "heard": {"texts": keyphrases.texts, "holding": dict(keyphrases.holding)},
        }
        saved.write(path, self._settings(), state=state)

    def load(self, path: Path) -> None:
        """Read back what `save` wrote; other settings than these are refused, and then nothing changes."""
        (state,) = saved.read(path, self._settings(), "state")
        with saved.damage_reported(path):
            items = [_item(each) for each in state["items"]]
            keyphrases = Keyphrases(
                int(state["heard"]["texts"]), {str(w): int(n) for w, n in state["heard"]["holding"].items()}
            )
        self.reset()
        self._items, self._extraction.keyphrases = items, keyphrases

    def _settings(self) -> dict[str, str | int]:
        """What decides what is stored; how it is queried and read may change."""
        return {
            "system": self.name,
            "value": self.value,
            "key": "+".join(self.key),
            "merge": self.merge,
            "kinds": "+".join(self._kinds),
            "summarise": self.summarise,
            **({} if self._extraction.usual else {"prompts": digest(self._extraction.prompts)}),
        }


def _chosen(what: str, given: str, known: tuple[Any, ...]) -> Any:
    if given not in known:
        raise BadInput(unknown(f"{what} of lme", str(given), known))
    return given


def _key(given: str) -> tuple[Literal["value"] | ExtractKind, ...]:
    """The parts of a key: the value, something extracted, or several joined by `+`."""
    parts = str(given).split("+")
    known = ("value", *KINDS)
    for part in parts:
        if part not in known:
            raise BadInput(f"{unknown('key of lme', part, known)}; several are joined by +, such as value+fact")
    return tuple(part for part in known if part in parts)  # type: ignore[misc]


def _shown(*keys: str) -> tuple[str, ...]:
    return tuple(well_formed(key) for key in keys if key.strip())


def _plain(item: KeyedItem) -> dict[str, Any]:
    spans = [[span.start.isoformat(), span.end.isoformat()] for span in item.spans]
    return {
        "memory": asdict(item.memory),
        "keys": {pool: list(keys) for pool, keys in item.keys.items()},
        "spans": spans,
    }


def _item(saved: Mapping[str, Any]) -> KeyedItem:
    memory = Memory(**{**saved["memory"], "sources": texts(saved["memory"]["sources"])})
    keys = {str(pool): texts(each) for pool, each in saved["keys"].items()}
    return KeyedItem(memory, keys, tuple(_spans(saved["spans"])))


def _spans(saved: Iterable[Sequence[str]]) -> Iterator[Span]:
    for start, end in saved:
        yield Span(date.fromisoformat(start), date.fromisoformat(end))
