"""Other people's libraries as memory systems: `mem0`, `graphiti` and the rest of the catalogue, each by its name.

Every attribute of this module that is named like a library, with underscores for dashes, is the `Factory` of that
library; nothing of a library is loaded here, and a store of it is a process in the library's own environment.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtriage.errors import BadSystem, unknown
from memtriage.systems import catalog, environments
from memtriage.systems.catalog import Library
from memtriage.systems.line import Line
from memtriage.systems.process import Process
from memtriage.trace import Usage

if TYPE_CHECKING:
    from memtriage.models.gateway import Gate
    from memtriage.models.inside import Inside

OFFLINE = "wordllama"
"""The embedder that comes with memtriage, for libraries that embed where the run names none."""

SCRIPTED = "its model is the scripted server: this run proves plumbing, not quality"

_gates: weakref.WeakKeyDictionary[Line, Gate] = weakref.WeakKeyDictionary()
"""The way to the models that each process was started with. A process serves one store at a time, so does its gate."""

_numbers: weakref.WeakKeyDictionary[Inside, dict[tuple[str, str, int], str]] = weakref.WeakKeyDictionary()
_numbering = threading.Lock()
_fresh = itertools.count(1)


class Factory:
    """Makes stores of one library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.__name__ = self.__qualname__ = library.name
        self.__doc__ = f"{library.title}, in an environment of its own."

    @property
    def architecture(self) -> str:
        return self.library.architecture

    @property
    def family(self) -> str:
        return self.library.family

    @property
    def needs(self) -> tuple[str, ...]:
        return self.library.needs

    def record(self) -> dict[str, str]:
        """What a run has to remember to be repeated."""
        library = self.library
        return {"library": library.package, "version": library.version, "lock": environments.lock_hash(library)}

    def __call__(
        self, internal: str = "", embedder: str = "", timeout: float = 600.0, repeat: int = 0, **options: str
    ) -> Store:
        self._refuse(internal, options)
        offline = not embedder and "embed" in self.library.needs
        notes = [f"it embeds with {OFFLINE}, since --embed named no model"] if offline else []
        way = Way.now(internal, OFFLINE if offline else embedder, repeat)
        return Store(self.library, options, timeout, way, notes)

    def _refuse(self, internal: str, options: dict[str, str]) -> None:
        """Say what is missing before anything is started."""
        library = self.library
        now = environments.status(library)
        if now.state == "unavailable":
            raise BadSystem(f"{library.name} can't be installed by name: {now.why}")
        if now.state != "installed":
            told = now.why if now.state == "absent" else f"{library.name} is {now.state}: {now.why}"
            raise BadSystem(f"{told}; run: {environments.command('install', library)}")
        for option in options:
            if option not in library.options:
                raise BadSystem(f"{library.name}: {unknown('option', option, library.options)}")
        if "internal" in library.needs and not internal and not options:
            # with options the adapter decides: mem0:infer=false asks no model
            raise BadSystem(
                f"{library.name} writes its memories with a model; name one, as in --internal openai/gpt-4.1-mini"
            )


@dataclass(frozen=True, eq=False)
class Way:
    """The models of a store as they are named, in the run that is under way.

    Processes with the same number were told of the same models, and may serve each other's stores.
    """

    inside: Inside
    internal: str
    embed: str
    repeat: int
    number: str

    @classmethod
    def now(cls, internal: str, embed: str, repeat: int) -> Way:
        from memtriage.models.inside import current

        inside = current()
        with _numbering:
            known = _numbers.setdefault(inside, {})
            number = known.setdefault((internal, embed, repeat), str(next(_fresh)))
        return cls(inside, internal, embed, repeat, number)

    def open(self) -> Gate:
        return self.inside.gate(self.internal, self.embed, repeat=self.repeat)


class Store(Process):
    """One store of a library. What it takes goes through the run's models, and is counted there."""

    def __init__(
        self, library: Library, options: Mapping[str, str], timeout: float, way: Way, notes: Sequence[str] = ()
    ) -> None:
        opened: list[Gate] = []

        def models() -> Mapping[str, object]:
            opened.append(way.open())
            return opened[-1].models()

        try:
            super().__init__(
                environments.words(library),
                options=options,
                environment={**library.environment, "MEMTRIAGE_MODELS": way.number},
                models=models,
                timeout=timeout,
                label=library.name,
            )
        except BaseException:
            for gate in opened:
                gate.close()
            raise
        for gate in opened:
            _gates[self._line] = gate
            weakref.finalize(self._line, gate.close)
        self._gate = _gates[self._line]
        self._gate.troubles()  # those of an earlier store are not this one's
        self._before = self._gate.usage
        self._notes = notes

    def usage(self) -> Usage:
        """What the models inside took for this store."""
        return self._gate.usage - self._before

    def troubles(self) -> list[str]:
        """The errors that the library swallowed, and those that its models met."""
        return [*super().troubles(), *self._gate.troubles()]

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return [*super().notices(), *self._notes, *([SCRIPTED] if self._gate.scripted else [])]


def __getattr__(name: str) -> Any:
    for known in catalog.names():
        if known.replace("-", "_") == name:
            return Factory(catalog.library(known))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *(name.replace("-", "_") for name in catalog.names())])
