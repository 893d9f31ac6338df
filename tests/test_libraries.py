"""Libraries by name: a factory per entry, processes with models of the run, and what is missing said before."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from memtriage import registry as plugins
from memtriage.core.chat import SCRIPTED
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadSystem
from memtriage.core.trace import Usage
from memtriage.models.current import use_models
from memtriage.models.keys import scrub
from memtriage.models.scripted import StubServer
from memtriage.models.system_models import SystemModels
from memtriage.systems.adapted import adapt, capabilities
from memtriage.systems.libraries import environments
from memtriage.systems.libraries.factory import OFFLINE, LibraryFactory
from memtriage.systems.remote import running
from memtriage.systems.remote.metered import MeteredProcess
from tiny_library import Tiny, tiny


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tiny]:
    with pytest.MonkeyPatch.context() as patch:
        made = tiny(tmp_path_factory.mktemp("tiny"), patch)
        environments.install(made.library)
        yield made
        running.close_all()


@pytest.fixture
def factory(installed: Tiny) -> LibraryFactory:
    """The tiny library as a plug-in finds it."""
    found = EntryPoint("tiny-mem", "memtriage.systems.libraries.factory:tiny_mem", plugins.SYSTEMS).load()
    assert isinstance(found, LibraryFactory)
    return found


@pytest.fixture
def inside() -> Iterator[SystemModels]:
    with SystemModels(cache=None) as made, use_models(made):
        yield made


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer("echo") as made:
        yield made


def session_of(*texts: str) -> Session:
    return Session("s1", tuple(Turn("user", text, f"s1/{n}") for n, text in enumerate(texts)), None)


def texts(store: MeteredProcess) -> list[str]:
    return [memory.text for memory in store.get_all_memories()]


# the way a run takes


def test_a_library_stores_and_finds(factory: LibraryFactory, inside: SystemModels) -> None:
    store = adapt(factory())
    store.store_conversation(session_of("Odo rows.", "Ines sings."))
    store.settle()
    assert [memory.text for memory in store.retrieve_memories("who", session_of(), 1)] == ["Ines sings."]
    assert [memory.text for memory in store.get_all_memories()] == ["Odo rows.", "Ines sings."]
    store.close()


def test_its_models_are_those_of_the_run_and_are_counted(
    factory: LibraryFactory, inside: SystemModels, server: StubServer
) -> None:
    store = factory(internal=f"{server.url}#scripted")
    assert store.usage() == Usage()
    store.store_conversation(session_of("Odo rows before seven."))
    assert "told: Odo rows before seven." in texts(store)
    usage = store.usage()
    assert (usage.calls, usage.errors) == (1, 0)
    assert usage.input_tokens > 0
    store.close()


def test_a_process_that_is_used_again_counts_and_tells_from_the_start(
    factory: LibraryFactory, inside: SystemModels, server: StubServer
) -> None:
    first = factory(internal=f"{server.url}#scripted")
    first.store_conversation(session_of("One.", "A hiccup."))
    first.close()
    second = factory(internal=f"{server.url}#scripted")
    assert second._connection is first._connection
    assert second.usage() == Usage()
    assert second.troubles() == []
    assert texts(second) == []
    second.store_conversation(session_of("Two."))
    assert second.usage().calls == 1
    second.close()


def test_other_models_or_another_run_are_another_process(
    factory: LibraryFactory, inside: SystemModels, server: StubServer
) -> None:
    first = factory(internal=f"{server.url}#one")
    first.close()
    second = factory(internal=f"{server.url}#two")
    second.close()
    assert second._connection is not first._connection
    with SystemModels(cache=None) as other, use_models(other):
        third = factory(internal=f"{server.url}#one")
        third.store_conversation(session_of("Three."))
        assert "told: Three." in texts(third)
        assert third._connection is not first._connection
        third.close()


def test_swallowed_errors_of_library_and_model_are_told_once(factory: LibraryFactory, inside: SystemModels) -> None:
    with StubServer([{"reply": "no such model", "status": 404}]) as broken:
        store = factory(internal=f"{broken.url}#gone")
        store.store_conversation(session_of("a hiccup"))
        told = store.troubles()
    assert "tiny_mem swallowed a hiccup" in told
    assert len(told) == 2, told
    assert store.troubles() == []
    store.close()


def test_every_report_is_told_of_stand_ins(factory: LibraryFactory, inside: SystemModels, server: StubServer) -> None:
    store = factory(internal=f"{server.url}#scripted")
    store.store_conversation(session_of("Odo rows."))
    notices = store.notices()
    assert notices[0] == "tiny-mem has no sense of time"
    assert any(OFFLINE in notice for notice in notices)
    assert SCRIPTED in notices
    store.close()
    named = factory(embedder="wordllama")
    assert named.notices() == ["tiny-mem has no sense of time"]
    named.close()


def test_options_reach_the_library(factory: LibraryFactory, inside: SystemModels) -> None:
    store = plugins.SystemSpec("tiny-mem", factory, {"loud": "true", "timeout": "600"}).build()
    store.store_conversation(session_of("Odo rows."))
    assert [memory.text for memory in store.get_all_memories()] == ["ODO ROWS."]
    store.close()


# what is missing


def test_an_unknown_option_is_told_the_nearest(factory: LibraryFactory) -> None:
    with pytest.raises(BadSystem, match="tiny-mem: unknown option 'lout'; did you mean 'loud'"):
        factory(lout="true")


def test_a_library_that_is_not_installed_is_named_with_the_command(
    factory: LibraryFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMTRIAGE_HOME", str(tmp_path))
    with pytest.raises(BadSystem, match=r"^tiny-mem is not installed; run: memtriage systems install tiny-mem$"):
        factory()


def test_an_outdated_library_is_refused(factory: LibraryFactory, installed: Tiny) -> None:
    path = environments.folder(installed.library) / "installed.json"
    before = path.read_text()
    path.write_text(json.dumps({**json.loads(before), "lock": "other"}))
    try:
        with pytest.raises(BadSystem, match=r"tiny-mem is outdated: .*; run: memtriage systems install tiny-mem"):
            factory()
    finally:
        path.write_text(before)


def test_another_version_than_the_tested_one_is_refused(
    factory: LibraryFactory, installed: Tiny, inside: SystemModels
) -> None:
    (module,) = (environments.folder(installed.library) / "venv").glob("lib/*/site-packages/tiny_mem.py")
    before = module.read_text()
    running.close_all()  # one that waits has the right version in memory
    module.write_text('__version__ = "0.10"\n')  # longer, or bytecode of the same second would pass for it
    try:
        with pytest.raises(BadSystem, match=r"1\.0 was tested.* has 0\.10; run: memtriage systems install tiny-mem"):
            factory()
    finally:
        module.write_text(before)
        running.close_all()


def test_messages_name_memtriage_and_its_files(
    factory: LibraryFactory, inside: SystemModels, server: StubServer
) -> None:
    """What a library is given as a key is blotted out of messages; that must be no word of them."""
    store = factory(internal=f"{server.url}#scripted")
    assert scrub("run: memtriage systems install tiny-mem") == "run: memtriage systems install tiny-mem"
    assert store._gate.token not in scrub(f"POST {store._gate.url} failed")
    store.close()


def test_a_missing_model_is_named_unless_options_may_do_without(installed: Tiny, inside: SystemModels) -> None:
    writes = LibraryFactory(replace(installed.library, needs=("internal", "embed")))
    with pytest.raises(BadSystem, match="--internal"):
        writes()
    store = writes(mood="calm")
    assert capabilities(store) >= {"store_conversation", "get_all_memories", "settle"}
    store.close()


# what a run sees of it


def test_a_factory_shows_what_it_takes_and_what_it_is(factory: LibraryFactory, installed: Tiny) -> None:
    assert {"internal", "embedder", "timeout"} <= set(inspect.signature(factory).parameters)
    spec = plugins.with_models(plugins.SystemSpec("tiny-mem", factory), {"internal": "a/b", "embedder": "c/d"})
    assert spec.arguments == {"internal": "a/b", "embedder": "c/d"}
    assert factory.traits.architecture.startswith("summarise: verbatim")
    assert (factory.traits.family, factory.traits.needs) == ("simple-rag", ("embed",))
    assert factory.record() == {
        "library": "tiny_mem",
        "version": "1.0",
        "lock": environments.lock_hash(installed.library),
    }


def test_an_unknown_library_is_no_attribute(installed: Tiny) -> None:
    from memtriage.systems.libraries import factory as libraries

    assert "tiny_mem" in dir(libraries)
    with pytest.raises(AttributeError, match="tiny_mum"):
        libraries.tiny_mum  # noqa: B018
