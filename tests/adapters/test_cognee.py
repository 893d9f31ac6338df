"""The real cognee on its embedded stores: what it stores, finds and forgets, and what its ways would hide.

It takes ten seconds and more to start, so each test asks for several things.
"""

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


def test_what_was_said_is_listed_and_found_with_its_turns(adapter: Callable[..., Any]) -> None:
    store = adapter("cognee")
    assert store.all("a") == []
    assert store.find("a", "Where is the kettle?") == []
    store.tell("a", ODO, KETTLE, id="s1", timestamp="2026-03-02T09:00:00+00:00")
    store.tell("a", SHIP, id="s2", timestamp="2026-04-05T09:00:00+00:00")
    listed = store.all("a")
    by_text = {each["text"]: each for each in listed}
    assert by_text[KETTLE]["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    assert by_text[SHIP]["created_at"] == "2026-04-05T09:00:00+00:00"
    assert f"in the attic: {KETTLE}" in by_text  # the entity
    assert f"{ODO} {KETTLE}" in by_text  # the summary
    assert not any("mentions" in text or "is part of" in text for text in by_text)
    chunk = f"Conversation of 2026-04-05T09:00:00+00:00\nuser: {SHIP}\nassistant: Noted."
    assert by_text[chunk]["sources"] == ["s2/0", "s2/1"]
    found = store.find("a", "Which teacher from Ghent bought the boat that Marta sold?", k=2)
    chunks = [text for text in texts(found) if text.startswith("Conversation of")]
    assert (len(chunks), chunks[0]) == (2, chunk)
    assert 2 < len(found) <= 6  # two chunks, two relations around entities, two by themselves, each once
    assert SHIP in texts(found)
    whole = store.find("a", "Which teacher from Ghent bought the boat that Marta sold?", k=None)
    assert {each["id"] for each in found} <= {each["id"] for each in whole}
    assert {each["id"] for each in found} <= {each["id"] for each in listed}
    assert store.find("a", "Where is the kettle?") == store.find("a", "Where is the kettle?")
    assert store.all("a") == listed
    assert store.troubles == []
    assert store.hello["version"]


def test_its_own_answer_comes_with_what_it_was_made_from(adapter: Callable[..., Any]) -> None:
    prompts: list[str] = []

    def answering(request: Request) -> Any:
        if "Be brief." in request.text:
            prompts.append(request.text)
            return "A teacher from Ghent."
        return memory(request)

    store = adapter("cognee", script=answering)
    asked = {"query": "Who bought the boat from Marta?", "k": 1, "choices": [], "instruction": "Be brief."}
    asked["session"] = {"id": "q", "timestamp": "2026-05-01", "turns": []}
    assert store.ask("answer", scope="a", **asked)["memories"] == []
    store.tell("a", SHIP)
    store.tell("a", KETTLE, id="s2")
    answered = store.ask("answer", scope="a", **asked)
    assert answered["text"] == "A teacher from Ghent."
    assert SHIP in prompts[0]
    assert "The question is asked on 2026-05-01. Be brief." in prompts[0]
    assert answered["memories"] == store.find("a", asked["query"], k=1)


def test_interleaved_scopes_never_meet_and_a_reset_takes_one_alone(adapter: Callable[..., Any]) -> None:
    store = adapter("cognee")
    store.tell("a", ODO)
    store.tell("b", ODO)  # the very same text in both
    store.tell("a", SHIP, id="s2")
    store.tell("b", KETTLE, id="s2")
    ours, theirs = " ".join(texts(store.all("a"))), " ".join(texts(store.all("b")))
    assert "boat" in ours
    assert "kettle" not in ours
    assert "kettle" in theirs
    assert "boat" not in theirs
    assert "kettle" not in " ".join(texts(store.find("a", "Where is the green kettle?", k=20)))
    assert "boat" not in " ".join(texts(store.find("b", "Who bought the boat?", k=20)))
    store.ask("reset", scope="a")
    assert store.all("a") == []
    assert store.find("a", "Who bought the boat?") == []
    found = texts(store.find("b", "When does Odo row across the harbour?", k=20))
    assert ODO in found
    assert KETTLE in found
    store.tell("a", ODO)
    assert ODO in texts(store.all("a"))
    assert "boat" not in " ".join(texts(store.all("a")))


def test_a_failed_session_is_an_error_and_leaves_nothing(adapter: Callable[..., Any]) -> None:
    def broken(request: Request) -> Any:
        return Reply("no", status=400) if SHIP in request.last_user else memory(request)

    store = adapter("cognee", script=broken, options={"retry_seconds": "1"})
    store.tell("a", ODO)
    with pytest.raises(RuntimeError, match="Cognify"):
        store.tell("a", SHIP, id="s2")
    store.tell("a", KETTLE, id="s3")
    for memories in (store.all("a"), store.find("a", "Who bought the boat from Marta?", k=20)):
        said = " ".join(texts(memories))
        assert ODO in said
        assert KETTLE in said
        assert SHIP not in said


@pytest.mark.parametrize("search", ["graph", "chunks", "summaries"])
def test_the_other_searches(adapter: Callable[..., Any], search: str) -> None:
    store = adapter("cognee", options={"search": search})
    store.tell("a", ODO)
    store.tell("a", KETTLE, id="s2")
    found = store.find("a", "Where does the green kettle stand?", k=3)
    assert KETTLE in found[0]["text"]
    if search != "graph":
        assert found[0]["score"] > found[1]["score"]


def test_a_settings_file_nearby_changes_nothing(adapter: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LLM_ENDPOINT=http://127.0.0.1:1/v1\nLLM_MODEL=openai/other\n")
    store = adapter("cognee")
    store.tell("a", KETTLE)
    assert KETTLE in texts(store.all("a"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"options": {"search": "psychic"}}, "hybrid or graph"),
        ({"options": {"kinds": "dreams"}}, "chunks, relations, entities, summaries"),
        ({"options": {"chunk_tokens": "some"}}, "number"),
    ],
)
def test_what_does_not_fit_is_refused(adapter: Callable[..., Any], given: dict[str, Any], told: str) -> None:
    with pytest.raises(RuntimeError, match=told) as refused:
        adapter("cognee", **given)
    assert "refused" in str(refused.value)
