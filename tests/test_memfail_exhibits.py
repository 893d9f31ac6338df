"""MemFail's tables and figures: all are declared, and what they show fits together."""

from __future__ import annotations

import json

import pytest

from conftest import Place
from memtriage.studies.papers import exhibits
from memtriage.studies.reproduce import reproduce


def test_every_table_and_figure_of_the_paper_is_declared() -> None:
    found = {id for id in exhibits() if id.startswith("memfail/")}
    assert found == {f"memfail/table-{n}" for n in range(1, 6)} | {f"memfail/figure-{n}" for n in range(1, 10)}


def test_success_and_the_errors_of_all_stages_add_up(place: Place) -> None:
    """The two figures rest on the same runs, so the second finds them done."""
    options = {"scale": "small", "out": place.path / "out"}
    success = reproduce("memfail/figure-1", "bm25", **options)
    errors = reproduce("memfail/figure-8", "bm25", **options)
    assert success.runs == errors.runs
    [right], [wrong] = (
        [[value.mean for value in row.own or () if value is not None] for row in found.rows]
        for found in (success, errors)
    )
    assert len(right) == 5
    assert len(wrong) == 20  # four stages of five tasks
    for task in range(5):
        assert right[task] + sum(wrong[4 * task : 4 * task + 4]) == pytest.approx(1)


def test_figures_are_graded_the_papers_way(place: Place) -> None:
    """So misleading questions go through the stages like all others."""
    found = reproduce("memfail/figure-1", "bm25", scale="small", out=place.path / "out")
    [row] = found.rows
    assert row.own is not None
    asked = {column.label: value.n for column, value in zip(found.columns, row.own, strict=True) if value}
    assert asked == dict.fromkeys(asked, 3) | {"Persona-Retrieval": 9}
    exact = [json.loads(path.read_text())["grading"]["paper_exact"] for path in place.path.glob("out/**/run.json")]
    assert exact == [True, True]
