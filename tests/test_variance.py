"""Where the spread of a figure comes from."""

from __future__ import annotations

from itertools import product
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.tables.variance import spreads


def verdict(right: bool | Verdict, ingest: int = 0, answer: int = 0, judge: int = 0, probe: str = "p") -> ProbeVerdict:
    found: Verdict = right if isinstance(right, str) else "correct" if right else "reasoning_error"
    fields = ("suite", "suite/task", "bm25", "episode", probe, 5, "full", found, "?", "!", ())
    return ProbeVerdict(*fields, ingest_repeat=ingest, repeat=answer, judge_repeat=judge)


def test_a_single_pass_has_a_mean_and_no_spread() -> None:
    [spread] = spreads([verdict(True), verdict(False)])
    assert (spread.mean, spread.repeats) == (0.5, 1)
    assert (spread.sd, spread.ingest_sd, spread.answer_sd, spread.judge_sd) == (None, None, None, None)


def test_each_source_is_measured_with_the_others_held_fixed() -> None:
    """Two stores; the first always right, the second never: all of the spread comes from storing."""
    verdicts = [verdict(i == 0, i, a, j) for i, a, j in product(range(2), range(3), range(2))]
    [spread] = spreads(verdicts)
    assert spread.mean == 0.5
    assert spread.ingest_sd == pytest.approx(stdev([1.0, 0.0]))
    assert (spread.answer_sd, spread.judge_sd) == (0.0, 0.0)


def test_answers_that_differ_show_up_as_answering() -> None:
    """One store, two answers judged twice each: right, right, wrong, wrong. Judging adds nothing, answering all."""
    [spread] = spreads([verdict(a == 0, 0, a, j) for a, j in product(range(2), range(2))])
    assert spread.answer_sd == pytest.approx(stdev([1.0, 0.0]))
    assert spread.judge_sd == 0.0
    assert spread.ingest_sd is None


def test_only_what_was_not_asked_is_left_out() -> None:
    open = [verdict("error", probe="q"), verdict("uncertain", probe="r"), verdict("n/a", probe="s")]
    [spread] = spreads([verdict(True), *open])
    assert spread.mean == 1 / 3


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.booleans()), min_size=1))
def test_spreads_are_never_negative_and_means_are_shares(cells: list[tuple[int, int, int, bool]]) -> None:
    for spread in spreads([verdict(right, i, a, j) for i, a, j, right in cells]):
        assert 0 <= spread.mean <= 1
        parts = (spread.sd, spread.ingest_sd, spread.answer_sd, spread.judge_sd)
        assert all(sd is None or sd >= 0 for sd in parts)
