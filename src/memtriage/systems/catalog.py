"""Other people's memory libraries: what each is, what it needs, and how it is started in an environment of its own.

An entry names an adapter, a script that runs beside the library and speaks the protocol of `side/memtriage_adapter.py`.
Nothing of a library is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Need = Literal["internal", "embed", "address", "source"]
"""What a library can't do without: a chat model, an embedding model, a server's address, a source checkout."""


@dataclass(frozen=True, slots=True)
class Library:
    """One library and its adapter.

    `requires` are the pinned packages that were tested, `first` those to be installed before them; the complete pins
    with hashes stand in `adapters/locks/NAME.lock`. `environment` is what its process gets beside that: telemetry off
    and the like. `options` are the names a user may set (`mem0:infer=false`), each with a line of help.
    """

    name: str
    title: str
    package: str
    version: str
    architecture: str
    family: str
    needs: tuple[Need, ...] = ()
    requires: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    unavailable: str = ""
    """Why it can't be installed by name, and what to do instead; empty where it can."""
