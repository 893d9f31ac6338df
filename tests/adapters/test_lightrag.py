"""The real lightrag-hku in its own files: what it stores, finds and forgets, and what its ways would hide."""

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


def texts(memories: list[Any]) -> list[str]:
    return [each["text"] for each in memories]


def test_what_was_said_is_listed_and_found_with_its_turns(adapter: Callable[..., Any]) -> None:
    rag = adapter("lightrag")
    rag.tell("a", ODO, KETTLE, id="s1", timestamp="2026-03-02T09:00:00+00:00")
    rag.tell("a", SHIP, id="s2", timestamp="2026-04-05T09:00:00+00:00")
    listed = {each["id"]: each for each in rag.all("a")}
    assert listed["relation:In The Attic - User"]["text"] == f"In The Attic - User: {KETTLE}"
    assert listed["relation:In The Attic - User"]["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    assert listed["entity:Teacher From Ghent"]["created_at"] == "2026-04-05T09:00:00+00:00"
    chunks = [each for id, each in listed.items() if "chunk" in id]
    assert [("2026-04-05" in each["text"], SHIP in each["text"]) for each in chunks] == [(False, False), (True, True)]
    found = rag.find("a", "Who bought the boat from Marta?", k=1)
    assert [SHIP in each["text"] for each in found] == [True, True, True]
    assert {each["id"].split(":")[0].split("-")[0] for each in found} == {"session", "relation", "entity"}
    assert {each["id"] for each in found} <= set(listed)
    assert found[0]["sources"] == ["s2/0", "s2/1"]
    assert rag.troubles == []
    assert rag.hello["version"]


def test_its_own_answer_comes_with_what_it_was_made_from(adapter: Callable[..., Any]) -> None:
    prompts: list[str] = []

    def answering(request: Request) -> Any:
        if SHIP in request.text and "Knowledge Graph Specialist" not in request.text:
            prompts.append(request.text)
            return "A teacher from Ghent."
        return memory(request)

    rag = adapter("lightrag", script=answering)
    asked = {"query": "Who bought the boat from Marta?", "k": 1, "choices": [], "instruction": "Be brief."}
    asked["session"] = {"id": "q", "timestamp": "2026-05-01", "turns": []}
    nothing = rag.ask("answer", scope="a", **asked)
    assert nothing["memories"] == []
    rag.tell("a", SHIP)
    answered = rag.ask("answer", scope="a", **asked)
    assert answered["text"] == "A teacher from Ghent."
    assert [SHIP in text for text in texts(answered["memories"])] == [True, True, True, False]  # and the user's entity
    assert "The question is asked on 2026-05-01. Be brief." in prompts[0]
    assert {each["id"] for each in answered["memories"]} <= {each["id"] for each in rag.all("a")}


def test_interleaved_scopes_never_meet(adapter: Callable[..., Any]) -> None:
    rag = adapter("lightrag")
    rag.tell("a", ODO)
    rag.tell("b", KETTLE)
    rag.tell("a", SHIP, id="s2")
    rag.tell("b", "Odo paints harbours in oil.", id="s2")
    ours, theirs = " ".join(texts(rag.all("a"))), " ".join(texts(rag.all("b")))
    assert "kettle" not in ours
    assert "oil" not in ours
    assert "rows" not in theirs
    assert "boat" not in theirs
    found = " ".join(texts(rag.find("a", "kettle Odo oil", k=20)))
    assert "rows" in found
    assert "kettle" not in found
    assert "oil" not in found


def test_a_reset_forgets_files_and_shared_tables(adapter: Callable[..., Any], tmp_path: Path) -> None:
    rag = adapter("lightrag")
    rag.tell("a", ODO)
    rag.tell("b", KETTLE)
    rag.ask("reset", scope="a")
    assert not (tmp_path / "lightrag-0" / "stores" / "a").exists()
    assert rag.all("a") == []
    assert rag.find("a", "When does Odo row?") == []
    rag.tell("a", SHIP)
    assert ODO not in " ".join(texts(rag.all("a")))
    assert KETTLE in " ".join(texts(rag.all("b")))


def test_a_session_that_fails_is_an_error_and_not_a_silence(adapter: Callable[..., Any]) -> None:
    def broken(request: Request) -> Any:
        return Reply("no", status=400) if SHIP in request.last_user else memory(request)

    rag = adapter("lightrag", script=broken)
    rag.tell("a", ODO)
    with pytest.raises(RuntimeError, match="400"):
        rag.tell("a", SHIP, id="s2")
    assert rag.troubles != []
    rag.tell("a", KETTLE, id="s3")
    for memories in (rag.all("a"), rag.find("a", "Who bought the boat from Marta?", k=20)):
        said = " ".join(texts(memories))
        assert ODO in said
        assert KETTLE in said
        assert SHIP not in said


def test_the_same_session_twice_is_kept_once(adapter: Callable[..., Any]) -> None:
    rag = adapter("lightrag", options={"kinds": "chunks"})
    rag.tell("a", KETTLE)
    rag.tell("a", KETTLE)
    assert len(rag.all("a")) == 1


def test_k_is_reached_with_what_is_far_from_the_query(adapter: Callable[..., Any]) -> None:
    rag = adapter("lightrag", options={"kinds": "relations"})
    rag.tell("a", ODO, KETTLE, SHIP)
    assert len(rag.find("a", "Where does the green kettle stand?", k=3)) == 3
    strict = adapter("lightrag", options={"kinds": "relations", "threshold": "0.6"})
    strict.tell("a", ODO, KETTLE, SHIP)
    assert len(strict.find("a", "zebra crossings", k=3)) < 3


def kinds(memories: list[Any]) -> Counter[str]:
    return Counter(each["id"].split(":")[0].split("-")[0] for each in memories)


def test_k_counts_each_list_or_with_shared_all_of_them(adapter: Callable[..., Any]) -> None:
    query = "Who bought the boat from Marta?"
    found = []
    for options in ({}, {"k": "shared"}):
        rag = adapter("lightrag", options=options)
        for number, said in enumerate((ODO, KETTLE, SHIP)):
            rag.tell("a", said, id=f"s{number}")
        found.append(rag.find("a", query, k=2))
    assert [kinds(each) for each in found] == [
        {"session": 2, "relation": 2, "entity": 2},
        {"session": 1, "relation": 1},
    ]
    assert found[0][:2] == found[1]
    assert (len(rag.find("a", query, k=4)), rag.hello["notices"]) == (4, [])


def test_without_a_k_it_is_what_the_library_hands_its_own_model(adapter: Callable[..., Any]) -> None:
    rag, near = adapter("lightrag", options={"threshold": "-1"}), adapter("lightrag")
    for store in (rag, near):
        for number, said in enumerate((ODO, KETTLE, SHIP)):
            store.tell("a", said, id=f"s{number}")
    everything = {each["id"] for each in rag.all("a")}
    assert {each["id"] for each in rag.find("a", "kettle", k=None)} == everything  # fewer than 40, 40 and 20
    beyond = near.find("a", "zebra crossings", k=None)
    assert len(beyond) < len(everything)  # least similarity 0.2
    assert len(near.find("a", "zebra crossings", k=40)) == len(everything)  # and afterwards none again


def test_naive_mode_finds_chunks_and_asks_no_model(adapter: Callable[..., Any]) -> None:
    rag = adapter("lightrag", options={"mode": "naive", "kinds": "chunks"})
    rag.tell("a", ODO)
    rag.tell("a", KETTLE, id="s2")
    calls = rag.server.count(path="/chat/completions")
    found = rag.find("a", "Where does the green kettle stand?", k=1)
    assert [KETTLE in text for text in texts(found)] == [True]
    assert rag.server.count(path="/chat/completions") == calls


def test_a_long_session_is_cut_and_its_chunks_know_their_turns(adapter: Callable[..., Any]) -> None:
    said = [f"Lock number {n} of the canal was opened in {1800 + n} by engineer number {n}." for n in range(40)]
    rag = adapter("lightrag", options={"kinds": "chunks", "chunk_tokens": "200", "overlap": "20"})
    rag.tell("a", *said)
    chunks = rag.all("a")
    assert len(chunks) > 4
    last = next(each for each in chunks if said[-1] in each["text"])
    assert "s1/78" in last["sources"]
    assert "s1/0" not in last["sources"]


def test_a_query_writes_nothing_and_repeats_itself(adapter: Callable[..., Any], tmp_path: Path) -> None:
    rag = adapter("lightrag")
    rag.tell("a", ODO, KETTLE)
    files = sorted((tmp_path / "lightrag-0" / "stores" / "a").rglob("*.*"))
    before = [path.read_bytes() for path in files]
    assert rag.find("a", "Where is the kettle?") == rag.find("a", "Where is the kettle?")
    assert [path.read_bytes() for path in files] == before


def test_a_saved_store_comes_back_in_another_scope(adapter: Callable[..., Any], tmp_path: Path) -> None:
    rag = adapter("lightrag")
    rag.tell("a", ODO, KETTLE)
    listed = rag.all("a")
    rag.ask("save", scope="a", path=str(tmp_path / "kept"))
    rag.ask("reset", scope="a")
    rag.tell("b", SHIP)
    rag.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert rag.all("b") == listed
    assert KETTLE in rag.find("b", "Where does the green kettle stand?", k=1)[0]["text"]
    rag.tell("b", SHIP, id="s2")
    assert len(rag.all("b")) > len(listed)


def test_the_json_extraction_works_too(adapter: Callable[..., Any]) -> None:
    rag = adapter("lightrag", options={"json": "true", "gleaning": "0"})
    rag.tell("a", KETTLE)
    assert f"In The Attic - User: {KETTLE}" in texts(rag.all("a"))
    assert rag.server.count(path="/chat/completions") == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"options": {"mode": "psychic"}}, "mix or naive"),
        ({"options": {"kinds": "dreams"}}, "chunks, relations, entities"),
        ({"options": {"overlap": "some"}}, "number"),
    ],
)
def test_what_does_not_fit_is_refused(adapter: Callable[..., Any], given: dict[str, Any], told: str) -> None:
    with pytest.raises(RuntimeError, match=told) as refused:
        adapter("lightrag", **given)
    assert "refused" in str(refused.value)
