"""Questions that need no memory: a scripted model that knows some answers is asked with nothing to read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli, Place
from memtriage import api
from memtriage.core.errors import BadInput, BadRun
from memtriage.metrics.statistics import wilson
from memtriage.models.scripted import Reply, StubServer, content
from memtriage.models.scripted import Request as Call
from memtriage.models.scripted.data_block import data_block
from memtriage.record.reader import RunReader
from memtriage.report.terminal.leaks import summary
from memtriage.validate.leak_run import IDS, dry_run, ids_text, leaks
from memtriage.validate.leaks import LeakProbe, leak_row

MIXED = '''
"""Questions of every way to score, about things that nobody but the sessions could know."""
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Loaded, Suite, Task

def episode(number):
    said = f"Box {number} holds the seal of Orrin."
    talk = Session(f"s{number}", (Turn("user", said, f"s{number}/0"),))
    fact = Fact("f", said, (f"s{number}/0",), ("Orrin",))
    needs = {"sufficient": (("f",),)}
    probes = (
        Probe("letter", f"Whose seal is in box {number}?", "Orrin", scoring="choice", correct_choice="B",
              choices=("Mael", "Orrin", "Tove", "Ysolt"), task="mixed/letter", **needs),
        Probe("words", f"Name the owner of seal {number}.", "Orrin", scoring="contains", golds=("Orrin", "Lord Orrin"),
              task="mixed/words", **needs),
        Probe("exact", f"Seal {number}: one word.", "Orrin", scoring="exact", golds=("Orrin",), task="mixed/words",
              **needs),
        Probe("free", f"Tell me of seal {number}.", "It is Orrin's.", task="mixed/free", **needs),
        Probe("none", f"Who stole seal {number}?", "unknown", scoring="abstain", task="mixed/free", **needs),
    )
    return Episode(f"mixed/{number}", "mixed/all", (talk,), (fact,), probes)

def load(request):
    return Loaded(tuple(episode(n) for n in range(request.rows or 8)), {"source": "generated"})

SUITE = Suite("mixed", "Seals", "none", "MIT", "1", (Task("mixed/all", "seals", 8, load),))
'''


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "sk-test-0123456789abcdef")
    place.write("mixed_suite.py", MIXED)
    info = place.path / "mixed-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mixed\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[memtriage.suites]\nmixed = mixed_suite:SUITE\n")


class Knowing:
    """A model that knows of the seals 0, 1 and 2 from its training, and a judge who looks for the name."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.down = False

    def __call__(self, call: Call) -> Any:
        schema = (call.schema or {}).get("properties", {})
        if "answer" not in schema and "selected_choice" not in schema:
            return content(call)
        if self.down:
            return Reply("This model's maximum context length is 9 tokens.", status=400)  # which nobody retries
        data = data_block(call) or {}
        self.shown += data["memories"]
        knows = any(str(n) in data["question"] for n in (0, 1, 2))
        if "selected_choice" in schema:
            return {"selected_choice": "B" if knows else "A", "used": []}
        if "one word" in data["question"]:
            return {"answer": "orrin." if knows else "Orrin and Mael", "used": []}
        return {"answer": "It is Orrin's." if knows else "I have no information about it.", "used": []}


@pytest.fixture
def model() -> Knowing:
    return Knowing()


@pytest.fixture
def server(model: Knowing) -> Iterator[StubServer]:
    with StubServer(model) as served:
        yield served


def flagged(found: Any) -> set[tuple[str, str]]:
    return {(each.episode, each.probe) for each in found.flagged}


# What is found


def test_what_the_model_knows_is_flagged_and_nothing_else(model: Knowing, server: StubServer) -> None:
    found = leaks("mixed", answer=f"{server.url}#reader", judge=f"{server.url}#judge", out="r")
    known = {(f"mixed/{n}", probe) for n in (0, 1, 2) for probe in ("letter", "words", "exact", "free")}
    assert flagged(found) == known
    assert model.shown == [], "the memory is empty"
    rows = {row.task: row for row in found.rows()}
    assert [(row.graded, row.flagged) for row in rows.values()] == [(8, 3), (16, 6), (8, 3)]
    assert rows["mixed/letter"].chance == 0.25
    assert rows["mixed/words"].chance is None
    assert rows["mixed/free"].declining == 8, "an empty memory can't but decline"
    letter = rows["mixed/letter"]
    assert (letter.share, (letter.low, letter.high)) == (3 / 8, wilson(3, 8))
    assert {each.by for each in found.flagged} == {"letter", "words", "judge"}
    assert {each.answer for each in found.flagged if each.probe == "free"} == {"It is Orrin's."}
    assert found.errors == 0
    assert summary(found).startswith("12 of 32 questions were answered rightly with an empty memory; 3 of them among 8")
    assert "guessing gets 2.0" in summary(found)


def test_without_a_judge_free_answers_stay_open(server: StubServer) -> None:
    found = leaks("mixed", answer=f"{server.url}#reader", out="r")
    assert {probe for _, probe in flagged(found)} == {"letter", "words", "exact"}
    (row,) = [row for row in found.rows() if row.task == "mixed/free"]
    assert (row.graded, row.open, row.share, row.errors) == (0, 8, None, 0)


def test_free_answers_are_judged_though_nothing_was_retrieved(server: StubServer) -> None:
    """In a run, MemFail's answers are judged only where everything needed came back: here nothing ever does."""
    found = leaks("memfail/persona", rows=2, answer=f"{server.url}#reader", judge=f"{server.url}#judge", out="r")
    graded = [each for each in found.asked if not each.declining]
    assert graded
    assert all(each.right is not None and each.by == "judge" for each in graded)
    assert all(v.right is None for v in api.load("r").verdicts())


def test_ids_are_written_a_line_each(server: StubServer) -> None:
    found = leaks("mixed", rows=2, answer=f"{server.url}#reader", out="r")
    assert ids_text(found).splitlines() == [f"mixed/{n}\t{p}" for n in (0, 1) for p in ("letter", "words", "exact")]


# An ordinary run


def test_a_search_for_leaks_resumes_like_a_run_and_uses_the_cache(server: StubServer) -> None:
    wanted: dict[str, Any] = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge"}
    first = leaks("mixed", **wanted, out="r")
    asked = server.count()
    again = leaks("mixed", **wanted, out="r")
    assert server.count() == asked
    assert again.asked == first.asked
    elsewhere = leaks("mixed", **wanted, out="other")
    assert server.count() == asked
    assert flagged(elsewhere) == flagged(first)
    with RunReader(Path("r")) as reader:
        assert reader.manifest["ks"] == [1]
        assert [each["label"] for each in reader.manifest["systems"]] == ["none"]
    assert first.cost is not None
    assert {"answer", "judge"} <= set(first.cost["roles"])
    with pytest.raises(BadRun, match="rows: None became 3"):
        leaks("mixed", **wanted, rows=3, out="r")


def test_a_model_that_is_down_is_an_error_and_tried_again(model: Knowing, server: StubServer) -> None:
    model.down = True
    wanted: dict[str, Any] = {"answer": f"{server.url}#reader", "rows": 2, "out": "r"}
    found = leaks("mixed", **wanted)
    assert found.errors == len(found.asked) == 10
    assert found.flagged == []
    assert all(row.graded == 0 and row.share is None for row in found.rows())
    model.down = False
    assert len(leaks("mixed", **wanted).flagged) == 6


def test_a_dry_run_counts_answers_and_judgements_and_asks_nothing(server: StubServer) -> None:
    wanted: dict[str, Any] = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge", "rows": 4}
    estimate = dry_run("mixed", **wanted)
    assert server.count() == 0
    calls = {stage.role: stage.high.calls for stage in estimate.stages}
    assert calls == {"answer": 20, "judge": 4}
    leaks("mixed", **wanted, out="r")
    assert server.count() == 24
    assert not Path("runs").exists()


def test_there_must_be_a_model() -> None:
    with pytest.raises(BadInput, match="name one with --answer"):
        leaks("mixed", answer="")


# The table


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.booleans(), st.booleans()), max_size=30))
def test_every_question_is_counted_once(found: list[tuple[bool | None, bool, bool]]) -> None:
    asked = [
        LeakProbe("t", "e", str(n), "?", "!", 4, right=None if declining or failed else right, declining=declining,
              error="down" if failed else None)
        for n, (right, declining, failed) in enumerate(found)
    ]  # fmt: skip
    row = leak_row("t", asked)
    assert row.questions == len(found) == row.graded + row.open + row.errors + row.declining
    assert row.flagged == sum(each.flagged for each in asked) <= row.graded
    assert row.share is None or row.low <= row.share <= row.high
    assert row.chance == (pytest.approx(0.25) if row.graded else None)


# The command


def test_the_command_prints_writes_and_exits_with_0(cli: Cli, server: StubServer) -> None:
    models = ["--answer", f"{server.url}#reader", "--judge", f"{server.url}#judge"]
    seen = cli("leaks", "mixed", *models, "--rows", "4", "--run", "r")
    assert "12 of 16 questions were answered rightly with an empty memory" in seen.out
    assert "It is Orrin's." in seen.out
    assert "75.0 %" in seen.out
    assert len(Path("r", IDS).read_text().splitlines()) == 12
    shown = json.loads(cli("leaks", "mixed", *models, "--rows", "4", "--run", "r", "--json", "--out", "a/ids.tsv").out)
    assert (shown["schema"], shown["flagged"], shown["questions"]) == ("memtriage.leaks/1", 12, 20)
    assert {"probe", "question", "gold", "answer"} <= set(shown["probes"][0])
    assert Path("a/ids.tsv").read_text() == Path("r", IDS).read_text()
    assert json.loads(Path("r/leaks.json").read_text())["rows"] == shown["rows"]
    assert "judge" in cli("leaks", "mixed", *models, "--rows", "3", "--dry-run", "--run", "other").out
    assert not Path("other").exists()


def test_errors_end_with_1_and_bad_input_in_one_message(cli: Cli, model: Knowing, server: StubServer) -> None:
    model.down = True
    command = ["leaks", "mixed", "--answer", f"{server.url}#reader", "--rows", "1"]
    seen = cli(*command, "--run", "r", code=1)
    assert "5 questions could not be answered or judged" in seen.err
    assert "unknown suite 'mixd'" in cli("leaks", "mixd", "--answer", f"{server.url}#reader", code=1).err


def test_what_models_and_data_say_is_shown_as_it_is(cli: Cli, server: StubServer) -> None:
    server.script = lambda call: (
        {"selected_choice": "B", "used": []}
        if "selected_choice" in (call.schema or {}).get("properties", {})
        else {"answer": "[bold]Orrin[/bold] \x1b[31mred", "used": []}
    )
    seen = cli("leaks", "mixed", "--answer", f"{server.url}#reader", "--rows", "1", "--run", "r").out
    assert "[bold]Orrin[/bold]" in seen
    assert "\x1b[31m" not in seen
