"""What the designs have in common: who writes (a model, rules, nobody), the prompts, and how they are saved.

A session is stored completely or not at all: whatever can fail (models, embeddings) is asked before the store is
touched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from memtriage.core.chat import SCRIPTED, ModelError
from memtriage.core.errors import BadInput, BadSystem, unknown
from memtriage.core.memory import Traits
from memtriage.core.trace import Usage
from memtriage.models.embedders import Embedder
from memtriage.systems import saved_state
from memtriage.systems.designs.prompts import RULES, Ask, digest, prompts_of
from memtriage.systems.retrieval.dense import shared_embedder
from memtriage.systems.retrieval.units import Granularity, whole

if TYPE_CHECKING:
    from memtriage.models.system_models import Writer

Summarise = Literal["model", "verbatim", "rules"]
"""Who writes what is kept: the internal model, nobody (it is kept word for word), or rules."""


class Design(ABC):
    """A memory whose summarise step is done by a model, by rules, or not at all.

    `repeat` tells independent storings of the same sessions apart, which would otherwise share their cached replies.
    `prompts` are the instructions that the model gets, by the name of the question; a JSON file may bring other ones.
    They may be set before anything is stored.
    """

    name: ClassVar[str]
    rules: ClassVar[Mapping[str, str]] = RULES
    asks: ClassVar[tuple[str, ...]]
    """The questions that are put to the model, by their names in `rules`."""
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
        self.prompts = prompts_of(self.name, self._usual_prompts(), prompts)
        self.granularity = Granularity.parse(granularity)
        self.embedder = shared_embedder(embedder)
        self._writer = (
            _writer(internal, self.name, whole("repeat", repeat, least=0)) if self.summarise == "model" else None
        )
        self.traits = replace(self.traits, parallel=self._writer is not None)  # only a model is worth waiting for

    def usage(self) -> Usage:
        """What the model inside has taken so far; nothing where none writes."""
        return self._writer.usage if self._writer is not None else Usage()

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return [SCRIPTED] if self._writer is not None and self._writer.scripted else []

    def save(self, path: Path) -> None:
        """Write everything kept into a directory, as JSON."""
        saved_state.write(path, self._settings(), state=self._state())

    def load(self, path: Path) -> None:
        """Read back what `save` wrote; other settings than these are refused, and then nothing changes."""
        (state,) = saved_state.read(path, self._settings(), "state")
        with saved_state.damage_reported(path):
            self._restore(state)

    def _usual_prompts(self) -> dict[str, str]:
        return {ask: self.rules[ask] for ask in self.asks}

    def _settings(self) -> dict[str, str | int | float]:
        usual = self.prompts == self._usual_prompts()
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
        """The JSON object in the model's reply; ModelError if there is none."""
        if self._writer is None:
            raise BadSystem(f"{self.name}:summarise={self.summarise} has no model to ask")
        put = ask.with_rule(self.prompts[ask.task])
        reply = self._writer.ask(put.messages, stage=put.stage, schema=put.schema)
        if not isinstance(reply.data, Mapping):
            raise ModelError("malformed", f"{self.name}: the reply to {ask.stage!r} holds no JSON object")
        return reply.data


def distinct(*parts: Iterable[str]) -> tuple[str, ...]:
    """The items of all parts in order, without repeats."""
    return tuple(dict.fromkeys(each for part in parts for each in part))


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
