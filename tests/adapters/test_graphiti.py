"""The real graphiti-core on its embedded graph: what it stores, finds and forgets, and what its ways would hide."""

from __future__ import annotations

import json
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
    graph = adapter("graphiti")
    graph.tell("a", ODO, KETTLE, id="s1", timestamp="2026-03-02T09:00:00+00:00")
    graph.tell("a", SHIP, id="s2", timestamp="2026-04-05T09:00:00+00:00")
    facts = {each["text"]: each for each in graph.all("a")}
    assert {ODO, KETTLE, SHIP} <= set(facts)
    assert facts[KETTLE]["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    assert facts[SHIP]["sources"] == ["s2/0", "s2/1"]
    assert facts[SHIP]["created_at"] == "2026-04-05T09:00:00+00:00"
    found = graph.find("a", "Where does the green kettle stand?", k=1)
    assert texts(found) == [KETTLE]
    assert found[0]["score"] > 0
    assert graph.troubles == []
    assert graph.hello["version"]
    assert "Kuzu" in graph.hello["notices"][0]


def test_entities_are_listed_with_their_summaries(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti")
    graph.tell("a", ODO)
    graph.tell("a", KETTLE, id="s2", timestamp="2026-04-05T09:00:00+00:00")
    speaker = next(each for each in graph.all("a") if each["text"].startswith("user: "))
    assert ODO in speaker["text"]
    assert KETTLE in speaker["text"]
    assert speaker["sources"] == ["s1/0", "s1/1", "s2/0", "s2/1"]


def test_an_empty_store_lists_nothing(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti")
    assert graph.all("a") == []
    assert graph.find("a", "Where is the kettle?") == []


def test_interleaved_scopes_never_meet(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti")
    graph.tell("a", ODO)
    graph.tell("b", KETTLE)
    graph.tell("a", SHIP, id="s2")
    graph.tell("b", "Odo paints harbours in oil.", id="s2")
    ours, theirs = " ".join(texts(graph.all("a"))), " ".join(texts(graph.all("b")))
    assert "kettle" not in ours
    assert "oil" not in ours
    assert "rows" not in theirs
    assert "boat" not in theirs
    assert not set(texts(graph.find("a", "kettle Odo oil", k=10))) & set(texts(graph.find("b", "kettle Odo oil", k=10)))


def test_a_reset_forgets_and_leaves_others_alone(adapter: Callable[..., Any], tmp_path: Path) -> None:
    graph = adapter("graphiti")
    graph.tell("a", ODO)
    graph.tell("b", KETTLE)
    graph.ask("reset", scope="a")
    assert not (tmp_path / "graphiti-0" / "stores" / "a").exists()
    assert graph.all("a") == []
    assert KETTLE in texts(graph.all("b"))


def test_more_stores_at_once_than_the_driver_alone_could_open(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti")
    graph.tell("first", KETTLE)
    for number in range(16):
        assert graph.all(f"scope-{number}") == []
    assert KETTLE in texts(graph.all("first"))  # its graph was put away meanwhile
    assert texts(graph.find("first", "Where does the green kettle stand?", k=1)) == [KETTLE]


def test_k_is_reached_also_with_what_lies_below_the_floor(adapter: Callable[..., Any]) -> None:
    said = [ODO, KETTLE, SHIP, "Nine swans nest by lock four.", "Lena's violin was made in Cremona."]
    graph = adapter("graphiti")
    graph.tell("a", *said)
    found = graph.find("a", "Where does the green kettle stand?", k=4)
    assert len(found) == 4
    assert found[0]["text"] == KETTLE
    assert found[-1]["score"] == 0.0
    unfilled = adapter("graphiti", options={"fill": "false"})
    unfilled.tell("a", *said)
    assert len(unfilled.find("a", "Where does the green kettle stand?", k=4)) < 4


def test_the_floor_is_the_one_of_the_other_stores(adapter: Callable[..., Any]) -> None:
    """The cosine is 0.35, or 0.68 on the scale that the floor of 0.6 is meant for: words and vectors both find it."""
    graph = adapter("graphiti")
    graph.tell("a", KETTLE)
    assert graph.find("a", "Who keeps a kettle?", k=1)[0]["score"] == 2.0
    strict = adapter("graphiti", options={"min_score": "0.7"})
    strict.tell("a", KETTLE)
    assert strict.find("a", "Who keeps a kettle?", k=1)[0]["score"] == 1.0


def test_questions_may_be_written_in_any_way(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti", options={"min_score": "0.99", "fill": "false"})  # words alone
    graph.tell("a", KETTLE)
    assert texts(graph.find("a", "Whose kettle?")) == [KETTLE]
    for query in ("?", "who is it", 'd\'accord "kettle" \\ (x', "kettle " * 200, "Чайник на чердаке?", "*"):
        graph.find("a", query)
    assert graph.troubles == []


def test_a_contradicted_fact_stays_and_says_when_it_ended(adapter: Callable[..., Any]) -> None:
    def contradicting(request: Request) -> Any:
        if request.schema_name == "EdgeDuplicate" and "shed now" in request.text:
            return {"duplicate_facts": [], "contradicted_facts": [0]}
        return memory(request)

    graph = adapter("graphiti", script=contradicting)
    graph.tell("a", KETTLE, timestamp="2026-03-02T09:00:00+00:00")
    graph.tell("a", "The green kettle stands in the shed now.", id="s2", timestamp="2026-04-05T09:00:00+00:00")
    ended = KETTLE + " (until 2026-04-05)"
    assert ended in texts(graph.all("a"))
    assert ended in texts(graph.find("a", "Where does the green kettle stand?"))


def test_an_error_that_the_library_swallows_is_told(adapter: Callable[..., Any]) -> None:
    def no_dates(request: Request) -> Any:
        return Reply("no dates today", status=400) if request.schema_name == "EdgeTimestamps" else memory(request)

    graph = adapter("graphiti", script=no_dates)
    graph.tell("a", KETTLE)
    assert KETTLE in texts(graph.all("a"))
    assert any("timestamps" in each for each in graph.troubles)


def test_a_query_writes_nothing_and_repeats_itself(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti")
    graph.tell("a", ODO, KETTLE, SHIP)
    before = graph.all("a")
    calls = graph.server.count(path="/chat/completions")
    assert graph.find("a", "Who bought the boat?") == graph.find("a", "Who bought the boat?")
    assert graph.all("a") == before
    assert graph.server.count(path="/chat/completions") == calls


def test_a_saved_store_comes_back_in_another_scope(adapter: Callable[..., Any], tmp_path: Path) -> None:
    graph = adapter("graphiti")
    graph.tell("a", ODO, KETTLE)
    graph.ask("save", scope="a", path=str(tmp_path / "kept"))
    graph.ask("reset", scope="a")
    graph.tell("b", SHIP)
    graph.ask("load", scope="b", path=str(tmp_path / "kept"))
    assert {ODO, KETTLE} <= set(texts(graph.all("b")))
    assert SHIP not in texts(graph.all("b"))
    assert graph.find("b", "Where does the green kettle stand?", k=1)[0]["sources"] == ["s1/0", "s1/1", "s1/2", "s1/3"]
    graph.tell("b", SHIP, id="s2")
    assert {ODO, KETTLE, SHIP} <= set(texts(graph.all("b")))
    kept = json.loads((tmp_path / "kept" / "graphiti.json").read_text())
    assert {len(edge["fact_embedding"]) for edge in kept["edges"]} == {1536}  # not cut to the library's 1024


def test_per_turn_every_fact_knows_its_own_turn(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti", options={"per": "turn", "list": "facts"})
    graph.tell("a", ODO, KETTLE)
    assert {each["text"]: each["sources"] for each in graph.all("a")} == {ODO: ["s1/0"], KETTLE: ["s1/2"]}


def test_nodes_can_be_searched_and_episodes_listed(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti", options={"search": "combined", "list": "episodes"})
    graph.tell("a", ODO, KETTLE)
    assert texts(graph.all("a")) == [f"user: {ODO}\nassistant: Noted.\nuser: {KETTLE}\nassistant: Noted."]
    found = texts(graph.find("a", "Where does the green kettle stand?", k=5))
    assert KETTLE in found
    assert any(text.startswith("in the attic: ") for text in found)


def test_an_endpoint_without_schemas_can_be_used(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti", options={"structured": "json_object"})
    graph.tell("a", KETTLE)
    assert KETTLE in texts(graph.all("a"))
    formats = {seen.body["response_format"]["type"] for seen in graph.server.requests if "messages" in seen.body}
    assert formats == {"json_object"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"internal": False}, "--internal"),
        ({"embed": False}, "--embed"),
        ({"options": {"per": "word"}}, "session or turn"),
        ({"options": {"list": "dreams"}}, "facts, entities, episodes"),
        ({"options": {"store": "neo4j://me:secret@localhost"}}, "NEO4J_PASSWORD"),
        ({"options": {"min_score": "high"}}, "number"),
        ({"options": {"client": "groq"}}, "auto or openai or generic"),
        ({"options": {"client": "openai", "structured": "json_object"}}, "client=generic"),
    ],
)
def test_what_does_not_fit_is_refused(adapter: Callable[..., Any], given: dict[str, Any], told: str) -> None:
    with pytest.raises(RuntimeError, match=told) as refused:
        adapter("graphiti", **given)
    assert "refused" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_graph_server_that_is_not_there_is_named(adapter: Callable[..., Any]) -> None:
    graph = adapter("graphiti", options={"store": "falkordb://127.0.0.1:1"})
    with pytest.raises(RuntimeError, match=r"no graph at falkordb://127\.0\.0\.1:1"):
        graph.tell("a", KETTLE)


def test_the_client_of_its_users_asks_for_strict_shapes_at_responses(adapter: Callable[..., Any]) -> None:
    """Which client asks is chosen by the endpoint; a stranger's gets the generic one."""
    generic, users = adapter("graphiti"), adapter("graphiti", options={"client": "openai"})
    for graph in (generic, users):
        graph.tell("a", ODO, KETTLE)
        assert {ODO, KETTLE} <= set(texts(graph.all("a")))
        assert graph.troubles == []
    assert users.server.count(path="/chat/completions") == 0
    asked = [
        seen.body["text"]["format"] for seen in users.server.requests if "input" in seen.body and "text" in seen.body
    ]
    assert {"ExtractedEntities", "ExtractedEdges"} <= {shape["name"] for shape in asked}
    assert all(shape["strict"] for shape in asked)
    assert generic.server.count(path="/responses") == 0
    assert "its generic client" in generic.hello["notices"][0]
    assert "its openai client" in users.hello["notices"][0]


def test_the_cross_encoder_orders_by_what_the_model_thinks_of_each_fact(adapter: Callable[..., Any]) -> None:
    """The model is most certain of a fact that neither words nor vectors put first."""

    def likes_ships(request: Request) -> Any:
        if request.body.get("logprobs") and "<PASSAGE>" in request.last_user:
            sure = 0.9 if SHIP in request.last_user else 0.2 if KETTLE in request.last_user else 0.1
            return Reply("True" if sure > 0.5 else "False", certainty=max(sure, 1 - sure))
        return Reply("True", certainty=1.0) if request.body.get("logprobs") else memory(request)

    ranked = adapter("graphiti", script=likes_ships, options={"reranker": "cross_encoder", "min_score": "0"})
    ranked.tell("a", ODO, KETTLE, SHIP)
    before = ranked.server.count(path="/chat/completions")
    found = ranked.find("a", "Where does the green kettle stand?", k=3)
    assert texts(found)[:2] == [SHIP, KETTLE]
    assert [round(each["score"], 3) for each in found] == [0.9, 0.2, 0.1]
    assert ranked.server.count(path="/chat/completions") - before == 3  # one call for each fact
    assert ranked.troubles == []
    plain = adapter("graphiti", script=likes_ships, options={"min_score": "0"})
    plain.tell("a", ODO, KETTLE, SHIP)
    assert texts(plain.find("a", "Where does the green kettle stand?", k=3))[0] == KETTLE


@pytest.mark.parametrize(
    ("reply", "told"), [("True", "gives none"), (Reply("no logprobs here", status=400), "no logprobs here")]
)
def test_a_cross_encoder_without_log_probabilities_is_refused(
    adapter: Callable[..., Any], reply: Any, told: str
) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*log probabilities.*{told}"):
        adapter("graphiti", script=lambda _: reply, options={"reranker": "cross_encoder"})


def test_what_is_added_to_its_prompts_holds_for_one_store_alone(adapter: Callable[..., Any]) -> None:
    graphiti = adapter("graphiti")
    own = graphiti.ask("prompts", scope="one")["prompts"]
    assert list(own) == ["extract_nodes.extract_message", "extract_edges.edge", "dedupe_nodes.nodes"]
    assert "<episode_content>" in own["extract_edges.edge"]
    graphiti.ask("set_prompts", scope="one", prompts={"extract_nodes.extract_message": "Be a Capybara."})
    more = own["extract_edges.edge"] + "\n\nMind the Wombat."
    graphiti.ask("set_prompts", scope="two", prompts={"extract_edges.edge": more})
    seen = []
    for scope in ("one", "two", "three"):
        before = len(graphiti.server.requests)
        graphiti.tell(scope, "Cousin Ada keeps geese in Ulm with Uncle Bo.", id=f"s-{scope}")
        texts = [str(each.body) for each in graphiti.server.requests[before:]]
        assert sum("<episode_content>" in text for text in texts) == 0
        seen.append([any(word in text for text in texts) for word in ("Capybara", "Wombat")])
    assert seen == [[True, False], [False, True], [False, False]]
