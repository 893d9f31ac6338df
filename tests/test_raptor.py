"""raptor: the leaves, the clusters, the tree over them, how it is searched, and what a model may do in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from memtriage.core.chat import CallHeld, ModelError
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem
from memtriage.core.memory import Memory
from memtriage.models.cache import Cache
from memtriage.models.current import use_models
from memtriage.models.held import DueCalls
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.systems import raptor as scripted
from memtriage.models.system_models import SystemModels
from memtriage.registry import SystemSpec
from memtriage.runner.check import check
from memtriage.systems.adapted import misfit
from memtriage.systems.designs.raptor.clusters import best_mixture, groups, soft_clusters
from memtriage.systems.designs.raptor.leaves import leaves
from memtriage.systems.designs.raptor.memory import Raptor
from memtriage.systems.libraries.catalog import steps
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.units import Granularity
from memtriage.text.tokens import count_tokens

NOW = Session("now", ())
PLACES = "Graz Oslo Vigo Lima Bonn Cork Nara Turku Bergen Lyon Porto Delft Ghent Malmo Basel".split()
TOPICS = {
    "bread": "The baker of {} kneads sour dough and bakes rye bread in a stone oven.",
    "boats": "The sailor of {} hoists the main sail and steers the boat across the harbour.",
    "stars": "The astronomer of {} points the telescope at the moons of a distant planet.",
}


def talk(*texts: str, id: str = "s0", at: str | None = "2026-05-01") -> Session:
    return Session(id, tuple(Turn("user", text, f"{id}/{n}") for n, text in enumerate(texts)), at)


def library(count: int = 15) -> list[Session]:
    """Sentences about three things that have nothing to do with each other, a session each."""
    said = [sentence.format(place) for place in PLACES[:count] for sentence in TOPICS.values()]
    return [talk(text, id=f"t{n}", at=f"2026-05-{1 + n % 28:02}") for n, text in enumerate(said)]


def filled(system: Any, sessions: list[Session]) -> Any:
    for session in sessions:
        system.store_conversation(session)
    return system


def texts(memories: list[Memory]) -> list[str]:
    return [memory.text for memory in memories]


def summaries(system: Any) -> list[Memory]:
    return [memory for memory in system.get_all_memories() if memory.id.startswith("s")]


def blobs(sizes: Mapping[int, int], seed: int = 0) -> np.ndarray[Any, Any]:
    """Unit vectors around as many axes as there are entries, so many around each."""
    rng = np.random.default_rng(seed)
    points = [rng.normal(np.eye(32)[axis], 0.02, 32) for axis, size in sizes.items() for _ in range(size)]
    vectors = np.asarray(points, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(scripted.reply) as served, SystemModels(cache=None) as inside, use_models(inside):
        yield served


def with_model(server: StubServer, **more: Any) -> Raptor:
    return Raptor(internal=f"{server.url}#scripted", **more)


# What it is


def test_it_says_what_it_is_and_fits_the_interface() -> None:
    assert all(steps(Raptor.traits.architecture).values())
    assert Raptor.traits.family == "structure-rag"
    assert all(step in (Raptor.__doc__ or "") for step in ("Summarise:", "Store:", "Retrieve:"))
    system = Raptor(summarise="rules")
    assert misfit(system) is None
    assert (system.traits.ranks_all, system.traits.lanes, system.traits.parallel) == (True, 1, False)
    walker = Raptor(summarise="rules", search="tree", layers=3)
    assert (walker.traits.ranks_all, walker.traits.lanes) == (False, 4)


def test_a_missing_model_or_package_and_mistyped_options_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSystem, match=r"--internal.*raptor:summarise=verbatim"):
        Raptor()
    for option, value in {"search": "tre", "layers": 0, "summary": "few", "limit": -1, "threshold": 2}.items():
        with pytest.raises(BadInput, match=option):
            Raptor(summarise="rules", **{option: value})  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="summarise=verbatim has none"):
        Raptor(summarise="verbatim", search="tree")
    monkeypatch.setitem(sys.modules, "sklearn.mixture", None)
    with pytest.raises(BadSystem, match=r"\.\[structure\]"):
        Raptor(summarise="rules")
    Raptor(summarise="verbatim")


# Leaves


def test_a_leaf_ends_where_a_sentence_ends() -> None:
    """Sentences of 4, 4, 4 and 3 tokens, eight to a leaf; one of ten is cut, because it doesn't fit anywhere."""
    said = "One two three. Four five six. Seven eight nine. Ten eleven."
    assert [count_tokens(s) for s in ("One two three.", "Four five six.", "Seven eight nine.")] == [4, 4, 4]
    found = leaves(talk(said), Granularity.parse(8))
    assert texts(found) == ["One two three. Four five six.", "Seven eight nine. Ten eleven."]
    long = leaves(talk("Hi. " + "Word " * 9 + "word."), Granularity.parse(8))
    assert "".join(texts(long)[1:]) == "Word " * 9 + "word."
    assert [count_tokens(text) <= 8 for text in texts(long)] == [True] * 3


def test_leaves_run_on_from_turn_to_turn_and_name_their_turns() -> None:
    session = Session(
        "s", (Turn("user", "I keep bees.", "a"), Turn("assistant", "How many?", "b"), Turn("user", "", "c"))
    )
    (leaf,) = leaves(session, Granularity.parse("chunk:100"))
    assert (leaf.text, leaf.sources) == ("user: I keep bees.\nassistant: How many?", ("a", "b"))
    assert [leaf.sources for leaf in leaves(session, Granularity.parse(8))] == [("a",), ("b",)]
    assert texts(leaves(session, Granularity.parse("turn"))) == ["I keep bees.", "How many?"]


@given(st.lists(st.text(st.characters(codec=None), max_size=80), max_size=5), st.integers(1, 30))
@settings(max_examples=50, deadline=None)
def test_no_word_is_lost_between_leaves(said: list[str], size: int) -> None:
    session = talk(*said)
    kept = "".join("".join(texts(leaves(session, Granularity.parse(size)))).split())
    spoken = Session("s", tuple(turn for turn in session.turns if turn.text.strip()))
    assert kept == "".join(spoken.text.split() if spoken.turns else "")


# Clusters


def test_a_mixture_finds_the_blobs_and_bic_their_number() -> None:
    sizes = {0: 40, 1: 30, 2: 50}
    found = soft_clusters(blobs(sizes))
    assert sorted(found) == [tuple(range(0, 40)), tuple(range(40, 70)), tuple(range(70, 120))]
    assert soft_clusters(blobs({0: 60})) == [tuple(range(60))]


def test_what_lies_between_two_clusters_is_in_both() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal([4, 0, 0, 0], [1, 0.1, 0.1, 0.1], (150, 4))
    vectors = np.concatenate([half, -half, np.zeros((1, 4))]).astype(np.float32)
    assert best_mixture(vectors.astype(float)).n_components == 2
    assert [300 in cluster for cluster in soft_clusters(vectors)] == [True, True]
    assert sum(300 in cluster for cluster in soft_clusters(vectors, threshold=1)) == 1


def test_texts_that_are_all_the_same_are_one_cluster() -> None:
    assert soft_clusters(np.ones((30, 8), dtype=np.float32)) == [tuple(range(30))]
    assert groups(np.ones((30, 8), dtype=np.float32), [10] * 30, 3500) == [tuple(range(30))]


def test_a_cluster_with_too_many_tokens_is_split_and_two_nodes_are_never_too_many() -> None:
    vectors = blobs({0: 20, 1: 20})
    assert groups(vectors, [10] * 40, 400) == [tuple(range(20)), tuple(range(20, 40))]
    split = groups(vectors, [10] * 40, 100)
    assert all(len(group) <= 10 for group in split)
    assert {row for group in split for row in group} == set(range(40))
    assert all(set(group) <= set(range(20)) or set(group) <= set(range(20, 40)) for group in split)
    assert groups(np.ones((7, 4), dtype=np.float32), [5000] * 7, 3500) == [(0, 1), (2, 3), (4, 5), (6,)]


def test_a_cluster_that_has_to_be_split_is_split_by_what_it_is_about() -> None:
    """Two times six are too few for two components by BIC, and too many tokens for one summary."""
    mixed = blobs({0: 6, 1: 6})[[0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]]
    assert groups(mixed, [10] * 12, 120) == [tuple(range(12))]
    assert groups(mixed, [10] * 12, 60) == [tuple(range(0, 12, 2)), tuple(range(1, 12, 2))]


@given(st.integers(1, 40), st.integers(0, 3), st.integers(1, 500))
@settings(max_examples=15, deadline=None)
def test_every_node_is_in_a_group(count: int, kinds: int, limit: int) -> None:
    rng = np.random.default_rng(count)
    vectors = rng.normal(0, 1, (count, 12)).astype(np.float32) if kinds else np.zeros((count, 12), np.float32)
    found = groups(vectors.round(kinds - 1), [37] * count, limit)
    assert {row for group in found for row in group} == set(range(count))
    assert all(len(group) <= 2 or 37 * len(group) <= limit for group in found)


# The tree, without a model


def test_clusters_are_what_belongs_together_and_a_rule_sums_them_up() -> None:
    system = filled(Raptor(summarise="rules", summary=40), library())
    assert summaries(system) == [], "nothing is built while it is stored"
    system.settle()
    inner = summaries(system)
    assert inner
    for memory in inner:
        if memory.id.startswith("s1-"):
            about = {n % 3 for turn in memory.sources for n in [int(turn[1:].partition("/")[0])]}
            assert len(about) == 1, "a cluster is about one thing"
        assert count_tokens(memory.text) <= 40
        assert all(line in "\n".join(s.text for s in library()) for line in memory.text.split(". ")[:1])


def test_a_summary_by_rule_is_the_sentences_nearest_to_the_centre_with_their_turns() -> None:
    class Axes:
        """Texts on two axes: `near` and `far`."""

        name, dimensions = "axes", 2

        def embed(self, texts: Any) -> Any:
            return np.asarray([[1.0, 0.1] if "near" in text else [0.3, 1.0] for text in texts], dtype=np.float32)

    said = [f"It is near {n}." if n % 4 else f"It is far {n}." for n in range(12)]
    system = filled(Raptor(summarise="rules", embedder=Axes(), summary=12, limit=10_000), [talk(*said)])  # type: ignore[arg-type]
    system.granularity = Granularity.parse("turn")
    system.reset()
    filled(system, [talk(*said)]).settle()
    (only,) = summaries(system)
    assert only.text == "It is near 1. It is near 2."
    assert only.sources == ("s0/1", "s0/2")


def test_few_leaves_and_nobody_to_sum_up_are_just_the_leaves() -> None:
    few = filled(Raptor(summarise="rules"), library(3))
    few.settle()
    assert len(few.get_all_memories()) == 9
    verbatim, dense = Raptor(summarise="verbatim"), Dense(granularity="turn")
    question = "Who steers a boat in Lima?"
    found = [texts(filled(each, library()).retrieve_memories(question, NOW, 7)) for each in (verbatim, dense)]
    assert found[0] == found[1]


def test_all_nodes_are_ranked_together_and_k_counts_them() -> None:
    system = filled(Raptor(summarise="rules"), library())
    question = "The sailor hoists the main sail and steers the boat."
    everything = system.retrieve_memories(question, NOW, 999)
    assert sorted(each.id for each in everything) == sorted(each.id for each in system.get_all_memories())
    scores = [each.score for each in everything]
    assert scores == sorted(scores, reverse=True)
    assert system.retrieve_memories(question, NOW, 4) == everything[:4]
    assert any(each.id.startswith("s") for each in everything[:4]), "a summary is among the best"
    assert all("boat" in each.text for each in everything[:4])


def test_the_tree_is_walked_from_the_top_layer_to_the_leaves() -> None:
    system = filled(Raptor(summarise="rules", search="tree"), library())
    found = system.retrieve_memories("The sailor of Lima steers the boat.", NOW, 1)
    layers = [each.id.partition("-")[0] if each.id.startswith("s") else "leaf" for each in found]
    assert layers[0].startswith("s")
    assert layers[-1] == "leaf"
    assert found[-1].text == TOPICS["boats"].format("Lima")
    parents = {each.id: set(each.sources) for each in found}
    assert set(found[-1].sources) <= parents[found[-2].id] or found[-2].id.startswith("s")
    assert len(system.retrieve_memories("boat", NOW, 2)) <= 2 * system.traits.lanes


def test_the_tree_is_the_same_every_time_and_comes_back_from_disk(tmp_path: Path) -> None:
    first, again = (filled(Raptor(summarise="rules"), library()) for _ in range(2))
    again.settle()
    first.save(tmp_path / "store")
    assert first.get_all_memories() == again.get_all_memories()
    loaded = Raptor(summarise="rules", search="tree")
    loaded.load(tmp_path / "store")
    assert loaded.get_all_memories() == first.get_all_memories()
    walker = filled(Raptor(summarise="rules", search="tree"), library())
    assert loaded.retrieve_memories("moons", NOW, 3) == walker.retrieve_memories("moons", NOW, 3)
    with pytest.raises(BadInput, match="was saved by"):
        Raptor(summarise="rules", limit=99).load(tmp_path / "store")
    file = tmp_path / "store" / "memory.json"
    file.write_text(file.read_text().replace('"c3"', '"c333"', 1))
    with pytest.raises(BadInput, match="damaged"):
        loaded.load(tmp_path / "store")
    assert loaded.get_all_memories() == first.get_all_memories()


# The tree, with a model


def test_each_cluster_is_summed_up_once_and_only_new_ones_again(server: StubServer) -> None:
    asked: list[list[str]] = []

    def script(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        asked.append([each["text"] for each in data["texts"]])
        return {"summary": f"Summary of {len(asked[-1])}: {asked[-1][0]}"}

    server.script = script
    system = filled(with_model(server, granularity="turn"), library())
    system.settle()
    assert len(asked) == system.usage().calls == len(summaries(system))
    assert all(memory.text.startswith("Summary of") for memory in summaries(system))
    assert {len(texts) for texts in asked} != {1}, "nobody is asked to sum up a single node"
    before = {memory.id for memory in summaries(system)}
    count = len(asked)
    system.settle()
    assert len(asked) == count, "nothing new came"
    filled(system, [talk("Quasars.", id="new")]).settle()
    after = {memory.id for memory in summaries(system)}
    assert len(asked) - count == len(after - before), "clusters that are as before are not summed up again"


def test_what_was_summed_up_before_a_failure_is_not_asked_for_again(server: StubServer) -> None:
    asked: list[str] = []

    def failing(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        asked.append(data["texts"][0]["text"])
        return Reply("no JSON at all") if "Graz" in asked[-1] and "sailor" in asked[-1] else scripted.reply(request)

    server.script = failing
    system = filled(with_model(server, granularity="turn"), library())
    with pytest.raises(ModelError):
        system.settle()
    assert summaries(system) == []
    assert len(system.get_all_memories()) == 45, "the leaves are there all the same"
    good = {text for text in asked if "sailor" not in text or "Graz" not in text}
    asked.clear()
    server.script = lambda request: [failing(request), scripted.reply(request)][1]
    system.settle()
    assert not good & set(asked)
    assert summaries(system)


def test_calls_that_are_answered_by_file_are_due_a_layer_at_a_time(tmp_path: Path) -> None:
    due = DueCalls(everything=True)
    with Cache(tmp_path / "cache.db") as cache, SystemModels(cache=cache, due=due) as inside, use_models(inside):
        system = filled(Raptor(internal="openai/gpt-4o", granularity="turn"), library())
        with pytest.raises(CallHeld):
            system.settle()
    assert len(due.calls) == 3, "the three clusters of the first layer"


def test_an_empty_summary_is_written_by_rule_and_reported(server: StubServer) -> None:
    server.script = lambda request: {"summary": "  "}
    system = filled(with_model(server, granularity="turn"), library())
    system.settle()
    inner = summaries(system)
    assert all(memory.text.startswith("The ") for memory in inner)
    assert system.notices()[1:] == [f"summaries that the model left empty and a rule wrote: {len(inner)}"]


def test_conversations_reach_the_model_as_data_with_their_time(server: StubServer) -> None:
    seen: list[Mapping[str, Any]] = []

    def script(request: Request) -> Any:
        data = data_block(request)
        assert data is not None
        seen.append(data)
        return scripted.reply(request)

    server.script = script
    filled(with_model(server, granularity="turn", summary=200), library()).settle()
    assert seen[0]["words"] == 150
    assert seen[0]["texts"][0] == {"said_at": "2026-05-01", "text": TOPICS["bread"].format("Graz")}


# In a run


@pytest.mark.parametrize("search", ["collapsed", "tree"])
def test_it_passes_the_check_and_a_run_is_diagnosed(search: str, tmp_path: Path) -> None:
    spec = SystemSpec("raptor", Raptor, {"summarise": "rules", "search": search})
    assert [each for each in check(spec) if each.outcome == "problem"] == []
    if search == "collapsed":
        run = memtriage.run(spec, suite="memfail/conditional-easy", rows=20, k=[5], out=tmp_path / "run")
        assert run.errors == 0
        (row,) = run.table()
        assert (row["success"], row["not_stored"]) == (1.0, 0)
