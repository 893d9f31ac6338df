"""Other people's libraries as memory systems: `mem0`, `graphiti` and the rest of the catalogue, each by its name.

Every attribute of this module that is named like a library, with underscores for dashes, is the `LibraryFactory` of
that library. Nothing of a library is loaded here; a store of it is a process in the library's own environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memtriage.core.errors import BadSystem, unknown
from memtriage.core.memory import Traits
from memtriage.systems.designs.prompts import prompts_of
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.libraries.catalog import Library
from memtriage.systems.remote.metered import MeteredProcess, ModelAccess
from memtriage.systems.time_limit import TIMEOUT

OFFLINE = "wordllama"
"""The embedder that comes with memtriage, for libraries that embed where the run names none."""


class LibraryFactory:
    """Makes stores of one library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.__name__ = self.__qualname__ = library.name
        self.__doc__ = f"{library.title}, in an environment of its own."
        self.traits = Traits(family=library.family, architecture=library.architecture, needs=library.needs)

    def record(self) -> dict[str, str]:
        """What a run has to remember to be repeated."""
        library = self.library
        return {"library": library.package, "version": library.version, "lock": environments.lock_hash(library)}

    def __call__(
        self,
        internal: str = "",
        embedder: str = "",
        timeout: float = TIMEOUT,
        repeat: int = 0,
        prompts: str = "",
        **options: str,
    ) -> MeteredProcess:
        self.refuse({"internal": internal, **options})
        offline = not embedder and "embed" in self.library.needs
        notes = [f"it embeds with {OFFLINE}, since --embed named no model"] if offline else []
        access = ModelAccess.now(internal, OFFLINE if offline else embedder, repeat)
        library = self.library
        store = MeteredProcess(
            environments.adapter_command(library),
            access,
            options=options,
            environment=library.process_environment,
            timeout=timeout,
            label=library.name,
            notes=notes,
        )
        store.traits = replace(
            store.traits,
            takes_large_pieces=library.large,
            lanes=1 if options.get("k") == "shared" else library.lanes,
            native_k=library.native_k,
            takes_native=library.takes_native,
            starts_filled=True,  # that stores are apart is tested for every library, and listing may cost a call
        )
        found = store.version.partition(" ")[0]  # a server's version may follow
        if library.version and "source" not in options and found not in ("", library.version):
            store.close()
            reinstall = f"{environments.command('install', library)} --force"
            raise BadSystem(
                f"{library.name}: {library.version} was tested, and its environment has {found}; run: {reinstall}"
            )
        if prompts:
            self._tell(store, prompts)
        return store

    def _tell(self, store: MeteredProcess, file: str) -> None:
        """Give a store the prompts in a JSON file."""
        if not callable(store.set_prompts):
            store.close()
            raise BadSystem(f"{self.library.name} has no prompts that could be changed; leave out prompts={file}")
        try:
            store.set_prompts(prompts_of(self.library.name, store.prompts(), file))
        except BaseException:
            store.close()
            raise

    def refuse(self, arguments: Mapping[str, str]) -> None:
        """Say what is missing before anything is started."""
        library = self.library
        internal = arguments.get("internal", "")
        known = ("internal", "embedder", "timeout", "repeat", "prompts")
        options = [name for name in arguments if name not in known]
        now = environments.status(library)
        if now.state == "unavailable":
            raise BadSystem(f"{library.name} can't be installed by name: {now.why}")
        if now.state != "installed":
            problem = now.why if now.state == "absent" else f"{library.name} is {now.state}: {now.why}"
            raise BadSystem(f"{problem}; run: {environments.command('install', library)}")
        for option in options:
            if option not in library.options:
                raise BadSystem(f"{library.name}: {unknown('option', option, library.options)}")
        if "internal" in library.needs and not internal and not options:
            # with options the adapter decides: mem0:infer=false asks no model
            raise BadSystem(
                f"{library.name} writes its memories with a model; name one, as in --internal openai/gpt-4.1-mini"
            )


def __getattr__(name: str) -> Any:
    for known in catalog.names():
        if known.replace("-", "_") == name:
            return LibraryFactory(catalog.library(known))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *(name.replace("-", "_") for name in catalog.names())])
