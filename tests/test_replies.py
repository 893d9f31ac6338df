"""Replies of the answering model, stored with what users say: asked for once, recorded, paid for, and never facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage import api
from memtriage.core.errors import BadInput
from memtriage.models.scripted import Reply, StubServer, content
from memtriage.record.reader import RunReader

MEMORIES = '''
class All:
    """Keeps every turn, or only those of one role."""
    role = None
    def __init__(self):
        self.kept = []
    def store_conversation(self, conversation):
        self.kept += [turn.text for turn in conversation.turns if self.role in (None, turn.role)]
    def retrieve_memories(self, query, conversation, k):
        return self.kept[:k]
    def get_all_memories(self):
        return self.kept

class Replies(All):
    role = "assistant"
'''


def script(request: Any) -> Any:
    """Repeats what the user said last; answers questions with a shrug."""
    last = request.body["messages"][-1]["content"]
    return {"answer": "I can't say.", "used": []} if "<<<DATA" in last else f"Understood: {last}"


@pytest.fixture
def server(place: Place) -> Iterator[StubServer]:
    place.write("mems.py", MEMORIES)
    with StubServer(script) as server:
        yield server


def stored(path: str) -> list[list[tuple[str, str]]]:
    """What the sessions of a run hold: roles and texts."""
    with RunReader(api.Path(path)) as reader:
        episodes = [reader.episode(id) for _, id in reader.units]
    return [[(turn.role, turn.text) for turn in s.turns] for episode in episodes for s in episode.sessions]


def made(server: StubServer, out: str, system: str = "All", **more: Any) -> api.Run:
    options = {"suite": "memfail/coexisting", "rows": 2, "k": [99], "answer": f"{server.url}#reader", **more}
    return api.run(f"mems.py:{system}", out=out, **options)


def replied(server: StubServer) -> list[list[dict[str, str]]]:
    """The messages of every request for a reply."""
    asked = [request.body["messages"] for request in server.requests]
    return [messages for messages in asked if "<<<DATA" not in messages[-1]["content"]]


def test_each_reply_is_stored_after_what_the_user_said(server: StubServer) -> None:
    run = made(server, "run", options={"replies": "yes"})
    plain = made(server, "plain")
    said = [text for [(_, text)] in stored("plain")]
    assert stored("run") == [[("user", text), ("assistant", f"Understood: {text}")] for text in said]
    assert [[m["role"] for m in messages] for messages in replied(server)] == [["system", "user"]] * len(said)
    assert sorted(messages[1]["content"] for messages in replied(server)) == sorted(said)
    assert {store.memories for store in run.stores()} == {2 * len(said)}
    assert run.manifest["tasks"]["memfail/coexisting"]["replies"] == "the answering model's"
    assert "replies" not in plain.manifest["tasks"]["memfail/coexisting"]


def test_replies_are_on_the_bill_and_asked_for_once(server: StubServer) -> None:
    run = made(server, "run", options={"replies": "yes"})
    assert run.cost is not None
    calls = run.cost["roles"]["answer"]["reply"]
    assert (calls["calls"], calls["cached"]) == (len(stored("run")), 0)
    asked = len(server.requests)
    assert [v.verdict for v in api.resume("run").verdicts()] == [v.verdict for v in run.verdicts()]
    again = made(server, "again", options={"replies": "yes"})  # the cache has them all
    assert len(server.requests) == asked
    assert stored("again") == stored("run")
    assert again.cost is not None
    assert again.cost["roles"]["answer"]["reply"]["cached"] == len(stored("run"))


def test_a_conversation_of_several_turns_goes_on(server: StubServer) -> None:
    made(server, "run", options={"replies": "yes", "facts_per_conversation": "2"})
    longest = max(stored("run"), key=len)
    assert [role for role, _ in longest] == ["user", "assistant"] * 2
    [second] = [m for m in replied(server) if len(m) == 4 and m[1]["content"] == longest[0][1]]
    assert [(m["role"], m["content"]) for m in second[1:]] == longest[:3]


def test_the_papers_way_stores_replies_unless_told_otherwise(server: StubServer) -> None:
    made(server, "exact", paper_exact=True)
    assert {len(turns) for turns in stored("exact")} == {2}
    made(server, "without", paper_exact=True, options={"replies": "no"})
    made(server, "nobody", paper_exact=True, answer="")
    assert {len(turns) for name in ("without", "nobody") for turns in stored(name)} == {1}


def test_a_memory_that_keeps_only_the_reply_has_what_it_repeats(server: StubServer) -> None:
    run = made(server, "run", "Replies", options={"replies": "yes"})
    assert [v.verdict for v in run.verdicts()] == ["correct"] * 2
    whole = made(server, "whole", options={"replies": "yes"})
    assert [v.verdict for v in whole.verdicts()] == ["correct"] * 2


def test_replies_need_a_model_that_replies(server: StubServer, cli: Cli, place: Place) -> None:
    flags = ["run", "--suite", "memfail/coexisting", "--rows", "2", "--system", "bm25", "--out", "run"]
    assert "name one: --answer" in cli(*flags, "--replies", "yes", code=1).err
    assert "replies is yes or no, not 'maybe'" in cli(*flags, "--replies", "maybe", code=1).err
    assert "--replies no" in cli(*flags, "--replies", "yes", "--answer", "offline/later", code=1).err
    with StubServer(lambda _: Reply("no", status=400)) as broken:
        told = cli(*flags, "--replies", "yes", "--answer", f"{broken.url}#x", code=None)
    assert told.code != 0
    assert "did not reply to what is stored as s0" in told.err
    assert not (place.path / "run").exists()  # nothing that could pass for a run without replies
    with pytest.raises(BadInput, match="replies"):
        api.run("bm25", suite="memfail/coexisting", rows=2, options={"replies": "yes"})


def test_the_estimate_has_the_replies(server: StubServer, cli: Cli) -> None:
    model = f"{server.url}#reader"
    flags = ["run", "--suite", "memfail/coexisting", "--rows", "2", "--system", "mems.py:All", "--k", "99"]
    dry = json.loads(cli(*flags, "--answer", model, "--replies", "yes", "--dry-run", "--json").out)
    assert not server.requests
    made(server, "run", options={"replies": "yes"})
    [row] = [row for row in dry["rows"] if row["stage"] == "reply"]
    assert row["calls"] == [len(replied(server))] * 2


def test_the_scripted_reader_replies_too(server: StubServer) -> None:
    server.script = content
    made(server, "run", options={"replies": "yes"})
    assert {text for turns in stored("run") for role, text in turns if role == "assistant"} == {
        "I'll keep that in mind."
    }
