"""MCP servers whose tools a model uses: real servers, and a scripted model that calls functions."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_forks import command
from memtriage import registry
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadSystem
from memtriage.core.memory import Question
from memtriage.models.current import use_models
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.system_models import SystemModels
from memtriage.systems.adapted import Adapted
from memtriage.systems.remote import mapping
from memtriage.systems.remote.guess_mapping import ServerTool, guess_steps
from memtriage.systems.remote.running import close_all

pytest.importorskip("mcp", reason="the extra mcp is not installed")

NPM = Path(os.environ.get("MEMTRIAGE_NPM", "node_modules")) / ".bin" / "mcp-server-memory"
Build = Callable[..., Adapted]


@pytest.fixture
def model() -> Iterator[StubServer]:
    with StubServer("memory") as served, SystemModels(cache=None) as inside, use_models(inside):
        yield served
        close_all()


@pytest.fixture
def build(model: StubServer) -> Iterator[Build]:
    """Builds stores of a driven server and closes them."""
    built: list[Adapted] = []

    def make(server: str = "", more: str = "") -> Adapted:
        spec = registry.system(f"mcp[drive=model{more}]:{server or f'{command()} whole'}")
        built.append(registry.with_models(spec, {"internal": f"{model.url}#scripted"}).build())
        return built[-1]

    yield make
    for system in built:
        system.close()


def store(system: Adapted, *texts: str) -> None:
    turns = tuple(Turn("user", text, f"s/{number}") for number, text in enumerate(texts))
    system.store_conversation(Session("s", turns, "2026-01-05T09:00:00"))


def found(system: Adapted, query: str, k: int = 5) -> list[str]:
    return [m.text for m in system.retrieve_memories(query, Session("q", (Turn("user", query, "q/0"),)), k)]


def held(system: Adapted) -> list[str]:
    return [memory.text for memory in system.get_all_memories()]


def offered(request: Any) -> dict[str, dict[str, Any]]:
    return {tool["function"]["name"]: tool["function"] for tool in request.body["tools"]}


def test_a_model_keeps_and_finds_with_the_servers_own_tools(build: Build, model: StubServer) -> None:
    one, other = build(), build()
    store(one, "Odo rows before seven. Ines bakes bread on Fridays.")
    store(other, "Selma keeps bees.")
    assert held(one) == ["Odo rows before seven.", "Ines bakes bread on Fridays."]
    assert held(other) == ["Selma keeps bees."]
    keeping = offered(model.requests[0])
    assert set(keeping) == {"add_memory", "search_memories", "list_memories"}
    assert keeping["add_memory"]["description"] == "Remember a text."
    assert set(keeping["add_memory"]["parameters"]["properties"]) == {"text"}  # which store it is, is not its choice
    assert found(one, "When does Odo row?", 1) == ["Odo rows before seven."]
    assert set(offered(model.requests[-1])) == {"search_memories", "list_memories"}  # a question changes nothing
    usage = one.usage()
    assert usage is not None
    assert usage.calls == 4  # two rounds for the conversation, two for the question
    assert any("the internal model uses its tools" in notice for notice in one.notices())


def test_what_came_back_keeps_its_order_and_is_cut_at_k(build: Build, model: StubServer) -> None:
    system = build()
    store(system, "Odo rows. Ines bakes. Selma sings.")

    def script(request: Request) -> Any:
        told = sum(role == "tool" for role, _ in request.messages)
        words = ["Selma sings", "Odo rows"]
        return Reply(tools=(("search_memories", {"query": words[told], "limit": 1}),)) if told < 2 else "Done."

    model.script = script
    assert found(system, "Who?") == ["Selma sings.", "Odo rows."]
    assert found(system, "Who?", 1) == ["Selma sings."]


def test_a_tool_that_fails_is_told_to_the_model_which_goes_on(build: Build, model: StubServer) -> None:
    calls = iter([("add_memory", {"text": "crash"}), ("no_such_tool", {}), ("add_memory", {"text": "Odo rows."})])
    model.script = lambda request: Reply(tools=(call,)) if (call := next(calls, None)) else "Done."
    system = build()
    store(system, "Odo rows.")
    assert held(system) == ["Odo rows."]
    told = [m["content"] for m in model.requests[-1].body["messages"] if m["role"] == "tool"]
    assert "add_memory failed" in told[0]
    assert told[0].startswith("error: ")
    assert "there is no tool 'no_such_tool'" in told[1]
    assert [m["role"] for m in model.requests[-1].body["messages"]] == [
        *("system", "user"),
        *("assistant", "tool") * 3,
    ]


def test_rounds_are_bounded_and_reports_say_so(build: Build, model: StubServer) -> None:
    model.script = lambda request: Reply(tools=(("add_memory", {"text": f"note {len(request.messages)}"}),))
    system = build(more=",rounds=3")
    store(system, "Odo rows.")
    assert len(model.requests) == 3
    assert held(system) == ["note 2", "note 4", "note 6"]
    assert any("stopped after 3 rounds" in notice for notice in system.notices())


def test_a_model_answers_from_what_it_fetched(build: Build, model: StubServer) -> None:
    system = build(more=",rounds=2")
    store(system, "Odo rows before seven.")

    def script(request: Request) -> Any:
        if request.body["tool_choice"] == "none":
            return "Before seven."
        return Reply(tools=(("search_memories", {"query": "Odo"}),))

    model.script = script
    question = Question("When does Odo row?", Session("q", (), "2026-02-01"), 5, instruction="Be brief.")
    answered = system.answer_alone(question)
    assert answered.text == "Before seven."
    assert [memory.text for memory in answered.memories or ()] == ["Odo rows before seven."]
    asked = model.requests[-1].body["messages"][1]["content"]
    assert "The question is asked on 2026-02-01. Be brief." in asked


def test_a_server_that_no_mapping_fits_can_be_driven(build: Build) -> None:
    system = build(f"{command()} deaf")
    store(system, "Odo rows.")
    assert "get_all_memories" not in system.capabilities
    assert found(system, "Odo") == []


def test_a_model_that_fails_fails_the_call_and_not_the_store(build: Build, model: StubServer) -> None:
    system = build()
    usual, model.script = model.script, lambda request: Reply("too odd", status=400)
    with pytest.raises(BadSystem, match="the internal model answered with 400"):
        store(system, "Odo rows.")
    model.script = usual
    store(system, "Ines bakes.")
    assert held(system) == ["Ines bakes."]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("drive=model", "needs a model that uses the server's tools; name one with --internal"),
        ("drive=modle", "did you mean 'model'"),
        ("drive=model,rounds=none", "rounds must be a whole number of at least 1, not 'none'"),
    ],
)
def test_settings_that_are_wrong_are_named(options: str, said: str) -> None:
    with pytest.raises(BadSystem, match=said):
        registry.system(f"mcp[{options}]:{command()} whole").build()
    close_all()


@pytest.mark.skipif(not NPM.exists() or not shutil.which("node"), reason="the reference memory server is not installed")
def test_the_reference_server_in_the_hands_of_a_model(build: Build, model: StubServer) -> None:
    one, other = build(f"node {NPM}"), build(f"node {NPM}")
    store(one, "Odo rows before seven.", "Ines bakes bread.")
    store(one, "Odo keeps a heron.")
    store(other, "Selma keeps bees.")
    assert held(one) == [
        "Odo (topic): Odo rows before seven.",
        "Odo (topic): Odo keeps a heron.",
        "Ines (topic): Ines bakes bread.",
    ]
    assert found(one, "When does Odo row?", 2) == held(one)[:2]
    assert held(other) == ["Selma (topic): Selma keeps bees."]
    linked = Reply(
        tools=(("create_relations", {"relations": [{"from": "Odo", "to": "Ines", "relationType": "knows"}]}),)
    )
    replies = iter([linked, "Done."])
    model.script = lambda request: next(replies)
    store(one, "Odo knows Ines.")
    assert held(one)[-1] == "Odo -[knows]-> Ines"
    assert set(offered(model.requests[-1])) >= {"create_entities", "delete_entities", "open_nodes"}


# ------------------------------------------------------------------ what tools and replies are taken for


@pytest.mark.parametrize(
    ("name", "hint", "reads"),
    [
        ("search_nodes", None, True),
        ("open_nodes", None, True),
        ("getSettings", None, True),
        ("delete_entities", None, False),
        ("updateMemory", None, False),
        ("add_observations", None, False),
        ("remember_all", True, True),
        ("peek", False, False),
    ],
)
def test_tools_that_only_read_are_told_apart(name: str, hint: bool | None, reads: bool) -> None:
    assert ServerTool(name, {}, (), read_only=hint).reads is reads


GRAPH = {
    "entities": [
        {"name": "Odo", "entityType": "person", "observations": ["rows", "bakes"]},
        {"name": "Pip", "entityType": "heron", "observations": []},
    ],
    "relations": [{"from": "Odo", "to": "Pip", "relationType": "keeps"}, {"from": "Odo"}],
}


def test_a_graph_becomes_memories_that_can_be_understood_alone() -> None:
    tools = [ServerTool(name, {}, ()) for name in ("create_entities", "search_nodes", "read_graph")]
    step = guess_steps(tools, "x", driven=True)["all"]
    assert [memory["text"] for memory in mapping.memories(GRAPH, step)] == [
        "Odo (person): rows",
        "Odo (person): bakes",
        "Pip (heron)",
        "Odo -[keeps]-> Pip",
    ]
