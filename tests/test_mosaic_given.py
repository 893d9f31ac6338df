"""mosaic in other people's hands: ids, lists, wrong types, batches that fail, files, ports and arguments."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from datetime import UTC, date, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from memtriage.core.errors import BadInput
from memtriage.mosaic import Entry, MosaicMemory

LIST = "\n".join(f"{n}. The mayor of Town{n} is Person{n}." for n in range(30))

Made = Callable[[], MosaicMemory]


@pytest.fixture(params=["process", "file"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    """What opens the same memory again and again, or makes one in the process."""
    return MosaicMemory if request.param == "process" else lambda: MosaicMemory.open(tmp_path / "me.mosaic")


# Ids


def test_an_automatic_id_is_free_in_a_memory_that_was_copied(made: Made) -> None:
    old, new = MosaicMemory(), made()
    for n in range(5):
        old.add(f"I planted oak number {n}.")
    old.forget("m1")
    new.add_all(old.get_all())
    assert new.add("I moved to Lisbon.") == "m5"
    assert new.add_all([Entry("m6", "I have a cat."), Entry("", "I have a dog.")]) == ["m6", "m7"]
    assert len(new) == 7


def _adds(path: str, count: int) -> None:
    with MosaicMemory.open(path) as memory:
        for n in range(count):
            memory.add(f"I planted oak number {n}.")


def test_automatic_ids_of_several_processes_are_all_different(tmp_path: Path) -> None:
    path = str(tmp_path / "me.mosaic")
    with MosaicMemory.open(path) as memory:
        memory.add_all([Entry(f"m{n}", "I have a cat.") for n in (3, 5, 8)])
    processes = [get_context("spawn").Process(target=_adds, args=(path, 10)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    with MosaicMemory.open(path) as memory:
        assert len({entry.id for entry in memory.get_all()}) == len(memory) == 23


def test_a_long_list_is_one_thing_by_its_id(made: Made) -> None:
    memory = made()
    assert memory.add(LIST, id="list", session="s") == "list"
    memory.add("The mayor of Town7 is Ada Moor.", id="later")
    memory.add("My hobby is listing things.", id="list of lists")
    whole = memory.get("list")
    assert whole == Entry("list", LIST, session="s")
    assert memory.get("list#7") == Entry("list#7", "7. The mayor of Town7 is Person7.", session="s")
    assert [(event.kind, event.entry.id) for event in memory.history("list")] == [("replaced", "later")]
    with pytest.raises(BadInput, match="holds an entry 'list' already"):
        memory.add("I have a list.", id="list")
    assert memory.forget("list#0")
    assert memory.forget("list")
    assert not memory.forget("list")
    assert memory.get("list") is None
    assert [entry.id for entry in memory.get_all()] == ["later", "list of lists"]
    memory.add("I have a list.", id="list")


def test_a_list_can_be_copied_item_by_item(made: Made) -> None:
    old, new = MosaicMemory(), made()
    old.add(LIST, id="list")
    new.add_all(old.get_all())
    assert new.get("list") == old.get("list")
    with pytest.raises(BadInput, match="holds an entry 'list#0' already"):
        new.add_all(old.get_all())
    with pytest.raises(BadInput, match="two new entries have the id 'a'"):
        new.add_all([Entry("a", "I row."), Entry("a", "I swim.")])


# What is given


@pytest.mark.parametrize("k", [0, -1, "3", 2.0, True, None])
def test_a_search_finds_a_whole_number_of_entries(k: Any) -> None:
    memory = MosaicMemory()
    memory.add("I have a cat.")
    with pytest.raises(BadInput, match=r"^k has to be a whole number from 1 on, not"):
        memory.search("What do I have?", k)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": None}, "text has to be text, not None"),
        ({"text": "   "}, "text is blank"),
        ({"id": 7}, "id has to be text, not a value of type int"),
        ({"session": None}, "session has to be text, not None"),
        ({"role": "system"}, "role has to be 'user' or 'assistant', not 'system'"),
        ({"role": None}, "role has to be 'user' or 'assistant', not None"),
        ({"at": "not a date"}, "at names no day: 'not a date'"),
        ({"at": 5}, "at names no day: a value of type int"),
    ],
)
def test_what_can_t_be_kept_is_refused_in_one_sentence(given: dict[str, Any], said: str) -> None:
    memory = MosaicMemory()
    with pytest.raises(BadInput) as refused:
        memory.add(**{"text": "I have a cat."} | given)
    assert str(refused.value).startswith(said)
    assert len(memory) == 0


def test_other_things_of_the_wrong_type_are_refused_too(tmp_path: Path) -> None:
    memory: Any = MosaicMemory()
    for wrong in (lambda: memory.forget(None), lambda: memory.get(7), lambda: memory.history(None)):
        with pytest.raises(BadInput, match=r"^id has to be text"):
            wrong()
    with pytest.raises(BadInput, match=r"^user has to be text, not None"):
        MosaicMemory.open(tmp_path / "me.mosaic", user=None)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"^query has to be text"):
        memory.search(None)
    with pytest.raises(BadInput, match=r"^an entry has to be an Entry, not"):
        memory.add_all(["I have a cat."])


def test_a_time_may_be_a_date_or_a_datetime() -> None:
    memory = MosaicMemory()
    memory.add("I have a cat.", id="a", at=date(2026, 3, 1))
    memory.add("I have a dog.", id="b", at=datetime(2026, 3, 9, 9, 30, tzinfo=UTC))
    assert [entry.at for entry in memory.get_all()] == ["2026-03-01", "2026-03-09T09:30:00+00:00"]
    asked = "What did I say yesterday?"
    assert memory.search(asked, at=date(2026, 3, 10))[0].entry.id == "b"
    assert memory.search(asked, at=datetime(2026, 3, 10, tzinfo=UTC)) == memory.search(asked, at="2026-03-10")


# Batches


def test_a_batch_that_fails_is_undone(made: Made) -> None:
    memory = made()
    memory.add("I drive a Corvid Sedan.", id="car")
    memory.add("My locker code is 4711.", id="code", session="s")
    memory.forget("code")
    memory.add("I keep bees.", id="bees")
    before = [(hit.entry.id, round(hit.score, 4)) for hit in memory.search("What do I drive?")]
    with pytest.raises(KeyError), memory.batch():  # noqa: PT012 what comes before the failure matters
        memory.add("I drive a Heron Compact now.", id="newer")
        memory.forget("bees")
        raise KeyError
    assert [entry.id for entry in memory.get_all()] == ["car", "bees"]
    assert memory.history("car") == []
    assert [(hit.entry.id, round(hit.score, 4)) for hit in memory.search("What do I drive?")] == before
    memory.add("I drive a Heron Compact now.", id="newer")
    assert [event.entry.id for event in memory.history("car")] == ["newer"]


# Files and addresses


def test_only_the_owner_may_read_a_file(tmp_path: Path) -> None:
    memory = MosaicMemory.open(tmp_path / "me.mosaic")
    memory.add("I have a cat.")
    assert {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {
        "me.mosaic": 0o600,
        "me.mosaic-wal": 0o600,
        "me.mosaic-shm": 0o600,
    }


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    MosaicMemory.open("~/x.mosaic").close()
    assert (tmp_path / "x.mosaic").is_file()


def test_an_address_of_another_kind_is_refused_without_its_password(cli: Cli) -> None:
    address = "mysql://ana:secret@127.0.0.1:1/x"
    with pytest.raises(BadInput, match=r"nothing at mysql:// addresses; give a file, or postgresql://") as refused:
        MosaicMemory.open(address)
    assert "secret" not in str(refused.value)
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    result = cli("serve-mosaic", address, code=1)
    assert "postgresql://" in result.err
    assert "secret" not in result.out + result.err


def test_a_port_in_use_is_told_before_anything_is_made(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = cli("serve-mosaic", "new.mosaic", "--port", str(port), code=1)
    assert f"port {port} can't be used" in result.err
    assert "http://" not in result.out + result.err
    assert not list(tmp_path.glob("new.mosaic*"))


# The server's tools


def test_tools_refuse_blank_queries_and_arguments_they_do_not_have() -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    from mcp import Client

    from memtriage.mosaic.mcp_server import mosaic_server

    memory = MosaicMemory()
    memory.add(LIST, id="list")
    memory.add("The mayor of Town7 is Ada Moor.", id="later")

    async def main() -> None:
        async with Client(mosaic_server(memory)) as client:

            async def told(tool: str, **arguments: Any) -> Any:
                result = await client.call_tool(tool, arguments)
                return result.content[0].text if result.is_error else result.structured_content

            assert await told("search_memory", query=" \n") == "query is blank; ask something"
            assert "unknown argument of add_memory 'when'" in await told("add_memory", text="I row.", when="2026")
            assert [event["memory"]["id"] for event in (await told("memory_history", id="list"))["events"]] == ["later"]
            assert await told("forget_memory", id="list") == {"forgotten": "list"}

    asyncio.run(main())
    assert [entry.id for entry in memory.get_all()] == ["later"]
