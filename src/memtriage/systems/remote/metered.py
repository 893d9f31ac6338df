"""Processes whose models are the run's own: what they ask of them is counted for the store."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtriage.core.chat import SCRIPTED
from memtriage.core.trace import Usage
from memtriage.systems.remote.connection import Connection
from memtriage.systems.remote.process import Process

if TYPE_CHECKING:
    from memtriage.models.gateway.server import Gate
    from memtriage.models.system_models import SystemModels

_gates_of: weakref.WeakKeyDictionary[Connection, Gate] = weakref.WeakKeyDictionary()
"""The way to the models that each process was started with. A process serves one store at a time, so does its gate."""
_numbers: weakref.WeakKeyDictionary[SystemModels, dict[tuple[str, str, int], str]] = weakref.WeakKeyDictionary()
_numbering = threading.Lock()
_fresh = itertools.count(1)


@dataclass(frozen=True, eq=False)
class ModelAccess:
    """The models of a store as they are named, in the run that is under way.

    Processes with the same number were told of the same models, and may serve each other's stores.
    """

    inside: SystemModels
    internal: str
    embed: str
    repeat: int
    number: str

    @classmethod
    def now(cls, internal: str, embed: str, repeat: int = 0) -> ModelAccess:
        from memtriage.models.current import current_models

        inside = current_models()
        with _numbering:
            known = _numbers.setdefault(inside, {})
            number = known.setdefault((internal, embed, repeat), str(next(_fresh)))
        return cls(inside, internal, embed, repeat, number)

    def open(self) -> Gate:
        return self.inside.gate(self.internal, self.embed, repeat=self.repeat)


class MeteredProcess(Process):
    """One store in a process whose models are the run's: what they take is counted for the store."""

    def __init__(
        self,
        command: Sequence[str],
        access: ModelAccess,
        *,
        options: Mapping[str, str],
        environment: Mapping[str, str],
        timeout: float,
        label: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        opened: list[Gate] = []

        def models() -> Mapping[str, object]:
            opened.append(access.open())
            return opened[-1].models()

        try:
            super().__init__(
                command,
                options=options,
                environment={**environment, "MEMTRIAGE_MODELS": access.number},
                models=models,
                timeout=timeout,
                label=label,
            )
        except BaseException:
            for gate in opened:
                gate.close()
            raise
        for gate in opened:
            _gates_of[self._connection] = gate
            weakref.finalize(self._connection, gate.close)
        self._gate = _gates_of[self._connection]
        self._gate.troubles()  # those of an earlier store are not this one's
        self._before = self._gate.usage
        self._notes = notes

    def usage(self) -> Usage:
        """What the models inside took for this store, and what the process reported of others."""
        return self._gate.usage - self._before + (super().usage() or Usage())

    def troubles(self) -> list[str]:
        """The errors that its models met, and those that the other side swallowed, often because of them."""
        return [*self._gate.troubles(), *super().troubles()]

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return [*super().notices(), *self._notes, *([SCRIPTED] if self._gate.scripted else [])]
