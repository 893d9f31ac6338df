"""Mixtures of memories: chosen on one half and scored on the other, on verdicts made by hand and on real runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli, Place
from memtriage import api
from memtriage.core.errors import BadRun
from memtriage.core.verdict import ProbeVerdict, Verdict
from memtriage.tables.mixture import Mixtures, mixtures


def verdicts(system: str, task: str, found: str, k: int = 5, cluster: int = 1) -> Iterator[ProbeVerdict]:
    """A verdict for each letter: + correct, R not retrieved, S not stored, ? uncertain, e error, - n/a."""
    names: dict[str, Verdict] = {
        "+": "correct",
        "R": "not_retrieved",
        "S": "not_stored",
        "?": "uncertain",
        "e": "error",
        "-": "n/a",
    }
    for n, letter in enumerate(found):
        yield ProbeVerdict(
            suite="s",
            task=f"s/{task}",
            system=system,
            episode="e",
            probe=f"{task}{n}",
            k=k,
            depth="memory",
            verdict=names[letter],
            question=f"{task}{n}?",
            gold="",
            facts=(),
            cluster=str(n // cluster),
        )


def of(found: Mixtures, way: str, task: str = "all", k: int = 5) -> tuple[int, int, str]:
    """Right and asked, and who was chosen."""
    [row] = [row for row in found.rows if (row.way, row.task, row.k) == (way, task, k)]
    return row.correct, row.asked, row.system


def test_each_task_gets_the_memory_that_is_good_at_it() -> None:
    graph = [*verdicts("graph", "chains", "+" * 20), *verdicts("graph", "likings", "R" * 20)]
    flat = [*verdicts("flat", "chains", "R" * 20), *verdicts("flat", "likings", "+" * 18 + "RR")]
    found = mixtures([*graph, *flat])
    assert of(found, "mixture", "s/chains") == (20, 20, "graph")
    assert of(found, "mixture", "s/likings") == (18, 20, "flat")
    assert of(found, "mixture")[:2] == (38, 40)
    assert of(found, "any")[:2] == (38, 40)
    assert of(found, "best") == (20, 40, "graph")
    [pooled] = [cell for cell in found.gains if cell.task == "all"]
    assert (pooled.only_a_right, pooled.only_b_right, pooled.better) == (0, 18, "B")
    assert pooled.difference == pytest.approx(18 / 40)


def test_luck_does_not_pay() -> None:
    """Two coins: each is right where the other is wrong, and which is ahead on one half says nothing of the other."""
    heads = "+R" * 20
    found = mixtures([*verdicts("a", "t", heads), *verdicts("b", "t", heads.translate(str.maketrans("+R", "R+")))])
    right, asked, _ = of(found, "mixture", "s/t")
    assert of(found, "any", "s/t")[:2] == (40, 40)
    assert right <= asked / 2  # picked by the very results that it is scored on, it would have more than half
    [cell] = found.gains
    assert cell.better == ""


def test_rows_stay_together_and_widen_the_interval() -> None:
    alone = mixtures([*verdicts("a", "t", "+++RRR" * 4), *verdicts("b", "t", "R" * 24)])
    rows = mixtures([*verdicts("a", "t", "+++RRR" * 4, cluster=3), *verdicts("b", "t", "R" * 24, cluster=3)])
    first, second = (next(row for row in found.rows if row.way == "mixture") for found in (alone, rows))
    assert first.success == second.success == 0.5
    assert second.high - second.low > first.high - first.low


def test_any_of_them_is_open_where_it_might_be_right_and_else_names_the_furthest() -> None:
    found = mixtures([*verdicts("a", "t", "+?eSS-"), *verdicts("b", "t", "RRR+R+")])
    [row] = [row for row in found.rows if row.way == "any"]
    assert (row.asked, row.correct, row.uncertain, row.error, row.not_retrieved) == (5, 2, 1, 1, 1)
    assert {row.asked for row in found.rows} == {5}  # what one of them can't be asked is left out for all


def test_floors_and_ceilings_are_not_mixed_in_and_each_k_stands_alone() -> None:
    given = [*verdicts("oracle", "t", "++++"), *verdicts("a", "t", "+RRR"), *verdicts("b", "t", "R+RR")]
    deeper = [*verdicts("a", "t", "++RR", k=9), *verdicts("b", "t", "++RR", k=9), *verdicts("c", "t", "++++", k=20)]
    found = mixtures([*given, *deeper])
    assert of(found, "any", "s/t")[:2] == (2, 4)
    assert of(found, "any", "s/t", 9)[:2] == (2, 4)
    assert {row.k for row in found.rows} == {5, 9}  # at 20 there is nobody to mix with


def test_one_memory_or_other_data_make_no_mixture() -> None:
    with pytest.raises(BadRun, match="at least two memories"):
        mixtures([*verdicts("a", "t", "++"), *verdicts("oracle", "t", "++")])
    with pytest.raises(BadRun, match="at least two memories"):
        mixtures([*verdicts("a", "t", "++"), *verdicts("b", "u", "++")])
    other = [replace(verdict, question="else?") for verdict in verdicts("b", "t", "++")]
    with pytest.raises(BadRun, match="not the same question"):
        mixtures([*verdicts("a", "t", "++"), *other])


@given(st.lists(st.tuples(*[st.sampled_from("+RS?e")] * 3), min_size=2, max_size=30))
def test_no_way_beats_any_of_them_and_one_task_has_no_mixture(
    letters: list[tuple[str, ...]],
) -> None:
    systems = {name: "".join(column) for name, column in zip("abc", zip(*letters, strict=True), strict=True)}
    found = mixtures([verdict for name, column in systems.items() for verdict in verdicts(name, "t", column)])
    rows = {row.way: row for row in found.rows if row.way != "alone"}
    assert rows["any"].correct == sum("+" in each for each in letters)
    assert all(row.correct <= rows["any"].correct for row in found.rows)
    assert rows["best"].correct == rows["mixture"].correct  # with a single task, both choose alike
    assert not any(cell.difference for cell in found.gains)


def test_the_command_mixes_runs_and_the_view_one_run(place: Place, cli: Cli) -> None:
    alike = (
        "--suite",
        "memfail/coexisting",
        "--suite",
        "memfail/long-hop",
        "--rows",
        "3",
        "--k",
        "2",
        "--no-report",
        "-q",
    )
    cli("run", *alike, "--system", "bm25", "--system", "dense", "--out", "both")
    cli("run", *alike, "--system", "bm25", "--out", "one")
    cli("run", *alike, "--system", "dense", "--out", "two")
    apart = json.loads(cli("mix", "one", "two", "--json").out)
    assert apart["schema"] == "memtriage.mixture/1"
    assert apart == json.loads(cli("show", "both", "--by", "mixture", "--json").out)
    assert apart == json.loads(cli("mix", "both", "--json").out)
    assert {row["task"] for row in apart["rows"]} >= {"all", "memfail/long-hop"}
    told = cli("mix", "one", "two").out
    assert "best per task" in told
    assert "any of them" in told
    assert {row.system for row in api.mix("one", "both").rows if row.way == "alone"} == {
        "bm25 (one)",
        "bm25 (both)",
        "dense",
    }
    cli("run", *alike, "--system", "dense", "--seed", "7", "--out", "other")
    assert "not the same question" in cli("mix", "one", "other", code=1).err
