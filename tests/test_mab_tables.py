"""MemoryAgentBench's table 2 from verdicts: tasks, the mean of each competency, and the mean of these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from rich.console import Console

from memtriage.core.verdict import ProbeVerdict
from memtriage.report.terminal.show import show
from memtriage.tables.scores import scores
from memtriage.tables.table import table

GPT_4O_MINI = {
    "sh-docqa": 640,
    "mh-docqa": 430,
    "longmemeval": 307,
    "eventqa": 590,
    "icl": 820,
    "recommendation": 151,
    "summarization": 289,
    "detective": 634,
    "factconsolidation-sh": 450,
    "factconsolidation-mh": 50,
}
"""Right answers of a thousand, by the paper's table 2."""


def published(tasks: dict[str, int]) -> Iterator[ProbeVerdict]:
    for task, right in tasks.items():
        name = f"memoryagentbench/{task}"
        for n in range(1000):
            verdict = "correct" if n < right else "not_retrieved"
            yield ProbeVerdict(
                "memoryagentbench", name, "mini", task, f"{task}/{n}", 10, "memory", verdict, "?", "x", ()
            )  # type: ignore[arg-type]


def test_competencies_are_averaged_first_as_in_the_papers_table_2() -> None:
    found = {score.task: score for score in scores(table(published(GPT_4O_MINI), []))}
    assert [round(100 * found[name].value, 3) for name in ("accurate-retrieval", "test-time-learning")] == [
        49.175,
        48.55,
    ]
    assert [round(100 * found[name].value, 3) for name in ("long-range-understanding", "selective-forgetting")] == [
        46.15,
        25,
    ]
    assert round(100 * found["all"].value, 2) == 42.22  # the mean of tasks would be 43.6
    low, high = found["all"].low, found["all"].high
    assert low is not None
    assert high is not None
    assert 0.40 < low < found["all"].value < high < 0.44
    assert found["accurate-retrieval"].group == "accurate-retrieval"
    assert found["memoryagentbench/icl"].group == ""


def test_each_competency_has_a_table_that_fits_into_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    run = SimpleNamespace(verdicts=list(published(GPT_4O_MINI)), stores=[])
    show(run, Console(width=80), by="score")
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    assert "mini   10  0.64  0.43     0.31    0.59 0.49" in told
    assert [line.split() for line in told.splitlines() if line.startswith("mini")][
        -1
    ] == "mini 10 0.49 0.49 0.46 0.25 0.42".split()
    show(run, Console(width=80), by="score", form="json")
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert sum(row["group"] == "" for row in rows) == 11


def test_competencies_that_were_not_asked_are_left_out() -> None:
    few = {task: GPT_4O_MINI[task] for task in ("icl", "factconsolidation-sh", "factconsolidation-mh")}
    found = {score.task: round(score.value, 4) for score in scores(table(published(few), []))}
    assert {name: value for name, value in found.items() if "/" not in name} == {
        "test-time-learning": 0.82,
        "selective-forgetting": 0.25,
        "all": 0.535,
    }
