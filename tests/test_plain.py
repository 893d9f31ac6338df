"""What is left out of a verbatim store changes no verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose import stages
from memtriage.diagnose.lexical.verbatim import verbatim_episode
from memtriage.diagnose.store import diagnose
from memtriage.record.reader import RunReader


def verdicts(path: Path) -> list[ProbeVerdict]:
    with RunReader(path) as reader:
        return [
            verdict
            for unit in reader.units
            for verdict in diagnose(
                reader.episode(unit[1]), reader.history(unit), reader.traces(unit), reader.texts, "s", unit[0]
            )
        ]


def test_leaving_out_what_bears_on_nothing_changes_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = ("bm25", "bm25:granularity=session", "dense", "lme", "full-context:window=3000", "echo")
    run = memtriage.run(
        *systems,
        suite="longmemeval/s",
        rows=6,
        k=[2, 5],
        options={"sessions": "14", "pool": "60"},
        out=tmp_path / "run",
    )
    used: list[bool] = []
    real: Callable[[Episode], object] = verbatim_episode

    def counted(episode: Episode) -> object:
        found = real(episode)
        used.append(found is not None)
        return found

    monkeypatch.setattr(stages, "verbatim_episode", counted)
    short = verdicts(run.path)
    monkeypatch.setattr(stages, "verbatim_episode", lambda episode: None)
    assert short == verdicts(run.path)
    assert sum(used) > len(used) / 2  # or it would be tested on nothing
    assert {v.verdict for v in short} >= {"correct", "not_retrieved", "not_stored"}


def history(turns: int, said: str, again: str = "") -> Episode:
    sessions = tuple(Session(f"s{n}", (Turn("user", f"Number {n} is on the shelf.", f"s{n}/0"),)) for n in range(turns))
    told = Session("told", (Turn("user", said, "told/0"), Turn("assistant", again or "Noted.", "told/1")))
    fact = Fact("f", said, ("told/0",), ("Kestrel Lane",))
    return Episode("e", "t", (*sessions, told), (fact,), (Probe("p", "Where?", "Kestrel Lane", (("f",),)),))


def test_it_holds_back_where_a_sentence_was_said_twice_or_the_history_is_short() -> None:
    said = "I moved to Kestrel Lane in the spring."
    assert verbatim_episode(history(40, said)) is not None
    assert verbatim_episode(history(40, said, again=said)) is None
    assert verbatim_episode(history(3, said)) is None


def test_a_store_that_rewrites_is_no_verbatim_store() -> None:
    found = verbatim_episode(history(40, "I moved to Kestrel Lane in the spring."))
    assert found is not None
    assert found.are_copies(["Number 3 is on the shelf.", "Noted."])
    assert not found.are_copies(["The user lives in Kestrel Lane."])


@pytest.mark.parametrize(
    "said",
    [
        "The plan cut costs by 23 % at Kestrel Lane.",
        "The freezer at Kestrel Lane stays at -18 degrees.",
        "We meet at Kestrel Lane at six o'clock.",
        "We meet at Kestrel Lane at six o’clock.",
        "The re\u00adfur\u00adbish\u00adment of Kestrel Lane is done.",
    ],
)
def test_a_memory_counts_however_its_words_are_written(said: str) -> None:
    found = verbatim_episode(history(40, said, again="Kestrel Lane it is."))
    assert found is not None
    assert found.may_hold_evidence(said)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab çéßİſK1%-−'’`\u00ad\u200b.,:½²ﬁ"), max_size=40))
def test_a_memory_is_never_overlooked(written: str) -> None:
    said = f"Kestrel Lane {written}"
    found = verbatim_episode(history(40, said, again="It's at Kestrel Lane."))
    assert found is None or found.may_hold_evidence(said)
