"""`memtriage reproduce`: the tables of the papers, filled in beside what the papers printed."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from conftest import Cli, Place
from memtriage import registry
from memtriage.config import Limits
from memtriage.core.errors import BadInput
from memtriage.core.verdict import ProbeVerdict
from memtriage.models.scripted import StubServer, content
from memtriage.pipeline.bill import spent
from memtriage.studies.exhibits import Column, Exhibit, Printed, Runs, Statistics, Trial
from memtriage.studies.papers import exhibits, papers
from memtriage.studies.reproduce import Choices, Reproduced, fill_in, reproduce, scaled
from memtriage.studies.sizes import sizes
from memtriage.studies.sweep import load
from memtriage.tables.values import Sample, refuse_unknown_value, value

ROOT = Path(__file__).parents[1]

TRIAL = Trial("tiny/main", ("tiny",), ("echo", "none"), rows=20, k=(1, 3), small={"rows": 2})
TABLE = Exhibit(
    "meme/table-2",
    "A table for tests",
    Runs(
        (TRIAL,),
        (
            Column("end", tasks=("tiny/end",), group="Accuracy"),
            Column("start", tasks=("tiny/along",), group="Accuracy"),
            Column("Overall", mean_of=("Accuracy/end", "Accuracy/start"), group="Accuracy"),
        ),
        (
            Printed("Echo", (0.9, 0.5, 0.7), "echo", {"k": "3"}, group="Simple"),
            Printed("Echo, less", (0.4, None, None), "echo", {"k": "1"}, group="Simple"),
            Printed("Somebody", (0.1, 0.2, 0.15), group="Others"),
            Printed("Average", (0.5, 0.5, 0.5), average=True),
        ),
        row_axes=("k",),
        average="Average",
    ),
)


def filled(place: Place, **choices: object) -> list[tuple[object, ...]]:
    found = fill_in(TABLE, TABLE.source, Choices(scale="small", out=place.path / "out", **choices))  # type: ignore[arg-type]
    return [
        (row.label, row.group, row.printed, row.own and tuple(v and round(v.mean, 3) for v in row.own))
        for row in found.rows
    ]


def test_every_declaration_fits_its_suites() -> None:
    for exhibit in exhibits().values():
        assert exhibit.paper in papers()
        source = exhibit.source
        if isinstance(source, Statistics):
            assert registry.tasks(source.suite)[0].statistics is not None, exhibit.id
        if not isinstance(source, Runs):
            continue
        trials = {trial.id: trial for trial in source.trials}
        names = [f"{column.group}/{column.label}" if column.group else column.label for column in source.columns]
        assert len(set(names)) == len(names), exhibit.id
        for place, column in enumerate(source.columns):
            trial = trials[column.trial or source.trials[0].id]
            suites = [registry.suite(name.partition("/")[0]) for name in trial.suite]
            measures = {m for suite in suites for each in suite.answer_measures.values() for m in each}
            if not column.mean_of:
                refuse_unknown_value(column.number, measures)
            assert not column.over_first or column.over_first in names[:place], (exhibit.id, column.label)
            assert set(column.mean_of) <= set(names[:place]), (exhibit.id, column.label)
            assert column.k is None or column.k in trial.k, (exhibit.id, column.label)
            assert set(column.where) <= {*trial.vary, *trial.models, "k"}, (exhibit.id, column.label)
        for printed in source.printed:
            assert len(printed.numbers) == len(source.columns), (exhibit.id, printed.label)
            assert not printed.system or any(printed.system in trial.systems for trial in source.trials), printed.label
        for trial in source.trials:
            options = {option for name in trial.suite for task in registry.tasks(name)[1] for option in task.options}
            small = trial.small.get("options", {})
            assert {*trial.options, *small} <= options, exhibit.id
            for name in trial.systems:
                registry.system(name)


def test_every_trial_has_a_size() -> None:
    for exhibit, _, size, cost in sizes():
        assert not isinstance(exhibit.source, Runs) or ("questions" in size and cost.startswith("$")), exhibit.id


def test_the_page_of_the_papers_is_up_to_date() -> None:
    checked = subprocess.run([sys.executable, "tools/papers.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_rows_stand_as_in_the_paper_with_what_was_found(place: Place) -> None:
    rows = filled(place)
    assert [row[:2] for row in rows] == [
        ("Echo", "Simple"),
        ("Echo, less", "Simple"),
        ("Somebody", "Others"),
        ("none, k = 1", "Not in the paper"),
        ("none, k = 3", "Not in the paper"),
        ("Average", ""),
    ]
    echo, less, somebody, *_, average = rows
    assert somebody[2:] == ((0.1, 0.2, 0.15), None)
    assert echo[3] is not None
    assert less[3] is not None
    end, start, overall = echo[3]  # type: ignore[misc]
    assert overall == pytest.approx((end + start) / 2, abs=1e-3)
    assert average[3] == tuple(pytest.approx((a + b) / 2, abs=1e-3) for a, b in zip(echo[3], less[3], strict=True))  # type: ignore[arg-type]


def test_own_systems_take_the_place_of_the_counterparts(place: Place) -> None:
    labels = [row[0] for row in filled(place, systems=("bm25",)) if row[3] is not None]
    assert labels == ["bm25, k = 1", "bm25, k = 3", "Average"]


def test_the_same_command_finds_its_runs_again_and_another_has_its_own(place: Place) -> None:
    choices = Choices(scale="small", out=place.path / "out")
    first = fill_in(TABLE, TABLE.source, choices)  # type: ignore[arg-type]
    assert fill_in(TABLE, TABLE.source, choices).runs == first.runs  # type: ignore[arg-type]
    other = fill_in(TABLE, TABLE.source, Choices(systems=("oracle",), scale="small", out=place.path / "out"))  # type: ignore[arg-type]
    assert other.runs != first.runs


def test_several_models_make_rows_of_their_own(place: Place) -> None:
    trial = replace(TRIAL, id="tiny/readers", systems=("echo",), k=(3,), models=("answer",))
    column = Column("end", "right", tasks=("tiny/end",))
    printed = (Printed("Echo, Sonnet 4", (0.9,), "echo", {"answer": "sonnet-4"}),)
    table = Exhibit("meme/table-3b", "Readers", Runs((trial,), (column,), printed, row_axes=("answer",)))
    assert table.needs == "several --answer, --judge"
    with StubServer(content) as server:
        models = {"answer": [f"{server.url}#sonnet-4", f"{server.url}#other"], "judge": [f"{server.url}#judge"]}
        found = fill_in(table, table.source, Choices(models=models, scale="small", out=place.path / "out"))  # type: ignore[arg-type]
    assert (found.rows[0].label, found.rows[0].printed) == ("Echo, Sonnet 4", (0.9,))
    assert [row.group for row in found.rows] == ["", "Not in the paper"]
    assert all(row.own and row.own[0] and row.own[0].n == 2 for row in found.rows)


def test_a_column_may_be_a_multiple_of_the_systems_first_row(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = {"cheap": {"input": 1, "output": 2}, "dear": {"input": 5, "output": 10}}
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.write("own.json", json.dumps(prices))))
    trial = replace(TRIAL, id="tiny/writers", systems=("facts",), k=(3,), models=("internal",))
    columns = (Column("$/ep", "dollars"), Column("vs base", "multiple", over_first="$/ep"))
    printed = (Printed("Facts, dear", (4.0, 6.5), "facts", {"internal": "dear"}),)
    table = Exhibit("meme/table-6", "Writers", Runs((trial,), columns, printed, row_axes=("internal",)))
    assert table.needs == "several --internal"
    with StubServer("memory") as server:
        models = {"internal": [f"{server.url}#cheap", f"{server.url}#dear"]}
        found = fill_in(table, table.source, Choices(models=models, scale="small", out=place.path / "out"))  # type: ignore[arg-type]
    multiples = {row.label.rpartition("#")[2]: row.own[1].mean for row in found.rows if row.own and row.own[1]}
    assert multiples == {"Facts, dear": pytest.approx(5), "cheap": 1}


def test_a_limit_on_cost_is_for_all_trials_together(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("prices.json", json.dumps({"reader": {"input": 1000, "output": 1000}}))
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(place.path / "prices.json"))
    trials = tuple(replace(TRIAL, id=f"tiny/{n}", systems=("echo",), k=(n,)) for n in (1, 2))
    columns = tuple(Column(f"k = {n}", "right", tasks=("tiny/end",), trial=f"tiny/{n}") for n in (1, 2))
    table = Exhibit("meme/table-3b", "Readers", Runs(trials, columns))

    def filled_in(out: str, dollars: str | None) -> Reproduced:
        limits = Limits(max_cost=Decimal(dollars) if dollars else None, use_cache=False)
        models = {"answer": [f"{server.url}#reader"]}
        return fill_in(table, table.source, Choices(models=models, scale="small", out=place.path / out, limits=limits))  # type: ignore[arg-type]

    with StubServer(content) as server:
        free = filled_in("free", None)
        cost = [sum(run.cost["total"]["dollars"] for _, run in load(path).runs()) for path in free.runs]  # type: ignore[index]
        limited = filled_in("limited", str(round(cost[0] * 1.2, 4)))
    assert limited.stopped is not None
    assert sum(spent(run.parent) for run in (place.path / "limited").glob("*/*/*/run.json")) <= cost[0] * 1.2


def test_scales() -> None:
    assert scaled(TRIAL, "small").rows == 2
    assert scaled(TRIAL, "0.1").rows == 2
    assert scaled(TRIAL, "0.001").rows == 1
    assert scaled(TRIAL, "1").rows == 20
    for wrong in ("0", "2", "-1", "many", "nan"):
        with pytest.raises(BadInput, match="a share of the paper's size"):
            scaled(TRIAL, wrong)


def test_the_command_prints_the_table_and_the_page(place: Place, cli: Cli) -> None:
    seen = cli(*"reproduce meme/table-3a --system bm25 --scale small --out out".split())
    assert "BM25, k = 40 (bm25)" in seen.out
    assert "Mem0, k = 5" in seen.out
    assert "arXiv:2605.12477" in seen.out
    assert "name --answer and --judge" in seen.out.replace("\n", " ")
    page = (place.path / "out" / "index.html").read_text()
    assert "<script" not in page
    assert "BM25, k = 40 (bm25)" in page
    assert "(0.24)" in page

    shown = json.loads(cli(*"reproduce meme/table-3a --system bm25 --scale small --out out --json".split()).out)
    assert shown["schema"] == "memtriage.exhibit/1"
    row = next(row for row in shown["rows"] if row["label"] == "BM25, k = 20")
    assert row["paper"] == [0.02, 0.24]
    assert row["here"][0]["n"] == 3
    flat = list(
        csv.DictReader(
            io.StringIO(cli(*"reproduce meme/table-3a --system bm25 --scale small --out out --csv".split()).out)
        )
    )
    assert {line["column"] for line in flat} == {"Cas", "Abs"}
    assert next(line for line in flat if line["row"] == "BM25, k = 20" and line["column"] == "Abs")["paper"] == "0.24"


def test_the_list_says_what_each_needs(cli: Cli) -> None:
    listed = {one["id"]: one for one in json.loads(cli("reproduce", "--json").out)}
    assert set(listed) == set(exhibits())
    assert listed["meme/table-2"]["needs"] == "no key *"
    assert "questions" in cli("reproduce").out


def test_wrong_names_are_explained(cli: Cli) -> None:
    assert "did you mean 'meme/table-2'" in cli("reproduce", "meme/table2", code=1).err
    assert "takes one --answer" in cli(*"reproduce meme/table-2 --answer a/b --answer c/d".split(), code=1).err


def test_what_a_name_in_a_page_holds_is_not_run(place: Place) -> None:
    from memtriage.report.html.exhibits import write_exhibits

    found = reproduce("meme/table-3a", {"<script>alert(1)</script>": "bm25"}, scale="small", out=place.path / "out")
    write_exhibits(place.path / "page.html", [found])
    page = (place.path / "page.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def verdict(**more: object) -> ProbeVerdict:
    settings: dict[str, object] = {"suite": "s", "task": "s/t", "system": "x", "episode": "e", "probe": "p", "k": 5}
    settings |= {"depth": "memory", "verdict": "correct", "question": "?", "gold": "!", "facts": (), **more}
    return ProbeVerdict(**settings)  # type: ignore[arg-type]


def test_numbers_by_hand() -> None:
    sample = Sample([verdict(probe="1"), verdict(probe="2", verdict="not_stored"), verdict(probe="3", verdict="n/a")])
    success = value("success", sample)
    assert success is not None
    assert success.mean == 0.5
    assert success.n == 2
    assert (success.low, success.high) == pytest.approx((0.0945, 0.9055), abs=1e-4)  # Wilson, 1 of 2
    lost = value("not_stored", sample)
    assert lost is not None
    assert lost.mean == 0.5
    assert value("right", sample) is None
    assert value("accuracy", sample) == success
    answered = Sample(
        [verdict(depth="full", right=True, answer="a"), verdict(probe="2", depth="full", right=False, answer="b")]
    )
    assert value("accuracy", answered) == value("right", answered)
    pairs = Sample(
        [verdict(probe=str(n), tags={"pair": pair}) for n, pair in enumerate(("trivial", "credited", "open"))]
    )
    trivial = value("trivial", pairs)
    assert trivial is not None
    assert trivial.mean == 0.5
    assert trivial.n == 2
    with pytest.raises(BadInput, match="unknown number"):
        refuse_unknown_value("accurcy")
