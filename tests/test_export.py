"""A run for other tools: data frames and files hold what was recorded, and a dataset for the Hub hides the machine."""

from __future__ import annotations

import csv
import importlib.util
import json
import shutil
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from conftest import Cli, Place
from key_echoes import KEY
from memtriage import Memory, api
from memtriage.core.errors import BadInput, BadRun
from memtriage.export import files
from memtriage.export.public import public, public_names
from memtriage.export.tables import TABLES, Column, Extract, extract
from memtriage.host import masks
from memtriage.models.scripted import StubServer, content

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pq = pytest.importorskip("pyarrow.parquet")


class Forgetful:
    """Keeps every turn, adds what nobody said, and drops the oldest when it is told a fourth; finds the last k."""

    def __init__(self) -> None:
        self.kept: list[Memory] = []

    def store_conversation(self, conversation: Any) -> None:
        self.kept += [Memory(turn.id, f"{turn.text} Gregor agreed.") for turn in conversation.turns]
        self.kept = self.kept[-3:]

    def retrieve_memories(self, query: str, conversation: Any, k: int) -> list[Memory]:
        return [*self.kept[-k:], Memory("aside", "=1+1 is <b>never</b> listed \ud800")][-k:]

    def get_all_memories(self) -> list[Memory]:
        return list(self.kept)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[api.Run]:
    """Two systems on four rows, answered and judged by a scripted model."""
    folder = tmp_path_factory.mktemp("export")
    with pytest.MonkeyPatch.context() as patch, StubServer(content) as server:
        patch.setenv("MEMTRIAGE_CACHE", str(folder / "cache.db"))
        small = {"suite": "memfail/coexisting", "rows": 4, "k": [2, 5]}
        models = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge"}
        yield memtriage.run({"forgetful": Forgetful()}, "bm25", out=folder / "run", **small, **models)


def records(run: api.Run, name: str) -> list[dict[str, Any]]:
    with run.reader as reader:
        return list(extract(reader, name).rows())


@pytest.mark.parametrize("name", TABLES)
def test_frames_and_files_hold_the_same(run: api.Run, name: str, tmp_path: Path) -> None:
    rows = records(run, name)
    assert rows
    for form in ("parquet", "csv", "jsonl"):
        [written] = run.export(tmp_path, form, [name])  # type: ignore[arg-type]
        assert (written.path, written.rows) == (tmp_path / f"{name}.{form}", len(rows))
    assert [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()] == rows
    assert pq.read_table(tmp_path / f"{name}.parquet").to_pylist() == rows
    assert run.to_polars(name).to_dicts() == rows
    frame = run.to_pandas(name)
    assert list(frame.columns) == list(rows[0])
    assert [_plain(row) for row in frame.to_dict("records")] == rows
    with (tmp_path / f"{name}.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(rows)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if not isinstance(value, list) and pandas.isna(value) else value for key, value in row.items()}


def test_probes_and_facts_count_as_the_table_does(run: api.Run) -> None:
    probes, facts = run.to_pandas(), run.to_polars("facts")
    for row in run.table():
        own = probes[(probes.system == row["system"]) & (probes.k == row["k"])]
        assert Counter(own.verdict)["correct"] == row["correct"]
        assert own.right.mean() == row["accuracy"]
        assert own.context_tokens.mean() == pytest.approx(row["context_tokens"])
    assert probes.facts_needed.sum() == facts.height
    assert probes.facts_correct.sum() == facts.filter(polars.col("verdict") == "correct").height
    lost = facts.filter(polars.col("lost") == "later")
    assert lost.height
    assert set(lost["summary"]) | set(lost["storage"]) >= {"fail"}


def test_memories_say_when_they_came_and_went_and_what_only_came_back(run: api.Run) -> None:
    own = [row for row in records(run, "memories") if row["system"] == "forgetful"]
    listed = [row for row in own if row["listed"]]
    with run.reader as reader:
        [episode] = reader.episodes()
        turns = [turn.text for session in episode.sessions for turn in session.turns]
    assert [row["text"] for row in listed] == [f"{text} Gregor agreed." for text in turns]
    sessions = [session.id for session in episode.sessions]
    assert [row["added_after"] for row in listed] == sessions
    assert [row["removed_after"] for row in listed] == [*sessions[3:], None, None, None]
    [aside] = [row for row in own if not row["listed"]]
    assert (aside["text"], aside["added_after"], aside["tokens"] > 5) == ("=1+1 is <b>never</b> listed ?", None, True)
    back = [row for row in records(run, "retrieved") if row["system"] == "forgetful"]
    assert {row["key"] for row in back} <= {row["key"] for row in own}
    assert len(back) == sum(probe["k_returned"] for probe in run.probes if probe["system"] == "forgetful")
    assert [row["rank"] for row in back[:2]] == [1, 2]


def test_calls_add_up_to_the_bill(run: api.Run) -> None:
    calls = run.to_pandas("calls")
    assert run.cost is not None
    for name in ("calls", "cached", "input_tokens", "output_tokens"):
        assert calls[name].sum() == run.cost["total"][name]
    assert set(calls.role) == {"answer", "judge"}
    stores = run.to_pandas("stores")
    assert stores.answer_calls.sum() == run.cost["roles"]["answer"]["answer"]["calls"]


def test_k_in_tokens_and_native_keep_their_words(tmp_path: Path) -> None:
    found = memtriage.run("full-context", suite="memfail/coexisting", rows=2, k=["native"], context_tokens=500,
                          out=tmp_path / "run")  # fmt: skip
    frame = found.to_pandas()
    assert set(frame.amount) == {"native", "500 tokens"}
    assert frame.k.isna().all()


def test_every_column_is_described_in_the_schema(run: api.Run, tmp_path: Path) -> None:
    run.export(tmp_path)
    for name in TABLES:
        schema = pq.read_schema(tmp_path / f"{name}.parquet")
        assert schema.metadata[b"memtriage.table"].decode() == name
        assert run.reader.seal is not None
        assert schema.metadata[b"memtriage.run"].decode() == run.reader.seal.digest
        assert all(field.metadata[b"description"] for field in schema)


def test_a_large_table_is_written_with_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_GROUP_CHARACTERS", 1 << 19)
    texts = (f"{number:08}" * 128 for number in range(10_000))  # 10 MB in all
    large = Extract("large", "", (Column("text", "text", ""),), lambda: ({"text": text} for text in texts))
    files.arrow()
    tracemalloc.start()
    try:
        files.write_tables([large], tmp_path, "parquet", {})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    found = pq.ParquetFile(tmp_path / "large.parquet")
    assert (found.metadata.num_rows, found.metadata.num_row_groups) == (10_000, 20)
    assert peak < 5 << 20
    assert found.read_row_group(19).to_pylist()[-1]["text"] == "00009999" * 128


def test_a_spreadsheet_takes_nothing_for_a_formula(run: api.Run, tmp_path: Path) -> None:
    run.export(tmp_path, "csv", ["memories"])
    text = (tmp_path / "memories.csv").read_text()
    assert "'=1+1 is <b>never</b> listed" in text
    assert "\n=1" not in text
    assert ",=1" not in text


# ------------------------------------------------------------------ the Hub

RAISES = '''
"""A memory that names its own place when it fails."""

from memtriage import Memory


class Mine:
    kept = ()

    def store_conversation(self, conversation):
        self.kept = [
            Memory("1", "[link](javascript:alert(1)) | `code` in /etc/passwd KEY"),
            Memory("2", "Wilhelmina Osterberg moved to Reykjavik in 1983."),
        ]

    def retrieve_memories(self, query, conversation, k):
        raise FileNotFoundError(2, "No such file or directory", __file__)

    def get_all_memories(self):
        return self.kept
'''


def test_a_dataset_for_the_hub_says_what_was_run_and_hides_the_machine(
    cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("mine.py", RAISES.replace("KEY", KEY))
    cli("run", "--suite", "tiny/end", "--rows", "3", "--k", "2", "--system", f"{place.path}/mine.py:Mine",
        "--system", "bm25", "--out", f"{place.path}/run", "-q", "--no-report", code=1)  # fmt: skip
    masks.remember(KEY)  # which only becomes one now
    out = cli("export", "run", "--hf", "hub").out
    assert "hub/README.md\n" in out
    assert "hub/data/probes.parquet: 6 rows\n" in out
    assert not (place.path / "hub/data/calls.parquet").exists()  # no model was asked
    everything = "".join(str(pq.read_table(file).to_pylist()) for file in (place.path / "hub/data").iterdir())
    card = (place.path / "hub/README.md").read_text()
    assert str(place.path) not in everything + card
    assert "mine.py:Mine" in card
    assert "[Errno 2] No such file or directory: 'mine.py'" in everything
    assert "| `code` in /etc/passwd [key]" in everything  # otherwise, a memory is left as it is
    assert KEY not in everything + card
    assert "Osterberg" in str(pq.read_table(place.path / "hub/data/invented.parquet").to_pylist())  # nobody said it
    assert "memtriage run --suite tiny/end --rows 3" in card
    front = yaml.safe_load(card.split("---\n")[1])
    assert "license" not in front
    assert [each["config_name"] for each in front["configs"]] == [
        "probes", "facts", "memories", "invented", "retrieved", "stores", "table",
    ]  # fmt: skip
    for config, info in zip(front["configs"], front["dataset_info"], strict=True):
        schema = pq.read_schema(place.path / "hub" / config["data_files"])
        assert [feature["name"] for feature in info["features"]] == schema.names


def test_the_dataset_loads_with_the_hubs_own_library(run: api.Run, tmp_path: Path) -> None:
    if importlib.util.find_spec("datasets") is None:
        pytest.skip("datasets is not installed")
    run.export(tmp_path / "hub", "hf")
    source = (
        "import sys, datasets as d\n"
        "for name in d.get_dataset_config_names(sys.argv[1]):\n"
        "    print(name, d.load_dataset(sys.argv[1], name, split='train').num_rows)"
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path / "hub")], capture_output=True, text=True, check=True, timeout=120,
        env={"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")},
    )  # fmt: skip
    assert done.stdout.splitlines() == [f"{name} {len(records(run, name))}" for name in TABLES]
    assert "Ignoring" not in done.stderr  # it has nothing to say against the card


def test_a_hostile_name_is_only_text_in_the_card(tmp_path: Path) -> None:
    name = "x | <img src=x onerror=alert(1)>\n---\n```"
    found = memtriage.run({name: Forgetful()}, suite="memfail/coexisting", rows=2, k=[2], out=tmp_path / "run")
    found.export(tmp_path / "hub", "hf")
    card = (tmp_path / "hub/README.md").read_text()
    assert card.count("\n---\n") == 1
    assert "<img" not in card.replace("\\<img", "")
    assert yaml.safe_load(card.split("---\n")[1])["pretty_name"] == "memtriage: memfail/coexisting"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ann/bench/mine.py:Mine", "mine.py:Mine"),
        ("proc:python ~/x/adapter.py --db=/var/lib/db", "proc:python adapter.py --db=…"),
        (r"C:\Users\ann\mine.py:Mine", "mine.py:Mine"),
        ("/home/ann.smith", "…"),
        ("FileNotFoundError: '/opt/data/x.json'", "FileNotFoundError: 'x.json'"),
        ("http://gpu7.corp:8000/v1#qwen3-8b", "http://…#qwen3-8b"),
        ("file:///srv/x/y.yaml", "y.yaml"),
        ("openai/gpt-5-mini", "openai/gpt-5-mini"),
        ("memfail/long-hop and/or 3/4 at https://x", "memfail/long-hop and/or 3/4 at https://…"),
        ("bm25:granularity=sentence", "bm25:granularity=sentence"),
    ],
)
def test_what_may_be_published_of_a_name(text: str, shown: str) -> None:
    assert public(text) == shown


@settings(max_examples=40)
@given(st.lists(st.text("abcxyz", min_size=1, max_size=8), min_size=1, max_size=5))
def test_no_folder_of_a_path_is_published(folders: list[str]) -> None:
    path = f"/{'/'.join(folders)}/file.py"
    assert public(f"proc:python {path} x") == "proc:python file.py x"
    assert public(public(path)) == public(path)


def test_two_systems_keep_two_names() -> None:
    assert public_names(["/a/b/m.py:M", "/a/c/m.py:M", "bm25"]) == {
        "/a/b/m.py:M": "m.py:M",
        "/a/c/m.py:M": "m.py:M (2)",
        "bm25": "bm25",
    }


# ------------------------------------------------------------------ bad input


def test_wrong_requests_say_what_to_do(run: api.Run, cli: Cli, place: Place) -> None:
    assert "--parquet DIR" in cli("export", str(run.path), code=1).err
    assert "did you mean 'probes'?" in cli("export", str(run.path), "--csv", "x", "--tables", "probs", code=1).err
    assert "is not a run directory" in cli("export", ".", "--csv", "x", code=1).err
    place.write("taken", "")
    assert "error: taken/probes.csv can't be written: " in cli("export", str(run.path), "--csv", "taken", code=1).err
    place.write("README.md", "mine")
    assert "README.md is there already and may be yours" in cli("export", str(run.path), "--hf", ".", code=1).err
    assert (place.path / "README.md").read_text() == "mine"
    assert [file.name for file in place.path.iterdir() if file.suffix == ".part"] == []
    with pytest.raises(BadInput, match="unknown form 'xlsx'; choose parquet"):
        run.export("x", "xlsx")  # type: ignore[arg-type]


def test_an_unfinished_run_is_not_exported(run: api.Run, tmp_path: Path) -> None:
    shutil.copytree(run.path, tmp_path / "copy")
    (tmp_path / "copy/seal.json").unlink()
    with pytest.raises(BadRun, match=r"is not finished.*memtriage resume"):
        memtriage.load(tmp_path / "copy").export(tmp_path / "x")
    with pytest.raises(BadRun, match=r"is not finished.*memtriage resume"):
        memtriage.load(tmp_path / "copy").to_pandas()


def test_a_damaged_run_is_not_exported(run: api.Run, tmp_path: Path) -> None:
    shutil.copytree(run.path, tmp_path / "copy")
    verdicts = tmp_path / "copy/verdicts.jsonl"
    verdicts.write_bytes(verdicts.read_bytes().replace(b'"verdict":"correct"', b'"verdict":"corrupt"', 1))
    with pytest.raises(BadRun, match=r"verdicts\.jsonl"):
        memtriage.load(tmp_path / "copy").export(tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("module", "ask", "line"),
    [
        ("pandas", lambda run, _: run.to_pandas(), "pip install pandas"),
        ("polars", lambda run, _: run.to_polars(), r"pip install '\.\[polars\]'"),
        ("pyarrow", lambda run, folder: run.export(folder), r"pip install '\.\[parquet\]'"),
    ],
)
def test_a_missing_package_is_named_with_its_install_line(
    run: api.Run, module: str, ask: Any, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BadInput, match=line):
        ask(run, tmp_path / "out")
    assert not (tmp_path / "out").exists()
