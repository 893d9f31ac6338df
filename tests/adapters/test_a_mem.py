"""A-MEM's own ways: contents that search omits, one collection name for all, notes that others rewrite.

Those of the paper's own code run where MEMTRIAGE_AMEM names a checkout of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtriage.models.scripted import Faults, Request
from memtriage.models.scripted.memory import memory

FACTS = (
    "Odo rows on the canal before seven.",
    "Mira keeps a blue kettle in the attic.",
    "Pavel is allergic to walnuts.",
)


def contents(memories: list[Any]) -> list[str]:
    return [each["text"].partition("\n")[0] for each in memories]


def analysing(request: Request) -> bool:
    return "Content for analysis:" in request.last_user


def local_model(folder: Path) -> Path:
    """A sentence-transformers folder that counts a few words: no weights, no download."""
    (folder / "0_BoW").mkdir(parents=True)
    module = {"idx": 0, "name": "0", "path": "0_BoW", "type": "sentence_transformers.models.BoW"}
    counted = {"vocab": ["canal", "kettle", "walnuts"], "word_weights": {}, "unknown_word_weight": 1}
    (folder / "modules.json").write_text(json.dumps([module]))
    (folder / "0_BoW" / "config.json").write_text(json.dumps({**counted, "cumulative_term_frequency": True}))
    return folder


def test_every_turn_is_a_note_that_is_found_with_its_words_and_a_similarity(adapter: Callable[..., Any]) -> None:
    notes = adapter("a-mem")
    assert notes.hello["version"] == "0.2.6"
    assert ["another author's fork" in notice for notice in notes.hello["notices"]] == [True]
    assert {"store", "retrieve", "all", "save", "load"} <= set(notes.hello["capabilities"])

    notes.tell("a", FACTS[0], "42", '["a", "list"]', timestamp="2026-03-02T09:05:00+00:00")
    kept = notes.all("a")
    said = [FACTS[0], "Noted.", "42", "Noted.", '["a", "list"]', "Noted."]
    assert contents(kept) == [f"{role}: {text}" for role, text in zip(["user", "assistant"] * 3, said, strict=True)]
    assert [each["sources"] for each in kept] == [[f"s1/{number}"] for number in range(6)]
    assert {each["created_at"] for each in kept} == {"2026-03-02T09:05"}
    asked = [seen.path for seen in notes.server.requests]
    assert asked.count("/v1/chat/completions") == 11  # two for every note but the first

    found = notes.find("a", FACTS[0], k=6)
    assert contents(found)[0] == f"user: {FACTS[0]}"
    assert found[0]["sources"] == ["s1/0"]
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    assert 0.3 < scores[0] <= 1

    calls = len(notes.server.requests)
    assert notes.find("a", FACTS[0], k=6) == found
    assert notes.all("a") == kept
    assert [seen.path for seen in notes.server.requests[calls:]] == ["/v1/embeddings"]
    assert notes.troubles == []


def test_a_note_is_shown_as_later_ones_left_it(adapter: Callable[..., Any]) -> None:
    notes = adapter("a-mem")
    notes.tell("a", FACTS[0])
    before = notes.all("a")[0]
    notes.tell("a", FACTS[1], id="s2")
    after = next(each for each in notes.all("a") if each["id"] == before["id"])
    assert after["text"].startswith(f"user: {FACTS[0]}\n")
    assert "tags: said, neighbour" in after["text"]
    assert "context: Beside a newer note" in after["text"]
    assert next(each for each in notes.find("a", FACTS[0]) if each["id"] == before["id"])["text"] == after["text"]


def test_two_interleaved_scopes_never_see_each_other_and_a_reset_takes_one_alone(
    adapter: Callable[..., Any],
) -> None:
    notes = adapter("a-mem")
    for number in range(3):
        notes.tell("a", f"Anna owns boat {number}.", id=f"a{number}")
        notes.tell("b", f"Bruno owns boat {number}.", id=f"b{number}")
    for scope, owner, stranger in (("a", "Anna", "Bruno"), ("b", "Bruno", "Anna")):
        assert len(notes.all(scope)) == 6
        assert not [each for each in notes.all(scope) if stranger in each["text"]]
        found = contents(notes.find(scope, f"{stranger} owns boat 1", k=20))
        assert len(found) == 6
        assert not [text for text in found if stranger in text]
        assert len([text for text in found if owner in text]) == 3
    for _ in range(2):
        notes.ask("reset", scope="a")
        assert notes.all("a") == []
        assert notes.find("a", "Anna") == []
        notes.tell("a", FACTS[2])
        assert contents(notes.all("a")) == [f"user: {FACTS[2]}", "assistant: Noted."]
    assert len(notes.all("b")) == 6


def test_k_asked_is_k_returned(adapter: Callable[..., Any]) -> None:
    notes = adapter("a-mem", script=lambda request: memory(request) if analysing(request) else {})
    notes.tell("a", *(f"Box {number} holds {number + 3} spoons." for number in range(60)))
    for k in (1, 7, 110, 120):
        assert len(notes.find("a", "How many spoons are in box 7?", k=k)) == k
    assert len(notes.find("a", "How many spoons are in box 7?", k=500)) == 120


def test_what_the_library_swallows_is_told(adapter: Callable[..., Any]) -> None:
    notes = adapter("a-mem", script=lambda request: "I'd rather not.")
    notes.tell("a", FACTS[0])
    assert contents(notes.all("a")) == [f"user: {FACTS[0]}", "assistant: Noted."]
    assert len([told for told in notes.troubles if "Error analyzing content" in told]) == 2
    assert len([told for told in notes.troubles if "Error in memory evolution" in told]) == 1

    def script(request: Request) -> Any:
        if not analysing(request):  # from here on nothing can be embedded, so no neighbour can be written back
            notes.server.faults = Faults(models=("scripted",))
        return memory(request)

    notes.server.script = script
    with pytest.raises(RuntimeError):
        notes.tell("a", FACTS[1], id="s2")
    assert any("Error updating document" in told for told in notes.troubles)
    notes.server.faults, notes.server.script = Faults(), memory
    with pytest.raises(RuntimeError, match="lost 2 notes"):
        notes.tell("a", FACTS[2], id="s3")


def test_a_saved_store_comes_back_as_it_was(adapter: Callable[..., Any], tmp_path: Path) -> None:
    notes = adapter("a-mem")
    notes.tell("a", *FACTS)
    notes.ask("save", scope="a", path=str(tmp_path / "kept"))
    calls = len(notes.server.requests)
    notes.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert len(notes.server.requests) == calls  # the vectors are kept as well
    assert notes.all("b") == notes.all("a")
    found = {scope: notes.find(scope, FACTS[1], k=6) for scope in "ab"}
    assert [each["id"] for each in found["b"]] == [each["id"] for each in found["a"]]
    assert [each["score"] for each in found["b"]] == pytest.approx([each["score"] for each in found["a"]], abs=1e-5)
    notes.tell("b", "Juno paid 40 euros.", id="s2")
    assert len(notes.all("b")) == 8
    assert len(notes.all("a")) == 6


def test_a_session_can_be_one_note(adapter: Callable[..., Any]) -> None:
    notes = adapter("a-mem", options={"note": "session"})
    notes.tell("a", FACTS[0], FACTS[1])
    (note,) = notes.all("a")
    assert note["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    assert f"user: {FACTS[0]}\nassistant: Noted.\nuser: {FACTS[1]}" in note["text"]


def test_a_local_embedding_model_is_used_and_named_where_the_user_wants_it(
    adapter: Callable[..., Any], tmp_path: Path
) -> None:
    folder = local_model(tmp_path / "model")
    notes = adapter("a-mem", embed=False, options={"embedding_folder": str(folder)})
    assert any(str(folder) in notice for notice in notes.hello["notices"])
    notes.tell("a", *FACTS)
    assert contents(notes.find("a", "Is there a kettle ?", k=1)) == [f"user: {FACTS[1]}"]
    assert {seen.path for seen in notes.server.requests} == {"/v1/chat/completions"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"embed": False, "options": {"embedding_folder": "/nowhere/at/all"}}, "no folder"),
        ({"options": {"note": "page"}}, "note must be turn or session"),
        ({"options": {"cache_size": "some"}}, "cache_size must be a whole number"),
        ({"options": {"notes": "turn"}}, "no option 'notes'"),
        ({"options": {"links": "some"}}, "links must be true or false"),
        ({"options": {"source": "/nowhere/at/all"}}, r"no checkout of .*memory_layer\.py is missing"),
    ],
)
def test_what_is_missing_or_wrong_is_named(adapter: Callable[..., Any], given: dict[str, Any], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        adapter("a-mem", **given)


@pytest.fixture
def checkout() -> str:
    """The checkout that MEMTRIAGE_AMEM names."""
    source = os.environ.get("MEMTRIAGE_AMEM")
    if not source:
        pytest.skip("MEMTRIAGE_AMEM must name a checkout of github.com/WujiangXu/A-mem")
    return source


def test_linked_notes_come_right_after_the_note_that_links_to_them(adapter: Callable[..., Any]) -> None:
    ids: list[str] = []

    def script(request: Request) -> Any:
        said = memory(request)
        if analysing(request):
            return said
        first = {**said, "actions": ["strengthen"], "suggested_connections": ids[:1]}  # all link to the first note
        return {**first, "should_evolve": "walnuts" in request.last_user.partition("The nearest")[0]}

    found = {}
    for links in ("true", "false"):
        notes = adapter("a-mem", options={"links": links}, script=script)
        notes.tell("a", "The lighthouse was painted in spring.")
        ids[:] = [notes.all("a")[0]["id"]]
        notes.tell("a", *FACTS[1:], "Pavel eats almonds instead.", id="s2")
        found[links] = contents(notes.find("a", "Is Pavel allergic to walnuts?", k=3))
        assert len(notes.find("a", "Is Pavel allergic to walnuts?", k=100)) == 8
        assert notes.troubles == []
    assert found["false"][0] == found["true"][0] == f"user: {FACTS[2]}"
    assert found["true"][1] == "user: The lighthouse was painted in spring."
    assert found["true"][2] == found["false"][1]
    assert "user: The lighthouse was painted in spring." not in found["false"]


def test_the_papers_code_keeps_finds_links_and_saves(
    adapter: Callable[..., Any], checkout: str, tmp_path: Path
) -> None:
    notes = adapter("a-mem", options={"source": checkout})
    assert "the paper's code" in notes.hello["notices"][0]
    assert {"store", "retrieve", "all", "save", "load"} <= set(notes.hello["capabilities"])
    assert notes.all("a") == notes.find("a", "anything") == []
    notes.tell("a", *FACTS, timestamp="2026-03-02T09:05:00+00:00")
    notes.tell("b", "Bruno owns a boat.")
    kept = notes.all("a")
    assert [text for text in contents(kept) if "Noted" not in text] == [f"user: {fact}" for fact in FACTS]
    assert [each["sources"] for each in kept] == [[f"s1/{number}"] for number in range(6)]
    assert {each["created_at"] for each in kept} == {"2026-03-02T09:05"}
    assert "keywords: " in kept[0]["text"]  # the paper's code loses them without our help
    assert len(notes.all("b")) == 2

    # The scripted model links each note to its nearest neighbour, which follows it at once.
    found = notes.find("a", FACTS[2], k=6)
    assert contents(found)[0] == f"user: {FACTS[2]}"
    assert len(found) == len({each["id"] for each in found}) == 6
    assert [len(notes.find("a", FACTS[2], k=k)) for k in (1, 2, 5, 50)] == [1, 2, 5, 6]
    calls = len(notes.server.requests)
    assert notes.all("a") == kept
    assert len(notes.server.requests) == calls

    notes.ask("save", scope="a", path=str(tmp_path / "kept"))
    notes.ask("load", scope="c", path=str(tmp_path / "kept"))
    assert len(notes.server.requests) == calls
    assert notes.all("c") == kept
    assert notes.find("c", FACTS[2], k=6) == found
    notes.tell("c", "Juno paid 40 euros.", id="s2")
    assert len(notes.all("c")) == 8
    assert notes.all("a") == kept
    assert notes.troubles == []


def test_a_library_checkout_of_a_mem_is_refused_with_the_reason(adapter: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "agentic_memory").mkdir()
    (tmp_path / "agentic_memory" / "memory_system.py").touch()
    with pytest.raises(RuntimeError, match=r"refused: .*clone github.com/WujiangXu/A-mem"):
        adapter("a-mem", options={"source": str(tmp_path)})
