"""hipporag: triples by rule, the graph, PageRank against hand-made values and networkx, and what a model may do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.chat import ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.models.current import use_models
from memtriage.models.scripted import Reply, Request, Script, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.server import Recorded
from memtriage.models.scripted.systems import hipporag
from memtriage.models.system_models import SystemModels
from memtriage.systems.designs.hipporag.graph import PhraseGraph, Reading
from memtriage.systems.designs.hipporag.memory import HippoRAG
from memtriage.systems.designs.hipporag.pagerank import Links
from memtriage.systems.designs.rules.triples import triples

NOW = Session("now", ())


def told(system: HippoRAG, *texts: str) -> HippoRAG:
    for text in texts:
        id = f"s{len(system.get_all_memories())}"
        system.store_conversation(Session(id, (Turn("user", text, f"{id}/0"),), "2026-05-01T09:00:00"))
    return system


def found(system: HippoRAG, query: str, k: int) -> list[str]:
    return [memory.text for memory in system.retrieve_memories(query, NOW, k)]


# Triples by rule

WITH_SPORT = "is associated with the sport of"


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("Loud sirens make Ines cover her ears.", [("Loud sirens", "make", "cover her ears")]),
        ("A foggy harbour puts me in a pensive mood.", [("foggy harbour", "puts", "pensive mood")]),
        ("To mend a net always leads to humming old tunes.", [("mend a net", "leads to", "humming old tunes")]),
        ("When I mend a net I hum.", [("mend a net", "when", "hum")]),
        ("After a cold swim, Ines starts to sneeze.", [("cold swim", "after", "sneeze"), ("Ines", "starts", "sneeze")]),
        ("I polish the brass because it calms me down.", [("polish the brass", "because", "down")]),
        ("I count gulls to pass the time.", [("count gulls", "to", "pass the time")]),
        (
            "Because Odo Varga feels brave he rows alone.",
            [("brave", "because", "rows alone"), ("Odo Varga", "feels", "brave"), ("Odo Varga", "does", "rows alone")],
        ),
        ("Odo craves pickled plums.", [("Odo", "craves", "pickled plums")]),
        ("Odo can feel brave and then sing.", [("brave", "and then", "sing"), ("Odo", "can", "brave")]),
        ("I like plum dumplings.", [("user", "like", "plum dumplings")]),
        ("12. Odo Varga was born in the city of Graz.", [("Odo Varga", "was born in the city of", "Graz")]),
        ("The mayor of University of Graz is Ines.", [("University of Graz", "mayor is", "Ines")]),
        ("Odo Varga's child is Ines Varga.", [("Odo Varga", "child is", "Ines Varga")]),
        ("The harbour where Odo Varga was trained is Port Ness.", [("Odo Varga", "harbour was trained", "Port Ness")]),
        ("The yard that built Sea Heron is Ness Works.", [("Sea Heron", "yard built", "Ness Works")]),
        ("wing play is associated with the sport of handball.", [("wing play", WITH_SPORT, "handball")]),
        ("Odo Varga plays the position of wing half.", [("Odo Varga", "plays the position of", "wing half")]),
        ("Rain, wind, gulls!", [("rain", "with", "wind"), ("wind", "with", "gulls")]),
        ("The boat that it is Odo.", [("boat", "with", "odo")]),
        ("So?", []),
    ],
)
def test_a_sentence_becomes_triples_whose_ends_are_names_of_things(
    sentence: str, read: list[tuple[str, str, str]]
) -> None:
    assert [(each.subject, each.relation, each.object) for each in triples(sentence)] == read


@given(
    st.text(st.characters(codec=None), max_size=300)
    | st.lists(st.sampled_from("When I , is the of Odo ly ".split())).map(" ".join)
)
@settings(max_examples=60, deadline=None)
def test_any_text_gives_triples_with_two_different_ends(text: str) -> None:
    for each in triples(text, ("Odo",)):
        assert each.subject.strip()
        assert each.object.strip()
        assert each.subject != each.object


# The walk


def test_pagerank_of_a_star_is_what_one_works_out_by_hand() -> None:
    links = Links()
    links.join([(0, 1, 1.0), (0, 2, 1.0), (0, 3, 2.0)])
    rank = links.pagerank(np.array([1.0, 0.0, 0.0, 0.0, 0.0]), damping=0.5)
    # hub = 1/2 + 1/2 (a + b + c); a = b = hub/8; c = hub/4: hub = 2/3. Nothing leads to the fifth node.
    assert rank == pytest.approx([2 / 3, 1 / 12, 1 / 12, 1 / 6, 0.0], abs=1e-8)
    links.join([(3, 4, 2.0)])  # c: half back, half on; hub = 1/2 + hub/8 + c/4; c = hub/4 + e/2; e = c/4
    rank = links.pagerank(np.array([1.0, 0.0, 0.0, 0.0, 0.0]), damping=0.5)
    hub = 0.5 / (1 - 1 / 8 - 1 / 14)
    assert rank == pytest.approx([hub, hub / 8, hub / 8, hub * 2 / 7, hub / 14], abs=1e-8)


def test_a_walk_that_gets_stuck_starts_again() -> None:
    rank = Links().pagerank(np.array([3.0, 1.0]), damping=0.9)
    assert rank == pytest.approx([0.75, 0.25])


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(1, 5)), max_size=20),
    st.lists(st.integers(0, 4), min_size=8, max_size=8).filter(any),
    st.sampled_from([0.2, 0.5, 0.85]),
)
@settings(max_examples=60, deadline=None)
def test_pagerank_agrees_with_networkx(edges: list[tuple[int, int, int]], starts: list[int], damping: float) -> None:
    links, graph = Links(), networkx.Graph()
    graph.add_nodes_from(range(8))
    for one, other, weight in edges:
        if one != other:
            links.join([(one, other, float(weight))])
            known = graph.get_edge_data(one, other, {"weight": 0})["weight"]
            graph.add_edge(one, other, weight=known + weight)
    wanted = networkx.pagerank(graph, damping, personalization=dict(enumerate(starts)), tol=1e-12, max_iter=1000)
    assert links.pagerank(np.array(starts, float), damping) == pytest.approx([wanted[n] for n in range(8)], abs=1e-7)


def test_the_graph_joins_what_is_said_what_is_held_and_what_is_alike() -> None:
    graph = PhraseGraph(same=0.8)
    first = Reading(("Graz",), (("The old boat", "leaks in", "heavy rain"), ("user", "owns", "the old boat")))
    vectors = np.eye(3, dtype=np.float32)
    assert list(graph.new_phrases([first]).values()) == ["Graz", "The old boat", "heavy rain"]
    graph.add([first], vectors)
    again = Reading(
        (), (("old boat", "is for", "sale"), ("heavy rains", "flood", "Graz"), ("my old boat", "sank in", "Graz"))
    )
    assert list(graph.new_phrases([again]).values()) == ["sale"], "endings and articles make no other phrase"
    graph.add([again], np.array([[0.0, 0.6, 0.8]], dtype=np.float32))
    graph.add([Reading(("big old boat", "in Graz"))], np.array([[1.0, 0.0, 0.0]], dtype=np.float32))
    graph.compare()
    # "sale" is like "heavy rain" by its vector, and "big old boat" like "Graz"
    assert graph.alike == [(3, 2, pytest.approx(0.8)), (4, 0, 1.0)]
    assert graph.holders == [{0, 1, 2}, {0, 1}, {0, 1}, {1}, {2}]
    assert graph.ends == [(1, 2), (1,), (1, 3), (2, 0), (1, 0)]


# Retrieval without a model

CHAIN = (
    "A foggy harbour puts me in a pensive mood.",
    "A pensive mood makes me polish brass buttons.",
    "Polishing brass buttons leads me to hum sea shanties.",
)
NOISE = (
    "Ripe cherries make me visit the orchard.",
    "Visiting the orchard helps me sleep.",
    "A broken kettle gives me a cold kitchen.",
    "When I'm in a cold kitchen I bake rye bread.",
    "Paper kites push me to climb the hill.",
    "What I end up doing in a harbour is a mystery.",
)


def test_a_walk_finds_links_that_share_no_word_with_the_question() -> None:
    asked = "What does a foggy harbour make me do in the end?"
    system = told(HippoRAG(summarise="rules"), *NOISE[:3], *CHAIN, *NOISE[3:])
    assert set(CHAIN) <= set(found(system, asked, 4))
    by_cosine = told(HippoRAG(summarise="verbatim"), *NOISE[:3], *CHAIN, *NOISE[3:])
    assert CHAIN[2] not in found(by_cosine, asked, 4)


def test_options_below_a_question_are_looked_up_one_by_one() -> None:
    system = told(HippoRAG(summarise="rules", passages=0), *NOISE, *CHAIN)
    asked = "What happens in the end?\n\nOptions:\nA. climb the hill\nB. hum sea shanties"
    assert set(found(system, asked, 2)) == {CHAIN[2], "Paper kites push me to climb the hill."}


def test_where_no_triple_bears_on_the_question_the_cosine_decides() -> None:
    ruled, verbatim = (told(HippoRAG(summarise=mode), *NOISE, *CHAIN) for mode in ("rules", "verbatim"))
    for query in ("Who repairs violins?", "?"):
        assert ruled.retrieve_memories(query, NOW, 9) == verbatim.retrieve_memories(query, NOW, 9)


def test_phrases_of_many_passages_are_weaker_starts() -> None:
    system = told(
        HippoRAG(summarise="rules", passages=0, damping=0),
        "Odo craves plums.",
        *(f"Odo owns {thing}." for thing in ("a lamp", "a rug", "a desk")),
    )
    asked = "What about the plums that Odo craves?"
    starts = system._starts(asked, {asked: system.embedder.embed([asked])[0]})
    names = {" ".join(key): starts[n] for n, key in enumerate(system._graph.keys) if starts[n]}
    assert names["odo"] < names["plum"] / 3


def test_what_a_walk_finds_does_not_depend_on_the_sessions_it_came_in(tmp_path: Path) -> None:
    one = told(HippoRAG(summarise="rules", granularity="sentence"), *NOISE, *CHAIN)
    other = HippoRAG(summarise="rules", granularity="sentence")
    turns = tuple(Turn("user", text, f"t{n}") for n, text in enumerate((*NOISE, *CHAIN)))
    other.store_conversation(Session("all", turns))
    asked = "What does a foggy harbour make me do?"
    scores = [[memory.score for memory in each.retrieve_memories(asked, NOW, 9)] for each in (one, other)]
    assert scores[0] == pytest.approx(scores[1])
    one.save(tmp_path)
    again = HippoRAG(summarise="rules", granularity="sentence")
    again.load(tmp_path)
    assert again.retrieve_memories(asked, NOW, 9) == one.retrieve_memories(asked, NOW, 9)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"damping": 1}, "damping must be a number from 0 to 0.99"),
        ({"same": "high"}, "same must be a number from 0 to 1"),
        ({"linked": 0}, "linked must be a whole number of at least 1"),
        ({"passages": -1}, "passages must be a number from 0 to 1"),
    ],
)
def test_a_setting_out_of_bounds_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        HippoRAG(summarise="rules", **given)


def test_without_scipy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtriage.systems.designs.hipporag.memory.find_spec", lambda name: None)
    with pytest.raises(BadSystem, match=r"pip install '\.\[structure\]'"):
        HippoRAG(summarise="rules")


# With a model


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(hipporag.reply) as served, SystemModels(cache=None) as inside, use_models(inside):
        yield served


def answering(**replies: Any) -> Script:
    """A model that gives these objects by task, and the scripted answer to anything else."""

    def script(request: Request) -> Any:
        data = data_block(request)
        said = replies.get(str(data["task"])) if data else None
        return hipporag.reply(request) if said is None else said

    return script


def data_of(recorded: Recorded) -> Mapping[str, Any]:
    messages = tuple((each["role"], each["content"]) for each in recorded.body["messages"])
    return data_block(Request(recorded.path, recorded.body, messages)) or {}


def tasks(server: StubServer) -> list[str]:
    return [str(data_of(recorded)["task"]) for recorded in server.requests]


def sent(server: StubServer, task: str) -> list[Mapping[str, Any]]:
    return [data for data in map(data_of, server.requests) if data["task"] == task]


def test_a_session_takes_two_calls_a_question_one_and_nothing_is_read_twice(server: StubServer) -> None:
    system = HippoRAG(internal=f"{server.url}#scripted")
    turns = tuple(Turn("user", text, f"t{n}") for n, text in enumerate(CHAIN))
    system.store_conversation(Session("s1", turns))
    told(system, "Odo repairs clocks.")
    assert tasks(server) == ["hippo_entities", "hippo_triples"] * 2
    shown = sent(server, "hippo_triples")
    assert [each["text"] for each in shown[0]["passages"]] == list(CHAIN)
    assert "harbour" in shown[0]["passages"][0]["entities"]
    assert [each["text"] for each in shown[1]["passages"]] == ["Odo repairs clocks."]
    assert found(system, "Who repairs clocks?", 1) == ["Odo repairs clocks."]
    assert tasks(server)[4:] == ["hippo_filter"]
    assert system.usage().calls == 5


def test_the_model_decides_which_triples_the_walk_starts_from(server: StubServer) -> None:
    def triple(subject: str, object: str) -> dict[str, Any]:
        return {"passage": 1, "subject": subject, "relation": "leads to", "object": object}

    system = HippoRAG(internal=f"{server.url}#scripted", passages=0)
    for text, said in (
        ("Alpha.", triple("rain", "mud")),
        ("Beta.", triple("mud", "boots")),
        ("Gamma.", triple("rain dance", "applause")),
    ):
        server.script = answering(hippo_entities={"passages": []}, hippo_triples={"triples": [said]})
        told(system, text)
    server.script = answering(hippo_filter={"relevant": [99, 0]})
    asked = "What comes of rain?"
    by_cosine = found(system, asked, 3)
    shown = [each["text"] for each in sent(server, "hippo_filter")[-1]["triples"]]
    for wanted, best in (("rain leads to mud", ["Alpha.", "Beta."]), ("rain dance leads to applause", ["Gamma."])):
        server.script = answering(hippo_filter={"relevant": [shown.index(wanted) + 1, 77]})
        assert found(system, asked, len(best)) == best
    verbatim = told(HippoRAG(summarise="verbatim"), "Alpha.", "Beta.", "Gamma.")
    assert by_cosine == found(verbatim, asked, 3), "numbers that were not shown keep nothing"


def test_what_a_model_makes_up_is_left_out(server: StubServer) -> None:
    server.script = answering(
        hippo_entities={
            "passages": [{"passage": 7, "entities": ["ghost"]}, {"passage": 1, "entities": ["", " Odo  V. "]}]
        },
        hippo_triples={
            "triples": [
                {"passage": 2, "subject": "Odo", "relation": "is", "object": "far"},
                {"passage": 1, "subject": "Odo", "relation": "", "object": "near"},
                {"passage": 1, "subject": "the user", "relation": "knows", "object": "Odo V."},
            ]
        },
    )
    system = told(HippoRAG(internal=f"{server.url}#scripted"), "I know Odo.")
    assert system._graph.readings == [Reading(("Odo V.",), (("the user", "knows", "Odo V."),))]
    assert len(system._graph.keys) == 1, "the speaker is no node"


def test_a_session_that_the_model_fails_on_is_not_stored_in_part(server: StubServer) -> None:
    system = told(HippoRAG(internal=f"{server.url}#scripted"), "Odo repairs clocks.")
    server.script = answering(hippo_triples=Reply("no", status=400))
    with pytest.raises(ModelError):
        told(system, "Ines sails.")
    assert [memory.text for memory in system.get_all_memories()] == ["Odo repairs clocks."]
    server.script = hipporag.reply
    told(system, "Ines sails.")
    assert found(system, "Who sails?", 1) == ["Ines sails."]


def test_prompts_of_ones_own_reach_the_model(server: StubServer, tmp_path: Path) -> None:
    file = tmp_path / "prompts.json"
    file.write_text(json.dumps({"hippo_filter": "Keep what rhymes."}))
    system = told(HippoRAG(internal=f"{server.url}#scripted", prompts=str(file)), "Odo repairs clocks.")
    found(system, "Who repairs clocks?", 1)
    assert "Keep what rhymes." in server.requests[-1].body["messages"][0]["content"]
    file.write_text(json.dumps({"hippo_filters": "x"}))
    with pytest.raises(BadInput, match="did you mean 'hippo_filter'"):
        HippoRAG(internal=f"{server.url}#scripted", prompts=str(file))
