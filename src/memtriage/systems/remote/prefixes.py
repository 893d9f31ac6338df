"""Systems that run elsewhere, by prefix: `proc:COMMAND`, `mcp:SERVER`, `http:HOST or FILE`."""

from __future__ import annotations

import hashlib
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from memtriage.core.errors import BadInput
from memtriage.core.memory import Traits
from memtriage.systems.remote.metered import MeteredProcess, ModelAccess
from memtriage.systems.remote.process import command_of, prefixed
from memtriage.systems.time_limit import TIMEOUT

if TYPE_CHECKING:
    from memtriage.systems.remote.service import Service


_NONE: Mapping[str, str] = MappingProxyType({})


class ProcessFactory:
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

    def __call__(self, internal: str = "", embedder: str = "", repeat: int = 0) -> MeteredProcess:
        access = ModelAccess.now(internal, embedder, repeat)
        return MeteredProcess(
            self._command, access, options=self._options, environment={}, timeout=self._timeout, label=self._label
        )

    def record(self) -> dict[str, str]:
        """What a run has to remember: the files that the command names, by their hashes."""
        words = [*self._command, *shlex.split(self._options.get("server", "")), self._options.get("map", "")]
        return {f"sha256 {word}": digest for word in words if (digest := _digest(word))}


class ServiceFactory:
    """Makes stores in a service behind an address."""

    traits = Traits(architecture="summarise, store, retrieve: the service's own")

    def __init__(self, base: str, file: Path | None, source: str) -> None:
        self._base = base
        self._file = file
        self.__name__ = self.__qualname__ = source
        self.__module__ = __name__

    def __call__(self) -> Service:
        from memtriage.systems.remote.service import Service, read_mapping

        if self._file is None:
            return Service(self._base)
        base, steps = read_mapping(self._file)
        return Service(base, steps)

    def record(self) -> dict[str, str]:
        """What a run has to remember: the mapping's hash."""
        return {"mapping_sha256": _digest(str(self._file))} if self._file else {}


def factory_for(text: str) -> Callable[..., object] | None:
    """What makes the system that a text names by its prefix; None where it has none of these."""
    if re.match(r"proc(\[|:)", text):
        rest, arguments = prefixed("proc", text)
        return ProcessFactory(command_of(rest, text), text, **arguments)
    if re.match(r"mcp(\[|:)", text):
        return _mcp(text)
    if re.match(r"https?://", text):
        return ServiceFactory(text, None, "service")
    if re.match(r"http:(?!//)", text):
        file = Path(text.partition(":")[2])
        from memtriage.systems.remote.service import read_mapping

        read_mapping(file)  # what is wrong with it is said now
        return ServiceFactory("", file, "service")
    return None


def _mcp(text: str) -> ProcessFactory:
    server, arguments = prefixed("mcp", text)
    if not server.strip():
        raise BadInput(f"system {text!r} names no server; write mcp:COMMAND or mcp:http://host/mcp")
    if not re.match(r"https?://", server):
        server = shlex.join(_absolute(word) for word in command_of(server, text))
    options = {**arguments.pop("options", {}), "server": server}
    if "map" in options:
        options["map"] = str(Path(options["map"]).resolve())
    own_side = [sys.executable, "-P", "-m", "memtriage.systems.remote.mcp"]
    return ProcessFactory(own_side, text, options=options, label=f"mcp:{server}", **arguments)


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
