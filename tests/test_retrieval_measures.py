"""Retrieval measures: LongMemEval's definitions, worked out by hand and once more in another way."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memtriage.core.episode import Episode, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.trace import Retrieved, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.metrics.ranking import RankingMeasures, RankingMeter, Sources
from memtriage.metrics.retrieval import ALL, KS, Measure, ValuesAtK, session_values, turn_values
from memtriage.metrics.statistics import wilson
from memtriage.report.terminal.show import show
from memtriage.tables.measures import REASONS, MeasureRow, mean_interval, measure_rows

THIRD = 1 / math.log2(3)

# ---------------------------------------------------------------- the definitions, in another way


U, A = "user", "assistant"


def talk(session: str, *roles: str) -> Session:
    return Session(session, tuple(Turn(role, "…", f"{session}_{i}") for i, role in enumerate(roles, start=1)))


def sources_in(known: Mapping[str, tuple[str, ...]]) -> Sources:
    return lambda keys: {key: known[key] for key in keys}


WEIGHTS = [1.0, *(1 / math.log(place, 2) for place in range(2, 1000))]


def by_definition(ids: Sequence[str], gold: set[str], k: int) -> tuple[float, float, float]:
    """The three measures of the first k ids, from sorted columns of relevance rather than from a walk."""
    column = [float(id in gold) for id in ids]
    best = math.fsum(w * r for w, r in zip(WEIGHTS[:k], sorted(column, reverse=True), strict=False))
    ndcg = math.fsum(w * r for w, r in zip(WEIGHTS[:k], column, strict=False)) / best if best else 0.0
    return float(not gold.isdisjoint(ids[:k])), float(gold <= set(ids[:k])), ndcg


def folded_by_definition(ids: Sequence[str], gold: set[str], k: int) -> tuple[float, float, float]:
    """The same at session level: as many turns count as it takes until the k-th session first shows."""
    sessions = [id.rsplit("_", 1)[0] for id in ids]
    first = sorted(map(sessions.index, set(sessions)))
    return by_definition(sessions, {id.rsplit("_", 1)[0] for id in gold}, first[k - 1] + 1 if k <= len(first) else 999)


def history(rng: random.Random) -> Episode:
    """Sessions of users and assistants, and questions with turns of some sessions as targets."""
    ids = [f"c{n}_{rng.randint(1, 3)}" for n in range(rng.choice([1, 2, 4, 8, 8, 16, 16, 60]))]
    sessions = tuple(talk(id, *[U, A] * rng.randint(0, 4), U) for id in ids)
    probes = []
    for number in range(40):
        held = rng.sample(sessions, min(len(sessions), rng.randint(1, 6)))
        evidence = {turn.id for session in held for turn in session.turns if rng.random() < 0.4}
        probes.append(Probe(f"q{number}", "?", "!", (), targets=tuple(evidence | {held[0].turns[0].id})))
    return Episode("e", "longmemeval/s", sessions, (), tuple(probes))


def said(session: Session, whole: bool) -> list[tuple[str, ...]]:
    """What of a session is ranked: the user's turns, one by one or as a whole."""
    users = [turn.id for turn in session.turns if turn.role == U]
    return [tuple(users)] if whole else [(turn,) for turn in users]


@pytest.mark.parametrize("whole", [False, True], ids=["turns", "sessions"])
def test_a_verbatim_corpus_of_what_users_said_gets_the_numbers_of_the_definitions(whole: bool) -> None:
    rng = random.Random(f"parity {whole}")
    compared = 0
    while compared < 5_000:
        episode = history(rng)
        sources = {
            session.id if whole else users[0]: users for session in episode.sessions for users in said(session, whole)
        }
        spans = any(len(users) > 1 for users in sources.values())
        rankings = RankingMeter(episode, sources_in(sources))
        for probe in episode.probes:
            ranked = rng.sample(list(sources), len(sources))
            # As in the paper's code: evidence is what has a certain word in its id, also after the turn is cut off.
            ids = [("noans_" if set(probe.targets).isdisjoint(sources[key]) else "answer_") + key for key in ranked]
            gold = {id for id in ids if id.startswith("answer")}
            wanted: dict[str, float] = {}
            for k in KS:
                at_session = by_definition(ids, gold, k) if whole else folded_by_definition(ids, gold, k)
                wanted |= zip(names("session", k), at_session, strict=True)
                # Where no session holds two turns of the user, to rank sessions is to rank turns.
                wanted |= {} if spans else dict(zip(names("turn", k), by_definition(ids, gold, k), strict=True))
            measures = rankings.measure(probe, replace(trace(ranked, all=True), probe=probe.id)).measures
            assert measures.keys() == wanted.keys()
            worst = max(abs(measures[name] - wanted[name]) for name in wanted)
            assert worst <= 1e-12, (worst, ids)
            compared += 1


def names(level: str, k: int) -> list[str]:
    return [f"{level}/{kind}@{k}" for kind in ("Recall_any", "Recall_all", "NDCG_any")]


# ---------------------------------------------------------------- the measures, by hand


def test_the_second_rank_counts_as_much_as_the_first_and_the_third_less() -> None:
    assert turn_values(["a", "x", "y"], {"a"}, [3])[3] == (1, 1, 1)
    assert turn_values(["x", "a", "y"], {"a"}, [3])[3] == (1, 1, 1)
    assert turn_values(["x", "y", "a"], {"a"}, [3])[3].ndcg_any == pytest.approx(THIRD)
    assert turn_values(["a", "x", "y", "b"], {"a", "b"}, [3, 4]) == {3: (1, 0, 0.5), 4: (1, 1, 0.75)}


def test_the_ideal_holds_no_more_than_k() -> None:
    assert turn_values(["a", "b", "c"], {"a", "b", "c"}, [1])[1] == ValuesAtK(1, 0, 1)
    assert turn_values(["a"], {"a", "b", "c"}, [2])[2] == ValuesAtK(1, 0, 0.5)


def test_with_nothing_to_find_all_of_it_is_found_and_none_of_it() -> None:
    assert turn_values(["a"], set(), [1])[1] == ValuesAtK(0, 1, 0)
    assert session_values([(["a"], ["s"])], {}, [1])[1] == ValuesAtK(0, 1, 0)


def test_a_turn_that_comes_again_takes_up_its_rank_and_gains_nothing() -> None:
    assert turn_values(["a", "a", "b"], {"a", "b"}, [2, 3]) == {
        2: (1, 0, 0.5),
        3: (1, 1, pytest.approx((1 + THIRD) / 2)),
    }


def turns(*ids: str) -> list[tuple[list[str], list[str]]]:
    return [([id], [id[0]]) for id in ids]


def test_k_grows_until_so_many_sessions_were_seen() -> None:
    # a1 a2 | b1 is where the second session begins, so at k = 2 three turns count.
    found = session_values(turns("a1", "a2", "b1", "c1"), {"b1": "b"}, [1, 2, 3])
    assert found == {1: (0, 0, 0), 2: (1, 1, pytest.approx(THIRD)), 3: (1, 1, pytest.approx(THIRD))}


def test_the_other_turns_of_an_evidence_session_are_another_session() -> None:
    # b1 is of the session that holds the evidence b2, but it is not the evidence: nothing is found with it, and
    # together the two count as two sessions.
    found = session_values(turns("b1", "b2", "c1"), {"b2": "b"}, [1, 2, 3])
    assert found == {1: (0, 0, 0), 2: (1, 1, 1), 3: (1, 1, 1)}


def test_folded_gains_are_those_of_turns() -> None:
    # Both evidence turns of one session: the session is all there is to recall, the gain is of two turns.
    assert session_values(turns("b1", "x1", "x2", "b2"), {"b1": "b", "b2": "b"}, [1, 2]) == {
        1: (1, 1, 1),
        2: (1, 1, 0.5),
    }


def test_a_ranking_that_ends_says_nothing_about_a_deeper_k_unless_it_is_all_there_is() -> None:
    assert turn_values(["x", "a"], {"a", "b"}, [2, 3], depth=0).keys() == {2}
    assert turn_values(["x", "a"], {"a", "b"}, [2, 3], depth=3)[3] == ValuesAtK(1, 0, 0.5)
    assert session_values(turns("a1", "a2", "b1"), {"b1": "b"}, [2, 3], depth=0).keys() == {2}


def test_measures_have_names_that_can_be_read_back() -> None:
    assert len(ALL) == 36
    assert [Measure.parse(str(measure)) for measure in ALL] == list(ALL)
    for wrong in ("session/Recall@5", "turn/NDCG_any", "turn/NDCG_any@0", "page/NDCG_any@5", "turn/NDCG_any@x"):
        with pytest.raises(BadInput, match="measure"):
            Measure.parse(wrong)
    with pytest.raises(BadInput, match="at least 1"):
        turn_values(["a"], {"a"}, [0])


IDS = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 4)).map(lambda x: f"{x[0]}{x[1]}"), max_size=30)


@given(IDS, st.sets(st.sampled_from([f"{s}{n}" for s in "abcdef" for n in range(1, 5)]), min_size=1))
def test_measures_keep_their_bounds(ranked: list[str], gold: set[str]) -> None:
    for found in (
        turn_values(ranked, gold, range(1, 12)),
        session_values(turns(*ranked), {id: id[0] for id in gold}, range(1, 12)),
    ):
        assert list(found) == list(range(1, 12))
        for k, at in found.items():
            assert 0 <= at.ndcg_any <= 1
            assert at.recall_all <= at.recall_any
            assert (at.ndcg_any > 0) == (at.recall_any > 0)
            assert k == 1 or (at.recall_any >= found[k - 1].recall_any and at.recall_all >= found[k - 1].recall_all)


@given(IDS, st.data())
def test_to_rank_the_gold_first_is_perfect_and_what_comes_after_k_is_not_seen(ranked: list[str], data: Any) -> None:
    ranked = list(dict.fromkeys(ranked)) or ["a1"]
    gold = set(ranked[: data.draw(st.integers(1, len(ranked)))])
    assert all(at.ndcg_any == 1 and at.recall_any == 1 for at in turn_values(ranked, gold).values())
    assert turn_values(ranked, gold)[50].recall_all == 1
    k = data.draw(st.integers(1, len(ranked)))
    mixed = data.draw(st.permutations(ranked))
    assert turn_values(mixed, gold, [k]) == turn_values(mixed[:k], gold, [k])


# ---------------------------------------------------------------- memories


CHATS = (talk("a", U, A, U, A), talk("b", U, A, A, U), talk("c", U, A), talk("d", A, U))


def trace(ranking: Sequence[str], k: int = 50, all: bool = False) -> Trace:
    retrieved = tuple(Retrieved(key, rank) for rank, key in enumerate(ranking[:k], start=1))
    return Trace("q0", k, retrieved=retrieved, ranking=tuple(ranking), ranked_all=all)


def taken(targets: str, *memories: str, k: int = 50, all: bool = True) -> RankingMeasures:
    """The measures of memories, each named by the turns it comes from: `"a_1 a_2"`."""
    probe = Probe("q0", "?", "!", (), targets=tuple(targets.split()))
    episode = Episode("e", "longmemeval/s", CHATS, (), (probe,))
    keys = [f"{place}:{memory}" for place, memory in enumerate(memories)]
    sources = {key: tuple(memory.split()) for key, memory in zip(keys, memories, strict=True)}
    return RankingMeter(episode, sources_in(sources)).measure(probe, trace(keys, k, all))


def test_a_round_stands_for_the_users_turn() -> None:
    alone = taken("b_1", "a_1", "a_3", "b_1", "c_1")
    rounds = taken("b_1", "a_1 a_2", "a_3 a_4", "b_1 b_2 b_3", "c_1 c_2")
    assert alone.measures == rounds.measures
    assert alone.measures["turn/NDCG_any@3"] == pytest.approx(THIRD)
    assert alone.measures["session/Recall_all@1"] == 0


def test_what_the_assistant_said_takes_up_its_rank_and_is_never_a_target() -> None:
    found = taken("a_3 a_4", "a_4", "b_2", "a_3").measures
    assert found["turn/Recall_any@1"] == 0
    assert found["turn/NDCG_any@3"] == pytest.approx(THIRD)
    assert found["session/Recall_any@1"] == 0, "it is one of the session's other turns"
    assert found["session/Recall_all@3"] == 1


def test_of_several_memories_of_one_turn_the_first_counts() -> None:
    found = taken("a_1 c_1", "a_1", "a_1", "c_1").measures
    assert found["turn/NDCG_any@3"] == pytest.approx((1 + THIRD) / 2)
    assert found["session/NDCG_any@3"] == pytest.approx((1 + THIRD) / 2)


def test_memories_over_several_turns_are_measured_by_their_sessions_only() -> None:
    found = taken("a_1 a_3 c_1", "b_1 b_2 b_3 b_4", "a_1 a_2 a_3 a_4", "d_1 d_2", "c_1 c_2")
    assert found.gap == "sessions only"
    assert not any(name.startswith("turn/") for name in found.measures)
    assert found.measures["session/Recall_any@1"] == 0
    assert found.measures["session/Recall_all@3"] == 0
    assert found.measures["session/Recall_all@5"] == 1
    assert found.measures["session/NDCG_any@5"] == pytest.approx((1 + 1 / 2) / 2), "two sessions are to be found"


def test_a_memory_over_several_sessions_counts_for_each_of_them() -> None:
    found = taken("a_1 b_1 c_1", "a_1 b_1 c_1").measures
    assert found["session/Recall_all@1"] == 1
    assert found["session/NDCG_any@1"] == 1
    apart = taken("a_1 b_1", "d_2", "c_1", "a_1 b_4").measures
    assert apart["session/Recall_any@5"] == 1
    assert apart["session/Recall_all@5"] == 0, "b_4 is not what b is looked for"
    assert apart["session/NDCG_any@5"] == pytest.approx(THIRD / 2)


def test_without_sources_there_is_no_measure_rather_than_a_zero() -> None:
    assert taken("a_1", "b_1", "", "a_1") == RankingMeasures(gap="no sources")
    assert taken("a_1", "b_1", "nowhere_7") == RankingMeasures(gap="no sources")
    probe = Probe("q0", "?", "!", (), targets=("a_1",))
    episode = Episode("e", "t", CHATS, (), (probe,))
    assert RankingMeter(episode).measure(probe, trace(["key"])) == RankingMeasures(gap="no sources")


def test_questions_about_what_the_assistant_said_are_skipped() -> None:
    assert taken("a_2 d_1", "a_2") == RankingMeasures(gap="no user-side target")
    assert taken("", "a_2") == RankingMeasures()


def test_measures_stop_where_the_ranking_was_recorded_to() -> None:
    shallow = taken("a_1", "b_1", "b_4", "a_1", "c_1", "d_2", k=5, all=False).measures
    assert {Measure.parse(name).k for name in shallow} == {1, 3, 5}
    # Six turns of two sessions (their evidence apart: three) don't tell what the fifth session would have been.
    narrow = taken("a_1", "b_1", "b_4", "a_3", "b_1", "a_1", k=5, all=False).measures
    assert "turn/Recall_all@5" in narrow
    assert "session/Recall_all@3" in narrow
    assert "session/Recall_all@5" not in narrow
    assert len(taken("a_1", "b_1", "a_1", all=True).measures) == 36


def test_who_brings_less_than_asked_for_has_nothing_more_up_to_there() -> None:
    few = taken("a_1", "b_1", k=10, all=False).measures
    assert {Measure.parse(name).k for name in few} == {1, 3, 5, 10}
    nothing = taken("a_1", k=10, all=False).measures
    assert set(nothing.values()) == {0.0}
    assert {Measure.parse(name).k for name in nothing} == {1, 3, 5, 10}


def test_a_smaller_k_has_no_ranking_and_no_measures() -> None:
    probe = Probe("q0", "?", "!", (), targets=("a_1",))
    episode = Episode("e", "t", CHATS, (), (probe,))
    asked = Trace("q0", 3, retrieved=(Retrieved("key", 1),))
    assert RankingMeter(episode, lambda keys: {}).measure(probe, asked) == RankingMeasures()


# ---------------------------------------------------------------- over many questions


def verdict(probe: str, measures: Mapping[str, float] | None = None, **changes: Any) -> ProbeVerdict:
    fields: dict[str, Any] = {
        "suite": "longmemeval",
        "task": "longmemeval/multi-session",
        "system": "bm25",
        "episode": probe,
        "probe": probe,
        "k": 50,
        "depth": "memory",
        "verdict": "correct",
        "question": "?",
        "gold": "!",
        "facts": (),
        "cluster": probe,
        "measures": measures or {},
    }
    return ProbeVerdict(**{**fields, **changes})


def every(value: float, level: str = "") -> dict[str, float]:
    return {str(measure): value for measure in ALL if level in ("", measure.level)}


def row(rows: Sequence[MeasureRow], measure: str, task: str = "all", system: str = "bm25") -> MeasureRow:
    return next(one for one in rows if (one.measure, one.task, one.system) == (measure, task, system))


def test_every_question_is_in_the_mean_or_counted_apart() -> None:
    found = measure_rows(
        [
            verdict("1", every(1.0)),
            verdict("2", every(0.0)),
            verdict("3", every(1.0, "session") | {"turn/Recall_all@5": 1.0}),
            verdict("4", task="longmemeval/abstention"),
            verdict("5", task="longmemeval/single-session-assistant", tags={"ranking": "no user-side target"}),
            verdict("6", tags={"ranking": "no sources"}),
            verdict("7", verdict="error", error="it broke"),
        ]
    )
    session, turn = row(found, "session/Recall_all@10"), row(found, "turn/Recall_all@10")
    assert (session.n, session.mean) == (4, 2 / 4)  # with the error as 0
    assert (session.low, session.high) == (wilson(2, 4).low, wilson(3, 4).high)
    assert (turn.n, turn.mean, turn.too_shallow) == (3, pytest.approx(1 / 3), 1)
    assert (turn.abstention, turn.no_user_target, turn.no_sources, turn.error) == (1, 1, 1, 1)
    apart = [why for why in REASONS if why != "error"]
    assert all(one.n + sum(getattr(one, why) for why in apart) == one.questions for one in found)
    assert row(found, "turn/NDCG_any@1", "longmemeval/abstention").mean is None
    assert row(found, "turn/NDCG_any@1", "longmemeval/multi-session").questions == 5


def test_one_memory_over_several_turns_takes_the_turn_level_from_the_whole_system() -> None:
    spans = verdict("2", every(1.0, "session"), tags={"ranking": "sessions only"})
    found = measure_rows([verdict("1", every(1.0)), spans, verdict("1", every(1.0), system="dense")])
    assert (row(found, "turn/Recall_all@5").n, row(found, "turn/Recall_all@5").sessions_only) == (0, 2)
    assert row(found, "session/Recall_all@5").n == 2
    assert row(found, "turn/Recall_all@5", system="dense").n == 1


def test_a_question_counts_once_at_its_largest_k_however_often_it_was_answered() -> None:
    found = measure_rows(
        [
            verdict("1", k=5),
            verdict("1", every(1.0)),
            verdict("1", every(1.0), repeat=1),
            verdict("1", every(1.0), judge_repeat=1),
            verdict("2", verdict="error", error="no answer"),
            verdict("2", every(0.0), repeat=1),
        ]
    )
    assert (row(found, "turn/Recall_all@5").n, row(found, "turn/Recall_all@5").mean) == (2, 0.5)


def test_stores_filled_twice_are_two_measurements_of_one_question() -> None:
    once = [verdict(str(n), every(n % 2)) for n in range(20)]
    twice = once + [replace(one, ingest_repeat=1) for one in once]
    name = "turn/Recall_all@5"
    assert row(measure_rows(twice), name).n == 40
    assert row(measure_rows(twice), name).low == pytest.approx(row(measure_rows(once), name).low)


def test_a_system_that_only_failed_still_has_its_row() -> None:
    found = measure_rows([verdict("1", every(1.0)), verdict("1", system="broken", verdict="error", error="boom")])
    broken = row(found, "turn/Recall_all@5", system="broken")
    assert (broken.n, broken.error, broken.mean, broken.low, broken.high) == (1, 1, 0.0, 0.0, 1.0)


def test_a_system_that_only_failed_stays_among_the_measures_of_answers() -> None:
    found = measure_rows([verdict("1", {"f1": 0.5}), verdict("1", system="broken", verdict="error", error="boom")])
    broken = row(found, "f1", "longmemeval/multi-session", system="broken")
    assert (broken.n, broken.error, broken.mean, broken.low, broken.high) == (1, 1, 0.0, 0.0, 1.0)


def test_the_interval_of_a_mean_is_students_where_values_are_no_proportion() -> None:
    # Mean 0.5 and sample variance 0.05/3 of four values; t(3) at 97.5 % is 3.1824.
    values = [("a", 0.35), ("b", 0.45), ("c", 0.55), ("d", 0.65)]
    half = 3.182446 * math.sqrt(0.05 / 3 / 4)
    assert mean_interval(values) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)
    assert mean_interval([("a", 0.9), ("b", 1.0), ("c", 0.2)])[1] == 1.0
    assert mean_interval([("a", 1.0), ("b", 1.0)]) == wilson(2, 2)
    assert mean_interval([("a", 0.5), ("b", 0.5)]) == wilson(1, 2), "no spread at all says nothing"
    assert mean_interval([]) == (0.0, 1.0)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1)), min_size=1))
def test_an_interval_holds_its_mean(values: list[tuple[int, float]]) -> None:
    low, high = mean_interval(values)
    mean = float(sum(Fraction(value) for _, value in values) / len(values))
    assert 0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1


# ---------------------------------------------------------------- what is shown


def shown(*verdicts: ProbeVerdict, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    show(SimpleNamespace(verdicts=verdicts, stores=[]), console, "measure")
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_the_table_shows_the_headline_and_says_what_was_left_out() -> None:
    text = shown(
        verdict("1", every(1.0)),
        verdict("2", every(0.25)),
        verdict("3", task="longmemeval/abstention"),
        verdict("4", task="longmemeval/single-session-assistant", tags={"ranking": "no user-side target"}),
    )
    assert "session level" in text
    assert "turn level" in text
    assert "62.5" in text
    assert "1 of 4 skipped: abstention" in text
    assert "1 of 4 skipped: only the assistant said it" in text
    assert "Recall_any" not in text.split("Percent")[0]


def test_the_table_says_where_a_level_or_a_depth_is_missing() -> None:
    spans = shown(verdict("1", every(1.0, "session"), tags={"ranking": "sessions only"}))
    assert "n/a by turns" in spans
    shallow = {name: value for name, value in every(1.0).items() if Measure.parse(name).k <= 5}
    text = shown(verdict("1", shallow), verdict("2", every(1.0)))
    assert "not ranked deep enough from session/Recall_any@10 on, at most 1 questions" in text
    assert "100* " in text


def test_names_of_tasks_are_not_broken_in_a_narrow_terminal() -> None:
    tasks = ("single-session-preference", "single-session-assistant", "temporal-reasoning")
    found = [verdict(task, every(value), task=f"longmemeval/{task}") for task in tasks for value in (0.995, 1.0)]
    lines = [line.strip() for line in shown(*found, width=80).splitlines()]
    assert all(task in lines for task in tasks)


def test_a_run_without_rankings_says_which_have_them() -> None:
    with pytest.raises(BadInput, match="longmemeval"):
        shown(verdict("1"))


SUITE = """
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Loaded, Suite, Task

SAID = {"one": ["I moved to Gent.", "Nice!", "It rains."], "two": ["My cat is Pim.", "A fine name: it means apple."]}


def load(request):
    sessions = tuple(
        Session(id, tuple(Turn(("user", "assistant")[i % 2], text, f"{id}_{i + 1}") for i, text in enumerate(texts)))
        for id, texts in SAID.items()
    )
    fact = Fact("one_1", "I moved to Gent.", ("one_1",), ("Gent",))
    probes = (
        Probe("where", "Where do I live?", "Gent", (("one_1",),), task="chats/user", targets=("one_1",)),
        Probe("name", "What does it mean?", "apple", (), task="chats/assistant", targets=("two_2",)),
        Probe("dog_abs", "My dog's name?", "", (), "abstain", task="chats/abstention"),
    )
    return Loaded((Episode("chats/1", "chats/all", sessions, (fact,), probes),), {"source": "generated", "rows": 3})


SUITE = Suite("chats", "Two chats", "none", "MIT", "1", (Task("chats/all", "two chats", 3, load),))
"""

SYSTEM = '''
from memtriage import Memory


class Newest:
    """Brings the newest turns."""

    ranks_all = True
    named = True

    def __init__(self):
        self.kept = []

    def store_conversation(self, conversation):
        for turn in conversation.turns:
            sources = (turn.id,) if self.named else ()
            self.kept.append(Memory(f"{type(self).__name__}/{turn.id}", turn.text, None, sources))

    def retrieve_memories(self, query, conversation, k):
        return self.kept[::-1][:k]

    def get_all_memories(self):
        return list(self.kept)


class Nameless(Newest):
    named = False
'''


@pytest.fixture
def chats(place: Any) -> None:
    place.write("chats_suite.py", SUITE)
    place.write("newest.py", SYSTEM)
    info = place.path / "chats-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: chats\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[memtriage.suites]\nchats = chats_suite:SUITE\n")


@pytest.mark.usefixtures("chats")
def test_a_run_is_measured_and_shown(cli: Callable[..., Any]) -> None:
    systems = ("--system", "newest.py:Newest", "--system", "newest.py:Nameless")
    cli("run", "--suite", "chats", *systems, "--k", "1,3", "--out", "there")
    printed = json.loads(cli("show", "there", "--by", "measure", "--json").out)
    assert printed["schema"] == "memtriage.measures/2"
    cells = {(one["system"], one["task"], one["measure"]): one for one in printed["rows"]}
    newest, nameless = dict.fromkeys(one["system"] for one in printed["rows"])
    # Newest first: two_2 (the assistant's), two_1, one_3, one_2 (the assistant's), one_1.
    assert cells[newest, "chats/user", "turn/Recall_all@3"]["mean"] == 0
    assert cells[newest, "chats/user", "turn/NDCG_any@5"]["mean"] == pytest.approx(1 / math.log2(5))
    # Sessions: two, one without the evidence, and at the fifth turn the evidence of one.
    assert cells[newest, "all", "session/Recall_all@3"]["mean"] == 1
    assert cells[newest, "all", "session/NDCG_any@3"]["mean"] == pytest.approx(1 / math.log2(5))
    left = cells[newest, "all", "session/NDCG_any@3"]
    assert (left["questions"], left["n"], left["abstention"], left["no_user_target"]) == (3, 1, 1, 1)
    assert cells[nameless, "all", "session/Recall_all@3"]["mean"] is None
    assert cells[nameless, "all", "session/Recall_all@3"]["no_sources"] == 1
    table = list(csv.DictReader(io.StringIO(cli("show", "there", "--by", "measure", "--csv").out)))
    assert len(table) == len(printed["rows"]) == 36 * 2 * 4
    assert "session level" in cli("show", "there", "--by", "measure").out
    assert "measure" in cli("show", "there", "--by", "mesure", code=1).err
