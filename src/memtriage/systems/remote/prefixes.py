"""Systems that run elsewhere, by what stands before the colon: `proc:COMMAND`, `mcp:SERVER`, `http:HOST or FILE`.

What a process asks of models goes through the run's own, and is counted there.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import shlex
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from memtriage.core.chat import SCRIPTED
from memtriage.core.errors import BadInput
from memtriage.core.memory import Traits
from memtriage.core.trace import Usage
from memtriage.systems.remote.connection import Line
from memtriage.systems.remote.process import TIMEOUT, Process, command_of, prefixed

if TYPE_CHECKING:
    from memtriage.models.gateway.server import Gate
    from memtriage.models.system_models import SystemModels
    from memtriage.systems.remote.service import Service

_gates: weakref.WeakKeyDictionary[Line, Gate] = weakref.WeakKeyDictionary()
"""The way to the models that each process was started with. A process serves one store at a time, so does its gate."""

_numbers: weakref.WeakKeyDictionary[SystemModels, dict[tuple[str, str, int], str]] = weakref.WeakKeyDictionary()
_numbering = threading.Lock()
_NONE: Mapping[str, str] = MappingProxyType({})
_fresh = itertools.count(1)


@dataclass(frozen=True, eq=False)
class Way:
    """The models of a store as they are named, in the run that is under way.

    Processes with the same number were told of the same models, and may serve each other's stores.
    """

    inside: SystemModels
    internal: str
    embed: str
    repeat: int
    number: str

    @classmethod
    def now(cls, internal: str, embed: str, repeat: int = 0) -> Way:
        from memtriage.models.current import current_models

        inside = current_models()
        with _numbering:
            known = _numbers.setdefault(inside, {})
            number = known.setdefault((internal, embed, repeat), str(next(_fresh)))
        return cls(inside, internal, embed, repeat, number)

    def open(self) -> Gate:
        return self.inside.gate(self.internal, self.embed, repeat=self.repeat)


class Counted(Process):
    """One store in a process whose models are the run's: what they take is counted for the store."""

    def __init__(
        self,
        command: Sequence[str],
        way: Way,
        *,
        options: Mapping[str, str],
        environment: Mapping[str, str],
        timeout: float,
        label: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        opened: list[Gate] = []

        def models() -> Mapping[str, object]:
            opened.append(way.open())
            return opened[-1].models()

        try:
            super().__init__(
                command,
                options=options,
                environment={**environment, "MEMTRIAGE_MODELS": way.number},
                models=models,
                timeout=timeout,
                label=label,
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
        """The errors that its models met, and those that the other side swallowed, often because of them."""
        return [*self._gate.troubles(), *super().troubles()]

    def notices(self) -> list[str]:
        """What every report about this system has to say."""
        return [*super().notices(), *self._notes, *([SCRIPTED] if self._gate.scripted else [])]


class Command:
    """Makes stores in processes that a command starts."""

    traits = Traits(architecture="summarise, store, retrieve: the process's own")

    def __init__(
        self,
        command: Sequence[str],
        source: str,
        options: Mapping[str, str] = _NONE,
        timeout: float = TIMEOUT,
        label: str = "",
    ) -> None:
        self._label = label
        self._command = tuple(command)
        self._options = dict(options)
        self._timeout = timeout
        self.__name__ = self.__qualname__ = source
        self.__module__ = __name__

    def __call__(self, internal: str = "", embedder: str = "", repeat: int = 0) -> Counted:
        way = Way.now(internal, embedder, repeat)
        return Counted(
            self._command, way, options=self._options, environment={}, timeout=self._timeout, label=self._label
        )

    def record(self) -> dict[str, str]:
        """What a run has to remember: the files that the command names, by their hashes."""
        words = [*self._command, *shlex.split(self._options.get("server", "")), self._options.get("map", "")]
        return {f"sha256 {word}": digest for word in words if (digest := _digest(word))}


class Hosted:
    """Makes stores in a service behind an address."""

    traits = Traits(architecture="summarise, store, retrieve: the service's own")

    def __init__(self, base: str, file: Path | None, source: str) -> None:
        self._base = base
        self._file = file
        self.__name__ = self.__qualname__ = source
        self.__module__ = __name__

    def __call__(self) -> Service:
        from memtriage.systems.remote.service import Service, mapped

        if self._file is None:
            return Service(self._base)
        base, steps = mapped(self._file)
        return Service(base, steps)

    def record(self) -> dict[str, str]:
        """What a run has to remember: the mapping's hash."""
        return {"mapping_sha256": _digest(str(self._file))} if self._file else {}


def named(text: str) -> Callable[..., object] | None:
    """What makes the system that a text names by its prefix; None where it has none of these."""
    if re.match(r"proc(\[|:)", text):
        rest, arguments = prefixed("proc", text)
        return Command(command_of(rest, text), text, **arguments)
    if re.match(r"mcp(\[|:)", text):
        return _mcp(text)
    if re.match(r"https?://", text):
        return Hosted(text, None, "service")
    if re.match(r"http:(?!//)", text):
        file = Path(text.partition(":")[2])
        from memtriage.systems.remote.service import mapped

        mapped(file)  # what is wrong with it is said now
        return Hosted("", file, "service")
    return None


def _mcp(text: str) -> Command:
    server, arguments = prefixed("mcp", text)
    if not server.strip():
        raise BadInput(f"system {text!r} names no server; write mcp:COMMAND or mcp:http://host/mcp")
    if not re.match(r"https?://", server):
        server = shlex.join(_absolute(word) for word in command_of(server, text))
    options = {**arguments.pop("options", {}), "server": server}
    if "map" in options:
        options["map"] = str(Path(options["map"]).resolve())
    own_side = [sys.executable, "-P", "-m", "memtriage.systems.remote.mcp"]
    return Command(own_side, text, options=options, label=f"mcp:{server}", **arguments)


def _absolute(word: str) -> str:
    """A word of a command, absolute where it names something here: each server runs in the folder of its store."""
    path = Path(word)
    here = path.is_file() or ("/" in word and path.exists())
    return str(path.absolute()) if here else word


def _digest(word: str) -> str:
    """The hash of a file that a command names; "" where it names none. An interpreter is no part of an adapter."""
    path = Path(word)
    if path.suffix in ("", ".exe") or not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()
