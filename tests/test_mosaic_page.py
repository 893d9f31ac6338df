"""docs/mosaic.md: everything on the page is run as it stands there, the server by a client in another process."""

from __future__ import annotations

import ast
import asyncio
import http.client
import importlib
import inspect
import json
import re
import socket
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage import api
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.mosaic import MosaicMemory
from memtriage.record.reader import RunReader
from memtriage.systems.remote.running import close_all

PAGE = (Path(__file__).parents[1] / "docs" / "mosaic.md").read_text(encoding="utf-8")


def blocks(language: str, heading: str = "") -> list[str]:
    """The page's blocks in a language, or those under a heading."""
    text = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0] if heading else PAGE
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run_block(source: str, names: dict[str, Any]) -> None:
    """Run a block as a notebook would, where `await` may stand anywhere."""
    code = compile(source, "docs/mosaic.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    async def main() -> None:
        done = types.FunctionType(code, names)()
        if inspect.iscoroutine(done):
            await done
        if "client" in names:
            await names["client"].close()

    asyncio.run(main())


def test_five_lines(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("python", "In five lines")
    names: dict[str, Any] = {}
    run_block(block, names)
    assert capsys.readouterr().out == blocks("text")[0]
    memory = names["memory"]
    assert [event.entry.id for event in memory.history("gym")] == ["job"]
    run_block(block, {})  # and a second time


def test_files_and_users(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("python", "Files and users")
    run_block(block, {})
    assert capsys.readouterr().out == "3 0\n"


def test_langchain(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
    from langchain_core.language_models.fake_chat_models import ParrotFakeChatModel

    names: dict[str, Any] = {"model": ParrotFakeChatModel()}  # says what it was given
    for block in blocks("python", "LangChain"):
        run_block(block, names)
    out = capsys.readouterr().out
    assert "page_content='My dentist is Dr Abel.'" in out
    assert re.search(r", user: My dentist is Dr Abel. \[monday/0-\w+\]$", out.splitlines()[-2])
    for block in blocks("python", "LangChain"):
        run_block(block, names)  # a second time nothing is kept again
    assert len(names["retriever"].memory) == 2
    names["retriever"].memory.close()


def answer(request: Request) -> Reply:
    last = request.body["messages"][-1]
    if last["role"] == "tool":
        return Reply(f"I see: {last['content']}")
    if "?" in request.last_user:
        return Reply(tools=(("recall", {"question": request.last_user}),))
    return Reply("Noted.")


def test_agents(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("agents", reason="the extra agents is not installed")
    from agents import OpenAIChatCompletionsModel, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    with StubServer(answer) as server:
        client = AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)
        names: dict[str, Any] = {"client": client, "model": OpenAIChatCompletionsModel("any", client)}
        (block,) = blocks("python", "OpenAI Agents SDK")
        run_block(block, names)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "Noted."
    assert ", user: My dentist is Dr Abel. [m0]" in second
    memory = names["memory"]
    kept = [(entry.session, entry.role) for entry in memory.get_all()]
    assert kept == [("monday", "user"), ("monday", "assistant"), ("tuesday", "user"), ("tuesday", "assistant")]
    memory.close()


def test_other_frameworks(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("python", "Other frameworks")
    run_block(block, {})
    kept, found = capsys.readouterr().out.splitlines()
    assert kept == "Kept as m0."
    assert found.endswith(", user: I moved to Lisbon. [m0]")


# The server


def test_what_an_assistant_was_told_is_in_the_file(place: Place) -> None:
    """The server is started as the configurations of assistants start it; it is told something, and ended."""
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    from mcp import Client, StdioServerParameters, stdio_client

    desktop, code = (json.loads(block) for block in blocks("json", "An MCP server"))
    server = desktop["mcpServers"]["mosaic"]
    name, file = server["args"]
    assert (server["command"], Path(file).name) == ("memtriage", "me.mosaic")
    assert code["servers"]["mosaic"] == {"type": "stdio", **server, "args": [name, "${userHome}/me.mosaic"]}

    async def told() -> Any:
        command = ["-m", "memtriage", name, "me.mosaic"]
        started = StdioServerParameters(command=sys.executable, args=command, cwd=place.path, env=place.env)
        with (place.path / "stderr.txt").open("w") as errors:
            async with Client(stdio_client(started, errors)) as client:
                return (await client.call_tool("add_memory", {"text": "My dentist is Dr Abel."})).structured_content

    assert asyncio.run(told()) == {"id": "m0"}
    assert (place.path / "stderr.txt").read_text() == ""
    with MosaicMemory.open("me.mosaic") as memory:
        assert [hit.entry.text for hit in memory.search("Who is my dentist?")] == ["My dentist is Dr Abel."]


def test_over_http_programs_are_answered_and_web_pages_refused(place: Place) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    from mcp import Client

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = place.start("serve-mosaic", "me.mosaic", "--port", str(port))

    async def asked() -> None:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await client.call_tool("add_memory", {"text": "My dentist is Dr Abel."})
            listed = (await client.call_tool("list_memories", {})).structured_content
            assert listed is not None
            assert listed["total"] == 1

    try:
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        asyncio.run(asked())
        for header, value in (("Host", "evil.example"), ("Origin", "http://evil.example")):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            headers = {"Content-Type": "application/json", "Accept": "application/json", header: value}
            connection.request("POST", "/mcp", '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', headers)
            assert connection.getresponse().status in (403, 421)
            connection.close()
    finally:
        server.kill()
        server.code()


def test_a_run_against_the_server_finds_what_mosaic_finds(place: Place) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    place.write("mosaic.toml", blocks("toml")[0])
    shown = next(line for block in blocks("console") for line in block.splitlines() if "mcp[map" in line)
    named = re.search(r'"(mcp\[map=mosaic\.toml\]:)memtriage (serve-mosaic :memory:)"', shown)
    assert named is not None
    system = f"{named[1]}{sys.executable} -m memtriage {named[2]}"
    try:
        run = api.run("mosaic", {"server": system}, suite="memfail/long-hop", rows=8, k=[5], progress=False, out="run")
    finally:
        close_all()
    found: dict[str, dict[str, list[str]]] = {}
    with RunReader(run.path) as reader:
        for unit in reader.units:
            for trace in reader.traces(unit):
                keys = [memory.key for memory in trace.retrieved]
                texts = reader.texts(keys)
                found.setdefault(unit[0], {})[trace.probe] = [texts[key] for key in keys]
    assert len(found["mosaic"]) == 8
    assert found["server"] == found["mosaic"]


@pytest.mark.parametrize(
    ("file", "said"),
    [("broken.mosaic", "broken.mosaic"), ("no/such/folder/me.mosaic", "no/such/folder"), (".", ".")],
)
def test_a_file_that_cannot_be_used_is_named(place: Place, file: str, said: str) -> None:
    place.write("broken.mosaic", "<script>\x1b[31m not a memory" * 100)
    ended = place.cli("serve-mosaic", file, code=1)
    assert ended.err.startswith("error: ")
    assert said in ended.err
    assert "\x1b" not in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(("module", "missing"), [("langchain", "langchain_core.callbacks"), ("agents", "agents")])
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, module: str, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"memtriage.mosaic.{module}", raising=False)
    with pytest.raises(ImportError, match=rf"needs .*; install it with: pip install '\.\[{module}\]'"):
        importlib.import_module(f"memtriage.mosaic.{module}")


def test_the_server_without_its_library(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert "install it with: pip install '.[mcp]'" in cli("serve-mosaic", "me.mosaic", code=1).err
