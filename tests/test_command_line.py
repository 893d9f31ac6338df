"""The command line as its users meet it first: version, help, names."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from conftest import Cli, Place
from memtriage.cli.app import Commands
from memtriage.cli.main import app
from memtriage.config import RunConfig
from memtriage.core.verdict import KINDS, VerdictKind, verdict_named
from memtriage.pipeline import size

HALF = """
from mems import Keeps


class Half(Keeps):
    count = 0

    def store_conversation(self, conversation):
        self.count += 1
        if self.count % 2:
            super().store_conversation(conversation)
"""
"""A memory that takes every other conversation."""

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_is_that_of_the_package_with_the_commit_of_a_checkout(cli: Cli) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    commit = r"( \([0-9a-f]{40}(\+changes)?\))?"
    assert re.fullmatch(rf"memtriage {re.escape(version)}{commit}, Python 3\.\d+\.\d+\n", cli("--version").out)


def test_help_lists_every_command_in_a_group_with_a_whole_sentence_in_80_columns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = cli("--help").out
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert {name for names in Commands.groups.values() for name in names} == set(commands)
    assert "..." not in text.replace("[ARGS]...", "")
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    for name, command in commands.items():
        assert f"{name} {command.get_short_help_str(1000)}" in words
    headings = [line.rstrip(":") for line in text.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert headings == ["Options", *Commands.groups]


def test_the_options_of_run_stand_under_headings(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = cli("run", "--help").out
    parts = re.split(r"^(\S.*):$", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert "--system TEXT" in sections["What to test"]
    assert re.search(r"--k TEXT .*\[default: 5,10,20\]", sections["How much"], re.DOTALL)
    assert "--answer TEXT" in sections["Models"]
    assert "--max-cost NUMBER" in sections["Limits and cost"]
    assert "--out PATH" in sections["Output"]
    assert "--filler TEXT" in sections["Options of suites"]
    assert re.findall(r"--[\w-]+", sections["Options"]) == ["--help"]
    assert "<" not in text


def test_a_command_of_few_options_lists_them_without_headings(cli: Cli) -> None:
    text = cli("check", "--help").out
    assert re.findall(r"^(\S.*):$", text, flags=re.MULTILINE) == ["Arguments", "Options"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.column)
def test_a_verdict_goes_by_the_name_that_tables_files_and_pages_show(kind: VerdictKind) -> None:
    names = {kind.verdict, kind.label, kind.column, kind.label.replace(" ", "-"), kind.label.upper()}
    assert {verdict_named(name) for name in names} == {kind.verdict}


def test_plain_words_for_verdicts_are_understood_and_others_are_not() -> None:
    assert verdict_named("mangled") == "summary_error"
    assert verdict_named("misread") == "reasoning_error"
    assert verdict_named("") is verdict_named("mislaid") is None


# systems


def test_the_list_of_systems_fits_80_columns(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli("systems").out.splitlines()
    assert max(map(len, lines)) <= 80
    names = {entry["name"] for entry in json.loads(cli("systems", "--json").out)}
    assert names <= {line.split()[0] for line in lines if line}


def test_everything_about_a_system_is_shown_by_its_name(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = cli("systems", "show", "mem0").out
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    for part in (
        "retrieve similarity",
        "k counts memories, each one fact",
        "needs --internal, --embed",
        "cost calls of the model in --internal",
        "page docs/systems/mem0.md",
        "infer true: a model extracts facts (the default)",
        "· one user per store",
    ):
        assert part in words
    bm25 = " ".join(cli("systems", "show", "bm25").out.split())
    assert "cost no model is asked here built in" in bm25
    assert "k1 1.5 by default" in bm25
    found = json.loads(cli("systems", "show", "full-context", "--json").out)
    assert found["k"].startswith("nothing: it returns as many memories as it likes")
    assert "did you mean 'mem0'?" in cli("systems", "show", "mem", code=1).err


def test_every_system_that_names_a_page_has_one() -> None:
    from memtriage import registry
    from memtriage.report.terminal.one_system import details

    pages = {name: details(name).page for name in registry.registered(registry.SYSTEMS)}
    assert [name for name, page in pages.items() if page and not (ROOT / page).is_file()] == []
    assert pages["facts"] == "docs/systems/native.md"


# The end of a run


def commands_in(text: str) -> list[list[str]]:
    """The commands that a text proposes, as a shell would read them."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("  memtriage ")]


def test_a_small_run_ends_with_its_table_and_commands_that_can_be_pasted(place: Place, cli: Cli) -> None:
    place.write("part ly.py", HALF)
    run = ("run", "--suite", "tiny/end", "--rows", "12", "--k", "1,3", "--system", "part ly.py:Half", "--out", "a run")
    text = cli(*run).out
    assert [line.split()[:2] for line in text.splitlines() if "Half" in line][:2] == [["1", "part"], ["3", "part"]]
    show, explain = commands_in(text)
    assert show[:4] == ["show", "a run", "--by", "probe"]
    assert show[-1] == "not_stored"
    listed = json.loads(cli(*show, "--json").out)["rows"]
    assert {(row["system"], row["k"], row["verdict"]) for row in listed} == {("part ly.py:Half", 3, "not_stored")}
    assert explain[explain.index("--probe") + 1] == listed[0]["probe"]
    assert "not stored" in cli(*explain).out
    assert commands_in(cli("run", *run[1:-1], "b", "-q").out) == []


def test_a_large_run_ends_with_a_row_for_each_system_best_first(place: Place, cli: Cli) -> None:
    place.write("half.py", HALF)
    ks = ",".join(map(str, range(1, 10)))
    run = ("run", "--suite", "tiny", "--rows", "4", "--k", ks, "--system", "half.py:Half", "--system", "none")
    text = cli(*run, "--system", "mems.py:Keeps", "--out", "a", "--no-report").out
    rows = [line.split() for line in text.splitlines() if line.startswith("9 ")]
    assert [row[1] for row in rows] == ["mems.py:Keeps", "half.py:Half", "none"]
    assert "all 2 tasks" in text
    pooled = json.loads(cli("show", "a", "--by", "overall", "--json").out)["rows"]
    shares = {row["system"]: f"{100 * row['success']:.1f}" for row in pooled if row["k"] == 9}
    assert {row[1]: row[2] for row in rows} == shares
    whole, show, explain = commands_in(text)
    assert whole == ["show", "a"]
    assert len(re.findall(r"^ *\d +half\.py:Half ", cli(*whole).out, re.MULTILINE)) == 18
    assert "half.py:Half" in show
    assert "half.py:Half" in cli(*show).out
    assert "half.py:Half" in cli(*explain).out


def test_where_nothing_is_lost_there_is_nothing_to_open(place: Place, cli: Cli) -> None:
    text = cli("run", "--suite", "tiny/end", "--rows", "3", "--k", "9", "--system", "mems.py:Keeps", "--out", "a").out
    assert commands_in(text) == []


def test_probes_can_be_listed_for_one_system_and_k(place: Place, cli: Cli) -> None:
    run = ("run", "--suite", "tiny/end", "--rows", "3", "--k", "1,2", "--system", "echo", "--system", "none")
    cli(*run, "--out", "a", "-q", "--no-report")
    rows = json.loads(cli("show", "a", "--by", "probe", "--system", "none", "--k", "2", "--json").out)["rows"]
    assert [(row["system"], row["k"]) for row in rows] == [("none", 2)] * 3
    assert "did you mean 'echo'?" in cli("show", "a", "--by", "fact", "--system", "ecko", code=1).err
    assert "unknown --k '7'" in cli("show", "a", "--by", "fact", "--k", "7", code=1).err
    assert "go with --by probe or --by fact" in cli("show", "a", "--system", "none", code=1).err


# A run that is too large to be meant

HUGE = ("run", "--suite", "tiny/end", "--rows", "1000000000", "--k", "3", "--system", "bm25", "--no-report", "-q")


class Typed(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_huge_run_says_what_it_takes_and_is_not_started_by_a_script(place: Place, cli: Cli) -> None:
    err = cli(*HUGE, "--system", "facts:internal=offline/x", code=1).err
    found = re.search(
        r"\(1 task, ([\d,]+) questions, 2 systems, 1 k\) takes at least ([\d,]+) \w+ and ([\d,]+) TB", err
    )
    assert found, err
    assert found[1] == "1,000,000,000"
    assert "What facts:internal=offline/x take by themselves was not measured" in err
    assert "nothing was started; ask for less, or add --yes" in err
    assert not Path("runs").exists()


def test_a_huge_run_is_asked_for_at_a_terminal(place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Typed("n\n"))
    err = cli(*HUGE, code=1).err
    assert "start it? [y/N]" in err
    assert "nothing was started" not in err
    assert not Path("runs").exists()


def test_a_run_that_is_large_but_quick_starts_without_asking(place: Place, cli: Cli) -> None:
    text = cli(*HUGE[:4], "201", *HUGE[5:], "--json").out  # the suite has 40 rows
    assert json.loads(text)["rows"][0]["n"] == 201


def test_yes_starts_whatever_is_asked_for(place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtriage.pipeline.size.RunSize.is_large", property(lambda size: True))
    small = (*HUGE[:4], "201", *HUGE[5:], "--out", "a")
    cli(*small, code=1)
    assert not Path("a").exists()
    cli(*small, "--yes")
    assert Path("a/seal.json").exists()


def test_a_long_filler_is_measured_on_a_short_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(size._SIZES, "big", (1_000_000, 5_000))

    def expected(**options: str) -> size.RunSize | None:
        return size.expected_size(RunConfig.of("none", suite="tiny/end", rows=1, k=1, options=options), Path("not/yet"))

    found = expected(big="50m")
    assert found is not None
    # every turn is 50 million characters, and is kept once; that of the sample is 10,000 times shorter
    assert 50e6 < found.bytes < 500e6
    assert found.questions == 1
    assert found.seconds > 0
    assert expected(big="6k") is expected(big="lots") is None


def test_nobody_is_told_to_install_what_no_registry_has() -> None:
    files = [file for folder in ("src", "docs", "examples") for file in (ROOT / folder).rglob("*.*")]
    texts = {file: file.read_text() for file in (*files, ROOT / "README.md") if file.suffix in (".py", ".md", ".toml")}
    assert [str(file) for file, text in texts.items() if re.search(r"pip install\s+[\"']?memtriage\b", text)] == []


def test_every_extra_that_a_message_names_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = [(file, extra) for file in (ROOT / "src").rglob("*.py") for extra in extras_in(file.read_text())]
    assert len(named) > 9
    assert [each for each in named if each[1] not in extras] == []


def extras_in(text: str) -> list[str]:
    return re.findall(r"install_extra\([\"']([\w-]+)[\"']\)", text)


# Completion


def proposed(command: str, parameter: str, word: str) -> list[str]:
    """What a shell would propose for the value of a parameter."""
    found: Any = get_command(app)
    for name in command.split():
        found = found.commands[name]
    param = next(each for each in found.params if each.name == parameter)
    return [item.value for item in param.shell_complete(typer.Context(found), word)]


def test_names_are_completed_as_a_shell_asks_for_it(place: Place) -> None:
    env = {"_MEMTRIAGE_COMPLETE": "complete_bash", "COMP_WORDS": "memtriage run --system hipp", "COMP_CWORD": "3"}
    ran = place.python("import sys; sys.argv = ['memtriage']; from memtriage.cli.main import main; main()", **env)
    assert ran.stdout.split() == ["hipporag", "hipporag-2"]


def test_systems_suites_tasks_views_and_verdicts_are_proposed(place: Place) -> None:
    assert proposed("run", "system", "bm") == proposed("systems show", "name", "bm") == ["bm25"]
    assert proposed("check", "system", "mem0-") == ["mem0-1", "mem0-full"]
    assert proposed("run", "suite", "memf") == ["memfail"]
    assert "memfail/long-hop" in proposed("run", "suite", "memfail/")
    assert proposed("run", "suite", "nothing/") == []
    place.write("my-chats.yaml", "")
    assert proposed("run", "suite", "my") == ["my-chats.yaml"]
    assert proposed("show", "by", "over") == ["overall"]
    assert proposed("show", "verdict", "not_") == ["not_stored", "not_retrieved"]
    assert proposed("systems install", "names", "lett") == ["letta"]
    assert proposed("diagnose", "source", "la") == ["langfuse", "langsmith"]
    assert len(proposed("diagnose", "source", "")) == 7
    assert proposed("diagnose", "verdict", "not_") == ["not_stored", "not_retrieved"]


def test_only_installed_libraries_are_proposed_for_removal(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_HOME", str(place.path / "home"))
    assert proposed("systems remove", "names", "") == []
    from memtriage.systems.libraries import environments

    environments.place("mem0").mkdir(parents=True)
    assert proposed("systems remove", "names", "") == proposed("systems doctor", "names", "me") == ["mem0"]


def test_runs_are_proposed_newest_first_with_folders_that_may_hold_more(place: Place) -> None:
    for age, name in enumerate(("runs/new", "runs/old", "elsewhere/deep/third", "fourth")):
        (place.path / name).mkdir(parents=True)
        (place.path / name / "run.json").write_text("{}")
        os.utime(place.path / name, (1e9 - age, 1e9 - age))
    assert proposed("show", "path", "")[:3] == ["runs/new", "runs/old", "fourth"]
    assert "elsewhere/" in proposed("show", "path", "")
    assert proposed("resume", "path", "runs/o") == ["runs/old"]
    assert proposed("report", "path", "elsewhere/deep/") == ["elsewhere/deep/third"]
    assert proposed("show", "path", "gone/") == []


def test_the_reference_of_commands_is_what_the_commands_say() -> None:
    spec = importlib.util.spec_from_file_location("commands", ROOT / "tools" / "commands.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert (ROOT / "docs" / "commands.md").read_text() == tool.page(), "run: python tools/commands.py"


def test_exit_codes_are_those_that_help_and_the_reference_name(place: Place, cli: Cli) -> None:
    codes = re.findall(r"^\| `(\d+)` \|", (ROOT / "docs" / "commands.md").read_text(), re.MULTILINE)
    assert codes == ["0", "1", "2", "130"]
    text = " ".join(cli("--help").out.split())
    assert "Exit codes: 0 done; 1 bad input" in text
    assert "130 interrupted" in text
    cli("suites", code=0)
    cli("show", "nothing", code=1)
    cli("show", "--nothing", code=2)


def test_commands_that_are_printed_work_when_they_are_pasted(place: Place, cli: Cli) -> None:
    run = "a b/<c>"
    cli("run", "--suite", "memfail/long-hop", "--rows", "2", "--system", "none", "--k", "1", "-q", "--out", run)
    shown = re.search(r'<code id="command"[^>]*>(.*?)</code>', Path(run, "report.html").read_text())
    assert shown is not None
    assert shown[1] == "memtriage run --suite memfail/long-hop --rows 2 --system none --k 1 -q"
    assert cli(*shlex.split(shown[1])[1:]).code == 0

    seal = Path(run, "seal.json").read_bytes()
    Path(run, "seal.json").write_bytes(b"{")
    told = cli("show", run, code=1).err
    assert "make it again with: memtriage verify 'a b/<c>' --rebuild" in told
    Path(run, "seal.json").unlink()
    for command in (["show", run], ["verify", run], ["export", run, "--csv", "tables"]):
        assert "finish it with: memtriage resume 'a b/<c>'" in cli(*command, code=1).err
    Path(run, "seal.json").write_bytes(seal)
    told = cli("run", "--suite", "memfail/long-hop", "--system", "none", "--k", "1", "--out", run, code=1).err
    assert "continue it with `memtriage resume 'a b/<c>'`" in told
