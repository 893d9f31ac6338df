"""memtriage from Python: what notebooks show, progress, and one function for each thing that the command line does."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
import re
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from rich.console import Console

import memtriage
from conftest import ROOT, Cli, Place
from memtriage import api
from memtriage.cli import diagnose as cli_diagnose
from memtriage.config import RunConfig, RunSettings
from memtriage.core.errors import BadInput
from memtriage.host.event_loop import run_async
from memtriage.models.scripted import StubServer, content
from memtriage.report import progress as following
from memtriage.report.notebook import run_html
from memtriage.report.terminal.progress import RunProgress
from memtriage.runner.watcher import Watcher
from memtriage.tables.standings import standings
from memtriage.tables.table import Row

if TYPE_CHECKING:
    from playwright.sync_api import Browser

T = TypeVar("T")

SMALL: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 4, "k": [2, 5]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[api.Run, api.Run]:
    """Two tasks with two systems, and the first of these tasks again with one system more."""
    folder = tmp_path_factory.mktemp("python")
    tasks = ["memfail/coexisting", "memfail/long-hop"]
    return (
        memtriage.run("bm25", "none", suite=tasks, rows=4, k=[2, 5], out=folder / "a"),
        memtriage.run("bm25", "dense", "none", **SMALL, out=folder / "b"),
    )


# ------------------------------------------------------------------ in a notebook


class Parsed(HTMLParser):
    """The tags, and the text of every cell."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self._open = tag in ("td", "th")
        self.cells += [""] * self._open

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.cells[-1] += data.strip()


def test_a_run_shows_its_table_with_intervals_and_a_bar_per_row(runs: tuple[api.Run, api.Run]) -> None:
    run = runs[0]
    page = run._repr_html_()
    found = Parsed(page)
    assert found.tags.count("table") == 3  # all tasks together, and each of them
    assert found.tags.count("svg") == 3 * 2 * 2  # two systems at two k
    assert found.tags.count("details") == 2
    assert "script" not in found.tags
    assert not re.search(r"https?:|url\(|@import|\son\w+=", page)
    assert len(page) < 20_000
    row = next(row for row in run.rows() if (row.task, row.system, row.k) == ("memfail/long-hop", "none", 5))
    assert row.asked == 4
    at = found.cells.index("none", found.cells.index("system", found.cells.index("system", 5) + 5))
    assert found.cells[at : at + 4] == ["none", "2", "0\u00a0%", "0–49\u00a0%"]  # Wilson's interval of 0 in 4
    assert "No probe" not in page
    assert str(run.path) in page


def row(system: str, correct: int, lost: int, na: int = 0) -> Row:
    n = correct + lost + na
    share = correct / (n - na) if n > na else None
    return Row("s", "s/t", system, 5, "memory", n, correct, 0, 0, lost, 0, 0, na, 0, share, 0.1, 0.6, 9.0, 40.0)


def test_bars_are_shares_of_what_was_asked(runs: tuple[api.Run, api.Run]) -> None:
    rows = [row("a", 3, 1, na=4), row("b", 0, 0, na=8)]
    page = run_html(standings([], rows), rows)
    assert re.findall(r'<rect x="([\d.]+)" width="([\d.]+)" height="10"', page) == [
        ("0.00", "75.00"),
        ("75.00", "25.00"),
    ]
    assert '<rect x="10.00" width="50.00" y="12"' in page  # the interval
    assert page.count("<svg") == 1  # nothing was asked of b


def test_many_rows_are_cut_and_counted(runs: tuple[api.Run, api.Run]) -> None:
    rows = [replace(row(f"s{number}", 1, 1), task=f"s/{number % 5}") for number in range(200)]
    page = run_html(standings([], rows), rows)
    assert page.count("<svg") == 150
    assert "50 more rows are in run.table()." in page


HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\">\x1b[2J\u202e</td></table><script>document.title='owned'</script>"
)


def test_hostile_names_do_nothing_in_a_notebook(browser: Browser, tmp_path: Path) -> None:
    from memtriage.systems.retrieval.bm25 import BM25

    run = memtriage.run({HOSTILE: BM25()}, **SMALL, out=tmp_path / "run")
    compared = memtriage.compare(run, run)
    shown = run._repr_html_() + compared._repr_html_()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    page = browser.new_page()
    page.set_content(f"<title>notebook</title><body>{shown}")
    assert page.title() == "notebook"
    assert page.locator("img, script").count() == 0
    assert page.locator(".memtriage td", has_text="<img src=x").first.is_visible()
    page.close()


@pytest.mark.parametrize("colours", [("#ffffff", "#222222"), ("#111111", "#dddddd")])
def test_it_is_read_on_a_light_and_on_a_dark_page(
    runs: tuple[api.Run, api.Run], browser: Browser, colours: tuple[str, str]
) -> None:
    page = browser.new_page(viewport={"width": 900, "height": 600})
    page.set_content(f"<body style='background:{colours[0]};color:{colours[1]}'>{runs[0]._repr_html_()}")
    script = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    ink, ground = page.locator(".memtriage td").first.evaluate(script)
    assert ink == page.evaluate("getComputedStyle(document.body).color")
    assert ground == "rgba(0, 0, 0, 0)"
    bar = page.locator("svg rect").first.bounding_box()
    assert bar is not None
    assert bar["height"] > 5
    page.close()


def test_an_unfinished_run_says_how_to_go_on(runs: tuple[api.Run, api.Run], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(runs[0].path, tmp_path / "copy")
    (tmp_path / "copy/seal.json").unlink()
    page = memtriage.load(tmp_path / "copy")._repr_html_()
    assert "is not finished; memtriage.resume(" in page


NOTEBOOK = """
import sys, nbformat
from nbclient import NotebookClient
cells = ["import memtriage", "run = memtriage.run('bm25', suite='memfail/coexisting', rows=4, k=[5], out='run'); run"]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
client, updates = NotebookClient(book, timeout=120), []
process = client.process_message
def heard(message, *rest):
    updates.append(message["content"].get("data", {}).get("text/html", ""))
    return process(message, *rest)
client.process_message = heard
client.execute()
outputs = [output.get("data", {}).get("text/html", "") for output in book.cells[1].outputs]
assert any('class="memtriage"' in output for output in outputs), outputs
assert any("<progress" in update for update in updates), updates
"""


def test_a_real_notebook_shows_progress_and_then_the_table(place: Place) -> None:
    for module in ("nbclient", "ipykernel"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            pytest.skip(f"{module} is not installed")
    ran = place.python(NOTEBOOK)
    assert ran.returncode == 0, ran.stderr


class Later:
    """A memory whose functions are coroutines."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    async def store_conversation(self, conversation: Any) -> None:
        self.kept += [turn.text for turn in conversation.turns]

    async def retrieve_memories(self, query: str, conversation: Any, k: int) -> list[str]:
        return self.kept[:k]

    async def get_all_memories(self) -> list[str]:
        return self.kept


def in_a_cell(work: Callable[[], T]) -> T:
    """Call something as a notebook does: while an event loop is running in this thread."""

    async def cell() -> T:
        return work()

    try:
        asyncio.get_running_loop()  # a browser that is driven from here has one
    except RuntimeError:
        loop = asyncio.new_event_loop()  # `asyncio.run` would handle interrupts itself, which no notebook does
        try:
            return loop.run_until_complete(cell())
        finally:
            loop.close()
    return work()


def test_models_and_async_memories_work_where_a_loop_is_running_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "cache.db"))

    def cell() -> api.Run:
        models = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge"}
        estimate = memtriage.dry_run(Later(), **SMALL, **models)
        assert estimate.high.calls >= 8
        return memtriage.run(Later(), **SMALL, **models, out=tmp_path / "run")

    with StubServer(content) as server:
        run = in_a_cell(cell)
    assert run.errors == 0
    assert {probe["depth"] for probe in run.probes} == {"full"}


def test_an_interrupt_ends_what_runs_beside_a_loop() -> None:
    ended = []

    async def endless() -> None:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        in_a_cell(lambda: run_async(endless()))
    assert ended == [True]


# ------------------------------------------------------------------ progress


class Told(Watcher):
    def __init__(self) -> None:
        self.steps = 0
        self.names: list[str] = []

    def begin(self, path: Path, steps: int) -> None:
        self.steps = steps

    def unit(self, system: str, episode: str) -> None:
        self.names.append(system)


def test_python_is_quiet_where_nobody_watches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memtriage.run("bm25", **SMALL, out=tmp_path / "auto")
    memtriage.run("bm25", **SMALL, out=tmp_path / "never", progress=False)
    assert capsys.readouterr() == ("", "")
    watcher = Told()
    run = memtriage.run("bm25", **SMALL, out=tmp_path / "watched", progress=True, watcher=watcher)
    assert capsys.readouterr() == ("", "")  # it is told instead
    [episode] = run.manifest["episodes"]
    assert (watcher.names, watcher.steps) == (["bm25"], episode["sessions"] + 2 * episode["probes"])
    with pytest.raises(BadInput, match="progress must be True, False or 'auto', not 'loud'"):
        memtriage.run("bm25", **SMALL, progress="loud")  # type: ignore[arg-type]


def test_progress_true_writes_lines_into_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memtriage.run("bm25", **SMALL, out=tmp_path / "run", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("memtriage: laying out episodes: 1\n")


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    with following.watching("auto") as watcher:
        assert isinstance(watcher, RunProgress)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    now = [0.0]
    monkeypatch.setattr(following.time, "monotonic", lambda: now[0])
    return now


class Handle:
    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, page: str) -> None:
        self.shown.append(page)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> Handle:
    """As in a notebook: what is displayed, and replaced, is kept."""
    handle = Handle()
    display = types.SimpleNamespace(HTML=str, display=lambda page, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(Console, "is_jupyter", True, raising=False)
    monkeypatch.setattr(following, "Console", lambda **_: types.SimpleNamespace(is_jupyter=True, is_terminal=False))
    return handle


def test_a_notebook_is_told_what_is_going_on_the_time_left_and_the_cost(notebook: Handle, clock: list[float]) -> None:
    with following.watching("auto") as watcher:
        watcher.begin(Path("runs/x"), 200)
        watcher.paying(lambda: Decimal("0.0123"))
        watcher.unit("<b>mine</b>", "memfail/long-hop")
        clock[0] = 30.0
        watcher.step(50)
        watcher.step(1)  # too soon after the last
        clock[0] = 31.0
        watcher.answering("openai/m")
    assert notebook.shown == [
        '<div><progress value="0.0000" style="width:14em"></progress> starting, 0 of 200</div>',
        '<div><progress value="0.2500" style="width:14em"></progress> &lt;b&gt;mine&lt;/b&gt; · memfail/long-hop, '
        "50 of 200, 1:30 left, $0.0123</div>",
        '<div><progress value="0.2550" style="width:14em"></progress> openai/m answers, 51 of 200, 1:31 left, '
        "$0.0123</div>",
        "",
    ]


def test_a_stopped_notebook_says_how_to_go_on(notebook: Handle) -> None:
    def interrupted() -> None:
        with following.watching("auto") as watcher:
            watcher.begin(Path("runs/x"), 200)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "memtriage.resume(&#x27;runs/x&#x27;) goes on" in notebook.shown[-1]


class Paid(Watcher):
    spent = staticmethod(Decimal)

    def paying(self, spent: Any) -> None:
        self.spent = spent


def test_watchers_hear_what_was_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "cache.db"))
    prices = {name: {"input": 100, "output": 100} for name in ("reader", "judge", "other")}
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(tmp_path / "prices.json"))
    with StubServer(content) as server:
        watcher = Paid()
        run = memtriage.run("bm25", **SMALL, out=tmp_path / "run", answer=f"{server.url}#reader", watcher=watcher)
        assert run.cost is not None
        before = run.cost["total"]["dollars"]
        assert float(watcher.spent()) == before > 0
        again = Paid()
        judged = memtriage.judge(run.path, f"{server.url}#judge", answer=f"{server.url}#other", watcher=again)
        assert judged.cost is not None
        assert float(again.spent()) == judged.cost["total"]["dollars"] > before


# ------------------------------------------------------------------ one function for each command


def test_compare_says_what_the_command_says(runs: tuple[api.Run, api.Run], cli: Cli) -> None:
    found = memtriage.compare(runs[1], runs[1].path, systems=("none", "bm25"))
    said = json.loads(cli("compare", str(runs[1].path), str(runs[1].path), "--systems", "none,bm25", "--json").out)
    assert [cell["difference"] for cell in said["cells"]] == [cell.difference for cell in found.cells]
    assert len(said["flips"]) == len(found.flips) > 0
    assert list(said) == ["schema", "cells", "flips", "only_a", "only_b", "judged_otherwise"]
    assert (found.names, found.judged_otherwise) == (("none", "bm25"), ())
    assert "A = none    B = bm25" in found._repr_html_()
    printed = cli("compare", str(runs[0].path), str(runs[1].path)).out
    assert f"A = {runs[0].path}    B = {runs[1].path}" in printed


class Empty:
    """Keeps nothing, and doesn't say so."""

    def store_conversation(self, conversation: Any) -> None: ...

    def retrieve_memories(self, query: str, conversation: Any, k: int) -> list[str]:
        return []

    def get_all_memories(self) -> list[str]:
        return []


def test_check_takes_an_object_a_class_or_a_name_and_finds_what_the_command_finds(cli: Cli) -> None:
    good = memtriage.check("bm25", sessions=4)
    assert good.fits
    said = json.loads(cli("check", "bm25", "--sessions", "4", "--json").out)
    fixed = [(check["outcome"], check["what"]) for check in said["checks"]]
    assert fixed == [(check.outcome, check.what) for check in good.checks]
    bad = memtriage.check(Empty, sessions=4)
    assert not bad.fits
    assert [check.what for check in bad.checks if check.outcome == "problem"] == ["shows its store"]
    assert not memtriage.check(Empty(), sessions=4).fits
    assert "Empty does not fit yet: 1 problem" in bad._repr_html_()
    with pytest.raises(BadInput, match="sessions must be at least 3"):
        memtriage.check("bm25", sessions=2)
    with pytest.raises(BadInput, match="did you mean 'bm25'"):
        memtriage.check("bm26")
    with pytest.raises(BadInput, match="internal"):
        memtriage.check("bm25", internal="openai/x")


TRACE: dict[str, Any] = {
    "question": "Where is the kettle?",
    "gold": "attic",
    "facts": ["Odo keeps the kettle in the attic."],
    "all_memories": ["Odo keeps the kettle in the attic.", "Ines rows."],
    "retrieved": ["Ines rows."],
    "system": "theirs",
}


def test_diagnose_takes_lines_or_a_file_and_finds_what_the_command_finds(cli: Cli, place: Place) -> None:
    lost = {**TRACE, "probe": "a"}
    found_it = {**TRACE, "probe": "b", "retrieved": TRACE["all_memories"]}
    found = memtriage.diagnose([lost, found_it])
    assert [verdict.verdict for verdict in found.verdicts] == ["not_retrieved", "correct"]
    place.write("traces.jsonl", "".join(json.dumps(line) + "\n" for line in (lost, found_it)))
    said = cli("diagnose", "traces.jsonl", "--json", "--out", "cli")
    assert json.loads(said.out)["rows"] == json.loads(json.dumps(found.table()))
    again = memtriage.diagnose("traces.jsonl", out="python")
    assert again.written == (Path("python/verdicts.jsonl"), Path("python/report.html"))
    assert Path("python/verdicts.jsonl").read_bytes() == Path("cli/verdicts.jsonl").read_bytes()
    assert list(again.to_pandas("facts").verdict) == ["not_retrieved", "correct"]
    assert again.to_polars().height == 2
    page = again._repr_html_()
    assert ">theirs</td>" in page
    assert page.count("<svg") == 2  # each at the k that it was asked with
    with pytest.raises(BadInput, match=r"^traces, line 2: probe is missing"):
        memtriage.diagnose([lost, TRACE])
    with pytest.raises(BadInput, match="only a run has the table 'calls'; traces of another tool have probes, facts"):
        again.to_pandas("calls")


def test_diagnose_has_the_options_of_the_command(cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a parameter, and the command has none of its own but for how things are printed."""
    printing = {"by", "verdict", "limit", "quiet", "as_json", "dry_run", "gold_template"}
    limits = {"max_cost", "max_errors", "patience", "concurrency", "cache", "no_cache"}
    command = set(inspect.signature(cli_diagnose.diagnose).parameters) - printing - limits
    taken = set(inspect.signature(api.diagnose).parameters) | set(api.TraceOptions.__annotations__)
    assert command - {"source"} == taken - {"limits", "progress", "watcher", "reading", "format"}
    telemetry = str(ROOT / "tests/imports/otel.jsonl")
    found = memtriage.diagnose(telemetry, format="otel")
    said = cli("diagnose", telemetry, "--from", "otel", "--json")
    assert json.loads(said.out)["rows"] == json.loads(json.dumps(found.table()))
    assert said.err == "".join(f"note: {note}\n" for note in found.notes)
    for wrong, message in [
        ({"format": "otle"}, "did you mean 'otel'"),
        ({"formt": "otel"}, "unknown option 'formt'; did you mean 'format'"),
        ({"paper_exact": True}, "is about a judge"),
    ]:
        with pytest.raises(BadInput, match=message):
            memtriage.diagnose(telemetry, **wrong)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"absent\.jsonl"):
        memtriage.diagnose("absent.jsonl")


def test_a_judge_decides_traces_and_is_estimated_and_paid_from_python(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", "cache.db")
    reworded = {**TRACE, "probe": "a", "all_memories": ["Up in the attic is where Odo's kettle lives now."]}
    with StubServer(content) as server:
        judge = f"{server.url}#judge"
        estimate = api.estimate_diagnosis([reworded], judge)
        found = memtriage.diagnose([reworded], judge=judge, out="found")
    assert estimate.high.calls >= 1
    assert found.cost is not None
    assert found.cost["total"]["calls"] >= 1
    assert Path("found/cost.json") in found.written


def test_the_room_of_the_same_name_can_be_called_too() -> None:
    from memtriage.diagnose import stages

    assert memtriage.diagnose.stages is stages  # type: ignore[attr-defined]
    assert inspect.signature(memtriage.diagnose) == inspect.signature(api.diagnose)


def test_results_show_themselves(runs: tuple[api.Run, api.Run], tmp_path: Path) -> None:
    gate = memtriage.gate(runs[1], runs[0], shared=True)
    assert not gate.failed
    assert "not worse" in gate._repr_html_()
    assert "memory that was run" in memtriage.mix(runs[1])._repr_html_()
    swept = memtriage.sweep("bm25", **SMALL, vary={"granularity": ["turn", "sentence"]}, out=tmp_path / "sweep")
    assert "sentence" in swept._repr_html_()
    assert len(list(swept.runs())) == 2
    estimate = memtriage.dry_run("bm25", **SMALL, answer="openai/gpt-5-mini")
    page = estimate._repr_html_()
    assert "gpt-5-mini" in page
    assert "<script" not in page
    assert repr(runs[0]) == f"<Run {runs[0].path}: bm25, none on memfail/coexisting, memfail/long-hop>"


def test_what_is_printed_of_a_result_is_one_line(runs: tuple[api.Run, api.Run]) -> None:
    compared = memtriage.compare(runs[0], runs[1])
    told = (
        f"B better on 0 of {len(compared.cells)} tests, worse on 0; {len(compared.flips)} of {compared.paired} probes"
    )
    assert repr(compared) == f"<Comparison of A, {runs[0].path}, with B, {runs[1].path}: {told} differ>"
    gate = memtriage.gate(runs[1], runs[0], shared=True)
    assert repr(gate).startswith(f"<Gate {runs[1].path} against {runs[0].path}: passed: ")
    line = {"probe": "p", "question": "Who rows?", "facts": ["Nell rows."], "retrieved": ["Nell rows."]}
    assert repr(memtriage.diagnose([line])) == "<Diagnosis of traces.jsonl: 1 verdict (1 correct)>"


@pytest.mark.parametrize("function", ["run", "dry_run"])
def test_a_setting_that_is_none_is_named_with_the_nearest(function: str) -> None:
    with pytest.raises(TypeError, match=rf"^memtriage\.{function}: unknown setting 'sed'; did you mean 'seed'\?"):
        getattr(memtriage, function)("bm25", sed=1)


@pytest.mark.parametrize("rows", [0, -1, "5", 2.5])
def test_rows_that_are_no_number_from_1_on_are_refused(rows: Any) -> None:
    with pytest.raises(BadInput, match="rows must be a whole number from 1 on, not"):
        memtriage.run("bm25", rows=rows)


def test_settings_are_typed_as_they_are_taken() -> None:
    taken = inspect.signature(RunConfig.of).parameters
    assert set(RunSettings.__annotations__) == set(taken) - {"systems"}
    for name, annotation in RunSettings.__annotations__.items():
        assert annotation.__forward_arg__ == taken[name].annotation, name


def test_every_public_name_is_there_and_documented_and_comes_late() -> None:
    source = (
        "import sys, memtriage\n"
        "assert not {'memtriage.api', 'numpy', 'rich', 'pydantic'} & set(sys.modules)\n"
        "assert set(memtriage.__all__) <= set(dir(memtriage))\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in memtriage.__all__:
        assert callable(getattr(memtriage, name)), name
        assert getattr(memtriage, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        memtriage.nothing  # noqa: B018
