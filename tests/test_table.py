"""Tables from verdicts: what is counted, what is left out of which denominator, and in which order rows stand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.core.verdict import VERDICTS, FactVerdict, ProbeVerdict, StoreSummary, Verdict
from memtriage.metrics.statistics import clustered, wilson
from memtriage.tables.table import (
    SCHEMA,
    Row,
    by_tag,
    columns_of,
    fact_records,
    fact_rows,
    records,
    row_json,
    table,
    table_json,
)

COLUMNS = (
    "suite task system k depth n correct not_stored summary_error not_retrieved reasoning_error "
    "uncertain na error success low high tokens_per_memory context_tokens "
    "answered accuracy accuracy_low accuracy_high credit right_without_evidence items"
).split()


def fact(verdict: Verdict, id: str = "f0", why: str = "no memory has it") -> FactVerdict:
    return FactVerdict(fact=id, text="Ilse skates on Sundays", details=("Sundays",), verdict=verdict, why=why)


def probe(verdict: Verdict, id: str = "p0", **changes: Any) -> ProbeVerdict:
    made = ProbeVerdict(
        suite="memfail",
        task="persona",
        system="bm25",
        episode="e0",
        probe=id,
        k=5,
        depth="memory",
        verdict=verdict,
        question="When does Ilse skate?",
        gold="on Sundays",
        facts=(fact(verdict),),
    )
    return replace(made, **changes)


def probes(*verdicts: Verdict, **changes: Any) -> list[ProbeVerdict]:
    return [probe(verdict, f"p{i}", **changes) for i, verdict in enumerate(verdicts)]


def store(episode: str = "e0", memories: int | None = 10, tokens: int | None = 250, **changes: Any) -> StoreSummary:
    made = StoreSummary("memfail", "persona", "bm25", episode, 3, memories, tokens, 0.1)
    return replace(made, **changes)


def test_a_row_has_the_agreed_columns_in_their_order() -> None:
    assert columns_of(Row) == COLUMNS


def test_every_verdict_has_its_own_count_and_only_na_is_not_asked() -> None:
    [row] = table(probes("correct", "correct", "not_stored", "summary_error", "not_retrieved", "error", "n/a"), [])
    assert (row.n, row.correct, row.not_stored, row.summary_error, row.not_retrieved) == (7, 2, 1, 1, 1)
    assert (row.reasoning_error, row.uncertain, row.na, row.error) == (0, 0, 1, 1)
    assert (row.asked, row.success) == (6, 2 / 6)
    assert (row.low, row.high) == (wilson(2, 6).low, wilson(3, 6).high)  # the error may have been right


@pytest.mark.parametrize("open", ["uncertain", "error"])
def test_open_probes_are_no_success_and_stretch_the_interval_from_worst_to_best(open: Verdict) -> None:
    [row] = table(probes("correct", "correct", "correct", "not_stored", open, open), [])
    assert row.success == 3 / 6
    assert row.low == wilson(3, 6).low
    assert row.high == wilson(5, 6).high


def test_a_system_that_only_failed_has_none_of_n_and_knows_nothing() -> None:
    [failed] = table(probes("error", "n/a"), [])
    assert (failed.asked, failed.success, failed.low, failed.high) == (1, 0.0, 0.0, 1.0)
    [unasked] = table(probes("n/a"), [])
    assert (unasked.success, unasked.low, unasked.high) == (None, 0.0, 1.0)


def test_raising_never_looks_like_doing_better() -> None:
    """Three of four probes are right; then the wrong one raises instead."""
    [sound] = table(probes("correct", "correct", "correct", "not_stored"), [])
    [raising] = table(probes("correct", "correct", "correct", "error"), [])
    assert raising.success == sound.success
    assert raising.low == sound.low


def test_an_error_before_the_answer_stays_in_the_row_of_the_graded_answers() -> None:
    """It has no answer, so its verdict says memory depth, and there is one of it however often others are answered."""
    answered = [probe("correct", f"p{i}", depth="full", right=True, repeat=r) for i in range(2) for r in (0, 1)]
    [row] = table([probe("error", "p9"), *answered], [])
    assert (row.depth, row.n, row.error, row.success) == ("full", 6, 2, 4 / 6)
    assert (row.answered, row.accuracy) == (4, 4 / 6)
    [alone] = table([probe("error", "p9")], [])
    assert alone.depth == "memory"


def test_accuracy_counts_errors_as_open() -> None:
    answers: tuple[tuple[Verdict, bool | None], ...] = (("correct", True), ("reasoning_error", False), ("error", None))
    [row] = table([probe(v, f"p{i}", depth="full", right=right) for i, (v, right) in enumerate(answers)], [])
    assert (row.answered, row.accuracy) == (2, 1 / 3)
    assert (row.accuracy_low, row.accuracy_high) == (wilson(1, 3).low, wilson(2, 3).high)


def test_credit_of_an_error_is_none() -> None:
    [row] = table([probe("correct", "p0", credit=1.0), probe("error", "p1")], [])
    assert row.credit == 0.5


def test_probes_of_one_cluster_widen_the_interval() -> None:
    outcomes = [("a", True), ("a", True), ("b", False), ("b", False), ("c", True), ("c", False)]
    verdicts = [
        probe("correct" if right else "not_stored", f"p{i}", cluster=cluster)
        for i, (cluster, right) in enumerate(outcomes)
    ]
    [row] = table(verdicts, [])
    assert (row.low, row.high) == clustered(outcomes)
    assert row.high - row.low > wilson(3, 6).high - wilson(3, 6).low


def test_merged_cells_count_the_same_probe_at_two_ks_as_one_piece_of_evidence() -> None:
    verdicts = [p for k in (5, 10) for p in probes("correct", "not_stored", "correct", k=k)]
    [row] = table(verdicts, [], by=("task", "system"))
    assert (row.k, row.n, row.suite, row.depth) == (0, 6, "memfail", "memory")
    assert (row.low, row.high) == pytest.approx(wilson(2, 3))


def test_a_merged_dimension_says_all() -> None:
    [row] = table([probe("correct", system="bm25"), probe("correct", system="dense")], [], by=("task",))
    assert row.system == "all"


def test_grouping_by_an_unknown_column_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="did you mean 'task'"):
        table([], [], by=("tsak",))


def test_rows_stand_by_first_appearance_and_k_ascending_and_the_floor_last() -> None:
    verdicts = [
        probe("correct", task=task, system=system, k=k)
        for task in ("persona", "cascade")
        for k in (10, 5)
        for system in ("none", "dense", "bm25")
    ]
    assert [(row.task, row.system, row.k) for row in table(verdicts, [])] == [
        (task, system, k) for task in ("persona", "cascade") for system in ("dense", "bm25", "none") for k in (5, 10)
    ]


def test_store_size_is_over_the_cells_stores_and_unknown_sizes_are_left_out() -> None:
    verdicts = [*probes("correct", "correct", episode="e0"), probe("correct", episode="e1")]
    stores = [
        store("e0", 10, 250),
        store("e1", 30, 350),
        store("e2", 1, 999),  # nobody was asked about it
        store("e0", 5, 5, system="dense"),
    ]
    [row] = table(verdicts, stores)
    assert row.tokens_per_memory == 600 / 40
    [unknown] = table(verdicts, [store("e0", None, None), store("e1", 3, 9, error="crashed")])
    assert unknown.tokens_per_memory is None
    [empty] = table(verdicts, [store("e0", 0, 0)])
    assert empty.tokens_per_memory is None


def test_context_tokens_are_a_mean_over_probes_that_did_not_fail() -> None:
    verdicts = [
        probe("correct", "p0", context_tokens=100),
        probe("not_stored", "p1", context_tokens=300),
        probe("error", "p2", context_tokens=9_000, error="timed out"),
        probe("correct", "p3"),
    ]
    [row] = table(verdicts, [])
    assert row.context_tokens == 200


def test_slices_by_tag_sort_their_values_as_numbers_and_skip_tasks_without_the_tag() -> None:
    verdicts = [
        *(probe("correct" if n == "2" else "not_retrieved", f"p{n}", tags={"N": n}) for n in ("10", "2", "3")),
        probe("correct", "p9"),
        probe("correct", task="long-hop", tags={"K": "1"}),
    ]
    slices = by_tag(verdicts, [], "N")
    assert [(value, row.task, row.n, row.success) for value, row in slices] == [
        ("", "persona", 1, 1.0),
        ("2", "persona", 1, 1.0),
        ("3", "persona", 1, 0.0),
        ("10", "persona", 1, 0.0),
    ]


def test_slices_measure_only_their_own_stores() -> None:
    verdicts = [probe("correct", episode="e0", tags={"N": "2"}), probe("correct", episode="e1", tags={"N": "3"})]
    slices = by_tag(verdicts, [store("e0", 10, 100), store("e1", 10, 400)], "N")
    assert [row.tokens_per_memory for _, row in slices] == [10, 40]


def test_fact_rows_count_facts_and_cluster_them_by_probe() -> None:
    both = (fact("correct", "f0"), fact("correct", "f1"))
    none = (fact("not_stored", "f2"), fact("not_stored", "f3"))
    [row] = fact_rows([probe("correct", "p0", facts=both), probe("not_stored", "p1", facts=none)])
    assert (row.n, row.correct, row.not_stored, row.success) == (4, 2, 2, 0.5)
    assert (row.low, row.high) == pytest.approx(wilson(1, 2))


def test_records_are_flat_and_ready_for_pandas() -> None:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]

    facts = (fact("correct", "f0", "kept"), fact("not_retrieved", "f1", "rank 9"), fact("not_stored", "f2", "gone"))
    frame = pd.DataFrame(records([probe("not_stored", facts=facts, tags={"K": "2"}, cluster="c")]))
    [record] = frame.to_dict("records")
    assert record["tag_K"] == "2"
    assert (record["facts_needed"], record["facts_correct"]) == (3, 1)
    assert record["first_why"] == "gone"  # the fact that decided, not the first that failed
    assert {"suite", "episode", "answer", "k_returned", "seconds", "cluster"} <= set(frame.columns)
    assert [r["why"] for r in fact_records([probe("not_stored", facts=facts)])] == ["kept", "rank 9", "gone"]


def test_first_why_of_an_error_is_the_error_and_of_a_success_nothing() -> None:
    failed, fine = records([probe("error", error="timed out"), probe("correct")])
    assert (failed["first_why"], fine["first_why"]) == ("timed out", "")


def test_json_keeps_columns_and_order_and_rounds() -> None:
    [row] = table(probes("correct", "not_stored", "correct"), [])
    as_json = row_json(row)
    assert list(as_json) == COLUMNS
    assert as_json["success"] == 0.666667
    assert as_json["tokens_per_memory"] is None
    document = json.loads(json.dumps(table_json([row])))
    assert document == {"schema": "memtriage.table/2", "rows": [as_json]}


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=60))
def test_every_row_adds_up_fits_its_schema_and_holds_its_success(verdicts: list[Verdict]) -> None:
    [row] = table(probes(*verdicts), [store()])
    counts = [getattr(row, name) for name in COLUMNS[6:14]]
    assert sum(counts) == row.n == len(verdicts)
    assert 0 <= row.low <= row.high <= 1
    if row.success is not None:
        assert row.low <= row.success <= row.high
    _fits(row_json(row), SCHEMA["properties"]["rows"]["items"])


@given(st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from("abcd")), min_size=1, max_size=40))
def test_what_is_uncertain_never_narrows_the_interval(drawn: list[tuple[Verdict, str]]) -> None:
    verdicts = [probe(verdict, f"p{i}", cluster=cluster) for i, (verdict, cluster) in enumerate(drawn)]
    [row] = table(verdicts, [])
    for settled in ("correct", "not_stored"):
        decided = [replace(p, verdict=settled) if p.verdict in ("uncertain", "error") else p for p in verdicts]
        [one_way] = table(decided, [])
        assert one_way.success is None or row.low <= one_way.success <= row.high


@given(st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=40))
def test_raising_instead_of_failing_never_helps(drawn: list[tuple[Verdict, str, bool]]) -> None:
    sound = [probe(verdict, f"p{i}", cluster=cluster) for i, (verdict, cluster, _) in enumerate(drawn)]
    raising = [
        replace(p, verdict="error") if raises and p.verdict not in ("correct", "n/a") else p
        for p, (_, _, raises) in zip(sound, drawn, strict=True)
    ]
    [one], [other] = table(sound, []), table(raising, [])
    assert (one.success, one.low, one.asked) == (other.success, other.low, other.asked)


def test_a_hundred_thousand_probes_are_counted_without_being_kept() -> None:
    made = [probe("correct" if i < 25 else "not_stored", "p", cluster=f"c{i}") for i in range(50)]
    before = [sys.getrefcount(each) for each in made[:-1]]
    after: list[int] = []

    def stream() -> Iterator[ProbeVerdict]:
        for _ in range(2_000):
            yield from made
        after.extend(sys.getrefcount(each) for each in made[:-1])

    [row] = table(stream(), [])
    assert (row.n, row.correct) == (100_000, 50_000)
    assert (row.low, row.high) == pytest.approx(wilson(25, 50))
    assert after == before  # while the last probe was counted, nothing held on to the others


def _fits(value: dict[str, Any], schema: dict[str, Any]) -> None:
    """The little of JSON Schema that the table's schema uses."""
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "null": type(None)}
    assert list(value) == schema["required"] == list(schema["properties"])
    for name, rule in schema["properties"].items():
        allowed = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        assert any(isinstance(value[name], kinds[kind]) for kind in allowed), name
        if isinstance(value[name], int | float):
            assert rule.get("minimum", 0) <= value[name] <= rule.get("maximum", value[name])
