"""The real Letta client in its own environment, against a stand-in that has the ways seen on a Letta 0.16.8 server.

With MEMTRIAGE_LETTA=http://… (and MEMTRIAGE_LETTA_MODEL, MEMTRIAGE_LETTA_EMBEDDING) a real server is tried too; its
model has to write something of each session into the archive.
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
        self.messages: dict[str, list[dict[str, Any]]] = {}
        self.searches_messages = False  # as on a server of one's own
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
            ("DELETE", f"{agent}/archival-memory/([^/]+)", self.drop_passage),
            ("POST", f"{agent}/messages", self.tell),
            ("GET", f"{agent}/messages", self.told),
            ("POST", "/v1/messages/search", self.search_messages),
            ("PATCH", r"/v1/blocks/([^/]+)", self.change_block),
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
        """The agent writes the first thing it hears into its block and the rest into its archive, even a question."""
        for message in call.body["messages"]:
            self.say(agent, f"{message['role']}_message", message["content"])
        first, *rest = [message["content"] for message in call.body["messages"] if message["role"] == "user"]
        human = next(self.blocks[id] for id in self.agents[agent]["blocks"] if self.blocks[id]["label"] == "human")
        human["value"] += f"\n{first}"
        for text in rest or [first]:
            self.keep(agent, text)
        self.say(
            agent, "tool_call_message", "", tool_call={"name": "memory_insert", "arguments": "{}", "tool_call_id": "1"}
        )
        reply = self.say(agent, "assistant_message", "I wrote that down.")
        usage = {"prompt_tokens": 700, "completion_tokens": 9, "step_count": 2, "message_type": "usage_statistics"}
        return {"messages": [reply], "stop_reason": {"stop_reason": self.stop_reason}, "usage": usage}

    def say(self, agent: str, kind: str, content: str, **more: Any) -> dict[str, Any]:
        message = {"id": f"message-{next(self.ids):04}", "message_type": kind, "content": content, **more}
        self.messages.setdefault(agent, []).append({**message, "date": "2026-11-15T00:00:00+00:00"})
        return self.messages[agent][-1]

    def told(self, call: Call, agent: str) -> Any:
        held = self.messages.get(agent, [])
        after = next((n + 1 for n, each in enumerate(held) if each["id"] == call.query.get("after")), 0)
        return held[after : after + int(call.query.get("limit", 100))]

    def search_messages(self, call: Call) -> Any:
        if not self.searches_messages:
            raise Problem(400, {"detail": "Message search requires message embedding, OpenAI, and Turbopuffer"})
        said = [each for each in self.messages[call.body["agent_id"]] if each["message_type"] == "user_message"]
        ranked = sorted(said, key=lambda each: -nearness(call.body["query"], each["content"]))
        shown = ("content", "message_type")
        found = [
            {**{key: each[key] for key in shown}, "message_id": each["id"], "created_at": each["date"]}
            for each in ranked
        ]
        return found[: call.body["limit"]]

    def change_block(self, call: Call, id: str) -> Any:
        self.blocks[id].update(call.body)
        return self.blocks[id]

    def drop_passage(self, call: Call, agent: str, id: str) -> None:
        for held in self.passages.values():
            held[:] = [each for each in held if each["id"] != id]

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
    store = start(memory="archival")
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
    store = start(memory="archival", unit="turn")
    store.tell("a", "The kettle is in the attic.")
    assert texts(store.all("a")) == ["user: The kettle is in the attic.", "assistant: Noted."]
    assert store.all("a")[1]["sources"] == ["s1/1"]


def test_everything_is_listed_over_many_pages(start: Start, letta: Letta) -> None:
    store = start(memory="archival", page="3")
    for number in range(8):
        store.tell("a", f"Fact number {number}.", id=f"s{number}")
    assert len(texts(store.all("a"))) == len(set(texts(store.all("a")))) == 8
    assert letta.asked("GET", ".*/archival-memory")[1].query["after"]


def test_k_is_k_beyond_the_default_of_the_server(start: Start) -> None:
    store = start(memory="archival")
    for number in range(12):
        store.tell("a", f"Fact number {number}.", id=f"s{number}")
    assert [len(store.find("a", "fact number 3", k)) for k in (1, 5, 10, 50)] == [1, 5, 10, 12]
    assert "number 3" in store.find("a", "fact number 3", 1)[0]["text"]


def test_a_session_over_the_limit_becomes_several_passages_and_loses_nothing(start: Start) -> None:
    store = start(memory="archival")
    said = [f"{number} " + "word " * 1500 for number in range(8)]
    store.tell("a", *said)
    listed = store.all("a")
    assert len(listed) > 1
    assert [turn for memory in listed for turn in memory["sources"]] == [f"s1/{n}" for n in range(16)]
    assert all(any(text in memory["text"] for memory in listed) for text in said)


def test_two_interleaved_stores_never_meet(start: Start) -> None:
    store = start(memory="archival")
    for number in range(3):
        store.tell("a", f"Anna fact {number}.", id=f"s{number}")
        store.tell("b", f"Boris fact {number}.", id=f"s{number}")
    assert all("Anna" in text for text in texts(store.all("a")) + texts(store.find("a", "Boris fact", 9)))
    assert all("Boris" in text for text in texts(store.all("b")) + texts(store.find("b", "Anna fact", 9)))


def test_reset_deletes_agent_archive_and_blocks(start: Start, letta: Letta) -> None:
    store = start()
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
    for options in ({}, {"memory": "archival"}):
        store = start(**options)
        assert store.all("a") == store.find("a", "anything") == store.find("a", " ") == []


def test_an_agent_has_core_archival_and_recall_memory_unless_told_otherwise(start: Start, letta: Letta) -> None:
    store = start(page="2")
    store.tell("a", "The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo.")
    sent = letta.asked("POST", ".*/messages")[0].body["messages"]
    assert [message["role"] for message in sent] == ["system", *["user", "assistant"] * 3]
    assert "2026-03-02T09:00:00" in sent[0]["content"]
    kept = store.all("a")
    kinds = [memory["id"].split("-")[0] for memory in kept]
    assert kinds == ["block"] + ["passage"] * 2 + ["message"] * 7
    assert texts(kept)[:3] == ["human: The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo."]
    said = ["The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo."]
    turns = [line for text in said for line in (f"user: {text}", "assistant: Noted.")]
    assert texts(kept)[3:] == [*turns, "assistant: I wrote that down."]
    assert [memory["sources"] for memory in kept[3:]] == [[f"s1/{number}"] for number in range(6)] + [[]]
    assert {memory["created_at"] for memory in kept[1:]} == {"2026-03-02T09:00:00+00:00"}  # not the server's clock


def test_an_agent_sees_its_blocks_then_archive_and_messages_in_turn(start: Start, letta: Letta) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo in spring.")
    expected = [
        "human: The kettle is in the attic.",
        "Mira moved to Oslo in spring.",
        "user: Mira moved to Oslo in spring.",
    ]
    assert texts(store.find("a", "When did Mira move to Oslo?", 3)) == expected
    assert texts(store.find("a", "When did Mira move to Oslo?", 1)) == expected[:1]
    assert store.find("a", "When did Mira move to Oslo?", 3)[2]["sources"] == ["s1/4"]
    assert len(letta.asked("POST", ".*/messages/search")) == 1  # it isn't asked again for what it can't do

    letta.searches_messages = True
    other = start()
    other.tell("a", "The kettle is in the attic.", "Odo rows at six.", "Mira moved to Oslo in spring.")
    assert texts(other.find("a", "six", 3)) == [expected[0], "Odo rows at six.", "user: Odo rows at six."]


def test_messages_with_more_words_of_the_question_come_first_and_newer_before_older(start: Start) -> None:
    store = start()
    store.tell("a", "Nothing here.", "The lamp cost forty euros.", "The blue lamp broke.", "The green lamp broke.")
    recalled = [text for text in texts(store.find("a", "Which blue lamp broke?", 20)) if text.startswith("user: ")]
    assert recalled == [
        "user: The blue lamp broke.",
        "user: The green lamp broke.",
        "user: The lamp cost forty euros.",
    ]


def test_an_agent_answers_itself_and_its_memory_is_as_before(start: Start, letta: Letta) -> None:
    store = start()
    assert "answer" in store.hello["capabilities"]
    store.tell("a", "The kettle is in the attic.", "Odo rows at six.")
    before, found = store.all("a"), store.find("a", "Where is the kettle?", 9)
    session = {"id": "q", "timestamp": "2026-04-01", "turns": []}
    answered = store.ask("answer", scope="a", query="Where is the kettle?", session=session, k=5)
    assert answered["text"] == "I wrote that down."
    assert answered["usage"] == {"calls": 2, "input_tokens": 700, "output_tokens": 9}
    assert "asked on 2026-04-01" in letta.asked("POST", ".*/messages")[-1].body["messages"][0]["content"]
    assert store.all("a") == before
    assert store.find("a", "Where is the kettle?", 9) == found
    store.tell("a", "Mira moved to Oslo.", id="s2")
    assert not [text for text in texts(store.all("a")) if "Where is the kettle?" in text]
    assert ["s2/0"] in [memory["sources"] for memory in store.all("a")]


def test_an_archive_does_not_answer_and_says_what_it_is(start: Start) -> None:
    store = start(memory="archival")
    assert any("bare archive" in notice for notice in store.hello["notices"])
    with pytest.raises(RuntimeError, match="refused: letta answers itself only as an agent"):
        store.ask("answer", scope="a", query="Where?", session={"id": "q", "timestamp": None, "turns": []}, k=5)


def test_a_question_is_no_message_to_the_agent(start: Start, letta: Letta) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.")
    before = store.all("a")
    store.find("a", "Where is the kettle?")
    assert len(letta.asked("POST", ".*/messages")) == 1
    assert store.all("a") == before


def test_an_agent_that_failed_is_told(start: Start, letta: Letta) -> None:
    letta.stop_reason = "llm_api_error"
    store = start()
    store.tell("a", "The kettle is in the attic.")
    assert store.troubles == ["the agent stopped with llm_api_error in session s1"]


def test_a_failed_insert_is_not_repeated(start: Start, letta: Letta) -> None:
    store = start(memory="archival")
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
        ({"memory": "none"}, "say agent or archival"),
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
        store = start(address=guarded.url, memory="archival")
        store.tell("a", "The kettle is in the attic.")
        assert len(store.all("a")) == 1


def test_a_real_server(start: Start) -> None:
    address = os.environ.get("MEMTRIAGE_LETTA")
    if not address:
        pytest.skip("no Letta server named in MEMTRIAGE_LETTA")
    names = {"model": os.environ.get("MEMTRIAGE_LETTA_MODEL", MODEL)}
    names["embedding"] = os.environ.get("MEMTRIAGE_LETTA_EMBEDDING", EMBEDDING)
    store = start(address=address, page="3", memory="archival", **names)
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

    agent = start(address=address, page="3", **names)
    for number in range(3):
        agent.tell("a", f"Fact number {number}.", f"The lamp {number} is blue.", id=f"s{number}")
    kept = agent.all("a")
    assert {memory["id"].split("-")[0] for memory in kept} >= {"passage", "message"}
    assert [m["sources"] for m in kept if m["sources"]] == [[f"s{n}/{turn}"] for n in range(3) for turn in range(4)]
    assert {memory["created_at"] for memory in kept} == {"2026-03-02T09:00:00+00:00"}
    assert any("number 1" in text for text in texts(agent.find("a", "Which Fact has number 1?", 4)))
    session = {"id": "q", "timestamp": None, "turns": []}
    assert agent.ask("answer", scope="a", query="Which lamp is blue?", session=session, k=5)["text"]
    assert agent.all("a") == kept
    assert agent.troubles == []
    agent.ask("bye")
    agent.process.wait()
