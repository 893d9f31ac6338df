"""MemFail's CSV files: what is written can be read again, and what is wrong is named with its place."""

from __future__ import annotations

import hashlib
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage.core.errors import BadInput
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.memfail.data import write_dataset
from memtriage.suites.memfail.released.files import (
    csv_path,
    find_files,
    read_rows,
    write_rows,
)
from memtriage.suites.memfail.rows import (
    DATASETS,
    CoexistingRow,
    ConditionalRow,
    LongHopRow,
    PersonaQuestion,
    PersonaRow,
    Row,
)

CONDITIONAL = ConditionalRow(
    entity="Bram",
    entity_category="pet",
    behavior="hides the red sock",
    condition_type="weather",
    condition="when it hails",
    essay="Bram hides the red sock when it hails.\nHe is old.",
    question="It hails. Will Bram hide the red sock?",
    question_context="hail",
    condition_met="yes",
    ground_truth_answer="Yes, it hails.",
)
COEXISTING = CoexistingRow(
    "foods", ("soup", "rice"), ("I eat soup.", 'I like "rice".'), "What for lunch?", "soup, rice"
)
PERSONA = PersonaRow(
    "Ada Moss",
    "Ada Moss collects clocks.",
    (
        PersonaQuestion(
            "What does Ada Moss collect?", False, None, "Clocks.", ("Ada Moss collects clocks.",), ("clocks",)
        ),
        PersonaQuestion("What does Bo Reed eat?", True, "Bo Reed", "I know nothing about Bo Reed."),
    ),
)
LONG_HOP = LongHopRow(
    id="c1",
    hop_count=1,
    facts=("Rain makes me drowsy.", "When drowsy I knit scarves."),
    chain=("rain", "drowsy", "knit scarves"),
    graded_question="What do I do in rain?\n\nOptions:\nA. a\nB. knit scarves\nC. c\nD. d\nE. e",
    ground_truth_answer="knit scarves",
    choices=("a", "knit scarves", "c", "d", "e"),
    correct_choice="B",
)
ROWS: dict[str, Row] = {
    "conditional-easy": CONDITIONAL,
    "conditional-hard": replace(CONDITIONAL, evidence=("Bram hides the red sock",), details=("red sock",)),
    "coexisting": COEXISTING,
    "persona": PERSONA,
    "long-hop": LONG_HOP,
}

# --- round trip ---------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40).filter(str.strip)
several = st.lists(texts, min_size=1, max_size=4).map(tuple)
conditionals = st.builds(
    ConditionalRow,
    *[texts] * 8,
    st.sampled_from(["yes", "no"]),
    texts,
    evidence=st.just(()) | several,
    details=st.just(()) | several,
)
questions = st.builds(PersonaQuestion, texts, st.booleans(), st.none() | texts, texts, st.just(()) | several, several)
chains = st.builds(
    LongHopRow,
    texts,
    st.integers(0, 9),
    st.lists(texts, min_size=1, max_size=7).map(tuple),
    st.lists(texts, min_size=1, max_size=8).map(tuple),
    texts,
    texts,
    st.tuples(*[texts] * 5),
    st.sampled_from("ABCDE"),
)
ANY_ROW: dict[str, st.SearchStrategy[Row]] = {
    "conditional-easy": conditionals,
    "conditional-hard": conditionals,
    "coexisting": st.builds(CoexistingRow, texts, several, several, texts, texts),
    "persona": st.builds(PersonaRow, texts, texts, st.lists(questions, max_size=3).map(tuple)),
    "long-hop": chains,
}
KEYS = {"coexisting": ("preference_category", "question"), "persona": ("entity", "essay"), "long-hop": ("id",)}


@pytest.mark.parametrize("dataset", DATASETS)
def test_any_text_survives_writing_and_reading(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("trip") / "rows.csv"
    key = KEYS.get(dataset, ("entity", "question"))
    many = st.lists(ANY_ROW[dataset], min_size=1, max_size=4, unique_by=lambda r: tuple(getattr(r, k) for k in key))

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(many)
    def there_and_back(rows: list[Row]) -> None:
        write_rows(rows, path, dataset)
        assert read_rows(path, dataset) == rows

    there_and_back()


@pytest.mark.parametrize("dataset", DATASETS)
def test_released_files_are_written_back_byte_for_byte(dataset: str, tmp_path: Path) -> None:
    released = find_files(shared_data("memfail"))[dataset]
    write_rows(read_rows(released, dataset), tmp_path / "copy.csv", dataset)
    assert sha256(tmp_path / "copy.csv") == sha256(released)


def test_a_cell_beyond_the_csv_modules_limit_is_read(tmp_path: Path) -> None:
    long = replace(CONDITIONAL, essay="Bram sleeps. " * 30_000)
    write_rows([long], tmp_path / "a.csv", "conditional-easy")
    assert read_rows(tmp_path / "a.csv", "conditional-easy") == [long]


def test_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    path = written("coexisting", tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\r\n\r\n")
    assert read_rows(path, "coexisting") == [COEXISTING]


# --- finding ------------------------------------------------------------------------------------


def test_files_are_found_in_the_released_layout_and_raw_ones_are_not(tmp_path: Path) -> None:
    for dataset, row in ROWS.items():
        path = csv_path(tmp_path, dataset)
        write_rows([row], path, dataset)
        path.with_name(path.stem + "_raw.csv").write_text("not,this\n1,2\n")
    assert find_files(tmp_path) == {d: csv_path(tmp_path, d) for d in DATASETS}


def test_a_checkout_and_the_folder_of_one_dataset_are_found_too(tmp_path: Path) -> None:
    for dataset, row in ROWS.items():
        write_rows([row], csv_path(tmp_path / "datasets", dataset), dataset)
    assert set(find_files(tmp_path)) == set(DATASETS)
    easy_and_hard = DATASETS[:2]
    assert set(find_files(tmp_path / "datasets" / "conditional_facts", easy_and_hard)) == set(easy_and_hard)


@pytest.mark.parametrize("dataset", ["coexisting", "persona", "long-hop"])
def test_a_single_csv_is_recognised_by_its_columns(dataset: str, tmp_path: Path) -> None:
    path = written(dataset, tmp_path)
    assert find_files(path) == {dataset: path}
    assert find_files(tmp_path) == {dataset: path}


def test_easy_and_hard_are_told_apart_by_name_only(tmp_path: Path) -> None:
    path = written("conditional-hard", tmp_path)
    with pytest.raises(BadInput, match=r"same columns.*'easy' or 'hard'"):
        find_files(path)
    assert find_files(path, ["conditional-easy"]) == {"conditional-easy": path}
    named = path.rename(tmp_path / "mine_hard.csv")
    assert find_files(named) == {"conditional-hard": named}


def test_missing_datasets_are_named_with_their_place(tmp_path: Path) -> None:
    write_rows([LONG_HOP], csv_path(tmp_path, "long-hop"), "long-hop")
    with pytest.raises(BadInput, match=r"no CSV for .*persona.*found: long-hop.*persona_dataset\.csv"):
        find_files(tmp_path)
    assert set(find_files(tmp_path, ["long-hop"])) == {"long-hop"}
    with pytest.raises(BadInput, match="unknown dataset 'persna'; did you mean 'persona'"):
        find_files(tmp_path, ["persna"])
    with pytest.raises(BadInput, match="does not exist"):
        find_files(tmp_path / "nowhere")


def test_two_files_for_one_dataset_are_not_guessed_between(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write_rows([LONG_HOP], tmp_path / "long_hop" / name, "long-hop")
    with pytest.raises(BadInput, match=r"2 CSV files \(a\.csv, b\.csv\)"):
        find_files(tmp_path, ["long-hop"])


# --- what is wrong, and where -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dataset", "old", "new", "says"),
    [
        ("coexisting", "preferences,", "preferenc,", r"unknown column 'preferenc'; did you mean 'preferences'\?"),
        ("coexisting", "preferences,", "preferenc,", "missing column 'preferences'"),
        ("coexisting", ",question,", ",preferences,", "column 'preferences' occurs twice"),
        ("coexisting", ",", ";", "commas"),
        (
            "coexisting",
            '[""soup"", ""rice""]',
            '[""soup"", ""rice""',
            r"row 1 \(line 2\), column 'preferences': is not valid",
        ),
        ("coexisting", '[""soup"", ""rice""]', '{""soup"": 1}', "column 'preferences': .* is not a list of texts"),
        ("coexisting", '[""soup"", ""rice""]', '[""soup"", 3]', "is not a list of texts"),
        ("coexisting", '[""soup"", ""rice""]', '[""\\ud800"", ""rice""]', "half a character"),
        ("coexisting", "What for lunch?", "What, for lunch?", r"row 1 \(line 2\): 6 cells under 5 columns"),
        ("coexisting", "What for lunch?", " ", "column 'question': is empty"),
        ("coexisting", "What for lunch?", '"What for', r"row 1 \(line 2\): broken CSV"),
        ("coexisting", "What for lunch?", '"What" for', r"row 1 \(line 2\): broken CSV"),
        ("conditional-easy", ",yes,", ",Maybe,", "column 'condition_met': 'Maybe' is not one of yes, no"),
        ("conditional-easy", '"[""Bram', '"[""Other"", ""Bram', "holds 2 texts; it takes a JSON list with exactly one"),
        ("conditional-hard", ",evidence,", ",evidense,", "unknown column 'evidense'; did you mean 'evidence'"),
        ("conditional-hard", '[""red sock""]', "red sock", "column 'details': is not valid JSON"),
        (
            "persona",
            '""is_misleading"": false',
            '""is_misleading"": ""no""',
            "question 1: 'is_misleading' is 'no'; write true",
        ),
        (
            "persona",
            '""distractor"": null',
            '""distracter"": null',
            "question 1: unknown key 'distracter'; did you mean 'distractor'",
        ),
        ("persona", '""distractor"": null', '""distracter"": null', "question 1: no 'distractor'"),
        ("persona", '""evidence"": [', '""evidence"": 7, ""details"": [', "7 is not a list of texts"),
        ("persona", '"[{', '"[4, {', "question 1: 4 is not an object"),
        ("long-hop", "c1,1,", "c1,one,", "column 'hop_count': 'one' is not a whole number"),
        ("long-hop", "c1,1,", "c1,1.0,", "'1.0' is not a whole number"),
        ("long-hop", ",B\r\n", ",F\r\n", "column 'correct_choice': 'F' is not one of A, B, C, D, E"),
        ("long-hop", "Rain makes me drowsy.", "", "column 'fact_1': is empty, but a later one is filled"),
    ],
)
def test_a_problem_is_named_with_row_line_and_column(
    dataset: str, old: str, new: str, says: str, tmp_path: Path
) -> None:
    path = written(dataset, tmp_path)
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())
    with pytest.raises(BadInput, match=says) as caught:
        read_rows(path, dataset)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b" \r\n\n", "is empty"),
        (b"entity,entity_facts,questions\r\n", "no rows below the header"),
        (b"entity,entity_facts,questions\nA\0,b,c\n", "line 2: a NUL byte at offset 31"),
        (
            b"entity,entity_facts,questions\nCaf\xe9,b,c\n",
            "line 2: byte 0xe9 at offset 33 is not UTF-8; save it as UTF-8",
        ),
        (b"\xef\xbb\xbfentity,entity_facts,questions\nCaf\xe9,b,c\n", "line 2: byte 0xe9 at offset 36"),
        ("entity,entity_facts,questions".encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_that_is_no_csv_is_named(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(content)
    with pytest.raises(BadInput, match=says):
        read_rows(tmp_path / "p.csv", "persona")


def test_problems_are_reported_together_and_lines_count_breaks_inside_cells(tmp_path: Path) -> None:
    rows = [replace(LONG_HOP, id=f"c{i}") for i in range(30)]
    write_rows(rows, tmp_path / "a.csv", "long-hop")
    content = (tmp_path / "a.csv").read_bytes().replace(b",B\r\n", b",X\r\n")
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_rows(tmp_path / "a.csv", "long-hop")
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("30 problems")
    assert len(lines) == 22
    assert lines[-1].strip() == "and 10 more"
    # each row's question holds seven line breaks, so row 2 begins on line 2 + 8
    assert "row 2 (line 10), column 'correct_choice'" in lines[2]


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_row_that_occurs_twice_is_named_with_its_twin(dataset: str, tmp_path: Path) -> None:
    row = ROWS[dataset]
    write_rows([row, row], tmp_path / "a.csv", dataset)
    with pytest.raises(BadInput, match=r"row 2 \(line \d+\): the same .* as row 1 \(line 2\)"):
        read_rows(tmp_path / "a.csv", dataset)


# --- writing ------------------------------------------------------------------------------------


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """The system itself refuses to write more, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_said_and_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = written("coexisting", tmp_path)
    before = path.read_bytes()
    many = [replace(COEXISTING, question=f"Question {i}?") for i in range(5000)]
    with files_no_larger_than(100_000), pytest.raises(BadInput, match="no room left"):
        write_rows(many, path, "coexisting")
    assert path.read_bytes() == before
    assert [f.name for f in tmp_path.iterdir()] == [path.name]


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for row, says in [
        (replace(COEXISTING, question="a\0b"), "NUL"),
        (replace(COEXISTING, question="\ud800"), "half a character"),
        (LONG_HOP, "row 1 is a LongHopRow, but coexisting takes CoexistingRow"),
    ]:
        with pytest.raises(BadInput, match=says):
            write_rows([row], path, "coexisting")
    with pytest.raises(BadInput, match="no rows"):
        write_rows([], path, "coexisting")
    with pytest.raises(BadInput, match="2 choices"):
        write_rows([replace(LONG_HOP, choices=("a", "b"))], path, "long-hop")
    assert not path.exists()


def test_the_generation_config_says_what_made_the_file(tmp_path: Path) -> None:
    path, config = write_dataset([ROWS["coexisting"]], tmp_path, "coexisting", 7, 1, 6, 5)
    stored = json.loads(config.read_text())
    assert (stored["seed"], stored["num_rows_requested"]) == (7, 1)
    assert (stored["num_rows_raw"], stored["num_rows_deduped"], stored["rows_removed_by_dedup"]) == (6, 1, 5)
    assert (stored["dedup_threshold"], stored["dedup_key_field"]) == (0.7, "question")
    assert (stored["generator"], stored["generator_version"]) == ("memtriage memfail coexisting", version("memtriage"))
    assert "git_commit" in stored
    assert stored["output_csv"] == path.name
    assert stored["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert stored["timestamp"].endswith("+00:00")


def written(dataset: str, folder: Path) -> Path:
    path = folder / "rows.csv"
    write_rows([ROWS[dataset]], path, dataset)
    return path
