"""Data files of any kind, damaged in any way: one sentence, and never a traceback, a hang or a full memory."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzz
from conftest import Cli, Place
from fuzz import Target, attempt, targets
from memtriage.core.errors import BadInput
from memtriage.host.inputs import BadJson, load_at, loads, open_input, read_input, read_text
from memtriage.suites.kit.dates import parse_date

READERS: dict[str, tuple[str, ...]] = {
    "memfail": ("data", "validate", "{}", "--suite", "memfail"),
    "meme": ("data", "validate", "{}", "--suite", "meme"),
    "longmemeval": ("data", "validate", "{}", "--suite", "longmemeval"),
    "contexts": ("data", "validate", "{}", "--suite", "memoryagentbench"),
    "parquet": ("run", "--suite", "memoryagentbench/sh-docqa", "--data", "{}", "--system", "none", "--out", "out"),
    "traces": ("diagnose", "{}"),
    "answers": ("score", "longmemeval", "{}", "--data", "{}"),
    "labelled answers": ("agree", "longmemeval", "{}", "--data", "{}"),
    "rules": ("serve-stub", "{}"),
    "mapping": ("check", "http:{}"),
    "pool": ("data", "generate", "meme", "--rows", "1", "--pool", "{}", "--out", "out"),
    "labels": ("calibrate", "--rewritten", "--answers", "{}"),
}
"""Commands that read a file of the user's, by what it holds."""

NAMES = {"contexts": "c.jsonl", "rules": "r.json", "mapping": "m.toml", "memfail": "easy.csv"}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("what", ["pipe", "folder", "link to a device"])
def test_only_plain_files_are_read(cli: Cli, place: Place, kind: str, what: str) -> None:
    path = place.path / "named" / NAMES.get(kind, "file.json")
    path.parent.mkdir()
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link to a device":
            path.symlink_to("/dev/zero")
    said = cli(*(part.format(path) for part in READERS[kind]), code=1)
    assert said.err.strip() or said.out.strip()
    assert len(said.err) < 2000


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize(
    "content",
    [
        b"", b"\n", b"\xef\xbb\xbf", b"\0" * 100, "[{}]".encode("utf-16"), b"[" * 3000 + b"]" * 3000,
        b"[" + b"9" * 5000 + b"]", b'[{"a": NaN, "b": 1e999, "question_id": "\\ud800"}]', b"a," * 200_000, b"PAR1" * 9,
    ],
    ids=["empty", "blank", "mark", "zeros", "utf-16", "brackets", "digits", "numbers", "columns", "parquet"],
)  # fmt: skip
def test_what_is_no_such_file_is_told_in_a_sentence(cli: Cli, place: Place, kind: str, content: bytes) -> None:
    path = place.path / NAMES.get(kind, "file.json")
    path.write_bytes(content)
    said = cli(*(part.format(path) for part in READERS[kind]), code=1)
    assert said.err.strip() or said.out.strip()
    assert len(said.err) + len(said.out) < 20_000


@pytest.mark.parametrize("kind", ["traces", "prices", "meme"])
def test_a_name_that_stands_twice_in_an_object_is_refused(
    cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = place.path / "file.json"
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    match kind:
        case "traces":
            path.write_text('{"probe": "a", "probe": "b", "question": "?", "facts": [], "retrieved": []}\n')
            command = ("diagnose", str(path))
        case "prices":
            path.write_text('{"gpt-5-mini": {"input": 1, "input": 2, "output": 3}}')
            monkeypatch.setenv("MEMTRIAGE_PRICES", str(path))
            command = ("run", "--suite", "tiny/end", "--system", "none", "--answer", "openai/gpt-5-mini", "--dry-run")
        case _:
            path.write_text('[{"episode_id": "a", "episode_id": "b"}]')
            command = ("run", "--suite", "meme", "--data", str(path), "--system", "none")
    assert "stands twice in one object" in cli(*command, code=1).err


def test_a_header_of_a_million_columns_is_refused_at_once(cli: Cli, place: Place) -> None:
    (place.path / "easy.csv").write_bytes(b",".join(b"c%d" % n for n in range(1_000_000)) + b"\n1\n")
    run = ("run", "--suite", "memfail/coexisting", "--data", "easy.csv", "--system", "none")
    assert len(cli(*run, code=1).err) < 1000


def test_numbers_and_names_that_json_does_not_have_are_refused() -> None:
    for text, why in {
        "[NaN]": "NaN is no JSON value",
        "[-Infinity]": "-Infinity is no JSON value",
        "[1e999]": "beyond all bounds",
        "9" * 5000: "thousands of digits",
        "[" * 3000: "nested too deeply",
        '{"a": {"b": 1, "b": 1}}': "'b' stands twice",
        "[1,": "Expecting value",
    }.items():
        with pytest.raises(BadJson, match=why):
            loads(text)
    assert str(loads("[NaN, 1e999]", infinite=True)) == "[nan, inf]"
    assert loads(b"\xef\xbb\xbf[1]") == [1]


LEAVES = st.none() | st.integers() | st.text(max_size=9)


@given(st.recursive(LEAVES, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=9))
def test_json_is_read_as_it_was_written(value: object) -> None:
    text = json.dumps(value)
    assert loads(text) == value
    assert load_at(f"  {text}tail", 2) == (value, 2 + len(text))


@given(st.text(alphabet=st.characters(), max_size=20))
def test_half_a_character_becomes_a_question_mark(text: str) -> None:
    written = json.dumps({text: [text]})  # ascii: halves are spelled as \\ud800
    ((name, (value,)),) = loads(written).items()
    assert name == value == text.encode("utf-8", "replace").decode()
    value.encode()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 10**400, True, -1, 0])
def test_a_number_that_can_be_no_date_is_none(number: float) -> None:
    assert parse_date(number) is None


def test_text_in_another_encoding_is_named(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-32"):
        (tmp_path / "a").write_text("text", encoding=encoding)
        with pytest.raises(BadInput, match=encoding.upper()):
            read_text(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa\nb\xff")
    with pytest.raises(BadInput, match="line 2: byte 6 is not UTF-8"):
        read_text(tmp_path / "a")


def test_a_file_larger_than_can_be_meant_is_refused_before_it_is_held(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(5 << 30)  # sparse: it takes no room
    with pytest.raises(BadInput, match="larger than 1024 MB"):
        read_input(tmp_path / "a")
    with pytest.raises(BadInput, match="can't be read"):
        open_input(tmp_path / "a\0b")


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    return targets(tmp_path_factory.mktemp("good"))


def test_no_damage_to_a_file_ends_in_a_traceback(listed: list[Target], tmp_path: Path) -> None:
    quick = [target for target in listed if target.name != "detector's answers"]
    assert list(fuzz.fuzz(quick, Random(61), 7 * len(quick), tmp_path)) == []


def test_what_fuzzing_found_stays_mended(listed: list[Target], tmp_path: Path) -> None:
    target = {target.name: target for target in listed}
    for name, content in (
        ("prices", b"[" * 3000),
        ("filler pool", b'{"a":' * 3000),
        ("filler pool", fuzz.POOL.replace(b"tea 3.", b"tea \\ud800.")),
        ("run meme", target["run meme"].good.replace(b'"role": "user"', b'"role": "\\ud800"')),
        ("run meme", target["run meme"].good.replace(b'"session_id": "', b'"session_id": "\\ud800')),
        ("run memfail/coexisting", _with_fewer_preferences(target["run memfail/coexisting"].good)),
    ):
        assert attempt(target[name], content, tmp_path) == "", name


def _with_fewer_preferences(good: bytes) -> bytes:
    header, row = csv.reader(io.StringIO(good.decode(), newline=""))
    at = header.index("preferences")
    row[at] = json.dumps(json.loads(row[at])[:1])
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, row])
    return out.getvalue().encode()
