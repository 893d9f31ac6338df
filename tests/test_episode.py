"""The nouns check themselves when they are made."""

from __future__ import annotations

import pytest

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
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
