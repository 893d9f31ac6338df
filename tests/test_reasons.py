"""Why a memory came back, in the system's own words: recorded, shown, harmless, and absent where nobody says it."""

from __future__ import annotations

import json
import sys

import pytest

from conftest import Cli, Place
from key_echoes import unpacked
from memtriage import Memory, api
from memtriage.core.episode import Session, Turn
from memtriage.systems.adapted import adapt
from memtriage.systems.remote.connection import SIDE as SIDE_FOLDER
from memtriage.systems.remote.mapping import Step, memories
from memtriage.systems.remote.process import Process

REASONED = '''
from mems import Keeps
from dataclasses import replace


class Reasoned(Keeps):
    """Says of the first memory why it came, with markup and an escape sequence in it."""

    def retrieve_memories(self, query, conversation, k):
        found = super().retrieve_memories(query, conversation, k)
        return [replace(found[0], why="shares words <b>with</b>\\n \\x1b[31mthe question"), *found[1:]]
'''
ASKED = Session("q", (Turn("user", "x", "q/0"),))


def test_a_reason_goes_from_the_system_into_every_place_that_shows_the_memory(cli: Cli, place: Place) -> None:
    place.write("reasoned.py", REASONED)
    cli("run", "--suite", "tiny/end", "--rows", "3", "--system", "reasoned.py:Reasoned", "--out", "run")
    said = "shares words <b>with</b> \x1b[31mthe question"
    run = api.load("run")
    verdict = next(iter(run.verdicts()))
    assert [found.why for found in verdict.retrieved[:2]] == [said, ""]
    told = cli("explain", "run", "--probe", verdict.probe).out
    assert "(shares words <b>with</b>" in told
    assert "\x1b[31m" not in told
    page = unpacked(place.path / "run" / "report.html")
    assert b"shares words <b>with</b>" not in (place.path / "run" / "report.html").read_bytes()
    assert json.dumps(said).encode() in page
    assert run.to_pandas("retrieved")["why"].tolist()[:2] == [said, ""]


def test_a_run_of_systems_that_give_no_reasons_says_nothing_of_them(cli: Cli, place: Place) -> None:
    cli("run", "--suite", "tiny/end", "--rows", "2", "--system", "bm25", "--no-report", "--out", "run")
    traces = [json.loads(line) for line in (place.path / "run" / "journal.jsonl").read_text().splitlines()]
    found = [each for line in traces if line["kind"] == "trace" for each in line["data"]["retrieved"]]
    assert {tuple(each) for each in found} == {("key", "rank", "score", "created_at")}
    verdicts = (place.path / "run" / "verdicts.jsonl").read_text().splitlines()
    assert {tuple(each) for line in verdicts for each in json.loads(line)["retrieved"]} == {tuple(found[0])}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("seed", "seed"),
        ("  over\ntwo   lines ", "over two lines"),
        ("x" * 1000, "x" * 300),
        (5, ""),
        (None, ""),
        ("half a \ud800 pair", "half a ? pair"),
    ],
)
def test_a_reason_is_one_short_line_whatever_is_given(given: object, kept: str) -> None:
    class Told:
        def store_conversation(self, conversation: Session) -> None: ...

        def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[object]:
            return [{"text": "a", "why": given}, Memory("b", "b", why=given)]  # type: ignore[arg-type]

    assert [memory.why for memory in adapt(Told()).retrieve_memories("x", ASKED, 2)] == [kept, kept]


ADAPTER = f"""
import sys
sys.path.insert(0, {str(SIDE_FOLDER)!r})
from memtriage_adapter import Memory, serve

class Told:
    def store_conversation(self, conversation): ...
    def retrieve_memories(self, query, conversation, k):
        return [Memory("a", "The kettle.", why="by its name"), {{"text": "The pan."}}]

serve(Told)
"""


def test_a_reason_comes_through_a_process_and_a_mapping(place: Place) -> None:
    file = place.write("told.py", ADAPTER)
    system = adapt(Process([sys.executable, "-I", "-S", str(file)]))
    assert [memory.why for memory in system.retrieve_memories("x", ASKED, 2)] == ["by its name", ""]
    system.close()
    reply = {"results": [{"text": "The kettle.", "because": {"kind": "graph"}}]}
    assert memories(reply, Step("find", why="because.kind")) == [{"text": "The kettle.", "why": "graph"}]
