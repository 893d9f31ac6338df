"""Other people's memory libraries: what each is, what it needs, and how it is started in an environment of its own.

An entry names an adapter, a script that runs beside the library and speaks the protocol of `side/memtriage_adapter.py`.
Nothing of a library is imported here. The entries stand in `adapters/NAME.toml`, beside the script and the lock.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from memtriage.core.errors import BadInput, unknown

ADAPTERS = Path(__file__).with_name("adapters")

Need = Literal["internal", "embed", "address", "source"]
"""What a library can't do without: a chat model, an embedding model, a server's address, a source checkout."""

Family = Literal["long-context", "simple-rag", "embedding-rag", "structure-rag", "agentic"]
"""MemoryAgentBench's kinds of memory."""

FAMILIES: tuple[Family, ...] = get_args(Family)
"""In the order of its tables."""

RESERVED = ("internal", "embedder", "timeout", "repeat")
"""The arguments that every library takes; none may name an option of its own like that."""

STEPS = ("summarise", "store", "retrieve")

Aspect = Literal["search", "k", "dates", "window"]
"""How a library is served: by which search, what k counts, which dates it knows, how much it is handed at once."""

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


@dataclass(frozen=True, slots=True)
class Library:
    """One library and its adapter.

    `requires` are the pinned packages that were tested, `first` those to be installed before them; the complete pins
    with hashes stand in `adapters/locks/NAME.lock`. `environment` is what its process gets beside that: telemetry off
    and the like. `options` are the names a user may set (`mem0:infer=false`), each with a line of help. `variables`
    are environment variables of the user that it reads, each with a line of help, and `install_variables` those that
    its install reads; its processes see no others that are secret. A `large` one is told an episode in
    its larger pieces, where it has them, as MemoryAgentBench does with libraries that take long over each piece.
    `adapter` is the name of the script, where that isn't the library's own: two versions of a library can share one.
    `lanes`, `native_k` and `takes_native` are traits of its stores (`core/memory.py`).
    `served` says how the adapter uses it, and `departures` every way in which that is not how its users do.
    """

    name: str
    title: str
    package: str
    version: str
    architecture: str
    family: Family
    adapter: str = ""
    large: bool = False
    lanes: int = 1
    native_k: int = 0
    takes_native: bool = False
    needs: tuple[Need, ...] = ()
    requires: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    install_variables: tuple[str, ...] = ()
    served: Mapping[Aspect, str] = field(default_factory=dict)
    departures: tuple[str, ...] = ()
    unavailable: str = ""
    """Why the library itself can't be installed by name, and what to do; empty where it can.

    With a lock beside it, what the library stands on can be installed all the same.
    """

    folder: Path = ADAPTERS

    @property
    def process_environment(self) -> dict[str, str]:
        """What its process gets beside what every process gets: its settings, and its variables that are set."""
        return {name: os.environ[name] for name in self.variables if name in os.environ} | dict(self.environment)

    @property
    def script(self) -> Path:
        """The adapter, which runs in the library's environment."""
        return self.folder / f"{self.adapter or self.name}.py"

    @property
    def data_script(self) -> Path:
        """Fetches what the library needs beside packages; few have one."""
        return self.folder / f"{self.name}-data.py"

    @property
    def lock(self) -> Path:
        """Every package of the tested environment, pinned and hashed."""
        return self.folder / "locks" / f"{self.name}.lock"

    @property
    def installable(self) -> bool:
        """Whether there is anything that can be installed by name."""
        return not self.unavailable or self.lock.is_file()

    @property
    def steps(self) -> dict[str, str]:
        """The architecture taken apart: what it does to summarise, to store and to retrieve."""
        return steps(self.architecture)


def steps(architecture: str) -> dict[str, str]:
    """What an architecture says of each step; empty where it doesn't.

    >>> steps("summarise: verbatim; store: list; retrieve: newest first")
    {'summarise': 'verbatim', 'store': 'list', 'retrieve': 'newest first'}
    """
    parts = re.split(rf"(?:^|;)\s*({'|'.join(STEPS)}):", architecture)
    described = dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))
    return {step: described.get(step, "") for step in STEPS}


def libraries() -> dict[str, Library]:
    """Every library that memtriage has an adapter for, by name."""
    return {name: library(name) for name in names()}


def names() -> list[str]:
    """The names of the libraries, without reading an entry."""
    return sorted(path.stem for path in ADAPTERS.glob("*.toml"))


def library(name: str) -> Library:
    """The entry of this name; the others are not looked at."""
    known = names()
    if name not in known:
        raise BadInput(unknown("library", name, known))
    return read(ADAPTERS / f"{name}.toml")


@cache
def read(path: Path) -> Library:
    """The entry in this file, checked."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: not TOML: {error}") from error
    return _checked(raw, path)


def _checked(raw: dict[str, Any], path: Path) -> Library:
    from pydantic import TypeAdapter, ValidationError

    if unknown_keys := sorted(set(raw) - (set(Library.__dataclass_fields__) - {"folder"})):
        raise BadInput(f"{path}: {unknown('key', unknown_keys[0], set(Library.__dataclass_fields__) - {'folder'})}")
    try:
        entry = TypeAdapter(Library).validate_python({**raw, "folder": path.parent})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise BadInput(f"{path}: key {key!r}: {first['msg'].lower()}") from error
    for key, problem in _problems(entry, path.stem):
        raise BadInput(f"{path}: key {key!r}: {problem}")
    return entry


def _problems(entry: Library, stem: str) -> list[tuple[str, str]]:
    """What types alone can't say: the key, and what is wrong with it."""
    found = []
    if entry.name != stem:
        found.append(("name", f"says {entry.name!r}, and the file is {stem}.toml"))
    if not re.fullmatch(r"[a-z][a-z0-9-]*", entry.name):
        found.append(("name", f"{entry.name!r} is not lower-case letters, digits and dashes"))
    elsewhere = entry.unavailable or "source" in entry.needs  # then what is installed is not the library itself
    needed = ("title",) if elsewhere else ("title", "package", "version")
    found += [(key, "is empty") for key in needed if not getattr(entry, key).strip()]
    if missing := [step for step, text in entry.steps.items() if not text]:
        found.append(("architecture", f"says nothing of {missing[0]}; write 'summarise: …; store: …; retrieve: …'"))
    for option in entry.options:
        if not option.isidentifier():
            found.append(("options", f"{option!r} is not a name that can be written name=value"))
        if option in RESERVED:
            found.append(("options", f"{option!r} is an argument of every library; call it something else"))
    return found
