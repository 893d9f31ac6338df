"""Confidence intervals, tests and agreement for proportions."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from memtriage.core.errors import BadInput

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Difference(NamedTuple):
    """A difference between two paired proportions, second minus first, and its interval."""

    value: float
    interval: Interval


class MeanSD(NamedTuple):
    """A mean and the sample standard deviation, which is None for a single value."""

    mean: float
    sd: float | None


def wilson(successes: float, n: float, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a proportion; 0 to 1 without any observation.

    `n` need not be whole: `clustered` passes effective sample sizes.

    >>> wilson(0, 0)
    Interval(low=0.0, high=1.0)
    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if n < 0 or not 0 <= successes <= max(n, 0):
        raise BadInput(f"{successes} successes of {n} is no proportion; give 0 <= successes <= n")
    if n == 0:
        return Interval(0.0, 1.0)
    z = z_value(confidence)
    p = successes / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    # At the edges the exact bound is 0 or 1; rounding must not give 1e-17 instead, nor leave p outside.
    low = 0.0 if successes == 0 else min(max(centre - half, 0.0), p)
    high = 1.0 if successes == n else max(min(centre + half, 1.0), p)
    return Interval(low, high)


def clustered(outcomes: Iterable[tuple[Hashable, bool]], confidence: float = CONFIDENCE) -> Interval:
    """Wilson's interval for outcomes that are not independent within a cluster.

    If every cluster has one outcome, this is `wilson`.

    >>> clustered([("a", True), ("b", False)]) == wilson(1, 2)
    True
    >>> clustered([("a", True), ("a", True), ("b", False), ("b", False)]) == wilson(1, 2)
    True
    """
    sizes: dict[Hashable, tuple[int, int]] = {}
    for cluster, right in outcomes:
        n, successes = sizes.get(cluster, (0, 0))
        sizes[cluster] = (n + 1, successes + int(right))
    return clustered_counts(Counter(sizes.values()), confidence)


def clustered_counts(clusters: Mapping[tuple[int, int], int], confidence: float = CONFIDENCE) -> Interval:
    """The interval of `clustered`; `clusters` says how many clusters have so many (outcomes, successes)."""
    n = sum(size * times for (size, _), times in clusters.items())
    successes = sum(right * times for (_, right), times in clusters.items())
    if n == 0:
        return Interval(0.0, 1.0)
    effective = effective_size(clusters)
    # The unscaled count if nothing shrinks, so that independent outcomes get exactly wilson's numbers.
    return wilson(successes if effective == n else min(successes / n * effective, effective), effective, confidence)


def effective_size(clusters: Mapping[tuple[int, int], int]) -> float:
    """How many independent outcomes clusters are worth; `clusters` says how many have so many (outcomes, successes).

    The cluster-robust variance of the mean p is V = G/(G-1) · Σ r² / n², r being a cluster's sum of
    residuals and G the number of clusters. A simple sample of size m has the unbiased variance
    estimate p(1-p)/(m-1); the m for which both agree is the effective size, 1 + p(1-p)/V. On
    singletons it is exactly n, and outcomes repeated within their cluster count once. It never
    exceeds n: clusters that happen to balance out don't earn a narrower interval (design effect >= 1).

    If all outcomes are alike, or there is only one cluster, the residuals say nothing about how far the
    outcomes of a cluster move together. Then they are assumed to move together entirely, which is Kish's
    n² / Σ size²: the number of clusters if these are of one size, and less if one dominates.
    """
    kept = {cluster: times for cluster, times in clusters.items() if cluster[0]}
    n = sum(size * times for (size, _), times in kept.items())
    if n == 0:
        return 0.0
    groups = sum(kept.values())
    if groups == n:
        return float(n)
    successes = sum(right * times for (_, right), times in kept.items())
    if groups == 1 or successes in (0, n):
        return float(n * n / sum(size * size * times for (size, _), times in kept.items()))
    # In whole numbers n·r = n·right - successes·size, so that exact ties stay exact.
    squares = sum((n * right - successes * size) ** 2 * times for (size, right), times in kept.items())
    if squares == 0:
        return float(n)
    return min(float(n), 1 + n * n * successes * (n - successes) * (groups - 1) / (groups * squares))


def mcnemar(b: int, c: int) -> float:
    """Exact two-sided p that two systems differ, from the pairs only one (b) or only the other (c) got right.

    If they don't differ, each such pair is a coin toss; without any such pair, p is 1.

    >>> mcnemar(0, 5)
    0.0625
    """
    if b < 0 or c < 0:
        raise BadInput(f"counts of pairs can't be negative: b={b}, c={c}")
    n, fewer = b + c, min(b, c)
    term = tail = 1
    for i in range(fewer):
        term = term * (n - i) // (i + 1)
        tail += term
    return float(min(1.0, _ratio(2 * tail, n)))


def _ratio(numerator: int, exponent: int) -> float:
    """numerator / 2**exponent without overflowing a float on the way."""
    surplus = max(numerator.bit_length() - 64, 0)
    return math.ldexp(float(numerator >> surplus), surplus - exponent)


PairCounts = Mapping[tuple[int, int, int, int], int]
"""How many clusters there are with so many pairs of outcomes: both right, only the first, only the second, neither."""


def pair_counts(outcomes: Iterable[tuple[Hashable, bool, bool]]) -> PairCounts:
    """Pairs of outcomes (cluster, first right, second right), counted within their clusters."""
    clusters: dict[Hashable, list[int]] = {}
    for cluster, one, two in outcomes:
        clusters.setdefault(cluster, [0, 0, 0, 0])[2 * (not one) + (not two)] += 1
    return Counter((both, first, second, neither) for both, first, second, neither in clusters.values())


def pairs_in_all(clusters: PairCounts) -> tuple[int, int, int, int]:
    """How many pairs there are: both right, only the first, only the second, neither."""
    both, first, second, neither = (
        sum(counts[kind] * times for counts, times in clusters.items()) for kind in range(4)
    )
    return both, first, second, neither


def paired_difference(
    outcomes: Iterable[tuple[Hashable, bool, bool]], confidence: float = CONFIDENCE
) -> Difference | None:
    """How much more often the second of two systems is right on the same probes; None without probes.

    `outcomes` are (cluster, first right, second right). The interval is Newcombe's (1998, method 10):
    the two Wilson intervals are combined by squaring and adding, corrected for the correlation
    of the pairs. Each of the two is the `clustered` interval, so shared clusters widen it.
    """
    return counted_difference(pair_counts(outcomes), confidence)


def counted_difference(clusters: PairCounts, confidence: float = CONFIDENCE) -> Difference | None:
    """The difference of `paired_difference`, from pairs that are counted already."""
    both, only_first, only_second, neither = pairs_in_all(clusters)
    first: Counter[tuple[int, int]] = Counter()
    second: Counter[tuple[int, int]] = Counter()
    for counts, times in clusters.items():
        first[sum(counts), counts[0] + counts[1]] += times
        second[sum(counts), counts[0] + counts[2]] += times
    total = both + only_first + only_second + neither
    if total == 0:
        return None
    p1, p2 = (both + only_first) / total, (both + only_second) / total
    low1, high1 = clustered_counts(first, confidence)
    low2, high2 = clustered_counts(second, confidence)
    phi = _phi(both, only_first, only_second, neither)
    value = p2 - p1
    below = _combined(p2 - low2, high1 - p1, phi)
    above = _combined(high2 - p2, p1 - low1, phi)
    return Difference(value, Interval(max(value - below, -1.0), min(value + above, 1.0)))


def _phi(e: int, f: int, g: int, h: int) -> float:
    """Newcombe's correlation of a paired 2x2 table, continuity-corrected when positive."""
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    if margins == 0:
        return 0.0
    cross = float(e * h - f * g)
    if cross > 0:
        cross = max(cross - (e + f + g + h) / 2, 0.0)
    return cross / math.sqrt(margins)


def _combined(x: float, y: float, phi: float) -> float:
    return math.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0))


def kappa(pairs: Iterable[tuple[str, str]]) -> float:
    """Cohen's kappa: agreement of two raters beyond what their label frequencies give by chance.

    If both raters only ever use one and the same label, they agree perfectly, which counts as 1 although chance would
    have agreed as well (0/0 on paper). Without any pairs it is nan.

    >>> kappa([("x", "x"), ("y", "y"), ("x", "y"), ("y", "x")])
    0.0
    """
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    agreed = n = 0
    for one, two in pairs:
        first[one] = first.get(one, 0) + 1
        second[two] = second.get(two, 0) + 1
        agreed += one == two
        n += 1
    if n == 0:
        return math.nan
    by_chance = sum(count * second.get(label, 0) for label, count in first.items())
    if by_chance == n * n:
        return 1.0
    return (n * agreed - by_chance) / (n * n - by_chance)


def detectable_difference(n: float, discordance: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference between two systems that n probes asked of both can be expected to show.

    `discordance` is the share of probes that only one of them got right. McNemar's test finds a difference d if
    n d² = (z(1 - alpha/2) sqrt(discordance) + z(power) sqrt(discordance - d²))² (Connor 1987). No difference exceeds
    the discordance; where it would have to, this is the smallest with all discordant probes on one side. At most 1.

    >>> round(detectable_difference(100, 0.2), 4)
    0.1238
    """
    normal = statistics.NormalDist()
    level, reach = normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(power)
    if n <= level**2:
        return 1.0
    root = math.sqrt(n) * level + reach * math.sqrt(n - level**2 + reach**2)
    found = math.sqrt(discordance) * root / (n + reach**2)
    if 0 < found <= discordance:
        return found
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        enough = n * middle >= (level + reach * math.sqrt(1 - middle)) ** 2
        low, high = (low, middle) if enough else (middle, high)
    return high


def needed_pairs(difference: float, discordance: float) -> int | None:
    """How many probes asked of both systems it takes to show this difference, as `detectable_difference` counts them.

    None if no number will do: two systems never differ by exactly nothing.

    >>> needed_pairs(0.1238, 0.2), needed_pairs(0.0, 0.2)
    (101, None)
    """
    if difference <= 0:
        return None
    low, high = 0, 1
    while detectable_difference(high, discordance) > difference:
        low, high = high, 2 * high
        if high > 1 << 60:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detectable_difference(middle, discordance) <= difference else (middle, high)
    return high


def holm(ps: Sequence[float]) -> list[float]:
    """The p of several tests, raised so that chance puts any of them below a level as rarely as a single one.

    Holm's procedure (1979): the smallest is multiplied by the number of tests, the next by one less, and so on.

    >>> holm([0.5, 0.01, 0.02])
    [0.5, 0.03, 0.04]
    """
    raised = [0.0] * len(ps)
    most = 0.0
    for place, test in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        most = max(most, min(1.0, ps[test] * (len(ps) - place)))
        raised[test] = most
    return raised


def effective_pairs(outcomes: Iterable[tuple[Hashable, bool, bool]]) -> float:
    """How many independent pairs of outcomes (cluster, first right, second right) these are worth.

    As in `effective_size`, with the difference of each pair (1, 0 or -1) in place of the outcome.

    >>> effective_pairs([("a", True, False), ("a", True, False), ("b", False, True), ("b", False, True)])
    2.0
    """
    return counted_effective_pairs(pair_counts(outcomes))


def counted_effective_pairs(clusters: PairCounts) -> float:
    """The number of `effective_pairs`, from pairs that are counted already."""
    sums = Counter[tuple[int, int]]()  # of each cluster its size, and how many more the second got right
    for counts, times in clusters.items():
        sums[sum(counts), counts[2] - counts[1]] += times
    n, groups = sum(size * times for (size, _), times in sums.items()), sum(sums.values())
    if groups == n:
        return float(n)
    _, lost, won, _ = pairs_in_all(clusters)
    total = won - lost
    spread = n * (lost + won) - total**2
    if groups == 1 or not spread:
        return float(n * n / sum(size * size * times for (size, _), times in sums.items()))
    squares = sum((n * net - total * size) ** 2 * times for (size, net), times in sums.items())
    return min(float(n), 1 + n * n * spread * (groups - 1) / (groups * squares)) if squares else float(n)


def mean_sd(values: Iterable[float]) -> MeanSD:
    """The mean and sample standard deviation of repeats."""
    numbers = list(values)
    if not numbers:
        raise BadInput("there is no mean of no values; give at least one")
    return MeanSD(statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None)


class Part(NamedTuple):
    """A proportion that is part of a mean: with all that is open wrong, with all of it right, and its interval."""

    worst: float
    best: float
    low: float
    high: float


def mean_of_parts(parts: Sequence[Part]) -> tuple[float | None, Interval]:
    """The mean of independent proportions and its interval: squares of what their own intervals add are added.

    What is open is all wrong at the lower end and all right at the upper one.

    >>> mean_of_parts([Part(0.5, 0.5, 0.2, 0.8), Part(1.0, 1.0, 0.6, 1.0)])
    (0.75, Interval(low=0.5, high=0.9))
    """
    if not parts:
        return None, Interval(0.0, 1.0)
    worst, best = (statistics.fmean(getattr(part, end) for part in parts) for end in ("worst", "best"))
    below = math.hypot(*(part.worst - part.low for part in parts)) / len(parts)
    above = math.hypot(*(part.high - part.best for part in parts)) / len(parts)
    return worst, Interval(max(0.0, worst - below), min(1.0, best + above))


def z_value(confidence: float) -> float:
    """The normal quantile for a two-sided interval of this confidence."""
    if not 0 < confidence < 1:
        raise BadInput(f"a confidence of {confidence} is not between 0 and 1; 0.95 is usual")
    return statistics.NormalDist().inv_cdf((1 + confidence) / 2)


@lru_cache(maxsize=1024)
def t_value(freedom: int, confidence: float) -> float:
    """The quantile of Student's t for a two-sided interval of this confidence.

    With t = sqrt(freedom) · tan(angle), the probability between -t and t is a finite sum (Abramowitz and Stegun,
    26.7.3 and 26.7.4) that grows with the angle, so halving finds it.

    >>> round(t_value(3, 0.95), 6)
    3.182446
    """

    def between(angle: float) -> float:
        cosine, odd = math.cos(angle), freedom % 2
        term, terms = cosine if odd else 1.0, 0.0
        for i in range(2 + odd, freedom + 1, 2):
            terms += term
            term *= cosine * cosine * (i - 1) / i
        return (angle + math.sin(angle) * terms) * 2 / math.pi if odd else math.sin(angle) * terms

    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if between(middle) < confidence else (low, middle)
    return math.sqrt(freedom) * math.tan(low)
