"""Building a memory and asking it, timed apart and grouped by the kind of memory; and how much memory that takes."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli, Place
from memtriage import api
from memtriage import registry as plugins
from memtriage.core.trace import Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.host import process_memory as resident
from memtriage.models.current import use_models
from memtriage.models.scripted import ContentReader, StubServer
from memtriage.models.system_models import SystemModels
from memtriage.runner import memory_use as footprint
from memtriage.runner.memory_use import Footprint
from memtriage.systems.adapted import traits_of
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.libraries.factory import LibraryFactory
from memtriage.systems.remote import process, running
from memtriage.tables.effort import efforts
from memtriage.tables.families import family_order
from memtriage.tables.latency import latencies

MB = 1_000_000

HOGS = """
import mems

class AtStore(mems.Keeps):
    family = "agentic"
    def store_conversation(self, conversation):
        super().store_conversation(conversation)
        self.big = getattr(self, "big", None) or bytearray(b"x" * 40_000_000)

class AtAsk(mems.Keeps):
    family = "simple-rag"
    def retrieve_memories(self, query, conversation, k):
        self.big = getattr(self, "big", None) or bytearray(b"x" * 40_000_000)
        return super().retrieve_memories(query, conversation, k)

class Odd(mems.Keeps):
    family = "quantum"
"""

ADAPTER = """
import json, os, sys
held = []
for line in sys.stdin:
    request = json.loads(line)
    do, ok = request["do"], None
    if do == "hello":
        ok = {"protocol": 1, "name": "hog", "version": "", "capabilities": ["store", "retrieve", "all"]}
    elif do == "store":
        text = request["session"]["turns"][0]["text"]
        held.append((text, bytearray(b"x" * 60_000_000) if "elephant" in text else b""))
    elif do == "reset":
        held.clear()
    elif do == "bye":
        break
    if do in ("retrieve", "all"):
        ok = {"memories": [text for text, _ in held]}
    os.write(1, json.dumps({"id": request["id"], "ok": ok}).encode() + b"\\n")
"""


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "sk-test-0123456789abcdef")
    place.write("hogs.py", HOGS)
    yield
    running.close_all()


# The numbers


def store(
    seconds: float, episode: str = "e", system: str = "it", error: str | None = None, peak: int | None = None
) -> StoreSummary:
    return StoreSummary("s", "s/t", system, episode, 3, 10, 100, seconds, error=error, peak_bytes=peak)


def asked(
    seconds: float | None, probe: str = "p", k: int = 5, episode: str = "e", repeat: int = 0, judged: int = 0
) -> ProbeVerdict:
    return ProbeVerdict(
        "s", "s/other", "it", episode, probe, k, "memory", "correct", "?", "!", (),
        seconds=seconds, repeat=repeat, judge_repeat=judged,
    )  # fmt: skip


def test_construction_is_per_store_and_execution_per_question() -> None:
    stores = [store(1.0, "a", peak=5), store(3.0, "b", peak=9), store(99.0, "c", error="broke", peak=100)]
    verdicts = [asked(0.1, "p", 5, "a"), asked(0.2, "p", 10, "a"), asked(0.6, "q", 5, "b"), asked(None, "r", 5, "b")]
    (row,) = latencies(stores, verdicts, {}, {"it": "agentic"})
    assert (row.task, row.family) == ("s/t", "agentic"), "a question counts to the task of its episode"
    assert (row.stores, row.broken, row.construction) == (2, 1, 2.0)
    assert row.construction_sd == pytest.approx(2**0.5)
    assert (row.questions, row.errors) == (3, 1)
    assert row.retrieval == row.execution == pytest.approx(0.3)
    assert row.retrieval_sd == row.execution_sd == pytest.approx(0.07**0.5)
    assert (row.answering, row.answered) == (None, 0)
    assert (row.peak_bytes, row.seen, row.process) == (9, 2, False)


def test_a_model_that_answers_is_part_of_execution() -> None:
    verdicts = [asked(0.5, "p"), asked(1.0, "q")]
    (row,) = latencies([store(1.0)], verdicts, {("it", 0, "e", "q", 5): 2.0}, {}, frozenset({"it"}))
    assert (row.answered, row.answering, row.answering_sd) == (1, 2.0, None)
    assert (row.retrieval, row.execution, row.execution_sd) == (0.75, 3.0, None)
    assert row.process


def test_repeated_answers_and_judgements_are_one_question() -> None:
    verdicts = [asked(0.5), asked(0.5, repeat=1), asked(0.5, judged=1)]
    (row,) = latencies([store(1.0)], verdicts, {}, {})
    assert (row.questions, row.retrieval_sd) == (1, None)


def test_effort_is_per_store_that_was_filled_and_per_question_that_was_asked() -> None:
    first = replace(store(1.0, "a"), ingest_usage=Usage(calls=2, input_tokens=90, output_tokens=10))
    again = Usage(calls=1, cached=3, input_tokens=40, output_tokens=10, cached_input=200, cached_output=50)
    second = replace(store(3.0, "b"), ingest_usage=again, retrieve_usage=Usage(calls=4, input_tokens=60))
    broken = replace(store(9.0, "c", error="broke"), ingest_usage=Usage(calls=50, input_tokens=1))
    verdicts = [asked(0.1, "p", 5, "a"), asked(0.3, "q", 5, "b"), asked(None, "r", 5, "b"), asked(0.1, repeat=1)]
    (row,) = efforts([first, second, broken], verdicts, {"it": "agentic"})
    assert (row.suite, row.system, row.family) == ("s", "it", "agentic")
    assert (row.stores, row.broken, row.questions, row.errors) == (2, 1, 2, 1)
    assert (row.store_calls, row.store_tokens, row.store_seconds) == (3.0, 200.0, 2.0), "cached calls count too"
    assert (row.question_calls, row.question_tokens, row.question_seconds) == (4 / 3, 20.0, pytest.approx(0.2))
    (lost,) = efforts([broken], [], {})
    assert (lost.stores, lost.store_calls, lost.store_seconds, lost.question_calls) == (0, None, None, None)


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=30))
def test_means_lie_among_what_was_measured(seconds: list[float]) -> None:
    stores = [store(each, f"e{n}") for n, each in enumerate(seconds)]
    verdicts = [asked(each, f"p{n}", episode="e0") for n, each in enumerate(seconds)]
    (row,) = latencies(stores, verdicts, {}, {})
    for mean, sd in ((row.construction, row.construction_sd), (row.execution, row.execution_sd)):
        assert mean is not None
        assert min(seconds) - 1e-6 <= mean <= max(seconds) + 1e-6
        assert (sd is None) == (len(seconds) == 1)
        assert sd is None or 0 <= sd <= (max(seconds) - min(seconds)) + 1e-6


# Memory


def test_growth_is_what_was_taken_since_the_store_was_begun() -> None:
    held = [bytearray(b"x" * (30 * MB))]
    with Footprint(object()) as seen:
        first = seen.measure()
        held.append(bytearray(b"x" * (50 * MB)))
        assert (seen.measure() or 0) > 45 * MB
        assert first is not None
        assert first < 10 * MB, "what was there before is not its own"
        held.pop()
        assert (seen.measure() or 0) > 45 * MB, "the most so far"


def test_of_two_stores_at_a_time_nobody_knows_which_took_what() -> None:
    with Footprint(object()) as first:
        assert first.measure() is not None
        with Footprint(object()) as second:
            assert second.measure() is None
            assert first.measure() is None
    with Footprint(object()) as third:
        assert third.measure() is not None


def test_a_system_elsewhere_says_itself_and_disturbs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "PAUSE", 0.0)
    told = iter([5, 3, 8, None])
    with Footprint(object()) as here, Footprint(SimpleNamespace(peak_bytes=lambda: next(told))) as there:
        assert [there.new_peak() for _ in range(4)] == [5, None, 8, None]
        assert there.peak == 8
        assert here.measure() is not None


def test_glances_look_once_a_pause_and_the_first_question_always_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    now = 100.0
    monkeypatch.setattr(footprint, "time", SimpleNamespace(monotonic=lambda: now))

    def peak_bytes() -> int:
        looks.append(len(looks))
        return len(looks)

    with Footprint(SimpleNamespace(peak_bytes=peak_bytes)) as seen:
        for _ in range(30):
            seen.measure_if_due()
            now += footprint.PAUSE / 10
        assert len(looks) == 3
        assert seen.new_peak() == 4
        assert seen.new_peak() is None, "it was looked at just now"


@pytest.mark.parametrize("said", ["a lot", None, ZeroDivisionError])
def test_a_wrong_report_of_its_own_memory_use_spoils_no_run(said: Any) -> None:
    def peak_bytes() -> Any:
        if isinstance(said, type):
            raise said
        return said

    with Footprint(SimpleNamespace(peak_bytes=peak_bytes)) as seen:
        assert seen.measure() is None
        assert seen.new_peak() is None


def test_without_proc_memory_use_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resident, "_PROC", tmp_path)
    assert resident.resident() is None
    assert resident.peak_of(1) is None
    resident.reset_peak(1)
    with Footprint(object()) as seen:
        assert seen.measure() is None


def test_a_run_records_what_filling_and_asking_took(place: Place) -> None:
    run = api.run("hogs.py:AtStore", "hogs.py:AtAsk", "mems.py:Keeps", suite="tiny/end", rows=4, k=[1, 2], out="r")
    peaks = {each.system: each.peak_bytes or 0 for each in run.stores()}
    assert peaks["hogs.py:AtStore"] > 35 * MB
    assert peaks["hogs.py:AtAsk"] > 35 * MB, "an index that is only built when it is asked counts"
    assert peaks["mems.py:Keeps"] < 20 * MB
    again = api.resume("r")
    assert {each.system: each.peak_bytes or 0 for each in again.stores()} == peaks, "as it was recorded"


def test_a_process_tells_its_own_peak_anew_for_every_store(place: Place) -> None:
    script = place.write("hog.py", ADAPTER)
    run = api.run(f"proc:{sys.executable} -I -S {script}", suite="tiny/end", rows=3, k=1, out="small")
    (small,) = run.stores()
    assert small.peak_bytes is not None
    assert 2 * MB < small.peak_bytes < 50 * MB
    command = [sys.executable, "-I", "-S", str(script)]
    with_elephant = process.Process(command)
    turn = SimpleNamespace(role="user", text="an elephant", id="1")
    with_elephant.store_conversation(SimpleNamespace(id="s", timestamp=None, turns=(turn,)))  # type: ignore[arg-type]
    assert (with_elephant.peak_bytes() or 0) > 60 * MB
    with_elephant.close()
    after = process.Process(command)
    assert after._connection is with_elephant._connection, "the same process"
    assert (after.peak_bytes() or 0) < 50 * MB, "another store"
    after.close()
    running.close_all()
    assert after.peak_bytes() is None


# Families, and pieces by family


def test_every_system_of_a_run_is_recorded_with_its_family(place: Place) -> None:
    run = api.run("bm25", "none", "hogs.py:Odd", {"mine": plugins.system("dense").build().system}, "full-context",
                  suite="tiny/end", rows=2, k=1, out="r")  # fmt: skip
    recorded = {each["label"]: each.get("family") for each in run.manifest["systems"]}
    assert recorded == {
        "bm25": "simple-rag",
        "none": None,
        "hogs.py:Odd": "quantum",
        "mine": "embedding-rag",
        "full-context": "long-context",
    }


def test_the_papers_families_come_in_its_order_and_none_last() -> None:
    names = ["", "agentic", "quantum", "long-context", "structure-rag", "embedding-rag", "simple-rag"]
    assert sorted(names, key=family_order) == [*catalog.FAMILIES, "quantum", ""]
    assert catalog.FAMILIES[0] == "long-context"


def test_libraries_that_take_long_over_a_piece_get_large_ones(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    large = {name for name, library in catalog.libraries().items() if library.large}
    assert large == {"mem0", "mem0-1", "mem0-full", "zep", "cognee", "mirix"}
    script = place.write("hog.py", ADAPTER)
    monkeypatch.setattr(environments, "status", lambda _: SimpleNamespace(state="installed", why=""))
    monkeypatch.setattr(environments, "adapter_command", lambda _: [sys.executable, "-I", "-S", str(script)])
    with SystemModels(cache=None) as made, use_models(made):
        for name in ("zep", "memobase"):
            found = LibraryFactory(catalog.library(name))(timeout=600.0)
            assert traits_of(found).takes_large_pieces is (name == "zep")
            found.close()


# What is printed


def test_show_latency_prints_a_table_json_and_csv(cli: Cli) -> None:
    cli(*"run --suite tiny --rows 4 --k 1,2 --system none --system bm25 --system dense --out r -q".split())
    seen = cli("show", "r", "--latency").out
    lines = [line.split()[0] for line in seen.splitlines() if line.strip()]
    one = ["system", "simple-rag", "bm25", "embedding-rag", "dense", "of", "none"]
    assert lines[: 2 * len(one) + 2] == ["tiny/end", *one, "tiny/along", *one]
    assert "M.C." in seen
    assert "Q.E." in seen
    rows = json.loads(cli("show", "r", "--latency", "--json").out)
    assert rows["schema"] == "memtriage.latency/1"
    assert [(row["task"], row["system"], row["questions"]) for row in rows["rows"]][:2] == [
        ("tiny/end", "bm25", 8),
        ("tiny/along", "bm25", 8),
    ]
    flat = list(csv.DictReader(io.StringIO(cli("show", "r", "--by", "latency", "--csv").out)))
    assert [float(row["construction"]) for row in flat] == [row["construction"] for row in rows["rows"]]
    assert all(float(row["execution"]) >= 0 for row in flat)
    assert "two tables" in cli("show", "r", "--latency", "--by", "k", code=1).err


def test_answers_of_a_model_are_timed_beside_retrieving(
    place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(ContentReader(), latency=0.02) as server:
        api.run("bm25", suite="tiny/end", rows=3, k=1, answer=f"{server.url}#reader", repeats=2, out="r")
    (row,) = json.loads(cli("show", "r", "--latency", "--json").out)["rows"]
    assert row["answered"] == row["questions"] == 3
    assert row["answering"] >= 0.02
    assert row["execution"] == pytest.approx(row["answering"] + row["retrieval"], abs=1e-5)
    monkeypatch.setenv("COLUMNS", "80")
    shown = cli("show", "r", "--latency").out
    assert "retrieving and the model's answer" in shown.replace("\n", " ")
    [line] = [line.split() for line in shown.splitlines() if "bm25" in line]
    assert (line[0], line[1], line[3]) == ("bm25", "1", "3")  # nothing is cut, and deviations make room


def test_by_family_puts_systems_below_their_kind_and_averages_nothing(cli: Cli) -> None:
    cli(*"run --suite tiny/end --rows 4 --k 1,2 --system none --system dense --system bm25 --out r -q".split())
    seen = [line.split() for line in cli("show", "r", "--by", "family").out.splitlines()]
    named = [words[0] if len(words) == 1 else words[1] for words in seen if words and words[0] != "of"]
    wanted = ["simple-rag", "bm25", "bm25", "embedding-rag", "dense", "dense", "none", "none"]
    assert [name for name in named if name in wanted] == wanted
    assert ["of", "no", "family"] in seen
    plain = {(row["system"], row["k"]): row for row in json.loads(cli("show", "r", "--json").out)["rows"]}
    found = json.loads(cli("show", "r", "--by", "family", "--json").out)
    assert (found["schema"], found["by"]) == ("memtriage.tagged-table/2", "family")
    assert [row.pop("family") for row in found["rows"]] == ["simple-rag"] * 2 + ["embedding-rag"] * 2 + [""] * 2
    assert {(row["system"], row["k"]): row for row in found["rows"]} == plain
