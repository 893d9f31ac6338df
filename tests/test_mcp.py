"""MCP servers as memory systems: real servers, over stdio and HTTP, by guess and by mapping."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol

import pytest

from mcp_forks import command
from memtriage import registry as plugins
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Question
from memtriage.systems.adapted import Adapted
from memtriage.systems.remote import mapping
from memtriage.systems.remote.guess_mapping import ServerTool, guess_steps
from memtriage.systems.remote.running import close_all

pytest.importorskip("mcp", reason="the extra mcp is not installed")

SERVER = Path(__file__).with_name("mcp_server.py")


class Cli(Protocol):
    def __call__(self, *arguments: str, code: int = 0) -> SimpleNamespace: ...


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    close_all()


def store_texts(system: Adapted, *texts: str) -> None:
    for number, text in enumerate(texts):
        system.store_conversation(Session(f"s{number}", (Turn("user", text, f"s{number}/0"),), "2026-01-05T09:00:00Z"))


def retrieved_texts(system: Adapted, query: str, k: int = 5) -> list[str]:
    return [m.text for m in system.retrieve_memories(query, Session("q", (Turn("user", query, "q/0"),)), k)]


def test_a_server_is_used_by_guess_and_its_stores_are_apart() -> None:
    one, other = plugins.system(f"mcp:{command()} whole").build(), plugins.system(f"mcp:{command()} whole").build()
    store_texts(one, "Odo rows before seven.", "Ines bakes bread on Fridays.")
    store_texts(other, "Selma keeps bees.")
    assert [m.text for m in one.get_all_memories()] == ["Odo rows before seven.", "Ines bakes bread on Fridays."]
    assert retrieved_texts(one, "Who bakes bread?", 1) == ["Ines bakes bread on Fridays."]
    assert [m.text for m in other.get_all_memories()] == ["Selma keeps bees."]
    assert any("add_memory" in notice and "guess" in notice for notice in one.notices())
    one.close()
    other.close()


def test_a_server_that_lists_nothing_is_blind_but_works() -> None:
    system = plugins.system(f"mcp:{command()} blind").build()
    assert "get_all_memories" not in system.capabilities
    store_texts(system, "Odo rows before seven.")
    assert retrieved_texts(system, "When does Odo row?") == ["Odo rows before seven."]
    system.close()


def test_a_server_without_a_search_tool_is_refused_with_its_tools() -> None:
    with pytest.raises(BadSystem, match=r"no tool to search .*add_memory.*mapping file"):
        plugins.system(f"mcp:{command()} deaf").build()


def test_a_tool_that_fails_is_an_error_of_that_call() -> None:
    system = plugins.system(f"mcp:{command()} whole").build()
    with pytest.raises(BadSystem, match="add_memory failed"):
        store_texts(system, "crash")
    store_texts(system, "Odo rows.")
    assert len(system.get_all_memories()) == 1
    system.close()


def test_a_mapping_overrules_the_guess(tmp_path: Path) -> None:
    file = tmp_path / "map.toml"
    file.write_text(
        '[store]\ntool = "add_memory"\neach = "session"\n'
        'arguments = {text = "{session}: {text}", user_id = "{scope}"}\n'
        '[retrieve]\ntool = "search_memories"\narguments = {query = "{query}", limit = "{k}", user_id = "{scope}"}\n'
        'text = "memory"\n'
    )
    system = plugins.system(f"mcp[map={file}]:{command()} whole").build()
    assert "get_all_memories" not in system.capabilities
    store_texts(system, "Odo rows.")
    assert retrieved_texts(system, "Odo rows.") == ["s0: user: Odo rows."]
    system.close()


def test_a_server_answers_itself_where_a_mapping_says_how(tmp_path: Path) -> None:
    file = tmp_path / "map.toml"
    file.write_text(
        '[store]\ntool = "add_memory"\neach = "turn"\narguments = {text = "{text}", user_id = "{scope}"}\n'
        '[retrieve]\ntool = "search_memories"\narguments = {query = "{query}", user_id = "{scope}"}\n'
        '[answer]\ntool = "ask"\narguments = {question = "{question}", user_id = "{scope}"}\nitems = "sources"\n'
    )
    system = plugins.system(f"mcp[map={file}]:{command()} answering").build()
    store_texts(system, "Odo rows.", "Ines bakes.")
    answered = system.answer_alone(Question("Who?", Session("q", ()), 5, instruction="Briefly."))
    assert answered.text == "Who?\n\nBriefly. -> Ines bakes."
    assert [memory.text for memory in answered.memories or ()] == ["Ines bakes."]
    system.close()
    unmapped = plugins.system(f"mcp:{command()} answering").build()
    assert "answer" not in unmapped.capabilities
    unmapped.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[store]\ntool = 'no_such'\n[retrieve]\ntool = 'search_memories'\n", "unknown tool 'no_such'"),
        ("[store]\ntool = 'add_memory'\n", r"\[retrieve\] is missing"),
        ("[store]\ntool = 'a'\narguments = {x = '{gold}'}\n[retrieve]\ntool = 'b'\n", "unknown value 'gold'"),
        ("[stoer]\n", "did you mean 'store'"),
        ("store = ", "is not TOML"),
    ],
)
def test_a_mapping_that_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "map.toml"
    file.write_text(text)
    with pytest.raises(BadSystem, match=said):
        plugins.system(f"mcp[map={file}]:{command()} whole").build()


def test_a_server_beside_the_user_is_found_recorded_and_heard_when_it_does_not_come_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SERVER, tmp_path / "mine.py")
    (tmp_path / "broken.py").write_text("import sys; sys.exit('a licence is missing')\n")
    monkeypatch.chdir(tmp_path)
    spec = plugins.system(f"mcp:{sys.executable} mine.py")
    system = spec.build()
    store_texts(system, "Odo rows.")
    assert retrieved_texts(system, "Odo") == ["Odo rows."]
    system.close()
    assert any("mine.py" in name for name in spec.factory.record())  # type: ignore[attr-defined]
    with pytest.raises(BadSystem, match=r"broken\.py can't be reached: .*a licence is missing"):
        plugins.system(f"mcp:{sys.executable} broken.py").build()


def test_a_server_that_is_none_is_told() -> None:
    with pytest.raises(BadSystem, match="can't be reached"):
        plugins.system("mcp:true").build()
    with pytest.raises(BadInput, match="not found on PATH"):
        plugins.system("mcp:no-such-command-here")
    with pytest.raises(BadInput, match="names no server"):
        plugins.system("mcp:")


def test_a_server_behind_a_url() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, SERVER, "whole", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _listening(port, server)
        one, other = (plugins.system(f"mcp:http://127.0.0.1:{port}/mcp").build() for _ in range(2))
        store_texts(one, "Odo rows.")
        store_texts(other, "Selma keeps bees.")
        assert [m.text for m in one.get_all_memories()] == ["Odo rows."]
        assert retrieved_texts(other, "Who keeps bees?") == ["Selma keeps bees."]
        one.close()
        other.close()
        close_all()
    finally:
        server.kill()
        server.wait()


def _listening(port: int, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        with socket.socket() as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise AssertionError("the server did not come up")


def test_check_and_run_take_a_server(cli: Cli, tmp_path: Path) -> None:
    report = json.loads(cli("check", f"mcp:{command()} whole", "--json").out)
    found = {check["what"]: check["outcome"] for check in report["checks"]}
    assert found["stores are apart"] == "ok"
    assert found["lists everything it was told"] == "ok"
    ran = cli("run", "--suite", "tiny/end", "--rows", "6", "--system", f"mcp:{command()} whole", "--k", "3", "--json")
    rows = json.loads(ran.out)["rows"]
    assert rows[0]["success"] == 1.0


NPM = Path(os.environ.get("MEMTRIAGE_NPM", "node_modules")) / ".bin" / "mcp-server-memory"


@pytest.mark.skipif(not NPM.exists() or not shutil.which("node"), reason="the reference memory server is not installed")
def test_the_reference_server() -> None:
    one, other = plugins.system(f"mcp:node {NPM}").build(), plugins.system(f"mcp:node {NPM}").build()
    store_texts(one, "Odo rows before seven.", "Ines bakes bread.")
    store_texts(other, "Selma keeps bees.")
    assert [m.text for m in one.get_all_memories()] == ["Odo rows before seven.", "Ines bakes bread."]
    assert retrieved_texts(one, "Odo") == ["Odo rows before seven."]
    assert [m.text for m in other.get_all_memories()] == ["Selma keeps bees."]
    one.close()
    other.close()


# ------------------------------------------------------------------ the guess and the mapping themselves


def tool(name: str, required: tuple[str, ...] = (), **kinds: str) -> ServerTool:
    return ServerTool(name, {key: {"type": kind} for key, kind in kinds.items()}, required or tuple(kinds))


def test_tools_are_told_by_name_and_arguments() -> None:
    steps = guess_steps(
        [
            tool("delete_memory", memory_id="string"),
            tool("addMemories", messages="array", userId="string"),
            tool("search", q="string"),
            tool("searchMemories", query="string", topK="integer"),
            tool("get_all_memories", userId="string"),
            tool("delete_all_memories", userId="string"),
        ],
        "x",
    )
    assert (steps["store"].tool, steps["store"].arguments) == (
        "addMemories",
        {"messages": "{messages}", "userId": "{scope}"},
    )
    assert (steps["retrieve"].tool, steps["retrieve"].arguments) == (
        "searchMemories",
        {"query": "{query}", "topK": "{k}"},
    )
    assert steps["all"].tool == "get_all_memories"
    assert steps["reset"].tool == "delete_all_memories"


def test_a_tool_whose_demands_can_t_be_met_is_not_taken() -> None:
    with pytest.raises(BadSystem, match="no tool to store"):
        guess_steps([tool("add_memory", text="string", embedding="array"), tool("search", query="string")], "x")


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ({"results": [{"id": 1, "memory": "a", "score": 0.5}]}, [{"text": "a", "id": 1, "score": 0.5}]),
        ({"data": {"items": [{"content": "a"}, {"content": "b"}]}}, [{"text": "a"}, {"text": "b"}]),
        ({"entities": [{"name": "n", "observations": ["a", "b"]}]}, [{"text": "a"}, {"text": "b"}]),
        (["a", " "], [{"text": "a"}]),
        ("one text", [{"text": "one text"}]),
        ({"count": 0, "results": []}, []),
        (None, []),
        ([{"node": {"fact": "a", "uuid": "u"}, "score": 2}], [{"text": "a", "id": "u", "score": 2}]),
    ],
)
def test_memories_are_found_in_replies(reply: object, found: list[dict[str, object]]) -> None:
    assert mapping.memories(reply, mapping.Step(tool="t")) == found
