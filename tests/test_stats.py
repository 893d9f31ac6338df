"""Intervals, tests and agreement: golden values worked out by hand, properties, and scipy as a second opinion."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.metrics.statistics import (
    clustered,
    detectable_difference,
    effective_pairs,
    effective_size,
    kappa,
    mcnemar,
    mean_sd,
    paired_difference,
    t_value,
    wilson,
)

proportions = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
clusters = st.lists(st.tuples(st.sampled_from("abcdefg"), st.booleans()), min_size=1, max_size=60)


def test_wilson_matches_values_worked_out_by_hand() -> None:
    # z² = 3.841459, n = 10, p = 0.8: centre (0.8 + 0.192073) / 1.384146 = 0.716740;
    # half 1.959964 · sqrt(0.016 + 0.009604) / 1.384146 = 0.226577.
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.490162, abs=1e-5)
    assert high == pytest.approx(0.943317, abs=1e-5)


def test_wilson_is_exact_at_the_edges() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    # p = 0: the upper bound is z² / (n + z²).
    assert wilson(0, 10).low == 0.0
    assert wilson(0, 10).high == pytest.approx(3.841459 / 13.841459, abs=1e-6)
    assert wilson(10, 10).low == pytest.approx(10 / 13.841459, abs=1e-6)
    assert wilson(10, 10).high == 1.0


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_wilson_refuses_what_is_no_proportion(successes: int, n: int) -> None:
    with pytest.raises(BadInput, match="no proportion"):
        wilson(successes, n)


@given(proportions)
def test_wilson_lies_within_bounds_and_around_the_proportion(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert low < high


@given(proportions)
def test_wilson_is_symmetric(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = wilson(successes, n)
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low))


@given(proportions)
def test_wilson_narrows_with_more_of_the_same(counts: tuple[int, int]) -> None:
    successes, n = counts
    one, four = wilson(successes, n), wilson(4 * successes, 4 * n)
    assert four.high - four.low < one.high - one.low


def test_wilson_agrees_with_scipy() -> None:
    from scipy.stats import binomtest

    for successes, n in [(0, 1), (1, 1), (3, 7), (50, 100), (299, 300), (17, 92)]:
        theirs = binomtest(successes, n).proportion_ci(0.95, "wilson")
        assert wilson(successes, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(
    ("freedom", "confidence", "value"),
    [(1, 0.95, 12.7062047), (2, 0.95, 4.3026527), (10, 0.99, 3.1692727), (30, 0.9, 1.6972609), (120, 0.95, 1.9799304)],
)
def test_students_t_as_in_printed_tables(freedom: int, confidence: float, value: float) -> None:
    assert t_value(freedom, confidence) == pytest.approx(value, abs=1e-7)


def test_students_t_agrees_with_scipy() -> None:
    from scipy.special import stdtrit

    for freedom in (*range(1, 60), 499, 2000):
        for confidence in (0.5, 0.9, 0.95, 0.999):
            assert t_value(freedom, confidence) == pytest.approx(stdtrit(freedom, (1 + confidence) / 2), rel=1e-11)


@given(st.lists(st.booleans(), max_size=80))
def test_independent_outcomes_get_the_plain_interval(outcomes: list[bool]) -> None:
    assert clustered(enumerate(outcomes)) == wilson(sum(outcomes), len(outcomes))


@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(1, 7))
def test_outcomes_repeated_within_their_cluster_count_once(outcomes: list[bool], times: int) -> None:
    repeated = [(cluster, right) for cluster, right in enumerate(outcomes) for _ in range(times)]
    plain = wilson(sum(outcomes), len(outcomes))
    assert clustered(repeated) == pytest.approx(plain)


@given(clusters)
def test_clusters_never_narrow_an_interval(outcomes: list[tuple[str, bool]]) -> None:
    successes, n = sum(right for _, right in outcomes), len(outcomes)
    own, plain = clustered(outcomes), wilson(successes, n)
    assert own.low <= plain.low + 1e-12
    assert own.high >= plain.high - 1e-12
    assert 0 <= own.low <= successes / n + 1e-12
    assert successes / n - 1e-12 <= own.high <= 1


@given(clusters, st.randoms(use_true_random=False))
def test_the_order_of_outcomes_does_not_matter(outcomes: list[tuple[str, bool]], random: object) -> None:
    shuffled = list(outcomes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert clustered(shuffled) == clustered(outcomes)


def test_effective_size_matches_values_worked_out_by_hand() -> None:
    # Clusters (outcomes, successes): (3, 3), (3, 1), (2, 0), so n = 8, p = 1/2. Residual sums: 3 - 1.5 = 1.5,
    # 1 - 1.5 = -0.5, 0 - 1 = -1; squares add up to 3.5. V = 3/2 · 3.5 / 64 = 0.08203125.
    # Effective size: 1 + 0.25 / 0.08203125 = 4.047619...
    assert effective_size(Counter([(3, 3), (3, 1), (2, 0)])) == pytest.approx(1 + 0.25 / 0.08203125)


def test_effective_size_without_evidence_takes_clusters_as_one_piece() -> None:
    assert effective_size(Counter([(3, 3), (3, 3)])) == 2  # all right: as many as there are clusters
    # one cluster dominates: little more than one
    assert effective_size(Counter([(9, 0), (1, 0)])) == pytest.approx(100 / 82)
    assert effective_size(Counter([(10, 4)])) == 1  # a single cluster says nothing about the next
    # clusters that balance out are not worth more than their outcomes
    assert effective_size(Counter([(2, 1), (2, 1)])) == 4
    assert effective_size(Counter([])) == 0


def test_mcnemar_matches_values_worked_out_by_hand() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5) == 2 / 32  # two tails of one way in 2^5
    assert mcnemar(1, 7) == 2 * (1 + 8) / 256
    assert mcnemar(4, 4) == 1.0  # the two tails overlap


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(b: int, c: int) -> None:
    assert mcnemar(b, c) == mcnemar(c, b)
    assert 0 < mcnemar(b, c) <= 1


def test_mcnemar_agrees_with_scipy_also_where_numbers_are_large() -> None:
    from scipy.stats import binomtest

    for b, c in [(1, 2), (9, 37), (120, 180), (2000, 2200), (5, 900)]:
        assert mcnemar(b, c) == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)
    assert mcnemar(0, 5000) == 0.0  # below the smallest float, and no overflow on the way


def _table(both: int, first: int, second: int, neither: int) -> list[tuple[int, bool, bool]]:
    outcomes = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither
    return [(i, *outcome) for i, outcome in enumerate(outcomes)]


def test_paired_difference_gives_newcombes_published_example() -> None:
    # Newcombe 1998 (Statistics in Medicine 17:2635), method 10 on the table 36, 12, 2, 0: 0.0569 to 0.3404.
    difference = paired_difference(_table(36, 12, 2, 0))
    assert difference is not None
    assert difference.value == pytest.approx(-0.2)
    assert difference.interval == pytest.approx((-0.3404, -0.0569), abs=5e-5)


@given(st.tuples(*[st.integers(0, 30)] * 4))
def test_paired_difference_turns_its_sign_with_the_sides(cells: tuple[int, int, int, int]) -> None:
    both, first, second, neither = cells
    one, other = paired_difference(_table(*cells)), paired_difference(_table(both, second, first, neither))
    if one is None or other is None:
        assert sum(cells) == 0
        return
    assert other.value == pytest.approx(-one.value)
    assert other.interval == pytest.approx((-one.interval.high, -one.interval.low))
    assert -1 <= one.interval.low <= one.value <= one.interval.high <= 1


def test_paired_difference_widens_where_probes_share_a_cluster() -> None:
    outcomes = _table(30, 4, 16, 10)
    alone = paired_difference(outcomes)
    threefold = paired_difference([outcome for outcome in outcomes for _ in range(3)])
    assert alone is not None
    assert threefold is not None
    # The phi correction still sees three times the pairs, so the widths agree only roughly.
    width = alone.interval.high - alone.interval.low
    assert threefold.interval.high - threefold.interval.low == pytest.approx(width, rel=0.05)


def test_kappa_matches_values_worked_out_by_hand() -> None:
    # 20 both yes, 5 yes/no, 10 no/yes, 15 both no: observed 35/50 = 0.7; by chance
    # (25·30 + 25·20) / 2500 = 0.5; kappa (0.7 - 0.5) / (1 - 0.5) = 0.4.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(pairs) == pytest.approx(0.4)


def test_kappa_is_one_zero_or_undefined_where_chance_alone_would_agree() -> None:
    assert kappa([("x", "x")] * 3) == 1.0
    assert kappa([("x", "y")] * 3) == 0.0
    assert math.isnan(kappa([]))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_is_symmetric_and_one_only_for_agreement(pairs: list[tuple[str, str]]) -> None:
    value = kappa(pairs)
    assert value == pytest.approx(kappa([(two, one) for one, two in pairs]))
    assert -1 <= value <= 1
    assert (value == 1) == all(one == two for one, two in pairs)


def test_detectable_difference_matches_values_worked_out_by_hand() -> None:
    # (1.959964 + 0.841621) · sqrt(2 · 0.25 / 100) = 2.801585 · 0.0707107 = 0.198102.
    # z = 1.959964 and 0.841621: sqrt(0.2) * (10 * 1.959964 + 0.841621 * sqrt(96.866867)) / 100.708326
    assert detectable_difference(100, 0.2) == pytest.approx(0.123819, abs=1e-6)
    # Two that never differ: the smallest d with 100 d = (1.959964 + 0.841621 * sqrt(1 - d))², all of it one way.
    d = detectable_difference(100, 0.0)
    assert 100 * d == pytest.approx((1.959964 + 0.841621 * (1 - d) ** 0.5) ** 2, abs=1e-5)
    assert detectable_difference(100, 0.05) == d  # 5 discordant of 100 can't show 6.2 points
    assert detectable_difference(3, 0.5) == 1.0
    assert detectable_difference(0, 0.5) == 1.0


@given(st.integers(4, 5000), st.floats(0, 1))
def test_a_detectable_difference_satisfies_connors_formula(n: int, discordance: float) -> None:
    d = detectable_difference(n, discordance)
    used = max(discordance, d)  # a difference needs that much discordance
    assert n * d * d == pytest.approx((1.959964 * used**0.5 + 0.841621 * max(used - d * d, 0) ** 0.5) ** 2, rel=1e-4)


def test_effective_pairs_count_repeated_pairs_once() -> None:
    pairs = [("a", True, False), ("b", False, True), ("c", True, True), ("d", True, False)]
    assert effective_pairs(pairs) == 4
    assert effective_pairs(pairs * 3) == pytest.approx(4)
    assert effective_pairs([("a", True, True)] * 6) == 1
    assert effective_pairs([]) == 0


def test_mean_and_scatter_match_values_worked_out_by_hand() -> None:
    assert mean_sd([0.7, 0.8, 0.9]) == pytest.approx((0.8, 0.1))
    assert mean_sd([0.5]) == (0.5, None)
    with pytest.raises(BadInput, match="no values"):
        mean_sd([])
