"""Paired comparisons: who meets whom, what is counted, and what can't be compared."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.errors import BadRun
from memtriage.core.verdict import VERDICTS, FactVerdict, ProbeVerdict, Verdict
from memtriage.metrics.statistics import mcnemar, paired_difference
from memtriage.tables.clusters import ClusterCounts
from memtriage.tables.compare import compare, differences
from memtriage.tables.pairs import Comparison

WRONG: tuple[Verdict, ...] = ("not_stored",)


def probe(verdict: Verdict, id: str, **changes: Any) -> ProbeVerdict:
    why = FactVerdict("f0", "the fact", ("detail",), verdict, f"{verdict} because")
    made = ProbeVerdict(
        suite="memfail", task="persona", system="bm25", episode="e0", probe=id, k=5, depth="memory",
        verdict=verdict, question=f"question {id}", gold="gold", facts=(why,),
    )  # fmt: skip
    return replace(made, **changes)


def side(*verdicts: Verdict, **changes: Any) -> list[ProbeVerdict]:
    return [probe(verdict, f"p{i}", **changes) for i, verdict in enumerate(verdicts)]


def test_pairs_are_counted_and_flips_listed_with_the_wrong_sides_reason() -> None:
    a = side("correct", "correct", "not_stored", "not_stored", "not_retrieved")
    b = side("correct", "summary_error", "correct", "not_retrieved", "correct")
    comparison = compare(a, b)
    [cell] = comparison.cells
    assert (cell.n, cell.both_right, cell.both_wrong, cell.only_a_right, cell.only_b_right) == (5, 1, 1, 1, 2)
    assert cell.difference is not None
    assert cell.difference == pytest.approx(3 / 5 - 2 / 5)
    assert cell.low < cell.difference < cell.high
    assert cell.p == mcnemar(1, 2)
    assert [(f.probe, f.verdict_a, f.verdict_b, f.why) for f in comparison.flips] == [
        ("p1", "correct", "summary_error", "summary_error because"),
        ("p2", "not_stored", "correct", "not_stored because"),
        ("p4", "not_retrieved", "correct", "not_retrieved because"),
    ]
    assert comparison.flips[0].question == "question p1"


def test_an_error_is_no_success_and_an_uncertain_pair_is_left_out_with_its_reason() -> None:
    a = side("correct", "uncertain", "error", "n/a", "correct", "error", "error", "correct")
    b = side("correct", "correct", "uncertain", "correct", "uncertain", "error", "correct", "error")
    comparison = compare(a, b)
    [cell] = comparison.cells
    assert (cell.n, cell.both_right, cell.both_wrong, cell.only_a_right, cell.only_b_right) == (4, 1, 1, 1, 1)
    assert (cell.errors_a, cell.errors_b) == (2, 2)
    assert cell.excluded == {"n/a in A": 1, "uncertain in A": 1, "uncertain in B": 2}
    assert comparison.paired == 8
    assert {(flip.probe, flip.verdict_a, flip.verdict_b) for flip in comparison.flips} == {
        ("p6", "error", "correct"),
        ("p7", "correct", "error"),
    }


def test_bounds_say_what_open_verdicts_could_make_of_the_difference() -> None:
    # Of the four pairs A has 1 for certain and at most 3, B has 2 for certain and at most 3.
    a = side("correct", "uncertain", "error", "not_stored")
    b = side("correct", "correct", "uncertain", "not_stored")
    [cell] = compare(a, b).cells
    assert (cell.n, cell.difference) == (2, 0.0)  # the first and the last
    assert (cell.least, cell.most) == (2 / 4 - 3 / 4, 3 / 4 - 1 / 4)


def test_a_cell_with_nothing_settled_has_no_difference() -> None:
    [cell] = compare(side("uncertain"), side("correct")).cells
    assert (cell.n, cell.difference, cell.low, cell.high, cell.p) == (0, None, -1.0, 1.0, 1.0)
    assert (cell.least, cell.most, cell.better, cell.detectable) == (0.0, 1.0, "", 1.0)


def test_a_side_is_better_only_if_open_verdicts_could_not_turn_it() -> None:
    # 20 probes that only B gets right: p = 2 / 2^20, whichever way nothing is decided.
    [clear] = compare(side(*["not_stored"] * 20), side(*["correct"] * 20)).cells
    assert clear.better == "B"
    # A's failures are errors instead: had they been right, there would be no difference at all.
    [open] = compare(side(*["error"] * 20), side(*["correct"] * 20)).cells
    assert (open.difference, open.p, open.least, open.most, open.better) == (1.0, clear.p, 0.0, 1.0, "")


def test_the_smallest_detectable_difference_is_that_of_the_pair() -> None:
    # 100 pairs, 20 of them discordant: sqrt(0.2) * (10 * 1.959964 + 0.841621 * sqrt(96.866867)) / 100.708326
    verdicts: list[Verdict] = ["correct"] * 60 + ["not_stored"] * 40
    turned: list[Verdict] = ["correct"] * 50 + ["not_stored"] * 40 + ["correct"] * 10
    [cell] = compare(side(*verdicts), side(*turned)).cells
    assert (cell.only_a_right, cell.only_b_right) == (10, 10)
    assert cell.detectable == pytest.approx(0.123819, abs=1e-6)
    [alike] = compare(side(*verdicts), side(*verdicts)).cells
    assert alike.detectable < cell.detectable  # two that hardly differ show a smaller difference


def test_an_error_before_the_answer_meets_the_graded_answers_of_its_task() -> None:
    answered = [probe("correct", "p0", depth="full", repeat=r) for r in (0, 1)]
    failed = [probe("error", "p0", system="broken")]  # never answered, so recorded at memory depth and once
    [cell] = compare(answered, failed).cells
    assert (cell.depth, cell.n, cell.only_a_right, cell.errors_b) == ("full", 2, 2, 2)


def test_every_two_systems_of_a_run_are_paired_per_task_and_pooled() -> None:
    run = [
        probe(verdict, f"p{i}", system=system, task=task)
        for task in ("persona", "cascade")
        for system, verdicts in {"x": ("correct", "correct"), "y": ("correct", "error"), "z": WRONG * 2}.items()
        for i, verdict in enumerate(verdicts)
    ]
    found = {(cell.task, cell.system_a, cell.system_b): cell for cell in differences(run)}
    assert [key for key in found if key[0] == "persona"] == [("persona", *pair) for pair in ("xy", "xz", "yz")]
    assert (found["cascade", "x", "y"].n, found["cascade", "x", "y"].difference) == (2, -0.5)
    pooled = found["all", "x", "y"]
    assert (pooled.n, pooled.only_a_right, pooled.errors_b) == (4, 2, 2)


def test_probes_of_one_side_only_are_counted() -> None:
    comparison = compare(side("correct", "correct", "correct"), [*side("correct"), probe("correct", "new")])
    assert (comparison.only_a, comparison.only_b) == (2, 1)


def test_the_same_probe_id_in_another_episode_task_or_k_is_another_probe() -> None:
    a = [probe("correct", "p0"), probe("correct", "p0", episode="e1"), probe("correct", "p0", k=10)]
    b = [probe("not_stored", "p0"), probe("correct", "p0", episode="e1"), probe("correct", "p0", task="other")]
    comparison = compare(a, b)
    [cell] = comparison.cells
    assert (cell.k, cell.n, cell.only_a_right) == (5, 2, 1)
    assert (comparison.only_a, comparison.only_b) == (1, 1)


def test_systems_meet_by_name_and_strangers_are_counted_apart() -> None:
    a = [*side("correct", system="bm25"), *side("correct", system="dense"), *side("correct", system="none")]
    b = [*side("not_stored", system="dense"), *side("correct", system="bm25")]
    comparison = compare(a, b)
    assert [(cell.system_a, cell.system_b) for cell in comparison.cells] == [("bm25", "bm25"), ("dense", "dense")]
    assert (comparison.only_a, comparison.only_b) == (1, 0)


def test_single_systems_meet_whatever_their_names() -> None:
    [cell] = compare(side("correct", system="old"), side("correct", system="new")).cells
    assert (cell.system_a, cell.system_b) == ("old", "new")


def test_a_named_pair_meets_across_names_within_one_run() -> None:
    run = [*side("correct", "not_stored", system="bm25"), *side("correct", "correct", system="dense")]
    comparison = compare(run, run, pair=("bm25", "dense"))
    [cell] = comparison.cells
    assert (cell.system_a, cell.system_b, cell.n, cell.only_b_right) == ("bm25", "dense", 2, 1)
    assert (comparison.only_a, comparison.only_b) == (0, 0)  # systems not asked for are not missing


def test_cells_stand_by_first_appearance_and_k_ascending() -> None:
    run = [probe("correct", "p", task=task, k=k) for k in (10, 5) for task in ("persona", "cascade")]
    assert [(cell.task, cell.k) for cell in compare(run, run).cells] == [
        ("persona", 5), ("persona", 10), ("cascade", 5), ("cascade", 10),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([], side("correct"), "side A has no graded probes"),
        (side("correct"), [], "side B has no graded probes"),
        (side("correct"), side("correct", task="cascade"), "task is persona in A but cascade in B"),
        (side("correct"), side("correct", k=10), "k is 5 in A but 10 in B; run both with a common k"),
        (side("correct"), side("correct", depth="full"), "depth is memory in A but full in B"),
        (side("correct"), side("correct", episode="other"), "same episodes"),
        (
            side("correct"),
            [*side("correct", system="x"), *side("correct", system="y")],
            "system is bm25 in A but x, y in B; name two systems to pair",
        ),
    ],
)
def test_what_cannot_be_paired_says_why(a: list[ProbeVerdict], b: list[ProbeVerdict], says: str) -> None:
    with pytest.raises(BadRun, match=says):
        compare(a, b)


def test_a_pair_of_unknown_systems_names_the_known_ones() -> None:
    with pytest.raises(BadRun, match="side B: unknown system 'dens'; did you mean 'dense'"):
        compare(side("correct"), side("correct", system="dense"), pair=("bm25", "dens"))


def test_a_probe_twice_on_one_side_is_refused() -> None:
    with pytest.raises(BadRun, match="side B has probe 'p0' of episode 'e0' twice"):
        compare(side("correct"), side("correct") * 2)


def test_shared_clusters_widen_the_interval() -> None:
    one: list[Verdict] = ["correct", "not_stored", "not_stored"] * 4
    two: list[Verdict] = ["correct", "correct", "not_stored"] * 4
    alone = compare(side(*one), side(*two))

    def clustered(verdicts: list[Verdict]) -> list[ProbeVerdict]:
        return [probe(verdict, f"p{i}", cluster=f"c{i % 3}") for i, verdict in enumerate(verdicts)]

    together = compare(clustered(one), clustered(two))
    assert together.cells[0].difference == alone.cells[0].difference
    assert together.cells[0].high - together.cells[0].low > alone.cells[0].high - alone.cells[0].low


@given(st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from(VERDICTS)), min_size=1, max_size=40))
def test_turning_the_sides_turns_the_result(pairs: list[tuple[Verdict, Verdict]]) -> None:
    a, b = side(*[one for one, _ in pairs]), side(*[two for _, two in pairs])
    [forth], [back] = compare(a, b).cells, compare(b, a).cells
    assert (forth.only_a_right, forth.only_b_right, forth.p) == (back.only_b_right, back.only_a_right, back.p)
    assert forth.n + sum(forth.excluded.values()) == len(pairs)
    assert forth.n == forth.both_right + forth.both_wrong + forth.only_a_right + forth.only_b_right
    assert len(compare(a, b).flips) == forth.only_a_right + forth.only_b_right
    assert (forth.least is None) == (back.most is None)
    if forth.difference is not None:
        assert forth.least is not None
        assert back.most is not None
        assert back.most == pytest.approx(-forth.least)
        assert forth.better == {"A": "B", "B": "A", "": ""}[back.better]
        assert back.difference == pytest.approx(-forth.difference)
        assert back.low == pytest.approx(-forth.high)


def many(rng: random.Random, system: str, episodes: int = 12) -> list[ProbeVerdict]:
    """A run of several stores, tasks and k, of which some probes are missing and some ended in an error."""
    return [
        probe(
            rng.choice(VERDICTS), f"p{number}", episode=f"e{episode}", task=("persona", "long-hop")[episode % 2],
            system=system, k=k, cluster=f"c{number // 3}", error="it broke",
        )
        for episode in range(episodes)
        for number in range(20)
        for k in (5, 10)
        if rng.random() < 0.9
    ]  # fmt: skip


def known(probe: ProbeVerdict) -> tuple[str, str, str, object]:
    return (probe.task, probe.episode, probe.probe, probe.k)


def test_pairs_are_those_of_a_direct_count_in_whatever_order_the_sides_come() -> None:
    rng = random.Random(3)
    a, b = many(rng, "bm25"), many(rng, "dense")
    whole = compare(a, b)
    twins = {known(one): one for one in b}
    pairs = [(one, twins[known(one)]) for one in a if known(one) in twins]
    assert (whole.only_a, whole.only_b) == (len(a) - len(pairs), len(b) - len(pairs))
    for cell in whole.cells:
        own = [(x, y) for x, y in pairs if (x.task, x.k) == (cell.task, cell.k)]
        settled = [(x, y) for x, y in own if not {"n/a", "uncertain"} & {x.verdict, y.verdict}]
        rights = [((x.task, x.cluster), x.verdict == "correct", y.verdict == "correct") for x, y in settled]
        counts = Counter((one, two) for _, one, two in rights)
        assert (cell.n, cell.both_right, cell.only_a_right) == (len(rights), counts[True, True], counts[True, False])
        assert (cell.only_b_right, cell.both_wrong) == (counts[False, True], counts[False, False])
        difference = paired_difference(rights)
        assert difference is not None
        assert (cell.difference, (cell.low, cell.high)) == difference
        flips = [x.probe for x, y in settled if (x.verdict == "correct") != (y.verdict == "correct")]
        assert sorted(flip.probe for flip in whole.flips if (flip.task, flip.k) == (cell.task, cell.k)) == sorted(flips)
    assert whole == compare(a, b, systems=({"bm25"}, {"dense"})) == compare(a, b, ("bm25", "dense"))
    assert whole == compare(a, rng.sample(b, len(b)))  # B's order makes no difference


def test_sides_that_come_in_the_same_order_are_read_in_turn() -> None:
    ahead = most = 0

    def read(probes: list[ProbeVerdict], step: int) -> Iterator[ProbeVerdict]:
        nonlocal ahead, most
        for one in probes:
            ahead += step
            most = max(most, abs(ahead))
            yield one

    a, b = side(*["correct"] * 200), side(*["not_stored"] * 200, system="dense")
    found = compare(read(a, 1), read(b, -1), systems=({"bm25"}, {"dense"}))
    assert (found.paired, most) == (200, 1)


@pytest.mark.parametrize("apart", [1, 30])
def test_a_probe_that_comes_again_after_other_stores_is_refused(apart: int) -> None:
    probes = [probe("correct", "p", episode=f"e{episode}") for episode in range(apart + 1)]
    with pytest.raises(BadRun, match="side A has probe 'p' of episode 'e0' twice"):
        compare([*probes, probes[0]], probes)


def test_tasks_whose_judges_were_asked_in_other_words_are_named() -> None:
    def judged(prompts: str) -> Comparison:
        a = side("correct", judged_by="judge", prompts="x") + side("correct", task="long-hop", prompts="x")
        return compare(a, side("correct", judged_by="judge", prompts=prompts))

    assert judged("x").judged_otherwise == ()
    assert judged("y").judged_otherwise == ("persona",)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3))))
def test_clusters_that_are_alike_are_counted_as_one_by_one(outcomes: list[tuple[int, int]]) -> None:
    counts = ClusterCounts(4)
    clusters: dict[int, list[int]] = {}
    for cluster, kind in outcomes:
        counts.add(("task", cluster), kind)
        clusters.setdefault(cluster, [0] * 4)[kind] += 1
    assert counts.alike() == Counter(map(tuple, clusters.values()))
