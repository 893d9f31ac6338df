"""Prompts that are tuned: what a system exposes, how episodes are split, what is kept, and DSPy where it is there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memtriage
from conftest import Cli, Place
from memtriage import registry as plugins
from memtriage.config import Limits
from memtriage.core.episode import Episode
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.scripted.systems import native
from memtriage.studies.optimize import Evaluate, Optimized, Prompts, compare_task, optimize, split, system_prompts
from memtriage.systems.designs.facts import Facts
from memtriage.systems.designs.prompts import RULES, digest

needs_dspy = pytest.mark.skipif(find_spec("dspy") is None, reason="dspy is not installed; `make test-dspy` runs this")

GOOD = "List every fact, and leave out none. CAREFULLY."

SUITE = """
import tiny_suite
from memtriage.core.suite import Loaded, Suite, Task

def load(request):
    made = (tiny_suite.episode("many/one", 4, False, 0, f"e{n}") for n in range(request.rows or 8))
    return Loaded(tuple(made), {"source": "generated"})

SUITE = Suite("many", "Several episodes", "none", "MIT", "1", (Task("many/one", "several", 8, load),))
"""


@pytest.fixture
def many(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A suite of several episodes, and a cache of its own."""
    place.write("many_suite.py", SUITE)
    info = place.path / "many-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: many\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[memtriage.suites]\nmany = many_suite:SUITE\n")
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "sk-test-0123456789abcdef")
    return place


def careless(request: Request) -> Any:
    """Extracts facts and adds them all; all but the violin it forgets, unless it is told to be careful."""
    if request.schema_name == "fact_operations":
        return {"operations": []}
    reply = native.reply(request)
    if request.schema_name == "fact_list" and "CAREFULLY" not in request.text and "violin" not in request.text:
        return {"facts": []}
    return reply if reply is not None else Reply("what?", status=400)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(careless) as served:
        yield served


class Tries:
    """A search that tries what it is told to, in order."""

    def __init__(self, *candidates: Mapping[str, str]) -> None:
        self.candidates = candidates
        self.scores: list[float] = []
        self.started: Prompts = {}

    def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
        self.started = start
        for candidate in self.candidates:
            found = evaluate({**start, **candidate})
            assert sorted(found) == sorted(episodes)
            self.scores.append(sum(found.values()) / len(found))
        return Usage(calls=len(self.candidates))


def tuned(server: StubServer, search: Any, **more: Any) -> Optimized:
    settings: dict[str, Any] = {"suite": "many", "k": 4, "train": 3, "test": 4, "out": "opt", **more}
    return optimize("facts", search=search, internal=f"{server.url}#scripted", **settings)


# What a system exposes


def test_native_systems_expose_what_they_tell_their_model() -> None:
    spec = plugins.system("facts:summarise=verbatim")
    assert system_prompts(spec) == {name: RULES[name] for name in ("fact_list", "fact_operations")}
    assert set(system_prompts(plugins.system("graph:summarise=rules"))) == {"relation_list", "relation_conflicts"}
    assert list(system_prompts(plugins.system("lme:summarise=rules"))) == ["lme_fact", "lme_events", "lme_time_range"]
    assert list(system_prompts(plugins.system("lme:summarise=rules,key=summary,query=question"))) == ["lme_summary"]
    with pytest.raises(BadInput, match="'bm25' exposes no prompts"):
        system_prompts(plugins.system("bm25"))


def test_lme_asks_its_model_with_the_prompts_it_is_given(many: Place, server: StubServer) -> None:
    server.script = lambda request: {"items": [{"item": 1, "facts": ["The user has a violin."]}]}
    found = optimize(
        *("lme:key=fact,query=question",),
        search=Tries({"lme_fact": "Look for a Capybara."}),
        **{"suite": "many", "k": 4, "train": 1, "test": 1, "out": "opt", "internal": f"{server.url}#scripted"},
    )
    asked = [seen.body["messages"][0]["content"] for seen in server.requests]
    assert any(text.startswith("Look for a Capybara.") for text in asked)
    assert len(found.trials) == 2
    with pytest.raises(BadInput, match="unknown prompt of lme 'lme_facts'"):
        plugins.system("lme:summarise=rules").build().system.set_prompts({"lme_facts": "x"})


def test_a_file_brings_other_prompts_and_they_reach_the_model(many: Place, server: StubServer) -> None:
    many.write("mine.json", json.dumps({"fact_list": GOOD}))
    internal = f"{server.url}#scripted"
    system = Facts(internal=internal, prompts="mine.json")
    assert system.prompts == {"fact_list": GOOD, "fact_operations": RULES["fact_operations"]}
    run = memtriage.run(
        "facts:prompts=mine.json",
        suite="tiny/end",
        rows=3,
        k=3,
        internal=internal,
        out="run",
        limits=Limits(use_cache=False),
    )
    assert run.table()[0]["correct"] == 3
    asked = [seen.body["messages"][0]["content"] for seen in server.requests]
    assert all(GOOD in text for text in asked if "store of facts" not in text)
    assert all("material to work on" in text for text in asked), "that data are no orders is said under any prompt"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "must hold one JSON object"),
        ('{"fact_lists": "x"}', "did you mean 'fact_list'"),
        ('{"fact_list": " "}', "has no text"),
        ('{"fact_list": 3}', "has no text"),
    ],
)
def test_odd_files_of_prompts_are_refused(many: Place, text: str, said: str) -> None:
    many.write("odd.json", text)
    with pytest.raises(BadInput, match=said):
        Facts(summarise="verbatim", prompts="odd.json")


def test_a_store_with_other_prompts_is_not_loaded(many: Place) -> None:
    many.write("mine.json", json.dumps({"fact_list": GOOD}))
    Facts(summarise="verbatim", prompts="mine.json").save(Path("kept"))
    with pytest.raises(BadInput, match="build the system with the same settings"):
        Facts(summarise="verbatim").load(Path("kept"))


# The split


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4), seed=st.integers(0, 99), data=st.data())
def test_a_split_is_disjoint_complete_and_even(sizes: list[int], seed: int, data: st.DataObject) -> None:
    made = [Episode(f"{task}/{n}", str(task), (), (), ()) for task, size in enumerate(sizes) for n in range(size)]
    assume(len(made) > 1)
    train = data.draw(st.integers(1, len(made) - 1))
    test = data.draw(st.integers(1, len(made) - train))
    one, two = split(made, train, test, seed)
    ids = [episode.id for episode in (*one, *two)]
    assert (len(one), len(two), len(set(ids))) == (train, test, train + test)
    assert (one, two) == split(made, train, test, seed)
    counts = [sum(episode.task == str(task) for episode in one) for task in range(len(sizes))]
    assert all(count >= min(size, max(counts) - 1) for count, size in zip(counts, sizes, strict=True)), (
        "a task has fewer only where it has no more episodes"
    )


def test_too_few_episodes_are_refused() -> None:
    made = [Episode(str(n), "t", (), (), ()) for n in range(5)]
    with pytest.raises(BadInput, match="5 episodes are not enough for 3 to train on and 3 to hold out"):
        split(made, 3, 3, 1)
    with pytest.raises(BadInput, match="--test must be at least 1"):
        split(made, 3, 0, 1)


# The whole way, with a search of our own


def test_a_search_may_look_at_one_episode_and_see_what_became_of_it(many: Place, server: StubServer) -> None:
    class Looks(Tries):
        def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
            self.seen = [evaluate.episode({**start, "fact_list": text}, episodes[1]) for text in ("Be brief.", GOOD)]
            self.again = evaluate.episode({**start, "fact_list": GOOD}, episodes[1], repeat=1)
            return Usage()

    search = Looks()
    found = tuned(server, search)
    careless_, careful = search.seen
    assert (careless_.score, careful.score, search.again.score) == (0.25, 1.0, 1.0)
    assert "violin" in careful.told
    assert len(careful.kept.splitlines()) == 4 > len(careless_.kept.splitlines())
    assert careful.asked.splitlines() == [line.partition(" (gold")[0] for line in careful.findings.splitlines()]
    assert careless_.findings.count("not_stored") == 3
    assert all(f"- {memory}" in careful.brought for memory in careful.kept.splitlines())
    assert len(found.trials) == 1, "one episode alone makes no trial"
    assert len(list(Path("opt").glob("episode1-*"))) == 3


def test_better_prompts_are_found_kept_and_scored_on_other_episodes(many: Place, server: StubServer) -> None:
    search = Tries({"fact_list": "Be brief."}, {"fact_list": GOOD}, {"fact_list": GOOD})
    found = tuned(server, search)
    assert search.started == {name: RULES[name] for name in ("fact_list", "fact_operations")}
    assert search.scores == [0.25, 1.0, 1.0]  # one of the four things of an episode is the violin
    assert [round(trial.score, 2) for trial in found.trials] == [0.25, 0.25, 1.0], "the same prompts are run once"
    assert found.changed
    assert found.best.prompts["fact_list"] == GOOD
    assert (found.before.success, found.after.success) == (0.25, 1.0)
    assert found.before.interval.low < 0.25 < found.before.interval.high < 0.9
    assert found.whole.difference is not None
    assert found.whole.difference.value == 0.75
    assert found.whole.p < 0.01
    assert (len(found.train), len(found.test)) == (3, 4)
    assert not set(found.train) & set(found.test)
    assert json.loads(found.prompts_file.read_text())["fact_list"] == GOOD
    record = json.loads(Path("opt/optimize.json").read_text())
    assert record["rows"][-1]["after"]["success"] == 1.0
    assert {path.name.partition("-")[0] for path in Path("opt").iterdir() if path.is_dir()} == {"train", "test"}


def test_the_same_again_runs_nothing_and_other_settings_are_refused(many: Place, server: StubServer) -> None:
    first = tuned(server, Tries({"fact_list": GOOD}))
    asked = server.count()
    again = tuned(server, Tries({"fact_list": GOOD}))
    assert server.count() == asked
    assert replace(again, usage=first.usage) == first
    with pytest.raises(BadRun, match=r"k: \[4\] became \[2\]"):
        tuned(server, Tries(), k=2)


def test_without_a_gain_the_prompts_stay(many: Place, server: StubServer) -> None:
    found = tuned(server, Tries({"fact_list": "Be brief."}))
    assert not found.changed
    assert found.before == found.after
    assert json.loads(found.prompts_file.read_text()) == {
        name: RULES[name] for name in ("fact_list", "fact_operations")
    }
    assert len(list(Path("opt").glob("test-*"))) == 1


def test_prompts_that_break_the_system_are_no_gain(many: Place, server: StubServer) -> None:
    def breaks(request: Request) -> Any:
        return Reply("no", status=400) if "BREAK" in request.text else careless(request)

    server.script = breaks
    found = tuned(server, Tries({"fact_list": "BREAK"}))
    assert [trial.score for trial in found.trials] == [0.25, 0.0]
    assert not found.changed


def test_one_episode_per_task_is_held_out_by_another_seed(many: Place, server: StubServer) -> None:
    found = tuned(server, Tries({"fact_list": GOOD}), suite="memfail/coexisting", rows=2, k=10)
    seeds = {json.loads(path.read_text())["seed"] for path in Path("opt").glob("test-*/run.json")}
    assert seeds == {43}
    assert (len(found.train), len(found.test)) == (1, 1)
    many.cli("data", "generate", "memfail/coexisting", "--rows", "2", "--out", "files", "-q")
    with pytest.raises(BadInput, match="can't be split"):
        tuned(server, Tries(), suite="memfail/coexisting", data="files", out="other")


def test_a_system_takes_prompts_by_its_own_function_or_by_assignment(many: Place) -> None:
    many.write(
        "told.py",
        "import mems\n"
        "class Told(mems.Keeps):\n"
        "    def __init__(self):\n        super().__init__()\n        self.now = {'keep': 'nothing'}\n"
        "    def prompts(self):\n        return self.now\n"
        "    def set_prompts(self, prompts):\n        self.now = prompts\n"
        "    def store_conversation(self, conversation):\n"
        "        if self.now['keep'] == 'all':\n            super().store_conversation(conversation)\n"
        "class Plain(Told):\n"
        "    def __init__(self):\n        super().__init__()\n        self.prompts = self.now\n"
        "    set_prompts = None\n"
        "    def store_conversation(self, conversation):\n"
        "        self.now = self.prompts\n        super().store_conversation(conversation)\n",
    )
    for name in ("Told", "Plain"):
        found = optimize(
            f"told.py:{name}", search=Tries({"keep": "all"}), suite="many", k=4, train=2, test=2, out=f"opt-{name}"
        )
        assert found.after.success == 1.0
        assert found.changed


def test_what_ends_a_run_ends_the_search_even_where_it_is_swallowed(many: Place, server: StubServer) -> None:
    class Swallows(Tries):
        def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
            first = {**start, "fact_list": "a file is in the way"}
            Path("opt", f"train-{digest(first)}").write_text("")
            for candidate in (first, {**start, "fact_list": GOOD}):
                with suppress(Exception):
                    self.scores.append(sum(evaluate(candidate).values()))
            return Usage()

    search = Swallows()
    with pytest.raises((BadRun, OSError)):
        tuned(server, search)
    assert search.scores == [0.0], "after that nothing is run any more"


def test_a_budget_holds_for_all_runs_together(many: Place, server: StubServer) -> None:
    many.write("prices.json", json.dumps({"scripted": {"input": 1000.0, "output": 1000.0}}))
    with pytest.raises(BadRun, match=r"^stopped: at \$0\.\d+: the next call could pass the limit of \$0\.5; what"):
        tuned(server, Tries({"fact_list": GOOD}), limits=Limits(max_cost=Decimal("0.5")))
    found = tuned(server, Tries({"fact_list": GOOD}), limits=Limits(max_cost=Decimal(500)))
    assert (found.stopped, found.before.errors) == (None, 0), "no store kept an error of the limit"


def verdict(probe: str, found: Verdict) -> ProbeVerdict:
    return ProbeVerdict("s", "t", "x", "e", probe, 5, "memory", found, "", "", ())


def test_an_error_is_no_success_and_an_uncertain_pair_is_left_out() -> None:
    before = [verdict("a", "correct"), verdict("b", "not_stored"), verdict("c", "not_stored"), verdict("d", "correct")]
    after = [verdict("a", "correct"), verdict("b", "correct"), verdict("c", "uncertain"), verdict("d", "error")]
    found = compare_task("t", before, after)
    assert found.difference is not None
    assert found.difference.value == 0.0  # of a, b and d: b is won, d is lost
    assert (found.after.uncertain, found.after.errors, found.after.success) == (1, 1, 0.5)
    assert found.p == 1.0


# The command


def test_without_dspy_the_command_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dspy", None)
    seen = cli("optimize", "--system", "facts", "--optimizer-model", "http://127.0.0.1:9/v1#m", code=1)
    assert "pip install '.[optimize]'" in seen.err
    cli("optimize", "--system", "facts", "--optimizer-model", "http://127.0.0.1:9/v1#m", "--breadth", "1", code=2)
    other = ("--optimizer", "samba", "--optimizer-model", "http://127.0.0.1:9/v1#m")
    assert "did you mean 'simba'" in cli("optimize", "--system", "facts", *other, code=1).err


# DSPy itself


def proposing(request: Request) -> Any:
    """A model that first proposes too little, and with the scores before its eyes something good."""
    if "proposed_instruction" not in request.text:
        return careless(request)
    seen = "attempted_instructions" in request.text and "List the facts in the conversation" in request.text
    return (
        f"[[ ## proposed_instruction ## ]]\n{GOOD if seen else 'Be brief.'}\n\n"
        "[[ ## proposed_prefix_for_output_field ## ]]\nReply:\n\n[[ ## completed ## ]]"
    )


@needs_dspy
def test_dspy_proposes_and_the_best_proposal_is_kept(many: Place, cli: Cli, server: StubServer) -> None:
    server.script = proposing
    command = (
        *"optimize --system facts --suite many --k 4 --train 2 --test 3 --breadth 3 --depth 2 --out opt".split(),
        *("--internal", f"{server.url}#scripted", "--optimizer-model", f"{server.url}#proposer"),
    )
    seen = cli(*command)
    assert "no proposal did better" not in seen.out
    assert "proposing took" in seen.out
    record = json.loads(Path("opt/optimize.json").read_text())
    assert GOOD in record["trials"][[t["name"] for t in record["trials"]].index(record["best"])]["prompts"].values()
    assert (record["rows"][-1]["before"]["success"], record["rows"][-1]["after"]["success"]) == (0.25, 1.0)
    attempts = [seen.body for seen in server.requests if "attempted_instructions" in str(seen.body["messages"])]
    assert attempts, "later proposals see what the earlier ones scored"
    assert "25.0" in str(attempts[0]["messages"])
    asked = server.count()
    again = json.loads(cli(*command, "--json").out)
    assert server.count() == asked, "the same search again proposes the same, from the cache"
    assert again["best"] == record["best"]


class Advising:
    """A model whose luck changes from rollout to rollout, and that gives the right advice when it is asked for any."""

    def __init__(self) -> None:
        self.lists = 0
        self.asked: list[str] = []

    def __call__(self, request: Request) -> Any:
        if "module_advice" in request.text:
            self.asked.append(request.text)
            advice = {"parts['fact_list']": "CAREFULLY, leave out none.", "parts['nobody']": "Whatever."}
            return (
                f"[[ ## discussion ## ]]\nIt forgets.\n\n[[ ## module_advice ## ]]\n{json.dumps(advice)}\n\n"
                "[[ ## completed ## ]]"
            )
        if request.schema_name == "fact_list":
            self.lists += 1
            if self.lists > 4 and self.lists % 2 == 0:
                return native.reply(request)
        return careless(request)


@needs_dspy
def test_simba_appends_advice_and_examples_and_takes_nothing_away(many: Place, cli: Cli, server: StubServer) -> None:
    model = server.script = Advising()
    command = (
        *"optimize --optimizer simba --system facts --suite many --k 4 --train 4 --test 3 --batch 3".split(),
        *"--breadth 3 --depth 2 --out opt --parallel 1".split(),
        *("--internal", f"{server.url}#scripted", "--optimizer-model", f"{server.url}#proposer"),
    )
    cli(*command)
    record = json.loads(Path("opt/optimize.json").read_text())
    trials = {trial["name"]: trial["prompts"] for trial in record["trials"]}
    best = trials[record["best"]]
    assert record["changed"]
    for prompts in trials.values():
        assert all(text.startswith(RULES[name]) for name, text in prompts.items()), "nothing is taken away"
    assert any("CAREFULLY" in prompts["fact_list"] for prompts in trials.values())
    assert record["rows"][-1]["after"]["success"] > record["rows"][-1]["before"]["success"]
    assert best != trials[record["trials"][0]["name"]]

    assert model.asked
    seen = model.asked[0]
    assert "violin" in seen, "what was told"
    assert "gold answer" in seen, "what became of each question"
    assert "parts['fact_operations']" in seen, "every prompt is a module"
    rollouts = {path.name.rpartition("-")[0] for path in Path("opt").glob("episode*")}
    assert any("again" in name for name in rollouts), "rollouts of the same prompts are sampled anew"

    asked = server.count()
    again = json.loads(cli(*command, "--json").out)
    assert (again["best"], server.count()) == (record["best"], asked), "the same search again costs nothing"


@needs_dspy
def test_a_proposer_that_fails_ends_in_one_message(many: Place, cli: Cli, server: StubServer) -> None:
    def refuses(request: Request) -> Any:
        return Reply("no such model", status=404) if "proposed_instruction" in request.text else careless(request)

    server.script = refuses
    seen = cli(
        *"optimize --system facts --suite many --k 4 --train 2 --test 2 --out opt".split(),
        *("--internal", f"{server.url}#scripted", "--optimizer-model", f"{server.url}#proposer"),
        code=1,
    )
    assert seen.err.startswith("error: ")
    assert "proposer" in seen.err
