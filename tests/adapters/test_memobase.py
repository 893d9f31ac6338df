"""The real Memobase client in its own environment, against a stand-in of the few endpoints that it asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from services import Call, Problem, Service, nearness, refusing_address

Start = Callable[..., Any]
API = "/api/v1"
NOW = "2026-11-15T00:00:00Z"


class Memobase(Service):
    """Chats wait in a buffer of three; when it is emptied, each becomes an event, and each user message a gist.

    A message "NAME likes THING" also becomes a profile entry.
    """

    def __init__(self, key: str = "secret") -> None:
        super().__init__(f"Bearer {key}")
        self.users: dict[str, dict[str, list[Any]]] = {}
        self.still: list[list[str]] = []
        self.failed: list[str] = []
        user = rf"{API}/users/%s/([^/]+)"
        self.routes = [
            ("GET", f"{API}/project/profile_config", lambda call: _ok({"profile_config": ""})),
            ("POST", f"{API}/users", self.create),
            ("DELETE", rf"{API}/users/([^/]+)", lambda call, id: _ok(self.users.pop(id) and None)),
            ("POST", rf"{API}/blobs/insert/([^/]+)", self.insert),
            ("POST", user % "buffer" + "/chat", self.flush),
            ("GET", user % "buffer/capacity" + "/chat", self.buffer),
            ("GET", user % "profile", self.profile),
            ("GET", user % "event", self.events),
            ("GET", user % "event_gist/search", self.search),
        ]

    def create(self, call: Call) -> Any:
        UUID(call.body["id"])
        self.users[call.body["id"]] = {"buffer": [], "profile": [], "events": [], "gists": []}
        return _ok({"id": call.body["id"]})

    def insert(self, call: Call, user: str) -> Any:
        held = self.users[user]
        held["buffer"].append(call.body["blob_data"]["messages"])
        if len(held["buffer"]) == 3:
            self.empty(held)
        return _ok({"id": str(uuid4())})

    def flush(self, call: Call, user: str) -> Any:
        if call.query["wait_process"] != "True":
            raise Problem(400, {"detail": "this stand-in has no background"})
        self.empty(self.users[user])
        return _ok([])

    def empty(self, held: dict[str, list[Any]]) -> None:
        for messages in held["buffer"]:
            said = [message["content"] for message in messages if message["role"] == "user"]
            tip = "\n".join(f"- {text}" for text in said)
            stamps = {"created_at": NOW, "updated_at": NOW}
            data = {"event_tip": tip, "profile_delta": [], "event_tags": []}
            held["events"].insert(0, {"id": str(uuid4()), "event_data": data, **stamps})
            held["gists"] += [{"id": str(uuid4()), "gist_data": {"content": f"- {text}"}, **stamps} for text in said]
            likes = [text for text in said if " likes " in text]
            topics = {"topic": "interest", "sub_topic": "likes"}
            held["profile"] += [{"id": str(uuid4()), "content": t, "attributes": topics, **stamps} for t in likes]
        held["buffer"].clear()

    def buffer(self, call: Call, user: str) -> Any:
        if call.query["status"] == "failed":
            return _ok({"ids": self.failed})
        return _ok({"ids": self.still.pop() if self.still and call.query["status"] == "processing" else []})

    def profile(self, call: Call, user: str) -> Any:
        held, room = self.users[user]["profile"], int(call.query["max_token_size"])
        if "chats_str" in call.query:
            asked = json.loads(call.query["chats_str"])[-1]["content"]
            held = [entry for entry in held if nearness(asked, entry["content"]) > 0]
        kept: list[Any] = []
        for entry in held:
            room -= len(entry["content"].split())
            kept += [entry] if room >= 0 else []
        return _ok({"profiles": kept})

    def events(self, call: Call, user: str) -> Any:
        return _ok({"events": self.users[user]["events"][: int(call.query["topk"])]})

    def search(self, call: Call, user: str) -> Any:
        asked, least = call.query["query"], float(call.query["similarity_threshold"])
        scored = [{**g, "similarity": nearness(asked, g["gist_data"]["content"])} for g in self.users[user]["gists"]]
        best = sorted((g for g in scored if g["similarity"] > least), key=lambda g: -g["similarity"])
        return _ok({"gists": best[: int(call.query["topk"])]})


def _ok(data: Any) -> dict[str, Any]:
    return {"data": data, "errno": 0, "errmsg": ""}


@pytest.fixture
def memobase() -> Iterator[Memobase]:
    with Memobase() as service:
        yield service


@pytest.fixture
def start(adapter: Start, memobase: Memobase, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.setenv("MEMOBASE_API_KEY", "secret")

    def started(**options: str) -> Any:
        chosen = {"address": memobase.url, "poll": "0.01", **options}
        return adapter("memobase", options=chosen, internal=False, embed=False)

    return started


def texts(memories: list[Any]) -> list[str]:
    return [memory["text"] for memory in memories]


def test_the_buffer_is_flushed_in_settle(start: Start, memobase: Memobase) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.")
    assert store.all("a") == []
    store.ask("settle", scope="a")
    assert texts(store.all("a")) == ["The kettle is in the attic."]
    sent = memobase.asked("POST", ".*/blobs/insert/.*")[0].body["blob_data"]["messages"]
    assert [(m["role"], m["content"], m["created_at"]) for m in sent] == [
        ("user", "The kettle is in the attic.", "2026-03-02T09:00:00+00:00"),
        ("assistant", "Noted.", "2026-03-02T09:00:00+00:00"),
    ]


def test_settle_waits_for_chats_under_way_and_tells_of_those_that_failed(start: Start, memobase: Memobase) -> None:
    memobase.still, memobase.failed = [["x"], ["x"]], ["y"]
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    assert memobase.still == []
    assert store.troubles == ["Memobase failed to take in 1 chats; its log says why"]
    memobase.still = [["x"]] * 10**4
    slow = start(wait="0.05")
    with pytest.raises(RuntimeError, match=r"TimeoutError: .*still at work on 1 chats.*wait="):
        slow.ask("settle", scope="a")


def test_everything_is_listed_beyond_the_limits_of_a_list(start: Start) -> None:
    store = start()
    likes = [f"Mira likes thing number {number} " + "very " * 60 + "much." for number in range(20)]
    for number, text in enumerate(likes):
        store.tell("a", text, f"Fact {number}.", id=f"s{number}")
    store.ask("settle", scope="a")
    listed = texts(store.all("a"))
    assert [text for text in listed if text.startswith("interest: likes - ")] == [
        f"interest: likes - {text}" for text in likes
    ]
    assert [text for text in listed if text.startswith("Fact")] == [f"Fact {number}." for number in range(20)]
    assert len({memory["id"] for memory in store.all("a")}) == len(listed) == 60


def test_a_note_has_one_name_listed_or_found(start: Start) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.", "Odo rows at six.", "Odo rows at six.")
    store.ask("settle", scope="a")
    found = store.find("a", "kettle attic", 1)[0]
    assert found["score"] == 1.0
    assert found["id"] in {memory["id"] for memory in store.all("a")}
    assert len({memory["id"] for memory in store.all("a")}) == 3


def test_k_is_k_and_the_profile_has_its_share(start: Start) -> None:
    store = start()
    store.tell("a", *[f"Mira likes thing {n}." for n in range(10)], *[f"Fact {n}." for n in range(10)])
    store.ask("settle", scope="a")
    assert [len(store.find("a", "Mira thing", k)) for k in (1, 5, 10, 30, 99)] == [1, 5, 10, 30, 30]
    found = store.find("a", "Mira thing 3", 5)
    assert [memory["score"] is None for memory in found] == [True, True, True, False, False]
    assert len(store.find("a", "nothing alike", 5)) == 5


@pytest.mark.parametrize("kind", ["profile", "events"])
def test_either_part_can_be_searched_alone(start: Start, kind: str) -> None:
    store = start(retrieve=kind)
    store.tell("a", "Mira likes tea.", "The kettle is in the attic.")
    store.ask("settle", scope="a")
    expected = ["interest: likes - Mira likes tea."] if kind == "profile" else ["Mira likes tea."]
    assert texts(store.find("a", "Mira tea", 1)) == expected


def test_a_query_arrives_as_it_was_asked(start: Start, memobase: Memobase) -> None:
    store = start()
    query = 'Was "R&D" 50% off #1 + \\more? ünïcode=1&topk=0'
    store.find("a", query)
    assert memobase.asked("GET", ".*/event_gist/search/.*")[-1].query["query"] == query
    assert json.loads(memobase.asked("GET", ".*/profile/.*")[-1].query["chats_str"])[0]["content"] == query


def test_two_interleaved_stores_never_meet(start: Start) -> None:
    store = start()
    for number in range(4):
        store.tell("a", f"Anna likes fact {number}.", id=f"s{number}")
        store.tell("b", f"Boris likes fact {number}.", id=f"s{number}")
    store.ask("settle", scope="b")
    store.ask("settle", scope="a")
    assert all("Anna" in text for text in texts(store.all("a")) + texts(store.find("a", "Boris fact", 9)))
    assert all("Boris" in text for text in texts(store.all("b")) + texts(store.find("b", "Anna fact", 9)))
    assert len(store.all("a")) == len(store.all("b")) == 8


def test_reset_deletes_the_user(start: Start, memobase: Memobase) -> None:
    store = start()
    store.tell("a", "The kettle is in the attic.")
    store.tell("b", "Odo rows at six.")
    store.ask("reset", scope="a")
    store.ask("settle", scope="b")
    assert len(memobase.users) == 1
    assert store.all("a") == []
    assert texts(store.all("b")) == ["Odo rows at six."]
    store.ask("bye")
    store.process.wait()
    assert not memobase.users


def test_an_empty_store_is_empty(start: Start) -> None:
    store = start()
    store.ask("settle", scope="a")
    assert store.all("a") == store.find("a", "anything") == store.find("a", " ") == []


def test_an_error_in_a_good_answer_is_an_error(start: Start, memobase: Memobase) -> None:
    store = start()
    memobase.routes.insert(0, ("GET", ".*/event_gist/search/.*", _disabled))
    with pytest.raises(RuntimeError, match="ServerError: Event embedding is not enabled"):
        store.find("a", "kettle")


def _disabled(call: Call) -> Any:
    return {"data": None, "errno": 501, "errmsg": "Event embedding is not enabled"}


@pytest.mark.parametrize(
    ("options", "said"), [({"address": ""}, "memobase:address="), ({"retrieve": "all"}, "say both, profile, events")]
)
def test_what_is_wrong_is_named(start: Start, options: dict[str, str], said: str) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start(**options)


def test_an_address_that_refuses_is_named(start: Start) -> None:
    address = refusing_address()
    with pytest.raises(RuntimeError, match=f"refused: no Memobase answers at {address}"):
        start(address=address)


@pytest.mark.parametrize(("key", "said"), [("wrong", "doesn't take the key in MEMOBASE_API_KEY"), ("", "needs a key")])
def test_a_wrong_key_is_named(start: Start, monkeypatch: pytest.MonkeyPatch, key: str, said: str) -> None:
    monkeypatch.setenv("MEMOBASE_API_KEY", key)
    with pytest.raises(RuntimeError, match=f"refused: .*{said}"):
        start()
