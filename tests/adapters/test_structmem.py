"""StructMem from a LightMem checkout: a buffer that only a message flushes, and a variable that all scopes share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtriage.models.scripted import Reply, Request
from memtriage.models.scripted.memory import memory

FACTS = (
    "Odo rows on the canal before seven.",
    "Mira keeps a blue kettle in the attic.",
    "Pavel is allergic to walnuts.",
)
RELATION = "The user and the assistant talk to each other."


@pytest.fixture
def struct(adapter: Callable[..., Any]) -> Callable[..., Any]:
    """Starts StructMem with the checkout that MEMTRIAGE_LIGHTMEM names."""
    checkout = os.environ.get("MEMTRIAGE_LIGHTMEM")
    if not checkout:
        pytest.skip("structmem is no package; MEMTRIAGE_LIGHTMEM must name a checkout of LightMem")

    def start(**given: Any) -> Any:
        return adapter("structmem", **{**given, "options": {"source": checkout, **given.get("options", {})}})

    return start


def entries(memories: list[Any]) -> list[str]:
    """What the entries say, without time and weekday; summaries and relations left out."""
    said = [each["text"].split(" ", 2)[2] for each in memories if not each["text"].startswith("In this time")]
    return sorted(text for text in said if text != RELATION)


def summaries(memories: list[Any]) -> list[str]:
    return [each["text"] for each in memories if each["text"].startswith("In this time")]


def test_what_waits_in_the_buffer_is_stored_by_settle_once(struct: Callable[..., Any]) -> None:
    events = struct()
    events.tell("a", *FACTS)
    assert events.all("a") == []
    events.ask("settle", scope="a")
    kept = events.all("a")
    events.ask("settle", scope="a")
    assert events.all("a") == kept
    assert entries(kept) == sorted(FACTS)
    assert len(summaries(kept)) == 1
    assert all(fact in summaries(kept)[0] for fact in FACTS)
    assert kept[0]["text"].startswith("2026-03-02T09:00:00.000 Mon ")
    assert events.troubles == []
    events.tell("a", "Juno paid 40 euros for the lamp.", id="s2", timestamp="2026-03-01T09:00:00+00:00")
    events.ask("settle", scope="a")
    assert len(entries(events.all("a"))) == 4
    assert len(summaries(events.all("a"))) == 2  # also for what happened before what is summarised already


def test_two_interleaved_scopes_never_see_each_other_nor_share_how_far_summaries_are(
    struct: Callable[..., Any],
) -> None:
    events = struct()
    for number in range(3):
        events.tell("a", f"Anna owns boat {number}.", id=f"a{number}", timestamp=f"2026-05-0{number + 1}T09:00:00")
        events.ask("settle", scope="a")
        events.tell("b", f"Bruno owns boat {number}.", id=f"b{number}", timestamp=f"2026-01-0{number + 1}T09:00:00")
        events.ask("settle", scope="b")
    for scope, owner, stranger in (("a", "Anna", "Bruno"), ("b", "Bruno", "Anna")):
        kept = events.all(scope)
        assert entries(kept) == [f"{owner} owns boat {number}." for number in range(3)]
        assert len(summaries(kept)) == 3
        assert not [each for each in kept if stranger in each["text"]]
        assert not [each for each in events.find(scope, f"{stranger} owns boat 1", k=50) if stranger in each["text"]]
    events.ask("reset", scope="a")
    assert events.all("a") == []
    assert len(entries(events.all("b"))) == 3

    events.tell("c", FACTS[0], timestamp="2026-03-02T09:15:00")
    events.ask("settle", scope="c")
    events.tell("d", FACTS[1], timestamp="2026-03-02T09:00:00")
    events.tell("d", FACTS[2], id="s2", timestamp="2026-03-02T09:30:00")
    events.ask("settle", scope="d")
    assert len(summaries(events.all("d"))) == 1  # one hour of its own, whatever c has summarised


def test_k_asked_is_k_returned_nearest_first_among_entries_and_summaries(struct: Callable[..., Any]) -> None:
    events = struct()
    events.tell("a", *(f"Box {number} holds {number + 3} spoons." for number in range(40)))
    events.ask("settle", scope="a")
    total = len(events.all("a"))
    assert total > 41
    for k in (1, 5, 30, total):
        found = events.find("a", "Box 7 holds 10 spoons.", k=k)
        assert len(found) == k
        assert "Box 7 holds 10 spoons." in found[0]["text"]
        assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)
    assert len(events.find("a", "Box 7 holds 10 spoons.", k=500)) == total
    assert summaries(events.find("a", "Box 7 holds 10 spoons.", k=total))
    before = events.all("a")
    assert events.find("a", "Which box?") == events.find("a", "Which box?")
    assert events.all("a") == before


def test_the_model_sees_both_speakers_each_under_a_number_of_its_own(struct: Callable[..., Any]) -> None:
    seen: list[str] = []

    def script(request: Request) -> Any:
        seen.append(request.last_user)
        return memory(request)

    events = struct(script=script)
    events.tell("a", FACTS[0], FACTS[1])
    events.ask("settle", scope="a")
    assert f"0.User: {FACTS[0]}" in seen[0]
    assert "1.Assistant: Noted." in seen[0]
    assert f"2.User: {FACTS[1]}" in seen[0]
    assert len(seen) == 3  # facts, relations, a summary


def test_errors_of_the_model_are_troubles(struct: Callable[..., Any]) -> None:
    def script(request: Request) -> Any:
        if "Relational" in request.messages[0][1]:
            return Reply("out of order", status=400)
        return "No JSON." if "Personal Information" in request.messages[0][1] else memory(request)

    events = struct(script=script)
    events.tell("a", FACTS[0])
    events.ask("settle", scope="a")
    assert events.all("a") == []
    assert any("JSON decoding error" in told for told in events.troubles)
    assert any("a model call failed" in told for told in events.troubles)


def test_a_fact_from_a_message_that_is_not_there_does_not_end_all_summaries(struct: Callable[..., Any]) -> None:
    def script(request: Request) -> Any:
        if "Personal Information" in request.messages[0][1]:
            return {"data": [{"source_id": 0, "fact": FACTS[0]}, {"source_id": 99, "fact": FACTS[1]}]}
        return memory(request)

    events = struct(script=script)
    events.tell("a", FACTS[0])
    events.ask("settle", scope="a")
    assert entries(events.all("a")) == sorted(FACTS[:2])
    assert len(summaries(events.all("a"))) == 1
    assert any("message 99" in told for told in events.troubles)


def test_a_key_for_another_provider_diverts_nothing(
    struct: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "someone's own")
    events = struct()
    events.tell("a", FACTS[0])
    events.ask("settle", scope="a")
    assert entries(events.all("a")) == [FACTS[0]]


def test_entries_can_be_rewritten_and_summaries_left_out(struct: Callable[..., Any]) -> None:
    def script(request: Request) -> Any:
        return {"action": "delete"} if "Candidate memories:" in request.last_user else memory(request)

    events = struct(options={"update": "true", "summaries": "false", "mode": "flat"}, script=script)
    events.tell("a", "Mira lives in Graz now.", timestamp="2026-03-02T09:00:00")
    events.tell("a", "Mira lives in Graz now!", id="s2", timestamp="2026-03-04T09:00:00")
    events.ask("settle", scope="a")
    assert entries(events.all("a")) == ["Mira lives in Graz now!"]
    assert summaries(events.all("a")) == []


def test_a_saved_store_comes_back_with_what_still_waits(struct: Callable[..., Any], tmp_path: Path) -> None:
    events = struct()
    events.tell("a", FACTS[0])
    events.ask("settle", scope="a")
    events.tell("a", FACTS[1], id="s2")
    events.ask("save", scope="a", path=str(tmp_path / "kept"))
    events.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert events.all("b") == events.all("a")
    assert events.find("b", FACTS[0]) == events.find("a", FACTS[0])
    events.ask("settle", scope="b")
    assert entries(events.all("b")) == sorted(FACTS[:2])
    assert entries(events.all("a")) == [FACTS[0]]


def test_it_says_its_version_and_what_is_off(struct: Callable[..., Any]) -> None:
    hello = struct().hello
    assert hello["version"].startswith("0.1.0")
    assert any("without pre-compression" in notice for notice in hello["notices"])
    assert {"store", "retrieve", "all", "settle", "save", "load"} <= set(hello["capabilities"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "no package.*structmem:source=PATH"),
        ({"source": "/nowhere/at/all"}, "no checkout of LightMem.*lightmem.py is missing"),
        ({"source": ".", "mode": "story"}, "mode must be event or flat"),
        ({"source": ".", "time_window": "long"}, "time_window must be a whole number"),
        ({"source": ".", "update": "perhaps"}, "update must be true or false"),
    ],
)
def test_what_is_missing_or_wrong_is_named(adapter: Callable[..., Any], options: dict[str, str], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        adapter("structmem", options=options)


@pytest.mark.parametrize(("given", "says"), [({"internal": False}, "--internal"), ({"embed": False}, "--embed")])
def test_models_that_are_missing_are_named(struct: Callable[..., Any], given: dict[str, Any], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        struct(**given)
