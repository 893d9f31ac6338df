"""`memtriage run -c run.toml`: options from a file, and the file that every run leaves."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli, Place
from memtriage import api
from memtriage.config import Limits, RunConfig

RUN = ("run", "--suite", "tiny/end", "--rows", "4", "--k", "1", "--context-tokens", "30", "-q", "--no-report")


def verdicts(path: str) -> list[dict[str, Any]]:
    """The verdicts of a run, without what the clock says."""
    lines = Path(path, "verdicts.jsonl").read_text().splitlines()
    return [{**json.loads(line), "seconds": None, "seal": None} for line in lines]


def test_a_run_is_repeated_by_the_file_it_leaves(place: Place, cli: Cli) -> None:
    systems = ("--system", "mems.py:Keeps", "--system", "echo:granularity=turn")
    cli(*RUN, *systems, "--big", "3", "--seed", "0", "--looks", "0", "--max-errors", "7", "--out", "a")
    again = cli("run", "-c", "a/run.toml", "--out", "b", "-q", "--no-report")
    assert verdicts("a") == verdicts("b")
    before, after = (json.loads(Path(run, "run.json").read_text()) for run in "ab")
    for key in ("suites", "seed", "rows", "options", "ks", "looks", "grading", "models"):
        assert before[key] == after[key]
    assert Path("a/run.toml").read_text() == Path("b/run.toml").read_text()
    assert again.err.startswith("a/run.toml says to\n  import and run mems.py:Keeps\n")
    assert tomllib.loads(Path("a/run.toml").read_text()) == {
        "suite": ["tiny/end"],
        "system": ["mems.py:Keeps", "echo:granularity=turn"],
        "k": ["30 tokens", 1],
        "seed": 0,
        "rows": 4,
        "looks": 0,
        "max_errors": 7,
        "option": {"big": "3"},
    }


def test_the_command_line_comes_before_the_file(place: Place, cli: Cli) -> None:
    place.write(
        "my.toml", 'suite = "tiny/end"\nsystem = ["echo", "none"]\nk = [1, 2]\nquestions = 9\n[option]\nbig = 2\n'
    )
    cli("run", "-c", "my.toml", "--system", "echo", "--rows", "3", "--big", "5", "--out", "a", "-q", "--no-report")
    manifest = json.loads(Path("a/run.json").read_text())
    assert [system["label"] for system in manifest["systems"]] == ["echo"]
    assert (manifest["rows"], manifest["ks"], manifest["options"]) == (3, [1, 2], {"big": "5"})


def test_the_settings_are_sealed_with_the_run_and_old_runs_have_none(place: Place, cli: Cli) -> None:
    cli(*RUN, "--system", "echo", "--out", "a")
    assert "run.toml" in json.loads(Path("a/seal.json").read_text())["files"]
    Path("a/run.toml").write_text('system = ["proc:evil"]\n')
    found = cli("verify", "a", code=1)
    assert "a/run.toml is damaged" in found.out + found.err
    for name in ("run.toml", "seal.json"):
        Path("a", name).unlink()
    cli("resume", "a", "-q", "--no-report")
    assert "a: unchanged" in cli("verify", "a").out
    assert "run.toml" not in json.loads(Path("a/seal.json").read_text())["files"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rows = ", "no TOML: Invalid value (at line 1, column 8)"),
        ('rows = "3"', "rows must be a whole number, not '3'"),
        ("rows = 0", "rows: Input should be greater than or equal to 1"),
        ("seed = true", "seed must be a whole number, not True"),
        ("max_cost = [1]", "max_cost must be a number, not [1]"),
        ("paper-exact = 1", "paper_exact must be true or false, not 1"),
        ("k = [[1]]", "k must be a list of texts, not [[1]]"),
        ("judge = {a = 1}", "judge must be a text, not {'a': 1}"),
        ('patience = "soon"', "patience: 'soon' is not a length of time"),
        ('sytem = ["bm25"]', "unknown key 'sytem'; did you mean 'system'?"),
        ('config = "other.toml"', "unknown key 'config'"),
        ("yes = true", "unknown key 'yes'"),
        ('"\\u001b[2J<b>" = 1', r"unknown key '\x1b[2J<b>'"),
        ('filler = "32k"', "'filler' is an option of a suite; put it below a line [option]"),
        ('option = "filler=1"', 'option must be a table, as in [option] and below it filler = "32k"'),
        ("[option]\nfiller = [1]", "option.filler must be a text or a number, not [1]"),
        ('answer = "http://me:***@host/v1#m"', "give it as --answer"),
        ("a = " + "[" * 3000, "no TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(place: Place, cli: Cli, text: str, told: str) -> None:
    place.write("my.toml", text + "\n")
    err = cli("run", "-c", "my.toml", code=2).err
    assert told in err.partition("Error: my.toml")[2]
    assert "\x1b" not in err
    assert not Path("runs").exists()


def test_a_file_that_is_none_is_said_so(place: Place, cli: Cli) -> None:
    assert "gone.toml can't be read: No such file" in cli("run", "-c", "gone.toml", code=2).err
    cli(*RUN, "--system", "echo", "--out", "a")
    assert "a is a folder, not a TOML file; did you mean a/run.toml?" in cli("run", "-c", "a", code=2).err
    Path("binary.toml").write_bytes(b"\xff\xfe\x00")
    assert "binary.toml is UTF-16" in cli("run", "-c", "binary.toml", code=2).err


def test_a_file_says_what_it_starts_before_it_does(place: Place, cli: Cli) -> None:
    place.write(
        "theirs.toml",
        'suite = "tiny/end"\nrows = 2\nsystem = ["proc:touch owned \\u001b[2J", "bm25"]\n'
        'judge = "http://127.0.0.1:9/v1#m"\npass_env = ["HOME"]\n',
    )
    err = cli("run", "-c", "theirs.toml", code=1).err
    assert err.startswith(
        "theirs.toml says to\n  run the program $'proc:touch owned \\x1b[2J'\n"
        "  ask for judgements from the model 'http://127.0.0.1:9/v1#m'\n  let its programs see the variable HOME\n"
    )
    quiet = cli("run", "-c", "theirs.toml", "--system", "none", "--judge", "offline/none", "--pass-env", "X", code=None)
    assert "says to" not in quiet.err


def test_a_file_has_no_keys_and_says_what_was_made_in_python(tmp_path: Path) -> None:
    class Mine:
        def store_conversation(self, conversation: object) -> None: ...

        def retrieve_memories(self, query: str, conversation: object, k: int) -> list[str]:
            return []

        def get_all_memories(self) -> list[str]:
            return []

    text = RunConfig.of(Mine, judge="http://me:hush@127.0.0.1/v1#m", limits=Limits(pass_env=("A",))).toml()
    assert "hush" not in text
    assert tomllib.loads(text)["judge"].startswith("http://")
    assert 'my_memory.py:MyMemory): ["Mine"]' in text
    run = api.run(Mine, suite="memfail/long-hop", rows=1, k=1, out=tmp_path / "a")
    assert 'system = ["Mine"]' in (run.path / "run.toml").read_text()


@settings(max_examples=25)
@given(st.dictionaries(st.text(), st.text(), max_size=4), st.text(min_size=1))
def test_any_setting_can_be_written_and_read(options: dict[str, str], data: str) -> None:
    def plain(text: str) -> str:
        return text.encode("utf-8", "replace").decode()

    found = tomllib.loads(RunConfig.of("bm25", options=options, data=data).toml())
    assert found["data"] == plain(str(Path(data)))
    assert found.get("option", {}) == {plain(name): plain(value) for name, value in options.items()}
