"""The real graphrag of Microsoft, in files and LanceDB: what it indexes, adds and finds, and what it would hide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtriage.models.scripted import Reply, Request
from memtriage.models.scripted.memory import memory

ODO = "Odo rows across the harbour before 7 am."
KETTLE = "The green kettle stands in the attic."
SHIP = "Marta sold the boat to a teacher from Ghent."
BUYER = "Who bought the boat from Marta?"
LATER = "2026-04-05T09:00:00+00:00"


def texts(memories: list[Any]) -> list[str]:
    return [each["text"] for each in memories]


def kinds(memories: list[Any]) -> Counter[str]:
    return Counter(each["id"].partition(":")[0] if ":" in each["id"] else "unit" for each in memories)


def chunks_read(adapter: Any) -> int:
    """How many times the model was given a chunk to extract a graph from."""
    every = [request.body["messages"] for request in adapter.server.requests if "messages" in request.body]
    return sum(len(messages) == 1 and "-Real Data-" in str(messages[0]["content"]) for messages in every)


def question(text: str = BUYER, k: int = 1) -> dict[str, Any]:
    session = {"id": "q", "timestamp": "2026-05-01", "turns": []}
    return {"query": text, "k": k, "choices": [], "instruction": "Be brief.", "session": session}


def test_what_was_said_is_indexed_when_settled_and_later_sessions_are_added(adapter: Callable[..., Any]) -> None:
    rag = adapter("microsoft-graphrag")
    rag.tell("a", ODO, KETTLE, id="s1")
    rag.tell("a", SHIP, id="s2", timestamp=LATER)
    assert rag.all("a") == []
    rag.ask("settle", scope="a")
    listed = {each["id"]: each for each in rag.all("a")}
    assert kinds(rag.all("a")) == {"unit": 2, "relation": 3, "entity": 4, "report": 1}
    assert listed["relation:USER - IN THE ATTIC"]["text"] == f"USER - IN THE ATTIC: {KETTLE}"
    assert listed["relation:USER - IN THE ATTIC"]["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    assert listed["entity:TEACHER FROM GHENT"]["created_at"] == LATER
    found = rag.find("a", BUYER, k=1)
    assert kinds(found) == {"unit": 1, "relation": 1, "entity": 1, "report": 1}
    assert found[0]["sources"] == ["s2/0", "s2/1"]
    assert {each["id"] for each in found} <= set(listed)
    assert chunks_read(rag) == 2

    rag.tell("a", "Ines keeps bees on the roof of the boat.", id="s3")
    assert "bees" in rag.find("a", "Who keeps bees?", k=1)[0]["text"], "a question has waiting sessions indexed first"
    assert chunks_read(rag) == 3, "what was indexed before is not read again"
    assert kinds(rag.all("a")) == {"unit": 3, "relation": 4, "entity": 5, "report": 2}
    assert set(listed) <= {each["id"] for each in rag.all("a")}
    assert (rag.troubles, rag.hello["version"]) == ([], "3.3.0")


def test_k_counts_each_kind_or_with_shared_all_of_them(adapter: Callable[..., Any]) -> None:
    rag = adapter("microsoft-graphrag")
    for number, said in enumerate((ODO, KETTLE, SHIP)):
        rag.tell("a", said, id=f"s{number}")
    assert kinds(rag.find("a", BUYER, k=2)) == {"unit": 2, "relation": 2, "entity": 2, "report": 1}
    assert kinds(rag.find("a", BUYER, k=None)) == kinds(rag.all("a")), "12,000 tokens hold all of it"
    answered = rag.ask("answer", scope="a", **question())
    assert SHIP in answered["text"]
    assert {each["id"] for each in answered["memories"]} == {each["id"] for each in rag.all("a")}
    sent = [str(request.body["messages"]) for request in rag.server.requests if request.body.get("stream")]
    assert "The question is asked on 2026-05-01. Be brief." in sent[-1]
    shared = adapter("microsoft-graphrag", options={"k": "shared", "kinds": "relations+entities", "gleaning": "0"})
    shared.tell("a", ODO, KETTLE, SHIP)
    assert kinds(shared.find("a", BUYER, k=3)) == {"relation": 2, "entity": 1}
    assert shared.server.count(path="/chat/completions") == 2, "one chunk, one report"


def test_global_search_brings_points_and_drift_search_answers(adapter: Callable[..., Any]) -> None:
    rag = adapter("microsoft-graphrag", options={"search": "global"})
    rag.tell("a", ODO, SHIP)
    (point,) = rag.find("a", BUYER, k=3)
    assert (point["text"], point["score"]) == (f"{SHIP} [Data: Reports (0)]", 40.0)
    assert point["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    answered = rag.ask("answer", scope="a", **question())
    assert SHIP in answered["text"]
    assert texts(answered["memories"]) == [point["text"]]
    drift = adapter("microsoft-graphrag", options={"search": "drift", "folds": "1", "depth": "1", "followups": "2"})
    drift.tell("a", ODO, SHIP)
    first, second = drift.find("a", BUYER, k=3)
    assert SHIP in first["text"], "the answer that is rated highest"
    assert second["text"] == f"Asked: {BUYER}", "what the model said when it saw the reports"
    assert (first["score"], second["score"]) == (50.0, 10.0)
    calls = drift.server.count(path="/chat/completions")
    assert drift.find("a", BUYER, k=1) == [first]
    assert drift.server.count(path="/chat/completions") - calls == 3, "a made-up answer, the reports, one question"
    assert SHIP in drift.ask("answer", scope="a", **question())["text"]
    assert rag.troubles == drift.troubles == []


def test_scopes_never_meet_and_a_saved_store_comes_back(adapter: Callable[..., Any], tmp_path: Path) -> None:
    rag = adapter("microsoft-graphrag")
    rag.tell("a", ODO)
    rag.tell("b", KETTLE)
    for scope in "ab":
        rag.ask("settle", scope=scope)
    rag.tell("a", SHIP, id="s2")
    assert "kettle" not in " ".join(texts(rag.find("a", "kettle Odo boat", k=20)))
    assert "rows" not in " ".join(texts(rag.find("b", "kettle Odo boat", k=20)))
    listed = rag.all("a")
    assert SHIP in " ".join(texts(listed))
    rag.tell("a", "Ines keeps bees on the roof of the boat.", id="s3")
    rag.ask("save", scope="a", path=str(tmp_path / "kept"))
    rag.ask("reset", scope="a")
    assert (rag.all("a"), rag.find("a", "When does Odo row?")) == ([], [])
    rag.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert rag.all("b") == listed
    assert "bees" in rag.find("b", "Who keeps bees?", k=1)[0]["text"], "what waited is indexed after a load, too"
    assert KETTLE not in " ".join(texts(rag.all("b")))


def test_what_the_library_would_hide_is_told(adapter: Callable[..., Any]) -> None:
    def broken(request: Request) -> Any:
        if "-Real Data-" in request.last_user and SHIP in request.last_user:
            return Reply("no", status=400)
        return "<|COMPLETE|>" if "-Real Data-" in request.last_user and "Hm." in request.last_user else memory(request)

    rag = adapter("microsoft-graphrag", script=broken)
    rag.tell("a", "Hm.")
    rag.ask("settle", scope="a")
    assert any("No entities detected" in each and "wait for the next ones: 1" in each for each in rag.troubles)
    assert rag.all("a") == []
    rag.tell("a", ODO, id="s2")
    rag.ask("settle", scope="a")
    assert kinds(rag.all("a"))["unit"] == 2, "the sessions that waited came with the next one"
    rag.troubles.clear()
    rag.tell("a", SHIP, id="s3")
    rag.tell("a", KETTLE, id="s4")
    rag.ask("settle", scope="a")
    assert any("error extracting graph" in each for each in rag.troubles)
    assert f"USER - IN THE ATTIC: {KETTLE}" in texts(rag.all("a"))


def apart(request: Request) -> Any:
    """A model that finds two parts without a link, the larger one about Odo."""
    if "-Real Data-" not in request.last_user:
        return memory(request)
    entities = [f'("entity"<|>{name}<|>PERSON<|>{name} is here.)' for name in ("ODO", "PIP", "IDA", "KAI", "LEA")]
    pairs = (("ODO", "PIP"), ("ODO", "IDA"), ("KAI", "LEA"))
    relations = [f'("relationship"<|>{one}<|>{other}<|>{one} knows {other}.<|>5)' for one, other in pairs]
    return "\n##\n".join([*entities, *relations])


@pytest.mark.parametrize("whole", ["false", "true"])
def test_only_the_largest_connected_part_is_found(adapter: Callable[..., Any], whole: str) -> None:
    rag = adapter("microsoft-graphrag", script=apart, options={"kinds": "entities", "whole_graph": whole})
    rag.tell("a", "Odo knows Pip and Ida. Kai knows Lea.")
    found = {each["id"].removeprefix("entity:") for each in rag.find("a", "Whom does Kai know?", k=10)}
    assert len(rag.all("a")) == 5
    assert found == {"ODO", "PIP", "IDA"} | ({"KAI", "LEA"} if whole == "true" else set())


def test_everything_can_be_indexed_anew(adapter: Callable[..., Any]) -> None:
    rag = adapter("microsoft-graphrag", options={"update": "rebuild", "gleaning": "0"})
    rag.tell("a", ODO)
    rag.ask("settle", scope="a")
    rag.tell("a", SHIP, id="s2")
    rag.ask("settle", scope="a")
    assert kinds(rag.all("a")) == {"unit": 2, "relation": 2, "entity": 3, "report": 1}, "one report on all of it"
    assert chunks_read(rag) == 2, "the library keeps the replies for what it read before"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"options": {"search": "psychic"}}, "local or global"),
        ({"options": {"kinds": "dreams"}}, "units, relations, entities, reports"),
        ({"options": {"overlap": "some"}}, "number"),
    ],
)
def test_what_does_not_fit_is_refused(adapter: Callable[..., Any], given: dict[str, Any], told: str) -> None:
    with pytest.raises(RuntimeError, match=told) as refused:
        adapter("microsoft-graphrag", **given)
    assert "refused" in str(refused.value)
