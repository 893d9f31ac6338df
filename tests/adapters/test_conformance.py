"""Every library that is installed here, through the real engine: what it is told is stored, listed, found, and apart.

The model is the scripted one: this proves plumbing, not quality.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import memtriage
from memtriage import registry as plugins
from memtriage.config import Limits
from memtriage.core.episode import Session, Turn
from memtriage.models.scripted import StubServer
from memtriage.pipeline.models import open_system_models
from memtriage.systems.adapted import Adapted
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.remote.running import close_all

SCRIPTED = [name for name, entry in catalog.libraries().items() if "address" not in entry.needs]
OPTIONS = {"structmem": f":source={os.environ.get('MEMTRIAGE_LIGHTMEM', '')}"}


def named(library: str) -> str:
    """The system's name on the command line; skips where the library is not here."""
    entry = catalog.library(library)
    now = environments.status(entry)
    if now.state != "installed":
        pytest.skip(f"{library} is not installed ({now.why}); memtriage systems install {library}")
    if "source" in entry.needs and not os.environ.get("MEMTRIAGE_LIGHTMEM"):
        pytest.skip(f"{library} needs a checkout, named by MEMTRIAGE_LIGHTMEM: {entry.unavailable}")
    return library + OPTIONS.get(library, "")


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer("memory") as running:
        yield running
    close_all()


def build(system: str, server: StubServer) -> Adapted:
    models = {"internal": f"{server.url}#scripted", "embedder": f"{server.url}#scripted-embed"}
    return plugins.with_models(plugins.system(system), models).build()


def tell(system: Adapted, id: str, text: str) -> None:
    turns = (Turn("user", text, f"{id}/0"), Turn("assistant", "Noted.", f"{id}/1"))
    system.store_conversation(Session(id, turns, "2026-03-02T09:00:00+00:00"))


@pytest.mark.parametrize("library", SCRIPTED)
def test_two_stores_filled_in_turn_never_know_each_other(library: str, server: StubServer, tmp_path: Path) -> None:
    system = named(library)
    with open_system_models(Limits(cache=tmp_path / "calls.sqlite")):
        one, other = build(system, server), build(system, server)
        try:
            for number, (mine, theirs) in enumerate((("Odo", "Selma"), ("Ines", "Yusuf"))):
                tell(one, f"a{number}", f"{mine} Varga keeps the copper kettle in the attic of Norwick.")
                tell(other, f"b{number}", f"{theirs} Duarte repairs wooden boats near Brindle Harbour.")
            one.settle()
            other.settle()
            known = [memory.text for memory in one.get_all_memories()]
            assert any("kettle" in text for text in known), known
            assert not any("Brindle" in text or "Selma" in text or "Yusuf" in text for text in known)
            assert not any("kettle" in m.text or "Norwick" in m.text for m in other.get_all_memories())
            query = Session("q", (Turn("user", "Who repairs wooden boats?", "q/0"),))
            assert not any("Brindle" in m.text for m in one.retrieve_memories("Who repairs wooden boats?", query, 10))
            assert any("boats" in m.text for m in other.retrieve_memories("Who repairs wooden boats?", query, 10))
            assert [memory.text for memory in one.get_all_memories()] == known, "asking wrote something"
            assert not one.troubles()
        finally:
            one.close()
            other.close()


@pytest.mark.parametrize("library", SCRIPTED)
def test_a_run_with_the_real_library(library: str, server: StubServer, tmp_path: Path) -> None:
    system = named(library)
    run = memtriage.run(
        system,
        suite="memfail/conditional-easy",
        rows=3,
        k=[5],
        internal=f"{server.url}#scripted",
        embed=f"{server.url}#scripted-embed",
        out=tmp_path / "run",
        limits=Limits(cache=tmp_path / "calls.sqlite"),
    )
    assert not run.errors, run.reasons
    (store,) = run.stores()
    assert store.memories
    assert any("scripted" in notice for notice in run.notices[system])
    manifest = json.loads((tmp_path / "run" / "run.json").read_bytes())
    entry = catalog.library(library)
    assert manifest["systems"][0]["version"] == entry.version
    assert run.cost is not None
    assert run.cost["roles"]["internal"]["internal"]["calls"] > 0
    page = run.report().read_text()
    assert "proves plumbing, not quality" in page
