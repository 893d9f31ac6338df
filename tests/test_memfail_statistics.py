"""The tables about a suite's data: MemFail's table 2, counted by hand, and held against the paper's own numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli, shared_data
from memtriage.core.suite import Cell, Request
from memtriage.suites.memfail.data import write_dataset
from memtriage.suites.memfail.released.files import csv_path, write_rows
from memtriage.suites.memfail.rows import CoexistingRow, ConditionalRow, LongHopRow, PersonaQuestion, PersonaRow, Row
from memtriage.suites.memfail.statistics import table_2
from memtriage.text.tokens import count_tokens


def rule(entity: str, kind: str, met: str, essay: str) -> ConditionalRow:
    return ConditionalRow(entity, "person", "sings", kind, "in rain", essay, "What to eat?", "rain", met, "Yes.")


def liking(*preferences: str) -> CoexistingRow:
    # "I eat soup." has four tokens, and so has "What to eat?"
    return CoexistingRow(
        " and ".join(preferences),
        preferences,
        tuple(f"I eat {one}." for one in preferences),
        "What to eat?",
        ", ".join(preferences),
    )


def about(name: str, misleading: int) -> PersonaRow:
    asked = [PersonaQuestion("What to eat?", n < misleading, "Bo" if n < misleading else None, "-") for n in range(3)]
    return PersonaRow(name, "I eat soup.", tuple(asked))


def written(tmp_path: Path, dataset: str, rows: list[Row]) -> tuple[Cell | tuple[Cell, ...], ...]:
    write_rows(rows, csv_path(tmp_path, dataset), dataset)
    [line] = table_2([dataset], Request(data=tmp_path)).rows
    return line


def test_a_row_has_the_tokens_of_what_is_told_and_of_what_is_asked(tmp_path: Path) -> None:
    rows: list[Row] = [liking("soup", "rice", "beans"), liking("soup", "rice"), liking("tea", "fish")]
    line = written(tmp_path, "coexisting", rows)
    # Two or three sentences of four tokens, and four of the question; no record beside the file says who made it.
    assert line == ("Coexisting-Facts (N=2/3)", "unknown", (2, 1), (2, 1), (12.0, 16.0), "4/3 facts")


def test_each_dataset_tells_what_is_particular_to_it(tmp_path: Path) -> None:
    rules: list[Row] = [
        rule("Ann", "weather", "yes", "I eat soup."),
        rule("Bea", "weather", "no", "I eat soup."),
        rule("Cid", "mood", "no", "I eat soup."),
    ]
    assert written(tmp_path, "conditional-easy", rules)[2:] == (3, 3, 8.0, "1y / 2n; 2 cond. types")
    people: list[Row] = [about("Ann Low", 2), about("Bea Low", 0)]
    assert written(tmp_path, "persona", people)[2:] == (2, 6, 16.0, "33.3% misleading")
    asked = "What to eat?\n\nOptions:\nA. soup\nB. a\nC. b\nD. c\nE. d"
    chain = LongHopRow("x", 1, ("I eat soup.", "I eat soup!"), ("a", "b", "c"), asked, "soup", tuple("abcde"), "A")
    line = written(tmp_path, "long-hop", [chain])
    assert line[:4] == ("Long-Hop (K=1)", "unknown", (1,), (1,))
    assert line[5] == "2 facts"
    assert line[4] == (8 + count_tokens(asked),)  # with the options, which are asked with the question


def test_the_record_beside_a_file_says_who_made_its_rows(tmp_path: Path) -> None:
    rows = [liking("soup", "rice")]
    write_dataset(rows, tmp_path, "coexisting", 1, 1, 1, 0)
    assert table_2(["coexisting"], Request(data=tmp_path)).rows[0][1] == "memtriage"
    write_dataset(rows, tmp_path, "coexisting", 1, 1, 1, 0, {"model_name": "some-model"})
    assert table_2(["coexisting"], Request(data=tmp_path)).rows[0][1] == "some-model"
    write_rows([liking("tea", "rice")], csv_path(tmp_path, "coexisting"), "coexisting")  # other rows than the record's
    assert table_2(["coexisting"], Request(data=tmp_path)).rows[0][1] == "unknown"
    write_dataset(rows, tmp_path, "coexisting", 1, 1, 1, 0, {"model_name": "some-model"})
    csv_path(tmp_path, "coexisting").with_name("other.json").write_text('{"model": "another"}')
    csv_path(tmp_path, "coexisting").with_name("broken.json").write_text("{")
    assert table_2(["coexisting"], Request(data=tmp_path)).rows[0][1] == "unknown"


PRINTED = {
    "conditional-easy": (130,),
    "conditional-hard": (189,),
    "coexisting": (54, 68, 84, 101),
    "persona": (297,),
    "long-hop": (59, 74, 87),
}


@pytest.mark.parametrize("dataset", PRINTED)
def test_released_rows_come_to_the_papers_tokens(dataset: str) -> None:
    [line] = table_2([dataset], Request(data=shared_data("memfail"))).rows
    found = line[4] if isinstance(line[4], tuple) else (line[4],)
    assert found == pytest.approx(PRINTED[dataset], rel=0.05)  # the paper's are of twice as many rows


def test_the_command_prints_the_table_of_generated_and_of_written_rows(cli: Cli, tmp_path: Path) -> None:
    told = cli("data", "stats", "memfail", "--rows", "3").out
    assert [name in told for name in ("# Graded", "Avg. tok.", "memtriage")] == [True] * 3
    assert "9" in next(line for line in told.splitlines() if line.startswith("Persona")).split()  # three questions each

    cli("data", "generate", "memfail/persona", "--rows", "4", "--seed", "5", "--out", "d", "-q")
    printed = json.loads(cli("data", "stats", "memfail", "--data", "d", "--json").out)
    assert printed["schema"] == "memtriage.data/1"
    assert printed["suite"] == "memfail"
    [table] = printed["tables"]
    assert [row["Dataset"] for row in table["rows"]] == ["Persona-Retrieval"]  # the only file there
    fresh = json.loads(cli("data", "stats", "memfail/persona", "--rows", "4", "--seed", "5", "--json").out)
    assert fresh == printed


def test_what_cant_be_counted_is_said(cli: Cli) -> None:
    assert "nowhere does not exist" in cli("data", "stats", "memfail", "--data", "nowhere", code=1).err
    cli("data", "generate", "memfail/persona", "--rows", "2", "--out", "d", "-q")
    assert "coexisting" in cli("data", "stats", "memfail/coexisting", "--data", "d", code=1).err
    told = cli("data", "stats", "memfail", "--facts-per-conversation", "2", code=1).err
    assert "facts_per_conversation" in told
    assert "suite tiny has no tables about its data" in cli("data", "stats", "tiny", code=1).err
