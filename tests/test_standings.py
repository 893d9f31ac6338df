"""Standings: who does best over all tasks, who can't be told apart, and that raising never helps."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import memtriage
from memtriage.core.verdict import FactVerdict, ProbeVerdict, Verdict
from memtriage.metrics.statistics import wilson
from memtriage.report.headline import headline, loss, told_apart
from memtriage.report.terminal.show import show
from memtriage.report.terminal.tables import print_table
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.tables.compare import compare, differences
from memtriage.tables.standings import Standings, standings
from memtriage.tables.table import table


class Raising(BM25):
    """bm25 with a bug: every fourth conversation is lost with an exception."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def store_conversation(self, conversation: Any) -> None:
        self._calls += 1
        if self._calls % 4 == 0:
            raise RuntimeError("disk full")
        super().store_conversation(conversation)


def test_a_memory_that_raises_on_every_fourth_store_does_not_do_best(tmp_path: Path) -> None:
    """Where bm25 would have failed, the one with the bug raises: of what is left it has the greater share."""
    run = memtriage.run(
        BM25, Raising, suite="memfail/long-hop", rows=60, k=[20], seed=3, out=tmp_path / "run", command="memtriage run"
    )
    verdicts = list(run.verdicts())
    by_system = {row.system: row for row in run.rows()}
    sound, raising = (next(row for name, row in by_system.items() if which in name) for which in ("BM25", "Raising"))
    settled = raising.n - raising.error
    assert raising.error > raising.n / 4  # most questions need more than one conversation
    assert sound.success is not None
    assert raising.correct / settled > sound.success  # which is what used to be shown

    assert raising.success == raising.correct / raising.n < sound.success
    assert raising.low < raising.correct / raising.n
    assert raising.high > (raising.correct + raising.error) / raising.n
    found = standings(verdicts, run.rows())
    assert found.leader is not None
    assert found.leader.system == sound.system
    assert [row.system for row in found.unclear] == [raising.system]
    assert f"These cannot be told apart: {sound.system} " in said(found)
    assert f"{raising.error} errors" in said(found)

    [cell] = compare(verdicts, verdicts, pair=(sound.system, raising.system)).cells
    assert cell.difference is not None
    assert cell.difference == pytest.approx(raising.success - sound.success)
    assert cell.difference < 0
    assert (cell.n, cell.errors_b, cell.better) == (sound.n, raising.error, "")
    page = tmp_path / "run" / "report.html"
    run.report()
    assert "cannot be told apart" in page.read_text()


def run_of(tasks: Mapping[str, Mapping[str, Sequence[Verdict]]], **changes: Any) -> list[ProbeVerdict]:
    """Verdicts by task and system; the same place is the same probe."""
    return [
        ProbeVerdict(
            *("suite", task, system, "e", f"p{i}", 5, "memory", verdict, "When?", "now"),
            facts=(FactVerdict("f", "x", (), verdict, "why"),),
            **changes,
        )
        for task, systems in tasks.items()
        for system, verdicts in systems.items()
        for i, verdict in enumerate(verdicts)
    ]


def row_of(correct: int, other: Verdict = "not_retrieved", of: int = 10) -> list[Verdict]:
    right: list[Verdict] = ["correct"] * correct
    return right + [other] * (of - correct)


def stand(verdicts: Sequence[ProbeVerdict]) -> Standings:
    return standings(verdicts, table(verdicts, []))


def said(found: Standings) -> str:
    return str(headline(found))


def test_the_best_is_named_where_the_paired_test_tells_it_apart() -> None:
    # Twelve probes that only dense gets right: p = 2 / 2^12. wiki: one of 30.
    found = stand(run_of({"t": {"bm25": row_of(12, of=30), "dense": row_of(24, of=30), "wiki": row_of(1, of=30)}}))
    assert said(found) == (
        "Retrieval is the weakest stage for 3 of 3 systems. "
        "dense does best: 80\u00a0% (63–90\u00a0%) of 30 probes succeed."
    )
    assert [(rival.row.system, rival.worse, rival.pairs.only_a_right) for rival in found.rivals] == [
        ("bm25", True, 12),
        ("wiki", True, 23),
    ]


def test_those_that_cannot_be_told_apart_are_named() -> None:
    # Only dense right: four probes (p = 1/8) and five (p = 1/16).
    found = stand(
        run_of({"t": {"bm25": row_of(2), "dense": row_of(6), "wiki": row_of(1, "summary_error"), "none": row_of(0)}})
    )
    assert said(found) == (
        "Retrieval is the weakest stage for 2 of 3 systems, summary for 1. These cannot be told apart: "
        "dense 60\u00a0% (31–83\u00a0%), bm25 20\u00a0% (6–51\u00a0%) and wiki 10\u00a0% (2–40\u00a0%) "
        "of 10 probes succeed."
    )


def test_overlapping_intervals_may_be_told_apart_by_pairs() -> None:
    """100 probes each, 60 and 70 right, all of the 60 among the 70: ten discordant ones, p = 2 / 2^10."""
    found = stand(run_of({"t": {"a": row_of(60, of=100), "b": row_of(70, of=100)}}))
    assert wilson(60, 100).high > wilson(70, 100).low
    assert "b does best" in said(found)


def test_other_probes_are_no_pairs_and_need_intervals_apart() -> None:
    far = [*run_of({"t": {"a": row_of(28, of=30)}}), *run_of({"u": {"b": row_of(2, of=30)}})]
    assert "a does best" in said(stand(far))
    near = [*run_of({"t": {"a": row_of(20, of=30)}}), *run_of({"u": {"b": row_of(14, of=30)}})]
    assert "cannot be told apart: a 67\u00a0% (49–81\u00a0%) and b 47\u00a0% (30–64\u00a0%)" in said(stand(near))


def test_a_system_that_was_asked_less_is_not_worse_by_its_pairs_alone() -> None:
    """b can't be asked two thirds of what a was asked; on the rest it loses, but who knows about the others."""
    a, b = row_of(60, of=60), [*row_of(12, of=20), *["n/a"] * 40]
    assert "does best" in said(stand(run_of({"t": {"a": a, "b": row_of(12, of=60)}})))
    assert said(stand(run_of({"t": {"a": row_of(50, of=60), "b": b}}))).endswith(
        "cannot be told apart: a 83\u00a0% (72–91\u00a0%) of 60 and b 60\u00a0% (39–78\u00a0%) of 20 probes succeed."
    )


def test_errors_only_stay_in_the_picture_and_say_nothing_for_certain() -> None:
    found = stand(run_of({"t": {"bm25": row_of(7), "broken": row_of(0, "error")}}))
    assert [(row.system, row.success, row.low, row.high) for row in found.ranked] == [
        ("bm25", 0.7, *wilson(7, 10)),
        ("broken", 0.0, 0.0, 1.0),
    ]
    assert "told apart: bm25 70\u00a0% (40–89\u00a0%) and broken 0\u00a0% (0–100\u00a0%, 10 errors) of 10" in said(
        found
    )
    alone = stand(run_of({"t": {"broken": row_of(0, "error", of=3)}}))
    assert said(alone) == "All 3 questions ended in an error."
    assert loss(alone.ranked[0], table([], [])) == "has no probe that could be judged (3 errors widen the interval)."
    unasked = stand(run_of({"t": {"mine": row_of(0, "n/a", of=3)}}))
    assert said(unasked) == "No probe could be asked."


def test_each_system_says_where_it_loses_most_and_what_is_open() -> None:
    verdicts = run_of(
        {
            "persona": {"bm25": row_of(9), "oracle": row_of(4, of=4), "new": row_of(9, "uncertain")},
            "coexisting": {"bm25": ["correct", "not_retrieved", "not_retrieved", "not_retrieved", "error", "n/a"]},
        }
    )
    rows = table(verdicts, [])
    said = {row.system: loss(row, [one for one in rows if one.system == row.system]) for row in stand(verdicts).ranked}
    assert said == {
        "bm25": "loses most on coexisting: 60\u00a0% of probes fail at retrieval "
        "(1 error widens the interval; 1 n/a counted apart).",
        "oracle": "loses nothing: 4 of 4 probes succeed.",
        "new": "loses nothing for certain: 9 of 10 probes succeed (1 uncertain widens the interval).",
    }


def test_pooled_and_mean_of_tasks_are_two_figures_with_intervals_of_their_own() -> None:
    verdicts = run_of({"large": {"a": row_of(20, of=40)}, "small": {"a": row_of(9, "error")}})
    [row] = stand(verdicts).rows
    assert (row.tasks, row.asked, row.success) == (2, 50, 29 / 50)
    assert (row.low, row.high) == pytest.approx((wilson(29, 50).low, wilson(30, 50).high))
    assert row.mean == pytest.approx((20 / 40 + 9 / 10) / 2)
    # Half of the hypotenuse of the tasks' own half-widths; the error is wrong below and right above.
    below = ((0.5 - wilson(20, 40).low) ** 2 + (0.9 - wilson(9, 10).low) ** 2) ** 0.5 / 2
    above = ((wilson(20, 40).high - 0.5) ** 2 + (wilson(10, 10).high - 1.0) ** 2) ** 0.5 / 2
    assert (row.mean_low, row.mean_high) == pytest.approx((0.7 - below, 0.75 + above))
    assert said(stand(verdicts)).endswith("58\u00a0% (44–72\u00a0%, 1 error) succeed, pooled over 2 tasks.")


def test_a_system_stands_at_its_largest_k_and_floors_are_not_ranked() -> None:
    verdicts = run_of({"t": {"a": row_of(0), "oracle": row_of(10)}})
    later = [replace(probe, k=20, verdict="correct") for probe in verdicts if probe.system == "a"]
    found = stand([*verdicts, *later])
    assert [(row.system, row.k, row.success) for row in found.ranked] == [("a", 20, 1.0), ("oracle", 5, 1.0)]
    assert [row.system for row in found.contestants] == ["a"]
    assert found.rivals == ()


def test_what_is_asked_before_a_change_is_no_part_of_the_standings() -> None:
    halves = {"meme/before": {"mine": row_of(4, of=4)}, "meme/cascade": {"mine": row_of(1, of=4)}}
    [found] = stand(run_of(halves)).ranked
    assert (found.tasks, found.asked, found.success) == (1, 4, 0.25)
    [alone] = stand(run_of({"meme/before": halves["meme/before"]})).ranked
    assert alone.success == 1.0


def test_an_error_in_a_graded_run_is_ranked_with_the_answers() -> None:
    graded = [replace(probe, depth="full") for probe in run_of({"t": {"a": row_of(8)}}, right=True, answer="x")]
    found = stand([*graded, *run_of({"t": {"broken": row_of(0, "error")}})])
    assert [(row.system, row.depth, row.asked, row.error) for row in found.ranked] == [
        ("a", "full", 10, 0),
        ("broken", "full", 10, 10),
    ]


def test_terminal_json_and_csv_agree(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = run_of(
        {"large": {"a": row_of(20, of=40), "b": row_of(30, of=40)}, "small": {"a": row_of(9), "b": row_of(9)}}
    )
    source = SimpleNamespace(verdicts=verdicts, stores=[])
    show(source, Console(width=100), "overall", form="json")
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "memtriage.overall/1"
    by_system = {row["system"]: row for row in document["rows"]}
    assert (by_system["a"]["success"], by_system["a"]["mean"]) == (0.58, 0.7)
    show(source, Console(width=100), "overall", form="csv")
    heading, first, _ = capsys.readouterr().out.splitlines()
    record = dict(zip(heading.split(","), first.split(","), strict=True))
    assert (record["success"], record["mean"]) == ("0.58", "0.7")
    show(source, Console(width=100), "overall")
    text = capsys.readouterr().out
    assert "58.0 %" in text
    assert "70.0 %" in text
    assert "b does best" in text
    show(source, Console(width=100), "difference", form="json")
    cells = {cell["task"]: cell for cell in json.loads(capsys.readouterr().out)["rows"]}
    assert (cells["all"]["n"], cells["all"]["difference"], cells["all"]["better"]) == (50, pytest.approx(0.2), "B")
    assert cells["all"] == asdict(differences(verdicts)[-1])
    show(source, Console(width=80), "difference")
    assert all(len(line) <= 80 for line in capsys.readouterr().out.splitlines())


def of_twenty(**right: int) -> Standings:
    """Systems that each get the first few of twenty probes right."""
    return stand(run_of({"t": {system: row_of(n, of=20) for system, n in right.items()}}))


def test_every_two_systems_are_tested_and_their_p_corrected_for_all_the_tests() -> None:
    """a has 10 more than b and 11 more than c: p = 2 / 2^10 and 2 / 2^11; b and c differ in one, p = 1."""
    found = of_twenty(b=10, a=20, c=9, none=0).contrasts(12)
    assert [(one.pairs.system_a, one.pairs.system_b) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.pairs.p for one in found] == [2 / 2**10, 2 / 2**11, 1]
    assert [one.p for one in found] == [2 * 2 / 2**10, 3 * 2 / 2**11, 1]
    assert [one.apart for one in found] == [True, True, False]
    assert told_apart(found) == [
        "2 of 3 pairs of systems can be told apart, with p corrected for the 3 comparisons.",
        "These cannot: b and c.",
    ]
    assert len(of_twenty(b=10, a=20, c=9).contrasts(2)) == 1


def test_a_difference_that_only_holds_by_itself_is_called_so() -> None:
    """Six probes that only a gets right: p = 2 / 2^6 by itself, three times that among three pairs."""
    found = of_twenty(a=20, b=14, c=14).contrasts(12)
    assert [(one.alone, one.apart) for one in found] == [(True, False), (True, False), (False, False)]
    assert told_apart(found) == [
        "No two of the 3 systems can be told apart, with p corrected for the 3 comparisons.",
        "2 pairs would differ if looked at alone.",
    ]


def test_neighbours_that_can_not_be_told_apart_are_named_together() -> None:
    """Among ten pairs, ten probes more (a and d) are a difference, and seven (b and d) are not."""
    found = of_twenty(a=20, b=17, c=14, d=10, e=1).contrasts(12)
    unclear = {one.pairs.system_a + one.pairs.system_b for one in found if not one.apart}
    assert unclear == {"ab", "ac", "bc", "bd", "cd"}
    assert told_apart(found)[1] == "These cannot: a, b and c; b, c and d."
    assert told_apart(of_twenty(a=20, b=10, c=0).contrasts(12)) == [
        "Every two of the 3 systems can be told apart, with p corrected for the 3 comparisons."
    ]


def with_error(verdicts: Sequence[ProbeVerdict], error: str) -> list[ProbeVerdict]:
    return [replace(one, error=error) if one.verdict == "error" else one for one in verdicts]


def test_where_every_question_failed_the_headline_says_so_and_why() -> None:
    found = stand(
        with_error(run_of({"t": {"mine": row_of(0, "error", of=8)}}), "asking raised KeyError: 0, at my.py:9")
    )
    assert headline(found) == ("All 8 questions ended in an error: asking raised KeyError: 0, at my.py:9.", "")


def test_a_system_that_only_failed_is_named_beside_the_others() -> None:
    both = {"t": {"mine": row_of(0, "error", of=8), "bm25": row_of(2, of=8)}}
    told = said(stand(with_error(run_of(both), "x" * 300)))
    assert told.startswith("Retrieval is the weakest stage for 1 of 2 systems. ")
    assert told.endswith(f" All 8 questions to mine ended in an error: {'x' * 200}….")
    two = {"t": {"mine": row_of(0, "error", of=8), "yours": row_of(0, "error", of=8)}}
    assert said(stand(run_of(two))) == "All questions to the 2 systems ended in an error."


def test_a_row_that_nobody_could_be_asked_has_no_interval() -> None:
    console = Console(record=True, width=120, file=io.StringIO())
    print_table(table(run_of({"t": {"mine": row_of(0, "n/a", of=3)}}), []), console)
    (row,) = [line.split() for line in console.export_text().splitlines() if " mine " in line]
    assert row[:4] == ["5", "mine", "–", "–"]
