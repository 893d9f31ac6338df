"""Whatever is wrong with the input: one message that says what and where, exit 1 or 2, and no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Place

RUN = ("run", "--suite", "tiny/end", "--system", "none")

ARGUMENTS: dict[tuple[str, ...], tuple[int, str]] = {
    ("--k", "0"): (1, "at least 1"),
    ("--k", "-3"): (1, "at least 1"),
    ("--k", "x"): (1, "'x' is not a list of whole numbers"),
    ("--k", "5;10"): (1, "5,10,20"),
    ("--k", ""): (1, "no k"),
    ("--k", "1.5"): (1, "whole numbers"),
    ("--rows", "0"): (2, "--rows"),
    ("--rows", "many"): (2, "--rows"),
    ("--seed", "x"): (2, "--seed"),
    ("--looks", "-1"): (2, "--looks"),
    ("--answer", "sytem"): (1, "did you mean 'system'"),
    ("--answer", "system"): (1, "no answer()"),
    ("--option", "big"): (1, "name=value"),
    ("--option", "large=3"): (1, "large"),
    ("--sytem", "bm25"): (2, "--sytem"),
    ("--system", "none"): (1, "twice"),
    ("--out", "/dev/null"): (1, "/dev/null"),
    ("--out", "/proc/nowhere/run"): (1, "/proc/nowhere"),
}


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
def test_a_wrong_argument_is_reported(place: Place, cli: Cli, arguments: tuple[str, ...]) -> None:
    code, said = ARGUMENTS[arguments]
    assert said in cli(*RUN, *arguments, code=code).err
    assert not list(place.path.glob("runs/*/run.json"))


def test_the_options_of_memfail_are_checked(cli: Cli) -> None:
    run = ("run", "--suite", "memfail/conditional-easy", "--system", "none", "--rows", "2", "--option")
    assert "did you mean 'facts_per_conversation'" in cli(*run, "facts_per_conversaton=2", code=1).err
    assert "'0'" in cli(*run, "facts_per_conversation=0", code=1).err
    assert "'two'" in cli(*run, "facts_per_conversation=two", code=1).err


@pytest.mark.parametrize("command", ["show", "resume", "report"])
@pytest.mark.parametrize("path", ["nowhere", ".", "tiny_suite.py", "\udcff"])
def test_what_is_no_run_is_reported(place: Place, command: str, path: str) -> None:
    said = "is not a run directory" if (place.path / path).exists() else "is not there; name the folder of a run"
    assert said in place.cli(command, path, code=1).err


@pytest.mark.parametrize(("content", "why"), [("", "it is empty"), ("{", "it is no JSON: "), ("\ufffd\x00", "no JSON")])
@pytest.mark.parametrize("command", ["show", "verify"])
def test_a_broken_manifest_is_named_with_what_to_do(
    place: Place, cli: Cli, command: str, content: str, why: str
) -> None:
    (place.path / "run").mkdir()
    place.write("run/run.json", content)
    said = cli(command, "run", code=1)
    assert why in said.out + said.err
    assert "put the file back from a copy, or run again" in " ".join((said.out + said.err).split())


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "null", '{"format": "memtriage.run/1"}', "\ufffd\x00"])
@pytest.mark.parametrize("command", ["show", "resume"])
def test_a_manifest_that_cannot_be_read_is_reported(place: Place, cli: Cli, command: str, content: str) -> None:
    (place.path / "run").mkdir()
    place.write("run/run.json", content)
    assert "run.json" in cli(command, "run", code=1).err


def test_verdicts_that_cannot_be_read_are_reported(place: Place, cli: Cli) -> None:
    cli(*RUN, "--rows", "4", "--out", "run", "-q")
    for content in ('{"verdict": "correct"}\n', "[]\n", "{\n", "\n"):
        place.write("run/verdicts.jsonl", content)
        assert "verdicts.jsonl" in cli("show", "run", code=1).err
        assert "verdicts.jsonl" in cli("compare", "run", "run", code=1).err


# Data


def test_data_that_is_not_there_is_reported(place: Place, cli: Cli) -> None:
    run = ("run", "--suite", "memfail/conditional-easy", "--system", "none", "--data")
    assert "nowhere" in cli(*run, "nowhere", code=1).err
    (place.path / "empty").mkdir()
    assert "empty" in cli(*run, "empty", code=1).err
    assert "nowhere" in cli("data", "validate", "nowhere", code=1).err
    assert "empty" in cli("data", "validate", "empty", code=1).err


def broken(place: Place, cli: Cli, change: object) -> Path:
    cli("data", "generate", "memfail/conditional-easy", "--out", "data", "--rows", "3", "-q")
    (table,) = place.path.glob("data/**/*.csv")
    assert callable(change)
    table.write_bytes(change(table.read_bytes()))
    return table


BROKEN = {
    "a missing column": lambda raw: raw.replace(b"question", b"questoin", 1),
    "a cut row": lambda raw: raw.rstrip() + b'\n"1","2"\n',
    "latin-1": lambda raw: raw + "é".encode("latin-1"),
    "a NUL": lambda raw: raw + b"\0\n",
    "an open quote": lambda raw: raw + b'"open\n',
    "nothing": lambda raw: b"",
    "only the heading": lambda raw: raw.splitlines(keepends=True)[0],
    "binary": lambda raw: bytes(range(256)) * 10,
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_table_is_reported_with_its_file(place: Place, cli: Cli, how: str) -> None:
    table = broken(place, cli, BROKEN[how])
    told = cli("run", "--suite", "memfail/conditional-easy", "--system", "none", "--data", "data", code=1)
    assert table.name in told.err or how == "only the heading"
    assert cli("data", "validate", "data", code=1).err


def test_a_broken_row_is_reported_with_its_number(place: Place, cli: Cli) -> None:
    broken(place, cli, BROKEN["a cut row"])
    told = cli("run", "--suite", "memfail/conditional-easy", "--system", "none", "--data", "data", code=1).err
    assert "row 4" in told or "row 5" in told or "line 5" in told


@pytest.mark.parametrize("command", [("data", "generate", "tiny", "--out", "x"), ("data", "pull", "tiny")])
def test_a_suite_without_data_files_says_so(cli: Cli, command: tuple[str, ...]) -> None:
    assert "tiny" in cli(*command, code=1).err


def test_data_cannot_be_written_over_a_file(place: Place, cli: Cli) -> None:
    place.write("taken", "")
    told = cli("data", "generate", "memfail/conditional-easy", "--rows", "2", "--out", "taken", "-q", code=1)
    assert "taken" in told.err


# Traces


FACT = {"text": "Nora naps.", "details": ["naps"]}
LINE: dict[str, Any] = {"probe": "q", "question": "?", "facts": [FACT], "retrieved": []}
TRACES = {
    b"": "no traces",
    b"\n\n": "no traces",
    b"\xff\xfe\n": "UTF-16, not UTF-8",
    b"not json\n": "line 1: not JSON",
    b"[]\n": "line 1: a line must be a JSON object",
    b"{}\n": "line 1: probe",
    json.dumps({**LINE, "qestion": 1}).encode(): "line 1: qestion",
    json.dumps({**LINE, "facts": []}).encode(): "line 1: facts",
    json.dumps({**LINE, "facts": [{"text": " "}]}).encode(): "no text",
    json.dumps({**LINE, "store": "s"}).encode(): "store 's' is not defined",
    json.dumps({**LINE, "k": 0}).encode(): "line 1: k",
    json.dumps({**LINE, "sufficient": [["9"]]}).encode(): "'9'",
    (json.dumps(LINE) + "\n" + json.dumps(LINE)).encode(): "line 2: probe 'q'",
    b"[" * 100_000: "line 1",
    b'{"probe": ' + b"9" * 5000 + b"}": "line 1",
}


@pytest.mark.parametrize("content", TRACES, ids=lambda content: repr(content[:20]))
def test_traces_that_cannot_be_read_are_reported_with_their_line(place: Place, cli: Cli, content: bytes) -> None:
    (place.path / "traces.jsonl").write_bytes(content)
    told = cli("diagnose", "traces.jsonl", code=1).err
    assert TRACES[content] in told
    assert len(told) < 2000


def test_traces_that_are_not_there_are_reported(place: Place, cli: Cli) -> None:
    assert "nowhere.jsonl" in cli("diagnose", "nowhere.jsonl", code=1).err
    assert "can't be read" in cli("diagnose", ".", code=1).err
    place.write("traces.jsonl", json.dumps(LINE))
    place.write("taken", "")
    assert "taken" in cli("diagnose", "traces.jsonl", "--out", "taken", code=1).err


def test_hostile_traces_are_shown_as_they_are(place: Place, cli: Cli) -> None:
    odd = "<b>\x1b[31m\x00 \u202e"
    line = {**LINE, "probe": odd, "question": odd, "all_memories": [odd], "retrieved": [odd], "answer": odd}
    line |= {
        "tags": {"t": odd},
        "system": odd,
        "task": odd,
        "gold": odd,
        "facts": [{"text": f"{odd} x", "subject": odd}],
    }
    place.write("traces.jsonl", json.dumps(line))
    for by in ("task", "probe", "fact", "t"):
        assert "\x1b" not in cli("diagnose", "traces.jsonl", "--by", by).out
        cli("diagnose", "traces.jsonl", "--by", by, "--json")
    cli("diagnose", "traces.jsonl", "--out", "found")


def test_a_file_name_that_is_not_unicode_is_no_obstacle(place: Place, cli: Cli) -> None:
    ran = place.cli(*RUN, "--rows", "4", "--out", "run-\udcff")
    assert "run-" in ran.out
    place.cli("show", "run-\udcff")
    place.cli("resume", "run-\udcff")
