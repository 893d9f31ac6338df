"""mosaic as an MCP server: its tools as a client sees them, and what they refuse."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from memtriage.mosaic import MosaicMemory

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client

from memtriage.mosaic.mcp_server import LONGEST_TEXT, mosaic_server
from memtriage.systems.remote.guess_mapping import ServerTool, guess_steps

GYM = "My gym is Baths Hall, because of my job; if my job changes, so will this."
JOB = "I have a new job as a baker."

Call = Callable[..., Awaitable[Any]]


def asked(work: Callable[[Call, Any], Awaitable[None]], memory: MosaicMemory | None = None) -> None:
    """Do some work as a client of a server with this memory."""

    async def main() -> None:
        async with Client(mosaic_server(MosaicMemory() if memory is None else memory)) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                result = await client.call_tool(tool, arguments)
                if result.is_error:
                    return result.content[0].text
                assert result.structured_content is not None
                return result.structured_content

            await work(call, client)

    asyncio.run(main())


def test_what_is_added_is_found_with_what_overtook_it() -> None:
    async def work(call: Call, client: Any) -> None:
        assert await call("add_memory", text=GYM, at="2026-03-01", session="spring") == {"id": "m0"}
        assert await call("add_memory", text=JOB, role="user") == {"id": "m1"}
        assert await call("add_memory", text="Well done!", role="assistant") == {"id": "m2"}
        found = (await call("search_memory", query="Where is my gym?", limit=2))["memories"]
        assert [(memory["id"], memory["why"], memory["voided_by"]) for memory in found] == [
            ("m1", "dependency", None),
            ("m0", "seed", "m1"),
        ]
        short = (await call("search_memory", query="Where is my gym?", max_tokens=10))["memories"]
        assert [memory["text"] for memory in short] == [JOB]  # 9 tokens, and the other one has 20
        assert (found[0]["by"], found[1]["text"], found[1]["at"]) == ("m0", GYM, "2026-03-01")
        assert found[0]["at"][:4] == str(datetime.now(UTC).year)  # who gives no time means now
        events = (await call("memory_history", id="m0"))["events"]
        assert [(event["kind"], event["memory"]["id"]) for event in events] == [("changed", "m1")]
        listed = await call("list_memories", limit=1, offset=1)
        assert (listed["total"], [memory["id"] for memory in listed["memories"]]) == (3, ["m1"])
        assert await call("forget_memory", id="m0") == {"forgotten": "m0"}
        kept = (await call("list_memories"))["memories"]
        assert [(memory["role"], memory["text"]) for memory in kept] == [("user", JOB), ("assistant", "Well done!")]

    asked(work)


def test_last_week_is_reckoned_from_when_it_is_asked() -> None:
    memory = MosaicMemory()
    memory.add("I went to a concert in Porto.", at="2026-03-04")
    memory.add("I went to a concert in Lisbon.", at="2026-05-04")

    async def work(call: Call, client: Any) -> None:
        for at, first in (("2026-03-10", "Porto"), ("2026-05-12", "Lisbon")):
            found = await call("search_memory", query="Which concert did I go to last week?", at=at)
            assert first in found["memories"][0]["text"]

    asked(work, memory)


def test_what_cannot_be_done_is_said_in_one_sentence() -> None:
    async def work(call: Call, client: Any) -> None:
        nothing = "there is no memory 'x'; list_memories and search_memory give the ids there are"
        assert await call("forget_memory", id="x") == nothing
        assert await call("memory_history", id="x") == nothing
        assert await call("add_memory") == "text: Field required"
        assert await call("add_memory", text=" ") == "text is blank; say what to keep"
        too_long = f"text: String should have at most {LONGEST_TEXT} characters"
        assert await call("add_memory", text="x" * (LONGEST_TEXT + 1)) == too_long
        assert await call("add_memory", text="I row.", role="system") == "role: Input should be 'user' or 'assistant'"
        no_day = "at: 'last week' names no day; write it as 2026-03-01 or 2026-03-01T09:30"
        assert await call("add_memory", text="I row.", at="last week") == no_day
        assert await call("search_memory", query="x", at="last week") == no_day
        assert await call("search_memory", query="x", limit=101) == "limit: Input should be less than or equal to 100"
        assert await call("list_memories", offset=-1) == "offset: Input should be greater than or equal to 0"
        assert (await call("list_memories"))["total"] == 0
        assert (await call("search_memory", query="Where do I live?"))["memories"] == []

    asked(work)


def test_a_long_list_is_forgotten_as_a_whole_or_by_item() -> None:
    memory = MosaicMemory()

    async def work(call: Call, client: Any) -> None:
        added = await call("add_memory", text="\n".join(f"{n}. Box {n} has books." for n in range(9)))
        assert len(memory) == 9
        await call("forget_memory", id=f"{added['id']}#0")
        assert len(memory) == 8
        await call("forget_memory", id=added["id"])
        assert len(memory) == 0

    asked(work, memory)


def test_a_model_is_told_how_to_use_it_and_memtriage_guesses_it() -> None:
    async def work(call: Call, client: Any) -> None:
        assert "search_memory before you answer" in client.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["add_memory", "search_memory", "list_memories", "forget_memory", "memory_history"]
        reading = [name for name, tool in tools.items() if tool.annotations.read_only_hint]
        assert reading == ["search_memory", "list_memories", "memory_history"]
        assert tools["forget_memory"].annotations.destructive_hint
        assert not tools["add_memory"].annotations.destructive_hint
        for tool in tools.values():
            assert tool.output_schema is not None
            assert "\n    " not in tool.description
        seen = [
            ServerTool(tool.name, tool.input_schema["properties"], tool.input_schema.get("required", ()))
            for tool in tools.values()
        ]
        steps = guess_steps(seen, "mosaic").steps
        assert {name: step.tool for name, step in steps.items()} == {
            "store": "add_memory",
            "retrieve": "search_memory",
            "all": "list_memories",
        }

    asked(work)
