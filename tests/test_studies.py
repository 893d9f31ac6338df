"""Sweeps: which runs a grid is, what is skipped, continued and refused, and what the table over all of them says."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from rich.console import Console

from conftest import Cli, Place
from damage import edit_document
from memtriage import api, studies
from memtriage import registry as plugins
from memtriage.config import Limits
from memtriage.core.errors import BadInput, BadRun
from memtriage.core.verdict import ProbeVerdict
from memtriage.models.scripted import Request, StubServer, content
from memtriage.models.scripted.systems import native
from memtriage.report.terminal.studies import SweepProgress, show_folder
from memtriage.studies import grid
from memtriage.tables.measures import measure_rows
from memtriage.tables.sweep import SweepRun, measures_named, sweep_rows

TINY = {"suite": "tiny/end", "rows": 6, "k": [1, 3]}


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "sk-test-0123456789abcdef")


@pytest.fixture
def server() -> Iterator[StubServer]:
    def script(request: Request) -> Any:
        return native.reply(request) or content(request)

    with StubServer(script) as served:
        yield served


def laid_out(vary: dict[str, list[object]], *systems: str, **fixed: Any) -> tuple[grid.Cell, ...]:
    specs = [plugins.system(name) for name in systems]
    axes = grid.axes(vary, ["tiny"], specs, fixed)
    return grid.cells(axes, specs, {"suite": ("tiny",), "seed": 42, **fixed})


def folders(path: str) -> list[str]:
    return sorted(file.parent.name for file in Path(path).glob("*/run.json"))


# The grid


def test_every_combination_is_a_cell_with_a_readable_name() -> None:
    cells = laid_out({"big": ["0", "100"], "seed": [1, 2, 3]}, "bm25")
    assert [cell.folder for cell in cells][:4] == ["big=0,seed=1", "big=0,seed=2", "big=0,seed=3", "big=100,seed=1"]
    assert len(cells) == 6
    assert cells[-1].settings["seed"] == 3
    assert cells[-1].settings["options"] == {"big": "100"}


def test_a_system_stands_only_in_cells_that_mean_something_to_it() -> None:
    models = ["openai/gpt-4.1-mini", "openai/gpt-5"]
    cells = laid_out({"internal": models, "granularity": ["turn", "session"]}, "bm25", "facts", "none")
    by_folder = {cell.folder: list(cell.systems) for cell in cells}
    assert by_folder == {
        "granularity=turn": ["bm25"],
        "granularity=session": ["bm25"],
        "internal=openai-gpt-4.1-mini,granularity=turn": ["facts"],
        "internal=openai-gpt-4.1-mini,granularity=session": ["facts"],
        "internal=openai-gpt-5,granularity=turn": ["facts"],
        "internal=openai-gpt-5,granularity=session": ["facts"],
        "base": ["none"],
    }
    (spec,) = cells[1].systems.values()
    assert spec.label == "bm25:granularity=session", "the command line finds it again"
    assert all("internal" not in cell.settings for cell in cells if "facts" not in cell.systems)


def test_arguments_join_those_a_system_has_and_those_of_python_callers() -> None:
    (first, _) = laid_out({"granularity": ["turn", "session"]}, "bm25:k1=1.2")
    assert first.systems["bm25:k1=1.2"].label == "bm25:k1=1.2,granularity=turn"

    class Cut:
        def __init__(self, size: int = 1) -> None:
            self.size = size

    specs = [plugins.SystemSpec("Cut", Cut)]
    cells = grid.cells(grid.axes({"size": ["1", "2"]}, ["tiny"], specs, {}), specs, {})
    assert [cell.systems["Cut"].arguments for cell in cells] == [{"size": "1"}, {"size": "2"}]


def test_passwords_and_odd_names_stay_out_of_folders_and_axes() -> None:
    urls: list[object] = ["http://me:secret@127.0.0.1:9/v1#m", "http://127.0.0.1:9/v1#m"]
    cells = laid_out({"answer": urls}, "bm25")
    assert "secret" not in repr(cells)
    assert cells[0].settings["answer"] == urls[0]
    cells = laid_out({"data": ["a/b", "a-b", "../../etc"]}, "bm25")
    names = [cell.folder for cell in cells]
    assert len(set(names)) == 3
    assert all("/" not in name for name in names)


@pytest.mark.parametrize(
    ("vary", "fixed", "said"),
    [
        ({"bigg": ["1", "2"]}, {}, "unknown --vary 'bigg'; did you mean 'big'"),
        ({"big": ["1"]}, {}, "one value is nothing to compare"),
        ({"big": ["1", ""]}, {}, "a value is empty"),
        ({"big": ["1", "1"]}, {}, "named twice"),
        ({"seed": ["1", "x"]}, {}, "give whole numbers"),
        ({"rows": ["1", "0"]}, {}, "give whole numbers"),
        ({"k": ["1", "2"]}, {}, "--k 5,10,20"),
        ({"internal": ["openai/gpt-5", "openai/gpt-4.1"]}, {}, "none of the systems takes it"),
        ({"answer": ["openai/gpt-5", "opnai/gpt-5"]}, {}, "did you mean 'openai'"),
        ({"big": ["1", "2"]}, {"options": {"big": "3"}}, "also fixed to 3"),
        ({"answer": ["openai/gpt-5", "openai/gpt-4.1"]}, {"answer": "openai/o3"}, "also fixed"),
        ({"seed": list(range(40)), "big": list(range(26))}, {}, "40 seed x 26 big is a grid of 1,040 cells"),
    ],
)
def test_what_is_no_grid_is_refused(vary: dict[str, list[object]], fixed: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        laid_out(vary, "bm25", **fixed)


def test_a_varied_argument_must_not_be_set_already() -> None:
    with pytest.raises(BadInput, match="has a value of its own"):
        laid_out({"granularity": ["turn", "session"]}, "bm25:granularity=turn")


def test_a_name_that_suite_and_system_share_must_be_told_apart() -> None:
    class Big:
        def __init__(self, big: int = 1) -> None:
            self.big = big

    specs = [plugins.SystemSpec("Big", Big)]
    with pytest.raises(BadInput, match=r"write option\.big or system\.big"):
        grid.axes({"big": [1, 2]}, ["tiny"], specs, {})
    assert grid.axes({"option.big": [1, 2]}, ["tiny"], specs, {})[0].kind == "option"
    assert grid.axes({"system.big": [1, 2]}, ["tiny"], specs, {})[0].kind == "argument"


# Runs


def test_cells_are_ordinary_runs_and_the_table_agrees_with_them(place: Place) -> None:
    found = studies.sweep("bm25", "dense", vary={"granularity": ["turn", "session"]}, ceiling=True, out="sw", **TINY)
    assert folders("sw") == ["base", "granularity=session", "granularity=turn"]
    rows = {(row.system, row.k, row.values): row for row in found.rows()}
    assert len(rows) == 2 * (2 * 2 + 2 + 2)  # bm25, dense and full-context twice, gold-facts and none once, at two k
    for row in api.load("sw/granularity=session").rows():
        name = row.system.removesuffix(":granularity=session")
        mine = rows[name, row.k, (("granularity", "session"),)]
        assert (mine.success, mine.low, mine.high, mine.n) == (row.success, row.low, row.high, row.n)
    assert rows["gold-facts", 1, (("granularity", ""),)].success == 1.0
    assert rows["none", 3, (("granularity", ""),)].success == 0.0
    assert all(row.sd is None and row.accuracy is None and row.runs == 1 for row in rows.values())
    assert json.loads(Path("sw/sweep.json").read_text())["rows"] == found.table()
    assert studies.is_sweep("sw")
    assert not studies.is_sweep("sw/base")


def test_the_same_sweep_again_does_nothing_and_more_values_are_added(place: Place) -> None:
    vary: dict[str, list[object]] = {"big": [0, 20]}
    studies.sweep("mems.py:Counted", vary=vary, out="sw", **TINY)
    calls = place.calls()
    studies.sweep("mems.py:Counted", vary=vary, out="sw", **TINY)
    assert place.calls() == calls
    found = studies.sweep("mems.py:Counted", vary={"big": [0, 20, 40]}, out="sw", **TINY)
    assert len(place.calls()) == len(calls) * 3 // 2
    assert found.left == []


def test_a_killed_sweep_goes_on_where_it_was(place: Place) -> None:
    command = "sweep --suite tiny/end --rows 6 --k 1,3 --system mems.py:Counted --vary big=0,20 --out sw -q".split()
    place.write("kill.txt", "p1:1")
    child = place.start(*command)
    assert child.code() != 0
    assert studies.load("sw").left == ["big=0", "big=20"]
    place.cli(*command)
    found = studies.load("sw")
    assert found.left == []
    assert [row.n for row in found.rows()] == [6] * 4


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rows": 5}, "rows: 6 became 5"),
        ({"k": [1]}, r"ks: \[1, 3\] became \[1\]"),
        ({"seed": 7}, "seed: 42 became 7"),
        ({"looks": 2}, "looks: 64 became 2"),
        ({"vary": {"granularity": ["turn", "session"]}}, "over big, and this one is over granularity"),
        ({"vary": {}}, "over nothing but k"),
    ],
)
def test_other_settings_in_the_same_folder_are_refused(more: dict[str, Any], said: str, tmp_path: Path) -> None:
    base: dict[str, Any] = {**TINY, "vary": {"big": [0, 20]}, "out": "sw"}
    studies.sweep("bm25", **base)
    before = Path("sw/sweep.json").read_text()
    with pytest.raises(BadRun, match=said):
        studies.sweep("bm25", **{**base, **more})
    with pytest.raises(BadRun, match=r"systems: \['bm25'\] became \['bm25', 'none'\]"):
        studies.sweep("bm25", "none", **base)
    assert Path("sw/sweep.json").read_text() == before


def test_what_would_fail_later_is_found_before_the_first_run(place: Place) -> None:
    with pytest.raises(BadInput, match="granularity"):
        studies.sweep("bm25", vary={"granularity": ["turn", "turns"]}, out="sw", **TINY)
    with pytest.raises(BadInput, match="unknown setting of a sweep 'row'"):
        studies.sweep("bm25", row=3)
    assert not Path("sw").exists()
    api.run("bm25", suite="tiny/end", rows=2, k=1, out="one")
    with pytest.raises(BadRun, match="holds a single run"):
        studies.sweep("bm25", vary={"big": [0, 1]}, out="one", **TINY)


# Repeats, answers, cost


def test_seeds_are_repeats_of_one_row_with_mean_and_sd(place: Place) -> None:
    found = studies.sweep("bm25", suite="memfail/long-hop", rows=9, k=5, vary={"seed": [1, 2, 3]}, out="sw")
    (row,) = found.rows()
    singles = [api.load(f"sw/seed={seed}").rows()[0] for seed in (1, 2, 3)]
    shares = [single.success for single in singles if single.success is not None]
    assert len(set(shares)) > 1
    assert row.success == pytest.approx(fmean(shares))
    assert row.sd == pytest.approx(stdev(shares))
    assert (row.runs, row.n, row.values) == (3, sum(single.n for single in singles), ())
    assert row.high - row.low < min(single.high - single.low for single in singles)


def test_measures_and_rows_over_all_tasks_agree_with_the_runs_themselves(place: Place, cli: Cli) -> None:
    options: dict[str, Any] = {"suite": "longmemeval/oracle", "rows": 16, "k": [5, 10], "out": "sw"}
    found = studies.sweep("bm25", "none", vary={"seed": [1, 2]}, **options)
    rows = {(row.task, row.system, row.k, str(row.over)): row for row in found.rows()}
    single = {
        seed: {
            (row.task, row.measure): row
            for row in measure_rows(api.load(f"sw/seed={seed}").verdicts())
            if row.system == "bm25"
        }
        for seed in (1, 2)
    }
    name = "session/Recall_all@3"
    for task, place_in_run in (("longmemeval/multi-session", "longmemeval/multi-session"), ("longmemeval/all", "all")):
        over = "pooled" if task.endswith("all") else "task"
        each = [single[seed][place_in_run, name] for seed in (1, 2)]
        means = [row.mean for row in each if row.mean is not None]
        for k in (5, 10):
            mine = rows[task, "bm25", k, over].measures[name]
            assert mine.mean == pytest.approx(fmean(means))
            assert mine.sd == pytest.approx(stdev(means))
            assert mine.n == sum(row.n for row in each)
            assert mine.low < mine.mean < mine.high
            assert mine.high - mine.low < min(row.high - row.low for row in each), (
                "the questions of both seeds together"
            )
    tasks = [row for row in rows.values() if (row.system, row.k, row.over) == ("bm25", 5, "task")]
    mean, pooled = rows["longmemeval/all", "bm25", 5, "mean of tasks"], rows["longmemeval/all", "bm25", 5, "pooled"]
    assert mean.success == pytest.approx(fmean(row.success for row in tasks if row.success is not None))
    assert mean.measures[name].mean == pytest.approx(fmean(r.measures[name].mean for r in tasks if name in r.measures))
    assert mean.n == pooled.n == sum(row.n for row in tasks) == 32
    every = [v for _, run in found.runs() for v in run.verdicts() if (v.system, v.k) == ("bm25", 5)]
    assert pooled.context_tokens == pytest.approx(fmean(v.context_tokens or 0 for v in every))
    assert "abstention" in {row.task.rpartition("/")[2] for row in tasks}
    assert rows["longmemeval/all", "none", 5, "pooled"].measures[name].mean == 0

    shown = cli("show", "sw", "--measure", "recall_all@3,SESSION/ndcg_any@5").out
    assert "longmemeval/all, mean of tasks" in shown
    assert "Recall_all" in shown
    assert "success" not in shown
    flat = {
        (row["task"], row["system"], row["k"], row["over"]): row
        for row in csv.DictReader(io.StringIO(cli("show", "sw", "--csv").out))
    }
    assert float(flat["longmemeval/all", "bm25", "5", "pooled"][f"{name} high"]) == pytest.approx(
        pooled.measures[name].high, abs=1e-6
    )
    assert "did you mean 'session/Recall_all@3'" in cli("show", "sw", "--measure", "sesion/recall_all@3", code=1).err


def test_a_token_budget_is_an_axis_of_its_own(place: Place, cli: Cli) -> None:
    command = (
        "sweep --suite longmemeval/oracle --rows 8 --system lme --context-tokens 500,2k --vary value=session,round"
    )
    cli(*command.split(), "--out", "sw", "-q")
    rows = [row for row in studies.load("sw").rows() if row.over == "pooled"]
    assert [(row.k, dict(row.values)["value"]) for row in rows] == [
        (f"{tokens} tokens", value) for tokens in (500, 2000) for value in ("session", "round")
    ]
    assert all((row.context_tokens or 0) <= int(str(row.k).split()[0]) for row in rows)
    small, large = (row for row in rows if dict(row.values)["value"] == "round")
    assert 0 < (small.context_tokens or 0) < (large.context_tokens or 0)
    assert (small.success or 0) <= (large.success or 0), "whatever fits a window fits a larger one"
    assert "2,000 tok" in cli("show", "sw").out


def test_measures_of_answers_are_averaged_over_the_tasks_that_have_them() -> None:
    def verdict(task: str, probe: str, right: bool | None, **measures: float) -> ProbeVerdict:
        about = ("mab", f"mab/{task}", "bm25", "e", probe, 5, "full")
        if right is None:
            return ProbeVerdict(*about, "error", "?", "!", (), error="down")
        found = "correct" if right else "reasoning_error"
        return ProbeVerdict(*about, found, "?", "!", (), right=right, credit=float(right), measures=measures)

    said = [
        verdict("a", "1", True, SubEM=1.0, F1=0.5),
        verdict("a", "2", True, SubEM=1.0, F1=0.7),
        verdict("a", "3", False, SubEM=0.0, F1=0.0),
        verdict("b", "1", False, SubEM=0.0),
        verdict("b", "2", None),
    ]
    rows = {(row.task, row.over): row for row in sweep_rows([SweepRun("one", (), {}, lambda: said, lambda: [])], {})}
    assert list(rows) == [("mab/a", "task"), ("mab/b", "task"), ("mab/all", "pooled"), ("mab/all", "mean of tasks")]
    means = {key: {name: round(found.mean, 6) for name, found in row.measures.items()} for key, row in rows.items()}
    assert means["mab/a", "task"] == {"SubEM": 0.666667, "F1": 0.4, "credit": 0.666667}
    assert means["mab/b", "task"] == {"SubEM": 0.0, "credit": 0.0}, "an error counts as 0"
    assert means["mab/all", "pooled"] == {"SubEM": 0.4, "F1": 0.4, "credit": 0.4}, "F1 is none of task b's"
    assert means["mab/all", "mean of tasks"] == {"SubEM": 0.333333, "F1": 0.4, "credit": 0.333333}
    assert rows["mab/all", "mean of tasks"].success == pytest.approx(1 / 3)
    assert rows["mab/all", "pooled"].accuracy == pytest.approx(2 / 5)
    assert rows["mab/b", "task"].measures["SubEM"].high > 0.9, "the error might have been right"
    assert measures_named(rows.values(), ["f1", "subem"]) == ["F1", "SubEM"]


def test_answers_and_what_models_took_are_in_the_table(place: Place, server: StubServer) -> None:
    place.write("prices.json", json.dumps({"reader": {"input": 1000.0, "output": 1000.0}}))
    found = studies.sweep(
        "bm25",
        "facts",
        suite="memfail/coexisting",
        rows=3,
        k=5,
        vary={"internal": [f"{server.url}#one", f"{server.url}#two"]},
        answer=f"{server.url}#reader",
        judge=f"{server.url}#judge",
        out="sw",
    )
    rows = found.rows()
    assert [(row.system, bool(dict(row.values)["internal"])) for row in rows] == [
        ("bm25", False),
        ("facts", True),
        ("facts", True),
    ]
    assert all(row.depth == "full" for row in rows)
    bm25, facts = rows[0], rows[1]
    stores = api.load("sw/base").stores()
    assert bm25.calls == sum(store.answer_usage.calls for store in stores if store.answer_usage) / len(stores)
    assert bm25.dollars is not None
    assert bm25.dollars > 0
    assert facts.calls > bm25.calls, "it asks its own model, too"
    judged = [v.right for v in api.load("sw/base").verdicts() if v.right is not None]
    assert judged
    assert bm25.accuracy == pytest.approx(fmean(judged))
    with Console(file=io.StringIO(), width=200) as console:
        show_folder(Path("sw"), "table", console)


def test_a_budget_is_for_all_runs_together(place: Place, server: StubServer) -> None:
    place.write("prices.json", json.dumps({"reader": {"input": 100.0, "output": 100.0}}))
    base: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 3, "k": 5, "answer": f"{server.url}#reader"}
    whole = studies.sweep("bm25", vary={"seed": [1, 2, 3]}, out="whole", limits=Limits(use_cache=False), **base)
    total = sum(Decimal(str(run.cost["total"]["dollars"])) for _, run in whole.runs() if run.cost)
    tight = Limits(max_cost=total / 2, use_cache=False)
    found = studies.sweep("bm25", vary={"seed": [1, 2, 3]}, out="tight", limits=tight, **base)
    assert found.stopped is not None
    spent = sum(Decimal(str(run.cost["total"]["dollars"])) for _, run in found.runs() if run.cost)
    assert spent <= total / 2


def test_a_dry_run_adds_up_and_leaves_out_what_is_done(place: Place, server: StubServer) -> None:
    base: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 3, "k": 5, "answer": f"{server.url}#reader"}
    parts, total = studies.dry_run("bm25", vary={"seed": [1, 2]}, out="sw", **base)
    assert [name for name, _ in parts] == ["seed=1", "seed=2"]
    assert total.high.calls == sum(estimate.high.calls for _, estimate in parts) == 6
    assert server.count() == 0
    assert not Path("sw").exists()
    studies.sweep("bm25", vary={"seed": [1, 2]}, out="sw", **base)
    parts, total = studies.dry_run("bm25", vary={"seed": [1, 2, 3]}, out="sw", **base)
    assert [name for name, _ in parts] == ["seed=3"]


def test_errors_are_counted_and_gone_over_again(place: Place) -> None:
    place.write(
        "odd.py",
        "import mems\nclass Odd(mems.Keeps):\n"
        "    def retrieve_memories(self, query, conversation, k):\n"
        "        if not (mems.HERE / 'mended').exists():\n            raise RuntimeError('down')\n"
        "        return super().retrieve_memories(query, conversation, k)\n",
    )
    command = "sweep --suite tiny/end --rows 4 --k 2 --system odd.py:Odd --vary big=0,20 --out sw -q".split()
    seen = place.cli(*command, code=1)
    assert "8 probes could not be graded" in seen.err
    place.write("mended", "")
    place.cli(*command, "--retry-errors")
    assert studies.load("sw").errors == 0


# The command


def test_the_command_prints_a_table_csv_and_json(cli: Cli) -> None:
    command = "sweep --suite tiny/end --rows 6 --system bm25 --k 1,3 --vary granularity=turn,session".split()
    seen = cli(*command)
    assert "runs: runs/sweep-tiny-end-granularity" in seen.out
    assert seen.out.count("bm25") == 4
    rows = json.loads(cli(*command, "--json").out)["rows"]
    assert [(row["k"], row["granularity"]) for row in rows] == [(k, g) for k in (1, 3) for g in ("turn", "session")]
    flat = list(csv.DictReader(io.StringIO(cli(*command, "--csv").out)))
    assert [float(row["success"]) for row in flat] == [row["success"] for row in rows]
    assert "calls" in cli(*command, "--dry-run", "--out", "other", "-q").out


@pytest.mark.parametrize("changes", [{}, {"axes": []}, {"cells": [{"folder": 1}]}, {"schema": "memtriage.sweep/1"}])
def test_a_sweep_that_was_changed_is_refused(cli: Cli, changes: dict[str, Any]) -> None:
    command = "sweep --suite tiny/end --rows 3 --system bm25 --k 1 --vary granularity=turn,session --out sw -q".split()
    cli(*command)
    before = cli("show", "sw", "--json").out
    file = Path("sw/sweep.json")
    if changes:
        edit_document(file, **changes)
    else:
        file.write_text(file.read_text().replace("session", "turn"))
    for again in (["show", "sw"], ["verify", "sw"], command):
        assert "sw/sweep.json is damaged (" in cli(*again, code=1).err
    file.unlink()
    cli(*command)
    assert cli("show", "sw", "--json").out == before


def test_a_damaged_run_of_a_sweep_is_not_left_out_in_silence(cli: Cli) -> None:
    cli(*"sweep --suite tiny/end --rows 3 --system bm25 --k 1 --vary granularity=turn,session --out sw -q".split())
    run = next(Path("sw").glob("*/run.json")).parent
    (run / "journal.jsonl").write_bytes((run / "journal.jsonl").read_bytes()[:-1])
    assert f"{run}/journal.jsonl is damaged" in cli("show", "sw", code=1).err


CHUNKED = '''
"""One long list of facts, told in chunks of so many; `length` is how many there are."""
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Loaded, Suite, Task

def load(request):
    length, chunk = (int(request.options.get(name, usual)) for name, usual in (("length", 8), ("chunk", 2)))
    said = [f"Crate {n} holds the {'brass copper walnut amber'.split()[n % 4]} key {n}." for n in range(length)]
    talks = tuple(
        Session(f"c{n}", (Turn("user", " ".join(said[n : n + chunk]), f"c{n}/0"),)) for n in range(0, length, chunk)
    )
    facts = tuple(Fact(f"f{n}", text, (f"c{n - n % chunk}/0",), (text[:-1],)) for n, text in enumerate(said))
    probes = tuple(Probe(f"p{n}", f"What does crate {n} hold?", said[n], ((f"f{n}",),)) for n in range(length))
    return Loaded((Episode("long/one", "chunked/list", talks, facts, probes),), {"source": "generated"})

options = {"length": "facts", "chunk": "facts to a chunk"}
SUITE = Suite("chunked", "Crates", "none", "MIT", "1", (Task("chunked/list", "keys", 8, load, options),))
'''


@pytest.fixture
def chunked(place: Place) -> None:
    place.write("chunked_suite.py", CHUNKED)
    info = place.path / "chunked-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: chunked\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[memtriage.suites]\nchunked = chunked_suite:SUITE\n")


@pytest.mark.usefixtures("chunked")
def test_chunk_and_length_are_short_for_varying_the_suites_options(cli: Cli) -> None:
    command = "sweep --suite chunked --system bm25 --k 2,5 --chunk 1,4 --length 8,16 --out sw -q --json".split()
    found = json.loads(cli(*command).out)
    assert found["axes"] == {"length": ["8", "16"], "chunk": ["1", "4"]}
    assert folders("sw") == [f"length={n},chunk={c}" for n in ("16", "8") for c in (1, 4)]
    assert {(row["length"], row["chunk"], row["k"]): row["n"] for row in found["rows"]} == {
        (n, c, k): int(n) for n in ("8", "16") for c in ("1", "4") for k in (2, 5)
    }
    stored = {name: api.load(f"sw/{name}").stores()[0].sessions for name in folders("sw")}
    assert stored["length=16,chunk=4"] == 4
    assert stored["length=8,chunk=1"] == 8


@pytest.mark.usefixtures("chunked")
def test_one_value_of_a_shorthand_is_fixed_and_not_varied(cli: Cli) -> None:
    command = "sweep --suite chunked --system bm25 --k 2 --chunk 2,4 --length 12 --out sw -q --json".split()
    found = json.loads(cli(*command).out)
    assert list(found["axes"]) == ["chunk"]
    assert {row["n"] for row in found["rows"]} == {12}


@pytest.mark.usefixtures("chunked")
def test_a_shorthand_means_the_suite_even_where_a_system_has_the_name(place: Place, cli: Cli) -> None:
    place.write(
        "cuts.py",
        "import mems\nclass Cuts(mems.Keeps):\n    def __init__(self, chunk=3):\n        super().__init__()\n",
    )
    common = "sweep --suite chunked --system cuts.py:Cuts --k 2 --out sw -q".split()
    assert "write option.chunk or system.chunk" in cli(*common, "--vary", "chunk=1,2", code=1).err
    cli(*common, "--chunk", "1,2")
    assert api.load("sw/chunk=2").manifest["options"] == {"chunk": "2"}


def test_how_a_model_reads_is_a_setting_of_a_sweep(place: Place, server: StubServer, cli: Cli) -> None:
    base: dict[str, Any] = {**TINY, "vary": {"big": [0, 20]}, "out": "sw"}
    with pytest.raises(BadInput, match="name one with --answer"):
        studies.sweep("bm25", **base, reading="con")
    with pytest.raises(BadInput, match="did you mean 'con-json'"):
        studies.sweep("bm25", **base, reading="con-jsn", answer=f"{server.url}#reader")
    assert not Path("sw").exists()
    found = studies.sweep("bm25", **base, reading="con", answer=f"{server.url}#reader")
    assert all(run.manifest["grading"]["reading"] == "con" for _, run in found.runs())
    assert any("Memory m1" in request.body["messages"][-1]["content"] for request in server.requests), "as plain text"
    asked = server.count()
    studies.sweep("bm25", **base, reading="con", answer=f"{server.url}#reader")
    assert server.count() == asked, "the same sweep is done"
    with pytest.raises(BadRun, match="'reading': 'con'"):
        studies.sweep("bm25", **base, reading="direct", answer=f"{server.url}#reader")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--chunk", "512,1024"), "unknown option of the suite 'chunk'"),
        (("--vary", "filler=1,2", "--filler", "1,2"), "say the same thing twice"),
        (("--reading", "con"), "name one with --answer"),
        (("--vary", "seed"), "write what varies and its values"),
        (("--vary", "seed=1,2", "--vary", "seed=3,4"), "given twice"),
        (("--vary", "seed=1"), "one value is nothing to compare"),
        (("--vary", "speed=1,2"), "unknown --vary 'speed'; did you mean 'seed'"),
        (("--csv", "--json"), "exclude each other"),
    ],
)
def test_bad_input_ends_in_one_message(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    seen = cli("sweep", "--suite", "tiny/end", "--system", "bm25", *arguments, code=1)
    assert seen.err.startswith("error: ")
    assert said in seen.err


def test_one_bar_guesses_what_lies_ahead_from_what_was_seen() -> None:
    progress = SweepProgress(quiet=True)
    progress.cells([1, 3])
    progress.cell(0, "a")
    progress.begin(Path("a"), 100)
    assert progress.total == 400
    progress.cell(1, "b")
    progress.begin(Path("b"), 200)
    assert progress.total == 300


def test_a_folder_without_a_sweep_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadRun, match="holds no sweep"):
        studies.load(tmp_path)
    (tmp_path / "sweep.json").write_text("[]")
    with pytest.raises(BadRun, match="is damaged"):
        studies.load(tmp_path)
