"""What the architectures have in common: who writes (a model, a rule, nobody), what a reply may say, and the disk.

A session is stored completely or not at all: whatever can fail (models, embeddings) is asked before the store is
touched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from memtriage.core.chat import SCRIPTED, ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem, unknown
from memtriage.core.memory import Memory, Traits
from memtriage.core.trace import Usage
from memtriage.models.embedders import Embedder
from memtriage.systems import saved_state as saved
from memtriage.systems.designs.prompts import RULES, Ask, digest, worded
from memtriage.systems.retrieval.dense import named
from memtriage.systems.retrieval.units import Granularity, whole
from memtriage.text.words import well_formed

if TYPE_CHECKING:
    from memtriage.models.system_models import Writer

Summarise = Literal["model", "verbatim", "rules"]
"""Who writes what is kept: the internal model, nobody (word for word), or rules."""


class Written(ABC):
    """An architecture whose summarise step can be a model's, a rule's or nobody's.

    `repeat` tells independent storings of the same sessions apart, which would else share their cached replies.
    `prompts` are the instructions that the model gets, by the name of the question; a JSON file may bring other ones.
    They may be set before anything is stored.
    """

    name: ClassVar[str]
    asks: ClassVar[tuple[str, ...]]
    """The questions that are put to the model."""
    traits: Traits

    def __init__(
        self,
        internal: str,
        embedder: str | Embedder,
        summarise: str,
        granularity: str | int,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        self.summarise = _chosen(summarise)
        self.prompts = worded(self.name, {ask: RULES[ask] for ask in self.asks}, prompts)
        self.granularity = Granularity.parse(granularity)
        self.embedder = named(embedder)
        self._writer = (
            _writer(internal, self.name, whole("repeat", repeat, least=0)) if self.summarise == "model" else None
        )
        self.traits = replace(self.traits, parallel=self._writer is not None)  # only a model is worth waiting for

    @abstractmethod
    def store_conversation(self, conversation: Session) -> None: ...

    @abstractmethod
    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]: ...

    @abstractmethod
    def get_all_memories(self) -> list[Memory]: ...

    @abstractmethod
    def reset(self) -> None: ...

    def usage(self) -> Usage:
        """What the model inside has taken so far; nothing where none writes."""
        return self._writer.usage if self._writer is not None else Usage()

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return [SCRIPTED] if self._writer is not None and self._writer.scripted else []

    def save(self, path: Path) -> None:
        """Write everything kept into a directory, as JSON."""
        saved.write(path, self._settings(), state=self._state())

    def load(self, path: Path) -> None:
        """Read back what `save` wrote; other settings than these are refused, and then nothing changes."""
        (state,) = saved.read(path, self._settings(), "state")
        with saved.taking_over(path):
            self._restore(state)

    def _settings(self) -> dict[str, str | int | float]:
        usual = self.prompts == {ask: RULES[ask] for ask in self.asks}
        return {
            "system": self.name,
            "summarise": self.summarise,
            "granularity": str(self.granularity),
            "embedder": self.embedder.name,
            **({} if usual else {"prompts": digest(self.prompts)}),
        }

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Everything kept, as plain values."""

    @abstractmethod
    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `_state` gave, in place of everything kept now."""

    def _ask(self, ask: Ask) -> Mapping[str, Any]:
        """The object that the model replies with; a ModelError where there is none."""
        if self._writer is None:
            raise BadSystem(f"{self.name}:summarise={self.summarise} has no model to ask")
        put = ask.told(self.prompts[ask.task])
        reply = self._writer.ask(put.messages, stage=put.stage, schema=put.schema)
        if not isinstance(reply.data, Mapping):
            raise ModelError("malformed", f"{self.name}: the reply to {ask.stage!r} holds no JSON object")
        return reply.data


# ------------------------------------------------------------------ what a reply may say


def records(data: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The objects that a reply lists under a key; anything else in the list is passed over."""
    listed = data.get(key)
    if isinstance(listed, list):
        yield from (item for item in listed if isinstance(item, Mapping))


def line(record: Mapping[str, Any], key: str) -> str:
    """A text of a reply on one line; empty where it is none."""
    value = record.get(key)
    return " ".join(well_formed(value).split()) if isinstance(value, str) else ""


def lines(record: Mapping[str, Any], key: str, most: int = 12) -> tuple[str, ...]:
    """Short texts of a reply, each once."""
    listed = record.get(key)
    texts = (line({"it": each}, "it") for each in listed) if isinstance(listed, list) else ()
    return tuple(dict.fromkeys(text for text in texts if text))[:most]


def number(record: Mapping[str, Any], key: str, most: int) -> int | None:
    """A number that was shown to the model (from 1 on); None for one it made up."""
    value = record.get(key)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 1 <= value <= most else None  # type: ignore[operator]


def numbers(record: Mapping[str, Any], key: str, most: int) -> tuple[int, ...]:
    """The numbers of a list that were shown to the model, each once."""
    listed = record.get(key)
    found = (number({"it": each}, "it", most) for each in listed) if isinstance(listed, list) else ()
    return tuple(dict.fromkeys(n for n in found if n is not None))


def sources(record: Mapping[str, Any], turns: Sequence[Turn]) -> tuple[str, ...]:
    """The ids of the turns that a reply names; all of the session's where it names none of them."""
    named = numbers(record, "turns", len(turns))
    return tuple(turns[n - 1].id for n in named) or tuple(turn.id for turn in turns)


def spoken(session: Session) -> tuple[Turn, ...]:
    """The turns that say something."""
    return tuple(turn for turn in session.turns if turn.text.strip())


def united(*parts: Iterable[str]) -> tuple[str, ...]:
    """Everything in the parts, each once, in order."""
    return tuple(dict.fromkeys(each for part in parts for each in part))


def texts(value: object) -> tuple[str, ...]:
    """A saved list of texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{value!r} is not a list of texts")
    return tuple(value)


# ------------------------------------------------------------------ who writes and embeds


def _chosen(summarise: str) -> Summarise:
    for known in get_args(Summarise):
        if summarise == known:
            return known  # type: ignore[no-any-return]
    raise BadInput(unknown("summarise step", str(summarise), get_args(Summarise)))


def _writer(internal: str, name: str, repeat: int) -> Writer:
    if not internal:
        raise BadSystem(
            f"{name} writes with a model and has none; name one with --internal, "
            f"or let nobody write: {name}:summarise=verbatim (or summarise=rules)"
        )
    from memtriage.models.current import current_models

    return current_models().writer(internal, repeat=repeat)
