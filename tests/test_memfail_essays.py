"""Persona as the paper grades it: whole essays are judged, twenty to a call, and their questions share the finding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage import api
from memtriage.core.suite import Request
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.suites.memfail.data import load_rows
from memtriage.suites.memfail.rows import PersonaRow

ROWS = 25

MEMORIES = '''
import pathlib

class Whole:
    def __init__(self):
        self.kept = []
    def store_conversation(self, conversation):
        self.kept += [self.shorten(turn.text) for turn in conversation.turns]
    def shorten(self, text):
        return text
    def retrieve_memories(self, query, conversation, k):
        return self.kept[:k]
    def get_all_memories(self):
        return self.kept

class Drops(Whole):
    """Leaves out the sentence that a file names, which nothing asked needs."""
    def shorten(self, text):
        return text.replace(pathlib.Path("dropped.txt").read_text(), "")
'''


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(ContentJudge()) as server:
        yield server


@pytest.fixture
def essays() -> dict[str, str]:
    """The generated essays by name of their person."""
    rows, _ = load_rows("persona", Request(rows=ROWS))
    return {row.entity: row.essay for row in rows if isinstance(row, PersonaRow)}


def judged(server: StubServer, out: str, system: str, **options: Any) -> api.Run:
    options = {"rows": ROWS, "k": [ROWS], "judge": f"{server.url}#judge", **options}
    return api.run(f"mems.py:{system}", suite="memfail/persona", out=out, **options)


def calls(server: StubServer, stage: str) -> list[list[dict[str, Any]]]:
    """The entries of each call at a stage."""
    found = []
    for request in server.requests:
        text = request.body["messages"][1]["content"]
        data = json.loads(text.partition("<<<DATA\n")[2].rpartition("\nDATA>>>")[0] or "{}")
        if data.get("stage") == stage:
            found.append(data.get("entries", [data]))
    return found


def test_each_essay_is_judged_once_and_twenty_share_a_call(
    place: Place, server: StubServer, essays: dict[str, str]
) -> None:
    place.write("mems.py", MEMORIES)
    run = judged(server, "run", "Whole", paper_exact=True)
    for stage in ("storage", "summary"):
        entries = calls(server, stage)
        assert sorted(map(len, entries)) == [5, 20]
        shown = [entry["fact"] for call in entries for entry in call]
        assert {fact["subject"]: fact["text"] for fact in shown} == essays
        assert not any("details" in fact or "said" in fact for fact in shown)
    asked = [entry for call in calls(server, "retrieval") for entry in call]
    assert len(asked) == 3 * ROWS  # what came back differs from question to question
    assert max(map(len, calls(server, "retrieval"))) == 20
    assert [v.verdict for v in run.verdicts()] == ["correct"] * 3 * ROWS
    assert all(fact.text in essays.values() for v in run.verdicts() for fact in v.facts)


def test_a_detail_that_no_question_needs_spoils_the_whole_essay(
    place: Place, server: StubServer, essays: dict[str, str]
) -> None:
    place.write("mems.py", MEMORIES)
    rows, _ = load_rows("persona", Request(rows=ROWS))
    row = next(row for row in rows if isinstance(row, PersonaRow))
    needed = {sentence for question in row.questions for sentence in question.evidence}
    spare = next(s for s in row.essay.split(". ")[1:-1] if not any(s in sentence for sentence in needed))
    place.write("dropped.txt", spare)

    fine = judged(server, "fine", "Drops")
    assert {v.verdict for v in fine.verdicts()} <= {"correct", "n/a"}
    exact = judged(server, "exact", "Drops", paper_exact=True)
    spoilt = {v.probe for v in exact.verdicts() if v.verdict == "summary_error"}
    assert len(spoilt) == 3
    assert {v.cluster for v in exact.verdicts() if v.probe in spoilt} == {next(iter(spoilt)).partition("q")[0]}
    assert all(fact.text == row.essay for v in exact.verdicts() if v.probe in spoilt for fact in v.facts)
    digests = [{v.prompts for v in run.verdicts()} for run in (fine, exact)]
    assert not digests[0] & digests[1]  # other words are another judge


def test_answers_are_held_against_the_essay(place: Place, essays: dict[str, str]) -> None:
    place.write("mems.py", MEMORIES)

    def script(request: Any) -> Any:
        known = "nothing is known of them"
        return ContentJudge(otherwise=lambda _: known)(request)

    with StubServer(script) as server:
        model = f"{server.url}#reader"
        run = judged(server, "run", "Whole", rows=3, k=[6], answer=model, paper_exact=True)  # a reply to each
        graded = [entry for stage in ("reasoning", "abstention") for call in calls(server, stage) for entry in call]
    assert len(graded) == 9
    assert {entry["fact"]["text"] for entry in graded} == set(list(essays.values())[:3])
    assert {v.depth for v in run.verdicts()} == {"full"}


def test_the_estimate_counts_the_same_calls(place: Place, cli: Cli, server: StubServer) -> None:
    place.write("mems.py", MEMORIES)
    model = f"{server.url}#judge"
    flags = ["--suite", "memfail/persona", "--rows", str(ROWS), "--system", "mems.py:Whole", "--k", str(ROWS)]
    dry = json.loads(cli("run", *flags, "--judge", model, "--paper-exact", "--dry-run", "--json").out)
    judged(server, "run", "Whole", paper_exact=True)
    most = {row["stage"]: row["calls"][1] for row in dry["rows"] if row["stage"]}
    assert most == {stage: len(calls(server, stage)) for stage in ("storage", "summary", "retrieval")}


def test_planted_faults_are_judged_one_by_one(place: Place, cli: Cli, server: StubServer) -> None:
    flags = ["--suite", "memfail/persona", "--rows", "3", "--per-kind", "1", "--style", "none", "--json"]
    cli("calibrate", *flags, "--judge", f"{server.url}#judge", "--paper-exact")
    shown = [entry["fact"] for call in calls(server, "storage") for entry in call]
    assert shown
    assert all("details" in fact for fact in shown)
