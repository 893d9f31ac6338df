"""What is printed: no text out of data, memories or models acts on a terminal, a spreadsheet or a JSON reader."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from contextlib import redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from conftest import Cli, Place
from memtriage.core.errors import BadInput, BadRun
from memtriage.diagnose.imported_traces import diagnose_file
from memtriage.report.terminal.machine_readable import csv_cell, csv_text, json_text
from memtriage.report.terminal.progress import RunProgress, fraction_bar
from memtriage.report.terminal.show import VIEWS, show

NASTY = [
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1b[2J\x07\x00\x08\r",
    "\x9b31m\x85\u2028",
    "\u202egnp.exe\u2066\u200b\ufeff",
    "[red]x[/nosuch] [link=http://evil.example]y[/link] [bold",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)\n\r\t+1",
    "\U000e0041\ud800",
]
WORDS = st.sampled_from(NASTY) | st.text(max_size=12)


def acts(text: str) -> set[str]:
    """The characters of an output that do something other than be seen; line ends alone may."""
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\n\u200d"}


def printed(path: Path, by: str, form: str) -> str:
    out = io.StringIO()
    found = diagnose_file(path)
    with redirect_stdout(out):
        show(found, Console(file=out, width=120), by, form=form)  # type: ignore[arg-type]
    return out.getvalue()


@example(*NASTY[:4])
@example(*NASTY[4:])
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(WORDS, WORDS, WORDS, WORDS)
def test_no_text_acts_on_the_terminal_in_any_form(system: str, task: str, question: str, memory: str) -> None:
    line = {
        "probe": f"p{question}", "question": question, "system": f"s{system}", "task": f"t{task}", "k": 1,
        "facts": [f"Nora plays {memory}."], "retrieved": [memory], "all_memories": [memory, "Tea."], "answer": memory,
        "tags": {"hop": memory},
    }  # fmt: skip
    with TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        path.write_text(json.dumps(line) + "\n")
        for by in ("task", "probe", "fact", "store", "hop", "context"):
            assert not acts(printed(path, by, "table")), by
            raw = printed(path, by, "csv")
            assert not acts(raw) - {"\t"}, by
            for cell in (cell for row in csv.reader(io.StringIO(raw)) for cell in row):
                assert cell[:1] not in ("=", "+", "@", "\t", "\r"), by
                assert not cell.startswith("-") or float(cell) < 0, by
            whole = printed(path, by, "json")
            assert not acts(whole), by
            json.loads(whole)


def test_every_view_is_safe(tmp_path: Path) -> None:
    lines = [
        {"probe": text, "question": text, "system": text, "task": text, "k": 2, "facts": [f"Nora plays {text}."],
         "retrieved": [text], "all_memories": [text], "answer": text, "gold": text, "scoring": "contains"}
        for text in NASTY
    ]  # fmt: skip
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    seen = set()
    for by in VIEWS:
        with suppress(BadInput, BadRun):  # a view of what these traces don't have
            assert not acts(printed(path, by, "table")), by
            assert not acts(printed(path, by, "csv")) - {"\t"}, by
            assert not acts(printed(path, by, "json")), by
            seen.add(by)
    assert seen >= {"task", "system", "k", "probe", "fact", "store", "overall", "difference", "outcome", "context"}


@given(st.recursive(st.text() | st.integers() | st.floats(allow_nan=False), lambda some: st.lists(some, max_size=4)))
def test_json_keeps_its_values(value: object) -> None:
    assert json.loads(json_text({"a": value})) == {"a": value}
    assert not acts(json_text({"a": value}))


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_csv_changes_no_harmless_text(text: str) -> None:
    (_, (cell,)) = csv.reader(io.StringIO(csv_text([{"text": text, "more": 1}], ["text"]), newline=""))
    assert cell.removeprefix("'") == text.removeprefix("'") or cell == text


def test_a_formula_is_a_text_and_a_number_a_number() -> None:
    for formula in ("=1+1", "+1", "-1", "@A1", " =1", "\t=1", "\r=1", "\uff1d1"):
        assert str(csv_cell(formula)).startswith("'")
    assert [csv_cell(value) for value in (-0.5, -3, True, None, "a-b", "x=1")] == [-0.5, -3, True, None, "a-b", "x=1"]
    assert csv_text([{"a": "two\nlines", "b": -0.5}]) == 'a,b\n"two\nlines",-0.5\n'


@pytest.mark.parametrize("form", ["", "--json"])
def test_commands_on_a_nasty_memory_print_nothing_that_acts(place: Place, cli: Cli, form: str) -> None:
    place.write(
        "nasty.py",
        f"""
from memtriage import Memory
NASTY = {"".join(NASTY)!r}
class Nasty:
    def __init__(self): self.kept = []
    def notices(self): return [NASTY]
    def store_conversation(self, conversation):
        self.kept.append(Memory(NASTY + str(len(self.kept)), conversation.turns[0].text + NASTY))
    def retrieve_memories(self, query, conversation, k):
        if "3" in conversation.id: raise ValueError(NASTY)
        return self.kept[:k]
    def get_all_memories(self): return self.kept
""",
    )
    run = ("run", "--suite", "tiny/end", "--rows", "6", "--system", "nasty.py:Nasty", "--k", "2", "--out", "run", "-q")
    said = [place.start(*run).ended(), place.start("check", "nasty.py:Nasty", *form.split()).ended()]
    for view in ("probe", "fact", "store"):
        said.append(cli("show", "run", "--by", view, *form.split()))
    for each in said:
        assert not acts(each.out)
        assert not acts(each.err)


def test_a_progress_bar_shows_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    name = "".join(NASTY)
    progress = RunProgress(quiet=False)
    progress.begin(Path("run"), 3)
    progress.unit(name, "episode")
    description = progress._progress.tasks[0].description
    assert not acts(description)
    assert "\\[red]x" in description
    progress.batch(name, news=True)
    said = capsys.readouterr().err
    assert "click" in said
    assert not acts(said)
    with fraction_bar("downloading", quiet=True) as step:
        step(name, 0.5)
