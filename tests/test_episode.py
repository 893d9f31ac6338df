"""The nouns check themselves when they are made."""

from __future__ import annotations

import pickle

import pytest

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn, Turns
from memtriage.core.errors import BadInput

TURN = Turn("user", "The kiln is warm.", "s1/0")
FACT = Fact("f1", "The kiln is warm.", ("s1/0",), ("warm",))
PROBE = Probe("p1", "Is it?", "Yes", (("f1",),), after="s1")


def made(**changes: object) -> Episode:
    parts: dict[str, object] = {"sessions": (Session("s1", (TURN,)),), "facts": (FACT,), "probes": (PROBE,)}
    return Episode("e", "t", **{**parts, **changes})  # type: ignore[arg-type]


def test_a_whole_episode_finds_its_facts() -> None:
    assert made().fact("f1") is FACT
    assert FACT.evidence == (FACT.text,)
    assert Fact("f", "x", (), (), evidence=("y",)).evidence == ("y",)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sessions": (Session("s1", (TURN,)), Session("s1", ()))}, "session id 's1' occurs twice"),
        ({"sessions": (Session("s1", (TURN, TURN)),)}, "turn id 's1/0' occurs twice"),
        ({"facts": (FACT, FACT)}, "fact id 'f1' occurs twice"),
        ({"probes": (PROBE, PROBE)}, "probe id 'p1' occurs twice"),
        ({"facts": (Fact("f1", "x", ("s9/0",), ()),)}, "'s9/0'"),
        ({"probes": (Probe("p", "?", "", (("f9",),)),)}, "'f9'"),
        ({"probes": (Probe("p", "?", "", (("f1",),), after="s9"),)}, "'s9'"),
    ],
)
def test_parts_that_do_not_fit_are_named(changes: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match="episode 'e'") as caught:
        made(**changes)
    assert said in str(caught.value)


def test_a_fact_needs_text() -> None:
    with pytest.raises(BadInput, match="'f' has no text"):
        Fact("f", " \n", (), ())


def test_roles_are_written_only_where_several_turns_speak() -> None:
    assert Session("s", (TURN,)).text == TURN.text
    assert Session("s", (TURN, Turn("assistant", "Good.", "x"))).text == "user: The kiln is warm.\nassistant: Good."


def test_numbered_turns_are_a_sequence_equal_to_a_tuple_of_them() -> None:
    turns = Turns("s1", [1, 3], ["user", "assistant"], ["Is it warm?", "Yes."])
    same = (Turn("user", "Is it warm?", "s1_1"), Turn("assistant", "Yes.", "s1_3"))
    assert turns == same
    assert same == turns
    assert hash(turns) == hash(same)
    assert repr(turns) == repr(same)
    assert Session("s1", turns) == Session("s1", same)
    assert turns == Turns("s1", (1, 3), ("user", "assistant"), ("Is it warm?", "Yes."))
    assert turns != Turns("s1", [1, 2], ["user", "assistant"], ["Is it warm?", "Yes."])
    assert turns[-1] is turns[1] is list(turns)[1]  # built once
    assert turns[:1] == same[:1]
    assert [turns.id(place) for place in range(len(turns))] == [turn.id for turn in same]
    assert [turns.has(id) for id in ("s1_1", "s1_3", "s1_2", "s1_03", "s1_", "s2_1", "s1_³", "1")] == [True] * 2 + [
        False
    ] * 6
    assert pickle.loads(pickle.dumps(turns)) == turns


def test_numbered_turns_can_be_named_by_facts_and_probes() -> None:
    turns = Turns("s1", range(1, 2), ["user"], ["The kiln is warm."])
    fact = Fact("f1", "The kiln is warm.", ("s1_1",), ("warm",))
    assert made(sessions=(Session("s1", turns),), facts=(fact,)).fact("f1") is fact
    with pytest.raises(BadInput, match="names turn 's1_2', which does not exist"):
        made(sessions=(Session("s1", turns),), facts=(Fact("f1", "x", ("s1_2",), ("x",)),))
