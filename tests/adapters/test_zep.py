"""The real Zep client in its own environment, against a stand-in of the few endpoints of API v4 that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from services import Call, Problem, Service, nearness, refusing_address

Start = Callable[..., Any]
API = "/api/v4"


class Zep(Service):
    """Every user message becomes a fact once its task is done, which takes `slow` questions."""

    def __init__(self, key: str = "secret", slow: int = 2) -> None:
        super().__init__(f"Api-Key {key}")
        self.slow, self.outcome = slow, "succeeded"
        self.users: dict[str, list[dict[str, Any]]] = {}
        self.threads: dict[str, str] = {}
        self.tasks: dict[str, dict[str, Any]] = {}
        self.edges: dict[str, list[dict[str, Any]]] = {}
        self.nodes: dict[str, list[dict[str, Any]]] = {}
        self.ids = count()
        graph = rf"{API}/graphs/([^/]+)"
        self.routes = [
            ("POST", f"{API}/users", self.create_user),
            ("POST", f"{API}/users/list", lambda call: {"items": []}),
            ("DELETE", rf"{API}/users/([^/]+)", self.delete_user),
            ("POST", f"{API}/threads", self.create_thread),
            ("POST", rf"{API}/threads/([^/]+)/messages", self.add),
            ("GET", rf"{API}/tasks/([^/]+)", self.task),
            ("POST", f"{graph}/edges/list", lambda call, id: self.paged(call, self.edges[id], 100)),
            ("POST", f"{graph}/nodes/list", lambda call, id: self.paged(call, self.nodes[id], 100)),
            ("POST", f"{graph}/episodes/list", lambda call, id: self.paged(call, self.users[id], 100)),
            ("POST", f"{graph}/search/edges", lambda call, id: self.search(call, self.edges[id], "fact")),
            ("POST", f"{graph}/search/nodes", lambda call, id: self.search(call, self.nodes[id], "name")),
        ]

    def create_user(self, call: Call) -> Any:
        id = str(uuid4())
        self.users[id], self.edges[id] = [], []
        own = {"uuid": str(uuid4()), "name": "User", "episode_uuids": [], "episode_uuids_truncated": False}
        self.nodes[id] = [own]
        return {"uuid": id, "graph_uuid": id}

    def delete_user(self, call: Call, user: str) -> Any:
        return {"task": self.queue("user_delete", lambda: [held.pop(user) for held in (self.users, self.edges)])}

    def create_thread(self, call: Call) -> Any:
        id = str(uuid4())
        self.threads[id] = call.body["user_uuid"]
        return {"uuid": id, "user_uuid": call.body["user_uuid"]}

    def add(self, call: Call, thread: str) -> Any:
        said = call.body["messages"]
        if len(said) > 30 or any(len(message["content"]) > 4096 for message in said):
            raise Problem(400, {"code": "too_much", "message": "30 messages of 4096 characters at most"})
        kept = [{**message, "uuid": str(uuid4())} for message in said]
        user = self.threads[thread]
        return {"messages": kept, "task": self.queue("messages", lambda: [self.take(user, each) for each in kept])}

    def take(self, user: str, message: dict[str, Any]) -> None:
        self.users[user].append({**message, "processed": True})
        if message["role"] != "user":
            return
        text, at = message["content"], message.get("reference_time")
        if ended := next((edge for edge in self.edges[user] if text == f"No longer: {edge['fact']}"), None):
            ended["invalid_at"] = at
            return
        made = {"uuid": f"edge-{next(self.ids)}", "fact": text, "valid_at": at, "episode_uuids": [message["uuid"]]}
        self.edges[user].append(made)
        node = {"uuid": f"node-{next(self.ids)}", "name": text.split()[0], "summary": f"Said: {text}"}
        self.nodes[user].append({**node, "episode_uuids": [message["uuid"]], "episode_uuids_truncated": False})

    def queue(self, kind: str, work: Callable[[], Any]) -> dict[str, Any]:
        id = str(uuid4())
        self.tasks[id] = {"left": self.slow, "work": work, "type": kind}
        return {"uuid": id, "type": kind, "status": "pending"}

    def task(self, call: Call, id: str) -> Any:
        task = self.tasks[id]
        task["left"] -= 1
        if task["left"] > 0:
            return {"uuid": id, "status": "processing"}
        if self.outcome == "succeeded":
            task["work"]()
        error = {"message": "the extraction ran aground"} if self.outcome == "failed" else None
        return {"uuid": id, "status": self.outcome, "type": task["type"], "error": error}

    def paged(self, call: Call, held: list[dict[str, Any]], most: int) -> Any:
        size, start = int(call.query.get("page_size", 50)), int(call.query.get("cursor", 0))
        if not 0 < size <= most:
            raise Problem(400, {"code": "invalid_page_size", "message": f"page_size is at most {most}"})
        page = {"items": held[start : start + size]}
        return {**page, "next_cursor": str(start + size)} if start + size < len(held) else page

    def search(self, call: Call, held: list[dict[str, Any]], field: str) -> Any:
        if len(call.body["query"]) > 400:
            raise Problem(400, {"code": "invalid_query", "message": "400 characters at most"})
        scored = [{**each, "score": nearness(call.body["query"], str(each.get(field)))} for each in held]
        return self.paged(call, sorted(scored, key=lambda each: -each["score"]), 50)


@pytest.fixture
def zep() -> Iterator[Zep]:
    with Zep() as service:
        yield service


@pytest.fixture
def start(adapter: Start, zep: Zep, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.setenv("ZEP_API_KEY", "secret")

    def started(**options: str) -> Any:
        chosen = {"address": zep.url, "poll": "0.01", **options}
        return adapter("zep", options=chosen, internal=False, embed=False)

    return started


def texts(memories: list[Any]) -> list[str]:
    return [memory["text"] for memory in memories]


def test_messages_are_handed_over_and_settle_waits_until_they_are_taken_in(start: Start, zep: Zep) -> None:
    zep.slow = 5
    store = start(list="facts")
    store.tell("a", "The kettle is in the attic.")
    assert store.all("a") == []
    store.ask("settle", scope="a")
    (memory,) = store.all("a")
    assert memory["text"] == "The kettle is in the attic."
    assert memory["created_at"] == "2026-03-02T09:00:00+00:00"
    assert memory["sources"] == ["s1/0"]
    sent = zep.asked("POST", ".*/messages")[0].body["messages"]
    assert [(message["role"], message["reference_time"]) for message in sent] == [
        ("user", "2026-03-02T09:00:00+00:00"),
        ("assistant", "2026-03-02T09:00:00+00:00"),
    ]
    assert len(zep.asked("GET", ".*/tasks/.*")) == 5
    store.ask("settle", scope="a")
    assert len(zep.asked("GET", ".*/tasks/.*")) == 5


def test_a_settle_that_takes_too_long_is_an_error_and_may_be_asked_for_again(start: Start, zep: Zep) -> None:
    zep.slow = 10**6
    store = start(wait="0.05", list="facts")
    store.tell("a", "The kettle is in the attic.")
    with pytest.raises(RuntimeError, match=r"TimeoutError: .*still at work on 1 calls.*wait="):
        store.ask("settle", scope="a")
    assert len(zep.asked("GET", ".*/tasks/.*")) < 50
    zep.tasks[next(iter(zep.tasks))]["left"] = 1
    store.ask("settle", scope="a")
    assert len(store.all("a")) == 1


def test_a_failed_extraction_is_told(start: Start, zep: Zep) -> None:
    zep.outcome = "failed"
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    assert store.troubles == ["Zep says failed of messages: the extraction ran aground"]


def test_each_session_is_a_thread_and_every_page_is_listed(start: Start, zep: Zep) -> None:
    store = start(page="3")
    for number in range(8):
        store.tell("a", f"Fact{number} is number {number}.", id=f"s{number}")
    store.ask("settle", scope="a")
    listed = texts(store.all("a"))
    assert len(zep.threads) == 8
    assert listed == [f"Fact{n} is number {n}." for n in range(8)] + [
        f"Fact{n}: Said: Fact{n} is number {n}." for n in range(8)
    ]


def test_long_sessions_and_long_turns_are_cut_up_and_lose_nothing(start: Start, zep: Zep) -> None:
    store = start(list="episodes")
    long = "".join(f"word{n} " for n in range(2000)).strip()
    store.tell("a", long, *[f"Fact {n}." for n in range(40)])
    store.ask("settle", scope="a")
    listed = store.all("a")
    parts = [memory for memory in listed if memory["sources"] == ["s1/0"]]
    assert "".join(texts(parts)) == long
    assert [turn for memory in listed[len(parts) :] for turn in memory["sources"]] == [f"s1/{n}" for n in range(1, 82)]
    assert len(zep.threads) == 1


def test_k_is_k_over_pages_of_a_search(start: Start) -> None:
    store = start()
    store.tell("a", *[f"Fact number {n}." for n in range(70)])
    store.ask("settle", scope="a")
    assert [len(store.find("a", "fact number 3", k)) for k in (1, 10, 60, 99)] == [1, 10, 60, 70]
    best = store.find("a", "fact number 3", 1)[0]
    assert (best["text"], best["score"]) == ("Fact number 3.", 1.0)


def test_entities_can_be_searched_too(start: Start) -> None:
    store = start(search="combined")
    store.tell("a", "Kettle is in the attic.", "Odo rows at six.")
    store.ask("settle", scope="a")
    assert texts(store.find("a", "kettle", 2)) == ["Kettle is in the attic.", "Kettle: Said: Kettle is in the attic."]


def test_a_fact_that_ended_says_so(start: Start) -> None:
    store = start(list="facts")
    store.tell("a", "Mira lives in Rome.")
    store.tell("a", "No longer: Mira lives in Rome.", id="s2", timestamp="2026-04-01T08:00:00")
    store.ask("settle", scope="a")
    assert texts(store.all("a")) == ["Mira lives in Rome. (until 2026-04-01)"]
    assert texts(store.find("a", "Mira")) == ["Mira lives in Rome. (until 2026-04-01)"]


def test_a_query_that_is_too_long_is_cut_and_that_is_told(start: Start) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    assert len(store.find("a", "kettle " * 100)) == 1
    assert store.troubles == ["Zep takes queries of 400 characters; one of 700 was cut"]


def test_two_interleaved_stores_never_meet(start: Start) -> None:
    store = start()
    for number in range(3):
        store.tell("a", f"Anna fact {number}.", id=f"s{number}")
        store.tell("b", f"Boris fact {number}.", id=f"s{number}")
    store.ask("settle", scope="b")
    store.ask("settle", scope="a")
    assert all("Anna" in text for text in texts(store.all("a")) + texts(store.find("a", "Boris fact", 9)))
    assert all("Boris" in text for text in texts(store.all("b")) + texts(store.find("b", "Anna fact", 9)))


def test_reset_deletes_the_user_and_waits_for_it(start: Start, zep: Zep) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.tell("b", "Odo rows at six.")
    store.ask("settle", scope="b")
    assert len(zep.users) == 2
    store.ask("reset", scope="a")
    assert len(zep.users) == 1
    assert store.all("a") == []
    assert len(store.find("b", "Odo")) == 1
    store.ask("bye")
    store.process.wait()
    assert not zep.users


def test_an_empty_store_is_empty(start: Start) -> None:
    store = start()
    store.ask("settle", scope="a")
    assert store.all("a") == store.find("a", "anything") == store.find("a", " ") == []


def test_a_question_writes_nothing(start: Start, zep: Zep) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    before = store.all("a")
    store.find("a", "Where is the kettle?")
    assert store.all("a") == before
    assert len(zep.asked("POST", ".*/messages")) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"address": ""}, "zep:address="),
        ({"search": "all"}, "say edges, nodes, combined"),
        ({"list": "facts+rumours"}, "join some of facts, entities, episodes"),
    ],
)
def test_what_is_wrong_is_named(start: Start, options: dict[str, str], said: str) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start(**options)


def test_an_address_that_refuses_is_named(start: Start) -> None:
    address = refusing_address()
    with pytest.raises(RuntimeError, match=f"refused: no Zep answers at {address}"):
        start(address=address)


def test_an_address_of_another_api_is_named(start: Start, zep: Zep) -> None:
    with pytest.raises(RuntimeError, match=r"refused: .*doesn't speak Zep's API v4"):
        start(address=f"{zep.url}/api/v2")


@pytest.mark.parametrize(("key", "said"), [("wrong", "doesn't take the key in ZEP_API_KEY"), ("", "set ZEP_API_KEY")])
def test_a_wrong_key_is_named(start: Start, monkeypatch: pytest.MonkeyPatch, key: str, said: str) -> None:
    monkeypatch.setenv("ZEP_API_KEY", key)
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start()
