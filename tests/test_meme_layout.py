"""Episodes out of skeletons: what has to be remembered, what is asked when, and exact verdicts on verbatim memories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.episode import Episode, Outdated, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Suite, Task
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.lexical.detector import holds
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.diagnose.store import diagnose
from memtriage.suites.meme.domains import DOMAINS, graph_of
from memtriage.suites.meme.facts import EpisodeFacts
from memtriage.suites.meme.generate.assemble import assemble
from memtriage.suites.meme.generate.skeletons import skeletons
from memtriage.suites.meme.graph import PHRASINGS, Phrasing
from memtriage.suites.meme.layout import episode, unanswerable
from memtriage.suites.meme.resolve import disputed
from memtriage.suites.meme.skeleton import TASKS, Link, Question, Skeleton, Statement
from memtriage.suites.meme.transcript import Transcript

SAID = (
    (
        Statement("harbour", "Quill Bay", "fact", "Our ship lies in Quill Bay."),
        Statement("captain", "Odo Brandt", "fact", "The captain is Odo Brandt.", step=1),
        Statement("cargo", "cork", "fact", "We carry cork."),
        Statement("cook", "Ines", "fact", "Ines cooks for us."),
        Statement("mascot", "a goat", "fact", "Our mascot is a goat."),
        Statement("creed", "Knots before clocks.", "exact", 'Keep our creed exactly: "Knots before clocks."'),
    ),
    (
        Statement("pilot", "Marek", "dependency", "Marek is our pilot, because of Quill Bay.", source="harbour"),
        Statement("signal", "two flags", "dependency", "Our signal is two flags, as Marek likes it.", source="pilot"),
        Statement("berth", "pier nine", "dependency", "We lie at pier nine, as Quill Bay wants it.", source="harbour"),
        Statement("captain", "Pia Holm", "update", "The new captain is Pia Holm.", step=2),
    ),
    (
        Statement("pilot", "Suna", "rule", "If our harbour changes, our pilot will be Suna.", source="harbour"),
        Statement("signal", "a green lamp", "rule", "If our pilot changes, we signal by a green lamp.", source="pilot"),
        Statement("crew", "twelve", "fact", "Our crew is twelve."),
    ),
    (Statement("captain", "Rolf Tarn", "update", "Once more a new captain: Rolf Tarn.", step=3),),
    (
        Statement("harbour", "Port Sable", "change", "We left Quill Bay and lie in Port Sable now."),
        Statement("cook", "Ines", "delete", "I told you that Ines cooks. Please forget that."),
    ),
)
LAMP = "a green lamp"
SHIP = Skeleton(
    id="ship-1",
    domain="ship",
    root="harbour",
    change=("Quill Bay", "Port Sable"),
    links=(
        Link("harbour", "pilot", 1, "place", middle=True),
        Link("harbour", "berth", 1, "place"),
        Link("pilot", "signal", 2, "habit"),
    ),
    sessions=SAID,
    questions=(
        Question("exact-recall", ("creed",), "What is our creed?", "Knots before clocks.", ("Knots before clocks.",)),
        Question("aggregation", ("cargo", "mascot", "crew"), "What is on board?", "all", ("cork", "a goat", "twelve")),
        Question("tracking", ("captain",), "Who led us?", "three", ("Odo Brandt", "Pia Holm", "Rolf Tarn")),
        Question("deletion", ("cook",), "Who cooks?", "It was removed.", (), before="Ines"),
        Question("cascade", ("signal",), "How do we signal?", LAMP, (LAMP,), "two flags", 2, "pilot"),
        Question("absence", ("berth",), "Where do we lie?", "Uncertain.", (), "pier nine", 1, "harbour"),
    ),
)


def words(skeleton: Skeleton) -> Transcript:
    """A skeleton with one turn per statement, and a filler before the change and after it."""
    sessions: list[Session] = []
    turns: dict[int, str] = {}
    for place, statements in enumerate(skeleton.sessions):
        if place == len(skeleton.sessions) - 1:
            sessions.append(Session("calm", (Turn("user", "How deep is the sea?", "calm/0"),)))
        told = tuple(Turn("user", said.text, f"e{place}/{number}") for number, said in enumerate(statements))
        turns |= {len(turns) + number: turn.id for number, turn in enumerate(told)}
        sessions.append(Session(f"e{place}", told))
    sessions.append(Session("late", (Turn("user", "Is the sea salty?", "late/0"),)))
    return Transcript(tuple(sessions), tuple(f"e{place}" for place in range(len(skeleton.sessions))), turns, 10)


def ship() -> Episode:
    return episode(SHIP, words(SHIP), "8k")


def test_each_task_needs_what_was_said_for_it() -> None:
    needed = {probe.id: probe.sufficient for probe in ship().probes}
    assert needed == {
        "ship-1/exact-recall/creed/before": (("fact/creed",),),
        "ship-1/deletion/cook/before": (("fact/cook",),),
        "ship-1/cascade/signal/before": (("dep/signal",),),
        "ship-1/absence/berth/before": (("dep/berth",),),
        "ship-1/exact-recall/creed": (("fact/creed",),),
        "ship-1/aggregation": (("fact/cargo", "fact/mascot", "fact/crew"),),
        "ship-1/tracking/captain": (("value/captain/1", "value/captain/2", "value/captain/3"),),
        "ship-1/deletion/cook": (("delete/cook",),),
        "ship-1/cascade/signal": (("rule/pilot", "rule/signal", "change"), ("now/signal",)),
        "ship-1/absence/berth": (("dep/berth", "change"),),
    }


def test_a_fact_without_replacement_two_hops_down_takes_the_whole_chain() -> None:
    silent = tuple(tuple(s for s in said if (s.kind, s.entity) != ("rule", "signal")) for said in SAID)
    asked = Question("absence", ("signal",), "How do we signal?", "Uncertain.", (), "two flags", 2, "pilot")
    questions = tuple(asked if q.type == "absence" else q for q in SHIP.questions if q.type != "cascade")
    skeleton = Skeleton("s", "ship", "harbour", SHIP.change, SHIP.links, silent, questions)
    probe = episode(skeleton, words(skeleton)).probes[-1]
    assert probe.sufficient == (("dep/pilot", "dep/signal", "change"), ("rule/pilot", "dep/signal", "change"))


def test_outdated_facts_are_named_with_those_that_say_so() -> None:
    outdated = {probe.tags["task"]: probe.outdated for probe in ship().probes if probe.tags["moment"] == "after"}
    assert outdated == {
        "exact-recall": (),
        "aggregation": (),
        "tracking": (
            Outdated("value/captain/1", ("value/captain/2", "value/captain/3")),
            Outdated("value/captain/2", ("value/captain/3",)),
        ),
        "deletion": (Outdated("fact/cook", ("delete/cook",)),),
        "cascade": (Outdated("dep/signal", ("change", "now/signal")),),
        "absence": (Outdated("dep/berth", ("change",)),),
    }


def test_what_changes_is_asked_just_before_the_change_and_at_the_end() -> None:
    probes = {probe.id: probe for probe in ship().probes}
    early = [probe for probe in probes.values() if probe.tags["moment"] == "before"]
    assert {probe.after for probe in early} == {"calm"}
    assert {probe.task for probe in early} == {"meme/before"}
    assert {probe.id: probe.given for probe in probes.values() if probe.given} == {
        f"ship-1/{about}": f"ship-1/{about}/before" for about in ("deletion/cook", "cascade/signal", "absence/berth")
    }
    late = probes["ship-1/absence/berth"]
    assert (late.scoring, late.after, late.task, late.cluster) == ("abstain", None, "meme/absence", "ship-1")
    assert late.tags == {"task": "absence", "hop": "1", "domain": "ship", "filler": "8k", "moment": "after"}
    assert probes["ship-1/cascade/signal/before"].gold == "two flags"
    assert probes["ship-1/exact-recall/creed/before"].gold == "Knots before clocks."


def test_details_are_the_value_and_what_makes_the_statement_that_statement() -> None:
    details = {fact.id: fact.details for fact in ship().facts}
    assert details["fact/cargo"] == ("cork",)
    assert details["dep/signal"] == ("two flags", "Marek")
    assert details["rule/pilot"] == ("Suna", "harbour")
    assert details["change"] == ("Port Sable", "Quill Bay")
    assert details["delete/cook"] == ("Ines", "forget")
    assert details["now/signal"] == ("a green lamp",)
    assert "dep/pilot" not in details  # no question rests on it: the rule says more


def test_a_value_whose_words_others_use_must_be_named_with_its_entity() -> None:
    facts = EpisodeFacts(SHIP, words(SHIP).turns)
    assert facts.settled("pilot", "Marek").details == ("pilot", "Marek")  # the signal was told with that name
    assert facts.settled("pilot", "Suna").details == ("Suna",)


def verdicts(made: Episode, shown: Mapping[str, tuple[str, ...]], added: str = "") -> dict[str, ProbeVerdict]:
    """Verdicts on a store that holds every turn and brings back these for each probe; `added` is one more memory."""
    texts = {turn.id: turn.text for session in made.sessions for turn in session.turns} | {"note": added}
    keys = tuple(key for key in texts if key != "note" or added)
    history = History(Ingest(len(made.sessions), 0.0), (Snapshot("all", made.sessions[-1].id, None, keys),))
    traces = [
        Trace(probe.id, 5, "all", tuple(Retrieved(key, n) for n, key in enumerate(shown.get(probe.id, ()), start=1)))
        for probe in made.probes
    ]
    found = diagnose(made, history, traces, lambda wanted: {key: texts[key] for key in wanted}, "meme", "x")
    return {verdict.probe: verdict for verdict in found}


BEFORE = {
    "ship-1/cascade/signal/before": ("e1/1",),
    "ship-1/absence/berth/before": ("e1/2",),
    "ship-1/deletion/cook/before": ("e0/3",),
}


def test_an_old_value_without_the_change_is_stale_and_the_pair_fails() -> None:
    old = {
        "ship-1/cascade/signal": ("e1/1", "e2/0", "e2/1"),
        "ship-1/absence/berth": ("e1/2",),
        "ship-1/deletion/cook": ("e0/3",),
    }
    found = verdicts(ship(), BEFORE | old)
    for probe, fact in zip(old, ("dep/signal", "dep/berth", "fact/cook"), strict=True):
        assert (found[probe].verdict, found[probe].stale) == ("not_retrieved", (fact,))
        assert found[probe].tags["pair"] == "knew_but_failed"


def test_with_the_event_the_pair_is_credited_and_nothing_is_stale() -> None:
    events = {
        "ship-1/cascade/signal": ("e1/1", "e2/0", "e2/1", "e4/0"),
        "ship-1/absence/berth": ("e1/2", "e4/0"),
        "ship-1/deletion/cook": ("e0/3", "e4/1"),
    }
    found = verdicts(ship(), BEFORE | events)
    assert {(found[p].verdict, found[p].stale, found[p].tags["pair"]) for p in events} == {("correct", (), "credited")}


def test_bringing_nothing_back_declines_rightly_but_earns_nothing_where_nothing_was_known() -> None:
    knew = verdicts(ship(), BEFORE)
    assert knew["ship-1/absence/berth"].tags["pair"] == knew["ship-1/deletion/cook"].tags["pair"] == "credited"
    assert knew["ship-1/cascade/signal"].tags["pair"] == "knew_but_failed"
    blank = verdicts(ship(), {})
    assert {blank[f"ship-1/{p}"].tags["pair"] for p in ("absence/berth", "deletion/cook")} == {"trivial"}
    assert not any(verdict.verdict == "correct" for verdict in blank.values())


@pytest.mark.parametrize(
    ("note", "verdict"),
    [
        ("The ship now signals by a green lamp.", "correct"),
        ("As soon as the pilot is another, a green lamp is used.", "not_retrieved"),
    ],
)
def test_a_memory_that_states_the_outcome_is_enough_but_a_reworded_rule_is_not(note: str, verdict: str) -> None:
    found = verdicts(ship(), BEFORE | {"ship-1/cascade/signal": ("note",)}, added=note)
    assert found["ship-1/cascade/signal"].verdict == verdict


def test_questions_about_what_was_never_told_are_left_out_and_named() -> None:
    silent = tuple(tuple(s for s in said if s.entity != "captain" or s.step != 2) for said in SAID)
    skeleton = Skeleton("s", "ship", "harbour", SHIP.change, SHIP.links, silent, SHIP.questions)
    assert unanswerable(skeleton) == ("s: tracking of captain",)
    assert "s/tracking/captain" not in {probe.id for probe in episode(skeleton, words(skeleton)).probes}
    assert unanswerable(SHIP) == ()


def test_a_gold_answer_that_does_not_follow_is_marked() -> None:
    wrong = Question("absence", ("pilot",), "Who is our pilot?", "Uncertain.", (), "Marek", 1, "harbour")
    skeleton = Skeleton("s", "ship", "harbour", SHIP.change, SHIP.links, SAID, (*SHIP.questions[:5], wrong))
    assert disputed(skeleton) == (wrong,)
    marked = {probe.id: probe.tags.get("gold") for probe in episode(skeleton, words(skeleton)).probes}
    assert marked["s/absence/pilot"] == "disputed"
    assert marked["s/cascade/signal"] is None
    assert disputed(SHIP) == ()


def test_a_statement_that_no_turn_says_is_refused() -> None:
    whole = words(SHIP)
    mute = Transcript(whole.sessions, whole.evidence, {n: t for n, t in whole.turns.items() if n}, 0)
    with pytest.raises(BadInput, match=r"episode 'ship-1': no turn says 'Our ship lies in Quill Bay\.'"):
        episode(SHIP, mute)


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(DOMAINS), st.integers(0, 10_000), st.sampled_from(PHRASINGS))
def test_a_turn_holds_a_fact_exactly_if_it_said_it(domain: str, seed: int, phrasing: Phrasing) -> None:
    (skeleton,) = skeletons(graph_of(domain), 1, seed, phrasing)
    made = episode(skeleton, assemble(skeleton, seed, "none"))
    turns = [turn for session in made.sessions for turn in session.turns]
    evidence = [(turn, text) for fact in made.facts for text in fact.evidence for turn in fact.turns or (fact.id,)]
    library = SentenceIndex([(turn.id, turn.text) for turn in turns], evidence)
    numbers = {turn.id: library.add(turn.id, turn.text) for turn in turns}
    for fact in made.facts:
        held = {id for id, number in numbers.items() if holds(fact, library, {number}).state == "found"}
        assert held == set(fact.turns), fact
    whole = {session.id: library.add(session.id, session.text) for session in made.sessions}
    for fact in made.facts:
        held = {id for id, number in whole.items() if holds(fact, library, {number}).state == "found"}
        assert held == {turn.rpartition("/")[0] for turn in fact.turns}, fact
    assert {probe.tags["task"] for probe in made.probes} == set(TASKS)


@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_ceilings_reach_one_and_the_floor_nothing(
    phrasing: Phrasing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [
        episode(skeleton, assemble(skeleton, 3, "3k"), "3k")
        for domain in DOMAINS
        for skeleton in skeletons(graph_of(domain), 1, 3, phrasing)
    ]
    task = Task("meme/all", "", 1, lambda request: Loaded(made, {"source": "generated"}))
    monkeypatch.setattr(plugins, "suite", lambda name: Suite("meme", "", "", "", "1", (task,)))
    whole = "bm25:granularity=session"
    run = api.run("oracle", "full-context", "none", whole, suite="meme", k=[5, 500], out=tmp_path / "run")
    right: dict[tuple[str, int, str], set[bool]] = {}
    for verdict in run.verdicts():
        right.setdefault((verdict.system, verdict.k, verdict.task), set()).add(verdict.verdict == "correct")
    tasks = {f"meme/{task}" for task in (*TASKS, "before")}
    assert {task for _, _, task in right} == tasks
    for asked in tasks:
        assert [right[system, k, asked] for system in ("oracle", "full-context") for k in (5, 500)] == [{True}] * 4
        assert right[whole, 500, asked] == {True}
        assert right["none", 5, asked] == {False}
