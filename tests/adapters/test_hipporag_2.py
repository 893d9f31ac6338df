"""The real hipporag in its own files: what it stores, finds and forgets, and what its ways would hide."""

from __future__ import annotations

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


def asked_for(request: Request, what: str) -> bool:
    return what in (request.messages[0][1] if request.messages else "")


def test_what_was_said_is_listed_and_found_with_its_turns(adapter: Callable[..., Any]) -> None:
    rag = adapter("hipporag-2")
    rag.tell("a", ODO, KETTLE, id="s1", timestamp="2026-03-02T09:00:00+00:00")
    rag.tell("a", SHIP, id="s2", timestamp="2026-04-05T09:00:00+00:00")
    listed = {each["text"]: each for each in rag.all("a")}
    assert list(listed) == [ODO, "Noted.", KETTLE, SHIP]
    assert (listed[KETTLE]["sources"], listed[KETTLE]["id"]) == (["s1/2"], "s1/2")
    assert listed["Noted."]["sources"] == ["s1/1", "s1/3", "s2/1"], "the same text is one passage"
    assert listed["Noted."]["created_at"] == "2026-04-05T09:00:00+00:00"
    found = rag.find("a", "Who bought the boat from Marta?", k=1)
    assert texts(found) == [SHIP]
    assert found[0]["score"] > 0
    assert rag.troubles == []
    assert rag.hello["version"] == "2.0.0a4"


def test_a_passage_takes_two_calls_a_query_one_and_nothing_is_read_twice(adapter: Callable[..., Any]) -> None:
    rag = adapter("hipporag-2")
    rag.tell("a", ODO)
    rag.tell("a", ODO, SHIP, id="s2")
    assert rag.server.count(path="/chat/completions") == 6  # two calls each for Odo, the ship and "Noted."
    rag.ask("settle", scope="a")
    assert rag.server.count(path="/chat/completions") == 6
    rag.find("a", "Who rows?", k=2)
    rag.find("a", "Who rows?", k=2)
    assert rag.server.count(path="/chat/completions") == 8, "memtriage caches, not the library"


def test_a_walk_reaches_what_the_question_does_not_name(adapter: Callable[..., Any]) -> None:
    """Odo is in the question; what Zelda does is one step away from it, and no word of it is asked for."""
    noise = [f"Person{n} paints fence{n} in colour{n}." for n in range(12)]
    rag = adapter("hipporag-2", options={"passage_node_weight": "0"})
    rag.tell("a", *noise[:6], "Odo admires Zelda.", *noise[6:], "Zelda breeds herons.")
    rag.ask("settle", scope="a")
    assert texts(rag.find("a", "Whom does Odo admire?", k=2)) == ["Odo admires Zelda.", "Zelda breeds herons."]


def test_the_model_filters_triples_and_without_any_the_cosine_decides(adapter: Callable[..., Any]) -> None:
    kept: list[str] = ["[]"]

    def filtering(request: Request) -> Any:
        if "fact_before_filter" in request.last_user:
            return f'[[ ## fact_after_filter ## ]]\n{{"fact": {kept[0]}}}\n\n[[ ## completed ## ]]'
        return memory(request)

    rag = adapter("hipporag-2", script=filtering, options={"passage_node_weight": "0"})
    rag.tell("a", ODO, KETTLE, SHIP)
    by_cosine = texts(rag.find("a", "Where does the green kettle stand?", k=1))
    assert by_cosine == [KETTLE]
    kept[0] = '[["odo", "rows", "across the harbour before 7 am"]]'
    assert texts(rag.find("a", "Where does the green kettle stand?", k=1)) == [ODO]
    assert rag.troubles == []


def test_interleaved_scopes_never_meet(adapter: Callable[..., Any]) -> None:
    rag = adapter("hipporag-2")
    rag.tell("a", ODO)
    rag.tell("b", KETTLE)
    rag.tell("a", SHIP, id="s2")
    assert KETTLE not in texts(rag.all("a")) + texts(rag.find("a", "kettle", k=20))
    assert ODO not in texts(rag.all("b")) + texts(rag.find("b", "Odo", k=20))


def test_what_comes_after_a_question_is_found_and_weighs_no_less(adapter: Callable[..., Any]) -> None:
    """The library would go on with what it prepared, and add every older triple to the graph once more."""
    one, other = adapter("hipporag-2"), adapter("hipporag-2")
    for number, said in enumerate((ODO, KETTLE, SHIP)):
        one.tell("a", said, id=f"s{number}")
        one.find("a", "Who rows?", k=1)
        other.tell("a", said, id=f"s{number}")
    for query in ("Who bought the boat from Marta?", "Who rows across the harbour?"):
        found = [store.find("a", query, k=4) for store in (one, other)]
        assert texts(found[0]) == texts(found[1])
        assert [each["score"] for each in found[0]] == pytest.approx([each["score"] for each in found[1]])


def test_a_session_that_fails_is_an_error_and_not_a_passage_without_triples(adapter: Callable[..., Any]) -> None:
    def broken(request: Request) -> Any:
        return Reply("no", status=400) if SHIP in request.last_user else memory(request)

    rag = adapter("hipporag-2", script=broken)
    rag.tell("a", ODO)
    with pytest.raises(RuntimeError, match=r"could not take in a passage.*400"):
        rag.tell("a", SHIP, id="s2")
    rag.tell("a", KETTLE, id="s3")
    assert SHIP not in texts(rag.all("a")) + texts(rag.find("a", "Who bought the boat?", k=20))
    assert KETTLE in texts(rag.find("a", "Where is the kettle?", k=20))


def test_a_reply_is_data_and_never_code(adapter: Callable[..., Any], tmp_path: Path) -> None:
    trap = tmp_path / "trap"

    def hostile(request: Request) -> Any:
        if asked_for(request, "extract named entities"):
            return f'{{"named_entities": [__import__("pathlib").Path("{trap}").touch() or "Odo"]}}'
        return memory(request)

    rag = adapter("hipporag-2", script=hostile)
    with pytest.raises(RuntimeError, match="could not take in a passage"):
        rag.tell("a", ODO)
    assert not trap.exists()


def test_a_filter_that_fails_is_told(adapter: Callable[..., Any]) -> None:
    def broken(request: Request) -> Any:
        return Reply("no", status=400) if "fact_before_filter" in request.last_user else memory(request)

    rag = adapter("hipporag-2", script=broken)
    rag.tell("a", ODO, KETTLE)
    assert texts(rag.find("a", "Where does the green kettle stand?", k=1)) == [KETTLE]
    assert any("could not be filtered" in each for each in rag.troubles)


def test_a_session_can_be_one_passage(adapter: Callable[..., Any]) -> None:
    rag = adapter("hipporag-2", options={"passage": "session"})
    rag.tell("a", ODO, KETTLE)
    (passage,) = rag.all("a")
    assert passage["text"] == f"user: {ODO}\nassistant: Noted.\nuser: {KETTLE}\nassistant: Noted."
    assert passage["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    assert texts(rag.find("a", "Who rows?", k=3)) == [passage["text"]]


def test_a_saved_store_comes_back_in_another_scope(adapter: Callable[..., Any], tmp_path: Path) -> None:
    rag = adapter("hipporag-2")
    rag.tell("a", ODO, KETTLE)
    listed, found = rag.all("a"), rag.find("a", "Where does the green kettle stand?", k=3)
    rag.ask("save", scope="a", path=str(tmp_path / "kept"))
    rag.ask("reset", scope="a")
    assert rag.all("a") == []
    assert rag.find("a", "Odo") == []
    rag.tell("b", SHIP)
    rag.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert rag.all("b") == listed
    calls = rag.server.count(path="/chat/completions")
    assert rag.find("b", "Where does the green kettle stand?", k=3) == found
    assert rag.server.count(path="/chat/completions") == calls + 1, "nothing is extracted again"
    assert not list((tmp_path / "kept").rglob("*.pickle"))
    with pytest.raises(RuntimeError, match="no saved hipporag-2 store"):
        rag.ask("load", scope="b", path=str(tmp_path))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"options": {"passage": "word"}}, "turn or session"),
        ({"options": {"damping": "some"}}, "number"),
    ],
)
def test_what_does_not_fit_is_refused(adapter: Callable[..., Any], given: dict[str, Any], told: str) -> None:
    with pytest.raises(RuntimeError, match=told) as refused:
        adapter("hipporag-2", **given)
    assert "refused" in str(refused.value)
