"""Pairs of probes, outdated facts and facts that follow: what evolving episodes need of the diagnosis."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memtriage.core.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.store import diagnose

SAID = {
    "old": "I take a pill called Quelm because of my knee.",
    "rule": "If my knee gets better, I will take Zorvane instead.",
    "change": "Good news: my knee is fine again since Monday.",
    "gone": "Please forget my club, the Harrow Rowers, I have left it.",
    "club": "I row with a club called the Harrow Rowers.",
}
FACTS = (
    Fact("old", SAID["old"], ("s-old/0",), ("Quelm",)),
    Fact("rule", SAID["rule"], ("s-rule/0",), ("Zorvane", "knee")),
    Fact("change", SAID["change"], ("s-change/0",), ("knee is fine",)),
    Fact("gone", SAID["gone"], ("s-gone/0",), ("forget", "Harrow Rowers")),
    Fact("club", SAID["club"], ("s-club/0",), ("Harrow Rowers",)),
    Fact("now", "I take a pill called Zorvane.", (), ("pill", "Zorvane"), settled=True),
)
PROBES = (
    Probe("before", "Which pill do I take?", "Quelm", (("old",),), after="s-club", task="meme/before"),
    Probe(
        "cascade",
        "Which pill do I take?",
        "Zorvane",
        (("rule", "change"), ("now",)),
        given="before",
        outdated=(Outdated("old", ("change", "now")),),
        task="meme/cascade",
    ),
    Probe("club-before", "Which club?", "Harrow Rowers", (("club",),), after="s-club"),
    Probe(
        "deletion",
        "Which club?",
        "none any more",
        (("gone",),),
        "abstain",
        given="club-before",
        outdated=(Outdated("club", ("gone",)),),
    ),
)
ORDER = ("old", "rule", "club", "change", "gone")


def episode() -> Episode:
    sessions = tuple(Session(f"s-{name}", (Turn("user", SAID[name], f"s-{name}/0"),)) for name in ORDER)
    return Episode("e", "meme/all", sessions, FACTS, PROBES)


def verdict(brought: dict[str, Sequence[str]], extra: dict[str, str] | None = None) -> dict[str, ProbeVerdict]:
    """The verdicts where each probe brought back these memories, from a store that holds everything."""
    texts = SAID | (extra or {})
    history = History(Ingest(5, 0.0, len(texts)), (Snapshot("x", "s-gone", None, tuple(texts)),))
    traces = [
        Trace(probe, 5, "x", tuple(Retrieved(key, n) for n, key in enumerate(keys, 1)))
        for probe, keys in brought.items()
    ]
    found = diagnose(episode(), history, traces, lambda keys: {k: texts[k] for k in keys}, "meme", "mine")
    return {each.probe: each for each in found}


def test_rule_and_change_make_a_cascade() -> None:
    found = verdict({"before": ["old"], "cascade": ["old", "rule", "change"]})["cascade"]
    assert (found.verdict, found.tags["pair"], found.stale, found.task) == ("correct", "credited", (), "meme/cascade")


def test_the_old_value_without_the_event_is_stale() -> None:
    found = verdict({"before": ["old"], "cascade": ["old", "rule"]})["cascade"]
    assert (found.verdict, found.tags["pair"], found.stale) == ("not_retrieved", "knew_but_failed", ("old",))
    assert found.tags["stale"] == "yes"
    assert found.credit == 0.5


def test_a_propagated_value_is_enough_but_a_condition_is_none() -> None:
    stated = verdict({"before": ["old"], "cascade": ["w"]}, {"w": "The user now takes the pill Zorvane."})["cascade"]
    assert stated.verdict == "correct"
    supposed = verdict({"before": ["old"], "cascade": ["w"]}, {"w": "Contingency: the pill becomes Zorvane."})[
        "cascade"
    ]
    assert supposed.verdict == "not_retrieved"


def test_a_rule_in_the_form_of_a_note_may_be_no_more_than_the_rule() -> None:
    note = {"w": "Knee gets better: the pill is Zorvane."}
    found = verdict({"before": ["old"], "cascade": ["old", "w"]}, note)["cascade"]
    assert (found.verdict, found.tags["pair"]) == ("uncertain", "open")
    assert {fact.fact: fact.verdict for fact in found.facts}["now"] == "uncertain"


def test_an_old_value_beside_a_reworded_event_is_not_called_stale() -> None:
    told = {"w": "Since Monday the user's knee has recovered and is good."}
    found = verdict({"before": ["old"], "cascade": ["old", "rule", "w"]}, told)["cascade"]
    assert (found.stale, found.tags["stale"]) == ((), "open")


def test_what_was_said_is_no_propagated_value_with_a_date_before_it_either() -> None:
    said = "[2026-03-02] Take a pill called Zorvane from then on."
    sessions = (*episode().sessions, Session("s-x", (Turn("user", said.partition("] ")[2], "s-x/0"),)))
    made = Episode("e", "meme/all", sessions, FACTS, PROBES)
    history = History(Ingest(6, 0.0, 1), (Snapshot("x", "s-x", None, ("w",)),))
    traces = [Trace("before", 5, "x", ()), Trace("cascade", 5, "x", (Retrieved("w", 1),))]
    found = {
        v.probe: v for v in diagnose(made, history, traces, lambda keys: dict.fromkeys(keys, said), "meme", "mine")
    }
    assert found["cascade"].verdict != "correct"


def test_who_never_knew_earns_nothing() -> None:
    found = verdict({"before": ["club"], "cascade": ["rule", "change"]})
    assert found["before"].verdict == "not_retrieved"
    assert (found["cascade"].verdict, found["cascade"].tags["pair"], found["cascade"].credit) == (
        "not_retrieved",
        "trivial",
        0.0,
    )
    neither = verdict({"before": [], "cascade": []})["cascade"]
    assert neither.tags["pair"] == "never_knew"


def test_whoever_knew_and_rightly_brings_nothing_has_all_the_credit() -> None:
    found = verdict({"club-before": ["club"], "deletion": []})["deletion"]
    assert (found.verdict, found.tags["pair"], found.credit) == ("correct", "credited", 1.0)


def test_order_of_arrival_does_not_matter() -> None:
    found = verdict({"cascade": ["rule", "change"], "before": ["old"]})
    assert found["cascade"].tags["pair"] == "credited"


def test_a_pair_whose_first_half_was_never_asked_is_an_error() -> None:
    found = verdict({"cascade": ["rule", "change"]})["cascade"]
    assert found.verdict == "error"
    assert "not asked" in (found.error or "")


def test_a_deletion_succeeds_with_the_event_or_with_silence_but_not_with_the_old_value() -> None:
    known = {"club-before": ["club"]}
    assert verdict({**known, "deletion": ["club", "gone"]})["deletion"].verdict == "correct"
    assert verdict({**known, "deletion": ["rule"]})["deletion"].verdict == "correct"
    stale = verdict({**known, "deletion": ["club"]})["deletion"]
    assert (stale.verdict, stale.stale) == ("not_retrieved", ("club",))


def test_episodes_refuse_pairs_and_outdated_facts_that_do_not_exist() -> None:
    made = episode()
    with pytest.raises(BadInput, match="is given probe 'x'"):
        Episode("e", "t", made.sessions, FACTS, (Probe("p", "?", "g", (), given="x"),))
    with pytest.raises(BadInput, match="outdates fact 'x'"):
        Episode("e", "t", made.sessions, FACTS, (Probe("p", "?", "g", (), outdated=(Outdated("x", ()),)),))
