"""A mixture of memories: fusion, plans that are learned, and what they are worth on questions they did not see."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli, Place
from memtriage import Memory, Session, Turn, load, registry
from memtriage.core.errors import BadInput
from memtriage.studies.tune import learn
from memtriage.systems.adapted import Adapted, adapt
from memtriage.systems.mixing.mixture import Mixture
from memtriage.systems.mixing.router import FUSED, Plan, looked_at

ASKED = Session("q", ())


class Fixed:
    """Brings back the same texts, whatever is asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def store_conversation(self, conversation: Session) -> None: ...

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        return [Memory(str(place), text) for place, text in enumerate(self.texts[:k])]


class Listed(Fixed):
    def get_all_memories(self) -> list[Memory]:
        return self.retrieve_memories("", ASKED, 99)


def mixed(*members: Fixed, plan: Plan | None = None, c: float = 60) -> Adapted:
    return adapt(Mixture({f"m{place}": adapt(member) for place, member in enumerate(members)}, plan, c))


def test_what_several_members_bring_comes_first_and_once() -> None:
    """By hand, with c = 0: b has 1/2 + 1/1, a 1/1, d 1/2, c 1/3; a text counts once in a list."""
    found = mixed(Fixed("a", "b", "b", "c"), Fixed("b", "d"), c=0).retrieve_memories("?", ASKED, 4)
    assert [(memory.text, memory.id, round(memory.score or 0, 3)) for memory in found] == [
        ("b", "m0/1", 1.5),
        ("a", "m0/0", 1.0),
        ("d", "m1/1", 0.5),
        ("c", "m0/3", 0.333),
    ]
    assert len(mixed(Fixed("a", "b"), Fixed("c")).retrieve_memories("?", ASKED, 1)) == 1


def test_a_mixture_lists_its_store_only_if_every_member_does() -> None:
    assert "get_all_memories" not in mixed(Fixed("a"), Listed("b")).capabilities
    both = mixed(Listed("a", "b"), Listed("a"))
    assert [memory.id for memory in both.get_all_memories()] == ["m0/0", "m0/1", "m1/0"]


def test_a_mixture_of_real_memories_is_saved_and_comes_back(tmp_path: Path) -> None:
    def built() -> Adapted:
        return registry.system("mixture:members=bm25,dense:granularity=sentence").build()

    store = built()
    turns = (Turn("t1", "user", "Ana keeps bees. She sells honey."), Turn("t2", "user", "Bo repairs old clocks."))
    store.store_conversation(Session("s1", turns))
    assert {memory.id.partition("/")[0] for memory in store.get_all_memories()} == {
        "bm25",
        "dense:granularity=sentence",
    }
    store.save(tmp_path / "saved")
    again = built()
    again.load(tmp_path / "saved")
    asked = "Who sells honey?", ASKED, 3
    assert again.retrieve_memories(*asked) == store.retrieve_memories(*asked)
    store.reset()
    assert store.get_all_memories() == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mixture", "name two or more different members"),
        ("mixture:members=bm25", "name two or more different members"),
        ("mixture:members=bm25,bm25", "name two or more different members"),
        ("mixture:members=bm25,mine.py:M", "does not exist"),
        ("mixture:members=bm25,mixture", "'mixture' can't be a member"),
        ("mixture:members=bm25,json.decoder:JSONDecoder", "can't be a member"),
        ("mixture:members=bm25,dense,c=-1", "must not be less than 0"),
        ("mixture:members=bm25,dense,plan=nowhere.json", "nowhere.json"),
        ("bm25:k1=1,dense", "'dense' is not an argument"),
    ],
)
def test_a_mixture_that_cant_be_is_named(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        registry.system(text).build()


# ---- plans --------------------------------------------------------------------------------------

SEEN = [[0.0] * 9 + [float(place % 2), 0.5] for place in range(60)]
"""Questions of two kinds, which differ in one look."""

KIND = np.array([place % 2 for place in range(60)], dtype=np.float64)


def learned() -> Plan:
    """The first member is right on one kind, the second on the other, their fusion on every fourth question."""
    fourth = (np.arange(60) % 4 == 0).astype(float)
    return Plan.fit(["x", "y"], SEEN, {("x", 10): 1 - KIND, ("y", 10): KIND, (FUSED, 10): fourth})


def test_a_plan_tells_kinds_of_questions_apart() -> None:
    plan = learned()
    assert [plan.choose(looks).name for looks in SEEN] == ["x", "y"] * 30


def test_where_nothing_tells_questions_apart_the_best_is_chosen() -> None:
    chance = np.random.default_rng(7)
    right = {"x": chance.random(400) < 0.5, "y": chance.random(400) < 0.8, FUSED: chance.random(400) < 0.4}
    looks = chance.normal(size=(400, 11)).tolist()
    plan = Plan.fit(["x", "y"], looks, {(name, 5): each.astype(float) for name, each in right.items()})
    assert sum(plan.choose(each).name == "y" for each in looks) > 380


def test_the_mixture_follows_its_plan_in_whom_and_how_many() -> None:
    """Two members; the one is right whose first memory covers the question, and two memories are as good as five."""
    covers = 2, 6  # where `looked_at` has the cover of the first memory of each
    looks = [[0.0] * 11 for _ in range(40)]
    for place, each in enumerate(looks):
        each[covers[place % 2]] = 1.0
    first = np.array([place % 2 == 0 for place in range(40)], dtype=np.float64)
    right = {(name, size): each for name, each in (("m0", first), ("m1", 1 - first)) for size in (2, 5)}
    plan = Plan.fit(["m0", "m1"], looks, right | {(FUSED, 5): np.zeros(40)})
    store = mixed(Fixed("red keys", "x", "y"), Fixed("blue doors", "v", "w"), plan=plan)
    for question, expected in (("Where are the red keys?", "red keys"), ("Which doors are blue?", "blue doors")):
        assert len(store.retrieve_memories(question, ASKED, 1)) == 1
        found = store.retrieve_memories(question, ASKED, 5)
        assert found[0].text == expected
        assert len(found) == 2


@given(st.lists(st.lists(st.text(max_size=40), max_size=4), min_size=2, max_size=4), st.text(max_size=40))
def test_looks_are_finite_and_as_many_as_the_members_make_them(brought: list[list[str]], question: str) -> None:
    looks = looked_at(question, brought)
    assert len(looks) == len(looked_at("", [[]] * len(brought)))
    assert np.isfinite(looks).all()


def test_a_plan_comes_back_as_it_was_and_a_broken_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    learned().write(path)
    assert Plan.read(path) == learned()
    good = json.loads(path.read_text())
    for change, told in (
        ("", "is no plan"),
        ("<script>", "is no plan"),
        ({**good, "schema": "memtriage.plan/2"}, "schema"),
        ({**good, "means": good["means"][1:]}, "another version"),
        ({**good, "k": 0}, "numbers that no plan has"),
        ({**good, "spreads": [0.0] * 11}, "numbers that no plan has"),
        ({**good, "choices": []}, "numbers that no plan has"),
        ({**good, "choices": [{**good["choices"][0], "name": "../z"}]}, "its members don't have"),
        ({**good, "extra": 1}, "extra"),
    ):
        path.write_text(change if isinstance(change, str) else json.dumps(change))
        with pytest.raises(BadInput, match=told):
            Plan.read(path)


def test_tune_learns_from_questions_and_the_plan_holds_on_others(cli: Cli) -> None:
    tasks, members = ("memfail/long-hop", "memfail/conditional-easy"), "bm25,hipporag:summarise=rules"
    tune = ("tune", *tasks, "--members", members, "--k", "3,10", "--rows", "24", "--out", "learned")
    told = cli(*tune).out
    assert "by plan" in told
    system = told.partition("--system ")[2].split()[0]
    assert system == f"mixture:members={members},plan=plan.json"
    rows = json.loads(cli(*tune, "--json").out)["rows"]  # the run is there already
    ways = {(row["way"], row["system"]): row for row in rows if row["task"] == "all"}
    routed, any_of_them = (next(row for key, row in ways.items() if key[0] == way) for way in ("routed", "any"))
    assert ways["alone", "bm25"]["success"] + 0.2 < routed["success"] <= any_of_them["success"]
    assert routed["size"] < 10  # a conditional question needs one memory

    suites = [part for task in tasks for part in ("--suite", task)]
    systems = ("--system", system, "--system", "bm25")
    cli("run", *suites, *systems, "--seed", "9", "--k", "10", "--rows", "24", "--out", "new")
    rows = json.loads(cli("show", "new", "--by", "overall", "--json").out)["rows"]
    success = {row["system"]: row["success"] for row in rows}
    assert success[system] > success["bm25"] + 0.2


def test_tune_says_what_is_missing(cli: Cli, place: Place) -> None:
    few = ("tune", "memfail/long-hop", "--members", "bm25,dense", "--out", "few", "--k", "5", "--rows", "6")
    assert "too few to learn from" in cli(*few, code=1).err
    (place.path / "mine.json").write_text('{"mine": 1}')
    assert "is no plan; name another --plan" in cli(*few, "--plan", "mine.json", code=1).err
    with pytest.raises(BadInput, match="lacks results of fused, hybrid"):
        learn(load(place.path / "few"), ["bm25", "hybrid"])
