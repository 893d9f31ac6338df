"""The real MIRIX client in its own environment, against a stand-in of the few endpoints that it asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from services import Call, Problem, Service, nearness, refusing_address

Start = Callable[..., Any]
AGENT = {
    "id": "agent-1",
    "name": "meta",
    "system": "",
    "agent_type": "chat_agent",
    "llm_config": {"model": "m", "model_endpoint_type": "openai", "context_window": 8000},
    "memory": {"blocks": []},
    "tools": [],
}
CONFIG = {"llm_config": AGENT["llm_config"], "embedding_config": {"embedding_model": "e"}}


class Mirix(Service):
    """Each conversation is queued and worked off after `slow` looks: an episode per user message, and the first of
    them as a semantic entry."""

    key_header = "x-api-key"

    def __init__(self, key: str = "secret", slow: int = 2) -> None:
        super().__init__(key)
        self.slow, self.most, self.outcome = slow, 1000, "completed"
        self.zero_is_all = False
        self.users: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self.jobs: list[dict[str, Any]] = []
        self.ids = count()
        self.routes = [
            ("POST", "/agents/meta/initialize", lambda call: AGENT),
            ("POST", "/users/create_or_get", self.create),
            ("POST", "/memory/add", self.add),
            ("GET", "/memory/queue-traces", self.traces),
            ("GET", "/memory/components", self.components),
            ("GET", "/memory/search", self.search),
            ("DELETE", r"/users/([^/]+)/memories", lambda call, user: self.users.pop(user) and None),
        ]

    def create(self, call: Call) -> Any:
        core = [{"id": f"block-{next(self.ids)}", "label": "human", "value": ""}]
        self.users.setdefault(call.body["user_id"], {"episodic": [], "semantic": [], "core": core})
        return {"id": call.body["user_id"]}

    def add(self, call: Call) -> Any:
        if not all(isinstance(message["content"], str) for message in call.body["messages"]):
            raise Problem(500, {"detail": "can only concatenate str"})
        self.jobs.append({"left": self.slow, "body": call.body, "status": "queued", "user": call.body["user_id"]})
        return {"success": True, "status": "queued"}

    def work(self, user: str) -> None:
        for job in self.jobs:
            if job["user"] != user or job["status"] != "queued":
                continue
            job["left"] -= 1
            if job["left"] <= 0:
                job["status"] = self.outcome
                if self.outcome == "completed":
                    self.take(user, job["body"])

    def take(self, user: str, body: dict[str, Any]) -> None:
        said = [message["content"] for message in body["messages"] if message["role"] == "user"]
        for text in said:
            made = {"id": f"ep-{next(self.ids)}", "summary": text, "details": f"{text} It was told in a chat."}
            self.users[user]["episodic"].append({**made, "occurred_at": body.get("occurred_at")})
        entry = {"id": f"sem-{next(self.ids)}", "name": said[0].split()[0], "summary": said[0], "details": said[0]}
        self.users[user]["semantic"].append(entry)

    def traces(self, call: Call) -> Any:
        user = call.query["user_id"]
        self.work(user)
        mine = [job for job in self.jobs if job["user"] == user]
        return [{"id": "t", "status": job["status"], "error_message": "no model"} for job in mine]

    def components(self, call: Call) -> Any:
        user, limit = call.query["user_id"], int(call.query["limit"])
        self.work(user)
        kept = 10**6 if limit == 0 and self.zero_is_all else max(1, min(limit, self.most))
        held = self.users[user]
        part = {kind: {"total_count": len(held[kind]), "items": held[kind][:kept]} for kind in ("episodic", "semantic")}
        core = {"total_count": len(held["core"]), "scopes": {"default": {"items": held["core"]}}}
        return {"success": True, "memories": {**part, "core": core}}

    def search(self, call: Call) -> Any:
        if call.query.get("search_method") == "broken":
            return {"success": False, "error": "embedding is not supported", "results": [], "count": 0}
        results: list[dict[str, Any]] = []
        for kind in ("episodic", "semantic"):
            held = self.users[call.query["user_id"]][kind] if call.query["memory_type"] in ("all", kind) else []
            ranked = sorted(held, key=lambda each: -nearness(call.query["query"], each["summary"]))
            for each in ranked[: int(call.query["limit"])]:
                results.append({"memory_type": kind, "id": each["id"], "summary": each["summary"], "details": "…"})
        return {"success": True, "results": results, "count": len(results)}


@pytest.fixture
def mirix() -> Iterator[Mirix]:
    with Mirix() as service:
        yield service


@pytest.fixture
def start(adapter: Start, mirix: Mirix, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.setenv("MIRIX_API_KEY", "secret")

    def started(**options: str) -> Any:
        chosen = {"address": mirix.url, "provider": "openai", "poll": "0.01", **options}
        return adapter("mirix", options=chosen, internal=False, embed=False)

    return started


def texts(memories: list[Any]) -> list[str]:
    return [memory["text"] for memory in memories]


def test_settle_waits_for_the_queue(start: Start, mirix: Mirix) -> None:
    mirix.slow = 5
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    episode, semantic = store.all("a")
    assert episode["text"] == "The kettle is in the attic.\nThe kettle is in the attic. It was told in a chat."
    assert episode["created_at"] == "2026-03-02T09:00:00+00:00"
    assert semantic["text"] == "The\nThe kettle is in the attic."
    sent = mirix.asked("POST", "/memory/add")[0].body
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant"]
    assert sent["occurred_at"] == "2026-03-02T09:00:00+00:00"


def test_where_the_queue_is_not_shown_settle_waits_for_the_listing_to_stand_still(start: Start, mirix: Mirix) -> None:
    mirix.slow = 10
    mirix.routes = [route for route in mirix.routes if "queue" not in route[1]]
    store = start(quiet="12")
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    assert mirix.jobs[0]["status"] == "completed"
    assert len(store.all("a")) == 2


def test_a_settle_that_takes_too_long_is_an_error(start: Start, mirix: Mirix) -> None:
    mirix.slow = 10**6
    store = start(wait="0.05")
    store.tell("a", "The kettle is in the attic.")
    with pytest.raises(RuntimeError, match=r"TimeoutError: .*wait="):
        store.ask("settle", scope="a")


def test_a_conversation_that_failed_is_told(start: Start, mirix: Mirix) -> None:
    mirix.outcome = "failed"
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    assert store.troubles == ["MIRIX failed on a conversation: no model"]


def test_everything_is_listed_and_what_is_not_is_told(start: Start, mirix: Mirix) -> None:
    store = start()
    store.tell("a", *[f"Fact{n} is number {n}." for n in range(60)])
    store.ask("settle", scope="a")
    assert len(store.all("a")) == 61
    assert store.troubles == []
    mirix.most = 20
    assert len(store.all("a")) == 21
    assert store.troubles == ["MIRIX lists 20 of 60 episodic memories"]
    mirix.zero_is_all = True
    assert len(store.all("a")) == 61


def test_the_kinds_take_turns_and_hits_are_whole(start: Start) -> None:
    store = start()
    for number in range(4):
        store.tell("a", f"Fact{number} is number {number}.", id=f"s{number}")
    store.ask("settle", scope="a")
    assert [len(store.find("a", "number 2", k)) for k in (1, 3, 8, 20)] == [1, 3, 8, 8]
    assert texts(store.find("a", "number 2", 2)) == [
        "Fact2 is number 2.\nFact2 is number 2. It was told in a chat.",
        "Fact2\nFact2 is number 2.",
    ]


def test_one_kind_can_be_searched_alone(start: Start) -> None:
    store = start(kinds="semantic")
    store.tell("a", "Kettle is in the attic.", "Odo rows at six.")
    store.ask("settle", scope="a")
    assert texts(store.find("a", "Odo rows", 5)) == ["Kettle\nKettle is in the attic."]


def test_a_failed_search_is_an_error(start: Start) -> None:
    store = start(method="broken")
    with pytest.raises(RuntimeError, match="MIRIX's search failed: embedding is not supported"):
        store.find("a", "kettle")


def test_a_failed_write_is_not_repeated(start: Start, mirix: Mirix) -> None:
    store = start()
    mirix.routes.insert(0, ("POST", "/memory/add", _broken))
    with pytest.raises(RuntimeError, match="503"):
        store.tell("a", "The kettle is in the attic.")
    assert len(mirix.asked("POST", "/memory/add")) == 1


def _broken(call: Call) -> Any:
    raise Problem(503, {"detail": "broken"})


def test_two_interleaved_stores_never_meet(start: Start) -> None:
    store = start()
    for number in range(3):
        store.tell("a", f"Anna fact {number}.", id=f"s{number}")
        store.tell("b", f"Boris fact {number}.", id=f"s{number}")
    store.ask("settle", scope="b")
    store.ask("settle", scope="a")
    assert all("Anna" in text for text in texts(store.all("a")) + texts(store.find("a", "Boris fact", 9)))
    assert all("Boris" in text for text in texts(store.all("b")) + texts(store.find("b", "Anna fact", 9)))
    assert len(store.all("a")) == len(store.all("b")) == 6


@pytest.mark.parametrize("clear", [True, False])
def test_reset_deletes_by_whichever_name_the_server_knows(start: Start, mirix: Mirix, clear: bool) -> None:
    if clear:
        mirix.routes.append(("POST", "/memory/clear", lambda call: mirix.users.pop(call.body["user_id"]) and None))
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.tell("b", "Odo rows at six.")
    store.ask("settle", scope="a")
    store.ask("settle", scope="b")
    store.ask("reset", scope="a")
    assert len(mirix.users) == 1
    assert store.all("a") == []
    assert len(store.all("b")) == 2
    store.ask("bye")
    store.process.wait()
    assert not mirix.users


def test_an_empty_store_is_empty(start: Start) -> None:
    store = start()
    store.ask("settle", scope="a")
    assert store.all("a") == store.find("a", "anything") == store.find("a", " ") == []


def test_the_agents_get_the_configuration_of_a_file(start: Start, mirix: Mirix, tmp_path: Path) -> None:
    file = tmp_path / "mirix.yaml"
    file.write_text(json.dumps(CONFIG))
    start(config=str(file))
    assert mirix.asked("POST", "/agents/meta/initialize")[0].body["config"] == CONFIG


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"address": ""}, "mirix:address="),
        ({"provider": ""}, "mirix:config=FILE or mirix:provider="),
        ({"config": "/no/such.yaml"}, "config=/no/such.yaml can't be read"),
    ],
)
def test_what_is_wrong_is_named(start: Start, options: dict[str, str], said: str) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start(**options)


def test_an_address_that_refuses_is_named(start: Start) -> None:
    address = refusing_address()
    with pytest.raises(RuntimeError, match=f"refused: no MIRIX answers at {address}"):
        start(address=address)


@pytest.mark.parametrize(("key", "said"), [("wrong", "doesn't take the key in MIRIX_API_KEY"), ("", "needs a key")])
def test_a_wrong_key_is_named(start: Start, monkeypatch: pytest.MonkeyPatch, key: str, said: str) -> None:
    monkeypatch.setenv("MIRIX_API_KEY", key)
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start()
