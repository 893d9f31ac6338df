"""mosaic in the OpenAI Agents SDK: sessions that are remembered, tools, and a model behind a real address."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.mosaic import MosaicMemory

pytest.importorskip("agents", reason="the extra agents is not installed")

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    Session,
    SessionSettings,
    SQLiteSession,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from memtriage.mosaic.agents import MosaicSession, memory_tools

USER = {"role": "user", "content": "I moved to Lisbon."}
CALL = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}", "id": "f1"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "sunny"}
REPLY = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Enjoy the sun!", "annotations": []}],
}
BOXES = {"role": "user", "content": "\n".join(f"{n}. Box {n} has books." for n in range(9))}


@pytest.fixture(autouse=True)
def _no_tracing() -> None:
    set_tracing_disabled(True)


def kept(memory: MosaicMemory) -> list[tuple[str, str]]:
    return [(entry.role, entry.text) for entry in memory.get_all()]


def test_a_session_keeps_every_item_and_remembers_what_was_said() -> None:
    async def main() -> None:
        memory = MosaicMemory()
        session, other = MosaicSession("monday", memory), MosaicSession("tuesday", memory)
        assert isinstance(session, Session)
        items: list[Any] = [USER, CALL, OUTPUT, REPLY, {"role": "system", "content": "Be brief."}]
        await session.add_items(items)
        await other.add_items([{"role": "user", "content": "I sold the car."}])
        assert await session.get_items() == items
        assert await session.get_items(2) == items[-2:]
        session.session_settings = SessionSettings(limit=1)
        assert await session.get_items() == items[-1:]
        assert kept(memory) == [
            ("user", "I moved to Lisbon."),
            ("assistant", "Enjoy the sun!"),
            ("user", "I sold the car."),
        ]
        assert [entry.session for entry in memory.get_all()] == ["monday", "monday", "tuesday"]

    asyncio.run(main())


def test_what_is_taken_back_is_forgotten() -> None:
    async def main() -> None:
        memory = MosaicMemory()
        session = MosaicSession("monday", memory)
        await session.add_items([USER, REPLY, USER, CALL, BOXES])
        assert len(memory) == 3 + 9
        assert await session.pop_item() == BOXES
        assert await session.pop_item() == CALL
        assert len(memory) == 3
        first = memory.get_all()[0].id
        assert await session.pop_item() == USER
        assert memory.get_all()[0].id == first  # of two that say the same, the later one went
        assert len(memory) == 2
        await session.clear_session()
        assert (await session.get_items(), await session.pop_item(), len(memory)) == ([], None, 0)

    asyncio.run(main())


def test_clearing_a_session_leaves_the_others() -> None:
    async def main() -> None:
        memory = MosaicMemory()
        monday = MosaicSession("monday", memory, SQLiteSession("monday"))
        await monday.add_items([USER, BOXES])
        await MosaicSession("tuesday", memory).add_items([REPLY])
        await monday.clear_session()
        assert kept(memory) == [("assistant", "Enjoy the sun!")]

    asyncio.run(main())


def answer(request: Request) -> Reply:
    """A model that looks things up, and then says what it was given."""
    last = request.body["messages"][-1]
    if last["role"] == "tool":
        return Reply(f"I see: {last['content']}")
    if "?" in request.last_user:
        return Reply(tools=(("recall", {"question": request.last_user}),))
    return Reply(tools=(("remember", {"text": request.last_user}),))


def test_an_agent_knows_in_one_conversation_what_was_said_in_another() -> None:
    async def main(url: str) -> tuple[str, str, list[str]]:
        memory = MosaicMemory()
        client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        model = OpenAIChatCompletionsModel("any", client)
        quiet = RunConfig(tracing_disabled=True)
        said = []
        for day, message in (("monday", "My dentist is Dr Abel."), ("tuesday", "Who is my dentist?")):
            session = MosaicSession(day, memory) if day == "tuesday" else SQLiteSession(day)
            agent = Agent("Ann", model=model, tools=list(memory_tools(memory, session=day, k=1)))
            said.append((await Runner.run(agent, message, session=session, run_config=quiet)).final_output)
        await client.close()
        return said[0], said[1], [text for _, text in kept(memory)]

    with StubServer(answer) as server:
        first, second, known = asyncio.run(main(server.url))
        assert server.count(status=200) == 4
        offered = {tool["function"]["name"]: tool["function"] for tool in server.requests[0].body["tools"]}
    assert first == "I see: Kept as m0."
    assert second.startswith("I see: - 20")
    assert second.endswith(", user: My dentist is Dr Abel. [m0]")
    assert known == ["My dentist is Dr Abel.", "Who is my dentist?", second]
    assert "in the user's own words" in offered["remember"]["parameters"]["properties"]["text"]["description"]
