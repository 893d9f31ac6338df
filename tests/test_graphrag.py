"""graphrag: its graph, its communities and reports, its three ways of searching, and what a model may do in it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from memtriage.core.chat import ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory
from memtriage.core.trace import Usage
from memtriage.models.current import use_models
from memtriage.models.scripted import Reply, Request, Script, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.replies import parse_request
from memtriage.models.scripted.systems import graphrag as scripted
from memtriage.models.system_models import SystemModels
from memtriage.registry import SystemSpec
from memtriage.runner.check import check
from memtriage.systems.adapted import misfit
from memtriage.systems.designs.graphrag.communities import communities
from memtriage.systems.designs.graphrag.growing import Growing
from memtriage.systems.designs.graphrag.memory import SEARCHES, GraphRAG
from memtriage.systems.libraries.catalog import steps

NOW = Session("now", ())
ANY_TEXT = st.text(st.characters(codec=None), max_size=120)  # lone surrogates and control characters included


def talk(*texts: str, id: str = "s0", at: str | None = "2026-05-01T09:00:00") -> Session:
    return Session(id, tuple(Turn("user", text, f"{id}/{n}") for n, text in enumerate(texts)), at)


LIFE = (
    talk("Noor plays the cello.", "Odo repairs clocks in Graz.", id="s1", at="2026-05-01"),
    talk("Odo keeps a heron named Pip. Pip sleeps in the bathtub.", id="s2", at="2026-05-02"),
    talk("I like plum dumplings.", "I like walking in the rain, too.", id="s3", at="2026-05-03"),
    talk("When it rains, Marcus Lee bakes bread.", id="s4", at="2026-05-04"),
)
APART = (talk("Noor plays the old cello."), talk("Odo repairs very tall clocks.", id="s1"))
"""Two sessions whose entities have nothing to do with each other."""


def texts(memories: list[Memory]) -> list[str]:
    return [memory.text for memory in memories]


def filled(system: Any, *sessions: Session) -> Any:
    for session in sessions or LIFE:
        system.store_conversation(session)
    return system


def found(system: Any, query: str, k: int = 5) -> list[str]:
    return texts(system.retrieve_memories(query, NOW, k))


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(scripted.reply) as served, SystemModels(cache=None) as inside, use_models(inside):
        yield served


def with_model(server: StubServer, **more: Any) -> GraphRAG:
    return GraphRAG(internal=f"{server.url}#scripted", **more)


def asked(server: StubServer, task: str) -> list[Any]:
    """The data of all questions of a kind that were put to the model."""
    every = (data_block(parse_request("/chat/completions", request.body)) for request in server.requests)
    return [data for data in every if data and data["task"] == f"graphrag_{task}"]


def answering(**replies: Any) -> Script:
    """A model that gives these objects by task, and the usual answer to anything else."""

    def script(request: Request) -> Any:
        data = data_block(request)
        said = replies.get(str(data["task"]).removeprefix("graphrag_")) if data else None
        if callable(said):
            said = said(data)
        return scripted.reply(request) if said is None else said

    return script


# What it is


def test_it_says_what_it_is_and_fits_the_interface() -> None:
    assert all(steps(GraphRAG.traits.architecture).values())
    assert GraphRAG.traits.family == "structure-rag"
    system = GraphRAG(summarise="rules")
    assert misfit(system) is None
    assert (system.traits.parallel, system.usage(), system.notices()) == (False, Usage(), [])


def test_what_is_missing_or_mistyped_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSystem, match=r"--internal.*graphrag:summarise=verbatim"):
        GraphRAG()
    with pytest.raises(BadInput, match="did you mean 'global'"):
        GraphRAG(summarise="rules", search="globl")
    with pytest.raises(BadInput, match="did you mean 'reports'"):
        GraphRAG(summarise="rules", kinds="units+report")
    with pytest.raises(BadInput, match=r"no entities; there are units"):
        GraphRAG(summarise="verbatim", kinds="entities")
    with pytest.raises(BadInput, match="writes none; say search=local"):
        GraphRAG(summarise="verbatim", search="global")
    with pytest.raises(BadInput, match="size"):
        GraphRAG(summarise="rules", size=1)
    with pytest.raises(BadInput, match="at least 1"):
        GraphRAG(summarise="rules").retrieve_memories("what?", NOW, 0)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(BadSystem, match=r"pip install '\.\[structure\]'"):
        GraphRAG(summarise="rules")


@pytest.mark.parametrize(
    "arguments",
    [{"summarise": "verbatim"}, {"summarise": "rules", "search": "drift"}, {"internal": ""}],
    ids=lambda arguments: "-".join(arguments.values()) or "model",
)
def test_a_rehearsal_finds_nothing_wrong(arguments: dict[str, Any], server: StubServer) -> None:
    if "internal" in arguments:
        arguments = {"internal": f"{server.url}#scripted"}
    seen = list(check(SystemSpec("graphrag", GraphRAG, arguments), sessions=5))
    assert [each for each in seen if each.outcome == "problem"] == []
    assert any(each.what == "lists everything it was told" and each.outcome == "ok" for each in seen)


# The graph


def related(source: str, target: str, description: str, strength: int, *passages: int) -> dict[str, Any]:
    ends = {"source": source, "target": target}
    return {**ends, "description": description, "strength": strength, "passages": list(passages)}


def test_what_is_said_of_one_entity_comes_together(server: StubServer) -> None:
    told = iter(
        [
            {
                "entities": [
                    {"name": "Odo", "type": "person", "description": "Odo repairs clocks.", "passages": [1]},
                    {"name": "Graz", "type": "town", "description": "A town.", "passages": [2]},
                ],
                "relations": [
                    {
                        "source": "Odo",
                        "target": "Graz",
                        "description": "Odo lives in Graz.",
                        "strength": 7,
                        "passages": [2],
                    }
                ],
            },
            {
                "entities": [{"name": "odo", "type": "man", "description": "Odo keeps a heron.", "passages": [1]}],
                "relations": [
                    {
                        "source": "Graz",
                        "target": "Odo",
                        "description": "Odo votes in Graz.",
                        "strength": 2,
                        "passages": [],
                    },
                    {
                        "source": "Odo",
                        "target": "Pip",
                        "description": "Pip is Odo's heron.",
                        "strength": 99,
                        "passages": [9],
                    },
                    {"source": "Odo", "target": "ODO", "description": "Odo is Odo.", "strength": 1, "passages": [1]},
                ],
            },
        ]
    )
    server.script = answering(extract=lambda data: next(told))
    system = filled(with_model(server), talk("a", "b", id="s1"), talk("c", "d", id="s2", at="2026-06-01"))
    odo, graz, pip = system.graph.entities.values()
    assert odo.text == "Odo (person): Odo repairs clocks. Odo keeps a heron."
    assert (odo.units, odo.sources) == (("u1", "u2"), ("s1/0", "s1/1", "s2/0", "s2/1"))
    assert (graz.sources, pip.text) == (("s1/1", "s2/0", "s2/1"), "")
    to_graz, to_pip = system.graph.relations.values()
    assert (to_graz.weight, to_graz.text) == (9, "Odo lives in Graz. Odo votes in Graz.")
    assert (to_pip.weight, to_pip.sources) == (1, ("s2/0", "s2/1")), "made-up numbers count for nothing"
    listed = {memory.id: memory for memory in system.get_all_memories()}
    assert set(listed) == {"u1", "u2", "e1", "e2", "r1", "r2"}, "an entity of which nothing is said is no memory"
    assert listed["r1"].created_at == listed["e1"].created_at == "2026-06-01"
    assert listed["u1"] == Memory("u1", "user: a\nuser: b", "2026-05-01T09:00:00", ("s1/0", "s1/1"))


def test_long_descriptions_are_summed_up_by_the_model(server: StubServer) -> None:
    system = with_model(server, describe=20)
    filled(system, talk("Odo repairs old clocks in Graz."), talk("Odo keeps a heron named Pip.", id="s1"))
    assert asked(server, "descriptions") == []
    filled(system, talk("Odo never sleeps before two in the morning.", id="s2"))
    [items] = [data["items"] for data in asked(server, "descriptions")]
    assert [(item["name"], len(item["descriptions"])) for item in items] == [("Odo", 3)]
    odo = system.graph.entities["e1"]
    assert odo.descriptions == ("Odo repairs old clocks in Graz. Odo keeps a heron named Pip. Odo never sleeps",), (
        "the scripted model keeps the first 15 words"
    )
    assert len(odo.units) == 3
    server.script = answering(descriptions={"descriptions": [{"number": 7, "text": "?"}]})
    filled(system, talk("Odo owns a boat with a green sail.", id="s3"))
    assert len(system.graph.entities["e1"].descriptions) == 2, "a reply that names nobody changes nothing"


def test_by_rule_the_most_central_sentences_describe_an_entity() -> None:
    system = GraphRAG(summarise="rules", describe=16)
    filled(system, talk("Odo is fond of clocks.", "Odo was in Peru.", "Odo is fond of old clocks."))
    odo = next(entity for entity in system.graph.entities.values() if entity.name == "Odo")
    assert odo.descriptions == ("Odo is fond of clocks.", "Odo is fond of old clocks.")


# Communities


def clique(*nodes: str) -> dict[tuple[str, str], float]:
    return {(one, other): 1.0 for one in nodes for other in nodes if one < other}


def test_cliques_with_a_bridge_are_two_communities() -> None:
    edges = clique("a", "b", "c", "d") | clique("w", "x", "y", "z") | {("d", "w"): 1.0}
    both = communities(edges, size=10)
    assert [(each.level, "".join(each.members), each.leaf) for each in both] == [(0, "abcd", True), (0, "wxyz", True)]
    assert communities({}, size=2) == []


def test_a_large_community_is_divided_again() -> None:
    """Eight cliques of four in a ring of weak bridges, joined by pairs: groups of eight, of four within them."""
    rings = [clique(*(f"{n}{letter}" for letter in "abcd")) for n in range(8)]
    edges = {edge: weight for ring in rings for edge, weight in ring.items()}
    for n in range(8):
        edges[f"{n}d", f"{(n + 1) % 8}a"] = 6.0 if n % 2 == 0 else 0.1
    levels = communities(edges, size=4)
    assert {each.level for each in levels} == {0, 1}
    assert sorted(len(each.members) for each in levels if each.level == 0) == [8, 8, 8, 8]
    assert not any(each.leaf for each in levels if each.level == 0)


@given(
    st.dictionaries(st.tuples(st.integers(0, 30), st.integers(31, 60)), st.floats(0.1, 10), min_size=1, max_size=80),
    st.integers(2, 12),
)
@settings(max_examples=25, deadline=None)
def test_communities_divide_the_graph_without_rest(numbered: dict[tuple[int, int], float], size: int) -> None:
    edges = {(f"n{one}", f"n{other}"): weight for (one, other), weight in numbered.items()}
    levels = communities(edges, size)
    assert levels == communities(edges, size)
    nodes = sorted({node for edge in edges for node in edge})
    assert sorted(node for each in levels if each.level == 0 for node in each.members) == nodes
    for each in levels:
        inside = [part for part in levels if part.level == each.level + 1 and set(part.members) <= set(each.members)]
        assert each.leaf is (not inside)
        assert each.leaf or sorted(node for part in inside for node in part.members) == sorted(each.members)
        assert each.leaf or len(each.members) > size


# Reports


@given(st.lists(st.tuples(st.integers(0, 20), st.lists(st.sampled_from("abcdefgh"))), max_size=20))
def test_lists_that_go_on_from_one_another_stay_apart(steps: list[tuple[int, list[str]]]) -> None:
    """Each step goes on from one of the lists there are; none of the others changes."""
    lists, plain = [Growing()], [()]
    for place, items in steps:
        from_ = place % len(lists)
        lists.append(lists[from_].with_all(items))
        plain.append(tuple(dict.fromkeys([*plain[from_], *items])))
    assert lists == plain
    for one, same in zip(lists, plain, strict=True):
        assert (len(one), one[-3:], one == Growing(same)) == (len(same), same[-3:], True)
        assert [each in one for each in "abcdefgh"] == [each in same for each in "abcdefgh"]


def test_only_what_changed_is_reported_on_again(server: StubServer) -> None:
    system = filled(
        with_model(server), talk("Noor plays the old cello."), talk("Odo repairs very tall clocks.", id="s1")
    )
    assert asked(server, "report") == [], "nothing is written before it is needed"
    system.settle()
    assert [data["relations"][0]["source"] for data in asked(server, "report")] == ["Odo", "Noor"]
    before = {report.account.title: report for report in system.reports.values()}
    system.settle()
    found(system, "Who plays?")
    assert len(asked(server, "report")) == 2
    filled(system, talk("Odo keeps a heron.", id="s2"))
    found(system, "Who plays?")
    after = {report.account.title: report for report in system.reports.values()}
    assert len(asked(server, "report")) == 3
    assert asked(server, "report")[2]["entities"][0] == "Odo (thing): Odo repairs very tall clocks. Odo keeps a heron."
    assert after["Noor"] == before["Noor"]
    assert after["Odo"] != before["Odo"]
    assert after["Odo"].sources == ("s1/0", "s2/0")


def test_a_report_rests_on_the_relations_it_names(server: StubServer) -> None:
    reply = {"title": "Odo", "summary": "A man.", "findings": [{"text": "He has a heron.", "relations": [2, 40]}]}
    server.script = answering(report=reply)
    system = filled(with_model(server), talk("Odo repairs very tall clocks.", "Odo keeps a grey heron."))
    system.settle()
    [report] = system.reports.values()
    assert report.text == "Odo\nA man.\n- He has a heron."
    assert report.sources == ("s0/1",)
    server.script = answering(report={"title": "", "summary": "", "findings": []})
    system = filled(with_model(server), talk("Odo repairs very tall clocks.", "Odo keeps a grey heron."))
    system.settle()
    [report] = system.reports.values()
    assert report.account.title.startswith("Odo, "), "a reply of no use is replaced by what a rule would write"
    assert {each.text for each in report.account.findings} == {
        "Odo repairs very tall clocks.",
        "Odo keeps a grey heron.",
    }


def test_a_failed_session_leaves_nothing_and_a_failed_rebuild_is_taken_up_again(server: StubServer) -> None:
    system = filled(
        with_model(server), talk("Noor plays the old cello."), talk("Odo repairs very tall clocks.", id="s1")
    )
    before = system.get_all_memories()
    server.script = lambda request: Reply("no", status=400)
    with pytest.raises(ModelError):
        filled(system, talk("Pip sleeps in the bathtub.", id="s2"))
    assert system.get_all_memories() == before
    reports = iter([None])
    server.script = answering(report=lambda data: next(reports, Reply("no", status=400)))
    with pytest.raises(ModelError):
        system.settle()
    assert system.get_all_memories() == before
    server.script, paid = scripted.reply, len(asked(server, "report"))
    system.settle()
    assert (len(system.reports), len(asked(server, "report"))) == (2, paid + 1)


def test_without_reports_none_are_written(server: StubServer) -> None:
    system = filled(with_model(server, kinds="units+relations"))
    assert {memory.id[0] for memory in system.retrieve_memories("Odo", NOW, 50)} == {"u", "r"}
    assert asked(server, "report") == []


# Local search


def test_local_search_mixes_kinds_within_k(server: StubServer) -> None:
    system = filled(with_model(server, granularity="turn"))
    everything = system.retrieve_memories("Where does Odo repair clocks?", NOW, 500)
    kinds = "".join(memory.id[0] for memory in everything)
    assert kinds[:10] == "uruecuurue", (
        "half of it text units (u), a fifth relations (r), the rest entities and reports (c)"
    )
    assert set(texts(everything)) == set(texts(system.get_all_memories())), "at last all of it, each text once"
    assert len(set(texts(everything))) == len(everything)
    for k in (1, 3, 7):
        assert system.retrieve_memories("Where does Odo repair clocks?", NOW, k) == everything[:k]
    assert asked(server, "points") == asked(server, "questions") == []


def test_the_seeds_decide_what_comes_first() -> None:
    system = filled(
        GraphRAG(summarise="rules", granularity="turn", seeds=2, kinds="relations"),
        talk("Odo repairs clocks.", "Noor met Odo.", "Noor paints boats.", "Ida sells plums."),
    )
    # The seeds are Noor and Odo: the relation between them, then theirs to others, and Ida's at last.
    assert found(system, "Noor and Odo", 4)[0] == "Noor met Odo."
    assert found(system, "Noor and Odo", 4)[3] == "Ida sells plums."


def test_verbatim_keeps_text_units_alone_and_finds_them_by_names() -> None:
    system = filled(GraphRAG(summarise="verbatim", granularity="turn", seeds=1))
    assert texts(system.get_all_memories()) == [turn.text for session in LIFE for turn in session.turns]
    assert found(system, "Marcus Lee", 1) == ["When it rains, Marcus Lee bakes bread."]
    assert len(found(system, "Pip?", 50)) == 6


@given(st.lists(st.lists(ANY_TEXT, max_size=3), max_size=5), st.sampled_from(["verbatim", "rules"]))
@settings(max_examples=15, deadline=None)
def test_whatever_is_told_is_listed_word_for_word(sessions: list[list[str]], mode: str) -> None:
    said = [talk(*turns, id=f"s{n}") for n, turns in enumerate(sessions)]
    system = filled(GraphRAG(summarise=mode, granularity="turn"), talk(), *said)
    listed = {(memory.text, source) for memory in system.get_all_memories() for source in memory.sources}
    assert listed >= {(turn.text, turn.id) for session in said for turn in session.turns if turn.text.strip()}
    system.retrieve_memories("Who?", NOW, 3)


# Global search and drift


def test_global_search_brings_the_points_that_are_rated_highest(server: StubServer) -> None:
    points = [
        {"text": "Odo has a heron.", "rating": 40, "reports": [1]},
        {"text": "Pip is the heron.", "rating": 90, "reports": [1]},
        {"text": "The sky is blue.", "rating": 0, "reports": [1]},
        {"text": "Pip is the heron.", "rating": 80, "reports": []},
        {"text": "Invented.", "rating": 101, "reports": [1]},
    ]
    server.script = answering(points={"points": points})
    system = with_model(server, search="global")
    filled(system, talk("Odo keeps a heron named Pip.", id="s1"))
    first, second = system.retrieve_memories("Which animals are there?", NOW, 10)
    assert (first.text, first.score, first.sources) == ("Pip is the heron.", 90.0, ("s1/0",))
    assert second.text == "Odo has a heron."
    assert found(system, "Which animals are there?", 1) == ["Pip is the heron."]
    assert not system.traits.ranks_all


def test_the_reports_of_a_level_cover_the_graph_once(server: StubServer) -> None:
    system = with_model(server, search="global", size=2)
    filled(system, *(talk(f"Ann{n % 7} met someone called Bo{n % 5}.", id=f"s{n}") for n in range(20)))
    system.settle()
    assert {report.level for report in system.reports.values()} > {0}
    for level in range(4):
        system.level = level
        covered = [member for report in system._at_level() for member in report.members]
        assert len(covered) == len(set(covered))
        assert set(covered) == set(system.graph.entities)


def test_drift_looks_up_what_the_model_asks_next(server: StubServer) -> None:
    rounds = iter(["Who bakes bread?", "What does Noor play?", "More?"])
    server.script = answering(questions=lambda data: {"questions": [next(rounds)]})
    system = filled(with_model(server, search="drift", depth=2, granularity="turn"))
    brought = found(system, "What is done when it rains?", 12)
    first, second = asked(server, "questions")
    assert (first["asked"], first["found"], len(first["reports"])) == ([], [], 5)
    assert second["asked"] == ["Who bakes bread?"]
    assert "When it rains, Marcus Lee bakes bread." in second["found"]
    assert {"When it rains, Marcus Lee bakes bread.", "Noor plays the cello."} <= set(brought)
    assert brought[0] == first["reports"][0]["text"], "the nearest reports come in turn with the rest"


def test_drift_without_a_question_is_local_search_and_the_nearest_reports(server: StubServer) -> None:
    server.script = answering(questions={"questions": []})
    drift, local = (filled(with_model(server, search=search)) for search in ("drift", "local"))
    brought = found(drift, "Who bakes bread?", 100)
    assert set(brought) == set(found(local, "Who bakes bread?", 100))


@pytest.mark.parametrize("search", SEARCHES)
def test_by_rule_every_search_finds_what_was_said(search: str) -> None:
    system = filled(GraphRAG(summarise="rules", search=search, granularity="turn"))
    said = {sentence for session in LIFE for turn in session.turns for sentence in turn.text.split(". ")}
    assert "When it rains, Marcus Lee bakes bread." in found(system, "Who bakes bread when it rains?", 4)
    assert "Noor plays the cello." in found(system, "Who plays the cello?", 4)
    if search == "global":
        assert {text.rstrip(".") for text in found(system, "cello", 100)} == {text.rstrip(".") for text in said}


# On disk, and in a run


@pytest.mark.parametrize("mode", ["verbatim", "rules", "model"])
def test_a_saved_store_comes_back_the_same(tmp_path: Path, mode: str, server: StubServer) -> None:
    def build() -> GraphRAG:
        return with_model(server) if mode == "model" else GraphRAG(summarise=mode)

    first = filled(build(), *LIFE[:3])
    first.settle()
    filled(first, LIFE[3])
    first.save(tmp_path)
    again = filled(build(), talk("Something else entirely.", id="x"))
    again.load(tmp_path)
    assert again.get_all_memories() == first.get_all_memories()
    calls = len(asked(server, "report"))
    for session in (NOW, talk("Noor sold the cello.", id="s9")):
        for system in (first, again):
            system.store_conversation(session)
        assert again.retrieve_memories("Who plays?", NOW, 9) == first.retrieve_memories("Who plays?", NOW, 9)
        assert again.get_all_memories() == first.get_all_memories()
    assert mode != "model" or len(asked(server, "report")) % 2 == calls % 2, "both wrote the same reports anew"
    assert again.reports == first.reports


def test_a_strange_or_damaged_save_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    system = filled(GraphRAG(summarise="rules"))
    before = found(system, "Noor", 9)
    GraphRAG(summarise="rules", size=4).save(tmp_path / "other")
    with pytest.raises(BadInput, match="same settings"):
        system.load(tmp_path / "other")
    system.save(tmp_path / "mine")
    file = tmp_path / "mine" / "memory.json"
    record = json.loads(file.read_text())
    for key in record["state"]:
        for damage in ([{"id": 1}], [], 7):
            if key == "reports" and damage == []:
                continue  # no reports at all is a state like any other
            file.write_text(json.dumps({**record, "state": {**record["state"], key: damage}}))
            if key == "relations" and damage == []:
                continue  # so are no relations
            with pytest.raises(BadInput, match="damaged"):
                system.load(tmp_path / "mine")
    assert found(system, "Noor", 9) == before


def test_useless_replies_do_no_harm(server: StubServer) -> None:
    nothing = {"text": " ", "rating": 0, "reports": [4], "name": "", "type": "x", "description": "?", "passages": [7]}
    junk = {**nothing, "source": "", "target": "Odo", "strength": -1, "number": 0, "relations": [0]}
    server.script = lambda request: {
        key: [{name: junk[name] for name in part["items"]["required"]}] if "required" in part.get("items", {}) else []
        for key, part in request.schema["properties"].items()  # type: ignore[index]
    }
    for search in SEARCHES:
        system = filled(with_model(server, search=search))
        assert [memory.id for memory in system.get_all_memories()] == ["u1", "u2", "u3", "u4"]
        assert found(system, "Who?") == [], "what no entity leads to is not found"


def test_a_run_with_the_scripted_model_diagnoses_every_search(tmp_path: Path) -> None:
    with StubServer("memory") as served:
        run = memtriage.run(
            *(f"graphrag:search={search}" for search in SEARCHES),
            suite="memfail/conditional-easy",
            rows=2,
            k=[5],
            internal=f"{served.url}#scripted",
            out=tmp_path / "run",
        )
    rows = {row["system"]: row for row in run.table()}
    assert len(rows) == 3
    assert all(row["not_stored"] == row["error"] == 0 for row in rows.values())
    assert rows["graphrag:search=local"]["correct"] == rows["graphrag:search=local"]["n"]
