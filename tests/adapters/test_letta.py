"""The real Letta client in its own environment, against a stand-in that has the ways seen on a Letta 0.16.8 server.

With MEMTRIAGE_LETTA=http://… (and MEMTRIAGE_LETTA_MODEL, MEMTRIAGE_LETTA_EMBEDDING) a real server is tried too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from services import Call, Problem, Service, nearness, refusing_address

Start = Callable[..., Any]
EMBEDDING, MODEL = "openai/text-embedding-3-small", "openai/gpt-4.1-mini"


class Letta(Service):
    """Agents, archives, passages and blocks; an agent's archive and blocks outlive it, as they do at Letta's."""

    open_paths = ("/v1/health/",)

    def __init__(self, key: str = "") -> None:
        super().__init__(f"Bearer {key}" if key else "")
        self.agents: dict[str, dict[str, Any]] = {}
        self.archives: dict[str, str] = {}
        self.passages: dict[str, list[dict[str, Any]]] = {}
        self.blocks: dict[str, dict[str, Any]] = {}
        self.stop_reason = "end_turn"
        self.ids = count()
        agent = r"/v1/agents/([^/]+)"
        self.routes = [
            ("GET", "/v1/health/", lambda call: {"version": "0.16.8", "status": "ok"}),
            ("GET", "/v1/models/embedding", lambda call: [{"handle": EMBEDDING}]),
            ("GET", "/v1/models/", lambda call: [{"handle": MODEL}]),
            ("POST", "/v1/agents/", self.create),
            ("DELETE", agent, lambda call, id: self.agents.pop(id) and None),
            ("POST", f"{agent}/archival-memory", self.insert),
            ("GET", f"{agent}/archival-memory", self.listed),
            ("GET", f"{agent}/archival-memory/search", self.search),
            ("POST", f"{agent}/messages", self.tell),
            ("GET", f"{agent}/core-memory/blocks", self.agent_blocks),
            ("DELETE", r"/v1/blocks/([^/]+)", lambda call, id: self.blocks.pop(id) and None),
            ("GET", "/v1/archives/", self.agent_archives),
            ("DELETE", r"/v1/archives/([^/]+)", self.drop_archive),
        ]

    def create(self, call: Call) -> Any:
        if "model" not in call.body:
            raise Problem(400, {"detail": "INVALID_ARGUMENT: Must specify either model or llm_config in request"})
        id = f"agent-{next(self.ids)}"
        made = [{"id": f"block-{next(self.ids)}", **block} for block in call.body.get("memory_blocks") or ()]
        self.blocks |= {block["id"]: block for block in made}
        self.agents[id] = {"id": id, "blocks": [block["id"] for block in made], **call.body, "memory_blocks": None}
        return self.agents[id]

    def insert(self, call: Call, agent: str) -> Any:
        if len(call.body["text"]) > 4 * 8192:
            raise Problem(400, {"detail": "Archival memory content exceeds token limit of 8192 tokens"})
        return [self.keep(agent, call.body["text"], call.body.get("created_at"), call.body.get("tags"))]

    def keep(self, agent: str, text: str, at: str | None = None, tags: list[str] | None = None) -> dict[str, Any]:
        archive = next((id for id, owner in self.archives.items() if owner == agent), f"archive-{next(self.ids)}")
        self.archives[archive] = agent
        passage = {"id": f"passage-{next(self.ids):04}", "text": text, "tags": tags}
        self.passages.setdefault(archive, []).append({**passage, "created_at": at or "2026-11-15T00:00:00+00:00"})
        return self.passages[archive][-1]

    def of(self, agent: str) -> list[dict[str, Any]]:
        held = [each for id, owner in self.archives.items() if owner == agent for each in self.passages[id]]
        return sorted(held, key=lambda each: (each["created_at"], each["id"]))

    def listed(self, call: Call, agent: str) -> Any:
        held = self.of(agent)
        after = next((n + 1 for n, each in enumerate(held) if each["id"] == call.query.get("after")), 0)
        return held[after : after + int(call.query.get("limit", 100))]

    def search(self, call: Call, agent: str) -> Any:
        ranked = sorted(self.of(agent), key=lambda each: -nearness(call.query["query"], each["text"]))
        best = ranked[: int(call.query.get("top_k", 5))]
        results = [{"id": b["id"], "content": b["text"], "timestamp": b["created_at"], "tags": b["tags"]} for b in best]
        return {"count": len(best), "results": results}

    def tell(self, call: Call, agent: str) -> Any:
        """The agent writes the first thing it hears into its block and the rest into its archive."""
        first, *rest = [message["content"] for message in call.body["messages"] if message["role"] == "user"]
        human = next(self.blocks[id] for id in self.agents[agent]["blocks"] if self.blocks[id]["label"] == "human")
        human["value"] += f"\n{first}"
        for text in rest:
            self.keep(agent, text)
        return {"messages": [], "stop_reason": {"stop_reason": self.stop_reason}, "usage": {}}

    def agent_blocks(self, call: Call, agent: str) -> Any:
        return [] if call.query.get("after") else [self.blocks[id] for id in self.agents[agent]["blocks"]]

    def agent_archives(self, call: Call) -> Any:
        if call.query.get("after"):
            return []
        return [{"id": id, "name": id} for id, owner in self.archives.items() if owner == call.query["agent_id"]]

    def drop_archive(self, call: Call, archive: str) -> None:
        del self.archives[archive], self.passages[archive]


@pytest.fixture
def letta() -> Iterator[Letta]:
    with Letta() as service:
        yield service


@pytest.fixture
def start(adapter: Start, letta: Letta, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.delenv("LETTA_API_KEY", raising=False)

    def started(**options: str) -> Any:
        chosen = {"address": letta.url, "embedding": EMBEDDING, "model": MODEL, **options}
        return adapter("letta", options=chosen, internal=False, embed=False)

    return started


def texts(memories: list[Any]) -> list[str]:
    return [memory["text"] for memory in memories]


def test_a_session_becomes_a_dated_passage_with_its_turns(start: Start) -> None:
    store = start()
    assert "server 0.16.8" in store.hello["version"]
    assert "not counted" in store.hello["notices"][0]
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    (memory,) = store.all("a")
    assert memory["text"] == "user: The kettle is in the attic.\nassistant: Noted."
    assert memory["created_at"] == "2026-03-02T09:00:00+00:00"
    assert memory["sources"] == ["s1/0", "s1/1"]
    assert [hit["id"] for hit in store.find("a", "Where is the kettle?")] == [memory["id"]]


def test_a_turn_can_be_a_passage(start: Start) -> None:
    store = start(unit="turn")
    store.tell("a", "The kettle is in the attic.")
    assert texts(store.all("a")) == ["user: The kettle is in the attic.", "assistant: Noted."]
    assert store.all("a")[1]["sources"] == ["s1/1"]


def test_everything_is_listed_over_many_pages(start: Start, letta: Letta) -> None:
    store = start(page="3")
    for number in range(8):
        store.tell("a", f"Fact number {number}.", id=f"s{number}")
    assert len(texts(store.all("a"))) == len(set(texts(store.all("a")))) == 8
    assert letta.asked("GET", ".*/archival-memory")[1].query["after"]


def test_k_is_k_beyond_the_default_of_the_server(start: Start) -> None:
    store = start()
    for number in range(12):
        store.tell("a", f"Fact number {number}.", id=f"s{number}")
    assert [len(store.find("a", "fact number 3", k)) for k in (1, 5, 10, 50)] == [1, 5, 10, 12]
    assert "number 3" in store.find("a", "fact number 3", 1)[0]["text"]


def test_a_session_over_the_limit_becomes_several_passages_and_loses_nothing(start: Start) -> None:
    store = start()
    said = [f"{number} " + "word " * 1500 for number in range(8)]
    store.tell("a", *said)
    listed = store.all("a")
    assert len(listed) > 1
    assert [turn for memory in listed for turn in memory["sources"]] == [f"s1/{n}" for n in range(16)]
    assert all(any(text in memory["text"] for memory in listed) for text in said)


def test_two_interleaved_stores_never_meet(start: Start) -> None:
    store = start()
    for number in range(3):
        store.tell("a", f"Anna fact {number}.", id=f"s{number}")
        store.tell("b", f"Boris fact {number}.", id=f"s{number}")
    assert all("Anna" in text for text in texts(store.all("a")) + texts(store.find("a", "Boris fact", 9)))
    assert all("Boris" in text for text in texts(store.all("b")) + texts(store.find("b", "Anna fact", 9)))


def test_reset_deletes_agent_archive_and_blocks(start: Start, letta: Letta) -> None:
    store = start(memory="agent")
    store.tell("a", "The kettle is in the attic.", "Odo rows at six.")
    store.tell("b", "Mira moved to Oslo.", "Her cat stayed.")
    assert len(letta.agents) == len(letta.archives) == 2
    store.ask("reset", scope="a")
    assert len(letta.agents) == len(letta.archives) == 1
    assert {block["value"].strip() for block in letta.blocks.values() if block["label"] == "human"} == {
        "Mira moved to Oslo."
    }
    assert store.all("a") == []
    store.ask("bye")
    store.process.wait()
    assert not letta.agents
    assert not letta.archives
    assert not letta.blocks


def test_an_empty_store_is_empty(start: Start) -> None:
    for options in ({}, {"memory": "agent"}):
        store = start(**options)
        assert store.all("a") == store.find("a", "anything") == store.find("a", " ") == []


def test_an_agent_keeps_blocks_and_passages_and_blocks_come_first(start: Start, letta: Letta) -> None:
    store = start(memory="agent")
    store.tell("a", "The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo.")
    sent = letta.asked("POST", ".*/messages")[0].body["messages"]
    assert [message["role"] for message in sent] == ["system", *["user", "assistant"] * 3]
    assert "2026-03-02T09:00:00" in sent[0]["content"]
    assert texts(store.all("a")) == ["human: The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo."]
    assert texts(store.find("a", "Mira Oslo", 2)) == ["human: The kettle is in the attic.", "Mira moved to Oslo."]


def test_a_question_is_no_message_to_the_agent(start: Start, letta: Letta) -> None:
    store = start(memory="agent")
    store.tell("a", "The kettle is in the attic.")
    before = store.all("a")
    store.find("a", "Where is the kettle?")
    assert len(letta.asked("POST", ".*/messages")) == 1
    assert store.all("a") == before


def test_an_agent_that_failed_is_told(start: Start, letta: Letta) -> None:
    letta.stop_reason = "llm_api_error"
    store = start(memory="agent")
    store.tell("a", "The kettle is in the attic.")
    assert store.troubles == ["the agent stopped with llm_api_error in session s1"]


def test_a_failed_insert_is_not_repeated(start: Start, letta: Letta) -> None:
    store = start()
    store.all("a")
    letta.routes.insert(0, ("POST", ".*/archival-memory", _broken))
    with pytest.raises(RuntimeError, match="InternalServerError"):
        store.tell("a", "The kettle is in the attic.")
    assert len(letta.asked("POST", ".*/archival-memory")) == 1


def _broken(call: Call) -> Any:
    raise Problem(500, {"detail": "broken"})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"address": ""}, "letta:address="),
        ({"embedding": "no/such"}, "embedding=no/such is not one of them.*openai/text-embedding-3-small"),
        ({"model": ""}, "model= is missing.*openai/gpt-4.1-mini"),
        ({"memory": "none"}, "say archival or agent"),
        ({"kind": "x"}, "no option 'kind'"),
    ],
)
def test_what_is_wrong_is_named(start: Start, options: dict[str, str], said: str) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start(**options)


def test_an_address_that_refuses_is_named(start: Start) -> None:
    address = refusing_address()
    with pytest.raises(RuntimeError, match=f"no Letta server answers at {address}"):
        start(address=address)


def test_a_server_that_wants_a_key_is_named(start: Start) -> None:
    with Letta(key="secret") as guarded, pytest.raises(RuntimeError, match=r"refused: .*LETTA_API_KEY"):
        start(address=guarded.url)


def test_the_key_comes_from_the_environment(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    with Letta(key="secret") as guarded:
        monkeypatch.setenv("LETTA_API_KEY", "secret")
        store = start(address=guarded.url)
        store.tell("a", "The kettle is in the attic.")
        assert len(store.all("a")) == 1


def test_a_real_server(start: Start) -> None:
    address = os.environ.get("MEMTRIAGE_LETTA")
    if not address:
        pytest.skip("no Letta server named in MEMTRIAGE_LETTA")
    names = {"model": os.environ.get("MEMTRIAGE_LETTA_MODEL", MODEL)}
    names["embedding"] = os.environ.get("MEMTRIAGE_LETTA_EMBEDDING", EMBEDDING)
    store = start(address=address, page="3", **names)
    for number in range(8):
        store.tell("a", f"Fact number {number}.", id=f"s{number}")
        store.tell("b", f"Another fact {number}.", id=f"s{number}")
    assert len({memory["id"] for memory in store.all("a")}) == 8
    assert "number 3" in store.find("a", "Fact number 3.", 2)[0]["text"]
    assert len(store.find("b", "fact", 6)) == 6
    store.ask("reset", scope="a")
    store.ask("reset", scope="b")
    assert store.all("a") == []
    store.ask("bye")
    store.process.wait()
