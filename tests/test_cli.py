"""Every command of the command line on small, real runs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Child, Cli, Place, shared_data, warm
from memtriage.cli.app import Commands
from memtriage.tables.table import SCHEMA

COLUMNS = (
    "suite task system k depth n correct not_stored summary_error not_retrieved reasoning_error uncertain na error "
    "success low high tokens_per_memory context_tokens answered accuracy accuracy_low accuracy_high credit "
    "right_without_evidence items"
).split()

COMMANDS = [name for names in Commands.groups.values() for name in names]

RUN = ("run", "--suite", "tiny/end", "--rows", "12", "--k", "1,3", "--no-report")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Two finished runs, of two systems and of one."""
    place = Place(tmp_path_factory.mktemp("runs"))
    sys.path.insert(0, str(place.path))
    try:
        place.cli(*RUN, "-q", "--system", "mems.py:Keeps", "--system", "none", "--out", "both")
        place.cli(*RUN, "-q", "--system", "echo", "--out", "echo")
    finally:
        sys.path.remove(str(place.path))
    return place


@pytest.fixture
def on(runs: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line in the folder of the two runs."""
    monkeypatch.chdir(runs.path)
    return cli


# run


def test_a_run_prints_its_table_and_where_it_is(place: Place, cli: Cli) -> None:
    ran = cli("run", "--suite", "tiny/end", "--rows", "6", "--k", "1", "--system", "mems.py:Keeps")
    (path,) = (place.path / "runs").iterdir()
    assert "mems.py:Keeps" in ran.out
    assert f"runs/{path.name}" in ran.out
    assert ran.err == ""
    assert (path / "report.html").stat().st_size > 1000


def test_json_of_a_run_is_the_table_and_nothing_else(place: Place, cli: Cli) -> None:
    ran = cli(*RUN, "--system", "mems.py:Keeps", "--json")
    check_table(json.loads(ran.out))
    assert ran.err == ""


def test_what_a_system_prints_does_not_mix_with_the_result(place: Place, cli: Cli) -> None:
    body = "    def store_conversation(self, c):\n        print('working')\n        super().store_conversation(c)\n"
    place.write("loud.py", f"from mems import Keeps\n\n\nclass Loud(Keeps):\n{body}")
    ran = cli(*RUN, "--system", "loud.py:Loud", "--json")
    check_table(json.loads(ran.out))
    assert ran.err.count("working") == 12


def test_two_runs_at_once_get_two_directories(place: Place) -> None:
    children = [place.start(*RUN, "--system", "none", "-q") for _ in range(3)]
    assert [child.ended().code for child in children] == [0, 0, 0]
    assert len(list((place.path / "runs").iterdir())) == 3


def check_table(found: Any) -> None:
    assert found["schema"] == SCHEMA["properties"]["schema"]["const"]
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "null": type(None)}
    columns = SCHEMA["properties"]["rows"]["items"]["properties"]
    assert found["rows"]
    for row in found["rows"]:
        assert list(row) == COLUMNS == list(columns)
        for name, value in row.items():
            allowed = columns[name]["type"]
            names = [allowed] if isinstance(allowed, str) else allowed
            assert any(isinstance(value, kinds[kind]) for kind in names), (name, value)


# show


@pytest.mark.parametrize("by", ["task", "system", "k", "probe", "fact", "K", "N", "query"])
def test_show_opens_a_run_in_every_way(on: Cli, by: str) -> None:
    assert "mems.py:Keeps" in on("show", "both", "--by", by, "--limit", "500").out
    rows = list(csv.DictReader(io.StringIO(on("show", "both", "--by", by, "--csv").out)))
    found = json.loads(on("show", "both", "--by", by, "--json").out)
    assert found["schema"].startswith("memtriage.")
    expected = {"probe": 48, "fact": 48, "K": 12, "N": 8}.get(by, 4)
    assert len(rows) == len(found["rows"]) == expected
    if by in ("task", "system", "k"):
        check_table(found)
        assert list(rows[0]) == COLUMNS


def test_show_can_be_narrowed_to_a_verdict(on: Cli) -> None:
    found = json.loads(on("show", "both", "--by", "probe", "--verdict", "not_stored", "--json").out)["rows"]
    assert {(r["system"], r["verdict"]) for r in found} == {("none", "not_stored")}
    for same in ("not stored", "not-stored"):
        assert json.loads(on("show", "both", "--by", "probe", "--verdict", same, "--json").out)["rows"] == found
    assert "did you mean 'not_stored'" in on("show", "both", "--by", "probe", "--verdict", "not_stord", code=1).err
    assert "--by probe" in on("show", "both", "--verdict", "correct", code=1).err


def test_show_of_an_unknown_split_lists_the_known_ones(on: Cli) -> None:
    told = on("show", "both", "--by", "quer", code=1).err
    assert "did you mean 'query'" in told
    assert "probe" in told


def test_show_survives_a_reader_that_leaves_and_a_narrow_locale(runs: Place) -> None:
    main = "from memtriage.cli.main import main; main()"
    command = [sys.executable, "-c", main, "show", "both", "--by", "probe", "--limit", "500"]
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(command, cwd=runs.path, env=runs.env, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert ran.stderr == ""
    narrow = runs.python(main, "show", "both", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (narrow.returncode, narrow.stderr) == (0, "")
    assert "mems.py:Keeps" in narrow.stdout


def test_a_run_that_was_killed_says_how_to_finish_it(place: Place, cli: Cli) -> None:
    place.write("kill.txt", "p3:1")
    place.cli(*RUN, "--system", "mems.py:Counted", "--out", "run", code=-signal.SIGKILL)
    for command in ("show", "report"):
        assert "memtriage resume run" in cli(command, "run", code=1).err
    assert "memtriage resume run" in cli("compare", "run", "run", code=1).err


# report, compare


def test_report_is_written_where_it_is_wanted(on: Cli, tmp_path: Path) -> None:
    page = tmp_path / "deep" / "page.html"
    assert on("report", "both", "--out", str(page)).out.strip() == str(page)
    assert "mems.py:Keeps" in page.read_text()
    assert "/dev/null" in on("report", "both", "--out", "/dev/null/page.html", code=1).err


def test_a_run_does_not_differ_from_itself(on: Cli) -> None:
    found = json.loads(on("compare", "both", "both", "--json").out)
    assert {cell["p"] for cell in found["cells"]} == {1.0}
    assert {cell["difference"] for cell in found["cells"]} == {0.0}
    assert not found["flips"]
    assert "none" in on("compare", "both", "both", "--systems", "none,none").out


def test_a_pair_of_systems_is_compared_probe_by_probe(on: Cli) -> None:
    found = json.loads(on("compare", "both", "both", "--systems", "mems.py:Keeps,none", "--json").out)
    assert {(c["k"], c["only_a_right"], c["only_b_right"]) for c in found["cells"]} == {(1, 12, 0), (3, 12, 0)}
    assert {c["p"] for c in found["cells"]} == {2 * 0.5**12}
    assert len(found["flips"]) == 24
    shown = on("compare", "both", "echo", "--systems", "mems.py:Keeps,echo", "--limit", "3").out
    assert "more" in shown


@pytest.mark.parametrize("systems", ["none", ",", "none,", "none,nobody", "nobody,none"])
def test_a_pair_that_is_none_is_refused(on: Cli, systems: str) -> None:
    assert on("compare", "both", "both", "--systems", systems, code=1).err.startswith("error:")


# check, suites, systems


def test_check_tells_whether_a_class_fits(place: Place, cli: Cli) -> None:
    assert "mems.py:Keeps fits" in cli("check", "mems.py:Keeps").out
    found = json.loads(cli("check", "mems.py:Keeps", "--json").out)
    assert {c["outcome"] for c in found["checks"]} == {"ok"}


CHECKED = {
    "Raises": ("def store_conversation(self, c): raise ValueError('no')", "ValueError: no"),
    "Unseen": ("def get_all_memories(self): raise ValueError('no')", "get_all_memories raised"),
    "Once": (
        "def get_all_memories(self):\n        self.n = getattr(self, 'n', 0) + 1\n"
        "        if self.n > 1: raise ValueError('no')\n        return list(self.kept)",
        "get_all_memories raised",
    ),
    "Empty": ("def store_conversation(self, c): pass", "settle()"),
    "Writes": (
        "def retrieve_memories(self, q, c, k):\n        self.kept.append(Memory(q, q))\n        return self.kept[:k]",
        "questions must not write",
    ),
    "Ints": ("def retrieve_memories(self, q, c, k): return [1]", "an int at position 0"),
    "Settles": ("def settle(self): raise ValueError('no')", "ValueError: no"),
}


@pytest.mark.parametrize("name", CHECKED)
def test_check_tells_what_does_not_fit(place: Place, cli: Cli, name: str) -> None:
    body, said = CHECKED[name]
    place.write("bad.py", f"from mems import Keeps, Memory\n\n\nclass {name}(Keeps):\n    {body}\n")
    told = cli("check", f"bad.py:{name}", code=1)
    assert said in told.out
    assert "does not fit" in told.out


def test_suites_and_systems_are_listed(place: Place, cli: Cli) -> None:
    assert "memfail/long-hop" in cli("suites").out
    names = [s["name"] for s in json.loads(cli("suites", "--json").out)]
    assert {"memfail", "tiny"} <= set(names)
    assert "granularity" in cli("systems", "show", "bm25").out
    listed = {s["name"] for s in json.loads(cli("systems", "--json").out)}
    assert {"none", "full-context", "bm25", "dense", "hybrid", "oracle", "gold-facts", "facts", "mem0"} <= listed


# diagnose, calibrate, data


TRACES: list[dict[str, Any]] = [
    {"store": "s", "memories": ["Nora naps below 10 degrees.", {"text": "Nora plays the cello.", "id": "2"}],
     "conversations": ["Nora naps below 10 degrees.", "Nora plays the cello.", "Nora owns a red sailing boat."]},
    {"probe": "q1", "question": "Nap?", "store": "s", "k": 1, "retrieved": ["Nora naps below 10 degrees."],
     "facts": [{"text": "Nora naps below 10 degrees.", "details": ["naps", "below 10 degrees"], "subject": "Nora"}]},
    {"probe": "q2", "question": "Cello?", "store": "s", "k": 1, "retrieved": ["Nora naps below 10 degrees."],
     "facts": [{"text": "Nora plays the cello.", "details": ["plays the cello"], "subject": "Nora"}]},
    {"probe": "q3", "question": "Boat?", "store": "s", "k": 1, "retrieved": [],
     "facts": [{"text": "Nora owns a red sailing boat.", "details": ["red sailing boat"], "subject": "Nora"}]},
]  # fmt: skip


def traces(place: Place, lines: list[dict[str, Any]]) -> str:
    return str(place.write("traces.jsonl", "\n".join(map(json.dumps, lines)) + "\n"))


def test_traces_of_another_harness_get_stage_verdicts(place: Place, cli: Cli) -> None:
    ran = cli("diagnose", traces(place, TRACES), "--by", "probe", "--json", "--out", "found")
    verdicts = {r["probe"]: r["verdict"] for r in json.loads(ran.out)["rows"]}
    assert verdicts == {"q1": "correct", "q2": "not_retrieved", "q3": "not_stored"}
    assert len((place.path / "found" / "verdicts.jsonl").read_text().splitlines()) == 3
    assert (place.path / "found" / "report.html").exists()
    check_table(json.loads(cli("diagnose", traces(place, TRACES), "--json").out))


def test_a_trace_that_could_not_be_asked_ends_with_1(place: Place, cli: Cli) -> None:
    lines = [*TRACES[:3], {**TRACES[3], "error": "timeout"}]
    cli("diagnose", traces(place, lines), code=1)


def test_calibration_is_json_on_demand(place: Place, cli: Cli) -> None:
    found = json.loads(cli("calibrate", "--suite", "tiny/end", "--rows", "12", "--json").out)
    assert found["schema"] == "memtriage.calibration/1"
    assert 0 < found["attributed"] <= found["planted"]
    assert found["clean"] == 12
    assert "Cohen" in cli("calibrate", "--suite", "tiny/end", "--rows", "12").out


def test_a_detector_is_tested_on_rewritten_memories(place: Place, cli: Cli) -> None:
    found = json.loads(cli("calibrate", "--rewritten", "--rows", "20", "--json").out)
    assert found["schema"] == "memtriage.pairs-calibration/1"
    assert found["facts"] == 20
    unseen, seen = found["scores"]
    assert unseen["detector"].endswith("on pairs it never saw")
    assert unseen["strict"]["n"] + seen["strict"]["n"] == found["pairs"] == sum(found["labels"].values())
    shown = cli("calibrate", "--rewritten", "--rows", "20").out
    assert "coverage" in shown
    assert "risk" in shown
    assert "words-only baseline" in shown


def test_an_outside_detector_answers_exported_pairs(place: Place, cli: Cli) -> None:
    assert "pairs" in cli("calibrate", "--rewritten", "--rows", "5", "--export", "pairs.jsonl").out
    asked = [json.loads(line) for line in Path("pairs.jsonl").read_text().splitlines()]
    assert all(question.keys() <= {"id", "fact", "memory", "said"} for question in asked)
    place.write("mine.jsonl", "\n".join(json.dumps({"id": q["id"], "label": "lacks"}) for q in asked))
    ran = cli("calibrate", "--rewritten", "--rows", "5", "--answers", "mine.jsonl", "--json")
    found = json.loads(ran.out)
    [score] = found["scores"]
    assert score["strict"]["coverage"] == 1.0
    assert score["strict"]["wrong"] == found["pairs"] - found["labels"]["lacks"]
    assert "--rewritten" in cli("calibrate", "--answers", "mine.jsonl", code=1).err
    place.write("mine.jsonl", '{"id": "nobody", "label": "lacks"}')
    assert "mine.jsonl, line 1" in cli("calibrate", "--rewritten", "--answers", "mine.jsonl", code=1).err


def test_generated_rows_are_valid_and_can_be_run(place: Place, cli: Cli) -> None:
    made = cli("data", "generate", "memfail/conditional-easy", "--out", "data", "--rows", "6", "--seed", "3", "-q")
    paths = [Path(line) for line in made.out.splitlines()]
    assert all(path.exists() for path in paths)
    cli("data", "generate", "memfail/conditional-easy", "--out", "again", "--rows", "6", "--seed", "3", "-q")
    table = next(path for path in paths if path.suffix == ".csv")
    assert table.read_bytes() == Path("again", *table.parts[1:]).read_bytes()
    assert "6 rows" in cli("data", "validate", "data").out
    suite = ("--suite", "memfail/conditional-easy", "--system", "bm25", "--k", "3", "--seed", "3", "--json")
    fresh = json.loads(cli("run", *suite, "--rows", "6").out)
    assert json.loads(cli("run", *suite, "--data", "data").out) == fresh


def test_released_rows_can_be_run(place: Place, cli: Cli) -> None:
    released = str(shared_data("memfail"))
    ran = cli("run", "--suite", "memfail/long-hop", "--data", released, "--rows", "8", "--system", "echo",
              "--k", "2", "--out", "run", "-q", "--json")  # fmt: skip
    assert json.loads(ran.out)["rows"][0]["n"] == 8
    assert "K = 1" in cli("show", "run", "--by", "K").out


# What nobody should notice


def test_importing_and_help_are_light_open_no_socket_and_list_every_command(place: Place) -> None:
    watch = """
import socket, sys
def refuse(*a, **k): raise SystemExit("a socket was opened")
socket.socket.__init__ = socket.create_connection = socket.getaddrinfo = refuse
import memtriage
heavy = {"numpy", "scipy", "bm25s", "wordllama", "splintr", "pydantic", "rich", "pandas", "jinja2", "rensa"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
import typer.main
before = set(sys.modules)
sys.argv = ["memtriage", "--help"]
from memtriage.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code
loaded = heavy & (set(sys.modules) - before)
assert not loaded, loaded
"""
    ran = place.python(watch)
    assert ran.returncode == 0, ran.stderr
    listed = re.findall(r"^  ([a-z-]+)  ", ran.stdout.partition("\nRun:")[2], re.MULTILINE)
    assert set(listed) == set(COMMANDS)


def test_a_run_opens_no_socket(place: Place) -> None:
    def refuse() -> None:
        import socket

        def never(*_: object, **__: object) -> None:
            raise AssertionError("a socket was opened")

        socket.socket.connect = never  # type: ignore[method-assign]
        socket.create_connection = never  # type: ignore[assignment]

    Child(place.path, (*RUN, "--system", "bm25", "--out", "run", "-q"), before=refuse).ended(0)


def test_an_interrupt_of_any_command_ends_with_130(place: Place) -> None:
    warm()
    place.write("hang.py", "import time\n\nopen('alive.txt', 'w').close()\ntime.sleep(600)\n")
    process = place.start("check", "hang.py:X")
    while not (place.path / "alive.txt").exists():
        assert process.running
    process.kill(signal.SIGINT)
    process.ended(130)


@pytest.mark.parametrize("command", [*COMMANDS, "data generate", "data validate", "data pull", "data stats"])
def test_every_command_has_help(cli: Cli, command: str) -> None:
    assert "Usage" in cli(*command.split(), "--help").out


@pytest.mark.parametrize("command", [["run"], ["sweep"], ["leaks"], ["data", "generate"]])
def test_help_lists_the_options_that_suites_declare(cli: Cli, command: list[str]) -> None:
    text = cli(*command, "--help").out
    assert "Options of suites" in text
    for option in ("--filler", "--sessions", "--length", "--chunk", "--facts-per-conversation"):
        assert option in text


def test_an_option_of_a_suite_needs_a_value_and_a_suite_that_has_it(cli: Cli) -> None:
    assert "--filler needs a value" in cli("run", "--suite", "meme", "--filler", code=2).err
    assert "No such option: --filer" in cli("run", "--suite", "meme", "--filer", "32k", code=2).err
    assert "unknown option of suite memfail 'filler'" in cli("run", "--filler", "32k", "--rows", "1", code=1).err


def test_help_lists_every_view_of_a_run(cli: Cli) -> None:
    from memtriage.report.terminal.show import VIEWS

    text = cli("show", "--help").out
    assert all(f"  {name} " in text for name in VIEWS)
