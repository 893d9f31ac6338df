"""SimpleMem's own ways: windows that wait, searches in threads, findings without scores, errors it prints.

Those of the repository's hybrid search run where MEMTRIAGE_SIMPLEMEM names a checkout.
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
    "The bakery on Elm Street closes on Tuesdays.",
    "Juno paid 40 euros for the lamp.",
    "Our dentist moved to the harbour.",
    "Pavel is allergic to walnuts.",
)


def texts(memories: list[Any]) -> list[str]:
    return [each["text"].partition("\n")[0] for each in memories]


@pytest.fixture
def checkout() -> str:
    """The checkout that MEMTRIAGE_SIMPLEMEM names."""
    source = os.environ.get("MEMTRIAGE_SIMPLEMEM")
    if not source:
        pytest.skip("the hybrid search is in the repository; MEMTRIAGE_SIMPLEMEM must name a checkout of SimpleMem")
    return source


def analysing(**found: Any) -> Callable[[Request], Any]:
    """The usual replies, but the model finds this in a question, and names the people in what is told."""

    def script(request: Request) -> Any:
        if "query analysis assistant" in request.messages[0][1]:
            nothing = {"keywords": ["nothing"], "persons": [], "time_expression": None, "location": None}
            return {**nothing, "entities": [], **found}
        said = memory(request)
        if isinstance(said, list):
            return [
                {**each, "persons": each["lossless_restatement"].split()[:1], "location": "Leiden"} for each in said
            ]
        return said

    return script


def planning(*queries: str) -> Callable[[Request], Any]:
    """The usual replies, but the model writes these queries."""

    def script(request: Request) -> Any:
        if "query generation specialist" in request.messages[0][1]:
            return {"reasoning": "Scripted.", "queries": list(queries)}
        return memory(request)

    return script


def local_model(folder: Path) -> Path:
    """A sentence-transformers folder that counts a few words: no weights, no download."""
    (folder / "0_BoW").mkdir(parents=True)
    module = {"idx": 0, "name": "0", "path": "0_BoW", "type": "sentence_transformers.models.BoW"}
    counted = {"vocab": ["canal", "kettle", "walnuts"], "word_weights": {}, "unknown_word_weight": 1}
    (folder / "modules.json").write_text(json.dumps([module]))
    (folder / "0_BoW" / "config.json").write_text(json.dumps({**counted, "cumulative_term_frequency": True}))
    return folder


def test_what_waits_in_the_window_is_stored_by_settle(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *FACTS)
    assert simple.all("a") == []
    simple.ask("settle", scope="a")
    assert sorted(texts(simple.all("a"))) == sorted(FACTS)
    assert simple.troubles == []


def test_settling_again_and_again_neither_doubles_nor_loses(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem", options={"window_size": "4"})
    for number, fact in enumerate(FACTS):
        simple.tell("a", fact, f"Note {number} is kept.", f"Number {number} as well.", id=f"s{number}")
        simple.ask("settle", scope="a")
        simple.ask("settle", scope="a")
        assert len(simple.all("a")) == 3 * (number + 1)
    assert len(set(texts(simple.all("a")))) == 3 * len(FACTS)


def test_two_interleaved_scopes_never_see_each_other(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem", options={"window_size": "4"})
    for number in range(4):
        simple.tell("a", f"Anna owns boat {number}.", id=f"a{number}")
        simple.tell("b", f"Bruno owns boat {number}.", id=f"b{number}")
    simple.ask("settle", scope="b")
    simple.ask("settle", scope="a")
    assert sorted(texts(simple.all("a"))) == [f"Anna owns boat {number}." for number in range(4)]
    assert sorted(texts(simple.all("b"))) == [f"Bruno owns boat {number}." for number in range(4)]
    assert all(text.startswith("Anna") for text in texts(simple.find("a", "Who owns boat 2? Bruno?", k=10)))
    assert all(text.startswith("Bruno") for text in texts(simple.find("b", "Who owns boat 2? Anna?", k=10)))
    simple.ask("reset", scope="a")
    assert simple.all("a") == []
    assert len(simple.all("b")) == 4


def test_k_asked_is_k_returned_beyond_the_librarys_own_limit(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *(f"Box {number} holds {number + 3} spoons." for number in range(40)))
    simple.ask("settle", scope="a")
    for k in (1, 5, 30, 40):
        assert len(simple.find("a", "How many spoons are in box 7?", k=k)) == k
    assert len(simple.find("a", "How many spoons are in box 7?", k=100)) == 40


def test_scores_are_similarities_and_the_nearest_comes_first(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *FACTS)
    simple.ask("settle", scope="a")
    found = simple.find("a", "Pavel is allergic to walnuts.", k=6)
    assert texts(found)[0] == "Pavel is allergic to walnuts."
    assert found[0]["score"] == pytest.approx(1.0, abs=1e-5)
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)


def test_every_planned_query_has_a_share_in_k(adapter: Callable[..., Any]) -> None:
    asked = ["What does Pavel eat?", "Pavel allergic walnuts", "Mira blue kettle attic"]
    told = [*FACTS, *(f"Pavel does eat soup number {number}." for number in range(9))]
    found = {}
    for merge in ("interleave", "append"):
        simple = adapter("simplemem", options={"merge": merge}, script=planning(*asked))
        simple.tell("a", *told)
        simple.ask("settle", scope="a")
        found[merge] = [texts(simple.find("a", asked[0], k=4)) for _ in range(4)]
        assert all(again == found[merge][0] for again in found[merge])
    assert {FACTS[1], FACTS[5]} <= set(found["interleave"][0])
    assert FACTS[1] not in found["append"][0]


def test_a_query_changes_nothing(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *FACTS)
    simple.ask("settle", scope="a")
    before = simple.all("a")
    assert simple.find("a", "Where is the kettle?") == simple.find("a", "Where is the kettle?")
    assert simple.all("a") == before


def test_what_a_session_and_a_question_cost(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *FACTS)
    assert simple.server.count(ok=True) == 0
    simple.ask("settle", scope="a")
    stored = [seen.path for seen in simple.server.requests]
    assert sorted(stored) == ["/v1/chat/completions", "/v1/embeddings"]
    simple.find("a", "Where is the kettle?")
    asked = [seen.path for seen in simple.server.requests][len(stored) :]
    assert asked.count("/v1/chat/completions") == 3
    assert asked.count("/v1/embeddings") == 1


def test_the_model_sees_both_speakers_and_the_sessions_time(adapter: Callable[..., Any]) -> None:
    seen: list[str] = []

    def script(request: Request) -> Any:
        seen.append(request.last_user)
        return memory(request)

    simple = adapter("simplemem", script=script)
    simple.tell("a", FACTS[0], timestamp="2026-03-02T09:00:00+00:00")
    simple.ask("settle", scope="a")
    assert f"[2026-03-02T09:00:00] User: {FACTS[0]}" in seen[0]
    assert "[2026-03-02T09:00:00] Assistant: Noted." in seen[0]
    assert "Time: 2026-03-02T09:00:00" in simple.all("a")[0]["text"]


def test_a_window_the_model_spoiled_is_a_trouble(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem", script=lambda request: "I'd rather not.")
    simple.tell("a", FACTS[0])
    simple.ask("settle", scope="a")
    assert simple.all("a") == []
    assert len(simple.troubles) == 1
    assert "All 3 attempts failed" in simple.troubles[0]


def test_a_plan_the_model_spoiled_is_a_trouble_and_the_question_is_searched(adapter: Callable[..., Any]) -> None:
    def script(request: Request) -> Any:
        return "No." if "requirement analyst" in request.messages[0][1] else memory(request)

    simple = adapter("simplemem", script=script)
    simple.tell("a", *FACTS)
    simple.ask("settle", scope="a")
    assert len(simple.find("a", "Where is the kettle?", k=5)) == 5
    assert any("information requirements" in told for told in simple.troubles)


def test_a_search_without_embeddings_is_an_error_and_not_an_empty_result(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *FACTS)
    simple.ask("settle", scope="a")
    simple.server.faults = Faults(models=("scripted",))  # the embedding model is not known any more
    with pytest.raises(RuntimeError, match="the search failed"):
        simple.find("a", "Where is the kettle?")


def test_a_saved_store_comes_back_with_what_still_waits(adapter: Callable[..., Any], tmp_path: Path) -> None:
    simple = adapter("simplemem", options={"window_size": "4"})
    simple.tell("a", FACTS[0], FACTS[1])
    simple.tell("a", FACTS[2], id="s2")
    simple.ask("save", scope="a", path=str(tmp_path / "kept"))
    assert len(json.loads((tmp_path / "kept" / "window.json").read_text())["waiting"]) == 2
    simple.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert sorted(texts(simple.all("b"))) == sorted(FACTS[:2])
    simple.ask("settle", scope="b")
    assert sorted(texts(simple.all("b"))) == sorted(FACTS[:3])
    assert len(simple.all("a")) == 2


def test_a_local_embedding_model_is_used_and_named_where_the_user_wants_it(
    adapter: Callable[..., Any], tmp_path: Path
) -> None:
    folder = local_model(tmp_path / "model")
    simple = adapter("simplemem", embed=False, options={"embedding_folder": str(folder)})
    assert any(str(folder) in notice for notice in simple.hello["notices"])
    simple.tell("a", *FACTS)
    simple.ask("settle", scope="a")
    assert texts(simple.find("a", "Is there a kettle ?", k=1)) == [FACTS[1]]
    assert {seen.path for seen in simple.server.requests} == {"/v1/chat/completions"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"embed": False, "options": {"embedding_folder": "/nowhere/at/all"}}, "no folder"),
        ({"options": {"window_size": "many"}}, "window_size must be a whole number"),
        ({"options": {"planning": "maybe"}}, "planning must be true or false"),
        ({"options": {"merge": "shuffle"}}, "merge must be interleave or append"),
        ({"options": {"widow_size": "4"}}, "no option 'widow_size'"),
    ],
)
def test_what_is_missing_or_wrong_is_named(adapter: Callable[..., Any], given: dict[str, Any], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        adapter("simplemem", **given).all("a")


def test_it_says_its_version_and_what_reports_must_say(adapter: Callable[..., Any]) -> None:
    hello = adapter("simplemem").hello
    assert hello["version"] == "0.1.0"
    assert any("vectors alone" in notice for notice in hello["notices"])
    assert {"store", "retrieve", "all", "settle", "save", "load"} <= set(hello["capabilities"])


def test_the_repositorys_keyword_search_finds_what_vectors_miss(adapter: Callable[..., Any], checkout: str) -> None:
    hay = [f"The garden had visitor number {number} this week." for number in range(60)]
    options = {"source": checkout, "semantic_top_k": "1", "window_size": "8"}
    simple = adapter("simplemem", options=options, script=analysing(keywords=["walnut"]))
    simple.tell("a", *hay[:30], FACTS[5], *hay[30:])  # in a later window than the first, so the index must grow
    simple.ask("settle", scope="a")
    question = "Which visitor came to the garden this week?"
    assert FACTS[5] in texts(simple.find("a", question, k=2))
    assert simple.troubles == []

    plain = adapter("simplemem", options={"window_size": "8"})
    plain.tell("a", *hay[:30], FACTS[5], *hay[30:])
    plain.ask("settle", scope="a")
    assert FACTS[5] not in texts(plain.find("a", question, k=2))


def test_the_repositorys_search_by_metadata_has_a_share_in_k(adapter: Callable[..., Any], checkout: str) -> None:
    found = {}
    for persons in ([], ["Juno"]):
        simple = adapter("simplemem", options={"source": checkout}, script=analysing(persons=persons))
        simple.tell("a", *FACTS, timestamp="2026-03-02T09:00:00+00:00")
        simple.ask("settle", scope="a")
        found[bool(persons)] = texts(simple.find("a", "Where does the dentist at the harbour work?", k=2))
        assert simple.all("a")[0]["text"].endswith("Location: Leiden\nPersons: Odo\nTopic: said by the user")
    assert found[False][0] == found[True][0] == FACTS[4]
    assert found[False][1] != FACTS[3]
    assert found[True][1] == FACTS[3]


def test_a_checkout_keeps_to_k_scores_scopes_and_what_is_saved(
    adapter: Callable[..., Any], checkout: str, tmp_path: Path
) -> None:
    simple = adapter("simplemem", options={"source": checkout, "window_size": "4", "overlap_size": "0"})
    assert simple.hello["version"].startswith("0.")
    assert any("from a checkout" in notice for notice in simple.hello["notices"])
    assert not any("vectors alone" in notice for notice in simple.hello["notices"])
    simple.tell("a", *FACTS[:3])
    simple.tell("b", "Bruno owns a boat.")
    assert sorted(texts(simple.all("a"))) == sorted(FACTS[:2])
    assert simple.all("b") == []
    simple.ask("save", scope="a", path=str(tmp_path / "kept"))
    simple.ask("load", scope="c", path=str(tmp_path / "kept"))
    for scope in "abc":
        simple.ask("settle", scope=scope)
    assert sorted(texts(simple.all("c"))) == sorted(texts(simple.all("a"))) == sorted(FACTS[:3])
    assert texts(simple.find("b", FACTS[0], k=9)) == ["Bruno owns a boat."]
    for k in (1, 2, 3):
        found = simple.find("c", FACTS[1], k=k)
        assert len(found) == k
        assert found[0]["score"] == pytest.approx(1.0, abs=1e-5)
    calls = len(simple.server.requests)
    assert simple.all("c") == simple.all("c")
    assert len(simple.server.requests) == calls
    assert simple.troubles == []


def test_a_config_beside_the_checkout_is_not_read(adapter: Callable[..., Any], checkout: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "simplemem").symlink_to(Path(checkout) / "simplemem")
    (source / "config.py").write_text('OPENAI_API_KEY = "theirs"\nWINDOW_SIZE = 1\nLLM_MODEL = "another"\n')
    simple = adapter("simplemem", options={"source": str(source)})
    simple.tell("a", FACTS[0])
    assert simple.all("a") == []
    simple.ask("settle", scope="a")
    assert texts(simple.all("a")) == [FACTS[0]]


def test_a_folder_that_is_no_checkout_is_named(adapter: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"refused: simplemem:source=.* is no checkout .*system\.py is missing"):
        adapter("simplemem", options={"source": str(tmp_path)})


def test_looking_at_a_store_finishes_no_window(adapter: Callable[..., Any]) -> None:
    simple = adapter("simplemem")
    simple.tell("a", *FACTS)
    for _ in range(3):
        assert simple.all("a") == []
    assert not simple.server.requests
    simple.ask("settle", scope="a")
    assert len(simple.server.requests) == 2  # one window, one batch of vectors
